/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "../../src/base/base_int.h"
#include "sharc/base_codec.h"
#include "sharc/base_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct place {
    char *dir, *path;
};

static int set_up(void **state)
{
    struct place *p = SHARC_NEW(struct place);
    p->dir = test_mkdir();
    p->path = sharc_path_join(p->dir, "file");
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    struct place *p = *state;
    chmod(p->dir, 0755);
    free(p->path);
    test_rmdir(p->dir);
    free(p);
    return 0;
}

static void expect_content(const char *path, const char *want)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_file_read(path, &b, &err) < 0) fail_msg("%s", err.text);
    assert_span(sharc_buf_span(&b), want);
}

static size_t entries(const char *dir)
{
    char **names;
    size_t n;
    assert_int_equal(sharc_dir_list(dir, &names, &n, NULL), 0);
    sharc_names_free(names, n);
    return n;
}

static void test_read(void **state)
{
    struct place *p = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(10);
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("0123456789"), &err), 0);
    assert_int_equal(sharc_file_read(p->path, &b, &err), 0); /* exactly the maximum */
    assert_span(sharc_buf_span(&b), "0123456789");
    assert_int_equal(sharc_file_read(p->path, &b, &err), 0); /* cleared first */
    assert_int_equal(b.n, 10);
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("0123456789x"), &err), 0);
    assert_int_equal(sharc_file_read(p->path, &b, &err), SHARC_ELIMIT);
    assert_non_null(strstr(err.text, p->path));
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN_NONE, &err), 0);
    assert_int_equal(sharc_file_read(p->path, &b, &err), 0);
    assert_int_equal(b.n, 0);
    assert_int_equal(sharc_file_read(p->dir, &b, &err), SHARC_EIO);
    assert_non_null(strstr(err.text, "directory"));
    assert_int_equal(sharc_file_read("/nowhere/at/all", &b, &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "/nowhere/at/all: cannot open"));
    SHARC_AUTO(sharc_buf_done) struct sharc_buf device = SHARC_BUF_INIT(100000);
    assert_int_equal(sharc_file_read("/dev/zero", &device, &err), SHARC_ELIMIT); /* no size, no end */
}

static void test_read_large(void **state)
{
    struct place *p = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4u << 20), back = SHARC_BUF_INIT(4u << 20);
    for (uint64_t i = 0; b.n < 3000000; i++) sharc_buf_put_u64(&b, i);
    assert_int_equal(sharc_file_replace(p->path, sharc_buf_span(&b), NULL), 0);
    assert_int_equal(sharc_file_read(p->path, &back, NULL), 0);
    assert_true(sharc_span_eq(sharc_buf_span(&b), sharc_buf_span(&back)));
}

static void test_read_any(void **state)
{
    struct place *p = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1000), b = SHARC_BUF_INIT(1000);
    struct sharc_deflate *d = sharc_deflate_new(6);
    sharc_deflate_member(d, SHARC_SPAN("some text"), &packed);
    sharc_deflate_free(d);
    assert_int_equal(sharc_file_replace(p->path, sharc_buf_span(&packed), NULL), 0);
    assert_int_equal(sharc_file_read_any(p->path, &b, &err), 0);
    assert_span(sharc_buf_span(&b), "some text");
    assert_int_equal(sharc_file_replace(p->path, sharc_span(packed.p, packed.n - 3), NULL), 0);
    assert_int_equal(sharc_file_read_any(p->path, &b, &err), SHARC_ETRUNC);
    assert_int_equal(strncmp(err.text, p->path, strlen(p->path)), 0);
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("plain"), NULL), 0);
    assert_int_equal(sharc_file_read_any(p->path, &b, &err), 0);
    assert_span(sharc_buf_span(&b), "plain");
}

static void test_map(void **state)
{
    struct place *p = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_filemap m;
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("mapped"), NULL), 0);
    assert_int_equal(sharc_filemap_open(&m, p->path, &err), 0);
    assert_span(m.bytes, "mapped");
    sharc_filemap_done(&m);
    sharc_filemap_done(&m);
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN_NONE, NULL), 0);
    assert_int_equal(sharc_filemap_open(&m, p->path, &err), 0);
    assert_int_equal(m.bytes.n, 0);
    sharc_filemap_done(&m);
    assert_int_equal(sharc_filemap_open(&m, "/nowhere", &err), SHARC_ENOENT);
    assert_int_equal(sharc_filemap_open(&m, "/dev/null", &err), SHARC_EINVAL);
}

