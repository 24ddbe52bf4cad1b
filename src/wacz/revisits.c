/* SPDX-License-Identifier: Apache-2.0
 *
 * Revisits that lead nowhere: a WARC of a second capture alone refers to answers of the
 * first, and replay can show none of these pages.
 */
#include "sharc/base_map.h"
#include "wacz_int.h"

#include <stdlib.h>

enum { MOST_NAMED = 3 };

struct wacz_revisit {
    uint64_t keys[SHARC_WARC_WAYS];
    char *url;
};

void sharc__wacz_revisits_done(struct wacz_revisits *v)
{
    for (size_t i = 0; i < v->count; i++) free(v->items[i].url);
    free(v->items);
}

void sharc__wacz_revisits_add(struct wacz_revisits *v, const struct sharc_record *rec)
{
    SHARC_GROW(v->items, v->room, v->count + 1);
    struct wacz_revisit *one = &v->items[v->count++];
    sharc_record_origin_keys(rec, one->keys);
    one->url = sharc_span_dup(rec->target);
}

/* --- originals ----------------------------------------------------------------------- */

static int find_originals(const char *path, const struct sharc_wacz_options *o, struct sharc_map64 *wanted,
                          struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_warc_options read = {.lenient = o->lenient,
                                      .types =
                                          SHARC_WARC_BIT(SHARC_WARC_RESPONSE) | SHARC_WARC_BIT(SHARC_WARC_RESOURCE)};
    struct sharc_record rec;
    uint64_t keys[SHARC_WARC_WAYS];
    int r = sharc_warc_open(path, &read, &w, reterr);
    while (r >= 0 && (r = sharc_warc_next(w, &rec, reterr)) > 0) {
        sharc_record_origin_keys(&rec, keys);
        for (int i = 0; i < SHARC_WARC_WAYS; i++)
            if (keys[i] && sharc_map64_find(wanted, keys[i])) *sharc_map64_at(wanted, keys[i]) = 1;
    }
    return r;
}

static bool is_lost(const struct wacz_revisit *v, const struct sharc_map64 *wanted)
{
    for (int i = 0; i < SHARC_WARC_WAYS; i++) {
        const uint64_t *found = v->keys[i] ? sharc_map64_find(wanted, v->keys[i]) : NULL;
        if (found && *found) return false;
    }
    return true;
}

static void tell(const struct wacz_revisits *v, const struct sharc_map64 *wanted, uint64_t lost,
                 const struct sharc_wacz_options *o)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf names = SHARC_BUF_INIT(4096);
    struct sharc_err err = SHARC_ERR_INIT;
    unsigned named = 0;
    for (size_t i = 0; i < v->count && named < MOST_NAMED; i++) {
        if (!is_lost(&v->items[i], wanted)) continue;
        sharc_buf_printf(&names, "%s%.100s", named++ ? ", " : "", v->items[i].url);
    }
    sharc_fail(&err, SHARC_ENOENT,
               "%s to %s that none of these files holds, and replay will not show %s (%s%s); add the files of the "
               "earlier captures, or export from the archive with setting \"capture\"",
               SHARC_COUNT(lost, "revisit refers|revisits refer"), lost == 1 ? "an answer" : "answers",
               lost == 1 ? "it" : "them", sharc_buf_str(&names), lost > named ? ", …" : "");
    o->warn(o->warn_arg, &err);
}

int sharc__wacz_revisits_lost(const struct wacz_revisits *v, const char *const *warcs, size_t count,
                              const struct sharc_wacz_options *o, uint64_t *ret, struct sharc_err *reterr)
{
    struct sharc_map64 wanted;
    int r = 0;
    *ret = 0;
    if (!v->count || o->requires_count) return 0;
    sharc_map64_init(&wanted);
    for (size_t i = 0; i < v->count; i++)
        for (int k = 0; k < SHARC_WARC_WAYS; k++)
            if (v->items[i].keys[k]) sharc_map64_at(&wanted, v->items[i].keys[k]);
    for (size_t i = 0; r == 0 && i < count; i++) {
        r = find_originals(warcs[i], o, &wanted, reterr);
        if (r < 0 && o->lenient) r = 0; /* the damage was told before */
    }
    for (size_t i = 0; r == 0 && i < v->count; i++) *ret += is_lost(&v->items[i], &wanted);
    if (r == 0 && *ret && o->warn) tell(v, &wanted, *ret, o);
    sharc_map64_done(&wanted);
    return r;
}
