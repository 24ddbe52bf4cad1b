/* SPDX-License-Identifier: Apache-2.0
 *
 * What changed between two versions of a page, and between two captures of a
 * site: classes with their evidence, importance, blocks, links, text, and edits of
 * a template told apart from edits of pages. Reports are in diff_report.h.
 *
 *   before, after     two versions: files, records of archives, a URL at a time
 *   sides             two captures: archive files, WACZ, indexes; or of the catalogue
 *
 *   SHARC_AUTO(sharc_diff_side_freep) struct sharc_diff_side *a = sharc_diff_side_new(NULL), *b = …;
 *   sharc_diff_side_add(a, "old.warc.gz", &err); … sharc_diff_side_open(a, 0, &err); …
 *   sharc_diff_sides(a, b, &options, &set, &err);
 *
 * Captures are read by index: of a page whose payload digest is the same on both sides
 * only the heads of its records are read, the others are read two records at a time.
 * Memory is bounded by what is listed, not by what is read.
 */
#ifndef SHARC_DIFF_H
#define SHARC_DIFF_H

#include "sharc/base.h"
#include "sharc/base_arena.h"
#include "sharc/base_buf.h"
#include "sharc/change_compare.h"
#include "sharc/change_diff.h"
#include "sharc/change_grade.h"
#include "sharc/extract.h"
#include "sharc/extract_compare.h"
#include "sharc/store.h"

SHARC_PRIVATE_BEGIN

/* What is told of a page: an enum sharc_change_class, or one of the two that only a look
 * at the content, or at all pages together, can tell. */
enum sharc_diff_class {
    SHARC_DIFF_FILE_CHANGED = SHARC_FAILED + 1, /* other bytes, and no text to look at: an image, a PDF */
    SHARC_DIFF_MOVED,                           /* the same content at another URL now */
    SHARC_DIFF_CLASSES,
};
/* The class of a verdict; never SHARC_DIFF_MOVED. */
unsigned sharc_diff_class_of(const struct sharc_change_verdict *v);
/* "text changed", "file changed", "moved" …; never NULL. */
const char *sharc_diff_class_name(unsigned c);
/* Short names, for filters and for machines: "unchanged", "insignificant", "text",
 * "links", "missing", "new", "redirected", "failed", "file", "moved". */
const char *sharc_diff_class_word(unsigned c);
/* Also "all" and "changed" (all but unchanged and insignificant): a set of bits
 * 1u << class, or 0 when unknown. */
unsigned sharc_diff_class_bits(struct sharc_span word);

struct sharc_diff_options {
    struct sharc_change_options change;
    unsigned threads;      /* for captures; 0: one per core */
    size_t template_pages; /* pages that share an edit, from which on it may be a template's */
    size_t max_body;       /* larger bodies are compared by their digests only */
    unsigned keep;         /* classes whose pages are kept in the set, 1u << class | … */
    size_t context;        /* lines around a change in the text */
    size_t max_rows;       /* rows of a text difference; 0: any number */
    struct sharc_span url; /* captures of a catalogue: this page only; none: all */
    /* May be NULL; called from the calling thread. total 0: unknown. */
    void (*progress)(void *arg, uint64_t pages, uint64_t total);
    void *arg;
};
#define SHARC_DIFF_CHANGED_CLASSES \
    (((1u << SHARC_DIFF_CLASSES) - 1) & ~(1u << SHARC_UNCHANGED | 1u << SHARC_INSIGNIFICANT))
#define SHARC_DIFF_OPTIONS                                                                              \
    {                                                                                                   \
        .change = SHARC_CHANGE_OPTIONS, .template_pages = 3, .max_body = 16u << 20,                     \
        .keep = SHARC_DIFF_CHANGED_CLASSES | 1u << SHARC_INSIGNIFICANT, .context = 3, .max_rows = 20000 \
    }

/* --- one side ---------------------------------------------------------------------- */

struct sharc_diff_side;
/* temporary: a directory for indexes made on the way; NULL: /tmp. */
struct sharc_diff_side *sharc_diff_side_new(const char *temporary);
void sharc_diff_side_free(struct sharc_diff_side *s);
void sharc_diff_side_freep(struct sharc_diff_side **s);
/* A WARC or ARC file, a WACZ, an index (CDXJ, CDX, ZipNum), or a directory that is
 * searched for archive files, as in sharc_warc_inputs_add. Once an index is added, archive files are the places
 * where its records are looked for, beside its own directory and the directories
 * "warcs" and "archive" next to that; else they are indexed when the side is opened. */
int sharc_diff_side_add(struct sharc_diff_side *s, const char *path, struct sharc_err *reterr);
/* After the last add, before anything else. Damaged archive files are read as
 * far as they go; *ret_damaged (may be NULL) counts the places passed over. */
