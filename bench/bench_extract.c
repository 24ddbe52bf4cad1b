/* SPDX-License-Identifier: Apache-2.0
 *
 * What extraction costs: `bench_extract [FILE.html…]`, by default pages made up
 * of what pages are made of (30 KB, 60 links). One line per figure, CPU time of
 * one thread; gumbo, which builds a tree and extracts nothing, beside it in the
 * same run when the program was built with it.
 */
#include "sharc/base_clock.h"
#include "sharc/base_file.h"
#include "sharc/base_rng.h"
#include "sharc/extract.h"
#include "sharc/extract_html.h"

#include <stdio.h>
#include <stdlib.h>
#ifdef HAVE_GUMBO
#include <gumbo.h>
#endif

static struct sharc_buf *pages;
static size_t page_count, page_room, total;

static void add_page(struct sharc_buf b)
{
    SHARC_GROW(pages, page_room, page_count + 1);
    pages[page_count++] = b;
    total += b.n;
}

static void put_words(struct sharc_buf *b, struct sharc_rng *r, unsigned n)
{
    static const char *const words[] = {"archive", "the", "of",       "captured",   "library", "&amp;", "page",
                                        "in",      "a",   "coherent", "site",       "and",     "visit", "caf\xc3\xa9",
                                        "time",    "is",  "to",       "strategies", "web",     "was"};
    while (n--) sharc_buf_printf(b, "%s ", words[sharc_rng_below(r, SHARC_LENGTH(words))]);
}

static void make_page(struct sharc_rng *r)
{
    struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    sharc_buf_put_str(
        &b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>A page</title>\n"
            "<link rel=\"stylesheet\" href=\"/css/main.css\"><script src=\"/js/app.js\"></script></head>\n<body>\n"
            "<header class=\"site-header\"><nav><ul>\n");
    for (int i = 0; i < 20; i++)
        sharc_buf_printf(&b, "<li class=\"menu-item menu-item-%d\"><a href=\"/section/%d/\">Section %d</a></li>\n", i,
                         i, i);
    sharc_buf_put_str(&b, "</ul></nav></header><main>\n");
    for (int i = 0; i < 36; i++) {
        sharc_buf_printf(&b, "<div class=\"entry\" id=\"e%d\"><h2>", i);
        put_words(&b, r, 6);
        sharc_buf_put_str(&b, "</h2>\n<p class=\"text\">");
        put_words(&b, r, 90);
        sharc_buf_printf(&b, "<a href=\"../articles/%u/a-longer-title.html?ref=%d\" title=\"More\">more</a></p>",
                         (unsigned)sharc_rng_below(r, 100000), i);
        if (i % 9 == 0) sharc_buf_printf(&b, "<img src=\"/img/%d.jpg\" alt=\"\" width=\"200\" height=\"100\">", i);
        sharc_buf_put_str(&b, "</div>\n");
    }
    sharc_buf_put_str(&b, "</main><footer>Last modified: 3 May 2009</footer><script>window.x = {\"a\": 1, \"b\": "
                          "\"c\"};</script></body></html>\n");
    add_page(b);
}

static void run_tokens(void)
{
    static struct sharc_html h;
    struct sharc_html_token t;
    for (size_t i = 0; i < page_count; i++) {
        sharc_html_init(&h, sharc_buf_span(&pages[i]), SHARC_HTML);
        while (sharc_html_next(&h, &t)) {
        }
    }
}

static struct sharc_page page;
static struct sharc_url url;
static size_t links;

static void run_extract(unsigned want)
{
    links = 0;
    for (size_t i = 0; i < page_count; i++) {
        struct sharc_extract_input in = {.body = sharc_buf_span(&pages[i]),
                                         .url = &url,
                                         .content_type = SHARC_SPAN("text/html"),
                                         .want = want};
        sharc_extract(&page, &in, NULL);
        links += page.link_count;
    }
}
static void run_links(void)
{
    run_extract(SHARC_WANT_LINKS);
}
static void run_text(void)
{
    run_extract(SHARC_WANT_TEXT);
}
static void run_all(void)
{
    run_extract(SHARC_WANT_ALL);
}

#ifdef HAVE_GUMBO
static void run_gumbo(void)
{
    for (size_t i = 0; i < page_count; i++) {
        GumboOutput *g = gumbo_parse_with_options(&kGumboDefaultOptions, pages[i].p, pages[i].n);
        gumbo_destroy_output(&kGumboDefaultOptions, g);
    }
}
#endif

/* Best of three; MB/s. */
static double measure(const char *what, void (*run)(void), double peer)
{
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        double start = sharc_clock_cpu();
        run();
        double took = sharc_clock_cpu() - start;
        if (took < best) best = took;
    }
    double speed = (double)total / best / 1e6;
    printf("%-34s %8.1f MB/s  %9.0f pages/s", what, speed, (double)page_count / best);
    if (peer > 0) printf("  %6.1f x gumbo", speed / peer);
    putchar('\n');
    return speed;
}

int main(int argc, char **argv)
{
    struct sharc_rng r;
    sharc_rng_init(&r, 1);
    sharc_url_parse(&url, SHARC_SPAN("http://www.example.org/dir/page.html"), NULL, NULL);
    for (int i = 1; i < argc; i++) {
        struct sharc_buf b = SHARC_BUF_INIT(64u << 20);
        if (sharc_file_read(argv[i], &b, NULL) == 0 && b.n) add_page(b);
    }
    while (argc == 1 && page_count < 500) make_page(&r);
    double peer = 0;
#ifdef HAVE_GUMBO
    peer = measure("gumbo, tree only", run_gumbo, 0);
#endif
    measure("tokens", run_tokens, peer);
    measure("text", run_text, peer);
    measure("links, resolved", run_links, peer);
    measure("links, text, blocks, dates, guesses", run_all, peer);
    printf("%zu pages, %.1f MB, %zu links\n", page_count, (double)total / 1e6, links);
    for (size_t i = 0; i < page_count; i++) sharc_buf_done(&pages[i]);
    free(pages);
    sharc_page_done(&page);
    sharc_url_done(&url);
    return 0;
}
