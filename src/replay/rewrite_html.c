/* SPDX-License-Identifier: Apache-2.0
 *
 * Where links are in a page. Attributes are taken in the order in which they
 * stand, so that the page can be copied in one go.
 */
#include "rewrite_int.h"

#include "sharc/extract.h"

enum { DEEPEST_SRCDOC = 2 };

/* --- what an attribute is ------------------------------------------------------ */

enum sort { /* NONE … BASE: a link of that kind */
            SORT_NAVIGATION = SHARC_REWRITE_NAVIGATION,
            SORT_EMBED = SHARC_REWRITE_EMBED,
            SORT_GUESS = SHARC_REWRITE_GUESS,
            SORT_BASE = SHARC_REWRITE_BASE,
            SORT_NONE,
            SORT_SRCSET,
            SORT_GUESS_SRCSET,
            SORT_STYLE,
            SORT_REFRESH,
            SORT_SRCDOC,
            SORT_GUARD, /* would keep the browser from loading what is elsewhere now */
};

static const struct row {
    uint8_t attr, tag; /* tag OTHER: any */
    uint8_t sort;
} rows[] = {
    {SHARC_ATTR_HREF, SHARC_TAG_A, SORT_NAVIGATION},
    {SHARC_ATTR_HREF, SHARC_TAG_AREA, SORT_NAVIGATION},
    {SHARC_ATTR_HREF, SHARC_TAG_LINK, SORT_EMBED},
    {SHARC_ATTR_HREF, SHARC_TAG_BASE, SORT_BASE},
    {SHARC_ATTR_SRC, SHARC_TAG_IMG, SORT_EMBED},
    {SHARC_ATTR_SRC, SHARC_TAG_SCRIPT, SORT_EMBED},
    {SHARC_ATTR_SRC, SHARC_TAG_SOURCE, SORT_EMBED},
    {SHARC_ATTR_SRC, SHARC_TAG_IFRAME, SORT_EMBED},
    {SHARC_ATTR_SRC, SHARC_TAG_FRAME, SORT_EMBED},
    {SHARC_ATTR_SRC, SHARC_TAG_VIDEO, SORT_EMBED},
    {SHARC_ATTR_SRC, SHARC_TAG_AUDIO, SORT_EMBED},
    {SHARC_ATTR_SRC, SHARC_TAG_TRACK, SORT_EMBED},
    {SHARC_ATTR_SRC, SHARC_TAG_EMBED, SORT_EMBED},
    {SHARC_ATTR_SRC, SHARC_TAG_INPUT, SORT_EMBED},
    {SHARC_ATTR_SRC, SHARC_TAG_IMAGE, SORT_EMBED}, /* an <image> outside SVG is an <img> */
    {SHARC_ATTR_SRC, SHARC_TAG_BGSOUND, SORT_EMBED},
    {SHARC_ATTR_SRCSET, SHARC_TAG_IMG, SORT_SRCSET},
    {SHARC_ATTR_SRCSET, SHARC_TAG_SOURCE, SORT_SRCSET},
    {SHARC_ATTR_SRCSET, SHARC_TAG_IMAGE, SORT_SRCSET},
    {SHARC_ATTR_IMAGESRCSET, SHARC_TAG_LINK, SORT_SRCSET},
    {SHARC_ATTR_LOWSRC, SHARC_TAG_IMG, SORT_EMBED},
    {SHARC_ATTR_POSTER, SHARC_TAG_VIDEO, SORT_EMBED},
    {SHARC_ATTR_DATA, SHARC_TAG_OBJECT, SORT_EMBED},
    {SHARC_ATTR_BACKGROUND, SHARC_TAG_OTHER, SORT_EMBED},
    {SHARC_ATTR_MANIFEST, SHARC_TAG_HTML, SORT_EMBED},
    {SHARC_ATTR_ACTION, SHARC_TAG_FORM, SORT_NAVIGATION},
    {SHARC_ATTR_FORMACTION, SHARC_TAG_BUTTON, SORT_NAVIGATION},
    {SHARC_ATTR_FORMACTION, SHARC_TAG_INPUT, SORT_NAVIGATION},
    {SHARC_ATTR_CITE, SHARC_TAG_BLOCKQUOTE, SORT_NAVIGATION},
    {SHARC_ATTR_CITE, SHARC_TAG_Q, SORT_NAVIGATION},
    {SHARC_ATTR_CITE, SHARC_TAG_INS, SORT_NAVIGATION},
    {SHARC_ATTR_CITE, SHARC_TAG_DEL, SORT_NAVIGATION},
    {SHARC_ATTR_LONGDESC, SHARC_TAG_IMG, SORT_NAVIGATION},
    {SHARC_ATTR_LONGDESC, SHARC_TAG_FRAME, SORT_NAVIGATION},
    {SHARC_ATTR_LONGDESC, SHARC_TAG_IFRAME, SORT_NAVIGATION},
    {SHARC_ATTR_DATA_SRC, SHARC_TAG_OTHER, SORT_GUESS},
    {SHARC_ATTR_DATA_LAZY_SRC, SHARC_TAG_OTHER, SORT_GUESS},
    {SHARC_ATTR_DATA_ORIGINAL, SHARC_TAG_OTHER, SORT_GUESS},
    {SHARC_ATTR_DATA_SRCSET, SHARC_TAG_OTHER, SORT_GUESS_SRCSET},
    {SHARC_ATTR_STYLE, SHARC_TAG_OTHER, SORT_STYLE},
    {SHARC_ATTR_CONTENT, SHARC_TAG_META, SORT_REFRESH},
    {SHARC_ATTR_HTTP_EQUIV, SHARC_TAG_META, SORT_GUARD},
    {SHARC_ATTR_NAME, SHARC_TAG_META, SORT_GUARD},
    {SHARC_ATTR_SRCDOC, SHARC_TAG_IFRAME, SORT_SRCDOC},
};

