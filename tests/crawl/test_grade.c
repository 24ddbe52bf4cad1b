/* SPDX-License-Identifier: Apache-2.0
 *
 * What a capture with revisits may call proved. Each test is an attack: a page that changed, was
 * cut, came out of a cache, was vouched for by a server, or is taken for another one.
 */
#include "world.h"

#include "sharc/base_codec.h"

#include <stdio.h>
#include <stdlib.h>

#define H "http://site.test"

static struct sharc_store_page *page_row(struct world *w, const char *url, struct sharc_store_page *ret)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_page_filter f = {.capture = world_summary(w, 0).capture, .grades = true};
    if (sharc_store_pages(w->store, &f, &rows, &err) < 0) fail_msg("%s", err.text);
    while (sharc_store_rows_next(rows, &err) > 0) {
        sharc_store_read_page(rows, ret);
        if (sharc_span_is(ret->url, url)) return ret;
    }
    return NULL;
}

static enum sharc_grade_reason reason_of(struct world *w, const char *url)
{
    struct sharc_store_page row;
    return page_row(w, url, &row) ? row.grade.reason : SHARC_GRADED_NOT_GRADED;
}

#define assert_reason(w, url, want) \
    assert_string_equal(sharc_grade_reason_word(reason_of((w), (url))), sharc_grade_reason_word(SHARC_GRADED_##want))

static void evidence(struct world *w, const struct web_page *web, size_t n)
{
    world_init(w, web, n);
    w->o.purpose = SHARC_FOR_EVIDENCE;
    w->o.strategy = sharc_strategy_find("bfs-lifo");
}

/* Page i of the web from the n-th request for it on. */
struct turning_page {
    size_t page;
    unsigned after;
    struct web_page then;
};
static struct turning_page turning;

static void turn(struct world *w)
{
    struct web_page *p = &w->pages[turning.page];
    if (world_asked(w, p->url) <= turning.after) return;
    const char *url = p->url;
    *p = turning.then;
    p->url = url;
}

/* --- when ------------------------------------------------------------------------------ */

static void a_page_speaks_from_the_end_of_its_visit(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<a href=/slow>s</a><a href=/a>a</a><a href=/b>b</a>"},
        {H "/slow", .body = "slow", .slow = 10 * SHARC_SEC},
        {H "/a", .body = "a"},
        {H "/b", .body = "b"},
    };
    struct world w;
    evidence(&w, web, SHARC_LENGTH(web));
    w.o.pace = (struct sharc_crawl_pace){.connections = 4};
    w.latency = SHARC_SEC;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    struct sharc_crawl_summary s = world_summary(&w, 0);
    struct sharc_store_page row;
    assert_non_null(page_row(&w, H "/slow", &row));
    sharc_time ended = row.visit.when + row.visit.took;
    assert_int_equal(row.visit.took, 11 * SHARC_SEC);
    assert_int_equal(row.grade.from, ended);
    assert_true(s.reference_from >= ended && s.reference_to >= s.reference_from);
    assert_true(s.reference >= s.reference_from && s.reference <= s.reference_to);
    assert_int_equal(s.coherent, 4);
    world_done(&w);
}

/* The only page there is: nothing is proved by one download. */
static void the_last_page_does_not_prove_itself(void **state)
{
    (void)state;
    static const sharc_time at[] = {1500 * SHARC_MSEC};
    const struct web_page web[] = {{H "/", .body = "one", .changes = at, .changes_count = 1}};
    struct world w;
    evidence(&w, web, SHARC_LENGTH(web));
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(world_asked(&w, H "/"), 2);
    assert_int_equal(s.judged, 1);
    assert_int_equal(s.coherent, 0);
    assert_true(s.reference_from == SHARC_TIME_NONE);
    assert_reason(&w, H "/", CHANGED);
    world_done(&w);
}

/* A site of which one page, /hot, gets a second look: the second request for it. From the third on it is revisited. */
enum { COLD = 30, HOT = 2 };
struct focused {
    char url[COLD][32], links[COLD * 24 + 64];
    struct web_page web[COLD + 6]; /* behind the cold ones three more */
};

static void focused_init(struct focused *f, struct world *w, struct web_page hot, const struct web_page more[3])
{
    snprintf(f->links, sizeof f->links, "<a href=/hot>h</a>");
    f->web[0] = (struct web_page){H "/sitemap.xml", .type = "text/xml",
                                  .body = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>" H
                                          "/hot</loc><changefreq>hourly</changefreq></url></urlset>"};
    f->web[1] = (struct web_page){H "/", .body = f->links};
    f->web[HOT] = hot;
    f->web[HOT].url = H "/hot";
    for (size_t i = 0; i < COLD; i++) {
        snprintf(f->url[i], sizeof f->url[i], H "/p%zu", i);
        snprintf(f->links + strlen(f->links), sizeof f->links - strlen(f->links), "<a href=/p%zu>p</a>", i);
        f->web[3 + i] = (struct web_page){f->url[i], .body = "cold"};
    }
    memcpy(f->web + 3 + COLD, more, 3 * sizeof *more);
    evidence(w, f->web, SHARC_LENGTH(f->web));
    w->o.pace.delay = 5 * SHARC_MINUTE;
    w->o.strategy = sharc_strategy_find("sharc-focus");
    w->o.no_sitemaps = false;
    w->o.params.focus_breadth_first = true;
    w->o.tries = 1;
}

static const struct web_page no_more[] = {{H "/x"}, {H "/y"}, {H "/z"}};

static int look_status;
static void look_elsewhere(struct world *w)
{
    w->pages[HOT].status = world_asked(w, w->pages[HOT].url) == 2 ? look_status : 200;
}

static void a_second_look_that_found_nothing_ends_the_interval(void **state)
{
    (void)state;
    static const int statuses[] = {404, 403, 500};
    for (size_t i = 0; i <= SHARC_LENGTH(statuses); i++) {
        struct focused f;
        struct world w;
        focused_init(&f, &w, (struct web_page){.body = "News"}, no_more);
        bool there = i == SHARC_LENGTH(statuses);
        look_status = there ? 200 : statuses[i];
        w.at_request = look_elsewhere;
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        assert_int_equal(world_asked(&w, H "/hot"), 3);
        if (there)
            assert_reason(&w, H "/hot", SAME_CONTENT);
        else
            assert_reason(&w, H "/hot", SECOND_LOOK);
        world_done(&w);
    }
}

/* It takes the place of the visit, so it is a download like that, whatever the server would say. */
static void a_second_look_is_a_download(void **state)
{
    (void)state;
    struct focused f;
    struct world w;
    unsigned asked = 0;
    focused_init(&f, &w, (struct web_page){.body = "News", .tag = "\"1\""}, no_more);
    w.o.proof = SHARC_PROOF_ATTESTED;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    for (size_t i = 0; i < w.asked_count; i++)
        if (strcmp(w.asked[i].url, H "/hot") == 0) assert_int_equal(w.asked[i].conditional, asked++ == 2);
    assert_true(asked > 3); /* and an audit */
    assert_reason(&w, H "/hot", STRONG_ETAG);
    world_done(&w);
}

/* The page shows another picture, a frame and a style from its second look on. */
static bool part_changes;
static void show_other_parts(struct world *w)
{
    unsigned asked = world_asked(w, H "/hot");
    if (asked >= 2) w->pages[HOT].body = "<img src=/new.png><iframe src=/frame></iframe>News";
    if (part_changes && asked >= 3) w->pages[3 + COLD].body = "edited";
}

/* What a second look names first is fetched then, revisited with the page, and speaks for its own time. */
static void parts_that_a_second_look_finds_belong_to_the_page(void **state)
{
    (void)state;
    const struct web_page more[] = {{H "/new.png", .type = "image/png", .body = "new"},
                                    {H "/frame", .body = "<a href=/late>late</a><link rel=stylesheet href=/s.css>"},
                                    {H "/s.css", .type = "text/css", .body = "p { color: red }"}};
    for (int changes = 0; changes < 2; changes++) {
        struct focused f;
        struct world w;
        focused_init(&f, &w, (struct web_page){.body = "<img src=/x.png>News"}, more);
        part_changes = changes;
        w.at_request = show_other_parts;
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        struct sharc_crawl_summary s = world_summary(&w, 0);
        assert_int_equal(world_asked(&w, H "/hot"), 3);
        for (size_t i = 0; i < 3; i++) assert_int_equal(world_asked(&w, more[i].url), 2);
        assert_int_equal(world_asked(&w, H "/late"), 0); /* a link: it could be visited only after the revisits began */
        assert_reason(&w, H "/hot", SAME_CONTENT);
        assert_reason(&w, H "/s.css", SAME_CONTENT);
        assert_int_equal(s.whole, COLD + 2);
        assert_int_equal(s.whole_coherent, COLD + 2 - changes);
        struct sharc_store_page row;
        assert_non_null(page_row(&w, H "/new.png", &row));
        assert_int_equal(row.grade.from, row.visit.when + row.visit.took);
        assert_true(s.reference_from >= row.grade.from && row.grade.to >= s.reference_from);
        world_done(&w);
    }
}

/* --- the same? ---------------------------------------------------------------------------- */

/* One number in 600 words. */
static void a_price_is_no_volatile_part(void **state)
{
    (void)state;
    char *text[2];
    for (int k = 0; k < 2; k++) {
        struct sharc_buf b = SHARC_BUF_INIT(1u << 16);
        sharc_buf_printf(&b, "<p>The price is %s euro.</p>", k ? "9,900" : "1,200");
        for (int i = 0; i < 600; i++) sharc_buf_printf(&b, " word%d", i);
        text[k] = sharc_buf_take(&b);
    }
    const struct web_page web[] = {{H "/", .body = "<a href=/p>p</a>"}, {H "/p", .body = text[0]}};
    struct world w;
    evidence(&w, web, SHARC_LENGTH(web));
    turning = (struct turning_page){1, 1, {.body = text[1]}};
    w.at_request = turn;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(world_summary(&w, 0).coherent, 1);
    assert_false(sharc_grade_is_proof(sharc_grade_of(reason_of(&w, H "/p"))));
    world_done(&w);
    free(text[0]);
    free(text[1]);
}

static void every_part_of_an_answer_counts(void **state)
{
    (void)state;
    static const struct {
        struct web_page before, after;
    } rows[] = {
        {{.body = "x", .type = "text/html; charset=utf-8"}, {.body = "x", .type = "text/html; charset=iso-8859-1"}},
        {{.body = "x", .type = "text/html"}, {.body = "x", .type = "text/plain"}},
        {{.body = "x"}, {.body = "x", .status = 203}},
        {{.body = "<title>a</title>x"}, {.body = "<title>b</title>x"}},
        {{.body = "<a href=/>a</a>"}, {.body = "<a href='/#x'>a</a>"}},
        {{.body = "<script>var p=1</script>x"}, {.body = "<script>var p=2</script>x"}},
        {{.body = "x", .type = "image/png"}, {.body = "y", .type = "image/png"}},
        {{.status = 302, .fields = "Location: /a\r\n"}, {.status = 302, .fields = "Location: /b\r\n"}},
        {{.status = 302, .fields = "Location: /a\r\n"}, {.status = 301, .fields = "Location: /a\r\n"}},
        {{.body = "x"}, {.status = 404, .body = "x"}},
        {{.body = "x"}, {.status = 500, .body = "x"}},
    };
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        struct web_page web[] = {{H "/", .body = "<a href=/p>p</a>"}, rows[i].before, {H "/a", .body = "a"}};
        web[1].url = H "/p";
        struct world w;
        evidence(&w, web, SHARC_LENGTH(web));
        w.o.tries = 1;
        turning = (struct turning_page){1, 1, rows[i].after};
        w.at_request = turn;
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        enum sharc_grade_reason why = reason_of(&w, H "/p");
        if (why == SHARC_GRADED_NOT_GRADED || sharc_grade_is_proof(sharc_grade_of(why)))
            fail_msg("row %zu: %s", i, sharc_grade_reason_word(why));
        world_done(&w);
    }
}

