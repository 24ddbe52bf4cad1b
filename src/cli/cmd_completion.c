/* SPDX-License-Identifier: Apache-2.0
 *
 * Completion scripts, written out from the tables: nothing to keep in step.
 */
#include "cli_int.h"

static void bash_words(const struct cli_option *rows, void *arg)
{
    FILE *out = arg;
    for (; rows->kind != CLI_END; rows++)
        if (rows->name) fprintf(out, " --%s", rows->name);
}

static void bash_choices(const struct cli_option *rows, void *arg)
{
    FILE *out = arg;
    for (; rows->kind != CLI_END; rows++) {
        if (!rows->choices) continue;
        fprintf(out, "        --%s) COMPREPLY=($(compgen -W \"", rows->name);
        for (int i = 0; rows->choices[i]; i++) fprintf(out, "%s%s", i ? " " : "", rows->choices[i]);
        fputs("\" -- \"$word\")); return ;;\n", out);
    }
}

static void print_bash(FILE *out)
{
    fputs("# Completion of sharc for bash; load it with:  source <(sharc completion bash)\n"
          "_sharc() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options=\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W \"",
          out);
    for (const struct cli_command *k = cli_commands; k->name; k++)
        fprintf(out, "%s%s", k == cli_commands ? "" : " ", k->name);
    fputs("\" -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n", out);
    for (const struct cli_command *k = cli_commands; k->name; k++) {
        fprintf(out, "    %s)\n        case $before in\n", k->name);
        cli__collect(k, bash_choices, out);
        fputs("        esac\n        options=\"", out);
        cli__collect(k, bash_words, out);
        fputs("\" ;;\n", out);
    }
    fputs("    esac\n"
          "    case $word in\n"
          "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
          "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
          "    esac\n"
          "}\n"
          "complete -o filenames -F _sharc sharc\n",
          out);
}

/* In zsh's option specs a colon and a bracket have a meaning. */
static void zsh_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else {
            if (strchr("[]:\\", *text)) fputc('\\', out);
            fputc(*text, out);
        }
    }
}

static void zsh_rows(const struct cli_option *rows, void *arg)
{
    FILE *out = arg;
    for (; rows->kind != CLI_END; rows++) {
        if (!rows->name) continue;
        fprintf(out, " \\\n            '--%s[", rows->name);
        zsh_text(out, rows->help);
        fputc(']', out);
        if (rows->choices) {
            fputs(":choice:(", out);
            for (int i = 0; rows->choices[i]; i++) fprintf(out, "%s%s", i ? " " : "", rows->choices[i]);
            fputc(')', out);
        } else if (rows->arg) {
            fprintf(out, ":%s:_files", rows->arg);
        }
        fputc('\'', out);
    }
}

static void print_zsh(FILE *out)
{
    fputs("#compdef sharc\n# Completion of sharc for zsh; put it as _sharc into a directory of $fpath.\n"
          "_sharc() {\n    local -a commands\n    commands=(\n",
          out);
    for (const struct cli_command *k = cli_commands; k->name; k++) {
        fprintf(out, "        '%s:", k->name);
        zsh_text(out, k->summary);
        fputs("'\n", out);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
          "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n",
          out);
    for (const struct cli_command *k = cli_commands; k->name; k++) {
        fprintf(out, "    %s)\n        _arguments", k->name);
        cli__collect(k, zsh_rows, out);
        fputs(" \\\n            '*:file:_files' ;;\n", out);
    }
    fputs("    esac\n}\n_sharc \"$@\"\n", out);
}

int cmd_completion(struct cli *c, int argc, char **argv)
{
    const struct cli_option options[] = {OPT_END};
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (argc == 2 && strcmp(argv[1], "bash") == 0)
        print_bash(c->out);
    else if (argc == 2 && strcmp(argv[1], "zsh") == 0)
        print_zsh(c->out);
    else
        return cli_usage(c, "name a shell: bash or zsh");
    return EXIT_OK;
}
