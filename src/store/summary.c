/* SPDX-License-Identifier: Apache-2.0
 *
 * Revisions of captures, and what is kept of them.
 */
#include "sharc/store_summary.h"

#include "sharc/base_digest.h"

#include "store_int.h"

#include <errno.h>
#include <sys/random.h>

enum { WITH_REVISIONS = 9, MOST_BYTES = 256 << 20 };

/* --- revisions ------------------------------------------------------------------------- */

int sharc__store_touch(struct sharc_store *s, sharc_store_id capture, struct sharc_err *reterr)
{
    uint64_t value;
    if (s->version < WITH_REVISIONS) return 0; /* tests write rows into catalogues of every version */
    SHARC_FAIL_IF(getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value, reterr, SHARC_EIO,
                  "the system gives no random numbers: %s", strerror(errno));
    return sharc__store_run(s,
                            "INSERT INTO revision (capture, value) VALUES ($1, $2) ON CONFLICT (capture)"
                            " DO UPDATE SET value = excluded.value",
                            SHARC__PARAMS(sharc__store_int(capture), sharc__store_int((int64_t)(value >> 1))), NULL,
                            reterr);
}

int sharc__store_forget_summaries(struct sharc_store *s, sharc_store_id capture, struct sharc_err *reterr)
{
    struct sharc_store_value id = sharc__store_int(capture);
    if (s->version < WITH_REVISIONS) return 0;
    int r = sharc__store_run(s, "DELETE FROM summary WHERE capture = $1", &id, 1, NULL, reterr);
    return r < 0 ? r : sharc__store_run(s, "DELETE FROM revision WHERE capture = $1", &id, 1, NULL, reterr);
}

/* --- stamps ----------------------------------------------------------------------------- */

/* What a capture's row says besides: a number that is used again belongs to another capture. */
enum { FIELDS = 6 };

static void mix(uint64_t *h, struct sharc__store_cursor *c)
{
    int64_t fields[FIELDS];
    for (size_t i = 0; i < FIELDS; i++) fields[i] = sharc__store_cursor_int(c, i, INT64_MIN);
    *h = sharc_fingerprint(sharc_span((const char *)fields, sizeof fields), *h);
}

#define STAMP                                                                                        \
    "SELECT c.id, c.site, c.state, c.started, c.ended, r.value FROM capture c LEFT JOIN revision r " \
    "ON r.capture = c.id"

static int mix_all(struct sharc_store *s, uint64_t *h, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *c = NULL;
    int r = s->db->ops->query(s->db, STAMP " ORDER BY c.id", NULL, 0, false, &c, reterr);
    while (r >= 0 && (r = c->ops->next(c, reterr)) > 0) mix(h, c);
    return r;
}

static int mix_one(struct sharc_store *s, sharc_store_id capture, uint64_t *h, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *c = NULL;
    const int64_t none[FIELDS] = {0};
    int r = sharc__store_get_row(s->db, STAMP " WHERE c.id = $1", SHARC__PARAMS(sharc__store_int(capture)), &c, reterr);
    if (r > 0) mix(h, c);
    if (r == 0) *h = sharc_fingerprint(sharc_span((const char *)none, sizeof none), *h);
    return r;
}

int sharc_store_stamp(struct sharc_store *s, const sharc_store_id *captures, size_t n, uint64_t *ret,
                      struct sharc_err *reterr)
{
    uint64_t h = n + 1;
    int r = n ? 0 : mix_all(s, &h, reterr);
    for (size_t i = 0; r >= 0 && i < n; i++) r = mix_one(s, captures[i], &h, reterr);
    if (r < 0) return r;
    *ret = h;
    return 0;
}

/* --- summaries --------------------------------------------------------------------------- */

int sharc_store_summary_get(struct sharc_store *s, const struct sharc_store_summary *summary, struct sharc_buf *out,
                            struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *c = NULL;
    int r = sharc__store_get_row(s->db,
                                 out ? "SELECT data FROM summary WHERE capture = $1 AND name = $2 AND version = $3"
                                       " AND stamp = $4"
                                     : "SELECT 1 FROM summary WHERE capture = $1 AND name = $2 AND version = $3"
                                       " AND stamp = $4",
                                 SHARC__PARAMS(sharc__store_int(summary->capture),
                                               sharc__store_text(sharc_span_of(summary->name)),
                                               sharc__store_int(summary->version),
                                               sharc__store_int((int64_t)summary->stamp)),
                                 &c, reterr);
    if (r <= 0 || !out) return r;
    sharc_buf_put(out, sharc__store_cursor_span(c, 0));
    r = sharc_buf_result(out, reterr);
    return r < 0 ? r : 1;
}

