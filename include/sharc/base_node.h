/* SPDX-License-Identifier: Apache-2.0
 *
 * One tree of values for everything structured that sharc reads: JSON
 * documents and YAML settings. Two readers, one tree, so that the code that
 * interprets a document does not care how it was written, and every complaint
 * can name line and column.
 *
 * JSON is read strictly by RFC 8259: UTF-8 checked, duplicate names refused,
 * depth, bytes and node count bounded. YAML is read through libyaml; anchors
 * and aliases are refused (they allow documents that explode), and plain
 * scalars are typed by the JSON rules plus yes/no being strings.
 */
#ifndef SHARC_BASE_NODE_H
#define SHARC_BASE_NODE_H

#include "sharc/base.h"
#include "sharc/base_arena.h"

enum sharc_node_kind { SHARC_NULL, SHARC_BOOL, SHARC_INT, SHARC_REAL, SHARC_STRING, SHARC_LIST, SHARC_MAP };

struct sharc_node {
    enum sharc_node_kind kind;
    unsigned line, column;  /* counted from 1 */
    struct sharc_span name; /* when it is an entry of a map */
    struct sharc_span text; /* STRING: the value; INT, REAL, BOOL: as written */
    union {
        bool truth;
        int64_t integer;
        double real;
    } v;                                   /* INT sets integer; sharc_node_real serves both */
    size_t count;                          /* LIST, MAP: entries */
    const struct sharc_node *first, *next; /* children in order; sibling */
};

/* The tree lives in `arena`; strings without escapes point into `text`, which
 * must live as long. SHARC_ESYNTAX with line and column, SHARC_ELIMIT. */
int sharc_json_read(struct sharc_span text, struct sharc_arena *arena, const struct sharc_node **ret,
                    struct sharc_err *reterr);
int sharc_yaml_read(struct sharc_span text, struct sharc_arena *arena, const struct sharc_node **ret,
                    struct sharc_err *reterr);

/* Entry of a map by name; NULL when there is none or node is NULL or no map. */
const struct sharc_node *sharc_node_get(const struct sharc_node *map, const char *name);
const struct sharc_node *sharc_node_at(const struct sharc_node *list, size_t index);
/* With defaults, for tolerant reading. */
double sharc_node_real(const struct sharc_node *n, double otherwise);
int64_t sharc_node_int(const struct sharc_node *n, int64_t otherwise);
bool sharc_node_bool(const struct sharc_node *n, bool otherwise);
struct sharc_span sharc_node_text(const struct sharc_node *n);
const char *sharc_node_kind_name(enum sharc_node_kind kind);

#endif
