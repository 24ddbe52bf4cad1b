/* SPDX-License-Identifier: Apache-2.0
 *
 * What a downloaded thing says: its links, its text, its parts, its dates.
 * HTML, XHTML and SVG, CSS, scripts, sitemaps and their indexes, RSS and Atom,
 * OAI-PMH answers, robots.txt, and the plain links of a PDF.
 *
 *   struct sharc_page page = {0};
 *   r = sharc_extract(&page, &(struct sharc_extract_input){
 *           .body = body, .url = &url, .content_type = type}, &err);
 *   for (size_t i = 0; i < page.link_count; i++) …
 *   sharc_page_done(&page);
 *
 * Nothing here fetches, and nothing fails because a page is bad: whatever can
 * be read is. What a limit left out is marked in `cut`. Time is linear in the
 * body (converted to UTF-8), memory bounded by base_limits.h.
 */
#ifndef SHARC_EXTRACT_H
#define SHARC_EXTRACT_H

#include "sharc/base.h"
#include "sharc/base_arena.h"
#include "sharc/base_buf.h"
#include "sharc/base_charset.h"
#include "sharc/base_clock.h"
#include "sharc/url.h"

SHARC_API_BEGIN

/* --- links --------------------------------------------------------------- */

enum sharc_link_kind {
    SHARC_LINK_NAVIGATION, /* a person would have to follow it */
    SHARC_LINK_EMBED,      /* a browser fetches it to show the page */
    SHARC_LINK_REDIRECT,   /* a browser goes there by itself */
};

/* Where a link was found: name, kind, what logs and metadata records call it. */
#define SHARC_LINK_PLACES(X)                                                                   \
    X(A, NAVIGATION, "a/@href")                                                                \
    X(AREA, NAVIGATION, "area/@href")                                                          \
    X(FORM, NAVIGATION, "form/@action")       /* method GET only */                            \
    X(FORM_BUTTON, NAVIGATION, "@formaction") /* button and input */                           \
    X(CITE, NAVIGATION, "@cite")              /* blockquote, q, ins, del */                    \
    X(LONGDESC, NAVIGATION, "@longdesc")      /* img, frame, iframe */                         \
    X(LINK, NAVIGATION, "link/@href")         /* next, prev, help, license, … */             \
    X(LINK_CANONICAL, NAVIGATION, "link[canonical]/@href")                                     \
    X(LINK_ALTERNATE, NAVIGATION, "link[alternate]/@href") /* languages, feeds */              \
    X(LINK_STYLE, EMBED, "link[stylesheet]/@href")                                             \
    X(LINK_ICON, EMBED, "link[icon]/@href")                                                    \
    X(LINK_PRELOAD, EMBED, "link[preload]/@href") /* also modulepreload */                     \
    X(LINK_MANIFEST, EMBED, "link[manifest]/@href")                                            \
    X(LINK_SRCSET, EMBED, "link/@imagesrcset")                                                 \
    X(IMG, EMBED, "img/@src")                                                                  \
    X(IMG_SRCSET, EMBED, "img/@srcset")                                                        \
    X(IMG_LAZY, EMBED, "img/@data-src") /* loaded by a script: data-src, data-original, … */ \
    X(INPUT_IMAGE, EMBED, "input/@src")                                                        \
    X(SCRIPT, EMBED, "script/@src")                                                            \
    X(FRAME, EMBED, "frame/@src")                                                              \
    X(IFRAME, EMBED, "iframe/@src")                                                            \
    X(OBJECT, EMBED, "object/@data")                                                           \
    X(PARAM, EMBED, "param/@value") /* movie, src, url, filename */                            \
    X(EMBED, EMBED, "embed/@src")                                                              \
    X(APPLET, EMBED, "applet/@code") /* code and archive, from codebase */                     \
    X(VIDEO, EMBED, "video/@src")                                                              \
    X(POSTER, EMBED, "video/@poster")                                                          \
    X(AUDIO, EMBED, "audio/@src") /* also bgsound */                                           \
    X(SOURCE, EMBED, "source/@src")                                                            \
    X(SOURCE_SRCSET, EMBED, "source/@srcset")                                                  \
    X(TRACK, EMBED, "track/@src")                                                              \
    X(BACKGROUND, EMBED, "@background") /* body, table, td, … */                             \
    X(HTML_MANIFEST, EMBED, "html/@manifest")                                                  \
    X(SVG, EMBED, "svg/@href") /* image, use, feImage, script */                               \
    X(META_REFRESH, REDIRECT, "meta[refresh]/@content")                                        \
    X(STYLE_ATTRIBUTE, EMBED, "@style")                                                        \
    X(CSS_URL, EMBED, "css/url()")                                                             \
    X(CSS_IMPORT, EMBED, "css/@import")                                                        \
    X(SCRIPT_TEXT, EMBED, "script/text()") /* speculative */                                   \
    X(SITEMAP, NAVIGATION, "sitemap/url")                                                      \
    X(SITEMAP_INDEX, NAVIGATION, "sitemapindex/sitemap")                                       \
    X(SITEMAP_ALTERNATE, NAVIGATION, "sitemap/link")                                           \
    X(SITEMAP_IMAGE, EMBED, "sitemap/image")                                                   \
    X(FEED, NAVIGATION, "feed/link")                                                           \
    X(FEED_ENCLOSURE, NAVIGATION, "feed/enclosure")                                            \
    X(OAI, NAVIGATION, "oai/identifier") /* dc:identifier and the like that are URLs */        \
    X(ROBOTS_SITEMAP, NAVIGATION, "robots/sitemap")                                            \
    X(PDF, NAVIGATION, "pdf/uri")

