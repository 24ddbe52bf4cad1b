/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions to the catalogue. Every question gives a cursor over rows; rows are
 * fetched as they are asked for, never all at once. A row can be read in two
 * ways: by name and type (tables, exports), or into the struct that belongs to the
 * question.
 *
 *   r = sharc_store_pages(store, &(struct sharc_store_page_filter){.capture = 3}, &rows, &err);
 *   while ((r = sharc_store_rows_next(rows, &err)) > 0) {
 *       sharc_store_read_page(rows, &page);
 *       …
 *   }
 *   sharc_store_rows_free(rows);
 *
 * Several cursors may be open at once, also while a batch is committed. A
 * cursor sees what was committed when it was opened; rows of a batch that is
 * not committed are seen by nobody. Spans in structs and values live until the
 * next call on that cursor.
 *
 * Order: unless said otherwise by URL number (the order in which URLs first
 * came into the catalogue).
 */
#ifndef SHARC_STORE_QUERY_H
#define SHARC_STORE_QUERY_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/change.h"
#include "sharc/store.h"
#include "sharc/store_write.h"

SHARC_API_BEGIN

/* --- rows --------------------------------------------------------------------- */

struct sharc_store_rows;

/* 1: a row; 0: the end; < 0: failed. */
int sharc_store_rows_next(struct sharc_store_rows *rows, struct sharc_err *reterr);
void sharc_store_rows_free(struct sharc_store_rows *rows);
void sharc_store_rows_freep(struct sharc_store_rows **rows);

enum sharc_store_type {
    SHARC_STORE_NULL,
    SHARC_STORE_INTEGER,
    SHARC_STORE_REAL,
    SHARC_STORE_TEXT,
    SHARC_STORE_BYTES,
};
/* What an integer, text or bytes mean, so that a table can be printed for people. */
enum sharc_store_meaning {
    SHARC_STORE_PLAIN,
    SHARC_STORE_TIME,     /* integer, sharc_time */
    SHARC_STORE_DURATION, /* integer, sharc_time */
    SHARC_STORE_DIGEST,   /* bytes: sharc_store_value_text writes "sha256:…" */
    SHARC_STORE_JSON,     /* text that is JSON */
    SHARC_STORE_FLAG,     /* integer 0 or 1 */
    SHARC_STORE_WORD,     /* integer that stands for a word: state, change class, kind of link */
};
struct sharc_store_value {
    enum sharc_store_type type;
    enum sharc_store_meaning meaning;
    int64_t i;
    double d;
    struct sharc_span s; /* text or bytes */
};
size_t sharc_store_rows_columns(const struct sharc_store_rows *rows);
const char *sharc_store_rows_name(const struct sharc_store_rows *rows, size_t column);
void sharc_store_rows_value(struct sharc_store_rows *rows, size_t column, struct sharc_store_value *ret);
/* The value as text, appended to out: numbers in decimal, times in ISO 8601,
 * digests as in WARCs, bytes in hex, words as words; nothing for NULL. */
int sharc_store_value_text(const struct sharc_store_rows *rows, size_t column, const struct sharc_store_value *v,
                           struct sharc_buf *out);

/* --- tables by name (export --table NAME) ---------------------------------------- */

/* Names of what can be exported, ended by NULL: tables as they are (URLs as
 * text instead of numbers), and what is put together from several of them. */
const char *const *sharc_store_tables(void);
/* capture 0: all captures, where the table has them. SHARC_ENOENT for an unknown name; the
 * sentence lists the known ones. */
int sharc_store_table(struct sharc_store *s, const char *name, sharc_store_id capture, struct sharc_store_rows **ret,
                      struct sharc_err *reterr);

/* --- sites, captures, WARC files, URLs -------------------------------------------- */

/* By name. */
int sharc_store_sites(struct sharc_store *s, struct sharc_store_rows **ret, struct sharc_err *reterr);
void sharc_store_read_site(struct sharc_store_rows *rows, struct sharc_store_site *ret);

struct sharc_store_capture_filter {
    sharc_store_id id;   /* 0: any */
    sharc_store_id site; /* 0: any */
    int state;           /* enum sharc_capture_state, or < 0: any */
    sharc_time from, to; /* started; SHARC_TIME_NONE: open */
    bool newest_first;   /* else by start, then number */
};
#define SHARC_STORE_CAPTURE_FILTER_INIT                             \
    {                                                               \
        .state = -1, .from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE \
    }
