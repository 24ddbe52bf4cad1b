/* SPDX-License-Identifier: Apache-2.0
 *
 * A token for what only programs ask for: catalogues, index, files, metrics. Pages for people stay open: they are
 * for whoever may reach the port.
 */
#include "call.h"

static bool needs_token(struct sharc_span path)
{
    static const char *const prefixes[] = {"/api/", "/files/"}, *const paths[] = {"/cdx", "/metrics"};
    for (size_t i = 0; i < SHARC_LENGTH(prefixes); i++)
        if (sharc_span_starts(path, sharc_span_of(prefixes[i]))) return true;
    for (size_t i = 0; i < SHARC_LENGTH(paths); i++)
        if (sharc_span_is(path, paths[i])) return true;
    return false;
}

/* Takes as long for a wrong token as for the right one. */
static bool is_same(struct sharc_span given, struct sharc_span token)
{
    unsigned differs = given.n != token.n;
    for (size_t i = 0; i < token.n; i++)
        differs |= (unsigned)(unsigned char)token.p[i] ^ (unsigned)(unsigned char)(given.n ? given.p[i % given.n] : 0);
    return !differs;
}

bool sharc__serve_may(struct serve_call *c)
{
    struct sharc_span given = sharc_http_request_header(c->request, "Authorization"), scheme = SHARC_SPAN("Bearer ");
    if (!c->server->token || c->on_replay || !needs_token(c->request->path)) return true;
    given = sharc_span_istarts(given, scheme) ? sharc_span_trim(sharc_span_from(given, scheme.n)) : SHARC_SPAN_NONE;
    if (is_same(given, sharc_span_of(c->server->token))) return true;
    sharc__serve_header(c, "WWW-Authenticate", SHARC_SPAN("Bearer"));
    sharc__serve_plain(c, 401, "This address needs a token: Authorization: Bearer ...");
    return false;
}
