/* SPDX-License-Identifier: Apache-2.0
 *
 * The story as files: HTML and PDF.
 */
#include "story.h"

#include "sharc/base_file.h"

#include <stdio.h>

enum { HTML_ROWS = 500, PDF_ROWS = 60 }; /* tables for the desk; all of it is in certificate.json */

typedef int writer(const struct sharc_paper *p, const struct sharc_paper_about *about, struct sharc_buf *out,
                   struct sharc_err *reterr);

static int write_story(const struct sharc_derived *f, const struct sharc_certify_issue *o,
                       const struct sharc_certify_made *made, size_t rows, writer *fn, const char *path,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(256u << 20);
    SHARC_AUTO(sharc_paper_done) struct sharc_paper story = {0};
    char foot[SHARC_DIGEST_TEXT + 32], digest[SHARC_DIGEST_TEXT];
    snprintf(foot, sizeof foot, "certificate.json %s", sharc_digest_text(&made->digest, digest));
    const struct sharc_paper_about about = {.title = "Certificate of a web capture", .foot = foot, .made = o->now};
    sharc__certify_story(f, o, made, rows, &story);
    int r = fn(&story, &about, &out, reterr);
    return r < 0 ? r : sharc_file_replace(path, sharc_buf_span(&out), reterr);
}

int sharc_certify_html(const struct sharc_derived *f, const struct sharc_certify_issue *o,
                       const struct sharc_certify_made *made, const char *path, struct sharc_err *reterr)
{
    return write_story(f, o, made, HTML_ROWS, sharc_paper_html, path, reterr);
}

int sharc_certify_pdf(const struct sharc_derived *f, const struct sharc_certify_issue *o,
                      const struct sharc_certify_made *made, const char *path, struct sharc_err *reterr)
{
    return write_story(f, o, made, PDF_ROWS, sharc_paper_pdf, path, reterr);
}
