/* SPDX-License-Identifier: Apache-2.0
 *
 * How fast the catalogue takes rows in and compares captures.
 *
 *   bench_store [URL [PAGES]]
 *
 * URL: a catalogue that may be filled (an SQLite file in /tmp by default, removed
 * afterwards); PAGES: of each of the two captures that are compared (100,000).
 * For PostgreSQL the CPU time of all processes called postgres is counted too.
 */
#include "sharc/base_clock.h"
#include "sharc/base_rng.h"
#include "sharc/store.h"
#include "sharc/store_query.h"
#include "sharc/store_write.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LINKS 60

static void die(const struct sharc_err *err)
{
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

/* CPU seconds of the database's own processes. */
static double server_cpu(const struct sharc_store *s)
{
    if (strcmp(sharc_store_kind(s), "postgresql") != 0) return 0;
    double ticks = 0;
    DIR *d = opendir("/proc");
    struct dirent *e;
    while (d && (e = readdir(d))) {
        char path[300], name[32] = "";
        unsigned long user = 0, system = 0;
        snprintf(path, sizeof path, "/proc/%s/stat", e->d_name);
        FILE *f = sharc_is_digit(e->d_name[0]) ? fopen(path, "r") : NULL;
        if (!f) continue;
        if (fscanf(f, "%*d (%31[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", name, &user, &system) == 3 &&
            strcmp(name, "postgres") == 0)
            ticks += (double)(user + system);
        fclose(f);
    }
    if (d) closedir(d);
    return ticks / (double)sysconf(_SC_CLK_TCK);
}

struct meter {
    const struct sharc_store *store;
    double cpu, server, wall;
};

static struct meter start(const struct sharc_store *s)
{
    return (struct meter){s, sharc_clock_cpu(), server_cpu(s), sharc_clock_mono()};
}

static void stop(const struct meter *m, const char *what, double n, const char *unit)
{
    double cpu = sharc_clock_cpu() - m->cpu, server = server_cpu(m->store) - m->server;
    double wall = sharc_clock_mono() - m->wall;
    printf("%-44s %9.0f %s/s of CPU  (%.2f s own, %.2f s server, %.2f s wall)\n", what, n / (cpu + server), unit, cpu,
           server, wall);
    fflush(stdout);
}

static sharc_store_id add_capture(struct sharc_store *s, sharc_store_id site, sharc_time start_at)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    sharc_store_id id;
    c.site = site;
    c.start = start_at;
    if (sharc_store_capture_add(s, &c, &id, NULL, &err) < 0) die(&err);
    return id;
}

static void commit(struct sharc_store_batch *b)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_store_batch_commit(b, &err) < 0) die(&err);
}

static void page_url(char *out, size_t room, unsigned i)
{
    snprintf(out, room, "https://www.example.org/archive/%u/section-%u/article-%u.html", i % 31, i % 977, i);
}

/* Every page of a capture; every tenth has changed since the capture before, some are new. */
static void fill(struct sharc_store *s, sharc_store_id capture, sharc_store_id warc, unsigned first, unsigned n,
                 unsigned version, const char *what)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_batch *b;
    sharc_store_batch_new(s, &b);
    struct meter m = start(s);
    for (unsigned i = first; i < first + n; i++) {
        char url[128], body[64];
        page_url(url, sizeof url, i);
        struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
        p.capture = capture;
        p.url = sharc_span_of(url);
        p.visit.when = (sharc_time)version * 7 * SHARC_DAY + i * SHARC_SEC;
        p.visit.status = 200;
        p.visit.size = 20000;
        p.visit.etag = SHARC_SPAN("\"5f3c-1a2b3c\"");
        p.visit.last_modified = 1;
        p.visit.place = (struct sharc_store_place){warc, (uint64_t)i * 6000, 6000};
        p.mime = SHARC_SPAN("text/html");
        int k = snprintf(body, sizeof body, "%u %u", i, i % 10 ? 0 : version);
        sharc_digest_of(SHARC_SHA1, sharc_span(body, (size_t)k), &p.visit.digest);
        if (sharc_store_batch_page(b, &p, &err) < 0) die(&err);
        if (sharc_store_batch_full(b)) commit(b);
    }
    commit(b);
    stop(&m, what, n, "pages");
    sharc_store_batch_free(b);
}

