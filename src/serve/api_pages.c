/* SPDX-License-Identifier: Apache-2.0
 *
 * /api/pages and /api/page. The pages of a capture are read as columns, filtered and counted; of those that match, one
 * part is brought into order and told.
 */
#include "api.h"

#include "sharc/base_digest.h"
#include "sharc/base_map.h"
#include "sharc/change_grade.h"
#include "sharc/figure.h"
#include "sharc/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_NAMES = 200 };

/* A page that matches, and what it is sorted by: the columns are in order of URLs, which is the last criterion of all.
 */
struct row {
    double first, second;
    uint32_t row;
};

enum { STATUS_FAILED = 0, STATUS_CLASSES = 6 };
static const char *const class_words[STATUS_CLASSES] = {"failed", "1xx", "2xx", "3xx", "4xx", "5xx"};

/* Names and how often each was met; those beyond the limit are "others". */
struct names {
    struct sharc_intern *texts;
    uint64_t counts[MOST_NAMES];
};

struct list {
    char *q, *status, *mime, *grade, *sort, *class, *folder;
    uint64_t limit, offset;
    struct sharc_figure_sheet sheet;
    struct row *rows;
    size_t count;
    uint64_t classes[STATUS_CLASSES], grades[SHARC_GRADE_COUNT], changes[SHARC_FIGURE_CLASS_COUNT];
    struct names types, folders;
};

static void list_done(struct list *l)
{
    free(l->q);
    free(l->status);
    free(l->mime);
    free(l->grade);
    free(l->sort);
    free(l->class);
    free(l->folder);
    free(l->rows);
    sharc_figure_sheet_done(&l->sheet);
    sharc_intern_free(l->types.texts);
    sharc_intern_free(l->folders.texts);
}

/* --- filters ------------------------------------------------------------------------------------ */

static int class_of(int status)
{
    return status >= 100 && status < 600 ? status / 100 : STATUS_FAILED;
}

static bool status_fits(const struct list *l, int status)
{
    char text[16];
    if (!*l->status || strcmp(l->status, class_words[class_of(status)]) == 0) return true;
    snprintf(text, sizeof text, "%d", status);
    return strcmp(l->status, text) == 0;
}

static void count_name(struct names *n, struct sharc_span name)
{
    if (!name.n) name = SHARC_SPAN("unknown");
    uint32_t id = sharc_intern_find(n->texts, name);
    if (id == SHARC_NO_ID && sharc_intern_count(n->texts) >= MOST_NAMES - 1) name = SHARC_SPAN("others");
    id = sharc_intern_add(n->texts, name, NULL);
    if (id < MOST_NAMES) n->counts[id]++;
}

/* "http://example.org/docs/" of "http://example.org/docs/a/b", "http://example.org/" of "http://example.org/x". */
static size_t folder_of(struct sharc_span url)
{
    size_t scheme = sharc_span_search(url, SHARC_SPAN("://"));
    size_t path = sharc_span_find(url, '/', scheme == SHARC_NPOS ? 0 : scheme + 3);
    if (path == SHARC_NPOS) return url.n;
    size_t end = sharc_span_find(url, '?', path), next = sharc_span_find(url, '/', path + 1);
    return (next != SHARC_NPOS && (end == SHARC_NPOS || next < end) ? next : path) + 1;
}

/* What the filters say of a page: a bit for each that refuses it. */
enum { BY_Q = 1, BY_STATUS = 2, BY_MIME = 4, BY_GRADE = 8, BY_CLASS = 16, BY_FOLDER = 32 };

static unsigned refused_by(const struct list *l, size_t row, struct sharc_span folder)
{
    const struct sharc_figure_sheet *t = &l->sheet;
    enum sharc_grade_reason reason = (enum sharc_grade_reason)t->reason[row];
    struct sharc_span mime = sharc_figure_sheet_mime(t, row);
    unsigned by = 0;
    if (*l->q && sharc_span_search(sharc_figure_sheet_url(t, row), sharc_span_of(l->q)) == SHARC_NPOS) by |= BY_Q;
    if (!status_fits(l, t->status[row])) by |= BY_STATUS;
    if (strcmp(l->mime, "unknown") == 0 ? mime.n > 0 : !sharc_span_starts(mime, sharc_span_of(l->mime))) by |= BY_MIME;
    if (*l->grade && strcmp(l->grade, sharc_grade_word(sharc_grade_of(reason))) != 0) by |= BY_GRADE;
    if (*l->class && strcmp(l->class, sharc_figure_class_word(sharc_figure_class_of_grade(reason))) != 0)
        by |= BY_CLASS;
    if (*l->folder && !sharc_span_is(folder, l->folder)) by |= BY_FOLDER;
    return by;
}

