/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures that have a mark for every page. What the web interface asks for at first is kept as it is drawn, with no
 * more marks than a picture has room for; everything else is made of the sheets of its captures.
 */
#include "summary_int.h"

#include <stdlib.h>

enum { TEXTS = 1 << 30 };

/* --- bytes --------------------------------------------------------------------------------------- */

static void put_size(struct summary_codec *c, size_t *x)
{
    uint64_t wide = *x;
    sharc__summary_u64(c, &wide);
    *x = (size_t)wide;
}

static void put_visit(struct summary_codec *c, struct sharc_figure_visit *v, struct sharc_arena *texts)
{
    sharc__summary_i64(c, &v->url_id);
    sharc__summary_span(c, &v->url, texts);
    WORD(c, v->kind, SHARC_FIGURE_KIND_COUNT, enum sharc_figure_kind);
    sharc__summary_bool(c, &v->follower);
    sharc__summary_bool(c, &v->hopeless);
    sharc__summary_i64(c, &v->visit);
    sharc__summary_i64(c, &v->revisit);
    sharc__summary_real(c, &v->rate);
    WORD(c, v->reason, SHARC_GRADE_REASON_COUNT, enum sharc_grade_reason);
}

void sharc__summary_put_schedule(struct summary_codec *c, void *arg)
{
    struct sharc_figure_schedule *f = arg;
    sharc_time *times[] = {&f->first, &f->last, &f->known_from, &f->known_to};
    uint64_t *numbers[] = {&f->pages, &f->revisited, &f->hopeless, &f->rated};
    sharc__summary_i64(c, &f->capture);
    sharc__summary_text(c, &f->key);
    sharc__summary_text(c, &f->site);
    sharc__summary_text(c, &f->strategy);
    for (size_t i = 0; i < SHARC_LENGTH(times); i++) sharc__summary_i64(c, times[i]);
    for (size_t i = 0; i < SHARC_LENGTH(numbers); i++) sharc__summary_u64(c, numbers[i]);
    put_size(c, &f->every);
    sharc__summary_count(c, &f->count);
    if (!c->out) {
        sharc_arena_init(&f->texts, TEXTS);
        f->rows = SHARC_NEW_ARRAY(struct sharc_figure_visit, f->count + 1);
    }
    for (size_t i = 0; i < f->count && !c->failed; i++) put_visit(c, &f->rows[i], &f->texts);
}

static void put_names(struct summary_codec *c, struct sharc_figure_name **names, size_t *count,
                      struct sharc_arena *texts)
{
    sharc__summary_count(c, count);
    if (!c->out) *names = SHARC_NEW_ARRAY(struct sharc_figure_name, *count + 1);
    for (size_t i = 0; i < *count && !c->failed; i++) {
        sharc__summary_span(c, &(*names)[i].name, texts);
        sharc__summary_u64(c, &(*names)[i].pages);
    }
}

static void put_point(struct summary_codec *c, struct sharc_figure_point *p, struct sharc_figure_pair *f)
{
    sharc__summary_i64(c, &p->url_id);
    sharc__summary_span(c, &p->url, &f->texts);
    sharc__summary_u32(c, &p->place);
    WORD(c, p->kind, SHARC_FIGURE_KIND_COUNT, enum sharc_figure_kind);
    WORD(c, p->change, SHARC_FIGURE_CLASS_COUNT, enum sharc_figure_class);
    WORD(c, p->mime, f->mime_count, uint32_t);
    WORD(c, p->folder, f->folder_count, uint32_t);
    sharc__summary_i64(c, &p->size_a);
    sharc__summary_i64(c, &p->size_b);
    sharc__summary_real(c, &p->similarity);
}

