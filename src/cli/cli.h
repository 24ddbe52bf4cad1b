/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line: one table of commands, one row per option.
 *
 * To add a command
 *   1. write src/cli/cmd_<name>.c with `int cmd_<name>(struct cli *c, int argc,
 *      char **argv)`: a local struct of settings, an array of option rows bound
 *      to its fields, then cli_parse(). The command itself only translates:
 *      work of more than some 200 lines belongs to a room;
 *   2. declare it at the end of this header, add one row to `cli_commands` in
 *      command.c, and the file to meson.build;
 *   3. write docs/commands/<name>.md (the man page is made from it) with an
 *      example, and a folder of expectations in tests/cli/.
 *
 * Names of files. cmd_<name>.c is the command; when it needs several files, its
 * parts are cmd_<name>_<part>.c and what they share is cmd_<name>.h, with functions
 * <name>_<verb>. Whatever serves more than one command has no cmd_ in front, and
 * its functions are cli_<verb>. A file stays below some 200 lines; tables of options
 * and printing may take more, work may not.
 *
 * tools/check-docs compares table, help and page; tools/test-docs runs the
 * example. Help, completion and the settings file read the same rows.
 */
#ifndef SHARC_CLI_H
#define SHARC_CLI_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/base_json.h"
#include "sharc/base_progress.h"
#include "sharc/base_version.h"

#include <stdio.h>

/* Exit codes by cause. Scripts depend on them: a number never changes. */
#define CLI_EXITS(X)                                                                         \
    X(OK, 0, "success")                                                                      \
    X(FINDINGS, 1, "the command did its work and found something wrong, as its output says") \
    X(USAGE, 2, "unknown command or option, or an argument that makes no sense")             \
    X(NOSPACE, 3, "no space left on the device")                                             \
    X(SETTINGS, 4, "the settings file is wrong")                                             \
    X(INPUT, 5, "an input is damaged, cut short or not in a form sharc understands")         \
    X(FILES, 6, "a file or directory cannot be read, written or created")                    \
    X(NETWORK, 7, "the network failed or refused")                                           \
    X(DATABASE, 8, "the database failed")                                                    \
    X(LIMIT, 9, "a limit was reached, or memory ran out")                                    \
    X(INTERRUPTED, 11, "stopped by a signal; what was finished is safe")                     \
    X(INTERNAL, 70, "an internal error in sharc: please report it")

enum cli_exit {
#define X(name, number, text) EXIT_##name = (number),
    CLI_EXITS(X)
#undef X
};

struct cli; /* what main() prepared for the command */

enum cli_option_kind {
    CLI_END,
    CLI_HEADING,  /* a line between groups of options in --help */
    CLI_FLAG,     /* bool */
    CLI_UINT,     /* uint64_t */
    CLI_REAL,     /* double, not negative */
    CLI_SHARE,    /* double in 0 … 1, written 0.05 or 5% */
    CLI_STRING,   /* const char * */
    CLI_LIST,     /* struct cli_list, may be repeated, commas separate */
    CLI_STRINGS,  /* struct cli_list, may be repeated, commas do not separate */
    CLI_DURATION, /* sharc_time */
    CLI_TIME,     /* sharc_time */
    CLI_SIZE,     /* uint64_t, bytes */
    CLI_CHOICE,   /* int, an index into choices */
};

struct cli_list {
    const char **items; /* strings owned by the list */
    size_t count, room;
    char **owned;
    size_t owned_count, owned_room;
};
void cli_list_done(struct cli_list *l);
void cli_list_add(struct cli_list *l, struct sharc_span s); /* a copy */

struct cli_option {
    enum cli_option_kind kind;
    char letter;      /* 0: none */
    const char *name; /* without dashes */
    void *value;
    const char *arg; /* how the argument is called in --help */
    const char *help;
    const char *const *choices; /* CHOICE: ends with NULL */
    double least, most;         /* of numbers; both 0: what suits the kind (cli__set_value) */
};

#define OPT_HEADING(text)                            \
    {                                                \
        CLI_HEADING, 0, NULL, NULL, NULL, text, NULL \
    }
#define OPT_FLAG(letter, name, value, help)             \
    {                                                   \
        CLI_FLAG, letter, name, value, NULL, help, NULL \
    }
#define OPT_UINT(letter, name, value, arg, help)       \
    {                                                  \
        CLI_UINT, letter, name, value, arg, help, NULL \
    }
/* The same between two bounds, for what ends up in a smaller type, and where 0 means nothing. */
#define OPT_UINT_IN(least, most, letter, name, value, arg, help)    \
    {                                                               \
        CLI_UINT, letter, name, value, arg, help, NULL, least, most \
    }
#define OPT_REAL_IN(least, most, letter, name, value, arg, help)    \
    {                                                               \
        CLI_REAL, letter, name, value, arg, help, NULL, least, most \
    }
