/* SPDX-License-Identifier: Apache-2.0
 *
 * C4.5: growing the tree. At every node the column with the best gain ratio
 * (among those of at least average gain) parts the examples: a word column
 * into one branch per word, a number column at a threshold. An example whose
 * value is unknown goes down every branch with a fraction of its weight.
 *
 * One pass over a node's examples tallies one column: codes are small numbers,
 * so a scratch array maps each code that occurs to a row of class counts, and
 * only the codes that occurred are cleared again. A level of the tree costs
 * O(examples · columns) however many words there are.
 */
#include "model_int.h"
#include "sharc/base_arena.h"
#include "sharc/base_order.h"

#include <stdlib.h>

struct instance {
    uint32_t example;
    float weight;
};

/* One way to part a node. */
struct split {
    int column;                    /* -1: none */
    bool ordered;                  /* two branches: codes up to last_code, and the others */
    uint32_t last_code, next_code; /* of the examples here: the last one left, the first one right */
    uint32_t branches;
    double gain, ratio;
};

struct grower {
    const struct rate_examples *e;
    const struct sharc_rate_options *o;
    struct sharc_arena *arena;
    /* tally of one column at one node */
    uint32_t *slot;    /* code -> row of count + 1; 0: not seen. As long as the largest column */
    uint32_t *touched; /* codes seen */
    uint32_t seen;
    double *count;       /* [seen][classes] */
    size_t count_room;   /* rows */
    double *part;        /* [classes], scratch */
    double *known;       /* [classes]: of the examples whose value is known */
    double known_weight; /* and their weight */
};

/* x·log2(x), the atom of every entropy here. */
static double xlog(double x)
{
    return x > 0 ? x * log2(x) : 0;
}

/* Weight times entropy of a row of class counts. */
static double impurity(const double *count, unsigned classes, double *ret_total)
{
    double total = 0, sum = 0;
    for (unsigned k = 0; k < classes; k++) total += count[k], sum += xlog(count[k]);
    if (ret_total) *ret_total = total;
    return xlog(total) - sum;
}

static void tally(struct grower *g, size_t column, const struct instance *in, size_t n)
{
    const struct example_column *col = &g->e->column[column];
    const unsigned classes = g->e->classes;
    for (uint32_t i = 0; i < g->seen; i++) g->slot[g->touched[i]] = 0;
    g->seen = 0;
    for (unsigned k = 0; k < classes; k++) g->known[k] = 0;
    g->known_weight = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t code = col->code[in[i].example];
        if (code == RATE_UNKNOWN) continue;
        if (g->slot[code] == 0) {
            if (g->seen == g->count_room) {
                g->count_room = g->count_room * 2 + 64;
                g->count = sharc_realloc(g->count, g->count_room, classes * sizeof *g->count);
            }
            memset(g->count + (size_t)g->seen * classes, 0, classes * sizeof *g->count);
            g->touched[g->seen++] = code;
            g->slot[code] = g->seen;
        }
        const unsigned class = g->e->label[in[i].example];
        const double weight = (double)in[i].weight;
        g->count[(size_t)(g->slot[code] - 1) * classes + class] += weight;
        g->known[class] += weight;
        g->known_weight += weight;
    }
}

static const double *row_of(const struct grower *g, uint32_t code)
{
    return g->count + (size_t)(g->slot[code] - 1) * g->e->classes;
}

/* Gain in bits per example, lowered by the share of unknown values, and gain
 * ratio, in whose denominator the unknown ones are a branch of their own. */
static void rate_split(struct split *s, double before, double after, double branch_xlog, double known, double total)
{
    double unknown = total - known;
    s->gain = (before - after) / total;
    double info = (xlog(total) - branch_xlog - xlog(unknown > 1e-6 ? unknown : 0)) / total;
    s->ratio = info > 1e-9 ? s->gain / info : 0;
}

static struct split try_words(struct grower *g, int column, double total)
{
    struct split s = {.column = -1, .branches = g->seen};
    double after = 0, branch_xlog = 0, of_branch;
    unsigned large = 0;
    for (uint32_t i = 0; i < g->seen; i++) {
        after += impurity(g->count + (size_t)i * g->e->classes, g->e->classes, &of_branch);
        branch_xlog += xlog(of_branch);
        large += of_branch >= g->o->least;
    }
    if (large < 2) return s;
    if (!g->o->textbook) after += 2 * log2(g->e->classes) * (g->seen - 1);
    rate_split(&s, impurity(g->known, g->e->classes, NULL), after, branch_xlog, g->known_weight, total);
    s.column = column;
    return s;
}

/* The threshold with the greatest gain. To name one among so many costs
 * log2(choices) bits, as in release 8 of C4.5, and a threshold that gains less
 * is luck. Unlike there the cost decides only whether a threshold is good
 * enough, not which column wins: measured, that is better. */
