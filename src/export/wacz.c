/* SPDX-License-Identifier: Apache-2.0
 *
 * The WACZ: records are copied into a WARC beside the output, so that it holds nothing
 * else; where each came to lie decides which lines of the index are for replay.
 */
#include "export_int.h"

#include "sharc/base_file.h"
#include "sharc/base_limits.h"
#include "sharc/cdx.h"
#include "sharc/warc.h"
#include "sharc/warc_write.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct packing {
    struct sharc_export *x;
    const struct sharc_wacz_options *o;
    char *dir, *copy, *made;  /* files; made: records that stand for others */
    struct sharc_map64 uses;  /* offset in the copy -> enum export_use */
    struct sharc_map64 where; /* key of a place -> offset in the copy + 1 */
    struct sharc_warc_writer *out;
    struct sharc_warc_selected lost; /* what the copy lacks (lenient) */
};

static void packing_done(struct packing *p)
{
    sharc_warc_writer_free(p->out);
    if (p->copy) unlink(p->copy);
    if (p->made) unlink(p->made);
    if (p->dir) rmdir(p->dir);
    free(p->dir);
    free(p->copy);
    free(p->made);
    sharc_map64_done(&p->uses);
    sharc_map64_done(&p->where);
}

/* Files are called like the output, for that is what somebody sees who unpacks it. */
static int make_directory(struct packing *p, const char *output, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *parent = sharc_path_parent(output);
    SHARC_AUTO(sharc_freep) char *name = sharc_strdup(sharc_path_last(output));
    struct sharc_span stem = sharc_span_of(name);
    if (sharc_span_ends(stem, SHARC_SPAN(".wacz"))) stem.n -= 5;
    char *dir = sharc_asprintf("%s/.%s.XXXXXX", parent, name);
    if (!mkdtemp(dir)) {
        int e = errno;
        free(dir);
        return sharc_fail(reterr, sharc_error_from_errno(e), "%s: cannot make a directory for temporary files: %s",
                          parent, strerror(e));
    }
    p->dir = dir;
    p->copy = sharc_asprintf("%s/%.*s.warc.gz", dir, SHARC_SPAN_ARG(stem));
    p->made = sharc_asprintf("%s/%.*s-as-of.warc.gz", dir, SHARC_SPAN_ARG(stem));
    return 0;
}

/* --- the copy ----------------------------------------------------------------------- */

static void note_copy(void *arg, const struct sharc_record *rec, const struct sharc_warc_place *place)
{
    struct packing *p = arg;
    uint64_t key = sharc__export_key_of(p->x, rec);
    unsigned use = sharc__export_use(p->x, key);
    if (!use || rec->type == SHARC_WARC_REQUEST || rec->type == SHARC_WARC_METADATA) return;
    *sharc_map64_at(&p->uses, place->offset) = use;
    *sharc_map64_at(&p->where, key) = place->offset + 1;
}

static int copy_records(struct packing *p, struct sharc_err *reterr)
{
    struct sharc_warc_selection s = {.from = SHARC_TIME_NONE,
                                     .to = SHARC_TIME_NONE,
                                     .lenient = p->o->lenient,
                                     .warn = p->o->warn,
                                     .warn_arg = p->o->warn_arg};
    struct sharc_warc_merge m = {.now = p->o->now, .copied = note_copy, .copied_arg = p};
    struct sharc_warc_selected done = {0};
    int r = sharc_export_warc(p->x, p->copy, &s, &m, &done, reterr);
    if (r == 0) p->lost = done;
    return r;
}

/* --- records that stand for others ------------------------------------------------------ */

struct found { /* in the copy */
    char *id, *digest, *target;
    sharc_time date;
    bool http; /* a response, or a revisit with a head */
    int status;
    struct sharc_buf head; /* of HTTP */
};

static void found_done(struct found *f)
{
    free(f->id);
    free(f->digest);
    free(f->target);
    sharc_buf_done(&f->head);
}

