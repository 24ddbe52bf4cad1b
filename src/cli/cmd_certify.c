/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc certify: a certificate of one capture, from its archive files.
 */
#include "archive.h"
#include "certified.h"
#include "signer.h"

#include "sharc/base_file.h"
#include "sharc/derive.h"

#include <inttypes.h>
#include <unistd.h>

struct settings {
    const char *output, *key, *password, *chain, *stamp;
    const char *operator_name, *contact, *statement, *page, *store;
    uint64_t threads;
};

struct work {
    const struct settings *s;
    const char *archive;
    char *key_name; /* of the capture */
    char *directory, *certificate;
    struct cli_signer signer;
    struct sharc_buf chain;
};

static void work_done(struct work *w)
{
    sharc_freep(&w->key_name);
    sharc_freep(&w->directory);
    sharc_freep(&w->certificate);
    cli_signer_done(&w->signer);
    sharc_buf_done(&w->chain);
}

/* --- telling -------------------------------------------------------------------------------- */

static void tell_json(struct cli *c, const struct work *w, const struct sharc_certify_sum *sum,
                      const struct sharc_certify_made *made)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    char text[SHARC_DIGEST_TEXT];
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "certificate", w->certificate);
    sharc_json_str(&j, "capture", w->key_name);
    sharc_json_str(&j, "sha256", sharc_digest_text(&made->digest, text));
    sharc_json_str(&j, "root", sharc_digest_text(&made->root, text));
    sharc_json_bool(&j, "signed", w->signer.key != NULL);
    cli_put_certified(&j, sum);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

static void tell(struct cli *c, const struct work *w, const struct sharc_certify_sum *sum)
{
    fprintf(c->out, "%s: %s\n", w->certificate, w->signer.key ? "signed" : "not signed: give a key with --key");
    cli_tell_certified(c, sum);
}

/* --- the certificate --------------------------------------------------------------------------- */

/* A digest of the program that runs: two machines with the same one did the same. */
static char *build_of(void)
{
    struct sharc_filemap map;
    struct sharc_digest d;
    char text[SHARC_DIGEST_TEXT];
    if (sharc_filemap_open(&map, "/proc/self/exe", NULL) < 0) return NULL;
    sharc_digest_of(SHARC_SHA256, map.bytes, &d);
    sharc_filemap_done(&map);
    return sharc_strdup(sharc_digest_text(&d, text));
}

static int open_signer(struct work *w, struct sharc_err *reterr)
{
    const struct settings *s = w->s;
    int r = s->key ? cli_signer_open(&w->signer, s->key, s->password, s->chain, s->stamp, reterr) : 0;
    if (r == 0 && w->signer.chain) sharc_seal_chain_pem(w->signer.chain, &w->chain);
    return r;
}

/* --- time stamps ---------------------------------------------------------------------------- */

static bool is_address(const char *stamp)
{
    return sharc_span_istarts(sharc_span_of(stamp), SHARC_SPAN("http:")) ||
           sharc_span_istarts(sharc_span_of(stamp), SHARC_SPAN("https:"));
}

/* A stamp that somebody had made of the certificate; it must be of this one. */
static int read_stamp(const char *path, struct sharc_span data, struct sharc_buf *reply, struct sharc_seal_stamp *ret,
                      struct sharc_err *reterr)
{
    int r = sharc_file_read(path, reply, reterr);
    if (r < 0) return r;
    r = sharc_seal_stamp_verify(sharc_buf_span(reply), data, SHARC_SPAN_NONE, SHARC_SPAN_NONE, ret, reterr);
    return r < 0 ? sharc_err_prefix(reterr, r, "%s", path) : 0;
}

static int take_stamp(struct cli *c, const struct work *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s.tsr", w->certificate);
    SHARC_AUTO(sharc_freep) char *address = sharc_strdup(w->s->stamp);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf reply = SHARC_BUF_INIT(SHARC_SEAL_STAMP_BYTES);
    char text[SHARC_TIME_TEXT];
    struct sharc_seal_stamp says;
    struct sharc_filemap map;
    int r = sharc_filemap_open(&map, w->certificate, reterr);
    if (r < 0) return r;
    if (is_address(address))
        r = sharc_seal_stamp_get(map.bytes, cli_ask_authority, address, &reply, &says, reterr);
    else
        r = read_stamp(address, map.bytes, &reply, &says, reterr);
    sharc_filemap_done(&map);
    if (r == 0) r = sharc_file_replace(path, sharc_buf_span(&reply), reterr);
    if (r == 0 && !c->json)
        fprintf(c->out, "%s: stamped %s by %s\n", path, sharc_time_iso(says.at, 0, text), says.authority);
    return r;
}

/* Of a certificate that stood here before. */
static void drop_stamp(const struct work *w)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s.tsr", w->certificate);
    unlink(path);
}

static int write_for_people(struct cli *c, const struct work *w, const struct sharc_derived *facts,
                            const struct sharc_certify_issue *issue, const struct sharc_certify_made *made,
                            struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *html = sharc_path_join(w->directory, "certificate.html");
    SHARC_AUTO(sharc_freep) char *pdf = sharc_path_join(w->directory, "certificate.pdf");
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc_certify_html(facts, issue, made, html, reterr);
    if (r < 0) return r;
    r = sharc_certify_pdf(facts, issue, made, pdf, &err);
    if (r == SHARC_EUNSUPPORTED) {
        cli_note(c, "%s", err.text);
        return 0;
    }
    if (r < 0 && reterr) *reterr = err;
    return r;
}

