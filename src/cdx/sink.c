/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the lines of an index go: to a function, a file, or the two files of a ZipNum index. A file
 * appears when it is complete.
 */
#include "sink.h"
#include "sharc/cdx_build.h"

#include "cdx_int.h"

static int zipnum_data(void *arg, struct sharc_span bytes, struct sharc_err *reterr)
{
    struct cdx_sink *s = arg;
    return sharc_atomic_write(&s->data, bytes, reterr);
}

static int zipnum_idx(void *arg, struct sharc_span bytes, struct sharc_err *reterr)
{
    struct cdx_sink *s = arg;
    return sharc_atomic_write(&s->file, bytes, reterr);
}

static int open_zipnum(struct cdx_sink *s, const char *output, unsigned block_lines, struct sharc_err *reterr)
{
    struct sharc_span o = sharc_span_of(output);
    SHARC_FAIL_IF(!sharc_span_ends(o, SHARC_SPAN(".idx")), reterr, SHARC_EINVAL,
                  "%s: the output of a ZipNum index must end in .idx; its blocks go to a .cdx.gz beside it", output);
    SHARC_FAIL_IF(s->format != SHARC_CDXJ, reterr, SHARC_EINVAL, "%s: a ZipNum index holds CDXJ only", output);
    SHARC_AUTO(sharc_freep) char *data = sharc_asprintf("%.*s.cdx.gz", (int)(o.n - 4), output);
    int r = sharc_atomic_open(&s->data, data, reterr);
    if (r < 0) return r;
    s->data_open = true;
    s->zipnum = sharc_zipnum_new(sharc_path_last(data), block_lines, zipnum_data, zipnum_idx, s);
    return 0;
}

static int emit(struct cdx_sink *s, struct sharc_span bytes, struct sharc_err *reterr)
{
    if (s->zipnum) return sharc_zipnum_line(s->zipnum, bytes, reterr);
    return s->kind == SINK_FN ? s->fn(s->fn_arg, bytes, reterr) : sharc_atomic_write(&s->file, bytes, reterr);
}

int sharc__cdx_sink_open(struct cdx_sink *s, const char *output, const struct sharc_cdx_build *o, sharc_line_fn *fn,
                         void *fn_arg, struct sharc_err *reterr)
{
    bool to_fn = strcmp(output, "-") == 0;
    *s = (struct cdx_sink){.kind = to_fn            ? SINK_FN
                                   : o->block_lines ? SINK_ZIPNUM
                                                    : SINK_FILE,
                           .format = o->format,
                           .fn = fn,
                           .fn_arg = fn_arg};
    SHARC_FAIL_IF(to_fn && o->block_lines, reterr, SHARC_EINVAL, "a ZipNum index is two files: name an output");
    int r = s->kind == SINK_ZIPNUM ? open_zipnum(s, output, o->block_lines, reterr) : 0;
    if (r == 0 && !to_fn) {
        r = sharc_atomic_open(&s->file, output, reterr);
        s->file_open = r == 0;
    }
    const char *header = sharc_cdx_header(o->format);
    return r == 0 && *header ? emit(s, sharc_span_of(header), reterr) : r;
}

int sharc__cdx_sink_line(void *sink, struct sharc_span line, struct sharc_err *reterr)
{
    struct cdx_sink *s = sink;
    s->lines++;
    return emit(s, line, reterr);
}

/* The data first: an .idx never points at blocks that are not there. */
int sharc__cdx_sink_commit(struct cdx_sink *s, struct sharc_err *reterr)
{
    int r = s->zipnum ? sharc_zipnum_finish(s->zipnum, reterr) : 0;
    if (r == 0 && s->data_open) r = sharc_atomic_commit(&s->data, reterr);
    if (r == 0 && s->file_open) r = sharc_atomic_commit(&s->file, reterr);
    return r;
}

void sharc__cdx_sink_done(struct cdx_sink *s)
{
    sharc_zipnum_free(s->zipnum);
    if (s->file_open) sharc_atomic_done(&s->file);
    if (s->data_open) sharc_atomic_done(&s->data);
    *s = (struct cdx_sink){0};
}

uint64_t sharc__cdx_sink_count(const char *path)
{
    struct sharc_filemap m;
    uint64_t lines = 0;
    if (sharc_filemap_open(&m, path, NULL) < 0) return 0;
    size_t next = 0;
    while (next < m.bytes.n) lines += !sharc__cdx_is_header(sharc__cdx_line_at(m.bytes, next, &next));
    sharc_filemap_done(&m);
    return lines;
}
