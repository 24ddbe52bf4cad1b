/* SPDX-License-Identifier: Apache-2.0
 *
 * What is made of a download before anybody decides anything: digest, decoded
 * bytes, links, text, dates, and how it compares with the version before. Runs
 * in the pool; a job owns all that it touches.
 */
#include "download.h"

#include "sharc/archive_places.h"
#include "sharc/base_limits.h"
#include "sharc/change_text.h"
#include "sharc/evidence.h"
#include "sharc/extract_compare.h"
#include "sharc/warc.h"

#include <stdio.h>
#include <stdlib.h>

/* --- the payload: the body without its transfer coding ------------------------- */

/* Head and body are wanted, too, for the record: side by side that costs little more than
 * the payload alone. What may turn out to be the same as before has no such record. */
static void digest_memory(struct job *j)
{
    struct sharc_span head = sharc_buf_span(&j->result->head), body = sharc_buf_span(&j->result->body.memory);
    j->made.size = body.n;
    if (j->in.compare) {
        sharc_digest_of(SHARC_SHA256, body, &j->made.digest);
        return;
    }
    if (!j->hashers) j->hashers = sharc_hasher_pair_new();
    sharc_hasher_pair_start(j->hashers, SHARC_SHA256);
    sharc_hasher_pair_add(j->hashers, head, SHARC_SPAN_NONE);
    if (body.n) sharc_hasher_pair_add(j->hashers, body, body);
    sharc_hasher_pair_end(j->hashers, &j->made.block, &j->made.digest);
}

static void digest_payload(struct job *j)
{
    struct sharc_fetch_result *r = j->result;
    j->made.complete = r->state == SHARC_FETCH_OK && r->cut == SHARC_FETCH_WHOLE && !sharc_http_is_part(&r->http);
    if (r->body.fd < 0 && !sharc_http_is_chunked(&r->http)) {
        digest_memory(j);
        return;
    }
    SHARC_AUTO(sharc_hasher_freep) struct sharc_hasher *h = sharc_hasher_new();
    struct sharc_spool_reader in = {.spool = &r->body};
    struct sharc_http_body *body = NULL;
    struct sharc_span piece;
    sharc_hasher_start(h, SHARC_SHA256);
    int n = sharc_http_body_new(&r->http, SHARC_HTTP_TRANSFER, UINT64_MAX, sharc_spool_pull, &in, &body, NULL);
    while (n >= 0 && (n = sharc_http_body_pull(body, &piece, NULL)) > 0) {
        sharc_hasher_add(h, piece.p, piece.n);
        j->made.size += piece.n;
    }
    struct sharc_http_body_state state = {.damaged = true};
    if (body) state = sharc_http_body_state(body);
    if (n < 0 || !sharc_http_body_is_whole(state)) j->made.complete = false;
    sharc_http_body_free(body);
    sharc_spool_reader_done(&in);
    sharc_hasher_end(h, &j->made.digest);
}

/* --- the content: without any coding --------------------------------------------- */

/* More than fits into memory: piece by piece, up to a limit against what unpacks without end. */
static int digest_pieces(struct job *j, struct sharc_http_body_state *ret)
{
    struct sharc_spool_reader in = {.spool = &j->result->body};
    SHARC_AUTO(sharc_hasher_freep) struct sharc_hasher *h = sharc_hasher_new();
    struct sharc_http_body *body = NULL;
    struct sharc_span piece;
    sharc_hasher_start(h, SHARC_SHA256);
    int n = sharc_http_body_new(&j->result->http, SHARC_HTTP_CONTENT, SHARC_LIMIT_SHOWN, sharc_spool_pull, &in, &body,
                                NULL);
    while (n >= 0 && (n = sharc_http_body_pull(body, &piece, NULL)) > 0) sharc_hasher_add(h, piece.p, piece.n);
    if (body) *ret = sharc_http_body_state(body);
    sharc_http_body_free(body);
    sharc_spool_reader_done(&in);
    sharc_hasher_end(h, &j->made.shown);
    return n;
}

static void digest_content(struct job *j)
{
    struct sharc_http_body_state state = {0};
    j->made.shown = j->made.digest;
    if (!sharc__crawl_is_coded(&j->result->http)) return;
    int n = sharc_fetch_decode(j->result, &j->made.content, &state, NULL);
    if (n == 0) {
        j->made.decoded = true;
        sharc_digest_of(SHARC_SHA256, sharc_buf_span(&j->made.content), &j->made.shown);
    } else {
        n = digest_pieces(j, &state);
    }
    if (n < 0 || !sharc_http_body_is_whole(state)) j->made.complete = false;
}

