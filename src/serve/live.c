/* SPDX-License-Identifier: Apache-2.0
 *
 * /api/live and /api/steer: the crawl that runs on an archive, told once or, to whoever accepts text/event-stream,
 * again whenever something has changed; and wishes to it.
 *
 * One thread looks at the archives once a second, as long as somebody watches, and wakes the streams that have news:
 * twenty who watch cost no more than one.
 */
#include "api.h"

#include "sharc/archive_box.h"
#include "sharc/archive_live.h"
#include "sharc/base_digest.h"
#include "sharc/base_pool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_STREAMS = 32, MOST_LINES = 40, TAIL = 32 << 10, MOST_TEXT = 1 << 20, PING = 10, CAPTURES = 5 };

/* --- the log ------------------------------------------------------------------------------ */

/* Blank-separated fields of a line of crawl.log; returns how many there are. */
static size_t fields_of(struct sharc_span line, struct sharc_span *ret, size_t most)
{
    struct sharc_span word;
    size_t n = 0;
    while (n < most && sharc_span_next(&line, ' ', &word))
        if (word.n) ret[n++] = word;
    return n;
}

/* "TIME CODE SIZE URL HOPS VIA TYPE THREAD STARTED DIGEST SOURCE NOTES …" */
static void put_line(struct sharc_json *j, struct sharc_span line)
{
    enum { TIME, CODE, SIZE, URL, NOTES = 11, FIELDS = 12 };
    struct sharc_span f[FIELDS];
    size_t n = fields_of(line, f, FIELDS);
    int64_t code;
    if (n <= URL || sharc_span_to_i64(f[CODE], &code) < 0) return;
    sharc_json_object(j, NULL);
    sharc_json_span(j, "when", f[TIME]);
    sharc_json_int(j, "code", code);
    sharc_json_span(j, "size", f[SIZE]);
    sharc_json_span(j, "url", sharc_span_sub(f[URL], 0, 500));
    sharc_json_span(j, "note", n > NOTES ? sharc_span_sub(f[NOTES], 0, 200) : SHARC_SPAN(""));
    sharc_json_end(j);
}

/* The last lines, the newest first. */
static void put_log(struct sharc_json *j, const char *directory)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_path(directory, SHARC_ARCHIVE_CRAWL_LOG);
    SHARC_AUTO(sharc_freep) char *tail = sharc_malloc(TAIL);
    struct sharc_span lines[MOST_LINES], line;
    size_t count = 0, n = 0;
    FILE *f = fopen(path, "re");
    sharc_json_array(j, "log");
    if (f) {
        bool cut = fseek(f, -(long)TAIL, SEEK_END) == 0;
        if (!cut) rewind(f);
        n = fread(tail, 1, TAIL, f);
        fclose(f);
        struct sharc_span rest = sharc_span(tail, n);
        if (cut) sharc_span_next(&rest, '\n', &line); /* half a line */
        while (sharc_span_find(rest, '\n', 0) != SHARC_NPOS && sharc_span_next(&rest, '\n', &line))
            lines[count++ % MOST_LINES] = line;
    }
    for (size_t i = 0; i < count && i < MOST_LINES; i++) put_line(j, lines[(count - 1 - i) % MOST_LINES]);
    sharc_json_end(j);
}

/* --- what is told ---------------------------------------------------------------------------- */

static void put_status(struct sharc_json *j, const struct sharc_archive_live *l)
{
    sharc_json_object(j, "status");
    sharc__serve_api_time(j, "when", l->when);
    sharc__serve_api_time(j, "started", l->started);
    sharc_json_str(j, "phase", l->phase);
    sharc_json_bool(j, "paused", l->paused);
    sharc_json_uint(j, "sites", l->sites);
    sharc_json_uint(j, "sites_done", l->sites_done);
    sharc_json_uint(j, "known", l->known);
    sharc_json_uint(j, "visited", l->visited);
    sharc_json_uint(j, "to_visit", l->to_visit);
    sharc_json_uint(j, "revisited", l->revisited);
    sharc_json_uint(j, "to_revisit", l->to_revisit);
    sharc_json_uint(j, "coherent", l->coherent);
    sharc_json_uint(j, "controls", l->controls);
    sharc_json_uint(j, "downloads", l->downloads);
    sharc_json_uint(j, "failed", l->failed);
    sharc_json_uint(j, "skipped", l->skipped);
    sharc_json_uint(j, "bytes", l->bytes);
    sharc_json_uint(j, "under_way", l->under_way);
    sharc_json_uint(j, "retries", l->retries);
    sharc__serve_api_time(j, "expected_end", l->expected_end);
    sharc_json_int(j, "delay_ms", l->delay / SHARC_MSEC);
    sharc_json_str(j, "trouble", l->trouble[0] ? l->trouble : NULL);
    sharc_json_str(j, "remark", l->remark[0] ? l->remark : NULL);
    sharc__serve_api_time(j, "remarked", l->remarked);
    sharc_json_end(j);
}

