/* SPDX-License-Identifier: Apache-2.0
 *
 * What the settings say of single sites: kept as it is written, "delay=10s", and
 * understood each time that it is needed.
 */
#include "steering.h"

#include <stdlib.h>

static struct sharc_span name_of(struct sharc_span setting)
{
    size_t at = sharc_span_find(setting, '=', 0);
    return sharc_span_trim(at == SHARC_NPOS ? setting : sharc_span_sub(setting, 0, at));
}

static bool may_be_repeated(struct sharc_span name)
{
    return sharc_span_is(name, "include") || sharc_span_is(name, "exclude");
}

int sharc_crawl_setting_check(struct sharc_span setting, struct sharc_err *reterr)
{
    struct sharc_crawl_pace none = {0};
    struct meaning m = {.rule = SHARC_BUF_INIT(SETTING_MOST)};
    int r = sharc__crawl_setting(setting, &none, &m, reterr);
    sharc_buf_done(&m.rule);
    return r;
}

int sharc_crawl_set(const char *archive, struct sharc_span setting, sharc_time patience, struct sharc_err *reterr)
{
    bool word =
        sharc_span_is(setting, "reload") || sharc_span_is(setting, "pause") || sharc_span_is(setting, "continue");
    int r = word ? 0 : sharc_crawl_setting_check(setting, reterr);
    return r < 0 ? r : sharc_box_ask(archive, SHARC_ARCHIVE_CRAWL, setting, patience, reterr);
}

static struct own *own_of(struct own_settings *o, struct sharc_span site)
{
    bool fresh = false;
    if (!o->sites) o->sites = sharc_intern_new();
    uint32_t number = sharc_intern_add(o->sites, site, &fresh);
    SHARC_GROW(o->own, o->room, (size_t)number + 1);
    if (fresh) o->own[number] = (struct own){0};
    return &o->own[number];
}

int sharc__crawl_own_add(struct steering *s, struct sharc_span site, struct sharc_span setting,
                         struct sharc_err *reterr)
{
    int r = sharc_crawl_setting_check(setting, reterr);
    if (r < 0) return r;
    struct sharc_span name = name_of(setting);
    struct own *own = own_of(&s->own, site);
    const char *before = may_be_repeated(name) ? NULL : sharc__crawl_own_value(own, name);
    if (before && sharc_span_is(setting, before)) return 0;
    SHARC_FAIL_IF(before, reterr, SHARC_ECONFIG, "%.*s has another value already: all seeds on %.*s share one",
                  SHARC_SPAN_ARG(name), SHARC_SPAN_ARG(site));
    SHARC_GROW(own->settings, own->room, own->count + 1);
    own->settings[own->count++] = sharc_span_dup(setting);
    return 0;
}

const struct own *sharc__crawl_own_of(const struct own_settings *o, struct sharc_span site)
{
    uint32_t number = o->sites ? sharc_intern_find(o->sites, site) : SHARC_NO_ID;
    return number == SHARC_NO_ID ? NULL : &o->own[number];
}

const char *sharc__crawl_own_value(const struct own *own, struct sharc_span name)
{
    for (size_t i = 0; own && i < own->count; i++)
        if (sharc_span_eq(name_of(sharc_span_of(own->settings[i])), name)) return own->settings[i];
    return NULL;
}

static int add_rules(const struct own *own, char sign, struct sharc_scope *scope, struct sharc_err *reterr)
{
    const struct sharc_crawl_pace none = {0};
    int r = 0;
    for (size_t i = 0; i < own->count && r == 0; i++) {
        struct meaning m = {.rule = SHARC_BUF_INIT(SETTING_MOST)};
        r = sharc__crawl_setting(sharc_span_of(own->settings[i]), &none, &m, reterr);
        if (r == 0 && m.sign == sign)
            r = sharc_scope_add(scope, sign == '+' ? SHARC_INCLUDE : SHARC_EXCLUDE, sharc_buf_span(&m.rule), "sites",
                                reterr);
        sharc_buf_done(&m.rule);
    }
    return r;
}

int sharc__crawl_own_rules(const struct own *own, struct sharc_scope *scope, struct sharc_err *reterr)
{
    int r = add_rules(own, '+', scope, reterr);
    return r < 0 ? r : add_rules(own, '-', scope, reterr);
}

bool sharc__crawl_own_same(const struct own *a, const struct own *b)
{
    size_t n = a ? a->count : 0;
    if (n != (b ? b->count : 0)) return false;
    for (size_t i = 0; i < n; i++)
        if (strcmp(a->settings[i], b->settings[i]) != 0) return false;
    return true;
}

struct own_settings sharc__crawl_own_renew(struct steering *s)
{
    struct own_settings before = s->own;
    s->own = (struct own_settings){0};
    return before;
}

void sharc__crawl_own_restore(struct steering *s, struct own_settings before)
{
    sharc__crawl_own_done(&s->own);
    s->own = before;
}

void sharc__crawl_own_done(struct own_settings *o)
{
    for (uint32_t i = 0; o->sites && i < sharc_intern_count(o->sites); i++) {
        for (size_t k = 0; k < o->own[i].count; k++) free(o->own[i].settings[k]);
        free(o->own[i].settings);
    }
    sharc_intern_free(o->sites);
    free(o->own);
    *o = (struct own_settings){0};
}
