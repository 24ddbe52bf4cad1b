/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing a batch, all in one transaction:
 *
 *   numbers of the URLs (cache, database, new) -> link sets and contents -> pages,
 *   looks, grades, places, skipped, rates, patterns, watches -> progress of WARC files, captures
 *
 * New numbers enter the cache only after the commit: what is rolled back was
 * never there. Tables are written in this order by everybody, so two writers
 * seldom wait for each other in a circle; when they do, one gets SHARC_EBUSY.
 */
#include "batch_int.h"

#include "sharc/url.h"

#include <stdlib.h>

typedef struct sharc_store_value value;

#define COLUMNS(...) ((const char *const[]){__VA_ARGS__})

/* --- URLs and hosts ---------------------------------------------------------------- */

static const struct sharc__store_load url_load = {
    .table = "url",
    .columns = COLUMNS("key", "mark", "host", "text", "surt"),
    .types = "iiitt",
    .conflict = "ON CONFLICT (key, mark) DO NOTHING",
};
static const struct sharc__store_load host_load = {
    .table = "host",
    .columns = COLUMNS("key", "mark", "name"),
    .types = "iit",
    .conflict = "ON CONFLICT (key, mark) DO NOTHING",
};

struct fresh_urls {
    struct sharc_store_batch *b;
    struct sharc__store_db *db;
    struct sharc_intern *hosts;
    uint32_t from, to;       /* which URLs of the batch */
    uint32_t *host;          /* of each of them: number in hosts */
    sharc_store_id *host_id; /* of each host */
    int64_t *host_key, *host_mark;
    struct sharc_buf surt;
};

static void host_row(void *arg, size_t i, value *out)
{
    struct fresh_urls *f = arg;
    out[0] = sharc__store_int(f->host_key[i]);
    out[1] = sharc__store_int(f->host_mark[i]);
    out[2] = sharc__store_text(sharc_intern_text(f->hosts, (uint32_t)i));
}

static void url_row(void *arg, size_t i, value *out)
{
    struct fresh_urls *f = arg;
    struct sharc_span text = sharc_intern_text(f->b->urls, f->from + (uint32_t)i);
    sharc__store_surt_of(text, &f->surt);
    out[0] = sharc__store_int(f->b->key[f->from + i]);
    out[1] = sharc__store_int(f->b->mark[f->from + i]);
    out[2] = f->host[i] == NO_URL ? sharc__store_null() : sharc__store_int(f->host_id[f->host[i]]);
    out[3] = sharc__store_text(text);
    out[4] = sharc__store_text(sharc_buf_span(&f->surt));
}

/* Hosts of the URLs that the cache does not know. */
static void list_hosts(struct fresh_urls *f)
{
    struct sharc_url url = SHARC_URL_INIT;
    for (uint32_t i = f->from; i < f->to; i++) {
        f->host[i - f->from] = NO_URL;
        if (f->b->id[i] || sharc_url_parse(&url, sharc_intern_text(f->b->urls, i), NULL, NULL) < 0) continue;
        struct sharc_span host = sharc_url_host_port(&url);
        if (host.n > 0) f->host[i - f->from] = sharc_intern_add(f->hosts, host, NULL);
    }
    sharc_url_done(&url);
}

static int mint_hosts(struct fresh_urls *f, struct sharc_err *reterr)
{
    uint32_t n = sharc_intern_count(f->hosts);
    f->host_id = SHARC_NEW_ARRAY(sharc_store_id, n);
    f->host_key = SHARC_NEW_ARRAY(int64_t, n);
    f->host_mark = SHARC_NEW_ARRAY(int64_t, n);
    for (uint32_t i = 0; i < n; i++)
        sharc__store_key(sharc_intern_text(f->hosts, i), &f->host_key[i], &f->host_mark[i]);
    struct sharc__store_mint m = {&host_load, n, f->host_key, f->host_mark, f->host_id, host_row, f};
    return sharc__store_mint(f->db, &m, reterr);
}

