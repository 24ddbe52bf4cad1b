/* SPDX-License-Identifier: Apache-2.0
 *
 * Options: from rows to values, from settings files and the command line by
 * the same rules. Files are read in settings.c.
 */
#include "cli_int.h"

#include <stdio.h>
#include <stdlib.h>

/* --- values -------------------------------------------------------------- */

void cli_list_done(struct cli_list *l)
{
    for (size_t i = 0; i < l->owned_count; i++) free(l->owned[i]);
    free(l->owned);
    free(l->items);
    *l = (struct cli_list){0};
}

void cli_list_add(struct cli_list *l, struct sharc_span s)
{
    SHARC_GROW(l->owned, l->owned_room, l->owned_count + 1);
    char *copy = l->owned[l->owned_count++] = sharc_span_dup(s);
    SHARC_GROW(l->items, l->room, l->count + 1);
    l->items[l->count++] = copy;
}

/* Every number has bounds: beyond them sums overflow, or smaller types. */
static double most_of(const struct cli_option *o)
{
    if (o->least > 0 || o->most > 0) return o->most;
    switch (o->kind) {
    case CLI_UINT: return 1e15;
    case CLI_REAL: return 1e9;
    case CLI_SIZE: return 1ull << 60;
    case CLI_DURATION: return CLI_DURATION_MOST;
    case CLI_SHARE: return 1;
    case CLI_END:
    case CLI_HEADING:
    case CLI_FLAG:
    case CLI_STRING:
    case CLI_LIST:
    case CLI_STRINGS:
    case CLI_TIME:
    case CLI_CHOICE: break;
    }
    SHARC_BUG("an option row of a kind without bounds");
}

static char *bound_text(const struct cli_option *o, double v, char out[SHARC_TIME_TEXT])
{
    if (o->kind == CLI_DURATION) return sharc_duration_text((sharc_time)v, out);
    if (o->kind == CLI_SIZE) return sharc_size_text((uint64_t)v, out);
    snprintf(out, SHARC_TIME_TEXT, "%.16g", v);
    return out;
}

static int check_bounds(const struct cli_option *o, double v, const char *text, struct sharc_err *reterr)
{
    char least[SHARC_TIME_TEXT], most[SHARC_TIME_TEXT];
    if (v >= o->least && v <= most_of(o)) return 0;
    return sharc_fail(reterr, SHARC_EINVAL, "\"%s\" is not between %s and %s", text, bound_text(o, o->least, least),
                      bound_text(o, most_of(o), most));
}

static int set_real(const struct cli_option *o, const char *text, struct sharc_err *reterr)
{
    struct sharc_span s = sharc_span_of(text);
    bool percent = o->kind == CLI_SHARE && sharc_span_ends(s, SHARC_SPAN("%"));
    if (percent) s.n--;
    double v;
    if (sharc_span_to_double(s, &v) < 0 || v < 0)
        return sharc_fail(reterr, SHARC_EINVAL, "\"%s\" is not a number from 0 up", text);
    if (percent) v /= 100;
    SHARC_FAIL_IF(o->kind == CLI_SHARE && v > 1, reterr, SHARC_EINVAL,
                  "\"%s\" is not a share between 0 and 1 (or 0%% and 100%%)", text);
    int r = check_bounds(o, v, text, reterr);
    if (r == 0) *(double *)o->value = v;
    return r;
}

static int set_uint(const struct cli_option *o, const char *text, struct sharc_err *reterr)
{
    uint64_t v;
    if (sharc_span_to_u64(sharc_span_of(text), &v) < 0)
        return sharc_fail(reterr, SHARC_EINVAL, "\"%s\" is not a whole number from 0 up", text);
    int r = check_bounds(o, (double)v, text, reterr);
    if (r == 0) *(uint64_t *)o->value = v;
    return r;
}

static int set_duration(const struct cli_option *o, const char *text, struct sharc_err *reterr)
{
    sharc_time v;
    int r = sharc_duration_parse(sharc_span_of(text), &v, reterr);
    if (r == 0) r = check_bounds(o, (double)v, text, reterr);
    if (r == 0) *(sharc_time *)o->value = v;
    return r;
}

