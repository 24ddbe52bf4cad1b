/* SPDX-License-Identifier: Apache-2.0
 *
 * Hosts between crawls and between workers: when they may be asked again, and their robots.txt.
 */
#include "store_int.h"

#include "sharc/store_job.h"

struct host_key {
    struct sharc_store_value name, key, mark;
};

static int host_key(struct sharc_span name, struct host_key *ret, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!name.p || name.n == 0 || name.n > SHARC_LIMIT_URL, reterr, SHARC_EINVAL, "a host needs a name");
    SHARC_FAIL_IF(sharc_utf8_check(name) != SHARC_NPOS || sharc_span_find(name, '\0', 0) != SHARC_NPOS, reterr,
                  SHARC_EINVAL, "the name of a host must be UTF-8");
    int64_t key, mark;
    sharc__store_key(name, &key, &mark);
    *ret = (struct host_key){sharc__store_text(name), sharc__store_int(key), sharc__store_int(mark)};
    return 0;
}

sharc_time sharc_store_host_due(const struct sharc_store_host *h, sharc_time now)
{
    if (h->next == SHARC_TIME_NONE || h->noted == SHARC_TIME_NONE || h->noted <= now || h->next <= h->noted)
        return h->next;
    return now + (h->next - h->noted);
}

static int put_host(struct sharc_store *s, const struct sharc_store_host *h, struct sharc_err *reterr)
{
    struct host_key k;
    int r = host_key(h->name, &k, reterr);
    if (r < 0) return r;
    return sharc__store_run(
        s,
        "INSERT INTO host (key, mark, name, next, backoff, robots, robots_when, robots_status, noted)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (key, mark) DO UPDATE SET"
        " next = excluded.next, backoff = excluded.backoff, noted = excluded.noted,"
        " robots = CASE WHEN excluded.robots_when IS NULL THEN host.robots ELSE excluded.robots END,"
        " robots_status = CASE WHEN excluded.robots_when IS NULL THEN host.robots_status"
        " ELSE excluded.robots_status END,"
        " robots_when = coalesce(excluded.robots_when, host.robots_when)",
        SHARC__PARAMS(k.key, k.mark, k.name, sharc__store_time(h->next), sharc__store_int(h->backoff),
                      sharc__store_bytes(h->robots), sharc__store_time(h->robots_when),
                      sharc__store_int(h->robots_status), sharc__store_time(h->noted)),
        NULL, reterr);
}

int sharc_store_hosts_put(struct sharc_store *s, const struct sharc_store_host *hosts, size_t count,
                          struct sharc_err *reterr)
{
    int r = sharc__store_may_write(s, reterr);
    if (r < 0 || count == 0) return r;
    r = s->db->ops->begin(s->db, false, reterr);
    for (size_t i = 0; i < count && r == 0; i++) r = put_host(s, &hosts[i], reterr);
    if (r == 0) r = s->db->ops->commit(s->db, reterr);
    if (r < 0) s->db->ops->rollback(s->db);
    return r;
}

int sharc_store_host_get(struct sharc_store *s, struct sharc_span name, struct sharc_store_host *ret,
                         struct sharc_err *reterr)
{
    struct host_key k;
    int r = host_key(name, &k, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *c = NULL;
    r = sharc__store_get_row(s->db,
                             "SELECT name, next, backoff, robots, robots_when, robots_status, noted FROM host"
                             " WHERE key = $1 AND mark = $2",
                             SHARC__PARAMS(k.key, k.mark), &c, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(r == 0, reterr, SHARC_ENOENT, "%s: nothing is known about the host %.*s", s->name,
                  SHARC_SPAN_ARG(name));
    sharc_arena_clear(&s->answer);
    *ret = (struct sharc_store_host){
        .name = sharc__store_keep(s, sharc__store_cursor_span(c, 0)),
        .next = sharc__store_cursor_int(c, 1, SHARC_TIME_NONE),
        .backoff = sharc__store_cursor_int(c, 2, 0),
        .robots = sharc__store_keep(s, sharc__store_cursor_span(c, 3)),
        .robots_when = sharc__store_cursor_int(c, 4, SHARC_TIME_NONE),
        .robots_status = (int)sharc__store_cursor_int(c, 5, 0),
        .noted = sharc__store_cursor_int(c, 6, SHARC_TIME_NONE),
    };
    return 0;
}

/* --- between workers: by the database's clock ------------------------------------------- */

/* The database's clock was put back since the pause was written down: it lasts as long as it was meant to, from now. */
static int mend_pause(struct sharc_store *s, const struct host_key *k, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep)
    char *sql = sharc__store_words(s->db, "UPDATE host SET next = {now} + (next - noted), noted = {now}"
                                          " WHERE key = $1 AND mark = $2 AND noted > {now}");
    return sharc__store_run(s, sql, SHARC__PARAMS(k->key, k->mark), NULL, reterr);
}

static int how_long(struct sharc_store *s, const struct host_key *k, sharc_time *ret_wait, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep)
    char *ask = sharc__store_words(s->db, "SELECT next - {now} FROM host WHERE key = $1 AND mark = $2");
    *ret_wait = 0;
    int r = sharc__store_get_int(s->db, ask, SHARC__PARAMS(k->key, k->mark), ret_wait, reterr);
    if (*ret_wait < 0) *ret_wait = 0;
    return r < 0 ? r : 0;
}

