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

static struct sharc_page_version as_version(const struct sharc_diff_version *v)
{
    return (struct sharc_page_version){.answer = v->answer,
                                       .content = v->has_digest ? &v->digest : NULL,
                                       .last_modified = v->last_modified,
                                       .stated = v->has_text ? v->page.modified : SHARC_TIME_NONE,
                                       .content_type = v->content_type,
                                       .front = sharc_page_is_front(v->url),
                                       .has_text = v->has_text,
                                       .text = v->text,
                                       .prints = v->has_text ? &v->prints : NULL};
}

static void keep_blocks(struct sharc_diff_page *p, const struct sharc_page_pairs *pairs)
{
    double sum = 0;
    p->blocks = SHARC_NEW_ARRAY(struct sharc_diff_block, pairs->count);
    p->block_count = pairs->count;
    for (size_t i = 0; i < pairs->count; i++) sum += pairs->pairs[i].block.weight;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct sharc_page_pair *pair = &pairs->pairs[i];
        p->blocks[i] = (struct sharc_diff_block){.role = pair->role,
                                                 .weight = sum > 0 ? pair->block.weight / sum : 0,
                                                 .is_new = pair->is_new,
                                                 .is_gone = pair->is_gone};
        sharc_change_ops(&pair->block, &p->blocks[i].ops);
    }
}

static void judge(struct sharc_diff_page *p, const struct sharc_diff_version *before,
                  const struct sharc_diff_version *after, const struct sharc_diff_options *o, bool details)
{
    SHARC_AUTO(sharc_page_pairs_done) struct sharc_page_pairs pairs = SHARC_PAGE_PAIRS_INIT;
    struct sharc_page_version b, a;
    struct sharc_page_judgement j;
    if (before) b = as_version(before);
    if (after) a = as_version(after);
    sharc_page_judge(before ? &b : NULL, after ? &a : NULL, &o->change, &j, &pairs);
    p->verdict = j.verdict;
    p->kind = sharc_diff_class_of(&j.verdict);
    p->importance = j.importance;
    p->ops = j.ops;
    p->edit = j.edit;
    p->outer_only = j.outer_only;
    if (details && pairs.count) keep_blocks(p, &pairs);
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
    judge(p, before, after, o, details);
    if (details && p->verdict.change != SHARC_UNCHANGED) explain(p, before, after, o);
}
