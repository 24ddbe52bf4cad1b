/* SPDX-License-Identifier: Apache-2.0
 *
 * Two versions of a page held against each other.
 */
#include "diff_int.h"

#include <stdlib.h>

void sharc_diff_page_done(struct sharc_diff_page *p)
{
    free(p->blocks);
    free(p->links_added);
    free(p->links_removed);
    sharc_change_rows_done(&p->rows);
    *p = (struct sharc_diff_page){.edit = 0};
}

static struct sharc_change_version as_version(const struct sharc_diff_version *v)
{
    return (struct sharc_change_version){.answer = v->answer,
                                         .payload = v->has_digest ? &v->digest : NULL,
                                         .last_modified = v->last_modified,
                                         .has_text = v->has_text,
                                         .text = v->text,
                                         .links = v->prints.links,
                                         .n_links = v->prints.link_count};
}

static void judge(struct sharc_diff_page *p, const struct sharc_diff_version *before,
                  const struct sharc_diff_version *after, const struct sharc_diff_options *o)
{
    if (!after) {
        p->verdict = (struct sharc_change_verdict){.change = SHARC_MISSING,
                                                   .step = SHARC_STEP_ANSWER,
                                                   .similarity = -1,
                                                   .stated = SHARC_TIME_NONE};
        return;
    }
    struct sharc_change_version b, a = as_version(after);
    if (before) b = as_version(before);
    sharc_change_compare(before ? &b : NULL, &a, &o->change, &p->verdict);
    if (p->verdict.stated == SHARC_TIME_NONE && after->has_text) p->verdict.stated = after->page.modified;
}

static bool has_blocks(const struct sharc_diff_page *p, const struct sharc_diff_version *before,
                       const struct sharc_diff_version *after)
{
    return before && after && before->has_text && after->has_text && p->verdict.change != SHARC_UNCHANGED &&
           before->prints.part_count + after->prints.part_count > 0;
}

static void weigh(struct sharc_diff_page *p, const struct sharc_diff_version *before,
                  const struct sharc_diff_version *after, bool details)
{
    SHARC_AUTO(sharc_page_pairs_done) struct sharc_page_pairs pairs = SHARC_PAGE_PAIRS_INIT;
    sharc_page_pairs_make(&pairs, &before->prints, &after->prints);
    const size_t n = pairs.count;
    SHARC_AUTO(sharc_freep) struct sharc_change_block *blocks = SHARC_NEW_ARRAY(struct sharc_change_block, n);
    SHARC_AUTO(sharc_freep) struct sharc_change_ops *ops = SHARC_NEW_ARRAY(struct sharc_change_ops, n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) blocks[i] = pairs.pairs[i].block, sum += blocks[i].weight;
    p->importance = sharc_change_importance(blocks, n, ops);
    p->edit = sharc_change_edit_print(blocks, n);
    for (size_t i = 0; i < n; i++) {
        p->ops.inserted += ops[i].inserted, p->ops.updated += ops[i].updated;
        p->ops.moved += ops[i].moved, p->ops.deleted += ops[i].deleted;
    }
    if (!details) return;
    p->blocks = SHARC_NEW_ARRAY(struct sharc_diff_block, n);
    p->block_count = n;
    for (size_t i = 0; i < n; i++)
        p->blocks[i] = (struct sharc_diff_block){.role = pairs.pairs[i].role,
                                                 .weight = sum > 0 ? blocks[i].weight / sum : 0,
                                                 .is_new = pairs.pairs[i].is_new,
                                                 .is_gone = pairs.pairs[i].is_gone,
                                                 .ops = ops[i]};
}

/* --- links ---------------------------------------------------------------------------- */

/* Content links of `page` whose targets `other` does not have, each once. */
static size_t links_only_in(const struct sharc_page *page, const struct sharc_page *other, struct sharc_span **ret)
{
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *seen = sharc_intern_new();
    size_t count = 0, room = 0;
    struct sharc_span *links = NULL;
    bool fresh;
    for (size_t i = 0; i < other->link_count; i++)
        if (sharc_link_is_content(&other->links[i])) sharc_intern_add(seen, other->links[i].url, NULL);
    for (size_t i = 0; i < page->link_count; i++) {
        if (!sharc_link_is_content(&page->links[i])) continue;
        sharc_intern_add(seen, page->links[i].url, &fresh);
        if (!fresh) continue;
        SHARC_GROW(links, room, count + 1);
        struct sharc_span url = page->links[i].url;
        bool relative = sharc_span_starts(url, SHARC_SPAN(SHARC__DIFF_NO_HOST "/"));
        links[count++] = relative ? sharc_span_from(url, sizeof SHARC__DIFF_NO_HOST - 1) : url;
    }
    *ret = links;
    return count;
}

static void explain(struct sharc_diff_page *p, const struct sharc_diff_version *before,
                    const struct sharc_diff_version *after, const struct sharc_diff_options *o)
{
    static const struct sharc_page none = {.link_count = 0};
    const struct sharc_page *old = before && before->has_text ? &before->page : &none;
    const struct sharc_page *now = after && after->has_text ? &after->page : &none;
    p->n_links_added = links_only_in(now, old, &p->links_added);
    p->n_links_removed = links_only_in(old, now, &p->links_removed);
    struct sharc_change_rows_options rows = {.context = o->context, .most = o->max_rows};
    sharc_change_rows_make(&p->rows, before && before->has_text ? before->text : SHARC_SPAN_NONE,
                           after && after->has_text ? after->text : SHARC_SPAN_NONE, &rows);
}

void sharc_diff_page_make(struct sharc_diff_page *p, const struct sharc_diff_version *before,
                          const struct sharc_diff_version *after, const struct sharc_diff_options *o, bool details)
{
    sharc_diff_page_done(p);
    judge(p, before, after, o);
    p->importance = sharc_change_class_importance(&p->verdict);
    if (has_blocks(p, before, after)) weigh(p, before, after, details);
    if (details && p->verdict.change != SHARC_UNCHANGED) explain(p, before, after, o);
}
