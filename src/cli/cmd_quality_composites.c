/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc quality for people: pages with what they embed.
 */
#include "cmd_quality.h"

#include "sharc/quality_composite.h"

#include <inttypes.h>

static void row_of(struct cli_table *t, const char *name, uint64_t pages, uint64_t whole, uint64_t all)
{
    cli_table_cell(t, "%s", name);
    cli_table_cell(t, "%" PRIu64, pages);
    cli_table_cell(t, "%.1f %%", quality_percent(pages, all));
    cli_table_cell(t, "%" PRIu64, whole);
    cli_table_cell(t, "%.1f %%", quality_percent(whole, all));
}

static void print_states(FILE *out, const struct sharc_assess_composites *x)
{
    static const char *const titles[] = {"pages with what they embed", "pages", "share", "and complete", "share"};
    static const char *const names[] = {"proven by downloads", "attested by the server", "open: unknown", "refuted"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(SHARC_LENGTH(titles), titles, "lrrrr");
    for (int i = 0; i < SHARC_MEMENTO_STATE_COUNT; i++)
        row_of(t, sharc_memento_state_text((enum sharc_memento_state)i), x->memento[i], x->memento_whole[i], x->pages);
    cli_table_rule(t);
    for (int i = 0; i < SHARC_PART_STATE_COUNT; i++) row_of(t, names[i], x->state[i], x->state_whole[i], x->pages);
    fputs("\nAbove the line as Ainsworth, Nelson and Van de Sompel judge, below as sharc:\n", out);
    cli_table_print(t, out);
    fputs("Coherent, proven, attested: if nobody changed a part and changed it back between\n"
          "two downloads that were the same.\n",
          out);
}

static void print_reasons(FILE *out, const struct sharc_assess_composites *x)
{
    uint64_t parts = x->parts - x->missing;
    if (!parts) return;
    fprintf(out, "\nParts, held against the root's capture: %" PRIu64 "\n", parts);
    for (int i = 0; i < SHARC_MEMENTO_PATTERN_COUNT; i++)
        if (x->patterns[i])
            quality_count(out, 2, x->patterns[i], sharc_memento_pattern_text((enum sharc_memento_pattern)i));
    fputs("Parts, held against the instant that most parts of their page share:\n", out);
    for (int i = 0; i < SHARC_PART_REASON_COUNT; i++)
        if (x->reasons[i]) quality_count(out, 2, x->reasons[i], sharc_part_reason_text((enum sharc_part_reason)i));
}

/* Counting makes a tracking pixel as important as the style sheet. */
static void print_weights(FILE *out, const struct sharc_assess_weights *w)
{
    if (!w->weighed) return;
    quality_label(out, "by weight");
    for (int i = 0; i < SHARC_PART_STATE_COUNT; i++)
        fprintf(out, "%.1f %% %s, ", 100 * w->states[i], sharc_part_state_word((enum sharc_part_state)i));
    fprintf(out, "%.1f %% missing\n%12sof the parts of a page, by what they are and how large\n", 100 * w->missing, "");
}

static void print_quantiles(FILE *out, const char *name, const sharc_time v[4], const char *what)
{
    char a[4][SHARC_TIME_TEXT];
    for (int i = 0; i < 4; i++) sharc_duration_text(v[i], a[i]);
    quality_label(out, name);
    fprintf(out, "%s, %s, %s, %s at 0, 50, 90, 100 %% of the pages\n%12s%s\n", a[0], a[1], a[2], a[3], "", what);
}

void quality_composites(FILE *out, const struct sharc_assess_composites *x, bool graded)
{
    char text[32];
    if (graded) {
        quality_label(out, "whole");
        fprintf(out, "%" PRIu64 " of %s with all that they embed: the same before and after\n", x->whole,
                SHARC_COUNT(x->whole_of, "page"));
    }
    quality_label(out, "as shown");
    fprintf(out, "%" PRIu64 " of %s existed at an instant with all parts, by downloads\n",
            x->state_whole[SHARC_PART_PROVEN], SHARC_COUNT(x->pages, "page"));
    quality_label(out, "complete");
    fprintf(out, "%" PRIu64 " of %s; %" PRIu64 " of %s missing\n", x->pages - x->incomplete,
            SHARC_COUNT(x->pages, "page"), x->missing, SHARC_COUNT(x->parts, "part is|parts are"));
    if (x->alone)
        fprintf(out, "%12s%s nothing, or nothing that is archived\n", "",
                SHARC_COUNT(x->alone, "page embeds|pages embed"));
    if (x->cut) fprintf(out, "%12s%s more parts than are looked at\n", "", SHARC_COUNT(x->cut, "page has|pages have"));
    if (x->pages == 0) return;
    print_states(out, x);
    fputs("\n", out);
    print_quantiles(out, "spread", x->spread, "between the first and the last download of their parts");
    print_quantiles(out, "apart", x->apart, "between the times at which their parts are known to have existed");
    print_weights(out, &x->weights);
    quality_label(out, "expected");
    fprintf(out, "%s of %" PRIu64 " existed as shown, by proofs and probabilities\n", quality_real(x->expected, text),
            x->pages - x->unknown);
    if (x->unknown) fprintf(out, "%12s%" PRIu64 " more: unknown, no rate\n", "", x->unknown);
    print_reasons(out, x);
}
