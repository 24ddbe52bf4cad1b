/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks: made and released; sites and pages.
 */
#include "looks_int.h"

#include "earlier.h"
#include "warc_store.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"
#include "sharc/base_json.h"

#include <stdlib.h>

static int open_archive(struct sharc_looks *l, struct sharc_err *reterr)
{
    const char *archive = l->ctx.o.archive;
    int r = sharc_dir_make(archive, reterr);
    if (r == 0 && !l->ctx.o.locked)
        r = sharc_archive_lock(archive, SHARC_ARCHIVE_WATCH, crawl_now(&l->ctx), &l->lock, reterr);
    if (r == 0) r = sharc__crawl_output_init(&l->out, &l->ctx, &l->no_wait, reterr);
    if (r == 0) sharc__crawl_output_strategy(&l->out, l->strategy);
    if (r == 0) r = sharc__crawl_store_find(&l->out, reterr);
    if (r < 0 || l->ctx.o.job.id) return r; /* of a job: when its capture is known */
    r = sharc__crawl_files_recover(&l->out, reterr);
    return r < 0 ? r : sharc__crawl_store_open(&l->out, reterr);
}

int sharc_looks_new(const struct sharc_crawl_options *o, const struct sharc_crawl_world *w, const char *strategy,
                    struct sharc_looks **ret, struct sharc_err *reterr)
{
    SHARC_ASSERT(o->purpose == SHARC_FOR_WATCHING);
    struct sharc_looks *l = SHARC_NEW(struct sharc_looks);
    l->lock = -1;
    l->strategy = sharc_strdup(strategy);
    sharc__crawl_context_init(&l->ctx, o, w);
    sharc__crawl_hosts_init(&l->hosts, o->seed ? o->seed : (uint64_t)crawl_now(&l->ctx), w->store, w->clock);
    if (o->job.id) sharc__crawl_hosts_share(&l->hosts);
    for (size_t i = 0; i < o->host_groups_count; i++)
        sharc__crawl_hosts_join(&l->hosts, sharc_span_of(o->host_groups[i]));
    sharc__crawl_pages_init(&l->pages);
    l->site_names = sharc_intern_new();
    l->change = (struct sharc_change_options)SHARC_CHANGE_OPTIONS;
    l->change.trust_last_modified = o->trust_modified;
    int r = open_archive(l, reterr);
    if (r < 0) {
        sharc_looks_free(l);
        return r;
    }
    *ret = l;
    return 0;
}

/* Downloads whose results nobody took: their jobs are known to the fetcher only. */
static void drop_pending(struct sharc_looks *l)
{
    struct sharc_fetch_result *result;
    if (l->pending == 0) return;
    sharc_fetcher_abort(l->ctx.w.fetcher);
    while (l->pending > 0 && sharc_fetcher_wait(l->ctx.w.fetcher, SHARC_TIME_NONE, NULL, &result, NULL) > 0) {
        struct job *j = result->user;
        j->result = result;
        sharc__crawl_job_free(j);
        l->pending--;
    }
}

void sharc_looks_free(struct sharc_looks *l)
{
    if (!l) return;
    drop_pending(l);
    sharc__crawl_job_free(l->held);
    sharc__crawl_job_free(l->stuck);
    for (size_t i = 0; i < l->sites; i++) {
        sharc__crawl_capture_done(&l->site[i]->capture);
        free(l->site[i]->name);
        free(l->site[i]->seed);
        free(l->site[i]);
    }
    free(l->site);
    if (l->lost) sharc__crawl_files_abandon(&l->out);
    sharc_intern_free(l->site_names);
    for (size_t i = 0; i < l->robots_count; i++) free(l->robots_at[i]);
    free(l->robots_at);
    sharc__looks_robots_done(l);
    sharc__crawl_output_done(&l->out);
    sharc__crawl_hosts_done(&l->hosts);
    sharc__crawl_pages_done(&l->pages);
    sharc_closep(&l->lock);
    sharc__crawl_context_done(&l->ctx);
    sharc_url_done(&l->url);
    free(l->known);
    free(l->strategy);
    free(l);
}

/* --- sites ---------------------------------------------------------------------------- */

