/* SPDX-License-Identifier: Apache-2.0
 *
 * Are indexes up to date with their files?
 */
#include "jobs.h"
#include "sources.h"

#include "sharc/base_file.h"
#include "sharc/base_remote.h"
#include "sharc/cdx_build.h"

#include <unistd.h>

int sharc_cdx_behind(const char *const *indexes, size_t index_count, const char *const *inputs, size_t count,
                     uint64_t *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__cdx_files_done) struct cdx_files known = {0};
    SHARC_AUTO(sharc_warc_inputs_done) struct sharc_warc_inputs in = {0};
    uint64_t behind = 0;
    bool remembered = false;
    int r = 0;
    for (size_t i = 0; r == 0 && i < index_count; i++) {
        SHARC_AUTO(sharc_freep) char *list = sharc_asprintf("%s.files", indexes[i]);
        if (access(list, F_OK) < 0) continue;
        remembered = true;
        r = sharc__cdx_files_read(&known, list, reterr);
    }
    if (r < 0 || !remembered) return r;
    for (size_t i = 0; r == 0 && i < count; i++) r = sharc_warc_inputs_add(&in, inputs[i], reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < in.count; i++) {
        const struct sharc_warc_input *file = &in.items[i];
        const struct cdx_known *k = sharc__cdx_files_find(&known, sharc_warc_input_name(file));
        behind += !k || k->size != file->size;
    }
    *ret = behind;
    return 1;
}

int sharc_cdx_missing(const char *index, const char *const *files, size_t count, bool *ret_missing,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__cdx_files_done) struct cdx_files known = {0};
    SHARC_AUTO(sharc_freep) char *list = sharc_asprintf("%s.files", index);
    if (access(list, F_OK) < 0) return 0;
    int r = sharc__cdx_files_read(&known, list, reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < count; i++) {
        struct sharc_remote_facts facts;
        const struct cdx_known *k = sharc__cdx_files_find(&known, sharc_path_last(files[i]));
        ret_missing[i] = !k || sharc_file_look(files[i], &facts, NULL) < 0 || k->size != facts.size;
    }
    return 1;
}
