/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers behind every picture of an archive: what `sharc report` draws, what the server hands
 * to its pages, and what the tables beside both say. One function a picture; each says what it
 * counts. All rest on the rows of the catalogue and on nothing else.
 *
 *   schedule   when each page of a capture was visited and visited again
 *   series     capture after capture: what stayed, changed, came and went
 *   pair       two captures, page by page
 *   calendar   pages × captures, pages that change together side by side
 *   graph      how the crawl found its pages, unchanged branches folded
 *   week       at which hours a page, or a site, changes
 *   subsites   parts of a site that change in a way of their own
 *
 * Grades and defects of a capture are those of assess.h. figure_draw.h makes pictures of all of them.
 *
 * URLs come from the web: any bytes but those that a URL cannot have. Whoever writes them into
 * markup escapes them. Every struct owns what it points to, and is released by its _done, which takes a
 * zeroed one too.
 */
#ifndef SHARC_FIGURE_H
#define SHARC_FIGURE_H

#include "sharc/base.h"
#include "sharc/base_arena.h"
#include "sharc/base_clock.h"
#include "sharc/base_json.h"
#include "sharc/change_grade.h"
#include "sharc/store.h"
#include "sharc/store_query.h"

SHARC_PRIVATE_BEGIN

/* --- words --------------------------------------------------------------------------------------- */

/* What happened to a page between two looks. Never told by colour alone: each has a letter.
 * name, word for tables and JSON, letter, what it is called in a legend, colour on white, on dark */
#define SHARC_FIGURE_CLASSES(X)                                                          \
    X(UNCHANGED, "unchanged", 'U', "unchanged", 0x00795a, 0x2fbf94)                      \
    X(INSIGNIFICANT, "insignificant", 'I', "other bytes, same text", 0x5b7f95, 0x8fb3c9) \
    X(TEXT, "text", 'T', "text changed", 0xa86400, 0xf0a830)                             \
    X(LINKS, "links", 'L', "links changed", 0xc04000, 0xff8a50)                          \
    X(NEW, "new", 'N', "new", 0x0062a3, 0x5ab4f0)                                        \
    X(MISSING, "missing", 'M', "missing", 0x1a1a1a, 0xe8e8e8)                            \
    X(FAILED, "failed", 'F', "undecided", 0x8a4f7d, 0xd79bc8)

enum sharc_figure_class {
#define X(name, word, letter, text, light, dark) SHARC_FIGURE_##name,
    SHARC_FIGURE_CLASSES(X)
#undef X
        SHARC_FIGURE_CLASS_COUNT,
};
const char *sharc_figure_class_word(enum sharc_figure_class c);
const char *sharc_figure_class_text(enum sharc_figure_class c);
char sharc_figure_class_letter(enum sharc_figure_class c);
/* 0xrrggbb */
uint32_t sharc_figure_class_colour(enum sharc_figure_class c, bool dark);

/* Of a pair of captures, as sharc_store_compare tells it: a changed page whose links differ, too, is LINKS;
 * "deleted" is MISSING. */
enum sharc_figure_class sharc_figure_class_of_pair(const struct sharc_store_pair *p);
/* Of visit and revisit inside one capture. What grades leave open is FAILED: alike is neither the same
 * nor changed. The server's word counts as UNCHANGED here; grades tell it apart. */
enum sharc_figure_class sharc_figure_class_of_grade(enum sharc_grade_reason r);

/* What a page is, by its MIME type alone. name, word, what it is called in a legend, shape in graphs (yFiles) */
#define SHARC_FIGURE_KINDS(X)                                         \
    X(HTML, "html", "HTML", "ellipse")                                \
    X(IMAGE, "image", "images", "hexagon")                            \
    X(MEDIA, "media", "sound and film", "hexagon")                    \
    X(SCRIPT, "script", "scripts, styles and data", "roundrectangle") \
    X(OTHER, "other", "PDF and other", "rectangle")                   \
    X(DNS, "dns", "names of hosts", "triangle")
enum sharc_figure_kind {
#define X(name, word, text, shape) SHARC_FIGURE_##name,
    SHARC_FIGURE_KINDS(X)
#undef X
        SHARC_FIGURE_KIND_COUNT,
};
const char *sharc_figure_kind_word(enum sharc_figure_kind k);
const char *sharc_figure_kind_text(enum sharc_figure_kind k);
const char *sharc_figure_kind_shape(enum sharc_figure_kind k);
enum sharc_figure_kind sharc_figure_kind_of(struct sharc_span mime);