static int put_captures(struct sharc_json *j, const char *directory)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const struct sharc_store_options o = {.read_only = true, .must_exist = true, .cache_urls = 1000};
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture c;
    f.newest_first = true;
    sharc_json_array(j, "captures");
    int r = sharc_archive_open(directory, NULL, &o, &store, NULL);
    if (r >= 0) r = sharc_store_captures(store, &f, &rows, NULL);
    for (int i = 0; i < CAPTURES && r >= 0 && (r = sharc_store_rows_next(rows, NULL)) > 0; i++) {
        sharc_store_read_capture(rows, &c);
        sharc_json_object(j, NULL);
        sharc__serve_api_put_capture(j, &c);
        sharc_json_end(j);
    }
    sharc_json_end(j);
    return r;
}

/* A crawl that has just begun has said nothing yet: status is null. */
static void put_live(struct sharc_json *j, const struct sharc_serve *s, const char *directory)
{
    struct sharc_archive_holder holder;
    struct sharc_archive_live live;
    bool held = sharc_archive_holder(directory, &holder);
    bool crawls = held && holder.work == SHARC_ARCHIVE_CRAWL;
    sharc_json_bool(j, "running", crawls);
    sharc_json_str(j, "work", held ? sharc_archive_work_name(holder.work) : NULL);
    sharc__serve_api_time(j, "since", held ? holder.since : SHARC_TIME_NONE);
    sharc_json_bool(j, "writable", s->token != NULL);
    if (crawls && sharc_archive_live_read(directory, &live))
        put_status(j, &live);
    else
        sharc_json_null(j, "status");
    (void)put_captures(j, directory); /* a catalogue that cannot be read now has none */
    put_log(j, directory);
}

int sharc__serve_api_live(struct api_call *a, struct sharc_err *reterr)
{
    (void)reterr;
    put_live(&a->json, a->call->server, a->directory);
    return 0;
}

/* --- streams ------------------------------------------------------------------------------------ */

struct live_stream {
    struct serve_live *live;
    struct live_stream *next;
    struct sharc_http_stream *stream;
    char *directory;
    uint64_t told;            /* fingerprint of what was told last */
    unsigned quiet;           /* seconds since */
    struct sharc_buf text;    /* to be sent … */
    struct sharc_buf sending; /* … and under way */
};

struct serve_live {
    struct sharc_serve *server;
    pthread_mutex_t lock;
    pthread_cond_t some;
    struct live_stream *first;
    unsigned count;
    bool stop;
    struct sharc_pool *pool; /* of one thread */
};

static int pull(void *arg, struct sharc_span *ret, struct sharc_err *reterr)
{
    struct live_stream *x = arg;
    (void)reterr;
    pthread_mutex_lock(&x->live->lock);
    sharc_buf_clear(&x->sending);
    sharc_buf_put(&x->sending, sharc_buf_span(&x->text));
    sharc_buf_clear(&x->text);
    pthread_mutex_unlock(&x->live->lock);
    *ret = sharc_buf_span(&x->sending);
    return x->sending.n ? 1 : SHARC_EBUSY;
}

static void done(void *arg)
{
    struct live_stream *x = arg;
    pthread_mutex_lock(&x->live->lock);
    for (struct live_stream **p = &x->live->first; *p; p = &(*p)->next)
        if (*p == x) {
            *p = x->next;
            x->live->count--;
            break;
        }
    pthread_mutex_unlock(&x->live->lock);
    sharc_buf_done(&x->text);
    sharc_buf_done(&x->sending);
    free(x->directory);
    free(x);
}

/* An archive that somebody watches, and what there is to be told of it. */
struct watched {
    char *directory;
    struct sharc_buf text;
};

static size_t list_watched(struct serve_live *l, struct watched *ret)
{
    size_t n = 0;
    for (const struct live_stream *x = l->first; x; x = x->next) {
        size_t i = 0;
        while (i < n && strcmp(ret[i].directory, x->directory) != 0) i++;
        if (i == n) ret[n++] = (struct watched){sharc_strdup(x->directory), SHARC_BUF_INIT(MOST_TEXT)};
    }
    return n;
}

static void look(struct serve_live *l, struct watched *w)
{
    struct sharc_json j;
    sharc_buf_put_str(&w->text, "data: ");
    sharc_json_init(&j, &w->text, false);
    sharc_json_object(&j, NULL);
    put_live(&j, l->server, w->directory);
    sharc_json_end(&j);
    sharc_buf_put_str(&w->text, "\n\n");
}

static void hand_out(struct live_stream *x, const struct watched *w)
{
    uint64_t mark = sharc_fingerprint(sharc_buf_span(&w->text), 1);
    bool news = mark != x->told && !w->text.failed;
    if (!news && ++x->quiet < PING) return;
    if (x->text.n) sharc_buf_clear(&x->text); /* who reads slowly misses what is old */
    if (news)
        sharc_buf_put(&x->text, sharc_buf_span(&w->text));
    else
        sharc_buf_put_str(&x->text, ": nothing new\n\n"); /* so that whoever has gone is noticed */
    x->told = mark;
    x->quiet = 0;
    sharc_http_stream_wake(x->stream);
}

