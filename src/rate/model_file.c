/* SPDX-License-Identifier: Apache-2.0
 *
 * A model as bytes. All numbers little-endian; f64 is an IEEE 754 double by its
 * bits, so a loaded model predicts exactly what the saved one did. Text is u32
 * length and that many bytes.
 *
 *   OFFSET  SIZE  MEANING
 *        0     8  "sharcRM\n"
 *        8     4  u32 version, 1
 *       12     4  u32 learner: 0 Naive Bayes, 1 C4.5, 2 boosted trees
 *       16     4  u32 columns, 1 … 64
 *       20     4  u32 bins, 1 … 64
 *       24     8  f64 smoothing, > 0
 *       32        bins times: f64 upper (ascending, the last infinite), f64 mean,
 *                 f64 shape, f64 time of the prior, u64 count
 *                 columns times: u32 kind (0 word, 1 number), text name; for a
 *                 word column u32 n, n times text: the words, all different
 *                 the learner's part, see below
 *      end-8    8  u64 fingerprint of all bytes before it
 *
 *   Naive Bayes                            C4.5, nodes in breadth-first order
 *    bins times f64 examples of the bin     u32 nodes, 1 or more; then each:
 *    then for each column:                   i32 column, -1 for a leaf
 *     number: u32 cuts, cuts times f64       u32 children: none for a leaf, 2 for
 *             ascending; values = cuts+1          a number or a pivot, else 1 or more
 *     bins times f64 examples known          u32 word that leads here, ascending
 *     values times: u32 cells, each                among siblings
 *      u32 bin (ascending), f64 count > 0    u32 pivot: the word that parts the
 *                                                others in two, or 2^32-1
 *                                            f64 threshold (numbers)
 *                                            u32 cells as on the left
 *
 *   Boosted trees: u32 trees, u32 nodes; each tree's first node, u32; each node:
 *    i32 column, -1 for a leaf; f64 threshold or vote; u32 yes, u32 no, u32
 *    missing: nodes of the same tree, counted from its first, after this one
 */
#include "model_int.h"
#include "sharc/base_digest.h"

#include <stdarg.h>
#include <stdio.h>

static const char magic[8] = "sharcRM\n";
#define VERSION 1
#define SEED 0x5348415243u /* of the fingerprint */
#define NAME_MAX_BYTES 256
#define WORD_MAX_BYTES (64u << 10)

bool sharc_rate_model_is(struct sharc_span bytes)
{
    return bytes.n >= sizeof magic && memcmp(bytes.p, magic, sizeof magic) == 0;
}

/* --- writing --------------------------------------------------------------- */

static void put_bytes(struct sharc_buf *out, uint64_t v, int bytes)
{
    char raw[8];
    for (int i = 0; i < bytes; i++) raw[i] = (char)(v >> (8 * i) & 0xff);
    sharc_buf_put(out, sharc_span(raw, (size_t)bytes));
}

static void put_u32(struct sharc_buf *out, size_t v)
{
    put_bytes(out, v, 4);
}

static void put_f64(struct sharc_buf *out, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_bytes(out, bits, 8);
}

static void put_text(struct sharc_buf *out, struct sharc_span s)
{
    put_u32(out, s.n);
    sharc_buf_put(out, s);
}

static void put_columns(struct sharc_buf *out, const struct sharc_rate_model *m)
{
    for (size_t c = 0; c < m->columns; c++) {
        put_u32(out, m->column[c].kind == SHARC_RATE_NUMBER);
        put_text(out, sharc_span_of(m->column[c].name));
        if (m->column[c].kind == SHARC_RATE_NUMBER) continue;
        const uint32_t n = sharc_intern_count(m->words[c]);
        put_u32(out, n);
        for (uint32_t i = 0; i < n; i++) put_text(out, sharc_intern_text(m->words[c], i));
    }
}

static void put_bayes(struct sharc_buf *out, const struct sharc_rate_model *m)
{
    for (unsigned k = 0; k < m->bins.n; k++) put_f64(out, m->bayes.prior[k]);
    for (size_t c = 0; c < m->columns; c++) {
        const struct bayes_column *b = &m->bayes.column[c];
        if (m->column[c].kind == SHARC_RATE_NUMBER) {
            put_u32(out, b->cuts);
            for (uint32_t i = 0; i < b->cuts; i++) put_f64(out, b->cut[i]);
        }
        for (unsigned k = 0; k < m->bins.n; k++) put_f64(out, b->known[k]);
        for (uint32_t v = 0; v < b->values; v++) {
            put_u32(out, b->first[v + 1] - b->first[v]);
            for (uint32_t i = b->first[v]; i < b->first[v + 1]; i++) {
                put_u32(out, b->cell[i].class);
                put_f64(out, b->cell[i].count);
            }
        }
    }
}

