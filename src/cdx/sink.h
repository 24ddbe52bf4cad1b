/* SPDX-License-Identifier: Apache-2.0
 *
 * Where sorted lines go: a file, a ZipNum pair, or a function.
 */
#ifndef SHARC_WARC_CDX_SINK_H
#define SHARC_WARC_CDX_SINK_H

#include "sharc/base_file.h"
#include "sharc/cdx.h"
#include "sharc/cdx_build.h"

enum cdx_sink_kind { SINK_FN, SINK_FILE, SINK_ZIPNUM };

struct cdx_sink {
    enum cdx_sink_kind kind;
    enum sharc_cdx_format format;
    struct sharc_atomic_file file, data; /* data: of ZipNum, file is then its .idx */
    bool file_open, data_open;
    struct sharc_zipnum *zipnum;
    sharc_line_fn *fn;
    void *fn_arg;
    uint64_t lines;
};
int sharc__cdx_sink_open(struct cdx_sink *s, const char *output, const struct sharc_cdx_build *o, sharc_line_fn *fn,
                         void *fn_arg, struct sharc_err *reterr);
/* A sharc_line_fn; arg is the sink. */
int sharc__cdx_sink_line(void *sink, struct sharc_span line, struct sharc_err *reterr);
int sharc__cdx_sink_commit(struct cdx_sink *s, struct sharc_err *reterr);
void sharc__cdx_sink_done(struct cdx_sink *s);
/* Entries of a plain index file. */
uint64_t sharc__cdx_sink_count(const char *path);

#endif
