/* SPDX-License-Identifier: Apache-2.0
 *
 * Forged certificates, rightly signed: rows taken out, doubled, in another order, from elsewhere; records with one id,
 * files given twice, times that no calendar has. Each is named by its place, and a server that states absurd times
 * spoils nothing.
 */
#include "capture.h"

#define TEXT "<html><body><p>Some words that stay.</p></body></html>"
#define PAGE(address, when, what)                                                               \
    {                                                                                           \
        .url = "http://a.example/" address, .kind = what, .at = when, .took = 0.5, .body = TEXT \
    }
static const struct answer answers[] = {
    PAGE("a", 1, SHARC_OWN_VISIT),      PAGE("b", 2, SHARC_OWN_VISIT),      PAGE("c", 3, SHARC_OWN_VISIT),
    PAGE("a", 1001, SHARC_OWN_REVISIT), PAGE("b", 1002, SHARC_OWN_REVISIT), PAGE("c", 1003, SHARC_OWN_REVISIT),
};
enum { ROWS = 3 };

struct scene {
    char *dir, *certificate;
    struct sharc_seal_key *key;
    struct sharc_buf text;
    struct sharc_span head, rows[ROWS], tail; /* of the text: up to "pages":[, the rows, what follows */
};

static void take_apart(struct scene *s)
{
    struct sharc_span all = sharc_buf_span(&s->text);
    size_t at = sharc_span_search(all, SHARC_SPAN("\"pages\":[")) + 9;
    s->head = sharc_span_sub(all, 0, at);
    for (int i = 0; i < ROWS; i++) {
        size_t end = at, depth = 0;
        do {
            depth += all.p[end] == '{';
            depth -= all.p[end] == '}';
            end++;
        } while (depth);
        s->rows[i] = sharc_span_sub(all, at, end);
        at = end + 1;
    }
    s->tail = sharc_span_from(all, at - 1);
}

static int setup(void **state)
{
    struct scene *s = SHARC_NEW(struct scene);
    struct sharc_certify_made made;
    s->dir = test_mkdir();
    s->certificate = sharc_path_join(s->dir, "certificate.json");
    s->text = (struct sharc_buf)SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *f = capture_facts(s->dir, answers, SHARC_LENGTH(answers));
    assert_int_equal(sharc_seal_key_make(SHARC_SEAL_ED25519, &s->key, NULL), 0);
    struct sharc_certify_issue o = {.now = CAPTURE_BEGAN + SHARC_HOUR, .key = s->key};
    assert_int_equal(sharc_certify_write(f, &o, s->certificate, &made, NULL), 0);
    assert_int_equal(sharc_file_read(s->certificate, &s->text, NULL), 0);
    take_apart(s);
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    struct scene *s = *state;
    sharc_seal_key_free(s->key);
    sharc_buf_done(&s->text);
    free(s->certificate);
    test_rmdir(s->dir);
    free(s);
    return 0;
}

/* What is not between "root": and its end, with the root of these rows instead. */
static void put_tail(const struct scene *s, const struct sharc_merkle *tree, struct sharc_buf *out)
{
    struct sharc_digest root;
    char hex[SHARC_HEX_SIZE(32)];
    size_t from = sharc_span_search(s->tail, SHARC_SPAN("\"rows\":"));
    size_t to = sharc_span_search(s->tail, SHARC_SPAN("\"rules\":"));
    sharc_merkle_root(tree, &root);
    sharc_hex_encode(sharc_span(root.bytes, 32), hex);
    sharc_buf_put(out, sharc_span_sub(s->tail, 0, from));
    sharc_buf_printf(out, "\"rows\":%llu,\"sha256\":\"%s\"},", (unsigned long long)tree->count, hex);
    sharc_buf_put(out, sharc_span_from(s->tail, to));
}

