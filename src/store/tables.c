/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables by name, for exports: numbers of URLs are shown as URLs.
 */
#include "store_int.h"

#include "sharc/store_job.h"
#include "sharc/store_review.h"
#include "sharc/store_watch.h"

typedef int table_fn(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                     struct sharc_err *reterr);

static int table_site(struct sharc_store *s, sharc_store_id capture SHARC_UNUSED, struct sharc_store_rows **ret,
                      struct sharc_err *reterr)
{
    return sharc_store_sites(s, ret, reterr);
}

static int table_capture(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                         struct sharc_err *reterr)
{
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    f.id = capture;
    return sharc_store_captures(s, &f, ret, reterr);
}

static int table_page(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                      struct sharc_err *reterr)
{
    return sharc_store_pages(s, &(struct sharc_store_page_filter){.capture = capture, .features = true, .looks = true},
                             ret, reterr);
}

static int table_look(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    sharc__store_sql_add(&q,
                         "SELECT l.capture, u.text AS url, l.kind AS look, l.visit, l.slot, l.took, l.size, l.modified,"
                         " l.warc, l.warc_offset, l.warc_length, l.importance, l.rate, l.status, l.change, l.digest,"
                         " l.text_digest, l.etag FROM look l JOIN url u ON u.id = l.url");
    if (capture) sharc__store_sql_with(&q, " WHERE l.capture = ?", sharc__store_int(capture));
    sharc__store_sql_add(&q, " ORDER BY l.capture, l.url, l.kind");
    return sharc__store_sql_rows(s, &q, ret, reterr);
}

static int table_grade(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                       struct sharc_err *reterr)
{
    return sharc_store_grades(s, capture, ret, reterr);
}

static int table_place(struct sharc_store *s, sharc_store_id capture SHARC_UNUSED, struct sharc_store_rows **ret,
                       struct sharc_err *reterr)
{
    return sharc_store_places(s, 0, ret, reterr);
}

static int table_link(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                      struct sharc_err *reterr)
{
    return sharc_store_links(s, &(struct sharc_store_link_filter){.capture = capture, .texts = true}, ret, reterr);
}

static int table_skipped(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                         struct sharc_err *reterr)
{
    return sharc_store_skipped(s, capture, NULL, ret, reterr);
}

static int table_observation(struct sharc_store *s, sharc_store_id capture SHARC_UNUSED, struct sharc_store_rows **ret,
                             struct sharc_err *reterr)
{
    struct sharc_store_seen_filter f = {.from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    return sharc_store_observations(s, &f, ret, reterr);
}

static int table_duplicate(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                           struct sharc_err *reterr)
{
    SHARC_FAIL_IF(capture == 0, reterr, SHARC_EINVAL, "the table duplicate is about one capture: name it");
    return sharc_store_duplicates(s, capture, false, ret, reterr);
}

static int table_subsite(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                         struct sharc_err *reterr)
{
    SHARC_FAIL_IF(capture == 0, reterr, SHARC_EINVAL, "the table subsite is about one capture: name it");
    return sharc_store_subsites(s, capture, 1, 0, ret, reterr);
}

static int table_url(struct sharc_store *s, sharc_store_id capture SHARC_UNUSED, struct sharc_store_rows **ret,
                     struct sharc_err *reterr)
{
    return sharc_store_urls(s, ret, reterr);
}

static int table_warc(struct sharc_store *s, sharc_store_id capture SHARC_UNUSED, struct sharc_store_rows **ret,
                      struct sharc_err *reterr)
{
    return sharc_store_warcs(s, ret, reterr);
}

static int table_host(struct sharc_store *s, sharc_store_id capture SHARC_UNUSED, struct sharc_store_rows **ret,
                      struct sharc_err *reterr)
{
    return sharc__store_rows_query(s,
                                   "SELECT id, name, next, backoff, robots_when, robots_status FROM host ORDER BY name",
                                   NULL, 0, ret, reterr);
}

static int table_rate(struct sharc_store *s, sharc_store_id capture SHARC_UNUSED, struct sharc_store_rows **ret,
                      struct sharc_err *reterr)
{
    return sharc_store_rates(s, 0, NULL, ret, reterr);
}

static int table_pattern(struct sharc_store *s, sharc_store_id capture SHARC_UNUSED, struct sharc_store_rows **ret,
                         struct sharc_err *reterr)
{
    return sharc_store_patterns(s, 0, ret, reterr);
}

static int table_model(struct sharc_store *s, sharc_store_id capture SHARC_UNUSED, struct sharc_store_rows **ret,
                       struct sharc_err *reterr)
{
    return sharc_store_models(s, NULL, ret, reterr);
}

static int table_job(struct sharc_store *s, sharc_store_id capture SHARC_UNUSED, struct sharc_store_rows **ret,
                     struct sharc_err *reterr)
{
    return sharc_store_jobs(s, NULL, ret, reterr);
}

static int table_watched(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                         struct sharc_err *reterr)
{
    return sharc_store_watched(s, capture, ret, reterr);
}

static int table_watch_look(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                            struct sharc_err *reterr)
{
    struct sharc_store_watch_filter f = SHARC_STORE_WATCH_FILTER_INIT;
    f.capture = capture;
    return sharc_store_watch_looks(s, &f, ret, reterr);
}

static int table_review(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                        struct sharc_err *reterr)
{
    struct sharc_store_review_filter f = SHARC_STORE_REVIEW_FILTER_INIT;
    f.capture = capture;
    return sharc_store_reviews(s, &f, ret, reterr);
}

/* function, name */
#define TABLES(X)                 \
    X(site, "site")               \
    X(capture, "capture")         \
    X(page, "page")               \
    X(look, "look")               \
    X(grade, "grade")             \
    X(place, "place")             \
    X(link, "link")               \
    X(url, "url")                 \
    X(host, "host")               \
    X(warc, "warc")               \
    X(skipped, "skipped")         \
    X(observation, "observation") \
    X(duplicate, "duplicate")     \
    X(subsite, "subsite")         \
    X(rate, "rate")               \
    X(pattern, "pattern")         \
    X(model, "model")             \
    X(job, "job")                 \
    X(watched, "watched")         \
    X(watch_look, "watch_look")   \
    X(review, "review")

static const struct table {
    const char *name;
    table_fn *open;
} tables[] = {
#define X(fn, name) {name, table_##fn},
    TABLES(X)
#undef X
};

static const char *const table_names[] = {
#define X(fn, name) name,
    TABLES(X)
#undef X
        NULL,
};

const char *const *sharc_store_tables(void)
{
    return table_names;
}

int sharc_store_table(struct sharc_store *s, const char *name, sharc_store_id capture, struct sharc_store_rows **ret,
                      struct sharc_err *reterr)
{
    for (size_t i = 0; i < SHARC_LENGTH(tables); i++)
        if (strcmp(tables[i].name, name) == 0) return tables[i].open(s, capture, ret, reterr);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf known = SHARC_BUF_INIT(4096);
    for (size_t i = 0; i < SHARC_LENGTH(tables); i++) sharc_buf_printf(&known, "%s%s", i ? ", " : "", tables[i].name);
    return sharc_fail(reterr, SHARC_ENOENT, "there is no table \"%s\"; the catalogue has %s", name,
                      sharc_buf_str(&known));
}
