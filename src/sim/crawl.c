/* SPDX-License-Identifier: Apache-2.0
 *
 * One crawl in virtual time: the loop that the real crawler runs too, with the
 * site's truth in place of the network. Slots are numbers here; what time a slot
 * is follows from the slot's length, which for a recorded window depends on how
 * many slots the crawl takes in the end. So such a crawl is repeated with the
 * better guess until its length no longer moves.
 */
#include "sim_int.h"
#include "sim_signal.h"

#include <math.h>
#include <stdlib.h>

#define ATTEMPTS 4
#define NEAR_ENOUGH 2000 /* a length that is off by so small a part is not tried again */
#define LARGE 200000     /* pages; a crawl of more is not repeated lightly */
#define READINGS 17      /* that a crawl with signals makes, at most */

struct crawl {
    struct sharc__sim_run *run;
    struct sharc_strategy *strategy;
    struct sharc__sim_record *rec;
    uint32_t last;   /* page of the slot before */
    bool revisiting; /* a revisit was handed out */
    bool missed;     /* a page was gone when it was looked at */
    bool all_known;
    uint32_t detected, visits;
    struct sharc_signals *signals; /* NULL: the site says nothing */
    struct sharc__sim_signal says;
    struct sight *sight; /* by page; NULL: not asked for yet */
    uint32_t aim; /* slots that the crawl is timed for; 0: it is the last attempt, or of slots of a fixed length */
};

/* What the last sight of a page said of its last change. Plans are made often and need it of every page, few of which
 * were seen since the plan before. */
struct sight {
    uint32_t slot; /* plus one; 0: never */
    double changed;
};

static void tell(struct crawl *c, sharc_page_no page, bool known)
{
    if (c->rec->state[page] & SHARC__SIM_DETECTED) return;
    c->rec->state[page] |= SHARC__SIM_DETECTED;
    c->detected++;
    const struct sharc__sim_run *r = c->run;
    sharc_strategy_discover(c->strategy, page, r->site->ops->rate(r, page, known) * r->slot,
                            sharc__sim_weight(r->site, page));
}

/* The seed page, and with it the share of the others known from before. The
 * choice depends on the run alone, so all strategies know the same pages. */
static void tell_known(struct crawl *c, double known)
{
    const struct sharc_sim_site *s = c->run->site;
    struct sharc_rng rng = sharc_rng_stream(c->run->seed * 4, 0);
    tell(c, 0, known > 0 || c->all_known);
    for (uint32_t p = 1; p < s->pages; p++) {
        bool chosen = sharc_rng_uniform(&rng) < known;
        bool there = !s->ops->exists || s->ops->exists(s, p, s->from);
        if (there && (chosen || c->all_known)) tell(c, p, true);
    }
}

static void follow_links(struct crawl *c, sharc_page_no page, double t)
{
    size_t n = c->run->site->ops->links(c->run, page, t);
    for (size_t i = 0; i < n; i++) tell(c, c->run->links[i], false);
}

static enum sharc_change_class look_again(struct crawl *c, sharc_page_no page, uint32_t since, double t)
{
    const struct sharc_sim_site *s = c->run->site;
    if (s->ops->exists && !s->ops->exists(s, page, t)) return SHARC_MISSING;
    return sharc__sim_changed(c->run, page, sharc__sim_time(c->run, since), t) ? SHARC_TEXT_CHANGED : SHARC_UNCHANGED;
}

static enum sharc_change_class visit(struct crawl *c, sharc_page_no page, uint32_t slot, double t)
{
    const struct sharc_sim_site *s = c->run->site;
    c->rec->visit[page] = slot;
    if (s->ops->exists && !s->ops->exists(s, page, t)) return SHARC_MISSING;
    c->rec->state[page] |= SHARC__SIM_CAPTURED;
    c->rec->captured++;
    follow_links(c, page, t);
    return SHARC_NEW;
}

static enum sharc_change_class second_look(struct crawl *c, sharc_page_no page, uint32_t slot, double t)
{
    struct sharc__sim_record *rec = c->rec;
    if (!rec->first) {
        rec->first = sharc_malloc(c->run->site->pages * sizeof *rec->first);
        memset(rec->first, 0xff, c->run->site->pages * sizeof *rec->first);
    }
    enum sharc_change_class change = look_again(c, page, rec->visit[page], t);
    rec->first[page] = rec->visit[page];
    rec->visit[page] = slot;
    rec->looks++;
    return change;
}

