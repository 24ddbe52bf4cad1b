/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_file.h"
#include "sharc/base_zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char text[] = "The same words again and again, the same words again and again, the same words again.";

/* archive/a stored in pieces, b.txt deflated, empty, and "x" stored since it cannot
 * shrink. */
static char *make(const char *dir)
{
    char *path = sharc_path_join(dir, "a.zip");
    SHARC_AUTO(sharc_zip_writer_freep) struct sharc_zip_writer *w = NULL;
    assert_int_equal(sharc_zip_writer_new(path, 1700000000 * SHARC_SEC, &w, NULL), 0);
    assert_int_equal(sharc_zip_begin(w, "archive/a", 0, NULL), 0);
    for (int i = 0; i < 3; i++) assert_int_equal(sharc_zip_write(w, SHARC_SPAN("piece "), NULL), 0);
    assert_int_equal(sharc_zip_end(w, NULL), 0);
    assert_int_equal(sharc_zip_add(w, "b.txt", sharc_span(text, sizeof text - 1), NULL), 0);
    assert_int_equal(sharc_zip_add(w, "empty", SHARC_SPAN(""), NULL), 0);
    assert_int_equal(sharc_zip_add(w, "x", SHARC_SPAN("x"), NULL), 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(sharc_zip_writer_commit(w, NULL), 0);
    return path;
}

static void written_is_read(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = make(dir);
    struct sharc_zip z;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4096);
    assert_int_equal(sharc_zip_open(&z, path, &err), 0);
    assert_int_equal(z.count, 4);
    assert_span(z.entries[0].name, "archive/a");
    assert_int_equal(z.entries[0].method, SHARC_ZIP_STORED);
    struct sharc_span raw;
    assert_int_equal(sharc_zip_raw(&z, &z.entries[0], &raw, NULL), 0);
    assert_span(raw, "piece piece piece ");
    const struct sharc_zip_entry *e = sharc_zip_find(&z, SHARC_SPAN("b.txt"));
    assert_non_null(e);
    assert_int_equal(e->method, SHARC_ZIP_DEFLATED);
    assert_true(e->packed < e->size);
    assert_int_equal(sharc_zip_read(&z, e, &b, &err), 0);
    assert_span(sharc_buf_span(&b), text);
    assert_int_equal(sharc_zip_read(&z, sharc_zip_find(&z, SHARC_SPAN("empty")), &b, NULL), 0);
    assert_int_equal(b.n, 0);
    assert_int_equal(sharc_zip_find(&z, SHARC_SPAN("x"))->method, SHARC_ZIP_STORED);
    assert_null(sharc_zip_find(&z, SHARC_SPAN("y")));
    sharc_zip_done(&z);
    test_rmdir(dir);
}

static void other_programs_read_it(void **state)
{
    (void)state;
    if (system("command -v python3 >/dev/null 2>&1") != 0) skip();
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = make(dir);
    SHARC_AUTO(sharc_freep)
    char *command = sharc_asprintf("python3 -c \"import sys,zipfile\n"
                                   "z = zipfile.ZipFile(sys.argv[1])\n"
                                   "sys.exit(z.testzip() is not None or z.read('archive/a') != b'piece ' * 3 or "
                                   "len(z.read('b.txt')) != %zu)\" %s",
                                   sizeof text - 1, path);
    assert_int_equal(system(command), 0);
    test_rmdir(dir);
}

/* Larger than what the writer keeps pending: the header is patched on disk. */
static void long_entries_are_patched(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "b.zip");
    SHARC_AUTO(sharc_freep) char *block = sharc_calloc(1, 300000);
    SHARC_AUTO(sharc_zip_writer_freep) struct sharc_zip_writer *w = NULL;
    assert_int_equal(sharc_zip_writer_new(path, 0, &w, NULL), 0);
    for (int k = 0; k < 3; k++) {
        char name[] = {(char)('a' + k), 0};
        assert_int_equal(sharc_zip_begin(w, name, 0, NULL), 0);
        for (int i = 0; i < 7; i++) {
            memset(block, 'a' + i + k, 300000);
            assert_int_equal(sharc_zip_write(w, sharc_span(block, (size_t)(300000 - k * 77777)), NULL), 0);
        }
        assert_int_equal(sharc_zip_end(w, NULL), 0);
    }
    assert_int_equal(sharc_zip_writer_commit(w, NULL), 0);
    struct sharc_zip z;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4 << 20);
    assert_int_equal(sharc_zip_open(&z, path, NULL), 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(sharc_zip_read(&z, &z.entries[i], &b, NULL), 0); /* checks the CRC */
        assert_int_equal(b.n, 7 * (300000 - i * 77777));
    }
    sharc_zip_done(&z);
    test_rmdir(dir);
}

/* A ZIP64 end of directory and extra field, written by hand around a stored entry. */
static void reads_zip64(void **state)
{
    (void)state;
    static const char zip[] =
        "PK\3\4\55\0\0\0\0\0\0\0\0\0\x83\x16\xdc\x8c\xff\xff\xff\xff\xff\xff\xff\xff\1\0\24\0x"
        "\1\0\20\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0x"
        "PK\1\2\55\0\55\0\0\0\0\0\0\0\0\0\x83\x16\xdc\x8c\xff\xff\xff\xff\xff\xff\xff\xff\1\0\34\0\0\0\0\0\0\0\0\0\0\0"
        "\xff\xff\xff\xffx\1\0\30\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "PK\6\6\54\0\0\0\0\0\0\0\55\0\55\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\x4b\0\0\0\0\0\0\0\x34\0\0\0"
        "\0\0\0\0"
        "PK\6\7\0\0\0\0\x7f\0\0\0\0\0\0\0\1\0\0\0"
        "PK\5\6\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0";
    struct sharc_zip z;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(16);
    int r = sharc_zip_open_bytes(&z, "zip64", sharc_span(zip, sizeof zip - 1), &err);
    if (r < 0) fail_msg("%s", err.text);
    assert_int_equal(z.count, 1);
    assert_int_equal(z.entries[0].size, 1);
    assert_int_equal(sharc_zip_read(&z, &z.entries[0], &b, &err), 0);
    assert_span(sharc_buf_span(&b), "x");
    sharc_zip_done(&z);
}

