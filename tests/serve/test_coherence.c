/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said about pages with parts, and attempts to have it say more than is known. A page is captured at second
 * 10000; no file says how long downloads took, so each may have lasted a minute.
 */
#include "server_test.h"

#define PAGE HTML "<img src=/i><p>text"
#define IMAGE "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nDate: Sun, 01 Nov 2026 15:33:20 GMT\r\n"

static char *ask(struct story *s, const char *parameters)
{
    SHARC_AUTO(sharc_freep) char *target = sharc_asprintf("/api/coherence?url=http://a.example/%s", parameters);
    char *answer = get(s->pages, target);
    if (status_of(answer) != 200) fail_msg("%s", answer);
    return answer;
}

/* The words after a member's name: of the page, or of its i-th part (0: the page itself). */
static bool says(const char *json, const char *member, const char *value)
{
    SHARC_AUTO(sharc_freep) char *want = sharc_asprintf("\n  \"%s\": %s", member, value);
    return strstr(json, want) != NULL;
}

static bool part_says(const char *json, const char *url, const char *member, const char *value)
{
    SHARC_AUTO(sharc_freep) char *begin = sharc_asprintf("\"url\": \"%s\",\n      \"t\"", url);
    SHARC_AUTO(sharc_freep) char *want = sharc_asprintf("\"%s\": %s", member, value);
    const char *part = strstr(json, begin), *end = part ? strstr(part, "\n    }") : NULL;
    const char *hit = part ? strstr(part, want) : NULL;
    return hit && hit < end;
}

#define assert_says(json, member, value) \
    if (!says(json, member, value)) fail_msg("no %s %s in %s", member, value, json)
#define assert_part(json, url, member, value) \
    if (!part_says(json, url, member, value)) fail_msg("no %s %s of %s in %s", member, value, url, json)

static void an_image_seen_equal_before_and_after_is_proven(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 1000, "http://a.example/i", IMAGE "\r\none");
    warc_answer(s->w, 10000, "http://a.example/", PAGE);
    warc_answer(s->w, 20000, "http://a.example/i", IMAGE "\r\none");
    serve(s);
    SHARC_AUTO(sharc_freep) char *own = ask(s, "");
    assert_says(own, "state", "\"proven\"");
    assert_says(own, "mapping", "\"web\"");
    assert_part(own, "http://a.example/i", "reason", "\"equal-downloads\"");
    /* An hour later nothing is known of the page. */
    SHARC_AUTO(sharc_freep) char *later = ask(s, "&mapping=near&at=20261101134640");
    assert_says(later, "state", "\"unknown\"");
    assert_part(later, "http://a.example/i", "state", "\"proven\"");
    assert_part(later, "http://a.example/", "state", "\"open\"");
}

static void an_image_that_changed_in_between_is_not(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 1000, "http://a.example/i", IMAGE "\r\none");
    warc_answer(s->w, 10000, "http://a.example/", PAGE);
    warc_answer(s->w, 20000, "http://a.example/i", IMAGE "\r\ntwo");
    serve(s);
    SHARC_AUTO(sharc_freep) char *own = ask(s, "");
    assert_false(says(own, "state", "\"proven\""));
    assert_part(own, "http://a.example/i", "reason", "\"changed-around\"");
}

/* Downloaded within the minute that the page's own download may have lasted: nobody knows in which order. */
static void two_downloads_at_about_the_same_time_prove_nothing(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 10000, "http://a.example/", PAGE);
    warc_answer(s->w, 10000, "http://a.example/i", IMAGE "\r\none");
    warc_answer(s->w, 10030, "http://a.example/i", IMAGE "\r\none");
    serve(s);
    SHARC_AUTO(sharc_freep) char *own = ask(s, "");
    assert_says(own, "state", "\"unknown\"");
}

