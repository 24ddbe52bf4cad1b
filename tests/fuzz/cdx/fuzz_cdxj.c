/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of indexes in both formats: what is read is written, and what is written
 * is read again as the same; and the same bytes as a sorted index and as a
 * ZipNum .idx, searched in every direction.
 */
#include "sharc/base_limits.h"
#include "sharc/cdx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_back(const struct sharc_cdx *c, struct sharc_buf *out)
{
    struct sharc_cdx_parser p;
    struct sharc_cdx again;
    sharc_cdx_parser_init(&p);
    sharc_buf_clear(out);
    /* The key of a line in columns may be what no CDXJ line can begin with. */
    bool plain = c->field[SHARC_CDX_KEY].n && !memchr(" !", c->field[SHARC_CDX_KEY].p[0], 2);
    if (plain && sharc_cdx_write(c, SHARC_CDXJ, out) == 0 && out->n <= SHARC_LIMIT_CDX_LINE && c->json.n) {
        SHARC_ASSERT(sharc_cdx_parse(&p, sharc_buf_span(out), &again, NULL) == 1);
        SHARC_ASSERT(sharc_span_eq(again.field[SHARC_CDX_KEY], c->field[SHARC_CDX_KEY]));
        SHARC_ASSERT(sharc_span_eq(again.field[SHARC_CDX_OFFSET], c->field[SHARC_CDX_OFFSET]) ||
                     sharc_utf8_check(c->field[SHARC_CDX_OFFSET]) != SHARC_NPOS);
    }
    sharc_buf_clear(out);
    sharc_cdx_write(c, SHARC_CDX11, out);
    sharc_cdx_parser_done(&p);
}

static void read_lines(struct sharc_span all)
{
    struct sharc_cdx_parser p;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(4 * SHARC_LIMIT_CDX_LINE);
    struct sharc_cdx c;
    struct sharc_span line, v;
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_cdx_parser_init(&p);
    while (sharc_span_next(&all, '\n', &line)) {
        if (sharc_cdx_parse(&p, line, &c, &err) <= 0) continue;
        sharc_cdx_get(&p, &c, SHARC_SPAN("note"), &v);
        read_back(&c, &out);
    }
    sharc_cdx_parser_done(&p);
}

static void ask(const struct sharc_cdx_index *x, const struct sharc_cdx_query *q)
{
    SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *cursor = NULL;
    struct sharc_cdx e;
    if (sharc_cdx_ask(x, q, &cursor, NULL) < 0) return;
    while (sharc_cdx_next(cursor, &e, NULL) > 0) continue;
}

static void search(const struct sharc_cdx_index *x)
{
    static const char *const filters[] = {"~mime:text/.*", "!=status:404"};
    ask(x, &(struct sharc_cdx_query){.filters = filters, .filter_count = 2});
    ask(x, &(struct sharc_cdx_query){.sort = SHARC_CDX_REVERSE});
    ask(x, &(struct sharc_cdx_query){.url = SHARC_SPAN("*.example.org"), .sort = SHARC_CDX_REVERSE});
    ask(x, &(struct sharc_cdx_query){
               .url = SHARC_SPAN("example.org"), .sort = SHARC_CDX_CLOSEST, .closest = SHARC_SPAN("2015"), .limit = 3});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Up to a NUL the lines, behind it the data file of a ZipNum index. */
    struct sharc_span all = sharc_span(data, size);
    size_t border = sharc_span_find(all, 0, 0);
    struct sharc_span lines = sharc_span_sub(all, 0, border);
    struct sharc_span blocks = border == SHARC_NPOS ? SHARC_SPAN("") : sharc_span_from(all, border + 1);
    read_lines(lines);
    struct sharc_cdx_index *x = sharc_cdx_index_new();
    if (sharc_cdx_index_add_lines(x, "lines", lines, SHARC_CDX_CHECK_ALL, NULL) == 0) search(x);
    sharc_cdx_index_free(x);
    x = sharc_cdx_index_new();
    if (sharc_cdx_index_add_zipnum(x, "idx", lines, blocks, SHARC_CDX_CHECK_SOME, NULL) == 0) search(x);
    sharc_cdx_index_free(x);
    return 0;
}
