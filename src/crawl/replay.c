/* SPDX-License-Identifier: Apache-2.0
 *
 * A capture that was cut off comes back: the events of its journal, applied to an empty
 * site in their order.
 */
#include "engine.h"
#include "journal_read.h"
#include "warc_store.h"

#include "sharc/base_codec.h"
#include "sharc/store_query.h"

static bool apply_page(struct site *s, const struct journal_event *e)
{
    const bool new = e->text.p != NULL;
    if (new) {
        bool fresh = false;
        sharc__crawl_pages_add(&s->pages, e->text, &fresh);
        if (!fresh) return false;
    } else if (s->pages.page[e->page].reason && !e->row.reason) {
        sharc__crawl_had_second_chance(&s->frontier);
    }
    sharc__crawl_pages_restore(&s->pages, e->page, &e->row);
    return true;
}

static uint32_t file_of(struct site *s, const struct journal_event *e)
{
    SHARC_AUTO(sharc_freep) char *file = e->file.n ? sharc_span_dup(e->file) : NULL;
    return file ? sharc__crawl_file_now(&s->crawl->out, file) : SHARC_NO_ID;
}

static bool apply_version(struct site *s, const struct journal_event *e)
{
    struct version v = e->version;
    v.file = file_of(s, e);
    v.etag = sharc__crawl_pages_etag(&s->pages, e->etag);
    sharc__crawl_pages_keep(&s->pages, e->page, &v);
    sharc__crawl_heard_saw(&s->heard, e->page);
    return true;
}

static bool apply_place(struct site *s, const struct journal_event *e)
{
    struct record_place p = e->place;
    p.file = file_of(s, e);
    sharc__crawl_controls_place_again(&s->controls, &p);
    return true;
}

static bool apply_control(struct site *s, const struct journal_event *e)
{
    struct control made = e->control;
    made.file = file_of(s, e);
    sharc__crawl_controls_made_again(&s->controls, &made);
    return true;
}

static bool apply_rates(struct site *s, struct journal_reader *r, const struct journal_event *e)
{
    struct renewed one;
    for (uint64_t n = e->count; n > 0 && sharc__crawl_journal_next_rate(r, &one); n--)
        sharc__crawl_plan_renew_again(&s->agenda, &one, e->rate);
    return !r->bad;
}

static bool apply_heard(struct site *s, struct journal_reader *r, const struct journal_event *e)
{
    SHARC_AUTO(sharc_freep) struct heard_entry *entry = SHARC_NEW_ARRAY(struct heard_entry, e->count);
    for (uint64_t i = 0; i < e->count; i++)
        if (!sharc__crawl_journal_next_entry(r, &entry[i])) return false;
    struct heard_reading q = e->reading;
    q.entry = entry;
    q.count = e->count;
    sharc__crawl_heard_again(&s->heard, &q);
    return true;
}

static bool apply_state(struct site *s, const struct journal_state *state)
{
    s->before = *state;
    sharc__crawl_agenda_restore(&s->agenda, state);
    sharc__crawl_sources_restore(&s->sources, state->lists);
    sharc__crawl_capture_is(&s->capture, s->capture.site, s->capture.id, state->started_at, s->capture.seed);
    s->downloaded = (struct downloaded){.first = state->first,
                                        .last = state->last,
                                        .last_visit = state->last_visit,
                                        .interrupted = state->interrupted};
    return true;
}

static bool apply_follow(struct site *s, const struct journal_event *e)
{
    sharc__crawl_pages_follow(&s->pages, e->page, e->other);
    return true;
}

/* False: what it says cannot be. */
static bool apply(struct site *s, struct journal_reader *r, const struct journal_event *e)
{
    struct agenda *a = &s->agenda;
    switch (e->what) {
    case 'p': return apply_page(s, e);
    case 'f': return apply_follow(s, e);
    case 't': sharc__crawl_plan_tell_again(a, e->page, e->rate, e->weight); break;
    case 'n': return sharc__crawl_plan_next_again(a, e->any ? &e->slot : NULL);
    case 'o': sharc__crawl_plan_observed_again(a, &e->observation); break;
    case 's': return apply_version(s, e);
    case 'a': sharc__crawl_rate_restore_age(&s->rates, &s->pages, e->page, e->rate, e->age); break;
    case 'r': return apply_rates(s, r, e);
    case 'k': sharc__crawl_alias_add(&s->aliases, e->page, e->other); break;
    case 'g': sharc__crawl_soft404_restore(&s->sources, e->not_found); break;
    case 'w': return apply_place(s, e);
    case 'y': return apply_control(s, e);
    case 'q': return apply_heard(s, r, e);
    case 'x': sharc__crawl_change_again(s->crawl, e->when, e->base, e->text); break;
    case 'z': sharc__crawl_times_jump_again(&s->times, &e->jump); break;
    case 'd': sharc__crawl_limits_ran_before(a, e->when); break;
    case 'c': return apply_state(s, &e->state);
    default: return false;
    }
    return true;
}

static int replay(struct site *s, struct sharc_span bytes, struct sharc_err *reterr)
{
    struct journal_reader r = {.in = bytes, .pages = pages_count(&s->pages)};
    struct journal_event e;
    bool sound = true;
    while (sound && sharc__crawl_journal_next(&r, &e)) sound = apply(s, &r, &e);
    SHARC_FAIL_IF(
        !sound || r.bad, reterr, SHARC_ECORRUPT,
        "%s: the journal of its capture cannot be read at byte %zu; start a new capture with setting \"fresh\"",
        s->name, bytes.n - r.in.n);
    return 0;
}

/* --- pieces ------------------------------------------------------------------------- */

struct replaying {
    struct site *site;
    struct sharc_inflate *inflate;
    struct sharc_buf piece;
};

static int replay_piece(void *arg, uint32_t seq, struct sharc_span bytes, struct sharc_err *reterr)
{
    struct replaying *r = arg;
    struct site *s = r->site;
    SHARC_FAIL_IF(sharc_inflate_member(r->inflate, bytes, &r->piece) <= 0, reterr, SHARC_ECORRUPT,
                  "%s: the journal of its capture is damaged; start a new capture with setting \"fresh\"", s->name);
    int code = replay(s, sharc_buf_span(&r->piece), reterr);
    sharc__crawl_journal_resumed(&s->journal, seq + 1, pages_count(&s->pages));
    return code;
}

int sharc__crawl_replay(struct site *s, struct sharc_err *reterr)
{
    struct replaying r = {.site = s, .inflate = sharc_inflate_new(), .piece = SHARC_BUF_INIT(JOURNAL_MOST)};
    int code = sharc_store_journal_each(s->crawl->ctx.w.store, s->capture.id, replay_piece, &r, reterr);
    sharc_inflate_free(r.inflate);
    sharc_buf_done(&r.piece);
    return code;
}
