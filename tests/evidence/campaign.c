/* SPDX-License-Identifier: Apache-2.0 */
#include "campaign_page.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const noise_texts[] = {
#define X(name, text) text,
    CAMPAIGN_NOISE(X)
#undef X
};
static const char *const edit_texts[] = {
#define X(name, text) text,
    CAMPAIGN_EDITS(X)
#undef X
};

const char *campaign_noise_text(enum campaign_noise n)
{
    return noise_texts[n];
}

const char *campaign_edit_text(enum campaign_edit e)
{
    return edit_texts[e];
}

#define N(name) (1u << NOISE_##name)
static const unsigned mixes[] = {
    0,
    N(CSRF),
    N(PACKED),
    N(NONCE),
    N(MADE),
    N(COUNTER),
    N(REQUEST),
    N(TEASER),
    N(RICH_TEASER),
    N(SHUFFLE),
    N(ADVERT),
    N(CLOCK),
    N(AGO),
    N(BUST),
    N(STATE),
    N(SESSION),
    N(IDS),
    N(ONLINE),
    N(WRITING),
    N(TWINS),
    N(PREFIX),
    N(CSRF) | N(NONCE),
    N(CSRF) | N(MADE),
    N(CSRF) | N(TEASER),
    N(CSRF) | N(SHUFFLE),
    N(CSRF) | N(CLOCK),
    N(MADE) | N(COUNTER),
    N(MADE) | N(CLOCK),
    N(TEASER) | N(SHUFFLE),
    N(TEASER) | N(ADVERT),
    N(REQUEST) | N(STATE),
    N(BUST) | N(NONCE),
    N(STATE) | N(SESSION),
    N(COUNTER) | N(ONLINE),
    N(PACKED) | N(WRITING),
    N(IDS) | N(CSRF) | N(REQUEST),
    N(CSRF) | N(NONCE) | N(BUST) | N(STATE),
    N(MADE) | N(COUNTER) | N(REQUEST) | N(BUST),
    N(CSRF) | N(MADE) | N(TEASER) | N(SHUFFLE),
    N(CSRF) | N(NONCE) | N(MADE) | N(COUNTER) | N(REQUEST) | N(BUST) | N(STATE) | N(SESSION) | N(IDS) | N(WRITING),
    N(CLOCK) | N(AGO) | N(COUNTER),
    N(PREFIX) | N(TEASER) | N(ONLINE),
    N(TWINS) | N(CSRF),
    N(SHORT),
    N(LINKED),
    N(SHORT) | N(LINKED) | N(CSRF),
    /* traps from here on */
    N(RANKS),
    N(FIXED_LINK),
    N(RANKS) | N(FIXED_LINK) | N(CSRF),
    N(FIXED_TIME),
    N(FIXED_TIME) | N(CSRF),
    N(FIXED_TEASER),
};
#define TRAPS (N(RANKS) | N(FIXED_LINK) | N(FIXED_TIME) | N(FIXED_TEASER))

size_t campaign_mix_count(void)
{
    return SHARC_LENGTH(mixes);
}

unsigned campaign_mix(size_t i)
{
    return mixes[i];
}

bool campaign_mix_is_trap(size_t i)
{
    return mixes[i] & TRAPS;
}

bool campaign_mix_may_hide(size_t i)
{
    return mixes[i] & N(FIXED_TEASER);
}

void campaign_score_add(struct campaign_score *sum, const struct campaign_score *s)
{
    sum->edited += s->edited;
    sum->false_proofs += s->false_proofs;
    sum->plain += s->plain;
    sum->proved += s->proved;
    sum->requests += s->requests;
    sum->pages += s->pages;
    for (size_t i = 0; i < SHARC_GRADE_REASON_COUNT; i++) sum->reasons[i] += s->reasons[i];
}

/* --- downloads ---------------------------------------------------------------------------------- */

enum { REQUEST_SECONDS = 1, LATE = 95, SECONDS_BETWEEN = 700 };

struct site {
    const struct campaign_site *s;
    struct sharc_rng rng;
    uint64_t now;
    unsigned *views;
    enum campaign_edit *edit; /* of each page, between visit and revisit */
    bool edits_done;
    struct campaign_answer *visit, *revisit;
    struct campaign_answer *last; /* control download of a page; status 0: none */
};

static void download(struct site *t, unsigned page, struct campaign_answer *ret)
{
    struct campaign_moment m = {.noise = t->s->noise,
                                .edit = t->edits_done ? t->edit[page] : EDIT_NONE,
                                .site = t->s->seed,
                                .page = page,
                                .seconds = t->now,
                                .views = t->views[page]++,
                                .rng = &t->rng};
    campaign_write(&m, ret);
    t->now += REQUEST_SECONDS;
}

