/* SPDX-License-Identifier: Apache-2.0
 *
 * Hosts of all sites: who shares a delay with whom, and what robots.txt said. The
 * catalogue remembers both between runs (host_memory.c): a server that asked to be left
 * alone is left alone, also by the next process.
 */
#ifndef SHARC_CRAWL_HOSTS_INT_H
#define SHARC_CRAWL_HOSTS_INT_H

#include "sharc/base_map.h"
#include "sharc/base_rng.h"
#include "sharc/crawl.h"
#include "sharc/http_robots.h"
#include "sharc/store_job.h"
#include "sharc/url.h"

/* Hosts that share one pause. */
struct group {
    sharc_time next;        /* no request before */
    sharc_time ended, took; /* the download that this comes from */
    sharc_time not_before;  /* neither before this, whatever the pace */
    sharc_time crawl_delay; /* robots.txt */
    bool recalled;          /* … of an earlier run: holds until it is fetched again */
    unsigned fast;          /* the clock of its pauses may run ahead: see base_clock.h */
    struct sharc_backoff backoff;
    unsigned busy; /* downloads under way */
    uint32_t user; /* number of the site that the last one was for */
    /* Some of its hosts belong to sites: the longest of their delays, the fewest connections. */
    bool owned;
    sharc_time delay;
    unsigned connections;
    uint32_t *waiting; /* sites that wait until it is free */
    size_t waiting_count, waiting_room;
    sharc_time kept;   /* its due time as the catalogue has it */
    char *turns;       /* shared: the name under which workers take turns; NULL: not asked yet */
    sharc_time ticket; /* of the last turn */
    sharc_time others; /* another worker's turn lasts until then, as far as looks know */
};

enum robots_state { ROBOTS_UNKNOWN, ROBOTS_ASKED, ROBOTS_KNOWN };

/* Scheme, name and port: what has a robots.txt. */
struct host {
    char *origin;
    uint32_t group;
    enum robots_state robots;
    struct sharc_robots *rules;
    sharc_time fetched, expires;
    unsigned redirects, sick; /* of robots.txt since it was asked for; requests in a row that got no proper answer */
    bool distrusted;          /* it sends what nobody asked for: that was said */
    sharc_time dead_until;    /* could not be reached: not worth a try before */
    char *robots_text;        /* that the catalogue does not have yet; NULL: none */
    size_t robots_size;
};

struct hosts {
    struct sharc_intern *origins, *names;
    struct host *host;
    struct group *group;
    size_t room, group_count, group_room;
    uint32_t *group_of; /* by number of the name */
    size_t group_of_room;
    struct sharc_rng rng;      /* of the jitter in pauses after trouble */
    struct sharc_store *store; /* remembers hosts; NULL: nobody does */
    struct sharc_clock *clock;
    bool urgent; /* a server asked to be left alone: to be kept at once */
    bool shared; /* with other workers, by the clock of the catalogue */
};
/* store may be NULL; the clock is that of the pauses. */
void sharc__crawl_hosts_init(struct hosts *h, uint64_t seed, struct sharc_store *store, struct sharc_clock *clock);
void sharc__crawl_hosts_done(struct hosts *h);
/* Hosts named together ("a.example b.example:8080") share a group. */
void sharc__crawl_hosts_join(struct hosts *h, struct sharc_span names);
uint32_t sharc__crawl_hosts_add(struct hosts *h, const struct sharc_url *u, bool *ret_new);

/* "example.org:8080". */
struct sharc_span sharc__crawl_host_name(const struct host *h);

/* What the site of a URL is called: its host without "www.", and the port if there is one. */
void sharc__crawl_site_name(const struct sharc_url *u, struct sharc_buf *out);

/* --- robots.txt and reach ---------------------------------------------------- */

/* Its robots.txt is known and does not allow the URL. */
bool sharc__crawl_host_forbids(const struct hosts *h, uint32_t host, const struct sharc_url *u);
/* robots.txt is being asked for now; or, after all, not. */
void sharc__crawl_host_asked(struct hosts *h, uint32_t host);
void sharc__crawl_host_not_asked(struct hosts *h, uint32_t host);
/* robots.txt lies elsewhere. */
void sharc__crawl_host_redirected(struct hosts *h, uint32_t host);
void sharc__crawl_host_rules(struct hosts *h, uint32_t host, struct sharc_robots *rules, sharc_time fetched,
                             sharc_time expires);
