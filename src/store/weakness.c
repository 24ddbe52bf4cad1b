/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/store_weakness.h"

#include "sharc/base_arena.h"

#include <inttypes.h>
#include <stdlib.h>

void sharc_store_weakness_done(struct sharc_store_weakness *w)
{
    free(w->connect_to);
    free(w->proxy);
    *w = (struct sharc_store_weakness){0};
}

/* One more of several, blanks between them. */
static void add(char **list, struct sharc_span text)
{
    if (!text.n || (*list && sharc_span_search(sharc_span_of(*list), text) != SHARC_NPOS)) return;
    char *both = *list ? sharc_asprintf("%s %.*s", *list, SHARC_SPAN_ARG(text)) : sharc_span_dup(text);
    free(*list);
    *list = both;
}

void sharc_store_weakness_join(struct sharc_store_weakness *w, const struct sharc_store_weakness *also)
{
    w->insecure |= also->insecure;
    w->trust_modified |= also->trust_modified;
    w->cookies |= also->cookies;
    w->header |= also->header;
    if (also->max_body && (!w->max_body || also->max_body < w->max_body)) w->max_body = also->max_body;
    add(&w->connect_to, sharc_span_of(also->connect_to));
    add(&w->proxy, sharc_span_of(also->proxy));
}

void sharc_store_weakness_read(struct sharc_store_weakness *w, const struct sharc_node *params)
{
    const struct sharc_node *n = sharc_node_get(params, "weakened");
    const int64_t most = sharc_node_int(sharc_node_get(n, "max_body"), 0);
    struct sharc_store_weakness also = {
        .insecure = sharc_node_bool(sharc_node_get(n, "insecure"), false),
        .trust_modified = sharc_node_bool(sharc_node_get(n, "trust_last_modified"), false),
        .cookies = sharc_node_bool(sharc_node_get(n, "cookies"), false),
        .header = sharc_node_bool(sharc_node_get(n, "header"), false),
        .max_body = most > 0 ? (uint64_t)most : 0,
    };
    add(&also.connect_to, sharc_node_text(sharc_node_get(n, "connect_to")));
    add(&also.proxy, sharc_node_text(sharc_node_get(n, "proxy")));
    sharc_store_weakness_join(w, &also);
    sharc_store_weakness_done(&also);
}

void sharc_store_weakness_parse(struct sharc_store_weakness *w, struct sharc_span params)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(16u << 20);
    const struct sharc_node *n = NULL;
    if (params.n && sharc_json_read(params, &arena, &n, NULL) == 0) sharc_store_weakness_read(w, n);
}

void sharc_store_weakness_put(const struct sharc_store_weakness *w, struct sharc_json *j)
{
    const bool any = w->insecure || w->trust_modified || w->cookies || w->header;
    if (!any && !w->max_body && !w->connect_to && !w->proxy) return;
    sharc_json_object(j, "weakened");
    if (w->insecure) sharc_json_bool(j, "insecure", true);
    if (w->connect_to) sharc_json_str(j, "connect_to", w->connect_to);
    if (w->proxy) sharc_json_str(j, "proxy", w->proxy);
    if (w->trust_modified) sharc_json_bool(j, "trust_last_modified", true);
    if (w->cookies) sharc_json_bool(j, "cookies", true);
    if (w->header) sharc_json_bool(j, "header", true);
    if (w->max_body) sharc_json_uint(j, "max_body", w->max_body);
    sharc_json_end(j);
}

static char *plain(struct sharc_span text)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(4u << 20);
    for (size_t i = 0; i < text.n;) {
        uint32_t c = 0;
        const size_t n = sharc_utf8_decode(sharc_span_from(text, i), &c);
        if (n == 0 || sharc_steers_terminal(c))
            sharc_buf_put_str(&out, "\xef\xbf\xbd");
        else
            sharc_buf_put(&out, sharc_span(text.p + i, n));
        i += n ? n : 1;
    }
    return sharc_strdup(sharc_buf_str(&out));
}

char *sharc_store_weakness_text(const struct sharc_store_weakness *w)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    if (w->insecure) sharc_buf_put_str(&out, ", insecure");
    if (w->connect_to) sharc_buf_printf(&out, ", connect-to %s", w->connect_to);
    if (w->proxy) sharc_buf_printf(&out, ", proxy %s", w->proxy);
    if (w->trust_modified) sharc_buf_put_str(&out, ", trust-last-modified");
    if (w->cookies) sharc_buf_put_str(&out, ", cookies");
    if (w->header) sharc_buf_put_str(&out, ", header");
    if (w->max_body) sharc_buf_printf(&out, ", max-body %" PRIu64, w->max_body);
    return out.n > 2 ? plain(sharc_span_from(sharc_buf_span(&out), 2)) : NULL;
}

char *sharc_store_weakened(struct sharc_span params)
{
    SHARC_AUTO(sharc_store_weakness_done) struct sharc_store_weakness w = {0};
    sharc_store_weakness_parse(&w, params);
    return sharc_store_weakness_text(&w);
}