static int check_url(const struct sharc_looks *l, const struct sharc_url *u, struct sharc_span given,
                     struct sharc_err *reterr)
{
    enum sharc_address_kind kind;
    char shown[SHARC_URL_SHOWN];
    sharc_url_shown(given, shown);
    SHARC_FAIL_IF(!sharc_url_is_http(u), reterr, SHARC_ESYNTAX, "%s: a page must have an http or https URL", shown);
    bool literal = sharc_address_kind_of_host(sharc_url_host(u), &kind) == 0 && kind != SHARC_ADDRESS_PUBLIC;
    SHARC_FAIL_IF(literal && !l->ctx.o.allow_private, reterr, SHARC_EACCESS,
                  "%s: is %s; setting \"allow-private\" allows it", shown, sharc_address_kind_text(kind));
    return 0;
}

/* The watch of a site is one capture, however often it is stopped and taken up. */
static int take_capture(struct sharc_looks *l, struct look_site *s, struct sharc_err *reterr)
{
    sharc_store_id site = 0, id = 0;
    bool fresh = false;
    SHARC_AUTO(sharc_freep) char *key = sharc_asprintf("watch:%s", s->name);
    struct sharc_store_site site_row = {.name = sharc_span_of(s->name)};
    int r = sharc_store_site_put(l->ctx.w.store, &site_row, &site, reterr);
    struct sharc_store_capture row = SHARC_STORE_CAPTURE_INIT;
    row.site = site;
    row.key = sharc_span_of(key);
    row.strategy = sharc_span_of(l->strategy);
    row.purpose = sharc_span_of(sharc__crawl_purpose_word(SHARC_FOR_WATCHING));
    row.source = SHARC_SPAN("watch");
    row.start = crawl_now(&l->ctx);
    row.state = SHARC_CAPTURE_RUNNING;
    if (r == 0) r = sharc_store_capture_add(l->ctx.w.store, &row, &id, &fresh, reterr);
    sharc_time start = row.start;
    if (r == 0 && !fresh) {
        SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
        struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
        struct sharc_store_capture old, update = SHARC_STORE_CAPTURE_INIT;
        f.id = id;
        r = sharc_store_captures(l->ctx.w.store, &f, &rows, reterr);
        if (r == 0 && sharc_store_rows_next(rows, reterr) > 0) {
            sharc_store_read_capture(rows, &old);
            start = old.start;
            l->killed = l->killed || old.state == SHARC_CAPTURE_RUNNING;
        }
        sharc_store_rows_freep(&rows);
        update.id = id;
        update.strategy = row.strategy;
        update.state = SHARC_CAPTURE_RUNNING;
        if (r == 0) r = sharc_store_capture_update(l->ctx.w.store, &update, reterr);
    }
    if (r == 0) sharc__crawl_capture_is(&s->capture, site, id, start, s->seed);
    return r;
}

/* The files that earlier workers wrote for it. */
static int take_over(struct sharc_looks *l, const struct look_site *s, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(l->sites != 1, reterr, SHARC_EINVAL, "a job watches one site: %s is another one", s->name);
    sharc__crawl_set_capture(&l->ctx, s->capture.id);
    int r = sharc__crawl_files_take_over(&l->out, reterr);
    return r < 0 ? r : sharc__crawl_store_open(&l->out, reterr);
}

static int add_site(struct sharc_looks *l, const char *name, uint32_t *ret, struct sharc_err *reterr)
{
    struct look_site *s = SHARC_NEW(struct look_site);
    s->name = sharc_strdup(name);
    s->seed = sharc_span_dup(sharc_url_page(&l->url));
    SHARC_GROW(l->site, l->sites_room, l->sites + 1);
    const uint32_t number = (uint32_t)l->sites;
    l->site[l->sites++] = s;
    sharc__crawl_capture_init(&s->capture, &l->out, &l->pages, &l->ctx.o.pace, s->name, number);
    int r = take_capture(l, s, reterr);
    if (r == 0 && l->ctx.o.job.id) r = take_over(l, s, reterr);
    if (r == 0) r = sharc__crawl_warc_open(&l->out, &s->capture, reterr);
    *ret = number;
    return r;
}

