/* SPDX-License-Identifier: Apache-2.0
 *
 * What commands that work on an archive share: among it, the settings of single sites.
 */
#include "archive.h"
#include "cli_signals.h"

#include "sharc/base_buf.h"
#include "sharc/crawl.h"
#include "sharc/summary.h"
#include "sharc/url.h"

#include <stdlib.h>
#include <sys/stat.h>

bool cli_is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

void cli_summarise(struct cli *c, struct sharc_store *store)
{
    const struct sharc_summary_options o = {.stop = cli_signals_flag()};
    struct sharc_err err = SHARC_ERR_INIT;
    uint64_t made;
    if (sharc_summary_refresh(store, &o, &made, &err) < 0)
        cli_note(c, "sums and verdicts could not be kept in the catalogue, so they are computed when asked for: %s",
                 err.text);
}

struct site_settings {
    const struct cli *c;
    cli_site_setting_fn *fn;
    void *arg;
};

static int check_url(struct sharc_span text, struct sharc_err *err)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    int r = sharc_url_parse_typed(&u, text, err);
    SHARC_FAIL_IF(r == 0 && !sharc_url_is_http(&u), err, SHARC_ESYNTAX, "a site must have an http or https URL");
    return r;
}

static int unknown(struct sharc_span name, const char *const *names, struct sharc_err *err)
{
    SHARC_AUTO(sharc_freep) char *typed = sharc_span_dup(name);
    const char *near = cli_nearest(typed, names);
    if (near) return sharc_fail(err, SHARC_ECONFIG, "unknown setting: \"%s\"; did you mean \"%s\"?", typed, near);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf all = SHARC_BUF_INIT(400);
    for (size_t i = 0; names[i]; i++) sharc_buf_printf(&all, ", %s", names[i]);
    return sharc_fail(err, SHARC_ECONFIG, "unknown setting: \"%s\"; a site can have url%s", typed, sharc_buf_str(&all));
}

static int take_setting(void *arg, struct sharc_span url, struct sharc_span name, struct sharc_span value,
                        struct sharc_err *err)
{
    const struct site_settings *s = arg;
    const char *const *names = sharc_crawl_setting_names();
    size_t i = 0;
    if (sharc_span_is(name, "url")) return check_url(value, err);
    while (names[i] && !sharc_span_is(name, names[i])) i++;
    if (!names[i]) return unknown(name, names, err);
    SHARC_AUTO(sharc_freep)
    char *setting = sharc_asprintf("%.*s=%.*s", SHARC_SPAN_ARG(name), SHARC_SPAN_ARG(value));
    int r = sharc_crawl_setting_check(sharc_span_of(setting), err);
    if (r < 0 || (s->c->said_above_sites >> i & 1)) return r;
    return s->fn(s->arg, url, sharc_span_of(setting), err);
}

int cli_site_settings(const struct cli *c, const char *archive, cli_site_setting_fn *fn, void *arg,
                      struct sharc_err *err)
{
    struct site_settings s = {c, fn, arg};
    return sharc_archive_site_settings(archive, take_setting, &s, err);
}
