/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages with everything they embed: the parts of each page, found through styles, frames
 * and redirects, and both judgements of them.
 */
#include "assess_int.h"

#include "sharc/base_order.h"

#include <stdlib.h>

/* The parts of one page, the root first. */
struct weight {
    float is, most; /* no more than the frame that it stands in */
};

struct parts {
    uint32_t *rows; /* what is shown of each */
    struct weight *weights;
    struct sharc_part *known;
    size_t count, room, weights_room, known_room;
    uint64_t missing;
    double missing_weight;
    bool cut;
};

static void parts_done(struct parts *p)
{
    free(p->rows);
    free(p->weights);
    free(p->known);
}

/* --- which parts ------------------------------------------------------------------------------- */

static bool is_shown(const struct sharc_assess *a, size_t i)
{
    return (a->rows[i].flags & ROW_SHOWN) && a->rows[i].kind == SHARC_LOOK_VISIT;
}

/* The capture's own version, else the nearest that can be shown. */
static size_t choose(const struct sharc_assess *a, uint32_t url, uint32_t capture, sharc_time at)
{
    const struct url *u = &a->urls[url];
    size_t best = SIZE_MAX, end = (size_t)u->first + u->count;
    sharc_time least = INT64_MAX;
    for (size_t i = u->first; i < end; i++) {
        if (!is_shown(a, i)) continue;
        if (a->rows[i].capture == capture) return i;
        sharc_time distance = a->seen[i].begun > at ? a->seen[i].begun - at : at - a->seen[i].begun;
        if (distance >= least) continue;
        least = distance;
        best = i;
    }
    return best;
}

static void add_part(struct parts *p, uint32_t row)
{
    SHARC_GROW(p->rows, p->room, p->count + 1);
    SHARC_GROW(p->weights, p->weights_room, p->count + 1);
    p->weights[p->count] = (struct weight){0, 1};
    p->rows[p->count++] = row;
}

/* Parts from `first` on are steps to one thing, and each weighs as that. */
static void weigh(struct parts *p, size_t first, float weight, float most, bool missing)
{
    float is = weight < most ? weight : most;
    for (size_t i = first; i < p->count; i++) p->weights[i] = (struct weight){is, most};
    if (missing) p->missing_weight += (double)is;
}

/* A URL that the page needs, once; where it redirects to is needed too. A chain that comes back to itself, or to
 * something that is not archived, ends at nothing. */
static void need(struct sharc_assess *a, struct parts *p, uint32_t url, float most)
{
    enum { MOST_REDIRECTS = 20 };
    uint32_t chain[MOST_REDIRECTS];
    const struct row *root = &a->rows[p->rows[0]];
    sharc_time at = a->seen[p->rows[0]].begun;
    size_t first = p->count;
    for (size_t n = 0; a->urls[url].stamp != a->stamp; n++) {
        a->urls[url].stamp = a->stamp;
        if (p->count >= SHARC__ASSESS_MOST_PARTS) {
            p->cut = true;
            return;
        }
        size_t i = n < MOST_REDIRECTS ? choose(a, url, root->capture, at) : SIZE_MAX;
        if (i == SIZE_MAX) {
            p->missing++;
            weigh(p, first, a->urls[url].part_weight, most, true);
            return;
        }
        add_part(p, (uint32_t)i);
        weigh(p, first, a->rows[i].part_weight, most, false);
        if (!sharc_change_is_redirect(a->rows[i].status)) return;
        chain[n] = url;
        url = a->rows[i].redirect;
        for (size_t k = 0; k <= n; k++)
            if (chain[k] == url) {
                p->missing++;
                weigh(p, first, a->rows[i].part_weight, most, true);
            }
    }
}

static void find_parts(struct sharc_assess *a, size_t root, struct parts *p)
{
    p->count = 0;
    p->missing = 0;
    p->missing_weight = 0;
    p->cut = false;
    a->stamp++;
    add_part(p, (uint32_t)root);
    a->urls[a->rows[root].url].stamp = a->stamp;
    for (size_t i = 0; i < p->count; i++) {
        const struct row *row = &a->rows[p->rows[i]];
        bool frame = i > 0 && (row->flags & ROW_HTML);
        float most = frame ? p->weights[i].is : p->weights[i].most;
        for (uint32_t k = 0; k < row->embeds_n; k++) need(a, p, a->embeds[row->embeds_at + k], most);
    }
}

/* --- both judgements ------------------------------------------------------------------------------ */

struct judged {
    enum sharc_memento_state memento;
    struct sharc_composite composite;
    struct sharc_assess_weights weights;
    sharc_time spread;
};

