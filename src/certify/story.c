/* SPDX-License-Identifier: Apache-2.0
 *
 * The words. No sentence may promise more than the grade: docs/evidence.md.
 */
#include "story.h"
#include "tls.h"

#include "sharc/evidence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct telling {
    const struct sharc_derived *f;
    const struct sharc_certify_issue *o;
    const struct sharc_certify_made *made;
    struct sharc_certify_sum sum;
    struct sharc_paper *out;
    size_t most; /* rows */
};

#define say(t, kind, ...) sharc_paper_say((t)->out, kind, __VA_ARGS__)

static void row(struct telling *t, enum sharc_paper_kind kind, const char *a, const char *b, const char *c,
                const char *d)
{
    sharc_paper_row(t->out, kind, (const char *const[]){a, b, c, d, NULL});
}

/* "2026-11-16 14:16:12.651 UTC" */
static const char *when(sharc_time at, int digits, char out[SHARC_TIME_TEXT])
{
    if (at == SHARC_TIME_NONE) return "-";
    sharc_time_iso(at, digits, out);
    char *t = strchr(out, 'T'), *z = strrchr(out, 'Z');
    if (t) *t = ' ';
    if (z) snprintf(z, SHARC_TIME_TEXT - (size_t)(z - out), " UTC");
    return out;
}

static char *number(uint64_t n)
{
    return sharc_asprintf("%" PRIu64, n);
}

/* --- the first page ----------------------------------------------------------------------- */

static void tell_asked(struct telling *t)
{
    char from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT];
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *hosts = sharc_intern_new();
    for (size_t i = 0; i < t->f->page_count; i++)
        sharc_intern_add(hosts, sharc_derive_host(sharc_derived_text(t->f, t->f->pages[i].url)), NULL);
    struct sharc_span first = sharc_intern_text(hosts, 0);
    SHARC_AUTO(sharc_freep)
    char *others = sharc_intern_count(hosts) > 1
                       ? sharc_asprintf(" and %s", SHARC_COUNT(sharc_intern_count(hosts) - 1, "other host"))
                       : sharc_strdup("");
    say(t, SHARC_PAPER_HEADING, "What was asked");
    say(t, SHARC_PAPER_TEXT,
        "From %s to %s a program, sharc, asked %.*s%s for %s, in %s. Every page was to be asked for twice: "
        "once in a visit, and again in a revisit after all visits had ended. The answers were stored as they came.",
        when(t->sum.began, 0, from), when(t->sum.ended, 0, to), SHARC_SPAN_ARG(first), others,
        SHARC_COUNT(t->sum.pages, "address|addresses"), SHARC_COUNT(t->sum.downloads, "download"));
}

static void grade_row(struct telling *t, enum sharc_grade g, const char *name, const char *meaning)
{
    SHARC_AUTO(sharc_freep) char *n = number(t->sum.grades[g]);
    SHARC_AUTO(sharc_freep) char *label = sharc_asprintf("%d  %s", (int)g, name);
    row(t, SHARC_PAPER_ROW, label, n, meaning, NULL);
}

/* What grade 2 rests on; nothing where no page does. */
static void basis_row(struct telling *t, enum sharc_grade_reason r, const char *meaning)
{
    if (!t->sum.reasons[r]) return;
    SHARC_AUTO(sharc_freep) char *n = number(t->sum.reasons[r]);
    SHARC_AUTO(sharc_freep) char *label = sharc_asprintf("of these, %s", sharc_grade_reason_word(r));
    row(t, SHARC_PAPER_ROW, label, n, meaning, NULL);
}

static void tell_found(struct telling *t)
{
    say(t, SHARC_PAPER_HEADING, "What was found");
    row(t, SHARC_PAPER_TABLE, "grade", "pages", "what the two answers showed", NULL);
    grade_row(t, SHARC_GRADE_IDENTICAL, "identical", "Both answers were complete and had the same content.");
    grade_row(t, SHARC_GRADE_VOLATILE, "same but for volatile parts",
              "They differed only in parts that differ on every request, as control downloads showed:");
    basis_row(t, SHARC_GRADED_OWN_CONTROL, "downloads of the page itself.");
    basis_row(t, SHARC_GRADED_KIND_CONTROL,
              "downloads of other pages of its kind. That this page differs there by itself was not tried.");
    basis_row(t, SHARC_GRADED_LATE_CONTROL, "times and counters, which later downloads showed to move by themselves.");
    grade_row(t, SHARC_GRADE_ATTESTED, "attested",
              "The server said that nothing had changed, and did not send it again.");
    grade_row(t, SHARC_GRADE_ALIKE, "alike", "They were similar. That proves nothing.");
    grade_row(t, SHARC_GRADE_UNPROVED, "not proved", "Changed, gone, cut, failed, or not asked for a second time.");
}

