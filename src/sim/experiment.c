/* SPDX-License-Identifier: Apache-2.0
 *
 * Strategies × runs over all cores. Every crawl has a place of its own in the
 * table of outcomes and a seed that depends on the run alone, so the result does
 * not depend on who computed what first.
 */
#include "sim_int.h"

#include "sharc/base_buf.h"

#include "sharc/base_pool.h"

#include <math.h>
#include <stdlib.h>

enum {
    BLUR,
    INCOHERENCE,
    COHERENCE,
    EXPECTED_BLUR,
    SECONDS,
    REQUESTS,
    HOPELESS,
    LOOKS,
    CAPTURED,
    MISSED,
    MEASURES,
};

struct experiment {
    const struct sharc_sim_site *site;
    const struct sharc_strategy_ops *const *strategies;
    size_t n;
    const struct sharc_sim_options *o;
    double *outcome;          /* [strategy][measure][run] */
    size_t *bytes;            /* [strategy], of run 0 */
    struct sharc_err *errors; /* [piece] */
};

static double *outcome_at(const struct experiment *e, size_t strategy, unsigned measure)
{
    return e->outcome + (strategy * MEASURES + measure) * e->o->runs;
}

static double cpu(const struct sharc_sim_options *o)
{
    return o->cpu_seconds ? o->cpu_seconds() : 0;
}

static void run_cleanup(struct sharc__sim_run *r)
{
    sharc__sim_run_done(r);
}

static int one_crawl(size_t i, unsigned thread, void *arg)
{
    (void)thread;
    struct experiment *e = arg;
    size_t strategy = i / e->o->runs, run = i % e->o->runs;
    const struct sharc_strategy_ops *ops = e->strategies[strategy];
    SHARC_AUTO(run_cleanup) struct sharc__sim_run r;
    SHARC_AUTO(sharc__sim_record_done) struct sharc__sim_record rec = {0};
    sharc__sim_run_init(&r, e->site, e->o->seed * 1000003 + run);
    double start = cpu(e->o);
    int code = sharc__sim_crawl(&r, ops, e->o, &rec, &e->errors[i]);
    if (code < 0) return code;
    struct sharc__sim_score s = sharc__sim_judge(&r, ops, &rec);
    uint32_t hopeless = 0;
    for (uint32_t p = 0; p < e->site->pages; p++) hopeless += (rec.state[p] & SHARC__SIM_HOPELESS) != 0;
    const double values[MEASURES] = {
        [BLUR] = s.blur,
        [INCOHERENCE] = s.incoherence,
        [COHERENCE] = s.coherence,
        [EXPECTED_BLUR] = s.expected_blur,
        [SECONDS] = cpu(e->o) - start,
        [REQUESTS] = rec.slots,
        [HOPELESS] = hopeless,
        [LOOKS] = rec.looks,
        [CAPTURED] = rec.captured,
        [MISSED] = e->site->pages - rec.captured,
    };
    for (unsigned m = 0; m < MEASURES; m++) outcome_at(e, strategy, m)[run] = values[m];
    if (run == 0) e->bytes[strategy] = rec.report.bytes;
    if (e->o->progress) e->o->progress(e->o->progress_arg, e->n * e->o->runs);
    return 0;
}

/* No order of one visit and one revisit can expect more coherent pages. */
static double coherence_bound(const struct sharc_sim_site *s)
{
    SHARC_AUTO(sharc_freep) double *rate = SHARC_NEW_ARRAY(double, s->pages);
    double slot = s->slot > 0 ? s->slot : (s->to - s->from) / fmax(2.0 * s->pages - 2, 1);
    for (uint32_t p = 0; p < s->pages; p++) rate[p] = s->ops->judged_rate(s, p) * slot;
    return sharc_schedule_optimum(rate, s->weight, s->pages, 0, NULL).bound;
}

/* Least average blur of one visit per page: a quarter of the span times the mean
 * rate. With a revisit in the middle of each half it is an eighth. */
static double blur_bound(const struct sharc_sim_site *s, bool revisits)
{
    double sum = 0, slots = revisits ? 2.0 * s->pages - 1 : s->pages;
    for (uint32_t p = 0; p < s->pages; p++) sum += sharc__sim_weight(s, p) * s->ops->judged_rate(s, p);
    double span = s->slot > 0 ? s->slot * (slots - 1) : s->to - s->from;
    return sum / s->pages * span / (revisits ? 8 : 4);
}

