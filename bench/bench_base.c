/* SPDX-License-Identifier: Apache-2.0
 *
 * What room base costs: one line per figure, CPU time of one thread. Sizes are
 * a million pages, which one machine must be able to hold.
 */
#include "sharc/base_clock.h"
#include "sharc/base_codec.h"
#include "sharc/base_digest.h"
#include "sharc/base_json.h"
#include "sharc/base_map.h"
#include "sharc/base_node.h"
#include "sharc/base_order.h"
#include "sharc/base_rng.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#define MILLION 1000000u

static double began;

static void start(void)
{
    began = sharc_clock_cpu();
}

static void each(const char *what, double operations)
{
    printf("%-44s %8.0f ns each\n", what, (sharc_clock_cpu() - began) / operations * 1e9);
}

static void speed(const char *what, double bytes)
{
    printf("%-44s %8.0f MB/s\n", what, bytes / 1e6 / (sharc_clock_cpu() - began));
}

/* Bytes the allocator has given out. */
static double held(void)
{
    struct mallinfo2 m = mallinfo2();
    return (double)m.uordblks + (double)m.hblkhd;
}

static volatile double sink;

static void bench_ranked(void)
{
    struct sharc_rng r;
    sharc_rng_init(&r, 1);
    double *keys = SHARC_NEW_ARRAY(double, MILLION);
    for (uint32_t i = 0; i < MILLION; i++) keys[i] = sharc_rng_uniform(&r);
    double before = held();
    struct sharc_ranked *list = sharc_ranked_new();
    start();
    for (uint32_t i = 0; i < MILLION; i++) sharc_ranked_insert(list, keys[i], i);
    each("ranked: insert, random order, to 1,000,000", MILLION);
    printf("%-44s %8.1f bytes\n", "ranked: memory per element", (held() - before) / MILLION);
    start();
    for (uint32_t i = 0; i < MILLION; i++) sink = sharc_ranked_at(list, (size_t)sharc_rng_below(&r, MILLION)).key;
    each("ranked: k-th", MILLION);
    start();
    for (uint32_t i = 0; i < MILLION; i++) sink = (double)sharc_ranked_below(list, keys[i]);
    each("ranked: count below", MILLION);
    start();
    for (uint32_t i = 0; i < MILLION; i++) sharc_ranked_delete(list, keys[i], i);
    each("ranked: delete", MILLION);
    for (uint32_t i = 0; i < MILLION; i++) sharc_ranked_insert(list, i, i);
    start();
    while (sharc_ranked_count(list)) sharc_ranked_take(list, sharc_ranked_count(list) / 2);
    each("ranked: take the middle", MILLION);
    sharc_ranked_free(list);
    free(keys);
}

static void bench_heap(void)
{
    struct sharc_rng r;
    sharc_rng_init(&r, 2);
    struct sharc_heap h;
    struct sharc_heap_item item;
    sharc_heap_init(&h);
    start();
    for (uint32_t i = 0; i < MILLION; i++) sharc_heap_push(&h, sharc_rng_uniform(&r), i, i);
    each("heap: push to 1,000,000", MILLION);
    start();
    while (sharc_heap_pop(&h, &item)) sink = item.key;
    each("heap: pop", MILLION);
    sharc_heap_done(&h);
}

static void bench_intern(void)
{
    char(*urls)[64] = sharc_calloc(MILLION, sizeof *urls);
    size_t bytes = 0;
    for (uint32_t i = 0; i < MILLION; i++)
        bytes += (size_t)snprintf(urls[i], sizeof urls[i], "https://www.example.org/section/%u/page-%u.html", i % 997,
                                  i * 2654435761u);
    struct sharc_intern *t = sharc_intern_new();
    start();
    for (uint32_t i = 0; i < MILLION; i++) sharc_intern_add(t, sharc_span_of(urls[i]), NULL);
    each("intern: add a URL, to 1,000,000", MILLION);
    printf("%-44s %8.1f bytes\n", "intern: memory per URL beside its text",
           (double)(sharc_intern_bytes(t) - bytes) / sharc_intern_count(t));
    start();
    for (uint32_t i = 0; i < MILLION; i++) sink = sharc_intern_find(t, sharc_span_of(urls[(i * 7919u) % MILLION]));
    each("intern: find, random order", MILLION);
    sharc_intern_free(t);
    free(urls);
    struct sharc_map64 m;
    sharc_map64_init(&m);
    start();
    for (uint32_t i = 0; i < MILLION; i++) ++*sharc_map64_at(&m, i * 0x9E3779B97F4A7C15u);
    each("map64: add, to 1,000,000", MILLION);
    sharc_map64_done(&m);
}

