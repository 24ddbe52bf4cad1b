/* SPDX-License-Identifier: Apache-2.0
 *
 * How the process ends when it cannot go on: memory or threads are exhausted, or sharc broke a
 * promise of its own. One sentence goes to standard error, then abort() is called, unless the program
 * prefers another end:
 *
 *     static void leave(int code) { _exit(code == SHARC_ENOMEM ? 9 : 70); }
 *     …
 *     sharc_on_abort(leave);
 */
#ifndef SHARC_BASE_ABORT_H
#define SHARC_BASE_ABORT_H

#include "sharc/base.h"

SHARC_API_BEGIN

/* fn is called after the sentence was written, with SHARC_ENOMEM when memory or threads are exhausted and SHARC_OK for
 * a broken promise, on whichever thread it happened. It must not allocate. If it returns, abort() follows. NULL, as
 * at the start: only abort(). */
typedef void sharc_abort_fn(int code);
void sharc_on_abort(sharc_abort_fn *fn);

SHARC_API_END
#endif
