/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a site that change in a way of their own.
 *
 * The folders of the URLs are a tree. Of every folder it is known at which steps how many of its pages changed. A
 * folder is split off when the changes are told in fewer bits with it apart than without it: a part costs, at each
 * step, the bits of its changes under a coin of unknown bias (Krichevsky and Trofimov), and naming the folder costs the
 * logarithm of the number of folders. So a folder is found that changes more often, less often, or at other
 * times than the rest, and one that differs by chance is not. Besides, the difference must be worth a
 * person's while, however many pages prove that there is one.
 */
#include "figure_int.h"

#include <stdlib.h>

#define NONE UINT32_MAX
#define GAIN_LEAST 10.0 /* bits: a thousand to one */
#define FACTOR_LEAST 2.0
#define APART_LEAST 0.25
enum { SUBSITES_MOST = 60, DEPTH_MOST = 12 };

struct folder {
    struct sharc_span prefix;
    uint32_t parent, end; /* folders [itself, end) are its branch */
    uint32_t part;
    uint32_t pages;   /* in the branch, less what was split off */
    uint32_t sitemap; /* index + 1; 0: none */
};

struct splitting {
    const struct sharc_figure_watched *pages;
    uint32_t *order, *folder_of; /* pages by URL; folder of order[i] */
    size_t count, columns, least;
    struct folder *folders;
    size_t folder_count, folder_room;
    uint32_t *changed, *same; /* folders × columns, of the branch less what was split off */
    uint32_t *parts;          /* folder at the top of each part */
    uint8_t *basis;
    double *bits;
    size_t part_count;
};

static void splitting_done(struct splitting *s)
{
    free(s->order);
    free(s->folder_of);
    free(s->folders);
    free(s->changed);
    free(s->same);
    free(s->parts);
    free(s->basis);
    free(s->bits);
}

/* --- folders ----------------------------------------------------------------------------------------- */

static int by_url(const void *a, const void *b, void *arg)
{
    const struct sharc_figure_watched *pages = ((const struct splitting *)arg)->pages;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int c = sharc_span_cmp(pages[x].url, pages[y].url);
    return c ? c : (x > y) - (x < y);
}

/* Where the host ends: behind the third slash, or at the end. */
static size_t host_end(struct sharc_span url)
{
    size_t at = sharc_span_find(url, ':', 0);
    at = at != SHARC_NPOS && at + 2 < url.n && url.p[at + 1] == '/' && url.p[at + 2] == '/' ? at + 3 : 0;
    size_t slash = sharc_span_find(url, '/', at);
    return slash == SHARC_NPOS ? url.n : slash + 1;
}

/* The next longer prefix that is a folder, or a page that is asked with queries; 0: there is none. */
static size_t next_prefix(struct sharc_span url, size_t from)
{
    if (from == 0) return host_end(url);
    for (size_t i = from; i < url.n; i++) {
        if (url.p[i] == '/' || url.p[i] == '?') return url.p[i - 1] == '?' ? 0 : i + 1;
        if (url.p[i] == '#') return 0;
    }
    return 0;
}

static uint32_t add_folder(struct splitting *s, struct sharc_span prefix, uint32_t parent)
{
    SHARC_GROW(s->folders, s->folder_room, s->folder_count + 1);
    s->folders[s->folder_count] = (struct folder){.prefix = prefix, .parent = parent, .part = NONE};
    return (uint32_t)s->folder_count++;
}

static void grow_folders(struct splitting *s)
{
    uint32_t stack[DEPTH_MOST];
    size_t depth = 0;
    for (size_t i = 0; i < s->count; i++) {
        struct sharc_span url = s->pages[s->order[i]].url;
        while (depth && !sharc_span_starts(url, s->folders[stack[depth - 1]].prefix))
            s->folders[stack[--depth]].end = (uint32_t)s->folder_count;
        size_t at = depth ? s->folders[stack[depth - 1]].prefix.n : 0;
        while (depth < DEPTH_MOST && (at = next_prefix(url, at)) > 0) {
            uint32_t f = add_folder(s, sharc_span_sub(url, 0, at), depth ? stack[depth - 1] : NONE);
            stack[depth++] = f;
            if (url.p[at - 1] == '?') break;
        }
        s->folder_of[i] = stack[depth - 1];
    }
    while (depth) s->folders[stack[--depth]].end = (uint32_t)s->folder_count;
}

