/* SPDX-License-Identifier: Apache-2.0
 *
 * One POST to a server that the user named (a time-stamp authority), and its answer. Not for
 * crawling: it waits, goes to private addresses too, and nothing of it is archived.
 */
#ifndef SHARC_HTTP_POST_H
#define SHARC_HTTP_POST_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"

SHARC_PRIVATE_BEGIN

struct sharc_post {
    const char *url;           /* http or https, without user and password */
    const char *type, *accept; /* media types: of the body, and of the answer that is wanted */
    struct sharc_span body;
    const char *user_agent; /* NULL: "sharc VERSION" */
    const char *proxy;      /* NULL: none, whatever the environment says */
    const char *ca_file;    /* NULL: the system's */
    sharc_time max_time;    /* 0: a minute, for all of it */
};
/* The body of the answer, unpacked, to *ret (cleared first), whose maximum is the most that is taken. Redirects are not
 * followed. SHARC_EINVAL: no such URL; SHARC_ENET: no answer, or one with another status than 200 or another media type
 * than accept; SHARC_ELIMIT: too much. */
int sharc_http_post(const struct sharc_post *p, struct sharc_buf *ret, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
