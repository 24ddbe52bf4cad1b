/* SPDX-License-Identifier: Apache-2.0
 *
 * The version of a page that the next download is compared with: of an earlier
 * capture, then of the visit, then of the second look.
 */
#ifndef SHARC_CRAWL_VERSION_INT_H
#define SHARC_CRAWL_VERSION_INT_H

#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/change_compare.h"

enum version_mark {
    VERSION_CONTENT = 1,       /* digest of the decoded content and print of the head are known */
    VERSION_CUT = 2,           /* not received and decoded to the end */
    VERSION_NOT_FOUND = 4,     /* has the text that the site shows for pages that are not there */
    VERSION_LOOK_ENDED = 8,    /* a second look was answered, and not with the page */
    VERSION_OLD_DATE = 16,     /* Last-Modified is a strong validator: 60 s older than Date */
    VERSION_CLOCK_SET = 32,    /* the clock was set between visit and revisit */
    VERSION_AUDITED = 128,     /* 304 was checked by a download, or that was tried */
    VERSION_EARLIER_RUN = 64,  /* visited, and not revisited, by a run whose clock is not known to be ours */
    VERSION_ASKED_AGAIN = 256, /* a cache had kept the revisit since before the visit: another one is, or was, made */
};

struct version {
    sharc_time visit;    /* start, in this capture; SHARC_TIME_NONE: only known from before */
    sharc_time ended;    /* end of the visit: from then on the page is known */
    sharc_time revisit;  /* what it showed holds up to then; SHARC_TIME_NONE: none yet */
    sharc_time modified; /* Last-Modified, or SHARC_TIME_NONE */
    sharc_time changed;  /* its last change as the last look tells, SHARC_TIME_NONE: none since … */
    sharc_time since;    /* … then; SHARC_TIME_NONE: since ever */
    sharc_time date;     /* of the original response */
    uint64_t offset;     /* and where it is */
    uint8_t id[16];
    uint8_t digest[32];  /* payload, SHA-256 */
    uint8_t content[32]; /* the same with all codings undone: only this tells whether a page is the same */
    uint8_t head[16];    /* print of status, media type, charset, Location */
    uint32_t file;       /* number of its WARC's name (output.h) */
    uint32_t etag;       /* number in pages->etags, or SHARC_NO_ID */
    uint32_t size;
    int16_t status;
    uint8_t answer; /* enum sharc_change_answer of the visit */
    uint8_t change; /* enum sharc_change_class of the revisit */
    uint8_t reason; /* enum sharc_grade_reason, by the revisit */
    uint16_t marks; /* enum version_mark */
    bool has_digest, revisited;
};
/* Nothing is known. */
#define VERSION_NONE                               \
    ((struct version){.visit = SHARC_TIME_NONE,    \
                      .ended = SHARC_TIME_NONE,    \
                      .revisit = SHARC_TIME_NONE,  \
                      .modified = SHARC_TIME_NONE, \
                      .changed = SHARC_TIME_NONE,  \
                      .since = SHARC_TIME_NONE,    \
                      .date = SHARC_TIME_NONE,     \
                      .file = SHARC_NO_ID,         \
                      .etag = SHARC_NO_ID})

/* A cache that kept the answer since before the visit has shown the visit once more. */
static inline bool version_is_stale(const struct version *v)
{
    return v->revisited && v->revisit < v->ended;
}

/* It was captured in this run of downloads, with content or a redirect, and not yet revisited. */
static inline bool version_can_be_revisited(const struct version *v)
{
    return v && v->visit != SHARC_TIME_NONE && !v->revisited && v->answer != SHARC_ANSWER_FAILED &&
           v->answer != SHARC_ANSWER_GONE;
}

#endif
