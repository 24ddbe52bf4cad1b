/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc url: how a URL is read, keyed and judged. The answer to "why is this
 * page not in my capture?" before a capture is made.
 */
#include "scope.h"

#include "sharc/url.h"
#include "sharc/url_canon.h"

struct settings {
    const char *base, *suffixes;
    struct cli_list seeds, include, exclude;
    int reach;
    uint64_t depth;
};

/* What is shown of one URL, gathered first and printed in either form. */
struct view {
    struct sharc_url url;
    struct sharc_buf page, key, surt, verdict;
    bool in_scope;
};

static void view_done(struct view *v)
{
    sharc_url_done(&v->url);
    sharc_buf_done(&v->page);
    sharc_buf_done(&v->key);
    sharc_buf_done(&v->surt);
    sharc_buf_done(&v->verdict);
}

static void settings_done(struct settings *s)
{
    cli_list_done(&s->seeds);
    cli_list_done(&s->include);
    cli_list_done(&s->exclude);
}

/* NULL in *ret when neither seeds nor rules were given. */
static int make_scope(const struct settings *s, const struct sharc_suffixes *list, struct sharc_scope **ret,
                      struct sharc_err *reterr)
{
    if (!s->seeds.count && !s->include.count && !s->exclude.count) return 0;
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *scope = sharc_scope_new();
    SHARC_AUTO(sharc_url_done) struct sharc_url seed = SHARC_URL_INIT;
    sharc_scope_add_limits(scope);
    for (size_t i = 0; i < s->seeds.count; i++) {
        int r = sharc_url_parse_typed(&seed, sharc_span_of(s->seeds.items[i]), reterr);
        if (r == 0) r = sharc_scope_add_seed(scope, &seed, (enum sharc_scope_reach)s->reach, list, reterr);
        if (r < 0) return r;
    }
    int r = cli_scope_add(scope, &s->include, &s->exclude, reterr);
    if (r < 0) return r;
    sharc_scope_seal(scope);
    *ret = SHARC_TAKE(scope);
    return 0;
}

static int look(const char *text, const struct settings *s, const struct sharc_url *base,
                const struct sharc_scope *scope, struct view *v, struct sharc_err *reterr)
{
    *v = (struct view){.page = SHARC_BUF_INIT(SHARC_LIMIT_URL),
                       .key = SHARC_BUF_INIT(SHARC_LIMIT_URL),
                       .surt = SHARC_BUF_INIT(SHARC_LIMIT_URL),
                       .verdict = SHARC_BUF_INIT(64u << 10)};
    int r = base ? sharc_url_parse(&v->url, sharc_span_of(text), base, reterr)
                 : sharc_url_parse_typed(&v->url, sharc_span_of(text), reterr);
    if (r == 0) r = sharc_buf_put(&v->page, sharc_url_page(&v->url));
    if (r == 0) r = sharc_url_key(sharc_url_href(&v->url), &v->key, reterr);
    if (r == 0) r = sharc_url_surt(sharc_url_href(&v->url), &v->surt, reterr);
    if (r < 0 || !scope) return r;
    v->in_scope = sharc_scope_check(scope, &v->url, (unsigned)s->depth, NULL);
    return sharc_scope_explain(scope, &v->url, (unsigned)s->depth, &v->verdict);
}

static void print_part(FILE *out, const char *title, struct sharc_span part)
{
    if (part.p) fprintf(out, "  %-12s %.*s\n", title, SHARC_SPAN_ARG(part));
}

static void print_text(struct cli *c, const char *typed, const struct view *v, const struct sharc_suffixes *list)
{
    fprintf(c->out, "%s\n", typed);
    print_part(c->out, "page", sharc_buf_span(&v->page));
    print_part(c->out, "scheme", sharc_url_scheme(&v->url));
    print_part(c->out, "user", sharc_url_user(&v->url));
    print_part(c->out, "host", sharc_url_host(&v->url));
    print_part(c->out, "port", sharc_url_port_text(&v->url));
    print_part(c->out, "path", sharc_url_path(&v->url));
    print_part(c->out, "query", sharc_url_query(&v->url));
    print_part(c->out, "fragment", sharc_url_fragment(&v->url));
    print_part(c->out, "registered", sharc_url_registered_domain(&v->url, list));
    print_part(c->out, "index key", sharc_buf_span(&v->key));
    print_part(c->out, "surt", sharc_buf_span(&v->surt));
    if (v->verdict.n) print_part(c->out, "scope", sharc_buf_span(&v->verdict));
}

