/* SPDX-License-Identifier: Apache-2.0
 *
 * The rewriter from the inside: rewrite.c resolves links and puts new ones in
 * place, rewrite_html.c knows where links are in a page, rewrite_use.c what for, rewrite_view.c reads
 * attribute values and charsets without losing the place in the page.
 */
#ifndef SHARC_REPLAY_REWRITE_INT_H
#define SHARC_REPLAY_REWRITE_INT_H

#include "sharc/replay.h"

/* --- rewrite_view.c ------------------------------------------------------- */

/* A copy of the same length in which the second bytes of double-byte letters,
 * which may look like ASCII, are no ASCII. False, and no copy, for charsets
 * that have none of these. */
bool sharc__replay_rewrite_mask(enum sharc_charset charset, struct sharc_span page, struct sharc_buf *out);

/* Bytes with their character references decoded, and the way back. */
struct rewrite_view {
    struct sharc_span bytes;
    struct sharc_buf text; /* what bytes point into when there are references */
    struct view_reference {
        size_t at, end;         /* in bytes */
        size_t raw_at, raw_end; /* in what was read */
    } * references;
    size_t count, room;
};
void sharc__replay_rewrite_view_done(struct rewrite_view *v);
/* references: none are decoded when false. attribute: the rule for attribute
 * values. raw must outlive the view. */
void sharc__replay_rewrite_view_read(struct rewrite_view *v, struct sharc_span raw, bool references, bool attribute);
/* Where the byte at `at` was, and where the bytes before `end` ended. */
size_t sharc__replay_rewrite_view_start(const struct rewrite_view *v, size_t at);
size_t sharc__replay_rewrite_view_end(const struct rewrite_view *v, size_t end);

/* --- rewrite.c ------------------------------------------------------------ */

struct rewriting {
    const struct sharc_rewrite *how;
    struct sharc_span page;   /* as it came */
    struct sharc_span masked; /* what is read: of the same length */
    size_t copied;            /* this many bytes of the page are in out, or replaced */
    struct sharc_buf *out;
    struct sharc_url base, url;
    bool has_base; /* a base element: fragments alone lead elsewhere */
    struct sharc_url_charset *query_charset;
    struct sharc_buf mask, utf8, text, css, link, target;
    struct rewrite_view view;
    unsigned depth; /* of pages inside srcdoc attributes */
    bool in_style, in_import_map;
    bool head_done;
};
void sharc__replay_rewriting_init(struct rewriting *x, struct sharc_span page, const struct sharc_rewrite *how,
                                  struct sharc_buf *out);
void sharc__replay_rewriting_done(struct rewriting *x);

/* How new text is written at a place. */
struct rewrite_context {
    bool markup;    /* references mean something: in attributes, and in text outside raw elements */
    bool attribute; /* markup: the rule for attribute values */
    char quote;     /* of the attribute; 0: none */
    bool whole;     /* all of the attribute's value */
    bool css;
    char css_quote;
    bool css_escaped; /* the old text holds CSS escapes */
    bool json;        /* a string of JSON */
    enum sharc_rewrite_kind kind;
    enum sharc_rewrite_use use;
    bool in_frame;
    struct sharc_span before; /* put in front of the attribute's name, if the link is replaced */
    size_t name_at;           /* where that is */
};
/* Put text in place of n bytes of the page at `at`; places must come in order. */
void sharc__replay_rewrite_splice(struct rewriting *x, size_t at, size_t n, struct sharc_span text);
/* The link in n bytes of the page at `at`: ask, and replace. */
void sharc__replay_rewrite_link(struct rewriting *x, size_t at, size_t n, const struct rewrite_context *c);
/* The links of style text. */
void sharc__replay_rewrite_style(struct rewriting *x, size_t at, size_t n, const struct rewrite_context *c);
/* Bytes of the page as UTF-8; valid until the next call. */
struct sharc_span sharc__replay_rewrite_utf8(struct rewriting *x, struct sharc_span raw);
/* text (UTF-8) as an attribute value or text content. */
void sharc__replay_rewrite_escape(struct rewriting *x, struct sharc_span text, const struct rewrite_context *c,
                                  struct sharc_buf *out);
/* The rest of the page, and the result. */
int sharc__replay_rewrite_finish(struct rewriting *x, struct sharc_err *reterr);

/* --- rewrite_use.c -------------------------------------------------------- */
/* Where a link or form opens: */
enum rewrite_target {
    REWRITE_TARGET_NONE,  /* nothing is said, or what means the same window */
    REWRITE_TARGET_NEW,   /* a new one */
    REWRITE_TARGET_FRAME, /* one that has a name */
};
enum rewrite_target sharc__replay_rewrite_target(const struct sharc_html_token *t);
/* What the attribute of an embed is used for. */
enum sharc_rewrite_use sharc__replay_rewrite_use(const struct sharc_html_token *t);
/* <script type=importmap>: does its text hold addresses? */
bool sharc__replay_rewrite_is_import_map(const struct sharc_html_token *t);
/* The addresses in n bytes of JSON. */
void sharc__replay_rewrite_import_map(struct rewriting *x, size_t at, size_t n);

/* --- rewrite_html.c ------------------------------------------------------- */
void sharc__replay_rewrite_markup(struct rewriting *x);

#endif
