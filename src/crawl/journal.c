/* SPDX-License-Identifier: Apache-2.0
 *
 * The journal: what a site's pages and strategy went through, in order. A piece
 * of it is written with every commit; read from the beginning it brings an empty
 * site to exactly the state of that commit, because a strategy gives the same
 * answers to the same calls.
 *
 * Events, a letter each; numbers are varints, signed ones zigzag, reals 4 or 8
 * bytes of IEEE 754, little endian; texts have their length before:
 *   p  page: number + 1, or 0 and URL for the next new one; via, flags, …
 *   f  leader, follower
 *   t  page told to the strategy: page, rate, weight
 *   n  the strategy was asked and said: 0, or 1 + kind, page, hopeless
 *   o  observation
 *   s  version of a page: struct seen field by field
 *   c  counters and times of the site
 *   k  a page that says it is another one: both
 *   a  what is known of a page's age and rate: page, given, age
 *   r  rates told anew: seconds a slot, how many, of each the step to its page and its rate
 *   d  how long the capture has run
 *   x  a setting was changed: when, what was read for it, NAME=VALUE
 *   g  what pages look like that are gone though the server says 200; zeros: nobody knows
 */
#include "crawl_int.h"

#include <math.h>
#include <stdlib.h>

/* --- writing ----------------------------------------------------------------- */

static void put_u(struct sharc_buf *b, uint64_t v)
{
    char bytes[10];
    size_t n = 0;
    for (; v >= 0x80; v >>= 7) bytes[n++] = (char)(v | 0x80);
    bytes[n++] = (char)v;
    sharc_buf_put(b, sharc_span(bytes, n));
}

static void put_i(struct sharc_buf *b, int64_t v)
{
    put_u(b, ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0));
}

static void put_text(struct sharc_buf *b, struct sharc_span s)
{
    put_u(b, s.n);
    sharc_buf_put(b, s);
}

static void put_float(struct sharc_buf *b, float v)
{
    sharc_buf_put(b, sharc_span(&v, sizeof v));
}

static void put_double(struct sharc_buf *b, double v)
{
    sharc_buf_put(b, sharc_span(&v, sizeof v));
}

static struct sharc_buf *begin(struct site *s, char what)
{
    s->dirty = true;
    sharc_buf_put_char(&s->journal.pending, what);
    return &s->journal.pending;
}

void sharc__crawl_j_page(struct site *s, uint32_t page)
{
    struct sharc_buf *b = begin(s, 'p');
    const struct page *p = &s->pages.page[page];
    if (page < s->journal.pages) {
        put_u(b, (uint64_t)page + 1);
    } else {
        SHARC_ASSERT(page == s->journal.pages);
        s->journal.pages++;
        put_u(b, 0);
        put_text(b, page_url(&s->pages, page));
    }
    put_u(b, (uint64_t)(uint32_t)(p->via + 1));
    put_float(b, p->rate);
    put_float(b, p->weight);
    put_u(b, p->run);
    const uint8_t small[] = {p->depth,  p->embed_hops,  p->state, p->flags & (uint8_t)~PAGE_UNDER_WAY,
                             p->reason, (uint8_t)p->hop};
    sharc_buf_put(b, sharc_span(small, sizeof small));
}

static void follow(struct site *s, uint32_t leader, uint32_t follower)
{
    struct page *all = s->pages.page;
    all[follower].next = all[leader].first; /* in front: a page may have very many */
    all[leader].first = follower;
}

void sharc__crawl_j_follow(struct site *s, uint32_t leader, uint32_t follower)
{
    struct sharc_buf *b = begin(s, 'f');
    put_u(b, leader);
    put_u(b, follower);
    follow(s, leader, follower);
}

static void tell(struct site *s, uint32_t page, double rate, double weight)
{
    struct page *p = &s->pages.page[page];
    if (!(p->flags & PAGE_TOLD)) {
        p->flags |= PAGE_TOLD;
        s->told++;
        s->waiting++;
    }
    s->exhausted = false;
    sharc_strategy_discover(s->strategy, page, rate, weight);
}

