/* SPDX-License-Identifier: Apache-2.0
 *
 * What a comparison costs: `bench_evidence [KILOBYTES]`. Megabytes a second of one answer (both
 * are read), CPU time of one thread: pages that are the same but for the order of attributes, pages with a token and
 * an edit, pages that have nothing in common, and a large one built to be slow.
 */
#include "sharc/base_clock.h"
#include "sharc/base_rng.h"
#include "sharc/evidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void put_page(struct sharc_buf *b, size_t bytes, uint64_t seed, uint64_t token, int edit)
{
    static const char *const words[] = {"archive", "the",   "of",   "captured", "library", "page", "in",  "coherent",
                                        "site",    "visit", "time", "is",       "to",      "web",  "was", "strategies"};
    struct sharc_rng r;
    sharc_rng_init(&r, seed);
    sharc_buf_put_str(b, "<!DOCTYPE html><html><head><title>A page</title></head><body>");
    sharc_buf_printf(b, "<form><input type=hidden name=csrf value=\"%016llx\"></form>", (unsigned long long)token);
    for (unsigned i = 0; b->n < bytes; i++) {
        if (edit == 1)
            sharc_buf_printf(b, "<div id=e%u class=\"entry  x\"><p>", i);
        else
            sharc_buf_printf(b, "<div class=\"entry  x\" id=\"e%u\"><p>", i);
        for (int k = 0; k < 40; k++) sharc_buf_printf(b, "%s ", words[sharc_rng_below(&r, SHARC_LENGTH(words))]);
        sharc_buf_printf(b, "</p><a href=\"/a/%u?r=%u\">more</a> %d euro</div>\n", i, i % 7,
                         edit == 2 && i == 5 ? 9 : 8);
    }
    sharc_buf_put_str(b, "</body></html>");
}

static struct sharc_answer answer_of(const struct sharc_buf *b)
{
    return (struct sharc_answer){.status = 200,
                                 .type = SHARC_SPAN("text/html; charset=utf-8"),
                                 .body = sharc_buf_span(b),
                                 .complete = true};
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void measure(const char *name, const struct sharc_buf *x, const struct sharc_buf *y, bool places)
{
    struct sharc_answer a = answer_of(x), b = answer_of(y);
    size_t rounds = 0, hunks = 0;
    double start = seconds(), spent;
    do {
        struct sharc_difference d = SHARC_DIFFERENCE_INIT;
        struct sharc_places p = SHARC_PLACES_INIT;
        if (places)
            sharc_evidence_places(&a, &p, NULL);
        else
            sharc_evidence_compare(&a, &b, &d, NULL);
        hunks = d.hunk_count;
        sharc_difference_done(&d);
        sharc_places_done(&p);
        rounds++;
        spent = seconds() - start;
    } while (spent < 1);
    double bytes = (double)rounds * (double)(places ? a.body.n : a.body.n + b.body.n) / 2e6 * (places ? 2 : 1);
    printf("%-44s %8.1f MB/s   %zu hunks, %.3f ms\n", name, bytes / spent, hunks, 1000 * spent / (double)rounds);
}

int main(int argc, char **argv)
{
    size_t bytes = (argc > 1 ? strtoul(argv[1], NULL, 10) : 30) << 10;
    struct sharc_buf page[6];
    for (int i = 0; i < 6; i++) sharc_buf_init(&page[i], (size_t)256 << 20);
    put_page(&page[0], bytes, 1, 1, 0);
    put_page(&page[1], bytes, 1, 1, 1);
    put_page(&page[2], bytes, 1, 2, 2);
    put_page(&page[3], bytes, 3, 3, 0);
    measure("attributes in another order", &page[0], &page[1], false);
    measure("a token and an edit", &page[0], &page[2], false);
    measure("other words in all paragraphs", &page[0], &page[3], false);
    measure("places of a page", &page[0], &page[0], true);
    /* every word stands on both sides, nothing is where it was */
    struct sharc_rng r;
    sharc_rng_init(&r, 7);
    for (int k = 4; k < 6; k++)
        while (page[k].n < 4u << 20) sharc_buf_printf(&page[k], "<i>%u</i>", (unsigned)sharc_rng_below(&r, 50));
    measure("built to be slow, 4 MiB", &page[4], &page[5], false);
    for (int i = 0; i < 6; i++) sharc_buf_done(&page[i]);
    return 0;
}