/* f may be NULL: all. */
int sharc_store_captures(struct sharc_store *s, const struct sharc_store_capture_filter *f,
                         struct sharc_store_rows **ret, struct sharc_err *reterr);
void sharc_store_read_capture(struct sharc_store_rows *rows, struct sharc_store_capture *ret);

/* Numbers about one capture. O(pages). */
struct sharc_store_capture_sums {
    uint64_t pages, failed, bytes;          /* bytes of payloads; failed: no answer, or status >= 400 */
    uint64_t revisited, coherent;           /* of pages with a revisit: not changed between */
    uint64_t new_pages, changed, unchanged; /* by the class of the visit */
    uint64_t with_text;
    sharc_time first, last; /* first and last download */
};
int sharc_store_capture_sum(struct sharc_store *s, sharc_store_id capture, struct sharc_store_capture_sums *ret,
                            struct sharc_err *reterr);

/* By name. */
int sharc_store_warcs(struct sharc_store *s, struct sharc_store_rows **ret, struct sharc_err *reterr);
/* Those that a worker wrote for that capture. */
int sharc_store_warcs_of(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                         struct sharc_err *reterr);
void sharc_store_read_warc(struct sharc_store_rows *rows, struct sharc_store_warc *ret);

/* SHARC_ENOENT when the URL is not in the catalogue; never adds it. */
int sharc_store_url_find(struct sharc_store *s, struct sharc_span url, sharc_store_id *ret, struct sharc_err *reterr);
/* All URLs with text, SURT and host: columns id, text, surt, host. */
int sharc_store_urls(struct sharc_store *s, struct sharc_store_rows **ret, struct sharc_err *reterr);

/* --- pages -------------------------------------------------------------------------- */

struct sharc_store_page_filter {
    sharc_store_id capture;   /* 0: any (then url should be given) */
    sharc_store_id url;       /* 0: any */
    struct sharc_span prefix; /* of the SURT ("http://(org,example,)/docs/"); may be none */
    struct sharc_span mime;   /* "text/html", "image/"; may be none */
    bool answered;            /* status 200 … 299 (or a revisit of one) only */
    bool by_slot;             /* in order of the visits' slots, pages without one last; else by URL number */
    bool by_surt;             /* in SURT order */
    bool looks;               /* fill second and revisit */
    bool features;            /* fill title, minhash, stated, counts */
    bool grades;              /* fill grade */
};
int sharc_store_pages(struct sharc_store *s, const struct sharc_store_page_filter *f, struct sharc_store_rows **ret,
                      struct sharc_err *reterr);
/* Links are not read: see below. */
void sharc_store_read_page(struct sharc_store_rows *rows, struct sharc_store_page *ret);

/* How many pages of a capture have each reason, counted by the database. Graded are also pages that could
 * not be fetched, which are in no other table. A page without a grade is NOT_GRADED: one that does not count (it
 * was not there, or is another one), or of a capture that was never judged. */
int sharc_store_grade_counts(struct sharc_store *s, sharc_store_id capture, uint64_t ret[SHARC_GRADE_REASON_COUNT],
                             struct sharc_err *reterr);
/* All grades of a capture (0: of all), also of pages that could not be fetched. */
int sharc_store_grades(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                       struct sharc_err *reterr);
void sharc_store_read_grade(struct sharc_store_rows *rows, struct sharc_span *ret_url, struct sharc_store_grade *ret);
/* Places of a site (0: of all) at which its pages differ by themselves, the last seen first. */
int sharc_store_places(struct sharc_store *s, sharc_store_id site, struct sharc_store_rows **ret,
                       struct sharc_err *reterr);
void sharc_store_read_place(struct sharc_store_rows *rows, struct sharc_store_volatile *ret);

/* All captures of one URL, oldest first, with looks: read as pages. */
int sharc_store_history(struct sharc_store *s, struct sharc_span url, struct sharc_store_rows **ret,
                        struct sharc_err *reterr);

/* --- two captures compared ------------------------------------------------------------- */

enum sharc_store_difference {
    SHARC_DIFF_UNCHANGED,     /* equal payloads */
    SHARC_DIFF_INSIGNIFICANT, /* other bytes, equal text */
    SHARC_DIFF_CHANGED,       /* other text, or other bytes and no text known */
    SHARC_DIFF_NEW,           /* answered in the second only */
    SHARC_DIFF_DELETED,       /* answered in the first only: not in the second, or 404, 410 there */
    SHARC_DIFF_FAILED,        /* one of them gave no answer that says anything about the page */
    SHARC_DIFF_COUNT,
};
const char *sharc_store_difference_text(enum sharc_store_difference d);

