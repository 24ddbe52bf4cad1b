/* SPDX-License-Identifier: Apache-2.0
 *
 * Packing responses ahead of their turn. Digests and compression are nearly all
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
    o.info = SPAN_NONE;
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
    memcpy(ret->info_id, w->info_id, sizeof ret->info_id);
    return 0;
}

int sharc_warc_ahead_pack(struct sharc_warc_packer *p, const struct sharc_warc_fetch *f, struct sharc_warc_ahead *a,
                          struct sharc_err *reterr)
{
    struct sharc_warc_place place = {0};
    p->w->at = 0;
    p->w->sink = &a->bytes;
    memcpy(p->w->info_id, a->info_id, sizeof a->info_id);
    sharc_buf_clear(&a->bytes);
    int r = sharc__warc_write_main(p->w, f, a->id, &place, reterr);
    if (r < 0) return r;
    a->payload = place.payload;
    a->packed = true;
    return 0;
}

bool sharc__warc_ahead_fits(const struct sharc_warc_writer *w, const struct sharc_warc_ahead *a)
{
    return a && a->packed && strcmp(a->info_id, w->info_id) == 0;
}

int sharc__warc_ahead_put(struct sharc_warc_writer *w, const struct sharc_warc_ahead *a, struct sharc_warc_place *ret,
                          struct sharc_err *reterr)
{
    struct sharc_warc_place place = {.offset = w->at, .length = a->bytes.n, .payload = a->payload};
    int r = sharc__warc_file_append(w, w->at, sharc_buf_span(&a->bytes), reterr);
    if (r < 0) {
        sharc__warc_file_take_back(w, w->at);
        return r;
    }
    w->at += a->bytes.n;
    memcpy(place.id, a->id, sizeof place.id);
    snprintf(place.file, sizeof place.file, "%s", w->file);
    *ret = place;
    return 0;
}
