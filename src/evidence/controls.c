/* SPDX-License-Identifier: Apache-2.0
 *
 * Which controls to make. They are planned in rounds, because each round's results say what the
 * next one needs:
 *   1  one pair for every place that many pages differ in, the most shared places first
 *   2  late controls for times and counters that did not differ
 *   3  pairs on further pages, three in all, for the places that did
 *   4  pairs that showed nothing are repeated once: a teaser may be the same twice; where many pages have it, another
 *      page is tried as well; then 3 again
 *   5  pairs for the few pages that stood still where all others differ: was it chance?
 *   6  pairs for rare places, and for pages that are still open, as long as they can help
 *   7  what is left: pairs for some pages whose words or orders rest on those of others, to test that; a page that
 *      stands still there loses its grade, and the place with it unless chance explains that
 * A late control is compared with an earlier one of its page; a page that has none gets a pair first.
 */
#include "case_int.h"

#include <limits.h>
#include <stdlib.h>

enum round {
    EACH_PLACE,
    PAIR_TIMES,
    LATE_TIMES,
    CONFIRM,
    DOUBTS,
    REPEAT,
    ANOTHER_PAGE,
    CONFIRM_AGAIN,
    DOUBTS_AGAIN,
    STAYERS,
    STAYERS_AGAIN,
    PAIR_COUNTERS,
    LATE_COUNTERS,
    PAIR_CONFIRM,
    LATE_CONFIRM,
    RARE_PLACES,
    THE_REST,
    REPEAT_AGAIN,
    AUDIT,
    REPEAT_AUDIT,
    ROUNDS
};

/* Pages with the places they are open at, in both orders. */
struct use {
    uint32_t place, page;
};

struct planner {
    struct sharc_case *c;
    struct use *uses; /* by place, then URL */
    size_t count, room;
    bool *queued;    /* page */
    uint32_t *first; /* place to its first use; one more at the end */
};

static uint32_t allowed(const struct sharc_case *c)
{
    if (c->o.controls == SHARC_CONTROLS_NONE) return 0;
    if (c->o.controls == SHARC_CONTROLS_EVERY) return UINT32_MAX;
    double n = c->o.budget * (double)c->count;
    uint32_t whole = n < 1e9 ? (uint32_t)n : 1000000000u;
    return whole > c->o.least ? whole : c->o.least;
}

static unsigned pairs_of(const struct page *p)
{
    unsigned n = 0;
    for (size_t i = 0; i < p->control_count; i++) n += !p->controls[i].late;
    return n;
}

static bool is_open(const struct page *p)
{
    if (p->reason != SHARC_GRADED_NOT_GRADED || !p->compared || p->difference.cut) return false;
    if (p->difference.relation != SHARC_RELATION_DIFFERENT || !p->explained) return false;
    bool open = false;
    for (size_t i = 0; i < p->difference.hunk_count; i++) {
        open |= !p->explained[i];
        if (p->difference.hunks[i].kind == SHARC_HUNK_HEADER) return false;
    }
    return open;
}

/* --- who uses what --------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b, void *arg)
{
    const struct sharc_case *c = arg;
    const struct use *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    int order = sharc_span_cmp(c->pages[x->page].url, c->pages[y->page].url);
    return order ? order : (x->page > y->page) - (x->page < y->page);
}

static void add_use(struct planner *pl, uint64_t place, uint32_t page)
{
    const uint64_t *at = sharc_map64_find(&pl->c->place_of, place);
    if (!at || !*at) return;
    SHARC_GROW(pl->uses, pl->room, pl->count + 1);
    pl->uses[pl->count++] = (struct use){(uint32_t)(*at - 1), page};
}

static void planner_init(struct planner *pl, struct sharc_case *c)
{
    *pl = (struct planner){.c = c, .queued = SHARC_NEW_ARRAY(bool, c->count)};
    for (uint32_t i = 0; i < c->count; i++) {
        const struct page *p = &c->pages[i];
        if (p->reason != SHARC_GRADED_NOT_GRADED || p->difference.relation != SHARC_RELATION_DIFFERENT) continue;
        for (size_t k = 0; k < p->difference.hunk_count; k++) {
            const struct sharc_hunk *h = &p->difference.hunks[k];
            const struct sharc__region *r = &p->difference.regions[h->region];
            add_use(pl, h->place, i);
            if (sharc__case_is_leaf(r)) add_use(pl, sharc__case_whole(sharc__evidence_leaf_place(r->loose)), i);
        }
    }
    if (pl->count > 1) qsort_r(pl->uses, pl->count, sizeof *pl->uses, by_place, c);
    pl->first = SHARC_NEW_ARRAY(uint32_t, c->place_count + 1);
    size_t u = 0, n = 0;
    for (uint32_t k = 0; k < c->place_count; k++) {
        pl->first[k] = (uint32_t)n;
        for (; u < pl->count && pl->uses[u].place == k; u++) /* each page once */
            if (n == pl->first[k] || pl->uses[n - 1].page != pl->uses[u].page) pl->uses[n++] = pl->uses[u];
    }
    pl->first[c->place_count] = (uint32_t)n;
}