static void tell_meaning(struct telling *t)
{
    char from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT], length[SHARC_TIME_TEXT];
    const struct sharc_certify_sum *s = &t->sum;
    uint64_t proved = s->grades[SHARC_GRADE_IDENTICAL] + s->grades[SHARC_GRADE_VOLATILE];
    say(t, SHARC_PAPER_HEADING, "What that means");
    if (s->from == SHARC_TIME_NONE) {
        say(t, SHARC_PAPER_STRONG,
            "No page was found the same before and after. This capture proves nothing about pages existing "
            "together.");
        return;
    }
    say(t, SHARC_PAPER_STRONG, "%" PRIu64 " of %s found the same before and after.", proved,
        SHARC_COUNT(s->pages, "page was|pages were"));
    say(t, SHARC_PAPER_TEXT,
        "If nobody changed a page and changed it back between the two downloads, then %" PRIu64
        " of them existed together, with the content that is stored here%s, at every moment from %s to %s, which is "
        "%s.",
        s->together, s->grades[SHARC_GRADE_VOLATILE] ? " (but for the volatile parts listed)" : "",
        when(s->from, 3, from), when(s->to, 3, to), sharc_duration_text(s->to - s->from, length));
    say(t, SHARC_PAPER_TEXT,
        "A page is seen together with its images, styles and scripts. Of the %s, %" PRIu64
        " stayed the same with all that they embed.",
        SHARC_COUNT(s->whole_pages, "page that a reader opens|pages that a reader opens"),
        s->whole[SHARC_GRADE_IDENTICAL] + s->whole[SHARC_GRADE_VOLATILE]);
}

static void tell_silence(struct telling *t)
{
    say(t, SHARC_PAPER_HEADING, "What it does not mean");
    for (size_t i = 0; sharc__certify_silence[i]; i++) say(t, SHARC_PAPER_ITEM, "%s", sharc__certify_silence[i]);
}

static void tell_check(struct telling *t)
{
    char text[SHARC_DIGEST_TEXT], at[SHARC_TIME_TEXT];
    struct sharc_digest print;
    say(t, SHARC_PAPER_HEADING, "How it can be checked");
    say(t, SHARC_PAPER_TEXT,
        "This document is a reading aid. What counts is the file certificate.json, issued %s%s%s, with the digest "
        "below. "
        "Whoever has it and the archive files can derive every statement again: sharc verify --certificate "
        "certificate.json FILES.",
        when(t->o->now, 0, at), t->o->operator_name ? " by " : "", t->o->operator_name ? t->o->operator_name : "");
    say(t, SHARC_PAPER_ITEM, "certificate.json: %s", sharc_digest_text(&t->made->digest, text));
    say(t, SHARC_PAPER_ITEM, "Merkle root of its rows: %s", sharc_digest_text(&t->made->root, text));
    if (t->o->key) {
        sharc_seal_key_fingerprint(t->o->key, &print);
        say(t, SHARC_PAPER_ITEM, "signed with the %s key %s", sharc_seal_kind_name(sharc_seal_key_kind(t->o->key)),
            sharc_digest_text(&print, text));
    } else {
        say(t, SHARC_PAPER_ITEM, "not signed: anybody may have written it");
    }
}

/* --- tables ------------------------------------------------------------------------------------- */

static void tell_weakness(struct telling *t)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf json = SHARC_BUF_INIT(16u << 20);
    struct sharc_arena arena = SHARC_ARENA_INIT(64u << 20);
    const struct sharc_node *doc = NULL;
    sharc__certify_section(t->f, "weakened", &json);
    say(t, SHARC_PAPER_PART, "What weakens it");
    bool some = sharc_json_read(sharc_buf_span(&json), &arena, &doc, NULL) == 0 && doc && doc->first;
    for (const struct sharc_node *n = some ? doc->first : NULL; n; n = n->next) {
        struct sharc_span what = sharc_node_text(sharc_node_get(n, "what"));
        struct sharc_span value = sharc_node_text(sharc_node_get(n, "value"));
        say(t, SHARC_PAPER_ITEM, "%.*s: %.*s", SHARC_SPAN_ARG(what), SHARC_SPAN_ARG(value));
    }
    if (!some)
        say(t, SHARC_PAPER_TEXT, "No setting that weakens it was used, no answer was cut, and no cookie was sent.");
    sharc_arena_done(&arena);
    say(t, SHARC_PAPER_TEXT, "%s",
        t->f->step_count ? "A clock was set during the capture: certificate.json names the places under clock. Pages "
                           "downloaded on both sides of such a step are not proved."
                         : "The clocks of the program and of the servers ran alike during the capture, as far as the "
                           "servers state the time.");
}

