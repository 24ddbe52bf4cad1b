/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside room certify: what one capture's records say, file by file and then together.
 *
 *   gather.c   one pass over one file: its downloads, its warcinfo, its digest
 *   decode.c   a body's two digests, as stored and decoded, in that pass
 *   join.c     the files together: pages, and what each of their downloads is
 *   grade.c    room evidence run again over them
 *   compare.c  bodies read back for it
 *   times.c    intervals of pages and of all of them
 *   whole.c    pages with what they embed
 *   clock.c    our clock against those of the servers
 *   rows.c     one page as canonical JSON
 *   sections.c everything else of the document
 *   locate.c   where a file differs
 */
#ifndef SHARC_CERTIFY_INT_H
#define SHARC_CERTIFY_INT_H

#include "sharc/base_arena.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/base_digest.h"
#include "sharc/base_json.h"
#include "sharc/base_map.h"
#include "sharc/certify.h"
#include "sharc/change_grade.h"
#include "sharc/warc_inputs.h"
#include "sharc/warc_own.h"

#define CERTIFY_NONE UINT32_MAX

enum download_flag {
    DOWNLOAD_REVISIT = 1,      /* a revisit record: its body is in another record */
    DOWNLOAD_NOT_MODIFIED = 2, /* of a revisit record: the server said 304 */
    DOWNLOAD_OWN = 4,          /* its metadata record says what it was made for */
    DOWNLOAD_CUT = 8,          /* WARC-Truncated, or shorter than its head says, or it cannot be decoded to its end */
    DOWNLOAD_HAS_PAYLOAD = 16, /* payload is known */
    DOWNLOAD_HAS_CONTENT = 32, /* content is known */
    DOWNLOAD_COOKIE = 64,      /* the request carried cookies */
    DOWNLOAD_AUTHORIZATION = 128, /* or credentials */
    DOWNLOAD_SEED = 256,
    DOWNLOAD_CODED = 512,          /* a content coding was undone */
    DOWNLOAD_CONDITIONAL = 1024,   /* the request named a validator */
    DOWNLOAD_WRONG_PAYLOAD = 2048, /* the bytes do not have the digest that the record states */
    DOWNLOAD_EMBEDDED = 4096,      /* fetched because a page embeds it */
};

/* One answer. Texts are numbers in the names of their owner; CERTIFY_NONE: absent. */
struct download {
    uint64_t offset, length; /* of its record */
    uint64_t bytes;          /* of the decoded content */
    sharc_time from, to;     /* asked; last byte. to == SHARC_TIME_NONE: not recorded */
    sharc_time capture;      /* when its capture began */
    sharc_time date;         /* the server's Date; SHARC_TIME_NONE */
    int64_t age;             /* -1: none */
    uint8_t id[16], original_id[16];
    uint8_t payload[32], content[32];
    uint32_t file, url, type, location, etag, modified, coding, ip, protocol, truncated, via;
    uint32_t target;              /* of a redirect, absolute */
    uint32_t sent_etag;           /* If-None-Match of its request */
    uint32_t original;            /* number of the download whose body this one repeats */
    uint32_t embeds, embed_count; /* in the owner's list */
    uint16_t flags, status;
    uint8_t kind;    /* enum sharc_own_kind */
    uint8_t control; /* of a control: enum control_step */
};
enum control_step { CONTROL_NONE, CONTROL_FIRST, CONTROL_SECOND, CONTROL_LATE };

struct certified_file {
    char *name; /* the last part */
    struct sharc_span bytes;
    struct sharc_filemap map; /* empty: inside a container */
    struct sharc_digest digest;
    uint64_t records, downloads; /* downloads: of the capture */
    char *sums;                  /* locate.c: one word of 16 digits per block */
    struct sharc_buf info;       /* its warcinfo block */
    sharc_time info_date;
    bool needed;     /* holds a record of the capture, or a body that one refers to */
    uint32_t number; /* among those needed, by name */
};

/* A closing record: what the crawler said of a capture. */
struct verdict {
    sharc_time capture;
    uint32_t file;
    uint64_t offset;
    char *lines;
};

/* What one pass found, or all of them together. */
struct gathered {
    struct sharc_intern *names;
    struct download *items;
    size_t count, room;
    uint32_t *embeds;
    size_t embed_count, embed_room;
    struct verdict *verdicts; /* closing records */
    size_t verdict_count, verdict_room;
};
void sharc__certify_gathered_init(struct gathered *g);
void sharc__certify_gathered_done(struct gathered *g);
/* All records of f; g was initialised. SHARC_ECORRUPT … when the file is damaged. */
int sharc__certify_gather(struct certified_file *f, uint32_t number, struct gathered *g, struct sharc_err *reterr);
/* Digest and sums of the bytes. */
void sharc__certify_measure(struct certified_file *f);

/* Reads the body of a response and fills payload, content, bytes and the flags about them. */
struct decoding;
struct decoding *sharc__certify_decoding_new(void);
void sharc__certify_decoding_free(struct decoding *d);
int sharc__certify_decode(struct decoding *d, struct sharc_record *rec, struct download *ret, struct sharc_err *reterr);

/* "name: value" lines. */
bool sharc__certify_field(struct sharc_span *rest, struct sharc_span *name, struct sharc_span *value);

/* --- together -------------------------------------------------------------------------- */

/* A download from which on our clock and a server's differ otherwise than in the file before. */
struct certified_step {
    uint32_t download;
    sharc_time by;
};

