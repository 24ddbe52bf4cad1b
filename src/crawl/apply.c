/* SPDX-License-Identifier: Apache-2.0
 *
 * A processed download becomes knowledge: record, version, links, observation,
 * rows, a line in the log. In the order in which downloads ended.
 *
 *   type not wanted ────────> skipped
 *   trouble that may pass ──> again, later; a site that cannot be reached at all
 *                             is suspended
 *   anything else ──────────> recorded; the strategy hears what it showed
 */
#include "crawl_log.h"
#include "engine.h"

#include <math.h>

/* --- versions --------------------------------------------------------------------- */

/* What the next download of the page is compared with. */
static void keep_version(struct site *s, const struct job *j, const struct written *w)
{
    struct version v = sharc__crawl_pages_version(&s->pages, j->task.page);
    sharc__crawl_rate_looked(&v, j, v.visit);
    sharc__crawl_answer_to_version(&s->crawl->out, &s->pages, j, w, &v);
    sharc__crawl_pages_keep(&s->pages, j->task.page, &v);
}

/* --- links ------------------------------------------------------------------------- */

static void follow_link(struct site *s, const struct job *j, const struct sharc_link *l)
{
    struct finding f = FINDING(l->url, j->task.page, 'L');
    if (l->kind == SHARC_LINK_EMBED) {
        if (s->crawl->ctx.o.no_embeds) return;
        f.embed = true;
        f.hop = l->flags & SHARC_LINK_SPECULATIVE ? 'X' : 'E';
    } else if (l->kind == SHARC_LINK_REDIRECT) {
        f.hop = 'R';
    } else if (l->place == SHARC_FROM_FORM || l->place == SHARC_FROM_FORM_BUTTON) {
        f.hop = 'S';
    }
    sharc__crawl_found(&s->frontier, &f);
}

/* What a frame that a second look brought links to is no page of the capture any more: it could not be visited before
 * the revisits. What it shows is. */
static bool comes_too_late(const struct site *s, const struct sharc_link *l)
{
    const struct agenda *a = &s->agenda;
    return a->plan.looking && !a->turn.visits_over && l->kind == SHARC_LINK_NAVIGATION;
}

/* At most so many of those that are left. */
static void follow_some(struct site *s, struct job *j, size_t most)
{
    const struct sharc_page *page = &j->made.page;
    for (; most > 0 && j->followed < page->link_count; j->followed++, most--) {
        const struct sharc_link *l = &page->links[j->followed];
        if (!(l->flags & SHARC_LINK_REPEATED) && !comes_too_late(s, l)) follow_link(s, j, l);
    }
}

static void follow_links(struct site *s, struct job *j)
{
    if (j->made.answer == SHARC_ANSWER_REDIRECT) {
        struct finding f = FINDING(sharc_buf_span(&j->made.location), j->task.page, 'R');
        sharc__crawl_found(&s->frontier, &f);
    }
    if (!j->made.extracted) return;
    if (sharc__crawl_is_list(j)) sharc__crawl_read_list(&s->sources, j);
    follow_some(s, j, SIZE_MAX);
}

/* The second look counts as the visit from now on, so the page is whole with what it shows now. Parts that are new are
 * fetched at once and revisited with the page; each speaks for its own time. */
static void follow_parts(struct site *s, const struct job *j)
{
    const struct sharc_page *page = &j->made.page;
    for (size_t i = 0; j->made.extracted && i < page->link_count; i++) {
        const struct sharc_link *l = &page->links[i];
        if (l->kind == SHARC_LINK_EMBED && !(l->flags & SHARC_LINK_REPEATED)) follow_link(s, j, l);
    }
}

/* --- kinds of downloads --------------------------------------------------------------- */

/* The strategy hears what it showed. */
static void observe(struct site *s, const struct job *j, enum sharc_change_class change, double rate)
{
    if (!j->task.of_strategy) return;
    struct sharc_observation o = {.page = j->task.page,
                                  .when = j->result->start,
                                  .change = change,
                                  .rate = rate < 0 ? -1 : rate * s->rates.slot_seconds};
    if (sharc_change_counts(change)) o.importance = j->made.importance;
    sharc__crawl_plan_observed(&s->agenda, &o);
}

