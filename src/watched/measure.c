/* SPDX-License-Identifier: Apache-2.0
 *
 * All pages of a watch, period by period. Looks are read by page and time, so only those of one page are in memory; of
 * each page stays what it answers to each question, because which versions existed together is asked of all of them.
 */
#include "watched_int.h"

#include "sharc/base_map.h"
#include "sharc/quality.h"

#include <math.h>
#include <stdlib.h>

enum { QUESTIONS_EACH = 4, QUESTIONS_LEAST = 8, ANSWERS_MOST = 2000000 };

struct watched_page {
    sharc_time since, until;
    double weight;
    bool told; /* its looks have come */
};

struct sums {
    double time, seen, expected; /* freshness */
    double found, all;           /* completeness */
};

struct question {
    double at;
    double weight, held; /* of the pages that answer, and of those that have a version */
    double seen, expected;
    struct sharc_version *surely, *possibly; /* of each of these */
    size_t n;
};

struct measuring {
    struct sharc_store *store;
    struct sharc_watched *ret;
    sharc_time start, end; /* first and last look */
    struct watched_page *pages;
    size_t page_count, page_room;
    struct sharc_map64 by_url;
    struct sums *sums; /* of each period */
    struct question *questions;
    size_t question_count;
    struct look *looks; /* of the page under way */
    size_t look_count, look_room;
};

static double seconds(const struct measuring *m, sharc_time t)
{
    return (double)(t - m->start) / (double)SHARC_SEC;
}

static void measuring_done(struct measuring *m)
{
    for (size_t i = 0; i < m->question_count; i++) {
        free(m->questions[i].surely);
        free(m->questions[i].possibly);
    }
    free(m->questions);
    free(m->sums);
    free(m->pages);
    free(m->looks);
    sharc_map64_done(&m->by_url);
}

void sharc_watched_done(struct sharc_watched *w)
{
    free(w->periods);
    *w = (struct sharc_watched){0};
}

/* --- what there is ---------------------------------------------------------------------- */

static int read_pages(struct measuring *m, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_watched(m->store, m->ret->capture, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_watched row;
        sharc_store_read_watched(rows, &row);
        SHARC_GROW(m->pages, m->page_room, m->page_count + 1);
        m->pages[m->page_count] =
            (struct watched_page){.since = row.since, .until = row.until, .weight = row.weight > 0 ? row.weight : 1};
        *sharc_map64_at(&m->by_url, (uint64_t)row.url_id) = m->page_count++;
    }
    m->ret->pages = m->page_count;
    return r < 0 ? r : 0;
}

/* The first or the last look; 0: there is none. */
static int look_at_end(struct measuring *m, bool newest, sharc_time *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_watch_filter f = SHARC_STORE_WATCH_FILTER_INIT;
    struct sharc_store_watch_look l;
    f.capture = m->ret->capture;
    f.newest_first = newest;
    int r = sharc_store_watch_looks(m->store, &f, &rows, reterr);
    if (r >= 0) r = sharc_store_rows_next(rows, reterr);
    if (r <= 0) return r;
    sharc_store_read_watch_look(rows, &l);
    *ret = l.when;
    return 1;
}

/* --- periods ------------------------------------------------------------------------------- */

static sharc_time floor_to(sharc_time t, sharc_time length)
{
    const sharc_time monday = 4 * SHARC_DAY; /* 1970-01-05; days and hours do not mind */
    const sharc_time into = (t - monday) % length;
    return t - (into < 0 ? into + length : into);
}

static void cut_into_periods(struct measuring *m)
{
    static const sharc_time lengths[] = {SHARC_HOUR, SHARC_DAY, 7 * SHARC_DAY, 28 * SHARC_DAY};
    size_t k = 0;
    sharc_time length = lengths[0];
    struct sharc_watched *w = m->ret;
    while ((m->end - floor_to(m->start, length)) / length + 1 > SHARC_WATCHED_PERIODS)
        length = k + 1 < SHARC_LENGTH(lengths) ? lengths[++k] : 2 * length;
    const sharc_time begin = floor_to(m->start, length);
    w->length = length;
    w->count = (size_t)((m->end - begin) / length) + 1;
    w->periods = SHARC_NEW_ARRAY(struct sharc_watched_period, w->count);
    m->sums = SHARC_NEW_ARRAY(struct sums, w->count);
    for (size_t i = 0; i < w->count; i++) {
        const sharc_time from = begin + (sharc_time)i * length, to = from + length;
        w->periods[i].from = from > m->start ? from : m->start;
        w->periods[i].to = to < m->end ? to : m->end;
    }
}

