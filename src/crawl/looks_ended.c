/* SPDX-License-Identifier: Apache-2.0
 *
 * A download of a single page has ended: record, version, rows, and what it showed.
 */
#include "looks_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- hosts ------------------------------------------------------------------------ */

#define SICK_MOST 3 /* requests in a row that a server failed to answer: then it is the server, not the page */

/* Says nothing about the page: the server asks for a pause, or is not there. */
static bool host_is_away(const struct sharc_fetch_result *r)
{
    return sharc_backoff_wanted(r->status) || sharc_fetch_never_connected(r) || r->state == SHARC_FETCH_ABORTED;
}

/* The server was reached and failed: 502 of a proxy before it, or no answer at all. */
static bool server_failed(const struct sharc_fetch_result *r)
{
    return r->status >= 500 ||
           (r->status == 0 && r->state != SHARC_FETCH_LOCAL && sharc_fetch_state_transient(r->state));
}

static void end_on_host(struct sharc_looks *l, const struct job *j)
{
    const struct sharc_fetch_result *r = j->result;
    struct group *g = sharc__looks_group(l, j->task.host);
    const struct sharc_crawl_pace pace = sharc__looks_pace(l, j->task.host);
    sharc_time wait = SHARC_TIME_NONE, asked;
    sharc__crawl_group_ended(g, &pace, r->end, r->end - r->start);
    /* What goes wrong with it the next commit will tell; until then the host is held. */
    (void)sharc__crawl_host_rests(&l->hosts, j->task.host, &pace, r->end, NULL);
    if (r->state == SHARC_FETCH_ABORTED) return;
    struct host *h = &l->hosts.host[j->task.host];
    h->sick = server_failed(r) ? h->sick + 1 : 0;
    if (!host_is_away(r) && h->sick < SICK_MOST) {
        sharc__crawl_group_quiet(g, r->end);
        return;
    }
    struct sharc_span after = r->status ? sharc_http_get(&r->http, "Retry-After") : SHARC_SPAN_NONE;
    if (after.p && sharc_http_retry_after(after, r->end, &asked) == 0) wait = asked;
    (void)sharc__crawl_group_trouble(&l->hosts, l->hosts.host[j->task.host].group, r->end, wait);
}

/* --- robots.txt ---------------------------------------------------------------------- */

static void read_robots(struct sharc_looks *l, const struct job *j)
{
    const uint32_t host = j->task.host;
    const struct host *h = &l->hosts.host[host];
    const sharc_time now = j->result->end;
    const struct sharc_robots_plan plan = sharc_robots_judge(j->result->state, j->result->status, h->redirects,
                                                             h->rules ? h->fetched : SHARC_TIME_NONE, now);
    if (plan.act == SHARC_ROBOTS_FOLLOW && j->made.location.n) {
        sharc__crawl_host_redirected(&l->hosts, host);
        free(l->robots_at[host]);
        l->robots_at[host] = sharc_span_dup(sharc_buf_span(&j->made.location));
        return;
    }
    free(l->robots_at[host]); /* the next time it is looked for where it belongs */
    l->robots_at[host] = NULL;
    if (plan.act == SHARC_ROBOTS_PARSE) {
        const struct sharc_span text = sharc_span_sub(j->made.body, 0, SHARC_ROBOTS_BYTES);
        sharc__looks_note_robots(l, host, &text);
        sharc__crawl_host_rules(&l->hosts, host, sharc_robots_new(j->made.body, SHARC_ROBOTS_TOKEN), now, plan.expires);
        sharc__crawl_host_text(&l->hosts, host, sharc_span_sub(j->made.body, 0, SHARC_ROBOTS_BYTES));
    } else if (plan.act == SHARC_ROBOTS_KEEP && h->rules)
        sharc__crawl_host_keep_rules(&l->hosts, host, plan.expires);
    else {
        if (plan.act == SHARC_ROBOTS_DISALLOW)
            sharc__looks_forget_robots(l, host);
        else
            sharc__looks_note_robots(l, host, NULL);
        sharc__crawl_host_rules(&l->hosts, host, sharc_robots_new_fixed(plan.act != SHARC_ROBOTS_DISALLOW), now,
                                plan.expires);
    }
    struct group *g = sharc__looks_group(l, host);
    const struct sharc_crawl_pace pace = sharc__looks_pace(l, host);
    sharc__crawl_group_asks(g, &pace, sharc_robots_delay(h->rules), now, now - j->result->start);
    /* Rules that could not be fetched forbid everything: wait until they may be asked for again. */
    if (plan.act == SHARC_ROBOTS_DISALLOW) sharc__crawl_group_not_before(g, plan.expires);
}

/* --- what it showed -------------------------------------------------------------------- */

