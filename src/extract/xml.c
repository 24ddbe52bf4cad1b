/* SPDX-License-Identifier: Apache-2.0
 *
 * Sitemaps, their indexes, RSS, Atom and OAI-PMH answers. They are read with
 * the tokenizer of HTML in its XML dialect instead of an XML parser: it fetches
 * nothing, expands no entity that a document declares, has been fuzzed anyway,
 * and goes on where a document is not well-formed, as many feeds are not.
 * Elements are told apart by their local names; a prefix counts only where
 * sitemaps use one for images and videos.
 */
#include "extract_int.h"

enum name {
    N_OTHER,
    N_URL,
    N_SITEMAP,
    N_LOC,
    N_LASTMOD,
    N_CHANGEFREQ,
    N_PRIORITY,
    N_LINK,
    N_ITEM,
    N_ENTRY,
    N_TITLE,
    N_GUID,
    N_ID,
    N_PUBDATE,
    N_PUBLISHED,
    N_DATE,
    N_UPDATED,
    N_ENCLOSURE,
    N_HEADER,
    N_IDENTIFIER,
    N_DATESTAMP,
    N_RELATION,
    N_RESUMPTION,
};

static const struct {
    struct sharc_span text;
    enum name name;
} names[] = {
    {SHARC_SPAN("url"), N_URL},
    {SHARC_SPAN("sitemap"), N_SITEMAP},
    {SHARC_SPAN("loc"), N_LOC},
    {SHARC_SPAN("lastmod"), N_LASTMOD},
    {SHARC_SPAN("changefreq"), N_CHANGEFREQ},
    {SHARC_SPAN("priority"), N_PRIORITY},
    {SHARC_SPAN("link"), N_LINK},
    {SHARC_SPAN("item"), N_ITEM},
    {SHARC_SPAN("entry"), N_ENTRY},
    {SHARC_SPAN("title"), N_TITLE},
    {SHARC_SPAN("guid"), N_GUID},
    {SHARC_SPAN("id"), N_ID},
    {SHARC_SPAN("pubdate"), N_PUBDATE},
    {SHARC_SPAN("published"), N_PUBLISHED},
    {SHARC_SPAN("date"), N_DATE},
    {SHARC_SPAN("updated"), N_UPDATED},
    {SHARC_SPAN("lastbuilddate"), N_UPDATED},
    {SHARC_SPAN("enclosure"), N_ENCLOSURE},
    {SHARC_SPAN("header"), N_HEADER},
    {SHARC_SPAN("identifier"), N_IDENTIFIER},
    {SHARC_SPAN("datestamp"), N_DATESTAMP},
    {SHARC_SPAN("relation"), N_RELATION},
    {SHARC_SPAN("resumptiontoken"), N_RESUMPTION},
};

struct reading {
    struct sharc__page_private *x;
    struct sharc_entry *entry; /* being filled, or NULL; entries do not move while one is */
    bool in_header;            /* OAI */
    enum name leaf;            /* whose text is being gathered */
    bool media;                /* its prefix says image or video */
    bool permalink;            /* a guid that is a URL */
    size_t at, end;            /* where that text stands */
    struct sharc_url outer;    /* what links are relative to outside the entry with its own xml:base */
    bool in_base;              /* such an entry is being read */
};

static struct sharc_span local_name(struct sharc_span name, struct sharc_span *ret_prefix)
{
    size_t colon = sharc_span_find(name, ':', 0);
    *ret_prefix = colon == SHARC_NPOS ? SHARC_SPAN_NONE : sharc_span_sub(name, 0, colon);
    return colon == SHARC_NPOS ? name : sharc_span_from(name, colon + 1);
}

static enum name name_of(struct sharc_span local)
{
    for (size_t i = 0; i < SHARC_LENGTH(names); i++)
        if (names[i].text.n == local.n && sharc_span_ieq(names[i].text, local)) return names[i].name;
    return N_OTHER;
}

static const struct sharc_html_attr *attr_named(const struct sharc_html_token *t, struct sharc_span name)
{
    for (unsigned i = 0; i < t->attr_count; i++)
        if (sharc_span_ieq(t->attrs[i].name, name)) return &t->attrs[i];
    return NULL;
}

