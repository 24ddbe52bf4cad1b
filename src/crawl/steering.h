/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings that change while a capture runs: what can be changed, what was, and the box
 * in the archive into which others drop a wish (a file each). steer.c puts a change
 * into effect; this part only reads and remembers.
 */
#ifndef SHARC_CRAWL_STEERING_INT_H
#define SHARC_CRAWL_STEERING_INT_H

#include "context.h"
#include "journal.h"

#include <stdatomic.h>

enum { SETTING_MOST = 8192 }; /* bytes */

struct steering {
    struct change *changes; /* while running or before a kill; in order */
    size_t count, room;
    struct sharc_crawl_pace read_pace; /* as it was read last, before changes */
    bool new_rules;                    /* of the scope: they came while running */
    atomic_bool reread;                /* somebody wants the settings read again */
};
void sharc__crawl_steering_init(struct steering *s, const struct sharc_crawl_pace *pace);
void sharc__crawl_steering_done(struct steering *s);

/* What a setting changes; rule is the caller's buffer. */
struct meaning {
    struct sharc_crawl_pace pace;
    char sign; /* of the rule, '+' or '-'; 0: there is none */
    struct sharc_buf rule;
    bool limits; /* it may let in what was turned down, or end what was let in */
    int64_t base;
};
/* ret->pace (as it is now) and ret->rule are the caller's; read_pace: what was read before changes. */
int sharc__crawl_setting(struct sharc_span setting, const struct sharc_crawl_pace *read_pace, struct meaning *ret,
                         struct sharc_err *reterr);
/* How the pace that is read now differs from the one before, as settings "delay=5s": the
 * text of the i-th of those that can be changed; false when it is the same. */
size_t sharc__crawl_setting_count(void);
bool sharc__crawl_setting_changed(size_t i, const struct sharc_crawl_pace *before, const struct sharc_crawl_pace *now,
                                  struct sharc_buf *out);

/* Remember a change that has been made. */
const struct change *sharc__crawl_steering_add(struct steering *s, sharc_time when, int64_t base,
                                               struct sharc_span text);
bool sharc__crawl_steering_has(const struct steering *s, sharc_time when, struct sharc_span text);
/* The settings were read again: the pace before. */
struct sharc_crawl_pace sharc__crawl_steering_reread(struct steering *s, const struct sharc_crawl_pace *now);
/* Rules of the scope have changed: what was let in is asked again when its turn comes. */
void sharc__crawl_steering_new_rules(struct steering *s);
/* Rules of all changes, to a scope. */
int sharc__crawl_steering_rules(const struct steering *s, const struct context *c, struct sharc_scope *scope,
                                struct sharc_err *reterr);

/* --- the box -------------------------------------------------------------------------- */

/* Somebody wants the settings read again; from any thread and from signal handlers. Then: does anybody? */
void sharc__crawl_ask_reread(struct steering *s);
bool sharc__crawl_take_reread(struct steering *s);
/* What was meant for a crawl that is over. */
void sharc__crawl_box_clear(const char *archive);
/* Every wish in the box, in order; they stay there until they are removed. */
struct box {
    char *dir;
    char **names;
    size_t count;
};
/* False: nothing is there. */
bool sharc__crawl_box_open(const char *archive, struct box *ret);
/* The text of the i-th; false: it is none. */
bool sharc__crawl_box_read(const struct box *b, size_t i, struct sharc_buf *out);
void sharc__crawl_box_remove(const struct box *b, size_t i);
void sharc__crawl_box_done(struct box *b);

#endif
