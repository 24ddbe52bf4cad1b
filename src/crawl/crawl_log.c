/* SPDX-License-Identifier: Apache-2.0
 *
 * crawl.log: Heritrix's twelve fields, one line per attempt, and sharc's own
 * numbers as JSON in the thirteenth. progress-statistics.log as Heritrix has it.
 */
#include "crawl_log.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"
#include "sharc/base_json.h"

#include "reasons.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { LINE_USUAL = 1000 }; /* bytes that most lines need at most */

/* A field must not break the line into more fields than there are. */
static void put_field(struct sharc_buf *out, struct sharc_span s)
{
    if (s.n == 0) s = SHARC_SPAN("-");
    size_t written = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c > ' ' && c != 0x7f) continue;
        sharc_buf_put(out, sharc_span_sub(s, written, i));
        sharc_buf_printf(out, "%%%02X", c);
        written = i + 1;
    }
    sharc_buf_put(out, sharc_span_from(s, written));
}

void sharc__crawl_log_line(const struct log_line *l, struct sharc_buf *out)
{
    char text[SHARC_DIGEST_TEXT];
    sharc_buf_put_str(out, sharc_time_iso(l->now, 3, text));
    sharc_buf_printf(out, " %5d ", l->code);
    if (l->size < 0)
        sharc_buf_printf(out, "%10s ", "-");
    else
        sharc_buf_printf(out, "%10" PRId64 " ", l->size);
    put_field(out, l->url);
    sharc_buf_put_char(out, ' ');
    put_field(out, l->hops);
    sharc_buf_put_char(out, ' ');
    put_field(out, l->via);
    sharc_buf_put_char(out, ' ');
    put_field(out, l->type);
    sharc_buf_printf(out, " #%03u ", l->thread % 1000);
    if (l->start == SHARC_TIME_NONE)
        sharc_buf_put_char(out, '-');
    else
        sharc_buf_printf(out, "%s+%" PRId64, sharc_time_compact(l->start, 17, text), l->took / SHARC_MSEC);
    sharc_buf_put_char(out, ' ');
    sharc_buf_put_str(out, l->digest && l->digest->n ? sharc_digest_text(l->digest, text) : "-");
    sharc_buf_put_char(out, ' ');
    put_field(out, l->source);
    sharc_buf_put_char(out, ' ');
    put_field(out, l->notes);
    if (l->json.n) {
        sharc_buf_put_char(out, ' ');
        sharc_buf_put(out, l->json);
    }
    sharc_buf_put_char(out, '\n');
}

/* A crawl that was killed left half a line: it goes, or two lines would be one. */
static void cut_half_line(FILE *f)
{
    char tail[4096];
    long end = fseek(f, 0, SEEK_END) < 0 ? -1 : ftell(f);
    while (end > 0) {
        long from = end > (long)sizeof tail ? end - (long)sizeof tail : 0;
        size_t n = fseek(f, from, SEEK_SET) < 0 ? 0 : fread(tail, 1, (size_t)(end - from), f);
        while (n > 0 && tail[n - 1] != '\n') n--;
        if (n > 0 || from == 0) {
            if (from + (long)n < end || n == 0) (void)ftruncate(fileno(f), from + (long)n);
            break;
        }
        end = from;
    }
    fseek(f, 0, SEEK_END);
}

/* "logs/crawl.log", and of a worker "logs/crawl-job-12.log": others write to the same directory. */
static char *log_path(const char *archive, enum sharc_archive_part part, sharc_store_id job)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_path(archive, part);
    if (job != 0)
        return sharc_asprintf("%.*s-job-%lld.log", (int)(strlen(path) - strlen(".log")), path, (long long)job);
    return SHARC_TAKE(path);
}

static FILE *open_log(const char *archive, enum sharc_archive_part part, sharc_store_id job, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = log_path(archive, part, job);
    FILE *f = fopen(path, "a+e");
    if (f) cut_half_line(f);
    if (!f) (void)sharc_fail(reterr, sharc_error_from_errno(errno), "%s: %s", path, strerror(errno));
    return f;
}

int sharc__crawl_logs_open(const char *archive, sharc_store_id job, struct logs **ret, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc_archive_make(archive, SHARC_ARCHIVE_LOGS, reterr);
    if (r < 0) return r;
    struct logs *l = SHARC_NEW(struct logs);
    *ret = l;
    l->crawl = open_log(archive, SHARC_ARCHIVE_CRAWL_LOG, job, &err);
    if (l->crawl) l->stats = open_log(archive, SHARC_ARCHIVE_PROGRESS, job, &err);
    if (!l->stats) {
        if (reterr) *reterr = err;
        return err.code;
    }
    fseek(l->stats, 0, SEEK_END);
    if (ftell(l->stats) == 0)
        fputs("           timestamp  discovered      queued   downloaded       doc/s(avg)  KB/s(avg)   dl-failures   "
              "busy-thread   mem-use-KB  heap-size-KB   congestion   max-depth   avg-depth\n",
              l->stats);
    return 0;
}

