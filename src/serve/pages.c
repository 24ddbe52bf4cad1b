/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages of ours: one frame for all of them, the start page, the search, and what is said when
 * something cannot be shown. Plain HTML that needs no script.
 */
#include "call.h"
#include "serve_int.h"

#include "sharc/base_version.h"

#include <stdlib.h>

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--back:#fff;--panel:#f6f8fa;"
    "--link:#0550ae;--full:#0a6b3d;--again:#8250df;--warn:#9a4a00}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9ea7b3;--line:#3d444d;--back:#0d1117;"
    "--panel:#161b22;--link:#79b8ff;--full:#56d364;--again:#c297ff;--warn:#ffb86b}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back)}\n"
    "header,main,footer{max-width:64rem;margin:0 auto;padding:.75rem 1rem}\n"
    "header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;border-bottom:1px solid var(--line)}\n"
    "header strong a{color:inherit;text-decoration:none}\n"
    "form{display:flex;flex:1 1 16rem;gap:.5rem}\n"
    "input{flex:1;min-width:0;font:inherit;padding:.35rem .5rem;color:inherit;background:var(--panel);"
    "border:1px solid var(--soft);border-radius:.3rem}\n"
    "button{font:inherit;padding:.35rem .8rem;color:inherit;background:var(--panel);border:1px solid var(--soft);"
    "border-radius:.3rem;cursor:pointer}\n"
    "a{color:var(--link)}\n"
    "a:focus-visible,input:focus-visible,button:focus-visible,summary:focus-visible{outline:3px solid var(--link);"
    "outline-offset:2px}\n"
    "h1{font-size:1.35rem;line-height:1.3;overflow-wrap:anywhere}h2{font-size:1.1rem}h3{font-size:1rem;margin:.2rem "
    "0}\n"
    "p,li,td{overflow-wrap:anywhere}\n"
    ".soft{color:var(--soft)}\n"
    ".years{display:flex;flex-wrap:wrap;gap:.3rem;padding:0;list-style:none}\n"
    ".years a,.years strong{display:block;padding:.2rem .6rem;border:1px solid var(--line);border-radius:.3rem}\n"
    ".years strong{background:var(--panel)}\n"
    ".months{display:grid;grid-template-columns:repeat(auto-fill,minmax(14.5rem,1fr));gap:1rem}\n"
    ".months table{width:100%;table-layout:fixed}.months th,.months td{text-align:center;padding:.15rem 0;border:0}\n"
    ".months th{font-weight:400;color:var(--soft)}\n"
    ".months td a{display:block;border-radius:.3rem;padding:.1rem 0;font-weight:600;text-decoration:none;"
    "color:var(--back);background:var(--full)}\n"
    ".months td a.again{color:var(--again);background:none;box-shadow:inset 0 0 0 2px var(--again)}\n"
    ".scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse}\n"
    "main>.scroll>table{width:100%}\n"
    "th,td{text-align:left;vertical-align:top;padding:.25rem .6rem .25rem 0;border-bottom:1px solid var(--line)}\n"
    ".n{text-align:right;font-variant-numeric:tabular-nums}\n"
    "@media(max-width:40rem){.rows,.rows tbody{display:block}.rows thead{position:absolute;left:-999rem}"
    ".rows tr{display:block;padding:.4rem 0;border-bottom:1px solid var(--line)}"
    ".rows td{display:inline-block;border:0;padding:0 .8rem 0 0;text-align:left}.rows td.wide{display:block}"
    ".rows td[data-l]:not(:empty)::before{content:attr(data-l) \" \";color:var(--soft)}}\n"
    ".rows td[data-l]{white-space:nowrap}.rows .n{padding-left:.6rem}\n"
    "tr.again td{color:var(--soft)}.mark{color:var(--again)}\n"
    "footer{color:var(--soft);font-size:.875rem;border-top:1px solid var(--line)}\n";

