/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of the room.
 */
#ifndef SHARC_VIEW_INT_H
#define SHARC_VIEW_INT_H

#include "sharc/view.h"

/* A tab: the session of a page. What asks and is no page itself belongs to the tab that it was attached by. */
struct view_tab {
    struct sharc_view_page *page;
    struct sharc_browser_session *session;
    char shown[18]; /* time of its page's capture: parts are chosen by it */
    bool led;       /* the next page is the one that it was sent to */
};

/* A view of one page: a context of the browser, in which nothing is known of others. */
struct sharc_view_page {
    char context[64]; /* ""; with a window: that of the browser itself */
    char *url;
    char timestamp[18]; /* of the capture with which it began */
    char at[18];        /* that is asked for when the reader goes on */
    struct view_tab **tabs;
    size_t tab_count, tab_room;
    struct sharc_view_request *requests;
    size_t request_count, request_room;
    uint64_t asked; /* requests, all */
    double last;    /* when the last one came */
    bool loaded, crashed, gone, at_rest;
    bool over;  /* it is being looked at, and may not go anywhere else */
    bool hangs; /* it does not answer */
    bool has_main;
};

/* What was sent lately, to know what the browser did not take. */
struct view_sent {
    uint64_t command;
    char request[64];
    char session[64];
    struct sharc_view_page *page;
    size_t row; /* SHARC_NPOS: not remembered */
};
enum { VIEW_SENT = 256 };

struct sharc_view {
    struct sharc_view_options o;
    struct sharc_browser *browser;
    struct sharc_view_page **pages;
    size_t page_count, page_room;
    struct view_sent sent[VIEW_SENT];
    size_t sent_next;
    char blank[64]; /* the target that a window begins with */
};

struct view_tab *sharc__view_tab(struct sharc_view *v, const struct sharc_browser_session *s);
struct view_tab *sharc__view_main(const struct sharc_view_page *page);

/* answer.c. Fetch.requestPaused, and a command of ours that was not taken. */
void sharc__view_answer(struct sharc_view *v, const struct sharc_browser_session *s, const struct sharc_node *params);
void sharc__view_not_taken(struct sharc_view *v, uint64_t command);

/* body.c. What the browser gets of a capture. */
struct view_body {
    struct sharc_buf bytes;
    bool decoded; /* content coding was undone */
    bool cut;
    uint64_t from, size; /* of all; from and bytes.n are less for a range */
    int range;           /* 1: a range; -1: none that is there; 0: all */
};
/* range: the value of the header, or none. SHARC_ELIMIT: too large. */
int sharc__view_body(const struct sharc_edition *e, const struct sharc_wish *w, struct sharc_span range,
                     struct sharc_found **ret, struct view_body *ret_body, struct sharc_err *reterr);

/* freeze.c. The script that sets clock and chance, for a capture of that time. */
void sharc__view_freeze(sharc_time when, struct sharc_buf *out);

/* page.c. Evaluate an expression in a world that archived scripts cannot reach, and wait for its promise.
 * The text of its value; it lives until the next call. */
int sharc__view_ask(struct sharc_view *v, const struct sharc_browser_session *s, struct sharc_span frame,
                    const char *expression, sharc_time most, struct sharc_span *ret, struct sharc_err *reterr);

#endif
