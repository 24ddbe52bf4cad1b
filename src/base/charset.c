/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes to UTF-8 by ICU, in pieces through a small window of UTF-16, so that
 * memory is bounded by the caller's buffer alone.
 */
#include "sharc/base_charset.h"

#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>
#include <unicode/ucsdet.h>
#include <unicode/utf16.h>

static const char *icu_name(enum sharc_charset c)
{
    static const char *const names[] = {
#define X(name, text, icu) icu,
        SHARC_CHARSETS(X)
#undef X
    };
    return (unsigned)c < SHARC_LENGTH(names) ? names[c] : NULL;
}

static int full(struct sharc_buf *out, struct sharc_err *reterr)
{
    return sharc_fail(reterr, SHARC_ELIMIT, "the text is longer than %zu bytes in UTF-8", out->max);
}

/* One character, or all that is left of the buffer's room is kept as it is. */
static bool put_code(struct sharc_buf *out, uint32_t code)
{
    char bytes[4];
    if (code < 0x80) return sharc_buf_put_char(out, (char)code) == 0;
    return sharc_buf_put(out, sharc_span(bytes, sharc_utf8_encode(code, bytes))) == 0;
}

/* --- without ICU ------------------------------------------------------------ */

static int decode_utf8(struct sharc_span in, struct sharc_buf *out, struct sharc_err *reterr)
{
    if (sharc_span_starts(in, SHARC_SPAN("\xef\xbb\xbf"))) in = sharc_span_from(in, 3);
    while (in.n) {
        size_t bad = sharc_utf8_check(in);
        struct sharc_span good = sharc_span_sub(in, 0, bad);
        if (sharc_buf_put(out, good) < 0) return full(out, reterr);
        in = sharc_span_from(in, good.n);
        if (in.n && !put_code(out, 0xfffd)) return full(out, reterr);
        /* One replacement for what could have begun a character, and its rest is looked at anew. */
        in = sharc_span_from(in, 1);
        while (in.n && ((uint8_t)in.p[0] & 0xc0) == 0x80) in = sharc_span_from(in, 1);
    }
    return 0;
}

/* upper: what 0x80 … 0xff mean. The lower half is ASCII in all of them. */
static int decode_single(const uint16_t upper[128], struct sharc_span in, struct sharc_buf *out,
                         struct sharc_err *reterr)
{
    for (size_t at = 0, ascii = 0; at < in.n; ascii = ++at) {
        while (at < in.n && !(in.p[at] & 0x80)) at++;
        if (sharc_buf_put(out, sharc_span_sub(in, ascii, at)) < 0) return full(out, reterr);
        if (at < in.n && !put_code(out, upper[in.p[at] & 0x7f])) return full(out, reterr);
    }
    return 0;
}

/* ICU has no ISO-8859-16: 0xa0 … 0xff. */
static const uint16_t iso_8859_16[96] = {0xa0,  0x104, 0x105, 0x141, 0x20ac, 0x201e, 0x160, 0xa7,  0x161, 0xa9,  0x218,
                                         0xab,  0x179, 0xad,  0x17a, 0x17b,  0xb0,   0xb1,  0x10c, 0x142, 0x17d, 0x201d,
                                         0xb6,  0xb7,  0x17e, 0x10d, 0x219,  0xbb,   0x152, 0x153, 0x178, 0x17c, 0xc0,
                                         0xc1,  0xc2,  0x102, 0xc4,  0x106,  0xc6,   0xc7,  0xc8,  0xc9,  0xca,  0xcb,
                                         0xcc,  0xcd,  0xce,  0xcf,  0x110,  0x143,  0xd2,  0xd3,  0xd4,  0x150, 0xd6,
                                         0x15a, 0x170, 0xd9,  0xda,  0xdb,   0xdc,   0x118, 0x21a, 0xdf,  0xe0,  0xe1,
                                         0xe2,  0x103, 0xe4,  0x107, 0xe6,   0xe7,   0xe8,  0xe9,  0xea,  0xeb,  0xec,
                                         0xed,  0xee,  0xef,  0x111, 0x144,  0xf2,   0xf3,  0xf4,  0x151, 0xf6,  0x15b,
                                         0x171, 0xf9,  0xfa,  0xfb,  0xfc,   0x119,  0x21b, 0xff};

