/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc sim --continuous: pages that are watched under a budget.
 */
#include "cmd_sim.h"

#include "sharc/base_file.h"
#include "sharc/sim_watch.h"

/* Bits of the measures by their names. */
static int choose_measures(const struct sim_settings *s, unsigned *ret, struct sharc_err *err)
{
    *ret = s->measures.count ? 0 : 1u << SHARC_WATCHED_COMPLETENESS | 1u << SHARC_WATCHED_COHERENCE;
    for (size_t i = 0; i < s->measures.count; i++) {
        int m = 0;
        while (m < SHARC_WATCHED_MEASURES &&
               strcmp(sharc_sim_watch_measure_name((enum sharc_sim_watch_measure)m), s->measures.items[i]) != 0)
            m++;
        SHARC_FAIL_IF(m == SHARC_WATCHED_MEASURES, err, SHARC_EINVAL,
                      "--measure: %s is none of completeness, freshness, coherence, exact, blur, proven and gap",
                      s->measures.items[i]);
        *ret |= 1u << m;
    }
    return 0;
}

static int make_scene(const struct sim_settings *s, const struct sharc_dataset *d, struct sharc_sim_scene **ret,
                      struct sharc_err *err)
{
    struct sharc_sim_habits habits = SHARC_SIM_HABITS;
    struct sharc_sim_window w = {0};
    if (d) {
        sim_window(s, d, &w);
        return sharc_sim_scene_new(d, w.from, w.to, ret, err);
    }
    if (s->pages <= UINT32_MAX) habits.pages = (uint32_t)s->pages;
    habits.seed = s->seed;
    return sharc_sim_habits_new(&habits, ret, err);
}

static int draw(const char *path, const struct sharc_sim_scene *scene, const struct sharc_sim_watched *w, size_t n,
                unsigned measures, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf picture = SHARC_BUF_INIT(SIM_OUTPUT_MAX);
    sharc_sim_watch_svg(scene, w, n, measures, &picture);
    int r = sharc_buf_result(&picture, err);
    return r < 0 ? r : sharc_file_replace(path, sharc_buf_span(&picture), err);
}

int sim_continuous(struct cli *c, const struct sim_settings *s, const struct sharc_dataset *d,
                   struct sharc_sim_options *o)
{
    static const double shares[] = {0.1, 0.2, 0.4, 0.6, 0.8, 1.0};
    SHARC_AUTO(sharc_freep) const struct sharc_watch_ops **strategies = NULL;
    struct sharc_sim_watching watching = {.shares = shares,
                                          .share_count = SHARC_LENGTH(shares),
                                          .longest = s->longest,
                                          .step = s->step};
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_sim_scene_freep) struct sharc_sim_scene *scene = NULL;
    unsigned measures;
    int r = choose_measures(s, &measures, &err);
    if (r == 0 &&
        sharc_sim_watch_strategies(sharc_span_of(s->strategies), &strategies, &watching.strategy_count, &err) < 0)
        return cli_usage(c, "--strategy: %s", err.text);
    watching.strategies = strategies;
    if (r == 0) r = make_scene(s, d, &scene, &err);
    if (r < 0) return cli_fail(c, &err);
    size_t n = watching.strategy_count * SHARC_LENGTH(shares);
    SHARC_AUTO(sharc_freep) struct sharc_sim_watched *watched = SHARC_NEW_ARRAY(struct sharc_sim_watched, n);
    SHARC_AUTO(sim_progress_end) struct sharc_progress *p = sim_progress(c, o, n);
    r = sharc_sim_watch_run(scene, &watching, o, watched, &err);
    sim_progress_end(&p);
    if (r == 0 && s->svg) r = draw(s->svg, scene, watched, n, measures, &err);
    if (r < 0) return cli_fail(c, &err);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(SIM_OUTPUT_MAX);
    if (sim_format(c, s) == SHARC_SIM_TEXT)
        sharc_buf_printf(&out, "%s; all resources are %.1f downloads per hour\n\n",
                         SHARC_COUNT(sharc_sim_scene_pages(scene), "page"), sharc_sim_scene_full(scene));
    sharc_sim_watch_write(scene, watched, n, measures, sim_format(c, s), &out);
    return sim_print(c, &out);
}
