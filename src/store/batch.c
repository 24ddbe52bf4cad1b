/* SPDX-License-Identifier: Apache-2.0
 *
 * Collecting rows. Everything is copied; two rows with the same key become one
 * here, because one statement may not touch a row twice.
 */
#include "batch_int.h"

#include <stdlib.h>

#define ROWS_FULL 20000
#define BYTES_FULL (32u << 20)
#define ROOM_KEPT ((size_t)1 << 20) /* bytes of a list, behind a commit */

/* --- life --------------------------------------------------------------------- */

static struct sharc_map128 *new_map(void)
{
    return sharc_map128_new(SIZE_MAX);
}

void sharc_store_batch_new(struct sharc_store *s, struct sharc_store_batch **ret)
{
    struct sharc_store_batch *b = SHARC_NEW(struct sharc_store_batch);
    b->store = s;
    b->urls = sharc_intern_new();
    sharc_arena_init(&b->texts, SIZE_MAX / 2);
    sharc_buf_init(&b->scratch, 256u << 20);
    b->page_at = new_map();
    b->look_at = new_map();
    b->grade_at = new_map();
    b->place_at = new_map();
    b->skip_at = new_map();
    b->rate_at = new_map();
    b->pattern_at = new_map();
    b->note_at = new_map();
    b->watch_look_at = new_map();
    b->watched_at = new_map();
    *ret = b;
}

void sharc_store_batch_free(struct sharc_store_batch *b)
{
    if (!b) return;
    if (b->begun) (void)sharc_store_batch_settle(b, NULL); /* done(arg) may still run when it is no longer under way */
    sharc_intern_free(b->urls);
    sharc_arena_done(&b->texts);
    sharc_buf_done(&b->scratch);
    free(b->pages.items);
    free(b->looks.items);
    free(b->links.items);
    free(b->grades.items);
    free(b->places.items);
    free(b->skipped.items);
    free(b->journal.items);
    free(b->rates.items);
    free(b->patterns.items);
    free(b->watched.items);
    free(b->watch_looks.items);
    free(b->notes.items);
    free(b->warcs.items);
    free(b->captures.items);
    sharc_map128_free(b->page_at);
    sharc_map128_free(b->look_at);
    sharc_map128_free(b->grade_at);
    sharc_map128_free(b->place_at);
    sharc_map128_free(b->skip_at);
    sharc_map128_free(b->rate_at);
    sharc_map128_free(b->pattern_at);
    sharc_map128_free(b->note_at);
    sharc_map128_free(b->watch_look_at);
    sharc_map128_free(b->watched_at);
    free(b);
}

void sharc_store_batch_freep(struct sharc_store_batch **b)
{
    sharc_store_batch_free(*b);
    *b = NULL;
}

/* What one large batch took is not kept for all that follow. */
#define SHED(list)                                            \
    do {                                                      \
        if ((list).room * sizeof *(list).items > ROOM_KEPT) { \
            free((list).items);                               \
            (list).items = NULL;                              \
            (list).room = 0;                                  \
        }                                                     \
        (list).count = 0;                                     \
    } while (0)

void sharc_store_batch_drop(struct sharc_store_batch *b)
{
    SHED(b->pages);
    SHED(b->links);
    SHED(b->skipped);
    SHED(b->journal);
    sharc_intern_free(b->urls);
    b->urls = sharc_intern_new();
    b->numbered = 0;
    sharc_arena_clear(&b->texts);
    b->looks.count = 0;
    b->rates.count = b->patterns.count = b->warcs.count = b->captures.count = 0;
    b->grades.count = b->places.count = 0;
    b->watched.count = b->watch_looks.count = b->notes.count = 0;
    sharc_map128_clear(b->page_at);
    sharc_map128_clear(b->look_at);
    sharc_map128_clear(b->grade_at);
    sharc_map128_clear(b->place_at);
    sharc_map128_clear(b->skip_at);
    sharc_map128_clear(b->rate_at);
    sharc_map128_clear(b->pattern_at);
    sharc_map128_clear(b->note_at);
    sharc_map128_clear(b->watch_look_at);
    sharc_map128_clear(b->watched_at);
}

