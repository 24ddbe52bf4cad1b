/* SPDX-License-Identifier: Apache-2.0
 *
 * /api/pages and /api/page. The pages of a capture are read once, filtered and counted; those that match are sorted,
 * and one part of them is told. Memory: about 100 bytes and its URL for each that matches.
 */
#include "api.h"

#include "sharc/base_arena.h"
#include "sharc/base_digest.h"
#include "sharc/base_map.h"
#include "sharc/change_grade.h"
#include "sharc/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_MATCHES = 2000000, MOST_NAMES = 200 };

struct row {
    struct sharc_span url, mime;
    size_t folder; /* bytes of the URL up to its folder */
    sharc_time when;
    int64_t slot, size;
    double rate;
    int status;
    enum sharc_grade_reason reason;
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
    uint64_t limit, offset, total;
    struct sharc_arena arena;
    struct row *rows;
    size_t count, room;
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
    sharc_arena_done(&l->arena);
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

static unsigned refused_by(const struct list *l, const struct sharc_store_page *p, struct sharc_span folder)
{
    enum sharc_grade_reason reason = p->grade.reason;
    unsigned by = 0;
    if (*l->q && sharc_span_search(p->url, sharc_span_of(l->q)) == SHARC_NPOS) by |= BY_Q;
    if (!status_fits(l, p->visit.status)) by |= BY_STATUS;
    if (strcmp(l->mime, "unknown") == 0 ? p->mime.n > 0 : !sharc_span_starts(p->mime, sharc_span_of(l->mime)))
        by |= BY_MIME;
    if (*l->grade && strcmp(l->grade, sharc_grade_word(sharc_grade_of(reason))) != 0) by |= BY_GRADE;
    if (*l->class && strcmp(l->class, sharc_figure_class_word(sharc_figure_class_of_grade(reason))) != 0)
        by |= BY_CLASS;
    if (*l->folder && !sharc_span_is(folder, l->folder)) by |= BY_FOLDER;
    return by;
}

/* Each facet counts what the other filters leave. */
static int take(struct list *l, const struct sharc_store_page *p, struct sharc_err *reterr)
{
    size_t folder = folder_of(p->url);
    unsigned by = refused_by(l, p, sharc_span_sub(p->url, 0, folder));
    l->total++;
    if (!(by & ~(unsigned)BY_STATUS)) l->classes[class_of(p->visit.status)]++;
    if (!(by & ~(unsigned)BY_MIME)) count_name(&l->types, p->mime);
    if (!(by & ~(unsigned)BY_GRADE)) l->grades[sharc_grade_of(p->grade.reason)]++;
    if (!(by & ~(unsigned)BY_CLASS)) l->changes[sharc_figure_class_of_grade(p->grade.reason)]++;
    if (!(by & ~(unsigned)BY_FOLDER)) count_name(&l->folders, sharc_span_sub(p->url, 0, folder));
    if (by) return 0;
    SHARC_FAIL_IF(l->count == MOST_MATCHES, reterr, SHARC_EINVAL, "more than %d pages match: ask for fewer with q",
                  MOST_MATCHES);
    SHARC_GROW(l->rows, l->room, l->count + 1);
    struct row *r = &l->rows[l->count++];
    *r = (struct row){.url = sharc_arena_copy(&l->arena, p->url),
                      .mime = sharc_arena_copy(&l->arena, p->mime),
                      .folder = folder,
                      .when = p->visit.when,
                      .slot = p->visit.slot,
                      .size = p->visit.size,
                      .rate = p->visit.rate > 0 ? p->visit.rate : p->planned_rate,
                      .status = p->visit.status,
                      .reason = p->grade.reason};
    return r->url.p ? 0 : sharc_fail(reterr, SHARC_EINVAL, "the pages that match are too many: ask for fewer with q");
}

/* --- order ---------------------------------------------------------------------------------------- */

static int by_url(const void *a, const void *b)
{
    return sharc_span_cmp(((const struct row *)a)->url, ((const struct row *)b)->url);
}

#define ORDER(name, member)                                                                             \
    static int name(const void *a, const void *b)                                                       \
    {                                                                                                   \
        const struct row *x = a, *y = b;                                                                \
        return x->member < y->member ? -1 : x->member > y->member ? 1 : sharc_span_cmp(x->url, y->url); \
    }
ORDER(by_time, when)
ORDER(by_slot, slot)
ORDER(by_status, status)
ORDER(by_size, size)

static int by_rate(const void *a, const void *b)
{
    double x = ((const struct row *)a)->rate, y = ((const struct row *)b)->rate;
    if (!(x > 0)) x = 0; /* unknown ones first */
    if (!(y > 0)) y = 0;
    return x < y ? -1 : x > y ? 1 : by_url(a, b);
}

/* How much a page needs somebody to look at it: what failed, then what is less proved, then what changes more often. */
static int risk(const struct row *r)
{
    static const int grades[SHARC_GRADE_COUNT] = {
        [SHARC_GRADE_UNPROVED] = 5, [SHARC_GRADE_ALIKE] = 4, [SHARC_GRADE_NONE] = 3, [SHARC_GRADE_ATTESTED] = 2};
    int class = class_of(r->status);
    return (class == STATUS_FAILED || class >= 4 ? 10 : 0) + grades[sharc_grade_of(r->reason)];
}

static int by_risk(const void *a, const void *b)
{
    int x = risk(a), y = risk(b);
    return x < y ? -1 : x > y ? 1 : by_rate(a, b);
}

static int sort(struct list *l, struct sharc_err *reterr)
{
    static const struct {
        const char *word;
        int (*order)(const void *, const void *);
    } orders[] = {{"url", by_url},   {"time", by_time}, {"slot", by_slot}, {"status", by_status},
                  {"size", by_size}, {"rate", by_rate}, {"risk", by_risk}};
    bool back = l->sort[0] == '-';
    const char *word = l->sort + back;
    for (size_t i = 0; i < SHARC_LENGTH(orders); i++) {
        if (strcmp(*word ? word : "url", orders[i].word) != 0) continue;
        if (l->count) qsort(l->rows, l->count, sizeof *l->rows, orders[i].order);
        for (size_t k = 0; back && k < l->count / 2; k++) {
            struct row swapped = l->rows[k];
            l->rows[k] = l->rows[l->count - 1 - k];
            l->rows[l->count - 1 - k] = swapped;
        }
        return 0;
    }
    return sharc_fail(reterr, SHARC_EINVAL, "sort must be url, time, slot, status, size, rate or risk");
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

static void put_row(struct sharc_json *j, const struct row *r)
{
    sharc_json_object(j, NULL);
    sharc_json_span(j, "url", r->url);
    sharc__serve_api_time(j, "when", r->when);
    put_count(j, "status", r->status > 0 ? r->status : -1);
    sharc_json_span(j, "mime", r->mime);
    put_count(j, "size", r->size);
    put_count(j, "slot", r->slot);
    sharc_json_real(j, "rate", r->rate > 0 ? r->rate : (double)NAN);
    put_grade(j, r->reason);
    sharc_json_str(j, "class", sharc_figure_class_word(sharc_figure_class_of_grade(r->reason)));
    sharc_json_span(j, "folder", sharc_span_sub(r->url, 0, r->folder));
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
    sharc_arena_init(&l->arena, 512u << 20);
    int r = sharc__serve_api_number(a, "limit", 100, 1000, &l->limit, reterr);
    return r < 0 ? r : sharc__serve_api_number(a, "offset", 0, UINT32_MAX, &l->offset, reterr);
}

int sharc__serve_api_pages(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(list_done) struct list l = {.q = NULL};
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_page_filter f = {.grades = true};
    int r = read_list(a, &l, reterr);
    if (r == 0) r = sort(&l, reterr); /* of nothing yet: is the word known? */
    if (r == 0) r = sharc__serve_api_capture_of(a, "capture", &f.capture, reterr);
    if (r == 0) r = sharc_store_pages(a->store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_page p;
        sharc_store_read_page(rows, &p);
        r = take(&l, &p, reterr);
    }
    if (r < 0) return r;
    sort(&l, reterr);
    sharc_json_int(&a->json, "capture", f.capture);
    sharc_json_uint(&a->json, "total", l.total);
    sharc_json_uint(&a->json, "matched", l.count);
    sharc_json_uint(&a->json, "offset", l.offset);
    put_facets(&a->json, &l);
    sharc_json_array(&a->json, "pages");
    for (uint64_t i = l.offset; i < l.count && i < l.offset + l.limit; i++) put_row(&a->json, &l.rows[i]);
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
