/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings that change while a capture runs: what can be changed, and what was. Wishes
 * come by the box of the archive (archive_box.h); steer.c puts a change into effect; this
 * part only reads and remembers. Also what the settings say of single sites (own_settings.c).
 */
#ifndef SHARC_CRAWL_STEERING_INT_H
#define SHARC_CRAWL_STEERING_INT_H

#include "context.h"
#include "journal.h"
#include "sharc/archive_box.h"
#include "sharc/base_map.h"

#include <stdatomic.h>

enum { SETTING_MOST = SHARC_BOX_WISH }; /* bytes */

/* What the settings say of one site: "delay=10s". */
struct own {
    char **settings;
    size_t count, room;
};
struct own_settings {
    struct sharc_intern *sites; /* names; NULL: nothing is said of any */
    struct own *own;            /* by their numbers */
    size_t room;
};

struct steering {
    struct change *changes; /* while running or before a kill; in order */
    size_t count, room;
    struct sharc_crawl_pace read_pace; /* as it was read last, before changes */
    struct own_settings own;           /* as they were read last */
    bool new_rules;                    /* of the scope: they came while running */
    atomic_bool reread;                /* somebody wants the settings read again */
};
void sharc__crawl_steering_init(struct steering *s, const struct sharc_crawl_pace *pace);
void sharc__crawl_steering_done(struct steering *s); /* but for own */

/* What a setting changes; rule is the caller's buffer. */
struct meaning {
    struct sharc_crawl_pace pace;
    char sign; /* of the rule, '+' or '-'; 0: there is none */
    struct sharc_buf rule;
    struct sharc_span name;
    bool limits;         /* it may let in what was turned down, or end what was let in */
    int64_t base, value; /* as it was read, and is now; 0 for a rule */
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

/* --- own_settings.c --------------------------------------------------------------- */

int sharc__crawl_own_add(struct steering *s, struct sharc_span site, struct sharc_span setting,
                         struct sharc_err *reterr);
/* Of the site of that name; NULL: nothing. */
const struct own *sharc__crawl_own_of(const struct own_settings *o, struct sharc_span site);
/* The value that it has for a name: "delay=10s"; NULL: none. own may be NULL. */
const char *sharc__crawl_own_value(const struct own *own, struct sharc_span name);
/* Its rules, to a scope: limits and includes, then excludes. */
int sharc__crawl_own_rules(const struct own *own, struct sharc_scope *scope, struct sharc_err *reterr);
bool sharc__crawl_own_same(const struct own *a, const struct own *b); /* both may be NULL */
/* They are going to be read again: what there is now, to be compared and released. Or: that failed. */
struct own_settings sharc__crawl_own_renew(struct steering *s);
void sharc__crawl_own_restore(struct steering *s, struct own_settings before);
void sharc__crawl_own_done(struct own_settings *o);
/* Put the value of a setting into a pace; a rule changes nothing. */
void sharc__crawl_setting_put(struct sharc_span setting, struct sharc_crawl_pace *pace);
/* Of the i-th that is a value of the pace, of sharc__crawl_setting_count(). */
const char *sharc__crawl_setting_name(size_t i);

/* --- reading again -------------------------------------------------------------------- */

/* Somebody wants the settings read again; from any thread and from signal handlers. Then: does anybody? */
void sharc__crawl_ask_reread(struct steering *s);
bool sharc__crawl_take_reread(struct steering *s);
#endif
