/* SPDX-License-Identifier: Apache-2.0
 *
 * The crawler: captures sites into an archive, in the order that a strategy of
 * schedule.h chooses. The same strategy objects run in the simulator.
 *
 *   seeds, sitemaps, earlier captures → strategy → slot → politeness → fetch
 *     → WARC → extract → links to the strategy → compare → observation
 *     → catalogue → quality
 *
 * Whoever runs it brings the world: a clock, a fetcher, a catalogue. With a
 * virtual clock and a scripted fetcher a crawl of days takes milliseconds.
 *
 *   sharc_crawl_new(&options, &world, &crawl, &err);
 *   sharc_crawl_seed(crawl, url, &err);            one or many
 *   sharc_crawl_run(crawl, &err);                  until done, stopped or failed
 *   for each site: sharc_crawl_site(crawl, i, &summary);
 *   sharc_crawl_free(crawl);
 *
 * Many sites at a time, one polite stream each: between two requests to one
 * host (or group of hosts) there is always a pause, counted from the end of the
 * download before. One thread drives all of this; digests, decoding, extraction
 * and comparison are done by a pool, and their results are applied in the order
 * in which the downloads ended, so the same answers give the same capture.
 *
 * What survives. WARC bytes are synced before the transaction of the catalogue
 * that points at them. Every transaction also holds the journal of what the
 * strategies were told and have said; a capture that was cut off at any moment is
 * taken up from there by the same seeds on the same archive, with the strategy in
 * exactly its old state.
 */
#ifndef SHARC_CRAWL_H
#define SHARC_CRAWL_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/change_grade.h"
#include "sharc/http_fetch.h"
#include "sharc/schedule.h"
#include "sharc/store.h"
#include "sharc/url_scope.h"

SHARC_API_BEGIN

struct sharc_buf;
struct sharc_rate_model;

/* --- why a URL was not fetched ------------------------------------------- */

/* What kind of reason it is: who could decide otherwise. */
enum sharc_crawl_reason_class {
    SHARC_REASON_NONE,
    SHARC_REASON_RULE,   /* a rule of the scope, its built-in limits included: settings may change it */
    SHARC_REASON_LIMIT,  /* a limit of pages, bytes or time: settings may change it */
    SHARC_REASON_TRAP,   /* a guard against endless sites; found in another way, the URL may be let in */
    SHARC_REASON_URL,    /* the URL itself, or the way to it */
    SHARC_REASON_REMOTE, /* what the server said or did */
};

/* Name, word (table `skipped`, logs), class, whether each URL gets a line in crawl.log (QUIET:
 * being elsewhere is no news, what a limit kept out is counted at the end, and a type that is
 * not wanted has its line as a download), code in crawl.log. The sentence of each word is in store_query.h, where
 * readers of catalogues find it. */
#define SHARC_CRAWL_REASONS(X)                             \
    X(NONE, "", NONE, QUIET, 0)                            \
    X(SCOPE, "scope", RULE, QUIET, -5000)                  \
    X(EXCLUDED, "excluded", RULE, QUIET, -5001)            \
    X(SCHEME, "scheme", URL, QUIET, -7)                    \
    X(BAD_URL, "bad-url", URL, QUIET, -7)                  \
    X(ROBOTS, "robots", REMOTE, LOGGED, -9998)             \
    X(DEPTH, "depth", RULE, QUIET, -4001)                  \
    X(TRAP_LENGTH, "trap-length", RULE, LOGGED, -5000)     \
    X(TRAP_SEGMENTS, "trap-segments", RULE, LOGGED, -5000) \
    X(TRAP_REPEAT, "trap-repeat", RULE, LOGGED, -5000)     \
    X(TRAP_CALENDAR, "trap-calendar", TRAP, LOGGED, -5000) \
    X(TRAP_NUMBERS, "trap-numbers", TRAP, LOGGED, -5000)   \
    X(REDIRECTS, "redirects", URL, LOGGED, -4002)          \
    X(EMBED_HOPS, "embed-hops", URL, LOGGED, -4002)        \
    X(LIMIT_PAGES, "limit-pages", LIMIT, QUIET, -5003)     \
    X(LIMIT_BYTES, "limit-bytes", LIMIT, QUIET, -5003)     \
    X(LIMIT_TIME, "limit-time", LIMIT, QUIET, -5004)       \
    X(LIMIT_LISTS, "limit-lists", TRAP, LOGGED, -5003)     \
    X(PRIVATE, "private", URL, LOGGED, -5001)              \
    X(FAILED, "failed", REMOTE, LOGGED, -8)                \
    X(BUSY, "busy", REMOTE, LOGGED, -8)                    \
    X(UNREACHABLE, "unreachable", REMOTE, LOGGED, -2)      \
    X(TRAP_SESSION, "trap-session", TRAP, LOGGED, -5000)   \
    X(TYPE, "type", REMOTE, QUIET, -5001)                  \
    X(CANONICAL, "canonical", REMOTE, QUIET, 0)

