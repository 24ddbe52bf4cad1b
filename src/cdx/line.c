/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of CDXJ and of the older CDX formats: read into fields, and written from them.
 */
#include "json.h"
#include "sharc/base_json.h"
#include "sharc/base_limits.h"
#include "sharc/cdx.h"

static const char *const names[] = {
#define X(id, name) name,
    SHARC_CDX_FIELDS_LIST(X)
#undef X
};

const char *sharc_cdx_name(enum sharc_cdx_field field)
{
    SHARC_ASSERT((size_t)field < SHARC_LENGTH(names));
    return names[field];
}

enum sharc_cdx_field sharc_cdx_field_of(struct sharc_span name)
{
    static const struct {
        const char *name;
        enum sharc_cdx_field field;
    } also[] = {
        {"statuscode", SHARC_CDX_STATUS}, {"mimetype", SHARC_CDX_MIME},  {"original", SHARC_CDX_URL},
        {"key", SHARC_CDX_KEY},           {"time", SHARC_CDX_TIMESTAMP},
    };
    for (size_t i = 0; i < SHARC_LENGTH(names); i++)
        if (sharc_span_is(name, names[i])) return (enum sharc_cdx_field)i;
    for (size_t i = 0; i < SHARC_LENGTH(also); i++)
        if (sharc_span_is(name, also[i].name)) return also[i].field;
    return SHARC_CDX_FIELDS;
}

void sharc_cdx_parser_init(struct sharc_cdx_parser *p)
{
    *p = (struct sharc_cdx_parser){.text = SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE + 1),
                                   .extra = SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE + 1),
                                   .separator = ' '};
}

void sharc_cdx_parser_done(struct sharc_cdx_parser *p)
{
    sharc_buf_done(&p->text);
    sharc_buf_done(&p->extra);
}

/* --- the JSON form ------------------------------------------------------- */

/* The members everybody writes; told apart by length first. */
static enum sharc_cdx_field json_field(struct sharc_span name)
{
    static const unsigned char by_length[12][5] = {
        [3] = {SHARC_CDX_URL},
        [4] = {SHARC_CDX_MIME},
        [6] = {SHARC_CDX_STATUS, SHARC_CDX_DIGEST, SHARC_CDX_LENGTH, SHARC_CDX_OFFSET, SHARC_CDX_METHOD},
        [8] = {SHARC_CDX_FILENAME, SHARC_CDX_REDIRECT},
        [10] = {SHARC_CDX_ROBOTFLAGS},
        [11] = {SHARC_CDX_BODY},
    };
    if (name.n >= SHARC_LENGTH(by_length)) return SHARC_CDX_FIELDS;
    const unsigned char *row = by_length[name.n];
    for (size_t i = 0; i < 5 && row[i]; i++)
        if (memcmp(name.p, names[row[i]], name.n) == 0) return (enum sharc_cdx_field)row[i];
    return SHARC_CDX_FIELDS;
}

static int parse_json(struct sharc_cdx_parser *p, struct sharc_cdx *c, size_t at, struct sharc_err *reterr)
{
    struct sharc_span line = c->line;
    struct cdx_json s = {.p = line.p + at, .end = line.p + line.n, .start = line.p + at};
    struct cdx_member m;
    int r;
    while ((r = sharc__cdx_json_next(&s, &m)) > 0) {
        if (m.name_escaped || m.null) continue;
        enum sharc_cdx_field f = json_field(m.name);
        if (f == SHARC_CDX_FIELDS) continue;
        c->field[f] = m.value_escaped ? sharc__cdx_json_text(m.value, &p->text) : m.value;
    }
    c->json = sharc_span(line.p + at, (size_t)(s.p - line.p) - at);
    bool ended = r == 0 && sharc_span_trim(sharc_span(s.p, (size_t)(s.end - s.p))).n == 0;
    if (ended) return 1;
    r = sharc_fail(reterr, SHARC_ESYNTAX, "column %zu: not one JSON object", (size_t)(s.p - line.p) + 1);
    if (reterr) reterr->offset = (uint64_t)(s.p - line.p);
    return r;
}

static bool all_digits(struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!sharc_is_digit(s.p[i])) return false;
    return true;
}

static int check_timestamp(struct sharc_span t, struct sharc_err *reterr)
{
    if ((t.n == 14 || t.n == 17) && all_digits(t)) return 0;
    return sharc_fail(reterr, SHARC_ESYNTAX, "the timestamp \"%.*s\" is not 14 (or 17) digits",
                      (int)(t.n < 40 ? t.n : 40), t.p);
}

/* --- the old form -------------------------------------------------------- */

static const char columns9[] = "NbamskrVg", columns10[] = "NbamskrMVg", columns11[] = "NbamskrMSVg";

