/* SPDX-License-Identifier: Apache-2.0
 *
 * One tag: its name and its attributes, and names to numbers.
 */
#include "html_int.h"

/* clang-format off */
#define S (HTML_SPACE | HTML_NAME_END | HTML_ATTR_END | HTML_BARE_END | HTML_TEXT_STOP)
#define L HTML_LETTER
const uint8_t sharc__extract_html_class[256] = {
    [0] = HTML_TEXT_STOP, ['\t'] = S, ['\n'] = S, ['\f'] = S, ['\r'] = S, [' '] = S, ['&'] = HTML_TEXT_STOP,
    ['/'] = HTML_NAME_END | HTML_ATTR_END, ['>'] = HTML_NAME_END | HTML_ATTR_END | HTML_BARE_END,
    ['='] = HTML_ATTR_END, [0xc2] = HTML_TEXT_STOP, /* may begin a no-break space */
    ['A'] = L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
    ['a'] = L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
};
#undef S
#undef L
/* clang-format on */

/* Eight bytes at once: A to Z to lower case. */
static uint64_t lower_eight(uint64_t w)
{
    return w | sharc_eight_within(w, 'A', 'Z') >> 2;
}

/* The first eight bytes of a name in lower case, zeros behind it. readable: bytes
 * that may be looked at, the name's own at least: one load of a fixed size is
 * quicker than a copy of n bytes. */
static uint64_t first_eight(struct sharc_span name, size_t readable)
{
    char few[8] = "";
    if (readable < 8) memcpy(few, name.p, name.n);
    uint64_t w = sharc_eight(readable < 8 ? few : name.p);
    if (name.n < 8) w &= ((uint64_t)1 << 8 * name.n) - 1;
    return lower_eight(w);
}

/* Without a branch but for long names: whether a name is known cannot be foretold. */
static inline unsigned name_of(const struct sharc__extract_names *names, struct sharc_span name, uint64_t first)
{
    unsigned slot = (unsigned)(((first ^ name.n) * names->factor) >> (64 - names->bits));
    unsigned id = names->slots[slot]; /* 0, a free slot, has no bytes: no name is like it */
    bool same = (names->firsts[id] == first) & (names->lengths[id] == name.n);
    id = same ? id : 0;
    if (name.n <= 8 || !id) return id;
    return sharc_span_ieq(sharc_span(names->texts[id] + 8, name.n - 8), sharc_span_from(name, 8)) ? id : 0;
}

enum sharc_html_tag sharc_html_tag_of(struct sharc_span name)
{
    return (enum sharc_html_tag)(name.n ? name_of(&sharc__extract_tag_names, name, first_eight(name, name.n)) : 0);
}

enum sharc_html_tag sharc_html_shown_tag(const struct sharc_html_token *t)
{
    static const struct {
        struct sharc_span name;
        enum sharc_html_tag tag;
    } amp[] = {
        {SHARC_SPAN("amp-img"), SHARC_TAG_IMG},       {SHARC_SPAN("amp-anim"), SHARC_TAG_IMG},
        {SHARC_SPAN("amp-video"), SHARC_TAG_VIDEO},   {SHARC_SPAN("amp-audio"), SHARC_TAG_AUDIO},
        {SHARC_SPAN("amp-iframe"), SHARC_TAG_IFRAME}, {SHARC_SPAN("amp-video-iframe"), SHARC_TAG_IFRAME},
    };
    if (t->tag != SHARC_TAG_OTHER || t->foreign || !sharc_span_istarts(t->name, SHARC_SPAN("amp-")))
        return (enum sharc_html_tag)t->tag;
    for (size_t i = 0; i < SHARC_LENGTH(amp); i++)
        if (sharc_span_ieq(t->name, amp[i].name)) return amp[i].tag;
    return SHARC_TAG_OTHER;
}

enum sharc_html_attr_name sharc_html_attr_of(struct sharc_span name)
{
    return (enum sharc_html_attr_name)(name.n ? name_of(&sharc__extract_attr_names, name, first_eight(name, name.n))
                                              : 0);
}

const char *sharc_html_tag_text(enum sharc_html_tag tag)
{
    return (unsigned)tag < sharc__extract_tag_names.count ? sharc__extract_tag_names.texts[tag] : NULL;
}

