/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture: every strategy of the table keeps the rules, and each does
 * what it is known for.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "sharc/base_rng.h"
#include "sharc/schedule_index.h"
#include "sharc/schedule_watch.h"

static struct sharc_watch *make(const char *name)
{
    struct sharc_watch *w = NULL;
    assert_non_null(sharc_watch_find(name));
    assert_int_equal(sharc_watch_new(sharc_watch_find(name), NULL, &w, NULL), 0);
    return w;
}

static void add(struct sharc_watch *w, sharc_page_no page, uint32_t site, double rate, double weight, sharc_time since)
{
    struct sharc_watch_page p = SHARC_WATCH_PAGE;
    p.site = site;
    p.rate = rate;
    p.weight = weight;
    sharc_watch_add(w, page, &p, since);
}

static size_t period(struct sharc_watch *w, sharc_time now, size_t budget, sharc_page_no *ret)
{
    struct sharc_watch_due due[64];
    assert_true(budget <= 64);
    size_t n = sharc_watch_period(w, now, budget, due);
    for (size_t i = 0; i < n; i++) ret[i] = due[i].page;
    return n;
}

static void see(struct sharc_watch *w, sharc_page_no page, sharc_time when, bool changed, double importance)
{
    struct sharc_observation o = {.page = page,
                                  .when = when,
                                  .change = changed ? SHARC_TEXT_CHANGED : SHARC_UNCHANGED,
                                  .importance = importance,
                                  .rate = -1};
    sharc_watch_observed(w, &o);
}

static void rules_for_all(void **state)
{
    (void)state;
    for (size_t k = 0; k < sharc_watch_count(); k++) {
        const struct sharc_watch_ops *ops = sharc_watch_at(k);
        assert_ptr_equal(sharc_watch_find(sharc_watch_name(ops)), ops);
        struct sharc_watch *w = make(sharc_watch_name(ops));
        sharc_page_no pages[64];
        assert_int_equal(period(w, SHARC_DAY, 8, pages), 0);
        struct sharc_rng rng;
        sharc_rng_init(&rng, k);
        for (sharc_page_no p = 0; p < 50; p++) {
            add(w, p, p % 3, 0.1 + 0.01 * p, 1 + p % 4, 0);
        }
        uint32_t captures[50] = {0};
        for (int t = 1; t <= 24 * 30; t++) {
            size_t n = period(w, t * SHARC_HOUR, 10, pages);
            assert_true(n <= 10);
            for (size_t i = 0; i < n; i++) {
                assert_true(pages[i] < 50);
                for (size_t j = 0; j < i; j++) {
                    assert_true(pages[i] != pages[j]);
                }
                captures[pages[i]]++;
                see(w, pages[i], t * SHARC_HOUR, sharc_rng_uniform(&rng) < 0.3, 0.5);
            }
        }
        /* What changes so fast that it is never fresh is not worth a download to these. */
        bool gives_up = strncmp(sharc_watch_name(ops), "frequency", 9) == 0 ||
                        strcmp(sharc_watch_name(ops), "index-freshness") == 0 ||
                        strcmp(sharc_watch_name(ops), "index-evidence") == 0;
        for (sharc_page_no p = 0; p < 50; p++) {
            assert_true(captures[p] > 0 || gives_up);
        }
        struct sharc_observation gone = {.page = 7, .when = SHARC_DAY * 40, .change = SHARC_MISSING, .rate = -1};
        sharc_watch_observed(w, &gone);
        for (sharc_page_no p = 20; p < 50; p++) {
            sharc_watch_drop(w, p);
        }
        size_t n = period(w, 80 * SHARC_DAY, 64, pages);
        assert_int_equal(n, 19);
        for (size_t i = 0; i < n; i++) {
            assert_true(pages[i] != 7 && pages[i] < 20);
        }
        sharc_watch_freep(&w);
        assert_null(w);
    }
    assert_null(sharc_watch_find("clairvoyance"));
}

static void relevance_goes_round_by_weight(void **state)
{
    (void)state;
    struct sharc_watch *w = make("relevance");
    const double weight[5] = {1, 5, 3, 4, 2};
    const sharc_page_no want[6] = {1, 3, 2, 4, 0, 1};
    for (sharc_page_no p = 0; p < 5; p++) {
        add(w, p, 0, 1, weight[p], 0);
    }
    for (int t = 0; t < 3; t++) {
        sharc_page_no pages[2];
        assert_int_equal(period(w, t * SHARC_HOUR, 2, pages), 2);
        assert_int_equal(pages[0], want[2 * t]);
        assert_int_equal(pages[1], want[2 * t + 1]);
    }
    sharc_watch_free(w);
}

static void sharc_walks_sites_in_organ_pipes(void **state)
{
    (void)state;
    struct sharc_watch *w = make("sharc");
    for (sharc_page_no p = 0; p < 12; p++) {
        add(w, p, p / 6, p % 6, 1, 0);
    }
    const sharc_page_no pipes[6] = {0, 2, 4, 5, 3, 1};
    sharc_page_no pages[6];
    for (uint32_t t = 0; t < 4; t++) {
        assert_int_equal(period(w, t * SHARC_HOUR, 6, pages), 6);
        for (int i = 0; i < 6; i++) {
            assert_int_equal(pages[i], pipes[i] + 6 * ((t + 1) % 2));
        }
    }
    sharc_watch_free(w);
}

/* Freshness: the page that changes all the time is given up, the others share. */
static void frequency_gives_up_the_hottest(void **state)
{
    (void)state;
    struct sharc_watch *w = make("frequency");
    const double rate[4] = {0.05, 0.2, 0.4, 50};
    for (sharc_page_no p = 0; p < 4; p++) {
        add(w, p, 0, rate[p], 1, 0);
    }
    uint32_t captures[4] = {0};
    for (int t = 1; t <= 1000; t++) {
        sharc_page_no page;
        assert_int_equal(period(w, t * SHARC_HOUR, 1, &page), 1);
        captures[page]++;
        see(w, page, t * SHARC_HOUR, true, 1);
    }
    assert_int_equal(captures[3], 0);
    assert_true(captures[0] < captures[1]);
    /* The condition of the optimum holds between pages 0 and 1. */
    double worth[2];
    for (int p = 0; p < 2; p++) {
        double r = rate[p] * 1000 / captures[p];
        worth[p] = (1 - (1 + r) * exp(-r)) / rate[p];
    }
    assert_close(worth[0] / worth[1], 1, 0.25); /* downloads are whole */
    sharc_watch_free(w);
}

