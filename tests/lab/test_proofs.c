/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge of evidence held against the pages of a living site, without a network: a capture
 * of every kind of noise and edit is made up in memory, its controls included, and since the
 * site knows which pages were edited, a proof is false or it is not. Many seeds more:
 * compile with -DSEEDS=….
 */
#include "test.h"

#include "../../src/lab/lab_int.h"

#include "sharc/base_digest.h"
#include "sharc/evidence.h"
#include "sharc/evidence_case.h"

#include <stdio.h>
#include <stdlib.h>

#ifndef SEEDS
#define SEEDS 1
#endif
#ifndef PAGES
#define PAGES 120
#endif
#define START (1700000000 * SHARC_SEC)

struct capture {
    struct lab_site site;
    struct sharc_rng rng;
    struct sharc_case *c;
    sharc_time now;
    uint32_t edits[PAGES];        /* of each page up to now */
    uint32_t visited[PAGES];      /* edits at its visit … */
    uint32_t revisited[PAGES];    /* … and at its revisit */
    struct sharc_buf body[PAGES]; /* the last download */
    uint32_t asked[PAGES];
};

/* Downloads the page now; leaves it in body[i]. */
static struct sharc_answer download(struct capture *k, uint32_t i, struct sharc_buf *body)
{
    k->now += 20 * SHARC_MSEC;
    struct lab_served served = {.number = sharc_rng_u64(&k->rng), .when = k->now, .count = ++k->asked[i]};
    sharc_buf_clear(body);
    sharc__lab_item_body(&k->site, i, (struct sharc_lab_version){.edit = k->edits[i]}, &served, body);
    struct sharc_answer a = {.status = 200,
                             .type = SHARC_SPAN("text/html; charset=utf-8"),
                             .body = sharc_buf_span(body),
                             .complete = true};
    sharc_digest_of(SHARC_SHA256, a.body, &a.content);
    return a;
}

static struct sharc_answer last_of(struct capture *k, uint32_t i)
{
    struct sharc_answer a = {.status = 200,
                             .type = SHARC_SPAN("text/html; charset=utf-8"),
                             .body = sharc_buf_span(&k->body[i]),
                             .complete = true};
    sharc_digest_of(SHARC_SHA256, a.body, &a.content);
    return a;
}

static void maybe_edit(struct capture *k, uint32_t i, double share)
{
    while (sharc_rng_uniform(&k->rng) < share) k->edits[i]++;
}

static uint64_t state_of(struct capture *k, uint32_t i, uint32_t edits)
{
    struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    sharc__lab_item_body(&k->site, i, (struct sharc_lab_version){.edit = edits}, NULL, &b);
    uint64_t f = sharc_fingerprint(sharc_buf_span(&b), 0);
    sharc_buf_done(&b);
    return f;
}

static void compare(const struct sharc_answer *a, const struct sharc_answer *b, struct sharc_difference *d)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_evidence_compare(a, b, d, &err) < 0) fail_msg("%s", err.text);
}

static void visit_and_revisit(struct capture *k, double edited)
{
    SHARC_AUTO(sharc_freep) struct sharc_buf *visits = SHARC_NEW_ARRAY(struct sharc_buf, PAGES);
    for (uint32_t i = 0; i < PAGES; i++) {
        sharc_buf_init(&visits[i], 1u << 20);
        sharc_buf_init(&k->body[i], 1u << 20);
        maybe_edit(k, i, 0.5);
        k->visited[i] = k->edits[i];
        download(k, i, &visits[i]);
    }
    for (uint32_t i = PAGES; i-- > 0;) {
        maybe_edit(k, i, edited);
        k->revisited[i] = k->edits[i];
        download(k, i, &k->body[i]);
    }
    struct sharc_answer visit = {.status = 200, .type = SHARC_SPAN("text/html; charset=utf-8"), .complete = true};
    for (uint32_t i = 0; i < PAGES; i++) {
        struct sharc_answer revisit = last_of(k, i);
        struct sharc_case_facts f = {.revisited = true};
        char url[64];
        sharc_digest_of(SHARC_SHA256, sharc_buf_span(&visits[i]), &visit.content);
        f.visit = (struct sharc_case_answer){200, true, visit.type, SHARC_SPAN_NONE, visit.content};
        f.revisit = (struct sharc_case_answer){200, true, visit.type, SHARC_SPAN_NONE, revisit.content};
        snprintf(url, sizeof url, "http://site.example/%u", i);
        assert_int_equal(sharc_case_page(k->c, sharc_span_of(url), &f), i);
    }
    for (uint32_t i = 0; i < PAGES; i++) {
        unsigned wants = sharc_case_wants(k->c, i);
        struct sharc_answer revisit = last_of(k, i);
        visit.body = sharc_buf_span(&visits[i]);
        sharc_digest_of(SHARC_SHA256, visit.body, &visit.content);
        if (wants & SHARC_CASE_WANTS_DIFFERENCE) {
            struct sharc_difference d = SHARC_DIFFERENCE_INIT;
            compare(&visit, &revisit, &d);
            sharc_case_difference(k->c, i, &d);
            sharc_difference_done(&d);
        }
        if (wants & SHARC_CASE_WANTS_PLACES) {
            struct sharc_places p = SHARC_PLACES_INIT;
            assert_int_equal(sharc_evidence_places(&visit, &p, NULL), 0);
            sharc_case_places(k->c, i, &p);
            sharc_places_done(&p);
        }
    }
    for (uint32_t i = 0; i < PAGES; i++) sharc_buf_done(&visits[i]);
}