void sharc__serve_style(struct serve_call *c)
{
    sharc__serve_policy(c);
    sharc__serve_header(c, "Content-Type", SHARC_SPAN("text/css; charset=utf-8"));
    sharc__serve_header(c, "Cache-Control", SHARC_SPAN("max-age=3600"));
    sharc_http_answer_borrow(c->answer, sharc_span(style, sizeof style - 1));
    c->size = sizeof style - 1;
}

void sharc__serve_put_text(struct sharc_buf *out, struct sharc_span text)
{
    sharc_buf_put_markup(out, text);
}

/* Bytes of a character that is not seen, or turns the order of others around; 0: it is an ordinary one. */
static size_t unseen(struct sharc_span s)
{
    static const struct {
        const char *from, *to;
    } ranges[] = {{"\xc2\x80", "\xc2\x9f"},         {"\xd8\x9c", "\xd8\x9c"},         {"\xe2\x80\x8b", "\xe2\x80\x8f"},
                  {"\xe2\x80\xa8", "\xe2\x80\xae"}, {"\xe2\x81\xa0", "\xe2\x81\xaf"}, {"\xef\xbb\xbf", "\xef\xbb\xbf"}};
    if (!s.n) return 0;
    if ((unsigned char)s.p[0] < 0x20 || s.p[0] == 0x7f) return 1;
    for (size_t i = 0; i < SHARC_LENGTH(ranges); i++) {
        size_t n = strlen(ranges[i].from);
        if (s.n >= n && memcmp(s.p, ranges[i].from, n) >= 0 && memcmp(s.p, ranges[i].to, n) <= 0) return n;
    }
    return 0;
}

void sharc__serve_put_shown(struct sharc_buf *out, struct sharc_span url)
{
    size_t from = 0, at = 0;
    while (at < url.n) {
        size_t n = unseen(sharc_span_from(url, at));
        if (!n) {
            at++;
            continue;
        }
        sharc__serve_put_text(out, sharc_span_sub(url, from, at - from));
        for (size_t i = 0; i < n; i++) sharc_buf_printf(out, "%%%02X", (unsigned char)url.p[at + i]);
        from = at += n;
    }
    sharc__serve_put_text(out, sharc_span_from(url, from));
}

void sharc__serve_put_time(struct sharc_buf *out, struct sharc_span t)
{
    if (t.n < 14) {
        sharc__serve_put_text(out, t);
        return;
    }
    sharc_buf_printf(out, "%.4s-%.2s-%.2s %.2s:%.2s:%.2s", t.p, t.p + 4, t.p + 6, t.p + 8, t.p + 10, t.p + 12);
    if (t.n == 17) sharc_buf_printf(out, ".%.3s", t.p + 14);
}

/* Pages of the replay port have no style sheet there: it is ours, not the archive's. */
void sharc__serve_page_begin(struct serve_call *c, struct sharc_buf *out, const char *title)
{
    const char *home = c->on_replay ? c->pages : "";
    sharc_buf_put_str(out, "<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n"
                           "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n<title>");
    sharc__serve_put_shown(out, sharc_span_of(title));
    sharc_buf_put_str(out, " · ");
    sharc__serve_put_text(out, sharc_span_of(c->server->title));
    sharc_buf_put_str(out, "</title>\n");
    if (c->on_replay)
        sharc_buf_printf(out, "<style>%s</style>\n", style);
    else
        sharc_buf_put_str(out, "<link rel=stylesheet href=/style.css>\n");
    sharc_buf_printf(out, "<header><strong><a href=\"%s/\">", home);
    sharc__serve_put_text(out, sharc_span_of(c->server->title));
    sharc_buf_put_str(out, "</a></strong>\n");
    if (!c->on_replay)
        sharc_buf_put_str(
            out,
            "<form action=/search role=search><input name=url aria-label=\"URL, or the beginning of one with a *\" "
            "placeholder=\"https://example.org/ or example.org/*\" autocapitalize=none "
            "spellcheck=false><button>Look up</button></form>\n");
    sharc_buf_put_str(out, "</header>\n<main>\n");
}

