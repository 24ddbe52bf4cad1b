/* SPDX-License-Identifier: Apache-2.0
 *
 * The certificate of a capture: what was asked, what was found, which pages were the same
 * before and after, and when all of them existed together. Everything in it is derived from the archive files
 * alone, so that anybody who has these files can derive it again; only "issued" (who
 * certifies, when, with which key) is not.
 *
 *   sharc_certify_read(&reading, &facts, &err);             the files
 *   sharc_certify_write(facts, &issue, path, &made, &err);  certificate.json and what belongs to it
 *   sharc_certify_check(&checking, &checked, &err);         later, elsewhere, by somebody else
 *
 * The document is canonical JSON (RFC 8785); times are microseconds since 1970, UTC. "pages" has
 * a row for each page, sorted by URL; the rows' bytes are the leaves of a Merkle tree
 * (RFC 9162) whose root is in "root". docs/evidence.md explains every member.
 */
#ifndef SHARC_CERTIFY_H
#define SHARC_CERTIFY_H

#include "sharc/base.h"
#include "sharc/base_arena.h"
#include "sharc/base_clock.h"
#include "sharc/base_digest.h"
#include "sharc/change_grade.h"
#include "sharc/derive.h"
#include "sharc/seal.h"
#include "sharc/seal_stamp.h"

SHARC_PRIVATE_BEGIN

/* --- what the files say --------------------------------------------------------------- */

struct sharc_certify_reading {
    const char *const *paths; /* archive files, directories, WACZ containers */
    size_t count;
    sharc_time capture; /* when it began, as its records say; SHARC_TIME_NONE: the only one that is there */
    unsigned threads;   /* 0: one per core */
};
/* SHARC_ENOENT: no download of that capture is there; SHARC_EINVAL: of which capture?; SHARC_EDIGEST: a record
 * does not have its digest. A file that is damaged cannot be certified: the message names it and the offset. */
int sharc_certify_read(const struct sharc_certify_reading *o, struct sharc_derived **ret, struct sharc_err *reterr);

/* In numbers. */
struct sharc_certify_sum {
    sharc_time capture, began, ended; /* capture: as its records name it; began, ended: first request, last byte */
    sharc_time from, to;              /* the reference interval; SHARC_TIME_NONE: none */
    uint64_t pages, downloads, together;
    uint64_t grades[SHARC_GRADE_COUNT], whole[SHARC_GRADE_COUNT], whole_pages;
    uint64_t reasons[SHARC_GRADE_REASON_COUNT]; /* what the grades rest on: own controls apart from those of others */
    size_t files;
    uint64_t bytes;
};
void sharc_certify_sum(const struct sharc_derived *f, struct sharc_certify_sum *ret);

/* --- the document ------------------------------------------------------------------------ */

/* What does not follow from the files. Texts may be NULL. */
struct sharc_certify_issue {
    sharc_time now;
    const char *operator_name, *contact;
    const char *statement;            /* of a person, in that person's words */
    const char *software, *build;     /* "sharc/0.1.0"; a digest of the program */
    const struct sharc_seal_key *key; /* with its private half; NULL: not signed */
    struct sharc_span chain;          /* the key's X.509 certificates in PEM, its own first; may be none */
    unsigned threads;                 /* 0: one per core. They change nothing but the time */
};

struct sharc_certify_made {
    struct sharc_digest digest, root;
    uint64_t size;
};
/* Writes path ("…/certificate.json"), path.sig when there is a key, and beside it statement.json with its own
 * signature: capture, interval, counts and root in short, by which a single page can be shown. */
int sharc_certify_write(const struct sharc_derived *f, const struct sharc_certify_issue *o, const char *path,
                        struct sharc_certify_made *ret, struct sharc_err *reterr);

/* The same for people: one page in plain words, tables, and a page to fill in for the person who certifies. It says
 * nothing that the certificate does not. The HTML has the first 500 pages of each table, the PDF 60;
 * SHARC_EUNSUPPORTED: built without cairo. */
int sharc_certify_html(const struct sharc_derived *f, const struct sharc_certify_issue *o,
                       const struct sharc_certify_made *made, const char *path, struct sharc_err *reterr);
int sharc_certify_pdf(const struct sharc_derived *f, const struct sharc_certify_issue *o,
                      const struct sharc_certify_made *made, const char *path, struct sharc_err *reterr);

/* One page of a certificate with what it embeds, the proofs for their rows, and the signed statement beside the
 * certificate: for a reader who is to see nothing else. Written beside the certificate as page-ROW.json; *ret is its
 * path, malloc'ed. SHARC_ENOENT: there is no such page. */
int sharc_certify_page(const char *certificate, struct sharc_span url, char **ret, struct sharc_err *reterr);

/* --- checking ------------------------------------------------------------------------------- */

struct sharc_certify_checking {
    const char *certificate;  /* or a WACZ that holds certificate/certificate.json */
    const char *const *paths; /* where its files are; none: beside the certificate, or in that WACZ */
    size_t count;
    /* Who is believed: a key, or these authorities (PEM), to which the signer's chain must lead, unless there is a key,
     * and that of a time stamp. Neither: the key that is named inside, which proves no person; and anybody may have
     * made the stamp. */
    const struct sharc_seal_key *key;
    struct sharc_span trusted;
    unsigned threads;
};

/* Something that does not fit: where, and what. */
struct sharc_certify_finding {
    const char *file; /* certificate, signature, stamp or archive file */
    uint64_t offset;  /* in it; SHARC_NOWHERE: none */
    const char *path; /* in the certificate, "/pages/12/visit/status"; NULL: none */
    const char *text;
};

struct sharc_certify_checked {
    struct sharc_certify_finding *findings; /* at most SHARC_CERTIFY_FINDINGS; the rest is counted */
    size_t count;
    uint64_t total;
    struct sharc_certify_sum sum; /* as derived; when files is true */
    bool files;                   /* everything was derived again from the files and compared */
    bool signature;               /* right, by the key given or named inside */
    bool signed_;                 /* there is a signature */
    char signer[80];              /* fingerprint of the key: "sha256:…"; "": none */
    char subject[256];            /* whom the chain names that leads to an authority; "": none */
    bool stamped, stamp;          /* there is a time stamp; it is right */
    struct sharc_seal_stamp stamp_says;
    bool stated, statement; /* statement.json stands beside it; it says what the certificate says */
    char rules[64]; /* by which it was derived, if these are not ours: rows could not be derived again; else "" */
    bool page;      /* it is one page with its proof, not a whole certificate */
    uint64_t rows;  /* checked */
    struct sharc_arena arena; /* holds the findings */
    size_t room_;
};
#define SHARC_CERTIFY_FINDINGS 1000
/* 0 whatever is found; < 0 when the certificate cannot be read at all. done() in either case. */
int sharc_certify_check(const struct sharc_certify_checking *o, struct sharc_certify_checked *ret,
                        struct sharc_err *reterr);
void sharc_certify_checked_done(struct sharc_certify_checked *c);

SHARC_PRIVATE_END
#endif
