/* SPDX-License-Identifier: Apache-2.0
 *
 * One request: signed by libcurl, sent, and sent again while that may help.
 *
 * What libcurl 7.88 signs is the query as it is given, which must be sorted and escaped as Amazon says, and every
 * header line given to it. A line that is given to be left out ("Expect:") would be signed, too, and never sent.
 */
#include "object_int.h"

#include "sharc/base_digest.h"
#include "sharc/base_exhausted.h"
#include "sharc/base_rng.h"
#include "sharc/base_version.h"
#include "sharc/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MOST_CONNECT = 20000, /* ms */
    STALLED = 60,         /* s without a byte */
    PIECE = 256 << 10,
    REFUSAL_MOST = 64 << 10,
    USUAL_PAGE = 1000,
};
#define FIRST_PAUSE (200 * SHARC_MSEC)
#define LONGEST_PAUSE (20 * SHARC_SEC)
#define WAITS_AFTER (3 * SHARC_SEC)

/* --- the store ------------------------------------------------------------------ */

static char *copy(const char *s)
{
    return s && s[0] ? sharc_strdup(s) : NULL;
}

int sharc_object_store_new(const struct sharc_object_options *o, struct sharc_object_store **ret,
                           struct sharc_err *reterr)
{
    SHARC_FAIL_IF(curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK, reterr, SHARC_EUNSUPPORTED,
                  "libcurl cannot be started");
    struct sharc_object_store *s = SHARC_NEW(struct sharc_object_store);
    s->access_key = copy(o->access_key);
    s->secret_key = copy(o->secret_key);
    s->session_token = copy(o->session_token);
    s->region = sharc_strdup(o->region && o->region[0] ? o->region : "us-east-1");
    s->endpoint = copy(o->endpoint);
    s->ca_file = copy(o->ca_file);
    s->virtual_hosts = o->virtual_hosts;
    s->patience = o->patience ? o->patience : SHARC_MINUTE;
    s->page = o->page ? o->page : USUAL_PAGE;
    s->clock = o->clock ? o->clock : sharc_clock_real();
    s->waits = o->waits;
    s->waits_arg = o->waits_arg;
    pthread_mutex_init(&s->lock, NULL);
    *ret = s;
    return 0;
}

struct sharc_object_store *sharc_object_store_clone(const struct sharc_object_store *s)
{
    struct sharc_object_store *other = NULL;
    const struct sharc_object_options o = {.access_key = s->access_key,
                                           .secret_key = s->secret_key,
                                           .session_token = s->session_token,
                                           .region = s->region,
                                           .endpoint = s->endpoint,
                                           .virtual_hosts = s->virtual_hosts,
                                           .ca_file = s->ca_file,
                                           .patience = s->patience,
                                           .page = s->page,
                                           .clock = s->clock};
    if (sharc_object_store_new(&o, &other, NULL) < 0) SHARC_BUG("libcurl was started before");
    return other;
}

void sharc_object_store_break_off(struct sharc_object_store *s)
{
    s->broken_off = true;
}

static void forget(char *secret)
{
    if (secret) explicit_bzero(secret, strlen(secret));
    free(secret);
}

void sharc_object_store_free(struct sharc_object_store *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->idle_count; i++) curl_easy_cleanup(s->idle[i]);
    free(s->idle);
    pthread_mutex_destroy(&s->lock);
    free(s->access_key);
    forget(s->secret_key);
    forget(s->session_token);
    free(s->region);
    free(s->endpoint);
    free(s->ca_file);
    free(s);
    curl_global_cleanup();
}

void sharc_object_store_freep(struct sharc_object_store **s)
{
    sharc_object_store_free(*s);
    *s = NULL;
}

/* A handle keeps its connection, so that they are used again. */
static CURL *take_handle(struct sharc_object_store *s)
{
    pthread_mutex_lock(&s->lock);
    CURL *h = s->idle_count ? s->idle[--s->idle_count] : NULL;
    pthread_mutex_unlock(&s->lock);
    if (!h) h = curl_easy_init();
    if (!h) sharc__no_memory();
    return h;
}

static void give_handle(struct sharc_object_store *s, CURL *h)
{
    curl_easy_reset(h);
    pthread_mutex_lock(&s->lock);
    SHARC_GROW(s->idle, s->idle_room, s->idle_count + 1);
    s->idle[s->idle_count++] = h;
    pthread_mutex_unlock(&s->lock);
}

/* --- the body --------------------------------------------------------------------- */

