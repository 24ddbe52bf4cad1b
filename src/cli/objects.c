/* SPDX-License-Identifier: Apache-2.0 */
#include "objects.h"

#include "sharc/base_file.h"
#include "sharc/object_remote.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 };

/* --- ~/.aws ------------------------------------------------------------------------ */

/* Secrets among them: wiped when they have been handed on. */
struct found {
    char *access_key, *secret_key, *session_token, *region, *endpoint;
};

static struct {
    pthread_mutex_t lock;
    struct sharc_object_store *store;
    struct cli *c;
} objects = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] ? value : NULL;
}

static const char *first_of(const char *a, const char *b)
{
    return a ? a : b;
}

static void take(struct found *f, struct sharc_span name, struct sharc_span value)
{
    char **to = sharc_span_is(name, "aws_access_key_id")       ? &f->access_key
                : sharc_span_is(name, "aws_secret_access_key") ? &f->secret_key
                : sharc_span_is(name, "aws_session_token")     ? &f->session_token
                : sharc_span_is(name, "region")                ? &f->region
                : sharc_span_is(name, "endpoint_url")          ? &f->endpoint
                                                               : NULL;
    if (to && !*to && value.n) *to = sharc_span_dup(value);
}

/* "[default]", "[profile other]" in config, "[other]" in credentials; "name = value" below. */
static void read_section(struct sharc_span text, const char *profile, struct found *f)
{
    SHARC_AUTO(sharc_freep)
    char *plain = sharc_asprintf("[%s]", profile), *named = sharc_asprintf("[profile %s]", profile);
    struct sharc_span line;
    bool ours = false;
    while (sharc_span_next(&text, '\n', &line)) {
        line = sharc_span_trim(line);
        if (line.n && line.p[0] == '[') ours = sharc_span_is(line, plain) || sharc_span_is(line, named);
        const size_t at = sharc_span_find(line, '=', 0);
        if (!ours || at == SHARC_NPOS || line.p[0] == '#' || line.p[0] == ';') continue;
        take(f, sharc_span_trim(sharc_span_sub(line, 0, at)), sharc_span_trim(sharc_span_from(line, at + 1)));
    }
}

static void read_file(const char *given, const char *usual, struct found *f)
{
    const char *home = variable("HOME"), *profile = variable("AWS_PROFILE");
    SHARC_AUTO(sharc_freep)
    char *path = given ? sharc_strdup(given) : home ? sharc_asprintf("%s/.aws/%s", home, usual) : NULL;
    struct sharc_buf text = SHARC_BUF_INIT(MOST_BYTES);
    if (path && sharc_file_read(path, &text, NULL) == 0)
        read_section(sharc_buf_span(&text), profile ? profile : "default", f);
    if (text.p) explicit_bzero(text.p, text.n);
    sharc_buf_done(&text);
}

static void wipe(char *s)
{
    if (s) explicit_bzero(s, strlen(s));
    free(s);
}

static void say_waiting(void *arg, const char *why)
{
    struct cli *c = arg;
    if (c->quiet) return;
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", c->err); /* a bar may stand there */
    cli_note(c, "waiting for the object store, for about a minute: %s", why);
}

static int make_store(struct sharc_object_store **ret, struct sharc_err *reterr)
{
    struct found f = {0};
    const bool keys = variable("AWS_ACCESS_KEY_ID") && variable("AWS_SECRET_ACCESS_KEY");
    const char *style = variable("SHARC_S3_STYLE");
    if (!keys) read_file(variable("AWS_SHARED_CREDENTIALS_FILE"), "credentials", &f);
    read_file(variable("AWS_CONFIG_FILE"), "config", &f);
    const struct sharc_object_options o = {
        .access_key = keys ? variable("AWS_ACCESS_KEY_ID") : f.access_key,
        .secret_key = keys ? variable("AWS_SECRET_ACCESS_KEY") : f.secret_key,
        .session_token = keys ? variable("AWS_SESSION_TOKEN") : f.session_token,
        .region = first_of(first_of(variable("AWS_REGION"), variable("AWS_DEFAULT_REGION")), f.region),
        .endpoint = first_of(first_of(variable("AWS_ENDPOINT_URL_S3"), variable("AWS_ENDPOINT_URL")), f.endpoint),
        .virtual_hosts = style && strcmp(style, "virtual") == 0,
        .ca_file = variable("AWS_CA_BUNDLE"),
        .waits = say_waiting,
        .waits_arg = objects.c};
    int r = sharc_object_store_new(&o, ret, reterr);
    wipe(f.access_key);
    wipe(f.secret_key);
    wipe(f.session_token);
    free(f.region);
    free(f.endpoint);
    return r;
}

/* --- one store, when it is wanted ---------------------------------------------------- */

struct sharc_object_store *cli_objects_store(struct sharc_err *reterr)
{
    pthread_mutex_lock(&objects.lock);
    if (!objects.store) (void)make_store(&objects.store, reterr);
    struct sharc_object_store *s = objects.store;
    pthread_mutex_unlock(&objects.lock);
    return s;
}

void cli_objects_done(void)
{
    sharc_object_store_freep(&objects.store);
}

static int look(void *arg, const char *name, struct sharc_remote_facts *ret, struct sharc_err *reterr)
{
    struct sharc_object_store *s = cli_objects_store(reterr);
    (void)arg;
    return s ? sharc_object_remote.look(s, name, ret, reterr) : SHARC_EUNSUPPORTED;
}

static int read_range(void *arg, const char *name, const struct sharc_remote_facts *as, uint64_t from, void *out,
                      size_t n, struct sharc_err *reterr)
{
    struct sharc_object_store *s = cli_objects_store(reterr);
    (void)arg;
    return s ? sharc_object_remote.read(s, name, as, from, out, n, reterr) : SHARC_EUNSUPPORTED;
}

static int list(void *arg, const char *prefix, sharc_remote_list_fn *fn, void *fn_arg, struct sharc_err *reterr)
{
    struct sharc_object_store *s = cli_objects_store(reterr);
    (void)arg;
    return s ? sharc_object_remote.list(s, prefix, fn, fn_arg, reterr) : SHARC_EUNSUPPORTED;
}

void cli_objects_prepare(struct cli *c)
{
    objects.c = c;
    static const struct sharc_remote_ops ops = {look, read_range, list};
    sharc_remote_set(&ops, NULL, variable("TMPDIR"));
}
