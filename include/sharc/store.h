/* SPDX-License-Identifier: Apache-2.0
 *
 * The catalogue: everything that is known about captures, in SQLite or
 * PostgreSQL, behind one interface. This header opens it and holds the few
 * things that are written one at a time (sites, captures, models, rates).
 *
 *   store_write.h   the batch writer: pages, links, skipped URLs, WARC progress
 *   store_query.h   cursors: every question the other rooms ask
 *   store_job.h     jobs and leases of workers, politeness shared between them
 *
 * A store is one connection: use it from one thread at a time, and open one
 * per thread. What was committed survives a crash of the program; after a crash
 * of the machine the last commits may be missing, never half of one (SQLite
 * with WAL and synchronous=NORMAL; sharc_store_sync makes it certain).
 *
 * Identity. A URL is told apart by its text as given (callers give the form
 * "page": parsed, no fragment). A page is (capture, URL). Numbers of sites, URLs,
 * captures and WARC files begin at 1; 0 means none. Times are sharc_time,
 * SHARC_TIME_NONE for unknown.
 *
 * Errors. SHARC_EDB: the database refuses, the sentence says why. SHARC_ENET:
 * the connection to PostgreSQL is lost or cannot be made; nothing that was
 * not committed is there: sharc_store_reconnect, then repeat. SHARC_EBUSY:
 * somebody else holds a lock (SQLite, after 30 s) or wins a conflict
 * (PostgreSQL): repeat. SHARC_EUNSUPPORTED: the catalogue was made by a newer
 * sharc. SHARC_EACCESS: opened read-only. SHARC_ENOSPC: disk full.
 */
#ifndef SHARC_STORE_H
#define SHARC_STORE_H

#include "sharc/base.h"
#include "sharc/base_clock.h"

SHARC_API_BEGIN

struct sharc_store;
typedef int64_t sharc_store_id;

/* --- opening ---------------------------------------------------------------- */

struct sharc_store_options {
    bool read_only;    /* nothing is created, migrated or written */
    bool must_exist;   /* SHARC_ENOENT instead of a new catalogue */
    size_t cache_urls; /* URLs whose numbers are remembered, about 40 bytes each; 0: one million */
};

/* url: "sqlite:PATH", a plain path, "memory:" (gone when closed), or
 * "postgresql://…" as libpq reads it. Creates the schema in an empty database
 * and brings an older one up to date, each step in a transaction of its own. o may be NULL. */
int sharc_store_open(const char *url, const struct sharc_store_options *o, struct sharc_store **ret,
                     struct sharc_err *reterr);
/* Closes; what was not committed is gone. Cursors and batches of it must be freed before. */
void sharc_store_free(struct sharc_store *s);
void sharc_store_freep(struct sharc_store **s);

/* "sqlite", "postgresql" or "memory"; and the url with any password taken out. */
const char *sharc_store_kind(const struct sharc_store *s);
const char *sharc_store_name(const struct sharc_store *s);
/* Version of the schema this library writes. */
int sharc_store_version(void);

/* Make all commits so far safe against loss of power. */
int sharc_store_sync(struct sharc_store *s, struct sharc_err *reterr);
/* Structural check of the database and of what no constraint can say (numbers
 * that point nowhere, a WARC row without …). fn is called with one sentence per
 * finding; the count is returned. */
typedef void sharc_store_finding_fn(void *arg, const char *sentence);
int sharc_store_check(struct sharc_store *s, sharc_store_finding_fn *fn, void *arg, struct sharc_err *reterr);

/* After SHARC_ENET: connect again (one attempt). Prepared statements and
 * caches are renewed by themselves; open cursors are dead. */
int sharc_store_reconnect(struct sharc_store *s, struct sharc_err *reterr);

/* Connect again and again with pauses of 1, 2, 4 … 30 s until it works, *stop
 * becomes true (SHARC_EINTR) or `patience` is used up (SHARC_ENET). waiting
 * (may be NULL) is called before every pause. */
typedef void sharc_store_waiting_fn(void *arg, sharc_time pause, const struct sharc_err *why);
struct sharc_store_patience {
    struct sharc_clock *clock;
    sharc_time patience;       /* in all */
    const volatile bool *stop; /* may be NULL */
    sharc_store_waiting_fn *waiting;
    void *arg;
};
int sharc_store_wait(struct sharc_store *s, const struct sharc_store_patience *p, struct sharc_err *reterr);

