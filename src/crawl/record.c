/* SPDX-License-Identifier: Apache-2.0
 *
 * The WARC records of a download: response or revisit, request, metadata.
 */
#include "crawl_int.h"

#include "sharc/base_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { HOPS_SHOWN = 50, OUTLINKS = 6000 };

unsigned sharc__crawl_hop_count(const struct pages *p, uint32_t page)
{
    unsigned n = 0;
    for (; page != NO_PAGE && p->page[page].hop && n < 10000; page = p->page[page].via) n++;
    return n;
}

void sharc__crawl_hops(const struct pages *p, uint32_t page, struct sharc_buf *out)
{
    char path[HOPS_SHOWN];
    size_t n = 0;
    unsigned all = sharc__crawl_hop_count(p, page);
    for (; page != NO_PAGE && p->page[page].hop && n < HOPS_SHOWN; page = p->page[page].via)
        path[HOPS_SHOWN - ++n] = p->page[page].hop;
    if (all > n) sharc_buf_printf(out, "%zu+", all - n);
    sharc_buf_put(out, sharc_span(path + HOPS_SHOWN - n, n));
}

/* --- metadata --------------------------------------------------------------- */

static char letter_of(const struct sharc_link *l)
{
    if (l->flags & SHARC_LINK_SPECULATIVE) return 'X';
    switch ((enum sharc_link_kind)l->kind) {
    case SHARC_LINK_EMBED: return 'E';
    case SHARC_LINK_REDIRECT: return 'R';
    case SHARC_LINK_NAVIGATION: break;
    }
    return l->place == SHARC_FROM_FORM || l->place == SHARC_FROM_FORM_BUTTON ? 'S' : 'L';
}

static const char *kind_of(enum task_kind k)
{
    switch (k) {
    case TASK_LOOK: return "second-look";
    case TASK_REVISIT: return "revisit";
    case TASK_ROBOTS:
    case TASK_MANIFEST:
    case TASK_PROBE: return "errand";
    case TASK_EMBED:
    case TASK_VISIT: break;
    }
    return "visit";
}

static void put_number(struct sharc_buf *out, const char *name, double value)
{
    sharc_buf_printf(out, "%s: ", name);
    sharc_json_number(out, value);
    sharc_buf_put(out, SHARC_SPAN("\r\n"));
}

/* What the catalogue knows of the download beside its bytes, so that it can be made
 * again from here. */
static void put_knowledge(const struct job *j, const struct page *p, struct sharc_buf *out)
{
    put_number(out, "sharc-planned-rate", j->planned_rate);
    if (!isnan(j->rate)) put_number(out, "sharc-rate", j->rate);
    if (p->weight < 1 || p->weight > 1) put_number(out, "sharc-weight", (double)p->weight);
    if (p->flags & PAGE_HOPELESS) sharc_buf_put(out, SHARC_SPAN("sharc-hopeless: true\r\n"));
    sharc_buf_printf(out, "sharc-change: %s\r\n", sharc_change_class_name(j->verdict.change));
    put_number(out, "sharc-importance", j->importance);
    if (j->compare) sharc_buf_printf(out, "sharc-decided-by: %s\r\n", sharc_change_step_name(j->verdict.step));
}

static void put_metadata(const struct job *j, struct sharc_buf *out)
{
    const struct site *s = j->site;
    const struct page *p = &s->pages.page[j->task.page];
    if (p->flags & PAGE_SEED) sharc_buf_put(out, SHARC_SPAN("seed: \r\n"));
    if (p->via != NO_PAGE) {
        sharc_buf_put(out, SHARC_SPAN("via: "));
        sharc_buf_put(out, page_url(&s->pages, p->via));
        sharc_buf_put(out, SHARC_SPAN("\r\n"));
    }
    sharc_buf_put(out, SHARC_SPAN("hopsFromSeed: "));
    sharc__crawl_hops(&s->pages, j->task.page, out);
    char began[SHARC_TIME_TEXT];
    if (s->started_at != SHARC_TIME_NONE)
        sharc_buf_printf(out, "\r\nsharc-capture: %s", sharc_time_iso(s->started_at, 6, began));
    sharc_time took = j->result->end - j->result->start;
    sharc_buf_printf(out, "\r\nfetchTimeMs: %" PRId64 "\r\nsharc-took-us: %" PRId64 "\r\nsharc-kind: %s\r\n",
                     took / SHARC_MSEC, took, kind_of(j->task.kind));
    if (j->task.told) sharc_buf_printf(out, "sharc-slot: %u\r\n", j->task.slot);
    if (j->task.kind >= TASK_VISIT) put_knowledge(j, p, out);
}

