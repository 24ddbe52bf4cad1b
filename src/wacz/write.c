/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/base_digest.h"
#include "sharc/base_file.h"
#include "sharc/base_json.h"
#include "sharc/base_limits.h"
#include "sharc/base_node.h"
#include "sharc/base_remote.h"
#include "sharc/base_version.h"
#include "sharc/cdx_build.h"
#include "sharc/warc_inputs.h"
#include "wacz_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK_LINES = 1024, COPY = 1 << 20, MOST_PAGES_PACKED = 16 << 20 };

struct resource {
    char *path;
    struct sharc_digest digest;
    uint64_t bytes;
};

struct packing {
    const struct sharc_wacz_options *o;
    struct sharc_zip_writer *zip;
    struct sharc_hasher *hasher;
    uint64_t entry_bytes;
    struct resource *resources;
    size_t count, room;
    struct sharc_zipnum *zipnum;
    struct sharc_zipnum *full; /* with a choice: the index of everything */
    struct sharc_buf all;      /* its data */
    struct sharc_cdx_parser parser;
    struct sharc_buf line;
    struct sharc_buf idx;   /* the small index file, written after the data */
    struct sharc_buf pages; /* collected, so that it can be deflated */
    bool pages_open;        /* too many for that: stored in pieces */
    char *first_url, *first_ts;
    struct sharc_wacz_written done;
};

static void packing_done(struct packing *p)
{
    sharc_zip_writer_free(p->zip);
    sharc_hasher_free(p->hasher);
    sharc_zipnum_free(p->zipnum);
    sharc_zipnum_free(p->full);
    sharc_buf_done(&p->all);
    sharc_buf_done(&p->line);
    sharc_cdx_parser_done(&p->parser);
    for (size_t i = 0; i < p->count; i++) free(p->resources[i].path);
    free(p->resources);
    sharc_buf_done(&p->idx);
    sharc_buf_done(&p->pages);
    free(p->first_url);
    free(p->first_ts);
}

/* --- entries that are listed with their hash ----------------------------- */

static int begin(struct packing *p, const char *path, uint64_t expected, struct sharc_err *reterr)
{
    SHARC_GROW(p->resources, p->room, p->count + 1);
    p->resources[p->count++] = (struct resource){.path = sharc_strdup(path)};
    sharc_hasher_start(p->hasher, SHARC_SHA256);
    p->entry_bytes = 0;
    return sharc_zip_begin(p->zip, path, expected, reterr);
}

static int put(void *arg, struct sharc_span bytes, struct sharc_err *reterr)
{
    struct packing *p = arg;
    sharc_hasher_add(p->hasher, bytes.p, bytes.n);
    p->entry_bytes += bytes.n;
    return sharc_zip_write(p->zip, bytes, reterr);
}

static int end(struct packing *p, struct sharc_err *reterr)
{
    struct resource *r = &p->resources[p->count - 1];
    sharc_hasher_end(p->hasher, &r->digest);
    r->bytes = p->entry_bytes;
    p->done.bytes += r->bytes;
    return sharc_zip_end(p->zip, reterr);
}

static int add(struct packing *p, const char *path, struct sharc_span bytes, struct sharc_err *reterr)
{
    SHARC_GROW(p->resources, p->room, p->count + 1);
    struct resource *r = &p->resources[p->count++];
    *r = (struct resource){.path = sharc_strdup(path), .bytes = bytes.n};
    sharc_digest_of(SHARC_SHA256, bytes, &r->digest);
    p->done.bytes += bytes.n;
    return sharc_zip_add(p->zip, path, bytes, reterr);
}

/* --- archive/ ------------------------------------------------------------ */

static int copy_file(struct packing *p, const char *path, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
    SHARC_FAIL_IF(fd < 0, reterr, sharc_error_from_errno(errno), "%s: cannot open: %s", path, strerror(errno));
    SHARC_AUTO(sharc_freep) char *window = sharc_malloc(COPY);
    for (;;) {
        ssize_t got = read(fd, window, COPY);
        if (got < 0 && errno == EINTR) continue;
        SHARC_FAIL_IF(got < 0, reterr, sharc_error_from_errno(errno), "%s: cannot read: %s", path, strerror(errno));
        if (got == 0) return 0;
        int r = put(p, sharc_span(window, (size_t)got), reterr);
        if (r < 0) return r;
    }
}

