/* SPDX-License-Identifier: Apache-2.0
 *
 * Promises in tables, JSON and words.
 */
#include "promise_write.h"

#include "sharc/base_clock.h"

#include <math.h>

void sharc__sim_grid_promise(struct grid *g, const struct sharc_sim_promise *p, int digits)
{
    if (isnan(p->median)) {
        sharc__sim_grid_cell(g, "-");
        sharc__sim_grid_cell(g, "-");
        return;
    }
    sharc__sim_grid_cell(g, "%.*f", digits, p->median);
    sharc__sim_grid_cell(g, "%.*f–%.*f", digits, p->low, digits, p->high);
}

void sharc__sim_promise_json(const struct sharc_sim_promise *p, const char *name, struct sharc_json *j)
{
    sharc_json_object(j, name);
    sharc_json_real(j, "median", p->median);
    sharc_json_real(j, "low", p->low);
    sharc_json_real(j, "high", p->high);
    sharc_json_end(j);
}

void sharc__sim_promises_json(const struct sharc_sim_promises *p, struct sharc_json *j)
{
    sharc_json_object(j, "promises");
    sharc_json_real(j, "level", SHARC_SIM_PROMISE_LEVEL);
    sharc_json_uint(j, "windows", p->windows);
    sharc_json_real(j, "from", p->windows ? p->first : (double)NAN);
    sharc_json_bool(j, "other_sites", p->others);
    sharc_json_end(j);
}

void sharc__sim_promises_words(const struct sharc_sim_promises *p, struct sharc_buf *out)
{
    char from[SHARC_TIME_TEXT];
    const unsigned level = (unsigned)(100 * SHARC_SIM_PROMISE_LEVEL + 0.5);
    sharc_buf_printf(out, "Intervals should hold in %u cases of 100. They come from ", level);
    if (p->windows)
        sharc_buf_printf(out, "the same captures in %s of this site's past, since %s",
                         SHARC_COUNT(p->windows, "window"), sharc_time_iso(sharc_time_of_seconds(p->first), 0, from));
    if (p->windows && p->others) sharc_buf_put_str(out, ", and since these are few also from ");
    if (p->others)
        sharc_buf_put_str(out, "the errors of such expectations on six recorded sites, of which this is none");
    sharc_buf_put_str(out, ".");
}
