/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows, whatever they come from: SQL as it is, or something computed from it.
 */
#include "sharc/store_review.h"
#include "sharc/store_watch.h"
#include "store_int.h"

#include "sharc/store_job.h"

#include "sharc/base_digest.h"
#include "sharc/change_compare.h"
#include "sharc/change_grade.h"

#include <stdio.h>
#include <stdlib.h>

/* --- what columns mean ----------------------------------------------------------- */

static const char *capture_state(int64_t i)
{
    return sharc_capture_state_text((enum sharc_capture_state)i);
}
static const char *warc_state(int64_t i)
{
    return sharc_store_warc_state_text((enum sharc_store_warc_state)i);
}
static const char *job_state(int64_t i)
{
    return sharc_job_state_text((enum sharc_job_state)i);
}
static const char *change_word(int64_t i)
{
    return i < 0 || i > SHARC_FAILED ? "unknown" : sharc_change_class_name((enum sharc_change_class)i);
}
static const char *difference_word(int64_t i)
{
    return sharc_store_difference_text((enum sharc_store_difference)i);
}
static const char *pick(const char *const *words, size_t n, int64_t i)
{
    return i >= 0 && (uint64_t)i < n ? words[i] : "unknown";
}
static const char *look_word(int64_t i)
{
    static const char *const words[] = {"visit", "second look", "revisit"};
    return pick(words, SHARC_LENGTH(words), i);
}
/* The numbers are those of enum sharc_link_kind in extract, which this room may not include. */
static const char *link_word(int64_t i)
{
    static const char *const words[] = {"navigation", "embed", "redirect"};
    return pick(words, SHARC_LENGTH(words), i);
}
static const char *record_word(int64_t i)
{
    static const char *const words[] = {"response", "identical", "not modified", "resource"};
    return pick(words, SHARC_LENGTH(words), i);
}

static const char *grade_word(int64_t i)
{
    return i < 0 || i >= SHARC_GRADE_REASON_COUNT ? "unknown" : sharc_grade_reason_word((enum sharc_grade_reason)i);
}

static const char *found_word(int64_t i)
{
    return sharc_store_found_word((enum sharc_store_found)i);
}

static const char *review_word(int64_t i)
{
    return sharc_review_state_word((enum sharc_review_state)i);
}

static const char *shown_word(int64_t i)
{
    return sharc_store_shown_word((enum sharc_store_shown)i);
}

/* A column means the same in every question that has it. */
static const struct column {
    const char *name;
    enum sharc_store_meaning meaning;
    const char *(*word)(int64_t);
} columns[] = {
    {"visit", SHARC_STORE_TIME, NULL},
    {"visit_a", SHARC_STORE_TIME, NULL},
    {"visit_b", SHARC_STORE_TIME, NULL},
    {"second", SHARC_STORE_TIME, NULL},
    {"revisit", SHARC_STORE_TIME, NULL},
    {"modified", SHARC_STORE_TIME, NULL},
    {"second_modified", SHARC_STORE_TIME, NULL},
    {"revisit_modified", SHARC_STORE_TIME, NULL},
    {"stated", SHARC_STORE_TIME, NULL},
    {"started", SHARC_STORE_TIME, NULL},
    {"ended", SHARC_STORE_TIME, NULL},
    {"reference", SHARC_STORE_TIME, NULL},
    {"reference_from", SHARC_STORE_TIME, NULL},
    {"reference_to", SHARC_STORE_TIME, NULL},
    {"known_from", SHARC_STORE_TIME, NULL},
    {"known_to", SHARC_STORE_TIME, NULL},
    {"first_seen", SHARC_STORE_TIME, NULL},
    {"last_seen", SHARC_STORE_TIME, NULL},
    {"made", SHARC_STORE_TIME, NULL},
    {"reviewed", SHARC_STORE_TIME, NULL},
    {"due", SHARC_STORE_TIME, NULL},
    {"lease", SHARC_STORE_TIME, NULL},
    {"next", SHARC_STORE_TIME, NULL},
    {"robots_when", SHARC_STORE_TIME, NULL},
    {"since", SHARC_STORE_TIME, NULL},
    {"until", SHARC_STORE_TIME, NULL},
    {"took", SHARC_STORE_DURATION, NULL},
    {"shortest", SHARC_STORE_DURATION, NULL},
    {"longest", SHARC_STORE_DURATION, NULL},
    {"second_took", SHARC_STORE_DURATION, NULL},
    {"revisit_took", SHARC_STORE_DURATION, NULL},
    {"backoff", SHARC_STORE_DURATION, NULL},
    {"digest", SHARC_STORE_DIGEST, NULL},
    {"text_digest", SHARC_STORE_DIGEST, NULL},
    {"second_digest", SHARC_STORE_DIGEST, NULL},
    {"revisit_digest", SHARC_STORE_DIGEST, NULL},
    {"second_text_digest", SHARC_STORE_DIGEST, NULL},
    {"revisit_text_digest", SHARC_STORE_DIGEST, NULL},
    {"params", SHARC_STORE_JSON, NULL},
    {"seeds", SHARC_STORE_JSON, NULL},
    {"settings", SHARC_STORE_JSON, NULL},
    {"info", SHARC_STORE_JSON, NULL},
    {"hopeless", SHARC_STORE_FLAG, NULL},
    {"capture_state", SHARC_STORE_WORD, capture_state},
    {"warc_state", SHARC_STORE_WORD, warc_state},
    {"job_state", SHARC_STORE_WORD, job_state},
    {"change", SHARC_STORE_WORD, change_word},
    {"revisit_change", SHARC_STORE_WORD, change_word},
    {"second_change", SHARC_STORE_WORD, change_word},
    {"difference", SHARC_STORE_WORD, difference_word},
    {"look", SHARC_STORE_WORD, look_word},
    {"link_kind", SHARC_STORE_WORD, link_word},
    {"record", SHARC_STORE_WORD, record_word},
    {"grade_reason", SHARC_STORE_WORD, grade_word},
    {"found", SHARC_STORE_WORD, found_word},
    {"shown", SHARC_STORE_WORD, shown_word},
    {"review", SHARC_STORE_WORD, review_word},
};

