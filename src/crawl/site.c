/* SPDX-License-Identifier: Apache-2.0
 *
 * A crawl and its sites: made, begun, released.
 */
#include "crawl_int.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

void sharc__crawl_remark(struct sharc_crawl *c, const char *fmt, ...)
{
    if (!c->w.remark) return;
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    c->w.remark(c->w.arg, text);
}

/* With a pause between downloads there is time to make files small. Without one
 * a crawl waits for the compression: level 1 takes a third of level 6's time, and with
 * ISA-L a sixth, for a tenth more bytes. */
static int gzip_level(const struct sharc_crawl_options *o)
{
    return o->gzip_level ? o->gzip_level : o->pace.delay > 0 ? 6 : 1;
}

/* --- the crawl ------------------------------------------------------------------- */

static char *own(struct sharc_crawl *c, const char *s)
{
    if (!s) return NULL;
    SHARC_GROW(c->owned, c->owned_room, c->owned_count + 1);
    return c->owned[c->owned_count++] = sharc_strdup(s);
}

static const char *const *own_list(struct sharc_crawl *c, const char *const *list, size_t n)
{
    const char **copy = SHARC_NEW_ARRAY(const char *, n + 1);
    for (size_t i = 0; i < n; i++) copy[i] = own(c, list[i]);
    return copy;
}

static void copy_options(struct sharc_crawl *c, const struct sharc_crawl_options *o)
{
    c->o = *o;
    c->read_pace = o->pace;
    c->o.archive = own(c, o->archive);
    c->o.user_agent = own(c, o->user_agent);
    c->o.operator_ = own(c, o->operator_);
    c->o.contact = own(c, o->contact);
    c->o.description = own(c, o->description);
    c->o.host = own(c, o->host ? o->host : "localhost");
    c->o.rules = own_list(c, o->rules, o->rules_count);
    c->o.types = own_list(c, o->types, o->types_count);
    c->o.not_types = own_list(c, o->not_types, o->not_types_count);
    c->o.sources = own_list(c, o->sources, o->sources_count);
    c->o.host_groups = own_list(c, o->host_groups, o->host_groups_count);
    if (!c->o.strategy)
        c->o.strategy = sharc_strategy_find(o->purpose == SHARC_FOR_EVIDENCE ? "sharc-focus" : "sharc-online");
}

static int open_archive(struct sharc_crawl *c, struct sharc_err *reterr)
{
    int r = sharc_dir_make(c->o.archive, reterr);
    if (r == 0) r = sharc_archive_lock(c->o.archive, SHARC_ARCHIVE_CRAWL, crawl_now(c), &c->lock, reterr);
    if (r == 0) sharc__crawl_control_clear(c->o.archive);
    c->warc_dir = sharc_path_join(c->o.archive, "warcs");
    if (r == 0) r = sharc_dir_make(c->warc_dir, reterr);
    if (r == 0) r = sharc__crawl_files_recover(c, reterr);
    if (r == 0) r = sharc__crawl_log_open(c, reterr);
    return r;
}

int sharc_crawl_new(const struct sharc_crawl_options *o, const struct sharc_crawl_world *w, struct sharc_crawl **ret,
                    struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!o->archive || !o->archive[0], reterr, SHARC_EINVAL, "a crawl needs an archive: name a directory");
    struct sharc_crawl *c = SHARC_NEW(struct sharc_crawl);
    c->w = *w;
    c->lock = -1;
    c->change = (struct sharc_change_options)SHARC_CHANGE_OPTIONS;
    c->change.trust_last_modified = o->trust_modified;
    copy_options(c, o);
    sharc_rng_init(&c->rng, o->seed ? o->seed : (uint64_t)crawl_now(c));
    c->site_names = sharc_intern_new();
    c->files = sharc_intern_new();
    sharc_heap_init(&c->due);
    sharc__crawl_hosts_init(&c->hosts);
    for (size_t i = 0; i < c->o.host_groups_count; i++)
        sharc__crawl_hosts_join(&c->hosts, sharc_span_of(c->o.host_groups[i]));
    sharc_buf_init(&c->scratch, 64u << 20);
    sharc_buf_init(&c->scratch2, JOURNAL_MOST);
    pthread_mutex_init(&c->packers_lock, NULL);
    if (o->threads) c->pool = sharc_pool_new(o->threads);
    sharc_store_batch_new(c->w.store, &c->batch);
    c->notes = sharc_cdx_notes_new(c->o.archive, o->threads);
    int r = open_archive(c, reterr);
    if (r < 0) {
        sharc_crawl_free(c);
        return r;
    }
    *ret = c;
    return 0;
}

