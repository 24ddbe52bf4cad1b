/* SPDX-License-Identifier: Apache-2.0
 *
 * What a living site (lab.h) is made to do: which kinds of edits its pages get, what
 * differs in them on every request although nobody edited anything (noise), and in which
 * ways its server misleads. All three are what real sites do; a judge of evidence that has
 * not met them has judged nothing.
 */
#ifndef SHARC_LAB_MIX_H
#define SHARC_LAB_MIX_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

/* --- edits ------------------------------------------------------------------ */

/* One edit changes one thing. Name, word, what it changes. */
#define SHARC_LAB_EDITS(X)                                                            \
    X(PARAGRAPH, "paragraph", "one of five paragraphs, and every third time links")   \
    X(PRICE, "price", "one digit of a price")                                         \
    X(WORD, "word", "one word of the text")                                           \
    X(NEGATION, "negation", "a \"not\" comes or goes")                                \
    X(LINK, "link", "the target of a link")                                           \
    X(TITLE, "title", "one word of the title")                                        \
    X(ALT, "alt", "the alternative text of an image")                                 \
    X(VALUE, "value", "the value of a form field")                                    \
    X(META, "meta", "the description in a meta tag")                                  \
    X(JSON, "json", "a number of the JSON in a script")                               \
    X(SCRIPT, "script", "a number in a script")                                       \
    X(HIDDEN, "hidden", "a word of hidden text")                                      \
    X(COMMENT, "comment", "a word of a comment")                                      \
    X(PLACE, "place", "what is noise on other pages and is fixed on this one")        \
    X(VOLATILE, "volatile", "something inside a place that differs on every request") \
    X(UNDONE, "undone", "one word of the text, and soon back again")                  \
    X(IMAGE, "image", "an image")                                                     \
    X(STYLE, "style", "the style sheet")

enum sharc_lab_edit {
#define X(name, word, text) SHARC_LAB_EDIT_##name,
    SHARC_LAB_EDITS(X)
#undef X
        SHARC_LAB_EDIT_COUNT,
};
const char *sharc_lab_edit_word(enum sharc_lab_edit e); /* never NULL */

/* Sets of edits, noises and faults: 1u << kind | … */
#define SHARC_LAB_BIT(kind) (1u << (kind))
#define SHARC_LAB_EDITS_USUAL (SHARC_LAB_BIT(SHARC_LAB_EDIT_PARAGRAPH) | SHARC_LAB_BIT(SHARC_LAB_EDIT_IMAGE))
/* "price,title", or "all". SHARC_ESYNTAX names a word that is no kind, and the kinds. */
int sharc_lab_edits_parse(struct sharc_span text, uint32_t *ret, struct sharc_err *reterr);

/* --- noise ------------------------------------------------------------------ */

/* What a page shows differently on every request, or as time passes. */
#define SHARC_LAB_NOISES(X)                                             \
    X(TOKEN, "token", "a token against forgery in a form")              \
    X(NONCE, "nonce", "an attribute of a script")                       \
    X(CLOCK, "clock", "when the page was made, to the second")          \
    X(STAMP, "stamp", "the same, in the sentence that tells the price") \
    X(MINUTE, "minute", "when the page was made, to the minute")        \
    X(AGO, "ago", "\"5 minutes ago\"")                                  \
    X(COUNTER, "counter", "how often the page was read")                \
    X(REQUEST, "request", "the number of the request, in a comment")    \
    X(SHUFFLE, "shuffle", "a list in random order")                     \
    X(TEASER, "teaser", "one of four teasers")                          \
    X(ADVERT, "advert", "one of forty adverts")                         \
    X(SESSION, "session", "the session in the address of a link")       \
    X(BUST, "bust", "a query behind addresses of script and images")    \
    X(STATE, "state", "a random id in the JSON of a script")

enum sharc_lab_noise {
#define X(name, word, text) SHARC_LAB_NOISE_##name,
    SHARC_LAB_NOISES(X)
#undef X
        SHARC_LAB_NOISE_COUNT,
};
const char *sharc_lab_noise_word(enum sharc_lab_noise n);

/* --- faults of the server ----------------------------------------------------- */

#define SHARC_LAB_FAULTS(X)                                                                     \
    X(WEAK, "weak", "ETags are weak")                                                           \
    X(FROZEN, "frozen", "the ETag of a page never changes, and a request that has it gets 304") \
    X(ALWAYS_304, "always-304", "304 to every request that has a validator")                    \
    X(FIXED, "fixed", "Last-Modified never changes, and there is no ETag")                      \
    X(COARSE, "coarse", "Last-Modified counts in steps of 10 s, and there is no ETag")          \
    X(STALE, "stale", "a cache answers with a page up to 3 s old, and says so in Age")          \
    X(GZIP, "gzip", "content is gzip, each time with another time in its head")                 \
    X(SLOW, "slow", "an answer takes up to 50 ms")                                              \
    X(CUT, "cut", "the connection breaks in the middle of a body; a share of the requests")

enum sharc_lab_fault {
#define X(name, word, text) SHARC_LAB_FAULT_##name,
    SHARC_LAB_FAULTS(X)
#undef X
        SHARC_LAB_FAULT_COUNT,
};

/* The share of the pages that has each kind, 0 … 1. */
#define SHARC_LAB_MIX_MOST 24
struct sharc_lab_mix {
    double share[SHARC_LAB_MIX_MOST];
};
/* "token:1,teaser:0.3"; without a share all pages; "all:0.1" for the kinds not named. SHARC_ESYNTAX. */
int sharc_lab_noise_parse(struct sharc_span text, struct sharc_lab_mix *ret, struct sharc_err *reterr);
int sharc_lab_faults_parse(struct sharc_span text, struct sharc_lab_mix *ret, struct sharc_err *reterr);
bool sharc_lab_mix_any(const struct sharc_lab_mix *m);

SHARC_PRIVATE_END
#endif
