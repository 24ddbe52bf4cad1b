/* SPDX-License-Identifier: Apache-2.0
 *
 * Private keys as files. Nobody but their owner may read them, from the first byte on, and
 * what was secret in memory is overwritten.
 */
#include "seal_int.h"
#include "sharc/base_exhausted.h"
#include "sharc/base_file.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_KEY_BYTES = 65536, MOST_PASSWORD = 1023, ROUNDS = 600000 };

void sharc_seal_wipe(struct sharc_buf *b)
{
    if (b->p) OPENSSL_cleanse(b->p, b->room);
    sharc_buf_done(b);
}

/* A secret that others can read is none. */
static int check_mode(const char *path, const char *what, struct sharc_err *reterr)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return sharc_fail(reterr, sharc_error_from_errno(errno), "%s: %s cannot be read: %s", path, what,
                          strerror(errno));
    SHARC_FAIL_IF(S_ISREG(st.st_mode) && (st.st_mode & 077), reterr, SHARC_EACCESS,
                  "%s: others may read or write this file (mode %03o), so it cannot be used as %s: run chmod 600 on it",
                  path, (unsigned)(st.st_mode & 0777), what);
    return 0;
}

/* sharc_file_read grows its buffer by copying and frees what it leaves; here it must not. */
static int read_secret(const char *path, const char *what, struct sharc_buf *out, struct sharc_err *reterr)
{
    int r = check_mode(path, what, reterr);
    if (r < 0) return r;
    sharc_buf_reserve(out, out->max);
    return sharc_file_read(path, out, reterr);
}

int sharc_seal_password(const char *path, struct sharc_buf *ret, struct sharc_err *reterr)
{
    struct sharc_buf text = SHARC_BUF_INIT(MOST_KEY_BYTES);
    int r = read_secret(path, "a password", &text, reterr);
    struct sharc_span line = sharc_buf_span(&text);
    size_t end = sharc_span_find(line, '\n', 0);
    if (end != SHARC_NPOS) line.n = end;
    if (line.n && line.p[line.n - 1] == '\r') line.n--;
    if (r == 0 && line.n == 0) r = sharc_fail(reterr, SHARC_EINVAL, "%s: the first line must be the password", path);
    if (r == 0 && line.n > MOST_PASSWORD)
        r = sharc_fail(reterr, SHARC_ELIMIT, "%s: the password is longer than %d bytes", path, MOST_PASSWORD);
    sharc_buf_clear(ret);
    if (r == 0 && sharc_buf_put(ret, line) < 0) r = sharc_buf_result(ret, reterr);
    sharc_seal_wipe(&text);
    return r;
}

/* --- reading ------------------------------------------------------------------ */

struct answer {
    struct sharc_span password;
    bool asked;
};

/* OpenSSL asks for the password when the key is encrypted. */
static int give_password(char *out, int room, int writing, void *arg)
{
    struct answer *a = arg;
    (void)writing;
    a->asked = true;
    if (a->password.n == 0 || a->password.n > (size_t)room) return -1;
    memcpy(out, a->password.p, a->password.n);
    return (int)a->password.n;
}

static int read_private(const char *path, struct sharc_span pem, struct sharc_span password, EVP_PKEY **ret,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__seal_bio_free) BIO *b = sharc__seal_bio(pem);
    struct answer answer = {.password = password};
    ERR_clear_error();
    *ret = b ? PEM_read_bio_PrivateKey(b, NULL, give_password, &answer) : NULL;
    if (*ret) return 0;
    ERR_clear_error();
    SHARC_FAIL_IF(answer.asked && password.n == 0, reterr, SHARC_EACCESS,
                  "%s: the key is encrypted: name a file that holds its password", path);
    SHARC_FAIL_IF(answer.asked, reterr, SHARC_EACCESS, "%s: the key cannot be decrypted: the password is wrong", path);
    SHARC_FAIL_IF(sharc_span_search(pem, SHARC_SPAN("PUBLIC KEY-----")) != SHARC_NPOS ||
                      sharc_span_search(pem, SHARC_SPAN("BEGIN CERTIFICATE-----")) != SHARC_NPOS,
                  reterr, SHARC_ESYNTAX, "%s: there is no private key in it, only a public one", path);
    return sharc_fail(reterr, SHARC_ESYNTAX, "%s: there is no private key in it in the form of PEM", path);
}