enum sharc_crawl_reason {
#define X(name, word, class, logged, code) SHARC_SKIP_##name,
    SHARC_CRAWL_REASONS(X)
#undef X
        SHARC_CRAWL_REASON_COUNT,
};
const char *sharc_crawl_reason_word(enum sharc_crawl_reason r);
const char *sharc_crawl_reason_text(enum sharc_crawl_reason r);
enum sharc_crawl_reason_class sharc_crawl_reason_class(enum sharc_crawl_reason r);

/* --- settings -------------------------------------------------------------- */

enum sharc_crawl_purpose {
    SHARC_FOR_EXPLORATION, /* one visit, least blur: sharc-online */
    SHARC_FOR_EVIDENCE,    /* visit and revisit, most coherence: sharc-focus */
    SHARC_FOR_WATCHING,    /* pages again and again (crawl_looks.h): not for sharc_crawl_new */
};

/* How captures with revisits make sure that a page is the same. */
enum sharc_crawl_proof {
    SHARC_PROOF_FULL,     /* every page is downloaded twice */
    SHARC_PROOF_ATTESTED, /* revisits ask the server, where its validators are strong; a sample is audited */
};

/* For which pages that differ between visit and revisit two more downloads in immediate succession are made, to
 * learn what of them differs on every request. */
enum sharc_crawl_controls {
    SHARC_CRAWL_CONTROLS_BUDGET, /* some of each kind, within control_share */
    SHARC_CRAWL_CONTROLS_NONE,   /* for none: only pages that are the same count as proved */
    SHARC_CRAWL_CONTROLS_EVERY,  /* for every one of them */
};

/* What may be changed while a capture runs. */
struct sharc_crawl_pace {
    sharc_time delay;      /* pause between requests to one host; 0: none, and no adaptive one */
    double factor;         /* at least this many times the last download's time … */
    sharc_time delay_most; /* … up to this long */
    unsigned connections;  /* per site; more than one only without delay */
    uint64_t pages;        /* limits of each site; 0: none. With revisits, bytes and time are */
    uint64_t bytes;        /* halved for the visits, so that the revisits fit in */
    sharc_time time;
};

/* What pages weigh for the strategy; 1 where nothing is known. */
enum sharc_crawl_weights {
    SHARC_CRAWL_WEIGHTS_PRIORITY, /* ½ + what a sitemap says */
    SHARC_CRAWL_WEIGHTS_NONE,     /* all alike */
    SHARC_CRAWL_WEIGHTS_PAGERANK, /* by the links of the site's capture before, mean 1 … */
    SHARC_CRAWL_WEIGHTS_INDEGREE, /* … likewise */
    SHARC_CRAWL_WEIGHTS_GIVEN,    /* as `weigh` says */
};

/* The crawl is that of a worker: it makes the capture of one site for a job (store_job.h), through a store with a
 * fence. Others write to the same archive and catalogue, so that files are named after the claim, turns of hosts are
 * taken in the catalogue, and of what a crash left open only this job's is touched. */
