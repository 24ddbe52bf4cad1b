/* SPDX-License-Identifier: Apache-2.0
 *
 * What sharc.yaml says about the archive itself: `store:` and `sites:`; and opening the catalogue.
 */
#include "sharc/archive.h"

#include "sharc/base_arena.h"
#include "sharc/base_file.h"
#include "sharc/base_limits.h"
#include "sharc/base_node.h"

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

int sharc_archive_sites(const char *dir, sharc_archive_site_fn *fn, void *arg, struct sharc_err *reterr)
{
    SHARC_AUTO(document_done) struct document d = document_of(dir);
    const struct sharc_node *sites = NULL;
    int n = setting(&d, "sites", &sites, reterr);
    if (n < 0 || !sites || sites->kind == SHARC_NULL) return n;
    bool many = sites->kind == SHARC_LIST;
    for (const struct sharc_node *site = many ? sites->first : sites; site; site = many ? site->next : NULL) {
        struct sharc_err why = SHARC_ERR_INIT;
        SHARC_FAIL_IF(sharc_node_text(site).n == 0, reterr, SHARC_ECONFIG, "%s:%u:%u: the URL of a site is needed here",
                      d.path, site->line, site->column);
        if (fn && fn(arg, sharc_node_text(site), &why) < 0)
            return sharc_fail(reterr, SHARC_ECONFIG, "%s:%u:%u: %s", d.path, site->line, site->column, why.text);
        n++;
    }
    return n;
}

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
    return r < 0 ? r : sharc_store_open(url, o, ret, reterr);
}
