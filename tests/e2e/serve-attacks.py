# SPDX-License-Identifier: Apache-2.0
"""serve-attacks.py PORT: a WARC on standard output of pages of http://127.0.0.1:PORT/ and http://localhost:PORT/ that attack
the bar above them, each other and the reader. Each is captured twice, the same both times."""
import gzip
import hashlib
import json
import sys

port = int(sys.argv[1])
site, other = 'http://127.0.0.1:%d' % port, 'http://localhost:%d' % port
count = 0


def response(path, body, kind='text/html', site=site):
    global count
    body = body if isinstance(body, bytes) else body.replace('SITE', site).replace('OTHER', other).encode()
    block = ('HTTP/1.1 200 OK\r\nContent-Type: %s\r\nLast-Modified: Sun, 01 Nov 2026 11:00:07 GMT\r\nDate: Sun, 01 Nov 2026 12:00:00 GMT\r\n\r\n' % kind).encode() + body
    for day in (1, 2):
        count += 1
        head = ['WARC/1.1', 'WARC-Type: response', 'WARC-Record-ID: <urn:x:%d>' % count, 'WARC-Date: 2026-11-%02dT12:00:00Z' % day,
                'WARC-Target-URI: ' + site + path, 'Content-Type: application/http; msgtype=response', 'Content-Length: %d' % len(block),
                'WARC-Payload-Digest: sha256:' + hashlib.sha256(body).hexdigest()]
        sys.stdout.buffer.write(gzip.compress('\r\n'.join(head).encode() + b'\r\n\r\n' + block + b'\r\n\r\n', mtime=0))


def page(path, body, **more):
    response(path, '<!doctype html><title>Attack</title><body><p>An archived page</p>' + body, **more)


# --- the bar: reached, spoken to, covered, copied ---------------------------------------------------
page('/bar.html', '''<pre id=out></pre><script>
const out = {}, tries = {
  read: () => parent.document.title,
  domain: () => { document.domain = document.domain; return parent.document.title; },
  write: () => { parent.document.body.innerHTML = "forged"; return "done"; },
  frames: () => parent.frames[1].document.title,
  script: () => { const s = parent.frames[1].document.createElement("script"); s.src = new URL("/web/20261101120000js_/SITE/top.js", location).href; parent.frames[1].document.head.append(s); return "done"; },
  opener: () => String(opener),
  top: () => { top.location = "SITE/leak-top"; return "done"; },
  parent: () => { parent.location.href = "SITE/leak-parent"; return "done"; },
  replace: () => { parent.location.replace("javascript:document.body.remove()"); return "done"; },
  hash: () => { top.location.hash = "forged"; return "done"; },
  close: () => { top.close(); return "done"; },
  frameElement: () => String(frameElement),
  ancestors: () => [...(location.ancestorOrigins ?? [])].length,
  full: () => { document.documentElement.requestFullscreen().then(() => (out.covered = true), () => {}); return "done"; },
  dialog: () => { alert("forged"); return confirm("forged"); },
  named: () => { window.name = "forged"; return String(window.open("SITE/leak-named", "_top")); },
};
for (const [name, f] of Object.entries(tries)) { try { out[name] = f(); } catch (e) { out[name] = "refused"; } }
for (const text of ["proven", { verdict: "proven" }, { sharc: "back" }, { sharc: { toString: 1 } }, null, 5, ["moved"], { wb_type: "load", url: "x", title: "forged" }])
  for (const to of [parent, top]) to.postMessage(text, "*");
for (let i = 0; i < 60; i++) history.pushState({}, "", "/web/20261101120000mp_/SITE/forged-" + i);
document.title = "✔ proven ".repeat(200000) + "\\u202e";
setTimeout(() => { document.querySelector("#out").textContent = JSON.stringify(out); }, 500);
</script>''')
response('/top.js', 'top.location = "SITE/leak-by-worker-frame"; top.name = "forged";', 'text/javascript')
page('/forged.html', '''<style>@media print { html { display: none } } #f { position: fixed; top: -9999px; inset-block-start: 0; left: 0; right: 0; height: 100vh; z-index: 2147483647; background: #fff }</style>
<header id=f class="bar v-proven"><span class=verdict>✔ proven</span> for 2001-01-01</header><script>
window.moveTo?.(0, 0); window.resizeTo?.(9999, 9999); scrollTo(0, 0); document.documentElement.scrollIntoView(); f.focus();</script>''')

