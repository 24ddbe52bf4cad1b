/* SPDX-License-Identifier: Apache-2.0
 *
 * Workers: nobody gets what somebody else has.
 */
#include "store_test.h"

#include <stdio.h>
#include <stdlib.h>

#define LEASE (60 * SHARC_SEC)

static sharc_store_id add_job(struct fixture *f, const char *kind, int64_t priority, sharc_time due)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j = {.site = f->site,
                                .kind = sharc_span_of(kind),
                                .params = SHARC_SPAN("{\"a\":1}"),
                                .priority = priority,
                                .due = due};
    sharc_store_id id;
    must(sharc_store_job_add(f->store, &j, &id, &err), &err);
    return id;
}

static int claim(struct sharc_store *s, const char *owner, sharc_time now, struct sharc_store_job *j)
{
    struct sharc_err err = SHARC_ERR_INIT;
    return must(sharc_store_job_claim(s, "crawl", sharc_span_of(owner), now, LEASE, j, &err), &err);
}

static void jobs_go_by_priority_and_time(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j;
    assert_int_equal(claim(f->store, "ann", T0, &j), 0);
    sharc_store_id low = add_job(f, "crawl", 1, SHARC_TIME_NONE), high = add_job(f, "crawl", 5, T0 - 1);
    sharc_store_id later = add_job(f, "crawl", 9, T0 + SHARC_HOUR);
    add_job(f, "watch", 100, SHARC_TIME_NONE);
    assert_int_equal(claim(f->store, "ann", T0, &j), 1);
    assert_int_equal(j.id, high);
    assert_span(j.owner, "ann");
    assert_span(j.kind, "crawl");
    assert_span(j.params, "{\"a\":1}");
    assert_int_equal(j.site, f->site);
    assert_int_equal(j.attempts, 1);
    assert_int_equal(j.lease, T0 + LEASE);
    assert_int_equal(j.state, SHARC_JOB_RUNNING);
    assert_int_equal(claim(f->store, "bob", T0, &j), 1);
    assert_int_equal(j.id, low);
    assert_int_equal(claim(f->store, "bob", T0, &j), 0);
    assert_int_equal(claim(f->store, "bob", T0 + SHARC_HOUR, &j), 1);
    assert_int_equal(j.id, later);
    struct sharc_store_rows *rows;
    must(sharc_store_jobs(f->store, &rows, &err), &err);
    assert_int_equal(must(sharc_store_rows_next(rows, &err), &err), 1);
    sharc_store_read_job(rows, &j);
    assert_int_equal(j.state, SHARC_JOB_RUNNING);
    sharc_store_rows_free(rows);
}

static void a_lapsed_lease_is_taken_over(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j;
    sharc_store_id job = add_job(f, "crawl", 0, SHARC_TIME_NONE);
    assert_int_equal(claim(f->store, "ann", T0, &j), 1);
    must(sharc_store_job_renew(f->store, job, SHARC_SPAN("ann"), T0 + LEASE / 2, LEASE, f->capture[1], &err), &err);
    assert_int_equal(claim(f->store, "bob", T0 + LEASE + 1, &j), 0); /* it was prolonged */
    assert_int_equal(claim(f->store, "bob", T0 + 2 * LEASE, &j), 1);
    assert_int_equal(j.id, job);
    assert_int_equal(j.capture, f->capture[1]);
    assert_int_equal(j.attempts, 2);
    /* Whoever lost it is told, whatever he tries. */
    assert_int_equal(sharc_store_job_renew(f->store, job, SHARC_SPAN("ann"), T0, LEASE, 0, &err), SHARC_EBUSY);
    assert_int_equal(sharc_store_job_finish(f->store, job, SHARC_SPAN("ann"), SHARC_JOB_DONE, SHARC_SPAN_NONE, &err),
                     SHARC_EBUSY);
    must(sharc_store_job_finish(f->store, job, SHARC_SPAN("bob"), SHARC_JOB_QUEUED, SHARC_SPAN_NONE, &err), &err);
    assert_int_equal(claim(f->store, "ann", T0 + 3 * LEASE, &j), 1);
    must(sharc_store_job_finish(f->store, job, SHARC_SPAN("ann"), SHARC_JOB_FAILED, SHARC_SPAN("no such site"), &err),
         &err);
    assert_int_equal(claim(f->store, "ann", T0 + 9 * LEASE, &j), 0);
    assert_int_equal(sharc_store_job_finish(f->store, job, SHARC_SPAN("ann"), SHARC_JOB_RUNNING, SHARC_SPAN_NONE, &err),
                     SHARC_EINVAL);
}

