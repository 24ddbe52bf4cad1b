/* SPDX-License-Identifier: Apache-2.0
 *
 * One tag: its name and its attributes, and names to numbers.
 */
#include "html_int.h"

/* clang-format off */
#define S (HTML_SPACE | HTML_NAME_END | HTML_ATTR_END | HTML_BARE_END | HTML_TEXT_STOP)
#define L HTML_LETTER
const uint8_t sharc__html_class[256] = {
    [0] = HTML_TEXT_STOP, ['\t'] = S, ['\n'] = S, ['\f'] = S, ['\r'] = S, [' '] = S, ['&'] = HTML_TEXT_STOP,
    ['/'] = HTML_NAME_END | HTML_ATTR_END, ['>'] = HTML_NAME_END | HTML_ATTR_END | HTML_BARE_END,
    ['='] = HTML_ATTR_END, [0xc2] = HTML_TEXT_STOP, /* may begin a no-break space */
    ['A'] = L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
    ['a'] = L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
};
#undef S
#undef L
/* clang-format on */

#define EACH_BYTE 0x0101010101010101ull

/* Eight bytes at once: A to Z to lower case. */
static uint64_t lower_eight(uint64_t w)
{
    uint64_t low = w & 0x7f * EACH_BYTE;
    uint64_t above_z = low + (0x7f - 'Z') * EACH_BYTE, from_a = low + (0x80 - 'A') * EACH_BYTE;
    uint64_t upper = ~w & 0x80 * EACH_BYTE & (from_a ^ above_z);
    return w | upper >> 2;
}

/* The first eight bytes of name in lower case, zeros behind it. */
static uint64_t first_eight(struct sharc_span name)
{
    uint64_t w = 0;
    memcpy(&w, name.p, name.n < 8 ? name.n : 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return lower_eight(w);
}

static unsigned name_of(const struct sharc__names *names, struct sharc_span name, uint64_t first)
{
    unsigned slot = (unsigned)(((first ^ name.n) * names->factor) >> (64 - names->bits));
    unsigned id = names->slots[slot];
    if (!id || names->lengths[id] != name.n) return 0;
    return sharc_span_ieq(sharc_span(names->texts[id], name.n), name) ? id : 0;
}

enum sharc_html_tag sharc_html_tag_of(struct sharc_span name)
{
    return (enum sharc_html_tag)(name.n ? name_of(&sharc__tag_names, name, first_eight(name)) : 0);
}

enum sharc_html_attr_name sharc_html_attr_of(struct sharc_span name)
{
    return (enum sharc_html_attr_name)(name.n ? name_of(&sharc__attr_names, name, first_eight(name)) : 0);
}

const char *sharc_html_tag_text(enum sharc_html_tag tag)
{
    return (unsigned)tag < sharc__tag_names.count ? sharc__tag_names.texts[tag] : NULL;
}

const char *sharc_html_attr_text(enum sharc_html_attr_name id)
{
    return (unsigned)id < sharc__attr_names.count ? sharc__attr_names.texts[id] : NULL;
}

const struct sharc_html_attr *sharc_html_attr(const struct sharc_html_token *t, enum sharc_html_attr_name id)
{
    if (!(t->known >> id & 1)) return NULL;
    for (unsigned i = 0; i < t->attr_count; i++)
        if (t->attrs[i].id == id) return &t->attrs[i];
    return NULL;
}

/* --- the first of each name ---------------------------------------------- */

#define SEEN_SLOTS (2 * LIMIT_HTML_ATTRIBUTES)
#define SEEN_PROBES 16 /* names built to collide may slip through: they mean nothing to anybody */
_Static_assert((SEEN_SLOTS & (SEEN_SLOTS - 1)) == 0 && LIMIT_HTML_ATTRIBUTES <= 1024, "slots hold ten bits of index");
_Static_assert(SHARC_ATTR_COUNT <= 64, "known names are remembered in one word");

static void next_round(struct sharc_html *h)
{
    if (++h->seen_round < 1u << 22) return;
    memset(h->seen, 0, sizeof h->seen);
    h->seen_round = 1;
}

/* Was a name unknown to us among the attributes of this tag? If not, it is now. */
static bool seen_before(struct sharc_html *h, struct sharc_span name, uint64_t first, unsigned index)
{
    uint64_t mix = (first ^ name.n) * 0x9e3779b97f4a7c15ull;
    if (name.n > 8) mix ^= (uint64_t)(uint8_t)name.p[name.n - 1] * 0xff51afd7ed558ccdull;
    size_t slot = (size_t)(mix >> 40);
    for (int i = 0; i < SEEN_PROBES; i++, slot++) {
        uint32_t *s = &h->seen[slot & (SEEN_SLOTS - 1)];
        if (*s >> 10 != h->seen_round) {
            *s = h->seen_round << 10 | index;
            return false;
        }
        if (sharc_span_ieq(h->attrs[*s & 1023].name, name)) return true;
    }
    return false;
}

/* --- the tag -------------------------------------------------------------- */

/* The value at `at` (behind '=' and white space); returns the offset behind it,
 * or SHARC_NPOS. */
static size_t scan_value(struct sharc_span page, size_t at, struct sharc_html_attr *attr)
{
    if (at >= page.n) return SHARC_NPOS;
    char quote = page.p[at];
    if (quote == '"' || quote == '\'') {
        size_t end = sharc_span_find(page, quote, at + 1);
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
    size_t end = at + 1;
    while (end < page.n && !html_is(page.p[end], HTML_ATTR_END)) end++;
    *attr = (struct sharc_html_attr){.name = sharc_span(page.p + at, end - at)};
    size_t next = html_skip_space(page, end);
    if (next >= page.n) return SHARC_NPOS;
    if (page.p[next] != '=') return next;
    return scan_value(page, html_skip_space(page, next + 1), attr);
}

static void keep_attr(struct sharc_html *h, struct sharc_html_token *t, struct sharc_html_attr *attr)
{
    if (t->attr_count == LIMIT_HTML_ATTRIBUTES) {
        t->attrs_cut = true;
        return;
    }
    uint64_t first = first_eight(attr->name);
    attr->id = (uint16_t)name_of(&sharc__attr_names, attr->name, first);
    h->attrs[t->attr_count] = *attr;
    if (attr->id) {
        if (t->known >> attr->id & 1) return;
        t->known |= (uint64_t)1 << attr->id;
    } else if (seen_before(h, attr->name, first, t->attr_count))
        return;
    t->attr_count++;
}

size_t sharc__html_scan_tag(struct sharc_html *h, size_t at, struct sharc_html_token *ret)
{
    struct sharc_span page = h->page;
    size_t end = at + 1;
    while (end < page.n && !html_is(page.p[end], HTML_NAME_END)) end++;
    ret->name = sharc_span(page.p + at, end - at);
    ret->tag = (uint16_t)name_of(&sharc__tag_names, ret->name, first_eight(ret->name));
    ret->attrs = h->attrs;
    next_round(h);
    for (at = end;;) {
        at = html_skip_space(page, at);
        if (at >= page.n) return SHARC_NPOS;
        if (page.p[at] == '>') return at + 1;
        if (page.p[at] == '/') {
            if (++at < page.n && page.p[at] == '>') {
                ret->self_closing = true;
                return at + 1;
            }
            continue;
        }
        struct sharc_html_attr attr;
        at = scan_attr(page, at, &attr);
        if (at == SHARC_NPOS) return SHARC_NPOS;
        keep_attr(h, ret, &attr);
    }
}
