/* SPDX-License-Identifier: Apache-2.0
 *
 * Canonical forms: when do two URLs mean the same page? The answer depends on
 * who asks, so the forms have names:
 *
 *   as-is             untouched
 *   whatwg            the standard's serialisation
 *   page              whatwg without the fragment: what sharc fetches, stores
 *                     and tells pages apart by
 *   semantic-precise  whatwg, plus: http when the scheme is missing, extra dots
 *                     in the host and user info removed, percent-encoding made
 *                     uniform (decoded until nothing changes, then the least
 *                     encoding that keeps the meaning), doubled slashes joined,
 *                     query parameters sorted
 *   semantic          semantic-precise without the fragment
 *   aggressive        semantic, plus: https to http, www[N]. removed, path and
 *                     query in lower case, session ids and a closing slash
 *                     removed, idle '&' removed
 *   google            Safe Browsing's form of 2013, port kept
 *   archive           google, plus the Internet Archive's rules: what CDX and
 *                     CDXJ files are keyed by
 *
 * and layouts decide how a canonical URL is written:
 *
 *   url      http://www.example.org:81/a?b
 *   surt     http://(org,example,www,:81)/a?b     Heritrix
 *   key      org,example,www:81)/a?b              CDX, CDXJ
 *   ssurt    org,example,www,//81:http:/a?b       sorts by host, then scheme
 *
 * Archives hold URLs that no parser accepts, and an index must have a key for
 * every one of them. Therefore these functions refuse nothing but length: what
 * the standard rejects is taken apart leniently instead. They are pure, linear
 * in the input (sorting the query apart), and thread-safe. Read back in layout
 * url, every form but two is idempotent; google and archive decode an escaped
 * '?' of the path and take off one "www." only, as their inventors had it.
 */
#ifndef SHARC_URL_CANON_H
#define SHARC_URL_CANON_H

#include "sharc/base.h"
#include "sharc/base_buf.h"

SHARC_API_BEGIN

/* name, text */
#define SHARC_URL_FORMS(X)                  \
    X(AS_IS, "as-is")                       \
    X(WHATWG, "whatwg")                     \
    X(PAGE, "page")                         \
    X(SEMANTIC_PRECISE, "semantic-precise") \
    X(SEMANTIC, "semantic")                 \
    X(AGGRESSIVE, "aggressive")             \
    X(GOOGLE, "google")                     \
    X(ARCHIVE, "archive")

enum sharc_url_form {
#define X(name, text) SHARC_FORM_##name,
    SHARC_URL_FORMS(X)
#undef X
        SHARC_URL_FORM_COUNT,
};

enum sharc_url_layout {
    SHARC_AS_URL,
    SHARC_AS_SURT,           /* http://(org,example,)/a */
    SHARC_AS_SURT_NO_COMMA,  /* http://(org,example)/a */
    SHARC_AS_SURT_NO_SCHEME, /* org,example,)/a */
    SHARC_AS_KEY,            /* org,example)/a, addresses reversed like names */
    SHARC_AS_SSURT,
};

const char *sharc_url_form_name(enum sharc_url_form form);

/* Append url in that form and layout to out. SHARC_ELIMIT when url or the
 * result is longer than SHARC_LIMIT_URL or out is full; out is then unchanged. */
int sharc_url_write(struct sharc_span url, enum sharc_url_form form, enum sharc_url_layout layout,
                    struct sharc_buf *out, struct sharc_err *reterr);

/* The three that everybody needs. */
/* "http://www.Example.org/A/?b&a" -> "org,example)/a?a&b"; "" -> "-"; URLs
 * without a host (dns:, warcinfo:, urn:) keep their shape, IPv6 addresses lose their brackets. The same key as the
 * Python library surt, pywb and OpenWayback give. */
int sharc_url_key(struct sharc_span url, struct sharc_buf *out, struct sharc_err *reterr);
/* "http://www.example.org/main/" -> "http://(org,example,www,)/main/" */
int sharc_url_surt(struct sharc_span url, struct sharc_buf *out, struct sharc_err *reterr);
/* A key back to a URL a person can read: "org,example)/a" -> "example.org/a".
 * Anything but a key is appended as it is. */
int sharc_url_unkey(struct sharc_span key, struct sharc_buf *out);

SHARC_API_END
#endif
