/* SPDX-License-Identifier: Apache-2.0
 *
 * One WARC, and a mirror: the rooms below do the work, told which records.
 */
#include "export_int.h"

#include <stdlib.h>

int sharc_export_warc(struct sharc_export *x, const char *output, const struct sharc_warc_selection *s,
                      const struct sharc_warc_merge *m, struct sharc_warc_selected *ret, struct sharc_err *reterr)
{
    struct sharc_warc_selection mine = *s;
    size_t count;
    const char **inputs = sharc__export_inputs(x, &count);
    mine.wants = sharc__export_wants;
    mine.wants_arg = x;
    int r = sharc_warc_merge(output, inputs, count, &mine, m, ret, reterr);
    free(inputs);
    return r;
}

int sharc_export_mirror(struct sharc_export *x, const char *output, const struct sharc_mirror_options *o,
                        struct sharc_mirror_made *ret, struct sharc_err *reterr)
{
    struct sharc_mirror_options mine = *o;
    size_t count;
    SHARC_FAIL_IF(x->count > 1, reterr, SHARC_EINVAL,
                  "a mirror shows each page once, and so one capture: name one of the %zu", x->count);
    const char **inputs = sharc__export_inputs(x, &count);
    mine.selection.wants = sharc__export_wants_shown;
    mine.selection.wants_arg = x;
    mine.at = SHARC_TIME_NONE;
    mine.start = x->captures[0].seed;
    int r = sharc_mirror(output, inputs, count, &mine, ret, reterr);
    free(inputs);
    return r;
}
