/* SPDX-License-Identifier: Apache-2.0
 *
 * /api/: what the catalogues of the served archives know, for programs and user interfaces. Only reviews are written.
 * Each question opens the catalogue for itself, and only some run at once, so that readers of pages do not wait for
 * them.
 */
#include "api.h"

#include "sharc/archive.h"
#include "sharc/base_version.h"

#include <stdlib.h>

struct parameter {
    const char *name, *type, *about; /* type: "string", "integer" or "number" */
    bool needed;
};

/* members: "name:type" with blanks between; behind the type ?: may be null, ~: may be missing. */
struct path {
    const char *path, *about, *members;
    api_fn *answer;
    struct parameter parameters[12]; /* the last one has no name */
};

#define ARCHIVE                                                                                        \
    {                                                                                                  \
        "archive", "integer", "number of the archive, as /api/archives lists them (default: 0)", false \
    }
#define CAPTURE(about)                   \
    {                                    \
        "capture", "string", about, true \
    }
#define PAGING                                                                   \
    {"limit", "integer", "at most so many (default: 100, at most 1000)", false}, \
    {                                                                            \
        "offset", "integer", "leave so many out before", false                   \
    }

#define SITE                                                                    \
    {                                                                           \
        "site", "string", "of this site (default: the newest capture's)", false \
    }
#define MOST_CAPTURES                                                         \
    {                                                                         \
        "most", "integer", "only so many of the newest (default: 100)", false \
    }
#define MOST_PAGES                                                                                  \
    {                                                                                               \
        "most", "integer", "at most about so many marks, see every; 0: all (default: 20000)", false \
    }

