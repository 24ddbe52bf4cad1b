/* SPDX-License-Identifier: Apache-2.0
 *
 * ARC heads: one line, whose words become the fields that a WARC record would have.
 */
#include "sharc/base_limits.h"
#include "warc_int.h"

enum { LINE_MOST = SHARC_LIMIT_URL + 1024 };

static enum sharc_warc_type type_of(struct sharc_span url)
{
    if (sharc_span_istarts(url, SHARC_SPAN("filedesc:"))) return SHARC_WARC_INFO;
    if (sharc_span_istarts(url, SHARC_SPAN("http:")) || sharc_span_istarts(url, SHARC_SPAN("https:")))
        return SHARC_WARC_RESPONSE;
    return SHARC_WARC_RESOURCE;
}

int64_t sharc__warc_arc_head(struct sharc_warc *w, struct sharc_span bytes, struct sharc_record *rec,
                             struct sharc_err *reterr)
{
    size_t nl = sharc_span_find(sharc_span_sub(bytes, 0, LINE_MOST), '\n', 0);
    struct sharc__warc_arc_line line;
    if (nl == SHARC_NPOS || !sharc__warc_arc_split(sharc_span_sub(bytes, 0, nl), &line))
        return sharc_fail(reterr, SHARC_ESYNTAX, "neither a WARC nor an ARC record begins here");
    uint64_t size = 0;
    if (sharc_span_to_u64(line.length, &size) < 0) {
        if (!w->o.lenient)
            return sharc_fail(reterr, SHARC_ESYNTAX, "the ARC record's length \"%.*s\" is not a number",
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