static int copy_remote(struct packing *p, const char *name, const struct sharc_remote_facts *facts,
                       struct sharc_err *reterr)
{
    enum { PIECE = 8 << 20 };
    SHARC_AUTO(sharc_freep) char *window = sharc_malloc(PIECE);
    int r = 0;
    for (uint64_t at = 0; r == 0 && at < facts->size; at += PIECE) {
        size_t n = facts->size - at < PIECE ? (size_t)(facts->size - at) : PIECE;
        r = sharc_remote_read(name, facts, at, window, n, reterr);
        if (r == 0) r = put(p, sharc_span(window, n), reterr);
    }
    return r;
}

static int add_warc(struct packing *p, const char *path, struct sharc_err *reterr)
{
    struct sharc_span name = sharc_span_of(sharc_path_last(path));
    SHARC_FAIL_IF(!sharc_span_ends(name, SHARC_SPAN(".warc")) && !sharc_span_ends(name, SHARC_SPAN(".warc.gz")), reterr,
                  SHARC_EUNSUPPORTED,
                  "%s: a WACZ holds .warc and .warc.gz files only; convert it with sharc export --to warc", path);
    SHARC_AUTO(sharc_freep) char *inside = sharc_asprintf("archive/%s", name.p);
    struct sharc_remote_facts facts;
    int r = sharc_file_look(path, &facts, reterr);
    if (r == 0) r = begin(p, inside, facts.size, reterr);
    if (r == 0) r = sharc_remote_is(path) ? copy_remote(p, path, &facts, reterr) : copy_file(p, path, reterr);
    if (r == 0) r = end(p, reterr);
    p->done.warcs++;
    return r;
}

/* --- indexes/ ------------------------------------------------------------ */

static int put_idx(void *arg, struct sharc_span bytes, struct sharc_err *reterr)
{
    struct packing *p = arg;
    int r = sharc_buf_put(&p->idx, bytes);
    SHARC_FAIL_IF(r < 0, reterr, r, "the index is too large for one WACZ");
    return 0;
}

static int put_all(void *arg, struct sharc_span bytes, struct sharc_err *reterr)
{
    struct packing *p = arg;
    int r = sharc_buf_put(&p->all, bytes);
    SHARC_FAIL_IF(r < 0, reterr, r, "the index is too large for one WACZ");
    return 0;
}

static int ignore(void *arg, struct sharc_span bytes, struct sharc_err *reterr)
{
    (void)arg;
    (void)bytes;
    (void)reterr;
    return 0;
}

/* The line as it is for replay into p->line; 0: it is not. */
static int choose_line(struct packing *p, struct sharc_span line, struct sharc_err *reterr)
{
    struct sharc_cdx c;
    int r = sharc_zipnum_line(p->full, line, reterr);
    if (r == 0) r = sharc_cdx_parse(&p->parser, line, &c, reterr);
    if (r <= 0) return r;
    enum sharc_wacz_show show = p->o->choice->shows(p->o->choice->arg, &c);
    sharc_buf_clear(&p->line);
    if (show == SHARC_WACZ_HIDE) return 0;
    if (show == SHARC_WACZ_SHOW) return sharc_buf_put(&p->line, line) < 0 ? SHARC_ELIMIT : 1;
    c.field[SHARC_CDX_DIGEST] = SHARC_SPAN_NONE;
    r = sharc_cdx_write(&c, SHARC_CDXJ, &p->line);
    SHARC_FAIL_IF(r < 0, reterr, r, "a line of the index is longer than %u bytes", SHARC_LIMIT_CDX_LINE);
    return 1;
}

static int index_line(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    struct packing *p = arg;
    int r = p->full ? choose_line(p, line, reterr) : 1;
    if (r <= 0) return r;
    p->done.captures++;
    return sharc_zipnum_line(p->zipnum, p->full ? sharc_buf_span(&p->line) : line, reterr);
}

/* gzip in a ZIP is stored, so it is written in pieces. */
static int add_full_index(struct packing *p, struct sharc_err *reterr)
{
    int r = sharc_zipnum_finish(p->full, reterr);
    if (r == 0) r = begin(p, SHARC_WACZ_ALL, p->all.n, reterr);
    if (r == 0) r = put(p, sharc_buf_span(&p->all), reterr);
    return r == 0 ? end(p, reterr) : r;
}

