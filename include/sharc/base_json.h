/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing JSON, straight into a buffer. Commas and indentation are the
 * writer's business; nesting is checked by assertion. Numbers are written so
 * that they read back to the same double; NaN and infinities become null.
 * Bytes that are not UTF-8 are written as U+FFFD.
 *
 *   struct sharc_json j;
 *   sharc_json_init(&j, &buf, true);
 *   sharc_json_object(&j, NULL);
 *     sharc_json_int(&j, "pages", 10);
 *     sharc_json_array(&j, "results"); … sharc_json_end(&j);
 *   sharc_json_end(&j);
 */
#ifndef SHARC_BASE_JSON_H
#define SHARC_BASE_JSON_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"

SHARC_API_BEGIN

#define SHARC_JSON_DEPTH 32
struct sharc_json {
    struct sharc_buf *out;
    bool pretty;
    unsigned depth;
    bool first[SHARC_JSON_DEPTH + 1];
    char kind[SHARC_JSON_DEPTH + 1]; /* '{' or '[' */
};

void sharc_json_init(struct sharc_json *j, struct sharc_buf *out, bool pretty);
/* name is given inside an object, NULL inside an array and at the top. */
void sharc_json_object(struct sharc_json *j, const char *name);
void sharc_json_array(struct sharc_json *j, const char *name);
void sharc_json_end(struct sharc_json *j);                                      /* closes the innermost */
void sharc_json_str(struct sharc_json *j, const char *name, const char *value); /* NULL: null */
void sharc_json_span(struct sharc_json *j, const char *name, struct sharc_span value);
void sharc_json_int(struct sharc_json *j, const char *name, int64_t value);
void sharc_json_uint(struct sharc_json *j, const char *name, uint64_t value);
void sharc_json_real(struct sharc_json *j, const char *name, double value);
void sharc_json_bool(struct sharc_json *j, const char *name, bool value);
void sharc_json_null(struct sharc_json *j, const char *name);
void sharc_json_time(struct sharc_json *j, const char *name, sharc_time t); /* ISO 8601; SHARC_TIME_NONE: not at all */

/* The quoted form of a string, appended to out. */
int sharc_json_quote(struct sharc_buf *out, struct sharc_span s);
/* The shortest decimal form that reads back to v, appended to out. */
int sharc_json_number(struct sharc_buf *out, double v);

SHARC_API_END
#endif
