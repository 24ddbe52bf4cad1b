/* SPDX-License-Identifier: Apache-2.0
 *
 * HTML and XML into items, by the tokens of extract_html.h. In HTML the attributes of a tag
 * are sorted and their values decoded: two tags that make the same element are the same item. XML,
 * and what only looks like HTML, keeps every byte of a tag.
 *
 * There is no tree builder behind it. Which element is open is known well enough for a place
 * (end tags that HTML lets one leave out are put in for the usual elements); equality of items
 * never depends on it. Where a browser's tree builder may read other tokens than these, so that what is a tag here is
 * text for a reader there, every byte is kept as well: choose_form().
 */
#include "evidence_int.h"
#include "sharc/extract_html.h"

#include <stdlib.h>

struct open_tag {
    uint64_t name;
    uint16_t tag;
    bool hidden; /* template, noscript: no reader sees it */
};

struct reader {
    struct sharc__document *d;
    enum sharc__form asked, form; /* of the page, of this token */
    bool lost, in_select;
    size_t island;  /* inside SVG or MathML: how many elements were open around it, + 1; 0: outside */
    size_t raw_end; /* inside noscript: where it ends for who runs scripts; 0: outside */
    struct open_tag *open;
    size_t depth, room;
    struct sharc_buf value;
    const struct sharc_html_attr *sorted[SHARC_LIMIT_HTML_ATTRIBUTES];
};

enum { LOOK_UP = 256 }; /* open elements that an end tag is held against */

/* --- marks and labels --------------------------------------------------------------------- */

/* Digits, and words that hold some, differ from page to page: post-1234 and post-77 are the same mark. */
static uint64_t mark_of_value(struct sharc_span s, uint64_t mark)
{
    while (s.n) {
        size_t n = 0;
        bool digits = false;
        while (n < s.n && (sharc_is_alnum(s.p[n]) || s.p[n] & 0x80)) digits |= sharc_is_digit(s.p[n++]);
        if (n && !digits)
            mark = sharc_fingerprint(sharc_span_sub(s, 0, n), mark);
        else if (n)
            mark = sharc__evidence_mix(mark, '#');
        else
            mark = sharc__evidence_mix(mark, (uint64_t)(unsigned char)s.p[n++]);
        s = sharc_span_from(s, n);
    }
    return mark;
}

/* Values that say what an element is for. */
static bool is_telling(uint16_t id)
{
    return id == SHARC_ATTR_ID || id == SHARC_ATTR_CLASS || id == SHARC_ATTR_NAME || id == SHARC_ATTR_PROPERTY ||
           id == SHARC_ATTR_ITEMPROP || id == SHARC_ATTR_REL || id == SHARC_ATTR_TYPE || id == SHARC_ATTR_HTTP_EQUIV;
}

static uint64_t lower_print(struct sharc_span s, uint64_t seed)
{
    char small[64];
    size_t n = s.n < sizeof small ? s.n : sizeof small;
    for (size_t i = 0; i < n; i++) small[i] = sharc_to_lower(s.p[i]);
    return sharc_fingerprint(sharc_span(small, n), seed + s.n);
}

static uint64_t mark_of(const struct reader *r, const struct sharc_html_token *t)
{
    uint64_t mark = lower_print(t->name, 3);
    for (unsigned i = 0; i < t->attr_count; i++) {
        const struct sharc_html_attr *a = r->sorted[i];
        mark = sharc__evidence_mix(mark, lower_print(a->name, 5));
        if (is_telling(a->id)) mark = mark_of_value(a->value, mark);
    }
    return mark;
}

/* "div#main", "p.price" */
static struct sharc_span label_of(struct reader *r, const struct sharc_html_token *t)
{
    const struct sharc_html_attr *a = sharc_html_attr(t, SHARC_ATTR_ID);
    char mark = '#';
    if (!a || !a->value.n) a = sharc_html_attr(t, SHARC_ATTR_CLASS), mark = '.';
    if (!a || !a->value.n) a = sharc_html_attr(t, SHARC_ATTR_NAME), mark = ':';
    if (!a || !a->value.n) return t->name;
    sharc_buf_clear(&r->value);
    sharc_buf_put(&r->value, sharc_span_sub(t->name, 0, 32));
    sharc_buf_put_char(&r->value, mark);
    sharc_buf_put(&r->value, sharc_span_sub(a->value, 0, 32));
    return sharc__evidence_keep(r->d, sharc_buf_span(&r->value));
}

