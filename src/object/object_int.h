/* SPDX-License-Identifier: Apache-2.0
 *
 * The room from the inside:
 *
 *   name.c       names, and the addresses they stand for
 *   request.c    one request: signed, sent, sent again
 *   fault.c      what an answer that refuses means
 *   answer.c     answers in XML
 *   objects.c    head, get, put, delete, list
 *   uploads.c    uploads in parts
 *   put_file.c   a whole file
 *   remote.c     objects as files that lie elsewhere
 *   outbox*.c    files that go into the store while they are written; outbox_int.h
 */
#ifndef SHARC_OBJECT_INT_H
#define SHARC_OBJECT_INT_H

#include "sharc/object.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum {
    ANSWER_MOST = 16 << 20, /* a page of a listing: 1000 keys of 1024 bytes, escaped */
    TEXT_MOST = 8 << 10,    /* one element */
};

struct sharc_object_store {
    char *access_key, *secret_key, *session_token, *region, *endpoint, *ca_file;
    bool virtual_hosts;
    sharc_time patience;
    unsigned page;
    struct sharc_clock *clock;
    void (*waits)(void *arg, const char *why);
    void *waits_arg;
    volatile bool broken_off;
    pthread_mutex_t lock; /* guards the handles */
    void **idle;          /* CURL *, that nobody uses now */
    size_t idle_count, idle_room;
};

/* --- names ---------------------------------------------------------------- */

/* Letters, digits and -_.~ stay, and / unless it is a value of a query. */
void sharc__object_escape(struct sharc_buf *out, struct sharc_span s, bool slash);
/* The URL of the object, without a query. */
void sharc__object_url(const struct sharc_object_store *s, const struct sharc_object_name *n, struct sharc_buf *out);
/* The same name with another key. */
char *sharc__object_rename(const struct sharc_object_name *n, struct sharc_span key);

/* --- requests --------------------------------------------------------------- */

enum method { GET, HEAD, PUT, POST, DELETE_ };

struct request {
    enum method method;
    const struct sharc_object_name *name;
    const char *query;   /* sorted and escaped, or NULL */
    const char *type;    /* of the body */
    const char *more[4]; /* further header lines, for the signature too; up to NULL */
    struct sharc_object_body body;
    struct sharc_buf *out; /* the answer's body when it succeeds; NULL: none is wanted */
};

struct answer {
    long status;
    struct sharc_object_facts facts;
    sharc_time date, retry_after;
    bool checksums;
    char bucket_region[64];
    struct sharc_buf text; /* of one that refuses */
};

/* 0: the status is 2xx. */
int sharc__object_send(struct sharc_object_store *s, const struct request *q, struct answer *a,
                       struct sharc_err *reterr);
void sharc__object_answer_done(struct answer *a);
void sharc__object_sha256(const struct sharc_object_body *body, uint8_t ret[32]);

/* --- faults ------------------------------------------------------------------- */

/* What is said of an answer that is not 2xx. */
int sharc__object_fault(const struct sharc_object_store *s, const struct request *q, const struct answer *a,
                        struct sharc_err *reterr);
bool sharc__object_may_pass(const struct answer *a);

/* --- answers --------------------------------------------------------------------- */

/* Called at the end of each element: its parent's name, its own, and its text when nothing is nested in it. */
typedef int element_fn(void *arg, struct sharc_span parent, struct sharc_span name, struct sharc_span text);
/* SHARC_ESYNTAX: not XML, or cut. A negative result of fn ends it. */
int sharc__object_read_xml(struct sharc_span xml, element_fn *fn, void *arg);
/* The text of the first element of this name; false: there is none, or it does not fit. */
bool sharc__object_element(struct sharc_span xml, const char *name, char *ret, size_t room);
/* Text as a string; empty when it does not fit or has a NUL in it. */
static inline void sharc__object_put_text(char *out, size_t room, struct sharc_span text)
{
    const bool fits = text.n < room && !memchr(text.p, 0, text.n);
    snprintf(out, room, "%.*s", fits ? (int)text.n : 0, text.p);
}
/* For the fuzzer: how many objects, parts, uploads are listed. */
size_t sharc__object_count_listed(struct sharc_span xml);
size_t sharc__object_count_parts(struct sharc_span xml);
size_t sharc__object_count_uploads(struct sharc_span xml);
void sharc__object_set_etag(char etag[SHARC_OBJECT_ETAG], struct sharc_span value);

#endif
