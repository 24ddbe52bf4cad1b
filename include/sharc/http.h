/* SPDX-License-Identifier: Apache-2.0
 *
 * The grammar of HTTP messages as archives hold them: heads of requests and
 * responses, header fields, dates, the chunked coding, content codings undone
 * on demand. No network here.
 *
 * What servers really send is accepted: lines that end in LF alone, folded
 * fields, a status line without reason, lines without a colon. What was odd is
 * said in `quirks`, so that a strict caller can refuse it. Time is linear in
 * the bytes given; SHARC_LIMIT_HTTP_HEADER and SHARC_LIMIT_HTTP_FIELDS bound memory.
 */
#ifndef SHARC_HTTP_H
#define SHARC_HTTP_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"

SHARC_API_BEGIN

/* --- message heads ------------------------------------------------------- */

struct sharc_http_field {
    struct sharc_span name;  /* as written, without white space around it */
    struct sharc_span value; /* trimmed; folded lines joined by one space */
};

enum sharc_http_quirk {
    SHARC_HTTP_LF_ONLY = 1,    /* a line ended in LF without CR */
    SHARC_HTTP_FOLDED = 2,     /* a field went on in the next line */
    SHARC_HTTP_NO_COLON = 4,   /* a line was neither field nor fold: left out */
    SHARC_HTTP_NO_REASON = 8,  /* no reason phrase behind the status */
    SHARC_HTTP_NO_END = 16,    /* the input ended before the empty line */
    SHARC_HTTP_NO_STATUS = 32, /* "HTTP/…" without a number behind it */
    /* a first line without version, or with one that is none: "HTTP 200 Document follows", "GET /" */
    SHARC_HTTP_ODD_VERSION = 64,
};

struct sharc_http {
    bool response;                    /* else a request */
    int major, minor;                 /* of "HTTP/1.1"; 0.9 of a request without version */
    int status;                       /* response: 0 … 999; 0 when there is none */
    struct sharc_span reason;         /* response */
    struct sharc_span method, target; /* request */
    size_t head_size;                 /* bytes of the head with its empty line */
    unsigned quirks;                  /* enum sharc_http_quirk */
    struct sharc_http_field *fields;
    size_t count;
    /* Content-Type; several fields joined by ", ", as browsers read them; .p == NULL when absent */
    struct sharc_span content_type;
    /* private */
    size_t room_;
    struct sharc_buf folds_, types_;
};

/* Zeroed storage is initialised storage. */
void sharc_http_init(struct sharc_http *h);
void sharc_http_done(struct sharc_http *h);

/* Read the head at the start of bytes; h may have been used before. The spans
 * in h point into bytes and h, and live as long as both and until h is used
 * again.
 *   > 0  the head's size in bytes, also in h->head_size
 *   0    the empty line is not in bytes yet (never with at_end)
 *   SHARC_ESYNTAX  this is not an HTTP head
 *   SHARC_ELIMIT   larger than SHARC_LIMIT_HTTP_HEADER or SHARC_LIMIT_HTTP_FIELDS
 * at_end: no more bytes will come; a head without its empty line is taken as
 * far as it goes (SHARC_HTTP_NO_END). */
int64_t sharc_http_parse(struct sharc_http *h, struct sharc_span bytes, bool at_end, struct sharc_err *reterr);

/* Only fields and the empty line, no first line: WARC heads, trailers, parts of
 * a multipart body. Results and limits as above; nothing at all is a head of
 * size 0 (with at_end). */
int64_t sharc_http_parse_fields(struct sharc_http *h, struct sharc_span bytes, bool at_end, struct sharc_err *reterr);

/* Value of the first field of that name (any case); .p == NULL when absent. */
struct sharc_span sharc_http_get(const struct sharc_http *h, const char *name);
/* The next one of that name: start with *at = 0; false when there is no more. */
bool sharc_http_each(const struct sharc_http *h, const char *name, size_t *at, struct sharc_span *ret);
/* SHARC_ENOENT when absent, SHARC_ESYNTAX when no number. */
int sharc_http_content_length(const struct sharc_http *h, uint64_t *ret);
/* The answer is to be looked for elsewhere: its Location. */
static inline bool sharc_http_is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}
/* The body of a successful answer is, by its head, only a part of what there is, or may be: 206, a Content-Range that
 * does not go from the first byte to the last, lengths that contradict each other. */
