/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks over files and hands on the records that are wanted; on top of that, one
 * WARC of them, and a row about each.
 */
#include "sharc/warc_export.h"

#include "warc_int.h"
#include "write_int.h"

#include "sharc/base_digest.h"
#include "sharc/base_limits.h"
#include "sharc/base_map.h"
#include "sharc/warc_inputs.h"
#include "sharc/warc_own.h"
#include "sharc/warc_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* --- choosing ------------------------------------------------------------ */

struct selecting {
    const struct sharc_warc_selection *s;
    struct sharc_url url;
    struct sharc_map64 broken;    /* lenient: damaged members of the file */
    struct sharc_map64 exchanges; /* ids of chosen answers, and of what they name */
    struct sharc_intern *chains;  /* digests of the certificates that were handed on */
    bool by_answer;               /* statuses, mimes or wants are given */
    sharc_warc_record_fn *fn;
    void *arg;
    struct sharc_warc_selected done;
};

/* "200" and "2xx" */
static bool status_fits(int status, const char *pattern)
{
    char text[4] = {(char)('0' + status / 100 % 10), (char)('0' + status / 10 % 10), (char)('0' + status % 10), 0};
    for (int i = 0; i < 3; i++)
        if (!pattern[i] || (pattern[i] != text[i] && sharc_to_lower(pattern[i]) != 'x')) return false;
    return pattern[3] == 0;
}

static struct sharc_span mime_of(struct sharc_record *rec, const struct sharc_http *h)
{
    struct sharc_span value = h ? h->content_type : rec->content_type;
    return sharc_http_media(value).type;
}

static bool answer_fits(struct sharc_record *rec, const struct sharc_warc_selection *s)
{
    bool http = rec->type == SHARC_WARC_RESPONSE || rec->type == SHARC_WARC_REVISIT;
    const struct sharc_http *h = http ? sharc_record_http(rec) : NULL;
    bool status = s->status_count == 0, mime = s->mime_count == 0;
    for (size_t i = 0; !status && h && i < s->status_count; i++) status = status_fits(h->status, s->statuses[i]);
    struct sharc_span type = mime ? SHARC_SPAN_NONE : mime_of(rec, h);
    for (size_t i = 0; !mime && i < s->mime_count; i++) {
        struct sharc_span want = sharc_span_of(s->mimes[i]);
        mime = sharc_span_ends(want, SHARC_SPAN("/")) ? sharc_span_istarts(type, want) : sharc_span_ieq(type, want);
    }
    return status && mime && (!s->wants || s->wants(s->wants_arg, rec));
}

static bool is_answer(const struct sharc_record *rec)
{
    return rec->type == SHARC_WARC_RESPONSE || rec->type == SHARC_WARC_REVISIT || rec->type == SHARC_WARC_RESOURCE;
}

static bool is_companion(const struct sharc_record *rec)
{
    return rec->type == SHARC_WARC_REQUEST || rec->type == SHARC_WARC_METADATA;
}

static bool time_and_place_fit(const struct sharc_warc_selection *s, const struct sharc_record *rec,
                               struct sharc_url *scratch)
{
    if (rec->type == SHARC_WARC_INFO) return !s->no_info;
    if (s->from != SHARC_TIME_NONE && (rec->date == SHARC_TIME_NONE || rec->date < s->from)) return false;
    if (s->to != SHARC_TIME_NONE && (rec->date == SHARC_TIME_NONE || rec->date > s->to)) return false;
    if (!s->scope || !rec->target.n) return true;
    return sharc_url_parse(scratch, rec->target, NULL, NULL) == 0 && sharc_scope_check(s->scope, scratch, 0, NULL);
}

bool sharc_warc_fits(const struct sharc_warc_selection *s, struct sharc_record *rec, struct sharc_url *scratch)
{
    return time_and_place_fit(s, rec, scratch) && answer_fits(rec, s);
}

static uint64_t id_number(struct sharc_span id)
{
    return sharc_fingerprint(id, 0);
}

/* First pass: note the exchanges whose answer fits. */
static void note_exchange(struct selecting *x, struct sharc_record *rec)
{
    if (!is_answer(rec) || !sharc_warc_fits(x->s, rec, &x->url)) return;
    struct sharc_span other;
    size_t at = 0;
    if (rec->id.n) *sharc_map64_at(&x->exchanges, id_number(rec->id)) = 1;
    while (sharc_record_each(rec, "WARC-Concurrent-To", &at, &other))
        *sharc_map64_at(&x->exchanges, id_number(other)) = 1;
}

