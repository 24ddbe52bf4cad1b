/* SPDX-License-Identifier: Apache-2.0
 *
 * Links, unpacked: one row of the database holds all links of a page.
 */
#include "store_int.h"

#include <stdlib.h>

struct edge_state {
    struct sharc_store_link_filter filter;
    bool changes; /* two sets are compared, else one is listed */
    sharc_store_id capture, from;
    struct sharc__store_unpack set[2];
    struct sharc__store_target at[2]; /* next of each set */
    bool there[2];
    struct sharc_store_edge edge;

    /* Texts of URLs that were asked for lately. */
    struct sharc_map64 text_at; /* URL number -> index in texts + 1 */
    struct sharc_arena arena;
    struct sharc_span *texts;
    size_t count, room;
    int64_t *want; /* numbers to be looked up */
    size_t want_count, want_room;
};

/* --- texts --------------------------------------------------------------------- */

#define TEXTS_MOST 200000

static void forget_texts(struct edge_state *st)
{
    sharc_map64_done(&st->text_at);
    sharc_map64_init(&st->text_at);
    sharc_arena_clear(&st->arena);
    st->count = 0;
}

static void text_found(void *arg, struct sharc__store_cursor *c)
{
    struct edge_state *st = arg;
    SHARC_GROW(st->texts, st->room, st->count + 1);
    st->texts[st->count++] = sharc_arena_copy(&st->arena, sharc__store_cursor_span(c, 1));
    *sharc_map64_at(&st->text_at, (uint64_t)sharc__store_cursor_int(c, 0, 0)) = st->count;
}

static void want_text(struct edge_state *st, sharc_store_id id)
{
    if (sharc_map64_find(&st->text_at, (uint64_t)id)) return;
    *sharc_map64_at(&st->text_at, (uint64_t)id) = 0;
    SHARC_GROW(st->want, st->want_room, st->want_count + 1);
    st->want[st->want_count++] = id;
}

static void want_set(struct edge_state *st, struct sharc__store_unpack set)
{
    struct sharc__store_target t;
    while (sharc__store_links_next(&set, &t)) want_text(st, t.to);
}

/* All texts of a page's links with one question. */
static int fetch_texts(struct sharc_store *s, struct edge_state *st, struct sharc_err *reterr)
{
    if (!st->filter.texts) return 0;
    if (st->count > TEXTS_MOST) forget_texts(st);
    st->want_count = 0;
    want_text(st, st->from);
    want_set(st, st->set[0]);
    if (st->changes) want_set(st, st->set[1]);
    return s->db->ops->find(s->db, "SELECT id, text FROM url WHERE id", st->want, st->want_count, text_found, st,
                            reterr);
}

static struct sharc_span text_of(const struct edge_state *st, sharc_store_id id)
{
    const uint64_t *at = sharc_map64_find(&st->text_at, (uint64_t)id);
    return at && *at ? st->texts[*at - 1] : SHARC_SPAN_NONE;
}

/* --- edges ---------------------------------------------------------------------- */

static void pull(struct edge_state *st, int i)
{
    st->there[i] = sharc__store_links_next(&st->set[i], &st->at[i]);
}

/* Columns: capture, url, data [, data of the other]. */
static int next_page(struct sharc_store_rows *rows, struct edge_state *st, struct sharc_err *reterr)
{
    int r = rows->cursor->ops->next(rows->cursor, reterr);
    if (r <= 0) return r;
    st->capture = sharc__store_cursor_int(rows->cursor, 0, 0);
    st->from = sharc__store_cursor_int(rows->cursor, 1, 0);
    st->set[0] = (struct sharc__store_unpack){.rest = sharc__store_cursor_span(rows->cursor, 2)};
    if (st->changes) st->set[1] = (struct sharc__store_unpack){.rest = sharc__store_cursor_span(rows->cursor, 3)};
    r = fetch_texts(rows->store, st, reterr);
    if (r < 0) return r;
    pull(st, 0);
    if (st->changes) pull(st, 1);
    return 1;
}

