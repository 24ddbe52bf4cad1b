/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the lab: what a site is (site.c, synthetic.c, recorded.c), what its pages say
 * (text.c, page.c, places.c, image.c, listing.c), what happens to them (life.c, edits.c,
 * truth.c) and who answers (lab.c, answer.c, faults.c).
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
    uint32_t noise;       /* that it carries: SHARC_LAB_BIT(…) */
    uint32_t faults;      /* of the server when it is asked for this */
    const char *type;     /* Content-Type; NULL: by kind */
};

/* Items are numbered as their paths are in `paths`; HTML pages and their files
 * first, what is derived from them last. */
struct lab_site {
    uint64_t seed;
    struct sharc_intern *paths;
    struct lab_item *items;
    size_t count, room;
    uint32_t pages;          /* of kind HTML */
    uint32_t edits;          /* that may happen */
    uint32_t noises;         /* that some page carries */
    struct lab_walks *walks; /* edits.c: so far the edits of each page were walked through; NULL: of none */
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

void sharc__lab_set_mix(struct lab_site *s, const struct sharc_lab_options *o); /* last */
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

/* What the edits have done to a page: how often each kind happened, by which place of a noise. */
struct lab_wording {
    uint32_t n[SHARC_LAB_EDIT_COUNT];
    uint32_t place[SHARC_LAB_NOISE_COUNT], inside[SHARC_LAB_NOISE_COUNT];
    bool away; /* an edit that will be undone is in force */
};
/* After that many edits; returns the kind of the last one. */
enum sharc_lab_edit sharc__lab_wording(const struct lab_site *s, uint32_t item, uint32_t edits,
                                       struct lab_wording *ret);
struct lab_walks *sharc__lab_walks_new(size_t items);
void sharc__lab_walks_free(struct lab_walks *w);
/* The rate if this item has edits of a kind that happens here, else 0. */
double sharc__lab_edit_rate(const struct lab_site *s, uint32_t item, double rate);

/* One request: what its noise is made from. */
struct lab_served {
    uint64_t number;
    sharc_time when; /* by the site's clock */
    uint32_t count;  /* of requests for this item */
};
/* A page being written. */
struct lab_page {
    const struct lab_site *site;
    uint32_t item;
    struct sharc_lab_version version;
    struct lab_wording wording;
    const struct lab_served *served; /* NULL: the quiet body, without noise */
    struct sharc_buf *out;
};
bool sharc__lab_has_place(const struct lab_page *p, enum sharc_lab_noise kind);
/* A token, nonce, session or id. */
void sharc__lab_put_random(const struct lab_page *p, enum sharc_lab_noise kind);
void sharc__lab_put_bust(const struct lab_page *p);
void sharc__lab_put_stamp(const struct lab_page *p);
void sharc__lab_put_places(const struct lab_page *p); /* all that stand by themselves */

void sharc__lab_image(uint64_t seed, uint32_t item, uint32_t edit, struct sharc_buf *out);
/* Any item whose body is a pure function; served NULL: without noise. */
void sharc__lab_item_body(const struct lab_site *s, uint32_t item, struct sharc_lab_version v,
                          const struct lab_served *served, struct sharc_buf *out);

/* --- life ------------------------------------------------------------------------- */

/* What a request is answered from. */
struct lab_copy {
    sharc_time made; /* 0: there is none */
    struct sharc_lab_version version;
    uint32_t number;
    sharc_time changed;
    struct lab_served served;
};

struct lab_state {
    struct lab_copy copy; /* in the cache, or of the last request */
    struct sharc_lab_version version;
    uint32_t number; /* versions since the start */
    uint32_t asked;  /* requests */
    bool exists;
    bool counted;         /* visitors of whom the log does not tell yet */
    sharc_time changed;   /* when this version began */
    sharc_time edited;    /* the last change that a reader would notice */
    sharc_time told;      /* … as sitemap and feed have it */
    struct sharc_rng rng; /* of the next edit and the next visitor */
    struct lab_says {
        uint32_t edit, layout;
        uint64_t print; /* of the body with no visitors */
        bool known;
    } says;             /* what a page that counts them says to a reader */
    size_t next_change; /* recorded: in the dataset */
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
    struct sharc_rng layout_rng, signal_rng;
    sharc_time sitemap_made;
    bool sitemap_old;                       /* something was told since */
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
/* signals.c: an edit, which sitemap and feed tell of or not; and what the sitemap says. */
void sharc__lab_tell(struct sharc_lab *l, uint32_t item, sharc_time when);
/* The sitemap has it: an HTML page, and whatever was recorded. */
bool sharc__lab_listed(const struct sharc_lab *l, uint32_t item);
/* Every page is stamped with the time at which the sitemap was made. */
bool sharc__lab_stamps_now(const struct sharc_lab *l);
sharc_time sharc__lab_told(const struct sharc_lab *l, uint32_t item);
/* life.c */
/* Before the page is served, or changes otherwise. Lock held. */
void sharc__lab_note_visitors(struct sharc_lab *l, uint32_t item);
void sharc__lab_tell_the_feed(struct sharc_lab *l, uint32_t item, sharc_time when);
void sharc__lab_write_sitemap(struct sharc_lab *l);
void sharc__lab_write_feed(struct sharc_lab *l);
/* The body as it is now: of a pure function made into scratch, else the stored one. */
struct sharc_span sharc__lab_body_now(const struct sharc_lab *l, uint32_t item, struct sharc_lab_version v,
                                      const struct lab_served *served, struct sharc_buf *scratch);

enum lab_cause { LAB_START, LAB_EDIT, LAB_LAYOUT, LAB_COUNTER, LAB_RENEWAL, LAB_BORN, LAB_GONE };
int sharc__lab_log_open(struct lab_log *log, const char *path, struct sharc_err *reterr);
void sharc__lab_log_version(struct sharc_lab *l, uint32_t item, enum lab_cause cause, sharc_time when);
/* An answer with a page in it, or 304. */
struct lab_sent {
    uint32_t item, number; /* and its version */
    sharc_time when;
    int status;
    struct sharc_span plain, coded; /* body, and as it was sent */
    size_t cut;                     /* bytes of the latter after which it broke off; SHARC_NPOS: it did not */
};
void sharc__lab_log_served(struct sharc_lab *l, const struct lab_sent *s);
/* Are there bodies that the versions do not tell? */
static inline bool sharc__lab_disturbed(const struct sharc_lab_options *o)
{
    return sharc_lab_mix_any(&o->noise) || sharc_lab_mix_any(&o->faults);
}
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

/* faults.c; lock held but for pause */
const struct lab_copy *sharc__lab_copy(struct sharc_lab *l, uint32_t item, sharc_time now, struct sharc_http_answer *a);
/* Adds validators. Does the request hold this version already? */
bool sharc__lab_validate(const struct sharc_lab *l, uint32_t item, const struct lab_copy *c, sharc_time now,
                         const struct sharc_http_request *q, struct sharc_http_answer *a);
bool sharc__lab_gzip(const struct sharc_lab *l, uint32_t item, uint64_t number, const struct sharc_http_request *q,
                     struct sharc_span body, struct sharc_buf *out);
/* Perhaps answers with the beginning of the body only: its length, else SHARC_NPOS. */
size_t sharc__lab_cut(const struct sharc_lab *l, uint64_t number, struct sharc_span body, struct sharc_http_answer *a);
void sharc__lab_pause(struct sharc_lab *l, uint32_t item, uint64_t k);

void sharc__lab_answer(void *lab, const struct sharc_http_request *q, struct sharc_http_answer *a);

#endif