#define OPT_SIZE_IN(least, most, letter, name, value, arg, help)    \
    {                                                               \
        CLI_SIZE, letter, name, value, arg, help, NULL, least, most \
    }
#define OPT_DURATION_IN(least, most, letter, name, value, arg, help)    \
    {                                                                   \
        CLI_DURATION, letter, name, value, arg, help, NULL, least, most \
    }
#define CLI_THREADS_MOST 1024
#define CLI_DURATION_MOST (365250 * (double)SHARC_DAY) /* a thousand years */
#define CLI_SEED_MOST 18446744073709551616.0           /* every uint64_t */
#define OPT_REAL(letter, name, value, arg, help)       \
    {                                                  \
        CLI_REAL, letter, name, value, arg, help, NULL \
    }
#define OPT_SHARE(letter, name, value, arg, help)       \
    {                                                   \
        CLI_SHARE, letter, name, value, arg, help, NULL \
    }
#define OPT_STRING(letter, name, value, arg, help)       \
    {                                                    \
        CLI_STRING, letter, name, value, arg, help, NULL \
    }
#define OPT_LIST(letter, name, value, arg, help)       \
    {                                                  \
        CLI_LIST, letter, name, value, arg, help, NULL \
    }
#define OPT_STRINGS(letter, name, value, arg, help)       \
    {                                                     \
        CLI_STRINGS, letter, name, value, arg, help, NULL \
    }
#define OPT_DURATION(letter, name, value, arg, help)       \
    {                                                      \
        CLI_DURATION, letter, name, value, arg, help, NULL \
    }
#define OPT_TIME(letter, name, value, arg, help)       \
    {                                                  \
        CLI_TIME, letter, name, value, arg, help, NULL \
    }
#define OPT_SIZE(letter, name, value, arg, help)       \
    {                                                  \
        CLI_SIZE, letter, name, value, arg, help, NULL \
    }
#define OPT_CHOICE(letter, name, value, choices, help)       \
    {                                                        \
        CLI_CHOICE, letter, name, value, NULL, help, choices \
    }
#define OPT_END                                  \
    {                                            \
        CLI_END, 0, NULL, NULL, NULL, NULL, NULL \
    }

/* --- what main() prepared ------------------------------------------------- */

/* Standard output, as the commands get it: it remembers why a write failed, and what could steer
 * a terminal is made visible on its way to one (\x1b for an escape). */
struct cli_output {
    int fd;
    bool terminal;
    bool colours;          /* the command uses some */
    int error;             /* errno of the first write that failed; 0: none */
    unsigned char held[8]; /* the beginning of what may be a colour of ours, or a character */
    size_t held_count;
};
FILE *cli_output_open(struct cli_output *o, int fd, bool terminal);

/* The name of a file, or another foreign text, inside a line for people: what would end the line is made visible, so
 * that nobody who chooses a name writes lines of his own. Lives as long as the block that asks. */
enum { CLI_SHOWN_ROOM = 8192 };
const char *cli_shown(struct sharc_span text, char room[CLI_SHOWN_ROOM]);
#define CLI_SHOWN_SPAN(span) cli_shown(span, (char[CLI_SHOWN_ROOM]){0})
#define CLI_SHOWN(text) CLI_SHOWN_SPAN(sharc_span_of(text))

struct cli {
    FILE *out, *err;
    struct cli_output *output;         /* behind out */
    const struct cli_command *command; /* the one that runs */
    bool json, quiet;                  /* --json, --quiet: every command has them */
    const char *settings;              /* --settings FILE */
    /* Set by a command before cli_parse: of another command's section in settings files
     * it takes these options, unless its own section has them. */
    const char *borrows;             /* the other command; NULL: none */
    const char *const *borrows_what; /* names of options that both have; ends with NULL */
    /* Set by a command before cli_parse: names of options (at most 64, ends with NULL) that an archive's settings may
     * also have for single sites; after it, bit i: somebody with more to say than these has given the i-th. */
    const char *const *site_names;
    uint64_t said_above_sites;
    /* Set by a command before cli_parse: no settings files are read. */
    bool no_files;
    /* Set by a command before cli_parse: gets what was said about every option, in files or on the command line, as it
     * would stand there: "--delay=5s". NULL: nobody wants to know. */
    struct cli_list *said;
    struct cli_saying *saying; /* while it is collected */
    bool archive_argument;     /* its argument may be an archive, whose settings are read then */
    /* Set while somebody only wants to know the options: cli_parse hands the
     * rows over and returns CLI_STOP. */
    void (*collect)(const struct cli_option *options, void *arg);
    void *collect_arg;
    int exit_code; /* set by cli_parse when it says stop */
    bool muted;    /* a failure was not told because the output had failed before */
};