static void bench_rng(void)
{
    struct sharc_rng r;
    sharc_rng_init(&r, 3);
    start();
    for (uint32_t i = 0; i < MILLION; i++) sink = sharc_rng_uniform(&r);
    each("rng: uniform", MILLION);
    start();
    for (uint32_t i = 0; i < MILLION; i++) sink = sharc_rng_exponential(&r, 2);
    each("rng: exponential", MILLION);
    start();
    for (uint32_t i = 0; i < MILLION; i++) sink = (double)sharc_rng_poisson(&r, 3);
    each("rng: Poisson, mean 3", MILLION);
    start();
    for (uint32_t i = 0; i < MILLION; i++) sink = (double)sharc_rng_poisson(&r, 1000);
    each("rng: Poisson, mean 1000", MILLION);
    start();
    for (uint32_t i = 0; i < MILLION; i++) sink = (double)sharc_rng_zipf(&r, MILLION, 1.2);
    each("rng: Zipf over 1,000,000, skew 1.2", MILLION);
}

static void bench_json(void)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(64u << 20);
    struct sharc_rng r;
    sharc_rng_init(&r, 4);
    struct sharc_json j;
    sharc_json_init(&j, &b, false);
    start();
    sharc_json_array(&j, NULL);
    for (int i = 0; i < 100000; i++) {
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "url", "https://www.example.org/section/page.html?query=some%20words");
        sharc_json_str(&j, "mime", "text/html");
        sharc_json_int(&j, "status", 200);
        sharc_json_real(&j, "rate", sharc_rng_uniform(&r));
        sharc_json_str(&j, "digest", "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");
        sharc_json_uint(&j, "offset", sharc_rng_below(&r, 1u << 30));
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    speed("json: write lines like an index", (double)b.n);
    struct sharc_arena a = SHARC_ARENA_INIT((size_t)1 << 30);
    for (int round = 0; round < 2; round++) { /* the first round grows the arena */
        const struct sharc_node *root;
        struct sharc_err err = SHARC_ERR_INIT;
        start();
        if (sharc_json_read(sharc_buf_span(&b), &a, &root, &err) < 0) fprintf(stderr, "%s\n", err.text);
        speed("json: read them", (double)b.n);
        sharc_arena_done(&a);
    }
}

/* Words that compress about as well as pages do. */
static void make_pages(struct sharc_buf *b, size_t n)
{
    static const char *const words[] = {"<p>", "capture ", "coherent ", "of ", "the ", "site ", "</p>\n", "<a href=\""};
    struct sharc_rng r;
    sharc_rng_init(&r, 5);
    while (b->n < n) {
        sharc_buf_put_str(b, words[sharc_rng_below(&r, SHARC_LENGTH(words))]);
        if (sharc_rng_below(&r, 4) == 0) sharc_buf_put_u64(b, sharc_rng_below(&r, 100000));
    }
}

static void bench_codec(void)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(64u << 20), packed = SHARC_BUF_INIT(64u << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 20);
    make_pages(&text, 16u << 20);
    for (int level = 1; level <= 6; level += 5) {
        struct sharc_deflate *d = sharc_deflate_new(level);
        sharc_buf_clear(&packed);
        start();
        for (size_t at = 0; at < text.n; at += 32768)
            sharc_deflate_member(d, sharc_span_sub(sharc_buf_span(&text), at, at + 32768), &packed);
        speed(level == 1 ? "gzip: write members of 32 KB, level 1" : "gzip: write members of 32 KB, level 6",
              (double)text.n);
        sharc_deflate_free(d);
    }
    struct sharc_inflate *f = sharc_inflate_new();
    start();
    for (size_t at = 0; at < packed.n;) {
        int64_t n = sharc_inflate_member(f, sharc_span_from(sharc_buf_span(&packed), at), &out);
        if (n <= 0) break;
        at += (size_t)n;
    }
    speed("gzip: read whole members", (double)text.n);
    sharc_inflate_free(f);
    sharc_buf_clear(&out);
    start();
    sharc_decode(SHARC_GZIP, sharc_buf_span(&packed), &out, NULL);
    speed("gzip: read as a stream", (double)text.n);
    struct sharc_digest digest;
    start();
    for (int i = 0; i < 10; i++) sharc_digest_of(SHARC_SHA256, sharc_buf_span(&text), &digest);
    speed("sha256", (double)text.n * 10);
    start();
    for (uint32_t i = 0; i < MILLION; i++)
        sharc_digest_of(SHARC_SHA1, SHARC_SPAN("0123456789012345678901234567890123456789"), &digest);
    each("sha1 of 40 bytes", MILLION);
}

int main(void)
{
    bench_ranked();
    bench_heap();
    bench_intern();
    bench_rng();
    bench_json();
    bench_codec();
    return 0;
}
