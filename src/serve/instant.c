/* SPDX-License-Identifier: Apache-2.0
 *
 * An instant near a time, at which as much as possible of a page is known to have existed together: the page, its
 * parts, and the pages that it links to. Near means: within a version of the page that stood just before or just
 * after that time. Of all instants at which the page is known the heaviest counts, of equally heavy ones the
 * nearest. A part that downloads prove weighs more than one by the server's word, and any part more than all links:
 * what is on the screen comes first.
 */
#include "coherence.h"

#include <stdlib.h>

enum { MOST_CANDIDATES = 3, MOST_LINKS = 60 };
enum { WEIGHT_LINK = 1, WEIGHT_WORD = MOST_LINKS + 1, WEIGHT_PROOF = 3 * WEIGHT_WORD }; /* a proof has both */

struct edge {
    sharc_time at;
    int64_t weight; /* negative: ends before `at` */
};

struct sweep {
    sharc_time from, to; /* instants that count */
    struct edge *edges;
    size_t count, room;
    int64_t total;
};

static void add_interval(struct sweep *s, sharc_time from, sharc_time to, int64_t weight)
{
    if (from < s->from) from = s->from;
    if (to > s->to) to = s->to;
    if (from > to) return;
    SHARC_GROW(s->edges, s->room, s->count + 2);
    s->edges[s->count++] = (struct edge){from, weight};
    s->edges[s->count++] = (struct edge){to + 1, -weight};
}

/* Every run of equal content of a URL, each once. */
static void add_runs(struct sweep *s, const struct serve_history *h, bool link)
{
    struct sharc_known last = {.seen_from = INT64_MIN};
    s->total += link ? WEIGHT_LINK : WEIGHT_PROOF + WEIGHT_WORD;
    for (size_t i = 0; i < h->count; i++) {
        struct sharc_known k;
        size_t n, first = sharc__serve_history_range(h, i, &n);
        if (!h->seen[i].body) continue;
        sharc_quality_known(h->seen + first, n, i - first, &k);
        if (k.seen_from == last.seen_from && k.seen_to == last.seen_to) continue;
        last = k;
        if (!link) add_interval(s, k.from, k.to, WEIGHT_WORD);
        add_interval(s, k.proven_from, k.proven_to, link ? WEIGHT_LINK : WEIGHT_PROOF);
    }
}

static int by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

struct instant {
    sharc_time at;
    double share; /* of all that could be known */
};

/* In whole milliseconds, which addresses have, if there is one between the two. */
static sharc_time whole(sharc_time t, sharc_time from, sharc_time to)
{
    sharc_time low = t - t % SHARC_MSEC;
    if (low >= from || low + SHARC_MSEC > to) return low;
    return low + SHARC_MSEC;
}

static void heaviest(struct sweep *s, sharc_time at, struct instant *ret)
{
    int64_t now = 0, best = -1;
    sharc_time distance = INT64_MAX;
    add_interval(s, s->from, s->to, 0);
    if (s->count) qsort(s->edges, s->count, sizeof *s->edges, by_time);
    for (size_t i = 0; i < s->count; i++) {
        now += s->edges[i].weight;
        if (i + 1 < s->count && s->edges[i + 1].at == s->edges[i].at) continue;
        sharc_time from = s->edges[i].at, to = i + 1 < s->count ? s->edges[i + 1].at - 1 : s->to;
        if (from > s->to) break;
        sharc_time t = at < from ? from : at > to ? to : at, d = t > at ? t - at : at - t;
        if (now < best || (now == best && d >= distance)) continue;
        best = now;
        distance = d;
        ret->at = whole(t, from, to);
    }
    ret->share = s->total > 0 ? (double)best / (double)s->total : 1;
}

/* --- one version of the page ----------------------------------------------------------------- */

struct linked {
    struct sharc_arena *arena;
    struct sharc_intern *urls;
};

static void note_link(void *arg, const struct serve_link *link)
{
    struct linked *l = arg;
    if (!link->embed && sharc_intern_count(l->urls) < MOST_LINKS) sharc_intern_add(l->urls, link->url, NULL);
}

static void add_links(const struct sharc_edition *e, struct sweep *s, struct sharc_span page, sharc_time at)
{
    SHARC_AUTO(sharc_found_freep) struct sharc_found *f = NULL;
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *urls = sharc_intern_new();
    struct linked l = {.urls = urls};
    bool scripts = false;
    if (sharc__serve_find_at(e, page, at, SHARC_COHERENT, &f, NULL) < 0) return;
    sharc__serve_links(f, /* style= */ false, note_link, &l, &scripts);
    for (uint32_t i = 0; i < sharc_intern_count(urls); i++) {
        SHARC_AUTO(sharc__serve_history_done) struct serve_history h = SERVE_HISTORY_INIT;
        if (sharc__serve_history(e, sharc_intern_text(urls, i), at, SERVE_LEAST_SIGHTS, &h, NULL) == 0 && h.count)
            add_runs(s, &h, true);
    }
}

