/* SPDX-License-Identifier: Apache-2.0
 *
 * An HTML page in one pass over its tokens. There is no tree; what a tree would
 * tell (is this text visible, inside which block does it stand) is kept in a
 * few counters that every page leaves in order at its end.
 */
#include "extract_int.h"

enum {
    LINE = 1,     /* text before and behind stands on lines of its own */
    VOID = 2,     /* has no end tag, nothing inside */
    OPTIONAL = 4, /* ends where its like begins, end tag or not */
};

static const uint8_t traits[SHARC_TAG_COUNT] = {
    [SHARC_TAG_ADDRESS] = LINE,
    [SHARC_TAG_ARTICLE] = LINE,
    [SHARC_TAG_ASIDE] = LINE,
    [SHARC_TAG_BLOCKQUOTE] = LINE,
    [SHARC_TAG_BODY] = LINE,
    [SHARC_TAG_CAPTION] = LINE,
    [SHARC_TAG_CENTER] = LINE,
    [SHARC_TAG_DETAILS] = LINE,
    [SHARC_TAG_DIALOG] = LINE,
    [SHARC_TAG_DIR] = LINE,
    [SHARC_TAG_DIV] = LINE,
    [SHARC_TAG_DL] = LINE,
    [SHARC_TAG_FIELDSET] = LINE,
    [SHARC_TAG_FIGCAPTION] = LINE,
    [SHARC_TAG_FIGURE] = LINE,
    [SHARC_TAG_FOOTER] = LINE,
    [SHARC_TAG_FORM] = LINE,
    [SHARC_TAG_H1] = LINE,
    [SHARC_TAG_H2] = LINE,
    [SHARC_TAG_H3] = LINE,
    [SHARC_TAG_H4] = LINE,
    [SHARC_TAG_H5] = LINE,
    [SHARC_TAG_H6] = LINE,
    [SHARC_TAG_HEADER] = LINE,
    [SHARC_TAG_HGROUP] = LINE,
    [SHARC_TAG_LEGEND] = LINE,
    [SHARC_TAG_LISTING] = LINE,
    [SHARC_TAG_MAIN] = LINE,
    [SHARC_TAG_MENU] = LINE,
    [SHARC_TAG_NAV] = LINE,
    [SHARC_TAG_OL] = LINE,
    [SHARC_TAG_PRE] = LINE,
    [SHARC_TAG_SEARCH] = LINE,
    [SHARC_TAG_SECTION] = LINE,
    [SHARC_TAG_SUMMARY] = LINE,
    [SHARC_TAG_TABLE] = LINE,
    [SHARC_TAG_UL] = LINE,
    [SHARC_TAG_XMP] = LINE,
    [SHARC_TAG_TITLE] = LINE,
    [SHARC_TAG_SELECT] = LINE,
    [SHARC_TAG_TEXTAREA] = LINE,

    [SHARC_TAG_DD] = LINE | OPTIONAL,
    [SHARC_TAG_DT] = LINE | OPTIONAL,
    [SHARC_TAG_LI] = LINE | OPTIONAL,
    [SHARC_TAG_P] = LINE | OPTIONAL,
    [SHARC_TAG_TR] = LINE | OPTIONAL,
    [SHARC_TAG_TD] = LINE | OPTIONAL,
    [SHARC_TAG_TH] = LINE | OPTIONAL,
    [SHARC_TAG_OPTION] = LINE | OPTIONAL,
    [SHARC_TAG_TBODY] = LINE | OPTIONAL,
    [SHARC_TAG_THEAD] = LINE | OPTIONAL,
    [SHARC_TAG_TFOOT] = LINE | OPTIONAL,

    [SHARC_TAG_BR] = LINE | VOID,
    [SHARC_TAG_HR] = LINE | VOID,
    [SHARC_TAG_AREA] = VOID,
    [SHARC_TAG_BASE] = VOID,
    [SHARC_TAG_BGSOUND] = VOID,
    [SHARC_TAG_COL] = VOID,
    [SHARC_TAG_EMBED] = VOID,
    [SHARC_TAG_FRAME] = VOID,
    [SHARC_TAG_IMG] = VOID,
    [SHARC_TAG_INPUT] = VOID,
    [SHARC_TAG_KEYGEN] = VOID,
    [SHARC_TAG_LINK] = VOID,
    [SHARC_TAG_META] = VOID,
    [SHARC_TAG_PARAM] = VOID,
    [SHARC_TAG_SOURCE] = VOID,
    [SHARC_TAG_TRACK] = VOID,
    [SHARC_TAG_WBR] = VOID,
};

