/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files that answer below /api/ from the catalogues of the archives that are served. Each answer is one
 * JSON object; the table in api.c names the members of each, and /api/openapi.json is made of it.
 */
#ifndef SHARC_SERVE_API_H
#define SHARC_SERVE_API_H

#include "call.h"
#include "serve_int.h"
#include "sharc/base_json.h"
#include "sharc/store_query.h"

struct api_call {
    struct serve_call *call;
    const char *directory; /* of the archive that is asked about */
    struct sharc_store *store;
    struct sharc_json json; /* inside the object of the answer */
};

/* An answer writes members of the object; a negative code ends it with an error instead. */
typedef int api_fn(struct api_call *a, struct sharc_err *reterr);
api_fn sharc__serve_api_archives, sharc__serve_api_archive; /* api_archive.c */
api_fn sharc__serve_api_captures, sharc__serve_api_series;
api_fn sharc__serve_api_capture, sharc__serve_api_skipped, sharc__serve_api_pair; /* api_capture.c */
api_fn sharc__serve_api_pages, sharc__serve_api_page;                             /* api_pages.c */

api_fn sharc__serve_api_words, sharc__serve_api_schedule, sharc__serve_api_steps; /* api_figure.c */
api_fn sharc__serve_api_points, sharc__serve_api_calendar, sharc__serve_api_graph, sharc__serve_api_week;
api_fn sharc__serve_api_subsites;

api_fn sharc__serve_api_live, sharc__serve_api_steer; /* live.c */
/* Does the client want to hear more than once? Then the answer is a stream; false: too many listen already. */
bool sharc__serve_wants_events(const struct serve_call *c);
bool sharc__serve_live_stream(struct serve_call *c, const char *directory);

api_fn sharc__serve_api_trial; /* trial.c */
int sharc__serve_trial_stream(struct api_call *a, struct sharc_err *reterr);

api_fn sharc__serve_api_difference;                       /* api_difference.c */
api_fn sharc__serve_api_watch;                            /* api_watch.c */
api_fn sharc__serve_api_fleet;                            /* api_fleet.c */
api_fn sharc__serve_api_reviews, sharc__serve_api_review; /* api_review.c */

/* --- api_cache.c: answers that were given before --- */

/* Of the catalogue that is asked, as it is now; 0: nothing of it may be kept. */
uint64_t sharc__serve_answers_signature(const struct api_call *a);
/* The answer to the same request of a catalogue with the same signature, appended to out. */
bool sharc__serve_answers_get(struct serve_answers *k, const struct api_call *a, uint64_t signature,
                              struct sharc_buf *out);
void sharc__serve_answers_put(struct serve_answers *k, const struct api_call *a, uint64_t signature,
                              const struct sharc_buf *body);

/* JSON as the answer; and {"error": text}. */
void sharc__serve_api_send(struct serve_call *c, int status, struct sharc_buf *out);
void sharc__serve_api_fail(struct serve_call *c, int status, const char *text);

/* A parameter as text, ""  when absent; malloc'ed. */
char *sharc__serve_api_text(const struct api_call *a, const char *name);
/* A number, or the usual one when absent. SHARC_EINVAL when it is none, or above most. */
int sharc__serve_api_number(const struct api_call *a, const char *name, uint64_t usual, uint64_t most, uint64_t *ret,
                            struct sharc_err *reterr);
/* The capture that parameter `name` calls: a number, a key, "latest", a site. */
int sharc__serve_api_capture_of(const struct api_call *a, const char *name, sharc_store_id *ret,
                                struct sharc_err *reterr);
/* Members: a time as ISO 8601, or null. */
void sharc__serve_api_time(struct sharc_json *j, const char *name, sharc_time t);
/* What is known of a capture without reading its pages. */
void sharc__serve_api_put_capture(struct sharc_json *j, const struct sharc_store_capture *c);

#endif
