/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading robots.txt. The file is walked once; rules are kept as spans into it
 * with the kinds of group they stand in, and only at the end, when it is known
 * whether any group names us, those that apply are copied.
 *
 *   groups:  user-agent+ rule*      a user-agent line behind a rule begins a
 *                                   new group; other lines belong to none
 */
#include "robots_int.h"

#include "sharc/base_charset.h"

#include <stdlib.h>

enum { LINE_BYTES = 16663, SITEMAPS = 1000, LONGEST_DELAY = 300 };

enum key { KEY_OTHER, KEY_AGENT, KEY_ALLOW, KEY_DISALLOW, KEY_DELAY, KEY_SITEMAP };

/* Misspelt words count too: whoever wrote them meant them. */
static const struct {
    const char *word;
    enum key key;
} keys[] = {
    {"user-agent", KEY_AGENT},  {"useragent", KEY_AGENT},    {"user agent", KEY_AGENT},  {"allow", KEY_ALLOW},
    {"disallow", KEY_DISALLOW}, {"dissallow", KEY_DISALLOW}, {"dissalow", KEY_DISALLOW}, {"disalow", KEY_DISALLOW},
    {"diasllow", KEY_DISALLOW}, {"disallaw", KEY_DISALLOW},  {"crawl-delay", KEY_DELAY}, {"crawldelay", KEY_DELAY},
    {"sitemap", KEY_SITEMAP},   {"site-map", KEY_SITEMAP},
};

/* A rule as found: in a group for us, in one for everybody, or in one for both. */
struct found {
    struct sharc_span value;
    unsigned line;
    bool allow, ours, general;
};

struct reading {
    struct sharc_span token;
    struct found *found;
    size_t count, room;
    struct sharc_span *sitemaps;
    size_t sitemaps_count, sitemaps_room;
    sharc_time our_delay, general_delay;
    bool ours, general; /* the group we stand in is for us, for everybody */
    bool had_rule;      /* so the next user-agent line begins a new group */
    /* The same for Crawl-delay. Lines that are no rules do not end a group, says the standard; but a
     * delay is meant for the agents above it, never for those named further down. */
    bool delay_ours, delay_general, had_delay;
    bool named; /* some group names us */
    unsigned line;
};

static void reading_done(struct reading *rd)
{
    free(rd->found);
    free(rd->sitemaps);
}

static enum key key_of(struct sharc_span word)
{
    for (size_t i = 0; i < SHARC_LENGTH(keys); i++)
        if (sharc_span_ieq(word, sharc_span_of(keys[i].word))) return keys[i].key;
    return KEY_OTHER;
}

/* "key: value", or "key value" when there is no colon and just two words. */
static bool split_line(struct sharc_span line, struct sharc_span *ret_key, struct sharc_span *ret_value)
{
    size_t hash = sharc_span_find(line, '#', 0);
    line = sharc_span_trim(sharc_span_sub(line, 0, hash));
    size_t at = sharc_span_find(line, ':', 0);
    if (at == SHARC_NPOS) {
        for (at = 0; at < line.n && line.p[at] != ' ' && line.p[at] != '\t';) at++;
        struct sharc_span rest = sharc_span_trim(sharc_span_from(line, at));
        if (rest.n == 0 || sharc_span_find(rest, ' ', 0) != SHARC_NPOS || sharc_span_find(rest, '\t', 0) != SHARC_NPOS)
            return false;
        *ret_key = sharc_span_sub(line, 0, at);
        *ret_value = rest;
        return true;
    }
    *ret_key = sharc_span_trim(sharc_span_sub(line, 0, at));
    *ret_value = sharc_span_trim(sharc_span_from(line, at + 1));
    return ret_key->n > 0;
}

bool sharc_robots_sitemap_line(struct sharc_span line, struct sharc_span *ret)
{
    struct sharc_span key;
    return split_line(line, &key, ret) && key_of(key) == KEY_SITEMAP && ret->n > 0;
}

static void take_agent(struct reading *rd, struct sharc_span value)
{
    if (rd->had_rule || rd->had_delay) rd->delay_ours = rd->delay_general = rd->had_delay = false;
    if (rd->had_rule) rd->ours = rd->general = rd->had_rule = false;
    if (value.n > 0 && value.p[0] == '*' && (value.n == 1 || sharc_is_space(value.p[1]))) {
        rd->general = rd->delay_general = true;
        return;
    }
    size_t n = 0;
    while (n < value.n && (sharc_is_alpha(value.p[n]) || value.p[n] == '-' || value.p[n] == '_')) n++;
    if (n > 0 && sharc_span_ieq(sharc_span_sub(value, 0, n), rd->token)) rd->ours = rd->delay_ours = rd->named = true;
}

