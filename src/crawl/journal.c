/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the journal; its format stands in journal.h.
 */
#include "reading.h"

#include "sharc/base_varint.h"

enum { PENDING_KEPT = 4 << 10 }; /* bytes: there are thousands of sites */

/* --- pieces ---------------------------------------------------------------------- */

void sharc__crawl_journal_init(struct journal *j, const struct sharc_intern *files)
{
    *j = (struct journal){.files = files};
    sharc_buf_init(&j->pending, JOURNAL_MOST);
}

void sharc__crawl_journal_done(struct journal *j)
{
    sharc_buf_done(&j->pending);
}

void sharc__crawl_journal_touch(struct journal *j)
{
    j->dirty = true;
}

void sharc__crawl_journal_resumed(struct journal *j, uint32_t seq, uint32_t pages)
{
    j->seq = seq;
    j->pages = pages;
}

uint32_t sharc__crawl_journal_piece(struct journal *j)
{
    return j->seq++;
}

void sharc__crawl_journal_committed(struct journal *j)
{
    if (j->pending.room > PENDING_KEPT) sharc_buf_done(&j->pending);
    sharc_buf_clear(&j->pending);
    j->dirty = j->told = false;
}

/* --- numbers and texts --------------------------------------------------------------- */

static void put_i(struct sharc_buf *b, int64_t v)
{
    sharc_varint_put(b, sharc_varint_fold(v));
}

