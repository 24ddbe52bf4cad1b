/* SPDX-License-Identifier: Apache-2.0
 *
 * How a server misleads: validators that say nothing or lie, a cache in front of it, content
 * that is coded differently each time, answers that take long or break off.
 */
#include "lab_int.h"

#include "sharc/base_codec.h"

#include <stdio.h>
#include <stdlib.h>

#define CACHED_FOR (3 * SHARC_SEC)
#define SLOWEST (50 * SHARC_MSEC)
#define COARSE (10 * SHARC_SEC)

/* --- validators -------------------------------------------------------------------- */

/* A tag that is new with every new body: the version for bodies that are a function of it,
 * else the running number of this start. A page with noise has a weak one, which says that
 * the body means the same. */
static void tag_of(const struct sharc_lab *l, uint32_t item, const struct lab_copy *c, char out[64])
{
    const struct lab_item *it = &l->site.items[item];
    bool weak = it->noise || it->faults & SHARC_LAB_BIT(SHARC_LAB_FAULT_WEAK);
    const char *w = weak ? "W/" : "";
    unsigned seed = (unsigned)(l->etag_seed & 0xffffffff);
    if (it->faults & SHARC_LAB_BIT(SHARC_LAB_FAULT_FROZEN))
        snprintf(out, 64, "\"%08x-%u\"", seed, item);
    else if (it->kind < LAB_REDIRECT)
        snprintf(out, 64, "%s\"%08x-%u.%u.%u\"", w, seed, c->version.edit, c->version.layout, c->version.counter);
    else
        snprintf(out, 64, "%s\"%08x-r%u\"", w, (unsigned)(l->start & 0xffffffff), c->number);
}

static sharc_time modified(const struct sharc_lab *l, uint32_t item, const struct lab_copy *c, sharc_time now)
{
    uint32_t faults = l->site.items[item].faults;
    if (faults & SHARC_LAB_BIT(SHARC_LAB_FAULT_FIXED)) return l->start - SHARC_DAY;
    if (faults & SHARC_LAB_BIT(SHARC_LAB_FAULT_COARSE)) return c->changed - c->changed % COARSE;
    /* In the second of a change it could not tell what is there from what comes later in it. */
    return c->changed / SHARC_SEC < now / SHARC_SEC ? c->changed : SHARC_TIME_NONE;
}

bool sharc__lab_validate(const struct sharc_lab *l, uint32_t item, const struct lab_copy *c, sharc_time now,
                         const struct sharc_http_request *q, struct sharc_http_answer *a)
{
    static const uint32_t untagged = SHARC_LAB_BIT(SHARC_LAB_FAULT_FIXED) | SHARC_LAB_BIT(SHARC_LAB_FAULT_COARSE);
    static const uint32_t any = untagged | SHARC_LAB_BIT(SHARC_LAB_FAULT_WEAK) | SHARC_LAB_BIT(SHARC_LAB_FAULT_FROZEN) |
                                SHARC_LAB_BIT(SHARC_LAB_FAULT_ALWAYS_304);
    const struct lab_item *it = &l->site.items[item];
    if (it->bare && !(it->faults & any)) return false;
    char tag[64], date[SHARC_TIME_TEXT];
    bool tagged = !(it->faults & untagged);
    sharc_time since = modified(l, item, c, now);
    tag_of(l, item, c, tag);
    if (tagged) sharc_http_answer_header(a, "ETag", sharc_span_of(tag));
    if (since != SHARC_TIME_NONE)
        sharc_http_answer_header(a, "Last-Modified", sharc_span_of(sharc_http_date_text(since, date)));
    if (it->faults & SHARC_LAB_BIT(SHARC_LAB_FAULT_ALWAYS_304))
        return sharc_http_request_header(q, "If-None-Match").p || sharc_http_request_header(q, "If-Modified-Since").p;
    return sharc_http_request_has(q, tagged ? tag : NULL, since);
}

/* --- a cache in front ------------------------------------------------------------------ */

