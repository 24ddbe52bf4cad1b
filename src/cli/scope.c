/* SPDX-License-Identifier: Apache-2.0 */
#include "scope.h"

static int add_rules(struct sharc_scope *scope, const struct cli_list *rules, enum sharc_scope_sign sign,
                     const char *origin, struct sharc_err *reterr)
{
    for (size_t i = 0; i < rules->count; i++) {
        int r = sharc_scope_add(scope, sign, sharc_span_of(rules->items[i]), origin, reterr);
        if (r < 0) return r;
    }
    return 0;
}

int cli_scope_add(struct sharc_scope *scope, const struct cli_list *include, const struct cli_list *exclude,
                  struct sharc_err *reterr)
{
    int r = add_rules(scope, include, SHARC_INCLUDE, "--include", reterr);
    return r < 0 ? r : add_rules(scope, exclude, SHARC_EXCLUDE, "--exclude", reterr);
}
