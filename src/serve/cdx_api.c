/* SPDX-License-Identifier: Apache-2.0
 *
 * The index for programs, with pywb's parameters. Lines are made while they are sent; a question that finds
 * little among much lets other connections have their turn now and then.
 */
#include "call.h"
#include "serve_int.h"

#include "sharc/base_json.h"
#include "sharc/base_pool.h"

#include <stdlib.h>
#include <time.h>

enum { MOST_FILTERS = 32, MOST_FIELDS = 32, PIECE = 32 << 10, LINES_PER_TURN = 2000, PAGE_SIZE = 10000 };

enum output { OUTPUT_CDXJ, OUTPUT_JSON, OUTPUT_TEXT, OUTPUT_LINK };

struct cdx_answer {
    struct sharc_collection *collection;
    const struct sharc_edition *edition;
    struct sharc_captures *captures;
    struct sharc_http_stream *stream;
    struct sharc_buf url, from, to, closest, fields_text, collapse_text, line, last;
    char replay[320]; /* origin that links lead to */
    bool said;        /* OUTPUT_LINK: what the mementos are of */
    struct sharc_span fields[MOST_FIELDS];
    size_t field_count;
    enum output output;
    bool object;         /* of the fields, behind key and time as in every line of CDXJ */
    uint64_t skip, left; /* lines */
    /* Of adjacent lines with the same first bytes of this field the first is given; none: all lines. */
    struct sharc_span collapse;
    uint64_t collapse_bytes;
    bool by_time; /* and with the same key and status */
    bool ended;
    uint64_t counted, page_size; /* showNumPages: lines are counted instead; page_size 0: they are not */
    struct serve_waker *waker;
    struct cdx_answer *next; /* among those that wait; guarded by the waker's lock */
    bool waiting;
};

static void answer_free(struct cdx_answer *x)
{
    sharc_captures_free(x->captures);
    struct sharc_buf *all[] = {&x->url,         &x->from,          &x->to,   &x->closest,
                               &x->fields_text, &x->collapse_text, &x->line, &x->last};
    for (size_t i = 0; i < SHARC_LENGTH(all); i++) sharc_buf_done(all[i]);
    free(x);
}

/* --- turns -------------------------------------------------------------------------------- */

/* Wakes answers that have made room for others, a moment later. */
struct serve_waker {
    pthread_mutex_t lock;
    pthread_cond_t some;
    struct cdx_answer *first; /* waits */
    bool stop;
    struct sharc_pool *pool; /* of one thread, which wakes */
};

static void wake_all(void *arg)
{
    struct serve_waker *w = arg;
    pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        if (!w->first) {
            pthread_cond_wait(&w->some, &w->lock);
            continue;
        }
        /* Who is woken before it sleeps does not sleep. */
        pthread_mutex_unlock(&w->lock);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        pthread_mutex_lock(&w->lock);
        while (w->first) {
            struct cdx_answer *x = w->first;
            w->first = x->next;
            x->waiting = false;
            sharc_http_stream_wake(x->stream);
        }
    }
    pthread_mutex_unlock(&w->lock);
}

struct serve_waker *sharc__serve_waker_new(void)
{
    struct serve_waker *w = SHARC_NEW(struct serve_waker);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->some, NULL);
    w->pool = sharc_pool_new(1);
    sharc_pool_submit(w->pool, wake_all, w);
    return w;
}

void sharc__serve_waker_free(struct serve_waker *w)
{
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->some);
    pthread_mutex_unlock(&w->lock);
    sharc_pool_free(w->pool);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->some);
    free(w);
}

static int make_room(struct cdx_answer *x)
{
    struct serve_waker *w = x->waker;
    pthread_mutex_lock(&w->lock);
    x->waiting = true;
    x->next = w->first;
    w->first = x;
    pthread_cond_signal(&w->some);
    pthread_mutex_unlock(&w->lock);
    return SHARC_EBUSY;
}

