/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects as files that lie elsewhere: base_remote.h.
 */
#include "sharc/object_remote.h"

#include <stdio.h>

static struct sharc_remote_facts facts_of(const struct sharc_object_facts *f)
{
    struct sharc_remote_facts r = {.size = f->size,
                                   .modified = f->modified == SHARC_TIME_NONE ? 0 : f->modified * 1000};
    snprintf(r.version, sizeof r.version, "%s", f->etag);
    return r;
}

static int look(void *arg, const char *name, struct sharc_remote_facts *ret, struct sharc_err *reterr)
{
    struct sharc_object_facts f;
    int r = sharc_object_head(arg, name, &f, reterr);
    if (r == 0) *ret = facts_of(&f);
    return r;
}

static int read_range(void *arg, const char *name, const struct sharc_remote_facts *as, uint64_t from, void *out,
                      size_t n, struct sharc_err *reterr)
{
    struct sharc_object_facts f = {0};
    if (as) snprintf(f.etag, sizeof f.etag, "%s", as->version);
    return sharc_object_get(arg, name, &f, from, out, n, reterr);
}

struct listing {
    sharc_remote_list_fn *fn;
    void *arg;
};

static int on_object(void *arg, const char *name, const struct sharc_object_facts *facts, struct sharc_err *reterr)
{
    const struct listing *l = arg;
    struct sharc_remote_facts f = facts_of(facts);
    return l->fn(l->arg, name, &f, reterr);
}

static int list(void *arg, const char *prefix, sharc_remote_list_fn *fn, void *fn_arg, struct sharc_err *reterr)
{
    struct listing l = {fn, fn_arg};
    return sharc_object_list(arg, prefix, on_object, &l, reterr);
}

const struct sharc_remote_ops sharc_object_remote = {look, read_range, list};