const char *sharc_html_attr_text(enum sharc_html_attr_name id)
{
    return (unsigned)id < sharc__extract_attr_names.count ? sharc__extract_attr_names.texts[id] : NULL;
}

const struct sharc_html_attr *sharc_html_attr(const struct sharc_html_token *t, enum sharc_html_attr_name id)
{
    if (!(t->known >> id & 1)) return NULL;
    for (unsigned i = 0; i < t->attr_count; i++)
        if (t->attrs[i].id == id) return &t->attrs[i];
    return NULL;
}

/* --- the first of each name ---------------------------------------------- */

#define SEEN_SLOTS (2 * SHARC_LIMIT_HTML_ATTRIBUTES)
#define SEEN_PROBES 16 /* names built to collide may slip through: they mean nothing to anybody */
#define FEW 8          /* names are compared one by one before they are worth a table */
_Static_assert((SEEN_SLOTS & (SEEN_SLOTS - 1)) == 0 && SHARC_LIMIT_HTML_ATTRIBUTES <= 1024,
               "slots hold ten bits of index");
_Static_assert(SHARC_ATTR_COUNT <= 64, "known names are remembered in one word");

/* A tag being scanned. */
struct scan {
    struct sharc_html *h;
    struct sharc_html_token *t;
    uint64_t maybe;  /* a bit for each name unknown to us: where none is, no such name was there */
    unsigned listed; /* attributes whose names are in h->seen */
};

static uint64_t mix_name(struct sharc_span name, uint64_t first)
{
    uint64_t mix = (first ^ name.n) * 0x9e3779b97f4a7c15ull;
    return name.n > 8 ? mix ^ (uint64_t)(uint8_t)name.p[name.n - 1] * 0xff51afd7ed558ccdull : mix;
}

static void next_round(struct sharc_html *h)
{
    if (++h->seen_round < 1u << 22) return;
    memset(h->seen, 0, sizeof h->seen);
    h->seen_round = 1;
}

/* The place of a name in the table: free, or taken by the same name; NULL when there
 * is none near. */
static uint32_t *place_of(struct sharc_html *h, struct sharc_span name, uint64_t mix)
{
    size_t slot = (size_t)(mix >> 40);
    for (int i = 0; i < SEEN_PROBES; i++, slot++) {
        uint32_t *s = &h->seen[slot & (SEEN_SLOTS - 1)];
        if (*s >> 10 != h->seen_round || sharc_span_ieq(h->attrs[*s & 1023].name, name)) return s;
    }
    return NULL;
}

static bool is_listed(struct scan *s, struct sharc_span name, uint64_t mix)
{
    struct sharc_html *h = s->h;
    if (s->listed == 0) next_round(h);
    for (; s->listed < s->t->attr_count; s->listed++) {
        struct sharc_span other = h->attrs[s->listed].name;
        uint32_t *place = place_of(h, other, mix_name(other, first_eight(other, other.n)));
        if (place) *place = h->seen_round << 10 | s->listed;
    }
    const uint32_t *place = place_of(h, name, mix);
    return place && *place >> 10 == h->seen_round;
}

/* Was a name unknown to us among the attributes of this tag? */
static bool seen_before(struct scan *s, struct sharc_span name, uint64_t first)
{
    uint64_t mix = mix_name(name, first), bit = (uint64_t)1 << (mix >> 58);
    if (!(s->maybe & bit)) {
        s->maybe |= bit;
        return false;
    }
    if (s->t->attr_count > FEW) return is_listed(s, name, mix);
    for (unsigned i = 0; i < s->t->attr_count; i++)
        if (sharc_span_ieq(s->h->attrs[i].name, name)) return true;
    return false;
}

/* --- the tag -------------------------------------------------------------- */

/* Where the name at `at` ends that has one byte at least: HTML_NAME_END or
 * HTML_ATTR_END, which ends at '=' too. */
