/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc crawl: the summary. What is shown while it runs is in cmd_crawl_display.c.
 */
#include "cmd_crawl_report.h"
#include "basis.h"

#include "sharc/change_grade.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

void crawl_count_grades(const struct sharc_crawl_summary *s, uint64_t ret[SHARC_GRADE_COUNT])
{
    memset(ret, 0, SHARC_GRADE_COUNT * sizeof *ret);
    for (int r = 0; r < SHARC_GRADE_REASON_COUNT; r++) ret[sharc_grade_of((enum sharc_grade_reason)r)] += s->reason[r];
}

/* One visit proves nothing. What is known is what the pages say themselves. */
static void print_stated(FILE *out, const struct sharc_crawl_summary *s)
{
    char when[SHARC_TIME_TEXT];
    uint64_t others = s->judged - s->coherent;
    fprintf(out, "  coherence  nothing is proved by one visit; --for evidence visits every page again\n");
    if (s->coherent < 2 || s->reference == SHARC_TIME_NONE) {
        fprintf(out, "  stated     no two pages state by Last-Modified that they existed together\n");
        return;
    }
    fprintf(out, "  stated     %" PRIu64 " of %" PRIu64 " state no change since %s\n", s->coherent, s->judged,
            sharc_time_iso(s->reference, 0, when));
    if (others) fprintf(out, "             %" PRIu64 " state nothing, or a later change\n", others);
}

/* One cause after the other, with line breaks where a terminal is narrow. */
struct causes {
    FILE *out;
    int column;
    bool any;
};

static void print_cause(struct causes *c, uint64_t n, const char *what)
{
    enum { INDENT = 13, WIDTH = 79 };
    char text[80];
    if (n == 0) return;
    int length = snprintf(text, sizeof text, "%" PRIu64 " %s", n, what);
    bool wrap = c->any && c->column + length + 2 > WIDTH - (int)sizeof ": no proof";
    if (c->any) fputs(wrap ? ",\n" : ", ", c->out);
    if (!c->any || wrap) c->column = fprintf(c->out, "%*s", INDENT, "");
    c->column += fprintf(c->out, "%s", text) + 2;
    c->any = true;
}

/* What is no proof, by what was seen. */
static void print_no_proof(FILE *out, const struct sharc_crawl_summary *s)
{
    static const struct {
        enum sharc_grade_reason reason;
        const char *what;
    } causes[] = {{SHARC_GRADED_CHANGED, "changed"},
                  {SHARC_GRADED_GONE, "gone"},
                  {SHARC_GRADED_REDIRECTED, "redirected elsewhere"},
                  {SHARC_GRADED_FAILED, "failed"},
                  {SHARC_GRADED_NOT_REVISITED, "not revisited"},
                  {SHARC_GRADED_CUT, "cut"},
                  {SHARC_GRADED_SECOND_LOOK, "not there at a second look"},
                  {SHARC_GRADED_CLOCK, "without a certain time"},
                  {SHARC_GRADED_STALE, "only in an old copy of a cache"}};
    uint64_t grade[SHARC_GRADE_COUNT];
    struct causes c = {.out = out};
    crawl_count_grades(s, grade);
    print_cause(&c, grade[SHARC_GRADE_ATTESTED], "attested by the server");
    print_cause(&c, grade[SHARC_GRADE_ALIKE], "alike");
    for (size_t i = 0; i < SHARC_LENGTH(causes); i++) print_cause(&c, s->reason[causes[i].reason], causes[i].what);
    if (c.any) fputs(": no proof\n", out);
}

static void print_together(FILE *out, const struct sharc_crawl_summary *s)
{
    char from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT];
    if (s->reference_from == SHARC_TIME_NONE) return;
    fprintf(out, "  together   from %s to %s\n", sharc_time_iso(s->reference_from, 3, from),
            sharc_time_iso(s->reference_to, 3, to));
    if (s->apart) fprintf(out, "             but for %" PRIu64 ", which were the same at other times\n", s->apart);
}

static void print_audits(FILE *out, const struct sharc_crawl_summary *s)
{
    if (!s->attested) return;
    fprintf(out, "  word       attested %" PRIu64 ", audited %" PRIu64 ", lies %" PRIu64, s->attested, s->audited,
            s->lies);
    if (s->audited && !s->lies)
        fprintf(out, " (at most %.1f %% at 95 %% confidence)", 100 * (1 - pow(0.05, 1 / (double)s->audited)));
    fputc('\n', out);
}

