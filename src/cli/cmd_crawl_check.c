/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc crawl: options that only a running crawl would stumble over, checked before it begins or is queued.
 */
#include "cmd_crawl.h"

#include "sharc/url.h"
#include "sharc/url_scope.h"

#include <ctype.h>
#include <stdlib.h>

static int check_types(const struct cli_list *types, struct sharc_err *err)
{
    int r = 0;
    for (size_t i = 0; i < types->count && r == 0; i++) r = sharc_crawl_type_check(sharc_span_of(types->items[i]), err);
    return r;
}

static int check_sources(const struct cli_list *sources, struct sharc_err *err)
{
    for (size_t i = 0; i < sources->count; i++) {
        SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
        char shown[SHARC_URL_SHOWN];
        bool fetched = sharc_url_parse(&u, sharc_span_of(sources->items[i]), NULL, NULL) == 0 && sharc_url_is_http(&u);
        SHARC_FAIL_IF(!fetched, err, SHARC_ESYNTAX,
                      "--source: \"%s\" is nothing that can be fetched; write its whole URL, with http:// or https://",
                      sharc_url_shown(sharc_span_of(sources->items[i]), shown));
    }
    return 0;
}

static int check_rules(const char *const *rules, size_t count, struct sharc_err *err)
{
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *scope = sharc_scope_new();
    int r = 0;
    for (size_t i = 0; i < count && r == 0; i++) {
        bool exclude = rules[i][0] == '-';
        r = sharc_scope_add(scope, exclude ? SHARC_EXCLUDE : SHARC_INCLUDE, sharc_span_of(rules[i] + 1),
                            exclude ? "--exclude" : "--include", err);
    }
    return r;
}

/* "host:", "[::1]:", ":"; NULL: none begins here. */
static const char *after_host(const char *p)
{
    if (*p == '[') {
        p += strcspn(p, "]");
        return p[0] == ']' && p[1] == ':' ? p + 2 : NULL;
    }
    p += strcspn(p, ":[]");
    return *p == ':' ? p + 1 : NULL;
}

static const char *after_port(const char *p)
{
    while (isdigit((unsigned char)*p)) p++;
    return p;
}

/* libcurl takes what it cannot read for a host that is never asked, and connects as if nothing had been said. */
static int check_connect_to(const char *text, struct sharc_err *err)
{
    const char *p = after_host(text);
    if (p) p = after_port(p);
    if (p) p = *p == ':' ? after_host(p + 1) : NULL;
    if (p) p = after_port(p);
    SHARC_FAIL_IF(!p || *p, err, SHARC_ESYNTAX,
                  "--connect-to: \"%s\" is not HOST:PORT:HOST:PORT, such as www.example.org:443:127.0.0.1:8443", text);
    return 0;
}

int crawl_check(struct cli *c, const struct crawl_settings *s)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int r = check_types(&s->types, &err);
    if (r == 0) r = check_types(&s->not_types, &err);
    if (r == 0) r = check_sources(&s->sources, &err);
    for (size_t i = 0; i < s->connect_to.count && r == 0; i++) r = check_connect_to(s->connect_to.items[i], &err);
    if (r < 0) return cli_usage(c, "%s", err.text);
    if (check_rules(s->o.rules, s->o.rules_count, &err) < 0) return cli_fail(c, &err);
    if (s->connections > 1 && s->o.pace.delay > 0)
        cli_note(c, "one connection per site is used as long as there is a delay: --connections needs --delay 0");
    return 0;
}
