/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc verify ARCHIVE: the catalogue against the files it points at, and a new
 * one made of them.
 */
#include "cmd_verify_archive.h"
#include "archive.h"

#include "sharc/base_file.h"
#include "sharc/import.h"
#include "sharc/warc_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define TOLD_OF_A_KIND 20 /* one fault often has a thousand findings; --json lists more */
#define LISTED_OF_A_KIND 100000

struct telling {
    struct cli *c;
    struct sharc_json *json;
    struct sharc_progress *bar;
    uint64_t told;
    uint64_t found[SHARC_FAULT_COUNT];
};

static void advance(void *arg, uint64_t done, uint64_t total)
{
    struct telling *t = arg;
    struct sharc_clock *clock = sharc_clock_real();
    sharc_progress_total(t->bar, total);
    if (done > t->told) sharc_progress_add(t->bar, done - t->told, clock->now(clock));
    t->told = done > t->told ? done : t->told;
}

static void remark(void *arg, const struct sharc_err *what)
{
    cli_note(((struct telling *)arg)->c, "%s", what->text);
}

static void tell_finding(void *arg, const struct sharc_import_finding *f)
{
    struct telling *t = arg;
    t->found[f->fault]++;
    if (t->json && t->found[f->fault] > LISTED_OF_A_KIND) return;
    if (t->json) {
        sharc_json_object(t->json, NULL);
        sharc_json_str(t->json, "fault", sharc_import_fault_text(f->fault));
        if (f->file) sharc_json_str(t->json, "file", f->file);
        if (f->offset != SHARC_NOWHERE) sharc_json_uint(t->json, "offset", f->offset);
        sharc_json_str(t->json, "text", f->text);
        sharc_json_str(t->json, "cure", sharc_import_fault_cure(f->fault));
        sharc_json_end(t->json);
        return;
    }
    if (t->found[f->fault] > TOLD_OF_A_KIND) return;
    if (f->file) fprintf(t->c->out, "%s: ", CLI_SHOWN(f->file));
    if (f->offset != SHARC_NOWHERE) fprintf(t->c->out, "offset %" PRIu64 ": ", f->offset);
    fprintf(t->c->out, "%s: %s\n", sharc_import_fault_text(f->fault), CLI_SHOWN(f->text));
}

static void tell_sum(struct telling *t, const struct sharc_import_checked *sum)
{
    struct cli *c = t->c;
    for (int i = 0; i < SHARC_FAULT_COUNT; i++)
        if (t->found[i] > TOLD_OF_A_KIND)
            fprintf(c->out, "%s: %" PRIu64 " more, listed by --json\n",
                    sharc_import_fault_text((enum sharc_import_fault)i), t->found[i] - TOLD_OF_A_KIND);
    fprintf(c->out, "%s, %s, %s at them, %s replaced by later ones, %s\n", SHARC_COUNT(sum->warcs, "file"),
            SHARC_COUNT(sum->records, "record"), SHARC_COUNT(sum->pages, "row that points|rows that point"),
            SHARC_COUNT(sum->repeated, "record"), SHARC_COUNT(sum->findings, "finding"));
    for (int i = 0; i < SHARC_FAULT_COUNT; i++)
        if (t->found[i])
            fprintf(c->out, "  %s: %s\n", sharc_import_fault_text((enum sharc_import_fault)i),
                    sharc_import_fault_cure((enum sharc_import_fault)i));
}

static void tell_running(struct cli *c, const char *dir, const struct sharc_archive_holder *h, uint64_t open)
{
    char name[32] = "somebody";
    if (h->pid) snprintf(name, sizeof name, "process %" PRId64, h->pid);
    if (open)
        cli_note(c, "%s: %s is writing to this archive; %s not checked", dir, name,
                 SHARC_COUNT(open, "file that it has open was|files that it has open were"));
}

static int check(struct cli *c, const char *dir, const char *store_url)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 30);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_json j;
    struct sharc_store_options so = {.read_only = true, .must_exist = true};
    if (sharc_archive_open(dir, store_url, &so, &store, &err) < 0) return cli_fail(c, &err);
    sharc_json_init(&j, &out, true);
    struct telling t = {.c = c, .json = c->json ? &j : NULL, .bar = cli_progress(c, "verify", "bytes", 0)};
    struct sharc_archive_holder holder;
    struct sharc_import_check o = {.archive = dir, .finding = tell_finding, .progress = advance, .arg = &t};
    o.running = sharc_archive_holder(dir, &holder);
    struct sharc_import_checked sum;
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "archive", dir);
    sharc_json_array(&j, "list");
    int r = sharc_import_check(store, &o, &sum, &err);
    if (r == 0) r = verify_uploads(dir, tell_finding, &t, &sum.findings, &err);
    sharc_progress_free(t.bar);
    if (r < 0) return cli_fail(c, &err);
    sharc_json_end(&j);
    sharc_json_uint(&j, "files", sum.warcs);
    sharc_json_uint(&j, "records", sum.records);
    sharc_json_uint(&j, "rows", sum.pages);
    sharc_json_uint(&j, "replaced", sum.repeated);
    sharc_json_uint(&j, "index_lines", sum.index_lines);
    sharc_json_uint(&j, "open", sum.open);
    sharc_json_uint(&j, "findings", sum.findings);
    sharc_json_end(&j);
    if (o.running) tell_running(c, dir, &holder, sum.open);
    if (c->json)
        fprintf(c->out, "%s\n", sharc_buf_str(&out));
    else
        tell_sum(&t, &sum);
    return sum.findings ? EXIT_FINDINGS : EXIT_OK;
}

