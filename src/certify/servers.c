/* SPDX-License-Identifier: Apache-2.0
 *
 * Who answered: hosts, their addresses and protocols, as the records have them, and the certificates by which they
 * were known.
 */
#include "tls.h"

#include <stdlib.h>

enum { NAME_MOST = 1024 }; /* bytes of a name in a certificate of a server; the rest is left out */

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

/* --- certificates ------------------------------------------------------------------------ */

static void put_name(struct sharc_json *j, const char *name, struct sharc_buf *text)
{
    if (text->n > NAME_MOST) sharc_buf_truncate(text, NAME_MOST);
    size_t bad = sharc_utf8_check(sharc_buf_span(text));
    if (bad != SHARC_NPOS) sharc_buf_truncate(text, bad);
    sharc_json_span(j, name, sharc_buf_span(text));
}

/* As text, unlike other times: 9999-12-31 is usual here and too large for a number of microseconds. */
static void put_day(struct sharc_json *j, const char *name, sharc_time t)
{
    char text[SHARC_TIME_TEXT];
    if (t != SHARC_TIME_NONE) sharc_json_str(j, name, sharc_time_iso(t, 0, text));
}

static void put_certificate(const struct sharc_seal_chain *c, size_t i, struct sharc_json *j)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf subject = SHARC_BUF_INIT(1u << 20), issuer = SHARC_BUF_INIT(1u << 20);
    struct sharc_seal_validity valid;
    struct sharc_digest print;
    char hex[SHARC_HEX_SIZE(32)];
    sharc_seal_chain_certificate(c, i, &subject, &issuer, &valid);
    sharc_seal_chain_fingerprint(c, i, &print);
    sharc_hex_encode(sharc_span(print.bytes, 32), hex);
    sharc_json_object(j, NULL);
    put_day(j, "from", valid.from);
    put_name(j, "issuer", &issuer);
    sharc_json_str(j, "sha256", hex);
    put_name(j, "subject", &subject);
    put_day(j, "to", valid.until);
    sharc_json_end(j);
}

static void put_chain(const struct certify_tls *t, const struct tls_chain *c, struct sharc_json *j)
{
    sharc_json_object(j, NULL);
    sharc_json_array(j, "certificates");
    for (size_t i = 0; c->parsed && i < sharc_seal_chain_count(c->parsed); i++) put_certificate(c->parsed, i, j);
    sharc_json_end(j);
    sharc_json_span(j, "chain", sharc_derived_text(t->f, c->digest));
    if (c->record && c->record->cut) sharc_json_bool(j, "cut", true);
    sharc_json_str(j, "record", !c->record ? "missing" : !c->parsed ? "unreadable" : "there");
    sharc_json_end(j);
}

static void put_use(const struct certify_tls *t, const struct tls_use *u, struct sharc_json *j)
{
    sharc_json_object(j, NULL);
    if (u->chain != SHARC_NPOS) sharc_json_span(j, "chain", sharc_derived_text(t->f, t->chains[u->chain].digest));
    if (u->cipher != SHARC_DERIVED_NONE) sharc_json_span(j, "cipher", sharc_derived_text(t->f, u->cipher));
    sharc_json_uint(j, "downloads", u->downloads);
    sharc_json_bool(j, "names_host", u->is_for);
    sharc_json_uint(j, "outside_validity", u->outside);
    sharc_json_uint(j, "resumed", u->resumed);
    sharc_json_uint(j, "verified", u->verified);
    sharc_json_span(j, "version", sharc_derived_text(t->f, u->version));
    sharc_json_end(j);
}

static void put_host(const struct certify_tls *t, const struct sharc_intern *set, struct sharc_span host,
                     struct sharc_json *j)
{
    sharc_json_object(j, NULL);
    put_list(j, "addresses", set, 'a', host);
    sharc_json_span(j, "host", host);
    put_list(j, "protocols", set, 'p', host);
    sharc_json_array(j, "tls");
    for (size_t i = 0; i < t->use_count; i++)
        if (sharc_span_eq(t->uses[i].host, host)) put_use(t, &t->uses[i], j);
    sharc_json_end(j);
    sharc_json_end(j);
}

/* --- all ----------------------------------------------------------------------------------- */

static void note_servers(const struct sharc_derived *f, struct sharc_intern *set, struct sharc_intern *hosts)
{
    const struct sharc_download *last = NULL;
    struct sharc_span last_host = SHARC_SPAN_NONE;
    for (size_t i = 0; i < f->all.count; i++) {
        const struct sharc_download *d = &f->all.items[i];
        if (!(d->flags & SHARC_DOWNLOAD_OWN) || d->capture != f->capture) continue;
        struct sharc_span host = sharc_derive_host(sharc_derived_text(f, d->url));
        if (last && last->ip == d->ip && last->protocol == d->protocol && sharc_span_eq(last_host, host)) continue;
        note_server(set, hosts, 'a', host, sharc_derived_text(f, d->ip));
        note_server(set, hosts, 'p', host, sharc_derived_text(f, d->protocol));
        last = d;
        last_host = host;
    }
}

void sharc__certify_servers(const struct sharc_derived *f, struct sharc_json *j)
{
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *set = sharc_intern_new(), *hosts = sharc_intern_new();
    SHARC_AUTO(sharc__certify_tls_done) struct certify_tls t;
    sharc__certify_tls_read(f, &t);
    note_servers(f, set, hosts);
    uint32_t n = sharc_intern_count(hosts);
    SHARC_AUTO(sharc_freep) struct sharc_span *list = SHARC_NEW_ARRAY(struct sharc_span, n);
    for (uint32_t i = 0; i < n; i++) list[i] = sharc_intern_text(hosts, i);
    qsort(list, n, sizeof *list, by_text);
    sharc_json_object(j, NULL);
    sharc_json_array(j, "chains");
    for (size_t i = 0; i < t.chain_count; i++) put_chain(&t, &t.chains[i], j);
    sharc_json_end(j);
    sharc_json_array(j, "hosts");
    for (uint32_t i = 0; i < n; i++) put_host(&t, set, list[i], j);
    sharc_json_end(j);
    sharc_json_end(j);
}
