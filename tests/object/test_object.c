/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects in a real store: Debian's Swift through its S3 interface (tools/s3-temp), which checks signatures and
 * digests. Skipped where it is not installed; what needs no store runs everywhere.
 */
#include "test.h"

#include "s3.h"

#include "sharc/base_remote.h"
#include "sharc/object.h"
#include "sharc/object_remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- names ------------------------------------------------------------------------- */

static void names_are_taken_apart(void **state)
{
    (void)state;
    struct sharc_object_name n = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_object_name_parse("s3://bucket/a/b c.warc.gz", &n, &err), 0);
    assert_null(n.endpoint);
    assert_string_equal(n.bucket, "bucket");
    assert_string_equal(n.key, "a/b c.warc.gz");
    sharc_object_name_done(&n);
    assert_int_equal(sharc_object_name_parse("s3+http://eu-west-1@127.0.0.1:8085/my.bucket", &n, &err), 0);
    assert_string_equal(n.endpoint, "http://127.0.0.1:8085");
    assert_string_equal(n.region, "eu-west-1");
    assert_string_equal(n.bucket, "my.bucket");
    assert_string_equal(n.key, "");
    sharc_object_name_done(&n);
}

static void names_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"s3://",
                                      "s3:///key",
                                      "s3://buck et/key",
                                      "s3+http://host",
                                      "s3+http:///bucket/key",
                                      "s3+http://key:secret@host/bucket/key",
                                      "http://host/bucket",
                                      "s3://..",
                                      "s3://b/a\nb",
                                      "s3+https://h?x/b"};
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        struct sharc_object_name n = {0};
        struct sharc_err err = SHARC_ERR_INIT;
        assert_int_equal(sharc_object_name_parse(bad[i], &n, &err), SHARC_EINVAL);
        assert_null(n.bucket);
        assert_null(strstr(err.text, "secret"));
    }
}

static void the_etag_of_parts_is_as_s3_makes_it(void **state)
{
    (void)state;
    /* md5 of the two binary MD5s of "a" and "b" */
    struct sharc_object_part parts[] = {{.number = 1, .etag = "0cc175b9c0f1b6a831c399e269772661"},
                                        {.number = 2, .etag = "92eb5ffee6ae2fec3ad71c777531578f"}};
    char etag[SHARC_OBJECT_ETAG];
    sharc_object_parts_etag(parts, 2, etag);
    assert_string_equal(etag, "96e024ba2074fe77e8e965ba43a704be-2");
    snprintf(parts[1].etag, sizeof parts[1].etag, "opaque");
    sharc_object_parts_etag(parts, 2, etag);
    assert_string_equal(etag, "");
}

/* --- a store that cannot be reached ---------------------------------------------------- */

struct waited {
    unsigned calls;
    sharc_time when;
    const struct sharc_clock_virtual *clock;
    char why[200];
};

static void note_waiting(void *arg, const char *why)
{
    struct waited *w = arg;
    w->calls++;
    w->when = w->clock->at;
    snprintf(w->why, sizeof w->why, "%s", why);
}

/* Whoever waits is told once, long before the store is given up; a clone tells nobody. */
static void a_request_that_waits_says_so(void **state)
{
    (void)state;
    struct sharc_clock_virtual clock;
    struct sharc_object_store *s = NULL;
    struct sharc_object_facts facts;
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_clock_virtual_init(&clock, 0);
    struct waited waited = {.clock = &clock};
    const struct sharc_object_options o = {.clock = &clock.clock,
                                           .patience = 30 * SHARC_SEC,
                                           .waits = note_waiting,
                                           .waits_arg = &waited};
    assert_int_equal(sharc_object_store_new(&o, &s, &err), 0);
    assert_int_equal(sharc_object_head(s, "s3+http://127.0.0.1:1/bucket/key", &facts, &err), SHARC_ENET);
    assert_int_equal(waited.calls, 1);
    assert_true(waited.when <= 4 * SHARC_SEC);
    assert_non_null(strstr(waited.why, "s3+http://127.0.0.1:1/bucket/key"));
    struct sharc_object_store *other = sharc_object_store_clone(s);
    assert_int_equal(sharc_object_head(other, "s3+http://127.0.0.1:1/bucket/key", &facts, &err), SHARC_ENET);
    assert_int_equal(waited.calls, 1);
    sharc_object_store_free(other);
    sharc_object_store_free(s);
}