/* --- schedule ------------------------------------------------------------------------------------- */

struct sharc_figure_visit {
    sharc_store_id url_id;
    struct sharc_span url;
    enum sharc_figure_kind kind;
    bool follower; /* fetched because something embeds it: it has no slot of its own */
    bool hopeless; /* the strategy had given up on its coherence */
    sharc_time visit;
    sharc_time revisit; /* SHARC_TIME_NONE: there was none */
    double rate;        /* changes per second that the plan used; NaN: none */
    enum sharc_grade_reason reason;
};
struct sharc_figure_schedule {
    sharc_store_id capture;
    char *key, *site, *strategy;
    sharc_time first, last;          /* first and last download shown; SHARC_TIME_NONE: there is none */
    sharc_time known_from, known_to; /* the interval in which proved pages existed together, else NONE */
    struct sharc_figure_visit *rows; /* in order of their visits */
    size_t count;
    size_t every;                               /* of the capture's pages every so many-th has a row */
    uint64_t pages, revisited, hopeless, rated; /* of the capture */
    struct sharc_arena texts;
};
/* Every page of a capture with the times of its visit and revisit. SHARC_ENOENT. O(pages). */
int sharc_figure_schedule(struct sharc_store *s, sharc_store_id capture, struct sharc_figure_schedule *ret,
                          struct sharc_err *reterr);
void sharc_figure_schedule_done(struct sharc_figure_schedule *f);
/* Leave `most` rows at most, every n-th of them: a picture has no room for more. */
void sharc_figure_schedule_thin(struct sharc_figure_schedule *f, size_t most);

/* --- captures to look at ----------------------------------------------------------------------------- */

/* The captures of a figure: each word is what a person calls one (sharc_store_capture_find), or "3..20" for all that
 * have such numbers. No words: all captures of the newest capture's site. site (NULL: any) leaves out those of others;
 * what is left must be of one site: SHARC_EINVAL; something must be left: SHARC_ENOENT. By start, malloc'ed. */
int sharc_figure_captures(struct sharc_store *s, const char *site, const struct sharc_span *words, size_t n,
                          sharc_store_id **ret, size_t *ret_n, struct sharc_err *reterr);
/* The capture of the same site that began before this one, 0: it is the first. */
int sharc_figure_before(struct sharc_store *s, sharc_store_id capture, sharc_store_id *ret, struct sharc_err *reterr);

/* --- series -------------------------------------------------------------------------------------------- */

struct sharc_figure_step {
    sharc_store_id capture, before; /* before: the capture compared with; 0: this is the first one */
    char *key;
    sharc_time start, end;  /* of the capture; SHARC_TIME_NONE: unknown */
    sharc_time first, last; /* of its downloads; last - first is how long it took */
    uint64_t pages;         /* rows of this capture */
    /* Pages of both captures together by class, of all kinds and of each; a MISSING page is of the kind that it was.
     * All 0 in the first step. The sum over classes of `all` is the number of URLs in either. */
    uint64_t all[SHARC_FIGURE_CLASS_COUNT];
    uint64_t kinds[SHARC_FIGURE_KIND_COUNT][SHARC_FIGURE_CLASS_COUNT];
    /* Links, each page's targets counted once per kind of link: now; of these already there before; come; gone
     * since (also those of pages that came or went). Of the first step only `links`. */
    uint64_t links, links_same, links_new, links_gone;
    double similarity;   /* mean over pages in both whose texts can be compared, 0 … 1; NaN: there is none */
    uint64_t similar_of; /* such pages: unchanged and insignificant ones count 1, others by their signatures */
};
struct sharc_figure_series {
    char *site;
    struct sharc_figure_step *steps;
    size_t count;
};
/* Each capture against the one before it in the list. O(pages) per capture. */
int sharc_figure_series(struct sharc_store *s, const sharc_store_id *captures, size_t n,
                        struct sharc_figure_series *ret, struct sharc_err *reterr);
void sharc_figure_series_done(struct sharc_figure_series *f);

/* --- pair ------------------------------------------------------------------------------------------------- */

