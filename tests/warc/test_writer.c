/* SPDX-License-Identifier: Apache-2.0 */
#include "warc_test.h"

#include "sharc/base_file.h"
#include "sharc/base_rng.h"
#include "sharc/warc_write.h"

#include <fcntl.h>
#include <unistd.h>

#define AT ((sharc_time)1600000000 * SHARC_SEC + 123456)

static struct sharc_warc_writer *writer(const char *dir, struct sharc_warc_writer_options o)
{
    struct sharc_warc_writer *w = NULL;
    o.dir = dir;
    if (!o.site) o.site = "example.com/a b";
    if (!o.host) o.host = "crawler-1";
    assert_int_equal(sharc_warc_writer_open(&o, &w, NULL), 0);
    return w;
}

static struct sharc_warc *reopen(const char *dir, const char *file)
{
    struct sharc_warc *w = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, file);
    if (sharc_warc_open(path, NULL, &w, &err) < 0) fail_msg("%s", err.text);
    return w;
}

static void check_digest(struct sharc_record *rec, enum sharc_warc_part part, struct sharc_span said)
{
    struct sharc_digest want, got;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(64 << 20);
    assert_int_equal(sharc_digest_parse(said, &want), 0);
    assert_int_equal(sharc_record_read_all(rec, part, &b, NULL), 0);
    sharc_digest_of(want.kind, sharc_buf_span(&b), &got);
    assert_true(sharc_digest_eq(&want, &got));
}

static const struct sharc_warc_fetch a_fetch = {
    .date = AT,
    .target = {"http://example.com/", 19},
    .ip = {"192.0.2.1", 9},
    .response = {.head = {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 47},
                 .body = {"4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n", 24}},
    .request = {.head = {"GET / HTTP/1.1\r\n\r\n", 18}},
    .metadata = {"via: http://example.com/from\r\n", 30},
};

static void read_file(const char *dir, const char *name, struct sharc_buf *out)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, name);
    assert_int_equal(sharc_file_read(path, out, NULL), 0);
}

/* The file that a fetch becomes, packed ahead or not. */
static void write_one(const struct sharc_warc_fetch *fetch, bool ahead, struct sharc_buf *out)
{
    char *dir = test_mkdir();
    struct sharc_warc_writer *w = writer(dir, (struct sharc_warc_writer_options){.seed = 7});
    struct sharc_warc_ahead a = {.bytes = SHARC_BUF_INIT(4 << 20)};
    struct sharc_warc_fetch f = *fetch;
    struct sharc_warc_fetch_places p;
    if (ahead) {
        struct sharc_warc_packer *packer = sharc_warc_packer_new(w);
        assert_int_equal(sharc_warc_ahead_begin(w, AT, &a, NULL), 0);
        assert_int_equal(sharc_warc_ahead_pack(packer, &f, &a, NULL), 0);
        assert_true(a.packed);
        f.ahead = &a;
        sharc_warc_packer_free(packer);
    }
    assert_int_equal(sharc_warc_write_fetch(w, AT, &f, &p, NULL), 0);
    assert_int_equal(p.response.payload.n, 32);
    assert_int_equal(p.request.offset, p.response.offset + p.response.length);
    assert_int_equal(p.metadata.offset, p.request.offset + p.request.length);
    assert_int_equal(sharc_warc_writer_finish(w, NULL), 0);
    sharc_buf_clear(out);
    read_file(dir, p.response.file, out);
    assert_int_equal(out->n, p.metadata.offset + p.metadata.length);
    sharc_buf_done(&a.bytes);
    sharc_warc_writer_free(w);
    test_rmdir(dir);
}

/* Whoever packs it, in how many pieces it comes and whatever is known before: the file has
 * the same bytes. */
