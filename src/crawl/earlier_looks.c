/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks of the catalogue as a past.
 */
#include "sharc/crawl_past.h"

#include "earlier_looks.h"

#include <math.h>

static bool is_gone(int status)
{
    return status == 404 || status == 410;
}

/* A download that failed says nothing about the page. */
static bool says_something(int status)
{
    return is_gone(status) || (status >= 200 && status <= 399);
}

static void add_look(struct sharc_rate_past *past, const struct sharc_store_seen *seen)
{
    if (!says_something(seen->status)) return;
    const sharc_time stated = seen->last_modified != SHARC_TIME_NONE ? seen->last_modified : seen->stated;
    const bool aged = stated != SHARC_TIME_NONE && stated <= seen->when && !is_gone(seen->status);
    const struct sharc_rate_past_look look = {.when = sharc_time_seconds(seen->when),
                                              .changed = seen->changed,
                                              .gone = is_gone(seen->status),
                                              .age = aged ? sharc_time_seconds(seen->when - stated) : (double)NAN};
    sharc_rate_past_look(past, &look);
}

static int read_captures(struct sharc_store *store, const struct sharc_store_seen_filter *f,
                         struct sharc_rate_past *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter filter = SHARC_STORE_CAPTURE_FILTER_INIT;
    filter.site = f->site;
    int r = sharc_store_captures(store, &filter, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_capture c;
        sharc_store_read_capture(rows, &c);
        if (c.state == SHARC_CAPTURE_RUNNING || c.state == SHARC_CAPTURE_INTERRUPTED) continue;
        const bool inside = c.end != SHARC_TIME_NONE && (f->to == SHARC_TIME_NONE || c.end <= f->to) &&
                            (f->from == SHARC_TIME_NONE || c.end >= f->from);
        if (inside) sharc_rate_past_capture(ret, c.site, sharc_time_seconds(c.end));
    }
    return r < 0 ? r : 0;
}

int sharc_crawl_past_read(struct sharc_store *store, const struct sharc_store_seen_filter *f,
                          const struct sharc_crawl_past *how, struct sharc_rate_past *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    sharc_store_id url = 0;
    bool wanted = false;
    int r = read_captures(store, f, ret, reterr);
    if (r == 0) r = sharc_store_observations(store, f, &rows, reterr);
    struct sharc_store_seen seen;
    while (r >= 0 && (r = sharc_store_seen_next(rows, &seen, reterr)) > 0) {
        if (seen.url_id != url) {
            const struct sharc_span text = how->page(how->arg, &seen);
            url = seen.url_id;
            wanted = text.p != NULL;
            if (wanted) sharc_rate_past_page(ret, text);
        }
        if (!wanted) continue;
        add_look(ret, &seen);
        if (how->look) how->look(how->arg, &seen);
    }
    return r < 0 ? r : 0;
}

struct sharc_rate_past_options sharc_crawl_past_options(sharc_time now)
{
    return (struct sharc_rate_past_options){.now = sharc_time_seconds(now), .window = RATE_WINDOW, .grain = RATE_GRAIN};
}

/* --- pages that are known by number ------------------------------------------------------ */

static struct sharc_span known_page(void *arg, const struct sharc_store_seen *seen)
{
    struct known_pages *k = arg;
    const uint32_t page = sharc_intern_find(k->urls, seen->url);
    if (page == SHARC_NO_ID || (k->wanted && !k->wanted(k->arg, page))) return SHARC_SPAN_NONE;
    SHARC_GROW(k->page, k->room, k->count + 1);
    k->page[k->count++] = page;
    return sharc_intern_text(k->urls, page);
}

int sharc__crawl_past_of_known(struct sharc_store *store, const struct sharc_store_seen_filter *f,
                               struct known_pages *k, struct sharc_rate_past *past, struct sharc_err *reterr)
{
    const struct sharc_crawl_past how = {.page = known_page, .arg = k};
    return sharc_crawl_past_read(store, f, &how, past, reterr);
}
