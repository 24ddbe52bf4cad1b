/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc quality for people: at most 80 columns, and every figure with what it means.
 */
#include "basis.h"
#include "cmd_quality.h"

#include "sharc/change_grade.h"
#include "sharc/store_query.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

const char *quality_real(double v, char text[32])
{
    if (v > 0 && v < 0.0001) return "< 0.0001";
    snprintf(text, 32, "%.4g", v);
    return text;
}

/* Words from column `at` on, in as many lines as they need; the cursor stands at `column`. */
static void print_words(FILE *out, int at, int column, const char *text)
{
    enum { WIDTH = 80 };
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (column > at && column + 1 + n > WIDTH) {
            fprintf(out, "\n%*s", at, "");
            column = at;
        } else if (column > at) {
            putc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", n, text);
        column += n;
        text += n;
        text += strspn(text, " ");
    }
    putc('\n', out);
}

void quality_count(FILE *out, int at, uint64_t count, const char *text)
{
    int n = fprintf(out, "%*s%" PRIu64 ":", at, "", count);
    print_words(out, at, n, text);
}

static void print_interval(FILE *out, sharc_time from, sharc_time to)
{
    char a[SHARC_TIME_TEXT], b[SHARC_TIME_TEXT];
    if (from == to)
        fprintf(out, "at %s\n", sharc_time_iso(from, 3, a));
    else
        fprintf(out, "from %s to %s\n", sharc_time_iso(from, 3, a), sharc_time_iso(to, 3, b));
}

/* --- coherence --------------------------------------------------------------------------------- */

static void print_grades(FILE *out, const struct sharc_assess_capture *c)
{
    uint64_t grade[SHARC_GRADE_COUNT] = {0};
    for (int i = 0; i < SHARC_GRADE_REASON_COUNT; i++)
        grade[sharc_grade_of((enum sharc_grade_reason)i)] += c->reasons[i];
    fprintf(out, "%14s%" PRIu64 " identical · %" PRIu64 " the same but for volatile parts\n", "",
            grade[SHARC_GRADE_IDENTICAL], grade[SHARC_GRADE_VOLATILE]);
    cli_tell_basis(out, 14, c->reasons);
    for (int i = 1; i < SHARC_GRADE_REASON_COUNT; i++) { /* 0: not graded */
        enum sharc_grade_reason reason = (enum sharc_grade_reason)i;
        if (c->reasons[i]) quality_count(out, 14, c->reasons[i], sharc_grade_reason_text(reason));
    }
    if (c->grader == SHARC_STORE_GRADER_RECORDS)
        fprintf(out, "%14sderived from the records of the imported files\n", "");
    /* Anybody could have written it. */
    if (c->grader == SHARC_STORE_GRADER_FILE)
        fprintf(out, "%14sby the verdict in the imported file, which was not derived again\n", "");
    if (c->claim.unfounded)
        fprintf(out, "%14sthe file itself calls %" PRIu64 " more proved: its downloads do not show it\n", "",
                c->claim.unfounded);
}

static void print_inducible(FILE *out, const struct sharc_assess_capture *c)
{
    char text[32];
    quality_label(out, "coherence");
    if (!c->inducible.known) {
        fputs("unknown: no page was visited twice\n", out);
        return;
    }
    uint64_t same = sharc_assess_same(c);
    fprintf(out, "%" PRIu64 " of %" PRIu64 " (%.1f %%) were the same before and after\n", same, c->judged,
            quality_percent(same, c->judged));
    if (c->graded) print_grades(out, c);
    quality_label(out, "together");
    if (c->inducible.from == SHARC_TIME_NONE)
        fputs("at no common instant\n", out);
    else
        print_interval(out, c->inducible.from, c->inducible.to);
    if (same > c->inducible.pages)
        fprintf(out, "%12s%" PRIu64 " of them: not at a time that all the others share\n", "",
                same - c->inducible.pages);
    if (!c->excursions_pages) return;
    fprintf(out, "%12sif nobody changed them and changed them back; by their rates\n", "");
    fprintf(out, "%12sat most %s of %s did so\n", "", quality_real(c->excursions, text),
            SHARC_COUNT(c->excursions_pages, "page"));
}

