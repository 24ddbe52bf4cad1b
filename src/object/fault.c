/* SPDX-License-Identifier: Apache-2.0
 *
 * What an answer that refuses means, in words that name the cure. Stores do not agree on their codes: Swift says
 * SignatureDoesNotMatch of an unknown key and AccessDenied of an old date, so that the clock is looked at, too.
 */
#include "object_int.h"

#include <stdio.h>

#define SKEW (5 * SHARC_MINUTE)

struct fault {
    const char *code; /* of the store */
    int error;
    const char *text; /* behind "NAME: " */
};

static const struct fault faults[] = {
    {"SignatureDoesNotMatch", SHARC_EACCESS,
     "the store does not accept the signature: check the secret key (AWS_SECRET_ACCESS_KEY)"},
    {"InvalidAccessKeyId", SHARC_EACCESS, "the store does not know the access key (AWS_ACCESS_KEY_ID)"},
    {"AccessDenied", SHARC_EACCESS, "the store refuses: these keys have no right to do this there"},
    {"ExpiredToken", SHARC_EACCESS, "the session token has expired (AWS_SESSION_TOKEN): get a new one"},
    {"InvalidToken", SHARC_EACCESS, "the store does not accept the session token (AWS_SESSION_TOKEN)"},
    {"RequestTimeTooSkewed", SHARC_EACCESS, "the clock of this machine is wrong, says the store: set it"},
    {"NoSuchBucket", SHARC_ENOENT, "the store has no such bucket: make it first, sharc does not"},
    {"NoSuchKey", SHARC_ENOENT, "there is no such object"},
    {"NoSuchUpload", SHARC_ENOENT, "the store does not know this upload: it was completed, aborted or has expired"},
    {"InvalidPart", SHARC_ECORRUPT, "the store does not have a part as it was sent"},
    {"EntityTooSmall", SHARC_EINVAL, "a part is smaller than the store allows"},
    {"PermanentRedirect", SHARC_ECONFIG, "the bucket is at another endpoint"},
    {"AuthorizationHeaderMalformed", SHARC_ECONFIG, "the region is wrong (AWS_REGION)"},
    {"XAmzContentSHA256Mismatch", SHARC_EDIGEST, "what arrived is not what was sent"},
    {"BadDigest", SHARC_EDIGEST, "what arrived is not what was sent"},
    {"PreconditionFailed", SHARC_ECORRUPT, "the object was replaced while it was read: try again"},
    {"InvalidRange", SHARC_ETRUNC, "the object has fewer bytes than were asked for"},
};

/* Of answers without a body, as to HEAD. */
static const char *code_of_status(long status, bool of_object)
{
    switch (status) {
    case 301:
    case 307: return "PermanentRedirect";
    case 403: return "";
    case 404: return of_object ? "NoSuchKey" : "NoSuchBucket";
    case 412: return "PreconditionFailed";
    case 416: return "InvalidRange";
    default: return "";
    }
}

static const struct fault *find_fault(const char *code)
{
    for (size_t i = 0; i < SHARC_LENGTH(faults); i++)
        if (strcmp(faults[i].code, code) == 0) return &faults[i];
    return NULL;
}

bool sharc__object_may_pass(const struct answer *a)
{
    char code[64] = "";
    if (a->status == 429 || a->status == 408 || (a->status >= 500 && a->status != 501 && a->status != 505)) return true;
    if (a->status != 400 && a->status != 409) return false;
    (void)sharc__object_element(sharc_buf_span(&a->text), "Code", code, sizeof code);
    return strcmp(code, "RequestTimeout") == 0 || strcmp(code, "OperationAborted") == 0 ||
           strcmp(code, "SlowDown") == 0;
}

static bool skewed(const struct sharc_object_store *s, const struct answer *a, sharc_time *ret)
{
    if (a->date == SHARC_TIME_NONE) return false;
    *ret = s->clock->now(s->clock) - a->date;
    return *ret > SKEW || *ret < -SKEW;
}

/* Where the store says that the bucket is. */
static void put_place(const struct answer *a, char *out, size_t room)
{
    char region[64] = "", endpoint[256] = "";
    struct sharc_span xml = sharc_buf_span(&a->text);
    out[0] = 0;
    if (!sharc__object_element(xml, "Region", region, sizeof region))
        snprintf(region, sizeof region, "%s", a->bucket_region);
    (void)sharc__object_element(xml, "Endpoint", endpoint, sizeof endpoint);
    if (region[0])
        snprintf(out, room, ": the store says %s", region);
    else if (endpoint[0])
        snprintf(out, room, ": the store says %s", endpoint);
}

int sharc__object_fault(const struct sharc_object_store *s, const struct request *q, const struct answer *a,
                        struct sharc_err *reterr)
{
    const char *name = q->name->text;
    char code[64] = "", message[256] = "", place[300];
    struct sharc_span xml = sharc_buf_span(&a->text);
    sharc_time skew;
    (void)sharc__object_element(xml, "Code", code, sizeof code);
    (void)sharc__object_element(xml, "Message", message, sizeof message);
    if (!code[0]) snprintf(code, sizeof code, "%s", code_of_status(a->status, q->name->key[0] && !q->query));
    const struct fault *f = find_fault(code);
    char apart[SHARC_TIME_TEXT];
    SHARC_FAIL_IF(a->status == 403 && skewed(s, a, &skew), reterr, SHARC_EACCESS,
                  "%s: the store refuses, and its clock is %s %s this machine's: set the clock", name,
                  sharc_duration_text(skew < 0 ? -skew : skew, apart), skew < 0 ? "ahead of" : "behind");
    SHARC_FAIL_IF(a->status == 403 && !s->access_key, reterr, SHARC_EACCESS,
                  "%s: the store refuses requests without a signature: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
                  name);
    if (f && f->error == SHARC_ECONFIG) {
        put_place(a, place, sizeof place);
        return sharc_fail(reterr, f->error, "%s: %s%s", name, f->text, place);
    }
    if (f) return sharc_fail(reterr, f->error, "%s: %s", name, f->text);
    SHARC_FAIL_IF(a->status == 403 && !code[0], reterr, SHARC_EACCESS,
                  "%s: the store refuses: a key is wrong (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or has no right to "
                  "do this there",
                  name);
    const int error = a->status == 404   ? SHARC_ENOENT
                      : a->status == 403 ? SHARC_EACCESS
                      : a->status == 501 ? SHARC_EUNSUPPORTED
                                         : SHARC_ENET;
    return sharc_fail(reterr, error, "%s: the store answered with status %ld%s%s%s%s", name, a->status,
                      code[0] ? ", " : "", code, message[0] ? ": " : "", message);
}
