/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings that change while a capture runs take effect: who wants a change drops a file
 * into the archive, the crawl takes it up, writes it into the journal of every capture it
 * concerns, and removes the file when that is committed. "reload", or a signal, has the
 * settings read again where they came from; what has changed there is taken up the same way.
 */
#include "crawl_log.h"
#include "engine.h"

static int understand(const struct sharc_crawl *c, struct sharc_span setting, struct meaning *ret,
                      struct sharc_err *reterr)
{
    ret->pace = c->ctx.o.pace;
    return sharc__crawl_setting(setting, &c->steering.read_pace, ret, reterr);
}

/* Both for a change now and for one of before the capture was cut off. */
static void set(struct sharc_crawl *c, struct sharc_span setting, const struct meaning *m, bool by_hand)
{
    sharc__crawl_set_pace(&c->ctx, &m->pace);
    sharc__crawl_paces_set(c, setting, m->name, by_hand);
    sharc__crawl_repace(c);
    if (!m->sign) return;
    sharc__crawl_steering_new_rules(&c->steering);
    for (size_t i = 0; i < c->begun; i++) /* the others will see it when they begin */
        sharc__crawl_scope_add(&c->site[i]->frontier, m->sign, sharc_buf_span(&m->rule));
}

static void log_change(struct sharc_crawl *c, struct sharc_span setting, const char *note)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf uri = SHARC_BUF_INIT(SETTING_MOST + 64);
    sharc_buf_printf(&uri, "sharc:set/%.*s", SHARC_SPAN_ARG(setting));
    sharc__crawl_log_event(&c->out, NULL, 0, sharc_buf_span(&uri), sharc_span_of(note));
    sharc__crawl_log_setting(&c->out, setting);
}

static void reconsider(struct site *s)
{
    uint64_t in = sharc__crawl_reconsider(&s->frontier);
    if (in)
        sharc__crawl_remark(&s->crawl->ctx, "%s: %s let in now", s->name,
                            SHARC_COUNT(in, "URL that was left out is|URLs that were left out are"));
}

static void wake_all(struct sharc_crawl *c, bool limits)
{
    for (size_t i = 0; i < c->begun; i++) {
        struct site *s = c->site[i];
        if (!site_is_running(s)) continue;
        if (limits) reconsider(s);
        sharc__crawl_site_due(s, crawl_now(&c->ctx));
    }
}

static void use_setting(struct sharc_crawl *c, struct sharc_span setting, bool by_hand)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct meaning m = {.rule = SHARC_BUF_INIT(SETTING_MOST)};
    if (understand(c, setting, &m, &err) < 0) {
        sharc__crawl_remark(&c->ctx, "setting not taken: %s", err.text);
    } else {
        const struct change *change = sharc__crawl_steering_add(&c->steering, crawl_now(&c->ctx), m.base, setting);
        set(c, setting, &m, by_hand);
        log_change(c, setting, "setting");
        sharc__crawl_remark(&c->ctx, "setting taken: %.*s", SHARC_SPAN_ARG(setting));
        for (size_t i = 0; i < c->begun; i++)
            if (site_is_running(c->site[i])) sharc__crawl_note_change(&c->site[i]->journal, change);
        wake_all(c, m.limits);
    }
    sharc_buf_done(&m.rule);
}

/* Every site's journal has it: once is enough. A limit or pace for which something else
 * is read now than when it was changed is left as it is read: that is newer. */
void sharc__crawl_change_again(struct sharc_crawl *c, sharc_time when, int64_t base, struct sharc_span text)
{
    if (sharc__crawl_steering_has(&c->steering, when, text)) return;
    struct meaning m = {.rule = SHARC_BUF_INIT(SETTING_MOST)};
    if (understand(c, text, &m, NULL) == 0 && m.base == base) {
        (void)sharc__crawl_steering_add(&c->steering, when, base, text);
        set(c, text, &m, m.value != m.base); /* a value that was read is not one that somebody has set */
        sharc__crawl_remark(&c->ctx, "keeping the earlier setting: %.*s", SHARC_SPAN_ARG(text));
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
    sharc__crawl_set_rules(&c->ctx, n->rules, n->rules_count);
    sharc__crawl_steering_new_rules(&c->steering);
    for (size_t i = 0; i < c->begun; i++)
        if (site_is_running(c->site[i]) && sharc__crawl_scope_anew(&c->site[i]->frontier, &err) < 0)
            sharc__crawl_remark(&c->ctx, "%s: %s", c->site[i]->name, err.text);
    log_change(c, SHARC_SPAN("rules"), "settings-read-again");
    sharc__crawl_remark(&c->ctx, "the scope rules have changed: %s in force", SHARC_COUNT(n->rules_count, "is|are"));
    wake_all(c, true);
}

/* Only what has changed since it was read last: a change by --set stands until then. */
static unsigned use_pace(struct sharc_crawl *c, const struct sharc_crawl_pace *now)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(128);
    struct sharc_crawl_pace before = sharc__crawl_steering_reread(&c->steering, now);
    unsigned n = 0;
    for (size_t i = 0; i < sharc__crawl_setting_count(); i++) {
        if (!sharc__crawl_setting_changed(i, &before, now, &text)) continue;
        use_setting(c, sharc_buf_span(&text), false);
        n++;
    }
    return n;
}

