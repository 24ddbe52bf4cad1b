/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of files. They must be good on every file system a mirror may be
 * copied to: no letters but ASCII, no name that differs from another by case
 * only (the table sees to that), none that Windows keeps for itself.
 */
#include "mirror_int.h"

#include "sharc/base_digest.h"

#include <inttypes.h>

enum { LONGEST_NAME = 100, KEPT_OF_NAME = 60, LONGEST_EXTENSION = 5 };

/* --- media types ----------------------------------------------------------- */

/* extensions: the first is given where one is missing. strict: a browser that
 * has only the name takes it for what it is by these alone. */
static const struct kind {
    struct sharc_span mime;
    const char *extensions;
    bool strict;
    enum mirror_type type;
} kinds[] = {
    {SHARC_SPAN("text/html"), "html htm shtml", true, MIRROR_HTML},
    {SHARC_SPAN("application/xhtml+xml"), "xhtml xht", true, MIRROR_XML},
    {SHARC_SPAN("image/svg+xml"), "svg", true, MIRROR_XML},
    {SHARC_SPAN("text/css"), "css", true, MIRROR_CSS},
    {SHARC_SPAN("text/javascript"), "js mjs", false, MIRROR_OTHER},
    {SHARC_SPAN("application/javascript"), "js mjs", false, MIRROR_OTHER},
    {SHARC_SPAN("application/x-javascript"), "js mjs", false, MIRROR_OTHER},
    {SHARC_SPAN("image/png"), "png", false, MIRROR_OTHER},
    {SHARC_SPAN("image/jpeg"), "jpg jpeg jpe", false, MIRROR_OTHER},
    {SHARC_SPAN("image/gif"), "gif", false, MIRROR_OTHER},
    {SHARC_SPAN("image/webp"), "webp", false, MIRROR_OTHER},
    {SHARC_SPAN("image/avif"), "avif", false, MIRROR_OTHER},
    {SHARC_SPAN("image/bmp"), "bmp", false, MIRROR_OTHER},
    {SHARC_SPAN("image/x-icon"), "ico", false, MIRROR_OTHER},
    {SHARC_SPAN("image/vnd.microsoft.icon"), "ico", false, MIRROR_OTHER},
    {SHARC_SPAN("application/pdf"), "pdf", true, MIRROR_OTHER},
    {SHARC_SPAN("application/json"), "json", false, MIRROR_OTHER},
    {SHARC_SPAN("application/xml"), "xml", false, MIRROR_OTHER},
    {SHARC_SPAN("text/xml"), "xml", false, MIRROR_OTHER},
    {SHARC_SPAN("application/rss+xml"), "xml rss", false, MIRROR_OTHER},
    {SHARC_SPAN("application/atom+xml"), "xml atom", false, MIRROR_OTHER},
    {SHARC_SPAN("text/plain"), "txt", false, MIRROR_OTHER},
    {SHARC_SPAN("font/woff2"), "woff2", false, MIRROR_OTHER},
    {SHARC_SPAN("font/woff"), "woff", false, MIRROR_OTHER},
    {SHARC_SPAN("font/ttf"), "ttf", false, MIRROR_OTHER},
    {SHARC_SPAN("video/mp4"), "mp4", false, MIRROR_OTHER},
    {SHARC_SPAN("video/webm"), "webm", false, MIRROR_OTHER},
    {SHARC_SPAN("audio/mpeg"), "mp3", false, MIRROR_OTHER},
    {SHARC_SPAN("audio/ogg"), "ogg oga", false, MIRROR_OTHER},
    {SHARC_SPAN("application/zip"), "zip", false, MIRROR_OTHER},
};

static const struct kind *kind_of(struct sharc_span mime)
{
    for (size_t i = 0; i < SHARC_LENGTH(kinds); i++)
        if (sharc_span_ieq(kinds[i].mime, mime)) return &kinds[i];
    return NULL;
}

enum mirror_type sharc__replay_mirror_type(struct sharc_span mime)
{
    const struct kind *k = kind_of(mime);
    return k ? k->type : MIRROR_OTHER;
}

static bool is_listed(const char *extensions, struct sharc_span extension)
{
    struct sharc_span rest = sharc_span_of(extensions), word;
    while (sharc_span_next(&rest, ' ', &word))
        if (sharc_span_ieq(word, extension)) return true;
    return false;
}

/* Would a browser take the file for a page, a style sheet, …? */
static bool is_strict(struct sharc_span extension)
{
    for (size_t i = 0; i < SHARC_LENGTH(kinds); i++)
        if (kinds[i].strict && is_listed(kinds[i].extensions, extension)) return true;
    return false;
}

size_t sharc__replay_mirror_extension(struct sharc_span path)
{
    size_t at = path.n;
    while (at > 0 && path.n - at <= LONGEST_EXTENSION && sharc_is_alnum(path.p[at - 1])) at--;
    bool there = at > 1 && at < path.n && path.p[at - 1] == '.' && path.p[at - 2] != '/';
    return there ? at - 1 : path.n;
}

/* --- names ----------------------------------------------------------------- */

/* Some byte of a URL, percent-encoded or not; *at moves behind it. */
static unsigned char next_byte(struct sharc_span s, size_t *at)
{
    if (s.p[*at] == '%' && *at + 2 < s.n) {
        int high = sharc_hex_value(s.p[*at + 1]), low = sharc_hex_value(s.p[*at + 2]);
        if (high >= 0 && low >= 0) {
            *at += 3;
            return (unsigned char)(high << 4 | low);
        }
    }
    return (unsigned char)s.p[(*at)++];
}

