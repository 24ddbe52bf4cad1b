/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens when the database fails, the program is killed, or the
 * connection goes away: all of a batch is there, or nothing; never half,
 * never twice.
 */
#include "store_test.h"

#include "../../src/store/store_int.h"
#include "sharc/base_rng.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PER_BATCH 20

/* Pages number … number + PER_BATCH with everything a batch can hold, and the progress. */
static void fill_batch(struct sharc_store_batch *b, sharc_store_id capture, sharc_store_id warc, unsigned number)
{
    struct sharc_err err = SHARC_ERR_INIT;
    for (unsigned i = number; i < number + PER_BATCH; i++) {
        char url[64], to[64];
        snprintf(url, sizeof url, "http://example.org/%u", i);
        snprintf(to, sizeof to, "http://host%u.example/%u", i % 5, i);
        struct sharc_store_page p = page_of(capture, url, T0 + i, 200, url, to);
        struct sharc_store_link links[] = {{sharc_span_of(to), 0}, {SHARC_SPAN("http://example.org/0"), 0}};
        p.links = links;
        p.n_links = 2;
        p.title = sharc_span_of(to);
        p.visit.place = (struct sharc_store_place){warc, i, 1};
        put_page(b, &p);
        must(sharc_store_batch_look(b, capture, p.url, SHARC_LOOK_REVISIT, &p.visit, &err), &err);
        must(sharc_store_batch_skipped(b, capture, sharc_span_of(to), SHARC_SPAN("scope"), SHARC_SPAN_NONE, &err),
             &err);
        must(sharc_store_batch_journal(b, capture, i, p.url, &err), &err);
    }
    struct sharc_store_warc w = {.id = warc, .done = number + PER_BATCH, .records = number + PER_BATCH};
    must(sharc_store_batch_warc(b, &w, &err), &err);
}

/* Batches that are wholly there; fails when one is there in part. */
static unsigned whole_batches(struct fixture *f)
{
    struct sharc_err err = SHARC_ERR_INIT;
    static const char *const same[] = {"SELECT (SELECT count(*) FROM page) - records FROM warc",
                                       "SELECT (SELECT count(*) FROM look) - records FROM warc",
                                       "SELECT (SELECT count(*) FROM journal) - records FROM warc",
                                       "SELECT (SELECT count(*) FROM skipped) - records FROM warc"};
    for (size_t i = 0; i < SHARC_LENGTH(same); i++) assert_int_equal(fixture_number(f, same[i]), 0);
    assert_int_equal(must(sharc_store_check(f->store, NULL, NULL, &err), &err), 0);
    int64_t records = fixture_number(f, "SELECT records FROM warc");
    assert_int_equal(records % PER_BATCH, 0);
    return (unsigned)records / PER_BATCH;
}

static void any_call_may_fail(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    make_captures(f);
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    static const int codes[] = {SHARC_EIO, SHARC_ENOSPC, SHARC_EBUSY};
    unsigned batches = 0;
    uint64_t calls = 0;
    for (uint64_t n = 1;; n++) {
        fill_batch(b, f->capture[0], f->warc, batches * PER_BATCH);
        size_t rows = sharc_store_batch_rows(b);
        sharc_store_fail_at(f->store, n, codes[n % 3]);
        int r = sharc_store_batch_commit(b, &err);
        calls = sharc_store_fail_at(f->store, 0, 0);
        if (r == 0) {
            assert_int_equal(whole_batches(f), batches + 1);
            break;
        }
        assert_int_equal(r, codes[n % 3]);
        /* Nothing is there, the batch is as before, and works the next time. */
        assert_int_equal(whole_batches(f), batches);
        assert_int_equal(sharc_store_batch_rows(b), rows);
        if (n % 4 != 0) {
            sharc_store_batch_drop(b);
            continue;
        }
        commit(b);
        assert_int_equal(whole_batches(f), ++batches);
    }
    assert_true(calls > 10);
    sharc_store_batch_free(b);
}

static void count_up(void *arg)
{
    atomic_fetch_add((atomic_int *)arg, 1);
}

