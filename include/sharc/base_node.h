/* SPDX-License-Identifier: Apache-2.0
 *
 * One tree of values for everything structured that sharc reads: JSON
 * documents and YAML settings. Two readers, one tree, so that the code that
 * interprets a document does not care how it was written, and every complaint
 * can name line and column.
 *
 * JSON is read strictly by RFC 8259: UTF-8 checked (a byte order mark is
 * skipped), duplicate names and halves of surrogate pairs refused, depth, bytes
 * and node count bounded (LIMIT_JSON_…). YAML is read through libyaml, bounded
 * by LIMIT_SETTINGS_…; anchors and aliases (they allow documents that explode),
 * tags but !!str, a second document and duplicate names are refused. Plain
 * scalars are typed by the JSON rules, nothing and ~ are null, all else (yes,
 * no, 0755) is text. An empty YAML text gives a NULL node.
 */
#ifndef SHARC_BASE_NODE_H
#define SHARC_BASE_NODE_H

#include "sharc/base.h"
#include "sharc/base_arena.h"

SHARC_PRIVATE_BEGIN

enum sharc_node_kind { SHARC_NULL, SHARC_BOOL, SHARC_INT, SHARC_REAL, SHARC_STRING, SHARC_LIST, SHARC_MAP };

struct sharc_node {
    enum sharc_node_kind kind;
    unsigned line, column;  /* where it begins, an entry of a map at its name; from 1 */
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
/* Entry of a list or map by place; NULL likewise. Both walk the entries. */
const struct sharc_node *sharc_node_at(const struct sharc_node *list, size_t index);
/* With defaults, for tolerant reading. sharc_node_int also takes a REAL without
 * a fraction; sharc_node_text gives what stands there for INT, REAL and BOOL
 * too, and nothing for the rest. */
double sharc_node_real(const struct sharc_node *n, double otherwise);
int64_t sharc_node_int(const struct sharc_node *n, int64_t otherwise);
bool sharc_node_bool(const struct sharc_node *n, bool otherwise);
struct sharc_span sharc_node_text(const struct sharc_node *n);

SHARC_PRIVATE_END
#endif