static void security_row(struct telling *t, const struct certify_tls *tls, const struct tls_use *u)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf subject = SHARC_BUF_INIT(1u << 20), issuer = SHARC_BUF_INIT(1u << 20);
    const struct tls_chain *c = u->chain == SHARC_NPOS ? NULL : &tls->chains[u->chain];
    char from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT];
    struct sharc_seal_validity valid = {SHARC_TIME_NONE, SHARC_TIME_NONE};
    if (c && c->parsed) sharc_seal_chain_certificate(c->parsed, 0, &subject, &issuer, &valid);
    SHARC_AUTO(sharc_freep) char *host = sharc_span_dup(u->host);
    SHARC_AUTO(sharc_freep)
    char *who = subject.n || issuer.n
                    ? sharc_asprintf("%.200s, issued by %.200s, valid from %s to %s", sharc_buf_str(&subject),
                                     sharc_buf_str(&issuer), when(valid.from, 0, from), when(valid.until, 0, to))
                    : sharc_strdup("not recorded");
    SHARC_AUTO(sharc_freep)
    char *checked = sharc_asprintf("%" PRIu64 " of %" PRIu64, u->verified, u->downloads);
    row(t, SHARC_PAPER_ROW, host, who, checked, NULL);
}

static void tell_security(struct telling *t)
{
    SHARC_AUTO(sharc__certify_tls_done) struct certify_tls tls;
    sharc__certify_tls_read(t->f, &tls);
    if (!tls.use_count) return;
    say(t, SHARC_PAPER_PART, "Secure connections");
    row(t, SHARC_PAPER_TABLE, "host", "certificate that the server presented", "downloads checked", NULL);
    for (size_t i = 0; i < tls.use_count && i < t->most; i++) security_row(t, &tls, &tls.uses[i]);
    say(t, SHARC_PAPER_TEXT,
        "Checked: the program found that the certificate was issued by an authority it trusts, and for this host. "
        "certificate.json lists all certificates under servers; their texts are in the archive files.");
}

static void tell_files(struct telling *t)
{
    char hex[SHARC_HEX_SIZE(32)];
    say(t, SHARC_PAPER_PART, "Archive files");
    row(t, SHARC_PAPER_TABLE, "file", "bytes", "SHA-256", NULL);
    for (size_t i = 0; i < t->f->file_count; i++) {
        const struct sharc_derived_file *f = &t->f->files[i];
        if (!f->needed) continue;
        SHARC_AUTO(sharc_freep) char *size = number(f->bytes.n);
        sharc_hex_encode(sharc_span(f->digest.bytes, 32), hex);
        row(t, SHARC_PAPER_ROW, f->name, size, hex, NULL);
    }
}

/* The first difference of a page, for people. */
static char *difference_of(const struct sharc_derived *f, const struct sharc_derived_page *p)
{
    struct sharc_arena arena = SHARC_ARENA_INIT(16u << 20);
    const struct sharc_node *doc = NULL;
    char *text = NULL;
    if (p->detail && sharc_json_read(sharc_span_of(f->details[p->detail].json), &arena, &doc, NULL) == 0) {
        const struct sharc_node *first = sharc_node_at(sharc_node_get(doc, "first"), 0);
        struct sharc_span where = sharc_node_text(sharc_node_get(first, "where"));
        struct sharc_span old = sharc_node_text(sharc_node_get(first, "old"));
        struct sharc_span now = sharc_node_text(sharc_node_get(first, "new"));
        struct sharc_span why = sharc_node_text(sharc_node_get(doc, "why"));
        if (first)
            text = sharc_asprintf("%.*s: \"%.*s\" became \"%.*s\"", SHARC_SPAN_ARG(where), SHARC_SPAN_ARG(old),
                                  SHARC_SPAN_ARG(now));
        else if (why.n)
            text = sharc_span_dup(why);
    }
    sharc_arena_done(&arena);
    return text ? text : sharc_strdup("");
}

