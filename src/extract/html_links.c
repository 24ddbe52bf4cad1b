/* SPDX-License-Identifier: Apache-2.0
 *
 * What a start tag links to. Most tags are rows of a table (tag, attribute,
 * place); those whose meaning depends on other attributes have a function.
 */
#include "extract_int.h"

#include "sharc/base_limits.h"

enum { SRCDOC_NESTING = 3 }; /* frames inside frames that are read; each costs a pass over what is in it */

static struct sharc_span value_of(struct sharc__page_private *x, const struct sharc_html_token *t,
                                  enum sharc_html_attr_name name)
{
    return sharc__extract_page_value(x, sharc_html_attr(t, name));
}

static uint32_t link_attr(struct sharc__page_private *x, const struct sharc_html_token *t,
                          enum sharc_html_attr_name name, enum sharc_link_place place, unsigned flags)
{
    const struct sharc_html_attr *attr = sharc_html_attr(t, name);
    if (!attr || !attr->value.n) return SHARC_NO_LINK;
    return sharc__extract_page_link(x, sharc__extract_page_value(x, attr), place,
                                    sharc__extract_page_at(x, attr->value.p), attr->value.n, flags);
}

/* Is word one of the words of a space-separated list? */
static bool has_word(struct sharc_span list, struct sharc_span word)
{
    struct sharc_span piece;
    while (list.n) {
        list = sharc_span_trim(list);
        size_t n = 0;
        while (n < list.n && !sharc_is_space(list.p[n])) n++;
        piece = sharc_span_sub(list, 0, n);
        if (sharc_span_ieq(piece, word)) return true;
        list = sharc_span_from(list, n);
    }
    return false;
}

/* --- srcset ------------------------------------------------------------------- */

struct candidates {
    struct sharc__page_private *x;
    struct sharc__extract_source source;
    enum sharc_link_place place;
    unsigned flags;
};

static void add_candidate(void *arg, const struct sharc_extract_ref *ref)
{
    const struct candidates *c = arg;
    sharc__extract_page_link(c->x, sharc_span_sub(c->source.bytes, ref->at, ref->at + ref->n), c->place,
                             sharc__extract_source_at(&c->source, ref->at), sharc__extract_source_n(&c->source, ref->n),
                             c->flags);
}

static void link_srcset(struct sharc__page_private *x, const struct sharc_html_token *t, enum sharc_html_attr_name name,
                        enum sharc_link_place place, unsigned flags)
{
    if (!(t->known >> name & 1)) return;
    struct candidates c = {x, sharc__extract_page_source(x, sharc_html_attr(t, name)), place, flags};
    sharc_extract_srcset(c.source.bytes, add_candidate, &c);
}

/* --- tags whose attributes decide ------------------------------------------------ */

static unsigned nofollow_of(struct sharc__page_private *x, const struct sharc_html_token *t)
{
    return t->known >> SHARC_ATTR_REL & 1 && has_word(value_of(x, t, SHARC_ATTR_REL), SHARC_SPAN("nofollow"))
               ? SHARC_LINK_NOFOLLOW
               : 0;
}

static void link_anchor(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    enum sharc_link_place place = t->tag == SHARC_TAG_AREA ? SHARC_FROM_AREA : SHARC_FROM_A;
    if (t->tag == SHARC_TAG_A && t->known >> SHARC_ATTR_HREF & 1) x->page->anchors++;
    flags |= nofollow_of(x, t);
    link_attr(x, t, SHARC_ATTR_HREF, place, flags);
    if (t->foreign) link_attr(x, t, SHARC_ATTR_XLINK_HREF, place, flags);
}

