/* SPDX-License-Identifier: Apache-2.0
 *
 * The verdict on a page for programs: /api/coherence?url=…&at=…&mapping=….
 */
#include "api.h"
#include "coherence.h"

#include "sharc/base_json.h"

#include <math.h>

static void put_time(struct sharc_json *j, const char *name, sharc_time t)
{
    char iso[SHARC_TIME_TEXT];
    bool open = t == SHARC_TIME_NONE || t == INT64_MIN || t == INT64_MAX;
    sharc_json_str(j, name, open ? NULL : sharc_time_iso(t, 6, iso));
}

static void put_interval(struct sharc_json *j, const char *name, sharc_time from, sharc_time to)
{
    if (from > to) {
        sharc_json_null(j, name);
        return;
    }
    sharc_json_array(j, name);
    put_time(j, NULL, from);
    put_time(j, NULL, to);
    sharc_json_end(j);
}

static void put_probability(struct sharc_json *j, const char *name, double p)
{
    if (isnan(p))
        sharc_json_null(j, name);
    else
        sharc_json_real(j, name, p);
}

/* The page itself is not weighed against its parts. */
static void put_weight(struct sharc_json *j, const struct serve_part *p, bool root)
{
    sharc_json_str(j, "kind", root ? "page" : sharc_part_kind_word(p->look.kind));
    put_probability(j, "weight", root ? (double)NAN : p->weight);
}

static void put_weights(struct sharc_json *j, const struct serve_coherence *k)
{
    if (k->count < 2) {
        sharc_json_null(j, "weights");
        return;
    }
    sharc_json_object(j, "weights");
    for (int i = 0; i < SHARC_PART_STATE_COUNT; i++)
        sharc_json_real(j, sharc_part_state_word((enum sharc_part_state)i), k->weighed.states[i]);
    sharc_json_real(j, "missing", k->weighed.missing);
    sharc_json_real(j, "refused", k->weighed.refused);
    sharc_json_end(j);
}

static void put_part(struct sharc_json *j, const struct serve_coherence *k, const struct serve_part *p)
{
    enum sharc_part_state state = sharc_part_state_of(p->reason);
    bool root = p == &k->parts[0];
    sharc_json_object(j, NULL);
    sharc_json_span(j, "url", p->url);
    if (p->missing) {
        sharc_json_null(j, "t");
        sharc_json_null(j, "last_modified");
        sharc_json_str(j, "state", "missing");
        sharc_json_str(j, "reason", "not-archived");
        sharc_json_null(j, "p");
        sharc_json_null(j, "known");
        put_weight(j, p, root);
        sharc_json_end(j);
        return;
    }
    put_time(j, "t", p->when);
    put_time(j, "last_modified", p->stated);
    sharc_json_str(j, "state", sharc_part_state_word(state));
    sharc_json_str(j, "reason",
                   p->similar ? "similar-url"
                   : p->blank ? "nothing-to-compare"
                              : sharc_part_reason_word(p->reason));
    /* How honest a server is has no probability. */
    put_probability(j, "p", state == SHARC_PART_ATTESTED ? (double)NAN : p->probability);
    put_interval(j, "known", p->known.known.from, p->known.known.to);
    put_interval(j, "proven", p->known.known.proven_from, p->known.known.proven_to);
    put_interval(j, "possible", p->known.known.possible_from, p->known.known.possible_to);
    sharc_json_real(j, "delta", (double)(p->when - k->page.from) / (double)SHARC_SEC);
    sharc_json_str(j, "timestamp", p->timestamp);
    sharc_json_int(j, "status", p->status);
    sharc_json_bool(j, "revisit", p->revisit);
    sharc_json_span(j, "type", p->type);
    if (p->digest.n) sharc_json_span(j, "digest", p->digest);
    sharc_json_bool(j, "volatile", sharc__serve_is_volatile(p));
    sharc_json_bool(j, "outside", p->outside);
    put_weight(j, p, root);
    sharc_json_end(j);
}

static void put_grade(struct sharc_json *j, const struct serve_sight *s)
{
    if (s->grade == SHARC_GRADED_NOT_GRADED) {
        sharc_json_null(j, "grade");
        return;
    }
    sharc_json_object(j, "grade");
    sharc_json_int(j, "grade", sharc_grade_of(s->grade));
    sharc_json_str(j, "word", sharc_grade_word(sharc_grade_of(s->grade)));
    sharc_json_str(j, "reason", sharc_grade_reason_word(s->grade));
    sharc_json_bool(j, "checked", !s->foreign);
    sharc_json_end(j);
}