static size_t period_of(const struct measuring *m, sharc_time t)
{
    const struct sharc_watched *w = m->ret;
    int64_t i = (t - floor_to(m->start, w->length)) / w->length;
    return i < 0 ? 0 : (size_t)i < w->count ? (size_t)i : w->count - 1;
}

/* Evenly over the whole time; of many pages fewer, as every page answers each of them. */
static void ask(struct measuring *m)
{
    size_t n = QUESTIONS_EACH * m->ret->count, most = ANSWERS_MOST / (m->page_count + 1);
    if (n > most) n = most > QUESTIONS_LEAST ? most : QUESTIONS_LEAST;
    m->question_count = n;
    m->questions = SHARC_NEW_ARRAY(struct question, n);
    const double length = seconds(m, m->end);
    for (size_t i = 0; i < n; i++)
        m->questions[i] = (struct question){.at = length * ((double)i + 0.5) / (double)n,
                                            .surely = SHARC_NEW_ARRAY(struct sharc_version, m->page_count + 1),
                                            .possibly = SHARC_NEW_ARRAY(struct sharc_version, m->page_count + 1)};
}

/* --- pages ----------------------------------------------------------------------------------- */

static void take_answer(struct question *q, const struct answer *a, double weight)
{
    q->weight += weight;
    q->seen += weight * a->seen;
    q->expected += weight * a->expected;
    if (a->from > a->to) return; /* there is no version */
    q->held += weight;
    /* Intervals are open at their end; a look at it belongs to them. */
    q->surely[q->n] = (struct sharc_version){a->from, a->to + 1e-6, weight};
    q->possibly[q->n++] = (struct sharc_version){a->possible_from, a->possible_to, weight};
}

static void take_page(struct measuring *m, struct watched_page *page)
{
    struct looked_page p = {.since = seconds(m, page->since),
                            .until = page->until == SHARC_TIME_NONE ? HUGE_VAL : seconds(m, page->until),
                            .weight = page->weight,
                            .looks = m->looks,
                            .count = m->look_count};
    /* Behind the last look of the watch nobody watches. */
    p.until = fmin(p.until, seconds(m, m->end));
    p.rate = sharc__watched_rate(p.looks, p.count);
    page->told = true;
    m->ret->looked += p.count > 0;
    for (size_t i = 0; i < m->ret->count && p.count; i++) {
        const double from = seconds(m, m->ret->periods[i].from);
        /* The last look is at the very end. */
        const double to = i + 1 < m->ret->count ? seconds(m, m->ret->periods[i].to) : seconds(m, m->end) + 1;
        const struct freshness f = sharc__watched_freshness(&p, from, to);
        const struct came_up c = sharc__watched_came_up(&p, from, to);
        struct sums *s = &m->sums[i];
        s->time += p.weight * f.time;
        s->seen += p.weight * f.seen;
        s->expected += p.weight * f.expected;
        s->found += p.weight * c.found;
        s->all += p.weight * c.all;
    }
    for (size_t i = 0; i < m->question_count; i++) {
        struct answer a;
        if (sharc__watched_answer(&p, m->questions[i].at, &a)) take_answer(&m->questions[i], &a, p.weight);
    }
    m->look_count = 0;
}

static bool is_other(enum sharc_store_shown s)
{
    return s == SHARC_SHOWN_CHANGED || s == SHARC_SHOWN_GONE || s == SHARC_SHOWN_BACK;
}

static void take_look(struct measuring *m, const struct sharc_store_watch_look *l)
{
    struct sharc_watched_period *p = &m->ret->periods[period_of(m, l->when)];
    if (l->shown == SHARC_SHOWN_FAILED) {
        p->failed++;
        return;
    }
    const bool other = is_other(l->shown) && m->look_count > 0;
    p->looks++;
    p->changes += other;
    SHARC_GROW(m->looks, m->look_room, m->look_count + 1);
    m->looks[m->look_count++] =
        (struct look){seconds(m, l->when), other, l->importance > 0 && l->importance <= 1e9 ? l->importance : 1};
}