/* rel words in the order in which they decide; the first hit wins. */
static const struct {
    struct sharc_span word;
    int place; /* -1: nothing that a crawler would fetch */
} rels[] = {
    {SHARC_SPAN("stylesheet"), SHARC_FROM_LINK_STYLE},
    {SHARC_SPAN("icon"), SHARC_FROM_LINK_ICON},
    {SHARC_SPAN("apple-touch-icon"), SHARC_FROM_LINK_ICON},
    {SHARC_SPAN("apple-touch-icon-precomposed"), SHARC_FROM_LINK_ICON},
    {SHARC_SPAN("mask-icon"), SHARC_FROM_LINK_ICON},
    {SHARC_SPAN("fluid-icon"), SHARC_FROM_LINK_ICON},
    {SHARC_SPAN("image_src"), SHARC_FROM_LINK_ICON},
    {SHARC_SPAN("preload"), SHARC_FROM_LINK_PRELOAD},
    {SHARC_SPAN("modulepreload"), SHARC_FROM_LINK_PRELOAD},
    {SHARC_SPAN("manifest"), SHARC_FROM_LINK_MANIFEST},
    {SHARC_SPAN("canonical"), SHARC_FROM_LINK_CANONICAL},
    {SHARC_SPAN("alternate"), SHARC_FROM_LINK_ALTERNATE},
    {SHARC_SPAN("dns-prefetch"), -1},
    {SHARC_SPAN("preconnect"), -1},
    {SHARC_SPAN("pingback"), -1},
    {SHARC_SPAN("profile"), -1},
    {SHARC_SPAN("edituri"), -1},
    {SHARC_SPAN("wlwmanifest"), -1},
};

static void link_link(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    struct sharc_span rel = value_of(x, t, SHARC_ATTR_REL);
    int place = SHARC_FROM_LINK;
    for (size_t i = 0; i < SHARC_LENGTH(rels); i++) {
        if (!has_word(rel, rels[i].word)) continue;
        place = rels[i].place;
        break;
    }
    if (place < 0 || !rel.n) return;
    flags |= nofollow_of(x, t);
    uint32_t index = link_attr(x, t, SHARC_ATTR_HREF, (enum sharc_link_place)place, flags);
    if (place == SHARC_FROM_LINK_CANONICAL && x->page->canonical == SHARC_NO_LINK) x->page->canonical = index;
    link_srcset(x, t, SHARC_ATTR_IMAGESRCSET, SHARC_FROM_LINK_SRCSET, flags);
}

static bool is_get(struct sharc__page_private *x, const struct sharc_html_token *t, enum sharc_html_attr_name method)
{
    struct sharc_span v = value_of(x, t, method);
    return !sharc_span_ieq(v, SHARC_SPAN("post")) && !sharc_span_ieq(v, SHARC_SPAN("dialog"));
}

static void link_form(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    x->page->forms++;
    if (is_get(x, t, SHARC_ATTR_METHOD)) link_attr(x, t, SHARC_ATTR_ACTION, SHARC_FROM_FORM, flags);
}

static void link_button(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    if (t->tag == SHARC_TAG_INPUT && sharc_span_ieq(value_of(x, t, SHARC_ATTR_TYPE), SHARC_SPAN("image")))
        link_attr(x, t, SHARC_ATTR_SRC, SHARC_FROM_INPUT_IMAGE, flags);
    if (is_get(x, t, SHARC_ATTR_FORMMETHOD)) link_attr(x, t, SHARC_ATTR_FORMACTION, SHARC_FROM_FORM_BUTTON, flags);
}

/* --- images that a script loads later ------------------------------------------------ */

/* What scripts for lazy loading take for an address; "true", JSON and templates are none. */
static bool looks_like_address(struct sharc_span s)
{
    s = sharc_span_trim(s);
    if (s.n < 3 || strchr("{[<", s.p[0]) || sharc_span_search(s, SHARC_SPAN("{{")) != SHARC_NPOS) return false;
    if (sharc_span_find(s, '.', 0) == SHARC_NPOS && sharc_span_find(s, '/', 0) == SHARC_NPOS) return false;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '\n' || s.p[i] == '<' || s.p[i] == '>') return false;
    return true;
}

static void link_lazy(struct sharc__page_private *x, const struct sharc_html_token *t, enum sharc_html_attr_name name,
                      enum sharc_link_place place, unsigned flags)
{
    if (t->known >> name & 1 && looks_like_address(value_of(x, t, name))) link_attr(x, t, name, place, flags);
}

