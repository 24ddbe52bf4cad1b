/* SPDX-License-Identifier: Apache-2.0
 *
 * One request on its way through the room, and what the files that answer it share.
 */
#ifndef SHARC_SERVE_CALL_H
#define SHARC_SERVE_CALL_H

#include "sharc/base_buf.h"
#include "sharc/base_file.h"
#include "sharc/base_limits.h"
#include "sharc/http_server.h"
#include "sharc/serve.h"

#include <pthread.h>

struct sharc_serve {
    struct sharc_serve_options o;
    char *title, *allow_origin;
    char *public_pages, *public_replay; /* origins; or NULL */
    struct sharc_http_server *pages, *replay;
    uint64_t held; /* bytes in answers under way; atomic, and so are the totals */
    struct sharc_serve_totals totals;
    sharc_time started;
    struct serve_waker *waker;     /* cdx_api.c */
    struct serve_answers *answers; /* api_cache.c */
    struct serve_live *live;       /* live.c */
    struct serve_trials *trials;   /* trial.c */
    char *token;                   /* that programs must show; or NULL */
    pthread_mutex_t log_lock;
    pthread_mutex_t start_lock; /* held until both servers run */
    bool ready;                 /* atomic: they do */
    uint16_t pages_port, replay_port;
};

struct serve_call {
    struct sharc_serve *server;
    bool on_replay; /* which of the two ports */
    const struct sharc_http_request *request;
    struct sharc_http_answer *answer;
    const struct sharc_edition *edition;
    bool edition_kept;       /* a stream releases it */
    bool postponed;          /* it will be asked again */
    struct sharc_span asked; /* instead of which an approximate match is shown; or none */
    int status;
    uint64_t size;                          /* of the body; UINT64_MAX: unknown */
    char own[320], pages[320], replay[320]; /* "http://host:port" as the client sees us: this port, and the two */
};

/* --- call.c ---------------------------------------------------------------------------- */

void sharc__serve_status(struct serve_call *c, int status);
void sharc__serve_header(struct serve_call *c, const char *name, struct sharc_span value);
void sharc__serve_headerf(struct serve_call *c, const char *name, const char *fmt, ...) SHARC_PRINTF(3, 4);
/* The body, taken from the buffer. */
void sharc__serve_body(struct serve_call *c, struct sharc_buf *body);
/* Answers in plain words, with the policy of the port. */
void sharc__serve_plain(struct serve_call *c, int status, const char *fmt, ...) SHARC_PRINTF(3, 4);
/* … with what went wrong, but not where on this machine. */
void sharc__serve_failed(struct serve_call *c, int status, const struct sharc_err *err);
/* A message for readers: of each path in it, and of what is served, the last part is left. malloc'ed */
char *sharc__serve_without_paths(const struct serve_call *c, const char *text);
void sharc__serve_redirect(struct serve_call *c, int status, const char *fmt, ...) SHARC_PRINTF(3, 4);
/* Scripts of the origin that the operator allows may read this. */
void sharc__serve_cors(struct serve_call *c);
/* Is there memory for this many bytes more? Then they are taken, until sharc__serve_unhold. */
bool sharc__serve_hold(struct sharc_serve *s, uint64_t bytes);
void sharc__serve_unhold(struct sharc_serve *s, uint64_t bytes);
void sharc__serve_busy(struct serve_call *c);
/* A file was shortened while it was read: nobody knows what was in it. */
void sharc__serve_shortened(struct serve_call *c);

/* A parameter of the query by its name, decoded into out (replaced); *at: start with 0, for those that repeat. */
bool sharc__serve_parameter(const struct serve_call *c, const char *name, size_t *at, struct sharc_buf *out);
/* url, so that it may stand in a header, in <>, in quotes and in a path. */
void sharc__serve_put_url(struct sharc_buf *out, struct sharc_span url);
/* As a parameter of a query. */
void sharc__serve_put_escaped(struct sharc_buf *out, struct sharc_span text);

/* --- address.c -------------------------------------------------------------------------- */

/* How far from the time of an address a capture may be; within.c. */
struct serve_limits {
    bool set;
    sharc_time from, to;    /* from may be negative, and is not above to */
    struct sharc_span text; /* "-1d..+2h" */
};

/* "/web/20260301120000~-1d..+2h~im_/http://example.org/a?b" taken apart. */
struct serve_address {
    struct sharc_span mapping;   /* "web", "near", "asof", "coherent" */
    struct sharc_span timestamp; /* digits; empty: the newest */
    struct serve_limits limits;
    struct sharc_span modifier; /* "im_"; empty: none */
    bool star;                  /* "*" stands for the time */
    struct sharc_span url;      /* with a scheme; into target or scratch */
    struct sharc_buf scratch;
};
void sharc__serve_address_done(struct serve_address *a);
/* False: it is no such address. target: with its query. */
bool sharc__serve_address_read(struct serve_address *a, struct sharc_span target);
/* A URL that stands behind a prefix of the target: scheme completed, slashes that a proxy took away put back,
 * decoded when it was escaped as a whole. Points into text or scratch. */