struct sharc_store_pair_filter {
    sharc_store_id a, b; /* captures, the earlier first */
    unsigned only;       /* 1u << SHARC_DIFF_… | …; 0: all */
    struct sharc_span prefix;
    bool features;  /* fill title, minhash, counts of both */
    bool fold_case; /* URLs that differ in case only are one page (each side: its latest) */
};
/* Full outer join over the URL. A redirect counts as an answer: its target is its payload. */
int sharc_store_compare(struct sharc_store *s, const struct sharc_store_pair_filter *f, struct sharc_store_rows **ret,
                        struct sharc_err *reterr);
struct sharc_store_pair {
    sharc_store_id url_id;
    struct sharc_span url;
    enum sharc_store_difference difference;
    bool in_a, in_b;              /* is there a row at all */
    struct sharc_store_page a, b; /* valid when in_…; without parent and looks */
    bool links_changed;           /* both have links and they differ */
};
void sharc_store_read_pair(struct sharc_store_rows *rows, struct sharc_store_pair *ret);
/* Only how many of each, counted by the database. */
int sharc_store_compare_counts(struct sharc_store *s, const struct sharc_store_pair_filter *f,
                               uint64_t ret[SHARC_DIFF_COUNT], struct sharc_err *reterr);

/* --- observations for rate estimation ----------------------------------------------------- */

/* All looks (visits, second looks, revisits) of all captures of a site (0: of all
 * sites), by URL and then time: what one URL showed over the years. */
struct sharc_store_seen {
    sharc_store_id url_id;
    struct sharc_span url;
    sharc_store_id capture;
    enum sharc_look_kind kind;
    sharc_time when;
    int status;
    int64_t size;
    struct sharc_digest digest, text_digest;
    sharc_time last_modified;
    sharc_time stated;                 /* of visits */
    struct sharc_span mime;            /* of visits */
    int64_t images, tables, out_links; /* of visits; < 0: unknown */
    bool first;                        /* nothing before to compare with (failed downloads are not compared with) */
    bool changed; /* against the look before that answered: other text digest, else other payload digest,
                     other redirect, appeared, went away */
};
struct sharc_store_seen_filter {
    sharc_store_id site;
    sharc_store_id url;  /* 0: all */
    sharc_time from, to; /* SHARC_TIME_NONE: open; to is included */
};
int sharc_store_observations(struct sharc_store *s, const struct sharc_store_seen_filter *f,
                             struct sharc_store_rows **ret, struct sharc_err *reterr);
/* The next one, compared with the one before it: 1, 0 at the end, < 0. Instead of
 * sharc_store_rows_next, which would leave out a look to compare with. */
int sharc_store_seen_next(struct sharc_store_rows *rows, struct sharc_store_seen *ret, struct sharc_err *reterr);

/* Rates: url 0: all; source NULL: all. Patterns and models by name. */
int sharc_store_rates(struct sharc_store *s, sharc_store_id url, const char *source, struct sharc_store_rows **ret,
                      struct sharc_err *reterr);
void sharc_store_read_rate(struct sharc_store_rows *rows, struct sharc_store_rate *ret);
/* Those of the pages of a capture that were answered with content, from that source. */
int sharc_store_rates_of(struct sharc_store *s, sharc_store_id capture, const char *source,
                         struct sharc_store_rows **ret, struct sharc_err *reterr);
struct sharc_store_pattern {
    sharc_store_id url_id;
    struct sharc_span url, data;
    int64_t group;
    sharc_time when;
};
int sharc_store_patterns(struct sharc_store *s, sharc_store_id url, struct sharc_store_rows **ret,
                         struct sharc_err *reterr);
void sharc_store_read_pattern(struct sharc_store_rows *rows, struct sharc_store_pattern *ret);
/* name NULL: all, newest first. */
int sharc_store_models(struct sharc_store *s, const char *name, struct sharc_store_rows **ret,
                       struct sharc_err *reterr);
void sharc_store_read_model(struct sharc_store_rows *rows, struct sharc_store_model *ret);

/* --- links ---------------------------------------------------------------------------- */

