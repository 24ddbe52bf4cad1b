/* SPDX-License-Identifier: Apache-2.0
 *
 * Sightings of one URL, out of the records that the indexes name.
 */
#include "history.h"

#include "sharc/base_limits.h"

#include <stdlib.h>

void sharc__serve_history_done(struct serve_history *h)
{
    sharc_arena_done(&h->arena);
    free(h->seen);
    free(h->sights);
    h->seen = NULL;
    h->sights = NULL;
    h->count = h->room = h->seen_room = 0;
}

/* --- how long a download took ------------------------------------------------------------- */

sharc_time sharc__serve_read_took(struct sharc_span fields)
{
    struct sharc_span line, value;
    sharc_time took = -1;
    uint64_t n;
    for (unsigned i = 0; i < 32 && fields.n && sharc_span_next(&fields, '\n', &line); i++) {
        size_t colon = sharc_span_find(line, ':', 0);
        if (colon == SHARC_NPOS) continue;
        value = sharc_span_trim(sharc_span_from(line, colon + 1));
        if (sharc_span_to_u64(value, &n) < 0 || n > (uint64_t)SHARC_DAY) continue;
        struct sharc_span name = sharc_span_sub(line, 0, colon);
        if (sharc_span_ieq(name, SHARC_SPAN("sharc-took-us"))) return (sharc_time)n;
        /* Whole milliseconds, cut off. */
        if (sharc_span_ieq(name, SHARC_SPAN("fetchTimeMs"))) took = ((sharc_time)n + 1) * SHARC_MSEC;
    }
    return took;
}

/* Crawlers write a metadata record right behind an answer, which says how long it took. */
static sharc_time took_of(const struct sharc_edition *e, const struct serve_sight *s, struct sharc_span id)
{
    enum { NEXT = 3 };
    struct sharc_span name = s->line.field[SHARC_CDX_FILENAME], piece;
    uint64_t offset, length;
    const struct sharc_filemap *map;
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_record rec;
    if (!id.n || !sharc_cdx_number(&s->line, SHARC_CDX_OFFSET, &offset) ||
        !sharc_cdx_number(&s->line, SHARC_CDX_LENGTH, &length) || length > UINT64_MAX - offset)
        return -1;
    const struct sharc_warc_options o = {.lenient = true, .offset = offset + length, .name = "metadata"};
    if (sharc__serve_source_open(e, s->source, name, &o, &w, &map, NULL) < 0) return -1;
    for (unsigned i = 0; i < NEXT && sharc_warc_next(w, &rec, NULL) > 0; i++) {
        if (rec.type == SHARC_WARC_METADATA && sharc_span_eq(rec.concurrent_to, id))
            return sharc_record_read(&rec, SHARC_WARC_BLOCK, &piece, NULL) > 0 ? sharc__serve_read_took(piece) : -1;
        if (rec.type == SHARC_WARC_RESPONSE || rec.type == SHARC_WARC_REVISIT) return -1;
    }
    return -1;
}

/* --- what a record shows --------------------------------------------------------------------- */

/* What was seen, as bytes that are equal only for the same: content by its digest, a redirect by where it leads,
 * a page that says it is gone by its digest, too. Nothing for what says nothing about the page: a server's failure, a
 * piece of it, no digest. */
static void put_body(const struct serve_sight *s, bool cut, struct sharc_buf *out)
{
    struct sharc_digest d, nothing;
    bool content = (s->status >= 200 && s->status < 300 && s->status != 206) || s->status == 304;
    bool gone = s->status == 404 || s->status == 410;
    sharc_buf_clear(out);
    if (cut) return;
    if (sharc_http_is_redirect(s->status) && s->location.n) {
        sharc_buf_printf(out, "to %d ", s->status);
        sharc_buf_put(out, s->location);
    } else if ((content || gone) && sharc_digest_parse(s->digest, &d) == 0) {
        sharc_digest_of(d.kind, SHARC_SPAN(""), &nothing);
        if (s->status == 304 && sharc_digest_eq(&d, &nothing)) return; /* of the body of a 304, which is none */
        sharc_buf_printf(out, "%s %d ", gone ? "gone" : "there", (int)d.kind);
        sharc_buf_put(out, sharc_span(d.bytes, d.n));
    }
}

static sharc_time grain_of(sharc_time t)
{
    return t % SHARC_SEC == 0 ? SHARC_SEC : t % SHARC_MSEC == 0 ? SHARC_MSEC : 1;
}

