/* SPDX-License-Identifier: Apache-2.0
 *
 * Cleaning and checking.
 */
#include "store_int.h"

#include <stdio.h>

/* --- URLs that differ in case only -------------------------------------------------- */

/* Pages of a capture that are not the latest among those with the same folded URL. */
#define OLDER_SPELLINGS                                                                                     \
    "SELECT x.url, x.kept FROM (SELECT p.url, row_number() OVER w AS n, first_value(u.text) OVER w AS kept" \
    " FROM page p JOIN url u ON u.id = p.url WHERE p.capture = $1"                                          \
    " WINDOW w AS (PARTITION BY lower(u.text) ORDER BY p.visit DESC, p.url DESC)) x WHERE x.n > 1"

int sharc_store_merge_case(struct sharc_store *s, sharc_store_id capture, uint64_t *ret, struct sharc_err *reterr)
{
    /* Noted first, then taken out; the last statement still sees who is older. */
    static const char *const statements[] = {
        "INSERT INTO skipped (capture, url, reason, detail) SELECT CAST($1 AS BIGINT), y.url, 'case', y.kept"
        " FROM (" OLDER_SPELLINGS ") y WHERE 1 = 1 ON CONFLICT (capture, url, reason)"
        " DO UPDATE SET detail = excluded.detail",
        "DELETE FROM look WHERE capture = $1 AND url IN (SELECT y.url FROM (" OLDER_SPELLINGS ") y)",
        "DELETE FROM grade WHERE capture = $1 AND url IN (SELECT y.url FROM (" OLDER_SPELLINGS ") y)",
        "DELETE FROM review WHERE capture = $1 AND url IN (SELECT y.url FROM (" OLDER_SPELLINGS ") y)",
        "DELETE FROM page WHERE capture = $1 AND url IN (SELECT y.url FROM (" OLDER_SPELLINGS ") y)",
    };
    struct sharc_store_value id = sharc__store_int(capture);
    int64_t changed = 0;
    int r = sharc__store_may_write(s, reterr);
    if (r == 0) r = s->db->ops->begin(s->db, false, reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < SHARC_LENGTH(statements) && r == 0; i++)
        r = sharc__store_run(s, statements[i], &id, 1, &changed, reterr);
    if (r == 0) r = sharc__store_touch(s, capture, reterr);
    if (r == 0) r = s->db->ops->commit(s->db, reterr);
    if (r < 0)
        s->db->ops->rollback(s->db);
    else
        *ret = (uint64_t)changed;
    return r;
}

/* --- checking --------------------------------------------------------------------------- */

struct report {
    sharc_store_finding_fn *fn;
    void *arg;
    uint64_t found;
};

static void tell(struct report *r, const char *sentence)
{
    r->found++;
    if (r->fn) r->fn(r->arg, sentence);
}

