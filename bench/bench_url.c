/* SPDX-License-Identifier: Apache-2.0
 *
 * What room url costs, on URLs of the shapes that crawls meet. One line per
 * figure, CPU time of one thread. `bench_url --dump FILE` writes the same pairs
 * of base and reference for a peer to be measured on (bench/url.sh).
 */
#include "sharc/base_clock.h"
#include "sharc/base_rng.h"
#include "sharc/url.h"
#include "sharc/url_canon.h"
#include "sharc/url_scope.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT 200000u

struct sample {
    char *absolute, *base, *reference;
};
static struct sample samples[COUNT];

static const char *const words[] = {
    "archive", "news",   "2026",   "11",     "library", "index.html", "a-longer-title-of-an-article",
    "img",     "images", "en",     "search", "tag",     "page",       "item",
    "static",  "js",     "v1.2.3", "x",      "about",   "catalogue"};

static const char *word(struct sharc_rng *r)
{
    return words[sharc_rng_below(r, SHARC_LENGTH(words))];
}

static void put_path(struct sharc_buf *b, struct sharc_rng *r)
{
    for (uint64_t depth = 1 + sharc_rng_below(r, 4); depth; depth--) sharc_buf_printf(b, "/%s", word(r));
    if (sharc_rng_below(r, 3) == 0)
        sharc_buf_printf(b, "?%s=%u&%s=%s", word(r), (unsigned)sharc_rng_below(r, 9999), word(r), word(r));
}

/* Half the references are absolute, a quarter begin with a slash, the rest are
 * relative to their directory. */
static void put_reference(struct sharc_buf *b, struct sharc_rng *r, unsigned host)
{
    switch (sharc_rng_below(r, 4)) {
    case 0: put_path(b, r); break;
    case 1:
        sharc_buf_printf(b, "%s%s?%u#%s", sharc_rng_below(r, 2) ? "../" : "", word(r), (unsigned)sharc_rng_below(r, 99),
                         word(r));
        break;
    default:
        sharc_buf_printf(b, "https://www.site%u.example.org", host);
        put_path(b, r);
        break;
    }
}

static void make_samples(void)
{
    struct sharc_rng r;
    sharc_rng_init(&r, 1);
    for (size_t i = 0; i < COUNT; i++) {
        struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_URL);
        unsigned host = (unsigned)sharc_rng_below(&r, 5000);
        sharc_buf_printf(&b, "https://www.site%u.example.org", host);
        put_path(&b, &r);
        samples[i].absolute = sharc_buf_take(&b);
        sharc_buf_printf(&b, "https://www.site%u.example.org", host);
        put_path(&b, &r);
        samples[i].base = sharc_buf_take(&b);
        put_reference(&b, &r, host);
        samples[i].reference = sharc_buf_take(&b);
    }
}

static double began;
static uint64_t sink;

static void start(void)
{
    began = sharc_clock_cpu();
}

static void each(const char *what, double operations)
{
    double seconds = sharc_clock_cpu() - began;
    printf("%-44s %8.0f ns each, %5.2f million/s\n", what, seconds / operations * 1e9, operations / seconds / 1e6);
}

#define ROUNDS 5

static void bench_parse(void)
{
    struct sharc_url u = SHARC_URL_INIT;
    start();
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < COUNT; i++) {
            if (sharc_url_parse(&u, sharc_span_of(samples[i].absolute), NULL, NULL) < 0) abort();
            sink += u.n;
        }
    each("parse: absolute, ASCII", (double)ROUNDS * COUNT);
    start();
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < COUNT; i++) {
            struct sharc_url fresh = SHARC_URL_INIT;
            if (sharc_url_parse(&fresh, sharc_span_of(samples[i].absolute), NULL, NULL) < 0) abort();
            sink += fresh.n;
            sharc_url_done(&fresh);
        }
    each("parse: the same, memory not reused", (double)ROUNDS * COUNT);
    start();
    for (size_t i = 0; i < COUNT; i++) {
        if (sharc_url_parse(&u,
                            SHARC_SPAN("https://www.m\xc3\xbcnchen.example/stra\xc3\x9f"
                                       "e"),
                            NULL, NULL) < 0)
            abort();
        sink += u.n;
    }
    each("parse: absolute, host beyond ASCII", COUNT);
    sharc_url_done(&u);
}

