/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader from the inside. Three layers, each knowing only the one below:
 *
 *   source   bytes of the file, mapped or through a window; offsets
 *   unpack   what they unpack to, unit by unit (gzip member, zstd frame; a
 *            plain file is one unit)
 *   reader   records: their heads (warc_head.c, arc_head.c) and what is in them (record.c)
 * record_start.c tells where one may begin, messages.c says what is wrong.
 */
#ifndef SHARC_WARC_INT_H
#define SHARC_WARC_INT_H

#include "sharc/base_codec.h"
#include "sharc/base_file.h"
#include "sharc/base_map.h"
#include "sharc/base_remote.h"
#include "sharc/warc.h"

/* --- source -------------------------------------------------------------- */

enum {
    SOURCE_WINDOW = 1 << 20,  /* on pipes */
    SOURCE_DROP = 8 << 20,    /* mapped pages are let go in steps of this */
    SOURCE_FIRST = 128 << 10, /* of a file elsewhere: what is fetched first; */
    SOURCE_MOST = 8 << 20,    /* who reads on gets twice as much each time, up to this */
    UNPACK_WINDOW = 256 << 10 /* for units that are streamed */
};
#define UNPACK_WHOLE ((size_t)16 << 20) /* units up to this size are unpacked in one go */

struct sharc__warc_source {
    const char *p; /* bytes not taken yet */
    size_t n;
    uint64_t at;                     /* offset of p in the file */
    bool ended;                      /* nothing comes behind p[n] */
    bool memory;                     /* all bytes are in memory */
    char *remote;                    /* its name, when it lies elsewhere: windows are fetched by range; else NULL */
    struct sharc_remote_facts facts; /* and of that */
    size_t ahead;                    /* and how much is fetched next */
    struct sharc_span all;
    struct sharc_filemap map;
    uint64_t dropped;
    int fd;
    char *window;
    size_t room;
};

int sharc__warc_source_open(struct sharc__warc_source *s, const char *path, uint64_t offset, struct sharc_err *reterr);
/* known: NULL: it is asked for. */
int sharc__warc_source_open_remote(struct sharc__warc_source *s, const char *name,
                                   const struct sharc_remote_facts *known, uint64_t offset, struct sharc_err *reterr);
int sharc__warc_source_open_bytes(struct sharc__warc_source *s, struct sharc_span bytes, uint64_t offset,
                                  struct sharc_err *reterr);
void sharc__warc_source_done(struct sharc__warc_source *s);
/* Have `want` bytes at p, unless the file ends before. Moves p on pipes. */
int sharc__warc_source_fill(struct sharc__warc_source *s, size_t want, struct sharc_err *reterr);
void sharc__warc_source_drop(struct sharc__warc_source *s);
/* Can it go to an offset? Pipes cannot. */
static inline bool sharc__warc_source_seeks(const struct sharc__warc_source *s)
{
    return s->memory || s->remote;
}
static inline uint64_t sharc__warc_source_size(const struct sharc__warc_source *s)
{
    return s->remote ? s->facts.size : s->all.n;
}
void sharc__warc_source_seek(struct sharc__warc_source *s, uint64_t offset);

static inline void sharc__warc_source_take(struct sharc__warc_source *s, size_t k)
{
    s->p += k;
    s->n -= k;
    s->at += k;
    if (s->map.base && s->at - s->dropped >= SOURCE_DROP) sharc__warc_source_drop(s);
}

/* --- unpack -------------------------------------------------------------- */

/* INVARIANTS
 *  (1) p[0 … n) are unpacked bytes not taken yet; unit_end says that the unit
 *      has no others.
 *  (2) with unit_end the bytes stay where they are until the next begin();
 *      without, every fill() may move them.
 *  (3) plain: p and n are those of the source. */
struct sharc__warc_unpack {
    struct sharc__warc_source src;
    enum sharc_warc_packing packing;
    const char *p;
    size_t n;
    bool unit_end;
    bool begun;       /* a unit was begun and not all of it was taken */
    uint64_t unit_at; /* where the unit begins in the file */
    int broken;       /* the code that a damaged unit failed with */
    struct sharc_inflate *inflate;
    struct sharc_buf whole;
    struct sharc_decoder *decoder;
    char *window;
    size_t room;
};

/* Tell the packing by the first bytes; for zstd also read the dictionary. */
int sharc__warc_unpack_start(struct sharc__warc_unpack *u, struct sharc_err *reterr);
void sharc__warc_unpack_done(struct sharc__warc_unpack *u);
/* Begin the next unit; bytes not taken of the one before are kept in front.
 * 1, or 0 when the file has ended. */
int sharc__warc_unpack_begin(struct sharc__warc_unpack *u, struct sharc_err *reterr);
/* Have `want` bytes at p, unless the unit ends before. */
int sharc__warc_unpack_fill(struct sharc__warc_unpack *u, size_t want, struct sharc_err *reterr);
/* Find the next place at or behind `from` where a unit with a record begins,
 * and stand before it. 1, or 0 when there is none. */
int sharc__warc_unpack_hunt(struct sharc__warc_unpack *u, uint64_t from, struct sharc_err *reterr);

static inline void sharc__warc_unpack_take(struct sharc__warc_unpack *u, size_t k)
{
    u->p += k;
    u->n -= k;
    if (u->packing == SHARC_WARC_PLAIN) sharc__warc_source_take(&u->src, k);
}
/* Bytes at p do not move before the next record. */
static inline bool sharc__warc_unpack_stable(const struct sharc__warc_unpack *u)
{
    return u->packing == SHARC_WARC_PLAIN ? u->src.memory : u->unit_end;
}

/* --- heads --------------------------------------------------------------- */

