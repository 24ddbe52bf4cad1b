/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions that are one SELECT each: sites, captures, WARC files, URLs, rates,
 * patterns, models, skipped URLs.
 */
#include "store_int.h"

/* --- sites and captures ------------------------------------------------------------ */

int sharc_store_sites(struct sharc_store *s, struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    return sharc__store_rows_query(s, "SELECT id, name, seeds, settings FROM site ORDER BY name", NULL, 0, ret, reterr);
}

void sharc_store_read_site(struct sharc_store_rows *rows, struct sharc_store_site *ret)
{
    *ret = (struct sharc_store_site){
        .id = sharc__store_rows_int(rows, 0, 0),
        .name = sharc__store_rows_span(rows, 1),
        .seeds = sharc__store_rows_span(rows, 2),
        .settings = sharc__store_rows_span(rows, 3),
    };
}

int sharc_store_captures(struct sharc_store *s, const struct sharc_store_capture_filter *f,
                         struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    static const struct sharc_store_capture_filter all = SHARC_STORE_CAPTURE_FILTER_INIT;
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    if (!f) f = &all;
    sharc__store_sql_add(&q, "SELECT c.id, c.site AS site_id, s.name AS site, c.key, c.strategy, c.purpose, c.params,"
                             " c.source, c.started, c.ended, c.reference, c.state AS capture_state, c.reference_from,"
                             " c.reference_to"
                             " FROM capture c LEFT JOIN site s ON s.id = c.site WHERE 1 = 1");
    if (f->id) sharc__store_sql_with(&q, " AND c.id = ?", sharc__store_int(f->id));
    if (f->site) sharc__store_sql_with(&q, " AND c.site = ?", sharc__store_int(f->site));
    if (f->state >= 0) sharc__store_sql_with(&q, " AND c.state = ?", sharc__store_int(f->state));
    if (f->from != SHARC_TIME_NONE) sharc__store_sql_with(&q, " AND c.started >= ?", sharc__store_int(f->from));
    if (f->to != SHARC_TIME_NONE) sharc__store_sql_with(&q, " AND c.started <= ?", sharc__store_int(f->to));
    sharc__store_sql_add(&q, f->newest_first ? " ORDER BY coalesce(c.started, 0) DESC, c.id DESC"
                                             : " ORDER BY coalesce(c.started, 0), c.id");
    return sharc__store_sql_rows(s, &q, ret, reterr);
}

void sharc_store_read_capture(struct sharc_store_rows *rows, struct sharc_store_capture *ret)
{
    *ret = (struct sharc_store_capture){
        .id = sharc__store_rows_int(rows, 0, 0),
        .site = sharc__store_rows_int(rows, 1, 0),
        .site_name = sharc__store_rows_span(rows, 2),
        .key = sharc__store_rows_span(rows, 3),
        .strategy = sharc__store_rows_span(rows, 4),
        .purpose = sharc__store_rows_span(rows, 5),
        .params = sharc__store_rows_span(rows, 6),
        .source = sharc__store_rows_span(rows, 7),
        .start = sharc__store_rows_int(rows, 8, SHARC_TIME_NONE),
        .end = sharc__store_rows_int(rows, 9, SHARC_TIME_NONE),
        .reference = sharc__store_rows_int(rows, 10, SHARC_TIME_NONE),
        .state = (enum sharc_capture_state)sharc__store_rows_int(rows, 11, 0),
        .reference_from = sharc__store_rows_int(rows, 12, SHARC_TIME_NONE),
        .reference_to = sharc__store_rows_int(rows, 13, SHARC_TIME_NONE),
    };
}

/* --- WARC files and URLs -------------------------------------------------------------- */

#define WARC_ROWS "SELECT id, name, size, digest AS file_digest, state AS warc_state, done, records, capture FROM warc"

int sharc_store_warcs(struct sharc_store *s, struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    return sharc__store_rows_query(s, WARC_ROWS " ORDER BY name", NULL, 0, ret, reterr);
}

