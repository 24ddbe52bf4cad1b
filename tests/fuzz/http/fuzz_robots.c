/* SPDX-License-Identifier: Apache-2.0
 *
 * robots.txt: the first line is the URL asked for, the rest the file. Nothing
 * may crash; a rule that is reported must be one of the file; a file that
 * allows nothing keeps allowing itself; whoever is in a hurry finds no input
 * that takes long.
 */
#include "sharc/http_robots.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sharc_span file = sharc_span(data, size), url;
    if (!sharc_span_next(&file, '\n', &url)) return 0;
    if (!file.p) file = SHARC_SPAN(""); /* one line alone */
    SHARC_AUTO(sharc_robots_freep) struct sharc_robots *r = sharc_robots_new(file, SHARC_ROBOTS_TOKEN);
    struct sharc_robots_rule rule;
    bool allowed = sharc_robots_allowed(r, url, &rule);
    if (rule.line > 0 && (rule.allow != allowed || rule.value.n == 0)) abort();
    if (rule.line == 0 && !allowed && url.n < 60000) abort();
    if (!sharc_robots_allowed(r, SHARC_SPAN("https://h.example/robots.txt"), NULL)) abort();
    if (sharc_robots_delay(r) < 0 || sharc_robots_delay(r) > 300 * SHARC_SEC) abort();
    size_t sitemaps = 0;
    while (sharc_robots_sitemap(r, sitemaps).p) sitemaps++;
    if (sitemaps > 1000) abort();
    sharc_time wait;
    if (sharc_http_retry_after(url, 0, &wait) == 0 && (wait < 0 || wait > 365 * SHARC_DAY)) abort();
    return 0;
}