static void put_tree(struct sharc_buf *out, const struct sharc_rate_model *m)
{
    const struct rate_tree *t = &m->tree;
    put_u32(out, t->nodes);
    for (size_t i = 0; i < t->nodes; i++) {
        const struct tree_node *n = &t->node[i];
        put_bytes(out, (uint32_t)n->column, 4);
        put_u32(out, n->children);
        put_u32(out, n->word);
        put_u32(out, n->pivot);
        put_f64(out, n->threshold);
        put_u32(out, n[1].counts - n->counts);
        for (uint32_t k = n->counts; k < n[1].counts; k++) {
            put_u32(out, t->count[k].class);
            put_f64(out, t->count[k].count);
        }
    }
}

static void put_forest(struct sharc_buf *out, const struct sharc_rate_model *m)
{
    const struct rate_forest *f = &m->forest;
    put_u32(out, f->trees);
    put_u32(out, f->nodes);
    for (size_t t = 0; t < f->trees; t++) put_u32(out, f->first[t]);
    for (size_t i = 0; i < f->nodes; i++) {
        put_u32(out, (uint32_t)f->node[i].column);
        put_f64(out, f->node[i].value);
        put_u32(out, f->node[i].yes);
        put_u32(out, f->node[i].no);
        put_u32(out, f->node[i].missing);
    }
}

/* --- reading --------------------------------------------------------------- */

/* Reads on after a failure as if all were 0, so that loops end; the first
 * failure is kept. Every count is checked against the bytes that are left
 * before anything is allocated for it. */
struct reader {
    struct sharc_span s;
    size_t at;
    int code; /* 0, or the first failure */
    struct sharc_err *err;
};

SHARC_PRINTF(3, 4) static void fail(struct reader *r, int code, const char *fmt, ...)
{
    if (r->code) return;
    char text[200];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    r->code = sharc_fail(r->err, code, "byte %zu of the model: %s; train it again", r->at, text);
    if (r->err) r->err->offset = r->at;
}

static uint64_t get_bytes(struct reader *r, int bytes)
{
    if (r->s.n - r->at < (size_t)bytes) fail(r, SHARC_ETRUNC, "the file ends here");
    if (r->code) return 0;
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v |= (uint64_t)(uint8_t)r->s.p[r->at + (size_t)i] << (8 * i);
    r->at += (size_t)bytes;
    return v;
}

static uint32_t get_u32(struct reader *r)
{
    return (uint32_t)get_bytes(r, 4);
}

/* A count of things of at least `size` bytes each. */
static uint32_t get_count(struct reader *r, size_t size, uint32_t max, const char *what)
{
    uint32_t n = get_u32(r);
    if (n > max || n > (r->s.n - r->at) / size) {
        fail(r, n > max ? SHARC_ELIMIT : SHARC_ETRUNC, "%u %s cannot be", n, what);
        return 0;
    }
    return n;
}