static void two_workers_share_the_queue(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_store *other = fixture_again(f, NULL);
    struct sharc_store_job j;
    bool taken[100] = {false};
    sharc_store_id first = 0;
    for (int i = 0; i < 20; i++) {
        sharc_store_id id = add_job(f, "crawl", 0, SHARC_TIME_NONE);
        if (!first) first = id;
    }
    for (int i = 0; i < 20; i++) {
        assert_int_equal(claim(i % 2 ? other : f->store, i % 2 ? "bob" : "ann", T0, &j), 1);
        assert_false(taken[j.id - first]);
        taken[j.id - first] = true;
    }
    assert_int_equal(claim(other, "bob", T0, &j), 0);
    sharc_store_free(other);
}

static void hosts_take_turns(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_host h;
    sharc_time when = 0;
    assert_int_equal(sharc_store_host_get(f->store, SHARC_SPAN("example.org"), &h, &err), SHARC_ENOENT);
    assert_int_equal(sharc_store_host_turn(f->store, SHARC_SPAN("example.org"), T0, 3 * SHARC_SEC, &when, &err), 1);
    assert_int_equal(sharc_store_host_turn(f->store, SHARC_SPAN("example.org"), T0 + 1, 3 * SHARC_SEC, &when, &err), 0);
    assert_int_equal(when, T0 + 3 * SHARC_SEC);
    assert_int_equal(sharc_store_host_turn(f->store, SHARC_SPAN("other.example"), T0 + 1, 3 * SHARC_SEC, &when, &err),
                     1);
    assert_int_equal(sharc_store_host_turn(f->store, SHARC_SPAN("example.org"), when, 3 * SHARC_SEC, &when, &err), 1);
    h = (struct sharc_store_host){.name = SHARC_SPAN("example.org"),
                                  .next = T0 + SHARC_HOUR,
                                  .backoff = 60 * SHARC_SEC,
                                  .robots = SHARC_SPAN("User-agent: *\n\xff"),
                                  .robots_when = T0,
                                  .robots_status = 200};
    must(sharc_store_host_put(f->store, &h, &err), &err);
    assert_int_equal(sharc_store_host_turn(f->store, SHARC_SPAN("example.org"), T0 + SHARC_MINUTE, 1, &when, &err), 0);
    assert_int_equal(when, T0 + SHARC_HOUR);
    must(sharc_store_host_get(f->store, SHARC_SPAN("example.org"), &h, &err), &err);
    assert_span(h.robots, "User-agent: *\n\xff");
    assert_int_equal(h.backoff, 60 * SHARC_SEC);
    assert_int_equal(h.robots_status, 200);
    assert_int_equal(h.robots_when, T0);
    assert_int_equal(sharc_store_host_get(f->store, SHARC_SPAN(""), &h, &err), SHARC_EINVAL);
    /* A page's URL finds the same host. */
    make_captures(f);
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    struct sharc_store_page p = page_of(f->capture[0], "http://example.org/", T0, 200, "x", NULL);
    put_page(b, &p);
    commit(b);
    sharc_store_batch_free(b);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM host"), 2);
    must(sharc_store_host_get(f->store, SHARC_SPAN("example.org"), &h, &err), &err);
    assert_int_equal(h.robots_status, 200);
}

static const struct CMUnitTest tests[] = {
    ON_EACH(jobs_go_by_priority_and_time),
    ON_EACH(a_lapsed_lease_is_taken_over),
    ON_SHARED(two_workers_share_the_queue),
    ON_EACH(hosts_take_turns),
};

TEST_MAIN(tests)