static enum sharc_change_class revisit(struct crawl *c, sharc_page_no page, uint32_t slot, double t)
{
    if (!c->revisiting && c->rec->revisit[c->last] == NEVER) c->rec->revisit[c->last] = c->rec->visit[c->last];
    c->revisiting = true;
    c->rec->revisit[page] = slot;
    return look_again(c, page, c->rec->visit[page], t);
}

static void teach_signals(struct crawl *c, const struct sharc_slot *slot, double t, bool differs)
{
    const struct sharc_sim_site *s = c->run->site;
    const double changed = s->ops->last_change ? s->ops->last_change(s, slot->page, t) : (double)NAN;
    sharc_signals_seen(c->signals, slot->page, t, changed, slot->kind == SHARC_VISIT ? SHARC_SIGNAL_FIRST : differs);
}

static void download(struct crawl *c, const struct sharc_slot *slot)
{
    struct sharc__sim_record *rec = c->rec;
    uint32_t k = rec->slots++;
    double t = sharc__sim_time(c->run, k);
    struct sharc_observation o = {.page = slot->page, .when = (sharc_time)(t * SHARC_SEC), .rate = -1};
    switch (slot->kind) {
    case SHARC_VISIT: o.change = visit(c, slot->page, k, t); break;
    case SHARC_SECOND_LOOK: o.change = second_look(c, slot->page, k, t); break;
    case SHARC_REVISIT: o.change = revisit(c, slot->page, k, t); break;
    }
    if (slot->hopeless) rec->state[slot->page] |= SHARC__SIM_HOPELESS;
    if (o.change == SHARC_MISSING) {
        rec->state[slot->page] |= SHARC__SIM_LOST;
        c->missed = true;
    }
    if (sharc_change_counts(o.change)) o.importance = 1;
    if (slot->kind != SHARC_REVISIT && o.change != SHARC_MISSING) {
        double rate = c->run->site->ops->rate_at_visit(c->run, slot->page, t);
        if (rate >= 0) o.rate = rate * c->run->slot;
    }
    sharc_strategy_observed(c->strategy, &o);
    c->last = slot->page;
    if (c->signals && o.change != SHARC_MISSING) teach_signals(c, slot, t, sharc_change_counts(o.change));
}

static void hear_signals(struct crawl *c, const struct sharc_sim_signals *o)
{
    sharc__sim_signal_init(&c->says, c->run, o, 2.0 * c->run->site->pages - 1);
    c->signals = sharc_signals_new(c->says.span, c->run->slot);
    sharc_signals_source(c->signals, 0, sharc__sim_signal_kind(o));
}

/* The sitemap is read, which takes a few requests. A feed or hub is a page, and may not be looked at between its
 * revisit and the others'. */
static void read_signals(struct crawl *c)
{
    if (!c->signals || (c->revisiting && c->says.o.teller != SHARC_SIM_LASTMOD)) return;
    c->rec->slots += sharc__sim_signal_requests(&c->says.o, c->run->site);
    sharc__sim_signal_read(&c->says, c->run, sharc__sim_time(c->run, c->rec->slots), c->signals);
}

/* What the visits taught about other pages. */
static void renew(struct crawl *c, const struct sharc_slot *slot)
{
    const struct sharc__sim_run *r = c->run;
    c->visits += slot->kind == SHARC_VISIT;
    if (!r->live || slot->kind != SHARC_VISIT || !sharc_rate_live_due(r->live, c->visits, c->detected)) return;
    for (uint32_t p = 0; p < r->site->pages; p++) {
        if (!(c->rec->state[p] & SHARC__SIM_DETECTED)) continue;
        struct sharc_observation o = {.page = p,
                                      .change = SHARC_UNCHANGED,
                                      .rate = r->site->ops->rate_now(r, p) * r->slot};
        sharc_strategy_observed(c->strategy, &o);
    }
}

static uint32_t last_seen(const struct crawl *c, sharc_page_no page)
{
    const uint32_t again = c->rec->revisit[page];
    return again != NEVER ? again : c->rec->visit[page];
}

static double changed_by(const struct crawl *c, sharc_page_no page, uint32_t slot, double seen)
{
    struct sight *s = &c->sight[page];
    if (s->slot != slot + 1) *s = (struct sight){slot + 1, c->run->site->ops->last_change(c->run->site, page, seen)};
    return s->changed;
}