void sharc__crawl_j_tell(struct site *s, uint32_t page)
{
    double rate = (double)s->pages.page[page].rate * s->slot_seconds;
    double weight = (double)s->pages.page[page].weight;
    struct sharc_buf *b = begin(s, 't');
    put_u(b, page);
    put_double(b, rate);
    put_double(b, weight);
    tell(s, page, rate, weight);
}

static bool next(struct site *s, struct sharc_slot *ret)
{
    s->started = true;
    if (!sharc_strategy_next(s->strategy, ret)) return false;
    s->slots++;
    struct page *p = &s->pages.page[ret->page];
    if (ret->hopeless) p->flags |= PAGE_HOPELESS;
    if (ret->kind == SHARC_VISIT) s->waiting--;
    return true;
}

bool sharc__crawl_j_next(struct site *s, struct sharc_slot *ret)
{
    bool got = next(s, ret);
    if (!got && s->exhausted) return false; /* asked again in vain: not worth a line */
    s->exhausted = !got;
    struct sharc_buf *b = begin(s, 'n');
    put_u(b, got ? 1 + (uint64_t)ret->kind : 0);
    if (got) {
        put_u(b, ret->page);
        put_u(b, ret->hopeless);
    }
    return got;
}

void sharc__crawl_j_observed(struct site *s, const struct sharc_observation *o)
{
    struct sharc_buf *b = begin(s, 'o');
    put_u(b, o->page);
    put_i(b, o->when);
    put_u(b, (uint64_t)o->change);
    put_double(b, o->importance);
    put_double(b, o->rate);
    sharc_strategy_observed(s->strategy, o);
}

void sharc__crawl_j_seen(struct site *s, uint32_t page)
{
    const struct seen *v = sharc__crawl_pages_see(&s->pages, page);
    struct sharc_buf *b = begin(s, 's');
    put_u(b, page);
    put_i(b, v->visit);
    put_i(b, v->revisit);
    put_i(b, v->modified);
    put_i(b, v->changed);
    put_i(b, v->since);
    put_i(b, v->date);
    put_u(b, v->offset);
    sharc_buf_put(b, sharc_span(v->id, sizeof v->id));
    put_text(b, v->has_digest ? sharc_span(v->digest, sizeof v->digest) : SHARC_SPAN(""));
    put_text(b, v->file == SHARC_NO_ID ? SHARC_SPAN("") : sharc_intern_text(s->crawl->files, v->file));
    put_text(b, v->etag == SHARC_NO_ID ? SHARC_SPAN("") : sharc_intern_text(s->etags, v->etag));
    put_u(b, v->size);
    put_i(b, v->status);
    put_u(b, v->answer);
    put_u(b, v->change);
    put_u(b, v->revisited);
}

void sharc__crawl_j_soft404(struct site *s)
{
    sharc_buf_put(begin(s, 'g'), sharc_span(s->soft404, sizeof s->soft404));
}

void sharc__crawl_j_change(struct site *s, const struct change *change)
{
    struct sharc_buf *b = begin(s, 'x');
    put_i(b, change->when);
    put_i(b, change->base);
    put_text(b, sharc_span_of(change->text));
}

void sharc__crawl_j_ran(struct site *s)
{
    put_i(begin(s, 'd'), sharc__crawl_ran(s));
}

static void claim(struct site *s, uint32_t page, uint32_t canonical)
{
    SHARC_GROW(s->alias, s->alias_room, s->alias_count + 1);
    s->alias[s->alias_count++] = (struct alias){page, canonical};
}

void sharc__crawl_j_alias(struct site *s, uint32_t page, uint32_t canonical)
{
    struct sharc_buf *b = begin(s, 'k');
    put_u(b, page);
    put_u(b, canonical);
    claim(s, page, canonical);
}