static bool same_content(const struct job *j)
{
    const struct version *v = &j->in.before;
    if (j->made.answer == SHARC_ANSWER_NOT_MODIFIED || j->made.identical) return true;
    return (v->marks & VERSION_CONTENT) && v->answer == j->made.answer && sharc__crawl_same_answer(v, j);
}

static enum sharc_store_shown shown_by(const struct known_page *k, const struct job *j)
{
    if (sharc__crawl_brought_nothing(j) || j->made.answer == SHARC_ANSWER_FAILED) return SHARC_SHOWN_FAILED;
    if (j->made.answer == SHARC_ANSWER_GONE) return k->gone ? SHARC_SHOWN_SAME : SHARC_SHOWN_GONE;
    if (k->gone) return SHARC_SHOWN_BACK;
    if (!j->in.compare) return SHARC_SHOWN_FIRST;
    if (same_content(j)) return SHARC_SHOWN_SAME;
    return sharc_change_counts(j->made.verdict.change) ? SHARC_SHOWN_CHANGED : SHARC_SHOWN_NOISE;
}

static struct look_place place_of(struct sharc_looks *l, const struct written *w)
{
    struct look_place p = {.file = SHARC_NO_ID};
    if (!w->any) return p;
    p.file = sharc__crawl_file(&l->out, w->places.response.file);
    p.offset = w->places.response.offset;
    return p;
}

/* Does it differ in that way on every request? */
static void judge_change(struct sharc_looks *l, const struct job *j, const struct written *w, struct sharc_looked *ret)
{
    struct known_page *k = &l->known[j->task.page];
    const bool text = ret->look.change == SHARC_TEXT_CHANGED || ret->look.change == SHARC_LINKS_CHANGED;
    if (ret->look.shown != SHARC_SHOWN_CHANGED || !text) return;
    k->before = (struct look_place){j->in.before.file, j->in.before.offset};
    k->last = place_of(l, w);
    if (!sharc__looks_is_noise(l, j->task.page, &ret->doubtful)) return;
    ret->look.shown = SHARC_SHOWN_NOISE;
}

static void fill_look(struct sharc_looks *l, const struct job *j, const struct written *w,
                      struct sharc_store_watch_look *ret)
{
    const struct sharc_fetch_result *r = j->result;
    *ret = (struct sharc_store_watch_look)SHARC_STORE_WATCH_LOOK_INIT;
    ret->capture = l->site[l->known[j->task.page].site]->capture.id;
    ret->url = page_url(&l->pages, j->task.page);
    ret->when = r->start;
    ret->took = r->end - r->start;
    ret->status = r->status;
    if (!r->status) return;
    ret->size = (int64_t)j->made.size;
    ret->digest = j->made.digest;
    ret->text_digest = j->made.text_digest;
    if (j->in.compare || j->made.answer == SHARC_ANSWER_GONE) {
        ret->change = (int)j->made.verdict.change;
        ret->importance = j->made.importance;
    }
    if (w->any) {
        ret->record = !w->revisit                                   ? SHARC_STORE_RESPONSE
                      : j->made.answer == SHARC_ANSWER_NOT_MODIFIED ? SHARC_STORE_NOT_MODIFIED
                                                                    : SHARC_STORE_IDENTICAL;
        ret->place.offset = w->places.response.offset;
        ret->place.length = w->places.response.length;
    }
    if (j->made.answer == SHARC_ANSWER_NOT_MODIFIED && j->in.before.has_digest) {
        ret->digest = (struct sharc_digest){.kind = SHARC_SHA256, .n = sizeof j->in.before.digest};
        memcpy(ret->digest.bytes, j->in.before.digest, sizeof j->in.before.digest);
        ret->size = j->in.before.size;
    }
}

/* --- applying ---------------------------------------------------------------------------- */

static int apply_page(struct sharc_looks *l, struct job *j, const struct written *w, struct sharc_looked *ret,
                      struct sharc_err *reterr)
{
    struct known_page *k = &l->known[j->task.page];
    ret->look.shown = shown_by(k, j);
    if (ret->look.shown == SHARC_SHOWN_FAILED) return 0;
    judge_change(l, j, w, ret);
    const bool gone = j->made.answer == SHARC_ANSWER_GONE;
    k->gone = gone;
    if (!gone) { /* what it showed before it went stays to be compared with */
        struct version v = sharc__crawl_pages_version(&l->pages, j->task.page);
        sharc__crawl_answer_to_version(&l->out, &l->pages, j, w, &v);
        sharc__crawl_pages_keep(&l->pages, j->task.page, &v);
    }
    if (!w->any) return 0;
    struct capture *s = &l->site[k->site]->capture;
    int r = sharc__crawl_file_row(&l->out, w->places.response.file, &ret->look.place.warc, reterr);
    return r < 0 ? r : sharc__crawl_rows_page(s, j, w, reterr);
}

