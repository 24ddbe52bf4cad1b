/* SPDX-License-Identifier: Apache-2.0
 *
 * What the catalogue of an archive knows beyond its files: how long downloads took, what visit and revisit proved of a
 * page whose bytes differ on every request, how often it changes. A row counts for the record of the same URL and the
 * same microsecond, and for no other.
 *
 * Grades of an imported capture are what a foreign file says about itself: they are told, and nothing rests on them.
 */
#include "history.h"

#include "sharc/archive.h"
#include "sharc/store_query.h"

#include <stdlib.h>
#include <unistd.h>

/* A catalogue that failed is asked again after this many seconds. */
enum { PAUSE = 30 };

struct serve_catalogue {
    char *directory;
    struct sharc_store *store; /* one at a time: guarded by the lock */
    double failed;             /* when; 0: it has not */
};

struct serve_catalogues {
    pthread_mutex_t lock;
    struct serve_catalogue *items;
    size_t count;
};

struct serve_catalogues *sharc__serve_catalogues_new(char *const *paths, size_t count)
{
    struct serve_catalogues *c = SHARC_NEW(struct serve_catalogues);
    pthread_mutex_init(&c->lock, NULL);
    c->items = SHARC_NEW_ARRAY(struct serve_catalogue, count);
    for (size_t i = 0; i < count; i++)
        if (sharc_archive_is(paths[i])) c->items[c->count++].directory = sharc_strdup(paths[i]);
    return c;
}

void sharc__serve_catalogues_free(struct serve_catalogues *c)
{
    if (!c) return;
    for (size_t i = 0; i < c->count; i++) {
        sharc_store_free(c->items[i].store);
        free(c->items[i].directory);
    }
    pthread_mutex_destroy(&c->lock);
    free(c->items);
    free(c);
}

static bool is_open(struct serve_catalogue *k)
{
    const struct sharc_store_options o = {.read_only = true, .must_exist = true, .cache_urls = 1000};
    if (k->store) return true;
    if (k->failed > 0 && sharc_clock_mono() - k->failed < PAUSE) return false;
    if (sharc_archive_open(k->directory, NULL, &o, &k->store, NULL) < 0) k->failed = sharc_clock_mono();
    return k->store != NULL;
}

/* --- one page of one capture ----------------------------------------------------------------- */

struct noting {
    struct serve_catalogue *catalogue;
    struct serve_history *h;
    size_t first, count; /* sightings of the URL */
    /* Looks that no line of the index has, as answers 304: */
    struct sharc_sighting words[SERVE_MOST_SIGHTS];
    size_t like[SERVE_MOST_SIGHTS]; /* the visit that each is about */
    size_t word_count;
};

/* The sighting of that download; SIZE_MAX: no file has it. */
static size_t sight_of(const struct noting *n, const struct sharc_store_look *look)
{
    if (look->when == SHARC_TIME_NONE) return SIZE_MAX;
    for (size_t i = n->first; i < n->first + n->count; i++)
        if (n->h->seen[i].begun == look->when) return i;
    return SIZE_MAX;
}

static bool is_certified(const struct serve_catalogue *k, struct sharc_span key)
{
    SHARC_AUTO(sharc_freep)
    char *path = sharc_asprintf("%s/certificates/%.*s/certificate.json", k->directory, SHARC_SPAN_ARG(key));
    return key.n && sharc_span_find(key, '/', 0) == SHARC_NPOS && access(path, R_OK) == 0;
}

static void note_capture(const struct noting *n, sharc_store_id id, struct serve_sight *s)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture c;
    f.id = id;
    s->foreign = true;
    if (sharc_store_captures(n->catalogue->store, &f, &rows, NULL) < 0 || sharc_store_rows_next(rows, NULL) <= 0)
        return;
    sharc_store_read_capture(rows, &c);
    s->foreign = c.state == SHARC_CAPTURE_IMPORTED || c.state == SHARC_CAPTURE_IMPORTING;
    if (s->foreign) return;
    s->reference_from = c.reference_from;
    s->reference_to = c.reference_to;
    s->certified = is_certified(n->catalogue, c.key);
}

/* A later look at a page that the capture has graded: what the grade says is more than the digests. */
static void use_grade(struct sharc_sighting *look, const struct sharc_sighting *visit, int status,
                      enum sharc_grade_reason reason)
{
    if (sharc_grade_is_proof(sharc_grade_of(reason)) && status < 400) {
        look->body = visit->body;
        look->method = visit->method;
    }
    bool nothing = reason == SHARC_GRADED_WEAK_VALIDATOR || reason == SHARC_GRADED_WORD_BROKEN;
    /* of a stale one the time is not known */
    bool when = reason != SHARC_GRADED_CLOCK && reason != SHARC_GRADED_STALE;
    if ((nothing && look->word) || !when || reason == SHARC_GRADED_CUT) look->body = 0;
}

