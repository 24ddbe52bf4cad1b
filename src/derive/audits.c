/* SPDX-License-Identifier: Apache-2.0
 *
 * Was it left to chance which answers 304 were checked? The crawler audits pages in the order of the numbers that they
 * draw by the seed of the capture, and lists in the closing record which ones it took. So of two pages
 * that were attested before an audit began, the one with the lesser number was its turn first. An operator who audits
 * pages of his choice has audits out of turn, or too few.
 *
 * The seed is the crawler's word as well: it keeps a server from foreseeing the audits, not an operator from trying
 * captures until he likes one.
 */
#include "derive_int.h"

#include "sharc/base_node.h"
#include "sharc/change_audit.h"

#include <stdlib.h>

struct candidate {
    uint64_t drawn;
    uint32_t page;
    bool attested, tried;
    sharc_time answered; /* the 304: its last byte */
    sharc_time audited;  /* the audit: its request; SHARC_TIME_NONE: there is no record of one */
};

static bool read_seed(const struct sharc_derived *f, uint64_t *ret)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(16u << 20);
    const struct sharc_node *n = NULL;
    if (!f->params || sharc_json_read(sharc_span_of(f->params), &arena, &n, NULL) < 0) return false;
    struct sharc_span text = sharc_node_text(sharc_node_get(n, "audit_seed"));
    *ret = sharc_audit_seed(text);
    return text.n > 0;
}

static bool is_word(uint8_t reason)
{
    return reason == SHARC_GRADED_STRONG_ETAG || reason == SHARC_GRADED_LAST_MODIFIED;
}

static sharc_time end_of(const struct sharc_download *d)
{
    return d->to != SHARC_TIME_NONE ? d->to : d->from;
}

/* The last audit of the page. */
static sharc_time audit_of(const struct sharc_derived *f, const struct sharc_derived_page *p)
{
    sharc_time at = SHARC_TIME_NONE;
    for (uint32_t k = 0; k < p->other_count; k++) {
        const struct sharc_download *d = &f->all.items[f->other[p->others + k]];
        if (d->kind == SHARC_OWN_CONTROL && d->control == CONTROL_AUDIT) at = d->from;
    }
    return at;
}

static bool is_candidate(const struct sharc_derived *f, uint32_t row, const bool *listed, struct candidate *ret)
{
    const struct sharc_derived_page *p = &f->pages[row];
    *ret = (struct candidate){.page = row, .audited = audit_of(f, p), .answered = SHARC_TIME_NONE};
    ret->attested = is_word(p->reason) && (!p->stated || is_word(p->stated)) && p->revisit != SHARC_DERIVED_NONE;
    ret->tried = listed[row] || ret->audited != SHARC_TIME_NONE;
    if (p->revisit != SHARC_DERIVED_NONE) ret->answered = end_of(&f->all.items[p->revisit]);
    return ret->attested || ret->audited != SHARC_TIME_NONE;
}

static int by_number(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->drawn != y->drawn) return x->drawn < y->drawn ? -1 : 1;
    return x->page < y->page ? -1 : x->page > y->page;
}

/* From the greatest number down: the latest audit of those above tells whether a page without one was passed over. */
static void find_turns(struct sharc_derived_audits *a, const struct candidate *list, size_t n)
{
    sharc_time latest = SHARC_TIME_NONE;
    uint32_t instead = SHARC_DERIVED_NONE;
    for (size_t i = n; i-- > 0;) {
        const struct candidate *c = &list[i];
        if (c->audited != SHARC_TIME_NONE && (latest == SHARC_TIME_NONE || c->audited > latest)) {
            latest = c->audited;
            instead = c->page;
        }
        if (!c->attested || c->tried || latest == SHARC_TIME_NONE || latest < c->answered) continue;
        a->passed_over++;
        a->page = c->page;
        a->instead = instead;
    }
}

void sharc__derive_audits(struct sharc_derived *f)
{
    struct sharc_derived_audits *a = &f->audits;
    SHARC_AUTO(sharc_freep) struct candidate *list = SHARC_NEW_ARRAY(struct candidate, f->page_count);
    SHARC_AUTO(sharc_freep) bool *listed = SHARC_NEW_ARRAY(bool, f->page_count);
    size_t n = 0;
    uint64_t seed = 0, tried = 0;
    *a = (struct sharc_derived_audits){.page = SHARC_DERIVED_NONE, .instead = SHARC_DERIVED_NONE};
    a->seeded = read_seed(f, &seed);
    for (size_t i = 0; i < f->audited_count; i++) {
        uint32_t row = f->page_of[f->audited[i]];
        if (row != SHARC_DERIVED_NONE) listed[row] = true;
    }
    for (uint32_t i = 0; i < f->page_count; i++) {
        struct candidate *c = &list[n];
        if (!is_candidate(f, i, listed, c)) continue;
        c->drawn = sharc_audit_draw(seed, sharc_derived_text(f, f->pages[i].url));
        a->attested += c->attested;
        tried += c->attested && c->tried;
        a->made += c->attested && c->audited != SHARC_TIME_NONE;
        n++;
    }
    a->wanted = sharc_audit_wanted(a->attested);
    a->failed = tried - a->made;
    a->missing = tried < a->wanted ? a->wanted - tried : 0;
    if (n) qsort(list, n, sizeof *list, by_number);
    if (a->seeded && f->audits_listed) find_turns(a, list, n);
}