static void apply_control(struct sharc_looks *l, const struct job *j, const struct written *w, struct sharc_looked *ret)
{
    struct known_page *k = &l->known[j->task.page];
    bool doubtful;
    if (!w->any || j->made.answer != SHARC_ANSWER_CONTENT || k->last.file == SHARC_NO_ID) return;
    struct look_place place = place_of(l, w);
    sharc__looks_paired(l, j->task.page, &place, j->result->start);
    ret->explained = sharc__looks_is_noise(l, j->task.page, &doubtful);
}

static enum sharc_looks_kind kind_of(enum task_kind k)
{
    if (k == TASK_CONTROL) return SHARC_LOOKS_CONTROL;
    if (k == TASK_LIST) return SHARC_LOOKS_LIST;
    return k == TASK_ROBOTS ? SHARC_LOOKS_ROBOTS : SHARC_LOOKS_PAGE;
}

/* A list that was read is compared with the next reading; it has no row. */
static void keep_list(struct sharc_looks *l, const struct job *j, const struct written *w)
{
    if (j->made.answer != SHARC_ANSWER_CONTENT && j->made.answer != SHARC_ANSWER_NOT_MODIFIED) return;
    struct version v = sharc__crawl_pages_version(&l->pages, j->task.page);
    sharc__crawl_answer_to_version(&l->out, &l->pages, j, w, &v);
    sharc__crawl_pages_keep(&l->pages, j->task.page, &v);
}

static int apply(struct sharc_looks *l, struct job *j, struct sharc_looked *ret, struct sharc_err *reterr)
{
    struct capture *s = &l->site[l->known[j->task.page].site]->capture;
    struct written w = {0};
    j->planned_rate = (double)NAN;
    j->rate = (double)NAN;
    const bool nothing = sharc__crawl_brought_nothing(j) || j->result->state == SHARC_FETCH_ABORTED;
    int r = nothing ? 0 : sharc__crawl_record(s, j, &w, reterr);
    if (r < 0) return r;
    fill_look(l, j, &w, &ret->look);
    ret->look.shown = SHARC_SHOWN_FAILED;
    ret->away = host_is_away(j->result);
    if (ret->kind == SHARC_LOOKS_ROBOTS)
        read_robots(l, j);
    else if (ret->kind == SHARC_LOOKS_PAGE)
        r = apply_page(l, j, &w, ret, reterr);
    else if (ret->kind == SHARC_LOOKS_CONTROL)
        apply_control(l, j, &w, ret);
    else if (!nothing) {
        ret->look.shown = shown_by(&l->known[j->task.page], j);
        keep_list(l, j, &w);
    }
    sharc__crawl_log_fetch(s, j, &w, ret->kind == SHARC_LOOKS_PAGE ? sharc_store_shown_word(ret->look.shown) : NULL);
    sharc__crawl_to_commit(&l->out);
    return r;
}

/* The next download that has ended, 0: none. One that is stuck comes again, a second later at most. */
static int next_ended(struct sharc_looks *l, sharc_time until, struct job **ret, struct sharc_err *reterr)
{
    struct sharc_fetch_result *result = NULL;
    if (l->stuck) {
        const sharc_time second = crawl_now(&l->ctx) + SHARC_SEC;
        struct sharc_clock *clock = l->ctx.w.clock;
        (void)clock->wait_until(clock, until != SHARC_TIME_NONE && until < second ? until : second, NULL);
        *ret = l->stuck;
        l->stuck = NULL;
        return 1;
    }
    int r = sharc_fetcher_wait(l->ctx.w.fetcher, until, NULL, &result, reterr);
    if (r <= 0) return r == SHARC_EINTR ? 0 : r;
    struct job *j = result->user;
    j->result = result;
    end_on_host(l, j);
    sharc__crawl_process(j);
    *ret = j;
    return 1;
}

int sharc_looks_wait(struct sharc_looks *l, sharc_time until, struct sharc_looked *ret, struct sharc_err *reterr)
{
    struct job *j = NULL;
    sharc__crawl_job_free(l->held);
    l->held = NULL;
    int r = next_ended(l, until, &j, reterr);
    if (r <= 0) return r;
    *ret = (struct sharc_looked){.page = j->task.page, .kind = kind_of(j->task.kind)};
    r = apply(l, j, ret, reterr);
    if (r == SHARC_ENOSPC)
        l->stuck = j; /* it stays pending */
    else
        l->held = j;
    if (r < 0) return r;
    l->pending--;
    ret->content = j->made.extracted ? &j->made.page : NULL;
    ret->body = j->made.body;
    ret->type = sharc_buf_span(&j->made.mime);
    ret->location = sharc_buf_span(&j->made.location);
    snprintf(ret->text, sizeof ret->text, "%s", j->result->text);
    return 1;
}
