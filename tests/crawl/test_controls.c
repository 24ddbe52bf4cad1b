/* SPDX-License-Identifier: Apache-2.0
 *
 * Control downloads of evidence captures: what differs on every request is no change, and
 * nothing else is excused.
 */
#include "world.h"

#include "sharc/base_digest.h"
#include "sharc/base_file.h"
#include "sharc/change_grade.h"
#include "sharc/warc.h"
#include "sharc/warc_own.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define H "http://site.test"
enum { MOST = 400, WORDS = 60 };

/* A shop: page 0 links to all the others. Each request makes a new page. */
struct story {
    struct world w; /* first */
    size_t pages;
    struct web_page web[MOST + 1];
    char *url[MOST];
    struct sharc_buf body[MOST];
    unsigned asked[MOST]; /* how often, this request included */
    /* Writes what the page shows on its n-th request behind its words. NULL: nothing. */
    void (*show)(struct story *s, size_t page, unsigned n, struct sharc_buf *out);
    /* May change the answer (status, fields) before the n-th request. */
    void (*answer)(struct story *s, size_t page, unsigned n, struct web_page *p);
};

static uint64_t chance(const struct story *s, size_t page, uint64_t what)
{
    const uint64_t seed[] = {s->w.asked_count, (uint64_t)s->w.asked[s->w.asked_count - 1].when, page, what};
    return sharc_fingerprint(sharc_span(seed, sizeof seed), 0);
}

static void put_words(struct sharc_buf *out, size_t page, unsigned words)
{
    static const char *const some[] = {"river", "stone", "garden", "letter", "window", "market", "winter", "bridge"};
    for (unsigned i = 0; i < words; i++) sharc_buf_printf(out, "%s ", some[(page * 31 + i * i + i / 7) % 8]);
}

static void make_page(struct world *w)
{
    struct story *s = (struct story *)w;
    const char *url = w->asked[w->asked_count - 1].url;
    for (size_t i = 0; i < s->pages; i++) {
        if (strcmp(s->url[i], url) != 0) continue;
        struct sharc_buf *b = &s->body[i];
        unsigned n = ++s->asked[i];
        sharc_buf_clear(b);
        sharc_buf_printf(b, "<html><head><title>Page %zu</title></head><body><h1>Page %zu</h1><p class=text>", i, i);
        put_words(b, i, WORDS);
        sharc_buf_put_str(b, "</p>");
        if (s->show) s->show(s, i, n, b);
        for (size_t k = 1; i == 0 && k < s->pages; k++) sharc_buf_printf(b, "<a href=/p%zu>%zu</a> ", k, k);
        sharc_buf_put_str(b, "</body></html>");
        w->pages[i].body = sharc_buf_str(b);
        if (s->answer) s->answer(s, i, n, &w->pages[i]);
    }
}

static void story_init(struct story *s, size_t pages)
{
    memset(s, 0, sizeof *s);
    s->pages = pages;
    for (size_t i = 0; i < pages; i++) {
        s->url[i] = i ? sharc_asprintf(H "/p%zu", i) : sharc_strdup(H "/");
        s->body[i] = (struct sharc_buf)SHARC_BUF_INIT(1u << 20);
        s->web[i] = (struct web_page){.url = s->url[i]};
    }
    world_init(&s->w, s->web, pages);
    s->w.at_request = make_page;
    s->w.o.purpose = SHARC_FOR_EVIDENCE;
    s->w.o.params.focus_share = 0; /* no second looks: request 1 is the visit, 2 the revisit, then controls */
    s->w.o.controls = SHARC_CRAWL_CONTROLS_BUDGET;
    s->w.o.control_late = 10 * SHARC_SEC;
}

static void story_done(struct story *s)
{
    world_done(&s->w);
    for (size_t i = 0; i < s->pages; i++) {
        free(s->url[i]);
        sharc_buf_done(&s->body[i]);
    }
}

static void run(struct story *s)
{
    assert_int_equal(world_crawl(&s->w, H "/", NULL), 0);
}

static size_t controls_asked(const struct story *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->pages; i++) n += s->asked[i] > 2 ? s->asked[i] - 2 : 0;
    return n;
}

/* --- what the catalogue says ------------------------------------------------------- */

