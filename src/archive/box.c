/* SPDX-License-Identifier: Apache-2.0
 *
 * The box of an archive: wishes to the crawl or watch that runs there, a file each.
 */
#include "sharc/archive_box.h"

#include "sharc/base_file.h"

#include <stdlib.h>
#include <unistd.h>

/* --- the asking side ------------------------------------------------------------------ */

static bool somebody_runs(const char *archive, enum sharc_archive_work work)
{
    struct sharc_archive_holder h;
    return sharc_archive_holder(archive, &h) && h.work == work;
}

static bool is_wish(const char *name)
{
    return sharc_span_ends(sharc_span_of(name), SHARC_SPAN(".set"));
}

/* The one that runs removes the file when the setting is safe. */
static int wait_until_taken(const char *archive, enum sharc_archive_work work, const char *path, sharc_time until,
                            struct sharc_err *reterr)
{
    struct sharc_clock *clock = sharc_clock_real();
    const char *name = sharc_archive_work_name(work);
    for (;;) {
        if (access(path, F_OK) < 0) return 0;
        bool runs = somebody_runs(archive, work), late = clock->now(clock) >= until;
        if (!runs && access(path, F_OK) < 0) return 0;
        if (!runs) unlink(path); /* nobody will ever want it */
        SHARC_FAIL_IF(!runs, reterr, SHARC_ENOENT, "%s: the %s ended before it took the setting", archive, name);
        SHARC_FAIL_IF(late, reterr, SHARC_EBUSY,
                      "%s: the %s has not taken the setting yet; it will when it can continue", archive, name);
        clock->wait_until(clock, clock->now(clock) + 50 * SHARC_MSEC, NULL);
    }
}

int sharc_box_ask(const char *archive, enum sharc_archive_work work, struct sharc_span wish, sharc_time patience,
                  struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!somebody_runs(archive, work), reterr, SHARC_ENOENT, "%s: no %s is running on this archive", archive,
                  sharc_archive_work_name(work));
    SHARC_AUTO(sharc_freep) char *dir = sharc_archive_path(archive, SHARC_ARCHIVE_CONTROL);
    int r = sharc_dir_make(dir, reterr);
    if (r < 0) return r;
    struct sharc_clock *clock = sharc_clock_real();
    SHARC_AUTO(sharc_freep)
    char *path = sharc_asprintf("%s/%lld-%ld.set", dir, (long long)clock->now(clock), (long)getpid());
    r = sharc_file_replace(path, wish, reterr);
    return r < 0 || patience == 0 ? r : wait_until_taken(archive, work, path, clock->now(clock) + patience, reterr);
}

/* --- the side that runs ------------------------------------------------------------------ */

bool sharc_box_open(const char *archive, struct sharc_box *ret)
{
    *ret = (struct sharc_box){.dir = sharc_archive_path(archive, SHARC_ARCHIVE_CONTROL)};
    if (access(ret->dir, F_OK) == 0 && sharc_dir_list(ret->dir, &ret->names, &ret->count, NULL) == 0) return true;
    sharc_box_done(ret);
    return false;
}

bool sharc_box_read(const struct sharc_box *b, size_t i, struct sharc_buf *out)
{
    sharc_buf_clear(out);
    if (!is_wish(b->names[i])) return false;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(b->dir, b->names[i]);
    return sharc_file_read(path, out, NULL) >= 0;
}

void sharc_box_remove(const struct sharc_box *b, size_t i)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(b->dir, b->names[i]);
    if (is_wish(b->names[i])) unlink(path);
}

void sharc_box_done(struct sharc_box *b)
{
    if (b->names) sharc_names_free(b->names, b->count);
    free(b->dir);
    *b = (struct sharc_box){0};
}

void sharc_box_clear(const char *archive)
{
    struct sharc_box b;
    if (!sharc_box_open(archive, &b)) return;
    for (size_t i = 0; i < b.count; i++) sharc_box_remove(&b, i);
    sharc_box_done(&b);
}
