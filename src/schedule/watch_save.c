/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture as bytes. Writing and reading are one walk through the fields, so that they cannot differ.
 *
 *   SIZE  MEANING
 *      8  "sharcwat"
 *      4  version of this format
 *      n  fields, in the order of the functions below; integers of 1, 2, 4 or 8 bytes and IEEE 754 numbers of 4 or 8,
 *         all with the lowest byte first; a list is preceded by its length
 *      4  CRC-32 of all before
 *
 * The bytes may come from anybody. A number that no watching could have left is damage, and what is allocated is
 * bounded by the length of the input.
 */
#include "watch_int.h"

#include "sharc/base_codec.h"

#include <math.h>
#include <stdlib.h>

#define MAGIC "sharcwat"
/* 3: indexes without hours, nothing about intervals; 2: nothing about ages; 1: hosts without what they have shown of
 * changes at once */
#define VERSION 4
#define FAR (INT64_C(1) << 61) /* no instant is further from 1970 */
/* Numbers are dense: one in this many is in use at least. */
#define SPARSE 1024
#define ALWAYS 4096

struct coder {
    struct sharc_buf *out; /* NULL: reads */
    const unsigned char *in;
    size_t left;
    bool damaged;
};

static void raw(struct coder *c, void *p, size_t size)
{
    unsigned char bytes[8];
    uint64_t v = 0;
    if (c->out) {
        memcpy(&v, p, size); /* of a machine whose lowest byte comes first, as all that sharc runs on */
        for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)(v >> 8 * i);
        sharc_buf_put(c->out, sharc_span((const char *)bytes, size));
        return;
    }
    if (c->left < size) c->damaged = true;
    if (c->damaged) return;
    for (size_t i = 0; i < size; i++) v |= (uint64_t)c->in[i] << 8 * i;
    memcpy(p, &v, size);
    c->in += size;
    c->left -= size;
}

static void flag(struct coder *c, bool *p)
{
    uint8_t v = *p;
    raw(c, &v, 1);
    c->damaged |= v > 1;
    *p = v & 1;
}

/* Not negative, and a number. */
static void amount(struct coder *c, double *p)
{
    raw(c, p, sizeof *p);
    if (!(*p >= 0 && *p <= 1e300)) c->damaged = true, *p = 0;
}

static void amounts(struct coder *c, double *p, size_t n)
{
    for (size_t i = 0; i < n; i++) amount(c, &p[i]);
}

static void small_amounts(struct coder *c, float *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        raw(c, &p[i], sizeof p[i]);
        if (!(p[i] >= 0 && p[i] <= 1e30F)) c->damaged = true, p[i] = 0;
    }
}

static void instant(struct coder *c, sharc_time *p)
{
    raw(c, p, sizeof *p);
    if (*p > FAR || *p < -FAR) c->damaged = true, *p = 0;
}

static void instant_or_none(struct coder *c, sharc_time *p)
{
    bool none = *p == SHARC_TIME_NONE;
    flag(c, &none);
    if (none) *p = 0;
    instant(c, p);
    if (none) *p = SHARC_TIME_NONE;
}

static void span(struct coder *c, sharc_time *p)
{
    instant(c, p);
    if (*p < 0) c->damaged = true, *p = 0;
}

static void zone(struct coder *c, sharc_time *p)
{
    instant(c, p);
    if (*p > 10 * SHARC_DAY || *p < -10 * SHARC_DAY) c->damaged = true, *p = 0;
}

/* Length of a list whose items take `each` bytes at least. */
static size_t length(struct coder *c, size_t n, size_t each)
{
    uint64_t v = n;
    raw(c, &v, sizeof v);
    if (!c->out && (c->damaged || v > c->left / each)) {
        c->damaged = true;
        return 0;
    }
    return (size_t)v;
}

/* --- parts ------------------------------------------------------------------------------------- */

