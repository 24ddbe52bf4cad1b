/* SPDX-License-Identifier: Apache-2.0
 *
 * The members of the certificate beside its rows. All of them follow from the files; what does not
 * (who certifies, and when) is in "issued", which only the signature covers.
 */
#include "tls.h"

#include "sharc/warc_own.h"

#include <stdlib.h>

const char *const sharc__certify_sections[] = {
    "capture",  "clock",  "counts",        "does_not_say",    "files",    "format",
    "interval", "issued", "issued_sha256", "not_fetched",     "pages",    "root",
    "rules",    "scope",  "servers",       "volatile_places", "weakened", NULL,
};

/* Part of the rules: with another sentence, certificates that were issued would hold no longer. A change of these, or
 * of any rule by which rows are derived, needs a new SHARC_DERIVE_RULES; one of the members, a new CERTIFY_FORMAT. */
const char *const sharc__certify_silence[] = {
    "It does not say that what the pages state is true.",
    "It does not say that the server was honest, or gave other visitors the same: it says what this client was given.",
    "It does not say that a page was never changed and changed back between its visit and its revisit.",
    "It does not cover the volatile parts listed for a page, nor pages of grades 3, 4 and 5.",
    "It does not cover fields of the answers' heads but for status, media type, charset and Location.",
    "It does not show that the files were not altered before it was made. A time stamp, if any, shows when.",
    "It does not show how pages look in a browser: it speaks of the answers that the server sent.",
    "It does not show who sent the pages: TLS certificates are public, and the crawler says which one it was shown.",
    NULL,
};

/* --- sorted words ------------------------------------------------------------------------ */

struct pair {
    char *name, *value;
};
struct pairs {
    struct pair *items;
    size_t count, room;
};

static void pairs_done(struct pairs *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->items[i].name);
        free(p->items[i].value);
    }
    free(p->items);
    *p = (struct pairs){0};
}

/* A name that is there already gets a further value. */
static void add_pair(struct pairs *p, struct sharc_span name, struct sharc_span value)
{
    for (size_t i = 0; i < p->count; i++) {
        if (!sharc_span_is(name, p->items[i].name)) continue;
        char *both = sharc_asprintf("%s, %.*s", p->items[i].value, SHARC_SPAN_ARG(value));
        free(p->items[i].value);
        p->items[i].value = both;
        return;
    }
    SHARC_GROW(p->items, p->room, p->count + 1);
    p->items[p->count++] = (struct pair){.name = sharc_span_dup(name), .value = sharc_span_dup(value)};
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct pair *)a)->name, ((const struct pair *)b)->name);
}

static void sort_pairs(struct pairs *p)
{
    if (p->count) qsort(p->items, p->count, sizeof *p->items, by_name);
}

/* --- capture ------------------------------------------------------------------------------- */

/* Other names would be sorted otherwise by RFC 8785. No warcinfo record has any. */
static bool is_ascii(struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] >= 0x80) return false;
    return true;
}

static void read_info(const struct sharc_derived_file *file, struct pairs *ret)
{
    struct sharc_span rest = sharc_buf_span(&file->info), name, value;
    while (sharc_derive_field(&rest, &name, &value))
        if (is_ascii(name)) add_pair(ret, name, value);
    sort_pairs(ret);
}

static bool same_info(const struct sharc_derived *f, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (f->files[k].downloads &&
            sharc_span_eq(sharc_buf_span(&f->files[k].info), sharc_buf_span(&f->files[i].info)))
            return true;
    return false;
}

/* What each warcinfo record says, each text once. */
static void put_settings(const struct sharc_derived *f, struct sharc_json *j)
{
    sharc_json_array(j, "settings");
    for (size_t i = 0; i < f->file_count; i++) {
        if (!f->files[i].downloads || same_info(f, i)) continue;
        struct pairs p = {0};
        read_info(&f->files[i], &p);
        sharc_json_object(j, NULL);
        for (size_t k = 0; k < p.count; k++) sharc_json_str(j, p.items[k].name, p.items[k].value);
        sharc_json_end(j);
        pairs_done(&p);
    }
    sharc_json_end(j);
}