static void packed_ahead_or_in_turn_is_the_same(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf plain = SHARC_BUF_INIT(8 << 20), other = SHARC_BUF_INIT(8 << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf long_text = SHARC_BUF_INIT(3 << 20);
    while (long_text.n < (3u << 20) - 100)
        sharc_buf_printf(&long_text, "outlink: http://example.com/%zu\r\n", long_text.n);
    char block_text[SHARC_DIGEST_TEXT], payload_text[SHARC_DIGEST_TEXT];
    struct sharc_digest block, payload;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf both = SHARC_BUF_INIT(4 << 20);
    for (int large = 0; large < 3; large++) {
        struct sharc_warc_fetch f = a_fetch;
        if (large == 1) f.metadata = sharc_buf_span(&long_text);
        if (large == 2)
            f.response =
                (struct sharc_warc_bytes){SHARC_SPAN("HTTP/1.1 200 OK\r\n\r\n"), sharc_buf_span(&long_text), -1, 0, 0};
        write_one(&f, false, &plain);
        write_one(&f, true, &other);
        assert_true(sharc_span_eq(sharc_buf_span(&plain), sharc_buf_span(&other)));
        f.metadata_rest = sharc_span_from(f.metadata, 10);
        f.metadata.n = 10;
        sharc_buf_clear(&both);
        sharc_buf_put(&both, f.response.head);
        sharc_buf_put(&both, f.response.body);
        sharc_digest_of(SHARC_SHA256, sharc_buf_span(&both), &block);
        sharc_digest_of(SHARC_SHA256, large == 2 ? f.response.body : SHARC_SPAN("Wikipedia"), &payload);
        f.block_digest = sharc_span_of(sharc_digest_text(&block, block_text));
        f.payload_digest = sharc_span_of(sharc_digest_text(&payload, payload_text));
        for (int ahead = 0; ahead < 2; ahead++) {
            write_one(&f, ahead, &other);
            assert_true(sharc_span_eq(sharc_buf_span(&plain), sharc_buf_span(&other)));
        }
    }
}

/* A record that names the warcinfo of a file that has ended is made anew. */
static void packed_for_another_file_is_packed_again(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_warc_writer *w = writer(dir, (struct sharc_warc_writer_options){.seed = 7});
    struct sharc_warc_packer *packer = sharc_warc_packer_new(w);
    struct sharc_warc_ahead a = {.bytes = SHARC_BUF_INIT(1 << 20)}, small = {.bytes = SHARC_BUF_INIT(64)};
    struct sharc_warc_fetch f = a_fetch;
    struct sharc_warc_fetch_places p;
    assert_int_equal(sharc_warc_ahead_begin(w, AT, &a, NULL), 0);
    assert_int_equal(sharc_warc_ahead_pack(packer, &f, &a, NULL), 0);
    assert_int_equal(sharc_warc_ahead_begin(w, AT, &small, NULL), 0);
    assert_true(sharc_warc_ahead_pack(packer, &f, &small, NULL) < 0); /* no room for it */
    assert_false(small.packed);
    assert_int_equal(sharc_warc_ahead_pack(packer, &f, &a, NULL), 0); /* and the packer is as good as before */
    assert_int_equal(sharc_warc_writer_finish(w, NULL), 0);
    f.ahead = &a;
    assert_int_equal(sharc_warc_write_fetch(w, AT, &f, &p, NULL), 0);
    assert_string_not_equal(p.response.id, a.id);
    f.ahead = &small;
    assert_int_equal(sharc_warc_write_fetch(w, AT, &f, &p, NULL), 0);
    assert_int_equal(sharc_warc_writer_finish(w, NULL), 0);
    struct sharc_warc *in = reopen(dir, p.response.file);
    struct sharc_record rec;
    char info_id[SHARC_WARC_ID_TEXT] = "";
    int records = 0;
    while (sharc_warc_next(in, &rec, NULL) > 0) {
        if (rec.type == SHARC_WARC_INFO)
            snprintf(info_id, sizeof info_id, "%.*s", SHARC_SPAN_ARG(rec.id));
        else
            assert_span(sharc_record_get(&rec, "WARC-Warcinfo-ID"), info_id);
        records++;
    }
    assert_int_equal(records, 7);
    sharc_warc_close(in);
    sharc_buf_done(&a.bytes);
    sharc_buf_done(&small.bytes);
    sharc_warc_packer_free(packer);
    sharc_warc_writer_free(w);
    test_rmdir(dir);
}

static void a_fetch_becomes_joined_records(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_warc_writer *w =
        writer(dir, (struct sharc_warc_writer_options){.info = SHARC_SPAN("robots: obey\r\n")});
    struct sharc_warc_fetch_places p;
    assert_int_equal(sharc_warc_write_fetch(w, AT, &a_fetch, &p, NULL), 0);
    assert_int_equal(sharc_warc_writer_finish(w, NULL), 0);
    assert_string_equal(p.response.file, "sharc-example.com-a-b-20200913122640123-00000-crawler-1.warc.gz");
    struct sharc_warc *in = reopen(dir, p.response.file);
    struct sharc_record rec;
    char info_id[SHARC_WARC_ID_TEXT];

    assert_int_equal(sharc_warc_next(in, &rec, NULL), 1);
    assert_int_equal(rec.type, SHARC_WARC_INFO);
    assert_int_equal(rec.version, 101);
    assert_span(sharc_record_get(&rec, "WARC-Filename"), p.response.file);
    snprintf(info_id, sizeof info_id, "%.*s", SHARC_SPAN_ARG(rec.id));
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4096);
    assert_int_equal(sharc_record_read_all(&rec, SHARC_WARC_BLOCK, &b, NULL), 0);
    assert_non_null(strstr(b.p, "software: sharc/"));
    assert_non_null(strstr(b.p, "robots: obey\r\n"));

    assert_int_equal(sharc_warc_next(in, &rec, NULL), 1);
    assert_int_equal(rec.type, SHARC_WARC_RESPONSE);
    assert_int_equal(rec.offset, p.response.offset);
    assert_span(rec.id, p.response.id);
    assert_span(rec.date_text, "2020-09-13T12:26:40.123456Z");
    assert_true(rec.date == AT);
    assert_span(rec.target, "http://example.com/");
    assert_span(rec.ip, "192.0.2.1");
    assert_span(rec.warcinfo_id, info_id);
    assert_true(sharc_span_starts(rec.block_digest, SHARC_SPAN("sha256:")));
    check_digest(&rec, SHARC_WARC_PAYLOAD, rec.payload_digest);

    assert_int_equal(sharc_warc_next(in, &rec, NULL), 1);
    assert_int_equal(rec.type, SHARC_WARC_REQUEST);
    assert_span(rec.concurrent_to, p.response.id);
    assert_null(rec.payload_digest.p);
    check_digest(&rec, SHARC_WARC_BLOCK, rec.block_digest);

    assert_int_equal(sharc_warc_next(in, &rec, NULL), 1);
    assert_int_equal(rec.type, SHARC_WARC_METADATA);
    assert_span(rec.concurrent_to, p.response.id);
    assert_span(rec.content_type, "application/warc-fields");
    assert_true(rec.date == AT);
    assert_int_equal(sharc_warc_next(in, &rec, NULL), 0);
    sharc_warc_close(in);
    sharc_warc_writer_free(w);
    test_rmdir(dir);
}

