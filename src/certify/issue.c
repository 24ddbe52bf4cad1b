/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing a certificate: member by member, the rows a few at a time, so that memory does not grow with
 * them; then the statement in short, and the signatures of both.
 */
#include "batch.h"
#include "document.h"

#include "sharc/base_file.h"

#include <stdlib.h>
#include <unistd.h>

enum { SECTION_MOST = 1 << 30, ROW_MOST = 64 << 20 };

/* --- issued ------------------------------------------------------------------------------ */

static void put_key(const struct sharc_seal_key *k, struct sharc_json *j)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf pem = SHARC_BUF_INIT(64u << 10);
    struct sharc_digest print;
    char text[SHARC_DIGEST_TEXT];
    sharc_seal_key_pem(k, &pem);
    sharc_seal_key_fingerprint(k, &print);
    sharc_json_object(j, "key");
    sharc_json_str(j, "fingerprint", sharc_digest_text(&print, text));
    sharc_json_str(j, "kind", sharc_seal_kind_name(sharc_seal_key_kind(k)));
    sharc_json_str(j, "pem", sharc_buf_str(&pem));
    sharc_json_end(j);
}

static void put_text(struct sharc_json *j, const char *name, const char *text)
{
    if (text && text[0]) sharc_json_str(j, name, text);
}

static void put_issued(const struct sharc_certify_issue *o, struct sharc_buf *out)
{
    struct sharc_json j;
    sharc_json_init(&j, out, false);
    sharc_json_object(&j, NULL);
    sharc_json_int(&j, "at", o->now);
    put_text(&j, "build", o->build);
    if (o->chain.n) sharc_json_span(&j, "chain", o->chain);
    put_text(&j, "contact", o->contact);
    if (o->key) put_key(o->key, &j);
    put_text(&j, "operator", o->operator_name);
    put_text(&j, "software", o->software);
    put_text(&j, "statement", o->statement);
    sharc_json_end(&j);
}

/* --- the document --------------------------------------------------------------------------- */

struct writing {
    const struct sharc_derived *f;
    const struct sharc_certify_issue *o;
    struct sharc_atomic_file file;
    struct sharc_hasher *hasher;
    uint64_t size;
    struct sharc_merkle tree;
    struct sharc_buf scratch, issued;
};

static int put(struct writing *w, struct sharc_span bytes, struct sharc_err *reterr)
{
    sharc_hasher_add(w->hasher, bytes.p, bytes.n);
    w->size += bytes.n;
    return sharc_atomic_write(&w->file, bytes, reterr);
}

static int put_rows(struct writing *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__certify_batches_freep)
    struct certify_batches *batches = sharc__certify_batches_new(w->f, w->o->threads);
    struct certify_rows rows;
    int r = put(w, SHARC_SPAN("["), reterr);
    while (r == 0 && (r = sharc__certify_batches_next(batches, &rows, reterr)) > 0) {
        for (size_t i = 0; i < rows.count; i++) sharc_merkle_add_leaf(&w->tree, &rows.leaves[i]);
        r = rows.first ? put(w, SHARC_SPAN(","), reterr) : 0;
        if (r == 0) r = put(w, rows.text, reterr);
    }
    return r < 0 ? r : put(w, SHARC_SPAN("]"), reterr);
}

void sharc__certify_root(const struct sharc_merkle *tree, struct sharc_buf *out)
{
    struct sharc_digest root;
    struct sharc_json j;
    char hex[SHARC_HEX_SIZE(32)];
    sharc_merkle_root(tree, &root);
    sharc_hex_encode(sharc_span(root.bytes, 32), hex);
    sharc_json_init(&j, out, false);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "algorithm", "RFC 9162, SHA-256");
    sharc_json_uint(&j, "rows", tree->count);
    sharc_json_str(&j, "sha256", hex);
    sharc_json_end(&j);
}

void sharc__certify_quoted_digest(struct sharc_span bytes, struct sharc_buf *out)
{
    struct sharc_digest d;
    char hex[SHARC_HEX_SIZE(32)];
    sharc_digest_of(SHARC_SHA256, bytes, &d);
    sharc_hex_encode(sharc_span(d.bytes, 32), hex);
    sharc_buf_printf(out, "\"%s\"", hex);
}