static int add_indexes(struct packing *p, const char *const *warcs, size_t count, const char *temporary,
                       struct sharc_err *reterr)
{
    struct sharc_cdx_build o = {.threads = p->o->threads,
                                .temporary = temporary,
                                .lenient = p->o->lenient,
                                .all = p->o->choice != NULL,
                                .precise = true,
                                .warn = p->o->warn,
                                .arg = p->o->warn_arg};
    struct sharc_cdx_built built;
    p->zipnum = sharc_zipnum_new("index.cdx.gz", BLOCK_LINES, put, put_idx, p);
    if (p->o->choice) p->full = sharc_zipnum_new("all.cdx.gz", BLOCK_LINES, put_all, ignore, p);
    int r = begin(p, "indexes/index.cdx.gz", 0, reterr);
    if (r == 0) r = sharc_cdx_build(warcs, count, "-", index_line, p, &o, &built, reterr);
    if (r == 0) p->done.damaged = built.damaged;
    if (r == 0) p->done.left_out = built.left_out;
    if (r == 0) r = sharc_zipnum_finish(p->zipnum, reterr);
    if (r == 0) r = end(p, reterr);
    if (r == 0) r = add(p, "indexes/index.idx", sharc_buf_span(&p->idx), reterr);
    return r == 0 && p->full ? add_full_index(p, reterr) : r;
}

/* --- pages/ -------------------------------------------------------------- */

/* url and ts of the first page, for mainPageUrl. */
static void note_first(struct packing *p, struct sharc_span line)
{
    struct sharc_arena arena = SHARC_ARENA_INIT(1 << 20);
    const struct sharc_node *page;
    if (sharc_json_read(line, &arena, &page, NULL) == 0) {
        struct sharc_span url = sharc_node_text(sharc_node_get(page, "url"));
        struct sharc_span ts = sharc_node_text(sharc_node_get(page, "ts"));
        bool wanted = !p->o->main_url || sharc_span_is(url, p->o->main_url);
        if (wanted && url.n && ts.n) {
            p->first_url = sharc_span_dup(url);
            p->first_ts = sharc_span_dup(ts);
        }
    }
    sharc_arena_done(&arena);
}

static int put_pages(struct packing *p, struct sharc_span line, struct sharc_err *reterr)
{
    if (!p->pages_open && p->pages.n + line.n <= MOST_PAGES_PACKED) {
        sharc_buf_put(&p->pages, line);
        return 0;
    }
    int r = 0;
    if (!p->pages_open) {
        r = begin(p, "pages/pages.jsonl", 0, reterr);
        if (r == 0) r = put(p, sharc_buf_span(&p->pages), reterr);
        p->pages_open = true;
        sharc_buf_done(&p->pages);
    }
    return r < 0 ? r : put(p, line, reterr);
}

static int page_line(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    struct packing *p = arg;
    if (!p->first_url) note_first(p, line);
    p->done.pages++;
    return put_pages(p, line, reterr);
}

/* A list that the user made: each line must be an object with url and ts. */
static int take_pages(struct packing *p, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done)
    struct sharc_buf text = SHARC_BUF_INIT(SHARC_LIMIT_JSON_BYTES), one = SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE);
    int r = sharc_file_read(p->o->pages, &text, reterr);
    struct sharc_span rest = sharc_buf_span(&text), line;
    unsigned number = 0;
    while (r == 0 && sharc_span_next(&rest, '\n', &line)) {
        number++;
        line = sharc_span_trim(line);
        if (line.n == 0) continue;
        struct sharc_arena arena = SHARC_ARENA_INIT(4 << 20);
        const struct sharc_node *page = NULL;
        r = sharc_json_read(line, &arena, &page, reterr);
        bool header = r == 0 && sharc_node_get(page, "format");
        if (r == 0 && !header && (!sharc_node_get(page, "url") || !sharc_node_get(page, "ts")))
            r = sharc_fail(reterr, SHARC_ESYNTAX, "a page needs \"url\" and \"ts\"");
        sharc_arena_done(&arena);
        if (r < 0) return sharc_err_prefix(reterr, r, "%s:%u", p->o->pages, number);
        if (header) continue;
        sharc_buf_clear(&one);
        sharc_buf_put(&one, line);
        sharc_buf_put_char(&one, '\n');
        r = page_line(p, sharc_buf_span(&one), reterr);
    }
    return r;
}

