/* SPDX-License-Identifier: Apache-2.0
 *
 * What an outsider can push against. A limit that is reached is an error that says so,
 * unless its comment says that the rest is left out: then the result is marked, or the
 * header of the function tells. How much work is done at a time (rows of a batch, bytes
 * read ahead) is bounded beside the code that does it.
 */
#ifndef SHARC_BASE_LIMITS_H
#define SHARC_BASE_LIMITS_H

#include "sharc/base_api.h"

#include <stddef.h>

SHARC_API_BEGIN

#define SHARC_LIMIT_URL (8u << 10)               /* bytes of one URL, any form */
#define SHARC_LIMIT_HTTP_HEADER (256u << 10)     /* status line and header fields */
#define SHARC_LIMIT_HTTP_FIELDS 1000u            /* header fields of one message */
#define SHARC_LIMIT_WARC_HEADER (256u << 10)     /* named fields of one record */
#define SHARC_LIMIT_LINKS_PER_PAGE 100000u       /* also entries of a sitemap, feed or OAI answer */
#define SHARC_LIMIT_HTML_ATTRIBUTES 1024u        /* kept of one tag; further ones are passed over */
#define SHARC_LIMIT_PAGE_BYTES (256u << 20)      /* a page in UTF-8 */
#define SHARC_LIMIT_PAGE_TEXT (32u << 20)        /* visible text of one page */
#define SHARC_LIMIT_PAGE_LINK_BYTES (128u << 20) /* URLs of all links of one page */
#define SHARC_LIMIT_PAGE_BLOCKS 256u
#define SHARC_LIMIT_PAGE_DATES 64u
#define SHARC_LIMIT_JSON_DEPTH 64u
#define SHARC_LIMIT_JSON_BYTES (64u << 20)
#define SHARC_LIMIT_JSON_NODES (4u << 20)
#define SHARC_LIMIT_SETTINGS_BYTES (1u << 20)
#define SHARC_LIMIT_SETTINGS_DEPTH 16u
#define SHARC_LIMIT_SETTINGS_NODES 100000u
#define SHARC_LIMIT_SETTINGS_DIRECTIVES 16u /* %TAG in one YAML text */
#define SHARC_LIMIT_SCOPE_RULES 100000u
#define SHARC_LIMIT_REGEX_BYTES 4096u /* one regular expression */
#define SHARC_LIMIT_EXPANSION 1000u   /* decoded bytes per encoded byte */
#define SHARC_LIMIT_CODINGS 5u        /* stacked content codings */

#define SHARC_LIMIT_CDX_LINE (1u << 20)       /* one line of an index */
#define SHARC_LIMIT_CDX_GZIP (1u << 30)       /* a gzip index that must be unpacked whole */
#define SHARC_LIMIT_CDX_BLOCK (64u << 20)     /* one unpacked block of a ZipNum index */
#define SHARC_LIMIT_ZIP_ENTRIES (1u << 20)    /* files in one ZIP */
#define SHARC_LIMIT_ZIP_UNPACKED (256u << 20) /* one ZIP entry unpacked in memory */

/* Decoded bytes of an answer that are compared; one with more counts as cut. */
#define SHARC_LIMIT_SHOWN ((uint64_t)4 << 30)

#define SHARC_LIMIT_STORE_TITLE 512u   /* bytes of a title in the catalogue; the rest is left out */
#define SHARC_LIMIT_STORE_SHORT 256u   /* the same of a MIME type, a reason, the name of a strategy or source */
#define SHARC_LIMIT_STORE_DETAIL 1024u /* the same of a detail or an ETag */

#define SHARC_LIMIT_DATASET_BYTES ((size_t)1 << 30) /* one table of a recorded history */
#define SHARC_LIMIT_RATE_FORECAST 300000u           /* pages a forecast is learned from; for more there is none */
#define SHARC_LIMIT_SURVEY_SITEMAPS 100u            /* read of one site; the rest is left out */
#define SHARC_LIMIT_SURVEY_BODY (64u << 20)         /* one page or sitemap of a survey */
#define SHARC_LIMIT_LAB_PAGES 50000u                /* what one sitemap may hold */
#define SHARC_LIMIT_LAB_TRUTH ((size_t)1 << 30)     /* a log of the truth */

SHARC_API_END
#endif
