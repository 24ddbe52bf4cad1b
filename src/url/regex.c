/* SPDX-License-Identifier: Apache-2.0
 *
 * Parsing to a small tree, the tree to a program (Thompson), and the walk over
 * all states at once. No captures: a scope rule asks only whether.
 */
#include "regex_int.h"

#include <stdlib.h>

#define MAX_NESTING 100u
#define MAX_COUNT 1000u

struct byteset {
    uint64_t bits[4];
};

enum node_kind { NODE_EMPTY, NODE_SET, NODE_LIST, NODE_EITHER, NODE_REPEAT, NODE_START, NODE_END };
struct node {
    enum node_kind kind;
    uint32_t first, next; /* child, sibling; 0: none */
    uint32_t set;         /* NODE_SET */
    unsigned least, most; /* NODE_REPEAT; most == UINT_MAX: any number */
};

enum op { OP_SET, OP_SPLIT, OP_JUMP, OP_START, OP_END, OP_MATCH };
struct step {
    enum op op;
    uint32_t a, b; /* OP_SET: set; OP_SPLIT: both ways; OP_JUMP: where to */
};

struct regex {
    struct step steps[REGEX_PROGRAM];
    uint32_t count;
    struct byteset *sets;
    size_t set_count, set_room;
};

struct parser {
    struct sharc_span text;
    size_t at;
    bool fold; /* (?i) */
    unsigned nesting;
    struct node *nodes; /* nodes[0] is none */
    size_t count, room;
    struct regex *r;
    unsigned visits; /* of emit_node */
    const char *wrong;
};

static const char too_large[] = "the expression is too large once its counts are written out; make them smaller";

/* --- sets of bytes ----------------------------------------------------------- */

static void set_add(struct byteset *s, unsigned char c)
{
    s->bits[c >> 6] |= UINT64_C(1) << (c & 63);
}

static bool set_has(const struct byteset *s, unsigned char c)
{
    return s->bits[c >> 6] >> (c & 63) & 1;
}

static void set_invert(struct byteset *s)
{
    for (int i = 0; i < 4; i++) s->bits[i] = ~s->bits[i];
}

static void set_range(struct byteset *s, unsigned char from, unsigned char to)
{
    for (unsigned c = from; c <= to; c++) set_add(s, (unsigned char)c);
}

/* d, w, s and their complements D, W, S. */
static bool set_named(struct byteset *s, char name)
{
    struct byteset named = {{0}};
    switch (name | 32) {
    case 'd': set_range(&named, '0', '9'); break;
    case 'w':
        set_range(&named, '0', '9');
        set_range(&named, 'A', 'Z');
        set_range(&named, 'a', 'z');
        set_add(&named, '_');
        break;
    case 's':
        set_range(&named, '\t', '\r');
        set_add(&named, ' ');
        break;
    default: return false;
    }
    if (sharc_is_upper(name)) set_invert(&named);
    for (int i = 0; i < 4; i++) s->bits[i] |= named.bits[i];
    return true;
}

static void set_fold(struct byteset *s)
{
    for (unsigned i = 0; i < 26; i++) {
        unsigned char lower = (unsigned char)('a' + i), upper = (unsigned char)('A' + i);
        if (set_has(s, lower)) set_add(s, upper);
        if (set_has(s, upper)) set_add(s, lower);
    }
}

/* --- parsing ----------------------------------------------------------------- */

static uint32_t fail(struct parser *p, const char *wrong)
{
    if (!p->wrong) p->wrong = wrong;
    return 0;
}

static uint32_t new_node(struct parser *p, enum node_kind kind)
{
    SHARC_GROW(p->nodes, p->room, p->count + 1);
    p->nodes[p->count] = (struct node){.kind = kind};
    return (uint32_t)p->count++;
}

static uint32_t new_set(struct parser *p, struct byteset set)
{
    struct regex *r = p->r;
    if (p->fold) set_fold(&set);
    SHARC_GROW(r->sets, r->set_room, r->set_count + 1);
    r->sets[r->set_count] = set;
    uint32_t node = new_node(p, NODE_SET);
    p->nodes[node].set = (uint32_t)r->set_count++;
    return node;
}

static bool more(const struct parser *p)
{
    return p->at < p->text.n;
}

static char peek(const struct parser *p)
{
    return more(p) ? p->text.p[p->at] : 0;
}

