/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of room chronicle share. Times are whole seconds since 1970.
 */
#ifndef SHARC_CHRONICLE_INT_H
#define SHARC_CHRONICLE_INT_H

#include "sharc/base_arena.h"
#include "sharc/base_map.h"
#include "sharc/chronicle.h"
#include "sharc/store_query.h"

#define SHARC__CHRONICLE_NEVER INT64_MIN

enum sharc__chronicle_event {
    SHARC__CHRONICLE_CREATED,
    SHARC__CHRONICLE_CHANGED,
    SHARC__CHRONICLE_GONE,
    SHARC__CHRONICLE_BACK
};
enum sharc__chronicle_source {
    SHARC__CHRONICLE_LOOK,   /* the look itself: it was there then, since when is not known */
    SHARC__CHRONICLE_MIDDLE, /* the middle between two looks */
    SHARC__CHRONICLE_STATED, /* the server's Last-Modified, between two looks */
};

/* Something that happened to a page after one look and by the next. */
struct sharc__chronicle_row {
    uint32_t page;
    uint8_t event, source;
    int64_t time, after, until; /* after: SHARC__CHRONICLE_NEVER when nobody had looked before */
};

struct sharc__chronicle_page {
    struct sharc_span url; /* as it is written: "/a.html", "//other.example/b" */
    struct sharc_span mime;
    sharc_store_id url_id;
    int64_t created, deleted; /* deleted: SHARC__CHRONICLE_NEVER when there at the end */
    uint64_t size, title_words, text_words, images, tables, outlinks, absences, looks, changes;
    uint32_t id;  /* in the tables: 1, 2, 3, … */
    bool counted; /* title and words are known */
};

struct sharc__chronicle_link {
    uint32_t from, to; /* pages, not ids */
    bool spanning;
};

struct sharc__chronicle {
    struct sharc_arena texts;
    struct sharc_span name, origin; /* of the site: "https://example.org" */
    struct sharc__chronicle_page *pages;
    size_t page_count, page_room;
    uint32_t *order; /* pages by id */
    uint32_t root;   /* page */
    bool root_synthetic;
    struct sharc__chronicle_row *rows;
    size_t row_count, row_room;
    struct sharc__chronicle_link *links;
    size_t link_count, link_room;
    struct sharc_map64 page_of; /* by number of the URL, page + 1 */
    sharc_time first, last;     /* looks */
    sharc_time first_end;       /* end of the first capture */
    uint64_t looks;
};

/* looks.c: pages and events, from all looks of a site. */
int sharc__chronicle_read(struct sharc__chronicle *h, struct sharc_store *store,
                          const struct sharc_chronicle_options *o, struct sharc_err *reterr);
/* graph.c: links and counts of the newest captures; then edges that make all reachable. */
int sharc__chronicle_read_links(struct sharc__chronicle *h, struct sharc_store *store, sharc_store_id site,
                                struct sharc_err *reterr);
void sharc__chronicle_span(struct sharc__chronicle *h);
/* tables.c */
int sharc__chronicle_write(struct sharc__chronicle *h, const char *dir, struct sharc_chronicle_made *ret,
                           struct sharc_err *reterr);

#endif