/* Entries that might reach 4 GiB have ZIP64 fields, alike in both headers. */
static void writes_zip64(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "big.zip");
    SHARC_AUTO(sharc_zip_writer_freep) struct sharc_zip_writer *w = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4096);
    assert_int_equal(sharc_zip_writer_new(path, 0, &w, NULL), 0);
    assert_int_equal(sharc_zip_begin(w, "big", (uint64_t)5 << 30, NULL), 0);
    assert_int_equal(sharc_zip_write(w, SHARC_SPAN("not so big"), NULL), 0);
    assert_int_equal(sharc_zip_end(w, NULL), 0);
    assert_int_equal(sharc_zip_writer_commit(w, NULL), 0);
    struct sharc_zip z;
    assert_int_equal(sharc_zip_open(&z, path, NULL), 0);
    assert_int_equal(sharc_zip_read(&z, &z.entries[0], &b, NULL), 0);
    assert_span(sharc_buf_span(&b), "not so big");
    const unsigned char *local = (const unsigned char *)z.bytes.p;
    size_t entry = sharc_span_search(z.bytes, SHARC_SPAN("PK\1\2"));
    assert_int_equal(local[28], 20);
    assert_int_equal(local[entry + 30], 20);
    sharc_zip_done(&z);
    if (system("command -v python3 >/dev/null 2>&1") == 0) {
        SHARC_AUTO(sharc_freep)
        char *command = sharc_asprintf("python3 -c \"import sys,zipfile\n"
                                       "sys.exit(zipfile.ZipFile(sys.argv[1]).read('big') != b'not so big')\" %s",
                                       path);
        assert_int_equal(system(command), 0);
    }
    test_rmdir(dir);
}

static struct sharc_buf read_zip(const char *dir)
{
    SHARC_AUTO(sharc_freep) char *path = make(dir);
    struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    assert_int_equal(sharc_file_read(path, &b, NULL), 0);
    return b;
}

/* Whatever one byte of the file becomes, nothing is read outside, and content that
 * comes out is the true one or refused. */
static void survives_every_changed_byte(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_buf_done) struct sharc_buf good = read_zip(dir), out = SHARC_BUF_INIT(4096);
    for (size_t i = 0; i < good.n; i++) {
        for (int bit = 0; bit < 8; bit += 7) {
            SHARC_AUTO(sharc_freep) char *copy = sharc_malloc(good.n);
            memcpy(copy, good.p, good.n);
            copy[i] ^= (char)(1 << bit);
            struct sharc_zip z;
            if (sharc_zip_open_bytes(&z, "changed", sharc_span(copy, good.n), NULL) < 0) continue;
            for (size_t k = 0; k < z.count; k++) {
                int r = sharc_zip_read(&z, &z.entries[k], &out, NULL);
                if (r == 0 && k == 1) assert_span(sharc_buf_span(&out), text);
            }
            sharc_zip_done(&z);
        }
    }
    test_rmdir(dir);
}

static void refuses_cut_files(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_buf_done) struct sharc_buf good = read_zip(dir);
    for (size_t n = 0; n < good.n; n++) {
        SHARC_AUTO(sharc_freep) char *copy = sharc_malloc(n ? n : 1);
        memcpy(copy, good.p, n);
        struct sharc_zip z;
        struct sharc_err err = SHARC_ERR_INIT;
        assert_int_equal(sharc_zip_open_bytes(&z, "cut", sharc_span(copy, n), &err), SHARC_ECORRUPT);
        assert_non_null(strstr(err.text, "cut:"));
    }
    test_rmdir(dir);
}

static void refuses_names_that_leave(void **state)
{
    (void)state;
    static const char *const names[] = {"../a", "/a", "a/../b", "a\\b", "."};
    char *dir = test_mkdir();
    for (size_t i = 0; i < SHARC_LENGTH(names); i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "n.zip");
        SHARC_AUTO(sharc_zip_writer_freep) struct sharc_zip_writer *w = NULL;
        assert_int_equal(sharc_zip_writer_new(path, 0, &w, NULL), 0);
        assert_int_equal(sharc_zip_add(w, names[i], SHARC_SPAN("x"), NULL), 0);
        assert_int_equal(sharc_zip_writer_commit(w, NULL), 0);
        struct sharc_zip z;
        assert_int_equal(sharc_zip_open(&z, path, NULL), SHARC_ECORRUPT);
    }
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(written_is_read),
    cmocka_unit_test(other_programs_read_it),
    cmocka_unit_test(long_entries_are_patched),
    cmocka_unit_test(reads_zip64),
    cmocka_unit_test(writes_zip64),
    cmocka_unit_test(survives_every_changed_byte),
    cmocka_unit_test(refuses_cut_files),
    cmocka_unit_test(refuses_names_that_leave),
};
TEST_MAIN(tests)
