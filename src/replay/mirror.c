/* SPDX-License-Identifier: Apache-2.0
 *
 * The archive files are walked from beginning to end two or three times, and a
 * record is known by its number in that walk: so it does not matter whether a
 * file can be entered at an offset.
 */
#include "mirror_int.h"

#include "sharc/base_file.h"
#include "sharc/base_limits.h"
#include "sharc/extract.h"
#include "sharc/http.h"
#include "sharc/replay.h"
#include "sharc/warc_own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_GROWTH = 16, LEAST_ROOM = 1 << 20 }; /* of a page by longer links */

struct mirroring {
    const char *output;
    const struct sharc_mirror_options *o;
    struct mirror_table t;
    uint64_t number; /* of the record at hand */
    struct sharc_url url, target;
    size_t use;         /* the next of t.uses */
    uint32_t page_path; /* of the page that is being rewritten */
    struct sharc_buf body, made;
    struct sharc_buf dir; /* made last */
    struct sharc_mirror_made done;
};

/* --- first reading: what there is --------------------------------------------- */

static int status_of(struct sharc_record *rec, const struct sharc_http *h)
{
    if (!h) return 200; /* a resource, or a revisit that does not repeat the head */
    return rec->type == SHARC_WARC_REVISIT && h->status == 304 ? 200 : h->status;
}

static bool set_redirect(struct mirroring *m, const struct sharc_http *h, int status, struct mirror_capture *c)
{
    if (!h || status < 300 || status > 399) return false;
    struct sharc_span location = sharc_http_get(h, "Location");
    if (!location.n || sharc_url_parse(&m->target, location, &m->url, NULL) < 0) return false;
    c->kind = MIRROR_REDIRECT;
    c->target = sharc_url_page(&m->target);
    return true;
}

static bool is_http_record(const struct sharc_record *rec)
{
    return rec->type == SHARC_WARC_RESPONSE || rec->type == SHARC_WARC_REVISIT;
}

static struct sharc_span mime_of(const struct sharc_record *rec, const struct sharc_http *h)
{
    if (is_http_record(rec)) return h ? sharc_http_media(h->content_type).type : SHARC_SPAN_NONE;
    return sharc_http_media(rec->content_type).type;
}

static int note_capture(void *arg, struct sharc_record *rec, const char *file, struct sharc_err *reterr)
{
    (void)file;
    struct mirroring *m = arg;
    uint64_t number = m->number++;
    if (sharc_record_is_control(rec) || !sharc_warc_fits(&m->o->selection, rec, &m->url)) return 0;
    if (sharc_url_parse(&m->url, rec->target, NULL, NULL) < 0 || !sharc_url_is_http(&m->url)) return 0;
    const struct sharc_http *h = is_http_record(rec) ? sharc_record_http(rec) : NULL;
    if (rec->type == SHARC_WARC_RESPONSE && !h) return 0;
    int status = status_of(rec, h);
    struct mirror_capture c = {.number = number,
                               .date = rec->date,
                               .kind = rec->type == SHARC_WARC_REVISIT ? MIRROR_REVISIT : MIRROR_FILE,
                               .url = sharc_url_page(&m->url),
                               .mime = mime_of(rec, h)};
    bool shown = status >= 200 && status < 300 && status != 206;
    if (!set_redirect(m, h, status, &c) && !shown && !m->o->selection.status_count) return 0;
    sharc_record_origin_keys(rec, c.keys);
    /* A file has no digest of its own: what is known to be damaged would look sound. */
    int r = sharc_record_check(rec, reterr);
    if (r == 0) sharc__replay_mirror_offer(&m->t, &c, m->o->at);
    return r;
}

/* --- second reading: originals of revisits -------------------------------------- */