static void content_that_went_and_came_back_is_not_proven(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 1000, "http://a.example/i", IMAGE "\r\none");
    warc_answer(s->w, 10000, "http://a.example/", PAGE);
    warc_answer(s->w, 10000, "http://a.example/i", IMAGE "\r\ntwo");
    warc_answer(s->w, 20000, "http://a.example/i", IMAGE "\r\none");
    serve(s);
    /* At 10:30 the nearest image is the first one, and at the page's time it was another. */
    SHARC_AUTO(sharc_freep) char *asof = ask(s, "&mapping=asof&at=20261101151000");
    assert_false(says(asof, "state", "\"proven\""));
    SHARC_AUTO(sharc_freep) char *own = ask(s, "");
    assert_false(says(own, "state", "\"proven\""));
}

static void a_missing_image_leaves_the_page_unknown(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 1000, "http://a.example/", PAGE);
    warc_answer(s->w, 10000, "http://a.example/", PAGE);
    serve(s);
    SHARC_AUTO(sharc_freep) char *own = ask(s, "");
    assert_says(own, "state", "\"unknown\"");
    assert_says(own, "missing", "1");
    assert_part(own, "http://a.example/i", "state", "\"missing\"");
}

static void the_servers_date_is_its_word_and_no_proof(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 10000, "http://a.example/", PAGE);
    warc_answer(s->w, 20000, "http://a.example/i", IMAGE "Last-Modified: Sun, 01 Nov 2026 10:10:00 GMT\r\n\r\none");
    serve(s);
    SHARC_AUTO(sharc_freep) char *own = ask(s, "");
    assert_says(own, "state", "\"probably\"");
    assert_says(own, "by_word", "true");
    assert_says(own, "p", "null");
    assert_part(own, "http://a.example/i", "reason", "\"last-modified\"");
    assert_part(own, "http://a.example/i", "p", "null");
}

static void a_date_after_the_page_makes_it_mixed(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 10000, "http://a.example/", PAGE);
    warc_answer(s->w, 20000, "http://a.example/i", IMAGE "Last-Modified: Sun, 01 Nov 2026 13:30:00 GMT\r\n\r\none");
    serve(s);
    SHARC_AUTO(sharc_freep) char *own = ask(s, "");
    assert_says(own, "state", "\"mixed\"");
    assert_part(own, "http://a.example/i", "reason", "\"newer\"");
    assert_non_null(strstr(own, "1 part is newer"));
}

/* Dated before something else was seen there: neither this date nor another of that host is believed. */
static void a_date_that_another_capture_contradicts_is_not_believed(void **state)
{
    struct story *s = *state;
    static const char two[] = HTML "<img src=/i><img src=/j>";
    warc_answer(s->w, 5000, "http://a.example/i", IMAGE "\r\nother");
    warc_answer(s->w, 10000, "http://a.example/", two);
    warc_answer(s->w, 20000, "http://a.example/i", IMAGE "Last-Modified: Sun, 01 Nov 2026 10:10:00 GMT\r\n\r\none");
    warc_answer(s->w, 20000, "http://a.example/j", IMAGE "Last-Modified: Sun, 01 Nov 2026 10:20:00 GMT\r\n\r\none");
    serve(s);
    SHARC_AUTO(sharc_freep) char *late = ask(s, "&mapping=near&at=20261101133000");
    assert_false(says(late, "state", "\"proven\""));
    assert_false(says(late, "by_word", "true"));
}

/* A server that dates everything with the present time dates nothing. */
static void an_echo_of_the_present_is_no_date(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 10000, "http://a.example/", PAGE);
    warc_answer(s->w, 20000, "http://a.example/i", IMAGE "Last-Modified: Sun, 01 Nov 2026 15:33:20 GMT\r\n\r\none");
    serve(s);
    SHARC_AUTO(sharc_freep) char *own = ask(s, "");
    assert_says(own, "state", "\"unknown\"");
    assert_says(own, "by_word", "false");
}

/* Not modified, says the server; nobody has downloaded it again. */
static void a_304_is_the_servers_word(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 1000, "http://a.example/i", IMAGE "\r\none");
    warc_answer(s->w, 10000, "http://a.example/", PAGE);
    warc_revisit(s->w, 20000,
                 &(struct revisit){.url = "http://a.example/i",
                                   .head = "HTTP/1.1 304 Not Modified\r\n\r\n",
                                   .digest = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
                                   .not_modified = true});
    serve(s);
    SHARC_AUTO(sharc_freep) char *own = ask(s, "");
    assert_says(own, "state", "\"probably\"");
    assert_part(own, "http://a.example/i", "reason", "\"not-modified\"");
}

