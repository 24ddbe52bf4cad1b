/* SPDX-License-Identifier: Apache-2.0
 *
 * A certificate is written, signed, and checked; every single changed byte of a small archive file is found where it
 * is.
 */
#include "capture.h"

#include <unistd.h>

#define TEXT "<html><body><p>Some words that stay.</p></body></html>"
static const struct answer answers[] = {
    {.url = "http://a.example/", .kind = SHARC_OWN_VISIT, .at = 1, .took = 0.5, .body = TEXT},
    {.url = "http://a.example/b", .kind = SHARC_OWN_VISIT, .at = 2, .took = 0.5, .body = TEXT "<!-- b -->"},
    {.url = "http://a.example/gone", .kind = SHARC_OWN_VISIT, .at = 3, .took = 0.5, .body = "no", .status = 404},
    {.url = "http://a.example/", .kind = SHARC_OWN_REVISIT, .at = 11, .took = 0.5, .body = TEXT},
    {.url = "http://a.example/b", .kind = SHARC_OWN_REVISIT, .at = 12, .took = 0.5, .body = TEXT "<!-- c -->"},
};

struct scene {
    char *dir, *warc, *certificate;
    struct sharc_seal_key *key;
};

static int setup(void **state)
{
    struct scene *s = SHARC_NEW(struct scene);
    struct sharc_certify_made made;
    s->dir = test_mkdir();
    s->warc = sharc_path_join(s->dir, "a.warc.gz");
    s->certificate = sharc_path_join(s->dir, "certificate.json");
    SHARC_AUTO(sharc_derived_freep)
    struct sharc_derived *f = capture_facts(s->dir, answers, SHARC_LENGTH(answers));
    assert_int_equal(sharc_seal_key_make(SHARC_SEAL_ED25519, &s->key, NULL), 0);
    struct sharc_certify_issue o = {.now = CAPTURE_BEGAN + SHARC_HOUR,
                                    .operator_name = "an archive \"with\" \xc3\xa4 name",
                                    .software = "sharc/test",
                                    .key = s->key};
    assert_int_equal(sharc_certify_write(f, &o, s->certificate, &made, NULL), 0);
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    struct scene *s = *state;
    sharc_seal_key_free(s->key);
    free(s->warc);
    free(s->certificate);
    test_rmdir(s->dir);
    free(s);
    return 0;
}

static void check(const struct scene *s, const char *file, struct sharc_certify_checked *ret)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_certify_checking o = {.certificate = file, .key = s->key, .threads = 1};
    if (sharc_certify_check(&o, ret, &err) < 0) fail_msg("%s", err.text);
}

static void it_holds(void **state)
{
    struct scene *s = *state;
    struct sharc_certify_checked c;
    check(s, s->certificate, &c);
    if (c.count) fail_msg("%s %s", c.findings[0].path ? c.findings[0].path : "", c.findings[0].text);
    assert_true(c.files && c.signature);
    assert_int_equal(c.rows, 2);
    assert_int_equal(c.sum.together, 1);
    sharc_certify_checked_done(&c);
}

static void every_byte_of_the_file_counts(void **state)
{
    struct scene *s = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1u << 20);
    assert_int_equal(sharc_file_read(s->warc, &bytes, NULL), 0);
    for (size_t i = 0; i < bytes.n; i += 7) {
        struct sharc_certify_checked c;
        bytes.p[i] ^= 0x20;
        assert_int_equal(sharc_file_replace(s->warc, sharc_buf_span(&bytes), NULL), 0);
        bytes.p[i] ^= 0x20;
        check(s, s->certificate, &c);
        bool named = false;
        for (size_t k = 0; k < c.count; k++)
            named |= strcmp(c.findings[k].file, "a.warc.gz") == 0 && c.findings[k].offset == i;
        if (!named) fail_msg("byte %zu: %s", i, c.count ? c.findings[0].text : "nothing was found");
        sharc_certify_checked_done(&c);
    }
    assert_int_equal(sharc_file_replace(s->warc, sharc_buf_span(&bytes), NULL), 0);
}