static int note_original(void *arg, struct sharc_record *rec, const char *file, struct sharc_err *reterr)
{
    (void)file;
    struct mirroring *m = arg;
    uint64_t keys[SHARC_WARC_WAYS], number = m->number++;
    if (rec->type == SHARC_WARC_REVISIT) return 0;
    const struct sharc_http *h = is_http_record(rec) ? sharc_record_http(rec) : NULL;
    sharc_record_origin_keys(rec, keys);
    if (!sharc__replay_mirror_wants(&m->t, keys)) return 0;
    int r = sharc_record_check(rec, reterr);
    if (r == 0) sharc__replay_mirror_original(&m->t, number, keys, mime_of(rec, h));
    return r;
}

/* --- links ------------------------------------------------------------------------ */

static int decide(void *arg, const struct sharc_rewrite_ref *ref, struct sharc_buf *out)
{
    struct mirroring *m = arg;
    if (ref->kind == SHARC_REWRITE_BASE) return 1; /* nothing: relative to the file itself */
    const struct mirror_entry *e = sharc__replay_mirror_find(&m->t, sharc_url_page(ref->url));
    if (!e) {
        bool absolute = sharc_span_istarts(ref->written, SHARC_SPAN("http:")) ||
                        sharc_span_istarts(ref->written, SHARC_SPAN("https:"));
        m->done.links_outside++;
        if (absolute || ref->kind == SHARC_REWRITE_GUESS) return 0;
        sharc_buf_put(out, sharc_url_href(ref->url));
        return 1;
    }
    struct sharc_span fragment = sharc_url_fragment(ref->url);
    m->done.links_inside++;
    if (e->path != m->page_path || !fragment.p)
        sharc__replay_mirror_relative(sharc_intern_text(m->t.paths, m->page_path),
                                      sharc_intern_text(m->t.paths, e->path), out);
    if (fragment.p) sharc_buf_put_char(out, '#');
    sharc_buf_put(out, fragment);
    return 1;
}

/* A charset that only the HTTP head named must be in the page: a file has no head. */
static void say_charset(struct sharc_span body, struct sharc_span content_type, enum mirror_type type,
                        enum sharc_charset *ret, struct sharc_buf *out)
{
    enum sharc_charset_from from, alone;
    *ret = sharc_extract_charset(body, content_type, &from);
    if (from != SHARC_CHARSET_FROM_HTTP || *ret == SHARC_CHARSET_UTF_16BE || *ret == SHARC_CHARSET_UTF_16LE) return;
    bool same = sharc_extract_charset(body, SHARC_SPAN_NONE, &alone) == *ret;
    if (same && alone != SHARC_CHARSET_FROM_BYTES) return;
    const char *name = sharc_charset_name(*ret);
    if (type == MIRROR_HTML) sharc_buf_printf(out, "<meta charset=\"%s\">", name);
    if (type == MIRROR_CSS) sharc_buf_printf(out, "@charset \"%s\";", name);
}

static int rewrite(struct mirroring *m, uint32_t entry, enum mirror_type type, struct sharc_span content_type,
                   struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf said = SHARC_BUF_INIT(256);
    struct sharc_span body = sharc_buf_span(&m->body);
    struct sharc_rewrite how = {.url = &m->url,
                                .dialect = type == MIRROR_XML ? SHARC_XML : SHARC_HTML,
                                .fn = decide,
                                .arg = m};
    say_charset(body, content_type, type, &how.charset, &said);
    int r = sharc_url_parse(&m->url, sharc_intern_text(m->t.urls, entry), NULL, reterr);
    if (r < 0) return r;
    m->page_path = m->t.entries[entry].path;
    sharc_buf_clear(&m->made);
    m->made.max = MOST_GROWTH * body.n + LEAST_ROOM;
    if (type == MIRROR_CSS) {
        sharc_buf_put(&m->made, sharc_buf_span(&said));
        return sharc_rewrite_css(body, &how, &m->made, reterr);
    }
    how.head = sharc_buf_span(&said);
    return sharc_rewrite_html(body, &how, &m->made, reterr);
}

/* --- files ------------------------------------------------------------------------ */

static int fail_errno(struct sharc_err *reterr, const char *path, const char *what)
{
    int e = errno;
    return sharc_fail(reterr, sharc_error_from_errno(e), "%s: %s: %s", path, what, strerror(e));
}