/* What must be equal beside the content, for a page to be the same. */
static void print_head(struct job *j)
{
    const struct sharc_http *h = &j->result->http;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf location = SHARC_BUF_INIT(SHARC_EVIDENCE_LOCATION);
    struct sharc_digest d;
    sharc_evidence_location(h, &j->in.url, &location);
    sharc_evidence_print_head(j->result->status, h->content_type, sharc_buf_span(&location), &d);
    memcpy(j->made.head, d.bytes, sizeof j->made.head);
}

/* --- what kind of answer -------------------------------------------------------- */

static void resolve_location(struct job *j)
{
    struct sharc_url target = SHARC_URL_INIT;
    struct sharc_span value = sharc_http_get(&j->result->http, "Location");
    if (value.p && sharc_url_parse(&target, value, &j->in.url, NULL) == 0) {
        sharc_url_strip_credentials(&target);
        sharc_buf_put(&j->made.location, sharc_url_page(&target));
    }
    sharc_url_done(&target);
}

static enum sharc_change_answer answer_of(struct job *j)
{
    int status = j->result->status;
    bool broken = j->result->state != SHARC_FETCH_OK && j->result->cut == SHARC_FETCH_WHOLE;
    if (status == 0 || broken) return SHARC_ANSWER_FAILED;
    if (status == 304) return j->in.conditional ? SHARC_ANSWER_NOT_MODIFIED : SHARC_ANSWER_FAILED;
    if (sharc_http_is_redirect(status)) {
        resolve_location(j);
        return j->made.location.n ? SHARC_ANSWER_REDIRECT : SHARC_ANSWER_FAILED;
    }
    if (status >= 200 && status < 300) return SHARC_ANSWER_CONTENT;
    if (status == 404 || status == 410) return SHARC_ANSWER_GONE;
    return SHARC_ANSWER_FAILED;
}

/* --- dates ------------------------------------------------------------------------ */

static void read_dates(struct job *j)
{
    j->made.modified = sharc_http_last_modified(&j->result->http, j->result->start);
    j->made.changed_at = j->made.modified;
    if (j->made.changed_at == SHARC_TIME_NONE && j->made.extracted && j->made.page.modified != SHARC_TIME_NONE &&
        j->made.page.modified <= j->result->start)
        j->made.changed_at = j->made.page.modified;
}

/* --- extraction --------------------------------------------------------------------- */

static void keep_mime(struct job *j, struct sharc_span type)
{
    sharc_buf_clear(&j->made.mime);
    for (size_t i = 0; i < type.n && i < j->made.mime.max; i++)
        sharc_buf_put_char(&j->made.mime, sharc_to_lower(type.p[i]));
}

static bool extract_from(struct sharc_page *page, const struct sharc_extract_input *in)
{
    return sharc_extract(page, in, NULL) == 0 && page->type != SHARC_PAGE_UNKNOWN;
}

static void keep_text(struct job *j)
{
    if (!j->made.extracted || !j->in.want_text || j->made.page.text.n == 0) return;
    sharc_change_text_digest(j->made.page.text, &j->made.text_digest);
    sharc_change_minhash_text(j->made.page.text, SHARC_CHANGE_MINHASH, j->made.minhash);
    j->made.words = sharc_change_count_words(j->made.page.text);
    j->made.has_minhash = true;
}

static void extract(struct job *j)
{
    if (!sharc_extract_is_worth(j->made.type)) return;
    if (!sharc_fetch_plain(j->result, &j->made.body)) {
        if (!j->made.decoded) {
            sharc_buf_clear(&j->made.content);
            (void)sharc_fetch_decode(j->result, &j->made.content, NULL,
                                     NULL); /* the beginning is better than nothing */
        }
        j->made.body = sharc_buf_span(&j->made.content);
    }
    struct sharc_extract_input in = {.body = j->made.body,
                                     .url = &j->in.url,
                                     .content_type = j->result->http.content_type,
                                     .want = SHARC_WANT_LINKS | SHARC_WANT_TEXT | SHARC_WANT_DATES};
    if (j->in.want_guesses) in.want |= SHARC_WANT_GUESSES;
    if (j->in.compare && !j->made.identical) in.want |= SHARC_WANT_BLOCKS; /* the change will be weighed */
    j->made.extracted = extract_from(&j->made.page, &in);
    keep_text(j);
}

