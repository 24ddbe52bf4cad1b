/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan in words: what to do, why, what to expect, and what would change it.
 */
#include "plan_int.h"
#include "promise_write.h"
#include "sim_int.h"

#include "sharc/base_clock.h"

#include <math.h>

#define HALF 0.5         /* another capture that loses at most this share changes the picture */
#define LEAST_SAVED 5.0  /* pages, */
#define LEAST_PART 0.001 /* and this share of the site */
#define STILL 0.01       /* of the pages: a site that loses no more stands still */
#define AS_WELL 1.1      /* times the losses, and a page more: no difference */

const struct sharc_sim_result *sharc_sim_plan_best(const struct sharc_sim_plan *p, bool revisits)
{
    const struct sharc_sim_result *found = NULL;
    for (size_t i = 0; i < p->n; i++) {
        const struct sharc_sim_result *r = &p->results[i];
        if (r->strategy->revisits != revisits) continue;
        bool better = !found || (revisits ? r->expected_coherence.mean > found->expected_coherence.mean + 1e-9
                                          : r->expected_blur.mean < found->expected_blur.mean - 1e-12);
        if (better) found = r;
    }
    return found;
}

static const struct sharc_sim_result *named(const struct sharc_sim_plan *p, const char *name)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->results[i].strategy->name, name) == 0) return &p->results[i];
    return NULL;
}

double sharc__sim_plan_seconds(const struct sharc_sim_plan *p, const struct sharc_sim_result *r)
{
    return p->delay * fmax(r->requests.mean - 1, 0);
}

static const struct sharc_sim_outlook *outlook(const struct sharc_sim_plan *p, const struct sharc_sim_result *r)
{
    return &p->promises.of[r - p->results];
}

static bool loses_none(const struct sharc_sim_promise *lost)
{
    return lost->median < 0.5;
}

/* "about 12 pages (3 to 40)". */
static void put_lost(const struct sharc_sim_promise *lost, struct sharc_buf *out)
{
    if (loses_none(lost))
        sharc_buf_put_str(out, "no page");
    else
        sharc_buf_printf(out, "about %.0f page%s", lost->median, lost->median < 1.5 ? "" : "s");
    sharc_buf_printf(out, " (%.0f to %.0f)", lost->low, lost->high);
}

/* --- recommendation ------------------------------------------------------------- */

static void advise_exploration(const struct sharc_sim_plan *p, struct sharc_buf *out)
{
    const struct sharc_sim_result *b = sharc_sim_plan_best(p, false), *plain = named(p, "bfs");
    char text[SHARC_TIME_TEXT];
    if (!b) return;
    const struct sharc_sim_promise *blur = &outlook(p, b)->blur;
    sharc_buf_printf(out,
                     "For exploration use %s: one visit per page, %s, blur about %.3g changes per page (%.2g to %.2g)",
                     b->strategy->name, sharc__sim_duration(sharc__sim_plan_seconds(p, b), text), blur->median,
                     blur->low, blur->high);
    if (plain && plain != b && outlook(p, plain)->blur.median > 0) {
        double less = 100 * (1 - blur->median / outlook(p, plain)->blur.median);
        if (less < 0.5)
            sharc_buf_put_str(out, "; breadth-first would do as well");
        else
            sharc_buf_printf(out, ", %.0f %% less than breadth-first", less);
    }
    sharc_buf_put_str(out, ". ");
}

/* By what is printed: a difference that rounding hides is none. */
static void compare_losses(const struct sharc_sim_plan *p, const struct sharc_sim_result *b,
                           const struct sharc_sim_result *plain, struct sharc_buf *out)
{
    const struct sharc_sim_promise *lost = &outlook(p, b)->lost, *plainly = &outlook(p, plain)->lost;
    if (round(plainly->median) > round(lost->median)) {
        sharc_buf_put_str(out, "Breadth-first would lose ");
        put_lost(plainly, out);
        sharc_buf_put_str(out, ". ");
    } else {
        sharc_buf_put_str(out, "Breadth-first would do as well: the order makes no difference here. ");
    }
}