static int read_looks(struct measuring *m, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_watch_filter f = SHARC_STORE_WATCH_FILTER_INIT;
    struct watched_page *page = NULL;
    sharc_store_id url = 0;
    f.capture = m->ret->capture;
    f.by_url = true;
    int r = sharc_store_watch_looks(m->store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_watch_look l;
        sharc_store_read_watch_look(rows, &l);
        if (l.url_id != url) {
            if (page) take_page(m, page);
            const uint64_t *number = sharc_map64_find(&m->by_url, (uint64_t)l.url_id);
            page = number ? &m->pages[*number] : NULL;
            url = l.url_id;
        }
        if (page) take_look(m, &l);
    }
    if (r < 0) return r;
    if (page) take_page(m, page);
    for (size_t i = 0; i < m->page_count; i++)
        if (!m->pages[i].told) take_page(m, &m->pages[i]); /* never looked at */
    return 0;
}

/* --- sums -------------------------------------------------------------------------------------- */

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

static void conclude(struct sharc_watched_period *p, const struct sums *s)
{
    p->fresh_seen = share(s->seen, s->time);
    p->fresh_expected = share(s->expected, s->time);
    p->complete = share(s->found, s->all);
    const double n = p->questions;
    p->exact_seen = share(p->exact_seen, n);
    p->exact_expected = share(p->exact_expected, n);
    p->together_seen = share(p->together_seen, n);
    p->together_possible = share(p->together_possible, n);
}

static void add_question(struct sharc_watched_period *p, const struct question *q, double together, double possible)
{
    p->questions++;
    p->exact_seen += q->seen / q->weight;
    p->exact_expected += q->expected / q->weight;
    p->together_seen += together;
    p->together_possible += possible;
}

static void sum_up(struct measuring *m)
{
    struct sharc_watched *w = m->ret;
    struct sums all = {0};
    w->all.from = m->start;
    w->all.to = m->end;
    for (size_t i = 0; i < m->question_count; i++) {
        const struct question *q = &m->questions[i];
        if (!(q->weight > 0)) continue;
        const double held = q->held / q->weight;
        const double together = held * sharc_quality_query_coherence(q->surely, q->n, NULL);
        const double possible = held * sharc_quality_query_coherence(q->possibly, q->n, NULL);
        const sharc_time at = m->start + (sharc_time)(q->at * (double)SHARC_SEC);
        add_question(&w->periods[period_of(m, at)], q, together, possible);
        add_question(&w->all, q, together, possible);
    }
    for (size_t i = 0; i < w->count; i++) {
        const struct sums *s = &m->sums[i];
        w->all.looks += w->periods[i].looks;
        w->all.failed += w->periods[i].failed;
        w->all.changes += w->periods[i].changes;
        all.time += s->time, all.seen += s->seen, all.expected += s->expected;
        all.found += s->found, all.all += s->all;
        conclude(&w->periods[i], s);
    }
    conclude(&w->all, &all);
}

int sharc_watched_measure(struct sharc_store *s, sharc_store_id capture, struct sharc_watched *ret,
                          struct sharc_err *reterr)
{
    struct sharc_watched w = {.capture = capture};
    SHARC_AUTO(measuring_done) struct measuring m = {.store = s, .ret = &w};
    sharc_map64_init(&m.by_url);
    int r = read_pages(&m, reterr);
    if (r < 0 || m.page_count == 0) return r;
    r = look_at_end(&m, /* newest= */ false, &m.start, reterr);
    if (r > 0) r = look_at_end(&m, /* newest= */ true, &m.end, reterr);
    if (r <= 0) return r;
    cut_into_periods(&m);
    ask(&m);
    r = read_looks(&m, reterr);
    if (r == 0) sum_up(&m);
    if (r == 0)
        *ret = w;
    else
        sharc_watched_done(&w);
    return r < 0 ? r : 1;
}
