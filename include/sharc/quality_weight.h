/* SPDX-License-Identifier: Apache-2.0
 *
 * How much of a page a part of it is. Counting files makes a tracking pixel as important as the style sheet; readers
 * judge otherwise (Brunelle and others, "Not all mementos are created equal", 2015). So a part weighs by what it is
 * there for and by the area that it takes, as far as that is known without showing the page:
 *
 *   1 is a window full, SHARC_WEIGHT_WINDOW pixels
 *   image, frame, video   its area by width and height, at most 1; without them an image by its bytes, at two bits a
 *                         pixel, and everything else the usual weight of its kind
 *   style sheet           0.5, of less than 2 KiB in proportion
 *   what decorates        half: backgrounds, and what stands at the side or at the foot
 *   nothing               weighs less than SHARC_WEIGHT_LEAST
 *
 * Weights rank what is amiss. They decide no verdict: a part that cannot be weighed well may be the one that matters.
 *
 * Pure functions.
 */
#ifndef SHARC_QUALITY_WEIGHT_H
#define SHARC_QUALITY_WEIGHT_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

#define SHARC_WEIGHT_WINDOW (1024.0 * 768.0)
#define SHARC_WEIGHT_LEAST 0.001

/* name, word, usual weight */
#define SHARC_PART_KINDS(X)   \
    X(OTHER, "other", 0.05)   \
    X(STYLE, "style", 0.5)    \
    X(SCRIPT, "script", 0.25) \
    X(IMAGE, "image", 0.05)   \
    X(FRAME, "frame", 0.25)   \
    X(VIDEO, "video", 0.25)   \
    X(AUDIO, "audio", 0.05)   \
    X(FONT, "font", 0.05)     \
    X(ASIDE, "aside", 0.001) /* not on the page itself: icons, manifests, subtitles, styles for print */
enum sharc_part_kind {
#define X(name, word, weight) SHARC_KIND_##name,
    SHARC_PART_KINDS(X)
#undef X
        SHARC_PART_KIND_COUNT,
};
const char *sharc_part_kind_word(enum sharc_part_kind k);
/* By a media type ("image/png", any case), or by how a URL ends; OTHER: it does not tell. */
enum sharc_part_kind sharc_quality_kind_of_type(struct sharc_span type);
enum sharc_part_kind sharc_quality_kind_of_url(struct sharc_span url);

struct sharc_part_look {
    enum sharc_part_kind kind;
    int64_t width, height; /* in pixels; negative: unknown. Of one alone the other counts as equal */
    int64_t bytes;         /* of the body; negative: unknown */
    bool decorates;
};
#define SHARC_PART_LOOK_INIT                   \
    {                                          \
        .width = -1, .height = -1, .bytes = -1 \
    }
/* SHARC_WEIGHT_LEAST to 1. */
double sharc_quality_part_weight(const struct sharc_part_look *l);

SHARC_PRIVATE_END
#endif