int sharc_store_host_turn(struct sharc_store *s, struct sharc_span name, sharc_time hold, sharc_time *ret_ticket,
                          sharc_time *ret_wait, struct sharc_err *reterr)
{
    struct host_key k;
    int r = host_key(name, &k, reterr);
    if (r < 0) return r;
    /* One statement: it makes the host, or takes its turn, or changes nothing. */
    SHARC_AUTO(sharc_freep)
    char *take = sharc__store_words(s->db, "INSERT INTO host (key, mark, name, next, noted)"
                                           " VALUES ($1, $2, $3, {now} + CAST($4 AS BIGINT), {now})"
                                           " ON CONFLICT (key, mark) DO UPDATE SET next = excluded.next,"
                                           " noted = excluded.noted WHERE coalesce(host.next, 0) <= {now}"
                                           " RETURNING next");
    r = sharc__store_insert(s, take, SHARC__PARAMS(k.key, k.mark, k.name, sharc__store_int(hold)), ret_ticket, reterr);
    if (r != 0) return r;
    r = how_long(s, &k, ret_wait, reterr);
    if (r < 0 || *ret_wait <= hold) return r;
    r = mend_pause(s, &k, reterr); /* longer than usual: is it the clock? */
    return r < 0 ? r : how_long(s, &k, ret_wait, reterr);
}

int sharc_store_host_rest(struct sharc_store *s, struct sharc_span name, sharc_time ticket, sharc_time pause,
                          sharc_time backoff, struct sharc_err *reterr)
{
    struct host_key k;
    int r = sharc__store_may_write(s, reterr);
    if (r == 0) r = host_key(name, &k, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep)
    char *sql = sharc__store_words(s->db, "UPDATE host SET backoff = $1, next = CASE WHEN coalesce(next, 0) = $2"
                                          " OR coalesce(next, 0) < {now} + CAST($3 AS BIGINT)"
                                          " THEN {now} + CAST($3 AS BIGINT) ELSE next END,"
                                          " noted = CASE WHEN coalesce(next, 0) = $2"
                                          " OR coalesce(next, 0) < {now} + CAST($3 AS BIGINT) THEN {now} ELSE noted END"
                                          " WHERE key = $4 AND mark = $5");
    return sharc__store_run(s, sql,
                            SHARC__PARAMS(sharc__store_int(backoff), sharc__store_int(ticket), sharc__store_int(pause),
                                          k.key, k.mark),
                            NULL, reterr);
}

int sharc_store_host_robots(struct sharc_store *s, const struct sharc_store_host *h, struct sharc_err *reterr)
{
    struct host_key k;
    int r = sharc__store_may_write(s, reterr);
    if (r == 0) r = host_key(h->name, &k, reterr);
    if (r < 0) return r;
    return sharc__store_run(s,
                            "INSERT INTO host (key, mark, name, robots, robots_when, robots_status)"
                            " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (key, mark) DO UPDATE SET"
                            " robots = excluded.robots, robots_when = excluded.robots_when,"
                            " robots_status = excluded.robots_status",
                            SHARC__PARAMS(k.key, k.mark, k.name, sharc__store_bytes(h->robots),
                                          sharc__store_time(h->robots_when), sharc__store_int(h->robots_status)),
                            NULL, reterr);
}
