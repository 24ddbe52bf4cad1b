/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the journal, one event at a time; its format stands in journal.h.
 */
#include "journal_read.h"

#include "sharc/base_varint.h"

#include <string.h>

/* --- numbers and texts --------------------------------------------------------------- */

static uint64_t get_u(struct journal_reader *r)
{
    uint64_t v;
    if (sharc_varint_take(&r->in, &v)) return v;
    r->bad = true;
    return 0;
}

static int64_t get_i(struct journal_reader *r)
{
    return sharc_varint_unfold(get_u(r));
}

static struct sharc_span get_bytes(struct journal_reader *r, size_t n)
{
    if (r->in.n < n) {
        r->bad = true;
        return SHARC_SPAN_NONE;
    }
    struct sharc_span s = sharc_span_sub(r->in, 0, n);
    r->in = sharc_span_from(r->in, n);
    return s;
}

static struct sharc_span get_text(struct journal_reader *r)
{
    return get_bytes(r, get_u(r));
}

static void get_into(struct journal_reader *r, void *to, size_t n)
{
    struct sharc_span s = get_bytes(r, n);
    if (s.n == n) memcpy(to, s.p, n);
}

/* A page that is there. */
static uint32_t get_page(struct journal_reader *r)
{
    uint64_t v = get_u(r);
    if (v < r->pages) return (uint32_t)v;
    r->bad = true;
    return NO_PAGE;
}

/* --- events ------------------------------------------------------------------------------ */

static void read_page(struct journal_reader *r, struct journal_event *e)
{
    uint64_t number = get_u(r);
    uint8_t small[6] = {0};
    e->page = (uint32_t)(number - 1);
    if (number == 0) {
        e->text = get_text(r);
        e->page = r->pages;
        r->pages++;
    }
    if (e->page >= r->pages) r->bad = true;
    e->row.via = (uint32_t)get_u(r) - 1;
    get_into(r, &e->row.rate, sizeof e->row.rate);
    get_into(r, &e->row.weight, sizeof e->row.weight);
    e->row.run = (uint16_t)get_u(r);
    get_into(r, small, sizeof small);
    e->row.depth = small[0];
    e->row.embed_hops = small[1];
    e->row.state = small[2];
    e->row.flags = small[3];
    e->row.reason = small[4];
    e->row.hop = (char)small[5];
    if (e->row.via != NO_PAGE && e->row.via >= r->pages) r->bad = true;
}

static void read_next(struct journal_reader *r, struct journal_event *e)
{
    uint64_t kind = get_u(r);
    e->any = kind != 0;
    if (!e->any) return;
    e->slot.kind = (enum sharc_slot_kind)(kind - 1);
    e->slot.page = get_page(r);
    e->slot.hopeless = get_u(r) != 0;
}

static void read_observed(struct journal_reader *r, struct journal_event *e)
{
    e->observation.page = get_page(r);
    e->observation.when = get_i(r);
    e->observation.change = (enum sharc_change_class)get_u(r);
    get_into(r, &e->observation.importance, sizeof e->observation.importance);
    get_into(r, &e->observation.rate, sizeof e->observation.rate);
}

static void read_version(struct journal_reader *r, struct journal_event *e)
{
    struct version *v = &e->version;
    *v = VERSION_NONE;
    e->page = get_page(r);
    v->visit = get_i(r);
    v->ended = get_i(r);
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
    e->file = get_text(r);
    e->etag = get_text(r);
    v->size = (uint32_t)get_u(r);
    v->status = (int16_t)get_i(r);
    v->answer = (uint8_t)get_u(r);
    v->change = (uint8_t)get_u(r);
    v->revisited = get_u(r) != 0;
    v->reason = (uint8_t)get_u(r);
    v->marks = (uint16_t)get_u(r);
    if (!(v->marks & VERSION_CONTENT)) return;
    get_into(r, v->content, sizeof v->content);
    get_into(r, v->head, sizeof v->head);
}

static void read_age(struct journal_reader *r, struct journal_event *e)
{
    float given = 0;
    e->page = get_page(r);
    get_into(r, &given, sizeof given);
    get_into(r, &e->age, sizeof e->age);
    e->rate = (double)given;
}

static void read_tell(struct journal_reader *r, struct journal_event *e)
{
    e->page = get_page(r);
    get_into(r, &e->rate, sizeof e->rate);
    get_into(r, &e->weight, sizeof e->weight);
    r->told = true;
    r->told_rate = e->rate;
    r->told_weight = e->weight;
}