static enum sharc_grade_reason reason_of(const struct story *s, const char *url)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_page_filter f = {.capture = world_summary(&s->w, 0).capture, .grades = true};
    struct sharc_store_page p;
    assert_int_equal(sharc_store_pages(s->w.store, &f, &rows, NULL), 0);
    while (sharc_store_rows_next(rows, NULL) > 0) {
        sharc_store_read_page(rows, &p);
        if (sharc_span_is(p.url, url)) return p.grade.reason;
    }
    fail_msg("%s: not in the catalogue", url);
    return SHARC_GRADED_NOT_GRADED;
}

static enum sharc_grade grade_of(const struct story *s, size_t page)
{
    return sharc_grade_of(reason_of(s, s->url[page]));
}

static void count_grades(const struct story *s, uint64_t ret[SHARC_GRADE_COUNT])
{
    uint64_t reasons[SHARC_GRADE_REASON_COUNT];
    assert_int_equal(sharc_store_grade_counts(s->w.store, world_summary(&s->w, 0).capture, reasons, NULL), 0);
    memset(ret, 0, SHARC_GRADE_COUNT * sizeof *ret);
    for (int i = 0; i < SHARC_GRADE_REASON_COUNT; i++) ret[sharc_grade_of((enum sharc_grade_reason)i)] += reasons[i];
}

static void assert_grades(const struct story *s, uint64_t identical, uint64_t volatile_, uint64_t others)
{
    uint64_t n[SHARC_GRADE_COUNT];
    count_grades(s, n);
    uint64_t rest = n[SHARC_GRADE_ATTESTED] + n[SHARC_GRADE_ALIKE] + n[SHARC_GRADE_UNPROVED];
    if (n[SHARC_GRADE_IDENTICAL] != identical || n[SHARC_GRADE_VOLATILE] != volatile_ || rest != others)
        fail_msg("%" PRIu64 " identical, %" PRIu64 " but for volatile parts, %" PRIu64 " others (%" PRIu64
                 " not graded), not %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                 n[SHARC_GRADE_IDENTICAL], n[SHARC_GRADE_VOLATILE], rest, n[SHARC_GRADE_NONE], identical, volatile_,
                 others);
}

static void assert_none_proved(const struct story *s)
{
    uint64_t n[SHARC_GRADE_COUNT];
    count_grades(s, n);
    assert_int_equal(n[SHARC_GRADE_IDENTICAL] + n[SHARC_GRADE_VOLATILE], 0);
    assert_true(n[SHARC_GRADE_ALIKE] + n[SHARC_GRADE_UNPROVED] > 0);
}

/* --- what pages show -------------------------------------------------------------------- */

static void put_token(struct story *s, size_t page, struct sharc_buf *out)
{
    sharc_buf_printf(out, "<input type=hidden name=csrf value=%016" PRIx64 ">", chance(s, page, 1));
}

static void show_token(struct story *s, size_t page, unsigned n, struct sharc_buf *out)
{
    (void)n;
    put_token(s, page, out);
}

static void put_price(size_t page, bool edited, struct sharc_buf *out)
{
    sharc_buf_printf(out, "<p class=price>%zu,%s00 euro</p>", page % 9 + 1, edited ? "9" : "2");
}

static void show_price(struct story *s, size_t page, unsigned n, struct sharc_buf *out)
{
    (void)s;
    put_price(page, n >= 2, out);
}

static void show_both(struct story *s, size_t page, unsigned n, struct sharc_buf *out)
{
    put_token(s, page, out);
    put_price(page, n >= 2, out);
}

/* --- the cases ------------------------------------------------------------------------- */

static void a_token_on_every_page_is_no_change(void **state)
{
    (void)state;
    struct story s;
    story_init(&s, 300);
    s.show = show_token;
    run(&s);
    assert_grades(&s, 0, 300, 0);
    assert_true(controls_asked(&s) >= 2);
    assert_true(controls_asked(&s) <= 300 / 20);
    story_done(&s);
}

static void an_edited_price_is_never_proved(void **state)
{
    (void)state;
    struct story s;
    story_init(&s, 60);
    s.show = show_price;
    run(&s);
    assert_none_proved(&s);
    story_done(&s);
}

static void nor_is_it_beside_a_token(void **state)
{
    (void)state;
    struct story s;
    story_init(&s, 60);
    s.show = show_both;
    run(&s);
    assert_none_proved(&s);
    story_done(&s);
}

