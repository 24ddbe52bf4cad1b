/* SPDX-License-Identifier: Apache-2.0
 *
 * Which capture a record belongs to: the one of its site and run that it is not
 * farther from than the gap, else a new one. Our crawler says itself which capture a download
 * belongs to: that is then the run, whatever the gaps.
 */
#include "import_int.h"

#include <stdlib.h>

void sharc__import_captures_init(struct import_captures *c, sharc_time gap, bool by_run)
{
    *c =
        (struct import_captures){.names = sharc_intern_new(), .keys = sharc_intern_new(), .gap = gap, .by_run = by_run};
    sharc_map64_init(&c->heads);
}

void sharc__import_captures_done(struct import_captures *c)
{
    sharc_intern_free(c->names);
    sharc_intern_free(c->keys);
    sharc_map64_done(&c->heads);
    for (size_t i = 0; i < c->count; i++) sharc_store_weakness_done(&c->items[i].weakness);
    free(c->items);
    *c = (struct import_captures){0};
}

static uint64_t group_of(const struct import_captures *c, uint32_t site, uint32_t run)
{
    return (uint64_t)(c->by_run ? 0 : site + 1) << 32 | run;
}

/* "example.org-20261115200448", and "-2", "-3" … behind it when that is taken by another run. */
static uint32_t own_key(struct import_captures *c, struct sharc_span site, struct sharc_span key, sharc_time when)
{
    char digits[SHARC_TIME_TEXT];
    sharc_time_compact(when, 14, digits);
    for (unsigned n = 1;; n++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(2 * SHARC_LIMIT_URL);
        bool fresh;
        if (key.n)
            sharc_buf_put(&b, key);
        else
            sharc_buf_printf(&b, "%.*s-%s", SHARC_SPAN_ARG(site), digits);
        if (n > 1) sharc_buf_printf(&b, "-%u", n);
        uint32_t id = sharc_intern_add(c->keys, sharc_buf_span(&b), &fresh);
        if (fresh) return id;
    }
}

static uint32_t append(struct import_captures *c, struct import_capture item)
{
    uint64_t *head = sharc_map64_at(&c->heads, group_of(c, item.site, item.run));
    item.next = *head ? (uint32_t)(*head - 1) : SHARC_NO_ID;
    SHARC_GROW(c->items, c->room, c->count + 1);
    c->items[c->count++] = item;
    *head = c->count;
    return (uint32_t)(c->count - 1);
}

uint32_t sharc__import_captures_add(struct import_captures *c, const struct import_capture *known,
                                    struct sharc_span site, struct sharc_span run, struct sharc_span key)
{
    struct import_capture item = *known;
    item.site = sharc_intern_add(c->names, site, NULL);
    item.run = sharc_intern_add(c->names, run, NULL);
    item.key = sharc_intern_add(c->keys, key, NULL);
    return append(c, item);
}

static bool is_near(const struct import_captures *c, const struct import_capture *k, sharc_time when)
{
    return when >= k->start - c->gap && when <= k->end + c->gap;
}

uint32_t sharc__import_captures_at(struct import_captures *c, struct sharc_span site, struct sharc_span run,
                                   struct sharc_span key, sharc_time when)
{
    uint32_t s = sharc_intern_add(c->names, site, NULL), r = sharc_intern_add(c->names, run, NULL);
    const uint64_t *head = sharc_map64_find(&c->heads, group_of(c, s, r));
    for (uint32_t i = head ? (uint32_t)(*head - 1) : SHARC_NO_ID; i != SHARC_NO_ID; i = c->items[i].next) {
        struct import_capture *k = &c->items[i];
        if (k->gone || (!k->exact && !is_near(c, k, when))) continue;
        k->widened = k->widened || when < k->start || when > k->end || !k->touched;
        k->touched = true;
        if (when < k->start) k->start = when;
        if (when > k->end) k->end = when;
        return i;
    }
    struct import_capture fresh = {.site = s, .run = r, .start = when, .end = when, .touched = true, .widened = true};
    fresh.key = own_key(c, site, key, when);
    return append(c, fresh);
}

bool sharc__import_captures_touching(const struct import_captures *c, uint32_t *ret_a, uint32_t *ret_b)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct import_capture *x = &c->items[i];
        if (x->gone || !x->touched) continue;
        const uint64_t *head = sharc_map64_find(&c->heads, group_of(c, x->site, x->run));
        for (uint32_t j = (uint32_t)(*head - 1); j != SHARC_NO_ID; j = c->items[j].next) {
            const struct import_capture *y = &c->items[j];
            if (j == i || y->gone) continue;
            if (x->start > y->end + c->gap || y->start > x->end + c->gap) continue;
            bool first = x->start < y->start || (x->start == y->start && i < j);
            *ret_a = first ? (uint32_t)i : j;
            *ret_b = first ? j : (uint32_t)i;
            return true;
        }
    }
    return false;
}
