/* SPDX-License-Identifier: Apache-2.0
 *
 * The web interface: files that are part of the program, below /ui/. Its views have addresses there, too, and
 * all of them are answered with the same page, which asks /api/ for what it shows.
 */
#include "ui.h"

#include "call.h"
#include "sharc/base_codec.h"

/* Scripts and styles of ours alone, none of them inline; what is asked for is on this host. */
#define UI_POLICY                                                                                               \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " \
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

static void put_policy(struct serve_call *c)
{
    sharc__serve_header(c, "Content-Security-Policy", SHARC_SPAN(UI_POLICY));
    sharc__serve_header(c, "Referrer-Policy", SHARC_SPAN("no-referrer"));
    sharc__serve_header(c, "X-Content-Type-Options", SHARC_SPAN("nosniff"));
}

static void send_file(struct serve_call *c, const struct serve_ui_file *f)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf plain = SHARC_BUF_INIT(64u << 20);
    struct sharc_span packed = sharc_span((const char *)f->gzip, f->gzip_n);
    put_policy(c);
    sharc__serve_header(c, "Content-Type", sharc_span_of(f->type));
    sharc__serve_header(c, "ETag", sharc_span_of(f->etag));
    sharc__serve_header(c, "Cache-Control", SHARC_SPAN("no-cache")); /* asked each time, answered by 304 */
    sharc__serve_header(c, "Vary", SHARC_SPAN("Accept-Encoding"));
    if (sharc_http_request_has(c->request, f->etag, SHARC_TIME_NONE)) {
        sharc__serve_status(c, 304);
        sharc_http_answer_borrow(c->answer, packed);
        c->size = 0;
        return;
    }
    if (sharc_span_search(sharc_http_request_header(c->request, "Accept-Encoding"), SHARC_SPAN("gzip")) != SHARC_NPOS) {
        sharc__serve_header(c, "Content-Encoding", SHARC_SPAN("gzip"));
        sharc_http_answer_borrow(c->answer, packed);
        c->size = f->gzip_n;
        return;
    }
    struct sharc_inflate *state = sharc_inflate_new();
    int64_t used = sharc_inflate_member(state, packed, &plain);
    sharc_inflate_free(state);
    if (used < 0)
        sharc__serve_plain(c, 500, "A file of the web interface cannot be unpacked.");
    else
        sharc__serve_body(c, &plain);
}

bool sharc__serve_has_ui(void)
{
    return sharc__serve_ui_count > 0;
}

/* Below /ui/ a name with a dot is a file, every other one a view. */
void sharc__serve_ui(struct serve_call *c, struct sharc_span name)
{
    bool view = sharc_span_find(name, '.', 0) == SHARC_NPOS;
    if (!sharc__serve_has_ui()) {
        sharc__serve_page_error(c, 404, "No web interface",
                                "This sharc was built without its web interface. Install Node and npm (Debian: nodejs, "
                                "npm), then run: meson configure build/release -Dui=enabled && make build.",
                                SHARC_SPAN_NONE, false);
        return;
    }
    for (const struct serve_ui_file *f = sharc__serve_ui_files; f->name; f++)
        if (view ? strcmp(f->name, "index.html") == 0 : sharc_span_is(name, f->name)) {
            send_file(c, f);
            return;
        }
    sharc__serve_page_error(c, 404, "Nothing here", "The web interface has no such file.", SHARC_SPAN_NONE, false);
}