/* --- rebuilding -------------------------------------------------------------------- */

/* Its three files; those that are not there do not matter. */
static void remove_database(const char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < SHARC_LENGTH(ends); i++) {
        SHARC_AUTO(sharc_freep) char *name = sharc_asprintf("%s%s", path, ends[i]);
        unlink(name);
    }
}

/* Both are closed, so neither has a log beside it; should the old one have one
 * after all, it belongs to bytes that are going away. */
static int swap(const char *fresh, const char *path, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *wal = sharc_asprintf("%s-wal", path), *shm = sharc_asprintf("%s-shm", path);
    SHARC_AUTO(sharc_freep) char *fresh_wal = sharc_asprintf("%s-wal", fresh);
    SHARC_FAIL_IF(access(fresh_wal, F_OK) == 0, reterr, SHARC_EBUSY, "%s: somebody else has it open", fresh);
    unlink(wal);
    unlink(shm);
    SHARC_FAIL_IF(rename(fresh, path) < 0, reterr, sharc_error_from_errno(errno), "%s: %s", path, strerror(errno));
    return 0;
}

static int fill(struct cli *c, const char *dir, const char *path, const char *fresh_path, bool lenient,
                struct sharc_import_result *result, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *old = NULL, *fresh = NULL;
    struct sharc_store_options must = {.must_exist = true};
    struct sharc_err why = SHARC_ERR_INIT;
    if (access(path, F_OK) == 0 && sharc_store_open(path, &must, &old, &why) < 0)
        cli_note(c, "cannot read the old catalogue, so only the archive's own files are found: %s", why.text);
    int r = sharc_store_open(fresh_path, NULL, &fresh, reterr);
    if (r < 0) return r;
    struct telling t = {.c = c, .bar = cli_progress(c, "rebuild", "bytes", 0)};
    struct sharc_import_options o = {.archive = dir,
                                     .lenient = lenient,
                                     .clock = sharc_clock_real(),
                                     .warn = remark,
                                     .progress = advance,
                                     .arg = &t};
    r = sharc_import_rebuild(old, fresh, &o, result, reterr);
    sharc_progress_free(t.bar);
    if (r == 0) cli_summarise(c, fresh);
    return r;
}

/* Nobody writes: what a killed crawl left open can be closed, and is imported like the rest. */
static int close_files(struct cli *c, const char *dir, struct sharc_err *reterr)
{
    struct sharc_warc_recovered saved = {0};
    SHARC_AUTO(sharc_freep) char *warcs = sharc_archive_path(dir, SHARC_ARCHIVE_WARCS);
    int r = access(warcs, F_OK) < 0 ? 0 : sharc_warc_recover_dir(warcs, &saved, reterr);
    if (r == 0 && saved.records)
        cli_note(c, "closed what a killed crawl left open: %s", SHARC_COUNT(saved.records, "record"));
    return r;
}

static int rebuild(struct cli *c, const char *dir, const char *store_url, bool lenient)
{
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result result = {0};
    SHARC_AUTO(sharc_freep) char *path = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_archive_store(dir, store_url, &path, &err) < 0) return cli_fail(c, &err);
    if (strncmp(path, "postgres", 8) == 0)
        return cli_usage(
            c, "--rebuild cannot replace a catalogue in PostgreSQL: import into an empty database with sharc import "
               "--store, and name that database in sharc.yaml");
    const char *file = strncmp(path, "sqlite:", 7) == 0 ? path + 7 : path;
    SHARC_AUTO(sharc_freep) char *fresh = sharc_asprintf("%s.rebuilt", file);
    SHARC_AUTO(sharc_closep) int lock = -1;
    struct sharc_clock *clock = sharc_clock_real();
    if (sharc_archive_lock(dir, SHARC_ARCHIVE_REBUILD, clock->now(clock), &lock, &err) < 0) return cli_fail(c, &err);
    remove_database(fresh);
    int r = close_files(c, dir, &err);
    if (r == 0) r = fill(c, dir, file, fresh, lenient, &result, &err);
    if (r == 0) r = swap(fresh, file, &err);
    if (r < 0) {
        remove_database(fresh);
        /* Each file that failed was told already. */
        return result.failed && !c->quiet ? cli_exit_of(err.code) : cli_fail(c, &err);
    }
    cli_note(c, "the catalogue was rebuilt from %s, %s", SHARC_COUNT(result.files, "file"),
             SHARC_COUNT(result.records, "record"));
    return EXIT_OK;
}

int cli_verify_archive(struct cli *c, const char *dir, const char *store, bool make_anew, bool lenient)
{
    if (make_anew) {
        int code = rebuild(c, dir, store, lenient);
        if (code != EXIT_OK) return code;
    }
    return check(c, dir, store);
}