/* Pages go on being edited, also between the two downloads of a pair. */
static void make_controls(struct capture *k)
{
    struct sharc_case_control want;
    bool waited = false;
    while (sharc_case_next_control(k->c, &want)) {
        struct sharc_difference d = SHARC_DIFFERENCE_INIT;
        struct sharc_buf other = SHARC_BUF_INIT(1u << 20);
        maybe_edit(k, want.id, 0.05);
        if (want.late) {
            if (!waited) k->now += SHARC_CASE_LATE_SECONDS * SHARC_SEC;
            waited = true;
        } else {
            download(k, want.id, &k->body[want.id]);
            maybe_edit(k, want.id, 0.01);
            k->now += 3 * SHARC_SEC; /* the polite delay */
        }
        struct sharc_answer after = download(k, want.id, &other), before = last_of(k, want.id);
        compare(&before, &after, &d);
        sharc_case_control(k->c, want.id, want.late, &d);
        sharc_difference_done(&d);
        sharc_buf_clear(&k->body[want.id]);
        sharc_buf_put(&k->body[want.id], sharc_buf_span(&other));
        sharc_buf_done(&other);
    }
}

struct tally {
    size_t pairs, edited, false_proofs, unedited, proved, requests;
};

/* What the page was edited in, and what the judge made of it. */
static void tell(struct capture *k, const char *mix, uint64_t seed, uint32_t i, bool edited)
{
    struct sharc_case_result r;
    struct lab_wording w;
    struct sharc_buf detail = SHARC_BUF_INIT(1u << 16);
    sharc_case_result(k->c, i, &r);
    sharc_case_detail(k->c, i, &detail);
    printf("# %s, seed %llu, page %u: %s: %s;", mix, (unsigned long long)seed, i, edited ? "false proof" : "missed",
           sharc_grade_reason_word(r.reason));
    for (uint32_t e = k->visited[i] + 1; e <= k->revisited[i]; e++)
        printf(" %s", sharc_lab_edit_word(sharc__lab_wording(&k->site, i, e, &w)));
    printf("; noise %x; %s\n", k->site.items[i].noise, sharc_buf_str(&detail));
    sharc_buf_done(&detail);
}

#ifdef TELL
#define TELL_MOST TELL
#else
#define TELL_MOST 5
#endif

static void judge(struct capture *k, const char *mix, uint64_t seed, struct tally *t)
{
    for (uint32_t i = 0; i < PAGES; i++) {
        struct sharc_case_result r;
        sharc_case_result(k->c, i, &r);
        bool edited = state_of(k, i, k->visited[i]) != state_of(k, i, k->revisited[i]);
        bool proved = sharc_grade_is_proof(sharc_grade_of(r.reason));
        t->pairs++;
        t->edited += edited;
        t->false_proofs += edited && proved;
        t->unedited += !edited;
        t->proved += !edited && proved;
        if (edited && proved && t->false_proofs <= TELL_MOST) tell(k, mix, seed, i, true);
#ifdef TELL
        if (!edited && !proved && t->unedited - t->proved <= TELL_MOST) tell(k, mix, seed, i, false);
#endif
    }
    t->requests += sharc_case_requests(k->c);
}

