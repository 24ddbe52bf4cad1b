/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a dataset; docs/datasets.md describes every column.
 */
#include "chronicle_int.h"

#include "sharc/base_buf.h"
#include "sharc/base_file.h"
#include "sharc/base_json.h"
#include "sharc/base_order.h"

#include <stdlib.h>

#define MOST_BYTES ((size_t)1 << 30) /* of a table: what its reader takes */

static int write_table(const char *dir, const char *name, const struct sharc_buf *out, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, name);
    int r = sharc_buf_result(out, reterr);
    return r < 0 ? sharc_err_prefix(reterr, r, "%s", path) : sharc_file_replace(path, sharc_buf_span(out), reterr);
}

/* A tab or line feed would be the end of a cell; no URL that was fetched has one. */
static void put_text(struct sharc_buf *out, struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++) sharc_buf_put_char(out, (unsigned char)s.p[i] < ' ' ? '_' : s.p[i]);
}

static void put_time(struct sharc_buf *out, int64_t t)
{
    if (t != SHARC__CHRONICLE_NEVER) sharc_buf_printf(out, "%lld", (long long)t);
}

/* --- pages, links ---------------------------------------------------------------------- */

static int write_pages(const struct sharc__chronicle *h, const char *dir, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(MOST_BYTES);
    sharc_buf_put_str(&out, "id\turl\tmime\tcreated\tdeleted\tsize\ttitle_words\ttext_words\timages\ttables\toutlinks"
                            "\tabsences\n");
    for (size_t i = 0; i < h->page_count; i++) {
        const struct sharc__chronicle_page *p = &h->pages[h->order[i]];
        sharc_buf_printf(&out, "%u\t", p->id);
        put_text(&out, p->url);
        sharc_buf_put_char(&out, '\t');
        put_text(&out, p->mime);
        sharc_buf_put_char(&out, '\t');
        put_time(&out, p->created);
        sharc_buf_put_char(&out, '\t');
        put_time(&out, p->deleted);
        const uint64_t counts[] = {p->size,   p->title_words, p->text_words, p->images,
                                   p->tables, p->outlinks,    p->absences};
        for (size_t k = 0; k < SHARC_LENGTH(counts); k++)
            sharc_buf_printf(&out, "\t%llu", (unsigned long long)(counts[k] < UINT32_MAX ? counts[k] : UINT32_MAX));
        sharc_buf_put_char(&out, '\n');
    }
    return write_table(dir, "pages.tsv", &out, reterr);
}

static int by_ids(const void *a, const void *b, void *arg)
{
    const struct sharc__chronicle *h = arg;
    const struct sharc__chronicle_link *x = a, *y = b;
    uint32_t fx = h->pages[x->from].id, fy = h->pages[y->from].id;
    if (fx != fy) return fx < fy ? -1 : 1;
    if (x->spanning != y->spanning) return x->spanning ? 1 : -1;
    uint32_t tx = h->pages[x->to].id, ty = h->pages[y->to].id;
    return (tx > ty) - (tx < ty);
}

static int write_links(struct sharc__chronicle *h, const char *dir, struct sharc_chronicle_made *made,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(MOST_BYTES);
    if (h->link_count > 1) qsort_r(h->links, h->link_count, sizeof *h->links, by_ids, h);
    sharc_buf_put_str(&out, "from\tto\tkind\n");
    for (size_t i = 0; i < h->link_count; i++) {
        const struct sharc__chronicle_link *l = &h->links[i];
        sharc_buf_printf(&out, "%u\t%u\t%s\n", h->pages[l->from].id, h->pages[l->to].id,
                         l->spanning ? "spanning" : "link");
        made->spanning += l->spanning, made->links += !l->spanning;
    }
    return write_table(dir, "links.tsv", &out, reterr);
}

/* --- events ------------------------------------------------------------------------------ */

