/* SPDX-License-Identifier: Apache-2.0
 *
 * C4.5: pruning the grown tree, laying it out flat, asking it.
 */
#include "model_int.h"
#include "sharc/base_arena.h"
#include "sharc/base_order.h"

#include <stdlib.h>

/* --- pruning -------------------------------------------------------------- */

/* Errors beyond the e seen among n examples that must be feared: the upper
 * confidence limit of the binomial, exact for e = 0, interpolated below one
 * error, by the normal approximation above. z2 is the squared normal deviate
 * of the confidence. */
static double feared(double n, double e, double confidence, double z2)
{
    if (e < 1) {
        double none = n * -expm1(log(confidence) / n);
        return e < 1e-6 ? none : none + e * (feared(n, 1, confidence, z2) - none);
    }
    if (e + 0.5 >= n) return 0.67 * fmax(n - e, 0);
    double p = e + 0.5;
    double limit = (p + z2 / 2 + sqrt(z2 * (p * (1 - p / n) + z2 / 4))) / (n + z2);
    return n * limit - e;
}

static double leaf_errors(const struct grown *g, unsigned classes, double confidence, double z2)
{
    double most = 0;
    if (!(g->total > 0)) return 0;
    for (unsigned k = 0; k < classes; k++) most = fmax(most, g->count[k]);
    double errors = fmax(g->total - most, 0);
    return errors + feared(g->total, errors, confidence, z2);
}

static double prune(struct grown *g, unsigned classes, double confidence, double z2)
{
    double as_leaf = leaf_errors(g, classes, confidence, z2);
    if (g->column < 0) return as_leaf;
    double as_tree = 0;
    for (uint32_t i = 0; i < g->children; i++) as_tree += prune(g->child[i], classes, confidence, z2);
    if (as_leaf > as_tree + 0.1) return as_tree;
    g->column = -1;
    g->pivot = SHARC_SPAN_NONE;
    g->children = 0;
    return as_leaf;
}

double sharc__rate_tree_prune(struct grown *g, unsigned classes, double confidence)
{
    if (confidence >= 1) return 0;
    /* z² of the upper tail: χ² with one degree of freedom, both tails. */
    double z2 = confidence < 0.5 ? 2 * sharc__rate_gamma_quantile(0.5, 1 - 2 * confidence) : 0;
    return prune(g, classes, confidence, z2);
}

/* --- laying out ----------------------------------------------------------- */

static int by_word(const void *a, const void *b)
{
    const struct grown *x = *(struct grown *const *)a, *y = *(struct grown *const *)b;
    return (x->word > y->word) - (x->word < y->word);
}

/* Only words that branches are named after become words of the model. */
static void name_branches(struct grown *g, const struct rate_examples *e, struct sharc_rate_model *m)
{
    if (m->column[g->column].kind != SHARC_RATE_WORD || g->pivot.p) return;
    const struct sharc_intern *from = e->table->column[g->column].words;
    for (uint32_t i = 0; i < g->children; i++)
        g->child[i]->word = sharc_intern_add(m->words[g->column], sharc_intern_text(from, g->child[i]->word), NULL);
    qsort(g->child, g->children, sizeof(struct grown *), by_word);
}

static size_t size_of(const struct grown *g)
{
    size_t n = 1;
    for (uint32_t i = 0; i < g->children; i++) n += size_of(g->child[i]);
    return n;
}

static void put_counts(struct rate_tree *t, const struct grown *g, unsigned classes, size_t *room)
{
    for (unsigned k = 0; k < classes; k++) {
        if (!(g->count[k] > 0)) continue;
        SHARC_GROW(t->count, *room, t->count_n + 1);
        t->count[t->count_n++] = (struct tree_count){.class = k, .count = g->count[k]};
    }
}

static void lay_out(struct grown *root, const struct rate_examples *e, struct sharc_rate_model *m)
{
    struct rate_tree *t = &m->tree;
    t->nodes = size_of(root);
    t->node = SHARC_NEW_ARRAY(struct tree_node, t->nodes + 1);
    SHARC_AUTO(sharc_freep) struct grown **queue = SHARC_NEW_ARRAY(struct grown *, t->nodes);
    size_t end = 0, room = 0;
    queue[end++] = root;
    for (size_t i = 0; i < t->nodes; i++) {
        struct grown *g = queue[i];
        if (g->column >= 0) name_branches(g, e, m);
        t->node[i] = (struct tree_node){
            .column = g->column,
            .first = (uint32_t)end,
            .children = g->children,
            .word = g->word,
            .pivot = g->pivot.p ? sharc_intern_add(m->words[g->column], g->pivot, NULL) : RATE_UNKNOWN,
            .threshold = g->threshold,
            .total = g->total,
            .counts = (uint32_t)t->count_n,
        };
        put_counts(t, g, e->classes, &room);
        for (uint32_t b = 0; b < g->children; b++) queue[end++] = g->child[b];
    }
    t->node[t->nodes].counts = (uint32_t)t->count_n;
}

void sharc__rate_tree_learn(const struct rate_examples *e, const struct sharc_rate_options *o,
                            struct sharc_rate_model *m)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(SIZE_MAX);
    struct grown *root = sharc__rate_tree_grow(e, o, &arena);
    sharc__rate_tree_prune(root, e->classes, o->confidence);
    lay_out(root, e, m);
}

