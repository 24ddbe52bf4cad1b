/* SPDX-License-Identifier: Apache-2.0
 *
 * Indexes of archives: which capture of which URL lies where.
 *
 * A CDXJ line is `key SP timestamp SP {json}`: the SURT form of the URL, 14
 * (or 17) digits, and one JSON object on the same line. A file is sorted by
 * bytes, as LC_ALL=C sort does. The older CDX format has columns instead of
 * the object; its first line (" CDX N b a …") names them. ZipNum is a sorted
 * index cut into gzip members, with a small second file that says where each
 * begins.
 *
 * Reading one line, opening files for look-up, and asking them; cdx_build.h makes them.
 */
#ifndef SHARC_CDX_H
#define SHARC_CDX_H

#include "sharc/base.h"
#include "sharc/base_buf.h"

SHARC_API_BEGIN

/* --- one line ------------------------------------------------------------ */

#define SHARC_CDX_FIELDS_LIST(X) \
    X(KEY, "urlkey")             \
    X(TIMESTAMP, "timestamp")    \
    X(URL, "url")                \
    X(MIME, "mime")              \
    X(STATUS, "status")          \
    X(DIGEST, "digest")          \
    X(REDIRECT, "redirect")      \
    X(ROBOTFLAGS, "robotflags")  \
    X(LENGTH, "length")          \
    X(OFFSET, "offset")          \
    X(FILENAME, "filename")      \
    X(METHOD, "method")          \
    X(BODY, "requestBody")

enum sharc_cdx_field {
#define X(id, name) SHARC_CDX_##id,
    SHARC_CDX_FIELDS_LIST(X)
#undef X
        SHARC_CDX_FIELDS
};

/* An entry: spans without quotes and escapes. An absent field, and "-" in the
 * old format, is SHARC_SPAN_NONE. */
struct sharc_cdx {
    struct sharc_span field[SHARC_CDX_FIELDS];
    struct sharc_span json; /* the object as written; SHARC_SPAN_NONE in the old format */
    struct sharc_span line; /* all of it, without its end of line */
};

/* The name of a field as JSON objects and filters use it. */
const char *sharc_cdx_name(enum sharc_cdx_field field);
/* And back; also "statuscode", "mimetype", "original". SHARC_CDX_FIELDS: none. */
enum sharc_cdx_field sharc_cdx_field_of(struct sharc_span name);

/* Reads lines. Keeps the columns that a " CDX" header named, so one parser
 * serves one file. */
struct sharc_cdx_parser {
    struct sharc_buf text;    /* unescaped values of the last line */
    struct sharc_buf extra;   /* unescaped value that sharc_cdx_get gave last */
    unsigned count;           /* columns named by a header; 0: none */
    unsigned char column[32]; /* enum sharc_cdx_field, or SHARC_CDX_FIELDS to skip */
    char separator;
};
void sharc_cdx_parser_init(struct sharc_cdx_parser *p);
void sharc_cdx_parser_done(struct sharc_cdx_parser *p);

/* Read one line (an end of line is ignored). Returns
 *   1  an entry; its spans point into line and p->text, valid until the next call
 *   0  a header (" CDX …", "!meta …") or a blank line
 *   SHARC_ESYNTAX, SHARC_ELIMIT (longer than SHARC_LIMIT_CDX_LINE)
 * Linear in the line. err->offset is the byte within the line. In the old format a
 * line without a header has 9, 10, 11 or 14 columns; the key is SHARC_SPAN_NONE when
 * the header names none (Wget's files). */
int sharc_cdx_parse(struct sharc_cdx_parser *p, struct sharc_span line, struct sharc_cdx *ret,
                    struct sharc_err *reterr);

/* A field of the entry by any name, also one that has no number above: then the
 * JSON object is searched again, and *ret is valid until the next call of this.
 * False: not there. */
bool sharc_cdx_get(struct sharc_cdx_parser *p, const struct sharc_cdx *c, struct sharc_span name,
                   struct sharc_span *ret);

/* A number written as digits; false when absent or not a number. */
bool sharc_cdx_number(const struct sharc_cdx *c, enum sharc_cdx_field field, uint64_t *ret);

/* Append the entry as a line with its '\n'. CDXJ writes what is present, in the
 * order of the list above, all values as strings, as pywb does. */
enum sharc_cdx_format { SHARC_CDXJ, SHARC_CDX9, SHARC_CDX11 };
int sharc_cdx_write(const struct sharc_cdx *c, enum sharc_cdx_format format, struct sharc_buf *out);
/* " CDX N b a …\n", or "" for CDXJ. */
const char *sharc_cdx_header(enum sharc_cdx_format format);

/* --- files opened for look-up -------------------------------------------- */

/* One or more sorted index files asked together. Reading from several threads
 * is safe. A file that is shortened meanwhile ends the process (SIGBUS), unless
 * sharc_filemap_guard was called: then lines may be missing, and sharc_cdx_index_intact
 * says so. */