struct sharc_figure_point {
    sharc_store_id url_id;
    struct sharc_span url;
    uint32_t place; /* among all pages of both captures, by URL */
    enum sharc_figure_kind kind;
    enum sharc_figure_class change;
    uint32_t mime, folder;  /* indices into mimes and folders */
    int64_t size_a, size_b; /* bytes; < 0: unknown or not there */
    double similarity;      /* of the texts; NaN: not to be told */
};
struct sharc_figure_name {
    struct sharc_span name; /* "text/html", "" for none; "http://example.org/docs/", "http://example.org/" */
    uint64_t pages;
};
struct sharc_figure_pair {
    sharc_store_id a, b;
    char *site, *key_a, *key_b;
    struct sharc_figure_point *points; /* by URL */
    size_t count;
    uint64_t pages;              /* of both captures together */
    size_t every, every_changed; /* of those that stood still, and of the others, every so many-th is a point */
    struct sharc_figure_name *mimes, *folders; /* most pages first */
    size_t mime_count, folder_count;
    uint64_t all[SHARC_FIGURE_CLASS_COUNT];
    struct sharc_arena texts;
};
/* Two captures, the earlier first. The folder of a page is its host with the first segment of its path. */
int sharc_figure_pair(struct sharc_store *s, sharc_store_id a, sharc_store_id b, struct sharc_figure_pair *ret,
                      struct sharc_err *reterr);
void sharc_figure_pair_done(struct sharc_figure_pair *f);
/* Leave about `most` points: those of pages that stood still go first. */
void sharc_figure_pair_thin(struct sharc_figure_pair *f, size_t most);

/* --- calendar --------------------------------------------------------------------------------------------- */

enum { SHARC_FIGURE_ABSENT = SHARC_FIGURE_CLASS_COUNT }; /* in neither of the two captures; or there is no pair */

struct sharc_figure_calendar_row {
    sharc_store_id url_id;
    struct sharc_span url;
    uint32_t changes; /* cells that are TEXT or LINKS */
    uint32_t group;   /* rows of a group stand together and changed at the same captures, or nearly */
};
struct sharc_figure_calendar {
    char *site;
    sharc_store_id *captures; /* columns: each capture but the first, which has nothing before it */
    sharc_time *starts;
    size_t columns;
    struct sharc_figure_calendar_row
        *rows; /* pages whose text changed, or that came or went; alike ones side by side */
    size_t count;
    uint8_t *cells;    /* rows × columns: enum sharc_figure_class against the capture before, or ABSENT */
    uint64_t quiet;    /* pages without a row: their text stood still whenever it could be compared */
    uint64_t unknown;  /* pages without a row that could not be compared at least once */
    uint64_t left_out; /* that would have a row, beyond `most` */
    uint32_t groups;
    struct sharc_arena texts;
};
/* Rows: hierarchical clustering (average linkage) of the distinct patterns of change, leaves ordered
 * so that neighbours are alike: by the best order that the tree allows for up to 300 distinct patterns, by turning
 * each branch to its neighbour beyond. most: rows at most, those with most changes first; 0: 200,000. */
int sharc_figure_calendar(struct sharc_store *s, const sharc_store_id *captures, size_t n, size_t most,
                          struct sharc_figure_calendar *ret, struct sharc_err *reterr);
void sharc_figure_calendar_done(struct sharc_figure_calendar *f);

/* --- graph --------------------------------------------------------------------------------------------------- */

struct sharc_figure_node {
    sharc_store_id url_id; /* 0: the root above several seeds, or a branch that is folded */
    struct sharc_span url; /* of a folded branch: that of its top */
    uint32_t parent;       /* index of a node before it; the first node has itself */
    uint32_t depth;
    enum sharc_figure_kind kind;
    enum sharc_figure_class change;
    enum sharc_grade_reason reason; /* without `against`: why it has its class */
    bool folded;                    /* stands for branches of its parent in which nothing changed */
    uint32_t pages; /* pages it stands for: 1, of a folded node all of theirs, of a root above seeds 0 */
    uint32_t below; /* pages in its whole branch, with its own */
    float x, y;     /* radial layout, the root at 0, 0; the outermost ring has radius 1 */
};
struct sharc_figure_graph {
    sharc_store_id capture, against;
    char *site, *key;
    struct sharc_figure_node *nodes; /* parents before children */
    size_t count;
    uint64_t pages; /* in all nodes */
    uint64_t all[SHARC_FIGURE_CLASS_COUNT];
    struct sharc_arena texts;
};
/* The spanning tree of a capture: a page hangs below the page on which it was found first. Pages that only `against`
 * has hang where they hung there, MISSING. against 0: classes follow from visit and revisit of the capture
 * itself. fold: a branch in which nothing changed becomes one node, all such branches of a page together (as in the
 * algorithms of the papers, with children of changed pages visited too); a small site of which no page changed stays
 * as it is. */
int sharc_figure_graph(struct sharc_store *s, sharc_store_id capture, sharc_store_id against, bool fold,
                       struct sharc_figure_graph *ret, struct sharc_err *reterr);
