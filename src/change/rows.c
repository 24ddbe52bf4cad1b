/* SPDX-License-Identifier: Apache-2.0
 *
 * Two texts side by side. Lines first; within a stretch of lines that were
 * replaced, those that are alike are paired and their words compared.
 */
#include "change_int.h"
#include "sharc/base_digest.h"
#include "sharc/base_order.h"
#include "sharc/change_diff.h"

#include <stdlib.h>

#define WORDS_OF_A_LINE 20000u /* longer lines are replaced whole */
#define PAIRING_WORK 2000000u  /* lines before × after × words: beyond it, pairs are made in order */
#define MOST_TO_PAIR 2000u     /* lines on a side */
#define ALIKE 0.4              /* from here on a line counts as updated, not replaced */

/* --- lines ------------------------------------------------------------------------ */

struct lines {
    struct sharc_span *text;
    uint64_t *print;
    bool *gone;
    size_t n;
};

static struct sharc_span without_blanks_behind(struct sharc_span s)
{
    while (s.n > 0 && sharc_is_space(s.p[s.n - 1])) s.n--;
    return s;
}

static void lines_init(struct lines *l, struct sharc_span text)
{
    size_t room = 0, prints = 0;
    *l = (struct lines){.n = 0};
    while (text.n > 0) {
        size_t end = l->n + 1 < SHARC_CHANGE_LINES ? sharc_span_find(text, '\n', 0) : SHARC_NPOS;
        struct sharc_span line = without_blanks_behind(sharc_span_sub(text, 0, end));
        SHARC_GROW(l->text, room, l->n + 1);
        SHARC_GROW(l->print, prints, l->n + 1);
        l->text[l->n] = line;
        l->print[l->n++] = sharc_fingerprint(line, 0);
        text = sharc_span_from(text, end == SHARC_NPOS ? text.n : end + 1);
    }
    l->gone = SHARC_NEW_ARRAY(bool, l->n);
}

static void lines_done(struct lines *l)
{
    free(l->text);
    free(l->print);
    free(l->gone);
}

/* --- words ------------------------------------------------------------------------ */

enum word_kind { WORD, BLANK, SIGN };

static enum word_kind kind_of(char c)
{
    if (sharc_is_space(c)) return BLANK;
    return sharc_is_alnum(c) || c == '_' || (uint8_t)c >= 0x80 ? WORD : SIGN;
}

/* Words, runs of blanks and single signs; of scripts without blanks, code
 * points. */
static size_t word_at(struct sharc_span s, size_t at)
{
    enum word_kind kind = kind_of(s.p[at]);
    if (kind == SIGN) return 1;
    uint32_t c;
    size_t n = 0;
    while (at + n < s.n && kind_of(s.p[at + n]) == kind) {
        bool sign = (uint8_t)s.p[at + n] >= 0xe3 && (uint8_t)s.p[at + n] <= 0xed;
        size_t code = sign ? sharc_utf8_decode(sharc_span_from(s, at + n), &c) : 0;
        if (code > 0) return n > 0 ? n : code;
        n++;
    }
    return n;
}

struct words {
    uint64_t *print;
    uint32_t *at; /* n + 1: the last is the length of the line */
    bool *gone;
    size_t n;
};

static void words_done(struct words *w)
{
    free(w->print);
    free(w->at);
    free(w->gone);
}

/* False when the line is too long. */
static bool words_init(struct words *w, struct sharc_span line)
{
    size_t room = 0, places = 0;
    *w = (struct words){.n = 0};
    if (line.n > UINT32_MAX) return false;
    for (size_t at = 0; at < line.n;) {
        size_t n = word_at(line, at);
        if (w->n == WORDS_OF_A_LINE) return false;
        SHARC_GROW(w->print, room, w->n + 1);
        SHARC_GROW(w->at, places, w->n + 2);
        bool blank = kind_of(line.p[at]) == BLANK;
        w->print[w->n] = blank ? 0 : sharc_fingerprint(sharc_span_sub(line, at, at + n), 1);
        w->at[w->n++] = (uint32_t)at;
        at += n;
        w->at[w->n] = (uint32_t)at;
    }
    w->gone = SHARC_NEW_ARRAY(bool, w->n);
    return true;
}