/* A server that packs anew for every request: other bytes, the same content. */
static void packing_is_no_change(void **state)
{
    (void)state;
    static const char *const types[] = {"text/html", "image/x", "application/json"};
    struct sharc_buf one = SHARC_BUF_INIT(1u << 16), two = SHARC_BUF_INIT(1u << 16);
    struct sharc_deflate *d = sharc_deflate_new(6);
    assert_int_equal(sharc_deflate_member(d, SHARC_SPAN("{\"content\": 1}"), &one), 0);
    sharc_buf_put(&two, sharc_buf_span(&one));
    two.p[4] ^= 1; /* mtime */
    sharc_deflate_free(d);
    for (size_t i = 0; i < SHARC_LENGTH(types); i++) {
        const struct web_page web[] = {
            {H "/", .body = "<a href=/p>p</a>"},
            {H "/p", .type = types[i], .fields = "Content-Encoding: gzip\r\n", .raw = sharc_buf_span(&one)},
        };
        struct world w;
        evidence(&w, web, SHARC_LENGTH(web));
        turning = (struct turning_page){1, 1, web[1]};
        turning.then.raw = sharc_buf_span(&two);
        w.at_request = turn;
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        assert_reason(&w, H "/p", SAME_CONTENT);
        assert_int_equal(world_summary(&w, 0).unchanged, 2);
        world_done(&w);
    }
    sharc_buf_done(&one);
    sharc_buf_done(&two);
}

