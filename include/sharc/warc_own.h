/* SPDX-License-Identifier: Apache-2.0
 *
 * What sharc writes of its own into WARC records, and reads back: fields of metadata and warcinfo records
 * beyond those that every crawler writes. Each list below is the one place where its fields are
 * named; writer and reader are made of it, so that a catalogue made again from the files is the
 * one that was lost. Other readers pass these fields over.
 *
 *   WARC/1.1                                       WARC/1.1
 *   WARC-Type: warcinfo                            WARC-Type: metadata
 *
 *   isPartOf: www.example.org                      via: http://www.example.org/
 *   sharc-purpose: evidence                        sharc-capture: 2026-01-31T12:00:00.000000Z
 *   sharc-strategy: sharc-focus                    sharc-kind: revisit
 */
#ifndef SHARC_WARC_OWN_H
#define SHARC_WARC_OWN_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/warc.h"
#include "sharc/warc_write.h"

SHARC_PRIVATE_BEGIN

/* What a download was made for. */
#define SHARC_OWN_KINDS(X)        \
    X(VISIT, "visit")             \
    X(SECOND_LOOK, "second-look") \
    X(REVISIT, "revisit")         \
    X(ERRAND, "errand")           \
    X(CONTROL, "control")
/* Errands: robots.txt, a sitemap, no page. Controls: one of two downloads in immediate succession, which
 * show what differs on every request; no version of the page. */

enum sharc_own_kind {
#define X(name, word) SHARC_OWN_##name,
    SHARC_OWN_KINDS(X)
#undef X
};

/* --- metadata: one download ---------------------------------------------------------- */

/* type, member, field. TIME: SHARC_TIME_NONE is not written; WHOLE: nor is -1; REAL: nor is NAN;
 * WORD: nor is an empty one; FLAG: nor is false. */
#define SHARC_OWN_FETCH(X)                                                                                          \
    X(TIME, capture, "sharc-capture") /* when its capture began */                                                  \
    X(KIND, kind, "sharc-kind")                                                                                     \
    X(WHOLE, took, "sharc-took-us")             /* the download, in microseconds */                                 \
    X(WHOLE, slot, "sharc-slot")                /* in the order of the strategy */                                  \
    X(REAL, planned_rate, "sharc-planned-rate") /* changes per second */                                            \
    X(REAL, rate, "sharc-rate")                                                                                     \
    X(REAL, weight, "sharc-weight")                                                                                 \
    X(FLAG, hopeless, "sharc-hopeless")                                                                             \
    X(WORD, change, "sharc-change") /* what it showed: sharc_change_class_name */                                   \
    X(REAL, importance, "sharc-importance")                                                                         \
    X(WORD, decided_by, "sharc-decided-by") /* sharc_change_step_name */                                            \
    X(WORD, control, "sharc-control") /* of a control download: "first", "second" (of the pair), "late"; "audit" */ \
    X(WORD, tls_version, "sharc-tls-version") /* "TLSv1.3" */                                                       \
    X(WORD, tls_cipher, "sharc-tls-cipher")                                                                         \
    X(WORD, tls_chain, "sharc-tls-chain")       /* "sha256:…" of the block of a record of kind tls-chain */       \
    X(FLAG, tls_verified, "sharc-tls-verified") /* the chain leads to a trusted authority and names the host */     \
    X(FLAG, tls_resumed, "sharc-tls-resumed")   /* the chain was presented when the session began */

/* --- warcinfo: one file ---------------------------------------------------------------- */

/* SITE: the site that the file is about; an empty one is written as the words for several. The
 * last seven weaken what a capture proves, and are written only when they were used. */
