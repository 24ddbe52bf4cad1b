/* SPDX-License-Identifier: Apache-2.0
 *
 * The document: verdict, pictures, tables, method, advice. No sentence may promise more than the numbers do.
 */
#include "report_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SAY(t, kind, ...) sharc_paper_say(&(t)->paper, SHARC_PAPER_##kind, __VA_ARGS__)

static void telling_done(struct telling *t)
{
    sharc_assess_capture_done(&t->judged);
    sharc_assess_series_done(&t->sum);
    for (int i = 0; i < SHARC_FIGURE_DRAW_COUNT; i++) sharc_figure_free(t->figures[i]);
    sharc_figure_schedule_done(&t->schedule);
    sharc_figure_subsites_done(&t->parts);
    sharc_figure_series_done(&t->steps);
    sharc_watched_done(&t->watched);
    sharc_paper_done(&t->paper);
}

/* --- the verdict ----------------------------------------------------------------------------------------- */

/* Without a second visit only an earlier capture can show that pages existed together. */
static char *verdict_of_one_visit(const struct sharc_assess_capture *c)
{
    if (c->pair.before && c->pair.same > 1 && c->pair.from != SHARC_TIME_NONE)
        return sharc_asprintf("%s captured, none of them twice; %" PRIu64
                              " were the same in the capture before, and existed together between the two.",
                              SHARC_COUNT(c->pages, "page was|pages were"), c->pair.same);
    return sharc_asprintf("%s captured, %s: nothing proves that any two pages existed together.",
                          SHARC_COUNT(c->pages, "page was|pages were"), c->pages == 1 ? "once" : "each once");
}

/* "2026-11-18 08:00:00.338027 UTC" */
static const char *instant(sharc_time at, char out[SHARC_TIME_TEXT])
{
    sharc_time_iso(at, 6, out);
    out[10] = ' ';
    char *z = strchr(out, 'Z');
    if (z) snprintf(z, SHARC_TIME_TEXT - (size_t)(z - out), " UTC");
    return out;
}

static char *verdict(const struct telling *t)
{
    const struct sharc_assess_capture *c = &t->judged;
    const uint64_t same = sharc_assess_same(c);
    if (c->pages == 0) return sharc_strdup("The capture holds no page.");
    if (!c->inducible.known) return verdict_of_one_visit(c);
    return sharc_asprintf("%" PRIu64 " of %s (%.1f %%) %s the same before and after%s.", same,
                          SHARC_COUNT(c->judged, "page"), c->judged ? 100 * (double)same / (double)c->judged : 0.0,
                          c->judged == 1 ? "was" : "were", c->complete ? "" : ", of a capture that is not complete");
}

/* Whose word it is, and what it does not cover. */
static void tell_limits(struct telling *t)
{
    const struct sharc_assess_capture *c = &t->judged;
    const uint64_t same = sharc_assess_same(c);
    if (!c->complete) SAY(t, TEXT, "The capture is not complete: what follows holds for what is there.");
    if (c->inducible.known && same > c->inducible.pages && c->inducible.from != SHARC_TIME_NONE)
        SAY(t, TEXT, "%s the same before and after, but not at a time that all the others share.",
            SHARC_COUNT(same - c->inducible.pages, "page was|pages were"));
    if (c->graded && c->grader == SHARC_STORE_GRADER_RECORDS)
        SAY(t, TEXT, "The grades were derived from the records of the imported files.");
    if (c->graded && c->grader == SHARC_STORE_GRADER_FILE)
        SAY(t, TEXT, "The grades are the verdict in the imported file, which was not derived again.");
    if (c->weakened)
        SAY(t, TEXT, "What the capture proves is weakened by the settings it was made with: %s.", c->weakened);
    if (c->claim.unfounded)
        SAY(t, TEXT, "The imported file itself calls %s proved: its downloads do not show it.",
            SHARC_COUNT(c->claim.unfounded, "more page|more pages"));
}

