/* SPDX-License-Identifier: Apache-2.0
 *
 * Who answered: hosts, their addresses and protocols, as the records have them.
 */
#include "certify_int.h"

#include <stdlib.h>

static int by_text(const void *a, const void *b)
{
    return sharc_span_cmp(*(const struct sharc_span *)a, *(const struct sharc_span *)b);
}

/* The parts of the list behind their host, sorted, each once. */
static void put_list(struct sharc_json *j, const char *name, const struct sharc_intern *set, char kind,
                     struct sharc_span host)
{
    uint32_t n = sharc_intern_count(set);
    SHARC_AUTO(sharc_freep) struct sharc_span *list = SHARC_NEW_ARRAY(struct sharc_span, n);
    size_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct sharc_span entry = sharc_intern_text(set, i), of;
        char entry_kind = entry.p[0];
        entry = sharc_span_from(entry, 1);
        sharc_span_next(&entry, '\n', &of);
        if (entry_kind == kind && sharc_span_eq(of, host)) list[count++] = entry;
    }
    qsort(list, count, sizeof *list, by_text);
    sharc_json_array(j, name);
    for (size_t i = 0; i < count; i++) sharc_json_span(j, NULL, list[i]);
    sharc_json_end(j);
}

static void note_server(struct sharc_intern *set, struct sharc_intern *hosts, char kind, struct sharc_span host,
                        struct sharc_span value)
{
    sharc_intern_add(hosts, host, NULL);
    if (value.n == 0) return; /* the record does not say */
    SHARC_AUTO(sharc_freep)
    char *entry = sharc_asprintf("%c%.*s\n%.*s", kind, SHARC_SPAN_ARG(host), SHARC_SPAN_ARG(value));
    sharc_intern_add(set, sharc_span_of(entry), NULL);
}

void sharc__certify_servers(const struct sharc_derived *f, struct sharc_json *j)
{
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *set = sharc_intern_new(), *hosts = sharc_intern_new();
    const struct sharc_download *last = NULL; /* noted; most are of the same server as the one before */
    struct sharc_span last_host = SHARC_SPAN_NONE;
    for (size_t i = 0; i < f->all.count; i++) {
        const struct sharc_download *d = &f->all.items[i];
        if (!(d->flags & SHARC_DOWNLOAD_OWN) || d->capture != f->capture) continue;
        struct sharc_span url = sharc_derived_text(f, d->url), host = sharc_derive_host(url);
        bool tls = sharc_span_starts(url, SHARC_SPAN("https:"));
        if (last && !tls && last->ip == d->ip && last->protocol == d->protocol && sharc_span_eq(last_host, host))
            continue;
        note_server(set, hosts, 'a', host, sharc_derived_text(f, d->ip));
        note_server(set, hosts, 'p', host, sharc_derived_text(f, d->protocol));
        if (tls) note_server(set, hosts, 't', host, SHARC_SPAN("yes"));
        last = d;
        last_host = host;
    }
    uint32_t n = sharc_intern_count(hosts);
    SHARC_AUTO(sharc_freep) struct sharc_span *list = SHARC_NEW_ARRAY(struct sharc_span, n);
    for (uint32_t i = 0; i < n; i++) list[i] = sharc_intern_text(hosts, i);
    qsort(list, n, sizeof *list, by_text);
    sharc_json_array(j, NULL);
    for (uint32_t i = 0; i < n; i++) {
        sharc_json_object(j, NULL);
        put_list(j, "addresses", set, 'a', list[i]);
        sharc_json_span(j, "host", list[i]);
        put_list(j, "protocols", set, 'p', list[i]);
        SHARC_AUTO(sharc_freep) char *tls = sharc_asprintf("t%.*s\nyes", SHARC_SPAN_ARG(list[i]));
        sharc_json_str(j, "tls_chain",
                       sharc_intern_find(set, sharc_span_of(tls)) == SHARC_NO_ID ? "not used" : "not recorded");
        sharc_json_end(j);
    }
    sharc_json_end(j);
}
