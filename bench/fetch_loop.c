/* SPDX-License-Identifier: Apache-2.0
 *
 * fetch_loop [-b] [-c CONNECTIONS] [-n REQUESTS] [-w WAITING] [-2] [-x] URL
 *
 * Requests per second and per CPU second of this process, one thread, on one
 * URL that is asked for again and again. -w: so many further transfers wait for
 * a server that never answers. -x: a new connection each time. -2: HTTP/2.
 * -b: libcurl alone (multi_perform, bytes thrown away), as the yardstick.
 */
#include "sharc/http_fetch.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

struct run {
    const char *url;
    unsigned connections, requests, waiting;
    bool fresh, http2;
};

static void check(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "fetch_loop: %s\n", what);
    exit(1);
}

/* A port where connections are taken by the kernel and by nobody else. */
static unsigned silent_port(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check(bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 4096) == 0, "cannot listen");
    check(getsockname(fd, (struct sockaddr *)&a, &n) == 0, "no port");
    return ntohs(a.sin_port);
}

static void submit(struct sharc_fetcher *f, const char *url, const struct run *run, void *user)
{
    static const struct sharc_http_field close_it = {{"Connection", 10}, {"close", 5}};
    struct sharc_fetch_request req = {.url = sharc_span_of(url), .user = user};
    if (run->fresh) req.fields = &close_it, req.fields_count = 1;
    check(sharc_fetcher_submit(f, &req, NULL) == 0, "submit failed");
}

static uint64_t run_sharc(const struct run *run)
{
    struct sharc_fetcher_settings s = {.clock = sharc_clock_real(),
                                       .allow_private = true,
                                       .http2 = run->http2,
                                       .insecure = true,
                                       .connections = run->connections + run->waiting + 100};
    struct sharc_fetcher *f = NULL;
    struct sharc_fetch_result *r = NULL;
    uint64_t bytes = 0;
    unsigned sent = 0, done = 0;
    check(sharc_fetcher_new(&s, &f, NULL) == 0, "no fetcher");
    SHARC_AUTO(sharc_freep) char *silent = run->waiting ? sharc_asprintf("http://127.0.0.1:%u/", silent_port()) : NULL;
    for (unsigned i = 0; i < run->waiting; i++) submit(f, silent, run, NULL);
    while (sent < run->connections && sent < run->requests) submit(f, run->url, run, f), sent++;
    while (done < run->requests) {
        check(sharc_fetcher_wait(f, SHARC_TIME_NONE, NULL, &r, NULL) == 1 && r->user, "a waiting transfer ended");
        check(r->state == SHARC_FETCH_OK && r->status == 200, r->text);
        bytes += sharc_spool_size(&r->body);
        sharc_fetch_result_free(r);
        done++;
        if (sent < run->requests) submit(f, run->url, run, f), sent++;
    }
    sharc_fetcher_free(f);
    return bytes;
}

static size_t count_bytes(char *p, size_t size, size_t n, void *arg)
{
    (void)p;
    *(uint64_t *)arg += size * n;
    return size * n;
}

static uint64_t run_bare(const struct run *run)
{
    uint64_t bytes = 0;
    unsigned sent = 0, done = 0;
    int running, left;
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)run->connections + 100);
    for (; sent < run->connections && sent < run->requests; sent++) {
        CURL *e = curl_easy_init();
        curl_easy_setopt(e, CURLOPT_URL, run->url);
        curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, count_bytes);
        curl_easy_setopt(e, CURLOPT_WRITEDATA, &bytes);
        curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(e, CURLOPT_FORBID_REUSE, run->fresh ? 1L : 0L);
        curl_easy_setopt(e, CURLOPT_HTTP_VERSION, run->http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
        curl_multi_add_handle(multi, e);
    }
    while (done < run->requests) {
        CURLMsg *m;
        curl_multi_perform(multi, &running);
        while ((m = curl_multi_info_read(multi, &left))) {
            CURL *e = m->easy_handle;
            check(m->data.result == CURLE_OK, "a request failed");
            curl_multi_remove_handle(multi, e);
            done++;
            if (sent < run->requests)
                curl_multi_add_handle(multi, e), sent++;
            else
                curl_easy_cleanup(e);
        }
        curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    curl_multi_cleanup(multi);
    return bytes;
}

int main(int argc, char **argv)
{
    struct run run = {.connections = 64, .requests = 100000};
    bool bare = false;
    int c;
    while ((c = getopt(argc, argv, "bc:n:w:2x")) != -1) {
        unsigned v = optarg ? (unsigned)strtoul(optarg, NULL, 10) : 0;
        if (c == 'b') bare = true;
        if (c == 'c') run.connections = v;
        if (c == 'n') run.requests = v;
        if (c == 'w') run.waiting = v;
        if (c == '2') run.http2 = true;
        if (c == 'x') run.fresh = true;
    }
    check(optind + 1 == argc, "needs one URL");
    run.url = argv[optind];
    double cpu = sharc_clock_cpu(), wall = sharc_clock_mono();
    uint64_t bytes = bare ? run_bare(&run) : run_sharc(&run);
    cpu = sharc_clock_cpu() - cpu;
    wall = sharc_clock_mono() - wall;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%8.0f %8.0f %8.0f %7.1f\n", run.requests / cpu, run.requests / wall, (double)bytes / run.requests,
           (double)usage.ru_maxrss / 1024);
    return 0;
}
