/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings changed while a capture runs: who wants a change drops a file into
 * the archive, the crawl takes it up, writes it into the journal of every capture
 * it concerns, and removes the file when that is committed. "reload", or a signal,
 * has the settings read again where they came from; what has changed there is taken
 * up the same way.
 */
#include "crawl_int.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { SETTING_MOST = 8192 };

/* --- what can be changed --------------------------------------------------------------- */

struct setting {
    const char *name;
    int (*read)(struct sharc_span value, struct sharc_crawl_pace *pace, struct sharc_err *reterr);
    int64_t (*get)(const struct sharc_crawl_pace *pace);
    bool time, limits;
};

static int read_delay(struct sharc_span v, struct sharc_crawl_pace *p, struct sharc_err *reterr)
{
    return sharc_duration_parse(v, &p->delay, reterr);
}

static int64_t get_delay(const struct sharc_crawl_pace *p)
{
    return p->delay;
}

static int read_time(struct sharc_span v, struct sharc_crawl_pace *p, struct sharc_err *reterr)
{
    return sharc_duration_parse(v, &p->time, reterr);
}

static int64_t get_time(const struct sharc_crawl_pace *p)
{
    return p->time;
}

static int read_bytes(struct sharc_span v, struct sharc_crawl_pace *p, struct sharc_err *reterr)
{
    return sharc_size_parse(v, &p->bytes, reterr);
}

static int64_t get_bytes(const struct sharc_crawl_pace *p)
{
    return (int64_t)p->bytes;
}

static int read_pages(struct sharc_span v, struct sharc_crawl_pace *p, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(sharc_span_to_u64(v, &p->pages) < 0, reterr, SHARC_ESYNTAX, "\"%.*s\" is no number of pages",
                  SHARC_SPAN_ARG(v));
    return 0;
}

static int64_t get_pages(const struct sharc_crawl_pace *p)
{
    return (int64_t)p->pages;
}

static int read_connections(struct sharc_span v, struct sharc_crawl_pace *p, struct sharc_err *reterr)
{
    uint64_t n = 0;
    SHARC_FAIL_IF(sharc_span_to_u64(v, &n) < 0 || n == 0 || n > 256, reterr, SHARC_ESYNTAX,
                  "\"%.*s\" is no number of connections: 1 to 256", SHARC_SPAN_ARG(v));
    p->connections = (unsigned)n;
    return 0;
}

static int64_t get_connections(const struct sharc_crawl_pace *p)
{
    return p->connections;
}

static const struct setting settings[] = {{"delay", read_delay, get_delay, true, false},
                                          {"limit-time", read_time, get_time, true, true},
                                          {"limit-bytes", read_bytes, get_bytes, false, true},
                                          {"limit-pages", read_pages, get_pages, false, true},
                                          {"connections", read_connections, get_connections, false, false}};

/* include, exclude and depth are rules of the scope. */
static int read_rule(struct sharc_span name, struct sharc_span value, struct meaning *ret, struct sharc_err *reterr)
{
    bool depth = sharc_span_is(name, "depth"), exclude = sharc_span_is(name, "exclude");
    SHARC_FAIL_IF(!depth && !exclude && !sharc_span_is(name, "include"), reterr, SHARC_ESYNTAX,
                  "\"%.*s\" cannot be changed while a capture runs; delay, connections, depth, limit-pages, "
                  "limit-bytes, limit-time, include and exclude can, and reload reads the settings again",
                  SHARC_SPAN_ARG(name));
    sharc_buf_printf(&ret->rule, "%s%.*s", depth ? "max-depth:" : "", SHARC_SPAN_ARG(value));
    ret->sign = exclude ? '-' : '+';
    ret->limits = true;
    struct sharc_scope *probe = sharc_scope_new();
    int r =
        sharc_scope_add(probe, exclude ? SHARC_EXCLUDE : SHARC_INCLUDE, sharc_buf_span(&ret->rule), "setting", reterr);
    sharc_scope_free(probe);
    return r;
}