#define BIT(name) ((uint64_t)1 << SHARC_ATTR_##name)
/* Tags with none of these are passed at once. */
#define LINKING                                                                                                       \
    (BIT(ACTION) | BIT(BACKGROUND) | BIT(CITE) | BIT(CONTENT) | BIT(DATA) | BIT(DATA_LAZY_SRC) | BIT(DATA_ORIGINAL) | \
     BIT(DATA_SRC) | BIT(DATA_SRCSET) | BIT(FORMACTION) | BIT(HREF) | BIT(HTTP_EQUIV) | BIT(IMAGESRCSET) |            \
     BIT(LONGDESC) | BIT(LOWSRC) | BIT(MANIFEST) | BIT(POSTER) | BIT(SRC) | BIT(SRCDOC) | BIT(SRCSET) | BIT(STYLE) |  \
     BIT(XLINK_HREF))

static bool is_guard(struct sharc_span name)
{
    static const struct sharc_span guards[] = {SHARC_SPAN("integrity"), SHARC_SPAN("crossorigin"),
                                               SHARC_SPAN("referrerpolicy")};
    for (size_t i = 0; i < SHARC_LENGTH(guards); i++)
        if (sharc_span_ieq(name, guards[i])) return true;
    return false;
}

static enum sort sort_of(const struct sharc_html_token *t, const struct sharc_html_attr *a)
{
    if (a->id == SHARC_ATTR_OTHER) return is_guard(a->name) ? SORT_GUARD : SORT_NONE;
    const enum sharc_html_tag tag = sharc_html_shown_tag(t);
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++)
        if (rows[i].attr == a->id && (rows[i].tag == tag || rows[i].tag == SHARC_TAG_OTHER))
            return (enum sort)rows[i].sort;
    bool svg = t->foreign && (a->id == SHARC_ATTR_HREF || a->id == SHARC_ATTR_XLINK_HREF);
    if (!svg) return SORT_NONE;
    return t->tag == SHARC_TAG_A ? SORT_NAVIGATION : SORT_EMBED;
}

/* --- attributes ------------------------------------------------------------------ */