int sharc_store_warcs_of(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                         struct sharc_err *reterr)
{
    return sharc__store_rows_query(s, WARC_ROWS " WHERE capture = $1 ORDER BY name",
                                   SHARC__PARAMS(sharc__store_int(capture)), ret, reterr);
}

void sharc_store_read_warc(struct sharc_store_rows *rows, struct sharc_store_warc *ret)
{
    *ret = (struct sharc_store_warc){
        .id = sharc__store_rows_int(rows, 0, 0),
        .name = sharc__store_rows_span(rows, 1),
        .size = (uint64_t)sharc__store_rows_int(rows, 2, 0),
        .digest = sharc__store_rows_span(rows, 3),
        .state = (enum sharc_store_warc_state)sharc__store_rows_int(rows, 4, 0),
        .done = (uint64_t)sharc__store_rows_int(rows, 5, 0),
        .records = (uint64_t)sharc__store_rows_int(rows, 6, 0),
        .capture = sharc__store_rows_int(rows, 7, 0),
    };
}

int sharc_store_url_find(struct sharc_store *s, struct sharc_span url, sharc_store_id *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf clean = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    struct sharc_span text = sharc__store_clean(sharc_span_sub(url, 0, SHARC_LIMIT_URL), true, &clean);
    int64_t key, mark;
    sharc__store_key(text, &key, &mark);
    sharc__store_quiet(s);
    sharc_store_id id = sharc_map128_get(s->cache, key, mark);
    if (!id) {
        int r = sharc__store_get_int(s->db, "SELECT id FROM url WHERE key = $1 AND mark = $2",
                                     SHARC__PARAMS(sharc__store_int(key), sharc__store_int(mark)), &id, reterr);
        if (r < 0) return r;
        SHARC_FAIL_IF(r == 0, reterr, SHARC_ENOENT, "%s: the catalogue does not know %.*s", s->name,
                      SHARC_SPAN_ARG(text));
    }
    *ret = id;
    return 0;
}

int sharc_store_urls(struct sharc_store *s, struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    return sharc__store_rows_query(s,
                                   "SELECT u.id, u.text AS url, u.surt, h.name AS host FROM url u"
                                   " LEFT JOIN host h ON h.id = u.host ORDER BY u.id",
                                   NULL, 0, ret, reterr);
}

/* --- rates, patterns, models -------------------------------------------------------------- */

int sharc_store_rates(struct sharc_store *s, sharc_store_id url, const char *source, struct sharc_store_rows **ret,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    sharc__store_sql_add(
        &q, "SELECT r.url AS url_id, u.text AS url, r.source, r.value, r.low, r.high, r.observations, r.made"
            " FROM rate r JOIN url u ON u.id = r.url WHERE 1 = 1");
    if (url) sharc__store_sql_with(&q, " AND r.url = ?", sharc__store_int(url));
    if (source) sharc__store_sql_with(&q, " AND r.source = ?", sharc__store_text(sharc_span_of(source)));
    sharc__store_sql_add(&q, " ORDER BY r.url, r.source");
    return sharc__store_sql_rows(s, &q, ret, reterr);
}

int sharc_store_rates_of(struct sharc_store *s, sharc_store_id capture, const char *source,
                         struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    sharc__store_sql_with(&q,
                          "SELECT r.url AS url_id, u.text AS url, r.source, r.value, r.low, r.high, r.observations,"
                          " r.made FROM page p JOIN rate r ON r.url = p.url JOIN url u ON u.id = p.url"
                          " WHERE p.status = 200 AND p.capture = ?",
                          sharc__store_int(capture));
    sharc__store_sql_with(&q, " AND r.source = ? ORDER BY r.url", sharc__store_text(sharc_span_of(source)));
    return sharc__store_sql_rows(s, &q, ret, reterr);
}

void sharc_store_read_rate(struct sharc_store_rows *rows, struct sharc_store_rate *ret)
{
    *ret = (struct sharc_store_rate){
        .url = sharc__store_rows_span(rows, 1),
        .source = sharc__store_rows_span(rows, 2),
        .value = sharc__store_rows_real(rows, 3),
        .low = sharc__store_rows_real(rows, 4),
        .high = sharc__store_rows_real(rows, 5),
        .observations = sharc__store_rows_real(rows, 6),
        .when = sharc__store_rows_int(rows, 7, SHARC_TIME_NONE),
    };
}