static const struct path paths[] = {
    {"/api/archives", "The archives that are served.", "archives:array", sharc__serve_api_archives, {{0}}},
    {"/api/archive",
     "One archive: its captures, files and what runs on it.",
     "name:string catalogue:string? error:string? sites:integer captures:integer running:integer unfinished:integer "
     "states:object pages:integer failed:integer storage:object index:string index_behind:integer held:boolean "
     "progress:object? series:array",
     sharc__serve_api_archive,
     {ARCHIVE}},
    {"/api/captures",
     "Captures, the newest first.",
     "total:integer offset:integer captures:array",
     sharc__serve_api_captures,
     {ARCHIVE,
      {"site", "string", "of this site only", false},
      {"grades", "integer", "1: count the pages of each grade, from none to unproved", false},
      PAGING}},
    {"/api/capture",
     "One capture: what visits and revisits prove, what is wrong with it, what was left out.",
     "id:integer key:string site:string state:string purpose:string strategy:string source:string start:string? "
     "end:string? reference:string? reference_from:string? reference_to:string? schedule:object? pages:integer "
     "answered:integer redirects:integer revisited:integer first:string? last:string? verdict:object defects:object "
     "left_out:array blur:object pair:object?",
     sharc__serve_api_capture,
     {ARCHIVE, CAPTURE("number, key, \"latest\", a site, or SITE@TIME")}},
    {"/api/pages",
     "Pages of a capture, filtered and sorted, with the counts of those that the other filters leave.",
     "capture:integer total:integer matched:integer offset:integer facets:object pages:array",
     sharc__serve_api_pages,
     {ARCHIVE,
      CAPTURE("as of /api/capture"),
      {"q", "string", "URLs that contain this", false},
      {"status", "string", "a status, or a class such as 4xx; \"failed\": no answer", false},
      {"mime", "string", "types that begin so", false},
      {"grade", "string", "a word of a grade", false},
      {"class", "string", "a class of /api/words: what the revisit showed", false},
      {"folder", "string", "host and first folder, as facets name them", false},
      {"sort", "string", "url, time, slot, status, size, rate or risk; with - in front: backwards", false},
      PAGING}},
    {"/api/skipped",
     "URLs that were not fetched or not kept, and why.",
     "capture:integer reasons:object texts:object matched:integer offset:integer urls:array",
     sharc__serve_api_skipped,
     {ARCHIVE, CAPTURE("as of /api/capture"), {"reason", "string", "of this reason only", false}, PAGING}},
    {"/api/series",
     "All captures of a site together.",
     "site:string? captures:integer pages:integer versions:integer completeness:number? rated:integer "
     "coherence:number? queries:integer from:string? to:string?",
     sharc__serve_api_series,
     {ARCHIVE, CAPTURE("a capture of the site, as of /api/capture")}},
    {"/api/pair",
     "Two captures compared page by page.",
     "a:integer b:integer counts:object matched:integer offset:integer pages:array",
     sharc__serve_api_pair,
     {ARCHIVE,
      {"a", "string", "the earlier capture, as of /api/capture", true},
      {"b", "string", "the later one", true},
      {"only", "string", "a difference, as counts names them", false},
      PAGING}},
    {"/api/page",
     "One URL: its versions in all captures, how often it changes, when it usually does.",
     "url:string versions:array rates:array patterns:array",
     sharc__serve_api_page,
     {ARCHIVE, {"url", "string", "as it was captured", true}}},
    {"/api/words",
     "What the collection is called, where replay is, and the words, letters and colours of classes, kinds and grades.",
     "title:string replay:string classes:array kinds:array grades:array reasons:array defects:object",
     sharc__serve_api_words,
     {{0}}},
    {"/api/schedule",
     "Visits and revisits of a capture in order, by columns: times in milliseconds since the first download.",
     "capture:integer key:string site:string strategy:string first:string? last:string? known_from:string? "
     "known_to:string? count:integer revisited:integer hopeless:integer rated:integer every:integer url:array "
     "visit:array revisit:array rate:array kind:array reason:array flags:array",
     sharc__serve_api_schedule,
     {ARCHIVE, CAPTURE("as of /api/capture"), MOST_PAGES}},
    {"/api/steps",
     "Captures of a site, each against the one before it: pages by class and kind, links, similarity.",
     "site:string steps:array",
     sharc__serve_api_steps,
     {ARCHIVE, SITE, MOST_CAPTURES}},
    {"/api/points",
     "Two captures page by page, by columns: class, kind, type, folder, sizes and similarity. place: where the page "
     "stands in the order of all URLs; of pages that stood still every n-th is told, of others every_changed-th.",
     "a:integer b:integer site:string key_a:string key_b:string all:object mimes:array folders:array count:integer "
     "every:integer every_changed:integer place:array url:array kind:array class:array mime:array folder:array "
     "size_a:array size_b:array "
     "similarity:array",
     sharc__serve_api_points,
     {ARCHIVE,
      {"a", "string", "the earlier capture, as of /api/capture", true},
      {"b", "string", "the later one", true},
      MOST_PAGES}},
    {"/api/calendar",
     "Pages that changed by captures; rows that change together stand together. A letter for each cell.",
     "site:string captures:array rows:integer quiet:integer unknown:integer left_out:integer groups:integer "
     "url:array changes:array group:array cells:array",
     sharc__serve_api_calendar,
     {ARCHIVE, SITE, MOST_CAPTURES, {"rows", "integer", "at most so many rows (default: 50000)", false}}},
    {"/api/graph",
     "The spanning tree of a capture, by columns; x and y in units of 1/100000 of the radius.",
     "capture:integer against:integer site:string key:string pages_in_all:integer all:object url:array parent:array "
     "kind:array class:array folded:array pages:array below:array x:array y:array",
     sharc__serve_api_graph,
     {ARCHIVE,
      CAPTURE("as of /api/capture"),
      {"against", "string", "an earlier capture, as of /api/capture (default: visit against revisit)", false},
      {"fold", "integer", "0: do not fold branches in which nothing changed (default: 1)", false}}},
    {"/api/subsites",
     "Parts of a site: hosts, folders with a sitemap of their own, folders that change in a way of their own.",
     "pages:integer steps:integer parts:array",
     sharc__serve_api_subsites,
     {ARCHIVE, SITE, MOST_CAPTURES}},
    {"/api/week",
     "When pages change: by weekday (Monday first) and hour, UTC.",
     "changes:array hours:array pages:integer looks:integer seen:integer stated:integer from:string? to:string?",
     sharc__serve_api_week,
     {ARCHIVE, SITE, {"url", "string", "of this page only", false}}},
    {"/api/watch",
     "A watch: how fresh, complete and coherent the archive was over time, and what is due next and why.",
     "capture:integer pages:integer looked_at:integer all:object? periods:array strategy:string? "
     "requests_per_hour:number? paused:boolean watched:integer due:array",
     sharc__serve_api_watch,
     {ARCHIVE,
      CAPTURE("as of /api/capture"),
      {"limit", "integer", "at most so many that are due (default: 50, at most 1000)", false}}},
    {"/api/fleet",
     "The workers that capture what is queued for the archive, and the queue: by collection and state, what runs, what "
     "waits and why. Times are those of the database's clock, which now tells.",
     "now:string? workers:array queue:array jobs:array more:integer",
     sharc__serve_api_fleet,
     {ARCHIVE,
      {"limit", "integer", "at most so many jobs that run, wait or failed (default: 100, at most 1000)", false}}},
    {"/api/difference",
     "The text of a page in two captures side by side; of a capture and itself: its visit and its revisit.",
     "url:string before:string? after:string? class:string text:string similarity:number? added:integer "
     "removed:integer cut:boolean readable:boolean rows:array links_added:array links_removed:array",
     sharc__serve_api_difference,
     {ARCHIVE,
      {"url", "string", "as it was captured", true},
      {"a", "string", "the earlier capture, as of /api/capture", true},
      {"b", "string", "the later one", true}}},
    {"/api/reviews",
     "What people decided about pages of a capture; writable: /api/review takes more.",
     "capture:integer writable:boolean counts:object reviews:array",
     sharc__serve_api_reviews,
     {ARCHIVE, CAPTURE("as of /api/capture")}},
    {"/api/review", /* by POST */
     "Decide about a page of a capture. Only where the server has a token.",
     "url:string state:string note:string who:string when:string?",
     sharc__serve_api_review,
     {ARCHIVE,
      CAPTURE("as of /api/capture"),
      {"url", "string", "as it was captured", true},
      {"state", "string", "open, approved or rejected; open without a note takes the decision back", true},
      {"note", "string", "why", false},
      {"who", "string", "who says so", false}}},
    {"/api/live",
     "The crawl that runs on the archive now. Accept: text/event-stream makes it a stream: the same object again "
     "whenever something has changed.",
     "running:boolean work:string? since:string? writable:boolean status:object? captures:array log:array",
     sharc__serve_api_live,
     {ARCHIVE}},
    {"/api/steer", /* by POST */
     "Ask the crawl that runs on the archive to pause, to go on, or to change a setting. Only where the server has a "
     "token. Whether it was taken is in what /api/live tells next.",
     "asked:string",
     sharc__serve_api_steer,
     {ARCHIVE, {"set", "string", "pause, continue, or NAME=VALUE as in delay=5s or exclude=glob:*.pdf", true}}},
    {"/api/trial",
     "The strategies that can be tried on the site of the newest capture. Accept: text/event-stream tries them, one "
     "after the other: an event for each with what sharc plan --json says. One trial runs at a time; closing the "
     "connection ends it.",
     "available:boolean strategies:array",
     sharc__serve_api_trial,
     {ARCHIVE,
      {"delay", "number", "seconds between two downloads (default: 3)", false},
      {"known", "number", "share of the URLs that is known beforehand (default: as the archive knows)", false},
      {"focus", "number", "share of extra requests that may be made (default: 0.1)", false}}},
    {"/api/coherence", /* coherence_api.c */
     "Whether a page and its parts, as they are shown for a time, existed together.",
     "url:string mapping:string asked:string? t0:string? timestamp:string state:string text:string p:number? "
     "by_word:boolean instant:array? together:boolean shared:array? shared_by:integer missing:integer "
     "refused:integer similar:integer weights:object? cut:boolean scripts:boolean within:string~ grade:object? "
     "certificate:boolean "
     "parts:array",
     NULL,
     {{"url", "string", "the page", true},
      {"at", "string", "a time of 4 to 17 digits (default: the newest)", false},
      {"mapping", "string", "web, near, asof or coherent", false},
      {"within", "string", "how far from the time captures may be, as in -1d..+2h", false}}},
};

