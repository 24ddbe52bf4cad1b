/* SPDX-License-Identifier: Apache-2.0
 *
 * Revisits and their originals, over any number of files: does each revisit find
 * the response it refers to, and has that one the digest it says? Fingerprints only,
 * some 50 bytes per response and 250 per revisit.
 */
#include "verify_int.h"

#include <stdlib.h>

enum { BY_ID, BY_TARGET_AND_DATE, BY_DIGEST };

/* Of a record's digest: a fingerprint of its value, and a bit for its algorithm; 0: none that can be read. */
struct stamp {
    uint64_t value, kind;
};

struct asking {
    uint64_t offset;
    uint64_t keys[SHARC_WARC_WAYS];
    struct stamp digest;
    bool same_payload; /* is what it states */
};

struct offering {
    uint64_t key;
    uint64_t pair; /* key and digest together, the algorithm in the last bits; 0: no digest */
};

struct sharc_origins {
    struct offering *offered;
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

static bool states_same_payload(const struct sharc_record *rec)
{
    return sharc_span_ends(rec->profile, SHARC_SPAN("/identical-payload-digest"));
}

static struct stamp stamp_of(const struct sharc_record *rec)
{
    struct sharc_digest d, nothing;
    if (!rec->payload_digest.p || sharc_digest_parse(rec->payload_digest, &d) < 0) return (struct stamp){0};
    sharc_digest_of(d.kind, SHARC_SPAN(""), &nothing);
    /* A server that says "not modified" sends no payload, and some writers digest just that. */
    if (rec->type == SHARC_WARC_REVISIT && !states_same_payload(rec) && sharc_digest_eq(&d, &nothing))
        return (struct stamp){0};
    return (struct stamp){sharc_fingerprint(sharc_span(d.bytes, d.n), 1), UINT64_C(1) << d.kind};
}

enum { KIND_BITS = 7 }; /* of a pair: 1 + the algorithm */

static uint64_t pair_of(uint64_t key, struct stamp digest)
{
    uint64_t both[2] = {key, digest.value}, kind = 1;
    if (!digest.kind) return 0;
    while (digest.kind >> kind) kind++;
    return (sharc_fingerprint(sharc_span(both, sizeof both), 2) & ~(uint64_t)KIND_BITS) | kind;
}

static void offer(struct sharc_origins *o, const struct sharc_record *rec)
{
    uint64_t keys[SHARC_WARC_WAYS];
    struct stamp digest = stamp_of(rec);
    sharc_record_origin_keys(rec, keys);
    SHARC_GROW(o->offered, o->room, o->count + SHARC_WARC_WAYS);
    for (int i = 0; i < SHARC_WARC_WAYS; i++)
        if (keys[i]) o->offered[o->count++] = (struct offering){keys[i], pair_of(keys[i], digest)};
}

static void ask(struct sharc_origins *o, const struct sharc_record *rec)
{
    SHARC_GROW(o->asked, o->asked_room, o->asked_count + 1);
    struct asking *a = &o->asked[o->asked_count++];
    a->offset = rec->offset;
    a->digest = stamp_of(rec);
    a->same_payload = a->digest.kind || states_same_payload(rec);
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

/* --- all files together ------------------------------------------------------ */

/* Only what is asked for is kept: there are fewer revisits than records, as a rule. */
struct known {
    struct sharc_map64 kinds; /* key -> FOUND and the algorithms of its digests */
    struct sharc_map64 pairs; /* key and digest together -> 1 when there is such a record */
};
#define FOUND (UINT64_C(1) << 63)

static void want(struct known *k, const struct sharc_origins *o)
{
    for (size_t i = 0; o && i < o->asked_count; i++)
        for (int way = 0; way < SHARC_WARC_WAYS; way++) {
            uint64_t key = o->asked[i].keys[way], pair = pair_of(key, o->asked[i].digest);
            if (key) (void)sharc_map64_at(&k->kinds, key);
            if (key && pair) (void)sharc_map64_at(&k->pairs, pair);
        }
}

static void learn(struct known *k, const struct sharc_origins *o)
{
    for (size_t i = 0; o && i < o->count; i++) {
        const struct offering *x = &o->offered[i];
        if (!sharc_map64_find(&k->kinds, x->key)) continue;
        *sharc_map64_at(&k->kinds, x->key) |= FOUND | (x->pair ? UINT64_C(1) << ((x->pair & KIND_BITS) - 1) : 0);
        if (sharc_map64_find(&k->pairs, x->pair)) *sharc_map64_at(&k->pairs, x->pair) = 1;
    }
}

enum answer { LOST, RIGHT, UNCOMPARED, OTHER_DIGEST };

/* The first way that leads to a record counts; several records at its end (two of the
 * same second) are one answer, and one of them must have the digest. */
static enum answer look_up(const struct known *k, const struct asking *a)
{
    for (int i = 0; i < SHARC_WARC_WAYS; i++) {
        const uint64_t *kinds = a->keys[i] ? sharc_map64_find(&k->kinds, a->keys[i]) : NULL;
        if (!kinds || !*kinds) continue;
        if (!(*kinds & a->digest.kind)) return UNCOMPARED;
        const uint64_t *pair = sharc_map64_find(&k->pairs, pair_of(a->keys[i], a->digest));
        return pair && *pair ? RIGHT : OTHER_DIGEST;
    }
    return LOST;
}

static void answer(const struct known *k, struct sharc_warc_verified *file)
{
    const struct sharc_origins *o = file->origins_;
    for (size_t i = 0; o && i < o->asked_count; i++) {
        enum answer r = look_up(k, &o->asked[i]);
        if (r == RIGHT || r == UNCOMPARED) {
            file->counts.revisits_found++;
            file->counts.revisits_uncompared += r == UNCOMPARED && o->asked[i].same_payload;
            continue;
        }
        const char *text = r == LOST ? "the response that this revisit refers to is not in these files"
                                     : "the response that this revisit refers to has another payload digest";
        sharc_findings_add(&file->found, &(struct sharc_finding){.kind = SHARC_FINDING_REVISIT,
                                                                 .offset = o->asked[i].offset,
                                                                 .text = text});
    }
}

void sharc_warc_verify_revisits(struct sharc_warc_verified *const *files, size_t count)
{
    struct known k;
    sharc_map64_init(&k.kinds);
    sharc_map64_init(&k.pairs);
    for (size_t f = 0; f < count; f++) want(&k, files[f]->origins_);
    for (size_t f = 0; f < count; f++) learn(&k, files[f]->origins_);
    for (size_t f = 0; f < count; f++) answer(&k, files[f]);
    sharc_map64_done(&k.kinds);
    sharc_map64_done(&k.pairs);
}