static void what_is_cut_proves_nothing(void **state)
{
    (void)state;
    struct sharc_buf gz = SHARC_BUF_INIT(1u << 16);
    struct sharc_deflate *d = sharc_deflate_new(6);
    assert_int_equal(sharc_deflate_member(d, SHARC_SPAN("a text that is long enough to be cut somewhere"), &gz), 0);
    sharc_deflate_free(d);
    const struct web_page web[] = {
        {H "/", .body = "<a href=/long>l</a><a href=/short>s</a><a href=/chunks>c</a><a href=/packed>p</a>"},
        {H "/long", .body = "0123456789012345678901234567890123456789012345678901234567890123456789"
                            "0123456789012345678901234567890123456789012345678901234567890123456789"},
        {H "/short", .body = "short", .cut = SHARC_FETCH_SHORT},
        {H "/chunks", .fields = "Transfer-Encoding: chunked\r\n", .raw = SHARC_SPAN("5\r\nhello\r\n5\r\nwo")},
        {H "/packed", .fields = "Content-Encoding: gzip\r\n", .raw = sharc_span(gz.p, gz.n - 12)},
    };
    struct world w;
    evidence(&w, web, SHARC_LENGTH(web));
    w.o.max_body = 100;
    w.o.tries = 1;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_reason(&w, H "/long", CUT);
    assert_reason(&w, H "/short", CUT);
    assert_reason(&w, H "/chunks", CUT);
    assert_reason(&w, H "/packed", CUT);
    assert_int_equal(s.judged, 5);
    assert_int_equal(s.coherent, 1);
    assert_int_equal(s.reason[SHARC_GRADED_CUT], 4);
    world_done(&w);
    sharc_buf_done(&gz);
}