static void params(struct coder *c, struct sharc_watch_params *p)
{
    span(c, &p->half_life);
    zone(c, &p->east_of_utc);
    amount(c, &p->risk);
    c->damaged |= !(p->risk > 0 && p->risk < 1);
    span(c, &p->shortest);
    span(c, &p->longest);
    span(c, &p->first_wait);
    span(c, &p->least_wait);
    span(c, &p->most_wait);
    c->damaged |= p->least_wait > p->most_wait;
}

#define LIFE ((size_t)WATCH_AGES * 16)
static void life(struct coder *c, struct life *l)
{
    amounts(c, l->changes, WATCH_AGES);
    amounts(c, l->hours, WATCH_AGES);
}

static void sites(struct coder *c, struct sharc_watch *w)
{
    size_t n = length(c, w->site_room, 32 + LIFE);
    if (!c->out) w->sites = SHARC_NEW_ARRAY(struct site, n), w->site_room = n;
    for (size_t i = 0; i < n; i++) {
        struct site *s = &w->sites[i];
        amount(c, &s->is.weight);
        zone(c, &s->is.east_of_utc);
        amount(c, &s->changes);
        amount(c, &s->importance);
        life(c, &s->life);
    }
}

static void at_once(struct coder *c, struct at_once *e)
{
    amount(c, &e->odds);
    instant(c, &e->since);
    c->damaged |= e->odds > WATCH_ODDS_MOST;
}

static void hosts(struct coder *c, struct sharc_watch *w)
{
    size_t n = length(c, w->host_room, 80);
    if (!c->out) w->hosts = SHARC_NEW_ARRAY(struct host, n), w->host_room = n;
    for (size_t i = 0; i < n; i++) {
        struct host *h = &w->hosts[i];
        span(c, &h->is.delay);
        amount(c, &h->is.per_hour);
        /* Held for good: while a request of it is under way, which does not outlive the process. */
        sharc_time not_before = h->is.not_before > FAR ? 0 : h->is.not_before;
        instant(c, &not_before);
        if (!c->out) h->is.not_before = not_before;
        double saved = fmax(h->saved, 0);
        amount(c, &saved);
        if (!c->out) h->saved = saved;
        instant(c, &h->at);
        instant(c, &h->free_at);
        at_once(c, &h->event);
        at_once(c, &h->next);
    }
}

static void groups(struct coder *c, struct sharc_watch *w)
{
    size_t n = length(c, w->group_room, LIFE);
    if (!c->out) w->groups = SHARC_NEW_ARRAY(struct group, n), w->group_room = n;
    for (size_t i = 0; i < n; i++) life(c, &w->groups[i].life);
    n = length(c, w->source_room, 32);
    if (!c->out) w->sources = SHARC_NEW_ARRAY(struct source, n), w->source_room = n;
    for (size_t i = 0; i < n; i++) {
        amount(c, &w->sources[i].told);
        amount(c, &w->sources[i].missed);
        amount(c, &w->sources[i].right);
        amount(c, &w->sources[i].wrong);
    }
    n = length(c, w->holiday_count, 4);
    if (!c->out) w->holidays = SHARC_NEW_ARRAY(int32_t, n), w->holiday_count = n;
    for (size_t i = 0; i < n; i++) {
        raw(c, &w->holidays[i], 4);
        c->damaged |= i > 0 && w->holidays[i] < w->holidays[i - 1];
    }
}

/* --- pages --------------------------------------------------------------------------------------- */

static void number(struct coder *c, uint32_t *p, size_t room, bool optional)
{
    raw(c, p, sizeof *p);
    if (*p >= room && !(optional && *p == SHARC_WATCH_NONE)) c->damaged = true, *p = optional ? SHARC_WATCH_NONE : 0;
}

static void settings(struct coder *c, const struct sharc_watch *w, struct sharc_watch_page *s)
{
    number(c, &s->site, w->site_room, false);
    number(c, &s->host, w->host_room, true);
    number(c, &s->group, w->group_room, true);
    number(c, &s->source, w->source_room, true);
    amount(c, &s->weight);
    span(c, &s->shortest);
    span(c, &s->longest);
    instant_or_none(c, &s->born);
    flag(c, &s->held);
}