static int target_order(const struct sharc__store_target *a, const struct sharc__store_target *b)
{
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

/* The next link of the page, or the next difference between its two sets. */
static bool next_edge(struct edge_state *st)
{
    while (st->there[0] || st->there[1]) {
        int o = !st->there[1] ? -1 : !st->there[0] ? 1 : target_order(&st->at[0], &st->at[1]);
        struct sharc__store_target t = o <= 0 ? st->at[0] : st->at[1];
        if (o <= 0) pull(st, 0);
        if (o >= 0 && st->changes) pull(st, 1);
        if (st->changes && o == 0) continue;
        if (st->filter.to && t.to != st->filter.to) continue;
        if (st->filter.kinds && !(st->filter.kinds & 1u << t.kind)) continue;
        st->edge = (struct sharc_store_edge){.from = st->from,
                                             .to = t.to,
                                             .kind = t.kind,
                                             .change = (int8_t)(st->changes ? o : 0)};
        return true;
    }
    return false;
}

static int edge_next(struct sharc_store_rows *rows, struct sharc_err *reterr)
{
    struct edge_state *st = rows->state;
    while (!next_edge(st)) {
        int r = next_page(rows, st, reterr);
        if (r <= 0) return r;
    }
    if (st->filter.texts) {
        st->edge.from_url = text_of(st, st->edge.from);
        st->edge.to_url = text_of(st, st->edge.to);
    }
    return 1;
}

static const char *const edge_names[] = {"capture",  "from_id", "to_id", "link_kind",
                                         "from_url", "to_url",  "came",  NULL};

static void edge_value(struct sharc_store_rows *rows, size_t column, struct sharc_store_value *ret)
{
    struct edge_state *st = rows->state;
    switch (column) {
    case 0: *ret = sharc__store_int(st->capture); break;
    case 1: *ret = sharc__store_int(st->edge.from); break;
    case 2: *ret = sharc__store_int(st->edge.to); break;
    case 3: *ret = sharc__store_int(st->edge.kind); break;
    case 4: *ret = sharc__store_text(st->edge.from_url); break;
    case 5: *ret = sharc__store_text(st->edge.to_url); break;
    default: *ret = st->changes ? sharc__store_int(st->edge.change) : sharc__store_null(); break;
    }
}

static void edge_free(struct sharc_store_rows *rows)
{
    struct edge_state *st = rows->state;
    sharc_map64_done(&st->text_at);
    sharc_arena_done(&st->arena);
    free(st->texts);
    free(st->want);
    free(st);
}

static const struct sharc__store_rows_ops edge_ops = {edge_next, edge_value, edge_free};

static int edge_rows(struct sharc_store *s, struct sharc__store_sql *q, const struct sharc_store_link_filter *f,
                     bool changes, struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    int r = sharc__store_sql_rows(s, q, ret, reterr);
    if (r < 0) return r;
    struct edge_state *st = SHARC_NEW(struct edge_state);
    st->filter = *f;
    st->changes = changes;
    sharc_map64_init(&st->text_at);
    sharc_arena_init(&st->arena, SIZE_MAX / 2);
    (*ret)->ops = &edge_ops;
    (*ret)->names = edge_names;
    (*ret)->state = st;
    return 0;
}

/* Few captures have second looks that found other links. To look for one for each of a million pages takes longer than
 * to ask first whether there is any. */
static int looks_have_links(struct sharc_store *s, const struct sharc_store_link_filter *f, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const struct sharc_store_value capture = sharc__store_int(f->capture);
    if (!f->capture || f->from) return 1;
    int r =
        sharc__store_rows_query(s,
                                "SELECT url FROM look WHERE capture = $1 AND kind = 1 AND link_set IS NOT NULL LIMIT 1",
                                &capture, 1, &rows, reterr);
    return r < 0 ? r : sharc_store_rows_next(rows, reterr);
}

int sharc_store_links(struct sharc_store *s, const struct sharc_store_link_filter *f, struct sharc_store_rows **ret,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    int r = looks_have_links(s, f, reterr);
    if (r < 0) return r;
    sharc__store_sql_add(&q, r > 0 ? "SELECT p.capture, p.url, s.data FROM page p LEFT JOIN look k"
                                     " ON k.capture = p.capture AND k.url = p.url AND k.kind = 1"
                                     " JOIN link_set s ON s.id = coalesce(k.link_set, p.link_set) WHERE 1 = 1"
                                   : "SELECT p.capture, p.url, s.data FROM page p"
                                     " JOIN link_set s ON s.id = p.link_set WHERE 1 = 1");
    if (f->capture) sharc__store_sql_with(&q, " AND p.capture = ?", sharc__store_int(f->capture));
    if (f->from) sharc__store_sql_with(&q, " AND p.url = ?", sharc__store_int(f->from));
    sharc__store_sql_add(&q, " ORDER BY p.capture, p.url");
    return edge_rows(s, &q, f, false, ret, reterr);
}

int sharc_store_link_changes(struct sharc_store *s, sharc_store_id a, sharc_store_id b,
                             const struct sharc_store_link_filter *f, struct sharc_store_rows **ret,
                             struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    /* Equal sets have equal numbers: only pages whose links differ are unpacked. */
    sharc__store_sql_with(
        &q,
        "SELECT p.capture, p.url, s.data, t.data AS other FROM page p JOIN page o ON o.capture = ?"
        " AND o.url = p.url JOIN link_set s ON s.id = p.link_set JOIN link_set t ON t.id = o.link_set",
        sharc__store_int(b));
    sharc__store_sql_with(&q, " WHERE p.capture = ? AND o.link_set <> p.link_set", sharc__store_int(a));
    if (f->from) sharc__store_sql_with(&q, " AND p.url = ?", sharc__store_int(f->from));
    sharc__store_sql_add(&q, " ORDER BY p.url");
    return edge_rows(s, &q, f, true, ret, reterr);
}

void sharc_store_read_edge(struct sharc_store_rows *rows, struct sharc_store_edge *ret)
{
    *ret = ((const struct edge_state *)rows->state)->edge;
}

/* --- the graph --------------------------------------------------------------------- */

static int graph_pages(struct sharc_store *s, sharc_store_id capture, struct sharc_store_graph *g,
                       struct sharc_map64 *at, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_value id = sharc__store_int(capture);
    int r = sharc__store_rows_query(s, "SELECT url FROM page WHERE capture = $1 ORDER BY url", &id, 1, &rows, reterr);
    size_t room = 0;
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        SHARC_FAIL_IF(g->n == UINT32_MAX - 1, reterr, SHARC_ELIMIT, "a link graph holds at most %u pages", g->n);
        SHARC_GROW(g->url, room, (size_t)g->n + 1);
        g->url[g->n] = sharc__store_rows_int(rows, 0, 0);
        *sharc_map64_at(at, (uint64_t)g->url[g->n]) = g->n;
        g->n++;
    }
    return r;
}