/* Names of theirs that are too rare for the table of names. */
static void link_rare_lazy(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    static const struct sharc_span names[] = {SHARC_SPAN("data-orig-src"), SHARC_SPAN("data-lazyload"),
                                              SHARC_SPAN("data-img-src"), SHARC_SPAN("data-defer-src"),
                                              SHARC_SPAN("data-original-src")};
    for (unsigned i = 0; i < t->attr_count; i++) {
        const struct sharc_html_attr *attr = &t->attrs[i];
        if (attr->id != SHARC_ATTR_OTHER || !sharc_span_istarts(attr->name, SHARC_SPAN("data-"))) continue;
        for (size_t n = 0; n < SHARC_LENGTH(names); n++) {
            if (!sharc_span_ieq(attr->name, names[n])) continue;
            struct sharc_span value = sharc__extract_page_value(x, attr);
            if (looks_like_address(value))
                sharc__extract_page_link(x, value, SHARC_FROM_IMG_LAZY, sharc__extract_page_at(x, attr->value.p),
                                         attr->value.n, flags);
        }
    }
}

/* The scripts' names for src and srcset. Whoever looks at the page sees these images. */
static void link_lazy_image(struct sharc__page_private *x, const struct sharc_html_token *t,
                            enum sharc_link_place srcset, unsigned flags)
{
    static const uint8_t names[] = {SHARC_ATTR_DATA_SRC,  SHARC_ATTR_DATA_LAZY_SRC, SHARC_ATTR_DATA_ORIGINAL,
                                    SHARC_ATTR_DATA_LAZY, SHARC_ATTR_DATA_ECHO,     SHARC_ATTR_DATA_FLICKITY};
    for (size_t i = 0; i < SHARC_LENGTH(names); i++)
        link_lazy(x, t, (enum sharc_html_attr_name)names[i], SHARC_FROM_IMG_LAZY, flags);
    link_rare_lazy(x, t, flags);
    link_srcset(x, t, SHARC_ATTR_DATA_SRCSET, srcset, flags);
    link_srcset(x, t, SHARC_ATTR_DATA_LAZY_SRCSET, srcset, flags);
}

/* Backgrounds: an address, or CSS with url(). */
static void link_lazy_background(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    static const uint8_t names[] = {SHARC_ATTR_DATA_BG, SHARC_ATTR_DATA_BACKGROUND, SHARC_ATTR_DATA_BACKGROUND_IMAGE};
    for (size_t i = 0; i < SHARC_LENGTH(names); i++) {
        enum sharc_html_attr_name name = (enum sharc_html_attr_name)names[i];
        if (!(t->known >> name & 1)) continue;
        struct sharc__extract_source source = sharc__extract_page_source(x, sharc_html_attr(t, name));
        if (sharc_span_search(source.bytes, SHARC_SPAN("url(")) != SHARC_NPOS)
            sharc__extract_read_css(x, &source, SHARC_FROM_STYLE_ATTRIBUTE, flags);
        else
            link_lazy(x, t, name, SHARC_FROM_BACKGROUND, flags);
    }
}

static void link_image(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    enum sharc_link_place srcset = t->tag == SHARC_TAG_SOURCE ? SHARC_FROM_SOURCE_SRCSET : SHARC_FROM_IMG_SRCSET;
    if (t->tag != SHARC_TAG_SOURCE) x->page->images++;
    link_attr(x, t, SHARC_ATTR_SRC, t->tag == SHARC_TAG_SOURCE ? SHARC_FROM_SOURCE : SHARC_FROM_IMG, flags);
    link_srcset(x, t, SHARC_ATTR_SRCSET, srcset, flags);
    link_attr(x, t, SHARC_ATTR_LOWSRC, SHARC_FROM_IMG, flags);
    link_attr(x, t, SHARC_ATTR_LONGDESC, SHARC_FROM_LONGDESC, flags);
    link_lazy_image(x, t, srcset, flags);
}

