/* SPDX-License-Identifier: Apache-2.0
 *
 * Downloads: started by the loop, ended by the fetcher, processed by the pool, and kept
 * in the order in which they ended until the loop applies them.
 *
 *   start ──> fetcher ──> ended ──> pool ──> done ──> applied ──> spare
 */
#include "engine.h"

#include "sharc/base_file.h"
#include "sharc/warc_own.h"

#include <stdlib.h>

enum { FIELDS = 3, ATTEST_ABOVE = 10 << 20 }; /* fields of a request; bytes */

static struct job *new_job(struct jobs *jobs)
{
    struct job *j = jobs->spare;
    if (!j) return sharc__crawl_job_new();
    jobs->spare = j->next; /* clear since it was put there */
    j->next = NULL;
    return j;
}

/* --- starting ------------------------------------------------------------------------ */

/* Which validators may be sent instead of downloading. */
enum { BY_NONE = 0, BY_STRONG_ETAG = 1, BY_STRONG_DATE = 2, BY_ANY = 7 };

/* A capture that is to prove something downloads every page in full, at the visit and at the revisit: 304 is the
 * server's word. Where that is asked for, or the body is large, only validators that attest something are sent, and
 * only by revisits: visits would archive the same old body again and again. */
static unsigned validators(const struct site *s, const struct job *j, const struct version *v)
{
    const struct sharc_crawl_options *o = &s->crawl->ctx.o;
    const uint64_t large = o->attest_above ? o->attest_above : ATTEST_ABOVE;
    if (v->answer != SHARC_ANSWER_CONTENT || v->status != 200 || !v->has_digest) return BY_NONE;
    if (!s->agenda.plan.ops->revisits) return BY_ANY;
    if (task_is_visit(&j->task) || s->count.lies) return BY_NONE;
    if (o->proof == SHARC_PROOF_ATTESTED) return BY_STRONG_ETAG | BY_STRONG_DATE;
    return v->size > large ? BY_STRONG_ETAG : BY_NONE;
}

/* Hand the version before to the job, and ask only for a newer one. */
static size_t conditions(struct site *s, struct job *j, struct sharc_http_field fields[FIELDS],
                         char date[SHARC_TIME_TEXT])
{
    static const uint8_t no_id[16];
    const struct output *o = &s->crawl->out;
    const struct version *v = page_version(&s->pages, j->task.page);
    size_t n = 0;
    if (!v || v->status == 0) return 0;
    j->in.before = *v;
    j->in.compare = true;
    if (memcmp(v->id, no_id, sizeof no_id) != 0) sharc_warc_id_text(v->id, j->in.before_id);
    if (v->file != SHARC_NO_ID) j->in.before_file = sharc_path_join(o->warc_dir, sharc__crawl_file_name(o, v->file).p);
    const unsigned by = validators(s, j, v);
    struct sharc_span etag = v->etag == SHARC_NO_ID ? SHARC_SPAN_NONE : sharc_intern_text(s->pages.etags, v->etag);
    if (etag.n && (by == BY_ANY || ((by & BY_STRONG_ETAG) && !sharc__crawl_etag_is_weak(etag)))) {
        fields[n++] = (struct sharc_http_field){SHARC_SPAN("If-None-Match"), etag};
        j->in.etag = etag.p;
    }
    bool dated = by == BY_ANY || ((by & BY_STRONG_DATE) && n == 0 && (v->marks & VERSION_OLD_DATE));
    if (v->modified != SHARC_TIME_NONE && dated)
        fields[n++] = (struct sharc_http_field){SHARC_SPAN("If-Modified-Since"),
                                                sharc_span_of(sharc_http_date_text(v->modified, date))};
    j->in.conditional = n > 0;
    return n;
}

/* A list that is read again. */
static size_t list_conditions(struct site *s, struct job *j, struct sharc_http_field fields[FIELDS],
                              char date[SHARC_TIME_TEXT])
{
    const struct heard_list *l = j->task.kind == TASK_LIST ? sharc__crawl_heard_list_of(&s->heard, j->task.page) : NULL;
    size_t n = 0;
    if (!l) return 0;
    if (l->etag != SHARC_NO_ID)
        fields[n++] =
            (struct sharc_http_field){SHARC_SPAN("If-None-Match"), sharc_intern_text(s->pages.etags, l->etag)};
    if (l->modified != SHARC_TIME_NONE)
        fields[n++] = (struct sharc_http_field){SHARC_SPAN("If-Modified-Since"),
                                                sharc_span_of(sharc_http_date_text(l->modified, date))};
    j->in.conditional = n > 0;
    return n;
}

static bool type_wanted(void *job, const struct sharc_fetch_result *r)
{
    const struct job *j = job;
    return sharc__crawl_type_wanted(&j->site->crawl->ctx, r);
}