int sharc_looks_site(struct sharc_looks *l, struct sharc_span url, uint32_t *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    bool fresh = false;
    int r = sharc_url_parse_typed(&l->url, url, reterr);
    if (r == 0) r = check_url(l, &l->url, url, reterr);
    if (r < 0) return r;
    sharc__crawl_site_name(&l->url, &name);
    uint32_t number = sharc_intern_add(l->site_names, sharc_buf_span(&name), &fresh);
    if (fresh) return add_site(l, sharc_buf_str(&name), ret, reterr);
    *ret = number;
    return 0;
}

const char *sharc_looks_site_name(const struct sharc_looks *l, uint32_t site)
{
    return l->site[site]->name;
}

sharc_store_id sharc_looks_capture(const struct sharc_looks *l, uint32_t site)
{
    return l->site[site]->capture.id;
}

/* --- pages ---------------------------------------------------------------------------- */

uint32_t sharc_looks_page(struct sharc_looks *l, uint32_t site, struct sharc_span url, bool *ret_new)
{
    static const struct look_place nowhere = {.file = SHARC_NO_ID};
    bool fresh = false;
    uint32_t page = sharc__crawl_pages_add(&l->pages, url, &fresh);
    if (ret_new) *ret_new = fresh;
    if (!fresh) return page;
    SHARC_GROW(l->known, l->known_room, (size_t)page + 1);
    l->known[page] = (struct known_page){
        .site = site, .before = nowhere, .last = nowhere, .pair = {nowhere, nowhere}, .paired = SHARC_TIME_NONE};
    (void)sharc_url_parse(&l->url, url, NULL, NULL);
    l->known[page].host = sharc__crawl_hosts_of(&l->hosts, &l->url);
    sharc__crawl_pages_mark(&l->pages, page, PAGE_SEED, true);
    sharc__crawl_pages_set_weight(&l->pages, page, 1);
    return page;
}

struct sharc_span sharc_looks_url(const struct sharc_looks *l, uint32_t page)
{
    return page_url(&l->pages, page);
}

uint32_t sharc_looks_site_of(const struct sharc_looks *l, uint32_t page)
{
    return l->known[page].site;
}

uint32_t sharc_looks_host_of(const struct sharc_looks *l, uint32_t page)
{
    return l->hosts.host[l->known[page].host].group;
}

static int recall_site(struct sharc_looks *l, const struct look_site *s, const struct sharc_map64 *files,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_page_filter f = {.capture = s->capture.id};
    int r = sharc_store_pages(l->ctx.w.store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_page row;
        sharc_store_read_page(rows, &row);
        uint32_t page = sharc_intern_find(l->pages.urls, row.url);
        if (page == SHARC_NO_ID) continue;
        l->known[page].gone = row.visit.status == 404 || row.visit.status == 410;
        struct version v = sharc__crawl_pages_version(&l->pages, page);
        if (sharc__crawl_earlier_version(&l->pages, &row, files, &v)) sharc__crawl_pages_keep(&l->pages, page, &v);
    }
    return r < 0 ? r : 0;
}

int sharc_looks_recall(struct sharc_looks *l, struct sharc_err *reterr)
{
    struct sharc_map64 files;
    sharc_map64_init(&files);
    int r = sharc__crawl_earlier_files(&l->out, &files, reterr);
    for (size_t i = 0; i < l->sites && r == 0; i++) r = recall_site(l, l->site[i], &files, reterr);
    sharc_map64_done(&files);
    if (l->killed) sharc_looks_pause(l);
    return r;
}

void sharc_looks_set_pace(struct sharc_looks *l, const struct sharc_crawl_pace *pace)
{
    sharc__crawl_set_pace(&l->ctx, pace);
    for (size_t i = 0; i < l->hosts.group_count; i++) sharc__crawl_group_repace(&l->hosts.group[i], pace);
}

void sharc_looks_pause(struct sharc_looks *l)
{
    const sharc_time now = crawl_now(&l->ctx);
    for (size_t i = 0; i < l->hosts.group_count; i++) sharc__crawl_group_pause(&l->hosts.group[i], &l->ctx.o.pace, now);
}
