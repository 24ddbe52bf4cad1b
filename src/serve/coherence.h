/* SPDX-License-Identifier: Apache-2.0
 *
 * A page as it is shown, with everything that it embeds, and what can be said about it: which capture each part is
 * of, what is known of it, and the verdict on the whole.
 */
#ifndef SHARC_SERVE_COHERENCE_H
#define SHARC_SERVE_COHERENCE_H

#include "call.h"
#include "history.h"
#include "sharc/quality_verdict.h"
#include "sharc/quality_weight.h"

/* Parts of a page that are looked at; a page with more cannot be proven. */
enum { SERVE_MOST_PARTS = 400 };

/* One part; the page itself is the first. Spans live with the page. */
struct serve_part {
    struct sharc_span url;    /* as the page asks for it */
    struct sharc_span target; /* as it was captured */
    bool recurse;             /* it may embed in its turn: a style sheet, a frame */
    bool missing;             /* not archived, or not to be shown */
    bool outside;             /* captured outside the limits */
    char timestamp[18];
    sharc_time when, ended; /* the download that is shown: begin, end */
    sharc_time stated;      /* Last-Modified as sent; SHARC_TIME_NONE */
    int status;
    bool revisit;
    struct sharc_span type, digest;
    struct sharc_part_look look;
    double weight, most_weight; /* as it weighs, and no more than the frame that it stands in */
    bool similar;               /* what is shown is of another URL */
    bool blank;                 /* there is nothing to compare it by: a failure, or no digest */
    struct sharc_part known;
    enum sharc_part_reason reason;
    double probability;
    struct serve_sight about; /* grade, rate, certificate; spans of it are not valid */
    struct serve_history history;
};

/* Shares of the weight of all parts but the page itself, by what is said of them; all 0: there are none. */
struct serve_weighed {
    double states[SHARC_PART_STATE_COUNT], missing, refused;
};

struct serve_coherence {
    struct sharc_arena arena;
    struct serve_part *parts;
    size_t count, room;
    size_t missing, outside, similar;
    bool cut;         /* more parts than were looked at */
    bool scripts;     /* scripts may load more */
    sharc_time asked; /* the instant of the address; SHARC_TIME_NONE: the page's own time */
    struct sharc_judged_page page;
    struct serve_weighed weighed;
    struct sharc_intern *seen; /* URLs of the parts */
};
void sharc__serve_coherence_done(struct serve_coherence *k);

/* The mapping that an address names. */
enum sharc_mapping sharc__serve_mapping(struct sharc_span name);

/* parts.c. The parts of the page that an address shows, each as its mapping chooses it. SHARC_ENOENT and others as
 * sharc_find, of the page itself. */
int sharc__serve_parts(const struct sharc_edition *e, const struct serve_address *a, struct serve_coherence *k,
                       struct sharc_err *reterr);
/* Links of an archived answer that can hold some: fn for each. False: its body was too large, or was not read to
 * its end. style: it is read as a style sheet, whatever its type. */
struct serve_link {
    struct sharc_span url;
    bool embed, recurse;
    struct sharc_part_look look;
};
typedef void sharc__serve_link_fn(void *arg, const struct serve_link *link);
bool sharc__serve_links(struct sharc_found *f, bool style, sharc__serve_link_fn *fn, void *arg, bool *ret_scripts);

/* verdict.c. Parts and verdict. SHARC_EBUSY: there is no memory for it. */
int sharc__serve_judge(struct serve_call *c, const struct serve_address *a, struct serve_coherence *k,
                       struct sharc_err *reterr);
/* It was the same but for what differs on every request. */
bool sharc__serve_is_volatile(const struct serve_part *p);
/* "12 %", "less than 0.1 %"; never more than is so. */
void sharc__serve_put_share(struct sharc_buf *out, double share);
/* A sentence about the whole: "page and 41 of 42 parts …". */
void sharc__serve_put_verdict(struct sharc_buf *out, const struct serve_coherence *k);

/* instant.c. The instant nearest to a time at which the heaviest set of versions of a page, its parts and the pages
 * that it links to existed together. A coherent address whose time has fewer than 17 digits is a wish: give it the
 * instant that suits it best, in digits. Of all others nothing is changed. SHARC_ENOENT: there is no capture. */
int sharc__serve_settle_instant(const struct sharc_edition *e, struct serve_address *a, char digits[SHARC_TIME_TEXT],
                                struct sharc_err *reterr);

/* Redirect there; false: the address names its instant, or there is none. prefix: "/view" or "". */
bool sharc__serve_go_to_instant(struct serve_call *c, const struct serve_address *a, const char *prefix);

#endif
