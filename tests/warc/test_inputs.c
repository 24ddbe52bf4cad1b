/* SPDX-License-Identifier: Apache-2.0
 *
 * Which files are meant by files, directories, containers, links in circles, and by
 * what is not there.
 */
#include "test.h"

#include "sharc/base_file.h"
#include "sharc/warc_inputs.h"

#include <stdlib.h>
#include <unistd.h>

static const char one_record[] =
    "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:4d2b6a0e-7b0f-4c55-9a3b-5b1f6f2f3c11>\r\n"
    "WARC-Date: 2026-11-01T10:00:00Z\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n";

struct place {
    char *dir;
    struct sharc_warc_inputs in;
    struct sharc_buf told; /* by bad, a line each */
};

static int set_up(void **state)
{
    struct place *p = SHARC_NEW(struct place);
    p->dir = test_mkdir();
    sharc_buf_init(&p->told, 1 << 16);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    struct place *p = *state;
    sharc_warc_inputs_done(&p->in);
    sharc_buf_done(&p->told);
    test_rmdir(p->dir);
    free(p);
    return 0;
}

static void put(const struct place *p, const char *name, struct sharc_span bytes)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(p->dir, name);
    SHARC_AUTO(sharc_freep) char *parent = sharc_path_parent(path);
    assert_int_equal(sharc_dir_make(parent, NULL), 0);
    assert_int_equal(sharc_file_replace(path, bytes, NULL), 0);
}

static int add(struct place *p, const char *name, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(p->dir, name);
    return sharc_warc_inputs_add(&p->in, path, reterr);
}

/* A container with one WARC that is stored, one that is packed, and others. */
static void put_container(const struct place *p, const char *name, bool packed_too)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(p->dir, name);
    SHARC_AUTO(sharc_zip_writer_freep) struct sharc_zip_writer *w = NULL;
    assert_int_equal(sharc_zip_writer_new(path, 1700000000 * SHARC_SEC, &w, NULL), 0);
    assert_int_equal(sharc_zip_begin(w, "archive/in.warc", 0, NULL), 0);
    assert_int_equal(sharc_zip_write(w, sharc_span_of(one_record), NULL), 0);
    assert_int_equal(sharc_zip_end(w, NULL), 0);
    if (packed_too) assert_int_equal(sharc_zip_add(w, "archive/packed.warc", sharc_span_of(one_record), NULL), 0);
    assert_int_equal(sharc_zip_add(w, "archive/notes.txt", SHARC_SPAN("no archive"), NULL), 0);
    assert_int_equal(sharc_zip_add(w, "elsewhere/in.warc", sharc_span_of(one_record), NULL), 0);
    assert_int_equal(sharc_zip_writer_commit(w, NULL), 0);
}

static void hear(void *arg, const struct sharc_err *what)
{
    struct place *p = arg;
    sharc_buf_printf(&p->told, "%s %s\n", sharc_error_name(what->code), what->text + strlen(p->dir) + 1);
}

static void expect(const struct place *p, const char *const *names)
{
    size_t i = 0;
    uint64_t bytes = 0;
    for (; names[i]; i++) {
        assert_true(i < p->in.count);
        const struct sharc_warc_input *x = &p->in.items[i];
        SHARC_AUTO(sharc_freep)
        char *full = x->inside ? sharc_asprintf("%s#%s", x->path, x->inside) : sharc_strdup(x->path);
        assert_string_equal(full + strlen(p->dir) + 1, names[i]);
        bytes += x->size;
    }
    assert_int_equal(p->in.count, i);
    assert_int_equal(p->in.bytes, bytes);
}

