/* SPDX-License-Identifier: Apache-2.0
 *
 * What decides whether the pages of a capture are those of another, as columns: any two captures can be compared
 * without their rows. How alike two texts are takes their signatures, which are too large to be kept beside every
 * capture; they are fetched for the pages that are shown.
 */
#include "figure_int.h"
#include "sharc/base_order.h"
#include "sharc/change_text.h"
#include "sharc/store_sightings.h"

#include <stdlib.h>

enum { PRINT = SHARC_FIGURE_PRINT };

/* --- columns ----------------------------------------------------------------------------------- */

size_t sharc_figure_prints_size(size_t count)
{
    return count * (4 * sizeof(int64_t) + sizeof(int32_t) + 2 * PRINT);
}

void sharc_figure_prints_over(struct sharc_figure_prints *t, void *block, void *at, size_t n)
{
    t->block = block;
    t->count = n;
    FIGURE_COLUMN(&at, t->id, n);
    FIGURE_COLUMN(&at, t->redirect, n);
    FIGURE_COLUMN(&at, t->link_set, n);
    FIGURE_COLUMN(&at, t->content, n);
    FIGURE_COLUMN(&at, t->status, n);
    FIGURE_COLUMN(&at, t->digest, PRINT * n);
    FIGURE_COLUMN(&at, t->text, PRINT * n);
}

void sharc_figure_prints_done(struct sharc_figure_prints *t)
{
    free(t->block);
    *t = (struct sharc_figure_prints){0};
}

/* The kind, counted from one, and the first 16 bytes of a digest: two that agree in these are the same to everybody who
 * cannot find a collision of 128 bits. */
static void cut(struct sharc_span digest, uint8_t *out)
{
    memset(out, 0, PRINT);
    if (!digest.n) return;
    out[0] = (uint8_t)(1 + (uint8_t)digest.p[0]);
    if (digest.n > 1) memcpy(out + 1, digest.p + 1, digest.n < PRINT ? digest.n - 1 : PRINT - 1);
}

static struct sharc_span print_at(const uint8_t *column, size_t row)
{
    const uint8_t *p = column + PRINT * row;
    return sharc_span((const char *)p, p[0] ? PRINT : 0);
}

static struct sharc_store_print row_of(const struct sharc_figure_prints *t, size_t row)
{
    return (struct sharc_store_print){
        .url = t->id[row],
        .redirect = t->redirect[row],
        .link_set = t->link_set[row],
        .content = t->content[row],
        .status = t->status[row],
        .digest = print_at(t->digest, row),
        .text_digest = print_at(t->text, row),
    };
}

struct print {
    sharc_store_id id, redirect, link_set, content;
    int32_t status;
    uint8_t digest[PRINT], text[PRINT];
};
struct reading {
    struct print *rows;
    size_t count, room;
};

static void settle(const struct reading *g, struct sharc_figure_prints *t)
{
    void *block = SHARC_NEW_ARRAY(char, sharc_figure_prints_size(g->count) + 1);
    sharc_figure_prints_over(t, block, block, g->count);
    for (size_t i = 0; i < g->count; i++) {
        const struct print *p = &g->rows[i];
        t->id[i] = p->id;
        t->redirect[i] = p->redirect;
        t->link_set[i] = p->link_set;
        t->content[i] = p->content;
        t->status[i] = p->status;
        memcpy(t->digest + PRINT * i, p->digest, PRINT);
        memcpy(t->text + PRINT * i, p->text, PRINT);
    }
}

int sharc_figure_prints(struct sharc_store *s, sharc_store_id capture, struct sharc_figure_prints *ret,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct reading g = {0};
    struct sharc_store_print p;
    int r = sharc_store_prints(s, capture, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_print(rows, &p);
        SHARC_GROW(g.rows, g.room, g.count + 1);
        struct print *to = &g.rows[g.count++];
        *to = (struct print){
            .id = p.url, .redirect = p.redirect, .link_set = p.link_set, .content = p.content, .status = p.status};
        cut(p.digest, to->digest);
        cut(p.text_digest, to->text);
    }
    if (r >= 0) {
        *ret = (struct sharc_figure_prints){.capture = capture};
        settle(&g, ret);
    }
    free(g.rows);
    return r < 0 ? r : 0;
}

/* --- two captures ------------------------------------------------------------------------------- */

/* The next page of both, by URL number. */
static bool next(const struct sharc_figure_prints *a, const struct sharc_figure_prints *b, size_t *i, size_t *k,
                 struct sharc_store_pair *ret)
{
    struct sharc_store_print pa = {0}, pb = {0};
    if (*i == a->count && *k == b->count) return false;
    ret->in_a = *k == b->count || (*i < a->count && a->id[*i] <= b->id[*k]);
    ret->in_b = *i == a->count || (*k < b->count && b->id[*k] <= a->id[*i]);
    if (ret->in_a) pa = row_of(a, (*i)++);
    if (ret->in_b) pb = row_of(b, (*k)++);
    ret->url_id = ret->in_b ? pb.url : pa.url;
    ret->difference = sharc_store_differ(ret->in_a ? &pa : NULL, ret->in_b ? &pb : NULL);
    ret->links_changed = ret->in_a && ret->in_b && sharc_store_links_differ(&pa, &pb);
    return true;
}