int sharc_store_summary_put(struct sharc_store *s, const struct sharc_store_summary *summary, struct sharc_span data,
                            struct sharc_err *reterr)
{
    int r = sharc__store_may_write(s, reterr);
    if (r < 0 || data.n > MOST_BYTES) return r;
    return sharc__store_run(s,
                            "INSERT INTO summary (capture, name, version, stamp, data) SELECT CAST($1 AS BIGINT),"
                            " CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), $5 FROM capture WHERE id = $1"
                            " ON CONFLICT (capture, name) DO UPDATE SET version = excluded.version,"
                            " stamp = excluded.stamp, data = excluded.data",
                            SHARC__PARAMS(sharc__store_int(summary->capture),
                                          sharc__store_text(sharc_span_of(summary->name)),
                                          sharc__store_int(summary->version), sharc__store_int((int64_t)summary->stamp),
                                          sharc__store_bytes(data)),
                            NULL, reterr);
}

/* --- counts --------------------------------------------------------------------------------
 *
 * As stored, each a 64-bit number, the lowest byte first: pages, failed, bytes, revisited, coherent, new, changed,
 * unchanged, with text, first, last; then how many pages have each reason of a grade. */
enum { SUMS = 11, COUNTS = SUMS + SHARC_GRADE_REASON_COUNT, COUNTS_VERSION = 1 };

static void put_number(struct sharc_buf *out, uint64_t n)
{
    for (int i = 0; i < 8; i++) sharc_buf_put_char(out, (char)(n >> 8 * i & 0xff));
}

static uint64_t get_number(const struct sharc_buf *in, size_t i)
{
    uint64_t n = 0;
    for (size_t k = 8; k-- > 0;) n = n << 8 | (uint8_t)in->p[i * 8 + k];
    return n;
}

static int find_counts(struct sharc_store *s, sharc_store_id capture, struct sharc_store_summary *ret,
                       struct sharc_buf *out, struct sharc_err *reterr)
{
    *ret = (struct sharc_store_summary){.capture = capture, .name = "counts", .version = COUNTS_VERSION};
    int r = sharc_store_stamp(s, &capture, 1, &ret->stamp, reterr);
    if (r == 0) r = sharc_store_summary_get(s, ret, out, reterr);
    return r == 1 && out->n != COUNTS * sizeof(uint64_t) ? 0 : r;
}

int sharc__store_kept_sums(struct sharc_store *s, sharc_store_id capture, struct sharc_store_capture_sums *ret,
                           struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4096);
    struct sharc_store_summary summary;
    int r = find_counts(s, capture, &summary, &b, reterr);
    if (r <= 0) return r;
    *ret = (struct sharc_store_capture_sums){.pages = get_number(&b, 0),
                                             .failed = get_number(&b, 1),
                                             .bytes = get_number(&b, 2),
                                             .revisited = get_number(&b, 3),
                                             .coherent = get_number(&b, 4),
                                             .new_pages = get_number(&b, 5),
                                             .changed = get_number(&b, 6),
                                             .unchanged = get_number(&b, 7),
                                             .with_text = get_number(&b, 8),
                                             .first = (sharc_time)get_number(&b, 9),
                                             .last = (sharc_time)get_number(&b, 10)};
    return 1;
}

int sharc__store_kept_grades(struct sharc_store *s, sharc_store_id capture, uint64_t ret[SHARC_GRADE_REASON_COUNT],
                             struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4096);
    struct sharc_store_summary summary;
    int r = find_counts(s, capture, &summary, &b, reterr);
    for (size_t i = 0; r == 1 && i < SHARC_GRADE_REASON_COUNT; i++) ret[i] = get_number(&b, SUMS + i);
    return r;
}

int sharc_store_counts_keep(struct sharc_store *s, sharc_store_id capture, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4096);
    struct sharc_store_summary summary;
    struct sharc_store_capture_sums n;
    uint64_t reasons[SHARC_GRADE_REASON_COUNT];
    int r = find_counts(s, capture, &summary, &b, reterr);
    if (r != 0) return r < 0 ? r : 0;
    r = sharc_store_capture_sum(s, capture, &n, reterr);
    if (r == 0) r = sharc_store_grade_counts(s, capture, reasons, reterr);
    if (r < 0) return r;
    const uint64_t sums[SUMS] = {n.pages,   n.failed,    n.bytes,     n.revisited,       n.coherent,      n.new_pages,
                                 n.changed, n.unchanged, n.with_text, (uint64_t)n.first, (uint64_t)n.last};
    sharc_buf_clear(&b);
    for (size_t i = 0; i < SUMS; i++) put_number(&b, sums[i]);
    for (size_t i = 0; i < SHARC_GRADE_REASON_COUNT; i++) put_number(&b, reasons[i]);
    r = sharc_store_summary_put(s, &summary, sharc_buf_span(&b), reterr);
    return r < 0 ? r : 1;
}