static const struct column *column_of(const char *name)
{
    for (size_t i = 0; i < SHARC_LENGTH(columns); i++)
        if (strcmp(columns[i].name, name) == 0) return &columns[i];
    return NULL;
}

/* --- rows ------------------------------------------------------------------------------ */

void sharc__store_rows_free_state(struct sharc_store_rows *rows)
{
    free(rows->state);
}

struct sharc_store_rows *sharc__store_rows_new(struct sharc_store *s)
{
    struct sharc_store_rows *rows = SHARC_NEW(struct sharc_store_rows);
    rows->store = s;
    return rows;
}

int sharc__store_rows_query(struct sharc_store *s, const char *sql, const struct sharc_store_value *p, size_t n,
                            struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    struct sharc__store_cursor *c = NULL;
    int r = s->db->ops->query(s->db, sql, p, n, true, &c, reterr);
    if (r < 0) return r;
    *ret = sharc__store_rows_new(s);
    (*ret)->cursor = c;
    return 0;
}

int sharc_store_rows_next(struct sharc_store_rows *rows, struct sharc_err *reterr)
{
    return rows->ops && rows->ops->next ? rows->ops->next(rows, reterr) : rows->cursor->ops->next(rows->cursor, reterr);
}

void sharc_store_rows_free(struct sharc_store_rows *rows)
{
    if (!rows) return;
    if (rows->ops && rows->ops->free) rows->ops->free(rows);
    sharc__store_cursor_freep(&rows->cursor);
    free(rows);
}

void sharc_store_rows_freep(struct sharc_store_rows **rows)
{
    sharc_store_rows_free(*rows);
    *rows = NULL;
}

size_t sharc_store_rows_columns(const struct sharc_store_rows *rows)
{
    if (!rows->names) return rows->cursor->ops->columns(rows->cursor);
    size_t n = 0;
    while (rows->names[n]) n++;
    return n;
}

const char *sharc_store_rows_name(const struct sharc_store_rows *rows, size_t column)
{
    return rows->names ? rows->names[column] : rows->cursor->ops->name(rows->cursor, column);
}

static void raw_value(struct sharc_store_rows *rows, size_t column, struct sharc_store_value *ret)
{
    if (rows->ops && rows->ops->value)
        rows->ops->value(rows, column, ret);
    else
        rows->cursor->ops->value(rows->cursor, column, ret);
}

void sharc_store_rows_value(struct sharc_store_rows *rows, size_t column, struct sharc_store_value *ret)
{
    raw_value(rows, column, ret);
    const struct column *c = column_of(sharc_store_rows_name(rows, column));
    ret->meaning = c ? c->meaning : SHARC_STORE_PLAIN;
}

