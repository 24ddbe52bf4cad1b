/* SPDX-License-Identifier: Apache-2.0
 *
 * A local mirror: the captures of a site as plain files with relative links, to
 * be opened from a disk, a stick or any web server without knowing of archives.
 *
 * One capture of every URL becomes one file, <host>/<path>, its transfer and
 * content codings undone. In pages (HTML, XHTML, SVG) and style sheets links to
 * captured URLs become relative paths, others absolute URLs. A redirect is no
 * file: links to it lead to where it ends. See sharc_mirror_path for names.
 */
#ifndef SHARC_REPLAY_MIRROR_H
#define SHARC_REPLAY_MIRROR_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/url.h"
#include "sharc/warc_export.h"

SHARC_PRIVATE_BEGIN

struct sharc_mirror_options {
    /* Which captures; types and no_info mean nothing here. Without statuses: answers 2xx
     * (but 206) as files, 3xx as redirects; with them: what they name, and 3xx is
     * a redirect still. */
    struct sharc_warc_selection selection;
    const char *start;   /* the page to begin with, when it is there; NULL: the first one in the files */
    sharc_time at;       /* of the captures of a URL take the closest; SHARC_TIME_NONE: the latest */
    size_t largest_page; /* bytes of a page or style sheet that is rewritten; 0: SHARC_LIMIT_PAGE_BYTES */
};

struct sharc_mirror_made {
    uint64_t records;  /* read: responses, revisits, resources */
    uint64_t damaged;  /* places passed over (lenient) */
    uint64_t left_out; /* damaged records: cut, or with a wrong digest (lenient) */
    uint64_t files, pages, bytes;
    uint64_t redirects;     /* URLs that lead to others */
    uint64_t lost;          /* revisits whose original is in none of the inputs */
    uint64_t unchanged;     /* pages too large to rewrite, or that would grow too much: written as they are */
    uint64_t links_inside;  /* to files of the mirror */
    uint64_t links_outside; /* to the web */
    char *start;            /* the page to begin with, relative to the output; NULL: none. free() it */
};

/* Make output (a directory that does not exist, or is empty) from archive files
 * as sharc_warc_select takes them. They are read two or three times, in order;
 * memory grows with the number of URLs (some 300 bytes each), not with their
 * bytes, but for one page at a time. What was written before a failure stays. */
int sharc_mirror(const char *output, const char *const *inputs, size_t count, const struct sharc_mirror_options *o,
                 struct sharc_mirror_made *ret, struct sharc_err *reterr);

/* The path that a URL would like to have below the output, appended to out:
 * <host>[_port]/<segments>/<name>[@<query>][.<extension>], at most
 * SHARC_MIRROR_PATH bytes of letters, digits and "-._~=+@". Other bytes become =XX, a
 * directory "index", an empty segment "_"; names that some system keeps for
 * itself (con, nul, …) and dots at the end get a "_", what is too long is cut
 * and a fingerprint put behind. The extension is added where it is missing, or
 * where a browser would take the file for something else. Two URLs may want the
 * same path; sharc_mirror puts ~<8 hex digits> behind the name of the second. */
#define SHARC_MIRROR_PATH 200
void sharc_mirror_path(const struct sharc_url *url, struct sharc_span mime, struct sharc_buf *out);

SHARC_PRIVATE_END
#endif
