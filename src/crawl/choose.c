/* SPDX-License-Identifier: Apache-2.0
 *
 * What a site does next:
 *
 *   what has to be tried again → robots.txt, sitemaps, the probe → embeds of the
 *   page before → revisits that belong to the last one → the strategy's next slot
 *
 * A page and its embeds are one group in time: visited right after each other,
 * and revisited so. The strategy knows the page only.
 *
 *   PREPARING --errands done--> VISITS --first second look--> LOOKS
 *                                  |                            |
 *                                  +------first revisit---------+--> REVISITS --> DONE
 */
#include "crawl_int.h"

#include <stdlib.h>

/* --- the turn from visits to revisits --------------------------------------- */

static bool can_be_revisited(const struct site *s, uint32_t page)
{
    const struct seen *v = page_seen(&s->pages, page);
    return v && v->visit != SHARC_TIME_NONE && !v->revisited && v->answer != SHARC_ANSWER_FAILED &&
           v->answer != SHARC_ANSWER_GONE;
}

static void revisit_too(struct site *s, uint32_t page)
{
    struct task t = {.kind = TASK_REVISIT, .page = page, .slot = s->slots ? s->slots - 1 : 0};
    if (can_be_revisited(s, page)) sharc__crawl_queue_push(&s->extra, &t);
}

static void revisit_followers(struct site *s, uint32_t page)
{
    for (uint32_t f = s->pages.page[page].first; f != NO_PAGE; f = s->pages.page[f].next) revisit_too(s, f);
}

/* The download that ended the visits is its own revisit, and its instant is the
 * reference. If it was an embed, the page it belongs to is not the last one, and
 * has to be revisited though the strategy does not ask for it. */
static void turn_round(struct site *s)
{
    s->visits_over = true;
    s->apex = s->last_page;
    uint32_t last = s->last_download;
    struct seen *v = last == NO_PAGE ? NULL : page_seen(&s->pages, last);
    if (v && can_be_revisited(s, last)) {
        s->reference = v->visit;
        v->revisit = v->visit;
        v->revisited = true;
        v->change = SHARC_UNCHANGED;
        s->count.coherent++;
        sharc__crawl_j_seen(s, last);
    }
    if (s->ops->revisit_order == SHARC_REVISITS_SAME) return; /* it asks for them itself */
    if (s->apex != NO_PAGE) revisit_too(s, s->apex);
    if (last != NO_PAGE) revisit_followers(s, last); /* a second look was not at what the page shows */
}

/* --- slots ------------------------------------------------------------------- */

static void nothing_to_see(struct site *s, uint32_t page, enum sharc_change_class change)
{
    struct sharc_observation o = {.page = page, .when = crawl_now(s->crawl), .change = change, .rate = -1};
    sharc__crawl_j_observed(s, &o);
}

/* It came with another page before its turn. */
static void done_already(struct site *s, uint32_t page)
{
    const struct seen *v = page_seen(&s->pages, page);
    bool there = v && v->visit != SHARC_TIME_NONE && v->answer != SHARC_ANSWER_GONE && v->answer != SHARC_ANSWER_FAILED;
    nothing_to_see(s, page, there ? SHARC_NEW : SHARC_FAILED);
}

/* A slot as a task; false: it needs no download. */
static bool task_of_slot(struct site *s, const struct sharc_slot *slot, struct task *t)
{
    *t = (struct task){.kind = TASK_VISIT, .page = slot->page, .slot = s->slots - 1, .told = true};
    if (slot->kind == SHARC_VISIT) {
        s->last_page = slot->page;
        if (s->pages.page[slot->page].state == PAGE_WAITING) return true;
        done_already(s, slot->page);
        return false;
    }
    if (slot->kind == SHARC_SECOND_LOOK) {
        t->kind = TASK_LOOK;
        s->phase = SHARC_CRAWL_LOOKS;
        s->last_page = slot->page;
        return true;
    }
    t->kind = TASK_REVISIT;
    if (!s->visits_over) turn_round(s);
    s->phase = SHARC_CRAWL_REVISITS;
    const struct seen *v = page_seen(&s->pages, slot->page);
    if (v && v->revisited && slot->page != s->last_download) {
        nothing_to_see(s, slot->page, (enum sharc_change_class)v->change);
        return false;
    }
    return true;
}