/* Each facet counts what the other filters leave. */
static void take(struct list *l, size_t row)
{
    const struct sharc_figure_sheet *t = &l->sheet;
    struct sharc_span url = sharc_figure_sheet_url(t, row), folder = sharc_span_sub(url, 0, folder_of(url));
    enum sharc_grade_reason reason = (enum sharc_grade_reason)t->reason[row];
    unsigned by = refused_by(l, row, folder);
    if (!(by & ~(unsigned)BY_STATUS)) l->classes[class_of(t->status[row])]++;
    if (!(by & ~(unsigned)BY_MIME)) count_name(&l->types, sharc_figure_sheet_mime(t, row));
    if (!(by & ~(unsigned)BY_GRADE)) l->grades[sharc_grade_of(reason)]++;
    if (!(by & ~(unsigned)BY_CLASS)) l->changes[sharc_figure_class_of_grade(reason)]++;
    if (!(by & ~(unsigned)BY_FOLDER)) count_name(&l->folders, folder);
    if (!by) l->rows[l->count++].row = (uint32_t)row;
}

/* --- order ---------------------------------------------------------------------------------------- */

static double rate_of(const struct sharc_figure_sheet *t, size_t row)
{
    return t->rate[row] > 0 ? t->rate[row] : t->planned[row];
}

/* How much a page needs somebody to look at it: what failed, then what is less proved, then what changes more often. */
static int risk(const struct sharc_figure_sheet *t, size_t row)
{
    static const int grades[SHARC_GRADE_COUNT] = {
        [SHARC_GRADE_UNPROVED] = 5, [SHARC_GRADE_ALIKE] = 4, [SHARC_GRADE_NONE] = 3, [SHARC_GRADE_ATTESTED] = 2};
    int class = class_of(t->status[row]);
    return (class == STATUS_FAILED || class >= 4 ? 10 : 0) +
           grades[sharc_grade_of((enum sharc_grade_reason)t->reason[row])];
}

enum order { BY_URL, BY_TIME, BY_SLOT, BY_STATUS_CODE, BY_SIZE, BY_RATE, BY_RISK, ORDERS };
static const char *const order_words[ORDERS] = {"url", "time", "slot", "status", "size", "rate", "risk"};

static void set_keys(const struct sharc_figure_sheet *t, enum order order, struct row *r)
{
    double rate = rate_of(t, r->row);
    if (!(rate > 0)) rate = 0; /* unknown ones first */
    switch (order) {
    case BY_TIME: r->first = (double)t->visit[r->row]; break;
    case BY_SLOT: r->first = (double)t->slot[r->row]; break;
    case BY_STATUS_CODE: r->first = t->status[r->row]; break;
    case BY_SIZE: r->first = (double)t->size[r->row]; break;
    case BY_RATE: r->first = rate; break;
    case BY_RISK:
        r->first = risk(t, r->row);
        r->second = rate;
        break;
    case BY_URL:
    case ORDERS: break;
    }
}

static int compare(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->second != y->second) return x->second < y->second ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void swap(struct row *a, struct row *b)
{
    struct row kept = *a;
    *a = *b;
    *b = kept;
}

/* Bring the k-th to its place: what is before it is smaller, what is behind it greater. Quickselect; a site could guess
 * what makes it slow, so that after enough rounds what is left is sorted. */
static void settle(struct row *rows, size_t n, size_t k)
{
    enum { SMALL = 32, ROUNDS = 48 };
    size_t low = 0, high = n; /* the k-th is in [low, high) */
    for (int round = 0; high - low > SMALL && round < ROUNDS; round++) {
        size_t middle = low + (high - low) / 2, place = low;
        if (compare(&rows[middle], &rows[low]) < 0) swap(&rows[middle], &rows[low]);
        if (compare(&rows[high - 1], &rows[low]) < 0) swap(&rows[high - 1], &rows[low]);
        if (compare(&rows[high - 1], &rows[middle]) < 0) swap(&rows[high - 1], &rows[middle]);
        swap(&rows[middle], &rows[high - 1]);
        for (size_t i = low; i < high - 1; i++)
            if (compare(&rows[i], &rows[high - 1]) < 0) swap(&rows[i], &rows[place++]);
        swap(&rows[place], &rows[high - 1]);
        if (place == k) return;
        if (place < k)
            low = place + 1;
        else
            high = place;
    }
    qsort(rows + low, high - low, sizeof *rows, compare);
}

static int order_of(const struct list *l, enum order *ret, struct sharc_err *reterr)
{
    const char *word = l->sort + (l->sort[0] == '-');
    for (int i = 0; i < ORDERS; i++) {
        if (strcmp(*word ? word : "url", order_words[i]) != 0) continue;
        *ret = (enum order)i;
        return 0;
    }
    return sharc_fail(reterr, SHARC_EINVAL, "sort must be url, time, slot, status, size, rate or risk");
}

