/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc verify ARCHIVE, when its files are in an object store: uploads that were begun there, and that nobody goes on
 * with. Their parts cost money and are no objects.
 */
#include "cmd_verify_archive.h"

#include "objects.h"
#include "sharc/archive.h"
#include "sharc/archive_places.h"
#include "sharc/base_file.h"
#include "sharc/object_outbox.h"

#include <unistd.h>

struct looking {
    const char *dir;
    sharc_import_finding_fn *fn;
    void *arg;
    uint64_t found;
};

/* Beside a file that is on its way stands what it needs. */
static bool goes_on(const struct looking *l, const char *name)
{
    SHARC_AUTO(sharc_freep) char *warcs = sharc_archive_path(l->dir, SHARC_ARCHIVE_WARCS);
    SHARC_AUTO(sharc_freep) char *state = sharc_asprintf("%s/%s" SHARC_OUTBOX_SUFFIX, warcs, sharc_path_last(name));
    return access(state, F_OK) == 0;
}

static int look_at(void *arg, const char *name, const struct sharc_object_upload *u, sharc_time begun,
                   struct sharc_err *reterr)
{
    struct looking *l = arg;
    char when[SHARC_TIME_TEXT] = "an unknown time";
    (void)u;
    (void)reterr;
    if (goes_on(l, name)) return 0;
    if (begun != SHARC_TIME_NONE) sharc_time_iso(begun, 0, when);
    SHARC_AUTO(sharc_freep) char *text = sharc_asprintf("was begun at %s, and nothing here goes on with it", when);
    const struct sharc_import_finding f = {.fault = SHARC_FAULT_UPLOAD,
                                           .file = name,
                                           .offset = SHARC_NOWHERE,
                                           .text = text};
    l->fn(l->arg, &f);
    l->found++;
    return 0;
}

int verify_uploads(const char *dir, sharc_import_finding_fn *fn, void *arg, uint64_t *ret_found,
                   struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *prefix = NULL;
    int r = sharc_archive_objects(dir, &prefix, reterr);
    if (r < 0 || !prefix) return r;
    struct sharc_object_store *store = cli_objects_store(reterr);
    if (!store) return SHARC_EUNSUPPORTED;
    SHARC_AUTO(sharc_freep) char *below = sharc_asprintf("%s/", prefix);
    struct looking l = {.dir = dir, .fn = fn, .arg = arg};
    r = sharc_object_uploads(store, below, look_at, &l, reterr);
    *ret_found += l.found;
    return r;
}
