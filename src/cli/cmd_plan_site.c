/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc plan URL and sharc plan ARCHIVE: ask the site, or the archive, what the
 * site is like (crawl_survey.h), then plan.
 */
#include "archive.h"
#include "cli_signals.h"
#include "cmd_plan.h"
#include "parts.h"

#include "sharc/crawl.h"
#include "sharc/crawl_survey.h"
#include "sharc/rate_weight.h"
#include "sharc/store_query.h"

#include <math.h>
#include <stdlib.h>

#define DEFAULT_NAME "the site"

static void count_request(void *progress, size_t requests)
{
    (void)requests;
    struct sharc_clock *clock = sharc_clock_real();
    sharc_progress_add(progress, 1, clock->now(clock));
}

/* *ret stays NULL when the archive has no catalogue yet. */
static int open_store(const char *archive, struct sharc_store **ret, struct sharc_err *err)
{
    struct sharc_store_options o = {.read_only = true, .must_exist = true};
    struct sharc_err why = SHARC_ERR_INIT;
    int r = sharc_archive_open(archive, NULL, &o, ret, &why);
    if (r == SHARC_ENOENT && cli_is_directory(archive)) return 0;
    if (r < 0) *err = why;
    return r;
}

/* Rules in one list, as the survey takes them: includes, then excludes. */
static void join_rules(const struct plan_settings *s, struct cli_list *ret)
{
    for (size_t i = 0; i < s->include.count + s->exclude.count; i++) {
        bool out = i >= s->include.count;
        const char *rule = out ? s->exclude.items[i - s->include.count] : s->include.items[i];
        SHARC_GROW(ret->owned, ret->owned_room, ret->owned_count + 1);
        SHARC_GROW(ret->items, ret->room, ret->count + 1);
        ret->owned[ret->owned_count++] = sharc_asprintf("%c%s", out ? '-' : '+', rule);
        ret->items[ret->count++] = ret->owned[ret->owned_count - 1];
    }
}

static int open_fetcher(const struct plan_settings *s, struct sharc_fetcher **ret, struct sharc_err *err)
{
    SHARC_AUTO(sharc_freep)
    char *agent =
        s->contact ? sharc_asprintf("Mozilla/5.0 (compatible; sharc/" SHARC_VERSION "; +%s)", s->contact) : NULL;
    const char *temporary = getenv("TMPDIR");
    struct sharc_fetcher_settings fs = {.clock = sharc_clock_real(),
                                        .user_agent = agent,
                                        .allow_private = s->allow_private,
                                        .max_body = SHARC_LIMIT_SURVEY_BODY,
                                        .spool_dir = temporary && *temporary ? temporary : NULL};
    return sharc_fetcher_new(&fs, ret, err);
}

/* With a fetcher the site is asked, with a store the store. */
static int survey(struct cli *c, const struct plan_settings *s, const char *url, struct sharc_fetcher *fetcher,
                  struct sharc_store *store, struct sharc_survey *ret, struct sharc_err *err)
{
    struct sharc_clock *clock = sharc_clock_real();
    SHARC_AUTO(cli_list_done) struct cli_list rules = {0};
    join_rules(s, &rules);
    struct sharc_survey_options o = SHARC_SURVEY_OPTIONS;
    o.url = sharc_span_of(url);
    o.rules = rules.items;
    o.rules_count = rules.count;
    o.sample = s->sample > UINT32_MAX ? UINT32_MAX : (unsigned)s->sample;
    o.delay = s->delay;
    o.no_sitemaps = s->no_sitemaps;
    o.clock = clock;
    o.fetcher = fetcher;
    o.store = store;
    if (!fetcher) {
        o.reach = SHARC_REACH_ANY; /* whatever the capture has */
        return sharc_survey_make(&o, ret, err);
    }
    SHARC_AUTO(sharc_progress_freep)
    struct sharc_progress *progress = cli_progress(c, "surveying the site", "requests", 0);
    o.progress = count_request;
    o.arg = progress;
    o.stop = cli_signals_flag();
    int r = sharc_survey_make(&o, ret, err);
    sharc_progress_finish(progress, clock->now(clock));
    return r;
}