static int set_size(const struct cli_option *o, const char *text, struct sharc_err *reterr)
{
    uint64_t v;
    int r = sharc_size_parse(sharc_span_of(text), &v, reterr);
    if (r == 0) r = check_bounds(o, (double)v, text, reterr);
    if (r == 0) *(uint64_t *)o->value = v;
    return r;
}

static int set_choice(const struct cli_option *o, const char *text, struct sharc_err *reterr)
{
    for (int i = 0; o->choices[i]; i++) {
        if (strcmp(o->choices[i], text) != 0) continue;
        *(int *)o->value = i;
        return 0;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf all = SHARC_BUF_INIT(400);
    for (int i = 0; o->choices[i]; i++) sharc_buf_printf(&all, "%s%s", i ? ", " : "", o->choices[i]);
    return sharc_fail(reterr, SHARC_EINVAL, "\"%s\" is none of: %s", text, sharc_buf_str(&all));
}

/* text lives as long as the command (argv) or is copied by the caller. */
int cli__set_value(const struct cli_option *o, const char *text, struct sharc_err *reterr)
{
    struct sharc_span s = sharc_span_of(text), part;
    switch (o->kind) {
    case CLI_UINT: return set_uint(o, text, reterr);
    case CLI_REAL:
    case CLI_SHARE: return set_real(o, text, reterr);
    case CLI_STRING: *(const char **)o->value = text; return 0;
    case CLI_LIST:
        while (sharc_span_next(&s, ',', &part)) cli_list_add(o->value, sharc_span_trim(part));
        return 0;
    case CLI_STRINGS: cli_list_add(o->value, s); return 0;
    case CLI_DURATION: return set_duration(o, text, reterr);
    case CLI_TIME: return sharc_time_parse(s, o->value, reterr);
    case CLI_SIZE: return set_size(o, text, reterr);
    case CLI_CHOICE: return set_choice(o, text, reterr);
    case CLI_FLAG:
    case CLI_END:
    case CLI_HEADING: break;
    }
    SHARC_BUG("an option row of a kind without a value");
}

/* --- rows ---------------------------------------------------------------- */

const struct cli_option *cli__by_name(const struct cli_option *rows, struct sharc_span name)
{
    for (; rows->kind != CLI_END; rows++)
        if (rows->name && sharc_span_is(name, rows->name)) return rows;
    return NULL;
}

static const struct cli_option *by_letter(const struct cli_option *rows, char letter)
{
    for (; rows->kind != CLI_END; rows++)
        if (rows->letter && rows->letter == letter) return rows;
    return NULL;
}

const char *cli__nearest_option(const char *typed, const struct cli_option *rows)
{
    const char *names[128];
    size_t n = 0;
    for (; rows->kind != CLI_END && n < SHARC_LENGTH(names) - 1; rows++)
        if (rows->name) names[n++] = rows->name;
    names[n] = NULL;
    return cli_nearest(typed, names);
}

/* The rows of the command, then the common ones: one array for everybody. */
struct cli_option *cli__all_rows(struct cli *c, const struct cli_option *own)
{
    const struct cli_option common[] = {
        OPT_HEADING("Common"),
        OPT_FLAG(0, "json", &c->json, "print the result as JSON for scripts"),
        OPT_FLAG('q', "quiet", &c->quiet, "print no progress and no remarks"),
        OPT_STRING(0, "settings", &c->settings, "FILE", "read settings from FILE instead of ./" CLI_SETTINGS_FILE),
        OPT_FLAG('h', "help", NULL, "explain the command and its options"),
        OPT_END,
    };
    size_t n = 0;
    while (own[n].kind != CLI_END) n++;
    struct cli_option *rows = SHARC_NEW_ARRAY(struct cli_option, n + SHARC_LENGTH(common));
    memcpy(rows, own, n * sizeof *rows);
    memcpy(rows + n, common, sizeof common);
    return rows;
}

/* --- what was said ------------------------------------------------------ */

struct cli_saying {
    struct said {
        size_t row;
        unsigned by;
        char *text;
    } * said;
    size_t count, room;
};

void cli__said(struct cli *c, size_t row, unsigned by, struct sharc_span text)
{
    struct cli_saying *s = c->saying;
    if (!s) return;
    SHARC_GROW(s->said, s->room, s->count + 1);
    s->said[s->count++] = (struct said){row, by, sharc_span_dup(text)};
}

static bool is_last(const struct cli_saying *s, size_t i)
{
    for (size_t k = i + 1; k < s->count; k++)
        if (s->said[k].row == s->said[i].row && s->said[k].by == s->said[i].by) return false;
    return true;
}

/* What counts in the end. Options that are common to all commands say nothing about the work. */
static void tell_said(struct cli *c, const struct cli_option *rows, const uint8_t *said_by)
{
    struct cli_saying *s = c->saying;
    for (size_t i = 0; s && i < s->count; i++) {
        const struct cli_option *o = &rows[s->said[i].row];
        bool many = o->kind == CLI_LIST || o->kind == CLI_STRINGS;
        SHARC_AUTO(sharc_freep) char *text = sharc_asprintf("--%s=%s", o->name, s->said[i].text);
        if (said_by[s->said[i].row] == s->said[i].by && (many || is_last(s, i)))
            cli_list_add(c->said, sharc_span_of(text));
        free(s->said[i].text);
    }
    for (const struct cli_option *o = rows; s && o->kind != CLI_END; o++) {
        SHARC_AUTO(sharc_freep) char *text = o->name ? sharc_asprintf("--%s", o->name) : NULL;
        if (o->kind == CLI_FLAG && said_by[o - rows] && *(bool *)o->value) cli_list_add(c->said, sharc_span_of(text));
    }
    if (s) free(s->said);
    c->saying = NULL;
}

/* --- command line -------------------------------------------------------- */

struct walk {
    struct cli *c;
    const struct cli_option *rows;
    uint8_t *said_by;
    int argc, at;
    char **argv;
    bool help;
};

static int take_option(struct walk *w, const struct cli_option *o, const char *shown, const char *value)
{
    if (!o->value) {
        w->help = true;
        return 0;
    }
    if (o->kind == CLI_FLAG) {
        if (value) return cli_usage(w->c, "%s takes no value", shown);
        cli__overrule(w->rows, w->said_by, o, CLI_BY_COMMAND_LINE);
        *(bool *)o->value = true;
        return 0;
    }
    if (!value) {
        if (w->at + 1 >= w->argc)
            return cli_usage(w->c, "%s needs a value: %s", shown, o->arg ? o->arg : "one of its choices");
        value = w->argv[++w->at];
    }
    cli__overrule(w->rows, w->said_by, o, CLI_BY_COMMAND_LINE);
    cli__said(w->c, (size_t)(o - w->rows), CLI_BY_COMMAND_LINE, sharc_span_of(value));
    struct sharc_err err = SHARC_ERR_INIT;
    if (cli__set_value(o, value, &err) < 0) return cli_usage(w->c, "%s: %s", shown, err.text);
    return 0;
}

static int take_long(struct walk *w, const char *arg)
{
    const char *equals = strchr(arg, '=');
    struct sharc_span name = sharc_span(arg + 2, equals ? (size_t)(equals - arg - 2) : strlen(arg + 2));
    SHARC_AUTO(sharc_freep) char *shown = sharc_asprintf("--%.*s", SHARC_SPAN_ARG(name));
    const struct cli_option *o = cli__by_name(w->rows, name);
    if (o) return take_option(w, o, shown, equals ? equals + 1 : NULL);
    const char *near = cli__nearest_option(shown + 2, w->rows);
    if (near) return cli_usage(w->c, "unknown option %s; did you mean --%s?", shown, near);
    return cli_usage(w->c, "unknown option %s; \"sharc %s --help\" lists them", shown, w->c->command->name);
}

/* -q, -qn 5, -n5: letters may be joined, the last may have a value. */
static int take_short(struct walk *w, const char *arg)
{
    for (const char *p = arg + 1; *p; p++) {
        char shown[] = {'-', *p, 0};
        const struct cli_option *o = by_letter(w->rows, *p);
        if (!o) return cli_usage(w->c, "unknown option %s; \"sharc %s --help\" lists them", shown, w->c->command->name);
        bool takes_value = o->value && o->kind != CLI_FLAG;
        int r = take_option(w, o, shown, takes_value && p[1] ? p + 1 : NULL);
        if (r || takes_value) return r;
    }
    return 0;
}

static int walk_arguments(struct walk *w)
{
    int kept_count = 1;
    bool only_arguments = false;
    for (w->at = 1; w->at < w->argc; w->at++) {
        char *arg = w->argv[w->at];
        int r = 0;
        if (only_arguments || arg[0] != '-' || !arg[1])
            w->argv[kept_count++] = arg;
        else if (strcmp(arg, "--") == 0)
            only_arguments = true;
        else
            r = arg[1] == '-' ? take_long(w, arg) : take_short(w, arg);
        if (r) return -r;
    }
    w->argv[kept_count] = NULL;
    return kept_count;
}

void cli__overrule(const struct cli_option *rows, uint8_t *said_by, const struct cli_option *o, unsigned by)
{
    uint8_t *before = &said_by[o - rows];
    bool many = o->kind == CLI_LIST || o->kind == CLI_STRINGS;
    if (many && *before < by) ((struct cli_list *)o->value)->count = 0;
    *before = (uint8_t)by;
}

static uint64_t said_above_archive(const struct cli_option *rows, const uint8_t *said_by, const char *const *names)
{
    uint64_t bits = 0;
    for (size_t i = 0; names && names[i]; i++) {
        const struct cli_option *o = cli__by_name(rows, sharc_span_of(names[i]));
        if (o && said_by[o - rows] > CLI_BY_ARCHIVE) bits |= UINT64_C(1) << i;
    }
    return bits;
}

/* Files, command line, and the archive's files; as cli_parse. */
static int read_all(struct cli *c, const struct cli_option *rows, uint8_t *said_by, int *argc, char **argv,
                    struct sharc_err *reterr)
{
    if (!c->no_files && cli__read_settings(c, rows, said_by, *argc, argv, reterr) < 0) {
        c->exit_code = cli_fail(c, reterr);
        return CLI_STOP;
    }
    struct walk w = {.c = c, .rows = rows, .said_by = said_by, .argc = *argc, .argv = argv};
    int kept_count = walk_arguments(&w);
    if (kept_count < 0) {
        c->exit_code = -kept_count;
        return CLI_STOP;
    }
    if (w.help) {
        cli__print_help(c, c->command, rows);
        return CLI_STOP;
    }
    *argc = kept_count;
    c->said_above_sites = said_above_archive(rows, said_by, c->site_names);
    const char *argument = c->archive_argument && kept_count > 1 ? argv[1] : NULL;
    if (!c->no_files && cli__read_archive_settings(c, rows, said_by, argument, reterr) < 0) {
        c->exit_code = cli_fail(c, reterr);
        return CLI_STOP;
    }
    return 0;
}

int cli_parse(struct cli *c, int *argc, char **argv, const struct cli_option *options)
{
    SHARC_AUTO(sharc_freep) struct cli_option *rows = cli__all_rows(c, options);
    if (c->collect) {
        c->collect(rows, c->collect_arg);
        return CLI_STOP;
    }
    size_t count = 1;
    while (rows[count - 1].kind != CLI_END) count++;
    SHARC_AUTO(sharc_freep) uint8_t *said_by = SHARC_NEW_ARRAY(uint8_t, count);
    struct sharc_err err = SHARC_ERR_INIT;
    struct cli_saying saying = {0};
    c->saying = c->said ? &saying : NULL;
    int r = read_all(c, rows, said_by, argc, argv, &err);
    tell_said(c, rows, said_by);
    return r;
}

int cli_stop(const struct cli *c)
{
    return c->exit_code;
}