static void add_rule(struct reading *rd, struct sharc_span value, bool allow)
{
    SHARC_GROW(rd->found, rd->room, rd->count + 1);
    rd->found[rd->count++] = (struct found){value, rd->line, allow, rd->ours, rd->general};
}

static void take_rule(struct reading *rd, struct sharc_span value, bool allow)
{
    if (!rd->ours && !rd->general) return;
    rd->had_rule = true;
    if (value.n > 0) add_rule(rd, value, allow);
}

static void take_delay(struct reading *rd, struct sharc_span value)
{
    double seconds;
    rd->had_delay = true;
    if (sharc_span_to_double(value, &seconds) < 0 || !(seconds > 0)) return;
    if (seconds > LONGEST_DELAY) seconds = LONGEST_DELAY;
    sharc_time delay = (sharc_time)(seconds * (double)SHARC_SEC);
    if (rd->delay_ours && delay > rd->our_delay) rd->our_delay = delay;
    if (rd->delay_general && delay > rd->general_delay) rd->general_delay = delay;
}

static void take_line(struct reading *rd, struct sharc_span line)
{
    struct sharc_span key, value;
    rd->line++;
    if (!split_line(sharc_span_sub(line, 0, LINE_BYTES), &key, &value)) return;
    switch (key_of(key)) {
    case KEY_AGENT: take_agent(rd, value); break;
    case KEY_ALLOW: take_rule(rd, value, true); break;
    case KEY_DISALLOW: take_rule(rd, value, false); break;
    case KEY_DELAY: take_delay(rd, value); break;
    case KEY_SITEMAP:
        if (value.n == 0 || rd->sitemaps_count == SITEMAPS) break;
        SHARC_GROW(rd->sitemaps, rd->sitemaps_room, rd->sitemaps_count + 1);
        rd->sitemaps[rd->sitemaps_count++] = value;
        break;
    case KEY_OTHER: break;
    }
}

/* The file in UTF-8: itself, or decoded into out when a byte order mark says UTF-16. */
static struct sharc_span in_utf8(struct sharc_span file, struct sharc_buf *out)
{
    enum sharc_charset charset;
    file = sharc_span_sub(file, 0, SHARC_ROBOTS_BYTES);
    if (!sharc_charset_of_bom(file, &charset) || charset == SHARC_CHARSET_UTF_8) return file;
    (void)sharc_charset_decode(charset, file, out, NULL); /* 16 bits are never more than 3 bytes */
    return sharc_buf_span(out);
}

static void read_lines(struct reading *rd, struct sharc_span file)
{
    static const char mark[] = "\xEF\xBB\xBF";
    for (int i = 0; i < 3 && file.n > 0 && file.p[0] == mark[i]; i++) file = sharc_span_from(file, 1);
    while (file.n > 0) {
        size_t n = 0;
        while (n < file.n && file.p[n] != '\n' && file.p[n] != '\r') n++;
        take_line(rd, sharc_span_sub(file, 0, n));
        size_t end = n + (n + 1 < file.n && file.p[n] == '\r' && file.p[n + 1] == '\n' ? 2 : 1);
        file = sharc_span_from(file, end);
    }
}

/* --- the rules that apply ------------------------------------------------ */

static struct robots_piece put_text(struct sharc_robots *r, struct sharc_span s)
{
    struct robots_piece piece = {(uint32_t)r->text.n, (uint32_t)s.n};
    sharc_buf_put(&r->text, s);
    return piece;
}

/* The form in which it is compared; like, when that is the same already. */
static struct robots_piece put_normal(struct sharc_robots *r, struct sharc_span s, unsigned how,
                                      struct robots_piece like)
{
    size_t from = r->text.n;
    sharc__http_robots_normal(s, how, &r->text);
    struct robots_piece piece = {(uint32_t)from, (uint32_t)(r->text.n - from)};
    if (!sharc_span_eq(sharc__http_robots_text(r, piece), sharc__http_robots_text(r, like))) return piece;
    sharc_buf_truncate(&r->text, from);
    return like;
}