static void put_text(struct sharc_buf *b, struct sharc_span s)
{
    sharc_varint_put(b, s.n);
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

/* Bit by bit: 0 and -0 are equal, and are not the same in the journal. */
static bool is_written_as(double a, double b)
{
    return sharc_span_eq(sharc_span(&a, sizeof a), sharc_span(&b, sizeof b));
}

static struct sharc_buf *begin(struct journal *j, char what)
{
    j->dirty = true;
    sharc_buf_put_char(&j->pending, what);
    return &j->pending;
}

/* --- events ------------------------------------------------------------------------------ */

void sharc__crawl_note_page(struct journal *j, const struct pages *p, uint32_t page)
{
    struct sharc_buf *b = begin(j, 'p');
    const struct page *row = &p->page[page];
    if (page < j->pages) {
        sharc_varint_put(b, (uint64_t)page + 1);
    } else {
        SHARC_ASSERT(page == j->pages);
        j->pages++;
        sharc_varint_put(b, 0);
        put_text(b, page_url(p, page));
    }
    sharc_varint_put(b, (uint64_t)(uint32_t)(row->via + 1));
    put_float(b, row->rate);
    put_float(b, row->weight);
    sharc_varint_put(b, row->run);
    const uint8_t small[] = {row->depth,  row->embed_hops,  row->state, row->flags & (uint8_t)~PAGE_UNDER_WAY,
                             row->reason, (uint8_t)row->hop};
    sharc_buf_put(b, sharc_span(small, sizeof small));
}

void sharc__crawl_note_follow(struct journal *j, uint32_t leader, uint32_t follower)
{
    struct sharc_buf *b = begin(j, 'f');
    sharc_varint_put(b, leader);
    sharc_varint_put(b, follower);
}

void sharc__crawl_note_tell(struct journal *j, uint32_t page, double rate, double weight)
{
    /* Of a page with thousands of links nearly all say the same, and it waits in memory until their rows are written.
     */
    const bool same = j->told && is_written_as(rate, j->told_rate) && is_written_as(weight, j->told_weight);
    struct sharc_buf *b = begin(j, same ? 'T' : 't');
    sharc_varint_put(b, page);
    if (same) return;
    put_double(b, rate);
    put_double(b, weight);
    j->told = true;
    j->told_rate = rate;
    j->told_weight = weight;
}

void sharc__crawl_note_next(struct journal *j, const struct sharc_slot *slot)
{
    struct sharc_buf *b = begin(j, 'n');
    sharc_varint_put(b, slot ? 1 + (uint64_t)slot->kind : 0);
    if (!slot) return;
    sharc_varint_put(b, slot->page);
    sharc_varint_put(b, slot->hopeless);
}

void sharc__crawl_note_observed(struct journal *j, const struct sharc_observation *o)
{
    struct sharc_buf *b = begin(j, 'o');
    sharc_varint_put(b, o->page);
    put_i(b, o->when);
    sharc_varint_put(b, (uint64_t)o->change);
    put_double(b, o->importance);
    put_double(b, o->rate);
}

void sharc__crawl_note_version(struct journal *j, const struct pages *p, uint32_t page)
{
    const struct version v = sharc__crawl_pages_version(p, page);
    struct sharc_buf *b = begin(j, 's');
    sharc_varint_put(b, page);
    put_i(b, v.visit);
    put_i(b, v.ended);
    put_i(b, v.revisit);
    put_i(b, v.modified);
    put_i(b, v.changed);
    put_i(b, v.since);
    put_i(b, v.date);
    sharc_varint_put(b, v.offset);
    sharc_buf_put(b, sharc_span(v.id, sizeof v.id));
    put_text(b, v.has_digest ? sharc_span(v.digest, sizeof v.digest) : SHARC_SPAN(""));
    put_text(b, v.file == SHARC_NO_ID ? SHARC_SPAN("") : sharc_intern_text(j->files, v.file));
    put_text(b, v.etag == SHARC_NO_ID ? SHARC_SPAN("") : sharc_intern_text(p->etags, v.etag));
    sharc_varint_put(b, v.size);
    put_i(b, v.status);
    sharc_varint_put(b, v.answer);
    sharc_varint_put(b, v.change);
    sharc_varint_put(b, v.revisited);
    sharc_varint_put(b, v.reason);
    sharc_varint_put(b, v.marks);
    if (!(v.marks & VERSION_CONTENT)) return;
    sharc_buf_put(b, sharc_span(v.content, sizeof v.content));
    sharc_buf_put(b, sharc_span(v.head, sizeof v.head));
}

void sharc__crawl_note_age(struct journal *j, uint32_t page, double given, double age)
{
    struct sharc_buf *b = begin(j, 'a');
    sharc_varint_put(b, page);
    put_float(b, (float)given);
    put_double(b, age);
}

void sharc__crawl_note_rates(struct journal *j, double slot, const struct renewed *all, size_t n)
{
    struct sharc_buf *b = begin(j, 'r');
    uint32_t before = 0;
    put_double(b, slot);
    sharc_varint_put(b, n);
    for (size_t i = 0; i < n; before = all[i++].page) {
        sharc_varint_put(b, all[i].page - before);
        put_float(b, all[i].rate);
    }
}

void sharc__crawl_note_alias(struct journal *j, uint32_t page, uint32_t canonical)
{
    struct sharc_buf *b = begin(j, 'k');
    sharc_varint_put(b, page);
    sharc_varint_put(b, canonical);
}

void sharc__crawl_note_soft404(struct journal *j, const uint8_t text[32])
{
    sharc_buf_put(begin(j, 'g'), sharc_span(text, 32));
}

void sharc__crawl_note_change(struct journal *j, const struct change *change)
{
    struct sharc_buf *b = begin(j, 'x');
    put_i(b, change->when);
    put_i(b, change->base);
    put_text(b, sharc_span_of(change->text));
}

static void put_file(struct journal *j, uint32_t file)
{
    put_text(&j->pending, file == SHARC_NO_ID ? SHARC_SPAN("") : sharc_intern_text(j->files, file));
}

void sharc__crawl_note_place(struct journal *j, const struct record_place *p)
{
    struct sharc_buf *b = begin(j, 'w');
    sharc_varint_put(b, p->page);
    sharc_varint_put(b, p->revisit);
    sharc_varint_put(b, p->offset);
    put_file(j, p->file);
}

void sharc__crawl_note_control(struct journal *j, const struct control *c)
{
    struct sharc_buf *b = begin(j, 'y');
    sharc_varint_put(b, c->page);
    sharc_varint_put(b, c->step);
    put_i(b, c->start);
    put_i(b, c->end);
    sharc_varint_put(b, c->offset);
    put_file(j, c->file);
}

void sharc__crawl_note_jump(struct journal *j, const struct clock_jump *jump)
{
    struct sharc_buf *b = begin(j, 'z');
    put_i(b, jump->when);
    put_i(b, jump->by);
    sharc_varint_put(b, jump->more ? 2 : jump->between);
}

void sharc__crawl_note_heard(struct journal *j, const struct heard_reading *r)
{
    struct sharc_buf *b = begin(j, 'q');
    sharc_varint_put(b, r->page);
    sharc_varint_put(b, r->kind);
    sharc_varint_put(b, r->slots);
    sharc_varint_put(b, r->asked);
    sharc_varint_put(b, r->is_page);
    sharc_varint_put(b, r->left);
    put_i(b, r->when);
    put_i(b, r->modified);
    put_i(b, r->since);
    put_text(b, r->etag);
    sharc_varint_put(b, r->count);
    for (size_t i = 0; i < r->count; i++) {
        sharc_varint_put(b, r->entry[i].page);
        put_i(b, r->entry[i].stated);
    }
}

void sharc__crawl_note_ran(struct journal *j, sharc_time ran)
{
    put_i(begin(j, 'd'), ran);
}

void sharc__crawl_note_state(struct journal *j, const struct journal_state *s)
{
    struct sharc_buf *b = begin(j, 'c');
#define X(name) sharc_varint_put(b, s->count.name);
    JOURNAL_COUNTERS(X)
#undef X
#define X(name) put_i(b, s->name);
    JOURNAL_TIMES(X)
#undef X
#define X(name) sharc_varint_put(b, (uint64_t)(uint32_t)(s->name + 1));
    JOURNAL_PAGES(X)
#undef X
    sharc_varint_put(b, s->visits_over);
    sharc_varint_put(b, s->lists);
    sharc_varint_put(b, s->limit_visits);
    sharc_varint_put(b, s->limit_all);
    sharc_varint_put(b, s->limit_reason);
}