struct sharc_crawl_job {
    sharc_store_id id; /* 0: it is not */
    int64_t epoch;
    sharc_store_id capture; /* to go on with; 0: begin one */
};

/* Begin with SHARC_CRAWL_OPTIONS. Strings and lists are copied. */
struct sharc_crawl_options {
    const char *archive; /* directory; made if missing */
    enum sharc_crawl_purpose purpose;
    const struct sharc_strategy_ops *strategy; /* NULL: by purpose */
    struct sharc_strategy_params params;
    struct sharc_crawl_pace pace;
    bool ignore_robots;
    bool allow_private; /* for messages and literal addresses; the fetcher has its own */
    bool no_embeds;     /* leave images, styles, scripts alone */
    bool no_sitemaps;
    bool no_signals;      /* do not read sitemaps, feeds and pages with news again to learn what has changed */
    bool no_probe;        /* do not ask for a page that cannot exist (soft 404) */
    bool guesses;         /* follow URLs guessed from scripts */
    bool fresh;           /* begin anew even if a capture could be resumed */
    bool forget;          /* do not use what earlier captures know */
    bool no_features;     /* leave text digests and signatures out of the catalogue: faster */
    bool control;         /* take settings of sharc_crawl_set while running */
    bool locked;          /* the caller holds the archive's lock */
    bool trust_modified;  /* an equal Last-Modified proves that nothing changed */
    bool cookies, header; /* the fetcher sends cookies and fields of the operator's: to be written down */
    enum sharc_crawl_controls controls;
    double control_share;    /* BUDGET: requests, as a share of the pages; 0: 0.05 */
    sharc_time control_late; /* a late control is made this long after the pair; 0: 90 s, which tests need not wait */
    enum sharc_scope_reach reach;
    const char *const *rules; /* scope rules, "+…" include or "-…" exclude, in order */
    size_t rules_count;
    const char *const *types; /* media types that are wanted ("text/html", "image/" and a star); none: all */
    size_t types_count;
    const char *const *not_types; /* and those that are not */
    size_t not_types_count;
    const char *const *sources; /* sitemaps, feeds, OAI-PMH lists to read first */
    size_t sources_count;
    const char *const *host_groups; /* "a.example b.example": hosts that share one pause */
    size_t host_groups_count;
    enum sharc_crawl_proof proof;
    uint64_t attest_above; /* larger bodies with a strong ETag are revisited as if ATTESTED; 0: 10 MB */
    unsigned tries;        /* of one URL, for failures that may pass; 0: 4 */
    uint64_t max_body;     /* 0: the fetcher's */
    unsigned threads;      /* for processing; 0: none beside the loop, in which all is done in place */
    unsigned sites;        /* crawled at a time; 0: 200 */
    uint64_t memory; /* bytes: while the process has more resident, further sites and large pages wait; 0: no limit */
    uint64_t spool;  /* bytes of archive files that wait here for an object store; when there are more, the crawl waits;
                      * 0: SHARC_CRAWL_SPOOL */
    unsigned window; /* downloads and pages in processing per site, without delay; 0: 8 + 4 × connections */
    sharc_time commit_time;  /* at the latest this long after a record was written; 0: 1 s */
    unsigned commit_records; /* or after this many records; 0: 1000 */
    sharc_time interruption; /* a pause in the visits longer than this is marked; 0: 10 min */
    int gzip_level;          /* 0: 6, or 1 when there is no delay */
    const char *user_agent;  /* for warcinfo */
    const char *operator_, *contact, *description;
    /* What the fetcher was told that weakens what a capture proves; only written down here. NULL: nothing. */
    bool insecure;          /* certificates are not checked */
    const char *connect_to; /* "HOST:PORT:HOST:PORT", blanks between several */
    const char *proxy;      /* without user and password */
    const char *host;       /* this machine, for file names */
    enum sharc_crawl_weights weights;
    double (*weigh)(void *arg, struct sharc_span url); /* GIVEN: negative for a page it does not know */
    void *weigh_arg;
    const struct sharc_rate_model *model; /* predicts rates from features; may be NULL */
    uint64_t seed;                        /* of jitter and record ids in tests; 0: the system's. Of audits only where
                                           * the clock of the world is not the real one */
    struct sharc_crawl_job job;
};
/* Usual for factor and delay_most of a pace; a survey has no others. */
#define SHARC_CRAWL_FACTOR 5.0
#define SHARC_CRAWL_FACTOR_MOST (30 * SHARC_SEC)
#define SHARC_CRAWL_OPTIONS                                                                \
    {                                                                                      \
        .params = SHARC_STRATEGY_PARAMS, .reach = SHARC_REACH_PREFIX, .host = "localhost", \
        .pace = {.delay = 3 * SHARC_SEC,                                                   \
                 .factor = SHARC_CRAWL_FACTOR,                                             \
                 .delay_most = SHARC_CRAWL_FACTOR_MOST,                                    \
                 .connections = 1},                                                        \
    }

