/* SPDX-License-Identifier: Apache-2.0
 *
 * What the records of one capture show, derived from archive files alone: its pages, what each of their downloads
 * was, the grade that room evidence gives them when it compares the bodies again, and when they existed together.
 * Nobody's word is taken for a grade: a closing record can only make one worse.
 *
 *   f = sharc_derived_new();
 *   r = sharc_derive_open(f, paths, count, &err);     archive files, directories, containers
 *   r = sharc_derive_run(f, &options, &err);
 *   … f->pages[i] …
 *
 * Room certify writes it down and holds certificates against it; room import puts it into the catalogue.
 */
#ifndef SHARC_DERIVE_H
#define SHARC_DERIVE_H

#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/base_digest.h"
#include "sharc/base_file.h"
#include "sharc/base_json.h"
#include "sharc/base_map.h"
#include "sharc/change_grade.h"
#include "sharc/warc_inputs.h"
#include "sharc/warc_own.h"

SHARC_PRIVATE_BEGIN

/* The rules by which grades, intervals and whole pages are derived: those of this room and of room evidence. A change
 * that may give another result for the same files needs a new number, since certificates name it and a verifier that
 * has other rules cannot derive them again. */
#define SHARC_DERIVE_RULES "sharc-rules-11"

#define SHARC_DERIVED_NONE UINT32_MAX

/* --- what the files hold ----------------------------------------------------------------- */

enum sharc_download_flag {
    SHARC_DOWNLOAD_REVISIT = 1,      /* a revisit record: its body is in another record */
    SHARC_DOWNLOAD_NOT_MODIFIED = 2, /* of a revisit record: the server said 304 */
    SHARC_DOWNLOAD_OWN = 4,          /* its metadata record says what it was made for */
    SHARC_DOWNLOAD_CUT = 8, /* WARC-Truncated, or shorter than its head says, or it cannot be decoded to its end */
    SHARC_DOWNLOAD_HAS_PAYLOAD = 16,    /* payload is known */
    SHARC_DOWNLOAD_HAS_CONTENT = 32,    /* content is known */
    SHARC_DOWNLOAD_COOKIE = 64,         /* the request carried cookies */
    SHARC_DOWNLOAD_AUTHORIZATION = 128, /* or credentials */
    SHARC_DOWNLOAD_SEED = 256,
    SHARC_DOWNLOAD_CODED = 512,          /* a content coding was undone */
    SHARC_DOWNLOAD_CONDITIONAL = 1024,   /* the request named a validator */
    SHARC_DOWNLOAD_WRONG_PAYLOAD = 2048, /* the bytes do not have the digest that the record states */
    SHARC_DOWNLOAD_EMBEDDED = 4096,      /* fetched because a page embeds it */
    SHARC_DOWNLOAD_TLS_VERIFIED = 8192,  /* the crawler says that it trusted the server's certificates */
    SHARC_DOWNLOAD_TLS_RESUMED = 16384,  /* these were presented on an earlier connection */
};

/* One answer. Texts are numbers in the names of their owner; SHARC_DERIVED_NONE: absent. */
struct sharc_download {
    uint64_t offset, length; /* of its record */
    uint64_t bytes;          /* of the decoded content */
    sharc_time from, to;     /* asked; last byte. to == SHARC_TIME_NONE: not recorded */
    sharc_time capture;      /* when its capture began */
    sharc_time date;         /* the server's Date; SHARC_TIME_NONE */
    int64_t age;             /* -1: none */
    uint8_t id[16], original_id[16];
    uint8_t payload[32], content[32];
    uint32_t file, url, type, location, etag, modified, coding, ip, protocol, truncated, via;
    uint32_t target;       /* of a redirect, absolute */
    uint32_t whole_target; /* the same with its fragment, and what else evidence.h says: compared */
    uint32_t sent_etag;    /* If-None-Match of its request */
    uint32_t original;     /* number of the download whose body this one repeats */
    uint32_t tls_version, tls_cipher, tls_chain; /* chain: "sha256:…" */
    uint32_t embeds, embed_count;                /* in the owner's list */
    uint16_t flags, status;
    uint8_t kind;    /* enum sharc_own_kind */
    uint8_t control; /* private to the room */
};

struct sharc_derived_file {
    char *name; /* the last part */
    struct sharc_span bytes;
    struct sharc_filemap map;    /* empty: inside a container */
    uint64_t records, downloads; /* downloads: of the capture */
    struct sharc_buf info;       /* its warcinfo block */
    sharc_time info_date;
    bool needed;     /* holds a record of the capture, or a body that one refers to */
    uint32_t number; /* among those needed, by name */
    /* For measure(), which the caller brings: */
    struct sharc_digest digest;
    char *sums; /* malloc'ed */
};

