/* SPDX-License-Identifier: Apache-2.0
 *
 * Downloads of single pages: whether they may begin, and with which conditions.
 */
#include "looks_int.h"

#include "sharc/base_file.h"
#include "sharc/warc_own.h"

#include <stdlib.h>

struct group *sharc__looks_group(struct sharc_looks *l, uint32_t host)
{
    return &l->hosts.group[l->hosts.host[host].group];
}

struct sharc_crawl_pace sharc__looks_pace(const struct sharc_looks *l, uint32_t host)
{
    const struct sharc_crawl_pace *pace = &l->ctx.o.pace;
    return sharc__crawl_group_pace(&l->hosts.group[l->hosts.host[host].group], pace, pace);
}

sharc_time sharc_looks_due(const struct sharc_looks *l, uint32_t page)
{
    const struct group *g = &l->hosts.group[l->hosts.host[l->known[page].host].group];
    if (g->busy > 0) return INT64_MAX;
    sharc_time due = sharc__crawl_group_due(g);
    if (due == SHARC_TIME_NONE) due = 0;
    return due > g->others ? due : g->others;
}

/* --- robots.txt ----------------------------------------------------------------------- */

static bool robots_are_known(const struct sharc_looks *l, uint32_t host)
{
    const struct host *h = &l->hosts.host[host];
    return h->robots == ROBOTS_KNOWN && (h->expires == SHARC_TIME_NONE || h->expires > crawl_now(&l->ctx));
}

static uint32_t robots_page(struct sharc_looks *l, uint32_t host, uint32_t site)
{
    SHARC_GROW(l->robots_at, l->robots_room, (size_t)host + 1);
    while (l->robots_count <= host) l->robots_at[l->robots_count++] = NULL;
    SHARC_AUTO(sharc_freep) char *usual = sharc_asprintf("%s/robots.txt", l->hosts.host[host].origin);
    uint32_t page = sharc_looks_page(l, site, sharc_span_of(l->robots_at[host] ? l->robots_at[host] : usual), NULL);
    sharc__crawl_pages_mark(&l->pages, page, PAGE_PREPARATION, true);
    return page;
}

/* --- conditions ----------------------------------------------------------------------- */

enum { FIELDS = 3 };

/* Hand the version before to the job, and ask only for a newer one. */
static size_t conditions(struct sharc_looks *l, struct job *j, struct sharc_http_field fields[FIELDS],
                         char date[SHARC_TIME_TEXT])
{
    static const uint8_t no_id[16];
    const struct version *v = page_version(&l->pages, j->task.page);
    size_t n = 0;
    if (!v || v->status == 0) return 0;
    j->in.before = *v;
    j->in.compare = true;
    if (memcmp(v->id, no_id, sizeof no_id) != 0) sharc_warc_id_text(v->id, j->in.before_id);
    if (v->file != SHARC_NO_ID)
        j->in.before_file = sharc_path_join(l->out.warc_dir, sharc__crawl_file_name(&l->out, v->file).p);
    /* Of a page that was gone the version before is wanted whole. */
    if (v->answer != SHARC_ANSWER_CONTENT || v->status != 200 || !v->has_digest || l->known[j->task.page].gone)
        return 0;
    if (v->etag != SHARC_NO_ID) {
        struct sharc_span etag = sharc_intern_text(l->pages.etags, v->etag);
        fields[n++] = (struct sharc_http_field){SHARC_SPAN("If-None-Match"), etag};
        j->in.etag = etag.p;
    }
    if (v->modified != SHARC_TIME_NONE)
        fields[n++] = (struct sharc_http_field){SHARC_SPAN("If-Modified-Since"),
                                                sharc_span_of(sharc_http_date_text(v->modified, date))};
    j->in.conditional = n > 0;
    return n;
}

/* --- starting ----------------------------------------------------------------------------- */

