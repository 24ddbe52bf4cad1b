/* SPDX-License-Identifier: Apache-2.0
 *
 * Building a tree of nodes: what the JSON and the YAML reader have in common.
 */
#ifndef SHARC_NODE_INT_H
#define SHARC_NODE_INT_H

#include "sharc/base_limits.h"
#include "sharc/base_node.h"

struct node_place {
    unsigned line, column;
};

struct node_tree {
    struct sharc_arena *arena;
    size_t nodes, max_nodes;
    unsigned depth, max_depth; /* containers open now, and at most */
    const char *max_nodes_name, *max_depth_name;
    const struct sharc_node *root; /* set when the first node is added */
    struct {
        struct sharc_node *node, *last; /* a container and its newest child */
    } open[SHARC_LIMIT_JSON_DEPTH];
    /* The name read for the next entry of a map, and where it stood. */
    bool named;
    struct sharc_span name;
    struct node_place name_at;
    /* Scratch for finding names that occur twice. */
    const struct sharc_node **slots;
    size_t slot_room;
};

/* A new node at the next place of the innermost container. NULL with a
 * complaint when a limit is reached. */
struct sharc_node *sharc__base_tree_add(struct node_tree *t, enum sharc_node_kind kind, struct node_place at,
                                        struct sharc_err *reterr);
/* The same for a LIST or MAP, which becomes the innermost container. */
int sharc__base_tree_open(struct node_tree *t, enum sharc_node_kind kind, struct node_place at,
                          struct sharc_err *reterr);
/* Leave the innermost container; SHARC_ESYNTAX if a name occurs twice. */
int sharc__base_tree_close(struct node_tree *t, struct sharc_err *reterr);
void sharc__base_tree_done(struct node_tree *t);

/* If s follows JSON's grammar for numbers, make n an INT or REAL: 1, else 0.
 * SHARC_ELIMIT when no double can hold it. */
int sharc__base_node_number(struct sharc_node *n, struct sharc_span s);

/* "line 3, column 7: …" with code, line and offset set. */
int sharc__base_fail_at(struct sharc_err *reterr, int code, struct node_place at, size_t offset, const char *fmt, ...)
    SHARC_PRINTF(5, 6);

/* Line and column (in characters) of a byte. */
struct node_place sharc__base_place_of(struct sharc_span text, size_t offset);

#endif
