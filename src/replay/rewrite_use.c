/* SPDX-License-Identifier: Apache-2.0
 *
 * What embeds are used for, and import maps: JSON in a script element that says where modules come from.
 */
#include "rewrite_int.h"

/* --- uses ---------------------------------------------------------------------- */

static bool has_word(const struct sharc_html_attr *a, const char *word)
{
    struct sharc_span rest = a ? a->value : SHARC_SPAN(""), part;
    while (sharc_span_next(&rest, ' ', &part))
        if (sharc_span_ieq(sharc_span_trim(part), sharc_span_of(word))) return true;
    return false;
}

/* <link rel=stylesheet>, <link rel=preload as=font>, <link rel=icon> */
static enum sharc_rewrite_use use_of_link(const struct sharc_html_token *t)
{
    const struct sharc_html_attr *rel = sharc_html_attr(t, SHARC_ATTR_REL), *as = sharc_html_attr(t, SHARC_ATTR_AS);
    if (has_word(rel, "stylesheet") || has_word(as, "style")) return SHARC_USE_STYLE;
    if (has_word(rel, "modulepreload") || has_word(as, "script")) return SHARC_USE_SCRIPT;
    if (has_word(rel, "icon") || has_word(rel, "apple-touch-icon") || has_word(as, "image")) return SHARC_USE_IMAGE;
    return SHARC_USE_OTHER;
}

enum sharc_rewrite_use sharc__replay_rewrite_use(const struct sharc_html_token *t)
{
    static const struct {
        uint16_t tag;
        enum sharc_rewrite_use use;
    } uses[] = {
        {SHARC_TAG_IFRAME, SHARC_USE_FRAME},  {SHARC_TAG_FRAME, SHARC_USE_FRAME}, {SHARC_TAG_SCRIPT, SHARC_USE_SCRIPT},
        {SHARC_TAG_IMG, SHARC_USE_IMAGE},     {SHARC_TAG_IMAGE, SHARC_USE_IMAGE}, {SHARC_TAG_INPUT, SHARC_USE_IMAGE},
        {SHARC_TAG_FEIMAGE, SHARC_USE_IMAGE}, {SHARC_TAG_BODY, SHARC_USE_IMAGE},  {SHARC_TAG_TABLE, SHARC_USE_IMAGE},
        {SHARC_TAG_TD, SHARC_USE_IMAGE},      {SHARC_TAG_TH, SHARC_USE_IMAGE},
    };
    if (t->tag == SHARC_TAG_LINK) return use_of_link(t);
    const enum sharc_html_tag tag = sharc_html_shown_tag(t);
    for (size_t i = 0; i < SHARC_LENGTH(uses); i++)
        if (uses[i].tag == tag) return uses[i].use;
    return SHARC_USE_OTHER;
}

/* --- targets ---------------------------------------------------------------------- */

static struct sharc_span target_of(const struct sharc_html_token *t)
{
    for (unsigned i = 0; i < t->attr_count; i++)
        if (sharc_span_ieq(t->attrs[i].name, SHARC_SPAN("target"))) return t->attrs[i].value;
    return SHARC_SPAN_NONE;
}

enum rewrite_target sharc__replay_rewrite_target(const struct sharc_html_token *t)
{
    static const struct sharc_span same[] = {SHARC_SPAN(""), SHARC_SPAN("_self"), SHARC_SPAN("_parent"),
                                             SHARC_SPAN("_top")};
    struct sharc_span target = target_of(t);
    for (size_t i = 0; i < SHARC_LENGTH(same); i++)
        if (sharc_span_ieq(target, same[i])) return REWRITE_TARGET_NONE;
    return sharc_span_ieq(target, SHARC_SPAN("_blank")) ? REWRITE_TARGET_NEW : REWRITE_TARGET_FRAME;
}

/* --- import maps ------------------------------------------------------------------ */

bool sharc__replay_rewrite_is_import_map(const struct sharc_html_token *t)
{
    const struct sharc_html_attr *type = t->tag == SHARC_TAG_SCRIPT ? sharc_html_attr(t, SHARC_ATTR_TYPE) : NULL;
    return type && sharc_span_ieq(sharc_span_trim(type->value), SHARC_SPAN("importmap"));
}

/* Only what looks like an address is one: names of modules ("lodash") are keys. */
static bool is_address(struct sharc_span s)
{
    static const struct sharc_span starts[] = {SHARC_SPAN("/"), SHARC_SPAN("./"), SHARC_SPAN("../"),
                                               SHARC_SPAN("http:"), SHARC_SPAN("https:")};
    for (size_t i = 0; i < SHARC_LENGTH(starts); i++)
        if (sharc_span_istarts(s, starts[i])) return sharc_span_find(s, '\\', 0) == SHARC_NPOS;
    return false;
}

void sharc__replay_rewrite_import_map(struct rewriting *x, size_t at, size_t n)
{
    const struct rewrite_context c = {.json = true, .kind = SHARC_REWRITE_EMBED, .use = SHARC_USE_SCRIPT};
    struct sharc_span text = sharc_span_sub(x->masked, at, at + n);
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '"') continue;
        size_t end = ++i;
        while (end < text.n && text.p[end] != '"') end += text.p[end] == '\\' ? 2 : 1;
        if (end >= text.n) return;
        if (is_address(sharc_span_sub(text, i, end))) sharc__replay_rewrite_link(x, at + i, end - i, &c);
        i = end;
    }
}