/* May the strategy be asked? Not while a result may still bring pages that
 * belong before what it would say. */
static bool may_ask(const struct site *s)
{
    const struct sharc_crawl *c = s->crawl;
    /* What is to be tried again may bring pages too. */
    if (!s->visits_over && s->waiting == 0 && s->again.count > 0) return false;
    if (s->outstanding == 0) return true;
    if (c->o.pace.delay > 0 || c->hosts.group[s->group].crawl_delay > 0) return false;
    unsigned window = c->o.window ? c->o.window : 8 + 4 * c->o.pace.connections;
    if (s->visits_over) return s->outstanding < window;
    return s->waiting > 0 && s->outstanding < window;
}

static bool from_strategy(struct site *s, struct task *ret)
{
    struct sharc_slot slot;
    while (may_ask(s)) {
        if (!s->started) s->phase = SHARC_CRAWL_VISITS;
        sharc__crawl_renew(s);
        if (!sharc__crawl_j_next(s, &slot)) {
            if (s->outstanding > 0 || s->again.count > 0) return false;
            if (s->ops->revisits && !s->visits_over && s->last_download != NO_PAGE) {
                turn_round(s);
                if (sharc__crawl_queue_pop(&s->extra, ret)) return true;
            }
            if (sharc__crawl_queue_pop(&s->late, ret)) return true;
            if (sharc__crawl_make_room(s)) continue;
            s->phase = SHARC_CRAWL_DONE;
            return false;
        }
        if (!task_of_slot(s, &slot, ret)) continue;
        if (s->extra.count == 0) return true;
        sharc__crawl_queue_push(&s->extra, ret); /* behind what belongs to the apex */
        return sharc__crawl_queue_pop(&s->extra, ret);
    }
    return false;
}

/* --- prerequisites -------------------------------------------------------------- */

static void give_up(struct site *s, const struct task *t, enum sharc_crawl_reason why)
{
    if (t->kind == TASK_VISIT || t->kind == TASK_EMBED)
        sharc__crawl_skip(s, t->page, why, SHARC_SPAN_NONE);
    else
        s->pages.page[t->page].state = PAGE_DONE;
    if (t->told) nothing_to_see(s, t->page, SHARC_FAILED);
    if (t->kind == TASK_VISIT) s->given_up++;
}

enum { GO, SET_ASIDE, WAIT, FORBIDDEN, DEAD };

/* May the task go? Its host must be alive, and robots.txt known; if that is not yet asked
 * for, the task becomes the request for it. Elsewhere is waited for aside. */
static int robots_first(struct site *s, struct task *t, const struct sharc_url *u)
{
    struct sharc_crawl *c = s->crawl;
    struct host *h = &c->hosts.host[t->host];
    if (t->kind == TASK_ROBOTS) return GO;
    if (h->dead_until > crawl_now(c)) return DEAD;
    if (c->o.ignore_robots) return GO;
    bool expired = h->robots == ROBOTS_KNOWN && h->expires <= crawl_now(c);
    if (h->robots == ROBOTS_KNOWN && !expired)
        return sharc_robots_allowed(h->rules, sharc_url_href(u), NULL) ? GO : FORBIDDEN;
    if (h->robots == ROBOTS_ASKED && h->group != s->home) {
        t->not_before = crawl_now(c) + 500 * SHARC_MSEC;
        sharc__crawl_queue_push(&s->again, t);
        return SET_ASIDE;
    }
    sharc__crawl_queue_push_front(&s->again, t);
    if (h->robots == ROBOTS_ASKED) {
        s->waits_for_robots = true;
        return WAIT;
    }
    SHARC_AUTO(sharc_freep) char *url = sharc_asprintf("%s/robots.txt", h->origin);
    h->robots = ROBOTS_ASKED;
    h->redirects = 0;
    *t = (struct task){.kind = TASK_ROBOTS, .host = t->host};
    t->page = sharc__crawl_errand(s, sharc_span_of(url), s->again.items[s->again.head].page, 'P');
    return GO;
}