/* Those with these numbers in the batch, from … to - 1. */
static int mint_urls(struct sharc_store_batch *b, uint32_t from, uint32_t to, struct sharc_err *reterr)
{
    uint32_t known = 0;
    for (uint32_t i = from; i < to; i++) {
        sharc__store_key(sharc_intern_text(b->urls, i), &b->key[i], &b->mark[i]);
        b->id[i] = sharc_map128_get(b->store->cache, b->key[i], b->mark[i]);
        if (b->id[i]) known++;
    }
    if (known == to - from) return 0;
    struct fresh_urls f = {.b = b, .db = b->store->db, .hosts = sharc_intern_new(), .from = from, .to = to};
    sharc_buf_init(&f.surt, 2 * SHARC_LIMIT_URL);
    f.host = SHARC_NEW_ARRAY(uint32_t, to - from);
    list_hosts(&f);
    int r = mint_hosts(&f, reterr);
    struct sharc__store_mint m = {&url_load, to - from, b->key + from, b->mark + from, b->id + from, url_row, &f};
    if (r == 0) r = sharc__store_mint(f.db, &m, reterr);
    sharc_intern_free(f.hosts);
    free(f.host);
    free(f.host_id);
    free(f.host_key);
    free(f.host_mark);
    sharc_buf_done(&f.surt);
    return r;
}

value sharc__store_url_value(const struct sharc_store_batch *b, uint32_t url)
{
    return url == NO_URL ? sharc__store_null() : sharc__store_int(b->id[url]);
}

/* --- link sets and contents ------------------------------------------------------------ */

static const struct sharc__store_load link_load = {
    .table = "link_set",
    .columns = COLUMNS("key", "mark", "links", "data"),
    .types = "iiib",
    .conflict = "ON CONFLICT (key, mark) DO NOTHING",
};
static const struct sharc__store_load content_load = {
    .table = "content",
    .columns = COLUMNS("key", "mark", "title", "minhash", "stated", "words", "images", "tables", "out_links"),
    .types = "iitbiiiii",
    .conflict = "ON CONFLICT (key, mark) DO NOTHING",
};

/* What pages of the batch have, by number of its row here. */
struct parts {
    struct sharc_store_batch *b;
    size_t n;
    size_t *page; /* or look, behind all pages */
    int64_t *key, *mark;
    sharc_store_id *id;
    struct sharc_buf data;  /* of all link sets */
    size_t *start, *counts; /* where a set begins; links in it */
};

static void link_row_of(void *arg, size_t i, value *out)
{
    struct parts *p = arg;
    out[0] = sharc__store_int(p->key[i]);
    out[1] = sharc__store_int(p->mark[i]);
    out[2] = sharc__store_int((int64_t)p->counts[i]);
    out[3] = sharc__store_bytes(sharc_span(sharc_buf_str(&p->data) + p->start[i], p->start[i + 1] - p->start[i]));
}

static void content_row(void *arg, size_t i, value *out)
{
    struct parts *p = arg;
    const struct page_row *row = &p->b->pages.items[p->page[i]];
    out[0] = sharc__store_int(p->key[i]);
    out[1] = sharc__store_int(p->mark[i]);
    out[2] = sharc__store_text(row->title);
    out[3] = sharc__store_bytes(row->minhash);
    out[4] = sharc__store_time(row->stated);
    out[5] = sharc__store_count(row->words);
    out[6] = sharc__store_count(row->images);
    out[7] = sharc__store_count(row->tables);
    out[8] = sharc__store_count(row->out_links);
}

static void content_key(const struct page_row *row, struct sharc_buf *scratch, int64_t *ret_key, int64_t *ret_mark)
{
    const int64_t numbers[] = {row->stated,
                               row->words,
                               row->images,
                               row->tables,
                               row->out_links,
                               row->title.p ? (int64_t)row->title.n : -1,
                               row->minhash.p ? (int64_t)row->minhash.n : -1};
    sharc_buf_clear(scratch);
    for (size_t i = 0; i < SHARC_LENGTH(numbers); i++) sharc_buf_printf(scratch, "%lld ", (long long)numbers[i]);
    sharc_buf_put(scratch, row->title);
    sharc_buf_put(scratch, row->minhash);
    sharc__store_key(sharc_buf_span(scratch), ret_key, ret_mark);
}