/* --- parameters ------------------------------------------------------------------------------ */

char *sharc__serve_api_text(const struct api_call *a, const char *name)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    size_t at = 0;
    if (!sharc__serve_parameter(a->call, name, &at, &b)) return sharc_strdup("");
    return sharc_strdup(sharc_buf_str(&b));
}

int sharc__serve_api_number(const struct api_call *a, const char *name, uint64_t usual, uint64_t most, uint64_t *ret,
                            struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *text = sharc__serve_api_text(a, name);
    *ret = usual;
    if (!*text) return 0;
    SHARC_FAIL_IF(sharc_span_to_u64(sharc_span_of(text), ret) < 0 || *ret > most, reterr, SHARC_EINVAL,
                  "%s must be a number up to %llu", name, (unsigned long long)most);
    return 0;
}

int sharc__serve_api_capture_of(const struct api_call *a, const char *name, sharc_store_id *ret,
                                struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *text = sharc__serve_api_text(a, name);
    SHARC_FAIL_IF(!*text, reterr, SHARC_EINVAL, "name a capture: %s=latest", name);
    return sharc_store_capture_find(a->store, sharc_span_of(text), ret, reterr);
}

void sharc__serve_api_time(struct sharc_json *j, const char *name, sharc_time t)
{
    char iso[SHARC_TIME_TEXT];
    if (t == SHARC_TIME_NONE)
        sharc_json_null(j, name);
    else
        sharc_json_str(j, name, sharc_time_iso(t, 6, iso));
}

