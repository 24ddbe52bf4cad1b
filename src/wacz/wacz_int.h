/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARC_WARC_WACZ_INT_H
#define SHARC_WARC_WACZ_INT_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_sort.h"
#include "sharc/wacz.h"
#include "sharc/warc.h"

/* The text of the first <title> in the beginning of an HTML page, as UTF-8, white
 * space squeezed, character references of common use resolved, at most 500 bytes
 * (replaces the content of out). Comments, scripts and style sheets are passed
 * over. Empty: none. Bytes that are not UTF-8 are read as windows-1252. Linear. */
void sharc__wacz_title(struct sharc_span html, struct sharc_buf *out);

/* Read the pages of archive files in parallel and give the lines of pages.jsonl without
 * its header, by time. *ret_lost: revisits without their original, which are told to o->warn; 0 when
 * o->requires says where they are. */
int sharc__wacz_pages(const char *const *warcs, size_t count, const char *temporary, const struct sharc_wacz_options *o,
                      sharc_line_fn *fn, void *arg, uint64_t *ret_lost, struct sharc_err *reterr);

/* Revisits whose originals are looked for. Zeroed storage is initialised storage. */
struct wacz_revisits {
    struct wacz_revisit *items;
    size_t count, room;
};
void sharc__wacz_revisits_done(struct wacz_revisits *v);
void sharc__wacz_revisits_add(struct wacz_revisits *v, const struct sharc_record *rec);
/* Read the files again, if there are any revisits, and tell those that are lost to o->warn. */
int sharc__wacz_revisits_lost(const struct wacz_revisits *v, const char *const *warcs, size_t count,
                              const struct sharc_wacz_options *o, uint64_t *ret, struct sharc_err *reterr);

#endif