static size_t place(const struct rewriting *x, struct sharc_span s)
{
    return (size_t)(s.p - x->masked.p);
}

static struct sharc_span decoded(struct rewriting *x, const struct sharc_html_attr *a)
{
    sharc_buf_clear(&x->text);
    if (a) sharc_html_decode(a->value, /* attribute= */ true, &x->text);
    return sharc_span_trim(sharc_buf_span(&x->text));
}

struct candidates {
    struct rewriting *x;
    struct rewrite_context context;
    size_t at;
};

static void put_candidate(void *arg, const struct sharc_extract_ref *ref)
{
    const struct candidates *c = arg;
    size_t from = sharc__replay_rewrite_view_start(&c->x->view, ref->at);
    size_t to = sharc__replay_rewrite_view_end(&c->x->view, ref->at + ref->n);
    if (c->at + from >= c->x->copied) sharc__replay_rewrite_link(c->x, c->at + from, to - from, &c->context);
}

static void put_srcset(struct rewriting *x, const struct sharc_html_attr *a, const struct rewrite_context *c)
{
    struct candidates all = {x, *c, place(x, a->value)};
    sharc__replay_rewrite_view_read(&x->view, a->value, /* references= */ true, /* attribute= */ true);
    sharc_extract_srcset(x->view.bytes, put_candidate, &all);
}

static void put_refresh(struct rewriting *x, const struct sharc_html_token *t, const struct sharc_html_attr *a,
                        const struct rewrite_context *c)
{
    struct sharc_extract_ref ref;
    unsigned seconds;
    if (!sharc_span_ieq(decoded(x, sharc_html_attr(t, SHARC_ATTR_HTTP_EQUIV)), SHARC_SPAN("refresh"))) return;
    sharc__replay_rewrite_view_read(&x->view, a->value, /* references= */ true, /* attribute= */ true);
    if (sharc_extract_refresh(x->view.bytes, &ref, &seconds))
        put_candidate(&(struct candidates){x, *c, place(x, a->value)}, &ref);
}

/* A page inside an attribute. Its own links are resolved as those around it. */
static void put_srcdoc(struct rewriting *x, const struct sharc_html_attr *a, const struct rewrite_context *c)
{
    size_t at = place(x, a->value);
    struct sharc_span raw = sharc__replay_rewrite_utf8(x, sharc_span_sub(x->page, at, at + a->value.n));
    if (x->depth >= DEEPEST_SRCDOC || !raw.n) return;
    SHARC_AUTO(sharc_buf_done)
    struct sharc_buf inner = SHARC_BUF_INIT(2 * raw.n + 16), made = SHARC_BUF_INIT(x->out->max);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf written = SHARC_BUF_INIT(x->out->max);
    sharc_html_decode(raw, /* attribute= */ true, &inner);
    struct sharc_rewrite how = *x->how;
    how.url = &x->base;
    how.charset = SHARC_CHARSET_UTF_8;
    how.dialect = SHARC_HTML;
    if (!how.head_in_all) how.head = SHARC_SPAN_NONE;
    struct rewriting y;
    sharc__replay_rewriting_init(&y, sharc_buf_span(&inner), &how, &made);
    y.depth = x->depth + 1;
    y.has_base = x->has_base;
    sharc__replay_rewrite_markup(&y);
    int r = sharc__replay_rewrite_finish(&y, NULL);
    sharc__replay_rewriting_done(&y);
    if (r < 0 || sharc_span_eq(sharc_buf_span(&inner), sharc_buf_span(&made))) return;
    sharc__replay_rewrite_escape(x, sharc_buf_span(&made), c, &written);
    sharc__replay_rewrite_splice(x, at, a->value.n, sharc_buf_span(&written));
}

