/* SPDX-License-Identifier: Apache-2.0
 *
 * main(): find the command, run it, and make sure that what it printed has
 * reached its destination.
 */
#include "cli.h"
#include "objects.h"

#include "sharc/base_abort.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int unknown_command(struct cli *c, const char *typed)
{
    const char *names[64];
    size_t n = 0;
    for (const struct cli_command *k = cli_commands; k->name && n < SHARC_LENGTH(names) - 1; k++) names[n++] = k->name;
    names[n] = NULL;
    const char *near = cli_nearest(typed, names);
    if (near) return cli_usage(c, "there is no command \"%s\"; did you mean \"%s\"?", typed, near);
    return cli_usage(c, "there is no command \"%s\"; \"sharc help\" lists them", typed);
}

/* `sharc --help` and `sharc --version` are what people try first. */
static const char *command_name(const char *first)
{
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) return "help";
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) return "version";
    return first;
}

static int run(struct cli *c, int argc, char **argv)
{
    if (argc < 2) {
        char *help[] = {(char *)"help", NULL};
        c->command = cli_command_find("help");
        cmd_help(c, 1, help);
        return EXIT_USAGE;
    }
    const char *name = command_name(argv[1]);
    if (name[0] == '-') return cli_usage(c, "options come after the command: sharc COMMAND %s", name);
    c->command = cli_command_find(name);
    if (!c->command) return unknown_command(c, name);
    return c->command->run(c, argc - 1, argv + 1);
}

/* The command has ended with this code. */
static int finish_output(const struct cli *c, struct cli_output *o, int code)
{
    if (fclose(c->out) != 0 && !o->error) o->error = errno;
    if (!o->error) return code;
    if (o->error == EPIPE) return c->muted ? EXIT_OK : code;
    fprintf(stderr, "sharc: cannot write the output: %s\n", strerror(o->error));
    return o->error == ENOSPC || o->error == EDQUOT ? EXIT_NOSPACE : EXIT_FILES;
}

/* The documented code instead of a signal's; nothing here may need memory. */
static void end_process(int code)
{
    _exit(code == SHARC_OK ? EXIT_INTERNAL : cli_exit_of(code));
}

int main(int argc, char **argv)
{
    /* A reader that goes away (`sharc … | head`) is no error of ours: write()
     * then fails with EPIPE and is seen above. */
    sharc_on_abort(end_process);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes: write() fails, and somebody says where */
    struct cli_output output;
    struct cli c = {.out = cli_output_open(&output, STDOUT_FILENO, isatty(STDOUT_FILENO)),
                    .err = stderr,
                    .output = &output};
    if (!c.out) SHARC_BUG("no stream for standard output");
    cli_objects_prepare(&c);
    int code = run(&c, argc, argv);
    cli_objects_done();
    return finish_output(&c, &output, code);
}
