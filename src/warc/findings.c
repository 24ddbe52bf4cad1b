/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of what a check found: the first thousand with their words, the rest
 * as a number.
 */
#include "verify_int.h"

#include <stdarg.h>
#include <stdio.h>

enum { FINDING_BYTES = 4 << 20 };

static const char *const names[] = {"damage", "rule",  "block digest", "payload digest", "revisit",
                                    "habit",  "index", "container",    "remark",         "signature"};

const char *sharc_finding_name(enum sharc_finding_kind kind)
{
    return (unsigned)kind < SHARC_LENGTH(names) ? names[kind] : "";
}

const char *sharc_finding_cure(enum sharc_finding_kind kind)
{
    if (kind == SHARC_FINDING_INDEX) return "run sharc index --fresh -o INDEX FILE...";
    if (kind == SHARC_FINDING_CONTAINER) return "pack its WARC files again: sharc export -o NEW.wacz FILE...";
    if (kind == SHARC_FINDING_SIGNATURE) return "get the file again from whoever signed it";
    return NULL;
}

bool sharc_finding_counts(enum sharc_finding_kind kind)
{
    return kind != SHARC_FINDING_HABIT && kind != SHARC_FINDING_REMARK;
}

void sharc_findings_init(struct sharc_findings *f)
{
    *f = (struct sharc_findings){.count = 0};
    f->last_ = &f->first;
    sharc_arena_init(&f->arena, FINDING_BYTES);
}

void sharc_findings_done(struct sharc_findings *f)
{
    sharc_arena_done(&f->arena);
    f->first = NULL;
}

void sharc_findings_add(struct sharc_findings *f, const struct sharc_finding *what)
{
    f->count += sharc_finding_counts(what->kind);
    if (f->kept_ >= SHARC_FINDINGS_KEPT) return;
    struct sharc_finding *copy = SHARC_ARENA_NEW(&f->arena, struct sharc_finding);
    struct sharc_span text = sharc_arena_copy(&f->arena, sharc_span_of(what->text));
    struct sharc_span where = what->where ? sharc_arena_copy(&f->arena, sharc_span_of(what->where)) : SHARC_SPAN_NONE;
    if (!copy || !text.p) return;
    *copy = *what;
    copy->text = text.p;
    copy->where = where.p;
    copy->next = NULL;
    *f->last_ = copy;
    f->last_ = &copy->next;
    f->kept_++;
}

void sharc__warc_finding(struct verifying *v, enum sharc_finding_kind kind, uint64_t offset, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (kind == SHARC_FINDING_RULE) v->out->counts.rules++;
    sharc_findings_add(&v->out->found, &(struct sharc_finding){.kind = kind, .offset = offset, .text = text});
}
