/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc diff: what its two arguments name.
 */
#include "cmd_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

void cmd_diff_argument_done(struct cmd_diff_argument *a)
{
    free(a->path);
}

static bool is_url(const char *text)
{
    struct sharc_span s = sharc_span_of(text);
    return sharc_span_istarts(s, SHARC_SPAN("http://")) || sharc_span_istarts(s, SHARC_SPAN("https://"));
}

/* URL@TIME, URL, or @TIME for the URL of the other argument. */
static int read_moment(struct cli *c, struct cmd_diff_argument *a, const char *other_url)
{
    const char *at = strrchr(a->text, '@');
    struct sharc_err err = SHARC_ERR_INIT;
    a->kind = CMD_DIFF_MOMENT;
    a->when = SHARC_TIME_NONE;
    if (a->text[0] == '@') {
        if (!other_url) return cli_usage(c, "%s: name a URL before the @ of the first argument", a->text);
        if (sharc_time_parse(sharc_span_of(a->text + 1), &a->when, &err) < 0) return cli_usage(c, "%s", err.text);
        a->path = sharc_strdup(other_url);
        return EXIT_OK;
    }
    /* An @ may also belong to the URL itself. */
    bool timed = at && sharc_time_parse(sharc_span_of(at + 1), &a->when, NULL) == 0;
    a->path = sharc_strndup(a->text, timed ? (size_t)(at - a->text) : strlen(a->text));
    return EXIT_OK;
}

/* A path that is a typing error is no page and no capture. */
static int check_there(struct cli *c, const char *path)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (access(path, F_OK) == 0) return EXIT_OK;
    if (errno == ENOENT)
        sharc_fail(&err, SHARC_ENOENT,
                   "%s: there is no such file or directory; name pages, archive files, directories of these, "
                   "FILE#OFFSET or URL@TIME",
                   path);
    else
        sharc_fail(&err, sharc_error_from_errno(errno), "%s: %s", path, strerror(errno));
    return cli_fail(c, &err);
}

int cmd_diff_argument_read(struct cli *c, struct cmd_diff_argument *a, const char *other_url)
{
    const char *hash = strrchr(a->text, '#');
    if (is_url(a->text) || a->text[0] == '@') return read_moment(c, a, other_url);
    if (access(a->text, F_OK) < 0 && hash && sharc_span_to_u64(sharc_span_of(hash + 1), &a->offset) == 0) {
        a->kind = CMD_DIFF_RECORD;
        a->path = sharc_strndup(a->text, (size_t)(hash - a->text));
        return check_there(c, a->path);
    }
    a->kind = sharc_diff_is_archive(a->text) ? CMD_DIFF_CAPTURE : CMD_DIFF_FILE;
    return strcmp(a->text, "-") == 0 ? EXIT_OK : check_there(c, a->text);
}
