/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_codec.h"
#include "sharc/base_file.h"
#include "sharc/replay_mirror.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- names ---------------------------------------------------------------------- */

static void expect_path(const char *url, const char *mime, const char *want)
{
    struct sharc_url u = SHARC_URL_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 16);
    assert_int_equal(sharc_url_parse(&u, sharc_span_of(url), NULL, NULL), 0);
    sharc_mirror_path(&u, sharc_span_of(mime), &out);
    assert_span(sharc_buf_span(&out), want);
    sharc_url_done(&u);
}

static void test_names(void **state)
{
    (void)state;
    expect_path("http://h/", "text/html", "h/index.html");
    expect_path("http://h", "text/html", "h/index.html");
    expect_path("https://h:8080/a/b.html", "text/html", "h_8080/a/b.html");
    expect_path("http://h/a", "text/html", "h/a.html");
    expect_path("http://h/a.php", "TEXT/HTML", "h/a.php.html");
    expect_path("http://h/a.HTM", "text/html", "h/a.HTM");
    expect_path("http://h/a/?b=c&d=e%2ff", "text/html", "h/a/index@b=c+d=e=2Ff.html");
    expect_path("http://h/s.css?v=3", "text/css", "h/s.css@v=3.css");
    expect_path("http://h/i.png", "image/png", "h/i.png");
    expect_path("http://h/i", "image/png", "h/i.png");
    expect_path("http://h/i.php", "image/png", "h/i.php");
    expect_path("http://h/i.html", "image/png", "h/i.html.png");
    expect_path("http://h/x", "", "h/x");
    expect_path("http://h/x.tar.gz", "application/x-unheard-of", "h/x.tar.gz");
    expect_path("http://h/caf%C3%A9 x", "text/html", "h/caf=C3=A9=20x.html");
    expect_path("http://h/a,b,", "", "h/a=2Cb=2C");
    expect_path("http://[::1]/a", "text/html", "=5B=3A=3A1=5D/a.html");
}

static void test_names_that_would_harm(void **state)
{
    (void)state;
    expect_path("http://h/a/../../b", "", "h/b");
    expect_path("http://h/..%2f..%2fetc/passwd", "", "h/..=2F..=2Fetc/passwd");
    expect_path("http://h/%2e%2e/%2E/x", "", "h/x");
    expect_path("http://h//a///b", "", "h/_/a/_/_/b");
    expect_path("http://h/.../x.", "", "h/..._/x._");
    expect_path("http://h/con/NUL.txt", "", "h/_con/_NUL.txt");
    expect_path("http://h/com1/common/lpt9.x", "", "h/_com1/common/_lpt9.x");
    expect_path("http://h/a%00b%0a", "", "h/a=00b=0A");
    expect_path("http://h/a\\b:c*d|e", "", "h/a/b=3Ac=2Ad=7Ce");
    expect_path("http://con/x", "", "_con/x");
    expect_path("http://h/.htaccess", "", "h/.htaccess");
    expect_path("http://h/~", "", "h/~");
}

static void test_long_names(void **state)
{
    char url[6000];
    struct sharc_url u = SHARC_URL_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf a = SHARC_BUF_INIT(1u << 16), b = SHARC_BUF_INIT(1u << 16);
    (void)state;
    for (int i = 0; i < 2; i++) { /* they differ far behind */
        memset(url, 'x', sizeof url);
        memcpy(url, "http://h/", 9);
        url[4000] = (char)('a' + i);
        assert_int_equal(sharc_url_parse(&u, sharc_span(url, 5000), NULL, NULL), 0);
        sharc_mirror_path(&u, SHARC_SPAN("text/html"), i ? &b : &a);
    }
    assert_true(a.n < 100 && sharc_span_ends(sharc_buf_span(&a), SHARC_SPAN(".html")));
    assert_int_equal(a.n, b.n);
    assert_false(sharc_span_eq(sharc_buf_span(&a), sharc_buf_span(&b)));
    for (size_t i = 9; i < 5000; i += 2) url[i] = '/'; /* deep */
    assert_int_equal(sharc_url_parse(&u, sharc_span(url, 5000), NULL, NULL), 0);
    sharc_buf_clear(&a);
    sharc_mirror_path(&u, SHARC_SPAN("image/png"), &a);
    assert_true(sharc_span_starts(sharc_buf_span(&a), SHARC_SPAN("h/~/")) &&
                sharc_span_ends(sharc_buf_span(&a), SHARC_SPAN(".png")));
    sharc_url_done(&u);
}