struct sharc_span sharc__serve_url_behind(struct sharc_span text, struct sharc_buf *scratch);

/* --- within.c ----------------------------------------------------------------------------- */

/* "-1d..+2h". False: it is none. */
bool sharc__serve_limits_read(struct sharc_span text, struct serve_limits *ret);
/* Of the time of an address, in as many digits as that has. */
bool sharc__serve_is_inside(const struct serve_limits *l, struct sharc_span timestamp, sharc_time when);
/* Answer with 404 what lies outside the limits of its address. */
bool sharc__serve_refuse(struct serve_call *c, const struct serve_address *a, const struct sharc_found *f);
/* Where "?within=…" begins at the end of a URL; SHARC_NPOS: nowhere. The limits point into scratch. */
size_t sharc__serve_within_at(struct sharc_span url, struct sharc_buf *scratch, struct serve_limits *ret);
/* If "?within=…" stands at the end, and is not part of the URL of a capture, redirect to the address that carries the
 * limits. prefix: "/view" or "". */
bool sharc__serve_take_within(struct serve_call *c, const struct serve_address *a, const char *prefix);

/* --- origin.c ---------------------------------------------------------------------------- */

/* Set own, pages and replay. False: this host may not be asked for here. */
bool sharc__serve_origins(struct serve_call *c);
int sharc__serve_read_origins(struct sharc_serve *s, const struct sharc_serve_options *o, struct sharc_err *reterr);

/* --- what answers ------------------------------------------------------------------------ */

void sharc__serve_replay(struct serve_call *c, const struct serve_address *a);   /* replay.c */
void sharc__serve_by_referrer(struct serve_call *c);                             /* replay.c */
void sharc__serve_calendar(struct serve_call *c, const struct serve_address *a); /* calendar.c */
void sharc__serve_listing(struct serve_call *c, const struct serve_address *a);  /* listing.c */
void sharc__serve_view(struct serve_call *c, struct sharc_span target);          /* view.c */
void sharc__serve_view_script(struct serve_call *c);                             /* view.c */
void sharc__serve_bar_style(struct serve_call *c);                               /* bar.c */
void sharc__serve_limits(struct serve_call *c);                                  /* chart.c */
void sharc__serve_timegate(struct serve_call *c, struct sharc_span url);         /* memento.c */
void sharc__serve_timemap(struct serve_call *c, struct sharc_span rest);         /* memento.c */
void sharc__serve_cdx(struct serve_call *c);                                     /* cdx_api.c */
void sharc__serve_coherence_api(struct serve_call *c);                           /* coherence_api.c */
void sharc__serve_files(struct serve_call *c, struct sharc_span name);           /* files_api.c */
void sharc__serve_start_page(struct serve_call *c);                              /* pages.c */
void sharc__serve_search(struct serve_call *c);                                  /* pages.c */
void sharc__serve_style(struct serve_call *c);                                   /* pages.c */
/* Answer from all pieces of a file of which f is one; false: it is none, or nobody knows what belongs to it. */
bool sharc__serve_joined(struct serve_call *c, const struct serve_address *a,
                         const struct sharc_found *f); /* joined.c */
/* Questions to the catalogues, below /api/. */
void sharc__serve_api(struct serve_call *c); /* api.c */
/* Does POST to this path make sense? */
bool sharc__serve_api_is_written(struct sharc_span path);
/* The web interface below /ui/; is it part of this program? */
void sharc__serve_ui(struct serve_call *c, struct sharc_span name); /* ui.c */
bool sharc__serve_has_ui(void);
/* Does the request show the token that this address needs? Otherwise it is answered with 401. */
bool sharc__serve_may(struct serve_call *c); /* token.c */
/* Our service worker and what registers it; false: it is none of that. */
bool sharc__serve_worker(struct serve_call *c);  /* worker.c */
void sharc__serve_metrics(struct serve_call *c); /* server.c */

/* For answers that take turns: from before the servers start until after they have stopped. */
struct serve_waker *sharc__serve_waker_new(void);
void sharc__serve_waker_free(struct serve_waker *w);