/* --- as text ------------------------------------------------------------------------------ */

static int bytes_text(struct sharc_span s, bool digest, struct sharc_buf *out)
{
    struct sharc_digest d = {0};
    if (digest) sharc__store_digest_unpack(s, &d);
    if (d.n > 0) {
        char text[SHARC_DIGEST_TEXT];
        return sharc_buf_put_str(out, sharc_digest_text(&d, text));
    }
    for (size_t i = 0; i < s.n; i++) sharc_buf_printf(out, "%02x", (unsigned char)s.p[i]);
    return out->failed ? SHARC_ELIMIT : 0;
}

static int integer_text(const char *name, const struct sharc_store_value *v, struct sharc_buf *out)
{
    char text[SHARC_TIME_TEXT];
    if (v->meaning == SHARC_STORE_TIME) return sharc_buf_put_str(out, sharc_time_iso(v->i, 6, text));
    const struct column *c = column_of(name);
    if (c && c->word) return sharc_buf_put_str(out, c->word(v->i));
    return sharc_buf_printf(out, "%lld", (long long)v->i);
}

/* The shortest decimal that reads back as the same number. */
static int real_text(double d, struct sharc_buf *out)
{
    char text[32];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, d);
        double back;
        if (sharc_span_to_double(sharc_span_of(text), &back) == 0 && back == d) break;
    }
    return sharc_buf_put_str(out, text);
}

int sharc_store_value_text(const struct sharc_store_rows *rows, size_t column, const struct sharc_store_value *v,
                           struct sharc_buf *out)
{
    switch (v->type) {
    case SHARC_STORE_NULL: return 0;
    case SHARC_STORE_INTEGER: return integer_text(sharc_store_rows_name(rows, column), v, out);
    case SHARC_STORE_REAL: return real_text(v->d, out);
    case SHARC_STORE_TEXT: return sharc_buf_put(out, v->s);
    case SHARC_STORE_BYTES: return bytes_text(v->s, v->meaning == SHARC_STORE_DIGEST, out);
    }
    return 0;
}

/* --- as C types ------------------------------------------------------------------------------- */

int64_t sharc__store_rows_int(struct sharc_store_rows *rows, size_t column, int64_t unknown)
{
    struct sharc_store_value v;
    raw_value(rows, column, &v);
    if (v.type == SHARC_STORE_REAL) return (int64_t)v.d;
    return v.type == SHARC_STORE_INTEGER ? v.i : unknown;
}

double sharc__store_rows_real(struct sharc_store_rows *rows, size_t column)
{
    struct sharc_store_value v;
    raw_value(rows, column, &v);
    if (v.type == SHARC_STORE_INTEGER) return (double)v.i;
    return v.type == SHARC_STORE_REAL ? v.d : (double)NAN;
}

struct sharc_span sharc__store_rows_span(struct sharc_store_rows *rows, size_t column)
{
    struct sharc_store_value v;
    raw_value(rows, column, &v);
    return v.type == SHARC_STORE_TEXT || v.type == SHARC_STORE_BYTES ? v.s : SHARC_SPAN_NONE;
}

void sharc__store_rows_digest(struct sharc_store_rows *rows, size_t column, struct sharc_digest *ret)
{
    sharc__store_digest_unpack(sharc__store_rows_span(rows, column), ret);
}

/* --- SQL from parts ------------------------------------------------------------------------------ */

void sharc__store_sql_done(struct sharc__store_sql *q)
{
    sharc_buf_done(&q->text);
}

void sharc__store_sql_add(struct sharc__store_sql *q, const char *text)
{
    sharc_buf_put_str(&q->text, text);
}

void sharc__store_sql_with(struct sharc__store_sql *q, const char *text, struct sharc_store_value v)
{
    SHARC_ASSERT(q->n < SHARC__SQL_PARAMS);
    size_t before = strcspn(text, "?");
    q->p[q->n++] = v;
    sharc_buf_put(&q->text, sharc_span(text, before));
    sharc_buf_printf(&q->text, "$%zu", q->n);
    if (text[before]) sharc_buf_put_str(&q->text, text + before + 1);
}

int sharc__store_sql_rows(struct sharc_store *s, struct sharc__store_sql *q, struct sharc_store_rows **ret,
                          struct sharc_err *reterr)
{
    int r = sharc_buf_result(&q->text, reterr);
    return r < 0 ? r : sharc__store_rows_query(s, sharc_buf_str(&q->text), q->p, q->n, ret, reterr);
}
