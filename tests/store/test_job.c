/* SPDX-License-Identifier: Apache-2.0
 *
 * Workers: nobody gets what somebody else has. The clock is the database's: tests move leases and due times
 * into the past instead of waiting.
 */
#include "store_test.h"

#include <stdio.h>
#include <stdlib.h>

#define LEASE SHARC_HOUR

static sharc_store_id add_site(struct fixture *f, const char *name)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_site site = {.name = sharc_span_of(name)};
    sharc_store_id id;
    must(sharc_store_site_put(f->store, &site, &id, &err), &err);
    return id;
}

/* A job for a site of its own. */
static sharc_store_id add_job(struct fixture *f, const char *collection, sharc_time due)
{
    static int sites;
    struct sharc_err err = SHARC_ERR_INIT;
    char name[40];
    snprintf(name, sizeof name, "site%d.example", sites++);
    struct sharc_store_job j = {.site = add_site(f, name),
                                .kind = SHARC_SPAN("crawl"),
                                .collection = sharc_span_of(collection),
                                .params = SHARC_SPAN("{\"a\":1}"),
                                .due = due};
    sharc_store_id id;
    must(sharc_store_job_add(f->store, &j, &id, &err), &err);
    return id;
}

static int claim(struct sharc_store *s, const char *owner, struct sharc_store_job *j)
{
    struct sharc_err err = SHARC_ERR_INIT;
    return must(sharc_store_job_claim(s, "crawl", sharc_span_of(owner), LEASE, j, &err), &err);
}

static struct sharc_job_claim of(const struct sharc_store_job *j)
{
    return (struct sharc_job_claim){j->id, j->epoch};
}

static enum sharc_job_state state_of(struct fixture *f, sharc_store_id job)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j;
    must(sharc_store_job_get(f->store, job, &j, &err), &err);
    return j.state;
}

static void leases_run_out(struct fixture *f)
{
    fixture_sql(f, "UPDATE lease SET until = 1");
}

