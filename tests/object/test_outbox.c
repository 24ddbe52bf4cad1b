/* SPDX-License-Identifier: Apache-2.0
 *
 * The outbox against a real store (tools/s3-temp): files arrive as they are, whenever the process that sends them is
 * killed. Skipped where Swift is not installed.
 */
#include "test.h"

#include "s3.h"

#include "sharc/base_file.h"
#include "sharc/object_outbox.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RECORD = 1 << 20, RECORDS = 6, PART = 5 << 20 };

/* Bytes that differ everywhere, from `from` on. */
static void append(const char *path, unsigned from, unsigned records)
{
    SHARC_AUTO(sharc_freep) uint32_t *record = sharc_malloc(RECORD);
    FILE *f = fopen(path, "ae");
    assert_non_null(f);
    for (unsigned r = from; r < from + records; r++) {
        for (uint32_t i = 0; i < RECORD / 4; i++) record[i] = r * 2654435761u ^ i * 40503u;
        assert_int_equal(fwrite(record, 1, RECORD, f), RECORD);
    }
    assert_int_equal(fclose(f), 0);
}

static void assert_object(const struct s3 *s, const char *name, unsigned records)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_object_facts facts;
    SHARC_AUTO(sharc_freep) uint32_t *record = sharc_malloc(RECORD);
    s3_ok(sharc_object_head(s->store, name, &facts, &err), &err);
    assert_int_equal(facts.size, (uint64_t)records * RECORD);
    for (unsigned r = 0; r < records; r++) {
        s3_ok(sharc_object_get(s->store, name, &facts, (uint64_t)r * RECORD, record, RECORD, &err), &err);
        for (uint32_t i = 0; i < RECORD / 4; i++) assert_int_equal(record[i], r * 2654435761u ^ i * 40503u);
    }
}

static struct sharc_outbox_options options(const struct s3 *s, const char *dir, const char *to)
{
    return (struct sharc_outbox_options){
        .store = s->store, .dir = dir, .to = to, .part = PART, .patience = 200 * SHARC_MSEC};
}

/* What a writer does: records, now and then a commit, the end. Goes on where the file ends. */
static void write_and_send(const struct sharc_outbox_options *o, unsigned records)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_outbox *b = NULL;
    SHARC_AUTO(sharc_freep) char *closed = sharc_path_join(o->dir, "a.warc.gz");
    SHARC_AUTO(sharc_freep) char *open_ = sharc_asprintf("%s.open", closed);
    s3_ok(sharc_outbox_open(o, &b, &err), &err);
    struct stat st = {0};
    const bool ended = stat(closed, &st) == 0;
    unsigned have = ended || stat(open_, &st) == 0 ? (unsigned)(st.st_size / RECORD) : 0;
    for (; !ended && have < records; have++) {
        append(open_, have, 1);
        sharc_outbox_follow(b, "a.warc.gz", (uint64_t)(have + 1) * RECORD);
    }
    if (!ended) assert_int_equal(rename(open_, closed), 0);
    sharc_outbox_follow(b, "a.warc.gz", (uint64_t)records * RECORD);
    s3_ok(sharc_outbox_flush(b, NULL, NULL, NULL, &err), &err);
    sharc_outbox_free(b);
}

static bool is_empty(const char *dir)
{
    char **names = NULL;
    size_t count = 0;
    assert_int_equal(sharc_dir_list(dir, &names, &count, NULL), 0);
    for (size_t i = 0; i < count; i++) print_message("# left: %s\n", names[i]);
    sharc_names_free(names, count);
    return count == 0;
}

static int count_upload(void *arg, const char *name, const struct sharc_object_upload *u, sharc_time begun,
                        struct sharc_err *reterr)
{
    (void)name, (void)u, (void)begun, (void)reterr;
    ++*(unsigned *)arg;
    return 0;
}

static void a_file_arrives_and_is_gone_here(void **state)
{
    const struct s3 *s = s3_or_skip(state);
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *to = s3_name(s, "whole/"), *name = s3_name(s, "whole/a.warc.gz");
    const struct sharc_outbox_options o = options(s, dir, to);
    write_and_send(&o, RECORDS);
    assert_object(s, name, RECORDS);
    assert_true(is_empty(dir));
    test_rmdir(dir);
}

static void a_small_file_goes_in_one_piece(void **state)
{
    const struct s3 *s = s3_or_skip(state);
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *to = s3_name(s, "small/"), *name = s3_name(s, "small/a.warc.gz");
    const struct sharc_outbox_options o = options(s, dir, to);
    write_and_send(&o, 1);
    assert_object(s, name, 1);
    assert_true(is_empty(dir));
    test_rmdir(dir);
}