static bool take(struct parser *p, char c)
{
    if (!more(p) || peek(p) != c) return false;
    p->at++;
    return true;
}

/* Behind a backslash: a class goes into set and true comes back; else *ret. */
static bool escape(struct parser *p, struct byteset *set, unsigned char *ret)
{
    if (!more(p)) {
        fail(p, "the expression ends in a backslash");
        return false;
    }
    char c = p->text.p[p->at++];
    if (set_named(set, c)) return true;
    if (c >= '1' && c <= '9')
        fail(p, "back-references are not supported, no bound on time could be kept with them");
    else if (c == 'x') {
        int high = p->text.n - p->at >= 2 ? sharc_hex_value(p->text.p[p->at]) : -1;
        int low = high >= 0 ? sharc_hex_value(p->text.p[p->at + 1]) : -1;
        if (low < 0) fail(p, "\\x needs two hexadecimal digits");
        p->at += low < 0 ? 0 : 2;
        *ret = (unsigned char)(low < 0 ? 0 : high << 4 | low);
    } else if (sharc_is_alnum(c))
        fail(p, "this escape is not known; before a letter or digit only \\d \\w \\s \\D \\W \\S and \\xHH are");
    else
        *ret = (unsigned char)c;
    return false;
}

/* One end of a range inside brackets; true when it was a class instead. */
static bool bracket_item(struct parser *p, struct byteset *set, unsigned char *ret)
{
    *ret = (unsigned char)p->text.p[p->at++];
    return *ret == '\\' && escape(p, set, ret);
}

/* Behind '['. */
static uint32_t bracket(struct parser *p)
{
    struct byteset set = {{0}};
    bool negate = take(p, '^'), first = true;
    while (first || peek(p) != ']') {
        unsigned char from, to;
        if (!more(p)) return fail(p, "a bracket '[' is not closed");
        if (sharc_span_starts(sharc_span_from(p->text, p->at), SHARC_SPAN("[:")))
            return fail(p, "named classes like [:digit:] are not supported, write \\d or 0-9");
        first = false;
        if (bracket_item(p, &set, &from)) continue;
        to = from;
        if (peek(p) == '-' && p->at + 1 < p->text.n && p->text.p[p->at + 1] != ']') {
            p->at++;
            if (bracket_item(p, &set, &to)) return fail(p, "a range cannot end in a class");
        }
        if (p->wrong) return 0;
        if (to < from) return fail(p, "a range runs backwards");
        set_range(&set, from, to);
    }
    p->at++;
    if (negate) set_invert(&set);
    return new_set(p, set);
}

static uint32_t either(struct parser *p);

/* Behind '('. */
static uint32_t group(struct parser *p)
{
    if (take(p, '?') && !take(p, ':'))
        return fail(p, "only (?: ) and, at the very start, (?i) are supported; look-around is not");
    if (++p->nesting > MAX_NESTING) return fail(p, "parentheses are nested too deeply");
    uint32_t inside = either(p);
    p->nesting--;
    if (p->wrong) return 0;
    return take(p, ')') ? inside : fail(p, "a parenthesis '(' is not closed");
}

static uint32_t atom(struct parser *p)
{
    struct byteset set = {{0}};
    unsigned char c = (unsigned char)p->text.p[p->at++];
    switch (c) {
    case '(': return group(p);
    case '[': return bracket(p);
    case '^': return new_node(p, NODE_START);
    case '$': return new_node(p, NODE_END);
    case '*':
    case '+':
    case '?': return fail(p, "there is nothing to repeat");
    case '.': set_invert(&set); return new_set(p, set);
    case '\\':
        if (escape(p, &set, &c)) return new_set(p, set);
        break;
    default:
        if (c >= 0x80) return fail(p, "URLs are ASCII: write such a character percent-encoded, \"ü\" as %C3%BC");
        break;
    }
    if (p->wrong) return 0;
    set_add(&set, c);
    return new_set(p, set);
}