static void a_piece_of_an_image_proves_nothing_of_it(void **state)
{
    struct story *s = *state;
    static const char piece[] = "HTTP/1.1 206 Partial Content\r\nContent-Type: image/png\r\nContent-Range: bytes "
                                "0-2/9\r\n\r\none";
    warc_answer(s->w, 1000, "http://a.example/i", piece);
    warc_answer(s->w, 10000, "http://a.example/", PAGE);
    warc_answer(s->w, 20000, "http://a.example/i", piece);
    serve(s);
    SHARC_AUTO(sharc_freep) char *own = ask(s, "");
    assert_false(says(own, "state", "\"proven\""));
    assert_part(own, "http://a.example/i", "reason", "\"nothing-to-compare\"");
}

/* Twice not found, with other words: it was gone both times, and what is shown was there once. */
static void pages_that_say_they_are_gone_are_compared_too(void **state)
{
    struct story *s = *state;
    for (int i = 0; i < 2; i++) {
        SHARC_AUTO(sharc_freep) char *other = sharc_asprintf("HTTP/1.1 404 No\r\n\r\ngone %d", i);
        warc_answer(s->w, 1000 + 19000 * i, "http://a.example/", other);
        warc_answer(s->w, 1000 + 19000 * i, "http://b.example/", "HTTP/1.1 404 No\r\n\r\ngone");
    }
    serve(s);
    SHARC_AUTO(sharc_freep) char *changed = ask(s, "&mapping=near&at=20261101124640");
    assert_false(says(changed, "state", "\"proven\""));
    SHARC_AUTO(sharc_freep)
    char *same = get(s->pages, "/api/coherence?url=http://b.example/&mapping=near&at=20261101124640");
    assert_says(same, "state", "\"proven\"");
}

static void parts_of_styles_frames_and_redirects_count(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 10000, "http://a.example/",
                HTML
                "<link rel=stylesheet href=/c><iframe src=/f></iframe><a href=/x>x</a><link rel=canonical href=/y>");
    for (int t = 1000; t <= 20000; t += 19000) {
        warc_answer(s->w, t, "http://a.example/c",
                    "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\nbody{background:url(/b)}");
        warc_answer(s->w, t, "http://a.example/f", HTML "<img src=/r>");
        warc_answer(s->w, t, "http://a.example/r", "HTTP/1.1 302 Found\r\nLocation: /g\r\n\r\n");
        warc_answer(s->w, t, "http://a.example/g", IMAGE "\r\none");
    }
    serve(s);
    SHARC_AUTO(sharc_freep) char *lacking = ask(s, "");
    static const char *const urls[] = {"c", "f", "r", "g"};
    for (size_t i = 0; i < SHARC_LENGTH(urls); i++) {
        SHARC_AUTO(sharc_freep) char *url = sharc_asprintf("http://a.example/%s", urls[i]);
        assert_part(lacking, url, "state", "\"proven\"");
    }
    assert_part(lacking, "http://a.example/b", "state", "\"missing\"");
    assert_null(strstr(lacking, "http://a.example/x"));
    assert_null(strstr(lacking, "http://a.example/y"));
    assert_says(lacking, "missing", "1");
}

/* Shown as a last resort under another URL: neither a part nor a page of that kind proves anything. */
static void what_is_only_similar_is_not_proven(void **state)
{
    struct story *s = *state;
    static const int times[] = {1000, 10000, 20000};
    for (size_t i = 0; i < SHARC_LENGTH(times); i++) {
        warc_answer(s->w, times[i], "http://a.example/", HTML "<img src=/i.png?utm_source=x>");
        warc_answer(s->w, times[i], "http://a.example/i.png?utm_source=y", IMAGE "\r\none");
        warc_answer(s->w, times[i], "http://a.example/page.html?utm_source=y", HTML "page");
    }
    serve(s);
    SHARC_AUTO(sharc_freep) char *shown = get(s->replay, "/web/20261101124640im_/http://a.example/i.png?utm_source=x");
    assert_int_equal(status_of(shown), 200);
    SHARC_AUTO(sharc_freep) char *own = ask(s, "&at=20261101124640");
    assert_says(own, "state", "\"unknown\"");
    assert_says(own, "similar", "1");
    assert_part(own, "http://a.example/i.png?utm_source=x", "reason", "\"similar-url\"");
    SHARC_AUTO(sharc_freep)
    char *bar = get(s->pages, "/view/web/20261101124640/http://a.example/page.html?utm_source=x");
    assert_non_null(strstr(bar, "Approximate match"));
    assert_non_null(strstr(bar, "bar v-unknown"));
}