static void put_page(struct sharc_json *j, const struct serve_address *a, const struct serve_coherence *k)
{
    const struct sharc_judged_page *v = &k->page;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(4096);
    bool together = v->composite.state == SHARC_PART_PROVEN || v->composite.state == SHARC_PART_ATTESTED;
    sharc__serve_put_verdict(&text, k);
    sharc_json_object(j, NULL);
    sharc_json_span(j, "url", k->parts[0].target);
    sharc_json_span(j, "mapping", a->mapping);
    put_time(j, "asked", k->asked);
    put_time(j, "t0", k->parts[0].when);
    sharc_json_str(j, "timestamp", k->parts[0].timestamp);
    sharc_json_str(j, "state", sharc_verdict_word(v->verdict));
    sharc_json_span(j, "text", sharc_span_trim(sharc_buf_span(&text)));
    put_probability(j, "p", v->states[SHARC_PART_OPEN] || !v->word ? v->probability : (double)NAN);
    sharc_json_bool(j, "by_word", v->word);
    put_interval(j, "instant", v->from, v->to);
    sharc_json_bool(j, "together", together && !k->missing && !k->cut);
    put_interval(j, "shared", v->composite.from, v->composite.to);
    sharc_json_uint(j, "shared_by", v->composite.together);
    sharc_json_uint(j, "missing", k->missing);
    sharc_json_uint(j, "refused", k->outside);
    sharc_json_uint(j, "similar", k->similar);
    put_weights(j, k);
    sharc_json_bool(j, "cut", k->cut);
    sharc_json_bool(j, "scripts", k->scripts);
    if (a->limits.set) sharc_json_span(j, "within", a->limits.text);
    put_grade(j, &k->parts[0].about);
    sharc_json_bool(j, "certificate", k->parts[0].about.certified);
    sharc_json_array(j, "parts");
    for (size_t i = 0; i < k->count; i++) put_part(j, k, &k->parts[i]);
    sharc_json_end(j);
    sharc_json_end(j);
}

/* --- asking -------------------------------------------------------------------------------------- */

struct asking {
    struct sharc_buf url, at, mapping, within, instant;
    struct serve_address address;
};

static void asking_done(struct asking *q)
{
    sharc_buf_done(&q->url);
    sharc_buf_done(&q->at);
    sharc_buf_done(&q->mapping);
    sharc_buf_done(&q->within);
    sharc__serve_address_done(&q->address);
}

static void read_parameter(struct serve_call *c, const char *name, size_t most, struct sharc_buf *ret)
{
    size_t at = 0;
    sharc_buf_init(ret, most);
    sharc__serve_parameter(c, name, &at, ret);
}

/* What is wrong with it; NULL: nothing. */
static const char *read_asking(struct serve_call *c, struct asking *q)
{
    static const char *const mappings[] = {"web", "near", "asof", "coherent"};
    struct serve_address *a = &q->address;
    sharc_time t;
    bool known = false;
    read_parameter(c, "url", SHARC_LIMIT_URL, &q->url);
    read_parameter(c, "at", 32, &q->at);
    read_parameter(c, "mapping", 32, &q->mapping);
    read_parameter(c, "within", 64, &q->within);
    if (!q->mapping.n) sharc_buf_put_str(&q->mapping, "web");
    for (size_t i = 0; i < SHARC_LENGTH(mappings); i++)
        known |= sharc_span_is(sharc_buf_span(&q->mapping), mappings[i]);
    if (q->url.failed || !q->url.n) return "name a page: /api/coherence?url=http://example.org/";
    if (!known) return "mapping is one of web, near, asof, coherent";
    a->mapping = sharc_buf_span(&q->mapping);
    a->timestamp = sharc_buf_span(&q->at);
    a->url = sharc__serve_url_behind(sharc_buf_span(&q->url), &a->scratch);
    for (size_t i = 0; i < a->timestamp.n; i++)
        if (!sharc_is_digit(a->timestamp.p[i])) return "at is a time of 4 to 17 digits, YYYYMMDDhhmmss";
    if (q->at.failed || (a->timestamp.n && sharc_time_parse(a->timestamp, &t, NULL) < 0))
        return "at is a time of 4 to 17 digits, YYYYMMDDhhmmss";
    for (size_t i = 0; i < q->within.n; i++)
        if (q->within.p[i] == ' ') q->within.p[i] = '+'; /* a plus sign that was not escaped */
    if (q->within.n && !sharc__serve_limits_read(sharc_buf_span(&q->within), &a->limits))
        return "within is a range such as -1d..+2h";
    return a->url.n ? NULL : "url is none";
}

void sharc__serve_coherence_api(struct serve_call *c)
{
    SHARC_AUTO(asking_done) struct asking q = {.address = {.star = false}};
    SHARC_AUTO(sharc__serve_coherence_done) struct serve_coherence k = {.count = 0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(16u << 20);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_json j;
    char digits[SHARC_TIME_TEXT];
    const char *wrong = read_asking(c, &q);
    if (wrong) {
        sharc__serve_api_fail(c, 400, wrong);
        return;
    }
    int r = sharc__serve_settle_instant(c->edition, &q.address, digits, &err);
    if (r == 0) r = sharc__serve_judge(c, &q.address, &k, &err);
    if (r < 0) {
        SHARC_AUTO(sharc_freep) char *told = sharc__serve_without_paths(c, err.text);
        sharc__serve_api_fail(c, r == SHARC_ENOENT ? 404 : r == SHARC_EINVAL ? 400 : 503, told);
        return;
    }
    sharc_json_init(&j, &out, true);
    put_page(&j, &q.address, &k);
    sharc__serve_api_send(c, 200, &out);
}
