/* SPDX-License-Identifier: Apache-2.0
 *
 * The crawler from the inside:
 *
 *   engine.c     the loop: sites by the time they are due, downloads, results
 *   choose.c     what a site does next: errands, embeds, then the strategy
 *   process.c    in the pool: digests, decoding, extraction, comparison
 *   apply.c      in the loop, in order: a processed download becomes knowledge
 *   limits.c     bytes and time
 *   trouble.c    sites that cannot be reached: waited for, or left for another day
 *   admit.c      which URLs belong to the capture, and why not; traps.c
 *   pages.c      the table of a site's URLs
 *   hosts.c      politeness and robots.txt, per host and group of hosts
 *   record.c     WARC records of a download; log.c lines about it
 *   journal.c    what resuming needs, and resume.c which reads it
 *   catalogue.c  rows of the catalogue, commits; knowledge.c what it knows from before
 *   rates.c      rates of pages, as the visits teach them; past.c as earlier captures do
 *   weights.c    what pages weigh; canonical.c which of them are the same
 *   judge.c      the quality of a capture
 *   control.c    settings changed while running; reconsider.c what that means for
 *                URLs that were turned down, given up or wait
 *
 * INVARIANTS
 *  (1) Pages, hosts and strategies are touched by the loop's thread only; a job
 *      in the pool owns what it works on.
 *  (2) sharc_strategy_next is not called while a download of its site that could
 *      still discover pages is not applied and no page waits: it would close
 *      the visits too early.
 *  (3) Everything that changes a site's pages or strategy goes through one of
 *      the functions of journal.c that write it down.
 *  (4) What the journal in a commit speaks of is in WARCs synced before.
 */
#ifndef SHARC_CRAWL_INT_H
#define SHARC_CRAWL_INT_H

#include "sharc/base_buf.h"
#include "sharc/base_digest.h"
#include "sharc/base_map.h"
#include "sharc/base_order.h"
#include "sharc/base_pool.h"
#include "sharc/base_rng.h"
#include "sharc/cdx.h"
#include "sharc/cdx_build.h"
#include "sharc/change_compare.h"
#include "sharc/crawl.h"
#include "sharc/extract.h"
#include "sharc/http_robots.h"
#include "sharc/rate.h"
#include "sharc/rate_model.h"
#include "sharc/store_write.h"
#include "sharc/url.h"
#include "sharc/warc_write.h"

#include "rates.h"
#include "reasons.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define NO_PAGE UINT32_MAX
#define NO_SEEN UINT32_MAX
#define SHARED_WARC 32                /* more sites than this write into one row of WARC files */
#define PACKED_MOST ((size_t)4 << 20) /* larger responses are packed when their turn comes */
#define JOURNAL_MOST ((size_t)1 << 30)
#define JOURNAL_FORM 2 /* one more whenever what the journal holds, or a number in it, means something else */
#define CONTROL_NAME ".control"

/* --- pages ----------------------------------------------------------------- */

enum page_state {
    PAGE_REJECTED, /* reason says why */
    PAGE_WAITING,  /* will be fetched */
    PAGE_DONE,     /* was fetched, or given up: reason */
    PAGE_LATE,     /* was given up and will be fetched after all, when the strategy has nothing left */
};

enum page_flag {
    PAGE_SEED = 1,
    PAGE_TOLD = 2,     /* the strategy knows it */
    PAGE_FOLLOWER = 4, /* fetched right after its leader, and revisited with it */
    PAGE_ERRAND = 8,   /* robots.txt, sitemap, probe: no page of the capture */
    PAGE_HOPELESS = 16,
    PAGE_MOVED_SEED = 32, /* reached from a seed by redirects alone */
    PAGE_UNDER_WAY = 64,  /* is being fetched; not written down */
    PAGE_RATED = 128,     /* its rate comes from its own history, and stays */
};

struct page {
    uint32_t via;         /* page that led here, or NO_PAGE */
    uint32_t seen;        /* what is known of its content, or NO_SEEN */
    uint32_t first, next; /* its followers, as a list; or NO_PAGE */
    float rate;           /* changes per second */
    float weight;
    uint16_t run;       /* length of the row of alike URLs that led here */
    uint8_t depth;      /* links from a seed; embeds and redirects do not count */
    uint8_t embed_hops; /* embeds inside embeds */
    uint8_t state, flags;
    uint8_t reason; /* enum sharc_crawl_reason */
    char hop;       /* letter of crawl.log's path; 0: seed */
};