/* --- an instant for all ---------------------------------------------------------------------------- */

/* Two states of a small site, and an image of the first that was never seen in the second. */
static void two_states(struct story *s)
{
    static const int times[2][2] = {{1000, 10000}, {20000, 30000}};
    for (int v = 0; v < 2; v++)
        for (int i = 0; i < 2; i++) {
            int t = times[v][i];
            SHARC_AUTO(sharc_freep)
            char *page = sharc_asprintf(HTML "<img src=/i><a href=/next>next</a> version %d", v);
            SHARC_AUTO(sharc_freep) char *next = sharc_asprintf(HTML "<img src=/i> next %d", v);
            SHARC_AUTO(sharc_freep) char *image = sharc_asprintf(IMAGE "\r\nimage %d", v);
            warc_answer(s->w, t, "http://a.example/", page);
            warc_answer(s->w, t + 200, "http://a.example/next", next);
            warc_answer(s->w, t - 500 + 2000 * i, "http://a.example/i", image);
        }
}

static void following_links_stays_in_one_state(void **state)
{
    struct story *s = *state;
    two_states(s);
    serve(s);
    /* Between the two: the first state ended at 10000, the second is known from 20060 on. */
    SHARC_AUTO(sharc_freep) char *near = get(s->replay, "/coherent/20261101141000/http://a.example/");
    assert_int_equal(status_of(near), 302);
    assert_true(has_line(near, "Location: /coherent/20261101124640000/http://a.example/"));
    SHARC_AUTO(sharc_freep) char *page = get(s->replay, "/coherent/20261101124640000/http://a.example/");
    assert_string_equal(body_of(page), "<img src=/coherent/20261101124640000im_/http://a.example/i>"
                                       "<a href=/coherent/20261101124640000/http://a.example/next>next</a> version 0");
    SHARC_AUTO(sharc_freep) char *next = get(s->replay, "/coherent/20261101124640000/http://a.example/next");
    assert_non_null(strstr(next, "next 0"));
    SHARC_AUTO(sharc_freep) char *image = get(s->replay, "/coherent/20261101124640000im_/http://a.example/i");
    assert_string_equal(body_of(image), "image 0");
    SHARC_AUTO(sharc_freep) char *json = ask(s, "&mapping=coherent&at=20261101124640000");
    assert_says(json, "state", "\"proven\"");
    /* The nearest captures would have been of both states. */
    SHARC_AUTO(sharc_freep) char *mixed = get(s->replay, "/near/20261101133000im_/http://a.example/i");
    assert_string_equal(body_of(mixed), "image 0");
    SHARC_AUTO(sharc_freep) char *other = get(s->replay, "/near/20261101144500/http://a.example/");
    assert_non_null(strstr(other, "version 1"));
    /* Without a time: the newest state. */
    SHARC_AUTO(sharc_freep) char *newest = get(s->replay, "/coherent/http://a.example/");
    assert_true(has_line(newest, "Location: /coherent/20261101182000000/http://a.example/"));
    SHARC_AUTO(sharc_freep) char *last = ask(s, "&mapping=coherent");
    assert_says(last, "state", "\"proven\"");
}

