/* SPDX-License-Identifier: Apache-2.0
 *
 * A WACZ as its readers see it: the indexes to search, and the WARC that a line names.
 */
#include "sharc/base_codec.h"
#include "sharc/base_limits.h"
#include "sharc/wacz.h"

#include <stdlib.h>

struct sharc_wacz {
    struct sharc_zip zip;
    struct sharc_buf *unpacked; /* small index files, kept for whoever searches them */
    size_t count, room;
};

int sharc_wacz_open(const char *path, struct sharc_wacz **ret, struct sharc_err *reterr)
{
    struct sharc_wacz *w = SHARC_NEW(struct sharc_wacz);
    int r = sharc_zip_open(&w->zip, path, reterr);
    if (r == 0 && !sharc_zip_find(&w->zip, SHARC_SPAN("datapackage.json")))
        r = sharc_fail(reterr, SHARC_ESYNTAX, "%s: a ZIP, but not a WACZ: it has no datapackage.json", path);
    if (r < 0) {
        sharc_wacz_close(w);
        return r;
    }
    *ret = w;
    return 0;
}

void sharc_wacz_close(struct sharc_wacz *w)
{
    if (!w) return;
    for (size_t i = 0; i < w->count; i++) sharc_buf_done(&w->unpacked[i]);
    free(w->unpacked);
    sharc_zip_done(&w->zip);
    free(w);
}

void sharc_wacz_closep(struct sharc_wacz **w)
{
    sharc_wacz_close(*w);
    *w = NULL;
}

const struct sharc_zip *sharc_wacz_zip(const struct sharc_wacz *w)
{
    return &w->zip;
}

/* The content: where it lies when stored, else unpacked and kept. */
static int content(struct sharc_wacz *w, const struct sharc_zip_entry *e, bool gzip, struct sharc_span *ret,
                   struct sharc_err *reterr)
{
    if (e->method == SHARC_ZIP_STORED && !gzip) return sharc_zip_raw(&w->zip, e, ret, reterr);
    struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_CDX_GZIP);
    int r = sharc_zip_read(&w->zip, e, &b, reterr);
    if (r == 0 && gzip) {
        struct sharc_buf plain = SHARC_BUF_INIT(SHARC_LIMIT_CDX_GZIP);
        r = sharc_decode(SHARC_GZIP, sharc_buf_span(&b), &plain, reterr);
        sharc_buf_done(&b);
        b = plain;
    }
    if (r < 0) {
        sharc_buf_done(&b);
        return r;
    }
    SHARC_GROW(w->unpacked, w->room, w->count + 1);
    w->unpacked[w->count++] = b;
    *ret = sharc_buf_span(&b);
    return 0;
}

/* "indexes/index.idx" -> its data, "indexes/index.cdx.gz" */
static const struct sharc_zip_entry *data_of(const struct sharc_wacz *w, struct sharc_span idx)
{
    static const char *const ends[] = {".cdx.gz", ".cdxj.gz"};
    for (size_t i = 0; i < SHARC_LENGTH(ends); i++) {
        SHARC_AUTO(sharc_freep) char *name = sharc_asprintf("%.*s%s", (int)(idx.n - 4), idx.p, ends[i]);
        const struct sharc_zip_entry *e = sharc_zip_find(&w->zip, sharc_span_of(name));
        if (e) return e;
    }
    return NULL;
}

static int add_entry(struct sharc_wacz *w, const struct sharc_zip_entry *e, struct sharc_cdx_index *x,
                     enum sharc_cdx_check check, struct sharc_err *reterr)
{
    bool idx = sharc_span_ends(e->name, SHARC_SPAN(".idx")), gzip = sharc_span_ends(e->name, SHARC_SPAN(".gz"));
    SHARC_AUTO(sharc_freep) char *label = sharc_asprintf("%s: %.*s", w->zip.label, SHARC_SPAN_ARG(e->name));
    struct sharc_span lines, data;
    if (gzip) { /* with its .idx it comes in through that */
        SHARC_AUTO(sharc_freep) char *beside = NULL;
        size_t cdx = sharc_span_search(e->name, SHARC_SPAN(".cdx"));
        if (cdx != SHARC_NPOS) beside = sharc_asprintf("%.*s.idx", (int)cdx, e->name.p);
        if (beside && sharc_zip_find(&w->zip, sharc_span_of(beside))) return 0;
    }
    int r = content(w, e, gzip, &lines, reterr);
    if (r < 0) return r;
    if (!idx) return sharc_cdx_index_add_lines(x, label, lines, check, reterr);
    const struct sharc_zip_entry *blocks = data_of(w, e->name);
    SHARC_FAIL_IF(!blocks, reterr, SHARC_ENOENT, "%s: its data file is not in the container", label);
    r = content(w, blocks, false, &data, reterr);
    return r < 0 ? r : sharc_cdx_index_add_zipnum(x, label, lines, data, check, reterr);
}

int sharc_wacz_add_index(struct sharc_wacz *w, struct sharc_cdx_index *x, enum sharc_cdx_check check,
                         struct sharc_err *reterr)
{
    size_t found = 0;
    for (size_t i = 0; i < w->zip.count; i++) {
        const struct sharc_zip_entry *e = &w->zip.entries[i];
        if (!sharc_span_starts(e->name, SHARC_SPAN("indexes/")) || e->directory) continue;
        int r = add_entry(w, e, x, check, reterr);
        if (r < 0) return r;
        found++;
    }
    SHARC_FAIL_IF(!found, reterr, SHARC_ENOENT, "%s: has no index in indexes/; make one with sharc index",
                  w->zip.label);
    return 0;
}

int sharc_wacz_warc(const struct sharc_wacz *w, struct sharc_span filename, struct sharc_span *ret,
                    struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *name = sharc_asprintf("archive/%.*s", SHARC_SPAN_ARG(filename));
    const struct sharc_zip_entry *e = sharc_zip_find(&w->zip, sharc_span_of(name));
    SHARC_FAIL_IF(!e, reterr, SHARC_ENOENT, "%s: %s is not in the container", w->zip.label, name);
    SHARC_FAIL_IF(e->method != SHARC_ZIP_STORED, reterr, SHARC_EUNSUPPORTED,
                  "%s: %s is compressed inside the ZIP, which WACZ does not allow", w->zip.label, name);
    return sharc_zip_raw(&w->zip, e, ret, reterr);
}