# --- the page goes on before the bar could see it ---------------------------------------------------
page('/moves-at-once.html', '<script>location.replace("/next.html")</script>')
page('/moves-to-picture.html', '<script>location.replace("/red.svg")</script>')
page('/moves-raw.html', '<script>location.replace("/web/20261101120000id_/SITE/next.html")</script>')
page('/moves-by-link.html', '<script>const l = document.createElement("a"); l.href = "/web/20261101120000if_/SITE/next.html"; document.body.append(l); l.click()</script>')
response('/moves-by-refresh.html', '<!doctype html><title>Attack</title><meta http-equiv=refresh content="0;url=/next.html"><p>x')
page('/moves-slowly.html', '<script>addEventListener("load", () => setTimeout(() => location.assign("/next.html"), 50))</script>')
page('/stays.html', '<p id=x>x</p><script>location.hash = "x"; history.pushState({}, "", "#y"); history.replaceState({}, "", location.href);</script>')
page('/next.html', '<h1>next</h1>')
response('/red.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="red"/></svg>', 'image/svg+xml')

# --- what a click lets a page do ------------------------------------------------------------------
clicks = ['top.location = "SITE/leak-click-top"', 'parent.location.href = "SITE/leak-click-parent"', 'top.location.replace("data:text/html,<h1>forged")',
          'top.location = "javascript:document.title=\'forged\'"', 'window.open("SITE/leak-click-window")', 'window.open("SITE/leak-click-named", "_top")',
          'const f = document.createElement("form"); f.method = "post"; f.target = "_top"; f.action = "SITE/leak-click-form"; document.body.append(f); f.submit()',
          'const a = document.createElement("a"); a.target = "_top"; a.href = "SITE/leak-click-link"; a.ping = "SITE/leak-click-ping"; document.body.append(a); a.click()',
          'const a = document.createElement("a"); a.target = "_blank"; a.rel = "opener"; a.href = "SITE/leak-click-blank"; document.body.append(a); a.click()',
          'document.documentElement.requestFullscreen().then(() => parent.postMessage("covered", "*"), () => {})',
          'const w = window.open("PAGESview/web/20261101120000/SITE/next.html", "w"); setTimeout(() => { try { w.document.title = "forged" } catch (e) {} w.location = "SITE/leak-click-opened" }, 500)']
for i, text in enumerate(clicks):
    page('/click-%d.html' % i, '<style>html, body { height: 100%% }</style><script>const pages = document.referrer; document.addEventListener("click", () => { %s })</script>'
         % text.replace('PAGES', '" + (location.ancestorOrigins?.[0] ?? "") + "/'))
print(len(clicks), file=sys.stderr)

# --- sites among each other -----------------------------------------------------------------------
page('/poison.html', '''<pre id=out></pre><script>(async () => {
const f = document.createElement("iframe"); document.body.append(f); const w = f.contentWindow;
const cookie = Object.getOwnPropertyDescriptor(w.Document.prototype, "cookie");
const real = { local: w.localStorage ?? localStorage, session: w.sessionStorage ?? sessionStorage };
for (const s of [localStorage, sessionStorage, real.local, real.session]) try { s.setItem("news", "<h1>forged</h1>"); s.news2 = "forged"; } catch (e) {}
try { cookie.set.call(document, "tossed=1; path=/"); } catch (e) {}
document.cookie = "own=1";
try { const c = await (w.caches ?? caches).open("x"); await c.put("/news", new Response("forged")); } catch (e) {}
try { await new Promise((r, n) => { const q = (w.indexedDB ?? indexedDB).open("news", 1); q.onupgradeneeded = () => q.result.createObjectStore("s"); q.onsuccess = r; q.onerror = n; }); } catch (e) {}
for (const s of ["/web/20261101120000js_/SITE/sw.js", "/sw.js", "/sharc-page.js"]) try { await navigator.serviceWorker.register(s, { scope: "/" }); out.dataset.worker = s; } catch (e) {}
localStorage.own = "kept"; sessionStorage.setItem("own", "kept");
out.textContent = JSON.stringify({ own: localStorage.own, length: localStorage.length, key: localStorage.key(0), session: sessionStorage.getItem("own"), cookie: document.cookie, worker: out.dataset.worker ?? "refused" });
})()</script>''')
response('/sw.js', 'self.addEventListener("fetch", (e) => e.respondWith(new Response("forged")))', 'text/javascript')
page('/victim.html', '''<pre id=out></pre><script>(async () => {
const seen = { local: localStorage.getItem("news"), member: localStorage.news2 ?? null, session: sessionStorage.getItem("news"), cookie: document.cookie, own: localStorage.own ?? null, length: localStorage.length };
try { seen.cached = await (await caches.match("/news"))?.text() ?? null; } catch (e) { seen.cached = null; }
try { seen.databases = (await indexedDB.databases()).length; } catch (e) { seen.databases = 0; }
try { seen.fetched = await (await fetch("/news.txt")).text(); } catch (e) { seen.fetched = "failed"; }
out.textContent = JSON.stringify(seen);
})()</script>''', site=other)
response('/news.txt', 'the true news', 'text/plain', site=other)
page('/storage.html', '''<pre id=out></pre><script>
localStorage.setItem("a", 1); localStorage.b = "two"; localStorage["c"] = "three"; localStorage.removeItem("c"); delete localStorage.d;
out.textContent = JSON.stringify({ a: localStorage.a, b: localStorage.getItem("b"), c: localStorage.getItem("c"), none: localStorage.nothing === undefined, length: localStorage.length,
  keys: Object.keys(localStorage).sort().join(), has: "a" in localStorage, kind: localStorage instanceof Storage, json: JSON.stringify(localStorage), cleared: (localStorage.clear(), localStorage.length) });
</script>''')