/* Is it one for types and not_types? SHARC_ESYNTAX names what is wrong. */
int sharc_crawl_type_check(struct sharc_span text, struct sharc_err *reterr);

/* --- the world ------------------------------------------------------------- */

enum sharc_crawl_phase {
    SHARC_CRAWL_PREPARING, /* robots.txt, sitemaps */
    SHARC_CRAWL_VISITS,
    SHARC_CRAWL_LOOKS, /* second looks */
    SHARC_CRAWL_REVISITS,
    SHARC_CRAWL_CONTROLS, /* pairs of downloads that show what differs on every request */
    SHARC_CRAWL_DONE,
    SHARC_CRAWL_SUSPENDED, /* unreachable, stopped: can be resumed */
};
const char *sharc_crawl_phase_text(enum sharc_crawl_phase p);

/* Now, over all sites. */
struct sharc_crawl_status {
    sharc_time now, started;
    bool paused;      /* by a wish (sharc_crawl_set): no download begins */
    sharc_time delay; /* between requests to one host, unless a site has its own */
    uint32_t sites, sites_done;
    enum sharc_crawl_phase phase;        /* of the site furthest behind */
    uint64_t known, visited, to_visit;   /* pages */
    uint64_t revisited, to_revisit;      /* URLs: pages and what they embed; second looks included … */
    uint64_t looks;                      /* … of which this many were made */
    uint64_t coherent;                   /* of those revisited */
    uint64_t controls;                   /* control downloads made */
    uint64_t downloads, failed, skipped; /* all kinds */
    uint64_t bytes;                      /* on the wire, bodies */
    uint64_t under_way;
    uint64_t retries;        /* URLs that failed and are not tried again yet … */
    sharc_time next_retry;   /* … the first of them then; SHARC_TIME_NONE: there are none */
    sharc_time expected_end; /* SHARC_TIME_NONE: cannot be told */
    uint32_t troubled;       /* sites that cannot be reached, or asked to be left alone, and are waited for */
    /* Of the one that is tried again first: "says 503", its name, and when. NULL: none. */
    const char *trouble, *trouble_site;
    sharc_time retry_at;
};

struct sharc_crawl_reread {
    struct sharc_crawl_pace pace;
    const char *const *rules; /* as in sharc_crawl_options */
    size_t rules_count;
};

#define SHARC_CRAWL_SPOOL ((uint64_t)4000000000)

struct sharc_object_store;
struct sharc_crawl_world {
    struct sharc_clock *clock;
    struct sharc_fetcher *fetcher;
    struct sharc_store *store;
    struct sharc_object_store *objects; /* where the archive's files go when its settings say so; NULL: none at hand */
    /* All may be NULL; called from the thread that runs. */
    void (*progress)(void *arg, const struct sharc_crawl_status *s); /* at most ten times a second */
    void (*remark)(void *arg, const char *sentence); /* what a person should know: a pause, a full disk */
    /* Read the settings again: what is new is taken over. What ret points to must live
     * until the next call. Settings of single sites are said again by sharc_crawl_site_set;
     * all that were said before are forgotten, unless this fails. */
    int (*reread)(void *arg, struct sharc_crawl_reread *ret, struct sharc_err *reterr);
    void *arg;
};

