/* SPDX-License-Identifier: Apache-2.0
 *
 * A growing byte buffer that is born with its maximum. Growing beyond it fails
 * with SHARC_ELIMIT, leaves the content as it was, and marks the buffer as
 * failed: a writer may append many pieces and ask once at the end.
 *
 *   SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_URL);
 *   sharc_buf_put(&b, SHARC_SPAN("http://"));
 *   sharc_buf_printf(&b, "%s:%u", host, port);
 *   r = sharc_buf_result(&b, reterr);     0, or SHARC_ELIMIT with a sentence
 *
 * Invariant: b.p[b.n] == 0 whenever b.p is not NULL, so text can be handed to
 * C functions; sharc_buf_str() gives "" for an empty one.
 */
#ifndef SHARC_BASE_BUF_H
#define SHARC_BASE_BUF_H

#include "sharc/base.h"

SHARC_API_BEGIN

struct sharc_buf {
    char *p;
    size_t n;    /* bytes used */
    size_t room; /* bytes allocated, one more than may be used */
    size_t max;  /* bytes it may ever hold */
    bool failed; /* an append was refused */
};

#define SHARC_BUF_INIT(maximum) \
    {                           \
        .max = (maximum)        \
    }

static inline void sharc_buf_init(struct sharc_buf *b, size_t max)
{
    memset(b, 0, sizeof *b); /* C++ knows no designated initialisers before C++20 */
    b->max = max;
}
void sharc_buf_done(struct sharc_buf *b);
/* Empty it and forget a failure; keeps the memory. */
void sharc_buf_clear(struct sharc_buf *b);

/* All of these return 0 or SHARC_ELIMIT (also while the buffer is failed). */
int sharc_buf_reserve(struct sharc_buf *b, size_t more);
int sharc_buf_put(struct sharc_buf *b, struct sharc_span s);
int sharc_buf_put_str(struct sharc_buf *b, const char *s);
static inline int sharc_buf_put_char(struct sharc_buf *b, char c)
{
    if (b->failed || b->room - b->n < 2 || b->n >= b->max) return sharc_buf_put(b, sharc_span(&c, 1));
    b->p[b->n++] = c;
    b->p[b->n] = 0;
    return 0;
}
int sharc_buf_put_u64(struct sharc_buf *b, uint64_t v);
/* As text of HTML and XML, also inside quoted attributes: no byte of s is markup there. */
int sharc_buf_put_markup(struct sharc_buf *b, struct sharc_span s);
/* A field of a CSV line, in quotes when it needs them. A text that spreadsheets would run as a
 * formula gets an apostrophe in front; a number stays a number. */
void sharc_buf_put_csv(struct sharc_buf *b, struct sharc_span s);
/* What must be written there for c, "&amp;" for '&', or NULL: c itself. */
const char *sharc_markup_reference(char c);
int sharc_buf_printf(struct sharc_buf *b, const char *fmt, ...) SHARC_PRINTF(2, 3);
/* Cut back to n bytes (n <= b->n). */
void sharc_buf_truncate(struct sharc_buf *b, size_t n);
/* Replace len bytes at offset at by s. */
int sharc_buf_splice(struct sharc_buf *b, size_t at, size_t len, struct sharc_span s);

int sharc_buf_result(const struct sharc_buf *b, struct sharc_err *reterr);
static inline struct sharc_span sharc_buf_span(const struct sharc_buf *b)
{
    return sharc_span(b->p, b->n);
}
const char *sharc_buf_str(const struct sharc_buf *b);
/* Hand the bytes over as a malloc'ed string; the buffer is empty afterwards. */
char *sharc_buf_take(struct sharc_buf *b);

SHARC_API_END
#endif
