/* SPDX-License-Identifier: Apache-2.0
 *
 * Session ids: the same page under a new address on every visit. Two rule sets
 * exist because two kinds of keys do: the aggressive form drops whole query
 * parameters; the archive form does what the indexes of the last twenty years
 * were made with, oddities included.
 */
#include "url_int.h"

enum letters { ALNUM, ALPHA, ALNUM_DOLLAR, DIGITS, ALNUM_DASH };

static bool is_of(char c, enum letters kind)
{
    switch (kind) {
    case ALPHA: return sharc_is_alpha(c);
    case DIGITS: return sharc_is_digit(c);
    case ALNUM_DOLLAR: return sharc_is_alnum(c) || c == '$';
    case ALNUM_DASH: return sharc_is_alnum(c) || c == '-';
    case ALNUM: break;
    }
    return sharc_is_alnum(c);
}

/* How many bytes at the start of s are of that kind, at most `most`. */
static size_t run(struct sharc_span s, enum letters kind, size_t most)
{
    size_t n = 0;
    while (n < s.n && n < most && is_of(s.p[n], kind)) n++;
    return n;
}

/* --- aggressive --------------------------------------------------------------- */

static bool is_value(struct sharc_span pair, struct sharc_span name, enum letters kind, size_t least)
{
    if (!sharc_span_istarts(pair, name)) return false;
    struct sharc_span value = sharc_span_from(pair, name.n);
    return value.n >= least && run(value, kind, SIZE_MAX) == value.n;
}

static bool is_session_pair(struct sharc_span pair)
{
    if (sharc_span_istarts(pair, SHARC_SPAN("aspsessionid"))) {
        struct sharc_span rest = sharc_span_from(pair, 12);
        return run(rest, ALPHA, 8) == 8 && is_value(sharc_span_from(rest, 8), SHARC_SPAN("="), ALNUM, 16);
    }
    return is_value(pair, SHARC_SPAN("jsessionid="), ALNUM_DOLLAR, 10) ||
           is_value(pair, SHARC_SPAN("sessionid="), ALNUM, 16) || is_value(pair, SHARC_SPAN("phpsessid="), ALNUM, 16) ||
           is_value(pair, SHARC_SPAN("sid="), ALNUM, 16);
}

/* ColdFusion's pair of parameters: a session only together. */
static bool is_cold_fusion(struct sharc_span pair, bool *cfid, bool *cftoken)
{
    if (is_value(pair, SHARC_SPAN("cfid="), DIGITS, 1)) return *cfid = true;
    if (is_value(pair, SHARC_SPAN("cftoken="), ALNUM_DASH, 1)) return *cftoken = true;
    return false;
}

static void drop_query_sessions(struct loose *l)
{
    struct sharc_span rest = piece_span(l->query), pair;
    size_t n = 0;
    bool kept = false, cfid = false, cftoken = false;
    while (sharc_span_next(&rest, '&', &pair)) is_cold_fusion(pair, &cfid, &cftoken);
    bool cold_fusion = cfid && cftoken;
    rest = piece_span(l->query);
    while (sharc_span_next(&rest, '&', &pair)) {
        if (is_session_pair(pair) || (cold_fusion && is_cold_fusion(pair, &cfid, &cftoken))) continue;
        if (kept) l->query.p[n++] = '&';
        memmove(l->query.p + n, pair.p, pair.n);
        n += pair.n;
        kept = true;
    }
    l->query.n = n;
}

/* Length of "(24 letters or digits)/" or "(x(24)y(24)…)/" at the start of s. */
static size_t aspx_session(struct sharc_span s, bool nested)
{
    size_t i = 1;
    if (s.n < 2 || s.p[0] != '(') return 0;
    if (!nested) {
        if (run(sharc_span_from(s, 1), ALNUM, 25) != 24) return 0;
        i = 25;
    } else {
        while (s.n - i >= 27 && sharc_is_alpha(s.p[i]) && s.p[i + 1] == '(' &&
               run(sharc_span_from(s, i + 2), ALNUM, 25) == 24 && s.p[i + 26] == ')')
            i += 27;
        if (i == 1) return 0;
    }
    return s.n - i >= 2 && s.p[i] == ')' && s.p[i + 1] == '/' ? i + 2 : 0;
}

static void cut_out(struct piece *p, size_t at, size_t n)
{
    memmove(p->p + at, p->p + at + n, p->n - at - n);
    p->n -= n;
}

static void drop_aspx_sessions(struct loose *l)
{
    if (!sharc_span_ends(piece_span(l->path), SHARC_SPAN(".aspx"))) return;
    size_t n = 0;
    struct sharc_span path = piece_span(l->path);
    for (size_t i = 0; i < path.n;) {
        size_t skip = 0;
        if (n && l->path.p[n - 1] == '/') {
            struct sharc_span here = sharc_span_from(path, i);
            skip = aspx_session(here, /* nested= */ false);
            if (!skip) skip = aspx_session(here, /* nested= */ true);
        }
        i += skip;
        if (!skip) l->path.p[n++] = path.p[i++];
    }
    l->path.n = n;
}