static int by_time(const void *a, const void *b, void *arg)
{
    const struct sharc__chronicle *h = arg;
    const struct sharc__chronicle_row *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    uint32_t i = h->pages[x->page].id, j = h->pages[y->page].id;
    if (i != j) return i < j ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

/* Before the rows are sorted: those of a page stand together, in order. */
static int write_absences(const struct sharc__chronicle *h, const char *dir, struct sharc_chronicle_made *made,
                          struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(MOST_BYTES);
    sharc_buf_put_str(&out, "id\tfrom\tto\n");
    for (size_t i = 0; i + 1 < h->row_count; i++) {
        const struct sharc__chronicle_row *gone = &h->rows[i], *back = gone + 1;
        if (gone->event != SHARC__CHRONICLE_GONE || back->page != gone->page) continue;
        sharc_buf_printf(&out, "%u\t%lld\t%lld\n", h->pages[gone->page].id, (long long)gone->time,
                         (long long)back->time);
        made->absences++;
    }
    return write_table(dir, "absences.tsv", &out, reterr);
}

static int write_events(struct sharc__chronicle *h, const char *dir, struct sharc_chronicle_made *made,
                        struct sharc_err *reterr)
{
    static const char *const events[] = {"created", "changed", "gone", "back"};
    static const char *const sources[] = {"look", "middle", "last-modified"};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf changes = SHARC_BUF_INIT(MOST_BYTES);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bounds = SHARC_BUF_INIT(MOST_BYTES);
    if (h->row_count > 1) qsort_r(h->rows, h->row_count, sizeof *h->rows, by_time, h);
    sharc_buf_put_str(&changes, "id\ttime\n");
    sharc_buf_put_str(&bounds, "id\tevent\ttime\tafter\tuntil\tsource\n");
    for (size_t i = 0; i < h->row_count; i++) {
        const struct sharc__chronicle_row *row = &h->rows[i];
        const uint32_t id = h->pages[row->page].id;
        sharc_buf_printf(&bounds, "%u\t%s\t%lld\t", id, events[row->event], (long long)row->time);
        put_time(&bounds, row->after);
        sharc_buf_printf(&bounds, "\t%lld\t%s\n", (long long)row->until, sources[row->source]);
        if (row->event != SHARC__CHRONICLE_CHANGED) continue;
        sharc_buf_printf(&changes, "%u\t%lld\n", id, (long long)row->time);
        made->changes++;
        made->by_last_modified += row->source == SHARC__CHRONICLE_STATED;
    }
    int r = write_table(dir, "changes.tsv", &changes, reterr);
    return r < 0 ? r : write_table(dir, "bounds.tsv", &bounds, reterr);
}

/* --- site.json ------------------------------------------------------------------------------- */

/* Half of the changes lie between looks that are so far apart, or nearer. */
static int64_t median_gap(const struct sharc__chronicle *h)
{
    SHARC_AUTO(sharc_freep) int64_t *gaps = SHARC_NEW_ARRAY(int64_t, h->row_count);
    size_t n = 0;
    for (size_t i = 0; i < h->row_count; i++)
        if (h->rows[i].event == SHARC__CHRONICLE_CHANGED) gaps[n++] = h->rows[i].until - h->rows[i].after;
    if (n > 1) qsort(gaps, n, sizeof *gaps, sharc_order_i64);
    return n ? gaps[(n - 1) / 2] : 0;
}

static int write_site(const struct sharc__chronicle *h, const char *dir, const struct sharc_chronicle_made *made,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
    struct sharc_json j;
    uint64_t live = 0, changing = 0;
    for (size_t i = 0; i < h->page_count; i++) {
        live += h->pages[i].deleted == SHARC__CHRONICLE_NEVER;
        changing += h->pages[i].changes > 0;
    }
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_span(&j, "name", h->name);
    sharc_json_str(&j, "source", "captures of an archive, by sharc export --to history");
    sharc_json_span(&j, "origin", h->origin);
    sharc_json_str(&j, "times", "bounded by looks; see bounds.tsv");
    sharc_json_int(&j, "start", made->start / SHARC_SEC);
    sharc_json_int(&j, "end", made->end / SHARC_SEC);
    sharc_json_uint(&j, "root", 1);
    sharc_json_bool(&j, "root_synthetic", h->root_synthetic);
    sharc_json_uint(&j, "pages", h->page_count);
    sharc_json_uint(&j, "live_pages_at_end", live);
    sharc_json_uint(&j, "changing_pages", changing);
    sharc_json_uint(&j, "pages_seen_once", made->seen_once);
    sharc_json_uint(&j, "looks", h->looks);
    sharc_json_uint(&j, "changes", made->changes);
    sharc_json_uint(&j, "changes_by_last_modified", made->by_last_modified);
    sharc_json_int(&j, "median_seconds_between_the_looks_around_a_change", median_gap(h));
    sharc_json_uint(&j, "links", made->links);
    sharc_json_uint(&j, "spanning_edges", made->spanning);
    sharc_json_uint(&j, "absences", made->absences);
    sharc_json_end(&j);
    sharc_buf_put_char(&out, '\n');
    return write_table(dir, "site.json", &out, reterr);
}

int sharc__chronicle_write(struct sharc__chronicle *h, const char *dir, struct sharc_chronicle_made *ret,
                           struct sharc_err *reterr)
{
    struct sharc_chronicle_made made = {.pages = h->page_count, .looks = h->looks, .start = h->first, .end = h->last};
    for (size_t i = 0; i < h->page_count; i++) made.seen_once += h->pages[i].looks == 1;
    for (size_t i = 0; i < h->row_count; i++)
        if (h->rows[i].time * SHARC_SEC > made.end) made.end = h->rows[i].time * SHARC_SEC;
    int r = write_pages(h, dir, reterr);
    if (r == 0) r = write_absences(h, dir, &made, reterr);
    if (r == 0) r = write_events(h, dir, &made, reterr);
    if (r == 0) r = write_links(h, dir, &made, reterr);
    if (r == 0) r = write_site(h, dir, &made, reterr);
    if (r == 0) *ret = made;
    return r;
}
