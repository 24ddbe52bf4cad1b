/* SPDX-License-Identifier: Apache-2.0
 *
 * Recorded change histories: a directory of tab-separated tables that says
 * which pages a site had, when each was made, changed and removed, and which
 * page links to which. Plain (.tsv) or gzipped (.tsv.gz):
 *
 *   pages     id url mime created deleted size title_words text_words images tables outlinks absences
 *   changes   id time            sorted by time, then id
 *   links     from to kind       kind is link or spanning
 *   absences  id from to         optional: the URL was gone for a while
 *   site.json                    optional: name, start, end
 *
 * Every table begins with that header line. Times are whole seconds since
 * 1970 (UTC). Pages are numbered 1, 2, 3, … in the order of their rows and page
 * 1 is the root; in memory they count from 0.
 *
 * Reading is strict: the first line that breaks a rule is an error that names
 * file and line and says what would be right.
 */
#ifndef SHARC_SIM_DATASET_H
#define SHARC_SIM_DATASET_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_limits.h"
#include "sharc/change.h"

#include <math.h>

SHARC_PRIVATE_BEGIN

struct sharc_dataset_page {
    struct sharc_span url, mime; /* point into the dataset's memory */
    double created;
    double deleted; /* INFINITY when it exists at the end */
    uint32_t size, title_words, text_words, images, tables, outlinks;
};

struct sharc_dataset {
    char *name;
    double start, end; /* first and last instant covered */
    size_t pages, changes, links, absences;
    struct sharc_dataset_page *page;
    /* Changes of page p, ascending: change_time[change_at[p] … change_at[p+1]). */
    size_t *change_at;
    double *change_time;
    /* Links of page p in the table's order: link_to[link_at[p] … link_at[p+1]). */
    size_t *link_at;
    sharc_page_no *link_to;
    /* Absences of page p: [absent_from[i], absent_to[i]). */
    size_t *absence_at;
    double *absent_from, *absent_to;
    struct sharc_buf text; /* of pages.tsv: urls and MIME types point into it */
};

/* Read the dataset in directory `dir`. Limits: SHARC_LIMIT_DATASET_BYTES per table,
 * 2^31 rows. O(bytes); about 16 bytes per change, 12 per link, the text of the
 * page table and 80 bytes per page. */
int sharc_dataset_open(const char *dir, struct sharc_dataset **ret, struct sharc_err *reterr);
void sharc_dataset_free(struct sharc_dataset *d);
void sharc_dataset_freep(struct sharc_dataset **d);

/* Changes of a page in (from, to], ascending, as a pointer into the dataset. */
size_t sharc_dataset_between(const struct sharc_dataset *d, sharc_page_no page, double from, double to,
                             const double **ret_first);

/* A site as it is at one instant, as a dataset without a past: what a plan for a
 * site that was only looked at needs. Text of URLs must outlive it. */
struct sharc_dataset_moment {
    const char *name;
    double when;                  /* seconds since 1970 */
    size_t pages, links;          /* at least the root */
    const struct sharc_span *url; /* as in pages.tsv: path and query */
    const uint32_t *from, *to;    /* pages, counted from 0 */
};
struct sharc_dataset *sharc_dataset_of_moment(const struct sharc_dataset_moment *m);

/* Weights of all its pages (sharc_rate_weigh); no page has a priority. *ret is malloc'ed. */
int sharc_dataset_weigh(const struct sharc_dataset *d, const char *how, double **ret, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
