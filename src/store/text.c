/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts, keys and digests on their way into the database.
 */
#include "store_int.h"

#include "sharc/base_varint.h"
#include "sharc/url_canon.h"

#include <stdlib.h>

static bool is_clean(struct sharc_span s)
{
    return sharc_utf8_check(s) == SHARC_NPOS && sharc_span_find(s, '\0', 0) == SHARC_NPOS;
}

struct sharc_span sharc__store_clean(struct sharc_span s, bool url, struct sharc_buf *out)
{
    if (!s.p || is_clean(s)) return s;
    size_t start = out->n;
    for (size_t i = 0; i < s.n;) {
        uint32_t c = 0;
        size_t n = sharc_utf8_decode(sharc_span_from(s, i), &c);
        if (n > 0 && c != 0) {
            sharc_buf_put(out, sharc_span(s.p + i, n));
            i += n;
            continue;
        }
        if (url)
            sharc_buf_printf(out, "%%%02X", (unsigned char)s.p[i]);
        else
            sharc_buf_put_str(out, "\xef\xbf\xbd");
        i++;
    }
    return sharc_span(sharc_buf_str(out) + start, out->n - start);
}

void sharc__store_surt_of(struct sharc_span url, struct sharc_buf *out)
{
    sharc_buf_clear(out);
    if (sharc_url_surt(url, out, NULL) == 0 && is_clean(sharc_buf_span(out))) return;
    sharc_buf_clear(out);
    sharc_buf_put(out, url);
}

static int64_t eight(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++) v = v << 8 | p[i];
    return (int64_t)v;
}

void sharc__store_key(struct sharc_span s, int64_t *ret_key, int64_t *ret_mark)
{
    struct sharc_digest d;
    sharc_digest_of(SHARC_SHA256, s, &d);
    *ret_key = eight(d.bytes);
    *ret_mark = eight(d.bytes + 8);
}

struct sharc_span sharc__store_digest_pack(const struct sharc_digest *d, uint8_t out[SHARC__DIGEST_ROOM])
{
    if (d->n == 0) return SHARC_SPAN_NONE;
    out[0] = (uint8_t)d->kind;
    memcpy(out + 1, d->bytes, d->n);
    return sharc_span(out, 1u + d->n);
}

void sharc__store_digest_unpack(struct sharc_span s, struct sharc_digest *ret)
{
    *ret = (struct sharc_digest){0};
    if (s.n < 2 || s.n > SHARC__DIGEST_ROOM || (unsigned char)s.p[0] >= SHARC_DIGEST_KINDS) return;
    ret->kind = (enum sharc_digest_kind)s.p[0];
    ret->n = (uint8_t)(s.n - 1);
    memcpy(ret->bytes, s.p + 1, s.n - 1);
}

/* --- link sets ---------------------------------------------------------------------- */

static int by_target(const void *pa, const void *pb)
{
    const struct sharc__store_target *a = pa, *b = pb;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

size_t sharc__store_links_pack(struct sharc__store_target *t, size_t n, struct sharc_buf *out)
{
    qsort(t, n, sizeof *t, by_target);
    size_t kept = 0;
    int64_t last = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && by_target(&t[i - 1], &t[i]) == 0) continue;
        sharc_varint_put(out, (uint64_t)(t[i].to - last) << 4 | (t[i].kind & 15));
        last = t[i].to;
        kept++;
    }
    return kept;
}

bool sharc__store_links_next(struct sharc__store_unpack *u, struct sharc__store_target *ret)
{
    uint64_t v;
    if (!sharc_varint_take(&u->rest, &v)) return false;
    u->last = (int64_t)((uint64_t)u->last + (v >> 4));
    *ret = (struct sharc__store_target){u->last, v & 15};
    return true;
}