static void free_jobs(struct job *j)
{
    while (j) {
        struct job *next = j->next;
        sharc__crawl_job_free(j);
        j = next;
    }
}

/* Downloads whose results nobody took: their jobs are known to the fetcher only. */
static void drop_pending(struct sharc_crawl *c)
{
    struct sharc_fetch_result *result;
    if (sharc_fetcher_pending(c->w.fetcher) == 0) return;
    sharc_fetcher_abort(c->w.fetcher);
    while (sharc_fetcher_pending(c->w.fetcher) > 0 &&
           sharc_fetcher_wait(c->w.fetcher, SHARC_TIME_NONE, NULL, &result, NULL) > 0) {
        struct job *j = result->user;
        j->result = result;
        sharc__crawl_job_free(j);
    }
}

void sharc_crawl_free(struct sharc_crawl *c)
{
    if (!c) return;
    if (c->batch) drop_pending(c);
    sharc_pool_free(c->pool);
    while (c->packers_count > 0) sharc_warc_packer_free(c->packers[--c->packers_count]);
    free(c->packers);
    pthread_mutex_destroy(&c->packers_lock);
    free_jobs(c->head);
    free_jobs(c->spare);
    for (size_t i = 0; i < c->sites; i++) sharc__crawl_site_free(c->site[i]);
    free(c->site);
    sharc_warc_writer_free(c->warc);
    sharc_cdx_notes_free(c->notes);
    sharc_store_batch_free(c->batch);
    sharc_heap_done(&c->due);
    free(c->file);
    sharc__crawl_hosts_done(&c->hosts);
    sharc_intern_free(c->site_names);
    sharc_intern_free(c->files);
    sharc_buf_done(&c->scratch);
    sharc_buf_done(&c->scratch2);
    if (c->log) fclose(c->log);
    if (c->stats) fclose(c->stats);
    sharc_closep(&c->lock);
    free(c->warc_dir);
    free((void *)(uintptr_t)c->o.rules);
    free((void *)(uintptr_t)c->o.types);
    free((void *)(uintptr_t)c->o.not_types);
    free((void *)(uintptr_t)c->o.sources);
    free((void *)(uintptr_t)c->o.host_groups);
    for (size_t i = 0; i < c->changes_count; i++) free(c->changes[i].text);
    free(c->changes);
    for (size_t i = 0; i < c->owned_count; i++) free(c->owned[i]);
    free(c->owned);
    free(c);
}

void sharc_crawl_freep(struct sharc_crawl **c)
{
    sharc_crawl_free(*c);
    *c = NULL;
}

/* --- WARC files and index ------------------------------------------------------------ */

static int open_warc(struct sharc_crawl *c, const struct site *s, struct sharc_warc_writer **ret,
                     struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf info = SHARC_BUF_INIT(64u << 10);
    sharc__crawl_info(c, s, &info);
    struct sharc_warc_writer_options o = {.dir = c->warc_dir,
                                          .site = s ? s->name : "sites",
                                          .host = c->o.host,
                                          .info = sharc_buf_span(&info),
                                          .digest = SHARC_SHA256,
                                          .level = gzip_level(&c->o),
                                          .seed = c->o.seed};
    if (o.seed && s) o.seed += s->number;
    return sharc_warc_writer_open(&o, ret, reterr);
}

int sharc__crawl_shared_warc(struct sharc_crawl *c, struct sharc_err *reterr)
{
    return open_warc(c, NULL, &c->warc, reterr);
}

int sharc__crawl_index(struct sharc_crawl *c, struct sharc_err *reterr)
{
    char **names = NULL;
    size_t count = 0, n = 0;
    SHARC_AUTO(sharc_freep) char *dir = sharc_path_join(c->o.archive, "index");
    SHARC_AUTO(sharc_freep) char *output = sharc_path_join(dir, "index.cdxj");
    int r = sharc_dir_make(dir, reterr);
    if (r == 0) r = sharc_dir_list(c->warc_dir, &names, &count, reterr);
    if (r < 0) return r;
    char **inputs = SHARC_NEW_ARRAY(char *, count);
    for (size_t i = 0; i < count; i++) {
        struct sharc_span name = sharc_span_of(names[i]);
        if (sharc_span_ends(name, SHARC_SPAN(".warc.gz")) || sharc_span_ends(name, SHARC_SPAN(".warc")))
            inputs[n++] = sharc_path_join(c->warc_dir, names[i]);
    }
    /* What this run wrote is noted; what an interrupted one left is read. */
    struct sharc_cdx_build o = {.threads = c->o.threads ? c->o.threads : 1, .lenient = true, .notes = c->notes};
    struct sharc_cdx_built built;
    if (n > 0) r = sharc_cdx_build((const char *const *)inputs, n, output, NULL, NULL, &o, &built, reterr);
    for (size_t i = 0; i < n; i++) free(inputs[i]);
    free(inputs);
    sharc_names_free(names, count);
    return r;
}

