/* SPDX-License-Identifier: Apache-2.0
 *
 * The log of the truth read back.
 */
#include "truth_int.h"

#include "sharc/base_arena.h"
#include "sharc/base_file.h"
#include "sharc/base_node.h"

#include <stdio.h>
#include <stdlib.h>

struct row {
    uint32_t path;
    bool is_sent;
    bool has_state;
    struct sharc_lab_fact fact; /* or: */
    struct lab_answer sent;
    uint32_t noise;
};

/* --- lines -------------------------------------------------------------------------- */

static void read_digest(const struct sharc_node *n, const char *name, struct sharc_digest *ret)
{
    size_t bytes = 0;
    *ret = (struct sharc_digest){0};
    if (sharc_hex_decode(sharc_node_text(sharc_node_get(n, name)), ret->bytes, SHARC_DIGEST_MAX, &bytes) < 0 ||
        bytes != 32)
        return;
    ret->kind = SHARC_SHA256;
    ret->n = 32;
}

static uint8_t cause_of(const struct sharc_node *n)
{
    struct sharc_span cause = sharc_node_text(sharc_node_get(n, "cause"));
    struct sharc_span kind = sharc_node_text(sharc_node_get(n, "kind"));
    for (int i = 0; i < SHARC_LAB_EDIT_COUNT; i++)
        if (sharc_span_is(kind, sharc_lab_edit_word((enum sharc_lab_edit)i))) return (uint8_t)i;
    if (sharc_span_is(cause, "layout")) return SHARC_LAB_BY_LAYOUT;
    return sharc_span_is(cause, "counter") ? SHARC_LAB_BY_COUNTER : SHARC_LAB_BY_OTHER;
}

static uint32_t noise_of(const struct sharc_node *n)
{
    const struct sharc_node *list = sharc_node_get(n, "noise"), *word;
    uint32_t set = 0;
    for (size_t i = 0; (word = sharc_node_at(list, i)) != NULL; i++)
        for (unsigned k = 0; k < SHARC_LAB_NOISE_COUNT; k++)
            if (sharc_span_is(sharc_node_text(word), sharc_lab_noise_word((enum sharc_lab_noise)k)))
                set |= SHARC_LAB_BIT(k);
    return set;
}

static void read_fact(const struct sharc_node *n, struct row *ret)
{
    struct sharc_span state = sharc_node_text(sharc_node_get(n, "state"));
    uint8_t bytes[8];
    size_t count = 0;
    ret->fact.significant = sharc_node_bool(sharc_node_get(n, "significant"), true);
    ret->fact.exists = sharc_node_int(sharc_node_get(n, "status"), 200) == 200;
    ret->fact.cause = cause_of(n);
    read_digest(n, "sha256", &ret->fact.digest);
    ret->has_state = sharc_hex_decode(state, bytes, sizeof bytes, &count) == 0 && count == sizeof bytes;
    if (ret->has_state) memcpy(&ret->fact.state, bytes, sizeof bytes);
    ret->noise = noise_of(n);
}

