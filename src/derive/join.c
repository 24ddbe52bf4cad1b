/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files say, together: downloads of one capture become pages.
 *
 * Which download is what. The last visit or second look that brought the page is its visit, and the last
 * revisit its revisit, as for the crawler: a capture that was killed and resumed may have visited a
 * page twice. All others are listed as well, so that nothing that was seen is left out.
 */
#include "derive_int.h"

#include "sharc/http.h"

#include <stdlib.h>

/* --- one list ---------------------------------------------------------------------------- */

static uint32_t renamed(const struct sharc_gathered *from, struct sharc_gathered *to, uint32_t *numbers, uint32_t name)
{
    if (name == SHARC_DERIVED_NONE) return name;
    if (numbers[name] == SHARC_DERIVED_NONE)
        numbers[name] = sharc_intern_add(to->names, sharc_intern_text(from->names, name), NULL);
    return numbers[name];
}

static void append(struct sharc_gathered *to, struct sharc_gathered *from)
{
    uint32_t known = sharc_intern_count(from->names);
    SHARC_AUTO(sharc_freep) uint32_t *numbers = SHARC_NEW_ARRAY(uint32_t, known);
    memset(numbers, 0xff, known * sizeof *numbers);
    SHARC_GROW(to->items, to->room, to->count + from->count);
    for (size_t i = 0; i < from->count; i++) {
        struct sharc_download d = from->items[i];
        uint32_t *const names[] = {&d.url,         &d.type,       &d.location,  &d.etag,
                                   &d.modified,    &d.coding,     &d.ip,        &d.protocol,
                                   &d.truncated,   &d.via,        &d.target,    &d.sent_etag,
                                   &d.tls_version, &d.tls_cipher, &d.tls_chain, &d.whole_target};
        for (size_t k = 0; k < SHARC_LENGTH(names); k++) *names[k] = renamed(from, to, numbers, *names[k]);
        d.embeds += (uint32_t)to->embed_count;
        to->items[to->count++] = d;
    }
    SHARC_GROW(to->verdicts, to->verdict_room, to->verdict_count + from->verdict_count);
    for (size_t i = 0; i < from->verdict_count; i++) {
        to->verdicts[to->verdict_count++] = from->verdicts[i];
        from->verdicts[i].lines = NULL; /* handed on */
    }
    sharc__derive_chains_append(to, from);
    SHARC_GROW(to->embeds, to->embed_room, to->embed_count + from->embed_count);
    for (size_t i = 0; i < from->embed_count; i++)
        to->embeds[to->embed_count++] = renamed(from, to, numbers, from->embeds[i]);
}

/* --- bodies that are elsewhere ---------------------------------------------------------------- */

static uint64_t key_of(const uint8_t id[16])
{
    return sharc_fingerprint(sharc_span(id, 16), 0);
}

/* Does a payload mean the same under the head of d as under that of o? Bytes that do not have the coding that o names
 * are its content as they are, and so they are that of d, which names none. */
static bool same_coding(const struct sharc_download *d, const struct sharc_download *o)
{
    return d->coding == o->coding ||
           (d->coding == SHARC_DERIVED_NONE && memcmp(o->content, o->payload, sizeof o->content) == 0);
}

/* A revisit record repeats a payload: then it has that content too, if both were coded alike. The
 * answer 304 has no body: its content is unknown, whatever the record refers to. */
static void resolve(struct sharc_gathered *g, struct sharc_download *d, const struct sharc_map64 *ids)
{
    const uint64_t *at = sharc_map64_find(ids, key_of(d->original_id));
    if (!at) return;
    const struct sharc_download *o = &g->items[*at - 1];
    if (memcmp(o->id, d->original_id, sizeof o->id) != 0 || (o->flags & SHARC_DOWNLOAD_REVISIT) || o->url != d->url)
        return;
    d->original = (uint32_t)(*at - 1);
    /* Its own metadata names links only where the body was read once more. */
    if (d->embed_count == 0) {
        d->embeds = o->embeds;
        d->embed_count = o->embed_count;
    }
    if (d->flags & SHARC_DOWNLOAD_NOT_MODIFIED) return;
    bool same = (d->flags & SHARC_DOWNLOAD_HAS_PAYLOAD) && (o->flags & SHARC_DOWNLOAD_HAS_PAYLOAD) &&
                memcmp(d->payload, o->payload, sizeof d->payload) == 0 && same_coding(d, o);
    if (!same) return;
    memcpy(d->content, o->content, sizeof d->content);
    d->bytes = o->bytes;
    d->flags |= SHARC_DOWNLOAD_HAS_CONTENT | (o->flags & (SHARC_DOWNLOAD_CUT | SHARC_DOWNLOAD_CODED));
}

