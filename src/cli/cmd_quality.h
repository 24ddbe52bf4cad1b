/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc quality: what its files share.
 */
#ifndef SHARC_CMD_QUALITY_H
#define SHARC_CMD_QUALITY_H

#include "cli.h"
#include "sharc/assess.h"
#include "sharc/base_json.h"

struct quality {
    struct cli *c;
    const char *name; /* of the archive, or of the first file */
    struct sharc_store *store;
    struct sharc_assess *assess;
    bool one;       /* a single capture is asked for, or there is only one */
    bool composite; /* --composite */
    bool watched;   /* --watched */
    sharc_time at;  /* --at; SHARC_TIME_NONE */
    int by;         /* enum sharc_assess_by */
};

int quality_text(struct quality *q, struct sharc_err *reterr);
/* Its parts about --at, and about pages with what they embed; graded: the crawl compared downloads. */
int quality_answers(struct quality *q, struct sharc_err *reterr);
void quality_composites(FILE *out, const struct sharc_assess_composites *x, bool graded);
int quality_json(struct quality *q, struct sharc_err *reterr);
int quality_csv(struct quality *q, struct sharc_err *reterr);
/* What was watched: behind the captures (with --watched alone: instead of them), as member of the object, as table. */
int quality_watched_text(struct quality *q, struct sharc_err *reterr);
int quality_watched_json(struct quality *q, struct sharc_json *j, struct sharc_err *reterr);
int quality_watched_csv(struct quality *q, struct sharc_err *reterr);
/* Parts of the sites of the captures: those that change in a way of their own in words, all as members of an array. */
int quality_parts_text(const struct quality *q, struct sharc_err *reterr);
int quality_parts_json(const struct quality *q, struct sharc_json *j, struct sharc_err *reterr);

/* For people: what a line is about, twelve columns; and a share in per cent, of nothing 0. */
static inline void quality_label(FILE *out, const char *text)
{
    fprintf(out, "%-12s", text);
}
static inline double quality_percent(uint64_t part, uint64_t all)
{
    return all ? 100 * (double)part / (double)all : 0;
}

/* A number, into text or as a fixed one; and a count with what it counts, from column `at` on. */
const char *quality_real(double v, char text[32]);
void quality_count(FILE *out, int at, uint64_t count, const char *text);

#endif
