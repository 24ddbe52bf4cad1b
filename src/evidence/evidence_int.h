/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of room evidence share.
 *
 * An answer becomes a document: a sequence of items, each in a node (element, or bracket of a
 * script) and, but for tags, in a leaf (a text between two tags, the value of an attribute, a
 * statement of a script, a comment). The items are all of the answer: nothing of it lies outside.
 *
 *   files     answer.c   heads of answers, what is compared how
 *             document.c nodes, leaves, their places
 *             markup.c   HTML and XML into items           script.c  scripts, styles, JSON
 *             token.c    one token: where it ends, what it looks like
 *             compare.c  the script of two documents       regions.c runs into regions
 *             hunks.c    regions into hunks                lists.c   lists of which nothing stays
 *             spot.c     signature of a spot               spots.c   all spots of a page
 *             labels.c   what people are shown
 *             frame.c    does a control explain a region?
 *             case*.c    pages, controls, learning, results; chance.c  what is the same twice by chance
 */
#ifndef SHARC_EVIDENCE_INT_H
#define SHARC_EVIDENCE_INT_H

#include "sharc/base_arena.h"
#include "sharc/base_map.h"
#include "sharc/evidence.h"

#define SHARC__EVIDENCE_NONE UINT32_MAX

/* --- tokens -------------------------------------------------------------------------- */

/* What a token looks like; the order matters nowhere. */
enum sharc__look {
    LOOK_WORD,
    LOOK_NUMBER, /* digits and what stands between them: 1,200 12:05:33 2026-11-16 */
    LOOK_RANDOM, /* letters and digits mixed as no word is */
    LOOK_TIME,   /* months, weekdays, units of time, "ago" */
    LOOK_MARK,   /* punctuation only */
    LOOK_SPACE,  /* white space only */
    LOOK_TAG,
    LOOK_NOT_YET, /* most items are never looked at: see sharc__evidence_look */
};

/* Length of the token at s (s.n > 0), with the white space before it. by_space: tokens end at white space only. */
size_t sharc__evidence_token(struct sharc_span s, bool by_space);
enum sharc__look sharc__evidence_look_of(struct sharc_span token);
/* Currency, per cent and other things that make an amount of a number beside them. */
bool sharc__evidence_is_amount(struct sharc_span token);

/* --- documents ------------------------------------------------------------------------ */

struct sharc__item {
    uint64_t print; /* of kind and bytes */
    const char *p;
    uint32_t n;
    uint32_t node;
    uint32_t leaf; /* or NONE: a tag, the name of an attribute */
    uint8_t kind;  /* enum sharc_hunk_kind */
    uint8_t look;  /* enum sharc__look */
    bool visible;  /* a word that a reader sees */
    bool opens;    /* a start tag or bracket */
};

struct sharc__node {
    uint32_t parent;
    uint32_t first, end; /* items, its own tags included */
    uint32_t ordinal;    /* among children of its parent with the same mark */
    uint32_t children;
    uint64_t mark;           /* name, names of attributes, telling values */
    uint64_t loose;          /* place, without positions */
    uint64_t exact;          /* place with positions: differs when a twin beside it comes or goes */
    uint64_t mixed;          /* a fingerprint of its children in any order */
    struct sharc_span label; /* "div.price" */
};

struct sharc__leaf {
    uint32_t node, first, count;
    uint32_t ordinal; /* among leaves of its node with the same mark */
    uint64_t mark;    /* kind, name of the attribute, key */
    uint64_t loose, exact;
    struct sharc_span label; /* "@value"; key of a script */
    uint8_t kind;
};

struct sharc__document {
    struct sharc__item *items;
    size_t count, room;
    struct sharc__node *nodes; /* [0] is the root; parents before children */
    size_t node_count, node_room;
    struct sharc__leaf *leaves;
    size_t leaf_count, leaf_room;
    uint64_t *prefix;         /* see document.c */
    struct sharc_map64 twins; /* node and mark to how many there are */
    struct sharc_arena arena; /* decoded bytes, labels */
    struct sharc_buf text;    /* the body in UTF-8, if it was not */
    uint32_t at;              /* node that is open */
    uint32_t leaf;            /* leaf that is open, or NONE */
    uint32_t words;           /* visible */
    unsigned charset;         /* enum sharc_charset */
    bool full;                /* a limit was reached: the items are not all */
};
void sharc__evidence_document_init(struct sharc__document *d);
void sharc__evidence_document_done(struct sharc__document *d);
/* All items are in. */
void sharc__evidence_document_close(struct sharc__document *d);
/* A fingerprint of items in order that any stretch of a finished document can be asked for. It only points at what may
 * be equal; what it tells apart does differ. */
uint64_t sharc__evidence_stretch(const struct sharc__document *d, uint32_t first, uint32_t end);
/* Find the places of nodes and leaves: only needed where documents differ. */
void sharc__evidence_document_finish(struct sharc__document *d);

void sharc__evidence_open(struct sharc__document *d, uint64_t mark, struct sharc_span label);
void sharc__evidence_close(struct sharc__document *d); /* the open node; the root stays open */
void sharc__evidence_leaf_begin(struct sharc__document *d, enum sharc_hunk_kind kind, uint64_t mark,
                                struct sharc_span label);
void sharc__evidence_leaf_end(struct sharc__document *d);
void sharc__evidence_put(struct sharc__document *d, enum sharc_hunk_kind kind, struct sharc_span bytes,
                         enum sharc__look look, bool visible);
/* All tokens of s into the open leaf. */
void sharc__evidence_put_tokens(struct sharc__document *d, enum sharc_hunk_kind kind, struct sharc_span s,
                                bool by_space, bool visible);
