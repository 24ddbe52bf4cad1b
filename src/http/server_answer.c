/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers of the server, and whether the client holds one already.
 */
#include "server_int.h"

#include "sharc/base_exhausted.h"

#include <stdlib.h>
#include <sys/eventfd.h>

/* --- what the handler says ------------------------------------------------------- */

void sharc_http_answer_status(struct sharc_http_answer *a, int status)
{
    a->status = status;
}

static void forget_fields(struct sharc_http_answer *a)
{
    for (size_t i = 0; i < a->count; i++) {
        free(a->fields[i].name);
        free(a->fields[i].value);
    }
    a->count = 0;
}

void sharc_http_answer_restart(struct sharc_http_answer *a)
{
    forget_fields(a);
    if (a->response) MHD_destroy_response(a->response);
    a->response = NULL;
    a->stream = NULL;
    a->status = MHD_HTTP_OK;
}

static bool is_token(const char *s)
{
    static const char marks[] = "!#$%&'*+-.^_`|~";
    if (!*s) return false;
    for (; *s; s++)
        if (!sharc_is_alnum(*s) && !strchr(marks, *s)) return false;
    return true;
}

/* A copy of value with tabs as spaces, NULL when it holds a control character. */
static char *clean_value(struct sharc_span value)
{
    char *copy = sharc_span_dup(value);
    for (size_t i = 0; i < value.n; i++) {
        if (copy[i] == '\t') copy[i] = ' ';
        if ((unsigned char)copy[i] < ' ' || copy[i] == 0x7f) {
            free(copy);
            return NULL;
        }
    }
    return copy;
}

int sharc_http_answer_header(struct sharc_http_answer *a, const char *name, struct sharc_span value)
{
    static const char *const ours[] = {"Date", "Connection", "Content-Length", "Transfer-Encoding"};
    for (size_t i = 0; i < SHARC_LENGTH(ours); i++)
        if (sharc_span_ieq(sharc_span_of(name), sharc_span_of(ours[i]))) return SHARC_EINVAL;
    if (!is_token(name)) return SHARC_ESYNTAX;
    char *copy = clean_value(value);
    if (!copy) return SHARC_ESYNTAX;
    SHARC_GROW(a->fields, a->room, a->count + 1);
    a->fields[a->count++] = (struct sharc__http_pair){sharc_strdup(name), copy};
    return 0;
}

static void set_body(struct sharc_http_answer *a, struct MHD_Response *response)
{
    if (!response) sharc__no_memory();
    if (a->response) MHD_destroy_response(a->response);
    a->response = response;
    a->stream = NULL;
}

void sharc_http_answer_copy(struct sharc_http_answer *a, struct sharc_span body)
{
    set_body(a, MHD_create_response_from_buffer(body.n, (void *)body.p, MHD_RESPMEM_MUST_COPY));
}

void sharc_http_answer_take(struct sharc_http_answer *a, char *malloced, size_t n)
{
    set_body(a, MHD_create_response_from_buffer(n, malloced, MHD_RESPMEM_MUST_FREE));
}

void sharc_http_answer_borrow(struct sharc_http_answer *a, struct sharc_span body)
{
    set_body(a, MHD_create_response_from_buffer(body.n, (void *)body.p, MHD_RESPMEM_PERSISTENT));
}

/* --- streams --------------------------------------------------------------------- */

#define STREAM_BLOCK (32u << 10)

/*  created --pull: EBUSY--> asleep --wake--> created
 *     |                        |
 *     +--wake--> woken         +--the server stops--> cut
 *                  `--pull: EBUSY--> created, and pull is asked again */
struct sharc_http_stream {
    sharc_pull_fn *pull;
    void (*done)(void *arg);
    void *arg;
    uint64_t left; /* of a known size */
    bool sized;
    struct sharc_span piece; /* pulled, not yet sent */
    struct sharc__http_sleepers *sleepers;
    struct MHD_Connection *connection; /* set when the answer is sent */
    int nudge;                         /* and this */
    bool asleep, woken;
    struct sharc_http_stream *next, **back; /* among those asleep */
};

