/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages that moved: what is missing at one URL and new, with the same content, at another.
 *
 * The digests of the index are held against each other first. They are of the bytes as
 * they were sent, and a server that packs anew for every request gives others for the same
 * page; so what is left is read, and content and text are compared. Content that several
 * missing or several new pages have says nothing about which went where: then nothing is
 * claimed.
 */
#include "diff_int.h"
#include "sharc/base_pool.h"

#include <stdlib.h>

#define MOST_READ 50000u /* pages read for this; beyond them only digests of the index count */
#define LEAST_WORDS 20u  /* of a text that can be told from others */

struct candidate {
    size_t entry;
    bool come; /* else gone */
    bool has_content, has_text;
    struct sharc_digest content, text;
};

struct search {
    struct sharc_diff_set *set;
    const struct sharc_diff_options *o;
    struct candidate *items;
    size_t count, room;
    struct sharc_diff_version *versions; /* one of each thread */
    bool *used;                          /* by entry: paired, or taken up by its pair */
};

/* --- candidates --------------------------------------------------------------------------- */

static bool is_empty(const struct sharc_digest *d)
{
    struct sharc_digest empty;
    sharc_digest_of(d->kind, SHARC_SPAN_NONE, &empty);
    return sharc_digest_eq(d, &empty);
}

static void add_candidate(struct search *x, size_t entry, bool come)
{
    const struct sharc_diff_entry *e = &x->set->entries[entry];
    const struct sharc_diff_facts *f = come ? &e->after : &e->before;
    if (sharc_page_answer(f->status) != SHARC_ANSWER_CONTENT && !(f->revisit && f->status == 304)) return;
    SHARC_GROW(x->items, x->room, x->count + 1);
    struct candidate *c = &x->items[x->count++];
    *c = (struct candidate){.entry = entry, .come = come, .has_content = f->digest.n > 0, .content = f->digest};
    if (c->has_content && is_empty(&c->content)) x->count--;
}

static void find_candidates(struct search *x)
{
    for (size_t i = 0; i < x->set->count; i++) {
        const struct sharc_diff_entry *e = &x->set->entries[i];
        if (e->kind == SHARC_NEW && !e->before.there)
            add_candidate(x, i, true);
        else if ((e->kind == SHARC_MISSING || e->kind == SHARC_REDIRECTED) && e->before.there)
            add_candidate(x, i, false);
    }
}

/* Those that found no pair yet; true when both kinds are among them. */
static bool drop_used(struct search *x)
{
    size_t n = 0;
    bool gone = false, come = false;
    for (size_t i = 0; i < x->count; i++) {
        if (x->used[x->items[i].entry]) continue;
        gone |= !x->items[i].come, come |= x->items[i].come;
        x->items[n++] = x->items[i];
    }
    x->count = n;
    return gone && come;
}

/* --- reading ------------------------------------------------------------------------------ */

static int read_candidate(size_t i, unsigned thread, void *arg)
{
    struct search *x = arg;
    struct candidate *c = &x->items[i];
    const struct sharc_diff_entry *e = &x->set->entries[c->entry];
    struct sharc_diff_version *v = &x->versions[thread];
    struct sharc_diff_side *sides[2] = {x->set->sides[c->come], x->set->sides[!c->come]};
    c->has_content = c->has_text = false;
    if (sharc__diff_version_read(v, c->come ? &e->after : &e->before, sides, x->o, NULL) < 0) return 0;
    c->has_content = v->answer == SHARC_ANSWER_CONTENT && v->has_digest && v->size > 0 && !v->cut;
    c->content = v->digest;
    c->has_text = c->has_content && v->has_text && sharc_change_count_words(v->text) >= LEAST_WORDS;
    if (c->has_text) sharc_change_text_digest(v->text, &c->text);
    return 0;
}