/* One pass. */
struct pass {
    struct sharc__page_private *x;
    uint16_t inside; /* the element whose raw text comes next */
    bool data;       /* it is a script that holds JSON */
    bool code;       /* it is a script that holds JavaScript */
    bool in_anchor;
    bool title_done;
    struct sharc_span skipped; /* name of the invisible element we are in; none */
    unsigned skip_depth;
    bool skip_optional;
    unsigned latent; /* SHARC_LINK_LATENT inside template and noscript */
    bool again;      /* a base turned up behind links: start over with it */
};

static struct sharc__extract_mark mark_at(const struct sharc__page_private *x, size_t at)
{
    return (struct sharc__extract_mark){.at = (uint32_t)at,
                                        .text = (uint32_t)x->text.n,
                                        .links = x->page->anchors,
                                        .images = x->page->images,
                                        .link_text = x->link_text};
}

/* --- what is invisible ---------------------------------------------------------------- */

static bool hides_by_style(struct sharc_span style)
{
    size_t at = 0;
    static const char want[] = "display:none";
    for (size_t i = 0; i < style.n; i++) {
        if (sharc_is_space(style.p[i])) continue;
        char c = sharc_to_lower(style.p[i]);
        at = c == want[at] ? at + 1 : c == want[0];
        if (!want[at]) return true;
    }
    return false;
}

#define BIT(name) ((uint64_t)1 << SHARC_ATTR_##name)

static bool is_invisible(const struct sharc_html_token *t)
{
    if (t->tag == SHARC_TAG_TEMPLATE || t->tag == SHARC_TAG_NOSCRIPT) return true;
    if (t->known & BIT(HIDDEN)) return true;
    if (!(t->known & BIT(STYLE))) return false;
    const struct sharc_html_attr *style = sharc_html_attr(t, SHARC_ATTR_STYLE);
    return style && hides_by_style(style->value);
}

static void skip_start(struct pass *s, const struct sharc_html_token *t)
{
    if (s->skipped.n) {
        if (t->self_closing && t->foreign) return;
        if (!sharc_span_ieq(t->name, s->skipped)) return;
        s->skip_depth++;
        if (!s->skip_optional) return;
        s->skipped = SHARC_SPAN_NONE; /* its like begins: it has ended */
    }
    if (traits[t->tag] & VOID || (t->self_closing && t->foreign) || !is_invisible(t)) return;
    s->skipped = t->name;
    s->skip_depth = 1;
    s->skip_optional = traits[t->tag] & OPTIONAL;
    s->latent = t->tag == SHARC_TAG_TEMPLATE || t->tag == SHARC_TAG_NOSCRIPT ? SHARC_LINK_LATENT : 0;
}

static void skip_end(struct pass *s, const struct sharc_html_token *t)
{
    if (!s->skipped.n || !sharc_span_ieq(t->name, s->skipped) || --s->skip_depth) return;
    s->skipped = SHARC_SPAN_NONE;
    s->latent = 0;
}

/* --- tags -------------------------------------------------------------------------------- */

/* The first base with an address decides for all links, also those before it. */
static void take_base(struct pass *s, const struct sharc_html_token *t)
{
    struct sharc__page_private *x = s->x;
    if (x->has_base || !(t->known >> SHARC_ATTR_HREF & 1)) return;
    x->has_base = true;
    struct sharc_span href = sharc__extract_page_value(x, sharc_html_attr(t, SHARC_ATTR_HREF));
    if (sharc_url_parse_charset(&x->url, href, &x->base, x->charset, NULL) < 0 || !sharc_url_is_http(&x->url)) return;
    struct sharc_url old = x->base;
    x->base = x->url;
    x->url = old;
    s->again = x->page->link_count > 0;
}

static void take_meta(struct pass *s, const struct sharc_html_token *t)
{
    struct sharc__page_private *x = s->x;
    if (x->want & SHARC_WANT_DATES) sharc__extract_dates_of_meta(x, t);
    struct sharc_span name = sharc__extract_page_value(x, sharc_html_attr(t, SHARC_ATTR_NAME));
    bool ours = sharc_span_ieq(name, SHARC_SPAN("sharc"));
    if (ours || sharc_span_ieq(name, SHARC_SPAN("robots")))
        x->page->robots |=
            sharc_extract_robots(sharc__extract_page_value(x, sharc_html_attr(t, SHARC_ATTR_CONTENT)), SHARC_SPAN_NONE);
}

static void take_script(struct pass *s, const struct sharc_html_token *t)
{
    struct sharc_span type = sharc__extract_page_value(s->x, sharc_html_attr(t, SHARC_ATTR_TYPE));
    s->x->page->scripts++;
    s->data = sharc_span_ends(type, SHARC_SPAN("json"));
    s->code = !type.n || s->data || sharc_span_ieq(type, SHARC_SPAN("module")) ||
              sharc_span_ends(type, SHARC_SPAN("script")); /* text/javascript, text/ecmascript, … */
}