/* A closing record: what the crawler said of a capture. */
struct sharc_closing {
    sharc_time capture;
    uint32_t file;
    uint64_t offset;
    char *lines;
};

/* Certificates that a server presented. */
struct sharc_derived_chain {
    uint32_t digest; /* a name: "sha256:…" of the text, as it was computed here */
    char *pem;
    size_t size;
    bool cut; /* the server presented more */
};
/* Texts that are kept of one set of files; chains beyond are as if they were not there. */
#define SHARC_DERIVED_CHAINS 10000u
#define SHARC_DERIVED_CHAIN_BYTES ((size_t)64 << 20)

/* What one pass found, or all of them together. */
struct sharc_gathered {
    struct sharc_intern *names;
    struct sharc_download *items;
    size_t count, room;
    uint32_t *embeds;
    size_t embed_count, embed_room;
    struct sharc_closing *verdicts; /* closing records */
    size_t verdict_count, verdict_room;
    struct sharc_derived_chain *chains; /* each text once */
    size_t chain_count, chain_room, chain_bytes;
    struct sharc_map64 chain_of; /* by the name of the digest: number in chains, counted from 1 */
};

/* --- what follows from it ------------------------------------------------------------------- */

/* A download from which on our clock and a server's differ otherwise than in the file before. */
struct sharc_derived_step {
    uint32_t download;
    sharc_time by;
};

/* An address that was found and not fetched; or was, and does not count. */
struct sharc_left_out {
    uint32_t url, reason; /* names */
    bool aside;           /* it was fetched, and would count as proved */
};

struct sharc_derived_page {
    uint32_t url;
    uint32_t visit, revisit;         /* SHARC_DERIVED_NONE: none */
    uint32_t others, other_count;    /* second looks and controls, by time: in `other` */
    sharc_time known_from, known_to; /* SHARC_TIME_NONE: speaks for no time */
    uint8_t reason, whole;           /* enum sharc_grade_reason; grade of the page with its embeds */
    uint32_t parts, missing;         /* embeds that are pages here, and that are not */
    uint8_t stated;                  /* what the crawler said when the capture ended; NOT_GRADED: nothing */
    bool aside;                      /* while pages are set aside */
    uint32_t detail;                 /* what differed, or the volatile parts: in details; 0: nothing */
};

/* Answers 304 that were checked by downloads, and whether these are the ones that the seed of the capture demands. */
struct sharc_derived_audits {
    uint64_t attested;      /* pages that rest on the word of a server */
    uint64_t wanted;        /* audits that so many want */
    uint64_t made, failed;  /* of these pages; failed: listed by the crawler, and there is no record of it */
    uint64_t missing;       /* fewer were made or failed than wanted */
    uint64_t passed_over;   /* pages whose turn it was by the seed, when others were audited */
    uint32_t page, instead; /* rows: one of these, and one that was audited though its number is greater */
    bool seeded;            /* the crawler told the seed */
};

struct sharc_derived {
    struct sharc_derived_file *files;
    size_t file_count;
    struct sharc_gathered all; /* downloads in the order of the files */
    uint32_t twin, twin_of;    /* downloads: two whose records have one id; twin == 0: there are none */
    sharc_time capture;
    struct sharc_derived_page *pages; /* by URL */
    size_t page_count;
    uint32_t *page_of; /* by name number: row, or SHARC_DERIVED_NONE */
    uint32_t *other;   /* downloads */
    size_t other_count, other_room;
    struct {
        uint32_t url; /* a name */
        uint8_t reason;
    } * stated; /* by the crawler, of each page */
    size_t stated_count, stated_room;
    uint32_t *audited; /* names: pages whose audits the crawler lists */
    size_t audited_count, audited_room;
    bool audits_listed; /* it lists them */
    struct sharc_derived_audits audits;
    struct sharc_left_out *left_out; /* by URL */
    size_t left_count, left_room;
    char *params;   /* settings of the capture, as the crawler wrote them; NULL: it did not */
    char *scope;    /* which URLs belong to it, likewise: canonical JSON */
    bool *dated;    /* by file: a server stated the time in it */
    uint32_t *gone; /* downloads: pages that were not there, by URL */
    size_t gone_count;
    struct sharc_derived_step *steps; /* of the clock */
    size_t step_count, step_room;
    char *places;   /* volatile places learned: canonical JSON */
    uint32_t *part; /* rows, ascending, of each page's embeds, one page behind the other */
    size_t part_count, part_room;
    uint32_t *part_at; /* page_count + 1 */
    struct sharc_derived_detail {
        char *json; /* canonical: what differs */
        char *line; /* for people; may be "" */
    } * details;    /* [0] is unused */
    size_t detail_count, detail_room;
    sharc_time began, ended;
    uint64_t downloads;  /* of the capture, robots.txt and the like included */
    sharc_time from, to; /* the reference interval; SHARC_TIME_NONE: none */
    uint64_t together;   /* proved pages whose interval holds it */
    uint64_t reasons[SHARC_GRADE_REASON_COUNT];
    uint64_t wholes[SHARC_GRADE_COUNT]; /* HTML pages by the grade of the whole */
    struct sharc_warc_inputs inputs;
};