/* --- mirrors --------------------------------------------------------------------- */

struct place {
    char *dir, *warc, *out;
    struct sharc_buf records;
    unsigned id;
};

static int set_up(void **state)
{
    struct place *p = SHARC_NEW(struct place);
    p->dir = test_mkdir();
    p->warc = sharc_path_join(p->dir, "a.warc");
    p->out = sharc_path_join(p->dir, "mirror");
    sharc_buf_init(&p->records, 8u << 20);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    struct place *p = *state;
    free(p->warc);
    free(p->out);
    sharc_buf_done(&p->records);
    test_rmdir(p->dir);
    free(p);
    return 0;
}

/* A record of the day `day`; fields are further head lines. */
static void record(struct place *p, const char *type, int day, const char *url, const char *fields,
                   struct sharc_span block)
{
    sharc_buf_printf(&p->records,
                     "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:x:%u>\r\nWARC-Date: 2026-11-%02dT12:00:00Z\r\n"
                     "WARC-Target-URI: %s\r\n%sContent-Length: %zu\r\n\r\n",
                     type, p->id++, day, url, fields, block.n);
    sharc_buf_put(&p->records, block);
    sharc_buf_put(&p->records, SHARC_SPAN("\r\n\r\n"));
}

static void response(struct place *p, int day, const char *url, const char *head, struct sharc_span body)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf block = SHARC_BUF_INIT(4u << 20);
    sharc_buf_printf(&block, "HTTP/1.1 %s\r\n\r\n", head);
    sharc_buf_put(&block, body);
    record(p, "response", day, url, "Content-Type: application/http\r\n", sharc_buf_span(&block));
}

#define HTML "200 OK\r\nContent-Type: text/html"
static void page(struct place *p, int day, const char *url, const char *body)
{
    response(p, day, url, HTML, sharc_span_of(body));
}

static int mirror(struct place *p, const struct sharc_mirror_options *o, struct sharc_mirror_made *ret,
                  struct sharc_err *reterr)
{
    assert_int_equal(sharc_file_replace(p->warc, sharc_buf_span(&p->records), NULL), 0);
    return sharc_mirror(p->out, (const char *const[]){p->warc}, 1, o, ret, reterr);
}

static const struct sharc_mirror_options usual = {
    .selection = {.from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE},
    .at = SHARC_TIME_NONE,
};

static struct sharc_mirror_made make(struct place *p)
{
    struct sharc_mirror_made made = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    if (mirror(p, &usual, &made, &err) < 0) fail_msg("%s", err.text);
    free(made.start);
    return made;
}

static void expect_bytes(const struct place *p, const char *name, struct sharc_span want)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(p->out, name);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4u << 20);
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_file_read(path, &b, &err) < 0) fail_msg("%s", err.text);
    if (!sharc_span_eq(sharc_buf_span(&b), want))
        fail_msg("%s holds %.*s\n  and not %.*s", name, SHARC_SPAN_ARG(sharc_buf_span(&b)), SHARC_SPAN_ARG(want));
}

static void expect_file(const struct place *p, const char *name, const char *want)
{
    expect_bytes(p, name, sharc_span_of(want));
}

static void expect_no_file(const struct place *p, const char *name)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(p->out, name);
    struct stat st;
    assert_int_equal(stat(path, &st), -1);
}

