/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of the server: what an answer holds until it is sent.
 */
#ifndef SHARC_HTTP_SERVER_INT_H
#define SHARC_HTTP_SERVER_INT_H

#include "sharc/http_server.h"

#include <microhttpd.h>
#include <pthread.h>

/* Streams of a server that sleep. */
struct sharc__http_sleepers {
    pthread_mutex_t lock; /* guards this and the streams' asleep, woken, next, back */
    bool stopping;        /* nobody falls asleep any more */
    struct sharc_http_stream *first;
};
/* Wake all of them for the last time. */
void sharc__http_wake_all(struct sharc__http_sleepers *sleepers);

/* Requests that were put aside. */
struct sharc__http_waiting {
    pthread_mutex_t lock; /* guards this, and the requests while they are in the list */
    bool stopping;        /* nobody is put aside any more */
    unsigned count, most; /* in the list, or on their way to it */
    uint64_t turns;       /* how often all were asked again */
    struct sharc__http_exchange *first;
};

struct sharc_http_answer {
    struct sharc__http_waiting *waiting;
    bool postponed;
    struct sharc__http_sleepers *sleepers;
    struct sharc_http_stream *stream; /* the body, when it is one */
    int nudge;                        /* eventfd of whoever runs the connection */
    int status;
    struct MHD_Response *response; /* the body as far as it was given; NULL: none */
    struct sharc__http_pair {
        char *name, *value;
    } * fields;
    size_t count, room;
};

void sharc__http_answer_done(struct sharc_http_answer *a);
/* Hands the answer to the connection. */
enum MHD_Result sharc__http_answer_send(struct sharc_http_answer *a, struct MHD_Connection *connection);

#endif
