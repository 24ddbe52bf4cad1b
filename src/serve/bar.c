/* SPDX-License-Identifier: Apache-2.0
 *
 * The bar above an archived page: the verdict in one word first, then when it was captured and why this capture is
 * shown; behind a click everything else. Each verdict has a sign, a word and a colour; the word alone is enough.
 */
#include "bar.h"

static const char style[] =
    ":root{--proven:#0a6b3d;--probably:#0550ae;--unknown:#57606a;--mixed:#9a4a00;--contradicted:#b3261e}\n"
    "@media(prefers-color-scheme:dark){:root{--proven:#56d364;--probably:#79b8ff;--unknown:#9ea7b3;--mixed:#ffb86b;"
    "--contradicted:#ff8a80}}\n"
    ".view{display:flex;flex-direction:column;height:100vh;height:100dvh}\n"
    ".view iframe{flex:1;min-height:0;width:100%;border:0;background:#fff;color-scheme:light}\n"
    ".bar{display:flex;flex-wrap:wrap;gap:0 1rem;align-items:baseline;padding:.25rem .8rem;background:var(--panel);"
    "border-bottom:3px solid var(--mark);font-size:.9rem;max-width:none;margin:0;max-height:70vh;overflow:auto}\n"
    ".bar details{flex:1 1 20rem;min-width:0}\n"
    ".bar summary{cursor:pointer;padding:.15rem 0}.bar summary:focus-visible,.bar a:focus-visible{outline:3px solid "
    "var(--link);outline-offset:1px}\n"
    ".bar p{margin:.25rem 0}.bar h2{font-size:1rem;margin:.6rem 0 .2rem}\n"
    ".v-proven{--mark:var(--proven)}.v-probably{--mark:var(--probably)}.v-unknown{--mark:var(--unknown)}"
    ".v-mixed{--mark:var(--mixed)}.v-contradicted{--mark:var(--contradicted)}\n"
    ".verdict{display:inline-block;padding:0 .5rem;border-radius:.3rem;font-weight:700;color:var(--back);"
    "background:var(--mark)}\n"
    ".steps,.links{display:flex;flex-wrap:wrap;gap:.1rem 1rem}\n"
    ".links ul,.bar ul.links{display:flex;flex-wrap:wrap;gap:.1rem 1rem;margin:0;padding:0;list-style:none}\n"
    "@media(max-width:40rem){.steps .at,.chart .fine{display:none}.bar details{flex-basis:100%}}\n"
    "@media(min-width:60rem){.bar{position:relative}.bar details{flex-basis:100%}.bar summary{padding-right:27rem}"
    ".steps{position:absolute;right:.8rem;top:.4rem}}\n"
    ".note{display:none}.moved .note{display:block;color:var(--mixed);font-weight:700}\n"
    ".moved .bar{--mark:var(--unknown)}.moved .verdict,.moved .of{text-decoration:line-through}\n"
    "@media print{.verdict{color:#000;background:none;border:2px solid #000}.bar{overflow:visible;max-height:none}}\n"
    ".chart{display:block;width:100%;height:7.5rem;margin:.3rem 0;touch-action:none}\n"
    ".chart text{font-size:.75rem;fill:var(--soft)}.chart .axis{stroke:var(--line)}\n"
    ".chart .page{fill:var(--soft);opacity:.45}.chart .now{stroke:var(--ink);stroke-dasharray:3 3}\n"
    ".chart .s-proven{fill:var(--proven)}.chart .s-attested{fill:var(--probably)}.chart .s-open{fill:var(--unknown)}"
    ".chart .s-refuted{fill:var(--mixed)}.chart .s-outside{fill:var(--contradicted)}\n"
    ".chart .limit{stroke:var(--contradicted);stroke-width:6;cursor:ew-resize}"
    ".chart .limit:focus-visible{outline:3px solid var(--link)}\n"
    ".limits{display:flex;flex-wrap:wrap;gap:.3rem .6rem;align-items:center;flex:none}.limits input{flex:0 1 7rem}\n"
    ".bar .scroll{overflow:visible}.bar .scroll:focus-visible{outline:3px solid var(--link)}\n"
    ".bar table{width:100%;font-size:.85rem}.bar td{overflow-wrap:normal}.bar td.at,.bar td.s,.bar td.d,.bar th"
    "{white-space:nowrap}.bar td.why{min-width:12.5rem}.bar td.u{overflow-wrap:anywhere;width:40%}\n"
    ".bar td.d{font-family:ui-monospace,monospace}.bar td.u bdi{display:-webkit-box;-webkit-box-orient:vertical;"
    "-webkit-line-clamp:3;overflow:hidden}\n"
    "@media(min-width:40.01rem){.bar th{position:sticky;top:-.25rem;background:var(--panel)}.bar "
    "td.w{text-align:right}}"
    "\n@media(max-width:40rem){.bar td.u{width:auto}.bar .url bdi{display:-webkit-box;-webkit-box-orient:vertical;"
    "-webkit-line-clamp:4;overflow:hidden}}\n"
    ".t-proven{color:var(--proven)}.t-attested{color:var(--probably)}.t-open{color:var(--unknown)}"
    ".t-refuted,.t-missing{color:var(--mixed)}.t-outside{color:var(--contradicted)}\n";

