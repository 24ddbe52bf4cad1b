/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker takes over files that are on their way into an object store. Its predecessor may be dead, or only sleep:
 * then it may go on sending parts when it wakes up, complete an upload, or send a small file as a whole. The store
 * knows nothing of claims. So each claim brings objects of its own names into the store, "…-j12e3-host.warc.gz" by
 * the third claim of job 12, and the catalogue, which is fenced, says which of them count:
 *
 *   object …e3… is there, as long as was committed    it counts, and whatever is still here of it goes
 *   the file is here                                  it becomes …e4…, here and in the catalogue, and e4 brings it
 *   neither                                           it is missing
 *
 * The sleeper removes a file here only when its object is there, so the second look at the store finds it. Whatever
 * it brings there after its file has been renamed has a name that the catalogue does not know. Every step may be
 * repeated by the next claim.
 */
#include "warc_store.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"
#include "sharc/object_outbox.h"
#include "sharc/store_amend.h"
#include "sharc/store_query.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static char *object_name(const struct output *o, const char *file)
{
    return sharc_asprintf("%s/%s/%s", o->objects, sharc_archive_part(SHARC_ARCHIVE_WARCS), file);
}

static int is_stored(const struct output *o, const char *file, uint64_t size, bool *ret, struct sharc_err *reterr)
{
    struct sharc_object_facts facts;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *name = object_name(o, file);
    int r = sharc_object_head(o->ctx->w.objects, name, &facts, &err);
    if (r < 0 && r != SHARC_ENOENT) {
        if (reterr) *reterr = err;
        return r;
    }
    *ret = r == 0 && facts.size == size;
    return 0;
}

/* "…-j12e3-host.warc.gz" as the file of this claim. */
static char *renamed(const struct output *o, const char *file)
{
    struct sharc_span digits = SHARC_SPAN_NONE;
    const struct sharc_crawl_job *job = &o->ctx->o.job;
    const uint64_t claim = sharc__crawl_claim_of(file, job, &digits);
    if (claim == 0 || claim >= (uint64_t)job->epoch) return NULL;
    return sharc_asprintf("%.*s%lld%s", (int)(digits.p - file), file, (long long)job->epoch, digits.p + digits.n);
}

static struct handover *handover(struct output *o)
{
    if (!o->handover) {
        o->handover = SHARC_NEW(struct handover);
        o->handover->stems = sharc_intern_new();
    }
    return o->handover;
}

static void note_gone(struct output *o, const char *file)
{
    struct handover *h = handover(o);
    SHARC_GROW(h->replaced, h->replaced_room, h->replaced_count + 1);
    h->replaced[h->replaced_count++] = sharc_strdup(file);
}

/* A second name for the same bytes; the first one goes when the catalogue knows the second. *ret: it has one. */
static int link_file(const struct output *o, const char *from, const char *to, bool *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *old = sharc_path_join(o->warc_dir, from), *new = sharc_path_join(o->warc_dir, to);
    *ret = link(old, new) == 0;
    SHARC_FAIL_IF(!*ret && errno != ENOENT, reterr, sharc_error_from_errno(errno), "%s: cannot be called %s: %s", old,
                  to, strerror(errno));
    return 0;
}

static int bring_later(struct output *o, const struct sharc_store_warc *row, const char *file, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *name = sharc_archive_warc_name(file);
    int r = sharc_store_warc_rename(o->ctx->w.store, row->id, sharc_span_of(name), reterr);
    if (r < 0) return r;
    const uint32_t number = sharc__crawl_file(o, file);
    o->file[number].row = row->id;
    o->file[number].end = row->done;
    o->file[number].records = row->records;
    return 0;
}

int sharc__crawl_hand_over(struct output *o, const struct sharc_store_warc *row, const char *file,
                           struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(o->warc_dir, file), *mine = renamed(o, file);
    struct sharc_store_warc w = {.id = row->id, .done = row->done, .records = row->records, .capture = row->capture};
    bool stored = false, here = false;
    if (!mine || (row->state == SHARC_STORE_WARC_COMPLETE && access(path, F_OK) < 0)) return 0;
    int r = is_stored(o, file, row->done, &stored, reterr);
    if (r == 0 && !stored) r = sharc__crawl_take_file(path, row->done, &here, reterr);
    if (r == 0 && here) r = link_file(o, file, mine, &here, reterr);
    if (r == 0 && !stored && !here) r = is_stored(o, file, row->done, &stored, reterr);
    if (r == 0 && here) r = bring_later(o, row, mine, reterr);
    if (r < 0) return r;
    if (stored || here) note_gone(o, file);
    w.state = stored || here ? SHARC_STORE_WARC_COMPLETE : SHARC_STORE_WARC_MISSING;
    if (stored || here) w.size = row->done;
    return sharc_store_batch_warc(o->batch, &w, reterr);
}

