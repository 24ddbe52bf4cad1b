/* SPDX-License-Identifier: Apache-2.0
 *
 * Indexes of watched pages: worked numbers, and what must hold for any page.
 */
#include "test.h"

#include <math.h>

#include "sharc/base_rng.h"
#include "sharc/schedule_index.h"

#define assert_near(got, wanted, within)                                                    \
    do {                                                                                    \
        double got_ = (got), wanted_ = (wanted);                                            \
        if (!(fabs(got_ - wanted_) <= (within))) fail_msg("%.9g, not %.9g", got_, wanted_); \
    } while (0)

static void g_and_its_inverse(void **state)
{
    (void)state;
    static const double g[][2] = {{.1, .004679}, {.5, .090204}, {1, .264241}, {2, .593994}, {5, .959572}};
    static const double inverse[][2] = {{.01, .148555}, {.1, .531812}, {.5, 1.678347}, {.9, 3.889720}, {.99, 6.638352}};
    for (size_t i = 0; i < SHARC_LENGTH(g); i++) assert_near(sharc_index_g(g[i][0]), g[i][1], 5e-7);
    for (size_t i = 0; i < SHARC_LENGTH(inverse); i++)
        assert_near(sharc_index_g_inverse(inverse[i][0]), inverse[i][1], 5e-7);
    for (double y = 1e-14; y < 1; y = y < 0.5 ? y * 1.7 : 1 - (1 - y) / 1.7) {
        if (1 - y < 1e-13) break;
        assert_near(sharc_index_g(sharc_index_g_inverse(y)) / y, 1, 1e-6);
    }
    assert_true(isinf(sharc_index_g_inverse(1)));
    for (double x = 0.01; x < 30; x *= 1.3) assert_near(sharc_index_phi(-expm1(-x)), sharc_index_g(x), 1e-9);
}

/* Five pages of rates 1 … 5 and weight 1, five downloads. */
static void five_pages(void **state)
{
    (void)state;
    static const struct {
        enum sharc_objective o;
        double f[5], price, sum;
    } rows[] = {
        {SHARC_OBJECTIVE_FRESHNESS, {1.1499, 1.3584, 1.3538, 1.1379, 0}, .216432, 5 * .373889},
        {SHARC_OBJECTIVE_COMPLETENESS, {1.1499, 1.3584, 1.3538, 1.1379, 0}, .216432, 5 * .373889},
        {SHARC_OBJECTIVE_COHERENCE, {.7794, .9806, 1.0735, 1.0991, 1.0674}, .271500, 5 * .550027},
        {SHARC_OBJECTIVE_BLUR, {.5965, .8436, 1.0332, 1.1930, 1.3338}, -1, 3.513175},
        {SHARC_OBJECTIVE_EVIDENCE, {2.2422, 2.7578, 0, 0, 0}, .127336, 5 * .22488},
    };
    const double rate[5] = {1, 2, 3, 4, 5}, weight[5] = {1, 1, 1, 1, 1};
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        double price, f[5];
        double sum = sharc_index_bound(rows[i].o, 5, weight, rate, 5, &price, f);
        for (int k = 0; k < 5; k++) assert_near(f[k], rows[i].f[k], 6e-5);
        if (rows[i].price > 0) assert_near(price, rows[i].price, 6e-7);
        assert_near(sum, rows[i].sum, 3e-5);
    }
    const double heavy[5] = {8, 1, 1, 1, 4}, wanted[5] = {2.4782, .1609, 0, 0, 2.3608};
    double price, f[5], sum = sharc_index_bound(SHARC_OBJECTIVE_FRESHNESS, 5, heavy, rate, 5, &price, f);
    for (int k = 0; k < 5; k++) assert_near(f[k], wanted[k], 6e-5);
    assert_near(price, .499973, 6e-7);
    assert_near(sum / 15, .554984, 6e-7);
}

/* What these five pages are worth at the best frequencies, at the same for all, in proportion to the rates, and at
 * those of memoryless crawls (Azar, Horvitz, Lubetzky, Peres, Shahaf 2018). */
