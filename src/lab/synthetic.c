/* SPDX-License-Identifier: Apache-2.0
 *
 * A synthetic site: a front page, sections, and below each section a random tree
 * that prefers to be flat. The front page and the sections' are hot, as fronts
 * are; which other pages are hot is chance.
 */
#include "lab_int.h"

#include <math.h>
#include <stdlib.h>

#define DEEPEST 5u

static struct lab_item page_item(uint32_t parent, uint32_t section)
{
    return (struct lab_item){.kind = LAB_HTML, .parent = parent, .section = section};
}

/* "/garden/rose-12.html" below "/garden/", "/garden/rose-12/fern-40.html" below that. */
static void put_path(const struct lab_site *s, uint32_t parent, const char *word, uint32_t id, struct sharc_buf *out)
{
    struct sharc_span above = lab_path(s, parent);
    sharc_buf_clear(out);
    if (sharc_span_ends(above, SHARC_SPAN(".html"))) {
        sharc_buf_put(out, sharc_span_sub(above, 0, above.n - 5));
        sharc_buf_put_char(out, '/');
    } else {
        sharc_buf_put(out, above);
    }
    sharc_buf_printf(out, "%s-%u.html", word, id);
}

static void add_fronts(struct lab_site *s, uint32_t pages, struct sharc_rng *r)
{
    sharc__lab_add(s, SHARC_SPAN("/"), page_item(0, 0));
    s->sections = (uint32_t)(sqrt((double)pages) / 2);
    if (s->sections < 2) s->sections = 2;
    if (s->sections > 12) s->sections = 12;
    s->fronts = SHARC_NEW_ARRAY(uint32_t, s->sections);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf path = SHARC_BUF_INIT(LIMIT_LAB_PATH);
    for (uint32_t i = 0; i < s->sections;) { /* until the words drawn are different */
        sharc_buf_clear(&path);
        sharc_buf_printf(&path, "/%s/", sharc__lab_word(r));
        uint32_t id = sharc__lab_add(s, sharc_buf_span(&path), page_item(0, i + 1));
        if (id != SHARC_NO_ID) s->fronts[i++] = id;
    }
}

static void add_pages(struct lab_site *s, uint32_t pages, struct sharc_rng *r)
{
    SHARC_AUTO(sharc_freep) uint32_t *depth = SHARC_NEW_ARRAY(uint32_t, pages);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf path = SHARC_BUF_INIT(LIMIT_LAB_PATH);
    for (uint32_t i = 0; i < s->sections; i++) depth[s->fronts[i]] = 1;
    for (uint32_t id = 1 + s->sections; id < pages; id++) {
        /* Of two earlier pages the one nearer the root. */
        uint32_t a = 1 + (uint32_t)sharc_rng_below(r, id - 1), b = 1 + (uint32_t)sharc_rng_below(r, id - 1);
        uint32_t parent = depth[a] <= depth[b] ? a : b;
        if (depth[parent] >= DEEPEST) parent = s->items[parent].parent;
        depth[id] = depth[parent] + 1;
        put_path(s, parent, sharc__lab_word(r), id, &path);
        sharc__lab_add(s, sharc_buf_span(&path), page_item(parent, s->items[parent].section));
    }
}

static void add_files(struct lab_site *s, uint32_t pages, struct sharc_rng *r)
{
    char path[64];
    s->images = pages / 4 + 1;
    s->first_image = (uint32_t)s->count;
    for (uint32_t i = 0; i < s->images; i++) {
        snprintf(path, sizeof path, "/images/%s-%u.png", sharc__lab_word(r), i);
        sharc__lab_add(s, sharc_span_of(path), (struct lab_item){.kind = LAB_IMAGE});
    }
    s->redirects = pages / 40 + 1;
    s->first_redirect = (uint32_t)s->count;
    for (uint32_t i = 0; i < s->redirects; i++) {
        snprintf(path, sizeof path, "/old/%s-%u", sharc__lab_word(r), i);
        uint32_t target = (uint32_t)sharc_rng_below(r, pages);
        sharc__lab_add(s, sharc_span_of(path), (struct lab_item){.kind = LAB_REDIRECT, .parent = target});
    }
    s->dead_ends = pages / 50 + 1;
    sharc__lab_add(s, SHARC_SPAN("/private/notes.html"),
                   (struct lab_item){.kind = LAB_TEXT, .type = "text/html; charset=utf-8", .words = 20});
}

/* --- how hot ------------------------------------------------------------------------ */

struct heat {
    double key;
    uint32_t item;
};

static int hotter(const void *a, const void *b)
{
    const struct heat *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

/* Images take part in the ranking as if they were pages of the cold half. */
static void set_rates(struct lab_site *s, const struct sharc_lab_options *o, struct sharc_rng *r)
{
    size_t n = (size_t)o->pages + s->images;
    SHARC_AUTO(sharc_freep) struct heat *order = SHARC_NEW_ARRAY(struct heat, n);
    for (uint32_t i = 0; i < n; i++) {
        double key = sharc_rng_uniform(r);
        if (i == 0) key *= 0.02;
        if (i > 0 && i <= s->sections) key *= 0.1;
        if (i >= o->pages) key = 0.5 + key / 2;
        order[i] = (struct heat){key, i};
    }
    qsort(order, n, sizeof *order, hotter);
    double hottest = 1 / ((double)o->hottest / SHARC_SEC);
    for (size_t rank = 0; rank < n; rank++) s->items[order[rank].item].rate = hottest / pow((double)rank + 1, o->skew);
}

static void set_habits(struct lab_site *s, const struct sharc_lab_options *o, struct sharc_rng *r)
{
    for (uint32_t i = 0; i < o->pages; i++) {
        s->items[i].words = o->words / 5;
        s->items[i].counts = sharc_rng_uniform(r) < o->counters;
        s->items[i].bare = sharc_rng_uniform(r) < 0.2;
    }
}

void sharc__lab_synthetic(struct lab_site *s, const struct sharc_lab_options *o)
{
    struct sharc_rng r = sharc__lab_draw(o->seed, 0, 0, 'L');
    s->seed = o->seed;
    s->paths = sharc_intern_new();
    add_fronts(s, o->pages, &r);
    add_pages(s, o->pages, &r);
    add_files(s, o->pages, &r);
    set_rates(s, o, &r);
    set_habits(s, o, &r);
    sharc__lab_add_services(s);
    /* The style sheet is as hot as a page of the middle. */
    double middle = 1 / ((double)o->hottest / SHARC_SEC) / pow((double)o->pages / 2, o->skew);
    s->items[sharc_intern_find(s->paths, SHARC_SPAN("/style.css"))].rate = middle;
    SHARC_AUTO(sharc_freep) struct lab_link *links = SHARC_NEW_ARRAY(struct lab_link, o->pages);
    size_t n = 0;
    for (uint32_t i = 1; i < o->pages; i++) links[n++] = (struct lab_link){s->items[i].parent, i};
    sharc__lab_set_links(s, links, n);
}
