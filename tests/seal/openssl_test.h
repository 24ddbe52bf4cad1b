/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL's own program as the other side: it makes keys, certificates and time stamps, and
 * judges what sharc made.
 */
#ifndef SHARC_OPENSSL_TEST_H
#define SHARC_OPENSSL_TEST_H

#include "test.h"

#include "sharc/base_file.h"
#include "sharc/seal.h"

#include <stdio.h>
#include <stdlib.h>

/* Run a line of shell in dir; its exit status. What it prints goes to dir/log. */
static inline int SHARC_PRINTF(2, 3) in_dir(const char *dir, const char *fmt, ...)
{
    char line[4096], command[5000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    snprintf(command, sizeof command, "cd '%s' && umask 077 && { %s; } >log 2>&1", dir, line);
    return system(command);
}

#define assert_runs(dir, ...)                                                            \
    do {                                                                                 \
        if (in_dir((dir), __VA_ARGS__) != 0) fail_msg("%s", test_file((dir), "log")->p); \
    } while (0)

/* A file of dir, in storage that the next call takes over. */
static inline struct sharc_buf *test_file(const char *dir, const char *name)
{
    static struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, name);
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_file_read(path, &b, &err) < 0) fail_msg("%s", err.text);
    return &b;
}

static inline char *test_text(const char *dir, const char *name)
{
    return sharc_strdup(sharc_buf_str(test_file(dir, name)));
}

static inline void test_put(const char *dir, const char *name, struct sharc_span bytes)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, name);
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_file_replace(path, bytes, &err) < 0) fail_msg("%s", err.text);
}

static inline void need_openssl(void)
{
    if (system("command -v openssl >/dev/null 2>&1") != 0) skip();
}

/* ca.pem (a root), and what it signs: for each name NAME.key, NAME.pem with this extension. */
static inline void make_root(const char *dir)
{
    assert_runs(dir, "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem "
                     "-subj '/O=Test Archive/CN=Test Root' -days 3650 "
                     "-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign");
}

static inline void make_leaf(const char *dir, const char *name, const char *key, const char *subject,
                             const char *extension)
{
    assert_runs(dir,
                "openssl genpkey %s -out %s.key && "
                "openssl req -new -key %s.key -subj '%s' -out %s.csr && printf '%%s\\n' '%s' >%s.ext && "
                "openssl x509 -req -in %s.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 365 -extfile %s.ext "
                "-out %s.pem && cat %s.pem ca.pem >%s.chain",
                key, name, name, subject, name, extension, name, name, name, name, name, name);
}

#define KEY_P256 "-algorithm EC -pkeyopt ec_paramgen_curve:P-256"
#define KEY_P384 "-algorithm EC -pkeyopt ec_paramgen_curve:P-384"
#define KEY_ED25519 "-algorithm ED25519"
#define KEY_RSA "-algorithm RSA -pkeyopt rsa_keygen_bits:2048"

#endif
