/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/base_exhausted.h"
#include "sharc/base_version.h"
#include "sharc/http_post.h"

#include <curl/curl.h>

enum { MOST_CONNECT = 20000 }; /* ms */

struct posting {
    CURL *easy;
    struct curl_slist *fields;
    struct sharc_buf *out;
    bool full;
    char error[CURL_ERROR_SIZE];
};

static void posting_done(struct posting *p)
{
    curl_slist_free_all(p->fields);
    curl_easy_cleanup(p->easy);
}

static size_t on_body(char *bytes, size_t size, size_t count, void *arg)
{
    struct posting *p = arg;
    p->full = sharc_buf_put(p->out, sharc_span(bytes, size * count)) < 0;
    return p->full ? 0 : size * count;
}

static void add_field(struct posting *p, const char *name, const char *value)
{
    SHARC_AUTO(sharc_freep) char *line = sharc_asprintf("%s: %s", name, value);
    struct curl_slist *longer = curl_slist_append(p->fields, line);
    if (!longer) sharc__no_memory();
    p->fields = longer;
}

static void set_up(struct posting *p, const struct sharc_post *what)
{
    CURL *e = p->easy;
    add_field(p, "Content-Type", what->type);
    add_field(p, "Accept", what->accept);
    add_field(p, "Expect", "");
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, p->error);
    curl_easy_setopt(e, CURLOPT_URL, what->url);
    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(e, CURLOPT_HTTPHEADER, p->fields);
    curl_easy_setopt(e, CURLOPT_USERAGENT, what->user_agent ? what->user_agent : "sharc " SHARC_VERSION);
    curl_easy_setopt(e, CURLOPT_POST, 1L);
    curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)what->body.n);
    curl_easy_setopt(e, CURLOPT_POSTFIELDS, what->body.p);
    curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(e, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(e, CURLOPT_PROXY, what->proxy ? what->proxy : ""); /* "": nor the environment's */
    if (what->ca_file) curl_easy_setopt(e, CURLOPT_CAINFO, what->ca_file);
    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)MOST_CONNECT);
    curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, (long)((what->max_time ? what->max_time : SHARC_MINUTE) / SHARC_MSEC));
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, p);
}

/* Is the value of Content-Type this media type, whatever its parameters? */
static bool is_type(const char *value, const char *type)
{
    struct sharc_span rest = sharc_span_of(value ? value : ""), first;
    return sharc_span_next(&rest, ';', &first) && sharc_span_ieq(sharc_span_trim(first), sharc_span_of(type));
}

static int check_answer(struct posting *p, const struct sharc_post *what, struct sharc_err *reterr)
{
    long status = 0;
    const char *type = NULL, *to = NULL;
    curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(p->easy, CURLINFO_CONTENT_TYPE, &type);
    curl_easy_getinfo(p->easy, CURLINFO_REDIRECT_URL, &to);
    SHARC_FAIL_IF(status / 100 == 3 && to, reterr, SHARC_ENET,
                  "%s: answered with status %ld, a redirect, which is not followed: name %s instead", what->url, status,
                  to);
    SHARC_FAIL_IF(status != 200, reterr, SHARC_ENET, "%s: answered with status %ld, 200 is needed", what->url, status);
    SHARC_FAIL_IF(!is_type(type, what->accept), reterr, SHARC_ENET, "%s: answered with %s where %s is needed",
                  what->url, type ? type : "no media type", what->accept);
    return 0;
}

static bool is_http(const char *url)
{
    return sharc_span_istarts(sharc_span_of(url), SHARC_SPAN("http://")) ||
           sharc_span_istarts(sharc_span_of(url), SHARC_SPAN("https://"));
}

int sharc_http_post(const struct sharc_post *what, struct sharc_buf *ret, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!is_http(what->url), reterr, SHARC_EINVAL, "%s: not a URL that begins with http:// or https://",
                  what->url);
    SHARC_FAIL_IF(curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK, reterr, SHARC_EUNSUPPORTED,
                  "libcurl cannot be started");
    int r = 0;
    {
        SHARC_AUTO(posting_done) struct posting p = {.easy = curl_easy_init(), .out = ret};
        if (!p.easy) sharc__no_memory();
        sharc_buf_clear(ret);
        set_up(&p, what);
        CURLcode code = curl_easy_perform(p.easy);
        if (p.full)
            r = sharc_fail(reterr, SHARC_ELIMIT, "%s: the answer has more than %zu bytes", what->url, ret->max);
        else if (code != CURLE_OK)
            r = sharc_fail(reterr, code == CURLE_URL_MALFORMAT ? SHARC_EINVAL : SHARC_ENET, "%s: %s", what->url,
                           p.error[0] ? p.error : curl_easy_strerror(code));
        else
            r = check_answer(&p, what, reterr);
    }
    curl_global_cleanup();
    return r;
}