/* What the site said of its changes, and whether it was true. */
static void print_signals(FILE *out, const struct sharc_crawl_summary *s)
{
    const uint32_t changes = s->signals.told + s->signals.missed, statements = s->signals.right + s->signals.wrong;
    if (s->signals.readings == 0) return;
    fprintf(out, "  signals    %s asked for again with %s\n",
            SHARC_COUNT(s->signals.lists, "list of changes|lists of changes"),
            SHARC_COUNT(s->signals.readings, "request"));
    if (changes)
        fprintf(out, "             of %s the site had told of %u\n", SHARC_COUNT(changes, "recent change"),
                s->signals.told);
    if (statements)
        fprintf(out, "             of %s put to the test %u %s true\n", SHARC_COUNT(statements, "statement"),
                s->signals.right, s->signals.right == 1 ? "was" : "were");
}

/* What the capture proves rests on less than it seems; sharc quality says the same. */
static void print_weakened(FILE *out, const struct sharc_crawl_summary *s)
{
    if (s->weakened) fprintf(out, "  weakened   by the settings %s\n", CLI_SHOWN(s->weakened));
}

/* Only when it matters: the times of a capture are those of this machine. */
static void print_clock(FILE *out, const struct sharc_crawl_summary *s)
{
    char text[SHARC_TIME_TEXT];
    const sharc_time off = s->clock.answers ? s->clock.offset : 0, size = off < 0 ? -off : off;
    if (s->clock.jumps)
        fprintf(out, "  clock      of this machine was set %s by %s during the capture\n",
                s->clock.by < 0 ? "back" : "forward",
                sharc_duration_text(s->clock.by < 0 ? -s->clock.by : s->clock.by, text));
    if (size >= 3 * SHARC_SEC)
        fprintf(out, "  clock      of this machine is %s %s those of the servers, by %s\n",
                sharc_duration_text(size, text), off < 0 ? "ahead of" : "behind",
                SHARC_COUNT(s->clock.answers, "answer"));
}

static void print_coherence(FILE *out, const struct sharc_crawl_summary *s)
{
    uint64_t grade[SHARC_GRADE_COUNT];
    if (!s->revisits) {
        print_stated(out, s);
        return;
    }
    if (s->judged == 0) {
        fprintf(out, "  coherence  nothing is proved before the revisits begin\n");
        return;
    }
    crawl_count_grades(s, grade);
    uint64_t same = grade[SHARC_GRADE_IDENTICAL] + grade[SHARC_GRADE_VOLATILE];
    fprintf(out, "  coherence  %" PRIu64 " of %" PRIu64 " (%.1f %%) were the same before and after\n", same, s->judged,
            100 * (double)same / (double)s->judged);
    if (same)
        fprintf(out, "               %" PRIu64 " identical · %" PRIu64 " the same but for volatile parts\n",
                grade[SHARC_GRADE_IDENTICAL], grade[SHARC_GRADE_VOLATILE]);
    cli_tell_basis(out, 15, s->reason);
    print_no_proof(out, s);
    if (s->whole)
        fprintf(out, "  whole      %" PRIu64 " of %s with all that they embed\n", s->whole_coherent,
                SHARC_COUNT(s->whole, "page"));
    print_together(out, s);
    print_signals(out, s);
    print_clock(out, s);
    print_audits(out, s);
}

static void print_repeats(FILE *out, const struct sharc_crawl_summary *s)
{
    if (s->not_modified || s->identical)
        fprintf(out, "  repeated   %s not modified, %" PRIu64 " identical: stored as references\n",
                SHARC_COUNT(s->not_modified, "answer"), s->identical);
}

static const char *blur_text(double blur, char text[32])
{
    if (blur > 0 && blur < 0.0001) return "< 0.0001";
    snprintf(text, 32, "%.4g", blur);
    return text;
}

/* Parts of the site; one part is all of it, and says nothing new. Before the revisits nothing is known of
 * coherence, and what is not proved need not have changed. */
static void print_worst(FILE *out, const struct sharc_crawl_summary *s)
{
    char text[32];
    const bool judged = s->revisits && s->judged;
    for (size_t i = 0; i < s->worst_count; i++) {
        const struct sharc_crawl_subsite *w = &s->worst[i];
        if (w->pages == s->pages) continue;
        fprintf(out, "  %s %s: ", i ? "          " : "worst     ", w->name);
        if (judged) fprintf(out, "%u of ", w->incoherent);
        fprintf(out, "%s%s, blur %s\n", SHARC_COUNT(w->pages, "URL"), judged ? " not proved" : "",
                blur_text(w->blur / fmax(w->pages, 1), text));
    }
}

/* How to see the list, when there is one. */
static void print_left_out(FILE *out, const struct sharc_crawl_summary *s, const char *archive)
{
    fprintf(out, "  left out   %" PRIu64 " gone, %" PRIu64 " failed, %" PRIu64 " skipped\n", s->gone, s->failed,
            s->skipped);
    if (s->failed + s->skipped == 0) return;
    fprintf(out, "             reasons:\n               sharc export -f csv --table skipped --capture %lld -a %s\n",
            (long long)s->capture, archive); /* on a line of its own, to be copied */
}