/* The same with a batch that a thread of its own commits, and another one that is filled meanwhile. */
static void any_call_beside_may_fail(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    make_captures(f);
    struct sharc_store_batch *b[2];
    for (int i = 0; i < 2; i++) sharc_store_batch_new(f->store, &b[i]);
    atomic_int done = 0;
    unsigned batches = 0;
    bool all = false;
    for (uint64_t n = 1; !all; n++) {
        fill_batch(b[0], f->capture[0], f->warc, batches * PER_BATCH);
        const size_t rows = sharc_store_batch_rows(b[0]);
        sharc_store_fail_at(f->store, n, SHARC_EIO);
        sharc_store_batch_begin(b[0], count_up, &done);
        fill_batch(b[1], f->capture[0], f->warc, (batches + 1) * PER_BATCH);
        const int r = sharc_store_batch_settle(b[0], &err);
        sharc_store_fail_at(f->store, 0, 0);
        assert_false(sharc_store_batch_under_way(b[0]));
        assert_int_equal(atomic_load(&done), n);
        all = r == 0;
        if (!all) {
            assert_int_equal(r, SHARC_EIO);
            assert_int_equal(whole_batches(f), batches);
            assert_int_equal(sharc_store_batch_rows(b[0]), rows);
        }
        if (all || n % 4 == 0) {
            commit(b[0]);
            commit(b[1]);
            batches += 2;
            assert_int_equal(whole_batches(f), batches);
        }
        for (int i = 0; i < 2; i++) sharc_store_batch_drop(b[i]);
    }
    assert_true(batches > 4);
    /* A question waits for what is being written, and sees it. */
    for (int i = 0; i < 5; i++) {
        fill_batch(b[0], f->capture[0], f->warc, batches++ * PER_BATCH);
        sharc_store_batch_begin(b[0], NULL, NULL);
        assert_int_equal(whole_batches(f), batches);
        assert_int_equal(sharc_store_batch_settle(b[0], &err), 0);
        assert_int_equal(sharc_store_batch_rows(b[0]), 0);
    }
    /* Nobody waits for it in vain, and nothing is lost, when it is freed at once. */
    fill_batch(b[0], f->capture[0], f->warc, batches++ * PER_BATCH);
    sharc_store_batch_begin(b[0], NULL, NULL);
    for (int i = 0; i < 2; i++) sharc_store_batch_free(b[i]);
    assert_int_equal(whole_batches(f), batches);
}

static int one_question(struct fixture *f, unsigned which, struct sharc_err *err)
{
    struct sharc_store_rows *rows = NULL;
    struct sharc_store_graph g = {0};
    struct sharc_store_pair_filter pair = {.a = f->capture[0], .b = f->capture[1]};
    struct sharc_store_capture_sums sums;
    uint64_t counts[SHARC_DIFF_COUNT];
    sharc_store_id id;
    int r = 0;
    switch (which) {
    case 0: r = sharc_store_graph(f->store, f->capture[0], 0, &g, err); break;
    case 1: r = sharc_store_compare_counts(f->store, &pair, counts, err); break;
    case 2: r = sharc_store_compare(f->store, &pair, &rows, err); break;
    case 3: r = sharc_store_subsites(f->store, f->capture[0], 1, f->capture[1], &rows, err); break;
    case 4: r = sharc_store_capture_sum(f->store, f->capture[0], &sums, err); break;
    case 5: r = sharc_store_capture_find(f->store, SHARC_SPAN("nobody@2020"), &id, err); break;
    case 6: r = sharc_store_check(f->store, NULL, NULL, err); break;
    default: r = sharc_store_table(f->store, sharc_store_tables()[which - 7], f->capture[0], &rows, err); break;
    }
    while (r >= 0 && rows && (r = sharc_store_rows_next(rows, err)) > 0) continue;
    sharc_store_rows_free(rows);
    sharc_store_graph_done(&g);
    return r;
}

