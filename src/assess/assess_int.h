/* SPDX-License-Identifier: Apache-2.0
 *
 * The downloads of an archive in memory, by URL and time. load.c reads them, prepare.c
 * decides what can be believed of them, the other files only look.
 *
 *   urls[u].first … +count   the rows of URL u, ascending by time; seen[i] is what row i showed
 *   rows[i].embeds_at … +n   what the page of that row embeds: indices into urls
 */
#ifndef SHARC_ASSESS_INT_H
#define SHARC_ASSESS_INT_H

#include "sharc/assess.h"
#include "sharc/base_map.h"
#include "sharc/store_sightings.h"

#include <math.h>

enum { SHARC__ASSESS_MOST_PARTS = 10000 }; /* of one page */

enum sharc__assess_flag {
    ROW_DATED = 1,     /* had a Last-Modified in the catalogue */
    ROW_UNTRUSTED = 2, /* that is not believed */
    ROW_HTML = 4,
    ROW_STYLE = 8,
    ROW_SHOWN = 16,    /* can be shown: content, or a redirect to it */
    ROW_FOLLOWER = 32, /* of a graded capture: fetched because something embeds it */
    ROW_TOGETHER = 64, /* proved by its grade, at an instant that all such pages share */
    ROW_PLANNED = 128, /* a second look or revisit of its own, not with the page that embeds it */
};

struct row {
    uint32_t url, capture; /* indices */
    uint32_t redirect;     /* index of a URL, SHARC_NO_ID: none */
    uint32_t embeds_at, embeds_n;
    uint32_t run;    /* 1 + index into runs; 0: not looked at yet */
    uint32_t digest; /* 0: none known */
    float weight, rate;
    float part_weight; /* as a part of a page; quality_weight.h */
    uint32_t mime;
    int16_t status;
    uint8_t kind, record, reason, flags;
};

struct url {
    sharc_store_id id;
    uint32_t first, count;
    uint32_t group;    /* index, SHARC_NO_ID: it was never visited */
    uint32_t stamp;    /* the page that it was counted for last */
    float part_weight; /* of what is not archived, by how its URL ends */
};

/* The HTML pages, or everything else, of a host: what is believed of its dates, and how often they change. */
struct group {
    uint64_t answered, dated;
    bool trusted;
    double rate; /* NaN: nothing is known */
};

struct capture {
    sharc_store_id id, site;
    bool asked;            /* for: it is one of those to be judged */
    uint32_t first, count; /* its rows in by_capture */
    struct sharc_store_capture row;
    enum sharc_store_grader grader;
    struct sharc_store_claim claim;
    char *key, *site_name, *purpose, *source, *weakened;
};

/* Numbers of URLs are dense, and read in their order: a table in pieces, made where there are some. */
struct sharc__assess_numbers {
    uint32_t **pieces;
    size_t count, room;
};

struct sharc_assess {
    struct sharc_store *store;
    bool composites;
    struct capture *captures; /* by start */
    size_t capture_count, capture_room;
    uint32_t *asked; /* indices of captures */
    size_t asked_count;
    struct sharc_sighting *seen;
    struct row *rows;
    size_t count, room, seen_room;
    uint32_t *by_capture; /* all rows, by capture, then URL and time */
    struct url *urls;
    size_t url_count, url_room;
    struct sharc__assess_numbers url_of; /* number in the catalogue to index + 1 */
    struct sharc_map64 group_of;
    struct group *groups;
    size_t group_count, group_room;
    uint32_t *embeds;
    size_t embed_count, embed_room;
    struct sharc__assess_links *links; /* which row has which, until the rows are sorted */
    size_t link_count, link_room;
    struct sharc_known *runs;
    size_t run_count, run_room;
    struct sharc_intern *bodies, *texts, *mimes;
    uint32_t stamp;
};

struct sharc__assess_links {
    uint32_t capture, url, at, n;
};

/* load.c */
int sharc__assess_load(struct sharc_assess *a, sharc_store_id capture, struct sharc_err *reterr);
/* prepare.c */
void sharc__assess_prepare(struct sharc_assess *a);
/* The known and possible interval of what row i showed. Valid until the next call. */
const struct sharc_known *sharc__assess_known(struct sharc_assess *a, size_t i);
/* The same of the run of equal content nearest to `at`. */
const struct sharc_known *sharc__assess_known_near(struct sharc_assess *a, size_t i, sharc_time at);
/* Changes per second, NaN: unknown. *ret_own (may be NULL): by the page's own history. */
double sharc__assess_rate(const struct sharc_assess *a, size_t i, bool *ret_own);
/* composites.c */
void sharc__assess_composites(struct sharc_assess *a, uint32_t capture, struct sharc_assess_composites *ret);

/* The visit of a URL in a capture; SIZE_MAX: there is none. */
static inline size_t sharc__assess_visit(const struct sharc_assess *a, uint32_t url, uint32_t capture)
{
    const struct url *u = &a->urls[url];
    for (size_t i = u->first; i < (size_t)u->first + u->count; i++)
        if (a->rows[i].capture == capture && a->rows[i].kind == SHARC_LOOK_VISIT) return i;
    return SIZE_MAX;
}

static inline double sharc__assess_seconds(sharc_time t)
{
    return (double)t / (double)SHARC_SEC;
}

#endif
