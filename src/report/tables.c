/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of a report.
 */
#include "report_int.h"

#include "sharc/change_grade.h"

#include <math.h>
#include <stdio.h>

#define ROW(t, ...) sharc_paper_row(&(t)->paper, SHARC_PAPER_ROW, (const char *const[]){__VA_ARGS__, NULL})
#define TITLES(t, ...) sharc_paper_row(&(t)->paper, SHARC_PAPER_TABLE, (const char *const[]){__VA_ARGS__, NULL})

enum { STEPS_SHOWN = 100 };

const char *sharc__report_when(sharc_time at, char out[SHARC_TIME_TEXT])
{
    if (at == SHARC_TIME_NONE) return "unknown";
    sharc_time_iso(at, 0, out);
    out[10] = ' ';
    snprintf(out + 16, SHARC_TIME_TEXT - 16, " UTC");
    return out;
}

static const char *count(uint64_t n, char out[32])
{
    snprintf(out, 32, "%" PRIu64, n);
    return out;
}

void sharc__report_grades(struct telling *t)
{
    const struct sharc_assess_capture *c = &t->judged;
    if (!c->graded) return;
    TITLES(t, "what visit and revisit showed", "pages", "grade");
    for (int i = 1; i < SHARC_GRADE_REASON_COUNT; i++) {
        char n[32], line[200];
        enum sharc_grade_reason r = (enum sharc_grade_reason)i;
        if (!c->reasons[i]) continue;
        snprintf(line, sizeof line, "The page %s.", sharc_grade_reason_text(r));
        ROW(t, line, count(c->reasons[i], n), sharc_grade_text(sharc_grade_of(r)));
    }
}

void sharc__report_defects(struct telling *t)
{
    const struct sharc_assess_capture *c = &t->judged;
    bool some = false;
    for (int i = 0; i < SHARC_ASSESS_DEFECT_COUNT; i++) some = some || c->defects[i];
    if (some || c->left_out_count) TITLES(t, "what", "how many", "kind");
    for (int i = 0; i < SHARC_ASSESS_DEFECT_COUNT; i++) {
        char n[32];
        if (c->defects[i])
            ROW(t, sharc_assess_defect_text((enum sharc_assess_defect)i), count(c->defects[i], n), "defect");
    }
    for (size_t i = 0; i < c->left_out_count; i++) {
        char n[32];
        const char *reason = c->left_out[i].reason, *text = sharc_store_skip_text(sharc_span_of(reason));
        ROW(t, text ? text : reason, count(c->left_out[i].urls, n), "URLs not fetched or not kept");
    }
    if (!some) sharc_paper_say(&t->paper, SHARC_PAPER_TEXT, "No defect was found.");
}

void sharc__report_series(struct telling *t)
{
    TITLES(t, "capture", "pages", "same text", "changed", "new", "missing", "undecided");
    size_t from = t->steps.count > STEPS_SHOWN ? t->steps.count - STEPS_SHOWN : 0;
    for (size_t i = from; i < t->steps.count; i++) {
        const struct sharc_figure_step *x = &t->steps.steps[i];
        char n[6][32], when[SHARC_TIME_TEXT], name[SHARC_TIME_TEXT + 40];
        snprintf(name, sizeof name, "%" PRId64 ", %s", x->capture, sharc__report_when(x->first, when));
        if (i == 0)
            ROW(t, name, count(x->pages, n[0]), "-", "-", "-", "-", "-");
        else
            ROW(t, name, count(x->pages, n[0]),
                count(x->all[SHARC_FIGURE_UNCHANGED] + x->all[SHARC_FIGURE_INSIGNIFICANT], n[1]),
                count(x->all[SHARC_FIGURE_TEXT] + x->all[SHARC_FIGURE_LINKS], n[2]),
                count(x->all[SHARC_FIGURE_NEW], n[3]), count(x->all[SHARC_FIGURE_MISSING], n[4]),
                count(x->all[SHARC_FIGURE_FAILED], n[5]));
    }
}

void sharc__report_parts(struct telling *t)
{
    TITLES(t, "URLs that begin with", "pages", "changed", "compared", "share", "how");
    for (size_t i = 0; i < t->parts.count; i++) {
        const struct sharc_figure_subsite *x = &t->parts.rows[i];
        char n[4][SHARC_TIME_TEXT];
        SHARC_AUTO(sharc_freep) char *prefix = sharc_span_dup(x->prefix);
        ROW(t, prefix, count(x->pages, n[0]), count(x->changed, n[1]), count(x->compared, n[2]),
            sharc_share_text(x->share, n[3]),
            x->parent == UINT32_MAX ? "the rest of the host" : sharc_figure_manner_text(x->manner));
    }
}

/* "81.2 to 93.0 %" */
static const char *between(double low, double high, char out[48])
{
    if (isnan(low) || isnan(high))
        snprintf(out, 48, "unknown");
    else
        snprintf(out, 48, "%.1f to %.1f %%", 100 * low, 100 * high);
    return out;
}

void sharc__report_watched(struct telling *t)
{
    const struct sharc_watched_period *a = &t->watched.all;
    sharc_paper_say(&t->paper, SHARC_PAPER_TEXT,
                    "%s at %s; %s found. Where two numbers stand, the first is what looks show: between two looks "
                    "that were equal a page stood as it is archived, unless somebody changed it and changed it back. "
                    "The second is what is expected by the pages' rates; of versions that existed together it is the "
                    "most that is possible.",
                    SHARC_COUNT(a->looks + a->failed, "look"), SHARC_COUNT(t->watched.pages, "page"),
                    SHARC_COUNT(a->changes, "change was|changes were"));
    TITLES(t, "from", "looks, changes", "up to date", "archived of what came up", "up when asked for", "together");
    size_t from = t->watched.count > STEPS_SHOWN ? t->watched.count - STEPS_SHOWN : 0;
    for (size_t i = from; i <= t->watched.count; i++) {
        const bool all = i == t->watched.count;
        const struct sharc_watched_period *p = all ? a : &t->watched.periods[i];
        char when[SHARC_TIME_TEXT], n[48], complete[SHARC_TIME_TEXT], x[3][48];
        snprintf(n, sizeof n, "%" PRIu64 ", %" PRIu64, p->looks + p->failed, p->changes);
        ROW(t, all ? "in all" : sharc__report_when(p->from, when), n, between(p->fresh_seen, p->fresh_expected, x[0]),
            sharc_share_text(p->complete, complete), between(p->exact_seen, p->exact_expected, x[1]),
            between(p->together_seen, p->together_possible, x[2]));
    }
}
