/* SPDX-License-Identifier: Apache-2.0
 *
 * The ground floor: spans, errors, memory, scope-bound cleanup.
 *
 * Conventions that hold in every room
 *  - A function that can fail returns 0 (or a positive count) on success and a
 *    negative SHARC_E… code on failure.
 *  - `ret_x` (or `ret`) is written on success only, `reterr` on failure only;
 *    they come last, in that order. reterr may be NULL.
 *  - x_init/x_done serve storage that the caller owns, x_new/x_free the heap.
 *    x_done and x_free accept half-built objects, x_free accepts NULL.
 *  - A span never owns. Who owns what it points at is said where it is made.
 *  - Small allocations abort with a message when memory is gone. Whatever an
 *    outsider can make large goes through a bounded buffer or arena and fails
 *    with SHARC_ELIMIT instead.
 *  - No room but cli prints, and none exits.
 */
#ifndef SHARC_BASE_H
#define SHARC_BASE_H

#include "sharc/base_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

SHARC_API_BEGIN

#define SHARC_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define SHARC_NORETURN __attribute__((noreturn))
#define SHARC_UNUSED __attribute__((unused))

#define SHARC_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* --- errors -------------------------------------------------------------- */

/* Numbers never change once released; new ones go to the end. */
#define SHARC_ERRORS(X)                                \
    X(ENOMEM, 1, "out of memory")                      \
    X(ELIMIT, 2, "a limit was reached")                \
    X(EINVAL, 3, "an argument makes no sense")         \
    X(ESYNTAX, 4, "input does not follow its grammar") \
    X(ETRUNC, 5, "input ends too early")               \
    X(ECORRUPT, 6, "input is damaged")                 \
    X(EDIGEST, 7, "bytes do not match their digest")   \
    X(EIO, 8, "reading or writing failed")             \
    X(ENOENT, 9, "no such file or entry")              \
    X(EACCESS, 10, "permission refused")               \
    X(ENOSPC, 11, "no space left on the device")       \
    X(EEXIST, 12, "already there")                     \
    X(EBUSY, 13, "in use by somebody else")            \
    X(ECONFIG, 14, "the settings are wrong")           \
    X(EUNSUPPORTED, 15, "not supported")               \
    X(ENET, 16, "the network failed")                  \
    X(EDB, 17, "the database failed")                  \
    X(EROBOTS, 18, "refused by robots.txt")            \
    X(EINTR, 19, "interrupted")

enum sharc_error {
    SHARC_OK = 0,
#define X(name, number, text) SHARC_##name = -(number),
    SHARC_ERRORS(X)
#undef X
};

#define SHARC_NOWHERE UINT64_MAX

/* What went wrong, for a person: one sentence that names the place and, where
 * there is one, the cure. Plain storage, needs no release. */
struct sharc_err {
    int code;             /* negative, enum sharc_error */
    uint64_t offset;      /* byte offset in the input, or SHARC_NOWHERE */
    unsigned line;        /* line in the input, counted from 1; 0: none */
    const char *src_file; /* where in our source it was found */
    int src_line;
    char text[512];
};

#define SHARC_ERR_INIT          \
    {                           \
        .offset = SHARC_NOWHERE \
    }

/* Name ("ELIMIT") and general sentence of a code; never NULL. */
const char *sharc_error_name(int code);
const char *sharc_error_text(int code);

/* The code that fits a value of errno. */
int sharc_error_from_errno(int errnum);

/* Fill err (may be NULL) and return code. Use the macros below. What could
 * steer a terminal is taken out of the text: it may quote foreign bytes. */
int sharc__fail(struct sharc_err *err, int code, const char *src_file, int src_line, const char *fmt, ...)
    SHARC_PRINTF(5, 6);

/* Put "prefix: " in front of the sentence in err (may be NULL), keeping the rest; for
 * callers that know the file's name. Returns code, the failure that is passed on. */
int sharc_err_prefix(struct sharc_err *err, int code, const char *fmt, ...) SHARC_PRINTF(3, 4);

#define sharc_fail(err, code, ...) sharc__fail((err), (code), __FILE__, __LINE__, __VA_ARGS__)

