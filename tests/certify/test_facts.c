/* SPDX-License-Identifier: Apache-2.0
 *
 * What a capture's records prove, and what they must not.
 */
#include "capture.h"

#include "sharc/base_codec.h"

#define URL "http://a.example/p"
#define VISIT(...)                                                           \
    {                                                                        \
        .url = URL, .kind = SHARC_OWN_VISIT, .at = 1, .took = 1, __VA_ARGS__ \
    }
#define REVISIT(...)                                                            \
    {                                                                           \
        .url = URL, .kind = SHARC_OWN_REVISIT, .at = 10, .took = 1, __VA_ARGS__ \
    }
#define TEXT "<html><body><p>The price is 1,200 euro and stays so for all of the year to come.</p></body></html>"
#define OTHER "<html><body><p>The price is 9,900 euro and stays so for all of the year to come.</p></body></html>"

static struct sharc_certify_sum sum_of(const struct answer *a, size_t n)
{
    char *dir = test_mkdir();
    struct sharc_certify_sum s;
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *f = capture_facts(dir, a, n);
    sharc_certify_sum(f, &s);
    test_rmdir(dir);
    return s;
}

static uint64_t proved(const struct sharc_certify_sum *s)
{
    return s->grades[SHARC_GRADE_IDENTICAL] + s->grades[SHARC_GRADE_VOLATILE];
}

#define SUM(...) sum_of((const struct answer[]){__VA_ARGS__}, SHARC_LENGTH(((const struct answer[]){__VA_ARGS__})))

static void same_content_speaks_from_end_to_start(void **state)
{
    (void)state;
    struct sharc_certify_sum s = SUM(VISIT(.body = TEXT), REVISIT(.body = TEXT));
    assert_int_equal(s.grades[SHARC_GRADE_IDENTICAL], 1);
    assert_int_equal(s.from, CAPTURE_BEGAN + 2 * SHARC_SEC);
    assert_int_equal(s.to, CAPTURE_BEGAN + 10 * SHARC_SEC);
}

static void one_digit_is_no_proof(void **state)
{
    (void)state;
    struct sharc_certify_sum s = SUM(VISIT(.body = TEXT), REVISIT(.body = OTHER));
    assert_int_equal(proved(&s), 0);
    assert_int_equal(s.from, SHARC_TIME_NONE);
}

static void another_status_or_type_is_no_proof(void **state)
{
    (void)state;
    struct sharc_certify_sum s = SUM(VISIT(.body = TEXT), REVISIT(.body = TEXT, .status = 203));
    assert_int_equal(proved(&s), 0);
    s = SUM(VISIT(.body = TEXT), REVISIT(.body = TEXT, .status = 404));
    assert_int_equal(proved(&s), 0);
    s = SUM(VISIT(.body = TEXT, .status = 301, .head = "Location: /x\r\n"),
            REVISIT(.body = TEXT, .status = 301, .head = "Location: /y\r\n"));
    assert_int_equal(proved(&s), 0);
}

static void cut_answers_prove_nothing(void **state)
{
    (void)state;
    struct sharc_certify_sum s = SUM(VISIT(.body = TEXT, .truncated = "length"), REVISIT(.body = TEXT));
    assert_int_equal(proved(&s), 0);
    s = SUM(VISIT(.body = TEXT, .head = "Content-Length: 5000\r\n"), REVISIT(.body = TEXT));
    assert_int_equal(proved(&s), 0);
    s = SUM(VISIT(.body = "\x1f\x8b\x08", .head = "Content-Encoding: gzip\r\n"),
            REVISIT(.body = "\x1f\x8b\x08", .head = "Content-Encoding: gzip\r\n"));
    assert_int_equal(proved(&s), 0);
    /* Chunks without a last one, and no word of it in the record. */
    s = SUM(VISIT(.body = "5\r\nhello\r\n", .head = "Transfer-Encoding: chunked\r\n"),
            REVISIT(.body = "5\r\nhello\r\n", .head = "Transfer-Encoding: chunked\r\n"));
    assert_int_equal(s.reasons[SHARC_GRADED_CUT], 1);
    s = SUM(VISIT(.body = "5\r\nhello\r\n0\r\n\r\n", .head = "Transfer-Encoding: chunked\r\n"),
            REVISIT(.body = "5\r\nhello\r\n0\r\n\r\n", .head = "Transfer-Encoding: chunked\r\n"));
    assert_int_equal(proved(&s), 1);
    s = SUM(VISIT(.body = TEXT, .head = "Content-Length: 98, 5\r\n"), REVISIT(.body = TEXT));
    assert_int_equal(s.reasons[SHARC_GRADED_CUT], 1);
}