void sharc__serve_bar_style(struct serve_call *c)
{
    sharc__serve_policy(c);
    sharc__serve_header(c, "Content-Type", SHARC_SPAN("text/css; charset=utf-8"));
    sharc__serve_header(c, "Cache-Control", SHARC_SPAN("max-age=3600"));
    sharc_http_answer_borrow(c->answer, sharc_span(style, sizeof style - 1));
    c->size = sizeof style - 1;
}

void sharc__serve_put_attribute(struct sharc_buf *out, struct sharc_span url)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    sharc__serve_put_url(&text, url);
    sharc__serve_put_text(out, sharc_buf_span(&text));
}

/* --- what is said first ------------------------------------------------------------------------ */

static const char *sign_of(enum sharc_verdict v)
{
    static const char *const signs[] = {"✔", "≈", "?", "◐", "✖"};
    return v < SHARC_LENGTH(signs) ? signs[v] : "?";
}

static void put_mapping(struct sharc_buf *out, const struct serve_address *a)
{
    static const char *const words[][2] = {{"asof", ", the latest not after "},
                                           {"near", ", the nearest to "},
                                           {"coherent", ", the version of "}};
    char digits[SHARC_TIME_TEXT];
    sharc_time when;
    if (!a->timestamp.n || sharc_time_parse(a->timestamp, &when, NULL) < 0) return;
    for (size_t i = 0; i < SHARC_LENGTH(words); i++) {
        if (!sharc_span_is(a->mapping, words[i][0])) continue;
        sharc_buf_put_str(out, words[i][1]);
        sharc__serve_put_time(out, sharc_span_of(sharc_time_compact(when, a->timestamp.n > 14 ? 17 : 14, digits)));
    }
    if (sharc_span_is(a->mapping, "coherent")) sharc_buf_put_str(out, " (coherent)");
}

static void put_summary(struct sharc_buf *out, const struct serve_address *a, const struct sharc_found *f,
                        const struct serve_coherence *k)
{
    char iso[SHARC_TIME_TEXT];
    enum sharc_verdict v = k->page.verdict;
    sharc_buf_printf(out, "<summary><span class=verdict><span aria-hidden=true>%s</span> %s</span> <span class=of>",
                     sign_of(v), sharc_verdict_word(v));
    sharc__serve_put_verdict(out, k);
    sharc_buf_printf(out, "</span><br>Captured <time datetime=\"%s\">", sharc_time_iso(f->when, 0, iso));
    sharc__serve_put_time(out, sharc_span_of(f->timestamp));
    sharc_buf_put_str(out, "</time> UTC");
    put_mapping(out, a);
    if (f->status != 200) sharc_buf_printf(out, ", answered with status %d", f->status);
    if (f->revisit) sharc_buf_put_str(out, ", unchanged since an earlier capture");
    if (a->limits.set) sharc_buf_printf(out, ", parts within %.*s", SHARC_SPAN_ARG(a->limits.text));
    if (f->approximate)
        sharc_buf_put_str(
            out, "<br><strong>Approximate match:</strong> the URL asked for was not captured; this one is similar");
    sharc_buf_put_str(out, "</summary>\n");
}

/* --- behind a click ------------------------------------------------------------------------------ */

static void put_step(struct sharc_buf *out, const struct serve_address *a, const char *timestamp, bool back)
{
    if (!*timestamp) {
        sharc_buf_printf(out, "<span class=soft>%s</span>\n", back ? "no earlier capture" : "no later capture");
        return;
    }
    sharc_buf_printf(out, "<a rel=%s href=\"/view/web/%s/", back ? "prev" : "next", timestamp);
    sharc__serve_put_attribute(out, a->url);
    sharc_buf_printf(out, "\">%s<span class=at>: ", back ? "earlier" : "later");
    sharc__serve_put_time(out, sharc_span_of(timestamp));
    sharc_buf_put_str(out, "</span></a>\n");
}

static void put_way(struct sharc_buf *out, const struct serve_address *a, const char *mapping, const char *timestamp,
                    const char *text)
{
    bool here = sharc_span_is(a->mapping, mapping);
    sharc_buf_put_str(out, "<li>");
    if (here) {
        sharc_buf_printf(out, "<strong aria-current=true>%s</strong>\n", text);
        return;
    }
    sharc_buf_printf(out, "<a href=\"/view/%s/%s/", mapping, timestamp);
    sharc__serve_put_attribute(out, a->url);
    sharc_buf_printf(out, "\">%s</a>\n", text);
}