/* SHARC_FAIL_IF(need > left, reterr, SHARC_ETRUNC, "record at %zu: …", at); */
#define SHARC_FAIL_IF(cond, err, code, ...)                      \
    do {                                                         \
        if (cond) return sharc_fail((err), (code), __VA_ARGS__); \
    } while (0)

/* A broken promise inside sharc itself: says where and aborts. */
SHARC_NORETURN void sharc__bug(const char *src_file, int src_line, const char *what);
#define SHARC_BUG(what) sharc__bug(__FILE__, __LINE__, (what))
#define SHARC_ASSERT(cond)                          \
    do {                                            \
        if (!(cond)) SHARC_BUG("expected: " #cond); \
    } while (0)

/* --- memory -------------------------------------------------------------- */

/* These abort with a message instead of returning NULL; n == 0 gives a unique
 * pointer that may be freed. Products are checked for overflow. */
void *sharc_malloc(size_t n) __attribute__((malloc, alloc_size(1), returns_nonnull));
void *sharc_calloc(size_t n, size_t size) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));
void *sharc_realloc(void *p, size_t n, size_t size) __attribute__((alloc_size(2, 3), returns_nonnull));
char *sharc_strdup(const char *s) __attribute__((malloc, returns_nonnull));
char *sharc_strndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
char *sharc_asprintf(const char *fmt, ...) SHARC_PRINTF(1, 2) __attribute__((malloc, returns_nonnull));

#define SHARC_NEW(type) ((type *)sharc_calloc(1, sizeof(type)))
#define SHARC_NEW_ARRAY(type, n) ((type *)sharc_calloc((n), sizeof(type)))

/* Grow a dynamic array so that it holds `need` items; doubles. Usage:
 *   SHARC_GROW(v->items, v->room, v->count + 1); */
#define SHARC_GROW(items, room, need) \
    ((void)((room) >= (need) || ((items) = sharc__grow((items), &(room), (need), sizeof *(items)))))
void *sharc__grow(void *items, size_t *room, size_t need, size_t size);

/* --- scope-bound cleanup and visible transfer ---------------------------- */

/* SHARC_AUTO(sharc_freep) char *name = NULL;   released when the scope is left
 * return SHARC_TAKE(name);                     handed on instead */
#define SHARC_AUTO(fn) __attribute__((cleanup(fn)))
#define SHARC_TAKE(p)              \
    __extension__({                \
        __typeof__(p) took_ = (p); \
        (p) = NULL;                \
        took_;                     \
    })
void sharc_freep(void *pointer_to_pointer); /* free(*p), *p = NULL */
void sharc_closep(int *fd);                 /* close if >= 0, set to -1 */

/* --- spans --------------------------------------------------------------- */

struct sharc_span {
    const char *p;
    size_t n;
};

#define SHARC_SPAN_NONE ((struct sharc_span){NULL, 0})
#define SHARC_SPAN(literal) ((struct sharc_span){"" literal, sizeof(literal) - 1})
#define SHARC_SPAN_ARG(s) (int)(s).n, (s).p /* for "%.*s" */

