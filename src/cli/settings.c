/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings files: YAML, grouped by command, with the names of the long options.
 * Several may speak about one option: the user's own, ./sharc.yaml, that of the
 * archive worked on, and the one of --settings; who wins is enum cli_source.
 */
#include "cli_int.h"

#include "sharc/archive.h"
#include "sharc/base_arena.h"
#include "sharc/base_file.h"
#include "sharc/base_limits.h"
#include "sharc/base_node.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Strings from a file must outlive the parse: they are kept with the command
 * until the process ends, through one list that is never shortened. */
static struct cli_list kept;

__attribute__((destructor)) static void release_kept(void)
{
    cli_list_done(&kept);
}

/* A file that is read, and whom it is to change. */
struct reading {
    struct cli *c;
    const struct cli_option *rows;
    uint8_t *said_by;
    enum cli_source by;
    const char *path;
    const char *archive; /* whose settings these are; NULL: no archive's */
};

static int setting_fail(struct sharc_err *reterr, const struct reading *f, const struct sharc_node *at,
                        const char *what)
{
    return sharc_fail(reterr, SHARC_ECONFIG, "%s:%u:%u: %s", f->path, at->line, at->column, what);
}

static int apply_scalar(const struct cli_option *o, const struct reading *f, const struct sharc_node *n,
                        struct sharc_err *reterr)
{
    if (n->kind == SHARC_LIST || n->kind == SHARC_MAP || n->kind == SHARC_NULL)
        return setting_fail(reterr, f, n, "a single value is needed here");
    if (o->kind == CLI_FLAG) {
        if (n->kind != SHARC_BOOL) return setting_fail(reterr, f, n, "true or false is needed here");
        *(bool *)o->value = n->v.truth;
        return 0;
    }
    cli_list_add(&kept, n->text);
    struct sharc_err why = SHARC_ERR_INIT;
    int r = cli__set_value(o, kept.items[kept.count - 1], &why);
    return r < 0 ? setting_fail(reterr, f, n, why.text) : 0;
}

static int apply_value(const struct cli_option *o, const struct reading *f, const struct sharc_node *n,
                       struct sharc_err *reterr)
{
    bool many = o->kind == CLI_LIST || o->kind == CLI_STRINGS;
    if (!many || n->kind != SHARC_LIST) return apply_scalar(o, f, n, reterr);
    for (const struct sharc_node *e = n->first; e; e = e->next) {
        int r = apply_scalar(o, f, e, reterr);
        if (r < 0) return r;
    }
    return 0;
}

/* Somebody with more to say has spoken: what stands here is looked at, and dropped. */
static int only_check(const struct cli_option *o, const struct reading *f, const struct sharc_node *n,
                      struct sharc_err *reterr)
{
    union {
        struct cli_list list;
        uint64_t number;
        double real;
        const char *text;
        sharc_time time;
        int choice;
        bool truth;
    } scratch = {.list = {0}};
    struct cli_option copy = *o;
    copy.value = &scratch;
    int r = apply_value(&copy, f, n, reterr);
    if (o->kind == CLI_LIST || o->kind == CLI_STRINGS) cli_list_done(&scratch.list);
    return r;
}

