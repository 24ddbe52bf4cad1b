/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a capture, measured and derived.
 */
#include "certify_int.h"
#include "locate.h"

void sharc__certify_measure(struct sharc_derived_file *f)
{
    sharc_digest_of(SHARC_SHA256, f->bytes, &f->digest);
    f->sums = sharc__certify_sums(f->bytes);
}

/* Rows name files by the last part of their names. */
int sharc__certify_check_names(const struct sharc_derived *f, struct sharc_err *reterr)
{
    for (size_t i = 1; i < f->file_count; i++)
        SHARC_FAIL_IF(strcmp(f->files[i - 1].name, f->files[i].name) == 0, reterr, SHARC_EINVAL,
                      "two files are called %s: name only one of them", f->files[i].name);
    return 0;
}

int sharc_certify_read(const struct sharc_certify_reading *o, struct sharc_derived **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *f = sharc_derived_new();
    struct sharc_derive_options d = {.capture = o->capture, .threads = o->threads, .measure = sharc__certify_measure};
    int r = sharc_derive_open(f, o->paths, o->count, reterr);
    if (r == 0) r = sharc__certify_check_names(f, reterr);
    if (r == 0) r = sharc_derive_run(f, &d, reterr);
    SHARC_FAIL_IF(r == 0 && f->page_count == 0, reterr, SHARC_ENOENT, "the capture holds no page that was answered");
    if (r < 0) return r;
    *ret = SHARC_TAKE(f);
    return 0;
}

void sharc_certify_sum(const struct sharc_derived *f, struct sharc_certify_sum *ret)
{
    *ret = (struct sharc_certify_sum){.capture = f->capture,
                                      .began = f->began,
                                      .ended = f->ended,
                                      .from = f->from,
                                      .to = f->to,
                                      .pages = f->page_count,
                                      .downloads = f->downloads,
                                      .together = f->together};
    for (int r = 0; r < SHARC_GRADE_REASON_COUNT; r++)
        ret->grades[sharc_grade_of((enum sharc_grade_reason)r)] += ret->reasons[r] = f->reasons[r];
    for (int g = 0; g < SHARC_GRADE_COUNT; g++) ret->whole_pages += ret->whole[g] = f->wholes[g];
    for (size_t i = 0; i < f->file_count; i++) {
        ret->files += f->files[i].needed;
        ret->bytes += f->files[i].needed ? f->files[i].bytes.n : 0;
    }
}