/* Rows name records by their ids. Of two that are called alike the latter counts here. */
static void note_id(struct sharc_derived *f, struct sharc_map64 *ids, size_t i)
{
    const struct sharc_gathered *g = &f->all;
    uint64_t *at = sharc_map64_at(ids, key_of(g->items[i].id));
    if (*at && !f->twin && memcmp(g->items[*at - 1].id, g->items[i].id, sizeof g->items[i].id) == 0) {
        f->twin = (uint32_t)i;
        f->twin_of = (uint32_t)(*at - 1);
    }
    *at = i + 1;
}

static void resolve_all(struct sharc_derived *f)
{
    struct sharc_gathered *g = &f->all;
    struct sharc_map64 ids;
    sharc_map64_init(&ids);
    for (size_t i = 0; i < g->count; i++) note_id(f, &ids, i);
    for (size_t i = 0; i < g->count; i++)
        if (g->items[i].flags & SHARC_DOWNLOAD_REVISIT) resolve(g, &g->items[i], &ids);
    sharc_map64_done(&ids);
}

/* --- pages -------------------------------------------------------------------------------------- */

static bool belongs(const struct sharc_derived *f, const struct sharc_download *d)
{
    return (d->flags & SHARC_DOWNLOAD_OWN) && d->capture == f->capture && d->from != SHARC_TIME_NONE;
}

static bool of_page(const struct sharc_derived *f, const struct sharc_download *d)
{
    return belongs(f, d) && d->kind != SHARC_OWN_ERRAND;
}

/* A URL that has downloads. */
struct named {
    struct sharc_span text;
    uint32_t name, first, count; /* its downloads in the order */
};

static int by_text(const void *a, const void *b)
{
    return sharc_span_cmp(((const struct named *)a)->text, ((const struct named *)b)->text);
}

/* By time, then place: whatever order the files were given in. */
static int by_time(const void *a, const void *b, void *arg)
{
    const struct sharc_derived *f = arg;
    const struct sharc_download *x = &f->all.items[*(const uint32_t *)a], *y = &f->all.items[*(const uint32_t *)b];
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void add_other(struct sharc_derived *f, struct sharc_derived_page *p, uint32_t download)
{
    SHARC_GROW(f->other, f->other_room, f->other_count + 1);
    f->other[f->other_count++] = download;
    p->other_count++;
}

static bool is_look(const struct sharc_download *d)
{
    return d->kind == SHARC_OWN_VISIT || d->kind == SHARC_OWN_SECOND_LOOK;
}

/* Content, or a redirect that leads somewhere. A 304 brings nothing: the page is what was downloaded before it. */
static bool brought_page(const struct sharc_download *d)
{
    if (sharc_http_is_redirect(d->status)) return d->target != SHARC_DERIVED_NONE;
    return d->status >= 200 && d->status < 300;
}

/* Of what was not there from the beginning nothing can be said: it is no page. */
static bool was_gone(const struct sharc_derived *f, const uint32_t *downloads, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct sharc_download *d = &f->all.items[downloads[i]];
        if (d->status != 404 && d->status != 410) return false;
    }
    return true;
}

static void make_page(struct sharc_derived *f, const uint32_t *downloads, size_t n)
{
    struct sharc_derived_page *p = &f->pages[f->page_count];
    *p = (struct sharc_derived_page){.url = f->all.items[downloads[0]].url,
                                     .visit = SHARC_DERIVED_NONE,
                                     .revisit = SHARC_DERIVED_NONE,
                                     .others = (uint32_t)f->other_count,
                                     .known_from = SHARC_TIME_NONE,
                                     .known_to = SHARC_TIME_NONE};
    if (was_gone(f, downloads, n)) {
        f->gone[f->gone_count++] = downloads[0];
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const struct sharc_download *d = &f->all.items[downloads[i]];
        bool first = p->visit == SHARC_DERIVED_NONE && d->kind == SHARC_OWN_VISIT;
        if (first || (is_look(d) && brought_page(d))) p->visit = downloads[i];
        if (d->kind == SHARC_OWN_REVISIT) p->revisit = downloads[i];
    }
    for (size_t i = 0; i < n; i++)
        if (downloads[i] != p->visit && downloads[i] != p->revisit) add_other(f, p, downloads[i]);
    f->page_of[p->url] = (uint32_t)f->page_count++;
}

static int by_url(const void *a, const void *b, void *arg)
{
    const struct sharc_derived *f = arg;
    const struct sharc_derived_page *x = a, *y = b;
    return sharc_span_cmp(sharc_derived_text(f, x->url), sharc_derived_text(f, y->url));
}

static bool is_gone(const struct sharc_derived *f, uint32_t url)
{
    for (size_t i = 0; i < f->gone_count; i++)
        if (f->all.items[f->gone[i]].url == url) return true;
    return false;
}