static inline struct sharc_span sharc_span(const void *p, size_t n)
{
    return (struct sharc_span){(const char *)p, n};
}
static inline struct sharc_span sharc_span_of(const char *s)
{
    return (struct sharc_span){s, s ? strlen(s) : 0};
}
static inline bool sharc_span_eq(struct sharc_span a, struct sharc_span b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
static inline bool sharc_span_is(struct sharc_span a, const char *s)
{
    return sharc_span_eq(a, sharc_span_of(s));
}
/* from and to are clamped to the span. */
static inline struct sharc_span sharc_span_sub(struct sharc_span s, size_t from, size_t to)
{
    if (to > s.n) to = s.n;
    if (from > to) from = to;
    return (struct sharc_span){s.p ? s.p + from : s.p, to - from};
}
static inline struct sharc_span sharc_span_from(struct sharc_span s, size_t from)
{
    return sharc_span_sub(s, from, s.n);
}
static inline bool sharc_span_starts(struct sharc_span s, struct sharc_span prefix)
{
    return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}
static inline bool sharc_span_ends(struct sharc_span s, struct sharc_span suffix)
{
    return s.n >= suffix.n && (suffix.n == 0 || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}
#define SHARC_NPOS SIZE_MAX
/* Position of the first c at or after from, or SHARC_NPOS. */
static inline size_t sharc_span_find(struct sharc_span s, char c, size_t from)
{
    if (from >= s.n) return SHARC_NPOS;
    const char *hit = (const char *)memchr(s.p + from, c, s.n - from);
    return hit ? (size_t)(hit - s.p) : SHARC_NPOS;
}
/* Position of the first occurrence of needle, or SHARC_NPOS. */
size_t sharc_span_search(struct sharc_span s, struct sharc_span needle);
/* Bytewise order, shorter first on a tie: <0, 0, >0. */
int sharc_span_cmp(struct sharc_span a, struct sharc_span b);
/* Case of ASCII letters ignored, locale never consulted. */
bool sharc_span_ieq(struct sharc_span a, struct sharc_span b);
bool sharc_span_istarts(struct sharc_span s, struct sharc_span prefix);
/* Without ASCII white space (space \t \n \r \f \v) at both ends. */
struct sharc_span sharc_span_trim(struct sharc_span s);
/* Split off the part before the next sep (or all of it) and advance *rest
 * behind it; false when *rest was used up. An empty span has one empty part. */
bool sharc_span_next(struct sharc_span *rest, char sep, struct sharc_span *ret);
char *sharc_span_dup(struct sharc_span s) __attribute__((malloc, returns_nonnull));

/* Takes one line; < 0 stops whoever hands them out and is what that returns. */
typedef int sharc_line_fn(void *arg, struct sharc_span line, struct sharc_err *reterr);

/* Whole-span number parsing: digits only for u64, strtod's grammar without
 * locale, white space, hex and nan/inf for double. SHARC_ESYNTAX or SHARC_ELIMIT. */
int sharc_span_to_u64(struct sharc_span s, uint64_t *ret);
int sharc_span_to_i64(struct sharc_span s, int64_t *ret);
int sharc_span_to_double(struct sharc_span s, double *ret);

/* ASCII only, on purpose: the locale must never decide what a URL means. */
static inline bool sharc_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static inline bool sharc_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}
static inline bool sharc_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}
static inline bool sharc_is_alpha(char c)
{
    return sharc_is_upper(c) || sharc_is_lower(c);
}
static inline bool sharc_is_alnum(char c)
{
    return sharc_is_alpha(c) || sharc_is_digit(c);
}
static inline bool sharc_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}
/* Behind the white space at `at`. */
static inline size_t sharc_span_skip_space(struct sharc_span s, size_t at)
{
    while (at < s.n && sharc_is_space(s.p[at])) at++;
    return at;
}
static inline char sharc_to_lower(char c)
{
    return sharc_is_upper(c) ? (char)(c + 32) : c;
}
static inline char sharc_to_upper(char c)
{
    return sharc_is_lower(c) ? (char)(c - 32) : c;
}
/* The quotient rounded down, also below 0; b > 0. */
static inline int64_t sharc_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}
/* 0..15, or -1 when c is not a hex digit. */
static inline int sharc_hex_value(char c)
{
    if (sharc_is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* UTF-8. Decode one code point at s.p (s.n > 0): returns its length 1..4 and
 * sets *ret, or 0 when the bytes are not well-formed UTF-8. */
size_t sharc_utf8_decode(struct sharc_span s, uint32_t *ret);
/* Controls, and what turns the direction of writing or ends a line in other ways: a terminal or a page would show
 * something else than the characters that are there. */
static inline bool sharc_steers_terminal(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}
/* Encode c (a scalar value) into out; returns 1..4. */
size_t sharc_utf8_encode(uint32_t c, char out[4]);
/* Offset of the first ill-formed byte, or SHARC_NPOS when all is well. */
size_t sharc_utf8_check(struct sharc_span s);
/* Characters, not bytes: "±" is one. */
size_t sharc_utf8_count(const char *s);

SHARC_API_END
#endif
