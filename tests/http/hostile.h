/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/e2e/hostile-server for the time of one test program.
 */
#ifndef SHARC_TEST_HTTP_HOSTILE_H
#define SHARC_TEST_HTTP_HOSTILE_H

#include "sharc/base.h"

/* Start it; skips the running test when python3 or openssl are not there. */
void hostile_start(void);
/* Closes its standard input and waits for its end. */
void hostile_stop(void);
/* Port of one of its sites; path of its CA certificate. */
unsigned hostile_port(const char *site);
const char *hostile_ca(void);

#endif
