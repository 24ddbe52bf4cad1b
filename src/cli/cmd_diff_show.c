/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc diff: a comparison as text, JSON or an HTML report.
 */
#include "cmd_diff.h"

#include "sharc/base_file.h"

#define HTML_MAX ((size_t)1 << 30)

static int write_html(struct cmd_diff_run *r, const struct sharc_buf *html, struct sharc_err *reterr)
{
    int e = sharc_buf_result(html, reterr);
    if (e == 0) e = sharc_file_replace(r->s->html, sharc_buf_span(html), reterr);
    if (e == 0) cli_note(r->c, "%s is written", r->s->html);
    return e;
}

static void print_json(struct cli *c, const struct sharc_buf *json)
{
    fprintf(c->out, "%s\n", sharc_buf_str(json));
}

int cmd_diff_show_page(struct cmd_diff_run *r, const char *const names[2], const struct sharc_diff_version *before,
                       const struct sharc_diff_version *after, struct sharc_err *reterr)
{
    struct sharc_diff_page page = {.edit = 0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(HTML_MAX);
    int e = 0;
    sharc_diff_page_make(&page, before, after, &r->o, /* details= */ true);
    if (r->s->html) {
        sharc_diff_html_page(&out, &page, before, after, &r->o);
        e = write_html(r, &out, reterr);
        sharc_buf_clear(&out);
    }
    if (e == 0 && r->c->json) {
        struct sharc_json j;
        sharc_json_init(&j, &out, true);
        sharc_diff_json_page(&j, &page, before, after, &r->o);
        e = sharc_buf_result(&out, reterr);
        if (e == 0) print_json(r->c, &out);
    } else if (!r->s->html) {
        struct cmd_diff_view view = {.o = &r->o,
                                     .names = {names[0], names[1]},
                                     .colour = cli_colour(r->c, r->s->colour)};
        cmd_diff_print_page(r->c, &view, &page, before, after);
    }
    bool differs = page.kind != SHARC_UNCHANGED && page.kind != SHARC_INSIGNIFICANT;
    sharc_diff_page_done(&page);
    if (e < 0) return e;
    return r->s->exit_code && differs ? EXIT_FINDINGS : EXIT_OK;
}

int cmd_diff_show_set(struct cmd_diff_run *r, const char *const names[2], const struct sharc_diff_set *set,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(HTML_MAX);
    int e = 0;
    if (r->s->html) {
        e = sharc_diff_html_set(&out, set, &r->filter, names, r->s->details, &r->o, reterr);
        if (e == 0) e = write_html(r, &out, reterr);
        sharc_buf_clear(&out);
    }
    if (e == 0 && r->c->json) {
        struct sharc_json j;
        sharc_json_init(&j, &out, true);
        sharc_diff_json_set(&j, set, &r->filter, names, &r->o);
        e = sharc_buf_result(&out, reterr);
        if (e == 0) print_json(r->c, &out);
    } else if (!r->s->html) {
        struct cmd_diff_view view = {.o = &r->o,
                                     .filter = &r->filter,
                                     .names = {names[0], names[1]},
                                     .colour = cli_colour(r->c, r->s->colour)};
        cmd_diff_print_set(r->c, &view, set);
    }
    if (e < 0) return e;
    uint64_t same = set->classes[SHARC_UNCHANGED] + set->classes[SHARC_INSIGNIFICANT] +
                    set->template_classes[SHARC_INSIGNIFICANT] + set->graded_same;
    return r->s->exit_code && set->pages > same ? EXIT_FINDINGS : EXIT_OK;
}