static int read_line(struct sharc_lab_truth *t, struct sharc_span line, struct sharc_arena *arena, struct row *ret,
                     struct sharc_err *reterr)
{
    const struct sharc_node *n = NULL;
    sharc_time when;
    sharc_arena_clear(arena);
    int r = sharc_json_read(line, arena, &n, reterr);
    if (r < 0) return r;
    struct sharc_span path = sharc_node_text(sharc_node_get(n, "path"));
    SHARC_FAIL_IF(path.n == 0, reterr, SHARC_ESYNTAX, "there is no path");
    r = sharc_time_parse(sharc_node_text(sharc_node_get(n, "time")), &when, reterr);
    if (r < 0) return r;
    uint32_t version = (uint32_t)sharc_node_int(sharc_node_get(n, "version"), 0);
    *ret = (struct row){.path = sharc_intern_add(t->paths, path, NULL),
                        .is_sent = sharc_span_is(sharc_node_text(sharc_node_get(n, "cause")), "served"),
                        .fact = {.when = when, .version = version},
                        .sent = {.when = when, .version = version}};
    if (!ret->is_sent) {
        read_fact(n, ret);
        return 0;
    }
    ret->sent.confirmed = sharc_node_int(sharc_node_get(n, "status"), 200) == 304;
    read_digest(n, "sha256", &ret->sent.digest);
    read_digest(n, "coded", &ret->sent.coded);
    return 0;
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

/* Stable counting sorts by path: what the log says of a path is in the order of time. */
static void sort_facts(struct sharc_lab_truth *t, const struct row *rows, size_t n)
{
    uint32_t paths = sharc_intern_count(t->paths);
    t->at = SHARC_NEW_ARRAY(size_t, (size_t)paths + 2);
    t->facts = SHARC_NEW_ARRAY(struct sharc_lab_fact, n + 1);
    t->noise = SHARC_NEW_ARRAY(uint32_t, (size_t)paths + 1);
    SHARC_AUTO(sharc_freep) uint64_t *steps = SHARC_NEW_ARRAY(uint64_t, (size_t)paths + 1);
    for (size_t i = 0; i < n; i++) t->at[rows[i].path + 2] += !rows[i].is_sent;
    for (uint32_t p = 0; p < paths; p++) t->at[p + 2] += t->at[p + 1];
    for (size_t i = 0; i < n; i++) {
        if (rows[i].is_sent) continue;
        struct sharc_lab_fact *f = &t->facts[t->at[rows[i].path + 1]++];
        *f = rows[i].fact;
        t->noise[rows[i].path] |= rows[i].noise;
        /* A log that does not tell: each change that a reader notices makes another state. */
        if (!rows[i].has_state) f->state = steps[rows[i].path] += f->significant;
    }
}

static void sort_answers(struct sharc_lab_truth *t, const struct row *rows, size_t n)
{
    uint32_t paths = sharc_intern_count(t->paths);
    t->sent_at = SHARC_NEW_ARRAY(size_t, (size_t)paths + 2);
    t->sent = SHARC_NEW_ARRAY(struct lab_answer, n + 1);
    for (size_t i = 0; i < n; i++) t->sent_at[rows[i].path + 2] += rows[i].is_sent;
    for (uint32_t p = 0; p < paths; p++) t->sent_at[p + 2] += t->sent_at[p + 1];
    for (size_t i = 0; i < n; i++)
        if (rows[i].is_sent) t->sent[t->sent_at[rows[i].path + 1]++] = rows[i].sent;
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
    sort_facts(t, rows, count);
    sort_answers(t, rows, count);
    *ret = SHARC_TAKE(t);
    return 0;
}

void sharc_lab_truth_free(struct sharc_lab_truth *t)
{
    if (!t) return;
    sharc_intern_free(t->paths);
    free(t->facts);
    free(t->at);
    free(t->noise);
    free(t->sent);
    free(t->sent_at);
    free(t);
}

void sharc_lab_truth_freep(struct sharc_lab_truth **t)
{
    sharc_lab_truth_free(*t);
    *t = NULL;
}

static uint32_t find(const struct sharc_lab_truth *t, struct sharc_span path)
{
    uint32_t p = sharc_intern_find(t->paths, path);
    size_t query = p == SHARC_NO_ID ? sharc_span_find(path, '?', 0) : SHARC_NPOS;
    return query == SHARC_NPOS ? p : sharc_intern_find(t->paths, sharc_span_sub(path, 0, query));
}

const struct sharc_lab_fact *sharc_lab_truth_of(const struct sharc_lab_truth *t, struct sharc_span path, size_t *ret_n)
{
    uint32_t p = find(t, path);
    if (p == SHARC_NO_ID) return NULL;
    *ret_n = t->at[p + 1] - t->at[p];
    return t->facts + t->at[p];
}

const struct lab_answer *sharc__lab_truth_answers(const struct sharc_lab_truth *t, struct sharc_span path,
                                                  size_t *ret_n)
{
    uint32_t p = find(t, path);
    *ret_n = p == SHARC_NO_ID ? 0 : t->sent_at[p + 1] - t->sent_at[p];
    return p == SHARC_NO_ID ? NULL : t->sent + t->sent_at[p];
}

size_t sharc_lab_truth_answers(const struct sharc_lab_truth *t)
{
    size_t all = t->sent_at[sharc_intern_count(t->paths)], services = 0, n = 0;
    sharc__lab_truth_answers(t, SHARC_SPAN("/robots.txt"), &n);
    services += n;
    sharc__lab_truth_answers(t, SHARC_SPAN("/sitemap.xml"), &n);
    return all - services - n;
}

uint32_t sharc_lab_truth_noise(const struct sharc_lab_truth *t, struct sharc_span path)
{
    uint32_t p = find(t, path);
    return p == SHARC_NO_ID ? 0 : t->noise[p];
}

const char *sharc_lab_cause_word(int cause)
{
    if (cause >= 0 && cause < SHARC_LAB_EDIT_COUNT) return sharc_lab_edit_word((enum sharc_lab_edit)cause);
    if (cause == SHARC_LAB_BY_LAYOUT) return "layout";
    if (cause == SHARC_LAB_BY_COUNTER) return "counter";
    return cause == SHARC_LAB_BY_SEVERAL ? "several" : "other";
}