/* --- the survey as a dataset ------------------------------------------------------------ */

struct columns {
    struct sharc_span *url, *target;
    double *rate, *priority;
    uint32_t *from, *to;
};

static void columns_done(struct columns *k)
{
    free(k->url);
    free(k->target);
    free(k->rate);
    free(k->priority);
    free(k->from);
    free(k->to);
}

static void columns_make(struct columns *k, const struct sharc_survey *s)
{
    k->url = SHARC_NEW_ARRAY(struct sharc_span, s->count);
    k->target = SHARC_NEW_ARRAY(struct sharc_span, s->count);
    k->rate = SHARC_NEW_ARRAY(double, s->count);
    k->priority = SHARC_NEW_ARRAY(double, s->count);
    k->from = SHARC_NEW_ARRAY(uint32_t, s->link_count);
    k->to = SHARC_NEW_ARRAY(uint32_t, s->link_count);
    for (size_t i = 0; i < s->count; i++) {
        k->url[i] = s->pages[i].url;
        k->target[i] = s->pages[i].target;
        k->rate[i] = s->pages[i].rate;
        k->priority[i] = s->pages[i].priority;
    }
    for (size_t i = 0; i < s->link_count; i++) k->from[i] = s->links[i].from, k->to[i] = s->links[i].to;
}

/* --- what was found, in words ---------------------------------------------------------- */

/* What a capture could learn from the sitemap while it goes on. */
static void say_signals(struct cli *c, const struct sharc_survey *found)
{
    const size_t right = found->signals.right, all = right + found->signals.wrong + found->signals.missed;
    if (found->signals.stated == 0) return;
    if (all == 0)
        cli_note(c, "the sitemap states when %s last changed; no page of the sample says whether that is true",
                 SHARC_COUNT(found->signals.stated, "page"));
    else
        cli_note(c,
                 "the sitemap states when %s last changed: as %zu of %s of the sample say themselves; "
                 "%zu say earlier, %zu later",
                 SHARC_COUNT(found->signals.stated, "page"), right, SHARC_COUNT(all, "page"), found->signals.wrong,
                 found->signals.missed);
}

#define MANY 1e15 /* no count; catalogues may hold any number */

/* What sources told in earlier captures; one that was never put to the test is worth no word. */
static void say_remembered(struct cli *c, const struct sharc_survey *found)
{
    for (size_t i = 0; i < found->remembered_count; i++) {
        const struct sharc_survey_source_worth *w = &found->remembered[i];
        const double changes = w->told + w->missed, statements = w->right + w->wrong;
        const bool sitemaps = strcmp(w->source, "sitemaps") == 0;
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_URL + 1024);
        if (changes >= 0.5 && changes < MANY)
            sharc_buf_printf(&b, "%s told of %.0f of %s that earlier captures saw",
                             sitemaps ? "the sitemap" : w->source, w->told,
                             SHARC_COUNT((uint64_t)(changes + 0.5), "change"));
        if (statements >= 0.5 && statements < MANY)
            sharc_buf_printf(&b, "%s%s: of %s %.0f true", b.n ? "; " : "",
                             b.n        ? "put to the test"
                             : sitemaps ? "the sitemap"
                                        : w->source,
                             SHARC_COUNT((uint64_t)(statements + 0.5), "statement"), w->right);
        if (b.n) cli_note(c, "%s", sharc_buf_str(&b));
    }
}

