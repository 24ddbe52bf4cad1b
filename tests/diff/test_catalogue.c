/* SPDX-License-Identifier: Apache-2.0
 *
 * Two captures of a catalogue compared, and a capture with its own revisits. The catalogue
 * is filled from the indexes of the two files of tests/data.
 */
#include "sharc/cdx.h"
#include "sharc/cdx_build.h"
#include "sharc/diff.h"
#include "sharc/store_write.h"
#include "sharc/wacz.h"
#include "test.h"

#include <stdlib.h>

#define DATA SHARC_SOURCE_DIR "/tests/data"

struct filling {
    struct sharc_store_batch *batch;
    sharc_store_id capture, warc, earlier_warc;
    struct sharc_cdx_parser parser;
    bool looks;                /* lines are revisits of pages of the capture */
    uint64_t about, *remember; /* where the page is whose second download is a revisit record */
};

static int put_line(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    struct filling *f = arg;
    struct sharc_cdx c;
    uint64_t status = 0, offset = 0;
    assert_int_equal(sharc_cdx_parse(&f->parser, line, &c, reterr), 1);
    assert_true(sharc_cdx_number(&c, SHARC_CDX_STATUS, &status) && sharc_cdx_number(&c, SHARC_CDX_OFFSET, &offset));
    struct sharc_store_look look = SHARC_STORE_LOOK_INIT;
    look.status = (int)status;
    look.place = (struct sharc_store_place){.warc = f->warc, .offset = offset};
    assert_int_equal(sharc_time_parse(c.field[SHARC_CDX_TIMESTAMP], &look.when, reterr), 0);
    assert_int_equal(sharc_digest_parse(c.field[SHARC_CDX_DIGEST], &look.digest), 0);
    if (f->looks)
        return sharc_store_batch_look(f->batch, f->capture, c.field[SHARC_CDX_URL], SHARC_LOOK_REVISIT, &look, reterr);
    struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
    p.capture = f->capture;
    p.url = c.field[SHARC_CDX_URL];
    p.visit = look;
    p.mime = c.field[SHARC_CDX_MIME];
    if (sharc_span_ends(p.url, SHARC_SPAN("/about.html"))) *f->remember = offset;
    if (sharc_span_is(p.mime, "warc/revisit")) {
        p.mime = SHARC_SPAN("text/html");
        p.record = SHARC_STORE_IDENTICAL;
        p.body = (struct sharc_store_place){.warc = f->earlier_warc, .offset = f->about};
    }
    return sharc_store_batch_page(f->batch, &p, reterr);
}

static void fill(struct sharc_store *s, struct filling *f, const char *path)
{
    struct sharc_cdx_build o = {.threads = 1};
    struct sharc_cdx_built built;
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_store_batch_new(s, &f->batch);
    sharc_cdx_parser_init(&f->parser);
    assert_int_equal(sharc_cdx_build(&path, 1, "-", put_line, f, &o, &built, &err), 0);
    assert_int_equal(sharc_store_batch_commit(f->batch, &err), 0);
    sharc_cdx_parser_done(&f->parser);
    sharc_store_batch_freep(&f->batch);
}

static sharc_store_id add_capture(struct sharc_store *s, const char *key)
{
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    sharc_store_id id;
    assert_int_equal(sharc_store_site_put(s, &(struct sharc_store_site){.name = SHARC_SPAN("orchard")}, &c.site, NULL),
                     0);
    c.key = sharc_span_of(key);
    assert_int_equal(sharc_store_capture_add(s, &c, &id, NULL, NULL), 0);
    return id;
}

static sharc_store_id add_warc(struct sharc_store *s, const char *name)
{
    sharc_store_id id;
    struct sharc_store_warc w = {.name = sharc_span_of(name)};
    assert_int_equal(sharc_store_warc_open(s, &w, &id, NULL, NULL), 0);
    return id;
}