static bool pick(struct site *s, struct task *ret)
{
    if (sharc__crawl_queue_pop_due(&s->again, crawl_now(s->crawl), ret)) return true;
    if (sharc__crawl_queue_pop(&s->errands, ret)) return true;
    if (s->started || (s->outstanding == 0 && s->again.count == 0)) { /* sitemaps first, then the plan */
        if (sharc__crawl_queue_pop(&s->embeds, ret)) return true;
        if (sharc__crawl_queue_pop(&s->extra, ret)) return true;
        if (from_strategy(s, ret)) return true;
    }
    return s->outstanding == 0 && sharc__crawl_queue_pop(&s->again, ret); /* nothing else is left: wait for it */
}

/* Settings may have changed since the page was let in. */
static enum sharc_crawl_reason changed_mind(struct site *s, const struct task *t)
{
    const struct sharc_crawl *c = s->crawl;
    enum sharc_crawl_reason why = c->new_rules ? sharc__crawl_shut_out(s, t->page) : SHARC_SKIP_NONE;
    if (why) return why;
    if (t->kind == TASK_VISIT && c->o.pace.pages && s->count.visits >= c->o.pace.pages) return SHARC_SKIP_LIMIT_PAGES;
    return SHARC_SKIP_NONE;
}

/* The limit was reached: what a download could have brought is not asked for. */
static void drop(struct site *s, const struct task *t)
{
    struct host *h = t->host < sharc_intern_count(s->crawl->hosts.origins) ? &s->crawl->hosts.host[t->host] : NULL;
    if (t->kind == TASK_ROBOTS && h && h->robots == ROBOTS_ASKED) h->robots = ROBOTS_UNKNOWN;
    if (t->kind < TASK_VISIT)
        s->pages.page[t->page].state = PAGE_DONE;
    else if (t->told)
        nothing_to_see(s, t->page, SHARC_FAILED);
}

/* Is it still to be done? Embeds may be queued twice, limits may be reached. */
static bool still_wanted(struct site *s, const struct task *t)
{
    const struct page *p = &s->pages.page[t->page];
    if (!t->told && (p->flags & PAGE_UNDER_WAY)) return false;
    if (t->kind == TASK_EMBED && p->state != PAGE_WAITING) return false;
    if (t->kind == TASK_REVISIT && !t->told && !can_be_revisited(s, t->page)) return false;
    if (t->kind == TASK_VISIT && p->state != PAGE_WAITING && p->state != PAGE_LATE) {
        if (t->told) done_already(s, t->page);
        return false;
    }
    bool too_late = sharc__crawl_too_late(s, t);
    if (t->kind != TASK_VISIT && t->kind != TASK_EMBED) {
        if (too_late) drop(s, t);
        return !too_late;
    }
    enum sharc_crawl_reason why = too_late ? s->limit_reason : changed_mind(s, t);
    if (why) give_up(s, t, why);
    return !why;
}

bool sharc__crawl_choose(struct site *s)
{
    struct task t;
    if (s->has_current && sharc__crawl_too_late(s, &s->current)) { /* while it waited for its time */
        s->has_current = false;
        sharc__crawl_queue_push_front(&s->again, &s->current);
    }
    while (!s->has_current && pick(s, &t)) {
        if (t.told && (s->pages.page[t.page].flags & PAGE_UNDER_WAY)) {
            sharc__crawl_queue_push(&s->again, &t); /* as an embed of another page: its result will call */
            return false;
        }
        if (!still_wanted(s, &t)) continue;
        if (sharc_url_parse(&s->url, page_url(&s->pages, t.page), NULL, NULL) < 0) {
            give_up(s, &t, SHARC_SKIP_BAD_URL);
            continue;
        }
        if (!t.keep_host) t.host = sharc__crawl_hosts_of(&s->crawl->hosts, &s->url);
        int r = robots_first(s, &t, &s->url);
        if (r == WAIT) return false;
        if (r == FORBIDDEN) give_up(s, &t, SHARC_SKIP_ROBOTS);
        if (r == DEAD) give_up(s, &t, SHARC_SKIP_UNREACHABLE);
        if (r != GO) continue;
        if (t.kind == TASK_REVISIT) revisit_followers(s, t.page);
        s->group = s->crawl->hosts.host[t.host].group;
        s->current = t;
        s->has_current = true;
    }
    return s->has_current;
}