static void put_capture(const struct sharc_derived *f, struct sharc_json *j)
{
    sharc_json_object(j, NULL);
    sharc_json_int(j, "began", f->capture);
    sharc_json_uint(j, "downloads", f->downloads);
    if (f->began != SHARC_TIME_NONE) { /* else no download of it is dated */
        sharc_json_int(j, "first_request", f->began);
        sharc_json_int(j, "last_byte", f->ended);
    }
    if (f->params) sharc_json_str(j, "params", f->params);
    sharc_json_array(j, "seeds");
    for (size_t i = 0; i < f->page_count; i++) {
        const struct sharc_derived_page *p = &f->pages[i];
        if (p->visit != SHARC_DERIVED_NONE && (f->all.items[p->visit].flags & SHARC_DOWNLOAD_SEED))
            sharc_json_span(j, NULL, sharc_derived_text(f, p->url));
    }
    sharc_json_end(j);
    put_settings(f, j);
    sharc_json_end(j);
}

/* --- counts ---------------------------------------------------------------------------------- */

static void put_numbers(struct sharc_json *j, const char *name, struct pairs *p)
{
    sort_pairs(p);
    sharc_json_object(j, name);
    for (size_t i = 0; i < p->count; i++) sharc_json_uint(j, p->items[i].name, strtoull(p->items[i].value, NULL, 10));
    sharc_json_end(j);
    pairs_done(p);
}

static void add_number(struct pairs *p, const char *name, uint64_t n)
{
    SHARC_AUTO(sharc_freep) char *text = sharc_asprintf("%llu", (unsigned long long)n);
    add_pair(p, sharc_span_of(name), sharc_span_of(text));
}

static void put_audits(const struct sharc_derived_audits *a, struct sharc_json *j)
{
    if (!a->attested) return;
    sharc_json_object(j, "audits");
    sharc_json_uint(j, "attested", a->attested);
    sharc_json_uint(j, "failed", a->failed);
    sharc_json_uint(j, "made", a->made);
    sharc_json_uint(j, "missing", a->missing);
    sharc_json_uint(j, "passed_over", a->passed_over);
    sharc_json_uint(j, "wanted", a->wanted);
    sharc_json_end(j);
}

static void put_counts(const struct sharc_derived *f, struct sharc_json *j)
{
    struct pairs grades = {0}, reasons = {0}, wholes = {0};
    uint64_t by_grade[SHARC_GRADE_COUNT] = {0};
    for (int r = 0; r < SHARC_GRADE_REASON_COUNT; r++) {
        by_grade[sharc_grade_of((enum sharc_grade_reason)r)] += f->reasons[r];
        if (f->reasons[r]) add_number(&reasons, sharc_grade_reason_word((enum sharc_grade_reason)r), f->reasons[r]);
    }
    for (int g = SHARC_GRADE_IDENTICAL; g < SHARC_GRADE_COUNT; g++) {
        add_number(&grades, sharc_grade_word((enum sharc_grade)g), by_grade[g]);
        add_number(&wholes, sharc_grade_word((enum sharc_grade)g), f->wholes[g]);
    }
    sharc_json_object(j, NULL);
    put_audits(&f->audits, j);
    put_numbers(j, "grades", &grades);
    sharc_json_uint(j, "pages", f->page_count);
    put_numbers(j, "reasons", &reasons);
    sharc_json_uint(j, "together", f->together);
    put_numbers(j, "whole_pages", &wholes);
    sharc_json_end(j);
}

/* --- files ------------------------------------------------------------------------------------- */

