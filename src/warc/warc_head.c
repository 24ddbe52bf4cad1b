/* SPDX-License-Identifier: Apache-2.0
 *
 * WARC heads: a version line, then named fields in the grammar of HTTP.
 */
#include "sharc/base_limits.h"
#include "warc_int.h"

#include <stddef.h>
#include <stdio.h>

enum { GLANCE = 2048 }; /* heads are shorter, as a rule */

static const char *const type_names[SHARC_WARC_TYPES] = {
    "unknown", "warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation",
};

const char *sharc_warc_type_name(enum sharc_warc_type type)
{
    return (unsigned)type < SHARC_WARC_TYPES ? type_names[type] : type_names[0];
}

enum sharc_warc_type sharc_warc_type_of(struct sharc_span name)
{
    for (int i = SHARC_WARC_INFO; i < SHARC_WARC_TYPES; i++)
        if (sharc_span_ieq(name, sharc_span_of(type_names[i]))) return (enum sharc_warc_type)i;
    return SHARC_WARC_OTHER;
}

/* Named fields that have a place of their own in the record. */
static const struct known {
    struct sharc_span name;
    size_t at;
} known[] = {
#define FIELD(text, member)                                             \
    {                                                                   \
        {text, sizeof(text) - 1}, offsetof(struct sharc_record, member) \
    }
    FIELD("WARC-Type", type_name),
    FIELD("WARC-Date", date_text),
    FIELD("Content-Type", content_type),
    FIELD("WARC-Profile", profile),
    FIELD("WARC-Record-ID", id),
    FIELD("WARC-Refers-To", refers_to),
    FIELD("WARC-Truncated", truncated),
    FIELD("WARC-Target-URI", target),
    FIELD("WARC-IP-Address", ip),
    FIELD("WARC-Warcinfo-ID", warcinfo_id),
    FIELD("WARC-Block-Digest", block_digest),
    FIELD("WARC-Concurrent-To", concurrent_to),
    FIELD("WARC-Payload-Digest", payload_digest),
    FIELD("WARC-Refers-To-Date", refers_to_date),
    FIELD("WARC-Refers-To-Target-URI", refers_to_target),
#undef FIELD
};

static struct sharc_span *place_of(struct sharc_record *rec, struct sharc_span name)
{
    for (size_t i = 0; i < SHARC_LENGTH(known); i++) {
        if (known[i].name.n == name.n && sharc_span_ieq(known[i].name, name))
            return (struct sharc_span *)(void *)((char *)rec + known[i].at);
    }
    return NULL;
}

struct sharc_span sharc__warc_clean_uri(struct sharc_warc *w, struct sharc_span uri)
{
    if (uri.n >= 2 && uri.p[0] == '<' && uri.p[uri.n - 1] == '>') {
        uri = sharc_span_sub(uri, 1, uri.n - 1);
        sharc__warc_warn(w, HABIT_BRACKETS, w->record_at);
    }
    if (sharc_span_find(uri, ' ', 0) == SHARC_NPOS) return uri;
    sharc__warc_warn(w, HABIT_SPACES, w->record_at);
    /* Reserved once for the largest head, so that spans into it stay good. */
    if (sharc_buf_reserve(&w->scratch, 3 * uri.n) < 0) return uri;
    size_t at = w->scratch.n;
    for (size_t i = 0; i < uri.n; i++)
        if (uri.p[i] == ' ')
            sharc_buf_put(&w->scratch, SHARC_SPAN("%20"));
        else
            sharc_buf_put_char(&w->scratch, uri.p[i]);
    return sharc_span(w->scratch.p + at, w->scratch.n - at);
}

static void clean_uris(struct sharc_warc *w, struct sharc_record *rec)
{
    rec->target = sharc__warc_clean_uri(w, rec->target);
    struct sharc_span *others[] = {&rec->refers_to_target, &rec->profile};
    for (size_t i = 0; i < SHARC_LENGTH(others); i++) { /* <> are the old form: no word about it */
        struct sharc_span s = *others[i];
        if (s.n >= 2 && s.p[0] == '<' && s.p[s.n - 1] == '>') *others[i] = sharc_span_sub(s, 1, s.n - 1);
    }
}

/* The tool that wrote ClueWeb09 put the day of the year where the day of the month
 * belongs: "2009-03-65". In January both are the same, later there is no such day in any
 * month, and the month says whether it was meant so. */
static sharc_time by_day_of_year(struct sharc_span s)
{
    uint64_t year, month, day;
    char text[64];
    sharc_time first, begin;
    size_t t = sharc_span_find(s, 'T', 0);
    if (t == SHARC_NPOS || t < 10 || t > 11 || s.n > 40 || s.p[4] != '-' || s.p[7] != '-') return SHARC_TIME_NONE;
    if (sharc_span_to_u64(sharc_span_sub(s, 0, 4), &year) < 0 ||
        sharc_span_to_u64(sharc_span_sub(s, 5, 7), &month) < 0 || sharc_span_to_u64(sharc_span_sub(s, 8, t), &day) < 0)
        return SHARC_TIME_NONE;
    if (day < 32 || day > 366) return SHARC_TIME_NONE;
    snprintf(text, sizeof text, "%04u-01-01%.*s", (unsigned)year, (int)(s.n - t), s.p + t);
    if (sharc_time_parse(sharc_span_of(text), &first, NULL) < 0 ||
        sharc_time_parse(sharc_span(text, 10), &begin, NULL) < 0)
        return SHARC_TIME_NONE;
    struct sharc_date d = sharc_date_of(begin + (sharc_time)(day - 1) * SHARC_DAY);
    return d.year == (int)year && d.month == (int)month ? first + (sharc_time)(day - 1) * SHARC_DAY : SHARC_TIME_NONE;
}

