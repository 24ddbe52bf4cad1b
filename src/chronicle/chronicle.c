/* SPDX-License-Identifier: Apache-2.0
 *
 * From a catalogue to a dataset: which site, then its looks, its links, the tables.
 */
#include "chronicle_int.h"

#include "sharc/base_buf.h"
#include "sharc/base_file.h"

#include <stdlib.h>

/* The site that was asked for, or the only one. */
static int find_site(struct sharc__chronicle *h, struct sharc_store *store, sharc_store_id *site,
                     struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf names = SHARC_BUF_INIT(64u << 10);
    struct sharc_store_site s;
    sharc_store_id wanted = *site;
    size_t count = 0;
    int r = sharc_store_sites(store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_site(rows, &s);
        if (wanted && s.id != wanted) continue;
        if (count++ < 20) sharc_buf_printf(&names, "%s%.*s", names.n ? ", " : "", SHARC_SPAN_ARG(s.name));
        h->name = sharc_arena_copy(&h->texts, s.name);
        *site = s.id;
    }
    if (r < 0) return r;
    SHARC_FAIL_IF(count == 0, reterr, SHARC_ENOENT, "the catalogue holds no site; capture or import one first");
    SHARC_FAIL_IF(count > 1, reterr, SHARC_EINVAL,
                  "the archive holds %zu sites and a history is of one; name one with --capture: %s", count,
                  sharc_buf_str(&names));
    return 0;
}

static int make_directory(const char *dir, struct sharc_err *reterr)
{
    char **names;
    size_t count;
    int r = sharc_dir_make(dir, reterr);
    if (r == 0) r = sharc_dir_list(dir, &names, &count, reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
    SHARC_FAIL_IF(count, reterr, SHARC_EEXIST, "%s: is not empty; a history needs a directory of its own", dir);
    return 0;
}

static void chronicle_done(struct sharc__chronicle *h)
{
    free(h->pages);
    free(h->order);
    free(h->rows);
    free(h->links);
    sharc_map64_done(&h->page_of);
    sharc_arena_done(&h->texts);
}

int sharc_chronicle_write(struct sharc_store *store, const char *dir, const struct sharc_chronicle_options *o,
                          struct sharc_chronicle_made *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(chronicle_done) struct sharc__chronicle h = {.first = SHARC_TIME_NONE, .last = SHARC_TIME_NONE};
    struct sharc_chronicle_options wanted = *o;
    sharc_arena_init(&h.texts, (size_t)4 << 30);
    sharc_map64_init(&h.page_of);
    int r = find_site(&h, store, &wanted.site, reterr);
    if (r == 0) r = sharc__chronicle_read(&h, store, &wanted, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(h.page_count == 0, reterr, SHARC_ENOENT,
                  "no capture of %.*s in that time shows a page; name another time or site", SHARC_SPAN_ARG(h.name));
    r = sharc__chronicle_read_links(&h, store, wanted.site, reterr);
    if (r < 0) return r;
    sharc__chronicle_span(&h);
    r = make_directory(dir, reterr);
    return r < 0 ? r : sharc__chronicle_write(&h, dir, ret, reterr);
}
