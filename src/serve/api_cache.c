/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers below /api/ that were given before. A verdict over 100,000 pages takes a second of one core, and a reader who
 * goes back and forth asks for it again and again. An answer counts as long as the catalogue is the same file, of the
 * same size and time; of a catalogue in PostgreSQL nobody can tell, so that nothing of it is kept.
 */
#include "api.h"

#include "sharc/archive.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_ANSWERS = 64, MOST_BYTES = 64 << 20, YOUNG = 2 };

struct kept {
    char *key;
    uint64_t signature, used;
    struct sharc_buf body;
};

struct serve_answers {
    pthread_mutex_t lock;
    struct kept items[MOST_ANSWERS];
    uint64_t clock;
    size_t bytes;
};

struct serve_answers *sharc__serve_answers_new(void)
{
    struct serve_answers *k = SHARC_NEW(struct serve_answers);
    pthread_mutex_init(&k->lock, NULL);
    return k;
}

static void drop(struct serve_answers *k, struct kept *item)
{
    k->bytes -= item->body.n;
    free(item->key);
    sharc_buf_done(&item->body);
    *item = (struct kept){0};
}

void sharc__serve_answers_free(struct serve_answers *k)
{
    if (!k) return;
    for (size_t i = 0; i < MOST_ANSWERS; i++)
        if (k->items[i].key) drop(k, &k->items[i]);
    pthread_mutex_destroy(&k->lock);
    free(k);
}

/* A file's identity, size and time, mixed into h. False: it is not there, or was written so lately that the next write
 * may leave it with the same time. A log of writes that is empty says as little as one that is not there: whoever opens
 * the catalogue makes one. */
static bool mix_file(const char *path, bool needed, sharc_time now, uint64_t *h)
{
    struct stat st;
    if (stat(path, &st) != 0 || (!needed && st.st_size == 0)) return !needed;
    const uint64_t parts[] = {(uint64_t)st.st_dev, (uint64_t)st.st_ino, (uint64_t)st.st_size,
                              (uint64_t)st.st_mtim.tv_sec, (uint64_t)st.st_mtim.tv_nsec};
    for (size_t i = 0; i < SHARC_LENGTH(parts); i++) *h = (*h ^ parts[i]) * 0x100000001b3u + (*h >> 29);
    return now / SHARC_SEC - st.st_mtim.tv_sec >= YOUNG;
}

uint64_t sharc__serve_answers_signature(const struct api_call *a)
{
    SHARC_AUTO(sharc_freep) char *store = NULL;
    struct sharc_clock *clock = a->call->server->o.clock;
    uint64_t h = 0xcbf29ce484222325u;
    if (sharc_archive_store(a->directory, NULL, &store, NULL) < 0 || strstr(store, "://")) return 0;
    SHARC_AUTO(sharc_freep) char *wal = sharc_asprintf("%s-wal", store);
    sharc_time now = clock->now(clock);
    if (!mix_file(store, true, now, &h) || !mix_file(wal, false, now, &h)) return 0;
    return h ? h : 1;
}

static struct kept *find(struct serve_answers *k, const char *key)
{
    for (size_t i = 0; i < MOST_ANSWERS; i++)
        if (k->items[i].key && strcmp(k->items[i].key, key) == 0) return &k->items[i];
    return NULL;
}

static char *key_of(const struct api_call *a)
{
    return sharc_asprintf("%s %.*s", a->directory, SHARC_SPAN_ARG(a->call->request->target));
}

bool sharc__serve_answers_get(struct serve_answers *k, const struct api_call *a, uint64_t signature,
                              struct sharc_buf *out)
{
    if (!signature) return false;
    SHARC_AUTO(sharc_freep) char *key = key_of(a);
    pthread_mutex_lock(&k->lock);
    struct kept *item = find(k, key);
    bool known = item && item->signature == signature;
    if (known) {
        item->used = ++k->clock;
        sharc_buf_put(out, sharc_buf_span(&item->body));
    }
    pthread_mutex_unlock(&k->lock);
    return known;
}

/* The one that was not asked for longest, or a free place. */
static struct kept *oldest(struct serve_answers *k)
{
    struct kept *best = &k->items[0];
    for (size_t i = 1; i < MOST_ANSWERS && best->key; i++)
        if (!k->items[i].key || k->items[i].used < best->used) best = &k->items[i];
    return best;
}

void sharc__serve_answers_put(struct serve_answers *k, const struct api_call *a, uint64_t signature,
                              const struct sharc_buf *body)
{
    if (!signature || body->failed || body->n > MOST_BYTES / 4) return;
    pthread_mutex_lock(&k->lock);
    char *key = key_of(a);
    struct kept *item = find(k, key);
    if (item) drop(k, item);
    while (k->bytes + body->n > MOST_BYTES) {
        struct kept *last = NULL;
        for (size_t i = 0; i < MOST_ANSWERS; i++)
            if (k->items[i].key && (!last || k->items[i].used < last->used)) last = &k->items[i];
        drop(k, last);
    }
    item = oldest(k);
    if (item->key) drop(k, item);
    *item = (struct kept){.key = key, .signature = signature, .used = ++k->clock, .body = SHARC_BUF_INIT(MOST_BYTES)};
    sharc_buf_put(&item->body, sharc_buf_span(body));
    k->bytes += item->body.n;
    pthread_mutex_unlock(&k->lock);
}
