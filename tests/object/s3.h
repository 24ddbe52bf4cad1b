/* SPDX-License-Identifier: Apache-2.0
 *
 * The store of these tests: one per program, by tools/s3-temp.
 */
#ifndef SHARC_TEST_S3_H
#define SHARC_TEST_S3_H

#include "sharc/object.h"

struct s3 {
    char *dir, *url; /* NULL: there is none on this machine */
    struct sharc_object_store *store;
};
int s3_set_up(void **state);
int s3_tear_down(void **state);
/* Skips the running test when there is none. */
struct s3 *s3_or_skip(void **state);
struct sharc_object_options s3_options(void);
struct sharc_object_store *s3_store(const struct s3 *s);
/* "URL/key", malloc'ed. */
char *s3_name(const struct s3 *s, const char *key);
/* s3-temp away|back|stop DIR */
void s3_tool(const struct s3 *s, const char *what);
/* r must be 0; else the message is shown. */
void s3_ok(int r, const struct sharc_err *err);

#endif