static void leave_sleepers(struct sharc_http_stream *s)
{
    *s->back = s->next;
    if (s->next) s->next->back = s->back;
    s->asleep = false;
}

/* False: it was woken before it slept. */
static bool fall_asleep(struct sharc_http_stream *s, ssize_t *ret)
{
    struct sharc__http_sleepers *all = s->sleepers;
    pthread_mutex_lock(&all->lock);
    bool stopping = all->stopping, sleeps = stopping || !s->woken;
    if (!stopping && sleeps) {
        s->asleep = true;
        s->next = all->first;
        s->back = &all->first;
        if (s->next) s->next->back = &s->next;
        all->first = s;
        MHD_suspend_connection(s->connection);
    }
    s->woken = false;
    pthread_mutex_unlock(&all->lock);
    *ret = stopping ? MHD_CONTENT_READER_END_WITH_ERROR : 0;
    return sleeps;
}

void sharc_http_stream_wake(struct sharc_http_stream *s)
{
    pthread_mutex_lock(&s->sleepers->lock);
    if (s->asleep) {
        leave_sleepers(s);
        MHD_resume_connection(s->connection);
        eventfd_write(s->nudge, 1); /* cannot fail: it is read long before it is full */
    } else {
        s->woken = true;
    }
    pthread_mutex_unlock(&s->sleepers->lock);
}

void sharc__http_wake_all(struct sharc__http_sleepers *sleepers)
{
    pthread_mutex_lock(&sleepers->lock);
    sleepers->stopping = true;
    while (sleepers->first) {
        struct sharc_http_stream *s = sleepers->first;
        leave_sleepers(s);
        MHD_resume_connection(s->connection);
    }
    pthread_mutex_unlock(&sleepers->lock);
}

static ssize_t read_stream(void *arg, uint64_t at, char *out, size_t room)
{
    (void)at;
    struct sharc_http_stream *s = arg;
    if (s->sized && s->left == 0) return MHD_CONTENT_READER_END_OF_STREAM;
    while (s->piece.n == 0) {
        int r = s->pull(s->arg, &s->piece, NULL);
        ssize_t none;
        if (r == SHARC_EBUSY && fall_asleep(s, &none)) return none;
        if (r == SHARC_EBUSY) continue;
        if (r < 0 || (r == 0 && s->sized)) return MHD_CONTENT_READER_END_WITH_ERROR;
        if (r == 0) return MHD_CONTENT_READER_END_OF_STREAM;
    }
    size_t n = s->piece.n < room ? s->piece.n : room;
    if (s->sized && n > s->left) n = (size_t)s->left;
    memcpy(out, s->piece.p, n);
    s->piece = sharc_span_from(s->piece, n);
    s->left -= s->sized ? n : 0;
    return (ssize_t)n;
}

static void end_stream(void *arg)
{
    struct sharc_http_stream *s = arg;
    if (s->done) s->done(s->arg);
    free(s);
}

struct sharc_http_stream *sharc_http_answer_stream(struct sharc_http_answer *a, uint64_t size, sharc_pull_fn *pull,
                                                   void (*done)(void *arg), void *arg)
{
    struct sharc_http_stream *s = SHARC_NEW(struct sharc_http_stream);
    *s = (struct sharc_http_stream){
        .pull = pull, .done = done, .arg = arg, .left = size, .sized = size != UINT64_MAX, .sleepers = a->sleepers};
    uint64_t known = s->sized ? size : MHD_SIZE_UNKNOWN;
    set_body(a, MHD_create_response_from_callback(known, STREAM_BLOCK, read_stream, s, end_stream));
    a->stream = s;
    return s;
}

/* --- sending --------------------------------------------------------------------- */