static void leave(struct cdx_answer *x)
{
    struct serve_waker *w = x->waker;
    pthread_mutex_lock(&w->lock);
    for (struct cdx_answer **p = &w->first; x->waiting && *p; p = &(*p)->next)
        if (*p == x) {
            *p = x->next;
            break;
        }
    pthread_mutex_unlock(&w->lock);
}

/* --- lines --------------------------------------------------------------------------------- */

static struct sharc_span value_of(struct cdx_answer *x, const struct sharc_cdx *line, struct sharc_span name)
{
    struct sharc_span v = SHARC_SPAN_NONE;
    enum sharc_cdx_field f = sharc_cdx_field_of(name);
    if (f != SHARC_CDX_FIELDS) return line->field[f];
    sharc_captures_get(x->captures, name, &v);
    return v;
}

static void put_json_line(struct cdx_answer *x, const struct sharc_cdx *line)
{
    struct sharc_json j;
    sharc_json_init(&j, &x->line, false);
    sharc_json_object(&j, NULL);
    if (x->field_count) {
        for (size_t i = 0; i < x->field_count; i++) {
            SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(x->fields[i]);
            struct sharc_span v = value_of(x, line, x->fields[i]);
            if (v.p) sharc_json_span(&j, name, v);
        }
    } else {
        for (int f = 0; f < SHARC_CDX_FIELDS; f++)
            if (line->field[f].p) sharc_json_span(&j, sharc_cdx_name((enum sharc_cdx_field)f), line->field[f]);
    }
    sharc_json_end(&j);
    sharc_buf_put_char(&x->line, '\n');
}

static void put_text_line(struct cdx_answer *x, const struct sharc_cdx *line)
{
    for (size_t i = 0; i < x->field_count; i++) {
        struct sharc_span v = value_of(x, line, x->fields[i]);
        if (i) sharc_buf_put_char(&x->line, ' ');
        if (v.n)
            sharc_buf_put(&x->line, v);
        else
            sharc_buf_put_char(&x->line, '-');
    }
    sharc_buf_put_char(&x->line, '\n');
}

/* As in a TimeMap, but of the lines that were asked for. */
static void put_link_line(struct cdx_answer *x, const struct sharc_cdx *line)
{
    char date[SHARC_TIME_TEXT];
    sharc_time when;
    if (sharc_time_parse(line->field[SHARC_CDX_TIMESTAMP], &when, NULL) < 0) return;
    if (!x->said) {
        sharc_buf_put_char(&x->line, '<');
        sharc__serve_put_url(&x->line, line->field[SHARC_CDX_URL]);
        sharc_buf_put_str(&x->line, ">; rel=\"original\"");
    }
    x->said = true;
    sharc_buf_printf(&x->line, ",\n<%s/web/%.*s/", x->replay, SHARC_SPAN_ARG(line->field[SHARC_CDX_TIMESTAMP]));
    sharc__serve_put_url(&x->line, line->field[SHARC_CDX_URL]);
    sharc_buf_printf(&x->line, ">; rel=\"memento\"; datetime=\"%s\"", sharc_http_date_text(when, date));
}

static void put_line(struct cdx_answer *x, const struct sharc_cdx *line)
{
    if (x->object)
        sharc_buf_printf(&x->line, "%.*s %.*s ", SHARC_SPAN_ARG(line->field[SHARC_CDX_KEY]),
                         SHARC_SPAN_ARG(line->field[SHARC_CDX_TIMESTAMP]));
    if (x->output == OUTPUT_LINK)
        put_link_line(x, line);
    else if (x->output == OUTPUT_JSON || x->object)
        put_json_line(x, line);
    else if (x->output == OUTPUT_TEXT || x->field_count)
        put_text_line(x, line);
    else
        sharc_cdx_write(line, SHARC_CDXJ, &x->line);
}

