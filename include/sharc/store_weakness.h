/* SPDX-License-Identifier: Apache-2.0
 *
 * What was done in a capture that weakens what it proves. A crawl writes it into the parameters of its capture, an
 * import reads it from the warcinfo records of its files and does the same:
 *
 *   {…, "weakened":{"insecure":true,"proxy":"http://127.0.0.1:9","max_body":100000}}
 */
#ifndef SHARC_STORE_WEAKNESS_H
#define SHARC_STORE_WEAKNESS_H

#include "sharc/base_json.h"
#include "sharc/base_node.h"
#include "sharc/store.h"

SHARC_PRIVATE_BEGIN

struct sharc_store_weakness {
    bool insecure, trust_modified;
    bool cookies, header;     /* requests carried what the operator gave them: others may see other pages */
    uint64_t max_body;        /* the smallest that was given; 0: none was */
    char *connect_to, *proxy; /* owned; several with blanks between them; NULL: none */
};
void sharc_store_weakness_done(struct sharc_store_weakness *w);
/* Whatever either has. */
void sharc_store_weakness_join(struct sharc_store_weakness *w, const struct sharc_store_weakness *also);
/* Join what stands in the parameters of a capture; as JSON, or read already. */
void sharc_store_weakness_read(struct sharc_store_weakness *w, const struct sharc_node *params);
void sharc_store_weakness_parse(struct sharc_store_weakness *w, struct sharc_span params);
/* "weakened": {…}, when there is anything. */
void sharc_store_weakness_put(const struct sharc_store_weakness *w, struct sharc_json *j);
/* The same for people, as the settings that did it: "insecure, max-body 100000", malloc'ed. NULL: nothing. Of the
 * parameters of a capture, or read already. A foreign file may have written them: what would steer a terminal or turn
 * the direction of writing is replaced. */
char *sharc_store_weakened(struct sharc_span params);
char *sharc_store_weakness_text(const struct sharc_store_weakness *w);

SHARC_PRIVATE_END
#endif
