/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages and style sheets with other links: what replay and the local mirror do
 * to the bytes of a capture before a browser may see them.
 *
 *   struct sharc_rewrite how = {.url = &page_url, .charset = charset, .fn = decide, .arg = me};
 *   r = sharc_rewrite_html(page, &how, &out, &err);
 *
 * Only the bytes of links change, and a few attribute names (below); all others
 * come out as they went in, in the charset they came in. Time is linear in the
 * page; beside the result a copy of the page is held for charsets in which a
 * letter may look like markup (Shift_JIS, Big5, GBK, EUC-KR, ISO-2022-JP,
 * UTF-16). Scripts are not touched.
 */
#ifndef SHARC_REPLAY_H
#define SHARC_REPLAY_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_charset.h"
#include "sharc/extract_html.h"
#include "sharc/url.h"

SHARC_PRIVATE_BEGIN

enum sharc_rewrite_kind {
    SHARC_REWRITE_NAVIGATION, /* a, area, form, cite, longdesc */
    SHARC_REWRITE_EMBED,      /* what the browser loads by itself: src, srcset, poster, data, link, url(), SVG */
    SHARC_REWRITE_REDIRECT,   /* meta refresh */
    SHARC_REWRITE_GUESS,      /* data-src and the like, which a script may turn into an embed */
    SHARC_REWRITE_BASE,       /* base/@href: links in the result are not resolved against it any more, if
                               * fn says "" here and gives full or relative paths elsewhere */
};

/* What the browser takes an embedded thing for. */
enum sharc_rewrite_use {
    SHARC_USE_OTHER, /* films, sounds, fonts, objects, and all that is no embed */
    SHARC_USE_FRAME,
    SHARC_USE_SCRIPT, /* also what an import map names */
    SHARC_USE_STYLE,  /* also @import */
    SHARC_USE_IMAGE,  /* also url() of a style sheet, which may be a font */
};

struct sharc_rewrite_ref {
    enum sharc_rewrite_kind kind;
    enum sharc_rewrite_use use;
    bool in_frame;               /* a navigation whose target is a frame that the page names */
    const struct sharc_url *url; /* http or https; absolute, with its fragment; valid during the call */
    struct sharc_span written;   /* as it stands in the page, references and escapes decoded */
};
/* What shall stand there instead: appended to out (a URL, without quotes or
 * escapes: those are the rewriter's business).
 *   1  as in out, also when nothing was appended
 *   0  leave the bytes as they are */
typedef int sharc_rewrite_fn(void *arg, const struct sharc_rewrite_ref *ref, struct sharc_buf *out);

struct sharc_rewrite {
    const struct sharc_url *url;     /* of the page, after redirects; a base element in it is followed */
    enum sharc_charset charset;      /* of the page: sharc_extract_charset */
    enum sharc_html_dialect dialect; /* HTML; XML for XHTML and SVG */
    sharc_rewrite_fn *fn;
    void *arg;
    /* ASCII markup to put behind <head>, or where a browser would begin one. */
    struct sharc_span head;
    /* It is for every document that a browser makes of the page: also for those in srcdoc attributes, and in XML behind
     * the first start tag (then it must be XML itself). Otherwise nothing is put into these. */
    bool head_in_all;
    /* Where links and forms open ("_top"), but for those that open a new window or a frame that the page names.
     * .p == NULL: where the page says. Not for XML. Links to a part of the same page, which fn does not see, are left
     * alone. */
    struct sharc_span link_target;
};

/* The page with other links, appended to out. fn sees every link that is one
 * (http or https once resolved) and is more than a fragment of the same page, and the
 * addresses in an import map (EMBED).
 * The attributes integrity and crossorigin, and http-equiv with a content
 * security policy, become data-integrity and so on: with them a browser would
 * refuse what comes from elsewhere now. So do referrerpolicy and <meta name=referrer>: a
 * server that answers for many sites needs to know which page asks. SHARC_ELIMIT: out is full. */
int sharc_rewrite_html(struct sharc_span page, const struct sharc_rewrite *how, struct sharc_buf *out,
                       struct sharc_err *reterr);
/* The same of a style sheet: url(), src(), @import, image-set(). dialect and
 * head mean nothing here. */
int sharc_rewrite_css(struct sharc_span css, const struct sharc_rewrite *how, struct sharc_buf *out,
                      struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