/* A certificate of these rows, signed by the same key, is refused for what stands there. */
static void refuses(const struct scene *s, const struct sharc_span *rows, size_t count, const char *path)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20), signature = SHARC_BUF_INIT(4096);
    SHARC_AUTO(sharc_freep) char *forged = sharc_path_join(s->dir, "forged.json");
    SHARC_AUTO(sharc_freep) char *sig = sharc_asprintf("%s.sig", forged);
    struct sharc_certify_checked c;
    struct sharc_merkle tree;
    sharc_merkle_init(&tree);
    sharc_buf_put(&out, s->head);
    for (size_t i = 0; i < count; i++) {
        if (i) sharc_buf_put_char(&out, ',');
        sharc_buf_put(&out, rows[i]);
        sharc_merkle_add(&tree, rows[i]);
    }
    put_tail(s, &tree, &out);
    sharc_merkle_done(&tree);
    assert_int_equal(sharc_file_replace(forged, sharc_buf_span(&out), NULL), 0);
    assert_int_equal(sharc_seal_sign(s->key, sharc_buf_span(&out), &signature, NULL), 0);
    assert_int_equal(sharc_file_replace(sig, sharc_buf_span(&signature), NULL), 0);
    struct sharc_certify_checking o = {.certificate = forged, .key = s->key, .threads = 1};
    assert_int_equal(sharc_certify_check(&o, &c, NULL), 0);
    assert_true(c.signature);
    bool named = false, root = false;
    for (size_t k = 0; path && k < c.count; k++) {
        named |= c.findings[k].path && strcmp(c.findings[k].path, path) == 0;
        root |= c.findings[k].path && strcmp(c.findings[k].path, "/root") == 0;
    }
    if (path ? !named : c.total > 0) fail_msg("%s: %s", path ? path : "", c.count ? c.findings[0].path : "nothing");
    assert_false(root); /* it is right: nothing but the files tells */
    sharc_certify_checked_done(&c);
}

static void rows_must_be_those_of_the_files(void **state)
{
    const struct scene *s = *state;
    const struct sharc_span a = s->rows[0], b = s->rows[1], c = s->rows[2];
    refuses(s, (const struct sharc_span[]){a, b, c}, 3, NULL);
    refuses(s, (const struct sharc_span[]){a, c}, 2, "/pages/1/known/from");
    refuses(s, (const struct sharc_span[]){a, b}, 2, "/pages/2");
    refuses(s, (const struct sharc_span[]){a, b, b, c}, 4, "/pages/3");
    refuses(s, (const struct sharc_span[]){b, a, c}, 3, "/pages/0/known/from");
    refuses(s, (const struct sharc_span[]){a, b, SHARC_SPAN("{}")}, 3, "/pages/2/grade");
    refuses(s, NULL, 0, "/pages/0");
    /* An offset into the middle of a record, a record that is not there, a file that is not listed. */
    static const char *const words[] = {"\"offset\":", "\"record\":\"urn:uuid:", "\"file\":", "\"payload\":\"sha256:"};
    for (size_t i = 0; i < SHARC_LENGTH(words); i++) {
        SHARC_AUTO(sharc_freep) char *other = sharc_span_dup(b);
        char *at = strstr(other, words[i]) + strlen(words[i]);
        *at = *at == '7' ? '8' : '7';
        SHARC_AUTO(sharc_freep)
        char *path = sharc_asprintf("/pages/1/revisit/%.*s", (int)strcspn(words[i] + 1, "\""), words[i] + 1);
        refuses(s, (const struct sharc_span[]){a, sharc_span_of(other), c}, 3, path);
    }
}

/* Without files nothing follows, and nothing else is said. */
static void a_certificate_names_its_files(void **state)
{
    const struct scene *s = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_freep) char *forged = sharc_path_join(s->dir, "forged.json");
    struct sharc_span all = sharc_buf_span(&s->text);
    size_t from = sharc_span_search(all, SHARC_SPAN("\"files\":[")) + 9;
    size_t to = sharc_span_search(all, SHARC_SPAN("],\"format\":"));
    assert_true(from < to && to < all.n);
    sharc_buf_put(&out, sharc_span_sub(all, 0, from));
    sharc_buf_put(&out, sharc_span_from(all, to));
    assert_int_equal(sharc_file_replace(forged, sharc_buf_span(&out), NULL), 0);
    struct sharc_certify_checking o = {.certificate = forged, .threads = 1};
    struct sharc_certify_checked c;
    assert_int_equal(sharc_certify_check(&o, &c, NULL), 0);
    assert_string_equal(c.findings[0].path, "/files");
    for (size_t i = 0; i < c.count; i++) assert_null(strstr(c.findings[i].text, "the files say"));
    assert_false(c.files);
    sharc_certify_checked_done(&c);
}

