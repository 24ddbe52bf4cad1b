/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc crawl: what is shown while it runs. A bar for each phase: visits in pages, as nobody knows
 * what they embed before they were visited; images, styles and scripts are among the downloads that
 * stand beside it. Revisits in URLs: all of them are known.
 */
#include "cmd_crawl.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define PACE_MEMORY 300.0 /* seconds: embeds come in bursts, and are part of what a page takes */
#define PACE_LEAST 3.0    /* pages, before anything is said about the time left */

struct crawl_display {
    struct cli *c;
    struct sharc_progress *bar;
    enum sharc_crawl_phase phase; /* that the bar is for */
    uint64_t shown;
    /* What pages and downloads take, whatever phase: time in which the crawl was not held up, and
     * what was done in it; all fade. */
    double active, pages, downloads;
    sharc_time last;
    uint64_t last_done, last_downloads;
    bool begun;
};

struct crawl_display *crawl_display_new(struct cli *c)
{
    struct crawl_display *d = SHARC_NEW(struct crawl_display);
    d->c = c;
    return d;
}

void crawl_display_free(struct crawl_display *d)
{
    if (!d) return;
    sharc_progress_free(d->bar);
    free(d);
}

/* What holds the crawl up comes first: a narrow terminal cuts the end. */
static void note_trouble(const struct sharc_crawl_status *st, struct sharc_buf *note)
{
    char wait[SHARC_TIME_TEXT];
    if (!st->troubled) return;
    sharc_time left = st->retry_at > st->now ? (st->retry_at - st->now) / SHARC_SEC * SHARC_SEC : 0;
    sharc_buf_printf(note, "waiting %s for ", sharc_duration_text(left, wait));
    if (st->troubled > 1)
        sharc_buf_printf(note, "%u sites; ", st->troubled);
    else
        sharc_buf_printf(note, "%s; ", st->trouble_site);
}

/* Nothing is left but what failed and waits for another try: that is no standstill. */
static void note_retries(const struct sharc_crawl_status *st, uint64_t left, struct sharc_buf *note)
{
    char wait[SHARC_TIME_TEXT];
    if (!st->retries || st->troubled) return;
    if (left > 0 || st->under_way > 0) {
        sharc_buf_printf(note, "%s for a retry; ", SHARC_COUNT(st->retries, "URL waits|URLs wait"));
        return;
    }
    sharc_time until = st->next_retry > st->now ? (st->next_retry - st->now) / SHARC_SEC * SHARC_SEC : 0;
    sharc_buf_printf(note, "waiting %s to try %s again; ", sharc_duration_text(until, wait),
                     SHARC_COUNT(st->retries, "URL"));
}

static bool is_revisiting(const struct sharc_crawl_status *st)
{
    return st->phase == SHARC_CRAWL_LOOKS || st->phase == SHARC_CRAWL_REVISITS;
}

/* What was done before a resume, and time spent waiting, say nothing about the pace. */
static void keep_pace(struct crawl_display *d, const struct sharc_crawl_status *st)
{
    uint64_t done = st->visited + st->revisited;
    double seconds = (double)(st->now - d->last) / (double)SHARC_SEC;
    if (d->begun && seconds > 0 && !st->troubled) {
        double kept = exp(-seconds / PACE_MEMORY);
        d->active = d->active * kept + seconds;
        d->pages = d->pages * kept + (double)(done > d->last_done ? done - d->last_done : 0);
        d->downloads = d->downloads * kept + (double)(st->downloads - d->last_downloads);
    }
    d->begun = true;
    d->last = st->now;
    d->last_done = done;
    d->last_downloads = st->downloads;
}

static sharc_time time_left(const struct crawl_display *d, const struct sharc_crawl_status *st)
{
    if (st->troubled || d->pages < PACE_LEAST || st->phase == SHARC_CRAWL_CONTROLS) return SHARC_TIME_NONE;
    /* A page takes what it embeds with it, at its visit and at its revisit. */
    uint64_t whole = st->to_revisit < st->to_visit ? st->to_revisit : st->to_visit;
    double downloads = fmax(d->downloads, d->pages);
    return sharc_time_of_seconds(d->active / d->pages * (double)(st->to_visit + whole) +
                                 d->active / downloads * (double)(st->to_revisit - whole));
}

void crawl_display_show(struct crawl_display *d, const struct sharc_crawl_status *st)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf note = SHARC_BUF_INIT(1024);
    bool again = is_revisiting(st);
    /* Second looks come on top of the revisits, and are no pages of their own. */
    uint64_t revisited = st->phase == SHARC_CRAWL_LOOKS ? st->looks : st->revisited - st->looks;
    bool controls = st->phase == SHARC_CRAWL_CONTROLS;
    uint64_t done = controls ? st->controls : again ? revisited : st->visited;
    uint64_t left = controls ? 0 : again ? st->to_revisit : st->to_visit;
    if (d->bar && d->phase != st->phase) sharc_progress_freep(&d->bar);
    if (!d->bar) {
        d->bar = cli_progress(d->c, sharc_crawl_phase_text(st->phase),
                              controls ? "downloads"
                              : again  ? "URLs"
                                       : "pages",
                              0);
        d->phase = st->phase;
        d->shown = done;
        sharc_progress_begin(d->bar, done);
    }
    keep_pace(d, st);
    note_trouble(st, &note);
    note_retries(st, left, &note);
    if (controls)
        sharc_buf_put_str(&note, done > d->shown || st->under_way
                                     ? "comparing downloads in immediate succession"
                                     : "waiting up to 90 s to see which times move on by themselves");
    else if (again)
        sharc_buf_printf(&note, "%" PRIu64 " coherent so far", st->coherent);
    else
        sharc_buf_printf(&note, "%s", SHARC_COUNT(st->downloads, "download"));
    sharc_progress_total(d->bar, controls || st->phase == SHARC_CRAWL_LOOKS ? 0 : done + left);
    sharc_progress_note(d->bar, sharc_buf_str(&note));
    sharc_progress_left(d->bar, time_left(d, st));
    sharc_progress_add(d->bar, done > d->shown ? done - d->shown : 0, st->now);
    d->shown = done;
}

void crawl_display_remark(struct crawl_display *d, const char *sentence)
{
    /* The bar is drawn anew behind the sentence. */
    sharc_progress_freep(&d->bar);
    cli_note(d->c, "%s", sentence);
}