void sharc_figure_graph_done(struct sharc_figure_graph *f);

/* --- week ------------------------------------------------------------------------------------------------------- */

struct sharc_figure_week {
    double changes[7][24]; /* Monday first, UTC: a change whose hour is unknown is spread over the hours in question */
    double hours[7][24];   /* hours watched */
    uint64_t pages, looks, seen; /* pages; downloads that answered; changes between two of them */
    uint64_t stated;             /* changes of which the server's Last-Modified tells the hour */
    sharc_time from, to;         /* first and last download; SHARC_TIME_NONE: none */
};
/* When a page (url given) or all pages of a site (0: of all sites) change. Where two downloads lie more than a
 * week apart and no date lies between, nothing is said about hours: `seen` counts it, `changes` does not. */
int sharc_figure_week(struct sharc_store *s, sharc_store_id site, sharc_store_id url, struct sharc_figure_week *ret,
                      struct sharc_err *reterr);

/* --- sub-sites -------------------------------------------------------------------------------------------------- */

/* How a sub-site changes beside the rest of the part it was taken from. name, word, text */
#define SHARC_FIGURE_MANNERS(X)                                         \
    X(ALIKE, "alike", "changes like the rest, or nothing can be said")  \
    X(FASTER, "faster", "changes more than twice as often as the rest") \
    X(SLOWER, "slower", "changes less than half as often as the rest")  \
    X(OTHER_TIMES, "other-times", "changes at other times than the rest")
enum sharc_figure_manner {
#define X(name, word, text) SHARC_FIGURE_##name,
    SHARC_FIGURE_MANNERS(X)
#undef X
        SHARC_FIGURE_MANNER_COUNT,
};
const char *sharc_figure_manner_word(enum sharc_figure_manner m);
const char *sharc_figure_manner_text(enum sharc_figure_manner m);

/* Why a part is one: a host of its own; a sitemap of its own; changes that differ. */
enum { SHARC_FIGURE_BY_HOST = 1, SHARC_FIGURE_BY_SITEMAP = 2, SHARC_FIGURE_BY_CHANGE = 4 };

struct sharc_figure_subsite {
    struct sharc_span prefix; /* "http://example.org/news/", "http://example.org/calendar?": what its URLs begin with */
    uint32_t parent;          /* index of the part it was taken from; UINT32_MAX: it is a host */
    uint8_t basis;            /* SHARC_FIGURE_BY_… */
    enum sharc_figure_manner manner;
    /* All without the sub-sites that were taken from it: */
    uint64_t pages;
    uint64_t compared, changed; /* pairs of looks at a page that can be compared; of these changed */
    double share, low, high;    /* changed of compared, with an interval of 95 %; NaN: nothing was compared */
    double rest;                /* share of the parent; NaN: none */
    double bits;                /* saved by telling of it apart: 10 are a thousand to one; 0: not by change */
};
struct sharc_figure_subsites {
    struct sharc_figure_subsite *rows; /* parents before what was taken from them */
    size_t count;
    size_t pages, columns; /* looked at; steps at which changes could be seen */
    struct sharc_arena texts;
};
/* Parts of the site of the captures, which are in order of their starts: hosts, folders with a sitemap of their own,
 * and folders that change in a way of their own, from capture to capture and from visit to revisit. Folders of fewer
 * than five pages, or of less than a five-hundredth of all, are none. At most 60. O(pages × captures). */
int sharc_figure_subsites(struct sharc_store *s, const sharc_store_id *captures, size_t n,
                          struct sharc_figure_subsites *ret, struct sharc_err *reterr);
void sharc_figure_subsites_done(struct sharc_figure_subsites *f);
/* Each as an object, inside an array; site (may be NULL): a member of each. */
void sharc_figure_subsites_put(struct sharc_json *j, const char *site, const struct sharc_figure_subsites *f);

/* The same for pages that somebody else looked at. */
enum { SHARC_FIGURE_STEP_UNKNOWN, SHARC_FIGURE_STEP_SAME, SHARC_FIGURE_STEP_CHANGED };
struct sharc_figure_watched {
    struct sharc_span url; /* no two are equal */
    const uint8_t *cells;  /* a SHARC_FIGURE_STEP_… for every step */
};
/* sitemaps: folders ("http://example.org/docs/") that have one of their own. */
int sharc_figure_subsites_of(const struct sharc_figure_watched *pages, size_t n, size_t columns,
                             const struct sharc_span *sitemaps, size_t sitemap_count, struct sharc_figure_subsites *ret,
                             struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
