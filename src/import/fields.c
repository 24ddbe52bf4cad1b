/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of "name: value" lines (application/warc-fields): who made the file,
 * and how a page was found.
 */
#include "import_int.h"
#include "sharc/change_compare.h"

#include <stdlib.h>

enum { MOST_NAME = 512 };

void sharc__import_run_done(struct import_run *run)
{
    free(run->name);
    free(run->site);
    free(run->strategy);
    free(run->purpose);
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

/* The next "name: value" line; what has no colon is passed over. Not the parser
 * of HTTP heads: a page may have more outlinks than a head has fields. */
static bool next_field(struct sharc_span *rest, struct sharc_span *name, struct sharc_span *value)
{
    struct sharc_span line;
    while (sharc_span_next(rest, '\n', &line)) {
        size_t colon = sharc_span_find(line, ':', 0);
        if (colon == SHARC_NPOS) continue;
        *name = sharc_span_trim(sharc_span_sub(line, 0, colon));
        *value = sharc_span_trim(sharc_span_from(line, colon + 1));
        return true;
    }
    return false;
}

static void replace(char **text, struct sharc_span value)
{
    free(*text);
    *text = decoded(value);
}

void sharc__import_run_read(struct import_run *run, struct sharc_span block)
{
    struct sharc_span name, value;
    replace(&run->name, SHARC_SPAN(""));
    replace(&run->site, SHARC_SPAN(""));
    replace(&run->strategy, SHARC_SPAN(""));
    replace(&run->purpose, SHARC_SPAN(""));
    while (next_field(&block, &name, &value)) {
        if (sharc_span_ieq(name, SHARC_SPAN("isPartOf"))) replace(&run->name, value);
        if (sharc_span_ieq(name, SHARC_SPAN("sharc-strategy"))) replace(&run->strategy, value);
        if (sharc_span_ieq(name, SHARC_SPAN("sharc-purpose"))) replace(&run->purpose, value);
    }
    /* Our crawler names the site in isPartOf, unless the file is about several. */
    if (run->strategy[0] && strcmp(run->name, "several sites") != 0) replace(&run->site, sharc_span_of(run->name));
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
    while (count < most && links && next_field(&block, &name, &value)) {
        struct sharc_span url = SHARC_SPAN_NONE, letter = SHARC_SPAN_NONE;
        if (!sharc_span_ieq(name, SHARC_SPAN("outlink"))) continue;
        sharc_span_next(&value, ' ', &url);
        sharc_span_next(&value, ' ', &letter);
        if (!url.n || url.n > SHARC_LIMIT_URL) continue;
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

static void set_kind(struct import_fetch *f, struct sharc_span kind)
{
    f->ours = true;
    f->errand = sharc_span_ieq(kind, SHARC_SPAN("errand"));
    f->look = sharc_span_ieq(kind, SHARC_SPAN("revisit"))       ? SHARC_LOOK_REVISIT
              : sharc_span_ieq(kind, SHARC_SPAN("second-look")) ? SHARC_LOOK_SECOND
                                                                : SHARC_LOOK_VISIT;
}

/* What our crawler knew: the last digits count, so its numbers are exact. */
static void set_own_field(struct import_fetch *f, struct sharc_span name, struct sharc_span value)
{
    enum sharc_change_class change;
    double number = 0;
    bool is_number = sharc_span_to_double(value, &number) == 0 && number >= 0;
    if (sharc_span_ieq(name, SHARC_SPAN("capture"))) {
        if (sharc_time_parse(value, &f->began, NULL) < 0) f->began = SHARC_TIME_NONE;
    } else if (sharc_span_ieq(name, SHARC_SPAN("took-us"))) {
        int64_t took = whole_number(value);
        f->took = took >= 0 && took < INT64_MAX / 4 ? took : f->took;
    } else if (sharc_span_ieq(name, SHARC_SPAN("change"))) {
        if (sharc_change_class_find(value, &change) == 0) f->change = (int)change;
    } else if (sharc_span_ieq(name, SHARC_SPAN("importance")) && is_number) {
        f->importance = number;
    } else if (sharc_span_ieq(name, SHARC_SPAN("rate")) && is_number) {
        f->rate = number;
    } else if (sharc_span_ieq(name, SHARC_SPAN("planned-rate")) && is_number) {
        f->planned = number;
    } else if (sharc_span_ieq(name, SHARC_SPAN("weight")) && is_number) {
        f->weight = number;
    }
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
    else if (sharc_span_ieq(name, SHARC_SPAN("sharc-kind")))
        set_kind(f, value);
    else if (sharc_span_ieq(name, SHARC_SPAN("sharc-hopeless")))
        f->hopeless = sharc_span_ieq(value, SHARC_SPAN("true"));
    else if (sharc_span_ieq(name, SHARC_SPAN("sharc-slot")))
        f->slot = whole_number(value);
    else if (sharc_span_istarts(name, SHARC_SPAN("sharc-")))
        set_own_field(f, sharc_span_from(name, 6), value);
}

void sharc__import_fetch_read(struct import_row *row, struct sharc_span block, bool links, struct sharc_arena *arena)
{
    struct sharc_span rest = block, name, value;
    size_t outlinks = 0;
    while (next_field(&rest, &name, &value)) {
        if (sharc_span_ieq(name, SHARC_SPAN("outlink")))
            outlinks++;
        else
            set_field(&row->fetch, name, value, arena);
    }
    if (outlinks > SHARC_LIMIT_LINKS_PER_PAGE) outlinks = SHARC_LIMIT_LINKS_PER_PAGE;
    /* A repetition of ours has the links of its original, which was read whole. */
    if (links && !(row->fetch.ours && row->revisit)) read_outlinks(row, block, outlinks, arena);
}