static void put_safe(struct sharc_buf *b, struct sharc_span s)
{
    for (size_t at = 0; at < s.n;) {
        unsigned char c = next_byte(s, &at);
        if (sharc_is_alnum((char)c) || (c && strchr("-._~=+@", c)))
            sharc_buf_put_char(b, (char)c);
        else if (c == '&') /* no comma: in a srcset it may end the URL */
            sharc_buf_put_char(b, '+');
        else
            sharc_buf_printf(b, "=%02X", c);
    }
}

/* Windows has devices where others have files, whatever the extension. */
static bool is_reserved(struct sharc_span name)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul"};
    size_t dot = sharc_span_find(name, '.', 0);
    struct sharc_span stem = sharc_span_sub(name, 0, dot == SHARC_NPOS ? name.n : dot);
    for (size_t i = 0; i < SHARC_LENGTH(devices); i++)
        if (sharc_span_ieq(stem, sharc_span_of(devices[i]))) return true;
    return stem.n == 4 && sharc_is_digit(stem.p[3]) &&
           (sharc_span_istarts(stem, SHARC_SPAN("com")) || sharc_span_istarts(stem, SHARC_SPAN("lpt")));
}

/* Make what was written from `start` on a name that can be used; whole: what a
 * name that is too long is told apart by. */
static void mend_name(struct sharc_buf *b, size_t start, struct sharc_span whole)
{
    if (b->n == start) sharc_buf_put_char(b, '_');
    if (is_reserved(sharc_span(b->p + start, b->n - start))) sharc_buf_splice(b, start, 0, SHARC_SPAN("_"));
    if (b->n - start > LONGEST_NAME) {
        sharc_buf_truncate(b, start + KEPT_OF_NAME);
        sharc_buf_printf(b, "~%016" PRIx64, sharc_fingerprint(whole, 0));
    }
    if (b->p[b->n - 1] == '.') sharc_buf_put_char(b, '_'); /* also "." and ".." */
}

static void put_extension(struct sharc_buf *b, size_t start, struct sharc_span mime)
{
    struct sharc_span name = sharc_span(b->p + start, b->n - start);
    size_t at = sharc__replay_mirror_extension(name);
    struct sharc_span extension = sharc_span_from(name, at < name.n ? at + 1 : at);
    const struct kind *k = kind_of(mime);
    if (!k || (extension.n && is_listed(k->extensions, extension))) return;
    if (extension.n && !k->strict && !is_strict(extension)) return;
    struct sharc_span rest = sharc_span_of(k->extensions), first = SHARC_SPAN_NONE;
    sharc_span_next(&rest, ' ', &first);
    sharc_buf_put_char(b, '.');
    sharc_buf_put(b, first);
}

static void put_host(struct sharc_buf *b, const struct sharc_url *url)
{
    size_t start = b->n;
    struct sharc_span port = sharc_url_port_text(url);
    put_safe(b, sharc_url_host(url));
    if (port.n) sharc_buf_put_char(b, '_');
    sharc_buf_put(b, port);
    mend_name(b, start, sharc_url_host(url));
    sharc_buf_put_char(b, '/');
}

void sharc_mirror_path(const struct sharc_url *url, struct sharc_span mime, struct sharc_buf *out)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(16 * SHARC_LIMIT_URL);
    struct sharc_span path = sharc_url_path(url), query = sharc_url_query(url), rest = path, segment;
    if (sharc_span_starts(rest, SHARC_SPAN("/"))) rest = sharc_span_from(rest, 1);
    put_host(&b, url);
    size_t below = b.n, start = b.n;
    while (sharc_span_next(&rest, '/', &segment)) {
        bool last = rest.n == SHARC_NPOS;
        start = b.n;
        put_safe(&b, segment);
        if (last) break;
        mend_name(&b, start, segment);
        sharc_buf_put_char(&b, '/');
    }
    if (b.n == start) sharc_buf_put(&b, SHARC_SPAN("index"));
    if (query.n) sharc_buf_put_char(&b, '@');
    put_safe(&b, query);
    mend_name(&b, start, sharc_url_page(url));
    put_extension(&b, start, mime);
    if (b.n > SHARC_MIRROR_PATH && b.n > below) { /* no part of it is of use any more */
        struct sharc_span extension =
            sharc_span_from(sharc_buf_span(&b), sharc__replay_mirror_extension(sharc_buf_span(&b)));
        SHARC_AUTO(sharc_freep) char *kept = sharc_span_dup(extension);
        sharc_buf_truncate(&b, below);
        sharc_buf_printf(&b, "~/%016" PRIx64 "%s", sharc_fingerprint(sharc_url_page(url), 0), kept);
    }
    sharc_buf_put(out, sharc_buf_span(&b));
}

/* --- the way --------------------------------------------------------------- */

void sharc__replay_mirror_relative(struct sharc_span from, struct sharc_span to, struct sharc_buf *out)
{
    size_t common = 0; /* of both, up to and with a slash */
    for (size_t i = 0; i < from.n && i < to.n && from.p[i] == to.p[i]; i++)
        if (from.p[i] == '/') common = i + 1;
    for (size_t i = common; i < from.n; i++)
        if (from.p[i] == '/') sharc_buf_put(out, SHARC_SPAN("../"));
    sharc_buf_put(out, sharc_span_from(to, common));
}
