/* SPDX-License-Identifier: Apache-2.0
 *
 * Help in three forms, all from the same rows: a command's --help, the list of
 * commands, and JSON for completion and checks.
 */
#include "cli_int.h"

#include <stdlib.h>

#define HELP_COLUMN 28
#define HELP_WIDTH 80

/* Print text wrapped at HELP_WIDTH, continuation lines indented. `at` is the
 * column where the first line begins. */
static void wrap(FILE *out, const char *text, int at, int indent)
{
    while (*text) {
        size_t n = strcspn(text, " ");
        if (at > indent && at + 1 + (int)n > HELP_WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', out);
            at++;
        }
        fwrite(text, 1, n, out);
        at += (int)n;
        text += n;
        while (*text == ' ') text++;
    }
    fputc('\n', out);
}

static void print_row(FILE *out, const struct cli_option *o)
{
    if (o->kind == CLI_HEADING) {
        fprintf(out, "\n%s\n", o->help);
        return;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf left = SHARC_BUF_INIT(200);
    if (o->letter)
        sharc_buf_printf(&left, "  -%c, --%s", o->letter, o->name);
    else
        sharc_buf_printf(&left, "      --%s", o->name);
    if (o->arg) sharc_buf_printf(&left, " %s", o->arg);
    for (int i = 0; o->choices && o->choices[i]; i++) sharc_buf_printf(&left, "%s%s", i ? "|" : " ", o->choices[i]);
    fputs(sharc_buf_str(&left), out);
    if (left.n + 2 > HELP_COLUMN)
        fprintf(out, "\n%*s", HELP_COLUMN, "");
    else
        fprintf(out, "%*s", (int)(HELP_COLUMN - left.n), "");
    wrap(out, o->help, HELP_COLUMN, HELP_COLUMN);
}

void cli__print_help(struct cli *c, const struct cli_command *command, const struct cli_option *rows)
{
    const char first = sharc_to_upper(command->summary[0]);
    SHARC_AUTO(sharc_freep) char *usage = sharc_asprintf("sharc %s [OPTION...] %s", command->name, command->arguments);
    SHARC_AUTO(sharc_freep) char *summary = sharc_asprintf("%c%s.", first, command->summary + 1);
    fputs("Usage: ", c->out);
    wrap(c->out, usage, 7, 7);
    wrap(c->out, summary, 0, 0);
    if (rows->kind != CLI_HEADING) fputs("\nOptions\n", c->out);
    for (; rows->kind != CLI_END; rows++) print_row(c->out, rows);
    fprintf(c->out, "\nThe manual has more: man sharc-%s\n", command->name);
}

void cli__collect(const struct cli_command *command, void (*fn)(const struct cli_option *rows, void *arg), void *arg)
{
    struct cli probe = {.command = command, .collect = fn, .collect_arg = arg};
    char *argv[] = {(char *)command->name, NULL};
    command->run(&probe, 1, argv);
}

/* --- sharc help ---------------------------------------------------------- */

static void list_commands(struct cli *c)
{
    fputs("sharc captures web sites so that you can trust when their pages existed.\n\n"
          "Usage: sharc COMMAND [OPTION...] [ARGUMENT...]\n\nCommands\n",
          c->out);
    for (const struct cli_command *k = cli_commands; k->name; k++) {
        fprintf(c->out, "  %-14s", k->name);
        wrap(c->out, k->summary, 16, 16);
    }
    fputs("\n\"sharc COMMAND --help\" explains a command, \"sharc help --exit-codes\" what its\nexit code means.\n",
          c->out);
}

static const char *kind_name(enum cli_option_kind kind)
{
    static const char *const names[] = {"",     "",        "flag",     "uint", "real", "share", "string",
                                        "list", "strings", "duration", "time", "size", "choice"};
    return names[kind];
}

static void rows_as_json(const struct cli_option *rows, void *arg)
{
    struct sharc_json *j = arg;
    for (; rows->kind != CLI_END; rows++) {
        if (rows->kind == CLI_HEADING) continue;
        sharc_json_object(j, NULL);
        sharc_json_str(j, "name", rows->name);
        if (rows->letter) sharc_json_span(j, "letter", sharc_span(&rows->letter, 1));
        sharc_json_str(j, "kind", kind_name(rows->kind));
        if (rows->arg) sharc_json_str(j, "argument", rows->arg);
        if (rows->choices) {
            sharc_json_array(j, "choices");
            for (int i = 0; rows->choices[i]; i++) sharc_json_str(j, NULL, rows->choices[i]);
            sharc_json_end(j);
        }
        sharc_json_str(j, "help", rows->help);
        sharc_json_end(j);
    }
}

static void everything_as_json(struct cli *c)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(4u << 20);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_array(&j, "commands");
    for (const struct cli_command *k = cli_commands; k->name; k++) {
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "name", k->name);
        sharc_json_str(&j, "arguments", k->arguments);
        sharc_json_str(&j, "summary", k->summary);
        sharc_json_array(&j, "options");
        cli__collect(k, rows_as_json, &j);
        sharc_json_end(&j);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_array(&j, "exit_codes");
#define X(name, number, text)            \
    sharc_json_object(&j, NULL);         \
    sharc_json_int(&j, "code", number);  \
    sharc_json_str(&j, "meaning", text); \
    sharc_json_end(&j);
    CLI_EXITS(X)
#undef X
    sharc_json_end(&j);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

static void list_exit_codes(struct cli *c)
{
#define X(name, number, text)         \
    fprintf(c->out, "%4d  ", number); \
    wrap(c->out, text, 6, 6);
    CLI_EXITS(X)
#undef X
}

int cmd_help(struct cli *c, int argc, char **argv)
{
    bool exit_codes = false;
    const struct cli_option options[] = {
        OPT_FLAG(0, "exit-codes", &exit_codes, "list the exit codes and what they mean"),
        OPT_END,
    };
    int r = cli_parse(c, &argc, argv, options);
    if (r) return cli_stop(c);
    if (argc > 2) return cli_usage(c, "one command at a time, please");
    if (c->json) {
        everything_as_json(c);
    } else if (exit_codes) {
        list_exit_codes(c);
    } else if (argc == 1) {
        list_commands(c);
    } else {
        const struct cli_command *k = cli_command_find(argv[1]);
        if (!k) return cli_usage(c, "there is no command \"%s\"; \"sharc help\" lists them", argv[1]);
        struct cli inner = {.out = c->out, .err = c->err, .command = k};
        char *ask[] = {argv[1], (char *)"--help", NULL};
        return k->run(&inner, 2, ask);
    }
    return EXIT_OK;
}
