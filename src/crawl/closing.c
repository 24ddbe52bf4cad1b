/* SPDX-License-Identifier: Apache-2.0
 *
 * The closing records of a capture: its verdict, as metadata records of its last WARC file, so
 * that it travels with the bytes it is about. Lines of JSON; docs/evidence.md describes them.
 *
 *   {"sharc":"verdict","form":1,"capture":…,"site":…,"part":0, reference interval, counts by reason …}
 *   {"params":…}                                   how the capture was made, with all that weakens it
 *   {"scope":{"limits":…,"rules":[…]}}              which URLs belong to it, as the rules were at the end
 *   {"url":…,"reason":…,"known_from":…,"known_to":…,"content":…,"detail":…}       one per page
 *   {"skipped":…,"reason":…}     one per address that was found and not fetched, but for those outside the scope
 *   {"aside":…,"reason":…}       one per page that does not count: "canonical" or "soft-404"
 *   {"audited":…}                one per page whose answer 304 was checked by a download, or was to be
 *   {"control":…,"step":…,"at":…}   one per control download that brought no answer, and so has no record of its own
 *
 * Large verdicts go on in further records, each of which begins with a line that names the
 * capture. A capture that was killed in its last moments may have two verdicts: the last one counts.
 */
#include "engine.h"
#include "verdict.h"

#include "sharc/base_json.h"

enum { PIECE = 4 << 20 };

struct closing {
    struct site *site;
    struct sharc_buf out; /* of the record being made */
    unsigned part;
};

static void put_counts(const struct sharc_crawl_summary *m, const struct grades *all, struct sharc_json *j)
{
    sharc_json_time(j, "start", m->start);
    sharc_json_time(j, "end", m->end);
    sharc_json_time(j, "reference", m->reference);
    sharc_json_time(j, "reference_from", all->from);
    sharc_json_time(j, "reference_to", all->to);
    sharc_json_uint(j, "judged", m->judged);
    sharc_json_uint(j, "coherent", m->coherent);
    sharc_json_uint(j, "apart", m->apart);
    sharc_json_uint(j, "whole_pages", m->whole);
    sharc_json_uint(j, "whole_pages_proved", m->whole_coherent);
    sharc_json_object(j, "reasons");
    for (int r = 0; r < SHARC_GRADE_REASON_COUNT; r++)
        if (m->reason[r]) sharc_json_uint(j, sharc_grade_reason_word((enum sharc_grade_reason)r), m->reason[r]);
    sharc_json_end(j);
    sharc_json_uint(j, "attested", m->attested);
    sharc_json_uint(j, "audited", m->audited);
    sharc_json_uint(j, "lies", m->lies);
    sharc_json_bool(j, "audits_listed", true);
}