static void take_lang(struct pass *s, const struct sharc_html_token *t)
{
    struct sharc__page_private *x = s->x;
    const struct sharc_html_attr *lang = sharc_html_attr(t, SHARC_ATTR_LANG);
    if (!lang) lang = sharc_html_attr(t, SHARC_ATTR_XML_LANG);
    struct sharc_span value = sharc_span_trim(sharc__extract_page_value(x, lang));
    if (!x->page->lang.n && value.n && value.n < 64 && sharc_utf8_check(value) == SHARC_NPOS)
        x->page->lang = sharc__extract_page_keep(x, value);
}

static void take_start(struct pass *s, const struct sharc_html_token *t)
{
    struct sharc__page_private *x = s->x;
    if (t->attrs_cut) x->page->cut |= SHARC_CUT_ATTRIBUTES;
    if (traits[t->tag] & LINE) sharc__extract_text_gap(x, GAP_LINE);
    skip_start(s, t);
    bool closed = t->self_closing && t->foreign;
    if (x->want & SHARC_WANT_BLOCKS && !closed) {
        struct sharc__extract_mark mark = mark_at(x, (size_t)(t->raw.p - x->page->utf8.p));
        sharc__extract_blocks_open(x->blocks, t, &mark);
    }
    if (t->known || t->foreign || t->tag == SHARC_TAG_FORM || t->tag == SHARC_TAG_IMG || t->tag == SHARC_TAG_IFRAME)
        sharc__extract_html_links(x, t, s->latent);
    switch (t->tag) {
    case SHARC_TAG_A: s->in_anchor = t->known >> SHARC_ATTR_HREF & 1 && !closed; break;
    case SHARC_TAG_BASE: take_base(s, t); break;
    case SHARC_TAG_HTML: take_lang(s, t); break;
    case SHARC_TAG_META: take_meta(s, t); break;
    case SHARC_TAG_SCRIPT: take_script(s, t); break;
    case SHARC_TAG_TABLE: x->page->tables++; break;
    case SHARC_TAG_TIME:
        if (x->want & SHARC_WANT_DATES) sharc__extract_dates_of_time(x, t);
        break;
    default: break;
    }
    if (x->want & SHARC_WANT_DATES && t->tag != SHARC_TAG_TIME && t->tag != SHARC_TAG_META &&
        t->known >> SHARC_ATTR_ITEMPROP & 1)
        sharc__extract_dates_of_time(x, t);
    s->inside =
        closed || (t->tag == SHARC_TAG_TITLE && t->foreign && x->html.dialect == SHARC_HTML) ? SHARC_TAG_OTHER : t->tag;
}

static void take_end(struct pass *s, const struct sharc_html_token *t)
{
    struct sharc__page_private *x = s->x;
    if (traits[t->tag] & LINE) sharc__extract_text_gap(x, GAP_LINE);
    skip_end(s, t);
    if (t->tag == SHARC_TAG_A) s->in_anchor = false;
    if (t->tag == SHARC_TAG_TITLE && s->inside == SHARC_TAG_TITLE) s->title_done = true;
    s->inside = SHARC_TAG_OTHER;
    if (!(x->want & SHARC_WANT_BLOCKS)) return;
    struct sharc__extract_mark mark = mark_at(x, (size_t)(t->raw.p - x->page->utf8.p) + t->raw.n);
    sharc__extract_blocks_close(x->blocks, t, &mark);
}

/* --- text ----------------------------------------------------------------------------------- */

static void put_visible(struct pass *s, const struct sharc_html_token *t, bool references)
{
    struct sharc__page_private *x = s->x;
    if (s->skipped.n || !(x->want & SHARC_WANT_TEXT)) return;
    size_t before = x->text.n;
    sharc__extract_text_put(x, &x->text, t->body, references);
    if (s->in_anchor) x->link_text += (uint32_t)(x->text.n - before);
}

static void put_title(struct pass *s, const struct sharc_html_token *t)
{
    enum sharc__extract_gap gap = s->x->gap; /* the title is no part of the text */
    if (s->title_done) return;
    s->x->gap = GAP_NONE;
    sharc__extract_text_put(s->x, &s->x->title, t->body, t->mode != SHARC_HTML_CDATA);
    s->x->gap = gap;
}