/* How far the order is from the best, which is a matter of the rates alone. */
static void compare_bound(const struct sharc_sim_plan *p, const struct sharc_sim_result *b, struct sharc_buf *out)
{
    const double better = ceil(10 * (p->bound - b->expected_coherence.mean) - 1e-6) / 10;
    if (b->expected_coherence.mean > p->bound)
        sharc_buf_put_str(
            out, "By the rates that is more than any order with one revisit can expect, because it looks at some pages "
                 "again. ");
    else if (better > 0)
        sharc_buf_printf(out, "By the rates no order with one revisit can expect to prove %.1f pages more. ",
                         better + 0.1);
    else
        sharc_buf_put_str(out, "By the rates no order with one revisit can expect to prove more. ");
}

/* Second looks cost requests: the same delay and the same time are two comparisons. */
static void say_same_time(const struct sharc_sim_plan *p, const struct sharc_sim_result *r, struct sharc_buf *out)
{
    const struct sharc_sim_same_time *t = &p->same_time[r - p->results];
    char text[SHARC_TIME_TEXT];
    if (isnan(t->delay)) return;
    sharc_buf_printf(out, ", with %.1f %% more requests; in the time of two visits per page, one download every %s, ",
                     100 * (r->requests.mean / (2.0 * p->pages - 1) - 1), sharc__sim_duration(t->delay, text));
    put_lost(&t->lost, out);
}

static void advise_evidence(const struct sharc_sim_plan *p, struct sharc_buf *out)
{
    const struct sharc_sim_result *b = sharc_sim_plan_best(p, true), *plain = named(p, "bfs-lifo");
    const struct sharc_sim_result *first = named(p, "sharc-focus");
    char text[SHARC_TIME_TEXT];
    if (!b) return;
    const struct sharc_sim_promise *lost = &outlook(p, b)->lost;
    sharc_buf_printf(out, "For evidence use %s: every page twice, %s, ", b->strategy->name,
                     sharc__sim_duration(sharc__sim_plan_seconds(p, b), text));
    if (loses_none(lost))
        sharc_buf_printf(out, "probably all of %s provable; ", SHARC_COUNT(p->pages, "page"));
    else
        sharc_buf_printf(out, "about %.0f of %s provable (%.2f %%); ", p->pages - lost->median,
                         SHARC_COUNT(p->pages, "page"), sharc__sim_percent(p->pages - lost->median, p->pages));
    put_lost(lost, out);
    sharc_buf_put_str(out, " will be lost");
    say_same_time(p, b, out);
    sharc_buf_put_str(out, ". ");
    compare_bound(p, b, out);
    if (plain && plain != b) compare_losses(p, b, plain, out);
    if (!b->strategy->offline || !first) return;
    sharc_buf_put_str(out, "It needs the URLs beforehand, from an earlier capture or a sitemap; a first capture does "
                           "best with sharc-focus: ");
    put_lost(&outlook(p, first)->lost, out);
    sharc_buf_put_str(out, " lost");
    say_same_time(p, first, out);
    sharc_buf_put_str(out, ". ");
}

static void advise_parts(const struct sharc_sim_plan *p, struct sharc_buf *out)
{
    if (p->hopeless_count)
        sharc_buf_printf(
            out,
            "By the rates %zu page%s likely to change before %s can be checked: leave %s out of the evidence, or "
            "capture %s separately. ",
            p->hopeless_count, p->hopeless_count == 1 ? " is" : "s are", p->hopeless_count == 1 ? "it" : "they",
            p->hopeless_count == 1 ? "it" : "them", p->hopeless_count == 1 ? "it" : "them");
    if (p->part_count) {
        const struct sharc_sim_part *first = &p->parts[0];
        sharc_buf_printf(out, "Capturing %.*s separately would prove about %.0f (%.0f to %.0f) more of its %u pages. ",
                         SHARC_SPAN_ARG(sharc_span_sub(first->prefix, 0, 80)), first->gained.median, first->gained.low,
                         first->gained.high, first->pages);
    }
    if (p->hopeless_count || p->part_count) return;
    sharc_buf_put_str(out, "No page is hopeless at this delay");
    sharc_buf_put_str(out, sharc_sim_plan_best(p, true) ? " and nothing is gained by splitting the site. " : ". ");
}