static void any_question_may_fail(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    fill_batch(b, f->capture[0], f->warc, 0);
    commit(b);
    sharc_store_batch_free(b);
    for (unsigned which = 0; which < 7 || sharc_store_tables()[which - 7]; which++) {
        int r = SHARC_EIO;
        for (uint64_t n = 1; n < 30 && r == SHARC_EIO; n++) {
            struct sharc_err err = SHARC_ERR_INIT;
            sharc_store_fail_at(f->store, n, SHARC_EIO);
            r = one_question(f, which, &err);
            sharc_store_fail_at(f->store, 0, 0);
            if (r == SHARC_EIO) assert_non_null(strstr(err.text, "told to fail"));
        }
        assert_true(r != SHARC_ENET);
    }
}

/* --- killed ----------------------------------------------------------------------------- */

/* What an import does, in a process of its own: goes on where the catalogue says it is. */
SHARC_NORETURN static void work_until_killed(const char *url, sharc_store_id capture, sharc_store_id warc)
{
    struct sharc_store *s = NULL;
    struct sharc_store_batch *b;
    struct sharc_store_warc w = {.name = SHARC_SPAN("warcs/a.warc.gz")}, at;
    sharc_store_id id;
    if (sharc_store_open(url, NULL, &s, NULL) < 0 || sharc_store_warc_open(s, &w, &id, &at, NULL) < 0) _exit(1);
    sharc_store_batch_new(s, &b);
    for (unsigned number = (unsigned)at.records;; number += PER_BATCH) {
        fill_batch(b, capture, warc, number);
        if (sharc_store_batch_commit(b, NULL) < 0) _exit(2);
    }
}

static void a_killed_writer_leaves_whole_batches(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_rng rng;
    sharc_rng_init(&rng, 7);
    unsigned before = 0;
    for (int round = 0; round < 12; round++) {
        sharc_store_freep(&f->store);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) work_until_killed(f->url, f->capture[0], f->warc);
        usleep((useconds_t)(5000 + sharc_rng_below(&rng, 90000)));
        kill(pid, SIGKILL);
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
        f->store = fixture_again(f, NULL);
        unsigned now = whole_batches(f);
        assert_true(now >= before);
        before = now;
    }
}

/* --- side by side ------------------------------------------------------------------------ */

/* Pages of a capture of its own, but the same URLs, hosts, links and contents as everybody, in an order of
 * its own: on PostgreSQL two such writers wait for each other in circles. */
SHARC_NORETURN static void write_beside_others(const char *url, sharc_store_id capture, unsigned who)
{
    enum { BATCHES = 10, PAGES = 60 };
    struct sharc_store *s = NULL;
    struct sharc_store_batch *b;
    struct sharc_store_patience patience = {.clock = sharc_clock_real(), .patience = SHARC_MINUTE};
    if (sharc_store_open(url, NULL, &s, NULL) < 0) _exit(1);
    sharc_store_batch_new(s, &b);
    for (unsigned i = 0; i < BATCHES; i++) {
        for (unsigned j = 0; j < PAGES; j++) {
            char text[64], to[80];
            snprintf(text, sizeof text, "http://example.org/%u", i * PAGES + (who ? PAGES - 1 - j : j));
            snprintf(to, sizeof to, "%s/to", text);
            struct sharc_store_page p = page_of(capture, text, T0, 200, text, text);
            struct sharc_store_link link = {sharc_span_of(to), 0};
            p.links = &link;
            p.n_links = 1;
            p.title = sharc_span_of(text);
            if (sharc_store_batch_page(b, &p, NULL) < 0) _exit(2);
        }
        if (sharc_store_batch_commit_patiently(b, &patience, NULL) < 0) _exit(3);
    }
    sharc_store_batch_free(b);
    sharc_store_free(s);
    _exit(0);
}

static void writers_work_side_by_side(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    make_captures(f);
    sharc_store_freep(&f->store);
    pid_t pid[2];
    for (unsigned i = 0; i < 2; i++) {
        pid[i] = fork();
        assert_true(pid[i] >= 0);
        if (pid[i] == 0) write_beside_others(f->url, f->capture[i], i);
    }
    for (unsigned i = 0; i < 2; i++) {
        int status = 0;
        assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
        assert_int_equal(status, 0);
    }
    f->store = fixture_again(f, NULL);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM page"), 1200);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM url"), 1200);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM link_set"), 600);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM content"), 600);
    assert_int_equal(must(sharc_store_check(f->store, NULL, NULL, &err), &err), 0);
}

