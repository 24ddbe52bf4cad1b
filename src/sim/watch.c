/* SPDX-License-Identifier: Apache-2.0
 *
 * One strategy watches a scene under a budget, hour by hour, and its archive is
 * judged. Captures are kept as a list in time order.
 */
#include "sharc/sim_watch.h"

#include "watch_int.h"

#include "sharc/base_pool.h"
#include "sharc/rate_pattern.h"

#include <math.h>
#include <stdlib.h>

/* --- what is taught ----------------------------------------------------------- */

static sharc_time instant(double seconds)
{
    return (sharc_time)(seconds * SHARC_SEC);
}

/* A page is known since it exists. */
static void teach(struct sharc_watch *w, const struct sharc_sim_scene *s, sharc_page_no page)
{
    struct sharc_rate_pattern changes = {.at = instant(s->from)}, importance;
    sharc_rate_hours(instant(fmax(s->taught, s->born[page])), instant(s->from), 0, changes.hours);
    importance = changes;
    sharc_time last = SHARC_TIME_NONE;
    for (size_t i = s->event_at[page]; i < s->event_at[page + 1] && s->when[i] <= s->from; i++) {
        last = instant(s->when[i]);
        unsigned hour = sharc_rate_hour(instant(s->when[i]), 0);
        changes.importance[hour]++;
        importance.importance[hour] += s->importance[i];
    }
    sharc_watch_teach(w, page, &changes, &importance, last);
}

/* … and what it has been through at which age. */
static void teach_life(struct sharc_watch *w, const struct sharc_sim_scene *s, sharc_page_no page)
{
    double from = fmax(s->taught, s->born[page]);
    for (size_t i = s->event_at[page]; i < s->event_at[page + 1] && s->when[i] <= s->from; i++) {
        sharc_watch_teach_life(w, page, instant(from), instant(s->when[i]), 1);
        from = s->when[i];
    }
    sharc_watch_teach_life(w, page, instant(from), instant(s->from), 0);
}

/* Changes per hour before judging began, with the usual half change for what was
 * never seen to change. */
static double taught_rate(const struct sharc_sim_scene *s, sharc_page_no page)
{
    double since = fmax(s->taught, s->born[page]), changes = 0.1;
    for (size_t i = s->event_at[page]; i < s->event_at[page + 1] && s->when[i] <= s->from; i++) changes++;
    return changes / ((fmax(s->from - since, 0) + 24 * SCENE_HOUR) / SCENE_HOUR);
}

/* --- one archive -------------------------------------------------------------- */

struct archive {
    const struct sharc_sim_scene *scene;
    struct sharc_watch *watch;
    struct sharc_sim_capture *captures;
    size_t n, room;
    size_t *seen; /* per page: event after the one that made the captured version */
    bool *added;
};

/* A page is watched from the first hour in which it exists. */
static void add_newborn(struct archive *a, double now)
{
    const struct sharc_sim_scene *s = a->scene;
    for (sharc_page_no p = 0; p < s->pages; p++) {
        if (a->added[p] || s->born[p] > now) continue;
        a->added[p] = true;
        struct sharc_watch_page page = SHARC_WATCH_PAGE;
        page.site = s->site[p];
        page.host = s->hosts ? s->site[p] : 0;
        page.group = s->group ? s->group[p] : SHARC_WATCH_NONE;
        page.born = instant(s->born[p]);
        if (s->born[p] < s->from) page.rate = taught_rate(s, p);
        page.weight = s->weight[p];
        sharc_watch_add(a->watch, p, &page, instant(now));
    }
}

/* Those that are there when judging begins. What pages do at which age comes first. */
static void teach_all(struct archive *a)
{
    const struct sharc_sim_scene *s = a->scene;
    add_newborn(a, s->from);
    for (sharc_page_no p = 0; p < s->pages; p++)
        if (s->born[p] < s->from) teach_life(a->watch, s, p);
    for (sharc_page_no p = 0; p < s->pages; p++)
        if (s->born[p] < s->from) teach(a->watch, s, p);
}

static void capture(struct archive *a, sharc_page_no p, double t)
{
    const struct sharc_sim_scene *s = a->scene;
    struct sharc_observation o = {.page = p, .when = instant(t), .rate = -1};
    if (t >= s->died[p]) {
        o.change = SHARC_MISSING;
        sharc_watch_observed(a->watch, &o);
        return;
    }
    size_t now = a->seen[p];
    while (now < s->event_at[p + 1] && s->when[now] <= t) o.importance += s->importance[now++];
    o.change = now > a->seen[p] ? SHARC_TEXT_CHANGED : SHARC_UNCHANGED;
    o.importance = fmin(o.importance, 1);
    a->seen[p] = now;
    SHARC_GROW(a->captures, a->room, a->n + 1);
    a->captures[a->n++] = (struct sharc_sim_capture){p, t};
    sharc_watch_observed(a->watch, &o);
}

/* An hour's downloads at once. */
static void watch_hours(struct archive *a, double per_hour, struct sharc_watch_due *due)
{
    const struct sharc_sim_scene *s = a->scene;
    double saved = 0;
    for (double now = s->from; now < s->to; now += SCENE_HOUR) {
        add_newborn(a, now);
        saved += per_hour;
        size_t budget = (size_t)saved;
        saved -= (double)budget;
        size_t n = sharc_watch_period(a->watch, instant(now), budget, due);
        for (size_t i = 0; i < n; i++) capture(a, due[i].page, now + SCENE_HOUR * ((double)i + 0.5) / (double)budget);
    }
}