/* Is it like the line before, as far as was asked? */
static bool is_collapsed(struct cdx_answer *x, const struct sharc_cdx *line)
{
    if (!x->collapse.n) return false;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf now = SHARC_BUF_INIT(2 * SHARC_LIMIT_CDX_LINE);
    if (x->by_time) {
        sharc_buf_put(&now, line->field[SHARC_CDX_KEY]);
        sharc_buf_printf(&now, " %.*s ", SHARC_SPAN_ARG(line->field[SHARC_CDX_STATUS]));
    }
    sharc_buf_put_char(&now, '='); /* an empty value is one, too */
    sharc_buf_put(&now, sharc_span_sub(value_of(x, line, x->collapse), 0, (size_t)x->collapse_bytes));
    bool same = sharc_span_eq(sharc_buf_span(&now), sharc_buf_span(&x->last));
    sharc_buf_clear(&x->last);
    sharc_buf_put(&x->last, sharc_buf_span(&now));
    return same;
}

static void put_pages(struct cdx_answer *x)
{
    struct sharc_json j;
    sharc_json_init(&j, &x->line, false);
    sharc_json_object(&j, NULL);
    sharc_json_uint(&j, "pages", (x->counted + x->page_size - 1) / x->page_size);
    sharc_json_uint(&j, "pageSize", x->page_size);
    sharc_json_uint(&j, "lines", x->counted);
    sharc_json_end(&j);
    sharc_buf_put_char(&x->line, '\n');
}

/* Files that nobody has indexed are known by their whole paths, and an index may name paths, too. These are nobody's
 * business: readers get the name that /files/ has, and filters see no more (bare_names). */
static void hide_path(struct sharc_cdx *line)
{
    line->field[SHARC_CDX_FILENAME] = sharc__serve_last_part(line->field[SHARC_CDX_FILENAME]);
}

static int pull(void *arg, struct sharc_span *ret, struct sharc_err *reterr)
{
    struct cdx_answer *x = arg;
    struct sharc_cdx line;
    int r = 1;
    sharc_buf_clear(&x->line);
    for (unsigned i = 0; i < LINES_PER_TURN && x->line.n < PIECE && !x->ended; i++) {
        r = x->left ? sharc_captures_next(x->captures, &line, reterr) : 0;
        if (r == SHARC_EBUSY) break;
        if (r < 0) return r;
        x->ended = r == 0;
        if (x->ended || is_collapsed(x, &line)) continue;
        if (x->page_size) {
            x->counted++;
            continue;
        }
        if (x->skip) {
            x->skip--;
            continue;
        }
        x->left--;
        hide_path(&line);
        put_line(x, &line);
    }
    if (x->ended && x->page_size) {
        put_pages(x);
        x->page_size = 0;
    }
    if (x->ended && x->said) {
        sharc_buf_put_char(&x->line, '\n');
        x->said = false;
    }
    if (x->line.failed) return SHARC_ELIMIT;
    if (x->line.n) {
        *ret = sharc_buf_span(&x->line);
        return 1;
    }
    if (x->ended) return 0;
    return make_room(x);
}

static void done(void *arg)
{
    struct cdx_answer *x = arg;
    struct sharc_collection *c = x->collection;
    const struct sharc_edition *e = x->edition;
    leave(x);
    answer_free(x);
    sharc_collection_release(c, e);
}

/* --- the question --------------------------------------------------------------------------- */

static bool read_choice(struct serve_call *c, const char *name, const char *const *choices, int *ret)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(64);
    size_t at = 0;
    if (!sharc__serve_parameter(c, name, &at, &text)) return true;
    for (int i = 0; choices[i]; i++)
        if (sharc_span_is(sharc_buf_span(&text), choices[i])) {
            *ret = i;
            return true;
        }
    sharc__serve_plain(c, 400, "%s=%s is not known here.", name, sharc_buf_str(&text));
    return false;
}

static bool read_number(struct serve_call *c, const char *name, uint64_t *ret)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(64);
    size_t at = 0;
    if (!sharc__serve_parameter(c, name, &at, &text) || !text.n) return true;
    if (sharc_span_to_u64(sharc_buf_span(&text), ret) == 0) return true;
    sharc__serve_plain(c, 400, "%s must be a number.", name);
    return false;
}

