/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc quality of what was watched: freshness, completeness, coherence of answers, in all and period by period.
 */
#include "cmd_quality.h"

#include "sharc/watched.h"

#include <inttypes.h>
#include <math.h>

/* Each watch among the captures that are asked for. */
static int each_watch(struct quality *q, void (*fn)(void *arg, const char *site, const struct sharc_watched *w),
                      void *arg, struct sharc_err *reterr)
{
    for (size_t i = 0; i < sharc_assess_count(q->assess); i++) {
        SHARC_AUTO(sharc_watched_done) struct sharc_watched w = {0};
        int r = sharc_watched_measure(q->store, sharc_assess_id(q->assess, i), &w, reterr);
        if (r < 0) return r;
        if (r > 0) fn(arg, sharc_assess_site(q->assess, i), &w);
    }
    return 0;
}

/* --- for people ------------------------------------------------------------------------- */

/* "81–93", or one number if both are the same. */
static void range_cell(struct cli_table *t, double low, double high)
{
    if (isnan(low) || isnan(high))
        cli_table_cell(t, "-");
    else if (lround(100 * low) == lround(100 * high))
        cli_table_cell(t, "%.0f", 100 * low);
    else
        cli_table_cell(t, "%.0f–%.0f", 100 * low, 100 * high);
}

static void print_sums(FILE *out, const struct sharc_watched *w)
{
    const struct sharc_watched_period *a = &w->all;
    char x[SHARC_TIME_TEXT], y[SHARC_TIME_TEXT];
    quality_label(out, "looks");
    fprintf(out, "%" PRIu64 " at %s: %s found, %" PRIu64 " without an answer\n", a->looks + a->failed,
            SHARC_COUNT(w->pages, "page"), SHARC_COUNT(a->changes, "change"), a->failed);
    quality_label(out, "fresh");
    fprintf(out, "%s of the time, as looks show; %s expected\n", sharc_share_text(a->fresh_seen, x),
            sharc_share_text(a->fresh_expected, y));
    quality_label(out, "complete");
    if (isnan(a->complete))
        fputs("unknown: nothing is known to have come up\n", out);
    else
        fprintf(out, "%s of what came up is archived, as expected, by importance\n", sharc_share_text(a->complete, x));
    quality_label(out, "exact");
    fprintf(out, "%s of an answer was up at the instant asked for; %s expected\n", sharc_share_text(a->exact_seen, x),
            sharc_share_text(a->exact_expected, y));
    quality_label(out, "together");
    fprintf(out, "%s of an answer existed together at some instant; at most %s\n",
            sharc_share_text(a->together_seen, x), sharc_share_text(a->together_possible, y));
}

static void print_periods(FILE *out, const struct sharc_watched *w)
{
    static const char *const titles[] = {"from", "looks", "changes", "fresh", "complete", "exact", "together"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(SHARC_LENGTH(titles), titles, "lrrrrrr");
    for (size_t i = 0; i < w->count; i++) {
        const struct sharc_watched_period *p = &w->periods[i];
        char when[SHARC_TIME_TEXT];
        cli_table_cell(t, "%s", sharc_time_iso(p->from, 0, when));
        cli_table_cell(t, "%" PRIu64, p->looks + p->failed);
        cli_table_cell(t, "%" PRIu64, p->changes);
        range_cell(t, p->fresh_seen, p->fresh_expected);
        range_cell(t, p->complete, p->complete);
        range_cell(t, p->exact_seen, p->exact_expected);
        range_cell(t, p->together_seen, p->together_possible);
    }
    putc('\n', out);
    cli_table_print(t, out);
    fputs("In per cent. fresh, exact: as looks show–as expected; together: surely–at most.\n"
          "As looks show: if nobody changed a page and changed it back between equal looks.\n",
          out);
}

struct telling {
    struct quality *q;
    bool first;
};

static void print_watch(void *arg, const char *site, const struct sharc_watched *w)
{
    struct telling *t = arg;
    FILE *out = t->q->c->out;
    char a[SHARC_TIME_TEXT], b[SHARC_TIME_TEXT];
    if (!t->first) putc('\n', out);
    t->first = false;
    fprintf(out, "%s: watched from %s to %s\n", site, sharc_time_iso(w->all.from, 0, a),
            sharc_time_iso(w->all.to, 0, b));
    print_sums(out, w);
    if (t->q->watched || t->q->one) print_periods(out, w);
}

int quality_watched_text(struct quality *q, struct sharc_err *reterr)
{
    struct telling t = {q, q->watched};
    int r = each_watch(q, print_watch, &t, reterr);
    if (r >= 0 && t.first) fputs("nothing was watched\n", q->c->out);
    return r;
}

/* --- for programs ----------------------------------------------------------------------------- */

static void put_watch(void *arg, const char *site, const struct sharc_watched *w)
{
    struct sharc_json *j = arg;
    sharc_json_object(j, NULL);
    sharc_json_int(j, "capture", w->capture);
    sharc_json_str(j, "site", site);
    sharc_json_uint(j, "pages", w->pages);
    sharc_json_uint(j, "looked_at", w->looked);
    sharc_json_object(j, "all");
    sharc_watched_put_json(j, &w->all);
    sharc_json_end(j);
    sharc_json_array(j, "periods");
    for (size_t i = 0; i < w->count; i++) {
        sharc_json_object(j, NULL);
        sharc_watched_put_json(j, &w->periods[i]);
        sharc_json_end(j);
    }
    sharc_json_end(j);
    sharc_json_end(j);
}

int quality_watched_json(struct quality *q, struct sharc_json *j, struct sharc_err *reterr)
{
    sharc_json_array(j, "watches");
    int r = each_watch(q, put_watch, j, reterr);
    sharc_json_end(j);
    return r;
}

static void put_lines(void *arg, const char *site, const struct sharc_watched *w)
{
    struct quality *q = arg;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    for (size_t i = 0; i < w->count; i++) {
        sharc_buf_printf(&b, "%lld,", (long long)w->capture);
        sharc_buf_put_csv(&b, sharc_span_of(site));
        sharc_buf_put_char(&b, ',');
        sharc_watched_put_csv(&b, &w->periods[i]);
    }
    fputs(sharc_buf_str(&b), q->c->out);
}

int quality_watched_csv(struct quality *q, struct sharc_err *reterr)
{
    fputs("capture,site," SHARC_WATCHED_COLUMNS "\n", q->c->out);
    return each_watch(q, put_lines, q, reterr);
}
