/* SPDX-License-Identifier: Apache-2.0
 *
 * What is made of a download before anybody decides anything: digest, decoded
 * bytes, links, text, dates, and how it compares with the version before. Runs
 * in the pool; a job owns all that it touches.
 */
#include "crawl_int.h"

#include "sharc/change_text.h"
#include "sharc/warc.h"

#include <math.h>
#include <stdlib.h>

enum { CONTENT_MOST = 64 << 20 };

void sharc__crawl_job_clear(struct job *j)
{
    sharc_fetch_result_free(j->result);
    free(j->before_file);
    struct job fresh = {.content = j->content,
                        .page = j->page,
                        .location = j->location,
                        .url = j->url,
                        .old_page = j->old_page,
                        .old_content = j->old_content,
                        .shingles = j->shingles};
    /* A page that was large once should not stay so for ever. */
    if (fresh.content.room > (4u << 20)) sharc_buf_done(&fresh.content);
    if (fresh.old_content.room > (1u << 20)) sharc_buf_done(&fresh.old_content);
    sharc_buf_clear(&fresh.content);
    sharc_buf_clear(&fresh.location);
    sharc_buf_clear(&fresh.old_content);
    fresh.content.max = fresh.old_content.max = CONTENT_MOST;
    fresh.location.max = LIMIT_URL;
    memcpy(j, &fresh, sizeof fresh);
}

void sharc__crawl_job_free(struct job *j)
{
    if (!j) return;
    sharc_fetch_result_free(j->result);
    free(j->before_file);
    sharc_buf_done(&j->content);
    sharc_buf_done(&j->old_content);
    sharc_buf_done(&j->location);
    sharc_page_done(&j->page);
    sharc_page_done(&j->old_page);
    sharc_url_done(&j->url);
    sharc_change_shingles_done(&j->shingles);
    free(j);
}

/* --- the payload: the body without its transfer coding ------------------------- */

static void digest_payload(struct job *j)
{
    struct sharc_fetch_result *r = j->result;
    if (r->body.fd < 0 && !sharc_http_is_chunked(&r->http)) {
        sharc_digest_of(SHARC_SHA256, sharc_buf_span(&r->body.memory), &j->digest);
        j->size = r->body.memory.n;
        return;
    }
    AUTO(sharc_hasher_freep) struct sharc_hasher *h = sharc_hasher_new();
    struct sharc_spool_reader in = {.spool = &r->body};
    struct sharc_http_body *body = NULL;
    struct sharc_span piece;
    sharc_hasher_start(h, SHARC_SHA256);
    if (sharc_http_body_new(&r->http, SHARC_HTTP_TRANSFER, UINT64_MAX, sharc_spool_pull, &in, &body, NULL) == 0) {
        while (sharc_http_body_pull(body, &piece, NULL) > 0) {
            sharc_hasher_add(h, piece.p, piece.n);
            j->size += piece.n;
        }
    }
    sharc_http_body_free(body);
    sharc_spool_reader_done(&in);
    sharc_hasher_end(h, &j->digest);
}

/* --- what kind of answer -------------------------------------------------------- */

static bool is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static void resolve_location(struct job *j)
{
    struct sharc_url target = SHARC_URL_INIT;
    struct sharc_span value = sharc_http_get(&j->result->http, "Location");
    if (value.p && sharc_url_parse(&target, value, &j->url, NULL) == 0) {
        sharc_url_strip_credentials(&target);
        sharc_buf_put(&j->location, sharc_url_page(&target));
    }
    sharc_url_done(&target);
}

static enum sharc_change_answer answer_of(struct job *j)
{
    int status = j->result->status;
    bool broken = j->result->state != SHARC_FETCH_OK && j->result->cut == SHARC_FETCH_WHOLE;
    if (status == 0 || broken) return SHARC_ANSWER_FAILED;
    if (status == 304) return j->conditional ? SHARC_ANSWER_NOT_MODIFIED : SHARC_ANSWER_FAILED;
    if (is_redirect(status)) {
        resolve_location(j);
        return j->location.n ? SHARC_ANSWER_REDIRECT : SHARC_ANSWER_FAILED;
    }
    if (status >= 200 && status < 300) return SHARC_ANSWER_CONTENT;
    if (status == 404 || status == 410) return SHARC_ANSWER_GONE;
    return SHARC_ANSWER_FAILED;
}

