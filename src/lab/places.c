/* SPDX-License-Identifier: Apache-2.0
 *
 * The places of a page that differ on every request. A site that has a kind of noise has
 * its place on all pages: filled anew for every request on those that carry the noise, with
 * something fixed on the others. So a place cannot be told by where it stands.
 *
 * In the quiet body, which the log of the truth describes, places that carry noise are empty.
 */
#include "lab_int.h"

#include <stdio.h>

enum { POOL = 4, POPULAR = 6 };

static bool carries(const struct lab_page *p, enum sharc_lab_noise kind)
{
    return p->site->items[p->item].noise & SHARC_LAB_BIT(kind);
}

/* Is there anything to be put at this place? *r is what to draw it from. */
static bool filled(const struct lab_page *p, enum sharc_lab_noise kind, struct sharc_rng *r)
{
    if (carries(p, kind) && !p->served) return false;
    *r = carries(p, kind)
             ? sharc__lab_draw(p->served->number, p->item, 0, kind)
             : sharc__lab_draw(p->site->seed, p->item, p->wording.place[kind], 'N' + ((uint64_t)kind << 8));
    return true;
}

static bool has(const struct lab_page *p, enum sharc_lab_noise kind)
{
    return p->site->noises & SHARC_LAB_BIT(kind);
}

/* What belongs to the place and not to the request: an edit inside it changes this. */
static struct sharc_rng own(const struct lab_page *p, enum sharc_lab_noise kind, uint64_t k)
{
    return sharc__lab_draw(p->site->seed, p->item, p->wording.inside[kind], 'Q' + ((uint64_t)kind << 8) + (k << 16));
}

static void put_hex(const struct lab_page *p, struct sharc_rng *r)
{
    sharc_buf_printf(p->out, "%016llx", (unsigned long long)sharc_rng_u64(r));
}

void sharc__lab_put_random(const struct lab_page *p, enum sharc_lab_noise kind)
{
    struct sharc_rng r, mine = own(p, kind, 0);
    if (!has(p, kind) || !filled(p, kind, &r)) return;
    if (carries(p, kind)) sharc_buf_printf(p->out, "%s-", sharc__lab_word(&mine));
    put_hex(p, &r);
}

/* Behind the address of a file. */
void sharc__lab_put_bust(const struct lab_page *p)
{
    struct sharc_rng r;
    if (!has(p, SHARC_LAB_NOISE_BUST)) return;
    sharc_buf_put_str(p->out, "?v=");
    if (filled(p, SHARC_LAB_NOISE_BUST, &r)) put_hex(p, &r);
}

/* --- time ------------------------------------------------------------------------- */

/* When the page was made; of a fixed place some time long ago. */
static bool made_at(const struct lab_page *p, enum sharc_lab_noise kind, sharc_time *ret)
{
    struct sharc_rng r;
    if (!has(p, kind) || !filled(p, kind, &r)) return false;
    *ret = carries(p, kind) ? p->served->when
                            : 1700000000 * SHARC_SEC + (sharc_time)sharc_rng_below(&r, 10000000) * SHARC_SEC;
    return true;
}

static void put_time(const struct lab_page *p, enum sharc_lab_noise kind, size_t from, size_t n)
{
    sharc_time when;
    char text[SHARC_TIME_TEXT];
    if (made_at(p, kind, &when)) sharc_buf_put(p->out, sharc_span(sharc_time_iso(when, 0, text) + from, n));
}

void sharc__lab_put_stamp(const struct lab_page *p)
{
    if (!has(p, SHARC_LAB_NOISE_STAMP)) return;
    sharc_buf_put_str(p->out, " as of ");
    put_time(p, SHARC_LAB_NOISE_STAMP, 11, 8);
}

static void put_times(const struct lab_page *p)
{
    sharc_time when;
    if (has(p, SHARC_LAB_NOISE_CLOCK)) {
        sharc_buf_put_str(p->out, "<p class=\"clock\">Made on ");
        put_time(p, SHARC_LAB_NOISE_CLOCK, 0, 10);
        sharc_buf_put_str(p->out, " at ");
        put_time(p, SHARC_LAB_NOISE_CLOCK, 11, 8);
        sharc_buf_put_str(p->out, "</p>\n");
    }
    if (has(p, SHARC_LAB_NOISE_MINUTE)) {
        sharc_buf_put_str(p->out, "<p class=\"minute\">It is ");
        put_time(p, SHARC_LAB_NOISE_MINUTE, 11, 5);
        sharc_buf_put_str(p->out, " here</p>\n");
    }
    if (has(p, SHARC_LAB_NOISE_AGO)) {
        sharc_buf_put_str(p->out, "<p class=\"ago\">The tide turned ");
        if (made_at(p, SHARC_LAB_NOISE_AGO, &when))
            sharc_buf_printf(p->out, "%u minutes ago", (unsigned)(when / SHARC_MINUTE % 373 + 2));
        sharc_buf_put_str(p->out, "</p>\n");
    }
}