/* The version of a page that the next download is compared with: of an earlier
 * capture, then of the visit, then of the second look. */
struct seen {
    sharc_time visit;    /* in this capture; SHARC_TIME_NONE: only known from before */
    sharc_time revisit;  /* SHARC_TIME_NONE: none yet */
    sharc_time modified; /* Last-Modified, or SHARC_TIME_NONE */
    sharc_time changed;  /* its last change as the last look tells, SHARC_TIME_NONE: none since … */
    sharc_time since;    /* … then; SHARC_TIME_NONE: since ever */
    sharc_time date;     /* of the original response */
    uint64_t offset;     /* and where it is */
    uint8_t id[16];
    uint8_t digest[32]; /* payload, SHA-256 */
    uint32_t file;      /* number of its name in crawl->files */
    uint32_t etag;      /* number in site->etags, or SHARC_NO_ID */
    uint32_t size;
    int16_t status;
    uint8_t answer; /* enum sharc_change_answer of the visit */
    uint8_t change; /* enum sharc_change_class of the revisit */
    bool has_digest, revisited;
};

struct pages {
    struct sharc_intern *urls; /* number of a URL is the number of its page */
    struct page *page;
    size_t room;
    struct seen *seen;
    size_t seen_count, seen_room;
};
void sharc__crawl_pages_init(struct pages *p);
void sharc__crawl_pages_done(struct pages *p);
/* The page of a URL; *ret_new: it was not known (then zeroed, via, seen and
 * followers none). Pointers into the table are valid until the next call. */
uint32_t sharc__crawl_pages_add(struct pages *p, struct sharc_span url, bool *ret_new);
struct seen *sharc__crawl_pages_see(struct pages *p, uint32_t page);
size_t sharc__crawl_pages_bytes(const struct pages *p);
static inline uint32_t pages_count(const struct pages *p)
{
    return sharc_intern_count(p->urls);
}
static inline struct sharc_span page_url(const struct pages *p, uint32_t page)
{
    return sharc_intern_text(p->urls, page);
}
static inline struct seen *page_seen(const struct pages *p, uint32_t page)
{
    return p->page[page].seen == NO_SEEN ? NULL : &p->seen[p->page[page].seen];
}

/* --- hosts ----------------------------------------------------------------- */

/* Hosts that share one pause. */
struct group {
    sharc_time next;        /* no request before */
    sharc_time ended, took; /* the download that this comes from */
    sharc_time crawl_delay; /* robots.txt */
    struct sharc_backoff backoff;
    unsigned busy;     /* downloads under way */
    unsigned lost;     /* failures to connect in a row */
    uint32_t *waiting; /* sites that wait until it is free */
    size_t waiting_count, waiting_room;
};

enum robots_state { ROBOTS_UNKNOWN, ROBOTS_ASKED, ROBOTS_KNOWN };

/* Scheme, name and port: what has a robots.txt. */
struct host {
    char *origin;
    uint32_t group;
    enum robots_state robots;
    struct sharc_robots *rules;
    sharc_time fetched, expires;
    unsigned redirects;
    sharc_time dead_until; /* could not be reached: not worth a try before */
};

struct hosts {
    struct sharc_intern *origins, *names;
    struct host *host;
    struct group *group;
    size_t room, group_count, group_room;
    uint32_t *group_of; /* by number of the name */
    size_t group_of_room;
};
void sharc__crawl_hosts_init(struct hosts *h);
void sharc__crawl_hosts_done(struct hosts *h);
/* Hosts named together ("a.example b.example:8080") share a group. */
void sharc__crawl_hosts_join(struct hosts *h, struct sharc_span names);
uint32_t sharc__crawl_hosts_of(struct hosts *h, const struct sharc_url *u);
/* The pause is over at: */
sharc_time sharc__crawl_group_due(const struct group *g);
/* The pace has changed: so does a pause that has begun. */
void sharc__crawl_group_repace(struct group *g, const struct sharc_crawl_pace *pace);
/* A download of the group has ended. */
void sharc__crawl_group_ended(struct group *g, const struct sharc_crawl_pace *pace, sharc_time end, sharc_time took);

