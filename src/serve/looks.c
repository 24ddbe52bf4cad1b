/* SPDX-License-Identifier: Apache-2.0
 *
 * What a page says about the parts it names: what they are there for, and how large they are to be shown.
 */
#include "looks.h"

#include "sharc/base_order.h"
#include "sharc/extract_html.h"

#include <stdlib.h>

/* --- tags with a size --------------------------------------------------------------------- */

struct serve_tag {
    uint32_t from, to; /* bytes of the page */
    int64_t width, height;
    bool print; /* media="print" */
};

/* Whole pixels; "100%" and the like say nothing without the page around it. */
static int64_t pixels(struct sharc_span value)
{
    uint64_t n = 0;
    size_t digits = 0;
    value = sharc_span_trim(value);
    while (digits < value.n && sharc_is_digit(value.p[digits])) digits++;
    struct sharc_span rest = sharc_span_trim(sharc_span_from(value, digits));
    if (!digits || digits > 6 || (rest.n && !sharc_span_ieq(rest, SHARC_SPAN("px")))) return -1;
    for (size_t i = 0; i < digits; i++) n = n * 10 + (uint64_t)(value.p[i] - '0');
    return (int64_t)n;
}

static bool read_tag(const struct sharc_html_token *t, struct serve_tag *ret)
{
    *ret = (struct serve_tag){.width = -1, .height = -1};
    for (unsigned i = 0; i < t->attr_count; i++) {
        const struct sharc_html_attr *a = &t->attrs[i];
        if (sharc_span_ieq(a->name, SHARC_SPAN("width"))) ret->width = pixels(a->value);
        if (sharc_span_ieq(a->name, SHARC_SPAN("height"))) ret->height = pixels(a->value);
        if (t->tag == SHARC_TAG_LINK && sharc_span_ieq(a->name, SHARC_SPAN("media")))
            ret->print = sharc_span_ieq(sharc_span_trim(a->value), SHARC_SPAN("print"));
    }
    return ret->width >= 0 || ret->height >= 0 || ret->print;
}

void sharc__serve_looks_read(const struct sharc_page *page, struct serve_looks *ret)
{
    SHARC_AUTO(sharc_freep) struct sharc_html *h = SHARC_NEW(struct sharc_html);
    struct sharc_html_token t;
    size_t room = 0;
    *ret = (struct serve_looks){.page = page};
    if (page->type != SHARC_PAGE_HTML) return;
    sharc_html_init(h, page->utf8, SHARC_HTML);
    while (ret->count < SHARC_LIMIT_LINKS_PER_PAGE && sharc_html_next(h, &t)) {
        struct serve_tag tag;
        if (t.type != SHARC_HTML_START || !t.attr_count || !read_tag(&t, &tag)) continue;
        tag.from = (uint32_t)(t.raw.p - page->utf8.p);
        tag.to = tag.from + (uint32_t)t.raw.n;
        SHARC_GROW(ret->tags, room, ret->count + 1);
        ret->tags[ret->count++] = tag;
    }
}

void sharc__serve_looks_done(struct serve_looks *l)
{
    free(l->tags);
}

static const struct serve_tag *tag_at(const struct serve_looks *l, uint32_t at)
{
    size_t tag = SHARC_COUNT_WHILE(i, l->count, l->tags[i].to <= at);
    return tag < l->count && l->tags[tag].from <= at ? &l->tags[tag] : NULL;
}

/* --- kinds by place ------------------------------------------------------------------------- */

/* What is preloaded is named again where it is used. */
static const struct {
    uint8_t place, kind;
} kinds[] = {
    {SHARC_FROM_LINK_STYLE, SHARC_KIND_STYLE},    {SHARC_FROM_CSS_IMPORT, SHARC_KIND_STYLE},
    {SHARC_FROM_SCRIPT, SHARC_KIND_SCRIPT},       {SHARC_FROM_FRAME, SHARC_KIND_FRAME},
    {SHARC_FROM_IFRAME, SHARC_KIND_FRAME},        {SHARC_FROM_VIDEO, SHARC_KIND_VIDEO},
    {SHARC_FROM_AUDIO, SHARC_KIND_AUDIO},         {SHARC_FROM_IMG, SHARC_KIND_IMAGE},
    {SHARC_FROM_IMG_SRCSET, SHARC_KIND_IMAGE},    {SHARC_FROM_SOURCE_SRCSET, SHARC_KIND_IMAGE},
    {SHARC_FROM_INPUT_IMAGE, SHARC_KIND_IMAGE},   {SHARC_FROM_POSTER, SHARC_KIND_IMAGE},
    {SHARC_FROM_BACKGROUND, SHARC_KIND_IMAGE},    {SHARC_FROM_LINK_ICON, SHARC_KIND_ASIDE},
    {SHARC_FROM_LINK_MANIFEST, SHARC_KIND_ASIDE}, {SHARC_FROM_LINK_PRELOAD, SHARC_KIND_ASIDE},
    {SHARC_FROM_HTML_MANIFEST, SHARC_KIND_ASIDE}, {SHARC_FROM_TRACK, SHARC_KIND_ASIDE},
};

static enum sharc_part_kind kind_of(const struct sharc_link *l)
{
    for (size_t i = 0; i < SHARC_LENGTH(kinds); i++)
        if (kinds[i].place == l->place) return (enum sharc_part_kind)kinds[i].kind;
    return sharc_quality_kind_of_url(l->url);
}

static bool is_background(const struct sharc_link *l)
{
    return l->place == SHARC_FROM_BACKGROUND || l->place == SHARC_FROM_STYLE_ATTRIBUTE ||
           l->place == SHARC_FROM_CSS_URL;
}

static bool is_beside(const struct sharc_page *page, const struct sharc_link *l)
{
    if (l->block >= page->block_count) return false;
    unsigned role = page->blocks[l->block].role;
    return role == SHARC_BLOCK_SIDE || role == SHARC_BLOCK_FOOTER;
}

void sharc__serve_look_of(const struct serve_looks *all, const struct sharc_link *l, struct sharc_part_look *ret)
{
    const struct serve_tag *tag = tag_at(all, l->at);
    *ret = (struct sharc_part_look)SHARC_PART_LOOK_INIT;
    ret->kind = kind_of(l);
    bool background = is_background(l);
    if (background && ret->kind == SHARC_KIND_OTHER) ret->kind = SHARC_KIND_IMAGE;
    ret->decorates = (background && ret->kind == SHARC_KIND_IMAGE) || is_beside(all->page, l);
    if (tag && tag->print) ret->kind = SHARC_KIND_ASIDE;
    if (tag && !background) {
        ret->width = tag->width;
        ret->height = tag->height;
    }
}