static void other_frequencies_bring_less(void **state)
{
    (void)state;
    static const struct {
        enum sharc_objective o;
        double f[5], each[5], sum; /* each < 0: not known */
    } rows[] = {
        {SHARC_OBJECTIVE_FRESHNESS, {1.1499, 1.3584, 1.3538, 1.1379, 0}, {.6680, .5234, .4021, .2760, 0}, 5 * .373889},
        {SHARC_OBJECTIVE_FRESHNESS, {1, 1, 1, 1, 1}, {-1, -1, -1, -1, -1}, 5 * .365053},
        {SHARC_OBJECTIVE_FRESHNESS, {1.0 / 3, 2.0 / 3, 1, 4.0 / 3, 5.0 / 3}, {-1, -1, -1, -1, -1}, 5 * .316738},
        {SHARC_OBJECTIVE_FRESHNESS, {1.3860, 1.3743, 1.1326, .7719, .3352}, {-1, -1, -1, -1, -1}, 5 * .369790},
        {SHARC_OBJECTIVE_COHERENCE,
         {.7794, .9806, 1.0735, 1.0991, 1.0674},
         {.7381, .6269, .5387, .4605, .3859},
         5 * .550027},
        {SHARC_OBJECTIVE_BLUR, {1, 1, 1, 1, 1}, {.25, .5, .75, 1, 1.25}, 3.75},
        {SHARC_OBJECTIVE_BLUR, {1.0 / 3, 2.0 / 3, 1, 4.0 / 3, 5.0 / 3}, {.75, .75, .75, .75, .75}, 3.75},
        {SHARC_OBJECTIVE_EVIDENCE, {1, 1, 1, 1, 1}, {-1, -1, -1, -1, -1}, 5 * .1156},
        {SHARC_OBJECTIVE_EVIDENCE, {1.1499, 1.3584, 1.3538, 1.1379, 0}, {-1, -1, -1, -1, 0}, 5 * .1575},
    };
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        double sum = 0;
        for (int k = 0; k < 5; k++) {
            const double value = sharc_index_value(rows[i].o, 1, k + 1, rows[i].f[k]);
            if (rows[i].each[k] >= 0) assert_near(value, rows[i].each[k], 1e-4);
            sum += value;
        }
        assert_near(sum, rows[i].sum, 3e-4);
    }
}

/* At the frequency of a price the index at every download is that price, and no other division of the same
 * budget brings more. */
static void price_and_index_agree(void **state)
{
    (void)state;
    enum { N = 40 };
    struct sharc_rng rng = sharc_rng_stream(1, 1);
    for (int o = 0; o < SHARC_OBJECTIVE_COUNT; o++) {
        double weight[N], rate[N], f[N], price;
        for (int i = 0; i < N; i++) {
            weight[i] = 0.1 + sharc_rng_uniform(&rng);
            rate[i] = exp(4 * sharc_rng_uniform(&rng) - 2);
        }
        double best = sharc_index_bound((enum sharc_objective)o, N, weight, rate, 30, &price, f), used = 0;
        for (int i = 0; i < N; i++) {
            used += f[i];
            if (f[i] > 0)
                assert_near(sharc_index((enum sharc_objective)o, weight[i], rate[i], 1 / f[i]) / price, 1, 1e-6);
        }
        assert_true(used <= 30 * (1 + 1e-9));
        if (o != SHARC_OBJECTIVE_EVIDENCE) assert_near(used, 30, 1e-6);
        for (int round = 0; round < 200; round++) {
            double other[N], sum = 0, value = 0;
            for (int i = 0; i < N; i++) sum += other[i] = f[i] * (0.5 + sharc_rng_uniform(&rng)) + 1e-3;
            for (int i = 0; i < N; i++)
                value += sharc_index_value((enum sharc_objective)o, weight[i], rate[i], other[i] * 30 / sum);
            assert_true(o == SHARC_OBJECTIVE_BLUR ? value >= best : value <= best);
        }
    }
}