/* --- how many? ------------------------------------------------------------------------------ */

static void failed_pages_count(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<a href=/a>a</a><a href=/500>f</a><a href=/none>n</a><a href=/403>v</a><a href=/gone>g</a>"},
        {H "/a", .body = "a"},
        {H "/500", .status = 500, .body = "oops"},
        {H "/403", .status = 403, .body = "no"},
        {H "/none", .fails = 1000, .fail_as = -SHARC_FETCH_RESET},
    };
    struct world w;
    evidence(&w, web, SHARC_LENGTH(web));
    w.o.tries = 2;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(s.pages, 2);
    assert_int_equal(s.judged, 5); /* not the link that leads nowhere */
    assert_int_equal(s.coherent, 2);
    assert_int_equal(s.reason[SHARC_GRADED_FAILED], 3);
    struct sharc_err err = SHARC_ERR_INIT;
    uint64_t counts[SHARC_GRADE_REASON_COUNT];
    assert_int_equal(sharc_store_grade_counts(w.store, s.capture, counts, &err), 0);
    assert_int_equal(counts[SHARC_GRADED_FAILED], 3);
    assert_int_equal(counts[SHARC_GRADED_SAME_CONTENT], 2);
    world_done(&w);
}

enum { ITEMS = 12 };
struct shop {
    struct web_page web[ITEMS + 3];
    char url[ITEMS][48], body[ITEMS + 1][4096];
    char links[1024];
};

/* Terms of 300 words on every page, the error page among them. */
static void make_shop(struct shop *s, const char *canonical)
{
    char terms[3400] = "";
    for (int i = 0; i < 300; i++) snprintf(terms + strlen(terms), sizeof terms - strlen(terms), " term%d", i);
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < ITEMS; i++) {
        snprintf(s->url[i], sizeof s->url[i], H "/item%zu", i);
        snprintf(s->links + strlen(s->links), sizeof s->links - strlen(s->links), "<a href=/item%zu>i</a>", i);
        snprintf(s->body[i], sizeof s->body[i], "%s<p>Item %zu, %zu euro</p><a href=/deep>d</a>%s", canonical, i, i * 7,
                 terms);
        s->web[1 + i] = (struct web_page){s->url[i], .body = s->body[i]};
    }
    s->web[0] = (struct web_page){H "/", .body = s->links};
    s->web[ITEMS + 1] = (struct web_page){H "/deep", .body = "deep"};
    snprintf(s->body[ITEMS], sizeof s->body[ITEMS], "<p>No such item</p>%s", terms);
}

static void items_that_resemble_the_error_page_are_pages(void **state)
{
    (void)state;
    static struct shop s;
    char probe[64];
    make_shop(&s, "");
    snprintf(probe, sizeof probe, H "/%016llx-no-such-page",
             (unsigned long long)sharc_fingerprint(sharc_span_of(H), 404));
    s.web[ITEMS + 2] = (struct web_page){probe, .body = s.body[ITEMS]};
    struct world w;
    evidence(&w, s.web, SHARC_LENGTH(s.web));
    w.o.no_probe = false;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    struct sharc_crawl_summary m = world_summary(&w, 0);
    assert_int_equal(world_asked(&w, probe), 1);
    assert_int_equal(m.judged, ITEMS + 2);
    assert_int_equal(m.coherent, ITEMS + 2);
    assert_int_equal(m.gone, 0);
    world_done(&w);

    /* Word for word the error page, both times: it is none. Its links are followed all the same. */
    snprintf(s.body[0], sizeof s.body[0], "%.4000s<a href=/only-here></a>", s.body[ITEMS]);
    evidence(&w, s.web, SHARC_LENGTH(s.web));
    w.o.no_probe = false;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    m = world_summary(&w, 0);
    assert_int_equal(m.judged, ITEMS + 1);
    assert_int_equal(m.gone, 2); /* with /only-here, which is not there */
    assert_int_equal(world_asked(&w, H "/only-here"), 1);
    world_done(&w);

    /* At the visit only: it is a page that has changed. */
    evidence(&w, s.web, SHARC_LENGTH(s.web));
    w.o.no_probe = false;
    turning = (struct turning_page){1, 1, {.body = "in stock"}};
    w.at_request = turn;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    m = world_summary(&w, 0);
    assert_int_equal(m.judged, ITEMS + 2);
    assert_int_equal(m.coherent, ITEMS + 1);
    assert_reason(&w, H "/item0", CHANGED);
    world_done(&w);
}