static void urgency_follows_the_hour(void **state)
{
    (void)state;
    struct sharc_watch *pattern = make("importance-pattern"), *level = make("importance");
    struct sharc_rate_pattern morning = {0}, evening = {0};
    for (int k = 0; k < SHARC_RATE_HOURS; k++) {
        morning.hours[k] = evening.hours[k] = 1;
        morning.importance[k] = k % 24 < 12 ? 0.4 : 0.1;
        evening.importance[k] = k % 24 < 12 ? 0.1 : 0.4;
    }
    for (int k = 0; k < 2; k++) {
        struct sharc_watch *w = k ? level : pattern;
        add(w, 0, 0, 0.25, 1, 0);
        add(w, 1, 0, 0.25, 1, 0);
        sharc_watch_teach(w, 0, NULL, &morning, SHARC_TIME_NONE);
        sharc_watch_teach(w, 1, NULL, &evening, SHARC_TIME_NONE);
    }
    sharc_page_no page;
    assert_int_equal(period(pattern, 6 * SHARC_HOUR, 1, &page), 1);
    assert_int_equal(page, 0);
    assert_int_equal(period(pattern, 18 * SHARC_HOUR, 1, &page), 1);
    assert_int_equal(page, 1);
    assert_close(sharc_watch_urgency(pattern, 0, 6 * SHARC_HOUR), 0.4 * 6, 1e-9);
    assert_close(sharc_watch_urgency(level, 0, 6 * SHARC_HOUR), sharc_watch_urgency(level, 1, 6 * SHARC_HOUR), 1e-9);
    assert_close(sharc_watch_urgency(level, 9, 6 * SHARC_HOUR), 0, 0);
    sharc_watch_free(pattern);
    sharc_watch_free(level);
}

/* A page whose changes matter is fetched more often than one whose do not, though
 * both change equally often; the strategy that counts changes cannot tell. */
static void importance_is_learned(void **state)
{
    (void)state;
    const char *names[3] = {"importance-pattern", "importance", "pattern"};
    for (int k = 0; k < 3; k++) {
        struct sharc_watch *w = make(names[k]);
        add(w, 0, 0, 0.5, 1, 0);
        add(w, 1, 0, 0.5, 1, 0);
        uint32_t captures[2] = {0};
        for (int t = 1; t <= 2000; t++) {
            sharc_page_no page;
            if (period(w, t * SHARC_HOUR, 1, &page) == 0) continue;
            captures[page]++;
            see(w, page, t * SHARC_HOUR, true, page == 0 ? 0.9 : 0.1);
        }
        if (k < 2) assert_true(captures[0] > 2 * captures[1]);
        if (k == 2) assert_true(captures[0] < 1.2 * captures[1]);
        sharc_watch_free(w);
    }
}

static void controllers_adapt_their_waits(void **state)
{
    (void)state;
    struct sharc_watch *heritrix = make("heritrix-adaptive"), *storm = make("storm-adaptive");
    sharc_page_no page;
    for (int k = 0; k < 2; k++) {
        struct sharc_watch *w = k ? storm : heritrix;
        add(w, 0, 0, 1, 1, 0);
        assert_int_equal(period(w, 23 * SHARC_HOUR, 1, &page), 0); /* a day at first */
        assert_int_equal(period(w, 24 * SHARC_HOUR, 1, &page), 1);
        see(w, 0, 24 * SHARC_HOUR, true, 1);
        /* 24 / 1.5 = 16 hours; halfway to one hour = 12.5 hours */
        sharc_time wait = k ? 12 * SHARC_HOUR + 30 * SHARC_MINUTE : 16 * SHARC_HOUR;
        assert_int_equal(period(w, 24 * SHARC_HOUR + wait - SHARC_MINUTE, 1, &page), 0);
        assert_int_equal(period(w, 24 * SHARC_HOUR + wait, 1, &page), 1);
        sharc_time now = 24 * SHARC_HOUR + wait;
        for (int i = 0; i < 30; i++) { /* never changes again: up to the longest wait */
            see(w, 0, now, false, 0);
            now += 40 * SHARC_DAY;
        }
        see(w, 0, now, false, 0);
        sharc_time most = k ? 14 * SHARC_DAY : 28 * SHARC_DAY;
        assert_int_equal(period(w, now + most - SHARC_HOUR, 1, &page), 0);
        assert_int_equal(period(w, now + most, 1, &page), 1);
        sharc_watch_free(w);
    }
}

static void parameters_out_of_range(void **state)
{
    (void)state;
    struct sharc_watch *w = NULL;
    struct sharc_watch_params p = SHARC_WATCH_PARAMS;
    struct sharc_err err = SHARC_ERR_INIT;
    p.risk = 2;
    assert_int_equal(sharc_watch_new(sharc_watch_find("coherence"), &p, &w, &err), SHARC_EINVAL);
    p = (struct sharc_watch_params)SHARC_WATCH_PARAMS;
    p.least_wait = 100 * SHARC_DAY;
    assert_int_equal(sharc_watch_new(sharc_watch_find("storm-adaptive"), &p, &w, &err), SHARC_EINVAL);
    assert_null(w);
}

static sharc_time later(sharc_time a, sharc_time b)
{
    return a > b ? a : b;
}

/* No page waits longer than its longest interval, whatever the strategy thinks of it, and none is downloaded again
 * before the shortest, as long as downloads suffice; also when nearly all of them are needed. */
