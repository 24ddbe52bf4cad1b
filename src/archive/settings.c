/* SPDX-License-Identifier: Apache-2.0
 *
 * What sharc.yaml says about the archive itself: `store:` and `sites:`; and opening the catalogue.
 */
#include "sharc/archive.h"

#include "sharc/archive_places.h"
#include "sharc/base_arena.h"
#include "sharc/base_file.h"
#include "sharc/base_limits.h"
#include "sharc/base_node.h"
#include "sharc/base_remote.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* sharc.yaml, read. */
struct document {
    char *path;
    struct sharc_buf text;
    struct sharc_arena arena;
};

static struct document document_of(const char *dir)
{
    return (struct document){.path = sharc_archive_path(dir, SHARC_ARCHIVE_SETTINGS),
                             .text = SHARC_BUF_INIT(SHARC_LIMIT_SETTINGS_BYTES),
                             .arena = SHARC_ARENA_INIT(64u << 20)};
}

static void document_done(struct document *d)
{
    free(d->path);
    sharc_buf_done(&d->text);
    sharc_arena_done(&d->arena);
}

/* What stands under a name at its top; NULL: nothing. */
static int setting(struct document *d, const char *name, const struct sharc_node **ret, struct sharc_err *reterr)
{
    *ret = NULL;
    if (access(d->path, F_OK) != 0) return 0;
    const struct sharc_node *doc = NULL;
    struct sharc_err why = SHARC_ERR_INIT;
    int r = sharc_file_read(d->path, &d->text, reterr);
    if (r < 0) return r;
    if (sharc_yaml_read(sharc_buf_span(&d->text), &d->arena, &doc, &why) < 0)
        return sharc_fail(reterr, SHARC_ECONFIG, "%s: %s", d->path, why.text);
    *ret = sharc_node_get(doc, name);
    return 0;
}

static int wrong(const struct document *d, const struct sharc_node *at, const char *what, struct sharc_err *reterr)
{
    return sharc_fail(reterr, SHARC_ECONFIG, "%s:%u:%u: %s", d->path, at->line, at->column, what);
}

/* --- sites: ---------------------------------------------------------------------- */

static int read_sites(struct document *d, const struct sharc_node **ret, struct sharc_err *reterr)
{
    int r = setting(d, "sites", ret, reterr);
    if (*ret && (*ret)->kind == SHARC_NULL) *ret = NULL;
    return r;
}

/* A list of them, or a single one. */
static const struct sharc_node *first_site(const struct sharc_node *sites)
{
    return sites && sites->kind == SHARC_LIST ? sites->first : sites;
}

static const struct sharc_node *next_site(const struct sharc_node *sites, const struct sharc_node *site)
{
    return sites->kind == SHARC_LIST ? site->next : NULL;
}

/* The node of its URL, which is the entry itself or stands in it. */
static int url_of(const struct document *d, const struct sharc_node *site, const struct sharc_node **ret,
                  struct sharc_err *reterr)
{
    const struct sharc_node *url = site->kind == SHARC_MAP ? sharc_node_get(site, "url") : site;
    if (sharc_node_text(url).n == 0) return wrong(d, url ? url : site, "the URL of a site is needed here", reterr);
    *ret = url;
    return 0;
}

int sharc_archive_sites(const char *dir, sharc_archive_site_fn *fn, void *arg, struct sharc_err *reterr)
{
    SHARC_AUTO(document_done) struct document d = document_of(dir);
    const struct sharc_node *sites = NULL;
    int n = read_sites(&d, &sites, reterr);
    if (n < 0) return n;
    for (const struct sharc_node *site = first_site(sites), *url = NULL; site; site = next_site(sites, site)) {
        struct sharc_err why = SHARC_ERR_INIT;
        int r = url_of(&d, site, &url, reterr);
        if (r < 0) return r;
        if (fn && fn(arg, sharc_node_text(url), &why) < 0) return wrong(&d, url, why.text, reterr);
        n++;
    }
    return n;
}

/* What a fn is called with, of one entry. */
struct telling {
    const struct document *d;
    struct sharc_span url;
    sharc_archive_setting_fn *fn;
    void *arg;
};