/* Pages as a site has them: 40 links of the same menu, 15 into the site, 5 to somewhere new. */
static void fill_links(struct sharc_store *s, sharc_store_id capture, unsigned n)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_batch *b;
    struct sharc_rng rng;
    struct sharc_store_link links[LINKS];
    char urls[LINKS][128];
    uint32_t minhash[128];
    sharc_rng_init(&rng, 1);
    sharc_store_batch_new(s, &b);
    struct meter m = start(s);
    for (unsigned i = 0; i < n; i++) {
        char url[128], title[64];
        for (unsigned j = 0; j < LINKS; j++) {
            unsigned to = j < 40 ? j : (unsigned)sharc_rng_below(&rng, n);
            if (j < 55)
                page_url(urls[j], sizeof urls[j], to);
            else
                snprintf(urls[j], sizeof urls[j], "https://host%u.example/%u/%u", to % 5000, i, j);
            links[j] = (struct sharc_store_link){sharc_span_of(urls[j]), j % 3 == 0};
        }
        for (unsigned j = 0; j < 128; j++) minhash[j] = (uint32_t)sharc_rng_u64(&rng);
        page_url(url, sizeof url, i);
        snprintf(title, sizeof title, "Article number %u", i);
        struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
        p.capture = capture;
        p.url = sharc_span_of(url);
        p.visit.when = i * SHARC_SEC;
        p.visit.status = 200;
        sharc_digest_of(SHARC_SHA1, sharc_span_of(title), &p.visit.digest);
        sharc_digest_of(SHARC_SHA256, sharc_span_of(title), &p.visit.text_digest);
        p.title = sharc_span_of(title);
        p.minhash = sharc_span(minhash, sizeof minhash);
        p.words = 500;
        p.links = links;
        p.n_links = LINKS;
        if (sharc_store_batch_page(b, &p, &err) < 0) die(&err);
        if (sharc_store_batch_full(b)) commit(b);
    }
    commit(b);
    stop(&m, "pages with text, signature and 60 links each", n, "pages");
    sharc_store_batch_free(b);
}

static void read_links(struct sharc_store *s, sharc_store_id capture)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_rows *rows;
    struct sharc_store_edge e;
    struct meter m = start(s);
    uint64_t n = 0;
    int r = sharc_store_links(s, &(struct sharc_store_link_filter){.capture = capture}, &rows, &err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, &err)) > 0) {
        sharc_store_read_edge(rows, &e);
        n++;
    }
    if (r < 0) die(&err);
    sharc_store_rows_free(rows);
    stop(&m, "links read", (double)n, "links");
}

static void compare(struct sharc_store *s, sharc_store_id a, sharc_store_id b)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_pair_filter f = {.a = a, .b = b};
    uint64_t counts[SHARC_DIFF_COUNT], pages = 0;
    struct meter m = start(s);
    if (sharc_store_compare_counts(s, &f, counts, &err) < 0) die(&err);
    for (int i = 0; i < SHARC_DIFF_COUNT; i++) pages += counts[i];
    stop(&m, "two captures compared: counts", (double)pages, "pages");

    struct sharc_store_rows *rows;
    struct sharc_store_pair pair;
    f.only = 1u << SHARC_DIFF_CHANGED | 1u << SHARC_DIFF_NEW | 1u << SHARC_DIFF_DELETED;
    m = start(s);
    int r = sharc_store_compare(s, &f, &rows, &err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, &err)) > 0) sharc_store_read_pair(rows, &pair);
    if (r < 0) die(&err);
    sharc_store_rows_free(rows);
    stop(&m, "two captures compared: rows that differ", (double)pages, "pages");
    for (int i = 0; i < SHARC_DIFF_COUNT; i++)
        printf("  %s %llu", sharc_store_difference_text((enum sharc_store_difference)i), (unsigned long long)counts[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    struct sharc_err err = SHARC_ERR_INIT;
    char path[] = "/tmp/sharc-bench-store.XXXXXX", made[64] = "";
    const char *url = argc > 1 ? argv[1] : made;
    unsigned n = 100000;
    uint64_t given;
    if (argc > 2 && sharc_span_to_u64(sharc_span_of(argv[2]), &given) == 0) n = (unsigned)given;
    if (argc <= 1) {
        if (!mkdtemp(path)) return 1;
        snprintf(made, sizeof made, "%s/catalogue.db", path);
    }
    struct sharc_store *s = NULL;
    if (sharc_store_open(url, NULL, &s, &err) < 0) die(&err);
    sharc_store_id site, warc;
    if (sharc_store_site_put(s, &(struct sharc_store_site){.name = SHARC_SPAN("www.example.org")}, &site, &err) < 0)
        die(&err);
    struct sharc_store_warc w = {.name = SHARC_SPAN("bench.warc.gz"), .size = 1};
    if (sharc_store_warc_open(s, &w, &warc, NULL, &err) < 0) die(&err);

    printf("%s\n", sharc_store_kind(s));
    sharc_store_id a = add_capture(s, site, 0), b = add_capture(s, site, 7 * SHARC_DAY);
    sharc_store_id c = add_capture(s, site, 14 * SHARC_DAY);
    fill(s, a, warc, 0, n, 0, "pages without links, URLs new");
    fill(s, b, warc, n / 50, n, 1, "pages without links, URLs known");
    compare(s, a, b);
    fill_links(s, c, n < 20000 ? n : 20000);
    read_links(s, c);
    sharc_store_free(s);
    if (argc <= 1) {
        unlink(made);
        rmdir(path);
    }
    return 0;
}