int sharc_seal_key_load(const char *path, struct sharc_span password, struct sharc_seal_key **ret,
                        struct sharc_err *reterr)
{
    struct sharc_buf pem = SHARC_BUF_INIT(MOST_KEY_BYTES);
    EVP_PKEY *pkey = NULL;
    int r = read_secret(path, "a private key", &pem, reterr);
    if (r == 0) r = read_private(path, sharc_buf_span(&pem), password, &pkey, reterr);
    sharc_seal_wipe(&pem);
    if (r < 0) return r;
    r = sharc__seal_key_wrap(pkey, true, ret, reterr);
    return r < 0 ? sharc_err_prefix(reterr, r, "%s", path) : 0;
}

/* --- writing ------------------------------------------------------------------ */

/* OpenSSL's own function would stretch the password by no more than 2048 rounds. */
static bool write_encrypted(BIO *b, EVP_PKEY *pkey, struct sharc_span password)
{
    PKCS8_PRIV_KEY_INFO *plain = EVP_PKEY2PKCS8(pkey);
    X509_SIG *locked =
        plain ? PKCS8_encrypt(-1, EVP_aes_256_cbc(), password.p, (int)password.n, NULL, 0, ROUNDS, plain) : NULL;
    bool ok = locked && PEM_write_bio_PKCS8(b, locked) == 1;
    X509_SIG_free(locked);
    PKCS8_PRIV_KEY_INFO_free(plain);
    return ok;
}

static BIO *private_pem(const struct sharc_seal_key *k, struct sharc_span password)
{
    BIO *b = BIO_new(BIO_s_secmem());
    if (!b) sharc__no_memory();
    bool ok = password.n ? write_encrypted(b, k->pkey, password)
                         : PEM_write_bio_PKCS8PrivateKey(b, k->pkey, NULL, NULL, 0, NULL, NULL) == 1;
    if (ok) return b;
    BIO_free_all(b);
    return NULL;
}

static int write_new(const char *path, struct sharc_span bytes, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_closep) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST)
        return sharc_fail(reterr, SHARC_EEXIST,
                          "%s: is there already, and a key is never overwritten: choose another name", path);
    if (fd < 0)
        return sharc_fail(reterr, sharc_error_from_errno(errno), "%s: cannot be made: %s", path, strerror(errno));
    size_t done = 0;
    while (done < bytes.n) {
        ssize_t n = write(fd, bytes.p + done, bytes.n - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        done += (size_t)n;
    }
    if (done == bytes.n && fsync(fd) == 0) return 0;
    int e = errno;
    unlink(path);
    return sharc_fail(reterr, sharc_error_from_errno(e), "%s: cannot be written: %s", path, strerror(e));
}

int sharc_seal_key_save(const struct sharc_seal_key *k, const char *path, struct sharc_span password,
                        struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!k->whole, reterr, SHARC_EINVAL, "%s: only the public half of this key is known", path);
    SHARC_FAIL_IF(password.p && password.n == 0, reterr, SHARC_EINVAL, "%s: an empty password protects nothing", path);
    SHARC_FAIL_IF(password.n > MOST_PASSWORD, reterr, SHARC_ELIMIT, "%s: the password is longer than %d bytes", path,
                  MOST_PASSWORD);
    SHARC_AUTO(sharc__seal_bio_free) BIO *b = private_pem(k, password);
    SHARC_FAIL_IF(!b, reterr, SHARC_EIO, "%s: the key cannot be written: %s", path, sharc__seal_why());
    char *p;
    long n = BIO_get_mem_data(b, &p);
    return write_new(path, sharc_span(p, (size_t)n), reterr);
}