# --- pages that are open at the same time; frames and kinds of pages that scripts of ours might miss ---
shared = 'let n = 0; onconnect = (e) => { const p = e.ports[0]; p.onmessage = (m) => { if (m.data === "set") n++; p.postMessage(n); }; };'
page('/speaks.html', '''<pre id=out></pre><script>(async () => {
const f = document.createElement("iframe"); document.body.append(f); const w = frames[0], out = {};
for (const C of [BroadcastChannel, w.BroadcastChannel, Object.getPrototypeOf(BroadcastChannel)]) try { new C("news").postMessage("forged"); } catch (e) {}
for (const W of [SharedWorker, w.SharedWorker]) for (const u of ["/shared.js", "/web/20261101120000js_/OTHER/shared.js", "/web/20261101120000js_/SITE/shared.js"]) for (const o of [undefined, "s"]) try {
  const s = new W(u, o); s.port.start(); s.port.postMessage("set"); } catch (e) {}
document.querySelector("#out").textContent = JSON.stringify({ sent: true });
})()</script>''')
for host in (site, other):
    response('/shared.js', shared, 'text/javascript', site=host)
page('/listens.html', '''<pre id=out></pre><script>
const seen = { heard: [], own: [], name: "", worker: null };
const a = new BroadcastChannel("news"), b = new BroadcastChannel("news"), s = new SharedWorker("/shared.js", "s");
a.onmessage = (e) => seen.heard.push(e.data); b.onmessage = (e) => seen.own.push(e.data);
seen.name = a.name; a.postMessage("mine");
s.port.onmessage = (e) => { seen.worker = e.data; }; s.port.start();
window.tell = () => { s.port.postMessage("ask"); return seen; };
document.querySelector("#out").textContent = "{}";
</script>''', site=other)
inner = 'localStorage.setItem(\'left\', \'forged\'); document.cookie = \'left=1\'; '
look = 'JSON.stringify({ left: localStorage.getItem("left"), cookie: document.cookie, databases: typeof indexedDB, files: typeof navigator.storage })'
page('/frames.html', '<pre id=out></pre><iframe srcdoc="<script>%s</script>"></iframe><script>addEventListener("load", () => { const f = document.createElement("iframe"); '
     'document.body.append(f); f.contentWindow.localStorage.empty = "shared"; const g = document.createElement("iframe"); g.srcdoc = "<script>localStorage.made = 1</" + "script>"; '
     'g.onload = () => { out.textContent = JSON.stringify({ ...JSON.parse(%s), empty: localStorage.empty, made: localStorage.made, doc: g.srcdoc.length }); }; document.body.append(g); })</script>'
     % (inner, look))
for host in (site, other): # each leaves something, and says what it finds
    for path, kind in (('/page.xhtml', 'application/xhtml+xml'), ('/picture.svg', 'image/svg+xml')):
        script = '<script xmlns="http://www.w3.org/1999/xhtml"><![CDATA[const had = %s; %s document.documentElement.setAttribute("data-out", had);]]></script>' % (look, inner)
        response(path, '<?xml version="1.0"?>' + ('<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>%s</body></html>'
                 if 'xhtml' in kind else '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">%s</svg>') % script, kind, site=host)
    page('/srcdoc.html', "<pre id=out></pre><iframe srcdoc='<script>parent.out.textContent = %s; %s</script>'></iframe>" % (look, inner.replace("'", '"')), site=host)

# --- names for the web interface ------------------------------------------------------------------
word = 'long' * 300
for path in ('/%3Cimg%20src=x%20onerror=pwned=1%3E', '/=cmd%7C%27calc%27!A1', '/' + word, '/%E2%80%AEgnp.exe', '/%22%3E%3Cscript%3Epwned=1%3C/script%3E?q=\'"`{{7*7}}'):
    page(path, '<p>%s<p>%s' % ('x' * 20, ' '.join(['word'] * 30)), site='http://names.example')