/* --- traps ----------------------------------------------------------------- */

struct shape {
    uint64_t print; /* of the URL with every run of digits as one sign */
    bool numbers, dated;
};
struct shape sharc__crawl_shape(struct sharc_span url);
/* Of the URL without its session id; 0: it has none. */
uint64_t sharc__crawl_session(struct sharc_span url, struct sharc_buf *scratch);

/* --- tasks and jobs --------------------------------------------------------- */

enum task_kind {
    TASK_ROBOTS,
    TASK_MANIFEST, /* sitemap, feed or list that is read for its URLs */
    TASK_PROBE,    /* a page that cannot exist */
    TASK_VISIT,
    TASK_EMBED, /* visit of a follower */
    TASK_LOOK,
    TASK_REVISIT,
};

struct task {
    enum task_kind kind;
    uint32_t page;
    uint32_t host;
    uint32_t slot;  /* of the strategy; embeds: of their leader */
    bool told;      /* the strategy waits for an observation */
    bool keep_host; /* robots.txt of that host, wherever it lies */
    uint8_t tries;
    sharc_time not_before;
};

struct site;

/* The records of a download. */
struct written {
    struct sharc_warc_fetch_places places;
    bool any, revisit;
};

/* One download with all that is made of it. */
struct job {
    struct site *site;
    struct task task;
    struct sharc_fetch_result *result;
    struct job *next; /* in the order in which downloads ended */
    atomic_bool done;
    sharc_time asked;
    bool conditional;
    bool counted; /* apply has begun once, and could not write */

    /* for the pool */
    struct seen before; /* what to compare with */
    bool compare, want_links, want_text, want_guesses;
    char *before_file; /* WARC that holds it; NULL: cannot be read */
    struct sharc_url url;
    const struct sharc_change_options *change_options;

    /* from the pool */
    enum sharc_change_answer answer;
    struct sharc_digest digest; /* payload */
    struct sharc_digest block;  /* head and body as they are; n == 0: not computed */
    uint64_t size;              /* payload bytes */
    struct sharc_span body;     /* decoded, in result or content; sharc_page points into it */
    struct sharc_buf content;
    struct sharc_page page;
    bool extracted;
    struct sharc_digest text_digest;
    struct sharc_span type;              /* media type, into result */
    struct sharc_buf mime;               /* the same in lower case; of a 304 that of the version it confirms */
    struct sharc_buf location;           /* redirect target, absolute */
    sharc_time modified;                 /* Last-Modified, if it can be believed */
    sharc_time changed_at;               /* that, or what the page says */
    struct sharc_change_verdict verdict; /* new, when there is nothing to compare with */
    double importance;                   /* of that change */
    bool identical;                      /* same payload as before */
    char before_id[SHARC_WARC_ID_TEXT];  /* record that holds it; "" when unknown */
    uint32_t minhash[SHARC_CHANGE_MINHASH];
    bool has_minhash;
    size_t words;           /* with the signature */
    uint64_t before_length; /* of the record before; 0: unknown */
    /* from the loop, when it is applied */
    double planned_rate;           /* changes per second, as the plan had it */
    double rate;                   /* as it is now; NaN: no new one */
    struct sharc_warc_ahead ahead; /* its response and request, packed */
    struct sharc_buf outlinks;     /* lines for its metadata */
    struct sharc_hasher_pair *hashers;
    struct written written; /* its records; once, also when what follows could not be written */
    /* scratch of the comparison */
    struct sharc_page old_page;
    struct sharc_buf old_content;
};
/* Runs in any thread. */
void sharc__crawl_process(struct job *j);
void sharc__crawl_job_clear(struct job *j);
void sharc__crawl_job_free(struct job *j);

/* --- journal ----------------------------------------------------------------- */

struct journal {
    struct sharc_buf pending;
    uint32_t seq;   /* of the next piece */
    uint32_t pages; /* whose URL is written down */
};

/* --- sites --------------------------------------------------------------------- */

