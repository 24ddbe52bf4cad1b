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

/* member_isal.c: gzip members of at most FAST_MOST bytes by ISA-L. */
#define FAST_MOST ((size_t)1 << 30)
struct sharc__base_fast;
#ifdef SHARC_ISAL
struct sharc__base_fast *sharc__base_fast_new(void);
void sharc__base_fast_free(struct sharc__base_fast *state);
/* Room that is enough for any n bytes. */
size_t sharc__base_fast_bound(size_t n);
/* Bytes written; 0: more room is needed. */
size_t sharc__base_fast_member(struct sharc__base_fast *state, struct sharc_span in, char *out, size_t room);
#else
static inline struct sharc__base_fast *sharc__base_fast_new(void)
{
    return NULL;
}
static inline void sharc__base_fast_free(struct sharc__base_fast *state)
{
    (void)state;
}
static inline size_t sharc__base_fast_bound(size_t n)
{
    return n;
}
static inline size_t sharc__base_fast_member(struct sharc__base_fast *state, struct sharc_span in, char *out,
                                             size_t room)
{
    (void)state;
    (void)in;
    (void)out;
    (void)room;
    return 0;
}
#endif

#endif
