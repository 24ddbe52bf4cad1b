/* SPDX-License-Identifier: Apache-2.0
 *
 * Memento (RFC 7089): TimeGates that always redirect (pattern 2.1), TimeMaps in pages, and the headers of a
 * memento. Memento-Datetime stands on answers that are the memento, and on no other.
 */
#include "call.h"
#include "serve_int.h"

#include "sharc/base_json.h"

enum { PAGE_LINES = 1000 }; /* of a TimeMap */

/* --- headers ----------------------------------------------------------------------------- */

static void put_relation(struct sharc_buf *out, const char *origin, const char *path, struct sharc_span url,
                         const char *relation)
{
    if (out->n) sharc_buf_put_str(out, ", ");
    sharc_buf_printf(out, "<%s%s", origin, path);
    sharc__serve_put_url(out, url);
    sharc_buf_printf(out, ">; rel=\"%s\"", relation);
}

static void put_relations(struct serve_call *c, struct sharc_buf *out, struct sharc_span url, bool timegate)
{
    put_relation(out, "", "", url, "original");
    if (timegate) put_relation(out, c->replay, "/timegate/", url, "timegate");
    put_relation(out, c->replay, "/timemap/link/", url, "timemap");
    sharc_buf_put_str(out, "; type=\"application/link-format\"");
}

static void put_memento(struct serve_call *c, struct sharc_buf *out, const char *timestamp, sharc_time when,
                        struct sharc_span url, const char *relation)
{
    char path[48], date[SHARC_TIME_TEXT];
    sharc_buf_clear(out);
    sharc_http_date_text(when, date);
    int n = 0;
    for (const char *p = "/web/"; *p; p++) path[n++] = *p;
    for (const char *p = timestamp; *p && n < 40; p++) path[n++] = *p;
    path[n++] = '/';
    path[n] = 0;
    put_relation(out, c->replay, path, url, relation);
    sharc_buf_printf(out, "; datetime=\"%s\"", date);
}

static void add_memento(struct serve_call *c, struct sharc_buf *links, const char *timestamp, sharc_time when,
                        struct sharc_span url, const char *relation)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf one = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    put_memento(c, &one, timestamp, when, url, relation);
    sharc_buf_put_str(links, ", ");
    sharc_buf_put(links, sharc_buf_span(&one));
}

/* Each capture once, with all that it is: "prev first memento". */
static void add_neighbours(struct serve_call *c, struct sharc_buf *links, struct sharc_span url, const char *timestamp,
                           sharc_time when)
{
    struct serve_neighbours n;
    sharc__serve_neighbours(c->edition, url, timestamp, &n);
    const struct {
        const char *time, *relation;
    } all[] = {{n.first, "first"}, {n.prev, "prev"}, {timestamp, ""}, {n.next, "next"}, {n.last, "last"}};
    for (size_t i = 0; i < SHARC_LENGTH(all); i++) {
        char relation[40] = "";
        size_t used = 0;
        sharc_time t = when;
        bool before = false;
        if (!*all[i].time) continue;
        for (size_t k = 0; k < i; k++) before |= strcmp(all[k].time, all[i].time) == 0;
        for (size_t k = i; k < SHARC_LENGTH(all); k++) {
            if (strcmp(all[k].time, all[i].time) != 0) continue;
            for (const char *p = all[k].relation; *p; p++) relation[used++] = *p;
            if (*all[k].relation) relation[used++] = ' ';
        }
        memcpy(relation + used, "memento", sizeof "memento");
        bool own = strcmp(all[i].time, timestamp) == 0;
        if (before || (!own && sharc_time_parse(sharc_span_of(all[i].time), &t, NULL) < 0)) continue;
        add_memento(c, links, all[i].time, t, url, relation);
    }
}

static void add_description(struct serve_call *c, struct sharc_buf *links, const struct serve_address *a,
                            const struct sharc_found *f)
{
    sharc_buf_printf(links, ", <%s/api/coherence?mapping=%.*s&at=", c->pages, SHARC_SPAN_ARG(a->mapping));
    if (a->timestamp.n)
        sharc_buf_put(links, a->timestamp);
    else
        sharc_buf_put_str(links, f->timestamp);
    if (a->limits.set) sharc_buf_put_str(links, "&within=");
    sharc__serve_put_escaped(links, a->limits.text);
    sharc_buf_put_str(links, "&url=");
    sharc__serve_put_escaped(links, a->url);
    sharc_buf_put_str(links, ">; rel=\"describedby\"; type=\"application/json\"");
}

void sharc__serve_memento(struct serve_call *c, const struct serve_address *a, const struct sharc_found *f, bool exact,
                          bool described)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf links = SHARC_BUF_INIT(16 * SHARC_LIMIT_URL);
    struct sharc_span url = a->url;
    char date[SHARC_TIME_TEXT];
    if (url.n > SHARC_LIMIT_URL / 8) described = false; /* nine times in one header, once escaped */
    if (url.n > SHARC_LIMIT_URL / 4) return;            /* four times */
    put_relations(c, &links, url, true);
    if (described) {
        add_neighbours(c, &links, url, f->timestamp, f->when);
        add_description(c, &links, a, f);
    } else {
        add_memento(c, &links, f->timestamp, f->when, url, "memento");
    }
    sharc__serve_header(c, "Link", sharc_buf_span(&links));
    if (exact) sharc__serve_header(c, "Memento-Datetime", sharc_span_of(sharc_http_date_text(f->when, date)));
}

