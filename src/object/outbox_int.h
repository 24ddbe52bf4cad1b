/* SPDX-License-Identifier: Apache-2.0
 *
 * The outbox from the inside:
 *
 *   outbox.c        the list of files, the thread, waiting
 *   outbox_send.c   one file: what is done next, and doing it
 *   outbox_state.c  FILE.upload
 */
#ifndef SHARC_OUTBOX_INT_H
#define SHARC_OUTBOX_INT_H

#include "sharc/object_outbox.h"

/*  KNOWN --compare--> BEGUN or FRESH --parts--> … --complete--> DONE
 *  Each arrow is a function of outbox_send.c. A failure leaves the file where it was. */
struct outgoing {
    char *file, *name; /* here, and in the store */
    /* guarded by the outbox's lock */
    uint64_t safe;
    bool closed;     /* and safe to its end */
    uint64_t *marks; /* where parts end */
    size_t mark_count, mark_room;
    bool done;
    struct sharc_err failure; /* code != 0: not tried any more */
    /* the thread's alone */
    bool completing;                   /* the store was asked to: the object may be there */
    bool compared;                     /* what is known is what the store knows */
    struct sharc_object_upload upload; /* id "": none */
    struct sharc_object_part *parts;
    size_t part_count, part_room;
    uint64_t *kept; /* marks, as the state file gets them */
    size_t kept_count, kept_room;
};

/* As it was when the thread looked at it. */
struct look {
    uint64_t safe;
    bool closed;
    uint64_t mark; /* where the next part ends; 0: not known yet */
};

struct sending {
    struct sharc_object_store *store;
    const char *dir;
    int *steps_left; /* for tests */
};

static inline uint64_t outgoing_sent(const struct outgoing *g)
{
    uint64_t n = 0;
    for (size_t i = 0; i < g->part_count; i++) n += g->parts[i].size;
    return n;
}

/* One step. 2: it is in the store, and no longer here; 1: there may be another step; 0: nothing to do now. */
int sharc__outbox_advance(const struct sending *s, struct outgoing *g, const struct look *look,
                          struct sharc_err *reterr);

/* --- FILE.upload ------------------------------------------------------------ */

char *sharc__outbox_state_path(const char *dir, const char *file);
int sharc__outbox_state_write(const char *dir, const struct outgoing *g, struct sharc_err *reterr);
/* What cannot be read counts as not there: the file is sent from its beginning. */
void sharc__outbox_state_read(const char *dir, struct outgoing *g);

#endif