static void show_some_edited(struct story *s, size_t page, unsigned n, struct sharc_buf *out)
{
    put_token(s, page, out);
    put_price(page, n >= 2 && page % 10 == 3, out);
}

static void among_tokens_the_edited_pages_are_found(void **state)
{
    (void)state;
    struct story s;
    story_init(&s, 100);
    s.show = show_some_edited;
    run(&s);
    for (size_t i = 0; i < s.pages; i++) assert_int_equal(sharc_grade_is_proof(grade_of(&s, i)), i % 10 != 3);
    story_done(&s);
}

static void show_some_tokens(struct story *s, size_t page, unsigned n, struct sharc_buf *out)
{
    (void)n;
    if (page % 7 == 2) put_token(s, page, out);
}

static void only_some_pages_carry_noise(void **state)
{
    (void)state;
    struct story s;
    story_init(&s, 140);
    s.show = show_some_tokens;
    run(&s);
    assert_grades(&s, 120, 20, 0);
    assert_true(controls_asked(&s) <= 7);
    story_done(&s);
}

/* Every page has its noise at another place: no pair speaks for another page. */
static void show_own_noise(struct story *s, size_t page, unsigned n, struct sharc_buf *out)
{
    (void)n;
    for (unsigned bit = 0; bit < 8; bit++) sharc_buf_put_str(out, page >> bit & 1 ? "<em>" : "<strong>");
    sharc_buf_printf(out, "%016" PRIx64, chance(s, page, 1));
    for (unsigned bit = 8; bit-- > 0;) sharc_buf_put_str(out, page >> bit & 1 ? "</em>" : "</strong>");
}

static void a_budget_that_is_used_up_proves_nothing_more(void **state)
{
    (void)state;
    struct story s;
    story_init(&s, 100);
    s.show = show_own_noise;
    s.w.o.control_share = 0.08;
    run(&s);
    uint64_t n[SHARC_GRADE_COUNT];
    count_grades(&s, n);
    assert_true(controls_asked(&s) <= 8);
    assert_int_equal(n[SHARC_GRADE_IDENTICAL], 0);
    assert_true(n[SHARC_GRADE_VOLATILE] <= controls_asked(&s) / 2);
    assert_int_equal(n[SHARC_GRADE_NONE], 0);
    /* A page that was not asked again is proved by nothing. */
    for (size_t i = 0; i < s.pages; i++)
        if (s.asked[i] <= 2) assert_false(sharc_grade_is_proof(grade_of(&s, i)));
    story_done(&s);
}

static void every_and_none(void **state)
{
    (void)state;
    struct story s;
    story_init(&s, 30);
    s.show = show_own_noise;
    s.w.o.controls = SHARC_CRAWL_CONTROLS_EVERY;
    run(&s);
    assert_grades(&s, 0, 30, 0);
    story_done(&s);
    story_init(&s, 30);
    s.show = show_token;
    s.w.o.controls = SHARC_CRAWL_CONTROLS_NONE;
    run(&s);
    assert_int_equal(controls_asked(&s), 0);
    assert_none_proved(&s);
    story_done(&s);
}

/* --- edits at bad moments ---------------------------------------------------------------- */

/* The price is another one from the control downloads on: what they show is not about it. */
static void show_later_edit(struct story *s, size_t page, unsigned n, struct sharc_buf *out)
{
    put_token(s, page, out);
    put_price(page, n >= 3, out);
}

static void an_edit_after_the_revisit_is_not_about_it(void **state)
{
    (void)state;
    struct story s;
    story_init(&s, 60);
    s.show = show_later_edit;
    run(&s);
    assert_grades(&s, 0, 60, 0);
    story_done(&s);
}

/* Edited between visit and revisit, and once more between the two downloads of the pair. */
static void show_double_edit(struct story *s, size_t page, unsigned n, struct sharc_buf *out)
{
    (void)s;
    sharc_buf_printf(out, "<p class=price>%zu,%u00 euro</p>", page % 9 + 1, n < 2 ? 2 : n < 4 ? 5 : 7);
}

static void an_edit_between_the_two_downloads_excuses_nothing(void **state)
{
    (void)state;
    static const enum sharc_crawl_controls ways[] = {SHARC_CRAWL_CONTROLS_BUDGET, SHARC_CRAWL_CONTROLS_EVERY};
    for (size_t i = 0; i < SHARC_LENGTH(ways); i++) {
        struct story s;
        story_init(&s, 60);
        s.w.o.controls = ways[i];
        s.show = show_double_edit;
        run(&s);
        assert_none_proved(&s);
        story_done(&s);
    }
}

