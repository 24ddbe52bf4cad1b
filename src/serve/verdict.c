/* SPDX-License-Identifier: Apache-2.0
 *
 * The verdict on a page as it is shown. Dates of servers are believed by the rules of room quality, and only if most
 * answers of that host have one; a host that was caught dating content before something else was there is not
 * believed at all. Rates are those of the catalogue, else what all captures of the page's parts together show.
 */
#include "coherence.h"

#include "sharc/rate.h"

#include <math.h>
#include <stdlib.h>

/* --- hosts ------------------------------------------------------------------------------------- */

/* The pages, or everything else, of a host. */
struct group {
    uint64_t answered, dated;
    bool liar;
    struct sharc_rate_history looks;
    double rate;
};

struct groups {
    struct sharc_intern *names;
    struct group *items;
    size_t room;
    struct sharc_buf name;
};

static void groups_done(struct groups *g)
{
    for (size_t i = 0; g->items && i < sharc_intern_count(g->names); i++) sharc_rate_history_done(&g->items[i].looks);
    sharc_intern_free(g->names);
    sharc_buf_done(&g->name);
    free(g->items);
}

static struct sharc_span host_of(struct sharc_span url)
{
    size_t host = sharc_span_search(url, SHARC_SPAN("://"));
    if (host == SHARC_NPOS) return SHARC_SPAN("");
    size_t end = sharc_span_find(url, '/', host + 3);
    return sharc_span_sub(url, host + 3, end == SHARC_NPOS ? url.n : end);
}

static struct group *group_of(struct groups *g, const struct serve_part *p)
{
    bool fresh;
    sharc_buf_clear(&g->name);
    sharc_buf_put_str(&g->name, sharc_span_search(p->type, SHARC_SPAN("html")) != SHARC_NPOS ? "pages " : "other ");
    sharc_buf_put(&g->name, host_of(p->target));
    uint32_t id = sharc_intern_add(g->names, sharc_buf_span(&g->name), &fresh);
    SHARC_GROW(g->items, g->room, (size_t)id + 1);
    if (fresh) g->items[id] = (struct group){.rate = (double)NAN};
    return &g->items[id];
}

static void note_part(struct group *g, const struct serve_history *h)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < h->count; i++) {
        const struct sharc_sighting *s = &h->seen[i];
        if (i > 0 && !sharc_span_eq(h->sights[i].target, h->sights[i - 1].target)) last = SIZE_MAX;
        if (h->sights[i].status >= 200 && h->sights[i].status < 300) {
            g->answered++;
            g->dated += s->modified != SHARC_TIME_NONE;
        }
        if (!s->body) continue;
        if (last != SIZE_MAX && h->seen[last].method == s->method)
            sharc_rate_history_look(&g->looks, sharc_time_seconds(s->begun - h->seen[last].begun),
                                    h->seen[last].body != s->body);
        last = i;
    }
}

static void forget_dates(struct serve_history *h)
{
    for (size_t i = 0; i < h->count; i++) h->seen[i].modified = SHARC_TIME_NONE;
}

/* --- one part ------------------------------------------------------------------------------------- */

/* Which of the sightings is shown; SIZE_MAX: none of them, which is a matter of how many were looked at. */
static size_t shown_of(const struct serve_part *p)
{
    for (size_t i = 0; i < p->history.count; i++) {
        const struct serve_sight *s = &p->history.sights[i];
        if (p->history.seen[i].begun == p->when && sharc_span_eq(s->target, p->target) &&
            strcmp(s->timestamp, p->timestamp) == 0)
            return i;
    }
    return SIZE_MAX;
}

/* Known at no instant, possible at any. */
static void know_nothing(struct serve_part *p)
{
    p->known.rate = (double)NAN;
    p->known.known = (struct sharc_known){.possible_from = INT64_MIN, .possible_to = INT64_MAX};
    p->known.known.seen_from = p->when;
    p->known.known.seen_to = p->ended;
    p->known.known.from = p->known.known.proven_from = p->ended + 1;
    p->known.known.to = p->known.known.proven_to = p->when - 1;
}

static void know_part(struct serve_part *p, sharc_time at, double rate)
{
    size_t i = shown_of(p);
    p->blank = p->similar || i == SIZE_MAX || !p->history.seen[i].body;
    if (i != SIZE_MAX) {
        p->about = p->history.sights[i];
        p->stated = p->about.stated;
        p->digest = p->about.digest;
        p->ended = p->history.seen[i].ended;
    }
    if (p->blank) {
        know_nothing(p);
        return;
    }
    p->known.rate = p->about.rate > 0 ? p->about.rate : rate;
    sharc__serve_history_known(&p->history, i, at, &p->known.known);
}