static void check_revisit(bool not_modified, const char *profile)
{
    char *dir = test_mkdir();
    struct sharc_warc_writer *w = writer(dir, (struct sharc_warc_writer_options){.digest = SHARC_SHA1});
    struct sharc_warc_fetch_places p, q;
    char digest[SHARC_DIGEST_TEXT];
    assert_int_equal(sharc_warc_write_fetch(w, AT, &a_fetch, &p, NULL), 0);
    struct sharc_warc_fetch f = a_fetch;
    f.date = AT + SHARC_HOUR;
    f.original = &p.response;
    f.original_target = a_fetch.target;
    f.original_date = AT;
    f.not_modified = not_modified;
    if (not_modified) f.response = (struct sharc_warc_bytes){.head = SHARC_SPAN("HTTP/1.1 304 Not Modified\r\n\r\n")};
    assert_int_equal(sharc_warc_write_fetch(w, AT, &f, &q, NULL), SHARC_EINVAL); /* no digest */
    f.original_payload_digest = sharc_span_of(sharc_digest_text(&p.response.payload, digest));
    assert_int_equal(sharc_warc_write_fetch(w, AT, &f, &q, NULL), 0);
    assert_int_equal(sharc_warc_writer_finish(w, NULL), 0);
    struct sharc_warc *in = NULL;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, q.response.file);
    assert_int_equal(sharc_warc_open(path, &(struct sharc_warc_options){.offset = q.response.offset}, &in, NULL), 0);
    struct sharc_record rec;
    assert_int_equal(sharc_warc_next(in, &rec, NULL), 1);
    assert_int_equal(rec.type, SHARC_WARC_REVISIT);
    assert_span(rec.profile, profile);
    assert_span(rec.refers_to, p.response.id);
    assert_span(rec.refers_to_target, "http://example.com/");
    assert_span(rec.refers_to_date, "2020-09-13T12:26:40.123456Z");
    assert_span(rec.payload_digest, digest);
    assert_true(sharc_span_starts(rec.payload_digest, SHARC_SPAN("sha1:")));
    assert_int_equal(rec.block_size, f.response.head.n);
    if (!not_modified) assert_span(rec.truncated, "length");
    const struct sharc_http *h = sharc_record_http(&rec);
    assert_non_null(h);
    assert_int_equal(h->status, not_modified ? 304 : 200);
    sharc_warc_close(in);
    sharc_warc_writer_free(w);
    test_rmdir(dir);
}

