/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a page: header, navigation, main, side, footer, other.
 *
 * While the page is read, two lists grow. Runs: a new one begins whenever the
 * role changes, because an element with a role (by its tag, its role attribute,
 * or its id and class) opens or closes. Subtrees: every container element
 * without a role that held enough text. At the end runs of role main and other
 * are cut at the borders of their large subtrees, the cuts become blocks, and
 * pages that name no role get one by what their blocks hold.
 *
 * The stack of open containers is bounded; deeper ones are only counted, so
 * that 400,000 nested <div> cost what 400,000 tags cost.
 */
#include "extract_int.h"

#include <stdlib.h>

#define DEPTH 256u
#define MOST_SUBTREES 4096u
#define MOST_RUNS 4096u
#define LARGE_TEXT 200u /* bytes: less is not worth a block */

struct container {
    uint16_t tag;
    uint8_t role; /* in force inside it */
    uint32_t first_subtree;
    struct sharc__extract_mark mark;
};

struct subtree {
    struct sharc__extract_mark from, to;
    uint32_t first; /* the subtrees inside it are [first, itself) */
};

struct cut {
    struct sharc__extract_mark mark;
    uint8_t role;
    uint8_t rank; /* at the same place the role's own border comes last, and decides */
};

struct sharc__extract_blocks {
    struct container open[DEPTH];
    unsigned depth;
    uint32_t standing[SHARC_TAG_COUNT]; /* open containers per tag, on the stack */
    uint32_t deeper[SHARC_TAG_COUNT];   /* and those that found no room there */
    struct cut runs[MOST_RUNS];
    size_t run_count;
    struct subtree subtrees[MOST_SUBTREES];
    uint32_t subtree_count;
    struct cut cuts[MOST_RUNS + 2 * MOST_SUBTREES];
    size_t cut_count;
};

const char *sharc_block_role_text(enum sharc_block_role role)
{
    static const char *const texts[] = {"other", "header", "navigation", "main", "side", "footer"};
    return (unsigned)role < SHARC_LENGTH(texts) ? texts[role] : "?";
}

struct sharc__extract_blocks *sharc__extract_blocks_new(void)
{
    return SHARC_NEW(struct sharc__extract_blocks);
}

void sharc__extract_blocks_free(struct sharc__extract_blocks *b)
{
    free(b);
}

void sharc__extract_blocks_start(struct sharc__extract_blocks *b)
{
    b->depth = 0;
    memset(b->standing, 0, sizeof b->standing);
    memset(b->deeper, 0, sizeof b->deeper);
    b->runs[0] = (struct cut){.role = SHARC_BLOCK_OTHER};
    b->run_count = 1;
    b->subtree_count = 0;
    b->cut_count = 0;
}

/* --- roles ------------------------------------------------------------------------ */

#define NO_ROLE UINT8_MAX

static uint8_t role_now(const struct sharc__extract_blocks *b)
{
    return b->depth ? b->open[b->depth - 1].role : SHARC_BLOCK_OTHER;
}

static bool is_container(unsigned tag)
{
    static const uint8_t containers[SHARC_TAG_COUNT] = {
        [SHARC_TAG_ARTICLE] = 1, [SHARC_TAG_ASIDE] = 1, [SHARC_TAG_DIV] = 1,    [SHARC_TAG_DL] = 1,
        [SHARC_TAG_FOOTER] = 1,  [SHARC_TAG_FORM] = 1,  [SHARC_TAG_HEADER] = 1, [SHARC_TAG_MAIN] = 1,
        [SHARC_TAG_NAV] = 1,     [SHARC_TAG_OL] = 1,    [SHARC_TAG_PRE] = 1,    [SHARC_TAG_SECTION] = 1,
        [SHARC_TAG_TABLE] = 1,   [SHARC_TAG_TD] = 1,    [SHARC_TAG_UL] = 1,
    };
    return containers[tag];
}

static uint8_t role_of_tag(const struct sharc__extract_blocks *b, unsigned tag)
{
    bool inner = b->standing[SHARC_TAG_ARTICLE] || b->standing[SHARC_TAG_SECTION] || b->standing[SHARC_TAG_MAIN];
    switch (tag) {
    case SHARC_TAG_NAV: return SHARC_BLOCK_NAVIGATION;
    case SHARC_TAG_MAIN: return SHARC_BLOCK_MAIN;
    case SHARC_TAG_ASIDE: return SHARC_BLOCK_SIDE;
    case SHARC_TAG_HEADER: return inner ? NO_ROLE : SHARC_BLOCK_HEADER; /* else the header of an article */
    case SHARC_TAG_FOOTER: return inner ? NO_ROLE : SHARC_BLOCK_FOOTER;
    case SHARC_TAG_ARTICLE: return role_now(b) == SHARC_BLOCK_OTHER ? SHARC_BLOCK_MAIN : NO_ROLE;
    default: return NO_ROLE;
    }
}

