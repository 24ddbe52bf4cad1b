/* SPDX-License-Identifier: Apache-2.0
 *
 * A processed download becomes knowledge: record, version, links, observation,
 * rows, a line in the log. In the order in which downloads ended.
 *
 *   trouble that may pass ──> again, later; a site that cannot be reached at all
 *                             is suspended
 *   anything else ──────────> recorded; the strategy hears what it showed
 */
#include "crawl_int.h"

#include <math.h>
#include <stdlib.h>

/* --- versions --------------------------------------------------------------------- */

static void read_uuid(const char *text, uint8_t out[16])
{
    size_t n = 0;
    const char *p = strstr(text, "uuid:");
    for (p = p ? p + 5 : text; *p && n < 32; p++) {
        int v = sharc_hex_value(*p);
        if (v < 0) continue;
        out[n / 2] = (uint8_t)(n % 2 ? out[n / 2] | v : v << 4);
        n++;
    }
}

/* What the next download of the page is compared with. */
static void keep_version(struct job *j, const struct written *w)
{
    struct site *s = j->site;
    const struct sharc_http *h = &j->result->http;
    struct seen *v = sharc__crawl_pages_see(&s->pages, j->task.page);
    struct sharc_span etag = sharc_http_get(h, "ETag");
    if (etag.n && etag.n < 1024)
        v->etag = sharc_intern_add(s->etags, etag, NULL);
    else if (j->answer != SHARC_ANSWER_NOT_MODIFIED)
        v->etag = SHARC_NO_ID;
    if (j->modified != SHARC_TIME_NONE || j->answer != SHARC_ANSWER_NOT_MODIFIED) v->modified = j->modified;
    sharc__crawl_looked(v, j, v->visit);
    v->visit = j->result->start;
    v->status = (int16_t)(j->answer == SHARC_ANSWER_NOT_MODIFIED ? 200 : j->result->status);
    v->answer = (uint8_t)(j->answer == SHARC_ANSWER_NOT_MODIFIED ? SHARC_ANSWER_CONTENT : j->answer);
    if (j->answer == SHARC_ANSWER_NOT_MODIFIED) return;
    struct sharc_digest d = j->digest;
    if (j->answer == SHARC_ANSWER_REDIRECT) sharc_digest_of(SHARC_SHA256, sharc_buf_span(&j->location), &d);
    v->has_digest = d.n == sizeof v->digest;
    if (v->has_digest) memcpy(v->digest, d.bytes, sizeof v->digest);
    v->size = (uint32_t)(j->size < UINT32_MAX ? j->size : UINT32_MAX);
    if (!w->any || w->revisit) {
        if (j->before_id[0]) read_uuid(j->before_id, v->id);
        return;
    }
    v->date = j->result->start;
    v->file = sharc__crawl_file(s->crawl, w->places.response.file);
    v->offset = w->places.response.offset;
    read_uuid(w->places.response.id, v->id);
}

/* --- links ------------------------------------------------------------------------- */

static void follow_link(struct job *j, const struct sharc_link *l)
{
    struct site *s = j->site;
    struct finding f = {.url = l->url, .via = j->task.page, .hop = 'L', .modified = SHARC_TIME_NONE, .priority = -1};
    bool guess = (l->flags & SHARC_LINK_SPECULATIVE) != 0;
    if (l->kind == SHARC_LINK_EMBED) {
        if (s->crawl->o.no_embeds) return;
        f.embed = true;
        f.hop = guess ? 'X' : 'E';
    } else if (l->kind == SHARC_LINK_REDIRECT) {
        f.hop = 'R';
    } else if (l->place == SHARC_FROM_FORM || l->place == SHARC_FROM_FORM_BUTTON) {
        f.hop = 'S';
    }
    sharc__crawl_found(s, &f);
}

static void follow_links(struct job *j)
{
    struct site *s = j->site;
    if (j->answer == SHARC_ANSWER_REDIRECT) {
        struct finding f = {.url = sharc_buf_span(&j->location),
                            .via = j->task.page,
                            .hop = 'R',
                            .modified = SHARC_TIME_NONE,
                            .priority = -1};
        sharc__crawl_found(s, &f);
    }
    if (!j->extracted) return;
    if (sharc__crawl_is_list(j)) sharc__crawl_list(j);
    for (size_t i = 0; i < j->page.link_count; i++)
        if (!(j->page.links[i].flags & SHARC_LINK_REPEATED)) follow_link(j, &j->page.links[i]);
}

/* --- kinds of downloads --------------------------------------------------------------- */

