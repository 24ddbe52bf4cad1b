/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the fetcher share: one fetcher, the hostile server, and a request with its answer.
 */
#ifndef SHARC_TEST_FETCHING_H
#define SHARC_TEST_FETCHING_H

#include "test.h"

#include "hostile.h"
#include "sharc/http_fetch.h"

/* Of fetching_ready; NULL before. */
extern struct sharc_fetcher *fetcher;

/* Settings that fit the server, and a fetcher with such. A fetcher that cannot be made fails the test. */
struct sharc_fetcher_settings fetching_usual(void);
struct sharc_fetcher *fetching_with(const struct sharc_fetcher_settings *s);

/* Begin: server and fetcher are there; skips the test where the server cannot run. The end, for all tests. */
void fetching_ready(void);
int fetching_stop(void **state);

/* The next result; that of a request; that of a path of the site "main". The caller owns it. */
struct sharc_fetch_result *fetching_take(struct sharc_fetcher *f);
struct sharc_fetch_result *fetching_get_with(struct sharc_fetcher *f, const struct sharc_fetch_request *req);
struct sharc_fetch_result *fetching_get(const char *path);

/* The address of a path of a site of the server; the caller frees it. */
char *fetching_url(const char *site, const char *path);

/* The whole body, whether in memory or in a file, behind out. */
void fetching_body(const struct sharc_fetch_result *r, struct sharc_buf *out);

#endif