/* Dates that other downloads contradict make a liar of the host. */
static void know_parts(struct serve_coherence *k, struct groups *g)
{
    sharc_time at = k->asked == SHARC_TIME_NONE ? k->parts[0].when : k->asked;
    for (size_t i = 0; i < k->count; i++)
        if (!k->parts[i].missing) note_part(group_of(g, &k->parts[i]), &k->parts[i].history);
    for (size_t i = 0; i < sharc_intern_count(g->names); i++)
        g->items[i].rate = sharc_rate_cautious(&g->items[i].looks);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < k->count; i++) {
            struct serve_part *p = &k->parts[i];
            if (p->missing) continue;
            struct group *own = group_of(g, p);
            if (own->liar || own->dated * 2 < own->answered) forget_dates(&p->history);
            know_part(p, at, own->rate);
            own->liar |= !p->blank && p->known.known.contradicted;
        }
}

/* --- the whole ---------------------------------------------------------------------------------- */

/* What is refused is told of, and is no part of what is judged. */
static bool is_shown(const struct serve_coherence *k, size_t i)
{
    return i == 0 || (!k->parts[i].missing && !k->parts[i].outside);
}

static void weigh(struct serve_coherence *k)
{
    struct serve_weighed *w = &k->weighed;
    double all = 0;
    for (size_t i = 1; i < k->count; i++) all += k->parts[i].weight;
    for (size_t i = 1; i < k->count; i++) {
        struct serve_part *p = &k->parts[i];
        p->weight /= all;
        *(p->missing   ? &w->missing
          : p->outside ? &w->refused
                       : &w->states[sharc_part_state_of(p->reason)]) += p->weight;
    }
}

static int judge(const struct sharc_edition *e, const struct serve_address *a, struct serve_coherence *k,
                 struct sharc_err *reterr)
{
    int r = sharc__serve_parts(e, a, k, reterr);
    if (r < 0) return r;
    SHARC_AUTO(groups_done) struct groups g = {.names = sharc_intern_new()};
    SHARC_AUTO(sharc_freep) struct sharc_part *known = SHARC_NEW_ARRAY(struct sharc_part, k->count);
    SHARC_AUTO(sharc_freep) enum sharc_part_reason *reasons = SHARC_NEW_ARRAY(enum sharc_part_reason, k->count);
    SHARC_AUTO(sharc_freep) double *probabilities = SHARC_NEW_ARRAY(double, k->count);
    size_t n = 0;
    sharc_buf_init(&g.name, 2 * SHARC_LIMIT_URL);
    know_parts(k, &g);
    for (size_t i = 0; i < k->count; i++)
        if (is_shown(k, i)) known[n++] = k->parts[i].known;
    bool own = k->asked == SHARC_TIME_NONE;
    const struct sharc_verdict_wish w = {.from = own ? k->parts[0].when : k->asked,
                                         .to = own ? k->parts[0].ended : k->asked,
                                         .own = own,
                                         .lacking = k->missing || k->outside || k->similar || k->cut};
    sharc_quality_judge(known, n, &w, &k->page, reasons, probabilities);
    n = 0;
    for (size_t i = 0; i < k->count; i++) {
        struct serve_part *p = &k->parts[i];
        if (is_shown(k, i)) {
            p->reason = reasons[n];
            p->probability = probabilities[n++];
        } else if (!p->missing) {
            p->reason = sharc_quality_part(&p->known, k->page.from, k->page.to, &p->probability);
        }
    }
    weigh(k);
    return 0;
}

/* Some megabytes at worst: as many at a time as there is memory for answers. */
int sharc__serve_judge(struct serve_call *c, const struct serve_address *a, struct serve_coherence *k,
                       struct sharc_err *reterr)
{
    enum { AT_WORST = 8 << 20 };
    SHARC_FAIL_IF(!sharc__serve_hold(c->server, AT_WORST), reterr, SHARC_EBUSY,
                  "this server has no memory left for this answer just now; try again in a moment");
    int r = judge(c->edition, a, k, reterr);
    sharc__serve_unhold(c->server, AT_WORST);
    return r;
}

bool sharc__serve_is_volatile(const struct serve_part *p)
{
    return !p->about.foreign && sharc_grade_of(p->about.grade) == SHARC_GRADE_VOLATILE &&
           p->reason == SHARC_PART_BY_EQUAL;
}

/* --- in words ------------------------------------------------------------------------------------- */

void sharc__serve_put_share(struct sharc_buf *out, double share)
{
    if (share > 0 && share < 0.001)
        sharc_buf_put_str(out, "less than 0.1 %");
    else if (share < 1 && share > 0.999)
        sharc_buf_put_str(out, "more than 99.9 %");
    else
        sharc_buf_printf(out, share == 0 || share == 1 || (share > 0.1 && share < 0.99) ? "%.0f %%" : "%.1f %%",
                         100 * share);
}

/* " (12 % by weight)"; of one part that is all of them nothing need be said. */
static void put_weight(struct sharc_buf *out, const struct serve_coherence *k, double share)
{
    if (k->count <= 2) return;
    sharc_buf_put_str(out, " (");
    sharc__serve_put_share(out, share);
    sharc_buf_put_str(out, " by weight)");
}

