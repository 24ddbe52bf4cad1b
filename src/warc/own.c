/* SPDX-License-Identifier: Apache-2.0
 *
 * Writer and reader of sharc's own fields: both walk the same tables, which are made of the lists in
 * the header.
 */
#include "sharc/warc_own.h"

#include "sharc/base_digest.h"
#include "sharc/base_json.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Also what an older sharc wrote into files of a crawl of many sites. */
#define SEVERAL "several sites"

enum type { TIME, KIND, WHOLE, REAL, FLAG, WORD, SITE };

struct field {
    enum type type;
    const char *name;
    size_t at; /* of its member */
};

#define FETCH_ROW(type, member, name) {type, name, offsetof(struct sharc_own_fetch, member)},
#define INFO_ROW(type, member, name) {type, name, offsetof(struct sharc_own_info, member)},
static const struct field fetch_fields[] = {SHARC_OWN_FETCH(FETCH_ROW)};
static const struct field info_fields[] = {SHARC_OWN_INFO(INFO_ROW)};

static const char *const kinds[] = {
#define X(name, word) word,
    SHARC_OWN_KINDS(X)
#undef X
};

/* One pointer, seen as what the field's type says it is. */
union member {
    char *bytes;
    sharc_time *time;
    enum sharc_own_kind *kind;
    int64_t *whole;
    double *real;
    bool *flag;
    struct sharc_span *word;
};

static union member member_of(const struct field *f, const void *base)
{
    return (union member){.bytes = (char *)(uintptr_t)base + f->at};
}

/* --- unknown ------------------------------------------------------------------------- */

static void init(const struct field *fields, size_t n, void *base)
{
    for (size_t i = 0; i < n; i++) {
        union member m = member_of(&fields[i], base);
        switch (fields[i].type) {
        case TIME: *m.time = SHARC_TIME_NONE; break;
        case KIND: *m.kind = SHARC_OWN_VISIT; break;
        case WHOLE: *m.whole = -1; break;
        case REAL: *m.real = (double)NAN; break;
        case FLAG: *m.flag = false; break;
        case WORD:
        case SITE: *m.word = SHARC_SPAN_NONE; break;
        }
    }
}

void sharc_own_fetch_init(struct sharc_own_fetch *f)
{
    f->ours = false;
    init(fetch_fields, SHARC_LENGTH(fetch_fields), f);
}

void sharc_own_info_init(struct sharc_own_info *i)
{
    init(info_fields, SHARC_LENGTH(info_fields), i);
}

/* --- writing --------------------------------------------------------------------------- */

static void put_line(struct sharc_buf *out, const char *name, struct sharc_span value)
{
    if (!value.n || sharc_span_find(value, '\n', 0) != SHARC_NPOS || sharc_span_find(value, '\r', 0) != SHARC_NPOS)
        return;
    sharc_buf_put_str(out, name);
    sharc_buf_put(out, SHARC_SPAN(": "));
    sharc_buf_put(out, value);
    sharc_buf_put(out, SHARC_SPAN("\r\n"));
}

/* The last digit counts: what is read back is the same number. */
static void put_real(struct sharc_buf *out, const char *name, double value)
{
    if (isnan(value)) return;
    sharc_buf_printf(out, "%s: ", name);
    sharc_json_number(out, value);
    sharc_buf_put(out, SHARC_SPAN("\r\n"));
}

static void put_field(const struct field *f, const void *base, struct sharc_buf *out)
{
    char text[SHARC_TIME_TEXT];
    union member m = member_of(f, base);
    switch (f->type) {
    case TIME:
        if (*m.time != SHARC_TIME_NONE) put_line(out, f->name, sharc_span_of(sharc_time_iso(*m.time, 6, text)));
        break;
    case KIND: put_line(out, f->name, sharc_span_of(kinds[*m.kind])); break;
    case WHOLE:
        if (*m.whole >= 0) sharc_buf_printf(out, "%s: %" PRId64 "\r\n", f->name, *m.whole);
        break;
    case REAL: put_real(out, f->name, *m.real); break;
    case FLAG:
        if (*m.flag) put_line(out, f->name, SHARC_SPAN("true"));
        break;
    case WORD: put_line(out, f->name, *m.word); break;
    case SITE: put_line(out, f->name, m.word->n ? *m.word : SHARC_SPAN(SEVERAL)); break;
    }
}

void sharc_own_fetch_put(const struct sharc_own_fetch *f, struct sharc_buf *out)
{
    for (size_t i = 0; i < SHARC_LENGTH(fetch_fields); i++) put_field(&fetch_fields[i], f, out);
}

void sharc_own_info_put(const struct sharc_own_info *i, struct sharc_buf *out)
{
    for (size_t k = 0; k < SHARC_LENGTH(info_fields); k++) put_field(&info_fields[k], i, out);
}