static bool drop_jsessionid(struct loose *l)
{
    static const struct sharc_span name = {";jsessionid=", 12};
    struct sharc_span path = piece_span(l->path);
    if (path.n < name.n + 32) return false;
    size_t at = path.n - name.n - 32;
    struct sharc_span tail = sharc_span_from(path, at);
    if (!sharc_span_istarts(tail, name) || run(sharc_span_from(tail, name.n), ALNUM, 32) != 32) return false;
    l->path.n = at;
    return true;
}

static bool drop_closing_slash(struct loose *l)
{
    if (l->path.n < 2 || l->path.p[l->path.n - 1] != '/') return false;
    l->path.n--;
    return true;
}

/* Also takes closing slashes: taking one off may uncover a session id. */
void sharc__url_step_no_sessions(struct loose *l)
{
    drop_query_sessions(l);
    drop_aspx_sessions(l);
    while (drop_jsessionid(l) || drop_closing_slash(l)) drop_aspx_sessions(l);
}

/* --- archive ------------------------------------------------------------------ */

/* "name" + letters, then '&' or the end; length with the '&', 0: no match. */
static size_t ia_match(struct sharc_span s, struct sharc_span name, enum letters kind, size_t length)
{
    if (!sharc_span_istarts(s, name)) return 0;
    size_t n = name.n + run(sharc_span_from(s, name.n), kind, length);
    if (n != name.n + length) return 0;
    if (n == s.n) return n;
    return s.p[n] == '&' ? n + 1 : 0;
}

static size_t ia_match_asp(struct sharc_span s)
{
    if (!sharc_span_istarts(s, SHARC_SPAN("aspsessionid")) || run(sharc_span_from(s, 12), ALPHA, 8) != 8) return 0;
    size_t n = ia_match(sharc_span_from(s, 20), SHARC_SPAN("="), ALPHA, 24);
    return n ? 20 + n : 0;
}

static size_t ia_match_cf(struct sharc_span s)
{
    if (!sharc_span_istarts(s, SHARC_SPAN("cfid="))) return 0;
    size_t first = sharc_span_find(s, '&', 0);
    if (first == SHARC_NPOS || first == 5) return 0;
    struct sharc_span token = sharc_span_from(s, first + 1);
    if (!sharc_span_istarts(token, SHARC_SPAN("cftoken="))) return 0;
    size_t end = sharc_span_find(token, '&', 0);
    if (end == 8 || token.n == 8) return 0;
    return first + 1 + (end == SHARC_NPOS ? token.n : end + 1);
}

static size_t ia_match_rule(struct sharc_span s, unsigned rule)
{
    switch (rule) {
    case 0: return ia_match(s, SHARC_SPAN("jsessionid="), ALNUM, 32);
    case 1: return ia_match(s, SHARC_SPAN("phpsessid="), ALNUM, 32);
    case 2: return ia_match(s, SHARC_SPAN("sid="), ALNUM, 32);
    case 3: return ia_match_asp(s);
    default: return ia_match_cf(s);
    }
}

/* Each rule once, at its last match, wherever in the query that begins. */
void sharc__url_step_no_query_sessions_ia(struct loose *l)
{
    static const char begins[] = "jpsac";
    for (unsigned rule = 0; rule < 5; rule++) {
        for (size_t at = l->query.n; at-- > 0;) {
            if ((l->query.p[at] | 32) != begins[rule]) continue;
            size_t n = ia_match_rule(sharc_span_from(piece_span(l->query), at), rule);
            if (!n) continue;
            cut_out(&l->query, at, n);
            break;
        }
    }
}

/* The last session folder that an .aspx file stands behind. */
void sharc__url_step_no_path_sessions_ia(struct loose *l)
{
    for (int nested = 1; nested >= 0; nested--) {
        struct sharc_span path = piece_span(l->path);
        size_t aspx = SHARC_NPOS;
        for (size_t i = path.n; i-- > 0 && aspx == SHARC_NPOS;)
            if (path.p[i] == '.' && sharc_span_istarts(sharc_span_from(path, i), SHARC_SPAN(".aspx"))) aspx = i;
        if (aspx == SHARC_NPOS) return;
        for (size_t at = aspx; at-- > 1;) {
            size_t n = path.p[at - 1] == '/' ? aspx_session(sharc_span_from(path, at), nested) : 0;
            if (!n || at + n >= aspx) continue;
            cut_out(&l->path, at, n);
            break;
        }
    }
}
