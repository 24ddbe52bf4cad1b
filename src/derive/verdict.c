/* SPDX-License-Identifier: Apache-2.0
 *
 * The closing records of a capture, lines of JSON that the crawler wrote when it ended:
 *
 *   {"sharc":"verdict","form":1,"capture":…,"part":0, …}
 *   {"params":…}
 *   {"scope":…}
 *   {"url":…,"reason":…, …}        a page and its reason
 *   {"skipped":…,"reason":…}       an address that was not fetched
 *   {"aside":…,"reason":…}         a page that does not count: it is another one, or not there
 *   {"audited":…}                  a page whose answer 304 was checked, or was to be
 *
 * Grades are derived from the downloads and not believed. From here come only what no download can show: pages of
 * which nothing was received, addresses that were left out; and doubts, since the crawler saw its own clock.
 */
#include "derive_int.h"

#include "sharc/base_node.h"

#include <stdlib.h>

static void take_page(struct sharc_derived *f, struct sharc_span url, struct sharc_span word)
{
    enum sharc_grade_reason reason;
    if (sharc_grade_reason_find(word, &reason) < 0) return;
    SHARC_GROW(f->stated, f->stated_room, f->stated_count + 1);
    f->stated[f->stated_count].url = sharc_intern_add(f->all.names, url, NULL);
    f->stated[f->stated_count++].reason = (uint8_t)reason;
}

static void take_audited(struct sharc_derived *f, struct sharc_span url)
{
    SHARC_GROW(f->audited, f->audited_room, f->audited_count + 1);
    f->audited[f->audited_count++] = sharc_intern_add(f->all.names, url, NULL);
}

static void take_left_out(struct sharc_derived *f, struct sharc_span url, struct sharc_span word, bool aside)
{
    SHARC_GROW(f->left_out, f->left_room, f->left_count + 1);
    f->left_out[f->left_count++] = (struct sharc_left_out){.url = sharc_intern_add(f->all.names, url, NULL),
                                                           .reason = sharc_intern_add(f->all.names, word, NULL),
                                                           .aside = aside};
}

/* A capture that was killed in its last moments may have two verdicts: the last one counts. */
static void begin_verdict(struct sharc_derived *f, const struct sharc_node *n)
{
    if (sharc_node_int(sharc_node_get(n, "part"), 0) != 0) return;
    f->stated_count = f->left_count = f->audited_count = 0;
    f->audits_listed = sharc_node_bool(sharc_node_get(n, "audits_listed"), false);
    sharc_freep(&f->params);
    sharc_freep(&f->scope);
}

/* Written anew, member by member: the bytes of a certificate are ours. */
static void take_scope(struct sharc_derived *f, const struct sharc_node *n)
{
    static const char *const limits[] = {"bytes", "pages", "seconds"};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 20);
    const struct sharc_node *rules = sharc_node_get(n, "rules"), *most = sharc_node_get(n, "limits");
    struct sharc_json j;
    sharc_json_init(&j, &out, false);
    sharc_json_object(&j, NULL);
    sharc_json_bool(&j, "embeds", sharc_node_bool(sharc_node_get(n, "embeds"), true));
    sharc_json_object(&j, "limits");
    for (size_t i = 0; i < SHARC_LENGTH(limits); i++) {
        int64_t value = sharc_node_int(sharc_node_get(most, limits[i]), -1);
        if (value >= 0 && value < (INT64_C(1) << 53)) sharc_json_int(&j, limits[i], value);
    }
    sharc_json_end(&j);
    sharc_json_bool(&j, "robots", sharc_node_bool(sharc_node_get(n, "robots"), true));
    sharc_json_array(&j, "rules");
    for (const struct sharc_node *rule = sharc_node_at(rules, 0); rule; rule = rule->next) {
        bool exclude = sharc_span_is(sharc_node_text(sharc_node_get(rule, "sign")), "exclude");
        sharc_json_object(&j, NULL);
        sharc_json_span(&j, "from", sharc_node_text(sharc_node_get(rule, "from")));
        sharc_json_span(&j, "rule", sharc_node_text(sharc_node_get(rule, "rule")));
        sharc_json_str(&j, "sign", exclude ? "exclude" : "include");
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    if (!out.failed && !f->scope) f->scope = sharc_buf_take(&out);
}