void sharc__crawl_j_age(struct site *s, uint32_t page)
{
    double age, given;
    sharc_rate_live_told(s->live, page, &age, &given);
    if (isnan(age) && given <= 0) return;
    struct sharc_buf *b = begin(s, 'a');
    put_u(b, page);
    put_float(b, (float)given);
    put_double(b, age);
}

static void renew(struct site *s, const struct renewed *one, double slot)
{
    s->pages.page[one->page].rate = one->rate;
    struct sharc_observation o = {.page = one->page, .change = SHARC_UNCHANGED, .rate = (double)one->rate * slot};
    sharc_strategy_observed(s->strategy, &o);
}

void sharc__crawl_j_rates(struct site *s, const struct renewed *all, size_t n)
{
    struct sharc_buf *b = begin(s, 'r');
    uint32_t before = 0;
    put_double(b, s->slot_seconds);
    put_u(b, n);
    for (size_t i = 0; i < n; before = all[i++].page) {
        put_u(b, all[i].page - before);
        put_float(b, all[i].rate);
        renew(s, &all[i], s->slot_seconds);
    }
}

/* The site's own numbers, in one order for writing and reading. */
#define COUNTERS(X) \
    X(downloads)    \
    X(failed)       \
    X(skipped) X(bytes) X(visits) X(revisits) X(looks) X(not_modified) X(identical) X(gone) X(coherent)
#define TIMES(X) X(reference) X(first) X(last) X(last_visit) X(interrupted) X(started_at)

void sharc__crawl_j_state(struct site *s)
{
    struct sharc_buf *b = begin(s, 'c');
#define X(name) put_u(b, s->count.name);
    COUNTERS(X)
#undef X
#define X(name) put_i(b, s->name);
    TIMES(X)
#undef X
    put_u(b, (uint64_t)(uint32_t)(s->apex + 1));
    put_u(b, (uint64_t)(uint32_t)(s->last_page + 1));
    put_u(b, (uint64_t)(uint32_t)(s->last_download + 1));
    put_u(b, s->visits_over);
    put_u(b, s->manifests);
    put_u(b, s->limit_visits);
    put_u(b, s->limit_all);
    put_u(b, s->limit_reason);
}

/* --- reading ------------------------------------------------------------------- */

struct reader {
    struct sharc_span in;
    bool bad;
};

static uint64_t get_u(struct reader *r)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (r->in.n == 0) break;
        uint8_t c = (uint8_t)*r->in.p;
        r->in = sharc_span_from(r->in, 1);
        v |= (uint64_t)(c & 0x7f) << shift;
        if (!(c & 0x80)) return v;
    }
    r->bad = true;
    return 0;
}

