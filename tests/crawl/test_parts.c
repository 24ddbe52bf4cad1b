/* SPDX-License-Identifier: Apache-2.0
 *
 * The crawler's parts by themselves: the table of pages, pauses, shapes of URLs,
 * lines of the log, settings, the journal.
 */
#include "test.h"

#include "../../src/crawl/aliases.h"
#include "../../src/crawl/crawl_log.h"
#include "../../src/crawl/journal_read.h"
#include "../../src/crawl/reasons.h"

#include <stdio.h>
#include <stdlib.h>

static void a_million_urls_fit(void **state)
{
    (void)state;
    enum { N = 100000 };
    struct pages p;
    char url[100];
    bool fresh = false;
    sharc__crawl_pages_init(&p);
    for (unsigned i = 0; i < N; i++) {
        snprintf(url, sizeof url, "https://www.example.org/some/directory/of/the/site/page-number-%u.html?x=%u", i, i);
        assert_int_equal(sharc__crawl_pages_add(&p, sharc_span_of(url), &fresh), i);
        assert_true(fresh);
        const struct version v = VERSION_NONE;
        sharc__crawl_pages_keep(&p, i, &v);
    }
    /* URL of 80 bytes, row, version: a million take less than 410 MB, and the strategy has its share left. */
    assert_true(sharc__crawl_pages_bytes(&p) < (size_t)N * 410);
    assert_int_equal(sizeof(struct page), 32);
    assert_int_equal(sharc__crawl_pages_add(&p, sharc_span_of(url), &fresh), N - 1);
    assert_false(fresh);
    sharc__crawl_pages_done(&p);
}

static void pauses(void **state)
{
    (void)state;
    struct sharc_crawl_pace pace = {.delay = 3 * SHARC_SEC, .factor = 5, .delay_most = 30 * SHARC_SEC};
    struct group g = {.next = SHARC_TIME_NONE};
    sharc__crawl_group_ended(&g, &pace, 100 * SHARC_SEC, 100 * SHARC_MSEC);
    assert_int_equal(sharc__crawl_group_due(&g), 103 * SHARC_SEC);
    sharc__crawl_group_ended(&g, &pace, 200 * SHARC_SEC, 2 * SHARC_SEC);
    assert_int_equal(sharc__crawl_group_due(&g), 210 * SHARC_SEC);
    sharc__crawl_group_ended(&g, &pace, 300 * SHARC_SEC, 60 * SHARC_SEC);
    assert_int_equal(sharc__crawl_group_due(&g), 330 * SHARC_SEC);
    g.crawl_delay = 120 * SHARC_SEC;
    sharc__crawl_group_ended(&g, &pace, 400 * SHARC_SEC, SHARC_SEC);
    assert_int_equal(sharc__crawl_group_due(&g), 520 * SHARC_SEC);
    pace.delay = 0;
    struct group fast = {.next = SHARC_TIME_NONE};
    sharc__crawl_group_ended(&fast, &pace, 100 * SHARC_SEC, SHARC_SEC);
    assert_int_equal(sharc__crawl_group_due(&fast), 100 * SHARC_SEC);
    fast.backoff.until = 500 * SHARC_SEC;
    assert_int_equal(sharc__crawl_group_due(&fast), 500 * SHARC_SEC);
}

static struct sharc_url parsed(const char *text)
{
    struct sharc_url u = SHARC_URL_INIT;
    assert_int_equal(sharc_url_parse(&u, sharc_span_of(text), NULL, NULL), 0);
    return u;
}

