/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc view: an archived page in a real browser, exactly as it was.
 */
#include "archive.h"
#include "cli_signals.h"
#include "cmd_view_series.h"

#include "sharc/base_file.h"
#include "sharc/browser.h"
#include "sharc/url.h"

#include <stdlib.h>
#include <unistd.h>

static bool has_value(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

/* --- one page ------------------------------------------------------------------------------------ */

static int write_picture(struct sharc_view *v, struct sharc_view_page *page, const char *path,
                         int (*make)(struct sharc_view *, struct sharc_view_page *, struct sharc_buf *,
                                     struct sharc_err *),
                         struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1u << 30);
    int r = path ? make(v, page, &bytes, err) : 0;
    return r < 0 || !path ? r : sharc_file_replace(path, sharc_buf_span(&bytes), err);
}

static int show(struct cli *c, const struct view_settings *s, struct sharc_view *v, struct sharc_view_page *page,
                struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(64u << 20);
    char time[SHARC_TIME_TEXT];
    int r;
    if (s->o.browser.window) {
        cli_note(c, "%s as captured %s; close the window to end", sharc_view_url(page),
                 view_time(sharc_view_timestamp(page), time));
        return sharc_view_stay(v, err);
    }
    r = sharc_view_settle(v, page, err);
    if (r >= 0) r = write_picture(v, page, s->screenshot, sharc_view_screenshot, err);
    if (r >= 0) r = write_picture(v, page, s->pdf, sharc_view_pdf, err);
    if (r >= 0 && s->text) r = sharc_view_text(v, page, &text, err);
    if (r < 0) return r;
    view_print(c, s, v, page, s->text ? &text : NULL);
    return 0;
}

/* A time as people write it, in digits: of a second, or of a millisecond if they say so. */
static int read_time(const char *at, char digits[SHARC_TIME_TEXT], struct sharc_err *err)
{
    sharc_time when;
    digits[0] = 0;
    if (!at) return 0;
    int r = sharc_time_parse(sharc_span_of(at), &when, err);
    if (r < 0) {
        err->code = SHARC_EINVAL;
        return sharc_err_prefix(err, SHARC_EINVAL, "--at");
    }
    sharc_time_compact(when, when % SHARC_SEC ? 17 : 14, digits);
    return 0;
}

static int find_browser(const struct view_settings *s, char **ret, struct sharc_err *err)
{
    *ret = s->browser ? sharc_strdup(s->browser) : sharc_browser_find(getenv("PATH"), s->o.browser.window);
    SHARC_FAIL_IF(!*ret, err, SHARC_ENOENT,
                  "no Chromium was found in PATH; install chromium, or name one with --browser PATH");
    return 0;
}

/* The page is looked up before a browser is started for it. */
static int open_page(struct cli *c, struct view_settings *s, const struct sharc_url *url, const char *digits,
                     struct sharc_err *err)
{
    SHARC_AUTO(sharc_found_freep) struct sharc_found *found = NULL;
    SHARC_AUTO(sharc_view_stopp) struct sharc_view *v = NULL;
    SHARC_AUTO(sharc_freep) char *program = NULL;
    struct sharc_view_page *page = NULL;
    const struct sharc_wish w = {.url = sharc_url_page(url),
                                 .timestamp = sharc_span_of(digits),
                                 .mapping = s->o.mapping};
    int r = sharc_find(s->o.edition, &w, &found, err);
    if (r == 0) r = find_browser(s, &program, err);
    s->o.browser.program = program;
    if (r == 0) r = sharc_view_start(&s->o, &v, err);
    if (r == 0) r = sharc_view_open(v, sharc_url_href(url), w.timestamp, &page, err);
    if (r == 0) r = show(c, s, v, page, err);
    if (r == 0) return EXIT_OK;
    int code = cli_fail(c, err);
    if (!found && r == SHARC_ENOENT) view_tell_near(c, s->o.edition, w.url, w.timestamp);
    return code;
}