struct cli_command {
    const char *name;
    int (*run)(struct cli *c, int argc, char **argv); /* returns an exit code */
    const char *arguments;                            /* "FILE..." for the usage line */
    const char *summary;
};
extern const struct cli_command cli_commands[]; /* ends with name == NULL */
const struct cli_command *cli_command_find(const char *name);

/* Parse the options of a command (argv[0] is its name): first the settings
 * file, then the command line, which wins. Options may stand after arguments;
 * "--" ends them. On success returns 0 and leaves the other arguments in
 * argv[1 … *argc-1]. CLI_STOP: the command is to return c's exit code now
 * (--help was asked for, or a message was printed): `return cli_stop(c)`. */
#define CLI_STOP 1
int cli_parse(struct cli *c, int *argc, char **argv, const struct cli_option *options);
int cli_stop(const struct cli *c);

/* A sentence of the library in the command's words, malloc'ed: the library knows settings
 * (setting "births"), of which every one is an option with that name (--births). Whatever
 * prints one goes through this; the functions below do. */
char *cli_words(const char *sentence);

/* Say what went wrong ("sharc sim: …") and return the exit code of its cause. */
int cli_fail(struct cli *c, const struct sharc_err *err);
int cli_exit_of(int error_code);
/* A usage error in one sentence; returns EXIT_USAGE. */
int cli_usage(struct cli *c, const char *fmt, ...) SHARC_PRINTF(2, 3);
/* EXIT_OK, or the usage error that more than one of --csv, --markdown and --json was given. */
int cli_one_form(struct cli *c, bool csv, bool markdown);
/* A remark on stderr, unless --quiet. */
void cli_note(struct cli *c, const char *fmt, ...) SHARC_PRINTF(2, 3);
/* The same of what a room warns of; arg is the struct cli. */
void cli_warn(void *arg, const struct sharc_err *what);

/* A progress display on stderr in the style that fits: sharc_progress_freep. */
struct sharc_progress *cli_progress(struct cli *c, const char *what, const char *unit, uint64_t total);

/* May standard output be coloured? choice: 0 when it is a terminal that can show
 * colours and NO_COLOR is not set, 1 always, 2 never; in the order of cli_colours. */
extern const char *const cli_colours[]; /* "auto", "always", "never", NULL: for OPT_CHOICE */
bool cli_colour(struct cli *c, int choice);

/* Columns of the terminal that out is, 0: it is none. */
unsigned cli_columns(FILE *out);

/* The nearest of `names` (ends with NULL) to what was typed, or NULL when none
 * is near enough to be meant. */
const char *cli_nearest(const char *typed, const char *const *names);

/* A table for people: columns aligned, numbers to the right. Cells are copied. */
struct cli_table;
struct cli_table *cli_table_new(size_t columns, const char *const *titles, const char *align); /* 'l' or 'r' each */
void cli_table_free(struct cli_table *t);
void cli_table_freep(struct cli_table **t);
void cli_table_cell(struct cli_table *t, const char *fmt, ...) SHARC_PRINTF(2, 3); /* next cell, row by row */
void cli_table_rule(struct cli_table *t);                                          /* a line before the next row */
void cli_table_print(const struct cli_table *t, FILE *out);

/* The commands, one file each. */
int cmd_certify(struct cli *c, int argc, char **argv);
int cmd_completion(struct cli *c, int argc, char **argv);
int cmd_crawl(struct cli *c, int argc, char **argv);
int cmd_diff(struct cli *c, int argc, char **argv);
int cmd_export(struct cli *c, int argc, char **argv);
int cmd_help(struct cli *c, int argc, char **argv);
int cmd_import(struct cli *c, int argc, char **argv);
int cmd_index(struct cli *c, int argc, char **argv);
int cmd_lab(struct cli *c, int argc, char **argv);
int cmd_plan(struct cli *c, int argc, char **argv);
int cmd_quality(struct cli *c, int argc, char **argv);
int cmd_rates(struct cli *c, int argc, char **argv);
int cmd_report(struct cli *c, int argc, char **argv);
int cmd_serve(struct cli *c, int argc, char **argv);
int cmd_sim(struct cli *c, int argc, char **argv);
int cmd_url(struct cli *c, int argc, char **argv);
int cmd_jobs(struct cli *c, int argc, char **argv);
int cmd_key(struct cli *c, int argc, char **argv);
int cmd_status(struct cli *c, int argc, char **argv);
int cmd_verify(struct cli *c, int argc, char **argv);
int cmd_version(struct cli *c, int argc, char **argv);
int cmd_view(struct cli *c, int argc, char **argv);
int cmd_watch(struct cli *c, int argc, char **argv);
int cmd_worker(struct cli *c, int argc, char **argv);

#endif