/* What stands behind the end of a coding belongs to nothing that is compared; zeros only fill up. */
static void bytes_behind_a_coding_are_not_passed_over(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf plain = SHARC_BUF_INIT(4096), zeros = SHARC_BUF_INIT(4096);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf tail = SHARC_BUF_INIT(4096);
    struct sharc_deflate *d = sharc_deflate_new(6);
    assert_int_equal(sharc_deflate_member(d, SHARC_SPAN(TEXT), &plain), 0);
    sharc_deflate_free(d);
    sharc_buf_put(&zeros, sharc_buf_span(&plain));
    sharc_buf_put(&zeros, SHARC_SPAN("\0\0\0"));
    sharc_buf_put(&tail, sharc_buf_span(&plain));
    sharc_buf_put_str(&tail, "the price is 9,900 euro");
    const struct sharc_buf *bodies[] = {&plain, &zeros, &tail};
    for (size_t i = 0; i < SHARC_LENGTH(bodies); i++) {
        struct sharc_certify_sum s =
            SUM(VISIT(.bytes = sharc_buf_span(&plain), .head = "Content-Encoding: gzip\r\n"),
                REVISIT(.bytes = sharc_buf_span(bodies[i]), .head = "Content-Encoding: gzip\r\n"));
        assert_int_equal(s.reasons[i < 2 ? SHARC_GRADED_SAME_CONTENT : SHARC_GRADED_CUT], 1);
    }
}

static void a_page_without_revisit_is_counted(void **state)
{
    (void)state;
    struct sharc_certify_sum s = SUM(VISIT(.body = TEXT));
    assert_int_equal(s.pages, 1);
    assert_int_equal(s.grades[SHARC_GRADE_UNPROVED], 1);
}

static void a_second_look_that_was_refused_ends_it(void **state)
{
    (void)state;
    struct sharc_certify_sum s =
        SUM(VISIT(.body = TEXT),
            {.url = URL, .kind = SHARC_OWN_SECOND_LOOK, .at = 5, .took = 1, .body = "", .status = 403},
            REVISIT(.body = TEXT));
    assert_int_equal(proved(&s), 0);
}

/* The second look becomes the visit, and with it what it showed. */
static void a_second_look_moves_the_visit(void **state)
{
    (void)state;
    struct sharc_certify_sum s =
        SUM(VISIT(.body = TEXT), {.url = URL, .kind = SHARC_OWN_SECOND_LOOK, .at = 5, .took = 1, .body = OTHER},
            REVISIT(.body = TEXT));
    assert_int_equal(proved(&s), 0);
    s = SUM(VISIT(.body = TEXT), {.url = URL, .kind = SHARC_OWN_SECOND_LOOK, .at = 5, .took = 1, .body = OTHER},
            REVISIT(.body = OTHER));
    assert_int_equal(proved(&s), 1);
    assert_int_equal(s.from, CAPTURE_BEGAN + 6 * SHARC_SEC);
}

#define NOT_MODIFIED .status = 304, .body = "", .head = "ETag: \"1\"\r\n", .request = "If-None-Match: \"1\"\r\n"