static void json_part(struct sharc_json *j, const char *name, struct sharc_span part)
{
    if (part.p)
        sharc_json_span(j, name, part);
    else
        sharc_json_null(j, name);
}

static void print_json(struct sharc_json *j, const char *typed, const struct view *v, const struct sharc_suffixes *list)
{
    sharc_json_object(j, NULL);
    sharc_json_str(j, "input", typed);
    json_part(j, "page", sharc_buf_span(&v->page));
    json_part(j, "scheme", sharc_url_scheme(&v->url));
    json_part(j, "host", sharc_url_host(&v->url));
    sharc_json_uint(j, "port", sharc_url_port(&v->url));
    json_part(j, "path", sharc_url_path(&v->url));
    json_part(j, "query", sharc_url_query(&v->url));
    json_part(j, "fragment", sharc_url_fragment(&v->url));
    json_part(j, "registered_domain", sharc_url_registered_domain(&v->url, list));
    json_part(j, "key", sharc_buf_span(&v->key));
    json_part(j, "surt", sharc_buf_span(&v->surt));
    if (v->verdict.n) {
        sharc_json_bool(j, "in_scope", v->in_scope);
        json_part(j, "why", sharc_buf_span(&v->verdict));
    }
    sharc_json_end(j);
}

static int show_all(struct cli *c, const struct settings *s, int argc, char **argv)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_suffixes_freep) struct sharc_suffixes *list = NULL;
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *scope = NULL;
    SHARC_AUTO(sharc_url_done) struct sharc_url base = SHARC_URL_INIT;
    if (s->suffixes && sharc_suffixes_open(s->suffixes, &list, &err) < 0) return cli_fail(c, &err);
    if (s->base && sharc_url_parse(&base, sharc_span_of(s->base), NULL, &err) < 0) return cli_fail(c, &err);
    if (make_scope(s, list, &scope, &err) < 0) return cli_fail(c, &err);

    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(SIZE_MAX / 2);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_array(&j, NULL);
    int code = EXIT_OK;
    for (int i = 1; i < argc; i++) {
        SHARC_AUTO(view_done) struct view v;
        if (look(argv[i], s, s->base ? &base : NULL, scope, &v, &err) < 0) {
            code = cli_fail(c, &err); /* the others are still shown */
            continue;
        }
        if (c->json)
            print_json(&j, argv[i], &v, list);
        else
            print_text(c, argv[i], &v, list);
    }
    sharc_json_end(&j);
    if (c->json) fprintf(c->out, "%s\n", sharc_buf_str(&out));
    return code;
}

int cmd_url(struct cli *c, int argc, char **argv)
{
    static const char *const reaches[] = {"page", "prefix", "host", "domain", "any", NULL};
    SHARC_AUTO(settings_done) struct settings s = {.reach = SHARC_REACH_PREFIX};
    const struct cli_option options[] = {
        OPT_STRING('b', "base", &s.base, "URL", "resolve relative URLs against this one"),
        OPT_HEADING("Scope"),
        OPT_STRINGS('s', "seed", &s.seeds, "URL", "check the scope of a capture with this seed (repeatable)"),
        OPT_CHOICE('r', "reach", &s.reach, reaches, "set how far the scope of a seed extends (default: prefix)"),
        OPT_STRINGS('i', "include", &s.include, "RULE", "add a scope rule that includes URLs (repeatable)"),
        OPT_STRINGS('x', "exclude", &s.exclude, "RULE",
                    "add a scope rule that excludes URLs, applied after the includes (repeatable)"),
        OPT_UINT('d', "depth", &s.depth, "N", "assume that the URL is N links away from the seed (default: 0)"),
        OPT_STRING(0, "suffixes", &s.suffixes, "FILE", "use this public suffix list instead of the built-in one"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (argc < 2) return cli_usage(c, "name at least one URL");
    return show_all(c, &s, argc, argv);
}