/* --- OpenAPI ------------------------------------------------------------------------------------- */

static void put_parameter(struct sharc_json *j, const struct parameter *p)
{
    sharc_json_object(j, NULL);
    sharc_json_str(j, "name", p->name);
    sharc_json_str(j, "in", "query");
    sharc_json_bool(j, "required", p->needed);
    sharc_json_str(j, "description", p->about);
    sharc_json_object(j, "schema");
    sharc_json_str(j, "type", p->type);
    sharc_json_end(j);
    sharc_json_end(j);
}

static void put_member(struct sharc_json *j, struct sharc_span member)
{
    size_t colon = sharc_span_find(member, ':', 0);
    SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(sharc_span_sub(member, 0, colon));
    struct sharc_span type = sharc_span_from(member, colon + 1);
    type.n -= sharc_span_ends(type, SHARC_SPAN("~"));
    bool none = sharc_span_ends(type, SHARC_SPAN("?"));
    type.n -= none;
    sharc_json_object(j, name);
    if (none) {
        sharc_json_array(j, "type");
        sharc_json_span(j, NULL, type);
        sharc_json_str(j, NULL, "null");
        sharc_json_end(j);
    } else {
        sharc_json_span(j, "type", type);
    }
    sharc_json_end(j);
}

static void put_schema(struct sharc_json *j, const char *members)
{
    struct sharc_span rest = sharc_span_of(members), one;
    sharc_json_object(j, "schema");
    sharc_json_str(j, "type", "object");
    sharc_json_bool(j, "additionalProperties", false);
    sharc_json_array(j, "required");
    while (rest.n && rest.n != SHARC_NPOS && sharc_span_next(&rest, ' ', &one))
        if (!sharc_span_ends(one, SHARC_SPAN("~")))
            sharc_json_span(j, NULL, sharc_span_sub(one, 0, sharc_span_find(one, ':', 0)));
    sharc_json_end(j);
    sharc_json_object(j, "properties");
    rest = sharc_span_of(members);
    while (rest.n && rest.n != SHARC_NPOS && sharc_span_next(&rest, ' ', &one)) put_member(j, one);
    sharc_json_end(j);
    sharc_json_end(j);
}

static void put_answer(struct sharc_json *j, const char *status, const char *about, const char *members)
{
    sharc_json_object(j, status);
    sharc_json_str(j, "description", about);
    sharc_json_object(j, "content");
    sharc_json_object(j, "application/json");
    put_schema(j, members);
    for (int i = 0; i < 3; i++) sharc_json_end(j);
}

static bool is_written(const struct path *p)
{
    return p->answer == sharc__serve_api_review || p->answer == sharc__serve_api_steer;
}

bool sharc__serve_api_is_written(struct sharc_span path)
{
    for (size_t i = 0; i < SHARC_LENGTH(paths); i++)
        if (sharc_span_is(path, paths[i].path)) return is_written(&paths[i]);
    return false;
}

static void put_path(struct sharc_json *j, const struct path *p)
{
    sharc_json_object(j, p->path);
    sharc_json_object(j, is_written(p) ? "post" : "get");
    sharc_json_str(j, "summary", p->about);
    sharc_json_str(j, "operationId", p->path + strlen("/api/"));
    sharc_json_array(j, "parameters");
    for (const struct parameter *q = p->parameters; q->name; q++) put_parameter(j, q);
    sharc_json_end(j);
    sharc_json_object(j, "responses");
    put_answer(j, "200", "The answer.", p->members);
    put_answer(j, "default", "Why there is none.", "error:string");
    for (int i = 0; i < 3; i++) sharc_json_end(j);
}