/* "{n}", "{n,}", "{n,m}" at p; false leaves p alone: then '{' is itself. */
static bool counted(struct parser *p, unsigned *least, unsigned *most)
{
    size_t at = p->at + 1;
    unsigned n[2] = {0, 0};
    int fields = 0;
    bool digits = false, comma = false;
    for (; at < p->text.n && p->text.p[at] != '}'; at++) {
        char c = p->text.p[at];
        if (c == ',' && !comma && digits) {
            comma = true, digits = false, fields = 1;
        } else if (sharc_is_digit(c)) {
            digits = true;
            if (n[fields] <= MAX_COUNT) n[fields] = n[fields] * 10 + (unsigned)(c - '0');
        } else {
            return false;
        }
    }
    if (at == p->text.n || (!digits && !comma)) return false;
    p->at = at + 1;
    *least = n[0];
    *most = !comma ? n[0] : digits ? n[1] : UINT32_MAX;
    if (*least > MAX_COUNT || (*most > MAX_COUNT && *most != UINT32_MAX)) fail(p, "a count is larger than 1000");
    if (*most < *least) fail(p, "a count {n,m} has m smaller than n");
    return true;
}

static bool quantifier(struct parser *p, unsigned *least, unsigned *most)
{
    *least = 0;
    *most = UINT32_MAX;
    switch (peek(p)) {
    case '*': p->at++; return true;
    case '+': p->at++, *least = 1; return true;
    case '?': p->at++, *most = 1; return true;
    case '{': return counted(p, least, most);
    default: return false;
    }
}

static uint32_t repeated(struct parser *p)
{
    uint32_t child = atom(p);
    unsigned least, most;
    if (p->wrong || !more(p) || !quantifier(p, &least, &most)) return child;
    take(p, '?'); /* lazy or not: the same texts match */
    uint32_t node = new_node(p, NODE_REPEAT);
    p->nodes[node].first = child;
    p->nodes[node].least = least;
    p->nodes[node].most = most;
    return node;
}

static uint32_t sequence(struct parser *p)
{
    uint32_t list = new_node(p, NODE_LIST), last = 0;
    while (!p->wrong && more(p) && peek(p) != '|' && peek(p) != ')') {
        uint32_t child = repeated(p);
        if (!child) break;
        if (last)
            p->nodes[last].next = child;
        else
            p->nodes[list].first = child;
        last = child;
    }
    return list;
}

static uint32_t either(struct parser *p)
{
    uint32_t node = new_node(p, NODE_EITHER), last = sequence(p);
    p->nodes[node].first = last;
    while (!p->wrong && take(p, '|')) {
        uint32_t child = sequence(p);
        p->nodes[last].next = child;
        last = child;
    }
    return node;
}

/* --- program ----------------------------------------------------------------- */

static uint32_t emit(struct parser *p, enum op op, uint32_t a, uint32_t b)
{
    struct regex *r = p->r;
    if (r->count == REGEX_PROGRAM) {
        fail(p, too_large);
        return 0;
    }
    r->steps[r->count] = (struct step){op, a, b};
    return r->count++;
}

static void emit_node(struct parser *p, uint32_t n);

static void emit_either(struct parser *p, const struct node *node)
{
    uint32_t chain = UINT32_MAX; /* jumps to the end, linked through .a until it is known */
    for (uint32_t child = node->first; child && !p->wrong; child = p->nodes[child].next) {
        bool last = p->nodes[child].next == 0;
        uint32_t split = last ? 0 : emit(p, OP_SPLIT, p->r->count + 1, 0);
        emit_node(p, child);
        if (last || p->wrong) break;
        chain = emit(p, OP_JUMP, chain, 0);
        p->r->steps[split].b = p->r->count;
    }
    while (chain != UINT32_MAX && !p->wrong) {
        uint32_t next = p->r->steps[chain].a;
        p->r->steps[chain].a = p->r->count;
        chain = next;
    }
}

static void emit_repeat(struct parser *p, struct node node)
{
    for (unsigned i = 0; i < node.least && !p->wrong; i++) emit_node(p, node.first);
    if (node.most == UINT32_MAX) {
        uint32_t split = emit(p, OP_SPLIT, p->r->count + 1, 0);
        emit_node(p, node.first);
        emit(p, OP_JUMP, split, 0);
        if (!p->wrong) p->r->steps[split].b = p->r->count;
        return;
    }
    uint32_t chain = UINT32_MAX;
    for (unsigned i = node.least; i < node.most && !p->wrong; i++) {
        chain = emit(p, OP_SPLIT, p->r->count + 1, chain);
        emit_node(p, node.first);
    }
    while (chain != UINT32_MAX && !p->wrong) {
        uint32_t next = p->r->steps[chain].b;
        p->r->steps[chain].b = p->r->count;
        chain = next;
    }
}