static void items_that_claim_to_be_another_are_pages(void **state)
{
    (void)state;
    static struct shop s;
    make_shop(&s, "<link rel=canonical href=/item0>");
    struct world w;
    evidence(&w, s.web, ITEMS + 2);
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    struct sharc_crawl_summary m = world_summary(&w, 0);
    assert_int_equal(m.judged, ITEMS + 2);
    assert_int_equal(m.aliases, 0);
    world_done(&w);

    /* The same words, at both times: one page under two addresses. */
    snprintf(s.body[1], sizeof s.body[1], "%.4000s", s.body[0]);
    evidence(&w, s.web, ITEMS + 2);
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    m = world_summary(&w, 0);
    assert_int_equal(m.judged, ITEMS + 1);
    assert_int_equal(m.aliases, 1);
    world_done(&w);

    /* The same at the visits, another price at the revisit. */
    evidence(&w, s.web, ITEMS + 2);
    turning = (struct turning_page){2, 1, {.body = "<link rel=canonical href=/item0><p>Item 0, 1 euro</p>"}};
    w.at_request = turn;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    m = world_summary(&w, 0);
    assert_int_equal(m.judged, ITEMS + 2);
    assert_int_equal(m.aliases, 0);
    world_done(&w);
}

/* --- the server's word ------------------------------------------------------------------------ */

/* The world began at 22:13:20, and its pages are downloaded within seconds. */
#define MODIFIED "Last-Modified: Tue, 14 Nov 2023 "

static void a_word_is_no_proof(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<a href=/strong>s</a><a href=/weak>w</a><a href=/old>o</a><a href=/young>y</a>"},
        {H "/strong", .body = "s", .tag = "\"1\""},
        {H "/weak", .body = "w", .tag = "W/\"1\""},
        {H "/old", .body = "o", .fields = MODIFIED "22:12:00 GMT\r\n"},
        {H "/young", .body = "y", .fields = MODIFIED "22:12:40 GMT\r\n"},
    };
    for (int attested = 0; attested < 2; attested++) {
        struct world w;
        evidence(&w, web, SHARC_LENGTH(web));
        w.o.proof = attested ? SHARC_PROOF_ATTESTED : SHARC_PROOF_FULL;
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        unsigned conditional = 0;
        for (size_t i = 0; i < w.asked_count; i++) conditional += w.asked[i].conditional;
        assert_int_equal(conditional, attested ? 2 : 0);
        if (attested)
            assert_reason(&w, H "/strong", STRONG_ETAG);
        else
            assert_reason(&w, H "/strong", SAME_CONTENT);
        assert_reason(&w, H "/weak", SAME_CONTENT);
        assert_reason(&w, H "/young", SAME_CONTENT);
        assert_int_equal(world_summary(&w, 0).coherent, attested ? 4 : 5);
        world_done(&w);
    }
}

static void another_etag_attests_nothing(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/", .body = "<a href=/p>s</a>"}, {H "/p", .body = "s", .tag = "\"1\""}};
    struct world w;
    evidence(&w, web, SHARC_LENGTH(web));
    w.o.proof = SHARC_PROOF_ATTESTED;
    turning = (struct turning_page){1, 1, {.body = "s", .tag = "\"2\""}};
    w.at_request = turn;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_reason(&w, H "/p", WEAK_VALIDATOR);
    world_done(&w);
}

/* A recurring capture: the body of the first must not be archived by the word of the server. */
static void visits_are_downloads(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/", .body = "old", .tag = "\"1\""}};
    struct world w;
    evidence(&w, web, SHARC_LENGTH(web));
    w.o.proof = SHARC_PROOF_ATTESTED;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    world_end_crawl(&w);
    w.pages[0].body = "new";
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    struct sharc_store_page row;
    assert_non_null(page_row(&w, H "/", &row));
    assert_int_equal(row.visit.status, 200);
    assert_int_equal(row.record, SHARC_STORE_RESPONSE);
    world_done(&w);
}