/* For root a device is a name like any other: it could be replaced. */
static void test_special_files_stay(void **state)
{
    struct place *p = *state;
    char text[8] = "";
    struct stat st;
    unlink(p->path);
    assert_int_equal(mkfifo(p->path, 0600), 0);
    int fd = open(p->path, O_RDONLY | O_NONBLOCK);
    assert_true(fd >= 0);
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("hello"), NULL), 0);
    assert_int_equal(read(fd, text, sizeof text), 5);
    assert_memory_equal(text, "hello", 5);
    assert_int_equal(stat(p->path, &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    close(fd);
}

static void test_replace_keeps_permissions(void **state)
{
    struct place *p = *state;
    struct stat st;
    mode_t mask = umask(022);
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("1"), NULL), 0);
    umask(mask);
    assert_int_equal(stat(p->path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0644);
    assert_int_equal(chmod(p->path, 0600), 0);
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("2"), NULL), 0);
    assert_int_equal(stat(p->path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(entries(p->dir), 1); /* nothing left beside it */
}

static void test_in_pieces(void **state)
{
    struct place *p = *state;
    struct sharc_atomic_file f;
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("old"), NULL), 0);
    assert_int_equal(sharc_atomic_open(&f, p->path, NULL), 0);
    assert_int_equal(sharc_atomic_write(&f, SHARC_SPAN("new "), NULL), 0);
    expect_content(p->path, "old");
    assert_int_equal(sharc_atomic_write(&f, SHARC_SPAN("content"), NULL), 0);
    expect_content(p->path, "old");
    assert_int_equal(sharc_atomic_commit(&f, NULL), 0);
    expect_content(p->path, "new content");
    sharc_atomic_done(&f);
    /* Given up: as if nothing had happened. */
    assert_int_equal(sharc_atomic_open(&f, p->path, NULL), 0);
    assert_int_equal(sharc_atomic_write(&f, SHARC_SPAN("half"), NULL), 0);
    sharc_atomic_done(&f);
    expect_content(p->path, "new content");
    assert_int_equal(entries(p->dir), 1);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf large = SHARC_BUF_INIT(8u << 20), back = SHARC_BUF_INIT(8u << 20);
    for (uint64_t i = 0; large.n < 5000000; i++) sharc_buf_put_u64(&large, i * i);
    assert_int_equal(sharc_atomic_open(&f, p->path, NULL), 0);
    for (size_t at = 0; at < large.n; at += 99999)
        assert_int_equal(sharc_atomic_write(&f, sharc_span_sub(sharc_buf_span(&large), at, at + 99999), NULL), 0);
    assert_int_equal(sharc_atomic_commit(&f, NULL), 0);
    sharc_atomic_done(&f);
    assert_int_equal(sharc_file_read(p->path, &back, NULL), 0);
    assert_true(sharc_span_eq(sharc_buf_span(&large), sharc_buf_span(&back)));
}

/* A process that dies while it writes, at one of several moments, leaves the
 * old content and nothing else; where the file system has no files without a
 * name, what it leaves behind hinders nobody. */
static void die_writing(const char *path, int moment, bool nameless)
{
    struct sharc_atomic_file f;
    if (sharc__base_atomic_open(&f, path, nameless, NULL) < 0) _exit(1);
    if (moment == 0) _exit(0);
    SHARC_AUTO(sharc_freep) char *much = sharc_calloc(3, 1u << 20);
    memset(much, 'x', 3u << 20);
    sharc_atomic_write(&f, sharc_span(much, 3u << 20), NULL); /* part of it reaches the disk */
    if (moment == 1) _exit(0);
    kill(getpid(), SIGKILL);
}

static void crash_while_writing(const char *path, bool nameless)
{
    for (int moment = 0; moment < 3; moment++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            die_writing(path, moment, nameless);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        expect_content(path, "old");
    }
}