enum sharc_link_place {
#define X(name, kind, text) SHARC_FROM_##name,
    SHARC_LINK_PLACES(X)
#undef X
        SHARC_LINK_PLACE_COUNT,
};
const char *sharc_link_place_text(enum sharc_link_place place);
enum sharc_link_kind sharc_link_place_kind(enum sharc_link_place place);

enum sharc_link_flag {
    SHARC_LINK_NOFOLLOW = 1,    /* rel=nofollow on the link itself */
    SHARC_LINK_SPECULATIVE = 2, /* guessed; may not exist */
    SHARC_LINK_LATENT = 4,      /* inside template or noscript */
    SHARC_LINK_REPEATED = 8,    /* a link before it on the page is the same but for where it stands */
};

struct sharc_link {
    struct sharc_span url; /* absolute, http or https, without fragment and credentials */
    uint32_t at, n;        /* the bytes of page.utf8 it was read from */
    uint32_t block;        /* index into blocks, or SHARC_NO_BLOCK */
    uint8_t kind;          /* enum sharc_link_kind */
    uint8_t place;         /* enum sharc_link_place */
    uint8_t flags;         /* enum sharc_link_flag */
};
#define SHARC_NO_BLOCK UINT32_MAX
#define SHARC_NO_LINK UINT32_MAX

/* --- blocks -------------------------------------------------------------- */

/* The visible text is cut into blocks that follow each other: every byte of it
 * lies in exactly one. A block inside another one (a navigation in a header)
 * interrupts it; what follows is a block of the outer role again. */
enum sharc_block_role {
    SHARC_BLOCK_OTHER,
    SHARC_BLOCK_HEADER,
    SHARC_BLOCK_NAVIGATION,
    SHARC_BLOCK_MAIN,
    SHARC_BLOCK_SIDE,
    SHARC_BLOCK_FOOTER,
};
const char *sharc_block_role_text(enum sharc_block_role role);

struct sharc_block {
    uint8_t role;             /* enum sharc_block_role */
    uint32_t at, n;           /* bytes of page.utf8 */
    uint32_t text_at, text_n; /* bytes of page.text */
    uint32_t links, images;   /* counted as in sharc_page */
};

/* --- dates --------------------------------------------------------------- */

enum sharc_date_place {
    SHARC_DATE_META_MODIFIED,  /* article:modified_time, last-modified, dcterms.modified, … */
    SHARC_DATE_DATA_MODIFIED,  /* "dateModified" in JSON-LD, itemprop=dateModified */
    SHARC_DATE_TEXT_MODIFIED,  /* "Last modified: 3 May 2009" in the visible text */
    SHARC_DATE_META_PUBLISHED, /* article:published_time, dcterms.created, … */
    SHARC_DATE_DATA_PUBLISHED, /* "datePublished" */
    SHARC_DATE_TIME,           /* <time datetime> of which nothing more is known */
};

