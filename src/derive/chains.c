/* SPDX-License-Identifier: Apache-2.0
 *
 * Certificates that servers presented: texts, each kept once, under the digest by which downloads name it. The digest
 * is computed here, so that nobody can hand in other certificates under it.
 */
#include "derive_int.h"

#include <stdlib.h>

static struct sharc_derived_chain *find(const struct sharc_gathered *g, uint32_t digest)
{
    const uint64_t *number = sharc_map64_find(&g->chain_of, (uint64_t)digest + 1);
    return number ? &g->chains[*number - 1] : NULL;
}

static void keep(struct sharc_gathered *g, uint32_t digest, struct sharc_span pem, bool cut)
{
    if (g->chain_count >= SHARC_DERIVED_CHAINS || g->chain_bytes + pem.n > SHARC_DERIVED_CHAIN_BYTES) return;
    SHARC_GROW(g->chains, g->chain_room, g->chain_count + 1);
    g->chains[g->chain_count++] =
        (struct sharc_derived_chain){.digest = digest, .pem = sharc_span_dup(pem), .size = pem.n, .cut = cut};
    g->chain_bytes += pem.n;
    *sharc_map64_at(&g->chain_of, (uint64_t)digest + 1) = g->chain_count;
}

void sharc__derive_chain_add(struct sharc_gathered *g, struct sharc_span pem, bool cut)
{
    struct sharc_digest d;
    char text[SHARC_DIGEST_TEXT];
    sharc_digest_of(SHARC_SHA256, pem, &d);
    uint32_t digest = sharc_intern_add(g->names, sharc_span_of(sharc_digest_text(&d, text)), NULL);
    struct sharc_derived_chain *known = find(g, digest);
    if (known)
        known->cut |= cut;
    else
        keep(g, digest, pem, cut);
}

void sharc__derive_chains_append(struct sharc_gathered *to, const struct sharc_gathered *from)
{
    for (size_t i = 0; i < from->chain_count; i++) {
        const struct sharc_derived_chain *c = &from->chains[i];
        sharc__derive_chain_add(to, sharc_span(c->pem, c->size), c->cut);
    }
}

const struct sharc_derived_chain *sharc_derived_chain(const struct sharc_derived *f, uint32_t digest)
{
    return digest == SHARC_DERIVED_NONE ? NULL : find(&f->all, digest);
}
