/* SPDX-License-Identifier: Apache-2.0
 *
 * One walk over a file, leniently, noting everything that is not as it should
 * be.
 */
#include "verify_int.h"

#include "record_digests.h"

#include "sharc/base_limits.h"

/* --- findings ------------------------------------------------------------ */

/* The reader's words come with file and offset in front: those stand apart here. */
static const char *bare_sentence(const char *text)
{
    const char *at = strstr(text, ": offset ");
    const char *colon = at ? strchr(at + 9, ':') : NULL;
    return colon && colon[1] == ' ' ? colon + 2 : text;
}

static void from_reader(void *arg, const struct sharc_err *what)
{
    enum sharc_finding_kind kind = what->code < 0 ? SHARC_FINDING_DAMAGE : SHARC_FINDING_HABIT;
    SHARC_AUTO(sharc_freep) char *text = sharc_strdup(bare_sentence(what->text));
    char *cure = strstr(text, "; cure:");
    if (cure) *cure = 0;
    sharc__warc_finding(arg, kind, what->offset, "%s", text);
}

/* --- digests ------------------------------------------------------------- */

/* Nothing can be compared: an algorithm that is unknown is nobody's fault, a value that is no digest is. */
static void note_form(struct verifying *v, const struct sharc_record *rec, enum sharc__warc_match match,
                      const char *name, struct sharc_span text)
{
    text = sharc_span_sub(text, 0, 60);
    if (match == MATCH_UNREADABLE)
        sharc__warc_finding(v, SHARC_FINDING_RULE, rec->offset, "%s \"%.*s\" cannot be read", name,
                            SHARC_SPAN_ARG(text));
    if (match != MATCH_UNKNOWN) return;
    v->out->counts.digests_unknown++;
    if (!v->told_form)
        sharc__warc_finding(v, SHARC_FINDING_HABIT, rec->offset, "%s \"%.*s\" is in an unknown form", name,
                            SHARC_SPAN_ARG(text));
    v->told_form = true;
}

static void note_block(struct verifying *v, const struct sharc_record *rec, enum sharc__warc_match match)
{
    struct sharc_warc_counts *c = &v->out->counts;
    if (match == MATCH_RIGHT) {
        c->blocks_right++;
    } else if (match == MATCH_OF_NOTHING) {
        if (!v->told_nothing)
            sharc__warc_finding(v, SHARC_FINDING_HABIT, rec->offset,
                                "the revisit's block digest is that of an empty block");
        v->told_nothing = true;
        c->digests_of_nothing++;
    } else if (match == MATCH_WRONG) {
        c->blocks_wrong++;
        sharc__warc_finding(v, SHARC_FINDING_BLOCK, rec->offset, "the block does not have its digest %.*s",
                            SHARC_SPAN_ARG(rec->block_digest));
    }
}

static void note_payload(struct verifying *v, const struct sharc_record *rec, const struct sharc__warc_matches *m)
{
    struct sharc_warc_counts *c = &v->out->counts;
    if (m->payload == MATCH_RIGHT || m->payload == MATCH_OTHERWISE) {
        c->payloads_right++;
        c->payloads_framed += m->payload == MATCH_OTHERWISE && !m->no_http;
    } else if (m->payload == MATCH_WRONG) {
        c->payloads_wrong++;
        sharc__warc_finding(v, SHARC_FINDING_PAYLOAD, rec->offset, "the payload does not have its digest %.*s%s",
                            SHARC_SPAN_ARG(rec->payload_digest),
                            m->no_http ? " (no HTTP head can be read: neither the block nor what stands behind its "
                                         "first empty line has it)"
                                       : "");
    }
}