static int view(struct cli *c, struct view_settings *s, const char *archive, const char *typed)
{
    SHARC_AUTO(sharc_collection_freep) struct sharc_collection *collection = NULL;
    SHARC_AUTO(sharc_url_done) struct sharc_url url = SHARC_URL_INIT;
    const struct sharc_collection_options o = {.temporary = s->o.browser.temporary, .warn = cli_warn, .warn_arg = c};
    struct sharc_err err = SHARC_ERR_INIT;
    char digits[SHARC_TIME_TEXT];
    int r = read_time(s->at, digits, &err);
    if (r == 0) r = sharc_url_parse_typed(&url, sharc_span_of(typed), &err);
    if (r == 0 && !sharc_url_is_http(&url))
        r = sharc_fail(&err, SHARC_EINVAL, "%s: only http and https pages can be viewed", typed);
    if (r == 0) r = sharc_collection_open(&archive, 1, &o, &collection, &err);
    if (r < 0) return cli_fail(c, &err);
    if (s->o.browser.window && !has_value("DISPLAY") && !has_value("WAYLAND_DISPLAY"))
        return cli_usage(c,
                         "there is no display for a window; ask for --screenshot FILE, --pdf FILE, --text or --list");
    s->o.edition = sharc_collection_hold(collection);
    r = open_page(c, s, &url, digits, &err);
    sharc_collection_release(collection, s->o.edition);
    return r;
}

/* --- many pages ------------------------------------------------------------------------------------ */

static void say_series(struct cli *c, const struct view_settings *s, const struct series_totals *t, size_t records)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
    struct sharc_json j;
    if (!c->json) {
        fprintf(c->out, "%s: %s, %s taken, %zu there before, %zu failed\n", s->dir, SHARC_COUNT(t->pages, "page"),
                SHARC_COUNT(t->taken, "picture"), t->kept, t->failed);
        if (s->warc) fprintf(c->out, "%s: %s\n", s->warc, SHARC_COUNT(records, "record"));
        return;
    }
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "directory", s->dir);
    sharc_json_uint(&j, "pages", t->pages);
    sharc_json_uint(&j, "taken", t->taken);
    sharc_json_uint(&j, "kept", t->kept);
    sharc_json_uint(&j, "failed", t->failed);
    sharc_json_str(&j, "warc", s->warc);
    sharc_json_uint(&j, "records", records);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

static int series(struct cli *c, struct view_settings *s, const char *archive, const char *capture)
{
    SHARC_AUTO(sharc_collection_freep) struct sharc_collection *collection = NULL;
    SHARC_AUTO(sharc_freep) char *program = NULL;
    const struct sharc_collection_options o = {.temporary = s->o.browser.temporary, .warn = cli_warn, .warn_arg = c};
    struct sharc_clock *clock = sharc_clock_real();
    struct sharc_err err = SHARC_ERR_INIT;
    struct series_times times;
    struct series_totals totals = {0, 0, 0, 0};
    size_t records = 0;
    int r = sharc_collection_open(&archive, 1, &o, &collection, &err);
    if (r == 0) r = view_series_times(s, archive, capture, &times, &err);
    if (r == 0) r = find_browser(s, &program, &err);
    if (r < 0) return cli_fail(c, &err);
    s->o.browser.program = program;
    s->o.edition = sharc_collection_hold(collection);
    r = view_series(c, s, &times, &totals, &err);
    sharc_collection_release(collection, s->o.edition);
    if (r == 0 && s->warc) r = view_series_warc(s->dir, s->warc, clock->now(clock), &records, &err);
    if (r < 0) {
        cli_fail(c, &err);
        if (totals.taken) cli_note(c, "%s: what was taken is there; begin again to go on", s->dir);
        return cli_exit_of(r);
    }
    say_series(c, s, &totals, records);
    return totals.failed ? EXIT_FINDINGS : EXIT_OK;
}

/* --- options ------------------------------------------------------------------------------------------ */

