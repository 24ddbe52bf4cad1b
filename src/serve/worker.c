/* SPDX-License-Identifier: Apache-2.0
 *
 * A service worker of ours for the replay origin. Requests that scripts make to a path of this server which is none of
 * an archived page ("/img/x.png") are led into the archive: to the time and site of the page that asks, which the
 * browser knows even where it sends no referrer. Replay works without it (sharc__serve_by_referrer); it only
 * improves. Addresses with another host never come this far: the policy of the page refuses them first, worker or not,
 * so that a worker that fails can let nothing out.
 */
#include "call.h"

static const char script[] =
    "\"use strict\";\n"
    "const ours = /^\\/(?:web|near|asof|coherent)\\/([^/]*)\\/(https?:\\/\\/?.*)$/is;\n"
    "const plain = /^\\/(?:timegate|timemap)\\/|^\\/robots\\.txt$|^\\/sharc-(?:worker|page)\\./;\n"
    "const uses = { script: \"js_\", worker: \"js_\", sharedworker: \"js_\", style: \"cs_\", image: \"im_\", "
    "iframe: \"if_\", frame: \"if_\", document: \"\" };\n"
    "self.addEventListener(\"install\", () => self.skipWaiting());\n"
    "self.addEventListener(\"activate\", (e) => e.waitUntil(self.clients.claim()));\n"
    "const page = (address) => {\n"
    "  try {\n"
    "    const url = new URL(address);\n"
    "    const found = url.origin === self.origin && ours.exec(url.pathname + url.search);\n"
    "    return found && { mapping: url.pathname.split(\"/\")[1], time: found[1].replace(/[a-z]+_$/, \"\"), url: "
    "found[2].replace(/^(https?:\\/)([^/])/i, \"$1/$2\") };\n"
    "  } catch { return null; }\n"
    "};\n"
    "const lead = async (e, url) => {\n"
    "  const client = e.clientId && await self.clients.get(e.clientId);\n"
    "  const from = (client && page(client.url)) || page(e.request.referrer);\n"
    "  if (!from) return fetch(e.request);\n"
    "  const to = new URL(url.pathname + url.search, from.url);\n"
    "  const use = uses[e.request.destination];\n"
    "  return Response.redirect(`/${from.mapping}/${from.time}${use === undefined ? \"oe_\" : use}/${to.href}`, 307);\n"
    "};\n"
    "self.addEventListener(\"fetch\", (e) => {\n"
    "  const url = new URL(e.request.url);\n"
    "  if (url.origin !== self.origin || plain.test(url.pathname) || ours.test(url.pathname + url.search) || "
    "url.pathname === \"/\") return;\n"
    "  e.respondWith(lead(e, url));\n"
    "});\n";

static const char page[] = "<!DOCTYPE html><meta charset=utf-8><title>Worker</title><script "
                           "src=\"/sharc-worker.start.js\"></script>\n";

static const char start[] =
    "navigator.serviceWorker && navigator.serviceWorker.register(\"/sharc-worker.js\", { scope: "
    "\"/\" }).catch(() => {});\n";

static void send(struct serve_call *c, const char *type, const char *text, size_t n)
{
    sharc__serve_header(c, "Content-Type", sharc_span_of(type));
    sharc__serve_header(c, "Cache-Control", SHARC_SPAN("no-cache"));
    sharc__serve_header(c, "X-Content-Type-Options", SHARC_SPAN("nosniff"));
    sharc_http_answer_borrow(c->answer, sharc_span(text, n));
    c->size = n;
}

bool sharc__serve_worker(struct serve_call *c)
{
    struct sharc_span path = c->request->path;
    if (sharc_span_is(path, "/sharc-page.js")) {
        sharc__serve_guard_script(c);
    } else if (sharc_span_is(path, "/sharc-worker.js")) {
        sharc__serve_policy(c);
        sharc__serve_header(c, "Service-Worker-Allowed", SHARC_SPAN("/"));
        send(c, "text/javascript; charset=utf-8", script, sizeof script - 1);
    } else if (sharc_span_is(path, "/sharc-worker.start.js")) {
        sharc__serve_policy(c);
        send(c, "text/javascript; charset=utf-8", start, sizeof start - 1);
    } else if (sharc_span_is(path, "/sharc-worker.html")) { /* in a frame of the page with the bar */
        sharc__serve_headerf(c, "Content-Security-Policy", "default-src 'self'; frame-ancestors %s", c->pages);
        sharc__serve_guard_headers(c);
        send(c, "text/html; charset=utf-8", page, sizeof page - 1);
    } else {
        return false;
    }
    return true;
}