struct sharc_crawl;
int sharc_crawl_new(const struct sharc_crawl_options *o, const struct sharc_crawl_world *w, struct sharc_crawl **ret,
                    struct sharc_err *reterr);
void sharc_crawl_free(struct sharc_crawl *c);
void sharc_crawl_freep(struct sharc_crawl **c);

/* A seed, before run. Seeds on one host (www. apart) are one site. SHARC_ESYNTAX
 * for anything but an http URL, SHARC_EACCESS for a literal address that is private. */
int sharc_crawl_seed(struct sharc_crawl *c, struct sharc_span url, struct sharc_err *reterr);

/* A setting of one site, that of a URL on it: "delay=10s", "exclude=glob:*.pdf", as for sharc_crawl_set. Before run,
 * before or after the seeds; it need not be a site of this crawl. It holds instead of the option; rules come after
 * those of the options, and count more. The delay holds for all requests to the site's host; hosts that share one
 * delay take the longest. SHARC_ESYNTAX or SHARC_ECONFIG: it is wrong, or the site has another value for it. */
int sharc_crawl_site_set(struct sharc_crawl *c, struct sharc_span url, struct sharc_span setting,
                         struct sharc_err *reterr);
/* Names of the settings that a site can have, and that can be changed while a capture runs; ends with NULL. */
const char *const *sharc_crawl_setting_names(void);
/* Whether "delay=5s" is one: SHARC_ESYNTAX or SHARC_ECONFIG says what is wrong. */
int sharc_crawl_setting_check(struct sharc_span setting, struct sharc_err *reterr);
/* What the site of a seed is called, appended to out. SHARC_ESYNTAX for anything but an http URL. */
int sharc_crawl_site_name(struct sharc_span url, struct sharc_buf *out, struct sharc_err *reterr);
/* Whether both URLs belong to one site; anything but a URL belongs to none. */
bool sharc_crawl_same_site(struct sharc_span a, struct sharc_span b);

/* Until every site is done: 0. SHARC_EINTR: stopped. SHARC_ENET: done but for
 * sites that could not be reached. Other errors: the archive could not be
 * written. Whatever it is, the archive is valid and the captures that were not
 * finished can be resumed. */
int sharc_crawl_run(struct sharc_crawl *c, struct sharc_err *reterr);

/* Once: finish the downloads under way, then return. Twice: abort them. From any
 * thread and from signal handlers. */
void sharc_crawl_stop(struct sharc_crawl *c);

/* Have the settings read again soon. From any thread and from signal handlers. */
void sharc_crawl_reread(struct sharc_crawl *c);

void sharc_crawl_status(const struct sharc_crawl *c, struct sharc_crawl_status *ret);

/* --- results --------------------------------------------------------------- */

struct sharc_crawl_subsite {
    char *name; /* host and first path segment */
    uint32_t pages, incoherent;
    double blur;
};