static const struct word {
    struct sharc_span text;
    uint8_t role;
} aria_roles[] =
    {
        {SHARC_SPAN("banner"), SHARC_BLOCK_HEADER},      {SHARC_SPAN("navigation"), SHARC_BLOCK_NAVIGATION},
        {SHARC_SPAN("main"), SHARC_BLOCK_MAIN},          {SHARC_SPAN("complementary"), SHARC_BLOCK_SIDE},
        {SHARC_SPAN("contentinfo"), SHARC_BLOCK_FOOTER},
},
  names[] = {
      {SHARC_SPAN("header"), SHARC_BLOCK_HEADER},
      {SHARC_SPAN("masthead"), SHARC_BLOCK_HEADER},
      {SHARC_SPAN("banner"), SHARC_BLOCK_HEADER},
      {SHARC_SPAN("page-header"), SHARC_BLOCK_HEADER},
      {SHARC_SPAN("site-header"), SHARC_BLOCK_HEADER},
      {SHARC_SPAN("nav"), SHARC_BLOCK_NAVIGATION},
      {SHARC_SPAN("navbar"), SHARC_BLOCK_NAVIGATION},
      {SHARC_SPAN("navigation"), SHARC_BLOCK_NAVIGATION},
      {SHARC_SPAN("menu"), SHARC_BLOCK_NAVIGATION},
      {SHARC_SPAN("topnav"), SHARC_BLOCK_NAVIGATION},
      {SHARC_SPAN("mainmenu"), SHARC_BLOCK_NAVIGATION},
      {SHARC_SPAN("breadcrumb"), SHARC_BLOCK_NAVIGATION},
      {SHARC_SPAN("breadcrumbs"), SHARC_BLOCK_NAVIGATION},
      {SHARC_SPAN("related"), SHARC_BLOCK_NAVIGATION},
      {SHARC_SPAN("main"), SHARC_BLOCK_MAIN},
      {SHARC_SPAN("content"), SHARC_BLOCK_MAIN},
      {SHARC_SPAN("main-content"), SHARC_BLOCK_MAIN},
      {SHARC_SPAN("maincontent"), SHARC_BLOCK_MAIN},
      {SHARC_SPAN("bodycontent"), SHARC_BLOCK_MAIN},
      {SHARC_SPAN("entry-content"), SHARC_BLOCK_MAIN},
      {SHARC_SPAN("post"), SHARC_BLOCK_MAIN},
      {SHARC_SPAN("article"), SHARC_BLOCK_MAIN},
      {SHARC_SPAN("sidebar"), SHARC_BLOCK_SIDE},
      {SHARC_SPAN("side"), SHARC_BLOCK_SIDE},
      {SHARC_SPAN("aside"), SHARC_BLOCK_SIDE},
      {SHARC_SPAN("widget-area"), SHARC_BLOCK_SIDE},
      {SHARC_SPAN("sphinxsidebar"), SHARC_BLOCK_SIDE},
      {SHARC_SPAN("footer"), SHARC_BLOCK_FOOTER},
      {SHARC_SPAN("foot"), SHARC_BLOCK_FOOTER},
      {SHARC_SPAN("site-footer"), SHARC_BLOCK_FOOTER},
      {SHARC_SPAN("page-footer"), SHARC_BLOCK_FOOTER},
      {SHARC_SPAN("copyright"), SHARC_BLOCK_FOOTER},
};

static uint8_t role_of_word(struct sharc_span text, const struct word *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (sharc_span_ieq(text, words[i].text)) return words[i].role;
    return NO_ROLE;
}

/* The first few words of id or class decide: authors name the container first. */
static uint8_t role_of_names(const struct sharc_html_attr *attr)
{
    struct sharc_span list = attr ? sharc_span_trim(attr->value) : SHARC_SPAN_NONE;
    for (int i = 0; i < 4 && list.n; i++) {
        size_t n = 0;
        while (n < list.n && !sharc_is_space(list.p[n])) n++;
        uint8_t role = role_of_word(sharc_span_sub(list, 0, n), names, SHARC_LENGTH(names));
        if (role != NO_ROLE) return role;
        list = sharc_span_trim(sharc_span_from(list, n));
    }
    return NO_ROLE;
}

/* A name is a hint only, so it may not overrule what encloses it, with the
 * exceptions that are usual. */
