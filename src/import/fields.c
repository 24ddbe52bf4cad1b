/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of "name: value" lines (application/warc-fields): who made the file,
 * and how a page was found.
 */
#include "import_int.h"
#include "sharc/change_compare.h"
#include "sharc/derive.h"
#include "sharc/warc_own.h"

#include <stdlib.h>

enum { MOST_NAME = 512 };

void sharc__import_run_done(struct import_run *run)
{
    free(run->name);
    free(run->site);
    free(run->strategy);
    free(run->purpose);
    free(run->weakened);
    *run = (struct import_run){0};
}

/* "Temporary%20Collection" for a person; not longer than a name should be, and
 * whole characters only. */
static char *decoded(struct sharc_span s)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(MOST_NAME);
    for (size_t i = 0; i < s.n; i++) {
        int high = i + 2 < s.n && s.p[i] == '%' ? sharc_hex_value(s.p[i + 1]) : -1;
        int low = high >= 0 ? sharc_hex_value(s.p[i + 2]) : -1;
        char c = low >= 0 ? (char)(high * 16 + low) : s.p[i];
        if (low >= 0) i += 2;
        if (sharc_buf_put_char(&b, (unsigned char)c < ' ' ? ' ' : c) < 0) break;
    }
    struct sharc_span text = sharc_buf_span(&b);
    size_t bad = sharc_utf8_check(text);
    return sharc_span_dup(sharc_span_trim(bad == SHARC_NPOS ? text : sharc_span_sub(text, 0, bad)));
}

static void replace(char **text, struct sharc_span value)
{
    free(*text);
    *text = decoded(value);
}

/* Of a file of ours: options that nobody used are not in it. */
static char *weakened_by(const struct sharc_own_info *own)
{
    SHARC_AUTO(sharc_freep) char *connect_to = decoded(own->connect_to), *proxy = decoded(own->proxy);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    struct sharc_json j;
    sharc_json_init(&j, &out, false);
    sharc_json_object(&j, NULL);
    sharc_store_weakness_put(&(struct sharc_store_weakness){.insecure = own->insecure,
                                                            .trust_modified = own->trust_modified,
                                                            .cookies = own->cookies,
                                                            .header = own->header,
                                                            .max_body = own->max_body > 0 ? (uint64_t)own->max_body : 0,
                                                            .connect_to = *connect_to ? connect_to : NULL,
                                                            .proxy = *proxy ? proxy : NULL},
                             &j);
    sharc_json_end(&j);
    return sharc_strdup(out.n > strlen("{}") ? sharc_buf_str(&out) : "");
}

void sharc__import_run_read(struct import_run *run, struct sharc_span block)
{
    struct sharc_own_info own;
    struct sharc_span name, value, part_of = SHARC_SPAN("");
    sharc_own_info_init(&own);
    while (sharc_derive_field(&block, &name, &value)) {
        if (sharc_span_ieq(name, SHARC_SPAN("isPartOf"))) part_of = value;
        (void)sharc_own_info_read(&own, name, value);
    }
    replace(&run->name, part_of);
    replace(&run->strategy, own.strategy);
    replace(&run->purpose, own.purpose);
    free(run->weakened);
    run->weakened = weakened_by(&own);
    /* In other crawlers' files it names a run. */
    replace(&run->site, own.strategy.n ? own.site : SHARC_SPAN(""));
}

/* Heritrix writes one letter a hop, "LLE", long ways shortened to "53+LLE". */
static int hops_of(struct sharc_span path)
{
    uint64_t before = 0;
    size_t plus = sharc_span_find(path, '+', 0);
    if (plus != SHARC_NPOS) {
        if (sharc_span_to_u64(sharc_span_sub(path, 0, plus), &before) < 0 || before > INT32_MAX / 2) return -1;
        path = sharc_span_from(path, plus + 1);
    }
    return path.n < INT32_MAX / 2 ? (int)(before + path.n) : -1;
}

/* Heritrix's letter of the last hop. */
static enum sharc_link_kind kind_of(struct sharc_span letter)
{
    if (sharc_span_is(letter, "E") || sharc_span_is(letter, "X")) return SHARC_LINK_EMBED;
    return sharc_span_is(letter, "R") ? SHARC_LINK_REDIRECT : SHARC_LINK_NAVIGATION;
}