static void print_coherence(FILE *out, const struct sharc_assess_capture *c)
{
    if (c->weakened) {
        quality_label(out, "weakened");
        fprintf(out, "by the settings %s\n", CLI_SHOWN(c->weakened));
    }
    print_inducible(out, c);
    quality_label(out, "observable");
    if (c->observable.known) {
        fprintf(out, "%" PRIu64 " of %" PRIu64 " (%.1f %%) existed together by their Last-Modified\n",
                c->observable.pages, c->pages, quality_percent(c->observable.pages, c->pages));
        fprintf(out, "%12s", "");
        print_interval(out, c->observable.from, c->observable.to);
    } else {
        fputs("unknown: no page has content\n", out);
    }
    quality_label(out, "measurable");
    if (c->measurable.known)
        fprintf(out, "%" PRIu64 " of %" PRIu64 " (%.1f %%) unmodified since the capture began, they say\n",
                c->measurable.pages, c->pages, quality_percent(c->measurable.pages, c->pages));
    else
        fputs("unknown: no page has a Last-Modified that can be trusted\n", out);
}

/* --- blur, the capture before, defects ------------------------------------------------------------ */

static void print_blur(FILE *out, const struct sharc_assess_blur *b)
{
    char text[32], least[32], most[32];
    quality_label(out, "blur");
    if (b->pages == 0) {
        fputs("unknown: nothing says how often these pages change\n", out);
    } else {
        fprintf(out, "%s changes expected between a page and the moment asked for\n", quality_real(b->average, text));
        fprintf(out, "%12sof one visit each at best %s, at worst %s\n", "", quality_real(b->least, least),
                quality_real(b->most, most));
        fprintf(out, "%12sby the rates of %s, %" PRIu64 " of them those of their host\n", "",
                SHARC_COUNT(b->pages, "page"), b->estimated);
    }
    if (b->actual_pages)
        fprintf(out, "%12sactually %s on %s, if they changed midway\n", "", quality_real(b->actual, text),
                SHARC_COUNT(b->actual_pages, "page seen before and after|pages seen before and after"));
}

static void print_pair(FILE *out, const struct sharc_assess_pair *p)
{
    if (!p->before) return;
    uint64_t both = p->same + p->attested + p->changed + p->unknown;
    quality_label(out, "before");
    fprintf(out, "%" PRIu64 " of %s the same in capture %lld\n", p->same, SHARC_COUNT(both, "page was|pages were"),
            (long long)p->before);
    fprintf(out, "%14s%" PRIu64 " attested by the server, %" PRIu64 " changed, %" PRIu64 " unknown\n", "", p->attested,
            p->changed, p->unknown);
    fprintf(out, "%14s%" PRIu64 " only in that one, %" PRIu64 " only in this one\n", "", p->only_before, p->only_after);
    if (p->from == SHARC_TIME_NONE) return;
    fprintf(out, "%12sthe same ones existed together, if nobody changed them and changed\n%12sthem back, ", "", "");
    print_interval(out, p->from, p->to);
}

static void print_defects(FILE *out, const struct sharc_assess_capture *c)
{
    const char *name = "defects";
    for (int i = 0; i < SHARC_ASSESS_DEFECT_COUNT; i++) {
        if (!c->defects[i]) continue;
        quality_label(out, name);
        fprintf(out, "%" PRIu64 " %s\n", c->defects[i], sharc_assess_defect_text((enum sharc_assess_defect)i));
        name = "";
    }
    if (*name) fprintf(out, "%-12snone\n", name);
    /* No defect: most were meant to be left out. */
    name = "left out";
    for (size_t i = 0; i < c->left_out_count; i++) {
        const char *reason = c->left_out[i].reason, *text = sharc_store_skip_text(sharc_span_of(reason));
        quality_label(out, name);
        int n = fprintf(out, "%s:", SHARC_COUNT(c->left_out[i].urls, "URL"));
        print_words(out, 12, 12 + n, CLI_SHOWN(text ? text : reason));
        name = "";
    }
}

/* --- captures ------------------------------------------------------------------------------------------ */

