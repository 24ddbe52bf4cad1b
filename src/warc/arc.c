/* SPDX-License-Identifier: Apache-2.0
 *
 * ARC head lines. Version 1 has five words, version 2 ten:
 *   URL IP-address Archive-date Content-type Archive-length
 *   URL IP-address Archive-date Content-type Result-code Checksum Location
 *       Offset Filename Archive-length
 * URLs with spaces and types with parameters are met in the wild, so the line
 * is taken apart around the two words that cannot be mistaken: an address and
 * the date behind it.
 */
#include "sharc/base_limits.h"
#include "warc_int.h"

enum { LINE_MOST = SHARC_LIMIT_URL + 1024, V2_BEHIND_DATE = 7 };

static bool is_address(struct sharc_span s)
{
    if (s.n == 0 || s.n > 45) return false;
    if (s.n == 1 && s.p[0] == '-') return true;
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
    while (i < line.n && i < 20 && sharc_is_alnum(line.p[i])) i++;
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

bool sharc__warc_arc_split(struct sharc_span line, struct sharc__warc_arc_line *ret)
{
    if (line.n > 0 && line.p[line.n - 1] == '\r') line.n--;
    if (!has_scheme(line)) return false;
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

static enum sharc_warc_type type_of(struct sharc_span url)
{
    if (sharc_span_istarts(url, SHARC_SPAN("filedesc:"))) return SHARC_WARC_INFO;
    if (sharc_span_istarts(url, SHARC_SPAN("http:")) || sharc_span_istarts(url, SHARC_SPAN("https:")))
        return SHARC_WARC_RESPONSE;
    return SHARC_WARC_RESOURCE;
}

int64_t sharc__warc_arc_head(struct sharc_warc *w, struct sharc_span bytes, bool at_end, struct sharc_record *rec,
                             struct sharc_err *reterr)
{
    size_t nl = sharc_span_find(sharc_span_sub(bytes, 0, LINE_MOST), '\n', 0);
    if (nl == SHARC_NPOS && !at_end && bytes.n < LINE_MOST) return 0;
    struct sharc__warc_arc_line line;
    if (nl == SHARC_NPOS || !sharc__warc_arc_split(sharc_span_sub(bytes, 0, nl), &line))
        return sharc_fail(reterr, SHARC_ESYNTAX, "neither a WARC nor an ARC record begins here");
    uint64_t size = 0;
    if (sharc_span_to_u64(line.length, &size) < 0) {
        if (!w->o.lenient)
            return sharc_fail(reterr, SHARC_ESYNTAX, "the ARC record's length \"%.*s\" is no number",
                              SHARC_SPAN_ARG(sharc_span_sub(line.length, 0, 40)));
        w->lost = true;
    }
    rec->arc = true;
    rec->version = line.version;
    rec->type = type_of(line.url);
    rec->type_name = sharc_span_of(sharc_warc_type_name(rec->type));
    rec->block_size = size;
    rec->target = sharc__warc_clean_uri(w, line.url);
    rec->date_text = line.date;
    struct sharc_span digits = sharc_span_sub(line.date, 0, 14);
    if (sharc_time_parse(digits, &rec->date, NULL) < 0) rec->date = SHARC_TIME_NONE;
    rec->ip = line.ip;
    rec->content_type = line.mime;
    rec->head = sharc_span_sub(bytes, 0, nl + 1);
    return (int64_t)nl + 1;
}