static void hosts_share_pauses(void **state)
{
    (void)state;
    struct hosts h;
    sharc__crawl_hosts_init(&h, 1, NULL, NULL);
    sharc__crawl_hosts_join(&h, SHARC_SPAN("a.test b.test:8080"));
    static const char *const urls[] = {"http://a.test/x", "https://a.test/y", "http://b.test:8080/", "http://b.test/",
                                       "http://a.test:99/"};
    uint32_t group[5], host[5];
    for (size_t i = 0; i < 5; i++) {
        struct sharc_url u = parsed(urls[i]);
        host[i] = sharc__crawl_hosts_of(&h, &u);
        group[i] = h.host[host[i]].group;
        sharc_url_done(&u);
    }
    assert_int_not_equal(host[0], host[1]); /* each has its robots.txt */
    assert_int_equal(group[0], group[1]);
    assert_int_equal(group[0], group[2]);
    assert_int_not_equal(group[0], group[3]);
    assert_int_equal(group[0], group[4]);
    /* What a server asked for outlasts a change of the pace. */
    struct group *g = &h.group[group[0]];
    const struct sharc_crawl_pace pace = {.delay = SHARC_SEC};
    sharc__crawl_group_ended(g, &pace, 10 * SHARC_SEC, 0);
    sharc__crawl_group_not_before(g, 500 * SHARC_SEC);
    sharc__crawl_group_repace(g, &pace);
    assert_int_equal(sharc__crawl_group_due(g), 500 * SHARC_SEC);
    sharc__crawl_hosts_done(&h);
}

static void shapes(void **state)
{
    (void)state;
    struct shape a = sharc__crawl_shape(SHARC_SPAN("http://x.test/cal/2026/11")),
                 b = sharc__crawl_shape(SHARC_SPAN("http://x.test/cal/1999/1"));
    assert_true(a.dated && a.numbers && a.print == b.print);
    struct shape c = sharc__crawl_shape(SHARC_SPAN("http://x.test/list?page=7"));
    assert_true(c.numbers && !c.dated && c.print != a.print);
    assert_true(sharc__crawl_shape(SHARC_SPAN("http://x.test/events?week=7")).dated);
    assert_false(sharc__crawl_shape(SHARC_SPAN("http://x.test/about")).numbers);
}

static void log_lines(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4096);
    struct sharc_digest d;
    sharc_digest_of(SHARC_SHA1, SHARC_SPAN("x"), &d);
    struct log_line l = {.now = (sharc_time)1308849129 * SHARC_SEC + 591 * SHARC_MSEC,
                         .code = 200,
                         .size = 15829,
                         .url = SHARC_SPAN("http://host/p.html"),
                         .hops = SHARC_SPAN("L"),
                         .via = SHARC_SPAN("http://host/"),
                         .type = SHARC_SPAN("text/html"),
                         .thread = 25,
                         .start = (sharc_time)1308849128 * SHARC_SEC + 546 * SHARC_MSEC,
                         .took = 922 * SHARC_MSEC,
                         .digest = &d};
    sharc__crawl_log_line(&l, &b);
    assert_span(sharc_buf_span(&b),
                "2011-06-23T17:12:09.591Z   200      15829 http://host/p.html L http://host/ text/html "
                "#025 20110623171208546+922 sha1:CH3K3DWFFIUYJK5K7V6DWULFAN4FYIDS - -\n");
    /* Nothing that a server says can add a field or a line. */
    sharc_buf_clear(&b);
    l = (struct log_line){.code = -9998,
                          .size = -1,
                          .url = SHARC_SPAN("http://h/"),
                          .type = SHARC_SPAN("a b\nc"),
                          .start = SHARC_TIME_NONE};
    sharc__crawl_log_line(&l, &b);
    struct sharc_span rest = sharc_buf_span(&b), word;
    size_t words = 0;
    while (sharc_span_next(&rest, ' ', &word)) words += word.n > 0;
    assert_int_equal(words, 12);
}

