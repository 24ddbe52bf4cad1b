/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc quality: what captures prove, of an archive or of any archive files. Words are in
 * cmd_quality_text.c, tables for programs in cmd_quality_json.c and cmd_quality_csv.c.
 */
#include "cmd_quality.h"

#include "archive.h"
#include "sharc/import.h"

#include <stdlib.h>

struct settings {
    const char *store;
    bool composite, csv, lenient, watched;
    sharc_time at;
    int by;
};

static void remark(void *arg, const struct sharc_err *what)
{
    cli_note(arg, "%s", what->text);
}

/* Files alone: a catalogue in memory that knows nothing else. Everything of a run is one capture, wherever its parts
 * came from. */
static int read_files(struct cli *c, const struct settings *s, int argc, char **argv, struct sharc_store **ret,
                      struct sharc_err *err)
{
    struct sharc_import_result result = {0};
    struct sharc_import_options o = {.by = SHARC_IMPORT_BY_RUN,
                                     .lenient = s->lenient,
                                     .clock = sharc_clock_real(),
                                     .warn = s->lenient ? remark : NULL,
                                     .arg = c};
    int r = sharc_store_open("memory:", NULL, ret, err);
    if (r < 0) return r;
    r = sharc_import(*ret, (const char *const *)(argv + 1), (size_t)argc - 1, &o, &result, err);
    sharc_import_result_done(&result);
    return r;
}

static int open_archive(const struct settings *s, int argc, char **argv, struct sharc_store **ret,
                        sharc_store_id *ret_capture, struct sharc_err *err)
{
    struct sharc_store_options o = {.read_only = true, .must_exist = true};
    int r = sharc_archive_open(argc > 1 ? argv[1] : ".", s->store, &o, ret, err);
    if (r < 0 || argc < 3) return r;
    return sharc_store_capture_find(*ret, sharc_span_of(argv[2]), ret_capture, err);
}

/* Files, or a directory of files that is no archive. */
static bool is_files(const struct settings *s, int argc, char **argv)
{
    return argc > 1 && !s->store && (!cli_is_directory(argv[1]) || !sharc_archive_is(argv[1]));
}

static int tell(struct cli *c, const struct settings *s, int argc, char **argv, struct sharc_err *err)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_assess_freep) struct sharc_assess *assess = NULL;
    sharc_store_id capture = 0;
    int r = is_files(s, argc, argv) ? read_files(c, s, argc, argv, &store, err)
                                    : open_archive(s, argc, argv, &store, &capture, err);
    if (r >= 0) r = sharc_assess_open(store, capture, s->composite, &assess, err);
    if (r < 0) return r;
    struct quality q = {.c = c,
                        .name = argc > 1 ? argv[1] : ".",
                        .store = store,
                        .assess = assess,
                        .one = capture != 0 || sharc_assess_count(assess) == 1,
                        .composite = s->composite,
                        .watched = s->watched,
                        .at = s->at,
                        .by = s->by};
    if (s->csv) return s->watched ? quality_watched_csv(&q, err) : quality_csv(&q, err);
    return c->json ? quality_json(&q, err) : quality_text(&q, err);
}

int cmd_quality(struct cli *c, int argc, char **argv)
{
    static const char *const by[] = {"all", "page", "subsite", "mime", NULL}; /* enum sharc_assess_by */
    struct settings s = {.at = SHARC_TIME_NONE};
    const struct cli_option options[] = {
        OPT_FLAG(0, "composite", &s.composite, "judge pages together with everything they embed"),
        OPT_TIME(0, "at", &s.at, "TIME",
                 "show which versions answer a query for this time, and what is known about them"),
        OPT_CHOICE(0, "by", &s.by, by, "with --at: group the answers"),
        OPT_FLAG(0, "watched", &s.watched, "show what watching has brought, period by period"),
        OPT_FLAG(0, "lenient", &s.lenient, "with archive files: continue past damaged records"),
        OPT_FLAG(0, "csv", &s.csv, "print comma-separated values"),
        OPT_STORE(&s.store),
        OPT_END,
    };
    struct sharc_err err = SHARC_ERR_INIT;
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (!is_files(&s, argc, argv) && argc > 3) return cli_usage(c, "name one archive, and at most one of its captures");
    if (cli_one_form(c, s.csv, false)) return EXIT_USAGE;
    if (s.by && s.at == SHARC_TIME_NONE) return cli_usage(c, "--by groups the answers for a time: give --at TIME");
    if (s.composite && s.at != SHARC_TIME_NONE) return cli_usage(c, "--at and --composite exclude each other");
    if (s.watched && (s.composite || s.at != SHARC_TIME_NONE))
        return cli_usage(c, "--watched and %s exclude each other", s.composite ? "--composite" : "--at");
    return tell(c, &s, argc, argv, &err) < 0 ? cli_fail(c, &err) : EXIT_OK;
}
