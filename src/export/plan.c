/* SPDX-License-Identifier: Apache-2.0
 *
 * From captures to records. A record is known by its place, the file's number and the
 * offset, and what it is for stands in one map: some 20 bytes a record.
 */
#include "export_int.h"

#include "sharc/archive.h"
#include "sharc/base_digest.h"
#include "sharc/base_file.h"
#include "sharc/base_limits.h"
#include "sharc/base_remote.h"
#include "sharc/url.h"
#include "sharc/warc_inputs.h"

#include <stdlib.h>
#include <unistd.h>

/* --- places ------------------------------------------------------------------------- */

uint64_t sharc__export_key(sharc_store_id warc, uint64_t offset)
{
    const uint64_t place[2] = {(uint64_t)warc, offset};
    uint64_t key = sharc_fingerprint(sharc_span(place, sizeof place), 0);
    return key ? key : 1;
}

static uint64_t key_of_place(const struct sharc_store_place *p)
{
    return p->warc ? sharc__export_key(p->warc, p->offset) : 0;
}

static void use(struct sharc_export *x, const struct sharc_store_place *p, unsigned how)
{
    if (!p->warc) return;
    uint64_t *number = sharc_map64_at(&x->file_numbers, (uint64_t)p->warc);
    if (!*number) {
        SHARC_GROW(x->files, x->file_room, x->file_count + 1);
        x->files[x->file_count++] = (struct export_file){.id = p->warc};
        *number = x->file_count;
    }
    *sharc_map64_at(&x->places, key_of_place(p)) |= how | EXPORT_WANTED;
}

unsigned sharc__export_use(const struct sharc_export *x, uint64_t key)
{
    const uint64_t *found = key ? sharc_map64_find(&x->places, key) : NULL;
    return found ? (unsigned)*found : 0;
}

/* --- which look shows the page -------------------------------------------------------- */

/* Does the answer say how the page was? An overloaded server, or one that shuts us out, says nothing. */
static bool speaks(const struct sharc_store_look *l)
{
    if (l->when == SHARC_TIME_NONE || !l->place.warc) return false;
    return (l->status >= 200 && l->status < 400) || l->status == 404 || l->status == 410;
}

const struct sharc_store_look *sharc__export_shown(const struct sharc_store_page *p, sharc_time reference)
{
    const struct sharc_store_look *const looks[] = {&p->visit, &p->second, &p->revisit};
    const struct sharc_store_look *before = NULL, *after = NULL;
    for (size_t i = 0; i < SHARC_LENGTH(looks); i++) {
        const struct sharc_store_look *l = looks[i];
        if (!speaks(l)) continue;
        bool late = reference != SHARC_TIME_NONE ? l->when > reference : before != NULL;
        if (!late && (!before || l->when >= before->when)) before = l;
        if (late && (!after || l->when < after->when)) after = l;
    }
    if (before || after) return before ? before : after;
    return p->visit.place.warc ? &p->visit : NULL; /* an error page: as it was received */
}

/* Where the bytes are that the look's record repeats; warc == 0: in itself, or nobody knows. */
static struct sharc_store_place body_of(const struct sharc_store_page *p, const struct sharc_store_look *l)
{
    struct sharc_store_place none = {0};
    bool visit_repeats = p->record == SHARC_STORE_IDENTICAL || p->record == SHARC_STORE_NOT_MODIFIED;
    if (l == &p->visit) return visit_repeats ? p->body : none;
    bool same = l->digest.n && p->second.digest.n && sharc_digest_eq(&l->digest, &p->second.digest);
    if (l == &p->revisit && same && p->second.status != 304 && !sharc_digest_eq(&p->second.digest, &p->visit.digest))
        return p->second.place;
    if (l->status != 304 && !(l->digest.n && sharc_digest_eq(&l->digest, &p->visit.digest))) return none;
    return visit_repeats ? p->body : p->visit.place;
}

/* When several captures are shown in one file, their times must be kept apart. */
static void note_showing(struct sharc_export *x, const struct export_capture *c, const struct sharc_store_page *p,
                         const struct sharc_store_place *shown, const struct sharc_store_place *body)
{
    if (x->count == 1) return;
    SHARC_GROW(x->showings, x->showing_room, x->showing_count + 1);
    x->showings[x->showing_count++] = (struct export_showing){.url = sharc_intern_add(x->urls, p->url, NULL),
                                                              .capture = (uint32_t)(c - x->captures),
                                                              .shown = key_of_place(shown),
                                                              .body = key_of_place(body)};
}

