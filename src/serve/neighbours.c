/* SPDX-License-Identifier: Apache-2.0
 *
 * The captures before and after one, and the first and the last.
 */
#include "call.h"
#include "find.h"

/* Captures that are read in one go; of more, each neighbour is looked up, among so many. */
enum { FEW = 40, MOST_TRIES = 100 };

/* Whoever is led to a redirect that leads back comes to where he was. */
static bool is_memento(const struct sharc_edition *e, const struct sharc_captures *c, const struct sharc_cdx *line)
{
    size_t n = line->field[SHARC_CDX_TIMESTAMP].n;
    return n >= 14 && n <= 17 && !sharc_span_is(line->field[SHARC_CDX_STATUS], "304") &&
           !sharc__serve_is_circle(e, sharc__serve_captures_source(c), line);
}

static void set(char ret[18], struct sharc_span t)
{
    memcpy(ret, t.p, t.n);
    ret[t.n] = 0;
}

/* The first in the order of sort that lies beyond `here`. */
static void look_up(const struct sharc_edition *e, struct sharc_span url, struct sharc_span here,
                    enum sharc_cdx_sort sort, char ret[18])
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *all = NULL;
    struct sharc_cdx_query q = {.url = url, .match = SHARC_CDX_EXACT, .sort = sort};
    struct sharc_cdx line;
    *(sort == SHARC_CDX_REVERSE ? &q.to : &q.from) = here;
    if (sharc_captures_ask(e, &q, &all, NULL) < 0) return;
    sharc__serve_captures_tell_apart(all);
    for (unsigned tries = 0; tries < MOST_TRIES && sharc_captures_next(all, &line, NULL) > 0;) {
        struct sharc_span t = line.field[SHARC_CDX_TIMESTAMP];
        int order = here.n ? sharc_span_cmp(t, here) : sort == SHARC_CDX_REVERSE ? -1 : 1;
        if (sort == SHARC_CDX_REVERSE ? order >= 0 : order <= 0) continue;
        tries++;
        if (!is_memento(e, all, &line)) continue;
        set(ret, t);
        return;
    }
}

void sharc__serve_neighbours(const struct sharc_edition *e, struct sharc_span url, const char *timestamp,
                             struct serve_neighbours *ret)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *all = NULL;
    const struct sharc_cdx_query q = {.url = url, .match = SHARC_CDX_EXACT};
    struct sharc_span here = sharc_span_of(timestamp);
    struct sharc_cdx line;
    unsigned n = 0;
    *ret = (struct serve_neighbours){.first = ""};
    if (sharc_captures_ask(e, &q, &all, NULL) < 0) return;
    sharc__serve_captures_tell_apart(all);
    for (; n < FEW && sharc_captures_next(all, &line, NULL) > 0; n++) {
        struct sharc_span t = line.field[SHARC_CDX_TIMESTAMP];
        if (!is_memento(e, all, &line)) continue;
        int order = sharc_span_cmp(t, here);
        if (!*ret->first) set(ret->first, t);
        if (order < 0) set(ret->prev, t);
        if (order > 0 && !*ret->next) set(ret->next, t);
        set(ret->last, t);
    }
    if (n < FEW) return;
    look_up(e, url, here, SHARC_CDX_REVERSE, ret->prev);
    look_up(e, url, here, SHARC_CDX_FORWARD, ret->next);
    look_up(e, url, SHARC_SPAN(""), SHARC_CDX_REVERSE, ret->last);
}
