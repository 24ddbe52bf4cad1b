/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc export --table: tables of the catalogue, and answers that need one or
 * two captures to be named.
 */
#include "cmd_export_catalogue.h"

#include "cmd_export.h"
#include "sharc/store_query.h"

#include <inttypes.h>

/* --- questions -------------------------------------------------------------------- */

struct asked {
    sharc_store_id capture, against; /* 0: not named */
    const char *url;
};

static int ask_changes(struct sharc_store *s, const struct asked *a, struct sharc_store_rows **ret,
                       struct sharc_err *reterr)
{
    return sharc_store_compare(s, &(struct sharc_store_pair_filter){.a = a->against, .b = a->capture}, ret, reterr);
}

static int ask_link_changes(struct sharc_store *s, const struct asked *a, struct sharc_store_rows **ret,
                            struct sharc_err *reterr)
{
    struct sharc_store_link_filter f = {.texts = true};
    return sharc_store_link_changes(s, a->against, a->capture, &f, ret, reterr);
}

static int ask_history(struct sharc_store *s, const struct asked *a, struct sharc_store_rows **ret,
                       struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!a->url, reterr, SHARC_EINVAL, "--table history needs a --url");
    return sharc_store_history(s, sharc_span_of(a->url), ret, reterr);
}

static int ask_subsites(struct sharc_store *s, const struct asked *a, struct sharc_store_rows **ret,
                        struct sharc_err *reterr)
{
    return sharc_store_subsites(s, a->capture, 1, a->against, ret, reterr);
}

/* Answers beside the store's own tables. */
static const struct answer {
    const char *name;
    bool capture, against; /* must be named */
    int (*ask)(struct sharc_store *s, const struct asked *a, struct sharc_store_rows **ret, struct sharc_err *reterr);
} answers[] = {
    {"change", true, true, ask_changes},
    {"link-change", true, true, ask_link_changes},
    {"subsite", true, false, ask_subsites},
    {"history", false, false, ask_history},
};

const char *cli_catalogue_answer(size_t i)
{
    return i < SHARC_LENGTH(answers) ? answers[i].name : NULL;
}

static int unknown_table(const char *name, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf all = SHARC_BUF_INIT(4096);
    for (size_t i = 0; i < SHARC_LENGTH(answers); i++) sharc_buf_printf(&all, "%s ", answers[i].name);
    for (const char *const *t = sharc_store_tables(); *t; t++) {
        bool ours = false;
        for (size_t i = 0; i < SHARC_LENGTH(answers); i++) ours = ours || strcmp(answers[i].name, *t) == 0;
        if (!ours) sharc_buf_printf(&all, "%s ", *t);
    }
    return sharc_fail(reterr, SHARC_EINVAL, "there is no table \"%s\"; there are: %.*s", name,
                      SHARC_SPAN_ARG(sharc_span_trim(sharc_buf_span(&all))));
}

/* "page" and "pages" are one table. */
static bool is_meant(const char *typed, const char *name)
{
    size_t n = strlen(name), typed_n = strlen(typed);
    return strncmp(typed, name, n) == 0 && (typed_n == n || (typed_n == n + 1 && typed[n] == 's'));
}

static int ask(struct sharc_store *s, const struct catalogue_table *t, const struct asked *a,
               struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    for (size_t i = 0; i < SHARC_LENGTH(answers); i++) {
        if (!is_meant(t->table, answers[i].name)) continue;
        SHARC_FAIL_IF(answers[i].capture && !a->capture, reterr, SHARC_EINVAL, "--table %s needs a --capture",
                      t->table);
        SHARC_FAIL_IF(answers[i].against && !a->against, reterr, SHARC_EINVAL,
                      "--table %s needs a --capture and an earlier one with --against", t->table);
        return answers[i].ask(s, a, ret, reterr);
    }
    for (const char *const *name = sharc_store_tables(); *name; name++)
        if (is_meant(t->table, *name)) return sharc_store_table(s, *name, a->capture, ret, reterr);
    return unknown_table(t->table, reterr);
}

/* --- rows ---------------------------------------------------------------------------- */

static void csv_row(struct sharc_store_rows *rows, struct sharc_buf *line, struct sharc_buf *cell)
{
    for (size_t i = 0; i < sharc_store_rows_columns(rows); i++) {
        struct sharc_store_value v;
        sharc_store_rows_value(rows, i, &v);
        sharc_buf_clear(cell);
        sharc_store_value_text(rows, i, &v, cell);
        if (i) sharc_buf_put_char(line, ',');
        sharc_buf_put_csv(line, sharc_buf_span(cell));
    }
    sharc_buf_put_char(line, '\n');
}

