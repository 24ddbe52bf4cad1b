/* SPDX-License-Identifier: Apache-2.0
 *
 * When the parts of a page were captured: a strip with the page as a box and its parts as dots, two limits, and the
 * same as a table for those who do not see it. The axis grows with the logarithm of the distance from the
 * page, so that seconds and years fit on it.
 */
#include "bar.h"

#include <math.h>

/* --- the axis ------------------------------------------------------------------------------------ */

struct axis {
    sharc_time zero; /* the page's time */
    double low, high;
};

static double place(sharc_time distance)
{
    double s = (double)distance / (double)SHARC_SEC;
    return s < 0 ? -log1p(-s) : log1p(s);
}

/* In percent of the width. */
static double on(const struct axis *x, sharc_time t)
{
    double at = place(t - x->zero);
    return 4 + 92 * (at - x->low) / (x->high - x->low);
}

static void stretch(struct axis *x, sharc_time t)
{
    double at = place(t - x->zero);
    x->low = fmin(x->low, at);
    x->high = fmax(x->high, at);
}

static sharc_time zero_of(const struct serve_address *a, const struct serve_coherence *k)
{
    sharc_time t = k->parts[0].when;
    if (a->timestamp.n && !sharc_span_is(a->mapping, "web")) sharc_time_parse(a->timestamp, &t, NULL);
    return t;
}

static struct axis axis_of(const struct serve_address *a, const struct serve_coherence *k)
{
    struct axis x = {.zero = zero_of(a, k), .low = -2, .high = 2};
    for (size_t i = 0; i < k->count; i++)
        if (!k->parts[i].missing) stretch(&x, k->parts[i].when);
    if (a->limits.set) stretch(&x, x.zero + a->limits.from);
    if (a->limits.set) stretch(&x, x.zero + a->limits.to);
    x.low -= 0.5;
    x.high += 0.5;
    return x;
}

/* --- the picture ---------------------------------------------------------------------------------- */

enum { LANE = 20, TOP = 8, BOTTOM = 96 };

static void put_ticks(struct sharc_buf *out, const struct axis *x)
{
    static const struct {
        sharc_time t;
        const char *text;
    } ticks[] = {{SHARC_SEC, "1 s"},       {SHARC_MINUTE, "1 min"},  {SHARC_HOUR, "1 h"},       {SHARC_DAY, "1 d"},
                 {30 * SHARC_DAY, "30 d"}, {365 * SHARC_DAY, "1 y"}, {3653 * SHARC_DAY, "10 y"}};
    sharc_buf_printf(out, "<line class=axis x1=0 x2=\"100%%\" y1=%d y2=%d />\n", BOTTOM, BOTTOM);
    for (int sign = -1; sign <= 1; sign += 2)
        for (size_t i = 0; i < SHARC_LENGTH(ticks); i++) {
            double at = on(x, x->zero + sign * ticks[i].t);
            if (at < 2 || at > 98) continue;
            sharc_buf_printf(out,
                             "<line class=axis x1=\"%.2f%%\" x2=\"%.2f%%\" y1=%d y2=%d />"
                             "<text%s text-anchor=middle x=\"%.2f%%\" y=%d>%s%s</text>\n",
                             at, at, TOP, BOTTOM + 4, i % 2 ? "" : " class=fine", at, BOTTOM + 18, sign < 0 ? "−" : "+",
                             ticks[i].text);
        }
}

static const char *state_word(const struct serve_part *p)
{
    if (p->missing) return "missing";
    if (p->outside) return "outside";
    return sharc_part_state_word(sharc_part_state_of(p->reason));
}

static void put_dot(struct sharc_buf *out, const struct axis *x, const struct serve_part *p, size_t i)
{
    /* Parts of one time stand beside each other. */
    int y = TOP + 6 + LANE * (int)sharc_part_state_of(p->reason) + 4 * (int)(i % 4);
    double at = on(x, p->when);
    /* What is refused has another form, too. */
    if (p->outside)
        sharc_buf_printf(out, "<svg x=\"%.2f%%\" y=%d overflow=visible><path class=s-outside d=\"M0-7L7 0L0 7L-7 0z\">",
                         at, y);
    else
        sharc_buf_printf(out, "<circle class=s-%s cx=\"%.2f%%\" cy=%d r=5>", state_word(p), at, y);
    sharc_buf_put_str(out, "<title>");
    sharc__serve_put_time(out, sharc_span_of(p->timestamp));
    sharc_buf_put_char(out, ' ');
    sharc__serve_put_shown(out, p->url);
    sharc_buf_put_str(out, p->outside ? "</title></path></svg>\n" : "</title></circle>\n");
}