static void judge_page(struct sharc_assess *a, struct parts *p, struct judged *ret,
                       struct sharc_assess_composites *sums)
{
    struct sharc_sighting root = a->seen[p->rows[0]];
    sharc_time first = root.begun, last = first;
    ret->memento = SHARC_MEMENTO_COHERENT;
    SHARC_GROW(p->known, p->known_room, p->count);
    for (size_t i = 0; i < p->count; i++) {
        size_t row = p->rows[i];
        const struct sharc_sighting *s = &a->seen[row];
        const struct sharc_known *k = sharc__assess_known_near(a, row, root.begun);
        p->known[i] = (struct sharc_part){.known = *k, .rate = sharc__assess_rate(a, row, NULL)};
        if (s->begun < first) first = s->begun;
        if (s->begun > last) last = s->begun;
        if (i == 0) continue;
        enum sharc_memento_pattern pattern = sharc_quality_pattern_of(k, s, root.begun, root.ended);
        enum sharc_memento_state state = sharc_memento_state_of(pattern);
        if (state > ret->memento) ret->memento = state;
        if (sums) sums->patterns[pattern]++;
    }
    ret->spread = last - first;
    sharc_quality_composite(p->known, p->count, &ret->composite);
    double all = p->missing_weight, probability;
    for (size_t i = 1; i < p->count; i++) all += (double)p->weights[i].is;
    ret->weights = (struct sharc_assess_weights){.weighed = all > 0, .missing = all > 0 ? p->missing_weight / all : 0};
    for (size_t i = 1; i < p->count; i++) {
        sharc_time at = ret->composite.from;
        enum sharc_part_reason reason = sharc_quality_part(&p->known[i], at, at, &probability);
        ret->weights.states[sharc_part_state_of(reason)] += (double)p->weights[i].is / all;
        if (sums) sums->reasons[reason]++;
    }
}

static bool is_root(const struct sharc_assess *a, size_t i)
{
    const struct row *row = &a->rows[i];
    return is_shown(a, i) && (row->flags & ROW_HTML) && row->digest;
}

/* --- a capture -------------------------------------------------------------------------------------- */

static void count_page(struct sharc_assess_composites *c, const struct parts *p, const struct judged *j)
{
    bool whole = p->missing == 0 && !p->cut;
    c->pages++;
    c->parts += p->count - 1 + p->missing;
    c->missing += p->missing;
    c->incomplete += !whole;
    c->alone += p->count == 1;
    c->cut += p->cut;
    c->memento[j->memento]++;
    c->memento_whole[j->memento] += whole;
    c->state[j->composite.state]++;
    c->state_whole[j->composite.state] += whole;
    c->weights.weighed += j->weights.weighed;
    c->weights.missing += j->weights.missing;
    for (int i = 0; i < SHARC_PART_STATE_COUNT; i++) c->weights.states[i] += j->weights.states[i];
    if (isnan(j->composite.probability))
        c->unknown++;
    else
        c->expected += j->composite.probability;
}

static void quantiles(sharc_time *values, size_t n, sharc_time ret[4])
{
    static const double at[4] = {0, 0.5, 0.9, 1};
    if (n == 0) return;
    qsort(values, n, sizeof *values, sharc_order_i64);
    for (int i = 0; i < 4; i++) ret[i] = sharc_quality_quantile(values, n, at[i]);
}

/* --- whole pages by their grades ------------------------------------------------------------------ */

/* False: it was not captured, or is no page of the capture. */
static bool take_part(struct sharc_assess *a, struct parts *p, uint32_t url, uint32_t capture)
{
    if (a->urls[url].stamp == a->stamp) return true;
    a->urls[url].stamp = a->stamp;
    size_t i = sharc__assess_visit(a, url, capture);
    if (i == SIZE_MAX || a->rows[i].reason == SHARC_GRADED_NOT_GRADED) return false;
    add_part(p, (uint32_t)i);
    return true;
}

/* The grade of a whole is the worst of its parts; what was not captured spoils it: as the crawler and the certificate
 * have it. */
static bool is_whole(struct sharc_assess *a, size_t root, struct parts *p)
{
    p->count = 0;
    a->stamp++;
    add_part(p, (uint32_t)root);
    a->urls[a->rows[root].url].stamp = a->stamp;
    for (size_t i = 0; i < p->count; i++) {
        const struct row *row = &a->rows[p->rows[i]];
        if (!(row->flags & ROW_TOGETHER)) return false;
        for (uint32_t k = 0; k < row->embeds_n; k++)
            if (!take_part(a, p, a->embeds[row->embeds_at + k], row->capture)) return false;
        if (i > 0 && row->redirect != SHARC_NO_ID && !take_part(a, p, row->redirect, row->capture)) return false;
    }
    return true;
}

static void count_whole(struct sharc_assess *a, const struct capture *c, struct parts *p,
                        struct sharc_assess_composites *ret)
{
    for (size_t k = 0; k < c->count; k++) {
        uint32_t i = a->by_capture[c->first + k];
        const struct row *row = &a->rows[i];
        bool content = (row->status >= 200 && row->status < 300) || row->status == 304;
        if (row->kind != SHARC_LOOK_VISIT || row->reason == SHARC_GRADED_NOT_GRADED || !content ||
            (row->flags & ROW_FOLLOWER))
            continue;
        ret->whole_of++;
        ret->whole += is_whole(a, i, p);
    }
}