static bool may_hint(uint8_t outer, uint8_t hint)
{
    if (outer == SHARC_BLOCK_OTHER) return true;
    if (outer == SHARC_BLOCK_HEADER) return hint == SHARC_BLOCK_NAVIGATION;
    return outer == SHARC_BLOCK_MAIN && (hint == SHARC_BLOCK_SIDE || hint == SHARC_BLOCK_NAVIGATION);
}

static uint8_t role_of(const struct sharc__extract_blocks *b, const struct sharc_html_token *t)
{
    const struct sharc_html_attr *aria = sharc_html_attr(t, SHARC_ATTR_ROLE);
    uint8_t role = NO_ROLE;
    if (aria) role = role_of_word(sharc_span_trim(aria->value), aria_roles, SHARC_LENGTH(aria_roles));
    if (role == NO_ROLE) role = role_of_tag(b, t->tag);
    if (role != NO_ROLE) return role;
    role = role_of_names(sharc_html_attr(t, SHARC_ATTR_ID));
    if (role == NO_ROLE) role = role_of_names(sharc_html_attr(t, SHARC_ATTR_CLASS));
    return role != NO_ROLE && may_hint(role_now(b), role) ? role : NO_ROLE;
}

/* --- while reading ------------------------------------------------------------------- */

static void change_role(struct sharc__extract_blocks *b, uint8_t role, const struct sharc__extract_mark *mark)
{
    if (b->runs[b->run_count - 1].role == role || b->run_count == MOST_RUNS) return;
    b->runs[b->run_count++] = (struct cut){.mark = *mark, .role = role};
}

static void pop(struct sharc__extract_blocks *b, const struct sharc__extract_mark *mark)
{
    struct container *c = &b->open[--b->depth];
    b->standing[c->tag]--;
    if (role_now(b) == c->role && mark->text - c->mark.text >= LARGE_TEXT && b->subtree_count < MOST_SUBTREES)
        b->subtrees[b->subtree_count++] = (struct subtree){.from = c->mark, .to = *mark, .first = c->first_subtree};
    change_role(b, role_now(b), mark);
}

void sharc__extract_blocks_open(struct sharc__extract_blocks *b, const struct sharc_html_token *t,
                                const struct sharc__extract_mark *mark)
{
    if (!is_container(t->tag)) return;
    if (t->tag == SHARC_TAG_TD && b->depth && b->open[b->depth - 1].tag == SHARC_TAG_TD)
        pop(b, mark); /* </td> left out */
    if (b->depth == DEPTH) {
        b->deeper[t->tag]++;
        return;
    }
    uint8_t role = role_of(b, t);
    if (role == NO_ROLE) role = role_now(b);
    b->open[b->depth++] =
        (struct container){.tag = t->tag, .role = role, .first_subtree = b->subtree_count, .mark = *mark};
    b->standing[t->tag]++;
    change_role(b, role, mark);
}

void sharc__extract_blocks_close(struct sharc__extract_blocks *b, const struct sharc_html_token *t,
                                 const struct sharc__extract_mark *mark)
{
    if (b->deeper[t->tag]) {
        b->deeper[t->tag]--;
        return;
    }
    if (!b->standing[t->tag]) return;
    uint32_t left = b->standing[t->tag] - 1;
    while (b->standing[t->tag] > left) pop(b, mark);
}

/* --- deciding --------------------------------------------------------------------------- */

static void add_cut(struct sharc__extract_blocks *b, const struct sharc__extract_mark *mark, uint8_t role, uint8_t rank)
{
    if (b->cut_count < SHARC_LENGTH(b->cuts)) b->cuts[b->cut_count++] = (struct cut){*mark, role, rank};
}

/* Cut [from, to) of the text at the borders of its large subtrees, which are
 * among [first, last). One that is nearly all of it, or a good part of the page,
 * is looked into instead. */
static void cut_subtrees(struct sharc__extract_blocks *b, uint32_t from, uint32_t to, uint8_t role, uint32_t first,
                         uint32_t last, uint32_t page_text, int depth)
{
    for (uint32_t i = last; i-- > first;) {
        const struct subtree *s = &b->subtrees[i];
        if (s->to.text <= from) return; /* they are sorted by their end */
        if (s->from.text < from || s->to.text > to) continue;
        uint32_t n = s->to.text - s->from.text;
        bool wraps = n > (to - from) / 5 * 4;
        if (!wraps && n >= LARGE_TEXT && n >= page_text / 20) {
            add_cut(b, &s->from, role, 0);
            add_cut(b, &s->to, role, 0);
        }
        if (depth < 16 && (wraps || n > page_text / 3))
            cut_subtrees(b, s->from.text, s->to.text, role, s->first, i, page_text, depth + 1);
        i = s->first; /* those inside it are done */
    }
}

