/* SPDX-License-Identifier: Apache-2.0
 *
 * Captures of one URL that an index in whole seconds does not tell apart, told apart by the dates of their records.
 *
 * Of several in a second, the first that can be shown keeps the 14 digits of the index: they mean the beginning of the
 * second, and that is the nearest to it. Each other one gets the 17 digits of its record. All who name captures walk
 * through here, so that a capture has one name wherever it is told of, and the name leads back to it.
 */
#include "second.h"
#include "find.h"

#include "sharc/base_limits.h"
#include "sharc/http.h"
#include "sharc/url.h"

#include <stdlib.h>

void sharc__serve_second_init(struct serve_second *s)
{
    *s = (struct serve_second){.count = 0};
    sharc_arena_init(&s->arena, SERVE_MOST_SECOND_BYTES + 4u * SHARC_LIMIT_CDX_LINE);
}

void sharc__serve_second_done(struct serve_second *s)
{
    sharc_arena_done(&s->arena);
    free(s->items);
}

void sharc__serve_second_clear(struct serve_second *s)
{
    sharc_arena_clear(&s->arena);
    s->count = s->given = 0;
}

void sharc__serve_second_add(struct serve_second *s, const struct sharc_cdx *line, const struct serve_source *source)
{
    SHARC_GROW(s->items, s->room, s->count + 1);
    struct serve_moment *m = &s->items[s->count++];
    *m = (struct serve_moment){.source = source, .coarse = line->field[SHARC_CDX_TIMESTAMP].n == 14};
    m->line.line = sharc_arena_copy(&s->arena, line->line);
    m->line.json = line->json.p ? sharc_arena_copy(&s->arena, line->json) : SHARC_SPAN_NONE;
    for (size_t i = 0; i < SHARC_CDX_FIELDS; i++)
        if (line->field[i].p) m->line.field[i] = sharc_arena_copy(&s->arena, line->field[i]);
}

bool sharc__serve_second_takes_more(struct serve_second *s)
{
    struct serve_moment *last = &s->items[s->count - 1];
    struct sharc_span t = last->line.field[SHARC_CDX_TIMESTAMP];
    if (!last->coarse || sharc_span_is(t, s->crowded)) return false;
    if (s->count <= SERVE_MOST_OF_A_SECOND && s->arena.used <= SERVE_MOST_SECOND_BYTES) return true;
    memcpy(s->crowded, t.p, t.n);
    return false;
}

/* Can it be shown at all? An answer 304 has no page, and a redirect to the same key leads in a circle. */
static bool can_be_shown(struct sharc_record *rec, const struct sharc_cdx *line)
{
    if (sharc_span_is(line->field[SHARC_CDX_STATUS], "304") && !sharc_capture_is_revisit(line)) return false;
    const struct sharc_http *h = sharc_record_http(rec);
    return !h || !sharc__serve_leads_to_itself(rec->target, h->status, sharc_http_get(h, "Location"));
}

static void read_moment(const struct sharc_edition *e, struct serve_moment *m)
{
    struct serve_opened own;
    char digits[SHARC_TIME_TEXT];
    struct sharc_span index = m->line.field[SHARC_CDX_TIMESTAMP];
    sharc_time_parse(index, &m->when, NULL);
    m->hidden = true;
    if (sharc__serve_open_record(e, m->source, &m->line, &own, NULL) < 0) return;
    sharc_time date = own.record.date;
    m->hidden = !sharc__serve_is_of(&own.record, &m->line) || !can_be_shown(&own.record, &m->line);
    if (date != SHARC_TIME_NONE && memcmp(sharc_time_compact(date, 14, digits), index.p, 14) == 0) m->when = date;
    sharc_warc_close(own.reader);
}

bool sharc__serve_is_circle(const struct sharc_edition *e, const struct serve_source *source,
                            const struct sharc_cdx *line)
{
    struct serve_moment m = {.line = *line, .source = source};
    struct sharc_span status = line->field[SHARC_CDX_STATUS];
    if (!status.n || status.p[0] != '3') return false;
    read_moment(e, &m);
    return m.hidden;
}

static int by_time(const void *a, const void *b)
{
    const struct serve_moment *x = a, *y = b;
    if (x->hidden != y->hidden) return x->hidden ? 1 : -1;
    if (x->when != y->when) return x->when < y->when ? -1 : 1;
    return sharc_span_cmp(x->line.line, y->line.line);
}

static int by_place(const void *a, const void *b)
{
    const struct serve_moment *x = a, *y = b;
    if (x->group != y->group) return x->group - y->group;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return sharc_span_cmp(x->line.line, y->line.line);
}

/* Those that cannot be shown keep the name of the first, and stand behind it. */
static void set_place(struct serve_moment *m, bool first, enum sharc_cdx_sort sort, sharc_time closest)
{
    switch (sort) {
    case SHARC_CDX_FORWARD:
        m->group = m->hidden ? 1 : first ? 0 : 2;
        m->place = m->when;
        break;
    case SHARC_CDX_REVERSE:
        m->group = m->hidden ? 1 : 0;
        m->place = -m->when;
        break;
    case SHARC_CDX_CLOSEST:
        m->group = m->hidden ? 1 : 0;
        m->place = m->when > closest ? m->when - closest : closest - m->when;
        break;
    }
}

void sharc__serve_second_tell_apart(struct serve_second *s, const struct sharc_edition *e, enum sharc_cdx_sort sort,
                                    sharc_time closest)
{
    char digits[SHARC_TIME_TEXT];
    if (s->count < 2 || s->opened + s->count > SERVE_MOST_TOLD_APART) return;
    if (sharc_span_is(s->items[0].line.field[SHARC_CDX_TIMESTAMP], s->crowded)) return;
    s->opened += s->count;
    for (size_t i = 0; i < s->count; i++) read_moment(e, &s->items[i]);
    qsort(s->items, s->count, sizeof *s->items, by_time);
    for (size_t i = 0; i < s->count; i++) {
        struct serve_moment *m = &s->items[i];
        set_place(m, i == 0, sort, closest);
        if (m->hidden || m->when / SHARC_MSEC == s->items[0].when / SHARC_MSEC) continue;
        m->line.field[SHARC_CDX_TIMESTAMP] =
            sharc_arena_copy(&s->arena, sharc_span_of(sharc_time_compact(m->when, 17, digits)));
    }
    qsort(s->items, s->count, sizeof *s->items, by_place);
}
