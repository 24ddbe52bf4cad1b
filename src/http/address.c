/* SPDX-License-Identifier: Apache-2.0
 *
 * Which addresses are nobody's business but their owner's: IANA's registries of
 * special-purpose addresses as tables, most special row first.
 */
#include "sharc/http_fetch.h"

#include <arpa/inet.h>

struct range {
    uint8_t prefix[16];
    unsigned bits;
    enum sharc_address_kind kind;
};

static const struct range ranges4[] = {
    {{0}, 8, SHARC_ADDRESS_THIS},
    {{10}, 8, SHARC_ADDRESS_PRIVATE},
    {{100, 64}, 10, SHARC_ADDRESS_SHARED},
    {{127}, 8, SHARC_ADDRESS_LOOPBACK},
    {{169, 254}, 16, SHARC_ADDRESS_LINK_LOCAL},
    {{172, 16}, 12, SHARC_ADDRESS_PRIVATE},
    {{192, 0, 0}, 24, SHARC_ADDRESS_RESERVED},
    {{192, 0, 2}, 24, SHARC_ADDRESS_RESERVED},
    {{192, 88, 99}, 24, SHARC_ADDRESS_RESERVED},
    {{192, 168}, 16, SHARC_ADDRESS_PRIVATE},
    {{198, 18}, 15, SHARC_ADDRESS_RESERVED},
    {{198, 51, 100}, 24, SHARC_ADDRESS_RESERVED},
    {{203, 0, 113}, 24, SHARC_ADDRESS_RESERVED},
    {{224}, 4, SHARC_ADDRESS_MULTICAST},
    {{240}, 4, SHARC_ADDRESS_RESERVED},
};

static const struct range ranges6[] = {
    {{[15] = 0}, 128, SHARC_ADDRESS_THIS},
    {{[15] = 1}, 128, SHARC_ADDRESS_LOOPBACK},
    {{0x00, 0x64, 0xff, 0x9b, 0, 1}, 48, SHARC_ADDRESS_PRIVATE},
    {{0x20, 0x01, 0x0d, 0xb8}, 32, SHARC_ADDRESS_RESERVED},
    {{0x20, 0x01, 0x00, 0x02}, 48, SHARC_ADDRESS_RESERVED},
    {{0x3f, 0xff}, 20, SHARC_ADDRESS_RESERVED},
    {{0xfc}, 7, SHARC_ADDRESS_PRIVATE},
    {{0xfe, 0x80}, 10, SHARC_ADDRESS_LINK_LOCAL},
    {{0xfe, 0xc0}, 10, SHARC_ADDRESS_PRIVATE},
    {{0xff}, 8, SHARC_ADDRESS_MULTICAST},
    {{0x20}, 3, SHARC_ADDRESS_PUBLIC},
};

/* IPv6 addresses that lead to an IPv4 one, and where it stands in them. */
static const struct {
    uint8_t prefix[16];
    unsigned bits, at;
    uint8_t mask; /* Teredo writes it inverted */
} carriers[] = {
    {{[10] = 0xff, 0xff}, 96, 12, 0},
    {{0x00, 0x64, 0xff, 0x9b}, 96, 12, 0},
    {{0x20, 0x02}, 16, 2, 0},
    {{0x20, 0x01, 0, 0}, 32, 12, 0xff},
};

static bool inside(const uint8_t *a, const uint8_t *prefix, unsigned bits)
{
    unsigned whole = bits / 8, rest = bits % 8;
    if (memcmp(a, prefix, whole) != 0) return false;
    return rest == 0 || ((a[whole] ^ prefix[whole]) & (0xff << (8 - rest) & 0xff)) == 0;
}

static enum sharc_address_kind look_up(const struct range *ranges, size_t count, const uint8_t *a,
                                       enum sharc_address_kind otherwise)
{
    for (size_t i = 0; i < count; i++)
        if (inside(a, ranges[i].prefix, ranges[i].bits)) return ranges[i].kind;
    return otherwise;
}

enum sharc_address_kind sharc_address_kind(const uint8_t *bytes, size_t n)
{
    if (n == 4) return look_up(ranges4, SHARC_LENGTH(ranges4), bytes, SHARC_ADDRESS_PUBLIC);
    if (n != 16) return SHARC_ADDRESS_RESERVED;
    for (size_t i = 0; i < SHARC_LENGTH(carriers); i++) {
        if (!inside(bytes, carriers[i].prefix, carriers[i].bits)) continue;
        uint8_t v4[4];
        for (unsigned k = 0; k < 4; k++) v4[k] = bytes[carriers[i].at + k] ^ carriers[i].mask;
        return sharc_address_kind(v4, 4);
    }
    return look_up(ranges6, SHARC_LENGTH(ranges6), bytes, SHARC_ADDRESS_RESERVED);
}

int sharc_address_kind_of_host(struct sharc_span host, enum sharc_address_kind *ret)
{
    char text[INET6_ADDRSTRLEN];
    uint8_t bytes[16];
    if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']') host = sharc_span_sub(host, 1, host.n - 1);
    if (host.n >= sizeof text) return SHARC_ENOENT;
    memcpy(text, host.n ? host.p : "", host.n);
    text[host.n] = 0;
    size_t n = inet_pton(AF_INET, text, bytes) == 1 ? 4 : inet_pton(AF_INET6, text, bytes) == 1 ? 16 : 0;
    if (n == 0) return SHARC_ENOENT;
    *ret = sharc_address_kind(bytes, n);
    return 0;
}

const char *sharc_address_kind_text(enum sharc_address_kind k)
{
    switch (k) {
    case SHARC_ADDRESS_PUBLIC: return "a public address";
    case SHARC_ADDRESS_LOOPBACK: return "a loopback address";
    case SHARC_ADDRESS_PRIVATE: return "a private address";
    case SHARC_ADDRESS_LINK_LOCAL: return "a link-local address";
    case SHARC_ADDRESS_SHARED: return "an address inside a carrier's network";
    case SHARC_ADDRESS_MULTICAST: return "a multicast address";
    case SHARC_ADDRESS_THIS: return "the unspecified address";
    case SHARC_ADDRESS_RESERVED: return "a reserved address";
    }
    return "an unknown kind of address";
}
