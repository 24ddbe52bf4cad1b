/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening: what is there, what is not, what is older and what is newer.
 */
#include "store_test.h"

#include "../../src/store/store_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int try_open(const char *url, const struct sharc_store_options *o, struct sharc_err *err)
{
    struct sharc_store *s = NULL;
    int r = sharc_store_open(url, o, &s, err);
    sharc_store_free(s);
    return r;
}

static void names_tell_what_is_meant(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *s;
    struct sharc_store_options must_exist = {.must_exist = true}, read_only = {.read_only = true};
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/c.db", dir);
    SHARC_AUTO(sharc_freep) char *url = sharc_asprintf("sqlite:%s", path);

    assert_int_equal(try_open(url, &must_exist, &err), SHARC_ENOENT);
    assert_int_equal(try_open(path, &read_only, &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "c.db"));
    assert_int_equal(try_open("sqlite:", NULL, &err), SHARC_EINVAL);
    assert_int_equal(try_open(dir, NULL, &err), SHARC_EINVAL);
    must(sharc_store_open(url, NULL, &s, &err), &err);
    assert_string_equal(sharc_store_kind(s), "sqlite");
    assert_string_equal(sharc_store_name(s), path);
    sharc_store_free(s);
    must(try_open(path, &must_exist, &err), &err);
    must(try_open("memory:", NULL, &err), &err);

    SHARC_AUTO(sharc_freep) char *rubbish = sharc_asprintf("%s/rubbish", dir);
    FILE *f = fopen(rubbish, "w");
    for (int i = 0; i < 2000; i++) fputs("this is no database ", f);
    fclose(f);
    assert_int_equal(try_open(rubbish, NULL, &err), SHARC_ECORRUPT);
    assert_non_null(strstr(err.text, "rubbish"));
    SHARC_AUTO(sharc_freep) char *nowhere = sharc_asprintf("%s/no/such/dir/c.db", dir);
    assert_int_equal(try_open(nowhere, NULL, &err), SHARC_ENOENT);

    SHARC_AUTO(sharc_freep) char *empty = sharc_asprintf("%s/empty", dir);
    fclose(fopen(empty, "w"));
    assert_int_equal(try_open(empty, &must_exist, &err), SHARC_ENOENT);
    assert_int_equal(try_open(empty, &read_only, &err), SHARC_ENOENT);
    test_rmdir(dir);
}