/* One page alone: its price is edited in the pair, that of the others between visit and revisit. */
static void show_edit_of_one(struct story *s, size_t page, unsigned n, struct sharc_buf *out)
{
    put_token(s, page, out);
    sharc_buf_printf(out, "<p class=price>%zu,%u00 euro</p>", page % 9 + 1, n < 2 ? 2 : n < 4 ? 5 : 7);
}

static void nor_beside_a_token(void **state)
{
    (void)state;
    struct story s;
    story_init(&s, 60);
    s.show = show_edit_of_one;
    run(&s);
    assert_none_proved(&s);
    story_done(&s);
}

/* Noise that is there only from the revisits on. */
static void show_new_noise(struct story *s, size_t page, unsigned n, struct sharc_buf *out)
{
    if (n >= 2) put_token(s, page, out);
}

static void noise_that_begins_in_the_middle(void **state)
{
    (void)state;
    struct story s;
    story_init(&s, 60);
    s.show = show_new_noise;
    run(&s);
    assert_none_proved(&s); /* a form that was not there is a change */
    story_done(&s);
}

/* --- everything at once ---------------------------------------------------------------------- */

/* Which noise a page carries, and before which of its requests it is edited. Of a page's seed, so that it is known
 * what is true. */
struct nature {
    bool token, nonce, teaser, clock, counter, order;
    unsigned edits; /* bit n: before request n + 1 */
    unsigned what;  /* is edited */
};

static uint64_t roll; /* of the site */

static struct nature nature_of(size_t page)
{
    const uint64_t seed[] = {roll, page}, site[] = {roll, 1000};
    uint64_t r = sharc_fingerprint(sharc_span(seed, sizeof seed), 1);
    uint64_t all = sharc_fingerprint(sharc_span(site, sizeof site), 1); /* templates carry the same noise */
    struct nature n = {.token = all & 1,
                       .nonce = all >> 1 & 1,
                       .teaser = (all >> 2 & 3) == 0,
                       .clock = (all >> 4 & 3) == 0};
    n.counter = (all >> 6 & 3) == 0;
    n.order = (all >> 8 & 3) == 0;
    /* One edit or two: what is edited before every one of three requests in a row does differ on every request. */
    if (r % 4 == 0) n.edits = 2u << (r >> 8) % 5 | 2u << (r >> 12) % 5;
    if (roll % 5 == 4) n.token = n.token && r % 3 == 0; /* only some pages carry it */
    n.what = (unsigned)(r >> 20) % 6;
    return n;
}

static void put_noise(struct story *s, size_t page, const struct nature *n, struct sharc_buf *out)
{
    static const char *const teasers[] = {"spring sale begins", "read our letters", "visit the garden",
                                          "new roses came", "about the old bridge"};
    uint64_t now = (uint64_t)s->w.asked[s->w.asked_count - 1].when;
    if (n->token) put_token(s, page, out);
    if (n->nonce) sharc_buf_printf(out, "<script nonce=%016" PRIx64 ">var a = 1;</script>", chance(s, page, 2));
    if (n->teaser) sharc_buf_printf(out, "<div class=teaser>%s</div>", teasers[chance(s, page, 3) % 5]);
    if (n->clock)
        sharc_buf_printf(out, "<div class=clock>%02u:%02u</div>", (unsigned)(now / SHARC_HOUR % 24),
                         (unsigned)(now / SHARC_MINUTE % 60));
    if (n->counter) sharc_buf_printf(out, "<div class=hits>%zu visitors</div>", 1000 + s->w.asked_count);
    if (n->order) {
        unsigned first = (unsigned)(chance(s, page, 4) % 3);
        sharc_buf_put_str(out, "<ul class=tips>");
        for (unsigned i = 0; i < 3; i++) sharc_buf_printf(out, "<li>tip about %s</li>", teasers[(first + i) % 3]);
        sharc_buf_put_str(out, "</ul>");
    }
}