void sharc__summary_put_points(struct summary_codec *c, void *arg)
{
    struct sharc_figure_pair *f = arg;
    char **texts[] = {&f->site, &f->key_a, &f->key_b};
    if (!c->out) sharc_arena_init(&f->texts, TEXTS);
    sharc__summary_i64(c, &f->a);
    sharc__summary_i64(c, &f->b);
    for (size_t i = 0; i < SHARC_LENGTH(texts); i++) sharc__summary_text(c, texts[i]);
    sharc__summary_u64(c, &f->pages);
    put_size(c, &f->every);
    put_size(c, &f->every_changed);
    sharc__summary_u64s(c, f->all, SHARC_FIGURE_CLASS_COUNT);
    put_names(c, &f->mimes, &f->mime_count, &f->texts);
    put_names(c, &f->folders, &f->folder_count, &f->texts);
    sharc__summary_count(c, &f->count);
    if (!c->out) f->points = SHARC_NEW_ARRAY(struct sharc_figure_point, f->count + 1);
    for (size_t i = 0; i < f->count && !c->failed; i++) put_point(c, &f->points[i], f);
}

static void put_node(struct summary_codec *c, struct sharc_figure_node *n, size_t i, struct sharc_arena *texts)
{
    double x = (double)n->x, y = (double)n->y;
    sharc__summary_i64(c, &n->url_id);
    sharc__summary_span(c, &n->url, texts);
    WORD(c, n->parent, i + 1, uint32_t); /* one before it, the first one itself */
    sharc__summary_u32(c, &n->depth);
    WORD(c, n->kind, SHARC_FIGURE_KIND_COUNT, enum sharc_figure_kind);
    WORD(c, n->change, SHARC_FIGURE_CLASS_COUNT, enum sharc_figure_class);
    WORD(c, n->reason, SHARC_GRADE_REASON_COUNT, enum sharc_grade_reason);
    sharc__summary_bool(c, &n->folded);
    sharc__summary_u32(c, &n->pages);
    sharc__summary_u32(c, &n->below);
    sharc__summary_real(c, &x);
    sharc__summary_real(c, &y);
    n->x = (float)x;
    n->y = (float)y;
}

void sharc__summary_put_graph(struct summary_codec *c, void *arg)
{
    struct sharc_figure_graph *f = arg;
    sharc__summary_i64(c, &f->capture);
    sharc__summary_i64(c, &f->against);
    sharc__summary_text(c, &f->site);
    sharc__summary_text(c, &f->key);
    sharc__summary_u64(c, &f->pages);
    sharc__summary_u64s(c, f->all, SHARC_FIGURE_CLASS_COUNT);
    sharc__summary_count(c, &f->count);
    if (!c->out) {
        sharc_arena_init(&f->texts, TEXTS);
        f->nodes = SHARC_NEW_ARRAY(struct sharc_figure_node, f->count + 1);
    }
    for (size_t i = 0; i < f->count && !c->failed; i++) put_node(c, &f->nodes[i], i, &f->texts);
}

/* --- two captures --------------------------------------------------------------------------------- */

void sharc_summary_two_done(struct sharc_summary_two *x)
{
    sharc_figure_sheet_done(&x->a);
    sharc_figure_sheet_done(&x->b);
    sharc_figure_changes_done(&x->changes);
    sharc_figure_prints_done(&x->prints_a);
    sharc_figure_prints_done(&x->prints_b);
}

static int find_changes(struct summary_making *m, sharc_store_id a, sharc_store_id b, struct sharc_summary_two *x,
                        struct sharc_err *reterr)
{
    int r = sharc__summary_changes(m, a, b, &x->changes, reterr);
    if (r < 0 || x->changes.id) return r;
    r = sharc__summary_prints(m, a, &x->prints_a, reterr);
    if (r == 0) r = sharc__summary_prints(m, b, &x->prints_b, reterr);
    if (r == 0) sharc_figure_changes_between(&x->prints_a, &x->prints_b, &x->changes);
    return r;
}

