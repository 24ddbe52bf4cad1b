/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc index --lookup and --check: ask indexes that stand.
 */
#include "cmd_index.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"
#include "sharc/cdx.h"
#include "sharc/cdx_build.h"
#include "sharc/wacz.h"
#include "sharc/warc_inputs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

struct asking {
    struct cli *c;
    struct sharc_cdx_index *index;
    struct sharc_wacz **containers;
    size_t count, room;
};

static void asking_done(struct asking *a)
{
    sharc_cdx_index_free(a->index);
    for (size_t i = 0; i < a->count; i++) sharc_wacz_close(a->containers[i]);
    free(a->containers);
}

static int add_container(struct asking *a, const char *path, enum sharc_cdx_check check, struct sharc_err *reterr)
{
    struct sharc_wacz *w;
    int r = sharc_wacz_open(path, &w, reterr);
    if (r < 0) return r;
    SHARC_GROW(a->containers, a->room, a->count + 1);
    a->containers[a->count++] = w;
    return sharc_wacz_add_index(w, a->index, check, reterr);
}

static int add_index(struct asking *a, const char *path, enum sharc_cdx_check check, struct sharc_err *reterr);

/* A directory of indexes. */
static int add_directory(struct asking *a, const char *path, enum sharc_cdx_check check, struct sharc_err *reterr)
{
    char **names;
    size_t count;
    bool any = false;
    int r = sharc_dir_list(path, &names, &count, reterr);
    if (r < 0) return r;
    for (size_t i = 0; r == 0 && i < count; i++) {
        struct sharc_span name = sharc_span_of(names[i]);
        if (!sharc_span_ends(name, SHARC_SPAN(".cdxj")) && !sharc_span_ends(name, SHARC_SPAN(".cdx")) &&
            !sharc_span_ends(name, SHARC_SPAN(".idx")))
            continue;
        SHARC_AUTO(sharc_freep) char *below = sharc_path_join(path, names[i]);
        r = add_index(a, below, check, reterr);
        any = true;
    }
    sharc_names_free(names, count);
    SHARC_FAIL_IF(r == 0 && !any, reterr, SHARC_ENOENT,
                  "%s: this directory holds no index (.cdxj, .cdx, .idx); sharc index -o FILE %s makes one", path,
                  path);
    return r;
}

/* Those of an archive; what they do not know yet is told, or nobody would miss it. */
static int add_archive(struct asking *a, const char *dir, enum sharc_cdx_check check, struct sharc_err *reterr)
{
    char **indexes = NULL, **inputs = NULL;
    size_t count = 0, input_count = 0;
    int r = sharc_archive_indexes(dir, &indexes, &count, reterr);
    if (r == 0 && count == 0)
        r = sharc_fail(reterr, SHARC_ENOENT, "%s: this archive has no index yet; sharc index -o %s/%s %s makes it", dir,
                       dir, sharc_archive_part(SHARC_ARCHIVE_INDEX), dir);
    for (size_t i = 0; r == 0 && i < count; i++) r = sharc_cdx_index_add(a->index, indexes[i], check, reterr);
    uint64_t behind = 0;
    SHARC_AUTO(sharc_freep) char *own = sharc_archive_path(dir, SHARC_ARCHIVE_INDEX);
    if (r == 0) r = sharc_archive_inputs(dir, &inputs, &input_count, reterr);
    if (r == 0)
        r = sharc_cdx_behind((const char *const *)indexes, count, (const char *const *)inputs, input_count, &behind,
                             reterr);
    if (r >= 0 && behind)
        cli_note(a->c, "%s: %s in the index yet; sharc index -o %s %s brings it up to date", dir,
                 SHARC_COUNT(behind, "file is not|files are not"), own, dir);
    sharc_names_free(indexes, count);
    sharc_names_free(inputs, input_count);
    return r < 0 ? r : 0;
}

