/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc quality: what its files share.
 */
#ifndef SHARC_CMD_QUALITY_H
#define SHARC_CMD_QUALITY_H

#include "cli.h"
#include "sharc/assess.h"

struct quality {
    struct cli *c;
    const char *name; /* of the archive, or of the first file */
    struct sharc_assess *assess;
    bool one;       /* a single capture is asked for, or there is only one */
    bool composite; /* --composite */
    sharc_time at;  /* --at; SHARC_TIME_NONE */
    int by;         /* enum sharc_assess_by */
};

int quality_text(struct quality *q, struct sharc_err *reterr);
/* Its part about --at. */
int quality_answers(struct quality *q, struct sharc_err *reterr);
int quality_json(struct quality *q, struct sharc_err *reterr);
int quality_csv(struct quality *q, struct sharc_err *reterr);

/* For people: what a line is about, twelve columns; and a share in per cent, of nothing 0. */
static inline void quality_label(FILE *out, const char *text)
{
    fprintf(out, "%-12s", text);
}
static inline double quality_percent(uint64_t part, uint64_t all)
{
    return all ? 100 * (double)part / (double)all : 0;
}

#endif