struct sharc_cdx_index;
struct sharc_cdx_index *sharc_cdx_index_new(void);
void sharc_cdx_index_free(struct sharc_cdx_index *x);
void sharc_cdx_index_freep(struct sharc_cdx_index **x);

enum sharc_cdx_check {
    SHARC_CDX_CHECK_SOME, /* files up to 16 MiB whole, larger ones at 256 places */
    SHARC_CDX_CHECK_ALL,  /* every line */
};
/* Add a file: CDXJ or CDX, the same in gzip (decompressed to memory, at most
 * SHARC_LIMIT_CDX_GZIP), or the .idx of a ZipNum pair, whose data files lie beside
 * it. A file that is not sorted is refused with SHARC_ECORRUPT, naming the file
 * and the offset of the line that is smaller than the one before it. Mapped: no memory
 * in proportion to its size. */
int sharc_cdx_index_add(struct sharc_cdx_index *x, const char *path, enum sharc_cdx_check check,
                        struct sharc_err *reterr);
/* The same of bytes that stay the caller's and must outlive x; name is for messages. */
int sharc_cdx_index_add_lines(struct sharc_cdx_index *x, const char *name, struct sharc_span lines,
                              enum sharc_cdx_check check, struct sharc_err *reterr);
/* ZipNum from bytes: the .idx and its one data file. */
int sharc_cdx_index_add_zipnum(struct sharc_cdx_index *x, const char *name, struct sharc_span idx,
                               struct sharc_span data, enum sharc_cdx_check check, struct sharc_err *reterr);
/* Are all its files as long as they were? Those that were given as bytes are the caller's business. */
bool sharc_cdx_index_intact(const struct sharc_cdx_index *x);

/* --- asking -------------------------------------------------------------- */

enum sharc_cdx_match {
    SHARC_CDX_AUTO, /* "*.example.org" domain, "example.org/a*" prefix, else exact */
    SHARC_CDX_EXACT,
    SHARC_CDX_PREFIX,
    SHARC_CDX_HOST,
    SHARC_CDX_DOMAIN, /* the host and everything below it */
};
enum sharc_cdx_sort { SHARC_CDX_FORWARD, SHARC_CDX_REVERSE, SHARC_CDX_CLOSEST };

struct sharc_cdx_query {
    struct sharc_span url; /* empty: everything */
    enum sharc_cdx_match match;
    struct sharc_span from, to; /* 1 to 17 digits, a prefix means all it begins; empty: open */
    enum sharc_cdx_sort sort;
    struct sharc_span closest; /* 4 to 17 digits; for SHARC_CDX_CLOSEST, exact matches only */
    uint64_t limit;            /* 0: none */
    /* pywb's form, all must hold: "status:20" contains, "=status:200" equals,
     * "~mime:text/.*" a regular expression from the beginning of the value, with "!"
     * in front: not. */
    const char *const *filters;
    size_t filter_count;
    bool bare_names; /* filters see of a filename only what is behind its last '/' */
    /* For those who must not be kept waiting by filters that pass little: after this many lines sharc_cdx_next
     * returns SHARC_EBUSY, and is to be called again. 0: never. */
    uint64_t turn;
};

/* What to ask for when the request sends something: captures of one address that differ in what was sent have
 * keys of their own. url with method ("POST", upper case) and body as the index makers write them, appended to
 * out. SHARC_ELIMIT: longer than SHARC_LIMIT_URL; such a capture has the key of its URL alone. */
int sharc_cdx_sent_url(struct sharc_span url, struct sharc_span method, struct sharc_span content_type,
                       struct sharc_span body, struct sharc_buf *out, struct sharc_err *reterr);

/* Results one by one, merged over all files in the order asked for; memory does not
 * depend on their number. The first costs O(log n) per file. */
struct sharc_cdx_cursor;
int sharc_cdx_ask(const struct sharc_cdx_index *x, const struct sharc_cdx_query *q, struct sharc_cdx_cursor **ret,
                  struct sharc_err *reterr);
void sharc_cdx_cursor_free(struct sharc_cdx_cursor *c);
void sharc_cdx_cursor_freep(struct sharc_cdx_cursor **c);
/* 1: *ret is the next entry, valid until the next call; 0: no more. SHARC_ECORRUPT
 * names file and offset, also of lines found out of order on the way. SHARC_EBUSY: the turn is over. */
int sharc_cdx_next(struct sharc_cdx_cursor *c, struct sharc_cdx *ret, struct sharc_err *reterr);
/* As sharc_cdx_get, for the entry that next gave last. */
bool sharc_cdx_cursor_get(struct sharc_cdx_cursor *c, struct sharc_span name, struct sharc_span *ret);

SHARC_API_END
#endif
