/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages with all that they embed: styles, scripts, images, and what these embed. The crawler's word for such a whole
 * follows from the grades of the parts as docs/evidence.md has it; the site's log says which part was edited.
 */
#include "verdict_int.h"

#include "sharc/base_order.h"
#include "sharc/store_query.h"

#include <stdlib.h>

enum { LINK_EMBED = 1 }; /* SHARC_LINK_EMBED of extract, which this room may not include */

struct edge {
    sharc_store_id from, to;
};

/* Parts by URL, and which of them the walk has met. */
struct walk {
    const struct lab_wholes *w;
    struct edge *edges;
    size_t edge_count, edge_room;
    uint32_t *met, *queue; /* part: the last page whose whole it is in, plus one */
};

void sharc__lab_wholes_part(struct lab_wholes *w, const struct lab_part *part)
{
    SHARC_GROW(w->parts, w->room, w->count + 1);
    w->parts[w->count++] = *part;
}

void sharc__lab_wholes_done(struct lab_wholes *w)
{
    free(w->parts);
}

static int by_url(const void *a, const void *b)
{
    const struct lab_part *x = a, *y = b;
    return (x->url > y->url) - (x->url < y->url);
}

static int by_source(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Index of the part, or SIZE_MAX: it was not captured. */
static size_t find_part(const struct lab_wholes *w, sharc_store_id url)
{
    struct lab_part key = {.url = url};
    const struct lab_part *p = w->count ? bsearch(&key, w->parts, w->count, sizeof *w->parts, by_url) : NULL;
    return p ? (size_t)(p - w->parts) : SIZE_MAX;
}

static size_t first_edge(const struct walk *k, sharc_store_id from)
{
    return SHARC_COUNT_WHILE(i, k->edge_count, k->edges[i].from < from);
}

static int read_edges(struct walk *k, struct sharc_store *s, sharc_store_id capture, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_link_filter f = {.capture = capture, .kinds = 1u << LINK_EMBED};
    int r = sharc_store_links(s, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_edge e;
        sharc_store_read_edge(rows, &e);
        SHARC_GROW(k->edges, k->edge_room, k->edge_count + 1);
        k->edges[k->edge_count++] = (struct edge){e.from, e.to};
    }
    if (k->edge_count > 1) qsort(k->edges, k->edge_count, sizeof *k->edges, by_source);
    return r < 0 ? r : 0;
}

/* What the parts of one page add up to. */
struct whole {
    bool proved, certain, edited, by_part;
    uint8_t cause;
    const char *why;
    size_t parts;
};

static void take_part(struct whole *w, const struct lab_part *p)
{
    if (!p->certain) w->certain = false;
    if (p->edited && !w->edited) {
        w->cause = p->cause;
        w->by_part = w->parts > 0;
    }
    w->edited |= p->edited;
    if (!p->proved && w->proved) w->why = p->why;
    w->proved &= p->proved;
    w->parts++;
}

static struct whole whole_of(struct walk *k, uint32_t root)
{
    struct whole w = {.proved = true, .certain = true, .why = ""};
    uint32_t n = 0;
    k->queue[n++] = root;
    k->met[root] = root + 1;
    for (uint32_t i = 0; i < n; i++) {
        const struct lab_part *p = &k->w->parts[k->queue[i]];
        take_part(&w, p);
        for (size_t e = first_edge(k, p->url); e < k->edge_count && k->edges[e].from == p->url; e++) {
            size_t to = find_part(k->w, k->edges[e].to);
            if (to == SIZE_MAX) { /* nobody knows what a reader saw in its place */
                if (w.proved) w.why = "a part was not captured";
                w.proved = false;
            } else if (k->met[to] != root + 1) {
                k->met[to] = root + 1;
                k->queue[n++] = (uint32_t)to;
            }
        }
    }
    return w;
}

static void count_whole(struct sharc_lab_wholes *ret, const struct whole *w, uint32_t noise)
{
    if (!w->certain) {
        ret->uncertain++;
        return;
    }
    ret->pages++;
    ret->parts += w->parts - 1;
    ret->edited += w->edited;
    ret->by_part += w->edited && w->by_part;
    ret->proved += w->proved;
    if (w->proved && w->edited) ret->false_proofs[w->cause]++;
    if (w->proved || w->edited) return;
    sharc__lab_note_alarm(&ret->alarm, &ret->alarm_count, &ret->alarm_room, noise, w->why);
    ret->alarms++;
}

int sharc__lab_wholes_judge(struct lab_wholes *w, struct sharc_store *s, sharc_store_id capture,
                            struct sharc_lab_wholes *ret, struct sharc_err *reterr)
{
    if (w->count > 1) qsort(w->parts, w->count, sizeof *w->parts, by_url);
    struct walk k = {.w = w, .met = SHARC_NEW_ARRAY(uint32_t, w->count), .queue = SHARC_NEW_ARRAY(uint32_t, w->count)};
    int r = read_edges(&k, s, capture, reterr);
    for (uint32_t i = 0; r == 0 && i < w->count; i++) {
        if (!w->parts[i].page) continue;
        struct whole one = whole_of(&k, i);
        count_whole(ret, &one, w->parts[i].noise);
    }
    if (ret->alarm_count > 1) qsort(ret->alarm, ret->alarm_count, sizeof *ret->alarm, sharc__lab_by_count);
    free(k.edges);
    free(k.met);
    free(k.queue);
    return r;
}

size_t sharc_lab_false_wholes(const struct sharc_lab_evidence *e)
{
    size_t n = 0;
    for (size_t i = 0; i < SHARC_LAB_CAUSES; i++) n += e->wholes.false_proofs[i];
    return n;
}