static bool companion_fits(const struct selecting *x, const struct sharc_record *rec)
{
    return (rec->id.n && sharc_map64_find(&x->exchanges, id_number(rec->id))) ||
           (rec->concurrent_to.n && sharc_map64_find(&x->exchanges, id_number(rec->concurrent_to))) ||
           (rec->refers_to.n && sharc_map64_find(&x->exchanges, id_number(rec->refers_to)));
}

/* Any page may be meant by them. A text that is there already is not handed on again. */
static bool chain_fits(struct selecting *x, const struct sharc_record *rec)
{
    bool fresh = true;
    if (rec->target.n) sharc_intern_add(x->chains, rec->target, &fresh);
    return fresh;
}

static bool is_chosen(struct selecting *x, struct sharc_record *rec)
{
    if (x->s->chains && sharc_record_is_tls_chain(rec)) return chain_fits(x, rec);
    if (!time_and_place_fit(x->s, rec, &x->url)) return false;
    if (!x->by_answer || rec->type == SHARC_WARC_INFO) return true;
    return is_companion(rec) ? companion_fits(x, rec) : answer_fits(rec, x->s);
}

/* --- walking ------------------------------------------------------------- */

/* Something of ours is wrong, and not the record. */
static bool is_our_trouble(int code)
{
    return code == SHARC_EIO || code == SHARC_ENOSPC || code == SHARC_EACCESS || code == SHARC_EINVAL ||
           code == SHARC_EEXIST || code == SHARC_ENOMEM || code == SHARC_EINTR;
}

/* A damaged record: of a lenient walk it is told and left out, and the walk goes on. What ends too
 * early is told by the reader when it goes on. */
static int leave_out(struct selecting *x, struct sharc_warc *w, int code, const struct sharc_err *why,
                     struct sharc_err *reterr)
{
    if (!x->s->lenient) {
        if (reterr) *reterr = *why;
        return code;
    }
    x->done.left_out++;
    if (x->s->warn && sharc__warc_pass_over(w, NULL) == 0) x->s->warn(x->s->warn_arg, why);
    return 0;
}

static int hand_on(struct selecting *x, struct sharc_record *rec, const char *file, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_warc *w = rec->reader;
    int broken = sharc__warc_broken_unit(&x->broken, rec);
    if (broken && broken != SHARC_ETRUNC) {
        sharc__warc_fail(w, &err, broken, rec->offset,
                         "left out: the checksum of its compressed member is wrong, or the member cannot be "
                         "unpacked to its end");
        return leave_out(x, w, broken, &err, reterr);
    }
    int r = x->fn(x->arg, rec, file, &err);
    if (r >= 0) {
        x->done.chosen++;
        return r;
    }
    bool damaged = !is_our_trouble(r) && (r == SHARC_EDIGEST || sharc__warc_pass_over(w, NULL) < 0);
    if (damaged) return leave_out(x, w, r, &err, reterr);
    if (reterr) *reterr = err;
    return r;
}

/* So that the first record of a damaged member is known to be one. */
static int survey(struct selecting *x, const struct sharc_warc_input *input, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    sharc_map64_done(&x->broken);
    sharc_map64_init(&x->broken);
    if (!x->s->lenient || strcmp(input->path, "-") == 0) return 0;
    int r = sharc_warc_input_open(input, NULL, &w, reterr);
    return r < 0 ? r : sharc__warc_broken_units(w, &x->broken, reterr);
}

static int walk_file(struct selecting *x, const struct sharc_warc_input *input, bool noting, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_warc_options o = {.lenient = x->s->lenient,
                                   .joined = true,
                                   .types = noting ? 0 : x->s->types,
                                   .warn = noting ? NULL : x->s->warn,
                                   .warn_arg = x->s->warn_arg};
    int r = sharc_warc_input_open(input, &o, &w, reterr);
    if (r < 0) return r;
    struct sharc_record rec;
    while ((r = sharc_warc_next(w, &rec, reterr)) > 0) {
        if (noting)
            note_exchange(x, &rec);
        else if (is_chosen(x, &rec) && (r = hand_on(x, &rec, sharc_warc_input_name(input), reterr)) < 0)
            return r;
    }
    struct sharc_warc_stats s = sharc_warc_stats(w);
    if (!noting) {
        x->done.files++;
        x->done.records += s.records;
        x->done.damaged += s.damaged;
    }
    return r;
}

