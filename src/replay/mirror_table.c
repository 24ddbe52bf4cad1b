/* SPDX-License-Identifier: Apache-2.0
 *
 * Which capture stands for a URL, where its bytes are, and what its file is
 * called. Numbers are dense, so everything about a URL is one array element.
 */
#include "mirror_int.h"

#include "sharc/base_digest.h"
#include "sharc/base_limits.h"
#include "sharc/url_canon.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_HOPS = 20 };

void sharc__replay_mirror_table_init(struct mirror_table *t)
{
    *t = (struct mirror_table){.urls = sharc_intern_new(),
                               .mimes = sharc_intern_new(),
                               .keys = sharc_intern_new(),
                               .paths = sharc_intern_new(),
                               .taken = sharc_intern_new()};
    sharc_map64_init(&t->wanted);
    sharc_map64_init(&t->originals);
    sharc_buf_init(&t->text, 16 * SHARC_LIMIT_URL);
}

void sharc__replay_mirror_table_done(struct mirror_table *t)
{
    sharc_intern_free(t->urls);
    sharc_intern_free(t->mimes);
    sharc_intern_free(t->keys);
    sharc_intern_free(t->paths);
    sharc_intern_free(t->taken);
    sharc_map64_done(&t->wanted);
    sharc_map64_done(&t->originals);
    free(t->entries);
    free(t->key_entry);
    free(t->asked);
    free(t->uses);
    sharc_url_done(&t->url);
    sharc_buf_done(&t->text);
}

/* --- choosing --------------------------------------------------------------- */

static uint32_t entry_of(struct mirror_table *t, struct sharc_span url)
{
    bool fresh;
    uint32_t number = sharc_intern_add(t->urls, url, &fresh);
    if (!fresh) return number;
    SHARC_GROW(t->entries, t->room, (size_t)number + 1);
    t->entries[number] = (struct mirror_entry){.source = MIRROR_NO_SOURCE, .path = SHARC_NO_ID};
    t->count = (size_t)number + 1;
    return number;
}

static uint64_t distance(sharc_time a, sharc_time b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* Of two captures of the same instant the later one in the files. */
static bool is_better(const struct mirror_capture *c, const struct mirror_entry *e, sharc_time at)
{
    if (e->kind == MIRROR_UNKNOWN || e->date == SHARC_TIME_NONE) return true;
    if (c->date == SHARC_TIME_NONE) return false;
    return at == SHARC_TIME_NONE ? c->date >= e->date : distance(c->date, at) <= distance(e->date, at);
}

void sharc__replay_mirror_offer(struct mirror_table *t, const struct mirror_capture *c, sharc_time at)
{
    uint32_t number = entry_of(t, c->url);
    if (!is_better(c, &t->entries[number], at)) return;
    uint32_t other = 0;
    if (c->kind == MIRROR_REDIRECT) other = entry_of(t, c->target);
    if (c->kind == MIRROR_REVISIT) {
        SHARC_GROW(t->asked, t->asked_room, t->asked_count + 1);
        other = (uint32_t)t->asked_count++;
        memcpy(t->asked[other].keys, c->keys, sizeof c->keys);
    }
    struct mirror_entry *e = &t->entries[number];
    e->kind = (uint8_t)c->kind;
    e->date = c->date;
    e->other = other;
    e->source = c->kind == MIRROR_FILE ? c->number : MIRROR_NO_SOURCE;
    e->mime = sharc_intern_add(t->mimes, c->mime, NULL);
}

/* --- originals of revisits --------------------------------------------------- */

bool sharc__replay_mirror_wants_originals(struct mirror_table *t)
{
    bool any = false;
    for (size_t i = 0; i < t->count; i++) {
        if (t->entries[i].kind != MIRROR_REVISIT) continue;
        any = true;
        for (int w = 0; w < SHARC_WARC_WAYS; w++)
            if (t->asked[t->entries[i].other].keys[w])
                sharc_map64_at(&t->wanted, t->asked[t->entries[i].other].keys[w]);
    }
    return any;
}

bool sharc__replay_mirror_wants(const struct mirror_table *t, const uint64_t keys[SHARC_WARC_WAYS])
{
    for (int w = 0; w < SHARC_WARC_WAYS; w++)
        if (keys[w] && sharc_map64_find(&t->wanted, keys[w])) return true;
    return false;
}

void sharc__replay_mirror_original(struct mirror_table *t, uint64_t number, const uint64_t keys[SHARC_WARC_WAYS],
                                   struct sharc_span mime)
{
    bool taken = false;
    for (int w = 0; w < SHARC_WARC_WAYS; w++) {
        if (!keys[w] || !sharc_map64_find(&t->wanted, keys[w])) continue;
        uint64_t *slot = sharc_map64_at(&t->wanted, keys[w]);
        taken = taken || !*slot;
        if (!*slot) *slot = number + 1;
    }
    if (taken) *sharc_map64_at(&t->originals, number) = (uint64_t)sharc_intern_add(t->mimes, mime, NULL) + 1;
}

static bool find_original(struct mirror_table *t, struct mirror_entry *e)
{
    const uint64_t *slot = NULL;
    for (int w = 0; w < SHARC_WARC_WAYS && !(slot && *slot); w++) {
        uint64_t key = t->asked[e->other].keys[w];
        slot = key ? sharc_map64_find(&t->wanted, key) : NULL;
    }
    if (!slot || !*slot) return false;
    e->source = *slot - 1;
    const uint64_t *mime = sharc_map64_find(&t->originals, e->source);
    bool unsaid = !sharc_intern_text(t->mimes, e->mime).n; /* a revisit need not repeat the head */
    if (mime && unsaid) e->mime = (uint32_t)(*mime - 1);
    return true;
}

/* --- names ------------------------------------------------------------------- */

/* Files are told apart as if case did not matter: on many disks it does not. */
static struct sharc_span folded(struct sharc_buf *b, struct sharc_span path)
{
    sharc_buf_clear(b);
    for (size_t i = 0; i < path.n; i++) sharc_buf_put_char(b, sharc_to_lower(path.p[i]));
    return sharc_buf_span(b);
}

static void desired_path(struct mirror_table *t, size_t i, struct sharc_buf *out)
{
    sharc_buf_clear(out);
    if (sharc_url_parse(&t->url, sharc_intern_text(t->urls, (uint32_t)i), NULL, NULL) == 0)
        sharc_mirror_path(&t->url, sharc_intern_text(t->mimes, t->entries[i].mime), out);
}

/* No file may have the name of a directory, so these are taken first. */
static void take_directories(struct mirror_table *t, struct sharc_buf *path)
{
    for (size_t i = 0; i < t->count; i++) {
        if (t->entries[i].source == MIRROR_NO_SOURCE) continue;
        desired_path(t, i, path);
        struct sharc_span all = folded(&t->text, sharc_buf_span(path));
        for (size_t at = 0; (at = sharc_span_find(all, '/', at)) != SHARC_NPOS; at++)
            sharc_intern_add(t->taken, sharc_span_sub(all, 0, at), NULL);
    }
}

static void name_files(struct mirror_table *t)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf path = SHARC_BUF_INIT(16 * SHARC_LIMIT_URL);
    take_directories(t, &path);
    for (size_t i = 0; i < t->count; i++) {
        if (t->entries[i].source == MIRROR_NO_SOURCE) continue;
        desired_path(t, i, &path);
        size_t at = sharc__replay_mirror_extension(sharc_buf_span(&path)), mark = 0;
        bool fresh = false;
        for (uint64_t seed = 0; !fresh; seed++) {
            sharc_intern_add(t->taken, folded(&t->text, sharc_buf_span(&path)), &fresh);
            if (fresh) break;
            char text[16];
            uint64_t print = sharc_fingerprint(sharc_intern_text(t->urls, (uint32_t)i), seed);
            int n = snprintf(text, sizeof text, "~%08" PRIx32, (uint32_t)print);
            sharc_buf_splice(&path, at, mark, sharc_span(text, (size_t)n));
            mark = (size_t)n;
        }
        t->entries[i].path = sharc_intern_add(t->paths, sharc_buf_span(&path), NULL);
    }
}