/* What no constraint says, because it would cost every row of a load: a count above 0 is a finding. */
static const struct {
    const char *who, *what, *sql;
} counts[] = {
    {"page has|pages have", "a URL that is not in the catalogue",
     "SELECT count(*) FROM page p LEFT JOIN url u ON u.id = p.url WHERE u.id IS NULL"},
    {"page belongs|pages belong", "to a capture that is not in the catalogue",
     "SELECT count(*) FROM page p LEFT JOIN capture c ON c.id = p.capture WHERE c.id IS NULL"},
    {"page lies|pages lie", "in a WARC file that is not in the catalogue",
     "SELECT count(*) FROM page p LEFT JOIN warc w ON w.id = p.warc WHERE p.warc IS NOT NULL AND w.id IS NULL"},
    {"page lies|pages lie", "beyond the end of what the WARC file holds",
     "SELECT count(*) FROM page p JOIN warc w ON w.id = p.warc WHERE p.warc_offset >= w.size"},
    {"page has|pages have", "links that are not in the catalogue",
     "SELECT count(*) FROM page p LEFT JOIN link_set l ON l.id = p.link_set"
     " WHERE p.link_set IS NOT NULL AND l.id IS NULL"},
    {"second look has|second looks have", "links that are not in the catalogue",
     "SELECT count(*) FROM look k LEFT JOIN link_set l ON l.id = k.link_set"
     " WHERE k.link_set IS NOT NULL AND l.id IS NULL"},
    {"page has|pages have", "a content that is not in the catalogue",
     "SELECT count(*) FROM page p LEFT JOIN content c ON c.id = p.content"
     " WHERE p.content IS NOT NULL AND c.id IS NULL"},
    {"look has|looks have", "a URL that is not in the catalogue",
     "SELECT count(*) FROM look l LEFT JOIN url u ON u.id = l.url WHERE u.id IS NULL"},
    {"grade has|grades have", "a URL that is not in the catalogue",
     "SELECT count(*) FROM grade g LEFT JOIN url u ON u.id = g.url WHERE u.id IS NULL"},
    {"review has|reviews have", "a URL that is not in the catalogue",
     "SELECT count(*) FROM review v LEFT JOIN url u ON u.id = v.url WHERE u.id IS NULL"},
    {"skipped URL is|skipped URLs are", "not in the catalogue",
     "SELECT count(*) FROM skipped k LEFT JOIN url u ON u.id = k.url WHERE u.id IS NULL"},
    {"URL has|URLs have", "a host that is not in the catalogue",
     "SELECT count(*) FROM url u LEFT JOIN host h ON h.id = u.host WHERE u.host IS NOT NULL AND h.id IS NULL"},
    {"WARC file is|WARC files are", "further in the catalogue than the file is long",
     "SELECT count(*) FROM warc WHERE size > 0 AND done > size"},
};

static int check_counts(struct sharc_store *s, struct report *report, struct sharc_err *reterr)
{
    for (size_t i = 0; i < SHARC_LENGTH(counts); i++) {
        int64_t n = 0;
        int r = sharc__store_get_int(s->db, counts[i].sql, NULL, 0, &n, reterr);
        if (r < 0) return r;
        if (n == 0) continue;
        char text[160];
        snprintf(text, sizeof text, "%s %s", SHARC_COUNT((uint64_t)n, counts[i].who), counts[i].what);
        tell(report, text);
    }
    return 0;
}

/* A URL is found by its key: one that does not fit its text would be lost. */
static int check_urls(struct sharc_store *s, struct report *report, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc__store_rows_query(s, "SELECT id, key, mark, text FROM url ORDER BY id", NULL, 0, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        int64_t key, mark;
        sharc__store_key(sharc__store_rows_span(rows, 3), &key, &mark);
        if (key == sharc__store_rows_int(rows, 1, 0) && mark == sharc__store_rows_int(rows, 2, 0)) continue;
        char text[80];
        snprintf(text, sizeof text, "URL number %lld does not match its key",
                 (long long)sharc__store_rows_int(rows, 0, 0));
        tell(report, text);
    }
    return r;
}

static int check_links(struct sharc_store *s, struct report *report, struct sharc_err *reterr)
{
    int64_t most = 0;
    int r = sharc__store_get_int(s->db, "SELECT max(id) FROM url", NULL, 0, &most, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    r = sharc__store_rows_query(s, "SELECT id, links, data FROM link_set ORDER BY id", NULL, 0, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc__store_unpack u = {.rest = sharc__store_rows_span(rows, 2)};
        struct sharc__store_target t = {0};
        int64_t n = 0;
        while (sharc__store_links_next(&u, &t)) n++;
        if (n == sharc__store_rows_int(rows, 1, 0) && u.rest.n == 0 && t.to <= most) continue;
        char text[80];
        snprintf(text, sizeof text, "link set number %lld is damaged", (long long)sharc__store_rows_int(rows, 0, 0));
        tell(report, text);
    }
    return r;
}

int sharc_store_check(struct sharc_store *s, sharc_store_finding_fn *fn, void *arg, struct sharc_err *reterr)
{
    struct report report = {.fn = fn, .arg = arg};
    int r = s->db->ops->check(s->db, fn, arg, &report.found, reterr);
    if (r >= 0) r = check_counts(s, &report, reterr);
    if (r >= 0) r = check_urls(s, &report, reterr);
    if (r >= 0) r = check_links(s, &report, reterr);
    if (r < 0) return r;
    return report.found > INT32_MAX ? INT32_MAX : (int)report.found;
}
