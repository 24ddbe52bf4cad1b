/* SPDX-License-Identifier: Apache-2.0
 *
 * Any string of bytes taken apart the way a URL would be, refusing nothing,
 * and the layouts in which the pieces are written again. The reading follows
 * what archives have long done (any number of slashes before a web host, user
 * info up to the last '@'), so that keys made elsewhere are found again.
 */
#include "url_int.h"

char *sharc__url_loose_room(struct loose *l, size_t n)
{
    char *p = sharc_arena_bytes(&l->arena, n);
    if (!p) l->failed = true;
    return p;
}

static struct piece cut(struct piece s, size_t from, size_t to)
{
    if (to > s.n) to = s.n;
    if (from > to) from = to;
    return (struct piece){s.p + from, to - from};
}

/* --- taking apart ----------------------------------------------------------- */

static void split_authority(struct loose *l, struct piece s)
{
    const char *at = s.n ? memrchr(s.p, '@', s.n) : NULL;
    if (at) {
        size_t n = (size_t)(at - s.p), colon = sharc_span_find(sharc_span(s.p, n), ':', 0);
        l->has_at = true;
        l->has_password = colon != SHARC_NPOS;
        l->user = cut(s, 0, l->has_password ? colon : n);
        if (l->has_password) l->password = cut(s, colon + 1, n);
        s = cut(s, n + 1, s.n);
    }
    size_t from = 0;
    if (s.n && s.p[0] == '[') {
        size_t close = sharc_span_find(piece_span(s), ']', 0);
        if (close != SHARC_NPOS && (close + 1 == s.n || s.p[close + 1] == ':')) from = close;
    }
    size_t colon = sharc_span_find(piece_span(s), ':', from);
    l->has_port = colon != SHARC_NPOS;
    l->host = cut(s, 0, l->has_port ? colon : s.n);
    l->port = l->has_port ? cut(s, colon + 1, s.n) : cut(s, s.n, s.n);
}

void sharc__url_loose_pathish(struct loose *l, struct piece s)
{
    bool special = l->scheme_kind != SHARC_SCHEME_OTHER, file = l->scheme_kind == SHARC_SCHEME_FILE;
    size_t n = 0;
    while (n < s.n && (s.p[n] == '/' || (special && s.p[n] == '\\')) && (n < 2 || (special && !file))) n++;
    if (n < 2 && (!special || file)) { /* no authority */
        l->path = s;
        return;
    }
    l->slashes = cut(s, 0, n);
    s = cut(s, n, s.n);
    size_t end = 0;
    while (end < s.n && (special ? !is_slash(s.p[end]) : s.p[end] != '/')) end++;
    l->path = cut(s, end, s.n);
    if (file)
        l->host = cut(s, 0, end);
    else
        split_authority(l, cut(s, 0, end));
}

/* Letters, digits, + - . and then ':'; tabs and line ends may stand between. */
static size_t scheme_length(struct sharc_span s)
{
    size_t i = 0;
    if (!s.n || !sharc_is_alpha(s.p[0])) return 0;
    while (i < s.n && CLASS(s.p[i]) & (IN_SCHEME | BREAK)) i++;
    return i < s.n && s.p[i] == ':' ? i : 0;
}

static enum sharc_scheme kind_of_scheme(struct piece scheme)
{
    char name[8];
    size_t n = 0;
    for (size_t i = 0; i < scheme.n; i++) {
        if (CLASS(scheme.p[i]) & BREAK) continue;
        if (n == sizeof name) return SHARC_SCHEME_OTHER;
        name[n++] = sharc_to_lower(scheme.p[i]);
    }
    return sharc__url_scheme_of(sharc_span(name, n));
}

static void take_junk(struct loose *l, struct piece *s)
{
    size_t from = 0, to = s->n;
    while (from < to && CLASS(s->p[from]) & JUNK) from++;
    while (to > from && CLASS(s->p[to - 1]) & JUNK) to--;
    l->lead = cut(*s, 0, from);
    l->trail = cut(*s, to, s->n);
    *s = cut(*s, from, to);
}

void sharc__url_loose_split(struct loose *l, struct sharc_span input, bool keep)
{
    struct piece s = {sharc__url_loose_room(l, input.n + 1), input.n};
    if (!s.p) return;
    if (input.n) memcpy(s.p, input.p, input.n);
    if (!keep) {
        size_t n = 0;
        for (size_t i = 0; i < s.n; i++)
            if (!(CLASS(s.p[i]) & BREAK)) s.p[n++] = s.p[i];
        s.n = n;
    }
    take_junk(l, &s);
    if (!keep) l->lead.n = l->trail.n = 0;
    l->user = l->password = l->host = l->port = l->slashes = cut(s, 0, 0);

    size_t hash = sharc_span_find(piece_span(s), '#', 0);
    l->has_fragment = hash != SHARC_NPOS;
    l->fragment = l->has_fragment ? cut(s, hash + 1, s.n) : cut(s, s.n, s.n);
    if (l->has_fragment) s.n = hash;
    size_t question = sharc_span_find(piece_span(s), '?', 0);
    l->has_query = question != SHARC_NPOS;
    l->query = l->has_query ? cut(s, question + 1, s.n) : cut(s, s.n, s.n);
    if (l->has_query) s.n = question;

    size_t colon = scheme_length(piece_span(s));
    l->has_scheme = colon != 0;
    l->scheme = cut(s, 0, colon);
    l->scheme_kind = kind_of_scheme(l->scheme);
    if (!keep) sharc__url_lower(l->scheme.p, l->scheme.n);
    sharc__url_loose_pathish(l, l->has_scheme ? cut(s, colon + 1, s.n) : s);
}