static void kinds_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum sharc_warc_kind kind;
    } rows[] = {
        {"a.warc", SHARC_WARC_KIND_ARCHIVE},      {"a.warc.gz", SHARC_WARC_KIND_ARCHIVE},
        {"a.warc.zst", SHARC_WARC_KIND_ARCHIVE},  {"dir/a.arc", SHARC_WARC_KIND_ARCHIVE},
        {"A.ARC.GZ", SHARC_WARC_KIND_ARCHIVE},    {"a.Wacz", SHARC_WARC_KIND_CONTAINER},
        {"a.cdx", SHARC_WARC_KIND_INDEX},         {"a.cdxj", SHARC_WARC_KIND_INDEX},
        {"a.cdx.gz", SHARC_WARC_KIND_INDEX},      {"a.cdxj.gz", SHARC_WARC_KIND_INDEX},
        {"a.idx", SHARC_WARC_KIND_INDEX},         {"a.warc.open", SHARC_WARC_KIND_OTHER},
        {"warc", SHARC_WARC_KIND_OTHER},          {"", SHARC_WARC_KIND_OTHER},
        {"a.warc/b.html", SHARC_WARC_KIND_OTHER}, {"a.wacz#archive/b.warc.gz", SHARC_WARC_KIND_ARCHIVE},
    };
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++)
        assert_int_equal(sharc_warc_kind_of(sharc_span_of(rows[i].name)), rows[i].kind);
    struct sharc_span file, inside;
    sharc_warc_name_split(SHARC_SPAN("d/a.wacz#archive/b.warc.gz"), &file, &inside);
    assert_span(file, "d/a.wacz");
    assert_span(inside, "archive/b.warc.gz");
    sharc_warc_name_split(SHARC_SPAN("d/a#b.warc.gz"), &file, &inside);
    assert_span(file, "d/a#b.warc.gz");
    assert_null(inside.p);
}

static void a_named_file_is_taken_whatever_it_is_called(void **state)
{
    struct place *p = *state;
    put(p, "b", SHARC_SPAN("x"));
    put(p, "a.cdxj", SHARC_SPAN("xy"));
    assert_int_equal(add(p, "b", NULL), 0);
    assert_int_equal(add(p, "a.cdxj", NULL), 0);
    expect(p, (const char *const[]){"b", "a.cdxj", NULL});
    assert_int_equal(p->in.items[0].kind, SHARC_WARC_KIND_OTHER);
    assert_int_equal(p->in.items[1].kind, SHARC_WARC_KIND_INDEX);
    assert_int_equal(p->in.items[1].size, 2);
    assert_true(p->in.items[1].modified > 1700000000000000000);
    assert_int_equal(sharc_warc_inputs_add(&p->in, "-", NULL), 0);
    assert_string_equal(p->in.items[2].path, "-");
}

static void directories_are_searched(void **state)
{
    struct place *p = *state;
    put(p, "d/z.warc", sharc_span_of(one_record));
    put(p, "d/b/x.warc.gz", SHARC_SPAN("x"));
    put(p, "d/b/page.html", SHARC_SPAN("x"));
    put(p, "d/index.cdxj", SHARC_SPAN("x"));
    put(p, "d/.hidden.arc", SHARC_SPAN("x"));
    put(p, "d/dir.warc/y.warc", SHARC_SPAN("x"));
    assert_int_equal(add(p, "d", NULL), 0);
    expect(p, (const char *const[]){"d/.hidden.arc", "d/b/x.warc.gz", "d/dir.warc/y.warc", "d/z.warc", NULL});
}

static void links_in_circles_end(void **state)
{
    struct place *p = *state;
    put(p, "d/a.warc", SHARC_SPAN("x"));
    put(p, "d/e/b.warc", SHARC_SPAN("x"));
    SHARC_AUTO(sharc_freep) char *up = sharc_path_join(p->dir, "d/e/up");
    SHARC_AUTO(sharc_freep) char *twice = sharc_path_join(p->dir, "d/twice");
    SHARC_AUTO(sharc_freep) char *dead = sharc_path_join(p->dir, "d/dead");
    assert_int_equal(symlink("..", up), 0);
    assert_int_equal(symlink("e", twice), 0);
    assert_int_equal(symlink("nowhere", dead), 0);
    assert_int_equal(add(p, "d", NULL), 0);
    assert_int_equal(add(p, "d/e", NULL), 0); /* searched already */
    expect(p, (const char *const[]){"d/a.warc", "d/e/b.warc", NULL});
}

static void directories_are_searched_32_deep(void **state)
{
    struct place *p = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf path = SHARC_BUF_INIT(4096);
    for (int i = 0; i < 40; i++) sharc_buf_put(&path, SHARC_SPAN("d/"));
    sharc_buf_put(&path, SHARC_SPAN("a.warc"));
    put(p, sharc_buf_str(&path), SHARC_SPAN("x"));
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(add(p, "d", &err), SHARC_ELIMIT);
    assert_non_null(strstr(err.text, "nested more than 32 deep"));
}