/* A file that cannot be begun is one damaged place to a lenient walk. */
static int walk_input(struct selecting *x, const struct sharc_warc_input *input, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int r = survey(x, input, &err);
    if (r == 0 && x->by_answer) r = walk_file(x, input, /* noting= */ true, &err);
    if (r == 0) r = walk_file(x, input, /* noting= */ false, &err);
    bool damaged = r == SHARC_ECORRUPT || r == SHARC_ETRUNC || r == SHARC_ESYNTAX || r == SHARC_ELIMIT;
    if (x->s->lenient && damaged) {
        x->done.damaged++;
        if (x->s->warn) x->s->warn(x->s->warn_arg, &err);
        return 0;
    }
    if (r < 0 && reterr) *reterr = err;
    return r;
}

int sharc_warc_select(const char *const *inputs, size_t count, const struct sharc_warc_selection *s,
                      sharc_warc_record_fn *fn, void *arg, struct sharc_warc_selected *ret, struct sharc_err *reterr)
{
    struct selecting x = {.s = s, .by_answer = s->status_count || s->mime_count || s->wants, .fn = fn, .arg = arg};
    SHARC_AUTO(sharc_warc_inputs_done) struct sharc_warc_inputs files = {0};
    int r = 0;
    sharc_map64_init(&x.exchanges);
    sharc_map64_init(&x.broken);
    x.chains = sharc_intern_new();
    for (size_t i = 0; r == 0 && i < count; i++) r = sharc_warc_inputs_add(&files, inputs[i], reterr);
    for (size_t i = 0; r == 0 && i < files.count; i++) {
        const struct sharc_warc_input *input = &files.items[i];
        if (input->kind == SHARC_WARC_KIND_INDEX)
            r = sharc_fail(reterr, SHARC_EINVAL, "%s: an index, where archive files are needed", input->path);
        if (r == 0) r = walk_input(&x, input, reterr);
    }
    if (r == 0) *ret = x.done;
    sharc_map64_done(&x.exchanges);
    sharc_map64_done(&x.broken);
    sharc_intern_free(x.chains);
    sharc_url_done(&x.url);
    return r;
}

/* --- one WARC ------------------------------------------------------------ */

struct merging {
    struct sharc_warc_writer *out;
    struct sharc_buf head;
    const struct sharc_warc_merge *o;
};

static void put_field(struct sharc_buf *b, const char *name, struct sharc_span value)
{
    if (!value.n) return;
    sharc_buf_put_str(b, name);
    sharc_buf_put(b, SHARC_SPAN(": "));
    for (size_t i = 0; i < value.n; i++)
        if (value.p[i] != '\r' && value.p[i] != '\n') sharc_buf_put_char(b, value.p[i]);
    sharc_buf_put(b, SHARC_SPAN("\r\n"));
}

/* ARC knows neither types nor ids. The id is made of what names the record, so that the
 * same ARC always gives the same WARC. */
static int arc_head(struct merging *m, struct sharc_record *rec, const char *file, struct sharc_err *reterr)
{
    char when[SHARC_TIME_TEXT];
    struct sharc_digest d;
    const struct sharc_http *h = sharc_record_http(rec);
    sharc_buf_clear(&m->head);
    sharc_buf_printf(&m->head, "%s %" PRIu64 " ", file, rec->offset);
    sharc_buf_put(&m->head, rec->head);
    sharc_digest_of(SHARC_SHA256, sharc_buf_span(&m->head), &d);
    sharc_buf_clear(&m->head);
    sharc_buf_put(&m->head, SHARC_SPAN("WARC/1.1\r\n"));
    bool info = rec->type == SHARC_WARC_INFO;
    put_field(&m->head, "WARC-Type",
              info ? SHARC_SPAN("warcinfo")
              : h  ? SHARC_SPAN("response")
                   : SHARC_SPAN("resource"));
    char id[SHARC_WARC_ID_TEXT];
    d.bytes[6] = (uint8_t)(0x50 | (d.bytes[6] & 15));                       /* version 5: made of a name */
    d.bytes[8] = (uint8_t)(0x80 | (d.bytes[8] & 3) << 4 | d.bytes[8] >> 4); /* variant */
    sharc_warc_id_text(d.bytes, id);
    put_field(&m->head, "WARC-Record-ID", sharc_span_of(id));
    put_field(&m->head, "WARC-Date",
              sharc_span_of(sharc_time_iso(rec->date == SHARC_TIME_NONE ? m->o->now : rec->date, 0, when)));
    if (!info) put_field(&m->head, "WARC-Target-URI", rec->target);
    if (!info) put_field(&m->head, "WARC-IP-Address", rec->ip);
    put_field(&m->head, "Content-Type",
              info ? SHARC_SPAN("text/plain")
              : h  ? SHARC_SPAN("application/http; msgtype=response")
                   : rec->content_type);
    sharc_buf_printf(&m->head, "Content-Length: %" PRIu64 "\r\n\r\n", rec->block_size);
    return sharc_buf_result(&m->head, reterr);
}

