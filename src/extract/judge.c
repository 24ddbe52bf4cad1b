/* SPDX-License-Identifier: Apache-2.0
 *
 * From two downloads to a verdict and what it matters.
 */
#include "sharc/extract_compare.h"

#include <math.h>
#include <stdlib.h>

enum sharc_change_answer sharc_page_answer(int status)
{
    if (status == 0 || (status >= 200 && status < 300)) return SHARC_ANSWER_CONTENT;
    if (status == 304) return SHARC_ANSWER_NOT_MODIFIED;
    if (status >= 300 && status < 400) return SHARC_ANSWER_REDIRECT;
    return status == 404 || status == 410 ? SHARC_ANSWER_GONE : SHARC_ANSWER_FAILED;
}

bool sharc_page_is_front(struct sharc_span url)
{
    static const struct sharc_span names[] = {SHARC_SPAN("index."), SHARC_SPAN("default."), SHARC_SPAN("home.")};
    size_t at = sharc_span_search(url, SHARC_SPAN("://"));
    if (at == SHARC_NPOS) return false;
    size_t slash = sharc_span_find(url, '/', at + 3);
    if (slash == SHARC_NPOS) return true;
    struct sharc_span path = sharc_span_from(url, slash + 1);
    if (path.n == 0) return true;
    if (sharc_span_find(path, '/', 0) != SHARC_NPOS || sharc_span_find(path, '?', 0) != SHARC_NPOS) return false;
    for (size_t i = 0; i < SHARC_LENGTH(names); i++)
        if (sharc_span_istarts(path, names[i])) return true;
    return false;
}

/* --- text ------------------------------------------------------------------------------- */

static bool starts_with_one_of(struct sharc_span type, const struct sharc_span *kinds, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (sharc_span_istarts(type, kinds[i])) return true;
    return false;
}

static bool is_media(struct sharc_span type)
{
    static const struct sharc_span kinds[] = {SHARC_SPAN("image/"), SHARC_SPAN("audio/"), SHARC_SPAN("video/")};
    return starts_with_one_of(type, kinds, SHARC_LENGTH(kinds));
}

static bool is_font(struct sharc_span type)
{
    static const struct sharc_span kinds[] = {SHARC_SPAN("font/"), SHARC_SPAN("application/font"),
                                              SHARC_SPAN("application/x-font"), SHARC_SPAN("application/vnd.ms-font")};
    return starts_with_one_of(type, kinds, SHARC_LENGTH(kinds));
}

bool sharc_page_may_have_text(struct sharc_span content_type)
{
    if (sharc_span_istarts(content_type, SHARC_SPAN("image/svg"))) return true;
    return !is_media(content_type) && !is_font(content_type);
}

bool sharc_page_text(const struct sharc_page *page, struct sharc_span content_type, struct sharc_span body,
                     struct sharc_span *ret)
{
    if (!sharc_page_may_have_text(content_type) || page->type == SHARC_PAGE_PDF) return false;
    if (page->type == SHARC_PAGE_HTML || page->type == SHARC_PAGE_SVG)
        *ret = page->text;
    else if (page->type != SHARC_PAGE_UNKNOWN)
        *ret = page->utf8;
    else if (sharc_utf8_check(body) == SHARC_NPOS && sharc_span_find(body, 0, 0) == SHARC_NPOS)
        *ret = body;
    else
        return false;
    return true;
}

/* --- importance ---------------------------------------------------------------------------- */

double sharc_page_type_weight(struct sharc_span type)
{
    static const struct sharc_span dress[] = {SHARC_SPAN("text/css"),
                                              SHARC_SPAN("text/javascript"),
                                              SHARC_SPAN("text/ecmascript"),
                                              SHARC_SPAN("application/javascript"),
                                              SHARC_SPAN("application/x-javascript"),
                                              SHARC_SPAN("application/ecmascript"),
                                              SHARC_SPAN("application/wasm"),
                                              SHARC_SPAN("application/manifest"),
                                              SHARC_SPAN("image/x-icon"),
                                              SHARC_SPAN("image/vnd.microsoft.icon")};
    static const struct sharc_span data[] = {SHARC_SPAN("application/json"), SHARC_SPAN("application/ld+json"),
                                             SHARC_SPAN("application/rss"),  SHARC_SPAN("application/atom"),
                                             SHARC_SPAN("application/xml"),  SHARC_SPAN("text/xml"),
                                             SHARC_SPAN("text/csv"),         SHARC_SPAN("text/tab-separated-values"),
                                             SHARC_SPAN("text/calendar")};
    if (is_font(type) || starts_with_one_of(type, dress, SHARC_LENGTH(dress))) return 0.1;
    if (is_media(type)) return 0.2;
    return starts_with_one_of(type, data, SHARC_LENGTH(data)) ? 0.5 : 1;
}

static bool is_outer(unsigned role)
{
    return role == SHARC_BLOCK_HEADER || role == SHARC_BLOCK_NAVIGATION || role == SHARC_BLOCK_SIDE ||
           role == SHARC_BLOCK_FOOTER;
}

