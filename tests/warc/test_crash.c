/* SPDX-License-Identifier: Apache-2.0
 *
 * Proves the invariants of sharc/warc_write.h: the file is cut at every byte,
 * and what is left after recovery is a valid archive with every record that
 * had been synced before that byte.
 */
#include "warc_test.h"

#include "sharc/base_file.h"
#include "sharc/warc_write.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOW = 1600000000 };
#define AT ((sharc_time)NOW * SHARC_SEC + 123456)

struct written {
    char *dir;
    char *path;        /* of the ".open" file */
    uint64_t ends[32]; /* where each record ends */
    size_t count;
};

static void note(struct written *k, const struct sharc_warc_place *p)
{
    if (p->length) k->ends[k->count++] = p->offset + p->length;
}

/* A file with fetches of several shapes, left open as by a crash. */
static void write_some(struct written *k, bool plain)
{
    struct sharc_warc_writer *w = NULL;
    struct sharc_warc_fetch_places p;
    *k = (struct written){.dir = test_mkdir()};
    struct sharc_warc_writer_options o = {.dir = k->dir,
                                          .site = "example.com",
                                          .host = "here",
                                          .seed = 7,
                                          .plain = plain,
                                          .info = SHARC_SPAN("operator: a test\r\n")};
    assert_int_equal(sharc_warc_writer_open(&o, &w, NULL), 0);
    struct sharc_warc_fetch f = {
        .date = AT,
        .target = SHARC_SPAN("http://example.com/"),
        .ip = SHARC_SPAN("192.0.2.1"),
        .response = {.head = SHARC_SPAN("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"),
                     .body = SHARC_SPAN("some text")},
        .request = {.head = SHARC_SPAN("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")},
        .metadata = SHARC_SPAN("via: http://example.com/from\r\n"),
    };
    assert_int_equal(sharc_warc_write_fetch(w, AT, &f, &p, NULL), 0);
    k->ends[k->count++] = p.response.offset; /* the warcinfo before it */
    note(k, &p.response);
    note(k, &p.request);
    note(k, &p.metadata);
    struct sharc_warc_place first = p.response;
    char digest[SHARC_DIGEST_TEXT];
    f.original = &first;
    f.original_target = f.target;
    f.original_date = f.date;
    f.original_payload_digest = sharc_span_of(sharc_digest_text(&first.payload, digest));
    f.metadata = SHARC_SPAN_NONE;
    assert_int_equal(sharc_warc_write_fetch(w, AT + SHARC_SEC, &f, &p, NULL), 0);
    note(k, &p.response);
    note(k, &p.request);
    assert_int_equal(sharc_warc_writer_sync(w, NULL), 0);
    sharc_warc_writer_free(w);
    char **names;
    size_t n;
    assert_int_equal(sharc_dir_list(k->dir, &names, &n, NULL), 0);
    assert_int_equal(n, 1);
    k->path = sharc_path_join(k->dir, names[0]);
    sharc_names_free(names, n);
}

static size_t records_before(const struct written *k, uint64_t cut)
{
    size_t n = 0;
    while (n < k->count && k->ends[n] <= cut) n++;
    return n;
}

static void write_file(const char *path, struct sharc_span bytes)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
    fclose(f);
}

