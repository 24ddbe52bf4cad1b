/* SPDX-License-Identifier: Apache-2.0
 *
 * Encoded words of RFC 2047, which the standard allows in field values.
 */
#include "sharc/base_digest.h"
#include "sharc/warc.h"

enum { WORD_MOST = 1024 }; /* the RFC says 75; writers say more */

struct word {
    struct sharc_span charset, text;
    bool base64;
    size_t n; /* bytes of the word in the value */
};

/* =?charset*language?B|Q?text?= at the start of s. */
static bool split(struct sharc_span s, struct word *ret)
{
    if (!sharc_span_starts(s, SPAN("=?"))) return false;
    s = sharc_span_sub(s, 0, WORD_MOST);
    size_t a = sharc_span_find(s, '?', 2);
    if (a == SHARC_NPOS || a + 2 >= s.n || s.p[a + 2] != '?') return false;
    char kind = sharc_to_lower(s.p[a + 1]);
    size_t end = sharc_span_search(sharc_span_from(s, a + 3), SPAN("?="));
    if (end == SHARC_NPOS || (kind != 'b' && kind != 'q')) return false;
    ret->charset = sharc_span_sub(s, 2, a);
    ret->charset = sharc_span_sub(ret->charset, 0, sharc_span_find(ret->charset, '*', 0));
    ret->text = sharc_span_sub(s, a + 3, a + 3 + end);
    ret->base64 = kind == 'b';
    ret->n = a + 3 + end + 2;
    return sharc_span_find(ret->text, ' ', 0) == SHARC_NPOS;
}

static bool bytes_of(const struct word *w, uint8_t out[WORD_MOST], size_t *ret)
{
    if (w->base64) return sharc_base64_decode(w->text, out, WORD_MOST, ret) == 0;
    size_t n = 0;
    for (size_t i = 0; i < w->text.n; i++) {
        char c = w->text.p[i];
        if (c == '=') {
            int high = i + 2 < w->text.n ? sharc_hex_value(w->text.p[i + 1]) : -1;
            int low = i + 2 < w->text.n ? sharc_hex_value(w->text.p[i + 2]) : -1;
            if (high < 0 || low < 0) return false;
            out[n++] = (uint8_t)(high << 4 | low);
            i += 2;
        } else {
            out[n++] = c == '_' ? ' ' : (uint8_t)c;
        }
    }
    *ret = n;
    return true;
}

/* True when the word was understood and put as UTF-8. */
static bool put_word(struct sharc_buf *out, const struct word *w)
{
    uint8_t bytes[WORD_MOST];
    size_t n;
    if (!bytes_of(w, bytes, &n)) return false;
    if (sharc_span_ieq(w->charset, SPAN("UTF-8")) || sharc_span_ieq(w->charset, SPAN("US-ASCII"))) {
        if (sharc_utf8_check(sharc_span(bytes, n)) != SHARC_NPOS) return false;
        sharc_buf_put(out, sharc_span(bytes, n));
        return true;
    }
    if (!sharc_span_ieq(w->charset, SPAN("ISO-8859-1"))) return false;
    for (size_t i = 0; i < n; i++) {
        char utf8[4];
        sharc_buf_put(out, sharc_span(utf8, sharc_utf8_encode(bytes[i], utf8)));
    }
    return true;
}

int sharc_warc_decode_words(struct sharc_span value, struct sharc_buf *out)
{
    bool after_word = false;
    while (value.n > 0) {
        struct word w;
        size_t blank = 0;
        while (after_word && blank < value.n && (value.p[blank] == ' ' || value.p[blank] == '\t')) blank++;
        struct sharc_span here = sharc_span_from(value, blank);
        /* White space between two encoded words is not part of the text. */
        if (split(here, &w) && put_word(out, &w)) {
            value = sharc_span_from(here, w.n);
            after_word = true;
            continue;
        }
        size_t next = sharc_span_find(value, '=', 1);
        sharc_buf_put(out, sharc_span_sub(value, 0, next));
        value = sharc_span_from(value, next == SHARC_NPOS ? value.n : next);
        after_word = false;
    }
    return out->failed ? SHARC_ELIMIT : 0;
}
