/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc diff: what changed between two versions of a page, or between two captures.
 */
#include "cmd_diff.h"
#include "archive.h"

#include "sharc/store.h"
#include "sharc/warc_inputs.h"

#include <inttypes.h>
#include <stdlib.h>

static void settings_done(struct cmd_diff_settings *s)
{
    cli_list_done(&s->in);
    cli_list_done(&s->classes);
}

/* --- sides ------------------------------------------------------------------------------ */

static int open_side(struct cmd_diff_run *r, const char *const *paths, size_t n, struct sharc_diff_side **ret,
                     struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *side = sharc_diff_side_new(getenv("TMPDIR"));
    uint64_t damaged = 0;
    char **inputs = NULL;
    size_t count = 0;
    int e = sharc_archive_inputs_all(paths, n, &inputs, &count, reterr);
    for (size_t i = 0; e == 0 && i < count; i++) e = sharc_diff_side_add(side, inputs[i], reterr);
    sharc_names_free(inputs, count);
    if (e == 0) e = sharc_diff_side_open(side, r->o.threads, &damaged, reterr);
    if (e < 0) return e;
    if (damaged)
        cli_note(r->c, "%s: %s passed over", paths[0], SHARC_COUNT(damaged, "damaged place was|damaged places were"));
    *ret = SHARC_TAKE(side);
    return 0;
}

/* A capture, and the files of --in that hold records of it: originals of revisits, or the WARCs of an index. */
static int open_capture(struct cmd_diff_run *r, const char *path, struct sharc_diff_side **ret,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) const char **paths = SHARC_NEW_ARRAY(const char *, r->s->in.count + 1);
    paths[0] = path;
    for (size_t i = 0; i < r->s->in.count; i++) paths[i + 1] = r->s->in.items[i];
    bool index = sharc_warc_kind_of(sharc_span_of(path)) == SHARC_WARC_KIND_INDEX;
    return open_side(r, paths, index ? r->s->in.count + 1 : 1, ret, reterr);
}

/* --- the comparisons ----------------------------------------------------------------------- */

static int read_version(struct cmd_diff_run *r, const struct cmd_diff_argument *a, struct sharc_diff_side *side,
                        struct sharc_diff_version *v, struct sharc_err *reterr)
{
    if (a->kind == CMD_DIFF_FILE) return sharc_diff_version_file(v, a->text, r->s->base, &r->o, reterr);
    if (a->kind == CMD_DIFF_RECORD) return sharc_diff_version_record(v, a->path, a->offset, &r->o, reterr);
    return sharc_diff_version_at(v, side, sharc_span_of(a->path), a->when, &r->o, reterr);
}

static int compare_versions(struct cmd_diff_run *r, const struct cmd_diff_argument a[2], struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *side = NULL;
    SHARC_AUTO(sharc_diff_version_done) struct sharc_diff_version before = {.status = 0};
    SHARC_AUTO(sharc_diff_version_done) struct sharc_diff_version after = {.status = 0};
    int e = 0;
    if (a[0].kind == CMD_DIFF_MOMENT || a[1].kind == CMD_DIFF_MOMENT)
        e = open_side(r, r->s->in.items, r->s->in.count, &side, reterr);
    if (e == 0) e = read_version(r, &a[0], side, &before, reterr);
    if (e == 0) e = read_version(r, &a[1], side, &after, reterr);
    if (e < 0) return e;
    return cmd_diff_show_page(r, (const char *const[]){a[0].text, a[1].text}, &before, &after, reterr);
}

/* One page of two captures. */
static int compare_url(struct cmd_diff_run *r, struct sharc_diff_side *const sides[2], const char *const names[2],
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_diff_version_done) struct sharc_diff_version before = {.status = 0};
    SHARC_AUTO(sharc_diff_version_done) struct sharc_diff_version after = {.status = 0};
    struct sharc_span url = sharc_span_of(r->s->url);
    int b = sharc_diff_version_at(&before, sides[0], url, SHARC_TIME_NONE, &r->o, reterr);
    if (b < 0 && b != SHARC_ENOENT) return b;
    int a = sharc_diff_version_at(&after, sides[1], url, SHARC_TIME_NONE, &r->o, reterr);
    if (a < 0 && (a != SHARC_ENOENT || b < 0)) return a;
    return cmd_diff_show_page(r, names, b == 0 ? &before : NULL, a == 0 ? &after : NULL, reterr);
}

static void advance(void *arg, uint64_t pages, uint64_t total)
{
    struct cmd_diff_run *r = arg;
    struct sharc_clock *clock = sharc_clock_real();
    if (total) sharc_progress_total(r->bar, total);
    sharc_progress_add(r->bar, pages - r->told, clock->now(clock));
    r->told = pages;
}

