/* SPDX-License-Identifier: Apache-2.0
 *
 * What libpq would wait for without end, so that it can be given up: a server may take the connection and say
 * nothing (it is suspended, its packets are dropped), and a program that is asked to end must not hang on it.
 *
 * A wait is given up only after sharc_store_end_soon, and only when nothing has come for some seconds. Then the
 * connection is bad (PQstatus), which is how libpq tells that one was lost.
 */
#ifndef SHARC_STORE_PG_WAIT_H
#define SHARC_STORE_PG_WAIT_H

#include <libpq-fe.h>
#include <stdbool.h>

/* PQconnectdbParams(…, 1); NULL: given up. */
PGconn *sharc__store_pg_connect(const char *const *names, const char *const *values);
/* PQexec, PQprepare and PQexecPrepared. */
PGresult *sharc__store_pg_exec(PGconn *pg, const char *sql);
PGresult *sharc__store_pg_prepare(PGconn *pg, const char *name, const char *sql, int n);
PGresult *sharc__store_pg_exec_prepared(PGconn *pg, const char *name, int n, const char *const *values,
                                        const int *lengths, const int *formats);
/* PQgetResult. */
PGresult *sharc__store_pg_result(PGconn *pg);
/* Ask the server to end what it does (PQcancel); false: it was not told. */
bool sharc__store_pg_cancel(PGconn *pg);
/* Has a wait been given up? */
bool sharc__store_pg_gave_up(void);
/* For tests, before anything waits: how long a silence is borne. */
void sharc__store_pg_patience(double seconds);

#endif