/* Of http-equiv only the content security policy stands in the way, of names only one. */
static void put_guard(struct rewriting *x, const struct sharc_html_attr *a)
{
    if (a->id == SHARC_ATTR_HTTP_EQUIV && !sharc_span_ieq(decoded(x, a), SHARC_SPAN("content-security-policy"))) return;
    if (a->id == SHARC_ATTR_NAME && !sharc_span_ieq(decoded(x, a), SHARC_SPAN("referrer"))) return;
    sharc__replay_rewrite_splice(x, place(x, a->name), 0, SHARC_SPAN("data-"));
}

/* The first attribute of a name counts: what is put in front of the link. */
static void set_target(struct rewriting *x, const struct sharc_html_token *t, const struct sharc_html_attr *a,
                       struct rewrite_context *c)
{
    bool opens = t->tag == SHARC_TAG_A || t->tag == SHARC_TAG_AREA || t->tag == SHARC_TAG_FORM;
    enum rewrite_target target = opens ? sharc__replay_rewrite_target(t) : REWRITE_TARGET_NEW;
    c->in_frame = target == REWRITE_TARGET_FRAME;
    if (!x->how->link_target.n || target != REWRITE_TARGET_NONE) return;
    sharc_buf_clear(&x->target);
    sharc_buf_printf(&x->target, "target=\"%.*s\" ", SHARC_SPAN_ARG(x->how->link_target));
    c->before = sharc_buf_span(&x->target);
    c->name_at = place(x, a->name);
}

static void put_attr(struct rewriting *x, const struct sharc_html_token *t, const struct sharc_html_attr *a)
{
    enum sort sort = sort_of(t, a);
    struct rewrite_context c = {.markup = true, .attribute = true, .quote = a->quote};
    if (sort == SORT_GUARD) put_guard(x, a);
    if (x->how->link_target.n && sharc_span_ieq(a->name, SHARC_SPAN("target")) &&
        sharc__replay_rewrite_target(t) == REWRITE_TARGET_NONE)
        sharc__replay_rewrite_splice(x, place(x, a->name), 0, SHARC_SPAN("data-"));
    if (!a->value.n) return;
    switch (sort) {
    case SORT_NAVIGATION:
    case SORT_EMBED:
    case SORT_GUESS:
    case SORT_BASE:
        c.kind = (enum sharc_rewrite_kind)sort;
        c.whole = true;
        if (sort == SORT_EMBED) c.use = sharc__replay_rewrite_use(t);
        if (sort == SORT_NAVIGATION) set_target(x, t, a, &c);
        sharc__replay_rewrite_link(x, place(x, a->value), a->value.n, &c);
        return;
    case SORT_SRCSET:
    case SORT_GUESS_SRCSET:
        c.kind = sort == SORT_SRCSET ? SHARC_REWRITE_EMBED : SHARC_REWRITE_GUESS;
        c.use = SHARC_USE_IMAGE;
        put_srcset(x, a, &c);
        return;
    case SORT_STYLE:
        if (sharc_span_find(a->value, '(', 0) != SHARC_NPOS || sharc_span_find(a->value, '&', 0) != SHARC_NPOS)
            sharc__replay_rewrite_style(x, place(x, a->value), a->value.n, &c);
        return;
    case SORT_REFRESH:
        c.kind = SHARC_REWRITE_REDIRECT;
        put_refresh(x, t, a, &c);
        return;
    case SORT_SRCDOC: put_srcdoc(x, a, &c); return;
    case SORT_GUARD:
    case SORT_NONE: return;
    }
}

/* --- tokens ---------------------------------------------------------------------- */

static bool may_hold(const struct sharc_html_token *t)
{
    return t->known & LINKING || t->tag == SHARC_TAG_SCRIPT || t->tag == SHARC_TAG_LINK;
}

static void put_style_text(struct rewriting *x, const struct sharc_html_token *t)
{
    struct rewrite_context c = {.markup = t->mode == SHARC_HTML_DATA};
    sharc__replay_rewrite_style(x, place(x, t->body), t->body.n, &c);
}

static bool is_blank(struct sharc_span s)
{
    if (sharc_span_starts(s, SHARC_SPAN("\xef\xbb\xbf"))) s = sharc_span_from(s, 3);
    return sharc_span_trim(s).n == 0;
}