/* Pages that the crawler counts and of which nothing was received: they count here, too. */
static void add_stated(struct sharc_derived *f)
{
    size_t before = f->page_count;
    for (size_t i = 0; i < f->stated_count; i++) {
        uint32_t url = f->stated[i].url, row = f->page_of[url];
        if (row == SHARC_DERIVED_NONE && is_gone(f, url)) continue;
        if (row == SHARC_DERIVED_NONE) {
            row = (uint32_t)f->page_count++;
            f->page_of[url] = row;
            f->pages[row] = (struct sharc_derived_page){.url = url,
                                                        .visit = SHARC_DERIVED_NONE,
                                                        .revisit = SHARC_DERIVED_NONE,
                                                        .others = (uint32_t)f->other_count,
                                                        .known_from = SHARC_TIME_NONE,
                                                        .known_to = SHARC_TIME_NONE};
        }
        f->pages[row].stated = f->stated[i].reason;
    }
    if (f->page_count == before) return;
    qsort_r(f->pages, f->page_count, sizeof *f->pages, by_url, f);
    for (size_t i = 0; i < f->page_count; i++) f->page_of[f->pages[i].url] = (uint32_t)i;
}

/* The downloads of pages, those of a URL side by side; urls say where, by text. Texts are compared once for each
 * URL, not for each download. page_of serves as scratch. */
static size_t group(struct sharc_derived *f, uint32_t *order, struct named *urls)
{
    size_t n = 0, at = 0;
    for (size_t i = 0; i < f->all.count; i++) {
        const struct sharc_download *d = &f->all.items[i];
        if (!of_page(f, d)) continue;
        if (f->page_of[d->url] == SHARC_DERIVED_NONE) {
            urls[n] = (struct named){.text = sharc_derived_text(f, d->url), .name = d->url};
            f->page_of[d->url] = (uint32_t)n++;
        }
        urls[f->page_of[d->url]].count++;
    }
    for (size_t k = 0; k < n; k++) {
        urls[k].first = (uint32_t)at;
        at += urls[k].count;
        urls[k].count = 0;
    }
    for (size_t i = 0; i < f->all.count; i++) {
        if (!of_page(f, &f->all.items[i])) continue;
        struct named *u = &urls[f->page_of[f->all.items[i].url]];
        order[u->first + u->count++] = (uint32_t)i;
    }
    for (size_t k = 0; k < n; k++) f->page_of[urls[k].name] = SHARC_DERIVED_NONE;
    if (n) qsort(urls, n, sizeof *urls, by_text);
    return n;
}

static void make_pages(struct sharc_derived *f)
{
    uint32_t names = sharc_intern_count(f->all.names);
    size_t count = f->all.count;
    SHARC_AUTO(sharc_freep) uint32_t *order = SHARC_NEW_ARRAY(uint32_t, count);
    SHARC_AUTO(sharc_freep) struct named *urls = SHARC_NEW_ARRAY(struct named, count);
    f->pages = SHARC_NEW_ARRAY(struct sharc_derived_page, count + f->stated_count);
    f->gone = SHARC_NEW_ARRAY(uint32_t, count);
    f->page_of = SHARC_NEW_ARRAY(uint32_t, names);
    memset(f->page_of, 0xff, names * sizeof *f->page_of);
    size_t n = group(f, order, urls);
    for (size_t k = 0; k < n; k++) {
        qsort_r(order + urls[k].first, urls[k].count, sizeof *order, by_time, f);
        make_page(f, order + urls[k].first, urls[k].count);
    }
    add_stated(f);
}

/* --- files -------------------------------------------------------------------------------------- */

static void note_times(struct sharc_derived *f, const struct sharc_download *d)
{
    sharc_time end = d->to != SHARC_TIME_NONE ? d->to : d->from;
    if (f->began == SHARC_TIME_NONE || d->from < f->began) f->began = d->from;
    if (f->ended == SHARC_TIME_NONE || end > f->ended) f->ended = end;
}

static void note_files(struct sharc_derived *f)
{
    f->began = f->ended = SHARC_TIME_NONE;
    for (size_t i = 0; i < f->all.count; i++) {
        const struct sharc_download *d = &f->all.items[i];
        if (!belongs(f, d)) continue;
        f->files[d->file].downloads++;
        f->downloads++;
        f->files[d->file].needed = true;
        if (d->original != SHARC_DERIVED_NONE) f->files[f->all.items[d->original].file].needed = true;
        note_times(f, d);
    }
}

int sharc__derive_join(struct sharc_derived *f, struct derive_part *parts, size_t count, struct sharc_err *reterr)
{
    for (size_t i = 0; i < count; i++) {
        append(&f->all, &parts[i].g);
        sharc__derive_gathered_done(&parts[i].g);
    }
    SHARC_FAIL_IF(f->all.count >= SHARC_DERIVED_NONE, reterr, SHARC_ELIMIT,
                  "more than %u downloads cannot be certified", SHARC_DERIVED_NONE - 1);
    resolve_all(f);
    note_files(f);
    sharc__derive_take_verdict(f);
    make_pages(f);
    return 0;
}
