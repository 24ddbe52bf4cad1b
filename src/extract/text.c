/* SPDX-License-Identifier: Apache-2.0
 *
 * Visible text with its white space folded: words are written at once, white
 * space only before the next word, so nothing ever has to be taken back.
 */
#include "extract_int.h"
#include "html_int.h"

/* How much of raw the text has room for, made ready to be written without
 * further checks: no reference becomes longer by more than a fourth. */
static struct sharc_span fitting(struct sharc__page_private *x, struct sharc_buf *out, struct sharc_span raw)
{
    size_t need = raw.n + raw.n / 4 + 2 * SHARC_HTML_REFERENCE;
    size_t left = out->max - out->n;
    if (need <= left && out->n + need < out->room) return raw;
    if (need > left) {
        x->page->cut |= SHARC_CUT_TEXT;
        if (left < 4 * SHARC_HTML_REFERENCE) return SHARC_SPAN_NONE;
        raw.n = (left - 2 * SHARC_HTML_REFERENCE) / 5 * 4;
        need = left;
    }
    return sharc_buf_reserve(out, need) == 0 ? raw : SHARC_SPAN_NONE;
}

static bool is_blank(const char *p, size_t n)
{
    return (n == 1 && html_is(*p, HTML_SPACE)) || (n == 2 && memcmp(p, "\xc2\xa0", 2) == 0);
}

/* What stands at raw.p is neither white space nor a plain byte: what it means
 * goes to made, its length to *ret_n. Returns the bytes taken. */
static size_t take_special(struct sharc_span raw, bool references, char made[SHARC_HTML_REFERENCE], size_t *ret_n)
{
    size_t taken = 0;
    *ret_n = 0;
    if (!raw.n || raw.p[0] == 0) return 1;
    if (raw.p[0] == '&' && references) taken = sharc_html_reference(raw, /* attribute= */ false, made, ret_n);
    if (taken) return taken;
    *ret_n = (uint8_t)raw.p[0] == 0xc2 && raw.n > 1 ? 2 : 1;
    memcpy(made, raw.p, *ret_n);
    return *ret_n;
}

static char *pay_gap(struct sharc__page_private *x, const struct sharc_buf *out, char *to)
{
    if (x->gap != GAP_NONE && to != out->p) *to++ = x->gap == GAP_LINE ? '\n' : ' ';
    x->gap = GAP_NONE;
    return to;
}

/* Eight bytes as they are, as long as they are words with one space between them; how
 * many. A space at the end is left: what follows it decides. */
static size_t copy_plain(const char *from, char *to)
{
    uint64_t w = sharc_eight(from), spaces = sharc_eight_within(w, ' ', ' ');
    uint64_t stop = sharc_eight_below(w, ' ') | sharc_eight_equal(w, '&') | sharc_eight_equal(w, '\xc2') |
                    (spaces & sharc_eight_behind(spaces, /* first= */ false));
    size_t n = stop ? sharc_eight_first(stop) : 8;
    sharc_eight_put(to, w);
    return n > 0 && from[n - 1] == ' ' ? n - 1 : n;
}

void sharc__extract_text_put(struct sharc__page_private *x, struct sharc_buf *out, struct sharc_span raw,
                             bool references)
{
    size_t blank = 0; /* much of what stands between tags is nothing but a line end */
    while (blank < raw.n && html_is(raw.p[blank], HTML_SPACE)) blank++;
    if (blank) sharc__extract_text_gap(x, GAP_SPACE);
    raw = sharc_span_from(raw, blank);
    if (raw.n) raw = fitting(x, out, raw);
    if (!raw.n) return;
    char *to = out->p + out->n;
    for (size_t at = 0; at < raw.n;) {
        char c = raw.p[at];
        if (!html_is(c, HTML_TEXT_STOP)) {
            to = pay_gap(x, out, to);
            size_t n = 0;
            while (raw.n - at >= 8 && (n = copy_plain(raw.p + at, to)) > 0) at += n, to += n;
            for (; at < raw.n && !html_is(raw.p[at], HTML_TEXT_STOP); at++) *to++ = raw.p[at];
        } else if (html_is(c, HTML_SPACE)) {
            sharc__extract_text_gap(x, GAP_SPACE);
            at++;
        } else {
            char made[SHARC_HTML_REFERENCE];
            size_t n;
            at += take_special(sharc_span_from(raw, at), references, made, &n);
            if (n && is_blank(made, n)) {
                sharc__extract_text_gap(x, GAP_SPACE);
            } else if (n) {
                to = pay_gap(x, out, to);
                memcpy(to, made, n);
                to += n;
            }
        }
    }
    out->n = (size_t)(to - out->p);
    *to = 0;
}

void sharc__extract_text_mend(struct sharc_buf *text)
{
    size_t at = 0;
    for (;;) {
        size_t bad = sharc_utf8_check(sharc_span_from(sharc_buf_span(text), at));
        if (bad == SHARC_NPOS) return;
        at += bad;
        text->p[at++] = '?';
    }
}
