/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that somebody shortens, replaces or takes away while they are served, and servers that are killed.
 */
#include "server_test.h"

#include "sharc/wacz.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void shorten(const struct story *s, const char *name, off_t size)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(s->dir, name);
    assert_int_equal(truncate(path, size), 0);
}

/* Bytes that do not compress, so that records are long. */
static void put_noise(struct sharc_buf *b, size_t n)
{
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        sharc_buf_put_char(b, (char)('!' + x % 90));
    }
}

#define PAGE "/web/20261101100000"

static void test_a_warc(void **state)
{
    struct story *s = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    sharc_buf_put_str(&b, HTML);
    put_noise(&b, 200000);
    warc_answer(s->w, 0, "http://a.example/first", HTML "first");
    warc_answer(s->w, 0, "http://a.example/page", sharc_buf_str(&b));
    warc_answer(s->w, 0, "http://a.example/last", HTML "last");
    serve(s);
    assert_get(s, PAGE "/http://a.example/last", 200, "last");
    shorten(s, "a.warc.gz", 60000);
    static const char *const targets[] = {PAGE "/http://a.example/page", PAGE "id_/http://a.example/page",
                                          PAGE "/http://a.example/last"};
    for (size_t i = 0; i < SHARC_LENGTH(targets); i++) {
        SHARC_AUTO(sharc_freep) char *a = get(s->replay, targets[i]);
        if (status_of(a) != 503) fail_msg("%s: %s", targets[i], a);
        assert_line(a, REPLAY_CSP);
        assert_no_header(a, "Memento-Datetime");
    }
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_collection_refresh(s->c, &err), &err);
    assert_get(s, PAGE "/http://a.example/first", 200, "first");
    SHARC_AUTO(sharc_freep) char *gone = get(s->replay, PAGE "/http://a.example/last");
    assert_int_equal(status_of(gone), 404); /* as the files say now */
}

/* The client has the head, and must see that something is missing. */
static void expect_cut(struct story *s, uint16_t port, const char *target, const char *file, off_t size)
{
    SHARC_AUTO(sharc_freep)
    char *request = sharc_asprintf("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: y\r\n\r\n", target);
    int fd = client_dial(port);
    int small = 256 << 10; /* less, and the system itself waits before it sends */
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    client_send(fd, request, strlen(request));
    char some[4096];
    ssize_t n = recv(fd, some, sizeof some, 0);
    assert_true(n > 0);
    assert_memory_equal(some, "HTTP/1.1 200", 12);
    shorten(s, file, size);
    uint64_t got = (uint64_t)n, zeros = 0;
    while ((n = recv(fd, some, sizeof some, 0)) > 0) {
        got += (uint64_t)n;
        for (ssize_t i = 0; i < n; i++) zeros += some[i] == 0;
    }
    close(fd);
    assert_int_equal(zeros, 0);
    assert_true(got < 30000000);
}

static void test_what_is_being_sent(void **state)
{
    struct story *s = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(64u << 20);
    sharc_buf_put_str(&b, "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n");
    put_noise(&b, 30000000);
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(s->dir, "plain.warc");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf plain = SHARC_BUF_INIT(64u << 20);
    sharc_buf_printf(
        &plain,
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2026-11-01T10:00:00Z\r\n"
        "WARC-Target-URI: http://a.example/plain\r\nContent-Type: application/http; msgtype=response\r\n"
        "Content-Length: %zu\r\n\r\n",
        b.n);
    sharc_buf_put(&plain, sharc_buf_span(&b));
    sharc_buf_put_str(&plain, "\r\n\r\n");
    assert_int_equal(sharc_file_replace(path, sharc_buf_span(&plain), NULL), 0);
    warc_answer(s->w, 0, "http://a.example/packed", sharc_buf_str(&b));
    warc_answer(s->w, 0, "http://a.example/small", HTML "small");
    serve(s);
    assert_get(s, PAGE "/http://a.example/small", 200, "small");
    expect_cut(s, s->replay, PAGE "im_/http://a.example/plain", "plain.warc", 1000000);
    expect_cut(s, s->replay, PAGE "im_/http://a.example/packed", "a.warc.gz", 1000000);
    assert_int_equal(sharc_file_replace(path, sharc_buf_span(&plain), NULL), 0);
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_collection_refresh(s->c, &err), &err);
    expect_cut(s, s->pages, "/files/plain.warc", "plain.warc", 1000000);
}