size_t sharc_store_batch_rows(const struct sharc_store_batch *b)
{
    return b->pages.count + b->looks.count + b->skipped.count + b->rates.count + b->patterns.count + b->warcs.count +
           b->captures.count + b->journal.count + b->grades.count + b->places.count + b->watched.count +
           b->watch_looks.count + b->notes.count;
}

/* About; of that what is not given back when the batch is committed stays small. */
size_t sharc_store_batch_bytes(const struct sharc_store_batch *b)
{
    return b->texts.used + sharc_intern_bytes(b->urls) + b->links.count * sizeof *b->links.items +
           b->skipped.count * sizeof *b->skipped.items + b->pages.count * sizeof *b->pages.items;
}

bool sharc_store_batch_full(const struct sharc_store_batch *b)
{
    return sharc_store_batch_rows(b) >= ROWS_FULL ||
           b->texts.used + sharc_intern_bytes(b->urls) + b->links.count * sizeof *b->links.items >= BYTES_FULL;
}

/* --- copies ------------------------------------------------------------------------ */

/* Number of a URL in this batch; NO_URL for none. */
static int add_url(struct sharc_store_batch *b, struct sharc_span url, uint32_t *ret, struct sharc_err *reterr)
{
    *ret = NO_URL;
    if (!url.p || url.n == 0) return 0;
    SHARC_FAIL_IF(url.n > SHARC_LIMIT_URL, reterr, SHARC_ELIMIT,
                  "a URL of %zu bytes is longer than the limit of %u: %.*s…", url.n, SHARC_LIMIT_URL, 80, url.p);
    sharc_buf_clear(&b->scratch);
    *ret = sharc_intern_add(b->urls, sharc__store_clean(url, true, &b->scratch), NULL);
    return 0;
}

int sharc__store_need_url(struct sharc_store_batch *b, struct sharc_span url, uint32_t *ret, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!url.p || url.n == 0, reterr, SHARC_EINVAL, "a row of the catalogue needs a URL");
    return add_url(b, url, ret, reterr);
}

/* A copy of at most max bytes, cut between characters. */
static struct sharc_span copy_text(struct sharc_store_batch *b, struct sharc_span s, size_t max)
{
    if (!s.p) return SHARC_SPAN_NONE;
    sharc_buf_clear(&b->scratch);
    /* Cleaning can triple the length: cut before, so that it is bounded, and after. */
    s = sharc__store_clean(sharc_span_sub(s, 0, max), false, &b->scratch);
    if (s.n >= max) {
        s.n = max;
        while (s.n > 0 && sharc_utf8_check(s) != SHARC_NPOS) s.n--;
    }
    return sharc_arena_copy(&b->texts, s);
}

struct sharc_span sharc__store_copy_bytes(struct sharc_store_batch *b, struct sharc_span s)
{
    return s.p ? sharc_arena_copy(&b->texts, s) : SHARC_SPAN_NONE;
}

int sharc__store_check_capture(sharc_store_id capture, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(capture <= 0, reterr, SHARC_EINVAL, "a row of the catalogue needs a capture");
    return 0;
}

/* Row of the list with that key: an old one, or a new one at the end. */
size_t sharc__store_row_for(struct sharc_map128 *map, int64_t a, int64_t b, size_t count, bool *ret_new)
{
    sharc_store_id at = sharc_map128_get(map, a, b);
    *ret_new = at == 0;
    if (at) return (size_t)at - 1;
    sharc_map128_put(map, a, b, (sharc_store_id)count + 1);
    return count;
}

/* --- pages and looks ------------------------------------------------------------------ */

/* Latest first; equal ones count as later, so that repeating changes nothing. */
static bool not_older(const struct sharc_store_look *a, const struct sharc_store_look *b)
{
    if (a->when != b->when) return a->when > b->when;
    if (a->place.warc != b->place.warc) return a->place.warc > b->place.warc;
    return a->place.offset >= b->place.offset;
}