static void habit(struct coder *c, const struct watched *p, struct habit *h)
{
    small_amounts(c, h->changes, SHARC_RATE_HOURS);
    small_amounts(c, h->importance, SHARC_RATE_HOURS);
    small_amounts(c, h->hours, SHARC_RATE_HOURS);
    instant(c, &h->at);
    amount(c, &h->value);
    amount(c, &h->plain);
    instant(c, &h->value_at);
    c->damaged |= h->value_at < p->last;
    amounts(c, &h->prior, 1);
    amounts(c, &h->usual, 1);
    amounts(c, &h->share, 1);
    amounts(c, &h->most, 1);
    amounts(c, &h->level, 1);
    small_amounts(c, h->pace, WATCH_AGES);
    small_amounts(c, &h->told, 1);
    small_amounts(c, &h->apart, 1);
    sharc__schedule_watch_habit_pace(p);
}

static void page(struct coder *c, const struct sharc_watch *w, struct watched *p)
{
    settings(c, w, &p->is);
    raw(c, &p->signals, sizeof p->signals);
    raw(c, &p->failures, sizeof p->failures);
    instant_or_none(c, &p->changed);
    instant(c, &p->last);
    span(c, &p->wait);
    instant(c, &p->retry);
    amount(c, &p->rate);
    if (w->ops->kind == WATCH_LEVEL || w->ops->kind == WATCH_PATTERN) {
        if (!p->pattern) p->pattern = SHARC_NEW(struct sharc_rate_pattern);
        amounts(c, p->pattern->importance, SHARC_RATE_HOURS);
        amounts(c, p->pattern->hours, SHARC_RATE_HOURS);
        instant(c, &p->pattern->at);
    }
    if (watch_has_habits(w)) {
        if (!p->habit) p->habit = SHARC_NEW(struct habit);
        habit(c, p, p->habit);
    }
}

static void write_pages(struct coder *c, struct sharc_watch *w)
{
    length(c, w->count, 1);
    for (size_t i = 0; i < w->room; i++) {
        uint32_t number = (uint32_t)i;
        uint8_t wanted = w->pages[i].wanted;
        if (!w->pages[i].on) continue;
        raw(c, &number, sizeof number);
        raw(c, &wanted, 1);
        struct watched copy = w->pages[i]; /* the walk may set what it writes */
        page(c, w, &copy);
    }
}

static void read_pages(struct coder *c, struct sharc_watch *w)
{
    const size_t n = length(c, 0, 60);
    for (size_t i = 0; i < n && !c->damaged; i++) {
        uint32_t number = 0;
        uint8_t wanted = 0;
        raw(c, &number, sizeof number);
        raw(c, &wanted, 1);
        if (c->damaged || number >= ALWAYS + (uint64_t)SPARSE * n || watch_find(w, number)) {
            c->damaged = true;
            return;
        }
        if (number >= w->room) {
            size_t room = (size_t)number + 1 + w->room / 2;
            w->pages = sharc_realloc(w->pages, room, sizeof *w->pages);
            memset(w->pages + w->room, 0, (room - w->room) * sizeof *w->pages);
            w->room = room;
        }
        struct watched *p = &w->pages[number];
        p->late_at = SHARC_WATCH_NONE;
        p->on = true;
        w->count++;
        page(c, w, p);
        p->is.rate = p->rate;
        if (c->damaged) return;
        sharc__schedule_watch_late_put(w, number);
        if (wanted) sharc_watch_want(w, number);
    }
}