static void say_found(struct cli *c, const struct plan_settings *s, const struct sharc_survey *found)
{
    char text[SHARC_TIME_TEXT], pause[SHARC_TIME_TEXT];
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1024);
    sharc_buf_printf(&b, "%s known", SHARC_COUNT(found->count, "page"));
    if (found->from_earlier > 0)
        sharc_buf_printf(&b, "; %zu from an earlier capture, %zu of them downloaded more than once",
                         found->from_earlier, found->watched);
    if (found->sitemaps > 0)
        sharc_buf_printf(&b, "; %zu from %s", found->from_sitemaps, SHARC_COUNT(found->sitemaps, "sitemap"));
    if (found->sampled > 0)
        sharc_buf_printf(&b, "; %zu sampled, %s each", found->sampled, sharc_duration_text(found->took, text));
    cli_note(c, "%s", sharc_buf_str(&b));
    say_signals(c, found);
    say_remembered(c, found);
    if (found->more)
        cli_note(c, "the sample saw more links than it followed: the site may well be larger than this plan");
    if (found->embeds > 0)
        cli_note(c, "about %s add %s", SHARC_COUNT(found->embeds, "image, style or script|images, styles and scripts"),
                 sharc_duration_text((sharc_time)found->embeds * s->delay, text));
    if (found->robots_delay > s->delay)
        cli_note(c, "robots.txt asks for a pause of %s; the plan is for %s",
                 sharc_duration_text(found->robots_delay, text), sharc_duration_text(s->delay, pause));
    if (*found->note) cli_note(c, "%s", found->note);
}

static const char *source_of(const struct sharc_survey *s)
{
    if (s->from_earlier > 0) return s->sampled > 0 ? "earlier captures and sample" : "earlier captures";
    return s->from_sitemaps > 0 ? "sitemap and sample" : "sample";
}

static char *host_of(const char *url)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    if (sharc_url_parse(&u, sharc_span_of(url), NULL, NULL) < 0) return sharc_strdup(DEFAULT_NAME);
    return sharc_span_dup(sharc_url_host_port(&u));
}

static int plan(struct cli *c, struct plan_settings *s, const char *url, const struct sharc_survey *found)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_clock *clock = sharc_clock_real();
    SHARC_AUTO(columns_done) struct columns k;
    SHARC_AUTO(sharc_freep) char *name = host_of(url);
    SHARC_AUTO(sharc_freep) double *weight = SHARC_NEW_ARRAY(double, found->count);
    columns_make(&k, found);
    const struct sharc_rate_graph g = {found->count, k.url, k.priority, k.from, k.to, found->link_count};
    if (s->weights && sharc_rate_weigh(s->weights, &g, weight, &err) < 0) return cli_fail(c, &err);
    const struct sharc_dataset_moment now = {name,         floor((double)clock->now(clock) / SHARC_SEC),
                                             found->count, found->link_count,
                                             k.target,     k.from,
                                             k.to};
    SHARC_AUTO(sharc_dataset_freep) struct sharc_dataset *d = sharc_dataset_of_moment(&now);
    say_found(c, s, found);
    s->o.rates = SHARC_SIM_GIVEN;
    s->o.given = k.rate;
    s->o.given_from = source_of(found);
    if (s->o.run.known < 0)
        s->o.run.known = fmin((double)(found->from_sitemaps + found->from_earlier) / (double)found->count, 1);
    s->o.weight = s->weights ? weight : NULL;
    return plan_print(c, s, d, url);
}

/* --- settings of single sites ------------------------------------------------------------ */

struct site_delay {
    struct plan_settings *s;
    const char *url;
};

static int use_delay(void *arg, struct sharc_span url, struct sharc_span setting, struct sharc_err *err)
{
    const struct site_delay *d = arg;
    const struct sharc_span delay = SHARC_SPAN("delay=");
    if (!sharc_span_starts(setting, delay) || !sharc_crawl_same_site(url, sharc_span_of(d->url))) return 0;
    int r = sharc_duration_parse(sharc_span_from(setting, delay.n), &d->s->delay, err);
    d->s->o.delay = (double)d->s->delay / SHARC_SEC;
    return r;
}

/* The archive may have a delay for this site alone. */
static int find_delay(const struct cli *c, struct plan_settings *s, const char *archive, const char *url,
                      struct sharc_err *err)
{
    struct site_delay d = {s, url};
    return cli_site_settings(c, archive, use_delay, &d, err);
}