static void print_capture(FILE *out, const struct sharc_assess_capture *c)
{
    char a[SHARC_TIME_TEXT], b[SHARC_TIME_TEXT];
    fprintf(out, "%s: capture %lld, %s\n", c->site, (long long)c->id, c->state);
    if (!c->complete) fputs("            it is not complete: what follows holds for what is there\n", out);
    quality_label(out, "URLs");
    fprintf(out, "%" PRIu64 ": %" PRIu64 " answered, %" PRIu64 " redirected\n", c->pages, c->answered, c->redirects);
    if (c->first == SHARC_TIME_NONE) return;
    quality_label(out, "downloaded");
    fprintf(out, "from %s to %s\n", sharc_time_iso(c->first, 3, a), sharc_time_iso(c->last, 3, b));
    print_coherence(out, c);
    print_blur(out, &c->blur);
    print_pair(out, &c->pair);
    print_defects(out, c);
    if (c->composites.known) quality_composites(out, &c->composites, c->graded);
}

static void print_series(FILE *out, const struct sharc_assess_series *s)
{
    char a[SHARC_TIME_TEXT], b[SHARC_TIME_TEXT];
    fprintf(out, "\n%s: %s from %s to %s\n", s->site, SHARC_COUNT(s->captures, "capture"),
            sharc_time_iso(s->from, 0, a), sharc_time_iso(s->to, 0, b));
    quality_label(out, "versions");
    fprintf(out, "%" PRIu64 " different contents of %s\n", s->versions, SHARC_COUNT(s->pages, "page"));
    quality_label(out, "complete");
    if (s->rated)
        fprintf(out, "%.1f %% of the versions that existed are expected to be archived\n", 100 * s->completeness);
    else
        fputs("unknown: nothing says how often these pages change\n", out);
    quality_label(out, "queries");
    if (isnan(s->coherence))
        fputs("unknown: nothing answers\n", out);
    else
        fprintf(out, "%.1f %% of the pages shown for a moment existed together, mean of %" PRIu64 "\n",
                100 * s->coherence, s->queries);
}

static void add_overview(struct cli_table *t, const struct sharc_assess_capture *c)
{
    char text[SHARC_TIME_TEXT];
    cli_table_cell(t, "%s", c->site);
    cli_table_cell(t, "%lld", (long long)c->id);
    cli_table_cell(t, "%s", c->first == SHARC_TIME_NONE ? "" : sharc_time_iso(c->first, 0, text));
    cli_table_cell(t, "%" PRIu64, c->pages);
    if (c->inducible.known)
        cli_table_cell(t, "%" PRIu64, c->inducible.pages);
    else
        cli_table_cell(t, "unknown");
    cli_table_cell(t, "%" PRIu64, c->observable.pages);
    const struct sharc_assess_composites *x = &c->composites;
    if (x->known)
        cli_table_cell(t, "%" PRIu64 " of %" PRIu64, x->state_whole[SHARC_PART_PROVEN], x->pages);
    else
        cli_table_cell(t, "%s", "");
}

static int print_captures(struct quality *q, struct sharc_err *reterr)
{
    static const char *const titles[] = {"site", "capture", "begun", "URLs", "same", "observable", "shown"};
    FILE *out = q->c->out;
    SHARC_AUTO(cli_table_freep)
    struct cli_table *t = cli_table_new(SHARC_LENGTH(titles), titles, "lrlrrrr");
    size_t n = sharc_assess_count(q->assess);
    if (n == 0) fputs("no captures\n", out);
    for (size_t i = 0; i < n; i++) {
        SHARC_AUTO(sharc_assess_capture_done) struct sharc_assess_capture c = {0};
        int r = sharc_assess_judge(q->assess, i, &c, reterr);
        if (r < 0) return r;
        if (q->one)
            print_capture(out, &c);
        else
            add_overview(t, &c);
    }
    if (n && !q->one) {
        cli_table_print(t, out);
        fputs("same: before and after, of URLs visited twice; observable: existed together by\n"
              "their Last-Modified; shown: pages with all their parts, by --composite.\n"
              "Name a capture for more.\n",
              out);
    }
    for (size_t i = 0; i < n; i++) {
        SHARC_AUTO(sharc_assess_series_done) struct sharc_assess_series s = {0};
        if (sharc_assess_is_last(q->assess, i) && sharc_assess_series(q->assess, i, &s)) print_series(out, &s);
    }
    return quality_parts_text(q, reterr);
}

int quality_text(struct quality *q, struct sharc_err *reterr)
{
    if (q->at != SHARC_TIME_NONE) return quality_answers(q, reterr);
    int r = q->watched ? 0 : print_captures(q, reterr);
    return r < 0 ? r : quality_watched_text(q, reterr);
}