static uint64_t body_size(const struct sharc_object_body *b)
{
    return b->fd >= 0 ? b->size : b->bytes.n;
}

static ssize_t body_read(const struct sharc_object_body *b, uint64_t at, void *out, size_t n)
{
    uint64_t left = body_size(b) - at;
    if (n > left) n = (size_t)left;
    if (b->fd < 0) {
        if (n) memcpy(out, b->bytes.p + at, n);
        return (ssize_t)n;
    }
    ssize_t got;
    do got = pread(b->fd, out, n, (off_t)(b->at + at));
    while (got < 0 && errno == EINTR);
    return got;
}

/* A file that cannot be read, or was shortened, gives another digest than the store will see: it refuses. */
void sharc__object_sha256(const struct sharc_object_body *body, uint8_t ret[32])
{
    struct sharc_digest d;
    if (body->fd < 0) {
        sharc_digest_of(SHARC_SHA256, body->bytes, &d);
        memcpy(ret, d.bytes, 32);
        return;
    }
    SHARC_AUTO(sharc_hasher_freep) struct sharc_hasher *h = sharc_hasher_new();
    SHARC_AUTO(sharc_freep) char *piece = sharc_malloc(PIECE);
    sharc_hasher_start(h, SHARC_SHA256);
    ssize_t got;
    for (uint64_t at = 0; (got = body_read(body, at, piece, PIECE)) > 0; at += (uint64_t)got)
        sharc_hasher_add(h, piece, (size_t)got);
    sharc_hasher_end(h, &d);
    memcpy(ret, d.bytes, 32);
}

/* --- one try ----------------------------------------------------------------------- */

/* A request with all its tries. */
struct wait {
    struct sharc_object_store *store;
    const char *name;
    sharc_time since;
    bool told;
};

static void say_waiting(struct wait *w, sharc_time now, const char *why)
{
    if (!w->store->waits || w->told || now - w->since < WAITS_AFTER) return;
    w->told = true;
    w->store->waits(w->store->waits_arg, why);
}

struct trying {
    const struct request *q;
    struct wait *w;
    struct answer *a;
    uint64_t sent;
    bool full; /* more came than is taken */
    bool lost; /* the file could not be read */
    struct curl_slist *fields;
    char error[CURL_ERROR_SIZE];
    CURL *easy;
};

static void field(struct trying *t, const char *name, const char *value)
{
    SHARC_AUTO(sharc_freep) char *line = sharc_asprintf("%s: %s", name, value);
    struct curl_slist *longer = curl_slist_append(t->fields, line);
    if (!longer) sharc__no_memory();
    t->fields = longer;
}

static size_t on_read(char *out, size_t size, size_t count, void *arg)
{
    struct trying *t = arg;
    ssize_t got = body_read(&t->q->body, t->sent, out, size * count);
    if (got < 0) {
        t->lost = true;
        return CURL_READFUNC_ABORT;
    }
    t->sent += (uint64_t)got;
    return (size_t)got;
}

static int on_seek(void *arg, curl_off_t to, int origin)
{
    struct trying *t = arg;
    if (origin != SEEK_SET || to < 0 || (uint64_t)to > body_size(&t->q->body)) return CURL_SEEKFUNC_FAIL;
    t->sent = (uint64_t)to;
    return CURL_SEEKFUNC_OK;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *arg)
{
    struct trying *t = arg;
    long status = 0;
    curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    bool good = status / 100 == 2;
    struct sharc_buf *to = good && t->q->out ? t->q->out : &t->a->text;
    if (sharc_buf_put(to, sharc_span(bytes, size * count)) == 0) return size * count;
    if (!good) return size * count; /* the beginning of a refusal is enough */
    t->full = true;
    return 0;
}

static void take_field(struct answer *a, struct sharc_span name, struct sharc_span value)
{
    uint64_t n;
    if (sharc_span_ieq(name, SHARC_SPAN("etag"))) sharc__object_set_etag(a->facts.etag, value);
    if (sharc_span_ieq(name, SHARC_SPAN("content-length")) && sharc_span_to_u64(value, &n) == 0) a->facts.size = n;
    if (sharc_span_ieq(name, SHARC_SPAN("last-modified"))) (void)sharc_http_date_parse(value, &a->facts.modified);
    if (sharc_span_ieq(name, SHARC_SPAN("date"))) (void)sharc_http_date_parse(value, &a->date);
    if (sharc_span_ieq(name, SHARC_SPAN("retry-after")) && sharc_span_to_u64(value, &n) == 0 && n < 86400)
        a->retry_after = (sharc_time)n * SHARC_SEC;
    if (sharc_span_ieq(name, SHARC_SPAN("x-amz-checksum-algorithm")))
        a->checksums = sharc_span_ieq(value, SHARC_SPAN("sha256"));
    if (sharc_span_ieq(name, SHARC_SPAN("x-amz-bucket-region")) && value.n < sizeof a->bucket_region)
        snprintf(a->bucket_region, sizeof a->bucket_region, "%.*s", SHARC_SPAN_ARG(value));
}

