/* SPDX-License-Identifier: Apache-2.0
 *
 * Character encodings, named and read as the WHATWG Encoding Standard says,
 * converted by ICU. Where ICU's tables differ from the standard's (some rare
 * pairs of Big5, Shift_JIS and GB18030) ICU's are used.
 */
#ifndef SHARC_BASE_CHARSET_H
#define SHARC_BASE_CHARSET_H

#include "sharc/base.h"
#include "sharc/base_buf.h"

SHARC_API_BEGIN

/* name, the standard's name, ICU's name for the same table (NULL: none) */
#define SHARC_CHARSETS(X)                                 \
    X(UTF_8, "UTF-8", "UTF-8")                            \
    X(IBM866, "IBM866", "ibm-866_P100-1995")              \
    X(ISO_8859_2, "ISO-8859-2", "ISO-8859-2")             \
    X(ISO_8859_3, "ISO-8859-3", "ISO-8859-3")             \
    X(ISO_8859_4, "ISO-8859-4", "ISO-8859-4")             \
    X(ISO_8859_5, "ISO-8859-5", "ISO-8859-5")             \
    X(ISO_8859_6, "ISO-8859-6", "ISO-8859-6")             \
    X(ISO_8859_7, "ISO-8859-7", "ISO-8859-7")             \
    X(ISO_8859_8, "ISO-8859-8", "ISO-8859-8")             \
    X(ISO_8859_8_I, "ISO-8859-8-I", "ISO-8859-8")         \
    X(ISO_8859_10, "ISO-8859-10", "ISO-8859-10")          \
    X(ISO_8859_13, "ISO-8859-13", "ISO-8859-13")          \
    X(ISO_8859_14, "ISO-8859-14", "ISO-8859-14")          \
    X(ISO_8859_15, "ISO-8859-15", "ISO-8859-15")          \
    X(ISO_8859_16, "ISO-8859-16", NULL)                   \
    X(KOI8_R, "KOI8-R", "KOI8-R")                         \
    X(KOI8_U, "KOI8-U", "KOI8-U")                         \
    X(MACINTOSH, "macintosh", "macintosh")                \
    X(WINDOWS_874, "windows-874", "windows-874-2000")     \
    X(WINDOWS_1250, "windows-1250", "ibm-5346_P100-1998") \
    X(WINDOWS_1251, "windows-1251", "ibm-5347_P100-1998") \
    X(WINDOWS_1252, "windows-1252", "ibm-5348_P100-1997") \
    X(WINDOWS_1253, "windows-1253", "ibm-5349_P100-1998") \
    X(WINDOWS_1254, "windows-1254", "ibm-5350_P100-1998") \
    X(WINDOWS_1255, "windows-1255", "ibm-9447_P100-2002") \
    X(WINDOWS_1256, "windows-1256", "ibm-9448_X100-2005") \
    X(WINDOWS_1257, "windows-1257", "ibm-9449_P100-2002") \
    X(WINDOWS_1258, "windows-1258", "ibm-5354_P100-1998") \
    X(X_MAC_CYRILLIC, "x-mac-cyrillic", "x-mac-cyrillic") \
    X(GBK, "GBK", "gb18030")                              \
    X(GB18030, "gb18030", "gb18030")                      \
    X(BIG5, "Big5", "ibm-1375_P100-2008")                 \
    X(EUC_JP, "EUC-JP", "euc-jp-2007")                    \
    X(ISO_2022_JP, "ISO-2022-JP", "ISO-2022-JP")          \
    X(SHIFT_JIS, "Shift_JIS", "ibm-943_P15A-2003")        \
    X(EUC_KR, "EUC-KR", "windows-949-2000")               \
    X(REPLACEMENT, "replacement", NULL)                   \
    X(UTF_16BE, "UTF-16BE", "UTF-16BE")                   \
    X(UTF_16LE, "UTF-16LE", "UTF-16LE")                   \
    X(X_USER_DEFINED, "x-user-defined", NULL)

enum sharc_charset {
#define X(name, text, icu) SHARC_CHARSET_##name,
    SHARC_CHARSETS(X)
#undef X
        SHARC_CHARSET_COUNT,
};

/* What a label means to a browser ("latin1" is windows-1252); any case, white
 * space around it ignored. SHARC_ENOENT for a label no browser knows. */
int sharc_charset_of(struct sharc_span label, enum sharc_charset *ret);
/* "windows-1252" */
const char *sharc_charset_name(enum sharc_charset c);

/* Decode to UTF-8, appended to out; bytes without a meaning become U+FFFD. A
 * BOM of the charset at the start is not kept. Stops with SHARC_ELIMIT when out
 * is full: what fitted is in it. Linear. */
int sharc_charset_decode(enum sharc_charset c, struct sharc_span in, struct sharc_buf *out, struct sharc_err *reterr);

/* The charset that a byte order mark at the start names. */
bool sharc_charset_of_bom(struct sharc_span in, enum sharc_charset *ret);
/* A guess from the bytes alone: UTF-8 when they are well-formed UTF-8, else
 * what ICU's statistics say about some kilobytes around the first foreign byte,
 * else windows-1252. *ret_certainty (may be NULL): 0 … 100. */
enum sharc_charset sharc_charset_guess(struct sharc_span in, int *ret_certainty);

SHARC_API_END
#endif