static void intervals_are_kept(void **state)
{
    (void)state;
    enum { PAGES = 200, BUDGET = 16, DAYS = 60 };
    static const int longest_hours[] = {96, 30, 16}; /* 200 pages need 2.1, 6.7, 12.5 of 16 downloads per hour */
    for (size_t k = 0; k < sharc_watch_count() * SHARC_LENGTH(longest_hours); k++) {
        struct sharc_watch_params params = SHARC_WATCH_PARAMS;
        const struct sharc_watch_ops *ops = sharc_watch_at(k / SHARC_LENGTH(longest_hours));
        params.longest = longest_hours[k % SHARC_LENGTH(longest_hours)] * SHARC_HOUR;
        params.shortest = 2 * SHARC_HOUR;
        struct sharc_watch *w = NULL;
        assert_int_equal(sharc_watch_new(ops, &params, &w, NULL), 0);
        const struct sharc_rate_pattern never = {.at = 0};
        struct sharc_rng rng = sharc_rng_stream(k, 3);
        sharc_page_no pages[BUDGET];
        sharc_time last[PAGES] = {0}, worst = 0, least = SHARC_DAY;
        for (sharc_page_no p = 0; p < PAGES; p++) {
            add(w, p, p % 7, p % 5 ? 0.001 * p : 40, p % 11 ? 1 : 0, 0);
            if (p % 3 == 0) sharc_watch_teach(w, p, &never, &never, SHARC_TIME_NONE);
        }
        for (sharc_time t = SHARC_HOUR; t < DAYS * SHARC_DAY; t += SHARC_HOUR) {
            size_t n = period(w, t, BUDGET, pages);
            for (size_t i = 0; i < n; i++) {
                sharc_page_no p = pages[i];
                sharc_time at = t + (sharc_time)i * SHARC_HOUR / BUDGET;
                worst = later(worst, at - last[p]);
                if (last[p] && at - last[p] < least) least = at - last[p];
                last[p] = at;
                see(w, p, at, p % 5 == 0 || sharc_rng_uniform(&rng) < 0.01, 0.5);
            }
        }
        for (sharc_page_no p = 0; p < PAGES; p++) worst = later(worst, DAYS * SHARC_DAY - last[p]);
        if (worst > params.longest)
            fail_msg("%s: %g of %g h", sharc_watch_name(ops), (double)worst / (double)SHARC_HOUR,
                     (double)params.longest / (double)SHARC_HOUR);
        if (least < 2 * SHARC_HOUR)
            fail_msg("%s: again after %g h", sharc_watch_name(ops), (double)least / (double)SHARC_HOUR);
        sharc_watch_free(w);
    }
}

/* Rate .5 for eight hours of a day, .02 in the others: what is up and not archived is not forgotten at night. */
static void value_remembers_the_day(void **state)
{
    (void)state;
    static const struct {
        int hours;
        double phi;
    } rows[] = {{1, .0902}, {2, .2642}, {4, .5940}, {8, .9084}, {16, .9195}, {24, .9292}};
    struct sharc_rate_pattern changes = {.at = 0}, importance = {.at = 0};
    for (int k = 0; k < SHARC_RATE_HOURS; k++) {
        changes.hours[k] = importance.hours[k] = 1e9;
        changes.importance[k] = importance.importance[k] = (k % 24 < 8 ? .5 : .02) * 1e9;
    }
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        struct sharc_watch *w = make("value");
        sharc_page_no page;
        add(w, 0, 0, 0.1, 1, 0);
        sharc_watch_teach(w, 0, &changes, &importance, SHARC_TIME_NONE);
        period(w, 0, 0, &page); /* sites are weighed */
        double level = (8 * .5 + 16 * .02) / 24, u = sharc_watch_urgency(w, 0, rows[i].hours * SHARC_HOUR);
        if (fabs(u * level - rows[i].phi) > 6e-5) fail_msg("%g, not %g", u * level, rows[i].phi);
        sharc_watch_free(w);
    }
}

/* Pages of many rates under a budget: what "always the largest index" brings, reckoned without chance, against the most
 * that any schedule can bring. */
static void index_reaches_the_bound(void **state)
{
    (void)state;
    enum { N = 1200, BUDGET = 60, HOURS = 1500, SETTLE = 500 };
    static const struct {
        const char *name;
        enum sharc_objective o;
    } rows[] = {{"index-freshness", SHARC_OBJECTIVE_FRESHNESS},
                {"index-importance", SHARC_OBJECTIVE_IMPORTANCE},
                {"index-coherence", SHARC_OBJECTIVE_COHERENCE},
                {"index-blur", SHARC_OBJECTIVE_BLUR},
                {"index-evidence", SHARC_OBJECTIVE_EVIDENCE}};
    static double rate[N], weight[N], cost[N];
    static sharc_time last[N];
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        struct sharc_watch_params params = SHARC_WATCH_PARAMS;
        struct sharc_watch *w = NULL;
        params.half_life = 0;
        assert_int_equal(sharc_watch_new(sharc_watch_find(rows[i].name), &params, &w, NULL), 0);
        struct sharc_rng rng = sharc_rng_stream(5, i);
        sharc_page_no pages[BUDGET];
        for (sharc_page_no p = 0; p < N; p++) {
            struct sharc_rate_pattern known = {.at = 0};
            rate[p] = exp(log(1e-3) + sharc_rng_uniform(&rng) * log(1e3));
            weight[p] = 0.2 + sharc_rng_uniform(&rng);
            for (int k = 0; k < SHARC_RATE_HOURS; k++) known.hours[k] = 1e12, known.importance[k] = 1e12 * rate[p];
            add(w, p, 0, rate[p], weight[p], 0);
            sharc_watch_teach(w, p, &known, &known, SHARC_TIME_NONE);
            last[p] = 0;
        }
        double price, sum = 0;
        double best = sharc_index_bound(rows[i].o, N, weight, rate, BUDGET, &price, cost);
        for (int t = 1; t <= HOURS; t++) {
            size_t n = period(w, t * SHARC_HOUR, BUDGET, pages);
            for (size_t k = 0; k < n; k++) {
                sharc_page_no p = pages[k];
                double age = (double)(t * SHARC_HOUR - last[p]) / (double)SHARC_HOUR;
                double from = fmax((double)last[p] / (double)SHARC_HOUR, SETTLE);
                /* A cycle as a whole, or the part of it that counts. */
                double part = fmax(t - from, 0);
                sum += part * sharc_index_value(rows[i].o, weight[p], rate[p], 1 / age);
                last[p] = t * SHARC_HOUR;
                see(w, p, last[p], false, 1);
            }
        }
        for (sharc_page_no p = 0; p < N; p++) {
            /* The cycle that is not over: as the schedule wants it, or as long as it is by now. */
            double from = (double)last[p] / (double)SHARC_HOUR, f = cost[p];
            if (f > 0)
                sum += (HOURS - fmax(from, SETTLE)) *
                       sharc_index_value(rows[i].o, weight[p], rate[p], fmin(f, 1 / fmax(HOURS - from, 1e-9)));
        }
        double share = sum / (HOURS - SETTLE) / best;
        if (rows[i].o == SHARC_OBJECTIVE_BLUR) share = 1 / share;
        print_message("%s: %.4f of the bound\n", rows[i].name, share);
        if (!(share > 0.99 && share < 1.005)) fail_msg("%s: %.4f of the bound", rows[i].name, share);
        sharc_watch_free(w);
    }
}