/* A block that ends too early is damage, which the walk counts: no comparison. */
static void check_digests(struct verifying *v, struct sharc_record *rec)
{
    struct sharc_span piece;
    bool compared = sharc__warc_digests_start(v->hashing, rec);
    struct sharc__warc_matches m = sharc__warc_digests_claims(v->hashing);
    note_form(v, rec, m.block, "WARC-Block-Digest", rec->block_digest);
    note_form(v, rec, m.payload, "WARC-Payload-Digest", rec->payload_digest);
    v->out->counts.undigested += !compared;
    if (!compared) return;
    int r;
    while ((r = sharc_record_read(rec, SHARC_WARC_BLOCK, &piece, NULL)) > 0) sharc__warc_digests_add(v->hashing, piece);
    if (r < 0) return;
    m = sharc__warc_digests_end(v->hashing);
    note_block(v, rec, m.block);
    note_payload(v, rec, &m);
}

/* --- the walk ------------------------------------------------------------ */

static int walk(struct verifying *v, struct sharc_warc *w, struct sharc_err *reterr)
{
    struct sharc_record rec;
    struct sharc_warc_counts *c = &v->out->counts;
    int r;
    while ((r = sharc_warc_next(w, &rec, reterr)) > 0) {
        c->types[rec.type]++;
        sharc__warc_verify_rules(v, &rec);
        sharc__warc_origins_note(v->out, &rec);
        if (v->digests) check_digests(v, &rec);
    }
    struct sharc_warc_stats s = sharc_warc_stats(w);
    if (s.joined > 0)
        sharc__warc_finding(v, SHARC_FINDING_RULE, 0,
                            "in %s compressed members and records do not match: replay needs one record per member",
                            SHARC_COUNT(s.joined, "place"));
    c->records = s.records;
    c->bytes = s.bytes;
    c->damaged = s.damaged;
    c->habits = s.warnings + c->digests_unknown + c->digests_of_nothing;
    v->out->packing = sharc_warc_packing(w);
    return r;
}

static int verify(struct verifying *v, struct sharc_warc *w, struct sharc_err *reterr)
{
    sharc_map64_init(&v->ids);
    v->hashing = sharc__warc_digests_new();
    int r = walk(v, w, reterr);
    const struct sharc_warc_counts *c = &v->out->counts;
    if (r == 0 && c->records == 0 && v->out->found.count == 0)
        sharc__warc_finding(v, SHARC_FINDING_DAMAGE, 0,
                            c->bytes > 0 ? "there is no record in this file" : "the file is empty");
    sharc__warc_digests_free(v->hashing);
    sharc_map64_done(&v->ids);
    return r;
}

static int open_and_verify(const char *path, struct sharc_span bytes, const struct sharc_warc_verify_options *o,
                           struct sharc_warc_verified *ret, struct sharc_err *reterr)
{
    *ret = (struct sharc_warc_verified){.origins_ = NULL};
    sharc_findings_init(&ret->found);
    struct verifying v = {.out = ret, .digests = !(o && o->no_digests)};
    struct sharc_warc_options ro = {.lenient = true, .name = o ? o->name : NULL, .warn = from_reader, .warn_arg = &v};
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    int r = path ? sharc_warc_open(path, &ro, &w, reterr) : sharc_warc_open_bytes(bytes, &ro, &w, reterr);
    return r < 0 ? r : verify(&v, w, reterr);
}

int sharc_warc_verify(const char *path, const struct sharc_warc_verify_options *o, struct sharc_warc_verified *ret,
                      struct sharc_err *reterr)
{
    return open_and_verify(path, SHARC_SPAN_NONE, o, ret, reterr);
}

int sharc_warc_verify_bytes(struct sharc_span bytes, const struct sharc_warc_verify_options *o,
                            struct sharc_warc_verified *ret, struct sharc_err *reterr)
{
    return open_and_verify(NULL, bytes, o, ret, reterr);
}

void sharc_warc_verified_done(struct sharc_warc_verified *v)
{
    sharc_findings_done(&v->found);
    sharc__warc_origins_free(v->origins_);
    v->origins_ = NULL;
}
