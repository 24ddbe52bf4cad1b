/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc verify --certificate: everything that a certificate says, derived again from the files.
 */
#include "cmd_verify_certificate.h"

#include "certified.h"

#include "sharc/base_file.h"

#include <inttypes.h>

static void tell_finding(struct cli *c, const struct sharc_certify_finding *f)
{
    fprintf(c->out, "%s: ", CLI_SHOWN(f->file));
    if (f->path) fprintf(c->out, "%s: ", CLI_SHOWN(f->path));
    if (f->offset != SHARC_NOWHERE) fprintf(c->out, "offset %" PRIu64 ": ", f->offset);
    fprintf(c->out, "%s\n", CLI_SHOWN(f->text));
}

static const char *signature_word(const struct sharc_certify_checked *k)
{
    return !k->signed_ ? "none" : k->signature ? "right" : "wrong";
}

static void tell_signature(struct cli *c, const struct cli_certificate *o, const struct sharc_certify_checked *k)
{
    if (!k->signature) {
        fprintf(c->out, "  signature  none: anybody may have written it\n");
        return;
    }
    fprintf(c->out, "  signature  right, by %s\n             %s\n",
            o->key       ? "the key given"
            : o->trusted ? CLI_SHOWN(k->subject)
                         : "the key named in it; whose key that is, you must know",
            k->signer);
}

static void tell_stamp(struct cli *c, const struct cli_certificate *o, const struct sharc_certify_checked *k)
{
    char text[SHARC_TIME_TEXT];
    if (!k->stamp) return;
    fprintf(c->out, "  stamp      %s by %s%s\n", sharc_time_iso(k->stamp_says.at, 0, text),
            k->stamp_says.authority[0] ? CLI_SHOWN(k->stamp_says.authority) : "an authority that it does not name",
            o->trusted ? "" : "; that authority was not checked: name it with --trusted");
}

static void tell(struct cli *c, const struct cli_certificate *o, const struct sharc_certify_checked *k)
{
    const char *file = CLI_SHOWN(o->file);
    for (size_t i = 0; i < k->count; i++) tell_finding(c, &k->findings[i]);
    if (k->total > k->count) fprintf(c->out, "%s\n", SHARC_COUNT(k->total - k->count, "further finding"));
    if (k->total) {
        fprintf(c->out, "%s: does not hold: %s\n", file, SHARC_COUNT(k->total, "finding"));
        return;
    }
    if (k->rules[0]) {
        fprintf(
            c->out,
            "%s: was derived by the rules %s, and this sharc has " SHARC_DERIVE_RULES
            ": its grades cannot be\nderived again here, which says nothing against it; its files are as certified\n",
            file, k->rules);
        tell_signature(c, o, k);
        tell_stamp(c, o, k);
        return;
    }
    if (k->page)
        fprintf(c->out, "%s: holds: %s with the proof that it belongs to the certificate\n", file,
                SHARC_COUNT(k->rows, "row"));
    else
        fprintf(c->out, "%s: holds: %s derived again from the files\n", file, SHARC_COUNT(k->rows, "row"));
    tell_signature(c, o, k);
    tell_stamp(c, o, k);
    if (k->files) cli_tell_certified(c, &k->sum);
}

static void put_stamp(struct sharc_json *j, const struct cli_certificate *o, const struct sharc_certify_checked *k)
{
    char text[SHARC_TIME_TEXT];
    sharc_json_str(j, "stamp", !k->stamped ? "none" : k->stamp ? "right" : "wrong");
    if (!k->stamp) return;
    sharc_json_str(j, "stamped", sharc_time_iso(k->stamp_says.at, 6, text));
    sharc_json_str(j, "stamped_by", k->stamp_says.authority);
    sharc_json_bool(j, "stamp_trusted", o->trusted != NULL);
}

static void put_findings(struct sharc_json *j, const struct sharc_certify_checked *k)
{
    sharc_json_array(j, "list");
    for (size_t i = 0; i < k->count; i++) {
        sharc_json_object(j, NULL);
        sharc_json_str(j, "file", k->findings[i].file);
        if (k->findings[i].path) sharc_json_str(j, "path", k->findings[i].path);
        if (k->findings[i].offset != SHARC_NOWHERE) sharc_json_uint(j, "offset", k->findings[i].offset);
        sharc_json_str(j, "text", k->findings[i].text);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static void tell_json(struct cli *c, const struct cli_certificate *o, const struct sharc_certify_checked *k)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 20);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "certificate", o->file);
    if (k->rules[0] && !k->total)
        sharc_json_null(&j, "holds"); /* nobody knows here */
    else
        sharc_json_bool(&j, "holds", k->total == 0);
    if (k->rules[0] || k->files) {
        sharc_json_str(&j, "rules", k->rules[0] ? k->rules : SHARC_DERIVE_RULES);
        sharc_json_bool(&j, "rules_known", !k->rules[0]);
    }
    sharc_json_bool(&j, "page", k->page);
    sharc_json_uint(&j, "rows", k->rows);
    sharc_json_str(&j, "signature", signature_word(k));
    if (k->signature) sharc_json_str(&j, "signer", k->signer);
    if (k->signature) sharc_json_str(&j, "key", o->key ? "given" : o->trusted ? "of a chain" : "named inside");
    if (k->subject[0]) sharc_json_str(&j, "subject", k->subject);
    put_stamp(&j, o, k);
    if (!k->page) sharc_json_str(&j, "statement", !k->stated ? "none" : k->statement ? "right" : "wrong");
    if (k->files) {
        sharc_json_object(&j, "derived");
        cli_put_certified(&j, &k->sum);
        sharc_json_end(&j);
    }
    sharc_json_uint(&j, "findings", k->total);
    put_findings(&j, k);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

int cli_verify_certificate(struct cli *c, const struct cli_certificate *o, const char *const *paths, size_t count)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf pem = SHARC_BUF_INIT(1u << 20), trusted = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *key = NULL;
    SHARC_AUTO(sharc_certify_checked_done) struct sharc_certify_checked checked = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    int r = o->key ? sharc_file_read(o->key, &pem, &err) : 0;
    if (r == 0 && o->key) r = sharc_seal_key_read(sharc_buf_span(&pem), &key, &err);
    if (r == 0 && o->trusted) r = sharc_file_read(o->trusted, &trusted, &err);
    if (r < 0) return cli_fail(c, &err);
    struct sharc_certify_checking k = {.certificate = o->file,
                                       .paths = paths,
                                       .count = count,
                                       .key = key,
                                       .trusted = sharc_buf_span(&trusted),
                                       .threads = (unsigned)o->threads};
    if (sharc_certify_check(&k, &checked, &err) < 0) return cli_fail(c, &err);
    if (c->json)
        tell_json(c, o, &checked);
    else
        tell(c, o, &checked);
    return checked.total ? EXIT_FINDINGS : checked.rules[0] ? EXIT_INPUT : EXIT_OK;
}
