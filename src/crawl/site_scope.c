/* SPDX-License-Identifier: Apache-2.0
 *
 * The scope of a site: its seeds and where they have moved to, the rules of the settings,
 * and those that came while the capture ran.
 */
#include "frontier.h"

void sharc__crawl_frontier_init(struct frontier *f)
{
    f->scope = sharc_scope_new();
    sharc_scope_add_limits(f->scope);
    sharc_map64_init(&f->sessions);
    sharc_buf_init(&f->scratch, 2 * SHARC_LIMIT_URL);
}

void sharc__crawl_frontier_done(struct frontier *f)
{
    if (!f->scope) return;
    sharc_scope_freep(&f->scope);
    sharc_map64_done(&f->sessions);
    sharc_buf_done(&f->scratch);
    sharc_url_done(&f->url);
}

int sharc__crawl_scope_seed(struct frontier *f, const struct sharc_url *seed, struct sharc_err *reterr)
{
    return sharc_scope_add_seed(f->scope, seed, f->ctx->o.reach, NULL, reterr);
}

void sharc__crawl_scope_moved_seed(struct frontier *f, const struct sharc_url *to)
{
    if (sharc__crawl_scope_seed(f, to, NULL) == 0) sharc_scope_seal(f->scope);
}

int sharc__crawl_scope_rules(struct frontier *f, struct sharc_err *reterr)
{
    const struct sharc_crawl_options *o = &f->ctx->o;
    int r = 0;
    for (size_t i = 0; i < o->rules_count && r == 0; i++) {
        bool exclude = o->rules[i][0] == '-';
        r = sharc_scope_add(f->scope, exclude ? SHARC_EXCLUDE : SHARC_INCLUDE, sharc_span_of(o->rules[i] + 1),
                            exclude ? "setting \"exclude\"" : "setting \"include\"", reterr);
    }
    const struct own *own = sharc__crawl_own_of(&f->steering->own, sharc_span_of(f->capture->name));
    if (r == 0 && own) r = sharc__crawl_own_rules(own, f->scope, reterr);
    if (r == 0) r = sharc__crawl_steering_rules(f->steering, f->ctx, f->scope, reterr);
    sharc_scope_seal(f->scope);
    return r;
}

void sharc__crawl_scope_add(struct frontier *f, char sign, struct sharc_span rule)
{
    if (!f->scope) return;
    (void)sharc_scope_add(f->scope, sign == '+' ? SHARC_INCLUDE : SHARC_EXCLUDE, rule, "setting \"set\"", NULL);
    sharc_scope_seal(f->scope);
}

int sharc__crawl_scope_anew(struct frontier *f, struct sharc_err *reterr)
{
    const struct pages *p = f->pages;
    int r = 0;
    sharc_scope_free(f->scope);
    f->scope = sharc_scope_new();
    sharc_scope_add_limits(f->scope);
    for (uint32_t i = 0; i < pages_count(p) && r == 0; i++) {
        const struct page *row = &p->page[i];
        bool moved = (row->flags & PAGE_MOVED_SEED) && row->state != PAGE_REJECTED;
        if (!moved && !(row->flags & PAGE_SEED)) continue;
        if (sharc_url_parse(&f->url, page_url(p, i), NULL, NULL) < 0) continue;
        r = sharc_scope_add_seed(f->scope, &f->url, f->ctx->o.reach, NULL, reterr);
    }
    return r < 0 ? r : sharc__crawl_scope_rules(f, reterr);
}
