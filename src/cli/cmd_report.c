/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc report: an archive as a document for people, or one of its pictures.
 */
#include "archive.h"

#include "sharc/base_file.h"
#include "sharc/figure_draw.h"
#include "sharc/paper.h"
#include "sharc/report.h"

#include <stdlib.h>

struct settings {
    const char *figure, *output, *capture, *captures, *against, *site, *store, *to;
    bool dark, unfold;
};

enum form { HTML, PDF, SVG, PNG, CSV, GRAPHML, GEXF, FORMS };
static const char *const forms[] = {"html", "pdf", "svg", "png", "csv", "graphml", "gexf", NULL};

/* By --to, else by the end of the name. */
static int form_of(const struct settings *s, enum form *ret, struct sharc_err *reterr)
{
    const char *dot = s->to ? s->to : s->output ? strrchr(s->output, '.') : NULL;
    if (dot && *dot == '.') dot++;
    for (int i = 0; dot && i < FORMS; i++) {
        if (strcmp(dot, forms[i]) != 0) continue;
        *ret = (enum form)i;
        return 0;
    }
    return sharc_fail(reterr, SHARC_EINVAL, "%s: name a file that ends in %s, or say --to",
                      s->output ? s->output : "no output",
                      s->figure ? ".svg, .png, .pdf, .csv, .graphml or .gexf" : ".html or .pdf");
}

static int list_figures(struct cli *c)
{
    if (c->json) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 16);
        struct sharc_json j;
        sharc_json_init(&j, &out, true);
        sharc_json_array(&j, NULL);
        for (int i = 0; i < SHARC_FIGURE_DRAW_COUNT; i++) {
            sharc_json_object(&j, NULL);
            sharc_json_str(&j, "figure", sharc_figure_draw_word((enum sharc_figure_drawing)i));
            sharc_json_str(&j, "shows", sharc_figure_draw_text((enum sharc_figure_drawing)i));
            sharc_json_end(&j);
        }
        sharc_json_end(&j);
        fprintf(c->out, "%s\n", sharc_buf_str(&out));
        return EXIT_OK;
    }
    for (int i = 0; i < SHARC_FIGURE_DRAW_COUNT; i++)
        fprintf(c->out, "%-9s %s\n", sharc_figure_draw_word((enum sharc_figure_drawing)i),
                sharc_figure_draw_text((enum sharc_figure_drawing)i));
    return EXIT_OK;
}

/* --- captures ------------------------------------------------------------------------------------------- */

struct chosen {
    sharc_store_id *ids;
    size_t count;
    sharc_store_id against;
};

static void chosen_done(struct chosen *k)
{
    free(k->ids);
}

static int choose(struct sharc_store *store, const struct settings *s, struct chosen *ret, struct sharc_err *reterr)
{
    struct sharc_span words[2];
    size_t n = 0;
    if (s->captures) words[n++] = sharc_span_of(s->captures);
    if (s->capture) words[n++] = sharc_span_of(s->capture);
    int r = sharc_figure_captures(store, s->site, words, n, &ret->ids, &ret->count, reterr);
    if (r >= 0 && s->against) r = sharc_store_capture_find(store, sharc_span_of(s->against), &ret->against, reterr);
    return r;
}

/* --- making --------------------------------------------------------------------------------------------- */

static int make_figure(struct sharc_store *store, const struct settings *s, const struct chosen *k, enum form form,
                       struct sharc_buf *out, char **ret_text, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_freep) struct sharc_figure *f = NULL;
    struct sharc_figure_request q = {.captures = k->ids, .count = k->count, .against = k->against, .unfold = s->unfold};
    int r = sharc_figure_draw_find(sharc_span_of(s->figure), &q.figure, reterr);
    if (r >= 0) r = sharc_figure_open(store, &q, &f, reterr);
    if (r < 0) return r;
    *ret_text = sharc_strdup(sharc_figure_picture(f)->text);
    switch (form) {
    case SVG: return sharc_picture_write(sharc_figure_picture(f), SHARC_PICTURE_SVG, s->dark, out, reterr);
    case PNG: return sharc_picture_write(sharc_figure_picture(f), SHARC_PICTURE_PNG, s->dark, out, reterr);
    case PDF: return sharc_picture_write(sharc_figure_picture(f), SHARC_PICTURE_PDF, s->dark, out, reterr);
    case CSV: return sharc_figure_csv(f, out, reterr);
    case GRAPHML: return sharc_figure_graphml(f, out, reterr);
    case GEXF: return sharc_figure_gexf(f, out, reterr);
    case HTML:
    case FORMS: break;
    }
    return sharc_fail(reterr, SHARC_EINVAL,
                      "a figure is no HTML: leave out --figure for a report, or write .svg, .png or .pdf");
}

