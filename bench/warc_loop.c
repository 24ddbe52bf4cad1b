/* SPDX-License-Identifier: Apache-2.0
 *
 * One loop over an archive file, for bench/warc-bench.sh to measure:
 *   warc_loop bare FILE      inflate member by member with libdeflate, nothing else:
 *                            what no reader can beat
 *   warc_loop heads FILE     the reader, WARC heads only
 *   warc_loop http FILE      and HTTP heads
 *   warc_loop payload FILE   and every byte of every payload
 *   warc_loop responses FILE only responses, with HTTP heads
 */
#include "sharc/base_file.h"
#include "sharc/warc.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const struct sharc_err *err)
{
    fprintf(stderr, "%s\n", err->text);
    return 1;
}

static int bare(const char *path)
{
    struct sharc_filemap m = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_filemap_open(&m, path, &err) < 0) return fail(&err);
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    size_t room = 32u << 20, at = 0, used, made;
    char *out = malloc(room);
    unsigned long members = 0, bytes = 0;
    while (out && at < m.bytes.n &&
           libdeflate_gzip_decompress_ex(d, m.bytes.p + at, m.bytes.n - at, out, room, &used, &made) == 0) {
        at += used;
        bytes += made;
        members++;
    }
    printf("%lu members, %lu bytes\n", members, bytes);
    libdeflate_free_decompressor(d);
    free(out);
    sharc_filemap_done(&m);
    return at != m.bytes.n;
}

static int loop(const char *mode, const char *path)
{
    bool http = strcmp(mode, "heads") != 0, payload = strcmp(mode, "payload") == 0;
    struct sharc_warc_options o = {0};
    if (strcmp(mode, "responses") == 0) o.types = SHARC_WARC_BIT(SHARC_WARC_RESPONSE);
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    if (sharc_warc_open(path, &o, &w, &err) < 0) return fail(&err);
    struct sharc_record rec;
    struct sharc_span piece;
    unsigned long records = 0, fields = 0, bytes = 0;
    int r;
    while ((r = sharc_warc_next(w, &rec, &err)) > 0) {
        records++;
        const struct sharc_http *h = http ? sharc_record_http(&rec) : NULL;
        if (h) fields += h->count;
        while (payload && sharc_record_read(&rec, SHARC_WARC_PAYLOAD, &piece, &err) > 0) bytes += piece.n;
    }
    if (r < 0) return fail(&err);
    printf("%lu records, %lu HTTP fields, %lu payload bytes\n", records, fields, bytes);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    return strcmp(argv[1], "bare") == 0 ? bare(argv[2]) : loop(argv[1], argv[2]);
}
