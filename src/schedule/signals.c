/* SPDX-License-Identifier: Apache-2.0
 *
 * Bayes, source by source. A page has changed since it was seen with the chance that
 * rates give it; a source speaks of it (stated a change after that) or is silent. Being
 * spoken of multiplies the odds of a change by a factor, the same for all pages, so chosen
 * that of the pages spoken of the share is believed to have changed that its precision
 * promises, but at most by 1/f. Silence multiplies them by (1-r)/(1-f), with recall r, the chance to speak of a
 * change, and f, the chance to speak without one. Before anything is known of a source its
 * precision is one half, and the less the more of all pages it speaks of: who names all
 * names none.
 *
 * A source is silent about what came after it was made: a page without a signal is
 * only known to be quiet until the newest statement of the source, or until it was read. A feed
 * keeps few entries: of what came before the oldest of them it is silent, too.
 */
#include "sharc/schedule_signals.h"

#include <math.h>
#include <stdlib.h>

#define LEAST 1e-6  /* no chance is less */
#define MOST 1e9    /* no factor is more */
#define REMEMBER 20 /* cases that earlier captures count for, at most */

/* What a source says of one page. */
struct statement {
    double stated, read; /* NAN: nothing was said */
    float blur;
    bool counted; /* held against what the page showed */
};

struct source {
    bool is;
    enum sharc_signal_kind kind;
    struct statement *of; /* by page */
    size_t room, count;
    uint32_t said, readings, signalled;
    double read;   /* when all of it was last read; NAN: never */
    double since;  /* then it knows of all changes that it tells of at all */
    double newest; /* statement */
    struct sharc_signal_counts now, before;
    double recall, false_alarm, factor; /* when last believed */
};

/* What downloads showed of one page. */
struct sight {
    double seen, changed; /* NAN: not seen, not stated */
};

struct sharc_signals {
    double horizon, grain;
    struct source source[SHARC_SIGNAL_SOURCES];
    struct sight *sight; /* by page */
    size_t room, pages;
};

const char *sharc_signal_kind_name(enum sharc_signal_kind k)
{
    static const char *const names[] = {"sitemap", "feed", "hub"};
    return k < SHARC_SIGNAL_KINDS ? names[k] : "";
}

struct sharc_signals *sharc_signals_new(double horizon, double grain)
{
    struct sharc_signals *s = SHARC_NEW(struct sharc_signals);
    s->horizon = horizon;
    s->grain = grain;
    return s;
}

void sharc_signals_free(struct sharc_signals *s)
{
    if (!s) return;
    for (unsigned i = 0; i < SHARC_SIGNAL_SOURCES; i++) free(s->source[i].of);
    free(s->sight);
    free(s);
}

void sharc_signals_freep(struct sharc_signals **s)
{
    sharc_signals_free(*s);
    *s = NULL;
}

void sharc_signals_widen(struct sharc_signals *s, double horizon)
{
    s->horizon = fmax(s->horizon, horizon);
}

void sharc_signals_source(struct sharc_signals *s, unsigned source, enum sharc_signal_kind kind)
{
    if (source >= SHARC_SIGNAL_SOURCES || s->source[source].is) return;
    s->source[source] = (struct source){.is = true,
                                        .kind = kind,
                                        .read = (double)NAN,
                                        .since = -HUGE_VAL,
                                        .newest = -HUGE_VAL,
                                        .recall = 0.5,
                                        .false_alarm = 0.5};
}

/* --- what is known of a page ------------------------------------------------------ */

static struct sight sight_of(const struct sharc_signals *s, sharc_page_no page)
{
    return page < s->pages ? s->sight[page] : (struct sight){(double)NAN, (double)NAN};
}

static struct statement statement_of(const struct source *src, sharc_page_no page)
{
    if (page < src->count && !isnan(src->of[page].read)) return src->of[page];
    /* A feed without it speaks of it all the same. */
    const bool counted = page < src->count && src->of[page].counted;
    return (struct statement){-HUGE_VAL, src->kind == SHARC_SIGNAL_SITEMAP ? (double)NAN : src->read, 0, counted};
}

static struct statement *statement_at(struct source *src, sharc_page_no page)
{
    SHARC_GROW(src->of, src->room, (size_t)page + 1);
    while (src->count <= page) src->of[src->count++] = (struct statement){(double)NAN, (double)NAN, 0, false};
    return &src->of[page];
}

/* Does it say that the page has changed since? A date that holds the change which the
 * page itself stated may mean that one. */
static bool speaks(const struct sharc_signals *s, const struct statement *t, const struct sight *v)
{
    if (t->stated + (double)t->blur <= v->seen) return false;
    if (t->stated > v->seen) return !(fabs(t->stated - v->changed) <= s->grain);
    return !(v->changed >= t->stated - s->grain);
}

/* --- how good a source is ------------------------------------------------------------- */

