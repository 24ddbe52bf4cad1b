/* SPDX-License-Identifier: Apache-2.0
 *
 * The weight of a part of a page.
 */
#include "sharc/quality_weight.h"

/* A style sheet of so many bytes is one that makes the page. */
#define STYLE_BYTES 2048.0
/* Pixels that a byte of an image stands for. */
#define PIXELS_PER_BYTE 4.0

static const struct {
    const char *word;
    double usual;
} kinds[] = {
#define X(name, word, weight) {word, weight},
    SHARC_PART_KINDS(X)
#undef X
};

const char *sharc_part_kind_word(enum sharc_part_kind k)
{
    return k < SHARC_LENGTH(kinds) ? kinds[k].word : "";
}

/* --- kinds ------------------------------------------------------------------------------- */

struct known {
    const char *text;
    enum sharc_part_kind kind;
};

enum sharc_part_kind sharc_quality_kind_of_type(struct sharc_span type)
{
    static const struct known begins[] = {
        {"image/x-icon", SHARC_KIND_ASIDE},
        {"image/vnd.microsoft.icon", SHARC_KIND_ASIDE},
        {"image/", SHARC_KIND_IMAGE},
        {"text/css", SHARC_KIND_STYLE},
        {"text/html", SHARC_KIND_FRAME},
        {"application/xhtml+xml", SHARC_KIND_FRAME},
        {"text/javascript", SHARC_KIND_SCRIPT},
        {"application/javascript", SHARC_KIND_SCRIPT},
        {"application/x-javascript", SHARC_KIND_SCRIPT},
        {"application/ecmascript", SHARC_KIND_SCRIPT},
        {"video/", SHARC_KIND_VIDEO},
        {"audio/", SHARC_KIND_AUDIO},
        {"font/", SHARC_KIND_FONT},
        {"application/font", SHARC_KIND_FONT},
        {"application/x-font", SHARC_KIND_FONT},
        {"application/vnd.ms-fontobject", SHARC_KIND_FONT},
        {"application/manifest+json", SHARC_KIND_ASIDE},
        {"text/vtt", SHARC_KIND_ASIDE},
    };
    for (size_t i = 0; i < SHARC_LENGTH(begins); i++)
        if (sharc_span_istarts(type, sharc_span_of(begins[i].text))) return begins[i].kind;
    return SHARC_KIND_OTHER;
}

enum sharc_part_kind sharc_quality_kind_of_url(struct sharc_span url)
{
    static const struct known ends[] = {
        {"css", SHARC_KIND_STYLE},  {"js", SHARC_KIND_SCRIPT},  {"mjs", SHARC_KIND_SCRIPT},
        {"png", SHARC_KIND_IMAGE},  {"jpg", SHARC_KIND_IMAGE},  {"jpeg", SHARC_KIND_IMAGE},
        {"gif", SHARC_KIND_IMAGE},  {"webp", SHARC_KIND_IMAGE}, {"avif", SHARC_KIND_IMAGE},
        {"svg", SHARC_KIND_IMAGE},  {"bmp", SHARC_KIND_IMAGE},  {"ico", SHARC_KIND_ASIDE},
        {"htm", SHARC_KIND_FRAME},  {"html", SHARC_KIND_FRAME}, {"mp4", SHARC_KIND_VIDEO},
        {"webm", SHARC_KIND_VIDEO}, {"ogv", SHARC_KIND_VIDEO},  {"mov", SHARC_KIND_VIDEO},
        {"mp3", SHARC_KIND_AUDIO},  {"ogg", SHARC_KIND_AUDIO},  {"oga", SHARC_KIND_AUDIO},
        {"wav", SHARC_KIND_AUDIO},  {"m4a", SHARC_KIND_AUDIO},  {"woff", SHARC_KIND_FONT},
        {"woff2", SHARC_KIND_FONT}, {"ttf", SHARC_KIND_FONT},   {"otf", SHARC_KIND_FONT},
        {"eot", SHARC_KIND_FONT},   {"vtt", SHARC_KIND_ASIDE},  {"webmanifest", SHARC_KIND_ASIDE},
    };
    size_t end = 0;
    while (end < url.n && url.p[end] != '?' && url.p[end] != '#') end++;
    struct sharc_span path = sharc_span_sub(url, 0, end);
    size_t dot = path.n;
    while (dot > 0 && path.p[dot - 1] != '.' && path.p[dot - 1] != '/') dot--;
    if (dot == 0 || path.p[dot - 1] != '.') return SHARC_KIND_OTHER;
    struct sharc_span name = sharc_span_from(path, dot);
    for (size_t i = 0; i < SHARC_LENGTH(ends); i++)
        if (sharc_span_ieq(name, sharc_span_of(ends[i].text))) return ends[i].kind;
    return SHARC_KIND_OTHER;
}

/* --- weights --------------------------------------------------------------------------------- */

static double within(double weight)
{
    return weight < SHARC_WEIGHT_LEAST ? SHARC_WEIGHT_LEAST : weight > 1 ? 1 : weight;
}

static bool has_area(const struct sharc_part_look *l)
{
    bool visible = l->kind == SHARC_KIND_IMAGE || l->kind == SHARC_KIND_FRAME || l->kind == SHARC_KIND_VIDEO;
    return visible && (l->width >= 0 || l->height >= 0);
}

double sharc_quality_part_weight(const struct sharc_part_look *l)
{
    double weight = l->kind < SHARC_LENGTH(kinds) ? kinds[l->kind].usual : kinds[SHARC_KIND_OTHER].usual;
    if (has_area(l)) {
        double w = (double)(l->width < 0 ? l->height : l->width), h = (double)(l->height < 0 ? l->width : l->height);
        weight = w * h / SHARC_WEIGHT_WINDOW;
    } else if (l->kind == SHARC_KIND_IMAGE && l->bytes >= 0) {
        weight = (double)l->bytes * PIXELS_PER_BYTE / SHARC_WEIGHT_WINDOW;
    } else if (l->kind == SHARC_KIND_STYLE && l->bytes >= 0 && (double)l->bytes < STYLE_BYTES) {
        weight *= (double)l->bytes / STYLE_BYTES;
    }
    return within(within(weight) * (l->decorates ? 0.5 : 1));
}
