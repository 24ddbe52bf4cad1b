/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/base_buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGE = 1 << 20 };

void sharc_buf_done(struct sharc_buf *b)
{
    free(b->p);
    *b = (struct sharc_buf){.max = b->max};
}

void sharc_buf_clear(struct sharc_buf *b)
{
    b->n = 0;
    b->failed = false;
    if (b->p) b->p[0] = 0;
}

int sharc_buf_reserve(struct sharc_buf *b, size_t more)
{
    if (b->failed) return SHARC_ELIMIT;
    if (more > b->max || b->n > b->max - more) {
        b->failed = true;
        return SHARC_ELIMIT;
    }
    size_t need = b->n + more + 1;
    if (need <= b->room) return 0;
    size_t room = b->room ? b->room : 32;
    while (room < need) room = room > SIZE_MAX / 2 ? need : room * 2;
    if (room > b->max) room = b->max < SIZE_MAX ? b->max + 1 : b->max;
    /* What an outsider can make large is an error when memory is gone, and no reason to end. */
    char *p = room > LARGE ? realloc(b->p, room) : sharc_realloc(b->p, room, 1);
    if (!p) {
        b->failed = true;
        return SHARC_ENOMEM;
    }
    b->p = p;
    b->room = room;
    b->p[b->n] = 0;
    return 0;
}

int sharc_buf_put(struct sharc_buf *b, struct sharc_span s)
{
    int r = sharc_buf_reserve(b, s.n);
    if (r < 0) return r;
    if (s.n) memcpy(b->p + b->n, s.p, s.n);
    b->n += s.n;
    b->p[b->n] = 0;
    return 0;
}

int sharc_buf_put_str(struct sharc_buf *b, const char *s)
{
    return sharc_buf_put(b, sharc_span_of(s));
}

const char *sharc_markup_reference(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    case '\r': return "&#13;"; /* alone it would be read as LF */
    default: return NULL;
    }
}

int sharc_buf_put_markup(struct sharc_buf *b, struct sharc_span s)
{
    size_t done = 0;
    for (size_t i = 0; i < s.n; i++) {
        const char *reference = sharc_markup_reference(s.p[i]);
        if (!reference) continue;
        sharc_buf_put(b, sharc_span_sub(s, done, i));
        sharc_buf_put_str(b, reference);
        done = i + 1;
    }
    return sharc_buf_put(b, sharc_span_from(s, done));
}

int sharc_buf_put_u64(struct sharc_buf *b, uint64_t v)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    return sharc_buf_put(b, sharc_span(digits + at, sizeof digits - at));
}

int sharc_buf_printf(struct sharc_buf *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    size_t left = b->failed ? 0 : b->room - b->n; /* often enough: then it is written once */
    int n = vsnprintf(left ? b->p + b->n : NULL, left, fmt, ap);
    va_end(ap);
    bool fits = n >= 0 && (size_t)n < left && (size_t)n <= b->max - b->n;
    if (left && !fits) b->p[b->n] = 0;
    int r = n < 0 ? SHARC_EINVAL : fits ? 0 : sharc_buf_reserve(b, (size_t)n);
    if (r == 0 && !fits) vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
    if (r == 0) b->n += (size_t)n;
    va_end(again);
    return r;
}

void sharc_buf_truncate(struct sharc_buf *b, size_t n)
{
    SHARC_ASSERT(n <= b->n);
    b->n = n;
    if (b->p) b->p[n] = 0;
}

int sharc_buf_splice(struct sharc_buf *b, size_t at, size_t len, struct sharc_span s)
{
    SHARC_ASSERT(at <= b->n && len <= b->n - at);
    if (s.n > len) {
        int r = sharc_buf_reserve(b, s.n - len);
        if (r < 0) return r;
    }
    if (!b->p) return 0;
    memmove(b->p + at + s.n, b->p + at + len, b->n - at - len);
    if (s.n) memcpy(b->p + at, s.p, s.n);
    b->n = b->n - len + s.n;
    b->p[b->n] = 0;
    return 0;
}

int sharc_buf_result(const struct sharc_buf *b, struct sharc_err *reterr)
{
    if (!b->failed) return 0;
    return sharc_fail(reterr, SHARC_ELIMIT, "more than %zu bytes, which is the limit here", b->max);
}

const char *sharc_buf_str(const struct sharc_buf *b)
{
    return b->p ? b->p : "";
}

char *sharc_buf_take(struct sharc_buf *b)
{
    char *p = b->p ? b->p : sharc_strdup("");
    *b = (struct sharc_buf){.max = b->max};
    return p;
}
