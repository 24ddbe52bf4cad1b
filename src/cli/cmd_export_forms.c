/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc export: what is made, of files or of captures, and what is said about it.
 */
#include "cmd_export.h"
#include "cmd_export_certificate.h"
#include "signer.h"

#include "sharc/archive.h"
#include "sharc/cdx_build.h"
#include "sharc/replay_mirror.h"
#include "sharc/wacz_sign.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- telling ------------------------------------------------------------- */

struct count {
    const char *name;  /* in JSON */
    const char *words; /* as SHARC_COUNT has them */
    uint64_t number;
};

static void json_captures(struct sharc_json *j, const struct sharc_export *x)
{
    char when[SHARC_TIME_TEXT];
    struct sharc_export_capture c;
    sharc_json_array(j, "shown");
    for (size_t i = 0; i < sharc_export_sum(x).captures; i++) {
        sharc_export_capture(x, i, &c);
        sharc_json_object(j, NULL);
        sharc_json_str(j, "capture", c.key);
        sharc_json_str(j, "site", c.site);
        sharc_json_str(j, "state", c.state);
        if (c.start != SHARC_TIME_NONE) sharc_json_str(j, "started", sharc_time_iso(c.start, 6, when));
        if (c.reference != SHARC_TIME_NONE) sharc_json_str(j, "reference", sharc_time_iso(c.reference, 6, when));
        sharc_json_uint(j, "urls", c.urls);
        if (c.seed) sharc_json_str(j, "seed", c.seed);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static void print_captures(struct cli *c, const struct sharc_export *x)
{
    char when[SHARC_TIME_TEXT];
    struct sharc_export_capture e;
    for (size_t i = 0; i < sharc_export_sum(x).captures; i++) {
        sharc_export_capture(x, i, &e);
        sharc_time at = e.reference != SHARC_TIME_NONE ? e.reference : e.start;
        fprintf(c->out, "%s of %s, %s %s, %s\n", e.key, e.site, e.reference != SHARC_TIME_NONE ? "as of" : "begun",
                at != SHARC_TIME_NONE ? sharc_time_iso(at, 3, when) : "at an unknown time", SHARC_COUNT(e.urls, "URL"));
    }
}

/* start: the page to open first, or NULL. */
static void report(struct cli *c, const struct export_settings *s, const struct export_source *from, const char *start,
                   const struct count *counts, size_t n)
{
    if (c->json) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(16u << 20);
        struct sharc_json j;
        sharc_json_init(&j, &out, true);
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "output", s->output);
        if (start) sharc_json_str(&j, "start", start);
        for (size_t i = 0; i < n; i++) sharc_json_uint(&j, counts[i].name, counts[i].number);
        if (from->captures) json_captures(&j, from->captures);
        sharc_json_end(&j);
        fprintf(c->out, "%s\n", sharc_buf_str(&out));
        return;
    }
    fprintf(c->out, "%s:", s->output);
    for (size_t i = 0; i < n; i++)
        fprintf(c->out, "%s %s", i ? "," : "", SHARC_COUNT(counts[i].number, counts[i].words));
    putc('\n', c->out);
    if (from->captures) print_captures(c, from->captures);
    if (start) fprintf(c->out, "open %s/%s\n", s->output, start);
}

/* --- forms --------------------------------------------------------------- */

/* The key is read, and found fit, before anything is packed. */
static int open_signer(const struct export_settings *s, struct cli_signer *from, struct sharc_wacz_signer *ret,
                       struct sharc_err *reterr)
{
    int r = cli_signer_open(from, s->sign, s->password, s->chain, s->stamp, reterr);
    if (r < 0) return r;
    *ret = (struct sharc_wacz_signer){.key = from->key, .chain = from->chain};
    if (s->stamp) {
        ret->ask = cli_ask_authority;
        ret->ask_arg = (void *)(uintptr_t)s->stamp;
    }
    r = sharc_wacz_signer_check(ret, reterr);
    return r < 0 ? sharc_err_prefix(reterr, r, "%s", s->sign) : 0;
}