static void link_refresh(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    struct sharc__extract_source content = sharc__extract_page_source(x, sharc_html_attr(t, SHARC_ATTR_CONTENT));
    struct sharc_extract_ref ref;
    unsigned seconds;
    if (!sharc_extract_refresh(content.bytes, &ref, &seconds)) return;
    uint32_t index = sharc__extract_page_link(x, sharc_span_sub(content.bytes, ref.at, ref.at + ref.n),
                                              SHARC_FROM_META_REFRESH, sharc__extract_source_at(&content, ref.at),
                                              sharc__extract_source_n(&content, ref.n), flags);
    if (index == SHARC_NO_LINK || x->page->refresh != SHARC_NO_LINK) return;
    x->page->refresh = index;
    x->page->refresh_seconds = seconds;
}

static void link_param(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    struct sharc_span name = value_of(x, t, SHARC_ATTR_NAME);
    if (sharc_span_ieq(name, SHARC_SPAN("movie")) || sharc_span_ieq(name, SHARC_SPAN("src")) ||
        sharc_span_ieq(name, SHARC_SPAN("url")) || sharc_span_ieq(name, SHARC_SPAN("filename")))
        link_attr(x, t, SHARC_ATTR_VALUE, SHARC_FROM_PARAM, flags);
}

/* Resolve what follows against the codebase attribute, if there is one. */
static bool enter_codebase(struct sharc__page_private *x, const struct sharc_html_token *t, struct sharc_url *outer)
{
    struct sharc_span codebase = value_of(x, t, SHARC_ATTR_CODEBASE);
    if (!codebase.n || sharc_url_parse_charset(&x->url, codebase, &x->base, x->charset, NULL) < 0) return false;
    *outer = x->base;
    x->base = x->url;
    x->url = (struct sharc_url)SHARC_URL_INIT;
    return true;
}

static void link_plugin(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    struct sharc_url outer;
    bool entered = enter_codebase(x, t, &outer);
    if (t->tag == SHARC_TAG_OBJECT) {
        link_attr(x, t, SHARC_ATTR_DATA, SHARC_FROM_OBJECT, flags);
    } else {
        link_attr(x, t, SHARC_ATTR_CODE, SHARC_FROM_APPLET, flags);
        link_attr(x, t, SHARC_ATTR_ARCHIVE, SHARC_FROM_APPLET, flags);
    }
    if (!entered) return;
    sharc_url_done(&x->base);
    x->base = outer;
}

static void link_svg(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    if (t->tag == SHARC_TAG_IMAGE) x->page->images++;
    link_attr(x, t, SHARC_ATTR_HREF, SHARC_FROM_SVG, flags);
    link_attr(x, t, SHARC_ATTR_XLINK_HREF, SHARC_FROM_SVG, flags);
}

/* fill="url(other.svg#a)": what paints a shape may lie in another file. */
static void link_paint(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    static const struct sharc_span names[] = {SHARC_SPAN("fill"),         SHARC_SPAN("stroke"),
                                              SHARC_SPAN("filter"),       SHARC_SPAN("mask"),
                                              SHARC_SPAN("clip-path"),    SHARC_SPAN("marker"),
                                              SHARC_SPAN("marker-start"), SHARC_SPAN("marker-mid"),
                                              SHARC_SPAN("marker-end"),   SHARC_SPAN("cursor")};
    for (unsigned i = 0; i < t->attr_count; i++) {
        const struct sharc_html_attr *attr = &t->attrs[i];
        if (attr->id != SHARC_ATTR_OTHER || sharc_span_find(attr->value, '(', 0) == SHARC_NPOS) continue;
        for (size_t n = 0; n < SHARC_LENGTH(names); n++) {
            if (!sharc_span_ieq(attr->name, names[n])) continue;
            struct sharc__extract_source source = sharc__extract_page_source(x, attr);
            sharc__extract_read_css(x, &source, SHARC_FROM_SVG, flags);
        }
    }
}

/* --- frames whose page stands in an attribute ---------------------------------------- */

