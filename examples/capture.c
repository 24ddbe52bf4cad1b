/* SPDX-License-Identifier: Apache-2.0
 *
 * capture ARCHIVE URL [private]: captures a site into an archive, visits every page twice,
 * and says how far the capture can be trusted. "private" permits addresses on this machine
 * and its network, and leaves out the delay between requests: for a site of your own.
 *
 *   cc -std=c17 capture.c $(pkg-config --cflags --libs sharc) -o capture
 */
#include <sharc/base_clock.h>
#include <sharc/base_version.h>
#include <sharc/crawl.h>
#include <sharc/http_fetch.h>
#include <sharc/store.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

static void print_verdict(const struct sharc_crawl *crawl)
{
    for (size_t i = 0; i < sharc_crawl_sites(crawl); i++) {
        struct sharc_crawl_summary s;
        sharc_crawl_site(crawl, i, &s);
        printf("%s: %llu pages, %llu of %llu were the same before and after, expected blur %.3f\n", s.name,
               (unsigned long long)s.pages, (unsigned long long)s.coherent, (unsigned long long)s.judged, s.blur);
        if (s.why[0]) printf("%s\n", s.why);
    }
}

/* The caller brings the clock, the fetcher and the catalogue. */
static int capture(const char *archive, const char *url, bool is_private, struct sharc_err *err)
{
    struct sharc_crawl_options o = SHARC_CRAWL_OPTIONS;
    o.archive = archive;
    o.purpose = SHARC_FOR_EVIDENCE;
    o.allow_private = is_private;
    if (is_private) o.pace.delay = 0;

    struct sharc_crawl_world world = {.clock = sharc_clock_real()};
    const struct sharc_fetcher_settings f = {.clock = world.clock, .allow_private = is_private};
    SHARC_AUTO(sharc_freep) char *catalogue = sharc_asprintf("sqlite:%s/catalogue.db", archive);
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *fetcher = NULL;
    SHARC_AUTO(sharc_crawl_freep) struct sharc_crawl *crawl = NULL;
    int r = sharc_store_open(catalogue, NULL, &store, err);
    if (r == 0) r = sharc_fetcher_new(&f, &fetcher, err);
    world.store = store;
    world.fetcher = fetcher;
    if (r == 0) r = sharc_crawl_new(&o, &world, &crawl, err);
    if (r == 0) r = sharc_crawl_seed(crawl, sharc_span_of(url), err);
    if (r == 0) r = sharc_crawl_run(crawl, err);
    if (r == 0) print_verdict(crawl);
    return r;
}

int main(int argc, char **argv)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (argc < 3) {
        fprintf(stderr, "usage: capture ARCHIVE URL [private]   (sharc %s)\n", sharc_version());
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    if (mkdir(argv[1], 0777) < 0 && errno != EEXIST) {
        perror(argv[1]);
        return 1;
    }
    int r = capture(argv[1], argv[2], argc > 3, &err);
    if (r < 0) fprintf(stderr, "capture: %s\n", err.text);
    return r < 0;
}
