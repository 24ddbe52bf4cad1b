/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the engine ask of each other.
 */
#ifndef SHARC_CRAWL_ENGINE_INT_H
#define SHARC_CRAWL_ENGINE_INT_H

#include "site.h"

/* --- site.c ------------------------------------------------------------------ */

/* The site of a seed, made if need be. */
struct site *sharc__crawl_site_of(struct sharc_crawl *c, const struct sharc_url *seed);
/* A finished site keeps its summary and nothing else. */
void sharc__crawl_site_shed(struct site *s);
/* Its row, with its seeds. */
int sharc__crawl_put_site(struct site *s, struct sharc_span settings, struct sharc_err *reterr);
void sharc__crawl_site_free(struct site *s);

/* --- run.c ------------------------------------------------------------------------ */

/* Which run this is: one that was interrupted, whose captured sites are not captured again, or a new one. */
int sharc__crawl_run_begin(struct sharc_crawl *c, struct sharc_err *reterr);

/* --- due.c --------------------------------------------------------------------- */

/* The site may have something to do: look at it again at that time. */
void sharc__crawl_site_due(struct site *s, sharc_time when);
/* The next that is due by then; NULL: none. */
struct site *sharc__crawl_next_due(struct sharc_crawl *c, sharc_time now);
/* When the next one is; SHARC_TIME_NONE: never. */
sharc_time sharc__crawl_next_time(struct sharc_crawl *c);

/* --- choose.c -------------------------------------------------------------------- */

/* Choose the agenda's current task: true when there is something to do (perhaps later), false
 * when the site has to wait for results, or is done (its phase says so). */
bool sharc__crawl_choose(struct site *s);

/* --- downloads.c ------------------------------------------------------------------- */

/* Begin the download of the task that was chosen. */
int sharc__crawl_start_download(struct site *s, struct sharc_err *reterr);
/* A download has ended: it goes to the pool, and into the row of those to be applied. */
void sharc__crawl_download_ended(struct sharc_crawl *c, struct sharc_fetch_result *result);
/* What the pool has done is taken up, and it gets more to do. */
void sharc__crawl_jobs_move(struct sharc_crawl *c);
/* The next one to be applied; with long_ones one with very many links. NULL: none is ready. */
struct job *sharc__crawl_next_ready(const struct sharc_crawl *c, bool long_ones);
/* It was applied. */
void sharc__crawl_job_applied(struct sharc_crawl *c, struct job *j);
/* The pool must not be forgotten while the loop sleeps: it wakes it then. False: it has done something meanwhile. */
bool sharc__crawl_jobs_sleep(struct sharc_crawl *c, bool asleep);
/* The crawl is to stop: what would take long is not applied, and downloaded again by the next run. */
void sharc__crawl_jobs_give_back(struct sharc_crawl *c);
/* At the end of the crawl. */
void sharc__crawl_drop_jobs(struct sharc_crawl *c);

/* --- apply.c -------------------------------------------------------------------------- */

enum {
    LINKS_AT_ONCE = 2000, /* of one page; then others have their turn */
    LINKS_ORDINARY = 500, /* pages with more come behind those with fewer: their new URLs take the time of hundreds */
};

/* 0: it is applied; 1: it has more links, and wants to be called again. Nothing of it is in rows and WARC files
 * before; links that are known already are in the journal. */
int sharc__crawl_apply(struct job *j, struct sharc_err *reterr);

/* --- audits.c --------------------------------------------------------------------------- */

/* A page was answered 304: it may be chosen to be downloaded right after. */
void sharc__crawl_audit_perhaps(struct site *s, uint32_t page);
/* At the end: the next one of those that are missing. */
bool sharc__crawl_audit_missing(struct site *s, struct task *ret);
/* It could not be made. */
void sharc__crawl_audit_tried(struct site *s, uint32_t page);
void sharc__crawl_audited(struct site *s, const struct job *j);

/* --- commit.c --------------------------------------------------------------------------- */