static void emit_node(struct parser *p, uint32_t n)
{
    if (p->wrong || !n) return;
    if (++p->visits > 10 * REGEX_PROGRAM) { /* "((){1000}){1000}" writes nothing, a million times */
        fail(p, too_large);
        return;
    }
    struct node node = p->nodes[n];
    switch (node.kind) {
    case NODE_EMPTY: break;
    case NODE_SET: emit(p, OP_SET, node.set, 0); break;
    case NODE_START: emit(p, OP_START, 0, 0); break;
    case NODE_END: emit(p, OP_END, 0, 0); break;
    case NODE_LIST:
        for (uint32_t child = node.first; child; child = p->nodes[child].next) emit_node(p, child);
        break;
    case NODE_EITHER: emit_either(p, &node); break;
    case NODE_REPEAT: emit_repeat(p, node); break;
    }
}

struct regex *sharc__url_regex_new(struct sharc_span text, const char **ret_wrong, size_t *ret_at)
{
    struct parser p = {.text = text, .r = SHARC_NEW(struct regex)};
    new_node(&p, NODE_EMPTY);
    if (sharc_span_starts(text, SHARC_SPAN("(?i)"))) {
        p.fold = true;
        p.at = 4;
    }
    uint32_t root = either(&p);
    if (!p.wrong && more(&p)) fail(&p, "a parenthesis ')' was never opened");
    emit_node(&p, root);
    emit(&p, OP_MATCH, 0, 0);
    free(p.nodes);
    if (!p.wrong) return p.r;
    *ret_wrong = p.wrong;
    *ret_at = p.at;
    sharc__url_regex_free(p.r);
    return NULL;
}

void sharc__url_regex_free(struct regex *r)
{
    if (!r) return;
    free(r->sets);
    free(r);
}

/* --- matching ---------------------------------------------------------------- */

/* States reached before the byte at `at` is read. */
struct states {
    uint16_t list[REGEX_PROGRAM];
    uint32_t count;
};

struct walk {
    const struct regex *r;
    uint32_t seen[REGEX_PROGRAM]; /* the round in which a step was last added */
    uint16_t stack[REGEX_PROGRAM];
    size_t at, n;
};

/* Follow everything that reads no byte, from step s on; true at a match. Each
 * step enters the stack at most once per round. */
static bool add(struct walk *w, struct states *to, uint32_t s)
{
    uint32_t round = (uint32_t)w->at + 1, depth = 0;
    if (w->seen[s] == round) return false;
    w->seen[s] = round;
    w->stack[depth++] = (uint16_t)s;
    while (depth) {
        s = w->stack[--depth];
        const struct step *step = &w->r->steps[s];
        uint32_t next[2] = {UINT32_MAX, UINT32_MAX};
        switch (step->op) {
        case OP_MATCH: return true;
        case OP_SET: to->list[to->count++] = (uint16_t)s; break;
        case OP_JUMP: next[0] = step->a; break;
        case OP_SPLIT: next[0] = step->a, next[1] = step->b; break;
        case OP_START: next[0] = w->at == 0 ? s + 1 : UINT32_MAX; break;
        case OP_END: next[0] = w->at == w->n ? s + 1 : UINT32_MAX; break;
        }
        for (int i = 0; i < 2; i++) {
            if (next[i] == UINT32_MAX || w->seen[next[i]] == round) continue;
            w->seen[next[i]] = round;
            w->stack[depth++] = (uint16_t)next[i];
        }
    }
    return false;
}

bool sharc__url_regex_search(const struct regex *r, struct sharc_span s)
{
    struct walk w;
    struct states a, b, *now = &a, *next = &b;
    w.r = r;
    w.at = 0;
    w.n = s.n;
    memset(w.seen, 0, r->count * sizeof w.seen[0]);
    now->count = 0;
    if (add(&w, now, 0)) return true;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        next->count = 0;
        w.at = i + 1;
        for (uint32_t k = 0; k < now->count; k++)
            if (set_has(&r->sets[r->steps[now->list[k]].a], c) && add(&w, next, now->list[k] + 1u)) return true;
        if (add(&w, next, 0)) return true; /* a match may begin here too */
        struct states *swap = now;
        now = next;
        next = swap;
    }
    return false;
}
