/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks, by URL and time, become pages and what happened to them.
 *
 * A look that got no answer, or one that says nothing about the page (403, 500), is no
 * look. Between two looks at most one change can be seen: what is counted is a lower bound.
 */
#include "chronicle_int.h"

/* The page whose looks are being read. */
struct current {
    uint32_t page;
    bool there;                       /* a row was made */
    bool gone;                        /* the last look said 404 or 410 */
    sharc_time last;                  /* look that said something; SHARC_TIME_NONE: none yet */
    struct sharc_digest digest, text; /* of the last content */
};

static int64_t seconds(sharc_time t)
{
    return sharc_floor_div(t, SHARC_SEC);
}

static void add_row(struct sharc__chronicle *h, struct sharc__chronicle_row row)
{
    SHARC_GROW(h->rows, h->row_room, h->row_count + 1);
    h->rows[h->row_count++] = row;
}

/* --- addresses ------------------------------------------------------------------------ */

static struct sharc_span origin_of(struct sharc_span url)
{
    size_t at = sharc_span_search(url, SHARC_SPAN("://"));
    size_t end = at == SHARC_NPOS ? SHARC_NPOS : sharc_span_find(url, '/', at + 3);
    return end == SHARC_NPOS ? url : sharc_span_sub(url, 0, end);
}

/* The path on the site's own host, else "//host/path". */
static struct sharc_span written(struct sharc__chronicle *h, struct sharc_span url)
{
    struct sharc_span origin = origin_of(url), rest = sharc_span_from(url, origin.n);
    if (!h->origin.n) h->origin = sharc_arena_copy(&h->texts, origin);
    if (sharc_span_eq(origin, h->origin)) return sharc_arena_copy(&h->texts, rest.n ? rest : SHARC_SPAN("/"));
    size_t at = sharc_span_search(url, SHARC_SPAN("://"));
    return sharc_arena_copy(&h->texts, at == SHARC_NPOS ? url : sharc_span_from(url, at + 1));
}

/* The host that most pages lie on; among equals the one that came first. */
static int find_origin(struct sharc__chronicle *h, struct sharc_store *store, const struct sharc_store_seen_filter *f,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *origins = sharc_intern_new();
    struct sharc_map64 count;
    struct sharc_store_seen seen;
    sharc_map64_init(&count);
    int r = sharc_store_observations(store, f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_seen_next(rows, &seen, reterr)) > 0) {
        ++*sharc_map64_at(&count, sharc_intern_add(origins, origin_of(seen.url), NULL));
        if (h->first == SHARC_TIME_NONE || seen.when < h->first) h->first = seen.when;
        if (h->last == SHARC_TIME_NONE || seen.when > h->last) h->last = seen.when;
    }
    uint64_t most = 0;
    for (uint32_t i = 0; r >= 0 && i < sharc_intern_count(origins); i++) {
        uint64_t n = *sharc_map64_at(&count, i);
        if (n <= most) continue;
        most = n;
        h->origin = sharc_arena_copy(&h->texts, sharc_intern_text(origins, i));
    }
    sharc_map64_done(&count);
    return r < 0 ? r : 0;
}

/* --- pages ------------------------------------------------------------------------------ */

static void begin_page(struct sharc__chronicle *h, struct current *c, const struct sharc_store_seen *seen)
{
    int64_t when = seconds(seen->when), created = when;
    enum sharc__chronicle_source source = SHARC__CHRONICLE_LOOK;
    bool waited = c->last != SHARC_TIME_NONE; /* it was looked for, and was not there */
    if (waited) {
        created = seconds(c->last) + (when - seconds(c->last)) / 2;
        source = SHARC__CHRONICLE_MIDDLE;
    } else if (seen->when <= h->first_end) {
        created = seconds(h->first); /* it was there when the first capture was made */
    }
    SHARC_GROW(h->pages, h->page_room, h->page_count + 1);
    c->page = (uint32_t)h->page_count++;
    h->pages[c->page] = (struct sharc__chronicle_page){.url = written(h, seen->url),
                                                       .url_id = seen->url_id,
                                                       .created = created,
                                                       .deleted = SHARC__CHRONICLE_NEVER};
    *sharc_map64_at(&h->page_of, (uint64_t)seen->url_id) = c->page + 1;
    c->there = true;
    add_row(h, (struct sharc__chronicle_row){.page = c->page,
                                             .event = SHARC__CHRONICLE_CREATED,
                                             .source = (uint8_t)source,
                                             .time = created,
                                             .after = waited ? seconds(c->last) : SHARC__CHRONICLE_NEVER,
                                             .until = when});
}

