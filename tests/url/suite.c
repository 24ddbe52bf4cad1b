/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_file.h"
#include "suite.h"

#include <stdio.h>

/* The value of \uXXXX at s.p[i], or -1. */
static int unicode_escape(struct sharc_span s, size_t i)
{
    int v = 0;
    if (s.n - i < 6 || s.p[i] != '\\' || s.p[i + 1] != 'u') return -1;
    for (size_t k = i + 2; k < i + 6; k++) v = v << 4 | sharc_hex_value(s.p[k]);
    return v;
}

static void mend_surrogates(struct sharc_buf *b)
{
    struct sharc_span s = sharc_buf_span(b);
    for (size_t i = 0; i + 5 < s.n; i++) {
        if (s.p[i] != '\\') continue;
        int v = unicode_escape(s, i);
        bool high = v >= 0xd800 && v < 0xdc00, low = v >= 0xdc00 && v < 0xe000;
        int next = high && i + 6 < s.n ? unicode_escape(s, i + 6) : -1;
        bool pair = high && next >= 0xdc00 && next < 0xe000;
        if ((high && !pair) || low) memcpy(b->p + i + 2, "fffd", 4);
        i += pair ? 11 : 1; /* an escaped backslash is two bytes */
    }
}

void suite_open(struct suite *s, const char *name, bool json)
{
    char below[256];
    snprintf(below, sizeof below, "suites/%s", name);
    const char *path = test_shared_or_skip(below);
    struct sharc_err err = SHARC_ERR_INIT;
    *s = (struct suite){.bytes = SHARC_BUF_INIT(16u << 20), .arena = SHARC_ARENA_INIT(64u << 20)};
    assert_int_equal(sharc_file_read(path, &s->bytes, &err), 0);
    if (!json) return;
    mend_surrogates(&s->bytes);
    if (sharc_json_read(sharc_buf_span(&s->bytes), &s->arena, &s->root, &err) < 0) fail_msg("%s: %s", name, err.text);
}

void suite_close(struct suite *s)
{
    sharc_arena_done(&s->arena);
    sharc_buf_done(&s->bytes);
}

struct sharc_span suite_unescape(struct sharc_span s)
{
    char *out = (char *)(uintptr_t)s.p;
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '\\' && i + 1 < s.n) {
            c = s.p[++i];
            if (c == 'n') c = '\n';
            if (c == 'r') c = '\r';
            if (c == 't') c = '\t';
            if (c == 'x' && i + 2 < s.n) {
                c = (char)(sharc_hex_value(s.p[i + 1]) << 4 | sharc_hex_value(s.p[i + 2]));
                i += 2;
            }
        }
        out[n++] = c;
    }
    return sharc_span(out, n);
}

void tally_add(struct tally *t, bool passed, struct sharc_span key, const char *detail)
{
    if (passed) {
        t->passed++;
        return;
    }
    for (const char *const *k = t->known; k && *k; k++) {
        if (!sharc_span_is(key, *k)) continue;
        t->forgiven++;
        return;
    }
    t->failed++;
    print_error("%s: \"%.*s\": %s\n", t->name, (int)key.n, key.p ? key.p : "", detail);
}

void tally_check(const struct tally *t, size_t total)
{
    print_message("%s: %zu of %zu pass, %zu known misses\n", t->name, t->passed, t->passed + t->forgiven + t->failed,
                  t->forgiven);
    assert_int_equal(t->failed, 0);
    assert_int_equal(t->passed + t->forgiven, total);
}