int sharc__crawl_commit(struct sharc_crawl *c, struct sharc_err *reterr);
/* If it is due: begun, for a thread of its own to write, or (not sharc__crawl_writes_beside) done here and now. */
int sharc__crawl_commit_due(struct sharc_crawl *c, struct sharc_err *reterr);
bool sharc__crawl_writes_beside(const struct sharc_crawl *c);
/* As much waits to be written as may: pages with many links wait, too. */
bool sharc__crawl_rows_wait(const struct sharc_crawl *c);
/* Was the clock set? It is noted then, and said. */
void sharc__crawl_look_at_clock(struct site *s);
void sharc__crawl_clock_was_set(struct site *s, const struct clock_jump *jump);
bool sharc__crawl_commit_is_due(const struct sharc_crawl *c, sharc_time now);
/* At the latest then; SHARC_TIME_NONE: there is nothing to commit. */
sharc_time sharc__crawl_commit_time(const struct sharc_crawl *c);

/* --- begin.c, replay.c ----------------------------------------------------------------------- */

int sharc__crawl_site_begin(struct site *s, struct sharc_err *reterr);
/* Bring an empty site to the state of its last commit. */
int sharc__crawl_replay(struct site *s, struct sharc_err *reterr);
/* The capture's parameters as JSON; at its end with what became of it. */
void sharc__crawl_params(const struct site *s, const struct sharc_strategy_params *p,
                         const struct sharc_crawl_summary *m, struct sharc_buf *out);

/* --- finish.c ----------------------------------------------------------------------------------- */

int sharc__crawl_finish_site(struct site *s, struct sharc_err *reterr);
/* The crawl ends before them: all sites that are not done are left for another day, with two commits for them all. */
int sharc__crawl_leave_sites(struct sharc_crawl *c, struct sharc_err *reterr);
/* grades.c: what it proves, page by page, to the catalogue; whole pages to the summary. All rows are committed. */
struct judged;
struct grades;
/* closing.c: the same to the WARC file. */
int sharc__crawl_put_closing(struct site *s, const struct grades *all, struct sharc_err *reterr);
int sharc__crawl_put_grades(struct site *s, const struct judged *g, struct sharc_err *reterr);

/* --- paces.c ------------------------------------------------------------------------------------- */

/* Every site gets its pace: the general one, and on top what the settings say of it. */
void sharc__crawl_paces_begin(struct sharc_crawl *c);
/* A setting has changed for all: by hand (--set) also for sites that have a value of their own. */
void sharc__crawl_paces_set(struct sharc_crawl *c, struct sharc_span setting, struct sharc_span name, bool by_hand);
/* What the settings say of the site was read again: what has changed counts. */
void sharc__crawl_pace_reread(struct site *s, const struct own *before);
/* The paces have changed: so have those of hosts, and pauses that have begun. */
void sharc__crawl_repace(struct sharc_crawl *c);
/* The pace of a site's requests to a group of hosts. */
struct sharc_crawl_pace sharc__crawl_pace_at(const struct site *s, uint32_t group);
/* The host is asked for something: does it belong to a site that has settings of its own? */
void sharc__crawl_pace_of_host(struct sharc_crawl *c, uint32_t host);

/* --- memory.c ------------------------------------------------------------------------------------ */

void sharc__crawl_memory_begin(struct sharc_crawl *c);
/* The crawl takes what it may: nothing is begun that can wait. */
bool sharc__crawl_memory_is_scarce(struct sharc_crawl *c);
/* Sites wait for it: said once. */
void sharc__crawl_memory_tell(struct sharc_crawl *c);

/* --- steer.c ------------------------------------------------------------------------------------- */

/* Take up what lies in the box, and read the settings again if somebody wants it. */
int sharc__crawl_steer(struct sharc_crawl *c, struct sharc_err *reterr);
/* A change that was made before the capture was cut off, read from its journal. */
void sharc__crawl_change_again(struct sharc_crawl *c, sharc_time when, int64_t base, struct sharc_span text);

/* --- status.c -------------------------------------------------------------------------------------- */

void sharc__crawl_write_stats(const struct sharc_crawl *c);

#endif
