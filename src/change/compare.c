/* SPDX-License-Identifier: Apache-2.0
 *
 * The cascade of comparisons: each step either decides or hands on.
 */
#include "change_int.h"
#include "sharc/change_compare.h"

const char *sharc_change_step_name(enum sharc_change_step s)
{
    static const char *const names[] = {"kind of answer", "not modified",  "payload digest", "last modified",
                                        "text digest",    "edit distance", "shingles"};
    return s < SHARC_LENGTH(names) ? names[s] : "";
}

const char *sharc_change_class_name(enum sharc_change_class c)
{
    static const char *const names[] = {"unchanged", "insignificant", "text changed", "links changed",
                                        "missing",   "new",           "redirected",   "failed"};
    return c < SHARC_LENGTH(names) ? names[c] : "";
}

int sharc_change_class_find(struct sharc_span name, enum sharc_change_class *ret)
{
    for (int c = SHARC_UNCHANGED; c <= SHARC_FAILED; c++) {
        if (!sharc_span_is(name, sharc_change_class_name((enum sharc_change_class)c))) continue;
        *ret = (enum sharc_change_class)c;
        return 0;
    }
    return SHARC_ENOENT;
}

/* Both lists ascend. */
static void compare_links(const struct sharc_change_version *a, const struct sharc_change_version *b,
                          struct sharc_change_verdict *ret)
{
    size_t i = 0, j = 0;
    while (i < a->n_links && j < b->n_links) {
        if (a->links[i] == b->links[j])
            i++, j++;
        else if (a->links[i] < b->links[j])
            i++, ret->links_removed++;
        else
            j++, ret->links_added++;
    }
    ret->links_removed += a->n_links - i;
    ret->links_added += b->n_links - j;
}

static bool same_payload(const struct sharc_change_version *a, const struct sharc_change_version *b)
{
    return a->payload && b->payload && sharc_digest_eq(a->payload, b->payload);
}

/* What the kind of answer alone decides. */
static bool by_answer(const struct sharc_change_version *before, const struct sharc_change_version *after,
                      struct sharc_change_verdict *ret)
{
    ret->step = SHARC_STEP_ANSWER;
    if (after->answer == SHARC_ANSWER_FAILED) {
        ret->change = SHARC_FAILED;
    } else if (!before || before->answer == SHARC_ANSWER_FAILED) {
        ret->change = after->answer == SHARC_ANSWER_GONE ? SHARC_MISSING : SHARC_NEW;
    } else if (after->answer == SHARC_ANSWER_NOT_MODIFIED) {
        ret->change = SHARC_UNCHANGED;
        ret->step = SHARC_STEP_NOT_MODIFIED;
    } else if (after->answer == SHARC_ANSWER_GONE) {
        ret->change = before->answer == SHARC_ANSWER_GONE ? SHARC_UNCHANGED : SHARC_MISSING;
    } else if (after->answer == SHARC_ANSWER_REDIRECT) {
        bool same = before->answer == SHARC_ANSWER_REDIRECT && same_payload(before, after);
        ret->change = same ? SHARC_UNCHANGED : SHARC_REDIRECTED;
    } else if (before->answer != SHARC_ANSWER_CONTENT && before->answer != SHARC_ANSWER_NOT_MODIFIED) {
        ret->change = SHARC_TEXT_CHANGED; /* came back, or no longer redirects */
    } else {
        return false;
    }
    return true;
}

/* What equal text digests would say, without making them. */
static bool same_words(struct sharc_span a, struct sharc_span b)
{
    a = sharc_span_trim(a), b = sharc_span_trim(b);
    if (sharc_span_eq(a, b)) return true;
    size_t i = 0, j = 0;
    while (i < a.n && j < b.n) {
        bool blank = sharc_is_space(a.p[i]);
        if (blank != sharc_is_space(b.p[j]) || (!blank && a.p[i] != b.p[j])) return false;
        i = blank ? sharc_span_skip_space(a, i) : i + 1;
        j = blank ? sharc_span_skip_space(b, j) : j + 1;
    }
    return i == a.n && j == b.n;
}

static double similarity(const struct sharc_change_version *before, const struct sharc_change_version *after,
                         const struct sharc_change_options *o, enum sharc_change_step *ret_step)
{
    *ret_step = SHARC_STEP_TEXT;
    if (same_words(before->text, after->text)) return 1;
    size_t longer = before->text.n > after->text.n ? before->text.n : after->text.n;
    if (longer <= o->short_text) {
        *ret_step = SHARC_STEP_EDITS;
        size_t edits = sharc_change_edits(before->text, after->text, longer);
        return 1 - (double)edits / (double)longer;
    }
    *ret_step = SHARC_STEP_SHINGLES;
    SHARC_AUTO(sharc_change_shingles_done) struct sharc_change_shingles x = SHARC_CHANGE_SHINGLES_INIT;
    SHARC_AUTO(sharc_change_shingles_done) struct sharc_change_shingles y = SHARC_CHANGE_SHINGLES_INIT;
    sharc_change_shingles_make(&x, before->text, SHARC_CHANGE_WORDS, o->shingle);
    sharc_change_shingles_make(&y, after->text, SHARC_CHANGE_WORDS, o->shingle);
    return sharc_change_jaccard(&x, &y);
}

static bool same_last_modified(const struct sharc_change_version *a, const struct sharc_change_version *b)
{
    return a->last_modified != SHARC_TIME_NONE && a->last_modified == b->last_modified;
}

/* Evidence of when, not of whether. */
static sharc_time stated_time(const struct sharc_change_version *v)
{
    sharc_time t;
    if (v->last_modified != SHARC_TIME_NONE) return v->last_modified;
    return v->has_text && sharc_change_date_find(v->text, &t, NULL) ? t : SHARC_TIME_NONE;
}

void sharc_change_compare(const struct sharc_change_version *before, const struct sharc_change_version *after,
                          const struct sharc_change_options *o, struct sharc_change_verdict *ret)
{
    *ret = (struct sharc_change_verdict){.similarity = -1, .stated = stated_time(after)};
    if (by_answer(before, after, ret)) return;
    if (same_payload(before, after)) {
        ret->change = SHARC_UNCHANGED;
        ret->step = SHARC_STEP_PAYLOAD;
        ret->similarity = 1;
        return;
    }
    if (o->trust_last_modified && same_last_modified(before, after)) {
        ret->change = SHARC_UNCHANGED;
        ret->step = SHARC_STEP_LAST_MODIFIED;
        return;
    }
    compare_links(before, after, ret);
    if (!before->has_text || !after->has_text) {
        ret->change = SHARC_TEXT_CHANGED;
        ret->step = SHARC_STEP_PAYLOAD;
        return;
    }
    ret->similarity = similarity(before, after, o, &ret->step);
    if (ret->similarity < o->alike)
        ret->change = SHARC_TEXT_CHANGED;
    else
        ret->change = ret->links_added + ret->links_removed > 0 ? SHARC_LINKS_CHANGED : SHARC_INSIGNIFICANT;
}
