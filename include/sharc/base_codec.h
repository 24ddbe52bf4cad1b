/* SPDX-License-Identifier: Apache-2.0
 *
 * Compression: bounded decoders for what the web and archives bring, and the
 * gzip writer for archives. A decoder never writes more than it was allowed
 * to, however the input was built.
 */
#ifndef SHARC_BASE_CODEC_H
#define SHARC_BASE_CODEC_H

#include "sharc/base.h"
#include "sharc/base_buf.h"

SHARC_PRIVATE_BEGIN

enum sharc_codec {
    SHARC_IDENTITY,
    SHARC_GZIP,    /* one or more members; also bare zlib streams are accepted */
    SHARC_DEFLATE, /* zlib-wrapped or raw, told apart by the first bytes */
    SHARC_BROTLI,
    SHARC_ZSTD,
};

/* "gzip", "x-gzip", "deflate", "br", "zstd", "identity"; any case.
 * SHARC_EUNSUPPORTED for others. */
int sharc_codec_of(struct sharc_span name, enum sharc_codec *ret);

/* Streaming decoder. */
struct sharc_decoder;
/* max_out: total bytes it may produce. Beyond that, and beyond SHARC_LIMIT_EXPANSION
 * (checked after the first megabyte), it stops with SHARC_ELIMIT. UINT64_MAX:
 * neither, for readers that hold one piece at a time and archive what they get. */
int sharc_decoder_new(enum sharc_codec codec, uint64_t max_out, struct sharc_decoder **ret, struct sharc_err *reterr);
void sharc_decoder_free(struct sharc_decoder *d);
void sharc_decoder_freep(struct sharc_decoder **d);

struct sharc_decode_step {
    size_t used;   /* input bytes taken */
    size_t made;   /* output bytes written */
    bool unit_end; /* a gzip member, zstd frame or whole stream ended here */
};
/* Take what is possible of in, write at most room bytes to out. Stops at the
 * end of a unit so that the caller sees every member's border; calling again
 * with more input starts the next member. used == 0 && made == 0 means: more
 * input is needed. SHARC_ECORRUPT (also when input follows the end of a deflate
 * or brotli stream), SHARC_ELIMIT. What could be decoded before the damage has
 * been handed out when the failure is reported. */
int sharc_decoder_step(struct sharc_decoder *d, struct sharc_span in, void *out, size_t room,
                       struct sharc_decode_step *ret, struct sharc_err *reterr);
/* True between units and before the first: the input may end here. */
bool sharc_decoder_at_end(const struct sharc_decoder *d);
/* Start over for a new input, with the same bound. */
void sharc_decoder_reset(struct sharc_decoder *d);
/* zstd only, between frames: a dictionary for those that follow (copied; kept
 * by a reset). SHARC_EUNSUPPORTED for the others, SHARC_ECORRUPT. */
int sharc_decoder_dictionary(struct sharc_decoder *d, struct sharc_span dictionary, struct sharc_err *reterr);

/* All at once into out (appended, bounded by out's maximum). On failure what
 * could be decoded is in out. No input gives no output, zeros behind the last
 * gzip member are ignored. SHARC_ETRUNC, SHARC_ECORRUPT, SHARC_ELIMIT. */
int sharc_decode(enum sharc_codec codec, struct sharc_span in, struct sharc_buf *out, struct sharc_err *reterr);

/* One whole gzip member at the start of in, as fast as the machine can:
 * libdeflate into out (cleared first), at most out->max bytes.
 *   > 0  the member's length in bytes
 *   SHARC_ETRUNC    in ends inside the member, or it is damaged, or its checksum
 *                   is wrong: a decoder tells which and saves what can be saved
 *   SHARC_ELIMIT    larger than out->max: use a decoder
 *   SHARC_ECORRUPT  no gzip member begins here
 * `state` belongs to one thread. out keeps its memory for the next member. */
struct sharc_inflate;
struct sharc_inflate *sharc_inflate_new(void);
void sharc_inflate_free(struct sharc_inflate *state);
int64_t sharc_inflate_member(struct sharc_inflate *state, struct sharc_span in, struct sharc_buf *out);

/* Make one gzip member of in (level 1 to 12, 6 is usual), appended to out. Level 1 is
 * ISA-L's where sharc was built with it: twice as fast, some per cent larger. */
struct sharc_deflate;
struct sharc_deflate *sharc_deflate_new(int level);
void sharc_deflate_free(struct sharc_deflate *state);
int sharc_deflate_member(struct sharc_deflate *state, struct sharc_span in, struct sharc_buf *out);

/* The CRC-32 of gzip and ZIP; start with 0 and hand the result on. */
uint32_t sharc_crc32(uint32_t crc, struct sharc_span s);

/* The same in pieces, for what does not fit into memory: in is added to the
 * member, what is ready is appended to out. With last the member is ended and
 * the next call begins another. SHARC_ELIMIT: out is full, the state is lost
 * (sharc_gzip_reset). */
struct sharc_gzip;
struct sharc_gzip *sharc_gzip_new(int level);
void sharc_gzip_free(struct sharc_gzip *state);
int sharc_gzip_add(struct sharc_gzip *state, struct sharc_span in, bool last, struct sharc_buf *out);
void sharc_gzip_reset(struct sharc_gzip *state);

SHARC_PRIVATE_END
#endif