/* ret->pace and ret->rule are the caller's to begin with and to release. */
int sharc__crawl_setting(struct sharc_span setting, const struct sharc_crawl_pace *read_pace, struct meaning *ret,
                         struct sharc_err *reterr)
{
    size_t at = sharc_span_find(setting, '=', 0);
    SHARC_FAIL_IF(at == SHARC_NPOS || setting.n > SETTING_MOST, reterr, SHARC_ESYNTAX,
                  "\"%.*s\" is no setting: write NAME=VALUE, as in delay=5s",
                  SHARC_SPAN_ARG(sharc_span_sub(setting, 0, 200)));
    struct sharc_span name = sharc_span_trim(sharc_span_sub(setting, 0, at));
    struct sharc_span value = sharc_span_trim(sharc_span_from(setting, at + 1));
    for (size_t i = 0; i < SHARC_LENGTH(settings); i++) {
        if (!sharc_span_is(name, settings[i].name)) continue;
        ret->limits = settings[i].limits;
        ret->base = settings[i].get(read_pace);
        return settings[i].read(value, &ret->pace, reterr);
    }
    return read_rule(name, value, ret, reterr);
}

/* --- the asking side ------------------------------------------------------------------ */

static bool somebody_runs(const char *archive)
{
    struct sharc_archive_holder h;
    return sharc_archive_holder(archive, &h) && h.work == SHARC_ARCHIVE_CRAWL;
}

static bool is_order(const char *name)
{
    return sharc_span_ends(sharc_span_of(name), SHARC_SPAN(".set"));
}

/* The crawl removes the file when the setting is safe. */
static int wait_until_taken(const char *archive, const char *path, sharc_time until, struct sharc_err *reterr)
{
    struct sharc_clock *clock = sharc_clock_real();
    for (;;) {
        if (access(path, F_OK) < 0) return 0;
        bool runs = somebody_runs(archive), late = clock->now(clock) >= until;
        if (!runs && access(path, F_OK) < 0) return 0;
        if (!runs) unlink(path); /* nobody will ever want it */
        SHARC_FAIL_IF(!runs, reterr, SHARC_ENOENT, "%s: the crawl ended before it took the setting", archive);
        SHARC_FAIL_IF(late, reterr, SHARC_EBUSY,
                      "%s: the crawl has not taken the setting yet; it will when it can go on", archive);
        clock->wait_until(clock, clock->now(clock) + 50 * SHARC_MSEC, NULL);
    }
}

int sharc_crawl_set(const char *archive, struct sharc_span setting, sharc_time patience, struct sharc_err *reterr)
{
    struct meaning m = {.rule = SHARC_BUF_INIT(SETTING_MOST)};
    struct sharc_crawl_pace none = {0};
    int r = sharc_span_is(setting, "reload") ? 0 : sharc__crawl_setting(setting, &none, &m, reterr);
    sharc_buf_done(&m.rule);
    if (r < 0) return r;
    SHARC_FAIL_IF(!somebody_runs(archive), reterr, SHARC_ENOENT, "%s: no crawl is running on this archive", archive);
    SHARC_AUTO(sharc_freep) char *dir = sharc_path_join(archive, CONTROL_NAME);
    r = sharc_dir_make(dir, reterr);
    if (r < 0) return r;
    struct sharc_clock *clock = sharc_clock_real();
    SHARC_AUTO(sharc_freep)
    char *path = sharc_asprintf("%s/%lld-%ld.set", dir, (long long)clock->now(clock), (long)getpid());
    r = sharc_file_replace(path, setting, reterr);
    return r < 0 || patience == 0 ? r : wait_until_taken(archive, path, clock->now(clock) + patience, reterr);
}

void sharc__crawl_control_clear(const char *archive)
{
    SHARC_AUTO(sharc_freep) char *dir = sharc_path_join(archive, CONTROL_NAME);
    char **names = NULL;
    size_t count = 0;
    if (access(dir, F_OK) < 0 || sharc_dir_list(dir, &names, &count, NULL) < 0) return;
    for (size_t i = 0; i < count; i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, names[i]);
        if (is_order(names[i])) unlink(path);
    }
    sharc_names_free(names, count);
}

/* --- the running side ------------------------------------------------------------------- */

static bool is_running(const struct site *s)
{
    return s->strategy && !s->finished && s->phase < SHARC_CRAWL_DONE;
}

static int understand(const struct sharc_crawl *c, struct sharc_span setting, struct meaning *ret,
                      struct sharc_err *reterr)
{
    ret->pace = c->o.pace;
    return sharc__crawl_setting(setting, &c->read_pace, ret, reterr);
}