static void settings_while_running(void **state)
{
    (void)state;
    struct sharc_crawl_pace read = {.delay = 3 * SHARC_SEC};
    struct meaning m = {.rule = SHARC_BUF_INIT(1000)};
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc__crawl_setting(SHARC_SPAN("delay=5s"), &read, &m, &err), 0);
    assert_int_equal(m.pace.delay, 5 * SHARC_SEC);
    assert_int_equal(m.base, 3 * SHARC_SEC);
    assert_false(m.limits);
    assert_int_equal(sharc__crawl_setting(SHARC_SPAN("limit-pages = 1000"), &read, &m, &err), 0);
    assert_int_equal(m.pace.pages, 1000);
    assert_true(m.limits);
    assert_int_equal(sharc__crawl_setting(SHARC_SPAN("limit-bytes=2G"), &read, &m, &err), 0);
    assert_int_equal(m.sign, 0);
    assert_int_equal(sharc__crawl_setting(SHARC_SPAN("exclude=glob:*.pdf"), &read, &m, &err), 0);
    assert_int_equal(m.sign, '-');
    assert_span(sharc_buf_span(&m.rule), "glob:*.pdf");
    sharc_buf_clear(&m.rule);
    assert_int_equal(sharc__crawl_setting(SHARC_SPAN("depth=4"), &read, &m, &err), 0);
    assert_int_equal(m.sign, '+');
    assert_span(sharc_buf_span(&m.rule), "max-depth:4");
    assert_int_equal(sharc__crawl_setting(SHARC_SPAN("delay"), &read, &m, &err), SHARC_ESYNTAX);
    assert_int_equal(sharc__crawl_setting(SHARC_SPAN("strategy=bfs"), &read, &m, &err), SHARC_ESYNTAX);
    assert_non_null(strstr(err.text, "limit-pages"));
    assert_true(sharc__crawl_setting(SHARC_SPAN("connections=0"), &read, &m, &err) < 0);
    assert_true(sharc__crawl_setting(SHARC_SPAN("include=regex:("), &read, &m, &err) < 0);
    assert_true(sharc__crawl_setting(SHARC_SPAN("depth=deep"), &read, &m, &err) < 0);
    sharc_buf_done(&m.rule);
    assert_int_equal(sharc_crawl_set("/nonexistent-archive", SHARC_SPAN("delay=1s"), 0, &err), SHARC_ENOENT);
}

static void rings(void **state)
{
    (void)state;
    struct queue q = {0};
    struct task t = {0};
    for (uint32_t i = 0; i < 100; i++) {
        t.page = i;
        sharc__crawl_queue_push(&q, &t);
        if (i % 3 == 0) sharc__crawl_queue_pop(&q, &t);
    }
    t.page = 1000;
    sharc__crawl_queue_push_front(&q, &t);
    assert_true(sharc__crawl_queue_pop(&q, &t));
    assert_int_equal(t.page, 1000);
    for (uint32_t want = 34; want < 100; want++) {
        assert_true(sharc__crawl_queue_pop(&q, &t));
        assert_int_equal(t.page, want);
    }
    assert_false(sharc__crawl_queue_pop(&q, &t));
    sharc__crawl_queue_done(&q);
}

static uint64_t session_of(const char *url)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf scratch = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    return sharc__crawl_session(sharc_span_of(url), &scratch);
}

static void session_ids_are_seen_through(void **state)
{
    (void)state;
    uint64_t one = session_of("http://x.test/a;jsessionid=0123456789ABCDEF0123456789ABCDEF");
    assert_true(one != 0);
    assert_true(one == session_of("http://x.test/a;jsessionid=FEDCBA9876543210FEDCBA9876543210"));
    assert_true(one != session_of("http://x.test/b;jsessionid=0123456789ABCDEF0123456789ABCDEF"));
    uint64_t php = session_of("http://x.test/?p=1&PHPSESSID=0123456789abcdef0123456789");
    assert_true(php != 0 && php == session_of("http://x.test/?PHPSESSID=9876543210abcdef0123456789&p=1"));
    assert_true(session_of("http://x.test/section?sid=7") == 0);
    assert_true(session_of("http://x.test/sessions/2024") == 0);
    assert_true(session_of("http://x.test/a") == 0);
}

static void canonical_in_the_field_link(void **state)
{
    (void)state;
    static const struct {
        const char *field, *want;
    } cases[] = {
        {"</a>; rel=canonical", "/a"},
        {"</s.css>; rel=preload; as=style, <http://x.test/a,b?c>; title=x; rel=\"Canonical\"", "http://x.test/a,b?c"},
        {"</a>; rel=\"next\"", ""},
        {"</a>; rel=canonicals", ""},
        {"</a", ""},
        {"a>; rel=canonical", ""},
        {",,<>,", ""},
        {"", ""},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++)
        assert_true(sharc_span_is(sharc__crawl_link_canonical(sharc_span_of(cases[i].field)), cases[i].want));
}

/* --- the journal ------------------------------------------------------------------- */