static int list_pages(struct packing *p, const char *const *warcs, size_t count, const char *temporary,
                      struct sharc_err *reterr)
{
    const struct sharc_wacz_choice *choice = p->o->choice;
    if (choice) return choice->pages(choice->arg, page_line, p, reterr);
    bool ours = p->o->pages != NULL;
    int r = sharc__wacz_pages(warcs, count, temporary, p->o, ours ? ignore : page_line, p, &p->done.lost, reterr);
    return r == 0 && ours ? take_pages(p, reterr) : r;
}

static int add_pages(struct packing *p, const char *const *warcs, size_t count, const char *temporary,
                     struct sharc_err *reterr)
{
    static const char header[] = "{\"format\": \"json-pages-1.0\", \"id\": \"pages\", \"title\": \"All Pages\"}\n";
    int r = put_pages(p, sharc_span(header, sizeof header - 1), reterr);
    if (r == 0) r = list_pages(p, warcs, count, temporary, reterr);
    if (r < 0) return r;
    return p->pages_open ? end(p, reterr) : add(p, "pages/pages.jsonl", sharc_buf_span(&p->pages), reterr);
}

static int add_verdicts(struct packing *p, struct sharc_err *reterr)
{
    const struct sharc_wacz_choice *choice = p->o->choice;
    if (!choice) return 0;
    int r = begin(p, SHARC_WACZ_VERDICTS, 0, reterr);
    if (r == 0) r = choice->verdicts(choice->arg, put, p, reterr);
    return r == 0 ? end(p, reterr) : r;
}

static int add_extra(void *add_arg, const char *path, struct sharc_span bytes, struct sharc_err *reterr)
{
    return add(add_arg, path, bytes, reterr);
}

/* --- datapackage.json ---------------------------------------------------- */

static void json_digest(struct sharc_json *j, const struct sharc_digest *d)
{
    char text[SHARC_DIGEST_TEXT];
    sharc_json_str(j, "hash", sharc_digest_text(d, text));
}

/* Names are unique in a data package: the path is, so its slash becomes a dash. */
static void json_resource(struct sharc_json *j, const struct resource *r)
{
    SHARC_AUTO(sharc_freep) char *name = sharc_strdup(r->path);
    for (char *c = name; *c; c++) *c = sharc_is_alnum(*c) || *c == '.' || *c == '_' ? sharc_to_lower(*c) : '-';
    sharc_json_object(j, NULL);
    sharc_json_str(j, "name", name);
    sharc_json_str(j, "path", r->path);
    json_digest(j, &r->digest);
    sharc_json_uint(j, "bytes", r->bytes);
    sharc_json_end(j);
}

static void json_main_page(const struct packing *p, struct sharc_json *j)
{
    const char *url = p->o->main_url ? p->o->main_url : p->first_url;
    if (url) sharc_json_str(j, "mainPageUrl", url);
    if (url && p->first_ts) sharc_json_str(j, "mainPageDate", p->first_ts);
}

static int write_package(const struct packing *p, struct sharc_buf *out, struct sharc_err *reterr)
{
    char when[SHARC_TIME_TEXT];
    struct sharc_json j;
    sharc_json_init(&j, out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "profile", "data-package");
    sharc_json_str(&j, "wacz_version", "1.1.1");
    sharc_json_str(&j, "title", p->o->title ? p->o->title : "Web captures");
    if (p->o->description) sharc_json_str(&j, "description", p->o->description);
    sharc_json_str(&j, "software", p->o->software ? p->o->software : "sharc " SHARC_VERSION);
    sharc_json_str(&j, "created", sharc_time_iso(p->o->now, 0, when));
    sharc_json_str(&j, "modified", when);
    json_main_page(p, &j);
    if (p->o->requires_count) {
        sharc_json_object(&j, "relation");
        sharc_json_array(&j, "requires");
        for (size_t i = 0; i < p->o->requires_count; i++) sharc_json_str(&j, NULL, p->o->requires[i]);
        sharc_json_end(&j);
        sharc_json_end(&j);
    }
    int r = p->o->choice ? p->o->choice->about(p->o->choice->arg, &j, reterr) : 0;
    if (r < 0) return r;
    sharc_json_array(&j, "resources");
    for (size_t i = 0; i < p->count; i++) json_resource(&j, &p->resources[i]);
    sharc_json_end(&j);
    sharc_json_end(&j);
    sharc_buf_put_char(out, '\n');
    return sharc_buf_result(out, reterr);
}

