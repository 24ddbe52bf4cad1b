/* SPDX-License-Identifier: Apache-2.0
 *
 * The room from the inside: captures.c finds the captures that are named, plan.c the
 * records they are made of, verdict.c says what is known of them, copy.c writes WARCs,
 * wacz.c packs them.
 */
#ifndef SHARC_EXPORT_INT_H
#define SHARC_EXPORT_INT_H

#include "sharc/base_map.h"
#include "sharc/export.h"
#include "sharc/store_query.h"

/* --- captures.c -------------------------------------------------------------------- */

struct export_capture {
    sharc_store_id id, site;
    char *name, *key, *strategy, *purpose, *params;
    sharc_time start, end, reference;
    sharc_time reference_from, reference_to; /* in which all proved pages existed together */
    enum sharc_capture_state state;
    uint64_t urls;
    sharc_time at; /* the time that replay shows: the reference time, or when that lies outside, the beginning */
    enum sharc_store_grader grader; /* whose word its grades are */
    struct sharc_store_claim claim; /* of the closing record of an imported file */
    bool crawled;                   /* by sharc: everything between start and end of its hosts belongs to it */
    char *seed; /* URL of the page to open first: the seed, or where it leads; NULL: there is none */
};
int sharc__export_captures(struct sharc_export *x, const char *const *words, size_t count, struct sharc_err *reterr);
void sharc__export_capture_done(struct export_capture *c);
/* Every page of a capture with its looks and its grade. */
typedef int export_page_fn(void *arg, struct sharc_export *x, struct export_capture *c,
                           const struct sharc_store_page *p, struct sharc_err *reterr);
int sharc__export_each_page(struct sharc_export *x, struct export_capture *c, export_page_fn *fn, void *arg,
                            struct sharc_err *reterr);
/* Find the seed, once the pages are there. */
int sharc__export_seed(struct sharc_export *x, struct export_capture *c, struct sharc_err *reterr);

/* --- plan.c ------------------------------------------------------------------------ */

struct export_file { /* of the catalogue, with records of the captures */
    sharc_store_id id;
    char *path; /* of the file, or of its container */
    char *name; /* as its reader calls it */
};

enum export_use {
    EXPORT_WANTED = 1,   /* belongs to a capture, or something refers to it */
    EXPORT_SHOWN = 2,    /* shows a page at the reference time */
    EXPORT_ORIGINAL = 4, /* has the bytes of what is shown */
    EXPORT_MADE = 8,     /* another record was made to show it */
};

/* A page of one of several captures. */
struct export_showing {
    uint32_t url;
    uint32_t capture;
    uint64_t shown, body; /* keys of places; the same when the record has its bytes itself */
};

struct sharc_export {
    struct sharc_store *store;
    char *archive;
    struct export_capture *captures;
    size_t count, room;
    struct export_file *files;
    size_t file_count, file_room, file_last;
    struct sharc_map64 file_numbers; /* id -> place in files + 1, until they are sorted */
    struct sharc_map64 places;       /* key of a place -> enum export_use */
    struct sharc_intern *urls;       /* of showings */
    struct sharc_intern *hosts;
    struct export_showing *showings; /* only of several captures */
    size_t showing_count, showing_room;
    struct sharc_url url; /* scratch */
    struct sharc_export_sums sums;
};
int sharc__export_plan(struct sharc_export *x, struct sharc_err *reterr);
/* How a page was at the reference time; NULL: no download of it says anything. */
const struct sharc_store_look *sharc__export_shown(const struct sharc_store_page *p, sharc_time reference);
/* A number for a place; and for that of a record that is being read, 0 when its file is none of ours. */
uint64_t sharc__export_key(sharc_store_id warc, uint64_t offset);
uint64_t sharc__export_key_of(struct sharc_export *x, const struct sharc_record *rec);
unsigned sharc__export_use(const struct sharc_export *x, uint64_t key);
/* For sharc_warc_selection: all records of the captures; those that are shown. arg is the export. */
bool sharc__export_wants(void *arg, const struct sharc_record *rec);
bool sharc__export_wants_shown(void *arg, const struct sharc_record *rec);
/* Paths of the files to read, each once; the array alone is the caller's. */
const char **sharc__export_inputs(const struct sharc_export *x, size_t *ret_count);

/* --- verdict.c --------------------------------------------------------------------- */

/* "unchanged", "not revisited", …: what the catalogue knows of a page. */
const char *sharc__export_outcome(const struct sharc_store_page *p);
/* Lines of pages/pages.jsonl, and of captures/pages.jsonl. */
int sharc__export_page_list(void *export, sharc_line_fn *put, void *arg, struct sharc_err *reterr);
int sharc__export_verdicts(void *export, sharc_line_fn *put, void *arg, struct sharc_err *reterr);
/* "captures" of datapackage.json. */
int sharc__export_about(void *export, struct sharc_json *j, struct sharc_err *reterr);

#endif