struct sharc_page_date {
    sharc_time when;
    uint32_t at;   /* in page.utf8; for TEXT_MODIFIED in page.text */
    uint8_t place; /* enum sharc_date_place */
    bool day_only; /* no time of day was given: `when` is 0:00 UTC */
};

/* --- entries of sitemaps, feeds, OAI-PMH --------------------------------- */

struct sharc_entry {
    uint32_t link;        /* index into links, or SHARC_NO_LINK */
    struct sharc_span id; /* OAI identifier, Atom id, RSS guid; may be none */
    struct sharc_span title;
    sharc_time modified;  /* lastmod, updated, datestamp; or SHARC_TIME_NONE */
    sharc_time published; /* pubDate, published; or SHARC_TIME_NONE */
    float priority;       /* of a sitemap; -1: none */
    char frequency;       /* changefreq: a(lways) h d w m y n(ever); 0: none */
    bool deleted;         /* OAI: status="deleted" */
};

/* --- the result ---------------------------------------------------------- */

enum sharc_page_type {
    SHARC_PAGE_UNKNOWN, /* nothing was read from it */
    SHARC_PAGE_HTML,    /* also XHTML */
    SHARC_PAGE_SVG,
    SHARC_PAGE_CSS,
    SHARC_PAGE_SCRIPT, /* JavaScript and JSON */
    SHARC_PAGE_SITEMAP,
    SHARC_PAGE_SITEMAP_INDEX,
    SHARC_PAGE_FEED, /* RSS and Atom */
    SHARC_PAGE_OAI,
    SHARC_PAGE_ROBOTS,
    SHARC_PAGE_PDF,
    SHARC_PAGE_TEXT, /* text/plain; a list of URLs when it is a sitemap */
};

enum sharc_charset_from {
    SHARC_CHARSET_FROM_BOM,
    SHARC_CHARSET_FROM_HTTP,
    SHARC_CHARSET_FROM_META, /* meta, XML declaration, @charset */
    SHARC_CHARSET_FROM_BYTES,
};

enum sharc_page_robots { SHARC_ROBOTS_NOINDEX = 1, SHARC_ROBOTS_NOFOLLOW = 2, SHARC_ROBOTS_NOARCHIVE = 4 };

enum sharc_page_cut { /* what a limit left out */
                      SHARC_CUT_BYTES = 1,
                      SHARC_CUT_LINKS = 2,
                      SHARC_CUT_TEXT = 4,
                      SHARC_CUT_BLOCKS = 8,
                      SHARC_CUT_DATES = 16,
                      SHARC_CUT_ATTRIBUTES = 32,
                      SHARC_CUT_DAMAGED = 64, /* packed input was broken: read as far as it went */
};

/* What is cut so may embed what nobody has read. */
#define SHARC_CUT_PARTS (SHARC_CUT_BYTES | SHARC_CUT_LINKS | SHARC_CUT_ATTRIBUTES | SHARC_CUT_DAMAGED)

/* Zeroed storage is initialised storage; used again, it keeps its memory. All
 * spans live until the next use, utf8 also not longer than the input. */
struct sharc_page {
    enum sharc_page_type type;
    enum sharc_charset charset;
    enum sharc_charset_from charset_from;
    unsigned cut;           /* enum sharc_page_cut */
    struct sharc_span utf8; /* what offsets point into: the body, or its conversion */

    struct sharc_link *links; /* in page order, repeated ones too */
    size_t link_count;
    size_t other_schemes; /* links with mailto:, tel:, ftp:, … */
    size_t bad_links;     /* not a URL at all */

    struct sharc_span title; /* white space folded; none when there is none */
    struct sharc_span lang;  /* of the html element */
    struct sharc_span base;  /* what links are relative to */
    uint32_t canonical;      /* index into links, or SHARC_NO_LINK */
    uint32_t refresh;        /* the same for meta refresh */
    unsigned refresh_seconds;
    unsigned robots; /* enum sharc_page_robots */

