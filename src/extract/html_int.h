/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the tokenizer: generated tables and the parts of its machine.
 */
#ifndef SHARC_HTML_INT_H
#define SHARC_HTML_INT_H

#include "sharc/base_eight.h"
#include "sharc/extract_html.h"

/* Names to numbers without a collision: slot = top `bits` of
 * (first eight bytes ^ length) * factor. */
struct sharc__extract_names {
    const char *const *texts;
    const uint64_t *firsts; /* first eight bytes, little endian */
    const uint8_t *lengths, *slots;
    uint64_t factor;
    unsigned bits, count;
};
extern const struct sharc__extract_names sharc__extract_tag_names, sharc__extract_attr_names;

extern const unsigned sharc__extract_entity_count, sharc__extract_entity_longest, sharc__extract_entity_longest_legacy;
extern const char sharc__extract_entity_names[], sharc__extract_entity_values[];
extern const uint16_t sharc__extract_entity_name_at[], sharc__extract_entity_value_at[];
extern const uint8_t sharc__extract_entity_legacy[];

/* What a byte means in markup. */
enum {
    HTML_SPACE = 1,      /* tab, LF, FF, CR, space */
    HTML_NAME_END = 2,   /* ends a tag name: space / > */
    HTML_ATTR_END = 4,   /* ends an attribute name: space / > = */
    HTML_BARE_END = 8,   /* ends an unquoted value: space > */
    HTML_LETTER = 16,    /* begins a tag name */
    HTML_TEXT_STOP = 32, /* white space, '&', NUL and what else text cannot copy as it is */
};
extern const uint8_t sharc__extract_html_class[256];

static inline bool html_is(char c, unsigned classes)
{
    return sharc__extract_html_class[(uint8_t)c] & classes;
}
/* Position of the first c at or after `at`, or SHARC_NPOS: most values and texts are
 * short. */
static inline size_t html_find(struct sharc_span page, char c, size_t at)
{
    if (page.n >= 16 && at <= page.n - 16) {
        uint64_t marks = sharc_eight_equal(sharc_eight(page.p + at), c);
        if (marks) return at + sharc_eight_first(marks);
        marks = sharc_eight_equal(sharc_eight(page.p + at + 8), c);
        if (marks) return at + 8 + sharc_eight_first(marks);
        at += 16;
    }
    return sharc_span_find(page, c, at);
}

static inline size_t html_skip_space(struct sharc_span page, size_t at)
{
    while (at < page.n && html_is(page.p[at], HTML_SPACE)) at++;
    return at;
}

/* One tag at '<' (or '</'), name and attributes; the offset behind '>', or
 * SHARC_NPOS when the page ends before. */
size_t sharc__extract_html_scan_tag(struct sharc_html *h, size_t at, struct sharc_html_token *ret);

/* html_foreign.c: what a start or end tag means for SVG and MathML islands. */
bool sharc__extract_html_in_foreign(const struct sharc_html *h);
void sharc__extract_html_foreign_start(struct sharc_html *h, struct sharc_html_token *t);
void sharc__extract_html_foreign_end(struct sharc_html *h, struct sharc_html_token *t);

#endif
