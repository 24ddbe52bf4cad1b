/* SPDX-License-Identifier: Apache-2.0
 *
 * Input: a base, a line feed, a reference; then, if there is another line feed,
 * a part (one byte) and a value to set it to.
 * What must hold: a serialisation parses to itself with the same offsets, also
 * after every change; nothing is longer than SHARC_LIMIT_URL.
 */
#include "sharc/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct sharc_url *u)
{
    struct sharc_url again = SHARC_URL_INIT;
    SHARC_ASSERT(u->n <= SHARC_LIMIT_URL && u->p[u->n] == 0);
    SHARC_ASSERT(sharc_url_parse(&again, sharc_url_href(u), NULL, NULL) == 0);
    SHARC_ASSERT(sharc_span_eq(sharc_url_href(u), sharc_url_href(&again)));
    SHARC_ASSERT(u->scheme_end == again.scheme_end && u->user_end == again.user_end);
    SHARC_ASSERT(u->host_start == again.host_start && u->host_end == again.host_end);
    SHARC_ASSERT(u->path_start == again.path_start && u->query_start == again.query_start);
    SHARC_ASSERT(u->fragment_start == again.fragment_start && u->scheme == again.scheme);
    SHARC_ASSERT(u->host_kind == again.host_kind && u->has_port == again.has_port && u->port == again.port);
    SHARC_ASSERT(u->opaque_path == again.opaque_path);

    /* Against itself, an empty fragment is the same page. */
    struct sharc_url self = SHARC_URL_INIT;
    int r = sharc_url_parse(&self, SHARC_SPAN("#"), u, NULL);
    SHARC_ASSERT(r == 0 ? sharc_span_eq(sharc_url_page(u), sharc_url_page(&self)) : r == SHARC_ELIMIT);
    sharc_url_done(&again);
    sharc_url_done(&self);
}

static void change(struct sharc_url *u, struct sharc_span rest)
{
    if (rest.n && rest.n != SHARC_NPOS) {
        enum sharc_url_part part = (enum sharc_url_part)((unsigned char)rest.p[0] % (SHARC_URL_HASH + 1));
        sharc_url_set(u, part, sharc_span_from(rest, 1), NULL);
        /* The standard leaves the path as it is: "/c|/" is a drive only when it is parsed. */
        if (part == SHARC_URL_PROTOCOL && u->scheme == SHARC_SCHEME_FILE) return;
        check(u);
    }
    sharc_url_registered_domain(u, NULL);
    sharc_url_strip_credentials(u);
    check(u);
    sharc_url_strip_fragment(u);
    check(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sharc_span rest = sharc_span(data, size), first, second = SHARC_SPAN_NONE;
    struct sharc_url base = SHARC_URL_INIT, u = SHARC_URL_INIT;
    sharc_span_next(&rest, '\n', &first);
    bool has_base = sharc_url_parse(&base, first, NULL, NULL) == 0;
    if (has_base) check(&base);
    if (sharc_span_next(&rest, '\n', &second) && sharc_url_parse(&u, second, has_base ? &base : NULL, NULL) == 0) {
        check(&u);
        change(&u, rest);
    }
    sharc_url_done(&base);
    sharc_url_done(&u);
    return 0;
}