static struct sharc_answer answer_of(const struct campaign_answer *a)
{
    struct sharc_answer r = {.status = a->status,
                             .type = sharc_span_of(a->type),
                             .location = sharc_span_of(a->location),
                             .body = sharc_buf_span(&a->body),
                             .complete = true};
    sharc_digest_of(SHARC_SHA256, r.body, &r.content);
    return r;
}

static struct sharc_case_answer facts_of(const struct sharc_answer *a)
{
    return (struct sharc_case_answer){
        .status = a->status, .complete = true, .type = a->type, .location = a->location, .content = a->content};
}

static void compare(const struct campaign_answer *a, const struct campaign_answer *b, struct sharc_difference *ret)
{
    struct sharc_answer x = answer_of(a), y = answer_of(b);
    sharc_evidence_compare(&x, &y, ret, NULL);
}

/* --- the case ---------------------------------------------------------------------------------- */

struct made { /* a control that was made */
    struct sharc_case_control what;
    struct campaign_answer first, second;
};

static void url_of(unsigned page, char out[64])
{
    snprintf(out, 64, "http://shop.example/%s/%u", page % 2 ? "a" : "b", page);
}

/* Tell of page i, both downloads. */
static uint32_t tell_page(const struct site *t, struct sharc_case *c, unsigned i)
{
    char url[64];
    url_of(i, url);
    struct sharc_answer a = answer_of(&t->visit[i]), b = answer_of(&t->revisit[i]);
    struct sharc_case_facts f = {.visit = facts_of(&a), .revisit = facts_of(&b), .revisited = true};
    return sharc_case_page(c, sharc_span_of(url), &f);
}

static void tell_what_is_wanted(const struct site *t, struct sharc_case *c, uint32_t id, unsigned i)
{
    unsigned wants = sharc_case_wants(c, id);
    if (wants & SHARC_CASE_WANTS_DIFFERENCE) {
        struct sharc_difference d = SHARC_DIFFERENCE_INIT;
        compare(&t->visit[i], &t->revisit[i], &d);
        sharc_case_difference(c, id, &d);
    }
    if (wants & SHARC_CASE_WANTS_PLACES) {
        struct sharc_answer a = answer_of(&t->visit[i]);
        struct sharc_places p = SHARC_PLACES_INIT;
        sharc_evidence_places(&a, &p, NULL);
        sharc_case_places(c, id, &p);
    }
}

static void copy(struct campaign_answer *to, const struct campaign_answer *from)
{
    sharc_buf_done(&to->body);
    *to = *from;
    sharc_buf_init(&to->body, 1u << 20);
    sharc_buf_put(&to->body, sharc_buf_span(&from->body));
}

/* A late one is compared with the last control download of its page, as the crawler does; there may be none. */
static void make_control(struct site *t, struct made *m)
{
    if (m->what.late) {
        if (t->last[m->what.id].status) copy(&m->first, &t->last[m->what.id]);
        t->now += LATE;
    } else {
        download(t, m->what.id, &m->first);
    }
    download(t, m->what.id, &m->second);
    copy(&t->last[m->what.id], &m->second);
}

static void tell_control(struct sharc_case *c, uint32_t id, const struct made *m)
{
    struct sharc_difference d = SHARC_DIFFERENCE_INIT;
    if (m->first.status) compare(&m->first, &m->second, &d);
    sharc_case_control(c, id, m->what.late, &d);
}

/* The same told from the last to the first gives the same grades. */
static void check_order(const struct site *t, struct sharc_case *c, const struct made *made, size_t count)
{
    struct sharc_case_options o = SHARC_CASE_OPTIONS;
    struct sharc_case *other = sharc_case_new(&o);
    unsigned n = t->s->pages;
    for (unsigned i = n; i-- > 0;) tell_page(t, other, i);
    for (size_t k = count; k-- > 0;) tell_control(other, n - 1 - made[k].what.id, &made[k]);
    for (unsigned i = 0; i < n; i++) tell_what_is_wanted(t, other, n - 1 - i, i);
    for (unsigned i = 0; i < n; i++) {
        struct sharc_case_result a, b;
        sharc_case_result(c, i, &a);
        sharc_case_result(other, n - 1 - i, &b);
        SHARC_ASSERT(a.reason == b.reason);
    }
    sharc_case_free(other);
}

