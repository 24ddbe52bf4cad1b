/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of the HTML reports: frame, style, escapes.
 */
#include "html.h"
#include "sharc/base_version.h"

#include <stdlib.h>

/* No inline style anywhere: the policy allows this sheet by its hash and nothing else. */
static const char style[] =
    ":root{color-scheme:light dark;--ink:#1c1e21;--soft:#5b616b;--paper:#fff;--card:#f5f6f8;--line:#d8dbe0;"
    "--old:#fdecec;--old-mark:#f5b5b5;--new:#e8f6ea;--new-mark:#a3dcab;--accent:#2457a6}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e7e9;--soft:#a2a8b3;--paper:#16181b;--card:#202327;"
    "--line:#383d45;--old:#3a2022;--old-mark:#7d3034;--new:#1d3223;--new-mark:#2f6b3c;--accent:#8ab4f8}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "main{max-width:78rem;margin:0 auto;padding:1rem}\n"
    "h1{font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}h2{font-size:1.15rem;margin:2rem 0 .5rem}"
    "h3{font-size:1rem;margin:1.25rem 0 .25rem}\n"
    "p{margin:.5rem 0}.soft{color:var(--soft)}.url{overflow-wrap:anywhere}\n"
    ".sides{display:grid;grid-template-columns:1fr 1fr;gap:1rem}\n"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.5rem .75rem;"
    "overflow-wrap:anywhere;min-width:0}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .75rem;margin:.25rem 0}dt{color:var(--soft)}"
    "dd{margin:0;min-width:0}\n"
    ".class{display:inline-block;border-radius:.25rem;padding:0 .4rem;font-size:.85rem;white-space:nowrap;"
    "border:1px solid var(--line);background:var(--card)}\n"
    ".text,.links,.file{background:#fff3cd;color:#5a4300;border-color:#e3cf8a}.new{background:#dff3e3;color:#12501f;"
    "border-color:#a9d8b3}.missing,.failed{background:#fbe0e0;color:#701a1a;border-color:#e6b0b0}"
    ".redirected{background:#e0e9fa;color:#173a73;border-color:#b3c7ec}\n"
    "meter{width:4.5rem;height:.8rem;vertical-align:middle}\n"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;"
    "border-bottom:1px solid var(--line);vertical-align:top}th{color:var(--soft);font-weight:600;font-size:.85rem}"
    "td.url{min-width:21rem}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}td.n,.narrow "
    "td{white-space:nowrap}\n"
    ".narrow{width:auto;display:block;max-width:100%;overflow-x:auto}.bar{width:100%;height:1.25rem;border-radius:."
    "3rem;display:block;margin:.5rem 0}\n"
    ".c0{fill:#4c9a5b}.c1{fill:#a6ce9f}.c2{fill:#e0a52e}.c3{fill:#d9763c}.c4{fill:#b03a3a}.c5{fill:#3c78c8}"
    ".c6{fill:#7b62b8}.c7{fill:#6b6f76}.c8{fill:#c9c04a}.c9{fill:#4aa3b0}.c10{fill:#b9a77a}svg.key{width:.8rem;height:."
    "8rem;border-radius:.15rem;"
    "vertical-align:-.05rem}\n"
    "ul.plain{list-style:none;margin:.25rem 0;padding:0}ul.plain li{overflow-wrap:anywhere;padding:.05rem 0 .05rem "
    "1.2rem;"
    "text-indent:-1.2rem}ins,del{text-decoration:none;border-radius:.15rem}\n"
    ".plus::before{content:'+ ';color:#2e8b47;font-weight:700}.minus::before{content:'\\2212 ';color:#c0392b;"
    "font-weight:700}\n"
    ".diff{border:1px solid var(--line);border-radius:.5rem;overflow:hidden;font-size:.92rem}\n"
    ".row{display:grid;grid-template-columns:1fr 1fr;border-top:1px solid var(--line)}.row:first-child{border-top:0}\n"
    ".cell{display:grid;grid-template-columns:3.2rem 1fr;min-width:0}.cell+.cell{border-left:1px solid var(--line)}\n"
    ".no{color:var(--soft);text-align:right;padding:.15rem .5rem;font-size:.8rem;user-select:none}\n"
    ".line{padding:.15rem .5rem;overflow-wrap:anywhere;white-space:pre-wrap;unicode-bidi:plaintext;min-width:0}\n"
    ".old{background:var(--old)}.old del{background:var(--old-mark)}.now{background:var(--new)}"
    ".now ins{background:var(--new-mark)}.gap{padding:.15rem .6rem;color:var(--soft);background:var(--card);"
    "border-top:1px solid var(--line);font-size:.85rem}\n"
    "details{border:1px solid var(--line);border-radius:.5rem;margin:.5rem 0;padding:.25rem .75rem}"
    "summary{cursor:pointer;overflow-wrap:anywhere}summary .class{margin-right:.25rem}a{color:var(--accent)}\n"
    "footer{color:var(--soft);font-size:.85rem;margin:3rem 0 1rem}\n"
    "@media(max-width:44rem){.sides,.row{grid-template-columns:1fr}.cell+.cell{border-left:0}.cell.none{display:none}"
    ".kept .cell:first-child{display:none}.cell{grid-template-columns:2.4rem 1fr}.pages,.pages tbody,.pages tr,"
    ".pages td{display:block}.pages thead{display:none}.pages td{border:0;padding:.1rem 0;min-width:0}.pages "
    "td:nth-child(2),.pages td:nth-child(3){display:inline-block;margin-right:.75rem}.pages "
    "td.n{text-align:left}"
    ".pages tr{border-bottom:1px solid var(--line);padding:.5rem 0}}\n"
    "@media print{details{break-inside:avoid}}\n";

