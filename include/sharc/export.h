/* SPDX-License-Identifier: Apache-2.0
 *
 * Captures of an archive, taken out of it so that they stand alone: as a WACZ, as one
 * WARC, or as a mirror. The catalogue says which records a capture is made of and
 * which of them shows each page.
 *
 * A page is shown as it was at the capture's reference time: by the last download at
 * or before it that says something about the page, and when there is none, by the first
 * one after it. So of a page that changed between visit and revisit the visit is
 * shown. Without a reference time the visit is shown.
 *
 * What is only referred to comes along: the answer that a revisit record repeats or
 * that a server called unchanged (304), also from files of earlier captures.
 *
 *   sharc_export_new(store, dir, words, count, &x, &err);
 *   sharc_export_wacz(x, "site.wacz", &options, &made, &err);
 *   sharc_export_free(x);
 */
#ifndef SHARC_EXPORT_H
#define SHARC_EXPORT_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/replay_mirror.h"
#include "sharc/store.h"
#include "sharc/wacz.h"
#include "sharc/warc_export.h"

SHARC_PRIVATE_BEGIN

struct sharc_export;

/* Choose captures. Each of the words is one as sharc_store_capture_find takes it, a time
 * (the latest capture that began at or before it), or "all". Captures that are named
 * twice are taken once; they are put in the order of their beginnings. The archive is the
 * directory below which the catalogue's files lie. store must outlive *ret; both are
 * only read. Memory: some 40 bytes a page. */
int sharc_export_new(struct sharc_store *store, const char *archive, const char *const *words, size_t count,
                     struct sharc_export **ret, struct sharc_err *reterr);
void sharc_export_free(struct sharc_export *x);
void sharc_export_freep(struct sharc_export **x);

struct sharc_export_sums {
    size_t captures;
    uint64_t urls;       /* of all of them: pages and embeds */
    uint64_t lost;       /* of these: the answer that shows it is in no file of the archive */
    uint64_t unfinished; /* captures that did not go to their end */
};
struct sharc_export_sums sharc_export_sum(const struct sharc_export *x);

/* The captures, by their beginnings: i < captures of the sums. Strings live with x. */
struct sharc_export_capture {
    const char *key, *site;
    const char *seed;            /* the page to open first; NULL: none */
    const char *state;           /* "complete", "interrupted", … */
    sharc_time start, reference; /* SHARC_TIME_NONE: unknown */
    uint64_t urls;               /* pages and embeds */
};
void sharc_export_capture(const struct sharc_export *x, size_t i, struct sharc_export_capture *ret);

/* All records of the captures, with their requests and metadata, and the answers that they
 * refer to. Of s everything counts but wants. */
int sharc_export_warc(struct sharc_export *x, const char *output, const struct sharc_warc_selection *s,
                      const struct sharc_warc_merge *m, struct sharc_warc_selected *ret, struct sharc_err *reterr);

/* The captures' pages as files; SHARC_EINVAL when there is more than one capture. Of o everything counts but
 * selection.wants, at and start. */
int sharc_export_mirror(struct sharc_export *x, const char *output, const struct sharc_mirror_options *o,
                        struct sharc_mirror_made *ret, struct sharc_err *reterr);

/* A WACZ of the records that sharc_export_warc would write. Its index names for each page
 * of each capture the record that shows it, and no other; the full index lies beside it. It
 * opens on the seed of the last capture, and datapackage.json holds what the catalogue says about the captures
 * ("captures"), captures/pages.jsonl about their pages.
 *
 * Replay tools choose by time, and would mix several captures: so in a WACZ of more than one
 * each page of each capture gets a record dated at the reference time (to the second). These
 * records are made, and lie in a file of their own: revisit records that name the record
 * that they stand for (Sharc-Stands-For) and refer to the answer that has the bytes.
 *
 * Of o everything counts but pages and choice. Temporary files lie beside the output. */
int sharc_export_wacz(struct sharc_export *x, const char *output, const struct sharc_wacz_options *o,
                      struct sharc_wacz_written *ret, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
