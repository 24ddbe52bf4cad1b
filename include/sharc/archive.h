/* SPDX-License-Identifier: Apache-2.0
 *
 * An archive is a directory. This room alone knows how it is laid out:
 *
 *   sharc.yaml         settings and sites; may be missing
 *   catalogue.db       the catalogue, unless `store:` in sharc.yaml names another
 *   warcs/             archive files; "….open" while they are written, "….upload" while they go into a store
 *   index/             index.cdxj and what else is there, sorted
 *   logs/              crawl.log, progress-statistics.log
 *   reports/
 *   .crawl.lock        held by the process that writes to the archive
 *   .control/          settings for the crawl that runs
 *
 * It can be copied, moved and renamed as a whole: the catalogue calls files in it by
 * names relative to it ("warcs/a.warc.gz"), and files elsewhere by their full paths.
 */
#ifndef SHARC_ARCHIVE_H
#define SHARC_ARCHIVE_H

#include "sharc/base.h"
#include "sharc/store.h"

SHARC_API_BEGIN

/* --- layout ---------------------------------------------------------------------- */

#define SHARC_ARCHIVE_PARTS(X)                  \
    X(SETTINGS, "sharc.yaml")                   \
    X(CATALOGUE, "catalogue.db")                \
    X(WARCS, "warcs")                           \
    X(INDEXES, "index")                         \
    X(INDEX, "index/index.cdxj")                \
    X(LOGS, "logs")                             \
    X(CRAWL_LOG, "logs/crawl.log")              \
    X(PROGRESS, "logs/progress-statistics.log") \
    X(LIVE, "logs/live.json")                   \
    X(REPORTS, "reports")                       \
    X(LOCK, ".crawl.lock")                      \
    X(CONTROL, ".control")

enum sharc_archive_part {
#define X(name, path) SHARC_ARCHIVE_##name,
    SHARC_ARCHIVE_PARTS(X)
#undef X
};
/* "warcs"; relative to the archive. */
const char *sharc_archive_part(enum sharc_archive_part part);
/* "dir/warcs", malloc'ed. */
char *sharc_archive_path(const char *dir, enum sharc_archive_part part) __attribute__((malloc));
/* Make the archive if it is not there, and that directory in it. */
int sharc_archive_make(const char *dir, enum sharc_archive_part part, struct sharc_err *reterr);
/* Whether dir is one: it holds a catalogue, warcs/ or settings. */
bool sharc_archive_is(const char *dir);

/* --- archive files ------------------------------------------------------------------ */

/* How the catalogue calls a file of warcs/: "warcs/a.warc.gz", malloc'ed. */
char *sharc_archive_warc_name(const char *file) __attribute__((malloc));
/* The other way round: "a.warc.gz", inside name. SHARC_SPAN_NONE: it lies elsewhere. */
struct sharc_span sharc_archive_warc_file(struct sharc_span name);
/* How the catalogue calls the file at a path: relative to the archive (which may be NULL) when it lies in it,
 * else the full path without links; malloc'ed. The file must exist. */
int sharc_archive_name(const char *dir, const char *path, char **ret, struct sharc_err *reterr);
/* Where the file is that the catalogue calls so, malloc'ed; of "a.wacz#archive/b.warc.gz" the container. The name of
 * an object when it is not in the directory, and there is a store. */
char *sharc_archive_file(const char *dir, struct sharc_span name) __attribute__((malloc));

/* Paths of the files in warcs/ that are complete archive files (WARC and ARC), or of those that are
 * still ".open": a crawl writes them or was killed. Complete ones may also lie in the object store; those behind the
 * ones that are here. Sorted; release with sharc_names_free. No warcs/: none. */
int sharc_archive_warcs(const char *dir, bool open, char ***ret, size_t *ret_count, struct sharc_err *reterr);
/* Paths of the indexes in index/. */
int sharc_archive_indexes(const char *dir, char ***ret, size_t *ret_count, struct sharc_err *reterr);

/* What somebody means who names a path where archive files are wanted: of an archive its warcs/ and the
 * files elsewhere that its catalogue refers to; anything else is the path itself, as is an archive without files. For
 * sharc_warc_inputs_add and all that takes the same paths. Release with sharc_names_free. */
int sharc_archive_inputs(const char *path, char ***ret, size_t *ret_count, struct sharc_err *reterr);
/* The same for several paths. */
int sharc_archive_inputs_all(const char *const *paths, size_t count, char ***ret, size_t *ret_count,
                             struct sharc_err *reterr);

/* --- settings and catalogue ----------------------------------------------------------- */

/* Where the catalogue is, malloc'ed: `store` (of the command line) when given, else "store:" of sharc.yaml,
 * else catalogue.db in the archive. */
int sharc_archive_store(const char *dir, const char *store, char **ret, struct sharc_err *reterr);
/* Open it; the directory is made when missing, unless o->must_exist. o may be NULL. */
int sharc_archive_open(const char *dir, const char *store, const struct sharc_store_options *o,
                       struct sharc_store **ret, struct sharc_err *reterr);
/* Call fn (may be NULL: only count) for each of the URLs under "sites:" of sharc.yaml; how many there
 * are, 0 when none. What fn finds wrong is told with file, line and column. */
typedef int sharc_archive_site_fn(void *arg, struct sharc_span url, struct sharc_err *reterr);
int sharc_archive_sites(const char *dir, sharc_archive_site_fn *fn, void *arg, struct sharc_err *reterr);
/* An entry may be a map, "url:" and settings of the site: call fn for each of these, the URL first, for a list once
 * with each of its values. What fn finds wrong is told with file, line and column. */
typedef int sharc_archive_setting_fn(void *arg, struct sharc_span url, struct sharc_span name, struct sharc_span value,
                                     struct sharc_err *reterr);
int sharc_archive_site_settings(const char *dir, sharc_archive_setting_fn *fn, void *arg, struct sharc_err *reterr);

/* --- the lock --------------------------------------------------------------------------- */

/* One process at a time writes archive files: a crawl or a watch; or any number of workers do. Whoever replaces the
 * catalogue is alone with it; imports may run beside each other and beside a crawl. The lock is the kernel's and ends
 * with the process, however that ends; the lines in the file only say who holds it:
 *
 *   crawl 4711 2026-01-31T12:00:00.000000Z archive.example.org */
enum sharc_archive_work {
    SHARC_ARCHIVE_CRAWL,
    SHARC_ARCHIVE_WATCH,
    SHARC_ARCHIVE_REBUILD,
    SHARC_ARCHIVE_IMPORT, /* leaves no name */
    SHARC_ARCHIVE_WORKER, /* beside other workers, each to files of its own */
};
const char *sharc_archive_work_name(enum sharc_archive_work work);

struct sharc_archive_holder {
    enum sharc_archive_work work;
    int64_t pid;      /* 0: not known */
    sharc_time since; /* SHARC_TIME_NONE: not known */
    char host[256];   /* the machine it runs on; "": not known */
};
/* Whether somebody holds the lock, and who. Takes no lock itself, writes nothing. */
bool sharc_archive_holder(const char *dir, struct sharc_archive_holder *ret);

/* *ret is closed to release it. SHARC_EBUSY: the message says who has it. The directory must exist. */
int sharc_archive_lock(const char *dir, enum sharc_archive_work work, sharc_time now, int *ret,
                       struct sharc_err *reterr);

SHARC_API_END
#endif
