/* SPDX-License-Identifier: Apache-2.0
 *
 * The shell around every capture strategy: it keeps the rules of schedule.h so
 * that pickers and plans need not.
 */
#include "schedule_int.h"

#include <math.h>
#include <stdlib.h>

static struct sharc_strategy *create(const struct sharc_strategy_ops *ops, const struct sharc_strategy_params *params)
{
    struct sharc_strategy *s = SHARC_NEW(struct sharc_strategy);
    s->ops = ops;
    s->params = *params;
    s->expected = s->bound = (double)NAN;
    sharc__schedule_book_init(&s->book);
    s->picker = ROW_OF(ops)->picker;
    if (ROW_OF(ops)->tail == TAIL_FOCUS && params->focus_breadth_first) s->picker = &sharc__schedule_pick_bfs;
    s->pick = s->picker->create(s);
    return s;
}

void sharc_strategy_free(struct sharc_strategy *s)
{
    if (!s) return;
    s->picker->free(s->pick);
    sharc__schedule_book_done(&s->book);
    free(s->tail.page);
    free(s->late);
    free(s);
}

/* Anything of the tail handed out: the visits are over for good. */
static bool visits_closed(const struct sharc_strategy *s)
{
    return s->phase == PHASE_LATE || (s->phase == PHASE_TAIL && s->tail.at > 0);
}

void sharc_strategy_discover(struct sharc_strategy *s, sharc_page_no page, double rate, double weight)
{
    struct book *b = &s->book;
    sharc__schedule_book_reach(b, page);
    enum page_state state = book_state(b, page);
    if (state == PAGE_VISITED || state == PAGE_LOST) return;
    double old_rate = b->rate[page], old_weight = book_weight(b, page);
    sharc__schedule_book_set(b, page, rate, weight);
    if (state == PAGE_DETECTED) {
        if (!visits_closed(s) && s->picker->moved) s->picker->moved(s, page, old_rate, old_weight);
        return;
    }
    b->state[page] = PAGE_DETECTED;
    b->count++;
    b->fresh++;
    if (!s->started) b->known++;
    if (visits_closed(s)) {
        SHARC_GROW(s->late, s->late_room, s->late_count + 1);
        s->late[s->late_count++] = page;
        return;
    }
    s->phase = PHASE_VISITING;
    s->picker->add(s, page);
}

static bool hand_out(struct sharc_strategy *s, sharc_page_no page, enum sharc_slot_kind kind, struct sharc_slot *ret)
{
    *ret = (struct sharc_slot){page, kind, (s->book.state[page] & PAGE_HOPELESS) != 0};
    s->slots++;
    return true;
}

static bool next_visit(struct sharc_strategy *s, struct sharc_slot *ret)
{
    if (book_detected(&s->book) == 0) return false;
    bool hopeless = false;
    sharc_page_no page = s->picker->take(s, &hopeless);
    SHARC_ASSERT(book_state(&s->book, page) == PAGE_DETECTED);
    sharc__schedule_book_visit(&s->book, page, s->slots, hopeless);
    s->visits++;
    return hand_out(s, page, SHARC_VISIT, ret);
}

static bool next_of_tail(struct sharc_strategy *s, struct sharc_slot *ret)
{
    if (s->tail.renew_at && s->tail.at == s->tail.renew_at) sharc__schedule_tail_renew(s);
    if (s->tail.at == s->tail.count) return false;
    sharc_page_no page = s->tail.page[s->tail.at];
    if (s->tail.at++ < s->tail.looks) {
        s->book.slot[page] = s->slots;
        s->book.state[page] |= PAGE_LOOKED;
        s->looks++;
        return hand_out(s, page, SHARC_SECOND_LOOK, ret);
    }
    s->book.state[page] |= PAGE_REVISITED;
    s->revisits++;
    return hand_out(s, page, SHARC_REVISIT, ret);
}

static bool next_late(struct sharc_strategy *s, struct sharc_slot *ret)
{
    if (s->late_at == s->late_count) return false;
    sharc_page_no page = s->late[s->late_at++];
    sharc__schedule_book_visit(&s->book, page, s->slots, /* hopeless= */ true);
    s->visits++;
    return hand_out(s, page, SHARC_VISIT, ret);
}