/* What is due, step by step. */
static void watch_steps(struct archive *a, double per_hour, double step, struct sharc_watch_due *due)
{
    const struct sharc_sim_scene *s = a->scene;
    const size_t most = (size_t)per_hour + 2;
    for (double now = s->from; now < s->to; now += step) {
        add_newborn(a, now);
        size_t n = sharc_watch_due(a->watch, instant(now), most, due);
        for (size_t i = 0; i < n; i++) capture(a, due[i].page, now + step * (double)i / (double)n);
    }
}

static void watch_all(struct archive *a, double per_hour, sharc_time step)
{
    SHARC_AUTO(sharc_freep)
    struct sharc_watch_due *due = SHARC_NEW_ARRAY(struct sharc_watch_due, (size_t)per_hour + 2);
    sharc_watch_budget(a->watch, per_hour, instant(a->scene->from));
    teach_all(a);
    if (step > 0)
        watch_steps(a, per_hour, (double)step / (double)SHARC_SEC, due);
    else
        watch_hours(a, per_hour, due);
}

static void archive_done(struct archive *a)
{
    sharc_watch_free(a->watch);
    free(a->captures);
    free(a->seen);
    free(a->added);
}

static int watch_one(const struct sharc_sim_scene *s, const struct sharc_sim_watching *o, uint64_t seed,
                     struct sharc_sim_watched *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(archive_done)
    struct archive a = {.scene = s,
                        .seen = SHARC_NEW_ARRAY(size_t, s->pages),
                        .added = SHARC_NEW_ARRAY(bool, s->pages)};
    struct sharc_watch_params params = SHARC_WATCH_PARAMS;
    params.longest = o->longest;
    int r = sharc_watch_new(ret->strategy, &params, &a.watch, reterr);
    if (r < 0) return r;
    for (sharc_page_no p = 0; p < s->pages; p++) a.seen[p] = sharc__sim_watch_events_until(s, p, s->from);
    watch_all(&a, s->full * ret->share, o->step);
    sharc_sim_watch_judge(s, a.captures, a.n, seed, ret);
    return 0;
}

/* --- all of them ------------------------------------------------------------------ */

struct pieces {
    const struct sharc_sim_scene *scene;
    const struct sharc_sim_watching *watching;
    const struct sharc_sim_options *o;
    struct sharc_sim_watched *w;
    size_t n;
    struct sharc_err *errors;
};

static int watch_piece(size_t i, unsigned thread, void *arg)
{
    (void)thread;
    struct pieces *p = arg;
    int r = watch_one(p->scene, p->watching, p->o->seed, &p->w[i], &p->errors[i]);
    if (p->o->progress) p->o->progress(p->o->progress_arg, p->n);
    return r;
}

static const struct sharc_watch_ops *next_named(struct sharc_span *list, struct sharc_err *reterr)
{
    struct sharc_span name;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf all = SHARC_BUF_INIT(4096);
    (void)sharc_span_next(list, ',', &name);
    for (size_t i = 0; i < sharc_watch_count(); i++) {
        const struct sharc_watch_ops *ops = sharc_watch_at(i);
        if (sharc_span_is(name, sharc_watch_name(ops))) return ops;
        sharc_buf_printf(&all, "%s%s", i ? ", " : "", sharc_watch_name(ops));
    }
    (void)sharc_fail(reterr, SHARC_EINVAL, "\"%.*s\" is no strategy for watching; there are %s", SHARC_SPAN_ARG(name),
                     sharc_buf_str(&all));
    return NULL;
}

int sharc_sim_watch_strategies(struct sharc_span list, const struct sharc_watch_ops ***ret, size_t *ret_n,
                               struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) const struct sharc_watch_ops **found = NULL;
    size_t n = 0, room = 0;
    if (sharc_span_is(list, "all")) {
        found = SHARC_NEW_ARRAY(const struct sharc_watch_ops *, sharc_watch_count());
        for (; n < sharc_watch_count(); n++) found[n] = sharc_watch_at(n);
        list = SHARC_SPAN_NONE;
    }
    while (list.p) {
        SHARC_GROW(found, room, n + 1);
        found[n] = next_named(&list, reterr);
        if (!found[n++]) return SHARC_EINVAL;
    }
    *ret = SHARC_TAKE(found);
    *ret_n = n;
    return 0;
}

int sharc_sim_watch_run(const struct sharc_sim_scene *scene, const struct sharc_sim_watching *watching,
                        const struct sharc_sim_options *options, struct sharc_sim_watched *ret,
                        struct sharc_err *reterr)
{
    const double *shares = watching->shares;
    size_t n = watching->share_count, count = watching->strategy_count * n;
    for (size_t i = 0; i < count; i++) {
        ret[i] = (struct sharc_sim_watched){.strategy = watching->strategies[i / n], .share = shares[i % n]};
        SHARC_FAIL_IF(!(ret[i].share > 0), reterr, SHARC_EINVAL, "a share of resources must be greater than 0");
    }
    SHARC_AUTO(sharc_freep) struct sharc_err *errors = SHARC_NEW_ARRAY(struct sharc_err, count);
    struct pieces p = {scene, watching, options, ret, count, errors};
    SHARC_AUTO(sharc_pool_freep) struct sharc_pool *pool = sharc_pool_new(options->threads);
    int r = sharc_pool_each(pool, count, watch_piece, &p);
    for (size_t i = 0; r < 0 && i < count; i++) {
        if (errors[i].code == 0) continue;
        if (reterr) *reterr = errors[i];
        return errors[i].code;
    }
    return r;
}
