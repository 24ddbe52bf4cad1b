/* SPDX-License-Identifier: Apache-2.0
 *
 * Visible text with its white space folded: words are written at once, white
 * space only before the next word, so nothing ever has to be taken back.
 */
#include "extract_int.h"
#include "html_int.h"

/* Room for n more bytes of words and what may be owed before them. */
static bool has_room(struct sharc__page_private *x, struct sharc_buf *out, size_t n)
{
    if (out->room > out->n + n + 2 * SHARC_HTML_REFERENCE) return true;
    if (sharc_buf_reserve(out, n + 2 * SHARC_HTML_REFERENCE) == 0) return true;
    x->page->cut |= SHARC_CUT_TEXT;
    return false;
}

static void pay_gap(struct sharc__page_private *x, struct sharc_buf *out)
{
    if (x->gap != GAP_NONE && out->n) out->p[out->n++] = x->gap == GAP_LINE ? '\n' : ' ';
    x->gap = GAP_NONE;
}

static void put_word(struct sharc__page_private *x, struct sharc_buf *out, const char *p, size_t n)
{
    pay_gap(x, out);
    memcpy(out->p + out->n, p, n);
    out->n += n;
}

static bool is_blank(const char *p, size_t n)
{
    return (n == 1 && html_is(*p, HTML_SPACE)) || (n == 2 && memcmp(p, "\xc2\xa0", 2) == 0);
}

/* What stands at raw.p is no plain word: returns the bytes taken. */
static size_t put_special(struct sharc__page_private *x, struct sharc_buf *out, struct sharc_span raw, bool references)
{
    char made[SHARC_HTML_REFERENCE];
    size_t n = 1, taken = 1;
    if (!raw.n || raw.p[0] == 0) return 1;
    made[0] = raw.p[0];
    if (raw.p[0] == '&' && references) {
        taken = sharc_html_reference(raw, /* attribute= */ false, made, &n);
        if (!taken) taken = n = 1;
    } else if ((uint8_t)raw.p[0] == 0xc2 && raw.n > 1) {
        made[1] = raw.p[1];
        n = taken = 2;
    }
    if (is_blank(made, n))
        sharc__text_gap(x, GAP_SPACE);
    else
        put_word(x, out, made, n);
    return taken;
}

void sharc__text_put(struct sharc__page_private *x, struct sharc_buf *out, struct sharc_span raw, bool references)
{
    size_t at = 0;
    while (at < raw.n) {
        if (html_is(raw.p[at], HTML_SPACE)) {
            sharc__text_gap(x, GAP_SPACE);
            at++;
            continue;
        }
        size_t end = at;
        while (end < raw.n && !html_is(raw.p[end], HTML_TEXT_STOP)) end++;
        if (!has_room(x, out, end - at)) break;
        if (end > at) put_word(x, out, raw.p + at, end - at);
        at = end;
        if (at < raw.n && !html_is(raw.p[at], HTML_SPACE))
            at += put_special(x, out, sharc_span_from(raw, at), references);
    }
    if (out->p) out->p[out->n] = 0;
}

void sharc__text_mend(struct sharc_buf *text)
{
    size_t at = 0;
    for (;;) {
        size_t bad = sharc_utf8_check(sharc_span_from(sharc_buf_span(text), at));
        if (bad == SHARC_NPOS) return;
        at += bad;
        text->p[at++] = '?';
    }
}
