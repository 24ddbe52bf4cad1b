/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd_export.h"
#include "scope.h"

void export_settings_done(struct export_settings *s)
{
    cli_list_done(&s->include);
    cli_list_done(&s->exclude);
    cli_list_done(&s->types);
    cli_list_done(&s->statuses);
    cli_list_done(&s->mimes);
    cli_list_done(&s->requires);
    cli_list_done(&s->captures);
}

void export_remark(void *cli, const struct sharc_err *what)
{
    cli_note(cli, "%s", what->text);
}

/* Only excludes: all others are meant. */
static int make_scope(const struct export_settings *s, struct sharc_scope **ret, struct sharc_err *reterr)
{
    if (!s->include.count && !s->exclude.count) return 0;
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *scope = sharc_scope_new();
    int r = s->include.count ? 0 : sharc_scope_add(scope, SHARC_INCLUDE, SHARC_SPAN("all"), "default", reterr);
    if (r == 0) r = cli_scope_add(scope, &s->include, &s->exclude, reterr);
    if (r < 0) return r;
    sharc_scope_seal(scope);
    *ret = SHARC_TAKE(scope);
    return 0;
}

static int read_types(const struct export_settings *s, unsigned *ret, struct sharc_err *reterr)
{
    for (size_t i = 0; i < s->types.count; i++) {
        enum sharc_warc_type t = sharc_warc_type_of(sharc_span_of(s->types.items[i]));
        SHARC_FAIL_IF(t == SHARC_WARC_OTHER, reterr, SHARC_EINVAL, "--type: there are no \"%s\" records",
                      s->types.items[i]);
        *ret |= SHARC_WARC_BIT(t);
    }
    return 0;
}

bool export_selects(const struct export_settings *s)
{
    return s->include.count || s->exclude.count || s->types.count || s->statuses.count || s->mimes.count ||
           s->from != SHARC_TIME_NONE || s->until != SHARC_TIME_NONE;
}

int export_selection(struct cli *c, const struct export_settings *s, struct sharc_scope **scope,
                     struct sharc_warc_selection *ret, struct sharc_err *reterr)
{
    unsigned types = 0;
    int r = make_scope(s, scope, reterr);
    if (r == 0) r = read_types(s, &types, reterr);
    if (r < 0) return r;
    *ret = (struct sharc_warc_selection){.types = types,
                                         .scope = *scope,
                                         .from = s->from,
                                         .to = s->until,
                                         .statuses = s->statuses.items,
                                         .status_count = s->statuses.count,
                                         .mimes = s->mimes.items,
                                         .mime_count = s->mimes.count,
                                         .no_info = s->to != TO_WARC && export_selects(s) && !s->types.count,
                                         .lenient = s->lenient,
                                         .warn = export_remark,
                                         .warn_arg = c};
    return 0;
}