static bool knows_nameless_files(const char *dir)
{
    SHARC_AUTO(sharc_closep) int fd = open(dir, O_TMPFILE | O_WRONLY, 0600);
    return fd >= 0;
}

static void test_crash_while_writing(void **state)
{
    struct place *p = *state;
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("old"), NULL), 0);
    crash_while_writing(p->path, true);
    size_t left = knows_nameless_files(p->dir) ? 1 : 4;
    assert_int_equal(entries(p->dir), left);
    crash_while_writing(p->path, false);
    assert_int_equal(entries(p->dir), left + 3);
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("new"), NULL), 0);
    expect_content(p->path, "new");
}

/* The way without files that have no name ends in the same content. */
static void test_named_while_writing(void **state)
{
    struct place *p = *state;
    for (int i = 0; i < 2; i++) { /* new, and replaced */
        struct sharc_atomic_file f;
        assert_int_equal(sharc__base_atomic_open(&f, p->path, false, NULL), 0);
        assert_int_equal(sharc_atomic_write(&f, SHARC_SPAN("named"), NULL), 0);
        assert_int_equal(entries(p->dir), (size_t)i + 1);
        assert_int_equal(sharc_atomic_commit(&f, NULL), 0);
        sharc_atomic_done(&f);
        expect_content(p->path, "named");
        assert_int_equal(entries(p->dir), 1);
    }
    struct sharc_atomic_file f;
    assert_int_equal(sharc__base_atomic_open(&f, p->path, false, NULL), 0);
    sharc_atomic_done(&f);
    assert_int_equal(entries(p->dir), 1);
}

/* Somebody else makes the file in between: it is replaced, as ever. */
static void test_made_meanwhile(void **state)
{
    struct place *p = *state;
    struct sharc_atomic_file f;
    assert_int_equal(sharc_atomic_open(&f, p->path, NULL), 0);
    assert_int_equal(sharc_atomic_write(&f, SHARC_SPAN("mine"), NULL), 0);
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("theirs"), NULL), 0);
    assert_int_equal(sharc_atomic_commit(&f, NULL), 0);
    sharc_atomic_done(&f);
    expect_content(p->path, "mine");
    assert_int_equal(entries(p->dir), 1);
}

static void keep_replacing(const char *path)
{
    static char a[50000], b[70000];
    memset(a, 'a', sizeof a);
    memset(b, 'b', sizeof b);
    for (int i = 0; i < 100; i++)
        sharc_file_replace(path, i % 2 ? sharc_span(a, sizeof a) : sharc_span(b, sizeof b), NULL);
}

/* A reader at any moment sees one content or the other, never a mixture. */
static void test_never_a_mixture(void **state)
{
    struct place *p = *state;
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("a"), NULL), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        keep_replacing(p->path);
        _exit(0);
    }
    int status = 0;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf buf = SHARC_BUF_INIT(1u << 20);
    while (waitpid(child, &status, WNOHANG) == 0) {
        assert_int_equal(sharc_file_read(p->path, &buf, NULL), 0);
        assert_true(buf.n == 1 || buf.n == 50000 || buf.n == 70000);
        for (size_t i = 0; i < buf.n; i++) assert_int_equal(buf.p[i], buf.p[0]);
    }
    assert_int_equal(status, 0);
}

static void test_unwritable(void **state)
{
    struct place *p = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *inside = sharc_path_join(p->path, "x");
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("old"), NULL), 0);
    assert_int_equal(sharc_file_replace(inside, SHARC_SPAN("x"), &err), SHARC_ENOENT); /* a file is no directory */
    assert_non_null(strstr(err.text, inside));
    assert_int_equal(sharc_file_replace("/nowhere/at/all", SHARC_SPAN("x"), &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "/nowhere/at/all: cannot create: "));
    assert_null(strchr(err.text, '\n'));
    SHARC_AUTO(sharc_freep) char *sub = sharc_path_join(p->dir, "sub");
    assert_int_equal(sharc_dir_make(sub, NULL), 0);
    assert_int_equal(sharc_file_replace(sub, SHARC_SPAN("x"), &err) < 0, 1); /* a directory is not replaced */
    assert_int_equal(entries(p->dir), 2);
    if (geteuid() == 0) return; /* root may write everywhere */
    assert_int_equal(chmod(p->dir, 0555), 0);
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("new"), &err), SHARC_EACCESS);
    assert_non_null(strstr(err.text, p->path));
    expect_content(p->path, "old");
}

