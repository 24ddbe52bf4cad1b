/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages that were the same before and after, and what that rests on.
 */
#include "diff_int.h"

/* --- heads ------------------------------------------------------------------------------ */

bool sharc__diff_is_cut(const struct sharc_record *rec, const struct sharc_http *h)
{
    uint64_t promised;
    if (h && sharc_http_is_part(h)) return true;
    if (rec->type == SHARC_WARC_REVISIT) return false; /* has no body, and may say so by the same field */
    if (rec->truncated.n) return true;
    if (!h || sharc_http_is_chunked(h)) return false;
    struct sharc_span length = sharc_span_trim(sharc_http_get(h, "Content-Length"));
    return length.n && sharc_span_to_u64(length, &promised) == 0 && h->head_size <= rec->block_size &&
           rec->block_size - h->head_size < promised;
}

struct heads {
    bool known, cut, attested;
    int status;
    char type[128]; /* Content-Type, or nothing */
};

static struct heads read_heads(const struct sharc_diff_facts *f)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct heads heads = {.known = false};
    struct sharc_record rec;
    if (!f->bytes.p || sharc__diff_record_open(f->bytes, f->offset, "record", &w, &rec, NULL) < 0) return heads;
    const struct sharc_http *h = sharc_record_http(&rec);
    heads.known = true;
    heads.status = h ? h->status : 0;
    heads.cut = sharc__diff_is_cut(&rec, h);
    heads.attested = rec.type == SHARC_WARC_REVISIT &&
                     (heads.status == 304 || sharc_span_search(rec.profile, SHARC_SPAN("not-modified")) != SHARC_NPOS);
    struct sharc_span type = h ? sharc_span_trim(h->content_type) : SHARC_SPAN_NONE;
    for (size_t i = 0; i < type.n && i + 1 < sizeof heads.type; i++) heads.type[i] = sharc_to_lower(type.p[i]);
    return heads;
}

/* The body that a revisit stands for may have been cut. */
static bool original_is_cut(const struct sharc_diff_facts *f)
{
    if (!f->revisit || !f->body_bytes.p) return false;
    struct sharc_diff_facts body = {.bytes = f->body_bytes, .offset = f->body_offset};
    return read_heads(&body).cut;
}

enum sharc_diff_basis sharc__diff_basis_of_heads(const struct sharc_diff_facts *before,
                                                 const struct sharc_diff_facts *after)
{
    struct heads b = read_heads(before), a = read_heads(after);
    if (!b.known || !a.known) return SHARC_DIFF_RECORDED;
    bool told = b.attested || a.attested;
    if (!told && b.status != a.status) return SHARC_DIFF_NO_BASIS;
    if (!told && b.type[0] && a.type[0] && strcmp(b.type, a.type) != 0) return SHARC_DIFF_NO_BASIS;
    if (b.cut || a.cut || original_is_cut(before) || original_is_cut(after)) return SHARC_DIFF_CUT;
    return told ? SHARC_DIFF_ATTESTED : SHARC_DIFF_DOWNLOADED;
}

/* --- versions ------------------------------------------------------------------------------ */

enum sharc_diff_basis sharc__diff_basis_of_versions(const struct sharc_change_verdict *verdict,
                                                    const struct sharc_diff_version *before,
                                                    const struct sharc_diff_version *after)
{
    if (verdict->change != SHARC_UNCHANGED || !before || !after) return SHARC_DIFF_NO_BASIS;
    if (verdict->step == SHARC_STEP_NOT_MODIFIED) return SHARC_DIFF_ATTESTED;
    if (verdict->step == SHARC_STEP_LAST_MODIFIED) return SHARC_DIFF_TRUSTED;
    /* The same redirect counts, a page that stayed away does not. */
    if (verdict->step == SHARC_STEP_ANSWER && after->answer != SHARC_ANSWER_REDIRECT) return SHARC_DIFF_NO_BASIS;
    if (before->cut || after->cut) return SHARC_DIFF_CUT;
    if (before->attested || after->attested) return SHARC_DIFF_ATTESTED;
    if (before->status != after->status || !sharc_span_ieq(before->content_type, after->content_type))
        return SHARC_DIFF_NO_BASIS;
    return SHARC_DIFF_DOWNLOADED;
}

enum sharc_diff_basis sharc__diff_basis_of_grade(enum sharc_diff_basis basis, enum sharc_grade_reason reason)
{
    enum sharc_grade grade = sharc_grade_of(reason);
    if (grade == SHARC_GRADE_NONE) return basis;
    if (sharc_grade_is_proof(grade)) return basis == SHARC_DIFF_NO_BASIS ? SHARC_DIFF_GRADED : basis;
    /* The same content, and yet no proof: the clock was set, a look between showed something else. */
    return basis == SHARC_DIFF_DOWNLOADED ? SHARC_DIFF_NO_BASIS : basis;
}

void sharc__diff_together_add(struct sharc_diff_together *t, enum sharc_diff_basis basis, sharc_time before,
                              sharc_time after)
{
    bool first = t->pages[SHARC_DIFF_DOWNLOADED] + t->pages[SHARC_DIFF_GRADED] == 0;
    t->pages[basis]++;
    if (basis != SHARC_DIFF_DOWNLOADED && basis != SHARC_DIFF_GRADED) return;
    /* SHARC_TIME_NONE is the least number: one page of unknown time leaves no interval. */
    if (first) {
        t->from = before;
        t->until = after;
        return;
    }
    if (t->from == SHARC_TIME_NONE || t->until == SHARC_TIME_NONE) return;
    if (before == SHARC_TIME_NONE || after == SHARC_TIME_NONE) {
        t->from = t->until = SHARC_TIME_NONE;
        return;
    }
    if (before > t->from) t->from = before;
    if (after < t->until) t->until = after;
}
