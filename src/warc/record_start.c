/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a record begins: the version line of a WARC, the head line of an ARC.
 * Pure syntax, for the reader and for whoever looks for the next record after damage.
 *
 * An ARC head line of version 1 has five words, one of version 2 ten:
 *   URL IP-address Archive-date Content-type Archive-length
 *   URL IP-address Archive-date Content-type Result-code Checksum Location
 *       Offset Filename Archive-length
 * URLs with spaces and types with parameters are met in the wild, so the line
 * is taken apart around the two words that cannot be mistaken: an address and
 * the date behind it; or by counting, when there is no such address.
 */
#include "sharc/base_limits.h"
#include "warc_int.h"

enum { V1_WORDS = 5, V2_WORDS = 10, V2_BEHIND_DATE = 7 };

/* --- WARC ---------------------------------------------------------------- */

unsigned sharc__warc_version_of(struct sharc_span line)
{
    if (line.n > 0 && line.p[line.n - 1] == '\r') line.n--;
    if (!sharc_span_starts(line, SHARC_SPAN("WARC/")) || line.n > 12) return 0;
    line = sharc_span_trim(sharc_span_from(line, 5));
    uint64_t major, minor;
    size_t dot = sharc_span_find(line, '.', 0);
    if (dot == SHARC_NPOS || sharc_span_to_u64(sharc_span_sub(line, 0, dot), &major) < 0) return 0;
    if (sharc_span_to_u64(sharc_span_from(line, dot + 1), &minor) < 0 || major > 9 || minor > 99) return 0;
    return (unsigned)(major * 100 + minor);
}

bool sharc__warc_is_version_line(struct sharc_span bytes)
{
    size_t nl = sharc_span_find(sharc_span_sub(bytes, 0, 16), '\n', 0);
    return nl != SHARC_NPOS && sharc__warc_version_of(sharc_span_sub(bytes, 0, nl)) > 0;
}

/* --- ARC ----------------------------------------------------------------- */

/* "0" stands in the specification's own example where no address is known, as "-" does
 * elsewhere. */
static bool is_address(struct sharc_span s)
{
    if (s.n == 0 || s.n > 45) return false;
    if (s.n == 1 && (s.p[0] == '-' || s.p[0] == '0')) return true;
    bool divided = false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '.' || s.p[i] == ':')
            divided = true;
        else if (sharc_hex_value(s.p[i]) < 0)
            return false;
    }
    return divided;
}

static bool is_date(struct sharc_span s)
{
    if (s.n < 12 || s.n > 18) return false;
    for (size_t i = 0; i < s.n; i++)
        if (!sharc_is_digit(s.p[i])) return false;
    return true;
}

/* Letters first, and a colon: "http://…", "dns:…", "filedesc://…". */
static bool has_scheme(struct sharc_span line)
{
    size_t i = 0;
    while (i < line.n && i < 20 && (sharc_is_alnum(line.p[i]) || strchr("+-.", line.p[i]))) i++;
    return i > 0 && i < line.n && line.p[i] == ':' && sharc_is_alpha(line.p[0]);
}

static size_t count_words(struct sharc_span s)
{
    size_t n = 1;
    for (size_t i = 0; (i = sharc_span_find(s, ' ', i)) != SHARC_NPOS; i++) n++;
    return n;
}

/* behind: everything after the date. */
static bool split_behind(struct sharc_span behind, struct sharc__warc_arc_line *ret)
{
    size_t last = behind.n;
    while (last > 0 && behind.p[last - 1] != ' ') last--;
    if (last == 0 || last == behind.n) return false;
    ret->length = sharc_span_from(behind, last);
    ret->version = count_words(behind) == V2_BEHIND_DATE ? 200 : 100;
    ret->mime = sharc_span_sub(behind, 0, last - 1);
    if (ret->version == 200) ret->mime = sharc_span_sub(behind, 0, sharc_span_find(behind, ' ', 0));
    return true;
}

/* Around an address and the date behind it. */
static bool split_by_address(struct sharc_span line, struct sharc__warc_arc_line *ret)
{
    struct sharc_span before = SHARC_SPAN_NONE;
    for (size_t at = 0; at < line.n;) {
        size_t end = sharc_span_find(line, ' ', at);
        if (end == SHARC_NPOS) return false;
        struct sharc_span word = sharc_span_sub(line, at, end);
        if (before.p && before.p > line.p && is_date(word) && is_address(before)) {
            ret->url = sharc_span(line.p, (size_t)(before.p - line.p) - 1);
            ret->ip = before;
            ret->date = word;
            return split_behind(sharc_span_from(line, end + 1), ret);
        }
        before = word;
        at = end + 1;
    }
    return false;
}

/* Words where they should be, whatever stands for URL and address ("unknown", a
 * host's name): the other three must then be beyond doubt. */
static bool split_by_count(struct sharc_span line, struct sharc__warc_arc_line *ret)
{
    sharc_time when;
    uint64_t size;
    size_t words = count_words(line);
    struct sharc_span rest = line;
    if (words != V1_WORDS && words != V2_WORDS) return false;
    bool all = sharc_span_next(&rest, ' ', &ret->url) && sharc_span_next(&rest, ' ', &ret->ip) &&
               sharc_span_next(&rest, ' ', &ret->date);
    if (!all || !ret->url.n || !ret->ip.n || ret->date.n != 14 || !is_date(ret->date) || !split_behind(rest, ret))
        return false;
    bool mime = sharc_span_find(ret->mime, '/', 0) != SHARC_NPOS || sharc_span_is(ret->mime, "-") ||
                sharc_span_is(ret->mime, "no-type") || sharc_span_is(ret->mime, "unknown");
    return mime && sharc_time_parse(ret->date, &when, NULL) == 0 && sharc_span_to_u64(ret->length, &size) == 0;
}

bool sharc__warc_arc_split(struct sharc_span line, struct sharc__warc_arc_line *ret)
{
    if (line.n > 0 && line.p[line.n - 1] == '\r') line.n--;
    return (has_scheme(line) && split_by_address(line, ret)) || split_by_count(line, ret);
}

/* --- either -------------------------------------------------------------- */

bool sharc__warc_looks_like_record(struct sharc_span bytes)
{
    if (bytes.n == 0) return false;
    if (sharc__warc_is_version_line(bytes)) return true;
    size_t nl = sharc_span_find(sharc_span_sub(bytes, 0, SHARC_LIMIT_URL + 1024), '\n', 0);
    if (nl == SHARC_NPOS) return false;
    struct sharc_span line = sharc_span_sub(bytes, 0, nl);
    struct sharc__warc_arc_line parts;
    return sharc__warc_arc_split(line, &parts);
}