static uint32_t link_attr(struct reading *r, const struct sharc_html_attr *attr, enum sharc_link_place place)
{
    if (!attr || !attr->value.n) return SHARC_NO_LINK;
    return sharc__extract_page_link(r->x, sharc__extract_page_value(r->x, attr), place,
                                    sharc__extract_page_at(r->x, attr->value.p), attr->value.n, 0);
}

static void set_entry_link(struct reading *r, uint32_t link)
{
    if (r->entry && r->entry->link == SHARC_NO_LINK) r->entry->link = link;
}

/* --- xml:base ----------------------------------------------------------------------------- */

/* A feed has one on its root, an entry or a link may have its own; deeper ones concern content that
 * is not read here. */
static void enter_base(struct reading *r, struct sharc_span base)
{
    struct sharc__page_private *x = r->x;
    if (sharc_url_parse_charset(&x->url, base, &x->base, x->charset, NULL) < 0) return;
    struct sharc_url before = x->base;
    x->base = x->url;
    x->url = before;
}

static void leave_entry_base(struct reading *r)
{
    if (!r->in_base) return;
    struct sharc_url inner = r->x->base;
    r->x->base = r->outer;
    r->outer = inner;
    r->in_base = false;
}

static void take_base(struct reading *r, const struct sharc_html_token *t, bool entry)
{
    struct sharc_span base = sharc__extract_page_value(r->x, attr_named(t, SHARC_SPAN("xml:base")));
    if (entry) leave_entry_base(r); /* the last one may not have been closed */
    if (!base.n || r->x->page->type != SHARC_PAGE_FEED || (r->entry && !entry)) return;
    if (entry) {
        if (sharc_url_copy(&r->outer, &r->x->base) < 0) return;
        r->in_base = true;
    }
    enter_base(r, base);
}

/* --- start tags -------------------------------------------------------------------------- */

/* <link href> of Atom, and of sitemaps that list translations. */
static void take_link_tag(struct reading *r, const struct sharc_html_token *t)
{
    const struct sharc_html_attr *href = attr_named(t, SHARC_SPAN("href"));
    struct sharc_span base = sharc__extract_page_value(r->x, attr_named(t, SHARC_SPAN("xml:base")));
    struct sharc_url around = SHARC_URL_INIT;
    if (!href) return; /* RSS: the text is the link */
    bool own = base.n && r->x->page->type == SHARC_PAGE_FEED && sharc_url_copy(&around, &r->x->base) == 0;
    if (own) enter_base(r, base);
    struct sharc_span rel = sharc__extract_page_value(r->x, attr_named(t, SHARC_SPAN("rel")));
    bool alternate = !rel.n || sharc_span_ieq(rel, SHARC_SPAN("alternate"));
    bool enclosure = sharc_span_ieq(rel, SHARC_SPAN("enclosure")), next = sharc_span_ieq(rel, SHARC_SPAN("next"));
    if (r->x->page->type == SHARC_PAGE_SITEMAP)
        link_attr(r, href, SHARC_FROM_SITEMAP_ALTERNATE);
    else if (enclosure)
        link_attr(r, href, SHARC_FROM_FEED_ENCLOSURE);
    else if (alternate || next) {
        uint32_t link = link_attr(r, href, SHARC_FROM_FEED);
        if (alternate) set_entry_link(r, link);
    }
    if (!own) return;
    sharc_url_done(&r->x->base);
    r->x->base = around;
}

static bool begins_entry(const struct reading *r, enum name name)
{
    enum sharc_page_type type = r->x->page->type;
    if (type == SHARC_PAGE_SITEMAP) return name == N_URL;
    if (type == SHARC_PAGE_SITEMAP_INDEX) return name == N_SITEMAP;
    if (type == SHARC_PAGE_OAI) return name == N_HEADER;
    return name == N_ITEM || name == N_ENTRY;
}