/* The process is asked to end: from now on no call waits for longer than some seconds for a database that says
 * nothing at all, because it is suspended or cannot be reached; it fails with SHARC_ENET. What the database does with
 * a statement that was sent is not known then, as when a connection is lost. For all stores; from signal handlers, too.
 */
void sharc_store_end_soon(void);

/* --- for tests: tracing and failing ------------------------------------------- */

/* Every statement with the seconds it took; NULL ends it. */
typedef void sharc_store_trace_fn(void *arg, const char *sql, double seconds);
void sharc_store_trace(struct sharc_store *s, sharc_store_trace_fn *fn, void *arg);
/* Let the n-th call of the back-end from now on (1: the next) fail with code,
 * before it has any effect; 0 ends it. Returns calls made since the last setting. */
uint64_t sharc_store_fail_at(struct sharc_store *s, uint64_t n, int code);

/* --- sites -------------------------------------------------------------------- */

struct sharc_store_site {
    sharc_store_id id;
    struct sharc_span name;     /* unique: "example.org", or what the user calls it */
    struct sharc_span seeds;    /* JSON array of URLs; may be none */
    struct sharc_span settings; /* JSON object; may be none */
};
/* Number of the site of that name, made if missing; seeds and settings are
 * replaced when given (.p != NULL). */
int sharc_store_site_put(struct sharc_store *s, const struct sharc_store_site *site, sharc_store_id *ret,
                         struct sharc_err *reterr);

/* --- captures ------------------------------------------------------------------- */

/* name, what tables and JSON call it */
#define SHARC_CAPTURE_STATES(X)   \
    X(RUNNING, "running")         \
    X(INTERRUPTED, "interrupted") \
    X(COMPLETE, "complete")       \
    X(IMPORTED, "imported")       \
    X(IMPORTING, "importing")

enum sharc_capture_state {
#define X(name, text) SHARC_CAPTURE_##name,
    SHARC_CAPTURE_STATES(X)
#undef X
        SHARC_CAPTURE_STATE_COUNT,
};
const char *sharc_capture_state_text(enum sharc_capture_state state);

struct sharc_store_capture {
    sharc_store_id id;
    sharc_store_id site;
    struct sharc_span site_name; /* read only: filled by queries */
    struct sharc_span key;       /* unique name; an import derives it from its input so that repeating finds it */
    struct sharc_span strategy;
    struct sharc_span purpose; /* "exploration", "evidence", "watch" */
    struct sharc_span params;  /* JSON object */
    struct sharc_span source;  /* "crawl", "import", and of what */
    sharc_time start, end;
    sharc_time reference;                    /* the instant the capture refers to */
    sharc_time reference_from, reference_to; /* the interval in which all pages counted as proved existed together */
    enum sharc_capture_state state;
};
#define SHARC_STORE_CAPTURE_INIT                                                        \
    {                                                                                   \
        .start = SHARC_TIME_NONE, .end = SHARC_TIME_NONE, .reference = SHARC_TIME_NONE, \
        .reference_from = SHARC_TIME_NONE, .reference_to = SHARC_TIME_NONE              \
    }
/* A new capture, or the one with that key (*ret_new says which, may be NULL);
 * of an existing one nothing is changed. Without a key one is made: "capture-N". */
int sharc_store_capture_add(struct sharc_store *s, const struct sharc_store_capture *c, sharc_store_id *ret,
                            bool *ret_new, struct sharc_err *reterr);
/* Set the state, and what is given (times that are not NONE, spans with .p). SHARC_ENOENT. */
int sharc_store_capture_update(struct sharc_store *s, const struct sharc_store_capture *c, struct sharc_err *reterr);
/* Take a capture with all its pages, grades, links and skipped URLs out of the
 * catalogue; URLs, rates, volatile places and WARC rows stay. */
int sharc_store_capture_delete(struct sharc_store *s, sharc_store_id capture, struct sharc_err *reterr);
/* What a person calls a capture: a number, a key, "latest" (the newest by start),
 * a site's name (its latest) or "SITE@TIME" (its latest that began at or before
 * TIME, as sharc_time_parse reads it). SHARC_ENOENT with a sentence that says what there is. */
