/* SPDX-License-Identifier: Apache-2.0 */
#include "weakness.h"

void sharc__crawl_weakness_add(struct sharc_store_weakness *w, const struct sharc_crawl_options *o)
{
    SHARC_AUTO(sharc_store_weakness_done)
    struct sharc_store_weakness now = {.insecure = o->insecure,
                                       .trust_modified = o->trust_modified,
                                       .cookies = o->cookies,
                                       .header = o->header,
                                       .max_body = o->max_body};
    if (o->connect_to) now.connect_to = sharc_strdup(o->connect_to);
    if (o->proxy) now.proxy = sharc_strdup(o->proxy);
    sharc_store_weakness_join(w, &now);
}