/* Crawlers before sharc-rules-10 made some second looks by the server's word: the page is what was downloaded before.
 */
static void a_word_is_no_second_look(void **state)
{
    (void)state;
    const struct answer look = {.url = URL, .kind = SHARC_OWN_SECOND_LOOK, .at = 5, .took = 1, NOT_MODIFIED};
    struct sharc_certify_sum s = SUM(VISIT(.body = TEXT, .head = "ETag: \"1\"\r\n"), look, REVISIT(.body = TEXT));
    assert_int_equal(s.reasons[SHARC_GRADED_SAME_CONTENT], 1);
    assert_int_equal(s.from, CAPTURE_BEGAN + 2 * SHARC_SEC);
    s = SUM(VISIT(.body = TEXT, .head = "ETag: \"1\"\r\n"), look, REVISIT(.body = OTHER));
    assert_int_equal(s.reasons[SHARC_GRADED_CHANGED] + s.reasons[SHARC_GRADED_SIMILAR], 1);
}

#define WORD_URL "http://a.example/word"
#define WORD                                                                                                 \
    {.url = WORD_URL, .kind = SHARC_OWN_VISIT, .at = 2, .took = 1, .body = TEXT, .head = "ETag: \"1\"\r\n"}, \
    {                                                                                                        \
        .url = WORD_URL, .kind = SHARC_OWN_REVISIT, .at = 12, .took = 1, NOT_MODIFIED                        \
    }

/* A server has lied if a download right after its 304 shows something else; not if a page was edited later. */
static void a_word_is_broken_by_an_audit(void **state)
{
    (void)state;
    const struct answer look = {.url = URL, .kind = SHARC_OWN_SECOND_LOOK, .at = 5, .took = 1, NOT_MODIFIED};
    struct sharc_certify_sum s =
        SUM(WORD, VISIT(.body = TEXT, .head = "ETag: \"1\"\r\n"), look, REVISIT(.body = OTHER));
    assert_int_equal(s.reasons[SHARC_GRADED_STRONG_ETAG], 1);
    for (int lies = 0; lies < 2; lies++) {
        const struct answer audit = {.url = URL,
                                     .kind = SHARC_OWN_CONTROL,
                                     .control = "audit",
                                     .at = 14,
                                     .took = 1,
                                     .body = lies ? OTHER : TEXT};
        s = SUM(WORD, VISIT(.body = TEXT, .head = "ETag: \"1\"\r\n"), REVISIT(NOT_MODIFIED), audit);
        assert_int_equal(s.reasons[SHARC_GRADED_STRONG_ETAG], lies ? 0 : 2);
        assert_int_equal(s.reasons[SHARC_GRADED_WORD_BROKEN], lies ? 2 : 0);
    }
}

/* 304 to a request that named no validator is no answer to anything. */
static void a_word_must_be_asked_for(void **state)
{
    (void)state;
    struct sharc_certify_sum s = SUM(VISIT(.body = TEXT, .head = "Date: Mon, 23 Nov 2026 08:00:00 GMT\r\n"
                                                                 "Last-Modified: Mon, 06 Jan 2020 08:00:00 GMT\r\n"),
                                     REVISIT(.body = "", .status = 304));
    assert_int_equal(s.reasons[SHARC_GRADED_FAILED], 1);
}

static void a_cache_speaks_for_the_past(void **state)
{
    (void)state;
    struct sharc_certify_sum s = SUM(VISIT(.body = TEXT), REVISIT(.body = TEXT, .head = "Age: 3\r\n"));
    assert_int_equal(proved(&s), 1);
    assert_true(s.to <= CAPTURE_BEGAN + 7 * SHARC_SEC);
    s = SUM(VISIT(.body = TEXT), REVISIT(.body = TEXT, .head = "Age: 60\r\n"));
    assert_int_equal(proved(&s), 0);
}

