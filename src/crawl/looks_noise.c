/* SPDX-License-Identifier: Apache-2.0
 *
 * Does a page differ on every request? Judged as captures for evidence judge it (evidence_case.h): two downloads in
 * immediate succession show what differs by itself, and a difference that lies there is none.
 */
#include "looks_int.h"

#define PAIR_SERVES SHARC_DAY /* a pair explains looks for this long; then another one is wanted */

static struct comparand comparand(const struct sharc_looks *l, const struct look_place *p)
{
    return (struct comparand){.file = sharc__crawl_file_name(&l->out, p->file).p, .offset = p->offset};
}

/* What two records differ in. */
static struct sharc_difference difference(struct sharc_looks *l, const struct look_place *a, const struct look_place *b)
{
    struct controls reader = {.out = &l->out};
    struct comparison c = {.before = comparand(l, a), .after = comparand(l, b)};
    sharc__crawl_compare_all(&reader, &c, 1);
    return c.difference;
}

static struct sharc_case_facts two_answers(void)
{
    struct sharc_case_facts f = {.visit = {.status = 200, .complete = true}, .revisited = true};
    f.visit.content = (struct sharc_digest){.kind = SHARC_SHA256, .n = 32};
    f.revisit = f.visit;
    f.revisit.content.bytes[0] = 1; /* which one it is does not matter: that it is another one does */
    return f;
}

static bool pair_explains(struct sharc_looks *l, uint32_t page)
{
    struct known_page *k = &l->known[page];
    struct sharc_case_options how = SHARC_CASE_OPTIONS;
    struct sharc_case_facts facts = two_answers();
    struct sharc_case_result result;
    how.controls = SHARC_CONTROLS_EVERY;
    struct sharc_case *judge = sharc_case_new(&how);
    uint32_t id = sharc_case_page(judge, page_url(&l->pages, page), &facts);
    (void)sharc_case_wants(judge, id);
    struct sharc_difference d = difference(l, &k->before, &k->last);
    sharc_case_difference(judge, id, &d);
    d = difference(l, &k->pair[0], &k->pair[1]);
    sharc_case_control(judge, id, /* late= */ false, &d);
    sharc_case_result(judge, id, &result);
    bool proof = sharc_grade_is_proof(sharc_grade_of(result.reason));
    sharc_case_free(judge);
    return proof;
}

/* What was written last must be in the files before it can be read. */
static bool can_be_read(struct sharc_looks *l, uint32_t page)
{
    const struct capture *s = &l->site[l->known[page].site]->capture;
    struct sharc_warc_writer *w = s->warc ? s->warc : l->out.warc;
    return sharc_warc_writer_sync(w, NULL) >= 0;
}

bool sharc__looks_is_noise(struct sharc_looks *l, uint32_t page, bool *ret_doubtful)
{
    const struct known_page *k = &l->known[page];
    const sharc_time now = crawl_now(&l->ctx);
    *ret_doubtful = false;
    if (k->before.file == SHARC_NO_ID || k->last.file == SHARC_NO_ID) return false;
    const bool paired = k->pair[0].file != SHARC_NO_ID;
    if (paired && can_be_read(l, page) && pair_explains(l, page)) return true;
    *ret_doubtful = !paired || now - k->paired > PAIR_SERVES;
    return false;
}

void sharc__looks_paired(struct sharc_looks *l, uint32_t page, const struct look_place *control, sharc_time when)
{
    struct known_page *k = &l->known[page];
    k->pair[0] = k->last;
    k->pair[1] = *control;
    k->paired = when;
}
