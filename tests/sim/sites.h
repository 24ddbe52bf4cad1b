/* SPDX-License-Identifier: Apache-2.0
 *
 * A small recorded site, written by the tests that read it.
 *
 *   page  life            changes at             links
 *   1 /           0 …     150 250                2 3
 *   2 /a/x.html   0 …     210                    4
 *   3 /a/y.html   0 …     -                      -
 *   4 /b/z.html   0 …     120 160 205 240 280    -
 *   5 /b/gone     0 … 190 140                    -       (linked from 1 by spanning)
 *   6 /b/new    220 …     260                    -       (linked from 4)
 *   7 /c/lone     0 …     110                    nobody links to it
 * Time goes from 0 to 300.
 */
#ifndef SHARC_TEST_SITES_H
#define SHARC_TEST_SITES_H

#include "test.h"

#include <stdio.h>

#define PAGES_HEADER \
    "id\turl\tmime\tcreated\tdeleted\tsize\ttitle_words\ttext_words\timages\ttables\toutlinks\tabsences\n"
#define PAGES_ROWS                                          \
    "1\t/\ttext/html\t0\t\t10\t1\t2\t3\t4\t5\t0\n"          \
    "2\t/a/x.html\ttext/html\t0\t\t10\t1\t2\t3\t4\t5\t0\n"  \
    "3\t/a/y.html\ttext/html\t0\t\t10\t1\t2\t3\t4\t5\t0\n"  \
    "4\t/b/z.html\ttext/html\t0\t\t10\t1\t2\t3\t4\t5\t0\n"  \
    "5\t/b/gone\ttext/html\t0\t190\t10\t1\t2\t3\t4\t5\t0\n" \
    "6\t/b/new\ttext/html\t220\t\t10\t1\t2\t3\t4\t5\t0\n"   \
    "7\t/c/lone\timage/png\t0\t\t10\t1\t2\t3\t4\t5\t1\n"
#define CHANGES_HEADER "id\ttime\n"
#define CHANGES_ROWS "7\t110\n4\t120\n5\t140\n1\t150\n4\t160\n4\t205\n2\t210\n4\t240\n1\t250\n6\t260\n4\t280\n"
#define LINKS_HEADER "from\tto\tkind\n"
#define LINKS_ROWS "1\t2\tlink\n1\t3\tlink\n2\t4\tlink\n1\t5\tspanning\n4\t6\tlink\n"
#define ABSENCES_HEADER "id\tfrom\tto\n"
#define ABSENCES_ROWS "7\t105\t108\n"

static inline void write_file(const char *dir, const char *name, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static inline void write_site(const char *dir)
{
    write_file(dir, "pages.tsv", PAGES_HEADER PAGES_ROWS);
    write_file(dir, "changes.tsv", CHANGES_HEADER CHANGES_ROWS);
    write_file(dir, "links.tsv", LINKS_HEADER LINKS_ROWS);
    write_file(dir, "absences.tsv", ABSENCES_HEADER ABSENCES_ROWS);
    write_file(dir, "site.json", "{\"name\": \"small\", \"start\": 0, \"end\": 300}\n");
}

#endif
