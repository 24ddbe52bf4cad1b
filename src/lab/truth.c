/* SPDX-License-Identifier: Apache-2.0
 *
 * The two logs. Lines are gathered under the site's lock and written by
 * sharc_lab_tick, or at once when many have come together.
 */
#include "lab_int.h"

#include "sharc/base_digest.h"
#include "sharc/base_json.h"

#include <errno.h>
#include <stdlib.h>

#define LINES_MAX (64u << 20)
#define LINES_SOON (1u << 20)

int sharc__lab_log_open(struct lab_log *log, const char *path, struct sharc_err *reterr)
{
    sharc_buf_init(&log->lines, LINES_MAX);
    if (!path) return 0;
    log->path = path;
    log->file = fopen(path, "we");
    SHARC_FAIL_IF(!log->file, reterr, sharc_error_from_errno(errno), "cannot write %s: %s", path, strerror(errno));
    return 0;
}

int sharc__lab_log_flush(struct lab_log *log, struct sharc_err *reterr)
{
    if (!log->file || log->broken) return 0;
    errno = 0;
    if (fwrite(sharc_buf_str(&log->lines), 1, log->lines.n, log->file) != log->lines.n || fflush(log->file) != 0 ||
        log->lines.failed) {
        log->broken = true;
        return sharc_fail(reterr, errno ? sharc_error_from_errno(errno) : SHARC_ELIMIT, "cannot write %s: %s",
                          log->path, errno ? strerror(errno) : "too much at once");
    }
    sharc_buf_clear(&log->lines);
    return 0;
}

int sharc__lab_log_close(struct lab_log *log, struct sharc_err *reterr)
{
    int r = sharc__lab_log_flush(log, reterr);
    if (log->file) fclose(log->file);
    log->file = NULL;
    sharc_buf_done(&log->lines);
    return r;
}

static void begin_line(struct lab_log *log, struct sharc_json *j, sharc_time when)
{
    char text[SHARC_TIME_TEXT];
    sharc_json_init(j, &log->lines, false);
    sharc_json_object(j, NULL);
    sharc_json_str(j, "time", sharc_time_iso(when, 6, text));
}

static void end_line(struct lab_log *log, struct sharc_json *j)
{
    sharc_json_end(j);
    sharc_buf_put_char(&log->lines, '\n');
    if (log->lines.n > LINES_SOON && sharc__lab_log_flush(log, NULL) < 0) log->broken = true;
}

static const char *const causes[] = {
    [LAB_START] = "start",     [LAB_EDIT] = "edit", [LAB_LAYOUT] = "layout", [LAB_COUNTER] = "counter",
    [LAB_RENEWAL] = "renewal", [LAB_BORN] = "born", [LAB_GONE] = "gone",
};

static void put_digest(struct sharc_json *j, const char *name, struct sharc_span bytes)
{
    struct sharc_digest d;
    char hex[SHARC_HEX_SIZE(SHARC_DIGEST_MAX)];
    sharc_digest_of(SHARC_SHA256, bytes, &d);
    sharc_hex_encode(sharc_span(d.bytes, d.n), hex);
    sharc_json_str(j, name, hex);
}

/* The print of the body without the number of visitors: another visitor does not change it. */
static uint64_t uncounted(struct sharc_lab *l, uint32_t item)
{
    struct sharc_lab_version v = l->states[item].version;
    struct lab_says *says = &l->states[item].says;
    if (says->known && says->edit == v.edit && says->layout == v.layout) return says->print;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf scratch = SHARC_BUF_INIT(LAB_BODY_MAX);
    v.counter = 0;
    struct sharc_span body = sharc__lab_body_now(l, item, v, NULL, &scratch);
    *says = (struct lab_says){v.edit, v.layout, sharc_fingerprint(body, l->etag_seed), true};
    return says->print;
}

/* What it says to a reader: the body without noise and without the number of visitors. */
static void put_state(struct sharc_lab *l, uint32_t item, struct sharc_span body, struct sharc_json *j)
{
    char hex[17];
    uint64_t print = l->site.items[item].counts ? uncounted(l, item) : sharc_fingerprint(body, l->etag_seed);
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)print);
    sharc_json_str(j, "state", hex);
}