static void show_anything(struct story *s, size_t page, unsigned n, struct sharc_buf *out)
{
    struct nature is = nature_of(page);
    unsigned version = 0;
    for (unsigned i = 0; i < n && i < 31; i++) version += i > 0 && (is.edits >> i & 1);
    unsigned v[6] = {0};
    v[is.what] = version;
    put_noise(s, page, &is, out);
    sharc_buf_printf(out, "<p class=price>%u,%u00 euro</p>", (unsigned)page % 9 + 1, 2 + v[0]);
    sharc_buf_printf(out, "<p class=note>there is %s tax on it</p>", v[1] % 2 ? "no" : "a");
    sharc_buf_printf(out, "<a href=\"/p%u\">next</a>", 1 + v[2] % 3);
    sharc_buf_printf(out, "<script>var stock = %u;</script>", 10 + v[3]);
    sharc_buf_printf(out, "<meta name=description content=\"item %zu, state %u\">", page, v[4]);
    sharc_buf_printf(out, "<div class=hits>%u sold</div>", 40 + v[5]);
}

/* Was it edited between its visit and its revisit? */
static bool is_edited(size_t page)
{
    return nature_of(page).edits >> 1 & 1;
}

static void no_mix_of_noise_hides_an_edit(void **state)
{
    (void)state;
    unsigned lost = 0, unedited = 0, wrong = 0;
    for (roll = 1; roll <= 40; roll++) {
        struct story s;
        story_init(&s, 40);
        s.show = show_anything;
        s.w.o.control_late = 90 * SHARC_SEC;
        s.w.o.control_share = roll % 2 ? 0.5 : 0.05;
        if (roll % 3 == 0) s.w.o.controls = SHARC_CRAWL_CONTROLS_EVERY;
        run(&s);
        for (size_t i = 0; i < s.pages; i++) {
            bool proof = sharc_grade_is_proof(grade_of(&s, i));
            wrong += proof && is_edited(i);
            if (proof && is_edited(i))
                print_message("site %" PRIu64 ", page %zu: edits %x of %u, %s\n", roll, i, nature_of(i).edits,
                              nature_of(i).what, sharc_grade_reason_word(reason_of(&s, s.url[i])));
            unedited += !is_edited(i);
            lost += !proof && !is_edited(i);
        }
        story_done(&s);
    }
    assert_int_equal(wrong, 0);
    assert_true(lost < unedited / 3); /* many of these sites are too small for their kinds of noise */
}

/* --- control downloads that fail ------------------------------------------------------------ */

static void say_500(struct story *s, size_t page, unsigned n, struct web_page *p)
{
    (void)s;
    (void)page;
    p->status = n > 2 ? 500 : 0;
}

static void say_404_to_the_second(struct story *s, size_t page, unsigned n, struct web_page *p)
{
    (void)s;
    (void)page;
    p->status = n > 3 ? 404 : 0;
}

static void redirect(struct story *s, size_t page, unsigned n, struct web_page *p)
{
    (void)s;
    (void)page;
    p->status = n > 2 ? 302 : 0;
    p->fields = n > 2 ? "Location: /elsewhere\r\n" : NULL;
}

static void lose_the_second(struct story *s, size_t page, unsigned n, struct web_page *p)
{
    (void)s;
    (void)page;
    p->fails = n > 3 ? 1 : 0;
    p->fail_as = -(int)SHARC_FETCH_TIMEOUT;
}

/* All of the page, in one chunk, and no last one. */
static void leave_the_end_open(struct story *s, size_t page, unsigned n, struct web_page *p)
{
    if (n <= 2) return;
    SHARC_AUTO(sharc_freep) char *body = sharc_strdup(p->body);
    sharc_buf_clear(&s->body[page]);
    sharc_buf_printf(&s->body[page], "%zx\r\n%s\r\n", strlen(body), body);
    p->fields = "Transfer-Encoding: chunked\r\n";
    p->raw = sharc_buf_span(&s->body[page]);
}

static void failed_controls_prove_nothing(void **state)
{
    (void)state;
    void (*const ways[])(struct story *, size_t, unsigned, struct web_page *) = {say_500, say_404_to_the_second,
                                                                                 redirect, lose_the_second,
                                                                                 leave_the_end_open};
    for (size_t i = 0; i < SHARC_LENGTH(ways); i++) {
        struct story s;
        story_init(&s, 40);
        s.show = show_token;
        s.answer = ways[i];
        (void)world_crawl(&s.w, H "/", NULL);
        if (world_summary(&s.w, 0).phase == SHARC_CRAWL_DONE) assert_none_proved(&s);
        story_done(&s);
    }
}

