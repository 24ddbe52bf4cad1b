/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors and memory: the two things every function in the tree touches.
 */
#include "sharc/base.h"
#include "base_int.h"
#include "sharc/base_abort.h"
#include "sharc/base_exhausted.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct {
    int code;
    const char *name, *text;
} errors[] = {{0, "OK", "no error"},
#define X(name, number, text) {-(number), #name, text},
              SHARC_ERRORS(X)
#undef X
};

const char *sharc_error_name(int code)
{
    for (size_t i = 0; i < SHARC_LENGTH(errors); i++)
        if (errors[i].code == code) return errors[i].name;
    return "UNKNOWN";
}

const char *sharc_error_text(int code)
{
    for (size_t i = 0; i < SHARC_LENGTH(errors); i++)
        if (errors[i].code == code) return errors[i].text;
    return "unknown error";
}

int sharc_error_from_errno(int errnum)
{
    switch (errnum) {
    case 0: return SHARC_OK;
    case ENOMEM: return SHARC_ENOMEM;
    case ENOENT:
    case ENOTDIR: return SHARC_ENOENT;
    case EACCES:
    case EPERM:
    case EROFS: return SHARC_EACCESS;
    case ENOSPC:
    case EDQUOT: return SHARC_ENOSPC;
    case EEXIST:
    case ENOTEMPTY: return SHARC_EEXIST;
    case EBUSY:
    case EAGAIN:
    case ETXTBSY: return SHARC_EBUSY;
    case EINVAL: return SHARC_EINVAL;
    case EINTR: return SHARC_EINTR;
    case EFBIG:
    case ENAMETOOLONG:
    case EMFILE:
    case ENFILE: return SHARC_ELIMIT;
    default: return SHARC_EIO;
    }
}

void sharc__base_printable(char *text)
{
    struct sharc_span rest = sharc_span_of(text);
    for (char *p = text; rest.n; p = text + (rest.p - text)) {
        uint32_t c;
        size_t n = sharc_utf8_decode(rest, &c);
        bool steers = n == 0 || sharc_steers_terminal(c);
        if (steers) {
            bool space = n == 1 && (c == '\n' || c == '\r' || c == '\t');
            memset(p, space ? ' ' : '?', n ? n : 1);
        }
        rest = sharc_span_from(rest, n ? n : 1);
    }
}

int sharc__fail(struct sharc_err *err, int code, const char *src_file, int src_line, const char *fmt, ...)
{
    if (!err) return code;
    *err = (struct sharc_err){.code = code, .offset = SHARC_NOWHERE, .src_file = src_file, .src_line = src_line};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    sharc__base_printable(err->text);
    return code;
}

int sharc_err_prefix(struct sharc_err *err, int code, const char *fmt, ...)
{
    if (!err) return code;
    char whole[sizeof err->text];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(whole, sizeof whole, fmt, ap);
    va_end(ap);
    size_t used = n < 0 ? 0 : (size_t)n < sizeof whole - 2 ? (size_t)n : sizeof whole - 3;
    memcpy(whole + used, ": ", 2);
    used += 2;
    size_t rest = strnlen(err->text, sizeof err->text - 1 - used); /* a long sentence loses its end */
    memcpy(whole + used, err->text, rest);
    whole[used + rest] = 0;
    memcpy(err->text, whole, sizeof whole);
    sharc__base_printable(err->text);
    return code;
}

static _Atomic(sharc_abort_fn *) before_abort;

void sharc_on_abort(sharc_abort_fn *fn)
{
    before_abort = fn;
}

static SHARC_NORETURN void die(int code, const char *what)
{
    /* No stdio: memory may be gone. */
    ssize_t ignored = write(STDERR_FILENO, what, strlen(what));
    (void)ignored;
    sharc_abort_fn *fn = before_abort;
    if (fn) fn(code);
    abort();
}

void sharc__exhausted(const char *what)
{
    char line[512];
    snprintf(line, sizeof line, "sharc: %s\n", what);
    die(SHARC_ENOMEM, line);
}

void sharc__no_memory(void)
{
    sharc__exhausted("out of memory: allow this process more of it (ulimit -v, the limit of its container), "
                     "or give it less to do at once");
}

void sharc__bug(const char *src_file, int src_line, const char *what)
{
    char line[512];
    snprintf(line, sizeof line, "sharc: internal error at %s:%d: %s\n", src_file, src_line, what);
    die(SHARC_OK, line);
}

void *sharc_malloc(size_t n)
{
    void *p = malloc(n ? n : 1);
    if (!p) sharc__no_memory();
    return p;
}

void *sharc_calloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p) sharc__no_memory();
    return p;
}

void *sharc_realloc(void *old, size_t n, size_t size)
{
    void *p = reallocarray(old, n ? n : 1, size ? size : 1);
    if (!p) sharc__no_memory();
    return p;
}

void *sharc__grow(void *items, size_t *room, size_t need, size_t size)
{
    size_t want = *room ? *room : 8;
    while (want < need) {
        if (want > SIZE_MAX / 2) sharc__no_memory();
        want *= 2;
    }
    *room = want;
    return sharc_realloc(items, want, size);
}

char *sharc_strndup(const char *s, size_t n)
{
    char *p = sharc_malloc(n + 1);
    if (n) memcpy(p, s, n);
    p[n] = 0;
    return p;
}

char *sharc_strdup(const char *s)
{
    return sharc_strndup(s, strlen(s));
}

char *sharc_asprintf(const char *fmt, ...)
{
    char *out = NULL;
    va_list ap;
    va_start(ap, fmt);
    int n = vasprintf(&out, fmt, ap);
    va_end(ap);
    if (n < 0 || !out) sharc__no_memory();
    return out;
}

void sharc_freep(void *pointer_to_pointer)
{
    void **p = pointer_to_pointer;
    free(*p);
    *p = NULL;
}

void sharc_closep(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}
