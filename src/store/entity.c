/* SPDX-License-Identifier: Apache-2.0
 *
 * What is written one at a time: sites, captures, WARC files, rates, models.
 */
#include "store_int.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const capture_states[] = {
#define X(name, text) text,
    SHARC_CAPTURE_STATES(X)
#undef X
};
static const char *const warc_states[] = {
#define X(name, text) text,
    SHARC_STORE_WARC_STATES(X)
#undef X
};

const char *sharc_capture_state_text(enum sharc_capture_state state)
{
    return (unsigned)state < SHARC_LENGTH(capture_states) ? capture_states[state] : "unknown";
}

const char *sharc_store_warc_state_text(enum sharc_store_warc_state state)
{
    return (unsigned)state < SHARC_LENGTH(warc_states) ? warc_states[state] : "unknown";
}

/* --- one statement, one transaction -------------------------------------------------- */

static int run_alone(struct sharc_store *s, const char *sql, const struct sharc_store_value *p, size_t n,
                     struct sharc_err *reterr)
{
    int r = sharc__store_may_write(s, reterr);
    return r < 0 ? r : sharc__store_run(s, sql, p, n, NULL, reterr);
}

/* Texts of small rows: clean copies that live as long as the array. */
struct texts {
    struct sharc_buf buf[6];
    size_t n;
};

static struct sharc_store_value text_of(struct texts *t, struct sharc_span s)
{
    struct sharc_buf *b = &t->buf[t->n++];
    sharc_buf_init(b, 512u << 20);
    return sharc__store_text(sharc__store_clean(s, false, b));
}

static void texts_done(struct texts *t)
{
    for (size_t i = 0; i < t->n; i++) sharc_buf_done(&t->buf[i]);
}

/* --- sites --------------------------------------------------------------------------- */

int sharc_store_site_put(struct sharc_store *s, const struct sharc_store_site *site, sharc_store_id *ret,
                         struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!site->name.p || site->name.n == 0, reterr, SHARC_EINVAL, "a site needs a name");
    SHARC_AUTO(texts_done) struct texts t = {0};
    struct sharc_store_value p[] = {text_of(&t, site->name), text_of(&t, site->seeds), text_of(&t, site->settings)};
    int r = sharc__store_insert(s,
                                "INSERT INTO site (name, seeds, settings) VALUES ($1, $2, $3) ON CONFLICT (name)"
                                " DO UPDATE SET seeds = coalesce(excluded.seeds, site.seeds),"
                                " settings = coalesce(excluded.settings, site.settings) RETURNING id",
                                p, SHARC_LENGTH(p), ret, reterr);
    return r < 0 ? r : 0;
}

/* --- captures -------------------------------------------------------------------------- */

/* A worker's capture is known by its job from the first moment: whoever takes over goes on with it. */
static int note_capture(struct sharc_store *s, sharc_store_id capture, struct sharc_err *reterr)
{
    if (!s->job) return 0;
    return sharc__store_run(s, "UPDATE job SET capture = $1 WHERE id = $2",
                            SHARC__PARAMS(sharc__store_int(capture), sharc__store_int(s->job)), NULL, reterr);
}

static int insert_capture(struct sharc_store *s, const struct sharc_store_capture *c, sharc_store_id *ret,
                          struct sharc_err *reterr)
{
    SHARC_AUTO(texts_done) struct texts t = {0};
    struct sharc_store_value p[] = {sharc__store_id(c->site),        text_of(&t, c->key),
                                    text_of(&t, c->strategy),        text_of(&t, c->purpose),
                                    text_of(&t, c->params),          text_of(&t, c->source),
                                    sharc__store_time(c->start),     sharc__store_time(c->end),
                                    sharc__store_time(c->reference), sharc__store_int((int)c->state)};
    int r = sharc__store_may_write(s, reterr);
    if (r == 0) r = s->db->ops->begin(s->db, false, reterr);
    if (r < 0) return r;
    int got = sharc__store_get_int(s->db,
                                   "INSERT INTO capture (site, key, strategy, purpose, params, source, started, ended,"
                                   " reference, state) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
                                   " ON CONFLICT (key) DO NOTHING RETURNING id",
                                   p, SHARC_LENGTH(p), ret, reterr);
    r = got > 0 ? note_capture(s, *ret, reterr) : got;
    if (r >= 0) r = s->db->ops->commit(s->db, reterr);
    if (r < 0) s->db->ops->rollback(s->db);
    return r < 0 ? r : got;
}