static void the_one_due_longest_is_taken(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j;
    sharc_time now;
    must(sharc_store_now(f->store, &now, &err), &err);
    assert_true(now > T0);
    assert_int_equal(claim(f->store, "ann", &j), 0);
    sharc_store_id second = add_job(f, "", SHARC_TIME_NONE), first = add_job(f, "", now - SHARC_DAY);
    sharc_store_id later = add_job(f, "", now + SHARC_DAY);
    assert_int_equal(claim(f->store, "ann", &j), 1);
    assert_int_equal(j.id, first);
    assert_span(j.owner, "ann");
    assert_span(j.kind, "crawl");
    assert_span(j.params, "{\"a\":1}");
    assert_int_equal(j.epoch, 1);
    assert_int_equal(j.state, SHARC_JOB_RUNNING);
    assert_in_range(j.lease, now + LEASE, now + 2 * LEASE);
    assert_in_range(j.begun, now, now + SHARC_HOUR);
    assert_int_equal(claim(f->store, "bob", &j), 1);
    assert_int_equal(j.id, second);
    assert_int_equal(claim(f->store, "bob", &j), 0); /* the third is not due */
    must(sharc_store_job_wish(f->store, later, SHARC_JOB_RETRY, &err), &err);
    assert_int_equal(claim(f->store, "bob", &j), 1);
    assert_int_equal(j.id, later);
    assert_int_equal(must(sharc_store_job_claim(f->store, "watch", SHARC_SPAN("bob"), LEASE, &j, &err), &err), 0);
    struct sharc_store_rows *rows;
    must(sharc_store_jobs(f->store, NULL, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 3);
    must(sharc_store_jobs(f->store, &(struct sharc_store_job_filter){.states = 1u << SHARC_JOB_QUEUED}, &rows, &err),
         &err);
    assert_int_equal(count_rows(rows), 0);
}

static void a_site_has_one_job_at_a_time(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job one = {.site = add_site(f, "example.org"), .kind = SHARC_SPAN("crawl")}, j;
    sharc_store_id first, second;
    must(sharc_store_job_add(f->store, &one, &first, &err), &err);
    assert_int_equal(sharc_store_job_add(f->store, &one, &second, &err), SHARC_EEXIST);
    assert_non_null(strstr(err.text, "number"));
    must(sharc_store_job_wish(f->store, first, SHARC_JOB_CANCEL, &err), &err);
    must(sharc_store_job_add(f->store, &one, &second, &err), &err);
    assert_int_equal(sharc_store_job_wish(f->store, first, SHARC_JOB_RETRY, &err), SHARC_EEXIST);
    assert_int_equal(claim(f->store, "ann", &j), 1);
    assert_int_equal(j.id, second);
    assert_span(j.site_name, "example.org");
    must(sharc_store_job_done(f->store, of(&j), SHARC_TIME_NONE, &err), &err);
    must(sharc_store_job_wish(f->store, first, SHARC_JOB_RETRY, &err), &err);
}

static void a_site_is_watched_beside_its_captures(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    const sharc_store_id site = add_site(f, "example.org");
    const struct sharc_store_job crawl = {.site = site, .kind = SHARC_SPAN("crawl")};
    const struct sharc_store_job watch = {.site = site, .kind = SHARC_SPAN("watch")};
    struct sharc_store_job j;
    sharc_store_id first, second, third;
    must(sharc_store_job_add(f->store, &crawl, &first, &err), &err);
    must(sharc_store_job_add(f->store, &watch, &second, &err), &err);
    assert_int_equal(sharc_store_job_add(f->store, &watch, &third, &err), SHARC_EEXIST);
    assert_int_equal(must(sharc_store_job_claim(f->store, "watch", SHARC_SPAN("ann"), LEASE, &j, &err), &err), 1);
    assert_int_equal(j.id, second);
    assert_int_equal(must(sharc_store_job_claim(f->store, NULL, SHARC_SPAN("bob"), LEASE, &j, &err), &err), 1);
    assert_int_equal(j.id, first);
}

static void a_turn_ends_and_the_capture_stays(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j, later;
    sharc_time now;
    sharc_store_id job = add_job(f, "", SHARC_TIME_NONE);
    must(sharc_store_now(f->store, &now, &err), &err);
    assert_int_equal(claim(f->store, "ann", &j), 1);
    fixture_sql(f, "UPDATE job SET capture = 7, failures = 3, message = 'x'");
    must(sharc_store_job_again(f->store, of(&j), now + SHARC_DAY, &err), &err);
    must(sharc_store_job_get(f->store, job, &later, &err), &err);
    assert_int_equal(later.state, SHARC_JOB_QUEUED);
    assert_int_equal(later.due, now + SHARC_DAY);
    assert_int_equal(later.capture, 7);
    assert_int_equal(later.failures, 0);
    assert_int_equal(later.lease, SHARC_TIME_NONE);
    assert_int_equal(sharc_store_job_again(f->store, of(&j), now, &err), 0); /* nobody else has claimed it */
    must(sharc_store_job_wish(f->store, job, SHARC_JOB_RETRY, &err), &err);
    assert_int_equal(claim(f->store, "bob", &later), 1);
    assert_int_equal(sharc_store_job_again(f->store, of(&j), now, &err), SHARC_EACCESS);
    must(sharc_store_job_wish(f->store, job, SHARC_JOB_CANCEL, &err), &err);
    must(sharc_store_job_again(f->store, of(&later), now, &err), &err);
    assert_int_equal(state_of(f, job), SHARC_JOB_CANCELLED);
}

static void a_lapsed_lease_is_taken_over(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job ann, bob, j;
    sharc_store_id job = add_job(f, "", SHARC_TIME_NONE);
    assert_int_equal(claim(f->store, "ann", &ann), 1);
    leases_run_out(f);
    assert_int_equal(must(sharc_store_job_beat(f->store, of(&ann), LEASE, &err), &err), 1); /* nobody was quicker */
    assert_int_equal(claim(f->store, "bob", &bob), 0);
    leases_run_out(f);
    assert_int_equal(claim(f->store, "bob", &bob), 1);
    assert_int_equal(bob.id, job);
    assert_int_equal(bob.epoch, ann.epoch + 1);
    assert_int_equal(bob.failures, 1);
    /* Whoever lost it is told, whatever he tries, and changes nothing. */
    assert_int_equal(sharc_store_job_beat(f->store, of(&ann), LEASE, &err), SHARC_EACCESS);
    assert_int_equal(sharc_store_job_done(f->store, of(&ann), SHARC_TIME_NONE, &err), SHARC_EACCESS);
    assert_int_equal(sharc_store_job_failed(f->store, of(&ann), SHARC_SPAN("x"), 1, &err), SHARC_EACCESS);
    assert_int_equal(sharc_store_job_release(f->store, of(&ann), &err), SHARC_EACCESS);
    assert_int_equal(state_of(f, job), SHARC_JOB_RUNNING);
    assert_int_equal(must(sharc_store_job_beat(f->store, of(&bob), LEASE, &err), &err), 1);
    must(sharc_store_job_release(f->store, of(&bob), &err), &err);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM lease"), 0);
    assert_int_equal(claim(f->store, "cat", &j), 1);
    must(sharc_store_job_done(f->store, of(&j), SHARC_TIME_NONE, &err), &err);
    assert_int_equal(state_of(f, job), SHARC_JOB_DONE);
    assert_int_equal(claim(f->store, "cat", &j), 0);
}

static void what_kills_its_workers_is_given_up(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j;
    sharc_store_id job = add_job(f, "", SHARC_TIME_NONE), other;
    int claims = 0;
    while (claim(f->store, "ann", &j) == 1) {
        leases_run_out(f);
        claims++;
        assert_in_range(claims, 1, 100);
    }
    assert_int_equal(claims, SHARC_JOB_VANISHED);
    must(sharc_store_job_get(f->store, job, &j, &err), &err);
    assert_int_equal(j.state, SHARC_JOB_FAILED);
    assert_span(j.message, "its workers vanished, the last was ann");
    /* It does not keep others from being found. */
    other = add_job(f, "", SHARC_TIME_NONE);
    assert_int_equal(claim(f->store, "ann", &j), 1);
    assert_int_equal(j.id, other);
}

static void failures_are_tried_again_later(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j;
    sharc_store_id job = add_job(f, "", SHARC_TIME_NONE);
    assert_int_equal(claim(f->store, "ann", &j), 1);
    must(sharc_store_job_failed(f->store, of(&j), SHARC_SPAN("no answer"), SHARC_HOUR, &err), &err);
    assert_int_equal(claim(f->store, "ann", &j), 0);
    must(sharc_store_job_get(f->store, job, &j, &err), &err);
    assert_int_equal(j.state, SHARC_JOB_QUEUED);
    assert_int_equal(j.failures, 1);
    assert_span(j.message, "no answer");
    must(sharc_store_job_wish(f->store, job, SHARC_JOB_RETRY, &err), &err);
    assert_int_equal(claim(f->store, "ann", &j), 1);
    assert_int_equal(j.failures, 0);
    must(sharc_store_job_failed(f->store, of(&j), SHARC_SPAN("no answer"), SHARC_TIME_NONE, &err), &err);
    assert_int_equal(state_of(f, job), SHARC_JOB_FAILED);
    assert_int_equal(claim(f->store, "ann", &j), 0);
    int64_t forgotten = 0;
    must(sharc_store_jobs_forget(f->store, SHARC_HOUR, &forgotten, &err), &err);
    assert_int_equal(forgotten, 0);
    fixture_sql(f, "UPDATE job SET ended = 1");
    must(sharc_store_jobs_forget(f->store, SHARC_HOUR, &forgotten, &err), &err);
    assert_int_equal(forgotten, 1);
    assert_int_equal(sharc_store_job_get(f->store, job, &j, &err), SHARC_ENOENT);
}

static void a_schedule_brings_it_back(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j;
    sharc_time now;
    sharc_store_id job = add_job(f, "", SHARC_TIME_NONE);
    assert_int_equal(claim(f->store, "ann", &j), 1);
    must(sharc_store_now(f->store, &now, &err), &err);
    fixture_sql(f, "UPDATE job SET capture = 77");
    must(sharc_store_job_done(f->store, of(&j), now + SHARC_DAY, &err), &err);
    must(sharc_store_job_get(f->store, job, &j, &err), &err);
    assert_int_equal(j.state, SHARC_JOB_QUEUED);
    assert_int_equal(j.due, now + SHARC_DAY);
    assert_int_equal(j.capture, 0); /* the next one makes a capture of its own */
    assert_int_equal(claim(f->store, "ann", &j), 0);
}

static void people_pause_and_cancel(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j, other;
    sharc_store_id job = add_job(f, "", SHARC_TIME_NONE);
    must(sharc_store_job_wish(f->store, job, SHARC_JOB_PAUSE, &err), &err);
    assert_int_equal(sharc_store_job_wish(f->store, job, SHARC_JOB_PAUSE, &err), SHARC_EINVAL);
    assert_string_equal(strstr(err.text, "is paused"), "is paused: it cannot be paused");
    assert_int_equal(claim(f->store, "ann", &j), 0);
    must(sharc_store_job_wish(f->store, job, SHARC_JOB_RESUME, &err), &err);
    assert_int_equal(claim(f->store, "ann", &j), 1);
    /* The worker is told with its next heartbeat, and still is the one who writes. */
    must(sharc_store_job_wish(f->store, job, SHARC_JOB_PAUSE, &err), &err);
    assert_int_equal(must(sharc_store_job_beat(f->store, of(&j), LEASE, &err), &err), 0);
    must(sharc_store_job_wish(f->store, job, SHARC_JOB_RESUME, &err), &err);
    assert_int_equal(claim(f->store, "bob", &other), 0); /* not before its worker has let go */
    must(sharc_store_job_release(f->store, of(&j), &err), &err);
    assert_int_equal(claim(f->store, "bob", &other), 1);
    must(sharc_store_job_wish(f->store, job, SHARC_JOB_CANCEL, &err), &err);
    assert_int_equal(must(sharc_store_job_beat(f->store, of(&other), LEASE, &err), &err), 0);
    must(sharc_store_job_release(f->store, of(&other), &err), &err);
    assert_int_equal(state_of(f, job), SHARC_JOB_CANCELLED);
    assert_int_equal(claim(f->store, "bob", &other), 0);
    assert_int_equal(sharc_store_job_wish(f->store, 4711, SHARC_JOB_CANCEL, &err), SHARC_ENOENT);
}

/* A worker that dies while it is to pause keeps nobody from resuming. */
static void a_paused_job_outlives_its_worker(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j;
    sharc_store_id job = add_job(f, "", SHARC_TIME_NONE);
    assert_int_equal(claim(f->store, "ann", &j), 1);
    must(sharc_store_job_wish(f->store, job, SHARC_JOB_PAUSE, &err), &err);
    leases_run_out(f);
    assert_int_equal(claim(f->store, "bob", &j), 0);
    must(sharc_store_job_wish(f->store, job, SHARC_JOB_RESUME, &err), &err);
    assert_int_equal(claim(f->store, "bob", &j), 1);
    assert_int_equal(j.epoch, 2);
}

static void collections_take_turns(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j;
    int large = 0, small = 0;
    for (int i = 0; i < 20; i++) add_job(f, "large", T0 + i);
    for (int i = 0; i < 5; i++) add_job(f, "small", T0 + SHARC_DAY + i);
    /* All run at once: as many of one as of the other, as long as there are any. */
    for (int i = 0; i < 10; i++) {
        assert_int_equal(claim(f->store, "ann", &j), 1);
        if (sharc_span_is(j.collection, "small"))
            small++;
        else
            large++;
    }
    assert_int_equal(small, 5);
    assert_int_equal(large, 5);
    /* One at a time: turn by turn. */
    fixture_sql(f, "DELETE FROM lease");
    fixture_sql(f, "UPDATE job SET state = 0, begun = NULL");
    struct sharc_span before = SHARC_SPAN_NONE;
    char last[16] = "";
    for (int i = 0; i < 10; i++) {
        assert_int_equal(claim(f->store, "ann", &j), 1);
        before = j.collection;
        assert_string_not_equal(last, before.n == 5 && before.p[0] == 'l' ? "large" : "small");
        snprintf(last, sizeof last, "%.*s", SHARC_SPAN_ARG(before));
        must(sharc_store_job_done(f->store, of(&j), SHARC_TIME_NONE, &err), &err);
        fixture_sql(f, "UPDATE job SET begun = begun - 1000000"); /* the clock may be coarse */
    }
}

static void two_workers_share_the_queue(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_store *other = fixture_again(f, NULL);
    struct sharc_store_job j;
    bool taken[100] = {false};
    sharc_store_id first = 0;
    for (int i = 0; i < 20; i++) {
        sharc_store_id id = add_job(f, "", SHARC_TIME_NONE);
        if (!first) first = id;
    }
    for (int i = 0; i < 20; i++) {
        assert_int_equal(claim(i % 2 ? other : f->store, i % 2 ? "bob" : "ann", &j), 1);
        assert_false(taken[j.id - first]);
        taken[j.id - first] = true;
    }
    assert_int_equal(claim(other, "bob", &j), 0);
    sharc_store_free(other);
}

/* Whatever call of the database fails, the job is claimed whole or not at all. */
static void a_claim_that_fails_takes_nothing(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_store_job j;
    add_job(f, "", SHARC_TIME_NONE);
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        struct sharc_err err = SHARC_ERR_INIT;
        sharc_store_fail_at(f->store, n, SHARC_EIO);
        int r = sharc_store_job_claim(f->store, NULL, SHARC_SPAN("ann"), LEASE, &j, &err);
        sharc_store_fail_at(f->store, 0, 0);
        done = r == 1;
        assert_int_equal(fixture_number(f, "SELECT count(*) FROM lease"),
                         fixture_number(f, "SELECT count(*) FROM job WHERE state = 1"));
        if (!done) {
            assert_int_equal(r, SHARC_EIO);
            leases_run_out(f); /* it may have failed after the commit */
            fixture_sql(f, "UPDATE job SET failures = 0");
        }
        assert_true(n < 100);
    }
}