void sharc__assess_composites(struct sharc_assess *a, uint32_t capture, struct sharc_assess_composites *ret)
{
    SHARC_AUTO(parts_done) struct parts p = {0};
    const struct capture *c = &a->captures[capture];
    SHARC_AUTO(sharc_freep) sharc_time *spread = SHARC_NEW_ARRAY(sharc_time, c->count + 1);
    SHARC_AUTO(sharc_freep) sharc_time *apart = SHARC_NEW_ARRAY(sharc_time, c->count + 1);
    *ret = (struct sharc_assess_composites){.known = true};
    for (size_t k = 0; k < c->count; k++) {
        uint32_t i = a->by_capture[c->first + k];
        if (!is_root(a, i)) continue;
        struct judged j;
        find_parts(a, i, &p);
        judge_page(a, &p, &j, ret);
        spread[ret->pages] = j.spread;
        apart[ret->pages] = j.composite.apart;
        count_page(ret, &p, &j);
    }
    count_whole(a, c, &p, ret);
    quantiles(spread, ret->pages, ret->spread);
    quantiles(apart, ret->pages, ret->apart);
    struct sharc_assess_weights *w = &ret->weights;
    if (!w->weighed) return;
    w->missing /= (double)w->weighed;
    for (int i = 0; i < SHARC_PART_STATE_COUNT; i++) w->states[i] /= (double)w->weighed;
}

/* --- one by one ---------------------------------------------------------------------------------------- */

/* Texts of URLs arrive in any order. */
struct names {
    struct sharc_map64 at; /* number to index + 1 */
    struct sharc_intern *texts;
    uint32_t *text_of;
};

static void take_name(void *arg, sharc_store_id url, struct sharc_span text)
{
    struct names *n = arg;
    const uint64_t *at = sharc_map64_find(&n->at, (uint64_t)url);
    if (at) n->text_of[*at - 1] = sharc_intern_add(n->texts, text, NULL);
}

struct named {
    const struct names *names;
};

static int by_name(const void *x, const void *y, void *arg)
{
    const struct named *n = arg;
    const struct names *names = n->names;
    uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
    return sharc_span_cmp(sharc_intern_text(names->texts, names->text_of[i]),
                          sharc_intern_text(names->texts, names->text_of[k]));
}

static int tell_pages(struct sharc_assess *a, const struct names *names, const uint32_t *roots, const uint32_t *order,
                      size_t n, sharc_assess_page_fn *fn, void *arg, struct sharc_err *reterr)
{
    SHARC_AUTO(parts_done) struct parts p = {0};
    int r = 0;
    for (size_t i = 0; r >= 0 && i < n; i++) {
        struct judged j;
        find_parts(a, roots[order[i]], &p);
        judge_page(a, &p, &j, NULL);
        r = fn(arg,
               &(struct sharc_assess_page){.url = sharc_intern_text(names->texts, names->text_of[order[i]]),
                                           .when = a->seen[roots[order[i]]].begun,
                                           .parts = p.count + p.missing,
                                           .missing = p.missing,
                                           .memento = j.memento,
                                           .composite = j.composite,
                                           .weights = j.weights,
                                           .spread = j.spread},
               reterr);
    }
    return r;
}

int sharc_assess_pages(struct sharc_assess *a, size_t i, sharc_assess_page_fn *fn, void *arg, struct sharc_err *reterr)
{
    const struct capture *c = &a->captures[a->asked[i]];
    SHARC_AUTO(sharc_freep) uint32_t *roots = SHARC_NEW_ARRAY(uint32_t, c->count + 1);
    SHARC_AUTO(sharc_freep) uint32_t *order = SHARC_NEW_ARRAY(uint32_t, c->count + 1);
    SHARC_AUTO(sharc_freep) uint32_t *text_of = SHARC_NEW_ARRAY(uint32_t, c->count + 1);
    SHARC_AUTO(sharc_freep) sharc_store_id *ids = SHARC_NEW_ARRAY(sharc_store_id, c->count + 1);
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *texts = sharc_intern_new();
    struct names names = {.texts = texts, .text_of = text_of};
    struct named named = {&names};
    size_t n = 0;
    sharc_intern_add(texts, SHARC_SPAN(""), NULL);
    sharc_map64_init(&names.at);
    for (size_t k = 0; k < c->count; k++) {
        uint32_t row = a->by_capture[c->first + k];
        if (!is_root(a, row)) continue;
        ids[n] = a->urls[a->rows[row].url].id;
        *sharc_map64_at(&names.at, (uint64_t)ids[n]) = n + 1;
        order[n] = (uint32_t)n;
        roots[n++] = row;
    }
    int r = sharc_store_url_texts(a->store, ids, n, take_name, &names, reterr);
    sharc_map64_done(&names.at);
    if (r < 0) return r;
    qsort_r(order, n, sizeof *order, by_name, &named);
    return tell_pages(a, &names, roots, order, n, fn, arg, reterr);
}
