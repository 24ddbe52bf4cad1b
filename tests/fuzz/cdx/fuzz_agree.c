/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as an index of a small archive, plain and in gzip: whatever they say,
 * every finding must name a line that is there, or a record without one.
 */
#include "sharc/cdx_agree.h"
#include "sharc/warc_verify.h"

static const char archive[] = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:1>\r\n"
                              "WARC-Date: 2026-11-15T12:00:00Z\r\nWARC-Target-URI: http://a.org/\r\n"
                              "Content-Type: application/http\r\nContent-Length: 20\r\n\r\n"
                              "HTTP/1.1 200 OK\r\n\r\nx\r\n\r\n"
                              "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:2>\r\n"
                              "WARC-Date: 2026-11-15T12:00:01Z\r\nWARC-Target-URI: http://a.org/b\r\n"
                              "Content-Type: text/plain\r\nContent-Length: 1\r\n\r\ny\r\n\r\n";

static void check(void *arg, const struct sharc_disagreement *d)
{
    const size_t *size = arg;
    SHARC_ASSERT(d->text && *d->text);
    if (d->index == SHARC_NPOS)
        SHARC_ASSERT(d->archive == 0 && d->offset < sizeof archive);
    else
        SHARC_ASSERT(d->index == 0 && d->line <= *size + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sharc_agree_archive a = {"a.warc", "a.warc", {archive, sizeof archive - 1}};
    struct sharc_agree_index i = {.bytes = size ? sharc_span(data, size) : SHARC_SPAN("")};
    struct sharc_agree_options o = {.last_part = true, .threads = 1, .temporary = "."};
    size_t lines = size * 1100; /* unpacked */
    SHARC_ASSERT(sharc_cdx_agree(&a, 1, &i, 1, &o, check, &lines, NULL) == 0);
    return 0;
}
