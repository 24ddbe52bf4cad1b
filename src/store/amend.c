/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements over a whole capture. Written for both back-ends: no LATERAL, row
 * numbers instead of correlated limits.
 */
#include "sharc/store_amend.h"

#include "store_int.h"

#define COLUMNS(...) ((const char *const[]){__VA_ARGS__})

/* Run fn, which writes rows of a capture (0: of none), inside a transaction. */
typedef int inside_fn(struct sharc_store *s, void *arg, struct sharc_err *reterr);
static int inside(struct sharc_store *s, sharc_store_id capture, inside_fn *fn, void *arg, struct sharc_err *reterr)
{
    int r = sharc__store_may_write(s, reterr);
    if (r < 0) return r;
    r = s->db->ops->begin(s->db, false, reterr);
    if (r == 0) r = fn(s, arg, reterr);
    if (r >= 0 && capture) r = sharc__store_touch(s, capture, reterr);
    if (r >= 0) {
        int k = s->db->ops->commit(s->db, reterr);
        if (k < 0) r = k;
    }
    if (r < 0) s->db->ops->rollback(s->db);
    return r;
}

static int run_one(struct sharc_store *s, const char *sql, sharc_store_id capture, struct sharc_err *reterr)
{
    return sharc__store_run(s, sql, SHARC__PARAMS(sharc__store_int(capture)), NULL, reterr);
}

/* --- revisits ------------------------------------------------------------------------- */

/* A value by how a look compares with the page's visit p. */
#define CLASS(unchanged, insignificant, missing, redirected, failed, changed)                                         \
    "CASE WHEN look.status = 304 OR look.digest = p.digest THEN " unchanged                                           \
    " WHEN look.text_digest = p.text_digest THEN " insignificant " WHEN look.status IN (404, 410) THEN " missing      \
    " WHEN look.status BETWEEN 300 AND 399 THEN " redirected " WHEN look.status >= 400 THEN " failed " ELSE " changed \
    " END"

/* Looks against their visits, by what the rows tell: enum sharc_change_class, and its weight as
 * sharc_change_class_importance has it. */
#define JUDGE                                                                                                          \
    "UPDATE look SET change = " CLASS("0", "1", "4", "6", "7", "2") ", importance = " CLASS(                           \
        "0.0", "0.0", "0.3", "0.5", "0.0", "0.8") " FROM page p WHERE look.capture = $1 AND p.capture = look.capture " \
                                                  "AND p.url = look.url AND look.change IS NULL"

/* record: 1 IDENTICAL, 2 NOT_MODIFIED; kind: 2 REVISIT. */
static int settle(struct sharc_store *s, void *arg, struct sharc_err *reterr)
{
    const sharc_store_id *capture = arg;
    int r = run_one(s,
                    "INSERT INTO page (capture, url, visit, slot, took, size, modified, warc, warc_offset, warc_length,"
                    " importance, rate, status, change, digest, text_digest, etag, record, hopeless)"
                    " SELECT l.capture, l.url, l.visit, l.slot, l.took, l.size, l.modified, l.warc, l.warc_offset,"
                    " l.warc_length, 1, l.rate, l.status, 5, l.digest, l.text_digest, l.etag,"
                    " CASE WHEN l.status = 304 THEN 2 ELSE 1 END, 0 FROM look l WHERE l.capture = $1 AND l.kind = 2"
                    " AND NOT EXISTS (SELECT 1 FROM page p WHERE p.capture = l.capture AND p.url = l.url)",
                    *capture, reterr);
    if (r < 0) return r;
    r = run_one(s,
                "DELETE FROM look WHERE capture = $1 AND kind = 2 AND EXISTS (SELECT 1 FROM page p"
                " WHERE p.capture = look.capture AND p.url = look.url AND p.visit >= look.visit)",
                *capture, reterr);
    if (r < 0) return r;
    return run_one(s, JUDGE, *capture, reterr);
}

int sharc_store_settle_revisits(struct sharc_store *s, sharc_store_id capture, uint64_t *ret_looks,
                                struct sharc_err *reterr)
{
    int64_t looks = 0;
    int r = inside(s, capture, settle, &capture, reterr);
    if (r >= 0)
        r = sharc__store_get_int(s->db, "SELECT count(*) FROM look WHERE capture = $1",
                                 SHARC__PARAMS(sharc__store_int(capture)), &looks, reterr);
    if (r < 0) return r;
    *ret_looks = (uint64_t)looks;
    return 0;
}