/* Under the lock, which it gives back while it reads. */
static void look_around(struct serve_live *l)
{
    struct watched w[MOST_STREAMS];
    size_t n = list_watched(l, w);
    pthread_mutex_unlock(&l->lock);
    for (size_t i = 0; i < n; i++) look(l, &w[i]);
    pthread_mutex_lock(&l->lock);
    for (struct live_stream *x = l->first; x; x = x->next)
        for (size_t i = 0; i < n; i++)
            if (strcmp(w[i].directory, x->directory) == 0) hand_out(x, &w[i]);
    for (size_t i = 0; i < n; i++) {
        free(w[i].directory);
        sharc_buf_done(&w[i].text);
    }
}

static void watch(void *arg)
{
    struct serve_live *l = arg;
    pthread_mutex_lock(&l->lock);
    while (!l->stop) {
        struct timespec until;
        if (!l->first) {
            pthread_cond_wait(&l->some, &l->lock);
            continue;
        }
        look_around(l);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        while (!l->stop && pthread_cond_timedwait(&l->some, &l->lock, &until) == 0)
            if (l->first && !l->first->told) break; /* somebody new does not wait */
    }
    pthread_mutex_unlock(&l->lock);
}

struct serve_live *sharc__serve_live_new(struct sharc_serve *s)
{
    struct serve_live *l = SHARC_NEW(struct serve_live);
    l->server = s;
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->some, NULL);
    l->pool = sharc_pool_new(1);
    sharc_pool_submit(l->pool, watch, l);
    return l;
}

void sharc__serve_live_free(struct serve_live *l)
{
    if (!l) return;
    pthread_mutex_lock(&l->lock);
    l->stop = true;
    pthread_cond_signal(&l->some);
    pthread_mutex_unlock(&l->lock);
    sharc_pool_free(l->pool);
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->some);
    free(l);
}

bool sharc__serve_wants_events(const struct serve_call *c)
{
    return sharc_span_starts(sharc_http_request_header(c->request, "Accept"), SHARC_SPAN("text/event-stream"));
}

bool sharc__serve_live_stream(struct serve_call *c, const char *directory)
{
    struct serve_live *l = c->server->live;
    struct live_stream *x = SHARC_NEW(struct live_stream);
    x->live = l;
    x->directory = sharc_strdup(directory);
    sharc_buf_init(&x->text, MOST_TEXT);
    sharc_buf_init(&x->sending, MOST_TEXT);
    pthread_mutex_lock(&l->lock);
    bool room = l->count < MOST_STREAMS;
    if (room) {
        sharc__serve_policy(c);
        sharc__serve_header(c, "Content-Type", SHARC_SPAN("text/event-stream"));
        sharc__serve_header(c, "Cache-Control", SHARC_SPAN("no-store"));
        c->size = UINT64_MAX;
        x->stream = sharc_http_answer_stream(c->answer, UINT64_MAX, pull, done, x);
        x->next = l->first;
        l->first = x;
        l->count++;
        pthread_cond_signal(&l->some);
    }
    pthread_mutex_unlock(&l->lock);
    if (!room) {
        free(x->directory);
        free(x);
    }
    return room;
}

/* --- wishes ---------------------------------------------------------------------------------------- */

static bool is_wish(struct sharc_span wish)
{
    static const char *const words[] = {"pause", "continue"};
    static const char *const names[] = {"delay=",       "connections=", "depth=",   "limit-pages=",
                                        "limit-bytes=", "limit-time=",  "include=", "exclude="};
    for (size_t i = 0; i < wish.n; i++)
        if ((unsigned char)wish.p[i] < 0x20 || wish.p[i] == 0x7f) return false;
    for (size_t i = 0; i < SHARC_LENGTH(words); i++)
        if (sharc_span_is(wish, words[i])) return true;
    for (size_t i = 0; i < SHARC_LENGTH(names); i++)
        if (sharc_span_starts(wish, sharc_span_of(names[i]))) return wish.n <= SHARC_BOX_WISH;
    return false;
}

int sharc__serve_api_steer(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *wish = sharc__serve_api_text(a, "set");
    SHARC_FAIL_IF(!is_wish(sharc_span_of(wish)), reterr, SHARC_EINVAL,
                  "set must be pause, continue, or NAME=VALUE with one of delay, connections, depth, limit-pages, "
                  "limit-bytes, limit-time, include, exclude");
    /* Whether the crawl takes it is in what /api/live tells a moment later: nobody waits here. */
    int r = sharc_box_ask(a->directory, SHARC_ARCHIVE_CRAWL, sharc_span_of(wish), 0, reterr);
    if (r == 0) sharc_json_str(&a->json, "asked", wish);
    return r;
}