/* --- TimeGate ------------------------------------------------------------------------------ */

void sharc__serve_timegate(struct serve_call *c, struct sharc_span text)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf scratch = {0}, links = SHARC_BUF_INIT(16 * SHARC_LIMIT_URL);
    SHARC_AUTO(sharc_found_freep) struct sharc_found *f = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_span url = sharc__serve_url_behind(text, &scratch);
    struct sharc_span wanted = sharc_http_request_header(c->request, "Accept-Datetime");
    char digits[SHARC_TIME_TEXT];
    sharc_time when;
    struct sharc_wish w = {.url = url};
    sharc__serve_header(c, "Vary", SHARC_SPAN("accept-datetime"));
    put_relations(c, &links, url, false);
    sharc__serve_header(c, "Link", sharc_buf_span(&links));
    sharc__serve_cors(c);
    if (wanted.p && sharc_http_date_parse(wanted, &when) < 0) {
        sharc__serve_plain(c, 400, "Accept-Datetime is no date such as \"Sun, 06 Nov 1994 08:49:37 GMT\".");
        return;
    }
    if (wanted.p) w.timestamp = sharc_span_of(sharc_time_compact(when, 14, digits));
    int r = url.n ? sharc_find(c->edition, &w, &f, &err) : SHARC_ENOENT;
    if (r < 0) {
        int status = r == SHARC_ENOENT ? 404 : r == SHARC_EINVAL ? 400 : 503;
        if (url.n)
            sharc__serve_failed(c, status, &err);
        else
            sharc__serve_plain(c, status, "no URL stands behind /timegate/");
        return;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf to = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    const struct serve_address a = {.mapping = SHARC_SPAN("web")};
    sharc__serve_put_link(&to, &a, f->timestamp, "", url);
    sharc__serve_redirect(c, 302, "%s%s", c->replay, sharc_buf_str(&to));
}

/* --- TimeMap -------------------------------------------------------------------------------- */

enum map_form { MAP_LINK, MAP_JSON, MAP_CDXJ };

struct map {
    struct serve_call *call;
    enum map_form form;
    const char *name; /* of the form */
    struct sharc_span url;
    uint64_t page, count; /* from 1; mementos on this page */
    bool more;            /* pages behind this one */
    struct sharc_buf *out;
    struct sharc_buf one;
    struct sharc_json json;
};

static void put_map_address(const struct map *m, uint64_t page, struct sharc_buf *out)
{
    sharc_buf_printf(out, "%s/timemap/%s/", m->call->replay, m->name);
    if (page > 1) sharc_buf_printf(out, "%llu/", (unsigned long long)page);
    sharc__serve_put_url(out, m->url);
}

static void begin_map(struct map *m)
{
    if (m->form == MAP_JSON) {
        sharc_json_init(&m->json, m->out, false);
        sharc_json_object(&m->json, NULL);
        sharc_json_span(&m->json, "original_uri", m->url);
        sharc_json_object(&m->json, "mementos");
        sharc_json_array(&m->json, "list");
        return;
    }
    if (m->form == MAP_CDXJ) return;
    sharc_buf_put_char(m->out, '<');
    sharc__serve_put_url(m->out, m->url);
    sharc_buf_printf(m->out, ">; rel=\"original\",\n<%s/timegate/", m->call->replay);
    sharc__serve_put_url(m->out, m->url);
    sharc_buf_put_str(m->out, ">; rel=\"timegate\",\n<");
    put_map_address(m, m->page, m->out);
    sharc_buf_put_str(m->out, ">; rel=\"self\"; type=\"application/link-format\"");
}

static void put_map_json(struct map *m, const struct sharc_cdx *line, sharc_time when)
{
    char iso[SHARC_TIME_TEXT];
    sharc_buf_clear(&m->one);
    sharc_buf_printf(&m->one, "%s/web/%.*s/", m->call->replay, SHARC_SPAN_ARG(line->field[SHARC_CDX_TIMESTAMP]));
    sharc__serve_put_url(&m->one, m->url);
    sharc_json_object(&m->json, NULL);
    sharc_json_str(&m->json, "datetime", sharc_time_iso(when, 0, iso));
    sharc_json_span(&m->json, "uri", sharc_buf_span(&m->one));
    sharc_json_end(&m->json);
}

