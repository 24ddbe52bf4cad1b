/* SPDX-License-Identifier: Apache-2.0
 *
 * The same test on every back-end: in memory, an SQLite file, PostgreSQL (when
 * SHARC_TEST_PG names a server; tools/pg-temp starts one). A test knows no
 * back-end by name.
 *
 *   static void pages_come_back(void **state) { struct fixture *f = fixture(state); … }
 *   static const struct CMUnitTest tests[] = {ON_EACH(pages_come_back), …};
 */
#ifndef SHARC_STORE_TEST_H
#define SHARC_STORE_TEST_H

#include "test.h"

#include "sharc/store.h"
#include "sharc/store_job.h"
#include "sharc/store_query.h"
#include "sharc/store_write.h"

#define T0 (1000 * SHARC_DAY) /* when things begin */

struct fixture {
    const char *kind;
    char *dir;                 /* of an SQLite file */
    char *url;                 /* NULL: this back-end is not here */
    struct sharc_store *store; /* open and empty */
    sharc_store_id site, capture[3], warc;
};

int fixture_setup(void **state);
int fixture_teardown(void **state);
/* Skips the test when the back-end is not here. */
struct fixture *fixture(void **state);
/* The same catalogue once more, over another connection (not for memory). */
struct sharc_store *fixture_again(struct fixture *f, const struct sharc_store_options *o);
void fixture_reopen(struct fixture *f);
/* Close it and take everything away: the next opening finds nothing. Not for memory. */
void fixture_wipe(struct fixture *f);
/* Statements past the interface, as another program might run them. */
void fixture_sql(struct fixture *f, const char *sql);
int64_t fixture_number(struct fixture *f, const char *sql);

#define ON_EACH(fn)                                                                    \
    {#fn " (memory)", fn, fixture_setup, fixture_teardown, (char *)"memory"},          \
        {#fn " (sqlite)", fn, fixture_setup, fixture_teardown, (char *)"sqlite"},      \
    {                                                                                  \
#fn " (postgresql)", fn, fixture_setup, fixture_teardown, (char *)"postgresql" \
    }

/* Back-ends that several connections can share; and the one over a network. */
#define ON_SHARED(fn) {#fn " (sqlite)", fn, fixture_setup, fixture_teardown, (char *)"sqlite"}, ON_SERVER(fn)
#define ON_SERVER(fn)                                                                  \
    {                                                                                  \
#fn " (postgresql)", fn, fixture_setup, fixture_teardown, (char *)"postgresql" \
    }

/* r >= 0, else the sentence is shown. */
#define must(r, err) test_must((r), (err), __FILE__, __LINE__)
int test_must(int r, const struct sharc_err *err, const char *file, int line);

/* A site, three captures and a WARC file. */
void make_captures(struct fixture *f);
/* A page with a visit; body gives its digest, text (may be NULL) its text digest. */
struct sharc_store_page page_of(sharc_store_id capture, const char *url, sharc_time when, int status, const char *body,
                                const char *text);
void put_page(struct sharc_store_batch *b, const struct sharc_store_page *p);
void commit(struct sharc_store_batch *b);
/* How many rows the question has. */
size_t count_rows(struct sharc_store_rows *rows);

#endif
