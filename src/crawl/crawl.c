/* SPDX-License-Identifier: Apache-2.0
 *
 * A crawl: made, given its seeds, released. The archive is locked as long as it lives.
 */
#include "engine.h"
#include "warc_store.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"
#include "sharc/object.h"

#include <stdlib.h>

static int open_archive(struct sharc_crawl *c, struct sharc_err *reterr)
{
    const char *archive = c->ctx.o.archive;
    int r = sharc_dir_make(archive, reterr);
    if (r == 0 && !c->ctx.o.locked)
        r = sharc_archive_lock(archive, SHARC_ARCHIVE_CRAWL, crawl_now(&c->ctx), &c->lock, reterr);
    if (r == 0 && !c->ctx.o.locked) sharc_box_clear(archive);
    if (r == 0) r = sharc__crawl_output_init(&c->out, &c->ctx, &c->stop.no_wait, reterr);
    if (r == 0) r = sharc__crawl_store_find(&c->out, reterr);
    if (r == 0)
        r = c->ctx.o.job.id ? sharc__crawl_files_take_over(&c->out, reterr)
                            : sharc__crawl_files_recover(&c->out, reterr);
    if (r == 0) r = sharc__crawl_store_open(&c->out, reterr);
    return r;
}

int sharc_crawl_new(const struct sharc_crawl_options *o, const struct sharc_crawl_world *w, struct sharc_crawl **ret,
                    struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!o->archive || !o->archive[0], reterr, SHARC_EINVAL, "a crawl needs an archive: name a directory");
    struct sharc_crawl *c = SHARC_NEW(struct sharc_crawl);
    c->lock = -1;
    sharc__crawl_context_init(&c->ctx, o, w);
    sharc__crawl_steering_init(&c->steering, &o->pace);
    sharc__crawl_hosts_init(&c->hosts, o->seed ? o->seed : (uint64_t)crawl_now(&c->ctx), w->store, w->clock);
    if (o->job.id) sharc__crawl_hosts_share(&c->hosts);
    for (size_t i = 0; i < o->host_groups_count; i++)
        sharc__crawl_hosts_join(&c->hosts, sharc_span_of(o->host_groups[i]));
    c->site_names = sharc_intern_new();
    sharc_heap_init(&c->due);
    sharc_buf_init(&c->packed, JOURNAL_MOST);
    c->jobs.change = (struct sharc_change_options)SHARC_CHANGE_OPTIONS;
    c->jobs.change.trust_last_modified = o->trust_modified;
    if (o->threads) c->jobs.pool = sharc_pool_new(o->threads);
    sharc__crawl_memory_begin(c);
    int r = open_archive(c, reterr);
    if (r < 0) {
        sharc_crawl_free(c);
        return r;
    }
    *ret = c;
    return 0;
}

void sharc_crawl_free(struct sharc_crawl *c)
{
    if (!c) return;
    sharc__crawl_drop_jobs(c);
    for (size_t i = 0; i < c->sites; i++) sharc__crawl_site_free(c->site[i]);
    free(c->site);
    if (c->lost) sharc__crawl_files_abandon(&c->out);
    sharc_intern_free(c->site_names);
    sharc_heap_done(&c->due);
    sharc__crawl_output_done(&c->out);
    sharc__crawl_hosts_done(&c->hosts);
    sharc__crawl_own_done(&c->steering.own);
    sharc__crawl_steering_done(&c->steering);
    sharc_buf_done(&c->packed);
    sharc_closep(&c->lock);
    sharc__crawl_context_done(&c->ctx);
    free(c);
}

void sharc_crawl_freep(struct sharc_crawl **c)
{
    sharc_crawl_free(*c);
    *c = NULL;
}