/* Its robots.txt as it came, for the catalogue. */
void sharc__crawl_host_text(struct hosts *h, uint32_t host, struct sharc_span text);
/* The rules it has hold on, that long. */
void sharc__crawl_host_keep_rules(struct hosts *h, uint32_t host, sharc_time expires);
/* It sends what nobody asked for. True for the first time. */
bool sharc__crawl_host_distrusted(struct hosts *h, uint32_t host);
void sharc__crawl_host_dead(struct hosts *h, uint32_t host, sharc_time until);

/* --- pauses -------------------------------------------------------------------- */

/* One of its hosts belongs to a site of that pace; and: nobody knows of any such, they will be told anew. */
void sharc__crawl_group_owned(struct group *g, const struct sharc_crawl_pace *pace);
void sharc__crawl_groups_disown(struct hosts *h);
/* The pace of a site's requests to the group: that of the sites it belongs to. Elsewhere the site is a guest: no
 * faster than its own pace, nor than the general one. */
struct sharc_crawl_pace sharc__crawl_group_pace(const struct group *g, const struct sharc_crawl_pace *site,
                                                const struct sharc_crawl_pace *general);
/* The pause is over at: */
sharc_time sharc__crawl_group_due(const struct group *g);
/* Downloads that the group bears at a time. */
unsigned sharc__crawl_group_at_once(const struct group *g, const struct sharc_crawl_pace *pace);
void sharc__crawl_group_began(struct group *g, uint32_t site);
void sharc__crawl_group_ended(struct group *g, const struct sharc_crawl_pace *pace, sharc_time end, sharc_time took);
/* robots.txt, which came with that download, asks for a delay. */
void sharc__crawl_group_asks(struct group *g, const struct sharc_crawl_pace *pace, sharc_time delay, sharc_time end,
                             sharc_time took);
/* The pace has changed: so does a pause that has begun. */
void sharc__crawl_group_repace(struct group *g, const struct sharc_crawl_pace *pace);
void sharc__crawl_group_not_before(struct group *g, sharc_time when);
/* A request may have been made just now, by a process that was killed before it could write that down. */
void sharc__crawl_group_pause(struct group *g, const struct sharc_crawl_pace *pace, sharc_time now);
/* The server asks to be left alone (for that long, or SHARC_TIME_NONE): until when. And: it answers. */
sharc_time sharc__crawl_group_trouble(struct hosts *h, uint32_t group, sharc_time now, sharc_time wait);
void sharc__crawl_group_quiet(struct group *g, sharc_time now);
/* A site waits until the group is free; and how many do, who wait no longer then. */
void sharc__crawl_group_wait(struct group *g, uint32_t site);
size_t sharc__crawl_group_release(struct group *g);

/* --- between runs: host_memory.c -------------------------------------------------- */
/* The host of a URL; of one that is new, what the catalogue knows. */
uint32_t sharc__crawl_hosts_of(struct hosts *h, const struct sharc_url *u);
/* --- between workers: host_turns.c ------------------------------------------------- */

/* From now on every request to hosts with a pause takes its turn in the catalogue, whose clock counts. */
void sharc__crawl_hosts_share(struct hosts *h);
/* The name under which its turns are taken: that of its group. */
struct sharc_span sharc__crawl_host_turns(struct hosts *h, uint32_t host);
#define TURN_SLACK SHARC_MSEC /* after another worker's turn: clocks are not that exact */
/* May the host be asked now? 1; 0: not before *ret_wait has passed. A catalogue that is away is asked again soon. */
int sharc__crawl_host_turn(struct hosts *h, uint32_t host, const struct sharc_crawl_pace *pace, sharc_time *ret_wait,
                           struct sharc_err *reterr);
/* Its answer came: its pause begins for everybody. */
int sharc__crawl_host_rests(struct hosts *h, uint32_t host, const struct sharc_crawl_pace *pace, sharc_time now,
                            struct sharc_err *reterr);
/* Write down what has changed: until when hosts are not to be asked, and their robots.txt. */
int sharc__crawl_hosts_keep(struct hosts *h, sharc_time now, struct sharc_err *reterr);

#endif
