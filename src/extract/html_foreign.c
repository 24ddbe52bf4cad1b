/* SPDX-License-Identifier: Apache-2.0
 *
 * SVG and MathML inside HTML, as far as the tokenizer must know: inside them
 * <title>, <style> and <script> are ordinary elements and CDATA exists; inside
 * their integration points HTML goes on.
 *
 * The stack holds the tag of every open island (svg, math) and of every open
 * integration point in it (foreignObject, desc, title; mi, mo, mn, ms, mtext,
 * annotation-xml). We are in foreign content when the top is an island.
 * Elements between are not kept: an end tag that closes one of the stack's
 * elements closes all above it, whatever HTML is still open there. A tree
 * builder may see that otherwise, on pages that are broken in this very way.
 */
#include "html_int.h"

bool sharc__extract_html_in_foreign(const struct sharc_html *h)
{
    if (h->dialect == SHARC_XML) return true;
    if (!h->foreign_depth) return false;
    uint8_t top = h->foreign[h->foreign_depth - 1];
    return top == SHARC_TAG_SVG || top == SHARC_TAG_MATH;
}

static void push(struct sharc_html *h, const struct sharc_html_token *t)
{
    _Static_assert(SHARC_TAG_COUNT <= 256, "the stack keeps bytes");
    if (!t->self_closing && h->foreign_depth < SHARC_HTML_NESTING) h->foreign[h->foreign_depth++] = (uint8_t)t->tag;
}

/* Start tags that no SVG or MathML holds: they end the island. */
static bool breaks_out(const struct sharc_html_token *t)
{
    static const uint8_t breakers[SHARC_TAG_COUNT] = {
        [SHARC_TAG_B] = 1,       [SHARC_TAG_BIG] = 1,    [SHARC_TAG_BLOCKQUOTE] = 1, [SHARC_TAG_BODY] = 1,
        [SHARC_TAG_BR] = 1,      [SHARC_TAG_CENTER] = 1, [SHARC_TAG_CODE] = 1,       [SHARC_TAG_DD] = 1,
        [SHARC_TAG_DIV] = 1,     [SHARC_TAG_DL] = 1,     [SHARC_TAG_DT] = 1,         [SHARC_TAG_EM] = 1,
        [SHARC_TAG_EMBED] = 1,   [SHARC_TAG_H1] = 1,     [SHARC_TAG_H2] = 1,         [SHARC_TAG_H3] = 1,
        [SHARC_TAG_H4] = 1,      [SHARC_TAG_H5] = 1,     [SHARC_TAG_H6] = 1,         [SHARC_TAG_HEAD] = 1,
        [SHARC_TAG_HR] = 1,      [SHARC_TAG_I] = 1,      [SHARC_TAG_IMG] = 1,        [SHARC_TAG_LI] = 1,
        [SHARC_TAG_LISTING] = 1, [SHARC_TAG_MENU] = 1,   [SHARC_TAG_META] = 1,       [SHARC_TAG_NOBR] = 1,
        [SHARC_TAG_OL] = 1,      [SHARC_TAG_P] = 1,      [SHARC_TAG_PRE] = 1,        [SHARC_TAG_RUBY] = 1,
        [SHARC_TAG_S] = 1,       [SHARC_TAG_SMALL] = 1,  [SHARC_TAG_SPAN] = 1,       [SHARC_TAG_STRIKE] = 1,
        [SHARC_TAG_STRONG] = 1,  [SHARC_TAG_SUB] = 1,    [SHARC_TAG_SUP] = 1,        [SHARC_TAG_TABLE] = 1,
        [SHARC_TAG_TT] = 1,      [SHARC_TAG_U] = 1,      [SHARC_TAG_UL] = 1,         [SHARC_TAG_VAR] = 1,
    };
    if (t->tag == SHARC_TAG_FONT)
        return sharc_html_attr(t, SHARC_ATTR_COLOR) || sharc_html_attr(t, SHARC_ATTR_FACE) ||
               sharc_html_attr(t, SHARC_ATTR_SIZE);
    return breakers[t->tag];
}

static void leave_islands(struct sharc_html *h)
{
    while (h->foreign_depth && sharc__extract_html_in_foreign(h)) h->foreign_depth--;
}

static bool holds_html(const struct sharc_html_token *t)
{
    const struct sharc_html_attr *encoding = sharc_html_attr(t, SHARC_ATTR_ENCODING);
    return encoding && (sharc_span_ieq(encoding->value, SHARC_SPAN("text/html")) ||
                        sharc_span_ieq(encoding->value, SHARC_SPAN("application/xhtml+xml")));
}

static bool is_integration_point(uint8_t island, const struct sharc_html_token *t)
{
    if (island == SHARC_TAG_SVG)
        return t->tag == SHARC_TAG_FOREIGNOBJECT || t->tag == SHARC_TAG_DESC || t->tag == SHARC_TAG_TITLE;
    if (t->tag == SHARC_TAG_ANNOTATION_XML) return holds_html(t);
    return t->tag == SHARC_TAG_MI || t->tag == SHARC_TAG_MO || t->tag == SHARC_TAG_MN || t->tag == SHARC_TAG_MS ||
           t->tag == SHARC_TAG_MTEXT;
}

void sharc__extract_html_foreign_start(struct sharc_html *h, struct sharc_html_token *t)
{
    if (!sharc__extract_html_in_foreign(h)) {
        if (t->tag != SHARC_TAG_SVG && t->tag != SHARC_TAG_MATH) return;
        t->foreign = true;
        push(h, t);
    } else if (breaks_out(t)) {
        leave_islands(h);
    } else {
        uint8_t island = h->foreign[h->foreign_depth - 1];
        t->foreign = true;
        if (t->tag == island || is_integration_point(island, t)) push(h, t);
    }
}

void sharc__extract_html_foreign_end(struct sharc_html *h, struct sharc_html_token *t)
{
    t->foreign = sharc__extract_html_in_foreign(h);
    if (t->foreign && (t->tag == SHARC_TAG_P || t->tag == SHARC_TAG_BR)) {
        t->foreign = false;
        leave_islands(h);
        return;
    }
    if (t->tag == SHARC_TAG_OTHER) return;
    for (unsigned i = h->foreign_depth; i-- > 0;) {
        if (h->foreign[i] != t->tag) continue;
        t->foreign = true;
        h->foreign_depth = i;
        return;
    }
}
