/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of a watch: collected, then written with the others of their batch.
 */
#include "batch_int.h"

#define COLUMNS(...) ((const char *const[]){__VA_ARGS__})

/* --- collecting ------------------------------------------------------------------ */

int sharc_store_batch_watched(struct sharc_store_batch *b, const struct sharc_store_watched *w,
                              struct sharc_err *reterr)
{
    struct watched_row row = {.page = *w};
    SHARC_FAIL_IF(w->since == SHARC_TIME_NONE, reterr, SHARC_EINVAL,
                  "a watched page needs the time it is watched since");
    int r = sharc__store_check_capture(w->capture, reterr);
    if (r == 0) r = sharc__store_need_url(b, w->url, &row.url, reterr);
    if (r < 0) return r;
    row.page.url = SHARC_SPAN_NONE;
    bool fresh;
    size_t i = sharc__store_row_for(b->watched_at, row.url, w->capture, b->watched.count, &fresh);
    SHARC_GROW(b->watched.items, b->watched.room, i + 1);
    if (fresh) b->watched.count++;
    b->watched.items[i] = row;
    return 0;
}

int sharc_store_batch_watch_look(struct sharc_store_batch *b, const struct sharc_store_watch_look *l,
                                 struct sharc_err *reterr)
{
    struct watch_look_row row = {.look = *l};
    SHARC_FAIL_IF(l->when == SHARC_TIME_NONE, reterr, SHARC_EINVAL, "a look needs the time it was made");
    int r = sharc__store_check_capture(l->capture, reterr);
    if (r == 0) r = sharc__store_need_url(b, l->url, &row.url, reterr);
    if (r < 0) return r;
    row.look.url = SHARC_SPAN_NONE;
    bool fresh;
    const int64_t which = l->when * 31 + l->capture;
    size_t i = sharc__store_row_for(b->watch_look_at, row.url, which, b->watch_looks.count, &fresh);
    SHARC_GROW(b->watch_looks.items, b->watch_looks.room, i + 1);
    if (fresh) b->watch_looks.count++;
    b->watch_looks.items[i] = row;
    return 0;
}

int sharc_store_batch_watch_note(struct sharc_store_batch *b, struct sharc_span name, struct sharc_span data,
                                 sharc_time when, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!name.p || !data.p, reterr, SHARC_EINVAL, "a note needs a name and bytes");
    bool fresh;
    const int64_t key = (int64_t)sharc_fingerprint(name, 0), mark = (int64_t)sharc_fingerprint(name, 1);
    size_t i = sharc__store_row_for(b->note_at, key, mark, b->notes.count, &fresh);
    SHARC_GROW(b->notes.items, b->notes.room, i + 1);
    if (fresh) b->notes.count++;
    b->notes.items[i] = (struct note_row){sharc__store_copy_bytes(b, name), sharc__store_copy_bytes(b, data), when};
    return 0;
}

/* --- writing ---------------------------------------------------------------------- */

static const struct sharc__store_load watched_load = {
    .table = "watched",
    .columns = COLUMNS("capture", "url", "number", "since", "until", "found", "weight", "shortest", "longest", "gone"),
    .types = "iiiiiiriii",
};

static void watched_values(void *arg, size_t i, struct sharc_store_value *out)
{
    struct sharc_store_batch *b = arg;
    const struct sharc_store_watched *w = &b->watched.items[i].page;
    out[0] = sharc__store_int(w->capture);
    out[1] = sharc__store_url_value(b, b->watched.items[i].url);
    out[2] = sharc__store_int(w->number);
    out[3] = sharc__store_time(w->since);
    out[4] = sharc__store_time(w->until);
    out[5] = sharc__store_int((int)w->found);
    out[6] = sharc__store_real(w->weight);
    out[7] = sharc__store_id(w->shortest);
    out[8] = sharc__store_id(w->longest);
    out[9] = sharc__store_int(w->gone);
}

static const struct sharc__store_load look_load = {
    .table = "watch_look",
    .columns = COLUMNS("capture", "visit", "url", "took", "why", "status", "shown", "change", "importance", "size",
                       "record", "digest", "text_digest", "warc", "warc_offset", "warc_length"),
    .types = "iiiiiiiiriibbiii",
};

static void look_values(void *arg, size_t i, struct sharc_store_value *out)
{
    struct sharc_store_batch *b = arg;
    const struct sharc_store_watch_look *l = &b->watch_looks.items[i].look;
    out[0] = sharc__store_int(l->capture);
    out[1] = sharc__store_time(l->when);
    out[2] = sharc__store_url_value(b, b->watch_looks.items[i].url);
    out[3] = sharc__store_count(l->took);
    out[4] = sharc__store_int(l->why);
    out[5] = sharc__store_int(l->status);
    out[6] = sharc__store_int((int)l->shown);
    out[7] = sharc__store_count(l->change);
    out[8] = l->change == SHARC_STORE_NO_CHANGE ? sharc__store_null() : sharc__store_real(l->importance);
    out[9] = sharc__store_count(l->size);
    out[10] = sharc__store_int((int)l->record);
    out[11] = sharc__store_bytes(sharc__store_digest_pack(&l->digest, b->digest[0]));
    out[12] = sharc__store_bytes(sharc__store_digest_pack(&l->text_digest, b->digest[1]));
    sharc__store_place_values(&l->place, out + 13);
}

static const struct sharc__store_load note_load = {
    .table = "watch_note",
    .columns = COLUMNS("name", "data", "made"),
    .types = "tbi",
};

static void note_values(void *arg, size_t i, struct sharc_store_value *out)
{
    const struct note_row *n = &((struct sharc_store_batch *)arg)->notes.items[i];
    out[0] = sharc__store_text(n->name);
    out[1] = sharc__store_bytes(n->data);
    out[2] = sharc__store_time(n->when);
}

int sharc__store_write_watch(struct sharc_store_batch *b, struct sharc_err *reterr)
{
    int r = sharc__store_load_rows(b, &watched_load, 2, NULL, b->watched.count, watched_values, reterr);
    if (r == 0) r = sharc__store_load_rows(b, &look_load, 3, NULL, b->watch_looks.count, look_values, reterr);
    if (r == 0) r = sharc__store_load_rows(b, &note_load, 1, NULL, b->notes.count, note_values, reterr);
    return r;
}