static int put_section(struct writing *w, const char *name, struct sharc_err *reterr)
{
    if (strcmp(name, "pages") == 0) return put_rows(w, reterr);
    sharc_buf_clear(&w->scratch);
    w->scratch.max = SECTION_MOST;
    if (strcmp(name, "issued") == 0)
        sharc_buf_put(&w->scratch, sharc_buf_span(&w->issued));
    else if (strcmp(name, "issued_sha256") == 0)
        sharc__certify_quoted_digest(sharc_buf_span(&w->issued), &w->scratch);
    else if (strcmp(name, "root") == 0)
        sharc__certify_root(&w->tree, &w->scratch);
    else if (!sharc__certify_section(w->f, name, &w->scratch))
        SHARC_BUG("a member of the certificate that nobody writes");
    int r = sharc_buf_result(&w->scratch, reterr);
    return r < 0 ? r : put(w, sharc_buf_span(&w->scratch), reterr);
}

static int put_document(struct writing *w, struct sharc_err *reterr)
{
    int r = put(w, SHARC_SPAN("{"), reterr);
    for (size_t i = 0; r == 0 && sharc__certify_sections[i]; i++) {
        SHARC_AUTO(sharc_freep) char *name = sharc_asprintf("%s\"%s\":", i ? "," : "", sharc__certify_sections[i]);
        r = put(w, sharc_span_of(name), reterr);
        if (r == 0) r = put_section(w, sharc__certify_sections[i], reterr);
    }
    return r < 0 ? r : put(w, SHARC_SPAN("}"), reterr);
}

/* --- signatures --------------------------------------------------------------------------------- */

static int sign(const struct sharc_seal_key *key, const char *path, struct sharc_span bytes, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf signature = SHARC_BUF_INIT(SHARC_SEAL_SIGNATURE);
    SHARC_AUTO(sharc_freep) char *name = sharc_asprintf("%s.sig", path);
    if (!key) {
        unlink(name); /* of a certificate that stood here before */
        return 0;
    }
    int r = sharc_seal_sign(key, bytes, &signature, reterr);
    return r < 0 ? r : sharc_file_replace(name, sharc_buf_span(&signature), reterr);
}

static int sign_file(const struct sharc_seal_key *key, const char *path, struct sharc_err *reterr)
{
    struct sharc_filemap map;
    int r = sharc_filemap_open(&map, path, reterr);
    if (r < 0) return r;
    r = sign(key, path, map.bytes, reterr);
    sharc_filemap_done(&map);
    return r;
}

/* --- the statement in short ----------------------------------------------------------------------- */

static void put_member(void *arg, const char *member, struct sharc_buf *out)
{
    const struct writing *w = arg;
    if (strcmp(member, "issued") == 0)
        sharc_buf_put(out, sharc_buf_span(&w->issued));
    else if (strcmp(member, "root") == 0)
        sharc__certify_root(&w->tree, out);
    else if (!sharc__certify_section(w->f, member, out))
        SHARC_BUG("a member of the statement that nobody writes");
}

static int put_statement(struct writing *w, const char *path, const struct sharc_certify_made *made,
                         struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(SECTION_MOST);
    SHARC_AUTO(sharc_freep) char *parent = sharc_path_parent(path);
    SHARC_AUTO(sharc_freep) char *name = sharc_path_join(parent, CERTIFY_STATEMENT);
    sharc__certify_statement(put_member, w, &made->digest, made->size, &out);
    int r = sharc_buf_result(&out, reterr);
    if (r == 0) r = sharc_file_replace(name, sharc_buf_span(&out), reterr);
    return r < 0 ? r : sign(w->o->key, name, sharc_buf_span(&out), reterr);
}

static int write_all(struct writing *w, const char *path, struct sharc_certify_made *ret, struct sharc_err *reterr)
{
    int r = put_document(w, reterr);
    if (r == 0) r = sharc_atomic_commit(&w->file, reterr);
    if (r == 0) r = sign_file(w->o->key, path, reterr);
    if (r < 0) return r;
    sharc_hasher_end(w->hasher, &ret->digest);
    sharc_merkle_root(&w->tree, &ret->root);
    ret->size = w->size;
    return put_statement(w, path, ret, reterr);
}

int sharc_certify_write(const struct sharc_derived *f, const struct sharc_certify_issue *o, const char *path,
                        struct sharc_certify_made *ret, struct sharc_err *reterr)
{
    struct writing w = {.f = f, .o = o, .scratch = SHARC_BUF_INIT(ROW_MOST), .issued = SHARC_BUF_INIT(ROW_MOST)};
    int r = sharc_atomic_open(&w.file, path, reterr);
    if (r < 0) return r;
    w.hasher = sharc_hasher_new();
    sharc_hasher_start(w.hasher, SHARC_SHA256);
    sharc_merkle_init(&w.tree);
    put_issued(o, &w.issued);
    r = write_all(&w, path, ret, reterr);
    sharc_merkle_done(&w.tree);
    sharc_hasher_free(w.hasher);
    sharc_atomic_done(&w.file);
    sharc_buf_done(&w.scratch);
    sharc_buf_done(&w.issued);
    return r;
}
