/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of an archive, drawn from the numbers of figure.h and assess.h: opened once, then written in any form, on
 * white and on dark, and as a table.
 */
#ifndef SHARC_FIGURE_DRAW_H
#define SHARC_FIGURE_DRAW_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/figure.h"
#include "sharc/paper.h"
#include "sharc/store.h"

SHARC_PRIVATE_BEGIN

/* name, word, what it shows */
#define SHARC_FIGURES(X)                                                                                         \
    X(SCHEDULE, "schedule", "when each page was visited and revisited, and how often it was expected to change") \
    X(GRADES, "grades", "what the pages of a capture prove")                                                     \
    X(DEFECTS, "defects", "what is wrong with pages and dates")                                                  \
    X(AREA, "area", "capture after capture: what stayed, changed, came and went")                                \
    X(PAIR, "pair", "two captures, page by page: size by URL")                                                   \
    X(SPACE, "space", "two captures in three dimensions: type, folder, URL")                                     \
    X(CALENDAR, "calendar", "which pages changed at which captures, alike pages side by side")                   \
    X(GRAPH, "graph", "how the crawl found its pages, and what changed")                                         \
    X(WEEK, "week", "at which hours of the week the site changes")                                               \
    X(SUBSITES, "subsites", "parts of the site that change in a way of their own")                               \
    X(WATCH, "watch", "over the time of a watch: how fresh, complete and coherent the archive was")

enum sharc_figure_drawing {
#define X(name, word, text) SHARC_FIGURE_DRAW_##name,
    SHARC_FIGURES(X)
#undef X
        SHARC_FIGURE_DRAW_COUNT,
};
const char *sharc_figure_draw_word(enum sharc_figure_drawing f);
const char *sharc_figure_draw_text(enum sharc_figure_drawing f);
/* SHARC_ENOENT with a sentence that lists them. */
int sharc_figure_draw_find(struct sharc_span word, enum sharc_figure_drawing *ret, struct sharc_err *reterr);

struct sharc_figure_request {
    enum sharc_figure_drawing figure;
    const sharc_store_id *captures; /* by start, of one site. A figure of one is about the last of them */
    size_t count;
    sharc_store_id
        against; /* of a pair or a graph: the earlier capture. 0: a pair takes the one before, a graph none */
    bool unfold; /* of a graph: draw branches in which nothing changed, too */
};

struct sharc_figure;
int sharc_figure_open(struct sharc_store *s, const struct sharc_figure_request *q, struct sharc_figure **ret,
                      struct sharc_err *reterr);
void sharc_figure_free(struct sharc_figure *f);
void sharc_figure_freep(struct sharc_figure **f);
/* Lives as long as the figure. Its text says in a sentence what is seen, with numbers. */
const struct sharc_picture *sharc_figure_picture(const struct sharc_figure *f);
/* The figure is about nothing: no pair, no rate, no page. Its picture says so. */
bool sharc_figure_is_empty(const struct sharc_figure *f);

/* Every mark of the picture as a row. */
int sharc_figure_csv(const struct sharc_figure *f, struct sharc_buf *out, struct sharc_err *reterr);
/* Of graphs; SHARC_EINVAL for others. GraphML has the shapes and colours of yFiles, GEXF those of Gephi. */
int sharc_figure_graphml(const struct sharc_figure *f, struct sharc_buf *out, struct sharc_err *reterr);
int sharc_figure_gexf(const struct sharc_figure *f, struct sharc_buf *out, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