static void large_bodies_are_attested(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/", .body = "<a href=/p>s</a>", .tag = "\"1\""},
                                   {H "/p", .body = "a large body, compared with the others", .tag = "\"1\""}};
    struct world w;
    evidence(&w, web, SHARC_LENGTH(web));
    w.o.attest_above = 20;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_reason(&w, H "/", SAME_CONTENT);
    assert_reason(&w, H "/p", STRONG_ETAG);
    world_done(&w);
}

/* 304 to everything, though all prices were changed: a sample of downloads shows it. */
static void change_all(struct world *w)
{
    if (w->asked_count == 30)
        for (size_t i = 1; i < w->pages_count; i++) w->pages[i].body = "another price";
}

static void lies_are_found(void **state)
{
    (void)state;
    enum { PAGES = 40 };
    static struct web_page web[PAGES + 1];
    static char url[PAGES][32], links[PAGES * 24 + 1];
    links[0] = 0;
    for (size_t i = 0; i < PAGES; i++) {
        snprintf(url[i], sizeof url[i], H "/p%zu", i);
        snprintf(links + strlen(links), sizeof links - strlen(links), "<a href=/p%zu>p</a>", i);
        web[1 + i] = (struct web_page){url[i], .body = "a price", .tag = "\"1\""};
    }
    web[0] = (struct web_page){H "/", .body = links};
    for (int lies = 0; lies < 3; lies++) {
        struct world w;
        evidence(&w, web, SHARC_LENGTH(web));
        w.o.proof = SHARC_PROOF_ATTESTED;
        if (lies) w.at_request = change_all;
        if (lies == 2) { /* others are under way when the lie is found: their 304 counts no more than those before */
            w.o.pace = (struct sharc_crawl_pace){.connections = 8};
            w.latency = SHARC_SEC;
        }
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        struct sharc_crawl_summary s = world_summary(&w, 0);
        assert_int_equal(s.judged, PAGES + 1);
        if (!lies) {
            assert_int_equal(s.attested, PAGES);
            assert_in_range(s.audited, 20, PAGES);
            assert_int_equal(s.lies, 0);
            assert_int_equal(s.coherent, 1);
        } else {
            /* Revisited in full: those visited before the change have changed, the others are the same. */
            uint64_t changed = s.reason[SHARC_GRADED_CHANGED] + s.reason[SHARC_GRADED_SIMILAR];
            assert_true(s.lies > 0);
            assert_int_equal(s.attested, 0);
            assert_int_equal(s.coherent + changed, PAGES + 1);
            assert_true(changed >= 20);
            assert_non_null(strstr(w.remarks, "not modified"));
        }
        world_done(&w);
    }
}

/* "audit_seed" of the newest capture. */
static void read_audit_seed(const struct world *w, char ret[17])
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture row;
    f.newest_first = true;
    assert_int_equal(sharc_store_captures(w->store, &f, &rows, NULL), 0);
    assert_int_equal(sharc_store_rows_next(rows, NULL), 1);
    sharc_store_read_capture(rows, &row);
    size_t at = sharc_span_search(row.params, SHARC_SPAN("\"audit_seed\":\""));
    assert_true(at != SHARC_NPOS && row.params.n > at + 14 + 16);
    memcpy(ret, row.params.p + at + 14, 16);
    ret[16] = 0;
}

/* Whoever starts a capture cannot choose which answers 304 are audited, nor draw again by resuming it. Only simulated
 * captures repeat themselves. */
static void audits_cannot_be_chosen(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/", .body = "<a href=/a>a</a><a href=/b>b</a>"},
                                   {H "/a", .body = "a"},
                                   {H "/b", .body = "b"}};
    char seed[4][17];
    for (int i = 0; i < 2; i++) {
        struct world w;
        evidence(&w, web, SHARC_LENGTH(web));
        w.o.seed = 5;
        world_use_real_clock(&w);
        w.die_at = 2;
        w.stops = 1;
        assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EINTR);
        read_audit_seed(&w, seed[i]);
        world_end_crawl(&w);
        w.die_at = 0;
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        assert_true(world_summary(&w, 0).resumed);
        read_audit_seed(&w, seed[2 + i]);
        assert_string_equal(seed[i], seed[2 + i]);
        assert_string_not_equal(seed[i], "0000000000000005");
        assert_string_not_equal(seed[i], "0000000000000000");
        world_done(&w);
    }
    assert_string_not_equal(seed[0], seed[1]);
    struct world w;
    evidence(&w, web, SHARC_LENGTH(web));
    w.o.seed = 5;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    read_audit_seed(&w, seed[0]);
    assert_string_equal(seed[0], "0000000000000005");
    world_done(&w);
}

/* The page comes out of a cache that got it before the visit; from the third request on it is another answer. */
static struct web_page third;

