/* SPDX-License-Identifier: Apache-2.0
 *
 * What lists were worth, from one capture to the next: members of the capture's parameters in
 * the catalogue (signals_past.h reads them).
 */
#include "signals.h"

static struct sharc_span name_of(const struct heard *h, const struct heard_list *l)
{
    return l->source == 0 ? SHARC_SPAN(HEARD_SITEMAPS) : page_url(h->pages, l->page);
}

/* --- written ------------------------------------------------------------------------------ */

static bool is_first_of_its_source(const struct heard *h, const struct heard_list *l)
{
    for (const struct heard_list *k = h->list; k < l; k++)
        if (k->source == l->source) return false;
    return true;
}

void sharc__crawl_heard_put(const struct heard *h, struct sharc_json *j)
{
    struct sharc_signal_worth w;
    if (h->count == 0) return;
    sharc_json_array(j, "signals");
    for (const struct heard_list *l = h->list; l < h->list + h->count; l++) {
        if (!is_first_of_its_source(h, l) || !sharc_signals_worth(h->signals, l->source, &w)) continue;
        sharc_json_object(j, NULL);
        sharc_json_span(j, "source", name_of(h, l));
        sharc_json_str(j, "kind", sharc_signal_kind_name(w.kind));
        sharc_json_uint(j, "pages", w.pages);
        sharc_json_uint(j, "readings", w.readings);
        sharc_json_real(j, "told", w.now.told + w.before.told);
        sharc_json_real(j, "missed", w.now.missed + w.before.missed);
        sharc_json_real(j, "right", w.now.right + w.before.right);
        sharc_json_real(j, "wrong", w.now.wrong + w.before.wrong);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

/* --- and read ------------------------------------------------------------------------------- */

int sharc__crawl_heard_remember(struct heard *h, struct sharc_store *store, sharc_store_id site,
                                struct sharc_err *reterr)
{
    return sharc__crawl_heard_past_read(&h->before, store, site, reterr);
}

void sharc__crawl_heard_as_before(const struct heard *h, const struct heard_list *l)
{
    const struct sharc_span name = name_of(h, l);
    for (size_t i = 0; i < h->before.count; i++)
        if (sharc_span_is(name, h->before.one[i].source))
            sharc_signals_remember(h->signals, l->source, &h->before.one[i].counts);
}
