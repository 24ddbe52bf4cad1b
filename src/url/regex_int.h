/* SPDX-License-Identifier: Apache-2.0
 *
 * Regular expressions that cannot be made slow. The expression becomes a
 * non-deterministic automaton of at most REGEX_PROGRAM steps, and a match walks
 * all its states side by side: length × steps in the worst case, whatever the
 * text. The C library's own would depend on the locale, keeps every state it
 * ever made, and lets "((a{99}){99}){99}" eat the memory while compiling.
 */
#ifndef SHARC_URL_REGEX_INT_H
#define SHARC_URL_REGEX_INT_H

#include "sharc/base.h"

#define REGEX_PROGRAM 2000u

struct regex;
/* *ret, to be freed; or NULL and in *ret_wrong what is wrong at byte *ret_at. */
struct regex *sharc__url_regex_new(struct sharc_span text, const char **ret_wrong, size_t *ret_at);
void sharc__url_regex_free(struct regex *r);
/* Is there a match anywhere in s? Allocates nothing, safe from all threads. */
bool sharc__url_regex_search(const struct regex *r, struct sharc_span s);

#endif
