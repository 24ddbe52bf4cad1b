/* SPDX-License-Identifier: Apache-2.0
 *
 * Do indexes say what is in the archive files? Records and lines are sorted by file and offset,
 * then both streams are walked side by side.
 */
#include "agree_int.h"

#include "from_record.h"
#include "sharc/base_digest.h"
#include "sharc/base_limits.h"
#include "sharc/base_pool.h"
#include "sharc/url_canon.h"

#include <inttypes.h>
#include <stdlib.h>

enum { USUAL_MEMORY = 8 << 20 };

struct comparing {
    struct agreeing *a;
    struct sharc_buf name, plain; /* the file at hand: encoded, and not */
    size_t archive;               /* which that is, or SHARC_NPOS */
    uint64_t offset;
    bool has_record, has_line;
    bool needs_none;         /* the record needs no line */
    struct sharc_buf record; /* its CDXJ line */
    struct sharc_cdx is, says;
    struct sharc_cdx_parser is_parser, says_parser;
    size_t before; /* index of the line before, at the same place */
    uint64_t before_line;
    struct missing { /* lines of an index that point at a file that was not given */
        uint64_t lines, first;
    } * missing;
    struct sharc_buf text, url;
};

struct sharc_span sharc__cdx_agree_name(const struct agreeing *a, struct sharc_span name)
{
    const char *slash = a->o->last_part && name.p ? memrchr(name.p, '/', name.n) : NULL;
    return slash ? sharc_span_from(name, (size_t)(slash - name.p) + 1) : name;
}

void sharc__cdx_agree_tell(struct agreeing *a, const struct sharc_disagreement *d)
{
    pthread_mutex_lock(&a->lock);
    a->fn(a->arg, d);
    pthread_mutex_unlock(&a->lock);
}

/* --- one line against its record --------------------------------------------- */

static void differ(struct comparing *c, const char *what, struct sharc_span says, struct sharc_span is)
{
    sharc_buf_printf(&c->text, "%s%s \"%.*s\", but the record says \"%.*s\"", c->text.n ? "; " : "says ", what,
                     SHARC_SPAN_ARG(sharc_span_sub(says, 0, 150)), SHARC_SPAN_ARG(sharc_span_sub(is, 0, 150)));
}

/* The same URL may be written in two ways: "http://a" and "http://a/". */
static bool same_url(struct comparing *c, struct sharc_span a, struct sharc_span b)
{
    if (sharc_span_eq(a, b)) return true;
    sharc_buf_clear(&c->url);
    if (sharc_url_write(a, SHARC_FORM_WHATWG, SHARC_AS_URL, &c->url, NULL) < 0) return false;
    size_t n = c->url.n;
    if (sharc_url_write(b, SHARC_FORM_WHATWG, SHARC_AS_URL, &c->url, NULL) < 0) return false;
    return sharc_span_eq(sharc_span(c->url.p, n), sharc_span(c->url.p + n, c->url.n - n));
}

/* A digest without the name of its algorithm is taken for one of the record's. */
static bool same_digest(struct sharc_span says, struct sharc_span is)
{
    struct sharc_digest a, b;
    if (sharc_digest_parse(is, &b) < 0) return true;
    if (sharc_span_find(says, ':', 0) == SHARC_NPOS) {
        SHARC_AUTO(sharc_freep)
        char *named = sharc_asprintf("%s:%.*s", sharc_digest_name(b.kind), SHARC_SPAN_ARG(says));
        if (sharc_digest_parse(sharc_span_of(named), &a) < 0) return true;
        return sharc_digest_eq(&a, &b);
    }
    return sharc_digest_parse(says, &a) < 0 || a.kind != b.kind || sharc_digest_eq(&a, &b);
}

static bool same_time(struct sharc_span says, struct sharc_span is)
{
    size_t n = says.n < is.n ? says.n : is.n;
    return sharc_span_eq(sharc_span_sub(says, 0, n), sharc_span_sub(is, 0, n));
}

static bool same_number(const struct sharc_cdx *a, const struct sharc_cdx *b, enum sharc_cdx_field field)
{
    uint64_t x, y;
    return !sharc_cdx_number(a, field, &x) || !sharc_cdx_number(b, field, &y) || x == y;
}

