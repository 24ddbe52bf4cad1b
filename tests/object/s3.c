/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "s3.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct sharc_object_options s3_options(void)
{
    /* short pages, so that lists have several */
    return (struct sharc_object_options){.access_key = "AKTEST",
                                         .secret_key = "testsecret",
                                         .patience = SHARC_MINUTE,
                                         .page = 3};
}

struct sharc_object_store *s3_store(const struct s3 *s)
{
    struct sharc_object_store *store = NULL;
    const struct sharc_object_options o = s3_options();
    (void)s;
    assert_int_equal(sharc_object_store_new(&o, &store, NULL), 0);
    return store;
}

int s3_set_up(void **state)
{
    struct s3 *s = SHARC_NEW(struct s3);
    char line[1024] = "", *command = sharc_asprintf(SHARC_SOURCE_DIR "/tools/s3-temp start %ld", (long)getpid());
    FILE *f = popen(command, "re"); // NOLINT(cert-env33-c): a program of ours
    free(command);
    const bool told = f && fgets(line, sizeof line, f);
    const int code = f ? pclose(f) : -1;
    const char *space = strchr(line, ' ');
    if (told && space) {
        s->dir = sharc_strndup(line, (size_t)(space - line));
        s->url = sharc_strndup(space + 1, strcspn(space + 1, "\n"));
    }
    s->store = s3_store(s);
    *state = s;
    return s->url || (WIFEXITED(code) && WEXITSTATUS(code) == 77) ? 0 : -1;
}

void s3_tool(const struct s3 *s, const char *what)
{
    SHARC_AUTO(sharc_freep) char *command = sharc_asprintf(SHARC_SOURCE_DIR "/tools/s3-temp %s %s", what, s->dir);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
}

int s3_tear_down(void **state)
{
    struct s3 *s = *state;
    if (s->dir) s3_tool(s, "stop");
    sharc_object_store_free(s->store);
    free(s->dir);
    free(s->url);
    free(s);
    return 0;
}

struct s3 *s3_or_skip(void **state)
{
    struct s3 *s = *state;
    if (!s->url) skip();
    return s;
}

char *s3_name(const struct s3 *s, const char *key)
{
    return sharc_asprintf("%s/%s", s->url, key);
}

void s3_ok(int r, const struct sharc_err *err)
{
    if (r < 0) print_message("# %s\n", err->text);
    assert_int_equal(r, 0);
}