static void put_rule(struct sharc_robots *r, const struct found *f, struct sharc_span value)
{
    struct robots_rule *rule = &r->rules[r->count++];
    *rule = (struct robots_rule){.line = f->line, .allow = f->allow, .value = put_text(r, value)};
    rule->strict = put_normal(r, value, ROBOTS_RULE, rule->value);
    rule->loose = put_normal(r, value, ROBOTS_RULE | ROBOTS_LOOSE, rule->strict);
}

/* An allowed ".../index.html" allows the folder itself, as search engines have
 * it; nobody means otherwise. */
static void put_folder(struct sharc_robots *r, const struct found *f)
{
    size_t slash = f->value.n;
    while (slash > 0 && f->value.p[slash - 1] != '/') slash--;
    if (slash == 0 || !sharc_span_starts(sharc_span_from(f->value, slash), SHARC_SPAN("index.htm"))) return;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf folder = SHARC_BUF_INIT(LINE_BYTES + 1);
    sharc_buf_put(&folder, sharc_span_sub(f->value, 0, slash));
    sharc_buf_put_char(&folder, '$');
    put_rule(r, f, sharc_buf_span(&folder));
}

static int by_weight(const void *a, const void *b)
{
    const struct robots_rule *x = a, *y = b;
    if (x->strict.n != y->strict.n) return x->strict.n > y->strict.n ? -1 : 1;
    if (x->allow != y->allow) return x->allow ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* A rule's text is itself and two forms of at most three times its size, and an
 * allowed index.html is two rules: 14 times the file, which in UTF-16 grows by
 * half. That is 10.5 MB, so the limit is never reached. */
enum { TEXT_BYTES = 16 << 20 };

struct sharc_robots *sharc_robots_new(struct sharc_span file, const char *token)
{
    SHARC_AUTO(reading_done) struct reading rd = {.token = sharc_span_of(token)};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf decoded = SHARC_BUF_INIT(2 * SHARC_ROBOTS_BYTES);
    read_lines(&rd, in_utf8(file, &decoded));

    struct sharc_robots *r = SHARC_NEW(struct sharc_robots);
    sharc_buf_init(&r->text, TEXT_BYTES);
    r->delay = rd.named ? rd.our_delay : rd.general_delay;
    r->rules = SHARC_NEW_ARRAY(struct robots_rule, 2 * rd.count);
    for (size_t i = 0; i < rd.count; i++) {
        const struct found *f = &rd.found[i];
        if (rd.named ? !f->ours : !f->general) continue;
        put_rule(r, f, f->value);
        if (f->allow) put_folder(r, f);
    }
    r->rules = sharc_realloc(r->rules, r->count, sizeof *r->rules);
    qsort(r->rules, r->count, sizeof *r->rules, by_weight);

    r->sitemaps = SHARC_NEW_ARRAY(struct robots_piece, rd.sitemaps_count);
    for (size_t i = 0; i < rd.sitemaps_count; i++) r->sitemaps[r->sitemaps_count++] = put_text(r, rd.sitemaps[i]);
    SHARC_ASSERT(!r->text.failed);
    return r;
}

struct sharc_robots *sharc_robots_new_fixed(bool allowed)
{
    struct sharc_robots *r = SHARC_NEW(struct sharc_robots);
    r->fixed = true;
    r->fixed_allowed = allowed;
    return r;
}

void sharc_robots_free(struct sharc_robots *r)
{
    if (!r) return;
    free(r->rules);
    free(r->sitemaps);
    sharc_buf_done(&r->text);
    free(r);
}

void sharc_robots_freep(struct sharc_robots **r)
{
    sharc_robots_free(*r);
    *r = NULL;
}

sharc_time sharc_robots_delay(const struct sharc_robots *r)
{
    return r->delay;
}

struct sharc_span sharc_robots_sitemap(const struct sharc_robots *r, size_t i)
{
    return i < r->sitemaps_count ? sharc__http_robots_text(r, r->sitemaps[i]) : SHARC_SPAN_NONE;
}

size_t sharc_robots_rules(const struct sharc_robots *r)
{
    return r->count;
}

size_t sharc_robots_bytes(const struct sharc_robots *r)
{
    return sizeof *r + r->text.room + r->count * sizeof *r->rules + r->sitemaps_count * sizeof *r->sitemaps;
}