static void what_is_known_of_no_instant_is_still_shown(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 10000, "http://a.example/", PAGE);
    warc_answer(s->w, 90000, "http://a.example/i", IMAGE "\r\none");
    serve(s);
    SHARC_AUTO(sharc_freep) char *to = get(s->replay, "/coherent/2026/http://a.example/");
    assert_true(has_line(to, "Location: /coherent/20261101124640000/http://a.example/"));
    SHARC_AUTO(sharc_freep) char *json = ask(s, "&mapping=coherent&at=2026");
    assert_says(json, "state", "\"unknown\"");
    SHARC_AUTO(sharc_freep) char *none = get(s->replay, "/coherent/2026/http://b.example/");
    assert_int_equal(status_of(none), 404);
}

/* --- limits ------------------------------------------------------------------------------------------ */

static void parts_beyond_the_limits_are_refused(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 10000, "http://a.example/", PAGE);
    warc_answer(s->w, 20000, "http://a.example/i", IMAGE "\r\none");
    warc_answer(s->w, 10000, "http://a.example/?within=-1d..+2h", HTML "its own");
    warc_answer(s->w, 10000, "http://a.example/q?a=1", HTML "q");
    serve(s);
    SHARC_AUTO(sharc_freep)
    char *to = get(s->replay, "/web/20261101124640/http://a.example/q?a=1&within=-1d..%2B2h");
    assert_true(has_line(to, "Location: /web/20261101124640~-1d..+2h~/http://a.example/q?a=1"));
    SHARC_AUTO(sharc_freep) char *page = get(s->replay, "/web/20261101124640~-1d..+2h~/http://a.example/");
    assert_non_null(strstr(page, "<img src=/web/20261101124640~-1d..+2h~im_/http://a.example/i>"));
    SHARC_AUTO(sharc_freep) char *out = get(s->replay, "/web/20261101124640~-1d..+2h~im_/http://a.example/i");
    assert_int_equal(status_of(out), 404);
    assert_non_null(strstr(out, "2 h 47 min after"));
    SHARC_AUTO(sharc_freep) char *in = get(s->replay, "/web/20261101124640~-1d..3h~im_/http://a.example/i");
    assert_int_equal(status_of(in), 200);
    SHARC_AUTO(sharc_freep) char *json = ask(s, "&at=20261101124640&within=-1d..%2B2h");
    assert_says(json, "refused", "1");
    assert_says(json, "state", "\"unknown\"");
    /* The archive has such a URL. */
    SHARC_AUTO(sharc_freep) char *own = get(s->replay, "/web/20261101124640/http://a.example/?within=-1d..+2h");
    assert_non_null(strstr(own, "its own"));
    SHARC_AUTO(sharc_freep)
    char *form = get(s->pages, "/limits?mapping=web&at=20261101124640&url=http%3A%2F%2Fa.example%2F%3Fx&from=-1d&to=");
    assert_true(has_line(form, "Location: /view/web/20261101124640~-1d..+1000y~/http://a.example/?x"));
    static const char *const bad[] = {"from=1&to=0", "from=x&to=1", "from=--1&to=1", "from=1e99&to=2e99",
                                      "from=-1d&to=2h/../x"};
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        SHARC_AUTO(sharc_freep)
        char *target = sharc_asprintf("/limits?mapping=web&at=2026&url=http://a.example/&%s", bad[i]);
        SHARC_AUTO(sharc_freep) char *answer = get(s->pages, target);
        if (status_of(answer) != 400) fail_msg("%s: %s", bad[i], answer);
    }
}

/* --- on the page and in headers ------------------------------------------------------------------------ */

static void the_bar_says_what_the_api_says(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 1000, "http://a.example/i", IMAGE "\r\none");
    warc_answer(s->w, 10000, "http://a.example/", HTML "<img src=/i><img src=\"/\x3c/script>\">");
    warc_answer(s->w, 20000, "http://a.example/i", IMAGE "\r\none");
    serve(s);
    SHARC_AUTO(sharc_freep) char *bar = get(s->pages, "/view/web/20261101124640/http://a.example/");
    assert_non_null(strstr(bar, "<header class=\"bar v-unknown\""));
    assert_non_null(strstr(bar, "proven: the page and 1 of 2 parts (2.0 % by weight) · 1 part is missing ("));
    assert_null(strstr(bar, "</script>\""));
    SHARC_AUTO(sharc_freep) char *raw = get(s->replay, "/web/20261101124640id_/http://a.example/");
    assert_string_equal(body_of(raw), "<img src=/i><img src=\"/</script>\">");
    SHARC_AUTO(sharc_freep) char *frame = get(s->replay, "/web/20261101124640if_/http://a.example/");
    assert_null(strstr(frame, "class=\"bar"));
}

