/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge of what two downloads of a page show: same content, same items, or where
 * they differ. Pure functions: nothing here fetches, reads a clock or a file.
 *
 *   struct sharc_difference d = SHARC_DIFFERENCE_INIT;
 *   r = sharc_evidence_compare(&visit, &revisit, &d, &err);
 *   if (d.relation == SHARC_RELATION_DIFFERENT) … d.hunks[i].where …
 *   sharc_difference_done(&d);
 *
 * Compared are parsed items: tags, attributes (sorted by name in HTML, values decoded),
 * words of text with the white space before them, tokens of scripts and styles, comments;
 * visible or not. Only what a browser cannot see is left out: white space inside tags,
 * order and quotes of attributes, case of their names, how a character is written. Whatever
 * is not understood is compared by its bytes. What a fingerprint calls equal is compared by
 * bytes as well, so nobody can hide a change behind a collision.
 *
 * evidence_case.h learns from such differences which places of a site differ on
 * every request, and grades the pages of a capture. docs/evidence.md explains both.
 */
#ifndef SHARC_EVIDENCE_H
#define SHARC_EVIDENCE_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_digest.h"
#include "sharc/base_limits.h"

SHARC_PRIVATE_BEGIN

/* One download as it was received. Spans must outlive the call only. */
struct sharc_answer {
    int status;                  /* HTTP; 0: none came */
    struct sharc_span type;      /* value of Content-Type */
    struct sharc_span location;  /* as sharc_evidence_location gives it */
    struct sharc_span body;      /* all codings undone */
    struct sharc_digest content; /* SHA-256 of it */
    bool complete;               /* received and decoded to the end, not cut */
    bool cached;                 /* it came through a cache: it carries Age */
};

enum sharc_relation {
    SHARC_RELATION_SAME_CONTENT, /* status, media type, charset, Location and decoded bytes */
    SHARC_RELATION_SAME_ITEMS,   /* bytes differ where no browser sees it */
    SHARC_RELATION_DIFFERENT,
    SHARC_RELATION_NOT_COMPARABLE, /* one of them is cut or never came: see why */
};

/* Number, name, what a table calls it. Catalogues hold the numbers: append, never change. */
#define SHARC_HUNK_KINDS(X)      \
    X(0, TEXT, "text")           \
    X(1, ATTRIBUTE, "attribute") \
    X(2, SCRIPT, "script")       \
    X(3, STYLE, "style")         \
    X(4, COMMENT, "comment")     \
    X(5, TAGS, "tags")           \
    X(6, ORDER, "order")         \
    X(7, BYTES, "bytes")         \
    X(8, HEADER, "header")       \
    X(9, HIDDEN_TEXT, "hidden-text")

enum sharc_hunk_kind {
#define X(number, name, word) SHARC_HUNK_##name = (number),
    SHARC_HUNK_KINDS(X)
#undef X
        SHARC_HUNK_KIND_COUNT,
};
/* "attribute"; "" for a number that nothing has, never NULL. */
const char *sharc_hunk_kind_word(enum sharc_hunk_kind k);

/* One place where two answers differ. */
struct sharc_hunk {
    uint64_t place;         /* signature: kind and structural place, equal on pages of one template */
    uint64_t before, after; /* fingerprints of what stood there; 0: nothing */
    double low, high;       /* moving: the numbers before and after, the lesser first; NAN: none */
    uint32_t words;         /* visible words that it covers, of the larger side */
    uint32_t region;        /* index of the region it lies in; private to the room */
    uint32_t still;         /* other spots of that place on the page, both sides, that did not differ */
    uint8_t kind;           /* enum sharc_hunk_kind */
    bool moving;            /* one number, time or random token in the place of another: no words */
    uint8_t slow;           /* moving, and 1: may be a counter, no amount of anything; 2: is a time */
    bool one_moved;         /* order: one entry stands elsewhere, or two were swapped */
    bool fresh;             /* tags: entries of a list of which none stayed; before and after leave numbers out */
    char *where;            /* "div.price > text", for people */
    char *old, *now;        /* what stood there, shortened; "" when nothing did */
};

/* What one comparison found. */
struct sharc_difference {
    enum sharc_relation relation;
    const char *why; /* static text: "another status", "cut", …; "" when the hunks say all */
    int status;      /* of both answers; 0: not the same, or none */
    struct sharc_hunk *hunks;
    size_t hunk_count;
    uint32_t words;  /* visible words of the page, the larger side; at least 1 */
    double likeness; /* share of items that both have, 0 … 1 */
    bool cut;        /* there are more hunks than are kept */
    bool cached;     /* one of the answers came through a cache */
    /* Of a control, set by whoever knows the times: the second answer may be the first one once more, which a cache
     * had kept. If both are the same, that says nothing then, for or against other pages. */
    bool repeated;
    /* private */
    struct sharc__region *regions;
    size_t region_count;
    uint64_t *touched; /* leaves of the page before that lie in a region, ascending */
    size_t touched_count;
    bool touched_all; /* too many to be kept */
};
#define SHARC_DIFFERENCE_INIT                     \
    {                                             \
        .relation = SHARC_RELATION_NOT_COMPARABLE \
    }
void sharc_difference_done(struct sharc_difference *d);

/* Compare two downloads of one URL. Replaces *ret. Never fails because a page is bad; time
 * is O(n log n) of the bodies with a budget for hostile ones (what it does not
 * reach is one large hunk), memory some 20 times the bodies up to SHARC_EVIDENCE_ITEMS items.
 * The result does not depend on anything but the two answers. */
int sharc_evidence_compare(const struct sharc_answer *before, const struct sharc_answer *after,
                           struct sharc_difference *ret, struct sharc_err *reterr);
#define SHARC_EVIDENCE_ITEMS (2u << 20) /* of one answer; larger ones are compared by bytes */
#define SHARC_EVIDENCE_HUNKS 2000u      /* kept of one difference */

/* Status, media type, charset and Location are the same; otherwise *ret_why (may be
 * NULL) says which is not. */
bool sharc_evidence_same_head(int status_before, struct sharc_span type_before, struct sharc_span location_before,
                              int status_after, struct sharc_span type_after, struct sharc_span location_after,
                              const char **ret_why);

/* A digest of the four: two heads have the same one exactly if they are the same by the function above. */
void sharc_evidence_print_head(int status, struct sharc_span type, struct sharc_span location,
                               struct sharc_digest *ret);
/* Where an answer sends its reader: a redirect's Location, absolute and whole, since a browser that follows it also
 * goes to its fragment (what is no URL stays as it is); and every Refresh field. Behind it all Content-Type fields but
 * the first: some browsers take the last. Appended; mostly nothing. */
struct sharc_http;
struct sharc_url;
#define SHARC_EVIDENCE_LOCATION (SHARC_LIMIT_URL + 2 * SHARC_LIMIT_HTTP_HEADER) /* the most that it appends */
void sharc_evidence_location(const struct sharc_http *h, const struct sharc_url *base, struct sharc_buf *out);

/* The spots of a page that did not change, to test whether a place that is thought to differ
 * on every request does so on every page that has it. */
struct sharc_spot {
    uint64_t place; /* as of a hunk */
    uint64_t value; /* fingerprint of what stands there */
    uint64_t leaf;  /* the text, attribute or statement it is in; private to the room */
};
struct sharc_places {
    struct sharc_spot *spots; /* by place */
    size_t count;
};
#define SHARC_PLACES_INIT \
    {                     \
        .count = 0        \
    }
void sharc_places_done(struct sharc_places *p);
int sharc_evidence_places(const struct sharc_answer *a, struct sharc_places *ret, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
