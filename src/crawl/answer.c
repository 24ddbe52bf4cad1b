/* SPDX-License-Identifier: Apache-2.0
 *
 * What an answer is worth as evidence: which instant it speaks for, whether a server's word can
 * be taken, and what visit and revisit prove together. Only what was seen counts: how alike two
 * texts are proves nothing.
 */
#include "download.h"

#include "sharc/evidence.h"

#include <string.h>

enum { STRONG_AFTER = 60, WAIT_MOST = 90 }; /* seconds: RFC 9110 8.8.2.2; for a cache to let go */
enum { CODINGS_MOST = 1 << 10 };            /* bytes of names */

bool sharc__crawl_date_is_strong(const struct sharc_http *h)
{
    sharc_time modified, date;
    return sharc_http_date_parse(sharc_http_get(h, "Last-Modified"), &modified) == 0 &&
           sharc_http_date_parse(sharc_http_get(h, "Date"), &date) == 0 && modified <= date - STRONG_AFTER * SHARC_SEC;
}

/* What cannot be read counts as none: a field that is not Age. */
sharc_time sharc__crawl_kept(const struct sharc_http *h)
{
    uint64_t seconds;
    if (sharc_span_to_u64(sharc_span_trim(sharc_http_get(h, "Age")), &seconds) < 0) return 0;
    return (sharc_time)(seconds < INT32_MAX ? seconds + 1 : INT32_MAX) * SHARC_SEC;
}

sharc_time sharc__crawl_speaks_for(const struct job *j)
{
    return j->result->start - sharc__crawl_kept(&j->result->http);
}

/* "s-maxage=3" among the directives of Cache-Control. */
static bool directive(struct sharc_span fields, struct sharc_span name, uint64_t *ret)
{
    struct sharc_span one;
    while (sharc_span_next(&fields, ',', &one)) {
        one = sharc_span_trim(one);
        size_t equals = sharc_span_find(one, '=', 0);
        if (equals == SHARC_NPOS || !sharc_span_ieq(sharc_span_sub(one, 0, equals), name)) continue;
        if (sharc_span_to_u64(sharc_span_from(one, equals + 1), ret) == 0) return true;
    }
    return false;
}

sharc_time sharc__crawl_fresh_at(const struct job *j)
{
    const struct sharc_http *h = &j->result->http;
    const sharc_time kept = sharc__crawl_kept(h);
    struct sharc_span fields = sharc_http_get(h, "Cache-Control");
    uint64_t lasts;
    if (!kept ||
        (!directive(fields, SHARC_SPAN("s-maxage"), &lasts) && !directive(fields, SHARC_SPAN("max-age"), &lasts)))
        return SHARC_TIME_NONE;
    if (lasts >= (uint64_t)(kept / SHARC_SEC) + WAIT_MOST) return SHARC_TIME_NONE;
    const sharc_time rest = (sharc_time)lasts * SHARC_SEC - kept + 2 * SHARC_SEC; /* both count whole seconds */
    return j->result->end + (rest > 0 ? rest : 0);
}

/* --- the server's word --------------------------------------------------------------- */

bool sharc__crawl_etag_is_weak(struct sharc_span etag)
{
    return etag.n < 2 || etag.p[0] != '"';
}

/* 304: by the validator that was sent. A server that was sent an ETag decides by that alone. */
static enum sharc_grade_reason attested_by(const struct version *v, const struct job *j)
{
    struct sharc_span now = sharc_http_get(&j->result->http, "ETag"), sent = sharc_span_of(j->in.etag);
    if (sent.n) {
        bool other = now.n && !sharc_span_eq(now, sent);
        return sharc__crawl_etag_is_weak(sent) || other ? SHARC_GRADED_WEAK_VALIDATOR : SHARC_GRADED_STRONG_ETAG;
    }
    sharc_time modified;
    bool other = sharc_http_date_parse(sharc_http_get(&j->result->http, "Last-Modified"), &modified) == 0 &&
                 modified != v->modified;
    return !(v->marks & VERSION_OLD_DATE) || other ? SHARC_GRADED_WEAK_VALIDATOR : SHARC_GRADED_LAST_MODIFIED;
}