static sharc_time read_date(struct sharc_warc *w, struct sharc_span s)
{
    sharc_time t;
    if (!s.p) return SHARC_TIME_NONE;
    if (sharc_time_parse(s, &t, NULL) == 0) return t;
    t = by_day_of_year(s);
    if (t != SHARC_TIME_NONE) sharc__warc_warn(w, HABIT_DAY_OF_YEAR, w->record_at);
    return t;
}

static int fill_record(struct sharc_warc *w, struct sharc_record *rec, struct sharc_err *reterr)
{
    bool has_length = false;
    rec->fields = w->named.fields;
    rec->count = w->named.count;
    for (size_t i = 0; i < rec->count; i++) {
        const struct sharc_http_field *f = &rec->fields[i];
        if (!has_length && f->name.n == 14 && sharc_span_ieq(f->name, SHARC_SPAN("Content-Length"))) {
            if (sharc_span_to_u64(f->value, &rec->block_size) < 0)
                return sharc_fail(reterr, SHARC_ESYNTAX, "Content-Length \"%.*s\" is not a number",
                                  SHARC_SPAN_ARG(sharc_span_sub(f->value, 0, 40)));
            has_length = true;
            continue;
        }
        struct sharc_span *place = place_of(rec, f->name);
        if (place && !place->p) *place = f->value;
    }
    SHARC_FAIL_IF(!has_length, reterr, SHARC_ESYNTAX, "the record has no Content-Length");
    rec->type = sharc_warc_type_of(rec->type_name);
    clean_uris(w, rec);
    rec->date = read_date(w, rec->date_text);
    return 0;
}

static void warn_version(struct sharc_warc *w, unsigned version)
{
    if (version != 100 && version != 101 && version != 17 && version != 18)
        sharc__warc_warn(w, HABIT_VERSION, w->record_at);
}

int64_t sharc__warc_head(struct sharc_warc *w, struct sharc_span bytes, struct sharc_record *rec,
                         struct sharc_err *reterr)
{
    size_t nl = sharc_span_find(sharc_span_sub(bytes, 0, 80), '\n', 0);
    rec->version = nl == SHARC_NPOS ? 0 : sharc__warc_version_of(sharc_span_sub(bytes, 0, nl));
    SHARC_FAIL_IF(rec->version == 0, reterr, SHARC_ESYNTAX, "the WARC version line cannot be read");
    int64_t n = sharc_http_parse_fields(&w->named, sharc_span_from(bytes, nl + 1), true, reterr);
    if (n < 0) return n;
    SHARC_FAIL_IF(n == 0 || (w->named.quirks & SHARC_HTTP_NO_END), reterr, SHARC_ETRUNC,
                  "the record's head is cut off");
    int r = fill_record(w, rec, reterr);
    if (r < 0) return r;
    warn_version(w, rec->version);
    if (w->named.quirks & SHARC_HTTP_LF_ONLY) sharc__warc_warn(w, HABIT_LF_ONLY, w->record_at);
    if (w->named.quirks & SHARC_HTTP_NO_COLON) sharc__warc_warn(w, HABIT_NO_COLON, w->record_at);
    rec->head = sharc_span_sub(bytes, 0, nl + 1 + (size_t)n);
    return (int64_t)rec->head.n;
}

/* Value of a field by a plain search in the head; .p == NULL when it is not
 * there in its usual spelling. */
static struct sharc_span glance_at(struct sharc_span head, struct sharc_span name)
{
    size_t at = sharc_span_search(head, name);
    if (at == SHARC_NPOS) return SHARC_SPAN_NONE;
    struct sharc_span rest = sharc_span_from(head, at + name.n);
    return sharc_span_trim(sharc_span_sub(rest, 0, sharc_span_find(rest, '\r', 0)));
}

size_t sharc__warc_glance(struct sharc_span bytes, unsigned types, struct sharc_record *rec)
{
    if (!sharc_span_starts(bytes, SHARC_SPAN("WARC/1."))) return 0;
    struct sharc_span head = sharc_span_sub(bytes, 0, GLANCE);
    size_t end = sharc_span_search(head, SHARC_SPAN("\r\n\r\n"));
    if (end == SHARC_NPOS) return 0;
    head = sharc_span_sub(head, 0, end + 2);
    enum sharc_warc_type type = sharc_warc_type_of(glance_at(head, SHARC_SPAN("\nWARC-Type:")));
    struct sharc_span length = glance_at(head, SHARC_SPAN("\nContent-Length:"));
    if (type == SHARC_WARC_OTHER || (types & SHARC_WARC_BIT(type))) return 0;
    *rec = (struct sharc_record){.type = type, .date = SHARC_TIME_NONE};
    return sharc_span_to_u64(length, &rec->block_size) < 0 ? 0 : end + 4;
}

struct sharc_span sharc_record_get(const struct sharc_record *rec, const char *name)
{
    size_t at = 0;
    struct sharc_span value = SHARC_SPAN_NONE;
    sharc_record_each(rec, name, &at, &value);
    return value;
}

bool sharc_record_each(const struct sharc_record *rec, const char *name, size_t *at, struct sharc_span *ret)
{
    const struct sharc_http view = {.fields = (struct sharc_http_field *)rec->fields, .count = rec->count};
    return sharc_http_each(&view, name, at, ret);
}
