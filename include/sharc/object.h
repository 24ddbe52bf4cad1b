/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects in a store that speaks S3: put, get by range, list, and uploads in parts. Names are
 *
 *   s3://BUCKET/KEY                               at the store that the options name, or Amazon's
 *   s3+https://[REGION@]HOST[:PORT]/BUCKET/KEY    at this one (s3+http: without TLS)
 *
 * Requests are signed by libcurl (AWS signature, version 4), and each body is named by its SHA-256, so that the
 * store refuses what arrives damaged. A request that fails for a reason that may pass (no connection, 429, 5xx) is
 * sent again after a pause that doubles, or as Retry-After says, as long as the patience lasts; then SHARC_ENET.
 * Answers are bounded, whatever the store sends. No message quotes a secret.
 *
 * A store may be used by several threads at once.
 */
#ifndef SHARC_OBJECT_H
#define SHARC_OBJECT_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"

SHARC_PRIVATE_BEGIN

/* --- names --------------------------------------------------------------- */

struct sharc_object_name {
    char *text;     /* as it was given */
    char *endpoint; /* "https://host:port", or NULL */
    char *region;   /* or NULL */
    char *bucket;
    char *key; /* "": the bucket itself */
};
void sharc_object_name_done(struct sharc_object_name *n);
int sharc_object_name_parse(const char *text, struct sharc_object_name *ret, struct sharc_err *reterr);

/* --- the store ----------------------------------------------------------- */

struct sharc_object_options {
    const char *access_key, *secret_key; /* NULL: requests are not signed, as for public buckets */
    const char *session_token;           /* of credentials for a while; NULL: none */
    const char *region;                  /* NULL: us-east-1 */
    const char *endpoint;                /* "http(s)://HOST[:PORT]" for names s3://; NULL: Amazon's of the region */
    bool virtual_hosts;        /* with an endpoint: the bucket is a part of the host's name, not of the path */
    const char *ca_file;       /* NULL: the system's */
    sharc_time patience;       /* how long a request is tried again; 0: a minute */
    struct sharc_clock *clock; /* NULL: the real one */
    unsigned page;             /* of a list: how many are asked for at once; 0: 1000 */
    /* Called once for a request that has brought nothing for some seconds, with why, from its thread; NULL: never. */
    void (*waits)(void *arg, const char *why);
    void *waits_arg;
};
struct sharc_object_store;
int sharc_object_store_new(const struct sharc_object_options *o, struct sharc_object_store **ret,
                           struct sharc_err *reterr);
void sharc_object_store_free(struct sharc_object_store *s);
void sharc_object_store_freep(struct sharc_object_store **s);
/* Another one with the same options, for somebody who may break it off alone; he says himself that he waits. */
struct sharc_object_store *sharc_object_store_clone(const struct sharc_object_store *s);
/* From any thread: requests under way and all later ones fail at once, with SHARC_ENET. */
void sharc_object_store_break_off(struct sharc_object_store *s);

/* --- objects -------------------------------------------------------------- */

/* SHARC_ENOENT: no such object, bucket or upload; SHARC_EACCESS: refused, with what seems wrong (keys, clock);
 * SHARC_ECONFIG: another region or endpoint; SHARC_ENET: the store could not be reached or did not serve in time. */

#define SHARC_OBJECT_ETAG 128
struct sharc_object_facts {
    uint64_t size;
    sharc_time modified;          /* SHARC_TIME_NONE: not told */
    char etag[SHARC_OBJECT_ETAG]; /* without its quotes; "": not told */
};
int sharc_object_head(struct sharc_object_store *s, const char *name, struct sharc_object_facts *ret,
                      struct sharc_err *reterr);

/* Bytes from … from + n − 1, all of them, to out. as: what head said: SHARC_ECORRUPT when the object was replaced
 * since; or NULL. */
int sharc_object_get(struct sharc_object_store *s, const char *name, const struct sharc_object_facts *as, uint64_t from,
                     void *out, size_t n, struct sharc_err *reterr);

