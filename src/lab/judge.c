/* SPDX-License-Identifier: Apache-2.0
 *
 * The log of the truth read back, and claims held against it.
 */
#include "sharc/lab_truth.h"

#include "sharc/base_arena.h"
#include "sharc/base_file.h"
#include "sharc/base_map.h"
#include "sharc/base_node.h"

#include <stdlib.h>

#define SLACK (5 * SHARC_MSEC) /* two processes' clocks may differ by this */
#define UNKNOWN_LENGTH SHARC_SEC

struct row {
    uint32_t path;
    struct sharc_lab_fact fact;
};

struct sharc_lab_truth {
    struct sharc_intern *paths;
    struct sharc_lab_fact *facts; /* by path, then time */
    size_t *at;                   /* facts of path p: facts[at[p] … at[p+1]) */
};

/* --- reading ------------------------------------------------------------------------ */

static int read_line(struct sharc_lab_truth *t, struct sharc_span line, struct sharc_arena *arena, struct row *ret,
                     struct sharc_err *reterr)
{
    const struct sharc_node *n = NULL;
    sharc_arena_clear(arena);
    int r = sharc_json_read(line, arena, &n, reterr);
    if (r < 0) return r;
    struct sharc_span path = sharc_node_text(sharc_node_get(n, "path"));
    SHARC_FAIL_IF(path.n == 0, reterr, SHARC_ESYNTAX, "there is no path");
    *ret = (struct row){.path = sharc_intern_add(t->paths, path, NULL)};
    ret->fact.version = (uint32_t)sharc_node_int(sharc_node_get(n, "version"), 0);
    ret->fact.significant = sharc_node_bool(sharc_node_get(n, "significant"), true);
    ret->fact.exists = sharc_node_int(sharc_node_get(n, "status"), 200) == 200;
    struct sharc_span hex = sharc_node_text(sharc_node_get(n, "sha256"));
    size_t bytes = 0;
    if (sharc_hex_decode(hex, ret->fact.digest.bytes, SHARC_DIGEST_MAX, &bytes) == 0 && bytes == 32) {
        ret->fact.digest.kind = SHARC_SHA256;
        ret->fact.digest.n = 32;
    }
    return sharc_time_parse(sharc_node_text(sharc_node_get(n, "time")), &ret->fact.when, reterr);
}

static int read_rows(struct sharc_lab_truth *t, struct sharc_span text, struct row **rows, size_t *count,
                     struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
    size_t room = 0;
    struct sharc_span line;
    for (unsigned number = 1; text.n > 0; number++) {
        size_t end = sharc_span_find(text, '\n', 0);
        if (end == SHARC_NPOS) return 0; /* still being written */
        line = sharc_span_sub(text, 0, end);
        text = sharc_span_from(text, end + 1);
        SHARC_GROW(*rows, room, *count + 1);
        int r = read_line(t, line, &arena, *rows + *count, reterr);
        if (r < 0) return sharc_err_prefix(reterr, r, "line %u", number);
        (*count)++;
    }
    return 0;
}

/* Stable counting sort by path: the log is in the order of time. */
static void sort_rows(struct sharc_lab_truth *t, const struct row *rows, size_t n)
{
    uint32_t paths = sharc_intern_count(t->paths);
    t->at = SHARC_NEW_ARRAY(size_t, (size_t)paths + 2);
    t->facts = SHARC_NEW_ARRAY(struct sharc_lab_fact, n + 1);
    for (size_t i = 0; i < n; i++) t->at[rows[i].path + 2]++;
    for (uint32_t p = 0; p < paths; p++) t->at[p + 2] += t->at[p + 1];
    for (size_t i = 0; i < n; i++) t->facts[t->at[rows[i].path + 1]++] = rows[i].fact;
}

int sharc_lab_truth_open(const char *path, struct sharc_lab_truth **ret, struct sharc_err *reterr)
{
    struct sharc_err local = SHARC_ERR_INIT, *err = reterr ? reterr : &local;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(SHARC_LIMIT_LAB_TRUTH);
    int r = sharc_file_read(path, &text, err);
    if (r < 0) return r;
    SHARC_AUTO(sharc_lab_truth_freep) struct sharc_lab_truth *t = SHARC_NEW(struct sharc_lab_truth);
    SHARC_AUTO(sharc_freep) struct row *rows = NULL;
    size_t count = 0;
    t->paths = sharc_intern_new();
    r = read_rows(t, sharc_buf_span(&text), &rows, &count, err);
    if (r < 0) return sharc_err_prefix(err, r, "%s", path);
    sort_rows(t, rows, count);
    *ret = SHARC_TAKE(t);
    return 0;
}

void sharc_lab_truth_free(struct sharc_lab_truth *t)
{
    if (!t) return;
    sharc_intern_free(t->paths);
    free(t->facts);
    free(t->at);
    free(t);
}

