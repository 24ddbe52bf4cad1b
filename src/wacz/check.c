/* SPDX-License-Identifier: Apache-2.0
 *
 * WACZ 1.1.1, rule by rule. Findings never stop the check: whoever repairs a file
 * wants to see all of them at once.
 */
#include "sharc/base_digest.h"
#include "sharc/base_limits.h"
#include "sharc/base_map.h"
#include "sharc/base_node.h"
#include "sharc/cdx_agree.h"
#include "sharc/wacz_sign.h"
#include "sharc/warc.h"
#include "wacz_int.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct checking {
    struct sharc_wacz *wacz;
    const struct sharc_zip *zip;
    sharc_wacz_say_fn *say;
    void *arg;
    const struct sharc_wacz_trust *trust; /* may be NULL */
    struct sharc_wacz_report report;
    struct sharc_intern *listed; /* paths in resources */
    uint64_t uncovered;          /* files of which no sound hash in datapackage.json is theirs, and the other way */
};

static SHARC_PRINTF(4, 0) void say(struct checking *c, bool problem, const char *where, const char *fmt, va_list ap)
{
    char text[600];
    vsnprintf(text, sizeof text, fmt, ap);
    *(problem ? &c->report.problems : &c->report.remarks) += 1;
    if (c->say) c->say(c->arg, problem, where, text);
}

static void problem(struct checking *c, const char *where, const char *fmt, ...) SHARC_PRINTF(3, 4);
static void problem(struct checking *c, const char *where, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(c, true, where, fmt, ap);
    va_end(ap);
}

static void remark(struct checking *c, const char *where, const char *fmt, ...) SHARC_PRINTF(3, 4);
static void remark(struct checking *c, const char *where, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(c, false, where, fmt, ap);
    va_end(ap);
}

/* --- files and how they are packed --------------------------------------- */

static bool ends(struct sharc_span name, const char *const *with)
{
    for (; *with; with++)
        if (sharc_span_ends(name, sharc_span_of(*with))) return true;
    return false;
}

static void check_entry(struct checking *c, const struct sharc_zip_entry *e)
{
    static const char *const warc[] = {".warc", ".warc.gz", NULL};
    static const char *const index[] = {".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz", ".idx", NULL};
    static const char *const pages[] = {".jsonl", NULL};
    SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(e->name);
    bool archive = sharc_span_starts(e->name, SHARC_SPAN("archive/"));
    bool gzip = sharc_span_ends(e->name, SHARC_SPAN(".gz"));
    if (e->encrypted) problem(c, name, "is encrypted");
    if (e->method != SHARC_ZIP_STORED && (archive || gzip))
        problem(c, name,
                "is compressed by the ZIP; WARCs and gzip indexes must be stored, or replay cannot seek in them");
    else if (e->method != SHARC_ZIP_STORED && e->method != SHARC_ZIP_DEFLATED)
        problem(c, name, "is packed by method %u; only store and deflate are allowed", e->method);
    if (archive && !ends(e->name, warc)) problem(c, name, "only .warc and .warc.gz files belong in archive/");
    if (sharc_span_starts(e->name, SHARC_SPAN("indexes/")) && !ends(e->name, index))
        problem(c, name, "only CDXJ indexes belong in indexes/");
    if (sharc_span_starts(e->name, SHARC_SPAN("pages/")) && !ends(e->name, pages))
        problem(c, name, "only .jsonl files belong in pages/");
    c->report.warcs += archive && ends(e->name, warc);
}

static void check_files(struct checking *c)
{
    size_t indexes = 0;
    for (size_t i = 0; i < c->zip->count; i++) {
        const struct sharc_zip_entry *e = &c->zip->entries[i];
        if (e->directory) continue;
        c->report.files++;
        c->report.bytes += e->size;
        indexes += sharc_span_starts(e->name, SHARC_SPAN("indexes/"));
        check_entry(c, e);
    }
    if (!sharc_span_ends(sharc_span_of(c->zip->label), SHARC_SPAN(".wacz")))
        problem(c, c->zip->label, "the name of a WACZ ends in .wacz");
    if (!c->report.warcs) problem(c, "archive/", "holds no WARC file");
    if (!indexes) problem(c, "indexes/", "holds no index");
}

