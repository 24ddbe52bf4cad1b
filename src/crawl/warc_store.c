/* SPDX-License-Identifier: Apache-2.0
 *
 * WARC files that go into an object store (object_outbox.h). They are written and synced here first, so that the order
 * of commit.c holds as it is: what is in the catalogue is on this disk, or in the store as a whole object. Only
 * committed bytes are sent: what a crash leaves behind the last commit is cut off, and was never uploaded.
 */
#include "warc_store.h"

#include "sharc/archive.h"
#include "sharc/archive_places.h"
#include "sharc/base_file.h"
#include "sharc/object_outbox.h"
#include "sharc/warc_inputs.h"

#include <stdlib.h>
#include <sys/stat.h>

static uint64_t most(const struct output *o)
{
    return o->ctx->o.spool ? o->ctx->o.spool : SHARC_CRAWL_SPOOL;
}

int sharc__crawl_store_rescan(struct output *o, struct sharc_err *reterr)
{
    char **names = NULL;
    size_t count = 0;
    if (!o->outbox || o->ctx->o.job.id) return 0; /* a worker's own files are followed by their names */
    int r = sharc_dir_list(o->warc_dir, &names, &count, reterr);
    for (size_t i = 0; r == 0 && i < count; i++) {
        struct stat st;
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(o->warc_dir, names[i]);
        if (sharc_warc_kind_of(sharc_span_of(names[i])) != SHARC_WARC_KIND_ARCHIVE || stat(path, &st) < 0) continue;
        sharc_outbox_follow(o->outbox, names[i], (uint64_t)st.st_size);
    }
    sharc_names_free(names, count);
    return r;
}

int sharc__crawl_store_find(struct output *o, struct sharc_err *reterr)
{
    if (o->ctx->o.locked && !o->ctx->o.job.id) return 0; /* within a watch, which does it */
    int r = sharc_archive_objects(o->ctx->o.archive, &o->objects, reterr);
    if (r < 0 || !o->objects) return r;
    SHARC_FAIL_IF(!o->ctx->w.objects, reterr, SHARC_ECONFIG,
                  "%s: the settings say that the files of this archive are in %s, and this program cannot write there",
                  o->ctx->o.archive, o->objects);
    return 0;
}

int sharc__crawl_store_open(struct output *o, struct sharc_err *reterr)
{
    if (!o->objects) return 0;
    const bool worker = o->ctx->o.job.id != 0; /* others write here, too, and two must not send the same file */
    SHARC_AUTO(sharc_freep) char *to = sharc_asprintf("%s/%s/", o->objects, sharc_archive_part(SHARC_ARCHIVE_WARCS));
    const struct sharc_outbox_options options = {.store = o->ctx->w.objects,
                                                 .dir = o->warc_dir,
                                                 .to = to,
                                                 .alone = worker};
    int r = sharc_outbox_open(&options, &o->outbox, reterr);
    if (r == 0 && worker) sharc__crawl_store_follow(o); /* what was taken over */
    return r < 0 || worker ? r : sharc__crawl_store_rescan(o, reterr);
}

static void tell(void *arg, const struct sharc_err *why)
{
    struct output *o = arg;
    if (why && !o->away)
        sharc__crawl_remark(o->ctx, "%s: the files wait in %s until the store is available again", why->text,
                            o->warc_dir);
    if (!why && o->away) sharc__crawl_remark(o->ctx, "the object store is available again: continuing");
    o->away = why != NULL;
}

static void look(struct output *o, struct sharc_outbox_status *now)
{
    sharc_outbox_status(o->outbox, now);
    o->spooled = now->bytes;
    tell(o, now->err.code ? &now->err : NULL);
}

void sharc__crawl_store_follow(struct output *o)
{
    if (!o->outbox) return;
    for (uint32_t i = 0; i < o->file_count; i++) {
        struct file *f = &o->file[i];
        if (f->end && !f->gone) f->gone = sharc_outbox_follow(o->outbox, sharc_intern_text(o->files, i).p, f->end);
    }
    struct sharc_outbox_status now;
    look(o, &now);
}

