/* SPDX-License-Identifier: Apache-2.0
 *
 * From a URL and a time to an archived answer: which capture, its record, and for a revisit the
 * record that has the payload.
 */
#include "find.h"

#include "sharc/base_arena.h"
#include "sharc/url.h"

#include <stdlib.h>

/* Captures of one URL that are tried before giving up, and lines read for their originals: an archive in which
 * more are broken is broken, and must not keep a thread busy. */
enum { MOST_TRIES = 1000, MOST_LINES = 50000 };

struct sharc_found_memory {
    struct sharc_arena arena;
    struct sharc_http_field *fields;
};

void sharc_found_free(struct sharc_found *f)
{
    if (!f) return;
    for (size_t i = 0; i < SHARC_LENGTH(f->readers); i++) sharc_warc_close(f->readers[i]);
    if (f->memory) {
        sharc_arena_done(&f->memory->arena);
        free(f->memory->fields);
        free(f->memory);
    }
    free(f);
}

void sharc_found_freep(struct sharc_found **f)
{
    sharc_found_free(*f);
    *f = NULL;
}

bool sharc_found_intact(const struct sharc_found *f)
{
    for (size_t i = 0; i < SHARC_LENGTH(f->maps); i++)
        if (f->maps[i] && !sharc_filemap_intact(f->maps[i])) return false;
    return true;
}

struct sharc_span sharc_found_get(const struct sharc_found *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++)
        if (sharc_span_ieq(f->fields[i].name, sharc_span_of(name))) return f->fields[i].value;
    return SHARC_SPAN_NONE;
}

/* --- an answer ----------------------------------------------------------------------------- */

static void copy_head(struct sharc_found *f, const struct sharc_http *h)
{
    struct sharc_arena *a = &f->memory->arena;
    free(f->memory->fields);
    f->memory->fields = SHARC_NEW_ARRAY(struct sharc_http_field, h->count);
    for (f->count = 0; f->count < h->count; f->count++)
        f->memory->fields[f->count] = (struct sharc_http_field){sharc_arena_copy(a, h->fields[f->count].name),
                                                                sharc_arena_copy(a, h->fields[f->count].value)};
    f->fields = f->memory->fields;
    f->status = h->status;
}

static void set_size(struct sharc_found *f, const struct sharc_http *h)
{
    f->size = UINT64_MAX;
    if (!h) f->size = f->record.block_size;
    if (h && !sharc_http_get(h, "Transfer-Encoding").p && f->record.block_size >= h->head_size)
        f->size = f->record.block_size - h->head_size;
}

/* Head and payload are those of one record. */
static int take_whole(struct sharc_found *f, struct sharc_err *reterr)
{
    const struct sharc_http *h = sharc_record_http(&f->record);
    bool answer = f->record.type == SHARC_WARC_RESPONSE;
    bool page = sharc_span_istarts(f->url, SHARC_SPAN("http")) && answer;
    SHARC_FAIL_IF(page && (!h || h->status < 100), reterr, SHARC_ECORRUPT, "the record holds no HTTP answer");
    f->status = 200;
    if (h) copy_head(f, h);
    f->type = h ? sharc_found_get(f, "Content-Type") : sharc_arena_copy(&f->memory->arena, f->record.content_type);
    set_size(f, h);
    return 0;
}

static int take_revisit(struct sharc_found *f, const struct sharc_edition *e, struct serve_effort *effort,
                        struct sharc_err *reterr)
{
    struct serve_opened original;
    const struct sharc_http *own = sharc_record_http(&f->record);
    SHARC_FAIL_IF(sharc__serve_original(e, &f->record, own, effort, &original) < 0, reterr, SHARC_ECORRUPT,
                  "the record that a revisit refers to is in none of the files");
    f->readers[1] = original.reader;
    f->maps[1] = original.map;
    bool keep = own && own->status >= 100 && own->status != 304;
    if (keep) copy_head(f, own);
    f->record = original.record;
    f->revisit = true;
    const struct sharc_http *h = sharc_record_http(&f->record);
    if (!keep && h) copy_head(f, h);
    if (!keep && !h) f->status = 200;
    f->type = sharc_found_get(f, "Content-Type");
    if (!f->type.p)
        f->type =
            sharc_arena_copy(&f->memory->arena, h ? sharc_http_get(h, "Content-Type") : original.record.content_type);
    set_size(f, h);
    return 0;
}

bool sharc__serve_leads_to_itself(struct sharc_span url, int status, struct sharc_span location)
{
    if (!sharc_http_is_redirect(status) || !location.p) return false;
    struct sharc_url base = SHARC_URL_INIT, to = SHARC_URL_INIT;
    bool itself = sharc_url_parse(&base, url, NULL, NULL) == 0 && sharc_url_parse(&to, location, &base, NULL) == 0 &&
                  sharc__serve_same_key(sharc_url_page(&to), url);
    sharc_url_done(&base);
    sharc_url_done(&to);
    return itself;
}