static void tell_verdict(struct telling *t, const char *sentence)
{
    const struct sharc_assess_capture *c = &t->judged;
    char a[SHARC_TIME_TEXT], b[SHARC_TIME_TEXT];
    SAY(t, TITLE, "%s: what the archive holds, and what it proves", c->site);
    SAY(t, STRONG, "%s", sentence);
    SAY(t, TEXT, "The capture (%s) was made from %s to %s. It holds %s, of which %" PRIu64 " answered with content.",
        c->key, sharc__report_when(c->first, a), sharc__report_when(c->last, b), SHARC_COUNT(c->pages, "page"),
        c->answered);
    if (c->inducible.known && c->inducible.from != SHARC_TIME_NONE) {
        char from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT];
        SAY(t, TEXT,
            "%s downloaded before and after this time and found the same, so that %s: from %s to %s, unless one was "
            "changed and changed back in between.",
            SHARC_COUNT(c->inducible.pages, "page was|pages were"),
            c->inducible.pages == 1 ? "it existed then" : "they existed together", instant(c->inducible.from, from),
            instant(c->inducible.to, to));
    }
    tell_limits(t);
    if (t->series && !isnan(t->sum.completeness))
        SAY(t, TEXT,
            "All %" PRIu64 " captures of the site together hold %s of %s; by the pages' change rates these are about "
            "%.1f %% of the versions that existed.",
            t->sum.captures, SHARC_COUNT(t->sum.versions, "version"), SHARC_COUNT(t->sum.pages, "page"),
            floor(1000 * t->sum.completeness) / 10);
    if (c->blur.pages)
        SAY(t, TEXT,
            "Expected changes between a page as archived and as it was at a moment within the capture (blur): %.3g. "
            "One visit "
            "each would give %.3g in the best order and %.3g in the worst.",
            c->blur.average, c->blur.least, c->blur.most);
}

static void tell_advice(struct telling *t)
{
    struct sharc_report_advice advice = {0};
    sharc_report_advise(&t->judged, &t->schedule, &t->parts, &t->week, &advice);
    SAY(t, HEADING, "Advice for the next capture");
    for (size_t i = 0; i < advice.count; i++) SAY(t, ITEM, "%s", advice.sentences[i]);
    if (!advice.count) SAY(t, TEXT, "Nothing in these numbers asks for another strategy, delay, hour or scope.");
    sharc_report_advice_done(&advice);
}

/* --- pictures --------------------------------------------------------------------------------------------- */

static void show(struct telling *t, enum sharc_figure_drawing name)
{
    const struct sharc_figure *f = t->figures[name];
    if (f && !sharc_figure_is_empty(f)) sharc_paper_picture(&t->paper, sharc_figure_picture(f));
}

static void tell_rest(struct telling *t)
{
    SAY(t, SECTION, "The capture");
    show(t, SHARC_FIGURE_DRAW_GRADES);
    sharc__report_grades(t);
    show(t, SHARC_FIGURE_DRAW_SCHEDULE);
    SAY(t, SECTION, "Defects, and what was left out");
    show(t, SHARC_FIGURE_DRAW_DEFECTS);
    sharc__report_defects(t);
    if (t->steps.count > 1) {
        SAY(t, SECTION, "Capture after capture");
        show(t, SHARC_FIGURE_DRAW_AREA);
        sharc__report_series(t);
        show(t, SHARC_FIGURE_DRAW_CALENDAR);
        show(t, SHARC_FIGURE_DRAW_PAIR);
    }
    if (t->watched.count) {
        SAY(t, SECTION, "What watching has brought");
        show(t, SHARC_FIGURE_DRAW_WATCH);
        sharc__report_watched(t);
    }
    SAY(t, SECTION, "The site: its parts, and when they change");
    if (t->parts.count > 1) {
        show(t, SHARC_FIGURE_DRAW_SUBSITES);
        sharc__report_parts(t);
    } else {
        SAY(t, TEXT, "No part of the site is known to change in a way of its own.");
    }
    show(t, SHARC_FIGURE_DRAW_GRAPH);
    show(t, SHARC_FIGURE_DRAW_WEEK);
    SAY(t, HEADING, "How this was found");
    SAY(t, TEXT,
        "Every number comes from the archive's catalogue, which holds what each download showed: its time, its status, "
        "digests "
        "of its bytes and of its text. A page counts as proved if it was downloaded twice in the capture, whole both "
        "times, "
        "and was the same but for places that differ on every request. All proved pages existed together between the "
        "last end of a first visit and the first start of a second one. Captures are compared page by page by these "
        "digests; "
        "parts of the site are told apart where their changes are described in fewer words with them than without. "
        "What cannot be compared is counted as such and never as unchanged.");
}

