/* SPDX-License-Identifier: Apache-2.0
 *
 * Volatile places of a site: what earlier captures learned, as hints for this one, and what
 * this one learned, for the next. A hint saves requests and proves nothing: a place is
 * volatile in a capture only if control downloads of that capture show it.
 */
#include "controls.h"

#include "sharc/store_query.h"

int sharc__crawl_hints_read(struct controls *c, sharc_store_id site, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_volatile p;
    int r = sharc_store_places(c->ctx->w.store, site, &rows, reterr);
    while (r >= 0 && c->hint_count < HINTS_MOST && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_place(rows, &p);
        SHARC_GROW(c->hints, c->hint_room, c->hint_count + 1);
        c->hints[c->hint_count++] =
            (struct hint){.place = p.signature, .pairs = p.pairs, .differed = p.differed, .first = p.first};
    }
    return r < 0 ? r : 0;
}

static const struct hint *hint_of(const struct controls *c, uint64_t place)
{
    for (size_t i = 0; i < c->hint_count; i++)
        if (c->hints[i].place == place) return &c->hints[i];
    return NULL;
}

/* The place for people, and below it an example. */
static void put_text(const struct sharc_case_place *p, struct sharc_buf *out)
{
    sharc_buf_clear(out);
    sharc_buf_put_str(out, p->where ? p->where : "");
    if (p->example && p->example[0]) sharc_buf_printf(out, "\n%s", p->example);
}

int sharc__crawl_hints_keep(const struct controls *c, sharc_store_id site, sharc_time when, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 20);
    int r = 0;
    for (size_t i = 0; c->judge && i < sharc_case_volatile_count(c->judge) && i < HINTS_MOST && r == 0; i++) {
        struct sharc_case_place p;
        sharc_case_volatile(c->judge, i, &p);
        const struct hint *before = hint_of(c, p.place);
        put_text(&p, &text);
        const struct sharc_store_volatile row = {.site = site,
                                                 .signature = p.place,
                                                 .kind = sharc_span_of(sharc_hunk_kind_word(p.kind)),
                                                 .text = sharc_buf_span(&text),
                                                 .pairs = p.pairs + (before ? before->pairs : 0),
                                                 .differed = p.differed + (before ? before->differed : 0),
                                                 .first = before ? before->first : when,
                                                 .last = when};
        r = sharc_store_batch_place(c->out->batch, &row, reterr);
    }
    return r;
}
