/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers of a store in XML. They are foreign bytes: bounded by the buffer they came in, each text by TEXT_MOST,
 * and no deeper than NESTING.
 */
#include "object_int.h"

#include "sharc/extract_html.h"

#include <stdio.h>

enum { NESTING = 16 };

struct reading {
    struct sharc_span open[NESTING]; /* names of elements, the outermost first */
    unsigned depth;
    bool leaf; /* nothing was nested in the innermost yet */
    struct sharc_buf text;
    element_fn *fn;
    void *arg;
};

static int end_element(struct reading *d, struct sharc_span name)
{
    if (d->depth == 0 || !sharc_span_eq(d->open[d->depth - 1], name)) return SHARC_ESYNTAX;
    d->depth--;
    struct sharc_span parent = d->depth ? d->open[d->depth - 1] : SHARC_SPAN("");
    struct sharc_span text = d->leaf ? sharc_buf_span(&d->text) : SHARC_SPAN("");
    if (d->text.failed) return SHARC_ELIMIT;
    int r = d->fn(d->arg, parent, name, text.p ? text : SHARC_SPAN(""));
    d->leaf = false;
    sharc_buf_clear(&d->text);
    return r < 0 ? r : 0;
}

static int begin_element(struct reading *d, const struct sharc_html_token *t)
{
    if (d->depth == NESTING) return SHARC_ELIMIT;
    d->open[d->depth++] = t->name;
    d->leaf = true;
    sharc_buf_clear(&d->text);
    return t->self_closing ? end_element(d, t->name) : 0;
}

static int take(struct reading *d, const struct sharc_html_token *t)
{
    switch (t->type) {
    case SHARC_HTML_START: return begin_element(d, t);
    case SHARC_HTML_END: return end_element(d, t->name);
    case SHARC_HTML_TEXT:
        if (!d->leaf) return 0;
        (void)(t->mode == SHARC_HTML_CDATA ? sharc_buf_put(&d->text, t->body)
                                           : sharc_html_decode(t->body, false, &d->text));
        return 0;
    case SHARC_HTML_COMMENT:
    case SHARC_HTML_DOCTYPE: break;
    }
    return 0;
}

int sharc__object_read_xml(struct sharc_span xml, element_fn *fn, void *arg)
{
    struct reading d = {.text = SHARC_BUF_INIT(TEXT_MOST), .fn = fn, .arg = arg};
    struct sharc_html h;
    struct sharc_html_token t;
    int r = 0;
    bool any = false;
    sharc_html_init(&h, xml, SHARC_XML);
    while (r == 0 && sharc_html_next(&h, &t)) {
        any |= t.type == SHARC_HTML_START;
        r = take(&d, &t);
    }
    if (r == 0 && (!any || d.depth > 0)) r = SHARC_ESYNTAX;
    sharc_buf_done(&d.text);
    return r;
}

struct search {
    struct sharc_span name;
    char *ret;
    size_t room;
    bool found;
};

static int compare(void *arg, struct sharc_span parent, struct sharc_span name, struct sharc_span text)
{
    struct search *s = arg;
    (void)parent;
    if (s->found || !sharc_span_eq(name, s->name) || text.n >= s->room || memchr(text.p, 0, text.n)) return 0;
    memcpy(s->ret, text.p, text.n);
    s->ret[text.n] = 0;
    s->found = true;
    return 0;
}

bool sharc__object_element(struct sharc_span xml, const char *name, char *ret, size_t room)
{
    struct search s = {.name = sharc_span_of(name), .ret = ret, .room = room};
    (void)sharc__object_read_xml(xml, compare, &s);
    return s.found;
}

/* What is not of the usual form is left out: nothing of it may end up in a header line. */
void sharc__object_set_etag(char etag[SHARC_OBJECT_ETAG], struct sharc_span value)
{
    value = sharc_span_trim(value);
    if (value.n >= 2 && value.p[0] == '"' && value.p[value.n - 1] == '"') value = sharc_span_sub(value, 1, value.n - 1);
    bool good = value.n < SHARC_OBJECT_ETAG;
    for (size_t i = 0; good && i < value.n; i++)
        good = value.p[i] > ' ' && value.p[i] < 0x7f && value.p[i] != '"' && value.p[i] != '<' && value.p[i] != '&';
    snprintf(etag, SHARC_OBJECT_ETAG, "%.*s", good ? (int)value.n : 0, value.n ? value.p : "");
}