/* The pages visited, and what their last sights said of changes, tell which of
 * them have changed since. */
static double by_signs(struct crawl *c, const sharc_page_no *page, const double *rate, uint32_t n, double *ret_still)
{
    struct sharc__sim_run *r = c->run;
    if (!r->places) r->places = sharc_rate_places_new();
    if (!c->sight) c->sight = SHARC_NEW_ARRAY(struct sight, r->site->pages);
    SHARC_AUTO(sharc_freep) struct sharc_rate_look *look = SHARC_NEW_ARRAY(struct sharc_rate_look, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t slot = last_seen(c, page[i]);
        const double seen = sharc__sim_time(r, slot);
        const bool known = sharc_rate_places_know(r->places, page[i]);
        const struct sharc_span url = known ? SHARC_SPAN_NONE : r->site->ops->url(r->site, page[i]);
        look[i] = (struct sharc_rate_look){
            .place = sharc_rate_places_find(r->places, page[i], url),
            .seen = seen,
            .from = -HUGE_VAL,
            .changed = changed_by(c, page[i], slot, seen),
            .rate = rate[i] / r->slot,
        };
    }
    return sharc_rate_since(r->places, look, n, sharc__sim_time(r, c->rec->slots), ret_still);
}

static double by_rates(const struct crawl *c, const sharc_page_no *page, const double *rate, uint32_t n,
                       double *ret_still)
{
    for (uint32_t i = 0; i < n; i++) ret_still[i] = exp(-rate[i] * (c->rec->slots - last_seen(c, page[i])));
    return 1;
}

/* Oracles know the window; they have no use for signs. */
static bool can_believe(const struct sharc_sim_site *s)
{
    return s->ops->last_change && s->rates != SHARC_SIM_ORACLE && s->rates != SHARC_SIM_COUNTED &&
           s->rates != SHARC_SIM_SITEMAP;
}

static double believe(void *arg, const sharc_page_no *page, const double *rate, uint32_t n, double *ret_still)
{
    struct crawl *c = arg;
    const double factor =
        can_believe(c->run->site) ? by_signs(c, page, rate, n, ret_still) : by_rates(c, page, rate, n, ret_still);
    if (c->signals) sharc_signals_believe(c->signals, page, n, sharc__sim_time(c->run, c->rec->slots), ret_still);
    return factor;
}

static void record_init(struct sharc__sim_record *rec, uint32_t pages)
{
    *rec = (struct sharc__sim_record){
        .visit = sharc_malloc(pages * sizeof *rec->visit),
        .revisit = sharc_malloc(pages * sizeof *rec->revisit),
        .state = sharc_calloc(pages, 1),
    };
    memset(rec->visit, 0xff, pages * sizeof *rec->visit);
    memset(rec->revisit, 0xff, pages * sizeof *rec->revisit);
}

void sharc__sim_record_done(struct sharc__sim_record *c)
{
    free(c->first);
    free(c->visit);
    free(c->revisit);
    free(c->state);
    *c = (struct sharc__sim_record){0};
}

/* Every crawl begins without knowing its neighbours. */
static void learn_anew(struct sharc__sim_run *r)
{
    const struct sharc_sim_site *s = r->site;
    if (s->rates != SHARC_SIM_NEAR || !s->ops->rate_now) return;
    sharc_rate_live_free(r->live);
    r->live = sharc_rate_live_new(fmax(s->to - s->from, 1), AGE_GRAIN);
}

/* The readings, one at the start and those of the plans, count against the extra requests. */
static double share_left(const struct sharc_sim_signals *o, const struct sharc_sim_site *s, double share)
{
    return fmax(share - READINGS * sharc__sim_signal_requests(o, s) / (2.0 * s->pages - 1), 0);
}

static bool far_off(uint32_t slots, uint32_t aim)
{
    return (slots > aim ? slots - aim : aim - slots) > aim / NEAR_ENOUGH;
}

/* When the second looks are over it is known how many slots the crawl takes: each page but the last one is revisited.
 * Where that is not what the crawl is timed for, all that counts of it is that number. */
static bool ends_here(struct crawl *c, const struct sharc_slot *slot)
{
    struct sharc__sim_record *rec = c->rec;
    if (c->aim == 0 || c->revisiting || slot->kind != SHARC_REVISIT || rec->looks == 0 || c->signals) return false;
    if (rec->captured != c->run->site->pages || c->missed) return false;
    const uint32_t slots = rec->slots + rec->captured - 1;
    if (!far_off(slots, c->aim)) return false;
    rec->slots = slots;
    return true;
}