/* --- limits ------------------------------------------------------------------------------------ */

static void no_time_for_controls(void **state)
{
    (void)state;
    struct story s;
    story_init(&s, 40);
    s.show = show_token;
    s.w.o.pace.time = 81 * SHARC_SEC; /* 40 visits and 40 revisits, a second each, and robots.txt */
    run(&s);
    assert_true(controls_asked(&s) < 4);
    uint64_t n[SHARC_GRADE_COUNT];
    count_grades(&s, n);
    assert_int_equal(n[SHARC_GRADE_VOLATILE], 0);
    story_done(&s);
}

/* --- records ------------------------------------------------------------------------------------- */

struct kinds {
    unsigned visits, revisits, controls, firsts, seconds, lates, marked;
    unsigned failed; /* lines of the closing record */
    bool told;       /* and their number in its first one */
};

static void count_kind(struct sharc_record *rec, struct kinds *k)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    struct sharc_own_fetch own;
    sharc_own_fetch_init(&own);
    assert_int_equal(sharc_record_read_all(rec, SHARC_WARC_BLOCK, &b, NULL), 0);
    struct sharc_span rest = sharc_buf_span(&b), line;
    while (sharc_span_next(&rest, '\n', &line)) {
        size_t colon = sharc_span_find(line, ':', 0);
        if (colon != SHARC_NPOS)
            (void)sharc_own_fetch_read(&own, sharc_span_sub(line, 0, colon),
                                       sharc_span_trim(sharc_span_from(line, colon + 1)));
    }
    if (!own.ours) { /* what the capture proves, at its end */
        char all[64];
        for (rest = sharc_buf_span(&b); sharc_span_next(&rest, '\n', &line);)
            k->failed += sharc_span_starts(line, SHARC_SPAN("{\"control\":"));
        snprintf(all, sizeof all, "\"controls_failed\":%u", k->failed);
        k->told |= sharc_span_search(sharc_buf_span(&b), sharc_span_of(all)) != SHARC_NPOS;
        return;
    }
    k->visits += own.kind == SHARC_OWN_VISIT;
    k->revisits += own.kind == SHARC_OWN_REVISIT;
    k->controls += own.kind == SHARC_OWN_CONTROL;
    k->firsts += sharc_span_is(own.control, "first");
    k->seconds += sharc_span_is(own.control, "second");
    k->lates += sharc_span_is(own.control, "late");
}

static struct kinds count_kinds(const struct story *s)
{
    struct kinds k = {0};
    SHARC_AUTO(sharc_freep) char *dir = sharc_path_join(s->w.dir, "warcs");
    char **names = NULL;
    size_t count = 0;
    assert_int_equal(sharc_dir_list(dir, &names, &count, NULL), 0);
    for (size_t i = 0; i < count; i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, names[i]);
        SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
        struct sharc_record rec;
        assert_int_equal(sharc_warc_open(path, NULL, &w, NULL), 0);
        while (sharc_warc_next(w, &rec, NULL) > 0) {
            k.marked += sharc_record_is_control(&rec);
            if (rec.type == SHARC_WARC_METADATA && rec.target.n) count_kind(&rec, &k);
        }
    }
    sharc_names_free(names, count);
    return k;
}

static void controls_are_records_of_their_own(void **state)
{
    (void)state;
    struct story s;
    story_init(&s, 40);
    s.show = show_token;
    run(&s);
    struct kinds k = count_kinds(&s);
    assert_int_equal(k.visits, 40);
    assert_int_equal(k.revisits, 40);
    assert_int_equal(k.controls, controls_asked(&s));
    assert_int_equal(k.marked, controls_asked(&s));
    assert_int_equal(k.firsts, k.seconds);
    assert_int_equal(k.firsts + k.seconds + k.lates, k.controls);
    /* Neither the index nor the log takes them for pages. */
    SHARC_AUTO(sharc_freep) char *index = world_file(&s.w, "index/index.cdxj");
    size_t lines = 0;
    for (const char *p = index; *p; p++) lines += *p == '\n';
    assert_int_equal(lines, 40 + 40 + (world_asked(&s.w, H "/robots.txt") > 0));
    SHARC_AUTO(sharc_freep) char *log = world_file(&s.w, "logs/crawl.log");
    assert_non_null(strstr(log, "\"kind\":\"control\""));
    story_done(&s);
}

