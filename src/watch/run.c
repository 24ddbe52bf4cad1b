/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of a watch. The planner says which pages are due; each becomes a task that begins as soon as its host may
 * be asked, robots.txt first. As long as a host has a task the planner gives no other page of it. Controls and lists
 * are tasks too.
 */
#include "watching.h"

#include "sharc/http_fetch.h"

#include <stdlib.h>

#define FULL_DISK_PAUSE (10 * SHARC_SEC)
#define WISH_PAUSE SHARC_SEC
#define SAVE_USUAL SHARC_HOUR

/* --- tasks -------------------------------------------------------------------------------- */

static void set_host(struct sharc_watching *w, uint32_t look, sharc_time not_before)
{
    const struct sharc_watch_host h = {.delay = w->o.crawl.pace.delay, .not_before = not_before};
    sharc_watch_host(w->plan, sharc_looks_host_of(w->looks, look), &h);
}

void sharc__watching_add_task(struct sharc_watching *w, uint32_t look, uint32_t number, enum sharc_looks_kind kind,
                              bool first)
{
    SHARC_GROW(w->task, w->task_room, w->tasks + 1);
    const size_t at = first ? 0 : w->tasks;
    memmove(w->task + at + 1, w->task + at, (w->tasks - at) * sizeof *w->task);
    w->task[at] = (struct task){.look = look, .number = number, .kind = kind};
    w->tasks++;
    set_host(w, look, NEVER);
}

static void remove_task(struct sharc_watching *w, size_t i)
{
    const uint32_t look = w->task[i].look, host = sharc_looks_host_of(w->looks, look);
    memmove(w->task + i, w->task + i + 1, (w->tasks - i - 1) * sizeof *w->task);
    w->tasks--;
    for (size_t k = 0; k < w->tasks; k++)
        if (sharc_looks_host_of(w->looks, w->task[k].look) == host) return;
    sharc_time due = sharc_looks_due(w->looks, look);
    set_host(w, look, due == INT64_MAX ? NEVER : due);
    w->next_try = watching_now(w);
}

static void refuse(struct sharc_watching *w, size_t i, const char *text)
{
    const struct task t = w->task[i];
    struct sharc_span url = sharc_looks_url(w->looks, t.look);
    uint32_t site;
    if (t.kind == SHARC_LOOKS_LIST) {
        site = w->list[t.number].site;
        w->list[t.number].under_way = false;
        w->list[t.number].next = watching_now(w) + SHARC_DAY;
    } else {
        /* As a failure, without a request: it is asked for again later, less and less often. */
        const struct sharc_observation o = {
            .page = t.number, .change = SHARC_FAILED, .when = watching_now(w), .rate = -1, .importance = -1};
        site = w->pages[t.number].site;
        sharc_watch_observed(w->plan, &o);
        if (t.kind == SHARC_LOOKS_PAGE) sharc_watch_spend(w->plan, -1);
        free(w->pages[t.number].doubt);
        w->pages[t.number].doubt = NULL;
    }
    remove_task(w, i);
    sharc__watching_event(w, (struct sharc_watching_event){.kind = SHARC_WATCHING_REFUSED,
                                                           .site = sharc_looks_site_name(w->looks, w->site[site].look),
                                                           .url = url,
                                                           .text = text});
}

/* Begin what may begin; *ret_next: when the next one may. */
static int begin_tasks(struct sharc_watching *w, sharc_time now, sharc_time *ret_next, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    for (size_t i = 0; i < w->tasks; i++) {
        struct task *t = &w->task[i];
        if (t->begun) continue;
        sharc_time due = sharc_looks_due(w->looks, t->look);
        if (due > now) {
            if (due < *ret_next) *ret_next = due;
            continue;
        }
        int r = sharc_looks_start(w->looks, t->look, t->kind, &err);
        if (r == 0) t->begun = true;
        if (r == 1 && (due = sharc_looks_due(w->looks, t->look)) < *ret_next) *ret_next = due;
        if (r == SHARC_EROBOTS)
            refuse(w, i--, err.text);
        else if (r < 0)
            return sharc_fail(reterr, r, "%s", err.text);
    }
    return 0;
}

/* --- what is due ------------------------------------------------------------------------------ */

static bool may_begin(const struct sharc_watching *w)
{
    return !w->paused && !w->blocked && !w->ending && atomic_load(&w->stop) == 0;
}

static void due_pages(struct sharc_watching *w, sharc_time now)
{
    struct sharc_watch_due due[TASKS_MOST];
    if (now < w->next_try || w->tasks >= TASKS_MOST) return;
    sharc__watching_pace(w);
    size_t n = sharc_watch_due(w->plan, now, TASKS_MOST - w->tasks, due);
    for (size_t i = 0; i < n; i++) {
        struct page *p = &w->pages[due[i].page];
        p->why = (uint8_t)due[i].why;
        sharc__watching_add_task(w, p->look, due[i].page, SHARC_LOOKS_PAGE, /* first= */ false);
    }
    w->next_try = sharc_watch_next(w->plan, now);
    if (w->next_try == SHARC_TIME_NONE) w->next_try = NEVER;
    if (w->next_try <= now) w->next_try = now + SHARC_SEC; /* it was asked just now */
}