/* Told as the one before it: for the reader it is the same event. */
static void read_tell_same(struct journal_reader *r, struct journal_event *e)
{
    e->what = 't';
    e->page = get_page(r);
    e->rate = r->told_rate;
    e->weight = r->told_weight;
    if (!r->told) r->bad = true;
}

static void read_state(struct journal_reader *r, struct journal_state *s)
{
#define X(name) s->count.name = get_u(r);
    JOURNAL_COUNTERS(X)
#undef X
#define X(name) s->name = get_i(r);
    JOURNAL_TIMES(X)
#undef X
#define X(name) s->name = (uint32_t)get_u(r) - 1;
    JOURNAL_PAGES(X)
#undef X
    s->visits_over = get_u(r) != 0;
    s->lists = (unsigned)get_u(r);
    s->limit_visits = get_u(r) != 0;
    s->limit_all = get_u(r) != 0;
    s->limit_reason = (enum sharc_crawl_reason)get_u(r);
}

static void read_pair(struct journal_reader *r, struct journal_event *e)
{
    e->page = get_page(r);
    e->other = get_page(r);
}

static void read_place(struct journal_reader *r, struct journal_event *e)
{
    e->place.page = get_page(r);
    e->place.revisit = get_u(r) != 0;
    e->place.offset = get_u(r);
    e->file = get_text(r);
}

static void read_control(struct journal_reader *r, struct journal_event *e)
{
    e->control.page = get_page(r);
    e->control.step = (uint8_t)get_u(r);
    e->control.start = get_i(r);
    e->control.end = get_i(r);
    e->control.offset = get_u(r);
    e->file = get_text(r);
    if (e->control.step > CONTROL_LATE) r->bad = true;
}

static void read_between(struct journal_reader *r, struct clock_jump *ret)
{
    const uint64_t between = get_u(r);
    ret->between = between != 0;
    ret->more = between == 2;
}

static void read_heard(struct journal_reader *r, struct journal_event *e)
{
    struct heard_reading *q = &e->reading;
    q->page = get_page(r);
    q->kind = (uint32_t)get_u(r);
    q->slots = (uint32_t)get_u(r);
    q->asked = get_u(r) != 0;
    q->is_page = get_u(r) != 0;
    q->left = (uint32_t)get_u(r);
    q->when = get_i(r);
    q->modified = get_i(r);
    q->since = get_i(r);
    q->etag = get_text(r);
    e->count = get_u(r);
    if (q->kind >= SHARC_SIGNAL_KINDS || e->count > r->in.n) r->bad = true;
}

static void read_event(struct journal_reader *r, struct journal_event *e)
{
    switch (e->what) {
    case 'p': read_page(r, e); break;
    case 'f':
    case 'k': read_pair(r, e); break;
    case 't': read_tell(r, e); break;
    case 'T': read_tell_same(r, e); break;
    case 'n': read_next(r, e); break;
    case 'o': read_observed(r, e); break;
    case 's': read_version(r, e); break;
    case 'a': read_age(r, e); break;
    case 'r':
        get_into(r, &e->rate, sizeof e->rate);
        e->count = get_u(r);
        r->rate_page = 0;
        break;
    case 'g': get_into(r, e->not_found, sizeof e->not_found); break;
    case 'x':
        e->when = get_i(r);
        e->base = get_i(r);
        e->text = get_text(r);
        break;
    case 'w': read_place(r, e); break;
    case 'y': read_control(r, e); break;
    case 'q': read_heard(r, e); break;
    case 'z':
        e->jump.when = get_i(r);
        e->jump.by = get_i(r);
        read_between(r, &e->jump);
        break;
    case 'd': e->when = get_i(r); break;
    case 'c': read_state(r, &e->state); break;
    default: r->bad = true;
    }
}

bool sharc__crawl_journal_next(struct journal_reader *r, struct journal_event *ret)
{
    if (r->bad || r->in.n == 0) return false;
    *ret = (struct journal_event){.what = *r->in.p};
    r->in = sharc_span_from(r->in, 1);
    read_event(r, ret);
    return !r->bad;
}

bool sharc__crawl_journal_next_entry(struct journal_reader *r, struct heard_entry *ret)
{
    ret->page = get_page(r);
    ret->stated = get_i(r);
    return !r->bad;
}

bool sharc__crawl_journal_next_rate(struct journal_reader *r, struct renewed *ret)
{
    r->rate_page += get_u(r);
    get_into(r, &ret->rate, sizeof ret->rate);
    if (r->rate_page >= r->pages) r->bad = true;
    ret->page = (uint32_t)r->rate_page;
    return !r->bad;
}
