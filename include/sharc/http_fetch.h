/* SPDX-License-Identifier: Apache-2.0
 *
 * The fetcher: many transfers at once, one thread, driven by the caller's loop.
 *
 *   while (work is left or sharc_fetcher_pending(f) > 0) {
 *       while (a site is due) sharc_fetcher_submit(f, &request, &err);
 *       r = sharc_fetcher_wait(f, next_due, &stop, &result);
 *       if (r > 0) { use(result); sharc_fetch_result_free(result); }
 *   }
 *
 * What it does: one GET per submit, bytes exactly as they came (transfer and
 * content coding untouched), every limit, the address actually connected to
 * checked against private ranges, and one clear word for how it ended.
 * What it leaves to the caller: which URL and when, delays, how many at once
 * per host (it queues nothing: what is submitted is started), redirects (never
 * followed), robots, retries. netrc, authentication, HSTS and caches are off, and
 * of cookies only those are sent that the caller has given (http_secret.h).
 *
 * There are two fetchers behind the same functions: the real one (libcurl), and
 * a scripted one for tests that answers from a callback in the caller's time.
 *
 * Not thread-safe, except sharc_fetcher_wake.
 */
#ifndef SHARC_HTTP_FETCH_H
#define SHARC_HTTP_FETCH_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/base_digest.h"
#include "sharc/http.h"
#include "sharc/http_secret.h"

SHARC_API_BEGIN

/* --- how a transfer ended ------------------------------------------------ */

/* Name, word for logs, code for crawl.log when no response head was received
 * (Heritrix's numbers), worth trying again later, general sentence. */
#define SHARC_FETCH_STATES(X)                                                                  \
    X(OK, "ok", 0, false, "the response was received whole")                                   \
    X(BAD_URL, "bad-url", -7, false, "the URL cannot be fetched")                              \
    X(PRIVATE, "refused-private", -5001, false, "the address is not a public one")             \
    X(DNS, "dns", -1, true, "the host name has no address")                                    \
    X(CONNECT, "connect", -2, true, "no connection could be made")                             \
    X(PROXY, "proxy", -2, true, "the proxy refused the request")                               \
    X(TLS, "tls", -2, false, "the secure connection was refused")                              \
    X(TIMEOUT, "timeout", -4, true, "it took longer than allowed")                             \
    X(SLOW, "slow", -4, true, "it was slower than allowed")                                    \
    X(RESET, "reset", -3, true, "the connection was lost")                                     \
    X(EMPTY, "empty", -3, true, "the server closed the connection without an answer")          \
    X(SHORT, "short", -3, true, "the body ended before the announced length")                  \
    X(TOO_LARGE, "too-large", -5, false, "the body is larger than allowed")                    \
    X(HEAD_TOO_LARGE, "head-too-large", -5, false, "the response head is larger than allowed") \
    X(BAD_MESSAGE, "bad-message", -5, false, "the answer is not a well-formed HTTP message")   \
    X(UNWANTED, "unwanted", -5001, false, "its head shows that it is not wanted")              \
    X(ABORTED, "aborted", -7000, true, "the transfer was stopped by us")                       \
    X(LOCAL, "local", -5, true, "this machine could not do it (disk, memory or file descriptors)")

enum sharc_fetch_state {
#define X(name, word, code, again, text) SHARC_FETCH_##name,
    SHARC_FETCH_STATES(X)
#undef X
};
const char *sharc_fetch_state_word(enum sharc_fetch_state s); /* "refused-private" */
const char *sharc_fetch_state_text(enum sharc_fetch_state s); /* the general sentence */
/* The cause may pass: network and server trouble, not what the bytes are. */
bool sharc_fetch_state_transient(enum sharc_fetch_state s);

