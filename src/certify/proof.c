/* SPDX-License-Identifier: Apache-2.0
 *
 * One page of a certificate, shown without the others:
 *
 *   {"format":"sharc-certificate-page-1",
 *    "rows":[{"index":12,"proof":["…"],"row":{…}}, …],    the page first, then what it embeds
 *    "signature":"…",                                       base64, over the statement's bytes
 *    "statement":{…}}                                       statement.json: capture, interval, counts, root
 *
 * The statement's canonical form is what was signed, so it can stand here as an object.
 */
#include "check.h"

#include "sharc/base_file.h"

#include <stdlib.h>
#include <unistd.h>

enum { STATEMENT_MOST = 256 << 20 };

/* --- making one ----------------------------------------------------------------------------- */

struct showing {
    struct sharc_span pages;
    struct sharc_buf out;
    size_t shown;
};

static struct sharc_span row_at(struct sharc_span pages, uint64_t index)
{
    struct sharc_span rest = pages, row;
    for (uint64_t i = 0; sharc__certify_element(&rest, &row); i++)
        if (i == index) return row;
    return SHARC_SPAN_NONE;
}

static bool find_url(struct sharc_span pages, struct sharc_span url, uint64_t *ret, struct sharc_span *ret_row)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf quoted = SHARC_BUF_INIT(8 * url.n + 16);
    struct sharc_span rest = pages;
    sharc_json_quote(&quoted, url);
    for (*ret = 0; sharc__certify_element(&rest, ret_row); ++*ret)
        if (sharc_span_eq(sharc__certify_get(*ret_row, "url"), sharc_buf_span(&quoted))) return true;
    return false;
}

static void put_proof(struct showing *s, uint64_t index)
{
    struct sharc_span rest = s->pages, row, shown = SHARC_SPAN_NONE;
    struct sharc_merkle tree;
    struct sharc_merkle_proof proof;
    char hex[SHARC_HEX_SIZE(32)];
    sharc_merkle_init(&tree);
    for (uint64_t i = 0; sharc__certify_element(&rest, &row); i++) {
        if (i == index) {
            sharc_merkle_follow(&tree);
            shown = row;
        }
        sharc_merkle_add(&tree, row);
    }
    sharc_merkle_prove(&tree, &proof);
    sharc_merkle_done(&tree);
    sharc_buf_printf(&s->out, "%s{\"index\":%llu,\"proof\":[", s->shown++ ? "," : "", (unsigned long long)index);
    for (size_t i = 0; i < proof.length; i++) {
        sharc_hex_encode(sharc_span(proof.path[i].bytes, 32), hex);
        sharc_buf_printf(&s->out, "%s\"%s\"", i ? "," : "", hex);
    }
    sharc_buf_put(&s->out, SHARC_SPAN("],\"row\":"));
    sharc_buf_put(&s->out, shown);
    sharc_buf_put(&s->out, SHARC_SPAN("}"));
}

static void put_rows(struct showing *s, uint64_t index, struct sharc_span row)
{
    struct sharc_span rest = sharc__certify_get(sharc__certify_get(row, "whole"), "embeds"), number;
    uint64_t embed;
    put_proof(s, index);
    while (sharc__certify_element(&rest, &number))
        if (sharc_span_to_u64(number, &embed) == 0 && row_at(s->pages, embed).p) put_proof(s, embed);
}

static int put_signature(struct sharc_buf *out, const char *statement, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *name = sharc_asprintf("%s.sig", statement);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf signature = SHARC_BUF_INIT(SHARC_SEAL_SIGNATURE);
    char text[SHARC_BASE64_SIZE(SHARC_SEAL_SIGNATURE)];
    if (access(name, F_OK) < 0) return 0;
    int r = sharc_file_read(name, &signature, reterr);
    if (r < 0) return r;
    sharc_base64_encode(sharc_buf_span(&signature), text);
    sharc_buf_printf(out, ",\"signature\":\"%s\"", text);
    return 0;
}

static int show(struct sharc_span text, const char *directory, struct sharc_span url, char **ret,
                struct sharc_err *reterr)
{
    struct showing s = {.pages = sharc__certify_get(text, "pages"), .out = SHARC_BUF_INIT(STATEMENT_MOST)};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf said = SHARC_BUF_INIT(STATEMENT_MOST);
    struct sharc_span row;
    uint64_t index;
    SHARC_FAIL_IF(!find_url(s.pages, url, &index, &row), reterr, SHARC_ENOENT, "the certificate has no page %.*s",
                  SHARC_SPAN_ARG(url));
    SHARC_AUTO(sharc_freep) char *statement = sharc_path_join(directory, CERTIFY_STATEMENT);
    SHARC_AUTO(sharc_freep) char *output = sharc_asprintf("%s/page-%llu.json", directory, (unsigned long long)index);
    int r = sharc_file_read(statement, &said, reterr);
    sharc_buf_put(&s.out, SHARC_SPAN("{\"format\":\"" CERTIFY_PAGE_FORMAT "\",\"rows\":["));
    put_rows(&s, index, row);
    sharc_buf_put(&s.out, SHARC_SPAN("]"));
    if (r == 0) r = put_signature(&s.out, statement, reterr);
    sharc_buf_put(&s.out, SHARC_SPAN(",\"statement\":"));
    sharc_buf_put(&s.out, sharc_buf_span(&said));
    sharc_buf_put(&s.out, SHARC_SPAN("}"));
    if (r == 0) r = sharc_buf_result(&s.out, reterr);
    if (r == 0) r = sharc_jcs_check(sharc_buf_span(&s.out), reterr);
    if (r == 0) r = sharc_file_replace(output, sharc_buf_span(&s.out), reterr);
    sharc_buf_done(&s.out);
    if (r == 0) *ret = SHARC_TAKE(output);
    return r;
}

