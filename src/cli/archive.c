/* SPDX-License-Identifier: Apache-2.0
 *
 * An archive is a directory; its catalogue is catalogue.db in it, or what
 * `store:` in its sharc.yaml or --store says.
 */
#include "archive.h"

#include "sharc/base_arena.h"
#include "sharc/base_file.h"
#include "sharc/base_limits.h"
#include "sharc/base_node.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool cli_is_archive(const char *dir)
{
    static const char *const marks[] = {"catalogue.db", "warcs", "sharc.yaml"};
    for (size_t i = 0; i < SHARC_LENGTH(marks); i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, marks[i]);
        if (access(path, F_OK) == 0) return true;
    }
    return false;
}

/* What stands under a name at the top of the archive's settings, in the arena; NULL: nothing. */
static int archive_setting(const char *path, const char *name, struct sharc_arena *arena, struct sharc_buf *text,
                           const struct sharc_node **ret, struct sharc_err *reterr)
{
    *ret = NULL;
    if (access(path, F_OK) != 0) return 0;
    const struct sharc_node *doc = NULL;
    struct sharc_err why = SHARC_ERR_INIT;
    int r = sharc_file_read(path, text, reterr);
    if (r < 0) return r;
    if (sharc_yaml_read(sharc_buf_span(text), arena, &doc, &why) < 0)
        return sharc_fail(reterr, SHARC_ECONFIG, "%s: %s", path, why.text);
    *ret = sharc_node_get(doc, name);
    return 0;
}

/* The value of `store:`; NULL: none. */
static int settings_store(const char *dir, char **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "sharc.yaml");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(SHARC_LIMIT_SETTINGS_BYTES);
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(64u << 20);
    const struct sharc_node *store = NULL;
    *ret = NULL;
    int r = archive_setting(path, "store", &arena, &text, &store, reterr);
    struct sharc_span value = sharc_node_text(store);
    if (r == 0 && value.n) *ret = sharc_span_dup(value);
    return r;
}

int cli_archive_sites(const char *dir, int (*fn)(void *arg, struct sharc_span url, struct sharc_err *reterr), void *arg,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "sharc.yaml");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(SHARC_LIMIT_SETTINGS_BYTES);
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(64u << 20);
    const struct sharc_node *sites = NULL;
    int n = archive_setting(path, "sites", &arena, &text, &sites, reterr);
    if (n < 0 || !sites || sites->kind == SHARC_NULL) return n;
    bool many = sites->kind == SHARC_LIST;
    for (const struct sharc_node *site = many ? sites->first : sites; site; site = many ? site->next : NULL) {
        struct sharc_err why = SHARC_ERR_INIT;
        SHARC_FAIL_IF(sharc_node_text(site).n == 0, reterr, SHARC_ECONFIG, "%s:%u:%u: the URL of a site is needed here",
                      path, site->line, site->column);
        if (fn && fn(arg, sharc_node_text(site), &why) < 0)
            return sharc_fail(reterr, SHARC_ECONFIG, "%s:%u:%u: %s", path, site->line, site->column, why.text);
        n++;
    }
    return n;
}

int cli_archive_store(const char *dir, const char *store, char **ret, struct sharc_err *reterr)
{
    char *named = NULL;
    int r = store ? 0 : settings_store(dir, &named, reterr);
    if (r < 0) return r;
    *ret = named ? named : store ? sharc_strdup(store) : sharc_path_join(dir, "catalogue.db");
    return 0;
}

int cli_archive_open(const char *dir, const char *store, const struct sharc_store_options *o, struct sharc_store **ret,
                     struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *url = NULL;
    struct stat st;
    bool there = stat(dir, &st) == 0;
    SHARC_FAIL_IF(there && !S_ISDIR(st.st_mode), reterr, SHARC_EINVAL, "%s: an archive is a directory", dir);
    SHARC_FAIL_IF(!there && o && o->must_exist, reterr, SHARC_ENOENT,
                  "%s: there is no such archive; sharc crawl and sharc import make one", dir);
    int r = there ? 0 : sharc_dir_make(dir, reterr);
    if (r == 0) r = cli_archive_store(dir, store, &url, reterr);
    return r < 0 ? r : sharc_store_open(url, o, ret, reterr);
}
