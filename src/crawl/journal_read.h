/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of a journal, read back.
 *
 *   struct journal_reader r = {.in = bytes, .pages = pages known so far};
 *   while (sharc__crawl_journal_next(&r, &event)) …
 *   if (r.bad) …
 */
#ifndef SHARC_CRAWL_JOURNAL_READ_INT_H
#define SHARC_CRAWL_JOURNAL_READ_INT_H

#include "reading.h"
#include "sharc/schedule_signals.h"

struct journal_reader {
    struct sharc_span in; /* what is left */
    uint32_t pages;       /* that are known */
    uint64_t rate_page;   /* of the last rate */
    bool told;            /* there was an event t, with … */
    double told_rate, told_weight;
    bool bad;
};

/* What an event holds depends on its letter; texts point into the bytes. */
struct journal_event {
    char what;
    uint32_t page, other;                 /* f: leader, follower; k: page, canonical */
    struct sharc_span text;               /* p: URL of a new page, else none; x: NAME=VALUE */
    struct page row;                      /* p: without followers and version */
    double rate, weight;                  /* t: per slot; a: rate stated; r: seconds a slot */
    double age;                           /* a */
    bool any;                             /* n: a slot was handed out */
    struct sharc_slot slot;               /* n */
    struct sharc_observation observation; /* o */
    struct version version;               /* s: without numbers of file and ETag */
    struct sharc_span file, etag;         /* s; w and y: the file only */
    struct record_place place;            /* w: without the number of its file */
    struct control control;               /* y: likewise */
    uint64_t count;                       /* r: rates that follow; q: entries */
    struct heard_reading reading;         /* q: without its entries */
    uint8_t not_found[32];                /* g */
    sharc_time when;                      /* x; d: how long */
    int64_t base;                         /* x */
    struct clock_jump jump;               /* z */
    struct journal_state state;           /* c */
};
/* False at the end, or when it cannot be read: r->bad. */
bool sharc__crawl_journal_next(struct journal_reader *r, struct journal_event *ret);
/* After an event q, count times. */
bool sharc__crawl_journal_next_entry(struct journal_reader *r, struct heard_entry *ret);
/* After an event r, count times. */
bool sharc__crawl_journal_next_rate(struct journal_reader *r, struct renewed *ret);

#endif
