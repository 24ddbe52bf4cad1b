/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of continuous capture as tables and for programs.
 */
#include "sharc/sim_watch.h"

#include "grid.h"
#include "watch_int.h"

#include <stddef.h>
#include <stdio.h>

static const struct {
    const char *name, *title;
    size_t at;
} measures[] = {
    [SHARC_WATCHED_COMPLETENESS] = {"completeness", "importance of the versions archived, of all that came up",
                                    offsetof(struct sharc_sim_watched, completeness)},
    [SHARC_WATCHED_FRESHNESS] = {"freshness", "time in which the last download is what the page shows",
                                 offsetof(struct sharc_sim_watched, freshness)},
    [SHARC_WATCHED_COHERENCE] = {"coherence", "pages of an answer whose versions existed together at some instant",
                                 offsetof(struct sharc_sim_watched, coherence)},
    [SHARC_WATCHED_EXACT] = {"exact", "pages of an answer whose versions were up at the instant asked for",
                             offsetof(struct sharc_sim_watched, exact)},
    [SHARC_WATCHED_BLUR] = {"blur", "changes between a page of an answer and the instant asked for (less is better)",
                            offsetof(struct sharc_sim_watched, blur)},
    [SHARC_WATCHED_PROVEN] = {"proven", "time between two downloads without a change between them",
                              offsetof(struct sharc_sim_watched, proven)},
    [SHARC_WATCHED_GAP] = {"gap", "hours that a page waited for a download, at most",
                           offsetof(struct sharc_sim_watched, gap_hours)},
};

const char *sharc_sim_watch_measure_name(enum sharc_sim_watch_measure m)
{
    return measures[m].name;
}

const char *sharc__sim_watch_title(enum sharc_sim_watch_measure m)
{
    return measures[m].title;
}

double sharc__sim_watch_value(const struct sharc_sim_watched *w, enum sharc_sim_watch_measure m)
{
    double v;
    memcpy(&v, (const char *)w + measures[m].at, sizeof v);
    return v;
}

static void write_json(const struct sharc_sim_scene *scene, const struct sharc_sim_watched *w, size_t n,
                       struct sharc_buf *out)
{
    struct sharc_json j;
    sharc_json_init(&j, out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "site", sharc_sim_scene_name(scene));
    sharc_json_uint(&j, "pages", sharc_sim_scene_pages(scene));
    sharc_json_uint(&j, "sites", sharc_sim_scene_sites(scene));
    sharc_json_real(&j, "all_resources_per_hour", sharc_sim_scene_full(scene));
    sharc_json_array(&j, "results");
    for (size_t i = 0; i < n; i++) {
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "strategy", sharc_watch_name(w[i].strategy));
        sharc_json_real(&j, "resources", w[i].share);
        for (int m = 0; m < SHARC_WATCHED_MEASURES; m++)
            sharc_json_real(&j, m == SHARC_WATCHED_GAP ? "gap_hours" : measures[m].name,
                            sharc__sim_watch_value(&w[i], (enum sharc_sim_watch_measure)m));
        sharc_json_real(&j, "downloads", w[i].downloads);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    sharc_buf_put_char(out, '\n');
}

/* How many shares each strategy was tried at. */
size_t sharc__sim_watch_shares(const struct sharc_sim_watched *w, size_t n)
{
    size_t shares = 0;
    while (shares < n && w[shares].strategy == w[0].strategy) shares++;
    return shares;
}

/* One row per strategy, one column per share. */
static void write_grid(const struct sharc_sim_watched *w, size_t n, enum sharc_sim_watch_measure m,
                       enum sharc_sim_format format, struct sharc_buf *out)
{
    size_t shares = sharc__sim_watch_shares(w, n);
    SHARC_AUTO(sharc__sim_grid_done) struct grid g = GRID_INIT;
    char names[SHARC_SIM_SHARES_MAX][32];
    SHARC_ASSERT(shares <= SHARC_SIM_SHARES_MAX);
    sharc__sim_grid_column(&g, measures[m].name, false);
    for (size_t k = 0; k < shares; k++) {
        snprintf(names[k], sizeof names[k], "%.0f %%", 100 * w[k].share);
        sharc__sim_grid_column(&g, names[k], true);
    }
    for (size_t i = 0; i < n; i += shares) {
        sharc__sim_grid_cell(&g, "%s", sharc_watch_name(w[i].strategy));
        for (size_t k = 0; k < shares; k++)
            sharc__sim_grid_cell(&g, m == SHARC_WATCHED_GAP ? "%.0f" : "%.3f", sharc__sim_watch_value(&w[i + k], m));
    }
    sharc_buf_printf(out, format == SHARC_SIM_MARKDOWN ? "*%c%s*: %s.\n\n" : "%c%s: %s\n\n",
                     measures[m].name[0] - 'a' + 'A', measures[m].name + 1, measures[m].title);
    sharc__sim_grid_write(&g, format, out);
}

static void write_csv(const struct sharc_sim_watched *w, size_t n, struct sharc_buf *out)
{
    SHARC_AUTO(sharc__sim_grid_done) struct grid g = GRID_INIT;
    sharc__sim_grid_column(&g, "strategy", false);
    sharc__sim_grid_column(&g, "resources", true);
    for (int m = 0; m < SHARC_WATCHED_MEASURES; m++)
        sharc__sim_grid_column(&g, m == SHARC_WATCHED_GAP ? "gap_hours" : measures[m].name, true);
    sharc__sim_grid_column(&g, "downloads", true);
    for (size_t i = 0; i < n; i++) {
        sharc__sim_grid_cell(&g, "%s", sharc_watch_name(w[i].strategy));
        sharc__sim_grid_number(&g, w[i].share);
        for (int m = 0; m < SHARC_WATCHED_MEASURES; m++)
            sharc__sim_grid_number(&g, sharc__sim_watch_value(&w[i], (enum sharc_sim_watch_measure)m));
        sharc__sim_grid_number(&g, w[i].downloads);
    }
    sharc__sim_grid_write(&g, SHARC_SIM_CSV, out);
}

void sharc_sim_watch_write(const struct sharc_sim_scene *scene, const struct sharc_sim_watched *w, size_t n,
                           unsigned wanted, enum sharc_sim_format format, struct sharc_buf *out)
{
    if (format == SHARC_SIM_JSON) {
        write_json(scene, w, n, out);
    } else if (format == SHARC_SIM_CSV) {
        write_csv(w, n, out);
    } else {
        bool first = true;
        for (int m = 0; m < SHARC_WATCHED_MEASURES; m++) {
            if (!(wanted & 1u << m)) continue;
            if (!first) sharc_buf_put_char(out, '\n');
            write_grid(w, n, (enum sharc_sim_watch_measure)m, format, out);
            first = false;
        }
    }
}