static int take_record(struct sharc_record *rec, struct found *ret, struct sharc_err *reterr)
{
    bool answer = rec->type == SHARC_WARC_RESPONSE || rec->type == SHARC_WARC_REVISIT;
    const struct sharc_http *h = answer ? sharc_record_http(rec) : NULL;
    size_t size = h ? h->head_size : 0;
    struct sharc_span piece;
    int r = 1;
    ret->id = sharc_span_dup(rec->id);
    ret->digest = sharc_span_dup(rec->payload_digest);
    ret->target = sharc_span_dup(rec->target);
    ret->date = rec->date;
    ret->http = h != NULL;
    ret->status = h ? h->status : 0;
    while (r > 0 && ret->head.n < size) {
        r = sharc_record_read(rec, SHARC_WARC_BLOCK, &piece, reterr);
        if (r > 0) sharc_buf_put(&ret->head, sharc_span_sub(piece, 0, size - ret->head.n));
    }
    return r < 0 ? r : sharc_buf_result(&ret->head, reterr);
}

static int read_copy(const struct packing *p, uint64_t key, struct found *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    const uint64_t *at = sharc_map64_find(&p->where, key);
    SHARC_FAIL_IF(!at, reterr, SHARC_ENOENT,
                  "the archive lacks a record that its catalogue refers to; run sharc verify on it");
    struct sharc_warc_options o = {.offset = *at - 1, .lenient = p->o->lenient};
    struct sharc_record rec;
    int r = sharc_warc_open(p->copy, &o, &w, reterr);
    if (r < 0) return r;
    r = sharc_warc_next(w, &rec, reterr);
    SHARC_FAIL_IF(r == 0, reterr, SHARC_ECORRUPT, "%s: a record is missing", p->copy);
    return r < 0 ? r : take_record(&rec, ret, reterr);
}

static int write_made(struct packing *p, const struct export_showing *s, const struct found *shown,
                      const struct found *body, struct sharc_err *reterr)
{
    /* An answer 304 confirms the answer before it, whose head is shown, as a browser's cache does it. */
    const struct sharc_buf *head = shown->status == 304 ? &body->head : &shown->head;
    sharc_time at = p->x->captures[s->capture].at;
    SHARC_AUTO(sharc_freep) char *extra = sharc_asprintf("Sharc-Stands-For: %s\r\n", shown->id);
    struct sharc_warc_entry e = {
        .type = SHARC_WARC_REVISIT,
        .date = at - (at % SHARC_SEC + SHARC_SEC) % SHARC_SEC, /* whole seconds: that is what is asked for */
        .target = sharc_intern_text(p->x->urls, s->url),
        .payload_digest = sharc_span_of(body->digest),
        .refers_to = sharc_span_of(body->id),
        .refers_to_target = sharc_span_of(body->target),
        .refers_to_date = body->date,
        .profile = SHARC_SPAN("http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"),
        .extra = sharc_span_of(extra),
        .block = {.head = sharc_buf_span(head), .fd = -1},
    };
    return sharc_warc_write(p->out, p->o->now, &e, NULL, reterr);
}

static int make_record(struct packing *p, const struct export_showing *s, struct sharc_err *reterr)
{
    SHARC_AUTO(found_done) struct found shown = {.head = SHARC_BUF_INIT(SHARC_LIMIT_HTTP_HEADER)};
    SHARC_AUTO(found_done) struct found body = {.head = SHARC_BUF_INIT(SHARC_LIMIT_HTTP_HEADER)};
    int r = read_copy(p, s->shown, &shown, reterr);
    if (r == 0) r = read_copy(p, s->body, &body, reterr);
    if (r < 0) return r;
    /* Without a digest or a head it can only be shown as it is, at its own time. */
    bool can = body.digest[0] && shown.http && body.http && p->x->captures[s->capture].at != SHARC_TIME_NONE;
    if (!can) return 0;
    *sharc_map64_at(&p->uses, *sharc_map64_find(&p->where, s->shown) - 1) |= EXPORT_MADE;
    return write_made(p, s, &shown, &body, reterr);
}