static void count_pages(struct splitting *s)
{
    s->changed = SHARC_NEW_ARRAY(uint32_t, s->folder_count * s->columns + 1);
    s->same = SHARC_NEW_ARRAY(uint32_t, s->folder_count * s->columns + 1);
    for (size_t i = 0; i < s->count; i++) {
        const uint8_t *cells = s->pages[s->order[i]].cells;
        s->folders[s->folder_of[i]].pages++;
        for (size_t c = 0; c < s->columns; c++) {
            s->changed[s->folder_of[i] * s->columns + c] += cells[c] == SHARC_FIGURE_STEP_CHANGED;
            s->same[s->folder_of[i] * s->columns + c] += cells[c] == SHARC_FIGURE_STEP_SAME;
        }
    }
    for (size_t f = s->folder_count; f-- > 0;) { /* children come behind their parents */
        uint32_t up = s->folders[f].parent;
        if (up == NONE) continue;
        s->folders[up].pages += s->folders[f].pages;
        for (size_t c = 0; c < s->columns; c++) {
            s->changed[up * s->columns + c] += s->changed[f * s->columns + c];
            s->same[up * s->columns + c] += s->same[f * s->columns + c];
        }
    }
}

/* --- bits -------------------------------------------------------------------------------------------- */

static double ln_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

static double coin_bits(double changed, double same)
{
    if (changed + same == 0) return 0;
    return (ln_gamma(changed + same + 1) + log(M_PI) - ln_gamma(changed + 0.5) - ln_gamma(same + 0.5)) / M_LN2;
}

static const uint32_t *changed_of(const struct splitting *s, uint32_t f)
{
    return s->changed + (size_t)f * s->columns;
}

static const uint32_t *same_of(const struct splitting *s, uint32_t f)
{
    return s->same + (size_t)f * s->columns;
}

/* Bits saved by telling of the folder apart from the part with the top `top`. */
static double saved(const struct splitting *s, uint32_t top, uint32_t f)
{
    const uint32_t *k = changed_of(s, top), *m = same_of(s, top), *x = changed_of(s, f), *y = same_of(s, f);
    double bits = 0;
    for (size_t c = 0; c < s->columns; c++)
        bits += coin_bits(k[c], m[c]) - coin_bits(x[c], y[c]) - coin_bits(k[c] - x[c], m[c] - y[c]);
    return bits;
}

static double share(double changed, double same)
{
    return changed + same > 0 ? changed / (changed + same) : 0;
}

/* Worth a person's while: twice as often or half as often, or at one step a quarter of the pages more or less. */
static bool matters(const struct splitting *s, uint32_t top, uint32_t f)
{
    const uint32_t *k = changed_of(s, top), *m = same_of(s, top), *x = changed_of(s, f), *y = same_of(s, f);
    double all_k = 0, all_m = 0, all_x = 0, all_y = 0, apart = 0;
    for (size_t c = 0; c < s->columns; c++) {
        all_k += k[c] - x[c];
        all_m += m[c] - y[c];
        all_x += x[c];
        all_y += y[c];
        if (x[c] + y[c] < s->least || k[c] + m[c] - x[c] - y[c] < s->least) continue;
        double d = fabs(share(x[c], y[c]) - share(k[c] - x[c], m[c] - y[c]));
        if (d > apart) apart = d;
    }
    double inside = share(all_x, all_y), outside = share(all_k, all_m);
    return inside > FACTOR_LEAST * outside || outside > FACTOR_LEAST * inside || apart > APART_LEAST;
}

/* --- splitting ---------------------------------------------------------------------------------------- */