static void put_noise(const struct sharc_lab *l, uint32_t item, struct sharc_json *j)
{
    uint32_t noise = l->site.items[item].noise;
    if (noise == 0) return;
    sharc_json_array(j, "noise");
    for (unsigned k = 0; k < SHARC_LAB_NOISE_COUNT; k++)
        if (noise & SHARC_LAB_BIT(k)) sharc_json_str(j, NULL, sharc_lab_noise_word((enum sharc_lab_noise)k));
    sharc_json_end(j);
}

void sharc__lab_log_version(struct sharc_lab *l, uint32_t item, enum lab_cause cause, sharc_time when)
{
    struct lab_log *log = &l->truth;
    if (!log->file || log->broken) return;
    const struct lab_state *st = &l->states[item];
    struct sharc_json j;
    struct lab_wording w;
    enum sharc_lab_edit kind = sharc__lab_wording(&l->site, item, st->version.edit, &w);
    bool edit = cause == LAB_EDIT, inside = edit && kind == SHARC_LAB_EDIT_VOLATILE;
    begin_line(log, &j, when);
    sharc_json_span(&j, "path", lab_path(&l->site, item));
    sharc_json_uint(&j, "version", st->number);
    sharc_json_str(&j, "cause", causes[cause]);
    if (edit) sharc_json_str(&j, "kind", sharc_lab_edit_word(kind));
    sharc_json_bool(&j, "significant", cause != LAB_COUNTER && !inside);
    sharc_json_uint(&j, "edit", st->version.edit);
    sharc_json_uint(&j, "layout", st->version.layout);
    sharc_json_uint(&j, "counter", st->version.counter);
    bool redirect = l->site.items[item].kind == LAB_REDIRECT;
    sharc_json_int(&j, "status", !st->exists ? 404 : redirect ? 301 : 200);
    if (st->exists && !redirect) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf scratch = SHARC_BUF_INIT(LAB_BODY_MAX);
        struct sharc_span body = sharc__lab_body_now(l, item, st->version, NULL, &scratch);
        sharc_json_uint(&j, "bytes", body.n);
        put_digest(&j, "sha256", body);
        put_state(l, item, body, &j);
    }
    if (cause == LAB_START) put_noise(l, item, &j);
    end_line(log, &j);
}

void sharc__lab_log_served(struct sharc_lab *l, const struct lab_sent *s)
{
    struct lab_log *log = &l->truth;
    if (!log->file || log->broken) return;
    struct sharc_json j;
    begin_line(log, &j, s->when);
    sharc_json_span(&j, "path", lab_path(&l->site, s->item));
    sharc_json_uint(&j, "version", s->number);
    sharc_json_str(&j, "cause", "served");
    sharc_json_int(&j, "status", s->status);
    bool coded = s->coded.p != s->plain.p, cut = s->cut != SHARC_NPOS;
    if (cut) sharc_json_uint(&j, "cut", s->cut);
    if (s->status == 200 && !(coded && cut))
        put_digest(&j, "sha256", cut ? sharc_span_sub(s->plain, 0, s->cut) : s->plain);
    if (s->status == 200 && coded) put_digest(&j, "coded", cut ? sharc_span_sub(s->coded, 0, s->cut) : s->coded);
    end_line(log, &j);
}

void sharc__lab_log_request(struct sharc_lab *l, const struct lab_asked *a)
{
    struct lab_log *log = &l->requests;
    if (!log->file || log->broken) return;
    struct sharc_json j;
    begin_line(log, &j, a->when);
    sharc_json_span(&j, "method", a->method);
    sharc_json_span(&j, "target", a->target);
    sharc_json_int(&j, "status", a->status);
    if (a->has_version) sharc_json_uint(&j, "version", a->version);
    sharc_json_uint(&j, "bytes", a->bytes);
    sharc_json_span(&j, "agent", a->agent);
    end_line(log, &j);
}
