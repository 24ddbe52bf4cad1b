/* SPDX-License-Identifier: Apache-2.0
 *
 * WACZ: a ZIP that holds WARC files, their index, a list of pages and the hashes
 * of all of it, so that a capture travels as one file and can be replayed from a
 * web server that knows ranges.
 */
#ifndef SHARC_WACZ_H
#define SHARC_WACZ_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/base_json.h"
#include "sharc/base_zip.h"
#include "sharc/cdx.h"

SHARC_API_BEGIN

/* --- WACZ: reading ------------------------------------------------------- */

struct sharc_wacz;
/* A ZIP with a datapackage.json. Nothing else is checked here: sharc_wacz_check. */
int sharc_wacz_open(const char *path, struct sharc_wacz **ret, struct sharc_err *reterr);
void sharc_wacz_close(struct sharc_wacz *w);
void sharc_wacz_closep(struct sharc_wacz **w);
const struct sharc_zip *sharc_wacz_zip(const struct sharc_wacz *w);
/* Add its indexes to x. w must outlive x. */
int sharc_wacz_add_index(struct sharc_wacz *w, struct sharc_cdx_index *x, enum sharc_cdx_check check,
                         struct sharc_err *reterr);
/* The bytes of a WARC by its name in the index, for sharc_warc_open_bytes; they live with
 * w. SHARC_ENOENT. */
int sharc_wacz_warc(const struct sharc_wacz *w, struct sharc_span filename, struct sharc_span *ret,
                    struct sharc_err *reterr);

/* --- WACZ: checking ------------------------------------------------------ */

/* Whom the reader trusts; all PEM, all may be none. */
struct sharc_wacz_trust {
    struct sharc_span key; /* the public key or certificate that must have signed */
    /* Certificates to which the chains of signer and time stamp must lead; an anonymous signature only passes with key.
     */
    struct sharc_span trusted;
};

/* What a right signature shows. Without trust it shows that the file is as its signer left it, and not who that is. */
struct sharc_wacz_signature {
    bool there, right;
    bool covers;         /* right, and every file in the container has the hash (SHA-256 or better) that was signed */
    bool expected;       /* it is that of trust's key */
    bool trusted;        /* it is that of a certificate that is trusted, and so is the time stamp's */
    char key[160];       /* "ECDSA P-384 key sha256:…" */
    char domain[256];    /* "": an anonymous signature */
    char authority[256]; /* of the time stamp */
    sharc_time created;  /* by the signer's own account */
    sharc_time stamped;  /* SHARC_TIME_NONE: there is no time stamp */
    char fault[512];     /* what is wrong with it, or that it is missing where it must be; "": nothing */
};

struct sharc_wacz_report {
    uint64_t files, warcs, captures, pages, bytes;
    uint64_t problems;                     /* what the standard demands and is not so */
    uint64_t remarks;                      /* what it recommends */
    struct sharc_wacz_signature signature; /* its fault counts as a problem, and is not said */
};
typedef void sharc_wacz_say_fn(void *arg, bool problem, const char *where, const char *what);
/* Hold the file against WACZ 1.1.1: its parts, how they are packed, datapackage.json and
 * its digest, its signature, every hash and size, pages, the order of the indexes. All findings go to
 * say. The WARCs inside and what the indexes say about them: sharc_audit. trust may be NULL; otherwise a file that is
 * not signed has a fault. Returns 0 also when there are problems; < 0 when the file cannot be read as ZIP. */
int sharc_wacz_check(const char *path, const struct sharc_wacz_trust *trust, sharc_wacz_say_fn *say, void *arg,
                     struct sharc_wacz_report *ret, struct sharc_err *reterr);

/* --- WACZ: writing ------------------------------------------------------- */

enum sharc_wacz_show {
    SHARC_WACZ_HIDE,
    SHARC_WACZ_SHOW,
    /* Without its digest: a revisit of which ReplayWeb.page knows the payload already, from another record, is
     * shown without the head of its original, as plain bytes. By URL and time it finds the original. */
    SHARC_WACZ_SHOW_BARE,
};

/* Of what is packed, what is shown: for whoever knows more about the WARCs than they say. */
struct sharc_wacz_choice {
    /* Is this line of the index for replay? The full index goes to SHARC_WACZ_ALL. */
    enum sharc_wacz_show (*shows)(void *arg, const struct sharc_cdx *line);
    /* Give the lines of pages/pages.jsonl, of SHARC_WACZ_VERDICTS, and add to the object of datapackage.json. */
    int (*pages)(void *arg, sharc_line_fn *put, void *put_arg, struct sharc_err *reterr);
    int (*verdicts)(void *arg, sharc_line_fn *put, void *put_arg, struct sharc_err *reterr);
    int (*about)(void *arg, struct sharc_json *j, struct sharc_err *reterr);
    void *arg;
};
#define SHARC_WACZ_ALL "captures/all.cdx.gz"
#define SHARC_WACZ_VERDICTS "captures/pages.jsonl"

/* Sign: write the members of signedData for this hash ("sha256:…") of datapackage.json into the object that j is in. */
typedef int sharc_wacz_sign_fn(void *arg, struct sharc_span hash, sharc_time created, const char *software,
                               struct sharc_json *j, struct sharc_err *reterr);

/* Further files, made of the WARCs that are packed: add each by its path in the container. */
typedef int sharc_wacz_add_fn(void *add_arg, const char *path, struct sharc_span bytes, struct sharc_err *reterr);
typedef int sharc_wacz_extra_fn(void *arg, const char *const *warcs, size_t count, sharc_wacz_add_fn *add,
                                void *add_arg, struct sharc_err *reterr);

struct sharc_wacz_options {
    const char *title, *description;
    const char *software;        /* NULL: "sharc VERSION" */
    const char *main_url;        /* NULL: the first page */
    sharc_time now;              /* created, and the date of the entries */
    const char *const *requires; /* WACZ files that hold the originals of revisits */
    size_t requires_count;
    const char *pages;                      /* a pages.jsonl to take instead of looking for pages */
    const struct sharc_wacz_choice *choice; /* NULL: all is shown */
    bool lenient;
    unsigned threads;         /* 0: one per core */
    sharc_wacz_sign_fn *sign; /* NULL: not signed */
    void *sign_arg;
    sharc_wacz_extra_fn *extra; /* NULL: none */
    void *extra_arg;
    void (*warn)(void *arg, const struct sharc_err *what); /* from any thread, one at a time */
    void *warn_arg;
};

struct sharc_wacz_written {
    uint64_t warcs, captures, pages, bytes;
    uint64_t damaged, left_out; /* places passed over; captures that are damaged and have no line (lenient) */
    uint64_t lost; /* revisits whose original is in none of the files; not counted with requires or choice */
};

/* Pack WARC files (.warc, .warc.gz, one member per record) with a new index
 * (ZipNum; answers 304 are not in it), the list of their pages (HTML with status 200, with titles) and
 * hashes. Of a directory those in it are meant. The WARCs are stored byte for byte. Memory does not depend on
 * their size, but for some 40 bytes per revisit. Revisits without their original are told to warn. */
int sharc_wacz_write(const char *output, const char *const *warcs, size_t count, const struct sharc_wacz_options *o,
                     struct sharc_wacz_written *ret, struct sharc_err *reterr);

SHARC_API_END
#endif
