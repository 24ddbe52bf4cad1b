/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc lab judge: what a capture of a living site says, held against the truth.
 */
#include "archive.h"
#include "lab.h"

#include "sharc/store_query.h"
#include "sharc/url.h"

#include <stdlib.h>

/* --- one page ---------------------------------------------------------------------- */

static struct sharc_lab_look look_of(const struct sharc_store_look *l)
{
    struct sharc_lab_look look = {.when = l->when, .took = l->took, .found = l->status == 200 || l->status == 304};
    if (look.found) look.digest = l->digest;
    return look;
}

static void note_wrong(struct lab_verdict *v, const struct sharc_store_page *p, const char *what, sharc_time from,
                       sharc_time to)
{
    if (v->wrong_count >= LAB_WRONG_MOST) return;
    SHARC_GROW(v->wrong, v->wrong_room, v->wrong_count + 1);
    v->wrong[v->wrong_count++] = (struct lab_wrong){sharc_span_dup(p->url), sharc_strdup(what), from, to};
}

static void check_body(const struct sharc_lab_truth *t, struct sharc_span path, const struct sharc_store_page *p,
                       const struct sharc_lab_look *look, struct lab_verdict *v)
{
    switch (sharc_lab_check_body(t, path, look)) {
    case SHARC_LAB_BODY_UNKNOWN: return;
    case SHARC_LAB_BODY_RIGHT: v->bodies_right++; return;
    case SHARC_LAB_BODY_LATE:
        v->bodies_late++;
        note_wrong(v, p, "its body is of another moment", look->when, look->when);
        return;
    case SHARC_LAB_BODY_WRONG:
        v->bodies_wrong++;
        note_wrong(v, p, "its body never was on the site", look->when, look->when);
        return;
    }
}

/* Each look after the first claims something about the time since the one before. */
static void judge_page(const struct sharc_lab_truth *t, struct sharc_span path, const struct sharc_store_page *p,
                       struct lab_verdict *v)
{
    const struct sharc_store_look *looks[] = {&p->visit, &p->second, &p->revisit}, *before = NULL;
    v->pages++;
    for (size_t i = 0; i < SHARC_LENGTH(looks); i++) {
        const struct sharc_store_look *now = looks[i];
        if (now->when == SHARC_TIME_NONE || now->status <= 0) continue;
        struct sharc_lab_look look = look_of(now);
        check_body(t, path, p, &look, v);
        if (before && now->change != SHARC_STORE_NO_CHANGE) {
            struct sharc_lab_look earlier = look_of(before);
            bool said = sharc_change_counts((enum sharc_change_class)now->change);
            enum sharc_lab_finding f = sharc_lab_judge(t, path, &earlier, &look, said);
            v->comparisons++;
            v->findings[f]++;
            if (f == SHARC_LAB_FALSE_CHANGED || f == SHARC_LAB_FALSE_UNCHANGED)
                note_wrong(v, p, sharc_lab_finding_text(f), before->when, now->when);
        }
        before = now;
    }
}

int cli__lab_verdict(struct sharc_store *s, sharc_store_id capture, const struct sharc_lab_truth *t,
                     struct lab_verdict *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    struct sharc_store_page_filter f = {.capture = capture, .looks = true};
    int r = sharc_store_pages(s, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
        sharc_store_read_page(rows, &p);
        if (sharc_url_parse(&u, p.url, NULL, NULL) == 0) judge_page(t, sharc_url_target(&u), &p, ret);
    }
    return r < 0 ? r : 0;
}

void cli__lab_verdict_done(struct lab_verdict *v)
{
    for (size_t i = 0; i < v->wrong_count; i++) {
        free(v->wrong[i].url);
        free(v->wrong[i].what);
    }
    free(v->wrong);
    *v = (struct lab_verdict){0};
}