struct counters {
    uint64_t downloads, failed, skipped, bytes;
    uint64_t visits; /* of pages the strategy knows */
    uint64_t revisits, looks;
    uint64_t not_modified, identical, gone;
    uint64_t coherent; /* revisited and unchanged */
};

struct queue {
    struct task *items;
    size_t head, count, room; /* a ring */
};
void sharc__crawl_queue_push(struct queue *q, const struct task *t);
void sharc__crawl_queue_push_front(struct queue *q, const struct task *t);
bool sharc__crawl_queue_pop(struct queue *q, struct task *ret);
/* Of those that need not wait any longer the one that waited longest. */
bool sharc__crawl_queue_pop_due(struct queue *q, sharc_time now, struct task *ret);

struct alias {
    uint32_t page, canonical;
};

struct site {
    struct sharc_crawl *crawl;
    uint32_t number;
    char *name;
    char **seeds;
    size_t seeds_count, seeds_room;
    struct sharc_scope *scope;
    struct pages pages;
    struct sharc_intern *etags;
    struct sharc_intern *earlier; /* URLs of embeds of an earlier capture; NULL: none */
    struct seen *earlier_seen;    /* their versions */
    size_t earlier_room;
    const struct sharc_strategy_ops *ops; /* its kind; known as long as the site is */
    struct sharc_strategy *strategy;      /* NULL before it is begun and after it is finished */
    uint64_t known;                       /* URLs, when the table is gone */
    struct sharc_strategy_params params;
    double slot_seconds;          /* what a slot is thought to last */
    struct sharc_rate_live *live; /* rates learned while visiting */
    double window;                /* that it looks at, in seconds; 0: as it began */
    bool started;                 /* the strategy was asked once */
    bool exhausted;               /* it had nothing left when last asked */
    bool visits_over;             /* a second look or revisit was handed out */
    uint32_t slots;               /* handed out */
    uint32_t told, waiting;       /* pages told to the strategy; of these not handed out */
    uint32_t given_up;            /* told, and not visited after all: they count against no limit */
    uint32_t made_room;           /* of these, for which URLs beyond the limit of pages were looked at again */

    struct queue errands; /* robots.txt, manifests, probe */
    struct queue embeds;  /* followers due now */
    struct queue again;   /* to be tried once more */
    struct queue extra;   /* revisits that the strategy does not know of */
    struct queue late;    /* visits that it thinks are over */
    unsigned manifests;   /* read or queued */
    bool probed, sitemaps_found;
    struct alias *alias; /* pages that say they are another one */
    size_t alias_count, alias_room;
    struct sharc_map64 sessions; /* page, plus one, by its URL without session id */
    uint32_t soft404[SHARC_CHANGE_MINHASH];
    bool has_soft404;

    struct task current; /* chosen, waits for its time */
    bool has_current;
    unsigned downloading, outstanding; /* under way; not applied */
    bool in_heap, in_group;            /* waits for a time; for a group */
    uint64_t turn;                     /* ties in the heap: who waited longest */

    enum sharc_crawl_phase phase;
    uint32_t apex;          /* page downloaded last before the first revisit */
    uint32_t last_page;     /* of the strategy's last slot before the revisits */
    uint32_t last_download; /* of anything before the revisits */
    uint32_t home;          /* group of the seeds' host; what lies elsewhere must not hold the site up */
    uint32_t group;         /* politeness of what was chosen last */
    bool waits_for_robots;  /* that somebody else asked for */
    sharc_time reference;
    sharc_time first, last; /* downloads */
    sharc_time last_visit;  /* end of the last download of the visits, for interruptions */
    sharc_time interrupted;
    sharc_time started_at;
    bool resumed;
    sharc_time ran_before;        /* in earlier runs of this capture */
    sharc_time run_began;         /* this one; SHARC_TIME_NONE: not yet */
    bool second_chances;          /* URLs in table skipped were let in after all */
    bool limit_visits, limit_all; /* bytes or time are used up */
    enum sharc_crawl_reason limit_reason;
    unsigned lost;       /* downloads that failed to connect in a row */
    char trouble[256];   /* what it does that it is waited for; "": nothing */
    sharc_time retry_at; /* then it is tried again */
    char failure[256];   /* the first download without an answer; "": none */
    bool answered;       /* something answered */
    char why[256];

