/* SPDX-License-Identifier: Apache-2.0
 *
 * Things stored once: URLs, hosts, contents, link sets. Each is known by 128
 * bits of SHA-256; whoever brings one gets its number, old or new.
 */
#include "store_int.h"

#include <stdio.h>
#include <stdlib.h>

struct work {
    struct sharc__store_mint *m;
    struct sharc_map128 *at; /* (key, mark) -> index of the first such thing + 1 */
    size_t *missing;         /* indices without a number, each thing once */
    size_t count;
};

static void found(void *arg, struct sharc__store_cursor *c)
{
    struct work *w = arg;
    sharc_store_id at = sharc_map128_get(w->at, sharc__store_cursor_int(c, 0, 0), sharc__store_cursor_int(c, 1, 0));
    if (at) w->m->id[at - 1] = sharc__store_cursor_int(c, 2, 0);
}

static void missing_row(void *arg, size_t i, struct sharc_store_value *out)
{
    struct work *w = arg;
    w->m->row(w->m->arg, w->missing[i], out);
}

static void list_missing(struct work *w)
{
    for (size_t i = 0; i < w->m->n; i++) {
        if (w->m->id[i] || sharc_map128_get(w->at, w->m->key[i], w->m->mark[i])) continue;
        sharc_map128_put(w->at, w->m->key[i], w->m->mark[i], (sharc_store_id)i + 1);
        w->missing[w->count++] = i;
    }
}

/* Those that have their numbers now are missing no longer. */
static void leave_missing(struct work *w)
{
    size_t left = 0;
    for (size_t i = 0; i < w->count; i++)
        if (!w->m->id[w->missing[i]]) w->missing[left++] = w->missing[i];
    w->count = left;
}

static int find_missing(struct sharc__store_db *db, struct work *w, int64_t *keys, struct sharc_err *reterr)
{
    char head[80];
    snprintf(head, sizeof head, "SELECT key, mark, id FROM %s WHERE key", w->m->load->table);
    for (size_t i = 0; i < w->count; i++) keys[i] = w->m->key[w->missing[i]];
    int r = db->ops->find(db, head, keys, w->count, found, w, reterr);
    leave_missing(w);
    return r < 0 ? r : 0;
}

static int settle(struct sharc__store_db *db, struct work *w, int64_t *keys, struct sharc_err *reterr)
{
    list_missing(w);
    /* Where a load tells what was new, it is all that most of them need: one way through the index instead of three. */
    int r = w->count > 0 && !db->ops->load_tells ? find_missing(db, w, keys, reterr) : 0;
    if (r < 0 || w->count == 0) return r;
    for (size_t i = 0; i < w->count; i++) keys[i] = 0;
    r = db->ops->load(db, w->m->load, w->count, missing_row, w, keys, reterr);
    for (size_t i = 0; i < w->count && r == 0; i++) w->m->id[w->missing[i]] = keys[i];
    leave_missing(w);
    if (r == 0 && w->count > 0) r = find_missing(db, w, keys, reterr);
    if (r < 0) return r;
    /* On PostgreSQL somebody else's row can be in the way and not yet to be seen. */
    SHARC_FAIL_IF(w->count > 0, reterr, SHARC_EBUSY, "another program is writing the same rows of table %s: try again",
                  w->m->load->table);
    return 0;
}

int sharc__store_mint(struct sharc__store_db *db, struct sharc__store_mint *m, struct sharc_err *reterr)
{
    struct work w = {.m = m, .at = sharc_map128_new(SIZE_MAX), .missing = SHARC_NEW_ARRAY(size_t, m->n)};
    int64_t *keys = SHARC_NEW_ARRAY(int64_t, m->n);
    int r = settle(db, &w, keys, reterr);
    for (size_t i = 0; i < m->n && r == 0; i++) {
        if (m->id[i]) continue;
        m->id[i] = m->id[sharc_map128_get(w.at, m->key[i], m->mark[i]) - 1];
    }
    sharc_map128_free(w.at);
    free(w.missing);
    free(keys);
    return r;
}