static void keep_twice(struct world *w)
{
    unsigned n = world_asked(w, w->pages[1].url);
    w->pages[1].fields = n == 2 ? "Age: 100\r\nCache-Control: public, max-age=110\r\n" : "Age: 0\r\n";
    if (n >= 3) w->pages[1].body = third.body;
}

/* A cache that says when it will ask again is asked again then, once, and what it says then counts. */
static void a_cache_is_asked_again_when_it_lets_go(void **state)
{
    (void)state;
    static const char *const after[] = {"a", "b"};
    for (size_t i = 0; i < SHARC_LENGTH(after); i++) {
        const struct web_page web[] = {{H "/", .body = "<a href=/a>a</a>"}, {H "/a", .body = "a"}};
        struct world w;
        evidence(&w, web, SHARC_LENGTH(web));
        third = (struct web_page){.body = after[i]};
        w.at_request = keep_twice;
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        assert_int_equal(world_asked(&w, H "/a"), 3);
        struct sharc_store_page row;
        assert_non_null(page_row(&w, H "/a", &row));
        assert_int_equal(row.grade.reason, i ? SHARC_GRADED_CHANGED : SHARC_GRADED_SAME_CONTENT);
        assert_int_equal(world_summary(&w, 0).coherent, i ? 1 : 2);
        world_done(&w);
    }
}

/* What a cache has kept tells of the time at which it got it. */
static void an_old_answer_speaks_for_its_time(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/", .body = "<a href=/a>a</a><a href=/b>b</a>"},
                                   {H "/a", .body = "a"},
                                   {H "/b", .body = "b"}};
    for (int old = 0; old < 2; old++) {
        struct world w;
        evidence(&w, web, SHARC_LENGTH(web));
        turning = (struct turning_page){1, 1, {.body = "a", .fields = old ? "Age: 100\r\n" : "Age: 0\r\n"}};
        w.at_request = turn;
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        struct sharc_crawl_summary s = world_summary(&w, 0);
        struct sharc_store_page row;
        assert_non_null(page_row(&w, H "/a", &row));
        /* robots 0, / 1, /a 2, /b 3, /b 4, /a 5: an answer less than one second old is one of second 4. */
        if (old) {
            assert_int_equal(row.grade.reason, SHARC_GRADED_STALE);
        } else {
            assert_int_equal(row.grade.reason, SHARC_GRADED_SAME_CONTENT);
            assert_int_equal(row.grade.to, w.began + 4 * SHARC_SEC);
        }
        assert_int_equal(s.coherent, old ? 2 : 3);
        world_done(&w);
    }
}

/* --- the clock -------------------------------------------------------------------------------- */

enum { MANY = 20 };
static struct web_page many[MANY + 1];
static void make_many(void)
{
    static char url[MANY][32], links[MANY * 24 + 1];
    links[0] = 0;
    for (size_t i = 0; i < MANY; i++) {
        snprintf(url[i], sizeof url[i], H "/p%zu", i);
        snprintf(links + strlen(links), sizeof links - strlen(links), "<a href=/p%zu>p</a>", i);
        many[1 + i] = (struct web_page){url[i], .body = "page"};
    }
    many[0] = (struct web_page){H "/", .body = links};
}

/* Stopped when so many were asked, and taken up with another time. */
static void go_on_at(struct world *w, size_t stop_at, sharc_time by, bool same_machine)
{
    make_many();
    evidence(w, many, SHARC_LENGTH(many));
    w->die_at = stop_at;
    w->stops = 1;
    assert_int_equal(world_crawl(w, H "/", NULL), SHARC_EINTR);
    world_end_crawl(w);
    w->die_at = 0;
    w->clock.at += SHARC_MINUTE + by;
    w->clock.anchor.ahead += by;
    if (!same_machine) w->clock.anchor.epoch++;
    w->ahead -= by; /* nobody has set the servers' */
    assert_int_equal(world_crawl(w, H "/", NULL), 0);
}