/* The statement was true or not of the page as it was seen. */
static void hold_against(struct sharc_signals *s, struct source *src, sharc_page_no page)
{
    const struct sight v = sight_of(s, page);
    const struct statement t = statement_of(src, page);
    const double since = v.seen - s->horizon;
    if (t.counted || isnan(t.read) || isnan(v.changed) || v.changed > t.read || speaks(s, &t, &v)) return;
    if (fmax(t.stated, v.changed) < since || (t.stated < v.changed && v.changed < src->since)) return;
    const bool early = t.stated + (double)t.blur<v.changed - s->grain, late = t.stated> v.changed + s->grain;
    src->now.wrong += late && t.stated >= since;
    src->now.right += !late && !early && t.stated >= since;
    src->now.missed += early && v.changed >= since;
    src->now.told += !late && !early && v.changed >= since;
    statement_at(src, page)->counted = true;
}

/* The source was read between two downloads of the page. */
static void learn_from_look(struct sharc_signals *s, struct source *src, sharc_page_no page, double seen,
                            double changed, bool differs)
{
    const struct sight before = sight_of(s, page);
    const struct statement t = statement_of(src, page);
    if (!(t.read > before.seen && t.read <= seen)) return;
    if (speaks(s, &t, &before)) {
        src->now.right += differs;
        src->now.told += differs;
        src->now.wrong += !differs;
    } else if (differs && !(changed > t.read)) {
        /* It may have changed after the reading, or before what the source still knows. */
        const double known = fmax(t.read - fmax(before.seen, src->since), 0);
        src->now.missed += isnan(changed) ? known / (seen - before.seen) : changed >= src->since;
    }
    statement_at(src, page)->counted = true;
}

static double recall_of(const struct source *src)
{
    const double told = src->now.told + src->before.told, missed = src->now.missed + src->before.missed;
    return (told + (src->kind != SHARC_SIGNAL_HUB)) / (told + missed + 2);
}

static double precision_of(const struct source *src)
{
    const double right = src->now.right + src->before.right, wrong = src->now.wrong + src->before.wrong;
    return (right + 1) / (right + wrong + 2);
}

/* --- told ------------------------------------------------------------------------------- */

void sharc_signals_say(struct sharc_signals *s, unsigned source, sharc_page_no page, double stated, double blur,
                       double read)
{
    if (source >= SHARC_SIGNAL_SOURCES || !s->source[source].is || !isfinite(stated) || !isfinite(read)) return;
    struct source *src = &s->source[source];
    if (stated > read + s->grain) return;
    struct statement *t = statement_at(src, page);
    if (!(read > t->read) && t->stated >= stated) return;
    src->said += isnan(t->read);
    t->stated = stated;
    t->blur = (float)fmax(blur, 0);
    t->read = read;
    src->newest = fmax(src->newest, fmin(stated + (double)t->blur, read));
    hold_against(s, src, page);
}

void sharc_signals_say_again(struct sharc_signals *s, unsigned source, sharc_page_no page, double read)
{
    if (isnan(sharc_signals_stated(s, source, page)) || !isfinite(read)) return;
    s->source[source].of[page].read = read;
    hold_against(s, &s->source[source], page);
}

double sharc_signals_stated(const struct sharc_signals *s, unsigned source, sharc_page_no page)
{
    if (source >= SHARC_SIGNAL_SOURCES || page >= s->source[source].count) return (double)NAN;
    return s->source[source].of[page].stated;
}

double sharc_signals_when(const struct sharc_signals *s, sharc_page_no page)
{
    return sight_of(s, page).seen;
}

void sharc_signals_read(struct sharc_signals *s, unsigned source, double since, double read)
{
    if (source >= SHARC_SIGNAL_SOURCES || !s->source[source].is) return;
    struct source *src = &s->source[source];
    /* What it knew when it was read before it has told, unless there is a gap between the two. */
    src->since = since <= src->read ? fmin(since, src->since) : since;
    src->read = read;
    src->readings++;
    if (src->kind == SHARC_SIGNAL_SITEMAP) return;
    for (sharc_page_no p = 0; p < s->pages; p++) hold_against(s, src, p);
}

void sharc_signals_seen(struct sharc_signals *s, sharc_page_no page, double seen, double changed, int differs)
{
    for (unsigned i = 0; i < SHARC_SIGNAL_SOURCES && differs != SHARC_SIGNAL_FIRST; i++)
        if (s->source[i].is) learn_from_look(s, &s->source[i], page, seen, changed, differs > 0);
    SHARC_GROW(s->sight, s->room, (size_t)page + 1);
    while (s->pages <= page) s->sight[s->pages++] = (struct sight){(double)NAN, (double)NAN};
    s->sight[page] = (struct sight){seen, changed};
    for (unsigned i = 0; i < SHARC_SIGNAL_SOURCES; i++)
        if (s->source[i].is) hold_against(s, &s->source[i], page);
}

/* --- believed ------------------------------------------------------------------------------ */

/* Until when silence of the source means something. */
static double heard_until(const struct source *src, const struct statement *t)
{
    return fmin(t->read, src->newest);
}

static double by_odds(double chance, double factor)
{
    chance = fmin(fmax(chance, LEAST), 1 - LEAST);
    const double odds = chance / (1 - chance) * factor;
    return odds / (1 + odds);
}