/* Names of objects are no paths: nothing comes into being here, not even a directory "s3:". */
static void test_not_into_object_stores(void **state)
{
    struct place *p = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *before = getcwd(NULL, 0);
    assert_non_null(before);
    assert_int_equal(chdir(p->dir), 0);
    assert_int_equal(sharc_file_replace("s3://bucket/x.html", SHARC_SPAN("x"), &err), SHARC_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "s3://bucket/x.html: cannot be written to an object store; name a local file"));
    assert_int_equal(sharc_dir_make("s3+http://localhost:1/bucket/dir", &err), SHARC_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "s3+http://localhost:1/bucket/dir: cannot be written"));
    assert_int_equal(entries(p->dir), 0);
    assert_int_equal(chdir(before), 0);
}

static void test_directories(void **state)
{
    struct place *p = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *deep = sharc_path_join(p->dir, "a/b//c/");
    assert_int_equal(sharc_dir_make(deep, &err), 0);
    assert_int_equal(sharc_dir_make(deep, &err), 0); /* again */
    for (const char *const *name = (const char *const[]){"z", "B", "a1", "\xc3\xa9", NULL}; *name; name++) {
        SHARC_AUTO(sharc_freep) char *file = sharc_path_join(deep, *name);
        assert_int_equal(sharc_file_replace(file, SHARC_SPAN("x"), NULL), 0);
    }
    char **names;
    size_t n;
    assert_int_equal(sharc_dir_list(deep, &names, &n, &err), 0);
    assert_int_equal(n, 4);
    assert_string_equal(names[0], "B");
    assert_string_equal(names[1], "a1");
    assert_string_equal(names[2], "z");
    assert_string_equal(names[3], "\xc3\xa9");
    sharc_names_free(names, n);
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("x"), NULL), 0);
    assert_int_equal(sharc_dir_make(p->path, &err), SHARC_EEXIST);
    SHARC_AUTO(sharc_freep) char *below = sharc_path_join(p->path, "below");
    assert_true(sharc_dir_make(below, &err) < 0);
    assert_int_equal(sharc_dir_list("/nowhere", &names, &n, &err), SHARC_ENOENT);
    sharc_names_free(NULL, 0);
    SHARC_AUTO(sharc_freep) char *joined = sharc_path_join("dir/", "name");
    assert_string_equal(joined, "dir/name");
}

static void test_parts_of_paths(void **state)
{
    (void)state;
    static const char *const rows[][3] = {{"name", ".", "name"}, {"/name", "/", "name"},  {"a/b/name", "a/b", "name"},
                                          {"dir/", "dir", ""},   {"./name", ".", "name"}, {"", ".", ""}};
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        SHARC_AUTO(sharc_freep) char *parent = sharc_path_parent(rows[i][0]);
        assert_string_equal(parent, rows[i][1]);
        assert_string_equal(sharc_path_last(rows[i][0]), rows[i][2]);
    }
}

#define WITH_PLACE(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
static const struct CMUnitTest tests[] = {
    WITH_PLACE(test_read),
    WITH_PLACE(test_read_large),
    WITH_PLACE(test_read_any),
    WITH_PLACE(test_map),
    WITH_PLACE(test_special_files_stay),
    WITH_PLACE(test_replace_keeps_permissions),
    WITH_PLACE(test_in_pieces),
    WITH_PLACE(test_crash_while_writing),
    WITH_PLACE(test_named_while_writing),
    WITH_PLACE(test_made_meanwhile),
    WITH_PLACE(test_never_a_mixture),
    WITH_PLACE(test_unwritable),
    WITH_PLACE(test_not_into_object_stores),
    WITH_PLACE(test_directories),
    cmocka_unit_test(test_parts_of_paths),
};
TEST_MAIN(tests)