static void mark_pause(struct site *s, const struct job *j)
{
    const struct sharc_crawl_options *o = &s->crawl->ctx.o;
    struct downloaded *d = &s->downloaded;
    sharc_time limit = o->interruption ? o->interruption : 10 * SHARC_MINUTE;
    sharc_time gap = d->last_visit == SHARC_TIME_NONE ? 0 : j->result->start - d->last_visit;
    if (gap > limit + 2 * s->agenda.pace.delay) d->interrupted += gap;
    d->last_visit = j->result->end;
}

static bool is_content(enum sharc_change_answer a)
{
    return a == SHARC_ANSWER_CONTENT || a == SHARC_ANSWER_REDIRECT || a == SHARC_ANSWER_NOT_MODIFIED;
}

/* The rate of the page before and after, for the records and rows that tell of it. */
static void estimate(struct site *s, struct job *j)
{
    bool learns = !task_is_preparation(&j->task) && j->task.kind < TASK_REVISIT && is_content(j->made.answer);
    j->planned_rate = (double)s->pages.page[j->task.page].rate;
    j->rate = (double)NAN;
    if (!learns) return;
    j->rate = sharc__crawl_rate_visited(&s->rates, &s->crawl->ctx, &s->pages, j);
    if (s->pages.page[j->task.page].flags & PAGE_KNOWN_TO_STRATEGY)
        sharc__crawl_note_age_of(&s->frontier, j->task.page);
}

static void apply_visit(struct site *s, struct job *j, const struct written *w)
{
    const uint32_t page = j->task.page;
    const bool gone = j->made.answer == SHARC_ANSWER_GONE, content = is_content(j->made.answer);
    mark_pause(s, j);
    sharc__crawl_pages_set_state(&s->pages, page, PAGE_DONE, s->pages.page[page].reason);
    if (j->task.kind == TASK_VISIT) s->count.visits++;
    keep_version(s, j, w);
    if (content) sharc__crawl_controls_visited(&s->controls, page, w);
    if (j->in.compare && j->made.answer == SHARC_ANSWER_NOT_MODIFIED) s->count.not_modified++;
    if (j->in.compare && j->made.identical) s->count.identical++;
    s->count.gone += !content && gone;
    s->count.failed += !content && !gone;
    if (content) sharc__crawl_pages_set_rate(&s->pages, page, j->rate);
    sharc__crawl_note_page(&s->journal, &s->pages, page);
    sharc__crawl_note_version(&s->journal, &s->pages, page);
    sharc__crawl_heard_saw(&s->heard, page);
    if (!content) {
        if (j->made.not_found) follow_links(s, j); /* whatever it is, it may lead to pages */
        observe(s, j, gone ? SHARC_MISSING : SHARC_FAILED, -1);
        return;
    }
    if (!s->agenda.turn.visits_over) sharc__crawl_agenda_downloaded(&s->agenda, page);
    follow_links(s, j);
    sharc__crawl_hear_page(&s->sources, j);
    sharc__crawl_find_canonical(&s->aliases, j);
    observe(s, j, SHARC_NEW, j->rate);
}

/* Between visit and revisit somebody was told that the page is not there, or not for him. */
static void not_as_visited(struct site *s, const struct job *j)
{
    if (j->result->status < 400 || j->result->status == 429) return; /* no answer, or come later: says nothing of it */
    struct version v = sharc__crawl_pages_version(&s->pages, j->task.page);
    v.marks |= VERSION_LOOK_ENDED;
    sharc__crawl_pages_keep(&s->pages, j->task.page, &v);
    sharc__crawl_note_version(&s->journal, &s->pages, j->task.page);
}