static struct task task_of(const struct sharc_looks *l, uint32_t page, enum sharc_looks_kind kind)
{
    static const enum task_kind kinds[] = {[SHARC_LOOKS_PAGE] = TASK_VISIT,
                                           [SHARC_LOOKS_CONTROL] = TASK_CONTROL,
                                           [SHARC_LOOKS_LIST] = TASK_LIST,
                                           [SHARC_LOOKS_ROBOTS] = TASK_ROBOTS};
    return (struct task){.kind = kinds[kind], .page = page, .host = l->known[page].host, .step = CONTROL_SECOND};
}

/* Other workers have their turns as well: 0, and its host is not asked before. */
static int is_turn(struct sharc_looks *l, uint32_t host, struct sharc_err *reterr)
{
    const struct sharc_crawl_pace pace = sharc__looks_pace(l, host);
    sharc_time wait = 0;
    int r = sharc__crawl_host_turn(&l->hosts, host, &pace, &wait, reterr);
    if (r == 0) sharc__looks_group(l, host)->others = crawl_now(&l->ctx) + wait + TURN_SLACK;
    return r;
}

static int submit(struct sharc_looks *l, const struct task *t, struct sharc_err *reterr)
{
    struct sharc_http_field fields[FIELDS];
    char date[SHARC_TIME_TEXT];
    int r = is_turn(l, t->host, reterr);
    if (r <= 0) return r < 0 ? r : 1;
    struct job *j = sharc__crawl_job_new();
    j->task = *t;
    j->in.change_options = &l->change;
    j->in.want_links = t->kind == TASK_VISIT;
    j->in.want_text = t->kind == TASK_VISIT;
    j->in.bare = t->kind == TASK_CONTROL;
    struct sharc_span url = page_url(&l->pages, t->page);
    (void)sharc_url_parse(&j->in.url, url, NULL, NULL);
    /* robots.txt and controls are wanted whole. */
    size_t n = t->kind == TASK_VISIT || t->kind == TASK_LIST ? conditions(l, j, fields, date) : 0;
    struct sharc_fetch_request req = {.url = url,
                                      .fields = fields,
                                      .fields_count = n,
                                      .max_body = t->kind == TASK_ROBOTS ? SHARC_ROBOTS_BYTES : l->ctx.o.max_body,
                                      .allow_private = l->ctx.o.allow_private,
                                      .alone = t->kind == TASK_CONTROL,
                                      .user = j};
    r = sharc_fetcher_submit(l->ctx.w.fetcher, &req, reterr);
    if (r < 0) {
        sharc__crawl_job_free(j);
        return r;
    }
    l->pending++;
    sharc__crawl_group_began(sharc__looks_group(l, t->host), l->known[t->page].site);
    return 0;
}

int sharc_looks_start(struct sharc_looks *l, uint32_t page, enum sharc_looks_kind kind, struct sharc_err *reterr)
{
    struct task t = task_of(l, page, kind);
    char shown[SHARC_URL_SHOWN];
    if (l->ctx.o.ignore_robots) return submit(l, &t, reterr);
    if (!robots_are_known(l, t.host)) {
        const uint32_t host = t.host;
        t = task_of(l, robots_page(l, host, l->known[page].site), SHARC_LOOKS_ROBOTS);
        t.host = host; /* wherever it lies */
        int r = submit(l, &t, reterr);
        return r < 0 ? r : 1;
    }
    (void)sharc_url_parse(&l->url, page_url(&l->pages, page), NULL, NULL);
    if (!sharc__crawl_host_forbids(&l->hosts, t.host, &l->url)) return submit(l, &t, reterr);
    sharc_url_shown(page_url(&l->pages, page), shown);
    return sharc_fail(reterr, SHARC_EROBOTS, "%s: robots.txt does not allow it", shown);
}

size_t sharc_looks_pending(const struct sharc_looks *l)
{
    return l->pending;
}

void sharc_looks_hurry(struct sharc_looks *l)
{
    l->no_wait = true;
}

void sharc_looks_abort(struct sharc_looks *l)
{
    sharc_looks_hurry(l);
    sharc_fetcher_abort(l->ctx.w.fetcher);
}