    struct sharc_warc_writer *warc; /* its own, or the crawl's */
    sharc_store_id id, capture;
    struct journal journal;
    struct counters count;
    bool dirty;    /* something to commit */
    bool finished; /* its summary is written */
    struct sharc_crawl_summary summary;
    struct sharc_url url; /* scratch */
};

/* A WARC file as the catalogue knows it. */
struct file {
    sharc_store_id row; /* 0: none yet */
    uint64_t end;       /* of the last record written; 0: not written to by this run */
    uint64_t records;
    bool changed; /* since the last commit */
};

/* A setting that was changed. */
struct change {
    sharc_time when;
    char *text;   /* NAME=VALUE */
    int64_t base; /* what was read for it; 0 for rules */
};

struct sharc_crawl {
    struct sharc_crawl_options o;
    struct sharc_crawl_world w;
    char **owned;
    size_t owned_count, owned_room;
    struct sharc_rng rng;
    struct sharc_change_options change;

    struct site **site;
    size_t sites, sites_room;
    struct sharc_intern *site_names;
    size_t begun, active; /* sites begun; of these not finished */
    struct sharc_heap due;
    uint64_t turns;
    struct hosts hosts;

    struct sharc_pool *pool;
    pthread_mutex_t packers_lock;
    struct sharc_warc_packer **packers; /* that no thread of the pool uses now */
    size_t packers_count, packers_room;
    struct job *head, *tail;       /* ended downloads in order */
    _Atomic(struct job *) awaited; /* the first of them, while the loop sleeps */
    struct job *spare;
    size_t jobs_waiting;

    struct sharc_warc_writer *warc; /* shared when there are many sites */
    struct sharc_cdx_notes *notes;  /* lines of the index for what this run writes */
    struct sharc_intern *files;     /* names of WARC files */
    struct file *file;              /* by number of the name */
    size_t file_count, file_room;
    char *warc_dir;
    FILE *log, *stats;
    sharc_time stats_next, progress_next;
    struct sharc_store_batch *batch;
    unsigned records;        /* written since the last commit */
    sharc_time first_record; /* when the first of them was */
    sharc_time started;
    volatile bool no_wait; /* given to the store: after a signal it does not wait for a lost database */
    atomic_int stops;      /* signals received */
    int stops_seen;
    bool stopping;
    struct sharc_buf scratch, scratch2;
    struct sharc_http_field fields[4];
    int lock; /* of the archive */
    sharc_time control_next;
    bool new_rules;         /* came while running */
    struct change *changes; /* of settings, while running or before a kill; in order */
    size_t changes_count, changes_room;
    struct sharc_crawl_pace read_pace; /* as it was read last, before changes */
    atomic_bool reread;                /* somebody wants the settings read again */
    bool blocked;                      /* the disk is full */
    bool store_away;                   /* the catalogue cannot be reached */
    bool journaled;                    /* the batch holds the journal: only the commit is missing */
};

static inline sharc_time crawl_now(const struct sharc_crawl *c)
{
    return c->w.clock->now(c->w.clock);
}
void sharc__crawl_remark(struct sharc_crawl *c, const char *fmt, ...) SHARC_PRINTF(2, 3);

/* engine.c */
/* The site may have something to do: look at it again at that time. */
void sharc__crawl_site_due(struct site *s, sharc_time when);

/* site.c */
struct site *sharc__crawl_site_of(struct sharc_crawl *c, const struct sharc_url *seed);
int sharc__crawl_site_begin(struct site *s, struct sharc_err *reterr);
/* Make the site's scope anew from seeds and rules. */
int sharc__crawl_scope_anew(struct site *s, struct sharc_err *reterr);
/* Instead of the rules before. */
void sharc__crawl_new_rules(struct sharc_crawl *c, const char *const *rules, size_t n);
int sharc__crawl_shared_warc(struct sharc_crawl *c, struct sharc_err *reterr);
int sharc__crawl_index(struct sharc_crawl *c, struct sharc_err *reterr);
void sharc__crawl_site_free(struct site *s);
/* A finished site keeps its summary and nothing else. */
void sharc__crawl_site_shed(struct site *s);

/* choose.c */
/* Choose s->current: true when there is something to do (perhaps later), false
 * when the site has to wait for results, or is done (phase says so). */