static void a_slow_visit_is_not_its_own_revisit(void **state)
{
    (void)state;
    struct sharc_certify_sum s =
        SUM({.url = URL, .kind = SHARC_OWN_VISIT, .at = 1, .took = 20, .body = TEXT}, REVISIT(.body = TEXT));
    assert_int_equal(proved(&s), 0);
}

static void downloads_of_other_captures_do_not_count(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "a.warc.gz");
    struct sharc_warc_writer_options o = {.path = path, .info = SHARC_SPAN("operator: a test\r\n"), .seed = 7};
    struct sharc_warc_writer *w = NULL;
    const struct answer visit = VISIT(.body = TEXT), revisit = REVISIT(.body = TEXT);
    assert_int_equal(sharc_warc_writer_open(&o, &w, NULL), 0);
    assert_int_equal(capture_write_one(w, &visit, CAPTURE_BEGAN), 0);
    assert_int_equal(capture_write_one(w, &revisit, CAPTURE_BEGAN + SHARC_DAY), 0);
    assert_int_equal(sharc_warc_writer_finish(w, NULL), 0);
    sharc_warc_writer_free(w);
    const char *paths[] = {path};
    struct sharc_certify_reading in = {.paths = paths, .count = 1, .capture = CAPTURE_BEGAN, .threads = 1};
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *f = NULL;
    struct sharc_certify_sum s;
    assert_int_equal(sharc_certify_read(&in, &f, NULL), 0);
    sharc_certify_sum(f, &s);
    assert_int_equal(s.downloads, 1);
    assert_int_equal(proved(&s), 0);
    in.capture = SHARC_TIME_NONE;
    struct sharc_derived *none = NULL;
    assert_int_equal(sharc_certify_read(&in, &none, NULL), SHARC_EINVAL);
    in.capture = CAPTURE_BEGAN + 1;
    assert_int_equal(sharc_certify_read(&in, &none, NULL), SHARC_ENOENT);
    test_rmdir(dir);
}

/* A control pair shows what differs on every request; an edit beside it is still one. */
#define TOKEN(t, text) "<html><body><input name=t value=" t "><p>" text "</p></body></html>"
static void volatile_parts_need_their_controls(void **state)
{
    (void)state;
    const struct answer first = {.url = URL,
                                 .kind = SHARC_OWN_CONTROL,
                                 .at = 20,
                                 .took = 1,
                                 .control = "first",
                                 .body = TOKEN("3c9e1", "the text of the page stays as it is")};
    const struct answer second = {.url = URL,
                                  .kind = SHARC_OWN_CONTROL,
                                  .at = 22,
                                  .took = 1,
                                  .control = "second",
                                  .body = TOKEN("7aa02", "the text of the page stays as it is")};
    struct sharc_certify_sum s = SUM(VISIT(.body = TOKEN("1f0b2", "the text of the page stays as it is")),
                                     REVISIT(.body = TOKEN("88d01", "the text of the page stays as it is")));
    assert_int_equal(proved(&s), 0);
    s = SUM(VISIT(.body = TOKEN("1f0b2", "the text of the page stays as it is")),
            REVISIT(.body = TOKEN("88d01", "the text of the page stays as it is")), first, second);
    assert_int_equal(s.grades[SHARC_GRADE_VOLATILE], 1);
    s = SUM(VISIT(.body = TOKEN("1f0b2", "the text of the page stood as it is")),
            REVISIT(.body = TOKEN("88d01", "the text of the page stays as it is")), first, second);
    assert_int_equal(proved(&s), 0);
}

