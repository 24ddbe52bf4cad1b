/* SPDX-License-Identifier: Apache-2.0
 *
 * Standard output. Commands print with stdio, which forgets why a write failed, and
 * they print names, titles and URLs of other people, which may hold anything. Both are
 * looked after here, in the one place that all output passes.
 */
#include "cli.h"

#include <errno.h>
#include <unistd.h>

/* The colours that commands use; any other escape is foreign. */
static const char *const ours[] = {"\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[1m",
                                   "\x1b[7m",  "\x1b[27m", "\x1b[0m",  NULL};

static int write_all(struct cli_output *o, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t k = write(o->fd, p, n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) {
            if (!o->error) o->error = errno;
            return -1;
        }
        p += k;
        n -= (size_t)k;
    }
    return 0;
}

/* --- on a terminal --------------------------------------------------------- */

enum verdict { PASS, WAIT, FOREIGN };

static enum verdict judge_escape(const struct cli_output *o, size_t n)
{
    const unsigned char *p = o->held;
    for (size_t i = 0; o->colours && ours[i]; i++) {
        size_t all = strlen(ours[i]);
        if (n <= all && memcmp(ours[i], p, n) == 0) return n == all ? PASS : WAIT;
    }
    return FOREIGN;
}

/* One character from its first byte on: its size by that byte, 0 when it is none. */
static size_t utf8_size(unsigned char first)
{
    return first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

/* The first n bytes that are held. */
static enum verdict judge(const struct cli_output *o, size_t n)
{
    const unsigned char *p = o->held;
    if (p[0] == 0x1b) return judge_escape(o, n);
    if (p[0] < 0x20) return p[0] == '\n' || p[0] == '\t' ? PASS : FOREIGN;
    size_t size = utf8_size(p[0]);
    if (size == 0 || p[0] == 0x7f) return FOREIGN;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return FOREIGN;
    uint32_t c;
    if (n < size) return WAIT;
    return size > 1 && (sharc_utf8_decode(sharc_span(p, n), &c) != n || sharc_steers_terminal(c)) ? FOREIGN : PASS;
}

/* The first byte that is held, as text; the others are looked at again. */
static void show_first(struct cli_output *o, struct sharc_buf *out)
{
    sharc_buf_printf(out, "\\x%02x", o->held[0]);
    memmove(o->held, o->held + 1, --o->held_count);
}

/* Everything of what is held that can be decided. */
static void settle(struct cli_output *o, struct sharc_buf *out)
{
    while (o->held_count) {
        enum verdict v = WAIT;
        size_t n = 0;
        while (v == WAIT && n < o->held_count) v = judge(o, ++n);
        if (v == WAIT) return;
        if (v == FOREIGN) {
            show_first(o, out);
            continue;
        }
        sharc_buf_put(out, sharc_span(o->held, n));
        o->held_count -= n;
        memmove(o->held, o->held + n, o->held_count);
    }
}

static int write_visible(struct cli_output *o, const char *p, size_t n)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(4 * (n + sizeof o->held));
    for (size_t i = 0; i < n; i++) {
        o->held[o->held_count++] = (unsigned char)p[i];
        settle(o, &out);
    }
    return write_all(o, sharc_buf_str(&out), out.n);
}

/* --- inside a line --------------------------------------------------------- */

const char *cli_shown(struct sharc_span text, char room[CLI_SHOWN_ROOM])
{
    static const char more[] = "…";
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        const char c = text.p[i];
        if (n + sizeof "\\x0a" + sizeof more > CLI_SHOWN_ROOM) {
            memcpy(room + n, more, sizeof more);
            return room;
        }
        if (c == '\n' || c == '\r')
            n += (size_t)snprintf(room + n, CLI_SHOWN_ROOM - n, "\\x%02x", (unsigned)c);
        else
            room[n++] = c;
    }
    room[n] = '\0';
    return room;
}

/* --- the stream ------------------------------------------------------------ */

static ssize_t put(void *cookie, const char *p, size_t n)
{
    struct cli_output *o = cookie;
    int r = o->terminal ? write_visible(o, p, n) : write_all(o, p, n);
    if (r < 0) errno = o->error;
    return r < 0 ? 0 : (ssize_t)n; /* 0 is how a cookie says that it failed */
}

static int end(void *cookie)
{
    struct cli_output *o = cookie;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64);
    while (o->held_count) show_first(o, &out);
    return write_all(o, sharc_buf_str(&out), out.n);
}

FILE *cli_output_open(struct cli_output *o, int fd, bool terminal)
{
    *o = (struct cli_output){.fd = fd, .terminal = terminal};
    FILE *f = fopencookie(o, "w", (cookie_io_functions_t){.write = put, .close = end});
    if (f && terminal) setvbuf(f, NULL, _IOLBF, BUFSIZ);
    return f;
}