static void put_signed(const struct scene *s, const char *name, const struct sharc_buf *text)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf signature = SHARC_BUF_INIT(4096);
    SHARC_AUTO(sharc_freep) char *sig = sharc_asprintf("%s.sig", name);
    assert_int_equal(sharc_file_replace(name, sharc_buf_span(text), NULL), 0);
    assert_int_equal(sharc_seal_sign(s->key, sharc_buf_span(text), &signature, NULL), 0);
    assert_int_equal(sharc_file_replace(sig, sharc_buf_span(&signature), NULL), 0);
}

static bool is_named(const struct sharc_certify_checked *c, const char *file)
{
    for (size_t k = 0; k < c->count; k++)
        if (strcmp(c->findings[k].file, file) == 0) return true;
    return false;
}

/* The statement in short says what the certificate says: another word, number or form of it is found, also when the
 * right key signed it. */
static void the_statement_is_compared(void **state)
{
    struct scene *s = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_freep) char *statement = sharc_path_join(s->dir, "statement.json");
    SHARC_AUTO(sharc_freep) char *sig = sharc_asprintf("%s.sig", statement);
    struct sharc_certify_checked c;
    assert_int_equal(sharc_file_read(statement, &text, NULL), 0);
    check(s, s->certificate, &c);
    assert_true(c.stated && c.statement && c.total == 0);
    sharc_certify_checked_done(&c);
    for (size_t i = 0; i < text.n; i += 7) {
        text.p[i] ^= 1;
        put_signed(s, statement, &text);
        text.p[i] ^= 1;
        check(s, s->certificate, &c);
        if (!is_named(&c, statement)) fail_msg("byte %zu of the statement", i);
        assert_true(c.stated && !c.statement && c.signature);
        if (c.findings[0].offset == SHARC_NOWHERE && !c.findings[0].path) fail_msg("byte %zu has no place", i);
        sharc_certify_checked_done(&c);
    }
    put_signed(s, statement, &text);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(4096);
    assert_int_equal(sharc_file_read(sig, &bytes, NULL), 0);
    bytes.p[5] ^= 1;
    assert_int_equal(sharc_file_replace(sig, sharc_buf_span(&bytes), NULL), 0);
    check(s, s->certificate, &c);
    assert_true(is_named(&c, sig) && !c.statement);
    sharc_certify_checked_done(&c);
    assert_int_equal(unlink(sig), 0);
    check(s, s->certificate, &c);
    assert_true(c.total == 0 && c.statement);
    sharc_certify_checked_done(&c);
    assert_int_equal(unlink(statement), 0);
    check(s, s->certificate, &c);
    assert_true(c.total == 0 && !c.stated);
    sharc_certify_checked_done(&c);
}

/* A certificate of a sharc with other rules cannot be derived again here; it is not called a forgery, nor said to
 * hold. Its files, its root and its signature are checked all the same. */