/* --- sites ------------------------------------------------------------------------------ */

static void site_name(const struct sharc_url *u, struct sharc_buf *out)
{
    struct sharc_span host = sharc_url_host(u);
    if (sharc_span_starts(host, SHARC_SPAN("www."))) host = sharc_span_from(host, 4);
    sharc_buf_put(out, host);
    if (u->has_port) {
        sharc_buf_put_char(out, ':');
        sharc_buf_put(out, sharc_url_port_text(u));
    }
}

struct site *sharc__crawl_site_of(struct sharc_crawl *c, const struct sharc_url *seed)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    bool fresh = false;
    site_name(seed, &name);
    uint32_t number = sharc_intern_add(c->site_names, sharc_buf_span(&name), &fresh);
    if (!fresh) return c->site[number];
    struct site *s = SHARC_NEW(struct site);
    s->crawl = c;
    s->number = number;
    s->name = sharc_strdup(sharc_buf_str(&name));
    s->scope = sharc_scope_new();
    sharc_scope_add_limits(s->scope);
    sharc__crawl_pages_init(&s->pages);
    s->etags = sharc_intern_new();
    s->apex = s->last_page = s->last_download = NO_PAGE;
    s->reference = s->first = s->last = s->last_visit = s->started_at = s->run_began = SHARC_TIME_NONE;
    sharc_buf_init(&s->journal.pending, JOURNAL_MOST);
    SHARC_GROW(c->site, c->sites_room, c->sites + 1);
    c->site[c->sites++] = s;
    return s;
}

static void free_queue(struct queue *q)
{
    free(q->items);
    *q = (struct queue){0};
}

void sharc__crawl_site_shed(struct site *s)
{
    if (s->pages.urls) s->known = pages_count(&s->pages);
    sharc_scope_freep(&s->scope);
    sharc__crawl_pages_done(&s->pages);
    sharc_intern_freep(&s->etags);
    sharc_intern_freep(&s->earlier);
    free(s->earlier_seen);
    s->earlier_seen = NULL;
    sharc_strategy_freep(&s->strategy);
    if (s->live) sharc_map64_done(&s->sessions);
    free(s->alias);
    s->alias = NULL;
    sharc_rate_live_freep(&s->live);
    free_queue(&s->errands);
    free_queue(&s->embeds);
    free_queue(&s->again);
    free_queue(&s->extra);
    free_queue(&s->late);
    sharc_warc_writer_freep(&s->warc);
    sharc_buf_done(&s->journal.pending);
    sharc_url_done(&s->url);
}

void sharc__crawl_site_free(struct site *s)
{
    sharc__crawl_site_shed(s);
    for (size_t i = 0; i < s->summary.worst_count; i++) free(s->summary.worst[i].name);
    for (size_t i = 0; i < s->seeds_count; i++) free(s->seeds[i]);
    free(s->seeds);
    free(s->name);
    free(s);
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
    if (r == 0 && !c->o.allow_private && sharc_address_kind_of_host(sharc_url_host(&u), &kind) == 0 &&
        kind != SHARC_ADDRESS_PUBLIC)
        r = sharc_fail(reterr, SHARC_EACCESS, "%s: is %s; --allow-private lets sharc go there", shown,
                       sharc_address_kind_text(kind));
    if (r == 0) {
        sharc_url_strip_credentials(&u);
        struct site *s = sharc__crawl_site_of(c, &u);
        SHARC_GROW(s->seeds, s->seeds_room, s->seeds_count + 1);
        s->seeds[s->seeds_count++] = sharc_span_dup(sharc_url_page(&u));
        r = sharc_scope_add_seed(s->scope, &u, c->o.reach, NULL, reterr);
    }
    sharc_url_done(&u);
    return r;
}

