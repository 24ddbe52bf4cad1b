/* SPDX-License-Identifier: Apache-2.0
 *
 * For sharc_remote_set: objects are read like files. Its arg is a struct sharc_object_store.
 */
#ifndef SHARC_OBJECT_REMOTE_H
#define SHARC_OBJECT_REMOTE_H

#include "sharc/base_remote.h"
#include "sharc/object.h"

SHARC_PRIVATE_BEGIN

extern const struct sharc_remote_ops sharc_object_remote;

SHARC_PRIVATE_END
#endif
