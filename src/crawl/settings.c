/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings that can be changed while a capture runs, and the changes that were made.
 */
#include "steering.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- what can be changed --------------------------------------------------------------- */

#define DURATION_MOST (365250 * SHARC_DAY)

struct setting {
    const char *name;
    int (*read)(struct sharc_span value, struct sharc_crawl_pace *pace, struct sharc_err *reterr);
    int64_t (*get)(const struct sharc_crawl_pace *pace);
    bool time, limits;
};

/* Longer ones would overflow when times are added. */
static int read_duration(struct sharc_span v, sharc_time *ret, struct sharc_err *reterr)
{
    sharc_time t = 0;
    int r = sharc_duration_parse(v, &t, reterr);
    SHARC_FAIL_IF(r == 0 && t > DURATION_MOST, reterr, SHARC_ESYNTAX, "\"%.*s\" is too long a time", SHARC_SPAN_ARG(v));
    if (r == 0) *ret = t;
    return r;
}

static int read_delay(struct sharc_span v, struct sharc_crawl_pace *p, struct sharc_err *reterr)
{
    return read_duration(v, &p->delay, reterr);
}

static int64_t get_delay(const struct sharc_crawl_pace *p)
{
    return p->delay;
}

static int read_time(struct sharc_span v, struct sharc_crawl_pace *p, struct sharc_err *reterr)
{
    return read_duration(v, &p->time, reterr);
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
    SHARC_FAIL_IF(sharc_span_to_u64(v, &p->pages) < 0, reterr, SHARC_ESYNTAX, "\"%.*s\" is not a number of pages",
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
                  "\"%.*s\" is not a number of connections from 1 to 256", SHARC_SPAN_ARG(v));
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
    SHARC_FAIL_IF(
        !depth && !exclude && !sharc_span_is(name, "include"), reterr, SHARC_ESYNTAX,
        "\"%.*s\" cannot be changed while a capture runs; delay, connections, depth, limit-pages, "
        "limit-bytes, limit-time, include and exclude can; reload reads the settings again, pause and continue "
        "stop downloads and go on",
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

int sharc__crawl_setting(struct sharc_span setting, const struct sharc_crawl_pace *read_pace, struct meaning *ret,
                         struct sharc_err *reterr)
{
    size_t at = sharc_span_find(setting, '=', 0);
    SHARC_FAIL_IF(at == SHARC_NPOS || setting.n > SETTING_MOST, reterr, SHARC_ESYNTAX,
                  "\"%.*s\" is not a setting: write NAME=VALUE, as in delay=5s",
                  SHARC_SPAN_ARG(sharc_span_sub(setting, 0, 200)));
    struct sharc_span name = sharc_span_trim(sharc_span_sub(setting, 0, at));
    struct sharc_span value = sharc_span_trim(sharc_span_from(setting, at + 1));
    ret->name = name;
    for (size_t i = 0; i < SHARC_LENGTH(settings); i++) {
        if (!sharc_span_is(name, settings[i].name)) continue;
        ret->limits = settings[i].limits;
        ret->base = settings[i].get(read_pace);
        int r = settings[i].read(value, &ret->pace, reterr);
        ret->value = settings[i].get(&ret->pace);
        return r;
    }
    return read_rule(name, value, ret, reterr);
}

const char *const *sharc_crawl_setting_names(void)
{
    static const char *const names[] = {"delay", "limit-time", "limit-bytes", "limit-pages", "connections",
                                        "depth", "include",    "exclude",     NULL};
    return names;
}

void sharc__crawl_setting_put(struct sharc_span setting, struct sharc_crawl_pace *pace)
{
    struct meaning m = {.pace = *pace, .rule = SHARC_BUF_INIT(SETTING_MOST)};
    if (sharc__crawl_setting(setting, pace, &m, NULL) == 0) *pace = m.pace;
    sharc_buf_done(&m.rule);
}

const char *sharc__crawl_setting_name(size_t i)
{
    return settings[i].name;
}

size_t sharc__crawl_setting_count(void)
{
    return SHARC_LENGTH(settings);
}

bool sharc__crawl_setting_changed(size_t i, const struct sharc_crawl_pace *before, const struct sharc_crawl_pace *now,
                                  struct sharc_buf *out)
{
    const struct setting *one = &settings[i];
    int64_t value = one->get(now);
    sharc_buf_clear(out);
    if (value == one->get(before)) return false;
    if (one->time && value % SHARC_SEC == 0)
        sharc_buf_printf(out, "%s=%" PRId64 "s", one->name, value / SHARC_SEC);
    else if (one->time)
        sharc_buf_printf(out, "%s=%" PRId64 "ms", one->name, value / SHARC_MSEC);
    else
        sharc_buf_printf(out, "%s=%" PRId64, one->name, value);
    return true;
}

/* --- what was changed -------------------------------------------------------------------- */

void sharc__crawl_steering_init(struct steering *s, const struct sharc_crawl_pace *pace)
{
    *s = (struct steering){.read_pace = *pace};
}

void sharc__crawl_steering_done(struct steering *s)
{
    for (size_t i = 0; i < s->count; i++) free(s->changes[i].text);
    free(s->changes);
}

const struct change *sharc__crawl_steering_add(struct steering *s, sharc_time when, int64_t base,
                                               struct sharc_span text)
{
    SHARC_GROW(s->changes, s->room, s->count + 1);
    s->changes[s->count] = (struct change){when, sharc_span_dup(text), base};
    return &s->changes[s->count++];
}

bool sharc__crawl_steering_has(const struct steering *s, sharc_time when, struct sharc_span text)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->changes[i].when == when && sharc_span_is(text, s->changes[i].text)) return true;
    return false;
}

struct sharc_crawl_pace sharc__crawl_steering_reread(struct steering *s, const struct sharc_crawl_pace *now)
{
    struct sharc_crawl_pace before = s->read_pace;
    s->read_pace = *now;
    return before;
}

void sharc__crawl_steering_new_rules(struct steering *s)
{
    s->new_rules = true;
}

int sharc__crawl_steering_rules(const struct steering *s, const struct context *c, struct sharc_scope *scope,
                                struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; i < s->count && r == 0; i++) {
        struct meaning m = {.pace = c->o.pace, .rule = SHARC_BUF_INIT(SETTING_MOST)};
        r = sharc__crawl_setting(sharc_span_of(s->changes[i].text), &s->read_pace, &m, reterr);
        if (r == 0 && m.sign)
            r = sharc_scope_add(scope, m.sign == '+' ? SHARC_INCLUDE : SHARC_EXCLUDE, sharc_buf_span(&m.rule),
                                "setting \"set\"", reterr);
        sharc_buf_done(&m.rule);
    }
    return r;
}

void sharc__crawl_ask_reread(struct steering *s)
{
    atomic_store(&s->reread, true);
}

bool sharc__crawl_take_reread(struct steering *s)
{
    return atomic_exchange(&s->reread, false);
}