static int by_place(const void *a, const void *b)
{
    const struct cut *p = a, *q = b;
    if (p->mark.text != q->mark.text) return p->mark.text < q->mark.text ? -1 : 1;
    if (p->mark.at != q->mark.at) return p->mark.at < q->mark.at ? -1 : 1;
    return p->rank - q->rank;
}

/* What a block without a role seems to be, by its links. */
static uint8_t guess_role(const struct sharc__extract_mark *from, const struct sharc__extract_mark *to)
{
    uint32_t text = to->text - from->text, linked = to->link_text - from->link_text;
    return to->links - from->links >= 5 && linked > text / 5 * 3 ? SHARC_BLOCK_NAVIGATION : SHARC_BLOCK_OTHER;
}

static void add_block(struct sharc__page_private *x, const struct cut *cut, const struct sharc__extract_mark *to)
{
    struct sharc_page *page = x->page;
    const struct sharc__extract_mark *from = &cut->mark;
    struct sharc_block block = {.role = cut->role,
                                .at = from->at,
                                .n = to->at - from->at,
                                .text_at = from->text,
                                .text_n = to->text - from->text,
                                .links = to->links - from->links,
                                .images = to->images - from->images};
    struct sharc_block *last = page->block_count ? &page->blocks[page->block_count - 1] : NULL;
    bool empty = !block.text_n && !block.links && !block.images;
    bool small = block.text_n < 50 && block.links < 2 && !block.images && last && last->role == block.role;
    bool full = page->block_count == SHARC_LIMIT_PAGE_BLOCKS;
    if (empty && !last) return;
    if (full) page->cut |= SHARC_CUT_BLOCKS;
    if (last && (empty || small || full)) { /* joined to the one before */
        last->n += block.n;
        last->text_n += block.text_n;
        last->links += block.links;
        last->images += block.images;
        return;
    }
    if (block.role == SHARC_BLOCK_OTHER) block.role = guess_role(from, to);
    SHARC_GROW(page->blocks, x->block_room, page->block_count + 1);
    page->blocks[page->block_count++] = block;
}

/* The gap between two blocks belongs to neither. */
static void trim_blocks(struct sharc_page *page)
{
    for (size_t i = 0; i < page->block_count; i++) {
        struct sharc_block *b = &page->blocks[i];
        if (!b->text_n || (page->text.p[b->text_at] != ' ' && page->text.p[b->text_at] != '\n')) continue;
        b->text_at++;
        b->text_n--;
    }
}

/* A page that names no main part still has one: the longest text. */
static void name_main(struct sharc_page *page)
{
    struct sharc_block *longest = NULL;
    for (size_t i = 0; i < page->block_count; i++) {
        struct sharc_block *b = &page->blocks[i];
        if (b->role == SHARC_BLOCK_MAIN) return;
        if (b->role == SHARC_BLOCK_OTHER && (!longest || b->text_n > longest->text_n)) longest = b;
    }
    if (longest && longest->text_n) longest->role = SHARC_BLOCK_MAIN;
}

static void number_links(struct sharc_page *page)
{
    size_t b = 0;
    for (size_t i = 0; i < page->link_count; i++) {
        while (b + 1 < page->block_count && page->blocks[b + 1].at <= page->links[i].at) b++;
        if (page->block_count) page->links[i].block = (uint32_t)b;
    }
}

void sharc__extract_blocks_finish(struct sharc__page_private *x, const struct sharc__extract_mark *end)
{
    struct sharc__extract_blocks *b = x->blocks;
    while (b->depth) pop(b, end);
    for (size_t i = 0; i < b->run_count; i++) {
        const struct cut *run = &b->runs[i];
        uint32_t to = i + 1 < b->run_count ? b->runs[i + 1].mark.text : end->text;
        add_cut(b, &run->mark, run->role, 1);
        if (run->role == SHARC_BLOCK_OTHER || run->role == SHARC_BLOCK_MAIN)
            cut_subtrees(b, run->mark.text, to, run->role, 0, b->subtree_count, end->text, 0);
    }
    qsort(b->cuts, b->cut_count, sizeof b->cuts[0], by_place);
    for (size_t i = 0; i < b->cut_count; i++)
        add_block(x, &b->cuts[i], i + 1 < b->cut_count ? &b->cuts[i + 1].mark : end);
    trim_blocks(x->page);
    name_main(x->page);
    number_links(x->page);
}
