/* SPDX-License-Identifier: Apache-2.0
 *
 * A server that takes connections and says nothing: a process that is asked to end does not wait for it. Being asked
 * is for good, so each test is a process of its own.
 */
#include "../../src/store/pg_wait.h"
#include "../../src/store/store_int.h"
#include "store_test.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What goes wrong in the child: its exit code is the line. */
#define EXPECT(what) \
    if (!(what)) _exit(__LINE__ % 250 + 1)

static void end_well(pid_t child)
{
    int status = 0;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status) fail_msg("the process ended with %d at line %d", status, WEXITSTATUS(status) - 1);
}

/* The kernel takes connections for it; nobody reads. */
static void a_server_that_says_nothing(void **state)
{
    (void)state;
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    char url[80];
    snprintf(url, sizeof url, "postgresql://nobody@127.0.0.1:%u/x", ntohs(a.sin_port));
    pid_t child = fork();
    if (child == 0) {
        struct sharc_store *s = NULL;
        struct sharc_err err = SHARC_ERR_INIT;
        sharc__store_pg_patience(0.1);
        sharc_store_end_soon();
        EXPECT(sharc_store_open(url, NULL, &s, &err) == SHARC_ENET);
        EXPECT(strstr(err.text, "does not answer"));
        _exit(0);
    }
    close(fd);
    end_well(child);
}

/* It works on a statement, or seems to. */
static void a_statement_without_an_answer(void **state)
{
    struct fixture *f = fixture(state);
    pid_t child = fork();
    if (child == 0) {
        struct sharc_store *s = NULL;
        struct sharc_err err = SHARC_ERR_INIT;
        sharc__store_pg_patience(0.1);
        EXPECT(sharc_store_open(f->url, NULL, &s, &err) == 0);
        EXPECT(s->db->ops->script(s->db, "SELECT pg_sleep(0.5)", &err) == 0); /* nobody is in a hurry */
        sharc_store_end_soon();
        EXPECT(s->db->ops->script(s->db, "SELECT 1", &err) == 0); /* who answers is heard */
        EXPECT(s->db->ops->script(s->db, "SELECT pg_sleep(600)", &err) == SHARC_ENET);
        EXPECT(strstr(err.text, "does not answer"));
        EXPECT(s->db->ops->script(s->db, "SELECT 1", &err) == SHARC_ENET);
        EXPECT(sharc_store_reconnect(s, &err) == 0);
        EXPECT(s->db->ops->script(s->db, "SELECT 1", &err) == 0);
        sharc_store_free(s);
        _exit(0);
    }
    end_well(child);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_server_that_says_nothing),
    ON_SERVER(a_statement_without_an_answer),
};

TEST_MAIN(tests)
