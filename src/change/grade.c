/* SPDX-License-Identifier: Apache-2.0
 *
 * Grades and their reasons, as tables.
 */
#include "sharc/change_grade.h"

static const struct {
    const char *word, *text;
} grades[] = {
#define X(number, name, word, text) [number] = {word, text},
    SHARC_GRADES(X)
#undef X
};

static const struct {
    enum sharc_grade grade;
    const char *word, *text;
} reasons[] = {
#define X(number, name, grade, word, text) [number] = {SHARC_GRADE_##grade, word, text},
    SHARC_GRADE_REASONS(X)
#undef X
};

enum sharc_grade sharc_grade_of(enum sharc_grade_reason r)
{
    return r < SHARC_LENGTH(reasons) ? reasons[r].grade : SHARC_GRADE_UNPROVED;
}

const char *sharc_grade_word(enum sharc_grade g)
{
    return g < SHARC_LENGTH(grades) ? grades[g].word : "";
}

const char *sharc_grade_text(enum sharc_grade g)
{
    return g < SHARC_LENGTH(grades) ? grades[g].text : "";
}

const char *sharc_grade_reason_word(enum sharc_grade_reason r)
{
    return r < SHARC_LENGTH(reasons) ? reasons[r].word : "";
}

const char *sharc_grade_reason_text(enum sharc_grade_reason r)
{
    return r < SHARC_LENGTH(reasons) ? reasons[r].text : "";
}

int sharc_grade_reason_find(struct sharc_span word, enum sharc_grade_reason *ret)
{
    for (size_t i = 0; i < SHARC_LENGTH(reasons); i++) {
        if (!sharc_span_is(word, reasons[i].word)) continue;
        *ret = (enum sharc_grade_reason)i;
        return 0;
    }
    return SHARC_ENOENT;
}