static void what_is_missing_is_told_with_a_cure(void **state)
{
    struct place *p = *state;
    struct sharc_err err = SHARC_ERR_INIT;
    put(p, "b.warc", SHARC_SPAN("x"));
    assert_int_equal(add(p, "no.warc.gz", &err), SHARC_ENOENT);
    assert_string_equal(err.text + strlen(p->dir) + 1,
                        "no.warc.gz: there is no such file or directory; name archive files (WARC, ARC, WACZ) or "
                        "directories that hold some");
    assert_true(add(p, "b.warc/below", &err) < 0);
    assert_string_equal(err.text + strlen(p->dir) + 1, "b.warc/below: Not a directory");
    assert_int_equal(p->in.count, 0);
}

static void a_listener_hears_and_the_walk_goes_on(void **state)
{
    struct place *p = *state;
    put(p, "d/a.warc", SHARC_SPAN("x"));
    put(p, "d/b.wacz", SHARC_SPAN("no ZIP"));
    put_container(p, "d/c.wacz", /* packed_too= */ true);
    p->in.bad = hear;
    p->in.bad_arg = p;
    assert_int_equal(add(p, "no", NULL), 0);
    assert_int_equal(add(p, "d", NULL), 0);
    expect(p, (const char *const[]){"d/a.warc", "d/c.wacz#archive/in.warc", NULL});
    const char *told = sharc_buf_str(&p->told);
    assert_ptr_equal(strstr(told, "ENOENT no: there is no such file"), told);
    assert_non_null(strstr(told, "d/b.wacz: "));
    assert_non_null(strstr(told, "EUNSUPPORTED d/c.wacz: archive/packed.warc is compressed"));
}

static void containers_are_opened_or_left_whole(void **state)
{
    struct place *p = *state;
    struct sharc_record rec;
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    put_container(p, "c.wacz", /* packed_too= */ false);
    assert_int_equal(add(p, "c.wacz", NULL), 0);
    expect(p, (const char *const[]){"c.wacz#archive/in.warc", NULL});
    assert_int_equal(p->in.items[0].size, sizeof one_record - 1);
    assert_string_equal(sharc_warc_input_name(&p->in.items[0]), "in.warc");
    assert_int_equal(sharc_warc_input_open(&p->in.items[0], NULL, &w, NULL), 0);
    assert_int_equal(sharc_warc_next(w, &rec, NULL), 1);
    assert_span(rec.target, "http://a.example/");

    sharc_warc_inputs_done(&p->in);
    p->in.whole = true;
    put_container(p, "packed.wacz", /* packed_too= */ true);
    assert_int_equal(add(p, "packed.wacz", NULL), 0);
    expect(p, (const char *const[]){"packed.wacz", NULL});
    assert_int_equal(p->in.items[0].kind, SHARC_WARC_KIND_CONTAINER);

    sharc_warc_inputs_done(&p->in);
    assert_int_equal(add(p, "packed.wacz", &err), SHARC_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "unpack it and name the WARC"));
}

static void messages_name_container_and_part(void **state)
{
    struct place *p = *state;
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_record rec;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(p->dir, "c.wacz");
    SHARC_AUTO(sharc_zip_writer_freep) struct sharc_zip_writer *z = NULL;
    assert_int_equal(sharc_zip_writer_new(path, 0, &z, NULL), 0);
    assert_int_equal(sharc_zip_begin(z, "archive/bad.warc", 0, NULL), 0);
    assert_int_equal(sharc_zip_write(z, SHARC_SPAN("nonsense"), NULL), 0);
    assert_int_equal(sharc_zip_end(z, NULL), 0);
    assert_int_equal(sharc_zip_writer_commit(z, NULL), 0);
    assert_int_equal(add(p, "c.wacz", NULL), 0);
    int r = sharc_warc_input_open(&p->in.items[0], NULL, &w, &err);
    if (r == 0) r = sharc_warc_next(w, &rec, &err);
    assert_true(r < 0);
    assert_non_null(strstr(err.text, "c.wacz#archive/bad.warc: "));
}

#define WITH_PLACE(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(kinds_by_name),
    WITH_PLACE(a_named_file_is_taken_whatever_it_is_called),
    WITH_PLACE(directories_are_searched),
    WITH_PLACE(links_in_circles_end),
    WITH_PLACE(directories_are_searched_32_deep),
    WITH_PLACE(what_is_missing_is_told_with_a_cure),
    WITH_PLACE(a_listener_hears_and_the_walk_goes_on),
    WITH_PLACE(containers_are_opened_or_left_whole),
    WITH_PLACE(messages_name_container_and_part),
};
TEST_MAIN(tests)