static int plan_page(void *arg, struct sharc_export *x, struct export_capture *c, const struct sharc_store_page *p,
                     struct sharc_err *reterr)
{
    (void)arg, (void)reterr;
    const struct sharc_store_look *shown = sharc__export_shown(p, c->reference);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf host = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    x->sums.urls++;
    c->urls++;
    if (c->crawled && sharc_url_parse(&x->url, p->url, NULL, NULL) == 0 && sharc_url_origin(&x->url, &host) == 0)
        sharc_intern_add(x->hosts, sharc_buf_span(&host), NULL);
    use(x, &p->visit.place, 0);
    use(x, &p->second.place, 0);
    use(x, &p->revisit.place, 0);
    use(x, &p->body, 0);
    if (!shown) {
        x->sums.lost += p->visit.status > 0; /* an answer, and no record of it */
        return 0;
    }
    struct sharc_store_place body = body_of(p, shown);
    bool repeats = shown->status == 304 || (shown == &p->visit && p->record == SHARC_STORE_IDENTICAL);
    bool lost = repeats && !body.warc;
    if (!body.warc) body = shown->place;
    use(x, &shown->place, EXPORT_SHOWN);
    use(x, &body, lost ? 0 : EXPORT_ORIGINAL);
    if (!lost) note_showing(x, c, p, &shown->place, &body);
    x->sums.lost += lost;
    return 0;
}

static int plan_capture(struct sharc_export *x, struct export_capture *c, struct sharc_err *reterr)
{
    int r = sharc__export_each_page(x, c, plan_page, NULL, reterr);
    return r < 0 ? r : sharc__export_seed(x, c, reterr);
}

/* --- files ------------------------------------------------------------------------------ */

static void name_file(const struct sharc_export *x, struct export_file *f, struct sharc_span name)
{
    struct sharc_span file, inside;
    sharc_warc_name_split(name, &file, &inside);
    f->path = sharc_archive_file(x->archive, name);
    f->name = inside.n ? sharc_asprintf("%s#%.*s", f->path, SHARC_SPAN_ARG(inside)) : sharc_strdup(f->path);
}

static int check_file(const struct export_file *f, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!f->path, reterr, SHARC_ECORRUPT,
                  "the catalogue refers to a file that it does not know; run sharc verify --rebuild ARCHIVE");
    if (sharc_file_is_there(f->path)) return 0;
    SHARC_AUTO(sharc_freep) char *open = sharc_asprintf("%s.open", f->path);
    SHARC_FAIL_IF(access(open, F_OK) == 0, reterr, SHARC_EBUSY,
                  "%s: a crawl is writing this file, or was killed; wait for it, or resume it with sharc crawl", open);
    return sharc_fail(
        reterr, SHARC_ENOENT,
        "%s: the catalogue refers to this file, and it is not there; restore it, or run sharc verify --rebuild ARCHIVE",
        f->path);
}

static int name_files(struct sharc_export *x, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_warc w;
    int r = sharc_store_warcs(x->store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_warc(rows, &w);
        const uint64_t *number = sharc_map64_find(&x->file_numbers, (uint64_t)w.id);
        if (number) name_file(x, &x->files[*number - 1], w.name);
    }
    for (size_t i = 0; r >= 0 && i < x->file_count; i++) r = check_file(&x->files[i], reterr);
    return r < 0 ? r : 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct export_file *)a)->name, ((const struct export_file *)b)->name);
}

int sharc__export_plan(struct sharc_export *x, struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < x->count; i++) r = plan_capture(x, &x->captures[i], reterr);
    if (r == 0) r = name_files(x, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(x->file_count == 0, reterr, SHARC_ENOENT,
                  "%s holds no page that was answered: there is nothing to export",
                  x->count == 1 ? x->captures[0].key : "none of the captures");
    qsort(x->files, x->file_count, sizeof *x->files, by_name);
    return 0;
}