static void test_links(void **state)
{
    struct place *p = *state;
    page(p, 1, "http://h/",
         "<a href=a/b.html#f><a href=//h/c?d><a href=/missing><a href=https://o/><a href=#x><a href=/>");
    page(p, 1, "http://h/a/b.html", "<a href=..><img src=../i.png><a href='b.html#self'><a href=http://o/page>");
    page(p, 1, "http://h/c?d", "<base href=/a/><a href=b.html>");
    response(p, 1, "http://h/i.png", "200 OK\r\nContent-Type: image/png", SHARC_SPAN("PNG"));
    page(p, 1, "http://o/page", "<a href=//h/i.png>");
    struct sharc_mirror_made made = make(p);
    assert_int_equal(made.files, 5);
    assert_int_equal(made.pages, 4);
    assert_int_equal(made.links_outside, 2);
    assert_int_equal(made.links_inside, 9);
    expect_file(p, "h/index.html",
                "<a href=a/b.html#f><a href=c@d.html><a href=http://h/missing><a href=https://o/><a href=#x>"
                "<a href=index.html>");
    expect_file(p, "h/a/b.html", "<a href=../index.html><img src=../i.png><a href='#self'><a href=../../o/page.html>");
    expect_file(p, "h/c@d.html", "<base href=\"\"><a href=a/b.html>");
    expect_file(p, "o/page.html", "<a href=../h/i.png>");
    expect_file(p, "h/i.png", "PNG");
}

static void test_time(void **state)
{
    struct place *p = *state;
    static const char *const want[] = {"first", "second", "third"};
    for (int i = 0; i < 3; i++) page(p, 10 + 2 * i, "http://h/", want[i]);
    response(p, 20, "http://h/", "404 Not Found\r\nContent-Type: text/html", SHARC_SPAN("gone"));
    struct sharc_mirror_options o = usual;
    for (int day = 9; day < 17; day++) {
        struct sharc_mirror_made made;
        SHARC_AUTO(sharc_freep) char *at = sharc_asprintf("2026-11-%02dT11:00:00Z", day); /* before noon: never a tie */
        struct place q = *p;
        q.out = sharc_asprintf("%s/m%d", p->dir, day);
        assert_int_equal(sharc_time_parse(sharc_span_of(at), &o.at, NULL), 0);
        assert_int_equal(mirror(&q, &o, &made, NULL), 0);
        free(made.start);
        expect_file(&q, "h/index.html", want[day <= 11 ? 0 : day <= 13 ? 1 : 2]);
        free(q.out);
    }
    make(p);
    expect_file(p, "h/index.html", "third");
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(p->out, "h/index.html");
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mtime, 1794657600); /* 2026-11-14T12:00:00Z */
}

static void test_redirects(void **state)
{
    struct place *p = *state;
    page(p, 1, "http://h/", "<a href=old#f><a href=loop1><a href=away><a href=chain>");
    response(p, 1, "http://h/old", "301 Moved\r\nLocation: /new", SHARC_SPAN("moved"));
    response(p, 1, "http://h/chain", "302 Found\r\nLocation: old", SHARC_SPAN(""));
    response(p, 1, "http://h/loop1", "302 Found\r\nLocation: loop2", SHARC_SPAN(""));
    response(p, 1, "http://h/loop2", "302 Found\r\nLocation: loop1", SHARC_SPAN(""));
    response(p, 1, "http://h/away", "302 Found\r\nLocation: http://elsewhere/", SHARC_SPAN(""));
    page(p, 1, "http://h/new", "new");
    assert_int_equal(make(p).redirects, 5);
    expect_file(p, "h/index.html", "<a href=new.html#f><a href=http://h/loop1><a href=http://h/away><a href=new.html>");
}

/* http and https, with and without www: as replay tools look URLs up. */
static void test_twins(void **state)
{
    struct place *p = *state;
    page(p, 1, "http://www.h.org/", "<a href=https://www.h.org/a><a href=http://h.org/a>");
    page(p, 1, "http://www.h.org/a", "a");
    make(p);
    expect_file(p, "www.h.org/index.html", "<a href=a.html><a href=a.html>");
}