static int weigh(const struct sharc_edition *e, struct sharc_span url, const struct serve_history *h, size_t i,
                 sharc_time at, struct instant *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__serve_coherence_done) struct serve_coherence k = {.count = 0};
    char digits[SHARC_TIME_TEXT];
    struct sharc_known known;
    sharc_time begun = h->seen[i].begun;
    const struct serve_address a = {.mapping = SHARC_SPAN("coherent"),
                                    .timestamp = sharc_span_of(sharc_time_compact(begun, 17, digits)),
                                    .url = url};
    int r = sharc__serve_parts(e, &a, &k, reterr);
    if (r < 0) return r;
    struct sweep s = {.from = begun, .to = begun};
    if (sharc__serve_history_known(h, i, at, &known) && known.proven_from <= known.proven_to) {
        s.from = known.proven_from;
        s.to = known.proven_to;
        add_interval(&s, s.from, s.to, WEIGHT_PROOF);
    }
    s.total = WEIGHT_PROOF;
    for (size_t p = 1; p < k.count; p++) add_runs(&s, &k.parts[p].history, false);
    add_links(e, &s, url, begun);
    if (h->sights[i].reference_from != SHARC_TIME_NONE)
        add_interval(&s, h->sights[i].reference_from, h->sights[i].reference_to, WEIGHT_LINK);
    heaviest(&s, at, ret);
    free(s.edges);
    return 0;
}

/* --- all of them ------------------------------------------------------------------------------- */

static sharc_time apart(sharc_time a, sharc_time b)
{
    return a > b ? a - b : b - a;
}

/* The sighting nearest to `at` that shows something which none of those before showed. */
static size_t next_candidate(const struct serve_history *h, sharc_time at, const size_t *before, size_t count)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < h->count; i++) {
        bool fresh = h->seen[i].body && !h->sights[i].unreadable;
        for (size_t k = 0; k < count; k++) fresh &= h->seen[before[k]].body != h->seen[i].body;
        if (fresh && (best == SIZE_MAX || apart(h->seen[i].begun, at) < apart(h->seen[best].begun, at))) best = i;
    }
    return best;
}

static int find_instant(const struct sharc_edition *e, struct sharc_span url, sharc_time at, sharc_time *ret,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__serve_history_done) struct serve_history h = SERVE_HISTORY_INIT;
    size_t tried[MOST_CANDIDATES], count = 0, i;
    struct instant best = {.at = at, .share = -1};
    int r = sharc__serve_history(e, url, at, SERVE_MOST_SIGHTS, &h, reterr);
    while (r == 0 && count < MOST_CANDIDATES && (i = next_candidate(&h, at, tried, count)) != SIZE_MAX) {
        struct instant one = {.share = -1};
        tried[count++] = i;
        r = weigh(e, url, &h, i, at, &one, reterr);
        if (r < 0) break;
        bool nearer = apart(one.at, at) < apart(best.at, at);
        if (best.share < 0 || one.share > best.share || (one.share >= best.share && nearer)) best = one;
    }
    if (r < 0) return r;
    SHARC_FAIL_IF(!count, reterr, SHARC_ENOENT, "there is no capture of it that shows something");
    *ret = best.at;
    return 0;
}

/* Without a time: the newest capture. */
static int wished_time(const struct sharc_edition *e, const struct serve_address *a, sharc_time *ret,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_found_freep) struct sharc_found *f = NULL;
    if (a->timestamp.n) return sharc_time_parse(a->timestamp, ret, reterr);
    int r = sharc_find(e, &(struct sharc_wish){.url = a->url}, &f, reterr);
    if (r == 0) *ret = f->when;
    return r;
}

int sharc__serve_settle_instant(const struct sharc_edition *e, struct serve_address *a, char digits[SHARC_TIME_TEXT],
                                struct sharc_err *reterr)
{
    sharc_time wish, instant = SHARC_TIME_NONE;
    if (!sharc_span_is(a->mapping, "coherent") || a->timestamp.n == 17) return 0;
    int r = wished_time(e, a, &wish, reterr);
    if (r == 0) r = find_instant(e, a->url, wish, &instant, reterr);
    if (r == 0) a->timestamp = sharc_span_of(sharc_time_compact(instant, 17, digits));
    return r;
}

bool sharc__serve_go_to_instant(struct serve_call *c, const struct serve_address *a, const char *prefix)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf to = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    struct serve_address settled = *a;
    char digits[SHARC_TIME_TEXT];
    if (sharc__serve_settle_instant(c->edition, &settled, digits, NULL) < 0 || settled.timestamp.p == a->timestamp.p)
        return false;
    SHARC_AUTO(sharc_freep) char *modifier = sharc_span_dup(a->modifier);
    sharc__serve_put_link(&to, &settled, digits, modifier, a->url);
    sharc__serve_redirect(c, 302, "%s%s", prefix, sharc_buf_str(&to));
    return true;
}