static void put_limit(struct sharc_buf *out, const struct serve_address *a, const struct axis *x, bool upper)
{
    double at = upper ? 99 : 1;
    if (a->limits.set) at = on(x, x->zero + (upper ? a->limits.to : a->limits.from));
    sharc_buf_printf(out,
                     "<line class=limit id=limit-%s role=slider tabindex=0 aria-label=\"%s limit\" aria-valuemin=0 "
                     "aria-valuemax=100 aria-valuenow=%d x1=\"%.2f%%\" x2=\"%.2f%%\" y1=%d y2=%d />\n",
                     upper ? "to" : "from", upper ? "Latest" : "Earliest", (int)at, at, at, TOP, BOTTOM);
}

static void put_chart(struct sharc_buf *out, const struct serve_address *a, const struct serve_coherence *k)
{
    struct axis x = axis_of(a, k);
    sharc_buf_printf(
        out,
        "<svg class=chart data-low=\"%.6f\" data-high=\"%.6f\" role=group aria-label=\"Capture times of the "
        "parts, from before to after the page; the table below has them\">\n",
        x.low, x.high);
    put_ticks(out, &x);
    sharc_buf_printf(out,
                     "<svg x=\"%.2f%%\" overflow=visible><rect class=page x=-7 y=%d width=14 height=%d "
                     "rx=3><title>the page</title></rect></svg>\n",
                     on(&x, k->parts[0].when), TOP, BOTTOM - TOP);
    double now = on(&x, k->page.from);
    sharc_buf_printf(out, "<line class=now x1=\"%.2f%%\" x2=\"%.2f%%\" y1=0 y2=%d />\n", now, now, BOTTOM);
    for (size_t i = 1; i < k->count; i++)
        if (!k->parts[i].missing) put_dot(out, &x, &k->parts[i], i);
    put_limit(out, a, &x, false);
    put_limit(out, a, &x, true);
    sharc_buf_put_str(out, "</svg>\n");
}

/* --- limits ----------------------------------------------------------------------------------------- */

static void put_hidden(struct sharc_buf *out, const char *name, struct sharc_span value)
{
    sharc_buf_printf(out, "<input type=hidden name=%s value=\"", name);
    sharc__serve_put_text(out, value);
    sharc_buf_put_str(out, "\">");
}

static void put_form(struct sharc_buf *out, const struct serve_address *a, const struct serve_coherence *k)
{
    struct sharc_span from = SHARC_SPAN(""), to = SHARC_SPAN("");
    size_t dots = a->limits.set ? sharc_span_search(a->limits.text, SHARC_SPAN("..")) : SHARC_NPOS;
    if (dots != SHARC_NPOS) {
        from = sharc_span_sub(a->limits.text, 0, dots);
        to = sharc_span_from(a->limits.text, dots + 2);
    }
    sharc_buf_put_str(out, "<form class=limits action=/limits>");
    put_hidden(out, "mapping", a->mapping);
    put_hidden(out, "at", a->timestamp.n ? a->timestamp : sharc_span_of(k->parts[0].timestamp));
    put_hidden(out, "url", a->url);
    sharc_buf_put_str(out, "<label for=from>Only parts from</label><input id=from name=from placeholder=-1d value=\"");
    sharc__serve_put_text(out, from);
    sharc_buf_put_str(out, "\"><label for=to>to</label><input id=to name=to placeholder=+2h value=\"");
    sharc__serve_put_text(out, to);
    sharc_buf_put_str(out, "\"><button>Show</button>");
    if (a->limits.set) {
        sharc_buf_printf(out, " <a href=\"/view/%.*s/%.*s/", SHARC_SPAN_ARG(a->mapping), SHARC_SPAN_ARG(a->timestamp));
        sharc__serve_put_attribute(out, a->url);
        sharc_buf_put_str(out, "\">without limits</a>");
    }
    sharc_buf_put_str(out, "</form>\n");
}

static struct sharc_span parameter(struct serve_call *c, const char *name, struct sharc_buf *value)
{
    size_t at = 0;
    sharc_buf_clear(value);
    return sharc__serve_parameter(c, name, &at, value) ? sharc_span_trim(sharc_buf_span(value)) : SHARC_SPAN("");
}