static void fill_results(const struct experiment *e, struct sharc_sim_result *results)
{
    const struct sharc_sim_mean unknown = {(double)NAN, (double)NAN};
    bool any_revisits = false;
    for (size_t i = 0; i < e->n; i++) any_revisits |= e->strategies[i]->revisits;
    double bound = any_revisits && e->o->bound ? coherence_bound(e->site) : (double)NAN;
    for (size_t i = 0; i < e->n; i++) {
        struct sharc_sim_mean m[MEASURES];
        for (unsigned k = 0; k < MEASURES; k++) m[k] = sharc__sim_mean(outcome_at(e, i, k), e->o->runs);
        bool revisits = e->strategies[i]->revisits;
        results[i] = (struct sharc_sim_result){
            .strategy = e->strategies[i],
            .runs = e->o->runs,
            .average_blur = m[BLUR],
            .incoherence = m[INCOHERENCE],
            .same_time = revisits && e->site->slot <= 0 ? m[INCOHERENCE] : unknown,
            .same_delay = revisits && e->site->slot > 0 ? m[INCOHERENCE] : unknown,
            .expected_coherence = m[COHERENCE],
            .expected_blur = m[EXPECTED_BLUR],
            .bound = revisits ? bound : (double)NAN,
            .blur_bound = blur_bound(e->site, revisits),
            .seconds = m[SECONDS],
            .requests = m[REQUESTS],
            .hopeless = m[HOPELESS],
            .second_looks = m[LOOKS],
            .captured = m[CAPTURED],
            .missed = m[MISSED],
            .strategy_bytes = e->bytes[i],
        };
    }
}

static int check_options(const struct sharc_sim_options *o, size_t n, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(n == 0, reterr, SHARC_EINVAL, "name at least one strategy");
    SHARC_FAIL_IF(o->runs == 0 || o->runs > 1000000, reterr, SHARC_EINVAL, "the number of runs must be 1 to 1000000");
    SHARC_FAIL_IF(!(o->known >= 0 && o->known <= 1), reterr, SHARC_EINVAL,
                  "the share of known pages must lie between 0 and 1");
    return 0;
}

static int run_once(const struct sharc_sim_site *site, const struct sharc_strategy_ops *const *strategies, size_t n,
                    const struct sharc_sim_options *options, struct sharc_sim_result *results, struct sharc_err *reterr)
{
    int r = 0;
    size_t pieces = n * options->runs;
    SHARC_AUTO(sharc_freep) double *outcome = SHARC_NEW_ARRAY(double, pieces *MEASURES);
    SHARC_AUTO(sharc_freep) size_t *bytes = SHARC_NEW_ARRAY(size_t, n);
    SHARC_AUTO(sharc_freep) struct sharc_err *errors = SHARC_NEW_ARRAY(struct sharc_err, pieces);
    struct experiment e = {site, strategies, n, options, outcome, bytes, errors};
    SHARC_AUTO(sharc_pool_freep) struct sharc_pool *pool = sharc_pool_new(options->threads);
    r = sharc_pool_each(pool, pieces, one_crawl, &e);
    if (r < 0) {
        for (size_t i = 0; i < pieces; i++) {
            if (errors[i].code == 0) continue;
            if (reterr) *reterr = errors[i];
            return errors[i].code;
        }
        return sharc_fail(reterr, r, "the experiment was stopped");
    }
    fill_results(&e, results);
    return 0;
}

/* --- the same delay, the same time -------------------------------------------- */

/* Requests that differ by one are no difference: a pyramid's apex may be its own revisit. */
static bool asks_more(const struct sharc_sim_result *r, double requests)
{
    return r->strategy->revisits && r->requests.mean > requests + 1.5;
}

/* The same strategy with another length of a slot. */
static int at_pace(const struct sharc_sim_site *site, const struct sharc_sim_result *r, double slot,
                   const struct sharc_sim_options *options, struct sharc_sim_mean *ret, struct sharc_err *reterr)
{
    struct sharc_sim_site paced = *site;
    struct sharc_sim_options o = *options;
    struct sharc_sim_result result;
    paced.slot = slot;
    o.bound = false;
    o.progress = NULL;
    int code = run_once(&paced, &r->strategy, 1, &o, &result, reterr);
    if (code >= 0) *ret = result.incoherence;
    return code;
}

static int other_form(const struct sharc_sim_site *site, const struct sharc_sim_options *options,
                      struct sharc_sim_result *results, size_t n, struct sharc_err *reterr)
{
    const bool fills = site->slot <= 0; /* a window */
    double most = 0;
    int code = 0;
    for (size_t i = 0; i < n; i++)
        if (results[i].strategy->revisits) most = fmax(most, results[i].requests.mean);
    for (size_t i = 0; i < n && code >= 0; i++) {
        struct sharc_sim_result *r = &results[i];
        const double usual = 2.0 * r->captured.mean - 1;
        if (!r->strategy->revisits) continue;
        if (fills) {
            r->same_delay = r->incoherence;
            if (most > r->requests.mean + 1.5)
                code = at_pace(site, r, (site->to - site->from) / (most - 1), options, &r->same_delay, reterr);
        } else {
            r->same_time = r->incoherence;
            if (asks_more(r, usual))
                code =
                    at_pace(site, r, site->slot * (usual - 1) / (r->requests.mean - 1), options, &r->same_time, reterr);
        }
    }
    return code;
}