/* Grades are not believed, doubts are; and what was never received counts. */
static struct sharc_certify_sum sum_with_verdict(const char *lines)
{
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "a.warc.gz");
    struct sharc_warc_writer_options o = {.path = path, .info = SHARC_SPAN("operator: a test\r\n"), .seed = 7};
    struct sharc_warc_writer *w = NULL;
    const struct answer visit = VISIT(.body = TEXT), revisit = REVISIT(.body = TEXT), other = REVISIT(.body = OTHER);
    assert_int_equal(sharc_warc_writer_open(&o, &w, NULL), 0);
    assert_int_equal(capture_write_one(w, &visit, CAPTURE_BEGAN), 0);
    assert_int_equal(capture_write_one(w, strstr(lines, "forged") ? &other : &revisit, CAPTURE_BEGAN), 0);
    assert_int_equal(capture_close(w, lines, CAPTURE_BEGAN), 0);
    assert_int_equal(capture_close(w, "{\"url\":\"" URL "\",\"reason\":\"gone\"}\n", CAPTURE_BEGAN + 1), 0);
    assert_int_equal(sharc_warc_writer_finish(w, NULL), 0);
    sharc_warc_writer_free(w);
    const char *paths[] = {path};
    struct sharc_certify_reading in = {.paths = paths, .count = 1, .capture = CAPTURE_BEGAN, .threads = 1};
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *f = NULL;
    struct sharc_certify_sum s;
    assert_int_equal(sharc_certify_read(&in, &f, NULL), 0);
    sharc_certify_sum(f, &s);
    test_rmdir(dir);
    return s;
}

static void doubts_of_the_crawler_count(void **state)
{
    (void)state;
    struct sharc_certify_sum s = sum_with_verdict("{\"sharc\":\"verdict\",\"form\":1,\"part\":0}\n"
                                                  "{\"url\":\"" URL "\",\"reason\":\"same-content\"}\n");
    assert_int_equal(proved(&s), 1);
    s = sum_with_verdict("{\"url\":\"" URL "\",\"reason\":\"clock\"}\n");
    assert_int_equal(proved(&s), 0);
    s = sum_with_verdict("{\"forged\":1}\n{\"url\":\"" URL "\",\"reason\":\"same-content\"}\n");
    assert_int_equal(proved(&s), 0);
}

static void pages_that_never_came_count(void **state)
{
    (void)state;
    struct sharc_certify_sum s = sum_with_verdict("{\"url\":\"http://a.example/a\",\"reason\":\"failed\"}\n"
                                                  "{\"url\":\"http://a.example/z\",\"reason\":\"same-content\"}\n"
                                                  "{\"skipped\":\"http://a.example/y\",\"reason\":\"robots\"}\n"
                                                  "no JSON\n");
    assert_int_equal(s.pages, 3);
    assert_int_equal(proved(&s), 1);
    assert_int_equal(s.grades[SHARC_GRADE_UNPROVED], 2);
}

/* A page that is another one or not there, by the crawler's word, leaves the count only where it would count as proved:
 * nobody can take out one that changed. */
static void pages_set_aside_are_proved_ones(void **state)
{
    (void)state;
    const char *aside =
        "{\"aside\":\"" URL "\",\"reason\":\"canonical\"}\n{\"aside\":\"http://a.example/n\",\"reason\":\"x\"}\n"
        "{\"url\":\"http://a.example/a\",\"reason\":\"failed\"}\n";
    struct sharc_certify_sum s = sum_with_verdict(aside);
    assert_int_equal(s.pages, 1);
    assert_int_equal(proved(&s), 0);
    SHARC_AUTO(sharc_freep) char *forged = sharc_asprintf("{\"forged\":1}\n%s", aside);
    s = sum_with_verdict(forged);
    assert_int_equal(s.pages, 2);
    assert_int_equal(proved(&s), 0);
    /* One that is only said to be skipped is there all the same. */
    s = sum_with_verdict("{\"skipped\":\"" URL "\",\"reason\":\"canonical\"}\n");
    assert_int_equal(s.pages, 1);
    assert_int_equal(proved(&s), 1);
}

/* A second look that found the page as it was is a revisit record and names no links: the page embeds what it
 * embedded before. */
