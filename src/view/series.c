/* SPDX-License-Identifier: Apache-2.0
 *
 * Many pages, some of which load while one is being looked at.
 */
#include "view_int.h"

#include <stdlib.h>

enum { MOST_TABS = 64 };

struct line {                                 /* pages that load, the first one begun first */
    struct sharc_view_page *pages[MOST_TABS]; /* NULL: it could not be opened */
    struct sharc_err failed[MOST_TABS];
    size_t count;
};

/* What ends everything, as against what is wrong with one page. */
static bool ends_all(int r)
{
    return r == SHARC_EIO || r == SHARC_EINTR;
}

static int begin(struct sharc_view *v, const struct sharc_view_item *item, struct line *l, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT; /* of this page */
    struct sharc_view_page *page = NULL;
    int r = sharc_view_open(v, sharc_span_of(item->url), sharc_span_of(item->timestamp), &page, &err);
    if (ends_all(r) && reterr) *reterr = err;
    if (ends_all(r)) return r;
    l->failed[l->count] = err;
    l->pages[l->count++] = page;
    return 0;
}

static int look(struct sharc_view *v, const struct sharc_view_item *item, struct sharc_view_page *page,
                const struct sharc_err *failed, sharc_view_shot_fn *fn, void *arg, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf png = SHARC_BUF_INIT(1u << 30);
    struct sharc_err err = *failed;
    int r = page ? sharc_view_settle(v, page, &err) : 0;
    if (page && r >= 0) r = sharc_view_screenshot(v, page, &png, &err);
    if (ends_all(r)) {
        if (reterr) *reterr = err;
        return r;
    }
    if (err.code && !strstr(err.text, item->url)) sharc_err_prefix(&err, err.code, "%s", item->url);
    const struct sharc_view_shot good = {.item = item, .page = page, .png = sharc_buf_span(&png)};
    const struct sharc_view_shot bad = {.item = item, .failed = &err};
    return fn(arg, page && r >= 0 ? &good : &bad, reterr);
}

int sharc_view_series(struct sharc_view *v, const struct sharc_view_plan *plan, unsigned tabs, sharc_view_shot_fn *fn,
                      void *arg, struct sharc_err *reterr)
{
    struct line *l = SHARC_NEW(struct line);
    size_t most = tabs < 1 ? 1 : tabs > MOST_TABS ? MOST_TABS : tabs, next = 0;
    int r = 0;
    for (size_t i = 0; r == 0 && i < plan->count; i++) {
        while (r == 0 && next < plan->count && l->count < most) r = begin(v, &plan->items[next++], l, reterr);
        if (r < 0) break;
        struct sharc_view_page *page = l->pages[0];
        r = look(v, &plan->items[i], page, &l->failed[0], fn, arg, reterr);
        if (page && !ends_all(r)) sharc_view_close(v, page);
        l->count--;
        memmove(l->pages, l->pages + 1, l->count * sizeof *l->pages);
        memmove(l->failed, l->failed + 1, l->count * sizeof *l->failed);
    }
    free(l);
    return r;
}
