/* SPDX-License-Identifier: Apache-2.0
 *
 * YAML settings through libyaml's events. Of YAML only what a settings file
 * needs: one document of maps, lists and scalars.
 */
#include "node_int.h"

#include <yaml.h>

struct reader {
    struct sharc_span text;
    yaml_parser_t parser;
    struct node_tree tree;
    struct sharc_err *reterr;
    bool in_document, had_document;
};

/* libyaml's index counts characters, not bytes: lines and columns only. */
static struct node_place place(yaml_mark_t m)
{
    return (struct node_place){(unsigned)m.line + 1, (unsigned)m.column + 1};
}

static int refuse(struct reader *r, const yaml_event_t *e, const char *what)
{
    return sharc__base_fail_at(r->reterr, SHARC_ESYNTAX, place(e->start_mark), SHARC_NPOS, "%s", what);
}

/* libyaml's own complaint, with the place of what it was doing if it says so. */
static int parser_problem(struct reader *r)
{
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "this is not YAML";
    if (p->error == YAML_MEMORY_ERROR) return sharc_fail(r->reterr, SHARC_ENOMEM, "no memory to read YAML");
    if (p->error == YAML_READER_ERROR) {
        struct node_place at = sharc__base_place_of(r->text, p->problem_offset);
        return sharc__base_fail_at(r->reterr, SHARC_ESYNTAX, at, p->problem_offset, "%s", problem);
    }
    if (!p->context)
        return sharc__base_fail_at(r->reterr, SHARC_ESYNTAX, place(p->problem_mark), SHARC_NPOS, "%s", problem);
    return sharc__base_fail_at(r->reterr, SHARC_ESYNTAX, place(p->problem_mark), SHARC_NPOS,
                               "%s, %s that begins in line %zu", problem, p->context, p->context_mark.line + 1);
}

/* --- values --------------------------------------------------------------- */

static bool inside_map(const struct reader *r)
{
    return r->tree.depth > 0 && r->tree.open[r->tree.depth - 1].node->kind == SHARC_MAP;
}

static int no_memory(struct reader *r, const yaml_event_t *e)
{
    return sharc__base_fail_at(r->reterr, SHARC_ELIMIT, place(e->start_mark), SHARC_NPOS,
                               "more than %zu bytes of memory", r->tree.arena->max);
}

/* A plain scalar means what it would mean in JSON; everything else is text. */
static int type_plain(struct reader *r, const yaml_event_t *e, struct sharc_node *n, struct sharc_span s)
{
    n->kind = SHARC_STRING;
    n->text = s;
    if (s.n == 0 || sharc_span_is(s, "null") || sharc_span_is(s, "~")) {
        n->kind = SHARC_NULL;
        n->text = SHARC_SPAN_NONE;
    } else if (sharc_span_is(s, "true") || sharc_span_is(s, "false")) {
        n->kind = SHARC_BOOL;
        n->v.truth = s.p[0] == 't';
    } else if (sharc__base_node_number(n, s) < 0) {
        return sharc__base_fail_at(r->reterr, SHARC_ELIMIT, place(e->start_mark), SHARC_NPOS,
                                   "the number is too large or has too many digits");
    }
    return 0;
}

static int read_scalar(struct reader *r, const yaml_event_t *e)
{
    struct sharc_span given = sharc_span(e->data.scalar.value, e->data.scalar.length);
    struct sharc_span s = sharc_arena_copy(r->tree.arena, given);
    if (!s.p) return no_memory(r, e);
    if (inside_map(r) && !r->tree.named) {
        r->tree.named = true;
        r->tree.name = s;
        r->tree.name_at = place(e->start_mark);
        return 0;
    }
    struct sharc_node *n = sharc__base_tree_add(&r->tree, SHARC_STRING, place(e->start_mark), r->reterr);
    if (!n) return SHARC_ELIMIT;
    if (e->data.scalar.plain_implicit) return type_plain(r, e, n, s);
    n->text = s;
    return 0;
}

static int open_container(struct reader *r, const yaml_event_t *e, enum sharc_node_kind kind)
{
    if (inside_map(r) && !r->tree.named) return refuse(r, e, "a name must be a simple text, not a list or map");
    return sharc__base_tree_open(&r->tree, kind, place(e->start_mark), r->reterr);
}

/* Anchors, aliases and tags: nothing a settings file needs, and aliases make
 * small files that mean enormous ones. */
