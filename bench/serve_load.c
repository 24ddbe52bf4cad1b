/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks an HTTP server at a fixed rate, whether it keeps up or not, and tells how long the first byte of each answer
 * took, from the moment at which the request was due: a server that stalls is not spared the requests that would
 * have come meanwhile.
 *
 *   serve_load PORT RATE SECONDS CONNECTIONS TARGET [NUMBERS]
 *
 * A # in TARGET stands for a number of nine digits below NUMBERS, drawn for each request.
 */
#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/base_rng.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct line {
    int fd;
    bool busy;
    double due;
    bool first;      /* the first byte has come */
    bool chunked;    /* the body ends with an empty chunk */
    uint64_t left;   /* of the body; UINT64_MAX: the head is not complete */
    char head[8192]; /* as far as it has come */
    size_t n;
};

struct load {
    unsigned short port;
    const char *target;
    uint64_t numbers;
    struct sharc_rng rng;
    struct line *lines;
    size_t count;
    double *took;
    size_t done, wrong, room;
};

static int dial(unsigned short port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) < 0) {
        perror("connect");
        exit(1);
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static void ask(struct load *l, struct line *x, double due)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(64u << 10);
    const char *at = strchr(l->target, '#');
    sharc_buf_put_str(&b, "GET ");
    if (at && l->numbers)
        sharc_buf_printf(&b, "%.*s%09llu%s", (int)(at - l->target), l->target,
                         (unsigned long long)sharc_rng_below(&l->rng, l->numbers), at + 1);
    else
        sharc_buf_put_str(&b, l->target);
    sharc_buf_put_str(&b, " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    x->busy = true;
    x->first = false;
    x->left = UINT64_MAX;
    x->n = 0;
    x->due = due;
    if (write(x->fd, b.p, b.n) != (ssize_t)b.n) exit(1);
}

/* The head is complete: how much follows? */
static void read_head(struct load *l, struct line *x, const char *end)
{
    const char *length = strcasestr(x->head, "\r\nContent-Length:");
    size_t head = (size_t)(end + 4 - x->head);
    if (strncmp(x->head, "HTTP/1.1 200", 12) != 0) l->wrong++;
    x->chunked = !length;
    if (x->chunked) {
        x->left = 1; /* until the last chunk */
        return;
    }
    uint64_t size = strtoull(length + 17, NULL, 10);
    x->left = size - (x->n - head < size ? x->n - head : size);
}

static void on_bytes(struct load *l, struct line *x)
{
    char some[65536];
    ssize_t n = recv(x->fd, some, sizeof some, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        fprintf(stderr, "the server closed a connection\n");
        exit(1);
    }
    if (!x->first && l->done < l->room) l->took[l->done++] = sharc_clock_mono() - x->due;
    x->first = true;
    if (x->left == UINT64_MAX) {
        size_t keep = (size_t)n < sizeof x->head - 1 - x->n ? (size_t)n : sizeof x->head - 1 - x->n;
        memcpy(x->head + x->n, some, keep);
        x->head[x->n + keep] = 0;
        const char *end = strstr(x->head, "\r\n\r\n");
        x->n += (size_t)n;
        if (end) read_head(l, x, end);
    } else if (!x->chunked) {
        x->left -= (uint64_t)n < x->left ? (uint64_t)n : x->left;
    }
    if (x->left != UINT64_MAX && x->chunked && n >= 5 && memcmp(some + n - 5, "0\r\n\r\n", 5) == 0) x->left = 0;
    if (x->left == 0) x->busy = false;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        fprintf(stderr, "serve_load PORT RATE SECONDS CONNECTIONS TARGET [NUMBERS]\n");
        return 2;
    }
    double rate = strtod(argv[2], NULL), seconds = strtod(argv[3], NULL);
    struct load l = {.port = (unsigned short)strtoul(argv[1], NULL, 10),
                     .target = argv[5],
                     .numbers = argc > 6 ? strtoull(argv[6], NULL, 10) : 0,
                     .count = strtoul(argv[4], NULL, 10)};
    uint64_t total = (uint64_t)(rate * seconds), sent = 0, late = 0;
    sharc_rng_init(&l.rng, 1);
    l.lines = calloc(l.count, sizeof *l.lines);
    l.room = total;
    l.took = calloc(total, sizeof *l.took);
    int events = epoll_create1(0);
    for (size_t i = 0; i < l.count; i++) {
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = &l.lines[i]};
        l.lines[i].fd = dial(l.port);
        epoll_ctl(events, EPOLL_CTL_ADD, l.lines[i].fd, &e);
    }
    double start = sharc_clock_mono(), now;
    size_t next = 0;
    while (l.done < total) {
        struct epoll_event some[64];
        now = sharc_clock_mono();
        while (sent < total && start + (double)sent / rate <= now) {
            size_t tried = 0;
            for (; tried < l.count && l.lines[next].busy; tried++) next = (next + 1) % l.count;
            if (tried == l.count) { /* all wait: it counts from when it was due */
                late++;
                break;
            }
            ask(&l, &l.lines[next], start + (double)sent++ / rate);
            next = (next + 1) % l.count;
        }
        double wait = sent < total ? start + (double)sent / rate - sharc_clock_mono() : 1;
        int n = epoll_wait(events, some, 64, wait > 0.0005 ? (int)(wait * 1000) : 0);
        for (int i = 0; i < n; i++) on_bytes(&l, some[i].data.ptr);
        if (now - start > 20 * seconds + 60) break; /* it does not keep up at all */
    }
    qsort(l.took, l.done, sizeof *l.took, by_value);
    static const double parts[] = {0.5, 0.9, 0.99, 0.999};
    printf("%zu answers, %zu not 200, at %.0f/s over %zu connections; first byte (ms):", l.done, l.wrong, rate,
           l.count);
    for (size_t i = 0; i < SHARC_LENGTH(parts); i++)
        printf(" p%g %.2f", parts[i] * 100, l.took[(size_t)((double)(l.done - 1) * parts[i])] * 1000);
    printf(" max %.2f\n", l.took[l.done - 1] * 1000);
    return 0;
}