/* --- one after the other, as the crawler does ---------------------------------------------------- */

static void downloads_come_as_the_budget_allows(void **state)
{
    (void)state;
    for (size_t k = 0; k < sharc_watch_count(); k++) {
        struct sharc_watch *w = make(sharc_watch_name(sharc_watch_at(k)));
        for (sharc_page_no p = 0; p < 40; p++) add(w, p, p % 3, 0.05, 1, 0);
        sharc_watch_budget(w, 6, 0);
        struct sharc_watch_due due[8];
        uint32_t downloads = 0;
        sharc_time now = SHARC_DAY, end = 3 * SHARC_DAY;
        assert_true(sharc_watch_due(w, 0, 0, due) == 0);
        for (int steps = 0; now < end; steps++) {
            if (steps > 2000) fail_msg("%s never sleeps", sharc_watch_name(sharc_watch_at(k)));
            size_t n = sharc_watch_due(w, now, 8, due);
            for (size_t i = 0; i < n; i++) {
                struct sharc_watch_view v;
                assert_true(sharc_watch_look(w, due[i].page, now, &v) && v.out);
                see(w, due[i].page, now, downloads % 3 == 0, 0.5);
                downloads++;
            }
            sharc_time next = sharc_watch_next(w, now);
            assert_true(next != SHARC_TIME_NONE && next >= now);
            assert_true(n > 0 || next > now); /* else it would be asked for ever */
            now = next > now ? next : now + 1;
        }
        /* An hour's worth was saved in the day before. Controllers want fewer. */
        assert_true(downloads <= 2 * 24 * 6 + 7);
        if (sharc_watch_at(k) != sharc_watch_find("heritrix-adaptive") &&
            sharc_watch_at(k) != sharc_watch_find("storm-adaptive"))
            assert_true(downloads >= 2 * 24 * 6);
        sharc_watch_free(w);
    }
}

static void hosts_are_spared(void **state)
{
    (void)state;
    struct sharc_watch *w = make("value");
    struct sharc_watch_due due[16];
    for (sharc_page_no p = 0; p < 20; p++) {
        struct sharc_watch_page page = SHARC_WATCH_PAGE;
        page.host = p % 2;
        page.rate = p % 2 ? 0.01 : 0.05; /* the host with limits is the one that everybody wants */
        sharc_watch_add(w, p, &page, 0);
    }
    sharc_watch_host(w, 0, &(struct sharc_watch_host){.delay = 10 * SHARC_SEC});
    sharc_time now = SHARC_DAY, last = 0;
    size_t n = sharc_watch_due(w, now, 6, due), of_first = 0;
    assert_int_equal(n, 6);
    for (size_t i = 0; i < n; i++) of_first += due[i].page % 2 == 0;
    assert_int_equal(of_first, 1); /* one, and then others */
    for (size_t i = 0; i < n; i++) see(w, due[i].page, now, false, 0);
    for (int s = 1; s < 100; s++) {
        n = sharc_watch_due(w, now + s * SHARC_SEC, 1, due);
        assert_int_equal(n, 1);
        if (due[0].page % 2 == 0) {
            assert_true(last == 0 || s - last >= 10);
            assert_true(s >= 10);
            last = s;
        }
        sharc_watch_give_back(w, due[0].page);
        see(w, due[0].page, now + s * SHARC_SEC, false, 0);
    }
    assert_true(last > 0);
    sharc_watch_host(w, 0, &(struct sharc_watch_host){.not_before = now + SHARC_DAY});
    sharc_watch_host(w, 1, &(struct sharc_watch_host){.not_before = now + 2 * SHARC_DAY});
    assert_int_equal(sharc_watch_due(w, now + SHARC_HOUR, 16, due), 0);
    assert_true(sharc_watch_next(w, now + SHARC_HOUR) == now + SHARC_DAY);
    /* A whole period: as many as the host gives in an hour. */
    sharc_watch_host(w, 0, &(struct sharc_watch_host){.per_hour = 3});
    sharc_watch_host(w, 1, &(struct sharc_watch_host){0});
    sharc_page_no pages[16];
    period(w, now + 3 * SHARC_DAY, 16, pages);
    of_first = 0;
    n = period(w, now + 3 * SHARC_DAY + SHARC_HOUR, 16, pages);
    for (size_t i = 0; i < n; i++) of_first += pages[i] % 2 == 0;
    assert_int_equal(of_first, 3);
    assert_int_equal(n, 13);
    sharc_watch_free(w);
}