static void index_never_falls(void **state)
{
    (void)state;
    for (int o = 0; o < SHARC_OBJECTIVE_COUNT; o++) {
        double before = 0, learned = 0;
        for (double age = 1e-6; age < 1e6; age *= 1.5) {
            double now = sharc_index((enum sharc_objective)o, 2, 0.7, age);
            double then = sharc_index_learned((enum sharc_objective)o, 2, 0.7, 1, age);
            assert_true(isfinite(now) && now >= before * (1 - 1e-12));
            assert_true(isfinite(then) && then >= learned * (1 - 1e-12));
            before = now;
            learned = then;
        }
        assert_near(sharc_index((enum sharc_objective)o, 0, 1, 1), 0, 0);
        assert_near(sharc_index((enum sharc_objective)o, 1, 0, 1), 0, 0);
        assert_near(sharc_index((enum sharc_objective)o, 1, (double)NAN, 1), 0, 0);
    }
}

static void learned_rates(void **state)
{
    (void)state;
    static const double rows[][4] = {{.5, 10, 5, .41241},
                                     {1, 10, 5, .72132},
                                     {2, 10, 5, 1.11111},
                                     {.5, 30, 60, 9.28203}};
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++)
        assert_near(sharc_index_learned(SHARC_OBJECTIVE_FRESHNESS, 1, rows[i][0], rows[i][1], rows[i][2]), rows[i][3],
                    6e-6);
    /* Much watching is knowing. */
    for (int o = 0; o < SHARC_OBJECTIVE_COUNT; o++)
        assert_near(sharc_index_learned((enum sharc_objective)o, 1, 3e6, 1e6, 0.2) /
                        sharc_index((enum sharc_objective)o, 1, 3, 0.2),
                    1, 1e-5);
}

static void signals_of_the_site(void **state)
{
    (void)state;
    static const struct {
        double rate, recall, noise, age, unseen, told, waiting, index;
    } rows[] = {{1, .7, .2, .8, .3, .9, 5.0136, .06566},
                {1, .7, .2, 2.5, .3, .9, 5.0136, .32231},
                {2, .3, .5, 1, 1.4, 1.1, .5632, .22254}};
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        struct sharc_index_signal s = sharc_index_signal(rows[i].rate, rows[i].recall, rows[i].noise);
        assert_near(s.unseen, rows[i].unseen, 1e-9);
        assert_near(s.told, rows[i].told, 1e-9);
        assert_near(s.waiting, rows[i].waiting, 6e-5);
        assert_near(sharc_index_signalled(&s, 1, rows[i].age), rows[i].index, 6e-6);
    }
    /* Nobody tells anything: the plain index. */
    struct sharc_index_signal silent = sharc_index_signal(1.5, 0, 0);
    assert_near(sharc_index_signalled(&silent, 2, 3), sharc_index(SHARC_OBJECTIVE_FRESHNESS, 2, 1.5, 3), 1e-12);
    /* All is told and only what is true: nothing to do before a signal, and all after it. */
    struct sharc_index_signal honest = sharc_index_signal(2, 1, 0);
    assert_near(sharc_index_signalled(&honest, 1, 100), 0, 1e-12);
    assert_near(sharc_index_signalled(&honest, 1, HUGE_VAL), 0.5, 1e-12);
    /* A signal never makes a page less urgent, and one that means nothing changes nothing. */
    struct sharc_index_signal noisy = sharc_index_signal(1, 1, 3), empty = sharc_index_signal(1, 1e-12, 5);
    assert_true(sharc_index_signalled(&noisy, 1, 1 + noisy.waiting) > sharc_index_signalled(&noisy, 1, 1));
    assert_near(empty.waiting, 0, 1e-9);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(g_and_its_inverse),
    cmocka_unit_test(five_pages),
    cmocka_unit_test(other_frequencies_bring_less),
    cmocka_unit_test(price_and_index_agree),
    cmocka_unit_test(index_never_falls),
    cmocka_unit_test(learned_rates),
    cmocka_unit_test(signals_of_the_site),
};
TEST_MAIN(tests)
