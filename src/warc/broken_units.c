/* SPDX-License-Identifier: Apache-2.0
 *
 * Which compressed members of a file are damaged. A checksum stands at the end of
 * its member: whoever copies the first of several records in a member has
 * not seen it. So the file is read once before.
 */
#include "warc_int.h"

struct noting {
    struct sharc_warc *w;
    struct sharc_map64 *ret;
};

static void note(void *arg, const struct sharc_err *what)
{
    const struct noting *n = arg;
    if (what->code >= 0 || !n->w->in.broken) return;
    uint64_t code = (uint64_t)-n->w->in.broken;
    *sharc_map64_at(n->ret, n->w->in.unit_at) = code;
    /* a record may have begun in a member before */
    if (n->w->state == PASSED) *sharc_map64_at(n->ret, n->w->record_at) = code;
    if (n->w->carried_at == n->w->in.unit_at) *sharc_map64_at(n->ret, n->w->carried_from) = code;
}

int sharc__warc_broken_units(struct sharc_warc *w, struct sharc_map64 *ret, struct sharc_err *reterr)
{
    struct noting n = {w, ret};
    struct sharc_record rec;
    int r;
    w->o.lenient = w->o.joined = true;
    w->o.types = SHARC_WARC_BIT(SHARC_WARC_TYPES); /* none: records are only passed over */
    w->o.warn = note;
    w->o.warn_arg = &n;
    do {
        r = w->in.packing == SHARC_WARC_PLAIN ? 0 : sharc_warc_next(w, &rec, reterr);
    } while (r > 0);
    w->o.warn = NULL;
    w->o.warn_arg = NULL;
    return r;
}

int sharc__warc_broken_unit(const struct sharc_map64 *units, const struct sharc_record *rec)
{
    const uint64_t *code = sharc_map64_find(units, rec->offset);
    return code ? -(int)*code : 0;
}