/* --- dates ------------------------------------------------------------------------ */

/* Last-Modified, unless it lies in the future or is the time of the answer
 * itself, as of pages made on the fly. */
static sharc_time last_modified(const struct job *j)
{
    const struct sharc_http *h = &j->result->http;
    sharc_time t, date;
    struct sharc_span v = sharc_http_get(h, "Last-Modified");
    if (!v.p || sharc_http_date_parse(v, &t) < 0 || t > j->result->end) return SHARC_TIME_NONE;
    v = sharc_http_get(h, "Date");
    if (v.p && sharc_http_date_parse(v, &date) == 0 && t >= date - 2 * SHARC_SEC) return SHARC_TIME_NONE;
    return t;
}

static void read_dates(struct job *j)
{
    j->modified = last_modified(j);
    j->changed_at = j->modified;
    if (j->changed_at == SHARC_TIME_NONE && j->extracted && j->page.modified != SHARC_TIME_NONE &&
        j->page.modified <= j->result->start)
        j->changed_at = j->page.modified;
}

/* --- extraction --------------------------------------------------------------------- */

static bool is_text_like(struct sharc_span type)
{
    static const char *const not_read[] = {"image/", "audio/", "video/", "font/"};
    if (sharc_span_istarts(type, SPAN("image/svg"))) return true;
    for (size_t i = 0; i < SHARC_LENGTH(not_read); i++) {
        if (sharc_span_istarts(type, sharc_span_of(not_read[i]))) return false;
    }
    return true;
}

static void extract(struct job *j)
{
    if (!is_text_like(j->type)) return;
    (void)sharc_fetch_decode(j->result, &j->content, NULL, NULL); /* the beginning is better than nothing */
    struct sharc_extract_input in = {.body = sharc_buf_span(&j->content),
                                     .url = &j->url,
                                     .content_type = sharc_http_get(&j->result->http, "Content-Type"),
                                     .want = SHARC_WANT_LINKS | SHARC_WANT_TEXT | SHARC_WANT_DATES};
    if (j->want_guesses) in.want |= SHARC_WANT_GUESSES;
    j->extracted = sharc_extract(&j->page, &in, NULL) == 0;
    if (!j->extracted || !j->want_text || j->page.text.n == 0) return;
    sharc_change_text_digest(j->page.text, &j->text_digest);
    sharc_change_shingles_make(&j->shingles, j->page.text, SHARC_CHANGE_WORDS, SHARC_CHANGE_SHINGLE);
    sharc_change_minhash(&j->shingles, SHARC_CHANGE_MINHASH, j->minhash);
    j->has_minhash = true;
}

/* --- the version before ---------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t *link_prints(const struct sharc_page *p, size_t *ret_n)
{
    uint64_t *prints = SHARC_NEW_ARRAY(uint64_t, p->link_count);
    size_t n = 0;
    for (size_t i = 0; i < p->link_count; i++) prints[i] = sharc_fingerprint(p->links[i].url, 0);
    qsort(prints, p->link_count, sizeof *prints, by_value);
    for (size_t i = 0; i < p->link_count; i++) {
        if (n == 0 || prints[n - 1] != prints[i]) prints[n++] = prints[i];
    }
    *ret_n = n;
    return prints;
}

/* Read the record that holds the version before; its id and date are those that
 * a revisit record must name. */
