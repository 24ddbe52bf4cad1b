/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the catalogue, one pass over each table of each capture.
 *
 * The captures to be judged are read whole. Of all others only what shows the same URLs is
 * kept: so a capture of a large archive needs memory for itself, and not for the archive.
 */
#include "assess_int.h"
#include "sharc/quality_weight.h"
#include "sharc/store_weakness.h"

#include <stdlib.h>

/* --- captures ------------------------------------------------------------------------------ */

static int load_captures(struct sharc_assess *a, sharc_store_id asked, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_captures(a->store, NULL, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_capture c;
        struct sharc_store_claim claim;
        sharc_store_read_capture(rows, &c);
        SHARC_GROW(a->captures, a->capture_room, a->capture_count + 1);
        a->captures[a->capture_count++] = (struct capture){.id = c.id,
                                                           .site = c.site,
                                                           .asked = !asked || c.id == asked,
                                                           .row = c,
                                                           .grader = sharc_store_grader(&c, &claim),
                                                           .claim = claim,
                                                           .key = sharc_span_dup(c.key),
                                                           .site_name = sharc_span_dup(c.site_name),
                                                           .purpose = sharc_span_dup(c.purpose),
                                                           .source = sharc_span_dup(c.source),
                                                           .weakened = sharc_store_weakened(c.params)};
    }
    if (r < 0) return r;
    a->asked = SHARC_NEW_ARRAY(uint32_t, a->capture_count + 1);
    for (size_t i = 0; i < a->capture_count; i++)
        if (a->captures[i].asked) a->asked[a->asked_count++] = (uint32_t)i;
    SHARC_FAIL_IF(asked && !a->asked_count, reterr, SHARC_ENOENT, "there is no capture number %lld", (long long)asked);
    return 0;
}

/* --- downloads ----------------------------------------------------------------------------- */

enum { PIECE = 4096 };

/* Where the index of a URL stands; NULL: nowhere yet. */
static uint32_t *number_at(struct sharc__assess_numbers *n, sharc_store_id id, bool add)
{
    if (id <= 0 || id > (sharc_store_id)UINT32_MAX * 16) return NULL; /* no catalogue of ours */
    size_t piece = (size_t)id / PIECE;
    if (piece >= n->count && !add) return NULL;
    if (piece >= n->count) {
        SHARC_GROW(n->pieces, n->room, piece + 1);
        while (n->count <= piece) n->pieces[n->count++] = NULL;
    }
    if (!n->pieces[piece] && !add) return NULL;
    if (!n->pieces[piece]) n->pieces[piece] = SHARC_NEW_ARRAY(uint32_t, PIECE);
    return &n->pieces[piece][(size_t)id % PIECE];
}

static uint32_t url_index(struct sharc_assess *a, sharc_store_id id, bool add)
{
    uint32_t *at = number_at(&a->url_of, id, add);
    if (!at || (*at == 0 && !add)) return SHARC_NO_ID;
    if (*at == 0) {
        SHARC_GROW(a->urls, a->url_room, a->url_count + 1);
        a->urls[a->url_count++] = (struct url){.id = id, .group = SHARC_NO_ID};
        *at = (uint32_t)a->url_count;
    }
    return *at - 1;
}

static uint32_t group_index(struct sharc_assess *a, sharc_store_id host, bool html)
{
    uint64_t *at = sharc_map64_at(&a->group_of, (uint64_t)host * 2 + html);
    if (*at == 0) {
        SHARC_GROW(a->groups, a->group_room, a->group_count + 1);
        a->groups[a->group_count++] = (struct group){.rate = (double)NAN};
        *at = a->group_count;
    }
    return (uint32_t)*at - 1;
}

static uint32_t number_of(struct sharc_intern *t, struct sharc_span s)
{
    return s.n ? sharc_intern_add(t, s, NULL) : 0;
}

/* What a download showed, as a number that is the same only for the same. Statuses that say nothing about the page (a
 * server's failure, a refusal) give none; that it is gone is something seen. */
static uint32_t body_of(struct sharc_assess *a, const struct sharc_store_sighting *s, uint32_t redirect,
                        struct sharc_sighting *ret)
{
    struct {
        int32_t status;
        uint32_t what;
    } key = {s->status, redirect};
    bool content = (s->status >= 200 && s->status < 300) || s->status == 304 ||
                   (s->status == 0 && s->record == SHARC_STORE_RESOURCE);
    ret->word = s->status == 304 || (s->kind == SHARC_LOOK_VISIT && s->record == SHARC_STORE_NOT_MODIFIED);
    if (content) {
        uint32_t digest = number_of(a->bodies, s->digest);
        ret->method = digest ? (uint8_t)(1 + (uint8_t)s->digest.p[0]) : 0;
        ret->body = digest;
        return digest;
    }
    bool moved = s->status >= 300 && s->status < 400, gone = s->status == 404 || s->status == 410;
    if (gone) key.status = 404;
    if (!moved && !gone) return 0;
    /* Longer than no digest, shorter than any: it cannot be one. */
    ret->body = sharc_intern_add(a->bodies, sharc_span((const char *)&key, sizeof key), NULL);
    return 0;
}

