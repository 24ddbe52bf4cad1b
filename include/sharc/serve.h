/* SPDX-License-Identifier: Apache-2.0
 *
 * The server over a collection: replay, Memento, CDX and the pages that lead there. docs/serving.md says
 * what is answered under which address, and why.
 *
 * Two ports: what was archived is shown on one, everything of ours on the other, so that a browser keeps
 * archived scripts apart from our pages. Nothing is written but reviews, and those
 * only with a token; no cookie is set.
 */
#ifndef SHARC_SERVE_H
#define SHARC_SERVE_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/serve_collection.h"

SHARC_PRIVATE_BEGIN

/* A trial of a strategy on the site of an archive's newest capture. */
struct sharc_serve_trial {
    const char *archive, *strategy;
    double delay; /* seconds between two downloads */
    double known; /* share of the URLs that is known beforehand; NAN: what the archive knows */
    double focus; /* share of extra requests */
};
/* The command that makes it and prints JSON: a program and its arguments, ended by NULL; all malloc'ed. */
typedef char **sharc_serve_trial_fn(const struct sharc_serve_trial *trial);

struct sharc_serve_options {
    struct sharc_collection *collection; /* must outlive the server */
    const char *address;                 /* numeric, to listen on */
    uint16_t port, replay_port;          /* of our pages, and of archived ones; 0: any free one */
    unsigned threads;                    /* of each of the two; 0: one per core */
    unsigned connections;                /* at once, to each */
    sharc_time timeout;                  /* of a silent connection */
    uint64_t memory;                     /* bytes that answers under way may hold; beyond that: 503 */
    const char *title;                   /* of the collection, on pages; NULL: "Web archive" */
    /* How readers reach the two through a proxy, "https://archive.example.org" without a path; NULL: directly. */
    const char *public_url, *public_replay_url;
    const char *allow_origin;    /* whose pages may read indexes and files by script; NULL: nobody's */
    const char *token;           /* that requests for catalogues, index, files and metrics must show; NULL: none */
    sharc_serve_trial_fn *trial; /* NULL: there are no trials */
    struct sharc_clock *clock;
    /* Called for each answer, from any thread, one at a time; line has no end of line. May be NULL. */
    void (*log)(void *arg, const char *line);
    void *log_arg;
};
#define SHARC_SERVE_OPTIONS                                                                                        \
    {                                                                                                              \
        .address = "127.0.0.1", .port = 8080, .replay_port = 8081, .connections = 1024, .timeout = 30 * SHARC_SEC, \
        .memory = 512u << 20                                                                                       \
    }

struct sharc_serve;
/* Answers when this returns. Errors as sharc_http_server_start. Listening on loopback, only requests that
 * name a loopback host or one of the public URLs are answered: a page elsewhere cannot have its own name point here
 * and read along. SHARC_EINVAL also for a public URL that is none, or one without the other. */
int sharc_serve_start(const struct sharc_serve_options *o, struct sharc_serve **ret, struct sharc_err *reterr);
/* "http://127.0.0.1:8080/"; they live as long as the server. */
const char *sharc_serve_url(const struct sharc_serve *s);
const char *sharc_serve_replay_url(const struct sharc_serve *s);
/* Waits for handlers that run, cuts what is being sent. NULL is fine. */
void sharc_serve_stop(struct sharc_serve *s);
void sharc_serve_stopp(struct sharc_serve **s);

struct sharc_serve_totals {
    uint64_t requests;
    uint64_t by_class[6]; /* answers 1xx … 5xx; [0]: others */
    uint64_t mementos;    /* archived answers shown */
    uint64_t refused;     /* for want of memory, or of a Host that is allowed */
};
struct sharc_serve_totals sharc_serve_totals(const struct sharc_serve *s);

SHARC_PRIVATE_END
#endif
