/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of the room.
 */
#ifndef SHARC_BROWSER_INT_H
#define SHARC_BROWSER_INT_H

#include "sharc/base_buf.h"
#include "sharc/browser.h"

#include <sys/types.h>

/* --- inbox.c: bytes into messages, each ended by a zero byte ------------------------------------- */

struct browser_inbox {
    struct sharc_buf bytes;
    size_t at;       /* where the next message begins */
    size_t searched; /* no zero byte before this */
    bool skipping;   /* in a message that was too large */
    uint64_t dropped;
    struct sharc_arena arena;
};
/* max: bytes of one message. */
void sharc__browser_inbox_init(struct browser_inbox *i, size_t max);
void sharc__browser_inbox_done(struct browser_inbox *i);
/* At most max / 2 bytes; all messages that are there must have been taken. */
void sharc__browser_inbox_put(struct browser_inbox *i, struct sharc_span bytes);

struct browser_message {
    uint64_t id; /* of the command that it answers; 0: an event */
    bool failed;
    struct sharc_span session, method;
    const struct sharc_node *body; /* params, result or error; may be NULL */
    struct sharc_span text;        /* all of it */
};
/* The next whole one; false: there is none. It lives until the next call. An answer that cannot be
 * read is one that failed, so that nobody waits for it. */
bool sharc__browser_inbox_next(struct browser_inbox *i, struct browser_message *ret);

/* --- guard.c: the process that watches -------------------------------------------------------------- */

struct browser_guard {
    pid_t pid;
    int life;      /* closed: it ends everything */
    int status;    /* what the browser ended with can be read here */
    pid_t browser; /* it leads the group of its processes */
};
struct browser_launch {
    const char *program, *directory;
    char *const *arguments, *const *environment;
    bool isolate;
};
struct browser_pipes {
    int commands, messages, errors; /* to it; from it; what it writes for people */
};
int sharc__browser_guard_start(const struct browser_launch *l, struct browser_guard *ret,
                               struct browser_pipes *ret_pipes, bool *ret_isolated, struct sharc_err *reterr);
/* Ends the browser and all its processes, removes the directory, waits for that. */
void sharc__browser_guard_end(struct browser_guard *g, const char *directory);
/* "signal 9", "exit code 1": how the browser ended. False: it has not, or nobody knows. */
bool sharc__browser_guard_why(const struct browser_guard *g, char out[SHARC_TIME_TEXT]);
/* Remove a directory with all that is in it; nothing outside is followed. */
void sharc__browser_remove(const char *directory);

/* --- launch.c: how it is called ------------------------------------------------------------------------ */

/* Arguments and environment, each NULL-terminated and to be freed with sharc__browser_strings_free. */
char **sharc__browser_arguments(const struct sharc_browser_options *o, const char *directory);
char **sharc__browser_environment(const struct sharc_browser_options *o, const char *directory);
void sharc__browser_strings_free(char ***strings);

/* --- sessions.c ------------------------------------------------------------------------------------------- */

struct browser_sessions {
    struct sharc_browser_session **items;
    size_t count, room;
};
void sharc__browser_sessions_done(struct browser_sessions *s);
struct sharc_browser_session *sharc__browser_session(const struct browser_sessions *s, struct sharc_span id);
/* Target.attachedToTarget and Target.detachedFromTarget; false: another event. */
bool sharc__browser_target_event(struct sharc_browser *b, const struct browser_message *m,
                                 struct sharc_browser_session *from);
/* Ask that everything below is attached. */
void sharc__browser_attach_all(struct sharc_browser *b, const struct sharc_browser_session *s);

/* --- browser.c ----------------------------------------------------------------------------------------------- */

struct sharc_browser {
    struct sharc_browser_options o;
    char *directory;
    struct browser_guard guard;
    struct browser_pipes pipes;
    bool isolated, ended;
    struct browser_inbox inbox;
    struct browser_sessions sessions;
    struct sharc_buf out; /* not yet written */
    size_t written;
    size_t begun; /* where the command in the making begins */
    struct sharc_json json;
    uint64_t last;   /* number of the last command */
    char said[2048]; /* the last of what it wrote for people */
    size_t said_count;
    /* the command that is waited for, and its answer */
    uint64_t awaited;
    bool answered, refused;
    struct sharc_buf answer;
    struct sharc_arena answer_arena;
    const struct sharc_node *result;
};
/* Not yet connected to anything: commands pile up in out. */
struct sharc_browser *sharc__browser_new(const struct sharc_browser_options *o);
void sharc__browser_take(struct sharc_browser *b, const struct browser_message *m);
void sharc__browser_tell(struct sharc_browser *b, const struct sharc_browser_event *e);

#endif
