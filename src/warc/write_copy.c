/* SPDX-License-Identifier: Apache-2.0
 *
 * A record of another file, byte for byte. A copy gets a fresh checksum, which
 * must not make damage look sound: what is known to be damaged is not copied.
 */
#include "record_digests.h"
#include "warc_int.h"
#include "write_int.h"

#include "sharc/warc_export.h"

#include <stdio.h>

static int judge(const struct sharc_record *rec, struct sharc__warc_matches m, struct sharc_err *reterr)
{
    struct sharc_span digest;
    const char *wrong = sharc__warc_digests_wrong(rec, m, &digest);
    if (!wrong) return 0;
    return sharc__warc_fail(rec->reader, reterr, SHARC_EDIGEST, rec->offset, "the %s does not have its digest %.*s",
                            wrong, SHARC_SPAN_ARG(sharc_span_sub(digest, 0, SHARC_DIGEST_TEXT)));
}

int sharc_record_check(struct sharc_record *rec, struct sharc_err *reterr)
{
    struct sharc__warc_digests *d = sharc__warc_digests_new();
    bool compared = sharc__warc_digests_start(d, rec);
    struct sharc_span piece;
    int r;
    while ((r = sharc_record_read(rec, SHARC_WARC_BLOCK, &piece, reterr)) > 0)
        if (compared) sharc__warc_digests_add(d, piece);
    if (r == 0) r = sharc__warc_pass_over(rec->reader, reterr);
    if (r == 0 && compared) r = judge(rec, sharc__warc_digests_end(d), reterr);
    sharc__warc_digests_free(d);
    return r;
}

/* To the end of the record's member: its checksum stands there. */
static int check_end(const struct sharc_warc_writer *w, struct sharc_record *rec, struct sharc_err *reterr)
{
    int r = sharc__warc_pass_over(rec->reader, reterr);
    return w->o.keep_doubtful && (r == SHARC_ECORRUPT || r == SHARC_ETRUNC) ? 0 : r;
}

static int copy_block(struct sharc_warc_writer *w, struct sharc_record *rec, struct sharc_err *reterr)
{
    struct sharc_span piece;
    if (!w->digests) w->digests = sharc__warc_digests_new();
    bool compared = sharc__warc_digests_start(w->digests, rec);
    int r;
    while ((r = sharc_record_read(rec, SHARC_WARC_BLOCK, &piece, reterr)) > 0) {
        if (compared) sharc__warc_digests_add(w->digests, piece);
        r = sharc__warc_member_add(w, piece, reterr);
        if (r < 0) return r;
    }
    if (r == 0) r = check_end(w, rec, reterr);
    if (r < 0 || !compared) return r;
    r = judge(rec, sharc__warc_digests_end(w->digests), w->o.keep_doubtful ? NULL : reterr);
    if (r < 0) w->doubtful++;
    return w->o.keep_doubtful ? 0 : r;
}

int sharc_warc_write_copy(struct sharc_warc_writer *w, sharc_time now, struct sharc_record *rec, struct sharc_span head,
                          struct sharc_warc_place *ret, struct sharc_err *reterr)
{
    struct sharc_warc_place place = {0};
    int r = sharc__warc_prepare(w, now, reterr);
    if (r < 0) return r;
    bool as_arc = rec->arc && !head.p;
    if (!head.p) head = rec->head;
    snprintf(place.id, sizeof place.id, "%.*s", SHARC_SPAN_ARG(sharc_span_sub(rec->id, 0, sizeof place.id - 1)));
    sharc__warc_member_begin(w, head.n + rec->block_size + 4);
    r = sharc__warc_member_add(w, head, reterr);
    if (r == 0) r = copy_block(w, rec, reterr);
    if (r == 0) r = sharc__warc_member_add(w, as_arc ? SHARC_SPAN("\n") : SHARC_SPAN("\r\n\r\n"), reterr);
    if (r == 0) r = sharc__warc_member_end(w, &place, reterr);
    if (r < 0) {
        sharc__warc_member_abandon(w);
        return r;
    }
    if (ret) *ret = place;
    return 0;
}
