/* SPDX-License-Identifier: Apache-2.0
 *
 * Completion scripts, written out from the tables: nothing to keep in step.
 */
#include "cli_int.h"
#include "cmd_export_catalogue.h"

#include "sharc/diff.h"
#include "sharc/schedule.h"
#include "sharc/sim_table.h"
#include "sharc/store_query.h"

/* --- words that stand for values ------------------------------------------------------- */

struct writer {
    FILE *out;
    const struct cli_command *command;
    bool values; /* some were written */
};

static void put_word(struct writer *w, const char *word)
{
    fprintf(w->out, "%s%s", w->values ? " " : "", word);
    w->values = true;
}

static bool is_command(const struct writer *w, const char *name)
{
    return strcmp(w->command->name, name) == 0;
}

static void put_strategies(struct writer *w)
{
    for (size_t i = 0; i < sharc_strategy_count(); i++) put_word(w, sharc_strategy_at(i)->name);
    if (is_command(w, "crawl")) return; /* takes one */
    put_word(w, "all");
    put_word(w, "blur");
    put_word(w, "coherence");
}

static void put_tables(struct writer *w)
{
    if (is_command(w, "export")) {
        for (size_t i = 0; cli_catalogue_answer(i); i++) put_word(w, cli_catalogue_answer(i));
        for (const char *const *t = sharc_store_tables(); *t; t++)
            if (strcmp(*t, "history") != 0) put_word(w, *t); /* which is an answer too */
    }
    if (!is_command(w, "sim")) return;
    for (size_t i = 0; i < sharc_sim_table_count(); i++) put_word(w, sharc_sim_table_name(i));
    put_word(w, "all");
}

static void put_classes(struct writer *w)
{
    for (unsigned c = 0; c < SHARC_DIFF_CLASSES; c++) put_word(w, sharc_diff_class_word(c));
    put_word(w, "changed");
    put_word(w, "all");
}

/* The words that an option takes, with blanks between; false: any text will do. */
static bool put_values(struct writer *w, const struct cli_option *o)
{
    w->values = false;
    if (o->choices)
        for (int i = 0; o->choices[i]; i++) put_word(w, o->choices[i]);
    else if (strcmp(o->name, "strategy") == 0)
        put_strategies(w);
    else if (strcmp(o->name, "table") == 0)
        put_tables(w);
    else if (strcmp(o->name, "class") == 0)
        put_classes(w);
    return w->values;
}

static bool has_values(const struct cli_option *o)
{
    return o->choices || strcmp(o->name, "strategy") == 0 || strcmp(o->name, "table") == 0 ||
           strcmp(o->name, "class") == 0;
}

/* What may stand first behind a command: "serve|run|watch|judge ARCHIVE" are four words, of help
 * and its like the commands. */
static bool put_first(struct writer *w)
{
    const char *p = w->command->arguments;
    size_t end = strcspn(p, " ");
    w->values = false;
    if (strcmp(p, "[COMMAND]") == 0)
        for (const struct cli_command *k = cli_commands; k->name; k++) put_word(w, k->name);
    if (!memchr(p, '|', end) || *p < 'a' || *p > 'z') return w->values;
    for (const char *stop = p + end; p < stop; p++) {
        size_t n = strcspn(p, "| ");
        fprintf(w->out, "%s%.*s", w->values ? " " : "", (int)n, p);
        w->values = true;
        p += n;
    }
    return w->values;
}

/* --- bash -------------------------------------------------------------------------------- */

static void bash_words(const struct cli_option *rows, void *arg)
{
    const struct writer *w = arg;
    for (; rows->kind != CLI_END; rows++)
        if (rows->name) fprintf(w->out, " --%s", rows->name);
}

/* Lists of names are completed behind their last comma. */
static void bash_values(const struct cli_option *rows, void *arg)
{
    struct writer *w = arg;
    for (; rows->kind != CLI_END; rows++) {
        if (!rows->name || !has_values(rows)) continue;
        fputs("        ", w->out);
        if (rows->letter) fprintf(w->out, "-%c|", rows->letter);
        fprintf(w->out, "--%s) _sharc_words \"", rows->name);
        put_values(w, rows);
        fputs("\"; return ;;\n", w->out);
    }
}

