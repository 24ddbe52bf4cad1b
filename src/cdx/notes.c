/* SPDX-License-Identifier: Apache-2.0
 *
 * Index lines made when a record is written: offset, length, digest and head are at
 * hand then, and reading a file again costs ten times as much as its lines. Notes are
 * only an abridgement: whatever is odd about them, the files are read instead.
 */
#include "notes.h"

#include "from_record.h"
#include "sharc/base_map.h"
#include "sharc/cdx_build.h"
#include "sharc/http.h"
#include "sharc/warc_write.h"

#include <stdlib.h>

enum { MEMORY_EACH = 4 << 20 };

struct sharc_cdx_notes {
    struct sharc_sorter *sorter;
    struct cdx_maker *maker;
    struct sharc_intern *files;
    uint64_t *ends; /* of the last noted record, by number of the file */
    size_t room;
    unsigned readers;
    struct sharc_http http;
    bool is_void;
};

static int keep_line(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    struct sharc_cdx_notes *n = arg;
    return sharc_sorter_put(n->sorter, NOTES_WRITER, line, reterr);
}

struct sharc_cdx_notes *sharc_cdx_notes_new(const char *directory, unsigned readers)
{
    struct sharc_cdx_notes *n = SHARC_NEW(struct sharc_cdx_notes);
    n->readers = readers ? readers : 1;
    n->sorter =
        sharc_sorter_new(directory, NOTES_READERS + n->readers, (size_t)(NOTES_READERS + n->readers) * MEMORY_EACH);
    n->maker = sharc__cdx_maker_new(&(struct cdx_maker_options){.plain_keys = false});
    sharc__cdx_maker_start(n->maker, NULL, keep_line, n);
    n->files = sharc_intern_new();
    return n;
}

void sharc_cdx_notes_free(struct sharc_cdx_notes *n)
{
    if (!n) return;
    sharc_sorter_free(n->sorter);
    sharc__cdx_maker_free(n->maker);
    sharc_intern_free(n->files);
    sharc_http_done(&n->http);
    free(n->ends);
    free(n);
}

void sharc_cdx_notes_freep(struct sharc_cdx_notes **n)
{
    sharc_cdx_notes_free(*n);
    *n = NULL;
}

/* --- noting -------------------------------------------------------------- */

/* The record follows the one noted before in its file. */
static bool follows(struct sharc_cdx_notes *n, const struct sharc_warc_place *p)
{
    bool fresh;
    uint32_t number = sharc_intern_add(n->files, sharc_span_of(p->file), &fresh);
    SHARC_GROW(n->ends, n->room, (size_t)number + 1);
    if (!fresh && n->ends[number] != p->offset) return false;
    n->ends[number] = p->offset + p->length;
    return true;
}

/* A request that sends nothing changes no key. */
static bool is_plain(const struct sharc_warc_bytes *request)
{
    struct sharc_span head = request->head;
    return head.n + request->body.n + request->fd_size == 0 || sharc_span_starts(head, SHARC_SPAN("GET ")) ||
           sharc_span_starts(head, SHARC_SPAN("HEAD "));
}

/* Would the reader give this URL back as it is? It takes brackets and blanks out. */
static bool stays(struct sharc_span url)
{
    if (!url.n || url.p[0] == '<') return false;
    for (size_t i = 0; i < url.n; i++)
        if ((unsigned char)url.p[i] <= ' ') return false;
    return true;
}

static bool note_main(struct sharc_cdx_notes *n, const struct sharc_warc_fetch *f, const struct sharc_warc_place *p)
{
    struct sharc_span head = f->response.head;
    if (!head.n || !p->payload.n || !stays(f->target) || f->date == SHARC_TIME_NONE) return false;
    /* Nothing behind the head can be taken for a part of it. */
    if (!sharc_span_ends(head, SHARC_SPAN("\n\r\n")) && !sharc_span_ends(head, SHARC_SPAN("\n\n"))) return false;
    int64_t parsed = sharc_http_parse(&n->http, head, true, NULL);
    struct cdx_noted_record rec = {.revisit = f->original != NULL,
                                   .target = f->target,
                                   .date = f->date,
                                   .http = parsed > 0 && n->http.response ? &n->http : NULL,
                                   .place = p};
    int r = sharc__cdx_maker_note(n->maker, &rec, NULL);
    /* What has no key or is too long has no line in an index either. */
    return r == 0 || r == SHARC_ESYNTAX || r == SHARC_ELIMIT;
}

void sharc_cdx_notes_add(struct sharc_cdx_notes *n, const struct sharc_warc_fetch *f,
                         const struct sharc_warc_fetch_places *p)
{
    const struct sharc_warc_place *const places[] = {&p->tls_chain, &p->response, &p->request, &p->metadata};
    if (n->is_void) return;
    bool good = is_plain(&f->request);
    for (size_t i = 0; good && i < SHARC_LENGTH(places); i++)
        if (places[i]->length) good = follows(n, places[i]);
    if (good && p->response.length && !f->control) good = note_main(n, f, &p->response);
    n->is_void = !good;
}

/* --- using --------------------------------------------------------------- */

bool sharc__cdx_notes_know(const struct sharc_cdx_notes *n, const struct cdx_job *job)
{
    uint32_t number = sharc_intern_find(n->files, sharc_span_of(job->name));
    return number != SHARC_NO_ID && !sharc__cdx_job_is_index(job) && !job->input->zip &&
           n->ends[number] == job->input->size;
}

bool sharc__cdx_notes_hold(const struct sharc_cdx_notes *n, const struct cdx_jobs *jobs)
{
    size_t known = 0;
    for (size_t i = 0; i < jobs->count; i++) known += sharc__cdx_notes_know(n, &jobs->items[i]);
    return !n->is_void && n->sorter && known == sharc_intern_count(n->files);
}

unsigned sharc__cdx_notes_readers(const struct sharc_cdx_notes *n)
{
    return n->readers;
}

struct sharc_sorter *sharc__cdx_notes_take(struct sharc_cdx_notes *n)
{
    struct sharc_sorter *sorter = n->sorter;
    n->sorter = NULL;
    n->is_void = true;
    return sorter;
}
