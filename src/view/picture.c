/* SPDX-License-Identifier: Apache-2.0
 *
 * What is on screen, as a picture, as print and as text.
 */
#include "view_int.h"

#include "sharc/base_digest.h"

#include <stdlib.h>

/* How long the browser may take for one answer: it works, but it may have been made to work hard. */
#define PATIENCE (2 * SHARC_MINUTE)

/* A copy: it may go away while we wait for something. */
static int main_session(const struct sharc_view_page *p, struct sharc_browser_session *ret, struct sharc_err *reterr)
{
    const struct view_tab *t = sharc__view_main(p);
    SHARC_FAIL_IF(!t, reterr, SHARC_ECORRUPT, "%s: the page has closed itself", p->url);
    SHARC_FAIL_IF(p->hangs, reterr, SHARC_ECORRUPT, "%s: the page does not answer; a script may run for ever", p->url);
    *ret = *t->session;
    return 0;
}

static int put_base64(struct sharc_span text, struct sharc_buf *out, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) uint8_t *bytes = sharc_malloc(text.n + 1);
    size_t n = 0;
    SHARC_FAIL_IF(!text.n || sharc_base64_decode(text, bytes, text.n + 1, &n) < 0, reterr, SHARC_EIO,
                  "the browser gives a picture that cannot be read");
    sharc_buf_put(out, sharc_span(bytes, n));
    return sharc_buf_result(out, reterr);
}

static double within(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

int sharc_view_screenshot(struct sharc_view *v, struct sharc_view_page *page, struct sharc_buf *out,
                          struct sharc_err *reterr)
{
    struct sharc_browser_session session, *s = &session;
    const struct sharc_node *answer = NULL;
    int r = main_session(page, s, reterr);
    if (r < 0) return r;
    sharc_browser_begin(v->browser, s, "Page.getLayoutMetrics");
    r = sharc_browser_call(v->browser, PATIENCE, &answer, reterr);
    if (r < 0) return r;
    const struct sharc_node *size = sharc_node_get(answer, "cssContentSize");
    double width = v->o.browser.width ? v->o.browser.width : 1280;
    double height = sharc_node_real(sharc_node_get(size, "height"), 800);
    struct sharc_json *j = sharc_browser_begin(v->browser, s, "Page.captureScreenshot");
    sharc_json_str(j, "format", "png");
    sharc_json_bool(j, "captureBeyondViewport", true);
    sharc_json_object(j, "clip");
    sharc_json_int(j, "x", 0);
    sharc_json_int(j, "y", 0);
    sharc_json_real(j, "width", width);
    sharc_json_real(j, "height", within(height, 1, SHARC_LIMIT_VIEW_PIXELS));
    sharc_json_int(j, "scale", 1);
    sharc_json_end(j);
    r = sharc_browser_call(v->browser, PATIENCE, &answer, reterr);
    return r < 0 ? r : put_base64(sharc_node_text(sharc_node_get(answer, "data")), out, reterr);
}

int sharc_view_pdf(struct sharc_view *v, struct sharc_view_page *page, struct sharc_buf *out, struct sharc_err *reterr)
{
    struct sharc_browser_session session, *s = &session;
    const struct sharc_node *answer = NULL;
    int r = main_session(page, s, reterr);
    if (r < 0) return r;
    struct sharc_json *j = sharc_browser_begin(v->browser, s, "Page.printToPDF");
    sharc_json_bool(j, "printBackground", true);
    sharc_json_bool(j, "preferCSSPageSize", true);
    sharc_json_str(j, "transferMode", "ReturnAsStream");
    r = sharc_browser_call(v->browser, PATIENCE, &answer, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) char *stream = sharc_span_dup(sharc_node_text(sharc_node_get(answer, "stream")));
    for (bool end = false; r == 0 && !end;) {
        j = sharc_browser_begin(v->browser, s, "IO.read");
        sharc_json_str(j, "handle", stream);
        sharc_json_int(j, "size", 4 << 20);
        r = sharc_browser_call(v->browser, PATIENCE, &answer, reterr);
        if (r < 0) break;
        struct sharc_span data = sharc_node_text(sharc_node_get(answer, "data"));
        bool coded = sharc_node_bool(sharc_node_get(answer, "base64Encoded"), false);
        end = sharc_node_bool(sharc_node_get(answer, "eof"), true);
        if (data.n) r = coded ? put_base64(data, out, reterr) : sharc_buf_put(out, data);
    }
    return r;
}

/* --- text ------------------------------------------------------------------------------------------- */

struct frames {
    char **ids;
    size_t count, room;
};

static void frames_done(struct frames *f)
{
    for (size_t i = 0; i < f->count; i++) free(f->ids[i]);
    free(f->ids);
}

static void list_frames(const struct sharc_node *tree, unsigned depth, struct frames *f)
{
    struct sharc_span id = sharc_node_text(sharc_node_get(sharc_node_get(tree, "frame"), "id"));
    if (!id.n || depth > 32 || f->count > 10000) return;
    SHARC_GROW(f->ids, f->room, f->count + 1);
    f->ids[f->count++] = sharc_span_dup(id);
    const struct sharc_node *below = sharc_node_get(tree, "childFrames");
    for (const struct sharc_node *n = below ? below->first : NULL; n; n = n->next) list_frames(n, depth + 1, f);
}

static int put_texts(struct sharc_view *v, const struct sharc_browser_session *whose, struct sharc_buf *out,
                     struct sharc_err *reterr)
{
    const struct sharc_browser_session own = *whose, *s = &own;
    SHARC_AUTO(frames_done) struct frames f = {NULL, 0, 0};
    const struct sharc_node *answer = NULL;
    sharc_browser_begin(v->browser, s, "Page.getFrameTree");
    int r = sharc_browser_call(v->browser, PATIENCE, &answer, reterr);
    if (r < 0) return r;
    list_frames(sharc_node_get(answer, "frameTree"), 0, &f);
    for (size_t i = 0; i < f.count; i++) {
        struct sharc_span text = SHARC_SPAN_NONE;
        r = sharc__view_ask(v, s, sharc_span_of(f.ids[i]),
                            "(document.body ? document.body.innerText : document.documentElement.textContent)"
                            ".toWellFormed().slice(0, 8000000)",
                            PATIENCE, &text, reterr);
        if (r == SHARC_EINVAL) continue; /* the frame has gone, or is another process's */
        if (r < 0) return r;
        text = sharc_span_trim(text);
        if (out->n && text.n) sharc_buf_put_str(out, "\n\n");
        sharc_buf_put(out, text);
    }
    return sharc_buf_result(out, reterr);
}

int sharc_view_text(struct sharc_view *v, struct sharc_view_page *page, struct sharc_buf *out, struct sharc_err *reterr)
{
    struct sharc_browser_session session, *s = &session;
    int r = main_session(page, s, reterr);
    if (r == 0) r = put_texts(v, s, out, reterr);
    /* Frames of other origins have sessions of their own. */
    for (size_t i = 0; r == 0; i++) {
        const struct sharc_browser_session *frame = sharc_browser_nth(v->browser, i);
        if (!frame) break;
        bool ours = strcmp(frame->kind, "iframe") == 0 && strcmp(frame->context, page->context) == 0;
        if (ours) r = put_texts(v, frame, out, reterr);
        if (r == SHARC_EINVAL) r = 0;
    }
    return r;
}