/* --- the version before ---------------------------------------------------------------- */

/* Read the record that holds the version before; its id and date are those that
 * a revisit record must name. want: enum sharc_extract_want into old_page; 0: only
 * the record's head. */
static bool read_before(struct job *j, unsigned want)
{
    if (!j->in.before_file) return false;
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_warc_options o = {.offset = j->in.before.offset};
    SHARC_AUTO(sharc_freep) char *open_name = sharc_asprintf("%s.open", j->in.before_file);
    if (sharc_warc_open(j->in.before_file, &o, &w, NULL) < 0 && sharc_warc_open(open_name, &o, &w, NULL) < 0) {
        SHARC_AUTO(sharc_freep) char *object = sharc_archive_elsewhere(j->in.before_file);
        if (!object || sharc_warc_open(object, &o, &w, NULL) < 0) return false;
    }
    struct sharc_record rec;
    if (sharc_warc_next(w, &rec, NULL) <= 0 || rec.type != SHARC_WARC_RESPONSE) return false;
    j->in.before.date = rec.date;
    snprintf(j->in.before_id, sizeof j->in.before_id, "%.*s", SHARC_SPAN_ARG(rec.id));
    const struct sharc_http *h = want ? sharc_record_http(&rec) : NULL;
    SHARC_AUTO(sharc_freep) char *type = h ? sharc_span_dup(h->content_type) : NULL;
    if (h) (void)sharc_record_read_all(&rec, SHARC_WARC_CONTENT, &j->old_content, NULL);
    if (sharc_record_length(&rec, &j->in.before_length, NULL) < 0) j->in.before_length = 0;
    if (!h) return !want;
    struct sharc_extract_input in = {.body = sharc_buf_span(&j->old_content),
                                     .url = &j->in.url,
                                     .content_type = sharc_span_of(type),
                                     .want = want};
    struct sharc_span media = sharc_http_media(in.content_type).type;
    if (j->made.answer == SHARC_ANSWER_NOT_MODIFIED) keep_mime(j, media);
    return sharc_extract_is_worth(media) && extract_from(&j->old_page, &in);
}

/* --- the comparison ------------------------------------------------------------------- */

static struct sharc_digest sha256(const uint8_t bytes[32])
{
    struct sharc_digest d = {.kind = SHARC_SHA256, .n = 32};
    memcpy(d.bytes, bytes, 32);
    return d;
}

/* Digest of the content before, if it can be told; read: it is in old_content. */
static bool content_before(struct job *j, bool read, struct sharc_digest *ret)
{
    const struct version *v = &j->in.before;
    if (v->answer == SHARC_ANSWER_REDIRECT && v->has_digest)
        *ret = sha256(v->digest); /* of its target */
    else if (v->marks & VERSION_CONTENT)
        *ret = sha256(v->content);
    else if (j->made.identical)
        *ret = j->made.shown;
    else if (read && j->old_content.n < j->old_content.max)
        sharc_digest_of(SHARC_SHA256, sharc_buf_span(&j->old_content), ret);
    else if (v->has_digest && !sharc__crawl_is_coded(&j->result->http))
        *ret = sha256(v->digest);
    else
        return false;
    return true;
}

static void take_text(struct sharc_page_version *v, const struct sharc_page *page, struct sharc_span body,
                      struct sharc_page_prints *prints)
{
    v->has_text = sharc_page_text(page, v->content_type, body, &v->text);
    if (!v->has_text) return;
    sharc_page_prints_make(prints, page, v->text);
    v->prints = prints;
    v->stated = page->modified;
}

/* Nothing short of the version before tells what has become of it. */
static bool must_be_read(const struct job *j)
{
    const struct version *v = &j->in.before;
    const bool content = v->answer == SHARC_ANSWER_CONTENT || v->answer == SHARC_ANSWER_NOT_MODIFIED;
    if (j->made.answer != SHARC_ANSWER_CONTENT || !content || j->made.identical) return false;
    if (v->marks & VERSION_CONTENT)
        return j->made.extracted && memcmp(v->content, j->made.shown.bytes, sizeof v->content) != 0;
    return j->made.extracted || sharc__crawl_is_coded(&j->result->http);
}

