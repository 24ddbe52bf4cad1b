/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said to browsers so that archived pages stay in the archive, beyond the Content-Security-Policy.
 *
 * Headers: Connection-Allowlist (Chromium since 152) covers what no policy does: WebRTC, windows that a script opens,
 * speculation rules, connections that are made before a policy is asked. Cross-Origin-Embedder-Policy and
 * -Opener-Policy keep archived scripts out of frames and windows in which there is an answer without our headers:
 * libmicrohttpd answers by itself when a request is too large for it.
 *
 * A script at the beginning of each page, for all other browsers: it takes WebRTC away, keeps cookies and storage in
 * the page (those of all sites would be one: what a page leaves there, pages of other sites would read and show), tells
 * the bar when a page comes and goes, and leads pages that a script navigates to into the archive. A page that wants to
 * can get around the script, but not around the headers; and what it leaves in the browser's own storage no other page
 * reads.
 */
#include "call.h"

static const char script[] =
    "\"use strict\";\n"
    "(() => {\n"
    "  const own = document.currentScript;\n"
    "  if (own) own.remove();\n"
    "  for (const name of [\"RTCPeerConnection\", \"webkitRTCPeerConnection\", \"mozRTCPeerConnection\"]) "
    "delete window[name];\n"
    "  const jar = new Map();\n"
    "  const gone = (part) => /^\\s*max-age\\s*=\\s*[-0]/i.test(part) ||\n"
    "    (/^\\s*expires\\s*=/i.test(part) && Date.parse(part.slice(part.indexOf(\"=\") + 1)) < Date.now());\n"
    "  Object.defineProperty(Document.prototype, \"cookie\", {\n"
    "    configurable: true, enumerable: true,\n"
    "    get() { return [...jar].map(([name, value]) => name ? `${name}=${value}` : value).join(\"; \"); },\n"
    "    set(text) {\n"
    "      const [pair, ...rest] = String(text).split(\";\"), at = pair.indexOf(\"=\");\n"
    "      const name = at < 0 ? \"\" : pair.slice(0, at).trim();\n"
    "      if (rest.some(gone)) jar.delete(name);\n"
    "      else jar.set(name, pair.slice(at + 1).trim());\n"
    "    },\n"
    "  });\n"
    "  for (const name of [\"cookieStore\", \"CookieStore\", \"indexedDB\", \"caches\"]) delete window[name];\n"
    "  const storage = () => {\n"
    "    const held = new Map();\n"
    "    const does = {\n"
    "      getItem: (k) => held.get(String(k)) ?? null,\n"
    "      setItem: (k, v) => { held.set(String(k), String(v)); },\n"
    "      removeItem: (k) => { held.delete(String(k)); },\n"
    "      clear: () => held.clear(),\n"
    "      key: (i) => [...held.keys()][i] ?? null,\n"
    "    };\n"
    "    return new Proxy(Object.create(Storage.prototype), {\n"
    "      get: (t, k) => Object.hasOwn(does, k) ? does[k] : k === \"length\" ? held.size : held.has(k) ? "
    "held.get(k) : t[k],\n"
    "      set: (t, k, v) => { if (typeof k === \"symbol\") t[k] = v; else held.set(k, String(v)); return "
    "true; },\n"
    "      has: (t, k) => held.has(k) || k in t,\n"
    "      deleteProperty: (t, k) => { held.delete(k); return true; },\n"
    "      ownKeys: () => [...held.keys()],\n"
    "      getOwnPropertyDescriptor: (t, k) => held.has(k) ? { value: held.get(k), writable: true, "
    "enumerable: true, configurable: true } : undefined,\n"
    "      defineProperty: (t, k, d) => { held.set(String(k), String(d.value)); return true; },\n"
    "    });\n"
    "  };\n"
    "  for (const name of [\"localStorage\", \"sessionStorage\"]) {\n"
    "    const kept = storage();\n"
    "    Object.defineProperty(window, name, { configurable: true, enumerable: true, get: () => kept });\n"
    "  }\n"
    "  let bar = false;\n"
    "  try { void parent.document; } catch { bar = parent === top; }\n"
    "  const tell = (what) => { if (bar) parent.postMessage({ sharc: what }, \"*\"); };\n"
    "  tell(\"here\");\n"
    "  const here = /^\\/(?:web|asof|near|coherent)\\/[^/]*\\/(?=https?:)/i.exec(location.pathname);\n"
    "  if (window.navigation) navigation.addEventListener(\"navigate\", (e) => {\n"
    "    const to = new URL(e.destination.url);\n"
    "    if (!e.destination.sameDocument && e.downloadRequest === null) tell(\"left\");\n"
    "    if (!here || !/^https?:$/.test(to.protocol) || to.origin === location.origin || e.formData || "
    "!e.cancelable) return;\n"
    "    e.preventDefault();\n"
    "    location.assign(here[0] + to.href);\n"
    "  });\n"
    "})();\n";

void sharc__serve_guard_headers(struct serve_call *c)
{
    sharc__serve_header(c, "Cross-Origin-Opener-Policy", SHARC_SPAN("same-origin"));
    if (!c->on_replay) return;
    sharc__serve_headerf(c, "Connection-Allowlist", "(response-origin \"%s\");redirects=allow", c->pages);
    sharc__serve_header(c, "Cross-Origin-Embedder-Policy", SHARC_SPAN("require-corp"));
}

struct sharc_span sharc__serve_guard_tag(const struct serve_call *c)
{
    static const char *const pages[] = {"document", "iframe", "frame", "embed", "object"};
    struct sharc_span to = sharc_http_request_header(c->request, "Sec-Fetch-Dest");
    /* That is sent over https and on loopback only; what browsers accept tells it elsewhere. */
    bool page = !to.p && sharc_span_search(sharc_http_request_header(c->request, "Accept"), SHARC_SPAN("text/html")) !=
                             SHARC_NPOS;
    for (size_t i = 0; i < SHARC_LENGTH(pages); i++) page |= sharc_span_is(to, pages[i]);
    return page ? SHARC_SPAN("<script src=\"/sharc-page.js\"></script>") : SHARC_SPAN_NONE;
}

void sharc__serve_guard_script(struct serve_call *c)
{
    sharc__serve_policy(c);
    sharc__serve_header(c, "Content-Type", SHARC_SPAN("text/javascript; charset=utf-8"));
    sharc__serve_header(c, "Cache-Control", SHARC_SPAN("max-age=3600"));
    sharc__serve_header(c, "X-Content-Type-Options", SHARC_SPAN("nosniff"));
    sharc_http_answer_borrow(c->answer, sharc_span(script, sizeof script - 1));
    c->size = sizeof script - 1;
}
