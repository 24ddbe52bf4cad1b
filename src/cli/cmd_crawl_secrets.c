/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc crawl: cookies and headers for sites behind a login, and which seeds they are for.
 */
#include "cmd_crawl.h"

int crawl_read_secrets(struct cli *c, const struct crawl_settings *s, struct sharc_secrets **ret, struct sharc_err *err)
{
    SHARC_AUTO(sharc_secrets_freep) struct sharc_secrets *secrets = sharc_secrets_new();
    struct sharc_clock *clock = sharc_clock_real();
    for (size_t i = 0; i < s->cookies.count; i++) {
        struct sharc_cookie_count n = {0};
        int r = sharc_secrets_read_cookies(secrets, s->cookies.items[i], clock->now(clock), &n, err);
        if (r < 0) return r;
        if (n.expired)
            cli_note(c, "%s: %zu of %s expired; what has expired is not sent", s->cookies.items[i], n.expired,
                     SHARC_COUNT(n.expired + n.taken, "cookie has|cookies have"));
    }
    for (size_t i = 0; i < s->headers.count; i++) {
        int r = sharc_secrets_add_header(secrets, sharc_span_of(s->headers.items[i]), err);
        if (r < 0) return sharc_err_prefix(err, r, "--header");
    }
    *ret = SHARC_TAKE(secrets);
    return 0;
}

void crawl_add_home(struct sharc_secrets *secrets, struct sharc_span seed)
{
    struct sharc_url url = SHARC_URL_INIT;
    if (sharc_url_parse_typed(&url, seed, NULL) == 0) sharc_secrets_add_home(secrets, &url);
    sharc_url_done(&url);
}

static enum sharc_address_kind kind_of(struct sharc_span seed)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url url = SHARC_URL_INIT;
    enum sharc_address_kind kind;
    if (sharc_url_parse_typed(&url, seed, NULL) < 0) return SHARC_ADDRESS_PUBLIC;
    struct sharc_span host = sharc_url_host(&url);
    if (sharc_span_is(host, "localhost") || sharc_span_ends(host, SHARC_SPAN(".localhost")))
        return SHARC_ADDRESS_LOOPBACK;
    return sharc_address_kind_of_host(host, &kind) == 0 ? kind : SHARC_ADDRESS_PUBLIC;
}

bool crawl_is_local(struct sharc_span seed)
{
    return kind_of(seed) != SHARC_ADDRESS_PUBLIC;
}

int crawl_check_seed(struct sharc_span seed, bool allow_private, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    char shown[SHARC_URL_SHOWN];
    int r = sharc_crawl_site_name(seed, &name, err);
    if (r < 0) return r;
    enum sharc_address_kind kind = allow_private ? SHARC_ADDRESS_PUBLIC : kind_of(seed);
    sharc_url_shown(seed, shown);
    SHARC_FAIL_IF(kind != SHARC_ADDRESS_PUBLIC, err, SHARC_EACCESS, "%s: is %s; setting \"allow-private\" allows it",
                  shown, sharc_address_kind_text(kind));
    return 0;
}