/* What is handed out is worth the most of all, also after pages come and go, sites change their weight and more is
 * asked for. */
static void what_is_left_is_worth_less(void **state)
{
    (void)state;
    enum { PAGES = 400, BATCH = 8 };
    struct sharc_watch *w = make("value");
    struct sharc_watch_due due[4 * BATCH];
    struct sharc_rng rng;
    sharc_rng_init(&rng, 5);
    for (sharc_page_no p = 0; p < PAGES; p++) add(w, p, p % 7, pow(p + 1, -0.8), 1 + p % 3, 0);
    for (int batch = 0; batch < 600; batch++) {
        sharc_time now = SHARC_DAY + batch * 20 * SHARC_MINUTE;
        if (batch % 50 == 30) sharc_watch_drop(w, (sharc_page_no)sharc_rng_below(&rng, PAGES));
        if (batch % 90 == 40) add(w, (sharc_page_no)sharc_rng_below(&rng, PAGES), 3, 0.5, 4, now);
        if (batch % 100 == 60)
            sharc_watch_site(w, 2, &(struct sharc_watch_site){.weight = (double)(batch % 200 > 100 ? 5 : 1)});
        size_t n = sharc_watch_due(w, now, batch % 40 == 20 ? 4 * BATCH : BATCH, due);
        bool given[PAGES] = {0};
        double least = HUGE_VAL;
        assert_true(n >= BATCH);
        for (size_t i = 0; i < n; i++) {
            given[due[i].page] = true;
            least = fmin(least, due[i].worth);
        }
        for (sharc_page_no p = 0; p < PAGES; p++)
            if (!given[p]) assert_true(sharc_watch_urgency(w, p, now) <= least * (1 + 1e-9));
        for (size_t i = 0; i < n; i++) see(w, due[i].page, now, sharc_rng_below(&rng, 3) == 0, 0.5);
    }
    sharc_watch_free(w);
}

/* A source that is always right makes its pages come when it speaks, and hardly otherwise; one that cries wolf does
 * not. */
static void signals_are_learned(void **state)
{
    (void)state;
    static const char *const names[] = {"value", "index-freshness", "index-blur"};
    for (size_t k = 0; k < SHARC_LENGTH(names); k++) {
        struct sharc_watch *w = make(names[k]);
        struct sharc_watch_due due[1];
        for (sharc_page_no p = 0; p < 60; p++) {
            struct sharc_watch_page page = SHARC_WATCH_PAGE;
            page.rate = 0.01;
            page.source = p / 20; /* true, false, silent */
            sharc_watch_add(w, p, &page, 0);
        }
        struct sharc_rng rng = sharc_rng_stream(k, 9);
        bool changed[60] = {false};
        uint32_t told[2] = {0}, soon[2] = {0}, downloads[3] = {0};
        sharc_time when[60] = {0};
        for (int t = 1; t < 6000; t++) {
            sharc_time now = t * SHARC_HOUR;
            for (sharc_page_no p = 0; p < 60; p++) {
                bool change = sharc_rng_uniform(&rng) < 0.01, cry = sharc_rng_uniform(&rng) < 0.01;
                changed[p] |= change;
                if (p < 20 ? change : p < 40 && cry) {
                    sharc_watch_signal(w, p, now);
                    if (t > 1000 && !when[p]) told[p / 20]++, when[p] = now;
                }
            }
            if (sharc_watch_period(w, now, 1, due) != 1) continue;
            sharc_page_no p = due[0].page;
            see(w, p, now, changed[p], 1);
            if (when[p] && now - when[p] <= 6 * SHARC_HOUR) soon[p / 20]++;
            downloads[p / 20] += t > 1000;
            when[p] = 0;
            changed[p] = false;
        }
        if (!(soon[0] > 0.9 * told[0])) fail_msg("%s: %u of %u", names[k], soon[0], told[0]);
        if (!(soon[1] < 0.5 * told[1])) fail_msg("%s: %u of %u false ones", names[k], soon[1], told[1]);
        assert_true(downloads[0] < downloads[2]); /* what nobody tells of must be looked for */
        sharc_watch_free(w);
    }
}

