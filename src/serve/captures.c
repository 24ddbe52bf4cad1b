/* SPDX-License-Identifier: Apache-2.0
 *
 * Captures of all indexes of an edition in one order: each index gives its lines in that order, the
 * first of them comes next.
 */
#include "second.h"

#include "sharc/base_limits.h"

#include <stdlib.h>

struct lane {
    struct sharc_cdx_cursor *cursor;
    const struct serve_source *source;
    struct sharc_cdx entry;
    bool full;           /* entry is the next one */
    bool owes;           /* its next one is not known yet: the turn was over */
    sharc_time distance; /* closest only */
};

struct sharc_captures {
    struct lane *lanes;
    size_t count;
    enum sharc_cdx_sort sort;
    sharc_time closest;
    uint64_t left;
    struct lane *current;  /* gave the last capture */
    struct sharc_buf last; /* its line */
    const struct sharc_edition *edition;
    bool apart; /* captures of one second are told apart */
    bool held;  /* `current` was read ahead, and not given yet */
    struct serve_second second;
};

static sharc_time time_of(struct sharc_span digits)
{
    sharc_time t;
    return sharc_time_parse(digits, &t, NULL) == 0 ? t : SHARC_TIME_NONE;
}

static int refill(struct sharc_captures *c, struct lane *l, struct sharc_err *reterr)
{
    int r = sharc_cdx_next(l->cursor, &l->entry, reterr);
    l->full = r > 0;
    l->owes = r == SHARC_EBUSY;
    if (r <= 0 || c->sort != SHARC_CDX_CLOSEST) return r < 0 ? r : 0;
    sharc_time t = time_of(l->entry.field[SHARC_CDX_TIMESTAMP]);
    l->distance = t == SHARC_TIME_NONE ? INT64_MAX : t > c->closest ? t - c->closest : c->closest - t;
    return 0;
}

static bool sooner(const struct sharc_captures *c, const struct lane *a, const struct lane *b)
{
    /* Equally far away: the older one, so that all of a second come together. */
    if (c->sort == SHARC_CDX_CLOSEST)
        return a->distance != b->distance
                   ? a->distance < b->distance
                   : sharc_span_cmp(a->entry.field[SHARC_CDX_TIMESTAMP], b->entry.field[SHARC_CDX_TIMESTAMP]) < 0;
    int order = sharc_span_cmp(a->entry.line, b->entry.line);
    return c->sort == SHARC_CDX_REVERSE ? order > 0 : order < 0;
}

int sharc_captures_ask(const struct sharc_edition *e, const struct sharc_cdx_query *q, struct sharc_captures **ret,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *c = SHARC_NEW(struct sharc_captures);
    struct sharc_cdx_query each = *q;
    each.limit = 0;
    c->sort = q->sort;
    c->closest = time_of(q->closest);
    c->left = q->limit ? q->limit : UINT64_MAX;
    c->lanes = SHARC_NEW_ARRAY(struct lane, e->source_count);
    c->edition = e;
    sharc_buf_init(&c->last, SHARC_LIMIT_CDX_LINE);
    sharc__serve_second_init(&c->second);
    for (; c->count < e->source_count; c->count++) {
        struct lane *l = &c->lanes[c->count];
        l->source = &e->sources[c->count];
        int r = sharc_cdx_ask(l->source->index, &each, &l->cursor, reterr);
        if (r == 0) r = refill(c, l, reterr);
        if (r < 0 && r != SHARC_EBUSY) {
            sharc_cdx_cursor_freep(&l->cursor);
            return r;
        }
    }
    *ret = SHARC_TAKE(c);
    return 0;
}

void sharc_captures_free(struct sharc_captures *c)
{
    if (!c) return;
    for (size_t i = 0; i < c->count; i++) sharc_cdx_cursor_free(c->lanes[i].cursor);
    sharc_buf_done(&c->last);
    sharc__serve_second_done(&c->second);
    free(c->lanes);
    free(c);
}

