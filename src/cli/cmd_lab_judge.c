/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc lab judge: what a capture of a living site says, held against the truth.
 */
#include "archive.h"
#include "cmd_lab.h"

#include "sharc/change_grade.h"
#include "sharc/lab_verdict.h"
#include "sharc/store_query.h"

/* "token, teaser"; "no noise". */
static void put_noise(struct sharc_buf *out, uint32_t noise)
{
    const char *between = "";
    if (noise == 0) sharc_buf_put_str(out, "no noise");
    for (unsigned k = 0; k < SHARC_LAB_NOISE_COUNT; k++) {
        if (!(noise & SHARC_LAB_BIT(k))) continue;
        sharc_buf_printf(out, "%s%s", between, sharc_lab_noise_word((enum sharc_lab_noise)k));
        between = ", ";
    }
}

#define ALARMS_SHOWN 12u

static void write_alarms(struct cli *c, const struct sharc_lab_evidence *e)
{
    static const char *const titles[] = {"not edited, not proved: noise", "why", "pages"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(3, titles, "llr");
    size_t shown = e->alarm_count < ALARMS_SHOWN ? e->alarm_count : ALARMS_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf noise = SHARC_BUF_INIT(4096);
        put_noise(&noise, e->alarm[i].noise);
        cli_table_cell(t, "%s", sharc_buf_str(&noise));
        cli_table_cell(t, "%s", e->alarm[i].why);
        cli_table_cell(t, "%zu", e->alarm[i].count);
    }
    fputs("\n", c->out);
    cli_table_print(t, c->out);
    if (e->alarm_count > shown)
        fprintf(c->out, "%s; --json lists them\n", SHARC_COUNT(e->alarm_count - shown, "kind more|kinds more"));
}

