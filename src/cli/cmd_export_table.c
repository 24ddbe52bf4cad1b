/* SPDX-License-Identifier: Apache-2.0
 *
 * Records as rows of CSV or objects of JSON.
 */
#include "cmd_export.h"

#include "sharc/base_file.h"

#include <inttypes.h>
#include <unistd.h>

struct table {
    FILE *out;                      /* standard output, or */
    struct sharc_atomic_file *file; /* a file that appears when it is complete */
    bool json, first;
    struct sharc_buf line;
};

static void csv_row(struct sharc_buf *b, const struct sharc_warc_row *row)
{
    sharc_buf_put_csv(b, sharc_span_of(row->file));
    sharc_buf_printf(b, ",%" PRIu64 ",%" PRIu64 ",%s,%s,", row->offset, row->length, row->type, row->date);
    sharc_buf_put_csv(b, row->url);
    sharc_buf_put_char(b, ',');
    if (row->status) sharc_buf_printf(b, "%d", row->status);
    sharc_buf_put_char(b, ',');
    sharc_buf_put_csv(b, row->mime);
    sharc_buf_printf(b, ",%" PRIu64 ",", row->block_size);
    sharc_buf_put_csv(b, row->payload_digest);
    sharc_buf_put_char(b, ',');
    sharc_buf_put_csv(b, row->ip);
    sharc_buf_put_char(b, '\n');
}

static void json_text(struct sharc_json *j, const char *name, struct sharc_span s)
{
    if (s.n)
        sharc_json_span(j, name, s);
    else
        sharc_json_null(j, name);
}

static void json_row(struct sharc_buf *b, const struct sharc_warc_row *row)
{
    struct sharc_json j;
    sharc_json_init(&j, b, false);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "file", row->file);
    sharc_json_uint(&j, "offset", row->offset);
    sharc_json_uint(&j, "length", row->length);
    sharc_json_str(&j, "type", row->type);
    json_text(&j, "date", sharc_span_of(row->date));
    json_text(&j, "url", row->url);
    if (row->status) sharc_json_int(&j, "status", row->status);
    json_text(&j, "mime", row->mime);
    sharc_json_uint(&j, "size", row->block_size);
    json_text(&j, "digest", row->payload_digest);
    json_text(&j, "ip", row->ip);
    json_text(&j, "id", row->id);
    sharc_json_end(&j);
}

/* The line as it is now. */
static int put_line(struct table *t, struct sharc_err *reterr)
{
    int r = sharc_buf_result(&t->line, reterr);
    if (r < 0) return r;
    if (t->file) return sharc_atomic_write(t->file, sharc_buf_span(&t->line), reterr);
    SHARC_FAIL_IF(fwrite(sharc_buf_str(&t->line), 1, t->line.n, t->out) != t->line.n, reterr, SHARC_EIO,
                  "the table cannot be written");
    return 0;
}

static int print_row(void *arg, struct sharc_record *rec, const char *file, struct sharc_err *reterr)
{
    struct table *t = arg;
    struct sharc_warc_row row;
    int r = sharc_warc_row(rec, file, &row, reterr);
    if (r < 0) return r;
    sharc_buf_clear(&t->line);
    if (t->json) {
        sharc_buf_put_str(&t->line, t->first ? "[" : ",\n ");
        json_row(&t->line, &row);
    } else {
        csv_row(&t->line, &row);
    }
    t->first = false;
    return put_line(t, reterr);
}

static int write_table(struct table *t, const char *const *in, size_t count, const struct sharc_warc_selection *sel,
                       struct sharc_warc_selected *done, struct sharc_err *reterr)
{
    if (!t->json) sharc_buf_put_str(&t->line, "file,offset,length,type,date,url,status,mime,size,digest,ip\n");
    int r = put_line(t, reterr);
    if (r == 0) r = sharc_warc_select(in, count, sel, print_row, t, done, reterr);
    sharc_buf_clear(&t->line);
    if (t->json) sharc_buf_put_str(&t->line, t->first ? "[]\n" : "]\n");
    if (r == 0) r = put_line(t, reterr);
    sharc_buf_done(&t->line);
    return r;
}

int export_table(struct cli *c, const struct export_settings *s, const char *const *in, size_t count,
                 const struct sharc_warc_selection *sel, struct sharc_warc_selected *done, struct sharc_err *reterr)
{
    struct table t = {.out = c->out, .json = s->to == TO_JSON, .first = true, .line = SHARC_BUF_INIT(4u << 20)};
    if (strcmp(s->output, "-") == 0) return write_table(&t, in, count, sel, done, reterr);
    SHARC_FAIL_IF(access(s->output, F_OK) == 0, reterr, SHARC_EEXIST, "%s: is already there", s->output);
    SHARC_AUTO(sharc_atomic_done) struct sharc_atomic_file file;
    int r = sharc_atomic_open(&file, s->output, reterr);
    if (r < 0) return r;
    t.file = &file;
    r = write_table(&t, in, count, sel, done, reterr);
    return r == 0 ? sharc_atomic_commit(&file, reterr) : r;
}
