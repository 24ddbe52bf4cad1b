/* SPDX-License-Identifier: Apache-2.0
 *
 * Registered domains by the public suffix list, through libpsl.
 */
#include "url_int.h"

#include "sharc/base_library.h"

#include <libpsl.h>
#include <stdlib.h>

struct sharc_suffixes {
    psl_ctx_t *list;
};

int sharc_suffixes_open(const char *path, struct sharc_suffixes **ret, struct sharc_err *reterr)
{
    psl_ctx_t *list = psl_load_file(path);
    SHARC_FAIL_IF(!list, reterr, SHARC_EIO,
                  "%s: cannot be read as a public suffix list; get one from publicsuffix.org, or leave the setting out "
                  "to use the built-in list",
                  path);
    *ret = SHARC_NEW(struct sharc_suffixes);
    (*ret)->list = list;
    return 0;
}

void sharc_suffixes_free(struct sharc_suffixes *s)
{
    if (!s) return;
    psl_free(s->list);
    free(s);
}

void sharc_suffixes_freep(struct sharc_suffixes **s)
{
    sharc_suffixes_free(*s);
    *s = NULL;
}

struct sharc_span sharc_url_registered_domain(const struct sharc_url *u, const struct sharc_suffixes *list)
{
    struct sharc_span host = sharc_url_host(u);
    if (host.n && host.p[host.n - 1] == '.') host.n--;
    char name[256]; /* longer is no name in the DNS */
    if (u->host_kind != SHARC_HOST_DOMAIN || !host.n || host.n >= sizeof name) return SHARC_SPAN_NONE;
    memcpy(name, host.p, host.n);
    name[host.n] = 0;
    const char *domain = psl_registrable_domain(list ? list->list : psl_builtin(), name);
    return domain ? sharc_span_from(host, (size_t)(domain - name)) : SHARC_SPAN_NONE;
}

__attribute__((constructor)) static void name_library(void)
{
    sharc_library_add("libpsl", psl_get_version());
}