static void split_off(struct splitting *s, uint32_t f, uint8_t basis, double bits)
{
    uint32_t old = s->folders[f].part, new = (uint32_t)s->part_count;
    s->parts[new] = f;
    s->basis[new] = basis;
    s->bits[new] = bits;
    s->part_count++;
    for (uint32_t i = f; i < s->folders[f].end; i++)
        if (s->folders[i].part == old) s->folders[i].part = new;
    if (old == NONE) return;
    for (uint32_t up = s->folders[f].parent; up != NONE; up = s->folders[up].parent) {
        s->folders[up].pages -= s->folders[f].pages;
        for (size_t c = 0; c < s->columns; c++) {
            s->changed[up * s->columns + c] -= s->changed[f * s->columns + c];
            s->same[up * s->columns + c] -= s->same[f * s->columns + c];
        }
        if (up == s->parts[old]) break;
    }
}

/* The folder of a part whose leaving saves most; NONE. */
static uint32_t best_of(const struct splitting *s, uint32_t part, double *ret_bits)
{
    const uint32_t top = s->parts[part];
    const double naming = log2((double)s->folder_count + 1);
    uint32_t best = NONE;
    double most = GAIN_LEAST;
    for (uint32_t f = top + 1; f < s->folders[top].end; f++) {
        const struct folder *x = &s->folders[f];
        if (x->part != part || x->pages < s->least || s->folders[top].pages - x->pages < s->least) continue;
        double bits = saved(s, top, f) - (x->sitemap ? 1 : naming);
        /* Leaving is mutual: of two folders that are the whole part, the smaller one leaves. */
        bool tie = best != NONE && fabs(bits - most) < 1e-6 && x->pages < s->folders[best].pages;
        if ((bits <= most && !tie) || !matters(s, top, f)) continue;
        most = bits;
        best = f;
    }
    *ret_bits = most;
    return best;
}

static void split(struct splitting *s)
{
    for (uint32_t f = 0; f < s->folder_count; f = s->folders[f].end)
        if (s->part_count < SUBSITES_MOST) split_off(s, f, SHARC_FIGURE_BY_HOST, 0);
    for (uint32_t f = 0; f < s->folder_count; f++) {
        const struct folder *x = &s->folders[f];
        if (!x->sitemap || x->part == NONE || s->parts[x->part] == f || s->part_count >= SUBSITES_MOST) continue;
        if (x->pages >= s->least && s->folders[s->parts[x->part]].pages - x->pages >= s->least)
            split_off(s, f, SHARC_FIGURE_BY_SITEMAP, 0);
    }
    for (uint32_t part = 0; part < s->part_count; part++) {
        double bits;
        for (uint32_t f; s->part_count < SUBSITES_MOST && (f = best_of(s, part, &bits)) != NONE;)
            split_off(s, f, SHARC_FIGURE_BY_CHANGE, bits);
    }
}

/* --- answers ------------------------------------------------------------------------------------------ */

/* Wilson's interval, 95 %. */
static void interval(double k, double n, double *low, double *high)
{
    const double z = 1.959964, p = k / n, d = 1 + z * z / n;
    const double mid = (p + z * z / (2 * n)) / d, half = z / d * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    *low = k == 0 ? 0 : mid - half;
    *high = k == n ? 1 : mid + half;
}

static uint32_t part_above(const struct splitting *s, uint32_t f)
{
    return s->folders[f].parent == NONE ? NONE : s->folders[s->folders[f].parent].part;
}

static void fill(const struct splitting *s, uint32_t part, struct sharc_figure_subsite *x)
{
    const uint32_t top = s->parts[part], *k = changed_of(s, top), *m = same_of(s, top);
    *x = (struct sharc_figure_subsite){.prefix = s->folders[top].prefix,
                                       .parent = part_above(s, top),
                                       .basis = s->basis[part],
                                       .pages = s->folders[top].pages,
                                       .bits = s->bits[part],
                                       .share = (double)NAN,
                                       .low = (double)NAN,
                                       .high = (double)NAN,
                                       .rest = (double)NAN};
    if (s->folders[top].sitemap) x->basis |= SHARC_FIGURE_BY_SITEMAP;
    for (size_t c = 0; c < s->columns; c++) {
        x->changed += k[c];
        x->compared += (uint64_t)k[c] + m[c];
    }
    if (!x->compared) return;
    x->share = (double)x->changed / (double)x->compared;
    interval((double)x->changed, (double)x->compared, &x->low, &x->high);
}

