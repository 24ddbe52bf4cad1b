/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns: what only so many requests may do at a time. A turn that ends is handed to the one that has waited longest, so
 * that nobody who comes later takes it away from them; while one is free, nobody waits.
 *
 *  NO_TURN --asks, one is free--> ITS_TURN --answered, or gone--> NO_TURN
 *     |                              ^
 *     +--asks--> WAITS_FOR_TURN -----+--pushed out, or the server stops--> TURN_REFUSED --asked again--> NO_TURN
 *
 * A connection that waits is suspended: the library neither reads from it nor notices that its client has gone.
 */
#include "server_int.h"

#include <poll.h>
#include <sys/eventfd.h>

void sharc__http_turns_init(struct sharc__http_turns *t, unsigned most, unsigned most_waiting)
{
    *t = (struct sharc__http_turns){.most = most, .most_waiting = most_waiting, .end = &t->first};
    pthread_mutex_init(&t->lock, NULL);
}

void sharc__http_turns_done(struct sharc__http_turns *t)
{
    pthread_mutex_destroy(&t->lock);
}

/* Has its client closed, or at least its half of the connection? What it has sent is read already. */
static bool is_closing(const struct sharc__http_waiter *w)
{
    struct pollfd p = {.fd = w->fd, .events = POLLRDHUP};
    return poll(&p, 1, 0) > 0;
}

/* The first whose client is closing, or NULL. */
static struct sharc__http_waiter **first_closing(struct sharc__http_turns *t)
{
    for (struct sharc__http_waiter **at = &t->first; *at; at = &(*at)->next)
        if (is_closing(*at)) return at;
    return NULL;
}

static struct sharc__http_waiter **first_open(struct sharc__http_turns *t)
{
    for (struct sharc__http_waiter **at = &t->first; *at; at = &(*at)->next)
        if (!is_closing(*at)) return at;
    return &t->first;
}

/* Whoever is woken may be gone before this returns. */
static void wake(struct sharc__http_turns *t, struct sharc__http_waiter **at, bool has_turn)
{
    struct sharc__http_waiter *w = *at;
    int nudge = w->nudge;
    *at = w->next;
    if (!*at) t->end = at;
    t->waiting--;
    w->turn = has_turn ? ITS_TURN : TURN_REFUSED;
    MHD_resume_connection(w->connection);
    eventfd_write(nudge, 1);
}

static bool take(struct sharc__http_turns *t, struct sharc__http_waiter *w)
{
    if (t->taken == t->most) return false;
    t->taken++;
    w->turn = ITS_TURN;
    return true;
}

static enum sharc_http_turn ask(struct sharc__http_turns *t, struct sharc__http_waiter *w)
{
    if (w->turn == ITS_TURN) return SHARC_HTTP_TURN_NOW; /* it was handed over */
    bool refused = w->turn == TURN_REFUSED || t->stopping;
    w->turn = NO_TURN;
    if (refused) return SHARC_HTTP_TURN_REFUSED;
    if (take(t, w)) return SHARC_HTTP_TURN_NOW;
    struct sharc__http_waiter **closing = t->waiting < t->most_waiting ? NULL : first_closing(t);
    if (closing) wake(t, closing, false);
    if (t->waiting >= t->most_waiting) return SHARC_HTTP_TURN_REFUSED;
    t->waiting++;
    return SHARC_HTTP_TURN_LATER;
}

enum sharc_http_turn sharc_http_answer_turn(struct sharc_http_answer *a)
{
    pthread_mutex_lock(&a->turns->lock);
    enum sharc_http_turn r = ask(a->turns, a->waiter);
    pthread_mutex_unlock(&a->turns->lock);
    a->postponed = r == SHARC_HTTP_TURN_LATER;
    return r;
}

bool sharc__http_turns_wait(struct sharc__http_turns *t, struct sharc__http_waiter *w,
                            struct MHD_Connection *connection)
{
    pthread_mutex_lock(&t->lock);
    bool waits = !t->stopping && !take(t, w);
    if (waits) {
        w->turn = WAITS_FOR_TURN;
        w->connection = connection;
        w->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        w->next = NULL;
        *t->end = w;
        t->end = &w->next;
        MHD_suspend_connection(connection);
    } else {
        t->waiting--;
    }
    pthread_mutex_unlock(&t->lock);
    return waits;
}

void sharc__http_turns_end(struct sharc__http_turns *t, struct sharc__http_waiter *w)
{
    pthread_mutex_lock(&t->lock);
    bool had = w->turn == ITS_TURN;
    w->turn = NO_TURN;
    if (had && t->first)
        wake(t, first_open(t), true);
    else if (had)
        t->taken--;
    pthread_mutex_unlock(&t->lock);
}

void sharc__http_turns_stop(struct sharc__http_turns *t)
{
    pthread_mutex_lock(&t->lock);
    t->stopping = true;
    while (t->first) wake(t, &t->first, false);
    pthread_mutex_unlock(&t->lock);
}