static void put_files(const struct sharc_derived *f, struct sharc_json *j)
{
    char hex[SHARC_HEX_SIZE(32)];
    sharc_json_array(j, NULL);
    for (size_t i = 0; i < f->file_count; i++) {
        const struct sharc_derived_file *file = &f->files[i];
        if (!file->needed) continue;
        sharc_hex_encode(sharc_span(file->digest.bytes, 32), hex);
        sharc_json_object(j, NULL);
        sharc_json_str(j, "blocks", file->sums);
        sharc_json_uint(j, "downloads", file->downloads);
        sharc_json_str(j, "name", file->name);
        sharc_json_uint(j, "records", file->records);
        sharc_json_str(j, "sha256", hex);
        sharc_json_uint(j, "size", file->bytes.n);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

/* --- what weakens it ------------------------------------------------------------------------------ */

static void note_setting(struct pairs *p, const char *what, struct sharc_span value)
{
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->items[i].name, what) == 0 && sharc_span_is(value, p->items[i].value)) return;
    add_pair(p, sharc_span_of(what), value);
}

static void note_settings(const struct sharc_derived_file *file, struct pairs *ret)
{
    struct sharc_span rest = sharc_buf_span(&file->info), name, value;
    struct sharc_own_info own;
    sharc_own_info_init(&own);
    while (sharc_derive_field(&rest, &name, &value)) (void)sharc_own_info_read(&own, name, value);
    SHARC_AUTO(sharc_freep) char *most = sharc_asprintf("%lld", (long long)own.max_body);
    if (own.insecure) note_setting(ret, "insecure", SHARC_SPAN("certificates of servers were not checked"));
    if (own.connect_to.n) note_setting(ret, "connect-to", own.connect_to);
    if (own.proxy.n) note_setting(ret, "proxy", own.proxy);
    if (own.trust_modified) note_setting(ret, "trust-last-modified", SHARC_SPAN("Last-Modified was believed"));
    if (own.header) note_setting(ret, "header", SHARC_SPAN("fields of the operator's were sent with requests"));
    if (own.max_body >= 0) note_setting(ret, "max-body", sharc_span_of(most));
}

static void note_downloads(const struct sharc_derived *f, struct pairs *ret)
{
    static const struct {
        unsigned flag;
        const char *what;
    } rows[] = {{SHARC_DOWNLOAD_CUT, "cut-answers"},
                {SHARC_DOWNLOAD_COOKIE, "requests-with-cookies"},
                {SHARC_DOWNLOAD_AUTHORIZATION, "requests-with-credentials"},
                {SHARC_DOWNLOAD_NOT_MODIFIED, "answers-not-modified"}};
    uint64_t counts[SHARC_LENGTH(rows)] = {0};
    for (size_t i = 0; i < f->all.count; i++) {
        const struct sharc_download *d = &f->all.items[i];
        if (!(d->flags & SHARC_DOWNLOAD_OWN) || d->capture != f->capture || d->kind == SHARC_OWN_ERRAND) continue;
        for (size_t k = 0; k < SHARC_LENGTH(rows); k++) counts[k] += (d->flags & rows[k].flag) != 0;
    }
    for (size_t k = 0; k < SHARC_LENGTH(rows); k++)
        if (counts[k]) add_number(ret, rows[k].what, counts[k]);
}

static void note_security(const struct sharc_derived *f, struct pairs *ret)
{
    SHARC_AUTO(sharc__certify_tls_done) struct certify_tls t;
    struct tls_doubts d;
    sharc__certify_tls_read(f, &t);
    sharc__certify_tls_doubts(&t, &d);
    const struct {
        const char *what;
        uint64_t n;
    } rows[] = {{"tls-chain-cut", d.cut},         {"tls-chain-missing", d.no_chain},
                {"tls-not-recorded", d.unknown},  {"tls-not-verified", d.unverified},
                {"tls-other-host", d.other_host}, {"tls-outside-validity", d.outside}};
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++)
        if (rows[i].n) add_number(ret, rows[i].what, rows[i].n);
}

static void note_audits(const struct sharc_derived *f, struct pairs *ret)
{
    const struct sharc_derived_audits *a = &f->audits;
    if (a->failed) add_number(ret, "audits-failed", a->failed);
    if (a->missing) add_number(ret, "audits-missing", a->missing);
    if (a->passed_over) add_number(ret, "audits-passed-over", a->passed_over);
    if (a->attested && !(a->seeded && f->audits_listed))
        note_setting(ret, "audits-not-listed", SHARC_SPAN("which answers 304 were checked cannot be repeated"));
}