/* What is sent: bytes, or with fd >= 0 a part of a file, which must stay as it is. */
struct sharc_object_body {
    struct sharc_span bytes;
    int fd; /* -1: bytes */
    uint64_t at, size;
};
#define SHARC_OBJECT_BODY(span) ((struct sharc_object_body){.bytes = (span), .fd = -1})
/* Replaces what has the name. type: its media type. *ret may be NULL. */
int sharc_object_put(struct sharc_object_store *s, const char *name, const struct sharc_object_body *body,
                     const char *type, struct sharc_object_facts *ret, struct sharc_err *reterr);
/* Not there: no error. */
int sharc_object_delete(struct sharc_object_store *s, const char *name, struct sharc_err *reterr);

/* Every object whose key begins with that of prefix, in the order of the keys. name: the object's, in the form that
 * prefix has. A negative result of fn ends the walk and is returned. */
typedef int sharc_object_list_fn(void *arg, const char *name, const struct sharc_object_facts *facts,
                                 struct sharc_err *reterr);
int sharc_object_list(struct sharc_object_store *s, const char *prefix, sharc_object_list_fn *fn, void *arg,
                      struct sharc_err *reterr);

/* --- uploads in parts ------------------------------------------------------- */

#define SHARC_OBJECT_PART_MIN ((uint64_t)5 << 20) /* of every part but the last */
#define SHARC_OBJECT_PARTS 10000u                 /* of one object at most; their numbers begin with 1 */
#define SHARC_OBJECT_UPLOAD_ID 1024

struct sharc_object_upload {
    char id[SHARC_OBJECT_UPLOAD_ID];
    bool checksums; /* the store keeps a SHA-256 of each part */
};
struct sharc_object_part {
    unsigned number;
    uint64_t size;
    char etag[SHARC_OBJECT_ETAG];
    char sha256[48]; /* base64; "": not kept */
};
int sharc_object_upload_begin(struct sharc_object_store *s, const char *name, const char *type,
                              struct sharc_object_upload *ret, struct sharc_err *reterr);
int sharc_object_upload_part(struct sharc_object_store *s, const char *name, const struct sharc_object_upload *u,
                             unsigned number, const struct sharc_object_body *body, struct sharc_object_part *ret,
                             struct sharc_err *reterr);
/* Those that the store has, by number; *ret is malloc'ed. SHARC_ENOENT: it does not know the upload. */
int sharc_object_upload_parts(struct sharc_object_store *s, const char *name, const struct sharc_object_upload *u,
                              struct sharc_object_part **ret, size_t *ret_count, struct sharc_err *reterr);
/* From now on the object is there, as a whole. SHARC_ENOENT: the store does not know the upload, perhaps because an
 * answer to this very request was lost: ask head. */
int sharc_object_upload_complete(struct sharc_object_store *s, const char *name, const struct sharc_object_upload *u,
                                 const struct sharc_object_part *parts, size_t count, struct sharc_err *reterr);
/* The store forgets the parts. Unknown: no error. Never of an upload that may be complete: some stores (Swift)
 * would delete the parts of the object, too. */
int sharc_object_upload_abort(struct sharc_object_store *s, const char *name, const struct sharc_object_upload *u,
                              struct sharc_err *reterr);
/* Uploads under way of objects whose keys begin with that of prefix. */
typedef int sharc_object_uploads_fn(void *arg, const char *name, const struct sharc_object_upload *u, sharc_time begun,
                                    struct sharc_err *reterr);
int sharc_object_uploads(struct sharc_object_store *s, const char *prefix, sharc_object_uploads_fn *fn, void *arg,
                         struct sharc_err *reterr);

/* The ETag that S3 gives to an object made of these parts, when theirs are MD5s; "" when they are not. */
void sharc_object_parts_etag(const struct sharc_object_part *parts, size_t count, char ret[SHARC_OBJECT_ETAG]);

/* --- answers, for the fuzzer -------------------------------------------------- */

/* Reads any answer of a store; for tests. How many things it listed. */
size_t sharc_object_read_answer(struct sharc_span xml);

SHARC_PRIVATE_END
#endif
