/* SPDX-License-Identifier: Apache-2.0 */
#include "object_int.h"

#include <stdlib.h>

enum { KEY_MOST = 1024, BUCKET_MOST = 255, HOST_MOST = 255, REGION_MOST = 63 };

void sharc_object_name_done(struct sharc_object_name *n)
{
    free(n->text);
    free(n->endpoint);
    free(n->region);
    free(n->bucket);
    free(n->key);
    *n = (struct sharc_object_name){0};
}

/* --- reading ----------------------------------------------------------------- */

static bool all(struct sharc_span s, const char *also)
{
    for (size_t i = 0; i < s.n; i++)
        if (!sharc_is_alnum(s.p[i]) && (!s.p[i] || !strchr(also, s.p[i]))) return false;
    return s.n > 0;
}

static bool is_key(struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f) return false;
    return s.n <= KEY_MOST;
}

static int parse_host(const char *text, struct sharc_span host, const char *scheme, struct sharc_object_name *ret,
                      struct sharc_err *reterr)
{
    size_t at = sharc_span_find(host, '@', 0);
    struct sharc_span region = at == SHARC_NPOS ? SHARC_SPAN_NONE : sharc_span_sub(host, 0, at);
    if (at != SHARC_NPOS) host = sharc_span_from(host, at + 1);
    SHARC_FAIL_IF(region.p && (!all(region, "-") || region.n > REGION_MOST), reterr, SHARC_EINVAL,
                  "%s://…: in front of @ stands a region as in us-east-1, never a key: those come from the environment "
                  "or ~/.aws/credentials",
                  scheme);
    SHARC_FAIL_IF(!all(host, ".-_:[]") || host.n > HOST_MOST, reterr, SHARC_EINVAL,
                  "%s: a host is needed: %s://HOST[:PORT]/BUCKET/KEY", text, scheme);
    ret->region = region.p ? sharc_span_dup(region) : NULL;
    ret->endpoint = sharc_asprintf("%s://%.*s", scheme + strlen("s3+"), SHARC_SPAN_ARG(host));
    return 0;
}

static const char *scheme_of(const char *text)
{
    static const char *const schemes[] = {"s3", "s3+http", "s3+https"};
    for (size_t i = 0; i < SHARC_LENGTH(schemes); i++) {
        size_t n = strlen(schemes[i]);
        if (strncmp(text, schemes[i], n) == 0 && strncmp(text + n, "://", 3) == 0) return schemes[i];
    }
    return NULL;
}

static int parse(const char *text, struct sharc_object_name *ret, struct sharc_err *reterr)
{
    const char *scheme = scheme_of(text);
    SHARC_FAIL_IF(!scheme, reterr, SHARC_EINVAL, "%s: names of objects begin with s3://, s3+http:// or s3+https://",
                  text);
    struct sharc_span rest = sharc_span_of(text + strlen(scheme) + 3), part;
    if (strcmp(scheme, "s3") != 0) {
        size_t end = sharc_span_find(rest, '/', 0);
        part = end == SHARC_NPOS ? rest : sharc_span_sub(rest, 0, end);
        int r = parse_host(text, part, scheme, ret, reterr);
        if (r < 0) return r;
        rest = end == SHARC_NPOS ? SHARC_SPAN("") : sharc_span_from(rest, end + 1);
    }
    size_t end = sharc_span_find(rest, '/', 0);
    part = end == SHARC_NPOS ? rest : sharc_span_sub(rest, 0, end);
    struct sharc_span key = end == SHARC_NPOS ? SHARC_SPAN("") : sharc_span_from(rest, end + 1);
    SHARC_FAIL_IF(!all(part, ".-_") || part.n > BUCKET_MOST || part.p[0] == '.', reterr, SHARC_EINVAL,
                  "%s: a bucket is needed, of letters, digits, dots and dashes: s3://BUCKET/KEY", text);
    SHARC_FAIL_IF(!is_key(key), reterr, SHARC_EINVAL,
                  "%s: a key has at most %d bytes, and no control characters are among them", text, KEY_MOST);
    ret->text = sharc_strdup(text);
    ret->bucket = sharc_span_dup(part);
    ret->key = sharc_span_dup(key);
    return 0;
}

int sharc_object_name_parse(const char *text, struct sharc_object_name *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_object_name_done) struct sharc_object_name n = {0};
    int r = parse(text, &n, reterr);
    if (r < 0) return r;
    *ret = n;
    n = (struct sharc_object_name){0};
    return 0;
}

char *sharc__object_rename(const struct sharc_object_name *n, struct sharc_span key)
{
    return sharc_asprintf("%.*s%.*s", (int)(strlen(n->text) - strlen(n->key)), n->text, SHARC_SPAN_ARG(key));
}

/* --- writing ------------------------------------------------------------------- */

void sharc__object_escape(struct sharc_buf *out, struct sharc_span s, bool slash)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (sharc_is_alnum(c) || (c && strchr("-_.~", c)) || (slash && c == '/'))
            sharc_buf_put_char(out, c);
        else
            sharc_buf_printf(out, "%%%02X", (unsigned char)c);
    }
}

/* As a label of a host's name: certificates of stores cover one label, so that none with a dot fits. */
static bool is_label(const char *bucket)
{
    size_t n = strlen(bucket);
    for (size_t i = 0; i < n; i++)
        if (!(bucket[i] >= 'a' && bucket[i] <= 'z') && !(bucket[i] >= '0' && bucket[i] <= '9') && bucket[i] != '-')
            return false;
    return n >= 3 && n <= 63 && bucket[0] != '-' && bucket[n - 1] != '-';
}

void sharc__object_url(const struct sharc_object_store *s, const struct sharc_object_name *n, struct sharc_buf *out)
{
    const char *endpoint = n->endpoint ? n->endpoint : s->endpoint;
    const char *region = n->region ? n->region : s->region;
    const bool host = is_label(n->bucket) && (!endpoint || s->virtual_hosts);
    SHARC_AUTO(sharc_freep) char *amazon = sharc_asprintf("https://s3.%s.amazonaws.com", region);
    struct sharc_span base = sharc_span_of(endpoint ? endpoint : amazon);
    if (base.n && base.p[base.n - 1] == '/') base.n--;
    size_t at = host ? sharc_span_search(base, SHARC_SPAN("://")) + 3 : 0;
    sharc_buf_put(out, sharc_span_sub(base, 0, at));
    if (host) sharc_buf_printf(out, "%s.", n->bucket);
    sharc_buf_put(out, sharc_span_from(base, at));
    sharc_buf_put_char(out, '/');
    if (!host) sharc__object_escape(out, sharc_span_of(n->bucket), false);
    if (n->key[0] && !host) sharc_buf_put_char(out, '/');
    sharc__object_escape(out, sharc_span_of(n->key), true);
}
