/* SPDX-License-Identifier: Apache-2.0
 *
 * One download with all that is made of it: a job goes from the loop to the fetcher,
 * from there to the pool, and back to the loop, which applies it. Whoever has it owns it.
 */
#ifndef SHARC_CRAWL_DOWNLOAD_INT_H
#define SHARC_CRAWL_DOWNLOAD_INT_H

#include "sharc/base_digest.h"
#include "sharc/change_grade.h"
#include "sharc/extract.h"
#include "sharc/http_fetch.h"
#include "sharc/url.h"
#include "sharc/warc_write.h"
#include "task.h"
#include "version.h"

#include <stdatomic.h>

#define PACKED_MOST ((size_t)4 << 20) /* larger responses are packed when their turn comes */

struct site;

/* What the loop hands to the pool. */
struct job_input {
    struct sharc_url url;
    struct version before; /* what to compare with */
    bool compare, conditional, want_links, want_text, want_guesses;
    bool bare;                          /* nothing of its content is looked at */
    char *before_file;                  /* WARC that holds it; NULL: cannot be read */
    char before_id[SHARC_WARC_ID_TEXT]; /* record that holds it; "" when unknown. The pool may find it … */
    uint64_t before_length;             /* … and its length; 0: unknown */
    const char *etag;                   /* that was sent with a conditional request; NULL: none */
    const struct sharc_change_options *change_options;
};

/* What the pool makes of it. */
struct job_made {
    enum sharc_change_answer answer;
    struct sharc_digest digest; /* payload */
    struct sharc_digest block;  /* head and body as they are; n == 0: not computed */
    struct sharc_digest shown;  /* content with all codings undone */
    uint8_t head[16];           /* print of status, media type, charset, Location */
    bool complete;              /* received and decoded to the end */
    bool decoded;               /* content holds all of it */
    bool not_found;             /* says what the site shows for pages that are not there; told by apply */
    uint64_t size;              /* payload bytes */
    struct sharc_span body;     /* decoded, in result or content; page points into it */
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
    uint32_t minhash[SHARC_CHANGE_MINHASH];
    bool has_minhash;
    size_t words; /* with the signature */
};

/* The records of a download. */
struct written {
    struct sharc_warc_fetch_places places;
    bool any, revisit;
};

struct job {
    struct site *site; /* whose task it is; only the engine follows it */
    struct task task;
    struct sharc_fetch_result *result;
    struct job *next;   /* of the queue in which it is */
    struct job *behind; /* of the same site, ended after it */
    bool processed;     /* the loop knows that the pool has done its part */
    uint64_t weight;    /* bytes of memory it may take when it is processed */
    bool counted;       /* apply has begun once */
    size_t followed;    /* of its links, by apply */

    struct job_input in;
    struct job_made made;

    double planned_rate;           /* changes per second, as the plan had it when it was applied */
    double rate;                   /* as it is now; NaN: no new one */
    struct sharc_warc_ahead ahead; /* its response and request, packed */
    struct sharc_buf outlinks;     /* lines for its metadata */
    struct written written;        /* its records; once, also when what follows could not be written */

    struct sharc_hasher_pair *hashers; /* scratch of the pool */
    struct sharc_page old_page;
    struct sharc_buf old_content;
};
struct job *sharc__crawl_job_new(void);
/* Ready for another download; keeps its memory unless that is large. */
void sharc__crawl_job_clear(struct job *j);
void sharc__crawl_job_free(struct job *j);
/* What processing needs, from one that is clear to one that is to be processed. Its own of that is empty, and released
 * with the other one. */
void sharc__crawl_job_lend(struct job *to, struct job *from);

/* Runs in any thread: digest, decoded bytes, links, text, dates, comparison. */
void sharc__crawl_process(struct job *j);

/* --- answer.c: what an answer is worth as evidence ---------------------------------- */

/* Last-Modified of the answer lies 60 s before its Date: it names one state only (RFC 9110 8.8.2.2). */
bool sharc__crawl_date_is_strong(const struct sharc_http *h);
/* W/"…", or what is no entity tag at all: attests nothing. */
bool sharc__crawl_etag_is_weak(struct sharc_span etag);
/* A revisit tells of the page as it was then: at its start or, of an answer with Age, so much earlier. */
sharc_time sharc__crawl_speaks_for(const struct job *j);
/* How long a cache has kept an answer at most: Age counts whole seconds, and has left out the rest. 0: it did not come
 * through one. */
sharc_time sharc__crawl_kept(const struct sharc_http *h);
/* When the cache that an answer came through will ask for the page anew, as Cache-Control says; SHARC_TIME_NONE: it
 * does not say, or that is too far away to be waited for. */
sharc_time sharc__crawl_fresh_at(const struct job *j);
/* Status, media type, charset, Location and decoded content are those of the version. */
bool sharc__crawl_same_answer(const struct version *v, const struct job *j);
/* What a revisit and the version before it prove together, by what was seen at the revisit. */
enum sharc_grade_reason sharc__crawl_reason_of(const struct version *v, const struct job *j);

/* A coding other than chunked is to be undone, by its head; the bytes may have none for all that. A server that packs
 * anew for every request sends other bytes each time. */
bool sharc__crawl_is_coded(const struct sharc_http *h);
/* It brought nothing but what the version before has: its record is a revisit. */
bool sharc__crawl_repeats(const struct job *j);
/* The page may embed what a limit left out. */
static inline bool sharc__crawl_parts_unread(const struct job *j)
{
    return j->made.extracted && (j->made.page.cut & SHARC_CUT_PARTS);
}
/* There is nothing to record: no answer, or one that asks to be left alone. */
bool sharc__crawl_brought_nothing(const struct job *j);

#endif
