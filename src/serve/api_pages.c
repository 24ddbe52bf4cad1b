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

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_MATCHES = 2000000, MOST_TYPES = 100 };

struct row {
    struct sharc_span url, mime;
    sharc_time when;
    int64_t slot, size;
    double rate;
    int status;
    enum sharc_grade_reason reason;
};

enum { STATUS_FAILED = 0, STATUS_CLASSES = 6 };
static const char *const class_words[STATUS_CLASSES] = {"failed", "1xx", "2xx", "3xx", "4xx", "5xx"};

struct list {
    char *q, *status, *mime, *grade, *sort;
    uint64_t limit, offset, total;
    struct sharc_arena arena;
    struct row *rows;
    size_t count, room;
    uint64_t classes[STATUS_CLASSES], grades[SHARC_GRADE_COUNT];
    struct sharc_intern *types;
    uint64_t type_counts[MOST_TYPES];
};

static void list_done(struct list *l)
{
    free(l->q);
    free(l->status);
    free(l->mime);
    free(l->grade);
    free(l->sort);
    free(l->rows);
    sharc_arena_done(&l->arena);
    sharc_intern_free(l->types);
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

static void count_type(struct list *l, struct sharc_span mime)
{
    if (!mime.n) mime = SHARC_SPAN("unknown");
    uint32_t id = sharc_intern_find(l->types, mime);
    if (id == SHARC_NO_ID && sharc_intern_count(l->types) == MOST_TYPES - 1) mime = SHARC_SPAN("others");
    id = sharc_intern_add(l->types, mime, NULL);
    if (id < MOST_TYPES) l->type_counts[id]++;
}

/* Each facet counts what the other filters leave. */
static int take(struct list *l, const struct sharc_store_page *p, struct sharc_err *reterr)
{
    const char *word = sharc_grade_word(sharc_grade_of(p->grade.reason));
    bool q = !*l->q || sharc_span_search(p->url, sharc_span_of(l->q)) != SHARC_NPOS;
    bool status = status_fits(l, p->visit.status), mime = sharc_span_starts(p->mime, sharc_span_of(l->mime));
    bool grade = !*l->grade || strcmp(l->grade, word) == 0;
    l->total++;
    if (q && mime && grade) l->classes[class_of(p->visit.status)]++;
    if (q && status && grade) count_type(l, p->mime);
    if (q && status && mime) l->grades[sharc_grade_of(p->grade.reason)]++;
    if (!q || !status || !mime || !grade) return 0;
    SHARC_FAIL_IF(l->count == MOST_MATCHES, reterr, SHARC_EINVAL, "more than %d pages match: ask for fewer with q",
                  MOST_MATCHES);
    SHARC_GROW(l->rows, l->room, l->count + 1);
    struct row *r = &l->rows[l->count++];
    *r = (struct row){.url = sharc_arena_copy(&l->arena, p->url),
                      .mime = sharc_arena_copy(&l->arena, p->mime),
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

static int sort(struct list *l, struct sharc_err *reterr)
{
    static const struct {
        const char *word;
        int (*order)(const void *, const void *);
    } orders[] = {{"url", by_url},       {"time", by_time}, {"slot", by_slot},
                  {"status", by_status}, {"size", by_size}, {"rate", by_rate}};
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
    return sharc_fail(reterr, SHARC_EINVAL, "sort must be url, time, slot, status, size or rate");
}

/* --- the answer ------------------------------------------------------------------------------------- */

static void put_facets(struct sharc_json *j, const struct list *l)
{
    sharc_json_object(j, "facets");
    sharc_json_object(j, "status");
    for (int i = 0; i < STATUS_CLASSES; i++)
        if (l->classes[i]) sharc_json_uint(j, class_words[i], l->classes[i]);
    sharc_json_end(j);
    sharc_json_object(j, "mime");
    for (uint32_t i = 0; i < sharc_intern_count(l->types) && i < MOST_TYPES; i++) {
        SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(sharc_intern_text(l->types, i));
        sharc_json_uint(j, name, l->type_counts[i]);
    }
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
    sharc_json_end(j);
}

static int read_list(const struct api_call *a, struct list *l, struct sharc_err *reterr)
{
    l->q = sharc__serve_api_text(a, "q");
    l->status = sharc__serve_api_text(a, "status");
    l->mime = sharc__serve_api_text(a, "mime");
    l->grade = sharc__serve_api_text(a, "grade");
    l->sort = sharc__serve_api_text(a, "sort");
    l->types = sharc_intern_new();
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

static int put_versions(struct api_call *a, struct sharc_span url, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_history(a->store, url, &rows, reterr);
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
    r = put_versions(a, sharc_span_of(url), reterr);
    return r < 0 ? r : put_rates(a, id, reterr);
}