static void put_openapi(struct sharc_json *j)
{
    sharc_json_str(j, "openapi", "3.1.0");
    sharc_json_object(j, "info");
    sharc_json_str(j, "title", "sharc serve");
    sharc_json_str(j, "version", sharc_version());
    sharc_json_str(j, "description",
                   "What the catalogues of the archives that are served know. Only /api/review writes to them; "
                   "/api/steer asks a running crawl for something.");
    sharc_json_end(j);
    sharc_json_object(j, "paths");
    for (size_t i = 0; i < SHARC_LENGTH(paths); i++) put_path(j, &paths[i]);
    sharc_json_end(j);
}

/* --- answering -------------------------------------------------------------------------------------- */

void sharc__serve_api_send(struct serve_call *c, int status, struct sharc_buf *out)
{
    sharc_buf_put_char(out, '\n');
    sharc__serve_status(c, status);
    sharc__serve_policy(c);
    sharc__serve_cors(c);
    sharc__serve_header(c, "Content-Type", SHARC_SPAN("application/json"));
    sharc__serve_body(c, out);
}

void sharc__serve_api_fail(struct serve_call *c, int status, const char *text)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "error", text);
    sharc_json_end(&j);
    if (status == 503) sharc__serve_header(c, "Retry-After", SHARC_SPAN("1"));
    sharc__serve_api_send(c, status, &out);
}

/* The directory of the archive that is asked about. */
static int choose_archive(struct api_call *a, struct sharc_err *reterr)
{
    const struct sharc_collection *k = a->call->edition->collection;
    uint64_t wanted;
    int r = sharc__serve_api_number(a, "archive", 0, 1u << 20, &wanted, reterr);
    for (size_t i = 0; r == 0 && i < k->path_count; i++) {
        if (!sharc_archive_is(k->paths[i]) || wanted--) continue;
        a->directory = k->paths[i];
        return 0;
    }
    return r < 0 ? r : sharc_fail(reterr, SHARC_ENOENT, "no such archive is served; files alone have no catalogue");
}

/* Questions that are not about a catalogue, or not about it alone. */
static bool is_free(const struct path *p)
{
    return p->answer == sharc__serve_api_archives || p->answer == sharc__serve_api_words;
}
/* … or about what runs on the archive: never kept, and no catalogue is opened for them. */
static bool is_status(const struct path *p)
{
    return p->answer == sharc__serve_api_archive || p->answer == sharc__serve_api_live ||
           p->answer == sharc__serve_api_steer || p->answer == sharc__serve_api_trial;
}

/* What is due depends on the clock, too. */
static bool is_about_now(const struct path *p)
{
    return p->answer == sharc__serve_api_watch || p->answer == sharc__serve_api_fleet;
}

/* What was asked for wrongly is told; where the catalogue is, and what its database says, is nobody's business. */
static int without_place(const struct api_call *a, bool asks, int r, struct sharc_err *reterr)
{
    struct sharc_span text = sharc_span_of(reterr->text);
    struct sharc_span name = sharc_span_of(a->store ? sharc_store_name(a->store) : "");
    bool named = name.n && sharc_span_starts(text, name) && text.n > name.n + 2,
         wrong = r == SHARC_ENOENT || r == SHARC_EINVAL;
    if (asks && !a->store && r == SHARC_ENOENT)
        return sharc_fail(reterr, r, "this archive has no catalogue; sharc import makes one of its files");
    if ((asks && !a->store) || r == SHARC_EDB || (named && !wrong))
        return sharc_fail(reterr, r,
                          "the catalogue of this archive cannot be read now; whoever runs the server can ask "
                          "sharc status why");
    if (!named) return r;
    SHARC_AUTO(sharc_freep) char *rest = sharc_span_dup(sharc_span_from(text, name.n + 2));
    return sharc_fail(reterr, r, "%s", rest);
}

static int answer(struct api_call *a, const struct path *p, struct sharc_err *reterr)
{
    const struct sharc_store_options o = {.read_only = !is_written(p), .must_exist = true, .cache_urls = 1000};
    bool asks = !is_free(p) && !is_status(p);
    int r = asks ? sharc_archive_open(a->directory, NULL, &o, &a->store, reterr) : 0;
    if (r == 0) r = p->answer(a, reterr);
    if (r < 0) r = without_place(a, asks, r, reterr);
    sharc_store_freep(&a->store);
    return r;
}