bool sharc__crawl_choose(struct site *s);

/* admit.c */
struct finding {
    struct sharc_span url;
    uint32_t via; /* NO_PAGE: a seed */
    char hop;     /* 0 (seed), L E R M X I P */
    bool embed;   /* a browser loads it with its page */
    bool source;  /* an entry of a sitemap, feed or list */
    bool earlier; /* known from an earlier capture */
    sharc_time modified;
    char frequency; /* of a sitemap */
    float priority; /* -1: none */
};
/* A URL was found. Its page, or NO_PAGE when it is no URL at all. */
uint32_t sharc__crawl_found(struct site *s, const struct finding *f);
/* What the scope has against it, as the rules are now. */
enum sharc_crawl_reason sharc__crawl_shut_out(struct site *s, uint32_t page);
/* Decide anew about a page that was turned down: true when it is let in. */
bool sharc__crawl_second_chance(struct site *s, uint32_t page);
/* An embed: fetch it now. */
void sharc__crawl_fetch_now(struct site *s, uint32_t page);
/* The page is fetched under this address, whatever session id others bring. */
void sharc__crawl_note_session(struct site *s, uint32_t page);
/* An errand's page: outside of the capture's pages. */
uint32_t sharc__crawl_errand(struct site *s, struct sharc_span url, uint32_t via, char hop);
/* A page that was to be fetched is not. */
void sharc__crawl_skip(struct site *s, uint32_t page, enum sharc_crawl_reason why, struct sharc_span detail);

/* limits.c */
/* How long the capture has run, over all its runs. */
sharc_time sharc__crawl_ran(const struct site *s);
/* Set limit_visits, limit_all and limit_reason as things are now. */
void sharc__crawl_measure(struct site *s);
/* That time, or the one before it at which a limit of time is reached. */
sharc_time sharc__crawl_or_time_up(const struct site *s, sharc_time when);
/* A limit has been reached that the task falls under. */
bool sharc__crawl_too_late(struct site *s, const struct task *t);

/* types.c */
struct type_rule {
    struct sharc_span type; /* into the text */
    bool sized;
    uint64_t above;
};
int sharc__crawl_type_read(struct sharc_span text, struct type_rule *ret, struct sharc_err *reterr);
/* Is the body of this answer wanted? For sharc_fetch_request; user is the job. */
bool sharc__crawl_wanted(void *job, const struct sharc_fetch_result *r);
/* It was not: the page is skipped. */
void sharc__crawl_unwanted(struct job *j);

/* rates.c */
/* A page was found, or a sitemap tells of it. */
double sharc__crawl_rate_found(struct site *s, uint32_t page, const struct finding *f);
/* The rate after a visit: what is known of its neighbours and what the visit showed. */
double sharc__crawl_rate_seen(struct site *s, const struct job *j);
/* Before the strategy is asked: tell it, from time to time, what the visits taught
 * about all pages. */
void sharc__crawl_renew(struct site *s);
/* A look at a page, and what it tells of its last change. */
void sharc__crawl_looked(struct seen *v, const struct job *j, sharc_time before);
/* For sharc-focus: which pages have probably changed since they were seen. */
double sharc__crawl_believe(void *site, const sharc_page_no *page, const double *rate, uint32_t n, double *ret_still);
/* At the end: rates of pages as all that was seen tells them. */
void sharc__crawl_settle_rates(struct site *s);

/* canonical.c */
/* The page was visited: does it say that it is another one? */
void sharc__crawl_note_canonical(struct job *j);
/* Target of rel=canonical in a field Link; none. */
struct sharc_span sharc__crawl_link_canonical(struct sharc_span field);
/* At the end, when all rows are committed: which of these claims hold. True when it
 * was looked at. */
bool sharc__crawl_judge_aliases(struct site *s);

/* weights.c */
void sharc__crawl_weigh(struct site *s, uint32_t page, const struct finding *f);
/* Weights by the links of that capture, for pages that are known from it. */
int sharc__crawl_remember_weights(struct site *s, sharc_store_id capture, struct sharc_err *reterr);