static void read_candidates(struct search *x)
{
    if (x->count > MOST_READ) return;
    SHARC_AUTO(sharc_pool_freep) struct sharc_pool *pool = sharc_pool_new(x->o->threads);
    const unsigned threads = sharc_pool_threads(pool);
    x->versions = SHARC_NEW_ARRAY(struct sharc_diff_version, threads);
    (void)sharc_pool_each(pool, x->count, read_candidate, x);
    for (unsigned i = 0; i < threads; i++) sharc_diff_version_done(&x->versions[i]);
    free(x->versions);
    x->versions = NULL;
}

/* --- pairing ------------------------------------------------------------------------------ */

static int compare_digests(const struct sharc_digest *a, const struct sharc_digest *b)
{
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return memcmp(a->bytes, b->bytes, a->n < b->n ? a->n : b->n);
}

/* Those without come last; the order of equal ones is that of the entries. */
static int by_content(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->has_content != y->has_content) return x->has_content ? -1 : 1;
    int order = x->has_content ? compare_digests(&x->content, &y->content) : 0;
    return order ? order : (x->entry > y->entry) - (x->entry < y->entry);
}

static int by_text(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->has_text != y->has_text) return x->has_text ? -1 : 1;
    int order = x->has_text ? compare_digests(&x->text, &y->text) : 0;
    return order ? order : (x->entry > y->entry) - (x->entry < y->entry);
}

static void join(struct search *x, const struct candidate *gone, const struct candidate *come, bool text)
{
    struct sharc_diff_set *s = x->set;
    struct sharc_diff_entry *from = &s->entries[gone->entry], *to = &s->entries[come->entry];
    if (from->kind == SHARC_REDIRECTED && !sharc_span_eq(from->after.redirect, to->url)) return;
    s->classes[from->kind]--;
    s->classes[SHARC_NEW]--;
    s->classes[SHARC_DIFF_MOVED]++;
    s->pages--;
    from->kind = SHARC_DIFF_MOVED;
    from->moved_to = to->url;
    from->moved_text = text;
    from->after = to->after;
    const struct sharc_change_verdict moved = {.change = SHARC_REDIRECTED};
    from->importance = sharc_change_class_importance(&moved) * sharc_page_type_weight(from->before.mime);
    x->used[gone->entry] = x->used[come->entry] = true;
}

static const struct sharc_digest *digest_of(const struct candidate *c, bool text)
{
    if (text) return c->has_text ? &c->text : NULL;
    return c->has_content ? &c->content : NULL;
}

/* Runs of equal digests that hold one of each kind and no more. */
static void pair(struct search *x, bool text)
{
    if (x->count > 1) qsort(x->items, x->count, sizeof *x->items, text ? by_text : by_content);
    for (size_t i = 0, end; i < x->count; i = end) {
        const struct candidate *c = &x->items[i];
        const struct sharc_digest *mine = digest_of(c, text), *next;
        if (!mine) return;
        for (end = i + 1; end < x->count; end++) {
            next = digest_of(&x->items[end], text);
            if (!next || compare_digests(mine, next) != 0) break;
        }
        if (end - i == 2 && c->come != x->items[i + 1].come) join(x, c->come ? c + 1 : c, c->come ? c : c + 1, text);
    }
}

void sharc__diff_find_moved(struct sharc_diff_set *s, const struct sharc_diff_options *o)
{
    struct search x = {.set = s, .o = o, .used = SHARC_NEW_ARRAY(bool, s->count)};
    find_candidates(&x);
    if (drop_used(&x)) pair(&x, false);
    if (drop_used(&x)) {
        read_candidates(&x);
        pair(&x, false);
        if (drop_used(&x)) pair(&x, true);
    }
    /* The new ones stand in the entries of those that moved there. */
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        if (!x.used[i] || s->entries[i].kind == SHARC_DIFF_MOVED) s->entries[n++] = s->entries[i];
    s->count = n;
    free(x.items);
    free(x.used);
}