static void fail_as(struct serve_call *c, int r, const char *text)
{
    SHARC_AUTO(sharc_freep) char *told = sharc__serve_without_paths(c, text);
    sharc__serve_api_fail(c, r == SHARC_ENOENT ? 404 : r == SHARC_EINVAL ? 400 : 503, told);
}

static void ask(struct api_call *a, const struct path *p, uint64_t signature)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 20);
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_json_init(&a->json, &out, true);
    sharc_json_object(&a->json, NULL);
    int r = answer(a, p, &err);
    if (r < 0 || out.failed) {
        fail_as(a->call, r, out.failed ? "this answer would be too large; ask for less with limit" : err.text);
        return;
    }
    sharc_json_end(&a->json);
    sharc__serve_answers_put(a->call->server->answers, a, signature, &out);
    sharc__serve_api_send(a->call, 200, &out);
}

/* Archived pages are of the same site, on another port. */
static bool is_from_elsewhere(const struct serve_call *c)
{
    struct sharc_span from = sharc_http_request_header(c->request, "Sec-Fetch-Site");
    return from.p && !sharc_span_is(from, "same-origin") && !sharc_span_is(from, "none");
}

/* What is known already is told at once; the rest waits for its turn. */
static void ask_in_turn(struct serve_call *c, const struct path *p)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf known = SHARC_BUF_INIT(64u << 20);
    struct api_call a = {.call = c};
    struct sharc_err err = SHARC_ERR_INIT;
    uint64_t signature = 0;
    int r = is_free(p) ? 0 : choose_archive(&a, &err);
    if (r < 0) {
        fail_as(c, r, err.text);
        return;
    }
    if (sharc__serve_wants_events(c) && is_from_elsewhere(c)) {
        sharc__serve_api_fail(c, 403, "pages of other sites may not make this server work");
        return;
    }
    if (p->answer == sharc__serve_api_live && sharc__serve_wants_events(c)) {
        if (!sharc__serve_live_stream(c, a.directory))
            sharc__serve_api_fail(c, 503, "too many watch already; try again later");
        return;
    }
    if (p->answer == sharc__serve_api_trial && sharc__serve_wants_events(c)) {
        r = sharc__serve_trial_stream(&a, &err);
        if (r < 0) fail_as(c, r, err.text);
        return;
    }
    if (!is_free(p) && !is_status(p) && !is_written(p) && !is_about_now(p))
        signature = sharc__serve_answers_signature(&a);
    if (sharc__serve_answers_get(c->server->answers, &a, signature, &known)) {
        sharc__serve_api_send(c, 200, &known);
        return;
    }
    enum sharc_http_turn turn = sharc_http_answer_turn(c->answer);
    c->postponed = turn == SHARC_HTTP_TURN_LATER;
    if (turn == SHARC_HTTP_TURN_NOW)
        ask(&a, p, signature);
    else if (turn == SHARC_HTTP_TURN_REFUSED)
        sharc__serve_api_fail(c, 503, "other questions to the catalogue are being answered; try again in a moment");
}

/* That the token was shown has been asked before. */
static bool may_write(struct serve_call *c)
{
    if (!sharc_span_is(c->request->method, "POST"))
        sharc__serve_api_fail(c, 405, "this writes: send it with POST");
    else if (!c->server->token)
        sharc__serve_api_fail(c, 403, "reviews and wishes to a crawl are taken only where the server has a token");
    else
        return true;
    return false;
}

void sharc__serve_api(struct serve_call *c)
{
    struct sharc_span path = c->request->path;
    for (size_t i = 0; i < SHARC_LENGTH(paths); i++)
        if (paths[i].answer && sharc_span_is(path, paths[i].path)) {
            if (is_written(&paths[i]) && !may_write(c)) return;
            ask_in_turn(c, &paths[i]);
            return;
        }
    if (!sharc_span_is(path, "/api/openapi.json")) {
        sharc__serve_api_fail(c, 404, "there is no such question; /api/openapi.json lists those there are");
        return;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    put_openapi(&j);
    sharc_json_end(&j);
    sharc__serve_api_send(c, 200, &out);
}
