/* SPDX-License-Identifier: Apache-2.0
 *
 * Fields of CSV.
 */
#include "sharc/base_buf.h"

/* Would a spreadsheet take this text for a formula? Numbers are none. */
static bool is_formula(struct sharc_span s)
{
    static const char *const wide[] = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0",
                                       NULL}; /* ＝＋－＠ */
    double number;
    bool starts = s.n && s.p[0] && strchr("=+-@\t\r\n", s.p[0]);
    for (size_t i = 0; !starts && wide[i]; i++) starts = sharc_span_starts(s, sharc_span_of(wide[i]));
    return starts && sharc_span_to_double(s, &number) < 0;
}

void sharc_buf_put_csv(struct sharc_buf *b, struct sharc_span s)
{
    bool quoted = false;
    for (size_t i = 0; i < s.n; i++) quoted = quoted || (s.p[i] && strchr(",\"\r\n", s.p[i]));
    if (quoted) sharc_buf_put_char(b, '"');
    if (is_formula(s)) sharc_buf_put_char(b, '\'');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"') sharc_buf_put_char(b, '"');
        sharc_buf_put_char(b, s.p[i]);
    }
    if (quoted) sharc_buf_put_char(b, '"');
}
