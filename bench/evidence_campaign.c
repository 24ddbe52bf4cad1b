/* SPDX-License-Identifier: Apache-2.0
 *
 * The campaign against the judge, by mix of noise and by kind of edit:
 *
 *   evidence_campaign [PAGES [SEED [FIRST [tell]]]]
 *
 * For every mix four sites of PAGES (600): one without edits, two with a fifth of the pages edited between visit and
 * revisit, each in another way, and one with all pages edited in one way, which differs from mix to mix. FIRST leaves
 * out mixes before that one; tell names each page that was judged wrongly. Exits with 1 if one edited page was called
 * proved, pinned teasers aside (docs/evidence.md says why), or fewer than 97 % of the others.
 */
#include "../tests/evidence/campaign.h"

#include "sharc/base_clock.h"

#include <stdio.h>
#include <stdlib.h>

static void print_row(const char *name, const struct campaign_score *s)
{
    printf("%-72s %8llu %6llu %8llu %7.2f %% %6.2f %%\n", name, (unsigned long long)s->edited,
           (unsigned long long)s->false_proofs, (unsigned long long)s->plain,
           s->plain ? 100.0 * (double)s->proved / (double)s->plain : 100.0,
           s->pages ? 100.0 * (double)s->requests / (double)s->pages : 0.0);
}

static void print_head(const char *what)
{
    printf("\n%-72s %8s %6s %8s %9s %8s\n", what, "edited", "false", "plain", "proved", "controls");
}

static void name_mix(unsigned mix, char *out, size_t room)
{
    size_t n = 0;
    if (!mix) snprintf(out, room, "no noise");
    for (int i = 0; i < NOISE_COUNT && n < room; i++)
        if (mix >> i & 1)
            n +=
                (size_t)snprintf(out + n, room - n, "%s%s", n ? ", " : "", campaign_noise_text((enum campaign_noise)i));
    if (room > 72) out[71] = 0;
}

int main(int argc, char **argv)
{
    unsigned pages = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 600;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    size_t first = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    static const double shares[] = {0, 0.2, 0.2, 1};
    static struct campaign_score by_mix[64], by_edit[EDIT_COUNT], all, traps, pinned;
    for (size_t i = first; i < campaign_mix_count(); i++)
        for (size_t k = 0; k < SHARC_LENGTH(shares); k++) {
            enum campaign_edit one = (enum campaign_edit)(1 + (i * 7 + seed) % (EDIT_COUNT - 1));
            struct campaign_site site = {.seed = seed * 977 + i * 131 + k,
                                         .noise = campaign_mix(i),
                                         .edit = k == 3 ? one : EDIT_COUNT,
                                         .pages = pages,
                                         .edited = shares[k],
                                         .tell = argc > 4,
                                         .by_edit = by_edit};
            struct campaign_score s;
            campaign_run(&site, &s);
            campaign_score_add(&by_mix[i], &s);
            campaign_score_add(campaign_mix_may_hide(i) ? &pinned : campaign_mix_is_trap(i) ? &traps : &all, &s);
        }
    print_head("mix of noise");
    for (size_t i = first; i < campaign_mix_count(); i++) {
        char name[1024];
        name_mix(campaign_mix(i), name, sizeof name);
        print_row(name, &by_mix[i]);
    }
    print_head("kind of edit");
    for (int e = 1; e < EDIT_COUNT; e++) print_row(campaign_edit_text((enum campaign_edit)e), &by_edit[e]);
    print_head("together");
    print_row("all", &all);
    print_row("traps, where next to nothing can be proved", &traps);
    print_row("teasers pinned among rotating ones, which may hide", &pinned);
    printf("\n%llu judged pairs. Pages without an edit, by reason:\n", (unsigned long long)all.pages);
    for (int r = 0; r < SHARC_GRADE_REASON_COUNT; r++)
        if (all.reasons[r])
            printf("  %-16s %llu\n", sharc_grade_reason_word((enum sharc_grade_reason)r),
                   (unsigned long long)all.reasons[r]);
    return all.false_proofs || traps.false_proofs || (double)all.proved < 0.97 * (double)all.plain;
}
