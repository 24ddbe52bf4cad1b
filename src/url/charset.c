/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries in the charset of their page. Browsers send a form or link of a
 * Shift_JIS page with a Shift_JIS query, and characters that charset lacks as
 * "&#NNNN;"; servers depend on it. ICU converts; the few places where the
 * Encoding Standard differs from ICU are mended here.
 */
#include "url_int.h"

#include <stdlib.h>
#include <unicode/ucnv.h>
#include <unicode/utf16.h>

enum quirk { QUIRK_NONE, QUIRK_JIS, QUIRK_ISO_2022_JP, QUIRK_GB };

struct sharc_url_charset {
    UConverter *converter;
    enum quirk quirk;
};

/* What the Encoding Standard means by a name, where ICU alone would pick
 * another table. Labels not listed go to ICU as they are. */
static const struct {
    const char *label, *icu; /* icu == NULL: queries are UTF-8 */
    enum quirk quirk;
} special_names[] = {
    {"utf-8", NULL, QUIRK_NONE},
    {"utf8", NULL, QUIRK_NONE},
    {"unicode-1-1-utf-8", NULL, QUIRK_NONE},
    {"unicode11utf8", NULL, QUIRK_NONE},
    {"unicode20utf8", NULL, QUIRK_NONE},
    {"x-unicode20utf8", NULL, QUIRK_NONE},
    {"utf-16", NULL, QUIRK_NONE},
    {"utf-16le", NULL, QUIRK_NONE},
    {"utf-16be", NULL, QUIRK_NONE},
    {"ucs-2", NULL, QUIRK_NONE},
    {"iso-10646-ucs-2", NULL, QUIRK_NONE},
    {"csunicode", NULL, QUIRK_NONE},
    {"unicode", NULL, QUIRK_NONE},
    {"unicodefeff", NULL, QUIRK_NONE},
    {"unicodefffe", NULL, QUIRK_NONE},
    {"replacement", NULL, QUIRK_NONE},
    {"hz-gb-2312", NULL, QUIRK_NONE},
    {"iso-2022-cn", NULL, QUIRK_NONE},
    {"iso-2022-cn-ext", NULL, QUIRK_NONE},
    {"iso-2022-kr", NULL, QUIRK_NONE},
    {"csiso2022kr", NULL, QUIRK_NONE},
    {"ascii", "windows-1252", QUIRK_NONE},
    {"us-ascii", "windows-1252", QUIRK_NONE},
    {"ansi_x3.4-1968", "windows-1252", QUIRK_NONE},
    {"latin1", "windows-1252", QUIRK_NONE},
    {"l1", "windows-1252", QUIRK_NONE},
    {"iso-8859-1", "windows-1252", QUIRK_NONE},
    {"iso8859-1", "windows-1252", QUIRK_NONE},
    {"iso88591", "windows-1252", QUIRK_NONE},
    {"iso_8859-1", "windows-1252", QUIRK_NONE},
    {"cp1252", "windows-1252", QUIRK_NONE},
    {"x-cp1252", "windows-1252", QUIRK_NONE},
    {"latin5", "windows-1254", QUIRK_NONE},
    {"l5", "windows-1254", QUIRK_NONE},
    {"iso-8859-9", "windows-1254", QUIRK_NONE},
    {"iso8859-9", "windows-1254", QUIRK_NONE},
    {"tis-620", "windows-874", QUIRK_NONE},
    {"iso-8859-11", "windows-874", QUIRK_NONE},
    {"iso-8859-8-i", "iso-8859-8", QUIRK_NONE},
    {"logical", "iso-8859-8", QUIRK_NONE},
    {"x-mac-cyrillic", "x-mac-cyrillic", QUIRK_NONE},
    {"big5", "ibm-1375_P100-2008", QUIRK_NONE},
    {"big5-hkscs", "ibm-1375_P100-2008", QUIRK_NONE},
    {"cn-big5", "ibm-1375_P100-2008", QUIRK_NONE},
    {"x-x-big5", "ibm-1375_P100-2008", QUIRK_NONE},
    {"csbig5", "ibm-1375_P100-2008", QUIRK_NONE},
    {"euc-kr", "windows-949", QUIRK_NONE},
    {"ks_c_5601-1987", "windows-949", QUIRK_NONE},
    {"ksc5601", "windows-949", QUIRK_NONE},
    {"korean", "windows-949", QUIRK_NONE},
    {"euc-jp", "euc-jp-2007", QUIRK_JIS},
    {"x-euc-jp", "euc-jp-2007", QUIRK_JIS},
    {"shift_jis", "ibm-943_P15A-2003", QUIRK_JIS},
    {"shift-jis", "ibm-943_P15A-2003", QUIRK_JIS},
    {"sjis", "ibm-943_P15A-2003", QUIRK_JIS},
    {"x-sjis", "ibm-943_P15A-2003", QUIRK_JIS},
    {"ms_kanji", "ibm-943_P15A-2003", QUIRK_JIS},
    {"windows-31j", "ibm-943_P15A-2003", QUIRK_JIS},
    {"iso-2022-jp", "iso-2022-jp", QUIRK_ISO_2022_JP},
    {"csiso2022jp", "iso-2022-jp", QUIRK_ISO_2022_JP},
    {"gb18030", "gb18030", QUIRK_GB},
    {"gbk", "gbk", QUIRK_GB},
    {"gb2312", "gbk", QUIRK_GB},
    {"gb_2312-80", "gbk", QUIRK_GB},
    {"chinese", "gbk", QUIRK_GB},
    {"x-gbk", "gbk", QUIRK_GB},
};

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
    char name[64];
    label = sharc_span_trim(label);
    SHARC_FAIL_IF(!label.n || label.n >= sizeof name, reterr, SHARC_EUNSUPPORTED, "\"%.*s\" is no known charset",
                  (int)(label.n < 64 ? label.n : 64), label.p ? label.p : "");
    memcpy(name, label.p, label.n);
    name[label.n] = 0;
    sharc__url_lower(name, label.n);

    const char *icu = name;
    enum quirk quirk = QUIRK_NONE;
    for (size_t i = 0; i < SHARC_LENGTH(special_names); i++) {
        if (strcmp(name, special_names[i].label) != 0) continue;
        icu = special_names[i].icu;
        quirk = special_names[i].quirk;
        break;
    }
    if (!icu) {
        *ret = NULL;
        return 0;
    }
    UConverter *converter = open_converter(icu);
    SHARC_FAIL_IF(!converter, reterr, SHARC_EUNSUPPORTED, "\"%s\" is no known charset", name);
    *ret = SHARC_NEW(struct sharc_url_charset);
    **ret = (struct sharc_url_charset){converter, quirk};
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
    build_put(b, SPAN("%26%23"));
    build_put(b, sharc_span(digits, sharc__url_number_text(code, digits)));
    build_put(b, SPAN("%3B"));
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