/* "outlink: http://example.org/a.css E link/@href" */
static void read_outlinks(struct import_row *row, struct sharc_span block, size_t most, struct sharc_arena *arena)
{
    struct sharc_span name, value;
    size_t count = 0;
    struct sharc_store_link *links = most ? sharc_arena_alloc(arena, most * sizeof *links) : NULL;
    while (count < most && links && sharc_derive_field(&block, &name, &value)) {
        struct sharc_span url = SHARC_SPAN_NONE, letter = SHARC_SPAN_NONE;
        if (!sharc_span_ieq(name, SHARC_SPAN("outlink"))) continue;
        sharc_span_next(&value, ' ', &url);
        sharc_span_next(&value, ' ', &letter);
        /* What our crawler guesses is no link of the page. */
        if (!url.n || url.n > SHARC_LIMIT_URL || (row->fetch.ours && sharc_span_is(letter, "X"))) continue;
        links[count] = (struct sharc_store_link){.url = sharc_arena_copy(arena, url), .kind = (uint8_t)kind_of(letter)};
        if (links[count].url.p) count++;
    }
    row->links = links;
    row->link_count = count;
}

static int64_t whole_number(struct sharc_span s)
{
    int64_t v;
    return sharc_span_to_i64(s, &v) == 0 && v >= 0 ? v : -1;
}

static void set_field(struct import_fetch *f, struct sharc_span name, struct sharc_span value,
                      struct sharc_arena *arena)
{
    if (sharc_span_ieq(name, SHARC_SPAN("via")) && value.n && value.n <= SHARC_LIMIT_URL)
        f->via = sharc_arena_copy(arena, value);
    else if (sharc_span_ieq(name, SHARC_SPAN("hopsFromSeed")))
        f->hops = hops_of(value);
    else if (sharc_span_ieq(name, SHARC_SPAN("seed")))
        f->hops = f->hops < 0 ? 0 : f->hops;
    else if (sharc_span_ieq(name, SHARC_SPAN("fetchTimeMs")))
        f->took = f->took >= 0 || whole_number(value) < 0 ? f->took : whole_number(value) % INT32_MAX * SHARC_MSEC;
}

/* What our crawler knew. */
static void set_own(struct import_fetch *f, const struct sharc_own_fetch *own)
{
    enum sharc_change_class change;
    f->ours = own->ours;
    f->errand = own->kind == SHARC_OWN_ERRAND;
    f->control = f->control || own->kind == SHARC_OWN_CONTROL;
    f->look = own->kind == SHARC_OWN_REVISIT       ? SHARC_LOOK_REVISIT
              : own->kind == SHARC_OWN_SECOND_LOOK ? SHARC_LOOK_SECOND
                                                   : SHARC_LOOK_VISIT;
    f->began = own->capture;
    if (own->took >= 0 && own->took < INT64_MAX / 4) f->took = own->took;
    f->slot = own->slot;
    f->hopeless = own->hopeless;
    if (sharc_change_class_find(own->change, &change) == 0) f->change = (int)change;
    if (!isnan(own->importance)) f->importance = own->importance;
    f->rate = own->rate;
    f->planned = own->planned_rate;
    if (!isnan(own->weight)) f->weight = own->weight;
}

void sharc__import_fetch_read(struct import_row *row, struct sharc_span block, bool links, struct sharc_arena *arena)
{
    struct sharc_span rest = block, name, value;
    struct sharc_own_fetch own;
    size_t outlinks = 0;
    sharc_own_fetch_init(&own);
    while (sharc_derive_field(&rest, &name, &value)) {
        if (sharc_span_ieq(name, SHARC_SPAN("outlink")))
            outlinks++;
        else if (!sharc_own_fetch_read(&own, name, value))
            set_field(&row->fetch, name, value, arena);
    }
    set_own(&row->fetch, &own);
    if (outlinks > SHARC_LIMIT_LINKS_PER_PAGE) outlinks = SHARC_LIMIT_LINKS_PER_PAGE;
    /* A repetition of ours has the links of its original, which was read whole. */
    if (links && !(row->fetch.ours && row->revisit)) read_outlinks(row, block, outlinks, arena);
}