static int make_look(struct sharc_store_batch *b, const struct sharc_store_look *look, struct look_row *ret,
                     struct sharc_err *reterr)
{
    SHARC_FAIL_IF(look->when == SHARC_TIME_NONE, reterr, SHARC_EINVAL,
                  "a download in the catalogue needs the time it was made");
    ret->look = *look;
    ret->look.etag = copy_text(b, look->etag, SHARC_LIMIT_STORE_DETAIL);
    return 0;
}

static int add_links(struct sharc_store_batch *b, const struct sharc_store_link *links, size_t n, struct linked *ret,
                     struct sharc_err *reterr)
{
    *ret = (struct linked){.known = true, .at = b->links.count, .n = n};
    SHARC_GROW(b->links.items, b->links.room, b->links.count + n);
    for (size_t i = 0; i < n; i++) {
        struct link_row l = {.kind = links[i].kind};
        SHARC_FAIL_IF(l.kind > 15, reterr, SHARC_EINVAL, "a kind of link must be below 16, not %u", l.kind);
        int r = sharc__store_need_url(b, links[i].url, &l.url, reterr);
        if (r < 0) return r;
        b->links.items[b->links.count++] = l;
    }
    return 0;
}

static int fill_page(struct sharc_store_batch *b, const struct sharc_store_page *p, struct page_row *row,
                     struct sharc_err *reterr)
{
    row->hops = p->hops;
    row->hopeless = p->hopeless;
    row->record = (uint8_t)p->record;
    row->planned_rate = p->planned_rate;
    row->weight = p->weight;
    row->body = p->body;
    row->mime = copy_text(b, p->mime, SHARC_LIMIT_STORE_SHORT);
    row->title = copy_text(b, p->title, SHARC_LIMIT_STORE_TITLE);
    row->minhash = sharc__store_copy_bytes(b, p->minhash);
    row->stated = p->stated;
    row->words = p->words;
    row->images = p->images;
    row->tables = p->tables;
    row->out_links = p->out_links;
    const bool linked = p->has_links || p->n_links > 0;
    row->has_content = row->title.p || row->minhash.p || p->stated != SHARC_TIME_NONE || p->words >= 0 ||
                       p->images >= 0 || p->tables >= 0 || p->out_links >= 0 || linked;
    int r = add_url(b, p->parent, &row->parent, reterr);
    if (r == 0) r = add_url(b, p->redirect, &row->redirect, reterr);
    return r < 0 || !linked ? r : add_links(b, p->links, p->n_links, &row->visit.links, reterr);
}

int sharc_store_batch_page(struct sharc_store_batch *b, const struct sharc_store_page *p, struct sharc_err *reterr)
{
    struct page_row row = {.visit = {.capture = p->capture, .kind = SHARC_LOOK_VISIT}};
    int r = sharc__store_check_capture(p->capture, reterr);
    if (r == 0) r = sharc__store_need_url(b, p->url, &row.visit.url, reterr);
    if (r == 0) r = make_look(b, &p->visit, &row.visit, reterr);
    if (r < 0) return r;
    sharc_store_id at = sharc_map128_get(b->page_at, row.visit.url, p->capture);
    if (at && !not_older(&row.visit.look, &b->pages.items[at - 1].visit.look)) return 0;
    r = fill_page(b, p, &row, reterr);
    if (r < 0) return r;
    bool fresh;
    size_t i = sharc__store_row_for(b->page_at, row.visit.url, p->capture, b->pages.count, &fresh);
    SHARC_GROW(b->pages.items, b->pages.room, i + 1);
    if (fresh) b->pages.count++;
    b->pages.items[i] = row;
    return 0;
}