static void observe(struct job *j, enum sharc_change_class change, double rate)
{
    struct site *s = j->site;
    if (!j->task.told) return;
    struct sharc_observation o = {.page = j->task.page,
                                  .when = j->result->start,
                                  .change = change,
                                  .rate = rate < 0 ? -1 : rate * s->slot_seconds};
    if (sharc_change_counts(change)) o.importance = j->importance;
    sharc__crawl_j_observed(s, &o);
}

static void mark_pause(struct site *s, const struct job *j)
{
    sharc_time limit = s->crawl->o.interruption ? s->crawl->o.interruption : 10 * SHARC_MINUTE;
    sharc_time gap = s->last_visit == SHARC_TIME_NONE ? 0 : j->result->start - s->last_visit;
    if (gap > limit + 2 * s->crawl->o.pace.delay) s->interrupted += gap;
    s->last_visit = j->result->end;
}

static bool is_content(enum sharc_change_answer a)
{
    return a == SHARC_ANSWER_CONTENT || a == SHARC_ANSWER_REDIRECT || a == SHARC_ANSWER_NOT_MODIFIED;
}

static bool looks_gone(const struct job *j)
{
    const struct site *s = j->site;
    return s->has_soft404 && j->answer == SHARC_ANSWER_CONTENT && j->has_minhash && j->page.type == SHARC_PAGE_HTML &&
           sharc_change_minhash_alike(s->soft404, j->minhash, SHARC_CHANGE_MINHASH) >= SHARC_CHANGE_ALIKE;
}

/* A site that shows its front page for everything, as applications that are built in
 * the browser do, says nothing with it about what is there. */
static bool soft404(const struct job *j)
{
    struct site *s = j->site;
    if (!looks_gone(j)) return false;
    if (!(s->pages.page[j->task.page].flags & (PAGE_SEED | PAGE_MOVED_SEED))) return true;
    s->has_soft404 = false;
    memset(s->soft404, 0, sizeof s->soft404);
    sharc__crawl_j_soft404(s);
    return false;
}

/* The rate of the page before and after, for the records and rows that tell of it. */
static void estimate(struct job *j)
{
    bool learns = j->task.kind >= TASK_VISIT && j->task.kind != TASK_REVISIT && is_content(j->answer);
    j->planned_rate = (double)j->site->pages.page[j->task.page].rate;
    j->rate = learns ? sharc__crawl_rate_seen(j->site, j) : (double)NAN;
}

static void apply_visit(struct job *j, const struct written *w)
{
    struct site *s = j->site;
    uint32_t page = j->task.page;
    bool counted = !s->visits_over;
    mark_pause(s, j);
    s->pages.page[page].state = PAGE_DONE;
    if (j->task.kind == TASK_VISIT) s->count.visits++;
    keep_version(j, w);
    if (j->compare && j->answer == SHARC_ANSWER_NOT_MODIFIED) s->count.not_modified++;
    if (j->compare && j->identical) s->count.identical++;
    if (!is_content(j->answer)) {
        bool gone = j->answer == SHARC_ANSWER_GONE;
        if (gone)
            s->count.gone++;
        else
            s->count.failed++;
        sharc__crawl_j_page(s, page);
        sharc__crawl_j_seen(s, page);
        observe(j, gone ? SHARC_MISSING : SHARC_FAILED, -1);
        return;
    }
    s->pages.page[page].rate = (float)j->rate;
    sharc__crawl_j_page(s, page);
    sharc__crawl_j_seen(s, page);
    if (counted) s->last_download = page;
    follow_links(j);
    sharc__crawl_note_canonical(j);
    observe(j, SHARC_NEW, j->rate);
}

static void apply_look(struct job *j, const struct written *w)
{
    struct site *s = j->site;
    s->count.looks++;
    if (is_content(j->answer)) {
        keep_version(j, w);
        s->last_download = j->task.page;
        sharc__crawl_j_seen(s, j->task.page);
    }
    s->last_visit = j->result->end;
    observe(j, j->verdict.change, isnan(j->rate) ? -1 : j->rate);
}

static void apply_revisit(struct job *j)
{
    struct site *s = j->site;
    struct seen *v = sharc__crawl_pages_see(&s->pages, j->task.page);
    if (v->revisited && !sharc_change_counts((enum sharc_change_class)v->change)) s->count.coherent--;
    sharc__crawl_looked(v, j, v->visit);
    v->revisit = j->result->start;
    v->revisited = true;
    v->change = (uint8_t)j->verdict.change;
    s->count.revisits++;
    if (j->answer == SHARC_ANSWER_NOT_MODIFIED)
        s->count.not_modified++;
    else if (j->identical)
        s->count.identical++;
    if (!sharc_change_counts(j->verdict.change)) s->count.coherent++;
    sharc__crawl_j_seen(s, j->task.page);
    observe(j, j->verdict.change, -1);
}