static unsigned char field_of_letter(char letter)
{
    static const char letters[] = "NbamskrMSVg";
    static const unsigned char fields[] = {SHARC_CDX_KEY,      SHARC_CDX_TIMESTAMP,  SHARC_CDX_URL,
                                           SHARC_CDX_MIME,     SHARC_CDX_STATUS,     SHARC_CDX_DIGEST,
                                           SHARC_CDX_REDIRECT, SHARC_CDX_ROBOTFLAGS, SHARC_CDX_LENGTH,
                                           SHARC_CDX_OFFSET,   SHARC_CDX_FILENAME};
    const char *hit = letter ? strchr(letters, letter) : NULL;
    return hit ? fields[hit - letters] : SHARC_CDX_FIELDS;
}

/* " CDX N b a …": the first byte is the separator. */
static int parse_header(struct sharc_cdx_parser *p, struct sharc_span line, struct sharc_err *reterr)
{
    unsigned n = 0;
    char separator = line.p[0];
    for (size_t i = 4; i + 1 < line.n && line.p[i] == separator; i += 2) {
        SHARC_FAIL_IF(n == SHARC_LENGTH(p->column), reterr, SHARC_ELIMIT, "the CDX header names more than 32 columns");
        p->column[n++] = field_of_letter(line.p[i + 1]);
    }
    SHARC_FAIL_IF(n == 0, reterr, SHARC_ESYNTAX, "the CDX header names no columns");
    p->count = n;
    p->separator = separator;
    return 0;
}

static int usual_columns(size_t count, unsigned char column[32])
{
    const char *letters = count == 9                   ? columns9
                          : count == 10                ? columns10
                          : count == 11 || count == 14 ? columns11
                                                       : NULL;
    if (!letters) return SHARC_ESYNTAX;
    memset(column, SHARC_CDX_FIELDS, 32);
    for (size_t i = 0; letters[i]; i++) column[i] = field_of_letter(letters[i]);
    return 0;
}

static int parse_columns(struct sharc_cdx_parser *p, struct sharc_cdx *c, struct sharc_err *reterr)
{
    struct sharc_span part[32], rest = c->line;
    size_t n = 0;
    while (n < 32 && sharc_span_next(&rest, p->separator, &part[n])) n++;
    unsigned char usual[32];
    const unsigned char *column = p->column;
    if (p->count) {
        SHARC_FAIL_IF(n != p->count, reterr, SHARC_ESYNTAX, "%zu columns where the CDX header names %u", n, p->count);
    } else {
        column = usual;
        SHARC_FAIL_IF(usual_columns(n, usual) < 0, reterr, SHARC_ESYNTAX,
                      "neither a JSON object after the timestamp nor 9, 10, 11 or 14 columns but %zu", n);
    }
    for (size_t i = 0; i < n; i++)
        if (column[i] < SHARC_CDX_FIELDS && !sharc_span_is(part[i], "-")) c->field[column[i]] = part[i];
    int r = check_timestamp(c->field[SHARC_CDX_TIMESTAMP], reterr);
    return r < 0 ? r : 1;
}

/* --- both ---------------------------------------------------------------- */

static struct sharc_span without_end(struct sharc_span line)
{
    while (line.n && (line.p[line.n - 1] == '\n' || line.p[line.n - 1] == '\r')) line.n--;
    return line;
}

int sharc_cdx_parse(struct sharc_cdx_parser *p, struct sharc_span line, struct sharc_cdx *ret, struct sharc_err *reterr)
{
    line = without_end(line);
    if (line.n == 0) return 0;
    SHARC_FAIL_IF(line.n > SHARC_LIMIT_CDX_LINE, reterr, SHARC_ELIMIT, "longer than %u bytes (SHARC_LIMIT_CDX_LINE)",
                  SHARC_LIMIT_CDX_LINE);
    if (line.n >= 4 && memcmp(line.p + 1, "CDX", 3) == 0 && !sharc_is_alnum(line.p[0]))
        return parse_header(p, line, reterr);
    if (line.p[0] == '!') return 0;

    /* Unescaping never lengthens: reserved once, the buffer does not move while
     * spans point into it. */
    sharc_buf_clear(&p->text);
    if (memchr(line.p, '\\', line.n)) sharc_buf_reserve(&p->text, line.n);

    struct sharc_cdx c = {.line = line};
    size_t first = sharc_span_find(line, ' ', 0);
    size_t second = first == SHARC_NPOS ? first : sharc_span_find(line, ' ', first + 1);
    int r;
    if (p->count == 0 && second != SHARC_NPOS && second + 1 < line.n && line.p[second + 1] == '{') {
        c.field[SHARC_CDX_KEY] = sharc_span_sub(line, 0, first);
        c.field[SHARC_CDX_TIMESTAMP] = sharc_span_sub(line, first + 1, second);
        r = first == 0 ? sharc_fail(reterr, SHARC_ESYNTAX, "the key is empty")
                       : check_timestamp(c.field[SHARC_CDX_TIMESTAMP], reterr);
        if (r == 0) r = parse_json(p, &c, second + 1, reterr);
    } else {
        r = parse_columns(p, &c, reterr);
    }
    if (r > 0) *ret = c;
    return r;
}

