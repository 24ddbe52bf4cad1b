/* SPDX-License-Identifier: Apache-2.0
 *
 * What a page needs to be shown: everything that its HTML and the style sheets and frames in it name, and where
 * those redirect to. What scripts ask for is not known before they run.
 */
#include "coherence.h"
#include "looks.h"

#include "sharc/extract.h"
#include "sharc/url.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_BODY = 32 << 20 };

void sharc__serve_coherence_done(struct serve_coherence *k)
{
    for (size_t i = 0; i < k->count; i++) sharc__serve_history_done(&k->parts[i].history);
    free(k->parts);
    sharc_intern_free(k->seen);
    sharc_arena_done(&k->arena);
    *k = (struct serve_coherence){.count = 0};
}

enum sharc_mapping sharc__serve_mapping(struct sharc_span name)
{
    if (sharc_span_is(name, "asof")) return SHARC_LATEST;
    return sharc_span_is(name, "coherent") ? SHARC_COHERENT : SHARC_NEAREST;
}

/* --- links of one answer -------------------------------------------------------------------- */

static bool may_embed(unsigned place)
{
    static const unsigned places[] = {SHARC_FROM_FRAME, SHARC_FROM_IFRAME,     SHARC_FROM_OBJECT,
                                      SHARC_FROM_EMBED, SHARC_FROM_LINK_STYLE, SHARC_FROM_CSS_IMPORT};
    for (size_t i = 0; i < SHARC_LENGTH(places); i++)
        if (places[i] == place) return true;
    return false;
}

/* The type that it is shown with. */
static struct sharc_span shown_type(const struct sharc_found *f, struct sharc_span body)
{
    struct sharc_span type = sharc__serve_type(f), guess = sharc__serve_type_of_bytes(body);
    return !type.n && sharc_span_is(guess, "text/html") ? guess : type;
}

bool sharc__serve_links(struct sharc_found *f, bool style, sharc__serve_link_fn *fn, void *arg, bool *ret_scripts)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf body = SHARC_BUF_INIT(MOST_BODY);
    struct sharc_url url = SHARC_URL_INIT;
    struct sharc_page page = {.cut = 0};
    bool whole = sharc_record_read_all(&f->record, SHARC_WARC_CONTENT, &body, NULL) >= 0;
    int r = sharc_url_parse(&url, f->url, NULL, NULL);
    struct sharc_span type = style ? SHARC_SPAN("text/css") : shown_type(f, sharc_buf_span(&body));
    const struct sharc_extract_input in = {.body = sharc_buf_span(&body), .url = &url, .content_type = type};
    if (r == 0 && sharc_url_is_http(&url)) r = sharc_extract(&page, &in, NULL);
    struct serve_looks looks = {.count = 0};
    if (r == 0) sharc__serve_looks_read(&page, &looks);
    for (size_t i = 0; r == 0 && i < page.link_count; i++) {
        const struct sharc_link *l = &page.links[i];
        bool embed = l->kind == SHARC_LINK_EMBED;
        if ((l->flags & (SHARC_LINK_SPECULATIVE | SHARC_LINK_LATENT)) || l->kind == SHARC_LINK_REDIRECT) continue;
        if (l->place == SHARC_FROM_IMG_LAZY) continue; /* a script may load it */
        struct serve_link link = {.url = l->url, .embed = embed, .recurse = embed && may_embed(l->place)};
        if (embed) sharc__serve_look_of(&looks, l, &link.look);
        fn(arg, &link);
    }
    sharc__serve_looks_done(&looks);
    *ret_scripts |= page.scripts > 0;
    /* XML that is read as neither page nor picture may have parts that nobody reads here. */
    bool odd = page.type != SHARC_PAGE_HTML && page.type != SHARC_PAGE_SVG &&
               sharc__serve_is_xml(sharc_http_media(type).type) && sharc__serve_xml_may_be_page(in.body);
    whole &= r == 0 && !page.cut && !odd;
    sharc_page_done(&page);
    sharc_url_done(&url);
    return whole;
}

/* --- the parts --------------------------------------------------------------------------------- */

struct needs {
    struct serve_coherence *k;
    double most_weight; /* of what the page asks for */
};

static void need(const struct needs *n, const struct serve_link *l)
{
    struct serve_coherence *k = n->k;
    bool fresh;
    double weight = fmin(sharc_quality_part_weight(&l->look), n->most_weight);
    uint32_t id = sharc_intern_add(k->seen, l->url, &fresh);
    if (!fresh) {
        /* Named more than once: as it weighs most. Numbers are given in the order of the parts. */
        struct serve_part *p = id < k->count ? &k->parts[id] : NULL;
        if (p && weight > p->weight) p->look = l->look, p->most_weight = n->most_weight, p->weight = weight;
        return;
    }
    if (k->count >= SERVE_MOST_PARTS) {
        k->cut = true;
        return;
    }
    SHARC_GROW(k->parts, k->room, k->count + 1);
    k->parts[k->count++] = (struct serve_part){.url = sharc_arena_copy(&k->arena, l->url),
                                               .recurse = l->recurse,
                                               .look = l->look,
                                               .weight = weight,
                                               .most_weight = n->most_weight,
                                               .history = SERVE_HISTORY_INIT,
                                               .stated = SHARC_TIME_NONE};
}