int sharc_store_capture_find(struct sharc_store *s, struct sharc_span words, sharc_store_id *ret,
                             struct sharc_err *reterr);

/* Who says what the pages of a capture deserve. name, word */
#define SHARC_STORE_GRADERS(X)                                                       \
    X(CRAWL, "crawl")     /* our crawler, when the capture ended */                  \
    X(RECORDS, "records") /* an import, which compared the downloads in the files */ \
    X(FILE, "file")       /* the closing record of an imported file, which anybody can write: an old import */

enum sharc_store_grader {
#define X(name, word) SHARC_STORE_GRADER_##name,
    SHARC_STORE_GRADERS(X)
#undef X
};
const char *sharc_store_grader_word(enum sharc_store_grader g);
/* What the closing record of an imported capture says of itself; it counts for nothing. */
struct sharc_store_claim {
    uint64_t pages, proved; /* 0 pages: there is none */
    uint64_t unfounded;     /* called proved there, and not by the downloads */
};
/* By the parameters of a capture that was read. ret_claim may be NULL. */
enum sharc_store_grader sharc_store_grader(const struct sharc_store_capture *c, struct sharc_store_claim *ret_claim);

/* --- WARC files ------------------------------------------------------------------- */

#define SHARC_STORE_WARC_STATES(X)                               \
    X(PARTIAL, "partial") /* imported or written up to `done` */ \
    X(COMPLETE, "complete")                                      \
    X(DAMAGED, "damaged") /* read to the end, with damage */     \
    X(MISSING, "missing") /* a check did not find the file */

enum sharc_store_warc_state {
#define X(name, text) SHARC_STORE_WARC_##name,
    SHARC_STORE_WARC_STATES(X)
#undef X
        SHARC_STORE_WARC_STATE_COUNT,
};
const char *sharc_store_warc_state_text(enum sharc_store_warc_state state);

struct sharc_store_warc {
    sharc_store_id id;
    struct sharc_span name;   /* unique; a path below the archive, or as the user gave it */
    uint64_t size;            /* of the file when last seen */
    struct sharc_span digest; /* "sha256:…" of the whole file; may be none */
    enum sharc_store_warc_state state;
    uint64_t done;          /* everything before this offset is in the catalogue */
    uint64_t records;       /* counted up to there */
    sharc_store_id capture; /* the capture under way at `done`; 0: none */
};
/* Number of the file of that name; when it is not there yet, made from w with
 * state and progress as given. ret_w (may be NULL) receives what is stored,
 * without spans. Progress is set by sharc_store_batch_warc only. */
int sharc_store_warc_open(struct sharc_store *s, const struct sharc_store_warc *w, sharc_store_id *ret,
                          struct sharc_store_warc *ret_w, struct sharc_err *reterr);

/* Forget a file of which nothing was committed (done is 0); of others nothing happens. */
int sharc_store_warc_forget(struct sharc_store *s, sharc_store_id warc, struct sharc_err *reterr);

/* --- rates, patterns, models --------------------------------------------------------- */

struct sharc_store_rate {
    struct sharc_span url;
    struct sharc_span source; /* "history", "sitemap", "predicted", "combined", … */
    double value;             /* changes per second */
    double low, high;         /* NaN: unknown */
    double observations;      /* how much evidence */
    sharc_time when;          /* estimated */
};

struct sharc_store_model {
    struct sharc_span name; /* unique */
    struct sharc_span kind; /* "rate", … */
    struct sharc_span data; /* bytes */
    struct sharc_span info; /* JSON: how it was trained, how good it is */
    sharc_time when;
};
int sharc_store_model_put(struct sharc_store *s, const struct sharc_store_model *m, struct sharc_err *reterr);

/* --- cleaning: how the papers prepared their data -------------------------------------- */

/* Pages of the capture whose URLs differ in the case of letters only become one:
 * the latest download stays, the others leave the page table and are recorded as
 * skipped ("case"). Safe to repeat. *ret counts those taken out. */
int sharc_store_merge_case(struct sharc_store *s, sharc_store_id capture, uint64_t *ret, struct sharc_err *reterr);

SHARC_API_END
#endif