static void put_instant(struct sharc_buf *out, sharc_time from, sharc_time to)
{
    char a[SHARC_TIME_TEXT], b[SHARC_TIME_TEXT];
    int digits = from % SHARC_SEC || to % SHARC_SEC ? 17 : 14;
    sharc__serve_put_time(out, sharc_span_of(sharc_time_compact(from, digits, a)));
    if (to / SHARC_MSEC == from / SHARC_MSEC) return;
    sharc_buf_put_str(out, " to ");
    size_t begin = out->n, date = sizeof "2026-11-01";
    sharc__serve_put_time(out, sharc_span_of(sharc_time_compact(to, digits, b)));
    if (memcmp(a, b, 8) == 0) sharc_buf_splice(out, begin, date, SHARC_SPAN("")); /* of the same day */
}

/* "3 parts are newer (at most 2 d 4 h)". */
static void put_others(struct sharc_buf *out, const struct serve_coherence *k)
{
    size_t newer = 0, older = 0;
    sharc_time ahead = 0, behind = 0;
    char text[SHARC_TIME_TEXT];
    for (size_t i = 0; i < k->count; i++) {
        const struct serve_part *p = &k->parts[i];
        if (!is_shown(k, i) || sharc_part_state_of(p->reason) != SHARC_PART_REFUTED) continue;
        bool later = p->when > k->page.to;
        sharc_time distance = later ? p->when - k->page.to : p->when < k->page.from ? k->page.from - p->when : 0;
        sharc_time *most = later ? &ahead : &behind;
        ++*(later ? &newer : &older);
        if (distance > *most) *most = distance;
    }
    if (newer)
        sharc_buf_printf(out, " · %s newer (at most +%s)", SHARC_COUNT(newer, "part is|parts are"),
                         sharc_duration_text(ahead, text));
    if (older)
        sharc_buf_printf(out, " · %s older (at most −%s)", SHARC_COUNT(older, "part is|parts are"),
                         sharc_duration_text(behind, text));
    if (k->weighed.states[SHARC_PART_REFUTED] > 0 && k->count > 2) {
        sharc_buf_put_str(out, ", ");
        sharc__serve_put_share(out, k->weighed.states[SHARC_PART_REFUTED]);
        sharc_buf_put_str(out, " of the parts by weight");
    }
}

static bool is_together(const struct serve_coherence *k)
{
    enum sharc_part_state s = k->page.composite.state;
    return s == SHARC_PART_PROVEN || s == SHARC_PART_ATTESTED;
}

static void put_proven(struct sharc_buf *out, const struct serve_coherence *k)
{
    size_t parts = k->count - 1, proven = k->page.states[SHARC_PART_PROVEN];
    bool root = sharc_part_state_of(k->parts[0].reason) == SHARC_PART_PROVEN;
    if (root && proven == k->count && parts == 0)
        sharc_buf_put_str(out, " · the page, which has no parts");
    else if (root && proven == k->count && parts == 1)
        sharc_buf_put_str(out, " · page and its one part");
    else if (root && proven == k->count)
        sharc_buf_printf(out, " · page and all %zu parts", parts);
    else if (proven == 0)
        sharc_buf_put_str(out, " · nothing is proven");
    else
        sharc_buf_printf(out, " · proven: %s%zu of %s%s", root ? "the page and " : "", proven - root,
                         SHARC_COUNT(parts, "part"), root ? "" : ", not the page");
    if (proven && proven < k->count) put_weight(out, k, k->weighed.states[SHARC_PART_PROVEN]);
}

void sharc__serve_put_verdict(struct sharc_buf *out, const struct serve_coherence *k)
{
    const struct sharc_judged_page *j = &k->page;
    double p = j->probability;
    if (j->verdict == SHARC_VERDICT_PROBABLY || (j->verdict == SHARC_VERDICT_UNKNOWN && p < 1 && !k->missing)) {
        if (!isnan(p) && p < 1) sharc_buf_printf(out, " (%.2f)", p > 0.99 ? 0.99 : p);
    }
    if (k->asked == SHARC_TIME_NONE && !is_together(k)) {
        sharc_buf_put_str(out, " at the time of its download");
    } else {
        sharc_buf_put_str(out, " for ");
        put_instant(out, j->from, j->to);
    }
    if (j->word && j->verdict == SHARC_VERDICT_PROBABLY) sharc_buf_put_str(out, " by the server's word");
    if (j->verdict == SHARC_VERDICT_MIXED || j->verdict == SHARC_VERDICT_CONTRADICTED) put_others(out, k);
    if (!k->outside) put_proven(out, k);
    if (k->missing) {
        sharc_buf_printf(out, " · %s", SHARC_COUNT(k->missing, "part is missing|parts are missing"));
        put_weight(out, k, k->weighed.missing);
    }
    if (k->outside) {
        sharc_buf_printf(out, " · %s", SHARC_COUNT(k->outside, "piece is refused|pieces are refused"));
        put_weight(out, k, k->weighed.refused);
    }
    if (k->similar)
        sharc_buf_printf(out, " · %s", SHARC_COUNT(k->similar, "piece is of a similar URL|pieces are of similar URLs"));
    if (k->cut) sharc_buf_put_str(out, " · not all parts were looked at");
    if (k->scripts) sharc_buf_put_str(out, " · what scripts show is not judged");
}