int sharc_diff_side_open(struct sharc_diff_side *s, unsigned threads, uint64_t *ret_damaged, struct sharc_err *reterr);
/* Whether a path looks like something for a side rather than a page. */
bool sharc_diff_is_archive(const char *path);

/* --- one version ------------------------------------------------------------------- */

/* A download of a page, read. Zeroed storage is initialised storage; used again it
 * keeps its memory. Spans live until the next use. */
struct sharc_diff_version {
    enum sharc_change_answer answer;
    int status;               /* HTTP; 0: none, as of a file */
    sharc_time when;          /* of the download, or SHARC_TIME_NONE */
    sharc_time last_modified; /* as the server says, or SHARC_TIME_NONE */
    struct sharc_span label;  /* where it was read: "old.warc.gz#1234" */
    struct sharc_span url;    /* none for a file */
    struct sharc_span content_type;
    struct sharc_span redirect; /* absolute */
    uint64_t size;              /* of the content */
    bool has_digest;            /* the content was read, or a record told */
    struct sharc_digest digest;
    bool revisit;       /* read through a revisit record */
    bool cut;           /* the body was cut short, or is damaged */
    bool attested;      /* no body came: the server said 304, not modified */
    const char *remark; /* why the content is not known though there is one; NULL */
    bool has_text;
    struct sharc_span text; /* visible text of a page; the source of other texts */
    struct sharc_page page;
    struct sharc_page_prints prints;
    struct sharc__diff_scratch *scratch; /* private */
};
void sharc_diff_version_done(struct sharc_diff_version *v);
/* A file as it is, HTML or any text; base: what its links are relative to, may be NULL. */
int sharc_diff_version_file(struct sharc_diff_version *v, const char *path, const char *base,
                            const struct sharc_diff_options *o, struct sharc_err *reterr);
/* The record at an offset of an archive file. */
int sharc_diff_version_record(struct sharc_diff_version *v, const char *path, uint64_t offset,
                              const struct sharc_diff_options *o, struct sharc_err *reterr);
/* The capture of a URL nearest to a time (SHARC_TIME_NONE: the last). SHARC_ENOENT. */
int sharc_diff_version_at(struct sharc_diff_version *v, struct sharc_diff_side *s, struct sharc_span url,
                          sharc_time when, const struct sharc_diff_options *o, struct sharc_err *reterr);

/* --- one page ---------------------------------------------------------------------- */

struct sharc_diff_block {
    uint8_t role;         /* enum sharc_block_role */
    double weight;        /* of all blocks: 1 */
    bool is_new, is_gone; /* no such block before, or after */
    struct sharc_change_ops ops;
};

struct sharc_diff_page {
    struct sharc_change_verdict verdict;
    unsigned kind;               /* sharc_diff_class_of the verdict */
    double importance;           /* docs/changes.md */
    struct sharc_change_ops ops; /* of all blocks */
    uint64_t edit;               /* fingerprint of what came and went; 0: nothing */
    bool outer_only;             /* the edit stands in header, navigation, side or footer only */
    /* With details: */
    struct sharc_diff_block *blocks;
    size_t block_count;
    struct sharc_span *links_added, *links_removed; /* into the versions; in page order */
    size_t n_links_added, n_links_removed;
    struct sharc_change_rows rows;
};
void sharc_diff_page_done(struct sharc_diff_page *p);
/* Replace p by the comparison of two versions, either of which may be NULL (not there),
 * not both. The versions must outlive p when details are asked for. */
void sharc_diff_page_make(struct sharc_diff_page *p, const struct sharc_diff_version *before,
                          const struct sharc_diff_version *after, const struct sharc_diff_options *o, bool details);

/* --- two captures ------------------------------------------------------------------- */

/* One side of an entry, as the index or catalogue tells it. */
struct sharc_diff_facts {
    bool there;
    int status;       /* HTTP; 0: none, < 0: no answer came */
    sharc_time when;  /* its download began */
    sharc_time ended; /* and ended, where that is recorded; else as when */
    struct sharc_span mime;
    struct sharc_span redirect; /* of a redirect that was read */
    struct sharc_span file;     /* of the record */
    uint64_t offset;
    /* Of the revisit in an evidence capture: what it proves together with the visit, and which parts are volatile or
     * what differed. */
    enum sharc_grade_reason graded;
    struct sharc_span graded_detail;
    /* private: how to read it again */
    const void *source;
    struct sharc_span bytes;
    struct sharc_digest digest;
    bool revisit;
    struct sharc_span body_bytes;
    uint64_t body_offset;
};