/* By the one function that sharc diff asks, too. */
static void compare(struct job *j)
{
    struct sharc_digest old_content, target = {.n = 0};
    struct sharc_span url = sharc_url_page(&j->in.url), type = j->result->http.content_type;
    struct sharc_page_version before = {.answer = (enum sharc_change_answer)j->in.before.answer,
                                        .last_modified = j->in.before.modified,
                                        .stated = SHARC_TIME_NONE,
                                        .content_type = type,
                                        .front = sharc_page_is_front(url)};
    struct sharc_page_version after = {.answer = j->made.answer,
                                       .content = &j->made.shown,
                                       .last_modified = j->made.modified,
                                       .stated = SHARC_TIME_NONE,
                                       .content_type = type,
                                       .front = before.front};
    if (before.answer == SHARC_ANSWER_NOT_MODIFIED) before.answer = SHARC_ANSWER_CONTENT;
    SHARC_AUTO(sharc_page_prints_done) struct sharc_page_prints old_prints = SHARC_PAGE_PRINTS_INIT;
    SHARC_AUTO(sharc_page_prints_done) struct sharc_page_prints new_prints = SHARC_PAGE_PRINTS_INIT;
    struct sharc_page_judgement judged;
    bool read =
        must_be_read(j) && read_before(j, SHARC_WANT_LINKS | SHARC_WANT_TEXT | SHARC_WANT_BLOCKS | SHARC_WANT_DATES);
    if (j->made.answer == SHARC_ANSWER_REDIRECT) {
        sharc_digest_of(SHARC_SHA256, sharc_buf_span(&j->made.location), &target);
        after.content = &target;
    }
    if (content_before(j, read || j->old_content.n > 0, &old_content)) before.content = &old_content;
    if (read && j->made.extracted) {
        take_text(&before, &j->old_page, sharc_buf_span(&j->old_content), &old_prints);
        take_text(&after, &j->made.page, j->made.body, &new_prints);
    }
    sharc_page_judge(&before, &after, j->in.change_options, &judged, NULL);
    j->made.verdict = judged.verdict;
    j->made.importance = judged.importance;
}

/* A 304 brings no links and no text; those of the version it confirms hold on. */
static void take_from_before(struct job *j)
{
    if (!j->in.want_links || !read_before(j, SHARC_WANT_LINKS | SHARC_WANT_TEXT | SHARC_WANT_DATES)) return;
    struct sharc_page swap = j->made.page;
    j->made.page = j->old_page;
    j->old_page = swap;
    j->made.extracted = true;
    keep_text(j);
}

static bool is_identical(const struct job *j)
{
    return j->in.compare && j->made.answer == SHARC_ANSWER_CONTENT && j->in.before.has_digest &&
           j->made.digest.kind == SHARC_SHA256 &&
           memcmp(j->in.before.digest, j->made.digest.bytes, sizeof j->in.before.digest) == 0;
}

void sharc__crawl_process(struct job *j)
{
    struct sharc_fetch_result *r = j->result;
    j->made.modified = j->made.changed_at = SHARC_TIME_NONE;
    j->made.type = sharc_http_media(r->http.content_type).type;
    keep_mime(j, j->made.type);
    if (r->status) digest_payload(j);
    j->made.answer = answer_of(j);
    if (r->status && j->made.answer != SHARC_ANSWER_NOT_MODIFIED) digest_content(j);
    print_head(j);
    j->made.identical = is_identical(j);
    /* A second look or revisit that shows the same bytes tells nothing more. */
    bool nothing_new = !j->in.want_links && sharc__crawl_repeats(j);
    if (j->made.answer == SHARC_ANSWER_CONTENT && !nothing_new && !j->in.bare) extract(j);
    read_dates(j);
    if (j->in.compare)
        compare(j);
    else
        j->made.verdict =
            (struct sharc_change_verdict){.change = SHARC_NEW, .similarity = -1, .stated = SHARC_TIME_NONE};
    if (!j->in.compare) j->made.importance = sharc_change_class_importance(&j->made.verdict);
    if (j->made.answer == SHARC_ANSWER_NOT_MODIFIED) take_from_before(j);
    if ((j->made.identical || j->made.answer == SHARC_ANSWER_NOT_MODIFIED) && !j->in.before_id[0])
        (void)read_before(j, 0);
}