int sharc_sim_run(const struct sharc_sim_site *site, const struct sharc_strategy_ops *const *strategies, size_t n,
                  const struct sharc_sim_options *options, struct sharc_sim_result *results, struct sharc_err *reterr)
{
    int r = check_options(options, n, reterr);
    if (r >= 0) r = run_once(site, strategies, n, options, results, reterr);
    return r < 0 || !options->both_forms ? r : other_form(site, options, results, n, reterr);
}

/* --- one run in full ------------------------------------------------------ */

int sharc_sim_trace_run(const struct sharc_sim_site *site, const struct sharc_strategy_ops *strategy,
                        const struct sharc_sim_options *options, struct sharc_sim_trace *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(run_cleanup) struct sharc__sim_run r;
    SHARC_AUTO(sharc__sim_record_done) struct sharc__sim_record rec = {0};
    sharc__sim_run_init(&r, site, options->seed * 1000003);
    int code = sharc__sim_crawl(&r, strategy, options, &rec, reterr);
    if (code < 0) return code;
    uint32_t n = site->pages;
    struct sharc_sim_trace t = {
        .pages = n,
        .slots = rec.slots,
        .rate = SHARC_NEW_ARRAY(double, n),
        .hopeless = SHARC_NEW_ARRAY(bool, n),
        .changed = SHARC_NEW_ARRAY(bool, n),
    };
    for (uint32_t p = 0; p < n; p++) {
        t.rate[p] = site->ops->judged_rate(site, p) * r.slot;
        t.hopeless[p] = rec.state[p] & SHARC__SIM_HOPELESS;
        if (rec.visit[p] == NEVER || (strategy->revisits && rec.revisit[p] == NEVER)) continue;
        double v = sharc__sim_time(&r, rec.visit[p]);
        t.changed[p] = strategy->revisits ? sharc__sim_changed(&r, p, v, sharc__sim_time(&r, rec.revisit[p]))
                                          : sharc__sim_changed(&r, p, site->from, v);
    }
    t.visit = SHARC_TAKE(rec.visit);
    t.revisit = SHARC_TAKE(rec.revisit);
    *ret = t;
    return 0;
}

void sharc_sim_trace_done(struct sharc_sim_trace *t)
{
    free(t->visit);
    free(t->revisit);
    free(t->rate);
    free(t->hopeless);
    free(t->changed);
    *t = (struct sharc_sim_trace){0};
}

/* --- names ---------------------------------------------------------------- */

/* True when `word` stands for a group that the strategy belongs to. */
static bool in_group(const struct sharc_strategy_ops *ops, struct sharc_span word)
{
    return sharc_span_is(word, "all") || (sharc_span_is(word, "blur") && ops->purpose == SHARC_PURPOSE_BLUR) ||
           (sharc_span_is(word, "coherence") && ops->purpose == SHARC_PURPOSE_COHERENCE);
}

static bool contains(const struct sharc_strategy_ops *const *list, size_t n, const struct sharc_strategy_ops *ops)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == ops) return true;
    return false;
}

/* Whoever mistypes a name wants to see the names. */
static int no_such_strategy(struct sharc_span word, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf names = SHARC_BUF_INIT(1000);
    for (size_t i = 0; i < sharc_strategy_count(); i++)
        sharc_buf_printf(&names, "%s%s", i ? " " : "", sharc_strategy_at(i)->name);
    return sharc_fail(reterr, SHARC_ENOENT, "there is no strategy called \"%.*s\", only all, blur, coherence, %s",
                      SHARC_SPAN_ARG(sharc_span_sub(word, 0, 30)), sharc_buf_str(&names));
}

int sharc_sim_strategies_parse(struct sharc_span names, const struct sharc_strategy_ops ***ret, size_t *ret_n,
                               struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep)
    const struct sharc_strategy_ops **list = SHARC_NEW_ARRAY(const struct sharc_strategy_ops *, sharc_strategy_count());
    size_t n = 0;
    struct sharc_span rest = names, word;
    while (sharc_span_next(&rest, ',', &word)) {
        word = sharc_span_trim(word);
        bool found = false;
        for (size_t i = 0; i < sharc_strategy_count(); i++) {
            const struct sharc_strategy_ops *ops = sharc_strategy_at(i);
            if (!in_group(ops, word) && !sharc_span_is(word, ops->name)) continue;
            found = true;
            if (!contains(list, n, ops)) list[n++] = ops;
        }
        if (!found) return no_such_strategy(word, reterr);
    }
    *ret = SHARC_TAKE(list);
    *ret_n = n;
    return 0;
}
