/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc lab judge: what a capture of a living site says, held against the truth.
 */
#include "archive.h"
#include "cmd_lab.h"

#include "sharc/lab_verdict.h"
#include "sharc/store_query.h"

static void write_text(struct cli *c, sharc_store_id capture, const struct sharc_lab_verdict *v)
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
    fprintf(c->out, "\nBodies: %zu as served at that time, %zu served at another time, %zu never served\n",
            v->bodies_right, v->bodies_late, v->bodies_wrong);
    for (size_t i = 0; i < v->wrong_count; i++) {
        char from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT];
        fprintf(c->out, "%s: %s (%s to %s)\n", v->wrong[i].url, v->wrong[i].what,
                sharc_time_iso(v->wrong[i].from, 3, from), sharc_time_iso(v->wrong[i].to, 3, to));
    }
}

static void write_json(struct cli *c, sharc_store_id capture, const struct sharc_lab_verdict *v)
{
    static const char *const names[] = {"unchanged",     "changed",   "false_unchanged",
                                        "false_changed", "uncertain", "not_in_log"};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_int(&j, "capture", capture);
    sharc_json_uint(&j, "pages", v->pages);
    sharc_json_uint(&j, "pages_in_log", v->in_log);
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

int lab_judge(struct cli *c, const char *archive, const char *truth)
{
    if (!truth) return cli_usage(c, "name the log that the site wrote: --truth FILE");
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_lab_truth_freep) struct sharc_lab_truth *t = NULL;
    if (sharc_lab_truth_open(truth, &t, &err) < 0) return cli_fail(c, &err);
    SHARC_AUTO(sharc_store_freep) struct sharc_store *s = NULL;
    struct sharc_store_options o = {.read_only = true, .must_exist = true};
    if (sharc_archive_open(archive, NULL, &o, &s, &err) < 0) return cli_fail(c, &err);
    sharc_store_id capture = 0;
    if (sharc_store_capture_find(s, SHARC_SPAN("latest"), &capture, &err) < 0) return cli_fail(c, &err);
    SHARC_AUTO(sharc_lab_verdict_done) struct sharc_lab_verdict v = {0};
    if (sharc_lab_verdict(s, capture, t, &v, &err) < 0) return cli_fail(c, &err);
    if (c->json)
        write_json(c, capture, &v);
    else
        write_text(c, capture, &v);
    if (!sharc_lab_verdict_judged(&v)) return refuse_nothing(c, archive, truth, &v);
    return sharc_lab_verdict_wrong(&v) ? EXIT_FINDINGS : EXIT_OK;
}
