/* SPDX-License-Identifier: Apache-2.0
 *
 * Chains of certificates are public: that one is stored here does not prove that its owner sent the pages. It says
 * whom the crawler took the server for, and can be held against what the owner says he used at that time.
 */
#include "tls.h"

#include <stdlib.h>

struct reading {
    struct certify_tls *t;
    struct sharc_map64 chain_of; /* by name: number, counted from 1 */
    struct sharc_intern *use_of; /* host, chain, version, cipher */
    const struct sharc_download *last;
    struct tls_use *last_use;
};

/* --- chains ------------------------------------------------------------------------------ */

static void take_chain(struct reading *x, uint32_t digest)
{
    struct certify_tls *t = x->t;
    if (digest == SHARC_DERIVED_NONE || *sharc_map64_at(&x->chain_of, (uint64_t)digest + 1)) return;
    SHARC_GROW(t->chains, t->chain_room, t->chain_count + 1);
    t->chains[t->chain_count++] =
        (struct tls_chain){.digest = digest, .own = {.from = SHARC_TIME_NONE, .until = SHARC_TIME_NONE}};
    *sharc_map64_at(&x->chain_of, (uint64_t)digest + 1) = t->chain_count;
}

static int by_digest(const void *a, const void *b, void *arg)
{
    const struct sharc_derived *f = arg;
    return sharc_span_cmp(sharc_derived_text(f, ((const struct tls_chain *)a)->digest),
                          sharc_derived_text(f, ((const struct tls_chain *)b)->digest));
}

static void parse_chain(const struct sharc_derived *f, struct tls_chain *c)
{
    c->record = sharc_derived_chain(f, c->digest);
    if (!c->record || sharc_seal_chain_read(sharc_span(c->record->pem, c->record->size), &c->parsed, NULL) < 0) return;
    sharc_seal_chain_validity(c->parsed, &c->own.from, &c->own.until);
}

static void finish_chains(struct reading *x)
{
    struct certify_tls *t = x->t;
    if (t->chain_count) qsort_r(t->chains, t->chain_count, sizeof *t->chains, by_digest, (void *)(uintptr_t)t->f);
    for (size_t i = 0; i < t->chain_count; i++) {
        *sharc_map64_at(&x->chain_of, (uint64_t)t->chains[i].digest + 1) = i + 1;
        parse_chain(t->f, &t->chains[i]);
    }
}

/* --- uses -------------------------------------------------------------------------------- */

static bool is_https(const struct sharc_derived *f, const struct sharc_download *d)
{
    return sharc_span_istarts(sharc_derived_text(f, d->url), SHARC_SPAN("https:"));
}

static bool is_ours(const struct sharc_derived *f, const struct sharc_download *d)
{
    return (d->flags & SHARC_DOWNLOAD_OWN) && d->capture == f->capture && is_https(f, d);
}

/* "www.example.org" of "www.example.org:8443" */
static struct sharc_span without_port(struct sharc_span host)
{
    size_t n = host.n;
    while (n > 0 && host.p[n - 1] >= '0' && host.p[n - 1] <= '9') n--;
    return n > 0 && host.p[n - 1] == ':' ? sharc_span_sub(host, 0, n - 1) : host;
}

static struct tls_use *use_of(struct reading *x, const struct sharc_download *d)
{
    struct certify_tls *t = x->t;
    struct sharc_span host = sharc_derive_host(sharc_derived_text(t->f, d->url));
    const struct sharc_download *last = x->last;
    bool like_last = last && last->tls_chain == d->tls_chain && last->tls_version == d->tls_version &&
                     last->tls_cipher == d->tls_cipher && sharc_span_eq(x->last_use->host, host);
    if (like_last) return x->last_use;
    SHARC_AUTO(sharc_freep)
    char *key = sharc_asprintf("%u %u %u %.*s", d->tls_chain, d->tls_version, d->tls_cipher, SHARC_SPAN_ARG(host));
    bool fresh = false;
    uint32_t number = sharc_intern_add(x->use_of, sharc_span_of(key), &fresh);
    if (!fresh) return &t->uses[number];
    const uint64_t *chain = sharc_map64_find(&x->chain_of, (uint64_t)d->tls_chain + 1);
    SHARC_GROW(t->uses, t->use_room, t->use_count + 1);
    struct tls_use *u = &t->uses[t->use_count++];
    *u = (struct tls_use){.host = host,
                          .version = d->tls_version,
                          .cipher = d->tls_cipher,
                          .chain = chain && d->tls_chain != SHARC_DERIVED_NONE ? (size_t)*chain - 1 : SHARC_NPOS};
    const struct tls_chain *c = u->chain == SHARC_NPOS ? NULL : &t->chains[u->chain];
    u->is_for = c && c->parsed && sharc_seal_chain_is_for(c->parsed, without_port(host));
    return u;
}

