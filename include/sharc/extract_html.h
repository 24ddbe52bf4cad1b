/* SPDX-License-Identifier: Apache-2.0
 *
 * HTML as a stream of tokens: the tokenizer of the WHATWG HTML Standard over a
 * page in UTF-8, without a tree. Every token, attribute name and attribute
 * value is a span into the page, so whoever rewrites the page knows the exact
 * bytes to replace, and nothing is copied.
 *
 *   struct sharc_html h;
 *   struct sharc_html_token t;
 *   sharc_html_init(&h, page, SHARC_HTML);
 *   while (sharc_html_next(&h, &t))
 *       if (t.type == SHARC_HTML_START && t.tag == SHARC_TAG_A) …
 *
 * The states that a tree builder would switch (raw text of script, style,
 * title, …; CDATA inside SVG and MathML) are switched here by the tags alone,
 * following the foreign content rules of the standard on a small stack.
 * Concatenated, the raw spans of all tokens are the page, but for what the
 * standard drops: a tag that the end of the page cuts off.
 *
 * Time is linear in the page, memory constant: of one tag the first
 * SHARC_LIMIT_HTML_ATTRIBUTES attributes are kept. A tokenizer belongs to one thread.
 */
#ifndef SHARC_EXTRACT_HTML_H
#define SHARC_EXTRACT_HTML_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_limits.h"

SHARC_PRIVATE_BEGIN

/* --- names -------------------------------------------------------------------- */

/* Names that mean something to us; src/extract/html_names.c is generated from
 * these two lists by tools/make-html-tables. At most 64 bytes, lower case. */
#define SHARC_HTML_TAGS(X)              \
    X(A, "a")                           \
    X(ADDRESS, "address")               \
    X(ANNOTATION_XML, "annotation-xml") \
    X(APPLET, "applet")                 \
    X(AREA, "area")                     \
    X(ARTICLE, "article")               \
    X(ASIDE, "aside")                   \
    X(AUDIO, "audio")                   \
    X(B, "b")                           \
    X(BASE, "base")                     \
    X(BGSOUND, "bgsound")               \
    X(BIG, "big")                       \
    X(BLOCKQUOTE, "blockquote")         \
    X(BODY, "body")                     \
    X(BR, "br")                         \
    X(BUTTON, "button")                 \
    X(CAPTION, "caption")               \
    X(CENTER, "center")                 \
    X(CODE, "code")                     \
    X(COL, "col")                       \
    X(DD, "dd")                         \
    X(DEL, "del")                       \
    X(DESC, "desc")                     \
    X(DETAILS, "details")               \
    X(DIALOG, "dialog")                 \
    X(DIR, "dir")                       \
    X(DIV, "div")                       \
    X(DL, "dl")                         \
    X(DT, "dt")                         \
    X(EM, "em")                         \
    X(EMBED, "embed")                   \
    X(FEIMAGE, "feimage")               \
    X(FIELDSET, "fieldset")             \
    X(FIGCAPTION, "figcaption")         \
    X(FIGURE, "figure")                 \
    X(FONT, "font")                     \
    X(FOOTER, "footer")                 \
    X(FOREIGNOBJECT, "foreignobject")   \
    X(FORM, "form")                     \
    X(FRAME, "frame")                   \
    X(FRAMESET, "frameset")             \
    X(H1, "h1")                         \
    X(H2, "h2")                         \
    X(H3, "h3")                         \
    X(H4, "h4")                         \
    X(H5, "h5")                         \
    X(H6, "h6")                         \
    X(HEAD, "head")                     \
    X(HEADER, "header")                 \
    X(HGROUP, "hgroup")                 \
    X(HR, "hr")                         \
    X(HTML, "html")                     \
    X(I, "i")                           \
    X(IFRAME, "iframe")                 \
    X(IMAGE, "image")                   \
    X(IMG, "img")                       \
    X(INPUT, "input")                   \
    X(INS, "ins")                       \
    X(KEYGEN, "keygen")                 \
    X(LEGEND, "legend")                 \
    X(LI, "li")                         \
    X(LINK, "link")                     \
    X(LISTING, "listing")               \
    X(MAIN, "main")                     \
    X(MATH, "math")                     \
    X(MENU, "menu")                     \
    X(META, "meta")                     \
    X(MI, "mi")                         \
    X(MN, "mn")                         \
    X(MO, "mo")                         \
    X(MS, "ms")                         \
    X(MTEXT, "mtext")                   \
    X(NAV, "nav")                       \
    X(NOBR, "nobr")                     \
    X(NOEMBED, "noembed")               \
    X(NOFRAMES, "noframes")             \
    X(NOSCRIPT, "noscript")             \
    X(OBJECT, "object")                 \
    X(OL, "ol")                         \
    X(OPTGROUP, "optgroup")             \
    X(OPTION, "option")                 \
    X(P, "p")                           \
    X(PARAM, "param")                   \
    X(PICTURE, "picture")               \
    X(PLAINTEXT, "plaintext")           \
    X(PRE, "pre")                       \
    X(Q, "q")                           \
    X(RUBY, "ruby")                     \
    X(S, "s")                           \
    X(SCRIPT, "script")                 \
    X(SEARCH, "search")                 \
    X(SECTION, "section")               \
    X(SELECT, "select")                 \
    X(SMALL, "small")                   \
    X(SOURCE, "source")                 \
    X(SPAN, "span")                     \
    X(STRIKE, "strike")                 \
    X(STRONG, "strong")                 \
    X(STYLE, "style")                   \
    X(SUB, "sub")                       \
    X(SUMMARY, "summary")               \
    X(SUP, "sup")                       \
    X(SVG, "svg")                       \
    X(TABLE, "table")                   \
    X(TBODY, "tbody")                   \
    X(TD, "td")                         \
    X(TEMPLATE, "template")             \
    X(TEXTAREA, "textarea")             \
    X(TFOOT, "tfoot")                   \
    X(TH, "th")                         \
    X(THEAD, "thead")                   \
    X(TIME, "time")                     \
    X(TITLE, "title")                   \
    X(TR, "tr")                         \
    X(TRACK, "track")                   \
    X(TT, "tt")                         \
    X(U, "u")                           \
    X(UL, "ul")                         \
    X(USE, "use")                       \
    X(VAR, "var")                       \
    X(VIDEO, "video")                   \
    X(WBR, "wbr")                       \
    X(XMP, "xmp")

