/* SPDX-License-Identifier: Apache-2.0
 *
 * The pages of a survey: numbered as they become known, with their links and ages.
 */
#include "survey_int.h"

#include <math.h>

uint32_t sharc__survey_page(struct survey *s, struct sharc_span url, enum sharc_survey_source source, unsigned hops)
{
    uint32_t known = sharc_intern_find(s->urls, url);
    if (known != SHARC_NO_ID) return known;
    if (sharc_intern_count(s->urls) >= s->o->max_pages) return SHARC_NO_ID;
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    if (sharc_url_parse(&u, url, NULL, NULL) < 0 || !sharc_scope_check(s->scope, &u, hops, NULL)) return SHARC_NO_ID;
    if (sharc__survey_is_forbidden(s, &u)) return SHARC_NO_ID;
    uint32_t id = sharc_intern_add(s->urls, url, NULL);
    SHARC_GROW(s->pages, s->room, (size_t)id + 1);
    s->pages[id] = (struct survey_page){.source = source,
                                        .hops = (uint16_t)(hops < UINT16_MAX ? hops : UINT16_MAX),
                                        .priority = -1,
                                        .learned = -1};
    return id;
}

void sharc__survey_age(struct survey *s, uint32_t page, sharc_time changed, sharc_time now)
{
    if (changed == SHARC_TIME_NONE || changed > now) return;
    sharc_rate_live_seen(s->live, page, sharc_intern_text(s->urls, page), (double)(now - changed) / (double)SHARC_SEC);
}

#define GRAIN 2.0 /* seconds: dates of HTTP know no less */
#define DAY 86400 /* a statement at midnight is one of a day */

void sharc__survey_told(struct survey *s, uint32_t page, sharc_time stated, sharc_time now)
{
    if (stated == SHARC_TIME_NONE || stated < 0 || stated > now) return;
    if (!s->said.now) {
        s->said.now = sharc_signals_new(HUGE_VAL, GRAIN);
        sharc_signals_source(s->said.now, 0, SHARC_SIGNAL_SITEMAP);
    }
    const int64_t seconds = stated / SHARC_SEC;
    sharc_signals_say(s->said.now, 0, page, (double)seconds, seconds % DAY ? 0 : DAY, (double)now / (double)SHARC_SEC);
}

void sharc__survey_saw(struct survey *s, uint32_t page, sharc_time changed, sharc_time now)
{
    if (!s->said.now || changed == SHARC_TIME_NONE || changed > now) return;
    sharc_signals_seen(s->said.now, page, (double)now / (double)SHARC_SEC, (double)changed / (double)SHARC_SEC,
                       SHARC_SIGNAL_FIRST);
}

void sharc__survey_link(struct survey *s, uint32_t from, uint32_t to)
{
    if (to == SHARC_NO_ID || to == from) return;
    SHARC_GROW(s->links, s->link_room, s->link_count + 1);
    s->links[s->link_count++] = (struct sharc_survey_link){from, to};
}
