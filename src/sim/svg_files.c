/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/sim_report.h"

#include "sim_int.h"

#include "sharc/base_clock.h"
#include "sharc/base_file.h"

#include <stdlib.h>

#define PICTURE_MAX (16u << 20)

static int save(const char *dir, const char *name, struct sharc_buf *picture, struct sharc_err *reterr)
{
    int r = sharc_buf_result(picture, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) char *path = dir ? sharc_asprintf("%s/%s.svg", dir, name) : sharc_strdup(name);
    r = sharc_file_replace(path, sharc_buf_span(picture), reterr);
    sharc_buf_clear(picture);
    return r;
}

/* One line that fits: who or what, site, window, seed. */
static char *title_of(const char *what, const struct sharc_sim_site *site, const struct sharc_sim_options *o)
{
    char from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT];
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1024);
    sharc_buf_printf(&b, "%s: %.40s, %s", what, site->name, SHARC_COUNT(site->pages, "page"));
    if (site->data)
        sharc_buf_printf(&b, ", %.10s to %.10s", sharc_time_iso(sharc_time_of_seconds(site->from), 0, from),
                         sharc_time_iso(sharc_time_of_seconds(site->to), 0, to));
    sharc_buf_printf(&b, ", seed %llu", (unsigned long long)o->seed);
    return sharc_strdup(sharc_buf_str(&b));
}

/* The schedule of one run: pipes for one visit, a pyramid for two. */
static int draw_schedule(const struct sharc_sim_site *site, const struct sharc_sim_options *o,
                         const struct sharc_strategy_ops *strategy, struct sharc_buf *picture, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_sim_trace_done) struct sharc_sim_trace t = {0};
    int r = sharc_sim_trace_run(site, strategy, o, &t, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep)
    char *title = title_of(strategy->name, site, o);
    if (strategy->revisits)
        sharc_sim_svg_pyramid(&t, title, picture);
    else
        sharc_sim_svg_pipes(&t, title, picture);
    return 0;
}

static void draw_bars(const struct sharc_sim_site *site, const struct sharc_sim_options *o,
                      const struct sharc_sim_result *results, size_t n, enum sharc_sim_measure measure,
                      struct sharc_buf *picture)
{
    SHARC_AUTO(sharc_freep)
    char *title = title_of(measure == SHARC_SIM_BLUR ? "Blur" : "Incoherence", site, o);
    sharc_sim_svg_bars(results, n, measure, title, picture);
}

/* Bars compare like with like: incoherence of the strategies that revisit. */
static size_t only_revisits(const struct sharc_sim_result *results, size_t n, struct sharc_sim_result *ret)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (results[i].strategy->revisits) ret[kept++] = results[i];
    return kept;
}

int sharc_sim_svg_files(const struct sharc_sim_site *site, const struct sharc_sim_options *options,
                        const struct sharc_sim_result *results, size_t n, const char *path, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf picture = SHARC_BUF_INIT(PICTURE_MAX);
    SHARC_AUTO(sharc_freep) struct sharc_sim_result *twice = SHARC_NEW_ARRAY(struct sharc_sim_result, n);
    size_t revisits = only_revisits(results, n, twice);
    int r = 0;
    if (sharc_span_ends(sharc_span_of(path), SHARC_SPAN(".svg"))) {
        if (n == 1)
            r = draw_schedule(site, options, results[0].strategy, &picture, reterr);
        else if (revisits == n)
            draw_bars(site, options, results, n, SHARC_SIM_INCOHERENCE, &picture);
        else
            draw_bars(site, options, results, n, SHARC_SIM_BLUR, &picture);
        return r < 0 ? r : save(NULL, path, &picture, reterr);
    }
    r = sharc_dir_make(path, reterr);
    if (r < 0) return r;
    draw_bars(site, options, results, n, SHARC_SIM_BLUR, &picture);
    r = save(path, "bars-blur", &picture, reterr);
    if (r == 0 && revisits) {
        draw_bars(site, options, twice, revisits, SHARC_SIM_INCOHERENCE, &picture);
        r = save(path, "bars-incoherence", &picture, reterr);
    }
    for (size_t i = 0; r == 0 && i < n; i++) {
        r = draw_schedule(site, options, results[i].strategy, &picture, reterr);
        if (r == 0) r = save(path, results[i].strategy->name, &picture, reterr);
    }
    return r;
}
