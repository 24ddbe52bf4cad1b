/* SPDX-License-Identifier: Apache-2.0
 *
 * The hosts divided among several multi handles of libcurl. For each transfer libcurl 7.88 walks over all names
 * that the multi handle knows (to drop old ones, when a transfer has ended) and over all connections that it keeps (to
 * tell the socket of a transfer; to find the oldest, when there are too many). With thousands of hosts in one handle
 * that was 40 % of the CPU time of a crawl. Here each has some dozens.
 *
 * Requests to one origin always meet in the same shard: there its connection is found again, and its name.
 */
#include "fetch_int.h"

#include <stdlib.h>

enum { CONNECTIONS_EACH = 64, SHARDS_MOST = 256 };

void sharc__http_shards_start(struct fetcher *f)
{
    /* To a proxy all hosts are one. */
    unsigned count = f->set.proxy ? 1 : f->set.connections / CONNECTIONS_EACH;
    f->shards_count = count < 1 ? 1 : count > SHARDS_MOST ? SHARDS_MOST : count;
    f->shards = SHARC_NEW_ARRAY(struct shard, f->shards_count);
    for (unsigned i = 0; i < f->shards_count; i++) f->shards[i] = (struct shard){.owner = f, .timer = SHARC_TIME_NONE};
}

static int on_timer(CURLM *multi, long ms, void *arg)
{
    (void)multi;
    struct shard *s = arg;
    s->timer = ms < 0 ? SHARC_TIME_NONE : sharc__http_fetch_now(s->owner) + ms * SHARC_MSEC;
    return 0;
}

/* Hosts do not fall evenly: some shards may keep half as many again. */
static long kept_by_each(const struct fetcher *f)
{
    unsigned each = f->set.connections / f->shards_count;
    return f->shards_count > 1 ? (long)each + each / 2 : (long)each;
}

struct shard *sharc__http_shard_of(struct fetcher *f, uint64_t origin, curl_socket_callback on_watch)
{
    struct shard *s = &f->shards[(origin >> 32) % f->shards_count];
    if (s->multi) return s;
    s->multi = curl_multi_init();
    if (!s->multi) return NULL;
    curl_multi_setopt(s->multi, CURLMOPT_SOCKETFUNCTION, on_watch);
    curl_multi_setopt(s->multi, CURLMOPT_SOCKETDATA, s);
    curl_multi_setopt(s->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(s->multi, CURLMOPT_TIMERDATA, s);
    curl_multi_setopt(s->multi, CURLMOPT_MAXCONNECTS, kept_by_each(f));
    return s;
}

sharc_time sharc__http_shards_timer(const struct fetcher *f)
{
    sharc_time first = SHARC_TIME_NONE;
    for (unsigned i = 0; i < f->shards_count; i++) {
        sharc_time t = f->shards[i].timer;
        if (t != SHARC_TIME_NONE && (first == SHARC_TIME_NONE || t < first)) first = t;
    }
    return first;
}

void sharc__http_shard_event(struct shard *s, int fd, int events)
{
    int running;
    s->called = true;
    curl_multi_socket_action(s->multi, fd, events, &running);
}

void sharc__http_shards_call(struct fetcher *f, sharc_time now)
{
    for (unsigned i = 0; i < f->shards_count; i++) {
        struct shard *s = &f->shards[i];
        if (s->timer == SHARC_TIME_NONE || now < s->timer) continue;
        s->timer = SHARC_TIME_NONE;
        sharc__http_shard_event(s, CURL_SOCKET_TIMEOUT, 0);
    }
}

struct transfer *sharc__http_shards_ended(struct fetcher *f, CURLcode *ret)
{
    for (unsigned i = 0; i < f->shards_count; i++) {
        struct shard *s = &f->shards[i];
        int left;
        CURLMsg *m;
        while (s->called && (m = curl_multi_info_read(s->multi, &left))) {
            struct transfer *t = NULL;
            if (m->msg != CURLMSG_DONE) continue;
            *ret = m->data.result; /* m dies with the handle's removal */
            curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&t);
            return t;
        }
        s->called = false;
    }
    return NULL;
}

void sharc__http_shards_free(struct fetcher *f)
{
    for (unsigned i = 0; i < f->shards_count; i++)
        if (f->shards[i].multi) curl_multi_cleanup(f->shards[i].multi);
    free(f->shards);
}
