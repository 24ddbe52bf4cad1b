/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/archive_status.h"

#include "sharc/base_arena.h"
#include "sharc/base_buf.h"
#include "sharc/base_file.h"
#include "sharc/base_node.h"
#include "sharc/base_remote.h"
#include "sharc/cdx_build.h"
#include "sharc/store_query.h"
#include "sharc/store_weakness.h"

#include "archive_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void sharc_archive_status_done(struct sharc_archive_status *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct sharc_archive_capture *c = &s->captures[i];
        free(c->key);
        free(c->site);
        free(c->strategy);
        free(c->purpose);
        free(c->source);
        free(c->resume);
        free(c->weakened);
    }
    free(s->captures);
    free(s->catalogue);
    *s = (struct sharc_archive_status){0};
}

/* --- files ---------------------------------------------------------------------------- */

static int count_files(const char *dir, bool open, struct sharc_archive_files *ret, struct sharc_err *reterr)
{
    char **paths = NULL;
    size_t count = 0;
    int r = sharc_archive_warcs(dir, open, &paths, &count, reterr);
    for (size_t i = 0; i < count; i++) {
        struct sharc_remote_facts facts;
        if (sharc_file_look(paths[i], &facts, NULL) < 0) continue; /* renamed just now */
        ret->count++;
        ret->bytes += facts.size;
    }
    sharc_names_free(paths, count);
    return r;
}

