/* SPDX-License-Identifier: Apache-2.0
 *
 * A site: made of its parts, and released.
 */
#include "engine.h"

#include "sharc/base_json.h"

#include "verdict.h"

#include <stdlib.h>

/* Who knows whom. */
static void connect_parts(struct site *s)
{
    struct sharc_crawl *c = s->crawl;
    s->agenda = (struct agenda){.ctx = &c->ctx,
                                .pages = &s->pages,
                                .journal = &s->journal,
                                .rates = &s->rates,
                                .heard = &s->heard,
                                .count = &s->count,
                                .pace = c->ctx.o.pace};
    s->reach =
        (struct reach){.ctx = &c->ctx, .hosts = &c->hosts, .agenda = &s->agenda, .name = s->name, .sites = &c->sites};
    s->frontier = (struct frontier){.ctx = &c->ctx,
                                    .steering = &c->steering,
                                    .pages = &s->pages,
                                    .journal = &s->journal,
                                    .rates = &s->rates,
                                    .agenda = &s->agenda,
                                    .hosts = &c->hosts,
                                    .capture = &s->capture,
                                    .count = &s->count};
    s->sources = (struct sources){.ctx = &c->ctx,
                                  .pages = &s->pages,
                                  .journal = &s->journal,
                                  .agenda = &s->agenda,
                                  .hosts = &c->hosts,
                                  .frontier = &s->frontier,
                                  .reach = &s->reach,
                                  .heard = &s->heard};
    s->heard = (struct heard){.pages = &s->pages, .journal = &s->journal, .oldest = HEARD_NEVER};
    s->controls = (struct controls){
        .ctx = &c->ctx, .pages = &s->pages, .journal = &s->journal, .out = &c->out, .pool = c->jobs.pool};
    s->aliases = (struct aliases){
        .ctx = &c->ctx, .pages = &s->pages, .journal = &s->journal, .frontier = &s->frontier, .capture = &s->capture};
}

struct site *sharc__crawl_site_of(struct sharc_crawl *c, const struct sharc_url *seed)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    bool fresh = false;
    sharc__crawl_site_name(seed, &name);
    uint32_t number = sharc_intern_add(c->site_names, sharc_buf_span(&name), &fresh);
    if (!fresh) return c->site[number];
    struct site *s = SHARC_NEW(struct site);
    s->crawl = c;
    s->number = number;
    s->name = sharc_strdup(sharc_buf_str(&name));
    s->downloaded =
        (struct downloaded){.first = SHARC_TIME_NONE, .last = SHARC_TIME_NONE, .last_visit = SHARC_TIME_NONE};
    connect_parts(s);
    sharc__crawl_pages_init(&s->pages);
    sharc__crawl_journal_init(&s->journal, c->out.files);
    sharc__crawl_agenda_init(&s->agenda);
    sharc__crawl_frontier_init(&s->frontier);
    sharc__crawl_controls_init(&s->controls);
    sharc__crawl_capture_init(&s->capture, &c->out, &s->pages, &s->agenda.pace, s->name, number);
    SHARC_GROW(c->site, c->sites_room, c->sites + 1);
    c->site[c->sites++] = s;
    return s;
}

void sharc__crawl_site_shed(struct site *s)
{
    if (s->pages.urls) s->known = pages_count(&s->pages);
    sharc__crawl_frontier_done(&s->frontier);
    sharc__crawl_sources_done(&s->sources);
    sharc__crawl_aliases_done(&s->aliases);
    sharc__crawl_controls_done(&s->controls);
    sharc__crawl_agenda_done(&s->agenda);
    sharc__crawl_rates_done(&s->rates);
    sharc__crawl_heard_done(&s->heard);
    sharc__crawl_capture_done(&s->capture);
    sharc__crawl_journal_done(&s->journal);
    sharc__crawl_pages_done(&s->pages);
    sharc_url_done(&s->url);
}

void sharc__crawl_site_free(struct site *s)
{
    sharc__crawl_site_shed(s);
    sharc__crawl_summary_clear(&s->summary);
    sharc_store_weakness_done(&s->weakness);
    sharc__crawl_times_done(&s->times);
    for (size_t i = 0; i < s->seeds_count; i++) free(s->seeds[i]);
    free(s->seeds);
    free(s->name);
    free(s);
}

int sharc__crawl_put_site(struct site *s, struct sharc_span settings, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf seeds = SHARC_BUF_INIT(16u << 20);
    struct sharc_json j;
    sharc_json_init(&j, &seeds, false);
    sharc_json_array(&j, NULL);
    for (size_t i = 0; i < s->seeds_count; i++) sharc_json_str(&j, NULL, s->seeds[i]);
    sharc_json_end(&j);
    struct sharc_store_site row = {.name = sharc_span_of(s->name),
                                   .seeds = sharc_buf_span(&seeds),
                                   .settings = settings};
    sharc_store_id id = 0;
    int r = sharc_store_site_put(s->crawl->ctx.w.store, &row, &id, reterr);
    if (r == 0) sharc__crawl_capture_is(&s->capture, id, 0, SHARC_TIME_NONE, s->seeds[0]);
    return r;
}
