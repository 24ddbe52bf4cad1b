/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside room extract: one page being read, and who reads which part of it.
 */
#ifndef SHARC_EXTRACT_INT_H
#define SHARC_EXTRACT_INT_H

#include "sharc/extract.h"
#include "sharc/extract_html.h"

/* A place in the page with everything that was counted before it. */
struct sharc__mark {
    uint32_t at, text; /* in utf8, in text */
    uint32_t links, images, link_text;
};

struct sharc__blocks;

/* A link in the table of those that the page has. */
struct sharc__known_link {
    uint32_t print; /* of URL, place and flags */
    uint32_t index; /* + 1; 0: a free place */
};

enum sharc__gap { GAP_NONE, GAP_SPACE, GAP_LINE }; /* owed to the text before its next word */

/* Also the memory that a sharc_page keeps between uses. */
struct sharc__page_private {
    struct sharc_page *page;
    unsigned want;
    struct sharc_arena arena; /* URLs of links and other small strings */
    struct sharc_buf unpacked, utf8, text, title, leaf;
    struct sharc_buf value, css, script; /* decoded: an attribute, a URL of CSS, of a script */
    size_t link_room, block_room, date_room, entry_room;
    struct sharc__known_link *known;   /* open addressing, at most half full */
    size_t known_room;                 /* power of two */
    struct sharc_url base, url;        /* what links are relative to; the one being resolved */
    struct sharc_url_charset *charset; /* for queries */
    bool has_base;                     /* <base href> was seen */
    enum sharc__gap gap;
    uint32_t link_text; /* bytes of text inside <a href> */
    struct sharc__blocks *blocks;
    struct sharc_html html;
};

/* Bytes to look for links in. exact: they are the page's own, at `at`; else
 * they were decoded, and all links in them stand at [at, at + n). */
struct sharc__source {
    struct sharc_span bytes;
    size_t at, n;
    bool exact;
};
static inline size_t sharc__source_at(const struct sharc__source *s, size_t at)
{
    return s->exact ? s->at + at : s->at;
}
static inline size_t sharc__source_n(const struct sharc__source *s, size_t n)
{
    return s->exact ? n : s->n;
}

/* --- page.c ------------------------------------------------------------------ */
/* Resolve url (decoded) and keep it; at and n say where it stands. Index of the
 * link, or SHARC_NO_LINK. */
uint32_t sharc__page_link(struct sharc__page_private *x, struct sharc_span url, enum sharc_link_place place, size_t at,
                          size_t n, unsigned flags);
/* Begin without links. */
void sharc__page_no_links(struct sharc__page_private *x);
struct sharc_entry *sharc__page_entry(struct sharc__page_private *x);
void sharc__page_date(struct sharc__page_private *x, sharc_time when, bool day_only, enum sharc_date_place place,
                      size_t at);
/* Kept with the page; none when there is no room. */
struct sharc_span sharc__page_keep(struct sharc__page_private *x, struct sharc_span s);

/* An attribute's value as a browser sees it: a span into the page, or one that
 * lives until the next call. */
struct sharc_span sharc__page_value(struct sharc__page_private *x, const struct sharc_html_attr *attr);
struct sharc__source sharc__page_source(struct sharc__page_private *x, const struct sharc_html_attr *attr);
static inline size_t sharc__page_at(const struct sharc__page_private *x, const char *p)
{
    return (size_t)(p - x->page->utf8.p);
}

/* --- readers, one per type ---------------------------------------------------- */
void sharc__read_html(struct sharc__page_private *x, enum sharc_html_dialect dialect);
void sharc__read_xml(struct sharc__page_private *x); /* page->type says which */
/* What the first element of a page is; UNKNOWN for any other. */
enum sharc_page_type sharc__xml_type(struct sharc__page_private *x);
void sharc__read_css(struct sharc__page_private *x, const struct sharc__source *css, enum sharc_link_place place,
                     unsigned flags);
void sharc__read_script(struct sharc__page_private *x, const struct sharc__source *script, unsigned flags);
void sharc__read_robots_txt(struct sharc__page_private *x);
void sharc__read_url_list(struct sharc__page_private *x);
void sharc__read_pdf(struct sharc__page_private *x);

/* --- html_links.c: what a start tag links to ----------------------------------- */
void sharc__html_links(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags);

/* --- text.c --------------------------------------------------------------------- */
void sharc__text_put(struct sharc__page_private *x, struct sharc_buf *out, struct sharc_span raw, bool references);
static inline void sharc__text_gap(struct sharc__page_private *x, enum sharc__gap gap)
{
    if (gap > x->gap) x->gap = gap;
}
/* What is not UTF-8 becomes '?', byte by byte: offsets stay. */
void sharc__text_mend(struct sharc_buf *text);

/* --- blocks.c -------------------------------------------------------------------- */
struct sharc__blocks *sharc__blocks_new(void);
void sharc__blocks_free(struct sharc__blocks *b);
void sharc__blocks_start(struct sharc__blocks *b);
void sharc__blocks_open(struct sharc__blocks *b, const struct sharc_html_token *t, const struct sharc__mark *mark);
void sharc__blocks_close(struct sharc__blocks *b, const struct sharc_html_token *t, const struct sharc__mark *mark);
/* Decide, and write them into the page. */
void sharc__blocks_finish(struct sharc__page_private *x, const struct sharc__mark *end);

/* --- dates.c ----------------------------------------------------------------------- */
/* An ISO date or an HTTP date, white space around it ignored. */
bool sharc__date_read(struct sharc_span s, sharc_time *ret, bool *ret_day_only);
void sharc__dates_of_meta(struct sharc__page_private *x, const struct sharc_html_token *t);
void sharc__dates_of_time(struct sharc__page_private *x, const struct sharc_html_token *t);
void sharc__dates_of_json(struct sharc__page_private *x, struct sharc_span json);
void sharc__dates_of_text(struct sharc__page_private *x);
/* The strongest one, into page->modified. */
void sharc__dates_finish(struct sharc_page *page);

#endif