/* --- text -------------------------------------------------------------------------------- */

void sharc__diff_html_text(struct sharc_buf *out, struct sharc_span s)
{
    while (s.n > 0) {
        uint32_t c = 0;
        size_t n = sharc_utf8_decode(s, &c);
        bool control = n == 0 || (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c < 0xa0);
        const char *ref = n == 1 ? sharc_markup_reference(s.p[0]) : NULL;
        if (control)
            sharc_buf_put_str(out, "\xef\xbf\xbd");
        else if (ref)
            sharc_buf_put_str(out, ref);
        else
            sharc_buf_put(out, sharc_span_sub(s, 0, n));
        s = sharc_span_from(s, n ? n : 1);
    }
}

void sharc__diff_html_words(struct sharc_buf *out, const char *s)
{
    sharc__diff_html_text(out, sharc_span_of(s));
}

/* --- the frame ----------------------------------------------------------------------------- */

void sharc__diff_html_begin(struct sharc_buf *out, const char *title)
{
    struct sharc_digest d;
    char hash[SHARC_BASE64_SIZE(SHARC_DIGEST_MAX)];
    sharc_digest_of(SHARC_SHA256, sharc_span(style, sizeof style - 1), &d);
    sharc_base64_encode(sharc_span(d.bytes, d.n), hash);
    sharc_buf_printf(out,
                     "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                     "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'sha256-%s'; "
                     "base-uri 'none'; form-action 'none'\">\n"
                     "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=referrer content=no-referrer>\n<title>",
                     hash);
    sharc__diff_html_words(out, title);
    sharc_buf_put_str(out, "</title>\n<style>");
    sharc_buf_put_str(out, style);
    sharc_buf_put_str(out, "</style>\n</head>\n<body>\n<main>\n");
}

void sharc__diff_html_end(struct sharc_buf *out)
{
    sharc_buf_put_str(out, "<footer>Made by sharc " SHARC_VERSION ".</footer>\n</main>\n</body>\n</html>\n");
}

/* --- small things --------------------------------------------------------------------------- */

void sharc__diff_html_class(struct sharc_buf *out, unsigned c)
{
    sharc_buf_printf(out, "<span class=\"class %s\">%s</span>", sharc_diff_class_word(c), sharc_diff_class_name(c));
}

void sharc__diff_html_importance(struct sharc_buf *out, double importance)
{
    sharc_buf_printf(out, "<meter min=0 max=1 value=%.3f title=\"importance\"></meter> %.3f", importance, importance);
}

void sharc__diff_html_time(struct sharc_buf *out, sharc_time t)
{
    char text[SHARC_TIME_TEXT];
    if (t == SHARC_TIME_NONE)
        sharc_buf_put_str(out, "unknown");
    else
        sharc_buf_printf(out, "<time>%s</time>", sharc_time_iso(t, 0, text));
}