static const struct change *remember(struct sharc_crawl *c, sharc_time when, int64_t base, struct sharc_span text)
{
    SHARC_GROW(c->changes, c->changes_room, c->changes_count + 1);
    c->changes[c->changes_count] = (struct change){when, sharc_span_dup(text), base};
    return &c->changes[c->changes_count++];
}

/* Both for a change now and for one of before the capture was cut off. */
static void set(struct sharc_crawl *c, const struct meaning *m)
{
    c->o.pace = m->pace;
    for (size_t i = 0; i < c->hosts.group_count; i++) sharc__crawl_group_repace(&c->hosts.group[i], &m->pace);
    if (!m->sign) return;
    c->new_rules = true;
    for (size_t i = 0; i < c->begun; i++) { /* the others will see it when they begin */
        struct sharc_scope *scope = c->site[i]->scope;
        if (!scope) continue;
        (void)sharc_scope_add(scope, m->sign == '+' ? SHARC_INCLUDE : SHARC_EXCLUDE, sharc_buf_span(&m->rule), "--set",
                              NULL);
        sharc_scope_seal(scope);
    }
}

int sharc__crawl_changed_rules(const struct sharc_crawl *c, struct sharc_scope *scope, struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; i < c->changes_count && r == 0; i++) {
        struct meaning m = {.rule = SHARC_BUF_INIT(SETTING_MOST)};
        r = understand(c, sharc_span_of(c->changes[i].text), &m, reterr);
        if (r == 0 && m.sign)
            r = sharc_scope_add(scope, m.sign == '+' ? SHARC_INCLUDE : SHARC_EXCLUDE, sharc_buf_span(&m.rule), "--set",
                                reterr);
        sharc_buf_done(&m.rule);
    }
    return r;
}

static void log_change(struct sharc_crawl *c, struct sharc_span setting, const char *note)
{
    char text[SHARC_TIME_TEXT];
    SHARC_AUTO(sharc_buf_done) struct sharc_buf uri = SHARC_BUF_INIT(SETTING_MOST + 64);
    sharc_buf_printf(&uri, "sharc:set/%.*s", SHARC_SPAN_ARG(setting));
    sharc__crawl_log_event(c, NULL, 0, sharc_buf_span(&uri), sharc_span_of(note));
    if (c->stats)
        fprintf(c->stats, "%s setting: %.*s\n", sharc_time_iso(crawl_now(c), 0, text), SHARC_SPAN_ARG(setting));
}

static void wake_all(struct sharc_crawl *c, bool reconsider)
{
    for (size_t i = 0; i < c->begun; i++) {
        struct site *s = c->site[i];
        if (!is_running(s)) continue;
        if (reconsider) sharc__crawl_reconsider(s);
        sharc__crawl_site_due(s, crawl_now(c));
    }
}

static void use_setting(struct sharc_crawl *c, struct sharc_span setting)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct meaning m = {.rule = SHARC_BUF_INIT(SETTING_MOST)};
    if (understand(c, setting, &m, &err) < 0) {
        sharc__crawl_remark(c, "setting not taken: %s", err.text);
    } else {
        const struct change *change = remember(c, crawl_now(c), m.base, setting);
        set(c, &m);
        log_change(c, setting, "setting");
        sharc__crawl_remark(c, "setting taken: %.*s", SHARC_SPAN_ARG(setting));
        for (size_t i = 0; i < c->begun; i++)
            if (is_running(c->site[i])) sharc__crawl_j_change(c->site[i], change);
        wake_all(c, m.limits);
    }
    sharc_buf_done(&m.rule);
}

/* Every site's journal has it: once is enough. A limit or pace for which something else
 * is read now than when it was changed is left as it is read: that is newer. */
void sharc__crawl_change_again(struct site *s, sharc_time when, int64_t base, struct sharc_span text)
{
    struct sharc_crawl *c = s->crawl;
    for (size_t i = 0; i < c->changes_count; i++)
        if (c->changes[i].when == when && sharc_span_is(text, c->changes[i].text)) return;
    struct meaning m = {.rule = SHARC_BUF_INIT(SETTING_MOST)};
    if (understand(c, text, &m, NULL) == 0 && m.base == base) {
        (void)remember(c, when, base, text);
        set(c, &m);
        sharc__crawl_remark(c, "setting of before is kept: %.*s", SHARC_SPAN_ARG(text));
    }
    sharc_buf_done(&m.rule);
}

