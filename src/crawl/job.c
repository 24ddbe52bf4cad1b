/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs are used again and again: their buffers live on, unless a page was large once.
 */
#include "download.h"

#include "sharc/http_robots.h"

#include <stdlib.h>

enum { CONTENT_MOST = 64 << 20, MIME_MOST = 128, CONTENT_KEPT = 4 << 20, OTHERS_KEPT = 1 << 20 };

static void recycle(struct sharc_buf *b, size_t kept, size_t max)
{
    if (b->room > kept) sharc_buf_done(b);
    sharc_buf_clear(b);
    b->max = max;
}

struct job *sharc__crawl_job_new(void)
{
    struct job *j = SHARC_NEW(struct job);
    sharc__crawl_job_clear(j);
    return j;
}

void sharc__crawl_job_clear(struct job *j)
{
    sharc_fetch_result_free(j->result);
    free(j->in.before_file);
    struct job fresh = {.in.url = j->in.url,
                        .made.content = j->made.content,
                        .made.page = j->made.page,
                        .made.location = j->made.location,
                        .made.mime = j->made.mime,
                        .old_page = j->old_page,
                        .old_content = j->old_content,
                        .ahead.bytes = j->ahead.bytes,
                        .outlinks = j->outlinks,
                        .hashers = j->hashers};
    recycle(&fresh.made.content, CONTENT_KEPT, CONTENT_MOST);
    recycle(&fresh.old_content, OTHERS_KEPT, CONTENT_MOST);
    recycle(&fresh.ahead.bytes, OTHERS_KEPT, PACKED_MOST);
    recycle(&fresh.outlinks, OTHERS_KEPT, CONTENT_MOST);
    recycle(&fresh.made.location, SIZE_MAX, SHARC_LIMIT_URL);
    recycle(&fresh.made.mime, SIZE_MAX, MIME_MOST);
    memcpy(j, &fresh, sizeof fresh);
}

#define SWAP(a, b)              \
    do {                        \
        __typeof__(a) c_ = (a); \
        (a) = (b);              \
        (b) = c_;               \
    } while (0)

void sharc__crawl_job_lend(struct job *to, struct job *from)
{
    SWAP(to->made.content, from->made.content);
    SWAP(to->made.page, from->made.page);
    SWAP(to->old_page, from->old_page);
    SWAP(to->old_content, from->old_content);
    SWAP(to->ahead.bytes, from->ahead.bytes);
    SWAP(to->outlinks, from->outlinks);
    SWAP(to->hashers, from->hashers);
}

void sharc__crawl_job_free(struct job *j)
{
    if (!j) return;
    sharc_fetch_result_free(j->result);
    free(j->in.before_file);
    sharc_buf_done(&j->made.content);
    sharc_buf_done(&j->ahead.bytes);
    sharc_buf_done(&j->outlinks);
    sharc_hasher_pair_free(j->hashers);
    sharc_buf_done(&j->old_content);
    sharc_buf_done(&j->made.location);
    sharc_buf_done(&j->made.mime);
    sharc_page_done(&j->made.page);
    sharc_page_done(&j->old_page);
    sharc_url_done(&j->in.url);
    free(j);
}

bool sharc__crawl_brought_nothing(const struct job *j)
{
    const struct sharc_fetch_result *r = j->result;
    return r->status == 0 || r->head.n == 0 || sharc_backoff_wanted(r->status);
}
