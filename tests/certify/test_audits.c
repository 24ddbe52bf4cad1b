/* SPDX-License-Identifier: Apache-2.0
 *
 * Which answers 304 were checked follows from the seed of the capture. An operator who checks others, or fewer, is
 * found out.
 */
#include "capture.h"

#include "sharc/change_audit.h"

#define SEED UINT64_C(0x0123456789abcdef)
#define TEXT "<html><body><p>Some words that stay.</p></body></html>"
enum { PAGES = 60, WANTED = 20 };

struct page {
    char url[40];
    uint64_t drawn;
};

struct story {
    struct page page[PAGES]; /* by what they draw */
    bool audited[PAGES], listed[PAGES];
    bool tells_list;
    double late; /* when the page of the least number is answered 304; 0: in its turn */
};

static int by_number(const void *a, const void *b)
{
    const struct page *x = a, *y = b;
    return x->drawn < y->drawn ? -1 : x->drawn > y->drawn;
}

/* As the crawler does it. */
static void honest(struct story *s)
{
    *s = (struct story){.tells_list = true};
    for (int i = 0; i < PAGES; i++) {
        snprintf(s->page[i].url, sizeof s->page[i].url, "http://a.example/%d", i);
        s->page[i].drawn = sharc_audit_draw(SEED, sharc_span_of(s->page[i].url));
    }
    qsort(s->page, PAGES, sizeof *s->page, by_number);
    for (int i = 0; i < WANTED; i++) s->audited[i] = s->listed[i] = true;
}

static void closing(const struct story *s, struct sharc_buf *out)
{
    sharc_buf_printf(
        out, "{\"sharc\":\"verdict\",\"form\":1,\"part\":0%s}\n{\"params\":{\"audit_seed\":\"0123456789abcdef\"}}\n",
        s->tells_list ? ",\"audits_listed\":true" : "");
    for (int i = 0; i < PAGES; i++)
        if (s->listed[i]) sharc_buf_printf(out, "{\"audited\":\"%s\"}\n", s->page[i].url);
}

struct told {
    struct sharc_buf text;
    struct sharc_certify_checked checked;
};

static void tell(const struct story *s, struct told *ret)
{
    struct answer answers[3 * PAGES];
    size_t n = 0;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_buf_done) struct sharc_buf lines = SHARC_BUF_INIT(1u << 16);
    closing(s, &lines);
    for (int i = 0; i < PAGES; i++)
        answers[n++] = (struct answer){.url = s->page[i].url,
                                       .kind = SHARC_OWN_VISIT,
                                       .at = 1 + i,
                                       .took = 0.5,
                                       .head = "ETag: \"1\"\r\n",
                                       .body = TEXT};
    for (int i = 0; i < PAGES; i++)
        answers[n++] = (struct answer){.url = s->page[i].url,
                                       .kind = SHARC_OWN_REVISIT,
                                       .at = i == 0 && s->late > 0 ? s->late : 100 + i,
                                       .took = 0.5,
                                       .status = 304,
                                       .head = "ETag: \"1\"\r\n",
                                       .request = "If-None-Match: \"1\"\r\n",
                                       .body = ""};
    for (int i = 0; i < PAGES; i++)
        if (s->audited[i])
            answers[n++] = (struct answer){.url = s->page[i].url,
                                           .kind = SHARC_OWN_CONTROL,
                                           .control = "audit",
                                           .at = 200 + i,
                                           .took = 0.5,
                                           .head = "ETag: \"1\"\r\n",
                                           .body = TEXT};
    SHARC_AUTO(sharc_derived_freep)
    struct sharc_derived *f = capture_facts_closed(dir, answers, n, sharc_buf_str(&lines));
    ret->text = (struct sharc_buf)SHARC_BUF_INIT(1u << 20);
    capture_certify(dir, f, &ret->text, &ret->checked);
    test_rmdir(dir);
}

static void told_done(struct told *t)
{
    sharc_buf_done(&t->text);
    sharc_certify_checked_done(&t->checked);
}

/* The only finding is this one; NULL: there is none. Its text holds word. */
static void finds(const struct story *s, const char *path, const char *word, const char *has)
{
    SHARC_AUTO(told_done) struct told t;
    tell(s, &t);
    const struct sharc_certify_checked *c = &t.checked;
    if (c->total != (path != NULL))
        fail_msg("%d: %s", (int)c->total, c->count ? c->findings[0].text : "nothing was found");
    if (path) assert_string_equal(c->findings[0].path, path);
    if (path && !strstr(c->findings[0].text, word)) fail_msg("%s", c->findings[0].text);
    if (!strstr(sharc_buf_str(&t.text), has)) fail_msg("%s is not in %s", has, sharc_buf_str(&t.text));
}

static void the_choice_is_repeated(void **state)
{
    (void)state;
    struct story s;
    honest(&s);
    finds(&s, NULL, NULL,
          "\"audits\":{\"attested\":60,\"failed\":0,\"made\":20,\"missing\":0,\"passed_over\":0,\"wanted\":20}");
    for (int i = WANTED; i < WANTED + 7; i++) s.audited[i] = s.listed[i] = true; /* more of them, in their turn */
    finds(&s, NULL, NULL, "\"made\":27");
}

static void a_page_that_was_passed_over_is_named(void **state)
{
    (void)state;
    struct story s;
    honest(&s);
    s.audited[7] = s.listed[7] = false;
    s.audited[41] = s.listed[41] = true;
    finds(&s, "/counts/audits/passed_over", s.page[7].url, "audits-passed-over");
}

static void too_few_are_told(void **state)
{
    (void)state;
    struct story s;
    honest(&s);
    s.audited[WANTED - 1] = s.listed[WANTED - 1] = false;
    finds(&s, "/counts/audits/missing", "1 audit is missing", "audits-missing");
}

/* Whoever says that an audit failed has said so. */
static void what_failed_is_counted(void **state)
{
    (void)state;
    struct story s;
    honest(&s);
    s.audited[3] = s.audited[5] = false;
    finds(&s, NULL, NULL, "{\"value\":\"2\",\"what\":\"audits-failed\"}");
}

/* An older crawler did not list them; somebody else may have taken the list away. */
static void without_a_list_nothing_is_said(void **state)
{
    (void)state;
    struct story s;
    honest(&s);
    s.tells_list = false;
    memset(s.listed, 0, sizeof s.listed);
    s.audited[7] = false;
    s.audited[41] = true;
    finds(&s, NULL, NULL, "audits-not-listed");
}

/* A page that was answered 304 only when all audits had begun was nobody's turn before. */
static void what_came_later_was_not_passed_over(void **state)
{
    (void)state;
    struct story s;
    honest(&s);
    s.late = 300;
    s.audited[0] = s.listed[0] = false;
    s.audited[WANTED] = s.listed[WANTED] = true;
    finds(&s, NULL, NULL, "\"passed_over\":0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_choice_is_repeated),
        cmocka_unit_test(a_page_that_was_passed_over_is_named),
        cmocka_unit_test(too_few_are_told),
        cmocka_unit_test(what_failed_is_counted),
        cmocka_unit_test(without_a_list_nothing_is_said),
        cmocka_unit_test(what_came_later_was_not_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