/* --- deriving it --------------------------------------------------------------------------- */

struct sharc_derived *sharc_derived_new(void);
void sharc_derived_free(struct sharc_derived *f);
void sharc_derived_freep(struct sharc_derived **f);
void sharc_derived_file_done(struct sharc_derived_file *f);

/* The files of an archive that a capture and the bodies that it refers to are in. That, and when the capture began,
 * is all that the catalogue is asked for; the key is malloc'ed. Release the names with sharc_names_free. */
struct sharc_store;
int sharc_derive_files(struct sharc_store *store, const char *archive, const char *capture, char ***ret_paths,
                       size_t *ret_count, sharc_time *ret_began, char **ret_key, struct sharc_err *reterr);

/* The numbers of the WARC rows that the pages of a capture and their bodies point into, as keys of *rows; and the
 * pages' URLs, unless urls is NULL. */
int sharc_derive_rows(struct sharc_store *store, int64_t capture, struct sharc_map64 *rows, struct sharc_intern *urls,
                      struct sharc_err *reterr);

/* Files are sorted by the last parts of their names. */
int sharc_derive_open(struct sharc_derived *f, const char *const *paths, size_t count, struct sharc_err *reterr);

struct sharc_derive_options {
    sharc_time capture; /* when it began, as its records say; SHARC_TIME_NONE: the only one that is there */
    unsigned threads;   /* 0: one per core */
    size_t part_bytes;  /* read files in parts of about this size; 0: some MiB. The result is the same */
    /* Go on behind damage, and whatever digests the records state (grades come from the bytes); pages are named by
     * their URLs in page form. */
    bool lenient;
    void (*measure)(struct sharc_derived_file *f); /* of every file's bytes, in any thread; may be NULL */
};
/* SHARC_ENOENT: no download of that capture is there; SHARC_EINVAL: of which capture?; SHARC_EDIGEST: a record
 * does not have its digest; SHARC_ECORRUPT … when a file is damaged, or two records have one id. The message names file
 * and offset. */
int sharc_derive_run(struct sharc_derived *f, const struct sharc_derive_options *o, struct sharc_err *reterr);

/* --- asking about it ----------------------------------------------------------------------- */

/* The certificates of that digest; NULL: no record has them. */
const struct sharc_derived_chain *sharc_derived_chain(const struct sharc_derived *f, uint32_t digest);
/* Our clock against those of the servers, as a JSON value. */
void sharc_derive_clock(const struct sharc_derived *f, struct sharc_json *j);
/* "example.org:8080" of a URL. */
struct sharc_span sharc_derive_host(struct sharc_span url);
/* The next "name: value" line of a warcinfo or metadata block; what has no colon is passed over. Not the parser of
 * HTTP heads: a page may have more outlinks than a head has fields. */
bool sharc_derive_field(struct sharc_span *rest, struct sharc_span *name, struct sharc_span *value);

static inline enum sharc_grade sharc_derived_grade(const struct sharc_derived_page *p)
{
    return sharc_grade_of((enum sharc_grade_reason)p->reason);
}

/* Proved, and for the reference interval. */
static inline bool sharc_derived_together(const struct sharc_derived *f, const struct sharc_derived_page *p)
{
    return sharc_grade_is_proof(sharc_derived_grade(p)) && p->known_from != SHARC_TIME_NONE &&
           f->from != SHARC_TIME_NONE && p->known_from <= f->from && f->to <= p->known_to;
}

static inline struct sharc_span sharc_derived_text(const struct sharc_derived *f, uint32_t name)
{
    return name == SHARC_DERIVED_NONE ? SHARC_SPAN_NONE : sharc_intern_text(f->all.names, name);
}

SHARC_PRIVATE_END
#endif