static uint8_t flags_of(const struct sharc_store_sighting *s, const struct sharc_sighting *seen, uint32_t redirect)
{
    bool html = sharc_span_is(s->mime, "text/html") || sharc_span_is(s->mime, "application/xhtml+xml");
    bool content = seen->body && (s->status < 300 || s->status == 304);
    uint8_t f = 0;
    if (s->modified != SHARC_TIME_NONE) f |= ROW_DATED;
    if (html) f |= ROW_HTML;
    if (sharc_span_is(s->mime, "text/css")) f |= ROW_STYLE;
    if (content || (seen->body && redirect != SHARC_NO_ID)) f |= ROW_SHOWN;
    return f;
}

/* When a download ended at the latest. A date without a fraction is one of many crawlers that cut it off: it happened
 * some time within that second. */
static sharc_time end_of(const struct sharc_store_sighting *s)
{
    sharc_time grain = s->when % SHARC_SEC == 0 ? SHARC_SEC : s->when % SHARC_MSEC == 0 ? SHARC_MSEC : 1;
    return s->when + (s->took > 0 ? s->took : 0) + grain - 1;
}

/* By the grades of its capture, and as what it was fetched. Every page that counts is known at the instant at which the
 * reference begins. */
static uint8_t grade_flags(const struct sharc_store_capture *c, const struct sharc_store_sighting *s)
{
    if (s->kind != SHARC_LOOK_VISIT) return s->follower ? 0 : ROW_PLANNED;
    if (s->reason == SHARC_GRADED_NOT_GRADED) return 0;
    bool proof = sharc_grade_is_proof(sharc_grade_of(s->reason)) && c->reference_from != SHARC_TIME_NONE &&
                 s->known_from != SHARC_TIME_NONE && s->known_to != SHARC_TIME_NONE;
    bool together = proof && s->known_from <= c->reference_from && c->reference_from <= s->known_to;
    return (uint8_t)((s->follower ? ROW_FOLLOWER : 0) | (together ? ROW_TOGETHER : 0));
}

static float part_weight(const struct sharc_store_sighting *s)
{
    struct sharc_part_look look = SHARC_PART_LOOK_INIT;
    look.kind = sharc_quality_kind_of_type(s->mime);
    look.bytes = s->size;
    return (float)sharc_quality_part_weight(&look);
}

static void add_row(struct sharc_assess *a, const struct sharc_store_sighting *s, uint32_t url, uint32_t capture)
{
    size_t i = a->count++;
    SHARC_GROW(a->rows, a->room, a->count);
    SHARC_GROW(a->seen, a->seen_room, a->count);
    uint32_t redirect = s->redirect ? url_index(a, s->redirect, true) : SHARC_NO_ID;
    struct sharc_sighting seen = {.begun = s->when,
                                  .ended = end_of(s),
                                  .modified = s->modified,
                                  .text = number_of(a->texts, s->text_digest)};
    uint32_t digest = body_of(a, s, redirect, &seen);
    a->seen[i] = seen;
    a->rows[i] = (struct row){.url = url,
                              .capture = capture,
                              .redirect = redirect,
                              .digest = digest,
                              .weight = (float)s->weight,
                              .rate = (float)s->rate,
                              .part_weight = part_weight(s),
                              .mime = number_of(a->mimes, s->mime),
                              .status = (int16_t)s->status,
                              .kind = (uint8_t)s->kind,
                              .record = (uint8_t)s->record,
                              .reason = (uint8_t)s->reason,
                              .flags = flags_of(s, &seen, redirect) | grade_flags(&a->captures[capture].row, s)};
    if (s->kind != SHARC_LOOK_VISIT) return;
    bool html = (a->rows[i].flags & ROW_HTML) != 0;
    if (a->urls[url].group == SHARC_NO_ID) a->urls[url].group = group_index(a, s->host, html);
}

static int load_table(struct sharc_assess *a, uint32_t capture, bool visits, bool add, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    sharc_store_id id = a->captures[capture].id;
    int r = visits ? sharc_store_visits(a->store, id, &rows, reterr) : sharc_store_looks(a->store, id, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_sighting s;
        sharc_store_read_sighting(rows, &s);
        uint32_t url = url_index(a, s.url, add);
        if (url == SHARC_NO_ID || s.when == SHARC_TIME_NONE) continue; /* never downloaded */
        SHARC_FAIL_IF(a->count == UINT32_MAX - 1, reterr, SHARC_ELIMIT,
                      "more than %zu downloads cannot be judged at "
                      "once; name one capture",
                      a->count);
        add_row(a, &s, url, capture);
    }
    return r;
}

