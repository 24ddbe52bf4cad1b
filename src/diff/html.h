/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of HTML that the two reports share.
 */
#ifndef SHARC_DIFF_HTML_H
#define SHARC_DIFF_HTML_H

#include "sharc/diff_report.h"

/* Text as HTML: escaped, bytes that are not UTF-8 and controls as U+FFFD. */
void sharc__diff_html_text(struct sharc_buf *out, struct sharc_span s);
void sharc__diff_html_words(struct sharc_buf *out, const char *s);
/* From the doctype to <main>, with style and policy; and the end. */
void sharc__diff_html_begin(struct sharc_buf *out, const char *title);
void sharc__diff_html_end(struct sharc_buf *out);

void sharc__diff_html_class(struct sharc_buf *out, unsigned c);
void sharc__diff_html_importance(struct sharc_buf *out, double importance);
void sharc__diff_html_time(struct sharc_buf *out, sharc_time t);
/* Blocks, links and text of a page. */
void sharc__diff_html_details(struct sharc_buf *out, const struct sharc_diff_page *p);

#endif
