/* SPDX-License-Identifier: Apache-2.0
 *
 * What a site does next: the queues of its agenda in their order (agenda.h), then
 * whether the task is still wanted, and whether its host's robots.txt is known.
 */
#include "engine.h"

/* --- from the queues ------------------------------------------------------------ */

/* May the strategy be asked? Not while a result may still bring pages that
 * belong before what it would say. */
static bool may_ask(const struct site *s)
{
    const struct agenda *a = &s->agenda;
    const struct sharc_crawl *c = s->crawl;
    const struct sharc_crawl_pace pace = sharc__crawl_pace_at(s, s->group);
    /* What is to be tried again may bring pages too. */
    if (!a->turn.visits_over && a->plan.waiting == 0 && a->retries.count > 0) return false;
    if (a->outstanding == 0) return true;
    if (s->heard.waiting) return false;
    if (pace.delay > 0 || a->pace.delay > 0 || c->hosts.group[s->group].crawl_delay > 0) return false;
    unsigned window = c->ctx.o.window ? c->ctx.o.window : 8 + 4 * pace.connections;
    if (a->turn.visits_over) return a->outstanding < window;
    return a->plan.waiting > 0 && a->outstanding < window;
}

/* sharc status shall know of it. */
static void tell_phase(struct site *s)
{
    struct sharc_store_capture row = SHARC_STORE_CAPTURE_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf params = SHARC_BUF_INIT(4u << 20);
    sharc__crawl_agenda_phase(&s->agenda, SHARC_CRAWL_CONTROLS);
    sharc__crawl_params(s, &s->agenda.plan.params, NULL, &params);
    row.id = s->capture.id;
    row.state = SHARC_CAPTURE_RUNNING;
    row.params = sharc_buf_span(&params);
    (void)sharc_store_batch_capture(s->crawl->out.batch, &row, NULL);
    sharc__crawl_to_commit(&s->crawl->out);
}

/* All visits and revisits are made: what control downloads are still to show. */
static bool from_controls(struct site *s, struct task *ret)
{
    enum controls_next next =
        s->agenda.plan.ops->revisits ? sharc__crawl_controls_next(&s->controls, ret) : CONTROLS_NONE;
    if (next == CONTROLS_NONE)
        sharc__crawl_agenda_phase(&s->agenda, SHARC_CRAWL_DONE);
    else if (s->agenda.phase != SHARC_CRAWL_CONTROLS)
        tell_phase(s);
    /* The loop looks after everything else in between. */
    if (next == CONTROLS_BUSY) sharc__crawl_site_due(s, crawl_now(&s->crawl->ctx) + 1);
    return next == CONTROLS_HAVE_TASK;
}

/* The strategy has nothing left: true when there is something else, or it can be asked again. */
static bool beyond_the_plan(struct site *s, struct task *ret, bool *ret_ask)
{
    struct agenda *a = &s->agenda;
    *ret_ask = false;
    if (a->outstanding > 0 || a->retries.count > 0) return false;
    if (a->plan.ops->revisits && !a->turn.visits_over && a->turn.last_download != NO_PAGE) {
        sharc__crawl_turn_round(a);
        if (sharc__crawl_agenda_take(a, EXTRA_REVISITS, ret)) return true;
    }
    if (sharc__crawl_agenda_take(a, AFTER_ALL, ret)) return true;
    *ret_ask = sharc__crawl_make_room(&s->frontier);
    if (!*ret_ask && a->plan.ops->revisits && sharc__crawl_audit_missing(s, ret)) return true;
    return *ret_ask || from_controls(s, ret);
}

/* The strategy is about to plan anew: what does the site itself say of its changes? True: it is asked. */
static bool listen(struct site *s)
{
    struct agenda *a = &s->agenda;
    if (s->crawl->ctx.o.no_signals || !sharc_strategy_renews(a->plan.strategy)) return false;
    /* Those that are pages get a second look, which whoever wants none of does not get by this door either. */
    const bool may_look = s->crawl->ctx.o.params.focus_share > 0 && !a->turn.visits_over;
    if (!sharc__crawl_heard_due(&s->heard, a->plan.slots, may_look)) return false;
    for (size_t i = 0; i < s->heard.count; i++) {
        const struct heard_list *l = &s->heard.list[i];
        if (!l->asked) continue;
        const struct task t = {.kind = l->is_page ? TASK_LOOK : TASK_LIST,
                               .page = l->page,
                               .slot = a->plan.slots ? a->plan.slots - 1 : 0};
        sharc__crawl_agenda_prepare(a, &t);
    }
    return true;
}