static int load_capture(struct sharc_assess *a, uint32_t capture, bool add, struct sharc_err *reterr)
{
    int r = load_table(a, capture, true, add, reterr);
    return r < 0 ? r : load_table(a, capture, false, false, reterr);
}

/* --- what pages embed ------------------------------------------------------------------------- */

enum { LINK_EMBED = 1 }; /* SHARC_LINK_EMBED of extract, which this room may not include */

/* Of one page of the capture, or of all: from 0. */
static int load_embeds(struct sharc_assess *a, uint32_t capture, sharc_store_id of, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_link_filter f = {.capture = a->captures[capture].id, .from = of, .kinds = 1u << LINK_EMBED};
    sharc_store_id last = 0;
    uint32_t from = SHARC_NO_ID;
    int r = sharc_store_links(a->store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_edge e;
        sharc_store_read_edge(rows, &e);
        bool fresh = e.from != last;
        if (fresh) from = url_index(a, e.from, false);
        last = e.from;
        uint32_t to = from == SHARC_NO_ID || e.to == e.from ? SHARC_NO_ID : url_index(a, e.to, true);
        if (to == SHARC_NO_ID) continue;
        SHARC_FAIL_IF(a->embed_count == UINT32_MAX - 1, reterr, SHARC_ELIMIT,
                      "more than %zu embedded parts cannot be judged at once; name one capture", a->embed_count);
        struct sharc__assess_links *l = a->link_count ? &a->links[a->link_count - 1] : NULL;
        if (!l || l->url != from || l->capture != capture) {
            SHARC_GROW(a->links, a->link_room, a->link_count + 1);
            a->links[a->link_count++] = (struct sharc__assess_links){capture, from, (uint32_t)a->embed_count, 0};
        }
        SHARC_GROW(a->embeds, a->embed_room, a->embed_count + 1);
        a->embeds[a->embed_count++] = to;
        a->links[a->link_count - 1].n++;
    }
    return r;
}

/* Parts that the captures asked for do not have are taken from others, and may embed in their turn (styles, frames).
 * They are few; each is looked up. What they embed is looked at once more, and no further. */
static int load_foreign(struct sharc_assess *a, struct sharc_err *reterr)
{
    enum { MOST = 100000 }; /* look-ups: an archive with more of them has more missing than it has */
    size_t done = 0, asked = 0;
    int r = 0;
    for (int pass = 0; pass < 2; pass++) {
        size_t end = a->url_count;
        for (; r >= 0 && done < end; done++) {
            if (a->urls[done].group != SHARC_NO_ID) continue;
            for (uint32_t i = 0; r >= 0 && i < a->capture_count && asked < MOST; i++) {
                if (a->captures[i].asked) continue;
                r = load_embeds(a, i, a->urls[done].id, reterr);
                asked++;
            }
        }
    }
    return r;
}

static int load_embedded(struct sharc_assess *a, struct sharc_err *reterr)
{
    int r = 0;
    for (uint32_t i = 0; r >= 0 && i < a->capture_count; i++)
        if (a->captures[i].asked) r = load_embeds(a, i, 0, reterr);
    return r < 0 ? r : load_foreign(a, reterr);
}

static void weigh_url(void *arg, sharc_store_id url, struct sharc_span text)
{
    struct sharc_assess *a = arg;
    struct sharc_part_look look = SHARC_PART_LOOK_INIT;
    uint32_t i = url_index(a, url, false);
    if (i == SHARC_NO_ID) return;
    look.kind = sharc_quality_kind_of_url(text);
    a->urls[i].part_weight = (float)sharc_quality_part_weight(&look);
}

/* Of what was never downloaded only the URL tells what it is. */
static int weigh_missing(struct sharc_assess *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) sharc_store_id *ids = SHARC_NEW_ARRAY(sharc_store_id, a->url_count + 1);
    SHARC_AUTO(sharc_freep) bool *had = SHARC_NEW_ARRAY(bool, a->url_count + 1);
    size_t n = 0;
    for (size_t i = 0; i < a->count; i++) had[a->rows[i].url] |= (a->rows[i].flags & ROW_SHOWN) != 0;
    for (size_t i = 0; i < a->url_count; i++)
        if (!had[i]) ids[n++] = a->urls[i].id;
    return sharc_store_url_texts(a->store, ids, n, weigh_url, a, reterr);
}

int sharc__assess_load(struct sharc_assess *a, sharc_store_id capture, struct sharc_err *reterr)
{
    int r = load_captures(a, capture, reterr);
    for (uint32_t i = 0; r >= 0 && i < a->capture_count; i++)
        if (a->captures[i].asked) r = load_capture(a, i, true, reterr);
    if (r >= 0 && a->composites) r = load_embedded(a, reterr);
    for (uint32_t i = 0; r >= 0 && i < a->capture_count; i++)
        if (!a->captures[i].asked) r = load_capture(a, i, false, reterr);
    if (r >= 0 && a->composites) r = weigh_missing(a, reterr);
    return r < 0 ? r : 0;
}