static void captures_are_compared(void **state)
{
    (void)state;
    static const uint64_t classes[] = {1, 3, 3, 1, 2, 1, 1, 1, 1, 0};
    SHARC_AUTO(sharc_store_freep) struct sharc_store *s = NULL;
    SHARC_AUTO(sharc_diff_set_done) struct sharc_diff_set set = SHARC_DIFF_SET_INIT;
    const struct sharc_diff_options o = SHARC_DIFF_OPTIONS;
    uint64_t about = 0, unused = 0;
    assert_int_equal(sharc_store_open("memory:", NULL, &s, NULL), 0);
    struct filling a = {.capture = add_capture(s, "one"),
                        .warc = add_warc(s, "orchard-before.warc.gz"),
                        .remember = &about};
    fill(s, &a, DATA "/orchard-before.warc.gz");
    struct filling b = {.capture = add_capture(s, "two"),
                        .warc = add_warc(s, DATA "/orchard-after.warc.gz"), /* outside the archive: by its full name */
                        .earlier_warc = a.warc,
                        .about = about,
                        .remember = &unused};
    fill(s, &b, DATA "/orchard-after.warc.gz");
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_diff_captures(s, DATA, a.capture, b.capture, &o, &set, &err), 0);
    assert_int_equal(set.pages, 17);
    assert_int_equal(set.unreadable, 0);
    for (unsigned c = 0; c < SHARC_DIFF_CLASSES; c++) assert_int_equal(set.classes[c], classes[c]);
    assert_int_equal(set.templates[0].pages, 3);

    /* Against a directory where the first file is not. */
    SHARC_AUTO(sharc_diff_set_done) struct sharc_diff_set lost = SHARC_DIFF_SET_INIT;
    assert_int_equal(sharc_diff_captures(s, "/nowhere", a.capture, b.capture, &o, &lost, &err), 0);
    assert_true(lost.unreadable > 0);
    assert_int_equal(lost.classes[SHARC_UNCHANGED], 1);
    assert_int_equal(lost.together.pages[SHARC_DIFF_RECORDED], 1);
    assert_int_equal(lost.together.pages[SHARC_DIFF_DOWNLOADED], 0);
}

static void visits_are_compared_with_revisits(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_store_freep) struct sharc_store *s = NULL;
    SHARC_AUTO(sharc_diff_set_done) struct sharc_diff_set set = SHARC_DIFF_SET_INIT;
    const struct sharc_diff_options o = SHARC_DIFF_OPTIONS;
    uint64_t about = 0;
    assert_int_equal(sharc_store_open("memory:", NULL, &s, NULL), 0);
    struct filling a = {.capture = add_capture(s, "one"),
                        .warc = add_warc(s, "orchard-before.warc.gz"),
                        .remember = &about};
    fill(s, &a, DATA "/orchard-before.warc.gz");
    a.looks = true;
    a.warc = add_warc(s, "orchard-after.warc.gz");
    fill(s, &a, DATA "/orchard-after.warc.gz");
    assert_int_equal(sharc_diff_captures(s, DATA, a.capture, a.capture, &o, &set, NULL), 0);
    assert_int_equal(set.pages, 15); /* what the visit did not see has no revisit, spring.html was not revisited */
    assert_int_equal(set.classes[SHARC_MISSING], 1);
    assert_int_equal(set.classes[SHARC_UNCHANGED], 1);
    assert_int_equal(set.classes[SHARC_FAILED], 1);
}

/* A WARC that was imported from inside a WACZ. */
static void containers_are_looked_into(void **state)
{
    (void)state;
    char *home = test_mkdir();
    SHARC_AUTO(sharc_freep) char *wacz = sharc_asprintf("%s/a.wacz", home);
    SHARC_AUTO(sharc_store_freep) struct sharc_store *s = NULL;
    SHARC_AUTO(sharc_diff_set_done) struct sharc_diff_set set = SHARC_DIFF_SET_INIT;
    const struct sharc_diff_options o = SHARC_DIFF_OPTIONS;
    const char *warc = DATA "/orchard-before.warc.gz";
    struct sharc_wacz_options w = {.threads = 1};
    struct sharc_wacz_written written;
    uint64_t about = 0, unused = 0;
    assert_int_equal(sharc_wacz_write(wacz, &warc, 1, &w, &written, NULL), 0);
    assert_int_equal(sharc_store_open("memory:", NULL, &s, NULL), 0);
    struct filling a = {.capture = add_capture(s, "one"),
                        .warc = add_warc(s, "a.wacz#archive/orchard-before.warc.gz"),
                        .remember = &about};
    fill(s, &a, warc);
    struct filling b = {.capture = add_capture(s, "two"),
                        .warc = add_warc(s, DATA "/orchard-after.warc.gz"),
                        .earlier_warc = a.warc,
                        .about = about,
                        .remember = &unused};
    fill(s, &b, DATA "/orchard-after.warc.gz");
    assert_int_equal(sharc_diff_captures(s, home, a.capture, b.capture, &o, &set, NULL), 0);
    assert_int_equal(set.unreadable, 0);
    assert_int_equal(set.classes[SHARC_TEXT_CHANGED], 3);
    test_rmdir(home);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(captures_are_compared),
    cmocka_unit_test(visits_are_compared_with_revisits),
    cmocka_unit_test(containers_are_looked_into),
};
TEST_MAIN(tests)