/* As a page does it: base parsed once, its links resolved. Here every reference
 * has another base, so both are counted. */
static void bench_resolve(void)
{
    struct sharc_url u = SHARC_URL_INIT, base = SHARC_URL_INIT;
    start();
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < COUNT; i++) {
            if (sharc_url_parse(&base, sharc_span_of(samples[i].base), NULL, NULL) < 0) abort();
            if (sharc_url_parse(&u, sharc_span_of(samples[i].reference), &base, NULL) < 0) abort();
            sink += u.n;
        }
    each("resolve: base parsed too", (double)ROUNDS * COUNT);
    sharc_url_done(&u);
    sharc_url_done(&base);
}

static void bench_forms(void)
{
    struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    start();
    for (size_t i = 0; i < COUNT; i++) {
        sharc_buf_clear(&b);
        if (sharc_url_key(sharc_span_of(samples[i].absolute), &b, NULL) < 0) abort();
        sink += b.n;
    }
    each("key: org,example)/…", COUNT);
    for (unsigned form = SHARC_FORM_PAGE; form < SHARC_URL_FORM_COUNT; form++) {
        char what[64];
        start();
        for (size_t i = 0; i < COUNT; i++) {
            sharc_buf_clear(&b);
            if (sharc_url_write(sharc_span_of(samples[i].absolute), (enum sharc_url_form)form, SHARC_AS_URL, &b, NULL) <
                0)
                abort();
            sink += b.n;
        }
        snprintf(what, sizeof what, "form: %s", sharc_url_form_name((enum sharc_url_form)form));
        each(what, COUNT);
    }
    sharc_buf_done(&b);
}

static void bench_scope_of(struct sharc_scope *s, const char *what)
{
    struct sharc_url *urls = SHARC_NEW_ARRAY(struct sharc_url, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        if (sharc_url_parse(&urls[i], sharc_span_of(samples[i].absolute), NULL, NULL) < 0) abort();
    }
    sharc_scope_seal(s);
    start();
    for (size_t i = 0; i < COUNT; i++) sink += sharc_scope_check(s, &urls[i], 1, NULL);
    each(what, COUNT);
    for (size_t i = 0; i < COUNT; i++) sharc_url_done(&urls[i]);
    free(urls);
    sharc_scope_free(s);
}

static void add(struct sharc_scope *s, enum sharc_scope_sign sign, const char *rule)
{
    if (sharc_scope_add(s, sign, sharc_span_of(rule), "bench", NULL) < 0) abort();
}

static void bench_scope(void)
{
    struct sharc_scope *few = sharc_scope_new();
    sharc_scope_add_limits(few);
    add(few, SHARC_INCLUDE, "domain:example.org");
    add(few, SHARC_EXCLUDE, "glob:*.zip");
    add(few, SHARC_EXCLUDE, "regex:/calendar/\\d{4}/\\d{2}");
    bench_scope_of(few, "scope: three rules, one an expression");

    struct sharc_scope *many = sharc_scope_new();
    sharc_scope_add_limits(many);
    for (unsigned i = 0; i < 90000; i++) {
        char rule[80];
        snprintf(rule, sizeof rule, "prefix:https://www.site%u.example.org/", i);
        add(many, SHARC_INCLUDE, rule);
    }
    bench_scope_of(many, "scope: 90,000 seeds");
}

static int dump(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) return 1;
    for (size_t i = 0; i < COUNT; i++)
        fprintf(f, "%s\t%s\t%s\n", samples[i].absolute, samples[i].base, samples[i].reference);
    return fclose(f) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    make_samples();
    if (argc == 3 && strcmp(argv[1], "--dump") == 0) return dump(argv[2]);
    bench_parse();
    bench_resolve();
    if (argc == 1) {
        bench_forms();
        bench_scope();
    }
    return sink ? 0 : 1;
}
