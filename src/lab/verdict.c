/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc lab judge: what a capture of a living site says, held against the truth.
 */
#include "sharc/lab_verdict.h"

#include "sharc/store_query.h"
#include "sharc/url.h"

#include <stdlib.h>

/* --- one page ---------------------------------------------------------------------- */

static struct sharc_lab_look look_of(const struct sharc_store_look *l)
{
    struct sharc_lab_look look = {.when = l->when, .took = l->took, .found = l->status == 200 || l->status == 304};
    if (look.found) look.digest = l->digest;
    return look;
}

static void note_wrong(struct sharc_lab_verdict *v, const struct sharc_store_page *p, const char *what, sharc_time from,
                       sharc_time to)
{
    if (v->wrong_count >= SHARC_LAB_WRONG_MOST) return;
    SHARC_GROW(v->wrong, v->wrong_room, v->wrong_count + 1);
    v->wrong[v->wrong_count++] = (struct sharc_lab_wrong){sharc_span_dup(p->url), what, from, to};
}

static void check_body(const struct sharc_lab_truth *t, struct sharc_span path, const struct sharc_store_page *p,
                       const struct sharc_lab_look *look, struct sharc_lab_verdict *v)
{
    switch (sharc_lab_check_body(t, path, look)) {
    case SHARC_LAB_BODY_UNKNOWN: return;
    case SHARC_LAB_BODY_RIGHT: v->bodies_right++; return;
    case SHARC_LAB_BODY_LATE:
        v->bodies_late++;
        note_wrong(v, p, "its body was served at another time", look->when, look->when);
        return;
    case SHARC_LAB_BODY_WRONG:
        v->bodies_wrong++;
        note_wrong(v, p, "the site never served its body", look->when, look->when);
        return;
    }
}

/* Each look after the first claims something about the time since the one before. */
static void judge_page(const struct sharc_lab_truth *t, struct sharc_span path, const struct sharc_store_page *p,
                       struct sharc_lab_verdict *v)
{
    const struct sharc_store_look *looks[] = {&p->visit, &p->second, &p->revisit}, *before = NULL;
    size_t versions;
    v->pages++;
    v->in_log += sharc_lab_truth_of(t, path, &versions) != NULL;
    for (size_t i = 0; i < SHARC_LENGTH(looks); i++) {
        const struct sharc_store_look *now = looks[i];
        if (now->when == SHARC_TIME_NONE || now->status <= 0) continue;
        struct sharc_lab_look look = look_of(now);
        check_body(t, path, p, &look, v);
        if (before && now->change != SHARC_STORE_NO_CHANGE) {
            struct sharc_lab_look earlier = look_of(before);
            bool said = sharc_change_counts((enum sharc_change_class)now->change);
            enum sharc_lab_finding f = sharc_lab_judge(t, path, &earlier, &look, said);
            v->comparisons++;
            v->findings[f]++;
            if (f == SHARC_LAB_FALSE_CHANGED || f == SHARC_LAB_FALSE_UNCHANGED)
                note_wrong(v, p, sharc_lab_finding_text(f), before->when, now->when);
        }
        before = now;
    }
}

int sharc_lab_verdict(struct sharc_store *s, sharc_store_id capture, const struct sharc_lab_truth *t,
                      struct sharc_lab_verdict *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    struct sharc_store_page_filter f = {.capture = capture, .looks = true};
    int r = sharc_store_pages(s, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
        sharc_store_read_page(rows, &p);
        if (sharc_url_parse(&u, p.url, NULL, NULL) == 0) judge_page(t, sharc_url_target(&u), &p, ret);
    }
    return r < 0 ? r : 0;
}

void sharc_lab_verdict_done(struct sharc_lab_verdict *v)
{
    for (size_t i = 0; i < v->wrong_count; i++) free(v->wrong[i].url);
    free(v->wrong);
    *v = (struct sharc_lab_verdict){0};
}

size_t sharc_lab_verdict_wrong(const struct sharc_lab_verdict *v)
{
    return v->findings[SHARC_LAB_FALSE_CHANGED] + v->findings[SHARC_LAB_FALSE_UNCHANGED] + v->bodies_late +
           v->bodies_wrong;
}

bool sharc_lab_verdict_judged(const struct sharc_lab_verdict *v)
{
    return v->comparisons > v->findings[SHARC_LAB_NOT_IN_LOG] || v->bodies_right + v->bodies_late + v->bodies_wrong > 0;
}