/* The hash of datapackage.json, and who vouches for it. */
static int write_digest(const struct packing *p, struct sharc_span package, struct sharc_buf *out,
                        struct sharc_err *reterr)
{
    const char *software = p->o->software ? p->o->software : "sharc " SHARC_VERSION;
    char hash[SHARC_DIGEST_TEXT];
    struct sharc_digest d;
    struct sharc_json j;
    int r = 0;
    sharc_digest_of(SHARC_SHA256, package, &d);
    sharc_digest_text(&d, hash);
    sharc_json_init(&j, out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "path", "datapackage.json");
    sharc_json_str(&j, "hash", hash);
    if (p->o->sign) {
        sharc_json_object(&j, "signedData");
        r = p->o->sign(p->o->sign_arg, sharc_span_of(hash), p->o->now, software, &j, reterr);
        if (r < 0) return r;
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_buf_put_char(out, '\n');
    return sharc_buf_result(out, reterr);
}

static int add_package(struct packing *p, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done)
    struct sharc_buf package = SHARC_BUF_INIT(SHARC_LIMIT_JSON_BYTES), digest = SHARC_BUF_INIT(SHARC_LIMIT_JSON_BYTES);
    int r = write_package(p, &package, reterr);
    if (r == 0) r = write_digest(p, sharc_buf_span(&package), &digest, reterr);
    if (r == 0) r = sharc_zip_add(p->zip, "datapackage.json", sharc_buf_span(&package), reterr);
    return r < 0 ? r : sharc_zip_add(p->zip, "datapackage-digest.json", sharc_buf_span(&digest), reterr);
}

/* --- all ----------------------------------------------------------------- */

static int pack(struct packing *p, const char *const *warcs, size_t count, const char *temporary,
                struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < count; i++) r = add_warc(p, warcs[i], reterr);
    if (r == 0) r = add_indexes(p, warcs, count, temporary, reterr);
    if (r == 0) r = add_pages(p, warcs, count, temporary, reterr);
    if (r == 0) r = add_verdicts(p, reterr);
    if (r == 0 && p->o->extra) r = p->o->extra(p->o->extra_arg, warcs, count, add_extra, p, reterr);
    if (r == 0) r = add_package(p, reterr);
    return r == 0 ? sharc_zip_writer_commit(p->zip, reterr) : r;
}

static int pack_files(struct packing *p, const char *output, const struct sharc_warc_inputs *files,
                      struct sharc_err *reterr)
{
    const char **warcs = SHARC_NEW_ARRAY(const char *, files->count);
    SHARC_AUTO(sharc_freep) char *temporary = sharc_path_parent(output);
    for (size_t i = 0; i < files->count; i++) warcs[i] = files->items[i].path;
    int r = sharc_zip_writer_new(output, p->o->now, &p->zip, reterr);
    if (r == 0) r = pack(p, warcs, files->count, temporary, reterr);
    free(warcs);
    return r;
}

int sharc_wacz_write(const char *output, const char *const *warcs, size_t count, const struct sharc_wacz_options *o,
                     struct sharc_wacz_written *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(packing_done)
    struct packing p = {.o = o,
                        .hasher = sharc_hasher_new(),
                        .idx = SHARC_BUF_INIT(SHARC_LIMIT_ZIP_UNPACKED),
                        .all = SHARC_BUF_INIT(SHARC_LIMIT_ZIP_UNPACKED),
                        .line = SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE),
                        .pages = SHARC_BUF_INIT(MOST_PAGES_PACKED)};
    SHARC_AUTO(sharc_warc_inputs_done) struct sharc_warc_inputs files = {.whole = true};
    sharc_cdx_parser_init(&p.parser);
    int r = 0;
    for (size_t i = 0; r == 0 && i < count; i++) r = sharc_warc_inputs_add(&files, warcs[i], reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(files.count == 0, reterr, SHARC_EINVAL, "%s: a WACZ needs at least one WARC file", output);
    r = pack_files(&p, output, &files, reterr);
    if (r == 0) *ret = p.done;
    return r;
}
