/* SPDX-License-Identifier: Apache-2.0
 *
 * Small grammars inside attributes: srcset, meta refresh, meta robots.
 */
#include "extract_int.h"

/* Behind the descriptors ("2x", "100w 50h") of a candidate: the next comma
 * outside parentheses. */
static size_t pass_descriptors(struct sharc_span s, size_t at)
{
    bool inside = false;
    for (; at < s.n; at++) {
        if (s.p[at] == '(') inside = true;
        if (s.p[at] == ')') inside = false;
        if (s.p[at] == ',' && !inside) return at + 1;
    }
    return at;
}

void sharc_extract_srcset(struct sharc_span value, sharc_extract_ref_fn *fn, void *arg)
{
    size_t at = 0;
    while (at < value.n) {
        while (at < value.n && (sharc_is_space(value.p[at]) || value.p[at] == ',')) at++;
        size_t start = at;
        while (at < value.n && !sharc_is_space(value.p[at])) at++;
        size_t end = at;
        while (end > start && value.p[end - 1] == ',') end--;
        if (end > start) fn(arg, &(struct sharc_extract_ref){.at = start, .n = end - start});
        if (end == at) at = pass_descriptors(value, at);
    }
}

/* "5", "0.5", ".": the whole seconds. False when there is no number. */
static bool take_seconds(struct sharc_span v, size_t *at, unsigned *ret)
{
    size_t start = *at;
    *ret = 0;
    for (; *at < v.n && sharc_is_digit(v.p[*at]); ++*at)
        if (*ret < 100000000) *ret = *ret * 10 + (unsigned)(v.p[*at] - '0');
    if (*at == start && (*at >= v.n || v.p[*at] != '.')) return false;
    while (*at < v.n && (sharc_is_digit(v.p[*at]) || v.p[*at] == '.')) ++*at;
    return true;
}

bool sharc_extract_refresh(struct sharc_span v, struct sharc_extract_ref *ret, unsigned *ret_seconds)
{
    unsigned seconds;
    size_t at = sharc_span_skip_space(v, 0);
    if (!take_seconds(v, &at, &seconds)) return false;
    if (at < v.n && !sharc_is_space(v.p[at]) && v.p[at] != ';' && v.p[at] != ',') return false;
    at = sharc_span_skip_space(v, at);
    if (at < v.n && (v.p[at] == ';' || v.p[at] == ',')) at = sharc_span_skip_space(v, at + 1);
    if (sharc_span_istarts(sharc_span_from(v, at), SHARC_SPAN("url"))) { /* "url=" is usual, and optional */
        size_t equals = sharc_span_skip_space(v, at + 3);
        if (equals < v.n && v.p[equals] == '=') at = sharc_span_skip_space(v, equals + 1);
    }
    char quote = at < v.n && (v.p[at] == '"' || v.p[at] == '\'') ? v.p[at] : 0;
    if (quote) at++;
    size_t end = quote ? sharc_span_find(v, quote, at) : v.n;
    struct sharc_span url = sharc_span_sub(v, at, end);
    if (!sharc_span_trim(url).n) return false;
    *ret = (struct sharc_extract_ref){.at = at, .n = url.n, .quote = quote};
    *ret_seconds = seconds;
    return true;
}

unsigned sharc_extract_robots(struct sharc_span value, struct sharc_span agent)
{
    static const struct {
        struct sharc_span word;
        unsigned flags;
    } words[] = {
        {SHARC_SPAN("noindex"), SHARC_ROBOTS_NOINDEX},
        {SHARC_SPAN("nofollow"), SHARC_ROBOTS_NOFOLLOW},
        {SHARC_SPAN("noarchive"), SHARC_ROBOTS_NOARCHIVE},
        {SHARC_SPAN("none"), SHARC_ROBOTS_NOINDEX | SHARC_ROBOTS_NOFOLLOW},
    };
    unsigned flags = 0;
    bool ours = true;
    struct sharc_span part;
    while (sharc_span_next(&value, ',', &part)) {
        part = sharc_span_trim(part);
        size_t colon = sharc_span_find(part, ':', 0);
        if (colon != SHARC_NPOS) { /* "otherbot: noindex" or "unavailable_after: DATE" */
            struct sharc_span name = sharc_span_trim(sharc_span_sub(part, 0, colon));
            if (sharc_span_ieq(name, SHARC_SPAN("unavailable_after")) || sharc_span_istarts(name, SHARC_SPAN("max-")))
                continue;
            ours = agent.n && sharc_span_ieq(name, agent);
            part = sharc_span_trim(sharc_span_from(part, colon + 1));
        }
        for (size_t i = 0; i < SHARC_LENGTH(words); i++)
            if (ours && sharc_span_ieq(part, words[i].word)) flags |= words[i].flags;
    }
    return flags;
}