int sharc_store_batch_look(struct sharc_store_batch *b, sharc_store_id capture, struct sharc_span url,
                           enum sharc_look_kind kind, const struct sharc_store_look *look, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(kind != SHARC_LOOK_SECOND && kind != SHARC_LOOK_REVISIT, reterr, SHARC_EINVAL,
                  "a visit is written with its page, only second looks and revisits by themselves");
    SHARC_FAIL_IF(look->has_links && kind != SHARC_LOOK_SECOND, reterr, SHARC_EINVAL,
                  "the links of a revisit are not kept");
    struct look_row row = {.capture = capture, .kind = (uint8_t)kind};
    int r = sharc__store_check_capture(capture, reterr);
    if (r == 0) r = sharc__store_need_url(b, url, &row.url, reterr);
    if (r == 0) r = make_look(b, look, &row, reterr);
    if (r < 0) return r;
    bool fresh;
    size_t i = sharc__store_row_for(b->look_at, row.url, capture * 4 + (int)kind, b->looks.count, &fresh);
    if (!fresh && !not_older(&row.look, &b->looks.items[i].look)) return 0;
    if (look->has_links)
        r = add_links(b, look->links, look->n_links, &row.links, reterr);
    else if (!fresh)
        row.links = b->looks.items[i].links;
    SHARC_GROW(b->looks.items, b->looks.room, i + 1);
    if (fresh) b->looks.count++;
    b->looks.items[i] = row;
    return r;
}

/* --- the smaller ones --------------------------------------------------------------------- */

int sharc_store_batch_skipped(struct sharc_store_batch *b, sharc_store_id capture, struct sharc_span url,
                              struct sharc_span reason, struct sharc_span detail, struct sharc_err *reterr)
{
    struct skip_row row = {.capture = capture};
    SHARC_FAIL_IF(!reason.p || reason.n == 0, reterr, SHARC_EINVAL, "a skipped URL needs a reason");
    int r = sharc__store_check_capture(capture, reterr);
    if (r == 0) r = sharc__store_need_url(b, url, &row.url, reterr);
    if (r < 0) return r;
    row.reason = copy_text(b, reason, SHARC_LIMIT_STORE_SHORT);
    row.detail = copy_text(b, detail, SHARC_LIMIT_STORE_DETAIL);
    bool fresh;
    int64_t which = (int64_t)sharc_fingerprint(row.reason, (uint64_t)capture);
    size_t i = sharc__store_row_for(b->skip_at, row.url, which, b->skipped.count, &fresh);
    SHARC_GROW(b->skipped.items, b->skipped.room, i + 1);
    if (fresh) b->skipped.count++;
    b->skipped.items[i] = row;
    return 0;
}

int sharc_store_batch_grade(struct sharc_store_batch *b, sharc_store_id capture, struct sharc_span url,
                            const struct sharc_store_grade *g, struct sharc_err *reterr)
{
    struct grade_row row = {.capture = capture, .grade = *g};
    int r = sharc__store_check_capture(capture, reterr);
    if (r == 0) r = sharc__store_need_url(b, url, &row.url, reterr);
    if (r < 0) return r;
    row.grade.detail = copy_text(b, g->detail, SHARC_LIMIT_STORE_DETAIL);
    bool fresh;
    size_t i = sharc__store_row_for(b->grade_at, row.url, capture, b->grades.count, &fresh);
    SHARC_GROW(b->grades.items, b->grades.room, i + 1);
    if (fresh) b->grades.count++;
    b->grades.items[i] = row;
    return 0;
}

int sharc_store_batch_place(struct sharc_store_batch *b, const struct sharc_store_volatile *p, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(p->site <= 0, reterr, SHARC_EINVAL, "a volatile place needs the site that has it");
    SHARC_FAIL_IF(!p->kind.p, reterr, SHARC_EINVAL, "a volatile place needs its kind");
    struct sharc_store_volatile row = *p;
    row.kind = copy_text(b, p->kind, SHARC_LIMIT_STORE_SHORT);
    row.text = copy_text(b, p->text, SHARC_LIMIT_STORE_DETAIL);
    bool fresh;
    size_t i = sharc__store_row_for(b->place_at, (int64_t)p->signature, p->site, b->places.count, &fresh);
    SHARC_GROW(b->places.items, b->places.room, i + 1);
    if (fresh) b->places.count++;
    b->places.items[i] = row;
    return 0;
}

