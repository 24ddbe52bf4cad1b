/* SPDX-License-Identifier: Apache-2.0
 *
 * What the catalogue reads out of columns, which may come with anybody's
 * archive: packed link sets, digests, binary values; and texts on their way in.
 * Whatever unpacks must pack again and unpack the same; what is cleaned must be
 * fit for a database.
 */
#include "../../../src/store/pg_wire.h"
#include "../../../src/store/store_int.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t unpack(struct sharc_span in, struct sharc__store_target *out, size_t room)
{
    struct sharc__store_unpack u = {.rest = in};
    size_t n = 0;
    while (n < room && sharc__store_links_next(&u, &out[n])) n++;
    return n;
}

static void link_sets(struct sharc_span in)
{
    struct sharc__store_target *a = SHARC_NEW_ARRAY(struct sharc__store_target, in.n + 1);
    struct sharc__store_target *b = SHARC_NEW_ARRAY(struct sharc__store_target, in.n + 1);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(64u << 20);
    size_t n = unpack(in, a, in.n);
    bool sane = true;
    for (size_t i = 0; i < n; i++) sane = sane && a[i].to >= 0 && a[i].to < INT64_C(1) << 59;
    if (sane) {
        size_t kept = sharc__store_links_pack(a, n, &packed);
        size_t again = unpack(sharc_buf_span(&packed), b, in.n + 1);
        if (kept > n || again != kept) abort();
        for (size_t i = 1; i < again; i++)
            if (b[i].to < b[i - 1].to || (b[i].to == b[i - 1].to && b[i].kind <= b[i - 1].kind)) abort();
    }
    free(a);
    free(b);
}

static void texts(struct sharc_span in)
{
    for (int url = 0; url < 2; url++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 20);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf more = SHARC_BUF_INIT(64u << 20);
        struct sharc_span clean = sharc__store_clean(in, url, &out);
        if (sharc_utf8_check(clean) != SHARC_NPOS || sharc_span_find(clean, '\0', 0) != SHARC_NPOS) abort();
        if (sharc__store_clean(clean, url, &more).p != clean.p) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1u << 20) return 0;
    static const unsigned types[] = {16, 17, 20, 21, 23, 25, 700, 701, 1043, 12345};
    struct sharc_span in = sharc_span(data + 1, size - 1);
    struct sharc_store_value v;
    struct sharc_digest d;
    link_sets(in);
    texts(in);
    sharc__store_pg_value(types[data[0] % SHARC_LENGTH(types)], in.p, in.n, &v);
    if (v.s.n > in.n) abort();
    sharc__store_digest_unpack(in, &d);
    uint8_t packed[SHARC__DIGEST_ROOM];
    if (d.n > 0 && !sharc_span_eq(sharc__store_digest_pack(&d, packed), in)) abort();
    return 0;
}
