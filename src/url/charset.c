/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries in the charset of their page. Browsers send a form or link of a
 * Shift_JIS page with a Shift_JIS query, and characters that charset lacks as
 * "&#NNNN;"; servers depend on it. ICU converts; the few places where the
 * Encoding Standard differs from ICU are mended here.
 */
#include "sharc/base_charset.h"
#include "url_int.h"

#include <stdlib.h>
#include <unicode/ucnv.h>
#include <unicode/utf16.h>

enum quirk { QUIRK_NONE, QUIRK_JIS, QUIRK_ISO_2022_JP, QUIRK_GB };

struct sharc_url_charset {
    UConverter *converter;
    enum quirk quirk;
};

static const char *const icu_names[] = {
#define X(name, text, icu) [SHARC_CHARSET_##name] = (icu),
    SHARC_CHARSETS(X)
#undef X
};

static enum quirk quirk_of(enum sharc_charset charset)
{
    switch ((int)charset) {
    case SHARC_CHARSET_EUC_JP:
    case SHARC_CHARSET_SHIFT_JIS: return QUIRK_JIS;
    case SHARC_CHARSET_ISO_2022_JP: return QUIRK_ISO_2022_JP;
    case SHARC_CHARSET_GBK:
    case SHARC_CHARSET_GB18030: return QUIRK_GB;
    default: return QUIRK_NONE;
    }
}

/* Forms never send UTF-16, nor a charset that only stands for errors. */
static bool is_sent_as_utf8(enum sharc_charset charset)
{
    return charset == SHARC_CHARSET_UTF_8 || charset == SHARC_CHARSET_UTF_16BE || charset == SHARC_CHARSET_UTF_16LE ||
           charset == SHARC_CHARSET_REPLACEMENT;
}

static UConverter *open_converter(const char *name)
{
    UErrorCode status = U_ZERO_ERROR;
    UConverter *c = ucnv_open(name, &status);
    if (U_FAILURE(status)) return NULL;
    ucnv_setFromUCallBack(c, UCNV_FROM_U_CALLBACK_STOP, NULL, NULL, NULL, &status);
    if (U_FAILURE(status)) {
        ucnv_close(c);
        return NULL;
    }
    return c;
}

int sharc_url_charset_new(struct sharc_span label, struct sharc_url_charset **ret, struct sharc_err *reterr)
{
    enum sharc_charset charset;
    SHARC_FAIL_IF(sharc_charset_of(label, &charset) < 0, reterr, SHARC_EUNSUPPORTED, "\"%.*s\" is not a known charset",
                  (int)(label.n < 64 ? label.n : 64), label.p ? label.p : "");
    if (is_sent_as_utf8(charset)) {
        *ret = NULL;
        return 0;
    }
    /* Read, GBK is GB18030; written, it has no letters of four bytes. */
    const char *icu = charset == SHARC_CHARSET_GBK ? "gbk" : icu_names[charset];
    UConverter *converter = icu ? open_converter(icu) : NULL;
    SHARC_FAIL_IF(!converter, reterr, SHARC_EUNSUPPORTED, "no query can be written in the charset %s",
                  sharc_charset_name(charset));
    *ret = SHARC_NEW(struct sharc_url_charset);
    **ret = (struct sharc_url_charset){converter, quirk_of(charset)};
    return 0;
}

void sharc_url_charset_free(struct sharc_url_charset *c)
{
    if (!c) return;
    ucnv_close(c->converter);
    free(c);
}

void sharc_url_charset_freep(struct sharc_url_charset **c)
{
    sharc_url_charset_free(*c);
    *c = NULL;
}

/* What the charset has no place for: "&#NNNN;", percent-encoded. */
static void put_reference(struct build *b, uint32_t code)
{
    char digits[10];
    build_put(b, SHARC_SPAN("%26%23"));
    build_put(b, sharc_span(digits, sharc__url_number_text(code, digits)));
    build_put(b, SHARC_SPAN("%3B"));
}

/* The code point to convert instead of c; 0 when c is an error that shows as
 * *ret_shown. */
static uint32_t mend(enum quirk quirk, uint32_t c, uint32_t *ret_shown)
{
    *ret_shown = c;
    switch (quirk) {
    case QUIRK_JIS: return c == 0x2212 ? 0xff0d : c;
    case QUIRK_ISO_2022_JP:
        if (c == 0x0e || c == 0x0f || c == 0x1b) {
            *ret_shown = 0xfffd;
            return 0;
        }
        return c == 0x2212 ? 0xff0d : c;
    case QUIRK_GB: return c == 0xe5e5 ? 0 : c;
    case QUIRK_NONE: break;
    }
    return c;
}

/* Convert n units of UTF-16; false when the charset lacks the character. With
 * last, a stateful charset goes back to ASCII. */
static bool put_converted(struct build *b, UConverter *converter, const UChar *units, int n, unsigned set, bool last)
{
    const UChar *source = units, *end = units + n;
    UErrorCode status;
    do {
        char bytes[64], *target = bytes;
        status = U_ZERO_ERROR;
        ucnv_fromUnicode(converter, &target, bytes + sizeof bytes, &source, end, NULL, last, &status);
        sharc__url_put_encoded(b, sharc_span(bytes, (size_t)(target - bytes)), set);
    } while (status == U_BUFFER_OVERFLOW_ERROR);
    if (U_SUCCESS(status)) return true;
    UChar dropped[8]; /* forget the character, keep the shift state */
    int8_t count = 8;
    UErrorCode ignored = U_ZERO_ERROR;
    ucnv_getInvalidUChars(converter, dropped, &count, &ignored);
    return false;
}

void sharc__url_put_query(struct build *b, struct sharc_span query, unsigned set, struct sharc_url_charset *charset)
{
    if (!charset) {
        sharc__url_put_encoded(b, query, set);
        return;
    }
    ucnv_reset(charset->converter);
    while (query.n) {
        uint32_t c, shown;
        size_t length = sharc_utf8_decode(query, &c);
        if (!length) c = 0xfffd, length = 1;
        query = sharc_span_from(query, length);
        uint32_t mended = mend(charset->quirk, c, &shown);
        UChar units[2];
        int n = 0;
        if (mended || c == 0) U16_APPEND_UNSAFE(units, n, mended);
        if (!n || !put_converted(b, charset->converter, units, n, set, /* last= */ false)) put_reference(b, shown);
    }
    put_converted(b, charset->converter, NULL, 0, set, /* last= */ true);
}
