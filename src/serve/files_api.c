/* SPDX-License-Identifier: Apache-2.0
 *
 * The archive files themselves, with ranges: replay tools that run in a browser read them from here.
 */
#include "call.h"
#include "serve_int.h"

static const char *type_of(enum sharc_warc_kind kind, const char *name)
{
    if (kind == SHARC_WARC_KIND_CONTAINER) return "application/wacz+zip";
    return sharc_span_ends(sharc_span_of(name), SHARC_SPAN(".gz")) ? "application/gzip" : "application/warc";
}

static void list_files(struct serve_call *c)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 20);
    char size[SHARC_TIME_TEXT], when[SHARC_TIME_TEXT];
    sharc__serve_page_begin(c, &out, "Files");
    sharc_buf_put_str(
        &out, "<h1>Files</h1>\n<div class=scroll><table class=rows><thead><tr><th>Name<th>Size<th>Changed</thead>\n");
    for (size_t i = 0; i < sharc_edition_files(c->edition); i++) {
        struct sharc_served_file f;
        sharc_edition_file(c->edition, i, &f);
        if (sharc_edition_file_named(c->edition, sharc_span_of(f.name)) != i) continue;
        sharc_buf_put_str(&out, "<tr><td class=wide><a href=\"/files/");
        sharc__serve_put_escaped(&out, sharc_span_of(f.name));
        sharc_buf_put_str(&out, "\">");
        sharc__serve_put_text(&out, sharc_span_of(f.name));
        sharc_buf_printf(&out, "</a><td class=n>%s<td data-l=Changed>%.10s\n", sharc_size_text(f.size, size),
                         sharc_time_iso(f.modified / 1000, 0, when));
    }
    sharc_buf_put_str(&out, "</table></div>\n");
    sharc__serve_page_end(c, &out, 200);
}

static void decode_name(struct sharc_span name, struct sharc_buf *out)
{
    for (size_t i = 0; i < name.n; i++) {
        int high = name.p[i] == '%' && i + 2 < name.n ? sharc_hex_value(name.p[i + 1]) : -1;
        int low = high >= 0 ? sharc_hex_value(name.p[i + 2]) : -1;
        sharc_buf_put_char(out, low >= 0 ? (char)(high << 4 | low) : name.p[i]);
        if (low >= 0) i += 2;
    }
}

/* Names are looked up among those that are served: no path can be made of them. */
void sharc__serve_files(struct serve_call *c, struct sharc_span name)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf decoded = SHARC_BUF_INIT(4096);
    struct sharc_served_file f;
    const struct sharc_filemap *map;
    struct sharc_err err = SHARC_ERR_INIT;
    if (!name.n) {
        list_files(c);
        return;
    }
    decode_name(name, &decoded);
    size_t i = decoded.failed ? SHARC_NPOS : sharc_edition_file_named(c->edition, sharc_buf_span(&decoded));
    sharc__serve_cors(c);
    if (i == SHARC_NPOS) {
        sharc__serve_plain(c, 404, "No file of that name is served; /files/ lists them.");
        return;
    }
    if (sharc_edition_map(c->edition, i, &map, &err) < 0) {
        sharc__serve_failed(c, 503, &err);
        return;
    }
    sharc_edition_file(c->edition, i, &f);
    sharc__serve_policy(c);
    sharc__serve_header(c, "Content-Type", sharc_span_of(type_of(f.kind, f.name)));
    sharc__serve_bytes(c, map);
}