/* Why the body is not whole. */
enum sharc_fetch_cut {
    SHARC_FETCH_WHOLE,
    SHARC_FETCH_CUT_LENGTH,
    SHARC_FETCH_CUT_TIME,
    SHARC_FETCH_CUT_DISCONNECT,
    SHARC_FETCH_CUT_UNSPECIFIED, /* framing that makes no sense; stopped by us */
};
/* For WARC-Truncated: "length", "time", "disconnect", "unspecified"; NULL when whole. */
const char *sharc_fetch_cut_text(enum sharc_fetch_cut c);

/* --- bytes that may be many ---------------------------------------------- */

/* In memory up to a threshold, then all of it in an unlinked temporary file.
 * Either memory or fd holds the bytes, never both: sharc_warc_bytes takes
 * {.body = sharc_buf_span(&s.memory), .fd = s.fd, .fd_size = s.fd_size}. */
struct sharc_spool {
    struct sharc_buf memory; /* max is the threshold */
    int fd;                  /* -1 while in memory */
    uint64_t fd_size;        /* bytes in the file */
    /* private */
    const char *dir_;
};
/* dir must outlive the spool; NULL: "/tmp". */
void sharc_spool_init(struct sharc_spool *s, size_t threshold, const char *dir);
void sharc_spool_done(struct sharc_spool *s);
/* SHARC_ENOSPC, SHARC_EIO: nothing of these bytes is kept. */
int sharc_spool_put(struct sharc_spool *s, struct sharc_span bytes, struct sharc_err *reterr);
/* Move to the file now, whatever the size. */
int sharc_spool_to_file(struct sharc_spool *s, struct sharc_err *reterr);
static inline uint64_t sharc_spool_size(const struct sharc_spool *s)
{
    return s->fd >= 0 ? s->fd_size : s->memory.n;
}
/* Read from the start, piece by piece; has the shape of sharc_pull_fn (arg: the
 * reader). {.spool = s} is a new reader; done releases its buffer. */
struct sharc_spool_reader {
    const struct sharc_spool *spool;
    uint64_t at;
    char *piece_;
};
int sharc_spool_pull(void *reader, struct sharc_span *ret, struct sharc_err *reterr);
void sharc_spool_reader_done(struct sharc_spool_reader *r);

/* --- request and result -------------------------------------------------- */

struct sharc_fetch_result;

/* What is kept of the certificates that a server presents: as many, and bytes of PEM. The rest is left out. */
#define SHARC_FETCH_CERTIFICATES 16u
#define SHARC_FETCH_CHAIN (256u << 10)

/* What secured a connection by https. */
struct sharc_fetch_tls {
    const char *version; /* "TLSv1.3"; NULL: nothing, or it is not known. Static, like the next */
    const char *cipher;  /* by its standard name, "TLS_AES_256_GCM_SHA384" */
    /* The certificates that the server presented, PEM, its own first; and the SHA-256 of this text. Empty, and n == 0:
     * it presented none. */
    struct sharc_buf chain;
    struct sharc_digest digest;
    bool cut;      /* there were more */
    bool verified; /* they lead to an authority that is trusted, and name the host */
    bool resumed;  /* the handshake was short: they were presented when the session began, on an earlier connection */
};

struct sharc_fetch_request {
    /* http or https, as sharc_url_page() gives it; credentials are not sent. Copied. */
    struct sharc_span url;
    /* Further header fields (If-None-Match, Referer, …), sent behind the
     * fetcher's own; one of the same name replaces it. Copied. */
    const struct sharc_http_field *fields;
    size_t fields_count;
    uint64_t max_body;   /* bytes as on the wire; 0: the fetcher's */
    sharc_time max_time; /* 0: the fetcher's */
    bool allow_private;  /* this one may go to a private address */
    /* On a connection of its own, which is closed behind it: what comes is an answer to nothing else. HTTP/1.1 does
     * not number its answers, so on a connection that had others before, one too many shifts all that follow. And by
     * HTTP/1.1 in any case: libcurl 7.88 calls an HTTP/2 answer whole that the server broke off without naming an
     * error. */
    bool alone;
    /* Asked once, when the head of the answer is there (its status, head and http are): false ends
     * the transfer before its body, as UNWANTED; its connection is closed. In the thread that waits. */
    bool (*wanted)(void *user, const struct sharc_fetch_result *r);
    void *user; /* comes back in the result */
};

