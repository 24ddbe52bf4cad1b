/* SPDX-License-Identifier: Apache-2.0
 *
 * Edit scripts. The two sequences span a grid: right is "goes", down is "comes",
 * diagonal is "stays". From the first corner and the last, the furthest points
 * that c edits can reach are grown in turn, one per diagonal, until they meet:
 * there a shortest path passes, and the grid falls apart into two smaller ones
 * (Myers 1986, the linear-space variant).
 */
#include "change_int.h"
#include "sharc/base_map.h"
#include "sharc/change_diff.h"

#include <stdlib.h>

typedef int32_t place; /* a coordinate; sequences are cut to what it can count */

/* What is left of a sequence when all that only one side has is set aside. */
struct sequence {
    uint32_t *id;
    size_t *from; /* where each stood */
    bool *gone;   /* of the caller */
    size_t n;
};

struct box {
    place left, right, top, bottom; /* a[left … right), b[top … bottom) */
};

struct search {
    const uint32_t *a, *b;
    place *ahead, *back; /* furthest x on every diagonal x - y; index 0 is diagonal 0 */
    uint64_t steps;      /* left of the budget */
    place dear;          /* edits after which a search is cut short */
    bool shortest;
};

struct point {
    place x, y;
};

/* --- one box -------------------------------------------------------------------------- */

/* The diagonals in use on one side of the search: every second one counts. */
struct fan {
    place low, high;
};

/* Let a fan grow by one edit; diagonals outside the box are left. */
static void widen(struct fan *f, place lowest, place highest, place *reach, place unreached)
{
    if (f->low > lowest)
        reach[--f->low - 1] = unreached;
    else
        f->low++;
    if (f->high < highest)
        reach[++f->high + 1] = unreached;
    else
        f->high--;
}

static void spend(struct search *s, place moved)
{
    uint64_t cost = (uint64_t)moved + 1;
    s->steps -= cost < s->steps ? cost : s->steps;
}

static bool within(const struct fan *f, place d)
{
    return f->low <= d && d <= f->high;
}

/* One more edit from the first corner. True: *ret is where the fans met. */
static bool step_ahead(struct search *s, const struct box *box, const struct fan *ahead, const struct fan *back,
                       bool may_meet, struct point *ret)
{
    for (place d = ahead->high; d >= ahead->low; d -= 2) {
        place over = s->ahead[d - 1], under = s->ahead[d + 1];
        place x = over >= under ? over + 1 : under, start = x;
        while (x < box->right && x - d < box->bottom && s->a[x] == s->b[x - d]) x++;
        s->ahead[d] = x;
        spend(s, x - start);
        if (may_meet && within(back, d) && s->back[d] <= x) {
            *ret = (struct point){x, x - d};
            return true;
        }
    }
    return false;
}

/* The same from the last corner. */
static bool step_back(struct search *s, const struct box *box, const struct fan *ahead, const struct fan *back,
                      bool may_meet, struct point *ret)
{
    for (place d = back->high; d >= back->low; d -= 2) {
        place over = s->back[d - 1], under = s->back[d + 1];
        place x = over < under ? over : under - 1, start = x;
        while (x > box->left && x - d > box->top && s->a[x - 1] == s->b[x - d - 1]) x--;
        s->back[d] = x;
        spend(s, start - x);
        if (may_meet && within(ahead, d) && x <= s->ahead[d]) {
            *ret = (struct point){x, x - d};
            return true;
        }
    }
    return false;
}

/* The point inside the box that is furthest from its corner, of both fans. */
static struct point best_so_far(const struct search *s, const struct box *box, const struct fan *ahead,
                                const struct fan *back)
{
    struct point best = {box->left, box->top};
    int64_t most = 0;
    for (place d = ahead->low; d <= ahead->high; d += 2) {
        place x = s->ahead[d] < box->right ? s->ahead[d] : box->right;
        if (x - d > box->bottom) x = box->bottom + d;
        int64_t way = (int64_t)x - box->left + (x - d) - box->top;
        if (x >= box->left && x - d >= box->top && way > most) most = way, best = (struct point){x, x - d};
    }
    for (place d = back->low; d <= back->high; d += 2) {
        place x = s->back[d] > box->left ? s->back[d] : box->left;
        if (x - d < box->top) x = box->top + d;
        int64_t way = (int64_t)box->right - x + box->bottom - (x - d);
        if (x <= box->right && x - d <= box->bottom && way > most) most = way, best = (struct point){x, x - d};
    }
    return best;
}

/* Where to cut a box whose corners differ and whose sides are not empty. False:
 * the budget is used up. */
static bool cut(struct search *s, const struct box *box, struct point *ret)
{
    const place lowest = box->left - box->bottom, highest = box->right - box->top;
    struct fan ahead = {box->left - box->top, box->left - box->top};
    struct fan back = {box->right - box->bottom, box->right - box->bottom};
    const bool odd = (ahead.low - back.low) & 1;
    s->ahead[ahead.low] = box->left;
    s->back[back.low] = box->right;
    for (place edits = 1;; edits++) {
        widen(&ahead, lowest, highest, s->ahead, -1);
        if (step_ahead(s, box, &ahead, &back, odd, ret)) return true;
        widen(&back, lowest, highest, s->back, INT32_MAX);
        if (step_back(s, box, &ahead, &back, !odd, ret)) return true;
        if (s->steps == 0) return false;
        if (edits < s->dear) continue;
        s->shortest = false;
        *ret = best_so_far(s, box, &ahead, &back);
        return true;
    }
}

