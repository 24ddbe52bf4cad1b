/* SPDX-License-Identifier: Apache-2.0
 *
 * From paths to facts: files side by side, then all together.
 */
#include "derive_int.h"

#include "sharc/base_zip.h"

#include <stdlib.h>

/* --- files ------------------------------------------------------------------------------- */

static int open_file(struct sharc_derived_file *f, const struct sharc_warc_input *in, struct sharc_err *reterr)
{
    f->name = sharc_strdup(sharc_warc_input_name(in));
    if (in->zip) return sharc_zip_raw(in->zip, in->entry, &f->bytes, reterr);
    int r = sharc_filemap_open(&f->map, in->path, reterr);
    f->bytes = f->map.bytes;
    return r;
}

void sharc_derived_file_done(struct sharc_derived_file *f)
{
    free(f->name);
    free(f->sums);
    sharc_filemap_done(&f->map);
    sharc_buf_done(&f->info);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct sharc_derived_file *)a)->name, ((const struct sharc_derived_file *)b)->name);
}

int sharc_derive_open(struct sharc_derived *f, const char *const *paths, size_t count, struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < count; i++) r = sharc_warc_inputs_add(&f->inputs, paths[i], reterr);
    if (r < 0) return r;
    f->files = SHARC_NEW_ARRAY(struct sharc_derived_file, f->inputs.count);
    for (size_t i = 0; r == 0 && i < f->inputs.count; i++)
        r = open_file(&f->files[f->file_count++], &f->inputs.items[i], reterr);
    if (r < 0) return r;
    if (f->file_count) qsort(f->files, f->file_count, sizeof *f->files, by_name);
    return 0;
}

/* --- which capture -------------------------------------------------------------------------------- */

static int choose_capture(struct sharc_derived *f, const struct derive_part *parts, size_t count, sharc_time wanted,
                          struct sharc_err *reterr)
{
    bool there = false, several = false;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < parts[i].g.count; k++) {
            const struct sharc_download *d = &parts[i].g.items[k];
            if (!(d->flags & SHARC_DOWNLOAD_OWN) || d->capture == SHARC_TIME_NONE) continue;
            there |= wanted == d->capture;
            several |= f->capture != SHARC_TIME_NONE && f->capture != d->capture;
            f->capture = d->capture;
        }
    }
    SHARC_FAIL_IF(f->capture == SHARC_TIME_NONE, reterr, SHARC_ENOENT,
                  "no record in these files says which capture it belongs to: only captures made by sharc crawl can be "
                  "certified");
    SHARC_FAIL_IF(several && !there, reterr, wanted == SHARC_TIME_NONE ? SHARC_EINVAL : SHARC_ENOENT,
                  "the files hold several captures, and %s",
                  wanted == SHARC_TIME_NONE ? "none was named" : "not this one");
    if (there) f->capture = wanted;
    return 0;
}

/* --- all of it --------------------------------------------------------------------------------------- */

static int check_payloads(const struct sharc_derived *f, struct sharc_err *reterr)
{
    for (size_t i = 0; i < f->all.count; i++) {
        const struct sharc_download *d = &f->all.items[i];
        if (!(d->flags & SHARC_DOWNLOAD_WRONG_PAYLOAD)) continue;
        if (reterr) reterr->offset = d->offset;
        return sharc_fail(reterr, SHARC_EDIGEST,
                          "%s: offset %llu: the payload does not have the digest that its record states; run sharc "
                          "verify on the file",
                          f->files[d->file].name, (unsigned long long)d->offset);
    }
    return 0;
}

/* The same answer twice would count twice, and a row could mean either. */
static int check_ids(const struct sharc_derived *f, struct sharc_err *reterr)
{
    if (!f->twin) return 0;
    const struct sharc_download *a = &f->all.items[f->twin_of], *b = &f->all.items[f->twin];
    return sharc_fail(reterr, SHARC_ECORRUPT,
                      "%s: offset %llu: the record has the same WARC-Record-ID as the one in %s at offset %llu: give "
                      "each file once, and run sharc verify on them",
                      f->files[b->file].name, (unsigned long long)b->offset, f->files[a->file].name,
                      (unsigned long long)a->offset);
}

static void number_files(struct sharc_derived *f)
{
    uint32_t n = 0;
    for (size_t i = 0; i < f->file_count; i++)
        if (f->files[i].needed) f->files[i].number = n++;
}

int sharc_derive_run(struct sharc_derived *f, const struct sharc_derive_options *o, struct sharc_err *reterr)
{
    struct derive_part *parts = NULL;
    size_t count = 0;
    f->capture = SHARC_TIME_NONE;
    int r = sharc__derive_read(f, o, &parts, &count, reterr);
    if (r == 0) r = choose_capture(f, parts, count, o->capture, reterr);
    if (r == 0) r = sharc__derive_join(f, parts, count, reterr);
    for (size_t i = 0; i < count; i++) sharc__derive_part_done(&parts[i]);
    free(parts);
    if (r == 0 && !o->lenient) r = check_payloads(f, reterr);
    if (r == 0 && !o->lenient) r = check_ids(f, reterr);
    if (r < 0) return r;
    number_files(f);
    sharc__derive_steps(f);
    r = sharc__derive_grade(f, o->threads, reterr);
    if (r < 0) return r;
    sharc__derive_heed_verdict(f);
    sharc__derive_set_aside(f);
    sharc__derive_audits(f);
    sharc__derive_intervals(f);
    sharc__derive_wholes(f);
    return 0;
}

struct sharc_derived *sharc_derived_new(void)
{
    struct sharc_derived *f = SHARC_NEW(struct sharc_derived);
    sharc__derive_gathered_init(&f->all);
    f->capture = SHARC_TIME_NONE;
    return f;
}

void sharc_derived_free(struct sharc_derived *f)
{
    if (!f) return;
    for (size_t i = 0; i < f->file_count; i++) sharc_derived_file_done(&f->files[i]);
    free(f->files);
    sharc__derive_gathered_done(&f->all);
    for (size_t i = 1; i < f->detail_count; i++) {
        free(f->details[i].json);
        free(f->details[i].line);
    }
    free(f->details);
    free(f->pages);
    free(f->page_of);
    free(f->other);
    free(f->stated);
    free(f->audited);
    free(f->left_out);
    free(f->params);
    free(f->scope);
    free(f->dated);
    free(f->gone);
    free(f->steps);
    free(f->places);
    free(f->part);
    free(f->part_at);
    sharc_warc_inputs_done(&f->inputs);
    free(f);
}

void sharc_derived_freep(struct sharc_derived **f)
{
    sharc_derived_free(*f);
    *f = NULL;
}
