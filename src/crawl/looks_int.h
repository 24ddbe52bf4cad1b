/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks at single pages (crawl_looks.h).
 *
 *   looks.c          made, released; sites and pages
 *   looks_start.c    downloads: may they begin, robots.txt first, conditions
 *   looks_ended.c    what came of them: record, version, rows
 *   looks_robots.c   what robots.txt said, kept between turns
 *   looks_noise.c    does a page differ on every request?
 *   looks_commit.c   the order in which things become durable
 */
#ifndef SHARC_CRAWL_LOOKS_INT_H
#define SHARC_CRAWL_LOOKS_INT_H

#include "context.h"
#include "controls.h"
#include "crawl_log.h"
#include "download.h"
#include "hosts.h"
#include "output.h"
#include "pages.h"

#include "sharc/crawl_looks.h"

/* Where a record is. */
struct look_place {
    uint32_t file; /* SHARC_NO_ID: nowhere */
    uint64_t offset;
};

/* What is known of a page beside its version. */
struct known_page {
    uint32_t site, host;
    bool gone;                      /* the last answer was 404 or 410 */
    struct look_place before, last; /* of the last look that differed: the version before it, and its own record */
    struct look_place pair[2];      /* two downloads in immediate succession; pair[0].file is SHARC_NO_ID: none yet */
    sharc_time paired;              /* when */
};

/* What robots.txt of a host said, to be kept. */
enum { NO_ROBOTS = -1, NO_NOTE = -2 };
struct robots_note {
    int64_t size; /* of the text; NO_ROBOTS: there is none, and everything is allowed; NO_NOTE: nothing to be kept */
    char *text;
};

struct robots_notes {
    struct robots_note *of; /* by host */
    size_t count, room;
};

struct look_site {
    char *name, *seed;
    struct capture capture;
};

struct sharc_looks {
    struct context ctx;
    struct hosts hosts;
    struct output out;
    struct pages pages;
    char *strategy;
    struct sharc_intern *site_names;
    struct look_site **site;
    size_t sites, sites_room;
    struct known_page *known;
    size_t known_room;
    char **robots_at; /* by host: where its robots.txt lies; NULL: the usual place */
    size_t robots_count, robots_room;
    struct robots_notes notes;
    struct sharc_change_options change;
    struct job *held;  /* the caller looks at what it made */
    struct job *stuck; /* its records found no room on the disk */
    size_t pending;
    struct sharc_url url; /* scratch */
    int lock;
    volatile bool no_wait; /* given to the output: it does not wait for a lost database */
    bool committing;
    bool lost;   /* another worker has the job */
    bool killed; /* the run before was: it may have asked just now */
};

/* --- looks_start.c -------------------------------------------------------------- */

struct sharc_crawl_pace sharc__looks_pace(const struct sharc_looks *l, uint32_t host);
struct group *sharc__looks_group(struct sharc_looks *l, uint32_t host);

/* --- looks_robots.c --------------------------------------------------------------- */

/* text NULL: there is none. */
void sharc__looks_note_robots(struct sharc_looks *l, uint32_t host, const struct sharc_span *text);
void sharc__looks_forget_robots(struct sharc_looks *l, uint32_t host);
void sharc__looks_robots_done(struct sharc_looks *l);

/* --- looks_noise.c ---------------------------------------------------------------- */

/* The look that was recorded there differs from the version before: only where it does so on every request? By what
 * a pair has shown; *ret_doubtful: there is none yet that could tell. */
bool sharc__looks_is_noise(struct sharc_looks *l, uint32_t page, bool *ret_doubtful);
/* A control was recorded there, right after the last look. */
void sharc__looks_paired(struct sharc_looks *l, uint32_t page, const struct look_place *control, sharc_time when);

#endif
