/* SPDX-License-Identifier: Apache-2.0
 *
 * What a site tells about itself: robots.txt, sitemap, feed. They name absolute
 * URLs and past times, so they are made when needed and kept.
 */
#include "lab_int.h"

#include "sharc/rate.h"

#define ALWAYS 60.0 /* seconds: a page that changes within a minute always changes */

static struct sharc_span base_of(const struct sharc_lab *l)
{
    struct sharc_span url = sharc_span_of(l->url);
    return sharc_span_sub(url, 0, url.n - 1); /* paths begin with the slash */
}

static void put_url(const struct sharc_lab *l, uint32_t item, struct sharc_buf *out)
{
    sharc_buf_put_markup(out, base_of(l));
    sharc_buf_put_markup(out, lab_path(&l->site, item));
}

void sharc__lab_write_robots(struct sharc_lab *l)
{
    sharc_buf_clear(&l->robots);
    sharc_buf_printf(&l->robots, "User-agent: *\nDisallow: /private/\n\nSitemap: %ssitemap.xml\n", l->url);
}

static const char *priority(const struct lab_site *s, uint32_t item)
{
    if (item == 0) return "1.0";
    for (uint32_t i = 0; i < s->sections; i++)
        if (s->fronts[i] == item) return "0.8";
    return "0.5";
}

void sharc__lab_write_sitemap(struct sharc_lab *l)
{
    struct sharc_buf *out = &l->sitemap;
    size_t listed = 0;
    sharc_buf_clear(out);
    sharc_buf_put_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                           "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
    for (uint32_t i = 0; i < l->site.count && listed < SHARC_LIMIT_LAB_PAGES; i++) {
        if (!sharc__lab_listed(l, i) || !l->states[i].exists) continue;
        char when[SHARC_TIME_TEXT];
        enum sharc_changefreq f = sharc_rate_changefreq_of(l->site.items[i].rate * l->o.speed, ALWAYS, SHARC_FREQ_TAU);
        sharc_buf_put_str(out, "<url><loc>");
        put_url(l, i, out);
        sharc_buf_printf(out, "</loc><lastmod>%s</lastmod><changefreq>%s</changefreq><priority>%s</priority></url>\n",
                         sharc_time_iso(sharc__lab_told(l, i), 0, when), sharc_rate_changefreq_name(f),
                         priority(&l->site, i));
        listed++;
    }
    sharc_buf_put_str(out, "</urlset>\n");
}

void sharc__lab_write_feed(struct sharc_lab *l)
{
    struct sharc_buf *out = &l->feed;
    sharc_buf_clear(out);
    sharc_buf_put_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\">\n<channel>\n"
                           "<title>What is new</title>\n<description>The latest edits</description>\n<link>");
    sharc_buf_put_markup(out, sharc_span_of(l->url));
    sharc_buf_put_str(out, "</link>\n");
    for (size_t i = 0; i < l->news_count; i++) {
        char when[SHARC_TIME_TEXT];
        uint32_t item = l->news[i].item;
        sharc_buf_put_str(out, "<item><title>");
        sharc__lab_title(l->site.seed, item, out);
        sharc_buf_put_str(out, "</title><link>");
        put_url(l, item, out);
        sharc_buf_printf(out, "</link><pubDate>%s</pubDate></item>\n", sharc_http_date_text(l->news[i].when, when));
    }
    sharc_buf_put_str(out, "</channel>\n</rss>\n");
}

struct sharc_span sharc__lab_body_now(const struct sharc_lab *l, uint32_t item, struct sharc_lab_version v,
                                      const struct lab_served *served, struct sharc_buf *scratch)
{
    switch (l->site.items[item].kind) {
    case LAB_ROBOTS: return sharc_buf_span(&l->robots);
    case LAB_SITEMAP: return sharc_buf_span(&l->sitemap);
    case LAB_FEED: return sharc_buf_span(&l->feed);
    case LAB_REDIRECT: return SHARC_SPAN("");
    case LAB_HTML:
    case LAB_IMAGE:
    case LAB_TEXT: break;
    }
    sharc_buf_clear(scratch);
    sharc__lab_item_body(&l->site, item, v, served, scratch);
    return sharc_buf_span(scratch);
}