/* A blank or a lone sign between two changes is no island worth showing. */
static void join_islands(struct words *w, struct sharc_span line)
{
    for (size_t i = 1; i + 1 < w->n; i++)
        if (!w->gone[i] && w->gone[i - 1] && w->gone[i + 1] && kind_of(line.p[w->at[i]]) != WORD) w->gone[i] = true;
}

static uint32_t add_marks(struct sharc_change_rows *r, const struct words *w)
{
    size_t first = r->mark_count;
    for (size_t i = 0; i < w->n; i++) {
        if (!w->gone[i]) continue;
        uint32_t from = w->at[i];
        while (i + 1 < w->n && w->gone[i + 1]) i++;
        SHARC_GROW(r->marks, r->mark_room, r->mark_count + 1);
        r->marks[r->mark_count++] = (struct sharc_change_mark){from, w->at[i + 1] - from};
    }
    return (uint32_t)(r->mark_count - first);
}

static uint32_t mark_all(struct sharc_change_rows *r, struct sharc_span line)
{
    SHARC_GROW(r->marks, r->mark_room, r->mark_count + 1);
    r->marks[r->mark_count++] = (struct sharc_change_mark){0, (uint32_t)(line.n < UINT32_MAX ? line.n : UINT32_MAX)};
    return 1;
}

static void mark_words(struct sharc_change_rows *r, struct sharc_change_row *row, uint64_t *steps)
{
    SHARC_AUTO(words_done) struct words a = {.n = 0};
    SHARC_AUTO(words_done) struct words b = {.n = 0};
    if (!words_init(&a, row->old) || !words_init(&b, row->now)) {
        row->n_old_marks = mark_all(r, row->old);
        row->n_now_marks = mark_all(r, row->now);
        return;
    }
    sharc_change_script(a.print, a.n, b.print, b.n, steps, a.gone, b.gone);
    join_islands(&a, row->old);
    join_islands(&b, row->now);
    row->n_old_marks = add_marks(r, &a);
    row->n_now_marks = add_marks(r, &b);
}

/* --- rows ------------------------------------------------------------------------- */

struct builder {
    struct sharc_change_rows *rows;
    const struct lines *a, *b;
    const struct sharc_change_rows_options *o;
    size_t kept;    /* lines kept before the next row, not written yet */
    uint64_t steps; /* left of the budget for pairs and words */
};

static bool full(struct builder *b)
{
    bool is = b->o->most && b->rows->count >= b->o->most;
    b->rows->cut |= is;
    return is;
}

static struct sharc_change_row *add_row(struct builder *b, enum sharc_change_row_kind kind)
{
    struct sharc_change_rows *r = b->rows;
    SHARC_GROW(r->rows, r->room, r->count + 1);
    r->rows[r->count] = (struct sharc_change_row){.kind = kind};
    return &r->rows[r->count++];
}

static void add_kept(struct builder *b, size_t i, size_t j)
{
    if (full(b)) return;
    struct sharc_change_row *row = add_row(b, SHARC_ROW_KEPT);
    row->before = (uint32_t)i + 1, row->after = (uint32_t)j + 1;
    row->old = b->a->text[i], row->now = b->b->text[j];
}

/* The kept lines that end before (i, j): those near the change before them and
 * near the one that follows. */
static void flush_kept(struct builder *b, size_t i, size_t j, bool first, bool last)
{
    size_t n = b->kept, head = first ? 0 : b->o->context, tail = last ? 0 : b->o->context;
    if (head > n) head = n;
    if (tail > n - head) tail = n - head;
    for (size_t k = 0; k < head; k++) add_kept(b, i - n + k, j - n + k);
    if (n > head + tail && !full(b)) add_row(b, SHARC_ROW_GAP)->left_out = (uint32_t)(n - head - tail);
    for (size_t k = n - tail; k < n; k++) add_kept(b, i - n + k, j - n + k);
    b->kept = 0;
}

static void add_removed(struct builder *b, size_t i)
{
    b->rows->removed++;
    if (full(b)) return;
    struct sharc_change_row *row = add_row(b, SHARC_ROW_REMOVED);
    row->before = (uint32_t)i + 1, row->old = b->a->text[i];
}

