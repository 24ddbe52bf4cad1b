/* SPDX-License-Identifier: Apache-2.0
 *
 * A client for tests: sends bytes to a server on loopback and reads what comes.
 */
#ifndef SHARC_TEST_CLIENT_H
#define SHARC_TEST_CLIENT_H

#include "test.h"

#include "sharc/base_buf.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* A connection to a server on loopback. */
static inline int client_dial(uint16_t port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static inline void client_send(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
        if (sent < 0) return; /* the server has heard enough */
        bytes += sent;
        n -= (size_t)sent;
    }
}

/* What the server sends until it closes. */
static inline char *client_read(int fd)
{
    struct sharc_buf b = SHARC_BUF_INIT(64u << 20);
    char piece[4096];
    ssize_t n;
    while ((n = recv(fd, piece, sizeof piece, 0)) > 0) sharc_buf_put(&b, sharc_span(piece, (size_t)n));
    close(fd);
    return sharc_buf_take(&b);
}

/* All that comes in answer; malloc'ed. */
static inline char *client_ask(uint16_t port, const char *bytes)
{
    int fd = client_dial(port);
    client_send(fd, bytes, strlen(bytes));
    return client_read(fd);
}

#endif
