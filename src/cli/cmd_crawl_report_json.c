/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc crawl --json: the summary for programs.
 */
#include "cmd_crawl_report.h"

#include "sharc/change_grade.h"

#include <math.h>

static void json_time(struct sharc_json *j, const char *name, sharc_time t)
{
    char text[SHARC_TIME_TEXT];
    sharc_json_str(j, name, t == SHARC_TIME_NONE ? NULL : sharc_time_iso(t, 6, text));
}

/* Every reason that occurs, and the grades they add up to: never in one sum. */
static void json_grades(struct sharc_json *j, const struct sharc_crawl_summary *s)
{
    uint64_t grade[SHARC_GRADE_COUNT];
    crawl_count_grades(s, grade);
    sharc_json_object(j, "grades");
    for (int g = SHARC_GRADE_IDENTICAL; g < SHARC_GRADE_COUNT; g++)
        sharc_json_uint(j, sharc_grade_word((enum sharc_grade)g), grade[g]);
    sharc_json_end(j);
    sharc_json_object(j, "reasons");
    for (int r = 0; r < SHARC_GRADE_REASON_COUNT; r++)
        if (s->reason[r]) sharc_json_uint(j, sharc_grade_reason_word((enum sharc_grade_reason)r), s->reason[r]);
    sharc_json_end(j);
    sharc_json_uint(j, "apart", s->apart);
    sharc_json_uint(j, "whole_pages", s->whole);
    sharc_json_uint(j, "whole_pages_proved", s->whole_coherent);
    sharc_json_uint(j, "attested", s->attested);
    sharc_json_uint(j, "audited", s->audited);
    sharc_json_object(j, "signals");
    sharc_json_uint(j, "lists", s->signals.lists);
    sharc_json_uint(j, "read_again", s->signals.readings);
    sharc_json_uint(j, "told", s->signals.told);
    sharc_json_uint(j, "missed", s->signals.missed);
    sharc_json_uint(j, "right", s->signals.right);
    sharc_json_uint(j, "wrong", s->signals.wrong);
    sharc_json_end(j);
    sharc_json_uint(j, "lies", s->lies);
}

static void json_clock(struct sharc_json *j, const struct sharc_crawl_summary *s)
{
    sharc_json_object(j, "clock");
    sharc_json_uint(j, "answers", s->clock.answers);
    if (s->clock.answers) {
        sharc_json_real(j, "servers_ahead_seconds", (double)s->clock.offset / (double)SHARC_SEC);
        sharc_json_real(j, "low", (double)s->clock.low / (double)SHARC_SEC);
        sharc_json_real(j, "high", (double)s->clock.high / (double)SHARC_SEC);
    }
    sharc_json_uint(j, "jumps", s->clock.jumps);
    if (s->clock.jumps) sharc_json_real(j, "largest_jump_seconds", (double)s->clock.by / (double)SHARC_SEC);
    sharc_json_end(j);
}

static void json_site(struct sharc_json *j, const struct sharc_crawl_summary *s)
{
    sharc_json_object(j, NULL);
    sharc_json_str(j, "site", s->name);
    sharc_json_int(j, "capture", s->capture);
    sharc_json_str(j, "strategy", s->strategy);
    sharc_json_str(j, "state", sharc_crawl_phase_text(s->phase));
    SHARC_AUTO(sharc_freep) char *why = cli_words(s->why);
    if (why[0]) sharc_json_str(j, "why", why);
    sharc_json_bool(j, "resumed", s->resumed);
    if (s->before) sharc_json_bool(j, "captured_before", true);
    json_time(j, "start", s->start);
    json_time(j, "end", s->end);
    if (s->took == SHARC_TIME_NONE)
        sharc_json_null(j, "took_seconds");
    else
        sharc_json_real(j, "took_seconds", sharc_time_seconds(s->took));
    json_time(j, "reference", s->reference);
    json_time(j, "reference_from", s->revisits ? s->reference_from : SHARC_TIME_NONE);
    json_time(j, "reference_to", s->revisits ? s->reference_to : SHARC_TIME_NONE);
    sharc_json_uint(j, "pages", s->pages);
    sharc_json_uint(j, "embeds", s->embeds);
    sharc_json_uint(j, "redirects", s->redirects);
    sharc_json_uint(j, "aliases", s->aliases);
    sharc_json_uint(j, "downloads", s->downloads);
    sharc_json_uint(j, "bytes", s->bytes);
    sharc_json_uint(j, "gone", s->gone);
    sharc_json_uint(j, "failed", s->failed);
    sharc_json_uint(j, "skipped", s->skipped);
    sharc_json_uint(j, "revisited", s->revisited);
    sharc_json_uint(j, "not_modified", s->not_modified);
    sharc_json_uint(j, "identical", s->identical);
    sharc_json_uint(j, "unchanged", s->unchanged);
    sharc_json_uint(j, "insignificant", s->alike);
    sharc_json_uint(j, "changed", s->changed);
    sharc_json_uint(j, "revisits_failed", s->lost);
    sharc_json_str(j, "weakened", s->weakened);
    sharc_json_bool(j, "proved_by_revisits", s->revisits);
    sharc_json_uint(j, "judged", s->judged);
    sharc_json_uint(j, "coherent", s->coherent);
    sharc_json_real(j, "coherent_share", s->coherent_share);
    if (s->revisits) json_grades(j, s);
    json_clock(j, s);
    sharc_json_real(j, "blur", s->blur);
    sharc_json_real(j, "interrupted_seconds", (double)s->interrupted / (double)SHARC_SEC);
    sharc_json_array(j, "worst");
    for (size_t i = 0; i < s->worst_count; i++) {
        sharc_json_object(j, NULL);
        sharc_json_str(j, "name", s->worst[i].name);
        sharc_json_uint(j, "pages", s->worst[i].pages);
        sharc_json_uint(j, "incoherent", s->worst[i].incoherent);
        sharc_json_real(j, "blur", s->worst[i].blur / fmax(s->worst[i].pages, 1));
        sharc_json_end(j);
    }
    sharc_json_end(j);
    sharc_json_end(j);
}

void crawl_report_json(struct cli *c, const struct sharc_crawl *crawl, const char *archive)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(256u << 20);
    struct sharc_json j;
    struct sharc_crawl_summary s;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "archive", archive);
    sharc_json_array(&j, "sites");
    for (size_t i = 0; i < sharc_crawl_sites(crawl); i++) {
        sharc_crawl_site(crawl, i, &s);
        json_site(&j, &s);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}
