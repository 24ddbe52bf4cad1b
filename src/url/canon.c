/* SPDX-License-Identifier: Apache-2.0
 *
 * The canonical forms as recipes of steps, and the functions that follow them.
 * Order matters within a recipe: escapes are decoded before dots are resolved,
 * dots before slashes are joined, and lower case comes before what is found by
 * name.
 */
#include "url_int.h"

#define SEMANTIC_STEPS                                                                                                \
    sharc__url_step_default_http, sharc__url_step_port, sharc__url_step_no_user, sharc__url_step_host,                \
        sharc__url_step_find_host, sharc__url_step_slashes, sharc__url_step_decode_path, sharc__url_step_backslashes, \
        sharc__url_step_root, sharc__url_step_dots, sharc__url_step_join_slashes, sharc__url_step_escape_path,        \
        sharc__url_step_guard, sharc__url_step_recode_query, sharc__url_step_sort_query,                              \
        sharc__url_step_recode_fragment

#define GOOGLE_STEPS(port)                                                                                           \
    sharc__url_step_default_http, port, sharc__url_step_slashes, sharc__url_step_tidy_user,                          \
        sharc__url_step_no_fragment, sharc__url_step_host, sharc__url_step_decode_path, sharc__url_step_backslashes, \
        sharc__url_step_root, sharc__url_step_dots, sharc__url_step_join_slashes, sharc__url_step_escape_google,     \
        sharc__url_step_google_query

/* For what the standard's parser refuses. */
#define LENIENT_STEPS                                                                                   \
    sharc__url_step_lenient_authority, sharc__url_step_slashes, sharc__url_step_backslashes,            \
        sharc__url_step_encode_path, sharc__url_step_root, sharc__url_step_dots, sharc__url_step_guard, \
        sharc__url_step_encode_user, sharc__url_step_encode_query, sharc__url_step_encode_fragment

static sharc__url_step *const whatwg[] = {LENIENT_STEPS, NULL};
static sharc__url_step *const page[] = {LENIENT_STEPS, sharc__url_step_no_fragment, NULL};
static sharc__url_step *const semantic_precise[] = {SEMANTIC_STEPS, NULL};
static sharc__url_step *const semantic[] = {SEMANTIC_STEPS, sharc__url_step_no_fragment, NULL};
static sharc__url_step *const aggressive[] = {SEMANTIC_STEPS,
                                              sharc__url_step_no_fragment,
                                              sharc__url_step_https_to_http,
                                              sharc__url_step_no_www_ever,
                                              sharc__url_step_lower_path,
                                              sharc__url_step_lower_query,
                                              sharc__url_step_no_sessions,
                                              sharc__url_step_no_idle_ampersands,
                                              sharc__url_step_no_empty_query,
                                              sharc__url_step_sort_query,
                                              NULL};
static sharc__url_step *const google[] = {GOOGLE_STEPS(sharc__url_step_port), NULL};
static sharc__url_step *const archive[] = {sharc__url_step_no_repeated_scheme,
                                           GOOGLE_STEPS(sharc__url_step_port_http_only),
                                           sharc__url_step_join_slashes_host,
                                           sharc__url_step_no_user,
                                           sharc__url_step_no_www,
                                           sharc__url_step_lower_path,
                                           sharc__url_step_no_path_sessions_ia,
                                           sharc__url_step_no_closing_slash,
                                           sharc__url_step_no_query_sessions_ia,
                                           sharc__url_step_lower_query,
                                           sharc__url_step_sort_pairs,
                                           sharc__url_step_no_empty_query,
                                           NULL};
static sharc__url_step *const as_is[] = {NULL};

static sharc__url_step *const *const recipes[SHARC_URL_FORM_COUNT] = {
    [SHARC_FORM_AS_IS] = as_is,       [SHARC_FORM_WHATWG] = whatwg,
    [SHARC_FORM_PAGE] = page,         [SHARC_FORM_SEMANTIC_PRECISE] = semantic_precise,
    [SHARC_FORM_SEMANTIC] = semantic, [SHARC_FORM_AGGRESSIVE] = aggressive,
    [SHARC_FORM_GOOGLE] = google,     [SHARC_FORM_ARCHIVE] = archive,
};

static const char *const names[SHARC_URL_FORM_COUNT] = {
#define X(name, text) text,
    SHARC_URL_FORMS(X)
#undef X
};

const char *sharc_url_form_name(enum sharc_url_form form)
{
    return form < SHARC_URL_FORM_COUNT ? names[form] : "unknown";
}

/* The arena bounds what the steps may use; the largest recipe needs far less. */
#define WORKSPACE (64u * SHARC_LIMIT_URL)