static void compare(struct comparing *c)
{
    const struct sharc_span *says = c->says.field, *is = c->is.field;
    sharc_buf_clear(&c->text);
    if (says[SHARC_CDX_URL].n && !same_url(c, says[SHARC_CDX_URL], is[SHARC_CDX_URL]))
        differ(c, "URL", says[SHARC_CDX_URL], is[SHARC_CDX_URL]);
    if (!same_time(says[SHARC_CDX_TIMESTAMP], is[SHARC_CDX_TIMESTAMP]))
        differ(c, "time", says[SHARC_CDX_TIMESTAMP], is[SHARC_CDX_TIMESTAMP]);
    if (!same_number(&c->says, &c->is, SHARC_CDX_STATUS))
        differ(c, "status", says[SHARC_CDX_STATUS], is[SHARC_CDX_STATUS]);
    if (says[SHARC_CDX_DIGEST].n && is[SHARC_CDX_DIGEST].n &&
        !same_digest(says[SHARC_CDX_DIGEST], is[SHARC_CDX_DIGEST]))
        differ(c, "digest", says[SHARC_CDX_DIGEST], is[SHARC_CDX_DIGEST]);
    if (!same_number(&c->says, &c->is, SHARC_CDX_LENGTH))
        differ(c, "length", says[SHARC_CDX_LENGTH], is[SHARC_CDX_LENGTH]);
}

/* --- the walk ------------------------------------------------------------------ */

struct place { /* the words of a line before its CDXJ part */
    struct sharc_span name, rest;
    uint64_t offset, line;
    size_t source;
    char mark;
};

static void read_place(struct sharc_span line, struct place *ret)
{
    struct sharc_span word[5], rest = line;
    for (size_t i = 0; i < SHARC_LENGTH(word); i++) SHARC_ASSERT(sharc_span_next(&rest, ' ', &word[i]));
    uint64_t source = 0;
    *ret = (struct place){.name = word[0], .rest = rest, .mark = word[2].p[0]};
    bool fine = sharc_span_to_u64(word[1], &ret->offset) == 0 && sharc_span_to_u64(word[3], &source) == 0 &&
                sharc_span_to_u64(word[4], &ret->line) == 0;
    SHARC_ASSERT(fine);
    ret->source = (size_t)source;
}

static void tell_about(struct comparing *c, size_t index, uint64_t line)
{
    sharc__cdx_agree_tell(c->a, &(struct sharc_disagreement){.index = index,
                                                             .line = line,
                                                             .archive = c->archive,
                                                             .offset = c->offset,
                                                             .text = sharc_buf_str(&c->text)});
}

/* An answer 304 and a control download may have a line or not: an index for replay leaves them out. */
static void end_place(struct comparing *c)
{
    if (c->has_record && !c->has_line && !c->needs_none && !sharc__cdx_is_blank(&c->is)) {
        sharc_buf_clear(&c->text);
        sharc_buf_printf(&c->text, "the capture of %.*s at %.*s is in none of the indexes",
                         SHARC_SPAN_ARG(sharc_span_sub(c->is.field[SHARC_CDX_URL], 0, 300)),
                         SHARC_SPAN_ARG(c->is.field[SHARC_CDX_TIMESTAMP]));
        tell_about(c, SHARC_NPOS, 0);
    }
    c->has_record = c->has_line = false;
}

/* One finding per index, not one per line: there may be millions. */
static void end_file(struct comparing *c)
{
    end_place(c);
    for (size_t i = 0; i < c->a->index_count; i++) {
        struct missing *m = &c->missing[i];
        if (!m->lines) continue;
        sharc_buf_clear(&c->text);
        sharc_buf_printf(&c->text, "points at %s, which is not among the files given", sharc_buf_str(&c->plain));
        if (m->lines > 1)
            sharc_buf_printf(&c->text, "; so %s %s", m->lines == 2 ? "does" : "do", SHARC_COUNT(m->lines - 1, "other"));
        tell_about(c, i, m->first);
        *m = (struct missing){.lines = 0};
    }
}

static void enter_file(struct comparing *c, struct sharc_span name)
{
    sharc_buf_clear(&c->name);
    sharc_buf_put(&c->name, name);
    sharc_buf_clear(&c->plain);
    for (size_t i = 0; i < name.n; i++) {
        bool encoded = name.p[i] == '%' && i + 2 < name.n;
        int byte = encoded ? sharc_hex_value(name.p[i + 1]) << 4 | sharc_hex_value(name.p[i + 2]) : name.p[i];
        sharc_buf_put_char(&c->plain, (char)byte);
        i += encoded ? 2 : 0;
    }
    uint32_t number = sharc_intern_find(c->a->names, sharc_buf_span(&c->plain));
    c->archive = number == SHARC_NO_ID ? SHARC_NPOS : number;
}

static void enter(struct comparing *c, const struct place *at)
{
    if (!sharc_span_eq(sharc_buf_span(&c->name), at->name)) {
        end_file(c);
        enter_file(c, at->name);
    } else if (at->offset != c->offset || at->mark == AGREE_RECORD) {
        end_place(c);
    }
    c->offset = at->offset;
}

