/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree: building it, and asking it.
 */
#include "base_int.h"
#include "node_int.h"
#include "sharc/base_digest.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* --- complaints ----------------------------------------------------------- */

int sharc__base_fail_at(struct sharc_err *reterr, int code, struct node_place at, size_t offset, const char *fmt, ...)
{
    char what[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    sharc_fail(reterr, code, "line %u, column %u: %s", at.line, at.column, what);
    if (reterr) {
        reterr->line = at.line;
        reterr->offset = offset == SHARC_NPOS ? SHARC_NOWHERE : offset;
    }
    return code;
}

struct node_place sharc__base_place_of(struct sharc_span text, size_t offset)
{
    struct node_place at = {1, 1};
    if (offset > text.n) offset = text.n;
    for (size_t i = 0; i < offset; i++) {
        if (text.p[i] == '\n') {
            at.line++;
            at.column = 1;
        } else if ((text.p[i] & 0xc0) != 0x80) {
            at.column++;
        }
    }
    return at;
}

/* --- building ------------------------------------------------------------- */

struct sharc_node *sharc__base_tree_add(struct node_tree *t, enum sharc_node_kind kind, struct node_place at,
                                        struct sharc_err *reterr)
{
    struct sharc_node *n = t->nodes < t->max_nodes ? SHARC_ARENA_NEW(t->arena, struct sharc_node) : NULL;
    if (!n) {
        bool many = t->nodes >= t->max_nodes;
        sharc__base_fail_at(reterr, SHARC_ELIMIT, at, SHARC_NPOS, "more than %zu %s%s%s",
                            many ? t->max_nodes : t->arena->max, many ? "values (" : "bytes of memory",
                            many ? t->max_nodes_name : "", many ? ")" : "");
        return NULL;
    }
    t->nodes++;
    n->kind = kind;
    n->line = at.line;
    n->column = at.column;
    if (t->named) {
        n->name = t->name;
        n->line = t->name_at.line;
        n->column = t->name_at.column;
        t->named = false;
    }
    if (t->depth == 0) {
        t->root = n;
        return n;
    }
    struct sharc_node *parent = t->open[t->depth - 1].node, *last = t->open[t->depth - 1].last;
    parent->count++;
    if (last)
        last->next = n;
    else
        parent->first = n;
    t->open[t->depth - 1].last = n;
    return n;
}

int sharc__base_tree_open(struct node_tree *t, enum sharc_node_kind kind, struct node_place at,
                          struct sharc_err *reterr)
{
    if (t->depth == t->max_depth)
        return sharc__base_fail_at(reterr, SHARC_ELIMIT, at, SHARC_NPOS, "nested more than %u levels deep (%s)",
                                   t->max_depth, t->max_depth_name);
    struct sharc_node *n = sharc__base_tree_add(t, kind, at, reterr);
    if (!n) return SHARC_ELIMIT;
    t->open[t->depth].node = n;
    t->open[t->depth].last = NULL;
    t->depth++;
    return 0;
}

#define FEW 8 /* this many names are compared one by one */

static const struct sharc_node *twice_among_few(const struct sharc_node *map)
{
    for (const struct sharc_node *n = map->first; n; n = n->next) {
        for (const struct sharc_node *m = map->first; m != n; m = m->next)
            if (sharc_span_eq(n->name, m->name)) return n;
    }
    return NULL;
}

static const struct sharc_node *twice_among_many(struct node_tree *t, const struct sharc_node *map)
{
    size_t room = 64;
    while (room < map->count * 2) room *= 2;
    SHARC_GROW(t->slots, t->slot_room, room);
    memset(t->slots, 0, room * sizeof *t->slots);
    uint64_t seed = sharc__base_hash_seed();
    for (const struct sharc_node *n = map->first; n; n = n->next) {
        size_t i = (size_t)sharc_fingerprint(n->name, seed) & (room - 1);
        for (; t->slots[i]; i = (i + 1) & (room - 1))
            if (sharc_span_eq(t->slots[i]->name, n->name)) return n;
        t->slots[i] = n;
    }
    return NULL;
}

int sharc__base_tree_close(struct node_tree *t, struct sharc_err *reterr)
{
    const struct sharc_node *n = t->open[--t->depth].node;
    if (n->kind != SHARC_MAP) return 0;
    const struct sharc_node *twice = n->count <= FEW ? twice_among_few(n) : twice_among_many(t, n);
    if (!twice) return 0;
    struct node_place at = {twice->line, twice->column};
    return sharc__base_fail_at(reterr, SHARC_ESYNTAX, at, SHARC_NPOS, "the name \"%.*s\" occurs twice",
                               (int)(twice->name.n < 60 ? twice->name.n : 60), twice->name.n ? twice->name.p : "");
}

void sharc__base_tree_done(struct node_tree *t)
{
    free(t->slots);
    t->slots = NULL;
    t->slot_room = 0;
}

/* --- numbers -------------------------------------------------------------- */

static size_t digits_at(struct sharc_span s, size_t i)
{
    size_t from = i;
    while (i < s.n && sharc_is_digit(s.p[i])) i++;
    return i - from;
}

/* RFC 8259, section 6. */
static bool is_json_number(struct sharc_span s, bool *ret_integer)
{
    size_t i = s.n && s.p[0] == '-', n = digits_at(s, i);
    if (n == 0 || (n > 1 && s.p[i] == '0')) return false;
    i += n;
    *ret_integer = i == s.n;
    if (i < s.n && s.p[i] == '.') {
        n = digits_at(s, i + 1);
        if (n == 0) return false;
        i += 1 + n;
    }
    if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
        i++;
        if (i < s.n && (s.p[i] == '+' || s.p[i] == '-')) i++;
        n = digits_at(s, i);
        if (n == 0) return false;
        i += n;
    }
    return i == s.n;
}