void sharc_archive_status_put_files(struct sharc_json *j, const char *name, const struct sharc_archive_status *s)
{
    const struct {
        const char *name;
        const struct sharc_archive_files *files;
    } kinds[] = {{"complete", &s->files}, {"open", &s->open}, {"elsewhere", &s->elsewhere}};
    sharc_json_object(j, name);
    for (size_t i = 0; i < SHARC_LENGTH(kinds); i++) {
        sharc_json_object(j, kinds[i].name);
        sharc_json_uint(j, "files", kinds[i].files->count);
        sharc_json_uint(j, "bytes", kinds[i].files->bytes);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static int look_at_index(const char *dir, struct sharc_archive_status *s, struct sharc_err *reterr)
{
    char **paths = NULL, **indexes = NULL;
    size_t count = 0, index_count = 0;
    int r = sharc_archive_indexes(dir, &indexes, &index_count, reterr);
    if (r == 0 && index_count > 0) {
        r = sharc_archive_warcs(dir, /* open= */ false, &paths, &count, reterr);
        if (r == 0)
            r = sharc_cdx_behind((const char *const *)indexes, index_count, (const char *const *)paths, count,
                                 &s->index_behind, reterr);
        s->index = r == 0            ? SHARC_ARCHIVE_INDEX_UNKNOWN
                   : s->index_behind ? SHARC_ARCHIVE_INDEX_BEHIND
                                     : SHARC_ARCHIVE_INDEX_CURRENT;
    }
    sharc_names_free(paths, count);
    sharc_names_free(indexes, index_count);
    return r < 0 ? r : 0;
}

/* --- the catalogue ---------------------------------------------------------------------- */

static int add_capture(struct sharc_store *store, const struct sharc_store_capture *row, struct sharc_archive_status *s,
                       struct sharc_err *reterr)
{
    struct sharc_store_capture_sums sums = {0};
    int r = sharc_store_capture_sum(store, row->id, &sums, reterr);
    if (r < 0) return r;
    SHARC_GROW(s->captures, s->room, s->count + 1);
    s->captures[s->count++] = (struct sharc_archive_capture){.key = sharc_span_dup(row->key),
                                                             .site = sharc_span_dup(row->site_name),
                                                             .strategy = sharc_span_dup(row->strategy),
                                                             .purpose = sharc_span_dup(row->purpose),
                                                             .source = sharc_span_dup(row->source),
                                                             .state = row->state,
                                                             .start = row->start,
                                                             .end = row->end,
                                                             .reference_from = row->reference_from,
                                                             .reference_to = row->reference_to,
                                                             .grader = sharc_store_grader(row, NULL),
                                                             .last = sums.last,
                                                             .pages = sums.pages,
                                                             .failed = sums.failed,
                                                             .revisited = sums.revisited};
    s->pages += sums.pages;
    s->failed += sums.failed;
    return 0;
}

/* Which crawl works on it, and how to go on with it. Whoever holds the lock works on what it has begun or added to
 * since it took it; of others nobody can tell, so they count as unfinished. */
static void judge(const struct sharc_archive_status *s, struct sharc_archive_capture *c)
{
    bool crawled = strcmp(c->source, "crawl") == 0;
    bool going = c->state == SHARC_CAPTURE_RUNNING || c->state == SHARC_CAPTURE_INTERRUPTED;
    sharc_time newest = c->last > c->start ? c->last : c->start;
    bool crawling = s->held && s->holder.work == SHARC_ARCHIVE_CRAWL;
    bool worked_on = s->held && s->holder.work == SHARC_ARCHIVE_WORKER; /* by one of them; which, the queue knows */
    c->running = crawled && c->state == SHARC_CAPTURE_RUNNING && crawling && s->holder.since != SHARC_TIME_NONE &&
                 newest >= s->holder.since;
    if (worked_on) c->running = crawled && c->state == SHARC_CAPTURE_RUNNING;
    /* All watches of an archive are one process's. */
    const bool watched = strcmp(c->source, "watch") == 0;
    if (watched) c->running = c->state == SHARC_CAPTURE_RUNNING && s->held && s->holder.work == SHARC_ARCHIVE_WATCH;
    c->unfinished = ((crawled || watched) && going && !c->running) || c->state == SHARC_CAPTURE_IMPORTING;
}

static bool makes_controls(struct sharc_span params)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
    const struct sharc_node *node = NULL;
    if (sharc_json_read(params, &arena, &node, NULL) < 0) return false;
    return sharc_span_is(sharc_node_text(sharc_node_get(node, "phase")), "controls");
}

static int read_captures(const char *dir, struct sharc_store *store, struct sharc_archive_status *s,
                         struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    f.newest_first = true;
    int r = sharc_store_captures(store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_capture row = SHARC_STORE_CAPTURE_INIT;
        sharc_store_read_capture(rows, &row);
        SHARC_AUTO(sharc_freep) char *params = sharc_span_dup(row.params);
        r = add_capture(store, &row, s, reterr);
        if (r < 0) break;
        struct sharc_archive_capture *c = &s->captures[s->count - 1];
        judge(s, c);
        c->weakened = sharc_store_weakened(sharc_span_of(params));
        s->watches += strcmp(c->source, "watch") == 0;
        c->controls = c->state != SHARC_CAPTURE_COMPLETE && makes_controls(sharc_span_of(params));
        ++*(c->running ? &s->running : c->unfinished ? &s->unfinished : &s->states[c->state]);
        if (c->unfinished) r = sharc__archive_resume(dir, store, c, sharc_span_of(params), &c->resume, reterr);
    }
    return r;
}

static int read_files(struct sharc_store *store, struct sharc_archive_status *s, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_warcs(store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_warc w = {0};
        sharc_store_read_warc(rows, &w);
        if (sharc_archive_warc_file(w.name).n) continue;
        s->elsewhere.count++;
        s->elsewhere.bytes += w.size;
    }
    return r;
}

static int read_sites(struct sharc_store *store, struct sharc_archive_status *s, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_sites(store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) s->sites++;
    return r;
}

static int read_catalogue(const char *dir, const char *url, struct sharc_archive_status *s, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    const struct sharc_store_options o = {.read_only = true, .must_exist = true};
    int r = sharc_archive_open(dir, url, &o, &store, reterr);
    if (r < 0) return r;
    s->catalogue = sharc_strdup(sharc_store_name(store));
    r = read_sites(store, s, reterr);
    if (r >= 0) r = read_captures(dir, store, s, reterr);
    return r < 0 ? r : read_files(store, s, reterr);
}

/* --- what runs --------------------------------------------------------------------------- */

static bool next_number(struct sharc_span *rest, uint64_t *ret)
{
    struct sharc_span word = SHARC_SPAN_NONE;
    while (sharc_span_next(rest, ' ', &word) && !word.n) {
    }
    return sharc_span_to_u64(word, ret) == 0;
}

/* "2026-01-31T12:00:00Z  12  3  9 …"; settings that were changed have lines, too. */
static bool read_progress(struct sharc_span line, struct sharc_archive_progress *ret)
{
    struct sharc_archive_progress p = {.known = true};
    struct sharc_span time = SHARC_SPAN_NONE, word;
    if (!sharc_span_next(&line, ' ', &time) || sharc_time_parse(time, &p.when, NULL) < 0) return false;
    if (!next_number(&line, &p.discovered) || !next_number(&line, &p.queued) || !next_number(&line, &p.downloads))
        return false;
    for (int skip = 0; skip < 2 && sharc_span_next(&line, ' ', &word);) skip += word.n > 0; /* two rates */
    if (!next_number(&line, &p.failed)) return false;
    *ret = p;
    return true;
}

/* The last line of the progress log that the holder of the lock wrote. */
static void look_at_progress(const char *dir, struct sharc_archive_status *s)
{
    enum { TAIL = 8192 };
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_path(dir, SHARC_ARCHIVE_PROGRESS);
    FILE *f = fopen(path, "re");
    if (!f) return;
    char tail[TAIL];
    bool cut = fseek(f, -(long)sizeof tail, SEEK_END) == 0;
    if (!cut) rewind(f);
    struct sharc_span rest = sharc_span(tail, fread(tail, 1, sizeof tail, f)), line;
    fclose(f);
    if (cut) sharc_span_next(&rest, '\n', &line); /* half a line */
    while (sharc_span_next(&rest, '\n', &line)) (void)read_progress(line, &s->progress);
    if (s->progress.known && s->progress.when < s->holder.since) s->progress = (struct sharc_archive_progress){0};
}

int sharc_archive_status(const char *dir, const char *store, struct sharc_archive_status *ret, struct sharc_err *reterr)
{
    struct stat st;
    SHARC_FAIL_IF(stat(dir, &st) < 0, reterr, sharc_error_from_errno(errno), "%s: %s", dir, strerror(errno));
    SHARC_FAIL_IF(!S_ISDIR(st.st_mode), reterr, SHARC_EINVAL, "%s: an archive is a directory", dir);
    SHARC_FAIL_IF(!store && !sharc_archive_is(dir), reterr, SHARC_ENOENT,
                  "%s: is not an archive; it holds neither catalogue.db nor warcs nor sharc.yaml", dir);
    ret->held = sharc_archive_holder(dir, &ret->holder); /* first: what it works on is begun after that */
    int r = count_files(dir, false, &ret->files, reterr);
    if (r == 0) r = count_files(dir, true, &ret->open, reterr);
    if (r == 0) r = look_at_index(dir, ret, reterr);
    if (r < 0) return r;
    struct sharc_err why = SHARC_ERR_INIT;
    r = read_catalogue(dir, store, ret, &why);
    if (r < 0 && r != SHARC_ENOENT) ret->error = why;
    if (ret->held) look_at_progress(dir, ret);
    return 0;
}
