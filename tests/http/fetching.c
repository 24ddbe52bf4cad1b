/* SPDX-License-Identifier: Apache-2.0 */
#include "fetching.h"

struct sharc_fetcher *fetcher;

struct sharc_fetcher_settings fetching_usual(void)
{
    return (struct sharc_fetcher_settings){
        .clock = sharc_clock_real(),
        .allow_private = true,
        .user_agent = "test",
        .max_time = 20 * SHARC_SEC,
        .max_body = 8 << 20,
        .spool_at = 64 << 10,
    };
}

struct sharc_fetcher *fetching_with(const struct sharc_fetcher_settings *s)
{
    struct sharc_err err;
    struct sharc_fetcher *f = NULL;
    if (sharc_fetcher_new(s, &f, &err) < 0) fail_msg("%s", err.text);
    return f;
}

int fetching_stop(void **state)
{
    (void)state;
    sharc_fetcher_freep(&fetcher);
    hostile_stop();
    return 0;
}

/* Lazily, so that a missing python3 skips each test instead of failing all. */
void fetching_ready(void)
{
    static bool started;
    if (!started) hostile_start();
    started = true;
    if (fetcher) return;
    struct sharc_fetcher_settings s = fetching_usual();
    fetcher = fetching_with(&s);
}

struct sharc_fetch_result *fetching_take(struct sharc_fetcher *f)
{
    struct sharc_err err;
    struct sharc_fetch_result *r = NULL;
    int n = sharc_fetcher_wait(f, SHARC_TIME_NONE, NULL, &r, &err);
    if (n < 0) fail_msg("%s", err.text);
    assert_int_equal(n, 1);
    return r;
}

struct sharc_fetch_result *fetching_get_with(struct sharc_fetcher *f, const struct sharc_fetch_request *req)
{
    struct sharc_err err;
    if (sharc_fetcher_submit(f, req, &err) < 0) fail_msg("%s", err.text);
    struct sharc_fetch_result *r = fetching_take(f);
    assert_ptr_equal(r->user, req->user);
    assert_true(r->code != 0);
    assert_true(r->end >= r->start);
    assert_true((r->state == SHARC_FETCH_OK) == (r->text[0] == 0));
    return r;
}

char *fetching_url(const char *site, const char *path)
{
    return sharc_asprintf("http://127.0.0.1:%u%s", hostile_port(site), path);
}

struct sharc_fetch_result *fetching_get(const char *path)
{
    SHARC_AUTO(sharc_freep) char *url = fetching_url("main", path);
    return fetching_get_with(fetcher, &(struct sharc_fetch_request){.url = sharc_span_of(url), .user = &fetcher});
}

/* The whole body, whether in memory or in a file. */
void fetching_body(const struct sharc_fetch_result *r, struct sharc_buf *out)
{
    struct sharc_spool_reader reader = {.spool = &r->body};
    struct sharc_span piece;
    size_t before = out->n;
    while (sharc_spool_pull(&reader, &piece, NULL) > 0) assert_int_equal(sharc_buf_put(out, piece), 0);
    sharc_spool_reader_done(&reader);
    assert_int_equal(out->n - before, sharc_spool_size(&r->body));
}
