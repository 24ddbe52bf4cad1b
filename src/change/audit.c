/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/change_audit.h"

#include "sharc/base_digest.h"
#include "sharc/base_rng.h"

enum { LEAST = 20, SHARE = 50 }; /* audits in any case, if there are this many; one in … */

uint64_t sharc_audit_draw(uint64_t seed, struct sharc_span url)
{
    struct sharc_rng rng;
    sharc_rng_init(&rng, seed ^ sharc_fingerprint(url, seed));
    return sharc_rng_u64(&rng);
}

uint64_t sharc_audit_wanted(uint64_t attested)
{
    uint64_t share = attested / SHARE + (attested % SHARE != 0), least = share > LEAST ? share : LEAST;
    return least < attested ? least : attested;
}

uint64_t sharc_audit_seed(struct sharc_span text)
{
    uint64_t seed = 0;
    for (size_t i = 0; i < text.n && i < 16; i++) {
        int digit = sharc_hex_value(text.p[i]);
        if (digit >= 0) seed = seed << 4 | (uint64_t)digit;
    }
    return seed;
}
