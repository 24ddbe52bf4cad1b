/* SPDX-License-Identifier: Apache-2.0
 *
 * Names in an archive, and how the catalogue calls its files.
 */
#include "sharc/archive.h"

#include "sharc/archive_places.h"
#include "sharc/base_file.h"
#include "sharc/base_remote.h"
#include "sharc/warc_inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

const char *sharc_archive_part(enum sharc_archive_part part)
{
    static const char *const paths[] = {
#define X(name, path) path,
        SHARC_ARCHIVE_PARTS(X)
#undef X
    };
    return paths[part];
}

char *sharc_archive_path(const char *dir, enum sharc_archive_part part)
{
    return sharc_path_join(dir, sharc_archive_part(part));
}

int sharc_archive_make(const char *dir, enum sharc_archive_part part, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_path(dir, part);
    return sharc_dir_make(path, reterr);
}

bool sharc_archive_is(const char *dir)
{
    static const enum sharc_archive_part marks[] = {SHARC_ARCHIVE_CATALOGUE, SHARC_ARCHIVE_WARCS,
                                                    SHARC_ARCHIVE_SETTINGS};
    for (size_t i = 0; i < SHARC_LENGTH(marks); i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_archive_path(dir, marks[i]);
        if (access(path, F_OK) == 0) return true;
    }
    return false;
}

char *sharc_archive_warc_name(const char *file)
{
    return sharc_path_join(sharc_archive_part(SHARC_ARCHIVE_WARCS), file);
}

struct sharc_span sharc_archive_warc_file(struct sharc_span name)
{
    struct sharc_span dir = sharc_span_of(sharc_archive_part(SHARC_ARCHIVE_WARCS));
    bool inside = sharc_span_starts(name, dir) && name.n > dir.n && name.p[dir.n] == '/';
    return inside ? sharc_span_from(name, dir.n + 1) : SHARC_SPAN_NONE;
}

int sharc_archive_name(const char *dir, const char *path, char **ret, struct sharc_err *reterr)
{
    if (sharc_remote_is(path)) {
        SHARC_AUTO(sharc_freep) char *prefix = NULL;
        int r = dir ? sharc_archive_objects(dir, &prefix, reterr) : 0;
        if (r < 0) return r;
        const size_t k = prefix ? strlen(prefix) : 0;
        *ret = sharc_strdup(k && strncmp(path, prefix, k) == 0 && path[k] == '/' ? path + k + 1 : path);
        return 0;
    }
    SHARC_AUTO(sharc_freep) char *full = realpath(path, NULL);
    SHARC_FAIL_IF(!full, reterr, sharc_error_from_errno(errno), "%s: %s", path, strerror(errno));
    SHARC_AUTO(sharc_freep) char *base = dir ? realpath(dir, NULL) : NULL;
    size_t n = base ? strlen(base) : 0;
    bool inside = base && strncmp(full, base, n) == 0 && full[n] == '/';
    *ret = sharc_strdup(inside ? full + n + 1 : full);
    return 0;
}

char *sharc_archive_file(const char *dir, struct sharc_span name)
{
    struct sharc_span file, inside;
    sharc_warc_name_split(name, &file, &inside);
    SHARC_AUTO(sharc_freep) char *path = sharc_span_dup(file);
    if (path[0] == '/' || !dir || sharc_remote_is(path)) return SHARC_TAKE(path);
    SHARC_AUTO(sharc_freep) char *here = sharc_path_join(dir, path);
    SHARC_AUTO(sharc_freep) char *open_path = sharc_asprintf("%s.open", here);
    if (!sharc_archive_warc_file(file).n || access(here, F_OK) == 0 || access(open_path, F_OK) == 0)
        return SHARC_TAKE(here);
    char *there = sharc_archive_elsewhere(here);
    return there ? there : SHARC_TAKE(here);
}