const char **sharc__export_inputs(const struct sharc_export *x, size_t *ret_count)
{
    const char **inputs = SHARC_NEW_ARRAY(const char *, x->file_count);
    size_t n = 0;
    for (size_t i = 0; i < x->file_count; i++)
        if (n == 0 || strcmp(inputs[n - 1], x->files[i].path) != 0) inputs[n++] = x->files[i].path;
    *ret_count = n;
    return inputs;
}

/* --- records that are read ----------------------------------------------------------------- */

static const struct export_file *file_of(struct sharc_export *x, const struct sharc_record *rec)
{
    const char *name = sharc_warc_name(rec->reader);
    if (strcmp(x->files[x->file_last].name, name) == 0) return &x->files[x->file_last];
    for (size_t i = 0; i < x->file_count; i++) {
        if (strcmp(x->files[i].name, name) != 0) continue;
        x->file_last = i;
        return &x->files[i];
    }
    return NULL;
}

uint64_t sharc__export_key_of(struct sharc_export *x, const struct sharc_record *rec)
{
    const struct export_file *f = file_of(x, rec);
    return f ? sharc__export_key(f->id, rec->offset) : 0;
}

/* robots.txt, sitemaps, and downloads that a later one replaced are in no row, but of the capture all the same. */
static bool goes_along(struct sharc_export *x, const struct sharc_record *rec)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf host = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    bool within = false;
    for (size_t i = 0; i < x->count && !within; i++) {
        const struct export_capture *c = &x->captures[i];
        within = c->crawled && rec->date >= c->start && (c->end == SHARC_TIME_NONE || rec->date <= c->end);
    }
    return within && sharc_url_parse(&x->url, rec->target, NULL, NULL) == 0 && sharc_url_origin(&x->url, &host) == 0 &&
           sharc_intern_find(x->hosts, sharc_buf_span(&host)) != SHARC_NO_ID;
}

bool sharc__export_wants(void *arg, const struct sharc_record *rec)
{
    struct sharc_export *x = arg;
    uint64_t key = sharc__export_key_of(x, rec);
    return key && (sharc__export_use(x, key) & EXPORT_WANTED || goes_along(x, rec));
}

bool sharc__export_wants_shown(void *arg, const struct sharc_record *rec)
{
    struct sharc_export *x = arg;
    return sharc__export_use(x, sharc__export_key_of(x, rec)) & EXPORT_SHOWN;
}

/* --- all -------------------------------------------------------------------------------------- */

int sharc_export_new(struct sharc_store *store, const char *archive, const char *const *words, size_t count,
                     struct sharc_export **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_export_freep) struct sharc_export *x = SHARC_NEW(struct sharc_export);
    x->store = store;
    x->archive = sharc_strdup(archive);
    x->urls = sharc_intern_new();
    x->hosts = sharc_intern_new();
    sharc_map64_init(&x->places);
    sharc_map64_init(&x->file_numbers);
    int r = sharc__export_captures(x, words, count, reterr);
    if (r == 0) r = sharc__export_plan(x, reterr);
    if (r == 0) *ret = SHARC_TAKE(x);
    return r;
}

void sharc_export_free(struct sharc_export *x)
{
    if (!x) return;
    for (size_t i = 0; i < x->count; i++) sharc__export_capture_done(&x->captures[i]);
    for (size_t i = 0; i < x->file_count; i++) {
        free(x->files[i].path);
        free(x->files[i].name);
    }
    free(x->captures);
    free(x->files);
    free(x->showings);
    sharc_map64_done(&x->places);
    sharc_map64_done(&x->file_numbers);
    sharc_intern_free(x->urls);
    sharc_intern_free(x->hosts);
    sharc_url_done(&x->url);
    free(x->archive);
    free(x);
}

void sharc_export_freep(struct sharc_export **x)
{
    sharc_export_free(*x);
    *x = NULL;
}

struct sharc_export_sums sharc_export_sum(const struct sharc_export *x)
{
    return x->sums;
}

void sharc_export_capture(const struct sharc_export *x, size_t i, struct sharc_export_capture *ret)
{
    const struct export_capture *c = &x->captures[i];
    *ret = (struct sharc_export_capture){.key = c->key,
                                         .site = c->name,
                                         .seed = c->seed,
                                         .state = sharc_capture_state_text(c->state),
                                         .start = c->start,
                                         .reference = c->reference,
                                         .urls = c->urls};
}