/* --- all boxes ------------------------------------------------------------------------- */

struct boxes {
    struct box *items;
    size_t count, room;
};

static void push(struct boxes *b, place left, place right, place top, place bottom)
{
    SHARC_GROW(b->items, b->room, b->count + 1);
    b->items[b->count++] = (struct box){left, right, top, bottom};
}

static void replace_all(const struct sequence *a, const struct sequence *b, const struct box *box)
{
    for (place x = box->left; x < box->right; x++) a->gone[a->from[x]] = true;
    for (place y = box->top; y < box->bottom; y++) b->gone[b->from[y]] = true;
}

/* A cut there would leave the box as it is. A search that met never gives one. */
static bool is_corner(const struct box *box, struct point p)
{
    return (p.x == box->left && p.y == box->top) || (p.x == box->right && p.y == box->bottom);
}

static void solve(struct search *s, const struct sequence *a, const struct sequence *b)
{
    struct boxes todo = {.count = 0};
    push(&todo, 0, (place)a->n, 0, (place)b->n);
    while (todo.count > 0) {
        struct box box = todo.items[--todo.count];
        while (box.left < box.right && box.top < box.bottom && a->id[box.left] == b->id[box.top]) box.left++, box.top++;
        while (box.left < box.right && box.top < box.bottom && a->id[box.right - 1] == b->id[box.bottom - 1])
            box.right--, box.bottom--;
        struct point p;
        if (box.left == box.right || box.top == box.bottom) {
            replace_all(a, b, &box);
        } else if (s->steps == 0 || !cut(s, &box, &p) || is_corner(&box, p)) {
            s->shortest = false;
            replace_all(a, b, &box);
        } else {
            push(&todo, box.left, p.x, box.top, p.y);
            push(&todo, p.x, box.right, p.y, box.bottom);
        }
    }
    free(todo.items);
}

/* --- the sequences --------------------------------------------------------------------- */

static void count_ids(struct sharc_map64 *m, const uint64_t *v, size_t n, uint64_t bit)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t *entry = sharc_map64_at(m, v[i]);
        if (*entry == 0) *entry = (uint64_t)m->count << 2;
        *entry |= bit;
    }
}

/* Keep what both sides have (bits 1 and 2 of its entry); the rest is gone. */
static void reduce(struct sequence *s, const struct sharc_map64 *m, const uint64_t *v, size_t n, bool *gone)
{
    *s =
        (struct sequence){.id = SHARC_NEW_ARRAY(uint32_t, n), .from = SHARC_NEW_ARRAY(size_t, n), .gone = gone, .n = 0};
    for (size_t i = 0; i < n; i++) {
        uint64_t entry = *sharc_map64_find(m, v[i]);
        gone[i] = (entry & 3) != 3;
        if (gone[i]) continue;
        s->id[s->n] = (uint32_t)(entry >> 2);
        s->from[s->n++] = i;
    }
}

static void sequence_done(struct sequence *s)
{
    free(s->id);
    free(s->from);
}

/* The square root of the size, within bounds: as long as a search stays below,
 * all of them together stay below n^1.5. */
static place dear_from(size_t n)
{
    size_t root = 256;
    while (root < 8192 && root * root < n) root *= 2;
    return (place)root;
}

static bool script_of(const uint64_t *a, size_t n, const uint64_t *b, size_t m, uint64_t *steps, bool *ret_a,
                      bool *ret_b)
{
    struct sharc_map64 ids;
    struct sequence x, y;
    sharc_map64_init(&ids);
    count_ids(&ids, a, n, 1);
    count_ids(&ids, b, m, 2);
    reduce(&x, &ids, a, n, ret_a);
    reduce(&y, &ids, b, m, ret_b);
    sharc_map64_done(&ids);
    size_t diagonals = x.n + y.n + 3;
    SHARC_AUTO(sharc_freep) place *reach = SHARC_NEW_ARRAY(place, 2 * diagonals);
    struct search s = {.a = x.id,
                       .b = y.id,
                       .ahead = reach + y.n + 1,
                       .back = reach + diagonals + y.n + 1,
                       .steps = *steps,
                       .dear = dear_from(x.n + y.n),
                       .shortest = true};
    solve(&s, &x, &y);
    sequence_done(&x);
    sequence_done(&y);
    *steps = s.steps;
    return s.shortest;
}

bool sharc_change_script(const uint64_t *a, size_t n, const uint64_t *b, size_t m, uint64_t *steps, bool *ret_a,
                         bool *ret_b)
{
    size_t head = 0, tail = 0;
    while (head < n && head < m && a[head] == b[head]) ret_a[head] = ret_b[head] = false, head++;
    while (tail < n - head && tail < m - head && a[n - 1 - tail] == b[m - 1 - tail]) {
        ret_a[n - 1 - tail] = ret_b[m - 1 - tail] = false;
        tail++;
    }
    n -= head + tail, m -= head + tail;
    if (n < INT32_MAX / 4 && m < INT32_MAX / 4)
        return script_of(a + head, n, b + head, m, steps, ret_a + head, ret_b + head);
    memset(ret_a + head, true, n);
    memset(ret_b + head, true, m);
    return false;
}
