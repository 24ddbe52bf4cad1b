/* SPDX-License-Identifier: Apache-2.0
 *
 * A crawl and its site in time of their own. One clock for both; it moves when the crawler waits,
 * and by a fixed time with every answer. While a request is under way, while an answer is
 * worked on, while the machine does something else, it stands still. So how busy a machine is does
 * not matter, a month passes in a minute, and two runs are alike.
 *
 * Requests go over HTTP to the site as ever, one at a time.
 */
#ifndef SHARC_LAB_VIRTUAL_H
#define SHARC_LAB_VIRTUAL_H

#include "sharc/base_clock.h"
#include "sharc/http_fetch.h"

struct lab_virtual {
    struct sharc_clock_virtual clock; /* for site and crawl */
    sharc_time latency;               /* that an answer takes */
    struct sharc_fetcher *outer;      /* for the crawl */
    struct sharc_fetcher *inner;      /* the real one, in real time */
    struct sharc_buf message;
};
int sharc__lab_virtual_init(struct lab_virtual *v, sharc_time at, sharc_time latency, struct sharc_err *reterr);
void sharc__lab_virtual_done(struct lab_virtual *v);

#endif
