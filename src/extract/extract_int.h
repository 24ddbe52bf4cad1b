/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside room extract: one page being read, and who reads which part of it.
 */
#ifndef SHARC_EXTRACT_INT_H
#define SHARC_EXTRACT_INT_H

#include "sharc/extract.h"
#include "sharc/extract_html.h"

/* A place in the page with everything that was counted before it. */
struct sharc__extract_mark {
    uint32_t at, text; /* in utf8, in text */
    uint32_t links, images, link_text;
};

struct sharc__extract_blocks;

/* A link in the table of those that the page has. */
struct sharc__extract_known_link {
    uint32_t print; /* of URL, place and flags */
    uint32_t index; /* + 1; 0: a free place */
};

enum sharc__extract_gap { GAP_NONE, GAP_SPACE, GAP_LINE }; /* owed to the text before its next word */

/* Also the memory that a sharc_page keeps between uses. */
struct sharc__page_private {
    struct sharc_page *page;
    unsigned want;
    struct sharc_arena arena; /* URLs of links and other small strings */
    struct sharc_buf unpacked, utf8, text, title, leaf;
    struct sharc_buf value, css, script; /* decoded: an attribute, a URL of CSS, of a script */
    size_t link_room, block_room, date_room, entry_room;
    struct sharc__extract_known_link *known; /* open addressing, at most half full */
    size_t known_room;                       /* power of two */
    struct sharc_url base, url;              /* what links are relative to; the one being resolved */
    struct sharc_url_charset *charset;       /* for queries */
    bool has_base;                           /* <base href> was seen */
    enum sharc__extract_gap gap;
    uint32_t link_text; /* bytes of text inside <a href> */
    struct sharc__extract_blocks *blocks;
    struct sharc_html html;
    unsigned depth; /* of frames around it whose page stands in an attribute */
};
/* The page of such a frame. */
int sharc__extract_inner(struct sharc_page *page, const struct sharc_extract_input *in, unsigned depth);

/* Bytes to look for links in. exact: they are the page's own, at `at`; else
 * they were decoded, and all links in them stand at [at, at + n). */
struct sharc__extract_source {
    struct sharc_span bytes;
    size_t at, n;
    bool exact;
};
static inline size_t sharc__extract_source_at(const struct sharc__extract_source *s, size_t at)
{
    return s->exact ? s->at + at : s->at;
}
static inline size_t sharc__extract_source_n(const struct sharc__extract_source *s, size_t n)
{
    return s->exact ? n : s->n;
}

/* --- page.c ------------------------------------------------------------------ */
/* Resolve url (decoded) and keep it; at and n say where it stands. Index of the
 * link, or SHARC_NO_LINK. */
uint32_t sharc__extract_page_link(struct sharc__page_private *x, struct sharc_span url, enum sharc_link_place place,
                                  size_t at, size_t n, unsigned flags);
/* Begin without links. */
void sharc__extract_page_no_links(struct sharc__page_private *x);
struct sharc_entry *sharc__extract_page_entry(struct sharc__page_private *x);
void sharc__extract_page_date(struct sharc__page_private *x, sharc_time when, bool day_only,
                              enum sharc_date_place place, size_t at);
/* Kept with the page; none when there is no room. */
struct sharc_span sharc__extract_page_keep(struct sharc__page_private *x, struct sharc_span s);

/* An attribute's value as a browser sees it: a span into the page, or one that
 * lives until the next call. */
struct sharc_span sharc__extract_page_value(struct sharc__page_private *x, const struct sharc_html_attr *attr);
struct sharc__extract_source sharc__extract_page_source(struct sharc__page_private *x,
                                                        const struct sharc_html_attr *attr);
static inline size_t sharc__extract_page_at(const struct sharc__page_private *x, const char *p)
{
    return (size_t)(p - x->page->utf8.p);
}

/* Without white space around it, that of Unicode and byte order marks too: people paste them. */
struct sharc_span sharc__extract_trim(struct sharc_span s);

/* --- readers, one per type ---------------------------------------------------- */
void sharc__extract_read_html(struct sharc__page_private *x, enum sharc_html_dialect dialect);
void sharc__extract_read_xml(struct sharc__page_private *x); /* page->type says which */
/* What the first element of a page is; UNKNOWN for any other. */
enum sharc_page_type sharc__extract_xml_type(struct sharc__page_private *x);
void sharc__extract_read_css(struct sharc__page_private *x, const struct sharc__extract_source *css,
                             enum sharc_link_place place, unsigned flags);
void sharc__extract_read_script(struct sharc__page_private *x, const struct sharc__extract_source *script,
                                unsigned flags);
void sharc__extract_read_robots_txt(struct sharc__page_private *x);
void sharc__extract_read_url_list(struct sharc__page_private *x);
void sharc__extract_read_pdf(struct sharc__page_private *x);

/* --- html_links.c: what a start tag links to ----------------------------------- */
void sharc__extract_html_links(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags);

/* --- text.c --------------------------------------------------------------------- */
void sharc__extract_text_put(struct sharc__page_private *x, struct sharc_buf *out, struct sharc_span raw,
                             bool references);
static inline void sharc__extract_text_gap(struct sharc__page_private *x, enum sharc__extract_gap gap)
{
    if (gap > x->gap) x->gap = gap;
}
/* What is not UTF-8 becomes '?', byte by byte: offsets stay. */
void sharc__extract_text_mend(struct sharc_buf *text);

/* --- blocks.c -------------------------------------------------------------------- */
struct sharc__extract_blocks *sharc__extract_blocks_new(void);
void sharc__extract_blocks_free(struct sharc__extract_blocks *b);
void sharc__extract_blocks_start(struct sharc__extract_blocks *b);
void sharc__extract_blocks_open(struct sharc__extract_blocks *b, const struct sharc_html_token *t,
                                const struct sharc__extract_mark *mark);
void sharc__extract_blocks_close(struct sharc__extract_blocks *b, const struct sharc_html_token *t,
                                 const struct sharc__extract_mark *mark);
/* Decide, and write them into the page. */
void sharc__extract_blocks_finish(struct sharc__page_private *x, const struct sharc__extract_mark *end);

/* --- dates.c ----------------------------------------------------------------------- */
/* An ISO date or an HTTP date, white space around it ignored. */
bool sharc__extract_date_read(struct sharc_span s, sharc_time *ret, bool *ret_day_only);
void sharc__extract_dates_of_meta(struct sharc__page_private *x, const struct sharc_html_token *t);
void sharc__extract_dates_of_time(struct sharc__page_private *x, const struct sharc_html_token *t);
void sharc__extract_dates_of_json(struct sharc__page_private *x, struct sharc_span json);
void sharc__extract_dates_of_text(struct sharc__page_private *x);
/* The strongest one, into page->modified. */
void sharc__extract_dates_finish(struct sharc_page *page);

#endif
