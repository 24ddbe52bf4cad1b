/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings changed while a capture runs: who wants a change drops a file into
 * the archive, the crawl takes it up and removes it.
 */
#include "crawl_int.h"

#include "sharc/base_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

enum { SETTING_MOST = 8192 };

struct setting {
    const char *name;
    int (*read)(struct sharc_span value, struct sharc_crawl_pace *pace, struct sharc_err *reterr);
};

static int read_delay(struct sharc_span v, struct sharc_crawl_pace *p, struct sharc_err *reterr)
{
    return sharc_duration_parse(v, &p->delay, reterr);
}

static int read_time(struct sharc_span v, struct sharc_crawl_pace *p, struct sharc_err *reterr)
{
    return sharc_duration_parse(v, &p->time, reterr);
}

static int read_bytes(struct sharc_span v, struct sharc_crawl_pace *p, struct sharc_err *reterr)
{
    return sharc_size_parse(v, &p->bytes, reterr);
}

static int read_pages(struct sharc_span v, struct sharc_crawl_pace *p, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(sharc_span_to_u64(v, &p->pages) < 0, reterr, SHARC_ESYNTAX, "\"%.*s\" is no number of pages",
                  SPAN_ARG(v));
    return 0;
}

static int read_connections(struct sharc_span v, struct sharc_crawl_pace *p, struct sharc_err *reterr)
{
    uint64_t n = 0;
    SHARC_FAIL_IF(sharc_span_to_u64(v, &n) < 0 || n == 0 || n > 256, reterr, SHARC_ESYNTAX,
                  "\"%.*s\" is no number of connections: 1 to 256", SPAN_ARG(v));
    p->connections = (unsigned)n;
    return 0;
}

static const struct setting settings[] = {{"delay", read_delay},
                                          {"limit-time", read_time},
                                          {"limit-bytes", read_bytes},
                                          {"limit-pages", read_pages},
                                          {"connections", read_connections}};

int sharc__crawl_setting(struct sharc_span setting, struct sharc_crawl_pace *pace, char *ret_sign,
                         struct sharc_span *ret_rule, struct sharc_err *reterr)
{
    size_t at = sharc_span_find(setting, '=', 0);
    SHARC_FAIL_IF(at == SHARC_NPOS || setting.n > SETTING_MOST, reterr, SHARC_ESYNTAX,
                  "\"%.*s\" is no setting: write NAME=VALUE, as in delay=5s",
                  SPAN_ARG(sharc_span_sub(setting, 0, 200)));
    struct sharc_span name = sharc_span_trim(sharc_span_sub(setting, 0, at));
    struct sharc_span value = sharc_span_trim(sharc_span_from(setting, at + 1));
    *ret_sign = 0;
    for (size_t i = 0; i < SHARC_LENGTH(settings); i++) {
        if (sharc_span_is(name, settings[i].name)) return settings[i].read(value, pace, reterr);
    }
    bool include = sharc_span_is(name, "include");
    SHARC_FAIL_IF(!include && !sharc_span_is(name, "exclude"), reterr, SHARC_ESYNTAX,
                  "\"%.*s\" cannot be changed while a capture runs; delay, connections, limit-pages, limit-bytes, "
                  "limit-time, include and exclude can",
                  SPAN_ARG(name));
    struct sharc_scope *probe = sharc_scope_new();
    int r = sharc_scope_add(probe, include ? SHARC_INCLUDE : SHARC_EXCLUDE, value, "setting", reterr);
    sharc_scope_free(probe);
    *ret_sign = include ? '+' : '-';
    *ret_rule = value;
    return r;
}

/* --- the asking side ------------------------------------------------------------------ */

static bool somebody_runs(const char *archive)
{
    AUTO(sharc_freep) char *path = sharc_path_join(archive, LOCK_NAME);
    AUTO(sharc_closep) int fd = open(path, O_RDWR | O_CLOEXEC);
    return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

int sharc_crawl_set(const char *archive, struct sharc_span setting, struct sharc_err *reterr)
{
    struct sharc_crawl_pace pace = {0};
    struct sharc_span rule;
    char sign;
    int r = sharc__crawl_setting(setting, &pace, &sign, &rule, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(!somebody_runs(archive), reterr, SHARC_ENOENT, "%s: no crawl is running on this archive", archive);
    AUTO(sharc_freep) char *dir = sharc_path_join(archive, CONTROL_NAME);
    r = sharc_dir_make(dir, reterr);
    if (r < 0) return r;
    struct sharc_clock *clock = sharc_clock_real();
    AUTO(sharc_freep) char *path = sharc_asprintf("%s/%lld-%ld.set", dir, (long long)clock->now(clock), (long)getpid());
    return sharc_file_replace(path, setting, reterr);
}

/* --- the running side ------------------------------------------------------------------- */

static void use_setting(struct sharc_crawl *c, struct sharc_span setting)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_crawl_pace pace = c->o.pace;
    struct sharc_span rule;
    char sign;
    int r = sharc__crawl_setting(setting, &pace, &sign, &rule, &err);
    if (r < 0) {
        sharc__crawl_remark(c, "setting not taken: %s", err.text);
        return;
    }
    c->o.pace = pace;
    for (size_t i = 0; i < c->hosts.group_count; i++) sharc__crawl_group_repace(&c->hosts.group[i], &pace);
    c->new_rules = c->new_rules || sign == '-';
    for (size_t i = 0; sign && i < c->sites; i++) {
        if (!c->site[i]->scope) continue; /* finished */
        (void)sharc_scope_add(c->site[i]->scope, sign == '+' ? SHARC_INCLUDE : SHARC_EXCLUDE, rule, "--set", NULL);
        sharc_scope_seal(c->site[i]->scope);
    }
    char text[SHARC_TIME_TEXT];
    if (c->stats) fprintf(c->stats, "%s setting: %.*s\n", sharc_time_iso(crawl_now(c), 0, text), SPAN_ARG(setting));
    sharc__crawl_remark(c, "setting taken: %.*s", SPAN_ARG(setting));
    for (size_t i = 0; i < c->sites; i++)
        if (c->site[i]->strategy) sharc__crawl_site_due(c->site[i], crawl_now(c));
}

void sharc__crawl_control_poll(struct sharc_crawl *c, sharc_time now)
{
    (void)now;
    AUTO(sharc_freep) char *dir = sharc_path_join(c->o.archive, CONTROL_NAME);
    char **names = NULL;
    size_t count = 0;
    if (access(dir, F_OK) < 0 || sharc_dir_list(dir, &names, &count, NULL) < 0) return;
    for (size_t i = 0; i < count; i++) {
        if (!sharc_span_ends(sharc_span_of(names[i]), SPAN(".set"))) continue;
        AUTO(sharc_freep) char *path = sharc_path_join(dir, names[i]);
        AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SETTING_MOST);
        if (sharc_file_read(path, &b, NULL) == 0) use_setting(c, sharc_span_trim(sharc_buf_span(&b)));
        unlink(path);
    }
    sharc_names_free(names, count);
}
