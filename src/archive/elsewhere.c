/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of an archive that lie in an object store: "files:" of sharc.yaml names a prefix that is laid out like the
 * directory. A file is here or there, or for a moment in both; then the one here counts.
 */
#include "archive_int.h"

#include "sharc/archive_places.h"
#include "sharc/base_file.h"
#include "sharc/base_remote.h"

#include <stdlib.h>
#include <unistd.h>

char *sharc_archive_elsewhere(const char *path)
{
    SHARC_AUTO(sharc_freep) char *folder = sharc_path_parent(path), *dir = sharc_path_parent(folder), *prefix = NULL;
    if (sharc_remote_is(path) || sharc_archive_objects(dir, &prefix, NULL) < 0 || !prefix) return NULL;
    return sharc_asprintf("%s/%s/%s", prefix, sharc_path_last(folder), sharc_path_last(path));
}

int sharc_archive_places(const char *dir, char ***ret, size_t *ret_count, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *prefix = NULL, *warcs = sharc_archive_path(dir, SHARC_ARCHIVE_WARCS);
    int r = sharc_archive_objects(dir, &prefix, reterr);
    if (r < 0) return r;
    char **places = SHARC_NEW_ARRAY(char *, 2);
    size_t n = 0;
    if (access(warcs, F_OK) == 0) places[n++] = SHARC_TAKE(warcs);
    if (prefix) places[n++] = sharc_asprintf("%s/%s/", prefix, sharc_archive_part(SHARC_ARCHIVE_WARCS));
    *ret = places;
    *ret_count = n;
    return 0;
}