static int write_certificate(struct cli *c, struct work *w, const struct sharc_derived *facts, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *build = build_of(), *software = sharc_asprintf("sharc/%s", sharc_version());
    struct sharc_clock *clock = sharc_clock_real();
    struct sharc_certify_issue issue = {.now = clock->now(clock),
                                        .operator_name = w->s->operator_name,
                                        .contact = w->s->contact,
                                        .statement = w->s->statement,
                                        .software = software,
                                        .build = build,
                                        .key = w->signer.key,
                                        .chain = sharc_buf_span(&w->chain),
                                        .threads = (unsigned)w->s->threads};
    struct sharc_certify_made made;
    struct sharc_certify_sum sum;
    int r = sharc_dir_make(w->directory, reterr);
    if (r == 0) r = sharc_certify_write(facts, &issue, w->certificate, &made, reterr);
    if (r == 0) r = write_for_people(c, w, facts, &issue, &made, reterr);
    if (r < 0) return r;
    drop_stamp(w);
    sharc_certify_sum(facts, &sum);
    if (c->json)
        tell_json(c, w, &sum, &made);
    else
        tell(c, w, &sum);
    return 0;
}

static int certify(struct cli *c, struct work *w, const char *capture, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *facts = NULL;
    struct sharc_store_options so = {.read_only = true, .must_exist = true};
    struct sharc_certify_reading reading = {.threads = (unsigned)w->s->threads};
    char **paths = NULL;
    int r = open_signer(w, reterr);
    if (r == 0) r = sharc_archive_open(w->archive, w->s->store, &so, &store, reterr);
    if (r == 0)
        r = sharc_derive_files(store, w->archive, capture, &paths, &reading.count, &reading.capture, &w->key_name,
                               reterr);
    if (r < 0) return r;
    reading.paths = (const char *const *)paths;
    if (!w->directory) w->directory = sharc_asprintf("%s/certificates/%s", w->archive, w->key_name);
    w->certificate = sharc_path_join(w->directory, "certificate.json");
    /* What is added to a certificate must not make another one of it. */
    bool there = (w->s->page || (w->s->stamp && !is_address(w->s->stamp))) && access(w->certificate, R_OK) == 0;
    if (!there) r = sharc_certify_read(&reading, &facts, reterr);
    sharc_names_free(paths, reading.count);
    return there || r < 0 ? r : write_certificate(c, w, facts, reterr);
}

static int show_page(struct cli *c, const struct work *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = NULL;
    int r = sharc_certify_page(w->certificate, sharc_span_of(w->s->page), &path, reterr);
    if (r == 0 && !c->json) fprintf(c->out, "%s: one page with its proof\n", path);
    return r;
}

int cmd_certify(struct cli *c, int argc, char **argv)
{
    struct settings s = {0};
    const struct cli_option options[] = {
        OPT_STRING('o', "output", &s.output, "DIR", "write to this directory (default: certificates/ in the archive)"),
        OPT_STRING('k', "key", &s.key, "FILE", "sign with this private key (PEM; Ed25519, ECDSA or RSA)"),
        OPT_STRING(0, "password-file", &s.password, "FILE",
                   "decrypt the key with the password on the first line of this file"),
        OPT_STRING(0, "chain", &s.chain, "FILE", "include the X.509 certificates of the key (PEM), its own first"),
        OPT_STRING(0, "stamp", &s.stamp, "URL|FILE",
                   "have this authority time-stamp the certificate, or add this stamp (.tsr)"),
        OPT_STRING(0, "operator", &s.operator_name, "NAME", "name the person or institution that certifies"),
        OPT_STRING(0, "contact", &s.contact, "TEXT", "say how to reach the operator"),
        OPT_STRING(0, "statement", &s.statement, "TEXT", "include a statement by the operator, in their own words"),
        OPT_STRING(0, "page", &s.page, "URL",
                   "also write an excerpt with this page alone, and the proof that it belongs to the whole"),
        OPT_UINT_IN(1, CLI_THREADS_MOST, 't', "threads", &s.threads, "N", "use N threads (default: one per core)"),
        OPT_STORE(&s.store),
        OPT_END,
    };
    c->archive_argument = true;
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (argc < 2 || argc > 3) return cli_usage(c, "needs an archive, and which of its captures (default: latest)");
    if (s.chain && !s.key) return cli_usage(c, "--chain goes with --key");
    if (s.password && !s.key) return cli_usage(c, "--password-file goes with --key");
    SHARC_AUTO(work_done)
    struct work w = {.s = &s,
                     .archive = argv[1],
                     .directory = s.output ? sharc_strdup(s.output) : NULL,
                     .chain = SHARC_BUF_INIT(1u << 20)};
    struct sharc_err err = SHARC_ERR_INIT;
    int r = certify(c, &w, argc > 2 ? argv[2] : "latest", &err);
    if (r == 0 && s.stamp) r = take_stamp(c, &w, &err);
    if (r == 0 && s.page) r = show_page(c, &w, &err);
    return r < 0 ? cli_fail(c, &err) : EXIT_OK;
}