/* The same moment by other mappings. */
static void put_ways(struct sharc_buf *out, const struct serve_address *a, const struct sharc_found *f)
{
    char wish[SHARC_TIME_TEXT], exact[SHARC_TIME_TEXT];
    sharc_time when = f->when;
    if (a->timestamp.n) sharc_time_parse(a->timestamp, &when, NULL);
    sharc_time_compact(when, 14, wish);
    sharc_time_compact(when, a->timestamp.n > 14 ? 17 : 14, exact);
    sharc_buf_put_str(out, "<ul class=links aria-label=\"Which captures are shown\">\n");
    put_way(out, a, "web", f->timestamp, "at its own time");
    put_way(out, a, "asof", exact, "latest not after");
    put_way(out, a, "near", exact, "nearest");
    put_way(out, a, "coherent", wish, "coherent");
    sharc_buf_put_str(out, "</ul>\n");
}

static void put_grade(struct sharc_buf *out, const struct serve_sight *s)
{
    if (s->grade == SHARC_GRADED_NOT_GRADED) return;
    enum sharc_grade g = sharc_grade_of(s->grade);
    sharc_buf_printf(out, "<p>Grade %d, %s: the page %s.", (int)g, sharc_grade_text(g),
                     sharc_grade_reason_text(s->grade));
    if (s->foreign) sharc_buf_put_str(out, " That is the word of the file it was imported from; it is not used here.");
    sharc_buf_put_str(out, s->certified ? " A certificate of this capture lies in the archive (not checked here; "
                                          "<code>sharc verify --certificate</code> does)."
                           : s->foreign ? ""
                                        : " There is no certificate of this capture.");
    sharc_buf_put_char(out, '\n');
}

static void put_together(struct sharc_buf *out, const struct serve_coherence *k)
{
    const struct sharc_composite *w = &k->page.composite;
    char a[SHARC_TIME_TEXT], b[SHARC_TIME_TEXT];
    bool proven = w->state == SHARC_PART_PROVEN, word = w->state == SHARC_PART_ATTESTED;
    if (w->together < 1 || w->from > w->to) return;
    if (w->together == 1 && k->count > 1) return; /* one of many is not together with anything */
    sharc_buf_printf(out, "<p>%s of what is shown existed together%s, from ",
                     proven || word ? k->missing ? "All that is archived" : "All"
                                    : SHARC_COUNT(w->together, "piece|pieces"),
                     proven ? ""
                     : word ? " by the server's word"
                            : " for all that is known");
    sharc__serve_put_time(out, sharc_span_of(sharc_time_compact(w->from, 17, a)));
    sharc_buf_put_str(out, " to ");
    sharc__serve_put_time(out, sharc_span_of(sharc_time_compact(w->to, 17, b)));
    sharc_buf_put_str(out, ".\n");
}

static void put_links(struct serve_call *c, struct sharc_buf *out, const struct serve_address *a,
                      const struct sharc_found *f)
{
    sharc_buf_put_str(out, "<p class=links><a href=\"/web/*/");
    sharc__serve_put_attribute(out, a->url);
    sharc_buf_printf(out, "\">all captures</a>\n<a href=\"%s/web/%s/", c->replay, f->timestamp);
    sharc__serve_put_attribute(out, a->url);
    sharc_buf_printf(out, "\">without this bar</a>\n<a href=\"/api/coherence?mapping=%.*s&amp;at=%.*s&amp;url=",
                     SHARC_SPAN_ARG(a->mapping), SHARC_SPAN_ARG(a->timestamp));
    sharc__serve_put_escaped(out, a->url);
    sharc_buf_put_str(out, "\">as JSON</a>\n<a href=\"/\">start</a>\n");
}

void sharc__serve_put_bar(struct serve_call *c, struct sharc_buf *out, const struct serve_address *a,
                          const struct sharc_found *f, const struct serve_coherence *k)
{
    struct serve_neighbours near;
    sharc__serve_neighbours(c->edition, a->url, f->timestamp, &near);
    sharc_buf_printf(out, "<header class=\"bar v-%s\" aria-label=\"About this capture\">\n<details>",
                     sharc_verdict_word(k->page.verdict));
    put_summary(out, a, f, k);
    sharc_buf_printf(out, "<p><strong>%s</strong>: %s.\n<p class=url><bdi dir=ltr>",
                     sharc_verdict_word(k->page.verdict), sharc_verdict_text(k->page.verdict));
    sharc__serve_put_shown(out, f->url);
    sharc_buf_put_str(out, "</bdi>\n");
    put_ways(out, a, f);
    put_links(c, out, a, f);
    put_together(out, k);
    put_grade(out, &k->parts[0].about);
    sharc__serve_put_parts(out, a, k);
    if (k->scripts)
        sharc_buf_put_str(out, "<p class=soft>Parts are what the page and its styles and frames name. What its scripts "
                               "load is not judged.\n");
    sharc_buf_put_str(out, "</details>\n<nav class=steps aria-label=\"Other captures\">\n");
    put_step(out, a, near.prev, true);
    put_step(out, a, near.next, false);
    sharc_buf_put_str(out,
                      "</nav>\n<strong class=note role=status>The page has moved on by itself: this is about the "
                      "one before.</strong>\n<noscript><small class=soft>Without scripts it is not seen when the page "
                      "moves on by itself.</small></noscript>\n</header>\n");
}