bool sharc_cdx_get(struct sharc_cdx_parser *p, const struct sharc_cdx *c, struct sharc_span name,
                   struct sharc_span *ret)
{
    enum sharc_cdx_field f = sharc_cdx_field_of(name);
    if (f != SHARC_CDX_FIELDS) {
        if (!c->field[f].p) return false;
        *ret = c->field[f];
        return true;
    }
    if (!c->json.n) return false;
    struct cdx_json s = {.p = c->json.p, .end = c->json.p + c->json.n, .start = c->json.p};
    struct cdx_member m;
    while (sharc__cdx_json_next(&s, &m) > 0) {
        if (m.name_escaped || m.null || !sharc_span_eq(m.name, name)) continue;
        sharc_buf_clear(&p->extra);
        *ret = m.value_escaped ? sharc__cdx_json_text(m.value, &p->extra) : m.value;
        return true;
    }
    return false;
}

bool sharc_cdx_number(const struct sharc_cdx *c, enum sharc_cdx_field field, uint64_t *ret)
{
    return c->field[field].n && sharc_span_to_u64(c->field[field], ret) == 0;
}

/* --- writing ------------------------------------------------------------- */

/* A value that needs no escape is by far the usual one. */
static void put_quoted(struct sharc_buf *out, struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char b = (unsigned char)s.p[i];
        if (b >= 0x20 && b < 0x7f && b != '"' && b != '\\') continue;
        sharc_json_quote(out, s);
        return;
    }
    sharc_buf_put_char(out, '"');
    sharc_buf_put(out, s);
    sharc_buf_put_char(out, '"');
}

static void write_json(const struct sharc_cdx *c, struct sharc_buf *out)
{
    sharc_buf_put(out, c->field[SHARC_CDX_KEY]);
    sharc_buf_put_char(out, ' ');
    sharc_buf_put(out, c->field[SHARC_CDX_TIMESTAMP]);
    char before = '{';
    sharc_buf_put_char(out, ' ');
    for (int f = SHARC_CDX_URL; f < SHARC_CDX_FIELDS; f++) {
        if (!c->field[f].p) continue;
        sharc_buf_put_char(out, before);
        if (before == ',') sharc_buf_put_char(out, ' ');
        before = ',';
        sharc_buf_put_char(out, '"');
        sharc_buf_put_str(out, names[f]);
        sharc_buf_put(out, SHARC_SPAN("\": "));
        put_quoted(out, c->field[f]);
    }
    sharc_buf_put_str(out, before == '{' ? "{}\n" : "}\n");
}

/* The old format has no quotes: a space inside a value becomes %20, and digests lose
 * the name of their algorithm, as its other writers do. */
static void write_columns(const struct sharc_cdx *c, const char *letters, struct sharc_buf *out)
{
    for (size_t i = 0; letters[i]; i++) {
        unsigned char f = field_of_letter(letters[i]);
        struct sharc_span v = f < SHARC_CDX_FIELDS ? c->field[f] : SHARC_SPAN_NONE;
        if (f == SHARC_CDX_DIGEST) {
            size_t colon = sharc_span_find(v, ':', 0);
            if (colon != SHARC_NPOS) v = sharc_span_from(v, colon + 1);
        }
        if (i) sharc_buf_put_char(out, ' ');
        if (v.n == 0) sharc_buf_put_char(out, '-');
        for (size_t k = 0; k < v.n; k++) {
            if ((unsigned char)v.p[k] <= ' ')
                sharc_buf_printf(out, "%%%02X", (unsigned char)v.p[k]);
            else
                sharc_buf_put_char(out, v.p[k]);
        }
    }
    sharc_buf_put_char(out, '\n');
}

int sharc_cdx_write(const struct sharc_cdx *c, enum sharc_cdx_format format, struct sharc_buf *out)
{
    size_t before = out->n;
    if (format == SHARC_CDXJ)
        write_json(c, out);
    else
        write_columns(c, format == SHARC_CDX9 ? columns9 : columns11, out);
    if (!out->failed) return 0;
    sharc_buf_truncate(out, before);
    return SHARC_ELIMIT;
}

const char *sharc_cdx_header(enum sharc_cdx_format format)
{
    return format == SHARC_CDX9    ? " CDX N b a m s k r V g\n"
           : format == SHARC_CDX11 ? " CDX N b a m s k r M S V g\n"
                                   : "";
}