/* Columns that the schema did not have from the beginning are set by themselves: tests write rows
 * into catalogues of every version. */
static int set_interval(struct sharc_store *s, const struct sharc_store_capture *c, sharc_store_id id,
                        struct sharc_err *reterr)
{
    if (c->reference_from == SHARC_TIME_NONE && c->reference_to == SHARC_TIME_NONE) return 0;
    return sharc__store_run(s,
                            "UPDATE capture SET reference_from = coalesce($1, reference_from),"
                            " reference_to = coalesce($2, reference_to) WHERE id = $3",
                            SHARC__PARAMS(sharc__store_time(c->reference_from), sharc__store_time(c->reference_to),
                                          sharc__store_int(id)),
                            NULL, reterr);
}

int sharc_store_capture_add(struct sharc_store *s, const struct sharc_store_capture *c, sharc_store_id *ret,
                            bool *ret_new, struct sharc_err *reterr)
{
    sharc_store_id id = 0;
    bool keyed = c->key.p && c->key.n > 0;
    int r = insert_capture(s, c, &id, reterr);
    if (r < 0) return r;
    if (ret_new) *ret_new = r > 0;
    if (r > 0) {
        int k = set_interval(s, c, id, reterr);
        if (k < 0) return k;
    }
    if (r == 0) {
        SHARC_AUTO(texts_done) struct texts t = {0};
        r = sharc__store_get_int(s->db, "SELECT id FROM capture WHERE key = $1", SHARC__PARAMS(text_of(&t, c->key)),
                                 &id, reterr);
        if (r >= 0) r = note_capture(s, id, reterr);
        if (r < 0) return r;
    } else if (!keyed) {
        char key[40];
        int n = snprintf(key, sizeof key, "capture-%lld", (long long)id);
        r = run_alone(s, "UPDATE capture SET key = $1 WHERE id = $2",
                      SHARC__PARAMS(sharc__store_text(sharc_span(key, (size_t)n)), sharc__store_int(id)), reterr);
        if (r < 0) return r;
    }
    *ret = id;
    return 0;
}