    struct sharc_span text; /* visible; runs of white space are one space, or one \n at a border of blocks */
    uint32_t images, tables, forms, scripts, anchors; /* elements; anchors: a with href */
    struct sharc_block *blocks;
    size_t block_count;
    struct sharc_page_date *dates; /* in page order */
    size_t date_count;
    sharc_time modified; /* the best stated date of modification, or SHARC_TIME_NONE */

    struct sharc_entry *entries;
    size_t entry_count;
    struct sharc_span resumption; /* OAI resumptionToken, or none */

    struct sharc__page_private *private_;
};
void sharc_page_done(struct sharc_page *page);

enum sharc_extract_want {
    SHARC_WANT_LINKS = 1,
    SHARC_WANT_TEXT = 2,
    SHARC_WANT_BLOCKS = 4,   /* implies text */
    SHARC_WANT_DATES = 8,    /* implies text */
    SHARC_WANT_GUESSES = 16, /* speculative links too */
    SHARC_WANT_ALL = 31,
};

struct sharc_extract_input {
    struct sharc_span body;         /* content codings undone */
    const struct sharc_url *url;    /* where it came from, after redirects */
    struct sharc_span content_type; /* the HTTP field's value; may be none */
    unsigned want;                  /* enum sharc_extract_want; 0: all */
};

/* Read the body by what its Content-Type and its first bytes say. A gzip body
 * (sitemap.xml.gz) is unpacked. 0, or SHARC_EINVAL when url has no http scheme. */
int sharc_extract(struct sharc_page *page, const struct sharc_extract_input *in, struct sharc_err *reterr);

/* Is a body of that media type ("text/html", any case; none: unknown) worth giving to
 * sharc_extract? Pictures, sounds, films, fonts and programs are not; what is no type, or says nothing, is. */
bool sharc_extract_is_worth(struct sharc_span type);

/* "noindex, nofollow" of <meta name=robots> or X-Robots-Tag: enum
 * sharc_page_robots. Parts for a named robot ("otherbot: noindex") count only
 * when the robot is `agent` ("sharc"); pass none to skip them all. */
unsigned sharc_extract_robots(struct sharc_span value, struct sharc_span agent);

/* The charset of a page by the standard's order: byte order mark, HTTP, the
 * first 1024 bytes of an HTML or XML page, else a guess. ret_from may be NULL. */
enum sharc_charset sharc_extract_charset(struct sharc_span body, struct sharc_span content_type,
                                         enum sharc_charset_from *ret_from);

/* --- parts of it for those who rewrite ------------------------------------ */

/* One URL as it stands in a style sheet, a srcset or a meta refresh: the bytes
 * to replace, without quotes. */
struct sharc_extract_ref {
    size_t at, n;
    bool import;  /* CSS: from @import */
    bool escaped; /* CSS: holds escapes; decode with sharc_extract_css_decode */
    char quote;   /* '"', '\'' or 0 */
};
typedef void sharc_extract_ref_fn(void *arg, const struct sharc_extract_ref *ref);
/* url(), src(), @import and the strings of image-set() in a style sheet or a
 * style attribute. Comments and strings are skipped as CSS says. */
void sharc_extract_css(struct sharc_span css, sharc_extract_ref_fn *fn, void *arg);
int sharc_extract_css_decode(struct sharc_span raw, struct sharc_buf *out);
/* The candidates of a srcset attribute (decoded). */
void sharc_extract_srcset(struct sharc_span value, sharc_extract_ref_fn *fn, void *arg);
/* "5; url=next.html" (decoded): false when no URL is in it. */
bool sharc_extract_refresh(struct sharc_span value, struct sharc_extract_ref *ret, unsigned *ret_seconds);
/* String literals of a script that look like URLs. `escaped`: JSON and
 * JavaScript escapes, decode with sharc_extract_script_decode. */
void sharc_extract_script(struct sharc_span script, sharc_extract_ref_fn *fn, void *arg);
int sharc_extract_script_decode(struct sharc_span raw, struct sharc_buf *out);

SHARC_API_END
#endif
