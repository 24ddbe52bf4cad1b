/* SPDX-License-Identifier: Apache-2.0 */
#include "weakness.h"

#include <stdlib.h>

void sharc__crawl_weakness_done(struct weakness *w)
{
    free(w->connect_to);
    free(w->proxy);
    *w = (struct weakness){0};
}

/* One more of several, blanks between them. */
static void join(char **list, struct sharc_span text)
{
    if (!text.n || (*list && sharc_span_search(sharc_span_of(*list), text) != SHARC_NPOS)) return;
    char *both = *list ? sharc_asprintf("%s %.*s", *list, SHARC_SPAN_ARG(text)) : sharc_span_dup(text);
    free(*list);
    *list = both;
}

static void cut(struct weakness *w, uint64_t max_body)
{
    if (max_body && (!w->max_body || max_body < w->max_body)) w->max_body = max_body;
}

void sharc__crawl_weakness_add(struct weakness *w, const struct sharc_crawl_options *o)
{
    w->insecure |= o->insecure;
    w->trust_modified |= o->trust_modified;
    cut(w, o->max_body);
    join(&w->connect_to, sharc_span_of(o->connect_to));
    join(&w->proxy, sharc_span_of(o->proxy));
}

void sharc__crawl_weakness_read(struct weakness *w, const struct sharc_node *params)
{
    const struct sharc_node *n = sharc_node_get(params, "weakened");
    int64_t most = sharc_node_int(sharc_node_get(n, "max_body"), 0);
    w->insecure |= sharc_node_bool(sharc_node_get(n, "insecure"), false);
    w->trust_modified |= sharc_node_bool(sharc_node_get(n, "trust_last_modified"), false);
    cut(w, most > 0 ? (uint64_t)most : 0);
    join(&w->connect_to, sharc_node_text(sharc_node_get(n, "connect_to")));
    join(&w->proxy, sharc_node_text(sharc_node_get(n, "proxy")));
}

void sharc__crawl_weakness_put(const struct weakness *w, struct sharc_json *j)
{
    if (!w->insecure && !w->trust_modified && !w->max_body && !w->connect_to && !w->proxy) return;
    sharc_json_object(j, "weakened");
    if (w->insecure) sharc_json_bool(j, "insecure", true);
    if (w->connect_to) sharc_json_str(j, "connect_to", w->connect_to);
    if (w->proxy) sharc_json_str(j, "proxy", w->proxy);
    if (w->trust_modified) sharc_json_bool(j, "trust_last_modified", true);
    if (w->max_body) sharc_json_uint(j, "max_body", w->max_body);
    sharc_json_end(j);
}