struct sharc_crawl_summary {
    const char *name; /* of the site */
    const char *strategy;
    sharc_store_id capture;
    enum sharc_crawl_phase phase; /* DONE or SUSPENDED */
    bool resumed;
    bool before; /* captured by this run before it was interrupted: only what follows up to reference is known */
    sharc_time start, end;
    sharc_time took;      /* from start to end, whatever our clock was set to between runs; SHARC_TIME_NONE: unknown */
    sharc_time reference; /* the instant that coherence refers to; SHARC_TIME_NONE */
    uint64_t pages;       /* captured: with content, embeds and redirects included */
    uint64_t embeds;      /* of these */
    uint64_t redirects;   /* of these: addresses that lead to another one, embeds not among them */
    uint64_t aliases;     /* captured too, but the same as another page by their own word: not counted */
    uint64_t gone, failed, skipped, downloads, bytes;
    uint64_t revisited;               /* revisits made; of the last one of each page: */
    uint64_t unchanged, alike;        /* … same bytes, or the server said so; nearly the same text */
    uint64_t changed, lost;           /* … another page, or gone; no answer that says anything */
    uint64_t not_modified, identical; /* answers, visits among them, that repeat what is archived */
    bool revisits;                    /* coherence was checked by revisits; else by Last-Modified */
    /* Pages that belong to the capture, those that failed or were cut included; and those of them that were the
     * same before and after, at an instant common to them. (By Last-Modified: that state no change.) */
    uint64_t judged, coherent;
    double coherent_share;
    uint64_t reason[SHARC_GRADE_REASON_COUNT]; /* of those judged, by revisits */
    uint64_t apart;                            /* the same before and after, but not at that instant */
    sharc_time reference_from, reference_to;   /* those that count existed together at every instant between */
    struct {
        uint32_t lists;        /* sitemaps, feeds and pages that may list what is new */
        uint32_t readings;     /* requests for them after the visits */
        uint32_t told, missed; /* changes that downloads have shown: told of by the best source, or not */
        uint32_t right, wrong; /* statements that downloads have shown to be true, or not */
    } signals;
    uint64_t attested, audited, lies; /* pages answered 304 by a strong validator; of these downloaded, and wrong */
    uint64_t whole, whole_coherent;   /* pages with all that they embed, as captured; 0: not asked */
    double blur;                      /* expected, mean over pages */
    sharc_time interrupted;           /* time lost in long pauses during the visits */
    struct {
        uint64_t answers;             /* of this run, that say what time it is at the server */
        sharc_time offset, low, high; /* servers' clocks minus ours: median, middle half; SHARC_TIME_NONE: unknown */
        uint32_t jumps;               /* how often our clock was set … */
        sharc_time by;                /* … the largest of it */
    } clock;
    char *weakened; /* the settings that weaken what the capture proves, those of earlier runs included; NULL: none */
    struct sharc_crawl_subsite worst[5];
    size_t worst_count;
    bool unreached; /* nothing ever answered */
    char why[256];  /* SUSPENDED, or without pages: one sentence */
};
size_t sharc_crawl_sites(const struct sharc_crawl *c);

/* The seeds of the run that was interrupted last, of all its sites: to resume it give them to a
 * new crawl. Sites that were done by then are not captured again. Returns the number of sites,
 * 0 when nothing is unfinished; what fn returns below 0 ends it. */
typedef int sharc_crawl_seed_fn(void *arg, struct sharc_span url, struct sharc_err *reterr);
int sharc_crawl_unfinished(struct sharc_store *store, sharc_crawl_seed_fn *fn, void *arg, struct sharc_err *reterr);

/* After run. Names live as long as the crawl. */
void sharc_crawl_site(const struct sharc_crawl *c, size_t i, struct sharc_crawl_summary *ret);

/* --- a running capture ----------------------------------------------------- */

/* Ask the crawl that runs on an archive to change a setting: "delay=5s",
 * "limit-pages=1000", "exclude=glob:*.pdf", "depth=3" …, or "reload": read the
 * settings again; "pause": begin no download until "continue". SHARC_ESYNTAX names what is wrong.
 * The crawl applies it within a second, logs it, and keeps it until the capture is over, even
 * if that is interrupted and resumed. URLs that scope or limits refused are decided again;
 * waiting URLs that are now out of scope are dropped. Waits up to `patience` until the crawl
 * has taken it (0: does not wait). SHARC_ENOENT: nothing runs there, or it ended before that;
 * SHARC_EBUSY: not yet taken (the disk is full). */
int sharc_crawl_set(const char *archive, struct sharc_span setting, sharc_time patience, struct sharc_err *reterr);

SHARC_API_END
#endif