static void test_revisits(void **state)
{
    struct place *p = *state;
    page(p, 1, "http://h/original", "<a href=x>same");
    record(p, "revisit", 3, "http://h/by-id", "WARC-Refers-To: <urn:x:0>\r\n", SHARC_SPAN(""));
    record(p, "revisit", 3, "http://h/d/by-date",
           "WARC-Refers-To-Target-URI: http://h/original\r\nWARC-Refers-To-Date: 2026-11-01T12:00:00Z\r\n"
           "Content-Type: application/http\r\n",
           SHARC_SPAN("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"));
    record(p, "revisit", 3, "http://h/not-modified", "WARC-Refers-To: <urn:x:0>\r\nContent-Type: application/http\r\n",
           SHARC_SPAN("HTTP/1.1 304 Not Modified\r\n\r\n"));
    record(p, "revisit", 3, "http://h/lost", "WARC-Refers-To: <urn:x:99>\r\n", SHARC_SPAN(""));
    response(p, 1, "http://h/i", "200 OK\r\nContent-Type: image/png", SHARC_SPAN("PNG"));
    record(p, "revisit", 2, "http://h/j", "WARC-Refers-To: <urn:x:5>\r\n", SHARC_SPAN(""));
    page(p, 4, "http://h/last", "<a href=by-id><a href=lost>");
    struct sharc_mirror_made made = make(p);
    assert_int_equal(made.lost, 1);
    expect_file(p, "h/original.html", "<a href=http://h/x>same");
    expect_file(p, "h/by-id.html", "<a href=http://h/x>same");
    expect_file(p, "h/d/by-date.html", "<a href=http://h/d/x>same"); /* its own links, from its own place */
    expect_file(p, "h/not-modified.html", "<a href=http://h/x>same");
    expect_file(p, "h/i.png", "PNG");
    expect_file(p, "h/j.png", "PNG");
    expect_file(p, "h/last.html", "<a href=by-id.html><a href=http://h/lost>");
}

static void test_codings(void **state)
{
    struct place *p = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1000), chunked = SHARC_BUF_INIT(1000);
    struct sharc_deflate *d = sharc_deflate_new(6);
    sharc_deflate_member(d, SHARC_SPAN("<a href=/>"), &packed);
    sharc_deflate_free(d);
    sharc_buf_printf(&chunked, "%zx\r\n", packed.n);
    sharc_buf_put(&chunked, sharc_buf_span(&packed));
    sharc_buf_put(&chunked, SHARC_SPAN("\r\n0\r\n\r\n"));
    response(p, 1, "http://h/", HTML "\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked",
             sharc_buf_span(&chunked));
    record(p, "resource", 1, "http://h/r.css", "Content-Type: text/css\r\n", SHARC_SPAN("a{b:url(/)}"));
    make(p);
    expect_file(p, "h/index.html", "<a href=index.html>");
    expect_file(p, "h/r.css", "a{b:url(index.html)}");
}

