/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything that the served files show of one URL over time: each capture as a sighting, with the instants between
 * which it was downloaded, what it showed, and what the server said about it. Out of the records themselves; where
 * there is a catalogue, it adds grades and rates.
 */
#ifndef SHARC_SERVE_HISTORY_H
#define SHARC_SERVE_HISTORY_H

#include "find.h"
#include "sharc/base_arena.h"
#include "sharc/change_grade.h"
#include "sharc/quality_composite.h"

/* Captures of a URL that are looked at, those nearest to the time asked for: of one URL at most, and to choose one of
 * them. Of a page with many parts fewer are looked at, so that one request opens no more than about SERVE_MOST_OPENED
 * records. */
enum { SERVE_MOST_SIGHTS = 128, SERVE_MOST_CHOICES = 24, SERVE_LEAST_SIGHTS = 8, SERVE_MOST_OPENED = 4000 };

/* Where a file does not say how long a download took, it may have lasted this long: what two downloads prove begins
 * where the first of them ended for certain. */
#define SERVE_LONGEST_DOWNLOAD (60 * SHARC_SEC)

struct serve_sight {
    struct sharc_cdx line; /* its own copy */
    const struct serve_source *source;
    struct sharc_span target, location, type;
    struct sharc_span digest; /* as recorded; or none */
    char timestamp[18];
    int status;
    bool revisit;
    bool unreadable;   /* only the index tells of it */
    sharc_time stated; /* Last-Modified as the server sent it; SHARC_TIME_NONE */
    /* Of the catalogue, where there is one: */
    enum sharc_grade_reason grade; /* SHARC_GRADED_NOT_GRADED: none */
    bool foreign;                  /* the grade is the word of a file that was imported */
    double rate;                   /* changes per second; NaN: unknown */
    sharc_time reference_from, reference_to;
    bool certified; /* a certificate of its capture lies in the archive */
};

/* By target and time; all of one target stand together. */
struct serve_history {
    struct sharc_arena arena;
    struct sharc_sighting *seen;
    struct serve_sight *sights;
    size_t count, room, seen_room;
    bool cut; /* there are more captures than were looked at */
};
#define SERVE_HISTORY_INIT                   \
    {                                        \
        .arena = SHARC_ARENA_INIT(32u << 20) \
    }
void sharc__serve_history_done(struct serve_history *h);

/* Read what there is of a URL around `at`, at most this many captures. */
int sharc__serve_history(const struct sharc_edition *e, struct sharc_span url, sharc_time at, size_t most,
                         struct serve_history *h, struct sharc_err *reterr);
/* How many for each of these URLs. */
size_t sharc__serve_sights_each(size_t urls);
/* The sightings with the target of the i-th: the first of them and how many. */
size_t sharc__serve_history_range(const struct serve_history *h, size_t i, size_t *ret_count);

/* What is known of the content that sighting i showed, of the run of equal content nearest to `at`. False: nothing
 * can be said, it has no digest or no content. */
bool sharc__serve_history_known(const struct serve_history *h, size_t i, sharc_time at, struct sharc_known *ret);

/* How long a download took by "sharc-took-us: 510" or "fetchTimeMs: 12" of its metadata; negative: it does not say. */
sharc_time sharc__serve_read_took(struct sharc_span fields);
/* One more sighting; then to be sorted. */
void sharc__serve_history_add(struct serve_history *h, const struct serve_sight *s, const struct sharc_sighting *seen);
void sharc__serve_history_sort(struct serve_history *h);

/* catalogue.c: grades, rates and durations of an archive's own catalogue. */
void sharc__serve_catalogue_note(const struct sharc_edition *e, struct serve_history *h);

#endif
