/* SPDX-License-Identifier: Apache-2.0
 *
 * lookup INDEX DIRECTORY URL [TIMESTAMP]: writes the archived body of a URL to standard
 * output, of the capture closest to the time (2026, 20261116, …) or of the latest one. The
 * index is any sorted CDX or CDXJ file, the directory is where the files it names lie.
 *
 *   cc -std=c17 lookup.c $(pkg-config --cflags --libs sharc) -o lookup
 */
#include <sharc/cdx.h>
#include <sharc/warc.h>

#include <stdio.h>

/* Where the capture lies: the name of its file, and the offset there. */
static int find(const char *index, const char *url, const char *when, char file[1024], uint64_t *offset,
                struct sharc_err *err)
{
    SHARC_AUTO(sharc_cdx_index_freep) struct sharc_cdx_index *x = sharc_cdx_index_new();
    SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *cursor = NULL;
    const char *filters[] = {"=status:200"};
    struct sharc_cdx_query q = {
        .url = sharc_span_of(url),
        .match = SHARC_CDX_EXACT,
        .sort = when ? SHARC_CDX_CLOSEST : SHARC_CDX_REVERSE,
        .closest = sharc_span_of(when),
        .limit = 1,
        .filters = filters,
        .filter_count = 1,
    };
    struct sharc_cdx hit;
    int r = sharc_cdx_index_add(x, index, SHARC_CDX_CHECK_SOME, err);
    if (r == 0) r = sharc_cdx_ask(x, &q, &cursor, err);
    if (r == 0) r = sharc_cdx_next(cursor, &hit, err);
    if (r < 0) return r;
    SHARC_FAIL_IF(r == 0, err, SHARC_ENOENT, "%s has no capture of %s", index, url);
    SHARC_FAIL_IF(!sharc_cdx_number(&hit, SHARC_CDX_OFFSET, offset), err, SHARC_ESYNTAX, "%s: a line without an offset",
                  index);
    snprintf(file, 1024, "%.*s", SHARC_SPAN_ARG(hit.field[SHARC_CDX_FILENAME]));
    return 0;
}

static int print_body(const char *path, uint64_t offset, struct sharc_err *err)
{
    const struct sharc_warc_options o = {.offset = offset};
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_record rec;
    struct sharc_span piece;
    int r = sharc_warc_open(path, &o, &w, err);
    if (r == 0) r = sharc_warc_next(w, &rec, err);
    if (r < 0) return r;
    SHARC_FAIL_IF(r == 0 || rec.type != SHARC_WARC_RESPONSE, err, SHARC_ECORRUPT, "%s: no response at offset %llu",
                  path, (unsigned long long)offset);
    while ((r = sharc_record_read(&rec, SHARC_WARC_CONTENT, &piece, err)) > 0) fwrite(piece.p, 1, piece.n, stdout);
    return r;
}

int main(int argc, char **argv)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (argc < 4) {
        fprintf(stderr, "usage: lookup INDEX DIRECTORY URL [TIMESTAMP]\n");
        return 2;
    }
    char file[1024] = "";
    uint64_t offset = 0;
    int r = find(argv[1], argv[3], argc > 4 ? argv[4] : NULL, file, &offset, &err);
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/%s", argv[2], file);
    if (r == 0) r = print_body(path, offset, &err);
    if (r < 0) fprintf(stderr, "lookup: %s\n", err.text);
    return r < 0;
}