static void write_journal(struct journal *j, struct pages *p, struct sharc_intern *files)
{
    bool fresh = false;
    struct finding seed = FINDING(SHARC_SPAN("http://x.test/"), NO_PAGE, 0);
    struct finding image = FINDING(SHARC_SPAN("http://x.test/i.png"), 0, 'E');
    image.embed = true;
    sharc__crawl_pages_origin(p, sharc__crawl_pages_add(p, seed.url, &fresh), &seed);
    sharc__crawl_pages_set_rate(p, 0, 0.25);
    sharc__crawl_note_page(j, p, 0);
    sharc__crawl_pages_origin(p, sharc__crawl_pages_add(p, image.url, &fresh), &image);
    sharc__crawl_pages_mark(p, 1, PAGE_UNDER_WAY, true); /* not written down */
    sharc__crawl_note_page(j, p, 1);
    sharc__crawl_note_follow(j, 0, 1);
    sharc__crawl_note_tell(j, 0, 0.5, 2);
    sharc__crawl_note_tell(j, 1, 0.5, 2); /* as the one before */
    sharc__crawl_note_tell(j, 1, 0.5, 3);
    sharc__crawl_note_next(j, &(struct sharc_slot){.kind = SHARC_VISIT, .page = 0, .hopeless = true});
    sharc__crawl_note_observed(j, &(struct sharc_observation){.page = 0, .when = -7, .change = SHARC_NEW, .rate = -1});
    struct version v = VERSION_NONE;
    v.visit = 300 * SHARC_SEC;
    v.status = -3;
    v.file = sharc_intern_add(files, SHARC_SPAN("a.warc.gz"), NULL);
    v.etag = sharc__crawl_pages_etag(p, SHARC_SPAN("\"tag\""));
    v.has_digest = true;
    memset(v.digest, 7, sizeof v.digest);
    sharc__crawl_pages_keep(p, 0, &v);
    sharc__crawl_note_version(j, p, 0);
    sharc__crawl_note_rates(j, 3, (const struct renewed[]){{0, 0.125f}, {1, 8}}, 2);
    struct change change = {.when = 9, .text = (char[]){"delay=5s"}, .base = -4};
    sharc__crawl_note_change(j, &change);
    struct journal_state state = {.count = {.downloads = 3, .coherent = 2}, .first = -1, .apex = NO_PAGE, .lists = 5};
    sharc__crawl_note_state(j, &state);
    sharc__crawl_note_next(j, NULL);
}

static struct journal_event next_event(struct journal_reader *r, char what)
{
    struct journal_event e;
    assert_true(sharc__crawl_journal_next(r, &e));
    assert_int_equal(e.what, what);
    return e;
}

static void what_the_journal_notes_comes_back(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *files = sharc_intern_new();
    struct pages p;
    struct journal j;
    sharc__crawl_pages_init(&p);
    sharc__crawl_journal_init(&j, files);
    write_journal(&j, &p, files);
    struct journal_reader r = {.in = sharc_buf_span(&j.pending)};
    struct journal_event e = next_event(&r, 'p');
    assert_true(sharc_span_is(e.text, "http://x.test/"));
    assert_int_equal(e.row.flags, PAGE_SEED);
    assert_true(e.row.rate == 0.25f && e.row.via == NO_PAGE);
    e = next_event(&r, 'p');
    assert_int_equal(e.page, 1);
    assert_true(e.row.via == 0 && e.row.hop == 'E' && e.row.embed_hops == 1 && e.row.flags == 0);
    e = next_event(&r, 'f');
    assert_true(e.page == 0 && e.other == 1);
    e = next_event(&r, 't');
    assert_true(e.page == 0 && e.rate == 0.5 && e.weight == 2);
    e = next_event(&r, 't');
    assert_true(e.page == 1 && e.rate == 0.5 && e.weight == 2);
    e = next_event(&r, 't');
    assert_true(e.page == 1 && e.rate == 0.5 && e.weight == 3);
    e = next_event(&r, 'n');
    assert_true(e.any && e.slot.kind == SHARC_VISIT && e.slot.hopeless);
    e = next_event(&r, 'o');
    assert_true(e.observation.when == -7 && e.observation.change == SHARC_NEW);
    e = next_event(&r, 's');
    assert_true(e.version.visit == 300 * SHARC_SEC && e.version.status == -3 && e.version.revisit == SHARC_TIME_NONE);
    assert_true(e.version.has_digest && e.version.digest[31] == 7);
    assert_true(sharc_span_is(e.file, "a.warc.gz") && sharc_span_is(e.etag, "\"tag\""));
    e = next_event(&r, 'r');
    struct renewed one;
    assert_true(e.count == 2 && e.rate == 3);
    assert_true(sharc__crawl_journal_next_rate(&r, &one) && one.page == 0 && one.rate == 0.125f);
    assert_true(sharc__crawl_journal_next_rate(&r, &one) && one.page == 1 && one.rate == 8);
    e = next_event(&r, 'x');
    assert_true(e.when == 9 && e.base == -4 && sharc_span_is(e.text, "delay=5s"));
    e = next_event(&r, 'c');
    assert_true(e.state.count.downloads == 3 && e.state.count.coherent == 2 && e.state.first == -1);
    assert_true(e.state.apex == NO_PAGE && e.state.lists == 5);
    e = next_event(&r, 'n');
    assert_false(e.any);
    assert_false(sharc__crawl_journal_next(&r, &e));
    assert_false(r.bad);
    /* The next piece is read by itself: it does not refer to this one. */
    sharc__crawl_journal_committed(&j);
    sharc__crawl_note_tell(&j, 1, 0.5, 3);
    r = (struct journal_reader){.in = sharc_buf_span(&j.pending), .pages = 2};
    e = next_event(&r, 't');
    assert_true(e.page == 1 && e.rate == 0.5 && e.weight == 3);
    sharc__crawl_journal_done(&j);
    sharc__crawl_pages_done(&p);
}