static void totals(struct coder *c, struct sharc_watch *w)
{
    bool budget = w->per_hour >= 0;
    flag(c, &budget);
    double per_hour = fmax(w->per_hour, 0);
    amount(c, &per_hour);
    w->per_hour = budget ? per_hour : -1;
    /* A debt is kept as the time it takes to pay it off. */
    if (c->out && w->saved < 0 && w->per_hour > 0)
        w->saved_at += (sharc_time)ceil(-w->saved / w->per_hour * (double)SHARC_HOUR);
    w->saved = fmax(w->saved, 0);
    amount(c, &w->saved);
    instant(c, &w->saved_at);
    amount(c, &w->price);
}

static void name(struct coder *c, const struct sharc_watch_ops **ops)
{
    char text[24] = "";
    if (c->out) memcpy(text, sharc_watch_name(*ops), strlen(sharc_watch_name(*ops)));
    for (size_t i = 0; i < sizeof text; i++) raw(c, &text[i], 1);
    text[sizeof text - 1] = 0;
    if (!c->out) *ops = sharc_watch_find(text);
}

/* --- all -------------------------------------------------------------------------------------------- */

int sharc_watch_save(const struct sharc_watch *w, struct sharc_buf *out, struct sharc_err *reterr)
{
    const size_t begin = out->n;
    struct coder c = {.out = out};
    struct sharc_watch copy = *w; /* the walk may set what it reads */
    uint32_t version = VERSION;
    sharc_buf_put(out, SHARC_SPAN(MAGIC));
    raw(&c, &version, sizeof version);
    name(&c, &copy.ops);
    params(&c, &copy.params);
    sites(&c, &copy);
    hosts(&c, &copy);
    groups(&c, &copy);
    totals(&c, &copy);
    write_pages(&c, &copy);
    uint32_t crc = sharc_crc32(0, sharc_span(out->p + begin, out->n - begin));
    raw(&c, &crc, sizeof crc);
    return sharc_buf_result(out, reterr);
}

static int check_frame(struct sharc_span bytes, struct sharc_err *reterr)
{
    const size_t magic = sizeof MAGIC - 1;
    SHARC_FAIL_IF(bytes.n < magic + 8 || memcmp(bytes.p, MAGIC, magic) != 0, reterr, SHARC_ECORRUPT,
                  "this is not what is kept of watched pages");
    struct coder head = {.in = (const unsigned char *)bytes.p + magic, .left = 4};
    struct coder tail = {.in = (const unsigned char *)bytes.p + bytes.n - 4, .left = 4};
    uint32_t version = 0, crc = 0;
    raw(&head, &version, sizeof version);
    raw(&tail, &crc, sizeof crc);
    SHARC_FAIL_IF(version != VERSION, reterr, SHARC_EUNSUPPORTED,
                  "what is kept of watched pages has format %u, this sharc reads %d", version, VERSION);
    SHARC_FAIL_IF(sharc_crc32(0, sharc_span(bytes.p, bytes.n - 4)) != crc, reterr, SHARC_ECORRUPT,
                  "what is kept of watched pages is damaged");
    return 0;
}

int sharc_watch_restore(struct sharc_span bytes, struct sharc_watch **ret, struct sharc_err *reterr)
{
    int r = check_frame(bytes, reterr);
    if (r < 0) return r;
    const size_t head = sizeof MAGIC - 1 + 4;
    struct coder c = {.in = (const unsigned char *)bytes.p + head, .left = bytes.n - head - 4};
    SHARC_AUTO(sharc_watch_freep) struct sharc_watch *w = SHARC_NEW(struct sharc_watch);
    w->per_hour = -1;
    w->stale = true;
    name(&c, &w->ops);
    SHARC_FAIL_IF(!w->ops, reterr, SHARC_EUNSUPPORTED,
                  "watched pages were kept for a strategy this sharc does not have");
    params(&c, &w->params);
    sites(&c, w);
    hosts(&c, w);
    groups(&c, w);
    totals(&c, w);
    if (!c.damaged) read_pages(&c, w);
    SHARC_FAIL_IF(c.damaged || c.left > 0, reterr, SHARC_ECORRUPT, "what is kept of watched pages is damaged");
    *ret = SHARC_TAKE(w);
    return 0;
}