bool sharc_http_is_part(const struct sharc_http *h);
/* The last transfer coding is "chunked". */
bool sharc_http_is_chunked(const struct sharc_http *h);

/* The next of several values joined by commas, trimmed; commas in quotes join nothing. False: there is no more. */
bool sharc_http_value_next(struct sharc_span *rest, struct sharc_span *ret);
/* "text/html" of "text/html; charset=utf-8"; .p == NULL when that is no media type, or one that says nothing (a star
 * for both halves, "unknown/unknown"). */
struct sharc_span sharc_http_media_essence(struct sharc_span value);

/* Content-Type taken apart: "text/html; charset=\"UTF-8\"". Spans into value,
 * quotes removed, case as written; absent parts have .p == NULL. Of several values joined by commas browsers take the
 * last that is a media type (Fetch, "extract a MIME type"), and so does this; if none is one, type is the first of
 * them. */
struct sharc_http_media {
    struct sharc_span type;    /* "text/html" */
    struct sharc_span charset; /* "UTF-8" */
    struct sharc_span boundary;
};
struct sharc_http_media sharc_http_media(struct sharc_span value);
/* A parameter of a header value ("; name=value", "; name=\"value\""). */
struct sharc_span sharc_http_parameter(struct sharc_span value, const char *name);

/* --- dates --------------------------------------------------------------- */

/* The three formats of RFC 9110 (Sun, 06 Nov 1994 08:49:37 GMT; Sunday,
 * 06-Nov-94 08:49:37 GMT; Sun Nov  6 08:49:37 1994) and what servers make of
 * the first one (no weekday, one-digit day, UTC, an offset, EST or another zone of
 * RFC 822 for GMT). A zone that is not known makes it no date, rather than a
 * wrong one. Two-digit
 * years: 70 … 99 are 19xx, the others 20xx. SHARC_ESYNTAX. */
int sharc_http_date_parse(struct sharc_span s, sharc_time *ret);
/* "Sun, 06 Nov 1994 08:49:37 GMT"; returns out. */
char *sharc_http_date_text(sharc_time t, char out[SHARC_TIME_TEXT]);
/* Last-Modified of a response that was asked for at `when`, unless it cannot date a change: it lies in the
 * future, is the time of the answer itself, as of pages made on the fly, or comes from a clock that is wrong
 * (Date, plus the Age of an answer from a cache, is more than SHARC_HTTP_CLOCK from `when`) or that nobody
 * knows (no Date). Then, and when there is none, SHARC_TIME_NONE. */
#define SHARC_HTTP_CLOCK (60 * SHARC_SEC)
sharc_time sharc_http_last_modified(const struct sharc_http *h, sharc_time when);

/* --- chunked coding ------------------------------------------------------ */

/* Takes the framing away without copying: data comes back as spans into the
 * input. Plain storage, no release.
 *
 *   SIZE --line--> DATA --all read--> DATA_END --CRLF--> SIZE
 *    |  \                                                 (LF alone is taken)
 *    |   +--size 0--> TRAILER --empty line--> DONE
 *    +--no size line at the very start, tolerant--> PLAIN (not chunked at all)
 *    +--bad size line later, tolerant------------> PLAIN (damaged)
 */
struct sharc_chunked {
    bool tolerant;    /* bytes that are not chunked are handed out as they are */
    bool done;        /* last chunk and trailers were read */
    bool not_chunked; /* tolerant: said to be chunked but was not */
    bool damaged;     /* tolerant: framing broke off after some chunks */
    /* private */
    int state_;
    unsigned line_n_;
    uint64_t left_, chunks_;
    char line_[256]; /* a size line cut by the end of a piece */
};
void sharc_chunked_init(struct sharc_chunked *c, bool tolerant);
/* Take from *in what can be taken (advancing it) until there is data:
 *   1  *ret is data (it points into the input, or for a few bytes into c)
 *   0  *in is used up, or c->done is true: bytes behind the end stay in *in
 *   SHARC_ESYNTAX  not chunked, and not tolerant */