static int compare_captures(struct cmd_diff_run *r, const struct cmd_diff_argument a[2], struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *before = NULL;
    SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *after = NULL;
    const char *const names[2] = {a[0].text, a[1].text};
    int e = open_capture(r, a[0].text, &before, reterr);
    if (e == 0) e = open_capture(r, a[1].text, &after, reterr);
    if (e < 0) return e;
    if (r->s->url) return compare_url(r, (struct sharc_diff_side *const[]){before, after}, names, reterr);
    SHARC_AUTO(sharc_diff_set_done) struct sharc_diff_set set = SHARC_DIFF_SET_INIT;
    r->bar = cli_progress(r->c, "diff", "pages", 0);
    e = sharc_diff_sides(before, after, &r->o, &set, reterr);
    sharc_progress_freep(&r->bar);
    return e < 0 ? e : cmd_diff_show_set(r, names, &set, reterr);
}

/* The one page that was asked for. */
static int show_only(struct cmd_diff_run *r, const char *const names[2], const struct sharc_diff_set *set,
                     struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_diff_version_done) struct sharc_diff_version before = {.status = 0};
    SHARC_AUTO(sharc_diff_version_done) struct sharc_diff_version after = {.status = 0};
    bool is_before, is_after;
    SHARC_FAIL_IF(set->count == 0, reterr, SHARC_ENOENT, "%s: neither capture holds it", r->s->url);
    int e = sharc_diff_set_read(set, 0, &r->o, &before, &after, &is_before, &is_after, reterr);
    if (e < 0) return e;
    return cmd_diff_show_page(r, names, is_before ? &before : NULL, is_after ? &after : NULL, reterr);
}

/* Captures of an archive's catalogue, by their names; one: its visits against its revisits. */
static int compare_catalogue(struct cmd_diff_run *r, int argc, char **argv, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_diff_set_done) struct sharc_diff_set set = SHARC_DIFF_SET_INIT;
    const struct sharc_store_options o = {.read_only = true, .must_exist = true};
    const char *const names[2] = {argv[1], argc > 2 ? argv[2] : "its revisits"};
    sharc_store_id capture[2];
    int e = sharc_archive_open(r->s->archive, r->s->store, &o, &store, reterr);
    for (int i = 0; e >= 0 && i < 2; i++)
        e = sharc_store_capture_find(store, sharc_span_of(argv[i + 1 < argc ? i + 1 : 1]), &capture[i], reterr);
    if (e < 0) return e;
    if (argc > 2 && capture[0] == capture[1])
        return cli_usage(r->c, "%s and %s are the same capture", argv[1], argv[2]);
    if (r->s->url) {
        r->o.url = sharc_span_of(r->s->url);
        r->o.keep = sharc_diff_class_bits(SHARC_SPAN("all"));
    }
    r->bar = cli_progress(r->c, "diff", "pages", 0);
    e = sharc_diff_captures(store, r->s->archive, capture[0], capture[1], &r->o, &set, reterr);
    sharc_progress_freep(&r->bar);
    if (e < 0) return e;
    return r->s->url ? show_only(r, names, &set, reterr) : cmd_diff_show_set(r, names, &set, reterr);
}

/* --- the command ----------------------------------------------------------------------------- */

static int prepare(struct cmd_diff_run *r)
{
    const struct cmd_diff_settings *s = r->s;
    r->o.change.alike = s->alike;
    r->o.change.shingle = (unsigned)(s->shingle < SHARC_CHANGE_SHINGLE_MAX ? s->shingle : SHARC_CHANGE_SHINGLE_MAX);
    r->o.change.trust_last_modified = s->trust;
    r->o.threads = (unsigned)s->threads;
    r->o.template_pages = s->template_pages;
    r->o.context = s->context;
    r->o.max_body = s->max_body;
    r->filter.min_importance = s->min_importance;
    r->filter.limit = s->limit;
    r->filter.templates = s->templates;
    unsigned bits = 0;
    for (size_t i = 0; i < s->classes.count; i++) {
        unsigned more = sharc_diff_class_bits(sharc_span_of(s->classes.items[i]));
        if (!more)
            return cli_usage(
                r->c,
                "%s is not a class of change; there are unchanged, insignificant, text, links, missing, new, "
                "redirected, failed, file, moved, changed and all",
                s->classes.items[i]);
        bits |= more;
    }
    if (bits) r->filter.classes = bits;
    r->o.keep |= r->filter.classes;
    r->o.progress = advance;
    r->o.arg = r;
    return EXIT_OK;
}

static int check(struct cmd_diff_run *r, const struct cmd_diff_argument a[2])
{
    bool moment = a[0].kind == CMD_DIFF_MOMENT || a[1].kind == CMD_DIFF_MOMENT;
    if ((a[0].kind == CMD_DIFF_CAPTURE) != (a[1].kind == CMD_DIFF_CAPTURE))
        return cli_usage(r->c, "%s is a capture and %s is a page: compare two of a kind",
                         a[a[0].kind == CMD_DIFF_CAPTURE ? 0 : 1].text, a[a[0].kind == CMD_DIFF_CAPTURE ? 1 : 0].text);
    if (moment && !r->s->in.count) return cli_usage(r->c, "name the archive files that hold the URL with --in");
    if (r->s->url && a[0].kind != CMD_DIFF_CAPTURE) return cli_usage(r->c, "--url chooses a page of two captures");
    return EXIT_OK;
}