/* --- reading --------------------------------------------------------------------------- */

static void read_value(const struct field *f, void *base, struct sharc_span value)
{
    union member m = member_of(f, base);
    sharc_time when;
    int64_t whole;
    double real;
    switch (f->type) {
    case TIME:
        if (sharc_time_parse(value, &when, NULL) == 0) *m.time = when;
        break;
    case KIND: /* an unknown one is a visit like any other */
        for (size_t i = 0; i < SHARC_LENGTH(kinds); i++)
            if (sharc_span_ieq(value, sharc_span_of(kinds[i]))) *m.kind = (enum sharc_own_kind)i;
        break;
    case WHOLE:
        if (sharc_span_to_i64(value, &whole) == 0 && whole >= 0) *m.whole = whole;
        break;
    case REAL:
        if (sharc_span_to_double(value, &real) == 0 && real >= 0 && isfinite(real)) *m.real = real;
        break;
    case FLAG: *m.flag = sharc_span_ieq(value, SHARC_SPAN("true")); break;
    case WORD: *m.word = value; break;
    case SITE: *m.word = sharc_span_is(value, SEVERAL) ? SHARC_SPAN_NONE : value; break;
    }
}

static const struct field *find(const struct field *fields, size_t n, struct sharc_span name)
{
    for (size_t i = 0; i < n; i++)
        if (sharc_span_ieq(name, sharc_span_of(fields[i].name))) return &fields[i];
    return NULL;
}

bool sharc_own_fetch_read(struct sharc_own_fetch *f, struct sharc_span name, struct sharc_span value)
{
    const struct field *field = find(fetch_fields, SHARC_LENGTH(fetch_fields), name);
    if (!field) return false;
    if (field->type == KIND) f->ours = true;
    read_value(field, f, value);
    return true;
}

bool sharc_own_info_read(struct sharc_own_info *i, struct sharc_span name, struct sharc_span value)
{
    const struct field *field = find(info_fields, SHARC_LENGTH(info_fields), name);
    if (!field) return false;
    read_value(field, i, value);
    return true;
}

/* --- record ids -------------------------------------------------------------------------- */

void sharc_warc_id_text(const uint8_t id[16], char out[SHARC_WARC_ID_TEXT])
{
    static const uint8_t parts[] = {8, 4, 4, 4, 12};
    char hex[SHARC_HEX_SIZE(16)], *at = out;
    const char *digits = hex;
    sharc_hex_encode(sharc_span(id, 16), hex);
    memcpy(at, "<urn:uuid:", 10);
    at += 10;
    for (size_t i = 0; i < sizeof parts; i++) {
        memcpy(at, digits, parts[i]);
        digits += parts[i];
        at += parts[i];
        *at++ = '-';
    }
    memcpy(at - 1, ">", 2); /* in place of the last dash */
}

bool sharc_warc_id_read(struct sharc_span text, uint8_t out[16])
{
    const struct sharc_span prefix = SHARC_SPAN("urn:uuid:");
    enum { FORM = 36 };
    uint8_t id[16] = {0};
    size_t digits = 0;
    if (text.n >= 2 && text.p[0] == '<' && text.p[text.n - 1] == '>') text = sharc_span_sub(text, 1, text.n - 1);
    if (text.n != prefix.n + FORM || !sharc_span_istarts(text, prefix)) return false;
    for (size_t i = 0; i < FORM; i++) {
        char c = text.p[prefix.n + i];
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        int v = dash ? 0 : sharc_hex_value(c);
        if (dash ? c != '-' : v < 0) return false;
        if (dash) continue;
        id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | v);
        digits++;
    }
    memcpy(out, id, sizeof id);
    return true;
}

/* --- kinds of answers ------------------------------------------------------------- */

bool sharc_record_is_control(const struct sharc_record *rec)
{
    return sharc_span_ieq(sharc_record_get(rec, "sharc-kind"), sharc_span_of(kinds[SHARC_OWN_CONTROL]));
}

static bool is_note(const struct sharc_record *rec, const char *kind)
{
    return rec->type == SHARC_WARC_METADATA && sharc_span_ieq(sharc_record_get(rec, "sharc-kind"), sharc_span_of(kind));
}

bool sharc_record_is_verdict(const struct sharc_record *rec)
{
    return is_note(rec, "verdict");
}

bool sharc_record_is_tls_chain(const struct sharc_record *rec)
{
    return is_note(rec, SHARC_WARC_CHAIN_KIND);
}

bool sharc_record_is_note(const struct sharc_record *rec)
{
    return sharc_record_is_verdict(rec) || sharc_record_is_tls_chain(rec);
}
