/* SPDX-License-Identifier: Apache-2.0
 *
 * Packing responses and requests ahead of their turn. Digests and compression are nearly all
 * that writing costs; they need nothing of the file but the id of its warcinfo,
 * so any thread can do them. The packer is a writer whose file is a buffer.
 */
#include "write_int.h"

#include <stdio.h>
#include <stdlib.h>

struct sharc_warc_packer {
    struct sharc_warc_writer *w;
};

struct sharc_warc_packer *sharc_warc_packer_new(const struct sharc_warc_writer *like)
{
    struct sharc_warc_packer *p = SHARC_NEW(struct sharc_warc_packer);
    struct sharc_warc_writer_options o = like->o;
    o.path = "packed ahead";
    o.info = SHARC_SPAN_NONE;
    int r = sharc_warc_writer_open(&o, &p->w, NULL);
    if (r < 0) SHARC_BUG("a packer has a path, so it opens");
    return p;
}

void sharc_warc_packer_free(struct sharc_warc_packer *p)
{
    if (!p) return;
    sharc_warc_writer_free(p->w);
    free(p);
}

int sharc_warc_ahead_begin(struct sharc_warc_writer *w, sharc_time now, struct sharc_warc_ahead *ret,
                           struct sharc_err *reterr)
{
    int r = sharc__warc_prepare(w, now, reterr);
    ret->packed = false;
    if (r < 0) return r;
    sharc__warc_make_id(w, ret->id);
    sharc__warc_make_id(w, ret->request_id);
    memcpy(ret->info_id, w->info_id, sizeof ret->info_id);
    return 0;
}

int sharc_warc_ahead_pack(struct sharc_warc_packer *p, const struct sharc_warc_fetch *f, struct sharc_warc_ahead *a,
                          struct sharc_err *reterr)
{
    struct sharc_warc_place place = {0}, request = {0};
    SHARC_FAIL_IF(f->response.head.n + f->response.body.n + f->response.fd_size == 0, reterr, SHARC_EINVAL,
                  "there is no response to be packed");
    p->w->at = 0;
    p->w->sink = &a->bytes;
    memcpy(p->w->info_id, a->info_id, sizeof a->info_id);
    sharc_buf_clear(&a->bytes);
    int r = sharc__warc_write_main(p->w, f, a->id, &place, reterr);
    if (r == 0) r = sharc__warc_write_request(p->w, f, a->id, a->request_id, &request, reterr);
    if (r < 0) return r;
    a->payload = place.payload;
    a->response_length = (size_t)place.length;
    a->packed = true;
    return 0;
}

bool sharc__warc_ahead_fits(const struct sharc_warc_writer *w, const struct sharc_warc_ahead *a)
{
    return a && a->packed && strcmp(a->info_id, w->info_id) == 0;
}

void sharc__warc_ahead_places(struct sharc_warc_writer *w, const struct sharc_warc_ahead *a,
                              struct sharc_warc_fetch_places *ret)
{
    ret->response = (struct sharc_warc_place){.offset = w->at, .length = a->response_length, .payload = a->payload};
    memcpy(ret->response.id, a->id, sizeof a->id);
    snprintf(ret->response.file, sizeof ret->response.file, "%s", w->file);
    if (a->bytes.n > a->response_length) {
        ret->request =
            (struct sharc_warc_place){.offset = w->at + a->response_length, .length = a->bytes.n - a->response_length};
        memcpy(ret->request.id, a->request_id, sizeof a->request_id);
        snprintf(ret->request.file, sizeof ret->request.file, "%s", w->file);
    }
    w->at += a->bytes.n;
}
