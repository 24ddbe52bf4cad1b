/* SPDX-License-Identifier: Apache-2.0
 *
 * What a reader says: failures with file and offset, and the habits of known
 * writers, each once per file.
 */
#include "warc_int.h"

#include <stdarg.h>
#include <stdio.h>

static void say(struct sharc_warc *w, struct sharc_err *err, int code, uint64_t offset, const char *sentence)
{
    sharc_fail(err, code, "%s: offset %llu: %s", w->name, (unsigned long long)offset, sentence);
    err->offset = offset;
}

int sharc__warc_fail(struct sharc_warc *w, struct sharc_err *err, int code, uint64_t offset, const char *fmt, ...)
{
    if (!err) return code;
    char sentence[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    /* What could not be read need not be damaged. */
    const struct sharc_span cure = SHARC_SPAN(SHARC__CURE);
    const size_t n = strlen(sentence);
    if (code == SHARC_EIO && sharc_span_ends(sharc_span(sentence, n), cure)) sentence[n - cure.n] = 0;
    say(w, err, code, offset, sentence);
    return code;
}

void sharc__warc_warn(struct sharc_warc *w, enum sharc__warc_habit habit, uint64_t offset)
{
    static const char *const sentences[] = {
#define X(name, text) text,
        SHARC__WARC_HABITS(X)
#undef X
    };
    w->stats.warnings++;
    if (!w->o.warn || (w->told & 1u << habit)) return;
    w->told |= 1u << habit;
    struct sharc_err err = SHARC_ERR_INIT;
    say(w, &err, SHARC_OK, offset, sentences[habit]);
    w->o.warn(w->o.warn_arg, &err);
}
