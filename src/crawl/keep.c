/* SPDX-License-Identifier: Apache-2.0
 *
 * An answer that was recorded becomes the version that the next download is compared with.
 */
#include "output.h"

#include "sharc/warc_own.h"

/* The answer brought a page; its original is in this record, or in an earlier one. */
static void take_content(struct output *o, const struct job *j, const struct written *w, struct version *v)
{
    struct sharc_digest d = j->made.digest;
    if (j->made.answer == SHARC_ANSWER_REDIRECT) sharc_digest_of(SHARC_SHA256, sharc_buf_span(&j->made.location), &d);
    v->has_digest = d.n == sizeof v->digest;
    if (v->has_digest) memcpy(v->digest, d.bytes, sizeof v->digest);
    memcpy(v->content, j->made.shown.bytes, sizeof v->content);
    memcpy(v->head, j->made.head, sizeof v->head);
    v->marks = VERSION_CONTENT;
    if (!j->made.complete) v->marks |= VERSION_CUT;
    if (j->made.not_found) v->marks |= VERSION_NOT_FOUND;
    if (sharc__crawl_date_is_strong(&j->result->http)) v->marks |= VERSION_OLD_DATE;
    v->size = (uint32_t)(j->made.size < UINT32_MAX ? j->made.size : UINT32_MAX);
    if (!w->any || w->revisit) {
        if (j->in.before_id[0]) (void)sharc_warc_id_read(sharc_span_of(j->in.before_id), v->id);
        v->date = j->in.before.date; /* read beside the id: without both the next repetition would be stored whole */
        return;
    }
    v->date = j->result->start;
    v->file = sharc__crawl_file(o, w->places.response.file);
    v->offset = w->places.response.offset;
    (void)sharc_warc_id_read(sharc_span_of(w->places.response.id), v->id);
}

void sharc__crawl_answer_to_version(struct output *o, struct pages *p, const struct job *j, const struct written *w,
                                    struct version *v)
{
    const bool same = j->made.answer == SHARC_ANSWER_NOT_MODIFIED;
    struct sharc_span etag = sharc_http_get(&j->result->http, "ETag");
    if (etag.n && etag.n < 1024)
        v->etag = sharc__crawl_pages_etag(p, etag);
    else if (!same)
        v->etag = SHARC_NO_ID;
    if (j->made.modified != SHARC_TIME_NONE || !same) v->modified = j->made.modified;
    v->visit = j->result->start;
    v->ended = j->result->end;
    v->status = (int16_t)(same ? 200 : j->result->status);
    v->answer = (uint8_t)(same ? SHARC_ANSWER_CONTENT : j->made.answer);
    if (!same) take_content(o, j, w, v);
}