void sharc__crawl_logs_free(struct logs *l)
{
    if (!l) return;
    if (l->crawl) fclose(l->crawl);
    if (l->stats) fclose(l->stats);
    free(l);
}

void sharc__crawl_logs_flush(struct logs *l)
{
    fflush(l->crawl);
}

static const char *kind_word(enum task_kind k)
{
    static const char *const words[] = {"robots", "manifest",    "probe",   "visit",
                                        "embed",  "second-look", "revisit", "control"};
    return words[k];
}

static void put_json(const struct capture *s, const struct job *j, const struct written *w, struct sharc_buf *out)
{
    const struct page *p = &s->pages->page[j->task.page];
    struct sharc_json json;
    sharc_json_init(&json, out, false);
    sharc_json_object(&json, NULL);
    if (w && w->any) {
        sharc_json_str(&json, "warcFilename", w->places.response.file);
        sharc_json_uint(&json, "warcFileOffset", w->places.response.offset);
    }
    sharc_json_str(&json, "kind", kind_word(j->task.kind));
    if (j->task.of_strategy) sharc_json_uint(&json, "slot", j->task.slot);
    if (p->flags & (PAGE_KNOWN_TO_STRATEGY | PAGE_FOLLOWER)) sharc_json_real(&json, "rate", (double)p->rate);
    if (p->flags & PAGE_HOPELESS) sharc_json_bool(&json, "hopeless", true);
    if (j->in.compare) {
        sharc_json_str(&json, "change", sharc_change_class_name(j->made.verdict.change));
        sharc_json_str(&json, "decidedBy", sharc_change_step_name(j->made.verdict.step));
    }
    if (j->result->text[0]) sharc_json_str(&json, "error", j->result->text);
    sharc_json_end(&json);
}

static void put_note(struct sharc_buf *b, const char *note)
{
    if (!note || !note[0]) return;
    if (b->n) sharc_buf_put_char(b, ',');
    sharc_buf_put_str(b, note);
}

static const char *cut_note(enum sharc_fetch_cut cut)
{
    switch (cut) {
    case SHARC_FETCH_WHOLE: return NULL;
    case SHARC_FETCH_CUT_LENGTH: return "lenTrunc";
    case SHARC_FETCH_CUT_TIME: return "timeTrunc";
    case SHARC_FETCH_CUT_DISCONNECT:
    case SHARC_FETCH_CUT_UNSPECIFIED: return "midFetchTrunc";
    }
    return NULL;
}

/* The seed that led here; what the sitemap or an earlier capture knew belongs to the first. */
static struct sharc_span seed_of(const struct capture *s, uint32_t page)
{
    uint32_t seed = sharc__crawl_pages_seed_of(s->pages, page);
    return seed != NO_PAGE ? page_url(s->pages, seed) : sharc_span_of(s->seed);
}

void sharc__crawl_log_fetch(const struct capture *s, const struct job *j, const struct written *w,
                            const char *annotation)
{
    const struct pages *p = s->pages;
    uint32_t via = p->page[j->task.page].via;
    SHARC_AUTO(sharc_buf_done)
    struct sharc_buf hops = SHARC_BUF_INIT(256), notes = SHARC_BUF_INIT(512), json = SHARC_BUF_INIT(8192),
                     line = SHARC_BUF_INIT(64u << 10);
    sharc__crawl_pages_path(p, j->task.page, &hops);
    if (w && w->revisit)
        put_note(&notes, j->result->status == 304 ? "duplicate:server-not-modified" : "duplicate:digest");
    put_note(&notes, cut_note(j->result->cut));
    put_note(&notes, annotation);
    if (j->task.tries) sharc_buf_printf(&notes, "%s%ut", notes.n ? "," : "", j->task.tries + 1u);
    sharc_buf_reserve(&json, LINE_USUAL);
    put_json(s, j, w, &json);
    struct sharc_digest digest = j->made.digest;
    if (j->made.answer == SHARC_ANSWER_NOT_MODIFIED && j->in.before.has_digest) { /* not that of nothing */
        digest = (struct sharc_digest){.kind = SHARC_SHA256, .n = sizeof j->in.before.digest};
        memcpy(digest.bytes, j->in.before.digest, sizeof j->in.before.digest);
    }
    struct log_line l = {.now = j->result->end,
                         .code = j->result->code,
                         .size = j->result->status ? (int64_t)sharc_spool_size(&j->result->body) : -1,
                         .url = page_url(p, j->task.page),
                         .hops = sharc_buf_span(&hops),
                         .via = via == NO_PAGE ? SHARC_SPAN_NONE : page_url(p, via),
                         .type = j->made.type,
                         .thread = s->number,
                         .start = j->result->start,
                         .took = j->result->end - j->result->start,
                         .digest = &digest,
                         .source = seed_of(s, j->task.page),
                         .notes = sharc_buf_span(&notes),
                         .json = sharc_buf_span(&json)};
    sharc_buf_reserve(&line, LINE_USUAL);
    sharc__crawl_log_line(&l, &line);
    fwrite(line.p, 1, line.n, s->out->logs->crawl);
}