struct output {
    int fd;
    char *path;
    sharc_time date;
};

static void output_done(struct output *f)
{
    sharc_closep(&f->fd);
    sharc_freep(&f->path);
}

static int open_output(struct mirroring *m, const struct mirror_entry *e, struct output *f, struct sharc_err *reterr)
{
    struct sharc_span below = sharc_intern_text(m->t.paths, e->path);
    size_t n = below.n;
    while (below.p[n - 1] != '/') n--;
    f->path = sharc_path_join(m->output, below.p);
    f->date = e->date;
    if (!sharc_span_eq(sharc_buf_span(&m->dir), sharc_span(below.p, n))) {
        SHARC_AUTO(sharc_freep) char *dir = sharc_asprintf("%s/%.*s", m->output, (int)n, below.p);
        int r = sharc_dir_make(dir, reterr);
        if (r < 0) return r;
        sharc_buf_clear(&m->dir);
        sharc_buf_put(&m->dir, sharc_span(below.p, n));
    }
    f->fd = open(f->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return f->fd < 0 ? fail_errno(reterr, f->path, "cannot create") : 0;
}

static int put_output(struct mirroring *m, const struct output *f, struct sharc_span bytes, struct sharc_err *reterr)
{
    m->done.bytes += bytes.n;
    while (bytes.n) {
        ssize_t put = write(f->fd, bytes.p, bytes.n);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return fail_errno(reterr, f->path, "cannot write");
        bytes = sharc_span_from(bytes, (size_t)put);
    }
    return 0;
}

/* The file carries the time of its capture. */
static int close_output(struct mirroring *m, struct output *f, struct sharc_err *reterr)
{
    if (f->date != SHARC_TIME_NONE) {
        struct timespec t = {.tv_sec = f->date / SHARC_SEC, .tv_nsec = f->date % SHARC_SEC * 1000};
        if (t.tv_nsec < 0) t = (struct timespec){t.tv_sec - 1, t.tv_nsec + 1000000000};
        (void)futimens(f->fd, (struct timespec[]){t, t}); /* not every file system can */
    }
    int r = close(f->fd);
    f->fd = -1;
    m->done.files++;
    return r < 0 ? fail_errno(reterr, f->path, "cannot write") : 0;
}

static int write_bytes(struct mirroring *m, uint32_t entry, struct sharc_span bytes, struct sharc_err *reterr)
{
    SHARC_AUTO(output_done) struct output f = {.fd = -1};
    int r = open_output(m, &m->t.entries[entry], &f, reterr);
    if (r == 0) r = put_output(m, &f, bytes, reterr);
    return r == 0 ? close_output(m, &f, reterr) : r;
}

/* Lenient, a record that breaks off gives what it has. */
static int forgive(struct mirroring *m, int r)
{
    if ((r != SHARC_ETRUNC && r != SHARC_ECORRUPT) || !m->o->selection.lenient) return r;
    m->done.damaged++;
    return 0;
}

/* What was read of the record so far, the piece at hand, and the rest. */
static int write_stream(struct mirroring *m, uint32_t entry, struct sharc_record *rec, struct sharc_span piece,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(output_done) struct output f = {.fd = -1};
    int r = open_output(m, &m->t.entries[entry], &f, reterr);
    if (r == 0) r = put_output(m, &f, sharc_buf_span(&m->body), reterr);
    if (r == 0) r = put_output(m, &f, piece, reterr);
    while (r == 0 && (r = forgive(m, sharc_record_read(rec, SHARC_WARC_CONTENT, &piece, reterr))) > 0)
        r = put_output(m, &f, piece, reterr);
    return r == 0 ? close_output(m, &f, reterr) : r;
}

/* Two URLs may have the same bytes: the second file is a copy of the first. */
static int write_again(struct mirroring *m, uint32_t entry, uint32_t first, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep)
    char *path = sharc_path_join(m->output, sharc_intern_text(m->t.paths, m->t.entries[first].path).p);
    struct sharc_filemap map;
    int r = sharc_filemap_open(&map, path, reterr);
    if (r < 0) return r;
    r = write_bytes(m, entry, map.bytes, reterr);
    sharc_filemap_done(&map);
    return r;
}