/* --- datapackage.json ---------------------------------------------------- */

/* The digest of the content, unpacked when it is small, else in place. */
static int digest_entry(struct checking *c, const struct sharc_zip_entry *e, enum sharc_digest_kind kind,
                        struct sharc_digest *ret, struct sharc_err *reterr)
{
    struct sharc_span bytes;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_ZIP_UNPACKED);
    int r;
    if (e->method == SHARC_ZIP_STORED) {
        r = sharc_zip_raw(c->zip, e, &bytes, reterr);
    } else {
        r = sharc_zip_read(c->zip, e, &b, reterr);
        bytes = sharc_buf_span(&b);
    }
    if (r == 0) sharc_digest_of(kind, bytes, ret);
    return r;
}

static void check_hash(struct checking *c, const char *where, const struct sharc_zip_entry *e, struct sharc_span hash)
{
    struct sharc_digest want, got;
    struct sharc_err err = SHARC_ERR_INIT;
    char text[SHARC_DIGEST_TEXT];
    if (sharc_digest_parse(hash, &want) < 0) {
        problem(c, where, "its hash \"%.*s\" is not sha256:HEX", (int)(hash.n < 100 ? hash.n : 100), hash.p);
        c->uncovered++;
        return;
    }
    if (want.kind != SHARC_SHA256)
        remark(c, where, "its hash is %s, sha256 is recommended", sharc_digest_name(want.kind));
    bool read = digest_entry(c, e, want.kind, &got, &err) == 0;
    c->uncovered += !read || !sharc_digest_eq(&want, &got) || want.kind == SHARC_MD5 || want.kind == SHARC_SHA1;
    if (!read)
        problem(c, where, "cannot be read: %s", err.text);
    else if (!sharc_digest_eq(&want, &got))
        problem(c, where, "its bytes do not match the hash in datapackage.json; they are %s",
                sharc_digest_text(&got, text));
}

static void check_resource(struct checking *c, const struct sharc_node *r)
{
    struct sharc_span path = sharc_node_text(sharc_node_get(r, "path"));
    struct sharc_span hash = sharc_node_text(sharc_node_get(r, "hash"));
    const struct sharc_node *bytes = sharc_node_get(r, "bytes");
    SHARC_AUTO(sharc_freep) char *where = path.n ? sharc_span_dup(path) : sharc_strdup("datapackage.json");
    if (!path.n) {
        problem(c, where, "a resource has no path");
        return;
    }
    bool fresh;
    sharc_intern_add(c->listed, path, &fresh);
    if (!fresh) { /* nor is it read twice: a short list could have large files read without end */
        problem(c, where, "is listed twice in datapackage.json");
        return;
    }
    const struct sharc_zip_entry *e = sharc_zip_find(c->zip, path);
    if (!e) {
        problem(c, where, "is listed in datapackage.json but not in the ZIP");
        c->uncovered++;
        return;
    }
    if (!sharc_node_get(r, "name")) problem(c, where, "its resource has no name");
    if (!bytes)
        problem(c, where, "its resource does not say its number of bytes");
    else if (sharc_node_int(bytes, -1) < 0)
        problem(c, where, "its resource's \"bytes\" is not a number of bytes");
    else if (sharc_node_int(bytes, -1) != (int64_t)e->size)
        problem(c, where, "datapackage.json says %" PRId64 " bytes, it has %" PRIu64, sharc_node_int(bytes, -1),
                e->size);
    c->uncovered += !hash.n;
    if (!hash.n)
        problem(c, where, "its resource has no hash");
    else
        check_hash(c, where, e, hash);
}

