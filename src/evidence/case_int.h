/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of a case share.
 */
#ifndef SHARC_EVIDENCE_CASE_INT_H
#define SHARC_EVIDENCE_CASE_INT_H

#include "evidence_int.h"
#include "sharc/base_order.h"
#include "sharc/evidence_case.h"

struct control {
    bool late;
    struct sharc_difference difference;
};

struct page {
    struct sharc_span url;
    uint64_t order;  /* fingerprint of the URL: a place in a sample that nobody chose */
    int status;      /* of the visit */
    uint8_t reason;  /* enum sharc_grade_reason: known without a comparison, or NOT_GRADED */
    bool unchanged;  /* same content */
    bool sampled;    /* its places are asked for */
    bool compared;   /* its difference was told */
    bool has_places; /* its places were told */
    uint8_t *explained;
    struct sharc_difference difference;
    struct sharc_places places;
    struct control *controls;
    size_t control_count, control_room;
};

/* What is known of a place over all pages. */
struct place {
    uint64_t place;
    uint32_t pages;  /* that differed there */
    uint32_t drawn;  /* of them, in the sample that by_chance counts */
    uint32_t pairs;  /* of them, with a pair of controls */
    uint32_t proved; /* of those, whose own pair explains all that differs there */
    uint32_t tried;  /* the most pairs of a page that show nothing of it there */
    uint32_t cached; /* of those that are explained, that came through a cache */
    uint32_t open;   /* pages that nothing explains */
    uint32_t looked; /* with a late control */
    uint32_t late;   /* of those, that moved there */
    uint32_t first;  /* page whose URL has the least fingerprint, and its hunk */
    uint32_t hunk;
    uint8_t kind;
    uint8_t slow;             /* the least of all hunks */
    bool moving;              /* all hunks are */
    bool whole;               /* all that stands in a leaf: see leaves.c */
    bool numbers;             /* then: single tokens differed in one of them */
    bool contradicted;        /* it stood still on a page that has it, at a value that nobody else shows */
    bool stubborn;            /* and that page's own pair stood still there, too, or cannot tell */
    uint32_t by_chance;       /* spots that stood still at a value that others show */
    uint32_t tested;          /* of them, on pages with a pair: does it differ by itself? */
    uint32_t pinned;          /* of those, that stood still in all pairs of their page */
    uint32_t pin_tries;       /* the least number of these pairs */
    double low, high;         /* of the numbers that controls showed */
    uint64_t values, squares; /* values told, and the sum of the squares of how often each was */
    double stays;             /* chance that a page shows the same twice, by how pages move from value to value */
};

/* A page of the sample showed one value at a place, and then another one. */
struct move {
    uint32_t place; /* index */
    uint64_t before, after;
};

/* A page that stood still at a place where others differ, and has no pair yet. */
struct doubt {
    uint32_t place, page;
};

struct sharc_case {
    struct sharc_case_options o;
    struct sharc_arena urls;
    struct page *pages;
    size_t count, room;
    bool sampled; /* the sample was drawn */
    struct sharc_map64 hints;
    uint32_t requests;
    size_t kept;               /* bytes of differences, about */
    struct sharc_heap largest; /* of them */

    /* learned; made anew when something was told */
    bool dirty;
    struct place *places;
    size_t place_count, place_room;
    struct sharc_map64 place_of; /* to index + 1 */
    struct sharc_map64 values;   /* place and value to how often it was told, and in which roles */
    struct doubt *doubts;
    size_t doubt_count, doubt_room;
    struct doubt
        *stayers; /* pages that stood still by chance, or so it seems, and have no pair; or only such as stood still */
    size_t stayer_count, stayer_room;
    struct move *moves;
    size_t move_count, move_room;
    uint32_t *shown; /* volatile places, by signature */
    size_t shown_count;

    /* controls to be made in this round */
    struct sharc_case_control *queue;
    size_t queue_count, queue_room, queue_at;
    unsigned round, stayer_rounds;
};

#define SHARC__CASE_SAMPLE 1000u

void sharc__case_learn(struct sharc_case *c);
/* Pages with a pair that a place needs before others may rest on it. */
unsigned sharc__case_least(const struct place *p);
unsigned sharc__case_least_late(const struct place *p);
/* Does a control say anything about its page? One that a cache may have repeated does only if it differs. */
bool sharc__case_speaks(const struct page *p, const struct control *c);
bool sharc__case_has_control(const struct page *p, bool late);
bool sharc__case_has_pair(const struct page *p);
unsigned sharc__case_pairs_that_speak(const struct page *p);
static inline bool sharc__case_is_different(const struct page *p)
{
    return p->reason == SHARC_GRADED_NOT_GRADED && p->compared && p->difference.relation == SHARC_RELATION_DIFFERENT;
}
/* Fill places and values, when own pairs were held against their pages. */
void sharc__case_note(struct sharc_case *c);
struct place *sharc__case_place_at(struct sharc_case *c, uint64_t place);
/* A value at a place, and where it stood. */
enum { ROLE_BEFORE = 1, ROLE_AFTER = 2, ROLE_CONTROL = 4 };
void sharc__case_remember(struct sharc_case *c, struct place *at, uint64_t value, unsigned role);
unsigned sharc__case_roles(const struct sharc_case *c, uint64_t place, uint64_t value);
/* Pages had it at the visit and pages had it at the revisit: it comes and goes. */
bool sharc__case_rotates(const struct sharc_case *c, uint64_t place, uint64_t value);
/* leaves.c: what differed as whole leaves; then what controls show of them, and which pairs differed there. */
void sharc__case_note_leaves(struct sharc_case *c, uint32_t id);
void sharc__case_note_leaf_values(struct sharc_case *c, const struct sharc_difference *control);
void sharc__case_note_leaf_pairs(struct sharc_case *c, const struct page *p);
/* stills.c: where a page of the sample stood still. */
void sharc__case_note_still(struct sharc_case *c, uint32_t id);
/* Was the value seen elsewhere at that place? */
bool sharc__case_is_in_pool(const struct sharc_case *c, uint64_t place, uint64_t value);
/* chance.c: how likely it is that a page shows the same twice. Moves are told first, then weighed. */
void sharc__case_note_move(struct sharc_case *c, const struct place *at, uint64_t before, uint64_t after);
void sharc__case_weigh_moves(struct sharc_case *c);
/* Of pages that stood still, did more do so in their own pairs than chance allows? */
bool sharc__case_is_pinned(const struct place *p);
/* How many of them are wanted in a test of a place, which has some already; 0: no test can help. */
unsigned sharc__case_tests(const struct place *p, unsigned spare);
/* Has a page that stood still in all its pairs to be looked at again? */
bool sharc__case_is_suspect(const struct place *p, unsigned tries);
/* Do no more spots stand still than chance allows? */
bool sharc__case_is_chance(const struct place *p);
/* Do no more pairs show nothing there than chance allows? */
bool sharc__case_are_misses_chance(const struct place *p);
/* The place of all that stands in a leaf: a second one beside those of its words and tokens. What has few values
 * shows the same ones whatever they are compared with. */
static inline uint64_t sharc__case_whole(uint64_t leaf_place)
{
    return sharc__evidence_mix(leaf_place, UINT64_C(0x77686f6c65));
}
static inline bool sharc__case_is_leaf(const struct sharc__region *r)
{
    return !r->large && r->kind != SHARC_HUNK_TAGS && r->kind != SHARC_HUNK_ORDER && r->kind != SHARC_HUNK_BYTES &&
           r->kind != SHARC_HUNK_HEADER;
}
const struct place *sharc__case_place(const struct sharc_case *c, uint64_t place);

#endif