static int tell_value(const struct telling *t, struct sharc_span name, const struct sharc_node *value,
                      struct sharc_err *reterr)
{
    struct sharc_err why = SHARC_ERR_INIT;
    struct sharc_span text = sharc_node_text(value);
    if (text.n == 0) return wrong(t->d, value, "a single value is needed here", reterr);
    return t->fn(t->arg, t->url, name, text, &why) < 0 ? wrong(t->d, value, why.text, reterr) : 0;
}

static int tell_setting(const struct telling *t, const struct sharc_node *setting, struct sharc_err *reterr)
{
    if (setting->kind != SHARC_LIST || !setting->first) return tell_value(t, setting->name, setting, reterr);
    int r = 0;
    for (const struct sharc_node *one = setting->first; one && r == 0; one = one->next)
        r = tell_value(t, setting->name, one, reterr);
    return r;
}

int sharc_archive_site_settings(const char *dir, sharc_archive_setting_fn *fn, void *arg, struct sharc_err *reterr)
{
    SHARC_AUTO(document_done) struct document d = document_of(dir);
    const struct sharc_node *sites = NULL;
    int r = read_sites(&d, &sites, reterr);
    if (r < 0) return r;
    for (const struct sharc_node *site = first_site(sites), *url = NULL; site; site = next_site(sites, site)) {
        if (site->kind != SHARC_MAP) continue;
        r = url_of(&d, site, &url, reterr);
        if (r < 0) return r;
        const struct telling t = {&d, sharc_node_text(url), fn, arg};
        r = tell_setting(&t, url, reterr);
        for (const struct sharc_node *one = site->first; one && r == 0; one = one->next)
            if (one != url) r = tell_setting(&t, one, reterr);
        if (r < 0) return r;
    }
    return 0;
}

/* --- the catalogue ---------------------------------------------------------------- */

int sharc_archive_store(const char *dir, const char *store, char **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(document_done) struct document d = document_of(dir);
    const struct sharc_node *named = NULL;
    int r = store ? 0 : setting(&d, "store", &named, reterr);
    if (r < 0) return r;
    struct sharc_span value = sharc_node_text(named);
    *ret = store     ? sharc_strdup(store)
           : value.n ? sharc_span_dup(value)
                     : sharc_archive_path(dir, SHARC_ARCHIVE_CATALOGUE);
    return 0;
}

int sharc_archive_objects(const char *dir, char **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(document_done) struct document d = document_of(dir);
    const struct sharc_node *named = NULL;
    int r = setting(&d, "files", &named, reterr);
    *ret = NULL;
    if (r < 0 || !named || named->kind == SHARC_NULL) return r;
    SHARC_AUTO(sharc_freep) char *prefix = sharc_span_dup(sharc_node_text(named));
    size_t n = strlen(prefix);
    while (n && prefix[n - 1] == '/') prefix[--n] = 0;
    const char *host = strstr(prefix, "://");
    if (!sharc_remote_is(prefix) || !host || !host[3])
        return wrong(&d, named, "a bucket is needed here, and perhaps a prefix: s3://BUCKET/PREFIX", reterr);
    *ret = SHARC_TAKE(prefix);
    return 0;
}

int sharc_archive_open(const char *dir, const char *store, const struct sharc_store_options *o,
                       struct sharc_store **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *url = NULL;
    struct stat st;
    bool there = stat(dir, &st) == 0;
    SHARC_FAIL_IF(there && !S_ISDIR(st.st_mode), reterr, SHARC_EINVAL, "%s: an archive is a directory", dir);
    SHARC_FAIL_IF(!there && o && o->must_exist, reterr, SHARC_ENOENT,
                  "%s: there is no such archive; sharc crawl and sharc import make one", dir);
    int r = there ? 0 : sharc_dir_make(dir, reterr);
    if (r == 0) r = sharc_archive_store(dir, store, &url, reterr);
    if (r == 0) r = sharc_store_open(url, o, ret, reterr);
    if (r < 0 && !there) (void)rmdir(dir); /* only what was made for nothing: it is empty */
    return r;
}
