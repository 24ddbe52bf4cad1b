/* SPDX-License-Identifier: Apache-2.0
 *
 * Two captures side by side: the pages of both in the order of their keys, like the two
 * halves of a zip.
 */
#include "set.h"

/* The page of one side that waits for its partner. */
struct head {
    struct sharc__diff_walk *walk;
    struct sharc_buf key, url;
    uint64_t spelling;
    struct sharc_diff_facts facts;
    bool live;
};

static void head_done(struct head *h)
{
    sharc__diff_walk_free(h->walk);
    sharc_buf_done(&h->key);
    sharc_buf_done(&h->url);
}

static int advance(struct head *h, const struct sharc__diff_memory *m, struct sharc_err *reterr)
{
    struct sharc__diff_step step;
    h->facts = (struct sharc_diff_facts){.there = false};
    int r = sharc__diff_walk_next(h->walk, m, &step, reterr);
    h->live = r > 0;
    if (r <= 0) return r;
    sharc_buf_clear(&h->key);
    sharc_buf_clear(&h->url);
    sharc_buf_put(&h->key, step.key);
    sharc_buf_put(&h->url, step.url);
    h->spelling = step.spelling;
    h->facts = step.facts;
    return 0;
}

static int start(struct head *h, struct sharc_diff_side *side, const struct sharc__diff_memory *m,
                 struct sharc_err *reterr)
{
    sharc_buf_init(&h->key, SHARC_LIMIT_CDX_LINE);
    sharc_buf_init(&h->url, SHARC_LIMIT_CDX_LINE);
    int r = sharc__diff_walk_new(side, &h->walk, reterr);
    return r < 0 ? r : advance(h, m, reterr);
}

/* < 0: only before has the next page; > 0: only after; 0: both. */
static int whose_turn(const struct head *before, const struct head *after)
{
    if (!after->live) return -1;
    if (!before->live) return 1;
    int order = sharc_span_cmp(sharc_buf_span(&before->key), sharc_buf_span(&after->key));
    return order ? order : (before->spelling > after->spelling) - (before->spelling < after->spelling);
}

static int zip(struct head *before, struct head *after, struct filler *f, struct sharc_err *reterr)
{
    static const struct sharc_diff_facts none = {.there = false};
    struct sharc__diff_memory m = sharc__diff_filler_memory(f);
    while (before->live || after->live) {
        int turn = whose_turn(before, after);
        const struct head *named = turn < 0 ? before : after;
        int r = sharc__diff_filler_add(f, sharc_buf_span(&named->url), turn <= 0 ? &before->facts : &none,
                                       turn >= 0 ? &after->facts : &none, reterr);
        if (r == 0 && turn <= 0) r = advance(before, &m, reterr);
        if (r == 0 && turn >= 0) r = advance(after, &m, reterr);
        if (r < 0) return r;
    }
    return sharc__diff_filler_finish(f, reterr);
}

int sharc_diff_sides(struct sharc_diff_side *before, struct sharc_diff_side *after, const struct sharc_diff_options *o,
                     struct sharc_diff_set *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__diff_filler_freep) struct filler *f = sharc__diff_filler_new(ret, o);
    SHARC_AUTO(head_done) struct head a = {.live = false};
    SHARC_AUTO(head_done) struct head b = {.live = false};
    struct sharc__diff_memory m = sharc__diff_filler_memory(f);
    ret->sides[0] = before;
    ret->sides[1] = after;
    int r = start(&a, before, &m, reterr);
    if (r == 0) r = start(&b, after, &m, reterr);
    if (r == 0) r = zip(&a, &b, f, reterr);
    return r < 0 ? r : 0;
}

int sharc_diff_set_read(const struct sharc_diff_set *s, size_t entry, const struct sharc_diff_options *o,
                        struct sharc_diff_version *before, struct sharc_diff_version *after, bool *ret_before,
                        bool *ret_after, struct sharc_err *reterr)
{
    const struct sharc_diff_entry *e = &s->entries[entry];
    struct sharc_diff_side *back[2] = {s->sides[1], s->sides[0]};
    int r = e->before.there ? sharc__diff_version_read(before, &e->before, s->sides, o, reterr) : 0;
    if (r == 0 && e->after.there) r = sharc__diff_version_read(after, &e->after, back, o, reterr);
    if (r < 0) return r;
    *ret_before = e->before.there;
    *ret_after = e->after.there;
    return 0;
}
