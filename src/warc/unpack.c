/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of an archive file. A gzip member is first tried in one go with the
 * fast decoder, which needs all of it in memory and a bound on what comes out;
 * what is larger, cut or damaged goes through the streaming decoder, which
 * gives what there is before it fails. zstd frames are always streamed.
 *
 * The dictionary of a .warc.zst is a skippable frame at the start of the file:
 *   OFFSET SIZE MEANING
 *   0      4    5D 2A 4D 18
 *   4      4    size of the rest, little endian
 *   8      size the dictionary, itself a zstd frame or not
 */
#include "sharc/base_limits.h"
#include "warc_int.h"

#include <stdlib.h>

#define GZIP_MAGIC "\x1f\x8b\x08"
#define ZSTD_MAGIC "\x28\xb5\x2f\xfd"
#define DICTIONARY_MAGIC "\x5d\x2a\x4d\x18"

enum {
    DICTIONARY_HEAD = 8,
    DICTIONARY_MOST = 8 << 20,
    PROBE_IN = 4096,
    PROBE_OUT = 512,
    LINE_MOST = 16 << 10,
    FIRST_LOOK = 64 << 10
};

static bool has_magic(struct sharc_span s, const char *magic, size_t n)
{
    return s.n >= n && memcmp(s.p, magic, n) == 0;
}

static bool is_gzip(struct sharc_span s)
{
    return has_magic(s, GZIP_MAGIC, 3) && (s.n < 4 || (s.p[3] & 0xe0) == 0);
}

static bool is_zstd(struct sharc_span s)
{
    if (has_magic(s, ZSTD_MAGIC, 4)) return true;
    return s.n >= 4 && (s.p[0] & 0xf0) == 0x50 && memcmp(s.p + 1, &DICTIONARY_MAGIC[1], 3) == 0;
}

static struct sharc_span raw(const struct sharc__warc_unpack *u)
{
    return sharc_span(u->src.p, u->src.n);
}

static int use_dictionary(struct sharc__warc_unpack *u, struct sharc_span dictionary, struct sharc_err *reterr)
{
    if (!has_magic(dictionary, ZSTD_MAGIC, 4)) return sharc_decoder_dictionary(u->decoder, dictionary, reterr);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf plain = SHARC_BUF_INIT(DICTIONARY_MOST);
    int r = sharc_decode(SHARC_ZSTD, dictionary, &plain, reterr);
    return r < 0 ? r : sharc_decoder_dictionary(u->decoder, sharc_buf_span(&plain), reterr);
}