/* --- otherwise --------------------------------------------------------------------- */

static bool changes_picture(const struct sharc_sim_plan *p, const struct sharc_sim_promise *now,
                            const struct sharc_sim_otherwise *other)
{
    return other->lost.median <= HALF * now->median &&
           now->median - other->lost.median >= fmax(LEAST_SAVED, LEAST_PART * p->pages);
}

static void say_faster(const struct sharc_sim_plan *p, const struct sharc_sim_promise *now, struct sharc_buf *out)
{
    char own[SHARC_TIME_TEXT], other[SHARC_TIME_TEXT], takes[SHARC_TIME_TEXT];
    const struct sharc_sim_otherwise *pace = NULL;
    for (size_t i = 0; i < 2 && !pace; i++)
        if (changes_picture(p, now, &p->pace[i])) pace = &p->pace[i];
    if (!pace && (now->median <= STILL * p->pages || now->median < LEAST_SAVED)) return;
    const struct sharc_sim_otherwise *said = pace ? pace : &p->pace[1];
    sharc__sim_duration(said->delay, other);
    if (pace)
        sharc_buf_printf(out, "At %s instead of %s it takes %s and loses ", other, sharc__sim_duration(p->delay, own),
                         sharc__sim_duration(said->seconds, takes));
    else
        sharc_buf_printf(out, "A shorter delay hardly helps: at %s it still loses ", other);
    put_lost(&said->lost, out);
    sharc_buf_put_str(out, said->lost.high <= STILL * p->pages ? ": the site stands still long enough. " : ". ");
}

static void say_slower(const struct sharc_sim_plan *p, const struct sharc_sim_promise *now, struct sharc_buf *out)
{
    char other[SHARC_TIME_TEXT], takes[SHARC_TIME_TEXT];
    const struct sharc_sim_otherwise *slow = &p->pace[2];
    if (slow->lost.median > AS_WELL * now->median + 1 || slow->lost.high > AS_WELL * now->high + 1) return;
    if (slow->lost.high > fmax(LEAST_SAVED, STILL * p->pages)) return; /* it does not do well now */
    sharc_buf_printf(out, "A gentler delay of %s would do as well: %s, ", sharc__sim_duration(slow->delay, other),
                     sharc__sim_duration(slow->seconds, takes));
    put_lost(&slow->lost, out);
    sharc_buf_put_str(out, " lost. ");
}

static void say_hour(const struct sharc_sim_plan *p, const struct sharc_sim_promise *now, struct sharc_buf *out)
{
    char wait[SHARC_TIME_TEXT], at[SHARC_TIME_TEXT];
    if (isnan(p->hour.delay) || p->hour.lost.median > HALF * now->median) return;
    sharc_buf_printf(out, "Begun %s later, at %s, when the site rests, it loses ",
                     sharc__sim_duration(p->hour.at - p->at, wait),
                     sharc_time_iso(sharc_time_of_seconds(p->hour.at), 0, at));
    put_lost(&p->hour.lost, out);
    sharc_buf_put_str(out, ". ");
}

static void advise_otherwise(const struct sharc_sim_plan *p, struct sharc_buf *out)
{
    if (!p->judged) return;
    const struct sharc_sim_promise *now = &outlook(p, p->judged)->lost;
    if (isnan(now->median)) return;
    say_faster(p, now, out);
    say_slower(p, now, out);
    say_hour(p, now, out);
}

void sharc__sim_plan_recommend(const struct sharc_sim_plan *p, struct sharc_buf *out)
{
    advise_exploration(p, out);
    advise_evidence(p, out);
    advise_parts(p, out);
    advise_otherwise(p, out);
    sharc__sim_promises_words(&p->promises, out);
    while (out->n && out->p[out->n - 1] == ' ') sharc_buf_truncate(out, out->n - 1);
}
