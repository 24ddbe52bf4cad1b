/* SPDX-License-Identifier: Apache-2.0
 *
 * The page as it fills: links, entries and dates, each within its limit.
 */
#include "extract_int.h"
#include "sharc/base_digest.h"

#include <stdlib.h>

static const struct {
    enum sharc_link_kind kind;
    const char *text;
} places[] = {
#define X(name, kind, text) {SHARC_LINK_##kind, text},
    SHARC_LINK_PLACES(X)
#undef X
};

const char *sharc_link_place_text(enum sharc_link_place place)
{
    return (unsigned)place < SHARC_LENGTH(places) ? places[place].text : "?";
}

enum sharc_link_kind sharc_link_place_kind(enum sharc_link_place place)
{
    return (unsigned)place < SHARC_LENGTH(places) ? places[place].kind : SHARC_LINK_NAVIGATION;
}

/* --- links --------------------------------------------------------------------- */

/* "mailto" of "mailto:x"; none when it has no scheme. */
static struct sharc_span scheme_of(struct sharc_span url)
{
    size_t n = 0;
    while (n < url.n && (sharc_is_alnum(url.p[n]) || url.p[n] == '+' || url.p[n] == '-' || url.p[n] == '.')) n++;
    return n && n < url.n && url.p[n] == ':' && sharc_is_alpha(url.p[0]) ? sharc_span_sub(url, 0, n) : SHARC_SPAN_NONE;
}

/* Schemes that are no address on the web, however long the rest is. */
static bool leads_elsewhere(struct sharc__page_private *x, struct sharc_span url, size_t at, size_t n, unsigned flags)
{
    struct sharc_span scheme = scheme_of(url);
    if (!scheme.n || sharc_span_ieq(scheme, SHARC_SPAN("http")) || sharc_span_ieq(scheme, SHARC_SPAN("https")))
        return false;
    x->page->other_schemes++;
    if (sharc_span_ieq(scheme, SHARC_SPAN("javascript")) && x->want & SHARC_WANT_GUESSES)
        sharc__extract_read_script(
            x, &(struct sharc__extract_source){.bytes = sharc_span_from(url, scheme.n + 1), .at = at, .n = n}, flags);
    return true;
}

enum { KNOWN_LEAST = 256, KNOWN_MOST = 4096, PROBES = 16 };

void sharc__extract_page_no_links(struct sharc__page_private *x)
{
    x->page->link_count = 0;
    if (x->known_room > KNOWN_MOST) { /* to clear it would cost every page what one needed */
        free(x->known);
        x->known = NULL;
        x->known_room = 0;
    }
    if (x->known) memset(x->known, 0, x->known_room * sizeof *x->known);
}

/* The first free place for a print, or NULL when there is none near: URLs built to
 * collide are not worth a search. */
static struct sharc__extract_known_link *free_place(struct sharc__page_private *x, uint32_t print)
{
    for (size_t i = 0; i < PROBES; i++) {
        struct sharc__extract_known_link *k = &x->known[(print + i) & (x->known_room - 1)];
        if (!k->index) return k;
    }
    return NULL;
}

static void grow_known(struct sharc__page_private *x)
{
    struct sharc__extract_known_link *old = x->known;
    size_t room = x->known_room;
    x->known_room = room ? 4 * room : KNOWN_LEAST;
    x->known = SHARC_NEW_ARRAY(struct sharc__extract_known_link, x->known_room);
    for (size_t i = 0; i < room; i++) {
        struct sharc__extract_known_link *k = old[i].index ? free_place(x, old[i].print) : NULL;
        if (k) *k = old[i];
    }
    free(old);
}

static bool same_link(const struct sharc_link *a, const struct sharc_link *b)
{
    return a->place == b->place && ((a->flags ^ b->flags) & ~SHARC_LINK_REPEATED) == 0 && sharc_span_eq(a->url, b->url);
}

/* Has the page the same link already? If not, this one, which is to be the next, is known
 * from now on. */
static bool was_before(struct sharc__page_private *x, const struct sharc_link *l)
{
    uint32_t print = (uint32_t)sharc_fingerprint(l->url, l->place | (uint64_t)l->flags << 8);
    if (2 * (x->page->link_count + 1) > x->known_room) grow_known(x);
    for (size_t i = 0; i < PROBES; i++) {
        struct sharc__extract_known_link *k = &x->known[(print + i) & (x->known_room - 1)];
        if (!k->index) {
            *k = (struct sharc__extract_known_link){print, (uint32_t)x->page->link_count + 1};
            return false;
        }
        const struct sharc_link *other = &x->page->links[k->index - 1];
        if (k->print == print && same_link(other, l)) return true;
    }
    return false;
}

/* The URL comes in two pieces. */
static uint32_t add_link(struct sharc__page_private *x, struct sharc_span head, struct sharc_span tail,
                         enum sharc_link_place place, size_t at, size_t n, unsigned flags)
{
    struct sharc_page *page = x->page;
    char *copy = page->link_count < SHARC_LIMIT_LINKS_PER_PAGE ? sharc_arena_bytes(&x->arena, head.n + tail.n) : NULL;
    if (!copy) {
        page->cut |= SHARC_CUT_LINKS;
        return SHARC_NO_LINK;
    }
    memcpy(copy, head.p, head.n);
    if (tail.n) memcpy(copy + head.n, tail.p, tail.n);
    struct sharc_link l = {
        .url = sharc_span(copy, head.n + tail.n),
        .at = (uint32_t)at,
        .n = (uint32_t)n,
        .block = SHARC_NO_BLOCK,
        .kind = (uint8_t)places[place].kind,
        .place = (uint8_t)place,
        .flags = (uint8_t)flags,
    };
    if (was_before(x, &l)) l.flags |= SHARC_LINK_REPEATED;
    SHARC_GROW(page->links, x->link_room, page->link_count + 1);
    page->links[page->link_count] = l;
    return (uint32_t)page->link_count++;
}