static void apply_look(struct site *s, const struct job *j, const struct written *w)
{
    s->count.looks++;
    if (is_content(j->made.answer)) {
        keep_version(s, j, w);
        sharc__crawl_controls_visited(&s->controls, j->task.page, w);
        sharc__crawl_agenda_downloaded(&s->agenda, j->task.page);
        sharc__crawl_note_version(&s->journal, &s->pages, j->task.page);
        sharc__crawl_heard_saw(&s->heard, j->task.page);
        follow_parts(s, j);
        sharc__crawl_hear_page(&s->sources, j);
    } else
        not_as_visited(s, j);
    s->downloaded.last_visit = j->result->end;
    observe(s, j, j->made.verdict.change, isnan(j->rate) ? -1 : j->rate);
}

/* A cache has shown the visit once more, and states how long it goes on so: that is waited for, once. */
static bool wants_another_revisit(const struct version *v, const struct job *j)
{
    return version_is_stale(v) && !(v->marks & VERSION_ASKED_AGAIN) && is_content(j->made.answer) &&
           sharc__crawl_fresh_at(j) != SHARC_TIME_NONE;
}

static void apply_revisit(struct site *s, const struct job *j, const struct written *w, enum sharc_change_class change)
{
    struct version v = sharc__crawl_pages_version(&s->pages, j->task.page);
    if (v.revisited && !sharc_change_counts((enum sharc_change_class)v.change)) s->count.coherent--;
    sharc__crawl_rate_looked(&v, j, v.visit);
    v.revisit = sharc__crawl_speaks_for(j);
    v.revisited = true;
    v.change = (uint8_t)change;
    v.reason = (uint8_t)sharc__crawl_reason_of(&v, j);
    if (!j->made.not_found) v.marks &= (uint16_t)~VERSION_NOT_FOUND;
    const bool again = wants_another_revisit(&v, j);
    if (again) v.marks |= VERSION_ASKED_AGAIN;
    sharc__crawl_pages_keep(&s->pages, j->task.page, &v);
    s->count.revisits++;
    if (j->made.answer == SHARC_ANSWER_NOT_MODIFIED)
        s->count.not_modified++;
    else if (j->made.identical)
        s->count.identical++;
    if (!sharc_change_counts(change)) s->count.coherent++;
    sharc__crawl_note_version(&s->journal, &s->pages, j->task.page);
    sharc__crawl_heard_saw(&s->heard, j->task.page);
    if (is_content(j->made.answer)) sharc__crawl_hear_page(&s->sources, j);
    if (j->made.answer == SHARC_ANSWER_CONTENT) sharc__crawl_controls_revisited(&s->controls, j->task.page, w);
    if (j->made.answer == SHARC_ANSWER_NOT_MODIFIED) sharc__crawl_audit_perhaps(s, j->task.page);
    if (again) sharc__crawl_agenda_revisit_at(&s->agenda, j->task.page, sharc__crawl_fresh_at(j));
    observe(s, j, change, -1);
}

static void apply_preparation(struct site *s, struct job *j)
{
    const uint32_t page = j->task.page;
    sharc__crawl_pages_set_state(&s->pages, page, PAGE_DONE, s->pages.page[page].reason);
    sharc__crawl_note_page(&s->journal, &s->pages, page);
    if (j->task.kind == TASK_ROBOTS)
        sharc__crawl_robots(&s->sources, j);
    else if (j->task.kind == TASK_PROBE)
        sharc__crawl_probed(&s->sources, j);
    else if (j->made.answer == SHARC_ANSWER_REDIRECT)
        sharc__crawl_list(&s->sources, sharc_buf_span(&j->made.location), page);
    else if (j->made.answer == SHARC_ANSWER_CONTENT)
        sharc__crawl_read_list(&s->sources, j);
    else if (j->made.answer == SHARC_ANSWER_NOT_MODIFIED)
        sharc__crawl_heard_same(&s->heard, j);
}

