/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a server's word true? Of the revisits that were answered 304 a random sample is downloaded
 * in full: some right after the answer, and at the end as many as are missing. One that shows
 * another content, and no 304 of that server counts any more; its pages are revisited in full, and
 * nothing of the capture is asked conditionally from then on. A page edited between its 304 and
 * its audit looks like a lie: that costs requests, and no truth.
 */
#include "engine.h"

#include "sharc/change_audit.h"

static bool is_attested(const struct version *v)
{
    return v && v->revisited && (v->reason == SHARC_GRADED_STRONG_ETAG || v->reason == SHARC_GRADED_LAST_MODIFIED);
}

/* The same for every run of a capture, and for nobody to foresee. */
static uint64_t draw(const struct site *s, uint32_t page)
{
    return sharc_audit_draw(s->audit_seed, page_url(&s->pages, page));
}

static struct task audit_of(uint32_t page)
{
    return (struct task){.kind = TASK_CONTROL, .page = page, .step = CONTROL_AUDIT};
}

/* Pages that may be answered 304, when it is not known yet how many will. */
static uint64_t candidates(const struct site *s)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < pages_count(&s->pages); i++) {
        const struct version *v = page_version(&s->pages, i);
        n += v && v->visit != SHARC_TIME_NONE && (v->etag != SHARC_NO_ID || (v->marks & VERSION_OLD_DATE));
    }
    return n;
}

/* It is revisited once more, in full. If there is no time left for that, it keeps the reason. */
static void break_word(struct site *s, uint32_t page)
{
    struct version v = sharc__crawl_pages_version(&s->pages, page);
    v.reason = SHARC_GRADED_WORD_BROKEN;
    v.revisited = false;
    s->count.coherent -= s->count.coherent > 0 && !sharc_change_counts((enum sharc_change_class)v.change);
    sharc__crawl_pages_keep(&s->pages, page, &v);
    sharc__crawl_note_version(&s->journal, &s->pages, page);
    sharc__crawl_agenda_extra_revisit(&s->agenda, page);
}

void sharc__crawl_audit_perhaps(struct site *s, uint32_t page)
{
    if (!is_attested(page_version(&s->pages, page))) return;
    if (s->count.lies) { /* it was under way when the lie was found */
        break_word(s, page);
        return;
    }
    s->audits_over = false;
    if (!s->attestable) s->attestable = candidates(s);
    const uint64_t all = s->attestable ? s->attestable : 1;
    if ((double)draw(s, page) / 0x1p64 >= (double)sharc_audit_wanted(all) / (double)all) return;
    struct task t = audit_of(page);
    sharc__crawl_agenda_retry(&s->agenda, &t);
}

bool sharc__crawl_audit_missing(struct site *s, struct task *ret)
{
    uint64_t attested = 0, tried = 0, least = 0;
    uint32_t best = NO_PAGE;
    if (s->audits_over || s->count.not_modified == 0) return false; /* asked again and again */
    for (uint32_t i = 0; i < pages_count(&s->pages); i++) {
        const struct version *v = page_version(&s->pages, i);
        if (!is_attested(v)) continue;
        attested++;
        tried += (v->marks & VERSION_AUDITED) != 0;
        if (v->marks & VERSION_AUDITED) continue;
        const uint64_t drawn = draw(s, i);
        if (best == NO_PAGE || drawn < least) best = i, least = drawn;
    }
    s->audits_over = best == NO_PAGE || tried >= sharc_audit_wanted(attested);
    if (!s->audits_over) *ret = audit_of(best);
    return !s->audits_over;
}

void sharc__crawl_audit_tried(struct site *s, uint32_t page)
{
    struct version v = sharc__crawl_pages_version(&s->pages, page);
    v.marks |= VERSION_AUDITED;
    sharc__crawl_pages_keep(&s->pages, page, &v);
    sharc__crawl_note_version(&s->journal, &s->pages, page);
}

/* --- what it showed ------------------------------------------------------------------------- */

static bool same_host(struct site *s, struct sharc_span host, uint32_t page)
{
    return sharc_url_parse(&s->url, page_url(&s->pages, page), NULL, NULL) == 0 &&
           sharc_span_eq(sharc_url_host_port(&s->url), host);
}

static void word_is_broken(struct site *s, uint32_t liar)
{
    if (sharc_url_parse(&s->url, page_url(&s->pages, liar), NULL, NULL) < 0) return;
    SHARC_AUTO(sharc_freep) char *host = sharc_span_dup(sharc_url_host_port(&s->url));
    for (uint32_t i = 0; i < pages_count(&s->pages); i++) {
        if (is_attested(page_version(&s->pages, i)) && same_host(s, sharc_span_of(host), i)) break_word(s, i);
    }
    sharc__crawl_remark(
        &s->crawl->ctx,
        "%s: %s said of a page that had changed that it was not modified: its pages are downloaded again", s->name,
        host);
}

void sharc__crawl_audited(struct site *s, const struct job *j)
{
    const uint32_t page = j->task.page;
    const bool attested = is_attested(page_version(&s->pages, page));
    sharc__crawl_audit_tried(s, page);
    if (!attested || !j->made.complete || j->result->status == 0 || j->result->status >= 500) return;
    s->count.audited++;
    if (sharc__crawl_same_answer(page_version(&s->pages, page), j)) return;
    s->count.lies++;
    word_is_broken(s, page);
}
