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
    struct sharc_span name;
    unsigned must, only;
    bool repeats;
} rules[] = {
#define FIELD(text)            \
    {                          \
        text, sizeof(text) - 1 \
    }
    {FIELD("WARC-Record-ID"), ALL, ALL},
    {FIELD("WARC-Date"), ALL, ALL},
    {FIELD("WARC-Target-URI"), ALL & ~INFO & ~METADATA, ALL & ~INFO},
    {FIELD("WARC-Concurrent-To"), 0, ALL & ~INFO & ~CONVERSION & ~CONTINUATION, true},
    {FIELD("WARC-IP-Address"), 0, ALL & ~INFO & ~CONVERSION & ~CONTINUATION},
    {FIELD("WARC-Refers-To"), 0, METADATA | REVISIT | CONVERSION},
    {FIELD("WARC-Refers-To-Target-URI"), 0, REVISIT},
    {FIELD("WARC-Refers-To-Date"), 0, REVISIT},
    {FIELD("WARC-Warcinfo-ID"), 0, ALL & ~INFO},
    {FIELD("WARC-Filename"), 0, INFO},
    {FIELD("WARC-Profile"), REVISIT, REVISIT},
    {FIELD("WARC-Segment-Number"), CONTINUATION, ALL},
    {FIELD("WARC-Segment-Origin-ID"), CONTINUATION, CONTINUATION},
    {FIELD("WARC-Segment-Total-Length"), 0, CONTINUATION},
#undef FIELD
};

enum { RULES = sizeof rules / sizeof rules[0] };

static int rule_of(struct sharc_span name)
{
    for (int i = 0; i < RULES; i++)
        if (rules[i].name.n == name.n && sharc_span_ieq(rules[i].name, name)) return i;
    return -1;
}

/* Fields outside the table that must not be given twice either. */
static bool is_single(struct sharc_span name)
{
    return sharc_span_istarts(name, SHARC_SPAN("WARC-")) || sharc_span_istarts(name, SHARC_SPAN("Content-"));
}

static bool stands_before(const struct sharc_record *rec, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (rec->fields[j].name.n == rec->fields[i].name.n && sharc_span_ieq(rec->fields[j].name, rec->fields[i].name))
            return true;
    return false;
}

/* One pass over the fields; heads are short, but an outsider may make them
 * long, so repeats are looked for among the first fields only. */
static void check_table(struct verifying *v, const struct sharc_record *rec)
{
    const char *type = sharc_warc_type_name(rec->type);
    unsigned seen = 0;
    for (size_t i = 0; i < rec->count; i++) {
        struct sharc_span name = rec->fields[i].name;
        int k = rule_of(name);
        bool twice =
            k >= 0 ? (seen & 1u << k) && !rules[k].repeats : i < 64 && is_single(name) && stands_before(rec, i);
        if (twice) sharc__warc_finding(v, SHARC_FINDING_RULE, rec->offset, "%.*s is given twice", SHARC_SPAN_ARG(name));
        if (k >= 0) seen |= 1u << k;
    }
    if (rec->type == SHARC_WARC_OTHER) return;
    for (int k = 0; k < RULES; k++) {
        bool there = seen & 1u << k;
        if (!there && (rules[k].must & BIT(rec->type)))
            sharc__warc_finding(v, SHARC_FINDING_RULE, rec->offset, "a %s record needs %s", type, rules[k].name.p);
        if (there && !(rules[k].only & BIT(rec->type)))
            sharc__warc_finding(v, SHARC_FINDING_RULE, rec->offset, "a %s record must not have %s", type,
                                rules[k].name.p);
    }
}

static void check_id(struct verifying *v, const struct sharc_record *rec)
{
    struct sharc_span id = rec->id;
    if (!id.p) return;
    bool brackets = id.n > 2 && id.p[0] == '<' && id.p[id.n - 1] == '>';
    if (!brackets || sharc_span_find(id, ' ', 0) != SHARC_NPOS || sharc_span_find(id, ':', 0) == SHARC_NPOS)
        sharc__warc_finding(v, SHARC_FINDING_RULE, rec->offset, "WARC-Record-ID is not a URI in <>");
    uint64_t *seen = sharc_map64_at(&v->ids, sharc_fingerprint(id, 0));
    if (*seen)
        sharc__warc_finding(v, SHARC_FINDING_RULE, rec->offset, "WARC-Record-ID is that of the record at offset %llu",
                            (unsigned long long)(*seen - 1));
    else
        *seen = rec->offset + 1;
}

static void check_profile(struct verifying *v, const struct sharc_record *rec)
{
    if (rec->type != SHARC_WARC_REVISIT) return;
    bool same_payload = sharc_span_ends(rec->profile, SHARC_SPAN("/revisit/identical-payload-digest"));
    if (same_payload && !rec->payload_digest.p)
        sharc__warc_finding(v, SHARC_FINDING_RULE, rec->offset,
                            "a revisit by payload digest has no WARC-Payload-Digest");
}

void sharc__warc_verify_rules(struct verifying *v, const struct sharc_record *rec)
{
    if (rec->arc) return;
    if (!rec->type_name.p) sharc__warc_finding(v, SHARC_FINDING_RULE, rec->offset, "the record has no WARC-Type");
    struct sharc_span doubt = sharc_record_get(rec, SHARC_WARC_DOUBTFUL);
    if (doubt.p)
        sharc__warc_finding(v, SHARC_FINDING_DAMAGE, rec->offset, "a repair kept this record in doubt: %.*s",
                            SHARC_SPAN_ARG(sharc_span_sub(doubt, 0, 200)));
    check_table(v, rec);
    if (rec->type == SHARC_WARC_OTHER) return;
    check_id(v, rec);
    check_profile(v, rec);
    if (rec->date_text.p && rec->date == SHARC_TIME_NONE)
        sharc__warc_finding(v, SHARC_FINDING_RULE, rec->offset, "WARC-Date \"%.*s\" cannot be read",
                            SHARC_SPAN_ARG(sharc_span_sub(rec->date_text, 0, 40)));
}