/* --- asking ---------------------------------------------------------------- */

/* A leaf of three examples knows little: its shares are drawn towards those of
 * the node above, which stand for this many examples. */
#define BORROWED 1.0

static void shares(const struct rate_tree *t, size_t node, unsigned classes, const double *above, double *ret)
{
    const double all = t->node[node].total + BORROWED;
    for (unsigned k = 0; k < classes; k++) ret[k] = BORROWED * above[k] / all;
    for (uint32_t i = t->node[node].counts; i < t->node[node + 1].counts; i++)
        ret[t->count[i].class] += t->count[i].count / all;
}

static size_t child_by_word(const struct rate_tree *t, const struct tree_node *n, uint32_t word)
{
    const struct tree_node *child = &t->node[n->first];
    size_t at = SHARC_COUNT_WHILE(i, n->children, child[i].word < word);
    return at < n->children && child[at].word == word ? n->first + at : SHARC_NPOS;
}

/* The child a value leads to, or SHARC_NPOS; *ret_known tells a word that was
 * never seen here from a value that is not known. */
static size_t child_for(const struct sharc_rate_model *m, const struct tree_node *n, const struct sharc_rate_value *v,
                        bool *ret_known)
{
    *ret_known = true;
    if (n->column < 0) return SHARC_NPOS;
    if (m->column[n->column].kind == SHARC_RATE_NUMBER) {
        *ret_known = !isnan(v->number);
        return *ret_known ? n->first + (size_t)(v->number > n->threshold) : SHARC_NPOS;
    }
    *ret_known = v->word.p != NULL;
    if (!*ret_known) return SHARC_NPOS;
    const struct sharc_intern *words = m->words[n->column];
    if (n->pivot != RATE_UNKNOWN)
        return n->first + (size_t)(sharc_span_cmp(v->word, sharc_intern_text(words, n->pivot)) > 0);
    uint32_t word = sharc_intern_find(words, v->word);
    return word != SHARC_NO_ID ? child_by_word(&m->tree, n, word) : SHARC_NPOS;
}

static void descend(const struct sharc_rate_model *m, const struct sharc_rate_value *v, size_t at, double weight,
                    const double *above, double *ret)
{
    const struct rate_tree *t = &m->tree;
    const struct tree_node *n = &t->node[at];
    const unsigned classes = m->bins.n;
    double own[SHARC_RATE_BINS_MAX], all = 0;
    shares(t, at, classes, above, own);
    bool known;
    size_t child = child_for(m, n, n->column < 0 ? NULL : &v[n->column], &known);
    if (child != SHARC_NPOS) {
        descend(m, v, child, weight, own, ret);
        return;
    }
    for (uint32_t i = 0; i < n->children && !known; i++) all += t->node[n->first + i].total;
    for (uint32_t i = 0; i < n->children && all > 0; i++)
        descend(m, v, n->first + i, weight * t->node[n->first + i].total / all, own, ret);
    for (unsigned k = 0; k < classes && !(all > 0); k++) ret[k] += weight * own[k];
}

void sharc__rate_tree_ask(const struct sharc_rate_model *m, const struct sharc_rate_value *v, double *ret)
{
    double flat[SHARC_RATE_BINS_MAX];
    for (unsigned k = 0; k < m->bins.n; k++) ret[k] = 0, flat[k] = 1.0 / m->bins.n;
    descend(m, v, 0, 1, flat, ret);
}

/* --- telling ---------------------------------------------------------------- */

static unsigned fullest(const struct rate_tree *t, size_t node)
{
    unsigned best = 0;
    double most = -1;
    for (uint32_t i = t->node[node].counts; i < t->node[node + 1].counts; i++)
        if (t->count[i].count > most) most = t->count[i].count, best = t->count[i].class;
    return best;
}

static void tell(const struct sharc_rate_model *m, size_t at, int depth, struct sharc_buf *out)
{
    const struct tree_node *n = &m->tree.node[at];
    if (n->column < 0) {
        unsigned bin = fullest(&m->tree, at);
        sharc_buf_printf(out, ": bin %u, %.6g a day (%.6g)", bin + 1, m->bins.bin[bin].mean * 86400, n->total);
        return;
    }
    const struct sharc_rate_column *c = &m->column[n->column];
    for (uint32_t i = 0; i < n->children && !out->failed; i++) {
        sharc_buf_printf(out, "\n%*s%s ", 2 * depth, "", c->name);
        if (c->kind == SHARC_RATE_WORD) {
            const bool each = n->pivot == RATE_UNKNOWN;
            uint32_t word = each ? m->tree.node[n->first + i].word : n->pivot;
            struct sharc_span w = sharc_intern_text(m->words[n->column], word);
            sharc_buf_printf(out, "%s \"%.*s\"", each ? "=" : i ? ">" : "<=", SHARC_SPAN_ARG(w));
        } else {
            sharc_buf_printf(out, "%s %.9g", i ? ">" : "<=", n->threshold);
        }
        tell(m, n->first + i, depth + 1, out);
    }
}

int sharc__rate_tree_describe(const struct sharc_rate_model *m, struct sharc_buf *out)
{
    sharc_buf_printf(out, "tree of %s", SHARC_COUNT(m->tree.nodes, "node"));
    tell(m, 0, 0, out);
    sharc_buf_put_char(out, '\n');
    return sharc_buf_result(out, NULL);
}