/* The first of a pair that never comes has no record of its own: the closing record tells of it. */
static void lose_the_first(struct story *s, size_t page, unsigned n, struct web_page *p)
{
    (void)s;
    p->fails = page == 0 && n > 2 ? 1 : 0;
    p->fail_as = -(int)SHARC_FETCH_TIMEOUT;
}

static void controls_that_failed_are_told(void **state)
{
    (void)state;
    for (int lost = 0; lost < 2; lost++) {
        struct story s;
        story_init(&s, 40);
        s.show = show_token;
        if (lost) s.answer = lose_the_first;
        (void)world_crawl(&s.w, H "/", NULL);
        struct kinds k = count_kinds(&s);
        assert_true(k.told);
        assert_true(lost ? k.failed > 0 : k.failed == 0);
        story_done(&s);
    }
}

/* --- killed ------------------------------------------------------------------------------------------ */

static void story_at(struct story *s, size_t pages, const char *dir, unsigned hours)
{
    struct sharc_err err = SHARC_ERR_INIT;
    story_init(s, pages);
    s->show = show_some_edited;
    s->w.clock.at += hours * SHARC_HOUR;
    test_rmdir(s->w.dir);
    s->w.dir = sharc_strdup(dir);
    s->w.o.archive = s->w.dir;
    s->w.o.commit_records = 1;
    sharc_store_free(s->w.store);
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "catalogue.db");
    if (sharc_store_open(path, NULL, &s->w.store, &err) < 0) fail_msg("%s", err.text);
}

/* The requests go on counting: those of the run before are 1 and 2. */
static bool die_at(size_t pages, const char *dir, size_t k, unsigned hours)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct story s;
        story_at(&s, pages, dir, hours);
        s.w.exit_at = k;
        for (size_t i = 0; hours && i < pages; i++) s.asked[i] = 2;
        (void)world_crawl(&s.w, H "/", NULL);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 77;
}

static void killed_in_the_middle_of_controls(void **state)
{
    (void)state;
    enum { N = 20 };
    const size_t before = 2 * N + 1; /* robots.txt, visits, revisits */
    for (size_t k = 1; k < 30; k++) {
        char *dir = test_mkdir();
        bool died = die_at(N, dir, before + k, 0);
        bool again = died && die_at(N, dir, 2, 1);
        struct story s;
        story_at(&s, N, dir, 2);
        free(dir);
        for (size_t i = 0; died && i < N; i++) s.asked[i] = 2;
        if (died) run(&s);
        if (died)
            for (size_t i = 0; i < N; i++) assert_int_equal(sharc_grade_is_proof(grade_of(&s, i)), i % 10 != 3);
        struct kinds n = died ? count_kinds(&s) : (struct kinds){0};
        /* A pair that was cut in the middle is made again, and no other. */
        if (died) assert_true(n.firsts <= n.seconds + 1 + again);
        if (died) assert_int_equal(n.visits, N);
        story_done(&s);
        if (!died) {
            assert_true(k > 4);
            return;
        }
    }
    fail_msg("it never came to an end");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_token_on_every_page_is_no_change),
    cmocka_unit_test(an_edited_price_is_never_proved),
    cmocka_unit_test(nor_is_it_beside_a_token),
    cmocka_unit_test(among_tokens_the_edited_pages_are_found),
    cmocka_unit_test(only_some_pages_carry_noise),
    cmocka_unit_test(a_budget_that_is_used_up_proves_nothing_more),
    cmocka_unit_test(every_and_none),
    cmocka_unit_test(an_edit_after_the_revisit_is_not_about_it),
    cmocka_unit_test(an_edit_between_the_two_downloads_excuses_nothing),
    cmocka_unit_test(nor_beside_a_token),
    cmocka_unit_test(noise_that_begins_in_the_middle),
    cmocka_unit_test(no_mix_of_noise_hides_an_edit),
    cmocka_unit_test(failed_controls_prove_nothing),
    cmocka_unit_test(controls_that_failed_are_told),
    cmocka_unit_test(no_time_for_controls),
    cmocka_unit_test(controls_are_records_of_their_own),
    cmocka_unit_test(killed_in_the_middle_of_controls),
};
TEST_MAIN(tests)