static void an_unreachable_store_is_given_up_after_the_patience(void **state)
{
    (void)state;
    struct sharc_clock_virtual clock;
    struct sharc_object_store *s = NULL;
    struct sharc_object_facts facts;
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_clock_virtual_init(&clock, 1000 * SHARC_SEC);
    struct sharc_object_options o = {.access_key = "k",
                                     .secret_key = "TOPSECRET",
                                     .clock = &clock.clock,
                                     .patience = 30 * SHARC_SEC};
    assert_int_equal(sharc_object_store_new(&o, &s, &err), 0);
    assert_int_equal(sharc_object_head(s, "s3+http://127.0.0.1:1/bucket/key", &facts, &err), SHARC_ENET);
    assert_true(clock.at > 1000 * SHARC_SEC + 10 * SHARC_SEC);
    assert_true(clock.at <= 1030 * SHARC_SEC);
    assert_null(strstr(err.text, "TOPSECRET"));
    sharc_object_store_free(s);
}

/* --- the real one ------------------------------------------------------------------------ */

static void objects_are_put_read_by_range_and_deleted(void **state)
{
    const struct s3 *w = s3_or_skip(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_object_facts facts;
    char got[8] = "";
    static const char *const keys[] = {"plain", "a b+c/\xc3\xa4%2F&=.warc.gz", "dots/../x"};
    for (size_t i = 0; i < SHARC_LENGTH(keys); i++) {
        SHARC_AUTO(sharc_freep) char *name = s3_name(w, keys[i]);
        const struct sharc_object_body body = SHARC_OBJECT_BODY(SHARC_SPAN("0123456789"));
        s3_ok(sharc_object_put(w->store, name, &body, "text/plain", &facts, &err), &err);
        assert_string_equal(facts.etag, "781e5e245d69b566979b86e28d23f2c7");
        s3_ok(sharc_object_head(w->store, name, &facts, &err), &err);
        assert_int_equal(facts.size, 10);
        assert_true(facts.modified > 0);
        s3_ok(sharc_object_get(w->store, name, &facts, 3, got, 4, &err), &err);
        assert_memory_equal(got, "3456", 4);
        assert_int_equal(sharc_object_get(w->store, name, &facts, 8, got, 4, &err), SHARC_ETRUNC);
        s3_ok(sharc_object_delete(w->store, name, &err), &err);
        s3_ok(sharc_object_delete(w->store, name, &err), &err);
        assert_int_equal(sharc_object_head(w->store, name, &facts, &err), SHARC_ENOENT);
    }
}

static void an_object_that_was_replaced_is_noticed(void **state)
{
    const struct s3 *w = s3_or_skip(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_object_facts facts;
    char got[3];
    SHARC_AUTO(sharc_freep) char *name = s3_name(w, "replaced");
    struct sharc_object_body body = SHARC_OBJECT_BODY(SHARC_SPAN("one"));
    s3_ok(sharc_object_put(w->store, name, &body, "text/plain", NULL, &err), &err);
    s3_ok(sharc_object_head(w->store, name, &facts, &err), &err);
    body = SHARC_OBJECT_BODY(SHARC_SPAN("two"));
    s3_ok(sharc_object_put(w->store, name, &body, "text/plain", NULL, &err), &err);
    assert_int_equal(sharc_object_get(w->store, name, &facts, 0, got, 3, &err), SHARC_ECORRUPT);
    s3_ok(sharc_object_delete(w->store, name, &err), &err);
}

struct seen {
    size_t count;
    char last[256];
    bool sorted;
};

static int see(void *arg, const char *name, const struct sharc_object_facts *facts, struct sharc_err *reterr)
{
    struct seen *s = arg;
    (void)facts;
    (void)reterr;
    if (s->count > 0 && strcmp(s->last, name) >= 0) s->sorted = false;
    snprintf(s->last, sizeof s->last, "%s", name);
    s->count++;
    return 0;
}

static void lists_go_on_over_pages(void **state)
{
    const struct s3 *w = s3_or_skip(state);
    struct sharc_err err = SHARC_ERR_INIT;
    enum { MANY = 7 }; /* three pages */
    for (int i = 0; i < MANY; i++) {
        SHARC_AUTO(sharc_freep) char *name = sharc_asprintf("%s/many/%05d <&>", w->url, i);
        const struct sharc_object_body body = SHARC_OBJECT_BODY(SHARC_SPAN("x"));
        s3_ok(sharc_object_put(w->store, name, &body, "text/plain", NULL, &err), &err);
    }
    struct seen s = {.sorted = true};
    SHARC_AUTO(sharc_freep) char *prefix = s3_name(w, "many/");
    s3_ok(sharc_object_list(w->store, prefix, see, &s, &err), &err);
    assert_int_equal(s.count, MANY);
    assert_true(s.sorted);
    SHARC_AUTO(sharc_freep) char *last = s3_name(w, "many/00006 <&>");
    assert_string_equal(s.last, last);
    SHARC_AUTO(sharc_freep) char *none = s3_name(w, "none/");
    s = (struct seen){0};
    s3_ok(sharc_object_list(w->store, none, see, &s, &err), &err);
    assert_int_equal(s.count, 0);
}

struct found_upload {
    struct sharc_object_upload u;
    unsigned count;
};

static int see_upload(void *arg, const char *name, const struct sharc_object_upload *u, sharc_time begun,
                      struct sharc_err *reterr)
{
    struct found_upload *f = arg;
    (void)name;
    (void)begun;
    (void)reterr;
    f->u = *u;
    f->count++;
    return 0;
}

static void parts_make_an_object_when_they_are_completed(void **state)
{
    const struct s3 *w = s3_or_skip(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_object_upload u;
    struct sharc_object_part parts[2], *listed = NULL;
    struct sharc_object_facts facts;
    size_t count = 0;
    char etag[SHARC_OBJECT_ETAG], border[4];
    SHARC_AUTO(sharc_freep) char *name = s3_name(w, "up/parts"), *prefix = s3_name(w, "up/");
    SHARC_AUTO(sharc_freep) char *bytes = sharc_malloc(SHARC_OBJECT_PART_MIN);
    memset(bytes, 'a', SHARC_OBJECT_PART_MIN);
    FILE *f = tmpfile();
    assert_non_null(f);
    assert_int_equal(fwrite("..tail", 1, 6, f), 6);
    assert_int_equal(fflush(f), 0);
    s3_ok(sharc_object_upload_begin(w->store, name, "application/gzip", &u, &err), &err);
    struct sharc_object_body body = SHARC_OBJECT_BODY(sharc_span(bytes, SHARC_OBJECT_PART_MIN));
    s3_ok(sharc_object_upload_part(w->store, name, &u, 1, &body, &parts[0], &err), &err);
    body = (struct sharc_object_body){.fd = fileno(f), .at = 2, .size = 4};
    s3_ok(sharc_object_upload_part(w->store, name, &u, 2, &body, &parts[1], &err), &err);
    fclose(f);
    assert_int_equal(sharc_object_head(w->store, name, &facts, &err), SHARC_ENOENT);
    s3_ok(sharc_object_upload_parts(w->store, name, &u, &listed, &count, &err), &err);
    assert_int_equal(count, 2);
    assert_int_equal(listed[0].size, SHARC_OBJECT_PART_MIN);
    assert_string_equal(listed[1].etag, parts[1].etag);
    free(listed);
    struct found_upload found = {0};
    s3_ok(sharc_object_uploads(w->store, prefix, see_upload, &found, &err), &err);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.u.id, u.id);
    s3_ok(sharc_object_upload_complete(w->store, name, &u, parts, 2, &err), &err);
    s3_ok(sharc_object_head(w->store, name, &facts, &err), &err);
    assert_int_equal(facts.size, SHARC_OBJECT_PART_MIN + 4);
    sharc_object_parts_etag(parts, 2, etag);
    assert_string_equal(facts.etag, etag);
    s3_ok(sharc_object_get(w->store, name, &facts, SHARC_OBJECT_PART_MIN - 2, border, 4, &err), &err);
    assert_memory_equal(border, "aata", 4);
    /* Again, as when the answer was lost: it may know the upload no more, but the object stays. */
    int again = sharc_object_upload_complete(w->store, name, &u, parts, 2, &err);
    assert_true(again == 0 || again == SHARC_ENOENT);
    s3_ok(sharc_object_get(w->store, name, &facts, SHARC_OBJECT_PART_MIN - 2, border, 4, &err), &err);
    assert_memory_equal(border, "aata", 4);
}

static void an_aborted_upload_is_gone(void **state)
{
    const struct s3 *w = s3_or_skip(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_object_upload u;
    struct sharc_object_part part;
    SHARC_AUTO(sharc_freep) char *name = s3_name(w, "up/aborted");
    const struct sharc_object_body body = SHARC_OBJECT_BODY(SHARC_SPAN("x"));
    s3_ok(sharc_object_upload_begin(w->store, name, "application/gzip", &u, &err), &err);
    s3_ok(sharc_object_upload_part(w->store, name, &u, 1, &body, &part, &err), &err);
    s3_ok(sharc_object_upload_abort(w->store, name, &u, &err), &err);
    s3_ok(sharc_object_upload_abort(w->store, name, &u, &err), &err);
    struct found_upload found = {0};
    s3_ok(sharc_object_uploads(w->store, name, see_upload, &found, &err), &err);
    assert_int_equal(found.count, 0);
    assert_int_equal(sharc_object_upload_part(w->store, name, &u, 1, &body, &part, &err), SHARC_ENOENT);
}

/* What is wrong, and which words the message must have. */
static void refused(const struct s3 *w, const struct sharc_object_options *o, const char *key, int code,
                    const char *words)
{
    struct sharc_object_store *s = NULL;
    struct seen seen = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *prefix = s3_name(w, key);
    assert_int_equal(sharc_object_store_new(o, &s, &err), 0);
    int r = sharc_object_list(s, prefix, see, &seen, &err);
    print_message("# %s\n", err.text);
    assert_int_equal(r, code);
    assert_non_null(strstr(err.text, words));
    assert_null(strstr(err.text, o->secret_key ? o->secret_key : "testsecret"));
    sharc_object_store_free(s);
}

static void refusals_name_what_is_wrong(void **state)
{
    const struct s3 *w = s3_or_skip(state);
    struct sharc_object_options o = s3_options();
    o.secret_key = "another";
    refused(w, &o, "", SHARC_EACCESS, "AWS_SECRET_ACCESS_KEY");
    o = s3_options();
    o.access_key = o.secret_key = NULL;
    struct sharc_object_store *s = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    struct seen seen = {0};
    assert_int_equal(sharc_object_store_new(&o, &s, &err), 0);
    assert_true(sharc_object_list(s, w->url, see, &seen, &err) < 0);
    sharc_object_store_free(s);
    /* the bucket beside ours */
    o = s3_options();
    const struct s3 other = {.url = sharc_asprintf("%sx", w->url)};
    refused(&other, &o, "", SHARC_ENOENT, "bucket");
    free(other.url);
    const struct s3 region = {.url = sharc_asprintf("s3+http://eu-west-9@%s", strchr(w->url, '@') + 1)};
    refused(&region, &o, "", SHARC_ECONFIG, "us-east-1");
    free(region.url);
}

/* A name of a host with the bucket in front: *.localhost is this machine, says libcurl. */
static void buckets_may_be_a_part_of_the_host(void **state)
{
    const struct s3 *w = s3_or_skip(state);
    struct sharc_object_options o = s3_options();
    struct sharc_object_store *s = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    char got[4];
    const char *port = strrchr(w->url, ':') + 1;
    SHARC_AUTO(sharc_freep)
    char *endpoint = sharc_asprintf("http://s3.localhost:%.*s", (int)strcspn(port, "/"), port);
    SHARC_AUTO(sharc_freep) char *path_style = s3_name(w, "virtual/key");
    o.endpoint = endpoint;
    o.virtual_hosts = true;
    assert_int_equal(sharc_object_store_new(&o, &s, &err), 0);
    const struct sharc_object_body body = SHARC_OBJECT_BODY(SHARC_SPAN("host"));
    s3_ok(sharc_object_put(s, "s3://sharc/virtual/key", &body, "text/plain", NULL, &err), &err);
    s3_ok(sharc_object_get(w->store, path_style, NULL, 0, got, 4, &err), &err);
    assert_memory_equal(got, "host", 4);
    sharc_object_store_free(s);
}

static void objects_are_files_to_whoever_maps_them(void **state)
{
    const struct s3 *w = s3_or_skip(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_remote_facts facts;
    SHARC_AUTO(sharc_freep) char *name = s3_name(w, "file");
    const struct sharc_object_body body = SHARC_OBJECT_BODY(SHARC_SPAN("bytes of a file"));
    s3_ok(sharc_object_put(w->store, name, &body, "text/plain", NULL, &err), &err);
    assert_int_equal(sharc_remote_look(name, &facts, &err), SHARC_EUNSUPPORTED);
    sharc_remote_set(&sharc_object_remote, w->store, NULL);
    SHARC_AUTO(sharc_closep) int fd = -1;
    char got[32];
    s3_ok(sharc_remote_copy(name, &fd, &err), &err);
    assert_int_equal(pread(fd, got, sizeof got, 0), 15);
    assert_memory_equal(got, "bytes of a file", 15);
    assert_true(sharc_file_is_there(name));
    SHARC_AUTO(sharc_freep) char *absent = s3_name(w, "absent");
    assert_false(sharc_file_is_there(absent));
    sharc_remote_set(NULL, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_taken_apart),
        cmocka_unit_test(names_that_make_no_sense_are_refused),
        cmocka_unit_test(the_etag_of_parts_is_as_s3_makes_it),
        cmocka_unit_test(a_request_that_waits_says_so),
        cmocka_unit_test(an_unreachable_store_is_given_up_after_the_patience),
        cmocka_unit_test(objects_are_put_read_by_range_and_deleted),
        cmocka_unit_test(an_object_that_was_replaced_is_noticed),
        cmocka_unit_test(lists_go_on_over_pages),
        cmocka_unit_test(parts_make_an_object_when_they_are_completed),
        cmocka_unit_test(an_aborted_upload_is_gone),
        cmocka_unit_test(refusals_name_what_is_wrong),
        cmocka_unit_test(buckets_may_be_a_part_of_the_host),
        cmocka_unit_test(objects_are_files_to_whoever_maps_them),
    };
    return cmocka_run_group_tests(tests, s3_set_up, s3_tear_down);
}
