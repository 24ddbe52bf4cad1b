/* SPDX-License-Identifier: Apache-2.0
 *
 * URLs as browsers read them: the WHATWG URL Standard over UTF-8 bytes.
 *
 * A parsed URL is one owned string, its serialisation, and offsets into it:
 *
 *   https://user:pass@example.org:8080/dir/page?a=b#top
 *        ^      ^    ^           ^    ^        ^   ^
 *        |      |    host_start  |    |        |   fragment (at '#')
 *        |      user_end         |    path     query (at '?')
 *        scheme_end (at ':')     host_end
 *
 * The input is bytes. Well-formed UTF-8 gives what the standard says; a byte
 * that is no UTF-8 is percent-encoded as it is in path, query and fragment
 * (nothing of a server's own spelling is lost), and refused in a domain.
 *
 * Limits: input and result are at most SHARC_LIMIT_URL bytes each. Time is linear in
 * the input, except that a non-ASCII host is handed to ICU. Everything here is
 * safe to use from several threads on different objects.
 */
#ifndef SHARC_URL_H
#define SHARC_URL_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_limits.h"

SHARC_API_BEGIN

/* The standard's special schemes; all others are OTHER. */
enum sharc_scheme {
    SHARC_SCHEME_OTHER,
    SHARC_SCHEME_HTTP,
    SHARC_SCHEME_HTTPS,
    SHARC_SCHEME_WS,
    SHARC_SCHEME_WSS,
    SHARC_SCHEME_FTP,
    SHARC_SCHEME_FILE,
};

enum sharc_host_kind {
    SHARC_HOST_NONE,   /* mailto:x, data:… */
    SHARC_HOST_EMPTY,  /* file:///x */
    SHARC_HOST_DOMAIN, /* lower case, punycode */
    SHARC_HOST_IPV4,   /* four decimal numbers */
    SHARC_HOST_IPV6,   /* in brackets, shortest form */
    SHARC_HOST_OPAQUE, /* of a scheme that is not special */
};

#define SHARC_URL_NO UINT16_MAX /* an offset that is not there */

/* Read-only for callers; use the functions below. SHARC_URL_INIT is the empty
 * value: no string yet, safe to give to every function as a target. */
struct sharc_url {
    char *p;       /* the serialisation, a 0 behind; owned */
    uint32_t room; /* bytes allocated */
    uint16_t n;
    uint16_t scheme_end; /* at ':' */
    uint16_t user_end;   /* == host_start when there are no credentials */
    uint16_t host_start, host_end;
    uint16_t path_start;
    uint16_t query_start, fragment_start; /* at '?', '#', or SHARC_URL_NO */
    uint16_t port;                        /* valid when has_port */
    uint8_t scheme;                       /* enum sharc_scheme */
    uint8_t host_kind;                    /* enum sharc_host_kind */
    bool has_port;                        /* a port other than the scheme's own */
    bool opaque_path;                     /* mailto:x: cannot be a base */
};
#define SHARC_URL_INIT \
    {                  \
        .p = NULL      \
    }

void sharc_url_done(struct sharc_url *u);

/* Parse input, resolved against base when that is not NULL. u keeps its memory
 * between calls; base and input must not lie in u. On failure u is empty.
 * SHARC_ESYNTAX with a sentence that quotes the URL (never its password) and says what is wrong with
 * it; SHARC_ELIMIT when too long. */
int sharc_url_parse(struct sharc_url *u, struct sharc_span input, const struct sharc_url *base,
                    struct sharc_err *reterr);

/* What sharc_url_page() would give of ref resolved against base, without parsing, for
 * the common and simple case: *ret_base (the beginning of base) and behind it *ret_ref
 * (a part of ref). False for any ref that is not plain letters, digits and few signs, in
 * a path relative to that of an http or https base. */
bool sharc_url_join_plain(const struct sharc_url *base, struct sharc_span ref, struct sharc_span *ret_base,
                          struct sharc_span *ret_ref);

/* Pages in another charset than UTF-8 send their queries in that charset. The
 * converter is made once per page; it is not safe to share between threads.
 * SHARC_EUNSUPPORTED for a label no browser knows. UTF-8, UTF-16 and
 * "replacement" give *ret == NULL, which means UTF-8. input is UTF-8 as ever. */
struct sharc_url_charset;
int sharc_url_charset_new(struct sharc_span label, struct sharc_url_charset **ret, struct sharc_err *reterr);
void sharc_url_charset_free(struct sharc_url_charset *c);
void sharc_url_charset_freep(struct sharc_url_charset **c);
int sharc_url_parse_charset(struct sharc_url *u, struct sharc_span input, const struct sharc_url *base,
                            struct sharc_url_charset *charset, struct sharc_err *reterr);

