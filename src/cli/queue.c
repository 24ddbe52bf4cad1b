/* SPDX-License-Identifier: Apache-2.0
 *
 * Sites gathered and queued as jobs.
 */
#include "queue.h"
#include "archive.h"

#include "sharc/crawl.h"
#include "sharc/store_job.h"
#include "sharc/url.h"

#include <stdlib.h>
#include <unistd.h>

void queue_init(struct queue *q, const char *kind)
{
    static const char *const none[] = {NULL};
    *q = (struct queue){
        .kind = kind, .due = SHARC_TIME_NONE, .not_kept = none, .files = none, .names = sharc_intern_new()};
}

void queue_done(struct queue *q)
{
    for (uint32_t i = 0; i < sharc_intern_count(q->names); i++) {
        cli_list_done(&q->site[i].seeds);
        cli_list_done(&q->site[i].settings);
    }
    free(q->site);
    sharc_intern_free(q->names);
}

/* A password belongs into no catalogue. malloc'ed; NULL: there is none in it. */
static char *without_password(struct sharc_span url, struct sharc_span line)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    if (sharc_url_parse_typed(&u, url, NULL) < 0) return NULL;
    SHARC_AUTO(sharc_freep) char *before = sharc_span_dup(sharc_url_href(&u));
    sharc_url_strip_credentials(&u);
    const struct sharc_span after = sharc_url_href(&u);
    if (sharc_span_is(after, before)) return NULL;
    const struct sharc_span rest = sharc_span_from(line, url.n);
    return sharc_asprintf("%.*s%.*s", SHARC_SPAN_ARG(after), SHARC_SPAN_ARG(rest));
}

int queue_seed(struct queue *q, struct sharc_span url, struct sharc_span line, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(64u << 10);
    int r = sharc_crawl_site_name(url, &name, err);
    if (r < 0) return r;
    bool fresh = false;
    uint32_t i = sharc_intern_add(q->names, sharc_buf_span(&name), &fresh);
    SHARC_GROW(q->site, q->room, (size_t)i + 1);
    if (fresh) q->site[i] = (struct queue_site){0};
    SHARC_AUTO(sharc_freep) char *plain = without_password(url, line);
    cli_list_add(&q->site[i].seeds, plain ? sharc_span_of(plain) : line);
    return 0;
}

int queue_setting(struct queue *q, struct sharc_span url, struct sharc_span setting, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(64u << 10);
    int r = sharc_crawl_site_name(url, &name, err);
    uint32_t i = r < 0 ? SHARC_NO_ID : sharc_intern_find(q->names, sharc_buf_span(&name));
    if (i != SHARC_NO_ID) cli_list_add(&q->site[i].settings, setting);
    return r;
}

/* --- what is written down ----------------------------------------------------------------- */

static bool is_kept(const struct queue *q, const char *said)
{
    for (size_t i = 0; q->not_kept[i]; i++) {
        size_t n = strlen(q->not_kept[i]);
        if (strncmp(said + 2, q->not_kept[i], n) == 0 && (said[2 + n] == '=' || said[2 + n] == 0)) return false;
    }
    return true;
}

static void put_list(struct sharc_json *j, const char *name, const struct cli_list *l)
{
    sharc_json_array(j, name);
    for (size_t i = 0; i < l->count; i++) sharc_json_str(j, NULL, l->items[i]);
    sharc_json_end(j);
}

/* The file that an option names, such as "--cookies=jar": where its name begins. A worker is started somewhere else,
 * so it gets the whole path. 0: it names none. */
static size_t file_of(const struct queue *q, const char *said)
{
    for (size_t i = 0; q->files[i]; i++) {
        size_t n = strlen(q->files[i]);
        if (strncmp(said, q->files[i], n) != 0) continue;
        return (q->word && strcmp(q->word, q->files[i]) == 0) || said[n] == '/' ? 0 : n;
    }
    return 0;
}

static void put_options(struct sharc_json *j, const struct queue *q)
{
    SHARC_AUTO(sharc_freep) char *here = getcwd(NULL, 0);
    sharc_json_array(j, "options");
    for (size_t i = 0; i < q->said->count; i++) {
        const char *said = q->said->items[i];
        size_t at = here ? file_of(q, said) : 0;
        SHARC_AUTO(sharc_freep) char *whole = at ? sharc_asprintf("%.*s%s/%s", (int)at, said, here, said + at) : NULL;
        if (is_kept(q, said)) sharc_json_str(j, NULL, whole ? whole : said);
    }
    sharc_json_end(j);
}

static void put_params(const struct queue *q, const struct queue_site *site, struct sharc_buf *out)
{
    struct sharc_json j;
    sharc_json_init(&j, out, false);
    sharc_json_object(&j, NULL);
    put_list(&j, "seeds", &site->seeds);
    put_options(&j, q);
    if (site->settings.count) put_list(&j, "site", &site->settings);
    sharc_json_end(&j);
}

/* --- jobs ------------------------------------------------------------------------------------ */

/* 1: queued; 0: it has such a job already, as err says. */
static int add_job(struct sharc_store *store, const struct queue *q, uint32_t i, sharc_store_id *ret,
                   struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf params = SHARC_BUF_INIT(64u << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf seeds = SHARC_BUF_INIT(64u << 20);
    struct sharc_json j;
    put_params(q, &q->site[i], &params);
    sharc_json_init(&j, &seeds, false);
    put_list(&j, NULL, &q->site[i].seeds);
    struct sharc_store_site row = {.name = sharc_intern_text(q->names, i)};
    if (strcmp(q->kind, "crawl") == 0) row.seeds = sharc_buf_span(&seeds);
    struct sharc_store_job job = {.kind = sharc_span_of(q->kind),
                                  .collection = sharc_span_of(q->collection ? q->collection : ""),
                                  .params = sharc_buf_span(&params),
                                  .schedule = q->schedule ? sharc_span_of(q->schedule) : SHARC_SPAN_NONE,
                                  .due = q->due};
    int r = sharc_buf_result(&params, err);
    if (r == 0) r = sharc_store_site_put(store, &row, &job.site, err);
    if (r == 0) r = sharc_store_job_add(store, &job, ret, err);
    return r == SHARC_EEXIST ? 0 : r < 0 ? r : 1;
}

static int add_jobs(struct cli *c, struct sharc_store *store, const struct queue *q, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 30);
    struct sharc_json j;
    int r = 0;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_array(&j, "jobs");
    for (uint32_t i = 0; i < sharc_intern_count(q->names) && r >= 0; i++) {
        const struct sharc_span name = sharc_intern_text(q->names, i);
        sharc_store_id id = 0;
        r = add_job(store, q, i, &id, err);
        if (r < 0) break;
        sharc_json_object(&j, NULL);
        sharc_json_span(&j, "site", name);
        sharc_json_bool(&j, "queued", r > 0);
        if (r > 0) sharc_json_int(&j, "job", id);
        sharc_json_end(&j);
        if (r == 0) cli_note(c, "%.*s: %s; it is left as it is", SHARC_SPAN_ARG(name), err->text);
        if (r > 0 && !c->json) fprintf(c->out, "job %lld: %.*s\n", (long long)id, SHARC_SPAN_ARG(name));
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    if (c->json && r >= 0) fprintf(c->out, "%s\n", sharc_buf_str(&out));
    return r < 0 ? r : 0;
}

int queue_submit(struct cli *c, const struct queue *q, const char *archive, const char *store_url,
                 struct sharc_err *err)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    int r = sharc_archive_open(archive, store_url, NULL, &store, err);
    return r < 0 ? r : add_jobs(c, store, q, err);
}