static int crawl_once(struct sharc__sim_run *r, const struct sharc_strategy_ops *ops, const struct sharc_sim_options *o,
                      uint32_t aim, struct sharc__sim_record *rec, struct sharc_err *reterr)
{
    struct sharc_strategy_params params = o->params;
    params.utility = sharc__sim_utility;
    params.utility_arg = r;
    if (params.size == 0 && o->size_known) params.size = r->site->pages;
    if (o->signals.on) params.focus_share = share_left(&o->signals, r->site, params.focus_share);
    struct crawl c = {.run = r, .rec = rec, .all_known = ops->offline || o->known >= 1, .aim = aim};
    if (can_believe(r->site) || o->signals.on) {
        params.believe = believe;
        params.believe_arg = &c;
    }
    SHARC_AUTO(sharc_strategy_freep) struct sharc_strategy *strategy = NULL;
    int code = sharc_strategy_new(ops, &params, &strategy, reterr);
    if (code < 0) return code;
    c.strategy = strategy;
    record_init(rec, r->site->pages);
    learn_anew(r);
    if (o->signals.on) hear_signals(&c, &o->signals);
    read_signals(&c);
    tell_known(&c, o->known);
    struct sharc_slot slot;
    for (;;) {
        if (sharc_strategy_renews(strategy)) read_signals(&c);
        if (!sharc_strategy_next(strategy, &slot) || ends_here(&c, &slot)) break;
        download(&c, &slot);
        renew(&c, &slot);
    }
    if (!c.revisiting && ops->revisits && rec->slots) rec->revisit[c.last] = rec->visit[c.last];
    sharc_strategy_report(strategy, &rec->report);
    sharc_signals_free(c.signals);
    free(c.sight);
    return 0;
}

/* How many slots it may take. A small crawl is tried without second looks first. A large one takes long, and is begun
 * with as many as it may make, which is what first captures of large sites do. */
static uint32_t first_guess(const struct sharc_sim_site *s, const struct sharc_strategy_ops *ops,
                            const struct sharc_sim_options *o)
{
    if (!ops->revisits) return s->pages;
    const uint32_t slots = 2 * s->pages - 1;
    if (!ops->second_looks || s->pages < LARGE || o->signals.on || o->params.focus_pages != SHARC_FOCUS_CHOOSE)
        return slots;
    return slots + (uint32_t)(o->params.focus_share * slots + 1e-9);
}

int sharc__sim_crawl(struct sharc__sim_run *r, const struct sharc_strategy_ops *ops, const struct sharc_sim_options *o,
                     struct sharc__sim_record *ret, struct sharc_err *reterr)
{
    const struct sharc_sim_site *s = r->site;
    uint32_t slots = first_guess(s, ops, o);
    for (unsigned attempt = 0;; attempt++) {
        if (s->slot > 0)
            r->slot = s->slot;
        else
            r->slot = slots > 1 ? (s->to - s->from) / (slots - 1) : 0;
        r->utility_end = s->from + r->slot * (slots ? slots - 1 : 0);
        const bool last = s->slot > 0 || attempt + 1 == ATTEMPTS;
        int code = crawl_once(r, ops, o, last ? 0 : slots, ret, reterr);
        if (code < 0 || s->slot > 0 || ret->slots == slots) return code;
        const bool near = !far_off(ret->slots, slots);
        slots = ret->slots;
        if (near || last) break;
        sharc__sim_record_done(ret);
    }
    /* The length hardly moves, or swings between two values: judge the last order in the window. */
    r->slot = slots > 1 ? (s->to - s->from) / (slots - 1) : 0;
    return 0;
}

void sharc__sim_run_init(struct sharc__sim_run *r, const struct sharc_sim_site *s, uint64_t seed)
{
    *r = (struct sharc__sim_run){
        .site = s,
        .seed = seed,
        .links = SHARC_NEW_ARRAY(sharc_page_no, s->max_links + 1),
        .chunk = SHARC_NEW_ARRAY(double, SHARC__SIM_CHUNK),
    };
}

void sharc__sim_run_done(struct sharc__sim_run *r)
{
    free(r->links);
    free(r->chunk);
    sharc_rate_live_free(r->live);
    sharc_rate_places_free(r->places);
}
