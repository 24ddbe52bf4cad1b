/* SPDX-License-Identifier: Apache-2.0
 *
 * Which archive files are meant by the paths that somebody names: files as they
 * are, directories with the archive files below them, WACZ containers with the
 * WARCs inside.
 *
 *   SHARC_AUTO(sharc_warc_inputs_done) struct sharc_warc_inputs in = {0};
 *   for (…) if ((r = sharc_warc_inputs_add(&in, path, reterr)) < 0) return r;
 *   for (size_t i = 0; i < in.count; i++) sharc_warc_input_open(&in.items[i], &options, &w, reterr); …
 */
#ifndef SHARC_WARC_INPUTS_H
#define SHARC_WARC_INPUTS_H

#include "sharc/base.h"
#include "sharc/base_zip.h"
#include "sharc/warc.h"

SHARC_API_BEGIN

/* What a file is by the end of its name; upper and lower case are the same. */
enum sharc_warc_kind {
    SHARC_WARC_KIND_OTHER,
    SHARC_WARC_KIND_ARCHIVE,   /* .warc .warc.gz .warc.zst .arc .arc.gz */
    SHARC_WARC_KIND_CONTAINER, /* .wacz */
    SHARC_WARC_KIND_INDEX,     /* .cdx .cdxj .cdx.gz .cdxj.gz .idx */
};
enum sharc_warc_kind sharc_warc_kind_of(struct sharc_span name);

struct sharc_warc_input {
    enum sharc_warc_kind kind;           /* OTHER: its name says nothing, but it was named itself */
    char *path;                          /* of the file, or of its container; "-": standard input */
    char *inside;                        /* its name in the container, "archive/a.warc.gz", or NULL */
    const struct sharc_zip *zip;         /* the container, or NULL */
    const struct sharc_zip_entry *entry; /* and there this: stored, not encrypted */
    uint64_t size;
    int64_t modified; /* nanoseconds since 1970; of the container */
};

/* Zeroed storage is initialised storage. */
struct sharc_warc_inputs {
    struct sharc_warc_input *items; /* in the order of adding; names of a directory by their bytes */
    size_t count, room;
    uint64_t bytes; /* of all items */
    /* To be set before the first add. */
    bool whole;              /* a container is one item, unopened, instead of the WARCs inside */
    sharc_warc_warn_fn *bad; /* hears of what cannot be taken, and the walk goes on; NULL: that is a failure */
    void *bad_arg;
    /* private */
    struct sharc_zip **zips;
    size_t zip_count, zip_room;
    struct sharc_intern *searched; /* directories, by device and number */
    struct sharc_intern *names;    /* of files: one that lies elsewhere is left out when it was found here before */
};
void sharc_warc_inputs_done(struct sharc_warc_inputs *in);

/* Add what path means. A file that is named itself is taken whatever its name is; in a directory, searched at
 * most 32 deep, only archive files and containers are. A directory is searched once, however many links or paths
 * lead to it. Of an object store (base_remote.h) the object of this name, or all that are below it; a name with a slash
 * at its end may have none. An object is left out when a file of its name was added before. A path that does not
 * exist: SHARC_ENOENT. A WARC that is compressed inside its
 * container cannot be read in place: SHARC_EUNSUPPORTED. */
int sharc_warc_inputs_add(struct sharc_warc_inputs *in, const char *path, struct sharc_err *reterr);

/* The last part of its name, also inside a container. */
const char *sharc_warc_input_name(const struct sharc_warc_input *input);
/* Read its records. Messages name it as o does, or else by its path, "dir/a.wacz#archive/b.warc.gz" inside a
 * container. */
int sharc_warc_input_open(const struct sharc_warc_input *input, const struct sharc_warc_options *o,
                          struct sharc_warc **ret, struct sharc_err *reterr);

/* A name of the form "a.wacz#archive/b.warc.gz" in its two parts; any other name is all file, and *ret_inside
 * is SHARC_SPAN_NONE. */
void sharc_warc_name_split(struct sharc_span name, struct sharc_span *ret_file, struct sharc_span *ret_inside);

SHARC_API_END
#endif