static void json_cell(struct sharc_json *j, struct sharc_store_rows *rows, size_t i, struct sharc_buf *cell)
{
    const char *name = sharc_store_rows_name(rows, i);
    struct sharc_store_value v;
    sharc_store_rows_value(rows, i, &v);
    if (v.type == SHARC_STORE_NULL)
        sharc_json_null(j, name);
    else if (v.type == SHARC_STORE_REAL)
        sharc_json_real(j, name, v.d);
    else if (v.meaning == SHARC_STORE_FLAG)
        sharc_json_bool(j, name, v.i != 0);
    else if (v.type == SHARC_STORE_INTEGER && v.meaning == SHARC_STORE_PLAIN)
        sharc_json_int(j, name, v.i);
    else {
        sharc_buf_clear(cell);
        sharc_store_value_text(rows, i, &v, cell);
        sharc_json_span(j, name, cell->n ? sharc_buf_span(cell) : SHARC_SPAN(""));
    }
}

static void json_row(struct sharc_store_rows *rows, struct sharc_buf *line, struct sharc_buf *cell)
{
    struct sharc_json j;
    sharc_json_init(&j, line, false);
    sharc_json_object(&j, NULL);
    for (size_t i = 0; i < sharc_store_rows_columns(rows); i++) json_cell(&j, rows, i, cell);
    sharc_json_end(&j);
}

static void csv_titles(const struct sharc_store_rows *rows, FILE *out)
{
    size_t n = sharc_store_rows_columns(rows);
    for (size_t i = 0; i < n; i++) fprintf(out, "%s%s", i ? "," : "", sharc_store_rows_name(rows, i));
    putc('\n', out);
}

static int write_rows(struct sharc_store_rows *rows, bool json, FILE *out, uint64_t *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf line = SHARC_BUF_INIT(256u << 20), cell = SHARC_BUF_INIT(256u << 20);
    int r;
    if (!json) csv_titles(rows, out);
    while ((r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_buf_clear(&line);
        if (json)
            json_row(rows, &line, &cell);
        else
            csv_row(rows, &line, &cell);
        if (json) fputs(*ret ? ",\n " : "[", out);
        SHARC_FAIL_IF(fwrite(sharc_buf_str(&line), 1, line.n, out) != line.n, reterr, SHARC_EIO,
                      "the table cannot be written");
        ++*ret;
    }
    if (r == 0 && json) fputs(*ret ? "]\n" : "[]\n", out);
    return r;
}

static int write_file(struct sharc_store_rows *rows, const struct catalogue_table *t, uint64_t *ret,
                      struct sharc_err *reterr)
{
    FILE *f = fopen(t->output, "wx");
    SHARC_FAIL_IF(!f, reterr, SHARC_EIO, "%s: cannot be created, or is already there", t->output);
    int r = write_rows(rows, t->json, f, ret, reterr);
    bool bad = ferror(f);
    bad = fclose(f) != 0 || bad;
    SHARC_FAIL_IF(r == 0 && bad, reterr, SHARC_EIO, "%s: cannot be written", t->output);
    return r;
}

/* --- the command ----------------------------------------------------------------------- */

static int find_captures(struct sharc_store *s, const struct catalogue_table *t, struct asked *a,
                         struct sharc_err *reterr)
{
    int r = t->capture ? sharc_store_capture_find(s, sharc_span_of(t->capture), &a->capture, reterr) : 0;
    if (r == 0 && t->against) r = sharc_store_capture_find(s, sharc_span_of(t->against), &a->against, reterr);
    return r;
}

int cli_catalogue_table(struct cli *c, const struct catalogue_table *t)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_options o = {.read_only = true, .must_exist = true};
    struct sharc_err err = SHARC_ERR_INIT;
    struct asked a = {.url = t->url};
    uint64_t count = 0;
    bool file = strcmp(t->output, "-") != 0;
    const char *archive = t->archive ? t->archive : ".";
    int r = sharc_archive_open(archive, t->store, &o, &store, &err);
    if (r == 0) r = find_captures(store, t, &a, &err);
    if (r == 0) r = ask(store, t, &a, &rows, &err);
    if (r == 0) r = file ? write_file(rows, t, &count, &err) : write_rows(rows, t->json, c->out, &count, &err);
    sharc_store_rows_freep(&rows);
    if (r < 0) return cli_fail(c, &err);
    if (file) cli_note(c, "%s: %s", t->output, SHARC_COUNT(count, "row"));
    return EXIT_OK;
}
