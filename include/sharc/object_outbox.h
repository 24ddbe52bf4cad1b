/* SPDX-License-Identifier: Apache-2.0
 *
 * The outbox: a directory whose files go into a store while somebody else writes them. The writer says how far a
 * file is safe (its bytes up to there are on the disk and will never change); what is safe is uploaded in parts by
 * a thread of the outbox. A part ends where the writer said that the file was safe, so that it holds whole records.
 *
 * PROMISES; tests/object/test_outbox.c proves them by killing at every step.
 *  (1) The object appears as a whole, when the file is closed (no ".open" behind its name) and safe to its end.
 *  (2) The file here is removed after that alone: when the store has said that the object is complete, and then
 *      tells the size that the file has.
 *  (3) Killed at any instant, the next outbox of the directory goes on: nothing is lost, and no object is doubled.
 *      What it needs to know is in FILE.upload beside the file: the upload's name, its parts with ETag and size, and
 *      where parts end. Parts are believed when the store lists them alike, all others are sent again.
 *  (4) An object of the same name with other bytes is never replaced.
 *  (5) Of the file nothing but its first `safe` bytes is read.
 *
 * A store that cannot be reached or refuses is asked again and again; the files wait here meanwhile.
 */
#ifndef SHARC_OBJECT_OUTBOX_H
#define SHARC_OBJECT_OUTBOX_H

#include "sharc/object.h"

SHARC_PRIVATE_BEGIN

#define SHARC_OUTBOX_SUFFIX ".upload"
#define SHARC_OUTBOX_PART ((uint64_t)8 << 20)

struct sharc_outbox_options {
    struct sharc_object_store *store;
    const char *dir;     /* where the files are */
    const char *to;      /* what stands in front of their names in the store: "s3://bucket/prefix/warcs/" */
    uint64_t part;       /* a part has at least so many bytes, but for the last; 0: SHARC_OUTBOX_PART */
    bool alone;          /* only files that it is told of: others bring their own ones from the same directory */
    sharc_time patience; /* between two tries when the store is away; 0: 5 s */
    int killed_at;       /* for tests: the process ends at this step, as if killed; 0: never */
};
struct sharc_outbox;
/* Also takes up what an earlier one left in the directory. Asks the store for something first, so that a wrong key or
 * bucket is told at once. */
int sharc_outbox_open(const struct sharc_outbox_options *o, struct sharc_outbox **ret, struct sharc_err *reterr);
/* Ends its thread; a request under way is broken off. */
void sharc_outbox_free(struct sharc_outbox *b);
/* Its files are somebody else's now: the thread ends, and uploads that it has not asked the store to complete are
 * aborted. Frees it. */
void sharc_outbox_abandon(struct sharc_outbox *b);

/* The first `safe` bytes of the file are. To be said again when the file has been closed since: true when it is, and
 * the outbox has all it needs to know. */
bool sharc_outbox_follow(struct sharc_outbox *b, const char *file, uint64_t safe);

struct sharc_outbox_status {
    uint64_t files, bytes;           /* that are here: followed, and not yet removed */
    uint64_t closed;                 /* of the files: only the store keeps them from being removed */
    uint64_t sent_files, sent_bytes; /* that this outbox has brought into the store */
    struct sharc_err err;            /* why the store does not take them now; code 0: it does */
};
void sharc_outbox_status(struct sharc_outbox *b, struct sharc_outbox_status *ret);

/* Until all closed files are in the store, or *stop, or the store refuses for a reason that waiting does not mend.
 * `told` is called when the reason to wait changes, and with NULL when the store is back. SHARC_EINTR: stopped. */
typedef void sharc_outbox_told_fn(void *arg, const struct sharc_err *why);
int sharc_outbox_flush(struct sharc_outbox *b, const volatile bool *stop, sharc_outbox_told_fn *told, void *arg,
                       struct sharc_err *reterr);

/* A whole file, which replaces what has the name: in one piece, or when it is large in parts. */
int sharc_object_put_file(struct sharc_object_store *s, const char *name, const char *path, const char *type,
                          struct sharc_err *reterr);
/* The media type by the end of its name. */
const char *sharc_object_type_of(const char *file);

SHARC_PRIVATE_END
#endif