void sharc_lab_truth_freep(struct sharc_lab_truth **t)
{
    sharc_lab_truth_free(*t);
    *t = NULL;
}

const struct sharc_lab_fact *sharc_lab_truth_of(const struct sharc_lab_truth *t, struct sharc_span path, size_t *ret_n)
{
    uint32_t p = sharc_intern_find(t->paths, path);
    if (p == SHARC_NO_ID) return NULL;
    *ret_n = t->at[p + 1] - t->at[p];
    return t->facts + t->at[p];
}

/* --- which versions a look may have seen ----------------------------------------------- */

struct range {
    size_t first, last; /* indexes into the facts of a path; first > last: none */
};

/* The version that was there at `when`; 0 when that was before the log begins. */
static size_t version_at(const struct sharc_lab_fact *f, size_t n, sharc_time when)
{
    size_t low = 0, high = n; /* f[low].when <= when < f[high].when, if low > 0 */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f[middle].when <= when)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static struct range alive(const struct sharc_lab_fact *f, size_t n, const struct sharc_lab_look *look)
{
    sharc_time took = look->took < 0 ? UNKNOWN_LENGTH : look->took;
    return (struct range){version_at(f, n, look->when - SLACK), version_at(f, n, look->when + took + SLACK)};
}

static bool has_digest(const struct sharc_lab_look *look)
{
    return look->found && look->digest.n > 0 && look->digest.kind == SHARC_SHA256;
}

/* Narrowed down by what came: the body's digest, or that there was none. */
static struct range possible(const struct sharc_lab_fact *f, size_t n, const struct sharc_lab_look *look)
{
    struct range all = alive(f, n, look), fit = {1, 0};
    for (size_t i = all.first; i <= all.last; i++) {
        bool fits = f[i].exists == look->found && (!has_digest(look) || sharc_digest_eq(&f[i].digest, &look->digest));
        if (!fits) continue;
        if (fit.first > fit.last) fit.first = i;
        fit.last = i;
    }
    return fit.first > fit.last ? all : fit;
}

enum sharc_lab_body_check sharc_lab_check_body(const struct sharc_lab_truth *t, struct sharc_span path,
                                               const struct sharc_lab_look *look)
{
    size_t n = 0;
    const struct sharc_lab_fact *f = sharc_lab_truth_of(t, path, &n);
    if (!f || !has_digest(look)) return SHARC_LAB_BODY_UNKNOWN;
    struct range now = alive(f, n, look);
    enum sharc_lab_body_check found = SHARC_LAB_BODY_WRONG;
    for (size_t i = 0; i < n; i++) {
        if (!sharc_digest_eq(&f[i].digest, &look->digest)) continue;
        if (i >= now.first && i <= now.last) return SHARC_LAB_BODY_RIGHT;
        found = SHARC_LAB_BODY_LATE;
    }
    return found;
}

/* --- claims ------------------------------------------------------------------------------- */

const char *sharc_lab_finding_text(enum sharc_lab_finding f)
{
    static const char *const text[] = {
        [SHARC_LAB_UNCHANGED] = "unchanged, as it was",
        [SHARC_LAB_CHANGED] = "changed, as it had",
        [SHARC_LAB_FALSE_UNCHANGED] = "called unchanged, but had changed",
        [SHARC_LAB_FALSE_CHANGED] = "called changed, but had not",
        [SHARC_LAB_UNCERTAIN] = "changed during a download",
        [SHARC_LAB_NOT_IN_LOG] = "not in the log",
    };
    return (size_t)f < SHARC_LENGTH(text) ? text[f] : "";
}

/* Did a reader notice anything from version a to version b? */
static bool changed_between(const struct sharc_lab_fact *f, size_t a, size_t b)
{
    for (size_t i = a + 1; i <= b; i++)
        if (f[i].significant) return true;
    return false;
}

enum sharc_lab_finding sharc_lab_judge(const struct sharc_lab_truth *t, struct sharc_span path,
                                       const struct sharc_lab_look *before, const struct sharc_lab_look *after,
                                       bool said_changed)
{
    size_t n = 0;
    const struct sharc_lab_fact *f = sharc_lab_truth_of(t, path, &n);
    if (!f) return SHARC_LAB_NOT_IN_LOG;
    struct range a = possible(f, n, before), b = possible(f, n, after);
    bool least = changed_between(f, a.last, b.first), most = changed_between(f, a.first, b.last);
    if (least != most) return SHARC_LAB_UNCERTAIN;
    if (said_changed) return most ? SHARC_LAB_CHANGED : SHARC_LAB_FALSE_CHANGED;
    return most ? SHARC_LAB_FALSE_UNCHANGED : SHARC_LAB_UNCHANGED;
}