static void due_lists(struct sharc_watching *w, sharc_time now, sharc_time *next)
{
    for (size_t i = 0; i < w->lists; i++) {
        struct list *l = &w->list[i];
        if (l->under_way) continue;
        if (l->next > now || w->tasks >= TASKS_MOST) {
            if (l->next < *next) *next = l->next > now ? l->next : now + SHARC_SEC;
            continue;
        }
        l->under_way = true;
        sharc__watching_add_task(w, l->look, (uint32_t)i, SHARC_LOOKS_LIST, /* first= */ false);
    }
}

/* --- what has ended --------------------------------------------------------------------------- */

static int ended(struct sharc_watching *w, const struct sharc_looked *l, struct sharc_err *reterr)
{
    if (l->kind == SHARC_LOOKS_ROBOTS) {
        w->counts.requests++;
        sharc_watch_spend(w->plan, 1);
        uint32_t site = 0;
        while (site < w->sites && w->site[site].look != sharc_looks_site_of(w->looks, l->page)) site++;
        return site < w->sites && l->look.status == 200 ? sharc__watching_robots(w, site, l->body, reterr) : 0;
    }
    for (size_t i = 0; i < w->tasks; i++) {
        const struct task t = w->task[i];
        if (!t.begun || t.look != l->page || t.kind != l->kind) continue;
        const bool aborted = atomic_load(&w->stop) > 1 && l->look.status == 0;
        int r = 0;
        if (!aborted)
            r = sharc__watching_seen(w, t, l, reterr);
        else if (t.kind == SHARC_LOOKS_PAGE)
            sharc_watch_give_back(w->plan, t.number);
        for (i = 0; i < w->tasks; i++) /* a control may have come before it */
            if (w->task[i].begun && w->task[i].look == t.look && w->task[i].kind == t.kind) break;
        if (i < w->tasks) remove_task(w, i);
        return r;
    }
    return 0;
}

/* --- safety ------------------------------------------------------------------------------------- */

/* There is no room: nothing new is begun until there is. */
static void wait_for_room(struct sharc_watching *w, sharc_time now, const struct sharc_err *why)
{
    if (!w->blocked) sharc__watching_remark(w, "%s: waiting until there is room", why->text);
    w->blocked = true;
    w->next_retry = now + FULL_DISK_PAUSE;
}

static int commit(struct sharc_watching *w, sharc_time now, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int r = 0;
    if (w->blocked && now < w->next_retry && !w->ending) return 0;
    r = sharc_looks_commit(w->looks, &err);
    if (r == 0 && w->stuck) return 0; /* but a record has no room yet */
    if (r == 0) {
        if (w->blocked) sharc__watching_remark(w, "there is room on the disk again: continuing");
        w->blocked = false;
        sharc__watching_write_feeds(w);
        return 0;
    }
    if (r != SHARC_ENOSPC) return sharc_fail(reterr, r, "%s", err.text);
    wait_for_room(w, now, &err);
    return 0;
}

static int save_and_commit(struct sharc_watching *w, sharc_time now, struct sharc_err *reterr)
{
    sharc_time due = sharc_looks_commit_due(w->looks);
    const bool save = now >= w->next_save || w->state_changed;
    int r = 0;
    if (!save && (due == SHARC_TIME_NONE || due > now)) return 0;
    if (save && !w->blocked) {
        r = sharc__watching_save(w, reterr);
        w->next_save = now + (w->o.save > 0 ? w->o.save : SAVE_USUAL);
    }
    return r < 0 ? r : commit(w, now, reterr);
}

/* --- the loop --------------------------------------------------------------------------------------- */

static void follow_the_clock(struct sharc_watching *w, sharc_time now)
{
    if (!w->o.zone || now < w->next_zone) return;
    w->next_zone = now - now % (15 * SHARC_MINUTE) + 15 * SHARC_MINUTE; /* clocks are changed at full quarters */
    const sharc_time zone = w->o.zone(w->o.zone_arg, now);
    if (zone == w->zone) return;
    w->zone = zone;
    for (uint32_t i = 0; i < w->sites; i++)
        sharc_watch_site(w->plan, i, &(struct sharc_watch_site){.weight = 1, .east_of_utc = zone});
}

/* Somebody has set the clock of the machine: looks are dated as before, or what lies between two of them would lie. */
static void look_at_clock(struct sharc_watching *w)
{
    struct sharc_clock *clock = w->world.clock;
    struct sharc_clock_anchor a = {0};
    char text[SHARC_TIME_TEXT];
    if (clock->anchor) clock->anchor(clock, &a);
    const sharc_time by = a.set - w->clock_set, size = by < 0 ? -by : by;
    if (a.epoch == 0 || size < SHARC_SEC) return;
    w->clock_set = a.set;
    sharc__watching_remark(w,
                           "the clock of this machine was put %s by %s: looks are dated as before until the watch is "
                           "started again",
                           by < 0 ? "back" : "forward", sharc_duration_text(size, text));
}

