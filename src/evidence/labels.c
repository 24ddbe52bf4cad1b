/* SPDX-License-Identifier: Apache-2.0
 *
 * What people are shown of a difference.
 */
#include "evidence_int.h"

enum { SHOWN = 80, LABELS = 3 };

/* The bytes of the items [from, to), shortened, on one line. */
char *sharc__evidence_shown(const struct sharc__document *d, const bool *marks, uint32_t from, uint32_t to)
{
    struct sharc_buf b = SHARC_BUF_INIT(4 * SHOWN);
    for (uint32_t i = from; i < to && b.n < SHOWN; i++) {
        if (marks && !marks[i]) continue;
        struct sharc_span s = sharc_span_sub(sharc_span(d->items[i].p, d->items[i].n), 0, SHOWN);
        for (size_t k = 0; k < s.n && b.n < SHOWN; k++) {
            char c = (unsigned char)s.p[k] < ' ' || s.p[k] == 0x7f ? ' ' : s.p[k];
            if (c != ' ' || (b.n && b.p[b.n - 1] != ' ')) sharc_buf_put_char(&b, c);
        }
    }
    size_t bad = sharc_utf8_check(sharc_buf_span(&b));
    if (bad != SHARC_NPOS) sharc_buf_truncate(&b, bad);
    while (b.n && b.p[b.n - 1] == ' ') sharc_buf_truncate(&b, b.n - 1);
    return b.p ? sharc_buf_take(&b) : sharc_strdup("");
}

static void put_label(struct sharc_buf *b, struct sharc_span label)
{
    for (size_t i = 0; i < label.n && i < SHOWN; i++) {
        char c = label.p[i];
        sharc_buf_put_char(b, (unsigned char)c <= ' ' || (c & 0x80) || c == 0x7f ? '.' : c);
    }
}

/* "div.item > p.price", the innermost last. */
static void put_path(const struct sharc__document *d, uint32_t node, unsigned depth, struct sharc_buf *b)
{
    if (node == 0 || depth == 0) return;
    put_path(d, d->nodes[node].parent, depth - 1, b);
    if (b->n) sharc_buf_put_str(b, " > ");
    put_label(b, d->nodes[node].label);
}

char *sharc__evidence_where(const struct sharc__document *d, uint32_t node, const struct sharc__leaf *leaf)
{
    struct sharc_buf b = SHARC_BUF_INIT(1024);
    put_path(d, node, LABELS, &b);
    if (leaf && leaf->label.n) {
        sharc_buf_put_str(&b, leaf->kind == SHARC_HUNK_ATTRIBUTE ? " @" : " ");
        put_label(&b, leaf->label);
    }
    if (!b.n) sharc_buf_put_str(&b, "the page");
    return sharc_buf_take(&b);
}