static uint32_t little_endian(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Reading from an offset, the dictionary still stands at the file's start. */
static int read_dictionary(struct sharc__warc_unpack *u, struct sharc_err *reterr)
{
    struct sharc__warc_source *s = &u->src;
    int r = sharc__warc_source_fill(s, DICTIONARY_HEAD, reterr);
    if (r < 0) return r;
    struct sharc_span start = s->at > 0 && s->memory ? s->all : raw(u);
    if (!has_magic(start, DICTIONARY_MAGIC, 4) || start.n < DICTIONARY_HEAD) return 0;
    size_t size = little_endian(start.p + 4);
    SHARC_FAIL_IF(size > DICTIONARY_MOST, reterr, SHARC_ELIMIT, "its zstd dictionary is larger than 8 MiB");
    if (s->at > 0) return use_dictionary(u, sharc_span_sub(start, DICTIONARY_HEAD, DICTIONARY_HEAD + size), reterr);
    r = sharc__warc_source_fill(s, DICTIONARY_HEAD + size, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(s->n < DICTIONARY_HEAD + size, reterr, SHARC_ETRUNC, "the file ends inside its zstd dictionary");
    r = use_dictionary(u, sharc_span(s->p + DICTIONARY_HEAD, size), reterr);
    if (r < 0) return r;
    sharc__warc_source_take(s, DICTIONARY_HEAD + size);
    return 0;
}

/* The same in a file elsewhere: go there and come back. */
static int fetch_dictionary(struct sharc__warc_unpack *u, struct sharc_err *reterr)
{
    struct sharc__warc_source *s = &u->src;
    const uint64_t offset = s->at;
    sharc__warc_source_seek(s, 0);
    int r = read_dictionary(u, reterr);
    sharc__warc_source_seek(s, offset);
    return r;
}

static int start_decoder(struct sharc__warc_unpack *u, enum sharc_codec codec, struct sharc_err *reterr)
{
    int r = sharc_decoder_new(codec, UINT64_MAX, &u->decoder, reterr);
    if (r < 0) return r;
    u->room = UNPACK_WINDOW;
    u->window = sharc_malloc(u->room);
    return 0;
}

/* The first bytes tell nothing: damaged, or not an archive at all. Members
 * further on and no record before them mean gzip. */
static bool is_damaged_gzip(struct sharc__warc_unpack *u)
{
    if (is_zstd(raw(u)) || sharc__warc_source_fill(&u->src, FIRST_LOOK, NULL) < 0) return false;
    struct sharc_span start = sharc_span_sub(raw(u), 0, FIRST_LOOK);
    size_t member = sharc_span_search(start, SHARC_SPAN(GZIP_MAGIC));
    return member != SHARC_NPOS && !sharc__warc_looks_like_record(start) &&
           sharc_span_search(sharc_span_sub(start, 0, member), SHARC_SPAN("WARC/")) == SHARC_NPOS;
}

int sharc__warc_unpack_start(struct sharc__warc_unpack *u, struct sharc_err *reterr)
{
    int r = sharc__warc_source_fill(&u->src, DICTIONARY_HEAD, reterr);
    if (r < 0) return r;
    if (is_gzip(raw(u)) || is_damaged_gzip(u)) {
        u->packing = SHARC_WARC_GZIP;
        u->inflate = sharc_inflate_new();
        sharc_buf_init(&u->whole, UNPACK_WHOLE);
        return start_decoder(u, SHARC_GZIP, reterr);
    }
    if (is_zstd(raw(u))) {
        u->packing = SHARC_WARC_ZSTD;
        r = start_decoder(u, SHARC_ZSTD, reterr);
        if (r < 0) return r;
        return u->src.remote && u->src.at > 0 ? fetch_dictionary(u, reterr) : read_dictionary(u, reterr);
    }
    u->packing = SHARC_WARC_PLAIN;
    return 0;
}

void sharc__warc_unpack_done(struct sharc__warc_unpack *u)
{
    sharc__warc_source_done(&u->src);
    sharc_inflate_free(u->inflate);
    sharc_buf_done(&u->whole);
    sharc_decoder_free(u->decoder);
    free(u->window);
}

/* The whole member at once: true when that worked. */
static bool inflate_whole(struct sharc__warc_unpack *u)
{
    struct sharc__warc_source *s = &u->src;
    for (;;) {
        int64_t used = sharc_inflate_member(u->inflate, raw(u), &u->whole);
        if (used > 0) {
            sharc__warc_source_take(s, (size_t)used);
            u->p = sharc_buf_str(&u->whole);
            u->n = u->whole.n;
            u->unit_end = true;
            return true;
        }
        if (used != SHARC_ETRUNC || s->ended || s->n >= UNPACK_WHOLE) return false;
        /* Cut by the window's end, perhaps: read on and try again. */
        size_t want = s->n < SOURCE_WINDOW / 2 ? SOURCE_WINDOW : 2 * s->n;
        if (sharc__warc_source_fill(s, want, NULL) < 0) return false;
    }
}

static int begin_plain(struct sharc__warc_unpack *u, struct sharc_err *reterr)
{
    int r = sharc__warc_unpack_fill(u, 1, reterr);
    return r < 0 ? r : u->n > 0;
}

int sharc__warc_unpack_begin(struct sharc__warc_unpack *u, struct sharc_err *reterr)
{
    if (u->packing == SHARC_WARC_PLAIN) return begin_plain(u, reterr);
    int r = sharc__warc_source_fill(&u->src, 18, reterr);
    if (r < 0) return r;
    if (u->src.n == 0) return 0;
    u->begun = true;
    u->broken = 0;
    u->unit_at = u->src.at;
    u->unit_end = false;
    bool magic = u->packing == SHARC_WARC_GZIP ? is_gzip(raw(u)) : is_zstd(raw(u));
    if (!magic) {
        u->n = 0;
        return u->broken = sharc_fail(reterr, SHARC_ECORRUPT, "no %s begins here",
                                      u->packing == SHARC_WARC_GZIP ? "gzip member" : "zstd frame");
    }
    if (u->n == 0 && u->packing == SHARC_WARC_GZIP && inflate_whole(u)) return 1;
    if (u->p != u->window && u->n > 0) {
        if (u->room < u->n) {
            free(u->window);
            u->room = u->n;
            u->window = sharc_malloc(u->room);
        }
        memmove(u->window, u->p, u->n);
    }
    u->p = u->window;
    sharc_decoder_reset(u->decoder);
    return 1;
}

/* Make room for `want` bytes in the window, what is left in front. */
static void make_room(struct sharc__warc_unpack *u, size_t want)
{
    if (want > u->room) {
        size_t room = want + UNPACK_WINDOW;
        char *larger = sharc_malloc(room);
        memcpy(larger, u->p, u->n);
        free(u->window);
        u->window = larger;
        u->room = room;
    } else if (u->p != u->window && u->n > 0) {
        memmove(u->window, u->p, u->n);
    }
    u->p = u->window;
}

static int decode_some(struct sharc__warc_unpack *u, struct sharc_err *reterr)
{
    struct sharc__warc_source *s = &u->src;
    struct sharc_decode_step step = {0};
    int r = sharc__warc_source_fill(s, 1, reterr);
    if (r == 0) r = sharc_decoder_step(u->decoder, raw(u), u->window + u->n, u->room - u->n, &step, reterr);
    if (r < 0) return u->broken = r;
    sharc__warc_source_take(s, step.used);
    u->n += step.made;
    u->unit_end = step.unit_end;
    if (step.used > 0 || step.made > 0 || step.unit_end) return 0;
    if (s->ended)
        return u->broken = sharc_fail(reterr, SHARC_ETRUNC, "the file ends inside a %s",
                                      u->packing == SHARC_WARC_GZIP ? "gzip member" : "zstd frame");
    r = sharc__warc_source_fill(s, s->n + 1, reterr);
    return r < 0 ? (u->broken = r) : 0;
}

int sharc__warc_unpack_fill(struct sharc__warc_unpack *u, size_t want, struct sharc_err *reterr)
{
    if (u->packing == SHARC_WARC_PLAIN) {
        int r = sharc__warc_source_fill(&u->src, want, reterr);
        u->p = u->src.p;
        u->n = u->src.n;
        u->unit_end = u->src.ended;
        return r;
    }
    if (u->n >= want || u->unit_end) return 0;
    if (u->broken) return sharc_fail(reterr, u->broken, "damaged compressed data");
    make_room(u, want);
    while (u->n < want && !u->unit_end) {
        int r = decode_some(u, reterr);
        if (r < 0) return r;
    }
    return 0;
}

/* --- after damage -------------------------------------------------------- */

/* Does a unit that begins here unpack to the beginning of a record? */
static bool probe(struct sharc__warc_unpack *u, struct sharc_span in)
{
    char out[PROBE_OUT];
    size_t n = 0;
    in = sharc_span_sub(in, 0, PROBE_IN);
    sharc_decoder_reset(u->decoder);
    while (n < sizeof out && in.n > 0) {
        struct sharc_decode_step step = {0};
        int r = sharc_decoder_step(u->decoder, in, out + n, sizeof out - n, &step, NULL);
        if (r < 0) break;
        n += step.made;
        in = sharc_span_from(in, step.used);
        if (step.unit_end || (step.used == 0 && step.made == 0)) break;
    }
    size_t blank = 0;
    while (blank < n && (out[blank] == '\r' || out[blank] == '\n')) blank++;
    return sharc__warc_looks_like_record(sharc_span_from(sharc_span(out, n), blank));
}

/* Offset in bytes of a possible beginning, or SHARC_NPOS. */
static size_t find_magic(const struct sharc__warc_unpack *u, struct sharc_span s)
{
    bool gzip = u->packing == SHARC_WARC_GZIP;
    for (size_t i = 0; (i = sharc_span_find(s, gzip ? GZIP_MAGIC[0] : ZSTD_MAGIC[0], i)) != SHARC_NPOS; i++) {
        struct sharc_span here = sharc_span_from(s, i);
        if (here.n < 4 || (gzip ? is_gzip(here) : is_zstd(here))) return i;
    }
    return SHARC_NPOS;
}

static int hunt_packed(struct sharc__warc_unpack *u, struct sharc_err *reterr)
{
    struct sharc__warc_source *s = &u->src;
    for (;;) {
        int r = sharc__warc_source_fill(s, PROBE_IN, reterr);
        if (r < 0) return r;
        size_t i = find_magic(u, raw(u));
        if (i == SHARC_NPOS) {
            sharc__warc_source_take(s, s->n);
            if (s->ended) return 0;
            continue;
        }
        sharc__warc_source_take(s, i);
        r = sharc__warc_source_fill(s, PROBE_IN, reterr);
        if (r < 0) return r;
        if (probe(u, raw(u))) return 1;
        if (s->n == 0) return 0;
        sharc__warc_source_take(s, 1);
    }
}

/* Where in this line (its LF included) a record may begin. The byte before a
 * record may be the damaged one, so a version line counts wherever it stands. */
static size_t record_in_line(struct sharc_span bytes, size_t line_n, bool line_start)
{
    if (line_start && sharc__warc_looks_like_record(bytes)) return 0;
    struct sharc_span line = sharc_span_sub(bytes, 0, line_n);
    for (size_t i = 1; i < line.n; i++) {
        size_t hit = sharc_span_search(sharc_span_from(line, i), SHARC_SPAN("WARC/"));
        if (hit == SHARC_NPOS) break;
        i += hit;
        if (sharc__warc_is_version_line(sharc_span_from(line, i))) return i;
    }
    return SHARC_NPOS;
}

static int hunt_plain(struct sharc__warc_unpack *u, struct sharc_err *reterr)
{
    struct sharc__warc_source *s = &u->src;
    for (bool line_start = true;;) {
        int r = sharc__warc_source_fill(s, LINE_MOST, reterr);
        if (r < 0) return r;
        size_t nl = sharc_span_find(raw(u), '\n', 0);
        size_t line_n = nl == SHARC_NPOS ? s->n : nl + 1;
        size_t found = record_in_line(raw(u), line_n, line_start);
        sharc__warc_source_take(s, found == SHARC_NPOS ? line_n : found);
        if (found != SHARC_NPOS) return sharc__warc_unpack_fill(u, 1, reterr) < 0 ? SHARC_EIO : 1;
        line_start = nl != SHARC_NPOS;
        if (s->n == 0 && s->ended) return 0;
    }
}

int sharc__warc_unpack_hunt(struct sharc__warc_unpack *u, uint64_t from, struct sharc_err *reterr)
{
    const uint64_t size = sharc__warc_source_size(&u->src);
    if (sharc__warc_source_seeks(&u->src)) sharc__warc_source_seek(&u->src, from < size ? from : size);
    u->n = 0;
    u->unit_end = true;
    u->begun = false;
    return u->packing == SHARC_WARC_PLAIN ? hunt_plain(u, reterr) : hunt_packed(u, reterr);
}