/* What it links to is relative to the page around it. */
static void link_inner(struct sharc__page_private *x, const struct sharc_html_attr *attr, unsigned flags)
{
    SHARC_AUTO(sharc_page_done) struct sharc_page inner = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf html = SHARC_BUF_INIT(SHARC_LIMIT_PAGE_BYTES);
    sharc_html_decode(attr->value, /* attribute= */ true, &html);
    const struct sharc_extract_input in = {.body = sharc_buf_span(&html),
                                           .url = &x->base,
                                           .content_type = SHARC_SPAN("text/html; charset=utf-8"),
                                           .want = x->want & (SHARC_WANT_LINKS | SHARC_WANT_GUESSES)};
    if (!in.want || sharc__extract_inner(&inner, &in, x->depth + 1) < 0) return;
    x->page->cut |= inner.cut;
    for (size_t i = 0; i < inner.link_count; i++) {
        const struct sharc_link *l = &inner.links[i];
        sharc__extract_page_link(x, l->url, (enum sharc_link_place)l->place, sharc__extract_page_at(x, attr->value.p),
                                 attr->value.n, flags | (l->flags & (unsigned)~SHARC_LINK_REPEATED));
    }
}

static void link_srcdoc(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    for (unsigned i = 0; i < t->attr_count; i++)
        if (sharc_span_ieq(t->attrs[i].name, SHARC_SPAN("srcdoc")) && t->attrs[i].value.n) {
            if (x->depth < SRCDOC_NESTING)
                link_inner(x, &t->attrs[i], flags);
            else
                x->page->cut |= SHARC_CUT_LINKS;
            return;
        }
}

/* --- the table -------------------------------------------------------------------- */

static const struct row {
    uint8_t tag, attr, place;
} rows[] = {
    {SHARC_TAG_SCRIPT, SHARC_ATTR_SRC, SHARC_FROM_SCRIPT},
    {SHARC_TAG_FRAME, SHARC_ATTR_SRC, SHARC_FROM_FRAME},
    {SHARC_TAG_FRAME, SHARC_ATTR_LONGDESC, SHARC_FROM_LONGDESC},
    {SHARC_TAG_IFRAME, SHARC_ATTR_SRC, SHARC_FROM_IFRAME},
    {SHARC_TAG_IFRAME, SHARC_ATTR_LONGDESC, SHARC_FROM_LONGDESC},
    {SHARC_TAG_EMBED, SHARC_ATTR_SRC, SHARC_FROM_EMBED},
    {SHARC_TAG_VIDEO, SHARC_ATTR_SRC, SHARC_FROM_VIDEO},
    {SHARC_TAG_VIDEO, SHARC_ATTR_POSTER, SHARC_FROM_POSTER},
    {SHARC_TAG_VIDEO, SHARC_ATTR_DATA_SRC, SHARC_FROM_VIDEO},
    {SHARC_TAG_VIDEO, SHARC_ATTR_DATA_POSTER, SHARC_FROM_POSTER},
    {SHARC_TAG_IFRAME, SHARC_ATTR_DATA_SRC, SHARC_FROM_IFRAME},
    {SHARC_TAG_AUDIO, SHARC_ATTR_SRC, SHARC_FROM_AUDIO},
    {SHARC_TAG_BGSOUND, SHARC_ATTR_SRC, SHARC_FROM_AUDIO},
    {SHARC_TAG_TRACK, SHARC_ATTR_SRC, SHARC_FROM_TRACK},
    {SHARC_TAG_HTML, SHARC_ATTR_MANIFEST, SHARC_FROM_HTML_MANIFEST},
    {SHARC_TAG_BLOCKQUOTE, SHARC_ATTR_CITE, SHARC_FROM_CITE},
    {SHARC_TAG_Q, SHARC_ATTR_CITE, SHARC_FROM_CITE},
    {SHARC_TAG_INS, SHARC_ATTR_CITE, SHARC_FROM_CITE},
    {SHARC_TAG_DEL, SHARC_ATTR_CITE, SHARC_FROM_CITE},
};

static void link_rows(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++)
        if (rows[i].tag == t->tag)
            link_attr(x, t, (enum sharc_html_attr_name)rows[i].attr, (enum sharc_link_place)rows[i].place, flags);
}