static void links_lead_to_neighbours_and_description(void **state)
{
    struct story *s = *state;
    for (int t = 0; t < 5; t++) warc_answer(s->w, t * 1000, "http://a.example/", HTML "x");
    serve(s);
    SHARC_AUTO(sharc_freep) char *middle = get(s->replay, "/web/20261101103320/http://a.example/");
    static const char *const wanted[] = {
        "/web/20261101100000/http://a.example/>; rel=\"first memento\"",
        "/web/20261101101640/http://a.example/>; rel=\"prev memento\"",
        "/web/20261101103320/http://a.example/>; rel=\"memento\"",
        "/web/20261101105000/http://a.example/>; rel=\"next memento\"",
        "/web/20261101110640/http://a.example/>; rel=\"last memento\"",
        "/api/coherence?mapping=web&at=20261101103320&url=http%3A%2F%2Fa.example%2F>; rel=\"describedby\"",
    };
    for (size_t i = 0; i < SHARC_LENGTH(wanted); i++)
        if (!strstr(middle, wanted[i])) fail_msg("no %s in %s", wanted[i], middle);
    SHARC_AUTO(sharc_freep) char *second = get(s->replay, "/web/20261101101640/http://a.example/");
    assert_non_null(strstr(second, "/web/20261101100000/http://a.example/>; rel=\"first prev memento\""));
    SHARC_AUTO(sharc_freep) char *last = get(s->replay, "/web/20261101110640/http://a.example/");
    assert_non_null(strstr(last, "/web/20261101110640/http://a.example/>; rel=\"last memento\""));
    assert_null(strstr(last, "next"));
}

static void nonsense_is_refused(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 0, "http://a.example/", HTML "x");
    serve(s);
    static const char *const bad[] = {
        "/api/coherence",
        "/api/coherence?url=",
        "/api/coherence?url=http://a.example/&at=yesterday",
        "/api/coherence?url=http://a.example/&at=202613",
        "/api/coherence?url=http://a.example/&mapping=best",
        "/api/coherence?url=http://a.example/&within=now",
    };
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        SHARC_AUTO(sharc_freep) char *answer = get(s->pages, bad[i]);
        if (status_of(answer) != 400) fail_msg("%s: %s", bad[i], answer);
        assert_true(has_line(answer, "Content-Type: application/json"));
    }
    SHARC_AUTO(sharc_freep) char *none = get(s->pages, "/api/coherence?url=http://b.example/");
    assert_int_equal(status_of(none), 404);
}

#define STORY(test) cmocka_unit_test_setup_teardown(test, begin, end)
static const struct CMUnitTest tests[] = {
    STORY(an_image_seen_equal_before_and_after_is_proven),
    STORY(an_image_that_changed_in_between_is_not),
    STORY(two_downloads_at_about_the_same_time_prove_nothing),
    STORY(content_that_went_and_came_back_is_not_proven),
    STORY(a_missing_image_leaves_the_page_unknown),
    STORY(the_servers_date_is_its_word_and_no_proof),
    STORY(a_date_after_the_page_makes_it_mixed),
    STORY(a_date_that_another_capture_contradicts_is_not_believed),
    STORY(an_echo_of_the_present_is_no_date),
    STORY(a_304_is_the_servers_word),
    STORY(a_piece_of_an_image_proves_nothing_of_it),
    STORY(pages_that_say_they_are_gone_are_compared_too),
    STORY(parts_of_styles_frames_and_redirects_count),
    STORY(what_is_only_similar_is_not_proven),
    STORY(following_links_stays_in_one_state),
    STORY(what_is_known_of_no_instant_is_still_shown),
    STORY(parts_beyond_the_limits_are_refused),
    STORY(the_bar_says_what_the_api_says),
    STORY(links_lead_to_neighbours_and_description),
    STORY(nonsense_is_refused),
};
TEST_MAIN(tests)