/* What is said of single sites: of how many it has changed. */
static unsigned use_own(struct sharc_crawl *c, const struct own_settings *before)
{
    struct sharc_err err = SHARC_ERR_INIT;
    unsigned n = 0;
    for (size_t i = 0; i < c->sites; i++) {
        struct site *s = c->site[i];
        struct sharc_span name = sharc_span_of(s->name);
        const struct own *was = sharc__crawl_own_of(before, name), *is = sharc__crawl_own_of(&c->steering.own, name);
        if (sharc__crawl_own_same(was, is)) continue;
        sharc__crawl_pace_reread(s, was);
        if (site_is_running(s) && sharc__crawl_scope_anew(&s->frontier, &err) < 0)
            sharc__crawl_remark(&c->ctx, "%s: %s", s->name, err.text);
        n++;
    }
    sharc__crawl_repace(c); /* hosts of sites that are not crawled now may have another delay too */
    if (n == 0) return 0;
    sharc__crawl_steering_new_rules(&c->steering);
    log_change(c, SHARC_SPAN("sites"), "settings-read-again");
    sharc__crawl_remark(&c->ctx, "the settings of %s have changed", SHARC_COUNT(n, "site"));
    wake_all(c, true);
    return n;
}

static void read_again(struct sharc_crawl *c)
{
    const struct sharc_crawl_world *w = &c->ctx.w;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_crawl_reread new = {0};
    struct own_settings before = sharc__crawl_own_renew(&c->steering);
    if (!w->reread || w->reread(w->arg, &new, &err) < 0) {
        sharc__crawl_own_restore(&c->steering, before);
        sharc__crawl_remark(&c->ctx, "the settings were not read again: %s",
                            w->reread ? err.text : "no settings source is configured");
        return;
    }
    unsigned n = use_own(c, &before);
    sharc__crawl_own_done(&before);
    n += use_pace(c, &new.pace);
    bool rules = !same_rules(&c->ctx.o, &new);
    if (rules) use_rules(c, &new);
    if (n == 0 && !rules) sharc__crawl_remark(&c->ctx, "the settings were read again: nothing has changed");
}

/* --- the box ------------------------------------------------------------------------------ */

/* Not a setting: it is not kept, so that a crawl which is taken up again goes on. */
static void pause_or_go_on(struct sharc_crawl *c, struct sharc_span wish)
{
    bool pause = sharc_span_is(wish, "pause");
    if (c->paused == pause) return;
    c->paused = pause;
    log_change(c, wish, pause ? "paused" : "continued");
    sharc__crawl_remark(&c->ctx, "%s",
                        pause ? "paused: downloads under way are finished, no other begins" : "continuing");
    if (!pause) wake_all(c, false);
}

/* How many wishes were taken up. */
static size_t take_up(struct sharc_crawl *c, const struct sharc_box *box)
{
    size_t taken = 0;
    for (size_t i = 0; i < box->count; i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SETTING_MOST);
        if (!sharc_box_read(box, i, &b)) continue;
        struct sharc_span setting = sharc_span_trim(sharc_buf_span(&b));
        if (sharc_span_is(setting, "reload"))
            read_again(c);
        else if (sharc_span_is(setting, "pause") || sharc_span_is(setting, "continue"))
            pause_or_go_on(c, setting);
        else
            use_setting(c, setting, true);
        taken++;
    }
    return taken;
}

int sharc__crawl_steer(struct sharc_crawl *c, struct sharc_err *reterr)
{
    struct sharc_box box;
    if (sharc__crawl_take_reread(&c->steering)) read_again(c);
    if (!c->ctx.o.control || !sharc_box_open(c->ctx.o.archive, &box)) return 0;
    /* A kill between the two: it is taken up again, which changes nothing. */
    int r = take_up(c, &box) > 0 ? sharc__crawl_commit(c, reterr) : 0;
    for (size_t i = 0; i < box.count && r == 0; i++) sharc_box_remove(&box, i);
    sharc_box_done(&box);
    return r;
}
