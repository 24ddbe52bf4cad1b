/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of a certificate, made by several threads.
 */
#ifndef SHARC_CERTIFY_BATCH_H
#define SHARC_CERTIFY_BATCH_H

#include "certify_int.h"

enum { CERTIFY_ROWS = 32 };

/* Some rows that follow each other. */
struct certify_rows {
    size_t first, count;
    struct sharc_span text;            /* with commas between them */
    const size_t *ends;                /* of each, in text */
    const struct sharc_digest *leaves; /* of the Merkle tree */
};

struct certify_batches;
struct certify_batches *sharc__certify_batches_new(const struct sharc_derived *f, unsigned threads);
void sharc__certify_batches_free(struct certify_batches *b);
void sharc__certify_batches_freep(struct certify_batches **b);
/* The next ones, from row 0 on: 1, and 0 when there are no more. They live until the next call. SHARC_ELIMIT. */
int sharc__certify_batches_next(struct certify_batches *b, struct certify_rows *ret, struct sharc_err *reterr);
/* One of them. */
static inline struct sharc_span sharc__certify_row_of(const struct certify_rows *r, size_t i)
{
    return sharc_span_sub(r->text, i ? r->ends[i - 1] + 1 : 0, r->ends[i]);
}

#endif
