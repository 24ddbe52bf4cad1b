/* SPDX-License-Identifier: Apache-2.0
 *
 * Large files are read in parts, side by side: somewhere inside a record is looked for that begins a download, and one
 * reader ends where the next one began. That is exactly what one reader of all would have found, if it comes to each
 * of these places by itself, at the end of a record. Where it does not (a place that only looked like a record, as in
 * an archive file that was itself downloaded), and where something is damaged, the file is read once more in one
 * piece. So neither what is found nor what is said of damage depends on parts or threads.
 */
#include "derive_int.h"

#include "sharc/base_pool.h"

#include <stdlib.h>

enum { PART_BYTES = 4 << 20, MOST_PARTS = 256 };

struct passes {
    struct sharc_derived *f;
    const struct sharc_derive_options *o;
    struct derive_part *parts;
    size_t count, room;
};

/* --- where they begin -------------------------------------------------------------------- */

/* Records of a download stand side by side, the answer in front: behind another record a reader would not know whose
 * they are. */
static bool begins_download(const struct sharc_record *rec)
{
    uint8_t id[16];
    return !rec->joined && (rec->type == SHARC_WARC_RESPONSE || rec->type == SHARC_WARC_REVISIT) &&
           sharc_warc_id_read(rec->id, id);
}

/* The first place between from and to; SHARC_NOWHERE: there is none. A lenient reader finds records from anywhere. */
static uint64_t find_start(struct sharc_span bytes, uint64_t from, uint64_t to)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_warc_options o = {.offset = from, .lenient = true};
    struct sharc_record rec;
    if (sharc_warc_open_bytes(sharc_span_sub(bytes, 0, (size_t)to), &o, &w, NULL) < 0) return SHARC_NOWHERE;
    while (sharc_warc_next(w, &rec, NULL) > 0)
        if (begins_download(&rec)) return rec.offset;
    return SHARC_NOWHERE;
}

static int look_for_start(size_t i, unsigned thread, void *arg)
{
    const struct passes *p = arg;
    struct derive_part *part = &p->parts[i];
    (void)thread;
    if (part->from) part->from = find_start(p->f->files[part->file].bytes, part->from, part->to);
    return 0;
}

/* zstd is left alone: its frames may need a dictionary, and sharc does not write it. */
static size_t parts_of(const struct passes *p, struct sharc_span bytes)
{
    size_t size = p->o->part_bytes ? p->o->part_bytes : PART_BYTES, n = bytes.n / size;
    bool known = sharc_span_starts(bytes, SHARC_SPAN("\x1f\x8b")) || sharc_span_starts(bytes, SHARC_SPAN("WARC/"));
    if (p->o->lenient || !known || n < 2) return 1;
    return n < MOST_PARTS ? n : MOST_PARTS;
}

static void add_parts(struct passes *p, uint32_t file)
{
    struct sharc_span bytes = p->f->files[file].bytes;
    size_t n = parts_of(p, bytes);
    SHARC_GROW(p->parts, p->room, p->count + n);
    for (size_t i = 0; i < n; i++)
        p->parts[p->count++] = (struct derive_part){.file = file, .from = bytes.n / n * i, .to = bytes.n / n * (i + 1)};
}

/* Parts in which none begins go to the one before; each ends where the next one of its file begins. */
static void settle(struct passes *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (p->parts[i].from == SHARC_NOWHERE) continue;
        p->parts[n] = p->parts[i];
        if (n && p->parts[n].from) p->parts[n - 1].to = p->parts[n].from;
        p->parts[n++].to = SHARC_NOWHERE;
    }
    p->count = n;
}

/* --- reading ----------------------------------------------------------------------------------- */

static int read_part(const struct passes *p, struct derive_part *part, struct sharc_err *reterr)
{
    sharc__derive_part_init(part);
    return sharc__derive_gather(&p->f->files[part->file], p->o->lenient, part, reterr);
}

/* First the bytes of every file are measured, each in one piece, then the records of the parts. */
static int pass(size_t i, unsigned thread, void *arg)
{
    const struct passes *p = arg;
    (void)thread;
    if (i >= p->f->file_count) {
        struct derive_part *part = &p->parts[i - p->f->file_count];
        part->result = read_part(p, part, NULL);
    } else if (p->o->measure) {
        p->o->measure(&p->f->files[i]);
    }
    return 0;
}

/* All parts of a file in one; the others are left empty. */
static int read_again(const struct passes *p, size_t first, size_t end, struct sharc_err *reterr)
{
    for (size_t i = first; i < end; i++) {
        sharc__derive_part_done(&p->parts[i]);
        if (i > first) sharc__derive_part_init(&p->parts[i]);
    }
    p->parts[first].to = SHARC_NOWHERE;
    return read_part(p, &p->parts[first], reterr);
}

static int check_file(const struct passes *p, size_t first, size_t end, struct sharc_err *reterr)
{
    bool good = true;
    for (size_t i = first; i < end; i++) good &= p->parts[i].result == 0 && p->parts[i].met;
    return good ? 0 : read_again(p, first, end, reterr);
}

/* What belongs to the file and not to a download. */
static void keep_info(const struct passes *p)
{
    for (size_t i = 0; i < p->count; i++) {
        struct derive_part *part = &p->parts[i];
        struct sharc_derived_file *f = &p->f->files[part->file];
        f->records += part->records;
        if (f->info.n) continue;
        sharc_buf_done(&f->info);
        f->info = part->info;
        f->info_date = part->info_date;
        part->info = (struct sharc_buf){0};
    }
}

int sharc__derive_read(struct sharc_derived *f, const struct sharc_derive_options *o, struct derive_part **ret_parts,
                       size_t *ret_count, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_pool_freep) struct sharc_pool *pool = sharc_pool_new(o->threads);
    struct passes p = {.f = f, .o = o};
    int r = 0;
    for (uint32_t i = 0; i < f->file_count; i++) add_parts(&p, i);
    sharc_pool_each(pool, p.count, look_for_start, &p);
    settle(&p);
    sharc_pool_each(pool, f->file_count + p.count, pass, &p);
    for (size_t i = 0, end; r == 0 && i < p.count; i = end) {
        for (end = i + 1; end < p.count && p.parts[end].file == p.parts[i].file;) end++;
        r = check_file(&p, i, end, reterr);
    }
    if (r == 0) keep_info(&p);
    *ret_parts = p.parts;
    *ret_count = p.count;
    return r;
}

void sharc__derive_part_init(struct derive_part *part)
{
    sharc__derive_gathered_init(&part->g);
    part->info = (struct sharc_buf){0};
    part->records = 0;
    part->met = false;
}

void sharc__derive_part_done(struct derive_part *part)
{
    sharc__derive_gathered_done(&part->g);
    sharc_buf_done(&part->info);
}
