/* SPDX-License-Identifier: Apache-2.0
 *
 * What robots.txt of each host said, from one turn of a watch to the next: one that is taken up every hour would spend
 * its budget on asking again. Only answers that allow something are kept, and for no longer than they hold.
 *
 *   ORIGIN SPACE fetched SPACE expires SPACE size NEWLINE, size bytes of robots.txt, NEWLINE     -1: there is none
 */
#include "looks_int.h"

#include <inttypes.h>
#include <stdlib.h>

static struct robots_note *note_of(struct sharc_looks *l, uint32_t host)
{
    SHARC_GROW(l->notes.of, l->notes.room, (size_t)host + 1);
    while (l->notes.count <= host) l->notes.of[l->notes.count++] = (struct robots_note){.size = NO_NOTE};
    return &l->notes.of[host];
}

void sharc__looks_note_robots(struct sharc_looks *l, uint32_t host, const struct sharc_span *text)
{
    struct robots_note *n = note_of(l, host);
    free(n->text);
    *n = (struct robots_note){.size = text ? (int64_t)text->n : NO_ROBOTS, .text = text ? sharc_span_dup(*text) : NULL};
}

void sharc__looks_forget_robots(struct sharc_looks *l, uint32_t host)
{
    struct robots_note *n = note_of(l, host);
    free(n->text);
    *n = (struct robots_note){.size = NO_NOTE};
}

void sharc__looks_robots_done(struct sharc_looks *l)
{
    for (size_t i = 0; i < l->notes.count; i++) free(l->notes.of[i].text);
    free(l->notes.of);
}

int sharc_looks_save_robots(const struct sharc_looks *l, struct sharc_buf *out, struct sharc_err *reterr)
{
    for (size_t i = 0; i < l->notes.count; i++) {
        const struct robots_note *n = &l->notes.of[i];
        const struct host *h = &l->hosts.host[i];
        if (n->size == NO_NOTE || h->robots != ROBOTS_KNOWN || h->expires == SHARC_TIME_NONE) continue;
        sharc_buf_printf(out, "%s %" PRId64 " %" PRId64 " %" PRId64 "\n", h->origin, h->fetched, h->expires, n->size);
        if (n->size > 0) sharc_buf_put(out, sharc_span(n->text, (size_t)n->size));
        sharc_buf_put_char(out, '\n');
    }
    return sharc_buf_result(out, reterr);
}

/* One entry, taken off *bytes; false: what is left cannot be understood. */
static bool take_entry(struct sharc_looks *l, struct sharc_span *bytes)
{
    struct sharc_span line, word[4];
    int64_t fetched, expires, size;
    if (!sharc_span_next(bytes, '\n', &line) || !bytes->p) return false;
    for (size_t i = 0; i < SHARC_LENGTH(word); i++)
        if (!sharc_span_next(&line, ' ', &word[i])) return false;
    if (sharc_span_to_i64(word[1], &fetched) < 0 || sharc_span_to_i64(word[2], &expires) < 0 ||
        sharc_span_to_i64(word[3], &size) < 0 || size < NO_ROBOTS || size > (int64_t)SHARC_ROBOTS_BYTES)
        return false;
    const size_t n = size > 0 ? (size_t)size : 0;
    if (bytes->n < n + 1 || sharc_url_parse(&l->url, word[0], NULL, NULL) < 0) return false;
    const struct sharc_span text = sharc_span_sub(*bytes, 0, n);
    *bytes = sharc_span_from(*bytes, n + 1);
    const sharc_time now = crawl_now(&l->ctx);
    if (expires <= now || fetched > now) return true;
    const uint32_t host = sharc__crawl_hosts_of(&l->hosts, &l->url);
    sharc__crawl_host_rules(&l->hosts, host,
                            size == NO_ROBOTS ? sharc_robots_new_fixed(true)
                                              : sharc_robots_new(text, SHARC_ROBOTS_TOKEN),
                            fetched, expires);
    sharc__looks_note_robots(l, host, size == NO_ROBOTS ? NULL : &text);
    return true;
}

void sharc_looks_restore_robots(struct sharc_looks *l, struct sharc_span bytes)
{
    while (bytes.n && take_entry(l, &bytes)) continue;
}
