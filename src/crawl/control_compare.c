/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers read back from the WARC files, and compared. Runs in the pool: a comparison
 * owns all that it touches.
 */
#include "controls.h"

#include "sharc/archive_places.h"
#include "sharc/base_file.h"
#include "sharc/url.h"
#include "sharc/warc.h"

#include <stdlib.h>

enum { BODY_MOST = 64 << 20 }; /* larger answers are not compared */

/* An answer, and what it points to. */
struct read_back {
    struct sharc_answer answer;
    struct sharc_buf body, location;
    char *type;
    sharc_time kept;
};

static void read_back_init(struct read_back *r)
{
    *r = (struct read_back){.body = SHARC_BUF_INIT(BODY_MOST), .location = SHARC_BUF_INIT(SHARC_EVIDENCE_LOCATION)};
}

static void read_back_done(struct read_back *r)
{
    sharc_buf_done(&r->body);
    sharc_buf_done(&r->location);
    free(r->type);
}

/* The file may still be written to. */
static struct sharc_warc *open_at(const char *dir, const char *file, uint64_t offset, struct sharc_record *ret)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, file), *open_path = sharc_asprintf("%s.open", path);
    const struct sharc_warc_options o = {.offset = offset};
    if (sharc_warc_open(path, &o, &w, NULL) < 0 && sharc_warc_open(open_path, &o, &w, NULL) < 0) {
        SHARC_AUTO(sharc_freep) char *object = sharc_archive_elsewhere(path);
        if (!object || sharc_warc_open(object, &o, &w, NULL) < 0) return NULL;
    }
    if (sharc_warc_next(w, ret, NULL) <= 0) return NULL;
    if (ret->type != SHARC_WARC_RESPONSE && ret->type != SHARC_WARC_REVISIT) return NULL;
    return SHARC_TAKE(w);
}

static void read_location(const struct sharc_http *h, struct sharc_span target, struct sharc_buf *out)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url base = SHARC_URL_INIT;
    if (sharc_url_parse(&base, target, NULL, NULL) == 0) sharc_evidence_location(h, &base, out);
}

static bool read_body(struct sharc_record *rec, struct read_back *ret)
{
    bool whole = !rec->truncated.p && sharc_record_read_all(rec, SHARC_WARC_CONTENT, &ret->body, NULL) == 0 &&
                 sharc_record_is_whole(rec);
    ret->answer.body = sharc_buf_span(&ret->body);
    sharc_digest_of(SHARC_SHA256, ret->answer.body, &ret->answer.content);
    return whole;
}

/* The bytes of a record that only repeats others. */
static bool read_original(const char *dir, const struct comparand *c, struct read_back *ret)
{
    struct sharc_record rec;
    if (!c->body_file) return false;
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = open_at(dir, c->body_file, c->body_offset, &rec);
    return w && rec.type == SHARC_WARC_RESPONSE && sharc_record_http(&rec) && read_body(&rec, ret);
}

/* What cannot be read is an answer that never came. */
static void read_answer(const char *dir, const struct comparand *c, struct read_back *ret)
{
    struct sharc_record rec;
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = open_at(dir, c->file, c->offset, &rec);
    const struct sharc_http *h = w ? sharc_record_http(&rec) : NULL;
    if (!h) return;
    ret->answer.status = h->status;
    ret->type = sharc_span_dup(h->content_type);
    ret->answer.type = sharc_span_of(ret->type);
    read_location(h, rec.target, &ret->location);
    ret->answer.location = sharc_buf_span(&ret->location);
    ret->kept = sharc__crawl_kept(h);
    ret->answer.cached = ret->kept > 0;
    bool part = sharc_http_is_part(h);
    ret->answer.complete =
        (rec.type == SHARC_WARC_REVISIT ? read_original(dir, c, ret) : read_body(&rec, ret)) && !part;
}

static void compare(const char *dir, struct comparison *c)
{
    struct read_back before, after;
    read_back_init(&before);
    read_back_init(&after);
    read_answer(dir, &c->before, &before);
    if (c->after.file) read_answer(dir, &c->after, &after);
    c->difference = (struct sharc_difference)SHARC_DIFFERENCE_INIT;
    c->spots = (struct sharc_places)SHARC_PLACES_INIT;
    /* Failing is to be not comparable, and to have no spots. */
    if (c->after.file) (void)sharc_evidence_compare(&before.answer, &after.answer, &c->difference, NULL);
    if (c->spots_too) (void)sharc_evidence_places(&before.answer, &c->spots, NULL);
    c->kept = after.kept;
    read_back_done(&before);
    read_back_done(&after);
}

struct comparing {
    const char *dir;
    struct comparison *all;
};

static int compare_one(size_t i, unsigned thread, void *arg)
{
    const struct comparing *c = arg;
    (void)thread;
    compare(c->dir, &c->all[i]);
    return 0;
}

void sharc__crawl_compare_all(const struct controls *c, struct comparison *all, size_t n)
{
    struct comparing in = {c->out->warc_dir, all};
    if (c->pool)
        (void)sharc_pool_each(c->pool, n, compare_one, &in);
    else
        for (size_t i = 0; i < n; i++) (void)compare_one(i, 0, &in);
}