static void take_start(struct reading *r, const struct sharc_html_token *t)
{
    struct sharc_span prefix;
    enum name name = name_of(local_name(t->name, &prefix));
    r->leaf = t->self_closing ? N_OTHER : name;
    r->media = sharc_span_ieq(prefix, SHARC_SPAN("image")) || sharc_span_ieq(prefix, SHARC_SPAN("video")) ||
               sharc_span_ieq(prefix, SHARC_SPAN("media"));
    r->at = r->end = 0;
    sharc_buf_clear(&r->x->leaf);
    bool entry = begins_entry(r, name);
    if (name != N_LINK) take_base(r, t, entry);
    if (entry) r->entry = sharc__extract_page_entry(r->x);
    if (name == N_HEADER) {
        r->in_header = !t->self_closing;
        if (r->entry)
            r->entry->deleted =
                sharc_span_is(sharc__extract_page_value(r->x, attr_named(t, SHARC_SPAN("status"))), "deleted");
    } else if (name == N_LINK) {
        take_link_tag(r, t);
    } else if (name == N_ENCLOSURE) {
        link_attr(r, attr_named(t, SHARC_SPAN("url")), SHARC_FROM_FEED_ENCLOSURE);
    } else if (name == N_GUID) {
        r->permalink =
            !sharc_span_is(sharc__extract_page_value(r->x, attr_named(t, SHARC_SPAN("ispermalink"))), "false");
    }
}

static void take_text(struct reading *r, const struct sharc_html_token *t)
{
    if (r->leaf == N_OTHER) return;
    if (!r->end) r->at = sharc__extract_page_at(r->x, t->body.p);
    r->end = sharc__extract_page_at(r->x, t->body.p) + t->body.n;
    if (t->mode == SHARC_HTML_CDATA)
        sharc_buf_put(&r->x->leaf, t->body);
    else
        sharc_html_decode(t->body, /* attribute= */ false, &r->x->leaf);
}

/* --- end tags ----------------------------------------------------------------------------- */

static uint32_t link_text(struct reading *r, struct sharc_span text, enum sharc_link_place place)
{
    return sharc__extract_page_link(r->x, text, place, r->at, r->end - r->at, 0);
}

static void set_time(sharc_time *field, struct sharc_span text)
{
    bool day_only;
    sharc_time when;
    if (*field == SHARC_TIME_NONE && sharc__extract_date_read(text, &when, &day_only)) *field = when;
}

static void take_loc(struct reading *r, struct sharc_span text)
{
    if (r->media)
        link_text(r, text, SHARC_FROM_SITEMAP_IMAGE);
    else if (r->entry)
        set_entry_link(r, link_text(r, text,
                                    r->x->page->type == SHARC_PAGE_SITEMAP_INDEX ? SHARC_FROM_SITEMAP_INDEX
                                                                                 : SHARC_FROM_SITEMAP));
}

static void take_identifier(struct reading *r, struct sharc_span text)
{
    if (r->in_header) {
        if (r->entry) r->entry->id = sharc__extract_page_keep(r->x, text);
    } else if (sharc_span_istarts(text, SHARC_SPAN("http"))) {
        set_entry_link(r, link_text(r, text, SHARC_FROM_OAI));
    }
}

static void take_guid(struct reading *r, struct sharc_span text)
{
    if (!r->entry) return;
    r->entry->id = sharc__extract_page_keep(r->x, text);
    if (r->leaf == N_GUID && r->permalink && r->entry->link == SHARC_NO_LINK &&
        sharc_span_istarts(text, SHARC_SPAN("http")))
        set_entry_link(r, link_text(r, text, SHARC_FROM_FEED));
}

static void take_title(struct reading *r, struct sharc_span text)
{
    struct sharc_span *title = r->entry ? &r->entry->title : &r->x->page->title;
    if (!title->n && sharc_utf8_check(text) == SHARC_NPOS) *title = sharc__extract_page_keep(r->x, text);
}