static void cook(struct loose *l, struct sharc_span url, enum sharc_url_form form)
{
    sharc__url_loose_split(l, url, /* keep= */ form == SHARC_FORM_AS_IS);
    for (sharc__url_step *const *step = recipes[form]; *step && !l->failed; step++) (*step)(l);
}

/* The standard's answer where it has one. */
static bool by_standard(struct sharc_span url, enum sharc_url_form form, struct sharc_url *u)
{
    if (form != SHARC_FORM_WHATWG && form != SHARC_FORM_PAGE) return false;
    if (sharc_url_parse(u, url, NULL, NULL) < 0) return false;
    if (form == SHARC_FORM_PAGE) sharc_url_strip_fragment(u);
    return true;
}

int sharc_url_write(struct sharc_span url, enum sharc_url_form form, enum sharc_url_layout layout,
                    struct sharc_buf *out, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(url.n > SHARC_LIMIT_URL, reterr, SHARC_ELIMIT,
                  "\"%.60s…\" has %zu bytes, a URL may have %u (SHARC_LIMIT_URL)", url.p, url.n, SHARC_LIMIT_URL);
    SHARC_ASSERT(form < SHARC_URL_FORM_COUNT);
    struct sharc_url parsed = SHARC_URL_INIT;
    struct loose l = {.arena = SHARC_ARENA_INIT(WORKSPACE)};
    size_t before = out->n;
    bool failed_before = out->failed;
    if (by_standard(url, form, &parsed)) {
        url = sharc_url_href(&parsed);
        form = SHARC_FORM_AS_IS;
    }
    if (layout == SHARC_AS_URL && form == SHARC_FORM_AS_IS) {
        sharc_buf_put(out, url);
    } else {
        cook(&l, url, form);
        sharc__url_loose_write(&l, layout, out);
    }
    bool fits = !l.failed && !out->failed && out->n - before <= SHARC_LIMIT_URL;
    sharc_url_done(&parsed);
    sharc_arena_done(&l.arena);
    if (fits) return 0;
    if (!failed_before) {
        out->failed = false;
        sharc_buf_truncate(out, before);
    }
    return sharc_fail(reterr, SHARC_ELIMIT, "the form \"%s\" of a URL of %zu bytes is longer than %u (SHARC_LIMIT_URL)",
                      names[form], url.n, SHARC_LIMIT_URL);
}

int sharc_url_key(struct sharc_span url, struct sharc_buf *out, struct sharc_err *reterr)
{
    if (!url.n) return sharc_buf_put_char(out, '-');
    if (sharc_span_starts(url, SHARC_SPAN("filedesc"))) return sharc_buf_put(out, url);
    return sharc_url_write(url, SHARC_FORM_ARCHIVE, SHARC_AS_KEY, out, reterr);
}

int sharc_url_surt(struct sharc_span url, struct sharc_buf *out, struct sharc_err *reterr)
{
    return sharc_url_write(url, SHARC_FORM_PAGE, SHARC_AS_SURT, out, reterr);
}

/* "2001:db8::1" and "2001:db8::1:8080" in brackets; where a port could as well be a part of the
 * address it is taken for one. False: neither. */
static bool put_ipv6(struct sharc_span host, struct sharc_buf *out)
{
    uint16_t address[8];
    size_t end = host.n;
    if (!sharc__url_ipv6(host, address)) {
        while (end > 0 && sharc_is_digit(host.p[end - 1])) end--;
        if (end < 2 || host.p[--end] != ':' || !sharc__url_ipv6(sharc_span_sub(host, 0, end), address)) return false;
    }
    sharc_buf_put_char(out, '[');
    sharc_buf_put(out, sharc_span_sub(host, 0, end));
    sharc_buf_put_char(out, ']');
    sharc_buf_put(out, sharc_span_from(host, end));
    return true;
}

int sharc_url_unkey(struct sharc_span key, struct sharc_buf *out)
{
    size_t close = sharc_span_search(key, SHARC_SPAN(")/"));
    if (close == SHARC_NPOS) return sharc_buf_put(out, key);
    struct sharc_span host = sharc_span_sub(key, 0, close), port = SHARC_SPAN_NONE;
    size_t colon = sharc_span_find(host, ':', 0);
    if (colon != SHARC_NPOS && put_ipv6(host, out)) return sharc_buf_put(out, sharc_span_from(key, close + 1));
    if (colon != SHARC_NPOS && host.p[0] != '[') {
        port = sharc_span_from(host, colon);
        host.n = colon;
    }
    for (size_t end = host.n;;) {
        size_t from = end;
        while (from && host.p[from - 1] != ',') from--;
        sharc_buf_put(out, sharc_span_sub(host, from, end));
        if (!from) break;
        sharc_buf_put_char(out, '.');
        end = from - 1;
    }
    sharc_buf_put(out, port);
    return sharc_buf_put(out, sharc_span_from(key, close + 1));
}
