/* SPDX-License-Identifier: Apache-2.0
 *
 * The command that resumes a capture. A capture keeps its strategy; what is given again is how to reach
 * the site and how fast to go.
 */
#include "archive_int.h"

#include "sharc/base_arena.h"
#include "sharc/base_buf.h"
#include "sharc/base_node.h"
#include "sharc/store_query.h"

#include <math.h>
#include <stdio.h>

enum { MOST_COMMAND = 1 << 16, SEEDS_SHOWN = 20 };

/* A word as a shell reads it back. */
static void put_word(struct sharc_buf *out, struct sharc_span word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-~";
    bool quote = word.n == 0 || word.p[0] == '~';
    for (size_t i = 0; i < word.n; i++) quote |= !word.p[i] || !strchr(plain, word.p[i]);
    sharc_buf_put_char(out, ' ');
    if (!quote) {
        sharc_buf_put(out, word);
        return;
    }
    sharc_buf_put_char(out, '\'');
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] == '\'')
            sharc_buf_put_str(out, "'\\''");
        else
            sharc_buf_put_char(out, word.p[i]);
    }
    sharc_buf_put_char(out, '\'');
}

static void put_flag(struct sharc_buf *out, const struct sharc_node *params, const char *name, const char *option)
{
    if (sharc_node_bool(sharc_node_get(params, name), false)) sharc_buf_printf(out, " %s", option);
}

static void put_text(struct sharc_buf *out, const struct sharc_node *params, const char *name, const char *option)
{
    struct sharc_span text = sharc_node_text(sharc_node_get(params, name));
    if (!text.n) return;
    sharc_buf_printf(out, " %s", option);
    put_word(out, text);
}

/* What weakens the capture is part of it: without it the rest would be fetched in another way. */
static void put_weakened(struct sharc_buf *out, const struct sharc_node *weak)
{
    struct sharc_span rest = sharc_node_text(sharc_node_get(weak, "connect_to")), word;
    int64_t most = sharc_node_int(sharc_node_get(weak, "max_body"), 0);
    put_flag(out, weak, "insecure", "--insecure");
    put_flag(out, weak, "trust_last_modified", "--trust-last-modified");
    put_text(out, weak, "proxy", "--proxy");
    while (sharc_span_next(&rest, ' ', &word)) {
        if (!word.n) continue;
        sharc_buf_put_str(out, " --connect-to");
        put_word(out, word);
    }
    if (most > 0) sharc_buf_printf(out, " --max-body %lld", (long long)most);
}

static void put_options(struct sharc_buf *out, const struct sharc_node *params)
{
    char text[SHARC_TIME_TEXT];
    double delay = sharc_node_real(sharc_node_get(params, "delay"), (double)NAN);
    if (delay >= 0 && delay < 1e6) {
        sharc_time us = llround(delay * (double)SHARC_SEC);
        if (us % SHARC_SEC == 0)
            snprintf(text, sizeof text, "%llds", (long long)(us / SHARC_SEC));
        else
            snprintf(text, sizeof text, "%lldms", (long long)(us / SHARC_MSEC));
        sharc_buf_printf(out, " --delay %s", text);
    }
    put_text(out, params, "contact", "--contact");
    put_text(out, params, "controls", "--controls");
    put_flag(out, params, "allow_private", "--allow-private");
    put_weakened(out, sharc_node_get(params, "weakened"));
}

static int put_seeds(struct sharc_buf *out, struct sharc_store *store, const char *site, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_sites(store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(64u << 20);
        struct sharc_store_site row = {0};
        const struct sharc_node *seeds = NULL;
        sharc_store_read_site(rows, &row);
        if (!sharc_span_is(row.name, site) || sharc_json_read(row.seeds, &arena, &seeds, NULL) < 0) continue;
        size_t n = 0;
        for (const struct sharc_node *seed = seeds->kind == SHARC_LIST ? seeds->first : NULL; seed; seed = seed->next)
            if (n++ < SEEDS_SHOWN) put_word(out, sharc_node_text(seed));
        if (n > SEEDS_SHOWN) sharc_buf_printf(out, " …"); /* any one of them is enough to find the site */
        return 0;
    }
    return r < 0 ? r : 0;
}

int sharc__archive_resume(const char *dir, struct sharc_store *store, const struct sharc_archive_capture *c,
                          struct sharc_span params, char **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(MOST_COMMAND);
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
    const struct sharc_node *node = NULL;
    int r = 0;
    if (c->state == SHARC_CAPTURE_IMPORTING) {
        sharc_buf_put_str(&out, "sharc import");
        put_word(&out, sharc_span_of(dir));
    } else if (strcmp(c->source, "watch") == 0) {
        sharc_buf_put_str(&out, "sharc watch -a");
        put_word(&out, sharc_span_of(dir));
    } else {
        sharc_buf_put_str(&out, "sharc crawl -a");
        put_word(&out, sharc_span_of(dir));
        if (strcmp(c->purpose, "evidence") == 0) sharc_buf_put_str(&out, " --for evidence");
        if (sharc_json_read(params, &arena, &node, NULL) == 0) put_options(&out, node);
        r = put_seeds(&out, store, c->site, reterr);
    }
    if (r == 0) *ret = sharc_strdup(sharc_buf_str(&out));
    return r;
}