int plan_url(struct cli *c, struct plan_settings *s, const char *url)
{
    if (!s->contact && !s->allow_private)
        return cli_usage(
            c,
            "say who asks: --contact with a URL or an e-mail address, or \"contact:\" under \"crawl:\" in the settings "
            "(a site on a private address needs --allow-private instead)");
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *fetcher = NULL;
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_survey_done) struct sharc_survey found = {0};
    if (s->archive && find_delay(c, s, s->archive, url, &err) < 0) return cli_fail(c, &err);
    if (open_fetcher(s, &fetcher, &err) < 0) return cli_fail(c, &err);
    if (s->archive && open_store(s->archive, &store, &err) < 0) return cli_fail(c, &err);
    if (survey(c, s, url, fetcher, store, &found, &err) < 0) return cli_fail(c, &err);
    return plan(c, s, url, &found);
}

/* The page that the newest capture began with, malloc'ed; *ret stays NULL without a capture. */
static int first_page(struct sharc_store *store, char **ret, struct sharc_err *err)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *pages = NULL;
    struct sharc_store_page_filter f = {.answered = true, .by_slot = true};
    struct sharc_err why = SHARC_ERR_INIT;
    int r = sharc_store_capture_find(store, SHARC_SPAN("latest"), &f.capture, &why);
    if (r == SHARC_ENOENT) return 0;
    if (r < 0) *err = why;
    if (r >= 0) r = sharc_store_pages(store, &f, &pages, err);
    if (r >= 0) r = sharc_store_rows_next(pages, err);
    if (r <= 0) return r;
    struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
    sharc_store_read_page(pages, &p);
    *ret = sharc_span_dup(p.url);
    return 0;
}

static int note_site(void *list, struct sharc_span url, struct sharc_err *err)
{
    (void)err;
    struct cli_list *l = list;
    SHARC_GROW(l->owned, l->owned_room, l->owned_count + 1);
    l->owned[l->owned_count++] = sharc_span_dup(url);
    return 0;
}

/* No capture yet: the site that the archive is for is asked. */
static int plan_listed(struct cli *c, struct plan_settings *s, const char *archive)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(cli_list_done) struct cli_list sites = {0};
    int n = sharc_archive_sites(archive, note_site, &sites, &err);
    if (n < 0) return cli_fail(c, &err);
    if (n == 0)
        return cli_usage(c, "%s holds no capture yet and its sharc.yaml lists no sites: sharc plan URL --archive %s",
                         archive, archive);
    if (n > 1)
        return cli_usage(c, "%s holds no capture yet and lists %d sites; plan one of them: sharc plan %s --archive %s",
                         archive, n, sites.owned[0], archive);
    s->archive = archive;
    return plan_url(c, s, sites.owned[0]);
}

/* What the captures show of its parts, beside what the plan expects of them. */
static void tell_parts(struct cli *c, struct sharc_store *store)
{
    SHARC_AUTO(sharc_figure_subsites_done) struct sharc_figure_subsites parts = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    if (cli_parts_find(store, NULL, &parts, &err) < 0)
        cli_note(c, "parts of the site cannot be told apart: %s", err.text);
    else
        cli_parts_text(c->out, &parts);
}

int plan_archive(struct cli *c, struct plan_settings *s, const char *archive)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *url = NULL;
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_survey_done) struct sharc_survey found = {0};
    if (open_store(archive, &store, &err) < 0) return cli_fail(c, &err);
    if (store && first_page(store, &url, &err) < 0) return cli_fail(c, &err);
    if (!url) return plan_listed(c, s, archive);
    if (find_delay(c, s, archive, url, &err) < 0) return cli_fail(c, &err);
    if (survey(c, s, url, NULL, store, &found, &err) < 0) return cli_fail(c, &err);
    s->archive = archive;
    int code = plan(c, s, url, &found);
    if (code == EXIT_OK && !c->json && !s->csv && !s->markdown) tell_parts(c, store);
    return code;
}