/* The chance that it changed while the source was listening, by rates. */
struct heard {
    bool any, spoken;
    double before, after; /* chances to stay: while it was listening, and since */
};

static struct heard hear(const struct sharc_signals *s, const struct source *src, sharc_page_no page, double now,
                         double still)
{
    const struct sight v = sight_of(s, page);
    const struct statement t = statement_of(src, page);
    if (!(t.read > v.seen) || !(now > v.seen)) return (struct heard){.any = false};
    const double from = fmax(v.seen, src->since);
    const double covered = fmin(fmax((heard_until(src, &t) - from) / (now - v.seen), 0), 1);
    still = fmax(still, LEAST);
    return (struct heard){true, speaks(s, &t, &v), pow(still, covered), pow(still, 1 - covered)};
}

/* The factor on the odds by which `wanted` of the pages spoken of have changed. */
static double factor_for(const double *chance, uint32_t n, double wanted)
{
    double low = 1, high = MOST;
    for (int round = 0; round < 40; round++) {
        double middle = sqrt(low * high), sum = 0;
        for (uint32_t i = 0; i < n; i++) sum += by_odds(chance[i], middle);
        *(sum < wanted ? &low : &high) = middle;
    }
    return low;
}

/* The share of the unchanged pages that are spoken of, at that precision. */
static double alarms(double covered, double spoken, double precision)
{
    return fmin(fmax(spoken * (1 - precision) / fmax(covered - spoken * precision, 1), LEAST), 1 - LEAST);
}

/* Precision is learned from pages that were looked at because they were doubted, and is too
 * high for the others. But who speaks of most unchanged pages cannot raise anybody's odds by
 * much, however good one hopes it to be: no more than 1/f. */
static void weigh_source(const struct sharc_signals *s, struct source *src, const sharc_page_no *page, uint32_t n,
                         double now, const double *still)
{
    double covered = 0;
    uint32_t spoken = 0;
    SHARC_AUTO(sharc_freep) double *chance = SHARC_NEW_ARRAY(double, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct heard h = hear(s, src, page[i], now, still[i]);
        covered += h.any;
        if (h.any && h.spoken) chance[spoken++] = 1 - h.before;
    }
    const double share = covered > 0 ? spoken / covered : 0;
    const double a = src->now.right + src->before.right + 1 - share, b = src->now.wrong + src->before.wrong + 1 + share;
    const double q = a / (a + b);
    const double hoped = fmin(q + 2 * sqrt(a * b / (a + b + 1)) / (a + b), 1);
    src->signalled = spoken;
    src->false_alarm = alarms(covered, spoken, q);
    src->factor = fmin(factor_for(chance, spoken, q * spoken), 1 / alarms(covered, spoken, hoped));
    /* It may be worth nothing, but not less. */
    src->recall = fmax(fmin(recall_of(src), 1 - LEAST), src->false_alarm);
}

static void believe_source(const struct sharc_signals *s, const struct source *src, const sharc_page_no *page,
                           uint32_t n, double now, double *still)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct heard h = hear(s, src, page[i], now, still[i]);
        if (!h.any) continue;
        const double factor = h.spoken ? src->factor : (1 - src->recall) / (1 - src->false_alarm);
        still[i] = (1 - by_odds(1 - h.before, factor)) * h.after;
    }
}

void sharc_signals_believe(struct sharc_signals *s, const sharc_page_no *page, uint32_t n, double now, double *still)
{
    for (unsigned i = 0; i < SHARC_SIGNAL_SOURCES; i++) {
        struct source *src = &s->source[i];
        if (!src->is || (src->said == 0 && isnan(src->read))) continue;
        weigh_source(s, src, page, n, now, still);
        believe_source(s, src, page, n, now, still);
    }
}

/* --- worth ------------------------------------------------------------------------------------ */

bool sharc_signals_worth(const struct sharc_signals *s, unsigned source, struct sharc_signal_worth *ret)
{
    if (source >= SHARC_SIGNAL_SOURCES || !s->source[source].is) return false;
    const struct source *src = &s->source[source];
    *ret = (struct sharc_signal_worth){
        .kind = src->kind,
        .pages = src->said,
        .readings = src->readings,
        .signalled = src->signalled,
        .now = src->now,
        .before = src->before,
        .recall = recall_of(src),
        .precision = precision_of(src),
        .gain = src->factor,
    };
    return true;
}

static void remember_two(double *a, double *b, double then_a, double then_b)
{
    if (!(then_a >= 0 && then_b >= 0) || !isfinite(then_a + then_b) || then_a + then_b <= 0) return;
    const double keep = fmin(1, REMEMBER / (then_a + then_b));
    *a += then_a * keep;
    *b += then_b * keep;
}

void sharc_signals_remember(struct sharc_signals *s, unsigned source, const struct sharc_signal_counts *before)
{
    if (source >= SHARC_SIGNAL_SOURCES || !s->source[source].is) return;
    struct source *src = &s->source[source];
    remember_two(&src->before.told, &src->before.missed, before->told, before->missed);
    remember_two(&src->before.right, &src->before.wrong, before->right, before->wrong);
}
