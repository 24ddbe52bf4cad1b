/* SPDX-License-Identifier: Apache-2.0
 *
 * Two answers, compared: heads, digests, items.
 */
#include "evidence_int.h"
#include "sharc/change_diff.h"

#include <stdlib.h>

static const char *const kind_words[] = {
#define X(number, name, word) [number] = word,
    SHARC_HUNK_KINDS(X)
#undef X
};

const char *sharc_hunk_kind_word(enum sharc_hunk_kind k)
{
    return (unsigned)k < SHARC_LENGTH(kind_words) ? kind_words[k] : "";
}

void sharc_difference_done(struct sharc_difference *d)
{
    for (size_t i = 0; i < d->hunk_count; i++) {
        free(d->hunks[i].where);
        free(d->hunks[i].old);
        free(d->hunks[i].now);
    }
    for (size_t i = 0; i < d->region_count; i++) {
        free(d->regions[i].before);
        free(d->regions[i].after);
    }
    free(d->hunks);
    free(d->regions);
    free(d->touched);
    *d = (struct sharc_difference)SHARC_DIFFERENCE_INIT;
}

/* One hunk that is everything: nothing can explain it. */
static void one_hunk(struct sharc_difference *d, enum sharc_hunk_kind kind, const struct sharc_answer *before,
                     const struct sharc_answer *after, const char *where)
{
    d->relation = SHARC_RELATION_DIFFERENT;
    d->words = 1;
    d->touched_all = true; /* no place of it is known to have stood still */
    d->regions = SHARC_NEW_ARRAY(struct sharc__region, 1);
    d->region_count = 1;
    d->regions[0] = (struct sharc__region){.kind = (uint8_t)kind, .large = true};
    d->hunks = SHARC_NEW_ARRAY(struct sharc_hunk, 1);
    d->hunk_count = 1;
    d->hunks[0] = (struct sharc_hunk){.place = sharc_fingerprint(sharc_span_of(where), (uint64_t)kind),
                                      .before = sharc_fingerprint(before->body, 1),
                                      .after = sharc_fingerprint(after->body, 1),
                                      .words = 1,
                                      .kind = (uint8_t)kind,
                                      .where = sharc_strdup(where),
                                      .old = sharc_strdup(""),
                                      .now = sharc_strdup("")};
}

/* Equal prints are looked at again, byte by byte. */
static bool same_item(const struct sharc__item *a, const struct sharc__item *b)
{
    return a->kind == b->kind && (a->leaf == SHARC__EVIDENCE_NONE) == (b->leaf == SHARC__EVIDENCE_NONE) &&
           a->n == b->n && memcmp(a->p, b->p, a->n) == 0;
}

static size_t check_kept(struct sharc__comparison *c)
{
    size_t kept = 0;
    for (size_t i = 0, j = 0; i < c->a.count || j < c->b.count;) {
        if (i < c->a.count && c->goes[i]) {
            i++;
        } else if (j < c->b.count && c->comes[j]) {
            j++;
        } else {
            bool same = same_item(&c->a.items[i], &c->b.items[j]);
            c->goes[i++] = c->comes[j++] = !same;
            kept += same;
        }
    }
    return kept;
}

static uint64_t *prints_of(const struct sharc__document *d)
{
    uint64_t *prints = SHARC_NEW_ARRAY(uint64_t, d->count);
    for (size_t i = 0; i < d->count; i++) prints[i] = d->items[i].print;
    return prints;
}

static void compare_items(struct sharc__comparison *c, struct sharc_difference *d)
{
    uint64_t steps = SHARC_CHANGE_STEPS;
    SHARC_AUTO(sharc_freep) uint64_t *a = prints_of(&c->a);
    SHARC_AUTO(sharc_freep) uint64_t *b = prints_of(&c->b);
    c->goes = SHARC_NEW_ARRAY(bool, c->a.count);
    c->comes = SHARC_NEW_ARRAY(bool, c->b.count);
    sharc_change_script(a, c->a.count, b, c->b.count, &steps, c->goes, c->comes);
    size_t kept = check_kept(c), all = c->a.count + c->b.count;
    uint32_t words = c->a.words > c->b.words ? c->a.words : c->b.words;
    d->words = words ? words : 1;
    d->likeness = all ? 2.0 * (double)kept / (double)all : 1;
    if (2 * kept == all) {
        d->relation = SHARC_RELATION_SAME_ITEMS;
        return;
    }
    d->relation = SHARC_RELATION_DIFFERENT;
    sharc__evidence_document_finish(&c->a);
    sharc__evidence_document_finish(&c->b);
    sharc__evidence_hunks(c, d);
}

static void compare_bodies(const struct sharc_answer *before, const struct sharc_answer *after,
                           struct sharc_difference *d)
{
    struct sharc__comparison c = {.goes = NULL};
    sharc__evidence_document_init(&c.a);
    sharc__evidence_document_init(&c.b);
    if (sharc__evidence_read(&c.a, before) && sharc__evidence_read(&c.b, after) && c.a.charset == c.b.charset)
        compare_items(&c, d);
    else
        one_hunk(d, SHARC_HUNK_BYTES, before, after, "the content");
    free(c.goes);
    free(c.comes);
    sharc__evidence_document_done(&c.a);
    sharc__evidence_document_done(&c.b);
}

int sharc_evidence_compare(const struct sharc_answer *before, const struct sharc_answer *after,
                           struct sharc_difference *ret, struct sharc_err *reterr)
{
    (void)reterr;
    const char *why;
    sharc_difference_done(ret);
    ret->why = "";
    ret->cached = before->cached || after->cached;
    ret->status = before->status == after->status ? after->status : 0;
    if (!before->status || !after->status || !before->complete || !after->complete) {
        ret->relation = SHARC_RELATION_NOT_COMPARABLE;
        ret->why = !before->status || !after->status ? "no answer" : "cut";
        return 0;
    }
    if (!sharc_evidence_same_head(before->status, before->type, before->location, after->status, after->type,
                                  after->location, &why)) {
        one_hunk(ret, SHARC_HUNK_HEADER, before, after, "the header");
        ret->why = why;
        return 0;
    }
    if (sharc_span_eq(before->body, after->body)) {
        ret->relation = SHARC_RELATION_SAME_CONTENT;
        ret->likeness = 1;
        ret->words = 1;
        return 0;
    }
    compare_bodies(before, after, ret);
    return 0;
}