static void check_fields(struct checking *c, const struct sharc_node *package)
{
    static const char where[] = "datapackage.json";
    static const char *const wanted[] = {"title", "created", "software", NULL};
    struct sharc_span profile = sharc_node_text(sharc_node_get(package, "profile"));
    struct sharc_span version = sharc_node_text(sharc_node_get(package, "wacz_version"));
    if (!sharc_span_is(profile, "data-package")) problem(c, where, "profile must be \"data-package\"");
    if (!sharc_span_starts(version, SHARC_SPAN("1.")))
        problem(c, where, "wacz_version \"%.*s\" is not one this check knows (1.1.1)", SHARC_SPAN_ARG(version));
    for (size_t i = 0; wanted[i]; i++)
        if (!sharc_node_get(package, wanted[i])) remark(c, where, "has no %s", wanted[i]);
}

static void check_unlisted(struct checking *c)
{
    for (size_t i = 0; i < c->zip->count; i++) {
        const struct sharc_zip_entry *e = &c->zip->entries[i];
        if (e->directory || sharc_span_is(e->name, "datapackage.json") ||
            sharc_span_is(e->name, "datapackage-digest.json"))
            continue;
        SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(e->name);
        if (sharc_intern_find(c->listed, e->name) != SHARC_NO_ID) continue;
        problem(c, name, "is not listed in datapackage.json");
        c->uncovered++;
    }
}

/* The JSON of an entry; NULL, with a finding, when it cannot be read. */
static const struct sharc_node *read_json(struct checking *c, const char *name, struct sharc_buf *text,
                                          struct sharc_arena *arena)
{
    const struct sharc_node *root = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc_zip_read(c->zip, sharc_zip_find(c->zip, sharc_span_of(name)), text, &err);
    if (r == 0) r = sharc_json_read(sharc_buf_span(text), arena, &root, &err);
    if (r < 0) problem(c, name, "cannot be read: %s", err.text);
    return r < 0 ? NULL : root;
}

static void check_package(struct checking *c)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(SHARC_LIMIT_JSON_BYTES);
    struct sharc_arena arena = SHARC_ARENA_INIT(4 * (size_t)SHARC_LIMIT_JSON_BYTES);
    const struct sharc_node *package = read_json(c, "datapackage.json", &text, &arena);
    if (package) {
        const struct sharc_node *resources = sharc_node_get(package, "resources");
        check_fields(c, package);
        if (!resources || resources->kind != SHARC_LIST) problem(c, "datapackage.json", "has no list of resources");
        for (const struct sharc_node *r = resources ? resources->first : NULL; r; r = r->next) check_resource(c, r);
        check_unlisted(c);
    }
    c->uncovered += !package;
    sharc_arena_done(&arena);
}

/* The signature, if there is one, and if there must be one. */
static void check_signature(struct checking *c, const struct sharc_node *digest)
{
    struct sharc_wacz_signature *s = &c->report.signature;
    const struct sharc_node *data = sharc_node_get(digest, "signedData");
    struct sharc_err err = SHARC_ERR_INIT;
    if (!data && c->trust && (c->trust->key.n || c->trust->trusted.n))
        snprintf(s->fault, sizeof s->fault, "there is none");
    if (data &&
        sharc_wacz_signature_check(data, sharc_node_text(sharc_node_get(digest, "hash")), c->trust, s, &err) < 0)
        snprintf(s->fault, sizeof s->fault, "%s", err.text);
    c->report.problems += s->fault[0] != 0;
    s->covers = s->right && c->uncovered == 0;
}