static enum sharc_crawl_reason why_nothing(const struct sharc_fetch_result *r)
{
    if (r->state == SHARC_FETCH_PRIVATE) return SHARC_SKIP_PRIVATE;
    if (r->state == SHARC_FETCH_BAD_URL) return SHARC_SKIP_BAD_URL;
    return sharc_backoff_wanted(r->status) ? SHARC_SKIP_BUSY : SHARC_SKIP_FAILED;
}

/* A page that could not be fetched at all. */
static void apply_nothing(struct site *s, struct job *j)
{
    const struct sharc_fetch_result *r = j->result;
    enum sharc_crawl_reason why = why_nothing(r);
    if (j->task.kind == TASK_CONTROL && j->task.step == CONTROL_AUDIT) {
        sharc__crawl_audit_tried(s, j->task.page);
        return;
    }
    if (j->task.kind == TASK_CONTROL) {
        sharc__crawl_controls_made(&s->controls, j, &(struct written){0}); /* proves nothing */
        return;
    }
    s->count.failed++;
    if (task_is_preparation(&j->task)) {
        apply_preparation(s, j);
    } else if (j->task.kind == TASK_REVISIT) {
        j->made.verdict.change = SHARC_FAILED;
        apply_revisit(s, j, &(struct written){0}, SHARC_FAILED);
    } else {
        if (j->task.kind == TASK_LOOK) not_as_visited(s, j);
        if (task_is_visit(&j->task))
            sharc__crawl_failed(&s->frontier, j->task.page, why,
                                sharc_span_of(r->text[0] ? r->text : sharc_crawl_reason_text(why)));
        observe(s, j, SHARC_FAILED, -1);
    }
}

/* Its head said that it is of a type nobody wants. */
static void apply_unwanted(struct site *s, const struct job *j)
{
    sharc__crawl_answered(&s->reach, j->task.host);
    sharc__crawl_skip(&s->frontier, j->task.page, SHARC_SKIP_TYPE, sharc_buf_span(&j->made.mime));
    sharc__crawl_log_fetch(&s->capture, j, NULL, sharc_crawl_reason_word(SHARC_SKIP_TYPE));
    if (j->task.kind == TASK_VISIT) sharc__crawl_agenda_given_up(&s->agenda, 1);
    sharc__crawl_to_commit(&s->crawl->out);
    observe(s, j, SHARC_FAILED, -1);
}

/* --- the decision ------------------------------------------------------------------------ */

static void count_download(struct site *s, struct job *j)
{
    const struct sharc_fetch_result *r = j->result;
    if (j->counted) return;
    j->counted = true;
    s->count.downloads++;
    s->count.bytes += sharc_spool_size(&r->body);
    sharc__crawl_reach_status(&s->reach, r->status);
    sharc__crawl_times_answer(&s->times, r);
    if (r->distrusted && sharc__crawl_host_distrusted(&s->crawl->hosts, j->task.host))
        sharc__crawl_remark(
            &s->crawl->ctx,
            "%.*s sent bytes that nobody had asked for: from now on each request to it has a connection "
            "of its own; pages downloaded before may hold the answer to another request",
            SHARC_SPAN_ARG(sharc__crawl_host_name(&s->crawl->hosts.host[j->task.host])));
    if (s->downloaded.first == SHARC_TIME_NONE) s->downloaded.first = r->start;
    s->downloaded.last = r->end;
    sharc__crawl_journal_touch(&s->journal);
}

/* robots.txt that was answered is judged by its own rules. */
static bool will_be_tried_again(struct site *s, const struct job *j)
{
    if (j->task.kind == TASK_ROBOTS && j->result->status) return false;
    /* A list that is read again keeps nobody waiting, unless the server asks for a pause, or we stop. */
    const bool pause = sharc_backoff_wanted(j->result->status) || j->result->state == SHARC_FETCH_ABORTED;
    const bool list = j->task.kind == TASK_LIST || (j->task.kind == TASK_LOOK && !j->task.of_strategy);
    if (list && s->agenda.plan.started && !pause) return false;
    return sharc__crawl_passing_trouble(&s->reach, j);
}