int cmd_diff(struct cli *c, int argc, char **argv)
{
    SHARC_AUTO(settings_done)
    struct cmd_diff_settings s = {.alike = SHARC_CHANGE_ALIKE,
                                  .shingle = SHARC_CHANGE_SHINGLE,
                                  .limit = 25,
                                  .details = 20,
                                  .context = 3,
                                  .template_pages = 3,
                                  .max_body = 16u << 20};
    const struct cli_option options[] = {
        OPT_STRINGS('i', "in", &s.in, "FILE", "look up URL@TIME in this archive file or index (repeatable)"),
        OPT_STRING('a', "archive", &s.archive, "DIR", "compare captures of this archive"),
        OPT_STORE(&s.store),
        OPT_STRING('u', "url", &s.url, "URL", "show what changed on this page between the two captures"),
        OPT_STRING(0, "base", &s.base, "URL", "resolve the links of plain files against this URL"),
        OPT_HEADING("What counts as a change"),
        OPT_SHARE(0, "alike", &s.alike, "SHARE", "treat texts at least this similar as the same (default: 0.9)"),
        OPT_UINT_IN(1, 1000, 0, "shingle", &s.shingle, "WORDS",
                    "compare texts by runs of this many words (default: 10)"),
        OPT_FLAG(0, "trust-last-modified", &s.trust, "take an equal Last-Modified as proof that nothing changed"),
        OPT_UINT(0, "template-pages", &s.template_pages, "N",
                 "call an edit a template edit when N pages share it (default: 3)"),
        OPT_SIZE(0, "max-body", &s.max_body, "SIZE", "compare larger bodies by digest only (default: 16Mi)"),
        OPT_HEADING("What is listed"),
        OPT_LIST('c', "class", &s.classes, "NAMES",
                 "list only pages of these classes, or all, changed (default: changed)"),
        OPT_SHARE('m', "min-importance", &s.min_importance, "SHARE",
                  "list only pages whose change is at least this important"),
        OPT_UINT('n', "limit", &s.limit, "N", "list at most N pages; 0: all (default: 25)"),
        OPT_FLAG(0, "volatile", &s.places, "list the places at which pages of a site differ on every request"),
        OPT_FLAG(0, "templates", &s.templates, "list pages with template edits among the others"),
        OPT_UINT('U', "context", &s.context, "LINES", "show this many lines around a change of the text (default: 3)"),
        OPT_HEADING("Output"),
        OPT_STRING(0, "html", &s.html, "FILE", "write an HTML report to this file instead"),
        OPT_UINT(0, "details", &s.details, "N",
                 "show the differences of up to N pages in full in the HTML report (default: 20)"),
        OPT_CHOICE(0, "color", &s.colour, cli_colours, "use colours on the terminal (default: auto)"),
        OPT_FLAG(0, "exit-code", &s.exit_code, "exit with 1 when something changed"),
        OPT_UINT_IN(1, CLI_THREADS_MOST, 't', "threads", &s.threads, "N",
                    "compare N pages at a time (default: one per core)"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    struct cmd_diff_run r = {.c = c, .s = &s, .o = SHARC_DIFF_OPTIONS, .filter = SHARC_DIFF_FILTER};
    struct sharc_err err = SHARC_ERR_INIT;
    int code = prepare(&r);
    if (code != EXIT_OK) return code;
    if (s.places) {
        if (!s.archive || argc > 2) return cli_usage(c, "--volatile needs --archive DIR, and takes at most one site");
        code = cmd_diff_volatile(c, s.archive, s.store, argv[1], &err);
        return code < 0 ? cli_fail(c, &err) : code;
    }
    if (s.archive && (argc == 2 || argc == 3)) {
        code = compare_catalogue(&r, argc, argv, &err);
        return code < 0 ? cli_fail(c, &err) : code;
    }
    if (argc != 3) return cli_usage(c, "name two things to compare: files, captures, or URL@TIME");
    SHARC_AUTO(cmd_diff_argument_done) struct cmd_diff_argument before = {.text = argv[1]};
    SHARC_AUTO(cmd_diff_argument_done) struct cmd_diff_argument after = {.text = argv[2]};
    code = cmd_diff_argument_read(c, &before, NULL);
    if (code == EXIT_OK) code = cmd_diff_argument_read(c, &after, before.kind == CMD_DIFF_MOMENT ? before.path : NULL);
    const struct cmd_diff_argument both[2] = {before, after};
    if (code == EXIT_OK) code = check(&r, both);
    if (code != EXIT_OK) return code;
    code = before.kind == CMD_DIFF_CAPTURE ? compare_captures(&r, both, &err) : compare_versions(&r, both, &err);
    return code < 0 ? cli_fail(c, &err) : code;
}
