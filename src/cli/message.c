/* SPDX-License-Identifier: Apache-2.0
 *
 * What the user is told, and with which exit code.
 */
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>

/* Length of the setting's name when text begins as the library names settings, else 0. */
#define SETTING "setting \""
static size_t setting_name(const char *text)
{
    if (strncmp(text, SETTING, strlen(SETTING)) != 0) return 0;
    const char *name = text + strlen(SETTING);
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    return name[n] == '"' ? n : 0;
}

char *cli_words(const char *sentence)
{
    char *words = sharc_strdup(sentence), *to = words; /* an option is shorter than the words for its setting */
    for (const char *s = sentence; *s;) {
        size_t n = setting_name(s);
        if (!n) {
            *to++ = *s++;
            continue;
        }
        *to++ = '-', *to++ = '-';
        memcpy(to, s + strlen(SETTING), n);
        to += n;
        s += strlen(SETTING) + n + 1;
    }
    *to = '\0';
    return words;
}

/* What is said may quote anything: the sentence is made as errors are, without what steers terminals. */
static SHARC_PRINTF(2, 0) void say(struct cli *c, const char *fmt, va_list ap)
{
    SHARC_AUTO(sharc_freep) char *text = NULL;
    struct sharc_err shown;
    if (vasprintf(&text, fmt, ap) < 0) text = NULL;
    sharc_fail(&shown, SHARC_EINVAL, "%s", text ? text : fmt);
    SHARC_AUTO(sharc_freep) char *words = cli_words(shown.text);
    fprintf(c->err, "sharc%s%s: %s\n", c->command ? " " : "", c->command ? c->command->name : "", words);
}

int cli_exit_of(int error_code)
{
    switch ((enum sharc_error)error_code) {
    case SHARC_OK: return EXIT_OK;
    case SHARC_EINVAL: return EXIT_USAGE;
    case SHARC_ENOSPC: return EXIT_NOSPACE;
    case SHARC_ECONFIG: return EXIT_SETTINGS;
    case SHARC_ESYNTAX:
    case SHARC_ETRUNC:
    case SHARC_ECORRUPT:
    case SHARC_EDIGEST:
    case SHARC_EUNSUPPORTED: return EXIT_INPUT;
    case SHARC_EIO:
    case SHARC_ENOENT:
    case SHARC_EACCESS:
    case SHARC_EEXIST:
    case SHARC_EBUSY: return EXIT_FILES;
    case SHARC_ENET:
    case SHARC_EROBOTS: return EXIT_NETWORK;
    case SHARC_EDB: return EXIT_DATABASE;
    case SHARC_ELIMIT:
    case SHARC_ENOMEM: return EXIT_LIMIT;
    case SHARC_EINTR: return EXIT_INTERRUPTED;
    }
    return EXIT_INTERNAL;
}

int cli_fail(struct cli *c, const struct sharc_err *err)
{
    if (ferror(c->out)) { /* it may be the reason; main() tells it, or nobody wants to hear it */
        c->muted = true;
        return cli_exit_of(err->code);
    }
    SHARC_AUTO(sharc_freep) char *words = cli_words(err->text[0] ? err->text : sharc_error_text(err->code));
    fprintf(c->err, "sharc %s: %s\n", c->command->name, words);
    return cli_exit_of(err->code);
}

int cli_usage(struct cli *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(c, fmt, ap);
    va_end(ap);
    return EXIT_USAGE;
}

int cli_one_form(struct cli *c, bool csv, bool markdown)
{
    if ((csv && markdown) || (c->json && (csv || markdown)))
        return cli_usage(c, "%s and %s exclude each other", csv ? "--csv" : "--markdown",
                         c->json ? "--json" : "--markdown");
    return EXIT_OK;
}

void cli_note(struct cli *c, const char *fmt, ...)
{
    if (c->quiet) return;
    va_list ap;
    va_start(ap, fmt);
    say(c, fmt, ap);
    va_end(ap);
}

void cli_warn(void *arg, const struct sharc_err *what)
{
    cli_note(arg, "%s", what->text);
}

struct sharc_progress *cli_progress(struct cli *c, const char *what, const char *unit, uint64_t total)
{
    struct sharc_clock *clock = sharc_clock_real();
    return sharc_progress_new(c->err, sharc_progress_style_for(c->err, getenv("TERM"), c->quiet), what, unit, total,
                              clock->now(clock));
}

const char *const cli_colours[] = {"auto", "always", "never", NULL};

bool cli_colour(struct cli *c, int choice)
{
    const char *term = getenv("TERM"), *none = getenv("NO_COLOR");
    bool usual = c->output->terminal && term && *term && strcmp(term, "dumb") != 0 && !(none && *none);
    return c->output->colours = choice == 0 ? usual : choice == 1;
}

/* Edit distance with transpositions, small strings only. */
static size_t distance(const char *a, const char *b)
{
    enum { MAX = 40 };
    size_t n = strlen(a), m = strlen(b);
    if (n >= MAX || m >= MAX) return MAX;
    size_t d[MAX][MAX];
    for (size_t i = 0; i <= n; i++) d[i][0] = i;
    for (size_t j = 0; j <= m; j++) d[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            size_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && d[i - 2][j - 2] + 1 < best) best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[n][m];
}

const char *cli_nearest(const char *typed, const char *const *names)
{
    const char *best = NULL;
    size_t least = strlen(typed) / 3 + 2; /* a third of the letters may be wrong */
    for (; *names; names++) {
        size_t d = distance(typed, *names);
        bool begins = strlen(typed) >= 2 && strncmp(typed, *names, strlen(typed)) == 0;
        if (begins && d > 1) d = 1;
        if (d < least) least = d, best = *names;
    }
    return best;
}

unsigned cli_columns(FILE *out)
{
    struct winsize size;
    int fd = fileno(out);
    return fd >= 0 && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