static int add_index(struct asking *a, const char *path, enum sharc_cdx_check check, struct sharc_err *reterr)
{
    struct stat st;
    if (sharc_archive_is(path)) return add_archive(a, path, check, reterr);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return add_directory(a, path, check, reterr);
    if (sharc_span_ends(sharc_span_of(path), SHARC_SPAN(".wacz"))) return add_container(a, path, check, reterr);
    SHARC_FAIL_IF(sharc_warc_kind_of(sharc_span_of(path)) == SHARC_WARC_KIND_ARCHIVE, reterr, SHARC_EINVAL,
                  "%s: this is an archive file and no index; sharc index -o FILE %s makes one", path, path);
    return sharc_cdx_index_add(a->index, path, check, reterr);
}

/* All fields of an entry as an object, or only those asked for. */
static void print_object(struct cli *c, const struct cli_index *s, struct sharc_cdx_cursor *cursor, bool first)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(16u << 20);
    struct sharc_json j;
    struct sharc_span v;
    sharc_json_init(&j, &out, false);
    sharc_json_object(&j, NULL);
    for (size_t i = 0; i < s->fields.count; i++)
        if (sharc_cdx_cursor_get(cursor, sharc_span_of(s->fields.items[i]), &v))
            sharc_json_span(&j, s->fields.items[i], v);
    for (int f = 0; !s->fields.count && f < SHARC_CDX_FIELDS; f++) {
        const char *name = sharc_cdx_name((enum sharc_cdx_field)f);
        if (sharc_cdx_cursor_get(cursor, sharc_span_of(name), &v)) sharc_json_span(&j, name, v);
    }
    sharc_json_end(&j);
    fprintf(c->out, "%s%s", first ? "" : ",\n ", sharc_buf_str(&out));
}

static void print_entry(struct cli *c, const struct cli_index *s, struct sharc_cdx_cursor *cursor,
                        const struct sharc_cdx *e)
{
    if (!s->fields.count) {
        fprintf(c->out, "%.*s\n", SHARC_SPAN_ARG(e->line));
        return;
    }
    for (size_t i = 0; i < s->fields.count; i++) {
        struct sharc_span v = SHARC_SPAN("-");
        sharc_cdx_cursor_get(cursor, sharc_span_of(s->fields.items[i]), &v);
        fprintf(c->out, "%s%.*s", i ? " " : "", SHARC_SPAN_ARG(v));
    }
    putc('\n', c->out);
}

static int print_answers(struct cli *c, const struct cli_index *s, struct sharc_cdx_cursor *cursor, uint64_t *ret_count,
                         struct sharc_err *reterr)
{
    struct sharc_cdx e;
    int r;
    if (c->json) fputs("[", c->out);
    while ((r = sharc_cdx_next(cursor, &e, reterr)) > 0) {
        if (c->json)
            print_object(c, s, cursor, *ret_count == 0);
        else
            print_entry(c, s, cursor, &e);
        ++*ret_count;
    }
    if (c->json) fputs("]\n", c->out);
    return r;
}

int cli_index_ask(struct cli *c, const struct cli_index *s, int argc, char **argv)
{
    SHARC_AUTO(asking_done) struct asking a = {.c = c, .index = sharc_cdx_index_new()};
    SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *cursor = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    for (int i = 1; i < argc; i++)
        if (add_index(&a, argv[i], s->check ? SHARC_CDX_CHECK_ALL : SHARC_CDX_CHECK_SOME, &err) < 0)
            return cli_fail(c, &err);
    if (!s->lookup) {
        cli_note(c, "sorted");
        return EXIT_OK;
    }
    struct sharc_cdx_query q = {.url = sharc_span_of(s->lookup),
                                .match = (enum sharc_cdx_match)s->match,
                                .from = sharc_span_of(s->from),
                                .to = sharc_span_of(s->to),
                                .closest = sharc_span_of(s->closest),
                                .sort = s->closest   ? SHARC_CDX_CLOSEST
                                        : s->reverse ? SHARC_CDX_REVERSE
                                                     : SHARC_CDX_FORWARD,
                                .limit = s->limit,
                                .filters = s->filters.items,
                                .filter_count = s->filters.count};
    uint64_t count = 0;
    int r = sharc_cdx_ask(a.index, &q, &cursor, &err);
    if (r == 0) r = print_answers(c, s, cursor, &count, &err);
    if (r < 0) return cli_fail(c, &err);
    return count ? EXIT_OK : EXIT_FINDINGS;
}