static void run(const char *edits, const char *noise, double edited, uint64_t seed, struct tally *t)
{
    struct capture *k = SHARC_NEW(struct capture);
    struct sharc_lab_options o = SHARC_LAB_OPTIONS;
    o.pages = PAGES;
    o.seed = seed;
    o.counters = 0;
    assert_int_equal(sharc_lab_edits_parse(sharc_span_of(edits), &o.edits, NULL), 0);
    assert_int_equal(sharc_lab_noise_parse(sharc_span_of(noise), &o.noise, NULL), 0);
    sharc__lab_synthetic(&k->site, &o);
    sharc__lab_set_mix(&k->site, &o);
    k->rng = sharc_rng_stream(seed, 77);
    k->now = START;
    k->c = sharc_case_new(&(struct sharc_case_options)SHARC_CASE_OPTIONS);
    visit_and_revisit(k, edited);
    make_controls(k);
    judge(k, noise, seed, t);
    for (uint32_t i = 0; i < PAGES; i++) sharc_buf_done(&k->body[i]);
    sharc_case_free(k->c);
    sharc__lab_site_done(&k->site);
    free(k);
}

/* How far a page was walked through is remembered; nobody can see it. */
static void wordings_do_not_depend_on_who_asked_before(void **state)
{
    (void)state;
    struct lab_site site = {0};
    struct sharc_lab_options o = SHARC_LAB_OPTIONS;
    static const uint32_t asked[] = {500, 3, 499, 501, 31, 32, 33, 500, 2000, 1};
    o.pages = 4;
    assert_int_equal(sharc_lab_edits_parse(SHARC_SPAN("all"), &o.edits, NULL), 0);
    assert_int_equal(sharc_lab_noise_parse(SHARC_SPAN("token,teaser:0.5"), &o.noise, NULL), 0);
    sharc__lab_synthetic(&site, &o);
    sharc__lab_set_mix(&site, &o);
    for (uint32_t item = 0; item < site.count; item++) {
        for (size_t i = 0; i < SHARC_LENGTH(asked); i++) {
            struct lab_wording a, b;
            struct lab_walks *walks = site.walks;
            enum sharc_lab_edit first = sharc__lab_wording(&site, item, asked[i], &a);
            site.walks = NULL; /* from the beginning */
            enum sharc_lab_edit plain = sharc__lab_wording(&site, item, asked[i], &b);
            site.walks = walks;
            assert_int_equal(first, plain);
            assert_memory_equal(a.n, b.n, sizeof a.n);
            assert_memory_equal(a.place, b.place, sizeof a.place);
            assert_memory_equal(a.inside, b.inside, sizeof a.inside);
            assert_int_equal(a.away, b.away);
        }
    }
    sharc__lab_site_done(&site);
}

#define SMALL "price,word,negation,link,title,alt,value,meta,json,script,hidden,comment,undone"

static void no_edit_is_called_proved(void **state)
{
    (void)state;
    static const struct {
        const char *edits, *noise;
        double edited, least; /* share of pages edited; of the others proved */
    } mixes[] = {
        {SMALL, "", 0.15, 1},
        {SMALL, "token,request", 0.15, 0.97},
        {"json,script", "nonce,state", 0.3, 0.97},
        {"price,link", "stamp,session", 0.15, 0},
        {SMALL, "clock,minute,ago,counter", 0.15, 0},
        {SMALL, "shuffle:0.5,bust:0.5", 0.15, 0.97},
        {SMALL, "teaser,advert", 0.15, 0},
        {"place", "shuffle:0.3,token:0.95", 0.1, 0},
        {"place", "counter:0.5,teaser:0.5,clock:0.1", 0.1, 0},
        {SMALL ",place,volatile", "all:0.3", 0.5, 0},
    };
    size_t wrong = 0;
    for (size_t m = 0; m < SHARC_LENGTH(mixes); m++) {
        struct tally t = {0};
        for (uint64_t seed = 1; seed <= SEEDS; seed++) run(mixes[m].edits, mixes[m].noise, mixes[m].edited, seed, &t);
        double share = t.unedited ? (double)t.proved / (double)t.unedited : 1;
        printf("# %-40.40s %7zu pairs, %6zu edited, %4zu false, %5.1f %% of the others proved, %4.1f %% controls\n",
               mixes[m].noise, t.pairs, t.edited, t.false_proofs, 100 * share,
               100 * (double)t.requests / (double)t.pairs);
        wrong += t.false_proofs;
        if (share < mixes[m].least) printf("# wanted %.1f %%\n", 100 * mixes[m].least);
        wrong += share < mixes[m].least;
    }
    assert_int_equal(wrong, 0);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(wordings_do_not_depend_on_who_asked_before),
                                          cmocka_unit_test(no_edit_is_called_proved)};
TEST_MAIN(tests)
