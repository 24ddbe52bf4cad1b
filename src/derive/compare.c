/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

enum { BODY_MOST = 64 << 20 }; /* larger answers are not compared, as in the crawler */

struct read_back {
    struct sharc_answer answer;
    struct sharc_buf body;
};

static bool read_body(const struct sharc_derived *f, const struct sharc_download *d, struct sharc_buf *out)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    const struct sharc_derived_file *file = &f->files[d->file];
    struct sharc_warc_options o = {.offset = d->offset, .joined = true, .name = file->name};
    struct sharc_record rec;
    if (sharc_warc_open_bytes(file->bytes, &o, &w, NULL) < 0 || sharc_warc_next(w, &rec, NULL) <= 0) return false;
    return rec.type == SHARC_WARC_RESPONSE && sharc_record_http(&rec) &&
           sharc_record_read_all(&rec, SHARC_WARC_CONTENT, out, NULL) == 0;
}

static void read_answer(const struct sharc_derived *f, uint32_t number, struct read_back *ret)
{
    *ret = (struct read_back){.body = SHARC_BUF_INIT(BODY_MOST)};
    if (number == SHARC_DERIVED_NONE) return;
    const struct sharc_download *d = &f->all.items[number];
    const struct sharc_download *body = d->flags & SHARC_DOWNLOAD_REVISIT ? NULL : d;
    if ((d->flags & SHARC_DOWNLOAD_REVISIT) && (d->flags & SHARC_DOWNLOAD_HAS_CONTENT) &&
        d->original != SHARC_DERIVED_NONE)
        body = &f->all.items[d->original];
    ret->answer.status = d->status;
    ret->answer.type = sharc_derived_text(f, d->type);
    ret->answer.location = sharc_derived_text(f, d->whole_target);
    ret->answer.cached = d->age >= 0;
    ret->answer.complete = body && !(d->flags & SHARC_DOWNLOAD_CUT) && !(body->flags & SHARC_DOWNLOAD_CUT) &&
                           (d->flags & SHARC_DOWNLOAD_HAS_CONTENT) && read_body(f, body, &ret->body);
    ret->answer.body = sharc_buf_span(&ret->body);
    sharc_digest_of(SHARC_SHA256, ret->answer.body, &ret->answer.content);
    /* Both readings of one record must agree, or something is wrong here. */
    if (ret->answer.complete && memcmp(ret->answer.content.bytes, d->content, sizeof d->content) != 0)
        ret->answer.complete = false;
}

void sharc__derive_compare_bodies(const struct sharc_derived *f, struct comparison *c)
{
    struct read_back before, after;
    read_answer(f, c->before, &before);
    read_answer(f, c->after, &after);
    c->difference = (struct sharc_difference)SHARC_DIFFERENCE_INIT;
    c->spots = (struct sharc_places)SHARC_PLACES_INIT;
    /* Failing is to be not comparable, and to have no spots. */
    if (c->before != SHARC_DERIVED_NONE && c->after != SHARC_DERIVED_NONE)
        (void)sharc_evidence_compare(&before.answer, &after.answer, &c->difference, NULL);
    c->difference.repeated = c->repeated;
    if (c->spots_too) (void)sharc_evidence_places(&before.answer, &c->spots, NULL);
    sharc_buf_done(&before.body);
    sharc_buf_done(&after.body);
}