/* The tables that are ours. */
static bool own_table(enum sharc_charset c, uint16_t upper[128])
{
    if (c != SHARC_CHARSET_ISO_8859_16 && c != SHARC_CHARSET_X_USER_DEFINED) return false;
    for (unsigned i = 0; i < 128; i++) {
        if (c == SHARC_CHARSET_X_USER_DEFINED)
            upper[i] = (uint16_t)(0xf780 + i);
        else
            upper[i] = (uint16_t)(i < 32 ? 0x80 + i : iso_8859_16[i - 32]);
    }
    return true;
}

/* --- with ICU --------------------------------------------------------------- */

/* ICU's own substitution writes U+001A for some single bytes. */
static void replace(const void *context, UConverterToUnicodeArgs *args, const char *bytes, int32_t n,
                    UConverterCallbackReason reason, UErrorCode *status)
{
    static const UChar replacement = 0xfffd;
    (void)context, (void)bytes, (void)n;
    if (reason > UCNV_IRREGULAR) return;
    *status = U_ZERO_ERROR;
    ucnv_cbToUWriteUChars(args, &replacement, 1, 0, status);
}

static bool put_units(struct sharc_buf *out, const UChar *units, int n, UChar *lead)
{
    for (int i = 0; i < n; i++) {
        UChar u = units[i];
        uint32_t code = u;
        if (U16_IS_LEAD(u)) {
            *lead = u; /* its other half comes next, maybe in the next window */
            continue;
        }
        if (U16_IS_TRAIL(u)) code = *lead ? (uint32_t)U16_GET_SUPPLEMENTARY(*lead, u) : 0xfffd;
        *lead = 0;
        if (!put_code(out, code)) return false;
    }
    return true;
}

static int convert(UConverter *converter, struct sharc_span in, struct sharc_buf *out, struct sharc_err *reterr)
{
    const char *source = in.p, *end = in.p + in.n;
    UChar window[2048], lead = 0;
    UErrorCode status;
    do {
        UChar *target = window;
        status = U_ZERO_ERROR;
        ucnv_toUnicode(converter, &target, window + SHARC_LENGTH(window), &source, end, NULL, /* flush= */ true,
                       &status);
        if (!put_units(out, window, (int)(target - window), &lead)) return full(out, reterr);
    } while (status == U_BUFFER_OVERFLOW_ERROR);
    return 0;
}

/* Ask ICU for every byte once: what is left to do is a table look-up, and the
 * control characters that some of its tables move stay where they are. */
static void ask_table(UConverter *converter, uint16_t upper[128])
{
    for (unsigned i = 0; i < 128; i++) {
        char byte = (char)(0x80 + i);
        const char *source = &byte;
        UChar units[4], *target = units;
        UErrorCode status = U_ZERO_ERROR;
        ucnv_toUnicode(converter, &target, units + 4, &source, source + 1, NULL, /* flush= */ true, &status);
        upper[i] = target == units + 1 ? units[0] : 0xfffd;
    }
}

/* Where ICU's tables are not the standard's. */
static void mend_table(enum sharc_charset c, uint16_t upper[128])
{
    static const struct {
        uint8_t charset, byte;
        uint16_t code;
    } mends[] = {
        {SHARC_CHARSET_KOI8_U, 0xae, 0x45e},        {SHARC_CHARSET_KOI8_U, 0xbe, 0x40e},
        {SHARC_CHARSET_WINDOWS_1253, 0xaa, 0xfffd}, {SHARC_CHARSET_WINDOWS_1255, 0xca, 0x5ba},
        {SHARC_CHARSET_WINDOWS_874, 0xdb, 0xfffd},  {SHARC_CHARSET_WINDOWS_874, 0xdc, 0xfffd},
        {SHARC_CHARSET_WINDOWS_874, 0xdd, 0xfffd},  {SHARC_CHARSET_WINDOWS_874, 0xde, 0xfffd},
        {SHARC_CHARSET_WINDOWS_874, 0xfc, 0xfffd},  {SHARC_CHARSET_WINDOWS_874, 0xfd, 0xfffd},
        {SHARC_CHARSET_WINDOWS_874, 0xfe, 0xfffd},  {SHARC_CHARSET_WINDOWS_874, 0xff, 0xfffd},
    };
    for (size_t i = 0; i < SHARC_LENGTH(mends); i++)
        if (mends[i].charset == c) upper[mends[i].byte & 0x7f] = mends[i].code;
}

