/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc jobs: the queue as people see it, and what they want of it.
 */
#include "cmd_jobs.h"
#include "archive.h"

#include <stdlib.h>

struct settings {
    const char *archive, *store, *collection;
    struct cli_list states;
    sharc_time older;
};

/* --- which jobs -------------------------------------------------------------------------- */

/* A number, or a site: its last job. */
static int find_job(struct sharc_store *store, const char *word, sharc_store_id *ret, struct sharc_err *err)
{
    int64_t number;
    if (sharc_span_to_i64(sharc_span_of(word), &number) == 0) {
        *ret = number;
        return 0;
    }
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const struct sharc_store_job_filter f = {.site = sharc_span_of(word)};
    struct sharc_store_job j;
    *ret = 0;
    int r = sharc_store_jobs(store, &f, &rows, err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, err)) > 0) {
        sharc_store_read_job(rows, &j);
        if (j.id > *ret) *ret = j.id;
    }
    SHARC_FAIL_IF(r == 0 && *ret == 0, err, SHARC_ENOENT, "there is no job of a site \"%s\"", word);
    return r;
}

static int read_states(struct cli *c, const struct cli_list *words, unsigned *ret)
{
    *ret = 0;
    for (size_t i = 0; i < words->count; i++) {
        int k = 0;
        while (k < SHARC_JOB_STATE_COUNT && strcmp(words->items[i], sharc_job_state_text((enum sharc_job_state)k)) != 0)
            k++;
        if (k == SHARC_JOB_STATE_COUNT)
            return cli_usage(c, "--state: \"%s\" is none of: queued, running, done, failed, paused, cancelled",
                             words->items[i]);
        *ret |= 1u << k;
    }
    return 0;
}

/* --- what is done with them ------------------------------------------------------------- */

static int list(struct cli *c, struct sharc_store *store, const struct settings *s)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job_filter f = {.collection = s->collection ? sharc_span_of(s->collection) : SHARC_SPAN_NONE};
    int code = read_states(c, &s->states, &f.states);
    if (code) return code;
    int r = jobs_list(c, store, &f, &err);
    return r < 0 ? cli_fail(c, &err) : EXIT_OK;
}

static int show_all(struct cli *c, struct sharc_store *store, int argc, char **argv, bool explain)
{
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_store_id id = 0;
    int r = 0;
    for (int i = 2; i < argc && r >= 0; i++) {
        r = find_job(store, argv[i], &id, &err);
        if (r >= 0) r = explain ? jobs_explain(c, store, id, &err) : jobs_show(c, store, id, &err);
    }
    return r < 0 ? cli_fail(c, &err) : EXIT_OK;
}

static int wish(struct cli *c, struct sharc_store *store, int argc, char **argv, enum sharc_job_wish what)
{
    static const char *const words[] = {"paused", "queued again", "cancelled", "queued again"};
    int code = EXIT_OK;
    for (int i = 2; i < argc; i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        sharc_store_id id = 0;
        int r = find_job(store, argv[i], &id, &err);
        if (r >= 0) r = sharc_store_job_wish(store, id, what, &err);
        if (r < 0)
            code = cli_fail(c, &err); /* the others are still wanted */
        else if (c->json)
            r = jobs_show(c, store, id, &err);
        else
            fprintf(c->out, "job %lld: %s\n", (long long)id, words[what]);
    }
    return code;
}

static int forget(struct cli *c, struct sharc_store *store, sharc_time older)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int64_t n = 0;
    int r = sharc_store_jobs_forget(store, older, &n, &err);
    if (r < 0) return cli_fail(c, &err);
    if (c->json)
        fprintf(c->out, "{\"forgotten\": %lld}\n", (long long)n);
    else
        fprintf(c->out, "%s forgotten\n", SHARC_COUNT((uint64_t)n, "job"));
    return EXIT_OK;
}

static const char *const verbs[] = {"list", "show", "explain", "pause", "resume", "cancel", "retry", "forget", NULL};
enum verb { LIST, SHOW, EXPLAIN, PAUSE, RESUME, CANCEL, RETRY, FORGET, NONE };

static enum verb verb_of(const char *word)
{
    enum verb v = LIST;
    while (v < NONE && strcmp(word, verbs[v]) != 0) v++;
    return v;
}

static int run(struct cli *c, struct sharc_store *store, const struct settings *s, enum verb verb, int argc,
               char **argv)
{
    switch (verb) {
    case SHOW:
    case EXPLAIN: return show_all(c, store, argc, argv, verb == EXPLAIN);
    case PAUSE: return wish(c, store, argc, argv, SHARC_JOB_PAUSE);
    case RESUME: return wish(c, store, argc, argv, SHARC_JOB_RESUME);
    case CANCEL: return wish(c, store, argc, argv, SHARC_JOB_CANCEL);
    case RETRY: return wish(c, store, argc, argv, SHARC_JOB_RETRY);
    case FORGET: return forget(c, store, s->older);
    case LIST:
    case NONE: break;
    }
    return list(c, store, s);
}

static int with_settings(struct cli *c, const struct settings *s, int argc, char **argv)
{
    enum verb verb = argc > 1 ? verb_of(argv[1]) : LIST;
    if (verb == NONE) {
        const char *near = cli_nearest(argv[1], verbs);
        return near ? cli_usage(c, "cannot \"%s\" jobs; did you mean \"%s\"?", argv[1], near)
                    : cli_usage(c,
                                "cannot \"%s\" jobs; choose from list, show, explain, pause, resume, cancel, retry, "
                                "forget",
                                argv[1]);
    }
    bool needs = verb != LIST && verb != FORGET;
    if (needs && argc < 3) return cli_usage(c, "name the jobs to %s, by number or site", verbs[verb]);
    if (!needs && argc > 2) return cli_usage(c, "\"%s\" takes no job: it is about all of them", verbs[verb]);
    if (!s->archive && !s->store) return cli_usage(c, "name the queue: --archive DIR or --store URL");
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    const struct sharc_store_options o = {.must_exist = true};
    int r = s->archive ? sharc_archive_open(s->archive, s->store, &o, &store, &err)
                       : sharc_store_open(s->store, &o, &store, &err);
    return r < 0 ? cli_fail(c, &err) : run(c, store, s, verb, argc, argv);
}

int cmd_jobs(struct cli *c, int argc, char **argv)
{
    struct settings s = {.older = 30 * SHARC_DAY};
    const struct cli_option options[] = {
        OPT_STRING('a', "archive", &s.archive, "DIR", "use the catalogue of this archive"),
        OPT_STORE(&s.store),
        OPT_LIST(0, "state", &s.states, "STATES", "list only jobs in these states, such as queued,failed"),
        OPT_STRING(0, "collection", &s.collection, "NAME", "list only jobs of this collection"),
        OPT_DURATION(0, "older", &s.older, "TIME", "forget jobs that ended longer ago than this (default: 30d)"),
        OPT_END,
    };
    int code = cli_parse(c, &argc, argv, options) ? cli_stop(c) : with_settings(c, &s, argc, argv);
    cli_list_done(&s.states);
    return code;
}