/* --- tags ------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    struct sharc_span x = (*(const struct sharc_html_attr *const *)a)->name;
    struct sharc_span y = (*(const struct sharc_html_attr *const *)b)->name;
    size_t n = x.n < y.n ? x.n : y.n;
    for (size_t i = 0; i < n; i++) {
        char p = sharc_to_lower(x.p[i]), q = sharc_to_lower(y.p[i]);
        if (p != q) return (unsigned char)p < (unsigned char)q ? -1 : 1;
    }
    if (x.n != y.n) return x.n < y.n ? -1 : 1;
    return (x.p > y.p) - (x.p < y.p); /* as they stand there */
}

static struct sharc_span lower(struct reader *r, struct sharc_span s)
{
    bool upper = false;
    for (size_t i = 0; i < s.n; i++) upper |= sharc_is_upper(s.p[i]);
    if (!upper) return s;
    char *copy = sharc_arena_bytes(&r->d->arena, s.n);
    if (!copy) {
        r->d->full = true;
        return s;
    }
    for (size_t i = 0; i < s.n; i++) copy[i] = sharc_to_lower(s.p[i]);
    return sharc_span(copy, s.n);
}

/* As a browser reads it; NUL is left alone, because what becomes of it depends on where it stands. */
static struct sharc_span decoded(struct reader *r, struct sharc_span raw, bool attribute, bool references)
{
    if (r->form != FORM_HTML || !raw.n || memchr(raw.p, 0, raw.n)) return raw;
    if (!(references && memchr(raw.p, '&', raw.n)) && !memchr(raw.p, '\r', raw.n)) return raw;
    sharc_buf_clear(&r->value);
    if ((references ? sharc_html_decode(raw, attribute, &r->value) : sharc_html_decode_raw(raw, &r->value)) < 0)
        r->d->full = true;
    return sharc__evidence_keep(r->d, sharc_buf_span(&r->value));
}

/* Texts for people are cut at white space, everything else (addresses, tokens, settings) finer. */
static bool is_prose(const struct sharc_html_attr *a)
{
    return sharc_span_ieq(a->name, SHARC_SPAN("alt")) || sharc_span_ieq(a->name, SHARC_SPAN("title")) ||
           sharc_span_ieq(a->name, SHARC_SPAN("placeholder")) || sharc_span_ieq(a->name, SHARC_SPAN("aria-label")) ||
           sharc_span_ieq(a->name, SHARC_SPAN("summary"));
}

static void put_attribute(struct reader *r, const struct sharc_html_attr *a)
{
    struct sharc__document *d = r->d;
    struct sharc_span name = r->form == FORM_HTML ? lower(r, a->name) : a->name;
    sharc__evidence_put(d, SHARC_HUNK_ATTRIBUTE, name, LOOK_TAG, /* visible= */ false);
    struct sharc_span value = decoded(r, a->value, /* attribute= */ true, /* references= */ true);
    if (!value.n) return;
    sharc__evidence_leaf_begin(d, SHARC_HUNK_ATTRIBUTE, lower_print(name, 11), name);
    sharc__evidence_put_tokens(d, SHARC_HUNK_ATTRIBUTE, value, is_prose(a),
                               /* visible= */ false);
    sharc__evidence_leaf_end(d);
}