/* Its links, which the pool can write down. */
static void put_outlinks(struct job *j)
{
    struct sharc_buf *out = &j->outlinks;
    if (!j->extracted || j->task.kind == TASK_REVISIT) return;
    for (size_t i = 0; i < j->page.link_count && i < OUTLINKS; i++) {
        const struct sharc_link *l = &j->page.links[i];
        if (l->flags & SHARC_LINK_REPEATED) continue;
        sharc_buf_put(out, SHARC_SPAN("outlink: "));
        sharc_buf_put(out, l->url);
        const char tail[] = {' ', letter_of(l), ' '};
        sharc_buf_put(out, sharc_span(tail, sizeof tail));
        sharc_buf_put_str(out, sharc_link_place_text((enum sharc_link_place)l->place));
        sharc_buf_put(out, SHARC_SPAN("\r\n"));
    }
}

/* --- records ------------------------------------------------------------------ */

bool sharc__crawl_repeats(const struct job *j)
{
    bool same = j->identical && j->result->cut == SHARC_FETCH_WHOLE;
    return (same || j->answer == SHARC_ANSWER_NOT_MODIFIED) && j->before_id[0] && j->before.has_digest &&
           j->before.date != SHARC_TIME_NONE;
}

static bool is_kept(const struct job *j)
{
    return j->result->status != 0 && j->result->head.n > 0 && j->task.kind != TASK_PROBE &&
           j->result->state != SHARC_FETCH_UNWANTED;
}

static struct sharc_warc_writer *writer_of(const struct site *s)
{
    return s->warc ? s->warc : s->crawl->warc;
}

struct digest_texts {
    char payload[SHARC_DIGEST_TEXT], block[SHARC_DIGEST_TEXT];
};

/* What a fetch's records say; texts must live as long as they do. */
static struct sharc_warc_fetch fetch_of(const struct job *j, struct digest_texts *texts)
{
    const struct sharc_fetch_result *r = j->result;
    struct sharc_warc_fetch f = {
        .date = r->start,
        .target = sharc_span_of(r->url),
        .ip = r->ip[0] ? sharc_span_of(r->ip) : SHARC_SPAN_NONE,
        .protocol = sharc_span_of(r->protocol),
        .response = {.head = sharc_buf_span(&r->head),
                     .body = sharc_buf_span(&r->body.memory),
                     .fd = r->body.fd,
                     .fd_size = r->body.fd >= 0 ? r->body.fd_size : 0},
        .request = {.head = sharc_buf_span(&r->request), .fd = -1},
        .truncated = sharc_fetch_cut_text(r->cut),
    };
    if (j->digest.n) f.payload_digest = sharc_span_of(sharc_digest_text(&j->digest, texts->payload));
    if (j->block.n) f.block_digest = sharc_span_of(sharc_digest_text(&j->block, texts->block));
    return f;
}

void sharc__crawl_pack_begin(struct job *j)
{
    /* When no file can be opened now, the record is made when its turn comes. */
    if (is_kept(j) && sharc_spool_size(&j->result->body) <= PACKED_MOST / 2)
        (void)sharc_warc_ahead_begin(writer_of(j->site), j->result->end, &j->ahead, NULL);
}

static struct sharc_warc_packer *take_packer(struct sharc_crawl *c, const struct sharc_warc_writer *w)
{
    struct sharc_warc_packer *p = NULL;
    pthread_mutex_lock(&c->packers_lock);
    if (c->packers_count > 0) p = c->packers[--c->packers_count];
    pthread_mutex_unlock(&c->packers_lock);
    return p ? p : sharc_warc_packer_new(w);
}

static void give_packer(struct sharc_crawl *c, struct sharc_warc_packer *p)
{
    pthread_mutex_lock(&c->packers_lock);
    SHARC_GROW(c->packers, c->packers_room, c->packers_count + 1);
    c->packers[c->packers_count++] = p;
    pthread_mutex_unlock(&c->packers_lock);
}