static void planner_done(struct planner *pl)
{
    free(pl->uses);
    free(pl->queued);
    free(pl->first);
}

static void enqueue(struct planner *pl, uint32_t page, bool late)
{
    struct sharc_case *c = pl->c;
    if (pl->queued[page]) return;
    pl->queued[page] = true;
    SHARC_GROW(c->queue, c->queue_room, c->queue_count + 1);
    c->queue[c->queue_count++] = (struct sharc_case_control){.id = page, .late = late};
}

/* --- rounds ---------------------------------------------------------------------------------------- */

enum { POOR = 12 }; /* requests: with fewer, a place gets only the pairs that it needs */

static unsigned wanted(const struct sharc_case *c, const struct place *p)
{
    unsigned least = sharc__case_least(p), most = c->o.pages_per_place;
    bool poor = allowed(c) < POOR || sharc_map64_find(&c->hints, p->place);
    return poor || least > most ? least : most;
}

static int most_shared_first(const void *a, const void *b, void *arg)
{
    const struct sharc_case *c = arg;
    const struct place *x = &c->places[*(const uint32_t *)a], *y = &c->places[*(const uint32_t *)b];
    if (x->pages != y->pages) return x->pages > y->pages ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static uint32_t *places_by_share(const struct sharc_case *c)
{
    uint32_t *v = SHARC_NEW_ARRAY(uint32_t, c->place_count);
    for (uint32_t i = 0; i < c->place_count; i++) v[i] = i;
    if (c->place_count > 1) qsort_r(v, c->place_count, sizeof *v, most_shared_first, (void *)c);
    return v;
}

/* The k-th page to look at of n in the order of their URLs: first, last, middle, quarters …; pages of one kind
 * stand together there, and those looked at should not be of one kind. */
static uint32_t spread(uint32_t k, uint32_t n)
{
    if (k == 0) return 0;
    if (k == 1) return n - 1;
    uint32_t parts = 2, i = k - 2;
    while (i >= parts / 2) i -= parts / 2, parts *= 2;
    return (uint32_t)((uint64_t)n * (2 * i + 1) / parts);
}

/* One pass over the pages of a place, as many as are still wanted: of those that come through a cache, which may show
 * one answer twice, or of the others. */
static unsigned plan_pages(struct planner *pl, uint32_t k, unsigned have, unsigned want, bool cached)
{
    struct sharc_case *c = pl->c;
    uint32_t n = pl->first[k + 1] - pl->first[k];
    const struct use *uses = pl->uses + pl->first[k];
    for (uint32_t i = 0; i < n + want && have < want; i++) {
        uint32_t page = uses[spread(i, n) < n ? spread(i, n) : n - 1].page;
        const struct page *p = &c->pages[page];
        if (pl->queued[page] || p->control_count || p->difference.cached != cached || !is_open(p)) continue;
        enqueue(pl, page, /* late= */ false);
        have++;
    }
    return have;
}

static void plan_place(struct planner *pl, uint32_t k, unsigned most)
{
    struct sharc_case *c = pl->c;
    const struct place *p = &c->places[k];
    uint32_t n = pl->first[k + 1] - pl->first[k];
    const struct use *uses = pl->uses + pl->first[k];
    unsigned have = most < wanted(c, p) ? p->pairs : p->proved, want = most < wanted(c, p) ? most : wanted(c, p);
    for (uint32_t i = 0; i < n && have < want; i++)
        have += pl->queued[uses[i].page] && !sharc__case_has_pair(&c->pages[uses[i].page]);
    have = plan_pages(pl, k, have, want, /* cached= */ false);
    (void)plan_pages(pl, k, have, want, /* cached= */ true);
}

enum { RARE = 10 }; /* places that a tenth of the pages have of those that the most shared one has wait */

static uint32_t most_shared(const struct sharc_case *c)
{
    uint32_t most = 0;
    for (size_t i = 0; i < c->place_count; i++)
        if (c->places[i].open && c->places[i].pages > most) most = c->places[i].pages;
    return most;
}

static void plan_places(struct planner *pl, bool confirm, bool rare)
{
    struct sharc_case *c = pl->c;
    SHARC_AUTO(sharc_freep) uint32_t *order = places_by_share(c);
    uint32_t most = most_shared(c);
    for (size_t i = 0; i < c->place_count; i++) {
        const struct place *p = &c->places[order[i]];
        if (!p->open) continue;
        if (!rare && p->pages * RARE < most) continue;
        if (!confirm && p->pairs == 0)
            plan_place(pl, order[i], 1);
        else if (confirm && p->proved > 0 && sharc__case_are_misses_chance(p) && !p->stubborn)
            plan_place(pl, order[i], UINT_MAX);
    }
}

/* A pair that found nothing may have met the same teaser twice; random tokens never are the same. */
static void plan_repeats(struct planner *pl)
{
    struct sharc_case *c = pl->c;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct page *p = &c->pages[i];
        if (pairs_of(p) == 1 && is_open(p)) enqueue(pl, i, /* late= */ false);
    }
}