static size_t on_head(char *bytes, size_t size, size_t count, void *arg)
{
    struct trying *t = arg;
    struct sharc_span line = sharc_span_trim(sharc_span(bytes, size * count));
    size_t colon = sharc_span_find(line, ':', 0);
    if (sharc_span_starts(line, SHARC_SPAN("HTTP/")))
        t->a->facts = (struct sharc_object_facts){.modified = SHARC_TIME_NONE};
    if (colon != SHARC_NPOS)
        take_field(t->a, sharc_span_sub(line, 0, colon), sharc_span_trim(sharc_span_from(line, colon + 1)));
    return size * count;
}

static int on_progress(void *arg, curl_off_t down_all, curl_off_t down, curl_off_t up_all, curl_off_t up)
{
    struct wait *w = arg;
    (void)down_all, (void)up_all;
    if (down == 0 && up == 0 && w->store->waits && !w->told) {
        SHARC_AUTO(sharc_freep) char *why = sharc_asprintf("%s: the store has not answered yet", w->name);
        say_waiting(w, w->store->clock->now(w->store->clock), why);
    }
    return w->store->broken_off;
}

static void set_method(struct trying *t)
{
    CURL *e = t->easy;
    switch (t->q->method) {
    case GET: curl_easy_setopt(e, CURLOPT_HTTPGET, 1L); break;
    case HEAD: curl_easy_setopt(e, CURLOPT_NOBODY, 1L); break;
    case DELETE_: curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, "DELETE"); break;
    case POST:
        curl_easy_setopt(e, CURLOPT_POST, 1L);
        curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->q->body.bytes.n);
        curl_easy_setopt(e, CURLOPT_POSTFIELDS, t->q->body.bytes.n ? t->q->body.bytes.p : "");
        break;
    case PUT:
        curl_easy_setopt(e, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(e, CURLOPT_INFILESIZE_LARGE, (curl_off_t)body_size(&t->q->body));
        curl_easy_setopt(e, CURLOPT_READFUNCTION, on_read);
        curl_easy_setopt(e, CURLOPT_READDATA, t);
        curl_easy_setopt(e, CURLOPT_SEEKFUNCTION, on_seek);
        curl_easy_setopt(e, CURLOPT_SEEKDATA, t);
        break;
    }
}

static void sign(const struct sharc_object_store *s, struct trying *t)
{
    if (!s->access_key || !s->secret_key) return;
    const char *region = t->q->name->region ? t->q->name->region : s->region;
    SHARC_AUTO(sharc_freep) char *how = sharc_asprintf("aws:amz:%s:s3", region);
    curl_easy_setopt(t->easy, CURLOPT_AWS_SIGV4, how);
    curl_easy_setopt(t->easy, CURLOPT_USERNAME, s->access_key);
    curl_easy_setopt(t->easy, CURLOPT_PASSWORD, s->secret_key);
    if (s->session_token) field(t, "x-amz-security-token", s->session_token);
}

static void set_up(struct sharc_object_store *s, struct trying *t, const char *url, const char *sha256)
{
    CURL *e = t->easy;
    field(t, "x-amz-content-sha256", sha256);
    if (t->q->type) field(t, "Content-Type", t->q->type);
    for (size_t i = 0; i < SHARC_LENGTH(t->q->more) && t->q->more[i]; i++) {
        struct curl_slist *longer = curl_slist_append(t->fields, t->q->more[i]);
        if (!longer) sharc__no_memory();
        t->fields = longer;
    }
    sign(s, t);
    set_method(t);
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->error);
    curl_easy_setopt(e, CURLOPT_URL, url);
    curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(e, CURLOPT_HTTPHEADER, t->fields);
    curl_easy_setopt(e, CURLOPT_USERAGENT, "sharc " SHARC_VERSION);
    curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(e, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(e, CURLOPT_PROXY, ""); /* nor the environment's */
    if (s->ca_file) curl_easy_setopt(e, CURLOPT_CAINFO, s->ca_file);
    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)MOST_CONNECT);
    curl_easy_setopt(e, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(e, CURLOPT_LOW_SPEED_TIME, (long)STALLED);
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(e, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(e, CURLOPT_XFERINFODATA, t->w);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_head);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, t);
}