/* --- visit and revisit ------------------------------------------------------------------ */

static bool is_same_content(const struct version *v, const struct job *j)
{
    return (v->marks & VERSION_CONTENT) && memcmp(v->content, j->made.shown.bytes, sizeof v->content) == 0;
}

bool sharc__crawl_same_answer(const struct version *v, const struct job *j)
{
    return is_same_content(v, j) && memcmp(v->head, j->made.head, sizeof v->head) == 0;
}

/* Its head is the one of the visit but for the status: it leads where it led. */
static bool leads_there_too(const struct version *v, const struct job *j)
{
    const struct sharc_http *h = &j->result->http;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf location = SHARC_BUF_INIT(SHARC_EVIDENCE_LOCATION);
    struct sharc_digest d;
    sharc_evidence_location(h, &j->in.url, &location);
    sharc_evidence_print_head(v->status, h->content_type, sharc_buf_span(&location), &d);
    return v->answer == SHARC_ANSWER_REDIRECT && memcmp(v->head, d.bytes, sizeof v->head) == 0;
}

static enum sharc_grade_reason by_content(const struct version *v, const struct job *j)
{
    if ((v->marks & VERSION_CUT) || !j->made.complete) return SHARC_GRADED_CUT;
    if (sharc__crawl_same_answer(v, j)) return SHARC_GRADED_SAME_CONTENT;
    if (j->made.answer == SHARC_ANSWER_REDIRECT && !leads_there_too(v, j)) return SHARC_GRADED_REDIRECTED;
    if (j->made.answer == SHARC_ANSWER_REDIRECT || v->answer == SHARC_ANSWER_REDIRECT) return SHARC_GRADED_CHANGED;
    /* The same bytes with another charset or media type are another page to a reader. */
    if (is_same_content(v, j)) return SHARC_GRADED_CHANGED;
    return sharc_change_counts(j->made.verdict.change) ? SHARC_GRADED_CHANGED : SHARC_GRADED_SIMILAR;
}

enum sharc_grade_reason sharc__crawl_reason_of(const struct version *v, const struct job *j)
{
    switch (j->made.answer) {
    case SHARC_ANSWER_FAILED: return SHARC_GRADED_FAILED;
    case SHARC_ANSWER_GONE: return SHARC_GRADED_GONE;
    case SHARC_ANSWER_NOT_MODIFIED: return v->marks & VERSION_CUT ? SHARC_GRADED_CUT : attested_by(v, j);
    case SHARC_ANSWER_CONTENT:
    case SHARC_ANSWER_REDIRECT: break;
    }
    return sharc__crawl_brought_nothing(j) ? SHARC_GRADED_FAILED : by_content(v, j);
}

bool sharc__crawl_is_coded(const struct sharc_http *h)
{
    struct sharc_span transfer = sharc_http_get(h, "Transfer-Encoding");
    if (transfer.n && !sharc_span_ieq(transfer, SHARC_SPAN("chunked"))) return true;
    if (!sharc_http_get(h, "Content-Encoding").p) return false;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf codings = SHARC_BUF_INIT(CODINGS_MOST);
    return sharc_http_codings(h, &codings, NULL) < 0 || codings.n > 0;
}

/* The same payload under another head may be another content, or the same only since its bytes do not have the coding
 * that this head names. Who reads the records later has the payload of one and the head of the other; such an answer
 * gets a record of its own. */
static bool means_the_same(const struct job *j)
{
    const struct version *v = &j->in.before;
    bool other = (v->marks & VERSION_CONTENT) && memcmp(v->content, j->made.shown.bytes, sizeof v->content) != 0;
    bool undecoded = sharc__crawl_is_coded(&j->result->http) &&
                     memcmp(j->made.shown.bytes, j->made.digest.bytes, sizeof v->content) == 0;
    return !other && !undecoded;
}

bool sharc__crawl_repeats(const struct job *j)
{
    bool same = j->made.identical && j->result->cut == SHARC_FETCH_WHOLE && means_the_same(j);
    return (same || j->made.answer == SHARC_ANSWER_NOT_MODIFIED) && j->in.before_id[0] && j->in.before.has_digest &&
           j->in.before.date != SHARC_TIME_NONE;
}