#define SHARC_OWN_INFO(X)                                                         \
    X(SITE, site, "isPartOf")                                                     \
    X(WORD, purpose, "sharc-purpose")                                             \
    X(WORD, strategy, "sharc-strategy")                                           \
    X(WORD, delay, "sharc-delay")                                                 \
    X(REAL, confidence, "sharc-confidence")                                       \
    X(REAL, risk, "sharc-risk")                                                   \
    X(REAL, focus, "sharc-focus")                                                 \
    X(WORD, proof, "sharc-proof")           /* for evidence: full, or attested */ \
    X(FLAG, insecure, "sharc-insecure")     /* certificates were not checked */   \
    X(WORD, connect_to, "sharc-connect-to") /* other addresses than DNS says */   \
    X(WORD, proxy, "sharc-proxy")           /* without user and password */       \
    X(FLAG, trust_modified, "sharc-trust-last-modified")                          \
    X(FLAG, cookies, "sharc-cookies")    /* cookies of the operator were sent */  \
    X(FLAG, header, "sharc-header")      /* and fields of theirs */               \
    X(WHOLE, max_body, "sharc-max-body") /* larger bodies were cut, in bytes */

#define SHARC_OWN_MEMBER_TIME(member) sharc_time member;
#define SHARC_OWN_MEMBER_KIND(member) enum sharc_own_kind member;
#define SHARC_OWN_MEMBER_WHOLE(member) int64_t member;
#define SHARC_OWN_MEMBER_REAL(member) double member;
#define SHARC_OWN_MEMBER_FLAG(member) bool member;
#define SHARC_OWN_MEMBER_WORD(member) struct sharc_span member;
#define SHARC_OWN_MEMBER_SITE(member) struct sharc_span member;
#define SHARC_OWN_MEMBER(type, member, field) SHARC_OWN_MEMBER_##type(member)

struct sharc_own_fetch {
    SHARC_OWN_FETCH(SHARC_OWN_MEMBER)
    bool ours; /* read: a kind was there, so our crawler wrote the record */
};
struct sharc_own_info {
    SHARC_OWN_INFO(SHARC_OWN_MEMBER)
};

/* Nothing is known. */
void sharc_own_fetch_init(struct sharc_own_fetch *f);
void sharc_own_info_init(struct sharc_own_info *i);

/* Append the fields that are known as "name: value" lines. A word that holds a line break is left out. */
void sharc_own_fetch_put(const struct sharc_own_fetch *f, struct sharc_buf *out);
void sharc_own_info_put(const struct sharc_own_info *i, struct sharc_buf *out);

/* Take up one field of a record; false: it is none of these. A value that makes no sense changes
 * nothing. Words are spans of value. */
bool sharc_own_fetch_read(struct sharc_own_fetch *f, struct sharc_span name, struct sharc_span value);
bool sharc_own_info_read(struct sharc_own_info *i, struct sharc_span name, struct sharc_span value);

/* Is the answer a control download? Its own head says so too, since indexes read no metadata: it must not be taken
 * for a version of the page. */
bool sharc_record_is_control(const struct sharc_record *rec);
/* Is it one of the closing records of a capture, which hold its verdict as lines of JSON? It belongs to no page. */
bool sharc_record_is_verdict(const struct sharc_record *rec);

/* Certificates that a server presented, PEM: a metadata record of the target urn:sharc:tls-chain:sha256:…, which is the
 * digest of its block, and with the field sharc-kind. */
#define SHARC_WARC_CHAIN_TARGET "urn:sharc:tls-chain:"
#define SHARC_WARC_CHAIN_KIND "tls-chain"
bool sharc_record_is_tls_chain(const struct sharc_record *rec);
/* Stands among the outlinks of a page for the parts that a limit left out: URLs too long, more links than are read.
 * Nothing captures it, so that such a page is never proved as a whole. */
#define SHARC_OWN_PARTS_UNREAD "urn:sharc:parts-unread"
/* Neither a page nor about one, so that no index names it: one of these, or a closing record. */
bool sharc_record_is_note(const struct sharc_record *rec);

/* --- record ids --------------------------------------------------------------------------- */

/* "<urn:uuid:…>" of its 16 bytes. */
void sharc_warc_id_text(const uint8_t id[16], char out[SHARC_WARC_ID_TEXT]);
/* The other way round, with or without the brackets. False: another kind of id, and out is untouched. */
bool sharc_warc_id_read(struct sharc_span text, uint8_t out[16]);

SHARC_PRIVATE_END
#endif