void sharc__http_answer_done(struct sharc_http_answer *a)
{
    if (a->response) MHD_destroy_response(a->response);
    forget_fields(a);
    free(a->fields);
    *a = (struct sharc_http_answer){0};
}

static ssize_t read_nothing(void *arg, uint64_t at, char *out, size_t room)
{
    (void)arg, (void)at, (void)out, (void)room;
    return MHD_CONTENT_READER_END_OF_STREAM;
}

/* Behind a head alone, libmicrohttpd 0.9.75 would send the end of a chunked body if the length is unknown: the next
 * answer on the connection could not be read. As for a client of HTTP/1.0, nothing is chunked and the connection ends.
 */
static void end_without_chunks(struct sharc_http_answer *a)
{
    MHD_set_response_options(a->response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

/* Nobody gave a body. A 304 says nothing of the length of one then, as "Content-Length: 0" would (RFC 9110). */
static void set_no_body(struct sharc_http_answer *a)
{
    if (a->status != MHD_HTTP_NOT_MODIFIED) {
        sharc_http_answer_borrow(a, SHARC_SPAN(""));
        return;
    }
    set_body(a, MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1, read_nothing, NULL, NULL));
    end_without_chunks(a);
}

static bool is_head_alone(const struct sharc_http_answer *a)
{
    return a->to_head || a->status == MHD_HTTP_NOT_MODIFIED;
}

enum MHD_Result sharc__http_answer_send(struct sharc_http_answer *a, struct MHD_Connection *connection)
{
    if (!a->response) set_no_body(a);
    if (a->status < 200 || a->status > 999) a->status = MHD_HTTP_INTERNAL_SERVER_ERROR;
    if (a->stream && !a->stream->sized && is_head_alone(a)) end_without_chunks(a);
    for (size_t i = 0; i < a->count; i++) MHD_add_response_header(a->response, a->fields[i].name, a->fields[i].value);
    if (a->stream) {
        a->stream->connection = connection;
        a->stream->nudge = a->nudge;
    }
    enum MHD_Result r = MHD_queue_response(connection, (unsigned)a->status, a->response);
    sharc__http_answer_done(a);
    return r;
}

/* --- conditional requests ----------------------------------------------------------- */

static struct sharc_span opaque_tag(struct sharc_span tag)
{
    return sharc_span_starts(tag, SHARC_SPAN("W/")) ? sharc_span_from(tag, 2) : tag;
}

/* Is etag in the list? A comma may stand inside a quoted tag. */
static bool names_tag(struct sharc_span list, struct sharc_span etag)
{
    etag = opaque_tag(etag);
    while ((list = sharc_span_trim(list)).n > 0) {
        if (list.p[0] == ',') {
            list = sharc_span_from(list, 1);
            continue;
        }
        struct sharc_span tag = opaque_tag(list);
        if (tag.n == 0 || tag.p[0] != '"') return sharc_span_is(list, "*");
        size_t end = sharc_span_find(tag, '"', 1);
        if (end == SHARC_NPOS) return false;
        if (sharc_span_eq(sharc_span_sub(tag, 0, end + 1), etag)) return true;
        list = sharc_span_from(tag, end + 1);
    }
    return false;
}

bool sharc_http_request_has(const struct sharc_http_request *r, const char *etag, sharc_time last_modified)
{
    if (!sharc_span_is(r->method, "GET") && !sharc_span_is(r->method, "HEAD")) return false;
    struct sharc_span tags = sharc_http_request_header(r, "If-None-Match");
    if (tags.p) return sharc_span_is(sharc_span_trim(tags), "*") || (etag && names_tag(tags, sharc_span_of(etag)));
    struct sharc_span since = sharc_http_request_header(r, "If-Modified-Since");
    sharc_time t;
    if (!since.p || last_modified == SHARC_TIME_NONE || sharc_http_date_parse(since, &t) < 0) return false;
    return last_modified / SHARC_SEC <= t / SHARC_SEC;
}
