/* SPDX-License-Identifier: Apache-2.0
 *
 * FILE.upload: how far a file has come.
 *
 *   {"sharc":"upload","form":1,"to":"s3://…","id":…,"checksums":false,"ends":[8400000,…],
 *    "parts":[{"size":8400000,"etag":…,"sha256":…},…]}
 *
 * ends: where parts end, sent or not. Part i ends at ends[i].
 */
#include "outbox_int.h"

#include "sharc/base_arena.h"
#include "sharc/base_file.h"
#include "sharc/base_json.h"
#include "sharc/base_node.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_BYTES = 8 << 20 };

char *sharc__outbox_state_path(const char *dir, const char *file)
{
    return sharc_asprintf("%s/%s" SHARC_OUTBOX_SUFFIX, dir, file);
}

int sharc__outbox_state_write(const char *dir, const struct outgoing *g, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(MOST_BYTES);
    SHARC_AUTO(sharc_freep) char *path = sharc__outbox_state_path(dir, g->file);
    struct sharc_json j;
    sharc_json_init(&j, &text, false);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "sharc", "upload");
    sharc_json_int(&j, "form", 1);
    sharc_json_str(&j, "to", g->name);
    if (g->upload.id[0]) sharc_json_str(&j, "id", g->upload.id);
    sharc_json_bool(&j, "checksums", g->upload.checksums);
    sharc_json_array(&j, "ends");
    for (size_t i = 0; i < g->kept_count; i++) sharc_json_uint(&j, NULL, g->kept[i]);
    sharc_json_end(&j);
    sharc_json_array(&j, "parts");
    for (size_t i = 0; i < g->part_count; i++) {
        sharc_json_object(&j, NULL);
        sharc_json_uint(&j, "size", g->parts[i].size);
        sharc_json_str(&j, "etag", g->parts[i].etag);
        if (g->parts[i].sha256[0]) sharc_json_str(&j, "sha256", g->parts[i].sha256);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    sharc_buf_put_char(&text, '\n');
    int r = sharc_buf_result(&text, reterr);
    return r < 0 ? r : sharc_file_replace(path, sharc_buf_span(&text), reterr);
}

static void put(char *out, size_t room, struct sharc_span text)
{
    snprintf(out, room, "%.*s", text.n < room ? (int)text.n : 0, text.n ? text.p : "");
}

static void read_ends(struct outgoing *g, const struct sharc_node *list)
{
    uint64_t last = 0;
    for (const struct sharc_node *n = list ? list->first : NULL; n; n = n->next) {
        int64_t end = sharc_node_int(n, 0);
        if (end <= 0 || (uint64_t)end <= last) return;
        SHARC_GROW(g->marks, g->mark_room, g->mark_count + 1);
        g->marks[g->mark_count++] = last = (uint64_t)end;
    }
}

static void read_parts(struct outgoing *g, const struct sharc_node *list)
{
    for (const struct sharc_node *n = list ? list->first : NULL; n; n = n->next) {
        struct sharc_object_part part = {.number = (unsigned)g->part_count + 1};
        int64_t size = sharc_node_int(sharc_node_get(n, "size"), 0);
        if (size <= 0 || g->part_count >= SHARC_OBJECT_PARTS) return;
        part.size = (uint64_t)size;
        put(part.etag, sizeof part.etag, sharc_node_text(sharc_node_get(n, "etag")));
        put(part.sha256, sizeof part.sha256, sharc_node_text(sharc_node_get(n, "sha256")));
        SHARC_GROW(g->parts, g->part_room, g->part_count + 1);
        g->parts[g->part_count++] = part;
    }
}

void sharc__outbox_state_read(const char *dir, struct outgoing *g)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(MOST_BYTES);
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(4 * MOST_BYTES);
    SHARC_AUTO(sharc_freep) char *path = sharc__outbox_state_path(dir, g->file);
    const struct sharc_node *n = NULL;
    if (sharc_file_read(path, &text, NULL) < 0 || sharc_json_read(sharc_buf_span(&text), &arena, &n, NULL) < 0) return;
    if (!sharc_span_is(sharc_node_text(sharc_node_get(n, "sharc")), "upload")) return;
    read_ends(g, sharc_node_get(n, "ends"));
    /* Somewhere else now: what was sent there is of no use here. */
    if (!sharc_span_is(sharc_node_text(sharc_node_get(n, "to")), g->name)) return;
    put(g->upload.id, sizeof g->upload.id, sharc_node_text(sharc_node_get(n, "id")));
    g->upload.checksums = sharc_node_bool(sharc_node_get(n, "checksums"), false);
    if (g->upload.id[0]) read_parts(g, sharc_node_get(n, "parts"));
}