static void read_text(struct serve_call *c, const char *name, struct sharc_buf *out, size_t max)
{
    size_t at = 0;
    sharc_buf_init(out, max);
    if (!sharc__serve_parameter(c, name, &at, out)) sharc_buf_clear(out);
}

static void read_fields(struct serve_call *c, struct cdx_answer *x)
{
    struct sharc_span rest, part;
    read_text(c, "fl", &x->fields_text, 1024);
    if (!x->fields_text.n) {
        sharc_buf_done(&x->fields_text);
        read_text(c, "fields", &x->fields_text, 1024);
    }
    rest = sharc_buf_span(&x->fields_text);
    while (rest.n && x->field_count < MOST_FIELDS && sharc_span_next(&rest, ',', &part))
        if (sharc_span_trim(part).n) x->fields[x->field_count++] = sharc_span_trim(part);
}

/* collapse=digest or collapse=timestamp:8, as the Wayback CDX server has it, and pywb's collapseTime=8. */
static bool read_collapse(struct serve_call *c, struct cdx_answer *x)
{
    uint64_t digits = 0;
    if (!read_number(c, "collapseTime", &digits)) return false;
    read_text(c, "collapse", &x->collapse_text, 256);
    struct sharc_span text = sharc_buf_span(&x->collapse_text);
    size_t colon = sharc_span_find(text, ':', 0);
    x->collapse = sharc_span_sub(text, 0, colon == SHARC_NPOS ? text.n : colon);
    x->collapse_bytes = SHARC_LIMIT_CDX_LINE;
    if (colon != SHARC_NPOS && (sharc_span_to_u64(sharc_span_from(text, colon + 1), &x->collapse_bytes) < 0 ||
                                !x->collapse.n || !x->collapse_bytes || x->collapse_bytes > SHARC_LIMIT_CDX_LINE)) {
        sharc__serve_plain(c, 400, "collapse must be a field, or a field and how much of it counts: timestamp:8.");
        return false;
    }
    if (!x->collapse.n && digits) {
        x->by_time = true;
        x->collapse = SHARC_SPAN("timestamp");
        x->collapse_bytes = digits < SHARC_LIMIT_CDX_LINE ? digits : SHARC_LIMIT_CDX_LINE;
    }
    return true;
}

struct filters {
    char *items[MOST_FILTERS];
    size_t count;
};

static void filters_done(struct filters *f)
{
    for (size_t i = 0; i < f->count; i++) free(f->items[i]);
}

static void read_filters(struct serve_call *c, struct filters *f)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(SHARC_LIMIT_REGEX_BYTES);
    size_t at = 0;
    while (f->count < MOST_FILTERS && sharc__serve_parameter(c, "filter", &at, &text))
        f->items[f->count++] = sharc_strdup(sharc_buf_str(&text));
}

static bool wants_pages(struct serve_call *c)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(64);
    size_t at = 0;
    return sharc__serve_parameter(c, "showNumPages", &at, &text) && sharc_span_is(sharc_buf_span(&text), "true");
}

static bool read_pages(struct serve_call *c, struct cdx_answer *x, uint64_t *limit)
{
    uint64_t page = UINT64_MAX, size = PAGE_SIZE;
    if (!read_number(c, "page", &page) || !read_number(c, "pageSize", &size) || !read_number(c, "limit", limit) ||
        !read_collapse(c, x))
        return false;
    x->left = *limit ? *limit : UINT64_MAX;
    bool counts = wants_pages(c);
    if (page == UINT64_MAX && !counts) return true;
    if (!size || size > 1000000 || (page > 1000000 && !counts)) {
        sharc__serve_plain(c, 400, "pageSize must be 1 to 1000000 lines, page at most 1000000.");
        return false;
    }
    if (counts) {
        x->page_size = size;
        return true;
    }
    x->skip = page * size;
    if (x->left > size) x->left = size;
    return true;
}