/* manifest.c */
/* A sitemap, feed or list to be read before the visits. */
void sharc__crawl_manifest(struct site *s, struct sharc_span url, uint32_t via);
/* Have robots.txt fetched before anything else, also for the sitemaps it names. */
void sharc__crawl_ask_robots(struct site *s, uint32_t host);
void sharc__crawl_robots(struct job *j);
bool sharc__crawl_is_list(const struct job *j);
void sharc__crawl_list(struct job *j);

/* trouble.c */
unsigned sharc__crawl_tries(const struct sharc_crawl *c); /* of one URL */
/* Trouble that may pass: true when it will be tried again, or the site is left alone;
 * nothing else is to be done. */
bool sharc__crawl_passing_trouble(struct job *j);
/* How a download failed, without its URL. */
void sharc__crawl_cause(const struct sharc_fetch_result *r, char *out, size_t room);
/* The site waits; what it does that it is waited for ("says 503"), after so many tries. */
void sharc__crawl_trouble(struct site *s, unsigned tries, sharc_time now, sharc_time until, const char *fmt, ...)
    SHARC_PRINTF(5, 6);
void sharc__crawl_trouble_over(struct site *s);
/* A site without pages: in a sentence, what became of its seeds. */
void sharc__crawl_explain_nothing(struct site *s);
void sharc__crawl_trouble_status(const struct site *s, struct sharc_crawl_status *st);
/* Leave the site for another day: its capture can be resumed. */
void sharc__crawl_suspend(struct site *s, const char *why);

/* apply.c */
int sharc__crawl_apply(struct job *j, struct sharc_err *reterr);

/* record.c */
int sharc__crawl_record(struct job *j, struct written *ret, struct sharc_err *reterr);
/* In the loop, when a download has ended; then in the pool, when it is processed:
 * the costly half of its records is made there. */
void sharc__crawl_pack_begin(struct job *j);
void sharc__crawl_pack(struct job *j);
/* It brought nothing but what the version before has: its record is a revisit. */
bool sharc__crawl_repeats(const struct job *j);
/* "LLRE", the last 50, longer as "12+LLR…". */
void sharc__crawl_hops(const struct pages *p, uint32_t page, struct sharc_buf *out);
unsigned sharc__crawl_hop_count(const struct pages *p, uint32_t page);
int sharc__crawl_info(const struct sharc_crawl *c, const struct site *s, struct sharc_buf *out);

/* log.c */
int sharc__crawl_log_open(struct sharc_crawl *c, struct sharc_err *reterr);
void sharc__crawl_log_fetch(const struct job *j, const struct written *w, const char *annotation);
void sharc__crawl_log_skip(const struct site *s, uint32_t page, enum sharc_crawl_reason why);
/* What is no download: "sharc:set/…". */
void sharc__crawl_log_event(const struct sharc_crawl *c, const struct site *s, int code, struct sharc_span uri,
                            struct sharc_span note);
/* At the end of a site: how many URLs a limit kept out. */
void sharc__crawl_log_limits(const struct site *s);
void sharc__crawl_log_stats(struct sharc_crawl *c, sharc_time now);

/* One line of crawl.log; the caller fills what it has. */
struct log_line {
    sharc_time now;
    int code;
    int64_t size; /* < 0: none */
    struct sharc_span url, hops, via, type;
    unsigned thread;
    sharc_time start, took; /* SHARC_TIME_NONE: none */
    const struct sharc_digest *digest;
    struct sharc_span source, notes, json;
};
void sharc__crawl_log_line(const struct log_line *l, struct sharc_buf *out);

/* journal.c: every one applies the change and writes it down. */
void sharc__crawl_j_page(struct site *s, uint32_t page); /* its row as it is now, with URL when new */
void sharc__crawl_j_follow(struct site *s, uint32_t leader, uint32_t follower);
void sharc__crawl_j_tell(struct site *s, uint32_t page);
bool sharc__crawl_j_next(struct site *s, struct sharc_slot *ret);
void sharc__crawl_j_observed(struct site *s, const struct sharc_observation *o);
void sharc__crawl_j_seen(struct site *s, uint32_t page);
void sharc__crawl_j_soft404(struct site *s);
void sharc__crawl_j_ran(struct site *s);
void sharc__crawl_j_change(struct site *s, const struct change *change);
void sharc__crawl_j_alias(struct site *s, uint32_t page, uint32_t canonical);
void sharc__crawl_j_age(struct site *s, uint32_t page); /* what rate_live.h was told of it, if anything */
struct renewed {
    uint32_t page;
    float rate; /* changes per second */
};
void sharc__crawl_j_rates(struct site *s, const struct renewed *all, size_t n); /* ascending pages */
void sharc__crawl_j_state(struct site *s);                                      /* counters and times */
/* Read pieces of a journal back into a site that is empty. */
int sharc__crawl_replay(struct site *s, struct sharc_span bytes, struct sharc_err *reterr);