/* Killed and restored it goes on as if nothing had happened. */
static void what_is_saved_goes_on(void **state)
{
    (void)state;
    for (size_t k = 0; k < sharc_watch_count(); k++) {
        struct sharc_watch_params params = SHARC_WATCH_PARAMS;
        params.longest = 20 * SHARC_DAY;
        struct sharc_watch *w = NULL, *again = NULL;
        assert_int_equal(sharc_watch_new(sharc_watch_at(k), &params, &w, NULL), 0);
        const bool walks = !strcmp(sharc_watch_name(sharc_watch_at(k)), "relevance") ||
                           !strcmp(sharc_watch_name(sharc_watch_at(k)), "coherence") ||
                           !strcmp(sharc_watch_name(sharc_watch_at(k)), "sharc");
        for (sharc_page_no p = 0; p < 60; p++) {
            struct sharc_watch_page page = SHARC_WATCH_PAGE;
            page = (struct sharc_watch_page){p % 4,
                                             p % 3,
                                             p % 2,
                                             p % 2 ? 1 : SHARC_WATCH_NONE,
                                             .rate = 0.01 * p,
                                             .weight = 1 + p % 5,
                                             .born = p % 3 ? -(sharc_time)p * SHARC_HOUR : SHARC_TIME_NONE,
                                             .held = p % 7 > 0};
            sharc_watch_add(w, p, &page, 0);
        }
        sharc_watch_drop(w, 13);
        sharc_watch_budget(w, 5, 0);
        sharc_watch_site(w, 2, &(struct sharc_watch_site){.weight = 3, .east_of_utc = -5 * SHARC_HOUR});
        sharc_watch_host(w, 1, &(struct sharc_watch_host){.per_hour = 1});
        sharc_watch_holidays(w, (const int32_t[]){5, 3}, 2);
        struct sharc_rng rng = sharc_rng_stream(k, 4);
        sharc_page_no one[5], two[5];
        for (int t = 1; t < 600; t++) {
            size_t n = period(w, t * SHARC_HOUR, 5, one);
            if (again) {
                assert_int_equal(period(again, t * SHARC_HOUR, 5, two), n);
                if (!walks) assert_memory_equal(one, two, n * sizeof *one); /* walks begin a new round */
            }
            for (size_t i = 0; i < n; i++) {
                bool changed = sharc_rng_uniform(&rng) < 0.2;
                if (t % 13 == 0) sharc_watch_signal(w, one[i], t * SHARC_HOUR);
                if (t % 13 == 0 && again) sharc_watch_signal(again, one[i], t * SHARC_HOUR);
                see(w, one[i], t * SHARC_HOUR, changed, 0.5);
                if (again) see(again, one[i], t * SHARC_HOUR, changed, 0.5);
            }
            if (t % 150 != 0) continue;
            sharc_watch_freep(&again);
            SHARC_AUTO(sharc_buf_done)
            struct sharc_buf bytes = SHARC_BUF_INIT(1 << 20), second = SHARC_BUF_INIT(1 << 20);
            assert_int_equal(sharc_watch_save(w, &bytes, NULL), 0);
            assert_int_equal(sharc_watch_restore(sharc_span(bytes.p, bytes.n), &again, NULL), 0);
            assert_ptr_equal(sharc_watch_ops(again), sharc_watch_at(k));
            assert_int_equal(sharc_watch_pages(again), 59);
            assert_int_equal(sharc_watch_save(again, &second, NULL), 0);
            assert_int_equal(bytes.n, second.n);
            assert_memory_equal(bytes.p, second.p, bytes.n);
            /* Damage anywhere is seen, and so is an end that is missing. */
            struct sharc_watch *bad = NULL;
            for (size_t i = 0; i < bytes.n; i += 1 + bytes.n / 97) {
                bytes.p[i] ^= 0x10;
                assert_true(sharc_watch_restore(sharc_span(bytes.p, bytes.n), &bad, NULL) < 0);
                bytes.p[i] ^= 0x10;
                assert_true(sharc_watch_restore(sharc_span(bytes.p, i), &bad, NULL) < 0);
            }
            /* What was observed before may be told again. */
            for (sharc_page_no p = 0; p < 60; p++) {
                struct sharc_watch_view v;
                if (sharc_watch_look(again, p, t * SHARC_HOUR, &v) && v.settings.held) see(again, p, v.last, true, 1);
            }
        }
        sharc_watch_free(w);
        sharc_watch_free(again);
    }
}

/* Holidays are like Sundays, and each site has its own clock. */
/* A host is held as long as a request of it is under way; saving neither ends that nor outlives it. */
static void a_held_host_is_saved_free(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1u << 20);
    struct sharc_watch *w = make("value"), *again = NULL;
    struct sharc_watch_page page = SHARC_WATCH_PAGE;
    struct sharc_watch_due due;
    page.host = 0;
    page.rate = 1;
    sharc_watch_add(w, 0, &page, 0);
    sharc_watch_host(w, 0, &(struct sharc_watch_host){.not_before = INT64_MAX / 2});
    assert_int_equal(sharc_watch_save(w, &bytes, NULL), 0);
    assert_int_equal(sharc_watch_due(w, SHARC_DAY, 1, &due), 0);
    assert_int_equal(sharc_watch_restore(sharc_buf_span(&bytes), &again, NULL), 0);
    assert_int_equal(sharc_watch_due(again, SHARC_DAY, 1, &due), 1);
    sharc_watch_free(again);
    sharc_watch_free(w);
}

static void a_debt_is_saved(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1u << 20);
    struct sharc_watch *w = make("value"), *again = NULL;
    struct sharc_watch_page page = SHARC_WATCH_PAGE;
    struct sharc_watch_due due;
    page.rate = 1;
    sharc_watch_add(w, 0, &page, 0);
    sharc_watch_budget(w, 1, SHARC_DAY);
    sharc_watch_spend(w, 6); /* one was there, five are owed */
    assert_int_equal(sharc_watch_save(w, &bytes, NULL), 0);
    assert_int_equal(sharc_watch_restore(sharc_buf_span(&bytes), &again, NULL), 0);
    sharc_watch_budget(again, 1, SHARC_DAY + SHARC_HOUR);
    const sharc_time next = sharc_watch_next(again, SHARC_DAY + SHARC_HOUR);
    assert_in_range(next, SHARC_DAY + 6 * SHARC_HOUR - SHARC_SEC, SHARC_DAY + 6 * SHARC_HOUR + SHARC_SEC);
    assert_int_equal(sharc_watch_due(again, SHARC_DAY + 6 * SHARC_HOUR - SHARC_MINUTE, 1, &due), 0);
    assert_int_equal(sharc_watch_due(again, SHARC_DAY + 6 * SHARC_HOUR + SHARC_MINUTE, 1, &due), 1);
    sharc_watch_free(again);
    sharc_watch_free(w);
}

static void sites_have_their_own_hours(void **state)
{
    (void)state;
    struct sharc_watch *w = make("importance-pattern");
    struct sharc_rate_pattern nine = {.at = 0};
    for (int k = 0; k < SHARC_RATE_HOURS; k++) nine.hours[k] = 1, nine.importance[k] = k == 9 ? 1 : 0;
    for (sharc_page_no p = 0; p < 2; p++) {
        add(w, p, p, 0.1, 1, 0);
        sharc_watch_teach(w, p, &nine, &nine, SHARC_TIME_NONE);
    }
    sharc_watch_site(w, 1, &(struct sharc_watch_site){.weight = 1, .east_of_utc = 2 * SHARC_HOUR});
    /* Day 5 after the first of January 1970 was a Tuesday. */
    const sharc_time day = 5 * SHARC_DAY;
    assert_true(sharc_watch_urgency(w, 0, day + 9 * SHARC_HOUR) > 0);
    assert_true(sharc_watch_urgency(w, 1, day + 7 * SHARC_HOUR) > 0);
    assert_close(sharc_watch_urgency(w, 1, day + 9 * SHARC_HOUR), 0, 0);
    sharc_watch_holidays(w, (const int32_t[]){5}, 1);
    assert_close(sharc_watch_urgency(w, 0, day + 9 * SHARC_HOUR), 0, 0);
    assert_true(sharc_watch_urgency(w, 0, day + SHARC_DAY + 9 * SHARC_HOUR) > 0);
    sharc_watch_free(w);
}