/* --- files ------------------------------------------------------------------------------------- */

static int read_files(const char *dir, const char *const *names, size_t count, struct sharc_err *reterr)
{
    const char *paths[2];
    char *made[2] = {NULL, NULL};
    struct sharc_derived *f = NULL;
    for (size_t i = 0; i < count; i++) paths[i] = made[i] = sharc_path_join(dir, names[i]);
    struct sharc_certify_reading o = {.paths = paths, .count = count, .capture = SHARC_TIME_NONE, .threads = 1};
    int r = sharc_certify_read(&o, &f, reterr);
    sharc_derived_free(f);
    free(made[0]);
    free(made[1]);
    return r;
}

static void a_file_counts_once(void **state)
{
    const struct scene *s = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_freep)
    char *from = sharc_path_join(s->dir, "a.warc.gz"), *to = sharc_path_join(s->dir, "b.warc.gz");
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_file_read(from, &bytes, NULL), 0);
    assert_int_equal(sharc_file_replace(to, sharc_buf_span(&bytes), NULL), 0);
    assert_int_equal(read_files(s->dir, (const char *const[]){"a.warc.gz"}, 1, NULL), 0);
    assert_int_equal(read_files(s->dir, (const char *const[]){"a.warc.gz", "b.warc.gz"}, 2, &err), SHARC_ECORRUPT);
    assert_non_null(strstr(err.text, "b.warc.gz: offset "));
    assert_non_null(strstr(err.text, "a.warc.gz"));
}

/* --- times --------------------------------------------------------------------------------------- */

static void holds(const struct answer *list, size_t count)
{
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *f = capture_facts(dir, list, count);
    struct sharc_certify_checked c;
    capture_certify(dir, f, &text, &c);
    if (c.total) fail_msg("%s", c.findings[0].text);
    sharc_certify_checked_done(&c);
    test_rmdir(dir);
}
#define HOLDS(...) holds((const struct answer[]){__VA_ARGS__}, SHARC_LENGTH(((const struct answer[]){__VA_ARGS__})))

/* A document has no room for them (RFC 8785), and they must not spoil it. */
static void absurd_times_of_a_server_are_none(void **state)
{
    (void)state;
    static const char *const heads[] = {"Date: Fri, 31 Dec 9999 23:59:59 GMT\r\n",
                                        "Date: Mon, 01 Jan 0001 00:00:00 GMT\r\n",
                                        "Age: 99999999999999999999\r\n",
                                        "Age: 18446744073709551615\r\n",
                                        "Last-Modified: Fri, 31 Dec 9999 23:59:59 GMT\r\n",
                                        "ETag: \xff\xfe\r\n"};
    for (size_t i = 0; i < SHARC_LENGTH(heads); i++) {
        const struct answer visit = {
            .url = "http://a.example/", .kind = SHARC_OWN_VISIT, .at = 1, .took = 0.5, .head = heads[i], .body = TEXT};
        struct answer revisit = visit;
        revisit.kind = SHARC_OWN_REVISIT;
        revisit.at = 10;
        HOLDS(visit, revisit);
    }
}

static void absurd_times_of_records_are_none(void **state)
{
    (void)state;
    HOLDS(PAGE("a", 1, SHARC_OWN_VISIT), PAGE("a", 2, SHARC_OWN_REVISIT), PAGE("b", 2.4e11, SHARC_OWN_VISIT));
    HOLDS(PAGE("a", 1, SHARC_OWN_VISIT),
          {.url = "http://a.example/a", .kind = SHARC_OWN_REVISIT, .at = 2, .took = 9e12, .body = TEXT});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_must_be_those_of_the_files, setup, teardown),
        cmocka_unit_test_setup_teardown(a_certificate_names_its_files, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_counts_once, setup, teardown),
        cmocka_unit_test(absurd_times_of_a_server_are_none),
        cmocka_unit_test(absurd_times_of_records_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
