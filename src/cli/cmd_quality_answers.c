/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc quality --at for people: which versions answer for a moment.
 */
#include "cmd_quality.h"

#include "sharc/quality_composite.h"

#include <inttypes.h>
#include <math.h>

enum { ANSWERS_SHOWN = 20 };

struct answers {
    struct cli_table *table;
    uint64_t told, more;
    struct sharc_assess_answer all;
    bool pages, groups;
};

static void add_page(struct cli_table *t, const struct sharc_assess_answer *x)
{
    char text[SHARC_TIME_TEXT];
    cli_table_cell(t, "%s", sharc_part_state_word(sharc_part_state_of(x->reason)));
    if (isnan(x->probability))
        cli_table_cell(t, "unknown");
    else
        cli_table_cell(t, "%.3f", x->probability);
    cli_table_cell(t, "%s", sharc_time_iso(x->when, 0, text));
    cli_table_cell(t, "%.*s", SHARC_SPAN_ARG(x->name));
}

static void add_group(struct cli_table *t, const struct sharc_assess_answer *x)
{
    cli_table_cell(t, "%" PRIu64, x->pages);
    for (int i = 0; i < SHARC_PART_STATE_COUNT; i++) cli_table_cell(t, "%" PRIu64, x->sums[i]);
    cli_table_cell(t, "%.1f", x->expected);
    cli_table_cell(t, "%.*s", SHARC_SPAN_ARG(x->name));
}

static int take_answer(void *arg, const struct sharc_assess_answer *x, struct sharc_err *reterr SHARC_UNUSED)
{
    struct answers *w = arg;
    w->all.pages += x->pages;
    w->all.expected += x->expected;
    w->all.unknown += x->unknown;
    for (int i = 0; i < SHARC_PART_STATE_COUNT; i++) w->all.sums[i] += x->sums[i];
    if (w->told == ANSWERS_SHOWN) {
        w->more++;
        return 0;
    }
    if (w->pages) add_page(w->table, x);
    if (w->groups) add_group(w->table, x);
    w->told++;
    return 0;
}

int quality_answers(struct quality *q, struct sharc_err *reterr)
{
    static const char *const pages[] = {"state", "chance", "version of", "page"};
    static const char *const groups[] = {"pages", "proven", "attested", "open", "refuted", "expected", "group"};
    char text[SHARC_TIME_TEXT];
    bool by_page = q->by == SHARC_ASSESS_BY_PAGE;
    FILE *out = q->c->out;
    SHARC_AUTO(cli_table_freep)
    struct cli_table *t = by_page ? cli_table_new(SHARC_LENGTH(pages), pages, "lrll")
                                  : cli_table_new(SHARC_LENGTH(groups), groups, "rrrrrrl");
    struct answers w = {.table = t, .pages = by_page, .groups = !by_page && q->by != SHARC_ASSESS_BY_ALL};
    int r = sharc_assess_at(q->assess, q->at, (enum sharc_assess_by)q->by, take_answer, &w, reterr);
    if (r < 0) return r;
    fprintf(out, "Asked for %s, %s %s\n", sharc_time_iso(q->at, 3, text), SHARC_COUNT(w.all.pages, "page"),
            w.all.pages == 1 ? "answers:" : "answer:");
    for (int i = 0; i < SHARC_PART_STATE_COUNT; i++) {
        enum sharc_part_state s = (enum sharc_part_state)i;
        quality_label(out, sharc_part_state_word(s));
        fprintf(out, "%" PRIu64 " (%.1f %%) %s\n", w.all.sums[i], quality_percent(w.all.sums[i], w.all.pages),
                sharc_part_state_text(s));
    }
    quality_label(out, "expected");
    fprintf(out, "%.1f were as they are shown, by proofs and probabilities\n", w.all.expected);
    if (w.all.unknown) fprintf(out, "%12s%" PRIu64 " more: unknown, no rate\n", "", w.all.unknown);
    fputs("Proven and attested: if nobody changed it and changed it back between two\n"
          "downloads that were the same.\n",
          out);
    if (q->by == SHARC_ASSESS_BY_ALL) return 0;
    putc('\n', out);
    cli_table_print(t, out);
    if (w.more) fprintf(out, "%" PRIu64 " more, listed by --json and --csv\n", w.more);
    return 0;
}
