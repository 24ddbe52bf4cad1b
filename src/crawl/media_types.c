/* SPDX-License-Identifier: Apache-2.0
 *
 * Scope by media type. What a URL is shows in the head of the answer; a type that is
 * not wanted ends the transfer there, before its body, and the URL is skipped.
 *
 * A rule is a type ("image/png"), all below one (with a star for the second part), or
 * either with ">50M" behind it: then only what is announced as larger is meant.
 */
#include "frontier.h"

struct type_rule {
    struct sharc_span type; /* into the text */
    bool sized;
    uint64_t above;
};

/* "type/subtype" in words that HTTP allows, or "type/" and a star. */
static bool is_type(struct sharc_span s)
{
    size_t slash = sharc_span_find(s, '/', 0);
    if (slash == SHARC_NPOS || slash == 0 || slash + 1 == s.n) return false;
    for (size_t i = 0; i < s.n; i++) {
        bool star = s.p[i] == '*' && i == slash + 1 && s.n == i + 1;
        if (i != slash && !star && !sharc_is_alnum(s.p[i]) && !strchr("!#$&^_.+-", s.p[i])) return false;
    }
    return true;
}

static int read_rule(struct sharc_span text, struct type_rule *ret, struct sharc_err *reterr)
{
    size_t at = sharc_span_find(text, '>', 0);
    *ret = (struct type_rule){.type = sharc_span_trim(at == SHARC_NPOS ? text : sharc_span_sub(text, 0, at))};
    SHARC_FAIL_IF(!is_type(ret->type), reterr, SHARC_ESYNTAX,
                  "\"%.*s\" is not a media type: write text/html, image/* or video/*>50M",
                  SHARC_SPAN_ARG(sharc_span_sub(text, 0, 100)));
    ret->sized = at != SHARC_NPOS;
    return ret->sized ? sharc_size_parse(sharc_span_trim(sharc_span_from(text, at + 1)), &ret->above, reterr) : 0;
}

int sharc_crawl_type_check(struct sharc_span text, struct sharc_err *reterr)
{
    struct type_rule rule;
    return read_rule(text, &rule, reterr);
}

static bool matches(const struct type_rule *rule, const struct sharc_http *head, struct sharc_span type)
{
    uint64_t length;
    bool any = sharc_span_ends(rule->type, SHARC_SPAN("/*"));
    if (any && !sharc_span_istarts(type, sharc_span_sub(rule->type, 0, rule->type.n - 1))) return false;
    if (!any && (type.n != rule->type.n || !sharc_span_istarts(type, rule->type))) return false;
    return !rule->sized || (sharc_http_content_length(head, &length) == 0 && length > rule->above);
}

static bool any_matches(const char *const *list, size_t n, const struct sharc_http *head, struct sharc_span type)
{
    struct type_rule rule;
    for (size_t i = 0; i < n; i++)
        if (read_rule(sharc_span_of(list[i]), &rule, NULL) == 0 && matches(&rule, head, type)) return true;
    return false;
}

bool sharc__crawl_type_wanted(const struct context *c, const struct sharc_fetch_result *r)
{
    const struct sharc_crawl_options *o = &c->o;
    struct sharc_span type = sharc_http_media(r->http.content_type).type;
    if (r->status / 100 != 2 || type.n == 0) return true; /* errors and redirects have a type of their own */
    if (o->types_count && !any_matches(o->types, o->types_count, &r->http, type)) return false;
    return !any_matches(o->not_types, o->not_types_count, &r->http, type);
}
