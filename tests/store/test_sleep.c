/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker that is suspended inside a transaction: whoever takes its job over writes the same rows without waiting for
 * it to wake up, and when it does wake up it writes nothing. The sleep is a real one (SIGSTOP): nobody but the
 * server can end what the worker has begun.
 */
#include "../../src/store/store_int.h"
#include "store_test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEASE SHARC_SEC
#define ROWS 200

static struct sharc_job_claim claim(struct sharc_store *s)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j;
    assert_int_equal(must(sharc_store_job_claim(s, NULL, SHARC_SPAN("w"), LEASE, &j, &err), &err), 1);
    return (struct sharc_job_claim){j.id, j.epoch};
}

static struct sharc_job_claim first_claim(struct fixture *f)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j = {.site = f->site, .kind = SHARC_SPAN("crawl")};
    sharc_store_id id;
    must(sharc_store_job_add(f->store, &j, &id, &err), &err);
    return claim(f->store);
}

static void fill(struct sharc_store_batch *b, sharc_store_id capture)
{
    for (int i = 0; i < ROWS; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://example.org/%d", i);
        struct sharc_store_page p = page_of(capture, url, T0 + i, 200, url, url);
        put_page(b, &p);
    }
}

/* --- where it falls asleep ------------------------------------------------------------------ */

/* While rows are put together for the database: at this one. */
struct sleepy_rows {
    size_t at;
    char text[64];
};

static void sleepy_row(void *arg, size_t i, struct sharc_store_value *out)
{
    struct sleepy_rows *s = arg;
    if (i == s->at) raise(SIGSTOP);
    snprintf(s->text, sizeof s->text, "http://example.org/%zu", i);
    int64_t key, mark;
    sharc__store_key(sharc_span_of(s->text), &key, &mark);
    out[0] = sharc__store_int(key);
    out[1] = sharc__store_int(mark);
    out[2] = out[3] = sharc__store_text(sharc_span_of(s->text));
}

/* The same URLs as those of fill, twice: when it sleeps at the second time the first ones are written. */
static int sleep_among_rows(struct sharc_store *s, struct fixture *f SHARC_UNUSED, struct sharc_err *err)
{
    static const char *const columns[] = {"key", "mark", "text", "surt"};
    const struct sharc__store_load load = {"url", columns, "iitt", "ON CONFLICT (key, mark) DO NOTHING"};
    struct sleepy_rows rows = {.at = ROWS};
    int r = s->db->ops->begin(s->db, false, err);
    if (r == 0) r = s->db->ops->load(s->db, &load, ROWS, sleepy_row, &rows, NULL, err);
    rows.at = ROWS / 2;
    if (r == 0) r = s->db->ops->load(s->db, &load, ROWS, sleepy_row, &rows, NULL, err);
    if (r == 0) r = s->db->ops->commit(s->db, err);
    if (r < 0) s->db->ops->rollback(s->db);
    return r;
}

/* Between two statements, with the job's row locked: right before the commit. */
static void doze(void *arg SHARC_UNUSED, const char *what, double seconds SHARC_UNUSED)
{
    if (strstr(what, "FOR SHARE")) raise(SIGSTOP);
}

static int sleep_before_commit(struct sharc_store *s, struct fixture *f, struct sharc_err *err)
{
    struct sharc_store_batch *b;
    sharc_store_batch_new(s, &b);
    fill(b, f->capture[0]);
    int r = sharc_store_batch_commit(b, err);
    sharc_store_batch_free(b);
    return r;
}

/* --- the story ------------------------------------------------------------------------------- */

typedef int sleep_fn(struct sharc_store *s, struct fixture *f, struct sharc_err *err);

/* In a process of its own; its exit code says what became of it. */
static void be_suspended(struct fixture *f, struct sharc_job_claim mine, sleep_fn *fn, bool traced)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *s = NULL;
    if (sharc_store_open(f->url, NULL, &s, &err) < 0) _exit(100);
    if (traced) sharc_store_trace(s, doze, NULL);
    sharc_store_fence(s, mine, LEASE);
    int r = fn(s, f, &err);
    _exit(r < 0 ? -r : 0);
}

static int64_t pages(struct fixture *f)
{
    return fixture_number(f, "SELECT count(*) FROM page");
}

static void take_over(struct fixture *f, sleep_fn *fn, bool traced)
{
    struct sharc_err err = SHARC_ERR_INIT;
    make_captures(f);
    const struct sharc_job_claim slept = first_claim(f);
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) be_suspended(f, slept, fn, traced);
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    assert_true(WIFSTOPPED(status));

    /* The lease runs out by itself. A job whose row is locked is passed over until the server has ended that. */
    struct sharc_store_job j;
    int r;
    do {
        r = sharc_store_job_claim(f->store, NULL, SHARC_SPAN("thief"), SHARC_HOUR, &j, &err);
        assert_true(r >= 0);
        usleep(50000);
    } while (r == 0);
    assert_int_equal(j.epoch, slept.epoch + 1);
    struct sharc_store *next = fixture_again(f, NULL);
    sharc_store_fence(next, (struct sharc_job_claim){j.id, j.epoch}, SHARC_HOUR);
    struct sharc_store_batch *b;
    sharc_store_batch_new(next, &b);
    fill(b, f->capture[0]);
    must(sharc_store_batch_commit(b, &err), &err); /* the other one still sleeps */
    assert_int_equal(pages(f), ROWS);

    must(kill(child, SIGCONT), &err);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == -SHARC_ENET || WEXITSTATUS(status) == -SHARC_EACCESS);
    assert_int_equal(pages(f), ROWS);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM url"), ROWS);
    sharc_store_batch_free(b);
    sharc_store_free(next);
}

static void asleep_among_its_rows(void **state)
{
    take_over(fixture(state), sleep_among_rows, false);
}

static void asleep_before_its_commit(void **state)
{
    take_over(fixture(state), sleep_before_commit, true);
}

static const struct CMUnitTest tests[] = {
    ON_SERVER(asleep_among_its_rows),
    ON_SERVER(asleep_before_its_commit),
};

TEST_MAIN(tests)
