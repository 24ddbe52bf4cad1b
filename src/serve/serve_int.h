/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of the room: what a collection and its editions are made of.
 */
#ifndef SHARC_SERVE_INT_H
#define SHARC_SERVE_INT_H

#include "sharc/base_file.h"
#include "sharc/base_map.h"
#include "sharc/serve_collection.h"
#include "sharc/wacz.h"

#include <pthread.h>

/* A file of one size and time; editions share it. users and map are guarded by the collection's lock. */
struct serve_file {
    unsigned users;
    char *path, *full; /* as found, and from the root without links */
    enum sharc_warc_kind kind;
    uint64_t size;
    int64_t modified;
    bool mapped;
    struct sharc_filemap map;
};

/* An index and where the files lie that its lines name. */
struct serve_source {
    struct sharc_cdx_index *index;
    /* Of files that had no index: one without a name, and what it was made of. */
    struct sharc_filemap lines;
    int lines_fd;
    struct serve_file **loose;
    size_t loose_count;
    struct sharc_wacz *wacz; /* names are of WARCs inside; or NULL */
    bool full_names;         /* names are paths without their first '/' */
    char *directory;         /* of the index file; or NULL */
};

struct sharc_edition {
    unsigned users; /* guarded by the collection's lock */
    struct sharc_collection *collection;
    uint64_t signature; /* of names, sizes and times of all that it is made of */
    struct serve_file **files;
    size_t file_count, file_room;
    struct sharc_intern *names; /* last parts of paths, files with equal ones once */
    size_t *named;              /* number of a name -> number of its file */
    size_t named_room;
    struct serve_source *sources;
    size_t source_count, source_room;
};

struct sharc_collection {
    struct sharc_collection_options o;
    char **paths;
    size_t path_count;
    struct sharc_intern *warned;         /* sentences that were told */
    struct serve_catalogues *catalogues; /* catalogue.c */
    pthread_mutex_t lock;
    struct sharc_edition *newest;
};

/* edition.c. An edition of what is there now; *ret stays NULL when its signature is `known`. */
int sharc__serve_edition_new(struct sharc_collection *c, uint64_t known, struct sharc_edition **ret,
                             struct sharc_err *reterr);
void sharc__serve_edition_free(struct sharc_edition *e);
/* "a.warc.gz" of "srv/archive/a.warc.gz". */
struct sharc_span sharc__serve_last_part(struct sharc_span path);

/* sources.c. Open the indexes of an edition whose files are known. indexes: paths of index files; those of
 * them that `named` marks were named by the user. */
struct serve_index_path {
    char *path;
    bool named;
};
int sharc__serve_sources_open(struct sharc_edition *e, const struct serve_index_path *indexes, size_t count,
                              struct sharc_err *reterr);
/* The bytes of the archive file that a line of this source names, and the map that they are in. */
int sharc__serve_source_bytes(const struct sharc_edition *e, const struct serve_source *s, struct sharc_span name,
                              struct sharc_span *ret, const struct sharc_filemap **ret_map, struct sharc_err *reterr);
/* Its records from o->offset on, and the map that they are read from; NULL: the file lies elsewhere, and is read by
 * range. SHARC_ECORRUPT: it ends before that. */
int sharc__serve_source_open(const struct sharc_edition *e, const struct serve_source *s, struct sharc_span name,
                             const struct sharc_warc_options *o, struct sharc_warc **ret,
                             const struct sharc_filemap **ret_map, struct sharc_err *reterr);
void sharc__serve_source_done(struct serve_source *s);
/* Is its index as long as it was? If not, that it has no line says nothing. */
bool sharc__serve_source_intact(const struct serve_source *s);

/* loose.c. Index these files, which have none; *ret has an empty index. */
int sharc__serve_loose_open(struct sharc_collection *c, struct serve_file *const *files, size_t count,
                            struct serve_source *ret, struct sharc_err *reterr);

/* captures.c. Which source gave the capture that sharc_captures_next gave last. */
const struct serve_source *sharc__serve_captures_source(const struct sharc_captures *c);
/* Before the first one is taken, of an exact question: captures of one second that the index does not tell apart get
 * the times of their records (second.c). Whoever names captures walks like this. sharc_captures_get is of no use then.
 */
void sharc__serve_captures_tell_apart(struct sharc_captures *c);
/* In a walk like that: does the index have whole seconds of the last capture? */
bool sharc__serve_captures_is_coarse(const struct sharc_captures *c);

/* catalogue.c. Those of the paths that are archives. */
struct serve_catalogues *sharc__serve_catalogues_new(char *const *paths, size_t count);
void sharc__serve_catalogues_free(struct serve_catalogues *c);

void sharc__serve_warn(struct sharc_collection *c, const struct sharc_err *what);

#endif
