/* SPDX-License-Identifier: Apache-2.0
 *
 * The origins that a survey asks, each with its robots.txt.
 */
#include "survey_int.h"

#include <stdlib.h>

static const struct survey_origin *find(const struct survey *s, const char *name)
{
    for (size_t i = 0; i < s->origins.count; i++)
        if (strcmp(s->origins.one[i].name, name) == 0) return &s->origins.one[i];
    return NULL;
}

static char *name_of(const struct sharc_url *url)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    (void)sharc_url_origin(url, &name);
    return sharc_span_dup(sharc_buf_span(&name));
}

bool sharc__survey_knows_origin(const struct survey *s, const struct sharc_url *url, char **ret_name)
{
    *ret_name = name_of(url);
    return find(s, *ret_name) != NULL;
}

bool sharc__survey_is_forbidden(const struct survey *s, const struct sharc_url *url)
{
    SHARC_AUTO(sharc_freep) char *name = name_of(url);
    const struct survey_origin *o = find(s, name);
    return o && !sharc_robots_allowed(o->rules, sharc_url_page(url), NULL);
}

const struct sharc_robots *sharc__survey_home_rules(const struct survey *s)
{
    return s->origins.count > 0 ? s->origins.one[0].rules : NULL;
}

void sharc__survey_keep_rules(struct survey *s, char *name, struct sharc_robots *rules)
{
    struct survey_origins *o = &s->origins;
    const sharc_time delay = sharc_robots_delay(rules);
    SHARC_GROW(o->one, o->room, o->count + 1);
    o->one[o->count++] = (struct survey_origin){name, rules};
    if (delay > o->delay) o->delay = delay;
}

void sharc__survey_origins_done(struct survey_origins *o)
{
    for (size_t i = 0; i < o->count; i++) {
        free(o->one[i].name);
        sharc_robots_free(o->one[i].rules);
    }
    free(o->one);
}
