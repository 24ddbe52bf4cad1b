/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc watch: look at pages again and again under a budget.
 */
#include "cmd_watch.h"
#include "archive.h"
#include "cli_signals.h"
#include "objects.h"

#include "sharc/base_file.h"
#include "sharc/http_fetch.h"

#include <stdlib.h>
#include <unistd.h>

#define SET_PATIENCE (20 * SHARC_SEC)

struct running {
    struct cli *c;
    struct watch_settings *s;
    struct sharc_watching *watch;
};

static void heard(void *arg, const struct sharc_watching_event *e)
{
    struct running *r = arg;
    watch_say_event(r->c, e, r->s->changes_only);
}

static void remarked(void *arg, const char *sentence)
{
    struct running *r = arg;
    cli_note(r->c, "%s", sentence);
}

static int ask(struct cli *c, const struct watch_settings *s)
{
    struct sharc_err err = SHARC_ERR_INIT;
    for (size_t i = 0; i < s->set.count; i++) {
        int r = sharc_watching_set(s->crawl.o.archive, sharc_span_of(s->set.items[i]), SET_PATIENCE, &err);
        if (r == SHARC_ESYNTAX) return cli_usage(c, "--set: %s", err.text);
        if (r < 0) return cli_fail(c, &err);
    }
    return EXIT_OK;
}

/* --- what is watched ------------------------------------------------------------------------ */

static int name_site(void *watch, struct sharc_span url, struct sharc_err *err)
{
    return sharc_watching_name(watch, url, &(struct sharc_watching_page){0}, err);
}

static int name_line(void *watch, struct sharc_span line, struct sharc_err *err)
{
    return sharc_watching_name_line(watch, line, err);
}

int watch_read_list(struct cli *c, const char *path, watch_line_fn *fn, void *arg, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(256u << 20);
    struct sharc_err why = SHARC_ERR_INIT;
    size_t number = 0;
    int r = sharc_file_read_any(path, &text, err);
    struct sharc_span rest = sharc_buf_span(&text), line;
    while (r == 0 && sharc_span_next(&rest, '\n', &line)) {
        number++;
        r = fn(arg, line, &why);
        /* One bad line must not stop a list of thousands. */
        if (r == SHARC_ESYNTAX || r == SHARC_EACCESS || r == SHARC_ELIMIT) {
            cli_note(c, "%s:%zu: left out: %s", path, number, why.text);
            r = 0;
        }
        if (r < 0) *err = why;
    }
    return r;
}

static int name_all(struct running *run, int argc, char **argv, struct sharc_err *err)
{
    const struct watch_settings *s = run->s;
    int r = 0;
    for (int i = 1; i < argc && r >= 0; i++) r = name_site(run->watch, sharc_span_of(argv[i]), err);
    for (size_t i = 0; i < s->lists.count && r >= 0; i++)
        r = watch_read_list(run->c, s->lists.items[i], name_line, run->watch, err);
    if (r >= 0 && argc < 2 && s->lists.count == 0 && sharc_watching_pages(run->watch) == 0)
        r = sharc_archive_sites(s->crawl.o.archive, name_site, run->watch, err);
    return r < 0 ? r : 0;
}

/* Whoever is watched must be able to find out by whom. */
static bool needs_contact(const struct watch_settings *s, int argc, char **argv)
{
    const struct sharc_crawl_options *o = &s->crawl.o;
    if (o->contact && o->contact[0]) return false;
    if (!o->allow_private) return true;
    for (int i = 1; i < argc; i++)
        if (!crawl_is_local(sharc_span_of(argv[i]))) return true;
    return false;
}

static int run_watch(struct running *run, int argc, char **argv)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct cli *c = run->c;
    int r = name_all(run, argc, argv, &err);
    if (r < 0) return r == SHARC_ESYNTAX || r == SHARC_EACCESS ? cli_usage(c, "%s", err.text) : cli_fail(c, &err);
    if (sharc_watching_pages(run->watch) == 0)
        return cli_usage(c, "nothing is watched in the archive yet: name at least one URL, or a file of them with "
                            "--list, or list them under \"sites:\" in the archive's sharc.yaml");
    cli_signals_watch(run->watch);
    r = sharc_watching_run(run->watch, &err);
    cli_signals_release();
    if (r < 0 && r != SHARC_EINTR) return cli_fail(c, &err);
    struct sharc_watching_counts counts;
    sharc_watching_counts(run->watch, &counts);
    watch_say_end(c, &counts, r == SHARC_EINTR);
    return r == SHARC_EINTR ? EXIT_INTERRUPTED : EXIT_OK;
}

static int watch(struct cli *c, struct watch_settings *s, int argc, char **argv)
{
    struct sharc_err err = SHARC_ERR_INIT;
    char host[256] = "localhost";
    struct sharc_crawl_options *o = &s->crawl.o;
    (void)gethostname(host, sizeof host - 1);
    SHARC_AUTO(sharc_freep) char *agent = crawl_agent(&s->crawl);
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *fetcher = NULL;
    struct running run = {.c = c, .s = s};
    o->user_agent = agent;
    o->host = host;
    o->insecure = s->crawl.insecure;
    s->o.crawl = *o;
    int r = sharc_archive_open(o->archive, s->crawl.store, NULL, &store, &err);
    if (r == 0) r = crawl_open_fetcher(&s->crawl, sharc_clock_real(), agent, NULL, &fetcher, &err);
    struct sharc_object_store *objects = r == 0 ? cli_objects_store(&err) : NULL;
    if (r == 0 && !objects) r = err.code;
    const struct sharc_watching_world world = {.clock = sharc_clock_real(),
                                               .fetcher = fetcher,
                                               .store = store,
                                               .objects = objects,
                                               .event = heard,
                                               .remark = remarked,
                                               .arg = &run};
    if (r == 0) r = sharc_watching_new(&s->o, &world, &run.watch, &err);
    if (r < 0) return r == SHARC_EINVAL ? cli_usage(c, "%s", err.text) : cli_fail(c, &err);
    int code = run_watch(&run, argc, argv);
    sharc_watching_freep(&run.watch);
    return code;
}

int cmd_watch(struct cli *c, int argc, char **argv)
{
    SHARC_AUTO(watch_settings_done) struct watch_settings s = {0};
    if (watch_read_options(c, &s, &argc, argv)) return cli_stop(c);
    if (!s.crawl.o.archive) return cli_usage(c, "name the archive to write to: --archive DIR");
    if (s.set.count) return ask(c, &s);
    int code = watch_choose(c, &s);
    if (code) return code;
    if (needs_contact(&s, argc, argv))
        return cli_usage(c, "say who watches: --contact with a URL or an e-mail address that site owners can write to");
    return s.crawl.queue ? watch_submit(c, &s, argc, argv) : watch(c, &s, argc, argv);
}
