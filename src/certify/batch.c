/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows made side by side and handed out in their order. While those of one batch are written or compared, the next one
 * is made.
 */
#include "batch.h"

#include "sharc/base_pool.h"

#include <stdlib.h>

enum { PIECES = 16, ROW_MOST = 64 << 20 };

struct piece {
    const struct sharc_derived *f;
    struct sharc_hasher *hasher;
    struct certify_rows made;
    struct sharc_buf text;
    size_t ends[CERTIFY_ROWS];
    struct sharc_digest leaves[CERTIFY_ROWS];
};

struct certify_batches {
    const struct sharc_derived *f;
    struct sharc_pool *pool;
    struct piece pieces[2][PIECES];
    size_t next;   /* row that was not handed to anybody yet */
    size_t at;     /* piece of the batch */
    unsigned side; /* which of both */
};

static void make(void *arg)
{
    struct piece *p = arg;
    sharc_buf_clear(&p->text);
    for (size_t i = 0; i < p->made.count; i++) {
        if (i) sharc_buf_put_char(&p->text, ',');
        size_t from = p->text.n;
        sharc__certify_row(p->f, p->made.first + i, &p->text);
        p->ends[i] = p->text.n;
        sharc_merkle_leaf(p->hasher, sharc_span_from(sharc_buf_span(&p->text), from), &p->leaves[i]);
    }
}

static void begin(struct certify_batches *b, unsigned side)
{
    for (size_t i = 0; i < PIECES; i++) {
        struct piece *p = &b->pieces[side][i];
        size_t left = b->f->page_count - b->next;
        p->made = (struct certify_rows){.first = b->next, .count = left < CERTIFY_ROWS ? left : CERTIFY_ROWS};
        b->next += p->made.count;
        if (p->made.count) sharc_pool_submit(b->pool, make, p);
    }
}

struct certify_batches *sharc__certify_batches_new(const struct sharc_derived *f, unsigned threads)
{
    struct certify_batches *b = SHARC_NEW(struct certify_batches);
    b->f = f;
    b->pool = sharc_pool_new(threads);
    b->at = PIECES;
    b->side = 1;
    for (size_t i = 0; i < 2 * (size_t)PIECES; i++) {
        struct piece *p = &b->pieces[i / PIECES][i % PIECES];
        p->f = f;
        p->hasher = sharc_hasher_new();
        sharc_buf_init(&p->text, (size_t)CERTIFY_ROWS * ROW_MOST);
    }
    begin(b, 0);
    return b;
}

void sharc__certify_batches_free(struct certify_batches *b)
{
    if (!b) return;
    sharc_pool_free(b->pool);
    for (size_t i = 0; i < 2 * (size_t)PIECES; i++) {
        sharc_hasher_free(b->pieces[i / PIECES][i % PIECES].hasher);
        sharc_buf_done(&b->pieces[i / PIECES][i % PIECES].text);
    }
    free(b);
}

void sharc__certify_batches_freep(struct certify_batches **b)
{
    sharc__certify_batches_free(*b);
    *b = NULL;
}

int sharc__certify_batches_next(struct certify_batches *b, struct certify_rows *ret, struct sharc_err *reterr)
{
    if (b->at == PIECES) {
        sharc_pool_wait(b->pool);
        b->side = 1 - b->side;
        b->at = 0;
        begin(b, 1 - b->side);
    }
    struct piece *p = &b->pieces[b->side][b->at];
    if (!p->made.count) return 0;
    b->at++;
    int r = sharc_buf_result(&p->text, reterr);
    if (r < 0) return r;
    *ret = p->made;
    ret->text = sharc_buf_span(&p->text);
    ret->ends = p->ends;
    ret->leaves = p->leaves;
    return 1;
}
