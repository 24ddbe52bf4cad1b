/* SPDX-License-Identifier: Apache-2.0
 *
 * What the room asks about the reasons of crawl.h.
 */
#ifndef SHARC_CRAWL_REASONS_INT_H
#define SHARC_CRAWL_REASONS_INT_H

#include "sharc/crawl.h"

/* Does every such URL get a line in crawl.log, and with which code? */
bool sharc__crawl_reason_logged(enum sharc_crawl_reason r);
int sharc__crawl_reason_code(enum sharc_crawl_reason r);
/* Settings decide it, not what the page or the server did. */
bool sharc__crawl_reason_may_change(enum sharc_crawl_reason r);
/* A URL that was turned down for it may be let in later in the same capture. */
bool sharc__crawl_reason_decided_anew(enum sharc_crawl_reason r);

#endif
