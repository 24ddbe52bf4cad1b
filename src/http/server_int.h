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

/* What a request has of the turns (server_turns.c). */
struct sharc__http_waiter {
    enum { NO_TURN, ITS_TURN, WAITS_FOR_TURN, TURN_REFUSED } turn;
    /* These and `turn` are guarded by the lock of the turns while it waits. */
    struct MHD_Connection *connection;
    int fd;
    struct sharc__http_waiter *next;
    int nudge; /* eventfd of whoever runs the connection */
};

struct sharc__http_turns {
    pthread_mutex_t lock; /* guards what follows */
    bool stopping;        /* nobody waits any more */
    unsigned taken, most;
    unsigned waiting, most_waiting; /* in the list, or on their way to it */
    struct sharc__http_waiter *first, **end;
};
void sharc__http_turns_init(struct sharc__http_turns *t, unsigned most, unsigned most_waiting);
void sharc__http_turns_done(struct sharc__http_turns *t);
/* Behind a handler that was told to return: the connection sleeps. False: it is this one's turn, or was refused; ask
 * the handler again at once. */
bool sharc__http_turns_wait(struct sharc__http_turns *t, struct sharc__http_waiter *w,
                            struct MHD_Connection *connection);
/* The request is answered, or its connection has gone. If it had a turn, that is the next one's. */
void sharc__http_turns_end(struct sharc__http_turns *t, struct sharc__http_waiter *w);
/* Refuse all that wait, and whoever comes. */
void sharc__http_turns_stop(struct sharc__http_turns *t);

struct sharc_http_answer {
    struct sharc__http_turns *turns;
    struct sharc__http_waiter *waiter;
    bool postponed; /* nothing is to be sent */
    bool to_head;   /* the request is a HEAD */
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
