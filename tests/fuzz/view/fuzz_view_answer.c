/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests of a browser, as its messages tell them: each one is answered, once, by a command that is JSON.
 */
#include "../../../src/browser/browser_int.h"
#include "../../../src/view/view_int.h"

#include "sharc/base_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BODY "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a\r\nX: \xe9\r\n\r\n<p>x"
static const char archive[] =
    "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:1>\r\n"
    "WARC-Date: 2026-11-01T12:00:00Z\r\nWARC-Target-URI: http://a.test/\r\n"
    "Content-Type: application/http; msgtype=response\r\nContent-Length: 69\r\n\r\n" BODY "\r\n\r\n";

static struct sharc_collection *collection;
static char path[] = "/tmp/sharc-fuzz-XXXXXX.warc";

static void end(void)
{
    sharc_collection_free(collection);
    unlink(path);
}

static const struct sharc_edition *edition(void)
{
    if (!collection) {
        const char *name = path;
        struct sharc_err err = SHARC_ERR_INIT;
        int fd = mkstemps(path, 5);
        SHARC_ASSERT(fd >= 0 && write(fd, archive, sizeof archive - 1) == (ssize_t)sizeof archive - 1);
        close(fd);
        const struct sharc_collection_options o = {.threads = 1};
        if (sharc_collection_open(&name, 1, &o, &collection, &err) < 0) fprintf(stderr, "%s\n", err.text);
        SHARC_ASSERT(collection);
        atexit(end);
    }
    return sharc_collection_hold(collection);
}

/* Each answer is a command for that request. */
static void check_sent(const struct sharc_browser *b, size_t want)
{
    struct sharc_span rest = sharc_buf_span(&b->out);
    size_t count = 0;
    for (size_t stop; rest.n; rest = sharc_span_from(rest, stop + 1), count++) {
        SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 24);
        const struct sharc_node *tree = NULL;
        stop = sharc_span_find(rest, 0, 0);
        SHARC_ASSERT(stop != SHARC_NPOS && sharc_json_read(sharc_span_sub(rest, 0, stop), &arena, &tree, NULL) == 0);
        struct sharc_span method = sharc_node_text(sharc_node_get(tree, "method"));
        SHARC_ASSERT(sharc_span_is(method, "Fetch.fulfillRequest") || sharc_span_is(method, "Fetch.failRequest"));
    }
    SHARC_ASSERT(count == want);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 24);
    const struct sharc_node *params = NULL;
    if (sharc_json_read(sharc_span(data, size), &arena, &params, NULL) < 0) return 0;
    const struct sharc_browser_options none = {.program = NULL};
    struct sharc_browser_session session = {.id = "S", .target = "T", .context = "C", .kind = "page"};
    struct view_tab tab = {.session = &session}, *tabs[] = {&tab};
    struct sharc_view_page page = {.context = "C", .at = "20261101", .tabs = tabs, .tab_count = 1, .has_main = true};
    struct sharc_view_page *pages[] = {&page};
    struct sharc_view *v = SHARC_NEW(struct sharc_view);
    tab.page = &page;
    v->browser = sharc__browser_new(&none);
    v->o.edition = edition();
    v->pages = pages;
    v->page_count = 1;
    sharc__view_answer(v, &session, params);
    sharc__view_answer(v, &session, params);
    check_sent(v->browser, 2);
    sharc__view_not_taken(v, v->browser->last);
    check_sent(v->browser, 3);
    for (size_t i = 0; i < page.request_count; i++) free((char *)page.requests[i].url);
    free(page.requests);
    sharc_collection_release(collection, v->o.edition);
    sharc_browser_stop(v->browser);
    free(v);
    return 0;
}