static void a_clock_that_was_set_between_runs_is_told(void **state)
{
    (void)state;
    static const struct {
        sharc_time by;
        bool same_machine;
        unsigned jumps;
    } rows[] = {
        {-2 * SHARC_HOUR, true, 1},  {2 * SHARC_HOUR, true, 1},  {0, true, 0},
        {-2 * SHARC_HOUR, false, 1}, {2 * SHARC_HOUR, false, 1}, {0, false, 0},
    };
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        struct world w;
        go_on_at(&w, 1 + MANY + 1 + 6, rows[i].by, rows[i].same_machine); /* robots.txt, visits, some revisits */
        struct sharc_crawl_summary s = world_summary(&w, 0);
        assert_int_equal(s.judged, MANY + 1);
        assert_int_equal(s.clock.jumps, rows[i].jumps);
        /* 102 seconds, a minute of which lay between the runs. Nothing tells how long that was when the machine was
         * started anew and its clock is behind what it was; if it is ahead, the servers do, in whole seconds. */
        if (rows[i].by < 0 && !rows[i].same_machine)
            assert_true(s.took == SHARC_TIME_NONE);
        else
            assert_in_range(s.took, 101 * SHARC_SEC, 104 * SHARC_SEC);
        if (rows[i].jumps == 0) {
            assert_int_equal(s.coherent, MANY + 1);
        } else {
            /* What one run has visited and revisited stands; the rest has no interval. */
            assert_in_range(s.coherent, 4, 7);
            assert_int_equal(s.reason[SHARC_GRADED_CLOCK], MANY + 1 - s.coherent);
            assert_non_null(strstr(w.remarks, "clock was set"));
        }
        world_done(&w);
    }
}

/* Set while it runs: the times of the capture go on, and it is said. */
static void set_clock(struct world *w)
{
    if (w->asked_count == 10) w->clock.anchor.set = -SHARC_HOUR;
}

static void a_clock_that_is_set_meanwhile_is_told(void **state)
{
    (void)state;
    struct world w;
    make_many();
    evidence(&w, many, SHARC_LENGTH(many));
    w.o.commit_records = 4;
    w.at_request = set_clock;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(s.clock.jumps, 1);
    assert_int_equal(s.clock.by, -SHARC_HOUR);
    assert_int_equal(s.coherent, MANY + 1);
    world_done(&w);
}

/* --- whole pages ------------------------------------------------------------------------------- */

static void a_page_is_as_good_as_what_it_embeds(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<link rel=stylesheet href=/s.css><a href=/a>a</a><a href=/b>b</a>"},
        {H "/a", .body = "<img src=/i.png>"},
        {H "/b", .body = "<img src=/moved.png>"},
        {H "/s.css", .type = "text/css", .body = "body { background: url(/bg.png) }"},
        {H "/bg.png", .type = "image/png", .body = "bg"},
        {H "/i.png", .type = "image/png", .body = "i"},
        {H "/moved.png", .status = 302, .fields = "Location: /j.png\r\n"},
        {H "/j.png", .type = "image/png", .body = "j"},
    };
    static const struct {
        size_t changed;
        unsigned whole;
    } rows[] = {{4, 2}, {5, 2}, {7, 2}, {1, 2}, {3, 2}};
    for (size_t i = 0; i <= SHARC_LENGTH(rows); i++) {
        struct world w;
        evidence(&w, web, SHARC_LENGTH(web));
        if (i < SHARC_LENGTH(rows)) {
            turning = (struct turning_page){rows[i].changed, 1, web[rows[i].changed]};
            turning.then.body = "<b>another</b>";
            w.at_request = turn;
        }
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        struct sharc_crawl_summary s = world_summary(&w, 0);
        assert_int_equal(s.whole, 3);
        assert_int_equal(s.whole_coherent, i < SHARC_LENGTH(rows) ? rows[i].whole : 3);
        assert_int_equal(s.coherent, i < SHARC_LENGTH(rows) ? 7 : 8);
        world_done(&w);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_page_speaks_from_the_end_of_its_visit),
    cmocka_unit_test(the_last_page_does_not_prove_itself),
    cmocka_unit_test(a_second_look_that_found_nothing_ends_the_interval),
    cmocka_unit_test(a_second_look_is_a_download),
    cmocka_unit_test(parts_that_a_second_look_finds_belong_to_the_page),
    cmocka_unit_test(a_price_is_no_volatile_part),
    cmocka_unit_test(every_part_of_an_answer_counts),
    cmocka_unit_test(packing_is_no_change),
    cmocka_unit_test(what_is_cut_proves_nothing),
    cmocka_unit_test(failed_pages_count),
    cmocka_unit_test(items_that_resemble_the_error_page_are_pages),
    cmocka_unit_test(items_that_claim_to_be_another_are_pages),
    cmocka_unit_test(a_word_is_no_proof),
    cmocka_unit_test(another_etag_attests_nothing),
    cmocka_unit_test(visits_are_downloads),
    cmocka_unit_test(large_bodies_are_attested),
    cmocka_unit_test(lies_are_found),
    cmocka_unit_test(an_old_answer_speaks_for_its_time),
    cmocka_unit_test(audits_cannot_be_chosen),
    cmocka_unit_test(a_cache_is_asked_again_when_it_lets_go),
    cmocka_unit_test(a_clock_that_was_set_between_runs_is_told),
    cmocka_unit_test(a_clock_that_is_set_meanwhile_is_told),
    cmocka_unit_test(a_page_is_as_good_as_what_it_embeds),
};

TEST_MAIN(tests)
