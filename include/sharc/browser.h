/* SPDX-License-Identifier: Apache-2.0
 *
 * A Chromium that does what it is told: started, driven over the pipe of its DevTools, and gone without a trace.
 *
 *   r = sharc_browser_start(&(struct sharc_browser_options){.program = "/usr/bin/chromium", …}, &b, &err);
 *   struct sharc_json *j = sharc_browser_begin(b, session, "Page.navigate");
 *   sharc_json_str(j, "url", "https://example.org/");
 *   r = sharc_browser_call(b, 30 * SHARC_SEC, &answer, &err);
 *   while ((r = sharc_browser_wait(b, SHARC_SEC, &err)) >= 0) …            events arrive in options.event
 *   sharc_browser_stop(b);
 *
 * It has a profile of its own in a temporary directory, and nothing else of the user: no cookies, no extensions, no
 * home. A second process watches over both: however this one ends, also by SIGKILL, the browser ends and the
 * directory is removed.
 *
 * It cannot reach any network by itself: its proxy is an address where nobody can listen, no name is resolved,
 * and where the system allows it, it has no network at all (isolate). Whoever starts it answers its requests
 * (Fetch.requestPaused), from an archive or by a fetcher.
 *
 * Every page, frame of another origin, worker and service worker is attached as a session of its own before
 * its first script runs. What comes over the pipe is steered by web pages: messages are bounded in size and depth,
 * sessions in number; what exceeds that is dropped and counted. For one thread; SIGPIPE must be ignored.
 */
#ifndef SHARC_BROWSER_H
#define SHARC_BROWSER_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/base_json.h"
#include "sharc/base_node.h"

SHARC_PRIVATE_BEGIN

#define SHARC_LIMIT_BROWSER_MESSAGE (64u << 20) /* one message of the browser */
#define SHARC_LIMIT_BROWSER_COMMAND (96u << 20) /* one of ours: Chromium reads up to 100 MiB */
#define SHARC_LIMIT_BROWSER_SESSIONS 1000u      /* at once; further targets stay paused */

struct sharc_browser;

/* Something attached: a page, frame, worker. Lives until its end was told. */
struct sharc_browser_session {
    char id[64];
    char target[64];
    char context[64];                           /* of cookies, workers and caches; "": not told */
    char kind[24];                              /* "page", "iframe", "worker", "shared_worker", "service_worker" … */
    const struct sharc_browser_session *parent; /* that it was attached by; NULL: the browser itself */
    void *user;                                 /* for the handler */
};

enum sharc_browser_event_kind {
    SHARC_BROWSER_ATTACHED, /* a new session, still paused: what is sent to it now happens before its first script */
    SHARC_BROWSER_DETACHED, /* it has gone */
    SHARC_BROWSER_EVENT,
    SHARC_BROWSER_REFUSED, /* a command that was sent and not waited for failed */
};
struct sharc_browser_event {
    enum sharc_browser_event_kind kind;
    struct sharc_browser_session *session; /* NULL: of the browser as a whole, or of a session that has gone */
    struct sharc_span method;              /* EVENT: "Fetch.requestPaused" */
    const struct sharc_node *params;       /* EVENT: its parameters; may be NULL. They live until the handler returns */
    uint64_t command;                      /* REFUSED: which one */
};
/* May send, may not call or wait. */
typedef void sharc_browser_fn(void *arg, struct sharc_browser *b, const struct sharc_browser_event *e);

struct sharc_browser_options {
    const char *program;       /* its path */
    const char *temporary;     /* where the profile's directory is made; NULL: /tmp */
    char *const *environment;  /* what it inherits, with places of its own for what is the user's */
    bool window;               /* with a window on the display that the environment names; else headless */
    bool isolate;              /* try to take all network from it; without right to do so it is left as it is */
    unsigned width, height;    /* of the window; 0: 1280 × 800 */
    const char *language;      /* that pages are told, "en-US"; NULL: that */
    const volatile bool *stop; /* waiting ends with SHARC_EINTR when it becomes true; or NULL */
    sharc_browser_fn *event;
    void *arg;
};

/* The first of the names that Chromium has on different systems that PATH (its value) holds, malloc'ed; NULL: none.
 * Without a window its headless shell is preferred: the same engine, which starts much faster. */
char *sharc_browser_find(const char *path, bool window);

/* Answers when this returns. SHARC_ENOENT, SHARC_EACCESS: the program; SHARC_EIO: it ended, with what it said. */
int sharc_browser_start(const struct sharc_browser_options *o, struct sharc_browser **ret, struct sharc_err *reterr);
/* Asks it to end, ends it, removes its directory. NULL is fine. */
void sharc_browser_stop(struct sharc_browser *b);
void sharc_browser_stopp(struct sharc_browser **b);
/* Has the system taken its network away? */
bool sharc_browser_isolated(const struct sharc_browser *b);

/* The sessions that there are now, in the order in which they came; NULL: no more. */
struct sharc_browser_session *sharc_browser_nth(const struct sharc_browser *b, size_t i);

/* A command in the making: write its parameters, then send or call. session: NULL for the browser itself. One at a
 * time. */
struct sharc_json *sharc_browser_begin(struct sharc_browser *b, const struct sharc_browser_session *session,
                                       const char *method);
/* Do not wait for an answer. Its number, or 0: it was too large, nothing was sent. */
uint64_t sharc_browser_send(struct sharc_browser *b);
/* Wait for the answer, at most this long; events are handled meanwhile. *ret (may be NULL) lives until the
 * next call. SHARC_EINVAL: the browser refuses, with its words; SHARC_EBUSY: no answer in that time; SHARC_EIO: it has
 * ended; SHARC_EINTR; SHARC_ELIMIT: the command is too large. */
int sharc_browser_call(struct sharc_browser *b, sharc_time most, const struct sharc_node **ret,
                       struct sharc_err *reterr);
/* Handle what has come, wait at most this long for it. 1: something was handled; 0: nothing came. Errors as above. */
int sharc_browser_wait(struct sharc_browser *b, sharc_time most, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
