/* SPDX-License-Identifier: Apache-2.0
 *
 * The mirror from the inside: mirror_path.c names files, mirror_table.c knows
 * the URLs and which capture stands for each, mirror.c reads and writes.
 */
#ifndef SHARC_REPLAY_MIRROR_INT_H
#define SHARC_REPLAY_MIRROR_INT_H

#include "sharc/base_map.h"
#include "sharc/replay_mirror.h"
#include "sharc/warc.h"

/* --- mirror_path.c -------------------------------------------------------- */

enum mirror_type { MIRROR_OTHER, MIRROR_HTML, MIRROR_XML, MIRROR_CSS }; /* XML: XHTML and SVG */
/* What to do with a file of that media type. */
enum mirror_type sharc__replay_mirror_type(struct sharc_span mime);
/* Where the extension of the name begins, or the path's end. */
size_t sharc__replay_mirror_extension(struct sharc_span path);
/* The way from the file at `from` to that at `to`, appended to out. */
void sharc__replay_mirror_relative(struct sharc_span from, struct sharc_span to, struct sharc_buf *out);

/* --- mirror_table.c ------------------------------------------------------- */

enum mirror_kind {
    MIRROR_UNKNOWN,  /* only the target of a redirect */
    MIRROR_FILE,     /* a response or resource */
    MIRROR_REVISIT,  /* the bytes are in another record */
    MIRROR_REDIRECT, /* to another URL */
};

#define MIRROR_NO_SOURCE UINT64_MAX

struct mirror_entry { /* one URL; the place in the table is its number */
    uint64_t source;  /* number of the record that has the bytes, or MIRROR_NO_SOURCE */
    sharc_time date;
    uint32_t other; /* REDIRECT: number of the target; REVISIT: place in asked */
    uint32_t mime;  /* number in mimes */
    uint32_t path;  /* number in paths, or SHARC_NO_ID */
    uint8_t kind;   /* enum mirror_kind */
};

struct mirror_use { /* a record, and a URL that shows its bytes */
    uint64_t source;
    uint32_t entry;
};

struct mirror_table {
    struct sharc_intern *urls, *mimes;
    struct sharc_intern *keys;  /* SURT keys, for links that differ in small things */
    struct sharc_intern *paths; /* final ones; folded ones are in taken */
    struct sharc_intern *taken;
    struct mirror_entry *entries;
    size_t count, room;
    uint32_t *key_entry; /* number of a key -> of its entry */
    size_t key_room;
    struct mirror_asked { /* what a revisit refers to */
        uint64_t keys[SHARC_WARC_WAYS];
    } * asked;
    size_t asked_count, asked_room;
    struct sharc_map64 wanted;    /* key of an original -> number of its record + 1 */
    struct sharc_map64 originals; /* number of a record -> number of its media type + 1 */
    struct mirror_use *uses;      /* by source */
    size_t use_count;
    struct sharc_url url;
    struct sharc_buf text;
};
void sharc__replay_mirror_table_init(struct mirror_table *t);
void sharc__replay_mirror_table_done(struct mirror_table *t);

/* First reading: a capture of a URL, which stands for it if it is better than
 * the one before. */
struct mirror_capture {
    uint64_t number; /* of its record */
    sharc_time date;
    enum mirror_kind kind;
    struct sharc_span url; /* without fragment */
    struct sharc_span mime;
    struct sharc_span target; /* REDIRECT: without fragment */
    uint64_t keys[SHARC_WARC_WAYS];
};
void sharc__replay_mirror_offer(struct mirror_table *t, const struct mirror_capture *c, sharc_time at);
/* Second reading, if this says that revisits were chosen: every response and
 * resource. */
bool sharc__replay_mirror_wants_originals(struct mirror_table *t);
/* Whether a revisit refers to a record with these keys. */
bool sharc__replay_mirror_wants(const struct mirror_table *t, const uint64_t keys[SHARC_WARC_WAYS]);
void sharc__replay_mirror_original(struct mirror_table *t, uint64_t number, const uint64_t keys[SHARC_WARC_WAYS],
                                   struct sharc_span mime);
/* Then: originals found, files named, uses sorted. Returns how many revisits
 * are without their original. */
uint64_t sharc__replay_mirror_settle(struct mirror_table *t);

/* The entry that a link leads to: redirects followed, small differences of the
 * URL forgiven. NULL: not in the mirror. */
const struct mirror_entry *sharc__replay_mirror_find(struct mirror_table *t, struct sharc_span url);

#endif