static void test_collisions(void **state)
{
    struct place *p = *state;
    static const char *const urls[] = {"http://h/",     "http://h/index.html", "https://h/",    "http://h/A.html",
                                       "http://h/a",    "http://h/b",          "http://h/b/c",  "http://h/B/d",
                                       "http://h/b%2E", "http://h/e=20f",      "http://h/e%20f"};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf all = SHARC_BUF_INIT(1000);
    for (size_t i = 1; i < SHARC_LENGTH(urls); i++)
        response(p, 1, urls[i], strstr(urls[i], "b") ? "200 OK\r\nContent-Type: x/y" : HTML, sharc_span_of(urls[i]));
    for (size_t i = 1; i < SHARC_LENGTH(urls); i++) sharc_buf_printf(&all, "<a href=%s>", urls[i]);
    page(p, 1, urls[0], sharc_buf_str(&all));
    struct sharc_mirror_made made = make(p);
    assert_int_equal(made.files, SHARC_LENGTH(urls));
    assert_int_equal(made.links_inside, SHARC_LENGTH(urls) - 1);
    /* Each link leads to the file of its URL: the content says which. */
    SHARC_AUTO(sharc_buf_done) struct sharc_buf found = SHARC_BUF_INIT(1u << 16);
    char **names;
    size_t count;
    SHARC_AUTO(sharc_freep) char *dir = sharc_path_join(p->out, "h");
    assert_int_equal(sharc_dir_list(dir, &names, &count, NULL), 0);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (sharc_span_ieq(sharc_span_of(names[i]), sharc_span_of(names[j])) && strcmp(names[i], "B") != 0)
                fail_msg("%s and %s", names[i], names[j]);
    bool index = false;
    for (size_t i = 0; i < count && !index; i++) { /* the one with the links */
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, names[i]);
        struct stat st;
        sharc_buf_clear(&found);
        index = stat(path, &st) == 0 && S_ISREG(st.st_mode) && sharc_file_read(path, &found, NULL) == 0 &&
                sharc_span_starts(sharc_buf_span(&found), SHARC_SPAN("<a href="));
    }
    sharc_names_free(names, count);
    assert_true(index);
    struct sharc_span rest = sharc_buf_span(&found), part;
    for (size_t i = 1; sharc_span_next(&rest, '>', &part) && part.n; i++) {
        SHARC_AUTO(sharc_freep) char *name = sharc_asprintf("h/%.*s", (int)part.n - 8, part.p + 8);
        expect_file(p, name, urls[i]);
    }
}

static void test_charsets(void **state)
{
    struct place *p = *state;
    response(p, 1, "http://h/a", "200 OK\r\nContent-Type: text/html; charset=koi8-r",
             SHARC_SPAN("<title>\xc1</title><a href=\xc1>"));
    response(p, 1, "http://h/b", "200 OK\r\nContent-Type: text/html; charset=koi8-r",
             SHARC_SPAN("<meta charset=koi8-r>\xc1<a href=/a>"));
    response(p, 1, "http://h/c.css", "200 OK\r\nContent-Type: text/css; charset=koi8-r",
             SHARC_SPAN("a{content:'\xc1'}"));
    make(p);
    expect_file(p, "h/a.html", "<meta charset=\"KOI8-R\"><title>\xc1</title><a href=http://h/%D0%B0>");
    expect_file(p, "h/b.html", "<meta charset=koi8-r>\xc1<a href=a.html>");
    expect_file(p, "h/c.css", "@charset \"KOI8-R\";a{content:'\xc1'}");
}

static void test_selection(void **state)
{
    struct place *p = *state;
    page(p, 1, "http://h/", "<a href=a>");
    response(p, 1, "http://h/a", "404 Not Found\r\nContent-Type: text/html", SHARC_SPAN("not here"));
    record(p, "response", 1, "dns:h", "Content-Type: text/dns\r\n", SHARC_SPAN("1.2.3.4"));
    struct sharc_mirror_options o = usual;
    o.selection.statuses = (const char *const[]){"200", "404"};
    o.selection.status_count = 2;
    struct sharc_mirror_made made;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(mirror(p, &o, &made, &err), 0);
    assert_string_equal(made.start, "h/index.html");
    free(made.start);
    assert_int_equal(made.files, 2);
    expect_file(p, "h/index.html", "<a href=a.html>");
    assert_int_equal(mirror(p, &o, &made, &err), SHARC_EEXIST); /* never into something */
    assert_non_null(strstr(err.text, "not empty"));
    free(p->out);
    p->out = sharc_path_join(p->dir, "none");
    o.selection.status_count = 1;
    o.selection.statuses = (const char *const[]){"500"};
    assert_int_equal(mirror(p, &o, &made, &err), SHARC_EINVAL);
    struct stat st;
    assert_int_equal(stat(p->out, &st), -1);
}