static void print_site(FILE *out, const struct sharc_crawl_summary *s, const char *archive)
{
    char size[SHARC_TIME_TEXT], took[SHARC_TIME_TEXT], text[32];
    if (s->before) {
        fprintf(out, "%s: captured before the interruption (capture %lld)\n", s->name, (long long)s->capture);
        return;
    }
    fprintf(out, "%s: %s%s\n", s->name, sharc_crawl_phase_text(s->phase), s->resumed ? " (resumed)" : "");
    SHARC_AUTO(sharc_freep) char *why = cli_words(s->why);
    if (why[0]) fprintf(out, "  because    %s\n", why);
    fprintf(out, "  captured   %s; %s", SHARC_COUNT(s->pages - s->embeds - s->redirects, "page"),
            SHARC_COUNT(s->embeds, "image, style or script|images, styles and scripts"));
    if (s->redirects) fprintf(out, "; %s", SHARC_COUNT(s->redirects, "redirect"));
    fputc('\n', out);
    fprintf(out, "             %s in %s, %s\n", sharc_size_text(s->bytes, size), SHARC_COUNT(s->downloads, "download"),
            s->took == SHARC_TIME_NONE ? "-" : sharc_duration_text(s->took, took));
    print_left_out(out, s, archive);
    if (s->pages == 0) return;
    print_weakened(out, s);
    print_coherence(out, s);
    print_repeats(out, s);
    fprintf(out, "  blur       %s changes expected between a page and the moment asked for\n",
            blur_text(s->blur, text));
    if (s->interrupted > 0)
        fprintf(out, "  note       the visits were interrupted for %s\n", sharc_duration_text(s->interrupted, took));
    print_worst(out, s);
}

/* Many sites: one line each would do; the whole only for the first ones. */
static void print_all(struct cli *c, const struct sharc_crawl *crawl, const char *archive)
{
    enum { SHOWN = 10 };
    struct sharc_crawl_summary s;
    uint64_t pages = 0, bytes = 0;
    char size[SHARC_TIME_TEXT];
    size_t n = sharc_crawl_sites(crawl);
    for (size_t i = 0; i < n; i++) {
        sharc_crawl_site(crawl, i, &s);
        pages += s.pages;
        bytes += s.bytes;
        if (i < SHOWN) print_site(c->out, &s, archive);
    }
    if (n > SHOWN)
        fprintf(c->out, "… and %s: %s, %s in all\n", SHARC_COUNT(n - SHOWN, "more site|more sites"),
                SHARC_COUNT(pages, "page"), sharc_size_text(bytes, size));
    fprintf(c->out, "archive: %s\n", archive);
}

/* In one sentence: what is not finished, and why. */
static void note_unfinished(struct cli *c, const struct sharc_crawl *crawl)
{
    enum { NAMED = 5 };
    SHARC_AUTO(sharc_buf_done) struct sharc_buf names = SHARC_BUF_INIT(4096);
    struct sharc_crawl_summary s, first = {0};
    size_t all = sharc_crawl_sites(crawl), left = 0;
    for (size_t i = 0; i < all; i++) {
        sharc_crawl_site(crawl, i, &s);
        if (s.phase != SHARC_CRAWL_SUSPENDED) continue;
        if (left++ == 0) first = s;
        if (left <= NAMED) sharc_buf_printf(&names, "%s%s", left > 1 ? ", " : "", s.name);
    }
    if (left == 1)
        cli_note(c, "%s is not finished: %s; run the same command again to resume", first.name, first.why);
    else
        cli_note(c, "%zu of %zu sites are not finished (%s%s); run the same command again to resume", left, all,
                 sharc_buf_str(&names), left > NAMED ? ", …" : "");
}

int crawl_report(struct cli *c, const struct sharc_crawl *crawl, const char *archive, int result)
{
    if (c->json)
        crawl_report_json(c, crawl, archive);
    else
        print_all(c, crawl, archive);
    if (result < 0) {
        if (result == SHARC_EINTR)
            cli_note(c, "stopped; run the same command again to resume");
        else
            note_unfinished(c, crawl);
        return cli_exit_of(result);
    }
    uint64_t pages = 0;
    bool answered = false;
    struct sharc_crawl_summary s;
    for (size_t i = 0; i < sharc_crawl_sites(crawl); i++) {
        sharc_crawl_site(crawl, i, &s);
        pages += s.pages;
        answered = answered || !s.unreached;
    }
    if (pages) return EXIT_OK;
    if (sharc_crawl_sites(crawl) == 1 && s.why[0])
        cli_note(c, "nothing was captured: %s", s.why);
    else
        cli_note(c, "nothing was captured: logs/crawl.log in the archive says why");
    return answered ? EXIT_FINDINGS : EXIT_NETWORK;
}