/* --- third reading: files ------------------------------------------------------------ */

static bool is_rewritten(const struct mirroring *m, const struct mirror_use *u, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sharc__replay_mirror_type(sharc_intern_text(m->t.mimes, m->t.entries[u[i].entry].mime)) != MIRROR_OTHER)
            return true;
    return false;
}

static int write_one(struct mirroring *m, uint32_t entry, struct sharc_span content_type, struct sharc_err *reterr)
{
    enum mirror_type type = sharc__replay_mirror_type(sharc_intern_text(m->t.mimes, m->t.entries[entry].mime));
    if (type == MIRROR_OTHER) return write_bytes(m, entry, sharc_buf_span(&m->body), reterr);
    int r = rewrite(m, entry, type, content_type, reterr);
    if (r == SHARC_ELIMIT) { /* built to grow: short links under a long base */
        m->done.unchanged++;
        return write_bytes(m, entry, sharc_buf_span(&m->body), reterr);
    }
    if (r < 0) return r;
    m->done.pages += type == MIRROR_HTML || type == MIRROR_XML;
    return write_bytes(m, entry, sharc_buf_span(&m->made), reterr);
}

/* The whole page into body: 0; 1: it does not fit, *ret is the next piece. */
static int read_page(struct mirroring *m, struct sharc_record *rec, struct sharc_span *ret, struct sharc_err *reterr)
{
    int r;
    sharc_buf_clear(&m->body);
    while ((r = forgive(m, sharc_record_read(rec, SHARC_WARC_CONTENT, ret, reterr))) > 0)
        if (sharc_buf_put(&m->body, *ret) < 0) return 1;
    return r;
}

static int write_uses(struct mirroring *m, struct sharc_record *rec, const struct mirror_use *u, size_t count,
                      struct sharc_err *reterr)
{
    const struct sharc_http *h = is_http_record(rec) ? sharc_record_http(rec) : NULL;
    /* Copied: it may live no longer than the head. */
    SHARC_AUTO(sharc_freep) char *type = sharc_span_dup(h ? h->content_type : rec->content_type);
    struct sharc_span piece = SHARC_SPAN_NONE;
    int r = 1;
    sharc_buf_clear(&m->body);
    if (is_rewritten(m, u, count)) {
        r = read_page(m, rec, &piece, reterr);
        for (size_t i = 0; r == 0 && i < count; i++) r = write_one(m, u[i].entry, sharc_span_of(type), reterr);
        if (r <= 0) return r;
        m->done.unchanged += count;
    }
    r = write_stream(m, u[0].entry, rec, piece, reterr);
    for (size_t i = 1; r == 0 && i < count; i++) r = write_again(m, u[i].entry, u[0].entry, reterr);
    return r;
}

static int write_record(void *arg, struct sharc_record *rec, const char *file, struct sharc_err *reterr)
{
    struct mirroring *m = arg;
    uint64_t number = m->number++;
    size_t count = 0;
    const struct mirror_use *u = m->t.uses + m->use;
    while (m->use + count < m->t.use_count && u[count].source == number) count++;
    if (!count) return 0;
    m->use += count;
    uint64_t offset = rec->offset;
    int r = write_uses(m, rec, u, count, reterr);
    bool of_record = r == SHARC_ETRUNC || r == SHARC_ECORRUPT || r == SHARC_ELIMIT; /* expands beyond measure */
    return of_record ? sharc_err_prefix(reterr, r, "%s: record at %llu", file, (unsigned long long)offset) : r;
}

/* --- all ------------------------------------------------------------------------------ */