int sharc__store_capture_set(struct sharc_store *s, const struct sharc_store_capture *c, struct sharc_err *reterr)
{
    SHARC_AUTO(texts_done) struct texts t = {0};
    int64_t changed = 0;
    struct sharc_store_value p[] = {sharc__store_int((int)c->state), sharc__store_time(c->start),
                                    sharc__store_time(c->end),       sharc__store_time(c->reference),
                                    text_of(&t, c->strategy),        text_of(&t, c->purpose),
                                    text_of(&t, c->params),          text_of(&t, c->source),
                                    sharc__store_id(c->site),        sharc__store_int(c->id)};
    int r =
        sharc__store_run(s,
                         "UPDATE capture SET state = $1, started = coalesce($2, started), ended = coalesce($3, ended),"
                         " reference = coalesce($4, reference), strategy = coalesce($5, strategy),"
                         " purpose = coalesce($6, purpose), params = coalesce($7, params),"
                         " source = coalesce($8, source), site = coalesce($9, site) WHERE id = $10",
                         p, SHARC_LENGTH(p), &changed, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(changed == 0, reterr, SHARC_ENOENT, "%s: there is no capture number %lld", s->name, (long long)c->id);
    r = set_interval(s, c, c->id, reterr);
    return r < 0 ? r : sharc__store_touch(s, c->id, reterr);
}

int sharc_store_capture_update(struct sharc_store *s, const struct sharc_store_capture *c, struct sharc_err *reterr)
{
    int r = sharc__store_may_write(s, reterr);
    if (r == 0) r = s->db->ops->begin(s->db, false, reterr);
    if (r < 0) return r;
    r = sharc__store_capture_set(s, c, reterr);
    if (r == 0) r = s->db->ops->commit(s->db, reterr);
    if (r < 0) s->db->ops->rollback(s->db);
    return r;
}

int sharc_store_capture_delete(struct sharc_store *s, sharc_store_id capture, struct sharc_err *reterr)
{
    static const char *const statements[] = {
        "DELETE FROM page WHERE capture = $1",    "DELETE FROM look WHERE capture = $1",
        "DELETE FROM grade WHERE capture = $1",   "DELETE FROM skipped WHERE capture = $1",
        "DELETE FROM journal WHERE capture = $1", "UPDATE warc SET capture = NULL WHERE capture = $1",
        "DELETE FROM watched WHERE capture = $1", "DELETE FROM watch_look WHERE capture = $1",
        "DELETE FROM review WHERE capture = $1",  "DELETE FROM capture WHERE id = $1",
    };
    int r = sharc__store_may_write(s, reterr);
    if (r == 0) r = s->db->ops->begin(s->db, false, reterr);
    if (r < 0) return r;
    struct sharc_store_value id = sharc__store_int(capture);
    for (size_t i = 0; i < SHARC_LENGTH(statements) && r == 0; i++)
        r = sharc__store_run(s, statements[i], &id, 1, NULL, reterr);
    if (r == 0) r = sharc__store_forget_summaries(s, capture, reterr);
    if (r == 0) r = s->db->ops->commit(s->db, reterr);
    if (r < 0) s->db->ops->rollback(s->db);
    return r;
}

int sharc_store_skipped_forget(struct sharc_store *s, sharc_store_id capture, const char *const *reasons, size_t n,
                               struct sharc_err *reterr)
{
    int r = sharc__store_may_write(s, reterr);
    if (r == 0) r = s->db->ops->begin(s->db, false, reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < n && r == 0; i++)
        r = sharc__store_run(s, "DELETE FROM skipped WHERE capture = $1 AND reason = $2",
                             SHARC__PARAMS(sharc__store_int(capture), sharc__store_text(sharc_span_of(reasons[i]))),
                             NULL, reterr);
    if (r == 0) r = sharc__store_touch(s, capture, reterr);
    if (r == 0) r = s->db->ops->commit(s->db, reterr);
    if (r < 0) s->db->ops->rollback(s->db);
    return r;
}

/* --- finding a capture by what people call it --------------------------------------------- */

#define NEWEST " ORDER BY coalesce(c.started, 0) DESC, c.id DESC LIMIT 1"

static int find_number(struct sharc_store *s, struct sharc_span words, sharc_store_id *ret, struct sharc_err *reterr)
{
    int64_t n;
    if (sharc_span_to_i64(words, &n) < 0) return 0;
    return sharc__store_get_int(s->db, "SELECT id FROM capture WHERE id = $1", SHARC__PARAMS(sharc__store_int(n)), ret,
                                reterr);
}

static int find_of_site(struct sharc_store *s, struct sharc_span site, sharc_time to, sharc_store_id *ret,
                        struct sharc_err *reterr)
{
    return sharc__store_get_int(s->db,
                                "SELECT c.id FROM capture c JOIN site s ON s.id = c.site WHERE s.name = $1"
                                " AND coalesce(c.started, 0) <= $2" NEWEST,
                                SHARC__PARAMS(sharc__store_text(site), sharc__store_int(to)), ret, reterr);
}

static int find_site_at(struct sharc_store *s, struct sharc_span words, sharc_store_id *ret, struct sharc_err *reterr)
{
    size_t at = words.n;
    while (at > 0 && words.p[at - 1] != '@') at--;
    if (at == 0) return 0;
    sharc_time to;
    if (sharc_time_parse(sharc_span_from(words, at), &to, NULL) < 0) return 0;
    return find_of_site(s, sharc_span_sub(words, 0, at - 1), to, ret, reterr);
}

static int find_any(struct sharc_store *s, struct sharc_span words, sharc_store_id *ret, struct sharc_err *reterr)
{
    int r = find_number(s, words, ret, reterr);
    if (r == 0)
        r = sharc__store_get_int(s->db, "SELECT id FROM capture WHERE key = $1",
                                 SHARC__PARAMS(sharc__store_text(words)), ret, reterr);
    if (r == 0 && sharc_span_is(words, "latest"))
        r = sharc__store_get_int(s->db, "SELECT c.id FROM capture c" NEWEST, NULL, 0, ret, reterr);
    if (r == 0) r = find_of_site(s, words, INT64_MAX, ret, reterr);
    return r == 0 ? find_site_at(s, words, ret, reterr) : r;
}

int sharc_store_capture_find(struct sharc_store *s, struct sharc_span words, sharc_store_id *ret,
                             struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf clean = SHARC_BUF_INIT(1u << 20);
    words = sharc__store_clean(sharc_span_sub(words, 0, 4096), false, &clean);
    int r = find_any(s, words, ret, reterr);
    if (r != 0) return r < 0 ? r : 0;
    int64_t count = 0;
    r = sharc__store_get_int(s->db, "SELECT count(*) FROM capture", NULL, 0, &count, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(count == 0, reterr, SHARC_ENOENT, "%s: the catalogue holds no capture yet", s->name);
    return sharc_fail(
        reterr, SHARC_ENOENT,
        "%s: no capture is called \"%.*s\"; choose one of its %lld by number, by key, as SITE, SITE@TIME, or "
        "latest",
        s->name, SHARC_SPAN_ARG(words), (long long)count);
}

/* --- WARC files -------------------------------------------------------------------------------- */

int sharc_store_warc_forget(struct sharc_store *s, sharc_store_id warc, struct sharc_err *reterr)
{
    struct sharc_store_value id = sharc__store_int(warc);
    int r = sharc__store_may_write(s, reterr);
    return r < 0 ? r : sharc__store_run(s, "DELETE FROM warc WHERE id = $1 AND done = 0", &id, 1, NULL, reterr);
}

int sharc_store_warc_open(struct sharc_store *s, const struct sharc_store_warc *w, sharc_store_id *ret,
                          struct sharc_store_warc *ret_w, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!w->name.p || w->name.n == 0, reterr, SHARC_EINVAL, "a WARC file needs a name");
    SHARC_AUTO(texts_done) struct texts t = {0};
    struct sharc_store_value name = text_of(&t, w->name);
    struct sharc_store_value p[] = {name,
                                    sharc__store_int((int64_t)w->size),
                                    text_of(&t, w->digest),
                                    sharc__store_int((int)w->state),
                                    sharc__store_int((int64_t)w->done),
                                    sharc__store_int((int64_t)w->records),
                                    sharc__store_id(w->capture)};
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *c = NULL;
    static const char select[] = "SELECT id, size, state, done, records, capture FROM warc WHERE name = $1";
    int r = sharc__store_get_row(s->db, select, &name, 1, &c, reterr);
    if (r == 0) {
        sharc_store_id id;
        r = sharc__store_insert(s,
                                "INSERT INTO warc (name, size, digest, state, done, records, capture)"
                                " VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO NOTHING RETURNING id",
                                p, SHARC_LENGTH(p), &id, reterr);
        if (r >= 0) r = sharc__store_get_row(s->db, select, &name, 1, &c, reterr);
    }
    if (r < 0) return r;
    SHARC_FAIL_IF(r == 0, reterr, SHARC_EDB, "%s: the row of a WARC file has vanished", s->name);
    *ret = sharc__store_cursor_int(c, 0, 0);
    if (ret_w)
        *ret_w = (struct sharc_store_warc){
            .id = *ret,
            .size = (uint64_t)sharc__store_cursor_int(c, 1, 0),
            .state = (enum sharc_store_warc_state)sharc__store_cursor_int(c, 2, 0),
            .done = (uint64_t)sharc__store_cursor_int(c, 3, 0),
            .records = (uint64_t)sharc__store_cursor_int(c, 4, 0),
            .capture = sharc__store_cursor_int(c, 5, 0),
        };
    return 0;
}

/* --- rates and models ----------------------------------------------------------------------------- */

int sharc_store_model_put(struct sharc_store *s, const struct sharc_store_model *m, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!m->name.p || m->name.n == 0 || !m->data.p, reterr, SHARC_EINVAL,
                  "a model needs a name and its bytes");
    SHARC_AUTO(texts_done) struct texts t = {0};
    struct sharc_store_value p[] = {text_of(&t, m->name), text_of(&t, m->kind), sharc__store_bytes(m->data),
                                    text_of(&t, m->info), sharc__store_time(m->when)};
    return run_alone(s,
                     "INSERT INTO model (name, kind, data, info, made) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name)"
                     " DO UPDATE SET kind = excluded.kind, data = excluded.data, info = excluded.info,"
                     " made = excluded.made",
                     p, SHARC_LENGTH(p), reterr);
}