void sharc_figure_changes_between(const struct sharc_figure_prints *a, const struct sharc_figure_prints *b,
                                  struct sharc_figure_changes *ret)
{
    struct sharc_store_pair pair = {.in_a = false};
    size_t n = 0, i = 0, k = 0;
    *ret = (struct sharc_figure_changes){.a = a->capture, .b = b->capture};
    sharc_figure_changes_room(ret, a->count + b->count);
    while (next(a, b, &i, &k, &pair)) {
        if (pair.difference == SHARC_DIFF_UNCHANGED) continue;
        ret->id[n] = pair.url_id;
        ret->change[n] = (uint8_t)sharc_figure_class_of_pair(&pair);
        ret->similarity[n++] = pair.difference == SHARC_DIFF_INSIGNIFICANT ? 1 : (double)NAN;
    }
    ret->count = n;
}

/* --- how alike ------------------------------------------------------------------------------------ */

/* A capture, and where its URLs stand in it. */
struct side {
    const struct sharc_figure_prints *t;
    struct figure_finder urls;
};

static sharc_store_id content_of(const struct side *x, sharc_store_id url)
{
    size_t at = sharc__figure_find(&x->urls, url);
    return at == SHARC_NPOS ? 0 : x->t->content[at];
}

typedef uint32_t signature[SHARC_CHANGE_MINHASH];

/* Contents, each once and rising, and their signatures. */
struct signatures {
    sharc_store_id *id;
    signature *values;
    bool *known;
    size_t count;
};

static void keep_signature(void *arg, sharc_store_id content, struct sharc_span minhash)
{
    struct signatures *x = arg;
    size_t at = sharc_find_i64(x->id, x->count, content);
    if (at == SHARC_NPOS || minhash.n != sizeof(signature)) return;
    memcpy(x->values[at], minhash.p, sizeof(signature));
    x->known[at] = true;
}

static void each_once(struct signatures *x)
{
    size_t n = 0;
    if (x->count) qsort(x->id, x->count, sizeof *x->id, sharc_order_i64);
    for (size_t i = 0; i < x->count; i++)
        if (n == 0 || x->id[n - 1] != x->id[i]) x->id[n++] = x->id[i];
    x->count = n;
}

static bool is_changed(const struct sharc_figure_point *p)
{
    return p->change == SHARC_FIGURE_TEXT || p->change == SHARC_FIGURE_LINKS;
}

/* Points at once: so many signatures are held. */
enum { AT_ONCE = 10000 };

static int tell_some(struct sharc_store *s, const struct side *a, const struct side *b,
                     struct sharc_figure_point *points, size_t n, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) sharc_store_id *both = SHARC_NEW_ARRAY(sharc_store_id, 2 * n + 1);
    SHARC_AUTO(sharc_freep) sharc_store_id *ids = SHARC_NEW_ARRAY(sharc_store_id, 2 * n + 1);
    SHARC_AUTO(sharc_freep) signature *values = NULL;
    SHARC_AUTO(sharc_freep) bool *known = NULL;
    struct signatures x = {.id = ids};
    for (size_t i = 0; i < n; i++) {
        if (!is_changed(&points[i])) continue;
        both[2 * i] = content_of(a, points[i].url_id);
        both[2 * i + 1] = content_of(b, points[i].url_id);
        if (!both[2 * i] || !both[2 * i + 1]) continue;
        ids[x.count++] = both[2 * i];
        ids[x.count++] = both[2 * i + 1];
    }
    each_once(&x);
    x.values = values = sharc_malloc((x.count + 1) * sizeof(signature)); /* `known` says which are filled */
    x.known = known = SHARC_NEW_ARRAY(bool, x.count + 1);
    int r = sharc_store_minhashes(s, x.id, x.count, keep_signature, &x, reterr);
    for (size_t i = 0; r >= 0 && i < n; i++) {
        size_t at = sharc_find_i64(x.id, x.count, both[2 * i]), to = sharc_find_i64(x.id, x.count, both[2 * i + 1]);
        if (at == SHARC_NPOS || to == SHARC_NPOS || !known[at] || !known[to]) continue;
        points[i].similarity = sharc_change_minhash_alike(values[at], values[to], SHARC_CHANGE_MINHASH);
    }
    return r;
}

int sharc_figure_pair_alike(struct sharc_store *s, const struct sharc_figure_prints *a,
                            const struct sharc_figure_prints *b, struct sharc_figure_pair *f, struct sharc_err *reterr)
{
    struct side x = {.t = a}, y = {.t = b};
    int r = 0;
    sharc__figure_finder_init(&x.urls, a->id, a->count);
    sharc__figure_finder_init(&y.urls, b->id, b->count);
    for (size_t i = 0; r >= 0 && i < f->count; i += AT_ONCE)
        r = tell_some(s, &x, &y, f->points + i, f->count - i < AT_ONCE ? f->count - i : AT_ONCE, reterr);
    sharc__figure_finder_done(&x.urls);
    sharc__figure_finder_done(&y.urls);
    return r < 0 ? r : 0;
}