static void take_leaf(struct reading *r, struct sharc_span text)
{
    sharc_time unused = SHARC_TIME_NONE;
    bool feed = r->x->page->type == SHARC_PAGE_FEED, oai = r->x->page->type == SHARC_PAGE_OAI;
    switch (r->leaf) {
    case N_LOC: take_loc(r, text); break;
    case N_LINK:
        if (feed) set_entry_link(r, link_text(r, text, SHARC_FROM_FEED));
        break;
    case N_LASTMOD:
    case N_DATESTAMP: set_time(r->entry ? &r->entry->modified : &unused, text); break;
    case N_UPDATED: set_time(r->entry ? &r->entry->modified : &r->x->page->modified, text); break;
    case N_PUBDATE:
    case N_PUBLISHED:
    case N_DATE: set_time(r->entry ? &r->entry->published : &unused, text); break;
    case N_CHANGEFREQ:
        if (r->entry && sharc_is_alpha(text.p[0])) r->entry->frequency = sharc_to_lower(text.p[0]);
        break;
    case N_PRIORITY: {
        double v;
        if (r->entry && sharc_span_to_double(text, &v) == 0 && v >= 0 && v <= 1) r->entry->priority = (float)v;
        break;
    }
    case N_TITLE:
        if (feed && !r->media) take_title(r, text);
        break;
    case N_GUID:
    case N_ID:
        if (feed) take_guid(r, text);
        break;
    case N_IDENTIFIER:
    case N_RELATION:
        if (oai) take_identifier(r, text);
        break;
    case N_RESUMPTION:
        if (oai) r->x->page->resumption = sharc__extract_page_keep(r->x, text);
        break;
    case N_OTHER:
    case N_URL:
    case N_SITEMAP:
    case N_ITEM:
    case N_ENTRY:
    case N_ENCLOSURE:
    case N_HEADER: break;
    }
}

static void take_end(struct reading *r, const struct sharc_html_token *t)
{
    struct sharc_span prefix, text = sharc__extract_trim(sharc_buf_span(&r->x->leaf));
    enum name name = name_of(local_name(t->name, &prefix));
    if (r->leaf == name && text.n && !r->x->leaf.failed) take_leaf(r, text);
    r->leaf = N_OTHER;
    if (name == N_HEADER) r->in_header = false;
    /* An OAI record goes on behind its header. */
    if (!begins_entry(r, name) || name == N_HEADER) return;
    r->entry = NULL;
    leave_entry_base(r);
}

void sharc__extract_read_xml(struct sharc__page_private *x)
{
    struct reading r = {.x = x};
    struct sharc_html_token t;
    sharc_html_init(&x->html, x->page->utf8, SHARC_XML);
    while (sharc_html_next(&x->html, &t)) {
        if (t.type == SHARC_HTML_START)
            take_start(&r, &t);
        else if (t.type == SHARC_HTML_END)
            take_end(&r, &t);
        else if (t.type == SHARC_HTML_TEXT)
            take_text(&r, &t);
    }
    sharc_url_done(&r.outer);
}

enum sharc_page_type sharc__extract_xml_type(struct sharc__page_private *x)
{
    static const struct {
        struct sharc_span root;
        enum sharc_page_type type;
    } roots[] = {
        {SHARC_SPAN("urlset"), SHARC_PAGE_SITEMAP}, {SHARC_SPAN("sitemapindex"), SHARC_PAGE_SITEMAP_INDEX},
        {SHARC_SPAN("rss"), SHARC_PAGE_FEED},       {SHARC_SPAN("rdf"), SHARC_PAGE_FEED},
        {SHARC_SPAN("feed"), SHARC_PAGE_FEED},      {SHARC_SPAN("oai-pmh"), SHARC_PAGE_OAI},
        {SHARC_SPAN("html"), SHARC_PAGE_HTML},      {SHARC_SPAN("svg"), SHARC_PAGE_SVG},
    };
    struct sharc_html_token t;
    sharc_html_init(&x->html, x->page->utf8, SHARC_XML);
    while (sharc_html_next(&x->html, &t)) {
        if (t.type != SHARC_HTML_START) continue;
        struct sharc_span prefix, root = local_name(t.name, &prefix);
        for (size_t i = 0; i < SHARC_LENGTH(roots); i++)
            if (sharc_span_ieq(root, roots[i].root)) return roots[i].type;
        break;
    }
    return SHARC_PAGE_UNKNOWN;
}