static void too_few_open_files_are_named(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/c.db", dir);
    must(try_open(path, NULL, &err), &err);
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    int r = try_open(path, NULL, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(r, SHARC_ELIMIT);
    assert_non_null(strstr(err.text, "c.db: too many files are open at a time"));
    assert_non_null(strstr(err.text, "ulimit -n"));
    test_rmdir(dir);
}

static void a_server_that_is_not_there_is_named_without_its_password(void **state)
{
    (void)state;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(try_open("postgresql://joe:secret@127.0.0.1:1/x?connect_timeout=2&password=secret", NULL, &err),
                     SHARC_ENET);
    assert_non_null(strstr(err.text, "postgresql://joe@127.0.0.1:1/x"));
    assert_null(strstr(err.text, "secret"));
}

static void reading_only_changes_nothing(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_store_options o = {.read_only = true};
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *s = fixture_again(f, &o);
    struct sharc_store_rows *rows;
    must(sharc_store_captures(s, NULL, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 3);
    sharc_store_id id;
    assert_int_equal(sharc_store_site_put(s, &(struct sharc_store_site){.name = SHARC_SPAN("x")}, &id, &err),
                     SHARC_EACCESS);
    struct sharc_store_batch *b;
    sharc_store_batch_new(s, &b);
    struct sharc_store_page p = page_of(f->capture[0], "http://example.org/", T0, 200, "x", NULL);
    put_page(b, &p);
    assert_int_equal(sharc_store_batch_commit(b, &err), SHARC_EACCESS);
    sharc_store_batch_free(b);
    sharc_store_free(s);
}

/* A catalogue on a medium that cannot be written. */
static void a_closed_catalogue_reads_from_a_read_only_directory(void **state)
{
    (void)state;
    if (geteuid() == 0) skip(); /* root may write anywhere */
    char *dir = test_mkdir();
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/a?b#c%%.db", dir);
    must(try_open(path, NULL, &err), &err);
    assert_int_equal(chmod(dir, 0500), 0);
    must(try_open(path, &(struct sharc_store_options){.read_only = true}, &err), &err);
    assert_int_equal(chmod(dir, 0700), 0);
    test_rmdir(dir);
}

static void newer_catalogues_are_refused(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    fixture_sql(f, "INSERT INTO schema_version (version) VALUES (99)");
    assert_int_equal(try_open(f->url, NULL, &err), SHARC_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "version 99"));
    assert_non_null(strstr(err.text, "newer sharc"));
    assert_int_equal(try_open(f->url, &(struct sharc_store_options){.read_only = true}, &err), SHARC_EUNSUPPORTED);
}

/* --- migration ------------------------------------------------------------------------ */

/* What every version holds, and must keep. */
static void put_old_rows(struct fixture *f)
{
    make_captures(f);
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    for (int i = 0; i < 50; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://example.org/%d", i);
        struct sharc_store_page p = page_of(f->capture[i % 3], url, T0 + i, 200, url, url);
        struct sharc_store_link link = {SHARC_SPAN("http://example.org/0"), 0};
        p.links = &link;
        p.n_links = 1;
        put_page(b, &p);
    }
    commit(b);
    sharc_store_batch_free(b);
}

/* As they were before they had epochs. */
static void put_old_jobs(struct fixture *f)
{
    char sql[400];
    snprintf(sql, sizeof sql,
             "INSERT INTO job (site, kind, state, priority, attempts) VALUES (%lld, 'crawl', 0, 0, 0),"
             " (%lld, 'crawl', 1, 0, 3), (NULL, 'crawl', 1, 0, 1)",
             (long long)f->site, (long long)f->site);
    fixture_sql(f, sql);
}

static struct sharc_store *open_back_end(struct fixture *f)
{
    struct sharc_store *s = SHARC_NEW(struct sharc_store);
    struct sharc_store_options o = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    s->name = sharc_strdup(f->url);
    s->kind = f->kind;
    s->cache = sharc_map128_new(1000);
    sharc_arena_init(&s->answer, 1u << 20);
    if (strcmp(f->kind, "postgresql") == 0)
        must(sharc__store_pg_open(f->url, f->url, &o, &s->db, &err), &err);
    else
        must(sharc__store_sqlite_open(f->url + strlen("sqlite:"), &o, &s->db, &err), &err);
    return s;
}

static void every_older_version_is_brought_up_to_date(void **state)
{
    struct fixture *f = *state;
    if (!f->url) skip();
    struct sharc_err err = SHARC_ERR_INIT;
    for (int version = 1; version <= sharc_store_version(); version++) {
        f->store = open_back_end(f);
        must(sharc__store_migrate(f->store, version, &err), &err);
        assert_int_equal(fixture_number(f, "SELECT max(version) FROM schema_version"), version);
        put_old_rows(f);
        if (version >= 2 && version < 8) put_old_jobs(f);
        sharc_store_freep(&f->store);
        if (version < sharc_store_version()) {
            assert_int_equal(try_open(f->url, &(struct sharc_store_options){.read_only = true}, &err), SHARC_EACCESS);
            assert_non_null(strstr(err.text, "old schema version"));
        }
        f->store = fixture_again(f, NULL);
        assert_int_equal(fixture_number(f, "SELECT max(version) FROM schema_version"), sharc_store_version());
        assert_int_equal(fixture_number(f, "SELECT count(*) FROM page"), 50);
        assert_int_equal(fixture_number(f, "SELECT count(*) FROM link_set"), 1);
        /* Of two jobs of one site that wait, one is left. */
        assert_int_equal(fixture_number(f, "SELECT count(*) FROM job"), version < 2 || version > 7 ? 0 : 3);
        assert_int_equal(fixture_number(f, "SELECT count(*) FROM job WHERE state = 0 AND due IS NOT NULL"),
                         version < 2 || version > 7 ? 0 : 2);
        /* Nobody knows what captures made before prove: they are not graded. */
        assert_int_equal(fixture_number(f, "SELECT count(*) FROM grade"), 0);
        assert_int_equal(fixture_number(f, "SELECT count(*) FROM place"), 0);
        assert_int_equal(fixture_number(f, "SELECT count(*) FROM review"), 0);
        assert_int_equal(fixture_number(f, "SELECT count(*) FROM capture WHERE reference_from IS NULL"), 3);
        assert_int_equal(must(sharc_store_check(f->store, NULL, NULL, &err), &err), 0);
        sharc_store_freep(&f->store);
        fixture_wipe(f);
    }
}

static void a_step_that_fails_leaves_the_version_before(void **state)
{
    struct fixture *f = *state;
    if (!f->url) skip();
    struct sharc_err err = SHARC_ERR_INIT;
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        f->store = open_back_end(f);
        sharc_store_fail_at(f->store, n, SHARC_EIO);
        int r = sharc__store_migrate(f->store, sharc_store_version(), &err);
        sharc_store_fail_at(f->store, 0, 0);
        done = r == 0;
        if (!done) assert_int_equal(r, SHARC_EIO);
        sharc_store_freep(&f->store);
        assert_true(n < 100);
    }
    f->store = fixture_again(f, NULL);
    put_old_rows(f);
}