/* A tag without the values of its attributes: every byte of it that is in no other item. */
static void put_skeleton(struct reader *r, const struct sharc_html_token *t)
{
    size_t from = 0;
    sharc_buf_clear(&r->value);
    for (unsigned i = 0; i < t->attr_count; i++) {
        const struct sharc_html_attr *a = &t->attrs[i];
        if (!a->value.n) continue;
        size_t at = (size_t)(a->value.p - t->raw.p);
        sharc_buf_put(&r->value, sharc_span_sub(t->raw, from, at));
        from = at + a->value.n;
    }
    sharc_buf_put(&r->value, sharc_span_from(t->raw, from));
    sharc__evidence_put(r->d, SHARC_HUNK_TAGS, sharc__evidence_keep(r->d, sharc_buf_span(&r->value)), LOOK_TAG,
                        /* visible= */ false);
}

static void put_start(struct reader *r, const struct sharc_html_token *t)
{
    struct sharc__document *d = r->d;
    size_t at = d->count;
    if (t->attrs_cut) {
        sharc__evidence_put(d, SHARC_HUNK_TAGS, t->raw, LOOK_TAG, /* visible= */ false);
    } else if (r->form != FORM_HTML) {
        put_skeleton(r, t);
    } else {
        sharc__evidence_put(d, SHARC_HUNK_TAGS, lower(r, t->name), LOOK_TAG, /* visible= */ false);
        if (t->self_closing) sharc__evidence_put(d, SHARC_HUNK_TAGS, SHARC_SPAN("/"), LOOK_TAG, /* visible= */ false);
    }
    if (at < d->count) d->items[at].opens = true;
    for (unsigned i = 0; i < t->attr_count && !t->attrs_cut; i++) put_attribute(r, r->sorted[i]);
}

static bool is_void(uint16_t tag)
{
    switch (tag) {
    case SHARC_TAG_AREA:
    case SHARC_TAG_BASE:
    case SHARC_TAG_BR:
    case SHARC_TAG_EMBED:
    case SHARC_TAG_HR:
    case SHARC_TAG_IMG:
    case SHARC_TAG_INPUT:
    case SHARC_TAG_LINK:
    case SHARC_TAG_META:
    case SHARC_TAG_PARAM:
    case SHARC_TAG_SOURCE:
    case SHARC_TAG_TRACK:
    case SHARC_TAG_WBR: return true;
    default: return false;
    }
}

/* A second one of these ends the first. */
static bool ends_its_like(uint16_t tag)
{
    return tag == SHARC_TAG_LI || tag == SHARC_TAG_P || tag == SHARC_TAG_TR || tag == SHARC_TAG_TD ||
           tag == SHARC_TAG_TH || tag == SHARC_TAG_OPTION || tag == SHARC_TAG_DT || tag == SHARC_TAG_DD;
}

static void pop(struct reader *r)
{
    sharc__evidence_close(r->d);
    r->depth--;
}

static void push(struct reader *r, const struct sharc_html_token *t)
{
    SHARC_GROW(r->open, r->room, r->depth + 1);
    bool hidden =
        (r->depth && r->open[r->depth - 1].hidden) || t->tag == SHARC_TAG_TEMPLATE || t->tag == SHARC_TAG_NOSCRIPT;
    r->open[r->depth++] = (struct open_tag){.name = lower_print(t->name, 3), .tag = t->tag, .hidden = hidden};
}

static void start(struct reader *r, const struct sharc_html_token *t)
{
    struct sharc__document *d = r->d;
    unsigned n = t->attrs_cut ? 0 : t->attr_count;
    for (unsigned i = 0; i < n; i++) r->sorted[i] = &t->attrs[i];
    if (n > 1) qsort(r->sorted, n, sizeof *r->sorted, by_name);
    if (r->form != FORM_XML && r->depth && ends_its_like(t->tag) && r->open[r->depth - 1].tag == t->tag) pop(r);
    struct sharc_html_token marked = *t;
    marked.attr_count = n;
    sharc__evidence_open(d, mark_of(r, &marked), label_of(r, t));
    if (d->full) return;
    push(r, t);
    put_start(r, t);
    if (t->self_closing ? r->form == FORM_XML || t->foreign : r->form != FORM_XML && is_void(t->tag)) pop(r);
}