int sharc_store_batch_journal(struct sharc_store_batch *b, sharc_store_id capture, uint32_t seq,
                              struct sharc_span bytes, struct sharc_err *reterr)
{
    int r = sharc__store_check_capture(capture, reterr);
    if (r < 0) return r;
    SHARC_GROW(b->journal.items, b->journal.room, b->journal.count + 1);
    b->journal.items[b->journal.count++] = (struct journal_row){capture, seq, sharc__store_copy_bytes(b, bytes)};
    return 0;
}

int sharc_store_batch_rate(struct sharc_store_batch *b, const struct sharc_store_rate *rate, struct sharc_err *reterr)
{
    struct rate_row row = {.rate = *rate};
    SHARC_FAIL_IF(!isfinite(rate->value), reterr, SHARC_EINVAL, "a change rate must be a number");
    SHARC_FAIL_IF(!rate->source.p, reterr, SHARC_EINVAL, "a change rate needs a source");
    int r = sharc__store_need_url(b, rate->url, &row.url, reterr);
    if (r < 0) return r;
    row.rate.url = SHARC_SPAN_NONE;
    row.rate.source = copy_text(b, rate->source, SHARC_LIMIT_STORE_SHORT);
    bool fresh;
    int64_t which = (int64_t)sharc_fingerprint(row.rate.source, 0);
    size_t i = sharc__store_row_for(b->rate_at, row.url, which, b->rates.count, &fresh);
    SHARC_GROW(b->rates.items, b->rates.room, i + 1);
    if (fresh) b->rates.count++;
    b->rates.items[i] = row;
    return 0;
}

int sharc_store_batch_pattern(struct sharc_store_batch *b, struct sharc_span url, struct sharc_span data, int64_t group,
                              sharc_time when, struct sharc_err *reterr)
{
    struct pattern_row row = {.group = group, .when = when};
    SHARC_FAIL_IF(!data.p, reterr, SHARC_EINVAL, "a change pattern needs its bytes");
    int r = sharc__store_need_url(b, url, &row.url, reterr);
    if (r < 0) return r;
    row.data = sharc__store_copy_bytes(b, data);
    bool fresh;
    size_t i = sharc__store_row_for(b->pattern_at, row.url, 0, b->patterns.count, &fresh);
    SHARC_GROW(b->patterns.items, b->patterns.room, i + 1);
    if (fresh) b->patterns.count++;
    b->patterns.items[i] = row;
    return 0;
}

int sharc_store_batch_warc(struct sharc_store_batch *b, const struct sharc_store_warc *w, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(w->id <= 0, reterr, SHARC_EINVAL, "progress of a WARC file needs the file's number");
    size_t i = 0;
    while (i < b->warcs.count && b->warcs.items[i].id != w->id) i++;
    SHARC_GROW(b->warcs.items, b->warcs.room, i + 1);
    /* Progress is told after every record: keep the copied digest when it is told again. */
    struct sharc_span digest = w->digest.p ? copy_text(b, w->digest, SHARC_LIMIT_STORE_SHORT) : SHARC_SPAN_NONE;
    if (i == b->warcs.count)
        b->warcs.count++;
    else if (!digest.p)
        digest = b->warcs.items[i].digest;
    b->warcs.items[i] = *w;
    b->warcs.items[i].name = SHARC_SPAN_NONE;
    b->warcs.items[i].digest = digest;
    return 0;
}

int sharc_store_batch_capture(struct sharc_store_batch *b, const struct sharc_store_capture *c,
                              struct sharc_err *reterr)
{
    int r = sharc__store_check_capture(c->id, reterr);
    if (r < 0) return r;
    struct sharc_store_capture copy = *c;
    copy.site_name = SHARC_SPAN_NONE;
    copy.key = SHARC_SPAN_NONE;
    copy.strategy = copy_text(b, c->strategy, SHARC_LIMIT_STORE_SHORT);
    copy.purpose = copy_text(b, c->purpose, SHARC_LIMIT_STORE_SHORT);
    copy.source = copy_text(b, c->source, SHARC_LIMIT_STORE_DETAIL);
    copy.params = copy_text(b, c->params, SHARC_LIMIT_JSON_BYTES);
    SHARC_GROW(b->captures.items, b->captures.room, b->captures.count + 1);
    b->captures.items[b->captures.count++] = copy;
    return 0;
}
