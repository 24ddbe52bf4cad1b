/* SPDX-License-Identifier: Apache-2.0
 *
 * What secret.c (header fields, requests) and cookie.c (cookies) share.
 */
#ifndef SHARC_HTTP_SECRET_INT_H
#define SHARC_HTTP_SECRET_INT_H

#include "sharc/base_arena.h"
#include "sharc/http_secret.h"

/* Spans live in the arena of the secrets. */
struct cookie {
    struct sharc_span domain; /* as a URL has it: lower case, punycode; without dot in front */
    struct sharc_span path, name, value;
    sharc_time expires; /* SHARC_TIME_NONE: never */
    size_t order;       /* of the file */
    bool subdomains;    /* goes to hosts under domain, too */
    bool secure;
};

/* Where a header field may go. */
struct site_rule {
    struct sharc_span host; /* none: the homes */
    bool subdomains;
    int scheme;    /* enum sharc_scheme; OTHER: http and https */
    unsigned port; /* 0: the scheme's own */
};

struct header {
    struct site_rule site;
    struct sharc_span name, value;
};

struct sharc_secrets {
    struct sharc_arena arena;
    struct cookie *cookies; /* sorted by domain */
    size_t cookies_count, cookies_room;
    struct header headers[SHARC_SECRET_HEADERS];
    size_t headers_count;
    struct site_rule *homes;
    size_t homes_count, homes_room;
};

/* host is domain, or under it. */
bool sharc__http_is_under(struct sharc_span host, struct sharc_span domain);
/* The host of "http://TEXT/" in the arena; none when it is no host. *ret_registered: hosts under it can
 * be one owner's: it is no address, no public suffix, no name without dot. */
struct sharc_span sharc__http_secret_host(struct sharc_secrets *s, struct sharc_span text, bool *ret_registered);
/* "a=1; b=2" of the cookies for url, appended to out. */
int sharc__http_put_cookies(const struct sharc_secrets *s, const struct sharc_url *url, sharc_time now,
                            struct sharc_buf *out, struct sharc_err *reterr);

#endif