static void add_added(struct builder *b, size_t j)
{
    b->rows->added++;
    if (full(b)) return;
    struct sharc_change_row *row = add_row(b, SHARC_ROW_ADDED);
    row->after = (uint32_t)j + 1, row->now = b->b->text[j];
}

static void add_updated(struct builder *b, size_t i, size_t j)
{
    b->rows->removed++, b->rows->added++;
    if (full(b)) return;
    struct sharc_change_row *row = add_row(b, SHARC_ROW_UPDATED);
    row->before = (uint32_t)i + 1, row->after = (uint32_t)j + 1;
    row->old = b->a->text[i], row->now = b->b->text[j];
    mark_words(b->rows, row, &b->steps);
}

/* --- pairing ---------------------------------------------------------------------- */

/* The words of a line, sorted: how alike two lines are, whatever the order. */
static void bag_init(struct words *w, struct sharc_span line)
{
    if (!words_init(w, line)) w->n = 0;
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++)
        if (w->print[i]) w->print[n++] = w->print[i];
    w->n = n;
    if (n > 1) qsort(w->print, n, sizeof *w->print, sharc_order_u64);
}

static double bags_alike(const struct words *a, const struct words *b)
{
    size_t both = 0;
    if (a->n + b->n == 0) return 0;
    for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
        if (a->print[i] == b->print[j])
            i++, j++, both++;
        else if (a->print[i] < b->print[j])
            i++;
        else
            j++;
    }
    return 2 * (double)both / (double)(a->n + b->n);
}

static size_t count_words(struct words *bags, const struct lines *l, size_t from, size_t n)
{
    size_t words = 0;
    for (size_t i = 0; i < n; i++) {
        bag_init(&bags[i], l->text[from + i]);
        words += bags[i].n;
    }
    return words;
}

static void bags_free(struct words *bags, size_t n)
{
    for (size_t i = 0; i < n; i++) words_done(&bags[i]);
    free(bags);
}

/* pair[i] is the line of b that line i of a became, or SHARC_NPOS: pairs do not
 * cross, and the sum of their likeness is the greatest (the usual table, from the end). */
static void pair_best(const struct words *a, size_t n, const struct words *b, size_t m, size_t *pair)
{
    SHARC_AUTO(sharc_freep) double *sum = SHARC_NEW_ARRAY(double, (n + 1) * (m + 1));
    SHARC_AUTO(sharc_freep) double *like = SHARC_NEW_ARRAY(double, n *m);
    for (size_t i = n; i-- > 0;) {
        for (size_t j = m; j-- > 0;) {
            double alike = bags_alike(&a[i], &b[j]);
            like[i * m + j] = alike >= ALIKE ? alike : 0;
            double here = like[i * m + j] + sum[(i + 1) * (m + 1) + j + 1];
            double skip_a = sum[(i + 1) * (m + 1) + j], skip_b = sum[i * (m + 1) + j + 1];
            double best = skip_a > skip_b ? skip_a : skip_b;
            sum[i * (m + 1) + j] = like[i * m + j] > 0 && here >= best ? here : best;
        }
    }
    for (size_t i = 0, j = 0; i < n;) {
        pair[i] = SHARC_NPOS;
        if (j == m) {
            i++;
            continue;
        }
        double here = like[i * m + j] + sum[(i + 1) * (m + 1) + j + 1];
        if (like[i * m + j] > 0 && here == sum[i * (m + 1) + j])
            pair[i++] = j++;
        else if (sum[(i + 1) * (m + 1) + j] >= sum[i * (m + 1) + j + 1])
            i++;
        else
            j++;
    }
}

/* Pair lines i … i+n of a with lines j … j+m of b in the best way; false when that is too much work. */
static bool pair_well(struct builder *b, size_t i, size_t n, size_t j, size_t m, size_t *pair)
{
    if (n > MOST_TO_PAIR || m > MOST_TO_PAIR) return false;
    struct words *before = SHARC_NEW_ARRAY(struct words, n), *after = SHARC_NEW_ARRAY(struct words, m);
    size_t words = count_words(before, b->a, i, n) + count_words(after, b->b, j, m);
    uint64_t work = n * m + (n + m) * words;
    bool can = work < PAIRING_WORK && work < b->steps;
    if (can) {
        pair_best(before, n, after, m, pair);
        b->steps -= work;
    }
    bags_free(before, n);
    bags_free(after, m);
    return can;
}

