/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite_int.h"

#include "sharc/base_order.h"

#include <stdlib.h>

/* --- charsets in which letters hold ASCII bytes ---------------------------- */

/* Is a double-byte letter possible at p (two bytes are there)? More than the
 * charset allows may pass for one: only what looks like ASCII matters, and no
 * second byte is smaller than 0x40, so that no '<', '&' or quote is lost. */
static bool is_pair(enum sharc_charset charset, const unsigned char *p)
{
    if (p[0] < 0x81 || p[0] == 0xff || p[1] < 0x40) return false;
    return charset != SHARC_CHARSET_SHIFT_JIS || p[0] <= 0x9f || p[0] >= 0xe0;
}

static void mask_pairs(enum sharc_charset charset, char *p, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++) {
        if (!is_pair(charset, (const unsigned char *)p + i)) continue;
        p[i] = p[i + 1] = (char)0x80;
        i++;
    }
}

/* ISO-2022-JP: ESC $ begins letters of two bytes, ESC ( I those of one that are
 * no ASCII; ESC ( B and ESC ( J end them. */
static void mask_shifted(char *p, size_t n)
{
    bool shifted = false;
    for (size_t i = 0; i < n; i++) {
        if (p[i] != 0x1b || i + 2 >= n) {
            if (shifted) p[i] = (char)0x80;
            continue;
        }
        shifted = p[i + 1] == '$' || (p[i + 1] == '(' && p[i + 2] == 'I');
        p[i] = p[i + 1] = p[i + 2] = (char)0x80;
        i += 2;
    }
}

bool sharc__replay_rewrite_mask(enum sharc_charset charset, struct sharc_span page, struct sharc_buf *out)
{
    bool pairs = charset == SHARC_CHARSET_SHIFT_JIS || charset == SHARC_CHARSET_BIG5 || charset == SHARC_CHARSET_GBK ||
                 charset == SHARC_CHARSET_GB18030 || charset == SHARC_CHARSET_EUC_KR;
    if ((!pairs && charset != SHARC_CHARSET_ISO_2022_JP) || !page.n) return false;
    sharc_buf_init(out, page.n);
    sharc_buf_put(out, page);
    if (pairs)
        mask_pairs(charset, out->p, out->n);
    else
        mask_shifted(out->p, out->n);
    return true;
}

/* --- references ------------------------------------------------------------ */

void sharc__replay_rewrite_view_done(struct rewrite_view *v)
{
    sharc_buf_done(&v->text);
    free(v->references);
    *v = (struct rewrite_view){.count = 0};
}

void sharc__replay_rewrite_view_read(struct rewrite_view *v, struct sharc_span raw, bool references, bool attribute)
{
    v->count = 0;
    v->bytes = raw;
    if (!references || sharc_span_find(raw, '&', 0) == SHARC_NPOS) return;
    sharc_buf_clear(&v->text);
    v->text.max = SIZE_MAX / 2; /* at most as many bytes as raw has, times two: no reference grows further */
    size_t done = 0, at = 0;
    while ((at = sharc_span_find(raw, '&', at)) != SHARC_NPOS) {
        char utf8[SHARC_HTML_REFERENCE];
        size_t n, length = sharc_html_reference(sharc_span_from(raw, at), attribute, utf8, &n);
        if (!length) {
            at++;
            continue;
        }
        sharc_buf_put(&v->text, sharc_span_sub(raw, done, at));
        SHARC_GROW(v->references, v->room, v->count + 1);
        v->references[v->count++] = (struct view_reference){v->text.n, v->text.n + n, at, at + length};
        sharc_buf_put(&v->text, sharc_span(utf8, n));
        done = at += length;
    }
    sharc_buf_put(&v->text, sharc_span_from(raw, done));
    v->bytes = sharc_buf_span(&v->text);
}

/* The last reference that begins at `at` or before, or NULL. */
static const struct view_reference *reference_before(const struct rewrite_view *v, size_t at)
{
    size_t n = SHARC_COUNT_WHILE(i, v->count, v->references[i].at <= at);
    return n ? &v->references[n - 1] : NULL;
}

size_t sharc__replay_rewrite_view_start(const struct rewrite_view *v, size_t at)
{
    const struct view_reference *r = reference_before(v, at);
    if (!r) return at;
    return at < r->end ? r->raw_at : r->raw_end + (at - r->end);
}

size_t sharc__replay_rewrite_view_end(const struct rewrite_view *v, size_t end)
{
    const struct view_reference *r = end ? reference_before(v, end - 1) : NULL;
    if (!r) return end;
    return end <= r->end ? r->raw_end : r->raw_end + (end - r->end);
}
