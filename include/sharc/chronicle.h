/* SPDX-License-Identifier: Apache-2.0
 *
 * The change history of a site, out of the captures of a catalogue: a dataset in the form
 * that sim_dataset.h reads, so that experiments run on a site of one's own. The files and
 * their columns are described in docs/datasets.md.
 *
 * A capture knows only that a change lies between two looks. What is written is an instant
 * between them: the Last-Modified that the server stated, where it lies between the looks,
 * else the middle. The table `bounds` has the looks and says which of the two it was.
 */
#ifndef SHARC_CHRONICLE_H
#define SHARC_CHRONICLE_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/store.h"

SHARC_PRIVATE_BEGIN

struct sharc_chronicle_options {
    sharc_store_id site; /* 0: the only one; more than one is an error that names them */
    sharc_time from, to; /* looks of that time; SHARC_TIME_NONE: open */
};
#define SHARC_CHRONICLE_OPTIONS                        \
    {                                                  \
        .from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE \
    }

struct sharc_chronicle_made {
    uint64_t pages, looks, changes, links, spanning, absences;
    uint64_t by_last_modified; /* of the changes: the server said when; the others lie in the middle */
    uint64_t seen_once;        /* pages with a single look: nothing is known about their changes */
    sharc_time start, end;
};

/* Write the dataset into a directory that is empty or not there. SHARC_ENOENT when the
 * catalogue has no look at all. Memory: some hundred bytes per page and 40 per event. */
int sharc_chronicle_write(struct sharc_store *store, const char *dir, const struct sharc_chronicle_options *o,
                          struct sharc_chronicle_made *ret, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