static void pair_in_order(const struct builder *b, size_t i, size_t n, size_t j, size_t m, size_t *pair)
{
    for (size_t k = 0; k < n; k++) {
        pair[k] = SHARC_NPOS;
        if (k >= m) continue;
        SHARC_AUTO(words_done) struct words before = {.n = 0};
        SHARC_AUTO(words_done) struct words after = {.n = 0};
        bag_init(&before, b->a->text[i + k]);
        bag_init(&after, b->b->text[j + k]);
        if (bags_alike(&before, &after) >= ALIKE) pair[k] = k;
    }
}

/* Lines i … i+n of a became lines j … j+m of b. */
static void add_replaced(struct builder *b, size_t i, size_t n, size_t j, size_t m)
{
    SHARC_AUTO(sharc_freep) size_t *pair = SHARC_NEW_ARRAY(size_t, n);
    if (!pair_well(b, i, n, j, m, pair)) pair_in_order(b, i, n, j, m, pair);
    size_t next = 0;
    for (size_t k = 0; k < n; k++) {
        if (pair[k] == SHARC_NPOS) {
            add_removed(b, i + k);
            continue;
        }
        for (; next < pair[k]; next++) add_added(b, j + next);
        add_updated(b, i + k, j + next++);
    }
    for (; next < m; next++) add_added(b, j + next);
}

/* --- the whole -------------------------------------------------------------------- */

const char *sharc_change_row_word(enum sharc_change_row_kind k)
{
    static const char *const words[] = {[SHARC_ROW_KEPT] = "kept",
                                        [SHARC_ROW_UPDATED] = "updated",
                                        [SHARC_ROW_REMOVED] = "removed",
                                        [SHARC_ROW_ADDED] = "added",
                                        [SHARC_ROW_GAP] = "gap"};
    return words[k];
}

void sharc_change_rows_done(struct sharc_change_rows *r)
{
    free(r->rows);
    free(r->marks);
    *r = (struct sharc_change_rows)SHARC_CHANGE_ROWS_INIT;
}

/* Marks may have moved while they grew: rows get their pointers at the end. */
static void point_at_marks(struct sharc_change_rows *r)
{
    const struct sharc_change_mark *next = r->marks;
    for (size_t i = 0; i < r->count; i++) {
        struct sharc_change_row *row = &r->rows[i];
        row->old_marks = next;
        next += row->n_old_marks;
        row->now_marks = next;
        next += row->n_now_marks;
    }
}

static void walk(struct builder *b)
{
    const struct lines *x = b->a, *y = b->b;
    size_t i = 0, j = 0;
    bool first = true;
    while (i < x->n || j < y->n) {
        size_t n = 0, m = 0;
        while (i + n < x->n && x->gone[i + n]) n++;
        while (j + m < y->n && y->gone[j + m]) m++;
        if (n + m == 0) {
            i++, j++, b->kept++;
            continue;
        }
        flush_kept(b, i, j, first, false);
        add_replaced(b, i, n, j, m);
        i += n, j += m;
        first = false;
    }
    if (!first) flush_kept(b, i, j, false, true);
}

void sharc_change_rows_make(struct sharc_change_rows *r, struct sharc_span before, struct sharc_span after,
                            const struct sharc_change_rows_options *o)
{
    SHARC_AUTO(lines_done) struct lines a = {.n = 0};
    SHARC_AUTO(lines_done) struct lines b = {.n = 0};
    lines_init(&a, before);
    lines_init(&b, after);
    r->count = r->mark_count = r->added = r->removed = 0;
    uint64_t steps = SHARC_CHANGE_STEPS;
    r->cut = !sharc_change_script(a.print, a.n, b.print, b.n, &steps, a.gone, b.gone);
    struct builder builder = {.rows = r, .a = &a, .b = &b, .o = o, .steps = SHARC_CHANGE_STEPS};
    walk(&builder);
    point_at_marks(r);
}