void sharc_captures_freep(struct sharc_captures **c)
{
    sharc_captures_free(*c);
    *c = NULL;
}

static int advance(struct sharc_captures *c, struct sharc_err *reterr)
{
    int r = c->current ? refill(c, c->current, reterr) : 0;
    c->current = NULL;
    for (size_t i = 0; r == 0 && i < c->count; i++)
        if (c->lanes[i].owes) r = refill(c, &c->lanes[i], reterr);
    for (size_t i = 0; r == 0 && i < c->count; i++)
        if (c->lanes[i].full && (!c->current || sooner(c, &c->lanes[i], c->current))) c->current = &c->lanes[i];
    return r < 0 ? r : c->current != NULL;
}

/* There are no more lines; unless they are missing because a file was shortened. */
static int end_of(const struct sharc_captures *c, struct sharc_err *reterr)
{
    for (size_t i = 0; i < c->count; i++)
        SHARC_FAIL_IF(!sharc__serve_source_intact(c->lanes[i].source), reterr, SHARC_ECORRUPT,
                      "an index was shortened while it was served");
    return 0;
}

/* A line that the last one is not equal to. */
static int next_line(struct sharc_captures *c, struct sharc_err *reterr)
{
    int r;
    while ((r = advance(c, reterr)) > 0) {
        struct sharc_span line = c->current->entry.line;
        if (c->last.n && sharc_span_eq(line, sharc_buf_span(&c->last))) continue;
        if (c->count > 1) {
            sharc_buf_clear(&c->last);
            sharc_buf_put(&c->last, line);
        }
        return 1;
    }
    return r < 0 ? r : end_of(c, reterr);
}

/* --- captures of one second ----------------------------------------------------------------- */

void sharc__serve_captures_tell_apart(struct sharc_captures *c)
{
    c->apart = true;
}

static int gather(struct sharc_captures *c, struct sharc_err *reterr)
{
    struct serve_second *s = &c->second;
    sharc__serve_second_clear(s);
    int r = c->held ? 1 : next_line(c, reterr);
    c->held = false;
    while (r > 0) {
        sharc__serve_second_add(s, &c->current->entry, c->current->source);
        if (!sharc__serve_second_takes_more(s)) break;
        r = next_line(c, reterr);
        c->held = r > 0 && !sharc_span_eq(c->current->entry.field[SHARC_CDX_TIMESTAMP],
                                          s->items[0].line.field[SHARC_CDX_TIMESTAMP]);
        if (c->held) break;
    }
    if (r < 0) return r;
    sharc__serve_second_tell_apart(s, c->edition, c->sort, c->closest);
    return s->count > 0;
}

static int next_apart(struct sharc_captures *c, struct sharc_cdx *ret, struct sharc_err *reterr)
{
    struct serve_second *s = &c->second;
    int r = s->given < s->count ? 1 : gather(c, reterr);
    if (r > 0) *ret = s->items[s->given++].line;
    return r;
}

int sharc_captures_next(struct sharc_captures *c, struct sharc_cdx *ret, struct sharc_err *reterr)
{
    if (!c->left) return 0;
    int r = c->apart ? next_apart(c, ret, reterr) : next_line(c, reterr);
    if (r <= 0) return r;
    if (!c->apart) *ret = c->current->entry;
    c->left--;
    return 1;
}

bool sharc_captures_get(struct sharc_captures *c, struct sharc_span name, struct sharc_span *ret)
{
    return c->current && sharc_cdx_cursor_get(c->current->cursor, name, ret);
}

const struct serve_source *sharc__serve_captures_source(const struct sharc_captures *c)
{
    return c->apart ? c->second.items[c->second.given - 1].source : c->current->source;
}

bool sharc__serve_captures_is_coarse(const struct sharc_captures *c)
{
    return c->second.items[c->second.given - 1].coarse;
}
