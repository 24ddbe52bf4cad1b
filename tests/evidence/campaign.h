/* SPDX-License-Identifier: Apache-2.0
 *
 * A campaign against the judge: sites whose pages differ on every request in the ways that real ones do, edits
 * of every kind between visit and revisit, and the truth about each page. One seed, one history.
 */
#ifndef SHARC_EVIDENCE_CAMPAIGN_H
#define SHARC_EVIDENCE_CAMPAIGN_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_rng.h"
#include "sharc/evidence_case.h"

#define CAMPAIGN_NOISE(X)                                       \
    X(CSRF, "token in a form")                                  \
    X(PACKED, "token in base64")                                \
    X(NONCE, "nonce of scripts and policy")                     \
    X(MADE, "time of generation")                               \
    X(COUNTER, "counter of views")                              \
    X(REQUEST, "request id in a comment")                       \
    X(TEASER, "rotating teaser")                                \
    X(RICH_TEASER, "rotating teaser with markup")               \
    X(SHUFFLE, "shuffled list")                                 \
    X(ADVERT, "advert that comes and goes")                     \
    X(CLOCK, "clock to the minute")                             \
    X(AGO, "minutes ago")                                       \
    X(BUST, "number behind script addresses")                   \
    X(STATE, "token and time in JSON of a script")              \
    X(SESSION, "session in links")                              \
    X(IDS, "random ids of elements")                            \
    X(ONLINE, "few visitors online")                            \
    X(WRITING, "order and white space of attributes")           \
    X(TWINS, "price on some pages where others have a counter") \
    X(PREFIX, "teaser inside a sentence")                       \
    X(SHORT, "short shuffled list")                             \
    X(LINKED, "rotating link with its address")                 \
    X(RANKS, "short list, a ranking on some pages")             \
    X(FIXED_LINK, "rotating link, another one on some pages")   \
    X(FIXED_TIME, "clock to the minute, a time on some pages")  \
    X(FIXED_TEASER, "teaser, one that stays on some pages")

enum campaign_noise {
#define X(name, text) NOISE_##name,
    CAMPAIGN_NOISE(X)
#undef X
        NOISE_COUNT,
};

#define CAMPAIGN_EDITS(X)                                \
    X(NONE, "none")                                      \
    X(PRICE, "price")                                    \
    X(DIGIT, "one digit of a price")                     \
    X(NEGATION, "not taken out")                         \
    X(NEGATION_IN, "not put in")                         \
    X(IBAN, "IBAN")                                      \
    X(TITLE, "title")                                    \
    X(JSON, "JSON in a script")                          \
    X(JSON_BESIDE, "JSON beside a token")                \
    X(SCRIPT_ADDRESS, "script address")                  \
    X(LINK, "target of a link")                          \
    X(DATA, "data attribute")                            \
    X(ALT, "alt")                                        \
    X(META, "meta description")                          \
    X(HIDDEN, "hidden text")                             \
    X(FORM, "value of a form")                           \
    X(STYLE, "style attribute")                          \
    X(SHEET, "style element")                            \
    X(SRCSET, "srcset")                                  \
    X(MAILTO, "mailto")                                  \
    X(BASE, "base")                                      \
    X(JSON_LD, "JSON-LD")                                \
    X(CHARSET, "charset")                                \
    X(STATUS, "status")                                  \
    X(LOCATION, "Location")                              \
    X(TYPE, "media type")                                \
    X(PARAGRAPH_OUT, "paragraph taken out")              \
    X(PARAGRAPH_IN, "paragraph put in")                  \
    X(SWAP, "paragraphs swapped")                        \
    X(LIST, "entry of the list")                         \
    X(BESIDE_TIME, "word beside the time of generation") \
    X(BESIDE_TEASER, "sentence beside the teaser")       \
    X(BESIDE_VIEWS, "word beside the counter")           \
    X(COMMENT, "comment")                                \
    X(DATE, "stated date")                               \
    X(STOCK, "amount in stock")                          \
    X(ANYWHERE, "one letter of a long text")             \
    X(TWIN, "price where other pages have a counter")    \
    X(RANK, "ranking where other pages shuffle a list")  \
    X(OWN_LINK, "link where other pages rotate theirs")  \
    X(OWN_TIME, "time where other pages have a clock")   \
    X(OWN_TEASER, "teaser where other pages rotate it")

enum campaign_edit {
#define X(name, text) EDIT_##name,
    CAMPAIGN_EDITS(X)
#undef X
        EDIT_COUNT,
};

const char *campaign_noise_text(enum campaign_noise n);
const char *campaign_edit_text(enum campaign_edit e);

/* Mixes of noise: bits of enum campaign_noise. */
size_t campaign_mix_count(void);
unsigned campaign_mix(size_t i);
/* Made so that pages with something fixed look like those with noise: next to nothing can be proved there, and that is
 * right. They count for false proofs only. */
bool campaign_mix_is_trap(size_t i);
/* A trap that no judge of two downloads and some pairs of other pages escapes altogether: a few pages show one teaser
 * of those that all others rotate, and are edited to show another one of them. Counted apart. */
bool campaign_mix_may_hide(size_t i);

struct campaign_score {
    uint64_t edited, false_proofs; /* pages with an edit, of those called proved */
    uint64_t plain, proved;        /* pages without one, of those in grade 1 or 2 */
    uint64_t requests, pages;
    uint64_t reasons[SHARC_GRADE_REASON_COUNT]; /* of pages without an edit */
};
void campaign_score_add(struct campaign_score *sum, const struct campaign_score *s);

struct campaign_site {
    uint64_t seed;
    unsigned noise;          /* bits */
    enum campaign_edit edit; /* EDIT_COUNT: each page another one */
    unsigned pages;
    double edited; /* share of the pages */
    enum sharc_controls controls;
    bool tell;                      /* print every mistake */
    struct campaign_score *by_edit; /* EDIT_COUNT of them, added to; may be NULL */
};
/* Build a site, visit and revisit it, make the controls that the case asks for, and hold its grades against the truth.
 * The case is told of everything a second time in another order, and must come to the same grades. */
void campaign_run(const struct campaign_site *s, struct campaign_score *ret);

#endif
