/* SPDX-License-Identifier: Apache-2.0 */
#include "certified.h"

#include "basis.h"

#include "sharc/change_grade.h"

#include <inttypes.h>

static double share(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

static void tell_rest(struct cli *c, const struct sharc_certify_sum *s)
{
    uint64_t attested = s->grades[SHARC_GRADE_ATTESTED], alike = s->grades[SHARC_GRADE_ALIKE];
    uint64_t rest = s->grades[SHARC_GRADE_UNPROVED] + s->grades[SHARC_GRADE_NONE];
    if (attested + alike + rest)
        fprintf(c->out,
                "             %" PRIu64 " attested by the server, %" PRIu64 " alike, %" PRIu64
                " changed or not to be compared: no proof\n",
                attested, alike, rest);
}

void cli_tell_certified(struct cli *c, const struct sharc_certify_sum *s)
{
    char from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT], size[SHARC_TIME_TEXT];
    uint64_t identical = s->grades[SHARC_GRADE_IDENTICAL], same = s->grades[SHARC_GRADE_VOLATILE];
    uint64_t whole = s->whole[SHARC_GRADE_IDENTICAL] + s->whole[SHARC_GRADE_VOLATILE];
    fprintf(c->out, "  files      %zu, %s\n", s->files, sharc_size_text(s->bytes, size));
    fprintf(c->out, "  coherence  %" PRIu64 " of %" PRIu64 " (%.1f %%) were the same before and after\n",
            identical + same, s->pages, share(identical + same, s->pages));
    fprintf(c->out, "             %" PRIu64 " identical, %" PRIu64 " the same but for volatile parts\n", identical,
            same);
    cli_tell_basis(c->out, 13, s->reasons);
    tell_rest(c, s);
    fprintf(c->out, "  whole      %" PRIu64 " of %s with all that they embed\n", whole,
            SHARC_COUNT(s->whole_pages, "page"));
    if (s->from == SHARC_TIME_NONE)
        fprintf(c->out, "  together   no time: no page was the same before and after\n");
    else
        fprintf(c->out, "  together   %" PRIu64 " from %s to %s\n", s->together, sharc_time_iso(s->from, 3, from),
                sharc_time_iso(s->to, 3, to));
}

static void put_grades(struct sharc_json *j, const char *name, const uint64_t grades[SHARC_GRADE_COUNT])
{
    sharc_json_object(j, name);
    for (int g = SHARC_GRADE_IDENTICAL; g < SHARC_GRADE_COUNT; g++)
        sharc_json_uint(j, sharc_grade_word((enum sharc_grade)g), grades[g]);
    sharc_json_end(j);
}

void cli_put_certified(struct sharc_json *j, const struct sharc_certify_sum *s)
{
    sharc_json_uint(j, "files", s->files);
    sharc_json_uint(j, "bytes", s->bytes);
    sharc_json_uint(j, "pages", s->pages);
    sharc_json_uint(j, "downloads", s->downloads);
    put_grades(j, "grades", s->grades);
    sharc_json_object(j, "reasons");
    for (int r = 0; r < SHARC_GRADE_REASON_COUNT; r++)
        if (s->reasons[r]) sharc_json_uint(j, sharc_grade_reason_word((enum sharc_grade_reason)r), s->reasons[r]);
    sharc_json_end(j);
    sharc_json_uint(j, "whole_pages", s->whole_pages);
    put_grades(j, "whole", s->whole);
    sharc_json_uint(j, "together", s->together);
    sharc_json_time(j, "from", s->from);
    sharc_json_time(j, "to", s->to);
}
