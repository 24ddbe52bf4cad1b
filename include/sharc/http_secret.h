/* SPDX-License-Identifier: Apache-2.0
 *
 * What opens a site behind a login: cookies out of a browser, and header fields
 * of the operator's. Each belongs to a site and is sent to no other; a request
 * as it is archived, and every message, is without their values.
 */
#ifndef SHARC_HTTP_SECRET_H
#define SHARC_HTTP_SECRET_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/http.h"
#include "sharc/url.h"

SHARC_API_BEGIN

#define SHARC_SECRET_HEADERS 64u                    /* header fields that may be given */
#define SHARC_SECRET_COOKIES 100000u                /* cookies that may be given */
#define SHARC_SECRET_COOKIE_BYTES (64u << 10)       /* cookies of one request together */
#define SHARC_SECRET_FILE_BYTES ((size_t)64 << 20)  /* one cookie file */
#define SHARC_SECRET_WITHHELD "[withheld by sharc]" /* stands in archived requests for a value */

struct sharc_secrets;
struct sharc_secrets *sharc_secrets_new(void);
void sharc_secrets_free(struct sharc_secrets *s);
void sharc_secrets_freep(struct sharc_secrets **s);

/* --- cookies ------------------------------------------------------------- */

struct sharc_cookie_count {
    size_t taken, expired;
};
/* A cookie file in Netscape's format, as browsers' extensions, curl and wget write it: one cookie a
 * line, seven fields between tabs; "#HttpOnly_" in front of a domain is not a comment. Cookies that have
 * expired at now are counted and left out; 0 is the end of a browser's session, and taken. Of two for
 * the same domain, path and name the later one counts. name: for messages. SHARC_ESYNTAX names the
 * line, SHARC_ELIMIT. */
int sharc_secrets_add_cookies(struct sharc_secrets *s, struct sharc_span text, const char *name, sharc_time now,
                              struct sharc_cookie_count *ret, struct sharc_err *reterr);
int sharc_secrets_read_cookies(struct sharc_secrets *s, const char *path, sharc_time now,
                               struct sharc_cookie_count *ret, struct sharc_err *reterr);

/* --- header fields ------------------------------------------------------- */

/* "SITE=Name: value", or "Name: value" for the homes below. SITE is where it may go:
 *   example.org          this host, on the ports of http and https
 *   example.org:8080     this host and port
 *   .example.org         this host and all under it
 *   https://example.org  this host, by https only
 * SHARC_ESYNTAX: not of that form, a name that sharc sets itself (Host, Range, …). No message quotes
 * the value. */
int sharc_secrets_add_header(struct sharc_secrets *s, struct sharc_span text, struct sharc_err *reterr);
/* Fields without SITE go to the origin of this URL (a seed), and to the same host by https when the
 * URL is http. */
void sharc_secrets_add_home(struct sharc_secrets *s, const struct sharc_url *url);

/* --- a request ----------------------------------------------------------- */

/* The fields for one request. Spans live as long as the secrets and this. Zeroed storage is fresh. */
struct sharc_secret_fields {
    struct sharc_http_field fields[SHARC_SECRET_HEADERS + 1];
    size_t count;
    struct sharc_buf cookie_; /* private */
};
void sharc_secret_fields_done(struct sharc_secret_fields *f);
/* RFC 6265: a cookie is sent when domain and path match, a secure one by https only, longer paths
 * first. SHARC_ELIMIT: the cookies for this URL are more than SHARC_SECRET_COOKIE_BYTES. */
int sharc_secrets_for(const struct sharc_secrets *s, const struct sharc_url *url, sharc_time now,
                      struct sharc_secret_fields *ret, struct sharc_err *reterr);
/* The value of a field of this name is not for the archive: Cookie, Authorization, Proxy-Authorization,
 * and what was given as a header, unless every browser sends it (Accept-Language, User-Agent, …). s may
 * be NULL. */
bool sharc_secrets_withhold(const struct sharc_secrets *s, struct sharc_span name);
/* Replace those values in the head of a request by SHARC_SECRET_WITHHELD. */
void sharc_secrets_redact(const struct sharc_secrets *s, struct sharc_buf *head);

SHARC_API_END
#endif