bool sharc_strategy_next(struct sharc_strategy *s, struct sharc_slot *ret)
{
    s->started = true;
    if (s->phase == PHASE_VISITING) {
        if (next_visit(s, ret)) return true;
        if (ROW_OF(s->ops)->tail == TAIL_NONE) return false;
        sharc__schedule_tail_make(s);
        s->phase = PHASE_TAIL;
    }
    if (s->phase == PHASE_TAIL) {
        if (next_of_tail(s, ret)) return true;
        if (s->tail.at == 0) return false; /* a single page: nothing was closed */
        s->phase = PHASE_LATE;
    }
    return next_late(s, ret);
}

void sharc_strategy_observed(struct sharc_strategy *s, const struct sharc_observation *o)
{
    struct book *b = &s->book;
    if (o->page >= b->room || book_state(b, o->page) == PAGE_UNKNOWN) return;
    bool visited = book_state(b, o->page) == PAGE_VISITED;
    if (visited && s->phase == PHASE_VISITING && (o->change == SHARC_MISSING || o->change == SHARC_FAILED)) {
        b->state[o->page] = (uint8_t)((b->state[o->page] & ~PAGE_STATE) | PAGE_LOST);
    }
    if (o->rate >= 0 && isfinite(o->rate)) {
        double old = b->rate[o->page];
        b->rate[o->page] = o->rate;
        if (book_state(b, o->page) == PAGE_DETECTED && !visits_closed(s) && s->picker->moved) {
            s->picker->moved(s, o->page, old, book_weight(b, o->page));
        }
    }
}

void sharc_strategy_report(const struct sharc_strategy *s, struct sharc_strategy_report *ret)
{
    *ret = (struct sharc_strategy_report){
        .pages = s->book.count,
        .visits = s->visits,
        .looks = s->looks,
        .revisits = s->revisits,
        .hopeless = s->book.hopeless,
        .second_looks = s->tail.looks,
        .size_estimate = sharc__schedule_book_size(&s->book, s->params.size),
        .expected_coherence = s->phase == PHASE_VISITING ? s->expected : sharc__schedule_tail_expected(s),
        .bound = s->bound,
        .exact = s->exact,
        .bytes = sizeof *s + sharc__schedule_book_bytes(&s->book) + s->tail.count * sizeof *s->tail.page +
                 s->late_room * sizeof *s->late + s->picker->bytes(s->pick),
    };
}

/* --- the public face ------------------------------------------------------------ */

static int check_params(const struct sharc_strategy_params *p, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!(p->confidence > 0 && p->confidence < 1), reterr, SHARC_EINVAL,
                  "confidence must be between 0 and 1, not %g", p->confidence);
    SHARC_FAIL_IF(!(p->risk > 0 && p->risk < 1), reterr, SHARC_EINVAL, "risk must be between 0 and 1, not %g", p->risk);
    SHARC_FAIL_IF(!(p->focus_share >= 0 && p->focus_share <= 1), reterr, SHARC_EINVAL,
                  "the share of requests for second looks must be between 0 and 1, not %g", p->focus_share);
    SHARC_FAIL_IF(!(isfinite(p->observe_from) && isfinite(p->observe_to) && p->observe_from <= p->observe_to), reterr,
                  SHARC_EINVAL, "the observation interval must end after it begins, not run from %g to %g",
                  p->observe_from, p->observe_to);
    return 0;
}

int sharc_strategy_new(const struct sharc_strategy_ops *ops, const struct sharc_strategy_params *params,
                       struct sharc_strategy **ret, struct sharc_err *reterr)
{
    const struct sharc_strategy_params defaults = SHARC_STRATEGY_PARAMS;
    if (!params) params = &defaults;
    int r = check_params(params, reterr);
    if (r < 0) return r;
    *ret = create(ops, params);
    return 0;
}

void sharc_strategy_freep(struct sharc_strategy **s)
{
    sharc_strategy_free(*s);
    *s = NULL;
}

const struct sharc_strategy_ops *sharc_strategy_ops(const struct sharc_strategy *s)
{
    return s->ops;
}

bool sharc_strategy_renews(const struct sharc_strategy *s)
{
    if (ROW_OF(s->ops)->tail != TAIL_FOCUS || !s->params.believe) return false;
    if (s->phase == PHASE_VISITING) return s->visits > 0 && book_detected(&s->book) == 0;
    return s->phase == PHASE_TAIL && s->tail.renew_at && s->tail.at == s->tail.renew_at;
}