static int add_rules(struct site *s, struct sharc_err *reterr)
{
    const struct sharc_crawl_options *o = &s->crawl->o;
    int r = 0;
    for (size_t i = 0; i < o->rules_count && r == 0; i++) {
        bool exclude = o->rules[i][0] == '-';
        r = sharc_scope_add(s->scope, exclude ? SHARC_EXCLUDE : SHARC_INCLUDE, sharc_span_of(o->rules[i] + 1),
                            exclude ? "--exclude" : "--include", reterr);
    }
    if (r == 0) r = sharc__crawl_changed_rules(s->crawl, s->scope, reterr);
    sharc_scope_seal(s->scope);
    return r;
}

/* Also where seeds have moved to since. */
int sharc__crawl_scope_anew(struct site *s, struct sharc_err *reterr)
{
    struct sharc_url u = SHARC_URL_INIT;
    int r = 0;
    sharc_scope_free(s->scope);
    s->scope = sharc_scope_new();
    sharc_scope_add_limits(s->scope);
    for (uint32_t i = 0; i < pages_count(&s->pages) && r == 0; i++) {
        const struct page *p = &s->pages.page[i];
        bool opens = (p->flags & PAGE_SEED) || ((p->flags & PAGE_MOVED_SEED) && p->state != PAGE_REJECTED);
        if (!opens || sharc_url_parse(&u, page_url(&s->pages, i), NULL, NULL) < 0) continue;
        r = sharc_scope_add_seed(s->scope, &u, s->crawl->o.reach, NULL, reterr);
    }
    sharc_url_done(&u);
    return r < 0 ? r : add_rules(s, reterr);
}

void sharc__crawl_new_rules(struct sharc_crawl *c, const char *const *rules, size_t n)
{
    free((void *)(uintptr_t)c->o.rules);
    c->o.rules = own_list(c, rules, n);
    c->o.rules_count = n;
}

/* What a slot will last: rates per second become rates per slot with it. */
static double slot_length(const struct sharc_crawl *c)
{
    double delay = (double)c->o.pace.delay / (double)SHARC_SEC;
    return delay > 0 ? delay : 0.01;
}

/* A list on the host of one of the sites is about that site; one elsewhere may be about
 * all of them. */
static bool is_source_of(struct site *s, struct sharc_span source)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    if (sharc_url_parse(&s->url, source, NULL, NULL) < 0) return true;
    site_name(&s->url, &name);
    uint32_t number = sharc_intern_find(s->crawl->site_names, sharc_buf_span(&name));
    return number == SHARC_NO_ID || number == s->number;
}

int sharc__crawl_site_begin(struct site *s, struct sharc_err *reterr)
{
    struct sharc_crawl *c = s->crawl;
    int r = add_rules(s, reterr);
    if (r < 0) return r;
    s->slot_seconds = slot_length(c);
    s->live = sharc__crawl_live_new();
    sharc_map64_init(&s->sessions);
    (void)sharc_url_parse(&s->url, sharc_span_of(s->seeds[0]), NULL, NULL);
    uint32_t host = sharc__crawl_hosts_of(&c->hosts, &s->url);
    s->home = s->group = c->hosts.host[host].group;
    r = sharc__crawl_resume_or_begin(s, reterr);
    s->run_began = crawl_now(c);
    for (size_t i = 0; i < c->changes_count && r == 0; i++) /* what its journal does not know yet */
        if (!s->resumed || c->changes[i].when >= c->started) sharc__crawl_j_change(s, &c->changes[i]);
    if (r == 0 && !c->warc) r = open_warc(c, s, &s->warc, reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < s->seeds_count; i++) {
        struct finding f = {.url = sharc_span_of(s->seeds[i]),
                            .via = NO_PAGE,
                            .modified = SHARC_TIME_NONE,
                            .priority = -1};
        sharc__crawl_found(s, &f);
    }
    if (!s->started) sharc__crawl_ask_robots(s, host);
    for (size_t i = 0; i < c->o.sources_count; i++)
        if (is_source_of(s, sharc_span_of(c->o.sources[i])))
            sharc__crawl_manifest(s, sharc_span_of(c->o.sources[i]), NO_PAGE);
    return 0;
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
                                        .strategy = c->o.strategy->name,
                                        .phase = SHARC_CRAWL_SUSPENDED,
                                        .start = SHARC_TIME_NONE,
                                        .end = SHARC_TIME_NONE,
                                        .reference = SHARC_TIME_NONE};
}