int sharc_crawl_seed(struct sharc_crawl *c, struct sharc_span url, struct sharc_err *reterr)
{
    struct sharc_url u = SHARC_URL_INIT;
    enum sharc_address_kind kind;
    char shown[SHARC_URL_SHOWN];
    int r = sharc_url_parse_typed(&u, url, reterr);
    sharc_url_shown(url, shown);
    if (r == 0 && !sharc_url_is_http(&u))
        r = sharc_fail(reterr, SHARC_ESYNTAX, "%s: a seed must be an http or https URL", shown);
    if (r == 0 && !c->ctx.o.allow_private && sharc_address_kind_of_host(sharc_url_host(&u), &kind) == 0 &&
        kind != SHARC_ADDRESS_PUBLIC)
        r = sharc_fail(reterr, SHARC_EACCESS, "%s: is %s; setting \"allow-private\" allows it", shown,
                       sharc_address_kind_text(kind));
    if (r == 0) {
        sharc_url_strip_credentials(&u);
        struct site *s = sharc__crawl_site_of(c, &u);
        SHARC_GROW(s->seeds, s->seeds_room, s->seeds_count + 1);
        s->seeds[s->seeds_count++] = sharc_span_dup(sharc_url_page(&u));
        r = sharc__crawl_scope_seed(&s->frontier, &u, reterr);
    }
    sharc_url_done(&u);
    return r;
}

int sharc_crawl_site_name(struct sharc_span url, struct sharc_buf *out, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    char shown[SHARC_URL_SHOWN];
    int r = sharc_url_parse_typed(&u, url, reterr);
    if (r < 0) return r;
    sharc_url_shown(url, shown);
    SHARC_FAIL_IF(!sharc_url_is_http(&u), reterr, SHARC_ESYNTAX, "%s: a seed must be an http or https URL", shown);
    sharc__crawl_site_name(&u, out);
    return 0;
}

bool sharc_crawl_same_site(struct sharc_span a, struct sharc_span b)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    SHARC_AUTO(sharc_url_done) struct sharc_url v = SHARC_URL_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf x = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf y = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    if (sharc_url_parse_typed(&u, a, NULL) < 0 || sharc_url_parse_typed(&v, b, NULL) < 0) return false;
    sharc__crawl_site_name(&u, &x);
    sharc__crawl_site_name(&v, &y);
    return sharc_span_eq(sharc_buf_span(&x), sharc_buf_span(&y));
}

int sharc_crawl_site_set(struct sharc_crawl *c, struct sharc_span url, struct sharc_span setting,
                         struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    char shown[SHARC_URL_SHOWN];
    int r = sharc_url_parse_typed(&u, url, reterr);
    if (r < 0) return r;
    sharc_url_shown(url, shown);
    SHARC_FAIL_IF(!sharc_url_is_http(&u), reterr, SHARC_ESYNTAX, "%s: a site must have an http or https URL", shown);
    sharc__crawl_site_name(&u, &name);
    return sharc__crawl_own_add(&c->steering, sharc_buf_span(&name), setting, reterr);
}

void sharc_crawl_stop(struct sharc_crawl *c)
{
    const int before = atomic_fetch_add(&c->stop.signals, 1);
    /* A worker's jobs share theirs. */
    if (before > 0 && c->ctx.w.objects && !c->ctx.o.job.id) sharc_object_store_break_off(c->ctx.w.objects);
    c->stop.no_wait = true;
    sharc_fetcher_wake(c->ctx.w.fetcher);
}

void sharc_crawl_reread(struct sharc_crawl *c)
{
    sharc__crawl_ask_reread(&c->steering);
    sharc_fetcher_wake(c->ctx.w.fetcher);
}

size_t sharc_crawl_sites(const struct sharc_crawl *c)
{
    return c->sites;
}

void sharc_crawl_site(const struct sharc_crawl *c, size_t i, struct sharc_crawl_summary *ret)
{
    const struct site *s = c->site[i];
    *ret = s->summary;
    if (s->summary.name) return;
    /* Its turn did not come. */
    *ret = (struct sharc_crawl_summary){.name = s->name,
                                        .strategy = c->ctx.o.strategy->name,
                                        .phase = SHARC_CRAWL_SUSPENDED,
                                        .start = SHARC_TIME_NONE,
                                        .end = SHARC_TIME_NONE,
                                        .took = SHARC_TIME_NONE,
                                        .reference = SHARC_TIME_NONE};
}