void sharc__crawl_pack(struct job *j)
{
    struct sharc_crawl *c = j->site->crawl;
    struct digest_texts texts;
    if (is_kept(j)) put_outlinks(j);
    if (!j->ahead.id[0] || sharc__crawl_repeats(j)) return;
    struct sharc_warc_fetch f = fetch_of(j, &texts);
    struct sharc_warc_packer *p = take_packer(c, writer_of(j->site));
    (void)sharc_warc_ahead_pack(p, &f, &j->ahead, NULL);
    give_packer(c, p);
}

static int write_records(struct job *j, struct sharc_err *reterr)
{
    struct site *s = j->site;
    struct sharc_crawl *c = s->crawl;
    struct sharc_warc_place original = {.offset = j->before.offset};
    struct sharc_digest digest = {.kind = SHARC_SHA256, .n = sizeof j->before.digest};
    char digest_text[SHARC_DIGEST_TEXT];
    struct digest_texts texts;
    snprintf(original.id, sizeof original.id, "%s", j->before_id);
    memcpy(digest.bytes, j->before.digest, sizeof j->before.digest);
    sharc_buf_clear(&c->scratch);
    put_metadata(j, &c->scratch);
    struct sharc_warc_fetch f = fetch_of(j, &texts);
    f.metadata = sharc_buf_span(&c->scratch);
    f.metadata_rest = sharc_buf_span(&j->outlinks);
    bool revisit = sharc__crawl_repeats(j);
    if (revisit) {
        f.not_modified = j->answer == SHARC_ANSWER_NOT_MODIFIED;
        f.original = &original;
        f.original_target = f.target;
        f.original_date = j->before.date;
        f.original_payload_digest = sharc_span_of(sharc_digest_text(&digest, digest_text));
    } else if (j->ahead.packed) {
        f.ahead = &j->ahead;
    }
    int code = sharc_warc_write_fetch(writer_of(s), j->result->end, &f, &j->written.places, reterr);
    if (code < 0) return code;
    j->written.any = true;
    j->written.revisit = revisit;
    sharc__crawl_wrote(c, &j->written.places);
    sharc_cdx_notes_add(c->notes, &f, &j->written.places);
    if (c->records++ == 0) c->first_record = crawl_now(c);
    s->dirty = true;
    return 0;
}

int sharc__crawl_record(struct job *j, struct written *ret, struct sharc_err *reterr)
{
    sharc_store_id row;
    *ret = (struct written){0};
    if (!is_kept(j)) return 0;
    int r = j->written.any ? 0 : write_records(j, reterr);
    if (r == 0) r = sharc__crawl_file_row(j->site->crawl, j->written.places.response.file, &row, reterr);
    if (r == 0) *ret = j->written;
    return r;
}

/* --- warcinfo ------------------------------------------------------------------- */

static void put_line(struct sharc_buf *out, const char *name, const char *value)
{
    if (value && value[0] && !strpbrk(value, "\r\n")) sharc_buf_printf(out, "%s: %s\r\n", name, value);
}

int sharc__crawl_info(const struct sharc_crawl *c, const struct site *s, struct sharc_buf *out)
{
    char text[SHARC_TIME_TEXT];
    put_line(out, "hostname", c->o.host);
    put_line(out, "operator", c->o.operator_);
    put_line(out, "http-header-from", c->o.contact);
    put_line(out, "http-header-user-agent", c->o.user_agent);
    put_line(out, "description", c->o.description);
    put_line(out, "robots", c->o.ignore_robots ? "ignore" : "obey");
    put_line(out, "isPartOf", s ? s->name : "several sites");
    put_line(out, "sharc-purpose", c->o.purpose == SHARC_FOR_EVIDENCE ? "evidence" : "exploration");
    put_line(out, "sharc-strategy", c->o.strategy->name);
    put_line(out, "sharc-delay", sharc_duration_text(c->o.pace.delay, text));
    sharc_buf_printf(out, "sharc-confidence: %g\r\nsharc-risk: %g\r\nsharc-focus: %g\r\n", c->o.params.confidence,
                     c->o.params.risk, c->o.params.focus_share);
    return sharc_buf_result(out, NULL);
}