static void end(struct reader *r, const struct sharc_html_token *t)
{
    struct sharc__document *d = r->d;
    uint64_t name = lower_print(t->name, 3);
    size_t i = r->depth, least = r->depth > LOOK_UP ? r->depth - LOOK_UP : 0;
    while (i > least && r->open[i - 1].name != name) i--;
    if (i > least)
        while (r->depth > i) pop(r);
    if (r->form == FORM_HTML) {
        struct sharc_span lowered = lower(r, t->name);
        char *text = sharc_arena_bytes(&d->arena, lowered.n + 1);
        if (!text) {
            d->full = true;
            return;
        }
        text[0] = '/';
        memcpy(text + 1, lowered.p, lowered.n);
        sharc__evidence_put(d, SHARC_HUNK_TAGS, sharc_span(text, lowered.n + 1), LOOK_TAG, /* visible= */ false);
    } else {
        sharc__evidence_put(d, SHARC_HUNK_TAGS, t->raw, LOOK_TAG, /* visible= */ false);
    }
    if (i > least) pop(r);
}

/* --- the rest ------------------------------------------------------------------------------- */

static void text(struct reader *r, const struct sharc_html_token *t)
{
    struct sharc__document *d = r->d;
    const struct open_tag *in = r->depth ? &r->open[r->depth - 1] : NULL;
    uint16_t tag = in ? in->tag : SHARC_TAG_OTHER;
    bool coded = t->mode == SHARC_HTML_DATA || t->mode == SHARC_HTML_RCDATA;
    struct sharc_span s = decoded(r, t->body, /* attribute= */ false, coded);
    if (tag == SHARC_TAG_SCRIPT || tag == SHARC_TAG_STYLE) {
        sharc__evidence_read_script(d, s, tag == SHARC_TAG_STYLE ? SHARC_HUNK_STYLE : SHARC_HUNK_SCRIPT);
        return;
    }
    if (t->mode == SHARC_HTML_CDATA)
        sharc__evidence_put(d, SHARC_HUNK_TAGS, sharc_span_sub(t->raw, 0, 9), LOOK_TAG, /* visible= */ false);
    bool visible = !(in && in->hidden);
    enum sharc_hunk_kind kind = visible ? SHARC_HUNK_TEXT : SHARC_HUNK_HIDDEN_TEXT;
    sharc__evidence_leaf_begin(d, kind, 0, SHARC_SPAN_NONE);
    sharc__evidence_put_tokens(d, kind, s, /* by_space= */ true, visible);
    sharc__evidence_leaf_end(d);
    if (t->mode == SHARC_HTML_CDATA)
        sharc__evidence_put(d, SHARC_HUNK_TAGS, SHARC_SPAN("]]>"), LOOK_TAG, /* visible= */ false);
}

static void comment(struct reader *r, const struct sharc_html_token *t)
{
    struct sharc__document *d = r->d;
    size_t head = (size_t)(t->body.p - t->raw.p);
    sharc__evidence_put(d, SHARC_HUNK_COMMENT, sharc_span_sub(t->raw, 0, head), LOOK_TAG, /* visible= */ false);
    sharc__evidence_leaf_begin(d, SHARC_HUNK_COMMENT, 0, SHARC_SPAN_NONE);
    sharc__evidence_put_tokens(d, SHARC_HUNK_COMMENT, t->body, /* by_space= */ false, /* visible= */ false);
    sharc__evidence_leaf_end(d);
    sharc__evidence_put(d, SHARC_HUNK_COMMENT, sharc_span_from(t->raw, head + t->body.n), LOOK_TAG,
                        /* visible= */ false);
}

/* --- where bytes count -------------------------------------------------------------------------- */

/* The first "</noscript" behind `at`, whatever it stands in. */
static size_t noscript_end(struct sharc_span page, size_t at)
{
    static const struct sharc_span end = SHARC_SPAN("</noscript");
    for (; (at = sharc_span_find(page, '<', at)) != SHARC_NPOS; at++) {
        struct sharc_span s = sharc_span_from(page, at);
        if (s.n > end.n && sharc_span_istarts(s, end) && memchr(" \t\n\f\r/>", s.p[end.n], 7)) return at;
    }
    return page.n;
}