static int copy_record(void *arg, struct sharc_record *rec, const char *file, struct sharc_err *reterr)
{
    struct merging *m = arg;
    struct sharc_span head = SHARC_SPAN_NONE;
    if (rec->arc) {
        int r = arc_head(m, rec, file, reterr);
        if (r < 0) return r;
        head = sharc_buf_span(&m->head);
    }
    struct sharc_warc_place place;
    int r = sharc_warc_write_copy(m->out, m->o->now, rec, head, &place, reterr);
    if (r == 0 && m->o->copied) m->o->copied(m->o->copied_arg, rec, &place);
    return r;
}

static void merging_done(struct merging *m)
{
    sharc_warc_writer_free(m->out);
    sharc_buf_done(&m->head);
}

int sharc_warc_merge(const char *output, const char *const *inputs, size_t count, const struct sharc_warc_selection *s,
                     const struct sharc_warc_merge *o, struct sharc_warc_selected *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(merging_done) struct merging m = {.o = o, .head = SHARC_BUF_INIT(2 * SHARC_LIMIT_WARC_HEADER)};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf info = SHARC_BUF_INIT(SHARC_LIMIT_WARC_HEADER);
    struct sharc_warc_selection selection = *s;
    selection.chains = true;
    sharc_buf_printf(&info, "description: records of %s, chosen by sharc export\r\n", SHARC_COUNT(count, "input"));
    if (o->operator_name) put_field(&info, "operator", sharc_span_of(o->operator_name));
    struct sharc_warc_writer_options w = {.path = output,
                                          .info = sharc_buf_span(&info),
                                          .level = o->level,
                                          .plain = sharc_span_ends(sharc_span_of(output), SHARC_SPAN(".warc"))};
    SHARC_FAIL_IF(access(output, F_OK) == 0, reterr, SHARC_EEXIST, "%s: is already there", output);
    int r = sharc_warc_writer_open(&w, &m.out, reterr);
    if (r == 0) r = sharc_warc_select(inputs, count, &selection, copy_record, &m, ret, reterr);
    if (r == 0) r = sharc_warc_writer_finish(m.out, reterr);
    if (r < 0 && m.out) sharc__warc_file_discard(m.out);
    return r;
}

/* --- rows ---------------------------------------------------------------- */

int sharc_warc_row(struct sharc_record *rec, const char *file, struct sharc_warc_row *ret, struct sharc_err *reterr)
{
    bool http = rec->type == SHARC_WARC_RESPONSE || rec->type == SHARC_WARC_REVISIT;
    const struct sharc_http *h = http ? sharc_record_http(rec) : NULL;
    struct sharc_warc_row row = {.file = file,
                                 .offset = rec->offset,
                                 .block_size = rec->block_size,
                                 .type = sharc_warc_type_name(rec->type),
                                 .url = rec->target,
                                 .mime = mime_of(rec, h),
                                 .payload_digest = rec->payload_digest,
                                 .ip = rec->ip,
                                 .id = rec->id,
                                 .status = h ? h->status : 0};
    if (rec->date != SHARC_TIME_NONE) sharc_time_iso(rec->date, 0, row.date);
    int r = sharc_record_length(rec, &row.length, reterr);
    if (r == 0) *ret = row;
    return r;
}