int sharc__crawl_store_room(struct output *o, struct sharc_err *reterr)
{
    struct sharc_outbox_status now;
    if (!o->outbox || o->spooled <= most(o)) return 0;
    look(o, &now);
    char have[SHARC_TIME_TEXT], may[SHARC_TIME_TEXT];
    SHARC_FAIL_IF(o->spooled > most(o), reterr, SHARC_ENOSPC,
                  "%s: %s wait here for the object store, %s are allowed (setting \"spool\")", o->warc_dir,
                  sharc_size_text(o->spooled, have), sharc_size_text(most(o), may));
    return 0;
}

bool sharc__crawl_store_presses(struct output *o)
{
    struct sharc_outbox_status now;
    if (!o->outbox || o->spooled <= most(o) / 2) return false;
    look(o, &now);
    return o->spooled > most(o) / 2 && now.closed == 0;
}

char *sharc__crawl_index_path(const struct output *o)
{
    const char *archive = o->ctx->o.archive;
    if (!o->ctx->o.job.id) return sharc_archive_path(archive, SHARC_ARCHIVE_INDEX);
    SHARC_AUTO(sharc_freep) char *dir = sharc_archive_path(archive, SHARC_ARCHIVE_INDEXES);
    return sharc_asprintf("%s/job-%lld.cdxj", dir, (long long)o->ctx->o.job.id);
}

static int put_index(struct output *o, struct sharc_err *reterr)
{
    static const char *const ends[] = {"", ".files"};
    for (size_t i = 0; i < SHARC_LENGTH(ends); i++) {
        SHARC_AUTO(sharc_freep) char *index = sharc__crawl_index_path(o);
        SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s%s", index, ends[i]);
        SHARC_AUTO(sharc_freep)
        char *name =
            sharc_asprintf("%s/%s/%s", o->objects, sharc_archive_part(SHARC_ARCHIVE_INDEXES), sharc_path_last(path));
        struct stat st;
        if (stat(path, &st) < 0) continue;
        int r = sharc_object_put_file(o->ctx->w.objects, name, path, sharc_object_type_of(path), reterr);
        if (r < 0) return r;
    }
    return 0;
}

/* A job is done when its files are in the store, and not before. What the store refuses is no lost claim. */
static int for_job(const struct output *o, int r, const struct sharc_outbox_status *now, struct sharc_err *reterr)
{
    char bytes[SHARC_TIME_TEXT];
    if (r != SHARC_EINTR) return r == SHARC_EACCESS ? SHARC_ECONFIG : r;
    return sharc_fail(reterr, SHARC_EINTR,
                      "stopped; %s (%s) in %s not yet in the store: the next worker brings them there",
                      SHARC_COUNT(now->files, "file"), sharc_size_text(now->bytes, bytes), o->warc_dir);
}

int sharc__crawl_store_wait(struct output *o, struct sharc_err *reterr)
{
    sharc__crawl_store_follow(o);
    return sharc_outbox_flush(o->outbox, o->stop, tell, o, reterr);
}

int sharc__crawl_store_finish(struct output *o, bool stop, struct sharc_err *reterr)
{
    if (!o->outbox) return 0;
    sharc__crawl_store_follow(o);
    int r = stop ? SHARC_EINTR : sharc__crawl_store_wait(o, reterr);
    if (r == 0) return put_index(o, reterr);
    struct sharc_outbox_status now;
    char bytes[SHARC_TIME_TEXT];
    sharc_outbox_status(o->outbox, &now);
    if (o->ctx->o.job.id) return for_job(o, r, &now, reterr);
    if (now.files)
        sharc__crawl_remark(o->ctx,
                            "%s (%s) in %s not yet in the store: the next crawl of this archive brings them there",
                            SHARC_COUNT(now.files, "file"), sharc_size_text(now.bytes, bytes), o->warc_dir);
    return r == SHARC_EINTR ? 0 : r;
}

void sharc__crawl_store_done(struct output *o)
{
    sharc_outbox_free(o->outbox);
    free(o->objects);
}