/* What this request is answered from: the page as it is, or a copy that is still good. */
const struct lab_copy *sharc__lab_copy(struct sharc_lab *l, uint32_t item, sharc_time now, struct sharc_http_answer *a)
{
    struct lab_state *st = &l->states[item];
    bool cached = l->site.items[item].faults & SHARC_LAB_BIT(SHARC_LAB_FAULT_STALE);
    if (!cached || st->copy.made == 0 || now - st->copy.made > CACHED_FOR) {
        struct sharc_rng r = sharc__lab_draw(l->site.seed, l->totals.requests, item, 'R');
        st->copy = (struct lab_copy){.made = now, .version = st->version, .number = st->number, .changed = st->changed};
        st->copy.served.number = sharc_rng_u64(&r);
        st->copy.served.when = l->start + (sharc_time)((double)(now - l->start) * l->o.speed);
        st->copy.served.count = ++st->asked;
    }
    if (cached) {
        char age[32];
        snprintf(age, sizeof age, "%lld", (long long)((now - st->copy.made) / SHARC_SEC));
        sharc_http_answer_header(a, "Age", sharc_span_of(age));
        snprintf(age, sizeof age, "max-age=%d", (int)(CACHED_FOR / SHARC_SEC));
        sharc_http_answer_header(a, "Cache-Control", sharc_span_of(age));
        sharc_http_answer_header(a, "Via", SHARC_SPAN("1.1 cache"));
    }
    return &st->copy;
}

/* --- bytes -------------------------------------------------------------------------------- */

/* The body as gzip if the client takes it. The time in its head is another one for every
 * request, as scripts that compress on the fly have it. */
bool sharc__lab_gzip(const struct sharc_lab *l, uint32_t item, uint64_t number, const struct sharc_http_request *q,
                     struct sharc_span body, struct sharc_buf *out)
{
    if (!(l->site.items[item].faults & SHARC_LAB_BIT(SHARC_LAB_FAULT_GZIP))) return false;
    struct sharc_span accepted = sharc_http_request_header(q, "Accept-Encoding");
    if (!accepted.p || !memmem(accepted.p, accepted.n, "gzip", 4)) return false;
    struct sharc_deflate *d = sharc_deflate_new(1);
    bool made = sharc_deflate_member(d, body, out) == 0 && out->n > 10;
    sharc_deflate_free(d);
    for (int i = 0; made && i < 4; i++) out->p[4 + i] = (char)(number >> 8 * i);
    return made;
}

struct piece {
    char *bytes;
    size_t n;
    bool sent;
};

static int pull(void *arg, struct sharc_span *ret, struct sharc_err *reterr)
{
    (void)reterr;
    struct piece *p = arg;
    *ret = sharc_span(p->bytes, p->n);
    if (p->sent || p->n == 0) return 0;
    p->sent = true;
    return 1;
}

static void piece_done(void *arg)
{
    struct piece *p = arg;
    free(p->bytes);
    free(p);
}

size_t sharc__lab_cut(const struct sharc_lab *l, uint64_t number, struct sharc_span body, struct sharc_http_answer *a)
{
    struct sharc_rng r = sharc__lab_draw(number, 0, 0, 'C');
    if (body.n < 2 || !(sharc_rng_uniform(&r) < l->o.faults.share[SHARC_LAB_FAULT_CUT])) return SHARC_NPOS;
    size_t n = 1 + (size_t)sharc_rng_below(&r, body.n - 1);
    struct piece *p = SHARC_NEW(struct piece);
    *p = (struct piece){.bytes = sharc_span_dup(sharc_span_sub(body, 0, n)), .n = n};
    sharc_http_answer_stream(a, body.n, pull, piece_done, p);
    return n;
}

/* How long to wait before a request is looked at, and again before it is answered. */
void sharc__lab_pause(struct sharc_lab *l, uint32_t item, uint64_t k)
{
    if (item == SHARC_NO_ID || !(l->site.items[item].faults & SHARC_LAB_BIT(SHARC_LAB_FAULT_SLOW))) return;
    sharc_time now = l->o.clock->now(l->o.clock);
    struct sharc_rng r = sharc__lab_draw(l->site.seed, (uint64_t)now, item, k);
    l->o.clock->wait_until(l->o.clock, now + (sharc_time)sharc_rng_below(&r, SLOWEST / 2), NULL);
}
