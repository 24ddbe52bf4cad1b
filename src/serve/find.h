/* SPDX-License-Identifier: Apache-2.0
 *
 * Between find.c, which chooses a capture, and original.c, which opens records.
 */
#ifndef SHARC_SERVE_FIND_H
#define SHARC_SERVE_FIND_H

#include "serve_int.h"
#include "sharc/base_digest.h"

struct serve_opened {
    struct sharc_warc *reader;
    struct sharc_record record;
    const struct sharc_filemap *map;
};
/* The record that a line of this source names. SHARC_ECORRUPT: it is not there. */
int sharc__serve_open_record(const struct sharc_edition *e, const struct serve_source *s, const struct sharc_cdx *line,
                             struct serve_opened *ret, struct sharc_err *reterr);
bool sharc__serve_same_key(struct sharc_span a, struct sharc_span b);
/* Is the record of the URL that the line says? If not, the index is wrong, and nobody knows what this is. */
bool sharc__serve_is_of(const struct sharc_record *rec, const struct sharc_cdx *line);

/* Does an answer of this URL lead to where it was asked for? Whoever followed it would come back for ever. */
bool sharc__serve_leads_to_itself(struct sharc_span url, int status, struct sharc_span location);

/* Is it a redirect that leads to its own key, so that another capture is shown instead? Opens its record; second.c. */
bool sharc__serve_is_circle(const struct sharc_edition *e, const struct serve_source *source,
                            const struct sharc_cdx *line);

/* What may still be spent on the originals of one URL's revisits, which are often of one digest. */
struct serve_effort {
    unsigned lines;               /* to be read */
    struct sharc_digest hopeless; /* no capture of the URL has it; n == 0: none is known */
};
/* The record with the payload of a revisit; h: its own head, or NULL. SHARC_ENOENT. */
int sharc__serve_original(const struct sharc_edition *e, const struct sharc_record *revisit, const struct sharc_http *h,
                          struct serve_effort *effort, struct serve_opened *ret);

/* What one request may spend. */
struct serve_effort sharc__serve_effort(void);
/* The answer that a line names, with the payload of its original. SHARC_ENOENT: it is none that can be shown. */
int sharc__serve_try(const struct sharc_edition *e, const struct serve_source *source, const struct sharc_cdx *line,
                     struct serve_effort *effort, struct sharc_found **ret, struct sharc_err *reterr);
/* The version of a URL that existed at an instant, or the capture that is nearest or latest by the dates of the
 * records; coherent.c. Errors as sharc_find. */
int sharc__serve_find_at(const struct sharc_edition *e, struct sharc_span url, sharc_time at,
                         enum sharc_mapping mapping, struct sharc_found **ret, struct sharc_err *reterr);
/* A capture of a similar URL, at most 100 of which are looked at; similar.c. SHARC_ENOENT. */
int sharc__serve_find_similar(const struct sharc_edition *e, const struct sharc_wish *w, struct sharc_found **ret);
void sharc__serve_keep_reason(struct sharc_err *kept, const struct sharc_err *why);
int sharc__serve_no_capture(const struct sharc_wish *w, const struct sharc_err *kept, struct sharc_err *reterr);

#endif
