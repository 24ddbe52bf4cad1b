/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages that are gone though the server says 200: asked for a page that cannot exist, the
 * site shows what it shows then.
 */
#include "sources.h"

#include <string.h>

void sharc__crawl_probe(struct sources *s, const struct host *h, uint32_t via)
{
    if (s->ctx->o.no_probe || s->probed || s->agenda->plan.started) return;
    s->probed = true;
    SHARC_AUTO(sharc_freep)
    char *url = sharc_asprintf("%s/%016llx-no-such-page", h->origin,
                               (unsigned long long)sharc_fingerprint(sharc_span_of(h->origin), 404));
    struct task t = {.kind = TASK_PROBE,
                     .page = sharc__crawl_found_preparation(s->frontier, sharc_span_of(url), via, 'I')};
    sharc__crawl_agenda_prepare(s->agenda, &t);
}

void sharc__crawl_probed(struct sources *s, const struct job *j)
{
    s->has_soft404 = j->made.answer == SHARC_ANSWER_CONTENT && j->made.text_digest.n == sizeof s->soft404;
    if (!s->has_soft404) return;
    memcpy(s->soft404, j->made.text_digest.bytes, sizeof s->soft404);
    sharc__crawl_note_soft404(s->journal, s->soft404);
}

void sharc__crawl_soft404_restore(struct sources *s, const uint8_t text[32])
{
    static const uint8_t none[32];
    memcpy(s->soft404, text, sizeof s->soft404);
    s->has_soft404 = memcmp(s->soft404, none, sizeof none) != 0;
}

/* The very text: pages of a shop are nearly as alike to its error page as to each other. What
 * shows the same as the version before is judged as that was. */
static bool looks_gone(const struct sources *s, const struct job *j)
{
    if (!s->has_soft404) return false;
    if (j->in.compare && (j->made.identical || j->made.answer == SHARC_ANSWER_NOT_MODIFIED) &&
        j->made.text_digest.n == 0)
        return (j->in.before.marks & VERSION_NOT_FOUND) != 0;
    return j->made.answer == SHARC_ANSWER_CONTENT && j->made.page.type == SHARC_PAGE_HTML &&
           j->made.text_digest.n == sizeof s->soft404 &&
           memcmp(s->soft404, j->made.text_digest.bytes, sizeof s->soft404) == 0;
}

/* A site that shows its front page for everything, as applications that are built in
 * the browser do, says nothing with it about what is there. */
bool sharc__crawl_is_soft404(struct sources *s, const struct job *j)
{
    if (!looks_gone(s, j)) return false;
    if (!(s->pages->page[j->task.page].flags & (PAGE_SEED | PAGE_MOVED_SEED))) return true;
    s->has_soft404 = false;
    memset(s->soft404, 0, sizeof s->soft404);
    sharc__crawl_note_soft404(s->journal, s->soft404);
    return false;
}
