/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc export --to history: what the captures of an archive say about when the pages of a
 * site changed, as a dataset for experiments.
 */
#include "archive.h"
#include "cmd_export.h"

#include "sharc/chronicle.h"
#include "sharc/store_query.h"

#include <inttypes.h>

/* The site of the capture that was named. */
static int find_site(struct sharc_store *store, const char *name, sharc_store_id *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture capture;
    int r = sharc_store_capture_find(store, sharc_span_of(name), &f.id, reterr);
    if (r >= 0) r = sharc_store_captures(store, &f, &rows, reterr);
    if (r >= 0) r = sharc_store_rows_next(rows, reterr);
    if (r <= 0) return r;
    sharc_store_read_capture(rows, &capture);
    *ret = capture.site;
    return 0;
}

static void report(struct cli *c, const char *output, const struct sharc_chronicle_made *m)
{
    char start[SHARC_TIME_TEXT], end[SHARC_TIME_TEXT];
    sharc_time_iso(m->start, 0, start);
    sharc_time_iso(m->end, 0, end);
    if (c->json) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
        struct sharc_json j;
        sharc_json_init(&j, &out, true);
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "output", output);
        sharc_json_str(&j, "start", start);
        sharc_json_str(&j, "end", end);
        sharc_json_uint(&j, "pages", m->pages);
        sharc_json_uint(&j, "looks", m->looks);
        sharc_json_uint(&j, "changes", m->changes);
        sharc_json_uint(&j, "changes_by_last_modified", m->by_last_modified);
        sharc_json_uint(&j, "pages_seen_once", m->seen_once);
        sharc_json_uint(&j, "links", m->links);
        sharc_json_uint(&j, "spanning_edges", m->spanning);
        sharc_json_uint(&j, "absences", m->absences);
        sharc_json_end(&j);
        fprintf(c->out, "%s\n", sharc_buf_str(&out));
        return;
    }
    fprintf(c->out, "%s: %s, %s, %s, %s, %s, from %s to %s\n", output, SHARC_COUNT(m->pages, "page"),
            SHARC_COUNT(m->looks, "look"), SHARC_COUNT(m->changes, "change"),
            SHARC_COUNT(m->links + m->spanning, "link"), SHARC_COUNT(m->absences, "absence"), start, end);
    if (m->changes)
        fprintf(c->out, "the server said when for %s; the others are placed midway between two downloads\n",
                SHARC_COUNT(m->by_last_modified, "change"));
    if (m->seen_once)
        cli_note(c, "%s seen only once: nothing is known about changes of them",
                 SHARC_COUNT(m->seen_once, "page was|pages were"));
}

int export_history(struct cli *c, const struct export_settings *s, int argc, char **argv)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    struct sharc_store_options so = {.read_only = true, .must_exist = true};
    struct sharc_chronicle_options o = SHARC_CHRONICLE_OPTIONS;
    struct sharc_chronicle_made made;
    struct sharc_err err = SHARC_ERR_INIT;
    if (argc > 2) return cli_usage(c, "a history is of one archive: name one directory");
    if (strcmp(s->output, "-") == 0) return cli_usage(c, "name the directory to make with --output");
    const char *archive = argc > 1 ? argv[1] : s->catalogue.archive;
    o.from = s->from;
    o.to = s->until;
    int r = sharc_archive_open(archive ? archive : ".", s->catalogue.store, &so, &store, &err);
    if (r >= 0 && s->catalogue.capture) r = find_site(store, s->catalogue.capture, &o.site, &err);
    if (r >= 0) r = sharc_chronicle_write(store, s->output, &o, &made, &err);
    if (r < 0) return cli_fail(c, &err);
    report(c, s->output, &made);
    return EXIT_OK;
}