static struct split try_order(struct grower *g, int column, double total)
{
    const unsigned classes = g->e->classes;
    struct split s = {.column = -1, .ordered = true, .branches = 2};
    if (g->seen < 2) return s;
    qsort(g->touched, g->seen, sizeof *g->touched, sharc_order_u32);
    const double known = g->known_weight, before = impurity(g->known, classes, NULL);
    const double least = fmin(fmax(0.1 * known / classes, g->o->least), fmax(25, g->o->least));
    double best = before, best_left = 0;
    double *left = g->part;
    for (unsigned k = 0; k < classes; k++) left[k] = 0;
    for (uint32_t i = 0; i + 1 < g->seen; i++) {
        const double *row = row_of(g, g->touched[i]);
        double weight = 0, sum = 0;
        for (unsigned k = 0; k < classes; k++) left[k] += row[k], weight += left[k];
        if (weight < least || known - weight < least) continue;
        for (unsigned k = 0; k < classes; k++) sum += xlog(left[k]) + xlog(g->known[k] - left[k]);
        double after = xlog(weight) + xlog(known - weight) - sum;
        if (after < best - 1e-9)
            best = after, best_left = weight, s.last_code = g->touched[i], s.next_code = g->touched[i + 1],
            s.column = column;
    }
    if (s.column < 0) return s;
    rate_split(&s, before, best, xlog(best_left) + xlog(known - best_left), known, total);
    if (before - best < log2(g->seen - 1)) s.column = -1;
    return s;
}

/* Words are parted in two ways: one branch a word, or, beyond the textbook, in
 * two at a place in their bytewise order. URLs are named so that neighbours are
 * relatives (dates, version numbers, prefixes), the second way keeps large
 * groups together, and it knows what to do with a word never seen. Against it
 * a branch for each word must be worth 2·log2(bins) bits per branch, what it
 * costs to say where each branch leads.
 * Best ratio among the splits of at least average gain. Word columns with very
 * many branches are left out of the average, or they would raise it beyond
 * everybody's reach. */
static struct split choose(struct grower *g, const struct instance *in, size_t n, double total, uint64_t used)
{
    struct split all[2 * SHARC_RATE_COLUMNS_MAX], best = {.column = -1};
    double sum = 0;
    unsigned possible = 0, tried = 0;
    for (size_t c = 0; c < g->e->columns; c++) {
        if (used >> c & 1) continue;
        tally(g, c, in, n);
        const bool words = g->e->column[c].kind == SHARC_RATE_WORD;
        if (words) all[tried++] = try_words(g, (int)c, total);
        if (!words || !g->o->textbook) all[tried++] = try_order(g, (int)c, total);
    }
    for (unsigned i = 0; i < tried; i++) {
        if (all[i].column < 0 || all[i].gain <= 1e-9)
            all[i].column = -1;
        else if (all[i].branches < 0.3 * total)
            sum += all[i].gain, possible++;
    }
    const double average = possible ? sum / possible : 0;
    for (unsigned i = 0; i < tried; i++)
        if (all[i].column >= 0 && all[i].gain >= average - 1e-3 && (best.column < 0 || all[i].ratio > best.ratio))
            best = all[i];
    return best;
}

static struct grown *new_node(struct grower *g, const struct instance *in, size_t n)
{
    struct grown *node = SHARC_ARENA_NEW(g->arena, struct grown);
    node->column = -1;
    node->count = sharc_arena_alloc(g->arena, g->e->classes * sizeof *node->count);
    for (size_t i = 0; i < n; i++) node->count[g->e->label[in[i].example]] += (double)in[i].weight;
    for (unsigned k = 0; k < g->e->classes; k++) node->total += node->count[k];
    return node;
}

static bool is_pure(const struct grown *node, unsigned classes)
{
    for (unsigned k = 0; k < classes; k++)
        if (node->count[k] >= node->total - 1e-6) return true;
    return false;
}

/* Which child an example goes to; RATE_UNKNOWN when nobody knows. The tally of
 * the chosen column must be fresh. */
static uint32_t child_of(const struct grower *g, const struct split *s, uint32_t example)
{
    const struct example_column *col = &g->e->column[s->column];
    const uint32_t code = col->code[example];
    if (code == RATE_UNKNOWN) return RATE_UNKNOWN;
    return s->ordered ? code > s->last_code : g->slot[code] - 1;
}

/* Deal the examples out to the children, child after child: out[first[i] …
 * first[i+1]) belong to child i. Unknown ones go to each in proportion. */