static void other_rules_are_no_forgery(void **state)
{
    struct scene *s = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 20), warc = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_freep) char *other = sharc_path_join(s->dir, "other.json");
    struct sharc_certify_checked c;
    assert_int_equal(sharc_file_read(s->certificate, &text, NULL), 0);
    size_t at = sharc_span_search(sharc_buf_span(&text), SHARC_SPAN("\"rules\":\"" SHARC_DERIVE_RULES "\""));
    assert_true(at != SHARC_NPOS);
    text.p[at + strlen("\"rules\":\"" SHARC_DERIVE_RULES) - 1] = 'x';
    char rules[] = SHARC_DERIVE_RULES;
    rules[strlen(rules) - 1] = 'x';
    put_signed(s, other, &text);
    check(s, other, &c);
    if (c.count) fail_msg("%s %s", c.findings[0].path ? c.findings[0].path : "", c.findings[0].text);
    assert_string_equal(c.rules, rules);
    assert_true(c.signature && !c.files);
    assert_int_equal(c.rows, 0);
    sharc_certify_checked_done(&c);

    assert_int_equal(sharc_file_read(s->warc, &warc, NULL), 0);
    warc.p[warc.n / 2] ^= 1;
    assert_int_equal(sharc_file_replace(s->warc, sharc_buf_span(&warc), NULL), 0);
    check(s, other, &c);
    assert_int_equal(c.total, 2);
    assert_string_equal(c.findings[0].file, "a.warc.gz");
    assert_int_equal(c.findings[0].offset, warc.n / 2);
    sharc_certify_checked_done(&c);
    warc.p[warc.n / 2] ^= 1;
    assert_int_equal(sharc_file_replace(s->warc, sharc_buf_span(&warc), NULL), 0);

    size_t grade = sharc_span_search(sharc_buf_span(&text), SHARC_SPAN("\"grade\":"));
    text.p[grade + 8] ^= 1;
    put_signed(s, other, &text);
    check(s, other, &c);
    assert_int_equal(c.total, 2);
    assert_string_equal(c.findings[0].path, "/root");
    assert_string_equal(c.findings[1].path, "/rules");
    sharc_certify_checked_done(&c);
}

/* Somebody makes a certificate anew that says more, but cannot sign it. Or signs it, and it still does not hold. */
static void a_better_grade_does_not_hold(void **state)
{
    struct scene *s = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_freep) char *forged = sharc_path_join(s->dir, "forged.json");
    struct sharc_certify_checked c;
    assert_int_equal(sharc_file_read(s->certificate, &text, NULL), 0);
    size_t at = sharc_span_search(sharc_buf_span(&text), SHARC_SPAN("\"grade\":5"));
    if (at == SHARC_NPOS) at = sharc_span_search(sharc_buf_span(&text), SHARC_SPAN("\"grade\":4"));
    assert_true(at != SHARC_NPOS);
    text.p[at + 8] = '1';
    put_signed(s, forged, &text);
    check(s, forged, &c);
    bool named = false;
    for (size_t k = 0; k < c.count; k++)
        named |= c.findings[k].path && strcmp(c.findings[k].path, "/pages/1/grade") == 0;
    assert_true(named && c.signature);
    sharc_certify_checked_done(&c);
}

static void a_page_stands_alone(void **state)
{
    struct scene *s = *state;
    SHARC_AUTO(sharc_freep) char *page = NULL;
    struct sharc_certify_checked c;
    assert_int_equal(sharc_certify_page(s->certificate, SHARC_SPAN("http://a.example/b"), &page, NULL), 0);
    check(s, page, &c);
    assert_true(c.page && c.signature);
    assert_int_equal(c.total, 0);
    sharc_certify_checked_done(&c);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 20);
    assert_int_equal(sharc_file_read(page, &text, NULL), 0);
    for (size_t i = 0; i < text.n; i += 7) {
        text.p[i] ^= 1;
        assert_int_equal(sharc_file_replace(page, sharc_buf_span(&text), NULL), 0);
        text.p[i] ^= 1;
        check(s, page, &c);
        if (c.total == 0) fail_msg("byte %zu, '%c': nothing was found", i, text.p[i]);
        sharc_certify_checked_done(&c);
    }
    SHARC_AUTO(sharc_freep) char *none = NULL;
    assert_int_equal(sharc_certify_page(s->certificate, SHARC_SPAN("http://a.example/c"), &none, NULL), SHARC_ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_holds, setup, teardown),
        cmocka_unit_test_setup_teardown(every_byte_of_the_file_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(a_better_grade_does_not_hold, setup, teardown),
        cmocka_unit_test_setup_teardown(the_statement_is_compared, setup, teardown),
        cmocka_unit_test_setup_teardown(other_rules_are_no_forgery, setup, teardown),
        cmocka_unit_test_setup_teardown(a_page_stands_alone, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
