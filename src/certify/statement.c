/* SPDX-License-Identifier: Apache-2.0
 *
 * statement.json: a certificate in short, by which single pages are shown. It says nothing of its own: every member
 * is one of the certificate's, or follows from its bytes.
 */
#include "check.h"

#include "sharc/base_file.h"

enum { STATEMENT_MOST = 256 << 20, SHORT = 60 };

void sharc__certify_statement(certify_member_fn *put, void *arg, const struct sharc_digest *digest, uint64_t size,
                              struct sharc_buf *out)
{
    /* sorted, as RFC 8785 wants it */
    static const char *const members[] = {"capture",  "certificate", "counts", "does_not_say", "format",
                                          "interval", "issued",      "root",   "rules",        "weakened"};
    char hex[SHARC_HEX_SIZE(32)];
    sharc_hex_encode(sharc_span(digest->bytes, 32), hex);
    for (size_t i = 0; i < SHARC_LENGTH(members); i++) {
        sharc_buf_printf(out, "%s\"%s\":", i ? "," : "{", members[i]);
        if (strcmp(members[i], "certificate") == 0)
            sharc_buf_printf(out, "{\"sha256\":\"%s\",\"size\":%llu}", hex, (unsigned long long)size);
        else if (strcmp(members[i], "format") == 0)
            sharc_buf_put(out, SHARC_SPAN("\"" CERTIFY_STATEMENT_FORMAT "\""));
        else
            put(arg, members[i], out);
    }
    sharc_buf_put(out, SHARC_SPAN("}"));
}

/* --- checking ------------------------------------------------------------------------------------ */

static void put_said(void *arg, const char *member, struct sharc_buf *out)
{
    sharc_buf_put(out, sharc__certify_section_of(arg, member));
}

static void tell_difference(struct checking *x, const char *name, struct sharc_span text, struct sharc_span wanted)
{
    struct certify_difference d = {SHARC_SPAN_NONE, SHARC_SPAN_NONE};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf path = SHARC_BUF_INIT(64u << 10);
    if (!sharc__certify_differ(text, wanted, &path, &d)) return;
    SHARC_AUTO(sharc_freep) char *said = sharc__certify_short(d.said);
    SHARC_AUTO(sharc_freep) char *found = sharc__certify_short(d.found);
    sharc__certify_find(x->out, name, d.said.p ? (uint64_t)(d.said.p - text.p) : SHARC_NOWHERE, sharc_buf_str(&path),
                        "the statement says %s, the certificate %s", said, found);
}

static void check_text(struct checking *x, const char *name, struct sharc_span text)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf wanted = SHARC_BUF_INIT(STATEMENT_MOST);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_digest digest;
    if (sharc_jcs_check(text, &err) < 0) {
        const char *colon = strstr(err.text, ": "); /* behind the offset, which is told apart */
        sharc__certify_find(x->out, name, err.offset, NULL, "%s", colon ? colon + 2 : err.text);
        return;
    }
    sharc_digest_of(SHARC_SHA256, x->text, &digest);
    sharc__certify_statement(put_said, x, &digest, x->text.n, &wanted);
    if (sharc_buf_result(&wanted, &err) < 0)
        sharc__certify_find(x->out, name, SHARC_NOWHERE, NULL, "%s", err.text);
    else
        tell_difference(x, name, text, sharc_buf_span(&wanted));
}

/* It says what the certificate says, so its own signature may be missing; a wrong one may not be there. What is told
 * of signatures is told of the certificate's. */
static void check_signature(struct checking *x, const char *name, struct sharc_span text)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf signature = SHARC_BUF_INIT(SHARC_SEAL_SIGNATURE);
    SHARC_AUTO(sharc_freep) char *file = sharc_asprintf("%s.sig", name);
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc__certify_beside(x, file, &signature, &err);
    if (r < 0) sharc__certify_find(x->out, file, SHARC_NOWHERE, NULL, "%s", err.text);
    if (r <= 0) return;
    struct sharc_certify_checked before = *x->out;
    sharc__certify_check_bytes(x, file, text, sharc__certify_section_of(x, "issued"), sharc_buf_span(&signature));
    x->out->signed_ = before.signed_;
    x->out->signature = before.signature;
    memcpy(x->out->signer, before.signer, sizeof before.signer);
    memcpy(x->out->subject, before.subject, sizeof before.subject);
}

/* Beside a certificate of another name may be the statement of another certificate. */
void sharc__certify_check_statement(struct checking *x)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(STATEMENT_MOST);
    const char *last = sharc_path_last(x->o->certificate);
    SHARC_AUTO(sharc_freep)
    char *name = sharc_asprintf("%.*s" CERTIFY_STATEMENT, (int)(last - x->o->certificate), x->o->certificate);
    struct sharc_err err = SHARC_ERR_INIT;
    if (strcmp(last, CERTIFY_NAME) != 0) return;
    const uint64_t before = x->out->total;
    int r = sharc__certify_beside(x, name, &text, &err);
    if (r < 0) sharc__certify_find(x->out, name, SHARC_NOWHERE, NULL, "%s", err.text);
    if (r > 0) check_text(x, name, sharc_buf_span(&text));
    if (r > 0) check_signature(x, name, sharc_buf_span(&text));
    x->out->stated = r != 0;
    x->out->statement = r > 0 && x->out->total == before;
}