int sharc__base_node_number(struct sharc_node *n, struct sharc_span s)
{
    bool integer;
    if (!is_json_number(s, &integer)) return 0;
    n->text = s;
    n->kind = SHARC_INT;
    if (integer && sharc_span_to_i64(s, &n->v.integer) == 0) return 1;
    n->kind = SHARC_REAL;
    int r = sharc_span_to_double(s, &n->v.real);
    return r < 0 ? SHARC_ELIMIT : 1;
}

/* --- asking --------------------------------------------------------------- */

const struct sharc_node *sharc_node_get(const struct sharc_node *map, const char *name)
{
    if (!map || map->kind != SHARC_MAP) return NULL;
    struct sharc_span want = sharc_span_of(name);
    for (const struct sharc_node *n = map->first; n; n = n->next)
        if (sharc_span_eq(n->name, want)) return n;
    return NULL;
}

const struct sharc_node *sharc_node_at(const struct sharc_node *list, size_t index)
{
    if (!list || (list->kind != SHARC_LIST && list->kind != SHARC_MAP)) return NULL;
    const struct sharc_node *n = list->first;
    while (n && index--) n = n->next;
    return n;
}

double sharc_node_real(const struct sharc_node *n, double otherwise)
{
    if (n && n->kind == SHARC_REAL) return n->v.real;
    return n && n->kind == SHARC_INT ? (double)n->v.integer : otherwise;
}

int64_t sharc_node_int(const struct sharc_node *n, int64_t otherwise)
{
    if (n && n->kind == SHARC_INT) return n->v.integer;
    const double end = 9223372036854775808.0; /* 2^63 */
    if (!n || n->kind != SHARC_REAL || !(n->v.real >= -end && n->v.real < end)) return otherwise;
    int64_t v = (int64_t)n->v.real;
    return (double)v == n->v.real ? v : otherwise;
}

bool sharc_node_bool(const struct sharc_node *n, bool otherwise)
{
    return n && n->kind == SHARC_BOOL ? n->v.truth : otherwise;
}

struct sharc_span sharc_node_text(const struct sharc_node *n)
{
    return n ? n->text : SHARC_SPAN_NONE;
}