/* Words that many pages differ in, and a page whose pair found nothing there: it may be the one that was edited. */
static void plan_another_page(struct planner *pl)
{
    struct sharc_case *c = pl->c;
    SHARC_AUTO(sharc_freep) uint32_t *order = places_by_share(c);
    uint32_t most = most_shared(c);
    for (size_t i = 0; i < c->place_count; i++) {
        const struct place *p = &c->places[order[i]];
        bool words = !p->moving && !p->numbers;
        if (p->open && p->pairs == 1 && !p->proved && words && !p->stubborn && p->pages * RARE >= most)
            plan_place(pl, order[i], 2);
    }
}

/* Hopeless: a pair of a place found nothing there, twice. */
static bool can_be_helped(const struct sharc_case *c, const struct page *p)
{
    for (size_t i = 0; i < p->difference.hunk_count; i++) {
        if (p->explained[i]) continue;
        const struct place *at = sharc__case_place(c, p->difference.hunks[i].place);
        if (at && at->pairs && (!at->proved || !sharc__case_are_misses_chance(at))) return false;
        if (p->difference.regions[p->difference.hunks[i].region].large) return false;
    }
    return true;
}

/* A quarter is kept: a pair that shows nothing speaks against its place until it is repeated. */
static void plan_rest(struct planner *pl)
{
    struct sharc_case *c = pl->c;
    uint32_t most = allowed(c) > c->requests ? (allowed(c) - c->requests) / 8 * 3 : 0;
    for (uint32_t i = 0; i < c->count && c->queue_count < most; i++) {
        const struct page *p = &c->pages[i];
        if (pairs_of(p) || !is_open(p)) continue;
        if (c->o.controls == SHARC_CONTROLS_EVERY || can_be_helped(c, p)) enqueue(pl, i, /* late= */ false);
    }
}

/* Random tokens are written by no person. Words, orders and numbers are: does the page differ there by itself? */
static bool rests_on_others(const struct page *p)
{
    if (!sharc__case_is_different(p) || pairs_of(p) || !p->explained) return false;
    bool others = false;
    for (size_t i = 0; i < p->difference.hunk_count; i++) {
        const struct sharc_hunk *h = &p->difference.hunks[i];
        if (!p->explained[i]) return false;
        others |= p->explained[i] == SHARC_GRADED_KIND_CONTROL && (!h->moving || h->kind == SHARC_HUNK_TEXT);
    }
    return others;
}

enum { AUDITS_MOST = 100 };

static int by_fingerprint(const void *a, const void *b, void *arg)
{
    const struct sharc_case *c = arg;
    uint64_t x = c->pages[*(const uint32_t *)a].order, y = c->pages[*(const uint32_t *)b].order;
    return (x > y) - (x < y);
}

/* A sample that nobody chose. Half of what is left is kept to repeat pairs that showed nothing. */
static void plan_audit(struct planner *pl)
{
    struct sharc_case *c = pl->c;
    uint32_t most = allowed(c) > c->requests ? (allowed(c) - c->requests) / 4 : 0;
    if (most > AUDITS_MOST) most = AUDITS_MOST;
    SHARC_AUTO(sharc_freep) uint32_t *pages = SHARC_NEW_ARRAY(uint32_t, c->count);
    size_t n = 0;
    for (uint32_t i = 0; i < c->count; i++)
        if (rests_on_others(&c->pages[i])) pages[n++] = i;
    if (n > 1) qsort_r(pages, n, sizeof *pages, by_fingerprint, c);
    for (size_t i = 0; i < n && i < most; i++) enqueue(pl, pages[i], /* late= */ false);
}

