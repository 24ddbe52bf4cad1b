/* SPDX-License-Identifier: Apache-2.0
 *
 * The regular expressions of scope rules, for other rooms that take expressions
 * from outside: matched by automaton, so that no expression and no text can make
 * them slow. What is supported is said in url_scope.h.
 */
#ifndef SHARC_URL_REGEX_H
#define SHARC_URL_REGEX_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

struct sharc_url_regex;
/* SHARC_EINVAL with a sentence that quotes the expression; SHARC_ELIMIT beyond
 * SHARC_LIMIT_REGEX_BYTES. */
int sharc_url_regex_new(struct sharc_span text, struct sharc_url_regex **ret, struct sharc_err *reterr);
void sharc_url_regex_free(struct sharc_url_regex *r);
/* Is there a match anywhere in s? ^ and $ anchor. Safe from all threads. */
bool sharc_url_regex_search(const struct sharc_url_regex *r, struct sharc_span s);

SHARC_PRIVATE_END
#endif
