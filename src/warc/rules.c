/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of WARC 1.1 about which fields a record has, as a table.
 */
#include "verify_int.h"

#define BIT SHARC_WARC_BIT
#define INFO BIT(SHARC_WARC_INFO)
#define RESPONSE BIT(SHARC_WARC_RESPONSE)
#define RESOURCE BIT(SHARC_WARC_RESOURCE)
#define REQUEST BIT(SHARC_WARC_REQUEST)
#define METADATA BIT(SHARC_WARC_METADATA)
#define REVISIT BIT(SHARC_WARC_REVISIT)
#define CONVERSION BIT(SHARC_WARC_CONVERSION)
#define CONTINUATION BIT(SHARC_WARC_CONTINUATION)
#define ALL (BIT(SHARC_WARC_TYPES) - 2) /* every known type */

/* must: types that need the field; only: types that may have it. A type that
 * the standard does not know has no rules. */
static const struct rule {
    const char *name;
    unsigned must, only;
} rules[] = {
    {"WARC-Record-ID", ALL, ALL},
    {"WARC-Date", ALL, ALL},
    {"WARC-Target-URI", ALL & ~INFO & ~METADATA, ALL & ~INFO},
    {"WARC-Concurrent-To", 0, ALL & ~INFO & ~CONVERSION & ~CONTINUATION},
    {"WARC-IP-Address", 0, ALL & ~INFO & ~CONVERSION & ~CONTINUATION},
    {"WARC-Refers-To", 0, METADATA | REVISIT | CONVERSION},
    {"WARC-Refers-To-Target-URI", 0, REVISIT},
    {"WARC-Refers-To-Date", 0, REVISIT},
    {"WARC-Warcinfo-ID", 0, ALL & ~INFO},
    {"WARC-Filename", 0, INFO},
    {"WARC-Profile", REVISIT, REVISIT},
    {"WARC-Segment-Number", CONTINUATION, ALL},
    {"WARC-Segment-Origin-ID", CONTINUATION, CONTINUATION},
    {"WARC-Segment-Total-Length", 0, CONTINUATION},
};

static void check_table(struct verifying *v, const struct sharc_record *rec)
{
    for (size_t i = 0; i < SHARC_LENGTH(rules); i++) {
        bool there = sharc_record_get(rec, rules[i].name).p != NULL;
        if (!there && (rules[i].must & BIT(rec->type)))
            sharc__finding(v, SHARC_FINDING_RULE, rec->offset, "a %s record needs %s", sharc_warc_type_name(rec->type),
                           rules[i].name);
        if (there && !(rules[i].only & BIT(rec->type)))
            sharc__finding(v, SHARC_FINDING_RULE, rec->offset, "a %s record must not have %s",
                           sharc_warc_type_name(rec->type), rules[i].name);
    }
}

static bool may_repeat(struct sharc_span name)
{
    /* Extension fields are not ours to judge. */
    return !sharc_span_istarts(name, SPAN("WARC-")) && !sharc_span_istarts(name, SPAN("Content-"));
}

/* No field twice. Heads are short, but an outsider may make them long. */
static void check_repeats(struct verifying *v, const struct sharc_record *rec)
{
    size_t most = rec->count < 64 ? rec->count : 64;
    for (size_t i = 1; i < most; i++) {
        struct sharc_span name = rec->fields[i].name;
        if (may_repeat(name) || sharc_span_ieq(name, SPAN("WARC-Concurrent-To"))) continue;
        for (size_t j = 0; j < i; j++) {
            if (rec->fields[j].name.n != name.n || !sharc_span_ieq(rec->fields[j].name, name)) continue;
            sharc__finding(v, SHARC_FINDING_RULE, rec->offset, "%.*s is given twice", SPAN_ARG(name));
            break;
        }
    }
}

static void check_id(struct verifying *v, const struct sharc_record *rec)
{
    struct sharc_span id = rec->id;
    if (!id.p) return;
    bool brackets = id.n > 2 && id.p[0] == '<' && id.p[id.n - 1] == '>';
    if (!brackets || sharc_span_find(id, ' ', 0) != SHARC_NPOS || sharc_span_find(id, ':', 0) == SHARC_NPOS)
        sharc__finding(v, SHARC_FINDING_RULE, rec->offset, "WARC-Record-ID is no URI in <>");
    uint64_t *seen = sharc_map64_at(&v->ids, sharc_fingerprint(id, 0));
    if (*seen)
        sharc__finding(v, SHARC_FINDING_RULE, rec->offset, "WARC-Record-ID is that of the record at offset %llu",
                       (unsigned long long)(*seen - 1));
    else
        *seen = rec->offset + 1;
}

static void check_profile(struct verifying *v, const struct sharc_record *rec)
{
    if (rec->type != SHARC_WARC_REVISIT) return;
    bool same_payload = sharc_span_ends(rec->profile, SPAN("/revisit/identical-payload-digest"));
    if (same_payload && !rec->payload_digest.p)
        sharc__finding(v, SHARC_FINDING_RULE, rec->offset, "a revisit by payload digest has no WARC-Payload-Digest");
}

void sharc__verify_rules(struct verifying *v, const struct sharc_record *rec)
{
    if (rec->arc) return;
    if (!rec->type_name.p) sharc__finding(v, SHARC_FINDING_RULE, rec->offset, "the record has no WARC-Type");
    check_repeats(v, rec);
    if (rec->type == SHARC_WARC_OTHER) return;
    check_table(v, rec);
    check_id(v, rec);
    check_profile(v, rec);
    if (rec->date_text.p && rec->date == SHARC_TIME_NONE)
        sharc__finding(v, SHARC_FINDING_RULE, rec->offset, "WARC-Date \"%.*s\" cannot be read",
                       SPAN_ARG(sharc_span_sub(rec->date_text, 0, 40)));
}
