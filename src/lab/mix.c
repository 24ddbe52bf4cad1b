/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for edits, noise and faults.
 */
#include "sharc/lab_mix.h"

#include "sharc/base_buf.h"

static const char *const edits[] = {
#define X(name, word, text) word,
    SHARC_LAB_EDITS(X)
#undef X
};
static const char *const noises[] = {
#define X(name, word, text) word,
    SHARC_LAB_NOISES(X)
#undef X
};
static const char *const faults[] = {
#define X(name, word, text) word,
    SHARC_LAB_FAULTS(X)
#undef X
};
_Static_assert(SHARC_LENGTH(noises) <= SHARC_LAB_MIX_MOST && SHARC_LENGTH(faults) <= SHARC_LAB_MIX_MOST,
               "a mix has room for all kinds");

const char *sharc_lab_edit_word(enum sharc_lab_edit e)
{
    return (size_t)e < SHARC_LENGTH(edits) ? edits[e] : "";
}

const char *sharc_lab_noise_word(enum sharc_lab_noise n)
{
    return (size_t)n < SHARC_LENGTH(noises) ? noises[n] : "";
}

/* The number of a word; `n` for "all". */
static int find(const char *const *words, size_t n, struct sharc_span word, const char *what, size_t *ret,
                struct sharc_err *reterr)
{
    for (*ret = 0; *ret < n; (*ret)++)
        if (sharc_span_is(word, words[*ret])) return 0;
    if (sharc_span_is(word, "all")) return 0;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf known = SHARC_BUF_INIT(4096);
    for (size_t i = 0; i < n; i++) sharc_buf_printf(&known, "%s, ", words[i]);
    return sharc_fail(reterr, SHARC_ESYNTAX, "there is no kind of %s called \"%.*s\", only %sand all", what,
                      SHARC_SPAN_ARG(word), sharc_buf_str(&known));
}

int sharc_lab_edits_parse(struct sharc_span text, uint32_t *ret, struct sharc_err *reterr)
{
    struct sharc_span word;
    *ret = 0;
    while (text.n > 0 && sharc_span_next(&text, ',', &word)) {
        size_t i;
        int r = find(edits, SHARC_LENGTH(edits), sharc_span_trim(word), "edit", &i, reterr);
        if (r < 0) return r;
        *ret |= i < SHARC_LENGTH(edits) ? SHARC_LAB_BIT(i) : SHARC_LAB_BIT(SHARC_LENGTH(edits)) - 1;
    }
    return 0;
}

static int parse_mix(const char *const *words, size_t n, const char *what, struct sharc_span text,
                     struct sharc_lab_mix *ret, struct sharc_err *reterr)
{
    struct sharc_span part;
    double rest = 0;
    *ret = (struct sharc_lab_mix){0};
    for (size_t i = 0; i < n; i++) ret->share[i] = -1;
    while (text.n > 0 && sharc_span_next(&text, ',', &part)) {
        size_t colon = sharc_span_find(part, ':', 0), i;
        struct sharc_span word = sharc_span_trim(colon == SHARC_NPOS ? part : sharc_span_sub(part, 0, colon));
        double share = 1;
        int r = find(words, n, word, what, &i, reterr);
        if (r < 0) return r;
        if (colon != SHARC_NPOS &&
            (sharc_span_to_double(sharc_span_trim(sharc_span_from(part, colon + 1)), &share) < 0 ||
             !(share >= 0 && share <= 1)))
            return sharc_fail(reterr, SHARC_ESYNTAX, "\"%.*s\": the share behind the colon must be 0 to 1",
                              SHARC_SPAN_ARG(part));
        *(i < n ? &ret->share[i] : &rest) = share;
    }
    for (size_t i = 0; i < n; i++)
        if (ret->share[i] < 0) ret->share[i] = rest;
    return 0;
}

int sharc_lab_noise_parse(struct sharc_span text, struct sharc_lab_mix *ret, struct sharc_err *reterr)
{
    return parse_mix(noises, SHARC_LENGTH(noises), "noise", text, ret, reterr);
}

int sharc_lab_faults_parse(struct sharc_span text, struct sharc_lab_mix *ret, struct sharc_err *reterr)
{
    return parse_mix(faults, SHARC_LENGTH(faults), "fault", text, ret, reterr);
}

bool sharc_lab_mix_any(const struct sharc_lab_mix *m)
{
    for (size_t i = 0; i < SHARC_LAB_MIX_MOST; i++)
        if (m->share[i] > 0) return true;
    return false;
}