static int to_wacz(struct cli *c, const struct export_settings *s, const struct export_source *from,
                   struct sharc_err *reterr)
{
    struct sharc_clock *clock = sharc_clock_real();
    struct sharc_wacz_options o = {.title = s->title,
                                   .description = s->description,
                                   .main_url = s->main_url,
                                   .now = clock->now(clock),
                                   .requires = s->requires.items,
                                   .requires_count = s->requires.count,
                                   .pages = s->pages,
                                   .lenient = s->lenient,
                                   .threads = (unsigned)s->threads,
                                   .warn = export_remark,
                                   .warn_arg = c};
    SHARC_AUTO(cli_signer_done) struct cli_signer signer = {0};
    struct sharc_wacz_signer wacz_signer;
    struct sharc_wacz_written w;
    int r = s->sign ? open_signer(s, &signer, &wacz_signer, reterr) : 0;
    if (r < 0) return r;
    if (s->sign) {
        o.sign = sharc_wacz_sign;
        o.sign_arg = &wacz_signer;
    }
    struct export_certificate certificate = {.c = c, .signer = &signer, .output = s->output, .now = o.now};
    if (s->sign && from->captures && sharc_export_sum(from->captures).captures == 1) {
        o.extra = export_add_certificate;
        o.extra_arg = &certificate;
    }
    r = from->captures ? sharc_export_wacz(from->captures, s->output, &o, &w, reterr)
                       : sharc_wacz_write(s->output, from->files, from->count, &o, &w, reterr);
    if (r < 0) return r;
    const struct count counts[] = {{"warcs", "WARC", w.warcs},
                                   {"captures", from->captures ? "index line" : "capture", w.captures},
                                   {"pages", from->captures ? "HTML page" : "page", w.pages},
                                   {"bytes", "byte", w.bytes},
                                   {"captures_left_out", "capture left out|captures left out", w.left_out},
                                   {"damaged_places", "damaged place", w.damaged}};
    bool lost = w.damaged || w.left_out;
    report(c, s, from, NULL, counts, SHARC_LENGTH(counts) - (lost ? 0 : 2));
    return lost;
}

static int to_cdxj(struct cli *c, const struct export_settings *s, const struct export_source *from,
                   struct sharc_err *reterr)
{
    struct sharc_cdx_build o = {.threads = (unsigned)s->threads,
                                .lenient = s->lenient,
                                .all = s->all,
                                .fresh = true,
                                .warn = export_remark,
                                .arg = c};
    struct sharc_cdx_built b;
    int r = sharc_cdx_build(from->files, from->count, s->output, NULL, NULL, &o, &b, reterr);
    if (r < 0) return r;
    const struct count counts[] = {{"files", "file", b.files},
                                   {"lines", "line", b.lines},
                                   {"captures_left_out", "capture left out|captures left out", b.left_out}};
    report(c, s, from, NULL, counts, SHARC_LENGTH(counts));
    return b.damaged || b.left_out;
}

static int to_warc(const struct export_settings *s, const struct export_source *from,
                   const struct sharc_warc_selection *sel, struct sharc_warc_selected *done, struct sharc_err *reterr)
{
    struct sharc_clock *clock = sharc_clock_real();
    struct sharc_warc_merge m = {.now = clock->now(clock), .level = (int)s->level, .operator_name = s->operator_name};
    return from->captures ? sharc_export_warc(from->captures, s->output, sel, &m, done, reterr)
                          : sharc_warc_merge(s->output, from->files, from->count, sel, &m, done, reterr);
}