/* A URL as a person types it, with or without scheme. Without one, "example.org/path" is
 * https://example.org/path, as browsers have it; it is http where https is not at home: the host is
 * an address or a name without dot ("localhost"), or a port other than 443 is named. */
int sharc_url_parse_typed(struct sharc_url *u, struct sharc_span typed, struct sharc_err *reterr);

/* For messages: at most 200 bytes of it, and user name and password replaced by "***". url may be
 * any text. Returns out. */
#define SHARC_URL_SHOWN 256
const char *sharc_url_shown(struct sharc_span url, char out[SHARC_URL_SHOWN]);

int sharc_url_copy(struct sharc_url *u, const struct sharc_url *from);

/* --- parts ---------------------------------------------------------------
 * Spans into u, valid until u changes. Without their punctuation: scheme
 * "https", port "8080", query "a=b", fragment "top". A part that is not there
 * is empty with .p == NULL, one that is there and empty has .p != NULL. */
static inline struct sharc_span sharc_url_href(const struct sharc_url *u)
{
    return sharc_span(u->p, u->n);
}
static inline struct sharc_span sharc_url_scheme(const struct sharc_url *u)
{
    return sharc_span(u->p, u->scheme_end);
}
static inline bool sharc_url_is_special(const struct sharc_url *u)
{
    return u->scheme != SHARC_SCHEME_OTHER;
}
static inline bool sharc_url_is_http(const struct sharc_url *u)
{
    return u->scheme == SHARC_SCHEME_HTTP || u->scheme == SHARC_SCHEME_HTTPS;
}
struct sharc_span sharc_url_user(const struct sharc_url *u);
struct sharc_span sharc_url_password(const struct sharc_url *u);
static inline struct sharc_span sharc_url_host(const struct sharc_url *u)
{
    return u->host_kind == SHARC_HOST_NONE ? SHARC_SPAN_NONE
                                           : sharc_span(u->p + u->host_start, u->host_end - u->host_start);
}
/* The port as written: empty when it is the scheme's own. */
struct sharc_span sharc_url_port_text(const struct sharc_url *u);
/* The port a connection goes to; 0 when the scheme has none. */
unsigned sharc_url_port(const struct sharc_url *u);
/* "example.org:8080" */
struct sharc_span sharc_url_host_port(const struct sharc_url *u);
struct sharc_span sharc_url_path(const struct sharc_url *u);
struct sharc_span sharc_url_query(const struct sharc_url *u);
struct sharc_span sharc_url_fragment(const struct sharc_url *u);
/* Path and query as a request line needs them: "/dir/page?a=b". */
struct sharc_span sharc_url_target(const struct sharc_url *u);
/* The page's identity in sharc: everything before '#'. */
struct sharc_span sharc_url_page(const struct sharc_url *u);
/* "https://example.org:8080" appended to out; "null" when the origin is opaque. */
int sharc_url_origin(const struct sharc_url *u, struct sharc_buf *out);

/* --- changes -------------------------------------------------------------*/
void sharc_url_strip_fragment(struct sharc_url *u);
void sharc_url_strip_credentials(struct sharc_url *u);

/* The standard's setters. value is written as a browser's script would write
 * it ("?a=b" or "a=b"). A value the standard ignores leaves u as it was and
 * returns 0; SHARC_ELIMIT when the result is too long, SHARC_ESYNTAX only for
 * SHARC_URL_HREF. */
enum sharc_url_part {
    SHARC_URL_HREF,
    SHARC_URL_PROTOCOL,
    SHARC_URL_USERNAME,
    SHARC_URL_PASSWORD,
    SHARC_URL_HOST,
    SHARC_URL_HOSTNAME,
    SHARC_URL_PORT,
    SHARC_URL_PATHNAME,
    SHARC_URL_SEARCH,
    SHARC_URL_HASH,
};
int sharc_url_set(struct sharc_url *u, enum sharc_url_part part, struct sharc_span value, struct sharc_err *reterr);

/* --- domains ------------------------------------------------------------- */

/* The public suffix list: NULL everywhere means the one built into libpsl. A
 * list may be shared between threads. */
struct sharc_suffixes;
int sharc_suffixes_open(const char *path, struct sharc_suffixes **ret, struct sharc_err *reterr);
void sharc_suffixes_free(struct sharc_suffixes *s);
void sharc_suffixes_freep(struct sharc_suffixes **s);

/* The part of a domain that somebody registered ("bbc.co.uk" of
 * "news.bbc.co.uk"), a span into host. None for a public suffix itself, an
 * address, an empty host. A dot at the end is left off. */
struct sharc_span sharc_url_registered_domain(const struct sharc_url *u, const struct sharc_suffixes *list);

SHARC_API_END
#endif
