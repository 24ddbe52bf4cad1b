/* SPDX-License-Identifier: Apache-2.0
 *
 * Progress for a person who waits: a bar with rate and time left on a
 * terminal, a plain line now and then elsewhere, nothing when quiet. Neither speed
 * nor time left is claimed while nothing moves. Time is an argument here too. Safe to
 * call from several threads.
 */
#ifndef SHARC_BASE_PROGRESS_H
#define SHARC_BASE_PROGRESS_H

#include "sharc/base.h"
#include "sharc/base_clock.h"

#include <stdio.h>

SHARC_PRIVATE_BEGIN

enum sharc_progress_style { SHARC_PROGRESS_QUIET, SHARC_PROGRESS_LINES, SHARC_PROGRESS_BAR };

struct sharc_progress;
/* total == 0: unknown. unit: "pages"; amounts of "bytes" are written as sizes.
 * what and unit are copied. out is usually stderr and stays the caller's. */
struct sharc_progress *sharc_progress_new(FILE *out, enum sharc_progress_style style, const char *what,
                                          const char *unit, uint64_t total, sharc_time now);
/* Erases the bar; ends with one line of the total in both loud styles. */
void sharc_progress_finish(struct sharc_progress *p, sharc_time now);
void sharc_progress_free(struct sharc_progress *p);
void sharc_progress_freep(struct sharc_progress **p);
/* Count up; redraws at most ten times a second (bar) or every ten seconds (lines). */
void sharc_progress_add(struct sharc_progress *p, uint64_t more, sharc_time now);
void sharc_progress_total(struct sharc_progress *p, uint64_t total);
/* So much was done before anybody watched, as of work that is resumed: it counts, but
 * not as speed. Before the first add. */
void sharc_progress_begin(struct sharc_progress *p, uint64_t done);
/* Who does the work knows better how long it takes: this is shown as the time left.
 * SHARC_TIME_NONE: it cannot be told. */
void sharc_progress_left(struct sharc_progress *p, sharc_time left);
/* A short remark at the end of the bar ("revisit phase"); copied. */
void sharc_progress_note(struct sharc_progress *p, const char *note);
/* QUIET when told so, BAR when out is a terminal and term (the caller's $TERM,
 * may be NULL) is one that can erase a line, else LINES. */
enum sharc_progress_style sharc_progress_style_for(FILE *out, const char *term, bool quiet);

SHARC_PRIVATE_END
#endif
