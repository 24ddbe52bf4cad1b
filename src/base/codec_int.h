/* SPDX-License-Identifier: Apache-2.0
 *
 * One streaming decoder per library, behind one table. To add a codec: write
 * its table in codec_<library>.c, name it in enum sharc_codec and in the two
 * lists of decoder.c; tests/base/test_decoder.c runs the same suite on all.
 */
#ifndef SHARC_CODEC_INT_H
#define SHARC_CODEC_INT_H

#include "sharc/base_codec.h"

struct codec_step {
    struct sharc_span in; /* what is left of it afterwards */
    char *out;            /* where to write */
    size_t room;          /* what is left of it afterwards */
    bool ended;           /* a unit ended; nothing behind it was read */
    const char *problem;  /* set on failure: half a sentence, static storage */
};

struct codec_ops {
    /* NULL when memory is gone. */
    void *(*create)(void);
    void (*destroy)(void *state);
    /* Be ready for the first byte of a unit. */
    void (*restart)(void *state);
    /* As far as input and room allow, at most to the end of the unit.
     * 0, SHARC_ECORRUPT, or SHARC_ELIMIT when it would need too much memory. */
    int (*step)(void *state, struct codec_step *s);
    bool many_units; /* another unit may follow the first */
};

extern const struct codec_ops sharc__base_codec_gzip;
extern const struct codec_ops sharc__base_codec_deflate;
extern const struct codec_ops sharc__base_codec_brotli;
extern const struct codec_ops sharc__base_codec_zstd;

/* 0 or SHARC_EINVAL. */
int sharc__base_zstd_dictionary(void *state, struct sharc_span dictionary);

#endif