static void answer_clear(struct answer *a)
{
    sharc_buf_clear(&a->text);
    a->status = 0;
    a->facts = (struct sharc_object_facts){.modified = SHARC_TIME_NONE};
    a->date = SHARC_TIME_NONE;
    a->retry_after = 0;
    a->checksums = false;
    a->bucket_region[0] = 0;
}

/* What libcurl says that time cannot mend. */
static bool is_final(CURLcode code)
{
    return code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL ||
           code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE || code == CURLE_NOT_BUILT_IN ||
           code == CURLE_BAD_FUNCTION_ARGUMENT;
}

/* *ret_again: it may succeed another time. */
static int try_once(struct wait *w, const struct request *q, const char *url, const char *sha256, struct answer *a,
                    bool *ret_again, struct sharc_err *reterr)
{
    struct sharc_object_store *s = w->store;
    const char *name = q->name->text;
    struct trying t = {.q = q, .w = w, .a = a, .easy = take_handle(s)};
    answer_clear(a);
    if (q->out) sharc_buf_clear(q->out);
    set_up(s, &t, url, sha256);
    CURLcode code = curl_easy_perform(t.easy);
    curl_easy_getinfo(t.easy, CURLINFO_RESPONSE_CODE, &a->status);
    curl_slist_free_all(t.fields);
    give_handle(s, t.easy);
    *ret_again = false;
    SHARC_FAIL_IF(t.full, reterr, SHARC_ELIMIT, "%s: the store's answer has more bytes than were asked for", name);
    SHARC_FAIL_IF(t.lost, reterr, SHARC_EIO, "%s: the file that is uploaded cannot be read", name);
    if (code != CURLE_OK) {
        *ret_again = !is_final(code);
        return sharc_fail(reterr, SHARC_ENET, "%s: %s", name, t.error[0] ? t.error : curl_easy_strerror(code));
    }
    if (a->status / 100 == 2) return 0;
    *ret_again = sharc__object_may_pass(a);
    return sharc__object_fault(s, q, a, reterr);
}

/* --- all tries -------------------------------------------------------------------------- */

void sharc__object_answer_done(struct answer *a)
{
    sharc_buf_done(&a->text);
}

/* So that many clients do not come back together. */
static sharc_time spread(const struct sharc_object_store *s, sharc_time pause)
{
    struct sharc_rng rng;
    sharc_rng_init(&rng, (uint64_t)s->clock->now(s->clock) ^ (uint64_t)(uintptr_t)&rng);
    return pause / 2 + (sharc_time)sharc_rng_below(&rng, (uint64_t)pause / 2 + 1);
}

int sharc__object_send(struct sharc_object_store *s, const struct request *q, struct answer *a,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf url = SHARC_BUF_INIT(64u << 10);
    uint8_t digest[32];
    char sha256[SHARC_HEX_SIZE(32)];
    *a = (struct answer){.text = SHARC_BUF_INIT(REFUSAL_MOST)};
    sharc__object_url(s, q->name, &url);
    if (q->query) sharc_buf_printf(&url, "?%s", q->query);
    int r = sharc_buf_result(&url, reterr);
    if (r < 0) return r;
    sharc__object_sha256(&q->body, digest);
    sharc_hex_encode(sharc_span(digest, sizeof digest), sha256);
    struct wait w = {.store = s, .name = q->name->text, .since = s->clock->now(s->clock)};
    for (sharc_time pause = FIRST_PAUSE;; pause = pause < LONGEST_PAUSE / 2 ? 2 * pause : LONGEST_PAUSE) {
        bool again;
        struct sharc_err err = SHARC_ERR_INIT;
        r = try_once(&w, q, url.p, sha256, a, &again, &err);
        if (r == 0) return 0;
        sharc_time when = s->clock->now(s->clock) + (a->retry_after > 0 ? a->retry_after : spread(s, pause));
        bool over = !again || when > w.since + s->patience || s->broken_off;
        if (!over) {
            say_waiting(&w, when, err.text);
            over = s->clock->wait_until(s->clock, when, &s->broken_off) == SHARC_EINTR;
        }
        if (!over) continue;
        if (reterr) *reterr = err;
        return r;
    }
}