/* What was fetched for a page is none that a reader opens, also where a script was guessed to embed it. */
static void parts_are_no_pages_of_their_own(void **state)
{
    (void)state;
    static const char *const paths[] = {"LE", "LX", "LER", "LXR", "LL"};
    for (size_t i = 0; i < SHARC_LENGTH(paths); i++) {
        struct sharc_certify_sum s = SUM(
            VISIT(.body = TEXT), REVISIT(.body = TEXT),
            {.url = "http://a.example/i", .kind = SHARC_OWN_VISIT, .at = 3, .took = 1, .body = "x", .hops = paths[i]},
            {.url = "http://a.example/i",
             .kind = SHARC_OWN_REVISIT,
             .at = 12,
             .took = 1,
             .body = "x",
             .hops = paths[i]});
        assert_int_equal(s.pages, 2);
        assert_int_equal(s.whole_pages, i < 4 ? 1 : 2);
    }
}

static void a_repeated_page_embeds_the_same(void **state)
{
    (void)state;
    const char *image = "http://a.example/i.png";
    const struct answer look = {.url = URL, .kind = SHARC_OWN_VISIT, .at = 5, .took = 1, .repeats = true};
    const struct answer before = {.url = image, .kind = SHARC_OWN_VISIT, .at = 3, .took = 1, .body = "red"};
    const struct answer same = {.url = image, .kind = SHARC_OWN_REVISIT, .at = 12, .took = 1, .body = "red"};
    const struct answer other = {.url = image, .kind = SHARC_OWN_REVISIT, .at = 12, .took = 1, .body = "blue"};
    struct sharc_certify_sum s =
        SUM(VISIT(.body = TEXT, .embeds = image), before, look, REVISIT(.repeats = true), same);
    assert_int_equal(s.grades[SHARC_GRADE_IDENTICAL], 2);
    assert_int_equal(s.whole[SHARC_GRADE_IDENTICAL], 2);
    s = SUM(VISIT(.body = TEXT, .embeds = image), before, look, REVISIT(.repeats = true), other);
    assert_int_equal(s.grades[SHARC_GRADE_IDENTICAL], 1);
    assert_int_equal(s.whole[SHARC_GRADE_IDENTICAL], 0);
    /* Nor if the image never came. */
    s = SUM(VISIT(.body = TEXT, .embeds = image), look, REVISIT(.repeats = true));
    assert_int_equal(s.grades[SHARC_GRADE_IDENTICAL], 1);
    assert_int_equal(s.whole[SHARC_GRADE_IDENTICAL], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_content_speaks_from_end_to_start),
        cmocka_unit_test(one_digit_is_no_proof),
        cmocka_unit_test(another_status_or_type_is_no_proof),
        cmocka_unit_test(cut_answers_prove_nothing),
        cmocka_unit_test(a_page_without_revisit_is_counted),
        cmocka_unit_test(a_second_look_that_was_refused_ends_it),
        cmocka_unit_test(a_second_look_moves_the_visit),
        cmocka_unit_test(bytes_behind_a_coding_are_not_passed_over),
        cmocka_unit_test(a_word_is_no_second_look),
        cmocka_unit_test(a_word_is_broken_by_an_audit),
        cmocka_unit_test(a_word_must_be_asked_for),
        cmocka_unit_test(a_cache_speaks_for_the_past),
        cmocka_unit_test(a_slow_visit_is_not_its_own_revisit),
        cmocka_unit_test(downloads_of_other_captures_do_not_count),
        cmocka_unit_test(volatile_parts_need_their_controls),
        cmocka_unit_test(doubts_of_the_crawler_count),
        cmocka_unit_test(pages_that_never_came_count),
        cmocka_unit_test(a_repeated_page_embeds_the_same),
        cmocka_unit_test(parts_are_no_pages_of_their_own),
        cmocka_unit_test(pages_set_aside_are_proved_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