int sharc_certify_page(const char *certificate, struct sharc_span url, char **ret, struct sharc_err *reterr)
{
    struct sharc_filemap map;
    SHARC_AUTO(sharc_freep) char *parent = sharc_path_parent(certificate);
    int r = sharc_filemap_open(&map, certificate, reterr);
    if (r < 0) return r;
    r = sharc_jcs_check(map.bytes, reterr);
    if (r == 0) r = show(map.bytes, parent, url, ret, reterr);
    sharc_filemap_done(&map);
    return r;
}

/* --- checking one ------------------------------------------------------------------------------- */

static bool read_digest(struct sharc_span value, struct sharc_digest *ret)
{
    SHARC_AUTO(sharc_freep) char *hex = sharc__certify_string(value);
    size_t n = 0;
    *ret = (struct sharc_digest){.kind = SHARC_SHA256};
    if (!hex || sharc_hex_decode(sharc_span_of(hex), ret->bytes, 32, &n) < 0 || n != 32) return false;
    ret->n = 32;
    return true;
}

static bool read_proof(struct sharc_span entry, uint64_t count, struct sharc_merkle_proof *ret)
{
    struct sharc_span rest = sharc__certify_get(entry, "proof"), value;
    *ret = (struct sharc_merkle_proof){.count = count};
    if (sharc_span_to_u64(sharc__certify_get(entry, "index"), &ret->index) < 0) return false;
    while (sharc__certify_element(&rest, &value))
        if (ret->length == SHARC_MERKLE_LEVELS || !read_digest(value, &ret->path[ret->length++])) return false;
    return true;
}

static void check_entry(struct checking *x, struct sharc_span entry, size_t i, uint64_t count,
                        const struct sharc_digest *root)
{
    struct sharc_merkle_proof proof;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("/rows/%zu", i);
    struct sharc_span row = sharc__certify_get(entry, "row");
    x->out->rows++;
    if (!read_proof(entry, count, &proof))
        sharc__certify_find(x->out, x->o->certificate, (uint64_t)(entry.p - x->text.p), path,
                            "the proof cannot be read");
    else if (sharc_merkle_verify(&proof, row, root, &err) < 0)
        sharc__certify_find(x->out, x->o->certificate, (uint64_t)(entry.p - x->text.p), path, "%s", err.text);
}

/* What the page embeds must be shown with it, and nothing else: the index is the row's number. */
static void check_embeds(struct checking *x, struct sharc_span rows)
{
    struct sharc_span entry, number, rest = rows;
    if (!sharc__certify_element(&rest, &entry)) return;
    struct sharc_span wanted =
        sharc__certify_get(sharc__certify_get(sharc__certify_get(entry, "row"), "whole"), "embeds");
    for (size_t i = 1;; i++) {
        bool more = sharc__certify_element(&wanted, &number), there = sharc__certify_element(&rest, &entry);
        if (!more && !there) return;
        if (more && there && sharc_span_eq(number, sharc__certify_get(entry, "index"))) continue;
        SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("/rows/%zu", i);
        sharc__certify_find(x->out, x->o->certificate, SHARC_NOWHERE, path,
                            "the rows behind the first are not those of what the page embeds");
        return;
    }
}

static void check_signature(struct checking *x, struct sharc_span statement)
{
    SHARC_AUTO(sharc_freep) char *text = sharc__certify_string(sharc__certify_get(x->text, "signature"));
    struct sharc_span issued = sharc__certify_get(statement, "issued");
    uint8_t bytes[SHARC_SEAL_SIGNATURE];
    size_t n = 0;
    if (!text) {
        if (x->o->key || x->o->trusted.n || sharc__certify_get(issued, "key").p)
            sharc__certify_find(x->out, x->o->certificate, SHARC_NOWHERE, "/signature", "the signature is missing");
        return;
    }
    if (sharc_base64_decode(sharc_span_of(text), bytes, sizeof bytes, &n) < 0)
        sharc__certify_find(x->out, x->o->certificate, SHARC_NOWHERE, "/signature", "this is not base64");
    else
        sharc__certify_check_bytes(x, x->o->certificate, statement, issued, sharc_span(bytes, n));
}

int sharc__certify_check_page(struct checking *x, struct sharc_err *reterr)
{
    (void)reterr;
    struct sharc_span statement = sharc__certify_get(x->text, "statement");
    struct sharc_span root = sharc__certify_get(statement, "root"), rows = sharc__certify_get(x->text, "rows");
    struct sharc_span rest = rows, entry;
    struct sharc_digest digest;
    uint64_t count;
    x->out->page = true;
    if (sharc_span_to_u64(sharc__certify_get(root, "rows"), &count) < 0 ||
        !read_digest(sharc__certify_get(root, "sha256"), &digest)) {
        sharc__certify_find(x->out, x->o->certificate, SHARC_NOWHERE, "/statement/root", "the root cannot be read");
        return 0;
    }
    for (size_t i = 0; sharc__certify_element(&rest, &entry); i++) check_entry(x, entry, i, count, &digest);
    if (x->out->rows == 0)
        sharc__certify_find(x->out, x->o->certificate, SHARC_NOWHERE, "/rows", "there is no page in it");
    check_embeds(x, rows);
    check_signature(x, statement);
    return 0;
}