static void what_fails_waits(void **state)
{
    (void)state;
    struct sharc_watch *w = make("value");
    struct sharc_watch_due due[1];
    add(w, 0, 0, 1, 1, 0);
    struct sharc_observation o = {.page = 0, .change = SHARC_FAILED, .rate = -1};
    sharc_time now = SHARC_DAY, waits[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sharc_watch_due(w, now, 1, due), 1);
        o.when = now;
        sharc_watch_observed(w, &o);
        assert_int_equal(sharc_watch_due(w, now, 1, due), 0);
        waits[i] = sharc_watch_next(w, now) - now;
        now += waits[i];
    }
    assert_true(waits[0] == 10 * SHARC_MINUTE && waits[1] == 20 * SHARC_MINUTE && waits[2] == 40 * SHARC_MINUTE);
    /* Somebody who wants a page gets it first, and a page that nothing is archived of comes before others. */
    struct sharc_watch_page page = SHARC_WATCH_PAGE;
    page.rate = 1;
    sharc_watch_add(w, 1, &page, 0);
    page.held = false;
    sharc_watch_add(w, 2, &page, now);
    assert_int_equal(sharc_watch_due(w, now, 1, due), 1);
    assert_int_equal(due[0].page, 2);
    assert_int_equal(due[0].why, SHARC_WATCH_FIRST);
    sharc_watch_want(w, 1);
    assert_int_equal(sharc_watch_due(w, now, 1, due), 1);
    assert_int_equal(due[0].page, 1);
    assert_int_equal(due[0].why, SHARC_WATCH_WANTED);
    sharc_watch_free(w);
}

/* --- many pages -------------------------------------------------------------------------- */

/* Whoever dozes must not be worth more than those that were chosen. */
static void check_choice(struct sharc_watch *w, const struct sharc_watch_due *due, size_t n, sharc_page_no pages,
                         sharc_time now, const bool *gone)
{
    SHARC_AUTO(sharc_freep) bool *chosen = SHARC_NEW_ARRAY(bool, pages);
    for (size_t i = 0; i < n; i++) {
        chosen[due[i].page] = true;
        if (i && due[i].worth > due[i - 1].worth) fail_msg("%g comes after %g", due[i].worth, due[i - 1].worth);
    }
    for (sharc_page_no p = 0; p < pages; p++) {
        if (chosen[p] || gone[p]) continue;
        double worth = sharc_watch_urgency(w, p, now);
        if (worth > due[n - 1].worth * (1 + 1e-12))
            fail_msg("page %u is worth %g, more than %g, and was not chosen", p, worth, due[n - 1].worth);
    }
}

static void of_many_the_best_are_chosen(void **state)
{
    (void)state;
    enum { MANY = 3000, BATCH = 20 };
    struct sharc_watch *w = NULL;
    struct sharc_watch_due due[BATCH];
    struct sharc_rng rng = sharc_rng_stream(5, 0);
    bool gone[MANY] = {false};
    assert_int_equal(sharc_watch_new(sharc_watch_find("value"), NULL, &w, NULL), 0);
    for (sharc_page_no p = 0; p < MANY; p++) {
        struct sharc_watch_page page = SHARC_WATCH_PAGE;
        page.site = p % 7;
        page.host = p % 5;
        page.source = p % 3 ? SHARC_WATCH_NONE : 0;
        page.rate = 2 * pow(p + 1, -0.7);
        page.weight = 1 + p % 4;
        page.held = p % 50 > 0;
        page.group = p % 11;
        if (p % 2) page.born = -(sharc_time)(p % 100) * SHARC_HOUR;
        if (p % 4 == 1) page.rate = -1;
        sharc_watch_add(w, p, &page, 0);
    }
    for (int t = 1; t <= 400; t++) {
        /* An hour, a few minutes, or a long pause. */
        static sharc_time now;
        if (t == 1) now = 0;
        now += t % 40 == 0 ? 9 * SHARC_DAY : t % 3 ? 7 * SHARC_MINUTE : 3 * SHARC_HOUR;
        size_t n = sharc_watch_due(w, now, BATCH, due);
        assert_int_equal(n, BATCH);
        check_choice(w, due, n, MANY, now, gone);
        for (size_t i = 0; i < n; i++) see(w, due[i].page, now, sharc_rng_uniform(&rng) < 0.3, sharc_rng_uniform(&rng));
        for (int k = 0; k < 5; k++) sharc_watch_signal(w, (sharc_page_no)sharc_rng_below(&rng, MANY), now + SHARC_SEC);
        sharc_page_no leaves = (sharc_page_no)sharc_rng_below(&rng, MANY);
        if (t % 10 == 0) sharc_watch_drop(w, leaves), gone[leaves] = true; /* weights of its site change */
        if (t % 90 == 0) sharc_watch_site(w, 3, &(struct sharc_watch_site){.weight = 1 + t / 90.0});
    }
    sharc_watch_free(w);
}

