/* SPDX-License-Identifier: Apache-2.0
 *
 * What comes over the pipe: JSON, each text ended by a zero byte. Web pages decide about much of it.
 */
#include "browser_int.h"

#include "sharc/base_arena.h"

void sharc__browser_inbox_init(struct browser_inbox *i, size_t max)
{
    *i = (struct browser_inbox){.at = 0};
    /* A whole message, and what was read with its last byte. */
    sharc_buf_init(&i->bytes, 2 * max);
    sharc_arena_init(&i->arena, 4 * max);
}

void sharc__browser_inbox_done(struct browser_inbox *i)
{
    sharc_buf_done(&i->bytes);
    sharc_arena_done(&i->arena);
}

static void forget_read(struct browser_inbox *i)
{
    sharc_buf_splice(&i->bytes, 0, i->at, SHARC_SPAN(""));
    i->searched -= i->at;
    i->at = 0;
}

/* Of a message that is too large only its end is of interest. */
static struct sharc_span skip(struct browser_inbox *i, struct sharc_span bytes)
{
    size_t end = sharc_span_find(bytes, 0, 0);
    if (end == SHARC_NPOS) return SHARC_SPAN("");
    i->skipping = false;
    return sharc_span_from(bytes, end + 1);
}

void sharc__browser_inbox_put(struct browser_inbox *i, struct sharc_span bytes)
{
    size_t max = i->bytes.max / 2;
    SHARC_ASSERT(bytes.n <= max / 2);
    if (i->at) forget_read(i);
    if (i->skipping) bytes = skip(i, bytes);
    sharc_buf_put(&i->bytes, bytes);
    if (i->bytes.n <= max || sharc_span_find(sharc_buf_span(&i->bytes), 0, i->searched) != SHARC_NPOS) return;
    sharc_buf_clear(&i->bytes);
    i->searched = 0;
    i->skipping = true;
    i->dropped++;
}

static struct sharc_span text_of(const struct sharc_node *map, const char *name)
{
    const struct sharc_node *n = sharc_node_get(map, name);
    return n && n->kind == SHARC_STRING ? n->text : SHARC_SPAN_NONE;
}

static bool read_tree(const struct sharc_node *tree, struct browser_message *ret)
{
    const struct sharc_node *id = sharc_node_get(tree, "id");
    ret->session = text_of(tree, "sessionId");
    ret->method = text_of(tree, "method");
    if (!id) {
        ret->body = sharc_node_get(tree, "params");
        return ret->method.n > 0;
    }
    int64_t number = sharc_node_int(id, 0);
    ret->id = number > 0 ? (uint64_t)number : 0;
    const struct sharc_node *error = sharc_node_get(tree, "error");
    ret->failed = error != NULL;
    ret->body = error ? error : sharc_node_get(tree, "result");
    return ret->id > 0;
}

/* Chromium writes the number of an answer first. */
static bool read_number(struct sharc_span text, struct browser_message *ret)
{
    struct sharc_span before = SHARC_SPAN("{\"id\":");
    if (!sharc_span_starts(text, before)) return false;
    size_t end = before.n;
    while (end < text.n && sharc_is_digit(text.p[end])) end++;
    ret->failed = true;
    return sharc_span_to_u64(sharc_span_sub(text, before.n, end), &ret->id) == 0 && ret->id > 0;
}

bool sharc__browser_inbox_next(struct browser_inbox *i, struct browser_message *ret)
{
    for (;;) {
        size_t end = sharc_span_find(sharc_buf_span(&i->bytes), 0, i->searched);
        if (end == SHARC_NPOS) {
            i->searched = i->bytes.n;
            return false;
        }
        const struct sharc_node *tree = NULL;
        *ret = (struct browser_message){.text = sharc_span_sub(sharc_buf_span(&i->bytes), i->at, end)};
        i->at = i->searched = end + 1;
        sharc_arena_clear(&i->arena);
        if (sharc_json_read(ret->text, &i->arena, &tree, NULL) == 0 ? read_tree(tree, ret)
                                                                    : read_number(ret->text, ret)) {
            i->dropped += !tree;
            return true;
        }
        i->dropped++;
    }
}