/* Links live as compact sets, one per page; these cursors unpack them. */
struct sharc_store_edge {
    sharc_store_id from, to;
    uint8_t kind;
    struct sharc_span from_url, to_url; /* none unless asked for */
    int8_t change;                      /* of link changes: +1 came, -1 went; else 0 */
};
struct sharc_store_link_filter {
    sharc_store_id capture;
    sharc_store_id from; /* 0: any page */
    sharc_store_id to;   /* 0: anywhere; else only links to it (reads all of the capture) */
    unsigned kinds;      /* 1u << kind | …; 0: all */
    bool texts;          /* fill from_url and to_url: costs a look-up per link that is not remembered */
};
/* By source, then target. Without texts 40 to 50 million links per second of CPU. */
int sharc_store_links(struct sharc_store *s, const struct sharc_store_link_filter *f, struct sharc_store_rows **ret,
                      struct sharc_err *reterr);
/* Links that came and went on pages that are in both captures; f.capture is ignored. */
int sharc_store_link_changes(struct sharc_store *s, sharc_store_id a, sharc_store_id b,
                             const struct sharc_store_link_filter *f, struct sharc_store_rows **ret,
                             struct sharc_err *reterr);
void sharc_store_read_edge(struct sharc_store_rows *rows, struct sharc_store_edge *ret);

/* The link graph of a capture over its pages, in compressed rows, for PageRank:
 * page i has URL number url[i] (ascending) and links to to[at[i] … at[i+1]), indices
 * of pages; links to itself and to what was not captured are left out. 16 bytes a
 * page and 4 a link. */
struct sharc_store_graph {
    uint32_t n;
    sharc_store_id *url;
    uint64_t *at; /* n + 1 */
    uint32_t *to;
};
int sharc_store_graph(struct sharc_store *s, sharc_store_id capture, unsigned kinds, struct sharc_store_graph *ret,
                      struct sharc_err *reterr);
void sharc_store_graph_done(struct sharc_store_graph *g);

/* --- sub-sites, duplicates, what was left out --------------------------------------------- */

/* Pages of a capture grouped by the first `depth` segments of the path (0: by host).
 * With against != 0 also what changed since that capture. By prefix. */
struct sharc_store_subsite {
    struct sharc_span prefix; /* SURT: "http://(org,example,)/docs/" */
    uint64_t pages, bytes, failed;
    uint64_t difference[SHARC_DIFF_COUNT];
    double planned_rate; /* sum over the pages that have one */
};
int sharc_store_subsites(struct sharc_store *s, sharc_store_id capture, unsigned depth, sharc_store_id against,
                         struct sharc_store_rows **ret, struct sharc_err *reterr);
void sharc_store_read_subsite(struct sharc_store_rows *rows, struct sharc_store_subsite *ret);

/* Groups of pages of a capture with equal payload (text: equal text), largest groups first;
 * one row per page. */
struct sharc_store_duplicate {
    uint64_t group; /* 0, 1, 2, … */
    uint64_t size;  /* pages in the group */
    struct sharc_span url;
    sharc_store_id url_id;
};
int sharc_store_duplicates(struct sharc_store *s, sharc_store_id capture, bool text, struct sharc_store_rows **ret,
                           struct sharc_err *reterr);
void sharc_store_read_duplicate(struct sharc_store_rows *rows, struct sharc_store_duplicate *ret);

struct sharc_store_skip {
    sharc_store_id capture;
    struct sharc_span url, reason, detail;
};
/* By reason, then URL; reason NULL: all. */
int sharc_store_skipped(struct sharc_store *s, sharc_store_id capture, const char *reason,
                        struct sharc_store_rows **ret, struct sharc_err *reterr);
void sharc_store_read_skip(struct sharc_store_rows *rows, struct sharc_store_skip *ret);
/* How many per reason, most first: columns reason, urls. */
int sharc_store_skipped_counts(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                               struct sharc_err *reterr);
/* A reason in plain words, "robots.txt does not allow it"; NULL: the word is not known here, as those that an imported
 * file brought along may be. */
const char *sharc_store_skip_text(struct sharc_span reason);

/* --- resuming a capture ----------------------------------------------------------------- */

/* The pieces of a capture's journal, by seq. A negative result of fn ends it and
 * is returned. */
typedef int sharc_store_journal_fn(void *arg, uint32_t seq, struct sharc_span bytes, struct sharc_err *reterr);
int sharc_store_journal_each(struct sharc_store *s, sharc_store_id capture, sharc_store_journal_fn *fn, void *arg,
                             struct sharc_err *reterr);
/* A finished capture needs none. */
int sharc_store_journal_drop(struct sharc_store *s, sharc_store_id capture, struct sharc_err *reterr);

SHARC_API_END
#endif
