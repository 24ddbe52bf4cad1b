/* SPDX-License-Identifier: Apache-2.0 */
#include "regex_int.h"
#include "sharc/base_limits.h"
#include "sharc/url_regex.h"

#include <stdlib.h>

struct sharc_url_regex {
    struct regex *automaton;
};

int sharc_url_regex_new(struct sharc_span text, struct sharc_url_regex **ret, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(text.n > SHARC_LIMIT_REGEX_BYTES, reterr, SHARC_ELIMIT,
                  "the regular expression is longer than %u bytes (SHARC_LIMIT_REGEX_BYTES)", SHARC_LIMIT_REGEX_BYTES);
    const char *wrong = NULL;
    size_t at = 0;
    struct regex *automaton = sharc__url_regex_new(text, &wrong, &at);
    SHARC_FAIL_IF(!automaton, reterr, SHARC_EINVAL, "the regular expression \"%.*s\" is wrong at byte %zu: %s",
                  (int)(text.n < 100 ? text.n : 100), text.p, at + 1, wrong);
    struct sharc_url_regex *r = SHARC_NEW(struct sharc_url_regex);
    r->automaton = automaton;
    *ret = r;
    return 0;
}

void sharc_url_regex_free(struct sharc_url_regex *r)
{
    if (!r) return;
    sharc__url_regex_free(r->automaton);
    free(r);
}

bool sharc_url_regex_search(const struct sharc_url_regex *r, struct sharc_span s)
{
    return sharc__url_regex_search(r->automaton, s);
}