/* --- numbers ---------------------------------------------------------------------------------------------- */

static int judge(struct telling *t, sharc_store_id capture, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_assess_freep) struct sharc_assess *a = NULL;
    int r = sharc_assess_open(t->store, capture, false, &a, reterr);
    if (r >= 0) r = sharc_assess_judge(a, 0, &t->judged, reterr);
    if (r >= 0) t->series = sharc_assess_series(a, 0, &t->sum);
    return r;
}

static int site_of(struct sharc_store *s, sharc_store_id capture, sharc_store_id *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture row;
    f.id = capture;
    int r = sharc_store_captures(s, &f, &rows, reterr);
    if (r >= 0) r = sharc_store_rows_next(rows, reterr);
    if (r <= 0) return r;
    sharc_store_read_capture(rows, &row);
    *ret = row.site;
    return 0;
}

static int read_all(struct telling *t, struct sharc_err *reterr)
{
    const sharc_store_id last = t->o->captures[t->o->count - 1];
    sharc_store_id site = 0;
    int r = judge(t, last, reterr);
    if (r >= 0) r = sharc_figure_schedule(t->store, last, &t->schedule, reterr);
    if (r >= 0) r = sharc_figure_subsites(t->store, t->o->captures, t->o->count, &t->parts, reterr);
    if (r >= 0) r = sharc_figure_series(t->store, t->o->captures, t->o->count, &t->steps, reterr);
    if (r >= 0) r = site_of(t->store, last, &site, reterr);
    if (r >= 0) r = sharc_figure_week(t->store, site, 0, &t->week, reterr);
    if (r >= 0) r = sharc_watched_measure(t->store, last, &t->watched, reterr);
    for (int i = 0; r >= 0 && i < SHARC_FIGURE_DRAW_COUNT; i++) {
        struct sharc_figure_request q = {.figure = (enum sharc_figure_drawing)i,
                                         .captures = t->o->captures,
                                         .count = t->o->count};
        if (i != SHARC_FIGURE_DRAW_SPACE) r = sharc_figure_open(t->store, &q, &t->figures[i], reterr);
    }
    return r;
}

typedef int writer(const struct sharc_paper *p, const struct sharc_paper_about *about, struct sharc_buf *out,
                   struct sharc_err *reterr);

static int write_report(struct sharc_store *s, const struct sharc_report_options *o, writer *fn, struct sharc_buf *out,
                        char **ret_says, struct sharc_err *reterr)
{
    SHARC_AUTO(telling_done) struct telling t = {.store = s, .o = o};
    SHARC_FAIL_IF(o->count == 0, reterr, SHARC_EINVAL, "a report needs a capture");
    int r = read_all(&t, reterr);
    if (r < 0) return r;
    char when[SHARC_TIME_TEXT];
    SHARC_AUTO(sharc_freep) char *sentence = verdict(&t);
    SHARC_AUTO(sharc_freep) char *title = sharc_asprintf("Report on %s", t.judged.site);
    SHARC_AUTO(sharc_freep) char *foot = sharc_asprintf("%.80s, %s", title, sharc__report_when(o->now, when));
    tell_verdict(&t, sentence);
    tell_advice(&t);
    tell_rest(&t);
    r = fn(&t.paper, &(struct sharc_paper_about){.title = title, .foot = foot, .made = o->now}, out, reterr);
    if (r < 0) return r;
    *ret_says = SHARC_TAKE(sentence);
    return 0;
}

int sharc_report_html(struct sharc_store *s, const struct sharc_report_options *o, struct sharc_buf *out,
                      char **ret_says, struct sharc_err *reterr)
{
    return write_report(s, o, sharc_paper_html, out, ret_says, reterr);
}

int sharc_report_pdf(struct sharc_store *s, const struct sharc_report_options *o, struct sharc_buf *out,
                     char **ret_says, struct sharc_err *reterr)
{
    return write_report(s, o, sharc_paper_pdf, out, ret_says, reterr);
}
