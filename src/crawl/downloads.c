/* SPDX-License-Identifier: Apache-2.0
 *
 * Downloads: started by the loop, ended by the fetcher, processed by the pool, and kept
 * until the loop applies them: those of one site in the order in which they ended.
 *
 *   start ──> fetcher ──> ended ──> pool ──> done ──> applied ──> spare
 *
 * A large page must not make others wait. So the pool is given few of them at a time, and
 * only while there is memory for what is made of them; until then they wait as they came,
 * which for large ones is in a file.
 */
#include "engine.h"

#include "sharc/base_file.h"
#include "sharc/warc_own.h"

#include <stdlib.h>

enum { FIELDS = 3, ATTEST_ABOVE = 10 << 20 }; /* fields of a request; bytes */
#define LIGHT_MOST ((uint64_t)8 << 20)        /* bytes */
enum { SPARE_JOBS = 32, HEAVY_FROM = 256 << 10, MADE_OF_A_BYTE = 5, UNPACKED = 8 };

/* Of thousands of sites each may have a download under way; memory for processing is lent only from when its turn in
 * the pool comes until it has been applied. */
static void lend(struct jobs *jobs, struct job *j)
{
    struct job *spare = jobs->spare;
    if (!spare) return;
    jobs->spare = spare->next; /* clear since it was put there */
    jobs->spares--;
    sharc__crawl_job_lend(j, spare);
    sharc__crawl_job_free(spare);
}

/* --- starting ------------------------------------------------------------------------ */

/* Which validators may be sent instead of downloading. */
enum { BY_NONE = 0, BY_STRONG_ETAG = 1, BY_STRONG_DATE = 2, BY_ANY = 7 };

/* A capture that is to prove something downloads every page in full, at the visit and at the revisit: 304 is the
 * server's word. Where that is asked for, or the body is large, only validators that attest something are sent, and
 * only by revisits: visits would archive the same old body again and again, and a second look takes the place of the
 * visit. */
static unsigned validators(const struct site *s, const struct job *j, const struct version *v)
{
    const struct sharc_crawl_options *o = &s->crawl->ctx.o;
    const uint64_t large = o->attest_above ? o->attest_above : ATTEST_ABOVE;
    if (v->answer != SHARC_ANSWER_CONTENT || v->status != 200 || !v->has_digest) return BY_NONE;
    if (!s->agenda.plan.ops->revisits) return BY_ANY;
    if (j->task.kind != TASK_REVISIT || s->count.lies) return BY_NONE;
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
    struct job *j = sharc__crawl_job_new();
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
                                      .alone = s->agenda.plan.ops->revisits && j->task.kind > TASK_EMBED,
                                      .user = j};
    if ((o->types_count || o->not_types_count) && task_is_visit(&j->task)) req.wanted = type_wanted;
    int r = sharc_fetcher_submit(c->ctx.w.fetcher, &req, reterr);
    if (r < 0)
        sharc__crawl_job_free(j);
    else
        sharc__crawl_group_began(&c->hosts.group[s->group], s->number);
    return r;
}

/* --- queues ------------------------------------------------------------------------------ */

static void push(struct job_queue *q, struct job *j)
{
    j->next = NULL;
    if (q->tail)
        q->tail->next = j;
    else
        q->head = j;
    q->tail = j;
}

static struct job *shift(struct job_queue *q)
{
    struct job *j = q->head;
    if (!j) return NULL;
    q->head = j->next;
    if (!q->head) q->tail = NULL;
    j->next = NULL;
    return j;
}

/* --- ended, processed ------------------------------------------------------------------- */

/* About what its links and text will take: nobody knows before. */
static uint64_t weight_of(const struct sharc_fetch_result *r)
{
    uint64_t size = sharc_spool_size(&r->body);
    if (sharc_http_get(&r->http, "Content-Encoding").n) size *= UNPACKED;
    return size * MADE_OF_A_BYTE;
}

static bool is_heavy(const struct job *j)
{
    return j->weight >= (uint64_t)HEAVY_FROM * MADE_OF_A_BYTE;
}

/* What its kind takes together, between pool and application. */
static uint64_t *held_of(struct jobs *jobs, const struct job *j)
{
    return is_heavy(j) ? &jobs->held : &jobs->held_light;
}

static void process(struct job *j)
{
    sharc__crawl_process(j);
    sharc__crawl_pack(&j->site->capture, j);
}

static void work(void *arg)
{
    struct job *j = arg;
    struct sharc_crawl *c = j->site->crawl;
    process(j);
    j->next = atomic_load(&c->jobs.done);
    while (!atomic_compare_exchange_weak(&c->jobs.done, &j->next, j)) continue;
    /* j may be gone; the loop is woken once, however many are done. */
    if (atomic_exchange(&c->jobs.asleep, false)) sharc_fetcher_wake(c->ctx.w.fetcher);
}

/* The first of a site is processed: it can be applied. */
static void is_ready(struct jobs *jobs, struct job *j)
{
    push(j->made.page.link_count > LINKS_ORDINARY && jobs->pool ? &jobs->long_ones : &jobs->ready, j);
}

static void processed(struct jobs *jobs, struct job *j)
{
    j->processed = true;
    if (j->site->first_job == j) is_ready(jobs, j);
}

