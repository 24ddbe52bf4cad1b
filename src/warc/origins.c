/* SPDX-License-Identifier: Apache-2.0
 *
 * Revisits and their originals, over any number of files: fingerprints only,
 * some 30 bytes per record.
 */
#include "verify_int.h"

#include <stdlib.h>

enum { BY_ID, BY_TARGET_AND_DATE, BY_DIGEST };

struct asking {
    uint64_t offset;
    uint64_t keys[SHARC_WARC_WAYS];
};

struct sharc_origins {
    uint64_t *offered;
    size_t count, room;
    struct asking *asked;
    size_t asked_count, asked_room;
};

static uint64_t key(int way, struct sharc_span s)
{
    return s.n ? sharc_fingerprint(s, (uint64_t)way + 1) | 1 : 0;
}

/* Digests are compared by value: the same one may be written in two ways. */
static uint64_t digest_key(struct sharc_span s)
{
    struct sharc_digest d;
    if (!s.p || sharc_digest_parse(s, &d) < 0) return key(BY_DIGEST, s);
    return key(BY_DIGEST, sharc_span(d.bytes, d.n));
}

static uint64_t time_key(struct sharc_span target, sharc_time date)
{
    if (!target.n || date == SHARC_TIME_NONE) return 0;
    /* Whole seconds: 1.0 has no fractions, and tools round. */
    return sharc_fingerprint(target, (uint64_t)(date / SHARC_SEC)) | 1;
}

void sharc_record_origin_keys(const struct sharc_record *rec, uint64_t ret[SHARC_WARC_WAYS])
{
    bool revisit = rec->type == SHARC_WARC_REVISIT;
    sharc_time date = revisit ? SHARC_TIME_NONE : rec->date;
    if (revisit && rec->refers_to_date.p) (void)sharc_time_parse(rec->refers_to_date, &date, NULL);
    ret[BY_ID] = key(BY_ID, revisit ? rec->refers_to : rec->id);
    ret[BY_TARGET_AND_DATE] = time_key(revisit ? rec->refers_to_target : rec->target, date);
    ret[BY_DIGEST] = digest_key(rec->payload_digest);
}

static void offer(struct sharc_origins *o, const struct sharc_record *rec)
{
    uint64_t keys[SHARC_WARC_WAYS];
    sharc_record_origin_keys(rec, keys);
    SHARC_GROW(o->offered, o->room, o->count + SHARC_WARC_WAYS);
    for (int i = 0; i < SHARC_WARC_WAYS; i++)
        if (keys[i]) o->offered[o->count++] = keys[i];
}

static void ask(struct sharc_origins *o, const struct sharc_record *rec)
{
    SHARC_GROW(o->asked, o->asked_room, o->asked_count + 1);
    struct asking *a = &o->asked[o->asked_count++];
    a->offset = rec->offset;
    sharc_record_origin_keys(rec, a->keys);
}

void sharc__warc_origins_note(struct sharc_warc_verified *out, const struct sharc_record *rec)
{
    if (!out->origins_) out->origins_ = SHARC_NEW(struct sharc_origins);
    struct sharc_origins *o = out->origins_;
    if (rec->type == SHARC_WARC_REVISIT) {
        out->counts.revisits++;
        ask(o, rec);
    } else if (rec->type == SHARC_WARC_RESPONSE || rec->type == SHARC_WARC_RESOURCE) {
        offer(o, rec);
    }
}

void sharc__warc_origins_free(struct sharc_origins *o)
{
    if (!o) return;
    free(o->offered);
    free(o->asked);
    free(o);
}

static bool is_offered(const struct sharc_map64 *all, const struct asking *a)
{
    for (int i = 0; i < SHARC_WARC_WAYS; i++)
        if (a->keys[i] && sharc_map64_find(all, a->keys[i])) return true;
    return false;
}

void sharc_warc_verify_revisits(struct sharc_warc_verified *const *files, size_t count)
{
    struct sharc_map64 all;
    sharc_map64_init(&all);
    for (size_t f = 0; f < count; f++) {
        const struct sharc_origins *o = files[f]->origins_;
        for (size_t i = 0; o && i < o->count; i++) *sharc_map64_at(&all, o->offered[i]) = 1;
    }
    for (size_t f = 0; f < count; f++) {
        const struct sharc_origins *o = files[f]->origins_;
        for (size_t i = 0; o && i < o->asked_count; i++) {
            if (is_offered(&all, &o->asked[i])) {
                files[f]->counts.revisits_found++;
                continue;
            }
            sharc_findings_add(
                &files[f]->found,
                &(struct sharc_finding){.kind = SHARC_FINDING_REVISIT,
                                        .offset = o->asked[i].offset,
                                        .text = "the response that this revisit refers to is not in these files"});
        }
    }
    sharc_map64_done(&all);
}