uint32_t sharc__extract_page_link(struct sharc__page_private *x, struct sharc_span url, enum sharc_link_place place,
                                  size_t at, size_t n, unsigned flags)
{
    url = sharc_span_trim(url);
    if (!url.n || url.p[0] == '#' || !(x->want & SHARC_WANT_LINKS)) return SHARC_NO_LINK;
    struct sharc_span head, tail;
    if (sharc_url_join_plain(&x->base, url, &head, &tail)) return add_link(x, head, tail, place, at, n, flags);
    if (leads_elsewhere(x, url, at, n, flags)) return SHARC_NO_LINK;
    int r = sharc_url_parse_charset(&x->url, url, &x->base, x->charset, NULL);
    if (r < 0) {
        x->page->bad_links++;
        /* A browser would fetch it. */
        if (r == SHARC_ELIMIT && places[place].kind == SHARC_LINK_EMBED) x->page->cut |= SHARC_CUT_LINKS;
        return SHARC_NO_LINK;
    }
    if (!sharc_url_is_http(&x->url)) {
        x->page->other_schemes++;
        return SHARC_NO_LINK;
    }
    sharc_url_strip_credentials(&x->url); /* nobody sends them, and they are nobody's to keep */
    return add_link(x, sharc_url_page(&x->url), SHARC_SPAN_NONE, place, at, n, flags);
}

/* --- the rest --------------------------------------------------------------------- */

struct sharc_entry *sharc__extract_page_entry(struct sharc__page_private *x)
{
    struct sharc_page *page = x->page;
    if (page->entry_count == SHARC_LIMIT_LINKS_PER_PAGE) {
        page->cut |= SHARC_CUT_LINKS;
        return NULL;
    }
    SHARC_GROW(page->entries, x->entry_room, page->entry_count + 1);
    struct sharc_entry *e = &page->entries[page->entry_count++];
    *e = (struct sharc_entry){.link = SHARC_NO_LINK,
                              .modified = SHARC_TIME_NONE,
                              .published = SHARC_TIME_NONE,
                              .priority = -1};
    return e;
}

void sharc__extract_page_date(struct sharc__page_private *x, sharc_time when, bool day_only,
                              enum sharc_date_place place, size_t at)
{
    struct sharc_page *page = x->page;
    if (page->date_count == SHARC_LIMIT_PAGE_DATES) {
        page->cut |= SHARC_CUT_DATES;
        return;
    }
    SHARC_GROW(page->dates, x->date_room, page->date_count + 1);
    page->dates[page->date_count++] =
        (struct sharc_page_date){.when = when, .at = (uint32_t)at, .place = (uint8_t)place, .day_only = day_only};
}

struct sharc_span sharc__extract_page_keep(struct sharc__page_private *x, struct sharc_span s)
{
    struct sharc_span kept = sharc_arena_copy(&x->arena, s);
    if (!kept.p) x->page->cut |= SHARC_CUT_LINKS;
    return kept;
}

static bool is_blank(uint32_t c)
{
    return c <= 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200f) || c == 0x2028 ||
           c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x2060 || c == 0x3000 || c == 0xfeff;
}

struct sharc_span sharc__extract_trim(struct sharc_span s)
{
    uint32_t c;
    size_t n;
    s = sharc_span_trim(s);
    while (s.n > 0 && (n = sharc_utf8_decode(s, &c)) > 0 && is_blank(c)) s = sharc_span_from(s, n);
    while (s.n > 0) {
        size_t start = s.n - 1;
        while (start > 0 && s.n - start < 4 && ((unsigned char)s.p[start] & 0xc0) == 0x80) start--;
        n = sharc_utf8_decode(sharc_span_from(s, start), &c);
        if (n != s.n - start || !is_blank(c)) break;
        s.n = start;
    }
    return s;
}

struct sharc_span sharc__extract_page_value(struct sharc__page_private *x, const struct sharc_html_attr *attr)
{
    struct sharc_span raw = attr ? attr->value : SHARC_SPAN_NONE;
    if (!raw.n || (!memchr(raw.p, '&', raw.n) && !memchr(raw.p, '\r', raw.n) && !memchr(raw.p, 0, raw.n))) return raw;
    sharc_buf_clear(&x->value);
    sharc_html_decode(raw, /* attribute= */ true, &x->value);
    return sharc_buf_span(&x->value);
}

struct sharc__extract_source sharc__extract_page_source(struct sharc__page_private *x,
                                                        const struct sharc_html_attr *attr)
{
    struct sharc_span value = sharc__extract_page_value(x, attr);
    if (!value.n) return (struct sharc__extract_source){.exact = true};
    return (struct sharc__extract_source){.bytes = value,
                                          .at = sharc__extract_page_at(x, attr->value.p),
                                          .n = attr->value.n,
                                          .exact = value.p == attr->value.p};
}
