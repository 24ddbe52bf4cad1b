/* SPDX-License-Identifier: Apache-2.0
 *
 * What earlier captures of a site know, told to a new one: URLs and versions
 * (earlier_pages.c), weights by their links (earlier_weights.c), and how often pages
 * changed (earlier_rates.c; earlier_looks.c reads what crawl_past.h promises).
 */
#ifndef SHARC_CRAWL_EARLIER_INT_H
#define SHARC_CRAWL_EARLIER_INT_H

#include "frontier.h"

/* The last finished capture of the site; 0: none. */
int sharc__crawl_earlier_capture(const struct frontier *f, sharc_store_id *ret, struct sharc_err *reterr);
/* Its pages, as known beforehand; embeds wait aside until a page shows them again. */
int sharc__crawl_earlier_pages(struct frontier *f, sharc_store_id capture, struct sharc_err *reterr);
/* Names of the WARC files that pages refer to: number in the catalogue -> 1 + number in o->files. */
int sharc__crawl_earlier_files(struct output *o, struct sharc_map64 *files, struct sharc_err *reterr);
/* The version that a row tells of, into v; false: nothing that a download could equal. */
bool sharc__crawl_earlier_version(struct pages *p, const struct sharc_store_page *row, const struct sharc_map64 *files,
                                  struct version *v);
/* Weights by its links, for pages that are known from it. */
int sharc__crawl_earlier_weights(struct frontier *f, sharc_store_id capture, struct sharc_err *reterr);
/* Rates from all captures: told when one begins, and written down when one ends. */
int sharc__crawl_earlier_rates(struct frontier *f, struct sharc_err *reterr);
void sharc__crawl_keep_rates(struct frontier *f, sharc_time end);

#endif