static void page_row(struct telling *t, const struct sharc_derived_page *p, bool proved)
{
    const struct sharc_derived *f = t->f;
    char from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT];
    SHARC_AUTO(sharc_freep) char *url = sharc_span_dup(sharc_derived_text(f, p->url)), *differs = difference_of(f, p);
    const char *reason = sharc_grade_reason_text((enum sharc_grade_reason)p->reason);
    SHARC_AUTO(sharc_freep) char *grade = sharc_asprintf("%d", (int)sharc_derived_grade(p));
    if (proved)
        row(t, SHARC_PAPER_ROW, url, grade, when(p->known_from, 3, from), when(p->known_to, 3, to));
    else
        row(t, SHARC_PAPER_ROW, url, grade, reason, differs);
}

static void tell_pages(struct telling *t, bool proved)
{
    uint64_t left = 0, shown = 0;
    for (size_t i = 0; i < t->f->page_count; i++) {
        const struct sharc_derived_page *p = &t->f->pages[i];
        if (sharc_grade_is_proof(sharc_derived_grade(p)) != proved) continue;
        if (shown == 0) {
            say(t, SHARC_PAPER_PART, "%s",
                proved ? "Pages that were the same before and after" : "Pages that are not proved");
            row(t, SHARC_PAPER_TABLE, "address", "grade", proved ? "from (end of the visit)" : "why",
                proved ? "to (start of the revisit)" : "first difference");
        }
        if (shown++ < t->most)
            page_row(t, p, proved);
        else
            left++;
    }
    if (left)
        say(t, SHARC_PAPER_TEXT, "And %s, which certificate.json lists.", SHARC_COUNT(left, "more page|more pages"));
}

/* --- the page to fill in --------------------------------------------------------------------------- */

static void tell_form(struct telling *t)
{
    char text[SHARC_DIGEST_TEXT];
    say(t, SHARC_PAPER_PART, "Statement of the person who certifies");
    say(t, SHARC_PAPER_TEXT, "This page is for a person to fill in. Nothing on it was found by the program.");
    if (t->o->statement) say(t, SHARC_PAPER_TEXT, "Stated when the certificate was issued: %s", t->o->statement);
    say(t, SHARC_PAPER_LINE, "I, (name)");
    say(t, SHARC_PAPER_LINE, "position, institution");
    say(t, SHARC_PAPER_LINE, "qualified by (training, experience)");
    say(t, SHARC_PAPER_TEXT,
        "declare that the following is true and correct to the best of my knowledge, and that I know that a "
        "false statement may be punishable under the law named below:");
    say(t, SHARC_PAPER_ITEM,
        "The capture described in certificate.json (%s) was made by an electronic process that was run by me "
        "or under my supervision, in the regular course of our work, at or near the times stated in it.",
        sharc_digest_text(&t->made->digest, text));
    say(t, SHARC_PAPER_ITEM,
        "I know how this process works, and I have no reason to doubt that it worked properly in this case, "
        "except as noted here:");
    say(t, SHARC_PAPER_LINE, "exceptions");
    say(t, SHARC_PAPER_ITEM,
        "The archive files named in it were kept so that nobody could change them unnoticed, and they still have "
        "the digests stated in it.");
    say(t, SHARC_PAPER_LINE, "under the law of");
    say(t, SHARC_PAPER_LINE, "executed on (date)");
    say(t, SHARC_PAPER_LINE, "signature");
}

void sharc__certify_story(const struct sharc_derived *f, const struct sharc_certify_issue *o,
                          const struct sharc_certify_made *made, size_t most, struct sharc_paper *ret)
{
    struct telling t = {.f = f, .o = o, .made = made, .out = ret, .most = most};
    *ret = (struct sharc_paper){0};
    sharc_certify_sum(f, &t.sum);
    say(&t, SHARC_PAPER_TITLE, "Certificate of a web capture");
    tell_asked(&t);
    tell_found(&t);
    tell_meaning(&t);
    tell_silence(&t);
    tell_check(&t);
    tell_weakness(&t);
    tell_security(&t);
    tell_files(&t);
    tell_pages(&t, false);
    tell_pages(&t, true);
    tell_form(&t);
}