/* catalogue.c */
int sharc__crawl_rows_page(struct job *j, const struct written *w, struct sharc_err *reterr);
void sharc__crawl_rows_skip(struct site *s, uint32_t page, enum sharc_crawl_reason why, struct sharc_span detail);
int sharc__crawl_commit(struct sharc_crawl *c, struct sharc_err *reterr);
int sharc__crawl_finish_site(struct site *s, struct sharc_err *reterr);
uint32_t sharc__crawl_file(struct sharc_crawl *c, const char *name);
/* These records are written; how far their file goes is committed with them. */
void sharc__crawl_wrote(struct sharc_crawl *c, const struct sharc_warc_fetch_places *p);
/* The row of a WARC file, made when it is first written to and before anything of
 * it is committed: whoever finds the file open after a crash knows it is ours to cut. */
int sharc__crawl_file_row(struct sharc_crawl *c, const char *file, sharc_store_id *ret, struct sharc_err *reterr);
/* All files are closed: the catalogue knows them to their ends. */
int sharc__crawl_files_closed(struct sharc_crawl *c, struct sharc_err *reterr);

/* files.c */
int sharc__crawl_files_recover(struct sharc_crawl *c, struct sharc_err *reterr);

/* resume.c */
int sharc__crawl_resume_or_begin(struct site *s, struct sharc_err *reterr);

void sharc__crawl_params(const struct sharc_crawl *c, const struct sharc_strategy_params *p,
                         const struct sharc_crawl_summary *m, struct sharc_buf *out);

/* knowledge.c: tell the strategy what earlier captures know; embeds wait aside until
 * a page shows them again. */
void sharc__crawl_remember_embed(struct site *s, uint32_t page);
int sharc__crawl_remember(struct site *s, struct sharc_err *reterr);

/* past.c: rates from earlier captures, told; and from all of them, written down. */
int sharc__crawl_remember_rates(struct site *s, struct sharc_err *reterr);
void sharc__crawl_keep_rates(struct site *s);

/* judge.c */
void sharc__crawl_judge(struct site *s);

/* control.c */
/* What was meant for a crawl that is over. */
void sharc__crawl_control_clear(const char *archive);
int sharc__crawl_control_poll(struct sharc_crawl *c, struct sharc_err *reterr);
/* What a setting changes; rule is the caller's buffer. */
struct meaning {
    struct sharc_crawl_pace pace;
    char sign; /* of the rule, '+' or '-'; 0: there is none */
    struct sharc_buf rule;
    bool limits; /* it may let in what was turned down, or end what was let in */
    int64_t base;
};
/* ret->pace (as it is now) and ret->rule are the caller's; read_pace: what was read before changes. */
int sharc__crawl_setting(struct sharc_span setting, const struct sharc_crawl_pace *read_pace, struct meaning *ret,
                         struct sharc_err *reterr);
/* A change that was made before the capture was cut off, read from its journal. */
void sharc__crawl_change_again(struct site *s, sharc_time when, int64_t base, struct sharc_span text);
/* Rules of all changes, to a scope. */
int sharc__crawl_changed_rules(const struct sharc_crawl *c, struct sharc_scope *scope, struct sharc_err *reterr);

/* reconsider.c */
/* Scope or limits have changed: look again at all URLs of a site that were turned down or given up. */
void sharc__crawl_reconsider(struct site *s);
/* The strategy has nothing left: may URLs that were beyond the limit of pages take the place of
 * others that were given up? True when some are let in. */
bool sharc__crawl_make_room(struct site *s);
/* At the end: table skipped has the last reason of each URL, and none of those let in after all. */
int sharc__crawl_skipped_anew(struct site *s, struct sharc_err *reterr);

#endif