static void take_text(struct pass *s, const struct sharc_html_token *t)
{
    struct sharc__page_private *x = s->x;
    struct sharc__extract_source source = {t->body, sharc__extract_page_at(x, t->body.p), t->body.n, /* exact= */ true};
    bool references = t->mode == SHARC_HTML_DATA || t->mode == SHARC_HTML_RCDATA;
    switch (s->inside) {
    case SHARC_TAG_TITLE: put_title(s, t); break;
    case SHARC_TAG_STYLE: sharc__extract_read_css(x, &source, SHARC_FROM_CSS_URL, s->latent); break;
    case SHARC_TAG_SCRIPT:
        if (s->code) sharc__extract_read_script(x, &source, s->latent);
        if (s->data && x->want & SHARC_WANT_DATES) sharc__extract_dates_of_json(x, t->body);
        break;
    case SHARC_TAG_IFRAME:
    case SHARC_TAG_NOEMBED:
    case SHARC_TAG_NOFRAMES: break;
    default: put_visible(s, t, references);
    }
}

/* <?xml-stylesheet type="text/css" href="a.css"?> */
static void take_instruction(struct pass *s, const struct sharc_html_token *t)
{
    static const struct sharc_span name = SHARC_SPAN("<?xml-stylesheet"), href = SHARC_SPAN("href");
    struct sharc__page_private *x = s->x;
    struct sharc_span v = t->raw;
    if (x->html.dialect != SHARC_XML || !sharc_span_starts(v, name)) return;
    for (size_t at = name.n; at < v.n;) {
        size_t start = at = sharc_span_skip_space(v, at);
        while (at < v.n && !sharc_is_space(v.p[at]) && v.p[at] != '=') at++;
        bool found = sharc_span_eq(sharc_span_sub(v, start, at), href);
        at = sharc_span_skip_space(v, at);
        if (at >= v.n || v.p[at] != '=') return;
        at = sharc_span_skip_space(v, at + 1);
        if (at >= v.n || (v.p[at] != '"' && v.p[at] != '\'')) return;
        size_t end = sharc_span_find(v, v.p[at], at + 1);
        if (end == SHARC_NPOS) return;
        const struct sharc_html_attr attr = {.value = sharc_span_sub(v, at + 1, end)};
        if (found)
            sharc__extract_page_link(x, sharc__extract_page_value(x, &attr), SHARC_FROM_LINK_STYLE,
                                     sharc__extract_page_at(x, attr.value.p), attr.value.n, 0);
        if (found) return;
        at = end + 1;
    }
}

/* ------------------------------------------------------------------------------------------------ */

static void start_over(struct sharc__page_private *x)
{
    struct sharc_page *page = x->page;
    sharc__extract_page_no_links(x);
    page->date_count = page->other_schemes = page->bad_links = 0;
    page->images = page->tables = page->forms = page->scripts = page->anchors = 0;
    page->canonical = page->refresh = SHARC_NO_LINK;
    page->robots = 0;
    sharc_buf_clear(&x->text);
    sharc_buf_clear(&x->title);
    x->gap = GAP_NONE;
    x->link_text = 0;
    if (x->want & SHARC_WANT_BLOCKS) {
        if (!x->blocks) x->blocks = sharc__extract_blocks_new();
        sharc__extract_blocks_start(x->blocks);
    }
}

/* False when it stopped to start over. */
static bool run(struct sharc__page_private *x, enum sharc_html_dialect dialect)
{
    struct pass s = {.x = x};
    struct sharc_html_token t;
    sharc_html_init(&x->html, x->page->utf8, dialect);
    while (!s.again && sharc_html_next(&x->html, &t)) {
        switch (t.type) {
        case SHARC_HTML_TEXT: take_text(&s, &t); break;
        case SHARC_HTML_START: take_start(&s, &t); break;
        case SHARC_HTML_END: take_end(&s, &t); break;
        case SHARC_HTML_COMMENT: take_instruction(&s, &t); break;
        case SHARC_HTML_DOCTYPE: break;
        }
    }
    if (s.again) return false;
    struct sharc__extract_mark end = mark_at(x, x->page->utf8.n);
    sharc__extract_text_mend(&x->text);
    sharc__extract_text_mend(&x->title);
    x->page->text = sharc_buf_span(&x->text);
    if (x->title.n) x->page->title = sharc_buf_span(&x->title);
    if (x->want & SHARC_WANT_BLOCKS) sharc__extract_blocks_finish(x, &end);
    return true;
}

void sharc__extract_read_html(struct sharc__page_private *x, enum sharc_html_dialect dialect)
{
    start_over(x);
    if (!run(x, dialect)) { /* a base is taken once, so this ends */
        start_over(x);
        run(x, dialect);
    }
    if (!(x->want & SHARC_WANT_DATES)) return;
    sharc__extract_dates_of_text(x);
    sharc__extract_dates_finish(x->page);
}