static void write_line(const struct output *o, const struct log_line *l)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf line = SHARC_BUF_INIT(64u << 10);
    sharc__crawl_log_line(l, &line);
    fwrite(line.p, 1, line.n, o->logs->crawl);
}

void sharc__crawl_log_event(const struct output *o, const struct capture *s, int code, struct sharc_span uri,
                            struct sharc_span note)
{
    struct log_line l = {.now = crawl_now(o->ctx),
                         .code = code,
                         .size = -1,
                         .url = uri,
                         .type = SHARC_SPAN("unknown"),
                         .thread = s ? s->number : 0,
                         .start = SHARC_TIME_NONE,
                         .source = s ? sharc_span_of(s->seed) : SHARC_SPAN_NONE,
                         .notes = note};
    write_line(o, &l);
}

void sharc__crawl_log_limits(const struct capture *s)
{
    for (int k = 0; k < SHARC_CRAWL_REASON_COUNT; k++) {
        enum sharc_crawl_reason why = (enum sharc_crawl_reason)k;
        uint64_t n = 0;
        char uri[64], note[64];
        if (sharc_crawl_reason_class(why) != SHARC_REASON_LIMIT) continue;
        for (uint32_t i = 0; i < pages_count(s->pages); i++) n += s->pages->page[i].reason == why;
        if (n == 0) continue;
        snprintf(uri, sizeof uri, "sharc:%s", sharc_crawl_reason_word(why));
        snprintf(note, sizeof note, "%s,urls:%" PRIu64, sharc_crawl_reason_word(why), n);
        sharc__crawl_log_event(s->out, s, sharc__crawl_reason_code(why), sharc_span_of(uri), sharc_span_of(note));
    }
}

void sharc__crawl_log_skip(const struct capture *s, uint32_t page, enum sharc_crawl_reason why)
{
    const struct pages *p = s->pages;
    uint32_t via = p->page[page].via;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf hops = SHARC_BUF_INIT(256), line = SHARC_BUF_INIT(64u << 10);
    sharc__crawl_pages_path(p, page, &hops);
    struct log_line l = {.now = crawl_now(s->out->ctx),
                         .code = sharc__crawl_reason_code(why),
                         .size = -1,
                         .url = page_url(p, page),
                         .hops = sharc_buf_span(&hops),
                         .via = via == NO_PAGE ? SHARC_SPAN_NONE : page_url(p, via),
                         .type = SHARC_SPAN("unknown"),
                         .thread = s->number,
                         .start = SHARC_TIME_NONE,
                         .source = seed_of(s, page),
                         .notes = sharc_span_of(sharc_crawl_reason_word(why))};
    sharc_buf_reserve(&line, LINE_USUAL);
    sharc__crawl_log_line(&l, &line);
    fwrite(line.p, 1, line.n, s->out->logs->crawl);
}

uint64_t sharc__crawl_resident(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f) return 0;
    char line[128];
    if (fgets(line, sizeof line, f)) {
        char *second = strchr(line, ' ');
        if (second) pages = strtoul(second, NULL, 10);
    }
    fclose(f);
    return (uint64_t)pages * 4096;
}

void sharc__crawl_log_stats(const struct output *o, const struct sharc_crawl_status *st, const struct depths *d)
{
    char text[SHARC_TIME_TEXT];
    double seconds = fmax((double)(st->now - st->started) / (double)SHARC_SEC, 1e-3);
    double docs = (double)st->downloads / seconds, kb = (double)st->bytes / 1000 / seconds;
    unsigned long rss = (unsigned long)(sharc__crawl_resident() / 1024);
    fprintf(o->logs->stats,
            "%s %11" PRIu64 " %11" PRIu64 " %12" PRIu64 " %9.2f(%.2f) %6.0f(%.0f) %13" PRIu64 " %13" PRIu64
            " %12lu %13lu %12.2f %11" PRIu64 " %11" PRIu64 "\n",
            sharc_time_iso(st->now, 0, text), st->known, st->to_visit + st->to_revisit, st->downloads, docs, docs, kb,
            kb, st->failed, st->under_way, rss, rss, 1.0, d->most, d->pages ? d->sum / d->pages : 0);
    fflush(o->logs->stats);
}

void sharc__crawl_log_setting(const struct output *o, struct sharc_span setting)
{
    char text[SHARC_TIME_TEXT];
    fprintf(o->logs->stats, "%s setting: %.*s\n", sharc_time_iso(crawl_now(o->ctx), 0, text), SHARC_SPAN_ARG(setting));
}