static void write_causes(struct cli *c, const struct sharc_lab_evidence *e)
{
    static const char *const titles[] = {"edit", "pages", "called proved"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(3, titles, "lrr");
    for (int i = 0; i < SHARC_LAB_CAUSES; i++) {
        if (e->by_cause[i] == 0 && e->false_proofs[i] == 0) continue;
        cli_table_cell(t, "%s", sharc_lab_cause_word(i));
        cli_table_cell(t, "%zu", e->by_cause[i]);
        cli_table_cell(t, "%zu", e->false_proofs[i]);
    }
    fputs("\n", c->out);
    cli_table_print(t, c->out);
}

static void write_wholes(struct cli *c, const struct sharc_lab_evidence *e)
{
    const struct sharc_lab_wholes *w = &e->wholes;
    size_t unedited = w->pages - w->edited;
    fprintf(c->out, "  with all that they embed: %zu of %s proved, %zu false; %zu edited, %zu of them only in a part\n",
            w->proved, SHARC_COUNT(w->pages, "page"), sharc_lab_false_wholes(e), w->edited, w->by_part);
    fprintf(c->out, "  %zu missed of %zu that were edited in no part", w->alarms, unedited);
    if (w->alarm_count > 0) fprintf(c->out, ", most because: %s", w->alarm[0].why);
    fputs("\n", c->out);
}

static void write_proofs(struct cli *c, const struct sharc_lab_evidence *e)
{
    size_t unedited = sharc_lab_unedited(e);
    fprintf(c->out, "\nProofs: %zu of %s of visit and revisit, by its %s\n", e->proved, SHARC_COUNT(e->pairs, "pair"),
            e->graded ? "grades" : "change classes: it has no grades");
    fprintf(c->out, "  %zu false; %s missed on %s not edited", sharc_lab_false_proofs(e),
            SHARC_COUNT(e->alarms, "proof"), SHARC_COUNT(unedited, "page that was|pages that were"));
    if (unedited > 0) fprintf(c->out, " (%.1f %% proved)", 100.0 * (double)(unedited - e->alarms) / (double)unedited);
    fprintf(c->out, "\n  %zu edited only where the page always differs, and %s not proved\n", e->inside,
            SHARC_COUNT(e->inside_missed, "such page|such pages"));
    fprintf(c->out, "  %zu edited and back again\n", e->undone);
    if (e->graded)
        fprintf(c->out,
                "  %zu attested by the server, and edited\n"
                "  %s too long, %s not as archived in the reference interval\n",
                e->lies, SHARC_COUNT(e->intervals, "interval"), SHARC_COUNT(e->reference, "page"));
    if (e->graded && e->wholes.pages > 0) write_wholes(c, e);
    if (e->edited > 0) write_causes(c, e);
    if (e->alarms > 0) write_alarms(c, e);
}

static void write_grades(struct cli *c, const struct sharc_lab_evidence *e)
{
    static const char *const titles[] = {"grade", "pairs", "edited between"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(3, titles, "lrr");
    for (int g = SHARC_GRADE_NONE; g < SHARC_GRADE_COUNT; g++) {
        if (g == SHARC_GRADE_NONE && e->grades[g] == 0) continue;
        cli_table_cell(t, "%s", sharc_grade_text((enum sharc_grade)g));
        cli_table_cell(t, "%zu", e->grades[g]);
        cli_table_cell(t, "%zu", e->grade_edited[g]);
    }
    cli_table_print(t, c->out);
    if (e->grades[SHARC_GRADE_VOLATILE] > 0)
        fprintf(c->out, "Volatile parts: %zu by control downloads of their own, %zu by those of other pages\n",
                e->by_own, e->by_kind);
}

static void write_findings(struct cli *c, const struct sharc_lab_verdict *v)
{
    static const char *const titles[] = {"the crawler said", "pages"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(2, titles, "lr");
    for (int i = 0; i < SHARC_LAB_FINDINGS; i++) {
        cli_table_cell(t, "%s", sharc_lab_finding_text((enum sharc_lab_finding)i));
        cli_table_cell(t, "%zu", v->findings[i]);
    }
    cli_table_print(t, c->out);
}

/* The claim of a graded capture is its grades; a change class only tells how much changed. */
static void write_text(struct cli *c, sharc_store_id capture, const struct sharc_lab_verdict *v)
{
    fprintf(c->out, "Capture %lld against the truth: %s, %s\n\n", (long long)capture, SHARC_COUNT(v->pages, "page"),
            SHARC_COUNT(v->comparisons, "comparison"));
    if (v->evidence.graded)
        write_grades(c, &v->evidence);
    else
        write_findings(c, v);
    fprintf(c->out, "\nBodies: %zu as served at that time, %zu served at another time, %zu never served\n",
            v->bodies_right, v->bodies_late, v->bodies_wrong);
    if (v->evidence.pairs > 0) write_proofs(c, &v->evidence);
    if (v->wrong_count > 0) fputs("\n", c->out);
    for (size_t i = 0; i < v->wrong_count; i++) {
        char from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT];
        fprintf(c->out, "%s: %s (%s to %s)\n", v->wrong[i].url, v->wrong[i].what,
                sharc_time_iso(v->wrong[i].from, 3, from), sharc_time_iso(v->wrong[i].to, 3, to));
    }
}

/* by_cause may be NULL: not counted. */
static void put_causes(struct sharc_json *j, const size_t *by_cause, const size_t *false_proofs)
{
    sharc_json_array(j, "edits");
    for (int i = 0; i < SHARC_LAB_CAUSES; i++) {
        if ((!by_cause || by_cause[i] == 0) && false_proofs[i] == 0) continue;
        sharc_json_object(j, NULL);
        sharc_json_str(j, "kind", sharc_lab_cause_word(i));
        if (by_cause) sharc_json_uint(j, "pages", by_cause[i]);
        sharc_json_uint(j, "false_proofs", false_proofs[i]);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static void put_alarms(struct sharc_json *j, const struct sharc_lab_alarm *alarm, size_t count)
{
    sharc_json_array(j, "missed");
    for (size_t i = 0; i < count; i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf noise = SHARC_BUF_INIT(4096);
        put_noise(&noise, alarm[i].noise);
        sharc_json_object(j, NULL);
        sharc_json_str(j, "noise", sharc_buf_str(&noise));
        sharc_json_str(j, "why", alarm[i].why);
        sharc_json_uint(j, "pages", alarm[i].count);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static void put_wholes(struct sharc_json *j, const struct sharc_lab_evidence *e)
{
    const struct sharc_lab_wholes *w = &e->wholes;
    sharc_json_object(j, "whole_pages");
    sharc_json_uint(j, "pages", w->pages);
    sharc_json_uint(j, "parts", w->parts);
    sharc_json_uint(j, "edited", w->edited);
    sharc_json_uint(j, "edited_in_a_part_only", w->by_part);
    sharc_json_uint(j, "proved", w->proved);
    sharc_json_uint(j, "false_proofs", sharc_lab_false_wholes(e));
    sharc_json_uint(j, "missed_proofs", w->alarms);
    sharc_json_uint(j, "uncertain", w->uncertain);
    put_causes(j, NULL, w->false_proofs);
    put_alarms(j, w->alarm, w->alarm_count);
    sharc_json_end(j);
}

static void put_proofs(struct sharc_json *j, const struct sharc_lab_evidence *e)
{
    sharc_json_object(j, "evidence");
    sharc_json_bool(j, "graded", e->graded);
    sharc_json_uint(j, "pairs", e->pairs);
    sharc_json_uint(j, "edited", e->edited);
    sharc_json_uint(j, "proved", e->proved);
    sharc_json_object(j, "grades");
    for (int g = 0; g < SHARC_GRADE_COUNT; g++) sharc_json_uint(j, sharc_grade_word((enum sharc_grade)g), e->grades[g]);
    sharc_json_end(j);
    sharc_json_uint(j, "by_own_control", e->by_own);
    sharc_json_uint(j, "by_control_of_others", e->by_kind);
    sharc_json_uint(j, "unedited", sharc_lab_unedited(e));
    sharc_json_uint(j, "false_proofs", sharc_lab_false_proofs(e));
    sharc_json_uint(j, "missed_proofs", e->alarms);
    sharc_json_uint(j, "attested_and_edited", e->lies);
    sharc_json_uint(j, "edited_inside_noise", e->inside);
    sharc_json_uint(j, "edited_inside_noise_not_proved", e->inside_missed);
    sharc_json_uint(j, "edited_and_undone", e->undone);
    sharc_json_uint(j, "uncertain", e->uncertain);
    sharc_json_uint(j, "one_download", e->unpaired);
    sharc_json_uint(j, "looks", e->looks);
    sharc_json_uint(j, "answers", e->answers);
    sharc_json_uint(j, "intervals_too_long", e->intervals);
    sharc_json_uint(j, "together", e->together);
    sharc_json_uint(j, "reference_wrong", e->reference);
    put_causes(j, e->by_cause, e->false_proofs);
    put_alarms(j, e->alarm, e->alarm_count);
    put_wholes(j, e);
    sharc_json_end(j);
}

void lab_put_evidence(struct sharc_json *j, const struct sharc_lab_verdict *v)
{
    put_proofs(j, &v->evidence);
    sharc_json_array(j, "wrong");
    for (size_t i = 0; i < v->wrong_count; i++) {
        char text[SHARC_TIME_TEXT];
        sharc_json_object(j, NULL);
        sharc_json_str(j, "url", v->wrong[i].url);
        sharc_json_str(j, "what", v->wrong[i].what);
        sharc_json_str(j, "from", sharc_time_iso(v->wrong[i].from, 6, text));
        sharc_json_str(j, "to", sharc_time_iso(v->wrong[i].to, 6, text));
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

/* Where a capture has grades, the change classes are no claims, and none of them is false: they stand apart. Second
 * looks have classes, too, so there are more of them than pairs. */
void lab_put_findings(struct sharc_json *j, const struct sharc_lab_verdict *v)
{
    static const char *const claims[] = {"unchanged",     "changed",   "false_unchanged",
                                         "false_changed", "uncertain", "not_in_log"};
    static const char *const classes[] = {"unchanged",          "changed",   "unchanged_though_edited",
                                          "changed_not_edited", "uncertain", "not_in_log"};
    const bool graded = v->evidence.graded;
    if (graded) sharc_json_object(j, "change_classes");
    sharc_json_uint(j, "comparisons", v->comparisons);
    for (int i = 0; i < SHARC_LAB_FINDINGS; i++) sharc_json_uint(j, graded ? classes[i] : claims[i], v->findings[i]);
    if (graded) sharc_json_end(j);
}

static void write_json(struct cli *c, sharc_store_id capture, const struct sharc_lab_verdict *v)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_int(&j, "capture", capture);
    sharc_json_uint(&j, "pages", v->pages);
    sharc_json_uint(&j, "pages_in_log", v->in_log);
    lab_put_findings(&j, v);
    sharc_json_uint(&j, "bodies_right", v->bodies_right);
    sharc_json_uint(&j, "bodies_late", v->bodies_late);
    sharc_json_uint(&j, "bodies_wrong", v->bodies_wrong);
    lab_put_evidence(&j, v);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

/* A capture without any claim is not free of mistakes: nobody looked. */
static int refuse_nothing(struct cli *c, const char *archive, const char *truth, const struct sharc_lab_verdict *v)
{
    if (v->in_log == 0)
        cli_note(c, "nothing was judged: no page of %s is in %s; is it the log of the site that was crawled?", archive,
                 truth);
    else
        cli_note(c,
                 "nothing was judged: the capture compares no page with itself, and the digests of its bodies are not "
                 "SHA-256; judge the archive that sharc crawl wrote, not an import of its files");
    return EXIT_INPUT;
}

int lab_judge(struct cli *c, const char *archive, const char *name, const char *truth)
{
    if (!truth) return cli_usage(c, "name the log that the site wrote: --truth FILE");
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_lab_truth_freep) struct sharc_lab_truth *t = NULL;
    if (sharc_lab_truth_open(truth, &t, &err) < 0) return cli_fail(c, &err);
    SHARC_AUTO(sharc_store_freep) struct sharc_store *s = NULL;
    struct sharc_store_options o = {.read_only = true, .must_exist = true};
    if (sharc_archive_open(archive, NULL, &o, &s, &err) < 0) return cli_fail(c, &err);
    sharc_store_id capture = 0;
    if (sharc_store_capture_find(s, sharc_span_of(name), &capture, &err) < 0) return cli_fail(c, &err);
    SHARC_AUTO(sharc_lab_verdict_done) struct sharc_lab_verdict v = {0};
    if (sharc_lab_verdict(s, capture, t, &v, &err) < 0) return cli_fail(c, &err);
    if (c->json)
        write_json(c, capture, &v);
    else
        write_text(c, capture, &v);
    if (!sharc_lab_verdict_judged(&v)) return refuse_nothing(c, archive, truth, &v);
    return sharc_lab_verdict_wrong(&v) ? EXIT_FINDINGS : EXIT_OK;
}
