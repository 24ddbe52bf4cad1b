/* SPDX-License-Identifier: Apache-2.0
 *
 * ZipNum as WACZ holds it ("cdxj-gzip-1.0"): every block_lines lines become one gzip
 * member, and the small file says where each begins.
 */
#include "sharc/base_codec.h"
#include "sharc/base_digest.h"
#include "sharc/base_json.h"
#include "sharc/base_limits.h"
#include "sharc/cdx.h"
#include "sharc/cdx_build.h"

#include <inttypes.h>
#include <stdlib.h>

struct sharc_zipnum {
    char *data_name;
    unsigned block_lines, lines;
    sharc_line_fn *data, *idx;
    void *arg;
    uint64_t at;
    bool begun;
    struct sharc_buf block, packed, small;
    struct sharc_deflate *deflate;
};

struct sharc_zipnum *sharc_zipnum_new(const char *data_name, unsigned block_lines, sharc_line_fn *data,
                                      sharc_line_fn *idx, void *arg)
{
    struct sharc_zipnum *z = SHARC_NEW(struct sharc_zipnum);
    *z = (struct sharc_zipnum){.data_name = sharc_strdup(data_name),
                               .block_lines = block_lines ? block_lines : 1024,
                               .data = data,
                               .idx = idx,
                               .arg = arg,
                               .block = SHARC_BUF_INIT(SHARC_LIMIT_CDX_BLOCK),
                               .packed = SHARC_BUF_INIT(2 * SHARC_LIMIT_CDX_BLOCK),
                               .small = SHARC_BUF_INIT(2 * SHARC_LIMIT_CDX_LINE),
                               .deflate = sharc_deflate_new(6)};
    return z;
}

void sharc_zipnum_free(struct sharc_zipnum *z)
{
    if (!z) return;
    sharc_buf_done(&z->block);
    sharc_buf_done(&z->packed);
    sharc_buf_done(&z->small);
    sharc_deflate_free(z->deflate);
    free(z->data_name);
    free(z);
}

void sharc_zipnum_freep(struct sharc_zipnum **z)
{
    sharc_zipnum_free(*z);
    *z = NULL;
}

static int put_meta(struct sharc_zipnum *z, struct sharc_err *reterr)
{
    if (z->begun) return 0;
    z->begun = true;
    sharc_buf_clear(&z->small);
    sharc_buf_put(&z->small, SHARC_SPAN("!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": "));
    sharc_json_quote(&z->small, sharc_span_of(z->data_name));
    sharc_buf_put(&z->small, SHARC_SPAN("}\n"));
    return z->idx(z->arg, sharc_buf_span(&z->small), reterr);
}

/* "key timestamp" of the block's first line. */
static struct sharc_span block_key(struct sharc_span block)
{
    size_t space = sharc_span_find(block, ' ', 0);
    if (space != SHARC_NPOS) space = sharc_span_find(block, ' ', space + 1);
    return sharc_span_sub(block, 0, space);
}

static int put_block(struct sharc_zipnum *z, struct sharc_err *reterr)
{
    int r = put_meta(z, reterr);
    if (r < 0 || z->block.n == 0) return r;
    sharc_buf_clear(&z->packed);
    r = sharc_deflate_member(z->deflate, sharc_buf_span(&z->block), &z->packed);
    SHARC_FAIL_IF(r < 0, reterr, r, "a block of the index is too large");
    struct sharc_digest d;
    char text[SHARC_DIGEST_TEXT];
    sharc_digest_of(SHARC_SHA256, sharc_buf_span(&z->packed), &d);
    sharc_buf_clear(&z->small);
    sharc_buf_put(&z->small, block_key(sharc_buf_span(&z->block)));
    sharc_buf_printf(&z->small, " {\"offset\": %" PRIu64 ", \"length\": %zu, \"digest\": \"%s\"}\n", z->at, z->packed.n,
                     sharc_digest_text(&d, text));
    r = z->data(z->arg, sharc_buf_span(&z->packed), reterr);
    if (r == 0) r = z->idx(z->arg, sharc_buf_span(&z->small), reterr);
    z->at += z->packed.n;
    z->lines = 0;
    sharc_buf_clear(&z->block);
    return r;
}

int sharc_zipnum_line(struct sharc_zipnum *z, struct sharc_span line, struct sharc_err *reterr)
{
    /* Lines of the greatest size must not let a block exceed what readers take. */
    if (z->block.n + line.n > SHARC_LIMIT_CDX_BLOCK) {
        int r = put_block(z, reterr);
        if (r < 0) return r;
    }
    sharc_buf_put(&z->block, line);
    return ++z->lines < z->block_lines ? 0 : put_block(z, reterr);
}

int sharc_zipnum_finish(struct sharc_zipnum *z, struct sharc_err *reterr)
{
    return put_block(z, reterr);
}