static bool is_outside(const struct sharc_seal_validity *v, sharc_time at)
{
    return (v->from != SHARC_TIME_NONE && at < v->from) || (v->until != SHARC_TIME_NONE && at > v->until + SHARC_SEC);
}

static void count(struct reading *x, const struct sharc_download *d)
{
    struct certify_tls *t = x->t;
    t->downloads++;
    if (d->tls_version == SHARC_DERIVED_NONE) {
        t->unknown++;
        return;
    }
    struct tls_use *u = use_of(x, d);
    u->downloads++;
    u->verified += (d->flags & SHARC_DOWNLOAD_TLS_VERIFIED) != 0;
    u->resumed += (d->flags & SHARC_DOWNLOAD_TLS_RESUMED) != 0;
    if (u->chain != SHARC_NPOS) u->outside += is_outside(&t->chains[u->chain].own, d->from);
    x->last = d;
    x->last_use = u;
}

static int by_host(const void *a, const void *b, void *arg)
{
    const struct sharc_derived *f = arg;
    const struct tls_use *x = a, *y = b;
    int c = sharc_span_cmp(x->host, y->host);
    if (c) return c;
    if (x->chain != y->chain) return x->chain < y->chain ? -1 : 1;
    c = sharc_span_cmp(sharc_derived_text(f, x->version), sharc_derived_text(f, y->version));
    return c ? c : sharc_span_cmp(sharc_derived_text(f, x->cipher), sharc_derived_text(f, y->cipher));
}

void sharc__certify_tls_read(const struct sharc_derived *f, struct certify_tls *ret)
{
    struct reading x = {.t = ret, .use_of = sharc_intern_new()};
    *ret = (struct certify_tls){.f = f};
    sharc_map64_init(&x.chain_of);
    for (size_t i = 0; i < f->all.count; i++)
        if (is_ours(f, &f->all.items[i])) take_chain(&x, f->all.items[i].tls_chain);
    finish_chains(&x);
    for (size_t i = 0; i < f->all.count; i++)
        if (is_ours(f, &f->all.items[i])) count(&x, &f->all.items[i]);
    if (ret->use_count) qsort_r(ret->uses, ret->use_count, sizeof *ret->uses, by_host, (void *)(uintptr_t)f);
    sharc_map64_done(&x.chain_of);
    sharc_intern_free(x.use_of);
}

void sharc__certify_tls_done(struct certify_tls *t)
{
    for (size_t i = 0; i < t->chain_count; i++) sharc_seal_chain_free(t->chains[i].parsed);
    free(t->chains);
    free(t->uses);
    *t = (struct certify_tls){0};
}

void sharc__certify_tls_doubts(const struct certify_tls *t, struct tls_doubts *ret)
{
    *ret = (struct tls_doubts){.unknown = t->unknown};
    for (size_t i = 0; i < t->use_count; i++) {
        const struct tls_use *u = &t->uses[i];
        const struct tls_chain *c = u->chain == SHARC_NPOS ? NULL : &t->chains[u->chain];
        ret->unverified += u->downloads - u->verified;
        ret->outside += u->outside;
        if (!c || !c->parsed)
            ret->no_chain += u->downloads;
        else if (!u->is_for)
            ret->other_host += u->downloads;
        if (c && c->record && c->record->cut) ret->cut += u->downloads;
    }
}
