/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the lab: what a site is (site_*.c, recorded.c), what its pages say
 * (text.c, page.c, image.c, listing.c), what happens to them (life.c, truth.c)
 * and who answers (lab.c, answer.c).
 */
#ifndef SHARC_LAB_INT_H
#define SHARC_LAB_INT_H

#include "sharc/lab.h"

#include "sharc/base_map.h"
#include "sharc/base_order.h"
#include "sharc/base_rng.h"
#include "sharc/http_server.h"

#include <pthread.h>
#include <stdio.h>

#define LAB_BODY_MAX (64u << 20)
#define LIMIT_LAB_PATH 512u
#define LAB_NO_ORIGIN UINT32_MAX

/* --- the shape of a site: never changes ------------------------------------------- */

enum lab_kind {
    LAB_HTML,
    LAB_IMAGE,
    LAB_TEXT,     /* style sheets and other text of a recorded site */
    LAB_REDIRECT, /* to its parent */
    LAB_ROBOTS,   /* from here on no pure function of a version */
    LAB_SITEMAP,
    LAB_FEED,
};

struct lab_item {
    enum lab_kind kind;
    uint32_t parent;      /* the page above it; of a redirect: its target */
    uint32_t section;     /* pages that share a layout (a template) */
    uint32_t words;       /* in a paragraph */
    sharc_page_no origin; /* recorded: page of the dataset, or LAB_NO_ORIGIN */
    double rate;          /* edits per second of the site's time; 0: never. Recorded: before the window */
    bool counts;          /* visitors */
    bool bare;            /* served without validators */
    const char *type;     /* Content-Type; NULL: by kind */
};

/* Items are numbered as their paths are in `paths`; HTML pages and their files
 * first, what is derived from them last. */
struct lab_site {
    uint64_t seed;
    struct sharc_intern *paths;
    struct lab_item *items;
    size_t count, room;
    uint32_t pages; /* of kind HTML */
    /* Links of item i that are always there: link_to[link_at[i] … link_at[i+1]). */
    size_t *link_at;
    uint32_t *link_to;
    /* Synthetic sites. */
    uint32_t *fronts; /* of the sections */
    uint32_t sections;
    uint32_t first_image, images;
    uint32_t first_redirect, redirects;
    uint32_t dead_ends; /* links that lead nowhere */
};

void sharc__lab_site_done(struct lab_site *s);
uint32_t sharc__lab_add(struct lab_site *s, struct sharc_span path, struct lab_item item); /* SHARC_NO_ID: known */
void sharc__lab_add_services(struct lab_site *s);
/* Sort pairs of items into link_at and link_to; keeps their order. */
struct lab_link {
    uint32_t from, to;
};
void sharc__lab_set_links(struct lab_site *s, const struct lab_link *links, size_t n);

void sharc__lab_synthetic(struct lab_site *s, const struct sharc_lab_options *o);
int sharc__lab_recorded(struct lab_site *s, const struct sharc_lab_options *o, struct sharc_err *reterr);

static inline struct sharc_span lab_path(const struct lab_site *s, uint32_t item)
{
    return sharc_intern_text(s->paths, item);
}

/* --- bodies ----------------------------------------------------------------------- */

/* An independent stream for a purpose; the same in every run. */
struct sharc_rng sharc__lab_draw(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);
const char *sharc__lab_word(struct sharc_rng *r);
void sharc__lab_title(uint64_t seed, uint32_t item, struct sharc_buf *out);
void sharc__lab_paragraph(struct sharc_rng *r, unsigned words, struct sharc_buf *out);

void sharc__lab_html(const struct lab_site *s, uint32_t item, struct sharc_lab_version v, struct sharc_buf *out);
void sharc__lab_image(uint64_t seed, uint32_t item, uint32_t edit, struct sharc_buf *out);
/* Any item whose body is a pure function. */
void sharc__lab_item_body(const struct lab_site *s, uint32_t item, struct sharc_lab_version v, struct sharc_buf *out);

/* --- life ------------------------------------------------------------------------- */

struct lab_state {
    struct sharc_lab_version version;
    uint32_t number; /* versions since the start */
    bool exists;
    sharc_time changed;   /* when this version began */
    sharc_time edited;    /* the last change that a reader would notice */
    struct sharc_rng rng; /* of the next edit and the next visitor */
    size_t next_change;   /* recorded: in the dataset */
};

#define LAB_FEED_ENTRIES 10
struct lab_news {
    uint32_t item;
    sharc_time when;
};

struct sharc_lab {
    struct sharc_lab_options o;
    struct lab_site site;
    struct sharc_http_server *server;
    const char *url; /* of the server, "http://127.0.0.1:8080/" */
    sharc_time start;
    uint64_t etag_seed;   /* sites with other options have other tags */
    pthread_mutex_t lock; /* guards all below */
    struct lab_state *states;
    struct sharc_heap events; /* key: microseconds since the start */
    uint64_t event_count;
    struct sharc_rng layout_rng;
    struct lab_news news[LAB_FEED_ENTRIES]; /* newest first */
    size_t news_count;
    struct sharc_buf robots, sitemap, feed; /* as they are now */
    struct sharc_lab_totals totals;
    struct lab_log {
        FILE *file;
        const char *path;
        struct sharc_buf lines;
        bool broken; /* said once, then given up */
    } truth, requests;
};

/* Puts the first events in and logs the start. Lock held. */
void sharc__lab_begin(struct sharc_lab *l);
/* Everything up to now. Lock held. */
void sharc__lab_advance(struct sharc_lab *l, sharc_time now);

void sharc__lab_write_robots(struct sharc_lab *l);
void sharc__lab_write_sitemap(struct sharc_lab *l);
void sharc__lab_write_feed(struct sharc_lab *l);
/* The body as it is now: of a pure function made into scratch, else the stored one. */
struct sharc_span sharc__lab_body_now(const struct sharc_lab *l, uint32_t item, struct sharc_lab_version v,
                                      struct sharc_buf *scratch);

enum lab_cause { LAB_START, LAB_EDIT, LAB_LAYOUT, LAB_COUNTER, LAB_RENEWAL, LAB_BORN, LAB_GONE };
int sharc__lab_log_open(struct lab_log *log, const char *path, struct sharc_err *reterr);
void sharc__lab_log_version(struct sharc_lab *l, uint32_t item, enum lab_cause cause, sharc_time when);
struct lab_asked {
    sharc_time when;
    struct sharc_span method, target, agent;
    int status;
    bool has_version;
    uint32_t version;
    size_t bytes;
};
void sharc__lab_log_request(struct sharc_lab *l, const struct lab_asked *a);
int sharc__lab_log_flush(struct lab_log *log, struct sharc_err *reterr);
int sharc__lab_log_close(struct lab_log *log, struct sharc_err *reterr);

void sharc__lab_answer(void *lab, const struct sharc_http_request *q, struct sharc_http_answer *a);

#endif