static void about_page(struct sharc__chronicle *h, struct sharc__chronicle_page *p, const struct sharc_store_seen *seen)
{
    p->looks++;
    if (seen->size >= 0 && seen->status != 304) p->size = (uint64_t)seen->size;
    if (seen->mime.p && !sharc_span_eq(seen->mime, p->mime)) p->mime = sharc_arena_copy(&h->texts, seen->mime);
    if (seen->images >= 0) p->images = (uint64_t)seen->images;
    if (seen->tables >= 0) p->tables = (uint64_t)seen->tables;
    if (seen->out_links >= 0) p->outlinks = (uint64_t)seen->out_links;
}

/* --- events ------------------------------------------------------------------------------ */

/* Something that happened between the look before and this one. An instant of its own: later
 * than what happened to the page before, since a table has one change per page and second. */
static int64_t happened(struct sharc__chronicle *h, const struct current *c, const struct sharc_store_seen *seen,
                        enum sharc__chronicle_event event)
{
    int64_t after = seconds(c->last), until = seconds(seen->when), stated = SHARC__CHRONICLE_NEVER;
    enum sharc__chronicle_source source = SHARC__CHRONICLE_MIDDLE;
    int64_t time = after + (until - after + 1) / 2;
    bool may_state = event == SHARC__CHRONICLE_CHANGED || event == SHARC__CHRONICLE_BACK;
    if (may_state && seen->last_modified != SHARC_TIME_NONE) stated = seconds(seen->last_modified);
    if (stated > after && stated <= until) time = stated, source = SHARC__CHRONICLE_STATED;
    const struct sharc__chronicle_row *before = &h->rows[h->row_count - 1];
    if (time <= before->time) time = before->time + 1;
    add_row(h, (struct sharc__chronicle_row){.page = c->page,
                                             .event = (uint8_t)event,
                                             .source = (uint8_t)source,
                                             .time = time,
                                             .after = after,
                                             .until = until > time ? until : time});
    return time;
}

static bool same_content(const struct current *c, const struct sharc_store_seen *seen)
{
    if (c->text.n && seen->text_digest.n) return sharc_digest_eq(&c->text, &seen->text_digest);
    return !c->digest.n || !seen->digest.n || sharc_digest_eq(&c->digest, &seen->digest);
}

static void keep_content(struct current *c, const struct sharc_store_seen *seen)
{
    if (!seen->digest.n) return;
    bool same = c->digest.n && sharc_digest_eq(&c->digest, &seen->digest);
    if (!same || seen->text_digest.n) c->text = seen->text_digest;
    c->digest = seen->digest;
}

static void look(struct sharc__chronicle *h, struct current *c, const struct sharc_store_seen *seen)
{
    bool gone = seen->status == 404 || seen->status == 410;
    if (!gone && (seen->status < 200 || seen->status > 399)) return;
    if (!c->there && !gone) {
        begin_page(h, c, seen);
    } else if (c->there && gone && !c->gone) {
        h->pages[c->page].deleted = happened(h, c, seen, SHARC__CHRONICLE_GONE);
    } else if (c->there && !gone && c->gone) {
        bool same = same_content(c, seen);
        happened(h, c, seen, SHARC__CHRONICLE_BACK);
        h->pages[c->page].deleted = SHARC__CHRONICLE_NEVER;
        h->pages[c->page].absences++;
        if (!same) h->pages[c->page].changes++;
        h->rows[h->row_count - 1].event = same ? SHARC__CHRONICLE_BACK : SHARC__CHRONICLE_CHANGED;
    } else if (c->there && !gone && seen->changed) {
        happened(h, c, seen, SHARC__CHRONICLE_CHANGED);
        h->pages[c->page].changes++;
    }
    c->last = seen->when;
    c->gone = gone;
    if (!c->there) return;
    h->looks++;
    if (!gone) about_page(h, &h->pages[c->page], seen);
    if (!gone) keep_content(c, seen);
}

/* --- all of them ------------------------------------------------------------------------- */

static int find_first_end(struct sharc__chronicle *h, struct sharc_store *store,
                          const struct sharc_chronicle_options *o, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture capture;
    f.site = o->site;
    h->first_end = h->first;
    int r = sharc_store_captures(store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_capture(rows, &capture);
        if (capture.end == SHARC_TIME_NONE || capture.end < h->first) continue;
        h->first_end = capture.end;
        return 0;
    }
    return r;
}

int sharc__chronicle_read(struct sharc__chronicle *h, struct sharc_store *store,
                          const struct sharc_chronicle_options *o, struct sharc_err *reterr)
{
    const struct sharc_store_seen_filter f = {.site = o->site, .from = o->from, .to = o->to};
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct current c = {.last = SHARC_TIME_NONE};
    struct sharc_store_seen seen;
    sharc_store_id url = 0;
    int r = find_origin(h, store, &f, reterr);
    if (r == 0) r = find_first_end(h, store, o, reterr);
    if (r == 0) r = sharc_store_observations(store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_seen_next(rows, &seen, reterr)) > 0) {
        if (seen.url_id != url) c = (struct current){.last = SHARC_TIME_NONE};
        url = seen.url_id;
        look(h, &c, &seen);
    }
    return r < 0 ? r : 0;
}