/* Bring the rows that are told, from *ret on, into order; backwards they are told from their end. */
static size_t sort(struct list *l, enum order order, size_t *ret)
{
    size_t from = l->offset < l->count ? (size_t)l->offset : l->count;
    size_t n = l->limit < l->count - from ? (size_t)l->limit : l->count - from;
    if (l->sort[0] == '-') from = l->count - from - n;
    *ret = from;
    if (!n) return 0;
    for (size_t i = 0; i < l->count; i++) set_keys(&l->sheet, order, &l->rows[i]);
    if (order != BY_URL) { /* which they are in already */
        settle(l->rows, l->count, from);
        settle(l->rows + from, l->count - from, n - 1);
        qsort(l->rows + from, n, sizeof *l->rows, compare);
    }
    return n;
}

/* --- the answer ------------------------------------------------------------------------------------- */

static void put_names(struct sharc_json *j, const char *facet, const struct names *n)
{
    sharc_json_object(j, facet);
    for (uint32_t i = 0; i < sharc_intern_count(n->texts) && i < MOST_NAMES; i++) {
        SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(sharc_intern_text(n->texts, i));
        sharc_json_uint(j, name, n->counts[i]);
    }
    sharc_json_end(j);
}

static void put_facets(struct sharc_json *j, const struct list *l)
{
    sharc_json_object(j, "facets");
    sharc_json_object(j, "status");
    for (int i = 0; i < STATUS_CLASSES; i++)
        if (l->classes[i]) sharc_json_uint(j, class_words[i], l->classes[i]);
    sharc_json_end(j);
    put_names(j, "mime", &l->types);
    put_names(j, "folder", &l->folders);
    sharc_json_object(j, "class");
    for (int i = 0; i < SHARC_FIGURE_CLASS_COUNT; i++)
        if (l->changes[i]) sharc_json_uint(j, sharc_figure_class_word((enum sharc_figure_class)i), l->changes[i]);
    sharc_json_end(j);
    sharc_json_object(j, "grade");
    for (int i = 0; i < SHARC_GRADE_COUNT; i++)
        if (l->grades[i]) sharc_json_uint(j, sharc_grade_word((enum sharc_grade)i), l->grades[i]);
    sharc_json_end(j);
    sharc_json_end(j);
}

static void put_count(struct sharc_json *j, const char *name, int64_t value)
{
    if (value < 0)
        sharc_json_null(j, name);
    else
        sharc_json_int(j, name, value);
}

static void put_grade(struct sharc_json *j, enum sharc_grade_reason reason)
{
    sharc_json_str(j, "grade", sharc_grade_word(sharc_grade_of(reason)));
    sharc_json_str(j, "reason", reason == SHARC_GRADED_NOT_GRADED ? NULL : sharc_grade_reason_word(reason));
}

static void put_row(struct sharc_json *j, const struct sharc_figure_sheet *t, size_t row)
{
    struct sharc_span url = sharc_figure_sheet_url(t, row);
    enum sharc_grade_reason reason = (enum sharc_grade_reason)t->reason[row];
    double rate = rate_of(t, row);
    sharc_json_object(j, NULL);
    sharc_json_span(j, "url", url);
    sharc__serve_api_time(j, "when", t->visit[row]);
    put_count(j, "status", t->status[row] > 0 ? t->status[row] : -1);
    sharc_json_span(j, "mime", sharc_figure_sheet_mime(t, row));
    put_count(j, "size", t->size[row]);
    put_count(j, "slot", t->slot[row]);
    sharc_json_real(j, "rate", rate > 0 ? rate : (double)NAN);
    put_grade(j, reason);
    sharc_json_str(j, "class", sharc_figure_class_word(sharc_figure_class_of_grade(reason)));
    sharc_json_span(j, "folder", sharc_span_sub(url, 0, folder_of(url)));
    sharc_json_end(j);
}

static int read_list(const struct api_call *a, struct list *l, struct sharc_err *reterr)
{
    l->q = sharc__serve_api_text(a, "q");
    l->status = sharc__serve_api_text(a, "status");
    l->mime = sharc__serve_api_text(a, "mime");
    l->grade = sharc__serve_api_text(a, "grade");
    l->sort = sharc__serve_api_text(a, "sort");
    l->class = sharc__serve_api_text(a, "class");
    l->folder = sharc__serve_api_text(a, "folder");
    l->types.texts = sharc_intern_new();
    l->folders.texts = sharc_intern_new();
    int r = sharc__serve_api_number(a, "limit", 100, 1000, &l->limit, reterr);
    return r < 0 ? r : sharc__serve_api_number(a, "offset", 0, UINT32_MAX, &l->offset, reterr);
}