static void put_index(const struct story *s, int lines, uint64_t offset)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(64u << 20);
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(s->dir, "i.cdxj");
    for (int i = 0; i < lines; i++)
        sharc_buf_printf(&b,
                         "example,a)/%06d 20261101100000 {\"url\": \"http://a.example/%06d\", \"status\": \"200\", "
                         "\"offset\": \"%llu\", \"filename\": \"a.warc.gz\"}\n",
                         i, i, (unsigned long long)offset);
    assert_int_equal(sharc_file_replace(path, sharc_buf_span(&b), NULL), 0);
}

/* Of an index that was shortened nobody may say that it has no capture. */
static void test_an_index(void **state)
{
    static const int sizes[] = {20, 20000}; /* lines: within a page, and many pages */
    for (size_t k = 0; k < SHARC_LENGTH(sizes); k++) {
        if (k) assert_int_equal(begin(state), 0);
        struct story *s = *state;
        struct sharc_warc_place place = warc_answer(s->w, 0, "http://a.example/000000", HTML "zero");
        SHARC_AUTO(sharc_freep) char *index = sharc_path_join(s->dir, "i.cdxj");
        s->index = index;
        put_index(s, sizes[k], place.offset);
        serve(s);
        assert_get(s, PAGE "/http://a.example/000000", 200, "zero");
        shorten(s, "i.cdxj", 200);
        SHARC_AUTO(sharc_freep)
        char *last = sharc_asprintf(PAGE "/http://a.example/%06d", sizes[k] - 1);
        SHARC_AUTO(sharc_freep) char *a = get(s->replay, last);
        if (status_of(a) != 503) fail_msg("%s", a);
        SHARC_AUTO(sharc_freep) char *list = get(s->pages, "/cdx?url=a.example/*");
        assert_null(strstr(list, "000019"));
        assert_true(memchr(body_of(list), 0, strlen(body_of(list))) == NULL);
        SHARC_AUTO(sharc_freep) char *map = get(s->replay, "/timemap/link/http://a.example/000019");
        assert_int_equal(status_of(map), 503);
        if (!k) end(state);
    }
}

/* A container brings its own index, which lies at its end. */
static void test_a_container(void **state)
{
    struct story *s = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_wacz_written made;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_freep) char *third = sharc_path_join(s->dir, "third");
    SHARC_AUTO(sharc_freep) char *packed = sharc_path_join(third, "p.warc.gz");
    SHARC_AUTO(sharc_freep) char *wacz = sharc_path_join(s->dir, "c.wacz");
    const char *in = packed;
    sharc_buf_put_str(&b, HTML);
    put_noise(&b, 200000);
    must(sharc_dir_make(third, &err), &err);
    struct sharc_warc_writer *w = warc_begin(third, "p.warc.gz");
    warc_answer(w, 0, "http://b.example/page", sharc_buf_str(&b));
    warc_answer(w, 0, "http://b.example/last", HTML "last");
    warc_end(w);
    must(sharc_wacz_write(wacz, &in, 1, &(struct sharc_wacz_options){.now = AT(30)}, &made, &err), &err);
    unlink(packed);
    warc_answer(s->w, 0, "http://a.example/", HTML "other");
    serve(s);
    assert_get(s, PAGE "/http://b.example/last", 200, "last");
    shorten(s, "c.wacz", 50000);
    static const char *const targets[] = {PAGE "/http://b.example/page", PAGE "id_/http://b.example/page",
                                          PAGE "/http://b.example/last", PAGE "/http://b.example/never"};
    for (size_t i = 0; i < SHARC_LENGTH(targets); i++) {
        SHARC_AUTO(sharc_freep) char *a = get(s->replay, targets[i]);
        if (status_of(a) != 503) fail_msg("%s: %s", targets[i], a);
    }
    must(sharc_collection_refresh(s->c, &err), &err); /* it is left out now */
    assert_get(s, PAGE "/http://a.example/", 200, "other");
    SHARC_AUTO(sharc_freep) char *gone = get(s->replay, PAGE "/http://b.example/last");
    assert_int_equal(status_of(gone), 404);
}

