/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a site can be reached: what may pass is tried again, and a person hears what
 * the crawl waits for, why, and until when; what does not pass leaves the site for
 * another day.
 */
#ifndef SHARC_CRAWL_REACH_INT_H
#define SHARC_CRAWL_REACH_INT_H

#include "agenda.h"
#include "hosts.h"

struct reach {
    const struct context *ctx;
    struct hosts *hosts;
    struct agenda *agenda;
    const char *name;    /* of the site */
    const size_t *sites; /* how many the crawl has */
    uint32_t home;       /* group of the seeds' host; what lies elsewhere must not hold the site up */
    unsigned lost;       /* downloads that failed to connect in a row */
    char trouble[256];   /* why we are waiting for this site, as in "says 503"; "": we are not */
    sharc_time retry_at; /* then it is tried again */
    char failure[256];   /* the first download without an answer; "": none */
    bool answered;       /* something answered */
    char why[256];       /* it is suspended, or has no pages */
    bool local_told;     /* it was said that this machine could not do a download */
};
void sharc__crawl_reach_home(struct reach *r, uint32_t group);

/* Trouble that may pass: true when it will be tried again, or the site is left alone;
 * nothing else is to be done. */
bool sharc__crawl_passing_trouble(struct reach *r, const struct job *j);
/* How a download failed, without its URL. */
void sharc__crawl_cause(const struct sharc_fetch_result *r, char *out, size_t room);
/* The site waits; why ("says 503"), after this many tries. */
void sharc__crawl_trouble(struct reach *r, unsigned tries, sharc_time now, sharc_time until, const char *fmt, ...)
    SHARC_PRINTF(5, 6);
/* An earlier run was asked to leave the site alone until then. */
void sharc__crawl_asked_away(struct reach *r, sharc_time now, sharc_time until);
void sharc__crawl_trouble_over(struct reach *r);
/* An answer came from that host, whatever it says. */
void sharc__crawl_answered(struct reach *r, uint32_t host);
/* A download has ended with that status; 0: without an answer. */
void sharc__crawl_reach_status(struct reach *r, int status);
/* A site without pages: in a sentence, what became of its seeds. */
void sharc__crawl_explain_nothing(struct reach *r, const struct pages *p);
void sharc__crawl_trouble_status(const struct reach *r, struct sharc_crawl_status *st);
/* Leave the site for another day: its capture can be resumed. */
void sharc__crawl_suspend(struct reach *r, const char *why);
/* The whole crawl was stopped before the site was done. */
void sharc__crawl_stopped(struct reach *r);

#endif
