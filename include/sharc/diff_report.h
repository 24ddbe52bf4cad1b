/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons as JSON and as HTML pages that need nothing beside them, and the evidence
 * of a verdict in a sentence.
 */
#ifndef SHARC_DIFF_REPORT_H
#define SHARC_DIFF_REPORT_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_json.h"
#include "sharc/diff.h"

SHARC_PRIVATE_BEGIN

/* Which step decided, and by what; appended to out. */
void sharc_diff_evidence(const struct sharc_change_verdict *v, const struct sharc_diff_facts *before,
                         const struct sharc_diff_facts *after, const struct sharc_change_options *o,
                         struct sharc_buf *out);
/* The same of an entry, with where it moved and how many pages share its edit. */
void sharc_diff_entry_evidence(const struct sharc_diff_entry *e, const struct sharc_change_options *o,
                               struct sharc_buf *out);
/* What was the same before and after, what follows from it and what it rests on, in
 * sentences that end with a line feed each; nothing when no page was the same. */
void sharc_diff_together_text(const struct sharc_diff_together *t, struct sharc_buf *out);
/* Whose word the grades of an imported capture are, in the same form; nothing of one that sharc made. */
void sharc_diff_grader_text(const struct sharc_diff_set *s, struct sharc_buf *out);
/* What weakens a capture of a catalogue (side 0: the one before): its settings, or that it is not complete. Sentences
 * in one line, or nothing; they hold what a foreign file may have written. */
void sharc_diff_weakness_text(const struct sharc_diff_set *s, int side, const char *name, struct sharc_buf *out);
/* The facts about a version that was read (NULL: not there); spans live with it. */
struct sharc_diff_facts sharc_diff_facts_of(const struct sharc_diff_version *v);

/* A line in pieces: those that the other side does not have are marked, long stretches
 * are cut in their middle by " … ". */
typedef void sharc_diff_piece_fn(void *arg, struct sharc_span piece, bool marked);
void sharc_diff_pieces(struct sharc_span line, const struct sharc_change_mark *marks, size_t n, sharc_diff_piece_fn *fn,
                       void *arg);

/* --- what is shown of a set -------------------------------------------------------------- */

struct sharc_diff_filter {
    unsigned classes;      /* 1u << class | … */
    double min_importance; /* of pages that are listed */
    size_t limit;          /* of pages that are listed; 0: all */
    bool templates;        /* list pages with template edits among the others */
};
#define SHARC_DIFF_FILTER                     \
    {                                         \
        .classes = SHARC_DIFF_CHANGED_CLASSES \
    }
/* The next entry at or behind *at that the filter lets through, or SHARC_NPOS; *at moves
 * behind it. Does not count: limit is the caller's. */
size_t sharc_diff_filter_next(const struct sharc_diff_filter *f, const struct sharc_diff_set *s, size_t *at);

/* --- JSON ----------------------------------------------------------------------------------- */

/* One object each; names never change once released, new ones may come. names: of the two
 * sides. */
void sharc_diff_json_page(struct sharc_json *j, const struct sharc_diff_page *p,
                          const struct sharc_diff_version *before, const struct sharc_diff_version *after,
                          const struct sharc_diff_options *o);
void sharc_diff_json_set(struct sharc_json *j, const struct sharc_diff_set *s, const struct sharc_diff_filter *f,
                         const char *const names[2], const struct sharc_diff_options *o);

/* --- HTML ----------------------------------------------------------------------------------- */

/* A whole page: no script, nothing loaded from anywhere (and a policy that says so),
 * light and dark, as wide as it is given. All that comes from pages is escaped. */
void sharc_diff_html_page(struct sharc_buf *out, const struct sharc_diff_page *p,
                          const struct sharc_diff_version *before, const struct sharc_diff_version *after,
                          const struct sharc_diff_options *o);
/* The same of a set; the details of the first `details` listed pages and of one page of
 * every template are read again and shown too. */
int sharc_diff_html_set(struct sharc_buf *out, const struct sharc_diff_set *s, const struct sharc_diff_filter *f,
                        const char *const names[2], size_t details, const struct sharc_diff_options *o,
                        struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif
