/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/figure.h"

void sharc_figure_subsites_put(struct sharc_json *j, const char *site, const struct sharc_figure_subsites *f)
{
    static const char *const bases[] = {"host", "sitemap", "change"}; /* SHARC_FIGURE_BY_… */
    for (size_t i = 0; i < f->count; i++) {
        const struct sharc_figure_subsite *x = &f->rows[i];
        sharc_json_object(j, NULL);
        if (site) sharc_json_str(j, "site", site);
        sharc_json_span(j, "prefix", x->prefix);
        if (x->parent < f->count)
            sharc_json_span(j, "part_of", f->rows[x->parent].prefix);
        else
            sharc_json_null(j, "part_of");
        sharc_json_array(j, "basis");
        for (unsigned k = 0; k < SHARC_LENGTH(bases); k++)
            if (x->basis & 1u << k) sharc_json_str(j, NULL, bases[k]);
        sharc_json_end(j);
        sharc_json_str(j, "manner", sharc_figure_manner_word(x->manner));
        sharc_json_str(j, "text", sharc_figure_manner_text(x->manner));
        sharc_json_uint(j, "pages", x->pages);
        sharc_json_uint(j, "compared", x->compared);
        sharc_json_uint(j, "changed", x->changed);
        sharc_json_real(j, "share", x->share);
        sharc_json_real(j, "low", x->low);
        sharc_json_real(j, "high", x->high);
        sharc_json_real(j, "rest", x->rest);
        sharc_json_end(j);
    }
}