void sharc__crawl_download_ended(struct sharc_crawl *c, struct sharc_fetch_result *result)
{
    struct job *j = result->user;
    struct jobs *jobs = &c->jobs;
    struct site *s = j->site;
    j->result = result;
    sharc__crawl_agenda_ended(&s->agenda);
    if (s->last_job)
        s->last_job->behind = j;
    else
        s->first_job = j;
    s->last_job = j;
    jobs->waiting++;
    sharc__crawl_pack_begin(&s->capture, j);
    if (jobs->pool) {
        j->weight = weight_of(result);
        push(is_heavy(j) ? &jobs->heavy : &jobs->light, j);
    } else {
        lend(jobs, j);
        process(j);
        processed(jobs, j);
    }
}

static void hand_over(struct jobs *jobs, struct job *j)
{
    jobs->in_pool++;
    jobs->heavy_in_pool += is_heavy(j);
    *held_of(jobs, j) += j->weight;
    lend(jobs, j);
    sharc_pool_submit(jobs->pool, work, j);
}

/* Submitting blocks at four tasks a thread: less is handed over. Large pages get half of the threads. Those of
 * thousands of sites may come in one second, and what is made of a page takes several times its size: of the others,
 * too, only as much is made as can soon be applied. They are handed over in the order in which they came, and large
 * ones whatever others take: the first one of a site, which those behind it wait for, always comes. */
static void feed_pool(struct jobs *jobs)
{
    const unsigned threads = sharc_pool_threads(jobs->pool);
    while (jobs->light.head && jobs->in_pool < 3 * threads &&
           (jobs->held_light == 0 || jobs->held_light + jobs->light.head->weight <= LIGHT_MOST))
        hand_over(jobs, shift(&jobs->light));
    while (jobs->heavy.head && jobs->in_pool < 3 * threads && jobs->heavy_in_pool < (threads + 1) / 2 &&
           (jobs->held == 0 || jobs->held + jobs->heavy.head->weight <= jobs->budget))
        hand_over(jobs, shift(&jobs->heavy));
}

static struct job *in_order(struct job *last)
{
    struct job *first = NULL;
    while (last) {
        struct job *before = last->next;
        last->next = first;
        first = last;
        last = before;
    }
    return first;
}

void sharc__crawl_jobs_move(struct sharc_crawl *c)
{
    struct jobs *jobs = &c->jobs;
    if (!jobs->pool) return;
    struct job *j = in_order(atomic_exchange(&jobs->done, NULL));
    while (j) {
        struct job *next = j->next;
        jobs->in_pool--;
        jobs->heavy_in_pool -= is_heavy(j);
        processed(jobs, j);
        j = next;
    }
    feed_pool(jobs);
}

struct job *sharc__crawl_next_ready(const struct sharc_crawl *c, bool long_ones)
{
    return long_ones ? c->jobs.long_ones.head : c->jobs.ready.head;
}

bool sharc__crawl_jobs_sleep(struct sharc_crawl *c, bool asleep)
{
    atomic_store(&c->jobs.asleep, asleep);
    return !asleep || !atomic_load(&c->jobs.done);
}

static void to_spare(struct jobs *jobs, struct job *j)
{
    if (jobs->spares >= SPARE_JOBS) {
        sharc__crawl_job_free(j);
        return;
    }
    sharc__crawl_job_clear(j);
    j->next = jobs->spare;
    jobs->spare = j;
    jobs->spares++;
}

void sharc__crawl_job_applied(struct sharc_crawl *c, struct job *j)
{
    struct jobs *jobs = &c->jobs;
    struct site *s = j->site;
    (void)shift(jobs->ready.head == j ? &jobs->ready : &jobs->long_ones);
    s->first_job = j->behind;
    if (!s->first_job) s->last_job = NULL;
    jobs->waiting--;
    *held_of(jobs, j) -= j->weight;
    sharc__crawl_agenda_applied(&s->agenda);
    to_spare(jobs, j);
    if (s->first_job && s->first_job->processed) is_ready(jobs, s->first_job);
}

/* As if it had been aborted a moment earlier: the page is still to be fetched. */
static void give_back(struct job *j)
{
    j->result->state = SHARC_FETCH_ABORTED;
    j->made.page.link_count = 0;
}

static void give_back_all(struct jobs *jobs, struct job_queue *q)
{
    struct job *j;
    while ((j = shift(q)) != NULL) {
        *held_of(jobs, j) += j->weight; /* job_applied takes it off */
        give_back(j);
        processed(jobs, j);
    }
}

/* Ordinary pages, too: those of thousands of sites may wait here. */
void sharc__crawl_jobs_give_back(struct sharc_crawl *c)
{
    struct jobs *jobs = &c->jobs;
    struct job *j;
    while ((j = shift(&jobs->long_ones)) != NULL) {
        give_back(j);
        push(&jobs->ready, j);
    }
    give_back_all(jobs, &jobs->heavy);
    give_back_all(jobs, &jobs->light);
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

/* Ended and not applied: each site knows its own. */
static void free_waiting(struct site *s)
{
    while (s->first_job) {
        struct job *j = s->first_job;
        s->first_job = j->behind;
        sharc__crawl_job_free(j);
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
    for (size_t i = 0; i < c->sites; i++) free_waiting(c->site[i]);
    free_jobs(c->jobs.spare);
}