/* What a revisit record takes from its original o. */
#define TAKE_OVER                                                                                         \
    "UPDATE page SET body_warc = o.warc, body_offset = o.warc_offset, body_length = o.warc_length,"       \
    " size = coalesce(page.size, o.size), mime = coalesce(page.mime, o.mime),"                            \
    " digest = coalesce(page.digest, o.digest), text_digest = coalesce(page.text_digest, o.text_digest)," \
    " content = coalesce(page.content, o.content), link_set = coalesce(page.link_set, o.link_set),"       \
    " redirect = coalesce(page.redirect, o.redirect) FROM page AS o"

/* Of all candidates c for a revisit p the newest. */
#define NEWEST(condition)                                                                                            \
    TAKE_OVER                                                                                                        \
    ", (SELECT p.url AS url, c.capture AS from_capture, c.url AS from_url,"                                          \
    " row_number() OVER (PARTITION BY p.url ORDER BY c.visit DESC, c.capture DESC, c.url) AS place"                  \
    " FROM page p JOIN page c ON " condition " AND c.visit <= p.visit AND c.record IN (0, 3) AND c.warc IS NOT NULL" \
    " WHERE p.capture = $1 AND p.record IN (1, 2) AND p.body_warc IS NULL) AS x"                                     \
    " WHERE x.place = 1 AND page.capture = $1 AND page.url = x.url AND o.capture = x.from_capture"                   \
    " AND o.url = x.from_url"

static int resolve(struct sharc_store *s, void *arg, struct sharc_err *reterr)
{
    static const char *const ways[] = {
        NEWEST("c.url = p.url AND c.digest = p.digest"),
        NEWEST("c.digest = p.digest"),
        NEWEST("c.url = p.url AND p.digest IS NULL"),
    };
    int r = 0;
    for (size_t i = 0; r >= 0 && i < SHARC_LENGTH(ways); i++)
        r = run_one(s, ways[i], *(const sharc_store_id *)arg, reterr);
    return r;
}

static int take_sizes(struct sharc_store *s, void *arg, struct sharc_err *reterr)
{
    static const char sizes[] =
        "UPDATE look SET size = coalesce((SELECT p.size FROM page p WHERE p.capture = look.capture"
        " AND p.url = look.url AND (p.digest = look.digest OR look.digest IS NULL)), (SELECT max(o.size)"
        " FROM look o WHERE o.capture = look.capture AND o.url = look.url AND o.digest = look.digest))"
        " WHERE capture = $1 AND size IS NULL";
    return run_one(s, sizes, *(const sharc_store_id *)arg, reterr);
}

int sharc_store_resolve_revisits(struct sharc_store *s, sharc_store_id capture, uint64_t *ret_revisits,
                                 uint64_t *ret_open, struct sharc_err *reterr)
{
    int64_t revisits = 0, open = 0;
    static const char count[] = "SELECT count(*) FROM page WHERE capture = $1 AND record IN (1, 2)";
    static const char count_open[] =
        "SELECT count(*) FROM page WHERE capture = $1 AND record IN (1, 2) AND body_warc IS NULL";
    int r = sharc__store_get_int(s->db, count_open, SHARC__PARAMS(sharc__store_int(capture)), &open, reterr);
    if (r >= 0 && open > 0) r = inside(s, capture, resolve, &capture, reterr);
    if (r >= 0) r = inside(s, capture, take_sizes, &capture, reterr);
    if (r >= 0) r = sharc__store_get_int(s->db, count, SHARC__PARAMS(sharc__store_int(capture)), &revisits, reterr);
    if (r >= 0) r = sharc__store_get_int(s->db, count_open, SHARC__PARAMS(sharc__store_int(capture)), &open, reterr);
    if (r < 0) return r;
    *ret_revisits = (uint64_t)revisits;
    *ret_open = (uint64_t)open;
    return 0;
}

struct one_original {
    sharc_store_id capture, url, original;
    sharc_time when;
    int64_t changed;
};

