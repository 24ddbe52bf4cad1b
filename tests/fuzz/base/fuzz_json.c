/* SPDX-License-Identifier: Apache-2.0
 *
 * Whatever the JSON reader accepts, the writer writes so that the reader reads
 * the same tree.
 */
#include "sharc/base_buf.h"
#include "sharc/base_json.h"
#include "sharc/base_node.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_node(struct sharc_buf *out, const struct sharc_node *n)
{
    bool first = true;
    switch (n->kind) {
    case SHARC_NULL: sharc_buf_put_str(out, "null"); return;
    case SHARC_BOOL: sharc_buf_put_str(out, n->v.truth ? "true" : "false"); return;
    case SHARC_INT: sharc_buf_printf(out, "%lld", (long long)n->v.integer); return;
    case SHARC_REAL: sharc_json_number(out, n->v.real); return;
    case SHARC_STRING: sharc_json_quote(out, n->text); return;
    case SHARC_LIST:
    case SHARC_MAP: break;
    }
    sharc_buf_put_char(out, n->kind == SHARC_MAP ? '{' : '[');
    for (const struct sharc_node *c = n->first; c; c = c->next, first = false) {
        if (!first) sharc_buf_put_char(out, ',');
        if (n->kind == SHARC_MAP) {
            sharc_json_quote(out, c->name);
            sharc_buf_put_char(out, ':');
        }
        write_node(out, c);
    }
    sharc_buf_put_char(out, n->kind == SHARC_MAP ? '}' : ']');
}

static void same(const struct sharc_node *a, const struct sharc_node *b)
{
    SHARC_ASSERT(a->count == b->count);
    SHARC_ASSERT(sharc_span_eq(a->name, b->name));
    SHARC_ASSERT(a->line > 0 && a->column > 0);
    if (a->kind == SHARC_INT || a->kind == SHARC_REAL) { /* 1.0 is written as 1 */
        SHARC_ASSERT(sharc_node_real(a, -1) == sharc_node_real(b, -2));
        return;
    }
    SHARC_ASSERT(a->kind == b->kind);
    if (a->kind == SHARC_STRING) SHARC_ASSERT(sharc_span_eq(a->text, b->text));
    if (a->kind == SHARC_BOOL) SHARC_ASSERT(a->v.truth == b->v.truth);
    const struct sharc_node *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next) same(x, y);
    SHARC_ASSERT(!x && !y);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(64u << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(64u << 20);
    const struct sharc_node *one, *two;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_json_read(sharc_span(data, size), &arena, &one, &err) < 0) {
        SHARC_ASSERT(err.text[0] && sharc_utf8_check(sharc_span_of(err.text)) == SHARC_NPOS);
        return 0;
    }
    write_node(&text, one);
    SHARC_ASSERT(!text.failed);
    SHARC_ASSERT(sharc_json_read(sharc_buf_span(&text), &arena, &two, &err) == 0);
    same(one, two);
    return 0;
}
