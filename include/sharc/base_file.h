/* SPDX-License-Identifier: Apache-2.0
 *
 * Files: reading with a bound, mapping, and replacing atomically. Every
 * message names the path.
 */
#ifndef SHARC_BASE_FILE_H
#define SHARC_BASE_FILE_H

#include "sharc/base.h"
#include "sharc/base_buf.h"

SHARC_API_BEGIN

/* Whole file ("-": standard input) into buf (cleared first). Larger than
 * buf->max: SHARC_ELIMIT. */
int sharc_file_read(const char *path, struct sharc_buf *buf, struct sharc_err *reterr);
/* The same, but a gzip file (by magic) is decompressed; buf->max bounds the result. */
int sharc_file_read_any(const char *path, struct sharc_buf *buf, struct sharc_err *reterr);

/* Read-only map of a regular file; an empty file gives an empty span. */
struct sharc__filemap_watch;
struct sharc_filemap {
    struct sharc_span bytes;
    void *base;
    size_t length;
    struct sharc__filemap_watch *watch; /* private */
};
int sharc_filemap_open(struct sharc_filemap *m, const char *path, struct sharc_err *reterr);
/* The same of an open file, which may be closed then; path is for messages. */
int sharc_filemap_open_fd(struct sharc_filemap *m, int fd, const char *path, struct sharc_err *reterr);
void sharc_filemap_done(struct sharc_filemap *m);

/* Who reads what is gone from a mapped file that was shortened is ended by the system (SIGBUS). After this call,
 * which sets a handler for the whole process and all maps, zeros are read instead. */
int sharc_filemap_guard(struct sharc_err *reterr);
/* Does the map still hold what it held? Ask behind reading: false means that zeros may have been read. */
bool sharc_filemap_intact(const struct sharc_filemap *m);

/* Replace path by bytes: written beside it, synced, renamed, directory synced.
 * After a crash the path holds the old or the new content, never a mixture. */
int sharc_file_replace(const char *path, struct sharc_span bytes, struct sharc_err *reterr);

/* The same in pieces. Nothing is visible under path before commit; done()
 * without commit leaves nothing. Until commit the file has no name, so that a
 * process that is killed leaves nothing either; where the file system cannot do
 * that it is called <path>.new-<8 hex digits>. What is no regular file (a device, a pipe) is written to, and never
 * replaced. */
struct sharc_atomic_file {
    int fd;
    bool direct;            /* path is a device or a pipe */
    char *path, *temporary; /* temporary: NULL while the file has no name */
    struct sharc_buf pending;
};
int sharc_atomic_open(struct sharc_atomic_file *f, const char *path, struct sharc_err *reterr);
int sharc_atomic_write(struct sharc_atomic_file *f, struct sharc_span bytes, struct sharc_err *reterr);
int sharc_atomic_commit(struct sharc_atomic_file *f, struct sharc_err *reterr);
void sharc_atomic_done(struct sharc_atomic_file *f);

/* mkdir -p. */
int sharc_dir_make(const char *path, struct sharc_err *reterr);
/* Names in a directory (no . and ..), sorted bytewise; each and the array are
 * malloc'ed: free with sharc_names_free. */
int sharc_dir_list(const char *path, char ***ret_names, size_t *ret_count, struct sharc_err *reterr);
void sharc_names_free(char **names, size_t count);
/* "dir/name", malloc'ed. */
char *sharc_path_join(const char *dir, const char *name) __attribute__((malloc));
/* What stands behind the last slash, inside path; all of it when there is none. */
const char *sharc_path_last(const char *path);
/* What stands in front of it, malloc'ed: "." when there is none, "/" for "/name". */
char *sharc_path_parent(const char *path) __attribute__((malloc));

SHARC_API_END
#endif