static int take_record(struct comparing *c, const struct place *at, struct sharc_err *reterr)
{
    sharc_buf_clear(&c->record);
    sharc_buf_put(&c->record, at->rest);
    int r = sharc_cdx_parse(&c->is_parser, sharc_buf_span(&c->record), &c->is, reterr);
    c->has_record = r > 0;
    c->needs_none = at->line == AGREE_NEEDS_NONE;
    return r < 0 ? r : 0;
}

static int take_line(struct comparing *c, const struct place *at, struct sharc_err *reterr)
{
    if (c->archive == SHARC_NPOS) {
        struct missing *m = &c->missing[at->source];
        if (!m->lines++ || at->line < m->first) m->first = at->line;
        return 0;
    }
    int r = sharc_cdx_parse(&c->says_parser, at->rest, &c->says, reterr);
    if (r < 0) return r;
    if (c->has_record) {
        compare(c);
    } else {
        sharc_buf_clear(&c->text);
        sharc_buf_printf(&c->text, "points at offset %" PRIu64 " of %s, where no record begins that an index holds",
                         at->offset, sharc_buf_str(&c->plain));
    }
    if (!c->text.n && c->has_line && c->before == at->source)
        sharc_buf_printf(&c->text, "describes the same record as line %" PRIu64, c->before_line);
    c->has_line = true;
    c->before = at->source;
    c->before_line = at->line;
    if (c->text.n) tell_about(c, at->source, at->line);
    return 0;
}

static int take(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    struct comparing *c = arg;
    struct place at;
    read_place(line, &at);
    enter(c, &at);
    return at.mark == AGREE_RECORD ? take_record(c, &at, reterr) : take_line(c, &at, reterr);
}

static int compare_all(struct agreeing *a, struct sharc_err *reterr)
{
    struct comparing c = {.a = a,
                          .archive = SHARC_NPOS,
                          .name = SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE),
                          .plain = SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE),
                          .record = SHARC_BUF_INIT(2 * SHARC_LIMIT_CDX_LINE),
                          .text = SHARC_BUF_INIT(8 * SHARC_LIMIT_CDX_LINE),
                          .url = SHARC_BUF_INIT(8 * SHARC_LIMIT_URL)};
    c.missing = SHARC_NEW_ARRAY(struct missing, a->index_count);
    sharc_cdx_parser_init(&c.is_parser);
    sharc_cdx_parser_init(&c.says_parser);
    int r = sharc_sorter_merge(a->sorter, take, &c, reterr);
    if (r == 0) end_file(&c);
    sharc_cdx_parser_done(&c.is_parser);
    sharc_cdx_parser_done(&c.says_parser);
    sharc_buf_done(&c.name);
    sharc_buf_done(&c.plain);
    sharc_buf_done(&c.record);
    sharc_buf_done(&c.text);
    sharc_buf_done(&c.url);
    free(c.missing);
    return r;
}

/* --- all ------------------------------------------------------------------------- */

static int name_archives(struct agreeing *a, struct sharc_err *reterr)
{
    for (size_t i = 0; i < a->count; i++) {
        bool fresh;
        sharc_intern_add(a->names, sharc__cdx_agree_name(a, sharc_span_of(a->archives[i].name)), &fresh);
        SHARC_FAIL_IF(!fresh, reterr, SHARC_EINVAL,
                      "two files are called %s: an index cannot tell them apart, check them one at a time",
                      a->archives[i].name);
    }
    return 0;
}

int sharc_cdx_agree(const struct sharc_agree_archive *archives, size_t count, struct sharc_agree_index *indexes,
                    size_t index_count, const struct sharc_agree_options *o, sharc_disagree_fn *fn, void *arg,
                    struct sharc_err *reterr)
{
    struct agreeing a = {.archives = archives,
                         .count = count,
                         .indexes = indexes,
                         .index_count = index_count,
                         .o = o,
                         .fn = fn,
                         .arg = arg,
                         .threads = o->threads ? o->threads : sharc_cpu_count()};
    a.names = sharc_intern_new();
    int r = name_archives(&a, reterr);
    if (r == 0) {
        pthread_mutex_init(&a.lock, NULL);
        a.sorter = sharc_sorter_new(o->temporary, a.threads, o->memory ? o->memory : USUAL_MEMORY);
        r = sharc__cdx_agree_read(&a, reterr);
        if (r == 0) r = compare_all(&a, reterr);
        sharc_sorter_free(a.sorter);
        pthread_mutex_destroy(&a.lock);
    }
    sharc_intern_free(a.names);
    return r;
}
