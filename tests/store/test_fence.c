/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker whose claim was taken over writes not one row, whatever it tries and however far it had come. The
 * attack: the claim is stolen between any two calls of the database.
 */
#include "store_test.h"

#include "sharc/store_amend.h"

#include <stdio.h>
#include <stdlib.h>

#define LEASE SHARC_HOUR

static sharc_store_id add_job(struct fixture *f)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j = {.site = f->site, .kind = SHARC_SPAN("crawl")};
    sharc_store_id id;
    must(sharc_store_job_add(f->store, &j, &id, &err), &err);
    return id;
}

static struct sharc_job_claim claim(struct sharc_store *s)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j;
    assert_int_equal(must(sharc_store_job_claim(s, NULL, SHARC_SPAN("w"), LEASE, &j, &err), &err), 1);
    return (struct sharc_job_claim){j.id, j.epoch};
}

static struct sharc_job_claim steal(struct fixture *f)
{
    fixture_sql(f, "UPDATE lease SET until = 1");
    fixture_sql(f, "UPDATE job SET failures = 0");
    return claim(f->store);
}

/* Everything a capture writes. */
static void fill(struct fixture *f, struct sharc_store_batch *b, int n)
{
    struct sharc_err err = SHARC_ERR_INIT;
    for (int i = 0; i < n; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://example.org/%d", i);
        struct sharc_store_page p = page_of(f->capture[0], url, T0 + i, 200, url, url);
        struct sharc_store_link link = {SHARC_SPAN("http://example.org/0"), 0};
        p.links = &link;
        p.n_links = 1;
        p.has_links = true;
        put_page(b, &p);
        must(sharc_store_batch_skipped(b, f->capture[0], SHARC_SPAN("http://example.org/x"), SHARC_SPAN("scope"),
                                       SHARC_SPAN_NONE, &err),
             &err);
    }
    must(sharc_store_batch_journal(b, f->capture[0], 0, SHARC_SPAN("journal"), &err), &err);
    struct sharc_store_warc w = {.id = f->warc, .size = 100, .done = 100, .records = 1};
    must(sharc_store_batch_warc(b, &w, &err), &err);
}

static int64_t rows(struct fixture *f)
{
    return fixture_number(f, "SELECT (SELECT count(*) FROM page) + (SELECT count(*) FROM skipped)"
                             " + (SELECT count(*) FROM journal) + (SELECT count(*) FROM url)"
                             " + (SELECT count(*) FROM content) + (SELECT count(*) FROM link_set)"
                             " + (SELECT count(*) FROM warc) + (SELECT count(*) FROM capture)"
                             " + (SELECT count(*) FROM host) + (SELECT coalesce(sum(done), 0) FROM warc)");
}

static void who_holds_the_claim_writes(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *worker = fixture_again(f, NULL);
    sharc_store_id job = add_job(f), capture;
    sharc_store_fence(worker, claim(f->store), LEASE);
    struct sharc_store_batch *b;
    sharc_store_batch_new(worker, &b);
    fill(f, b, 3);
    must(sharc_store_batch_commit(b, &err), &err);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM page"), 3);
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    c.site = f->site;
    must(sharc_store_capture_add(worker, &c, &capture, NULL, &err), &err);
    struct sharc_store_job j;
    must(sharc_store_job_get(f->store, job, &j, &err), &err);
    assert_int_equal(j.capture, capture);
    sharc_store_batch_free(b);
    sharc_store_free(worker);
}