static void revisits_name_their_original(void **state)
{
    (void)state;
    check_revisit(false, "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest");
    check_revisit(true, "http://netpreserve.org/warc/1.1/revisit/server-not-modified");
}

static void files_roll_over_between_fetches(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_warc_writer *w = writer(dir, (struct sharc_warc_writer_options){.roll = 2000});
    struct sharc_warc_fetch_places p;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(sharc_warc_write_fetch(w, AT, &a_fetch, &p, NULL), 0);
        assert_string_equal(p.response.file, p.metadata.file);
    }
    assert_int_equal(sharc_warc_writer_finish(w, NULL), 0);
    assert_int_equal(sharc_warc_writer_finish(w, NULL), 0);
    sharc_warc_writer_free(w);
    char **names;
    size_t n, records = 0;
    assert_int_equal(sharc_dir_list(dir, &names, &n, NULL), 0);
    assert_true(n > 2);
    for (size_t i = 0; i < n; i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, names[i]);
        struct walk k;
        walk_file(path, NULL, &k);
        assert_int_equal(k.result, 0);
        assert_int_equal(k.types[0], 'w');
        records += k.n - 1;
    }
    assert_int_equal(records, 30);
    sharc_names_free(names, n);
    test_rmdir(dir);
}

/* A body from a temporary file, larger than what is packed in one go. */
static void large_bodies_are_streamed(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *body = sharc_path_join(dir, "body");
    SHARC_AUTO(sharc_closep) int fd = open(body, O_RDWR | O_CREAT, 0600);
    struct sharc_rng rng;
    sharc_rng_init(&rng, 3);
    static char block[1 << 20];
    for (size_t i = 0; i < sizeof block; i++) block[i] = (char)('a' + sharc_rng_below(&rng, 4));
    enum { MEGS = 20 };
    for (int i = 0; i < MEGS; i++) assert_int_equal(write(fd, block, sizeof block), sizeof block);
    for (int plain = 0; plain < 2; plain++) {
        struct sharc_warc_writer *w = writer(dir, (struct sharc_warc_writer_options){.plain = plain});
        struct sharc_warc_fetch_places p;
        struct sharc_warc_fetch f = a_fetch;
        f.response = (struct sharc_warc_bytes){.head = SHARC_SPAN("HTTP/1.1 200 OK\r\n\r\n"),
                                               .body = SHARC_SPAN("start"),
                                               .fd = fd,
                                               .fd_at = 1,
                                               .fd_size = (MEGS << 20) - 1};
        assert_int_equal(sharc_warc_write_fetch(w, AT, &f, &p, NULL), 0);
        assert_int_equal(sharc_warc_writer_finish(w, NULL), 0);
        struct sharc_warc *in = reopen(dir, p.response.file);
        struct sharc_record rec;
        assert_int_equal(sharc_warc_next(in, &rec, NULL), 1);
        assert_int_equal(sharc_warc_next(in, &rec, NULL), 1);
        assert_int_equal(rec.block_size, 19 + 5 + (MEGS << 20) - 1);
        assert_non_null(sharc_record_http(&rec));
        check_digest(&rec, SHARC_WARC_PAYLOAD, rec.payload_digest);
        assert_int_equal(sharc_warc_next(in, &rec, NULL), 1);
        assert_int_equal(rec.type, SHARC_WARC_REQUEST);
        assert_int_equal(rec.offset, p.request.offset);
        sharc_warc_close(in);
        sharc_warc_writer_free(w);
    }
    test_rmdir(dir);
}

