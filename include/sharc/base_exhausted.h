/* SPDX-License-Identifier: Apache-2.0
 *
 * For rooms whose memory does not come from base.h: another library found none, the system gives no thread. Both
 * end the process as base_abort.h says.
 */
#ifndef SHARC_BASE_EXHAUSTED_H
#define SHARC_BASE_EXHAUSTED_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

SHARC_NORETURN void sharc__no_memory(void);
SHARC_NORETURN void sharc__exhausted(const char *what); /* the sentence, without "sharc: " */

SHARC_PRIVATE_END
#endif
