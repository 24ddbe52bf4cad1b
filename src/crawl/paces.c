/* SPDX-License-Identifier: Apache-2.0
 *
 * The pace of each site: the general one, and on top what the settings say of the site
 * alone. And the pace on each host: that of the site it belongs to, whoever asks it.
 */
#include "engine.h"

static const struct own *own_of(const struct site *s)
{
    return sharc__crawl_own_of(&s->crawl->steering.own, sharc_span_of(s->name));
}

static void put_all(const struct own *own, struct sharc_crawl_pace *pace)
{
    for (size_t i = 0; own && i < own->count; i++) sharc__crawl_setting_put(sharc_span_of(own->settings[i]), pace);
}

void sharc__crawl_paces_begin(struct sharc_crawl *c)
{
    for (size_t i = 0; i < c->sites; i++) {
        struct sharc_crawl_pace pace = c->ctx.o.pace;
        put_all(own_of(c->site[i]), &pace);
        sharc__crawl_agenda_pace(&c->site[i]->agenda, &pace);
    }
}

void sharc__crawl_paces_set(struct sharc_crawl *c, struct sharc_span setting, struct sharc_span name, bool by_hand)
{
    for (size_t i = 0; i < c->sites; i++) {
        struct site *s = c->site[i];
        const struct own *own = own_of(s);
        const char *value = by_hand ? NULL : sharc__crawl_own_value(own, name);
        struct sharc_crawl_pace pace = own ? s->agenda.pace : c->ctx.o.pace;
        if (own) sharc__crawl_setting_put(value ? sharc_span_of(value) : setting, &pace);
        sharc__crawl_agenda_pace(&s->agenda, &pace);
    }
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

void sharc__crawl_pace_reread(struct site *s, const struct own *before)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf general = SHARC_BUF_INIT(128);
    struct sharc_crawl_pace pace = s->agenda.pace;
    for (size_t i = 0; i < sharc__crawl_setting_count(); i++) {
        struct sharc_span name = sharc_span_of(sharc__crawl_setting_name(i));
        const char *was = sharc__crawl_own_value(before, name), *is = sharc__crawl_own_value(own_of(s), name);
        if (same_text(was, is)) continue;
        if (is)
            sharc__crawl_setting_put(sharc_span_of(is), &pace);
        else if (sharc__crawl_setting_changed(i, &pace, &s->crawl->ctx.o.pace, &general))
            sharc__crawl_setting_put(sharc_buf_span(&general), &pace);
    }
    sharc__crawl_agenda_pace(&s->agenda, &pace);
}

/* --- on hosts ------------------------------------------------------------------------- */

struct sharc_crawl_pace sharc__crawl_pace_at(const struct site *s, uint32_t group)
{
    const struct sharc_crawl *c = s->crawl;
    return sharc__crawl_group_pace(&c->hosts.group[group], &s->agenda.pace, &c->ctx.o.pace);
}

void sharc__crawl_pace_of_host(struct sharc_crawl *c, uint32_t host)
{
    if (!c->steering.own.sites) return; /* the general pace is everybody's */
    const struct host *h = &c->hosts.host[host];
    struct sharc_span name = sharc__crawl_host_name(h);
    if (sharc_span_starts(name, SHARC_SPAN("www."))) name = sharc_span_from(name, 4);
    uint32_t site = sharc_intern_find(c->site_names, name);
    const struct own *own = sharc__crawl_own_of(&c->steering.own, name);
    struct sharc_crawl_pace pace = c->ctx.o.pace;
    if (site != SHARC_NO_ID)
        pace = c->site[site]->agenda.pace;
    else if (own)
        put_all(own, &pace);
    else
        return;
    /* A site that is not crawled now: whoever asks it is a guest. */
    if (site == SHARC_NO_ID && pace.delay < c->ctx.o.pace.delay) pace.delay = c->ctx.o.pace.delay;
    sharc__crawl_group_owned(&c->hosts.group[h->group], &pace);
}

void sharc__crawl_repace(struct sharc_crawl *c)
{
    sharc__crawl_groups_disown(&c->hosts);
    for (uint32_t i = 0; i < sharc_intern_count(c->hosts.origins); i++) sharc__crawl_pace_of_host(c, i);
    for (uint32_t i = 0; i < c->hosts.group_count; i++) {
        const struct site *user = c->site[c->hosts.group[i].user];
        const struct sharc_crawl_pace pace = sharc__crawl_pace_at(user, i);
        sharc__crawl_group_repace(&c->hosts.group[i], &pace);
    }
}