/* A copy that lives as long as the document; marks it full when there is no room. */
struct sharc_span sharc__evidence_keep(struct sharc__document *d, struct sharc_span s);

/* How a body is taken apart. */
enum sharc__form { FORM_BYTES, FORM_HTML, FORM_LOOSE_HTML, FORM_XML, FORM_SCRIPT, FORM_STYLE, FORM_TEXT };
enum sharc__form sharc__evidence_form(struct sharc_span type, struct sharc_span body);
/* False: only its bytes can be compared. */
bool sharc__evidence_read(struct sharc__document *d, const struct sharc_answer *a);

void sharc__evidence_read_markup(struct sharc__document *d, struct sharc_span page, enum sharc__form form);
void sharc__evidence_read_script(struct sharc__document *d, struct sharc_span s, enum sharc_hunk_kind kind);
void sharc__evidence_read_text(struct sharc__document *d, struct sharc_span s);

/* What an item looks like, found out when it is asked for. */
static inline enum sharc__look sharc__evidence_look(const struct sharc__item *it)
{
    return it->look == LOOK_NOT_YET ? sharc__evidence_look_of(sharc_span(it->p, it->n)) : (enum sharc__look)it->look;
}

/* --- differences ----------------------------------------------------------------------- */

#define SHARC__REGION_LISTS 3

/* A leaf or node in which two documents differ, with all that stands in it: what a
 * control is held against. */
struct sharc__region {
    uint64_t place; /* exact */
    uint64_t loose;
    uint64_t *before, *after; /* prints of the items; the lowest three bits are their look */
    uint32_t n_before, n_after;
    uint64_t value_before, value_after;  /* fingerprints of all of it */
    uint64_t lists[SHARC__REGION_LISTS]; /* of a leaf: lists it is in of which nothing stayed; or 0 */
    uint32_t still;                      /* of a leaf: others of its loose place on the page that did not differ */
    uint8_t kind;
    bool large; /* too much to be kept: nothing explains it */
};

#define SHARC__REGION_ITEMS 4096u  /* kept of a region, each side */
#define SHARC__REGION_TOTAL 65536u /* kept of all regions of a difference */

struct sharc__comparison {
    struct sharc__document a, b;
    bool *goes, *comes; /* items of a, of b */
};
/* Regions and hunks of a comparison into d. */
void sharc__evidence_hunks(struct sharc__comparison *c, struct sharc_difference *d);

/* One stretch in which the documents differ: items [a, a_end) are replaced by [b, b_end). */
struct sharc__run {
    uint32_t a, a_end, b, b_end;
};
/* Where runs belong: a pair of leaves or of nodes with the same exact place. */
struct sharc__home {
    bool leaf;
    bool order;     /* node: the same children in another order */
    bool one_moved; /* and it takes no more than to move one of them, or to swap two */
    uint32_t a, b;  /* leaf or node of either document */
};
/* homes sorted by place in document a, none inside another; *ret is malloc'ed. */
size_t sharc__evidence_homes(const struct sharc__comparison *c, struct sharc__home **ret);

/* For people, malloc'ed: the items [from, to) that are marked (NULL: all), shortened; the path of a node, with the
 * label of a leaf (may be NULL). */
char *sharc__evidence_shown(const struct sharc__document *d, const bool *marks, uint32_t from, uint32_t to);
char *sharc__evidence_where(const struct sharc__document *d, uint32_t node, const struct sharc__leaf *leaf);

/* Signature of the spot of an item: what stands on its sides, and the loose place of its leaf. */
uint64_t sharc__evidence_spot(const struct sharc__document *d, uint32_t item);
/* Signature of a whole leaf that holds words. */
uint64_t sharc__evidence_leaf_place(uint64_t loose);
/* Signature of the order of a node's children. */
uint64_t sharc__evidence_order_place(uint64_t loose);
/* Signature of the children of a node that have one mark, where all of them come and go. */
uint64_t sharc__evidence_list_place(const struct sharc__document *d, uint32_t child);
/* The address of one of them, exact. */
uint64_t sharc__evidence_list_entry(const struct sharc__node *n);
/* Is all that differs in a pair of nodes in children of one mark, none of which is the same on both sides? Such a
 * list has *ret_place; its values are what stands in it, numbers and random tokens aside. */
bool sharc__evidence_is_fresh(const struct sharc__comparison *c, const struct sharc__home *h, uint64_t *ret_place,
                              uint64_t *ret_before, uint64_t *ret_after);
/* The children of two nodes that have that mark: none is the same on both sides. */
bool sharc__evidence_none_stays(const struct sharc__comparison *c, uint32_t a, uint32_t b, uint64_t mark);
/* What stands in an item, numbers and random tokens aside. */
uint64_t sharc__evidence_norm(const struct sharc__item *it);
/* Fingerprint of what stands in a row of items. */
uint64_t sharc__evidence_value(const struct sharc__item *items, size_t n);
/* 2: a time, 1: may be a counter, 0: neither. */
unsigned sharc__evidence_slow(const struct sharc__document *d, uint32_t item);
static inline bool sharc__evidence_moves(unsigned look)
{
    return look == LOOK_NUMBER || look == LOOK_RANDOM || look == LOOK_TIME;
}

/* Does a control (its two sides) explain what differs in a region between two downloads? may_stay: rule (4) of
 * frame.c is left aside. */
bool sharc__evidence_explains(const struct sharc__region *control, const struct sharc__region *region, bool may_stay);

static inline uint64_t sharc__evidence_mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) + b + UINT64_C(0x632be59bd9b4e019);
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