static int graph_links(struct sharc_store *s, sharc_store_id capture, unsigned kinds, struct sharc_store_graph *g,
                       const struct sharc_map64 *at, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_link_filter f = {.capture = capture, .kinds = kinds};
    int r = sharc_store_links(s, &f, &rows, reterr);
    size_t room = 0, count = 0;
    uint32_t page = 0;
    sharc_store_id last = 0;
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        const struct sharc_store_edge *e = &((const struct edge_state *)rows->state)->edge;
        const uint64_t *to = sharc_map64_find(at, (uint64_t)e->to);
        /* A link of two kinds is one edge. */
        bool again = page < g->n && g->url[page] == e->from && last == e->to;
        if (!to || e->to == e->from || again) continue;
        while (page < g->n && g->url[page] < e->from) g->at[++page] = count;
        SHARC_GROW(g->to, room, count + 1);
        g->to[count++] = (uint32_t)*to;
        last = e->to;
    }
    while (r >= 0 && page < g->n) g->at[++page] = count;
    return r;
}

int sharc_store_graph(struct sharc_store *s, sharc_store_id capture, unsigned kinds, struct sharc_store_graph *ret,
                      struct sharc_err *reterr)
{
    struct sharc_store_graph g = {0};
    struct sharc_map64 at;
    sharc_map64_init(&at);
    int r = graph_pages(s, capture, &g, &at, reterr);
    if (r >= 0) {
        g.at = SHARC_NEW_ARRAY(uint64_t, (size_t)g.n + 1);
        r = graph_links(s, capture, kinds, &g, &at, reterr);
    }
    sharc_map64_done(&at);
    if (r < 0) {
        sharc_store_graph_done(&g);
        return r;
    }
    *ret = g;
    return 0;
}

void sharc_store_graph_done(struct sharc_store_graph *g)
{
    free(g->url);
    free(g->at);
    free(g->to);
    *g = (struct sharc_store_graph){0};
}