#define SHARC_HTML_ATTRIBUTES(X)                      \
    X(ACTION, "action")                               \
    X(ARCHIVE, "archive")                             \
    X(ARIA_HIDDEN, "aria-hidden")                     \
    X(AS, "as")                                       \
    X(BACKGROUND, "background")                       \
    X(CHARSET, "charset")                             \
    X(CITE, "cite")                                   \
    X(CLASS, "class")                                 \
    X(CODE, "code")                                   \
    X(CODEBASE, "codebase")                           \
    X(COLOR, "color")                                 \
    X(CONTENT, "content")                             \
    X(DATA, "data")                                   \
    X(DATA_BACKGROUND, "data-background")             \
    X(DATA_BACKGROUND_IMAGE, "data-background-image") \
    X(DATA_BG, "data-bg")                             \
    X(DATA_ECHO, "data-echo")                         \
    X(DATA_FLICKITY, "data-flickity-lazyload")        \
    X(DATA_LAZY, "data-lazy")                         \
    X(DATA_LAZY_SRC, "data-lazy-src")                 \
    X(DATA_LAZY_SRCSET, "data-lazy-srcset")           \
    X(DATA_ORIGINAL, "data-original")                 \
    X(DATA_POSTER, "data-poster")                     \
    X(DATA_SRC, "data-src")                           \
    X(DATA_SRCSET, "data-srcset")                     \
    X(DATETIME, "datetime")                           \
    X(ENCODING, "encoding")                           \
    X(FACE, "face")                                   \
    X(FORMACTION, "formaction")                       \
    X(FORMMETHOD, "formmethod")                       \
    X(HIDDEN, "hidden")                               \
    X(HREF, "href")                                   \
    X(HTTP_EQUIV, "http-equiv")                       \
    X(ID, "id")                                       \
    X(IMAGESRCSET, "imagesrcset")                     \
    X(ITEMPROP, "itemprop")                           \
    X(LANG, "lang")                                   \
    X(LONGDESC, "longdesc")                           \
    X(LOWSRC, "lowsrc")                               \
    X(MANIFEST, "manifest")                           \
    X(METHOD, "method")                               \
    X(NAME, "name")                                   \
    X(POSTER, "poster")                               \
    X(PROPERTY, "property")                           \
    X(REL, "rel")                                     \
    X(ROLE, "role")                                   \
    X(SIZE, "size")                                   \
    X(SRC, "src")                                     \
    X(SRCDOC, "srcdoc")                               \
    X(SRCSET, "srcset")                               \
    X(STYLE, "style")                                 \
    X(TYPE, "type")                                   \
    X(VALUE, "value")                                 \
    X(XLINK_HREF, "xlink:href")                       \
    X(XML_LANG, "xml:lang")

enum sharc_html_tag {
    SHARC_TAG_OTHER,
#define X(name, text) SHARC_TAG_##name,
    SHARC_HTML_TAGS(X)
#undef X
        SHARC_TAG_COUNT,
};

enum sharc_html_attr_name {
    SHARC_ATTR_OTHER,
#define X(name, text) SHARC_ATTR_##name,
    SHARC_HTML_ATTRIBUTES(X)
#undef X
        SHARC_ATTR_COUNT,
};

/* --- tokens ------------------------------------------------------------------- */

