/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc key: makes a key to sign with, or tells what a key file holds.
 */
#include "cli_int.h"

#include "sharc/base_file.h"
#include "sharc/seal_chain.h"

#include <unistd.h>

enum { KIND_NONE, KIND_ED25519, KIND_P256, KIND_P384 };

struct settings {
    int make; /* one of the above */
    const char *password, *public_file;
};

struct found {
    const char *path;
    struct sharc_seal_key *key;
    struct sharc_seal_chain *chain; /* the file is a certificate */
};

static void found_done(struct found *f)
{
    sharc_seal_key_free(f->key);
    sharc_seal_chain_free(f->chain);
}

/* --- reading -------------------------------------------------------------------------- */

static int read_private(const struct settings *s, struct found *f, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_seal_wipe) struct sharc_buf secret = SHARC_BUF_INIT(1024);
    int r = s->password ? sharc_seal_password(s->password, &secret, reterr) : 0;
    return r < 0 ? r : sharc_seal_key_load(f->path, sharc_buf_span(&secret), &f->key, reterr);
}

static int read_file(const struct settings *s, struct found *f, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_seal_wipe) struct sharc_buf pem = SHARC_BUF_INIT(SHARC_SEAL_CHAIN_BYTES);
    int r = sharc_file_read(f->path, &pem, reterr);
    if (r < 0) return r;
    struct sharc_span text = sharc_buf_span(&pem);
    if (sharc_span_search(text, SHARC_SPAN("PRIVATE KEY-----")) != SHARC_NPOS) return read_private(s, f, reterr);
    if (sharc_span_search(text, SHARC_SPAN("BEGIN CERTIFICATE-----")) != SHARC_NPOS)
        r = sharc_seal_chain_read(text, &f->chain, reterr);
    if (r == 0) r = sharc_seal_key_read(text, &f->key, reterr);
    return r < 0 ? sharc_err_prefix(reterr, r, "%s", f->path) : 0;
}

/* --- making ---------------------------------------------------------------------------- */

static int make_key(const struct settings *s, const char *public_file, struct found *f, struct sharc_err *reterr)
{
    static const enum sharc_seal_kind kinds[] = {
        [KIND_ED25519] = SHARC_SEAL_ED25519, [KIND_P256] = SHARC_SEAL_P256, [KIND_P384] = SHARC_SEAL_P384};
    SHARC_AUTO(sharc_seal_wipe) struct sharc_buf secret = SHARC_BUF_INIT(1024);
    int r = s->password ? sharc_seal_password(s->password, &secret, reterr) : 0;
    if (r < 0) return r;
    SHARC_FAIL_IF(access(public_file, F_OK) == 0, reterr, SHARC_EEXIST, "%s: is there already: choose another name",
                  public_file);
    r = sharc_seal_key_make(kinds[s->make], &f->key, reterr);
    return r < 0 ? r : sharc_seal_key_save(f->key, f->path, sharc_buf_span(&secret), reterr);
}

static int write_public(const struct found *f, const char *path, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf pem = SHARC_BUF_INIT(65536);
    sharc_seal_key_pem(f->key, &pem);
    return sharc_file_replace(path, sharc_buf_span(&pem), reterr);
}

/* --- telling ------------------------------------------------------------------------------ */

static void tell_json(struct cli *c, const struct found *f, const char *digest, const char *public_file)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20), name = SHARC_BUF_INIT(65536);
    char when[SHARC_TIME_TEXT];
    sharc_time from, until;
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "file", f->path);
    sharc_json_str(&j, "kind", sharc_seal_kind_name(sharc_seal_key_kind(f->key)));
    sharc_json_bool(&j, "private", sharc_seal_key_private(f->key));
    sharc_json_str(&j, "key", digest);
    if (public_file) sharc_json_str(&j, "public", public_file);
    if (f->chain) {
        sharc_seal_chain_subject(f->chain, &name);
        sharc_seal_chain_validity(f->chain, &from, &until);
        sharc_json_span(&j, "subject", sharc_buf_span(&name));
        if (from != SHARC_TIME_NONE) sharc_json_str(&j, "valid_from", sharc_time_iso(from, 0, when));
        if (until != SHARC_TIME_NONE) sharc_json_str(&j, "valid_until", sharc_time_iso(until, 0, when));
        sharc_json_uint(&j, "certificates", sharc_seal_chain_count(f->chain));
    }
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

static void tell_certificate(struct cli *c, const struct found *f)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(65536);
    char a[SHARC_TIME_TEXT], b[SHARC_TIME_TEXT];
    sharc_time from, until;
    sharc_seal_chain_subject(f->chain, &name);
    sharc_seal_chain_validity(f->chain, &from, &until);
    fprintf(c->out, "of %s, valid from %s to %s\n", sharc_buf_str(&name),
            from != SHARC_TIME_NONE ? sharc_time_iso(from, 0, a) : "an unknown time",
            until != SHARC_TIME_NONE ? sharc_time_iso(until, 0, b) : "an unknown time");
}

static void tell(struct cli *c, const struct found *f, const char *public_file)
{
    char digest[SHARC_DIGEST_TEXT];
    struct sharc_digest d;
    sharc_seal_key_fingerprint(f->key, &d);
    sharc_digest_text(&d, digest);
    if (c->json) {
        tell_json(c, f, digest, public_file);
        return;
    }
    const char *what = f->chain ? "certificate of a public" : sharc_seal_key_private(f->key) ? "private" : "public";
    fprintf(c->out, "%s: %s %s key %s\n", f->path, what, sharc_seal_kind_name(sharc_seal_key_kind(f->key)), digest);
    if (f->chain) tell_certificate(c, f);
    if (public_file) fprintf(c->out, "%s: its public half, to give to others\n", public_file);
}

int cmd_key(struct cli *c, int argc, char **argv)
{
    static const char *const kinds[] = {"none", "ed25519", "p256", "p384", NULL};
    struct settings s = {0};
    const struct cli_option options[] = {
        OPT_CHOICE(0, "make", &s.make, kinds, "create a new key of this kind in FILE (default: none)"),
        OPT_STRING(0, "password-file", &s.password, "FILE",
                   "encrypt or decrypt the key with the password on the first line of this file"),
        OPT_STRING(0, "public", &s.public_file, "FILE",
                   "write the public key to this file (default with --make: FILE.pub)"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (argc != 2) return cli_usage(c, "name one key file");
    SHARC_AUTO(found_done) struct found f = {.path = argv[1]};
    SHARC_AUTO(sharc_freep) char *beside = sharc_asprintf("%s.pub", argv[1]);
    const char *public_file = s.public_file ? s.public_file : s.make ? beside : NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = s.make ? make_key(&s, public_file, &f, &err) : read_file(&s, &f, &err);
    if (r == 0 && public_file) r = write_public(&f, public_file, &err);
    if (r < 0) return cli_fail(c, &err);
    tell(c, &f, public_file);
    return EXIT_OK;
}
