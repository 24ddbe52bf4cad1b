/* SPDX-License-Identifier: Apache-2.0
 *
 * The files that sharc import reads: found, and brought to warcs/ if asked to.
 */
#include "cmd_import.h"

#include "sharc/base_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int copy_bytes(const char *from, const char *to, struct sharc_err *reterr)
{
    struct sharc_filemap map;
    struct sharc_atomic_file out = {.fd = -1};
    int r = sharc_filemap_open(&map, from, reterr);
    if (r < 0) return r;
    r = sharc_atomic_open(&out, to, reterr);
    for (size_t at = 0; r == 0 && at < map.bytes.n; at += 1u << 20)
        r = sharc_atomic_write(&out, sharc_span_sub(map.bytes, at, at + (1u << 20)), reterr);
    if (r == 0) r = sharc_atomic_commit(&out, reterr);
    sharc_atomic_done(&out);
    sharc_filemap_done(&map);
    return r;
}

/* One file to ARCHIVE/warcs; *ret is its path there. A file of that name that is
 * there already is taken for the same one when it has the same size. */
static int bring(const struct cli_import *s, const char *from, char **ret, struct sharc_err *reterr)
{
    struct stat a, b;
    SHARC_AUTO(sharc_freep) char *dir = sharc_archive_path(s->archive, SHARC_ARCHIVE_WARCS);
    SHARC_AUTO(sharc_freep) char *to = sharc_path_join(dir, sharc_path_last(from));
    int r = sharc_dir_make(dir, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(stat(from, &a) < 0, reterr, sharc_error_from_errno(errno), "%s: %s", from, strerror(errno));
    SHARC_FAIL_IF(S_ISDIR(a.st_mode), reterr, SHARC_EINVAL, "%s: is a directory; --copy and --move take files by name",
                  from);
    if (stat(to, &b) == 0) {
        SHARC_FAIL_IF(a.st_size != b.st_size, reterr, SHARC_EEXIST, "%s: another file of that name is there", to);
        if (s->move && (a.st_dev != b.st_dev || a.st_ino != b.st_ino)) unlink(from);
    } else if (!s->move || rename(from, to) < 0) {
        r = copy_bytes(from, to, reterr);
        if (r == 0 && s->move && unlink(from) < 0)
            r = sharc_fail(reterr, sharc_error_from_errno(errno), "%s: copied, but cannot be removed: %s", from,
                           strerror(errno));
    }
    *ret = r < 0 ? NULL : SHARC_TAKE(to);
    return r;
}

void cli_inputs_done(struct cli_inputs *in)
{
    for (size_t i = 0; i < in->count; i++) free(in->items[i]);
    free(in->items);
}

static void push(struct cli_inputs *in, char *path)
{
    SHARC_GROW(in->items, in->room, in->count + 1);
    in->items[in->count++] = path;
}

/* What is not there is the import's to complain about; what cannot be brought is told and left out. */
static int add_file(struct cli *c, const struct cli_import *s, const char *path, struct cli_inputs *in)
{
    struct sharc_err err = SHARC_ERR_INIT;
    char *brought = NULL;
    bool wanted = (s->copy || s->move) && access(path, F_OK) == 0;
    if (wanted && bring(s, path, &brought, &err) < 0) return cli_fail(c, &err);
    push(in, wanted ? brought : sharc_strdup(path));
    return EXIT_OK;
}

/* Files of warcs/ can be brought one by one, and nothing else of a directory. */
static int add_part(struct cli *c, const struct cli_import *s, const char *archive, const char *path,
                    struct cli_inputs *in)
{
    struct sharc_err err = SHARC_ERR_INIT;
    char **files = NULL;
    size_t count = 0;
    if (!(s->copy || s->move) || !sharc_archive_is(archive) || !cli_is_directory(path)) return add_file(c, s, path, in);
    int code = sharc_archive_warcs(archive, /* open= */ false, &files, &count, &err) < 0 ? cli_fail(c, &err) : EXIT_OK;
    for (size_t i = 0; i < count; i++) {
        int failed = add_file(c, s, files[i], in);
        if (code == EXIT_OK) code = failed;
    }
    sharc_names_free(files, count);
    return code;
}

static int add_input(struct cli *c, const struct cli_import *s, const char *path, struct cli_inputs *in)
{
    struct sharc_err err = SHARC_ERR_INIT;
    char **parts = NULL;
    size_t count = 0;
    int code = sharc_archive_inputs(path, &parts, &count, &err) < 0 ? cli_fail(c, &err) : EXIT_OK;
    for (size_t i = 0; i < count; i++) {
        int failed = add_part(c, s, path, parts[i], in);
        if (code == EXIT_OK) code = failed;
    }
    sharc_names_free(parts, count);
    return code;
}

int cli_import_inputs(struct cli *c, const struct cli_import *s, int argc, char **argv, struct cli_inputs *in)
{
    int code = EXIT_OK;
    if (argc < 2) push(in, sharc_archive_path(s->archive, SHARC_ARCHIVE_WARCS));
    for (int i = 1; i < argc; i++) {
        int failed = add_input(c, s, argv[i], in);
        if (code == EXIT_OK) code = failed;
    }
    return code;
}
