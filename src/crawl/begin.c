/* SPDX-License-Identifier: Apache-2.0
 *
 * A site's capture begins, or goes on where the catalogue's last commit says it was.
 */
#include "earlier.h"
#include "engine.h"

#include "sharc/base_json.h"
#include "sharc/base_node.h"
#include "sharc/change_audit.h"
#include "sharc/store_query.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>

/* --- parameters -------------------------------------------------------------------- */

static void put_changes(const struct sharc_crawl *c, struct sharc_json *j)
{
    char text[SHARC_TIME_TEXT];
    sharc_json_array(j, "changes");
    for (size_t i = 0; i < c->steering.count; i++) {
        sharc_json_object(j, NULL);
        sharc_json_str(j, "time", sharc_time_iso(c->steering.changes[i].when, 3, text));
        sharc_json_str(j, "setting", c->steering.changes[i].text);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

/* What the settings say of this site alone. */
static void put_own_settings(const struct site *s, struct sharc_json *j)
{
    const struct own *own = sharc__crawl_own_of(&s->crawl->steering.own, sharc_span_of(s->name));
    if (!own) return;
    sharc_json_array(j, "site_settings");
    for (size_t i = 0; i < own->count; i++) sharc_json_str(j, NULL, own->settings[i]);
    sharc_json_end(j);
}

/* As option --controls has it; only what is not usual. */
static void put_controls(const struct sharc_crawl_options *o, struct sharc_json *j)
{
    char share[32];
    snprintf(share, sizeof share, "%.17g", o->control_share);
    if (o->controls == SHARC_CRAWL_CONTROLS_BUDGET && o->control_share > 0) sharc_json_str(j, "controls", share);
    if (o->controls == SHARC_CRAWL_CONTROLS_EVERY) sharc_json_str(j, "controls", "every");
    if (o->controls == SHARC_CRAWL_CONTROLS_NONE) sharc_json_str(j, "controls", "none");
}

/* What is known of the clock that dated the capture. */
static void put_clock(const struct site *s, const struct sharc_crawl_summary *m, struct sharc_json *j)
{
    char text[SHARC_TIME_TEXT];
    sharc_json_object(j, "clock");
    sharc_json_uint(j, "answers", m->clock.answers);
    if (m->clock.answers) {
        sharc_json_real(j, "servers_ahead_seconds", sharc_time_seconds(m->clock.offset));
        sharc_json_real(j, "low", sharc_time_seconds(m->clock.low));
        sharc_json_real(j, "high", sharc_time_seconds(m->clock.high));
    }
    sharc_json_array(j, "set");
    for (size_t i = 0; i < s->times.jumps; i++) {
        const struct clock_jump *jump = &s->times.jump[i];
        sharc_json_object(j, NULL);
        sharc_json_str(j, "time", sharc_time_iso(jump->when, 3, text));
        sharc_json_real(j, "by_seconds", sharc_time_seconds(jump->by));
        sharc_json_bool(j, "between_runs", jump->between);
        sharc_json_end(j);
    }
    sharc_json_end(j);
    sharc_json_end(j);
}

/* With it whoever has the pages can repeat which of them were audited. */
static void put_audit_seed(const struct site *s, struct sharc_json *j)
{
    char text[32];
    snprintf(text, sizeof text, "%016" PRIx64, s->audit_seed);
    sharc_json_str(j, "audit_seed", text);
}

/* One that neither the server can guess nor the operator choose: on the real clock it is always the system's. A
 * simulated capture repeats itself by the seed of its options. */
static void draw_audit_seed(struct site *s)
{
    const struct context *ctx = &s->crawl->ctx;
    s->audit_seed = ctx->w.clock == sharc_clock_real() ? 0 : ctx->o.seed;
    while (s->audit_seed == 0)
        if (getrandom(&s->audit_seed, sizeof s->audit_seed, 0) != (ssize_t)sizeof s->audit_seed)
            SHARC_BUG("the system gives no random numbers");
}

void sharc__crawl_params(const struct site *s, const struct sharc_strategy_params *p,
                         const struct sharc_crawl_summary *m, struct sharc_buf *out)
{
    const struct sharc_crawl *c = s->crawl;
    struct sharc_json j;
    sharc_json_init(&j, out, false);
    sharc_json_object(&j, NULL);
    sharc_json_uint(&j, "journal", JOURNAL_FORM);
    sharc_json_int(&j, "crawl", c->run); /* import knows another "run" */
    sharc_json_real(&j, "delay", (double)s->agenda.pace.delay / (double)SHARC_SEC);
    sharc_json_bool(&j, "obey_robots", !c->ctx.o.ignore_robots);
    sharc_json_uint(&j, "size", p->size);
    sharc_json_real(&j, "confidence", p->confidence);
    sharc_json_real(&j, "risk", p->risk);
    sharc_json_real(&j, "focus_share", p->focus_share);
    sharc_json_uint(&j, "focus_pages", p->focus_pages);
    sharc_json_bool(&j, "focus_breadth_first", p->focus_breadth_first);
    sharc_json_uint(&j, "exact_up_to", p->exact_up_to);
    sharc_json_uint(&j, "connections", s->agenda.pace.connections);
    if (c->ctx.o.contact) sharc_json_str(&j, "contact", c->ctx.o.contact);
    if (c->ctx.o.allow_private) sharc_json_bool(&j, "allow_private", true);
    put_audit_seed(s, &j);
    put_controls(&c->ctx.o, &j);
    if (s->agenda.phase == SHARC_CRAWL_CONTROLS) sharc_json_str(&j, "phase", sharc_crawl_phase_text(s->agenda.phase));
    sharc_store_weakness_put(&s->weakness, &j);
    put_own_settings(s, &j);
    if (c->steering.count) put_changes(c, &j);
    if (m) {
        sharc_json_object(&j, "quality");
        sharc_json_bool(&j, "proved_by_revisits", m->revisits);
        sharc_json_uint(&j, "judged", m->judged);
        sharc_json_uint(&j, "coherent", m->coherent);
        sharc_json_real(&j, "blur", m->blur);
        sharc_json_real(&j, "interrupted_seconds", sharc_time_seconds(m->interrupted));
        sharc_json_end(&j);
        put_clock(s, m, &j);
        sharc__crawl_heard_put(&s->heard, &j);
    }
    sharc_json_end(&j);
}

/* A strategy comes back to its old state only with its old parameters. Returns the form
 * of the journal. */
static int64_t get_params(struct site *s, struct sharc_span text, struct sharc_strategy_params *p)
{
    int64_t form = 0;
    struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
    const struct sharc_node *n = NULL;
    if (sharc_json_read(text, &arena, &n, NULL) == 0) {
        form = sharc_node_int(sharc_node_get(n, "journal"), form);
        p->size = (uint32_t)sharc_node_int(sharc_node_get(n, "size"), p->size);
        p->confidence = sharc_node_real(sharc_node_get(n, "confidence"), p->confidence);
        p->risk = sharc_node_real(sharc_node_get(n, "risk"), p->risk);
        p->focus_share = sharc_node_real(sharc_node_get(n, "focus_share"), p->focus_share);
        p->focus_pages = (uint32_t)sharc_node_int(sharc_node_get(n, "focus_pages"), p->focus_pages);
        p->focus_breadth_first = sharc_node_bool(sharc_node_get(n, "focus_breadth_first"), p->focus_breadth_first);
        p->exact_up_to = (uint32_t)sharc_node_int(sharc_node_get(n, "exact_up_to"), p->exact_up_to);
        s->audit_seed = sharc_audit_seed(sharc_node_text(sharc_node_get(n, "audit_seed")));
        sharc_store_weakness_read(&s->weakness, n);
    }
    sharc_arena_done(&arena);
    return form;
}

/* --- going on -------------------------------------------------------------------------- */

static int go_on(struct site *s, const struct sharc_store_capture *row, struct sharc_err *reterr)
{
    const struct context *ctx = &s->crawl->ctx;
    struct sharc_strategy_params params = ctx->o.params;
    SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(row->strategy);
    const struct sharc_strategy_ops *ops = sharc_strategy_find(name);
    SHARC_FAIL_IF(!ops, reterr, SHARC_EUNSUPPORTED,
                  "%s: its capture was started with the strategy \"%s\", which this version does not have; start a new "
                  "one with setting \"fresh\"",
                  s->name, name);
    SHARC_FAIL_IF(get_params(s, row->params, &params) != JOURNAL_FORM, reterr, SHARC_EUNSUPPORTED,
                  "%s: its unfinished capture was started by another version of sharc; finish it with that version, or "
                  "start a new one with setting \"fresh\"",
                  s->name);
    sharc__crawl_capture_is(&s->capture, s->capture.site, row->id, row->start, s->seeds[0]);
    s->resumed = true;
    const struct sharc_crawl_pace pace = sharc__crawl_pace_at(s, s->reach.home);
    if (row->state == SHARC_CAPTURE_RUNNING)
        sharc__crawl_group_pause(&s->crawl->hosts.group[s->reach.home], &pace, crawl_now(ctx));
    int r = sharc__crawl_plan_begin(&s->agenda, ops, &params, reterr);
    if (r == 0) r = sharc__crawl_replay(s, reterr);
    if (r < 0) return r;
    char when[SHARC_TIME_TEXT];
    sharc__crawl_remark(ctx, "%s: resuming capture %lld (%s) of %s; setting \"fresh\" starts a new one", s->name,
                        (long long)s->capture.id, name, sharc_time_iso(row->start, 0, when));
    struct clock_jump jump;
    if (sharc__crawl_times_resumed(&s->times, ctx->w.clock, &s->before, &jump))
        sharc__crawl_clock_was_set(s, &jump);
    else if (s->times.compare)
        sharc__crawl_times_doubt(&s->pages, &s->journal);
    sharc__crawl_agenda_requeue(&s->agenda);
    sharc__crawl_remember_sessions(&s->frontier);
    struct sharc_store_capture update = SHARC_STORE_CAPTURE_INIT;
    update.id = s->capture.id;
    update.state = SHARC_CAPTURE_RUNNING;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf now = SHARC_BUF_INIT(4u << 20);
    sharc__crawl_params(s, &params, NULL, &now); /* the options of this run count from here on */
    update.params = sharc_buf_span(&now);
    return sharc_store_capture_update(ctx->w.store, &update, reterr);
}

/* The newest capture of the site that a crawl made, if it was not finished: 1 and taken up. An
 * older one that was given up for a newer one is left as it is. For a job: the one that it makes. */
static int find_unfinished(struct site *s, struct sharc_err *reterr)
{
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const sharc_store_id job = s->crawl->ctx.o.job.capture;
    f.site = s->capture.site;
    f.newest_first = true;
    int r = sharc_store_captures(s->crawl->ctx.w.store, &f, &rows, reterr);
    if (r < 0) return r;
    struct sharc_store_capture row;
    while ((r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_capture(rows, &row);
        if (job ? row.id == job : sharc_span_is(row.source, "crawl")) break;
    }
    if (r <= 0) return r;
    if (row.state != SHARC_CAPTURE_RUNNING && row.state != SHARC_CAPTURE_INTERRUPTED) return 0;
    SHARC_AUTO(sharc_freep) char *strategy = sharc_span_dup(row.strategy);
    SHARC_AUTO(sharc_freep) char *params = sharc_span_dup(row.params);
    row.strategy = sharc_span_of(strategy);
    row.params = sharc_span_of(params);
    sharc_store_rows_freep(&rows);
    r = go_on(s, &row, reterr);
    return r < 0 ? r : 1;
}

/* --- beginning ------------------------------------------------------------------------- */

static int begin_capture(struct site *s, struct sharc_err *reterr)
{
    const struct context *ctx = &s->crawl->ctx;
    const struct sharc_crawl_options *o = &ctx->o;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf params = SHARC_BUF_INIT(4u << 20);
    draw_audit_seed(s);
    sharc__crawl_params(s, &o->params, NULL, &params);
    int r = sharc__crawl_plan_begin(&s->agenda, o->strategy, &o->params, reterr);
    if (r < 0) return r;
    struct sharc_store_capture row = SHARC_STORE_CAPTURE_INIT;
    row.site = s->capture.site;
    row.strategy = sharc_span_of(o->strategy->name);
    row.purpose = o->purpose == SHARC_FOR_EVIDENCE ? SHARC_SPAN("evidence") : SHARC_SPAN("exploration");
    row.params = sharc_buf_span(&params);
    row.source = SHARC_SPAN("crawl");
    row.start = crawl_now(ctx);
    row.state = SHARC_CAPTURE_RUNNING;
    sharc_store_id id = 0;
    r = sharc_store_capture_add(ctx->w.store, &row, &id, NULL, reterr);
    sharc__crawl_capture_is(&s->capture, s->capture.site, id, row.start, s->seeds[0]);
    return r;
}

static void find_seeds(struct site *s)
{
    for (size_t i = 0; i < s->seeds_count; i++) {
        struct finding f = FINDING(sharc_span_of(s->seeds[i]), NO_PAGE, 0);
        sharc__crawl_found(&s->frontier, &f);
    }
}

/* What earlier captures know. */
static int remember(struct site *s, struct sharc_err *reterr)
{
    sharc_store_id earlier = 0;
    int r = sharc__crawl_earlier_capture(&s->frontier, &earlier, reterr);
    if (r < 0 || earlier == 0) return r;
    find_seeds(s); /* breadth-first begins with them */
    r = sharc__crawl_earlier_pages(&s->frontier, earlier, reterr);
    if (r == 0) r = sharc__crawl_earlier_weights(&s->frontier, earlier, reterr);
    if (r == 0) r = sharc__crawl_earlier_rates(&s->frontier, reterr);
    return r;
}

static int go_on_or_begin(struct site *s, struct sharc_err *reterr)
{
    const struct sharc_crawl_options *o = &s->crawl->ctx.o;
    int r = 0;
    sharc__crawl_weakness_add(&s->weakness, o);
    if (!o->forget) r = sharc__crawl_heard_remember(&s->heard, s->crawl->ctx.w.store, s->capture.site, reterr);
    if (r < 0) return r;
    if (o->job.id ? o->job.capture != 0 : !o->fresh) r = find_unfinished(s, reterr);
    if (r != 0) return r < 0 ? r : 0;
    r = begin_capture(s, reterr);
    return r < 0 || o->forget ? r : remember(s, reterr);
}

/* --- a site -------------------------------------------------------------------------------- */

/* A list on the host of one of the sites is about that site; one elsewhere may be about
 * all of them. */
static bool is_source_of(struct site *s, struct sharc_span source)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    if (sharc_url_parse(&s->url, source, NULL, NULL) < 0) return true;
    sharc__crawl_site_name(&s->url, &name);
    uint32_t number = sharc_intern_find(s->crawl->site_names, sharc_buf_span(&name));
    return number == SHARC_NO_ID || number == s->number;
}

/* Settings that were changed, and that the site's journal does not know yet. */
static void note_changes(struct site *s)
{
    const struct sharc_crawl *c = s->crawl;
    for (size_t i = 0; i < c->steering.count; i++)
        if (!s->resumed || c->steering.changes[i].when >= c->next.started)
            sharc__crawl_note_change(&s->journal, &c->steering.changes[i]);
}

/* Delays of some seconds pass by themselves; a server that wants more is worth a word. */
static void wait_if_asked(struct site *s)
{
    sharc_time now = crawl_now(&s->crawl->ctx);
    sharc_time due = sharc__crawl_group_due(&s->crawl->hosts.group[s->reach.home]);
    if (due > now + SHARC_MINUTE / 2) sharc__crawl_asked_away(&s->reach, now, due);
}

int sharc__crawl_site_begin(struct site *s, struct sharc_err *reterr)
{
    struct sharc_crawl *c = s->crawl;
    const struct sharc_crawl_options *o = &c->ctx.o;
    int r = sharc__crawl_scope_rules(&s->frontier, reterr);
    if (r < 0) return r;
    sharc__crawl_rates_init(&s->rates, &s->agenda.pace);
    (void)sharc_url_parse(&s->url, sharc_span_of(s->seeds[0]), NULL, NULL);
    uint32_t host = sharc__crawl_hosts_of(&c->hosts, &s->url);
    s->group = c->hosts.host[host].group;
    sharc__crawl_reach_home(&s->reach, s->group);
    sharc__crawl_pace_of_host(c, host);
    r = go_on_or_begin(s, reterr);
    if (r == 0 && s->agenda.plan.ops->revisits) r = sharc__crawl_hints_read(&s->controls, s->capture.site, reterr);
    wait_if_asked(s);
    sharc__crawl_limits_begin(&s->agenda);
    if (r == 0) note_changes(s);
    if (r == 0 && !c->out.warc) r = sharc__crawl_warc_open(&c->out, &s->capture, reterr);
    if (r < 0) return r;
    find_seeds(s);
    if (!s->agenda.plan.started) sharc__crawl_ask_robots(&s->sources, host);
    for (size_t i = 0; i < o->sources_count; i++)
        if (is_source_of(s, sharc_span_of(o->sources[i])))
            sharc__crawl_list(&s->sources, sharc_span_of(o->sources[i]), NO_PAGE);
    return 0;
}