/* Killed at every step that leaves a trace here or there, the next one brings the file home, once. */
static void killed_at_any_step_nothing_is_lost(void **state)
{
    const struct s3 *s = s3_or_skip(state);
    int killed = 0;
    for (int k = 1;; k++) {
        char *dir = test_mkdir();
        SHARC_AUTO(sharc_freep) char *prefix = sharc_asprintf("killed/%d/", k);
        SHARC_AUTO(sharc_freep) char *to = s3_name(s, prefix), *name = sharc_asprintf("%sa.warc.gz", to);
        struct sharc_outbox_options o = options(s, dir, to);
        o.killed_at = k;
        SHARC_AUTO(sharc_freep) char *closed = sharc_path_join(dir, "a.warc.gz");
        pid_t child = fork();
        if (child == 0) {
            /* a store of its own: connections are not for two */
            o.store = s3_store(s);
            write_and_send(&o, RECORDS);
            _exit(0);
        }
        int code = 0;
        assert_int_equal(waitpid(child, &code, 0), child);
        const bool over = WIFEXITED(code) && WEXITSTATUS(code) == 0;
        assert_true(over || (WIFSIGNALED(code) && WTERMSIG(code) == SIGKILL));
        killed += !over;
        o.killed_at = 0;
        unsigned uploads = 0;
        /* As a crawl does: the file as it was left is closed first. The last steps have removed it. */
        struct sharc_object_facts facts;
        const bool home = access(closed, F_OK) != 0 && sharc_object_head(s->store, name, &facts, NULL) == 0;
        if (!home) write_and_send(&o, RECORDS);
        if (home) {
            struct sharc_outbox *b = NULL;
            assert_int_equal(sharc_outbox_open(&o, &b, NULL), 0); /* takes away what is left of it */
            sharc_outbox_free(b);
        }
        assert_object(s, name, RECORDS);
        assert_true(is_empty(dir));
        assert_int_equal(sharc_object_uploads(s->store, to, count_upload, &uploads, NULL), 0);
        assert_int_equal(uploads, 0);
        test_rmdir(dir);
        if (over) break;
    }
    print_message("# killed %d times\n", killed);
    assert_true(killed >= 8); /* begun, written down, two parts, …, both files removed */
}

static void another_object_of_the_name_is_not_replaced(void **state)
{
    const struct s3 *s = s3_or_skip(state);
    char *dir = test_mkdir(), got[5];
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_outbox *b = NULL;
    SHARC_AUTO(sharc_freep) char *to = s3_name(s, "taken/"), *name = s3_name(s, "taken/a.warc.gz");
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "a.warc.gz");
    const struct sharc_object_body body = SHARC_OBJECT_BODY(SHARC_SPAN("other"));
    const struct sharc_outbox_options o = options(s, dir, to);
    s3_ok(sharc_object_put(s->store, name, &body, "text/plain", NULL, &err), &err);
    append(path, 0, 1);
    s3_ok(sharc_outbox_open(&o, &b, &err), &err);
    sharc_outbox_follow(b, "a.warc.gz", RECORD);
    assert_int_equal(sharc_outbox_flush(b, NULL, NULL, NULL, &err), SHARC_EEXIST);
    sharc_outbox_free(b);
    assert_int_equal(access(path, F_OK), 0);
    s3_ok(sharc_object_get(s->store, name, NULL, 0, got, 5, &err), &err);
    assert_memory_equal(got, "other", 5);
    test_rmdir(dir);
}

struct told {
    unsigned away, back;
    const struct s3 *s;
};

static void hear(void *arg, const struct sharc_err *why)
{
    struct told *t = arg;
    if (why)
        t->away++;
    else
        t->back++;
    if (why) s3_tool(t->s, "back");
}

static void a_store_that_is_away_is_waited_for(void **state)
{
    struct s3 *s = s3_or_skip(state);
    char *dir = test_mkdir();
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_outbox *b = NULL;
    SHARC_AUTO(sharc_freep) char *to = s3_name(s, "away/"), *name = s3_name(s, "away/a.warc.gz");
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "a.warc.gz");
    struct sharc_outbox_options o = options(s, dir, to);
    struct sharc_object_options impatient = s3_options();
    impatient.patience = 100 * SHARC_MSEC;
    assert_int_equal(sharc_object_store_new(&impatient, &o.store, &err), 0);
    s3_ok(sharc_outbox_open(&o, &b, &err), &err);
    s3_tool(s, "away");
    append(path, 0, 1);
    sharc_outbox_follow(b, "a.warc.gz", RECORD);
    struct told told = {.s = s};
    s3_ok(sharc_outbox_flush(b, NULL, hear, &told, &err), &err);
    assert_int_equal(told.away, 1);
    sharc_outbox_free(b);
    sharc_object_store_free(o.store);
    assert_object(s, name, 1);
    assert_true(is_empty(dir));
    test_rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_arrives_and_is_gone_here),
        cmocka_unit_test(a_small_file_goes_in_one_piece),
        cmocka_unit_test(killed_at_any_step_nothing_is_lost),
        cmocka_unit_test(another_object_of_the_name_is_not_replaced),
        cmocka_unit_test(a_store_that_is_away_is_waited_for),
    };
    return cmocka_run_group_tests(tests, s3_set_up, s3_tear_down);
}
