/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the suites of other projects beside the source tree.
 */
#ifndef SHARC_TEST_URL_SUITE_H
#define SHARC_TEST_URL_SUITE_H

#include "sharc/base_arena.h"
#include "sharc/base_buf.h"
#include "sharc/base_node.h"

struct suite {
    struct sharc_buf bytes;
    struct sharc_arena arena;
    const struct sharc_node *root;
};

/* Opens suites/<name>, JSON or not; skips the running test when it is absent.
 * A lone surrogate, which no UTF-8 can hold, is read as U+FFFD, as the standard
 * converts it. */
void suite_open(struct suite *s, const char *name, bool json);
void suite_close(struct suite *s);

/* \n \r \t \\ \xNN undone in place. */
struct sharc_span suite_unescape(struct sharc_span s);

/* Counts, and a miss that must be in `known` (by its key) to be forgiven. */
struct tally {
    const char *name;
    const char *const *known; /* ends in NULL */
    size_t passed, forgiven, failed;
};
void tally_add(struct tally *t, bool passed, struct sharc_span key, const char *detail);
/* All of `total` cases were seen and none failed that is not known to. */
void tally_check(const struct tally *t, size_t total);

#endif