/* --- checking ---------------------------------------------------------------------------- */

static void note(void *arg, const char *sentence)
{
    struct sharc_buf *out = arg;
    sharc_buf_printf(out, "%s\n", sentence);
}

static void damage_is_found(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 16);
    put_old_rows(f);
    assert_int_equal(must(sharc_store_check(f->store, note, &out, &err), &err), 0);
    static const struct {
        const char *sql, *finding;
    } damages[] = {
        {"UPDATE url SET text = 'http://example.org/other' WHERE id = 1", "URL number 1 does not match its key"},
        {"UPDATE page SET url = 4711 WHERE url = 2", "1 page has a URL"},
        {"UPDATE page SET warc = 9, warc_offset = 3 WHERE url = 3", "1 page lies in a WARC file"},
        {"UPDATE page SET capture = 77 WHERE url = 4", "1 page belongs to a capture"},
        {"UPDATE page SET link_set = 99 WHERE url = 5", "1 page has links"},
        {"UPDATE page SET content = 99 WHERE url = 6", "1 page has a content"},
        {"UPDATE link_set SET links = 7", "link set number 1 is damaged"},
        {"UPDATE warc SET done = 2000000", "1 WARC file is further"},
        {"INSERT INTO skipped (capture, url, reason) VALUES (1, 12345, 'x')", "1 skipped URL is"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(damages); i++) {
        fixture_sql(f, damages[i].sql);
        sharc_buf_clear(&out);
        assert_int_equal(must(sharc_store_check(f->store, note, &out, &err), &err), i + 1);
        assert_non_null(strstr(out.p, damages[i].finding));
    }
    must(sharc_store_sync(f->store, &err), &err);
}

/* More different statements than are kept, some of them open at once. */
static void statements_are_not_kept_for_ever(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < SHARC__STATEMENTS + 50; i++) {
            char sql[40];
            snprintf(sql, sizeof sql, "SELECT CAST(%d AS BIGINT)", i);
            assert_int_equal(fixture_number(f, sql), i);
        }
        if (round == 0) put_old_rows(f);
    }
    assert_int_equal(must(sharc_store_check(f->store, NULL, NULL, &err), &err), 0);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM page"), 50);
}

static void trace_line(void *arg, const char *sql, double seconds)
{
    assert_true(seconds >= 0);
    sharc_buf_printf(arg, "%s\n", sql);
}

static void a_trace_shows_the_sql(void **state)
{
    struct fixture *f = fixture(state);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 16);
    sharc_store_trace(f->store, trace_line, &out);
    put_old_rows(f);
    sharc_store_trace(f->store, NULL, NULL);
    assert_non_null(strstr(out.p, "INSERT INTO capture"));
    assert_non_null(strstr(out.p, "BEGIN\n"));
    assert_non_null(strstr(out.p, "\npage\n"));
    assert_non_null(strstr(out.p, "COMMIT\n"));
}

/* Another database is named, and a password behind its scheme is not repeated. */
static void a_scheme_that_nobody_knows_is_no_path(void **state)
{
    (void)state;
    static const char *const refused[] = {"mysql://me:secret@host/db", "s3://bucket/secret", "PostgreSQL://secret@h/d"};
    for (size_t i = 0; i < SHARC_LENGTH(refused); i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        struct sharc_store *s = NULL;
        assert_int_equal(sharc_store_open(refused[i], NULL, &s, &err), SHARC_EINVAL);
        assert_null(s);
        assert_null(strstr(err.text, "secret"));
        assert_non_null(strstr(err.text, "postgresql://HOST/DATABASE"));
    }
    /* A colon in a path is no scheme. */
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *s = NULL;
    const struct sharc_store_options o = {.must_exist = true};
    assert_int_equal(sharc_store_open("none/my:catalogue.db", &o, &s, &err), SHARC_ENOENT);
    assert_int_equal(sharc_store_open("sqlite:///none/catalogue.db", &o, &s, &err), SHARC_ENOENT);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_scheme_that_nobody_knows_is_no_path),
    cmocka_unit_test(names_tell_what_is_meant),
    cmocka_unit_test(too_few_open_files_are_named),
    cmocka_unit_test(a_server_that_is_not_there_is_named_without_its_password),
    ON_SHARED(reading_only_changes_nothing),
    cmocka_unit_test(a_closed_catalogue_reads_from_a_read_only_directory),
    ON_SHARED(newer_catalogues_are_refused),
    ON_SHARED(every_older_version_is_brought_up_to_date),
    ON_SHARED(a_step_that_fails_leaves_the_version_before),
    ON_EACH(damage_is_found),
    ON_EACH(statements_are_not_kept_for_ever),
    ON_EACH(a_trace_shows_the_sql),
};

TEST_MAIN(tests)