#define BIT(name) ((uint64_t)1 << SHARC_ATTR_##name)
#define LAZY_BACKGROUND (BIT(DATA_BG) | BIT(DATA_BACKGROUND) | BIT(DATA_BACKGROUND_IMAGE))

/* Attributes that may stand on any tag. */
static void link_common(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    const struct sharc_html_attr *style = sharc_html_attr(t, SHARC_ATTR_STYLE);
    if (style && sharc_span_find(style->value, '(', 0) != SHARC_NPOS) {
        struct sharc__extract_source source = sharc__extract_page_source(x, style);
        sharc__extract_read_css(x, &source, SHARC_FROM_STYLE_ATTRIBUTE, flags);
    }
    if (t->known >> SHARC_ATTR_BACKGROUND & 1) link_attr(x, t, SHARC_ATTR_BACKGROUND, SHARC_FROM_BACKGROUND, flags);
    if (t->known & LAZY_BACKGROUND) link_lazy_background(x, t, flags);
}

/* Tags without any of these link to nothing. */
#define LINKING                                                                                                        \
    (BIT(ACTION) | BIT(ARCHIVE) | BIT(BACKGROUND) | BIT(CITE) | BIT(CODE) | BIT(CONTENT) | BIT(DATA) |                 \
     BIT(DATA_POSTER) | BIT(DATA_SRC) | BIT(DATA_SRCSET) | BIT(DATA_LAZY_SRCSET) | LAZY_BACKGROUND | BIT(FORMACTION) | \
     BIT(HREF) | BIT(IMAGESRCSET) | BIT(LONGDESC) | BIT(LOWSRC) | BIT(MANIFEST) | BIT(POSTER) | BIT(SRC) |             \
     BIT(SRCSET) | BIT(STYLE) | BIT(VALUE) | BIT(XLINK_HREF))

void sharc__extract_html_links(struct sharc__page_private *x, const struct sharc_html_token *t, unsigned flags)
{
    const enum sharc_html_tag shown = sharc_html_shown_tag(t);
    if (shown != t->tag) {
        struct sharc_html_token as = *t;
        as.tag = (uint16_t)shown;
        sharc__extract_html_links(x, &as, flags);
        return;
    }
    if (t->foreign) link_paint(x, t, flags);
    if (t->tag == SHARC_TAG_IFRAME) link_srcdoc(x, t, flags);
    if (!(t->known & LINKING) && t->tag != SHARC_TAG_FORM && t->tag != SHARC_TAG_IMG) return;
    if (t->known & (BIT(STYLE) | BIT(BACKGROUND) | LAZY_BACKGROUND)) link_common(x, t, flags);
    switch (t->tag) {
    case SHARC_TAG_A:
    case SHARC_TAG_AREA: link_anchor(x, t, flags); return;
    case SHARC_TAG_LINK: link_link(x, t, flags); return;
    case SHARC_TAG_FORM: link_form(x, t, flags); return;
    case SHARC_TAG_BUTTON:
    case SHARC_TAG_INPUT: link_button(x, t, flags); return;
    case SHARC_TAG_IMAGE: /* an <image> outside SVG is an <img> */
        if (t->foreign) {
            link_svg(x, t, flags);
            return;
        }
        link_image(x, t, flags);
        return;
    case SHARC_TAG_IMG:
    case SHARC_TAG_SOURCE: link_image(x, t, flags); return;
    case SHARC_TAG_META:
        if (sharc_span_ieq(value_of(x, t, SHARC_ATTR_HTTP_EQUIV), SHARC_SPAN("refresh"))) link_refresh(x, t, flags);
        return;
    case SHARC_TAG_PARAM: link_param(x, t, flags); return;
    case SHARC_TAG_OBJECT:
    case SHARC_TAG_APPLET: link_plugin(x, t, flags); return;
    case SHARC_TAG_USE:
    case SHARC_TAG_FEIMAGE: link_svg(x, t, flags); return;
    default: link_rows(x, t, flags);
    }
    if (t->foreign && t->tag == SHARC_TAG_SCRIPT) link_svg(x, t, flags);
}