static void check_package_digest(struct checking *c)
{
    static const char where[] = "datapackage-digest.json";
    if (!sharc_zip_find(c->zip, sharc_span_of(where))) {
        remark(c, where, "is not there; it lets readers see that datapackage.json is whole");
        check_signature(c, NULL);
        return;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(SHARC_LIMIT_JSON_BYTES);
    struct sharc_arena arena = SHARC_ARENA_INIT(4 * (size_t)SHARC_LIMIT_JSON_BYTES);
    const struct sharc_node *d = read_json(c, where, &text, &arena);
    if (d) {
        if (!sharc_span_is(sharc_node_text(sharc_node_get(d, "path")), "datapackage.json"))
            problem(c, where, "path must be \"datapackage.json\"");
        check_hash(c, "datapackage.json", sharc_zip_find(c->zip, SHARC_SPAN("datapackage.json")),
                   sharc_node_text(sharc_node_get(d, "hash")));
    }
    check_signature(c, d);
    sharc_arena_done(&arena);
}

/* --- pages --------------------------------------------------------------- */

static void check_page(struct checking *c, const char *where, struct sharc_span line, unsigned number)
{
    struct sharc_arena arena = SHARC_ARENA_INIT(16 << 20);
    const struct sharc_node *page;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_json_read(line, &arena, &page, &err) < 0) {
        problem(c, where, "line %u: %s", number, err.text);
    } else if (number == 1) {
        struct sharc_span format = sharc_node_text(sharc_node_get(page, "format"));
        if (!sharc_span_starts(format, SHARC_SPAN("json-pages-1.")))
            problem(c, where, "line 1 is not a header that names the format");
        if (!sharc_node_get(page, "id")) problem(c, where, "line 1: the header has no id");
    } else {
        sharc_time t;
        struct sharc_span ts = sharc_node_text(sharc_node_get(page, "ts"));
        c->report.pages++;
        if (!sharc_node_text(sharc_node_get(page, "url")).n) problem(c, where, "line %u: the page has no url", number);
        if (!ts.n || sharc_span_find(ts, 'T', 0) == SHARC_NPOS || sharc_time_parse(ts, &t, NULL) < 0)
            problem(c, where, "line %u: the page has no ts in the form of RFC 3339", number);
    }
    sharc_arena_done(&arena);
}

static void check_pages(struct checking *c)
{
    if (!sharc_zip_find(c->zip, SHARC_SPAN("pages/pages.jsonl"))) problem(c, "pages/pages.jsonl", "is not there");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(SHARC_LIMIT_ZIP_UNPACKED);
    for (size_t i = 0; i < c->zip->count; i++) {
        const struct sharc_zip_entry *e = &c->zip->entries[i];
        if (!sharc_span_starts(e->name, SHARC_SPAN("pages/")) || !sharc_span_ends(e->name, SHARC_SPAN(".jsonl")))
            continue;
        SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(e->name);
        struct sharc_err err = SHARC_ERR_INIT;
        if (sharc_zip_read(c->zip, e, &text, &err) < 0) {
            problem(c, name, "cannot be read: %s", err.text);
            continue;
        }
        struct sharc_span rest = sharc_buf_span(&text), line;
        unsigned number = 0;
        while (sharc_span_next(&rest, '\n', &line)) {
            number++;
            if (sharc_span_trim(line).n) check_page(c, name, line, number);
        }
    }
}

/* --- indexes ------------------------------------------------------------- */

/* That they are in order and can be walked through; whether they say what is in the
 * WARCs is another question: sharc_cdx_agree. */
static void check_indexes(struct checking *c)
{
    SHARC_AUTO(sharc_cdx_index_freep) struct sharc_cdx_index *x = sharc_cdx_index_new();
    SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *cursor = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_cdx e;
    int r = sharc_wacz_add_index(c->wacz, x, SHARC_CDX_CHECK_ALL, &err);
    if (r == 0) r = sharc_cdx_ask(x, &(struct sharc_cdx_query){.limit = 0}, &cursor, &err);
    while (r >= 0 && (r = sharc_cdx_next(cursor, &e, &err)) > 0) c->report.captures++;
    if (r < 0) problem(c, "indexes/", "%s", err.text);
}

int sharc_wacz_check(const char *path, const struct sharc_wacz_trust *trust, sharc_wacz_say_fn *fn, void *arg,
                     struct sharc_wacz_report *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_wacz_closep) struct sharc_wacz *w = NULL;
    int r = sharc_wacz_open(path, &w, reterr);
    if (r < 0) return r;
    struct checking c = {
        .wacz = w, .zip = sharc_wacz_zip(w), .say = fn, .arg = arg, .trust = trust, .listed = sharc_intern_new()};
    check_files(&c);
    check_package(&c);
    check_package_digest(&c);
    check_pages(&c);
    check_indexes(&c);
    sharc_intern_free(c.listed);
    *ret = c.report;
    return 0;
}