static int resolve_one(struct sharc_store *s, void *arg, struct sharc_err *reterr)
{
    struct one_original *o = arg;
    sharc_time from = o->when == SHARC_TIME_NONE ? INT64_MIN : o->when - o->when % SHARC_SEC;
    sharc_time to = o->when == SHARC_TIME_NONE ? INT64_MAX : from + SHARC_SEC - 1;
    return sharc__store_run(s,
                            TAKE_OVER " WHERE page.capture = $1 AND page.url = $2 AND o.url = $3 AND o.capture ="
                                      " (SELECT c.capture FROM page c JOIN page p ON p.capture = $1 AND p.url = $2"
                                      " WHERE c.url = $3 AND c.visit BETWEEN $4 AND $5 AND c.visit <= p.visit"
                                      " AND c.record IN (0, 3) AND c.warc IS NOT NULL ORDER BY c.visit DESC LIMIT 1)",
                            SHARC__PARAMS(sharc__store_int(o->capture), sharc__store_int(o->url),
                                          sharc__store_int(o->original), sharc__store_int(from), sharc__store_int(to)),
                            &o->changed, reterr);
}

int sharc_store_resolve_revisit(struct sharc_store *s, sharc_store_id capture, sharc_store_id url,
                                struct sharc_span original, sharc_time when, struct sharc_err *reterr)
{
    struct one_original o = {.capture = capture, .url = url, .when = when};
    int r = sharc_store_url_find(s, original, &o.original, reterr);
    if (r == 0) r = inside(s, capture, resolve_one, &o, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(o.changed == 0, reterr, SHARC_ENOENT, "%.*s: no capture of it is known at that time",
                  SHARC_SPAN_ARG(original));
    return 0;
}

/* --- ways and changes --------------------------------------------------------------------- */

/* The rows are there: what must not be NULL is only given so that both databases
 * come as far as the conflict. */
static const struct sharc__store_load way_load = {
    .table = "page",
    .columns = COLUMNS("capture", "url", "visit", "status", "record", "hopeless", "parent", "hops"),
    .types = "iiiiiiii",
    .conflict = "ON CONFLICT (capture, url) DO UPDATE SET parent = excluded.parent, hops = excluded.hops",
};
static const struct sharc__store_load change_load = {
    .table = "page",
    .columns = COLUMNS("capture", "url", "visit", "status", "record", "hopeless", "change", "importance"),
    .types = "iiiiiiir",
    .conflict = "ON CONFLICT (capture, url) DO UPDATE SET change = excluded.change, importance = excluded.importance",
};

struct amending {
    sharc_store_id capture;
    const struct sharc_store_way *ways;
    const struct sharc_store_verdict *verdicts;
    size_t n;
};

static void common_values(const struct amending *a, sharc_store_id url, struct sharc_store_value *out)
{
    out[0] = sharc__store_int(a->capture);
    out[1] = sharc__store_int(url);
    for (int i = 2; i < 6; i++) out[i] = sharc__store_int(0);
}

static void way_values(void *arg, size_t i, struct sharc_store_value *out)
{
    const struct amending *a = arg;
    common_values(a, a->ways[i].url, out);
    out[6] = sharc__store_id(a->ways[i].parent);
    out[7] = sharc__store_count(a->ways[i].hops);
}

static void change_values(void *arg, size_t i, struct sharc_store_value *out)
{
    const struct amending *a = arg;
    common_values(a, a->verdicts[i].url, out);
    out[6] = sharc__store_int(a->verdicts[i].change);
    out[7] = sharc__store_real(a->verdicts[i].importance);
}

static int amend(struct sharc_store *s, void *arg, struct sharc_err *reterr)
{
    const struct amending *a = arg;
    return s->db->ops->load(s->db, a->ways ? &way_load : &change_load, a->n, a->ways ? way_values : change_values, arg,
                            NULL, reterr);
}

int sharc_store_amend_ways(struct sharc_store *s, sharc_store_id capture, const struct sharc_store_way *ways, size_t n,
                           struct sharc_err *reterr)
{
    struct amending a = {.capture = capture, .ways = ways, .n = n};
    return n ? inside(s, capture, amend, &a, reterr) : 0;
}

int sharc_store_amend_changes(struct sharc_store *s, sharc_store_id capture, const struct sharc_store_verdict *verdicts,
                              size_t n, struct sharc_err *reterr)
{
    struct amending a = {.capture = capture, .verdicts = verdicts, .n = n};
    return n ? inside(s, capture, amend, &a, reterr) : 0;
}

/* --- joining captures ------------------------------------------------------------------------ */

#define LOOK                                                                                                       \
    "visit, slot, took, size, modified, warc, warc_offset, warc_length, importance, rate, status, change, digest," \
    " text_digest, etag"
#define PAGE                                                                                                       \
    LOOK ", body_warc, body_offset, body_length, parent, redirect, content, link_set, planned_rate, weight, hops," \
         " record, hopeless, mime"
#define LOOK_LATER                                                                                 \
    "visit = excluded.visit, slot = excluded.slot, took = excluded.took, size = excluded.size,"    \
    " modified = excluded.modified, warc = excluded.warc, warc_offset = excluded.warc_offset,"     \
    " warc_length = excluded.warc_length, importance = excluded.importance, rate = excluded.rate," \
    " status = excluded.status, change = excluded.change, digest = excluded.digest,"               \
    " text_digest = excluded.text_digest, etag = excluded.etag"
#define PAGE_LATER                                                                                            \
    LOOK_LATER ", body_warc = excluded.body_warc, body_offset = excluded.body_offset,"                        \
               " body_length = excluded.body_length, parent = excluded.parent, redirect = excluded.redirect," \
               " content = excluded.content, link_set = excluded.link_set,"                                   \
               " planned_rate = excluded.planned_rate, weight = excluded.weight, hops = excluded.hops,"       \
               " record = excluded.record, hopeless = excluded.hopeless, mime = excluded.mime"

struct merging {
    sharc_store_id from, into;
};

static int merge(struct sharc_store *s, void *arg, struct sharc_err *reterr)
{
    /* $1 into, $2 from: parameters must first appear in that order. */
    static const char *const steps[] = {
        /* A revisit record whose page the other one has is that page's revisit. */
        "INSERT INTO look (capture, url, kind, " LOOK ") SELECT CAST($1 AS BIGINT), url, 2, " LOOK
        " FROM page WHERE capture = $2 AND record IN (1, 2) AND EXISTS"
        " (SELECT 1 FROM page b WHERE b.capture = $1 AND b.url = page.url)"
        " ON CONFLICT (capture, url, kind) DO UPDATE SET " LOOK_LATER " WHERE excluded.visit > look.visit",
        "DELETE FROM page WHERE record IN (1, 2) AND EXISTS"
        " (SELECT 1 FROM page b WHERE b.capture = $1 AND b.url = page.url) AND capture = $2",
        "INSERT INTO skipped (capture, url, reason) SELECT b.capture, a.url, 'repeated' FROM page a JOIN page b"
        " ON b.capture = $1 AND b.url = a.url WHERE a.capture = $2 ON CONFLICT (capture, url, reason) DO NOTHING",
        "INSERT INTO page (capture, url, " PAGE ") SELECT CAST($1 AS BIGINT), url, " PAGE
        " FROM page WHERE capture = $2 ON CONFLICT (capture, url) DO UPDATE SET " PAGE_LATER
        " WHERE excluded.visit > page.visit",
        "INSERT INTO look (capture, url, kind, link_set, " LOOK
        ") SELECT CAST($1 AS BIGINT), url, kind, link_set, " LOOK
        " FROM look WHERE capture = $2 ON CONFLICT (capture, url, kind) DO UPDATE SET"
        " link_set = coalesce(excluded.link_set, look.link_set), " LOOK_LATER " WHERE excluded.visit > look.visit",
        "INSERT INTO skipped (capture, url, reason, detail) SELECT CAST($1 AS BIGINT), url, reason, detail"
        " FROM skipped WHERE capture = $2 ON CONFLICT (capture, url, reason) DO NOTHING",
        /* Grades were about one of them, and are none of both. */
        "DELETE FROM grade WHERE capture IN ($1, $2)",
        /* What people decided stays with the page; the later word counts where there are two. */
        "INSERT INTO review (capture, url, review, note, who, reviewed)"
        " SELECT CAST($1 AS BIGINT), url, review, note, who, reviewed FROM review WHERE capture = $2"
        " ON CONFLICT (capture, url) DO UPDATE SET review = excluded.review, note = excluded.note,"
        " who = excluded.who, reviewed = excluded.reviewed WHERE excluded.reviewed > review.reviewed",
        "UPDATE warc SET capture = $1 WHERE capture = $2",
        "UPDATE capture SET started = (SELECT min(started) FROM capture WHERE id IN ($1, $2)),"
        " ended = (SELECT max(ended) FROM capture WHERE id IN ($1, $2)),"
        " reference_from = NULL, reference_to = NULL WHERE id = $1",
    };
    static const char *const deletes[] = {
        "DELETE FROM page WHERE capture = $1",    "DELETE FROM look WHERE capture = $1",
        "DELETE FROM skipped WHERE capture = $1", "DELETE FROM review WHERE capture = $1",
        "DELETE FROM capture WHERE id = $1",
    };
    const struct merging *m = arg;
    int r = 0;
    for (size_t i = 0; r >= 0 && i < SHARC_LENGTH(steps); i++)
        r = sharc__store_run(s, steps[i], SHARC__PARAMS(sharc__store_int(m->into), sharc__store_int(m->from)), NULL,
                             reterr);
    for (size_t i = 0; r >= 0 && i < SHARC_LENGTH(deletes); i++) r = run_one(s, deletes[i], m->from, reterr);
    return r < 0 ? r : sharc__store_forget_summaries(s, m->from, reterr);
}

int sharc_store_capture_merge(struct sharc_store *s, sharc_store_id from, sharc_store_id into, struct sharc_err *reterr)
{
    struct merging m = {from, into};
    SHARC_FAIL_IF(from == into, reterr, SHARC_EINVAL, "a capture cannot be merged with itself");
    return inside(s, into, merge, &m, reterr);
}

/* --- files ------------------------------------------------------------------------------------ */

struct renaming {
    sharc_store_id warc;
    struct sharc_span name;
};

static int rename_warc(struct sharc_store *s, void *arg, struct sharc_err *reterr)
{
    const struct renaming *n = arg;
    return sharc__store_run(s, "UPDATE warc SET name = $1 WHERE id = $2",
                            SHARC__PARAMS(sharc__store_text(n->name), sharc__store_int(n->warc)), NULL, reterr);
}

int sharc_store_warc_rename(struct sharc_store *s, sharc_store_id warc, struct sharc_span name,
                            struct sharc_err *reterr)
{
    struct renaming n = {warc, name};
    return inside(s, 0, rename_warc, &n, reterr);
}

/* --- pointers ----------------------------------------------------------------------------------- */

int sharc_store_pointers(struct sharc_store *s, struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    return sharc__store_rows_query(
        s,
        "SELECT x.warc, x.warc_offset, x.warc_length, x.capture, x.url, u.text, x.visit, x.digest,"
        " x.kind FROM (SELECT warc, warc_offset, warc_length, capture, url, visit, digest, 0 AS kind"
        " FROM page WHERE warc IS NOT NULL UNION ALL SELECT warc, warc_offset, warc_length, capture,"
        " url, visit, digest, kind FROM look WHERE warc IS NOT NULL UNION ALL SELECT warc, warc_offset,"
        " warc_length, capture, url, visit, digest, 0 FROM watch_look l WHERE warc IS NOT NULL AND NOT EXISTS"
        " (SELECT 1 FROM page p WHERE p.capture = l.capture AND p.url = l.url AND p.visit = l.visit)) AS x JOIN url u "
        "ON u.id = x.url"
        " ORDER BY x.warc, x.warc_offset, x.url, x.capture, x.kind",
        NULL, 0, ret, reterr);
}

void sharc_store_read_pointer(struct sharc_store_rows *rows, struct sharc_store_pointer *ret)
{
    struct sharc__store_cursor *c = rows->cursor;
    *ret = (struct sharc_store_pointer){.warc = sharc__store_cursor_int(c, 0, 0),
                                        .offset = (uint64_t)sharc__store_cursor_int(c, 1, 0),
                                        .length = (uint64_t)sharc__store_cursor_int(c, 2, 0),
                                        .capture = sharc__store_cursor_int(c, 3, 0),
                                        .url_id = sharc__store_cursor_int(c, 4, 0),
                                        .url = sharc__store_cursor_span(c, 5),
                                        .when = sharc__store_cursor_int(c, 6, SHARC_TIME_NONE),
                                        .kind = (enum sharc_look_kind)sharc__store_cursor_int(c, 8, 0)};
    sharc__store_digest_unpack(sharc__store_cursor_span(c, 7), &ret->digest);
}