/* Where a record may begin: "WARC/", or a line that could be an ARC head. */
bool sharc__warc_looks_like_record(struct sharc_span bytes);
/* Only "WARC/1.1" and its like, with the line end; looks at a few bytes. */
bool sharc__warc_is_version_line(struct sharc_span bytes);
/* "WARC/1.1" as 101, "WARC/0.17" as 17; 0 when it is no version line. */
unsigned sharc__warc_version_of(struct sharc_span line);

/* The record's head at the start of bytes, which hold all of it or end where the file does;
 * rec is empty before.
 *   > 0 its size, rec filled (block_size too);
 *   SHARC_ESYNTAX, SHARC_ELIMIT, SHARC_ETRUNC with a sentence that does not name the place. */
int64_t sharc__warc_head(struct sharc_warc *w, struct sharc_span bytes, struct sharc_record *rec,
                         struct sharc_err *reterr);
int64_t sharc__warc_arc_head(struct sharc_warc *w, struct sharc_span bytes, struct sharc_record *rec,
                             struct sharc_err *reterr);
/* A record whose type is not wanted, told without parsing: its head's size,
 * with type and block_size in rec; 0 when it is wanted or needs a closer look. */
size_t sharc__warc_glance(struct sharc_span bytes, unsigned types, struct sharc_record *rec);
/* An ARC head line, without its line end. */
struct sharc__warc_arc_line {
    struct sharc_span url, ip, date, mime, length;
    unsigned version; /* 100 or 200 */
};
bool sharc__warc_arc_split(struct sharc_span line, struct sharc__warc_arc_line *ret);
/* Brackets off, spaces encoded; may point into w->scratch. */
struct sharc_span sharc__warc_clean_uri(struct sharc_warc *w, struct sharc_span uri);

/* --- reader -------------------------------------------------------------- */

/*  BETWEEN --find--> HEAD --read_head--> INSIDE --pass_over--> PASSED --next--> BETWEEN
 *     any failure: strict --> FAILED (for good); lenient --hunt--> BETWEEN */
enum sharc__warc_state { BETWEEN, INSIDE, PASSED, FAILED };

struct sharc_warc {
    struct sharc__warc_unpack in;
    struct sharc_warc_options o;
    char *name;
    struct sharc_warc_stats stats;
    enum sharc__warc_state state;
    int passed;               /* result of pass_over, told by the next call */
    struct sharc_err failure; /* FAILED, or of pass_over */
    bool arc;                 /* the last head was an ARC's */
    bool arc_head;            /* the record is an ARC's file head */
    bool lost;                /* a length made no sense: the next head may be anywhere */
    unsigned told;            /* habits that were told, as bits */
    uint64_t record_at;       /* offset of the record */
    uint64_t carried_at;      /* the unit into which a record went on last, and … */
    uint64_t carried_from;    /* … where that record begins */
    uint64_t block_at;        /* plain: offset of its block */
    uint64_t block_left;
    uint64_t gone_back; /* bytes read again after damage */
    bool record_joined;
    bool ended_whole;        /* PASSED: the empty lines were there too */
    uint64_t length;         /* PASSED: what sharc_record_length says */
    struct sharc_http named; /* the WARC head's fields */
    struct sharc_http http;
    enum { HTTP_UNKNOWN, HTTP_NONE, HTTP_THERE } http_state;
    size_t head_left; /* bytes of the HTTP head not read yet */
    struct sharc_http_body *body;
    bool reading;
    struct sharc_buf head_copy, http_copy, scratch;
};

/* Fill err: file, offset, sentence. Returns code. */
int sharc__warc_fail(struct sharc_warc *w, struct sharc_err *err, int code, uint64_t offset, const char *fmt, ...)
    SHARC_PRINTF(5, 6);
/* Habits of known writers: each is counted, and told once per file. */
#define SHARC__WARC_HABITS(X)                                       \
    X(NO_EMPTY_LINES, "the empty lines after a block are missing")  \
    X(ONE_LINE_END, "one line end follows a block, not two")        \
    X(DAY_OF_YEAR, "a WARC-Date counts days from the year's start") \
    X(JOINED, "one compressed member holds several records")        \
    X(ZEROS, "the file ends in zeros")                              \
    X(NO_LENGTH, "a record's length is not a number: taken as 0")   \
    X(BRACKETS, "target URIs stand in <>")                          \
    X(SPACES, "a target URI has spaces in it")                      \
    X(VERSION, "a WARC version is unknown")                         \
    X(LF_ONLY, "head lines end in LF without CR")                   \
    X(NO_COLON, "a head line has no colon")
enum sharc__warc_habit {
#define X(name, text) HABIT_##name,
    SHARC__WARC_HABITS(X)
#undef X
};
void sharc__warc_warn(struct sharc_warc *w, enum sharc__warc_habit habit, uint64_t offset);
/* The next piece of the block, or its end. */
int sharc__warc_block_piece(struct sharc_warc *w, struct sharc_span *ret, struct sharc_err *reterr);
/* To the end of the record; the result also stays in w->passed. */
int sharc__warc_pass_over(struct sharc_warc *w, struct sharc_err *reterr);

/* --- broken units --------------------------------------------------------- */

/* The units of w, which has just been opened, that cannot be unpacked to a right
 * end: offset -> code. Reads w to its end. */
int sharc__warc_broken_units(struct sharc_warc *w, struct sharc_map64 *ret, struct sharc_err *reterr);
/* The code, if the record begins in or belongs to such a unit; else 0. */
int sharc__warc_broken_unit(const struct sharc_map64 *units, const struct sharc_record *rec);

#define SHARC__CURE "; cure: sharc verify --repair FILE"

#endif
