/* SPDX-License-Identifier: Apache-2.0
 *
 * Classes and kinds: words, letters, colours, shapes.
 */
#include "figure_int.h"

static const struct {
    const char *word, *text;
    uint32_t light, dark;
    char letter;
} classes[] = {
#define X(name, word, letter, text, light, dark) {word, text, light, dark, letter},
    SHARC_FIGURE_CLASSES(X)
#undef X
};

static const struct {
    const char *word, *text, *shape;
} kinds[] = {
#define X(name, word, text, shape) {word, text, shape},
    SHARC_FIGURE_KINDS(X)
#undef X
};

const char *sharc_figure_class_word(enum sharc_figure_class c)
{
    return c < SHARC_LENGTH(classes) ? classes[c].word : "";
}

const char *sharc_figure_class_text(enum sharc_figure_class c)
{
    return c < SHARC_LENGTH(classes) ? classes[c].text : "";
}

char sharc_figure_class_letter(enum sharc_figure_class c)
{
    return c < SHARC_LENGTH(classes) ? classes[c].letter : ' ';
}

uint32_t sharc_figure_class_colour(enum sharc_figure_class c, bool dark)
{
    if (c >= SHARC_LENGTH(classes)) return dark ? 0x14171a : 0xffffff;
    return dark ? classes[c].dark : classes[c].light;
}

enum sharc_figure_class sharc_figure_class_of_pair(const struct sharc_store_pair *p)
{
    switch (p->difference) {
    case SHARC_DIFF_UNCHANGED: return SHARC_FIGURE_UNCHANGED;
    case SHARC_DIFF_INSIGNIFICANT: return SHARC_FIGURE_INSIGNIFICANT;
    case SHARC_DIFF_CHANGED: return p->links_changed ? SHARC_FIGURE_LINKS : SHARC_FIGURE_TEXT;
    case SHARC_DIFF_NEW: return SHARC_FIGURE_NEW;
    case SHARC_DIFF_DELETED: return SHARC_FIGURE_MISSING;
    case SHARC_DIFF_FAILED:
    case SHARC_DIFF_COUNT: break;
    }
    return SHARC_FIGURE_FAILED;
}

enum sharc_figure_class sharc_figure_class_of_grade(enum sharc_grade_reason r)
{
    switch (sharc_grade_of(r)) {
    case SHARC_GRADE_IDENTICAL:
    case SHARC_GRADE_ATTESTED: return SHARC_FIGURE_UNCHANGED;
    case SHARC_GRADE_VOLATILE: return SHARC_FIGURE_INSIGNIFICANT;
    case SHARC_GRADE_NONE:
    case SHARC_GRADE_ALIKE:
    case SHARC_GRADE_UNPROVED:
    case SHARC_GRADE_COUNT: break;
    }
    if (r == SHARC_GRADED_CHANGED || r == SHARC_GRADED_REDIRECTED || r == SHARC_GRADED_SECOND_LOOK)
        return SHARC_FIGURE_TEXT;
    return r == SHARC_GRADED_GONE ? SHARC_FIGURE_MISSING : SHARC_FIGURE_FAILED;
}

const char *sharc_figure_kind_word(enum sharc_figure_kind k)
{
    return k < SHARC_LENGTH(kinds) ? kinds[k].word : "";
}

const char *sharc_figure_kind_text(enum sharc_figure_kind k)
{
    return k < SHARC_LENGTH(kinds) ? kinds[k].text : "";
}

const char *sharc_figure_kind_shape(enum sharc_figure_kind k)
{
    return k < SHARC_LENGTH(kinds) ? kinds[k].shape : "";
}

enum sharc_figure_kind sharc_figure_kind_of(struct sharc_span mime)
{
    static const struct {
        const char *prefix;
        enum sharc_figure_kind kind;
    } rows[] = {
        {"text/html", SHARC_FIGURE_HTML},
        {"application/xhtml+xml", SHARC_FIGURE_HTML},
        {"image/", SHARC_FIGURE_IMAGE},
        {"audio/", SHARC_FIGURE_MEDIA},
        {"video/", SHARC_FIGURE_MEDIA},
        {"text/css", SHARC_FIGURE_SCRIPT},
        {"text/javascript", SHARC_FIGURE_SCRIPT},
        {"text/ecmascript", SHARC_FIGURE_SCRIPT},
        {"application/javascript", SHARC_FIGURE_SCRIPT},
        {"application/x-javascript", SHARC_FIGURE_SCRIPT},
        {"application/ecmascript", SHARC_FIGURE_SCRIPT},
        {"application/json", SHARC_FIGURE_SCRIPT},
        {"application/ld+json", SHARC_FIGURE_SCRIPT},
        {"application/wasm", SHARC_FIGURE_SCRIPT},
        {"text/xml", SHARC_FIGURE_SCRIPT},
        {"application/xml", SHARC_FIGURE_SCRIPT},
        {"application/rss+xml", SHARC_FIGURE_SCRIPT},
        {"application/atom+xml", SHARC_FIGURE_SCRIPT},
        {"text/dns", SHARC_FIGURE_DNS},
    };
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++)
        if (sharc_span_starts(mime, sharc_span_of(rows[i].prefix))) return rows[i].kind;
    return SHARC_FIGURE_OTHER;
}
