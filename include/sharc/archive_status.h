/* SPDX-License-Identifier: Apache-2.0
 *
 * What an archive holds, what runs on it now, and what is unfinished. Reads only: neither the lock nor the
 * catalogue is touched, so that it may be asked at any time.
 */
#ifndef SHARC_ARCHIVE_STATUS_H
#define SHARC_ARCHIVE_STATUS_H

#include "sharc/archive.h"
#include "sharc/base_json.h"

SHARC_PRIVATE_BEGIN

struct sharc_archive_capture {
    char *key, *site, *strategy, *purpose, *source; /* as in struct sharc_store_capture; "" when unknown */
    enum sharc_capture_state state;
    sharc_time start, end, last;             /* last: of the newest download; SHARC_TIME_NONE: none */
    sharc_time reference_from, reference_to; /* when its proved pages existed together; SHARC_TIME_NONE: none */
    enum sharc_store_grader grader;          /* by whose word */
    uint64_t pages, failed, revisited;
    bool controls;   /* visits and revisits are made, and control downloads are */
    bool running;    /* the crawl that holds the lock has worked on it */
    bool unfinished; /* nobody works on it, as far as can be told */
    char *weakened;  /* the settings that weaken what it proves; NULL: none */
    char *resume;    /* of an unfinished one: the command that goes on with it; NULL otherwise */
};

struct sharc_archive_files {
    uint64_t count, bytes;
};

enum sharc_archive_index {
    SHARC_ARCHIVE_INDEX_NONE,    /* there is none */
    SHARC_ARCHIVE_INDEX_CURRENT, /* it knows every file with the size that it has now */
    SHARC_ARCHIVE_INDEX_BEHIND,  /* it does not */
    SHARC_ARCHIVE_INDEX_UNKNOWN, /* nothing beside it says of which files it was made */
};

/* What a running crawl last wrote into its progress log; every 20 s. */
struct sharc_archive_progress {
    bool known;
    sharc_time when;
    uint64_t discovered, queued, downloads, failed;
};

struct sharc_archive_status {
    char *catalogue;        /* where it is, without any password; NULL: there is none */
    struct sharc_err error; /* why it could not be read; code 0: it was */
    uint64_t sites;
    uint64_t running, unfinished;               /* captures */
    uint64_t watches;                           /* captures that are watches of a site */
    uint64_t states[SHARC_CAPTURE_STATE_COUNT]; /* the others */
    uint64_t pages, failed;                     /* of all captures */
    struct sharc_archive_capture *captures;     /* newest first */
    size_t count, room;
    struct sharc_archive_files files;     /* in warcs/, complete */
    struct sharc_archive_files open;      /* in warcs/, "….open" */
    struct sharc_archive_files elsewhere; /* that the catalogue refers to */
    enum sharc_archive_index index;
    uint64_t index_behind; /* files */
    bool held;
    struct sharc_archive_holder holder; /* when held */
    struct sharc_archive_progress progress;
};
void sharc_archive_status_done(struct sharc_archive_status *s);

/* Zeroed storage in; SHARC_ENOENT when dir is not an archive. An unreadable catalogue is not a failure: see error. */
int sharc_archive_status(const char *dir, const char *store, struct sharc_archive_status *ret,
                         struct sharc_err *reterr);
/* "name": the files of all three kinds, and their bytes. */
void sharc_archive_status_put_files(struct sharc_json *j, const char *name, const struct sharc_archive_status *s);

SHARC_PRIVATE_END
#endif
