/* SPDX-License-Identifier: Apache-2.0
 *
 * A small campaign: every mix of noise, every kind of edit. bench/evidence_campaign is the large one.
 */
#include "campaign.h"
#include "test.h"

static void no_edit_is_called_proved(void **state)
{
    (void)state;
    struct campaign_score all = {0};
    for (size_t i = 0; i < campaign_mix_count(); i++)
        for (int e = 0; e < EDIT_COUNT; e++) {
            struct campaign_site site = {.seed = 5 + i * 100 + (uint64_t)e,
                                         .noise = campaign_mix(i),
                                         .edit = (enum campaign_edit)e,
                                         .pages = 16,
                                         .edited = 0.3};
            struct campaign_score s;
            campaign_run(&site, &s);
            if (s.false_proofs)
                fail_msg("mix %zu, edit '%s': %d false proofs", i, campaign_edit_text((enum campaign_edit)e),
                         (int)s.false_proofs);
            campaign_score_add(&all, &s);
        }
    assert_true(all.edited > 5000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_edit_is_called_proved),
};
TEST_MAIN(tests)