static int walk(struct mirroring *m, const char *const *inputs, size_t count, bool loud, sharc_warc_record_fn *fn,
                struct sharc_err *reterr)
{
    struct sharc_warc_selection all = {.types = SHARC_WARC_BIT(SHARC_WARC_RESPONSE) |
                                                SHARC_WARC_BIT(SHARC_WARC_REVISIT) |
                                                SHARC_WARC_BIT(SHARC_WARC_RESOURCE),
                                       .from = SHARC_TIME_NONE,
                                       .to = SHARC_TIME_NONE,
                                       .lenient = m->o->selection.lenient,
                                       .warn = loud ? m->o->selection.warn : NULL,
                                       .warn_arg = m->o->selection.warn_arg};
    struct sharc_warc_selected read;
    m->number = 0;
    int r = sharc_warc_select(inputs, count, &all, fn, m, &read, reterr);
    if (r == 0 && loud) {
        m->done.records = read.chosen + read.left_out;
        m->done.left_out = read.left_out;
        m->done.damaged = read.damaged;
    }
    return r;
}

static int make_all(struct mirroring *m, const char *const *inputs, size_t count, struct sharc_err *reterr)
{
    int r = walk(m, inputs, count, true, note_capture, reterr);
    if (r == 0 && sharc__replay_mirror_wants_originals(&m->t)) r = walk(m, inputs, count, false, note_original, reterr);
    if (r < 0) return r;
    m->done.lost = sharc__replay_mirror_settle(&m->t);
    for (size_t i = 0; i < m->t.count; i++) m->done.redirects += m->t.entries[i].kind == MIRROR_REDIRECT;
    SHARC_FAIL_IF(!m->t.use_count, reterr, SHARC_EINVAL, "no capture fits: there is nothing to make a mirror of");
    r = sharc_dir_make(m->output, reterr);
    return r < 0 ? r : walk(m, inputs, count, false, write_record, reterr);
}

/* URLs are numbered as they are met: the first page is most likely the seed. */
static void find_start(struct mirroring *m)
{
    const struct mirror_entry *named =
        m->o->start ? sharc__replay_mirror_find(&m->t, sharc_span_of(m->o->start)) : NULL;
    if (named) m->done.start = sharc_span_dup(sharc_intern_text(m->t.paths, named->path));
    for (size_t i = 0; i < m->t.count && !m->done.start; i++) {
        const struct mirror_entry *e = &m->t.entries[i];
        if (e->path != SHARC_NO_ID && sharc__replay_mirror_type(sharc_intern_text(m->t.mimes, e->mime)) == MIRROR_HTML)
            m->done.start = sharc_span_dup(sharc_intern_text(m->t.paths, e->path));
    }
}

static int check_output(const char *output, struct sharc_err *reterr)
{
    char **names;
    size_t count = 0;
    struct stat st;
    if (lstat(output, &st) < 0) return 0;
    int r = sharc_dir_list(output, &names, &count, reterr);
    if (r < 0) return r;
    sharc_names_free(names, count);
    SHARC_FAIL_IF(count, reterr, SHARC_EEXIST, "%s: is not empty; a mirror needs a directory of its own", output);
    return 0;
}

int sharc_mirror(const char *output, const char *const *inputs, size_t count, const struct sharc_mirror_options *o,
                 struct sharc_mirror_made *ret, struct sharc_err *reterr)
{
    int r = check_output(output, reterr);
    if (r < 0) return r;
    struct mirroring m = {.output = output,
                          .o = o,
                          .body = SHARC_BUF_INIT(o->largest_page ? o->largest_page : SHARC_LIMIT_PAGE_BYTES),
                          .dir = SHARC_BUF_INIT(16 * SHARC_LIMIT_URL)};
    sharc__replay_mirror_table_init(&m.t);
    r = make_all(&m, inputs, count, reterr);
    if (r == 0) {
        find_start(&m);
        *ret = m.done;
    }
    sharc__replay_mirror_table_done(&m.t);
    sharc_url_done(&m.url);
    sharc_url_done(&m.target);
    sharc_buf_done(&m.body);
    sharc_buf_done(&m.made);
    sharc_buf_done(&m.dir);
    return r;
}