static int64_t get_i(struct reader *r)
{
    uint64_t v = get_u(r);
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static struct sharc_span get_bytes(struct reader *r, size_t n)
{
    if (r->in.n < n) {
        r->bad = true;
        return SHARC_SPAN_NONE;
    }
    struct sharc_span s = sharc_span_sub(r->in, 0, n);
    r->in = sharc_span_from(r->in, n);
    return s;
}

static struct sharc_span get_text(struct reader *r)
{
    return get_bytes(r, get_u(r));
}

static void get_into(struct reader *r, void *to, size_t n)
{
    struct sharc_span s = get_bytes(r, n);
    if (s.n == n) memcpy(to, s.p, n);
}

/* A page that is there. */
static uint32_t get_page(struct site *s, struct reader *r)
{
    uint64_t v = get_u(r);
    if (v < pages_count(&s->pages)) return (uint32_t)v;
    r->bad = true;
    return NO_PAGE;
}

static void read_page(struct site *s, struct reader *r)
{
    uint64_t number = get_u(r);
    uint32_t page = (uint32_t)(number - 1);
    bool fresh = false;
    if (number == 0) {
        struct sharc_span url = get_text(r);
        if (r->bad) return;
        page = sharc__crawl_pages_add(&s->pages, url, &fresh);
        s->journal.pages++;
    }
    if (page >= pages_count(&s->pages) || (number == 0 && !fresh)) {
        r->bad = true;
        return;
    }
    struct page *p = &s->pages.page[page];
    bool out = !fresh && p->reason;
    uint8_t small[6] = {0};
    p->via = (uint32_t)get_u(r) - 1;
    get_into(r, &p->rate, sizeof p->rate);
    get_into(r, &p->weight, sizeof p->weight);
    p->run = (uint16_t)get_u(r);
    get_into(r, small, sizeof small);
    uint8_t kept = p->flags & (PAGE_TOLD | PAGE_HOPELESS);
    p->depth = small[0];
    p->embed_hops = small[1];
    p->state = small[2];
    p->flags = (uint8_t)(small[3] & ~(PAGE_TOLD | PAGE_HOPELESS)) | kept;
    p->reason = small[4];
    s->second_chances = s->second_chances || (out && !p->reason);
    p->hop = (char)small[5];
    if (p->via != NO_PAGE && p->via >= pages_count(&s->pages)) r->bad = true;
}

static void read_follow(struct site *s, struct reader *r)
{
    uint32_t leader = get_page(s, r), follower = get_page(s, r);
    if (!r->bad) follow(s, leader, follower);
}

static void read_tell(struct site *s, struct reader *r)
{
    double rate = 0, weight = 0;
    uint32_t page = get_page(s, r);
    get_into(r, &rate, sizeof rate);
    get_into(r, &weight, sizeof weight);
    if (!r->bad) tell(s, page, rate, weight);
}

/* The strategy must say again what it said then. */
static void read_next(struct site *s, struct reader *r)
{
    uint64_t kind = get_u(r);
    struct sharc_slot slot;
    bool got = next(s, &slot);
    s->exhausted = !got;
    if (!kind != !got) {
        r->bad = true;
    } else if (got) {
        uint32_t page = get_page(s, r);
        bool hopeless = get_u(r) != 0;
        r->bad = r->bad || page != slot.page || kind != 1 + (uint64_t)slot.kind || hopeless != slot.hopeless;
        /* Handed out; the observation that follows takes it away again. */
        struct task t = {.page = page, .slot = s->slots - 1, .told = true, .host = UINT32_MAX};
        t.kind = slot.kind == SHARC_VISIT ? TASK_VISIT : slot.kind == SHARC_SECOND_LOOK ? TASK_LOOK : TASK_REVISIT;
        if (!r->bad) sharc__crawl_queue_push(&s->again, &t);
    }
}

static void forget_slot(struct site *s, uint32_t page)
{
    struct task t;
    for (size_t n = s->again.count; n > 0; n--) {
        sharc__crawl_queue_pop(&s->again, &t);
        if (t.page == page) return;
        sharc__crawl_queue_push(&s->again, &t);
    }
}

static void read_observed(struct site *s, struct reader *r)
{
    struct sharc_observation o = {.page = get_page(s, r)};
    o.when = get_i(r);
    o.change = (enum sharc_change_class)get_u(r);
    get_into(r, &o.importance, sizeof o.importance);
    get_into(r, &o.rate, sizeof o.rate);
    if (r->bad) return;
    forget_slot(s, o.page);
    sharc_strategy_observed(s->strategy, &o);
}

static uint32_t number_of(struct sharc_intern *t, struct sharc_span text)
{
    return text.n ? sharc_intern_add(t, text, NULL) : SHARC_NO_ID;
}

static void read_seen(struct site *s, struct reader *r)
{
    uint32_t page = get_page(s, r);
    if (r->bad) return;
    struct seen *v = sharc__crawl_pages_see(&s->pages, page);
    v->visit = get_i(r);
    v->revisit = get_i(r);
    v->modified = get_i(r);
    v->changed = get_i(r);
    v->since = get_i(r);
    v->date = get_i(r);
    v->offset = get_u(r);
    get_into(r, v->id, sizeof v->id);
    struct sharc_span digest = get_text(r);
    v->has_digest = digest.n == sizeof v->digest;
    if (v->has_digest) memcpy(v->digest, digest.p, sizeof v->digest);
    v->file = number_of(s->crawl->files, get_text(r));
    v->etag = number_of(s->etags, get_text(r));
    v->size = (uint32_t)get_u(r);
    v->status = (int16_t)get_i(r);
    v->answer = (uint8_t)get_u(r);
    v->change = (uint8_t)get_u(r);
    v->revisited = get_u(r) != 0;
}

static void read_alias(struct site *s, struct reader *r)
{
    uint32_t page = get_page(s, r), canonical = get_page(s, r);
    if (!r->bad) claim(s, page, canonical);
}

static void read_age(struct site *s, struct reader *r)
{
    float given = 0;
    double age = 0;
    uint32_t page = get_page(s, r);
    get_into(r, &given, sizeof given);
    get_into(r, &age, sizeof age);
    if (r->bad) return;
    sharc_rate_live_given(s->live, page, (double)given);
    sharc_rate_live_seen(s->live, page, page_url(&s->pages, page), age);
}

static void read_rates(struct site *s, struct reader *r)
{
    double slot = 0;
    uint64_t page = 0;
    get_into(r, &slot, sizeof slot);
    for (uint64_t n = get_u(r); n > 0 && !r->bad; n--) {
        struct renewed one = {0};
        page += get_u(r);
        get_into(r, &one.rate, sizeof one.rate);
        r->bad = r->bad || page >= pages_count(&s->pages);
        one.page = (uint32_t)page;
        if (!r->bad) renew(s, &one, slot);
    }
}

static void read_state(struct site *s, struct reader *r)
{
#define X(name) s->count.name = get_u(r);
    COUNTERS(X)
#undef X
#define X(name) s->name = get_i(r);
    TIMES(X)
#undef X
    s->apex = (uint32_t)get_u(r) - 1;
    s->last_page = (uint32_t)get_u(r) - 1;
    s->last_download = (uint32_t)get_u(r) - 1;
    s->visits_over = get_u(r) != 0;
    s->manifests = (unsigned)get_u(r);
    s->limit_visits = get_u(r) != 0;
    s->limit_all = get_u(r) != 0;
    s->limit_reason = (enum sharc_crawl_reason)get_u(r);
}

static void read_change(struct site *s, struct reader *r)
{
    sharc_time when = get_i(r);
    int64_t base = get_i(r);
    struct sharc_span text = get_text(r);
    if (!r->bad) sharc__crawl_change_again(s, when, base, text);
}

int sharc__crawl_replay(struct site *s, struct sharc_span bytes, struct sharc_err *reterr)
{
    struct reader r = {.in = bytes};
    while (r.in.n > 0 && !r.bad) {
        char what = *r.in.p;
        r.in = sharc_span_from(r.in, 1);
        switch (what) {
        case 'p': read_page(s, &r); break;
        case 'f': read_follow(s, &r); break;
        case 't': read_tell(s, &r); break;
        case 'n': read_next(s, &r); break;
        case 'o': read_observed(s, &r); break;
        case 's': read_seen(s, &r); break;
        case 'c': read_state(s, &r); break;
        case 'a': read_age(s, &r); break;
        case 'k': read_alias(s, &r); break;
        case 'r': read_rates(s, &r); break;
        case 'x': read_change(s, &r); break;
        case 'd': s->ran_before = get_i(&r); break;
        case 'g':
            get_into(&r, s->soft404, sizeof s->soft404);
            s->has_soft404 = s->soft404[0] != 0 || memcmp(s->soft404, s->soft404 + 1, sizeof s->soft404 - 4) != 0;
            break;
        default: r.bad = true;
        }
    }
    SHARC_FAIL_IF(r.bad, reterr, SHARC_ECORRUPT,
                  "%s: the journal of its capture cannot be read at byte %zu; begin a new capture with --fresh",
                  s->name, bytes.n - r.in.n);
    return 0;
}