static int make_report(struct sharc_store *store, const struct chosen *k, enum form form, struct sharc_buf *out,
                       char **ret_text, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(form != HTML && form != PDF, reterr, SHARC_EINVAL,
                  "a report is written as .html or .pdf; for a picture or a table name it with --figure");
    struct sharc_clock *clock = sharc_clock_real();
    const struct sharc_report_options o = {.captures = k->ids, .count = k->count, .now = clock->now(clock)};
    return (form == HTML ? sharc_report_html : sharc_report_pdf)(store, &o, out, ret_text, reterr);
}

static void tell(struct cli *c, const struct settings *s, const char *text, size_t bytes)
{
    if (!c->json) {
        cli_note(c, "%s: %s", s->output, text);
        return;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "file", s->output);
    if (s->figure) sharc_json_str(&j, "figure", s->figure);
    sharc_json_uint(&j, "bytes", bytes);
    sharc_json_str(&j, "says", text);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

static int run(struct cli *c, const struct settings *s, const char *archive, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT((size_t)1 << 30);
    SHARC_AUTO(chosen_done) struct chosen k = {0};
    SHARC_AUTO(sharc_freep) char *text = NULL;
    const struct sharc_store_options o = {.read_only = true, .must_exist = true};
    enum form form = SVG;
    int r = form_of(s, &form, reterr);
    if (r == 0) r = sharc_archive_open(archive, s->store, &o, &store, reterr);
    if (r == 0) r = choose(store, s, &k, reterr);
    if (r >= 0)
        r = s->figure ? make_figure(store, s, &k, form, &out, &text, reterr)
                      : make_report(store, &k, form, &out, &text, reterr);
    if (r < 0) return r;
    if (strcmp(s->output, "-") == 0) {
        SHARC_FAIL_IF(fwrite(sharc_buf_str(&out), 1, out.n, c->out) != out.n, reterr, SHARC_EIO,
                      "the output cannot be written");
        return 0;
    }
    r = sharc_file_replace(s->output, sharc_buf_span(&out), reterr);
    if (r >= 0) tell(c, s, text, out.n);
    return r;
}

int cmd_report(struct cli *c, int argc, char **argv)
{
    struct settings s = {0};
    const struct cli_option options[] = {
        OPT_STRING('o', "output", &s.output, "FILE",
                   "write to this file; its ending says in which form (-: standard output)"),
        OPT_STRING(0, "to", &s.to, "FORM",
                   "write in this form: html, pdf, svg, png, csv, graphml, gexf (default: by the name)"),
        OPT_STRING('f', "figure", &s.figure, "NAME", "write this picture only; list: print the names of all"),
        OPT_HEADING("Captures"),
        OPT_STRING('C', "capture", &s.capture, "CAPTURE", "report on this capture"),
        OPT_STRING(0, "captures", &s.captures, "FROM..TO",
                   "report on the series of these captures (default: all of the newest one's site)"),
        OPT_STRING(0, "against", &s.against, "CAPTURE", "for a pair or a graph: compare with this earlier capture"),
        OPT_STRING(0, "site", &s.site, "NAME", "report on captures of this site only"),
        OPT_STORE(&s.store),
        OPT_HEADING("Pictures"),
        OPT_FLAG(0, "dark", &s.dark, "draw on dark paper"),
        OPT_FLAG(0, "unfold", &s.unfold, "graph: also draw branches in which nothing changed"),
        OPT_END,
    };
    struct sharc_err err = SHARC_ERR_INIT;
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (s.figure && strcmp(s.figure, "list") == 0) return list_figures(c);
    if (argc > 2) return cli_usage(c, "name one archive");
    if (!s.output) return cli_usage(c, "name the file to write with -o");
    if (c->json && strcmp(s.output, "-") == 0)
        return cli_usage(c, "--json describes the file that is written: -o - writes none");
    return run(c, &s, argc == 2 ? argv[1] : ".", &err) < 0 ? cli_fail(c, &err) : EXIT_OK;
}