/* Bytes of the links of a page; the number of links left after joining equal ones. */
static size_t pack_links(struct parts *p, const struct linked *row, struct sharc__store_target **t, size_t *room)
{
    SHARC_GROW(*t, *room, row->n + 1);
    for (size_t i = 0; i < row->n; i++) {
        const struct link_row *l = &p->b->links.items[row->at + i];
        (*t)[i] = (struct sharc__store_target){p->b->id[l->url], l->kind};
    }
    return sharc__store_links_pack(*t, row->n, &p->data);
}

static void parts_init(struct parts *p, struct sharc_store_batch *b)
{
    size_t n = b->pages.count + b->looks.count;
    *p = (struct parts){.b = b};
    sharc_buf_init(&p->data, SIZE_MAX / 2);
    p->page = SHARC_NEW_ARRAY(size_t, n);
    p->key = SHARC_NEW_ARRAY(int64_t, n);
    p->mark = SHARC_NEW_ARRAY(int64_t, n);
    p->id = SHARC_NEW_ARRAY(sharc_store_id, n);
    p->start = SHARC_NEW_ARRAY(size_t, n + 1);
    p->counts = SHARC_NEW_ARRAY(size_t, n);
}

static void parts_done(struct parts *p)
{
    sharc_buf_done(&p->data);
    free(p->page);
    free(p->key);
    free(p->mark);
    free(p->id);
    free(p->start);
    free(p->counts);
}

/* Pages first, then looks. */
static struct linked *linked_at(const struct sharc_store_batch *b, size_t i)
{
    return i < b->pages.count ? &b->pages.items[i].visit.links : &b->looks.items[i - b->pages.count].links;
}

static int mint_links(struct sharc_store_batch *b, struct sharc_err *reterr)
{
    struct parts p;
    parts_init(&p, b);
    struct sharc__store_target *t = NULL;
    size_t room = 0, all = b->pages.count + b->looks.count;
    for (size_t i = 0; i < all; i++) {
        const struct linked *row = linked_at(b, i);
        if (!row->known) continue;
        p.page[p.n] = i;
        p.counts[p.n] = pack_links(&p, row, &t, &room);
        if (i < b->pages.count) b->pages.items[i].out_links = (int64_t)p.counts[p.n]; /* contents are made after this */
        p.start[p.n + 1] = p.data.n;
        sharc__store_key(sharc_span(sharc_buf_str(&p.data) + p.start[p.n], p.data.n - p.start[p.n]), &p.key[p.n],
                         &p.mark[p.n]);
        p.n++;
    }
    free(t);
    struct sharc__store_mint m = {&link_load, p.n, p.key, p.mark, p.id, link_row_of, &p};
    int r = p.n ? sharc__store_mint(b->store->db, &m, reterr) : 0;
    for (size_t i = 0; i < p.n && r == 0; i++) linked_at(b, p.page[i])->set = p.id[i];
    parts_done(&p);
    return r;
}