static int read_size(const char *text, struct sharc_browser_options *o)
{
    struct sharc_span all = sharc_span_of(text);
    uint64_t width, height;
    if (!text) return 0;
    size_t at = sharc_span_find(all, 'x', 0);
    if (at == SHARC_NPOS || sharc_span_to_u64(sharc_span_sub(all, 0, at), &width) < 0 ||
        sharc_span_to_u64(sharc_span_from(all, at + 1), &height) < 0)
        return -1;
    if (width < 100 || width > 8192 || height < 100 || height > 8192) return -1;
    o->width = (unsigned)width;
    o->height = (unsigned)height;
    return 0;
}

int cmd_view(struct cli *c, int argc, char **argv)
{
    static const enum sharc_mapping mapped[] = {SHARC_NEAREST, SHARC_LATEST, SHARC_COHERENT};
    struct view_settings s = {.o = {.wait = 30 * SHARC_SEC}, .dir = "screenshots", .tabs = 4};
    const struct cli_option options[] = {
        OPT_STRING(0, "at", &s.at, "TIME", "show the page as of this time (default: the newest capture)"),
        OPT_CHOICE(0, "mapping", &s.mapping, view_mappings,
                   "for each URL, show the capture nearest to that time, the latest one before it, or the one that "
                   "existed then as far as that is known (default: nearest)"),
        OPT_HEADING("Without a window"),
        OPT_STRING(0, "screenshot", &s.screenshot, "FILE", "write a picture of the whole page (PNG)"),
        OPT_STRING(0, "pdf", &s.pdf, "FILE", "print the page to this PDF file"),
        OPT_FLAG(0, "text", &s.text, "print the visible text of the page"),
        OPT_FLAG(0, "list", &s.list,
                 "list what the page requested, with the times of the captures and what is missing"),
        OPT_HEADING("Pictures of all pages of a capture"),
        OPT_FLAG(0, "screenshots", &s.screenshots, "write a picture of every HTML page; run it again to resume"),
        OPT_STRING('o', "output", &s.dir, "DIR", "write the pictures to this directory (default: screenshots)"),
        OPT_STRING(0, "warc", &s.warc, "FILE",
                   "also write the pictures to this WARC file, as resource records urn:view:URL"),
        OPT_UINT_IN(1, 32, 0, "tabs", &s.tabs, "N", "load N pages at a time (default: 4)"),
        OPT_STORE(&s.store),
        OPT_HEADING("The browser"),
        OPT_STRING(0, "browser", &s.browser, "PATH", "use this Chromium (default: the first one in PATH)"),
        OPT_STRING(0, "size", &s.size, "WxH", "make the window this large, in pixels (default: 1280x800)"),
        OPT_DURATION(0, "wait", &s.o.wait, "TIME",
                     "wait at most this long for a page to finish loading (default: 30s)"),
        OPT_FLAG(0, "no-isolation", &s.no_isolation,
                 "do not let the system cut off the browser's network, for a display reached over one (ssh -X)"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (!s.screenshots && argc != 3) return cli_usage(c, "name an archive and a URL");
    if (s.screenshots && (argc < 2 || argc > 3))
        return cli_usage(c, "name an archive, and a capture if it is not the latest");
    if (s.screenshots && (s.at || s.mapping || s.screenshot || s.pdf || s.text || s.list))
        return cli_usage(c, "--screenshots shows the pages of a capture, each as it was then, and does nothing else");
    if (read_size(s.size, &s.o.browser) < 0) return cli_usage(c, "--size must be like 1280x800, 100 to 8192 pixels");
    s.o.mapping = mapped[s.mapping];
    s.o.browser.window = !s.screenshots && !s.screenshot && !s.pdf && !s.text && !s.list && !c->json;
    s.o.browser.temporary = has_value("TMPDIR") ? getenv("TMPDIR") : NULL;
    s.o.browser.environment = environ;
    s.o.browser.isolate = !s.no_isolation;
    s.o.browser.stop = cli_signals_flag();
    return s.screenshots ? series(c, &s, argv[1], argc > 2 ? argv[2] : NULL) : view(c, &s, argv[1], argv[2]);
}