static uint8_t method_of(struct sharc_span digest)
{
    struct sharc_digest d;
    return sharc_digest_parse(digest, &d) == 0 ? (uint8_t)(1 + d.kind) : 0;
}

/* What is longer is none of it. */
static struct sharc_span copy(struct serve_history *h, struct sharc_span s, size_t most)
{
    return s.n > most ? SHARC_SPAN_NONE : sharc_arena_copy(&h->arena, s);
}

enum { MOST_DIGEST = 200, MOST_TYPE = 256 };

static void read_head(struct serve_history *h, struct serve_sight *s, struct sharc_sighting *seen,
                      struct sharc_record *rec)
{
    const struct sharc_http *http = sharc_record_http(rec);
    struct sharc_span own = rec->payload_digest, modified = SHARC_SPAN_NONE;
    bool said = sharc_span_search(rec->profile, SHARC_SPAN("not-modified")) != SHARC_NPOS;
    s->revisit = rec->type == SHARC_WARC_REVISIT;
    s->target = copy(h, rec->target, SHARC_LIMIT_URL);
    s->status = http && http->status >= 100 ? http->status : said ? 304 : 200;
    s->digest = copy(h, own.n ? own : s->line.field[SHARC_CDX_DIGEST], MOST_DIGEST);
    s->type = copy(h, http ? sharc_http_get(http, "Content-Type") : rec->content_type, MOST_TYPE);
    s->stated = seen->modified = SHARC_TIME_NONE;
    if (http) {
        s->location = copy(h, sharc_http_get(http, "Location"), SHARC_LIMIT_URL);
        modified = sharc_http_get(http, "Last-Modified");
        if (modified.p && sharc_http_date_parse(modified, &s->stated) < 0) s->stated = SHARC_TIME_NONE;
        seen->modified = sharc_http_last_modified(http, seen->begun);
    }
    if (!sharc_quality_is_date(seen->modified, seen->begun)) seen->modified = SHARC_TIME_NONE;
    seen->word = said || s->status == 304;
}

/* Numbers for bodies are made by comparing them: nobody can make two that only look equal. */
static uint64_t body_number(struct sharc_intern *bodies, struct sharc_span what)
{
    return what.n ? 1 + (uint64_t)sharc_intern_add(bodies, what, NULL) : 0;
}

void sharc__serve_history_add(struct serve_history *h, const struct serve_sight *s, const struct sharc_sighting *seen)
{
    SHARC_GROW(h->sights, h->room, h->count + 1);
    SHARC_GROW(h->seen, h->seen_room, h->count + 1);
    h->sights[h->count] = *s;
    h->seen[h->count++] = *seen;
}

/* A record that cannot be read: what the index says of it still counts, above all if that is something else. */
static void read_line(struct serve_sight *s, struct sharc_sighting *seen)
{
    uint64_t status = 0;
    sharc_cdx_number(&s->line, SHARC_CDX_STATUS, &status);
    s->target = s->line.field[SHARC_CDX_URL];
    s->digest = s->line.field[SHARC_CDX_DIGEST];
    s->location = s->line.field[SHARC_CDX_REDIRECT];
    s->status = status < 1000 ? (int)status : 0;
    s->stated = SHARC_TIME_NONE;
    s->unreadable = true;
    seen->word = s->status == 304;
}

static void opened_done(struct serve_opened *o)
{
    sharc_warc_close(o->reader);
}

static void add_sight(const struct sharc_edition *e, struct serve_history *h, struct sharc_intern *bodies,
                      const struct serve_source *source, const struct sharc_cdx *line)
{
    SHARC_AUTO(opened_done) struct serve_opened own = {.reader = NULL};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf body = SHARC_BUF_INIT(2 * SHARC_LIMIT_URL);
    struct serve_sight s = {.source = source, .rate = __builtin_nan("")};
    struct sharc_sighting seen = {.modified = SHARC_TIME_NONE};
    struct sharc_span t = line->field[SHARC_CDX_TIMESTAMP];
    s.reference_from = s.reference_to = SHARC_TIME_NONE;
    if (t.n < 14 || t.n > 17 || sharc_time_parse(t, &seen.begun, NULL) < 0) return;
    for (size_t i = 0; i < SHARC_CDX_FIELDS; i++) s.line.field[i] = copy(h, line->field[i], SHARC_LIMIT_URL);
    memcpy(s.timestamp, t.p, t.n);
    bool read = sharc__serve_open_record(e, source, line, &own, NULL) == 0 && sharc__serve_is_of(&own.record, line);
    struct sharc_record *rec = &own.record;
    if (read && rec->date != SHARC_TIME_NONE) seen.begun = rec->date;
    if (read)
        read_head(h, &s, &seen, rec);
    else
        read_line(&s, &seen);
    sharc_time took = read ? took_of(e, &s, rec->id) : -1;
    seen.ended = seen.begun + (took < 0 ? SERVE_LONGEST_DOWNLOAD : took) + grain_of(seen.begun) - 1;
    put_body(&s, read && rec->truncated.n && !s.revisit, &body);
    seen.body = body_number(bodies, sharc_buf_span(&body));
    seen.method = seen.body ? method_of(s.digest) : 0;
    sharc__serve_history_add(h, &s, &seen);
}