void sharc__serve_limits(struct serve_call *c)
{
    SHARC_AUTO(sharc_buf_done)
    struct sharc_buf value = SHARC_BUF_INIT(SHARC_LIMIT_URL), text = SHARC_BUF_INIT(96),
                     to = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    SHARC_AUTO(sharc__serve_address_done) struct serve_address a = {.star = false};
    struct serve_limits limits;
    struct sharc_span side = parameter(c, "from", &value);
    sharc_buf_put(&text, side.n ? side : SHARC_SPAN("-1000y"));
    sharc_buf_put_str(&text, "..");
    side = parameter(c, "to", &value);
    sharc_buf_put(&text, side.n ? side : SHARC_SPAN("+1000y"));
    if (!sharc__serve_limits_read(sharc_buf_span(&text), &limits)) {
        sharc__serve_page_error(c, 400, "Not limits",
                                "Limits are durations such as -1d and +2h, the first not above the second.",
                                SHARC_SPAN_NONE, false);
        return;
    }
    sharc_buf_put_char(&to, '/');
    sharc__serve_put_url(&to, parameter(c, "mapping", &value));
    sharc_buf_put_char(&to, '/');
    sharc__serve_put_url(&to, parameter(c, "at", &value));
    sharc_buf_printf(&to, "~%.*s~/", SHARC_SPAN_ARG(limits.text));
    sharc__serve_put_url(&to, parameter(c, "url", &value));
    if (!to.failed && sharc__serve_address_read(&a, sharc_buf_span(&to)) && a.limits.set)
        sharc__serve_redirect(c, 302, "/view%s", sharc_buf_str(&to));
    else
        sharc__serve_page_error(c, 400, "Not an address", "There is no page at this address.", SHARC_SPAN_NONE, false);
}

/* --- the table ---------------------------------------------------------------------------------------- */

static void put_delta(struct sharc_buf *out, sharc_time d)
{
    char text[SHARC_TIME_TEXT];
    if (d == 0)
        sharc_buf_put_str(out, "0");
    else
        sharc_buf_printf(out, "%s%s", d < 0 ? "−" : "+", sharc_duration_text(d < 0 ? -d : d, text));
}

static void put_row(struct sharc_buf *out, const struct serve_coherence *k, size_t i)
{
    static const char *const signs[] = {"✔", "≈", "?", "✖"};
    const struct serve_part *p = &k->parts[i];
    const char *word = state_word(p);
    const char *sign = p->missing ? "∅" : p->outside ? "⊘" : signs[sharc_part_state_of(p->reason)];
    sharc_buf_printf(out, "<tr><td class=\"s t-%s\"><span aria-hidden=true>%s</span> %s", word, sign, word);
    if (!p->missing && sharc_part_state_of(p->reason) == SHARC_PART_OPEN && !isnan(p->probability))
        sharc_buf_printf(out, p->probability < 0.01 ? " (below 0.01)" : " (%.2f)",
                         p->probability > 0.99 ? 0.99 : p->probability);
    sharc_buf_put_str(out, "<td class=at>");
    if (!p->missing) sharc__serve_put_time(out, sharc_span_of(p->timestamp));
    sharc_buf_put_str(out, "<td data-l=Distance>");
    if (!p->missing) put_delta(out, p->when - k->parts[0].when);
    sharc_buf_put_str(out, "<td class=w data-l=Weight>");
    if (i) sharc__serve_put_share(out, p->weight);
    sharc_buf_put_str(out, "<td class=why>");
    sharc_buf_put_str(out, p->missing   ? "is not archived"
                           : p->similar ? "is of a similar URL, not of this one"
                           : p->blank   ? "has nothing that it could be compared by"
                                        : sharc_part_reason_text(p->reason));
    if (sharc__serve_is_volatile(p)) sharc_buf_put_str(out, " but for volatile parts (grade 2)");
    sharc_buf_put_str(out, "<td class=\"d wide\">");
    sharc__serve_put_text(out, sharc_span_sub(p->digest, 0, 15));
    sharc_buf_printf(out, "<td class=\"u wide\">%s<bdi dir=ltr title=\"", i == 0 ? "<strong>page</strong> " : "");
    sharc__serve_put_shown(out, p->url);
    sharc_buf_put_str(out, "\">");
    sharc__serve_put_shown(out, p->url);
    sharc_buf_put_str(out, "</bdi>\n");
}

void sharc__serve_put_parts(struct sharc_buf *out, const struct serve_address *a, const struct serve_coherence *k)
{
    sharc_buf_put_str(out, "<h2>When its parts were captured</h2>\n");
    put_chart(out, a, k);
    sharc_buf_put_str(out, "<p class=soft>Box: the page. Dots: its parts, the better known the higher. Red: beyond the "
                           "limits, and not shown.\n");
    put_form(out, a, k);
    sharc_buf_put_str(
        out, "<div class=scroll tabindex=0 role=region aria-label=\"Parts of the page\"><table class=rows><thead>"
             "<tr><th>State<th>Time (UTC)<th>Distance<th>Weight<th>Reason: it …<th>Digest<th>URL</thead>\n");
    for (size_t i = 0; i < k->count; i++) put_row(out, k, i);
    sharc_buf_put_str(out, "</table></div>\n");
}