static void print_bash(FILE *out)
{
    struct writer w = {.out = out};
    fputs(
        "# Completion of sharc for bash; load it with:  source <(sharc completion bash)\n"
        "_sharc_words() {\n"
        "    local head=\n"
        "    case $word in *,*) head=${word%,*}, ;; esac\n"
        "    COMPREPLY=($(compgen -P \"$head\" -W \"$1\" -- \"${word##*,}\"))\n"
        "}\n"
        "_sharc() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= first=\n"
        "    if [ \"$word\" = = ]; then word=; elif [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W \"",
        out);
    for (const struct cli_command *k = cli_commands; k->name; k++)
        fprintf(out, "%s%s", k == cli_commands ? "" : " ", k->name);
    fputs("\" -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n", out);
    for (w.command = cli_commands; w.command->name; w.command++) {
        fprintf(out, "    %s)\n        case $before in\n", w.command->name);
        cli__collect(w.command, bash_values, &w);
        fputs("        esac\n        first=\"", out);
        put_first(&w);
        fputs("\"\n        options=\"", out);
        cli__collect(w.command, bash_words, &w);
        fputs("\" ;;\n", out);
    }
    fputs("    esac\n"
          "    case $word in\n"
          "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
          "    *) if [ \"$COMP_CWORD\" -eq 2 ] && [ -n \"$first\" ]; then\n"
          "           COMPREPLY=($(compgen -W \"$first\" -- \"$word\"))\n"
          "       else\n"
          "           COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "       fi ;;\n"
          "    esac\n"
          "}\n"
          "complete -o filenames -F _sharc sharc\n",
          out);
}

/* --- zsh --------------------------------------------------------------------------------- */

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
    struct writer *w = arg;
    for (; rows->kind != CLI_END; rows++) {
        if (!rows->name) continue;
        fprintf(w->out, " \\\n            '--%s[", rows->name);
        zsh_text(w->out, rows->help);
        fputc(']', w->out);
        if (has_values(rows)) {
            /* Of a list, the words behind each comma. */
            bool list = !rows->choices;
            fputs(list ? ":name:_sequence compadd - " : ":choice:(", w->out);
            put_values(w, rows);
            if (!list) fputc(')', w->out);
        } else if (rows->arg) {
            fprintf(w->out, ":%s:_files", rows->arg);
        }
        fputc('\'', w->out);
    }
}

static void print_zsh(FILE *out)
{
    struct writer w = {.out = out};
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
    for (w.command = cli_commands; w.command->name; w.command++) {
        fprintf(out, "    %s)\n        _arguments", w.command->name);
        cli__collect(w.command, zsh_rows, &w);
        const char *p = w.command->arguments;
        bool first = strcmp(p, "[COMMAND]") == 0 || (*p >= 'a' && *p <= 'z' && memchr(p, '|', strcspn(p, " ")));
        if (first) {
            fputs(" \\\n            '1:what:(", out);
            put_first(&w);
            fputs(")'", out);
        }
        fputs(" \\\n            '*:file:_files' ;;\n", out);
    }
    fputs("    esac\n}\n_sharc \"$@\"\n", out);
}

/* --- fish -------------------------------------------------------------------------------- */

static void fish_text(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static void fish_rows(const struct cli_option *rows, void *arg)
{
    struct writer *w = arg;
    for (; rows->kind != CLI_END; rows++) {
        if (!rows->name) continue;
        fprintf(w->out, "complete -c sharc -n '__fish_seen_subcommand_from %s' -l %s", w->command->name, rows->name);
        if (rows->letter) fprintf(w->out, " -s %c", rows->letter);
        if (has_values(rows)) {
            fputs(" -x -a '", w->out);
            put_values(w, rows);
            fputc('\'', w->out);
        } else if (rows->arg) {
            fputs(" -r", w->out);
        }
        fputs(" -d ", w->out);
        fish_text(w->out, rows->help);
        fputc('\n', w->out);
    }
}

static void print_fish(FILE *out)
{
    struct writer w = {.out = out};
    fputs("# Completion of sharc for fish; put it as sharc.fish into ~/.config/fish/completions.\n", out);
    for (w.command = cli_commands; w.command->name; w.command++) {
        fprintf(out, "complete -c sharc -n __fish_use_subcommand -f -a %s -d ", w.command->name);
        fish_text(out, w.command->summary);
        fputc('\n', out);
    }
    for (w.command = cli_commands; w.command->name; w.command++) {
        const char *p = w.command->arguments;
        if (strcmp(p, "[COMMAND]") == 0 || (*p >= 'a' && *p <= 'z' && memchr(p, '|', strcspn(p, " ")))) {
            fprintf(out,
                    "complete -c sharc -n 'test (count (commandline -opc)) -eq 2; and __fish_seen_subcommand_from %s' "
                    "-f -a '",
                    w.command->name);
            put_first(&w);
            fputs("'\n", out);
        }
        cli__collect(w.command, fish_rows, &w);
    }
}

int cmd_completion(struct cli *c, int argc, char **argv)
{
    static const struct {
        const char *shell;
        void (*print)(FILE *out);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    const struct cli_option options[] = {OPT_END};
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    for (size_t i = 0; argc == 2 && i < SHARC_LENGTH(shells); i++) {
        if (strcmp(argv[1], shells[i].shell) != 0) continue;
        shells[i].print(c->out);
        return EXIT_OK;
    }
    return cli_usage(c, "name a shell: bash, zsh or fish");
}