int sharc_store_patterns(struct sharc_store *s, sharc_store_id url, struct sharc_store_rows **ret,
                         struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    sharc__store_sql_add(&q, "SELECT p.url AS url_id, u.text AS url, p.data, p.cluster, p.made FROM pattern p"
                             " JOIN url u ON u.id = p.url WHERE 1 = 1");
    if (url) sharc__store_sql_with(&q, " AND p.url = ?", sharc__store_int(url));
    sharc__store_sql_add(&q, " ORDER BY p.url");
    return sharc__store_sql_rows(s, &q, ret, reterr);
}

void sharc_store_read_pattern(struct sharc_store_rows *rows, struct sharc_store_pattern *ret)
{
    *ret = (struct sharc_store_pattern){
        .url_id = sharc__store_rows_int(rows, 0, 0),
        .url = sharc__store_rows_span(rows, 1),
        .data = sharc__store_rows_span(rows, 2),
        .group = sharc__store_rows_int(rows, 3, 0),
        .when = sharc__store_rows_int(rows, 4, SHARC_TIME_NONE),
    };
}

int sharc_store_models(struct sharc_store *s, const char *name, struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    sharc__store_sql_add(&q, "SELECT name, kind, data, info, made FROM model WHERE 1 = 1");
    if (name) sharc__store_sql_with(&q, " AND name = ?", sharc__store_text(sharc_span_of(name)));
    sharc__store_sql_add(&q, " ORDER BY coalesce(made, 0) DESC, name");
    return sharc__store_sql_rows(s, &q, ret, reterr);
}

void sharc_store_read_model(struct sharc_store_rows *rows, struct sharc_store_model *ret)
{
    *ret = (struct sharc_store_model){
        .name = sharc__store_rows_span(rows, 0),
        .kind = sharc__store_rows_span(rows, 1),
        .data = sharc__store_rows_span(rows, 2),
        .info = sharc__store_rows_span(rows, 3),
        .when = sharc__store_rows_int(rows, 4, SHARC_TIME_NONE),
    };
}

/* --- what was left out ------------------------------------------------------------------------ */

int sharc_store_skipped(struct sharc_store *s, sharc_store_id capture, const char *reason,
                        struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    sharc__store_sql_add(&q,
                         "SELECT k.capture, u.text AS url, k.reason, k.detail FROM skipped k JOIN url u ON u.id = k.url"
                         " WHERE 1 = 1");
    if (capture) sharc__store_sql_with(&q, " AND k.capture = ?", sharc__store_int(capture));
    if (reason) sharc__store_sql_with(&q, " AND k.reason = ?", sharc__store_text(sharc_span_of(reason)));
    sharc__store_sql_add(&q, " ORDER BY k.capture, k.reason, k.url");
    return sharc__store_sql_rows(s, &q, ret, reterr);
}

void sharc_store_read_skip(struct sharc_store_rows *rows, struct sharc_store_skip *ret)
{
    *ret = (struct sharc_store_skip){
        .capture = sharc__store_rows_int(rows, 0, 0),
        .url = sharc__store_rows_span(rows, 1),
        .reason = sharc__store_rows_span(rows, 2),
        .detail = sharc__store_rows_span(rows, 3),
    };
}

int sharc_store_skipped_counts(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                               struct sharc_err *reterr)
{
    struct sharc_store_value id = sharc__store_int(capture);
    return sharc__store_rows_query(s,
                                   "SELECT reason, count(*) AS urls FROM skipped WHERE capture = $1 GROUP BY reason"
                                   " ORDER BY urls DESC, reason",
                                   &id, 1, ret, reterr);
}

