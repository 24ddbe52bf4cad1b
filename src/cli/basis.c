/* SPDX-License-Identifier: Apache-2.0 */
#include "basis.h"

#include <inttypes.h>

void cli_tell_basis(FILE *out, int indent, const uint64_t reasons[SHARC_GRADE_REASON_COUNT])
{
    uint64_t own = reasons[SHARC_GRADED_OWN_CONTROL], kind = reasons[SHARC_GRADED_KIND_CONTROL],
             late = reasons[SHARC_GRADED_LATE_CONTROL];
    if (own + kind + late == 0) return;
    fprintf(out, "%*sby control downloads of their own %" PRIu64 ", of pages of their kind %" PRIu64, indent, "", own,
            kind);
    if (late) fprintf(out, ",\n%*sas times and counters that move by themselves %" PRIu64, indent, "", late);
    fputc('\n', out);
}