static bool is_touched(const struct sharc_change_ops *o)
{
    return o->inserted + o->updated + o->moved + o->deleted > 0;
}

/* E is a share of the page. What a reader notices grows much slower than that: one new
 * headline among fifty is news, and the whole page rewritten is not fifty times the news. */
static double noticed(double share)
{
    return sqrt(share);
}

/* What is put on the front page is put where most readers look: it counts as if it had been
 * noticed by either of two. */
static double on_front_page(double importance)
{
    return 1 - (1 - importance) * (1 - importance);
}

static void weigh_blocks(struct sharc_page_judgement *j, const struct sharc_page_pairs *pairs)
{
    const size_t n = pairs->count;
    SHARC_AUTO(sharc_freep) struct sharc_change_block *blocks = SHARC_NEW_ARRAY(struct sharc_change_block, n);
    SHARC_AUTO(sharc_freep) struct sharc_change_ops *ops = SHARC_NEW_ARRAY(struct sharc_change_ops, n);
    for (size_t i = 0; i < n; i++) blocks[i] = pairs->pairs[i].block;
    j->importance = noticed(sharc_change_importance(blocks, n, ops));
    j->edit = sharc_change_edit_print(blocks, n);
    j->outer_only = j->edit != 0;
    for (size_t i = 0; i < n; i++) {
        j->ops.inserted += ops[i].inserted, j->ops.updated += ops[i].updated;
        j->ops.moved += ops[i].moved, j->ops.deleted += ops[i].deleted;
        if (is_touched(&ops[i]) && !is_outer(pairs->pairs[i].role)) j->outer_only = false;
    }
}

static bool has_blocks(const struct sharc_page_judgement *j, const struct sharc_page_version *before,
                       const struct sharc_page_version *after)
{
    return before && after && before->has_text && after->has_text && before->prints && after->prints &&
           j->verdict.change != SHARC_UNCHANGED && before->prints->part_count + after->prints->part_count > 0;
}

/* --- the judgement --------------------------------------------------------------------------- */

static struct sharc_change_version as_version(const struct sharc_page_version *v)
{
    struct sharc_change_version c = {.answer = v->answer,
                                     .payload = v->content,
                                     .last_modified = v->last_modified,
                                     .has_text = v->has_text,
                                     .text = v->text};
    if (v->prints) c.links = v->prints->links, c.n_links = v->prints->link_count;
    return c;
}

/* One side is not there at all. */
static void judge_alone(const struct sharc_page_version *before, const struct sharc_page_version *after,
                        struct sharc_change_verdict *ret)
{
    *ret = (struct sharc_change_verdict){.step = SHARC_STEP_ANSWER, .similarity = -1, .stated = SHARC_TIME_NONE};
    const struct sharc_page_version *only = after ? after : before;
    SHARC_ASSERT(only);
    const enum sharc_change_answer known = only->answer;
    if (known == SHARC_ANSWER_GONE)
        ret->change = SHARC_UNCHANGED;
    else if (known == SHARC_ANSWER_FAILED)
        ret->change = SHARC_FAILED;
    else
        ret->change = after ? SHARC_NEW : SHARC_MISSING;
    if (after) ret->stated = after->last_modified;
}

static double class_importance(const struct sharc_page_judgement *j, const struct sharc_page_version *after)
{
    if (j->verdict.change == SHARC_NEW && after && after->answer == SHARC_ANSWER_REDIRECT) return 0.1; /* no page */
    return sharc_change_class_importance(&j->verdict);
}

void sharc_page_judge(const struct sharc_page_version *before, const struct sharc_page_version *after,
                      const struct sharc_change_options *o, struct sharc_page_judgement *ret,
                      struct sharc_page_pairs *ret_pairs)
{
    struct sharc_change_version b, a;
    *ret = (struct sharc_page_judgement){.edit = 0};
    if (before && after) {
        b = as_version(before), a = as_version(after);
        sharc_change_compare(&b, &a, o, &ret->verdict);
    } else {
        judge_alone(before, after, &ret->verdict);
    }
    if (after && ret->verdict.stated == SHARC_TIME_NONE) ret->verdict.stated = after->stated;
    ret->importance = class_importance(ret, after);
    if (has_blocks(ret, before, after)) {
        SHARC_AUTO(sharc_page_pairs_done) struct sharc_page_pairs own = SHARC_PAGE_PAIRS_INIT;
        struct sharc_page_pairs *pairs = ret_pairs ? ret_pairs : &own;
        sharc_page_pairs_make(pairs, before->prints, after->prints);
        weigh_blocks(ret, pairs);
    }
    struct sharc_span type = after ? after->content_type : SHARC_SPAN_NONE;
    if (!type.n && before) type = before->content_type;
    ret->importance *= sharc_page_type_weight(type);
    if (after && after->front) ret->importance = on_front_page(ret->importance);
}