int sharc_chunked_step(struct sharc_chunked *c, struct sharc_span *in, struct sharc_span *ret);
/* The input has ended:
 *   0  as it may (also right behind the last chunk, without the empty line)
 *   1  tolerant: *ret is what had been kept back, bytes that turned out not to
 *      be a size line
 *   SHARC_ETRUNC  inside a chunk, or before the last one */
int sharc_chunked_end(struct sharc_chunked *c, struct sharc_span *ret);

/* --- bodies -------------------------------------------------------------- */

/* A source of bytes, asked for one piece at a time.
 *   1  *ret is the next piece (not empty), valid until the next call
 *   0  the end
 *   < 0  an error, with reterr filled */
typedef int sharc_pull_fn(void *arg, struct sharc_span *ret, struct sharc_err *reterr);

enum sharc_http_decode {
    SHARC_HTTP_TRANSFER = 1, /* undo chunked (and other transfer codings) */
    SHARC_HTTP_CONTENT = 2,  /* undo content codings; implies TRANSFER */
};

/* Undoes the codings that a head names, piece by piece, in bounded memory.
 * Bytes that do not have the coding they claim are handed out as they are, and
 * the flags below say so. */
struct sharc_http_body;
struct sharc_http_body_state {
    bool not_chunked; /* chunked was claimed, the bytes are not */
    bool damaged;     /* chunk framing or compressed data broke off midway */
    bool not_coded;   /* a content coding was claimed, the bytes do not have it */
    bool unknown;     /* a coding we do not know: handed out undecoded */
    bool truncated;   /* the source ended too early */
    bool surplus;     /* bytes other than zeros stand behind the end of a coding, and belong to nothing */
};
/* decode: enum sharc_http_decode. max_out bounds what is handed out by
 * each decoder (SHARC_ELIMIT beyond). pull and arg must outlive the body; h is needed
 * only for this call. SHARC_ELIMIT: more than SHARC_LIMIT_CODINGS codings. */
int sharc_http_body_new(const struct sharc_http *h, unsigned decode, uint64_t max_out, sharc_pull_fn *pull, void *arg,
                        struct sharc_http_body **ret, struct sharc_err *reterr);
void sharc_http_body_free(struct sharc_http_body *b);
void sharc_http_body_freep(struct sharc_http_body **b);
/* Has the shape of sharc_pull_fn (arg: the body), so bodies can be stacked. */
int sharc_http_body_pull(void *body, struct sharc_span *ret, struct sharc_err *reterr);
struct sharc_http_body_state sharc_http_body_state(const struct sharc_http_body *b);
/* All of the body is in what was handed out, with every coding undone. What has no coding although its head says so
 * is whole as it is. */
static inline bool sharc_http_body_is_whole(struct sharc_http_body_state s)
{
    return !s.damaged && !s.truncated && !s.not_chunked && !s.unknown && !s.surplus;
}

/* The content codings of a head in the order in which they were applied, each coding by one name only: "gzip", "br,
 * gzip"; nothing if there are none ("identity" is none). Appended to out. Two bodies of the same bytes have the same
 * content if these are equal. SHARC_ELIMIT: more than SHARC_LIMIT_CODINGS codings, or out is full. */
int sharc_http_codings(const struct sharc_http *h, struct sharc_buf *out, struct sharc_err *reterr);

/* All at once: the body bytes behind a head, decoded into out (appended,
 * bounded by out->max). *ret_state may be NULL. */
int sharc_http_decode(const struct sharc_http *h, unsigned decode, struct sharc_span body, struct sharc_buf *out,
                      struct sharc_http_body_state *ret_state, struct sharc_err *reterr);

SHARC_API_END
#endif