struct sharc_fetch_result {
    void *user;
    char *url; /* as requested */
    enum sharc_fetch_state state;
    int status; /* of the response; 0 when no head was received */
    /* For crawl.log: the status when a head was received (state and cut say
     * what happened after) and its body wanted, else Heritrix's negative number. Never 0. */
    int code;
    enum sharc_fetch_cut cut;
    char text[256]; /* one sentence: what happened, to which host; "" when OK */

    struct sharc_buf request; /* as sent, but for the values of secrets (http_secret.h); empty when
                               * nothing was sent */
    struct sharc_buf head;    /* exactly as received, with its empty line; empty
                               * when none came whole */
    struct sharc_buf interim; /* heads of 1xx answers before it */
    struct sharc_spool body;  /* exactly as received, chunks and all; cut at the limit */
    struct sharc_http http;   /* head taken apart; spans into head */

    char ip[48];          /* address connected to, "" when none was */
    unsigned port;        /* its port */
    const char *protocol; /* "http/1.1", "http/1.0", "h2" for WARC-Protocol; NULL: none.
                           * With h2 the first lines of request and head are
                           * written as HTTP/1.1, the fields as they came */
    struct sharc_fetch_tls tls;
    bool reused;           /* over a connection that was there before */
    bool excess;           /* the server sent more than it announced; left out of body */
    bool distrusted;       /* it sent what nobody had asked for, before: this request had a connection of its own */
    sharc_time start;      /* submitted: WARC-Date */
    sharc_time first_byte; /* of the answer; SHARC_TIME_NONE when none came */
    sharc_time end;
};
/* Frees with NULL too. */
void sharc_fetch_result_free(struct sharc_fetch_result *r);
void sharc_fetch_result_freep(struct sharc_fetch_result **r);

/* No server was reached: that says nothing about the page. */
static inline bool sharc_fetch_never_connected(const struct sharc_fetch_result *r)
{
    return r->status == 0 && (r->state == SHARC_FETCH_DNS || r->state == SHARC_FETCH_CONNECT ||
                              r->state == SHARC_FETCH_PROXY || r->state == SHARC_FETCH_TIMEOUT);
}

/* The body as it came, when it is in memory and has no coding at all: then there is
 * nothing to decode. Lives as long as the result. False: see sharc_fetch_decode. */
bool sharc_fetch_plain(const struct sharc_fetch_result *r, struct sharc_span *ret);
/* The body without transfer and content coding, for analysis, into out (appended,
 * bounded by out->max and SHARC_LIMIT_EXPANSION). SHARC_ELIMIT: out holds the beginning
 * (a bomb, or just large). *ret_state may be NULL. */
int sharc_fetch_decode(const struct sharc_fetch_result *r, struct sharc_buf *out,
                       struct sharc_http_body_state *ret_state, struct sharc_err *reterr);

/* --- the fetcher --------------------------------------------------------- */

struct sharc_fetcher;

/* Start a transfer. 0 means: there will be exactly one result for it. Failure
 * means there will be none: SHARC_EINVAL for a request that the caller could
 * have seen to be wrong (a line break in a field). A URL that cannot be fetched
 * is a result (BAD_URL), not a failure. */
int sharc_fetcher_submit(struct sharc_fetcher *f, const struct sharc_fetch_request *req, struct sharc_err *reterr);

/* Move all transfers on and take one that has ended, waiting for it until
 * deadline (SHARC_TIME_NONE: as long as it takes; in the past: do not wait).
 *   1  *ret is a result, the caller's to free; ask again, there may be more
 *   0  the deadline has come, sharc_fetcher_wake was called, or nothing is
 *      under way and there is no deadline
 *   SHARC_EINTR  *stop is true (may be NULL); transfers stay under way
 *   < 0  the loop itself failed */
