/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the fetcher share.
 *
 *   fetch.c         states, results, the functions over the table
 *   fetch_curl.c    one transfer: set up, fed by libcurl, judged
 *   fetch_tls.c     what secured its connection
 *   fetch_loop.c    all transfers: epoll, timers, the queue of results
 *   fetch_shards.c  the hosts divided among several multi handles of libcurl
 *   fetch_script.c  the fetcher that only pretends
 */
#ifndef SHARC_HTTP_FETCH_INT_H
#define SHARC_HTTP_FETCH_INT_H

#include "sharc/base_map.h"
#include "sharc/http_fetch.h"

#include <curl/curl.h>

/* --- results (fetch.c) --------------------------------------------------- */

struct sharc_fetch_result *sharc__http_fetch_result_new(const struct sharc_fetch_request *req, size_t spool_at,
                                                        const char *spool_dir);
/* How it ended: state, code, cut and the sentence, from what has been received.
 * detail may be "". */
void sharc__http_fetch_conclude(struct sharc_fetch_result *r, enum sharc_fetch_state state, const char *detail);
/* Take the received head apart; false when it is none. */
bool sharc__http_fetch_parse_head(struct sharc_fetch_result *r);

/* --- the real fetcher ---------------------------------------------------- */

struct fetcher;

/* One of libcurl's multi handles, with the connections and names of some of the hosts (fetch_shards.c). */
struct shard {
    struct fetcher *owner;
    CURLM *multi;     /* NULL: not needed so far */
    sharc_time timer; /* when it is to be called, by the caller's clock; SHARC_TIME_NONE: not */
    bool called;      /* since its ended transfers were collected */
};

/* One libcurl handle with all its options, used for one transfer after the
 * other. */
struct transfer {
    struct fetcher *owner;
    struct shard *shard; /* while under way */
    CURL *easy;
    struct transfer *prev, *next; /* under way; or (next) idle */
    struct sharc_fetch_result *result;
    struct curl_slist *fields; /* own list; NULL: the fetcher's is used */
    uint64_t max_body;
    bool (*wanted)(void *user, const struct sharc_fetch_result *r); /* may be NULL */
    size_t in_memory;                                               /* bytes of body counted in owner->in_memory */
    uint64_t in_file;                                               /* the same in owner->in_files */
    bool paused;                                                    /* its next bytes wait for room in files */
    bool allow_private;
    uint64_t origin;  /* whom it is sent to: scheme, host and port, as a fingerprint */
    uint64_t request; /* its number (sharc__http_fetch_sends) */
    bool plain;       /* http, without TLS */
    bool head_done;
    bool stopped; /* by one of our callbacks, because of: */
    enum sharc_fetch_state why;
    struct sharc_err err; /* and the sentence */
    bool worn;            /* the handle is not to be used again */
    bool stale;           /* input that nobody had asked for lay on the connection */
    bool anew;            /* sent for the second time, on a connection of its own */
    bool refused;         /* an address was not connected to: not public */
    char error[CURL_ERROR_SIZE];
};

/* What epoll watches of a socket, and what libcurl wants watched (0: nothing). */
struct watch {
    unsigned known, wanted;
    struct shard *shard; /* which wants it */
    bool ours;           /* opened by us, not by libcurl for itself */
    uint64_t origin;     /* whom it is connected to without TLS, whose own messages come unasked; 0: unknown */
    uint64_t request;    /* number of the last request that was sent on it; 0: none */
    bool http2;          /* streams tell whose bytes are whose: input between two requests is nothing special */
};

struct fetcher {
    struct sharc_fetcher base;
    struct sharc_fetcher_settings set; /* strings owned; proxy without credentials */
    char *proxy_user, *proxy_password;
    struct curl_slist *fields, *connect_to;
    struct shard *shards;
    unsigned shards_count;
    void *trusted;            /* the certificates of authorities (fetch_tls.c); NULL: not read, or libcurl reads them */
    sharc_time trusted_since; /* when they were read */
    int epoll, waker;
    struct watch *watches; /* by socket number */
    size_t watches_room;
    struct transfer *active, *idle;
    size_t idle_count;
    struct sharc_fetch_result **ready; /* a ring */
    size_t ready_room, ready_at, ready_count;
    size_t active_count, paused_count;
    uint64_t requests;             /* sent so far */
    struct sharc_map64 distrusted; /* origins that sent what nobody had asked for: no connection serves two requests */
    size_t in_memory;
    uint64_t in_files;
};