static struct instance *deal(const struct grower *g, const struct split *s, const struct instance *in, size_t n,
                             size_t *first)
{
    const uint32_t children = s->branches;
    SHARC_AUTO(sharc_freep) double *weight = SHARC_NEW_ARRAY(double, children);
    SHARC_AUTO(sharc_freep) size_t *next = SHARC_NEW_ARRAY(size_t, children);
    size_t unknown = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t child = child_of(g, s, in[i].example);
        if (child == RATE_UNKNOWN)
            unknown++;
        else
            next[child]++, weight[child] += (double)in[i].weight;
    }
    first[0] = 0;
    for (uint32_t b = 0; b < children; b++) first[b + 1] = first[b] + next[b] + unknown, next[b] = first[b];
    struct instance *out = SHARC_NEW_ARRAY(struct instance, first[children]);
    for (size_t i = 0; i < n; i++) {
        uint32_t child = child_of(g, s, in[i].example);
        if (child != RATE_UNKNOWN) {
            out[next[child]++] = in[i];
            continue;
        }
        for (uint32_t b = 0; b < children; b++)
            out[next[b]++] =
                (struct instance){in[i].example, (float)((double)in[i].weight * weight[b] / g->known_weight)};
    }
    return out;
}

/* Fractions of many unknown values would grow without end; what weighs next
 * to nothing is dropped. */
static size_t drop_dust(struct instance *in, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (in[i].weight > 1e-3f) in[kept++] = in[i];
    return kept;
}

/* The shortest word that parts the last word on the left from the first on the
 * right: "2019-12-31" and "2020-01-01" are parted by "202". So words never seen
 * before go where their beginning belongs. */
static struct sharc_span between(const struct grower *g, const struct split *s)
{
    const struct sharc_intern *words = g->e->table->column[s->column].words;
    const uint32_t *word = g->e->column[s->column].word;
    struct sharc_span left = sharc_intern_text(words, word[s->last_code]);
    struct sharc_span right = sharc_intern_text(words, word[s->next_code]);
    size_t same = 0;
    while (same < left.n && left.p[same] == right.p[same]) same++;
    return same + 1 < right.n ? sharc_span_sub(right, 0, same + 1) : left;
}

static struct grown *grow(struct grower *g, struct instance *in, size_t n, uint64_t used, unsigned depth)
{
    struct grown *node = new_node(g, in, n);
    if (depth >= RATE_DEPTH_MAX || node->total < 2 * g->o->least || is_pure(node, g->e->classes)) return node;
    struct split s = choose(g, in, n, node->total, used);
    if (s.column < 0) return node;

    const struct example_column *col = &g->e->column[s.column];
    tally(g, (size_t)s.column, in, n);
    SHARC_AUTO(sharc_freep) size_t *first = SHARC_NEW_ARRAY(size_t, (size_t)s.branches + 1);
    SHARC_AUTO(sharc_freep) struct instance *out = deal(g, &s, in, n, first);
    node->column = s.column;
    node->children = s.branches;
    node->child = sharc_arena_alloc(g->arena, s.branches * sizeof(struct grown *));
    SHARC_AUTO(sharc_freep) uint32_t *words = SHARC_NEW_ARRAY(uint32_t, s.branches);
    if (col->kind == SHARC_RATE_NUMBER) {
        node->threshold = (col->cut[s.last_code] + col->cut[s.next_code - 1]) / 2;
    } else if (s.ordered) {
        node->pivot = between(g, &s);
    } else {
        used |= UINT64_C(1) << s.column;
        for (uint32_t b = 0; b < s.branches; b++) words[b] = col->word[g->touched[b]];
    }
    for (uint32_t b = 0; b < s.branches; b++) {
        size_t m = drop_dust(out + first[b], first[b + 1] - first[b]);
        node->child[b] = grow(g, out + first[b], m, used, depth + 1);
        node->child[b]->word = words[b];
    }
    return node;
}

struct grown *sharc__rate_tree_grow(const struct rate_examples *e, const struct sharc_rate_options *o,
                                    struct sharc_arena *a)
{
    uint32_t codes = 1;
    for (size_t c = 0; c < e->columns; c++)
        if (e->column[c].codes > codes) codes = e->column[c].codes;
    struct grower g = {.e = e, .o = o, .arena = a};
    g.slot = SHARC_NEW_ARRAY(uint32_t, codes);
    g.touched = SHARC_NEW_ARRAY(uint32_t, codes);
    g.part = SHARC_NEW_ARRAY(double, e->classes);
    g.known = SHARC_NEW_ARRAY(double, e->classes);
    SHARC_AUTO(sharc_freep) struct instance *in = SHARC_NEW_ARRAY(struct instance, e->n);
    for (size_t i = 0; i < e->n; i++) in[i] = (struct instance){(uint32_t)i, 1};
    struct grown *root = grow(&g, in, e->n, 0, 0);
    free(g.slot);
    free(g.touched);
    free(g.count);
    free(g.part);
    free(g.known);
    return root;
}
