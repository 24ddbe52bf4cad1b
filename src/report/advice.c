/* SPDX-License-Identifier: Apache-2.0
 *
 * What to do next time. Each sentence names the numbers it rests on; where they do not suffice, nothing is said.
 */
#include "sharc/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SHARE_HIGH 0.5   /* of a part: every second look shows a change */
#define CHANGES_LEAST 20 /* to speak of hours */
#define QUIET_FACTOR 2.0

void sharc_report_advice_done(struct sharc_report_advice *a)
{
    for (size_t i = 0; i < a->count; i++) free(a->sentences[i]);
    free(a->sentences);
    *a = (struct sharc_report_advice){0};
}

static void SHARC_PRINTF(2, 3) say(struct sharc_report_advice *a, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, fmt);
    int n = vasprintf(&text, fmt, args);
    va_end(args);
    if (n < 0) return;
    SHARC_GROW(a->sentences, a->room, a->count + 1);
    a->sentences[a->count++] = text;
}

/* --- parts ----------------------------------------------------------------------------------------------- */

static void advise_part(const struct sharc_figure_subsite *x, struct sharc_report_advice *ret)
{
    if (x->manner == SHARC_FIGURE_FASTER)
        say(ret,
            "Capture %.*s on its own and more often: in %.0f %% of the comparisons one of its %" PRIu64
            " pages had changed (between %.0f and %.0f %% with 95 %% confidence), in the rest of the site in %.0f "
            "%%.%s",
            SHARC_SPAN_ARG(x->prefix), 100 * x->share, x->pages, 100 * x->low, 100 * x->high, 100 * x->rest,
            x->low > SHARE_HIGH
                ? " Where the capture is to prove that its pages existed together, leave this part out: its "
                  "pages hardly ever stand still."
                : "");
    if (x->manner == SHARC_FIGURE_SLOWER)
        say(ret,
            "%.*s may be captured less often: in %.1f %% of the comparisons one of its %" PRIu64
            " pages had changed, in the rest of the site in %.1f %%.",
            SHARC_SPAN_ARG(x->prefix), 100 * x->share, x->pages, 100 * x->rest);
    if (x->manner == SHARC_FIGURE_OTHER_TIMES)
        say(ret, "%.*s changes at other times than the rest of the site (%s): give it a schedule of its own.",
            SHARC_SPAN_ARG(x->prefix), SHARC_COUNT(x->pages, "page"));
}

/* --- the hour -------------------------------------------------------------------------------------------- */

/* The four hours of a day, in UTC, with fewest changes in an hour watched. */
static void advise_hour(const struct sharc_figure_week *w, struct sharc_report_advice *ret)
{
    double changes[24] = {0}, hours[24] = {0}, all = 0, watched = 0, least = HUGE_VAL;
    int best = 0;
    for (int d = 0; d < 7; d++)
        for (int h = 0; h < 24; h++) {
            changes[h] += w->changes[d][h];
            hours[h] += w->hours[d][h];
            all += w->changes[d][h];
            watched += w->hours[d][h];
        }
    for (int h = 0; h < 24; h++) {
        double k = 0, n = 0;
        for (int i = 0; i < 4; i++) {
            if (hours[(h + i) % 24] <= 0) return; /* a day that was watched in parts tells nothing about the rest */
            k += changes[(h + i) % 24];
            n += hours[(h + i) % 24];
        }
        if (k / n < least) {
            least = k / n;
            best = h;
        }
    }
    if (w->stated < CHANGES_LEAST || !(all > 0) || least * QUIET_FACTOR > all / watched) return;
    char less[64] = "no change was seen, fewer";
    if (least > 0) snprintf(less, sizeof less, "the site changed %.1f times less often", all / watched / least);
    say(ret,
        "Start captures at about %02d:00 UTC: between %02d:00 and %02d:00 UTC %s than on average (%" PRIu64
        " changes whose hour the server told).",
        best, best, (best + 4) % 24, less, w->stated);
}

/* --- delay and strategy ----------------------------------------------------------------------------------- */

static void advise_revisits(const struct sharc_assess_capture *c, struct sharc_report_advice *ret)
{
    if (c->revisited || !c->answered) return;
    say(ret,
        "If the capture is to prove that pages existed together, visit each page twice (sharc crawl --for evidence): "
        "this capture visited its pages once, which proves nothing about two of them.");
}

/* What half of the time would have given: pages that changed in between are lost in proportion to the time. */
static void advise_delay(const struct sharc_assess_capture *c, const struct sharc_figure_schedule *s,
                         struct sharc_report_advice *ret)
{
    double now = 0, half = 0;
    uint64_t rated = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct sharc_figure_visit *v = &s->rows[i];
        if (!(v->rate >= 0) || v->revisit == SHARC_TIME_NONE) continue;
        double seconds = (double)(v->revisit - v->visit) / (double)SHARC_SEC;
        now += exp(-v->rate * seconds);
        half += exp(-v->rate * seconds / 2);
        rated++;
    }
    if (rated < 20 || half - now < 0.02 * (double)rated) return;
    say(ret,
        "A shorter delay would prove more: by the rates that the plan used, half the delay would have kept about %.0f "
        "of %" PRIu64 " pages the same between visit and revisit, instead of %.0f. Ask the site before you go below "
        "what robots.txt allows.",
        half, rated, now);
    (void)c;
}

static void advise_failures(const struct sharc_assess_capture *c, struct sharc_report_advice *ret)
{
    uint64_t failed = c->defects[SHARC_DEFECT_NO_ANSWER] + c->defects[SHARC_DEFECT_SERVER];
    if (c->pages && failed * 20 > c->pages)
        say(ret,
            "%" PRIu64 " of %" PRIu64
            " pages gave no answer or an error of the server: capture again at another time, and "
            "with a longer delay if the server was overloaded.",
            failed, c->pages);
}

void sharc_report_advise(const struct sharc_assess_capture *c, const struct sharc_figure_schedule *schedule,
                         const struct sharc_figure_subsites *parts, const struct sharc_figure_week *week,
                         struct sharc_report_advice *ret)
{
    if (c) advise_revisits(c, ret);
    if (c) advise_failures(c, ret);
    for (size_t i = 0; parts && i < parts->count; i++) advise_part(&parts->rows[i], ret);
    if (c && schedule) advise_delay(c, schedule, ret);
    if (week) advise_hour(week, ret);
}