static void test_files_come_change_and_go(void **state)
{
    struct story *s = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    warc_answer(s->w, 0, "http://a.example/1", HTML "one");
    serve(s);
    struct sharc_warc_writer *w = warc_begin(s->dir, "b.warc.gz");
    warc_answer(w, 0, "http://a.example/0", HTML "zero");
    warc_answer(w, 0, "http://a.example/2", HTML "two");
    warc_end(w);
    must(sharc_collection_refresh(s->c, &err), &err);
    assert_get(s, PAGE "/http://a.example/0", 200, "zero");
    assert_get(s, PAGE "/http://a.example/1", 200, "one");
    assert_get(s, PAGE "/http://a.example/2", 200, "two");
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(s->dir, "b.warc.gz");
    unlink(path);
    w = warc_begin(s->dir, "b.warc.gz");
    warc_answer(w, 0, "http://a.example/2", HTML "other");
    warc_end(w);
    must(sharc_collection_refresh(s->c, &err), &err);
    assert_get(s, PAGE "/http://a.example/2", 200, "other");
    SHARC_AUTO(sharc_freep) char *cdx = get(s->pages, "/cdx?url=a.example/*&fl=urlkey");
    assert_int_equal(count_of(cdx, "example,a)/"), 2);
    unlink(path);
    must(sharc_collection_refresh(s->c, &err), &err);
    SHARC_AUTO(sharc_freep) char *gone = get(s->replay, PAGE "/http://a.example/2");
    assert_int_equal(status_of(gone), 404);
    assert_get(s, PAGE "/http://a.example/1", 200, "one");
}

static size_t entries(const char *directory)
{
    size_t n = 0;
    DIR *d = opendir(directory);
    assert_non_null(d);
    while (readdir(d)) n++;
    closedir(d);
    return n - 2;
}

/* A server that is killed leaves nothing where it had its index. */
static void test_killed(void **state)
{
    struct story *s = *state;
    SHARC_AUTO(sharc_freep) char *temporary = sharc_path_join(s->dir, "tmp");
    assert_int_equal(sharc_dir_make(temporary, NULL), 0);
    for (int i = 0; i < 100; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://a.example/%d", i);
        warc_answer(s->w, i, url, HTML "x");
    }
    warc_end(SHARC_TAKE(s->w));
    int ready[2], status;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        const char *path = s->dir;
        const struct sharc_collection_options o = {.temporary = temporary};
        int r = sharc_collection_open(&path, 1, &o, &s->c, NULL);
        if (write(ready[1], r == 0 ? "y" : "n", 1) != 1) _exit(1);
        for (;;) pause();
    }
    char answer = 0;
    assert_int_equal(read(ready[0], &answer, 1), 1);
    assert_int_equal(answer, 'y');
    assert_int_equal(entries(temporary), 0);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    assert_int_equal(entries(temporary), 0);
    close(ready[0]);
    close(ready[1]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_a_warc, begin, end),
    cmocka_unit_test_setup_teardown(test_what_is_being_sent, begin, end),
    cmocka_unit_test_setup_teardown(test_an_index, begin, end),
    cmocka_unit_test_setup_teardown(test_a_container, begin, end),
    cmocka_unit_test_setup_teardown(test_files_come_change_and_go, begin, end),
    cmocka_unit_test_setup_teardown(test_killed, begin, end),
};
TEST_MAIN(tests)
