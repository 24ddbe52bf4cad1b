/* SPDX-License-Identifier: Apache-2.0
 *
 * What continuous capture is tried on; times are seconds since 1970.
 */
#ifndef SHARC_SIM_SCENE_H
#define SHARC_SIM_SCENE_H

#include "sharc/sim_watch.h"

#define SCENE_HOUR 3600.0

struct sharc_sim_scene {
    char *name;
    size_t pages, sites, events;
    double taught, from, to; /* learning begins, judging begins, all ends; full hours */
    bool bare;               /* nothing is archived at first */
    bool hosts;              /* sites are hosts; else all pages are on one */
    double full;             /* downloads per hour that are all resources */
    uint32_t *site;
    uint32_t *group; /* pages in one directory; NULL: nothing is known of that */
    double *weight;
    double *born, *died; /* watched while it exists */
    size_t *event_at;    /* of page p: event_at[p] … event_at[p+1] */
    double *when, *importance;
};

#endif
