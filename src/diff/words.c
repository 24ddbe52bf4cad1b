/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of classes, and a verdict's evidence in a sentence.
 */
#include "sharc/diff.h"
#include "sharc/diff_report.h"

static const char *const class_words[] = {"unchanged", "insignificant", "text",       "links",
                                          "missing",   "new",           "redirected", "failed"};

const char *sharc_diff_class_word(enum sharc_change_class c)
{
    return (unsigned)c < SHARC_LENGTH(class_words) ? class_words[c] : "";
}

unsigned sharc_diff_class_bits(struct sharc_span word)
{
    if (sharc_span_is(word, "all")) return (1u << SHARC_DIFF_CLASSES) - 1;
    if (sharc_span_is(word, "changed")) return SHARC_DIFF_CHANGED_CLASSES;
    for (unsigned c = 0; c < SHARC_LENGTH(class_words); c++)
        if (sharc_span_is(word, class_words[c])) return 1u << c;
    return 0;
}

/* --- evidence ------------------------------------------------------------------------- */

static void put_status(struct sharc_buf *out, const char *when, const struct sharc_diff_facts *f)
{
    if (!f->there)
        sharc_buf_printf(out, "%s: no capture of it", when);
    else if (f->status > 0)
        sharc_buf_printf(out, "%s: status %d", when, f->status);
    else if (f->status < 0)
        sharc_buf_printf(out, "%s: no answer", when);
    else
        sharc_buf_printf(out, "%s: no status", when);
    if (f->redirect.n) sharc_buf_printf(out, ", redirects to %.*s", SHARC_SPAN_ARG(f->redirect));
}

static void put_likeness(struct sharc_buf *out, const struct sharc_change_verdict *v,
                         const struct sharc_change_options *o)
{
    const char *sign = v->similarity < o->alike ? "less than" : "at least";
    sharc_buf_printf(out, "texts are %.3f alike by %s, %s the %.2f that counts as the same", v->similarity,
                     v->step == SHARC_STEP_EDITS ? "edit distance" : "shingles", sign, o->alike);
}

static void put_links(struct sharc_buf *out, const struct sharc_change_verdict *v)
{
    if (v->links_added) sharc_buf_printf(out, "; %zu link%s added", v->links_added, v->links_added > 1 ? "s" : "");
    if (v->links_removed)
        sharc_buf_printf(out, "; %zu link%s removed", v->links_removed, v->links_removed > 1 ? "s" : "");
}

void sharc_diff_evidence(const struct sharc_change_verdict *v, const struct sharc_diff_facts *before,
                         const struct sharc_diff_facts *after, const struct sharc_change_options *o,
                         struct sharc_buf *out)
{
    switch (v->step) {
    case SHARC_STEP_ANSWER:
        put_status(out, "before", before);
        sharc_buf_put_str(out, "; ");
        put_status(out, "after", after);
        return;
    case SHARC_STEP_NOT_MODIFIED: sharc_buf_put_str(out, "the server said: not modified"); return;
    case SHARC_STEP_LAST_MODIFIED: sharc_buf_put_str(out, "equal Last-Modified, which is trusted"); return;
    case SHARC_STEP_PAYLOAD:
        sharc_buf_put_str(out, v->change == SHARC_UNCHANGED ? "equal payloads" : "other bytes, and no text to look at");
        break;
    case SHARC_STEP_TEXT: sharc_buf_put_str(out, "other bytes, but the same text"); break;
    case SHARC_STEP_EDITS:
    case SHARC_STEP_SHINGLES: put_likeness(out, v, o); break;
    }
    put_links(out, v);
}

struct sharc_diff_facts sharc_diff_facts_of(const struct sharc_diff_version *v)
{
    struct sharc_diff_facts f = {.there = v != NULL, .when = SHARC_TIME_NONE};
    if (!v) return f;
    f.status = v->status;
    f.when = v->when;
    f.mime = v->content_type;
    f.redirect = v->redirect;
    f.file = v->label;
    return f;
}