static int make_records(struct packing *p, struct sharc_err *reterr)
{
    struct sharc_warc_writer_options w = {
        .path = p->made,
        .info = SHARC_SPAN("description: none of these records was received. Each stands for a record of the other "
                           "file (Sharc-Stands-For) that shows how a page was at the reference time of a capture, so "
                           "that replay tools, which choose by time, find it there.\r\n")};
    int r = sharc_warc_writer_open(&w, &p->out, reterr);
    for (size_t i = 0; r == 0 && i < p->x->showing_count; i++) r = make_record(p, &p->x->showings[i], reterr);
    return r == 0 ? sharc_warc_writer_finish(p->out, reterr) : r;
}

/* --- the container ------------------------------------------------------------------------ */

static enum sharc_wacz_show shows(void *arg, const struct sharc_cdx *line)
{
    const struct packing *p = arg;
    uint64_t offset;
    if (!sharc_span_is(line->field[SHARC_CDX_FILENAME], sharc_path_last(p->copy))) return SHARC_WACZ_SHOW_BARE;
    if (sharc_span_is(line->field[SHARC_CDX_STATUS], "304")) return SHARC_WACZ_HIDE;
    if (!sharc_cdx_number(line, SHARC_CDX_OFFSET, &offset)) return SHARC_WACZ_HIDE;
    const uint64_t *use = sharc_map64_find(&p->uses, offset);
    bool shown = use && (*use & EXPORT_ORIGINAL || (*use & EXPORT_SHOWN && !(*use & EXPORT_MADE)));
    return shown ? SHARC_WACZ_SHOW : SHARC_WACZ_HIDE;
}

static int list_pages(void *arg, sharc_line_fn *put, void *put_arg, struct sharc_err *reterr)
{
    return sharc__export_page_list(((struct packing *)arg)->x, put, put_arg, reterr);
}

static int list_verdicts(void *arg, sharc_line_fn *put, void *put_arg, struct sharc_err *reterr)
{
    return sharc__export_verdicts(((struct packing *)arg)->x, put, put_arg, reterr);
}

static int about(void *arg, struct sharc_json *j, struct sharc_err *reterr)
{
    return sharc__export_about(((struct packing *)arg)->x, j, reterr);
}

/* "example.org, 2026-11-16 10:49" or "…, 2026-11-02 to 2026-11-16". */
static char *default_title(const struct sharc_export *x)
{
    char first[SHARC_TIME_TEXT] = "", last[SHARC_TIME_TEXT] = "";
    const struct export_capture *a = &x->captures[0], *b = &x->captures[x->count - 1];
    if (a->start != SHARC_TIME_NONE) sharc_time_iso(a->start, 0, first);
    if (b->start != SHARC_TIME_NONE) sharc_time_iso(b->start, 0, last);
    if (x->count > 1) return sharc_asprintf("%s, %.10s to %.10s", b->name, first, last);
    return sharc_asprintf("%s, %.10s", b->name, first);
}

int sharc_export_wacz(struct sharc_export *x, const char *output, const struct sharc_wacz_options *o,
                      struct sharc_wacz_written *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(packing_done) struct packing p = {.x = x, .o = o};
    sharc_map64_init(&p.uses);
    sharc_map64_init(&p.where);
    /* Of one capture each page has one record; of several, replay chooses by time. */
    bool several = x->showing_count > 0;
    int r = make_directory(&p, output, reterr);
    if (r == 0) r = copy_records(&p, reterr);
    if (r == 0 && several) r = make_records(&p, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) char *title = default_title(x);
    struct sharc_wacz_choice choice = {
        .shows = shows, .pages = list_pages, .verdicts = list_verdicts, .about = about, .arg = &p};
    struct sharc_wacz_options mine = *o;
    mine.choice = &choice;
    mine.pages = NULL;
    if (!mine.title) mine.title = title;
    if (!mine.main_url) mine.main_url = x->captures[x->count - 1].seed;
    const char *const warcs[] = {p.copy, p.made};
    r = sharc_wacz_write(output, warcs, several ? 2 : 1, &mine, ret, reterr);
    if (r == 0) ret->damaged += p.lost.damaged;
    if (r == 0) ret->left_out += p.lost.left_out;
    return r;
}