/* --- finding ----------------------------------------------------------------- */

static void add_key(struct mirror_table *t, size_t i)
{
    bool fresh;
    sharc_buf_clear(&t->text);
    if (sharc_url_key(sharc_intern_text(t->urls, (uint32_t)i), &t->text, NULL) < 0) return;
    uint32_t key = sharc_intern_add(t->keys, sharc_buf_span(&t->text), &fresh);
    if (!fresh) return;
    SHARC_GROW(t->key_entry, t->key_room, (size_t)key + 1);
    t->key_entry[key] = (uint32_t)i;
}

static int by_source(const void *a, const void *b)
{
    const struct mirror_use *x = a, *y = b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

uint64_t sharc__replay_mirror_settle(struct mirror_table *t)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->entries[i].kind == MIRROR_REVISIT && !find_original(t, &t->entries[i])) lost++;
    name_files(t);
    t->uses = SHARC_NEW_ARRAY(struct mirror_use, t->count);
    for (size_t i = 0; i < t->count; i++) {
        if (t->entries[i].source == MIRROR_NO_SOURCE) continue;
        t->uses[t->use_count++] = (struct mirror_use){t->entries[i].source, (uint32_t)i};
        add_key(t, i);
    }
    /* Where a URL and its twin differ, one with bytes comes before a redirect. */
    for (size_t i = 0; i < t->count; i++)
        if (t->entries[i].kind == MIRROR_REDIRECT) add_key(t, i);
    if (t->use_count) qsort(t->uses, t->use_count, sizeof *t->uses, by_source);
    return lost;
}

static uint32_t look_up(struct mirror_table *t, struct sharc_span url)
{
    uint32_t number = sharc_intern_find(t->urls, url);
    if (number != SHARC_NO_ID && t->entries[number].kind != MIRROR_UNKNOWN) return number;
    sharc_buf_clear(&t->text);
    if (sharc_url_key(url, &t->text, NULL) < 0) return SHARC_NO_ID;
    uint32_t key = sharc_intern_find(t->keys, sharc_buf_span(&t->text));
    return key == SHARC_NO_ID ? SHARC_NO_ID : t->key_entry[key];
}

const struct mirror_entry *sharc__replay_mirror_find(struct mirror_table *t, struct sharc_span url)
{
    uint32_t number = look_up(t, url);
    for (int hop = 0; number != SHARC_NO_ID && hop < MOST_HOPS; hop++) {
        const struct mirror_entry *e = &t->entries[number];
        if (e->kind != MIRROR_REDIRECT) return e->path == SHARC_NO_ID ? NULL : e;
        number = look_up(t, sharc_intern_text(t->urls, e->other));
    }
    return NULL;
}
