/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening and closing, and the words.
 */
#include "assess_int.h"

#include <stdlib.h>

static const struct {
    const char *word, *text;
} defects[] = {
#define X(name, word, text) {word, text},
    SHARC_ASSESS_DEFECTS(X)
#undef X
};

const char *sharc_assess_defect_word(enum sharc_assess_defect d)
{
    return d < SHARC_LENGTH(defects) ? defects[d].word : "";
}

const char *sharc_assess_defect_text(enum sharc_assess_defect d)
{
    return d < SHARC_LENGTH(defects) ? defects[d].text : "";
}

int sharc_assess_open(struct sharc_store *store, sharc_store_id capture, bool composites, struct sharc_assess **ret,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_assess_freep) struct sharc_assess *a = SHARC_NEW(struct sharc_assess);
    a->store = store;
    a->composites = composites;
    a->bodies = sharc_intern_new();
    a->texts = sharc_intern_new();
    a->mimes = sharc_intern_new();
    sharc_map64_init(&a->group_of);
    /* Numbers begin at 1: 0 means none. */
    sharc_intern_add(a->bodies, SHARC_SPAN(""), NULL);
    sharc_intern_add(a->texts, SHARC_SPAN(""), NULL);
    sharc_intern_add(a->mimes, SHARC_SPAN(""), NULL);
    int r = sharc__assess_load(a, capture, reterr);
    if (r < 0) return r;
    sharc__assess_prepare(a);
    *ret = SHARC_TAKE(a);
    return 0;
}

void sharc_assess_free(struct sharc_assess *a)
{
    if (!a) return;
    for (size_t i = 0; i < a->capture_count; i++) {
        free(a->captures[i].key);
        free(a->captures[i].site_name);
        free(a->captures[i].purpose);
        free(a->captures[i].source);
        free(a->captures[i].weakened);
    }
    free(a->captures);
    free(a->asked);
    free(a->seen);
    free(a->rows);
    free(a->by_capture);
    free(a->urls);
    free(a->groups);
    free(a->embeds);
    free(a->links);
    free(a->runs);
    for (size_t i = 0; i < a->url_of.count; i++) free(a->url_of.pieces[i]);
    free(a->url_of.pieces);
    sharc_map64_done(&a->group_of);
    sharc_intern_free(a->bodies);
    sharc_intern_free(a->texts);
    sharc_intern_free(a->mimes);
    free(a);
}

void sharc_assess_freep(struct sharc_assess **a)
{
    sharc_assess_free(*a);
    *a = NULL;
}

size_t sharc_assess_count(const struct sharc_assess *a)
{
    return a->asked_count;
}

bool sharc_assess_is_last(const struct sharc_assess *a, size_t i)
{
    sharc_store_id site = a->captures[a->asked[i]].site;
    for (size_t k = i + 1; k < a->asked_count; k++)
        if (a->captures[a->asked[k]].site == site) return false;
    return true;
}

const char *sharc_assess_site(const struct sharc_assess *a, size_t i)
{
    return a->captures[a->asked[i]].site_name;
}

sharc_store_id sharc_assess_id(const struct sharc_assess *a, size_t i)
{
    return a->captures[a->asked[i]].id;
}