static int mint_contents(struct sharc_store_batch *b, struct sharc_err *reterr)
{
    struct parts p;
    parts_init(&p, b);
    for (size_t i = 0; i < b->pages.count; i++) {
        if (!b->pages.items[i].has_content) continue;
        p.page[p.n] = i;
        content_key(&b->pages.items[i], &b->scratch, &p.key[p.n], &p.mark[p.n]);
        p.n++;
    }
    struct sharc__store_mint m = {&content_load, p.n, p.key, p.mark, p.id, content_row, &p};
    int r = p.n ? sharc__store_mint(b->store->db, &m, reterr) : 0;
    for (size_t i = 0; i < p.n && r == 0; i++) b->pages.items[p.page[i]].content = p.id[i];
    parts_done(&p);
    return r;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* ON CONFLICT (first keys columns) DO UPDATE SET the others [WHERE …]. */
int sharc__store_load_rows(struct sharc_store_batch *b, const struct sharc__store_load *l, size_t keys,
                           const char *where, size_t n, sharc__store_row_fn *row, struct sharc_err *reterr)
{
    if (n == 0) return 0;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(16u << 10);
    sharc_buf_put_str(&text, "ON CONFLICT (");
    for (size_t i = 0; i < keys; i++) sharc_buf_printf(&text, "%s%s", i ? ", " : "", l->columns[i]);
    sharc_buf_put_str(&text, ") DO UPDATE SET ");
    for (size_t i = keys; l->types[i]; i++) {
        const char *column = l->columns[i];
        sharc_buf_printf(&text, "%s%s = ", i > keys ? ", " : "", column);
        if (l->keep && strcmp(column, l->keep) == 0)
            sharc_buf_printf(&text, "coalesce(excluded.%s, %s.%s)", column, l->table, column);
        else
            sharc_buf_printf(&text, "excluded.%s", column);
    }
    if (where) sharc_buf_printf(&text, " WHERE %s", where);
    struct sharc__store_load with = *l;
    with.conflict = sharc_buf_str(&text);
    return b->store->db->ops->load(b->store->db, &with, n, row, b, NULL, reterr);
}

/* The later download wins, whole; of two at the same time the one that lies further back. */
#define LATER(table)                                                                      \
    "(excluded.visit, coalesce(excluded.warc, 0), coalesce(excluded.warc_offset, 0)) >= " \
    "(" table ".visit, coalesce(" table ".warc, 0), coalesce(" table ".warc_offset, 0))"

#define LOOK_COLUMNS                                                                                                   \
    "visit", "slot", "took", "size", "modified", "warc", "warc_offset", "warc_length", "importance", "rate", "status", \
        "change", "digest", "text_digest", "etag"
#define LOOK_TYPES "iiiiiiiirriibbt"
enum { LOOK_COUNT = sizeof LOOK_TYPES - 1 };

void sharc__store_place_values(const struct sharc_store_place *p, value *out)
{
    out[0] = sharc__store_id(p->warc);
    out[1] = p->warc ? sharc__store_int((int64_t)p->offset) : sharc__store_null();
    out[2] = p->warc && p->length ? sharc__store_int((int64_t)p->length) : sharc__store_null();
}

static void look_values(struct sharc_store_batch *b, const struct sharc_store_look *l, value *out)
{
    out[0] = sharc__store_time(l->when);
    out[1] = sharc__store_count(l->slot);
    out[2] = sharc__store_count(l->took);
    out[3] = sharc__store_count(l->size);
    out[4] = sharc__store_time(l->last_modified);
    sharc__store_place_values(&l->place, out + 5);
    out[8] = l->change == SHARC_STORE_NO_CHANGE ? sharc__store_null() : sharc__store_real(l->importance);
    out[9] = sharc__store_real(l->rate);
    out[10] = sharc__store_int(l->status);
    out[11] = sharc__store_count(l->change);
    out[12] = sharc__store_bytes(sharc__store_digest_pack(&l->digest, b->digest[0]));
    out[13] = sharc__store_bytes(sharc__store_digest_pack(&l->text_digest, b->digest[1]));
    out[14] = sharc__store_text(l->etag);
}

static const struct sharc__store_load page_load = {
    .table = "page",
    .columns = COLUMNS("capture", "url", LOOK_COLUMNS, "body_warc", "body_offset", "body_length", "parent", "redirect",
                       "content", "link_set", "planned_rate", "weight", "hops", "record", "hopeless", "mime"),
    .types = "ii" LOOK_TYPES "iiiiiiirriiit",
};

static void page_values(void *arg, size_t i, value *out)
{
    struct sharc_store_batch *b = arg;
    const struct page_row *p = &b->pages.items[i];
    out[0] = sharc__store_int(p->visit.capture);
    out[1] = sharc__store_url_value(b, p->visit.url);
    look_values(b, &p->visit.look, out + 2);
    out += 2 + LOOK_COUNT;
    sharc__store_place_values(&p->body, out);
    out[3] = sharc__store_url_value(b, p->parent);
    out[4] = sharc__store_url_value(b, p->redirect);
    out[5] = sharc__store_id(p->content);
    out[6] = sharc__store_id(p->visit.links.set);
    out[7] = sharc__store_real(p->planned_rate);
    out[8] = sharc__store_real(p->weight);
    out[9] = sharc__store_count(p->hops);
    out[10] = sharc__store_int(p->record);
    out[11] = sharc__store_int(p->hopeless);
    out[12] = sharc__store_text(p->mime);
}

static const struct sharc__store_load look_load = {
    .table = "look",
    .columns = COLUMNS("capture", "url", "kind", LOOK_COLUMNS, "link_set"),
    .types = "iii" LOOK_TYPES "i",
    .keep = "link_set",
};

static void look_row_values(void *arg, size_t i, value *out)
{
    struct sharc_store_batch *b = arg;
    const struct look_row *l = &b->looks.items[i];
    out[0] = sharc__store_int(l->capture);
    out[1] = sharc__store_url_value(b, l->url);
    out[2] = sharc__store_int(l->kind);
    look_values(b, &l->look, out + 3);
    out[3 + LOOK_COUNT] = sharc__store_id(l->links.set);
}

static const struct sharc__store_load skip_load = {
    .table = "skipped",
    .columns = COLUMNS("capture", "url", "reason", "detail"),
    .types = "iitt",
};

static void skip_values(void *arg, size_t i, value *out)
{
    struct sharc_store_batch *b = arg;
    const struct skip_row *s = &b->skipped.items[i];
    out[0] = sharc__store_int(s->capture);
    out[1] = sharc__store_url_value(b, s->url);
    out[2] = sharc__store_text(s->reason);
    out[3] = sharc__store_text(s->detail);
}

static const struct sharc__store_load grade_load = {
    .table = "grade",
    .columns = COLUMNS("capture", "url", "reason", "known_from", "known_to", "detail"),
    .types = "iiiiit",
};

static void grade_values(void *arg, size_t i, value *out)
{
    struct sharc_store_batch *b = arg;
    const struct grade_row *g = &b->grades.items[i];
    out[0] = sharc__store_int(g->capture);
    out[1] = sharc__store_url_value(b, g->url);
    out[2] = sharc__store_int((int)g->grade.reason);
    out[3] = sharc__store_time(g->grade.from);
    out[4] = sharc__store_time(g->grade.to);
    out[5] = sharc__store_text(g->grade.detail);
}

/* When a place was seen first stays. */
static const struct sharc__store_load place_load = {
    .table = "place",
    .columns = COLUMNS("site", "signature", "kind", "text", "pairs", "differed", "first_seen", "last_seen"),
    .types = "iittiiii",
    .conflict = "ON CONFLICT (site, signature) DO UPDATE SET kind = excluded.kind, text = excluded.text,"
                " pairs = excluded.pairs, differed = excluded.differed, last_seen = excluded.last_seen,"
                " first_seen = coalesce(place.first_seen, excluded.first_seen)",
};

static void place_row_values(void *arg, size_t i, value *out)
{
    const struct sharc_store_volatile *p = &((struct sharc_store_batch *)arg)->places.items[i];
    out[0] = sharc__store_int(p->site);
    out[1] = sharc__store_int((int64_t)p->signature);
    out[2] = sharc__store_text(p->kind);
    out[3] = sharc__store_text(p->text);
    out[4] = sharc__store_int((int64_t)p->pairs);
    out[5] = sharc__store_int((int64_t)p->differed);
    out[6] = sharc__store_time(p->first);
    out[7] = sharc__store_time(p->last);
}

static int load_places(struct sharc_store_batch *b, struct sharc_err *reterr)
{
    struct sharc__store_db *db = b->store->db;
    return b->places.count ? db->ops->load(db, &place_load, b->places.count, place_row_values, b, NULL, reterr) : 0;
}

static const struct sharc__store_load journal_load = {
    .table = "journal",
    .columns = COLUMNS("capture", "seq", "data"),
    .types = "iib",
};

static void journal_values(void *arg, size_t i, value *out)
{
    const struct journal_row *j = &((struct sharc_store_batch *)arg)->journal.items[i];
    out[0] = sharc__store_int(j->capture);
    out[1] = sharc__store_int(j->seq);
    out[2] = sharc__store_bytes(j->data);
}

static const struct sharc__store_load rate_load = {
    .table = "rate",
    .columns = COLUMNS("url", "source", "value", "low", "high", "observations", "made"),
    .types = "itrrrri",
};

static void rate_values(void *arg, size_t i, value *out)
{
    struct sharc_store_batch *b = arg;
    const struct rate_row *r = &b->rates.items[i];
    out[0] = sharc__store_url_value(b, r->url);
    out[1] = sharc__store_text(r->rate.source);
    out[2] = sharc__store_real(r->rate.value);
    out[3] = sharc__store_real(r->rate.low);
    out[4] = sharc__store_real(r->rate.high);
    out[5] = sharc__store_real(r->rate.observations);
    out[6] = sharc__store_time(r->rate.when);
}

static const struct sharc__store_load pattern_load = {
    .table = "pattern",
    .columns = COLUMNS("url", "data", "cluster", "made"),
    .types = "ibii",
};

static void pattern_values(void *arg, size_t i, value *out)
{
    struct sharc_store_batch *b = arg;
    const struct pattern_row *p = &b->patterns.items[i];
    out[0] = sharc__store_url_value(b, p->url);
    out[1] = sharc__store_bytes(p->data);
    out[2] = sharc__store_int(p->group);
    out[3] = sharc__store_time(p->when);
}

static int update_warc(struct sharc_store *s, const struct sharc_store_warc *w, struct sharc_err *reterr)
{
    int64_t changed = 0;
    int r = sharc__store_run(s,
                             "UPDATE warc SET state = $1, done = $2, records = $3, capture = $4,"
                             " size = CASE WHEN CAST($5 AS BIGINT) > 0 THEN CAST($5 AS BIGINT) ELSE size END,"
                             " digest = coalesce($6, digest) WHERE id = $7",
                             SHARC__PARAMS(sharc__store_int(w->state), sharc__store_int((int64_t)w->done),
                                           sharc__store_int((int64_t)w->records), sharc__store_id(w->capture),
                                           sharc__store_int((int64_t)w->size), sharc__store_text(w->digest),
                                           sharc__store_int(w->id)),
                             &changed, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(changed == 0, reterr, SHARC_ENOENT, "%s: there is no WARC file number %lld in the catalogue", s->name,
                  (long long)w->id);
    return 0;
}

/* --- revisions ------------------------------------------------------------------------------------ */

struct touching {
    struct sharc_store_batch *b;
    sharc_store_id last; /* rows of one capture mostly follow each other */
    struct sharc_map64 done;
    int r;
};

static void touch(struct touching *t, sharc_store_id capture, struct sharc_err *reterr)
{
    if (t->r < 0 || capture == t->last) return;
    t->last = capture;
    uint64_t *at = sharc_map64_at(&t->done, (uint64_t)capture);
    if (*at == 0) t->r = sharc__store_touch(t->b->store, capture, reterr);
    *at = 1;
}

/* Every capture of which the batch has rows. One whose own row is set has been touched by that already. */
static int touch_captures(struct sharc_store_batch *b, struct sharc_err *reterr)
{
    struct touching t = {.b = b};
    sharc_map64_init(&t.done);
    for (size_t i = 0; i < b->captures.count; i++) *sharc_map64_at(&t.done, (uint64_t)b->captures.items[i].id) = 1;
    for (size_t i = 0; i < b->pages.count; i++) touch(&t, b->pages.items[i].visit.capture, reterr);
    for (size_t i = 0; i < b->looks.count; i++) touch(&t, b->looks.items[i].capture, reterr);
    for (size_t i = 0; i < b->grades.count; i++) touch(&t, b->grades.items[i].capture, reterr);
    for (size_t i = 0; i < b->skipped.count; i++) touch(&t, b->skipped.items[i].capture, reterr);
    for (size_t i = 0; i < b->watched.count; i++) touch(&t, b->watched.items[i].page.capture, reterr);
    for (size_t i = 0; i < b->watch_looks.count; i++) touch(&t, b->watch_looks.items[i].look.capture, reterr);
    sharc_map64_done(&t.done);
    return t.r;
}

/* --- together ------------------------------------------------------------------------------------ */

static int write_rows(struct sharc_store_batch *b, struct sharc_err *reterr)
{
    int r = mint_urls(b, 0, sharc_intern_count(b->urls), reterr);
    if (r == 0) r = mint_links(b, reterr);
    if (r == 0) r = mint_contents(b, reterr);
    if (r == 0) r = sharc__store_load_rows(b, &page_load, 2, LATER("page"), b->pages.count, page_values, reterr);
    if (r == 0) r = sharc__store_load_rows(b, &look_load, 3, LATER("look"), b->looks.count, look_row_values, reterr);
    if (r == 0) r = sharc__store_load_rows(b, &grade_load, 2, NULL, b->grades.count, grade_values, reterr);
    if (r == 0) r = load_places(b, reterr);
    if (r == 0) r = sharc__store_load_rows(b, &skip_load, 3, NULL, b->skipped.count, skip_values, reterr);
    if (r == 0) r = sharc__store_load_rows(b, &journal_load, 2, NULL, b->journal.count, journal_values, reterr);
    if (r == 0) r = sharc__store_load_rows(b, &rate_load, 2, NULL, b->rates.count, rate_values, reterr);
    if (r == 0) r = sharc__store_load_rows(b, &pattern_load, 1, NULL, b->patterns.count, pattern_values, reterr);
    if (r == 0) r = sharc__store_write_watch(b, reterr);
    for (size_t i = 0; i < b->warcs.count && r == 0; i++) r = update_warc(b->store, &b->warcs.items[i], reterr);
    for (size_t i = 0; i < b->captures.count && r == 0; i++)
        r = sharc__store_capture_set(b->store, &b->captures.items[i], reterr);
    return r < 0 ? r : touch_captures(b, reterr);
}

static int in_transaction(struct sharc_store_batch *b, uint32_t from, uint32_t to, struct sharc_err *reterr)
{
    struct sharc__store_db *db = b->store->db;
    int r = db->ops->begin(db, false, reterr);
    if (r == 0) r = to == NO_URL ? write_rows(b, reterr) : mint_urls(b, from, to, reterr);
    if (r == 0) r = db->ops->commit(db, reterr);
    if (r < 0) db->ops->rollback(db);
    return r;
}

/* In a transaction: the URLs from … to - 1, or (to is NO_URL) all that the batch has. */
static int write_batch(struct sharc_store_batch *b, uint32_t from, uint32_t to, struct sharc_err *reterr)
{
    uint32_t n = sharc_intern_count(b->urls);
    b->id = SHARC_NEW_ARRAY(sharc_store_id, n);
    b->key = SHARC_NEW_ARRAY(int64_t, n);
    b->mark = SHARC_NEW_ARRAY(int64_t, n);
    int r = in_transaction(b, from, to, reterr);
    for (uint32_t i = from; i < (to == NO_URL ? n : to) && r == 0; i++)
        sharc_map128_put(b->store->cache, b->key[i], b->mark[i], b->id[i]);
    sharc_freep(&b->id);
    sharc_freep(&b->key);
    sharc_freep(&b->mark);
    return r;
}

size_t sharc_store_batch_unnumbered(const struct sharc_store_batch *b)
{
    return sharc_intern_count(b->urls) - b->numbered;
}

int sharc_store_batch_number(struct sharc_store_batch *b, size_t most, struct sharc_err *reterr)
{
    const size_t left = sharc_store_batch_unnumbered(b);
    const uint32_t to = b->numbered + (uint32_t)(left < most ? left : most);
    int r = sharc__store_may_write(b->store, reterr);
    if (r < 0 || to == b->numbered) return r;
    r = write_batch(b, b->numbered, to, reterr);
    if (r == 0) b->numbered = to;
    return r;
}

int sharc_store_batch_commit(struct sharc_store_batch *b, struct sharc_err *reterr)
{
    int r = sharc__store_may_write(b->store, reterr);
    if (r < 0 || sharc_store_batch_rows(b) == 0) return r;
    r = write_batch(b, 0, NO_URL, reterr);
    if (r == 0) sharc_store_batch_drop(b);
    return r;
}

int sharc_store_batch_commit_patiently(struct sharc_store_batch *b, const struct sharc_store_patience *p,
                                       struct sharc_err *reterr)
{
    enum { CONFLICTS = 20 };
    for (unsigned conflicts = 0;;) {
        struct sharc_err err = SHARC_ERR_INIT;
        int r = sharc_store_batch_commit(b, &err);
        if (r == SHARC_EBUSY && ++conflicts < CONFLICTS) continue;
        if (r == SHARC_ENET) {
            r = sharc_store_wait(b->store, p, reterr);
            if (r == 0) continue;
            return r;
        }
        if (r < 0 && reterr) *reterr = err;
        return r;
    }
}