static bool from_strategy(struct site *s, struct task *ret)
{
    struct agenda *a = &s->agenda;
    struct sharc_slot slot;
    while (may_ask(s)) {
        if (!a->plan.started) sharc__crawl_agenda_phase(a, SHARC_CRAWL_VISITS);
        if (a->outstanding == 0) sharc__crawl_heard_settled(&s->heard);
        sharc__crawl_plan_renew(a);
        if (listen(s)) return sharc__crawl_agenda_take(a, PREPARATIONS, ret);
        if (!sharc__crawl_plan_next(a, &slot)) {
            bool ask = false;
            if (!beyond_the_plan(s, ret, &ask)) return false;
            if (!ask) return true;
            continue;
        }
        if (!sharc__crawl_task_of_slot(a, &slot, ret)) continue;
        const struct task of_slot = *ret;
        sharc__crawl_agenda_behind_extra(a, &of_slot, ret); /* behind what belongs to the apex */
        return true;
    }
    return false;
}

static bool pick(struct site *s, struct task *ret)
{
    struct agenda *a = &s->agenda;
    if (sharc__crawl_agenda_take_due(a, ret)) return true;
    if (sharc__crawl_agenda_take(a, PREPARATIONS, ret)) return true;
    if (a->plan.started || (a->outstanding == 0 && a->retries.count == 0)) { /* sitemaps first, then the plan */
        if (sharc__crawl_agenda_take(a, EMBEDS, ret)) return true;
        if (sharc__crawl_agenda_take(a, EXTRA_REVISITS, ret)) return true;
        if (from_strategy(s, ret)) return true;
    }
    return a->outstanding == 0 && sharc__crawl_agenda_take(a, RETRIES, ret); /* nothing else is left: wait for it */
}

/* --- still wanted? --------------------------------------------------------------- */

static void give_up(struct site *s, const struct task *t, enum sharc_crawl_reason why)
{
    if (t->kind == TASK_CONTROL && t->step == CONTROL_AUDIT)
        sharc__crawl_audit_tried(s, t->page);
    else if (t->kind == TASK_CONTROL)
        sharc__crawl_controls_dropped(&s->controls, t);
    else if (task_is_visit(t))
        sharc__crawl_skip(&s->frontier, t->page, why, SHARC_SPAN_NONE);
    else
        sharc__crawl_pages_set_state(&s->pages, t->page, PAGE_DONE, s->pages.page[t->page].reason);
    if (t->of_strategy) sharc__crawl_plan_not_fetched(&s->agenda, t->page, SHARC_FAILED);
    if (t->kind == TASK_VISIT) sharc__crawl_agenda_given_up(&s->agenda, 1);
}

/* Settings may have changed since the page was let in. */
static enum sharc_crawl_reason changed_mind(struct site *s, const struct task *t)
{
    const struct sharc_crawl *c = s->crawl;
    const uint64_t limit = s->agenda.pace.pages;
    enum sharc_crawl_reason why = SHARC_SKIP_NONE;
    if (c->steering.new_rules) why = sharc__crawl_shut_out(&s->frontier, t->page);
    if (!why && t->kind == TASK_VISIT && limit && s->count.visits >= limit) why = SHARC_SKIP_LIMIT_PAGES;
    return why;
}

/* The limit was reached: what a download could have brought is not asked for. */
static void drop(struct site *s, const struct task *t)
{
    if (t->kind == TASK_ROBOTS) sharc__crawl_host_not_asked(&s->crawl->hosts, t->host);
    if (t->kind == TASK_CONTROL && t->step == CONTROL_AUDIT)
        sharc__crawl_audit_tried(s, t->page);
    else if (t->kind == TASK_CONTROL)
        sharc__crawl_controls_end(&s->controls);
    if (task_is_preparation(t))
        sharc__crawl_pages_set_state(&s->pages, t->page, PAGE_DONE, s->pages.page[t->page].reason);
    else if (t->of_strategy)
        sharc__crawl_plan_not_fetched(&s->agenda, t->page, SHARC_FAILED);
}

/* Is it still to be done? Embeds may be queued twice, limits may be reached. */
static bool still_wanted(struct site *s, const struct task *t)
{
    const struct page *p = &s->pages.page[t->page];
    if (!t->of_strategy && (p->flags & PAGE_UNDER_WAY)) return false;
    if (t->kind == TASK_EMBED && p->state != PAGE_WAITING) return false;
    const struct version *v = page_version(&s->pages, t->page);
    bool again = v && version_is_stale(v) && (v->marks & VERSION_ASKED_AGAIN);
    if (t->kind == TASK_REVISIT && !t->of_strategy && !again && !version_can_be_revisited(v)) return false;
    if (t->kind == TASK_REVISIT && t->of_strategy && v && v->revisited) { /* first of all, as the last one visited */
        sharc__crawl_plan_not_fetched(&s->agenda, t->page, (enum sharc_change_class)v->change);
        return false;
    }
    if (t->kind == TASK_VISIT && p->state != PAGE_WAITING && p->state != PAGE_AFTER_ALL) {
        if (t->of_strategy) sharc__crawl_plan_done_already(&s->agenda, t->page);
        return false;
    }
    bool too_late = sharc__crawl_limits_too_late(&s->agenda, t);
    if (!task_is_visit(t)) {
        if (too_late) drop(s, t);
        return !too_late;
    }
    enum sharc_crawl_reason why = too_late ? s->agenda.limits.reason : changed_mind(s, t);
    if (why) give_up(s, t, why);
    return !why;
}

