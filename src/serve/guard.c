/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said to browsers so that archived pages stay in the archive, beyond the Content-Security-Policy.
 *
 * Headers: Connection-Allowlist (Chromium since 152) covers what no policy does: WebRTC, windows that a script opens,
 * speculation rules, connections that are made before a policy is asked. Cross-Origin-Embedder-Policy and
 * -Opener-Policy keep archived scripts out of frames and windows in which there is an answer without our headers:
 * libmicrohttpd answers by itself when a request is too large for it.
 *
 * A script at the beginning of each page, for all other browsers: it takes WebRTC away, keeps cookies, storage and
 * channels in the page (those of all sites would be one: what a page leaves there, pages of other sites would read and
 * show), tells the bar when a page comes and goes, and leads pages that a script navigates to into the archive. Frames
 * that have no address of their own (srcdoc, empty ones that a script fills) share what the page around them keeps. A
 * page that wants to can get around the script, but not around the headers; what it leaves in the browser's own storage
 * no other page reads, and the names of other pages' channels and shared workers it cannot guess.
 */
#include "call.h"

static const char script[] =
    "\"use strict\";\n"
    "(() => {\n"
    "  const own = document.currentScript;\n"
    "  if (own) own.remove();\n"
    "  let outer = null; // the page that this frame is part of\n"
    "  try { if (location.protocol === \"about:\" && parent !== window && parent.document) outer = parent; } catch { "
    "}\n"
    "  const jar = new Map();\n"
    "  const gone = (part) => /^\\s*max-age\\s*=\\s*[-0]/i.test(part) ||\n"
    "    (/^\\s*expires\\s*=/i.test(part) && Date.parse(part.slice(part.indexOf(\"=\") + 1)) < Date.now());\n"
    "  const cookie = {\n"
    "    configurable: true, enumerable: true,\n"
    "    get() { return outer ? outer.document.cookie : [...jar].map(([name, value]) => name ? `${name}=${value}` : "
    "value).join(\"; \"); },\n"
    "    set(text) {\n"
    "      if (outer) { outer.document.cookie = text; return; }\n"
    "      const [pair, ...rest] = String(text).split(\";\"), at = pair.indexOf(\"=\");\n"
    "      const name = at < 0 ? \"\" : pair.slice(0, at).trim();\n"
    "      if (rest.some(gone)) jar.delete(name);\n"
    "      else jar.set(name, pair.slice(at + 1).trim());\n"
    "    },\n"
    "  };\n"
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
    "      get: (t, k) => Object.hasOwn(does, k) ? does[k] : k === \"length\" ? held.size : held.has(k) ? held.get(k) "
    ": t[k],\n"
    "      set: (t, k, v) => { if (typeof k === \"symbol\") t[k] = v; else held.set(k, String(v)); return true; },\n"
    "      has: (t, k) => held.has(k) || k in t,\n"
    "      deleteProperty: (t, k) => { held.delete(k); return true; },\n"
    "      ownKeys: () => [...held.keys()],\n"
    "      getOwnPropertyDescriptor: (t, k) => held.has(k) ? { value: held.get(k), writable: true, enumerable: true, "
    "configurable: true } : undefined,\n"
    "      defineProperty: (t, k, d) => { held.set(String(k), String(d.value)); return true; },\n"
    "    });\n"
    "  };\n"
    "  const kept = { localStorage: outer ? outer.localStorage : storage(), sessionStorage: outer ? "
    "outer.sessionStorage : storage() };\n"
    "  const key = crypto.getRandomValues(new Uint32Array(4)).join(\".\") + \" \";\n"
    "  const named = (Real) => class extends Real {\n"
    "    constructor(...a) { super(...a.length ? [key + a[0], ...a.slice(1)] : a); }\n"
    "    get name() { return super.name.slice(key.length); }\n"
    "  };\n"
    "  const shared = (Real) => class extends Real {\n"
    "    constructor(url, o) { super(url, typeof o === \"object\" && o ? { ...o, name: key + (o.name ?? \"\") } : key "
    "+ (o ?? \"\")); }\n"
    "  };\n"
    "  const channels = outer ? { BroadcastChannel: outer.BroadcastChannel, SharedWorker: outer.SharedWorker } : "
    "null;\n"
    "  const done = new WeakSet();\n"
    "  const keep = (w) => {\n"
    "    if (done.has(w)) return;\n"
    "    done.add(w);\n"
    "    for (const name of [\"RTCPeerConnection\", \"webkitRTCPeerConnection\", \"mozRTCPeerConnection\", "
    "\"cookieStore\", \"CookieStore\", \"indexedDB\", \"caches\",\n"
    "      \"webkitRequestFileSystem\", \"webkitResolveLocalFileSystemURL\", \"sharedStorage\"]) delete w[name];\n"
    "    for (const name of [\"storage\", \"storageBuckets\", \"locks\"]) delete w.Navigator.prototype[name];\n"
    "    Object.defineProperty(w.Document.prototype, \"cookie\", cookie);\n"
    "    for (const name of [\"localStorage\", \"sessionStorage\"])\n"
    "      Object.defineProperty(w, name, { configurable: true, enumerable: true, get: () => kept[name] });\n"
    "    for (const [name, f] of [[\"BroadcastChannel\", named], [\"SharedWorker\", shared]])\n"
    "      if (w[name]) Object.defineProperty(w, name, { configurable: true, writable: true, value: channels ? "
    "channels[name] : f(w[name]) });\n"
    "    const frame = w.HTMLIFrameElement.prototype;\n"
    "    for (const name of [\"contentWindow\", \"contentDocument\"]) {\n"
    "      const real = Object.getOwnPropertyDescriptor(frame, name);\n"
    "      Object.defineProperty(frame, name, { ...real, get() {\n"
    "        const got = real.get.call(this);\n"
    "        try { const inner = got && (name === \"contentWindow\" ? got : got.defaultView); if (inner && "
    "/^(?:about|blob):$/.test(inner.location.protocol)) keep(inner); } catch { }\n"
    "        return got;\n"
    "      } });\n"
    "    }\n"
    "    const tag = '<script src=\"/sharc-page.js\"></' + \"script>\", text = Object.getOwnPropertyDescriptor(frame, "
    "\"srcdoc\");\n"
    "    Object.defineProperty(frame, \"srcdoc\", { ...text,\n"
    "      get() { return text.get.call(this).replace(tag, \"\"); },\n"
    "      set(html) { text.set.call(this, tag + html); } });\n"
    "  };\n"
    "  keep(window);\n"
    "  let bar = false;\n"
    "  try { void parent.document; } catch { bar = parent === top; }\n"
    "  const tell = (what) => { if (bar) parent.postMessage({ sharc: what }, \"*\"); };\n"
    "  tell(\"here\");\n"
    "  const here = /^\\/(?:web|asof|near|coherent)\\/[^/]*\\/(?=https?:)/i.exec(new URL(document.baseURI).pathname);\n"
    "  if (window.navigation) navigation.addEventListener(\"navigate\", (e) => {\n"
    "    const to = new URL(e.destination.url);\n"
    "    if (!e.destination.sameDocument && e.downloadRequest === null) tell(\"left\");\n"
    "    if (!here || !/^https?:$/.test(to.protocol) || to.origin === location.origin || e.formData || !e.cancelable) "
    "return;\n"
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

struct sharc_span sharc__serve_guard_tag(const struct serve_call *c, bool xml)
{
    static const char *const pages[] = {"document", "iframe", "frame", "embed", "object"};
    struct sharc_span to = sharc_http_request_header(c->request, "Sec-Fetch-Dest");
    /* That is sent over https and on loopback only; what browsers accept tells it elsewhere. */
    bool page = !to.p && sharc_span_search(sharc_http_request_header(c->request, "Accept"), SHARC_SPAN("text/html")) !=
                             SHARC_NPOS;
    for (size_t i = 0; i < SHARC_LENGTH(pages); i++) page |= sharc_span_is(to, pages[i]);
    if (!page) return SHARC_SPAN_NONE;
    return xml ? SHARC_SPAN("<script xmlns=\"http://www.w3.org/1999/xhtml\" src=\"/sharc-page.js\"></script>")
               : SHARC_SPAN("<script src=\"/sharc-page.js\"></script>");
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
