/* SPDX-License-Identifier: Apache-2.0
 *
 * The captures before and after one, and the first and the last.
 */
#include "call.h"
#include "find.h"

#include "sharc/base_digest.h"

/* Captures that are read in one go; of more, each neighbour is looked up. And records that are opened for their times.
 */
enum { FEW = 40, MOST_OPENED = 100 };

bool sharc__serve_own_time(struct serve_times *t, const struct sharc_cdx *line, char ret[18])
{
    struct sharc_span index = line->field[SHARC_CDX_TIMESTAMP];
    char digits[SHARC_TIME_TEXT];
    struct serve_opened own;
    uint64_t digest = sharc_fingerprint(line->field[SHARC_CDX_DIGEST], 0);
    if (index.n < 14 || index.n > 17) return false;
    memcpy(ret, index.p, index.n);
    ret[index.n] = 0;
    bool same = strcmp(ret, t->second) == 0, equal = digest == t->digest;
    memcpy(t->second, ret, sizeof t->second);
    t->digest = digest;
    if (!same) return true;
    if (index.n != 14 || equal || t->opened++ >= MOST_OPENED) return false;
    if (sharc__serve_open_record(t->edition, sharc__serve_captures_source(t->walk), line, &own, NULL) < 0) return false;
    sharc_time when = own.record.date;
    sharc_warc_close(own.reader);
    sharc_time_compact(when, 17, digits);
    if (when == SHARC_TIME_NONE || when % SHARC_SEC == 0 || memcmp(digits, ret, 14) != 0) return false;
    memcpy(ret, digits, 18);
    return true;
}

static bool is_memento(const struct sharc_cdx *line)
{
    size_t n = line->field[SHARC_CDX_TIMESTAMP].n;
    return n >= 14 && n <= 17 && !sharc_span_is(line->field[SHARC_CDX_STATUS], "304");
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
    while (sharc_captures_next(all, &line, NULL) > 0) {
        struct sharc_span t = line.field[SHARC_CDX_TIMESTAMP];
        int order = here.n ? sharc_span_cmp(t, here) : sort == SHARC_CDX_REVERSE ? -1 : 1;
        if ((sort == SHARC_CDX_REVERSE ? order >= 0 : order <= 0) || !is_memento(&line)) continue;
        set(ret, t);
        return;
    }
}

/* Within a second lines are in no order of time. */
static void take(struct serve_neighbours *n, const char *time, const char *here)
{
    int order = strcmp(time, here);
    if (!*n->first || strcmp(time, n->first) < 0) set(n->first, sharc_span_of(time));
    if (order < 0 && strcmp(time, n->prev) > 0) set(n->prev, sharc_span_of(time));
    if (order > 0 && (!*n->next || strcmp(time, n->next) < 0)) set(n->next, sharc_span_of(time));
    if (strcmp(time, n->last) > 0) set(n->last, sharc_span_of(time));
}

void sharc__serve_neighbours(const struct sharc_edition *e, struct sharc_span url, const char *timestamp,
                             struct serve_neighbours *ret)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *all = NULL;
    const struct sharc_cdx_query q = {.url = url, .match = SHARC_CDX_EXACT};
    struct sharc_span here = sharc_span_of(timestamp);
    struct sharc_cdx line;
    char time[18];
    unsigned n = 0;
    *ret = (struct serve_neighbours){.first = ""};
    if (sharc_captures_ask(e, &q, &all, NULL) < 0) return;
    struct serve_times times = {.edition = e, .walk = all};
    for (; n < FEW && sharc_captures_next(all, &line, NULL) > 0; n++)
        if (is_memento(&line) && sharc__serve_own_time(&times, &line, time)) take(ret, time, timestamp);
    if (n < FEW) return;
    look_up(e, url, here, SHARC_CDX_REVERSE, ret->prev);
    look_up(e, url, here, SHARC_CDX_FORWARD, ret->next);
    look_up(e, url, SHARC_SPAN(""), SHARC_CDX_REVERSE, ret->last);
}