/* --- what the journal calls them ------------------------------------------------------------ */

/* The journal of the capture speaks of files by the names that they had. Two files differ in more than the claim. */
static char *without_claim(const struct output *o, const char *file)
{
    struct sharc_span digits = SHARC_SPAN_NONE;
    if (sharc__crawl_claim_of(file, &o->ctx->o.job, &digits) == 0) return NULL;
    return sharc_asprintf("%.*s%s", (int)(digits.p - file), file, digits.p + digits.n);
}

static int learn_names(struct output *o, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct handover *h = handover(o);
    struct sharc_store_warc w;
    if (!o->ctx->o.job.capture) return 0;
    int r = sharc_store_warcs_of(o->ctx->w.store, o->ctx->o.job.capture, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_warc(rows, &w);
        const struct sharc_span file = sharc_archive_warc_file(w.name);
        SHARC_AUTO(sharc_freep) char *name = file.p ? sharc_span_dup(file) : NULL;
        SHARC_AUTO(sharc_freep) char *key = name ? without_claim(o, name) : NULL;
        if (!key) continue;
        const uint32_t number = sharc_intern_add(h->stems, sharc_span_of(key), NULL);
        SHARC_GROW(h->now, h->now_room, (size_t)number + 1);
        while (h->now_count <= number) h->now[h->now_count++] = NULL;
        free(h->now[number]);
        h->now[number] = SHARC_TAKE(name);
    }
    return r < 0 ? r : 0;
}

uint32_t sharc__crawl_file_now(struct output *o, const char *name)
{
    SHARC_AUTO(sharc_freep) char *key = o->handover ? without_claim(o, name) : NULL;
    const uint32_t number = key ? sharc_intern_find(o->handover->stems, sharc_span_of(key)) : SHARC_NO_ID;
    return sharc__crawl_file(o, number == SHARC_NO_ID ? name : o->handover->now[number]);
}

/* --- what earlier claims left ---------------------------------------------------------- */

/* Of an upload that may be complete nothing is aborted (object.h). A name that the catalogue gives up between the two
 * questions and the abort does not count any more. */
static int abort_earlier(void *arg, const char *name, const struct sharc_object_upload *u, sharc_time begun,
                         struct sharc_err *reterr)
{
    const struct output *o = arg;
    const struct sharc_crawl_job *job = &o->ctx->o.job;
    const uint64_t claim = sharc__crawl_claim_of(name, job, NULL);
    struct sharc_object_facts facts;
    (void)begun;
    if (claim == 0 || claim >= (uint64_t)job->epoch) return 0;
    if (sharc_object_head(o->ctx->w.objects, name, &facts, NULL) != SHARC_ENOENT) return 0;
    return sharc_object_upload_abort(o->ctx->w.objects, name, u, reterr);
}

static int drop_replaced(const struct output *o, struct sharc_err *reterr)
{
    static const char *const ends[] = {"", ".open", ".taken", SHARC_OUTBOX_SUFFIX};
    const struct handover *h = o->handover;
    for (size_t i = 0; h && i < h->replaced_count; i++)
        for (size_t k = 0; k < SHARC_LENGTH(ends); k++) {
            SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/%s%s", o->warc_dir, h->replaced[i], ends[k]);
            SHARC_FAIL_IF(unlink(path) < 0 && errno != ENOENT, reterr, sharc_error_from_errno(errno),
                          "%s: has another name now, but cannot be removed: %s", path, strerror(errno));
        }
    return 0;
}

int sharc__crawl_handed_over(struct output *o, struct sharc_err *reterr)
{
    int r = drop_replaced(o, reterr);
    if (r == 0) r = learn_names(o, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) char *below = object_name(o, "");
    return sharc_object_uploads(o->ctx->w.objects, below, abort_earlier, o, reterr);
}

/* The files of this claim are its successor's; what it did not want has no row. */
void sharc__crawl_store_abandon(struct output *o, const struct sharc_intern *known)
{
    if (!o->outbox) return;
    sharc_outbox_abandon(o->outbox);
    o->outbox = NULL;
    for (uint32_t i = 0; i < o->file_count; i++) {
        const struct sharc_span file = sharc_intern_text(o->files, i);
        const bool mine = sharc__crawl_claim_of(file.p, &o->ctx->o.job, NULL) == (uint64_t)o->ctx->o.job.epoch;
        if (!mine || sharc_intern_find(known, file) != SHARC_NO_ID) continue;
        SHARC_AUTO(sharc_freep) char *name = object_name(o, file.p);
        (void)sharc_object_delete(o->ctx->w.objects, name, NULL); /* else sharc verify names it */
    }
}
