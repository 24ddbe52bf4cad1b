/* SPDX-License-Identifier: Apache-2.0
 *
 * crawl.log and progress-statistics.log.
 */
#ifndef SHARC_CRAWL_LOG_INT_H
#define SHARC_CRAWL_LOG_INT_H

#include "output.h"

#include <stdio.h>

struct logs {
    FILE *crawl, *stats;
};
int sharc__crawl_logs_open(const char *archive, sharc_store_id job, struct logs **ret, struct sharc_err *reterr);
void sharc__crawl_logs_free(struct logs *l);
/* crawl.log knows at least what the catalogue will know. */
void sharc__crawl_logs_flush(struct logs *l);

void sharc__crawl_log_fetch(const struct capture *s, const struct job *j, const struct written *w,
                            const char *annotation);
void sharc__crawl_log_skip(const struct capture *s, uint32_t page, enum sharc_crawl_reason why);
/* What is no download: "sharc:set/…". */
void sharc__crawl_log_event(const struct output *o, const struct capture *s, int code, struct sharc_span uri,
                            struct sharc_span note);
/* At the end of a site: how many URLs a limit kept out. */
void sharc__crawl_log_limits(const struct capture *s);
/* A line of progress-statistics.log; pages' depths, as far as they were looked at. */
struct depths {
    uint64_t sum, most, pages;
};
void sharc__crawl_log_stats(const struct output *o, const struct sharc_crawl_status *st, const struct depths *d);
/* A line about a change of settings there. */
void sharc__crawl_log_setting(const struct output *o, struct sharc_span setting);

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

/* Bytes of memory that this process has; 0 when the system does not say. */
uint64_t sharc__crawl_resident(void);

#endif
