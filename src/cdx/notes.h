/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes of a writer from the inside, for the build that uses them.
 */
#ifndef SHARC_WARC_CDX_NOTES_H
#define SHARC_WARC_CDX_NOTES_H

#include "jobs.h"
#include "sharc/base_sort.h"
#include "sharc/cdx.h"
#include "sharc/cdx_build.h"

enum { NOTES_WRITER = 0, NOTES_READERS = 1 }; /* of the sorter: theirs, and the first of the build's */

/* Is this the file as it was noted, to its last byte? */
bool sharc__cdx_notes_know(const struct sharc_cdx_notes *n, const struct cdx_job *job);
/* Every noted file is among the jobs and is as it was noted: else the notes are no good. */
bool sharc__cdx_notes_hold(const struct sharc_cdx_notes *n, const struct cdx_jobs *jobs);
unsigned sharc__cdx_notes_readers(const struct sharc_cdx_notes *n);
/* Their sorter, with their lines; the caller's from now on. */
struct sharc_sorter *sharc__cdx_notes_take(struct sharc_cdx_notes *n);

#endif
