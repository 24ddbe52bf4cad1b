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
        for (int k = 0; k < 2 && !campaign_mix_may_hide(i); k++) {
            struct campaign_site site = {.seed = 5 + i * 100 + (uint64_t)k,
                                         .noise = campaign_mix(i),
                                         .edit = EDIT_COUNT,
                                         .pages = 60,
                                         .edited = k ? 1 : 0.3};
            struct campaign_score s;
            campaign_run(&site, &s);
            if (s.false_proofs) fail_msg("mix %zu: %d false proofs", i, (int)s.false_proofs);
            campaign_score_add(&all, &s);
        }
    assert_true(all.edited > 3000);
    assert_true(all.proved * 10 > all.plain * 7); /* sites as small as these allow few controls */
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_edit_is_called_proved),
};
TEST_MAIN(tests)