static void need_embed(void *arg, const struct serve_link *l)
{
    if (l->embed) need(arg, l);
}

/* Each step of a redirect weighs as what it leads to. */
static void need_redirect(struct serve_coherence *k, const struct sharc_found *f, const struct serve_part *p)
{
    const struct needs n = {k, p->most_weight};
    struct serve_link l = {.embed = true, .recurse = p->recurse, .look = p->look};
    struct sharc_url base = SHARC_URL_INIT, url = SHARC_URL_INIT;
    if (sharc_url_parse(&base, f->url, NULL, NULL) == 0 &&
        sharc_url_parse(&url, sharc_found_get(f, "Location"), &base, NULL) == 0 && sharc_url_is_http(&url)) {
        l.url = sharc_url_page(&url);
        need(&n, &l);
    }
    sharc_url_done(&base);
    sharc_url_done(&url);
}

/* What was archived of a part has a size. */
static void weigh(struct serve_part *p, const struct sharc_found *f)
{
    if (f->size != UINT64_MAX && f->size < INT64_MAX && f->status == 200) p->look.bytes = (int64_t)f->size;
    p->weight = fmin(sharc_quality_part_weight(&p->look), p->most_weight);
}

static bool is_page(const struct sharc_found *f)
{
    static const char *const types[] = {"text/html", "application/xhtml+xml", "image/svg+xml", "text/css", NULL};
    struct sharc_span type = sharc_http_media(sharc__serve_type(f)).type;
    for (const char *const *t = types; *t; t++)
        if (sharc_span_ieq(type, sharc_span_of(*t))) return true;
    return !type.n || sharc__serve_is_xml(type);
}

/* As the capture says, in the same words: what is shown, and what is known of that URL. */
static void take_found(struct serve_coherence *k, size_t i, struct sharc_found *f)
{
    struct serve_part *p = &k->parts[i];
    memcpy(p->timestamp, f->timestamp, sizeof p->timestamp);
    p->when = p->ended = f->when;
    p->status = f->status;
    p->revisit = f->revisit;
    p->target = sharc_arena_copy(&k->arena, f->url);
    p->similar = f->approximate || !sharc__serve_same_key(f->url, p->url);
    p->type = sharc_arena_copy(&k->arena, sharc_http_media(f->type).type);
    bool moved = sharc_http_is_redirect(f->status) && sharc_found_get(f, "Location").p;
    if (!moved) weigh(p, f);
    /* To a page without a doctype a style sheet is one whatever type it was sent with. */
    bool style = i && p->look.kind == SHARC_KIND_STYLE;
    /* What stands in a frame is not larger than it. */
    struct needs n = {k, i && p->look.kind == SHARC_KIND_FRAME ? p->weight : p->most_weight};
    if (moved)
        need_redirect(k, f, &(struct serve_part){.recurse = p->recurse, .look = p->look, .most_weight = n.most_weight});
    else if ((i == 0 || p->recurse) && (style || is_page(f)) &&
             !sharc__serve_links(f, style, need_embed, &n, &k->scripts))
        k->cut = true;
}

int sharc__serve_parts(const struct sharc_edition *e, const struct serve_address *a, struct serve_coherence *k,
                       struct sharc_err *reterr)
{
    struct sharc_wish base = {.timestamp = a->timestamp, .mapping = sharc__serve_mapping(a->mapping)};
    sharc_time around = SHARC_TIME_NONE;
    if (a->timestamp.n) sharc_time_parse(a->timestamp, &around, NULL);
    sharc_arena_init(&k->arena, 16u << 20);
    k->seen = sharc_intern_new();
    k->asked = sharc_span_is(a->mapping, "web") ? SHARC_TIME_NONE : around;
    need(&(struct needs){k, 1}, &(struct serve_link){.url = a->url, .recurse = true, .look = SHARC_PART_LOOK_INIT});
    for (size_t i = 0; i < k->count; i++) {
        SHARC_AUTO(sharc_found_freep) struct sharc_found *f = NULL;
        struct sharc_wish w = base;
        w.url = k->parts[i].url;
        int r = sharc_find(e, &w, &f, i ? NULL : reterr);
        if (r == SHARC_ENOENT && sharc__serve_find_similar(e, &w, &f) == 0) r = 0; /* as replay does */
        if (r < 0 && i == 0) return r;
        k->parts[i].missing = r < 0;
        k->missing += r < 0;
        if (r < 0) continue;
        /* Links of a page that was asked for without a time carry the page's own. */
        if (!base.timestamp.n) base.timestamp = sharc_arena_copy(&k->arena, sharc_span_of(f->timestamp));
        k->parts[i].outside = !sharc__serve_is_inside(&a->limits, base.timestamp, f->when);
        k->outside += k->parts[i].outside;
        take_found(k, i, f);
        k->similar += k->parts[i].similar;
        struct serve_part *p = &k->parts[i];
        sharc_time at = k->asked == SHARC_TIME_NONE ? k->parts[0].when : k->asked;
        r = sharc__serve_history(e, f->url, at, sharc__serve_sights_each(k->count), &p->history, NULL);
        p->blank = r < 0;
    }
    return 0;
}