bool cli__lab_verdict_clean(const struct lab_verdict *v)
{
    return v->findings[SHARC_LAB_FALSE_CHANGED] + v->findings[SHARC_LAB_FALSE_UNCHANGED] + v->bodies_late +
               v->bodies_wrong ==
           0;
}

/* --- the command --------------------------------------------------------------------- */

static void write_text(struct cli *c, sharc_store_id capture, const struct lab_verdict *v)
{
    fprintf(c->out, "Capture %lld against the truth: %s, %s\n\n", (long long)capture, SHARC_COUNT(v->pages, "page"),
            SHARC_COUNT(v->comparisons, "comparison"));
    static const char *const titles[] = {"the crawler said", "pages"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(2, titles, "lr");
    for (int i = 0; i < SHARC_LAB_FINDINGS; i++) {
        cli_table_cell(t, "%s", sharc_lab_finding_text((enum sharc_lab_finding)i));
        cli_table_cell(t, "%zu", v->findings[i]);
    }
    cli_table_print(t, c->out);
    fprintf(c->out, "\nBodies: %zu as they were served, %zu of another moment, %zu that never were\n", v->bodies_right,
            v->bodies_late, v->bodies_wrong);
    for (size_t i = 0; i < v->wrong_count; i++) {
        char from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT];
        fprintf(c->out, "%s: %s (%s to %s)\n", v->wrong[i].url, v->wrong[i].what,
                sharc_time_iso(v->wrong[i].from, 3, from), sharc_time_iso(v->wrong[i].to, 3, to));
    }
}

static void write_json(struct cli *c, sharc_store_id capture, const struct lab_verdict *v)
{
    static const char *const names[] = {"unchanged",     "changed",   "false_unchanged",
                                        "false_changed", "uncertain", "not_in_log"};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_int(&j, "capture", capture);
    sharc_json_uint(&j, "pages", v->pages);
    sharc_json_uint(&j, "comparisons", v->comparisons);
    for (int i = 0; i < SHARC_LAB_FINDINGS; i++) sharc_json_uint(&j, names[i], v->findings[i]);
    sharc_json_uint(&j, "bodies_right", v->bodies_right);
    sharc_json_uint(&j, "bodies_late", v->bodies_late);
    sharc_json_uint(&j, "bodies_wrong", v->bodies_wrong);
    sharc_json_array(&j, "wrong");
    for (size_t i = 0; i < v->wrong_count; i++) {
        char text[SHARC_TIME_TEXT];
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "url", v->wrong[i].url);
        sharc_json_str(&j, "what", v->wrong[i].what);
        sharc_json_str(&j, "from", sharc_time_iso(v->wrong[i].from, 6, text));
        sharc_json_str(&j, "to", sharc_time_iso(v->wrong[i].to, 6, text));
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

int cli__lab_judge(struct cli *c, const char *archive, const char *truth)
{
    if (!truth) return cli_usage(c, "name the log that the site wrote: --truth FILE");
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_lab_truth_freep) struct sharc_lab_truth *t = NULL;
    if (sharc_lab_truth_open(truth, &t, &err) < 0) return cli_fail(c, &err);
    SHARC_AUTO(sharc_store_freep) struct sharc_store *s = NULL;
    struct sharc_store_options o = {.read_only = true, .must_exist = true};
    if (cli_archive_open(archive, NULL, &o, &s, &err) < 0) return cli_fail(c, &err);
    sharc_store_id capture = 0;
    if (sharc_store_capture_find(s, SHARC_SPAN("latest"), &capture, &err) < 0) return cli_fail(c, &err);
    SHARC_AUTO(cli__lab_verdict_done) struct lab_verdict v = {0};
    if (cli__lab_verdict(s, capture, t, &v, &err) < 0) return cli_fail(c, &err);
    if (c->json)
        write_json(c, capture, &v);
    else
        write_text(c, capture, &v);
    return cli__lab_verdict_clean(&v) ? EXIT_OK : EXIT_FINDINGS;
}
