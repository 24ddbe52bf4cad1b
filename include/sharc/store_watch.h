/* SPDX-License-Identifier: Apache-2.0
 *
 * What a watch writes down: the pages it looks after, every look at them, and notes it needs to
 * go on after a restart. A watch of a site is a capture of the purpose "watch"; its row in `page` is
 * the last look that was answered, and what came before stands here.
 */
#ifndef SHARC_STORE_WATCH_H
#define SHARC_STORE_WATCH_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/base_digest.h"
#include "sharc/store.h"
#include "sharc/store_query.h"
#include "sharc/store_write.h"

SHARC_PRIVATE_BEGIN

/* How a page came to be watched. Catalogues hold the numbers: append, never change. */
#define SHARC_FOUND_WORDS(X) \
    X(NAMED, "named")        \
    X(LINK, "link")          \
    X(SITEMAP, "sitemap")    \
    X(FEED, "feed")

enum sharc_store_found {
#define X(name, word) SHARC_FOUND_##name,
    SHARC_FOUND_WORDS(X)
#undef X
        SHARC_FOUND_COUNT,
};
const char *sharc_store_found_word(enum sharc_store_found f);

struct sharc_store_watched {
    sharc_store_id capture, url_id; /* url_id: filled by queries */
    struct sharc_span url;
    uint32_t number;  /* by which whoever plans knows it: 0, 1, 2, … over all captures */
    sharc_time since; /* watched from then on … */
    sharc_time until; /* … to then, when somebody took it out; SHARC_TIME_NONE: it is watched */
    enum sharc_store_found found;
    double weight;
    sharc_time shortest, longest; /* intervals; 0: those of the watch */
    uint32_t gone;                /* looks in a row that found it gone */
};
/* The whole row; replaces what there is. */
int sharc_store_batch_watched(struct sharc_store_batch *b, const struct sharc_store_watched *w,
                              struct sharc_err *reterr);
/* Of a capture (0: of all) by number, those taken out too. */
int sharc_store_watched(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                        struct sharc_err *reterr);
void sharc_store_read_watched(struct sharc_store_rows *rows, struct sharc_store_watched *ret);

/* What a look showed. Catalogues hold the numbers: append, never change. */
#define SHARC_SHOWN_WORDS(X)                                                        \
    X(FIRST, "first") /* there was nothing to compare with */                       \
    X(SAME, "same")   /* the same bytes, or the server said so */                   \
    X(NOISE, "noise") /* other bytes, but only where it differs on every request */ \
    X(CHANGED, "changed")                                                           \
    X(GONE, "gone")     /* 404, 410 */                                              \
    X(BACK, "back")     /* it had been gone */                                      \
    X(FAILED, "failed") /* no answer that says anything about the page */

enum sharc_store_shown {
#define X(name, word) SHARC_SHOWN_##name,
    SHARC_SHOWN_WORDS(X)
#undef X
        SHARC_SHOWN_COUNT,
};
const char *sharc_store_shown_word(enum sharc_store_shown s);

/* One look at a watched page. */
struct sharc_store_watch_look {
    sharc_store_id capture, url_id; /* url_id: filled by queries */
    struct sharc_span url;
    sharc_time when, took;
    int why;    /* whoever plans knows the words */
    int status; /* HTTP; 0: none */
    enum sharc_store_shown shown;
    int change; /* enum sharc_change_class, or SHARC_STORE_NO_CHANGE */
    double importance;
    int64_t size; /* < 0: unknown */
    enum sharc_store_record record;
    struct sharc_digest digest, text_digest;
    struct sharc_store_place place;
};
#define SHARC_STORE_WATCH_LOOK_INIT                                                      \
    {                                                                                    \
        .when = SHARC_TIME_NONE, .took = -1, .change = SHARC_STORE_NO_CHANGE, .size = -1 \
    }
/* Once per (capture, url, when). */
int sharc_store_batch_watch_look(struct sharc_store_batch *b, const struct sharc_store_watch_look *l,
                                 struct sharc_err *reterr);

struct sharc_store_watch_filter {
    sharc_store_id capture; /* 0: of all watches */
    sharc_store_id url;     /* 0: any */
    sharc_time from, to;    /* SHARC_TIME_NONE: open; both included */
    bool changes;           /* only looks that showed a change: first, changed, gone, back */
    bool by_url;            /* by URL number, then time; else by time */
    bool newest_first;      /* of those by time */
};
#define SHARC_STORE_WATCH_FILTER_INIT                  \
    {                                                  \
        .from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE \
    }
int sharc_store_watch_looks(struct sharc_store *s, const struct sharc_store_watch_filter *f,
                            struct sharc_store_rows **ret, struct sharc_err *reterr);
void sharc_store_read_watch_look(struct sharc_store_rows *rows, struct sharc_store_watch_look *ret);

/* A note under a name; replaces. And: its bytes appended to out, 1, or 0 when there is none. */
int sharc_store_batch_watch_note(struct sharc_store_batch *b, struct sharc_span name, struct sharc_span data,
                                 sharc_time when, struct sharc_err *reterr);
int sharc_store_watch_note(struct sharc_store *s, struct sharc_span name, struct sharc_buf *out,
                           struct sharc_err *reterr);
/* The names of all notes that begin so, one per line. */
int sharc_store_watch_notes(struct sharc_store *s, struct sharc_span begin, struct sharc_buf *out,
                            struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