static inline size_t name_end(struct sharc_span page, size_t at, unsigned ends)
{
    at++;
    while (page.n >= 8 && at <= page.n - 8) {
        uint64_t w = sharc_eight(page.p + at);
        uint64_t marks = sharc_eight_below(w, ' ' + 1) | sharc_eight_equal(w, '/') | sharc_eight_equal(w, '>');
        if (ends == HTML_ATTR_END) marks |= sharc_eight_equal(w, '=');
        at += marks ? sharc_eight_first(marks) : 8;
        if (!marks) continue;
        if (html_is(page.p[at], ends)) return at;
        at++; /* a control character: part of the name */
    }
    while (at < page.n && !html_is(page.p[at], ends)) at++;
    return at;
}

/* The value at `at` (behind '=' and white space); returns the offset behind it,
 * or SHARC_NPOS. */
static size_t scan_value(struct sharc_span page, size_t at, struct sharc_html_attr *attr)
{
    if (at >= page.n) return SHARC_NPOS;
    char quote = page.p[at];
    if (quote == '"' || quote == '\'') {
        size_t end = html_find(page, quote, at + 1);
        if (end == SHARC_NPOS) return SHARC_NPOS;
        attr->quote = quote;
        attr->value = sharc_span(page.p + at + 1, end - at - 1);
        return end + 1;
    }
    size_t end = at;
    while (end < page.n && !html_is(page.p[end], HTML_BARE_END)) end++;
    attr->value = sharc_span(page.p + at, end - at);
    return end;
}

/* An attribute at `at`, where a name begins (even by '='). */
static size_t scan_attr(struct sharc_span page, size_t at, struct sharc_html_attr *attr)
{
    size_t end = name_end(page, at, HTML_ATTR_END);
    *attr = (struct sharc_html_attr){.name = sharc_span(page.p + at, end - at)};
    if (end < page.n && page.p[end] == '=') return scan_value(page, html_skip_space(page, end + 1), attr);
    size_t next = html_skip_space(page, end);
    if (next >= page.n) return SHARC_NPOS;
    if (page.p[next] != '=') return next;
    return scan_value(page, html_skip_space(page, next + 1), attr);
}

/* The attribute at `at` behind those kept so far; the offset behind it. */
static size_t take_attr(struct scan *s, size_t at)
{
    struct sharc_html_token *t = s->t;
    struct sharc_span page = s->h->page;
    struct sharc_html_attr *attr = &s->h->attrs[t->attr_count];
    at = scan_attr(page, at, attr);
    if (at == SHARC_NPOS) return at;
    uint64_t first = first_eight(attr->name, (size_t)(page.p + page.n - attr->name.p));
    attr->id = (uint16_t)name_of(&sharc__extract_attr_names, attr->name, first);
    uint64_t bit = attr->id ? (uint64_t)1 << attr->id : 0;
    if (bit ? (t->known & bit) != 0 : seen_before(s, attr->name, first)) return at;
    t->known |= bit;
    t->attr_count++;
    return at;
}

/* One too many. */
static size_t pass_attr(struct scan *s, size_t at)
{
    struct sharc_html_attr attr;
    s->t->attrs_cut = true;
    return scan_attr(s->h->page, at, &attr);
}

static size_t scan_attrs(struct scan *s, size_t at)
{
    struct sharc_span page = s->h->page;
    for (;;) {
        at = html_skip_space(page, at);
        if (at >= page.n) return SHARC_NPOS;
        if (page.p[at] == '>') return at + 1;
        if (page.p[at] == '/') {
            if (++at < page.n && page.p[at] == '>') {
                s->t->self_closing = true;
                return at + 1;
            }
            continue;
        }
        at = s->t->attr_count < SHARC_LIMIT_HTML_ATTRIBUTES ? take_attr(s, at) : pass_attr(s, at);
        if (at == SHARC_NPOS) return SHARC_NPOS;
    }
}

size_t sharc__extract_html_scan_tag(struct sharc_html *h, size_t at, struct sharc_html_token *ret)
{
    struct sharc_span page = h->page;
    size_t end = name_end(page, at, HTML_NAME_END);
    ret->name = sharc_span(page.p + at, end - at);
    ret->tag = (uint16_t)name_of(&sharc__extract_tag_names, ret->name, first_eight(ret->name, page.n - at));
    ret->attrs = h->attrs;
    if (end < page.n && page.p[end] == '>') return end + 1;
    struct scan s = {.h = h, .t = ret};
    return scan_attrs(&s, end);
}