static void hosts_take_turns(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_host h;
    const struct sharc_span name = SHARC_SPAN("example.org");
    sharc_time ticket = 0, wait = 0, other = 0;
    assert_int_equal(sharc_store_host_get(f->store, name, &h, &err), SHARC_ENOENT);
    assert_int_equal(must(sharc_store_host_turn(f->store, name, SHARC_HOUR, &ticket, &wait, &err), &err), 1);
    assert_int_equal(must(sharc_store_host_turn(f->store, name, SHARC_HOUR, &other, &wait, &err), &err), 0);
    assert_in_range(wait, 50 * SHARC_MINUTE, SHARC_HOUR);
    assert_int_equal(must(sharc_store_host_turn(f->store, SHARC_SPAN("other.example"), SHARC_HOUR, &other, &wait, &err),
                          &err),
                     1);
    /* The answer ends the hold; the pause begins. */
    must(sharc_store_host_rest(f->store, name, ticket, 10 * SHARC_MINUTE, 0, &err), &err);
    assert_int_equal(must(sharc_store_host_turn(f->store, name, 1, &other, &wait, &err), &err), 0);
    assert_in_range(wait, 5 * SHARC_MINUTE, 10 * SHARC_MINUTE);
    /* Who comes late does not shorten what another one holds. */
    must(sharc_store_host_rest(f->store, name, ticket, 1, 0, &err), &err);
    assert_int_equal(must(sharc_store_host_turn(f->store, name, 1, &other, &wait, &err), &err), 0);
    assert_in_range(wait, 5 * SHARC_MINUTE, 10 * SHARC_MINUTE);
    fixture_sql(f, "UPDATE host SET next = 1");
    assert_int_equal(must(sharc_store_host_turn(f->store, name, SHARC_HOUR, &other, &wait, &err), &err), 1);
    h = (struct sharc_store_host){.name = name,
                                  .next = T0 + SHARC_HOUR,
                                  .backoff = 60 * SHARC_SEC,
                                  .robots = SHARC_SPAN("User-agent: *\n\xff"),
                                  .robots_when = T0,
                                  .robots_status = 200};
    must(sharc_store_hosts_put(f->store, &h, 1, &err), &err);
    must(sharc_store_host_get(f->store, name, &h, &err), &err);
    assert_span(h.robots, "User-agent: *\n\xff");
    assert_int_equal(h.backoff, 60 * SHARC_SEC);
    assert_int_equal(h.robots_status, 200);
    assert_int_equal(h.robots_when, T0);
    h.robots = SHARC_SPAN("User-agent: sharc\n");
    h.name = name;
    must(sharc_store_host_robots(f->store, &h, &err), &err);
    must(sharc_store_host_get(f->store, name, &h, &err), &err);
    assert_span(h.robots, "User-agent: sharc\n");
    assert_int_equal(h.next, T0 + SHARC_HOUR);
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
    must(sharc_store_host_get(f->store, name, &h, &err), &err);
    assert_int_equal(h.robots_status, 200);
}