int sharc__serve_api_pages(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(list_done) struct list l = {.q = NULL};
    sharc_store_id id;
    enum order order = BY_URL;
    size_t from;
    int r = read_list(a, &l, reterr);
    if (r == 0) r = order_of(&l, &order, reterr);
    if (r == 0) r = sharc__serve_api_capture_of(a, "capture", &id, reterr);
    if (r == 0) r = sharc_summary_sheet(a->store, id, &l.sheet, reterr);
    if (r < 0) return r;
    l.rows = SHARC_NEW_ARRAY(struct row, l.sheet.count + 1);
    for (size_t i = 0; i < l.sheet.count; i++) take(&l, i);
    size_t n = sort(&l, order, &from);
    sharc_json_int(&a->json, "capture", id);
    sharc_json_uint(&a->json, "total", l.sheet.count);
    sharc_json_uint(&a->json, "matched", l.count);
    sharc_json_uint(&a->json, "offset", l.offset);
    put_facets(&a->json, &l);
    sharc_json_array(&a->json, "pages");
    for (size_t i = 0; i < n; i++)
        put_row(&a->json, &l.sheet, l.rows[l.sort[0] == '-' ? from + n - 1 - i : from + i].row);
    sharc_json_end(&a->json);
    return 0;
}

/* --- one page ------------------------------------------------------------------------------------------ */

static void put_look(struct sharc_json *j, const char *name, const struct sharc_store_look *look)
{
    char text[SHARC_DIGEST_TEXT];
    if (look->when == SHARC_TIME_NONE) {
        sharc_json_null(j, name);
        return;
    }
    sharc_json_object(j, name);
    sharc__serve_api_time(j, "when", look->when);
    put_count(j, "status", look->status > 0 ? look->status : -1);
    put_count(j, "size", look->size);
    sharc_json_str(j, "digest", look->digest.n ? sharc_digest_text(&look->digest, text) : NULL);
    sharc__serve_api_time(j, "last_modified", look->last_modified);
    sharc_json_end(j);
}

static int put_versions(struct api_call *a, sharc_store_id url, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const struct sharc_store_page_filter f = {.url = url, .looks = true, .grades = true};
    int r = sharc_store_pages(a->store, &f, &rows, reterr);
    if (r < 0) return r;
    sharc_json_array(&a->json, "versions");
    while ((r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_page p;
        sharc_store_read_page(rows, &p);
        sharc_json_object(&a->json, NULL);
        sharc_json_int(&a->json, "capture", p.capture);
        put_look(&a->json, "visit", &p.visit);
        put_look(&a->json, "second", &p.second);
        put_look(&a->json, "revisit", &p.revisit);
        sharc_json_span(&a->json, "mime", p.mime);
        put_grade(&a->json, p.grade.reason);
        sharc_json_end(&a->json);
    }
    sharc_json_end(&a->json);
    return r;
}

static int put_rates(struct api_call *a, sharc_store_id url, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL, *more = NULL;
    int r = sharc_store_rates(a->store, url, NULL, &rows, reterr);
    if (r < 0) return r;
    sharc_json_array(&a->json, "rates");
    while ((r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_rate x;
        sharc_store_read_rate(rows, &x);
        sharc_json_object(&a->json, NULL);
        sharc_json_span(&a->json, "source", x.source);
        sharc_json_real(&a->json, "per_second", x.value);
        sharc_json_real(&a->json, "low", x.low);
        sharc_json_real(&a->json, "high", x.high);
        sharc_json_real(&a->json, "observations", x.observations);
        sharc__serve_api_time(&a->json, "when", x.when);
        sharc_json_end(&a->json);
    }
    sharc_json_end(&a->json);
    if (r == 0) r = sharc_store_patterns(a->store, url, &more, reterr);
    if (r < 0) return r;
    sharc_json_array(&a->json, "patterns");
    while ((r = sharc_store_rows_next(more, reterr)) > 0) {
        struct sharc_store_pattern x;
        sharc_store_read_pattern(more, &x);
        sharc_json_object(&a->json, NULL);
        sharc_json_span(&a->json, "data", x.data);
        sharc_json_int(&a->json, "group", x.group);
        sharc__serve_api_time(&a->json, "when", x.when);
        sharc_json_end(&a->json);
    }
    sharc_json_end(&a->json);
    return r;
}

int sharc__serve_api_page(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *url = sharc__serve_api_text(a, "url");
    sharc_store_id id;
    SHARC_FAIL_IF(!*url, reterr, SHARC_EINVAL, "name a page: url=http://example.org/");
    int r = sharc_store_url_find(a->store, sharc_span_of(url), &id, reterr);
    if (r < 0) return r;
    sharc_json_str(&a->json, "url", url);
    r = put_versions(a, id, reterr);
    return r < 0 ? r : put_rates(a, id, reterr);
}