/* SVG and MathML as everybody reads it: each element ends by its own end tag, and nothing in it is HTML. */
static void watch_island(struct reader *r, const struct sharc_html_token *t)
{
    bool start = t->type == SHARC_HTML_START, end = t->type == SHARC_HTML_END;
    if (r->island && r->depth < r->island) r->island = 0;
    if (start && !r->island && (t->tag == SHARC_TAG_SVG || t->tag == SHARC_TAG_MATH)) r->island = r->depth + 1;
    if (!r->island) return;
    r->lost |= start && !t->foreign;
    r->lost |= end && (r->depth < r->island || r->open[r->depth - 1].name != lower_print(t->name, 3));
}

/* The tokens here are switched by tags alone. A browser
 *   that runs scripts reads noscript as raw text: up to the first "</noscript", be it inside a value or a comment;
 *   in a select or a frameset leaves out tags, and with them the raw text or title behind them;
 *   may leave SVG and MathML by end tags of elements around them, of which nobody here knows, and has CDATA there.
 * There nothing is taken for the same but the same bytes; and so in the rest of the page, if it is not known that all
 * are of one mind again. */
static void choose_form(struct reader *r, struct sharc_span page, const struct sharc_html_token *t)
{
    size_t at = (size_t)(t->raw.p - page.p);
    bool start = t->type == SHARC_HTML_START, end = t->type == SHARC_HTML_END;
    if (r->asked != FORM_HTML) return;
    if (r->raw_end && at >= r->raw_end) {
        r->lost |= at > r->raw_end || !end || t->tag != SHARC_TAG_NOSCRIPT;
        r->raw_end = 0;
    }
    watch_island(r, t);
    r->lost |= start && t->tag == SHARC_TAG_FRAMESET;
    r->lost |= t->type == SHARC_HTML_COMMENT && sharc_span_starts(t->raw, SHARC_SPAN("<![CDATA["));
    if (start && t->tag == SHARC_TAG_NOSCRIPT && !r->raw_end && !r->lost)
        r->raw_end = noscript_end(page, at + t->raw.n);
    if (t->tag == SHARC_TAG_SELECT && (start || end)) r->in_select = start;
    r->form = r->lost || r->in_select || r->raw_end || r->island ? FORM_LOOSE_HTML : FORM_HTML;
}

static void token(struct reader *r, const struct sharc_html_token *t)
{
    switch (t->type) {
    case SHARC_HTML_TEXT: text(r, t); break;
    case SHARC_HTML_START: start(r, t); break;
    case SHARC_HTML_END: end(r, t); break;
    case SHARC_HTML_COMMENT: comment(r, t); break;
    case SHARC_HTML_DOCTYPE: sharc__evidence_put(r->d, SHARC_HUNK_TAGS, t->raw, LOOK_TAG, /* visible= */ false); break;
    }
}

void sharc__evidence_read_markup(struct sharc__document *d, struct sharc_span page, enum sharc__form form)
{
    SHARC_AUTO(sharc_freep) struct sharc_html *h = SHARC_NEW(struct sharc_html);
    SHARC_AUTO(sharc_freep) struct reader *r = SHARC_NEW(struct reader);
    struct sharc_html_token t;
    size_t at = 0;
    r->d = d;
    r->asked = r->form = form;
    sharc_buf_init(&r->value, (size_t)512 << 20);
    sharc_html_init(h, page, form == FORM_XML ? SHARC_XML : SHARC_HTML);
    while (!d->full && sharc_html_next(h, &t)) {
        at = (size_t)(t.raw.p - page.p) + t.raw.n;
        choose_form(r, page, &t);
        token(r, &t);
    }
    /* a tag that the end of the page cuts off */
    if (at < page.n) sharc__evidence_put(d, SHARC_HUNK_TAGS, sharc_span_from(page, at), LOOK_TAG, /* visible= */ false);
    free(r->open);
    sharc_buf_done(&r->value);
}