static bool ask(struct serve_call *c, struct cdx_answer *x)
{
    static const char *const matches[] = {"", "exact", "prefix", "host", "domain", NULL};
    static const char *const sorts[] = {"", "reverse", "closest", NULL};
    static const char *const outputs[] = {"", "json", "text", "link", "cdxj", NULL};
    SHARC_AUTO(filters_done) struct filters filters = {.count = 0};
    struct sharc_err err = SHARC_ERR_INIT;
    uint64_t limit = 0;
    int match = 0, sort = 0, output = 0;
    read_text(c, "url", &x->url, SHARC_LIMIT_URL);
    read_text(c, "from", &x->from, 64);
    read_text(c, "to", &x->to, 64);
    read_text(c, "closest", &x->closest, 64);
    if (!x->url.n) {
        sharc__serve_plain(c, 400,
                           "Which captures? Say /cdx?url=https://example.org/, or url=example.org/* for all below.");
        return false;
    }
    if (!read_choice(c, "matchType", matches, &match) || !read_choice(c, "sort", sorts, &sort) ||
        !read_choice(c, "output", outputs, &output) || !read_pages(c, x, &limit))
        return false;
    read_fields(c, x);
    read_filters(c, &filters);
    x->object = output == 4 && x->field_count; /* it was asked for by its name */
    x->output = output == 4 ? OUTPUT_CDXJ : (enum output)output;
    struct sharc_cdx_query q = {.url = sharc_buf_span(&x->url),
                                .match = (enum sharc_cdx_match)match,
                                .from = sharc_buf_span(&x->from),
                                .to = sharc_buf_span(&x->to),
                                .sort = x->closest.n && !sort ? SHARC_CDX_CLOSEST : (enum sharc_cdx_sort)sort,
                                .closest = sharc_buf_span(&x->closest),
                                .filters = (const char *const *)filters.items,
                                .filter_count = filters.count,
                                .bare_names = true,
                                .turn = LINES_PER_TURN};
    if (sharc_span_is(q.url, "*") && (q.match == SHARC_CDX_PREFIX || !match)) { /* all there is */
        q.url = SHARC_SPAN_NONE;
        q.match = SHARC_CDX_PREFIX;
    }
    if (sharc_captures_ask(c->edition, &q, &x->captures, &err) == 0) return true;
    sharc__serve_failed(c, err.code == SHARC_ECORRUPT || err.code == SHARC_EIO ? 503 : 400, &err);
    return false;
}

void sharc__serve_cdx(struct serve_call *c)
{
    static const char *const types[] = {"text/x-cdxj; charset=utf-8", "application/x-ndjson",
                                        "text/plain; charset=utf-8", "application/link-format"};
    struct cdx_answer *x = SHARC_NEW(struct cdx_answer);
    sharc_buf_init(&x->line, 8 * SHARC_LIMIT_CDX_LINE);
    sharc_buf_init(&x->last, 2 * SHARC_LIMIT_CDX_LINE);
    memcpy(x->replay, c->replay, sizeof x->replay);
    sharc__serve_cors(c);
    if (!ask(c, x)) {
        answer_free(x);
        return;
    }
    if (x->output == OUTPUT_TEXT && !x->field_count) {
        static const char *const usual[] = {"urlkey", "timestamp", "url", "mime", "status", "digest", "length"};
        for (; x->field_count < SHARC_LENGTH(usual); x->field_count++)
            x->fields[x->field_count] = sharc_span_of(usual[x->field_count]);
    }
    sharc__serve_policy(c);
    sharc__serve_header(c, "Content-Type", sharc_span_of(x->page_size ? "application/json" : types[x->output]));
    x->collection = c->server->o.collection;
    x->edition = c->edition;
    x->waker = c->server->waker;
    c->edition_kept = true;
    c->size = UINT64_MAX;
    x->stream = sharc_http_answer_stream(c->answer, UINT64_MAX, pull, done, x);
}