void sharc__serve_page_end(struct serve_call *c, struct sharc_buf *out, int status)
{
    const char *home = c->on_replay ? c->pages : "";
    sharc_buf_printf(out,
                     "</main>\n<footer><a href=\"%s/web/*/*\">All URLs</a> · <a href=\"%s/files/\">Files</a> · "
                     "sharc %s</footer>\n</html>\n",
                     home, home, sharc_version());
    sharc__serve_status(c, status);
    sharc__serve_policy(c);
    sharc__serve_header(c, "Content-Type", SHARC_SPAN("text/html; charset=utf-8"));
    sharc__serve_body(c, out);
}

void sharc__serve_page_error(struct serve_call *c, int status, const char *title, const char *text,
                             struct sharc_span url, bool alike)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_freep) char *told = sharc__serve_without_paths(c, text);
    sharc__serve_page_begin(c, &out, title);
    sharc_buf_put_str(&out, "<h1>");
    sharc__serve_put_text(&out, sharc_span_of(title));
    sharc_buf_put_str(&out, "</h1>\n<p>");
    sharc__serve_put_shown(&out, sharc_span_of(told));
    sharc_buf_put_str(&out, "\n");
    if (url.n) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf link = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
        sharc_buf_printf(&out, "<p><a href=\"%s/web/*/", c->on_replay ? c->pages : "");
        sharc__serve_put_url(&link, url);
        sharc__serve_put_text(&out, sharc_buf_span(&link));
        sharc_buf_put_str(&out, alike ? "*\">URLs that begin like this</a>\n" : "\">All captures of this URL</a>\n");
    }
    sharc__serve_page_end(c, &out, status);
}

/* --- start and search ---------------------------------------------------------------------- */

void sharc__serve_start_page(struct serve_call *c)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    char size[SHARC_TIME_TEXT];
    uint64_t bytes = 0;
    size_t files = sharc_edition_files(c->edition);
    for (size_t i = 0; i < files; i++) {
        struct sharc_served_file f;
        sharc_edition_file(c->edition, i, &f);
        bytes += f.size;
    }
    sharc__serve_page_begin(c, &out, "Start");
    sharc_buf_put_str(&out, "<h1>");
    sharc__serve_put_text(&out, sharc_span_of(c->server->title));
    sharc_buf_printf(&out,
                     "</h1>\n<p>%s, %s. Look up a URL to see when it was captured, or <a href=\"/web/*/*\">browse all "
                     "URLs</a>.\n",
                     SHARC_COUNT(files, "archive file"), sharc_size_text(bytes, size));
    if (sharc__serve_has_ui())
        sharc_buf_put_str(&out, "<p><a href=\"/ui/\">Captures, their quality, and how the sites changed</a>\n");
    sharc_buf_printf(
        &out,
        "<h2>Addresses for programs</h2>\n<ul>\n<li>a page near a time: <code>%s/web/20260301120000/URL</code>"
        "\n<li>the same below a bar that tells its time: <code>/view/web/20260301120000/URL</code>"
        "\n<li>as of a time, links included: <code>%s/asof/20260301120000/URL</code>"
        "\n<li>the bytes as archived: <code>%s/web/20260301120000id_/URL</code>"
        "\n<li>Memento: <code>%s/timegate/URL</code>, <code>%s/timemap/link/URL</code>"
        "\n<li>index: <code>%s/cdx?url=URL</code>\n</ul>\n",
        c->replay, c->replay, c->replay, c->replay, c->replay, c->pages);
    sharc__serve_page_end(c, &out, 200);
}

void sharc__serve_search(struct serve_call *c)
{
    SHARC_AUTO(sharc_buf_done)
    struct sharc_buf url = SHARC_BUF_INIT(SHARC_LIMIT_URL), to = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    size_t at = 0;
    if (!sharc__serve_parameter(c, "url", &at, &url) || !sharc_span_trim(sharc_buf_span(&url)).n) {
        sharc__serve_redirect(c, 302, "/");
        return;
    }
    sharc__serve_put_url(&to, sharc_span_trim(sharc_buf_span(&url)));
    sharc__serve_redirect(c, 302, "/web/*/%s", sharc_buf_str(&to));
}