/* An address that was found and not fetched. */
struct left_out {
    uint32_t url, reason; /* names */
};

struct certified_page {
    uint32_t url;
    uint32_t visit, revisit;         /* CERTIFY_NONE: none */
    uint32_t others, other_count;    /* second looks and controls, by time: in `other` */
    sharc_time known_from, known_to; /* SHARC_TIME_NONE: speaks for no time */
    uint8_t reason, whole;           /* enum sharc_grade_reason; grade of the page with its embeds */
    uint32_t parts, missing;         /* embeds that are pages here, and that are not */
    uint8_t stated;                  /* what the crawler said when the capture ended; NOT_GRADED: nothing */
    uint32_t detail;                 /* grade.c: what differed, or the volatile parts; 0: nothing */
};

struct sharc_certify_facts {
    struct certified_file *files;
    size_t file_count;
    struct gathered all; /* downloads in the order of the files */
    sharc_time capture;
    struct certified_page *pages; /* by URL */
    size_t page_count;
    uint32_t *page_of; /* by name number: row, or CERTIFY_NONE */
    uint32_t *other;   /* downloads */
    size_t other_count, other_room;
    struct {
        uint32_t url; /* a name */
        uint8_t reason;
    } * stated; /* by the crawler, of each page */
    size_t stated_count, stated_room;
    struct left_out *left_out; /* by URL */
    size_t left_count, left_room;
    char *params;   /* settings of the capture, as the crawler wrote them; NULL: it did not */
    bool *dated;    /* by file: a server stated the time in it */
    uint32_t *gone; /* downloads: pages that were not there, by URL */
    size_t gone_count;
    struct certified_step *steps; /* of the clock */
    size_t step_count, step_room;
    char *places;   /* volatile places learned: the section, canonical */
    uint32_t *part; /* rows, ascending, of each page's embeds, one page behind the other */
    size_t part_count, part_room;
    uint32_t *part_at; /* page_count + 1 */
    char **details;    /* canonical JSON of what differs; details[0] is unused */
    size_t detail_count, detail_room;
    sharc_time began, ended;
    uint64_t downloads;  /* of the capture, robots.txt and the like included */
    sharc_time from, to; /* the reference interval; SHARC_TIME_NONE: none */
    uint64_t together;   /* proved pages whose interval holds it */
    uint64_t reasons[SHARC_GRADE_REASON_COUNT];
    uint64_t wholes[SHARC_GRADE_COUNT]; /* HTML pages by the grade of the whole */
    struct sharc_warc_inputs inputs;
};

int sharc__certify_join(struct sharc_certify_facts *f, struct gathered *each, struct sharc_err *reterr);
/* What the closing records say: pages of which there is no record, and what was left out. Before the grades. */
void sharc__certify_take_verdict(struct sharc_certify_facts *f);
/* Nothing is graded better than the crawler graded it. After the grades. */
void sharc__certify_heed_verdict(struct sharc_certify_facts *f);
int sharc__certify_grade(struct sharc_certify_facts *f, unsigned threads, struct sharc_err *reterr);
/* Before the grades: was a clock set? */
void sharc__certify_steps(struct sharc_certify_facts *f);
/* Was it between these two downloads? */
bool sharc__certify_stepped(const struct sharc_certify_facts *f, uint32_t from, uint32_t to);
/* What a revisit says up to then: its start, or earlier when a cache had kept it. */
static inline sharc_time certify_speaks_for(const struct download *d)
{
    return d->from - (d->age > 0 ? d->age * SHARC_SEC : 0);
}
void sharc__certify_intervals(struct sharc_certify_facts *f);
void sharc__certify_wholes(struct sharc_certify_facts *f);

/* --- the document ---------------------------------------------------------------------- */

/* Row i of "pages", canonical, appended. */
void sharc__certify_row(const struct sharc_certify_facts *f, size_t i, struct sharc_buf *out);
/* The names of the document's members, in their order; ends with NULL. */
extern const char *const sharc__certify_sections[];
/* The value of a member, canonical, appended. False: it does not follow from the files ("issued"), or is written in
 * rows ("pages"), or needs these ("root"). */
bool sharc__certify_section(const struct sharc_certify_facts *f, const char *name, struct sharc_buf *out);
/* Sentences of "does_not_say"; ends with NULL. */
extern const char *const sharc__certify_silence[];
#define CERTIFY_FORMAT "sharc-certificate-1"
/* "example.org:8080" of a URL. */
struct sharc_span sharc__certify_host(struct sharc_span url);
/* The values of "servers" and "clock". */
void sharc__certify_servers(const struct sharc_certify_facts *f, struct sharc_json *j);
void sharc__certify_clock(const struct sharc_certify_facts *f, struct sharc_json *j);

static inline bool certify_together(const struct sharc_certify_facts *f, const struct certified_page *p)
{
    return sharc_grade_is_proof(sharc_grade_of((enum sharc_grade_reason)p->reason)) &&
           p->known_from != SHARC_TIME_NONE && f->from != SHARC_TIME_NONE && p->known_from <= f->from &&
           f->to <= p->known_to;
}

static inline enum sharc_grade certify_grade(const struct certified_page *p)
{
    return sharc_grade_of((enum sharc_grade_reason)p->reason);
}

static inline struct sharc_span certify_text(const struct sharc_certify_facts *f, uint32_t name)
{
    return name == CERTIFY_NONE ? SHARC_SPAN_NONE : sharc_intern_text(f->all.names, name);
}

#endif