/* --- in order ------------------------------------------------------------------------------------ */

static bool comes_before(const struct serve_history *h, size_t i, size_t k)
{
    int order = sharc_span_cmp(h->sights[i].target, h->sights[k].target);
    return order ? order < 0 : h->seen[i].begun < h->seen[k].begun;
}

/* They come by distance from an instant, so from two sides: few steps each. At most SERVE_MOST_SIGHTS. */
void sharc__serve_history_sort(struct serve_history *h)
{
    for (size_t i = 1; i < h->count; i++)
        for (size_t k = i; k > 0 && comes_before(h, k, k - 1); k--) {
            struct serve_sight s = h->sights[k];
            struct sharc_sighting seen = h->seen[k];
            h->sights[k] = h->sights[k - 1];
            h->seen[k] = h->seen[k - 1];
            h->sights[k - 1] = s;
            h->seen[k - 1] = seen;
        }
}

/* "Not modified" speaks of the content seen before it, if it names none. */
static void settle_words(struct serve_history *h)
{
    for (size_t i = 1; i < h->count; i++) {
        struct sharc_sighting *s = &h->seen[i];
        if (!s->word || s->body) continue;
        for (size_t k = i; k-- > 0 && sharc_span_eq(h->sights[k].target, h->sights[i].target);) {
            if (!h->seen[k].body || !h->seen[k].method) continue;
            s->body = h->seen[k].body;
            s->method = h->seen[k].method;
            break;
        }
    }
}

size_t sharc__serve_sights_each(size_t urls)
{
    size_t each = SERVE_MOST_OPENED / (urls + 1);
    return each < SERVE_LEAST_SIGHTS ? SERVE_LEAST_SIGHTS : each > SERVE_MOST_SIGHTS ? SERVE_MOST_SIGHTS : each;
}

int sharc__serve_history(const struct sharc_edition *e, struct sharc_span url, sharc_time at, size_t most,
                         struct serve_history *h, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *c = NULL;
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *bodies = sharc_intern_new();
    char digits[SHARC_TIME_TEXT];
    struct sharc_cdx line;
    const struct sharc_cdx_query q = {.url = url,
                                      .match = SHARC_CDX_EXACT,
                                      .sort = SHARC_CDX_CLOSEST,
                                      .closest = sharc_span_of(sharc_time_compact(at, 17, digits))};
    int r = sharc_captures_ask(e, &q, &c, reterr);
    if (r == 0) sharc__serve_captures_tell_apart(c);
    for (size_t n = 0; r >= 0 && (r = sharc_captures_next(c, &line, reterr)) > 0; n++) {
        h->cut = n >= most;
        if (h->cut) break;
        add_sight(e, h, bodies, sharc__serve_captures_source(c), &line);
    }
    if (r < 0) return r;
    sharc__serve_history_sort(h);
    sharc__serve_catalogue_note(e, h);
    settle_words(h);
    return 0;
}

/* --- asking --------------------------------------------------------------------------------------- */

size_t sharc__serve_history_range(const struct serve_history *h, size_t i, size_t *ret_count)
{
    size_t first = i, end = i + 1;
    while (first > 0 && sharc_span_eq(h->sights[first - 1].target, h->sights[i].target)) first--;
    while (end < h->count && sharc_span_eq(h->sights[end].target, h->sights[i].target)) end++;
    *ret_count = end - first;
    return first;
}

bool sharc__serve_history_known(const struct serve_history *h, size_t i, sharc_time at, struct sharc_known *ret)
{
    size_t n, first = sharc__serve_history_range(h, i, &n);
    if (!h->seen[i].body) return false;
    size_t near = sharc_quality_same_nearest(h->seen + first, n, i - first, at);
    sharc_quality_known(h->seen + first, n, near, ret);
    return true;
}