int sharc_fetcher_wait(struct sharc_fetcher *f, sharc_time deadline, const volatile bool *stop,
                       struct sharc_fetch_result **ret, struct sharc_err *reterr);

/* Transfers submitted whose result was not yet taken. */
size_t sharc_fetcher_pending(const struct sharc_fetcher *f);
/* Stop everything under way; each gives its result (ABORTED, with what had
 * come) from wait as usual. */
void sharc_fetcher_abort(struct sharc_fetcher *f);
/* Make a wait in progress, or the next one, return. From any thread and from
 * signal handlers. */
void sharc_fetcher_wake(struct sharc_fetcher *f);
/* Results not taken are dropped. */
void sharc_fetcher_free(struct sharc_fetcher *f);
void sharc_fetcher_freep(struct sharc_fetcher **f);

/* --- the real one -------------------------------------------------------- */

/* Zero means the default in brackets. Strings are copied. */
struct sharc_fetcher_settings {
    struct sharc_clock *clock;   /* for the times in results and deadlines; must be
                                  * given, and must count real time */
    const char *user_agent;      /* ["Mozilla/5.0 (compatible; sharc/VERSION)"] */
    const char *from;            /* From field [none] */
    const char *accept;          /* [a crawler's: HTML first, anything] */
    const char *accept_encoding; /* ["gzip, br"]; "identity" to ask for plain bytes */
    const char *accept_language; /* [none] */
    bool http2;                  /* offer HTTP/2 over TLS [HTTP/1.1 only: wire-true] */
    bool insecure;               /* take any certificate */
    const char *ca_file;         /* PEM, instead of the system's */
    const char *proxy;           /* "http://host:port", "socks5h://…" [none; the environment is not asked].
                                  * Names are then resolved by the proxy, so only
                                  * addresses written in the URL can be checked */
    /* Cookies and header fields for sites; must outlive the fetcher [none]. The password of a proxy
     * and these never show in a request as archived, nor in a message. */
    const struct sharc_secrets *secrets;
    const char *interface; /* local address or device to connect from [any] */
    bool ipv4_only, ipv6_only;
    bool allow_private; /* loopback, private and other addresses that are not public */
    /* "HOST:PORT:TO-HOST:TO-PORT": connect there instead; empty HOST or PORT
     * match any. "::127.0.0.1:8080" puts the whole web on one test server. The
     * address connected to is checked as ever. */
    const char *const *connect_to;
    size_t connect_to_count;

    sharc_time max_connect; /* name, connection and TLS [20 s] */
    sharc_time max_time;    /* whole transfer [1200 s] */
    unsigned slow_bytes;    /* slower than this many bytes a second … [10] */
    sharc_time slow_time;   /* … for this long ends it [60 s] */
    size_t max_head;        /* [and at most: SHARC_LIMIT_HTTP_HEADER] */
    uint64_t max_body;      /* [1 GB] */
    size_t spool_at;        /* bodies larger than this wait in a file [512 KiB] */
    size_t memory;          /* all bodies under way together; beyond, new bytes go to files [64 MiB] */
    /* All bodies under way in files together; beyond, transfers wait until others have ended. One
     * of them always goes on, so max_body more may be needed [4 GB] */
    uint64_t files;
    const char *spool_dir; /* ["/tmp"] */
    unsigned connections;  /* kept open; must exceed the transfers under way [4096] */
};
/* SHARC_EINVAL, SHARC_EIO (no epoll), SHARC_ENOENT (ca_file). Must outlive its
 * transfers, not its results. Ignore SIGPIPE and SIGXFSZ in the program. Raises
 * the process's soft limit of open files to what `connections` needs; SHARC_ELIMIT
 * when fewer than SHARC_FETCH_LEAST_FILES may be open. */
#define SHARC_FETCH_LEAST_FILES 64u
int sharc_fetcher_new(const struct sharc_fetcher_settings *s, struct sharc_fetcher **ret, struct sharc_err *reterr);

/* --- the scripted one ---------------------------------------------------- */