static void take_line(struct sharc_derived *f, struct sharc_span line)
{
    static const struct sharc_span params = SHARC_SPAN("{\"params\":");
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(16u << 20);
    const struct sharc_node *n = NULL;
    if (!line.n || sharc_json_read(line, &arena, &n, NULL) < 0) return;
    struct sharc_span url = sharc_node_text(sharc_node_get(n, "url"));
    struct sharc_span skipped = sharc_node_text(sharc_node_get(n, "skipped"));
    struct sharc_span aside = sharc_node_text(sharc_node_get(n, "aside"));
    struct sharc_span reason = sharc_node_text(sharc_node_get(n, "reason"));
    struct sharc_span audited = sharc_node_text(sharc_node_get(n, "audited"));
    if (sharc_span_is(sharc_node_text(sharc_node_get(n, "sharc")), "verdict"))
        begin_verdict(f, n);
    else if (sharc_span_starts(line, params) && !f->params)
        f->params = sharc_span_dup(sharc_span_sub(line, params.n, line.n - 1));
    else if (sharc_node_get(n, "scope"))
        take_scope(f, sharc_node_get(n, "scope"));
    else if (url.n && reason.n)
        take_page(f, url, reason);
    else if (skipped.n && reason.n)
        take_left_out(f, skipped, reason, false);
    else if (aside.n && reason.n)
        take_left_out(f, aside, reason, true);
    else if (audited.n)
        take_audited(f, audited);
}

/* Files are numbered by their names. */
static int by_place(const void *a, const void *b)
{
    const struct sharc_closing *x = a, *y = b;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int by_url(const void *a, const void *b, void *arg)
{
    const struct sharc_derived *f = arg;
    const struct sharc_left_out *x = a, *y = b;
    int c = sharc_span_cmp(sharc_derived_text(f, x->url), sharc_derived_text(f, y->url));
    return c ? c : sharc_span_cmp(sharc_derived_text(f, x->reason), sharc_derived_text(f, y->reason));
}

void sharc__derive_take_verdict(struct sharc_derived *f)
{
    struct sharc_gathered *g = &f->all;
    if (!g->verdict_count) return;
    qsort(g->verdicts, g->verdict_count, sizeof *g->verdicts, by_place);
    for (size_t i = 0; i < g->verdict_count; i++) {
        struct sharc_span rest = sharc_span_of(g->verdicts[i].lines), line;
        if (g->verdicts[i].capture != f->capture) continue;
        f->files[g->verdicts[i].file].needed = true;
        while (sharc_span_next(&rest, '\n', &line)) take_line(f, line);
    }
    if (f->left_count) qsort_r(f->left_out, f->left_count, sizeof *f->left_out, by_url, f);
}

void sharc__derive_heed_verdict(struct sharc_derived *f)
{
    for (size_t i = 0; i < f->page_count; i++) {
        struct sharc_derived_page *p = &f->pages[i];
        if (p->visit == SHARC_DERIVED_NONE && p->stated)
            p->reason = sharc_grade_of((enum sharc_grade_reason)p->stated) == SHARC_GRADE_UNPROVED
                            ? p->stated
                            : (uint8_t)SHARC_GRADED_FAILED; /* a claim without a record */
        else if (p->stated && sharc_grade_of((enum sharc_grade_reason)p->stated) > sharc_derived_grade(p))
            p->reason = p->stated;
    }
}

/* The crawler is believed only where that makes nothing better: a page that would count as proved is not counted. One
 * that changed counts, whatever it is said to be. */
static bool is_aside(struct sharc_derived *f, struct sharc_left_out *one)
{
    uint32_t row = one->aside ? f->page_of[one->url] : SHARC_DERIVED_NONE;
    return row != SHARC_DERIVED_NONE && sharc_grade_is_proof(sharc_derived_grade(&f->pages[row]));
}

void sharc__derive_set_aside(struct sharc_derived *f)
{
    size_t left = 0, n = 0;
    for (size_t i = 0; i < f->left_count; i++) {
        if (f->left_out[i].aside && !is_aside(f, &f->left_out[i])) continue;
        if (f->left_out[i].aside) f->pages[f->page_of[f->left_out[i].url]].aside = true;
        f->left_out[left++] = f->left_out[i];
    }
    f->left_count = left;
    for (size_t i = 0; i < f->page_count; i++) {
        if (f->pages[i].aside) {
            f->page_of[f->pages[i].url] = SHARC_DERIVED_NONE;
            continue;
        }
        f->page_of[f->pages[i].url] = (uint32_t)n;
        f->pages[n++] = f->pages[i];
    }
    f->page_count = n;
}