struct serve_trials *sharc__serve_trials_new(struct sharc_serve *s); /* trial.c */
void sharc__serve_trials_stop(struct serve_trials *k);               /* no more is tried, what runs is ended */
void sharc__serve_trials_free(struct serve_trials *k);               /* after the servers */
struct serve_live *sharc__serve_live_new(struct sharc_serve *s);     /* live.c */
void sharc__serve_live_free(struct serve_live *l);

struct serve_answers *sharc__serve_answers_new(void); /* api_cache.c */
void sharc__serve_answers_free(struct serve_answers *k);

/* --- pages.c: pages of ours ---------------------------------------------------------------- */

void sharc__serve_page_begin(struct serve_call *c, struct sharc_buf *out, const char *title);
void sharc__serve_page_end(struct serve_call *c, struct sharc_buf *out, int status);
/* A page that says what is wrong, with a link to the captures of a URL when one is given; alike: to those
 * that begin like it. */
void sharc__serve_page_error(struct serve_call *c, int status, const char *title, const char *text,
                             struct sharc_span url, bool alike);
/* "https://example.org/" as text of a page. */
void sharc__serve_put_text(struct sharc_buf *out, struct sharc_span text);
/* A URL for people: what is not seen, or turns the order of characters around, is escaped. */
void sharc__serve_put_shown(struct sharc_buf *out, struct sharc_span url);
/* "2026-03-01 12:00:00" of a timestamp. */
void sharc__serve_put_time(struct sharc_buf *out, struct sharc_span timestamp);

/* --- body.c: bytes of records ----------------------------------------------------------------- */

/* The first bytes of the payload, which is still sent whole. */
struct sharc_span sharc__serve_peek(struct sharc_found *found);
/* The payload as it is, or the part of it that is asked for; found is the server's now. Sets status and size. */
void sharc__serve_payload(struct serve_call *c, struct sharc_found *found);
/* A file of the edition, or the part of it that is asked for. */
void sharc__serve_bytes(struct serve_call *c, const struct sharc_filemap *map);

/* --- head.c: headers of archived answers --------------------------------------------------------- */

struct serve_rewrite {
    const struct serve_address *address; /* of the request */
    const struct sharc_found *found;
    struct sharc_span peek; /* the first bytes of the payload; .p == NULL: not known */
    struct sharc_span type; /* Content-Type to be sent; .p == NULL: the archived one */
};
/* How pages that were archived are to be handled by a browser; on every answer of the replay port. */
void sharc__serve_policy(struct serve_call *c);

/* --- guard.c --------------------------------------------------------------------------- */

void sharc__serve_guard_headers(struct serve_call *c);
/* The element that loads the guard, for a page that a browser is going to show (xml: as XML); none for what a script or
 * program reads. */
struct sharc_span sharc__serve_guard_tag(const struct serve_call *c, bool xml);
void sharc__serve_guard_script(struct serve_call *c); /* /sharc-page.js */
/* The headers of the answer as far as they may be sent, the others as X-Archive-Orig-…. content_changed: the body
 * is not the archived one. */
void sharc__serve_head(struct serve_call *c, const struct serve_rewrite *w, bool content_changed);
/* Where a link of the archived page leads in this replay: "/web/20260301120000im_/http://…", appended. */
void sharc__serve_put_link(struct sharc_buf *out, const struct serve_address *a, const char *timestamp,
                           const char *modifier, struct sharc_span url);

/* --- type.c ------------------------------------------------------------------------------------ */

/* The Content-Type that a browser would believe, with its parameters; empty: none, it would look at the bytes. */
struct sharc_span sharc__serve_type(const struct sharc_found *f);
/* What these bytes are sent as where there is no type: a page, text, or nothing that a browser shows. */
struct sharc_span sharc__serve_type_of_bytes(struct sharc_span body);
/* Is "application/rss+xml" XML? */
bool sharc__serve_is_xml(struct sharc_span essence);
/* May a browser make a page of it that runs scripts or loads parts? Feeds and data it only lists. */
bool sharc__serve_xml_may_be_page(struct sharc_span xml);

/* --- memento.c --------------------------------------------------------------------------------- */

/* Memento-Datetime, and Link to original, TimeGate, TimeMap and the memento itself; of pages also to the captures
 * around it, and to what is known of their parts (described). exact: this answer is the memento. */
void sharc__serve_memento(struct serve_call *c, const struct serve_address *a, const struct sharc_found *f, bool exact,
                          bool described);

/* --- neighbours.c ----------------------------------------------------------------------------- */

/* Timestamps of captures of a URL; "": there is none. */
struct serve_neighbours {
    char first[18], prev[18], next[18], last[18];
};
void sharc__serve_neighbours(const struct sharc_edition *e, struct sharc_span url, const char *timestamp,
                             struct serve_neighbours *ret);

#endif