/* --- robots.txt first ---------------------------------------------------------------- */

enum { GO, SET_ASIDE, WAIT, FORBIDDEN, DEAD };

/* May the task go? Its host must be alive, and robots.txt known; if that is not yet asked
 * for, the task becomes the request for it. Elsewhere is waited for aside. */
static int robots_first(struct site *s, struct task *t, const struct sharc_url *u)
{
    const struct context *ctx = &s->crawl->ctx;
    const struct hosts *hosts = &s->crawl->hosts;
    const struct host *h = &hosts->host[t->host];
    if (t->kind == TASK_ROBOTS) return GO;
    if (h->dead_until > crawl_now(ctx)) return DEAD;
    if (ctx->o.ignore_robots) return GO;
    if (h->robots == ROBOTS_KNOWN && h->expires > crawl_now(ctx))
        return sharc__crawl_host_forbids(hosts, t->host, u) ? FORBIDDEN : GO;
    if (h->robots == ROBOTS_ASKED && h->group != s->reach.home) {
        t->not_before = crawl_now(ctx) + 500 * SHARC_MSEC;
        sharc__crawl_agenda_retry_last(&s->agenda, t);
        return SET_ASIDE;
    }
    /* It has its turn again behind robots.txt, which may itself wait among the retries to be asked for once more. */
    if (h->robots == ROBOTS_ASKED) t->not_before = crawl_now(ctx);
    sharc__crawl_agenda_retry(&s->agenda, t);
    if (h->robots == ROBOTS_ASKED) {
        s->waits_for_robots = true;
        return WAIT;
    }
    sharc__crawl_robots_first(&s->sources, t, t->page);
    return GO;
}

/* --- the next task ---------------------------------------------------------------------- */

/* True: it is the current task now; otherwise *ret_wait says whether to look for another. */
static bool accept(struct site *s, struct task *t, bool *ret_wait)
{
    struct sharc_url *url = &s->url;
    if (!still_wanted(s, t)) return false;
    if (sharc_url_parse(url, page_url(&s->pages, t->page), NULL, NULL) < 0) {
        give_up(s, t, SHARC_SKIP_BAD_URL);
        return false;
    }
    if (!t->keep_host) t->host = sharc__crawl_hosts_of(&s->crawl->hosts, url);
    int r = robots_first(s, t, url);
    if (r == FORBIDDEN) give_up(s, t, SHARC_SKIP_ROBOTS);
    if (r == DEAD) give_up(s, t, SHARC_SKIP_UNREACHABLE);
    *ret_wait = r == WAIT;
    if (r != GO) return false;
    if (t->kind == TASK_REVISIT) sharc__crawl_revisit_followers(&s->agenda, t->page);
    s->group = s->crawl->hosts.host[t->host].group;
    sharc__crawl_pace_of_host(s->crawl, t->host);
    sharc__crawl_agenda_choose(&s->agenda, t);
    return true;
}

/* A task that must come, after the download of its page that is under way: an embed of another page, or the audit of a
 * page whose server was found to lie meanwhile. */
static bool must_wait(const struct site *s, const struct task *t)
{
    const struct version *v = page_version(&s->pages, t->page);
    const bool broken = t->kind == TASK_REVISIT && v && !v->revisited && v->reason == SHARC_GRADED_WORD_BROKEN;
    return (t->of_strategy || broken) && (s->pages.page[t->page].flags & PAGE_UNDER_WAY);
}

bool sharc__crawl_choose(struct site *s)
{
    struct agenda *a = &s->agenda;
    struct task t;
    bool wait = false;
    if (a->has_current && sharc__crawl_limits_too_late(a, &a->current)) /* while it waited for its time */
        sharc__crawl_agenda_put_back(a);
    while (!a->has_current && pick(s, &t)) {
        if (must_wait(s, &t)) {
            sharc__crawl_agenda_retry_last(a, &t); /* its result will call */
            return false;
        }
        if (!accept(s, &t, &wait) && wait) return false;
    }
    return a->has_current;
}
