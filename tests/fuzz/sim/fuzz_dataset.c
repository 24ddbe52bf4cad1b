/* SPDX-License-Identifier: Apache-2.0
 *
 * Datasets from strangers: reading must refuse them or give one that can be
 * crawled. The input holds the tables pages, changes, links and absences,
 * separated by form feeds; they go through files, as in use.
 */
#include "sharc/base_file.h"
#include "sharc/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[64];

static void remove_all(void)
{
    static const char *const names[] = {"pages.tsv", "changes.tsv", "links.tsv", "absences.tsv"};
    char path[128];
    for (size_t i = 0; i < SHARC_LENGTH(names); i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    rmdir(directory);
}

static void write_table(const char *name, struct sharc_span text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s.tsv", directory, name);
    FILE *f = fopen(path, "w");
    SHARC_ASSERT(f && (!text.n || fwrite(text.p, 1, text.n, f) == text.n) && fclose(f) == 0);
}

static void crawl(const struct sharc_dataset *d)
{
    struct sharc_sim_window w = {.from = d->start, .to = d->end, .births = true, .absences = true};
    SHARC_AUTO(sharc_sim_site_freep) struct sharc_sim_site *site = NULL;
    if (sharc_sim_recorded_new(d, &w, &site, NULL) < 0) return;
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    o.threads = 1;
    o.bound = false;
    const struct sharc_strategy_ops *ops = sharc_strategy_find("bfs-lifo");
    struct sharc_sim_result r;
    SHARC_ASSERT(sharc_sim_run(site, &ops, 1, &o, &r, NULL) == 0);
    SHARC_ASSERT(r.captured.mean + r.missed.mean <= (double)d->pages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"pages", "changes", "links", "absences"};
    if (!directory[0]) {
        snprintf(directory, sizeof directory, "/tmp/sharc-fuzz.XXXXXX");
        SHARC_ASSERT(mkdtemp(directory));
        atexit(remove_all);
    }
    struct sharc_span rest = sharc_span(data, size), part;
    for (size_t i = 0; i < SHARC_LENGTH(names); i++)
        write_table(names[i], sharc_span_next(&rest, '\f', &part) ? part : SHARC_SPAN_NONE);
    SHARC_AUTO(sharc_dataset_freep) struct sharc_dataset *d = NULL;
    if (sharc_dataset_open(directory, &d, NULL) == 0 && d->pages <= 64) crawl(d);
    return 0;
}