static void apply_as_it_is(struct site *s, struct job *j, const struct written *w)
{
    if (sharc__crawl_brought_nothing(j))
        apply_nothing(s, j);
    else if (task_is_preparation(&j->task))
        apply_preparation(s, j);
    else if (task_is_visit(&j->task))
        apply_visit(s, j, w);
    else if (j->task.kind == TASK_LOOK)
        apply_look(s, j, w);
    else if (j->task.kind == TASK_CONTROL && j->task.step == CONTROL_AUDIT)
        sharc__crawl_audited(s, j);
    else if (j->task.kind == TASK_CONTROL)
        sharc__crawl_controls_made(&s->controls, j, w);
    else
        apply_revisit(s, j, w, j->made.verdict.change);
}

/* Two control downloads are a pair when the second follows at once, that is after the pause that politeness asks for.
 */
static void set_step(const struct site *s, struct job *j)
{
    const struct sharc_crawl *c = s->crawl;
    const struct group *g = &c->hosts.group[c->hosts.host[j->task.host].group];
    const struct sharc_crawl_pace pace = sharc__crawl_pace_at(s, c->hosts.host[j->task.host].group);
    sharc_time pause = pace.delay > pace.delay_most ? pace.delay : pace.delay_most;
    if (g->crawl_delay > pause) pause = g->crawl_delay;
    sharc__crawl_controls_step(&s->controls, &j->task, j->result->start, SHARC_MINUTE + 2 * pause);
}

/* Very many links are followed before anything else is made of the page, some at a time. Killed in between, the page
 * is still to be fetched: its links are found again then. True: there are more. */
static bool follow_ahead(struct site *s, struct job *j)
{
    const bool content = is_content(j->made.answer);
    if (!s->crawl->jobs.pool || j->made.page.link_count <= LINKS_AT_ONCE || sharc__crawl_is_list(j)) return false;
    if (!j->made.extracted || !task_is_visit(&j->task) || sharc__crawl_brought_nothing(j)) return false;
    if (!content && !j->made.not_found) return false;
    if (content && j->followed == 0) sharc__crawl_pages_set_rate(&s->pages, j->task.page, j->rate);
    follow_some(s, j, LINKS_AT_ONCE);
    return j->followed < j->made.page.link_count;
}

int sharc__crawl_apply(struct job *j, struct sharc_err *reterr)
{
    struct site *s = j->site;
    struct written w = {0};
    const bool goes_on = j->followed > 0 && j->result->state != SHARC_FETCH_ABORTED;
    if (goes_on && follow_ahead(s, j)) return 1;
    sharc__crawl_pages_mark(&s->pages, j->task.page, PAGE_UNDER_WAY, false);
    if (j->result->state == SHARC_FETCH_UNWANTED) {
        apply_unwanted(s, j);
        return 0;
    }
    count_download(s, j);
    if (!goes_on && will_be_tried_again(s, j)) {
        sharc__crawl_log_fetch(&s->capture, j, NULL, "again");
        return 0;
    }
    /* Where pages are revisited it stays a page until the revisit has shown the same. */
    j->made.not_found = !task_is_preparation(&j->task) && sharc__crawl_is_soft404(&s->sources, j);
    bool soft404 = task_is_visit(&j->task) && j->made.not_found;
    if (soft404 && !s->agenda.plan.ops->revisits) j->made.answer = SHARC_ANSWER_GONE;
    if (!goes_on) estimate(s, j);
    if (!goes_on && follow_ahead(s, j)) {
        sharc__crawl_pages_mark(&s->pages, j->task.page, PAGE_UNDER_WAY, true);
        return 1;
    }
    if (j->task.kind == TASK_CONTROL) set_step(s, j);
    int r = sharc__crawl_record(&s->capture, j, &w, reterr);
    if (r < 0) return r;
    apply_as_it_is(s, j, &w);
    sharc__crawl_log_fetch(&s->capture, j, &w, soft404 ? "soft404" : NULL);
    return w.any ? sharc__crawl_rows_page(&s->capture, j, &w, reterr) : 0;
}