static void copies_are_byte_for_byte(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    put_record(&b, "response", AS_RESPONSE "X-Odd:  kept \r\n", SHARC_SPAN(HTTP_OK "body"));
    put_record(&b, "resource", "WARC-Target-URI: dns:x\r\n", SHARC_SPAN(""));
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "copy.warc");
    struct sharc_warc_writer *w =
        writer(dir, (struct sharc_warc_writer_options){.path = path, .no_info = true, .plain = true});
    struct sharc_warc *in = NULL;
    struct sharc_record rec;
    struct sharc_warc_place p;
    assert_int_equal(sharc_warc_open_bytes(sharc_buf_span(&b), NULL, &in, NULL), 0);
    while (sharc_warc_next(in, &rec, NULL) > 0)
        assert_int_equal(sharc_warc_write_copy(w, AT, &rec, SHARC_SPAN_NONE, &p, NULL), 0);
    assert_int_equal(sharc_warc_writer_finish(w, NULL), 0);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf copy = SHARC_BUF_INIT(1 << 20);
    assert_int_equal(sharc_file_read(path, &copy, NULL), 0);
    assert_true(sharc_span_eq(sharc_buf_span(&b), sharc_buf_span(&copy)));
    sharc_warc_close(in);
    sharc_warc_writer_free(w);
    test_rmdir(dir);
}

static void fields_cannot_be_forged(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_warc_writer *w = writer(dir, (struct sharc_warc_writer_options){.seed = 1});
    struct sharc_warc_entry e = {.type = SHARC_WARC_METADATA,
                                 .date = AT,
                                 .target = SHARC_SPAN("http://x/\r\nWARC-Type: response"),
                                 .block.body = SHARC_SPAN("x")};
    assert_int_equal(sharc_warc_write(w, AT, &e, NULL, NULL), SHARC_EINVAL);
    sharc_warc_writer_free(w);
    test_rmdir(dir);
}

/* Whatever is written comes back the same, in random shapes and sizes. */
static void what_is_written_is_read_again(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 11);
    static char bytes[3 << 20];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)sharc_rng_below(&rng, 1 + i % 256);
    char *dir = test_mkdir();
    struct sharc_warc_writer *w = writer(dir, (struct sharc_warc_writer_options){.seed = 5, .level = 1});
    struct {
        size_t at, n;
        uint64_t offset;
    } made[60];
    struct sharc_warc_place p;
    for (int i = 0; i < 60; i++) {
        made[i].n = sharc_rng_below(&rng, i % 10 == 9 ? 2 << 20 : 5000);
        made[i].at = sharc_rng_below(&rng, sizeof bytes - made[i].n);
        struct sharc_warc_entry e = {.type = SHARC_WARC_RESOURCE,
                                     .date = AT,
                                     .target = SHARC_SPAN("http://example.com/r"),
                                     .block.body = {bytes + made[i].at, made[i].n}};
        assert_int_equal(sharc_warc_write(w, AT, &e, &p, NULL), 0);
        made[i].offset = p.offset;
    }
    assert_int_equal(sharc_warc_writer_finish(w, NULL), 0);
    struct sharc_warc *in = reopen(dir, p.file);
    struct sharc_record rec;
    assert_int_equal(sharc_warc_next(in, &rec, NULL), 1);
    for (int i = 0; i < 60; i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4 << 20);
        assert_int_equal(sharc_warc_next(in, &rec, NULL), 1);
        assert_int_equal(rec.offset, made[i].offset);
        assert_int_equal(sharc_record_read_all(&rec, SHARC_WARC_BLOCK, &b, NULL), 0);
        assert_true(sharc_span_eq(sharc_buf_span(&b), sharc_span(bytes + made[i].at, made[i].n)));
    }
    assert_int_equal(sharc_warc_next(in, &rec, NULL), 0);
    sharc_warc_close(in);
    sharc_warc_writer_free(w);
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_fetch_becomes_joined_records),
    cmocka_unit_test(packed_ahead_or_in_turn_is_the_same),
    cmocka_unit_test(packed_for_another_file_is_packed_again),
    cmocka_unit_test(revisits_name_their_original),
    cmocka_unit_test(files_roll_over_between_fetches),
    cmocka_unit_test(large_bodies_are_streamed),
    cmocka_unit_test(copies_are_byte_for_byte),
    cmocka_unit_test(fields_cannot_be_forged),
    cmocka_unit_test(what_is_written_is_read_again),
};
TEST_MAIN(tests)
