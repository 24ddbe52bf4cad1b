/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose word the grades of a capture are. An import notes it in the parameters:
 *
 *   {"run":…, "grades":{"by":"records","claimed":{"pages":60,"proved":60,"unfounded":3}}}
 */
#include "sharc/base_arena.h"
#include "sharc/base_node.h"
#include "sharc/store.h"

const char *sharc_store_grader_word(enum sharc_store_grader g)
{
    static const char *const words[] = {
#define X(name, word) word,
        SHARC_STORE_GRADERS(X)
#undef X
    };
    return g < SHARC_LENGTH(words) ? words[g] : "";
}

static uint64_t count_of(const struct sharc_node *n, const char *name)
{
    int64_t v = sharc_node_int(sharc_node_get(n, name), 0);
    return v > 0 ? (uint64_t)v : 0;
}

enum sharc_store_grader sharc_store_grader(const struct sharc_store_capture *c, struct sharc_store_claim *ret_claim)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(16u << 20);
    const struct sharc_node *params = NULL;
    if (ret_claim) *ret_claim = (struct sharc_store_claim){0};
    if (!sharc_span_is(c->source, "import")) return SHARC_STORE_GRADER_CRAWL;
    if (!c->params.n || sharc_json_read(c->params, &arena, &params, NULL) < 0) return SHARC_STORE_GRADER_FILE;
    const struct sharc_node *grades = sharc_node_get(params, "grades"), *claimed = sharc_node_get(grades, "claimed");
    if (ret_claim)
        *ret_claim = (struct sharc_store_claim){.pages = count_of(claimed, "pages"),
                                                .proved = count_of(claimed, "proved"),
                                                .unfounded = count_of(claimed, "unfounded")};
    return sharc_span_is(sharc_node_text(sharc_node_get(grades, "by")), "records") ? SHARC_STORE_GRADER_RECORDS
                                                                                   : SHARC_STORE_GRADER_FILE;
}