int sharc__serve_try(const struct sharc_edition *e, const struct serve_source *source, const struct sharc_cdx *line,
                     struct serve_effort *effort, struct sharc_found **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_found_freep) struct sharc_found *f = SHARC_NEW(struct sharc_found);
    f->memory = SHARC_NEW(struct sharc_found_memory);
    sharc_arena_init(&f->memory->arena, 4u << 20);
    struct serve_opened own;
    int r = sharc__serve_open_record(e, source, line, &own, reterr);
    if (r < 0) return r;
    f->readers[0] = own.reader;
    f->record = own.record;
    f->maps[0] = own.map;
    SHARC_FAIL_IF(!sharc__serve_is_of(&f->record, line), reterr, SHARC_ECORRUPT,
                  "a record is not of the URL that the index says; make the index anew");
    struct sharc_span t = line->field[SHARC_CDX_TIMESTAMP];
    memcpy(f->timestamp, t.p, t.n < sizeof f->timestamp ? t.n : sizeof f->timestamp - 1);
    f->url = sharc_arena_copy(&f->memory->arena, f->record.target);
    f->when = f->record.date;
    r = f->record.type == SHARC_WARC_REVISIT ? take_revisit(f, e, effort, reterr) : take_whole(f, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(sharc__serve_leads_to_itself(f->url, f->status, sharc_found_get(f, "Location")), reterr, SHARC_ENOENT,
                  "all captures of it only redirect to itself");
    SHARC_FAIL_IF(f->status == 304, reterr, SHARC_ENOENT, "all captures of it only say \"not modified\"");
    *ret = SHARC_TAKE(f);
    return 0;
}

struct serve_effort sharc__serve_effort(void)
{
    return (struct serve_effort){.lines = MOST_LINES};
}

/* --- the wish -------------------------------------------------------------------------------- */

/* A time of few digits is its beginning, for both mappings. */
static int set_query(const struct sharc_wish *w, struct sharc_span url, char digits[SHARC_TIME_TEXT],
                     struct sharc_cdx_query *q, struct sharc_err *reterr)
{
    struct sharc_span t = w->timestamp;
    sharc_time when;
    *q = (struct sharc_cdx_query){.url = url, .match = SHARC_CDX_EXACT, .sort = SHARC_CDX_REVERSE};
    if (!t.n) return 0;
    SHARC_FAIL_IF(sharc_time_parse(t, &when, NULL) < 0, reterr, SHARC_EINVAL,
                  "\"%.*s\" is no time; write 4 to 17 digits, YYYYMMDDhhmmss", (int)(t.n < 40 ? t.n : 40), t.p);
    if (t.n < 14) t = sharc_span_of(sharc_time_compact(when, 14, digits));
    if (w->mapping != SHARC_LATEST) {
        q->sort = SHARC_CDX_CLOSEST;
        q->closest = t;
    } else {
        q->to = t;
    }
    return 0;
}

/* The reason that is worth telling: of a capture that should be there rather than of one that cannot be shown. */
void sharc__serve_keep_reason(struct sharc_err *kept, const struct sharc_err *why)
{
    if (!kept->code || (kept->code == SHARC_ENOENT && why->code != SHARC_ENOENT)) *kept = *why;
}

int sharc__serve_no_capture(const struct sharc_wish *w, const struct sharc_err *kept, struct sharc_err *reterr)
{
    char shown[SHARC_URL_SHOWN];
    sharc_url_shown(w->url, shown);
    if (!kept->code) {
        const char *when = w->mapping == SHARC_LATEST && w->timestamp.n ? " at or before that time" : "";
        return sharc_fail(reterr, SHARC_ENOENT, "%s: there is no capture of it%s", shown, when);
    }
    int code = kept->code == SHARC_ENOENT ? SHARC_ENOENT : SHARC_ECORRUPT;
    return sharc_fail(reterr, code, "%s: %s", shown, kept->text);
}

int sharc_find(const struct sharc_edition *e, const struct sharc_wish *w, struct sharc_found **ret,
               struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *c = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf sent = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    struct sharc_err kept = SHARC_ERR_INIT;
    struct sharc_cdx_query q;
    struct sharc_cdx line;
    struct sharc_span url = w->url;
    if (w->method.n && sharc_cdx_sent_url(w->url, w->method, w->content_type, w->body, &sent, NULL) == 0)
        url = sharc_buf_span(&sent);
    char digits[SHARC_TIME_TEXT];
    sharc_time at;
    int r = set_query(w, url, digits, &q, reterr);
    bool instant = r == 0 && !w->method.n && sharc_time_parse(w->timestamp, &at, NULL) == 0;
    if (instant && w->mapping == SHARC_COHERENT) return sharc__serve_find_at(e, url, at, SHARC_COHERENT, ret, reterr);
    if (r == 0) r = sharc_captures_ask(e, &q, &c, reterr);
    if (r == 0) sharc__serve_captures_tell_apart(c);
    struct serve_effort effort = sharc__serve_effort();
    for (unsigned tries = 0;
         r >= 0 && effort.lines && tries < MOST_TRIES && (r = sharc_captures_next(c, &line, reterr)) > 0; tries++) {
        struct sharc_err why = SHARC_ERR_INIT;
        if (sharc_span_is(line.field[SHARC_CDX_STATUS], "304") && !sharc_capture_is_revisit(&line)) continue;
        /* Within a second that is asked for in milliseconds the index does not tell which is the one. */
        bool coarse = instant && tries == 0 && w->timestamp.n == 17 && sharc__serve_captures_is_coarse(c);
        if (coarse && sharc__serve_find_at(e, url, at, w->mapping, ret, NULL) == 0) return 0;
        if (sharc__serve_try(e, sharc__serve_captures_source(c), &line, &effort, ret, &why) == 0) return 0;
        sharc__serve_keep_reason(&kept, &why);
    }
    return r < 0 ? r : sharc__serve_no_capture(w, &kept, reterr);
}