static void a_journal_that_refers_to_nothing_is_bad(void **state)
{
    (void)state;
    struct journal_reader r = {.in = SHARC_SPAN("T\1"), .pages = 2};
    struct journal_event e;
    assert_false(sharc__crawl_journal_next(&r, &e));
    assert_true(r.bad);
}

static void a_journal_cut_anywhere_is_noticed_or_ends_between_events(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *files = sharc_intern_new();
    struct pages p;
    struct journal j;
    sharc__crawl_pages_init(&p);
    sharc__crawl_journal_init(&j, files);
    write_journal(&j, &p, files);
    unsigned whole = 0;
    for (size_t n = 0; n <= j.pending.n; n++) {
        struct journal_reader r = {.in = sharc_span(j.pending.p, n)};
        struct journal_event e;
        struct renewed one;
        while (sharc__crawl_journal_next(&r, &e))
            for (uint64_t k = 0; e.what == 'r' && k < e.count; k++)
                if (!sharc__crawl_journal_next_rate(&r, &one)) break;
        whole += !r.bad;
    }
    assert_int_equal(whole, 14); /* nothing at all, and behind each of its events */
    sharc__crawl_journal_done(&j);
    sharc__crawl_pages_done(&p);
}

/* --- reasons ------------------------------------------------------------------------- */

static void reasons_have_a_class_and_a_sentence(void **state)
{
    (void)state;
    for (int i = 0; i < SHARC_CRAWL_REASON_COUNT; i++) {
        enum sharc_crawl_reason why = (enum sharc_crawl_reason)i;
        struct sharc_span word = sharc_span_of(sharc_crawl_reason_word(why));
        bool guard = sharc_span_starts(word, SHARC_SPAN("limit-")) || sharc_span_starts(word, SHARC_SPAN("trap-"));
        bool rule = sharc_span_is(word, "scope") || sharc_span_is(word, "excluded") || sharc_span_is(word, "depth");
        assert_int_equal(sharc__crawl_reason_decided_anew(why), guard || rule);
        assert_true(sharc__crawl_reason_decided_anew(why) || !sharc__crawl_reason_may_change(why));
        assert_true((sharc_crawl_reason_class(why) == SHARC_REASON_NONE) == (why == SHARC_SKIP_NONE));
        if (!*sharc_crawl_reason_text(why)) fail_msg("\"%s\" has no sentence in sharc_store_skip_text", word.p);
    }
    assert_true(sharc__crawl_reason_may_change(SHARC_SKIP_LIMIT_PAGES));
    assert_false(sharc__crawl_reason_may_change(SHARC_SKIP_TRAP_SESSION));
    assert_false(sharc__crawl_reason_logged(SHARC_SKIP_LIMIT_TIME));
    assert_true(sharc__crawl_reason_logged(SHARC_SKIP_ROBOTS));
    assert_int_equal(sharc__crawl_reason_code(SHARC_SKIP_ROBOTS), -9998);
}

