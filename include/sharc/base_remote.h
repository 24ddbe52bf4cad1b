/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that do not lie on this machine: names s3://…, s3+http://…, s3+https://…. base speaks no protocol: the program
 * hands it a table of functions (object.h has one), before it starts threads and once; all that read files then
 * understand such names. Readers of WARC files fetch what they need by range. A map of such a file is made of a
 * copy, in a temporary file without a name, because memory cannot be mapped onto a network.
 */
#ifndef SHARC_BASE_REMOTE_H
#define SHARC_BASE_REMOTE_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

/* By its form alone. */
bool sharc_remote_is(const char *path);

struct sharc_remote_facts {
    uint64_t size;
    int64_t modified;  /* nanoseconds since 1970; 0: not known */
    char version[128]; /* another one when the content is replaced; "": not known */
};
typedef int sharc_remote_list_fn(void *arg, const char *name, const struct sharc_remote_facts *facts,
                                 struct sharc_err *reterr);

/* Each may be called by several threads at once. */
struct sharc_remote_ops {
    /* SHARC_ENOENT: there is none of this name. */
    int (*look)(void *arg, const char *name, struct sharc_remote_facts *ret, struct sharc_err *reterr);
    /* Bytes from … from + n − 1, all there are, of the version that look told of. */
    int (*read)(void *arg, const char *name, const struct sharc_remote_facts *as, uint64_t from, void *out, size_t n,
                struct sharc_err *reterr);
    /* Every file whose name begins so, by its bytes. */
    int (*list)(void *arg, const char *prefix, sharc_remote_list_fn *fn, void *fn_arg, struct sharc_err *reterr);
};
/* temporary: where copies are made; NULL: /tmp. All three must live on. */
void sharc_remote_set(const struct sharc_remote_ops *ops, void *arg, const char *temporary);

/* As above; SHARC_EUNSUPPORTED when no table was set. */
int sharc_remote_look(const char *name, struct sharc_remote_facts *ret, struct sharc_err *reterr);
int sharc_remote_read(const char *name, const struct sharc_remote_facts *as, uint64_t from, void *out, size_t n,
                      struct sharc_err *reterr);
int sharc_remote_list(const char *prefix, sharc_remote_list_fn *fn, void *arg, struct sharc_err *reterr);
/* All of it into a new file without a name; *ret is a descriptor. */
int sharc_remote_copy(const char *name, int *ret, struct sharc_err *reterr);

/* Of a file here or elsewhere: size, time of change. SHARC_ENOENT: it is not there. */
int sharc_file_look(const char *path, struct sharc_remote_facts *ret, struct sharc_err *reterr);
/* Is it there? An unreachable store counts as no. */
bool sharc_file_is_there(const char *path);

SHARC_PRIVATE_END
#endif