/* --- words ------------------------------------------------------------------------ */

static void put_teaser(const struct lab_page *p)
{
    struct sharc_rng r;
    if (!has(p, SHARC_LAB_NOISE_TEASER)) return;
    sharc_buf_put_str(p->out, "<aside class=\"teaser\">");
    if (filled(p, SHARC_LAB_NOISE_TEASER, &r)) {
        struct sharc_rng mine = own(p, SHARC_LAB_NOISE_TEASER, 1 + sharc_rng_below(&r, POOL));
        sharc__lab_paragraph(&mine, 7, p->out);
    }
    sharc_buf_put_str(p->out, "</aside>\n");
}

static void put_advert(const struct lab_page *p)
{
    struct sharc_rng r, mine = own(p, SHARC_LAB_NOISE_ADVERT, 0);
    if (!has(p, SHARC_LAB_NOISE_ADVERT)) return;
    sharc_buf_put_str(p->out, "<div class=\"advert\">");
    if (filled(p, SHARC_LAB_NOISE_ADVERT, &r)) {
        struct sharc_span to = lab_path(p->site, (uint32_t)sharc_rng_below(&r, p->site->pages));
        sharc_buf_put_str(p->out, "<a href=\"");
        sharc_buf_put_markup(p->out, to);
        sharc_buf_printf(p->out, "\">%s ", sharc__lab_word(&mine));
        sharc__lab_paragraph(&r, 8, p->out);
        sharc_buf_put_str(p->out, "</a>");
    }
    sharc_buf_put_str(p->out, "</div>\n");
}

static void put_popular(const struct lab_page *p)
{
    struct sharc_rng r;
    if (!has(p, SHARC_LAB_NOISE_SHUFFLE)) return;
    sharc_buf_put_str(p->out, "<ul class=\"popular\">\n");
    if (filled(p, SHARC_LAB_NOISE_SHUFFLE, &r)) {
        uint32_t order[POPULAR];
        for (uint32_t i = 0; i < POPULAR; i++) order[i] = i;
        sharc_rng_shuffle_u32(&r, order, POPULAR);
        for (uint32_t i = 0; i < POPULAR; i++) {
            struct sharc_rng mine = own(p, SHARC_LAB_NOISE_SHUFFLE, 1 + order[i]);
            const char *first = sharc__lab_word(&mine);
            sharc_buf_printf(p->out, "<li>%s %s</li>\n", first, sharc__lab_word(&mine));
        }
    }
    sharc_buf_put_str(p->out, "</ul>\n");
}

static void put_readers(const struct lab_page *p)
{
    struct sharc_rng r, mine = own(p, SHARC_LAB_NOISE_COUNTER, 0);
    if (!has(p, SHARC_LAB_NOISE_COUNTER)) return;
    sharc_buf_put_str(p->out, "<p class=\"readers\">Read ");
    if (filled(p, SHARC_LAB_NOISE_COUNTER, &r))
        sharc_buf_printf(p->out, "%u",
                         (unsigned)(1000 + sharc_rng_below(carries(p, SHARC_LAB_NOISE_COUNTER) ? &mine : &r, 90000) +
                                    (carries(p, SHARC_LAB_NOISE_COUNTER) ? p->served->count : 0)));
    sharc_buf_put_str(p->out, " times</p>\n");
}

void sharc__lab_put_places(const struct lab_page *p)
{
    if (has(p, SHARC_LAB_NOISE_SESSION)) {
        sharc_buf_put_str(p->out, "<p class=\"account\"><a href=\"/private/account?sid=");
        sharc__lab_put_random(p, SHARC_LAB_NOISE_SESSION);
        sharc_buf_put_str(p->out, "\">Your account</a></p>\n");
    }
    put_teaser(p);
    put_advert(p);
    put_popular(p);
    put_readers(p);
    put_times(p);
    if (has(p, SHARC_LAB_NOISE_REQUEST)) {
        sharc_buf_put_str(p->out, "<!-- request ");
        sharc__lab_put_random(p, SHARC_LAB_NOISE_REQUEST);
        sharc_buf_put_str(p->out, " -->\n");
    }
}