static void apply_errand(struct job *j)
{
    struct site *s = j->site;
    s->pages.page[j->task.page].state = PAGE_DONE;
    sharc__crawl_j_page(s, j->task.page);
    if (j->task.kind == TASK_ROBOTS) {
        sharc__crawl_robots(j);
    } else if (j->task.kind == TASK_PROBE) {
        s->has_soft404 = j->answer == SHARC_ANSWER_CONTENT && j->has_minhash;
        if (s->has_soft404) {
            memcpy(s->soft404, j->minhash, sizeof s->soft404);
            sharc__crawl_j_soft404(s);
        }
    } else if (j->answer == SHARC_ANSWER_REDIRECT) {
        sharc__crawl_manifest(s, sharc_buf_span(&j->location), j->task.page);
    } else if (j->answer == SHARC_ANSWER_CONTENT) {
        sharc__crawl_list(j);
    }
}

/* A page that could not be had at all. */
static void apply_nothing(struct job *j)
{
    struct site *s = j->site;
    const struct sharc_fetch_result *r = j->result;
    enum sharc_crawl_reason why = r->state == SHARC_FETCH_PRIVATE   ? SHARC_SKIP_PRIVATE
                                  : r->state == SHARC_FETCH_BAD_URL ? SHARC_SKIP_BAD_URL
                                  : sharc_backoff_wanted(r->status) ? SHARC_SKIP_BUSY
                                                                    : SHARC_SKIP_FAILED;
    s->count.failed++;
    if (j->task.kind == TASK_VISIT || j->task.kind == TASK_EMBED) {
        s->pages.page[j->task.page].state = PAGE_DONE;
        s->pages.page[j->task.page].reason = (uint8_t)why;
        sharc__crawl_j_page(s, j->task.page);
        sharc__crawl_rows_skip(s, j->task.page, why,
                               sharc_span_of(r->text[0] ? r->text : sharc_crawl_reason_text(why)));
        observe(j, SHARC_FAILED, -1);
    } else if (j->task.kind == TASK_REVISIT) {
        j->verdict.change = SHARC_FAILED;
        apply_revisit(j);
    } else if (j->task.kind == TASK_LOOK) {
        observe(j, SHARC_FAILED, -1);
    } else {
        apply_errand(j);
    }
}

static void count_download(struct job *j)
{
    struct site *s = j->site;
    const struct sharc_fetch_result *r = j->result;
    s->count.downloads++;
    s->answered = s->answered || r->status;
    s->count.bytes += sharc_spool_size(&r->body);
    if (s->first == SHARC_TIME_NONE) s->first = r->start;
    s->last = r->end;
    s->dirty = true;
}

int sharc__crawl_apply(struct job *j, struct sharc_err *reterr)
{
    struct written w = {0};
    const char *note = NULL;
    if (j->result->state == SHARC_FETCH_UNWANTED) {
        sharc__crawl_unwanted(j);
        return 0;
    }
    if (!j->counted) count_download(j);
    j->counted = true;
    bool again = j->task.kind == TASK_ROBOTS && j->result->status ? false : sharc__crawl_passing_trouble(j);
    if (again) {
        sharc__crawl_log_fetch(j, NULL, "again");
        return 0;
    }
    bool nothing = j->result->status == 0 || j->result->head.n == 0 || sharc_backoff_wanted(j->result->status);
    if ((j->task.kind == TASK_VISIT || j->task.kind == TASK_EMBED) && soft404(j)) {
        j->answer = SHARC_ANSWER_GONE;
        note = "soft404";
    }
    estimate(j);
    int r = sharc__crawl_record(j, &w, reterr);
    if (r < 0) return r;
    if (nothing) {
        apply_nothing(j);
    } else if (j->task.kind < TASK_VISIT) {
        apply_errand(j);
    } else {
        if (j->task.kind == TASK_REVISIT)
            apply_revisit(j);
        else if (j->task.kind == TASK_LOOK)
            apply_look(j, &w);
        else
            apply_visit(j, &w);
    }
    sharc__crawl_log_fetch(j, &w, note);
    return w.any ? sharc__crawl_rows_page(j, &w, reterr) : 0;
}
