/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/base_node.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(const struct sharc_node *n)
{
    SHARC_ASSERT(n->line > 0 && n->column > 0);
    SHARC_ASSERT(sharc_utf8_check(n->text) == SHARC_NPOS && sharc_utf8_check(n->name) == SHARC_NPOS);
    size_t count = 0;
    for (const struct sharc_node *c = n->first; c; c = c->next, count++) walk(c);
    SHARC_ASSERT(count == n->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(64u << 20);
    const struct sharc_node *root;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_yaml_read(sharc_span(data, size), &arena, &root, &err) == 0)
        walk(root);
    else
        SHARC_ASSERT(err.text[0] && sharc_utf8_check(sharc_span_of(err.text)) == SHARC_NPOS);
    return 0;
}
