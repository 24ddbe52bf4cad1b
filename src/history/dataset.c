/* SPDX-License-Identifier: Apache-2.0
 *
 * A recorded history as pages and their changes.
 */
#include "history_int.h"

#include "sharc/base_file.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

bool sharc_history_is_dataset(const char *dir)
{
    static const char *const marks[] = {"pages.tsv", "pages.tsv.gz"};
    for (size_t i = 0; i < SHARC_LENGTH(marks); i++) {
        SHARC_AUTO(sharc_freep) char *file = sharc_path_join(dir, marks[i]);
        if (access(file, F_OK) == 0) return true;
    }
    return false;
}

/* Pages alive during the whole window, or for all of the past each over its life. */
static void add_page(struct sharc_history *h, sharc_page_no p, bool life)
{
    const struct sharc_dataset *d = h->data;
    const struct sharc_dataset_page *from = &d->page[p];
    const double start = life ? from->created : h->start, end = life ? fmin(from->deleted, h->end) : h->end;
    const double *when;
    struct sharc_history_page *page = sharc_history_add(h);
    page->url = from->url;
    page->mime = from->mime;
    page->origin = p;
    page->gone = from->deleted <= h->end;
    page->images = from->images;
    page->tables = from->tables;
    page->outlinks = from->outlinks;
    size_t n = sharc_dataset_between(d, p, -HUGE_VAL, start, &when);
    /* Over a whole life nothing lies before its beginning; how long ago that was is all that is known. */
    page->age = life ? h->end - from->created : start - (n ? when[n - 1] : from->created);
    n = sharc_dataset_between(d, p, -HUGE_VAL, end, &when);
    page->age_now = end - (n ? when[n - 1] : from->created);
    page->changes = (double)sharc_dataset_between(d, p, start, end, &when);
    page->time = fmax(end - start, 1);
    sharc_rate_history_count(&page->seen, page->changes, page->time);
}

static void add_links(struct sharc_history *h)
{
    const struct sharc_dataset *d = h->data;
    SHARC_AUTO(sharc_freep) uint32_t *local = sharc_malloc((d->pages + 1) * sizeof *local);
    memset(local, 0xff, d->pages * sizeof *local);
    for (size_t i = 0; i < h->n; i++) local[h->page[i].origin] = (uint32_t)i;
    for (size_t i = 0; i < h->n; i++) {
        sharc_page_no p = h->page[i].origin;
        for (size_t k = d->link_at[p]; k < d->link_at[p + 1]; k++)
            if (local[d->link_to[k]] != UINT32_MAX) sharc_history_link(h, (uint32_t)i, local[d->link_to[k]]);
    }
}

int sharc_history_dataset(struct sharc_history *h, const char *dir, const struct sharc_history_window *w,
                          struct sharc_err *reterr)
{
    int r = sharc_dataset_open(dir, &h->data, reterr);
    if (r < 0) return r;
    const struct sharc_dataset *d = h->data;
    h->kind = SHARC_HISTORY_DATASET;
    h->name = sharc_strdup(d->name);
    h->end = w->at == SHARC_TIME_NONE ? d->end : (double)w->at / SHARC_SEC;
    h->start = w->days > 0 ? h->end - w->days * HISTORY_DAY : d->start;
    SHARC_FAIL_IF(h->start < d->start || h->end > d->end || !(h->start < h->end), reterr, SHARC_EINVAL,
                  "the time from @%.0f to @%.0f is not covered by %s, which goes from @%.0f to @%.0f; give fewer for "
                  "setting \"days\"",
                  h->start, h->end, d->name, d->start, d->end);
    for (size_t p = 0; p < d->pages; p++) {
        const struct sharc_dataset_page *page = &d->page[p];
        bool life = !(w->days > 0);
        bool fits = life ? page->created < h->end : page->created <= h->start && page->deleted > h->end;
        if (fits) add_page(h, (sharc_page_no)p, life);
    }
    add_links(h);
    return sharc__history_finish(h, reterr);
}