/* What the script says to one request. */
struct sharc_fetch_answer {
    enum sharc_fetch_state state; /* OK; or how it fails (after the bytes given) */
    struct sharc_span message;    /* head and body as on the wire; read at once, need not live on */
    sharc_time until_first;       /* from submit to the first byte */
    sharc_time duration;          /* from submit to the end, at least until_first */
    const char *ip;               /* NULL: "192.0.2.1" */
};
/* Called once in each submit with the clock's time. *ret is zeroed before. */
typedef void sharc_fetch_script_fn(void *arg, const struct sharc_fetch_request *req, sharc_time now,
                                   struct sharc_fetch_answer *ret);
/* Results come in the order of their ends (ties: of submit). wait moves the
 * clock (clock->wait_until) to the next end or the deadline, so with a virtual
 * clock a crawl of days takes no time. max_body and max_time are honoured. */
struct sharc_fetcher *sharc_fetcher_new_scripted(struct sharc_clock *clock, sharc_fetch_script_fn *fn, void *arg);

/* A script that is a table (arg): unknown URLs are a 404. */
struct sharc_fetch_page {
    const char *url;
    int status;         /* 0: 200 */
    const char *type;   /* NULL: "text/html" */
    const char *fields; /* further lines, "ETag: \"1\"\r\n"; may be NULL */
    const char *body;   /* NULL: empty */
};
struct sharc_fetch_pages {
    const struct sharc_fetch_page *pages;
    size_t count;
    sharc_time latency;    /* of every answer */
    uint64_t asked;        /* counts the requests */
    struct sharc_buf buf_; /* private; release with sharc_buf_done */
};
sharc_fetch_script_fn sharc_fetch_script_pages;

/* For wrappers and further fetchers: the table behind the functions above. */
struct sharc_fetcher_ops {
    int (*submit)(struct sharc_fetcher *f, const struct sharc_fetch_request *req, struct sharc_err *reterr);
    int (*wait)(struct sharc_fetcher *f, sharc_time deadline, const volatile bool *stop,
                struct sharc_fetch_result **ret, struct sharc_err *reterr);
    size_t (*pending)(const struct sharc_fetcher *f);
    void (*abort)(struct sharc_fetcher *f);
    void (*wake)(struct sharc_fetcher *f);
    void (*free)(struct sharc_fetcher *f);
};
struct sharc_fetcher {
    const struct sharc_fetcher_ops *ops;
};

/* --- addresses ----------------------------------------------------------- */

/* What kind of address: everything but PUBLIC is refused unless allowed.
 * IPv4 inside IPv6 (mapped, 6to4, NAT64, Teredo) counts as the IPv4 it holds. */
enum sharc_address_kind {
    SHARC_ADDRESS_PUBLIC,
    SHARC_ADDRESS_LOOPBACK,   /* 127/8, ::1 */
    SHARC_ADDRESS_PRIVATE,    /* 10/8, 172.16/12, 192.168/16, fc00::/7, fec0::/10 */
    SHARC_ADDRESS_LINK_LOCAL, /* 169.254/16 (cloud metadata lives there), fe80::/10 */
    SHARC_ADDRESS_SHARED,     /* 100.64/10, carriers */
    SHARC_ADDRESS_MULTICAST,
    SHARC_ADDRESS_THIS,     /* 0/8, :: */
    SHARC_ADDRESS_RESERVED, /* documentation, benchmarks, broadcast, 240/4, not 2000::/3 */
};
const char *sharc_address_kind_text(enum sharc_address_kind k); /* "a loopback address" */
/* n is 4 or 16, network order; anything else is RESERVED. */
enum sharc_address_kind sharc_address_kind(const uint8_t *bytes, size_t n);
/* The host of a URL: "127.0.0.1", "[::1]" or "::1". SHARC_ENOENT when it is a name. */
int sharc_address_kind_of_host(struct sharc_span host, enum sharc_address_kind *ret);

SHARC_API_END
#endif