static int both_read(struct summary_making *m, sharc_store_id a, sharc_store_id b, struct sharc_summary_two *x,
                     struct sharc_err *reterr)
{
    if (x->read) return 0;
    x->read = true;
    int r = sharc__summary_sheet(m, b, &x->b, reterr);
    if (r == 0 && a) r = sharc__summary_sheet(m, a, &x->a, reterr);
    return r == 0 && a ? find_changes(m, a, b, x, reterr) : r;
}

int sharc_summary_two(struct sharc_store *s, sharc_store_id a, sharc_store_id b, struct sharc_summary_two *ret,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_summary_two_done) struct sharc_summary_two x = {.read = false};
    struct summary_making m = {.store = s};
    int r = both_read(&m, a, b, &x, reterr);
    if (r < 0) return r;
    *ret = x;
    x = (struct sharc_summary_two){.read = false};
    return 0;
}

static int make_pair(struct summary_making *m, sharc_store_id a, sharc_store_id b, size_t most,
                     struct sharc_summary_two *x, struct sharc_figure_pair *ret, struct sharc_err *reterr)
{
    int r = both_read(m, a, b, x, reterr);
    return r < 0 ? r : sharc_figure_pair_of(m->store, &x->a, &x->b, &x->changes, most, ret, reterr);
}

static int make_graph(struct summary_making *m, sharc_store_id capture, sharc_store_id against, bool fold,
                      struct sharc_summary_two *x, struct sharc_figure_graph *ret, struct sharc_err *reterr)
{
    int r = both_read(m, against, capture, x, reterr);
    if (r < 0) return r;
    return sharc_figure_graph_of(m->store, &x->b, against ? &x->a : NULL, against ? &x->changes : NULL, fold, ret,
                                 reterr);
}

/* --- asked for ------------------------------------------------------------------------------------ */

static const struct sharc_store_summary schedule_key = {.name = "schedule"}, points_key = {.name = "points"},
                                        graph_key = {.name = "graph"}, against_key = {.name = "graph-before"};

static struct sharc_store_summary key_of(const struct sharc_store_summary *key, sharc_store_id capture)
{
    struct sharc_store_summary ret = *key;
    ret.capture = capture;
    return ret;
}

int sharc_summary_schedule(struct sharc_store *s, sharc_store_id capture, size_t most,
                           struct sharc_figure_schedule *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_schedule_done) struct sharc_figure_schedule f = {0};
    SHARC_AUTO(sharc_figure_sheet_done) struct sharc_figure_sheet t = {0};
    struct sharc_store_summary key = key_of(&schedule_key, capture);
    int r = most == SHARC_SUMMARY_MARKS
                ? sharc__summary_find(s, &key, &capture, 1, sharc__summary_put_schedule, &f, reterr)
                : 0;
    if (r == 0) {
        sharc_figure_schedule_done(&f);
        r = sharc_summary_sheet(s, capture, &t, reterr);
        if (r == 0) r = sharc_figure_schedule_of(s, &t, &f, reterr);
        if (r == 0) sharc_figure_schedule_thin(&f, most);
    }
    if (r < 0) return r;
    *ret = f;
    f = (struct sharc_figure_schedule){0};
    return 0;
}

int sharc_summary_pair(struct sharc_store *s, sharc_store_id a, sharc_store_id b, size_t most,
                       struct sharc_figure_pair *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_pair_done) struct sharc_figure_pair f = {0};
    SHARC_AUTO(sharc_summary_two_done) struct sharc_summary_two x = {.read = false};
    struct sharc_store_summary key = key_of(&points_key, b);
    struct summary_making m = {.store = s};
    int r = most == SHARC_SUMMARY_MARKS
                ? sharc__summary_find(s, &key, (const sharc_store_id[]){a, b}, 2, sharc__summary_put_points, &f, reterr)
                : 0;
    if (r == 0) {
        sharc_figure_pair_done(&f);
        r = make_pair(&m, a, b, most, &x, &f, reterr);
        if (r == 0 && x.prints_a.block) r = sharc_figure_pair_alike(s, &x.prints_a, &x.prints_b, &f, reterr);
    }
    if (r < 0) return r;
    *ret = f;
    f = (struct sharc_figure_pair){0};
    return 0;
}

