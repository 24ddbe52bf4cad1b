/* SPDX-License-Identifier: Apache-2.0
 *
 * The places of a page that differ on every request. Pages that do not carry a kind of noise have
 * no such place; unless edits of kind "place" are made: then it is there on all pages, filled
 * anew for every request on those that carry the noise, with something fixed on the others. So it
 * cannot be told by where it stands.
 *
 * In the quiet body, which the log of the truth describes, places that carry noise are empty.
 */
#include "lab_int.h"

#include <stdio.h>

enum { TEASERS = 4, ADVERTS = 40, POPULAR = 6 };

static bool carries(const struct lab_page *p, enum sharc_lab_noise kind)
{
    return p->site->items[p->item].noise & SHARC_LAB_BIT(kind);
}

bool sharc__lab_has_place(const struct lab_page *p, enum sharc_lab_noise kind)
{
    if (carries(p, kind)) return true;
    return p->site->noises & SHARC_LAB_BIT(kind) && p->site->edits & SHARC_LAB_BIT(SHARC_LAB_EDIT_PLACE);
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

/* What belongs to the place and not to the request: an edit inside it changes this. Pools are of the site. */
static struct sharc_rng own(const struct lab_page *p, enum sharc_lab_noise kind, uint64_t k)
{
    return sharc__lab_draw(p->site->seed, 0, p->wording.inside[kind], 'Q' + ((uint64_t)kind << 8) + (k << 16));
}

static void put_letters(const struct lab_page *p, struct sharc_rng *r, const char *letters, unsigned n)
{
    size_t count = strlen(letters);
    for (unsigned i = 0; i < n; i++) sharc_buf_put_char(p->out, letters[sharc_rng_below(r, count)]);
}

static const char hex[] = "0123456789abcdef";

static void put_uuid(const struct lab_page *p, struct sharc_rng *r)
{
    put_letters(p, r, hex, 8);
    for (int i = 0; i < 3; i++) {
        sharc_buf_put_char(p->out, '-');
        put_letters(p, r, hex, 4);
    }
    sharc_buf_put_char(p->out, '-');
    put_letters(p, r, hex, 12);
}

/* As programs write what is random; a site has one form for each kind. */
static void put_token(const struct lab_page *p, enum sharc_lab_noise kind, struct sharc_rng *r)
{
    static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    struct sharc_rng form = sharc__lab_draw(p->site->seed, kind, 0, 'G');
    unsigned n;
    switch (sharc_rng_below(&form, 5)) {
    case 0: put_letters(p, r, hex, 32); return;
    case 1: put_uuid(p, r); return;
    case 2:
        n = (unsigned)sharc_rng_below(r, 100000000);
        sharc_buf_printf(p->out, "17%08u.%04u", n, (unsigned)sharc_rng_below(r, 10000));
        return;
    case 3: put_letters(p, r, base64, 22); return;
    default: put_letters(p, r, hex, 16); return;
    }
}

void sharc__lab_put_random(const struct lab_page *p, enum sharc_lab_noise kind)
{
    struct sharc_rng r;
    if (sharc__lab_has_place(p, kind) && filled(p, kind, &r)) put_token(p, kind, &r);
}

/* Behind the address of a file. */
void sharc__lab_put_bust(const struct lab_page *p)
{
    struct sharc_rng r;
    if (!sharc__lab_has_place(p, SHARC_LAB_NOISE_BUST)) return;
    sharc_buf_put_str(p->out, "?v=");
    if (filled(p, SHARC_LAB_NOISE_BUST, &r)) put_token(p, SHARC_LAB_NOISE_BUST, &r);
}

/* --- time ------------------------------------------------------------------------- */

/* When the page was made; of a fixed place some time long ago. */
static bool made_at(const struct lab_page *p, enum sharc_lab_noise kind, sharc_time *ret)
{
    struct sharc_rng r;
    if (!sharc__lab_has_place(p, kind) || !filled(p, kind, &r)) return false;
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
    if (!sharc__lab_has_place(p, SHARC_LAB_NOISE_STAMP)) return;
    sharc_buf_put_str(p->out, " as of ");
    put_time(p, SHARC_LAB_NOISE_STAMP, 11, 8);
}

static void put_times(const struct lab_page *p)
{
    sharc_time when;
    if (sharc__lab_has_place(p, SHARC_LAB_NOISE_CLOCK)) {
        sharc_buf_put_str(p->out, "<p class=\"clock\">Made on ");
        put_time(p, SHARC_LAB_NOISE_CLOCK, 0, 10);
        sharc_buf_put_str(p->out, " at ");
        put_time(p, SHARC_LAB_NOISE_CLOCK, 11, 8);
        sharc_buf_put_str(p->out, "</p>\n");
    }
    if (sharc__lab_has_place(p, SHARC_LAB_NOISE_MINUTE)) {
        sharc_buf_put_str(p->out, "<p class=\"minute\">It is ");
        put_time(p, SHARC_LAB_NOISE_MINUTE, 11, 5);
        sharc_buf_put_str(p->out, " here</p>\n");
    }
    if (sharc__lab_has_place(p, SHARC_LAB_NOISE_AGO)) {
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
    if (!sharc__lab_has_place(p, SHARC_LAB_NOISE_TEASER)) return;
    sharc_buf_put_str(p->out, "<aside class=\"teaser\">");
    if (filled(p, SHARC_LAB_NOISE_TEASER, &r)) {
        struct sharc_rng mine = own(p, SHARC_LAB_NOISE_TEASER, 1 + sharc_rng_below(&r, TEASERS));
        sharc__lab_paragraph(&mine, 7, p->out);
    }
    sharc_buf_put_str(p->out, "</aside>\n");
}

static void put_advert(const struct lab_page *p)
{
    struct sharc_rng r;
    if (!sharc__lab_has_place(p, SHARC_LAB_NOISE_ADVERT)) return;
    sharc_buf_put_str(p->out, "<div class=\"advert\">");
    if (filled(p, SHARC_LAB_NOISE_ADVERT, &r)) {
        struct sharc_rng mine = own(p, SHARC_LAB_NOISE_ADVERT, 1 + sharc_rng_below(&r, ADVERTS));
        struct sharc_span to = lab_path(p->site, (uint32_t)sharc_rng_below(&mine, p->site->pages));
        sharc_buf_put_str(p->out, "<a href=\"");
        sharc_buf_put_markup(p->out, to);
        sharc_buf_put_str(p->out, "\">");
        sharc__lab_paragraph(&mine, 8, p->out);
        sharc_buf_put_str(p->out, "</a>");
    }
    sharc_buf_put_str(p->out, "</div>\n");
}

static void put_popular(const struct lab_page *p)
{
    struct sharc_rng r;
    if (!sharc__lab_has_place(p, SHARC_LAB_NOISE_SHUFFLE)) return;
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
    struct sharc_rng r, mine = sharc__lab_draw(p->site->seed, p->item, 0, 'V');
    if (!sharc__lab_has_place(p, SHARC_LAB_NOISE_COUNTER)) return;
    sharc_buf_put_str(p->out, "<p class=\"readers\">Read ");
    if (filled(p, SHARC_LAB_NOISE_COUNTER, &r))
        sharc_buf_printf(p->out, "%u",
                         (unsigned)(1000 + sharc_rng_below(carries(p, SHARC_LAB_NOISE_COUNTER) ? &mine : &r, 90000) +
                                    (carries(p, SHARC_LAB_NOISE_COUNTER) ? p->served->count : 0)));
    sharc_buf_put_str(p->out, " times</p>\n");
}

void sharc__lab_put_places(const struct lab_page *p)
{
    if (sharc__lab_has_place(p, SHARC_LAB_NOISE_SESSION)) {
        sharc_buf_put_str(p->out, "<p class=\"account\"><a href=\"/private/account?sid=");
        sharc__lab_put_random(p, SHARC_LAB_NOISE_SESSION);
        sharc_buf_put_str(p->out, "\">Your account</a></p>\n");
    }
    put_teaser(p);
    put_advert(p);
    put_popular(p);
    put_readers(p);
    put_times(p);
    if (sharc__lab_has_place(p, SHARC_LAB_NOISE_REQUEST)) {
        sharc_buf_put_str(p->out, "<!-- request ");
        sharc__lab_put_random(p, SHARC_LAB_NOISE_REQUEST);
        sharc_buf_put_str(p->out, " -->\n");
    }
}