enum sharc_html_type {
    SHARC_HTML_TEXT,
    SHARC_HTML_START,
    SHARC_HTML_END,
    SHARC_HTML_COMMENT, /* also <!bogus>, </ bogus>, <?instructions> */
    SHARC_HTML_DOCTYPE,
};

/* How the characters of a TEXT token are to be read. */
enum sharc_html_mode {
    SHARC_HTML_DATA,    /* references are decoded */
    SHARC_HTML_RCDATA,  /* title, textarea: references, but no tags */
    SHARC_HTML_RAWTEXT, /* style, xmp, iframe, noembed, noframes: as written */
    SHARC_HTML_SCRIPT,
    SHARC_HTML_PLAINTEXT,
    SHARC_HTML_CDATA, /* body leaves off <![CDATA[ and ]]> */
};

enum sharc_html_dialect {
    SHARC_HTML,
    SHARC_XML, /* no raw text elements, CDATA and <a/> everywhere: XHTML, SVG, sitemaps, feeds */
};

struct sharc_html_attr {
    struct sharc_span name;  /* as written */
    struct sharc_span value; /* as written, without its quotes; .p == NULL: none */
    uint16_t id;             /* enum sharc_html_attr_name */
    char quote;              /* '"', '\'' or 0 */
};

/* Spans point into the page; attrs is valid until the next token. */
struct sharc_html_token {
    enum sharc_html_type type;
    enum sharc_html_mode mode; /* of a TEXT */
    uint16_t tag;              /* enum sharc_html_tag */
    bool self_closing;
    bool foreign;           /* START, END: inside SVG or MathML; every START of SHARC_XML */
    bool attrs_cut;         /* there were more than SHARC_LIMIT_HTML_ATTRIBUTES */
    struct sharc_span raw;  /* all of it: raw.p - page.p is its offset */
    struct sharc_span name; /* of a tag, as written; of a doctype, "html" as written */
    struct sharc_span body; /* text, or what a comment holds */
    const struct sharc_html_attr *attrs;
    unsigned attr_count; /* the first of each name: later ones of the same name are left out */
    uint64_t known;      /* one bit per enum sharc_html_attr_name that is there */
};

/* --- reading ------------------------------------------------------------------ */

#define SHARC_HTML_NESTING 32 /* SVG and MathML islands inside each other that are followed */

/* Private; here so that it can live on a stack. */
struct sharc_html {
    struct sharc_span page;
    size_t at;
    enum sharc_html_dialect dialect;
    enum sharc_html_mode mode;
    uint16_t raw_tag; /* whose end ends the raw text */
    bool subset_seen; /* XML: a doctype with declarations inside */
    unsigned foreign_depth;
    uint8_t foreign[SHARC_HTML_NESTING]; /* see html_foreign.c */
    struct sharc_html_attr attrs[SHARC_LIMIT_HTML_ATTRIBUTES];
    uint32_t seen_round;
    uint32_t seen[2 * SHARC_LIMIT_HTML_ATTRIBUTES]; /* hash set of attribute names, for tags with many */
};

/* The page must outlive h and its tokens. */
void sharc_html_init(struct sharc_html *h, struct sharc_span page, enum sharc_html_dialect dialect);
/* False at the end. */
bool sharc_html_next(struct sharc_html *h, struct sharc_html_token *ret);

/* First attribute of that name, or NULL. */
const struct sharc_html_attr *sharc_html_attr(const struct sharc_html_token *t, enum sharc_html_attr_name id);

/* --- texts and names ---------------------------------------------------------- */

/* Characters as a browser would see them, appended to out: references decoded,
 * CR and CR LF to LF, NUL to U+FFFD. attribute: the rule for attribute values
 * ("&copy=1" stays). Raw modes: only the line ends and NUL. SHARC_ELIMIT. */
int sharc_html_decode(struct sharc_span raw, bool attribute, struct sharc_buf *out);
int sharc_html_decode_raw(struct sharc_span raw, struct sharc_buf *out);

/* A character reference at the start of s ('&' included): its length, with the
 * UTF-8 of one or two characters in out, or 0 when '&' stands for itself. */
#define SHARC_HTML_REFERENCE 8
size_t sharc_html_reference(struct sharc_span s, bool attribute, char out[SHARC_HTML_REFERENCE], size_t *ret_n);

/* "img", or NULL for OTHER. */
const char *sharc_html_tag_text(enum sharc_html_tag tag);
const char *sharc_html_attr_text(enum sharc_html_attr_name id);
/* Any case. */
enum sharc_html_tag sharc_html_tag_of(struct sharc_span name);
/* What a tag is to whoever looks at the page: its own tag, but that of the element which the script of AMP puts in its
 * place, with the same attributes (amp-img: IMG). */
enum sharc_html_tag sharc_html_shown_tag(const struct sharc_html_token *t);
enum sharc_html_attr_name sharc_html_attr_of(struct sharc_span name);

SHARC_PRIVATE_END
#endif
