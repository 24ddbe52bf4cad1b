/* SPDX-License-Identifier: Apache-2.0
 *
 * What was there at T: for every page the version that answers, and what is known of it.
 */
#include "assess_int.h"

#include <stdlib.h>

struct asking {
    struct sharc_assess *a;
    sharc_time at;
    enum sharc_assess_by by;
    struct sharc_intern *names;
    struct sharc_assess_answer *answers;
    size_t room;
    sharc_store_id *ids; /* of the URLs that answer, */
    uint32_t *rows;      /* and the rows that do */
    size_t count;
    struct sharc_map64 index;
};

/* "http://host/folder/" of a URL: a page in the root stands for the host. */
static struct sharc_span subsite_of(struct sharc_span url)
{
    size_t host = sharc_span_search(url, SHARC_SPAN("://"));
    if (host == SHARC_NPOS) return url;
    size_t path = sharc_span_find(url, '/', host + 3);
    if (path >= url.n) return url;
    size_t end = sharc_span_find(url, '/', path + 1), query = sharc_span_find(url, '?', path + 1);
    return sharc_span_sub(url, 0, end < url.n && end < query ? end + 1 : path + 1);
}

static struct sharc_span name_of(const struct asking *q, size_t row, struct sharc_span url)
{
    switch (q->by) {
    case SHARC_ASSESS_BY_PAGE: return url;
    case SHARC_ASSESS_BY_SUBSITE: return subsite_of(url);
    case SHARC_ASSESS_BY_MIME: {
        struct sharc_span mime = sharc_intern_text(q->a->mimes, q->a->rows[row].mime);
        return mime.n ? mime : SHARC_SPAN("unknown");
    }
    case SHARC_ASSESS_BY_ALL: break;
    }
    return SHARC_SPAN("");
}

static void add_answer(struct asking *q, size_t row, struct sharc_span url)
{
    struct sharc_assess *a = q->a;
    bool fresh;
    uint32_t n = sharc_intern_add(q->names, name_of(q, row, url), &fresh);
    if (fresh) {
        SHARC_GROW(q->answers, q->room, (size_t)n + 1);
        q->answers[n] = (struct sharc_assess_answer){.name = sharc_intern_text(q->names, n)};
    }
    struct sharc_assess_answer *x = &q->answers[n];
    struct sharc_part part = {.known = *sharc__assess_known_near(a, row, q->at),
                              .rate = sharc__assess_rate(a, row, NULL)};
    x->pages++;
    x->capture = a->captures[a->rows[row].capture].id;
    x->when = a->seen[row].begun;
    x->status = a->rows[row].status;
    x->known = part.known;
    x->reason = sharc_quality_part(&part, q->at, q->at, &x->probability);
    x->sums[sharc_part_state_of(x->reason)]++;
    if (isnan(x->probability))
        x->unknown++;
    else
        x->expected += x->probability;
}

static void take_text(void *arg, sharc_store_id url, struct sharc_span text)
{
    struct asking *q = arg;
    const uint64_t *at = sharc_map64_find(&q->index, (uint64_t)url);
    if (at) add_answer(q, q->rows[*at - 1], text);
}

/* URLs that one of the captures asked for has visited. */
static void choose_rows(struct asking *q)
{
    struct sharc_assess *a = q->a;
    for (size_t k = 0; k < a->url_count; k++) {
        const struct url *u = &a->urls[k];
        bool asked = false;
        for (size_t i = u->first; i < (size_t)u->first + u->count && !asked; i++)
            asked = a->captures[a->rows[i].capture].asked && a->rows[i].kind == SHARC_LOOK_VISIT;
        size_t at = asked ? sharc_quality_nearest_sighting(a->seen + u->first, u->count, q->at) : SIZE_MAX;
        if (at == SIZE_MAX) continue;
        q->ids[q->count] = u->id;
        q->rows[q->count++] = (uint32_t)(u->first + at);
    }
}

/* Answers are large, and there may be a million: their names are sorted. */
struct named {
    struct sharc_span name;
    size_t answer;
};

static int by_name(const void *x, const void *y)
{
    const struct named *a = x, *b = y;
    return sharc_span_cmp(a->name, b->name);
}

static int answer(struct asking *q, sharc_assess_answer_fn *fn, void *arg, struct sharc_err *reterr)
{
    int r = 0;
    choose_rows(q);
    if (q->by == SHARC_ASSESS_BY_PAGE || q->by == SHARC_ASSESS_BY_SUBSITE) {
        for (size_t i = 0; i < q->count; i++) *sharc_map64_at(&q->index, (uint64_t)q->ids[i]) = i + 1;
        r = sharc_store_url_texts(q->a->store, q->ids, q->count, take_text, q, reterr);
    } else {
        for (size_t i = 0; i < q->count; i++) add_answer(q, q->rows[i], SHARC_SPAN(""));
    }
    size_t n = sharc_intern_count(q->names);
    SHARC_AUTO(sharc_freep) struct named *order = SHARC_NEW_ARRAY(struct named, n);
    for (size_t i = 0; i < n; i++) order[i] = (struct named){q->answers[i].name, i};
    if (r >= 0 && n) qsort(order, n, sizeof *order, by_name);
    for (size_t i = 0; r >= 0 && i < n; i++) r = fn(arg, &q->answers[order[i].answer], reterr);
    return r;
}

int sharc_assess_at(struct sharc_assess *a, sharc_time at, enum sharc_assess_by by, sharc_assess_answer_fn *fn,
                    void *arg, struct sharc_err *reterr)
{
    struct asking q = {.a = a,
                       .at = at,
                       .by = by,
                       .names = sharc_intern_new(),
                       .ids = SHARC_NEW_ARRAY(sharc_store_id, a->url_count + 1),
                       .rows = SHARC_NEW_ARRAY(uint32_t, a->url_count + 1)};
    sharc_map64_init(&q.index);
    int r = answer(&q, fn, arg, reterr);
    sharc_map64_done(&q.index);
    sharc_intern_free(q.names);
    free(q.answers);
    free(q.ids);
    free(q.rows);
    return r;
}