/* Which URLs belong to the capture. */
static void put_scope(const struct site *s, struct sharc_buf *out)
{
    const struct sharc_crawl_pace *most = &s->agenda.pace;
    enum sharc_scope_sign sign;
    struct sharc_span rule, origin;
    struct sharc_json j;
    if (!s->frontier.scope) return;
    sharc_json_init(&j, out, false);
    sharc_json_object(&j, NULL);
    sharc_json_object(&j, "scope");
    sharc_json_bool(&j, "embeds", !s->crawl->ctx.o.no_embeds);
    sharc_json_object(&j, "limits");
    if (most->bytes) sharc_json_uint(&j, "bytes", most->bytes);
    if (most->pages) sharc_json_uint(&j, "pages", most->pages);
    if (most->time > 0) sharc_json_int(&j, "seconds", most->time / SHARC_SEC);
    sharc_json_end(&j);
    sharc_json_bool(&j, "robots", !s->crawl->ctx.o.ignore_robots);
    sharc_json_array(&j, "rules");
    for (uint32_t i = 1; sharc_scope_rule(s->frontier.scope, i, &sign, &rule, &origin); i++) {
        sharc_json_object(&j, NULL);
        sharc_json_span(&j, "from", origin);
        sharc_json_span(&j, "rule", rule);
        sharc_json_str(&j, "sign", sign == SHARC_INCLUDE ? "include" : "exclude");
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    sharc_json_end(&j);
    sharc_buf_put_char(out, '\n');
}

static bool has_failed(const struct control *made)
{
    return made->file == SHARC_NO_ID && made->start != 0;
}

static void put_control_counts(const struct controls *c, struct sharc_json *j)
{
    size_t made = 0, failed = 0;
    for (size_t i = 0; i < c->made_count; i++) {
        made += c->made[i].start != 0; /* else a limit or robots.txt forbade it */
        failed += has_failed(&c->made[i]);
    }
    sharc_json_uint(j, "controls", made);
    sharc_json_uint(j, "controls_failed", failed);
}

/* The line that every record begins with. */
static void begin_piece(struct closing *c, const struct grades *all)
{
    const struct site *s = c->site;
    struct sharc_json j;
    sharc_buf_clear(&c->out);
    sharc_json_init(&j, &c->out, false);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "sharc", "verdict");
    sharc_json_uint(&j, "form", 1);
    sharc_json_time(&j, "capture", s->capture.started_at);
    sharc_json_str(&j, "site", s->name);
    sharc_json_uint(&j, "part", c->part);
    if (c->part == 0) put_counts(&s->summary, all, &j);
    if (c->part == 0) put_control_counts(&s->controls, &j);
    sharc_json_end(&j);
    sharc_buf_put_char(&c->out, '\n');
    if (c->part++ > 0) return;
    sharc_buf_put_str(&c->out, "{\"params\":");
    sharc__crawl_params(s, &s->agenda.plan.params, &s->summary, &c->out);
    sharc_buf_put_str(&c->out, "}\n");
    put_scope(s, &c->out);
}

static void put_page(struct closing *c, const struct graded *row)
{
    const struct site *s = c->site;
    const struct version *v = page_version(&s->pages, row->page);
    char digest[SHARC_DIGEST_TEXT];
    SHARC_AUTO(sharc_buf_done) struct sharc_buf detail = SHARC_BUF_INIT(1u << 20);
    struct sharc_json j;
    sharc_json_init(&j, &c->out, false);
    sharc_json_object(&j, NULL);
    sharc_json_span(&j, "url", page_url(&s->pages, row->page));
    sharc_json_str(&j, "reason", sharc_grade_reason_word(row->reason));
    sharc_json_time(&j, "known_from", row->from);
    sharc_json_time(&j, "known_to", row->to);
    if (v && (v->marks & VERSION_CONTENT)) {
        struct sharc_digest d = {.kind = SHARC_SHA256, .n = sizeof v->content};
        memcpy(d.bytes, v->content, sizeof v->content);
        sharc_json_str(&j, "content", sharc_digest_text(&d, digest));
    }
    sharc__crawl_case_detail(&s->controls, row->page, &detail);
    if (detail.n) sharc_json_span(&j, "detail", sharc_buf_span(&detail));
    sharc_json_end(&j);
    sharc_buf_put_char(&c->out, '\n');
}

static int end_piece(struct closing *c, struct sharc_err *reterr)
{
    int r = sharc_buf_result(&c->out, reterr);
    return r < 0 ? r : sharc__crawl_record_closing(&c->site->capture, sharc_buf_span(&c->out), reterr);
}

/* Addresses outside the scope are the rest of the web; those that failed are among the pages. */
static bool is_told(enum sharc_crawl_reason why)
{
    return why != SHARC_SKIP_NONE && why != SHARC_SKIP_SCOPE && why != SHARC_SKIP_EXCLUDED &&
           why != SHARC_SKIP_SCHEME && why != SHARC_SKIP_BAD_URL && why != SHARC_SKIP_CANONICAL &&
           why != SHARC_SKIP_FAILED && why != SHARC_SKIP_BUSY && why != SHARC_SKIP_UNREACHABLE;
}