/* --- reading the settings again --------------------------------------------------------- */

static bool same_rules(const struct sharc_crawl_options *o, const struct sharc_crawl_reread *n)
{
    if (o->rules_count != n->rules_count) return false;
    for (size_t i = 0; i < n->rules_count; i++)
        if (strcmp(o->rules[i], n->rules[i]) != 0) return false;
    return true;
}

static void use_rules(struct sharc_crawl *c, const struct sharc_crawl_reread *n)
{
    struct sharc_err err = SHARC_ERR_INIT;
    sharc__crawl_new_rules(c, n->rules, n->rules_count);
    c->new_rules = true;
    for (size_t i = 0; i < c->begun; i++)
        if (is_running(c->site[i]) && sharc__crawl_scope_anew(c->site[i], &err) < 0)
            sharc__crawl_remark(c, "%s: %s", c->site[i]->name, err.text);
    log_change(c, SHARC_SPAN("rules"), "settings-read-again");
    sharc__crawl_remark(c, "the rules of the scope have changed: %s in force", SHARC_COUNT(n->rules_count, "is|are"));
    wake_all(c, true);
}

/* Only what has changed since it was read last: a change by --set stands until then. */
static unsigned use_pace(struct sharc_crawl *c, const struct sharc_crawl_pace *now)
{
    struct sharc_crawl_pace before = c->read_pace;
    unsigned n = 0;
    c->read_pace = *now;
    for (size_t i = 0; i < SHARC_LENGTH(settings); i++) {
        int64_t value = settings[i].get(now);
        char text[96];
        if (value == settings[i].get(&before)) continue;
        if (settings[i].time && value % SHARC_SEC == 0)
            snprintf(text, sizeof text, "%s=%" PRId64 "s", settings[i].name, value / SHARC_SEC);
        else if (settings[i].time)
            snprintf(text, sizeof text, "%s=%" PRId64 "ms", settings[i].name, value / SHARC_MSEC);
        else
            snprintf(text, sizeof text, "%s=%" PRId64, settings[i].name, value);
        use_setting(c, sharc_span_of(text));
        n++;
    }
    return n;
}

static void read_again(struct sharc_crawl *c)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_crawl_reread new = {0};
    if (!c->w.reread || c->w.reread(c->w.arg, &new, &err) < 0) {
        sharc__crawl_remark(c, "the settings were not read again: %s",
                            c->w.reread ? err.text : "nobody knows where they are");
        return;
    }
    unsigned n = use_pace(c, &new.pace);
    bool rules = !same_rules(&c->o, &new);
    if (rules) use_rules(c, &new);
    if (n == 0 && !rules) sharc__crawl_remark(c, "the settings were read again: nothing has changed");
}

void sharc_crawl_reread(struct sharc_crawl *c)
{
    atomic_store(&c->reread, true);
    sharc_fetcher_wake(c->w.fetcher);
}

/* --- the box ------------------------------------------------------------------------------ */

static void take_up(struct sharc_crawl *c, const char *path)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SETTING_MOST);
    if (sharc_file_read(path, &b, NULL) < 0) return;
    struct sharc_span setting = sharc_span_trim(sharc_buf_span(&b));
    if (sharc_span_is(setting, "reload"))
        read_again(c);
    else
        use_setting(c, setting);
}

int sharc__crawl_control_poll(struct sharc_crawl *c, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *dir = sharc_path_join(c->o.archive, CONTROL_NAME);
    char **names = NULL;
    size_t count = 0, taken = 0;
    if (atomic_exchange(&c->reread, false)) read_again(c);
    if (!c->o.control || access(dir, F_OK) < 0 || sharc_dir_list(dir, &names, &count, NULL) < 0) return 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_order(names[i])) continue;
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, names[i]);
        take_up(c, path);
        taken++;
    }
    /* A kill between the two: it is taken up again, which changes nothing. */
    int r = taken ? sharc__crawl_commit(c, reterr) : 0;
    for (size_t i = 0; i < count && r == 0; i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, names[i]);
        if (is_order(names[i])) unlink(path);
    }
    sharc_names_free(names, count);
    return r;
}
