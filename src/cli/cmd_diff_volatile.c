/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc diff --volatile: the places at which the pages of a site differ on every request,
 * as the control downloads of its captures showed.
 */
#include "archive.h"
#include "cmd_diff.h"

#include "sharc/base_map.h"
#include "sharc/store_query.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN_MOST = 48 }; /* characters of a place, and of an example */

/* Names of sites by their rows; the one that was asked for. */
struct sites {
    char **names;
    size_t count, room;
    sharc_store_id wanted; /* 0: all */
};

static void sites_done(struct sites *s)
{
    for (size_t i = 0; i < s->count; i++) free(s->names[i]);
    free(s->names);
}

static int read_sites(struct sharc_store *store, const char *wanted, struct sites *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_site site;
    int r = sharc_store_sites(store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_site(rows, &site);
        if (site.id <= 0 || site.id > INT32_MAX) continue;
        SHARC_GROW(ret->names, ret->room, (size_t)site.id + 1);
        while (ret->count <= (size_t)site.id) ret->names[ret->count++] = NULL;
        ret->names[site.id] = sharc_span_dup(site.name);
        if (wanted && sharc_span_is(site.name, wanted)) ret->wanted = site.id;
    }
    SHARC_FAIL_IF(r >= 0 && wanted && !ret->wanted, reterr, SHARC_ENOENT,
                  "the catalogue knows no site \"%s\"; sharc status lists the sites of an archive", wanted);
    return r < 0 ? r : 0;
}

static const char *site_name(const struct sites *s, sharc_store_id id)
{
    return id > 0 && (size_t)id < s->count && s->names[id] ? s->names[id] : "";
}

/* The place is followed by an example, on a line of its own. */
static void split_text(struct sharc_span text, struct sharc_span *place, struct sharc_span *example)
{
    *example = text;
    if (!sharc_span_next(example, '\n', place)) *place = SHARC_SPAN("");
}

static struct sharc_span shortened(struct sharc_span s)
{
    size_t n = s.n < SHOWN_MOST ? s.n : SHOWN_MOST;
    while (n > 0 && n < s.n && ((unsigned char)s.p[n] & 0xc0) == 0x80) n--; /* not inside a character */
    return sharc_span(s.p, n);
}

static void put_json(struct sharc_json *j, const struct sites *s, const struct sharc_store_volatile *p)
{
    char text[SHARC_TIME_TEXT];
    struct sharc_span place, example;
    split_text(p->text, &place, &example);
    sharc_json_object(j, NULL);
    sharc_json_str(j, "site", site_name(s, p->site));
    sharc_json_span(j, "kind", p->kind);
    sharc_json_span(j, "place", place);
    if (example.n) sharc_json_span(j, "example", example);
    sharc_json_uint(j, "pairs", p->pairs);
    sharc_json_uint(j, "differed", p->differed);
    if (p->first != SHARC_TIME_NONE) sharc_json_str(j, "first", sharc_time_iso(p->first, 0, text));
    if (p->last != SHARC_TIME_NONE) sharc_json_str(j, "last", sharc_time_iso(p->last, 0, text));
    sharc_json_end(j);
}

static void put_row(struct cli_table *t, const struct sites *s, const struct sharc_store_volatile *p)
{
    char text[SHARC_TIME_TEXT];
    struct sharc_span place, example;
    split_text(p->text, &place, &example);
    if (!s->wanted) cli_table_cell(t, "%s", site_name(s, p->site));
    cli_table_cell(t, "%.*s", SHARC_SPAN_ARG(p->kind));
    cli_table_cell(t, "%" PRIu64 " of %" PRIu64, p->differed, p->pairs);
    cli_table_cell(t, "%.10s", p->last == SHARC_TIME_NONE ? "" : sharc_time_iso(p->last, 0, text));
    cli_table_cell(t, "%.*s", SHARC_SPAN_ARG(shortened(place)));
    cli_table_cell(t, "%.*s", SHARC_SPAN_ARG(shortened(example)));
}

static struct cli_table *new_table(const struct sites *s)
{
    static const char *const titles[] = {"site", "kind", "pairs", "last seen", "place", "example"};
    return cli_table_new(s->wanted ? 5 : 6, s->wanted ? titles + 1 : titles, s->wanted ? "lrlll" : "llrlll");
}

static int list(struct cli *c, struct sharc_store *store, const struct sites *s, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT((size_t)1 << 30);
    SHARC_AUTO(cli_table_freep) struct cli_table *table = c->json ? NULL : new_table(s);
    struct sharc_store_volatile p;
    struct sharc_json j;
    uint64_t n = 0;
    sharc_json_init(&j, &out, true);
    if (c->json) sharc_json_array(&j, NULL);
    int r = sharc_store_places(store, s->wanted, &rows, reterr);
    for (; r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0; n++) {
        sharc_store_read_place(rows, &p);
        if (c->json)
            put_json(&j, s, &p);
        else
            put_row(table, s, &p);
    }
    if (r < 0) return r;
    if (c->json) {
        sharc_json_end(&j);
        fprintf(c->out, "%s\n", sharc_buf_str(&out));
        return sharc_buf_result(&out, reterr);
    }
    if (n)
        cli_table_print(table, c->out);
    else
        fprintf(c->out, "no place is known at which pages differ by themselves\n");
    return 0;
}

int cmd_diff_volatile(struct cli *c, const char *archive, const char *url, const char *site, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sites_done) struct sites sites = {0};
    const struct sharc_store_options o = {.read_only = true, .must_exist = true};
    int r = sharc_archive_open(archive, url, &o, &store, reterr);
    if (r == 0) r = read_sites(store, site, &sites, reterr);
    return r < 0 ? r : list(c, store, &sites, reterr);
}