static int find_graph(struct sharc_store *s, sharc_store_id capture, sharc_store_id against,
                      struct sharc_store_summary *key, struct sharc_figure_graph *ret, struct sharc_err *reterr)
{
    const sharc_store_id both[] = {against, capture};
    *key = key_of(against ? &against_key : &graph_key, capture);
    return sharc__summary_find(s, key, against ? both : both + 1, against ? 2 : 1, sharc__summary_put_graph, ret,
                               reterr);
}

int sharc_summary_graph(struct sharc_store *s, sharc_store_id capture, sharc_store_id against, bool fold,
                        struct sharc_figure_graph *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_graph_done) struct sharc_figure_graph f = {0};
    SHARC_AUTO(sharc_summary_two_done) struct sharc_summary_two x = {.read = false};
    struct sharc_store_summary key;
    struct summary_making m = {.store = s};
    int r = fold ? find_graph(s, capture, against, &key, &f, reterr) : 0;
    if (r == 0) {
        sharc_figure_graph_done(&f);
        r = make_graph(&m, capture, against, fold, &x, &f, reterr);
    }
    if (r < 0) return r;
    *ret = f;
    f = (struct sharc_figure_graph){0};
    return 0;
}

/* --- kept -------------------------------------------------------------------------------------------- */

static int keep_schedule(struct summary_making *m, sharc_store_id capture, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_schedule_done) struct sharc_figure_schedule f = {0};
    struct sharc_store_summary key = key_of(&schedule_key, capture);
    int r = sharc__summary_find(m->store, &key, &capture, 1, sharc__summary_put_schedule, NULL, reterr);
    if (r != 0) return r;
    r = sharc_summary_schedule(m->store, capture, SHARC_SUMMARY_MARKS, &f, reterr);
    if (r == 0) r = sharc__summary_keep(m->store, &key, sharc__summary_put_schedule, &f, reterr);
    m->made += r == 0;
    return r;
}

static int keep_points(struct summary_making *m, sharc_store_id before, sharc_store_id capture,
                       struct sharc_summary_two *x, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_pair_done) struct sharc_figure_pair f = {0};
    struct sharc_store_summary key = key_of(&points_key, capture);
    const sharc_store_id both[] = {before, capture};
    int r = sharc__summary_find(m->store, &key, both, 2, sharc__summary_put_points, NULL, reterr);
    if (r != 0) return r;
    r = make_pair(m, before, capture, SHARC_SUMMARY_MARKS, x, &f, reterr);
    if (r == 0) r = sharc__summary_keep(m->store, &key, sharc__summary_put_points, &f, reterr);
    m->made += r == 0;
    return r;
}

static int keep_graph(struct summary_making *m, sharc_store_id against, sharc_store_id capture,
                      struct sharc_summary_two *x, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_graph_done) struct sharc_figure_graph f = {0};
    struct sharc_store_summary key;
    int r = find_graph(m->store, capture, against, &key, NULL, reterr);
    if (r != 0) return r;
    r = make_graph(m, capture, against, true, x, &f, reterr);
    if (r == 0) r = sharc__summary_keep(m->store, &key, sharc__summary_put_graph, &f, reterr);
    m->made += r == 0;
    return r;
}

int sharc__summary_pictures(struct summary_making *m, sharc_store_id before, sharc_store_id capture,
                            struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_summary_two_done) struct sharc_summary_two alone = {.read = false};
    SHARC_AUTO(sharc_summary_two_done) struct sharc_summary_two pair = {.read = false};
    int r = keep_schedule(m, capture, reterr);
    if (r >= 0) r = keep_graph(m, 0, capture, &alone, reterr);
    if (r >= 0 && before) r = keep_points(m, before, capture, &pair, reterr);
    if (r >= 0 && before) r = keep_graph(m, before, capture, &pair, reterr);
    return r < 0 ? r : 0;
}
