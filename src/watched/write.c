/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures of a period for programs.
 */
#include "sharc/watched.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

static const struct {
    const char *name;
    size_t at;
} shares[] = {
    {"fresh_seen", offsetof(struct sharc_watched_period, fresh_seen)},
    {"fresh_expected", offsetof(struct sharc_watched_period, fresh_expected)},
    {"complete", offsetof(struct sharc_watched_period, complete)},
    {"exact_seen", offsetof(struct sharc_watched_period, exact_seen)},
    {"exact_expected", offsetof(struct sharc_watched_period, exact_expected)},
    {"together_seen", offsetof(struct sharc_watched_period, together_seen)},
    {"together_possible", offsetof(struct sharc_watched_period, together_possible)},
};

static double share(const struct sharc_watched_period *p, size_t i)
{
    double v;
    memcpy(&v, (const char *)p + shares[i].at, sizeof v);
    return v;
}

void sharc_watched_put_json(struct sharc_json *j, const struct sharc_watched_period *p)
{
    char text[SHARC_TIME_TEXT];
    sharc_json_str(j, "from", sharc_time_iso(p->from, 6, text));
    sharc_json_str(j, "to", sharc_time_iso(p->to, 6, text));
    sharc_json_uint(j, "looks", p->looks);
    sharc_json_uint(j, "failed", p->failed);
    sharc_json_uint(j, "changes", p->changes);
    for (size_t i = 0; i < SHARC_LENGTH(shares); i++) sharc_json_real(j, shares[i].name, share(p, i));
    sharc_json_uint(j, "questions", p->questions);
}

void sharc_watched_put_csv(struct sharc_buf *out, const struct sharc_watched_period *p)
{
    char from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT];
    sharc_buf_printf(out, "%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64, sharc_time_iso(p->from, 6, from),
                     sharc_time_iso(p->to, 6, to), p->looks, p->failed, p->changes);
    for (size_t i = 0; i < SHARC_LENGTH(shares); i++) {
        sharc_buf_put_char(out, ',');
        if (isfinite(share(p, i))) sharc_json_number(out, share(p, i));
    }
    sharc_buf_printf(out, ",%" PRIu32 "\n", p->questions);
}