int sharc__crawl_start_download(struct site *s, struct sharc_err *reterr)
{
    struct sharc_crawl *c = s->crawl;
    const struct sharc_crawl_options *o = &c->ctx.o;
    struct sharc_http_field fields[FIELDS];
    char date[SHARC_TIME_TEXT];
    struct job *j = new_job(&c->jobs);
    j->site = s;
    j->task = sharc__crawl_agenda_begin(&s->agenda);
    j->in.change_options = &c->jobs.change;
    bool page = !task_is_preparation(&j->task) && j->task.kind != TASK_CONTROL; /* which is never conditional */
    j->in.want_links = task_is_visit(&j->task);
    j->in.want_text = page ? !o->no_features || s->sources.has_soft404 : j->task.kind == TASK_PROBE;
    j->in.bare = j->task.kind == TASK_CONTROL;
    j->in.want_guesses = o->guesses;
    struct sharc_span url = page_url(&s->pages, j->task.page);
    (void)sharc_url_parse(&j->in.url, url, NULL, NULL);
    size_t n = page ? conditions(s, j, fields, date) : list_conditions(s, j, fields, date);
    /* A cache that answers without asking the server would prove the cache. */
    if (s->agenda.plan.ops->revisits)
        fields[n++] = (struct sharc_http_field){SHARC_SPAN("Cache-Control"), SHARC_SPAN("no-cache")};
    struct sharc_fetch_request req = {.url = url,
                                      .fields = fields,
                                      .fields_count = n,
                                      .max_body = j->task.kind == TASK_ROBOTS ? SHARC_ROBOTS_BYTES : o->max_body,
                                      .allow_private = o->allow_private,
                                      .user = j};
    if ((o->types_count || o->not_types_count) && task_is_visit(&j->task)) req.wanted = type_wanted;
    int r = sharc_fetcher_submit(c->ctx.w.fetcher, &req, reterr);
    if (r < 0)
        sharc__crawl_job_free(j);
    else
        sharc__crawl_group_began(&c->hosts.group[s->group], s->number);
    return r;
}

/* --- ended, processed ------------------------------------------------------------------- */

static void process(struct job *j)
{
    sharc__crawl_process(j);
    sharc__crawl_pack(&j->site->capture, j);
    atomic_store(&j->done, true);
}

/* Jobs are applied in order: the loop is woken for the one that it waits for, and not
 * for those behind it. */
static void work(void *arg)
{
    struct job *j = arg;
    struct sharc_crawl *c = j->site->crawl;
    process(j);
    if (atomic_load(&c->jobs.awaited) == j) /* j may be gone: only its address counts */
        sharc_fetcher_wake(c->ctx.w.fetcher);
}

void sharc__crawl_download_ended(struct sharc_crawl *c, struct sharc_fetch_result *result)
{
    struct job *j = result->user;
    struct jobs *jobs = &c->jobs;
    j->result = result;
    sharc__crawl_agenda_ended(&j->site->agenda);
    j->next = NULL;
    if (jobs->tail)
        jobs->tail->next = j;
    else
        jobs->head = j;
    jobs->tail = j;
    jobs->waiting++;
    atomic_store(&j->done, false);
    sharc__crawl_pack_begin(&j->site->capture, j);
    if (jobs->pool)
        sharc_pool_submit(jobs->pool, work, j);
    else
        process(j);
}

struct job *sharc__crawl_first_done(const struct sharc_crawl *c)
{
    return c->jobs.head && atomic_load(&c->jobs.head->done) ? c->jobs.head : NULL;
}

void sharc__crawl_await_first(struct sharc_crawl *c, bool asleep)
{
    atomic_store(&c->jobs.awaited, asleep ? c->jobs.head : NULL);
}

void sharc__crawl_job_applied(struct sharc_crawl *c)
{
    struct jobs *jobs = &c->jobs;
    struct job *j = jobs->head;
    jobs->head = j->next;
    if (!jobs->head) jobs->tail = NULL;
    jobs->waiting--;
    sharc__crawl_agenda_applied(&j->site->agenda);
    sharc__crawl_job_clear(j);
    j->next = jobs->spare;
    jobs->spare = j;
}

/* --- the end ------------------------------------------------------------------------------- */

static void free_jobs(struct job *j)
{
    while (j) {
        struct job *next = j->next;
        sharc__crawl_job_free(j);
        j = next;
    }
}

/* Downloads whose results nobody took: their jobs are known to the fetcher only. */
static void drop_pending(struct sharc_fetcher *f)
{
    struct sharc_fetch_result *result;
    if (sharc_fetcher_pending(f) == 0) return;
    sharc_fetcher_abort(f);
    while (sharc_fetcher_pending(f) > 0 && sharc_fetcher_wait(f, SHARC_TIME_NONE, NULL, &result, NULL) > 0) {
        struct job *j = result->user;
        j->result = result;
        sharc__crawl_job_free(j);
    }
}

void sharc__crawl_drop_jobs(struct sharc_crawl *c)
{
    if (c->sites) drop_pending(c->ctx.w.fetcher);
    sharc_pool_free(c->jobs.pool);
    free_jobs(c->jobs.head);
    free_jobs(c->jobs.spare);
}
