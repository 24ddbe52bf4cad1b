/* SPDX-License-Identifier: Apache-2.0
 *
 * Structs in the catalogue: a gzip member each.
 */
#include "summary_int.h"

#include "sharc/base_codec.h"

enum { MOST_BYTES = 128 << 20 };

/* The last four bytes of a gzip member tell its size: with room for all of it nothing is inflated twice. */
static void make_room(struct sharc_span packed, struct sharc_buf *plain)
{
    uint64_t size = 0;
    if (packed.n < 4) return;
    for (size_t i = 4; i-- > 0;) size = size << 8 | (uint8_t)packed.p[packed.n - 4 + i];
    if (size <= MOST_BYTES) sharc_buf_reserve(plain, (size_t)size);
}

int sharc__summary_find(struct sharc_store *s, struct sharc_store_summary *key, const sharc_store_id *captures,
                        size_t n, summary_struct_fn *fn, void *x, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(MOST_BYTES), plain = SHARC_BUF_INIT(MOST_BYTES);
    key->version = SUMMARY_VERSION;
    int r = sharc_store_stamp(s, captures, n, &key->stamp, reterr);
    if (r == 0) r = sharc_store_summary_get(s, key, x ? &packed : NULL, reterr);
    if (r <= 0 || !x) return r;
    make_room(sharc_buf_span(&packed), &plain);
    struct sharc_inflate *state = sharc_inflate_new();
    int64_t used = sharc_inflate_member(state, sharc_buf_span(&packed), &plain);
    sharc_inflate_free(state);
    struct summary_codec c = {.in = sharc_buf_span(&plain), .plain = &plain, .failed = used != (int64_t)packed.n};
    if (!c.failed) fn(&c, x);
    return c.failed || c.in.n ? 0 : 1; /* bytes of somebody else: it is made anew */
}

int sharc__summary_keep(struct sharc_store *s, const struct sharc_store_summary *key, summary_struct_fn *fn, void *x,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(MOST_BYTES), plain = SHARC_BUF_INIT(MOST_BYTES);
    struct summary_codec c = {.out = &plain};
    fn(&c, x);
    if (plain.failed) return 0; /* larger than anybody wants to keep */
    struct sharc_deflate *state = sharc_deflate_new(1);
    int r = sharc_deflate_member(state, sharc_buf_span(&plain), &packed);
    sharc_deflate_free(state);
    return r < 0 ? 0 : sharc_store_summary_put(s, key, sharc_buf_span(&packed), reterr);
}

int sharc__summary_obtain(struct summary_making *m, const struct summary_kind *k, const sharc_store_id *captures,
                          size_t n, bool filled, void *x, struct sharc_err *reterr)
{
    struct sharc_store_summary key = {.capture = captures[n - 1], .name = k->name};
    int r = sharc__summary_find(m->store, &key, captures, n, k->put, filled ? x : NULL, reterr);
    if (r == 0) k->done(x);
    if (r == 0 && (m->keep || !k->only_to_keep)) {
        r = k->make(m->store, captures, n, x, reterr);
        if (r == 0 && m->keep) r = sharc__summary_keep(m->store, &key, k->put, x, reterr);
        m->made += r == 0 && m->keep;
    }
    if (r >= 0) return 0;
    k->done(x);
    return r;
}