static void put_weakened(const struct sharc_derived *f, struct sharc_json *j)
{
    struct pairs p = {0};
    for (size_t i = 0; i < f->file_count; i++)
        if (f->files[i].downloads) note_settings(&f->files[i], &p);
    note_downloads(f, &p);
    note_security(f, &p);
    note_audits(f, &p);
    sort_pairs(&p);
    sharc_json_array(j, NULL);
    for (size_t i = 0; i < p.count; i++) {
        sharc_json_object(j, NULL);
        sharc_json_str(j, "value", p.items[i].value);
        sharc_json_str(j, "what", p.items[i].name);
        sharc_json_end(j);
    }
    sharc_json_end(j);
    pairs_done(&p);
}

/* --- by name ---------------------------------------------------------------------------------------- */

static void put_interval(const struct sharc_derived *f, struct sharc_json *j)
{
    sharc_json_object(j, NULL);
    if (f->from != SHARC_TIME_NONE) {
        sharc_json_int(j, "from", f->from);
        sharc_json_int(j, "to", f->to);
    }
    sharc_json_end(j);
}

static void put_silence(const struct sharc_derived *f, struct sharc_json *j)
{
    (void)f;
    sharc_json_array(j, NULL);
    for (size_t i = 0; sharc__certify_silence[i]; i++) sharc_json_str(j, NULL, sharc__certify_silence[i]);
    sharc_json_end(j);
}

static void put_format(const struct sharc_derived *f, struct sharc_json *j)
{
    (void)f;
    sharc_json_str(j, NULL, CERTIFY_FORMAT);
}

static void put_rules(const struct sharc_derived *f, struct sharc_json *j)
{
    (void)f;
    sharc_json_str(j, NULL, SHARC_DERIVE_RULES);
}

static void put_gone(const struct sharc_derived *f, const struct sharc_download *d, struct sharc_json *j)
{
    sharc_json_object(j, NULL);
    sharc_json_uint(j, "file", f->files[d->file].number);
    sharc_json_uint(j, "offset", d->offset);
    sharc_json_str(j, "reason", "gone");
    sharc_json_uint(j, "status", d->status);
    sharc_json_span(j, "url", sharc_derived_text(f, d->url));
    sharc_json_end(j);
}

/* First what was answered and was not there, then what was not asked for; each by URL. */
static void put_not_fetched(const struct sharc_derived *f, struct sharc_json *j)
{
    sharc_json_array(j, NULL);
    for (size_t i = 0; i < f->gone_count; i++) put_gone(f, &f->all.items[f->gone[i]], j);
    for (size_t i = 0; i < f->left_count; i++) {
        sharc_json_object(j, NULL);
        sharc_json_span(j, "reason", sharc_derived_text(f, f->left_out[i].reason));
        sharc_json_span(j, "url", sharc_derived_text(f, f->left_out[i].url));
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

bool sharc__certify_section(const struct sharc_derived *f, const char *name, struct sharc_buf *out)
{
    static const struct {
        const char *name;
        void (*put)(const struct sharc_derived *f, struct sharc_json *j);
    } rows[] = {{"capture", put_capture},   {"clock", sharc_derive_clock},
                {"counts", put_counts},     {"does_not_say", put_silence},
                {"files", put_files},       {"format", put_format},
                {"interval", put_interval}, {"not_fetched", put_not_fetched},
                {"rules", put_rules},       {"servers", sharc__certify_servers},
                {"weakened", put_weakened}};
    struct sharc_json j;
    sharc_json_init(&j, out, false);
    if (strcmp(name, "volatile_places") == 0) {
        sharc_buf_put_str(out, f->places ? f->places : "[]");
        return true;
    }
    if (strcmp(name, "scope") == 0) { /* {}: the crawler did not record it */
        sharc_buf_put_str(out, f->scope ? f->scope : "{}");
        return true;
    }
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        rows[i].put(f, &j);
        return true;
    }
    return false;
}
