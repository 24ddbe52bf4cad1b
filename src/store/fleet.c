/* SPDX-License-Identifier: Apache-2.0
 *
 * Workers by their signs of life, and the queue in numbers.
 */
#include "sharc/store_fleet.h"
#include "store_int.h"

static int run(struct sharc_store *s, const char *sql, const struct sharc_store_value *p, size_t n,
               struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *text = sharc__store_words(s->db, sql);
    int r = sharc__store_may_write(s, reterr);
    return r < 0 ? r : sharc__store_run(s, text, p, n, NULL, reterr);
}

int sharc_store_worker_beat(struct sharc_store *s, const struct sharc_store_worker *w, struct sharc_err *reterr)
{
    return run(s,
               "INSERT INTO worker (name, begun, beat, lease, sites) VALUES ($1, {now}, {now}, $2, $3)"
               " ON CONFLICT (name) DO UPDATE SET beat = excluded.beat, lease = excluded.lease, sites = excluded.sites",
               SHARC__PARAMS(sharc__store_text(w->name), sharc__store_int(w->lease), sharc__store_int(w->sites)),
               reterr);
}

int sharc_store_worker_gone(struct sharc_store *s, struct sharc_span name, struct sharc_err *reterr)
{
    return run(s, "DELETE FROM worker WHERE name = $1", SHARC__PARAMS(sharc__store_text(name)), reterr);
}

/* Jobs whose lease holds, with who has them. */
#define HELD                                                                                         \
    "(SELECT j.owner, j.capture FROM job j JOIN lease l ON l.job = j.id AND l.epoch = j.epoch WHERE" \
    " j.owner IS NOT NULL AND l.until >= {now})"

int sharc_store_workers(struct sharc_store *s, struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep)
    char *text = sharc__store_words(
        s->db, "SELECT n.name, w.begun, w.beat, w.lease, w.sites,"
               " (SELECT count(*) FROM " HELD " h WHERE h.owner = n.name) AS running,"
               " (SELECT count(*) FROM " HELD " h JOIN page p ON p.capture = h.capture"
               " WHERE h.owner = n.name AND p.visit >= {now} - CAST($1 AS BIGINT)) AS pages"
               " FROM (SELECT name FROM worker WHERE beat >= {now} - CAST($2 AS BIGINT) UNION SELECT owner FROM " HELD
               " o) n LEFT JOIN worker w ON w.name = n.name ORDER BY n.name");
    return sharc__store_rows_query(s, text,
                                   SHARC__PARAMS(sharc__store_int(SHARC_FLEET_RECENT), sharc__store_int(7 * SHARC_DAY)),
                                   ret, reterr);
}

void sharc_store_read_worker(struct sharc_store_rows *rows, struct sharc_store_worker *ret)
{
    *ret = (struct sharc_store_worker){
        .name = sharc__store_rows_span(rows, 0),
        .begun = sharc__store_rows_int(rows, 1, SHARC_TIME_NONE),
        .beat = sharc__store_rows_int(rows, 2, SHARC_TIME_NONE),
        .lease = sharc__store_rows_int(rows, 3, SHARC_TIME_NONE),
        .sites = sharc__store_rows_int(rows, 4, 0),
        .running = sharc__store_rows_int(rows, 5, 0),
        .pages = sharc__store_rows_int(rows, 6, 0),
    };
}

int sharc_store_queue(struct sharc_store *s, struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep)
    char *text = sharc__store_words(
        s->db, "SELECT j.collection, j.state AS job_state, count(*) AS jobs,"
               " sum(CASE WHEN j.state = 0 AND j.due <= {now} THEN 1 ELSE 0 END) AS due,"
               " sum(CASE WHEN j.state = 1 AND coalesce(l.until, 0) < {now} THEN 1 ELSE 0 END) AS lost,"
               " sum(CASE WHEN j.state = 0 AND j.failures > 0 THEN 1 ELSE 0 END) AS again, min(j.due) AS first"
               " FROM job j LEFT JOIN lease l ON l.job = j.id AND l.epoch = j.epoch"
               " GROUP BY j.collection, j.state ORDER BY j.collection, j.state");
    return sharc__store_rows_query(s, text, NULL, 0, ret, reterr);
}

void sharc_store_read_queue(struct sharc_store_rows *rows, struct sharc_store_queue *ret)
{
    *ret = (struct sharc_store_queue){
        .collection = sharc__store_rows_span(rows, 0),
        .state = (enum sharc_job_state)sharc__store_rows_int(rows, 1, 0),
        .jobs = sharc__store_rows_int(rows, 2, 0),
        .due = sharc__store_rows_int(rows, 3, 0),
        .lost = sharc__store_rows_int(rows, 4, 0),
        .again = sharc__store_rows_int(rows, 5, 0),
        .first = sharc__store_rows_int(rows, 6, SHARC_TIME_NONE),
    };
}