static void test_damage(void **state)
{
    struct place *p = *state;
    page(p, 1, "http://h/", "whole");
    page(p, 1, "http://h/cut", "<a href=/>this is cut");
    sharc_buf_truncate(&p->records, p->records.n - 12);
    struct sharc_mirror_options o = usual;
    struct sharc_mirror_made made;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(mirror(p, &o, &made, &err), SHARC_ETRUNC);
    free(p->out);
    p->out = sharc_path_join(p->dir, "again");
    o.selection.lenient = true;
    if (mirror(p, &o, &made, &err) < 0) fail_msg("%s", err.text);
    free(made.start);
    assert_true(made.damaged > 0);
    assert_int_equal(made.left_out, 1);
    expect_file(p, "h/index.html", "whole");
    expect_no_file(p, "h/cut.html"); /* a file would not show that it is cut */
}

/* A file has no digest: what is known to be damaged would look sound. */
static void test_wrong_digests(void **state)
{
    struct place *p = *state;
    page(p, 1, "http://h/", "old");
    record(p, "response", 2, "http://h/",
           "Content-Type: application/http\r\nWARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n",
           SHARC_SPAN("HTTP/1.1 " HTML "\r\n\r\nnew"));
    struct sharc_mirror_options o = usual;
    struct sharc_mirror_made made;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(mirror(p, &o, &made, &err), SHARC_EDIGEST);
    o.selection.lenient = true;
    if (mirror(p, &o, &made, &err) < 0) fail_msg("%s", err.text);
    free(made.start);
    assert_int_equal(made.left_out, 1);
    expect_file(p, "h/index.html", "old");
}

static void test_large_pages(void **state)
{
    struct place *p = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf body = SHARC_BUF_INIT(4u << 20), grows = SHARC_BUF_INIT(4u << 20);
    while (body.n < 2000000) sharc_buf_put_str(&body, "<a href=/>");
    sharc_buf_put_str(&grows, "<base href=/");
    while (grows.n < 8000) sharc_buf_put_str(&grows, "long");
    sharc_buf_put_str(&grows, "/>");
    while (grows.n < 200000) sharc_buf_put_str(&grows, "<a href=a>");
    page(p, 1, "http://h/", "<a href=large><a href=grows>");
    response(p, 1, "http://h/large", HTML, sharc_buf_span(&body));
    record(p, "revisit", 2, "http://h/again", "WARC-Refers-To: <urn:x:1>\r\n", SHARC_SPAN(""));
    response(p, 1, "http://h/grows", HTML, sharc_buf_span(&grows));
    struct sharc_mirror_options o = usual;
    struct sharc_mirror_made made;
    struct sharc_err err = SHARC_ERR_INIT;
    o.largest_page = 1000000;
    if (mirror(p, &o, &made, &err) < 0) fail_msg("%s", err.text);
    free(made.start);
    assert_int_equal(made.unchanged, 3);
    assert_int_equal(made.files, 4);
    expect_file(p, "h/index.html", "<a href=large.html><a href=grows.html>");
    expect_bytes(p, "h/large.html", sharc_buf_span(&body));
    expect_bytes(p, "h/again.html", sharc_buf_span(&body));
    expect_bytes(p, "h/grows.html", sharc_buf_span(&grows));
}

#define WITH_PLACE(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_names_that_would_harm),
    cmocka_unit_test(test_long_names),
    WITH_PLACE(test_links),
    WITH_PLACE(test_time),
    WITH_PLACE(test_redirects),
    WITH_PLACE(test_twins),
    WITH_PLACE(test_revisits),
    WITH_PLACE(test_codings),
    WITH_PLACE(test_collisions),
    WITH_PLACE(test_charsets),
    WITH_PLACE(test_selection),
    WITH_PLACE(test_damage),
    WITH_PLACE(test_wrong_digests),
    WITH_PLACE(test_large_pages),
};
TEST_MAIN(tests)