/* --- lost connections ---------------------------------------------------------------------- */

struct waits {
    int count;
    sharc_time sum;
};

static void count_wait(void *arg, sharc_time pause, const struct sharc_err *why)
{
    struct waits *w = arg;
    assert_int_equal(why->code, SHARC_ENET);
    w->count++;
    w->sum += pause;
}

static void a_lost_connection_is_waited_for(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_clock_virtual clock;
    sharc_clock_virtual_init(&clock, T0);
    struct waits waits = {0};
    struct sharc_store_patience patience = {.clock = &clock.clock,
                                            .patience = SHARC_HOUR,
                                            .waiting = count_wait,
                                            .arg = &waits};
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    unsigned batches = 0;
    /* The connection is lost at every call there is. */
    for (uint64_t n = 1; n < 60; n++) {
        fill_batch(b, f->capture[0], f->warc, batches * PER_BATCH);
        sharc_store_fail_at(f->store, n, SHARC_ENET);
        must(sharc_store_batch_commit_patiently(b, &patience, &err), &err);
        uint64_t calls = sharc_store_fail_at(f->store, 0, 0);
        assert_int_equal(whole_batches(f), ++batches);
        if (calls < n) break;
    }
    assert_int_equal(waits.count, 0); /* it was there again at once */
    sharc_store_fail_at(f->store, 1, SHARC_ENET);
    must(sharc_store_wait(f->store, &patience, &err), &err);
    assert_int_equal(waits.count, 1);
    assert_int_equal(waits.sum, SHARC_SEC);
    assert_int_equal(clock.at, T0 + SHARC_SEC);
    /* Patience ends. */
    patience.patience = 0;
    sharc_store_fail_at(f->store, 1, SHARC_ENET);
    assert_int_equal(sharc_store_wait(f->store, &patience, &err), SHARC_ENET);
    sharc_store_batch_free(b);
}

static void the_server_may_hang_up(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *other = fixture_again(f, NULL);
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    fill_batch(b, f->capture[0], f->warc, 0);
    commit(b);
    for (unsigned i = 1; i < 4; i++) {
        char sql[80];
        snprintf(sql, sizeof sql, "SELECT pg_terminate_backend(%lld)",
                 (long long)fixture_number(f, "SELECT CAST(pg_backend_pid() AS BIGINT)"));
        must(other->db->ops->script(other->db, sql, &err), &err);
        usleep(20000);
        fill_batch(b, f->capture[0], f->warc, i * PER_BATCH);
        assert_int_equal(sharc_store_batch_commit(b, &err), SHARC_ENET);
        assert_non_null(strstr(err.text, "connection is lost"));
        must(sharc_store_reconnect(f->store, &err), &err);
        assert_int_equal(whole_batches(f), i);
        commit(b);
        assert_int_equal(whole_batches(f), i + 1);
    }
    sharc_store_batch_free(b);
    sharc_store_free(other);
}

static void impatience_is_answered(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_clock_virtual clock;
    sharc_clock_virtual_init(&clock, T0);
    volatile bool stop = true;
    struct sharc_store_patience patience = {.clock = &clock.clock, .patience = SHARC_HOUR, .stop = &stop};
    sharc_store_fail_at(f->store, 1, SHARC_ENET);
    assert_int_equal(sharc_store_wait(f->store, &patience, &err), SHARC_EINTR);
}

static const struct CMUnitTest tests[] = {
    ON_EACH(any_call_may_fail),           ON_EACH(any_call_beside_may_fail),
    ON_EACH(any_question_may_fail),       ON_SHARED(a_killed_writer_leaves_whole_batches),
    ON_SHARED(writers_work_side_by_side), ON_EACH(a_lost_connection_is_waited_for),
    ON_SERVER(the_server_may_hang_up),    ON_EACH(impatience_is_answered),
};

TEST_MAIN(tests)