static void links_count_for_depth_and_embeds_do_not(void **state)
{
    (void)state;
    static const struct {
        char hop;
        unsigned want;
    } cases[] = {{'L', 3}, {'S', 3}, {'X', 3}, {'M', 3}, {'E', 2}, {'R', 2}};
    struct pages p;
    bool fresh = false;
    sharc__crawl_pages_init(&p);
    uint32_t via = NO_PAGE;
    for (const char *url = "abc"; *url; url++) {
        struct finding f = FINDING(sharc_span(url, 1), via, via == NO_PAGE ? 0 : 'L');
        via = sharc__crawl_pages_add(&p, f.url, &fresh);
        sharc__crawl_pages_origin(&p, via, &f);
    }
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct finding f = FINDING(SHARC_SPAN("d"), via, cases[i].hop);
        assert_int_equal(sharc__crawl_pages_depth(&p, &f), cases[i].want);
        f.earlier = true;
        assert_int_equal(sharc__crawl_pages_depth(&p, &f), 1);
    }
    sharc__crawl_pages_done(&p);
}

/* One host of a group asks a worker to stay away: no worker asks any host of the group. */
static void workers_leave_a_whole_group_alone(void **state)
{
    (void)state;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    if (sharc_store_open("memory:", NULL, &store, &err) < 0) fail_msg("%s", err.text);
    const struct sharc_crawl_pace pace = {.delay = SHARC_MSEC};
    struct sharc_clock_virtual clock;
    struct hosts worker[2];
    uint32_t host[2][2] = {{0}};
    sharc_clock_virtual_init(&clock, 1700000000 * SHARC_SEC);
    for (int w = 0; w < 2; w++) {
        sharc__crawl_hosts_init(&worker[w], 1, store, &clock.clock);
        sharc__crawl_hosts_share(&worker[w]);
        sharc__crawl_hosts_join(&worker[w], SHARC_SPAN("a.example b.example"));
        for (int i = w == 0; i < 2; i++) { /* the first one's site is at b.example alone */
            SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
            assert_int_equal(sharc_url_parse(&u, i ? SHARC_SPAN("http://b.example/") : SHARC_SPAN("http://a.example/"),
                                             NULL, NULL),
                             0);
            host[w][i] = sharc__crawl_hosts_of(&worker[w], &u);
        }
    }
    const sharc_time now = clock.at;
    sharc_time wait = 0;
    assert_int_equal(sharc__crawl_host_turn(&worker[0], host[0][1], &pace, &wait, &err), 1);
    assert_int_equal(sharc__crawl_host_rests(&worker[0], host[0][1], &pace, now, &err), 0);
    (void)sharc__crawl_group_trouble(&worker[0], worker[0].host[host[0][1]].group, now, SHARC_HOUR);
    assert_int_equal(sharc__crawl_hosts_keep(&worker[0], now, &err), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sharc__crawl_host_turn(&worker[1], host[1][i], &pace, &wait, &err), 0);
        assert_in_range(wait, 50 * SHARC_MINUTE, SHARC_HOUR);
    }
    for (int w = 0; w < 2; w++) sharc__crawl_hosts_done(&worker[w]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_leave_a_whole_group_alone),
        cmocka_unit_test(a_million_urls_fit),
        cmocka_unit_test(pauses),
        cmocka_unit_test(hosts_share_pauses),
        cmocka_unit_test(shapes),
        cmocka_unit_test(log_lines),
        cmocka_unit_test(settings_while_running),
        cmocka_unit_test(rings),
        cmocka_unit_test(session_ids_are_seen_through),
        cmocka_unit_test(canonical_in_the_field_link),
        cmocka_unit_test(what_the_journal_notes_comes_back),
        cmocka_unit_test(a_journal_that_refers_to_nothing_is_bad),
        cmocka_unit_test(a_journal_cut_anywhere_is_noticed_or_ends_between_events),
        cmocka_unit_test(reasons_have_a_class_and_a_sentence),
        cmocka_unit_test(links_count_for_depth_and_embeds_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