static int check_extras(struct reader *r, const yaml_event_t *e)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    bool text_wanted = false;
    if (e->type == YAML_ALIAS_EVENT) return refuse(r, e, "aliases (*name) are not allowed; write the value again");
    if (e->type == YAML_SCALAR_EVENT) {
        anchor = e->data.scalar.anchor;
        tag = e->data.scalar.tag;
        text_wanted = tag && strcmp((const char *)tag, YAML_STR_TAG) == 0;
    } else if (e->type == YAML_SEQUENCE_START_EVENT) {
        anchor = e->data.sequence_start.anchor;
        tag = e->data.sequence_start.tag;
    } else if (e->type == YAML_MAPPING_START_EVENT) {
        anchor = e->data.mapping_start.anchor;
        tag = e->data.mapping_start.tag;
    }
    if (anchor) return refuse(r, e, "anchors (&name) are not allowed; write the value where it is needed");
    if (tag && !text_wanted) return refuse(r, e, "tags (!name) are not allowed, except !!str before a text");
    return 0;
}

/* 1: go on, 0: the end, < 0: refused. */
static int take_event(struct reader *r, const yaml_event_t *e)
{
    int result = check_extras(r, e);
    if (result < 0) return result;
    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (r->had_document) return refuse(r, e, "a second document begins here, only one is allowed");
        r->had_document = true;
        break;
    case YAML_SCALAR_EVENT: result = read_scalar(r, e); break;
    case YAML_SEQUENCE_START_EVENT: result = open_container(r, e, SHARC_LIST); break;
    case YAML_MAPPING_START_EVENT: result = open_container(r, e, SHARC_MAP); break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: result = sharc__base_tree_close(&r->tree, r->reterr); break;
    case YAML_STREAM_END_EVENT: return 0;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
    case YAML_ALIAS_EVENT: break;
    }
    return result < 0 ? result : 1;
}

static int read_stream(struct reader *r)
{
    for (;;) {
        yaml_event_t e;
        if (!yaml_parser_parse(&r->parser, &e)) return parser_problem(r);
        int result = take_event(r, &e);
        yaml_event_delete(&e);
        if (result <= 0) return result;
    }
}

/* libyaml compares every %TAG directive with all before it: a megabyte of them
 * would take half a minute. They mean nothing here, so nobody needs many. */
static int check_directives(struct sharc_span text, struct sharc_err *reterr)
{
    size_t at = 0;
    for (unsigned count = 0;; count++) {
        size_t next = sharc_span_search(sharc_span_from(text, at), SHARC_SPAN("%TAG"));
        if (next == SHARC_NPOS) return 0;
        at += next;
        if (count == SHARC_LIMIT_SETTINGS_DIRECTIVES)
            return sharc__base_fail_at(reterr, SHARC_ELIMIT, sharc__base_place_of(text, at), at,
                                       "%%TAG occurs more than %u times (SHARC_LIMIT_SETTINGS_DIRECTIVES)",
                                       SHARC_LIMIT_SETTINGS_DIRECTIVES);
        at += 4;
    }
}

int sharc_yaml_read(struct sharc_span text, struct sharc_arena *arena, const struct sharc_node **ret,
                    struct sharc_err *reterr)
{
    SHARC_FAIL_IF(text.n > SHARC_LIMIT_SETTINGS_BYTES, reterr, SHARC_ELIMIT,
                  "the text has %zu bytes, more than %u (SHARC_LIMIT_SETTINGS_BYTES)", text.n,
                  SHARC_LIMIT_SETTINGS_BYTES);
    int e = check_directives(text, reterr);
    if (e < 0) return e;
    struct reader r = {.text = text,
                       .reterr = reterr,
                       .tree = {.arena = arena,
                                .max_nodes = SHARC_LIMIT_SETTINGS_NODES,
                                .max_nodes_name = "SHARC_LIMIT_SETTINGS_NODES",
                                .max_depth = SHARC_LIMIT_SETTINGS_DEPTH,
                                .max_depth_name = "SHARC_LIMIT_SETTINGS_DEPTH"}};
    SHARC_FAIL_IF(!yaml_parser_initialize(&r.parser), reterr, SHARC_ENOMEM, "no memory to read YAML");
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)(text.n ? text.p : ""), text.n);
    e = read_stream(&r);
    yaml_parser_delete(&r.parser);
    sharc__base_tree_done(&r.tree);
    if (e < 0) return e;
    /* An empty file is an empty value, not an error. */
    if (!r.tree.root && !sharc__base_tree_add(&r.tree, SHARC_NULL, (struct node_place){1, 1}, reterr))
        return SHARC_ELIMIT;
    *ret = r.tree.root;
    return 0;
}