static bool is_single_byte(enum sharc_charset c)
{
    return c >= SHARC_CHARSET_IBM866 && c <= SHARC_CHARSET_X_MAC_CYRILLIC;
}

int sharc_charset_decode(enum sharc_charset c, struct sharc_span in, struct sharc_buf *out, struct sharc_err *reterr)
{
    if (c == SHARC_CHARSET_UTF_8) return decode_utf8(in, out, reterr);
    uint16_t upper[128];
    if (own_table(c, upper)) return decode_single(upper, in, out, reterr);
    if (c == SHARC_CHARSET_REPLACEMENT) return in.n && !put_code(out, 0xfffd) ? full(out, reterr) : 0;
    enum sharc_charset bom;
    if (sharc_charset_of_bom(in, &bom) && bom == c) in = sharc_span_from(in, 2);
    UErrorCode status = U_ZERO_ERROR;
    UConverter *converter = ucnv_open(icu_name(c), &status);
    if (U_SUCCESS(status)) ucnv_setToUCallBack(converter, replace, NULL, NULL, NULL, &status);
    if (U_FAILURE(status)) {
        ucnv_close(converter);
        return sharc_fail(reterr, SHARC_EUNSUPPORTED, "this ICU has no converter for %s (%s)", sharc_charset_name(c),
                          u_errorName(status));
    }
    int r;
    if (is_single_byte(c)) {
        ask_table(converter, upper);
        mend_table(c, upper);
        r = decode_single(upper, in, out, reterr);
    } else
        r = convert(converter, in, out, reterr);
    ucnv_close(converter);
    return r;
}

/* --- guessing --------------------------------------------------------------- */

#define GUESS_BYTES (16u << 10) /* what ICU looks at: 5 MB/s, so not more */

/* Cut off in the middle of a character at the very end, otherwise fine. */
static bool only_cut_off(struct sharc_span in, size_t bad)
{
    static const uint8_t lengths[16] = {[12] = 2, [13] = 2, [14] = 3, [15] = 4};
    size_t left = in.n - bad;
    if (left >= lengths[(uint8_t)in.p[bad] >> 4]) return false;
    for (size_t i = 1; i < left; i++)
        if (((uint8_t)in.p[bad + i] & 0xc0) != 0x80) return false;
    return true;
}

enum sharc_charset sharc_charset_guess(struct sharc_span in, int *ret_certainty)
{
    enum sharc_charset guess = SHARC_CHARSET_UTF_8;
    int certainty = 100;
    size_t bad = sharc_utf8_check(in);
    if (bad != SHARC_NPOS && !only_cut_off(in, bad)) {
        size_t from = bad > GUESS_BYTES / 4 ? bad - GUESS_BYTES / 4 : 0;
        struct sharc_span sample = sharc_span_sub(in, from, from + GUESS_BYTES);
        UErrorCode status = U_ZERO_ERROR;
        UCharsetDetector *detector = ucsdet_open(&status);
        ucsdet_setText(detector, sample.p, (int32_t)sample.n, &status);
        const UCharsetMatch *match = ucsdet_detect(detector, &status);
        const char *name = match ? ucsdet_getName(match, &status) : NULL;
        certainty = match ? ucsdet_getConfidence(match, &status) : 0;
        if (U_FAILURE(status) || !name || sharc_charset_of(sharc_span_of(name), &guess) < 0) {
            guess = SHARC_CHARSET_WINDOWS_1252;
            certainty = 0;
        }
        ucsdet_close(detector);
    }
    if (ret_certainty) *ret_certainty = certainty;
    return guess;
}
