/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a page or a style sheet to be rewritten, with links that are as
 * bad as links can be. The result must have the same tokens in the same order,
 * and whatever is no link must be as it was; with nothing to change, all of it.
 */
#include "sharc/replay.h"

struct deciding {
    bool keep;
    unsigned calls;
};

static int decide(void *arg, const struct sharc_rewrite_ref *ref, struct sharc_buf *out)
{
    static const char *const texts[] = {"",      "x",   "a b", "it's",      "\"q\"", "</style>]]>",
                                        "&amp;", "\\)", "-->", "\xc3\xa9=`"};
    struct deciding *d = arg;
    SHARC_ASSERT(sharc_url_is_http(ref->url));
    if (d->keep) return 0;
    sharc_buf_put_str(out, texts[(d->calls++ + (unsigned)ref->url->n) % SHARC_LENGTH(texts)]);
    return 1;
}

static bool is_guard(const struct sharc_html_attr *a)
{
    return a->id == SHARC_ATTR_HTTP_EQUIV || a->id == SHARC_ATTR_NAME ||
           sharc_span_ieq(a->name, SHARC_SPAN("integrity")) || sharc_span_ieq(a->name, SHARC_SPAN("crossorigin")) ||
           sharc_span_ieq(a->name, SHARC_SPAN("referrerpolicy"));
}

static bool has_guard(const struct sharc_html_token *t)
{
    for (unsigned i = 0; i < t->attr_count; i++)
        if (is_guard(&t->attrs[i])) return true;
    return false;
}

static void compare_attrs(const struct sharc_html_token *a, const struct sharc_html_token *b)
{
    if (has_guard(a)) return; /* renamed, it may repeat another */
    SHARC_ASSERT(a->attr_count == b->attr_count && a->known == b->known);
    for (unsigned i = 0; i < a->attr_count; i++) {
        SHARC_ASSERT(sharc_span_eq(a->attrs[i].name, b->attrs[i].name));
        SHARC_ASSERT(!a->attrs[i].value.p == !b->attrs[i].value.p);
        if (a->attrs[i].id == SHARC_ATTR_OTHER || a->attrs[i].id == SHARC_ATTR_CLASS)
            SHARC_ASSERT(sharc_span_eq(a->attrs[i].value, b->attrs[i].value));
    }
}

static void compare(struct sharc_span page, struct sharc_span made, enum sharc_html_dialect dialect)
{
    static struct sharc_html old, fresh;
    struct sharc_html_token a, b;
    bool in_style = false, in_script = false; /* a script may be an import map */
    sharc_html_init(&old, page, dialect);
    sharc_html_init(&fresh, made, dialect);
    while (sharc_html_next(&old, &a)) {
        SHARC_ASSERT(sharc_html_next(&fresh, &b));
        SHARC_ASSERT(a.type == b.type && a.tag == b.tag && a.self_closing == b.self_closing && a.foreign == b.foreign);
        if (a.type == SHARC_HTML_START && !a.attrs_cut) compare_attrs(&a, &b);
        if (a.type == SHARC_HTML_TEXT) SHARC_ASSERT(a.mode == b.mode);
        if (a.type != SHARC_HTML_START && !(a.type == SHARC_HTML_TEXT && (in_style || in_script)))
            SHARC_ASSERT(sharc_span_eq(a.raw, b.raw));
        if (a.tag == SHARC_TAG_STYLE && (a.type == SHARC_HTML_START || a.type == SHARC_HTML_END))
            in_style = a.type == SHARC_HTML_START;
        if (a.type != SHARC_HTML_TEXT) in_script = a.type == SHARC_HTML_START && a.tag == SHARC_TAG_SCRIPT;
    }
    SHARC_ASSERT(!sharc_html_next(&fresh, &b));
}

/* Nothing in it that is renamed, and no page inside that would be written anew with it. */
static bool changes_nothing(struct sharc_span page)
{
    static const struct sharc_span words[] = {SHARC_SPAN("integrity"), SHARC_SPAN("crossorigin"),
                                              SHARC_SPAN("http-equiv"), SHARC_SPAN("srcdoc"), SHARC_SPAN("referrer")};
    bool references = sharc_span_find(page, '&', 0) != SHARC_NPOS; /* <meta name="&#x72;eferrer"> */
    for (size_t at = 0; at < page.n; at++)
        for (size_t i = 0; i < SHARC_LENGTH(words); i++)
            if (sharc_span_istarts(sharc_span_from(page, at), words[i]) ||
                (references && sharc_span_istarts(sharc_span_from(page, at), SHARC_SPAN("meta"))))
                return false;
    return true;
}

static void run(struct sharc_span page, bool css, const struct sharc_rewrite *how, struct sharc_buf *out)
{
    int r = css ? sharc_rewrite_css(page, how, out, NULL) : sharc_rewrite_html(page, how, out, NULL);
    SHARC_ASSERT(r == 0 || out->failed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum sharc_charset charsets[] = {SHARC_CHARSET_UTF_8,       SHARC_CHARSET_WINDOWS_1252,
                                                  SHARC_CHARSET_SHIFT_JIS,   SHARC_CHARSET_GB18030,
                                                  SHARC_CHARSET_ISO_2022_JP, SHARC_CHARSET_UTF_16LE};
    if (!size) return 0;
    struct sharc_span page = sharc_span(data + 1, size - 1);
    bool css = data[0] & 1;
    enum sharc_html_dialect dialect = data[0] & 2 ? SHARC_XML : SHARC_HTML;
    size_t charset = (data[0] >> 2) % SHARC_LENGTH(charsets);
    struct sharc_url url = SHARC_URL_INIT;
    sharc_url_parse(&url, SHARC_SPAN("http://h/d/p?q"), NULL, NULL);
    struct deciding d = {.keep = false};
    struct sharc_rewrite how = {&url, charsets[charset], dialect, decide, &d, SHARC_SPAN_NONE};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf made = SHARC_BUF_INIT(64u << 20), kept = SHARC_BUF_INIT(64u << 20);
    run(page, css, &how, &made);
    if (!css && charset < 2 && !made.failed) compare(page, sharc_buf_span(&made), dialect);
    d.keep = true;
    run(page, css, &how, &kept);
    if (charsets[charset] != SHARC_CHARSET_UTF_16LE && (css || changes_nothing(page)))
        SHARC_ASSERT(sharc_span_eq(page, sharc_buf_span(&kept)));
    sharc_url_done(&url);
    return 0;
}