static bool read_before(struct job *j, bool content)
{
    if (!j->before_file) return false;
    AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_warc_options o = {.offset = j->before.offset};
    AUTO(sharc_freep) char *open_name = sharc_asprintf("%s.open", j->before_file);
    if (sharc_warc_open(j->before_file, &o, &w, NULL) < 0 && sharc_warc_open(open_name, &o, &w, NULL) < 0) return false;
    struct sharc_record rec;
    if (sharc_warc_next(w, &rec, NULL) <= 0 || rec.type != SHARC_WARC_RESPONSE) return false;
    j->before.date = rec.date;
    snprintf(j->before_id, sizeof j->before_id, "%.*s", SPAN_ARG(rec.id));
    if (!content) return true;
    const struct sharc_http *h = sharc_record_http(&rec);
    if (!h) return false;
    AUTO(sharc_freep) char *type = sharc_span_dup(sharc_http_get(h, "Content-Type"));
    (void)sharc_record_read_all(&rec, SHARC_WARC_CONTENT, &j->old_content, NULL);
    struct sharc_extract_input in = {.body = sharc_buf_span(&j->old_content),
                                     .url = &j->url,
                                     .content_type = sharc_span_of(type),
                                     .want = SHARC_WANT_LINKS | SHARC_WANT_TEXT};
    return is_text_like(sharc_span_of(type)) && sharc_extract(&j->old_page, &in, NULL) == 0;
}

static void fill_version(struct sharc_change_version *v, const struct sharc_page *p, uint64_t **prints)
{
    v->has_text = p->type == SHARC_PAGE_HTML || p->type == SHARC_PAGE_TEXT;
    v->text = p->text;
    *prints = link_prints(p, &v->n_links);
    v->links = *prints;
}

static void compare(struct job *j)
{
    struct sharc_digest old_digest = {.kind = SHARC_SHA256, .n = sizeof j->before.digest}, target;
    memcpy(old_digest.bytes, j->before.digest, sizeof j->before.digest);
    struct sharc_change_version before = {.answer = (enum sharc_change_answer)j->before.answer,
                                          .payload = j->before.has_digest ? &old_digest : NULL,
                                          .last_modified = j->before.modified};
    struct sharc_change_version after = {.answer = j->answer, .payload = &j->digest, .last_modified = j->modified};
    if (before.answer == SHARC_ANSWER_NOT_MODIFIED) before.answer = SHARC_ANSWER_CONTENT;
    AUTO(sharc_freep) uint64_t *old_links = NULL, *new_links = NULL;
    if (j->answer == SHARC_ANSWER_REDIRECT) {
        sharc_digest_of(SHARC_SHA256, sharc_buf_span(&j->location), &target);
        after.payload = &target;
    }
    j->identical = j->answer == SHARC_ANSWER_CONTENT && before.payload && sharc_digest_eq(before.payload, &j->digest);
    if (j->answer == SHARC_ANSWER_CONTENT && before.answer == SHARC_ANSWER_CONTENT && !j->identical && j->extracted &&
        read_before(j, true)) {
        fill_version(&before, &j->old_page, &old_links);
        fill_version(&after, &j->page, &new_links);
    }
    sharc_change_compare(&before, &after, j->change_options, &j->verdict);
}

/* A 304 brings no links; those of the version it confirms hold on. */
static void links_of_before(struct job *j)
{
    if (!j->want_links || !read_before(j, true)) return;
    struct sharc_page swap = j->page;
    j->page = j->old_page;
    j->old_page = swap;
    j->extracted = true;
}

void sharc__crawl_process(struct job *j)
{
    struct sharc_fetch_result *r = j->result;
    j->modified = j->changed_at = SHARC_TIME_NONE;
    j->type = sharc_http_media(sharc_http_get(&r->http, "Content-Type")).type;
    if (r->status) digest_payload(j);
    j->answer = answer_of(j);
    if (j->answer == SHARC_ANSWER_CONTENT) extract(j);
    read_dates(j);
    if (j->compare) compare(j);
    if (j->answer == SHARC_ANSWER_NOT_MODIFIED) links_of_before(j);
    if ((j->identical || j->answer == SHARC_ANSWER_NOT_MODIFIED) && !j->before_id[0]) (void)read_before(j, false);
}
