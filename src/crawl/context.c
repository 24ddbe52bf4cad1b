/* SPDX-License-Identifier: Apache-2.0
 *
 * Options and world of a crawl: a copy of what the caller gave.
 */
#include "context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static char *own(struct context *c, const char *s)
{
    if (!s) return NULL;
    SHARC_GROW(c->owned, c->owned_room, c->owned_count + 1);
    return c->owned[c->owned_count++] = sharc_strdup(s);
}

static const char *const *own_list(struct context *c, const char *const *list, size_t n)
{
    const char **copy = SHARC_NEW_ARRAY(const char *, n + 1);
    for (size_t i = 0; i < n; i++) copy[i] = own(c, list[i]);
    return copy;
}

static void free_list(const char *const *list)
{
    free((void *)(uintptr_t)list);
}

void sharc__crawl_context_init(struct context *c, const struct sharc_crawl_options *o,
                               const struct sharc_crawl_world *w)
{
    *c = (struct context){.o = *o, .w = *w};
    c->o.archive = own(c, o->archive);
    c->o.user_agent = own(c, o->user_agent);
    c->o.operator_ = own(c, o->operator_);
    c->o.contact = own(c, o->contact);
    c->o.description = own(c, o->description);
    c->o.connect_to = own(c, o->connect_to);
    c->o.proxy = own(c, o->proxy);
    c->o.host = own(c, o->host ? o->host : "localhost");
    c->o.rules = own_list(c, o->rules, o->rules_count);
    c->o.types = own_list(c, o->types, o->types_count);
    c->o.not_types = own_list(c, o->not_types, o->not_types_count);
    c->o.sources = own_list(c, o->sources, o->sources_count);
    c->o.host_groups = own_list(c, o->host_groups, o->host_groups_count);
    if (!c->o.strategy)
        c->o.strategy =
            sharc_strategy_usual(o->purpose == SHARC_FOR_EVIDENCE ? SHARC_PURPOSE_COHERENCE : SHARC_PURPOSE_BLUR);
}

void sharc__crawl_context_done(struct context *c)
{
    free_list(c->o.rules);
    free_list(c->o.types);
    free_list(c->o.not_types);
    free_list(c->o.sources);
    free_list(c->o.host_groups);
    for (size_t i = 0; i < c->owned_count; i++) free(c->owned[i]);
    free(c->owned);
}

void sharc__crawl_set_pace(struct context *c, const struct sharc_crawl_pace *pace)
{
    c->o.pace = *pace;
}

void sharc__crawl_set_rules(struct context *c, const char *const *rules, size_t n)
{
    free_list(c->o.rules);
    c->o.rules = own_list(c, rules, n);
    c->o.rules_count = n;
}

void sharc__crawl_remark(const struct context *c, const char *fmt, ...)
{
    if (!c->w.remark) return;
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    c->w.remark(c->w.arg, text);
}

void sharc__crawl_set_capture(struct context *c, sharc_store_id capture)
{
    c->o.job.capture = capture;
}
