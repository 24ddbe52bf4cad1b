/* SPDX-License-Identifier: Apache-2.0
 *
 * Why URLs are not fetched: one row each (crawl.h), and what is asked about them.
 */
#include "reasons.h"

#include "sharc/store_query.h"

struct row {
    const char *word;
    enum sharc_crawl_reason_class class;
    bool logged;
    int code;
};

enum { QUIET = false, LOGGED = true };

static const struct row rows[] = {
#define X(name, w, c, l, number) {.word = w, .class = SHARC_REASON_##c, .logged = l, .code = number},
    SHARC_CRAWL_REASONS(X)
#undef X
};

static const struct row *row_of(enum sharc_crawl_reason r)
{
    static const struct row unknown = {.word = ""};
    return (size_t)r < SHARC_LENGTH(rows) ? &rows[r] : &unknown;
}

const char *sharc_crawl_reason_word(enum sharc_crawl_reason r)
{
    return row_of(r)->word;
}

const char *sharc_crawl_reason_text(enum sharc_crawl_reason r)
{
    const char *text = sharc_store_skip_text(sharc_span_of(row_of(r)->word));
    return r == SHARC_SKIP_NONE ? "it was fetched" : text ? text : "";
}

enum sharc_crawl_reason_class sharc_crawl_reason_class(enum sharc_crawl_reason r)
{
    return row_of(r)->class;
}

bool sharc__crawl_reason_logged(enum sharc_crawl_reason r)
{
    return row_of(r)->logged;
}

int sharc__crawl_reason_code(enum sharc_crawl_reason r)
{
    return row_of(r)->code;
}

bool sharc__crawl_reason_may_change(enum sharc_crawl_reason r)
{
    return row_of(r)->class == SHARC_REASON_RULE || row_of(r)->class == SHARC_REASON_LIMIT;
}

bool sharc__crawl_reason_decided_anew(enum sharc_crawl_reason r)
{
    return sharc__crawl_reason_may_change(r) || row_of(r)->class == SHARC_REASON_TRAP;
}
