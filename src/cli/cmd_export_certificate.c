/* SPDX-License-Identifier: Apache-2.0
 *
 * The certificate in a signed WACZ.
 */
#include "cmd_export_certificate.h"

#include "sharc/base_file.h"
#include "sharc/certify.h"
#include "sharc/derive.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const names[] = {"certificate.json", "certificate.json.sig", "certificate.html", "statement.json",
                                    "statement.json.sig"};

static void remove_all(const char *directory)
{
    for (size_t i = 0; i < SHARC_LENGTH(names); i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(directory, names[i]);
        unlink(path);
    }
    rmdir(directory);
}

static int add_file(const char *directory, const char *name, sharc_wacz_add_fn *put, void *put_arg,
                    struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(directory, name);
    SHARC_AUTO(sharc_freep) char *inside = sharc_asprintf("certificate/%s", name);
    struct sharc_filemap map;
    int r = sharc_filemap_open(&map, path, reterr);
    if (r < 0) return r;
    r = put(put_arg, inside, map.bytes, reterr);
    sharc_filemap_done(&map);
    return r;
}

static int write_all(const struct export_certificate *x, const struct sharc_derived *facts, const char *directory,
                     struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *software = sharc_asprintf("sharc/%s", sharc_version());
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(directory, "certificate.json");
    SHARC_AUTO(sharc_freep) char *html = sharc_path_join(directory, "certificate.html");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf chain = SHARC_BUF_INIT(SHARC_SEAL_CHAIN_BYTES);
    struct sharc_certify_made made;
    if (x->signer->chain) sharc_seal_chain_pem(x->signer->chain, &chain);
    struct sharc_certify_issue issue = {.now = x->now,
                                        .software = software,
                                        .key = x->signer->key,
                                        .chain = sharc_buf_span(&chain)};
    int r = sharc_certify_write(facts, &issue, path, &made, reterr);
    return r < 0 ? r : sharc_certify_html(facts, &issue, &made, html, reterr);
}

int export_add_certificate(void *arg, const char *const *warcs, size_t count, sharc_wacz_add_fn *put, void *put_arg,
                           struct sharc_err *reterr)
{
    const struct export_certificate *x = arg;
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *facts = NULL;
    SHARC_AUTO(sharc_freep) char *parent = sharc_path_parent(x->output);
    SHARC_AUTO(sharc_freep) char *directory = sharc_asprintf("%s/.certificate.XXXXXX", parent);
    struct sharc_certify_reading in = {.paths = warcs, .count = count, .capture = SHARC_TIME_NONE};
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_certify_read(&in, &facts, &err) < 0) {
        cli_note(x->c, "%s: no certificate inside: %s", x->output, err.text);
        return 0;
    }
    SHARC_FAIL_IF(!mkdtemp(directory), reterr, sharc_error_from_errno(errno),
                  "%s: cannot make a directory for temporary files: %s", parent, strerror(errno));
    int r = write_all(x, facts, directory, reterr);
    for (size_t i = 0; r == 0 && i < SHARC_LENGTH(names); i++) r = add_file(directory, names[i], put, put_arg, reterr);
    remove_all(directory);
    return r;
}
