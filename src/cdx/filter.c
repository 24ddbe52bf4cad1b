/* SPDX-License-Identifier: Apache-2.0
 *
 * Filters of look-ups, in pywb's form: [!][=|~]field:value.
 */
#include "cdx_int.h"
#include "sharc/url_regex.h"

#include <stdlib.h>

enum how { CONTAINS, EQUALS, MATCHES };

struct cdx_filter {
    bool negated;
    enum how how;
    char *field, *value;
    struct sharc_url_regex *regex; /* MATCHES */
};

/* Anchored at the beginning, as pywb does. */
static int compile(struct cdx_filter *f, const char *text, struct sharc_err *reterr)
{
    bool fold = strncmp(f->value, "(?i)", 4) == 0;
    SHARC_AUTO(sharc_freep) char *anchored = sharc_asprintf("%s^(?:%s)", fold ? "(?i)" : "", f->value + (fold ? 4 : 0));
    int r = sharc_url_regex_new(sharc_span_of(anchored), &f->regex, reterr);
    return r < 0 ? sharc_err_prefix(reterr, r, "filter \"%.100s\"", text) : r;
}

static int read_one(struct cdx_filter *f, const char *text, struct sharc_err *reterr)
{
    const char *p = text;
    if (*p == '!') f->negated = true, p++;
    if (*p == '=')
        f->how = EQUALS, p++;
    else if (*p == '~')
        f->how = MATCHES, p++;
    const char *colon = strchr(p, ':');
    SHARC_FAIL_IF(!colon || colon == p, reterr, SHARC_EINVAL,
                  "filter \"%.100s\": must be [!][=|~]field:value, as in =status:200", text);
    f->field = sharc_strndup(p, (size_t)(colon - p));
    f->value = sharc_strdup(colon + 1);
    return f->how == MATCHES ? compile(f, text, reterr) : 0;
}

int sharc__cdx_filters_new(const char *const *texts, size_t count, struct cdx_filter **ret, struct sharc_err *reterr)
{
    struct cdx_filter *all = SHARC_NEW_ARRAY(struct cdx_filter, count);
    for (size_t i = 0; i < count; i++) {
        int r = read_one(&all[i], texts[i], reterr);
        if (r == 0) continue;
        sharc__cdx_filters_free(all, count);
        return r;
    }
    *ret = all;
    return 0;
}

void sharc__cdx_filters_free(struct cdx_filter *f, size_t count)
{
    for (size_t i = 0; f && i < count; i++) {
        sharc_url_regex_free(f[i].regex);
        free(f[i].field);
        free(f[i].value);
    }
    free(f);
}

static struct sharc_span last_part(struct sharc_span path)
{
    size_t at = path.n;
    while (at > 0 && path.p[at - 1] != '/') at--;
    return sharc_span_from(path, at);
}

static bool holds(const struct cdx_filter *f, bool bare_names, struct sharc_cdx_parser *p, const struct sharc_cdx *c)
{
    struct sharc_span v = SHARC_SPAN_NONE, want = sharc_span_of(f->value), field = sharc_span_of(f->field);
    sharc_cdx_get(p, c, field, &v);
    if (bare_names && sharc_cdx_field_of(field) == SHARC_CDX_FILENAME) v = last_part(v);
    switch (f->how) {
    case EQUALS: return sharc_span_eq(v, want);
    case MATCHES: return sharc_url_regex_search(f->regex, v);
    case CONTAINS: break;
    }
    return want.n == 0 || sharc_span_search(v, want) != SHARC_NPOS;
}

bool sharc__cdx_filters_hold(const struct cdx_filter *f, size_t count, bool bare_names, struct sharc_cdx_parser *p,
                             const struct sharc_cdx *c)
{
    for (size_t i = 0; i < count; i++)
        if (holds(&f[i], bare_names, p, c) == f[i].negated) return false;
    return true;
}