static bool is_used_up(const struct sharc_watching *w, sharc_time now)
{
    return (w->o.time > 0 && now - w->started >= w->o.time) ||
           (w->o.requests > 0 && w->counts.requests >= w->o.requests);
}

static void sooner(sharc_time *at, sharc_time t)
{
    if (t != SHARC_TIME_NONE && t < *at) *at = t;
}

static sharc_time wake_at(const struct sharc_watching *w, sharc_time next)
{
    if (may_begin(w)) sooner(&next, w->next_try);
    sooner(&next, w->next_save);
    sooner(&next, w->blocked ? w->next_retry : sharc_looks_commit_due(w->looks));
    if (w->o.crawl.control) sooner(&next, w->next_wish);
    if (w->o.zone) sooner(&next, w->next_zone);
    if (w->o.time > 0) sooner(&next, w->started + w->o.time);
    if (w->o.snapshot > 0) sooner(&next, w->next_snapshot);
    return next;
}

/* Nothing is under way, and nothing will be for a while. */
static bool is_idle(const struct sharc_watching *w, sharc_time now)
{
    return w->o.idle > 0 && w->tasks == 0 && sharc_looks_pending(w->looks) == 0 && !w->blocked &&
           w->next_work - now >= w->o.idle;
}

/* One turn: begin, wait, take what has ended. */
static int turn(struct sharc_watching *w, struct sharc_err *reterr)
{
    struct sharc_looked looked;
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_time now = watching_now(w), next = NEVER;
    int r = 0;
    follow_the_clock(w, now);
    look_at_clock(w);
    if (may_begin(w)) {
        due_pages(w, now);
        due_lists(w, now, &next);
    }
    if (!w->blocked && (may_begin(w) || w->ending)) r = begin_tasks(w, now, &next, reterr);
    if (r == 0) r = save_and_commit(w, now, reterr);
    if (r < 0) return r;
    w->next_work = next;
    if (may_begin(w)) sooner(&w->next_work, w->next_try);
    w->resting = is_idle(w, now);
    if (w->resting) return 0;
    r = sharc_looks_wait(w->looks, wake_at(w, next), &looked, &err);
    w->stuck = r == SHARC_ENOSPC || (w->stuck && r == 0);
    if (r == SHARC_ENOSPC) {
        wait_for_room(w, now, &err);
        return 0;
    }
    if (r < 0) return sharc_fail(reterr, r, "%s", err.text);
    return r > 0 ? ended(w, &looked, reterr) : 0;
}

/* What was not begun is the planner's again. */
static void drop_tasks(struct sharc_watching *w)
{
    for (size_t i = w->tasks; i-- > 0;) {
        const struct task t = w->task[i];
        if (t.begun) continue;
        if (t.kind == SHARC_LOOKS_LIST) w->list[t.number].under_way = false;
        if (t.kind == SHARC_LOOKS_PAGE) sharc_watch_give_back(w->plan, t.number);
        remove_task(w, i);
    }
}

static int finish(struct sharc_watching *w, struct sharc_err *reterr)
{
    struct sharc_looked looked;
    int r = 0;
    bool aborted = false;
    drop_tasks(w);
    while (sharc_looks_pending(w->looks) > 0) {
        if (atomic_load(&w->stop) > 1 && !aborted) sharc_looks_abort(w->looks);
        aborted = aborted || atomic_load(&w->stop) > 1;
        r = sharc_looks_wait(w->looks, SHARC_TIME_NONE, &looked, reterr);
        if (r > 0) r = ended(w, &looked, reterr);
        if (r < 0) return r;
    }
    drop_tasks(w); /* controls that were wanted at last */
    r = sharc__watching_save(w, reterr);
    if (r == 0) r = sharc_looks_finish(w->looks, SHARC_CAPTURE_COMPLETE, reterr);
    if (r == 0) sharc__watching_write_feeds(w);
    return r;
}

int sharc_watching_run(struct sharc_watching *w, struct sharc_err *reterr)
{
    int r = sharc__watching_plan(w, reterr);
    w->started = watching_now(w);
    w->next_save = w->next_wish = w->next_zone = w->started;
    w->next_snapshot = w->started;
    if (r == 0) sharc__watching_sources(w);
    while (r >= 0 && atomic_load(&w->stop) == 0 && !w->resting && !is_used_up(w, watching_now(w))) {
        r = sharc__watching_wishes(w, reterr);
        if (r == 0) r = sharc__watching_snapshots(w, reterr);
        if (r == 0) r = turn(w, reterr);
    }
    w->ending = true;
    if (r >= 0) r = finish(w, reterr);
    return r < 0 ? r : atomic_load(&w->stop) ? SHARC_EINTR : 0;
}

void sharc_watching_stop(struct sharc_watching *w)
{
    struct sharc_crawl *burst = w->burst;
    atomic_fetch_add(&w->stop, 1);
    sharc_looks_hurry(w->looks);
    if (burst) sharc_crawl_stop(burst);
    sharc_fetcher_wake(w->world.fetcher);
}