static int to_records(struct cli *c, const struct export_settings *s, const struct export_source *from,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *scope = NULL;
    struct sharc_warc_selection sel;
    struct sharc_warc_selected done = {0};
    int r = export_selection(c, s, &scope, &sel, reterr);
    if (r < 0) return r;
    r = s->to == TO_WARC ? to_warc(s, from, &sel, &done, reterr)
                         : export_table(c, s, from->files, from->count, &sel, &done, reterr);
    if (r < 0) return r;
    const struct count counts[] = {{"files", "file", done.files},
                                   {"records_read", "record read|records read", done.records},
                                   {"records_chosen", "record chosen|records chosen", done.chosen},
                                   {"records_left_out", "record left out|records left out", done.left_out},
                                   {"damaged_places", "damaged place", done.damaged}};
    if (strcmp(s->output, "-") != 0) report(c, s, from, NULL, counts, SHARC_LENGTH(counts));
    return done.damaged || done.left_out;
}

static int to_mirror(struct cli *c, const struct export_settings *s, const struct export_source *from,
                     struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *scope = NULL;
    struct sharc_mirror_options o = {.at = s->at};
    struct sharc_mirror_made m;
    int r = export_selection(c, s, &scope, &o.selection, reterr);
    if (r == 0)
        r = from->captures ? sharc_export_mirror(from->captures, s->output, &o, &m, reterr)
                           : sharc_mirror(s->output, from->files, from->count, &o, &m, reterr);
    if (r < 0) return r;
    const struct count counts[] = {{"files", "file", m.files},
                                   {"pages", "page", m.pages},
                                   {"bytes", "byte", m.bytes},
                                   {"redirects", "redirect", m.redirects},
                                   {"links_inside", "link inside|links inside", m.links_inside},
                                   {"links_outside", "link outside|links outside", m.links_outside},
                                   {"records_read", "record read|records read", m.records},
                                   {"revisits_lost", "revisit lost|revisits lost", m.lost},
                                   {"pages_unchanged", "page unchanged|pages unchanged", m.unchanged},
                                   {"records_left_out", "record left out|records left out", m.left_out},
                                   {"damaged_places", "damaged place", m.damaged}};
    report(c, s, from, m.start, counts, SHARC_LENGTH(counts));
    free(m.start);
    return m.damaged || m.left_out;
}

int export_make(struct cli *c, const struct export_settings *s, const struct export_source *from,
                struct sharc_err *reterr)
{
    switch (s->to) {
    case TO_WACZ: return to_wacz(c, s, from, reterr);
    case TO_CDXJ: return to_cdxj(c, s, from, reterr);
    case TO_MIRROR: return to_mirror(c, s, from, reterr);
    default: return to_records(c, s, from, reterr);
    }
}

/* --- captures --------------------------------------------------------------- */

static void warn_about(struct cli *c, const struct sharc_export *x)
{
    struct sharc_export_sums sums = sharc_export_sum(x);
    struct sharc_export_capture e;
    for (size_t i = 0; sums.unfinished && i < sums.captures; i++) {
        sharc_export_capture(x, i, &e);
        if (strcmp(e.state, "complete") != 0 && strcmp(e.state, "imported") != 0)
            cli_note(c, "%s is %s: pages are missing, and nothing was judged", e.key, e.state);
    }
    if (sums.lost)
        cli_note(c,
                 "%s cannot be shown: the archive lacks the answer that the record refers to; import the files of "
                 "earlier captures",
                 SHARC_COUNT(sums.lost, "URL"));
}

int export_captures(struct cli *c, const struct export_settings *s, const char *dir)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_export_freep) struct sharc_export *x = NULL;
    struct sharc_store_options o = {.read_only = true, .must_exist = true};
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc_archive_open(dir, s->catalogue.store, &o, &store, &err);
    if (r == 0) r = sharc_export_new(store, dir, s->captures.items, s->captures.count, &x, &err);
    if (r < 0) return cli_fail(c, &err);
    warn_about(c, x);
    r = export_make(c, s, &(struct export_source){.captures = x}, &err);
    return r < 0 ? cli_fail(c, &err) : r > 0 ? EXIT_FINDINGS : EXIT_OK;
}