/* What recovery leaves of `bytes` must be the records up to `expect`. */
static void recover_and_check(const struct written *k, struct sharc_span bytes, size_t expect)
{
    struct sharc_warc_recovered got;
    struct sharc_err err = SHARC_ERR_INIT;
    write_file(k->path, bytes);
    if (sharc_warc_recover(k->path, &got, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(got.records, expect);
    assert_int_not_equal(access(k->path, F_OK), 0);
    if (expect == 0) return;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(k->dir, got.file);
    struct walk walk;
    walk_file(path, NULL, &walk);
    if (walk.result != 0) fail_msg("%s", walk.err.text);
    assert_int_equal(walk.n, expect);
    assert_int_equal(walk.stats.warnings, 0);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, k->ends[expect - 1]);
    assert_int_equal(got.bytes + got.cut, bytes.n);
    assert_int_equal(unlink(path), 0);
}

static void cut_everywhere(bool plain)
{
    struct written k;
    write_some(&k, plain);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    assert_int_equal(sharc_file_read(k.path, &b, NULL), 0);
    assert_int_equal(b.n, k.ends[k.count - 1]);
    for (size_t cut = 0; cut <= b.n; cut++) recover_and_check(&k, sharc_span(b.p, cut), records_before(&k, cut));
    /* A crash may also leave blocks of zeros, or the bytes of another file. */
    for (size_t cut = 0; cut <= b.n; cut += 7) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf torn = SHARC_BUF_INIT(1 << 20);
        sharc_buf_put(&torn, sharc_span(b.p, cut));
        for (int i = 0; i < 300; i++) sharc_buf_put_char(&torn, cut % 2 ? 0 : (char)(i * 37));
        recover_and_check(&k, sharc_buf_span(&torn), records_before(&k, cut));
    }
    free(k.path);
    test_rmdir(k.dir);
}

static void packed_files_survive_a_cut_at_any_byte(void **state)
{
    (void)state;
    cut_everywhere(false);
}

static void plain_files_survive_a_cut_at_any_byte(void **state)
{
    (void)state;
    cut_everywhere(true);
}

/* Invariant (2): a record that does not fit is taken back, and can be written
 * once there is room again. */
static void a_full_disk_leaves_whole_records(void **state)
{
    (void)state;
    struct sharc_warc_writer *w = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_warc_place p;
    char *dir = test_mkdir();
    struct sharc_warc_writer_options o = {.dir = dir, .site = "s", .host = "h", .seed = 1, .plain = true};
    assert_int_equal(sharc_warc_writer_open(&o, &w, NULL), 0);
    static char noise[20000];
    struct sharc_warc_entry e = {.type = SHARC_WARC_RESOURCE,
                                 .date = AT,
                                 .target = SHARC_SPAN("http://example.com/x"),
                                 .block.body = {noise, sizeof noise}};
    assert_int_equal(sharc_warc_write(w, AT, &e, &p, NULL), 0);
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = p.offset + p.length + 5000;
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    assert_true(sharc_warc_write(w, AT, &e, &p, &err) < 0);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, before);
    assert_non_null(strstr(err.text, "offset"));
    assert_int_equal(sharc_warc_write(w, AT, &e, &p, &err), 0);
    assert_int_equal(sharc_warc_writer_finish(w, NULL), 0);
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, p.file);
    struct walk walk;
    walk_file(path, NULL, &walk);
    assert_int_equal(walk.result, 0);
    assert_string_equal(walk.types, "wss");
    sharc_warc_writer_free(w);
    test_rmdir(dir);
}

static void a_file_in_use_is_not_recovered(void **state)
{
    (void)state;
    struct sharc_warc_writer *w = NULL;
    struct sharc_warc_place p;
    struct sharc_warc_recovered got;
    char *dir = test_mkdir();
    struct sharc_warc_writer_options o = {.dir = dir, .site = "s", .host = "h"};
    assert_int_equal(sharc_warc_writer_open(&o, &w, NULL), 0);
    struct sharc_warc_entry e = {.type = SHARC_WARC_METADATA, .date = AT, .block.body = SHARC_SPAN("a: b\r\n")};
    assert_int_equal(sharc_warc_write(w, AT, &e, &p, NULL), 0);
    assert_int_equal(sharc_warc_recover_dir(dir, &got, NULL), SHARC_EBUSY);
    sharc_warc_writer_free(w);
    assert_int_equal(sharc_warc_recover_dir(dir, &got, NULL), 0);
    assert_int_equal(got.records, 2);
    assert_string_equal(got.file, p.file);
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(packed_files_survive_a_cut_at_any_byte),
    cmocka_unit_test(plain_files_survive_a_cut_at_any_byte),
    cmocka_unit_test(a_full_disk_leaves_whole_records),
    cmocka_unit_test(a_file_in_use_is_not_recovered),
};
TEST_MAIN(tests)