static void say_manner(struct sharc_figure_subsites *f, struct sharc_figure_subsite *x)
{
    const struct sharc_figure_subsite *rest = x->parent == NONE ? NULL : &f->rows[x->parent];
    if (!rest || !rest->compared || !x->compared) return;
    x->rest = rest->share;
    if (x->share > FACTOR_LEAST * x->rest)
        x->manner = SHARC_FIGURE_FASTER;
    else if (x->rest > FACTOR_LEAST * x->share)
        x->manner = SHARC_FIGURE_SLOWER;
    else if (x->basis & SHARC_FIGURE_BY_CHANGE)
        x->manner = SHARC_FIGURE_OTHER_TIMES;
}

static int answer(const struct splitting *s, struct sharc_figure_subsites *ret, struct sharc_err *reterr)
{
    ret->rows = SHARC_NEW_ARRAY(struct sharc_figure_subsite, s->part_count + 1);
    ret->pages = s->count;
    ret->columns = s->columns;
    for (uint32_t i = 0; i < s->part_count; i++) {
        struct sharc_figure_subsite *x = &ret->rows[ret->count++];
        fill(s, i, x);
        int r = sharc__figure_keep(&ret->texts, x->prefix, &x->prefix, reterr);
        if (r < 0) return r;
    }
    for (size_t i = 0; i < ret->count; i++) say_manner(ret, &ret->rows[i]);
    return 0;
}

static void mark_sitemaps(struct splitting *s, const struct sharc_span *sitemaps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (uint32_t f = 0; f < s->folder_count; f++)
            if (s->folders[f].parent != NONE && sharc_span_eq(s->folders[f].prefix, sitemaps[i]))
                s->folders[f].sitemap = (uint32_t)i + 1;
}

int sharc_figure_subsites_of(const struct sharc_figure_watched *pages, size_t n, size_t columns,
                             const struct sharc_span *sitemaps, size_t sitemap_count, struct sharc_figure_subsites *ret,
                             struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_subsites_done) struct sharc_figure_subsites f = {0};
    SHARC_AUTO(splitting_done) struct splitting s = {.pages = pages, .count = n, .columns = columns};
    SHARC_FAIL_IF(n >= NONE, reterr, SHARC_ELIMIT, "too many pages to look for sub-sites in");
    s.least = n / 500 > 5 ? n / 500 : 5;
    s.order = SHARC_NEW_ARRAY(uint32_t, n + 1);
    s.folder_of = SHARC_NEW_ARRAY(uint32_t, n + 1);
    s.parts = SHARC_NEW_ARRAY(uint32_t, SUBSITES_MOST);
    s.basis = SHARC_NEW_ARRAY(uint8_t, SUBSITES_MOST);
    s.bits = SHARC_NEW_ARRAY(double, SUBSITES_MOST);
    s.count = 0;
    for (size_t i = 0; i < n; i++)
        if (pages[i].url.n) s.order[s.count++] = (uint32_t)i;
    qsort_r(s.order, s.count, sizeof *s.order, by_url, &s);
    sharc_arena_init(&f.texts, FIGURE_TEXTS_MAX);
    grow_folders(&s);
    count_pages(&s);
    mark_sitemaps(&s, sitemaps, sitemap_count);
    split(&s);
    int r = answer(&s, &f, reterr);
    if (r < 0) return r;
    *ret = f;
    f = (struct sharc_figure_subsites){0};
    return 0;
}

void sharc_figure_subsites_done(struct sharc_figure_subsites *f)
{
    free(f->rows);
    sharc_arena_done(&f->texts);
    *f = (struct sharc_figure_subsites){0};
}

static const char *const manners[] = {
#define X(name, word, text) word,
    SHARC_FIGURE_MANNERS(X)
#undef X
};
static const char *const manner_texts[] = {
#define X(name, word, text) text,
    SHARC_FIGURE_MANNERS(X)
#undef X
};

const char *sharc_figure_manner_word(enum sharc_figure_manner m)
{
    return (unsigned)m < SHARC_LENGTH(manners) ? manners[m] : "";
}

const char *sharc_figure_manner_text(enum sharc_figure_manner m)
{
    return (unsigned)m < SHARC_LENGTH(manner_texts) ? manner_texts[m] : "";
}