/* What the statement that a page was the same before and after rests on. */
enum sharc_diff_basis {
    SHARC_DIFF_NO_BASIS,   /* it was not the same, or there is nothing to say it of (a 404 that stayed) */
    SHARC_DIFF_DOWNLOADED, /* downloaded in full both times, equal content, status and type */
    SHARC_DIFF_GRADED,     /* the capture's own grade: same but for volatile parts, or written differently */
    SHARC_DIFF_ATTESTED,   /* at least once the server only said: not modified */
    SHARC_DIFF_CUT,        /* equal as far as it goes, but a body was cut short */
    SHARC_DIFF_RECORDED,   /* an index or catalogue says so; the records are not available */
    SHARC_DIFF_TRUSTED,    /* an equal Last-Modified, which the user trusts */
    SHARC_DIFF_BASES,
};

/* Pages that were the same before and after. Unless one of them was changed and changed
 * back, those downloaded in full (the first two) existed together at every moment from `from` to `until`:
 * from the last end of their downloads before (its start, where only that is recorded) to
 * the first start of those after. */
struct sharc_diff_together {
    uint64_t pages[SHARC_DIFF_BASES];
    uint64_t by_own, by_kind; /* of SHARC_DIFF_GRADED: by control downloads of the page itself, of others; the rest was
                                 only written differently */
    sharc_time from, until;   /* of those downloaded in full; SHARC_TIME_NONE: none, or a time is unknown */
};

struct sharc_diff_entry {
    struct sharc_span url;
    struct sharc_span moved_to; /* SHARC_DIFF_MOVED: where its content is now */
    bool moved_text;            /* only its text is the same there, not every byte */
    struct sharc_diff_facts before, after;
    struct sharc_change_verdict verdict;
    unsigned kind; /* 0 … SHARC_DIFF_CLASSES - 1 */
    enum sharc_diff_basis basis;
    double importance;
    struct sharc_change_ops ops;
    uint64_t edit;
    bool outer_only;
    uint32_t template_id; /* 1, 2, … or 0: none */
    uint32_t shared;      /* pages with the same edit, this one included; 0: no other */
    const char *remark;   /* why something could not be read; NULL */
};

/* One edit found on many pages. */
struct sharc_diff_template {
    uint64_t edit;
    size_t pages;
    size_t sample;     /* an entry that has it */
    double importance; /* mean over its pages */
};

/* Entries by importance, greatest first, then by URL. */
struct sharc_diff_set {
    struct sharc_diff_entry *entries;
    size_t count;
    uint64_t pages;                                /* compared, kept or not */
    uint64_t classes[SHARC_DIFF_CLASSES];          /* without template edits */
    uint64_t template_classes[SHARC_DIFF_CLASSES]; /* template edits */
    struct sharc_diff_template *templates;         /* most pages first */
    size_t template_count;
    struct sharc_diff_together together;
    uint64_t graded_same; /* of SHARC_DIFF_GRADED, those whose class is one of a change */
    /* Of one capture: whose word its grades are, and what its file claims; NULL: no grades. */
    const char *graded_by;
    /* Of captures of a catalogue; two sides of one capture have the same. */
    bool single;         /* it is one capture: its visits against its revisits */
    char *weakened[2];   /* owned: the settings that weaken what it proves; NULL: none */
    bool unfinished[2];  /* pages may still come */
    uint64_t unfounded;  /* pages that the file's own closing record calls proved, and the downloads do not */
    uint64_t read;       /* pairs whose bodies were read */
    uint64_t unreadable; /* records that could not be */
    /* private */
    bool trusted; /* graded_by is one of us, no file's word */
    size_t room;
    struct sharc_arena texts;
    struct sharc_intern *names;
    struct sharc_diff_side *sides[2];
    struct sharc_diff_side *catalogue; /* owned: the files of an archive */
};
#define SHARC_DIFF_SET_INIT \
    {                       \
        .count = 0          \
    }
void sharc_diff_set_done(struct sharc_diff_set *s);

/* Every URL of two open sides, which must outlive the set. Of several captures of a
 * URL in one side the last counts; URLs with the same index key (http and https, with and
 * without www) are one page, but not those that differ by upper and lower case. */
int sharc_diff_sides(struct sharc_diff_side *before, struct sharc_diff_side *after, const struct sharc_diff_options *o,
                     struct sharc_diff_set *ret, struct sharc_err *reterr);
/* Every URL of two captures of a catalogue; of a capture and itself: every page that was
 * revisited, its visit against its revisit. archive: the directory that the names of its
 * WARC files are relative to. */
int sharc_diff_captures(struct sharc_store *store, const char *archive, sharc_store_id before, sharc_store_id after,
                        const struct sharc_diff_options *o, struct sharc_diff_set *ret, struct sharc_err *reterr);

/* Read the two versions of an entry again, for details. *ret_before and *ret_after say
 * which of them are there. */
int sharc_diff_set_read(const struct sharc_diff_set *s, size_t entry, const struct sharc_diff_options *o,
                        struct sharc_diff_version *before, struct sharc_diff_version *after, bool *ret_before,
                        bool *ret_after, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