static inline sharc_time sharc__http_fetch_now(const struct fetcher *f)
{
    return f->set.clock->now(f->set.clock);
}

/* --- shards (fetch_shards.c) ---------------------------------------------- */

/* For as many connections. What libcurl wants watched is told to on_watch (its argument: the shard). */
void sharc__http_shards_start(struct fetcher *f);
/* Where requests to this origin go; NULL: libcurl cannot make one. */
struct shard *sharc__http_shard_of(struct fetcher *f, uint64_t origin, curl_socket_callback on_watch);
/* The earliest instant at which libcurl wants to be called; and to call it where that has come. */
sharc_time sharc__http_shards_timer(const struct fetcher *f);
void sharc__http_shards_call(struct fetcher *f, sharc_time now);
/* Something happened on a socket (CURL_CSELECT_…). */
void sharc__http_shard_event(struct shard *s, int fd, int events);
/* A transfer that has ended, and how; NULL: there is none. */
struct transfer *sharc__http_shards_ended(struct fetcher *f, CURLcode *ret);
void sharc__http_shards_free(struct fetcher *f);

/* --- one transfer (fetch_curl.c, fetch_tls.c) ------------------------------ */

/* A handle with all options that are the same for every request; NULL when
 * libcurl cannot make one. */
struct transfer *sharc__http_transfer_new(struct fetcher *f);
void sharc__http_transfer_free(struct transfer *t);
/* Ready it for a request (url: parsed, http or https). SHARC_EINVAL. */
int sharc__http_transfer_begin(struct transfer *t, const struct sharc_fetch_request *req, const char *url,
                               struct sharc_err *reterr);
/* It ended on a used connection that cannot be trusted: bytes were there before the request, or what
 * came is no answer, or not the answer to this. Then it is to be sent once more, on a new connection: made ready for
 * that, true. */
bool sharc__http_transfer_anew(struct transfer *t, CURLcode code);
/* It ended: make the result complete and give it up. */
struct sharc_fetch_result *sharc__http_transfer_end(struct transfer *t, CURLcode code);
struct sharc_fetch_result *sharc__http_transfer_abort(struct transfer *t);
/* What secures the connection that the request is about to be sent on, into the result. */
void sharc__http_tls_note(struct transfer *t);
void sharc__http_tls_done(struct sharc_fetch_tls *t);
/* Let the handle take the certificates of authorities from the fetcher's own store: libcurl would read them for each
 * shard. Where it cannot, they are libcurl's. */
void sharc__http_tls_trust(struct fetcher *f, CURL *easy);
void sharc__http_tls_forget(struct fetcher *f);
/* A socket was opened; to be closed by the second (libcurl's closing callback). */
void sharc__http_fetch_opened(struct fetcher *f, int fd);
int sharc__http_fetch_close(void *fetcher, curl_socket_t fd);
/* The connection speaks HTTP/2; and does it? */
void sharc__http_fetch_is_http2(struct fetcher *f, int fd);
/* Is there input, or the end of it, that belongs to no request? */
bool sharc__http_fetch_has_stray_input(struct fetcher *f, int fd);
/* Unasked input came from there: from now on every request to it has a connection of its own. */
void sharc__http_fetch_distrust(struct fetcher *f, uint64_t origin);
/* If such input lies on the idle socket, it is distrusted. */
void sharc__http_fetch_suspect(struct fetcher *f, int fd);
/* The socket was used for a request to there; 0: by TLS. */
void sharc__http_fetch_used(struct fetcher *f, int fd, uint64_t plain_origin);
/* A request is about to be sent on this socket: the request's number, from 1. */
uint64_t sharc__http_fetch_sends(struct fetcher *f, int fd);
/* Is there input, and not only its end, behind the answer to this request? No when a later request was sent on the
 * socket: then it may be that one's answer. Not known of HTTP/2. */
bool sharc__http_fetch_has_more(struct fetcher *f, int fd, uint64_t request);
/* The fields sent with every request. */
struct curl_slist *sharc__http_fetch_fields(const struct sharc_fetcher_settings *s);

#endif