static bool put_skipped(struct closing *c, uint32_t page)
{
    const struct pages *p = &c->site->pages;
    enum sharc_crawl_reason why = (enum sharc_crawl_reason)p->page[page].reason;
    struct sharc_json j;
    if (!is_told(why)) return false;
    sharc_json_init(&j, &c->out, false);
    sharc_json_object(&j, NULL);
    sharc_json_span(&j, "skipped", page_url(p, page));
    sharc_json_str(&j, "reason", sharc_crawl_reason_word(why));
    sharc_json_end(&j);
    sharc_buf_put_char(&c->out, '\n');
    return true;
}

static bool put_aside(struct closing *c, uint32_t page)
{
    static const char *const words[] = {[ASIDE_CANONICAL] = "canonical", [ASIDE_SOFT_404] = "soft-404"};
    const struct pages *p = &c->site->pages;
    const enum aside aside = sharc__crawl_aside(p, page);
    struct sharc_json j;
    if (aside == ASIDE_NOT) return false;
    sharc_json_init(&j, &c->out, false);
    sharc_json_object(&j, NULL);
    sharc_json_span(&j, "aside", page_url(p, page));
    sharc_json_str(&j, "reason", words[aside]);
    sharc_json_end(&j);
    sharc_buf_put_char(&c->out, '\n');
    return true;
}

/* A control download that failed proves nothing, but it was made. */
static bool put_failed_control(struct closing *c, const struct control *made)
{
    struct sharc_json j;
    if (!has_failed(made)) return false;
    sharc_json_init(&j, &c->out, false);
    sharc_json_object(&j, NULL);
    sharc_json_span(&j, "control", page_url(&c->site->pages, made->page));
    sharc_json_str(&j, "step", sharc__crawl_control_word(made->step));
    sharc_json_time(&j, "at", made->start);
    sharc_json_end(&j);
    sharc_buf_put_char(&c->out, '\n');
    return true;
}

/* The choice, so that it can be repeated: also audits that brought no answer, or for which there was no time. */
static bool put_audited(struct closing *c, uint32_t page)
{
    const struct version *v = page_version(&c->site->pages, page);
    struct sharc_json j;
    if (!v || !(v->marks & VERSION_AUDITED)) return false;
    sharc_json_init(&j, &c->out, false);
    sharc_json_object(&j, NULL);
    sharc_json_span(&j, "audited", page_url(&c->site->pages, page));
    sharc_json_end(&j);
    sharc_buf_put_char(&c->out, '\n');
    return true;
}

/* A record that is large enough is ended, and the next one begun. */
static int turn(struct closing *c, const struct grades *all, struct sharc_err *reterr)
{
    if (c->out.n < PIECE) return 0;
    int r = end_piece(c, reterr);
    begin_piece(c, all);
    return r;
}

int sharc__crawl_put_closing(struct site *s, const struct grades *all, struct sharc_err *reterr)
{
    struct closing c = {.site = s, .out = SHARC_BUF_INIT(64u << 20)};
    int r = 0;
    begin_piece(&c, all);
    for (uint32_t i = 0; i < all->n && r == 0; i++) {
        put_page(&c, &all->row[i]);
        if (i + 1 < all->n) r = turn(&c, all, reterr);
    }
    for (uint32_t i = 0; i < pages_count(&s->pages) && r == 0; i++)
        if (put_skipped(&c, i) || put_aside(&c, i)) r = turn(&c, all, reterr);
    for (uint32_t i = 0; i < pages_count(&s->pages) && r == 0; i++)
        if (put_audited(&c, i)) r = turn(&c, all, reterr);
    for (size_t i = 0; i < s->controls.made_count && r == 0; i++)
        if (put_failed_control(&c, &s->controls.made[i])) r = turn(&c, all, reterr);
    if (r == 0) r = end_piece(&c, reterr);
    sharc_buf_done(&c.out);
    return r;
}
