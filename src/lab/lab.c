/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting and stopping the living site.
 */
#include "lab_int.h"

#include "sharc/base_digest.h"

#include <math.h>
#include <stdlib.h>

static int check_options(const struct sharc_lab_options *o, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!(o->speed > 0) || !isfinite(o->speed), reterr, SHARC_EINVAL, "the speed must be above 0");
    SHARC_FAIL_IF(o->words < 50 || o->words > 100000, reterr, SHARC_EINVAL, "a page has 50 to 100000 words, not %u",
                  o->words);
    SHARC_FAIL_IF(!o->clock, reterr, SHARC_EINVAL, "a living site needs a clock");
    SHARC_FAIL_IF(o->signals.teller != SHARC_SIM_LASTMOD, reterr, SHARC_EINVAL,
                  "sitemap and feed of a living site tell of the same edits: signals are lastmod or "
                  "lastmod:RECALL,PRECISION");
    SHARC_FAIL_IF(o->signals.late > 0, reterr, SHARC_EINVAL,
                  "how late a sitemap is follows from setting \"sitemaps\"; give recall and precision only");
    if (o->dataset) {
        SHARC_FAIL_IF(!(o->from < o->to), reterr, SHARC_EINVAL, "setting \"from\" must lie before setting \"to\"");
        return 0;
    }
    SHARC_FAIL_IF(o->pages < 10 || o->pages > SHARC_LIMIT_LAB_PAGES, reterr, SHARC_EINVAL,
                  "a site has 10 to %u pages, not %u", SHARC_LIMIT_LAB_PAGES, o->pages);
    SHARC_FAIL_IF(!(o->skew >= 0) || !isfinite(o->skew), reterr, SHARC_EINVAL, "the skew must not be negative");
    SHARC_FAIL_IF(o->hottest <= 0, reterr, SHARC_EINVAL, "the time between two edits must be above 0");
    SHARC_FAIL_IF(o->counter_every < 0 || o->layout_every < 0 || o->sitemap_every < 0, reterr, SHARC_EINVAL,
                  "times must not be negative");
    return 0;
}

/* Sites that differ in what their pages say have other tags. */
static uint64_t etag_seed(const struct sharc_lab_options *o)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4096);
    sharc_buf_printf(&b, "%llu %u %g %s %.0f %.0f %u %x", (unsigned long long)o->seed, o->pages, o->counters,
                     o->dataset ? o->dataset->name : "", o->from, o->to, o->words, o->edits);
    return sharc_fingerprint(sharc_buf_span(&b), 0);
}

static struct sharc_lab *lab_new(const struct sharc_lab_options *o)
{
    struct sharc_lab *l = SHARC_NEW(struct sharc_lab);
    l->o = *o;
    l->etag_seed = etag_seed(o);
    pthread_mutex_init(&l->lock, NULL);
    sharc_heap_init(&l->events);
    sharc_buf_init(&l->robots, LAB_BODY_MAX);
    sharc_buf_init(&l->sitemap, LAB_BODY_MAX);
    sharc_buf_init(&l->feed, LAB_BODY_MAX);
    return l;
}

static int lab_open(struct sharc_lab *l, struct sharc_err *reterr)
{
    int r = 0;
    if (l->o.dataset)
        r = sharc__lab_recorded(&l->site, &l->o, reterr);
    else
        sharc__lab_synthetic(&l->site, &l->o);
    if (r == 0) sharc__lab_set_mix(&l->site, &l->o);
    if (r == 0) r = sharc__lab_log_open(&l->truth, l->o.truth, reterr);
    if (r == 0) r = sharc__lab_log_open(&l->requests, l->o.requests, reterr);
    if (r < 0) return r;
    l->states = SHARC_NEW_ARRAY(struct lab_state, l->site.count);
    struct sharc_http_server_options server = SHARC_HTTP_SERVER_OPTIONS;
    server.address = l->o.address;
    server.port = l->o.port;
    server.handler = sharc__lab_answer;
    server.arg = l;
    /* Whoever is quick to ask waits at the lock until the site is there. */
    pthread_mutex_lock(&l->lock);
    r = sharc_http_server_start(&server, &l->server, reterr);
    if (r == 0) {
        l->url = sharc_http_server_url(l->server);
        l->start = l->o.clock->now(l->o.clock);
        sharc__lab_begin(l);
        r = sharc__lab_log_flush(&l->truth, reterr);
    }
    pthread_mutex_unlock(&l->lock);
    return r;
}

int sharc_lab_start(const struct sharc_lab_options *o, struct sharc_lab **ret, struct sharc_err *reterr)
{
    int r = check_options(o, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_lab_stopp) struct sharc_lab *l = lab_new(o);
    r = lab_open(l, reterr);
    if (r < 0) return r;
    *ret = SHARC_TAKE(l);
    return 0;
}

void sharc_lab_stop(struct sharc_lab *l)
{
    if (!l) return;
    sharc_http_server_stop(l->server); /* no handler runs any more */
    sharc__lab_log_close(&l->truth, NULL);
    sharc__lab_log_close(&l->requests, NULL);
    sharc_heap_done(&l->events);
    sharc_buf_done(&l->robots);
    sharc_buf_done(&l->sitemap);
    sharc_buf_done(&l->feed);
    sharc__lab_site_done(&l->site);
    free(l->states);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

void sharc_lab_stopp(struct sharc_lab **l)
{
    sharc_lab_stop(*l);
    *l = NULL;
}

const char *sharc_lab_url(const struct sharc_lab *l)
{
    return l->url;
}

int sharc_lab_tick(struct sharc_lab *l, struct sharc_err *reterr)
{
    pthread_mutex_lock(&l->lock);
    sharc__lab_advance(l, l->o.clock->now(l->o.clock));
    int r = sharc__lab_log_flush(&l->truth, reterr);
    int r2 = sharc__lab_log_flush(&l->requests, r < 0 ? NULL : reterr);
    pthread_mutex_unlock(&l->lock);
    return r < 0 ? r : r2;
}

static double edits_per_minute(const struct sharc_lab *l)
{
    double sum = 0;
    for (size_t i = 0; i < l->site.count; i++) sum += l->site.items[i].rate;
    if (l->o.dataset) { /* what really comes */
        size_t n = 0;
        const double *first;
        for (size_t i = 0; i < l->site.count; i++)
            if (l->site.items[i].origin != LAB_NO_ORIGIN)
                n += sharc_dataset_between(l->o.dataset, l->site.items[i].origin, l->o.from, l->o.to, &first);
        sum = (double)n / (l->o.to - l->o.from);
    }
    return sum * l->o.speed * 60;
}

struct sharc_lab_totals sharc_lab_totals(struct sharc_lab *l)
{
    pthread_mutex_lock(&l->lock);
    struct sharc_lab_totals t = l->totals;
    pthread_mutex_unlock(&l->lock);
    t.pages = l->site.pages;
    t.files = l->site.count - l->site.pages;
    t.per_minute = edits_per_minute(l);
    return t;
}

int sharc_lab_body(const struct sharc_lab *l, struct sharc_span path, struct sharc_lab_version version,
                   struct sharc_buf *out, struct sharc_err *reterr)
{
    uint32_t item = sharc_intern_find(l->site.paths, path);
    SHARC_FAIL_IF(item == SHARC_NO_ID || l->site.items[item].kind >= LAB_REDIRECT, reterr, SHARC_ENOENT,
                  "the site has no page at %.*s whose body follows from its version", SHARC_SPAN_ARG(path));
    sharc__lab_item_body(&l->site, item, version, NULL, out);
    return sharc_buf_result(out, reterr);
}
