/* SPDX-License-Identifier: Apache-2.0
 *
 * What the edits of a page have done to it. The kind of the e-th edit is drawn from seed,
 * page and e alone, so the wording after e edits is a pure function too; walking through
 * them costs e draws, so it is remembered how far a page was walked through: its life asks
 * for one edit after the other, tens of thousands of them in a month of virtual time.
 */
#include "lab_int.h"

#include <pthread.h>
#include <stdlib.h>

#define NOT_OF_PAGES (SHARC_LAB_BIT(SHARC_LAB_EDIT_IMAGE) | SHARC_LAB_BIT(SHARC_LAB_EDIT_STYLE))
/* Noise with words of its own beside the random ones, so that there is something to edit inside. */
#define WITH_WORDS                                                                    \
    (SHARC_LAB_BIT(SHARC_LAB_NOISE_SHUFFLE) | SHARC_LAB_BIT(SHARC_LAB_NOISE_TEASER) | \
     SHARC_LAB_BIT(SHARC_LAB_NOISE_ADVERT))

static unsigned one_of(struct sharc_rng *r, uint32_t set)
{
    uint64_t k = sharc_rng_below(r, (uint64_t)__builtin_popcount(set));
    while (k-- > 0) set &= set - 1;
    return (unsigned)__builtin_ctz(set);
}

static enum sharc_lab_edit kind_of_file(const struct lab_item *it)
{
    if (it->kind == LAB_IMAGE) return SHARC_LAB_EDIT_IMAGE;
    return it->type && strncmp(it->type, "text/css", 8) == 0 ? SHARC_LAB_EDIT_STYLE : SHARC_LAB_EDIT_PARAGRAPH;
}

/* The edit number `i`, done to the wording before it. */
static enum sharc_lab_edit step(const struct lab_site *s, uint32_t item, uint32_t i, struct lab_wording *w)
{
    const struct lab_item *it = &s->items[item];
    uint32_t kinds = s->edits & ~NOT_OF_PAGES, fixed = s->noises & ~it->noise, inside = it->noise & WITH_WORDS;
    struct sharc_rng r = sharc__lab_draw(s->seed, item, i, 'K');
    enum sharc_lab_edit kind = kind_of_file(it);
    if (it->kind == LAB_HTML && kinds != 0)
        kind = w->away ? SHARC_LAB_EDIT_UNDONE : (enum sharc_lab_edit)one_of(&r, kinds);
    if (kind == SHARC_LAB_EDIT_PLACE && fixed == 0) kind = SHARC_LAB_EDIT_WORD;
    if (kind == SHARC_LAB_EDIT_VOLATILE && inside == 0) kind = SHARC_LAB_EDIT_WORD;
    if (kind == SHARC_LAB_EDIT_PLACE) w->place[one_of(&r, fixed)]++;
    if (kind == SHARC_LAB_EDIT_VOLATILE) w->inside[one_of(&r, inside)]++;
    if (kind == SHARC_LAB_EDIT_UNDONE) w->away = !w->away;
    w->n[kind]++;
    return kind;
}

/* --- how far ------------------------------------------------------------------------ */

struct walk {
    uint32_t edits;
    enum sharc_lab_edit last;
    struct lab_wording wording;
};

struct lab_walks {
    pthread_mutex_t lock; /* guards what they point to: pages are written by several threads */
    struct walk **of;     /* per item; NULL: nobody walked far */
    size_t items;
};

enum { FAR = 32 }; /* edits that are walked through faster than they are looked up */

struct lab_walks *sharc__lab_walks_new(size_t items)
{
    struct lab_walks *w = SHARC_NEW(struct lab_walks);
    pthread_mutex_init(&w->lock, NULL);
    w->of = SHARC_NEW_ARRAY(struct walk *, items);
    w->items = items;
    return w;
}

void sharc__lab_walks_free(struct lab_walks *w)
{
    if (!w) return;
    for (size_t i = 0; i < w->items; i++) free(w->of[i]);
    free(w->of);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

static struct walk begin_walk(const struct lab_site *s, uint32_t item, uint32_t edits)
{
    struct walk w = {.last = kind_of_file(&s->items[item])};
    if (!s->walks || edits < FAR) return w;
    pthread_mutex_lock(&s->walks->lock);
    const struct walk *known = s->walks->of[item];
    if (known && known->edits <= edits) w = *known;
    pthread_mutex_unlock(&s->walks->lock);
    return w;
}

static void keep_walk(const struct lab_site *s, uint32_t item, const struct walk *w)
{
    if (!s->walks || w->edits < FAR) return;
    pthread_mutex_lock(&s->walks->lock);
    struct walk **to = &s->walks->of[item];
    if (!*to) *to = SHARC_NEW(struct walk);
    if (w->edits > (*to)->edits) **to = *w;
    pthread_mutex_unlock(&s->walks->lock);
}

enum sharc_lab_edit sharc__lab_wording(const struct lab_site *s, uint32_t item, uint32_t edits, struct lab_wording *ret)
{
    struct walk w = begin_walk(s, item, edits);
    while (w.edits < edits) w.last = step(s, item, ++w.edits, &w.wording);
    keep_walk(s, item, &w);
    *ret = w.wording;
    return w.last;
}

/* --- rates -------------------------------------------------------------------------- */

double sharc__lab_edit_rate(const struct lab_site *s, uint32_t item, double rate)
{
    const struct lab_item *it = &s->items[item];
    uint32_t wanted = SHARC_LAB_BIT(kind_of_file(it));
    if (it->kind == LAB_HTML) wanted = ~NOT_OF_PAGES;
    return s->edits & wanted ? rate : 0;
}
