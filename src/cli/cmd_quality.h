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
int quality_json(struct quality *q, struct sharc_err *reterr);
int quality_csv(struct quality *q, struct sharc_err *reterr);

#endif
