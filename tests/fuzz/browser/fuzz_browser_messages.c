/* SPDX-License-Identifier: Apache-2.0
 *
 * What comes over the pipe of a browser, in pieces of any size: nothing may be read twice or too far, sessions are
 * known once and go with those that attached them, and what is sent stays JSON.
 */
#include "../../../src/browser/browser_int.h"

#include <stdlib.h>

enum { MOST = 2048 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void heard(void *arg, struct sharc_browser *b, const struct sharc_browser_event *e)
{
    size_t *live = arg;
    SHARC_ASSERT(e->session || e->kind == SHARC_BROWSER_EVENT || e->kind == SHARC_BROWSER_REFUSED);
    if (e->kind == SHARC_BROWSER_ATTACHED) ++*live;
    if (e->kind == SHARC_BROWSER_DETACHED) --*live;
    if (e->kind != SHARC_BROWSER_EVENT || !e->session) return;
    struct sharc_json *j = sharc_browser_begin(b, e->session, "Echo");
    sharc_json_span(j, "method", e->method);
    sharc_browser_send(b);
}

/* All that was to be sent is read by the same reader. */
static void check_sent(const struct sharc_browser *b)
{
    struct sharc_span rest = sharc_buf_span(&b->out);
    for (size_t end; rest.n; rest = sharc_span_from(rest, end + 1)) {
        SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 24);
        const struct sharc_node *tree = NULL;
        end = sharc_span_find(rest, 0, 0);
        SHARC_ASSERT(end != SHARC_NPOS && sharc_json_read(sharc_span_sub(rest, 0, end), &arena, &tree, NULL) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t live = 0;
    const struct sharc_browser_options o = {.event = heard, .arg = &live};
    SHARC_AUTO(sharc_browser_stopp) struct sharc_browser *b = sharc__browser_new(&o);
    struct browser_message m;
    sharc__browser_inbox_done(&b->inbox);
    sharc__browser_inbox_init(&b->inbox, MOST);
    size_t step = size ? data[0] % (MOST / 2) + 1u : 1;
    b->awaited = 1;
    for (size_t at = 1; at < size; at += step) {
        size_t n = size - at < step ? size - at : step;
        sharc__browser_inbox_put(&b->inbox, sharc_span(data + at, n));
        while (sharc__browser_inbox_next(&b->inbox, &m)) {
            SHARC_ASSERT(m.text.n <= 2 * MOST && (m.id || m.method.n));
            sharc__browser_take(b, &m);
        }
        SHARC_ASSERT(b->inbox.bytes.n - b->inbox.at <= MOST && !b->inbox.bytes.failed);
    }
    size_t known = 0;
    for (size_t i = 0; i < b->sessions.count; i++) known += strcmp(b->sessions.items[i]->kind, "browser_ui") != 0;
    SHARC_ASSERT(known == live);
    check_sent(b);
    return 0;
}