/* Before the first token that a browser would not put before <head>; in XML behind the first start tag. */
static void put_head(struct rewriting *x, const struct sharc_html_token *t)
{
    size_t end = place(x, t->raw) + t->raw.n;
    if (t->type == SHARC_HTML_START && (x->how->dialect == SHARC_XML || t->tag == SHARC_TAG_HEAD)) {
        x->head_done = true;
        if (x->how->dialect != SHARC_XML || !t->self_closing) sharc__replay_rewrite_splice(x, end, 0, x->how->head);
        return;
    }
    if (x->how->dialect == SHARC_XML) return;
    if (t->type == SHARC_HTML_DOCTYPE || t->type == SHARC_HTML_COMMENT) return;
    if (t->type == SHARC_HTML_TEXT && is_blank(t->raw)) return;
    if (t->type == SHARC_HTML_START && t->tag == SHARC_TAG_HTML) return;
    x->head_done = true;
    sharc__replay_rewrite_splice(x, place(x, t->raw), 0, x->how->head);
}

static void put_token(struct rewriting *x, const struct sharc_html_token *t)
{
    bool before =
        !x->head_done && x->how->dialect != SHARC_XML && !(t->type == SHARC_HTML_START && t->tag == SHARC_TAG_HEAD);
    if (before) put_head(x, t);
    if (t->type == SHARC_HTML_TEXT && x->in_style) put_style_text(x, t);
    /* With references in it (XHTML) it stays as it is. */
    if (t->type == SHARC_HTML_TEXT && x->in_import_map && t->mode != SHARC_HTML_DATA)
        sharc__replay_rewrite_import_map(x, place(x, t->body), t->body.n);
    if (t->type != SHARC_HTML_TEXT)
        x->in_import_map = t->type == SHARC_HTML_START && sharc__replay_rewrite_is_import_map(t);
    if ((t->type == SHARC_HTML_START || t->type == SHARC_HTML_END) && t->tag == SHARC_TAG_STYLE)
        x->in_style = t->type == SHARC_HTML_START && !(t->foreign && t->self_closing);
    if (t->type == SHARC_HTML_START && may_hold(t))
        for (unsigned i = 0; i < t->attr_count; i++) put_attr(x, t, &t->attrs[i]);
    if (!x->head_done && !before) put_head(x, t);
}

/* The first base element counts, also for links in front of it. */
static void find_base(struct rewriting *x, struct sharc_html *h)
{
    bool possible = false;
    for (size_t at = 0; !possible && (at = sharc_span_find(x->masked, '<', at)) != SHARC_NPOS; at++)
        possible = sharc_span_istarts(sharc_span_from(x->masked, at), SHARC_SPAN("<base"));
    if (!possible) return;
    struct sharc_html_token t;
    sharc_html_init(h, x->masked, x->how->dialect);
    while (sharc_html_next(h, &t)) {
        if (t.type != SHARC_HTML_START || t.tag != SHARC_TAG_BASE || !(t.known & BIT(HREF))) continue;
        struct sharc_span href = decoded(x, sharc_html_attr(&t, SHARC_ATTR_HREF));
        if (sharc_url_parse_charset(&x->url, href, x->how->url, x->query_charset, NULL) < 0) return;
        x->has_base = true;
        sharc_url_copy(&x->base, &x->url);
        return;
    }
}

void sharc__replay_rewrite_markup(struct rewriting *x)
{
    SHARC_AUTO(sharc_freep) struct sharc_html *h = SHARC_NEW(struct sharc_html);
    struct sharc_html_token t;
    find_base(x, h);
    x->head_done = !x->how->head.n || (x->how->dialect == SHARC_XML && !x->how->head_in_all);
    sharc_html_init(h, x->masked, x->how->dialect);
    while (sharc_html_next(h, &t)) put_token(x, &t);
    if (!x->head_done && x->how->dialect != SHARC_XML) sharc__replay_rewrite_splice(x, x->page.n, 0, x->how->head);
}