static void who_has_lost_it_writes_nothing(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *worker = fixture_again(f, NULL);
    add_job(f);
    sharc_store_fence(worker, claim(f->store), LEASE);
    struct sharc_store_batch *b;
    sharc_store_batch_new(worker, &b);
    fill(f, b, 3);
    int64_t before = rows(f);
    struct sharc_job_claim thief = steal(f);
    assert_int_equal(sharc_store_batch_number(b, 2, &err), SHARC_EACCESS);
    assert_int_equal(sharc_store_batch_commit(b, &err), SHARC_EACCESS);
    assert_int_equal(sharc_store_batch_commit(b, &err), SHARC_EACCESS); /* again, as a patient writer would */
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    sharc_store_id id;
    c.site = f->site;
    assert_int_equal(sharc_store_capture_add(worker, &c, &id, NULL, &err), SHARC_EACCESS);
    c.id = f->capture[0];
    assert_int_equal(sharc_store_capture_update(worker, &c, &err), SHARC_EACCESS);
    struct sharc_store_site site = {.name = SHARC_SPAN("new.example")};
    assert_int_equal(sharc_store_site_put(worker, &site, &id, &err), SHARC_EACCESS);
    struct sharc_store_warc w = {.name = SHARC_SPAN("warcs/new.warc.gz")};
    assert_int_equal(sharc_store_warc_open(worker, &w, &id, NULL, &err), SHARC_EACCESS);
    struct sharc_store_host h = {.name = SHARC_SPAN("new.example")};
    assert_int_equal(sharc_store_hosts_put(worker, &h, 1, &err), SHARC_EACCESS);
    assert_int_equal(sharc_store_hosts_put(worker, &h, 1, &err), SHARC_EACCESS);
    sharc_time ticket, wait;
    assert_int_equal(sharc_store_host_turn(worker, h.name, 1, &ticket, &wait, &err), SHARC_EACCESS);
    assert_int_equal(sharc_store_host_rest(worker, h.name, 1, 1, 0, &err), SHARC_EACCESS);
    assert_int_equal(sharc_store_journal_drop(worker, f->capture[0], &err), SHARC_EACCESS);
    const char *reason = "scope";
    assert_int_equal(sharc_store_skipped_forget(worker, f->capture[0], &reason, 1, &err), SHARC_EACCESS);
    assert_int_equal(rows(f), before);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM site"), 1);
    must(sharc_store_job_done(f->store, thief, SHARC_TIME_NONE, &err), &err);
    sharc_store_batch_free(b);
    sharc_store_free(worker);
}

/* Stolen between any two calls: the trace runs before each call returns. */
struct theft {
    struct fixture *f;
    uint64_t calls, at;
    bool stolen;
};

static void maybe_steal(void *arg, const char *what, double seconds)
{
    struct theft *t = arg;
    (void)what;
    (void)seconds;
    if (++t->calls != t->at) return;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j;
    fixture_sql(t->f, "UPDATE lease SET until = 1");
    /* Inside the worker's transaction the job cannot be had; before and after, it can. */
    int r = sharc_store_job_claim(t->f->store, NULL, SHARC_SPAN("thief"), LEASE, &j, &err);
    t->stolen = r == 1;
}

static void stolen_at_any_call_all_or_nothing_is_written(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_err err = SHARC_ERR_INIT;
    add_job(f);
    bool over = false;
    uint64_t nothing = 0, all = 0;
    for (uint64_t at = 1; !over; at++) {
        struct sharc_store *worker = fixture_again(f, NULL);
        fixture_sql(f, "UPDATE lease SET until = 1");
        fixture_sql(f, "UPDATE job SET failures = 0");
        fixture_sql(f, "DELETE FROM page; DELETE FROM skipped; DELETE FROM journal; UPDATE warc SET done = 0");
        const struct sharc_job_claim mine = claim(f->store);
        sharc_store_fence(worker, mine, LEASE);
        struct theft t = {.f = f, .at = at};
        sharc_store_trace(worker, maybe_steal, &t);
        struct sharc_store_batch *b;
        sharc_store_batch_new(worker, &b);
        fill(f, b, 3);
        int r = sharc_store_batch_commit(b, &err);
        over = t.calls < at;
        int64_t written = fixture_number(f, "SELECT count(*) FROM page");
        assert_int_equal(written, r == 0 ? 3 : 0);
        assert_true(r == 0 || r == SHARC_EACCESS);
        if (t.stolen && r == 0) all++; /* the commit came first */
        if (t.stolen && r < 0) nothing++;
        sharc_store_batch_free(b);
        sharc_store_free(worker);
        assert_true(at < 200);
    }
    assert_true(all + nothing > 0);
}

static const struct CMUnitTest tests[] = {
    ON_SHARED(who_holds_the_claim_writes),
    ON_SHARED(who_has_lost_it_writes_nothing),
    ON_SERVER(stolen_at_any_call_all_or_nothing_is_written),
};

TEST_MAIN(tests)
