/* SPDX-License-Identifier: Apache-2.0
 *
 * The changes that a watch has seen as an Atom feed (RFC 4287), one per site: reports/changes-SITE.atom.
 */
#include "watching.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"
#include "sharc/store_query.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#define FEED_BYTES ((size_t)8 << 20)

static void put_text(struct sharc_buf *out, struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++) {
        const unsigned char c = (unsigned char)s.p[i];
        if (c == '<')
            sharc_buf_printf(out, "&lt;");
        else if (c == '>')
            sharc_buf_printf(out, "&gt;");
        else if (c == '&')
            sharc_buf_printf(out, "&amp;");
        else if (c == '"')
            sharc_buf_printf(out, "&quot;");
        else if (c >= ' ')
            sharc_buf_printf(out, "%c", c);
    }
}

static void put_entry(struct sharc_buf *out, const struct sharc_store_watch_look *l)
{
    char when[SHARC_TIME_TEXT];
    sharc_time_iso(l->when, 6, when);
    sharc_buf_printf(out, "  <entry>\n    <id>");
    put_text(out, l->url);
    sharc_buf_printf(out, "#sharc-%" PRId64 "</id>\n    <updated>%s</updated>\n    <title>%s: ", l->when, when,
                     sharc_store_shown_word(l->shown));
    put_text(out, l->url);
    sharc_buf_printf(out, "</title>\n    <link href=\"");
    put_text(out, l->url);
    sharc_buf_printf(out, "\"/>\n    <summary>%s at a look at %s; status %d",
                     l->shown == SHARC_SHOWN_CHANGED ? "changed since the look before, found"
                                                     : sharc_store_shown_word(l->shown),
                     when, l->status);
    if (l->shown == SHARC_SHOWN_CHANGED) sharc_buf_printf(out, "; importance %.2f", l->importance);
    sharc_buf_printf(out, "</summary>\n  </entry>\n");
}

int sharc_watching_feed(struct sharc_store *store, sharc_store_id capture, const char *site, size_t most,
                        struct sharc_buf *out, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_watch_filter f = SHARC_STORE_WATCH_FILTER_INIT;
    char when[SHARC_TIME_TEXT];
    f.capture = capture;
    f.changes = f.newest_first = true;
    int r = sharc_store_watch_looks(store, &f, &rows, reterr);
    for (size_t n = 0; r >= 0 && n < most && (r = sharc_store_rows_next(rows, reterr)) > 0; n++) {
        struct sharc_store_watch_look l;
        sharc_store_read_watch_look(rows, &l);
        if (n == 0) {
            sharc_buf_printf(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                                  "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n  <id>urn:sharc:watch:");
            put_text(out, sharc_span_of(site));
            sharc_buf_printf(out, "</id>\n  <title>Changes of ");
            put_text(out, sharc_span_of(site));
            sharc_buf_printf(out, "</title>\n  <updated>%s</updated>\n  <author><name>sharc watch</name></author>\n",
                             sharc_time_iso(l.when, 6, when));
        }
        put_entry(out, &l);
    }
    if (r < 0 || out->n == 0) return r < 0 ? r : 0;
    sharc_buf_printf(out, "</feed>\n");
    return sharc_buf_result(out, reterr);
}

/* A site's name as part of a file's. */
static char *file_of(const struct sharc_watching *w, const char *site)
{
    SHARC_AUTO(sharc_freep) char *dir = sharc_archive_path(w->o.crawl.archive, SHARC_ARCHIVE_REPORTS);
    SHARC_AUTO(sharc_freep) char *name = sharc_strdup(site);
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '.' && *p != '-') *p = '_';
    return sharc_asprintf("%s/changes-%s.atom", dir, name);
}

void sharc__watching_write_feeds(struct sharc_watching *w)
{
    for (size_t i = 0; i < w->sites; i++) {
        struct site *s = &w->site[i];
        if (!s->news || s->look == SHARC_NO_ID) continue;
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(FEED_BYTES);
        struct sharc_err err = SHARC_ERR_INIT;
        const char *site = sharc_looks_site_name(w->looks, s->look);
        SHARC_AUTO(sharc_freep) char *path = file_of(w, site);
        int r = sharc_archive_make(w->o.crawl.archive, SHARC_ARCHIVE_REPORTS, &err);
        if (r == 0) r = sharc_watching_feed(w->world.store, s->capture, site, LOOKS_NAMED, &b, &err);
        if (r == 0 && b.n) r = sharc_file_replace(path, sharc_buf_span(&b), &err);
        s->news = false;
        if (r < 0) sharc__watching_remark(w, "the feed of changes was not written: %s", err.text);
    }
}