/* A change that hits every page of a host at once says nothing of how often one of them changes. */
static void changes_at_once_are_not_the_pages_own(void **state)
{
    (void)state;
    for (int at_once = 0; at_once < 2; at_once++) {
        enum { PAGES = 40 };
        struct sharc_watch *w = NULL;
        struct sharc_watch_view view;
        double rate = 0;
        assert_int_equal(sharc_watch_new(sharc_watch_find("value"), NULL, &w, NULL), 0);
        for (sharc_page_no p = 0; p < PAGES; p++) {
            struct sharc_watch_page page = SHARC_WATCH_PAGE;
            page.host = 0;
            page.rate = 0.001;
            sharc_watch_add(w, p, &page, 0);
        }
        for (int day = 1; day <= 20; day++)
            for (sharc_page_no p = 0; p < PAGES; p++) {
                /* The same number of changes: all on one day, or two pages a day. */
                const bool changed = at_once ? day == 10 : (int)p / 2 == day - 1;
                see(w, p, day * SHARC_DAY + p * SHARC_MINUTE, changed, 1);
            }
        for (sharc_page_no p = 0; p < PAGES; p++) {
            assert_true(sharc_watch_look(w, p, 21 * SHARC_DAY, &view));
            rate += view.rate / PAGES;
        }
        if (at_once)
            assert_true(rate < 0.001);
        else
            assert_true(rate > 0.0012);
        sharc_watch_free(w);
    }
}

static void a_first_download_does_not_wait(void **state)
{
    (void)state;
    const struct sharc_watch_params params = {.half_life = SHARC_DAY, .risk = 0.25, .shortest = SHARC_DAY};
    for (size_t k = 0; k < sharc_watch_count(); k++) {
        struct sharc_watch *w = NULL;
        struct sharc_watch_due due;
        struct sharc_watch_page page = SHARC_WATCH_PAGE;
        const char *name = sharc_watch_name(sharc_watch_at(k));
        if (strstr(name, "adaptive") || strncmp(name, "frequency", 9) == 0) continue; /* know no first download */
        page.held = false;
        page.rate = 1;
        assert_int_equal(sharc_watch_new(sharc_watch_at(k), &params, &w, NULL), 0);
        sharc_watch_add(w, 0, &page, 0);
        assert_int_equal(sharc_watch_due(w, SHARC_MINUTE, 1, &due), 1);
        see(w, 0, SHARC_MINUTE, true, 1);
        assert_int_equal(sharc_watch_due(w, 20 * SHARC_HOUR, 1, &due), 0);
        assert_int_equal(sharc_watch_due(w, 25 * SHARC_HOUR, 1, &due), 1);
        sharc_watch_free(w);
    }
}

/* Every look at a page finds a change: nobody can tell how many there were, and no belief grows by being repeated. */
static void no_rate_without_bound(void **state)
{
    (void)state;
    static const char *const names[] = {"value", "index-freshness", "index-blur"};
    for (size_t k = 0; k < SHARC_LENGTH(names); k++) {
        struct sharc_watch *w = make(names[k]);
        struct sharc_watch_view v;
        add(w, 0, 0, 0.1, 1, 0);
        for (int i = 1; i <= 3000; i++) see(w, 0, i * 2 * SHARC_HOUR, true, 1);
        assert_true(sharc_watch_look(w, 0, 6001 * SHARC_HOUR, &v));
        /* Looks two hours apart tell of at most three changes in between. */
        if (!(v.rate > 0.7 && v.rate < 1.7)) fail_msg("%s: %g changes per hour", names[k], v.rate);
        /* Looks that are closer tell more. */
        for (int i = 1; i <= 3000; i++) see(w, 0, 6000 * SHARC_HOUR + i * SHARC_HOUR / 2, true, 1);
        assert_true(sharc_watch_look(w, 0, 7501 * SHARC_HOUR, &v));
        if (!(v.rate > 2 && v.rate < 7)) fail_msg("%s: %g changes per hour", names[k], v.rate);
        sharc_watch_free(w);
    }
}

/* … but what is known otherwise stays known: a page that changes hourly and is looked at once a day. */
static void a_known_rate_stays(void **state)
{
    (void)state;
    struct sharc_watch *w = make("value");
    struct sharc_rate_pattern known = {.at = 0};
    struct sharc_watch_view v;
    for (int k = 0; k < SHARC_RATE_HOURS; k++) known.hours[k] = 20, known.importance[k] = 20;
    add(w, 0, 0, 1, 1, 0);
    sharc_watch_teach(w, 0, &known, &known, SHARC_TIME_NONE);
    for (int i = 1; i <= 300; i++) see(w, 0, i * SHARC_DAY, true, 1);
    assert_true(sharc_watch_look(w, 0, 300 * SHARC_DAY, &v));
    if (!(v.rate > 0.8 && v.rate < 1.3)) fail_msg("%g changes per hour", v.rate);
    sharc_watch_free(w);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_rate_without_bound),
    cmocka_unit_test(a_known_rate_stays),
    cmocka_unit_test(of_many_the_best_are_chosen),
    cmocka_unit_test(changes_at_once_are_not_the_pages_own),
    cmocka_unit_test(a_first_download_does_not_wait),
    cmocka_unit_test(rules_for_all),
    cmocka_unit_test(relevance_goes_round_by_weight),
    cmocka_unit_test(sharc_walks_sites_in_organ_pipes),
    cmocka_unit_test(frequency_gives_up_the_hottest),
    cmocka_unit_test(urgency_follows_the_hour),
    cmocka_unit_test(importance_is_learned),
    cmocka_unit_test(controllers_adapt_their_waits),
    cmocka_unit_test(parameters_out_of_range),
    cmocka_unit_test(intervals_are_kept),
    cmocka_unit_test(value_remembers_the_day),
    cmocka_unit_test(index_reaches_the_bound),
    cmocka_unit_test(downloads_come_as_the_budget_allows),
    cmocka_unit_test(hosts_are_spared),
    cmocka_unit_test(what_is_left_is_worth_less),
    cmocka_unit_test(signals_are_learned),
    cmocka_unit_test(what_is_saved_goes_on),
    cmocka_unit_test(a_held_host_is_saved_free),
    cmocka_unit_test(a_debt_is_saved),
    cmocka_unit_test(sites_have_their_own_hours),
    cmocka_unit_test(what_fails_waits),
};
TEST_MAIN(tests)
