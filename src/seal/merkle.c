/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree of RFC 6962, section 2.1, made of a stream of leaves.
 *
 * INVARIANT: for every bit h that is set in count, full[h] is the root of the full tree of
 * 2^h leaves that stands there; larger trees are further left. The leaf that is followed is
 * leaf number index, and path holds its siblings up to the root of the full tree that it is in.
 */
#include "seal_int.h"

static void hash_node(const struct sharc_digest *left, const struct sharc_digest *right, struct sharc_digest *ret)
{
    uint8_t both[65] = {0x01};
    memcpy(both + 1, left->bytes, 32);
    memcpy(both + 33, right->bytes, 32);
    sharc_digest_of(SHARC_SHA256, sharc_span(both, sizeof both), ret);
}

void sharc_merkle_leaf(struct sharc_hasher *h, struct sharc_span leaf, struct sharc_digest *ret)
{
    sharc_hasher_start(h, SHARC_SHA256);
    sharc_hasher_add(h, "\0", 1);
    sharc_hasher_add(h, leaf.p, leaf.n);
    sharc_hasher_end(h, ret);
}

void sharc_merkle_init(struct sharc_merkle *m)
{
    memset(m, 0, sizeof *m);
    m->hasher = sharc_hasher_new();
}

void sharc_merkle_done(struct sharc_merkle *m)
{
    sharc_hasher_free(m->hasher);
    m->hasher = NULL;
}

void sharc_merkle_follow(struct sharc_merkle *m)
{
    SHARC_ASSERT(!m->followed);
    m->followed = true;
    m->index = m->count;
}

/* Is the leaf that is followed one of the 2^h leaves from leaf number first? */
static bool holds(const struct sharc_merkle *m, uint64_t first, unsigned h)
{
    return m->followed && m->index >= first && m->index - first < UINT64_C(1) << h;
}

/* The first leaf of the full tree of 2^h leaves, one of those that count names. */
static uint64_t first_of(const struct sharc_merkle *m, unsigned h)
{
    return m->count >> h >> 1 << h << 1;
}

void sharc_merkle_add(struct sharc_merkle *m, struct sharc_span leaf)
{
    struct sharc_digest digest;
    sharc_merkle_leaf(m->hasher, leaf, &digest);
    sharc_merkle_add_leaf(m, &digest);
}

void sharc_merkle_add_leaf(struct sharc_merkle *m, const struct sharc_digest *leaf)
{
    struct sharc_digest carry = *leaf;
    unsigned h = 0;
    for (; m->count >> h & 1; h++) {
        uint64_t left = first_of(m, h), right = left + (UINT64_C(1) << h);
        if (holds(m, left, h)) m->path[m->length++] = carry;
        if (holds(m, right, h)) m->path[m->length++] = m->full[h];
        hash_node(&m->full[h], &carry, &carry);
    }
    m->full[h] = carry;
    m->count++;
}

/* Join the full trees, the smallest first, to the root; and go on with the way up, if p is given. */
static void join(const struct sharc_merkle *m, struct sharc_merkle_proof *p, struct sharc_digest *ret)
{
    bool any = false, inside = false; /* ret holds something, and the leaf is in it */
    sharc_digest_of(SHARC_SHA256, SHARC_SPAN_NONE, ret);
    for (unsigned h = 0; h < SHARC_MERKLE_LEVELS; h++) {
        if (!(m->count >> h & 1)) continue;
        bool here = holds(m, first_of(m, h), h);
        if (any && p && inside) p->path[p->length++] = m->full[h];
        if (any && p && here) p->path[p->length++] = *ret;
        if (any)
            hash_node(&m->full[h], ret, ret);
        else
            *ret = m->full[h];
        any = true;
        inside = inside || here;
    }
}

void sharc_merkle_root(const struct sharc_merkle *m, struct sharc_digest *ret)
{
    join(m, NULL, ret);
}

void sharc_merkle_prove(const struct sharc_merkle *m, struct sharc_merkle_proof *ret)
{
    SHARC_ASSERT(m->followed && m->index < m->count);
    struct sharc_digest root;
    memset(ret, 0, sizeof *ret);
    ret->index = m->index;
    ret->count = m->count;
    ret->length = m->length;
    memcpy(ret->path, m->path, m->length * sizeof m->path[0]);
    join(m, ret, &root);
}

/* RFC 9162, section 2.1.3.2. */
int sharc_merkle_verify(const struct sharc_merkle_proof *p, struct sharc_span leaf, const struct sharc_digest *root,
                        struct sharc_err *reterr)
{
    SHARC_FAIL_IF(p->index >= p->count, reterr, SHARC_EINVAL,
                  "the proof is for row %llu of a table that has %llu: rows are counted from 0",
                  (unsigned long long)p->index, (unsigned long long)p->count);
    SHARC_AUTO(sharc_hasher_freep) struct sharc_hasher *h = sharc_hasher_new();
    struct sharc_digest at;
    sharc_merkle_leaf(h, leaf, &at);
    uint64_t place = p->index, last = p->count - 1;
    size_t used = 0;
    for (; last; place >>= 1, last >>= 1) {
        if (!(place & 1) && place == last) continue; /* the last one of its row goes up alone */
        SHARC_FAIL_IF(used == p->length, reterr, SHARC_EINVAL, "the proof has too few digests (%zu) for its place",
                      p->length);
        const struct sharc_digest *sibling = &p->path[used++];
        SHARC_FAIL_IF(sibling->kind != SHARC_SHA256 || sibling->n != 32, reterr, SHARC_EINVAL,
                      "digest %zu of the proof is not SHA-256", used);
        if (place & 1)
            hash_node(sibling, &at, &at);
        else
            hash_node(&at, sibling, &at);
    }
    SHARC_FAIL_IF(used != p->length, reterr, SHARC_EINVAL, "the proof has %zu digests, its place needs %zu", p->length,
                  used);
    SHARC_FAIL_IF(!sharc_digest_eq(&at, root), reterr, SHARC_EDIGEST,
                  "the proof does not lead from this row to the root: the row, its place, the proof or the root was "
                  "altered");
    return 0;
}