/* --- the truth ---------------------------------------------------------------------------------- */

static void tell(const struct site *t, struct sharc_case *c, uint32_t id, const struct sharc_case_result *r)
{
    struct sharc_buf b = SHARC_BUF_INIT(64u << 10);
    sharc_case_detail(c, id, &b);
    printf("# noise %#x edit '%s' page %u %s: %s (%.3f of the words): %s\n", t->s->noise, edit_texts[t->edit[id]], id,
           t->edit[id] ? "edited" : "plain", sharc_grade_reason_word(r->reason), r->volatile_share, sharc_buf_str(&b));
    sharc_buf_done(&b);
}

static void score(const struct site *t, struct sharc_case *c, struct campaign_score *ret)
{
    for (uint32_t i = 0; i < t->s->pages; i++) {
        struct sharc_case_result r;
        sharc_case_result(c, i, &r);
        bool proof = sharc_grade_is_proof(sharc_grade_of(r.reason));
        ret->pages++;
        if (t->edit[i]) {
            ret->edited++;
            ret->false_proofs += proof;
            if (t->s->by_edit) t->s->by_edit[t->edit[i]].edited++;
            if (t->s->by_edit) t->s->by_edit[t->edit[i]].false_proofs += proof;
        } else {
            ret->plain++;
            ret->proved += proof;
            ret->reasons[r.reason]++;
        }
        if (t->s->tell && proof == (t->edit[i] != EDIT_NONE)) tell(t, c, i, &r);
    }
    ret->requests += sharc_case_requests(c);
}

static void choose_edits(struct site *t)
{
    for (unsigned i = 0; i < t->s->pages; i++) {
        enum campaign_edit e = t->s->edit;
        if (e == EDIT_COUNT) {
            enum campaign_edit own = campaign_own_edit(t->s->noise, i);
            e = (enum campaign_edit)(1 + sharc_rng_below(&t->rng, EDIT_COUNT - 1));
            if (own != EDIT_NONE && e % 2) e = own;
        }
        bool chosen = sharc_rng_uniform(&t->rng) < t->s->edited;
        t->edit[i] = chosen && !campaign_is_inside(t->s->noise, e, i) ? e : EDIT_NONE;
    }
}

void campaign_run(const struct campaign_site *s, struct campaign_score *ret)
{
    struct site t = {.s = s, .now = 36000};
    sharc_rng_init(&t.rng, s->seed * 1000003 + s->noise * 64 + s->edit);
    t.views = SHARC_NEW_ARRAY(unsigned, s->pages);
    t.edit = SHARC_NEW_ARRAY(enum campaign_edit, s->pages);
    t.visit = SHARC_NEW_ARRAY(struct campaign_answer, s->pages);
    t.revisit = SHARC_NEW_ARRAY(struct campaign_answer, s->pages);
    t.last = SHARC_NEW_ARRAY(struct campaign_answer, s->pages);
    choose_edits(&t);
    for (unsigned i = 0; i < s->pages; i++) download(&t, i, &t.visit[i]);
    t.now += SECONDS_BETWEEN;
    t.edits_done = true;
    for (unsigned i = s->pages; i-- > 0;) download(&t, i, &t.revisit[i]);
    struct sharc_case_options o = SHARC_CASE_OPTIONS;
    o.controls = s->controls;
    struct sharc_case *c = sharc_case_new(&o);
    for (unsigned i = 0; i < s->pages; i++) tell_page(&t, c, i);
    for (unsigned i = 0; i < s->pages; i++) tell_what_is_wanted(&t, c, i, i);
    struct made *made = NULL;
    size_t count = 0, room = 0;
    struct sharc_case_control what;
    while (sharc_case_next_control(c, &what)) {
        SHARC_GROW(made, room, count + 1);
        made[count] = (struct made){.what = what};
        make_control(&t, &made[count]);
        tell_control(c, what.id, &made[count++]);
    }
    *ret = (struct campaign_score){0};
    score(&t, c, ret);
    check_order(&t, c, made, count);
    sharc_case_free(c);
    for (size_t i = 0; i < count; i++) sharc_buf_done(&made[i].first.body), sharc_buf_done(&made[i].second.body);
    for (unsigned i = 0; i < s->pages; i++) {
        sharc_buf_done(&t.visit[i].body);
        sharc_buf_done(&t.revisit[i].body);
        sharc_buf_done(&t.last[i].body);
    }
    free(made);
    free(t.views);
    free(t.edit);
    free(t.visit);
    free(t.revisit);
    free(t.last);
}