/* --- addresses --------------------------------------------------------------- */

bool sharc__url_loose_ipv4(struct sharc_span s, uint32_t *ret)
{
    char filled[128];
    size_t n = 0;
    struct sharc_span part;
    if (!s.n || s.n > sizeof filled / 2 - 1) return false;
    if (s.p[s.n - 1] == '.') s.n--;
    while (sharc_span_next(&s, '.', &part)) { /* a part left out becomes 0; the rest is the standard's business */
        if (n) filled[n++] = '.';
        if (!part.n) part = SHARC_SPAN("0");
        memcpy(filled + n, part.p, part.n);
        n += part.n;
    }
    return sharc__url_ipv4(sharc_span(filled, n), ret) == 1;
}

/* --- writing ----------------------------------------------------------------- */

static void put(struct sharc_buf *out, struct piece p)
{
    sharc_buf_put(out, piece_span(p));
}

static void put_if(struct sharc_buf *out, bool there, char c)
{
    if (there) sharc_buf_put_char(out, c);
}

/* "www.example.org" as "org,example,www"; a comma in the name becomes a dot, so
 * that the two can be told apart again. */
static void put_reversed(struct sharc_buf *out, struct sharc_span host, bool swap)
{
    for (size_t end = host.n;;) {
        size_t from = end;
        while (from && host.p[from - 1] != '.') from--;
        struct sharc_span label = sharc_span_sub(host, from, end), part;
        while (swap && sharc_span_find(label, ',', 0) != SHARC_NPOS) {
            sharc_span_next(&label, ',', &part);
            sharc_buf_put(out, part);
            sharc_buf_put_char(out, '.');
        }
        sharc_buf_put(out, label);
        if (!from) return;
        sharc_buf_put_char(out, ',');
        end = from - 1;
    }
}

static bool is_address(struct sharc_span host)
{
    uint32_t a;
    return (host.n && host.p[0] == '[') || sharc__url_loose_ipv4(host, &a);
}

static void put_surt_host(const struct loose *l, struct sharc_buf *out, bool comma)
{
    struct sharc_span host = piece_span(l->host);
    if (is_address(host)) {
        sharc_buf_put(out, host);
        return;
    }
    put_reversed(out, host, /* swap= */ true);
    put_if(out, comma, ',');
}

static void put_tail(const struct loose *l, struct sharc_buf *out)
{
    put(out, l->path);
    put_if(out, l->has_query, '?');
    put(out, l->query);
    put_if(out, l->has_fragment, '#');
    put(out, l->fragment);
    put(out, l->trail);
}

static void put_user(const struct loose *l, struct sharc_buf *out)
{
    put(out, l->user);
    put_if(out, l->has_password, ':');
    put(out, l->password);
}

static void put_port(const struct loose *l, struct sharc_buf *out)
{
    put_if(out, l->has_port, ':');
    put(out, l->port);
}

static void put_scheme(const struct loose *l, struct sharc_buf *out)
{
    put(out, l->scheme);
    put_if(out, l->has_scheme, ':');
}

static void write_url(const struct loose *l, struct sharc_buf *out)
{
    put_scheme(l, out);
    put(out, l->slashes);
    put_user(l, out);
    put_if(out, l->has_at, '@');
    put(out, l->host);
    put_port(l, out);
}

static void write_surt(const struct loose *l, struct sharc_buf *out, bool scheme, bool comma)
{
    if (scheme) {
        put_scheme(l, out);
        put(out, l->slashes);
    }
    if (!l->host.n) return;
    put_if(out, scheme, '(');
    put_surt_host(l, out, comma);
    put_port(l, out);
    sharc_buf_put_char(out, ')');
}

static void write_key(const struct loose *l, struct sharc_buf *out)
{
    if (!l->host.n) {
        put_scheme(l, out);
        return;
    }
    struct sharc_span host = piece_span(l->host);
    if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']')
        sharc_buf_put(out, sharc_span_sub(host, 1, host.n - 1)); /* as the library surt has it */
    else
        put_reversed(out, host, /* swap= */ false);
    put_port(l, out);
    sharc_buf_put_char(out, ')');
}

static void write_ssurt(const struct loose *l, struct sharc_buf *out)
{
    if (l->host.n) put_surt_host(l, out, /* comma= */ true);
    put(out, l->slashes);
    put(out, l->port);
    put_if(out, l->has_port, ':');
    put(out, l->scheme);
    put_if(out, l->has_at, '@');
    put_user(l, out);
    put_if(out, l->has_scheme, ':');
}

void sharc__url_loose_write(const struct loose *l, enum sharc_url_layout layout, struct sharc_buf *out)
{
    put(out, l->lead);
    switch (layout) {
    case SHARC_AS_URL: write_url(l, out); break;
    case SHARC_AS_SURT: write_surt(l, out, /* scheme= */ true, /* comma= */ true); break;
    case SHARC_AS_SURT_NO_COMMA: write_surt(l, out, /* scheme= */ true, /* comma= */ false); break;
    case SHARC_AS_SURT_NO_SCHEME: write_surt(l, out, /* scheme= */ false, /* comma= */ true); break;
    case SHARC_AS_KEY: write_key(l, out); break;
    case SHARC_AS_SSURT: write_ssurt(l, out); break;
    }
    put_tail(l, out);
}