static double get_f64(struct reader *r)
{
    uint64_t bits = get_bytes(r, 8);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* A finite number in [low, high]. */
static double get_number(struct reader *r, double low, double high, const char *what)
{
    double v = get_f64(r);
    if (!(v >= low && v <= high)) {
        fail(r, SHARC_ECORRUPT, "%s is out of range", what);
        return low;
    }
    return v;
}

static struct sharc_span get_text(struct reader *r, uint32_t max)
{
    uint32_t n = get_count(r, 1, max, "bytes of text");
    struct sharc_span s = sharc_span_sub(r->s, r->at, r->at + n);
    r->at += n;
    return s;
}

static void get_head(struct reader *r, struct sharc_rate_model **ret)
{
    if (r->s.n < sizeof magic || memcmp(r->s.p, magic, sizeof magic) != 0) {
        fail(r, SHARC_ESYNTAX, "this is not a sharc model");
        return;
    }
    r->at = sizeof magic;
    uint32_t version = get_u32(r);
    if (version != VERSION)
        fail(r, SHARC_EUNSUPPORTED, "version %u, and this sharc reads version %d", version, VERSION);
    if (r->code) return;
    /* The fingerprint first: what follows is then damaged by intent only. */
    struct reader tail = {.s = r->s, .at = r->s.n < 16 ? r->s.n : r->s.n - 8, .err = r->err};
    uint64_t want = get_bytes(&tail, 8);
    r->code = tail.code;
    if (r->code) return;
    r->s.n -= 8;
    if (sharc_fingerprint(r->s, SEED) != want) fail(r, SHARC_ECORRUPT, "the bytes do not match their fingerprint");
    uint32_t learner = get_u32(r), columns = get_u32(r), bins = get_u32(r);
    if (learner > SHARC_RATE_XGBOOST) fail(r, SHARC_ECORRUPT, "learner %u is unknown", learner);
    if (columns < 1 || columns > SHARC_RATE_COLUMNS_MAX) fail(r, SHARC_ECORRUPT, "%u columns cannot be", columns);
    if (bins < 1 || bins > SHARC_RATE_BINS_MAX) fail(r, SHARC_ECORRUPT, "%u bins cannot be", bins);
    if (r->code) return;
    *ret = sharc__rate_model_new((enum sharc_rate_learner)learner, columns);
    (*ret)->bins.n = bins;
    (*ret)->smoothing = get_number(r, 1e-9, 1e6, "the smoothing");
}

static void get_bins(struct reader *r, struct sharc_rate_bins *b)
{
    double before = -1;
    for (unsigned k = 0; k < b->n; k++) {
        struct sharc_rate_bin *bin = &b->bin[k];
        bin->upper = get_f64(r);
        bin->mean = get_number(r, 0, 1e300, "the mean of a bin");
        bin->prior.shape = get_number(r, 1e-3, 1e3, "the shape of a prior");
        bin->prior.time = get_number(r, 1e-300, 1e300, "the time of a prior");
        bin->count = (size_t)get_bytes(r, 8);
        bool last = k + 1 == b->n;
        if (last ? !(bin->upper > 0 && isinf(bin->upper)) : !(bin->upper > before && isfinite(bin->upper)))
            fail(r, SHARC_ECORRUPT, "the bins are not in order");
        before = bin->upper;
    }
}

static void get_columns(struct reader *r, struct sharc_rate_model *m)
{
    for (size_t c = 0; c < m->columns && !r->code; c++) {
        uint32_t kind = get_u32(r);
        if (kind > 1) fail(r, SHARC_ECORRUPT, "a column of kind %u", kind);
        struct sharc_span name = get_text(r, NAME_MAX_BYTES);
        m->column[c].kind = kind ? SHARC_RATE_NUMBER : SHARC_RATE_WORD;
        m->column[c].name = sharc_span_dup(name);
        if (memchr(m->column[c].name, 0, name.n)) fail(r, SHARC_ECORRUPT, "a name with a zero byte");
        if (kind) continue;
        m->words[c] = sharc_intern_new();
        uint32_t n = get_count(r, 4, UINT32_MAX - 1, "words");
        for (uint32_t i = 0; i < n && !r->code; i++) {
            bool is_new;
            sharc_intern_add(m->words[c], get_text(r, WORD_MAX_BYTES), &is_new);
            if (!is_new) fail(r, SHARC_ECORRUPT, "the same word twice");
        }
    }
}

/* The next cell of a row; classes ascend. */
static double get_cell(struct reader *r, unsigned bins, bool first, uint32_t *class)
{
    uint32_t before = *class;
    *class = get_u32(r);
    if (*class >= bins || (!first && *class <= before)) {
        fail(r, SHARC_ECORRUPT, "bin %u is out of order", *class);
        *class = 0;
    }
    return get_number(r, 1e-9, 1e15, "a count");
}

#define CELL_BYTES 12

static void get_bayes_values(struct reader *r, unsigned bins, struct bayes_column *b)
{
    size_t cells = 0, room = 0;
    b->first = SHARC_NEW_ARRAY(uint32_t, (size_t)b->values + 1);
    for (uint32_t v = 0; v < b->values && !r->code; v++) {
        uint32_t n = get_count(r, CELL_BYTES, bins, "cells"), class = 0;
        for (uint32_t i = 0; i < n && !r->code; i++) {
            double count = get_cell(r, bins, i == 0, &class);
            SHARC_GROW(b->cell, room, cells + 1);
            b->cell[cells++] = (struct bayes_cell){.class = class, .count = count};
        }
        b->first[v + 1] = (uint32_t)cells;
    }
}

static void get_bayes(struct reader *r, struct sharc_rate_model *m)
{
    const unsigned bins = m->bins.n;
    double all = 0;
    m->bayes.prior = SHARC_NEW_ARRAY(double, bins);
    for (unsigned k = 0; k < bins; k++) all += m->bayes.prior[k] = get_number(r, 0, 1e15, "a count");
    if (!(all > 0)) fail(r, SHARC_ECORRUPT, "no examples");
    for (size_t c = 0; c < m->columns && !r->code; c++) {
        struct bayes_column *b = &m->bayes.column[c];
        if (m->column[c].kind == SHARC_RATE_NUMBER) {
            b->cuts = get_count(r, 8, RATE_GRID_MAX, "cuts");
            b->cut = SHARC_NEW_ARRAY(double, b->cuts);
            for (uint32_t i = 0; i < b->cuts; i++) {
                b->cut[i] = get_number(r, -1e300, 1e300, "a cut");
                if (i > 0 && !(b->cut[i] > b->cut[i - 1])) fail(r, SHARC_ECORRUPT, "cuts are not in order");
            }
            b->values = b->cuts + 1;
        } else {
            b->values = sharc_intern_count(m->words[c]);
        }
        b->known = SHARC_NEW_ARRAY(double, bins);
        for (unsigned k = 0; k < bins; k++) b->known[k] = get_number(r, 0, 1e15, "a count");
        get_bayes_values(r, bins, b);
    }
}

static bool children_fit(const struct sharc_rate_model *m, const struct tree_node *n)
{
    if (n->column < 0) return n->children == 0;
    if (m->column[n->column].kind == SHARC_RATE_NUMBER) return n->children == 2;
    if (n->pivot == RATE_UNKNOWN) return n->children >= 1;
    return n->children == 2 && n->pivot < sharc_intern_count(m->words[n->column]);
}

static void get_node(struct reader *r, struct sharc_rate_model *m, struct tree_node *n, size_t *room)
{
    struct rate_tree *t = &m->tree;
    n->column = (int32_t)get_u32(r);
    n->children = get_u32(r);
    n->word = get_u32(r);
    n->pivot = get_u32(r);
    n->threshold = get_number(r, -1e300, 1e300, "a threshold");
    n->counts = (uint32_t)t->count_n;
    uint32_t cells = get_count(r, CELL_BYTES, m->bins.n, "cells"), class = 0;
    for (uint32_t i = 0; i < cells && !r->code; i++) {
        double count = get_cell(r, m->bins.n, i == 0, &class);
        SHARC_GROW(t->count, *room, t->count_n + 1);
        t->count[t->count_n++] = (struct tree_count){.class = class, .count = count};
        n->total += count;
    }
    if (n->column < -1 || n->column >= (int32_t)m->columns) fail(r, SHARC_ECORRUPT, "column %d is unknown", n->column);
    if (r->code) return;
    if (!children_fit(m, n)) fail(r, SHARC_ECORRUPT, "%u children cannot be", n->children);
}

/* Children follow in order, so their places can be computed; every node but
 * the root must turn out to be a child, siblings in order of their words, and
 * no branch longer than the trainer makes them. */
static void join_nodes(struct reader *r, struct sharc_rate_model *m)
{
    struct rate_tree *t = &m->tree;
    SHARC_AUTO(sharc_freep) uint16_t *depth = SHARC_NEW_ARRAY(uint16_t, t->nodes);
    size_t next = 1;
    for (size_t i = 0; i < t->nodes; i++) {
        struct tree_node *n = &t->node[i];
        if (i >= next || n->children > t->nodes - next) {
            fail(r, SHARC_ECORRUPT, "the nodes do not form a tree");
            return;
        }
        n->first = (uint32_t)next;
        next += n->children;
        if (n->children && depth[i] >= RATE_DEPTH_MAX) {
            fail(r, SHARC_ELIMIT, "the tree is deeper than %d levels", RATE_DEPTH_MAX);
            return;
        }
        bool words = n->column >= 0 && m->column[n->column].kind == SHARC_RATE_WORD && n->pivot == RATE_UNKNOWN;
        for (uint32_t b = 0; b < n->children; b++) {
            const struct tree_node *child = &t->node[n->first + b];
            depth[n->first + b] = (uint16_t)(depth[i] + 1);
            if (!words) continue;
            if (child->word >= sharc_intern_count(m->words[n->column]) || (b > 0 && child->word <= child[-1].word))
                fail(r, SHARC_ECORRUPT, "the words of a node are not in order");
        }
    }
    if (next != t->nodes) fail(r, SHARC_ECORRUPT, "the nodes do not form a tree");
}

static void get_tree(struct reader *r, struct sharc_rate_model *m)
{
    const size_t node_bytes = 28;
    struct rate_tree *t = &m->tree;
    size_t room = 0;
    t->nodes = get_count(r, node_bytes, UINT32_MAX - 1, "nodes");
    if (t->nodes == 0) fail(r, SHARC_ECORRUPT, "a tree without nodes");
    if (r->code) return;
    t->node = SHARC_NEW_ARRAY(struct tree_node, t->nodes + 1);
    for (size_t i = 0; i < t->nodes && !r->code; i++) get_node(r, m, &t->node[i], &room);
    if (r->code) return;
    t->node[t->nodes].counts = (uint32_t)t->count_n;
    join_nodes(r, m);
}

static void get_forest(struct reader *r, struct sharc_rate_model *m)
{
    const size_t node_bytes = 24;
    struct rate_forest *f = &m->forest;
    f->trees = get_count(r, 4, UINT32_MAX - 1, "trees");
    f->nodes = get_count(r, node_bytes, UINT32_MAX - 1, "nodes");
    if (r->code) return;
    if (f->trees % m->bins.n != 0)
        fail(r, SHARC_ECORRUPT, "the number of trees is not a multiple of the number of bins");
    f->first = SHARC_NEW_ARRAY(uint32_t, f->trees + 1);
    f->node = SHARC_NEW_ARRAY(struct forest_node, f->nodes + 1);
    for (size_t t = 0; t < f->trees; t++) f->first[t] = get_u32(r);
    for (size_t i = 0; i < f->nodes && !r->code; i++) {
        struct forest_node *n = &f->node[i];
        n->column = (int32_t)get_u32(r);
        n->value = get_number(r, -3.5e38, 3.5e38, "a threshold");
        n->yes = get_u32(r), n->no = get_u32(r), n->missing = get_u32(r);
        if (n->column < -1 || n->column >= (int32_t)m->columns) fail(r, SHARC_ECORRUPT, "a node names no column");
    }
    if (!r->code && !sharc__rate_forest_sound(m)) fail(r, SHARC_ECORRUPT, "the nodes do not form trees");
}

/* --- a model ---------------------------------------------------------------- */

/* What follows the columns, by learner. */
static const struct {
    void (*put)(struct sharc_buf *out, const struct sharc_rate_model *m);
    void (*get)(struct reader *r, struct sharc_rate_model *m);
} forms[] = {
    [SHARC_RATE_NAIVE_BAYES] = {put_bayes, get_bayes},
    [SHARC_RATE_C45] = {put_tree, get_tree},
    [SHARC_RATE_XGBOOST] = {put_forest, get_forest},
};

int sharc_rate_model_save(const struct sharc_rate_model *m, struct sharc_buf *out)
{
    const size_t start = out->n;
    sharc_buf_put(out, sharc_span(magic, sizeof magic));
    put_u32(out, VERSION);
    put_u32(out, m->learner);
    put_u32(out, m->columns);
    put_u32(out, m->bins.n);
    put_f64(out, m->smoothing);
    for (unsigned k = 0; k < m->bins.n; k++) {
        const struct sharc_rate_bin *b = &m->bins.bin[k];
        put_f64(out, b->upper);
        put_f64(out, b->mean);
        put_f64(out, b->prior.shape);
        put_f64(out, b->prior.time);
        put_bytes(out, b->count, 8);
    }
    put_columns(out, m);
    forms[m->learner].put(out, m);
    if (out->failed) return sharc_buf_result(out, NULL);
    put_bytes(out, sharc_fingerprint(sharc_span_from(sharc_buf_span(out), start), SEED), 8);
    return sharc_buf_result(out, NULL);
}

int sharc_rate_model_load(struct sharc_span bytes, struct sharc_rate_model **ret, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(bytes.n > SHARC_RATE_MODEL_BYTES_MAX, reterr, SHARC_ELIMIT,
                  "a model of %zu bytes is larger than %u, the most allowed", bytes.n, SHARC_RATE_MODEL_BYTES_MAX);
    struct reader r = {.s = bytes, .err = reterr};
    SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *m = NULL;
    get_head(&r, &m);
    if (!r.code) get_bins(&r, &m->bins);
    if (!r.code) get_columns(&r, m);
    if (!r.code) forms[m->learner].get(&r, m);
    if (!r.code && r.at != r.s.n) fail(&r, SHARC_ECORRUPT, "bytes are left over");
    if (r.code) return r.code;
    *ret = SHARC_TAKE(m);
    return 0;
}
