/* SPDX-License-Identifier: Apache-2.0 */
#include "hostile.h"

#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t server;
static int server_input = -1;
static char told[4096];

void hostile_start(void)
{
    int in[2], out[2];
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    server = fork();
    if (server == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        execl(SHARC_SOURCE_DIR "/tests/e2e/hostile-server", "hostile-server", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    server_input = in[1];
    FILE *f = fdopen(out[0], "r");
    char *line = fgets(told, sizeof told, f);
    fclose(f);
    if (!line) {
        hostile_stop();
        skip();
    }
}

void hostile_stop(void)
{
    int status;
    if (server_input < 0) return;
    close(server_input);
    server_input = -1;
    waitpid(server, &status, 0);
}

/* The value behind "name": in the one line of JSON. */
static const char *value_of(const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(told, key);
    assert_non_null(at);
    return at + strlen(key);
}

unsigned hostile_port(const char *site)
{
    return (unsigned)strtoul(value_of(site), NULL, 10);
}

const char *hostile_ca(void)
{
    static char path[1024];
    const char *at = value_of("ca") + 1;
    snprintf(path, sizeof path, "%.*s", (int)strcspn(at, "\""), at);
    return path;
}