const char *sharc_store_skip_text(struct sharc_span reason)
{
    static const char *const rows[][2] = {
        {"scope", "no rule of the scope lets it in"},
        {"excluded", "a rule of the scope shuts it out"},
        {"scheme", "neither http nor https"},
        {"bad-url", "it cannot be read as a URL"},
        {"robots", "robots.txt does not allow it"},
        {"depth", "too many links away from a seed"},
        {"trap-length", "a URL this long is a trap"},
        {"trap-segments", "a path this deep is a trap"},
        {"trap-repeat", "its path repeats itself"},
        {"trap-calendar", "one of an endless row of dates"},
        {"trap-numbers", "one of an endless row of numbers"},
        {"trap-session", "a known page under another session id"},
        {"redirects", "too many redirects in a row"},
        {"embed-hops", "too many embeds inside embeds"},
        {"limit-pages", "the limit of pages was reached"},
        {"limit-bytes", "the limit of bytes was reached"},
        {"limit-time", "the limit of time was reached"},
        {"limit-lists", "too many sitemaps and lists were read already"},
        {"private", "its address is not public; setting \"allow-private\" allows it"},
        {"failed", "it could not be fetched, after several attempts"},
        {"busy", "the server asked us to stay away, every time"},
        {"unreachable", "its host could not be reached"},
        {"type", "its media type is not wanted"},
        {"canonical", "it was fetched, and is another page by its own word and content"},
        {"case", "the same page as another one whose address differs in upper and lower case only"},
        {"repeated", "another visit of the same page was kept"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++)
        if (sharc_span_is(reason, rows[i][0])) return rows[i][1];
    return NULL;
}

/* --- volatile places ------------------------------------------------------------------------------ */

int sharc_store_places(struct sharc_store *s, sharc_store_id site, struct sharc_store_rows **ret,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    sharc__store_sql_add(&q,
                         "SELECT s.name AS site, v.signature, v.kind, v.text, v.pairs, v.differed, v.first_seen,"
                         " v.last_seen, v.site AS site_id FROM place v LEFT JOIN site s ON s.id = v.site WHERE 1 = 1");
    if (site) sharc__store_sql_with(&q, " AND v.site = ?", sharc__store_int(site));
    sharc__store_sql_add(&q, " ORDER BY v.site, coalesce(v.last_seen, 0) DESC, v.signature");
    return sharc__store_sql_rows(s, &q, ret, reterr);
}

void sharc_store_read_place(struct sharc_store_rows *rows, struct sharc_store_volatile *ret)
{
    *ret = (struct sharc_store_volatile){
        .site = sharc__store_rows_int(rows, 8, 0),
        .signature = (uint64_t)sharc__store_rows_int(rows, 1, 0),
        .kind = sharc__store_rows_span(rows, 2),
        .text = sharc__store_rows_span(rows, 3),
        .pairs = (uint64_t)sharc__store_rows_int(rows, 4, 0),
        .differed = (uint64_t)sharc__store_rows_int(rows, 5, 0),
        .first = sharc__store_rows_int(rows, 6, SHARC_TIME_NONE),
        .last = sharc__store_rows_int(rows, 7, SHARC_TIME_NONE),
    };
}

/* --- resuming ----------------------------------------------------------------------------------- */

int sharc_store_journal_each(struct sharc_store *s, sharc_store_id capture, sharc_store_journal_fn *fn, void *arg,
                             struct sharc_err *reterr)
{
    struct sharc_store_value id = sharc__store_int(capture);
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc__store_rows_query(s, "SELECT seq, data FROM journal WHERE capture = $1 ORDER BY seq", &id, 1, &rows,
                                    reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0)
        r = fn(arg, (uint32_t)sharc__store_rows_int(rows, 0, 0), sharc__store_rows_span(rows, 1), reterr);
    return r;
}

int sharc_store_journal_drop(struct sharc_store *s, sharc_store_id capture, struct sharc_err *reterr)
{
    int r = sharc__store_may_write(s, reterr);
    struct sharc_store_value id = sharc__store_int(capture);
    return r < 0 ? r : sharc__store_run(s, "DELETE FROM journal WHERE capture = $1", &id, 1, NULL, reterr);
}
