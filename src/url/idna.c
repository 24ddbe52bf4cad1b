/* SPDX-License-Identifier: Apache-2.0
 *
 * Domains beyond ASCII, by ICU's UTS 46. The standard asks for CheckHyphens
 * and VerifyDnsLength off, CheckBidi and CheckJoiners on, non-transitional.
 * ICU always reports hyphens, lengths and empty labels; those reports are
 * dropped here.
 */
#include "url_int.h"

#include "sharc/base_library.h"

#include <pthread.h>
#include <unicode/uidna.h>
#include <unicode/uversion.h>

/* Mappings that UTS 46 changed after the Unicode 15.0 of Debian 12's ICU: for a
 * newer ICU the table says nothing new. first … last go to `to` and the code
 * points after it, or away when that is 0. */
static const struct {
    uint32_t first, last, to;
} newer[] = {
    {0x04c0, 0x04c0, 0x04cf},   {0x10a0, 0x10c5, 0x2d00},   {0x115f, 0x1160, 0},         {0x17b4, 0x17b5, 0},
    {0x180e, 0x180e, 0},        {0x1e9e, 0x1e9e, 0x00df},   {0x206a, 0x206f, 0},         {0x2132, 0x2132, 0x214e},
    {0x2183, 0x2183, 0x2184},   {0x3164, 0x3164, 0},        {0xffa0, 0xffa0, 0},         {0x1d173, 0x1d17a, 0},
    {0x2f868, 0x2f868, 0x36fc}, {0x2f874, 0x2f874, 0x5f53}, {0x2f91f, 0x2f91f, 0x243ab}, {0x2f95f, 0x2f95f, 0x7aee},
    {0x2f9bf, 0x2f9bf, 0x45d7},
};

/* s, well-formed UTF-8, with those applied; out holds s.n bytes (no mapping
 * makes a code point longer). */
static size_t apply_newer(struct sharc_span s, char *out)
{
    size_t n = 0;
    while (s.n) {
        uint32_t c;
        size_t length = sharc_utf8_decode(s, &c);
        if (!length) break;
        bool drop = false;
        for (size_t i = 0; i < SHARC_LENGTH(newer) && c >= newer[i].first; i++) {
            if (c > newer[i].last) continue;
            drop = newer[i].to == 0;
            c = newer[i].to + (c - newer[i].first);
            break;
        }
        if (!drop) n += sharc_utf8_encode(c, out + n);
        s = sharc_span_from(s, length);
    }
    return n;
}

static UIDNA *uts46;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_uts46(void)
{
    UErrorCode status = U_ZERO_ERROR;
    uts46 = uidna_openUTS46(UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII |
                                UIDNA_NONTRANSITIONAL_TO_UNICODE,
                            &status);
    if (U_FAILURE(status)) uts46 = NULL; /* ICU without its data: no IDN then */
}

size_t sharc__url_idna(struct sharc_span domain, char *out, size_t room)
{
    static const uint32_t tolerated = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |
                                      UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN |
                                      UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;
    pthread_once(&once, open_uts46);
    if (!uts46 || domain.n > SHARC_LIMIT_URL) return 0;
    char mapped[SHARC_LIMIT_URL];
    size_t mapped_n = apply_newer(domain, mapped);
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    UErrorCode status = U_ZERO_ERROR;
    int32_t n = uidna_nameToASCII_UTF8(uts46, mapped, (int32_t)mapped_n, out, (int32_t)room, &info, &status);
    if (U_FAILURE(status) || info.errors & ~tolerated || n <= 0 || (size_t)n > room) return 0;
    return sharc__url_is_ascii(sharc_span(out, (size_t)n)) ? (size_t)n : 0;
}

__attribute__((constructor)) static void name_library(void)
{
    static char text[U_MAX_VERSION_STRING_LENGTH];
    UVersionInfo version;
    u_getVersion(version);
    u_versionToString(version, text);
    sharc_library_add("icu", text);
}
