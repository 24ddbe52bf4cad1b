/* SPDX-License-Identifier: Apache-2.0
 *
 * Gradient-boosted trees over the bins. They are grown by XGBoost, when sharc was
 * built with it, and read back from its listing into a form of our own: asking
 * needs no library, a saved forest is checked like every other model, and
 * whatever a file claims, a child comes after its parent, so walking ends.
 */
#include "model_int.h"

#include <math.h>
#include <stdlib.h>

/* Words are numbers here by their place in the order; what was never seen is
 * missing, for which every split has a side. */
void sharc__rate_forest_row(const struct sharc_rate_model *m, const struct sharc_rate_value *v, float *ret)
{
    for (size_t c = 0; c < m->columns; c++) {
        ret[c] = (float)SHARC_RATE_UNKNOWN;
        if (m->column[c].kind == SHARC_RATE_NUMBER) {
            ret[c] = (float)v[c].number;
        } else if (v[c].word.p) {
            uint32_t id = sharc_intern_find(m->words[c], v[c].word);
            if (id != SHARC_NO_ID) ret[c] = (float)id;
        }
    }
}

static double walk(const struct forest_node *node, const float *row)
{
    const struct forest_node *at = node;
    while (at->column >= 0) {
        const float x = row[at->column];
        uint32_t next = isnan(x) ? at->missing : (double)x < at->value ? at->yes : at->no;
        at = &node[next];
    }
    return at->value;
}

void sharc__rate_forest_ask(const struct sharc_rate_model *m, const struct sharc_rate_value *v, double *ret)
{
    const struct rate_forest *f = &m->forest;
    const unsigned bins = m->bins.n;
    float row[SHARC_RATE_COLUMNS_MAX];
    sharc__rate_forest_row(m, v, row);
    for (unsigned k = 0; k < bins; k++) ret[k] = 0;
    for (size_t t = 0; t < f->trees; t++) ret[t % bins] += walk(f->node + f->first[t], row);
    double most = -HUGE_VAL, sum = 0;
    for (unsigned k = 0; k < bins; k++) most = fmax(most, ret[k]);
    for (unsigned k = 0; k < bins; k++) sum += ret[k] = exp(ret[k] - most);
    for (unsigned k = 0; k < bins; k++) ret[k] /= sum;
}

int sharc__rate_forest_describe(const struct sharc_rate_model *m, struct sharc_buf *out)
{
    size_t splits[SHARC_RATE_COLUMNS_MAX] = {0};
    for (size_t i = 0; i < m->forest.nodes; i++)
        if (m->forest.node[i].column >= 0) splits[m->forest.node[i].column]++;
    sharc_buf_printf(out, "%s\nfeature              splits\n", SHARC_COUNT(m->forest.trees, "tree"));
    for (size_t c = 0; c < m->columns; c++) sharc_buf_printf(out, "%-18s %8zu\n", m->column[c].name, splits[c]);
    return sharc_buf_result(out, NULL);
}

/* --- the listing ------------------------------------------------------------------ */

static bool number_after(struct sharc_span line, const char *mark, double *ret)
{
    size_t at = sharc_span_search(line, sharc_span_of(mark));
    if (at == SHARC_NPOS) return false;
    size_t from = at + strlen(mark), to = from;
    while (to < line.n && line.p[to] != ',' && line.p[to] != ']') to++;
    return sharc_span_to_double(sharc_span_sub(line, from, to), ret) == 0;
}

/* "3:[f2<3.5] yes=7,no=8,missing=7" or "7:leaf=0.25"; the tree's nodes may come in
 * any order. */
static bool read_node(struct sharc_span line, size_t columns, struct forest_node *node, size_t nodes)
{
    double id, column, value, yes, no, missing;
    size_t colon = sharc_span_find(line, ':', 0);
    if (colon == SHARC_NPOS || sharc_span_to_double(sharc_span_sub(line, 0, colon), &id) < 0) return false;
    if (!(id >= 0 && id < (double)nodes)) return false;
    if (number_after(line, "leaf=", &value)) {
        node[(size_t)id] = (struct forest_node){.column = -1, .value = value};
        return true;
    }
    size_t less = sharc_span_find(line, '<', 0), open = sharc_span_search(line, SHARC_SPAN("[f"));
    if (less == SHARC_NPOS || open == SHARC_NPOS || less < open) return false;
    if (sharc_span_to_double(sharc_span_sub(line, open + 2, less), &column) < 0) return false;
    if (!number_after(line, "<", &value) || !number_after(line, "yes=", &yes) || !number_after(line, "no=", &no) ||
        !number_after(line, "missing=", &missing))
        return false;
    if (!(column >= 0 && column < (double)columns)) return false;
    const double children[] = {yes, no, missing};
    for (int i = 0; i < 3; i++)
        if (!(children[i] > id && children[i] < (double)nodes)) return false;
    node[(size_t)id] = (struct forest_node){(int32_t)column, value, (uint32_t)yes, (uint32_t)no, (uint32_t)missing};
    return true;
}

bool sharc__rate_forest_add(struct sharc_rate_model *m, struct sharc_span listing)
{
    struct rate_forest *f = &m->forest;
    struct sharc_span rest = listing, line;
    size_t lines = 0;
    while (sharc_span_next(&rest, '\n', &line)) lines += sharc_span_trim(line).n > 0;
    SHARC_GROW(f->first, f->first_room, f->trees + 1);
    SHARC_GROW(f->node, f->node_room, f->nodes + lines);
    f->first[f->trees++] = (uint32_t)f->nodes;
    rest = listing;
    while (sharc_span_next(&rest, '\n', &line)) {
        line = sharc_span_trim(line);
        if (line.n > 0 && !read_node(line, m->columns, f->node + f->nodes, lines)) return false;
    }
    f->nodes += lines;
    return lines > 0;
}

/* A tree's nodes lie together and every child comes after its parent. */
bool sharc__rate_forest_sound(const struct sharc_rate_model *m)
{
    const struct rate_forest *f = &m->forest;
    for (size_t t = 0; t < f->trees; t++) {
        size_t end = t + 1 < f->trees ? f->first[t + 1] : f->nodes, from = f->first[t];
        if (from >= end || end > f->nodes) return false;
        for (size_t i = from; i < end; i++) {
            const struct forest_node *n = &f->node[i];
            if (n->column < 0) continue;
            const uint32_t child[] = {n->yes, n->no, n->missing};
            for (int k = 0; k < 3; k++)
                if (child[k] <= i - from || child[k] >= end - from) return false;
        }
    }
    return true;
}