/* Indexes for replay leave answers 304 out: the catalogue has them. The grade says whether the validator was one that
 * attests something. */
static void note_word(struct noting *n, const struct sharc_store_look *look, size_t visit,
                      enum sharc_grade_reason reason)
{
    if (look->when == SHARC_TIME_NONE || look->status != 304 || n->word_count >= SERVE_MOST_SIGHTS) return;
    if (sharc_grade_of(reason) != SHARC_GRADE_ATTESTED) return;
    struct sharc_sighting s = n->h->seen[visit];
    s.begun = look->when;
    s.ended = look->when + (look->took < 0 ? SERVE_LONGEST_DOWNLOAD : look->took);
    s.word = true;
    n->like[n->word_count] = visit;
    n->words[n->word_count++] = s;
}

static void note_page(struct noting *n, const struct sharc_store_page *p)
{
    const struct sharc_store_look *looks[] = {&p->visit, &p->second, &p->revisit};
    size_t visit = sight_of(n, &p->visit);
    struct serve_sight about = {.foreign = true};
    if (visit == SIZE_MAX) return;
    about.reference_from = about.reference_to = SHARC_TIME_NONE;
    note_capture(n, p->capture, &about);
    if (p->grade.reason == SHARC_GRADED_CUT && !about.foreign) n->h->seen[visit].body = 0;
    for (size_t k = 0; k < SHARC_LENGTH(looks); k++) {
        size_t i = sight_of(n, looks[k]);
        if (i == SIZE_MAX && !about.foreign) note_word(n, looks[k], visit, p->grade.reason);
        if (i == SIZE_MAX) continue;
        struct serve_sight *s = &n->h->sights[i];
        struct sharc_sighting *seen = &n->h->seen[i];
        s->grade = p->grade.reason;
        s->foreign = about.foreign;
        s->reference_from = about.reference_from;
        s->reference_to = about.reference_to;
        s->certified = about.certified;
        /* Other bytes with the same text are no proof of a change. */
        const struct sharc_digest *text = &looks[k]->text_digest;
        if (text->n) seen->text = sharc_fingerprint(sharc_span(text->bytes, text->n), 1) | 1;
        s->rate = p->visit.rate > 0 ? p->visit.rate : p->planned_rate;
        if (about.foreign) continue;
        if (looks[k]->took >= 0) seen->ended = seen->begun + looks[k]->took;
        if (i != visit) use_grade(seen, &n->h->seen[visit], s->status, p->grade.reason);
    }
}

/* --- all of them -------------------------------------------------------------------------------- */

static int note_url(struct noting *n)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_page_filter f = {.looks = true, .grades = true};
    struct sharc_store *store = n->catalogue->store;
    int r = sharc_store_url_find(store, n->h->sights[n->first].target, &f.url, NULL);
    if (r == SHARC_ENOENT) return 0;
    if (r == 0) r = sharc_store_pages(store, &f, &rows, NULL);
    while (r >= 0 && (r = sharc_store_rows_next(rows, NULL)) > 0) {
        struct sharc_store_page p;
        sharc_store_read_page(rows, &p);
        note_page(n, &p);
    }
    return r;
}

void sharc__serve_catalogue_note(const struct sharc_edition *e, struct serve_history *h)
{
    struct serve_catalogues *c = e->collection->catalogues;
    pthread_mutex_lock(&c->lock);
    for (size_t k = 0; k < c->count; k++) {
        struct noting n = {.catalogue = &c->items[k], .h = h};
        int r = is_open(&c->items[k]) ? 0 : SHARC_ENOENT;
        for (size_t i = 0; r >= 0 && i < h->count; i = n.first + n.count) {
            n.first = sharc__serve_history_range(h, i, &n.count);
            r = note_url(&n);
        }
        for (size_t i = 0; i < n.word_count; i++) {
            struct serve_sight s = h->sights[n.like[i]];
            s.status = 304;
            s.unreadable = true;
            sharc__serve_history_add(h, &s, &n.words[i]);
        }
        sharc__serve_history_sort(h);
        if (r >= 0 || !c->items[k].store) continue;
        sharc_store_freep(&c->items[k].store); /* and once more after a while */
        c->items[k].failed = sharc_clock_mono();
    }
    pthread_mutex_unlock(&c->lock);
}