static void put_map_line(struct map *m, const struct sharc_cdx *line, bool first)
{
    char time[18] = "";
    sharc_time when;
    struct sharc_span t = line->field[SHARC_CDX_TIMESTAMP];
    if (t.n >= sizeof time || sharc_time_parse(t, &when, NULL) < 0) return;
    memcpy(time, t.p, t.n);
    m->count++;
    if (m->form == MAP_JSON) {
        put_map_json(m, line, when);
    } else if (m->form == MAP_CDXJ) {
        sharc_cdx_write(line, SHARC_CDXJ, m->out);
    } else {
        put_memento(m->call, &m->one, time, when, m->url, first ? "first memento" : "memento");
        sharc_buf_put_str(m->out, ",\n");
        sharc_buf_put(m->out, sharc_buf_span(&m->one));
    }
}

static void end_map(struct map *m)
{
    if (m->form == MAP_JSON) {
        sharc_json_end(&m->json);
        sharc_json_end(&m->json);
        sharc_buf_clear(&m->one);
        if (m->more) put_map_address(m, m->page + 1, &m->one);
        if (m->more) sharc_json_span(&m->json, "next", sharc_buf_span(&m->one));
        sharc_json_end(&m->json);
        sharc_buf_put_char(m->out, '\n');
    } else if (m->form == MAP_LINK) {
        if (m->more) {
            sharc_buf_put_str(m->out, ",\n<");
            put_map_address(m, m->page + 1, m->out);
            sharc_buf_put_str(m->out, ">; rel=\"timemap\"; type=\"application/link-format\"");
        }
        sharc_buf_put_char(m->out, '\n');
    }
}

/* Captures that can be mementos: an answer 304 has no page, and of two of one second one can be addressed. */
static bool is_memento(const struct sharc_cdx *line, struct sharc_buf *last)
{
    struct sharc_span t = line->field[SHARC_CDX_TIMESTAMP];
    if (sharc_span_is(line->field[SHARC_CDX_STATUS], "304") || sharc_span_eq(t, sharc_buf_span(last))) return false;
    sharc_buf_clear(last);
    sharc_buf_put(last, t);
    return true;
}

static int fill_map(struct map *m, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *all = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf last = SHARC_BUF_INIT(64);
    const struct sharc_cdx_query q = {.url = m->url, .match = SHARC_CDX_EXACT};
    struct sharc_cdx line;
    uint64_t before = (m->page - 1) * PAGE_LINES, seen = 0;
    int r = sharc_captures_ask(m->call->edition, &q, &all, reterr);
    if (r == 0) sharc__serve_captures_tell_apart(all);
    while (r >= 0 && (r = sharc_captures_next(all, &line, reterr)) > 0) {
        if (!is_memento(&line, &last)) continue;
        m->more = seen >= before + PAGE_LINES;
        if (m->more) return 0;
        if (seen++ >= before) put_map_line(m, &line, seen == 1);
    }
    return r;
}

static bool read_map_address(struct map *m, struct sharc_span rest, struct sharc_buf *scratch)
{
    static const char *const names[] = {"link", "json", "cdxj"};
    struct sharc_span form = SHARC_SPAN_NONE, page = SHARC_SPAN_NONE, behind;
    size_t slash = sharc_span_find(rest, '/', 0);
    if (slash == SHARC_NPOS) return false;
    form = sharc_span_sub(rest, 0, slash);
    behind = sharc_span_from(rest, slash + 1);
    for (size_t i = 0; i < SHARC_LENGTH(names); i++)
        if (sharc_span_is(form, names[i])) m->form = (enum map_form)i, m->name = names[i];
    if (!m->name) return false;
    slash = sharc_span_find(behind, '/', 0);
    page = sharc_span_sub(behind, 0, slash == SHARC_NPOS ? 0 : slash);
    m->page = 1;
    if (page.n && page.n < 7 && sharc_span_to_u64(page, &m->page) == 0) behind = sharc_span_from(behind, slash + 1);
    m->url = sharc__serve_url_behind(behind, scratch);
    return m->url.n && m->page > 0;
}

void sharc__serve_timemap(struct serve_call *c, struct sharc_span rest)
{
    static const char *const types[] = {"application/link-format", "application/json", "application/cdxj+ors"};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf scratch = {0}, out = SHARC_BUF_INIT(64u << 20);
    struct sharc_err err = SHARC_ERR_INIT;
    struct map m = {.call = c, .out = &out};
    sharc_buf_init(&m.one, 8 * SHARC_LIMIT_URL);
    int r = SHARC_EINVAL;
    if (read_map_address(&m, rest, &scratch)) {
        begin_map(&m);
        r = fill_map(&m, &err);
        end_map(&m);
    }
    sharc_buf_done(&m.one);
    if (r == SHARC_EINVAL && !err.code) {
        sharc__serve_plain(c, 404, "TimeMaps are at /timemap/link/URL, /timemap/json/URL and /timemap/cdxj/URL.");
    } else if (r < 0 || out.failed) {
        sharc__serve_failed(c, 503, &err);
    } else if (!m.count) {
        sharc__serve_plain(c, 404, "There is no capture of this URL%s.", m.page > 1 ? " on this page" : "");
    } else {
        sharc__serve_policy(c);
        sharc__serve_cors(c);
        sharc__serve_header(c, "Content-Type", sharc_span_of(types[m.form]));
        sharc__serve_body(c, &out);
    }
}