/* The database's clock was two hours ahead when the pause was written down. */
static void a_clock_put_back_does_not_lengthen_turns(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    const struct sharc_span name = SHARC_SPAN("example.org");
    struct sharc_store_host h;
    sharc_time ticket = 0, wait = 0, other = 0;
    assert_int_equal(must(sharc_store_host_turn(f->store, name, SHARC_SEC, &ticket, &wait, &err), &err), 1);
    must(sharc_store_host_rest(f->store, name, ticket, 10 * SHARC_MINUTE, 0, &err), &err);
    fixture_sql(f, "UPDATE host SET next = next + 7200000000, noted = noted + 7200000000");
    assert_int_equal(must(sharc_store_host_turn(f->store, name, SHARC_SEC, &other, &wait, &err), &err), 0);
    assert_in_range(wait, 5 * SHARC_MINUTE, 10 * SHARC_MINUTE);
    /* So it stays: asking again does not begin it anew. */
    must(sharc_store_host_get(f->store, name, &h, &err), &err);
    const sharc_time due = h.next;
    assert_int_equal(must(sharc_store_host_turn(f->store, name, SHARC_SEC, &other, &wait, &err), &err), 0);
    must(sharc_store_host_get(f->store, name, &h, &err), &err);
    assert_int_equal(h.next, due);
    /* A row that a crawl wrote, as a crawl reads it. */
    h = (struct sharc_store_host){.next = T0 + SHARC_MINUTE, .noted = T0};
    assert_int_equal(sharc_store_host_due(&h, T0 + SHARC_SEC), T0 + SHARC_MINUTE);
    assert_int_equal(sharc_store_host_due(&h, T0 - SHARC_HOUR), T0 - SHARC_HOUR + SHARC_MINUTE);
    h.noted = SHARC_TIME_NONE;
    assert_int_equal(sharc_store_host_due(&h, T0 - SHARC_HOUR), T0 + SHARC_MINUTE);
    h.next = SHARC_TIME_NONE;
    assert_int_equal(sharc_store_host_due(&h, T0), SHARC_TIME_NONE);
}

static const struct CMUnitTest tests[] = {
    ON_EACH(the_one_due_longest_is_taken),
    ON_EACH(a_site_has_one_job_at_a_time),
    ON_EACH(a_site_is_watched_beside_its_captures),
    ON_EACH(a_turn_ends_and_the_capture_stays),
    ON_EACH(a_lapsed_lease_is_taken_over),
    ON_EACH(what_kills_its_workers_is_given_up),
    ON_EACH(failures_are_tried_again_later),
    ON_EACH(a_schedule_brings_it_back),
    ON_EACH(people_pause_and_cancel),
    ON_EACH(a_paused_job_outlives_its_worker),
    ON_EACH(collections_take_turns),
    ON_SHARED(two_workers_share_the_queue),
    ON_EACH(a_claim_that_fails_takes_nothing),
    ON_EACH(hosts_take_turns),
    ON_EACH(a_clock_put_back_does_not_lengthen_turns),
};

TEST_MAIN(tests)