/* Times and counters that several pages share, that no pair showed and no late control disproved. */
static bool is_slow_place(const struct sharc_case *c, const struct place *p)
{
    return p->slow && p->moving && p->pages >= c->o.late_pages && (p->slow == 2 || !p->proved) && p->late == p->looked;
}

/* Is a late control of that page able to explain all that is left? */
static bool is_slow_page(const struct sharc_case *c, const struct page *p)
{
    for (size_t i = 0; i < p->difference.hunk_count; i++) {
        const struct place *at = sharc__case_place(c, p->difference.hunks[i].place);
        if (!p->explained[i] && !(at && at->proved) && !(at && is_slow_place(c, at))) return false;
    }
    return true;
}

static bool has_late(const struct page *p)
{
    for (size_t i = 0; i < p->control_count; i++)
        if (p->controls[i].late) return true;
    return false;
}

/* Pages of a place that may have stood still by chance: as many, and a tenth of the budget if that is more. */
enum { DOUBTS_LEAST = 3, DOUBTS_MOST = 16, DOUBTS_SHARE = 10 };

static int by_doubt(const void *a, const void *b)
{
    const struct doubt *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

/* Those that are to be looked at first: nobody chose them. */
static int by_stayer(const void *a, const void *b, void *arg)
{
    const struct sharc_case *c = arg;
    const struct doubt *x = a, *y = b;
    if (x->place != y->place) return c->places[x->place].place < c->places[y->place].place ? -1 : 1;
    return by_fingerprint(&x->page, &y->page, arg);
}

/* Would a place excuse many pages, were it not for a few that stood still there? */
static void plan_doubts(struct planner *pl)
{
    struct sharc_case *c = pl->c;
    uint32_t most = allowed(c) / DOUBTS_SHARE;
    most = most < DOUBTS_LEAST ? DOUBTS_LEAST : most > DOUBTS_MOST ? DOUBTS_MOST : most;
    if (c->doubt_count > 1) qsort(c->doubts, c->doubt_count, sizeof *c->doubts, by_doubt);
    for (size_t i = 0; i < c->doubt_count;) {
        const struct place *p = &c->places[c->doubts[i].place];
        uint32_t pages[DOUBTS_MOST], n = 0, place = c->doubts[i].place;
        for (; i < c->doubt_count && c->doubts[i].place == place; i++) {
            bool twice = n > 0 && n <= DOUBTS_MOST && pages[n - 1] == c->doubts[i].page;
            if (!twice && n < DOUBTS_MOST) pages[n] = c->doubts[i].page;
            n += !twice;
        }
        if (n > most || p->stubborn || p->proved < sharc__case_least(p) || p->open <= n) continue;
        if (!sharc__case_are_misses_chance(p)) continue;
        for (uint32_t k = 0; k < n; k++) enqueue(pl, pages[k], /* late= */ false);
    }
}

enum { STAYERS_SHARE = 8, STAYERS_TRIES = 6 }; /* of the budget, in pairs: places that are in order are tested, too */

static bool is_worth_a_test(const struct place *p)
{
    return p->by_chance && p->pages > 1 && p->proved >= sharc__case_least(p) && sharc__case_are_misses_chance(p);
}

/* Pages that stood still where others take values at random: if they are pinned to theirs, so may be pages that were
 * edited from one value to another. Again: those that stood still in their pairs, too. */
static void plan_stayers(struct planner *pl, bool again)
{
    struct sharc_case *c = pl->c;
    if (c->stayer_count > 1) qsort_r(c->stayers, c->stayer_count, sizeof *c->stayers, by_stayer, c);
    for (size_t i = 0, end; i < c->stayer_count; i = end) {
        const struct place *p = &c->places[c->stayers[i].place];
        for (end = i; end < c->stayer_count && c->stayers[end].place == c->stayers[i].place;) end++;
        if (!is_worth_a_test(p)) continue;
        unsigned want = sharc__case_tests(p, allowed(c) / STAYERS_SHARE), have = p->tested;
        for (size_t k = i; k < end && !again; k++) have += pl->queued[c->stayers[k].page];
        for (size_t k = i; k < end; k++) {
            uint32_t page = c->stayers[k].page;
            unsigned tries = pairs_of(&c->pages[page]);
            if (again ? tries && sharc__case_is_suspect(p, tries) : !tries && !pl->queued[page] && have < want) {
                enqueue(pl, page, /* late= */ false);
                have++;
            }
        }
    }
}

/* Is there, or will there be, a late control of a page that has a pair? */
static bool enqueue_late(struct planner *pl, uint32_t page, bool pair)
{
    const struct page *p = &pl->c->pages[page];
    if (pl->queued[page] || has_late(p) || !is_open(p) || !sharc__case_has_pair(p) || !is_slow_page(pl->c, p))
        return false;
    if (!pair) enqueue(pl, page, /* late= */ true);
    return true;
}

/* pair: those that lack a pair to compare with get it. */
static void plan_late(struct planner *pl, unsigned slow, unsigned most, bool pair)
{
    struct sharc_case *c = pl->c;
    SHARC_AUTO(sharc_freep) uint32_t *order = places_by_share(c);
    for (size_t i = 0; i < c->place_count; i++) {
        uint32_t k = order[i], n = pl->first[k + 1] - pl->first[k];
        const struct place *at = &c->places[k];
        const struct use *uses = pl->uses + pl->first[k];
        if (!at->open || at->slow < slow || !is_slow_place(c, at)) continue;
        unsigned have = at->looked, want = sharc__case_least_late(at);
        if (want > most) want = most;
        for (uint32_t u = 0; u < n && have < want; u++) have += pl->queued[uses[u].page];
        for (uint32_t u = 0; u < n && have < want; u++) /* any of those that have a pair will do */
            have += enqueue_late(pl, uses[u].page, pair);
        for (uint32_t u = 0; pair && u < n + want && have < want; u++) {
            uint32_t page = uses[spread(u, n) < n ? spread(u, n) : n - 1].page;
            const struct page *p = &c->pages[page];
            if (pl->queued[page] || p->control_count || !is_open(p) || !is_slow_page(c, p)) continue;
            enqueue(pl, page, /* late= */ false);
            have++;
        }
    }
}

static void plan(struct sharc_case *c)
{
    struct planner pl;
    sharc__case_learn(c);
    c->queue_count = c->queue_at = 0;
    for (; c->round < ROUNDS && !c->queue_count; c->round++) {
        if (c->round == STAYERS_AGAIN + 1 && c->stayer_rounds++ < STAYERS_TRIES) c->round = STAYERS_AGAIN;
        planner_init(&pl, c);
        switch ((enum round)c->round) {
        case EACH_PLACE: plan_places(&pl, /* confirm= */ false, /* rare= */ false); break;
        case RARE_PLACES: plan_places(&pl, /* confirm= */ false, /* rare= */ true); break;
        case CONFIRM:
        case CONFIRM_AGAIN: plan_places(&pl, /* confirm= */ true, /* rare= */ true); break;
        case PAIR_TIMES: plan_late(&pl, 2, 1, /* pair= */ true); break;
        case LATE_TIMES: plan_late(&pl, 2, 1, /* pair= */ false); break;
        case PAIR_COUNTERS: plan_late(&pl, 1, 1, /* pair= */ true); break;
        case LATE_COUNTERS: plan_late(&pl, 1, 1, /* pair= */ false); break;
        case PAIR_CONFIRM: plan_late(&pl, 1, UINT_MAX, /* pair= */ true); break;
        case LATE_CONFIRM: plan_late(&pl, 1, UINT_MAX, /* pair= */ false); break;
        case DOUBTS:
        case DOUBTS_AGAIN: plan_doubts(&pl); break;
        case STAYERS: plan_stayers(&pl, /* again= */ false); break;
        case STAYERS_AGAIN: plan_stayers(&pl, /* again= */ true); break;
        case ANOTHER_PAGE: plan_another_page(&pl); break;
        case REPEAT:
        case REPEAT_AGAIN:
        case REPEAT_AUDIT: plan_repeats(&pl); break;
        case AUDIT: plan_audit(&pl); break;
        case THE_REST: plan_rest(&pl); break;
        case ROUNDS: break;
        }
        planner_done(&pl);
    }
}

bool sharc_case_next_control(struct sharc_case *c, struct sharc_case_control *ret)
{
    uint32_t most = allowed(c);
    for (;;) {
        if (c->queue_at == c->queue_count) {
            if (c->round >= ROUNDS) return false;
            plan(c);
            if (!c->queue_count) return false;
        }
        struct sharc_case_control next = c->queue[c->queue_at++];
        uint32_t cost = next.late ? 1 : 2;
        if (c->requests > most || most - c->requests < cost) continue;
        *ret = next;
        return true;
    }
}