static bool same_place(struct sharc_span a, const char *b)
{
    struct stat x, y;
    SHARC_AUTO(sharc_freep) char *path = sharc_span_dup(a);
    return stat(path, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool is_borrowed(const struct cli *c, struct sharc_span name)
{
    for (const char *const *what = c->borrows_what; *what; what++)
        if (sharc_span_is(name, *what)) return true;
    return false;
}

static int apply_setting(const struct reading *f, const struct sharc_node *n, bool borrowed, struct sharc_err *reterr)
{
    if (borrowed && !is_borrowed(f->c, n->name)) return 0;
    const struct cli_option *o = cli__by_name(f->rows, n->name);
    const unsigned by = (unsigned)f->by - borrowed;
    if (!o || !o->value) {
        SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(n->name);
        const char *near = cli__nearest_option(name, f->rows);
        return sharc_fail(reterr, SHARC_ECONFIG, "%s:%u:%u: unknown setting: \"%s\"%s%s%s", f->path, n->line, n->column,
                          name, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
    if (f->by == CLI_BY_ARCHIVE && strcmp(o->name, "archive") == 0 && !same_place(n->text, f->archive))
        return setting_fail(reterr, f, n, "the settings of an archive cannot name another archive: take this line out");
    if (f->said_by[o - f->rows] > by) return only_check(o, f, n, reterr);
    cli__overrule(f->rows, f->said_by, o, by);
    const bool list = n->kind == SHARC_LIST;
    for (const struct sharc_node *e = list ? n->first : n; e && o->kind != CLI_FLAG; e = list ? e->next : NULL)
        cli__said(f->c, (size_t)(o - f->rows), by, e->text);
    return apply_value(o, f, n, reterr);
}

/* What belongs to an archive as a whole; archive.c reads it. */
static bool is_of_archive(const char *name)
{
    return strcmp(name, "store") == 0 || strcmp(name, "sites") == 0 || strcmp(name, "files") == 0;
}

static int apply_document(const struct reading *f, const struct sharc_node *doc, struct sharc_err *reterr)
{
    if (doc->kind == SHARC_NULL) return 0; /* an empty file */
    if (doc->kind != SHARC_MAP)
        return setting_fail(reterr, f, doc, "settings are grouped by command: \"sim:\" and below it \"  runs: 5\"");
    for (const struct sharc_node *section = doc->first; section; section = section->next) {
        SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(section->name);
        if (is_of_archive(name)) continue;
        if (!cli_command_find(name))
            return sharc_fail(reterr, SHARC_ECONFIG,
                              "%s:%u:%u: there is no command \"%s\" to set anything for; \"sharc help\" lists them",
                              f->path, section->line, section->column, name);
        if (section->kind != SHARC_MAP && section->kind != SHARC_NULL)
            return setting_fail(reterr, f, section, "a command's settings are needed here, as \"name: value\" lines");
        bool borrowed = f->c->borrows && strcmp(name, f->c->borrows) == 0;
        if (!borrowed && strcmp(name, f->c->command->name) != 0) continue;
        for (const struct sharc_node *n = section->first; n; n = n->next) {
            int r = apply_setting(f, n, borrowed, reterr);
            if (r < 0) return r;
        }
    }
    return 0;
}

static int read_file(const struct reading *f, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(SHARC_LIMIT_SETTINGS_BYTES);
    int r = sharc_file_read(f->path, &text, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(64u << 20);
    const struct sharc_node *doc;
    struct sharc_err why = SHARC_ERR_INIT;
    if (sharc_yaml_read(sharc_buf_span(&text), &arena, &doc, &why) < 0)
        return sharc_fail(reterr, SHARC_ECONFIG, "%s: %s", f->path, why.text);
    return apply_document(f, doc, reterr);
}

/* --- which files ----------------------------------------------------------------- */

/* Where the user keeps settings for everything; NULL: nowhere. */
static char *users_own(void)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config && config[0] == '/') return sharc_asprintf("%s/sharc/" CLI_SETTINGS_FILE, config);
    return home && home[0] == '/' ? sharc_asprintf("%s/.config/sharc/" CLI_SETTINGS_FILE, home) : NULL;
}

/* --settings has to be known before the other options are read. */
static const char *given(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--settings=", 11) == 0) return argv[i] + 11;
        if (strcmp(argv[i], "--settings") == 0 && i + 1 < argc) return argv[i + 1];
    }
    return NULL;
}

int cli__read_settings(struct cli *c, const struct cli_option *rows, uint8_t *said_by, int argc, char **argv,
                       struct sharc_err *reterr)
{
    struct reading f = {.c = c, .rows = rows, .said_by = said_by, .by = CLI_BY_USER};
    SHARC_AUTO(sharc_freep) char *own = users_own();
    int r = 0;
    f.path = own;
    if (own && access(own, F_OK) == 0) r = read_file(&f, reterr);
    f.path = given(argc, argv);
    f.by = f.path ? CLI_BY_SETTINGS : CLI_BY_DIRECTORY;
    if (!f.path && access(CLI_SETTINGS_FILE, F_OK) == 0) f.path = CLI_SETTINGS_FILE;
    return r == 0 && f.path ? read_file(&f, reterr) : r;
}

/* ./sharc.yaml of an archive that one stands in was read already, but with less to say. */
int cli__read_archive_settings(struct cli *c, const struct cli_option *rows, uint8_t *said_by, const char *argument,
                               struct sharc_err *reterr)
{
    const struct cli_option *o = cli__by_name(rows, SHARC_SPAN("archive"));
    const char *dir = o && o->kind == CLI_STRING ? *(const char **)o->value : NULL;
    if (!dir) dir = argument;
    if (!dir) return 0;
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_path(dir, SHARC_ARCHIVE_SETTINGS);
    struct reading f = {.c = c, .rows = rows, .said_by = said_by, .by = CLI_BY_ARCHIVE, .path = path, .archive = dir};
    return access(path, F_OK) == 0 ? read_file(&f, reterr) : 0;
}
