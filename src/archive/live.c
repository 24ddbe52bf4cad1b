/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/archive_live.h"

#include "sharc/base_arena.h"
#include "sharc/base_buf.h"
#include "sharc/base_file.h"
#include "sharc/base_json.h"
#include "sharc/base_node.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_BYTES = 16 << 10 };

/* Numbers by their names, in both directions. Times are microseconds; -1 is none. */
struct member {
    const char *name;
    uint64_t *number;
    sharc_time *time;
};
enum { MEMBERS = 20 };

static void members_of(struct sharc_archive_live *l, struct member ret[MEMBERS])
{
    const struct member all[MEMBERS] = {
        {"when", NULL, &l->when},
        {"started", NULL, &l->started},
        {"expected_end", NULL, &l->expected_end},
        {"delay", NULL, &l->delay},
        {"remarked", NULL, &l->remarked},
        {"sites", &l->sites, NULL},
        {"sites_done", &l->sites_done, NULL},
        {"known", &l->known, NULL},
        {"visited", &l->visited, NULL},
        {"to_visit", &l->to_visit, NULL},
        {"revisited", &l->revisited, NULL},
        {"to_revisit", &l->to_revisit, NULL},
        {"coherent", &l->coherent, NULL},
        {"controls", &l->controls, NULL},
        {"downloads", &l->downloads, NULL},
        {"failed", &l->failed, NULL},
        {"skipped", &l->skipped, NULL},
        {"bytes", &l->bytes, NULL},
        {"under_way", &l->under_way, NULL},
        {"retries", &l->retries, NULL},
    };
    memcpy(ret, all, sizeof all);
}

static void put_live(struct sharc_json *j, struct sharc_archive_live *l)
{
    struct member m[MEMBERS];
    members_of(l, m);
    sharc_json_object(j, NULL);
    for (size_t i = 0; i < MEMBERS; i++) {
        if (m[i].number)
            sharc_json_uint(j, m[i].name, *m[i].number);
        else
            sharc_json_int(j, m[i].name, *m[i].time == SHARC_TIME_NONE ? -1 : *m[i].time);
    }
    sharc_json_str(j, "phase", l->phase);
    sharc_json_bool(j, "paused", l->paused);
    sharc_json_str(j, "trouble", l->trouble);
    sharc_json_str(j, "remark", l->remark);
    sharc_json_end(j);
}

int sharc_archive_live_write(const char *dir, const struct sharc_archive_live *live, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_path(dir, SHARC_ARCHIVE_LIVE);
    SHARC_AUTO(sharc_freep) char *fresh = sharc_asprintf("%s.new", path);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(MOST_BYTES);
    struct sharc_archive_live copy = *live;
    struct sharc_json j;
    sharc_json_init(&j, &out, false);
    put_live(&j, &copy);
    int r = sharc_buf_result(&out, reterr);
    if (r < 0) return r;
    FILE *f = fopen(fresh, "we");
    SHARC_FAIL_IF(!f, reterr, sharc_error_from_errno(errno), "%s: %s", fresh, strerror(errno));
    bool written = fwrite(out.p, 1, out.n, f) == out.n;
    written = fclose(f) == 0 && written && rename(fresh, path) == 0;
    SHARC_FAIL_IF(!written, reterr, sharc_error_from_errno(errno), "%s: %s", path, strerror(errno));
    return 0;
}

void sharc_archive_live_remove(const char *dir)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_path(dir, SHARC_ARCHIVE_LIVE);
    unlink(path);
}

static void copy_text(const struct sharc_node *n, const char *name, char *ret, size_t room)
{
    struct sharc_span text = sharc_node_text(sharc_node_get(n, name));
    snprintf(ret, room, "%.*s", SHARC_SPAN_ARG(sharc_span_sub(text, 0, room - 1)));
}

static void read_live(const struct sharc_node *n, struct sharc_archive_live *l)
{
    struct member m[MEMBERS];
    members_of(l, m);
    for (size_t i = 0; i < MEMBERS; i++) {
        int64_t x = sharc_node_int(sharc_node_get(n, m[i].name), -1);
        if (m[i].number)
            *m[i].number = x > 0 ? (uint64_t)x : 0;
        else
            *m[i].time = x < 0 ? SHARC_TIME_NONE : x;
    }
    copy_text(n, "phase", l->phase, sizeof l->phase);
    copy_text(n, "trouble", l->trouble, sizeof l->trouble);
    copy_text(n, "remark", l->remark, sizeof l->remark);
    l->paused = sharc_node_bool(sharc_node_get(n, "paused"), false);
}

bool sharc_archive_live_read(const char *dir, struct sharc_archive_live *ret)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_path(dir, SHARC_ARCHIVE_LIVE);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(MOST_BYTES);
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
    struct sharc_archive_holder holder;
    const struct sharc_node *n = NULL;
    if (!sharc_archive_holder(dir, &holder) || holder.work != SHARC_ARCHIVE_CRAWL) return false;
    if (sharc_file_read(path, &text, NULL) < 0 || sharc_json_read(sharc_buf_span(&text), &arena, &n, NULL) < 0)
        return false;
    *ret = (struct sharc_archive_live){0};
    read_live(n, ret);
    /* One of before that was killed may have left its word. */
    return ret->when != SHARC_TIME_NONE && ret->when >= holder.since;
}
