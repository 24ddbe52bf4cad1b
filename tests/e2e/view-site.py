# SPDX-License-Identifier: Apache-2.0
"""view-site.py PORT [more] [PATH...]: a WARC on standard output of a site at http://127.0.0.1:PORT/ and http://localhost:PORT/
(another origin) that only an exact replay shows as it was: scripts that make addresses, workers of all kinds, cookies,
compressed bodies, integrity, policies, clocks. /leaks.html tries in every way to reach that address again.
/plain.html and /frames.html can be shown by a rewriting replay, too. With more, also
pages that try other ways out, and one known by its colour. With paths, only what lies there."""
import base64, gzip, hashlib, json, struct, sys, zlib

port = int(sys.argv[1])
more = 'more' in sys.argv[2:]
only = [a for a in sys.argv[2:] if a != 'more']
site, other = 'http://127.0.0.1:%d' % port, 'http://localhost:%d' % port
count = 0


def record(kind, url, when, block, content_type, *fields):
    global count
    if only and url.split('/', 3)[3] not in only:
        return ''
    count += 1
    name = '<urn:x:%d>' % count
    head = ['WARC/1.1', 'WARC-Type: ' + kind, 'WARC-Record-ID: ' + name, 'WARC-Date: ' + when,
            'WARC-Target-URI: ' + url, 'Content-Type: ' + content_type, 'Content-Length: %d' % len(block), *fields]
    sys.stdout.buffer.write(gzip.compress('\r\n'.join(head).encode() + b'\r\n\r\n' + block + b'\r\n\r\n', mtime=0))
    return name


def response(path, kind, body, *fields, status='200 OK', when='2026-11-01T12:00:00Z', at=site):
    body = body if isinstance(body, bytes) else body.encode()
    head = '\r\n'.join(['HTTP/1.1 ' + status, *(['Content-Type: ' + kind] if kind else []), *fields])
    return record('response', at + path, when, head.encode('latin-1') + b'\r\n\r\n' + body,
                  'application/http; msgtype=response', 'WARC-Payload-Digest: sha256:' + hashlib.sha256(body).hexdigest())


def png(red, green, blue, size=8):
    def chunk(name, data):
        return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
    rows = (b'\0' + bytes((red, green, blue)) * size) * size
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', size, size, 8, 2, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def wav(seconds):
    data = bytes(128 + (i * 7 % 20) for i in range(8000 * seconds))
    return (b'RIFF' + struct.pack('<I', 36 + len(data)) + b'WAVEfmt ' + struct.pack('<IHHIIHH', 16, 1, 1, 8000, 8000, 1, 8) +
            b'data' + struct.pack('<I', len(data)) + data)


exact_js = '''
const out = {};
const hear = (port, f) => new Promise((r) => { port.onmessage = (e) => r(e.data); f && f(); });
const text = async (url, init) => { const r = await fetch(url, init); return r.ok ? r.text() : "status " + r.status; };
(async () => {
  out.clock = [Date.now(), new Date().toISOString(), Date(), new Intl.DateTimeFormat("en", {timeZone: "UTC"}).format()].map((x) => typeof x === "string" && x.startsWith("Sun") ? x.slice(0, 15) : x);
  out.origin = performance.timeOrigin;
  out.dates = new Date() instanceof Date && new Date(0).getTime() === 0 && Date.prototype.constructor === Date;
  out.chance = Math.random();
  out.uuid = crypto.randomUUID ? crypto.randomUUID() : "none";
  out.location = location.href === "SITE/exact.html" && document.domain === "127.0.0.1";
  out.cookies = document.cookie;
  out.made = await text("SITE/made/" + [1, 2].join("-") + ".txt");
  out.far = await text("OTHER/data.txt");
  out.preflight = await text("OTHER/data.txt", {headers: {"X-Asks": "1"}});
  out.told = (await fetch("/told.txt")).headers.get("X-Told");
  out.posted = await text("/api/form", {method: "POST", body: new URLSearchParams({q: "roses"})});
  out.other = await text("/api/form", {method: "POST", body: new URLSearchParams({q: "thorns"})});
  out.range = await text("/sound.wav", {headers: {Range: "bytes=8-11"}});
  out.beyond = (await fetch("/sound.wav", {headers: {Range: "bytes=99999999-"}})).status;
  out.moved = (await fetch("/moved")).url.slice("SITE".length);
  out.missing = (await fetch("/nowhere.txt")).status;
  out.claims = await text("/claims.txt");
  const w = new Worker("/worker.js");
  out.worker = await hear(w);
  const s = new SharedWorker("/shared.js");
  out.shared = await hear(s.port);
  const frame = document.querySelector("#far");
  out.frame = await new Promise((r) => { onmessage = (e) => r(e.data); frame.src = "OTHER/frame.html"; });
  await navigator.serviceWorker.register("/sw.js");
  await navigator.serviceWorker.ready;
  await new Promise((r) => { if (navigator.serviceWorker.controller) r(); else navigator.serviceWorker.oncontrollerchange = r; });
  out.service = await text("/from-service-worker");
  out.through = await text("/made/1-2.txt?through");
  out.audio = await new Promise((r) => { const a = new Audio("/sound.wav"); a.onloadedmetadata = () => r(a.duration); a.onerror = () => r("error"); });
  out.size = document.querySelector("#img").naturalWidth;
  out.styled = getComputedStyle(document.querySelector("h1")).color;
  out.inline = window.inline || "blocked by the policy";
  document.querySelector("#out").textContent = JSON.stringify(out, null, 1);
})().catch((e) => { document.querySelector("#out").textContent = "failed after " + JSON.stringify(out) + ": " + e; });
'''.replace('SITE', site).replace('OTHER', other)

style = 'h1 { color: rgb(0, 102, 51) } body { font-family: sans-serif }'
integrity = 'sha256-' + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
policy = "Content-Security-Policy: script-src 'self' %s; worker-src 'self'" % other
response('/exact.html', 'text/html', '''<!doctype html><title>Exact</title><link rel=stylesheet href=/style.css integrity="%s" crossorigin>
<h1>Exact</h1><img id=img src=/red.png><iframe id=far></iframe><pre id=out></pre>
<script>window.inline = "ran"</script><script src=/exact.js></script>''' % integrity,
         policy, 'Set-Cookie: a=1; Path=/', 'Set-Cookie: b=2; Path=/')
response('/exact.js', 'text/javascript', gzip.compress(exact_js.encode(), mtime=0), 'Content-Encoding: gzip')
response('/style.css', 'text/css', style)
response('/red.png', 'image/png', png(200, 0, 0))
response('/made/1-2.txt', 'text/plain', 'made by a script')
response('/data.txt', 'text/plain', 'of another origin', at=other)
response('/told.txt', 'text/plain', 'told', 'X-Told: caf\xe9', 'X-Told: twice')
response('/claims.txt', 'text/plain', 'says gzip and is none', 'Content-Encoding: gzip')
response('/sound.wav', 'audio/wav', wav(30))
response('/moved', None, '', 'Location: /moved/on', status='302 Found')
response('/moved/on', None, '', 'Location: /made/1-2.txt', status='301 Moved')
response('/worker.js', 'text/javascript', 'fetch("made/1-2.txt").then((r) => r.text()).then((t) => postMessage([t, Date.now()]));')
response('/shared.js', 'text/javascript', 'onconnect = (e) => fetch("made/1-2.txt").then((r) => r.text()).then((t) => e.ports[0].postMessage([t, Date.now()]));')
response('/sw.js', 'text/javascript', '''oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim());
onfetch = (e) => { const u = new URL(e.request.url);
  if (u.pathname === "/from-service-worker") e.respondWith(new Response("by the service worker at " + Date.now()));
  if (u.search === "?through") e.respondWith(fetch("/made/1-2.txt")); };''')
response('/frame.html', 'text/html', '<p>in a frame</p><script>parent.postMessage([location.origin, Date.now()], "*")</script>', at=other)
form = response('/api/form', 'text/plain', 'red roses')
record('request', site + '/api/form', '2026-11-01T12:00:00Z',
       b'POST /api/form HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nq=roses',
       'application/http; msgtype=request', 'WARC-Concurrent-To: ' + form)

# --- pages that any replay can show --------------------------------------------------------------
for day in (1, 11):
    when = '2026-11-%02dT12:00:00Z' % day
    response('/plain.html', 'text/html; charset=windows-1252', b'<!doctype html><title>Plain</title><link rel=stylesheet href=/style.css>'
             b'<h1>Pl\xe4in %d</h1><p>Some text, <b>bold</b> and <i>slanted</i>.</p><img src=/red.png srcset="/green.png 2x">'
             b'<script src=/plain.js></script><a href=/frames.html>frames</a><img src=/lost.png>'
             b'<div style="height: 3000px"></div><img loading=lazy src=/lazy.png><p>The end</p>' % day, when=when)
    response('/day.txt', 'text/plain', 'day %d' % day, when=when)
response('/plain.js', 'text/javascript', 'document.write("<p>written</p>"); fetch("/day.txt").then((r) => r.text()).then((t) => '
         '{ const p = document.createElement("p"); p.textContent = "it is " + t; document.body.prepend(p); });')
green = response('/green.png', 'image/png', png(0, 200, 0))
response('/lazy.png', 'image/png', png(0, 0, 200, 40))
record('revisit', site + '/red.png', '2026-11-11T12:00:01Z', b'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n',
       'application/http; msgtype=response', 'WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
       'WARC-Refers-To-Target-URI: ' + site + '/red.png', 'WARC-Refers-To-Date: 2026-11-01T12:00:00Z',
       'WARC-Payload-Digest: sha256:' + hashlib.sha256(png(200, 0, 0)).hexdigest())
response('/frames.html', 'text/html', '<!doctype html><title>Frames</title><h1>Frames</h1><iframe src=/inner.html></iframe>'
         '<iframe src="%s/outer.html"></iframe><iframe srcdoc="&lt;p&gt;in the document&lt;/p&gt;&lt;img src=/red.png&gt;"></iframe>' % other)
response('/inner.html', 'text/html', '<p>inner</p><img src=green.png>')
response('/outer.html', 'text/html', '<p>outer</p><style>p { background: url(/dot.png) }</style>', at=other)
response('/dot.png', 'image/png', png(9, 9, 9), at=other)
response('/forever.html', 'text/html', '<!doctype html><title>Forever</title><h1>Forever</h1><script>setInterval(() => fetch("/made/1-2.txt?" + Math.random()), 100)</script>')
response('/again.html', 'text/html', '<!doctype html><title>Again</title><h1>Again</h1><script>setTimeout(() => location.reload(), 100)</script>')
response('/odd.html', 'text/html', '<!doctype html><title>Odd</title><h1>Odd</h1><script>const t = Date.now(); while (Date.now() < t + 500); '
         'document.write("<p>waited</p>"); alert("x"); document.write("<p>" + confirm("y") + "</p>")</script>',
         'Bad Name: x', 'X-Odd: \x01', status='999 Odd')
response('/hangs.html', 'text/html', '<!doctype html><title>Hangs</title><h1>Hangs</h1><script>for (;;);</script>')
response('/dir/', 'text/html', '<title>Dir</title><p>relative <img src=red.png></p>')
response('/dir/red.png', 'image/png', png(200, 0, 0))
response('/paper.html', 'text/html', '<p>to be kept</p>', 'Content-Disposition: attachment; filename=paper.html')
response('/attached', 'application/octet-stream', 'bytes', 'Content-Disposition: attachment; filename=x.bin')

# --- and one that wants out ---------------------------------------------------------------------------
leaks = '''
const site = "SITE", ws = site.replace("http", "ws"), host = "127.0.0.1:%d";
const tries = [
  () => { new Image().src = site + "/leak-script-image"; },
  () => fetch(site + "/leak-fetch", {mode: "no-cors"}),
  () => fetch(site + "/leak-keepalive", {mode: "no-cors", keepalive: true, method: "POST", body: "x"}),
  () => { const x = new XMLHttpRequest(); x.open("GET", site + "/leak-xhr", false); x.send(); },
  () => navigator.sendBeacon(site + "/leak-beacon", "x"),
  () => { new WebSocket(ws + "/leak-socket"); },
  () => { new Worker(URL.createObjectURL(new Blob(["new WebSocket('" + ws + "/leak-worker-socket'); fetch('" + site + "/leak-worker-fetch', {mode: 'no-cors'}); new Worker(URL.createObjectURL(new Blob([`fetch('" + site + "/leak-nested', {mode: 'no-cors'})`])))"]))); },
  () => { new EventSource(site + "/leak-events"); },
  () => import(site + "/leak-import.js"),
  () => { const f = document.createElement("iframe"); f.src = site + "/leak-frame"; document.body.append(f); },
  () => { const f = document.createElement("iframe"); f.src = site.replace("http", "https") + "/leak-tls"; document.body.append(f); },
  () => { const f = document.createElement("form"); f.action = site + "/leak-form"; f.method = "post"; f.target = "frame2"; const i = document.createElement("iframe"); i.name = "frame2"; document.body.append(i, f); f.submit(); },
  () => { const v = document.createElement("video"); v.src = site + "/leak-video"; document.body.append(v); },
  () => { const a = document.createElement("a"); a.href = "#x"; a.ping = site + "/leak-ping"; document.body.append(a); a.click(); },
  () => { for (const rel of ["preconnect", "dns-prefetch", "prefetch", "preload", "prerender", "modulepreload", "icon", "manifest"]) { const l = document.createElement("link"); l.rel = rel; l.as = "image"; l.href = site + "/leak-" + rel; document.head.append(l); } },
  () => { const s = document.createElement("script"); s.type = "speculationrules"; s.textContent = JSON.stringify({prerender: [{urls: [site + "/leak-speculation"]}]}); document.head.append(s); },
  () => { window.open(site + "/leak-popup"); window.open("about:blank").location = site + "/leak-popup-later"; },
  async () => { const p = new RTCPeerConnection({iceServers: [{urls: ["stun:" + host, "turn:" + host + "?transport=tcp", "turn:" + host + "?transport=udp"], username: "u", credential: "c"}]}); p.createDataChannel("x"); await p.setLocalDescription(await p.createOffer()); },
  async () => { const p = new RTCPeerConnection(); p.createDataChannel("x"); await p.setLocalDescription(await p.createOffer()); await p.setRemoteDescription({type: "answer", sdp: p.localDescription.sdp.replace("setup:actpass", "setup:active") }); await p.addIceCandidate({candidate: "candidate:1 1 udp 2122260223 127.0.0.1 %d typ host", sdpMLineIndex: 0}); await p.addIceCandidate({candidate: "candidate:2 1 tcp 2122260223 127.0.0.1 %d typ host tcptype passive", sdpMLineIndex: 0}); },
  async () => { const t = new WebTransport("https://" + host + "/leak-transport"); await t.ready; },
  () => navigator.serviceWorker.register("/leak-sw.js"),
  () => { new SharedWorker(URL.createObjectURL(new Blob(["fetch('" + site + "/leak-shared', {mode: 'no-cors'})"]))); },
  () => { new BroadcastChannel("x"); new Notification("x", {icon: site + "/leak-icon"}); },
  async () => { const f = document.createElement("iframe"); f.src = "/" + "x".repeat(200000); document.body.append(f);
    await new Promise((r) => (f.onload = f.onerror = r)); f.contentWindow.eval("fetch('" + site + "/leak-long-frame', {mode: 'no-cors'})"); },
  async () => { const w = window.open("/" + "y".repeat(200000)); await new Promise((r) => setTimeout(r, 1000)); w.eval("fetch('" + site + "/leak-long-window', {mode: 'no-cors'})"); },
  async () => { const w = window.open("/robots.txt"); await new Promise((r) => setTimeout(r, 1000)); w.eval("fetch('" + site + "/leak-plain-window', {mode: 'no-cors'})"); },
  () => { const s = document.createElement("script"); s.type = "speculationrules"; s.textContent = JSON.stringify({prefetch: [{urls: [site + "/leak-speculation-prefetch"]}]}); document.head.append(s); },
  () => { new Worker(URL.createObjectURL(new Blob(["import '" + site + "/leak-module.js'"], {type: "text/javascript"})), {type: "module"}); },
  () => { const f = document.createElement("iframe"); f.src = "javascript:void fetch('" + site + "/leak-javascript', {mode: 'no-cors'})"; document.body.append(f); },
  () => { const f = document.createElement("iframe"); f.src = "data:text/html,<img src='" + site + "/leak-data-frame'><script>fetch('" + site + "/leak-data-script', {mode: 'no-cors'})<" + "/script>"; document.body.append(f); },
  () => { document.body.insertAdjacentHTML("beforeend", "<svg><image href='" + site + "/leak-svg-image'/><use href='" + site + "/leak-use#x'/></svg><fencedframe src='" + site + "/leak-fenced'></fencedframe><portal src='" + site + "/leak-portal'></portal><object data='" + site + "/leak-object'></object><embed src='" + site + "/leak-embed'><img attributionsrc='" + site + "/leak-attribution'><video poster='" + site + "/leak-poster'></video>"); },
  () => { const s = document.createElement("style"); s.textContent = "@import '" + site + "/leak-import.css'; @font-face { font-family: x; src: url(" + site + "/leak-font) } body { font-family: x; background: url(" + site + "/leak-background) }"; document.head.append(s); },
  () => { const f = document.createElement("iframe"); f.src = "/page.xml"; document.body.append(f); },
  () => { const a = document.createElement("a"); a.href = site + "/leak-download"; a.download = "x"; document.body.append(a); a.click(); },
];
const beat = setInterval(() => fetch("/made/1-2.txt"), 100); // not at rest before all was tried
(async () => {
  for (const t of tries) { try { await Promise.race([t(), new Promise((r) => setTimeout(r, 200))]); } catch (e) {} }
  await new Promise((r) => setTimeout(r, 1500));
  clearInterval(beat);
  document.title = document.querySelector("#out").textContent = "tried " + tries.length;
})();
'''.replace('SITE', site) % (port, port, port)
response('/leaks.html', 'text/html', '<!doctype html><title>Leaks</title><link rel=preconnect href="%s"><pre id=out></pre><script>%s</script>' % (site, leaks))
response('/page.xml', 'application/xml', '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="%s/leak.xsl"?><!DOCTYPE x SYSTEM "%s/leak.dtd"><x/>' % (site, site))
if not more:
    sys.exit()
# --- more: what a page itself and the head of its answer name, pages that go away, one that is known by its colour ----------
response('/leaks-static.html', 'text/html', """<!doctype html><title>Leaks</title><base href="SITE/"><meta http-equiv=x-dns-prefetch-control content=on>
<link rel=preconnect href="SITE"><link rel=dns-prefetch href="SITE"><link rel=prefetch href="SITE/leak-prefetch"><link rel=preload as=image href="SITE/leak-preload">
<link rel=icon href="SITE/leak-icon.png"><link rel=manifest href="SITE/leak.webmanifest"><link rel=prerender href="SITE/leak-prerender">
<script type=speculationrules>{"prefetch": [{"urls": ["SITE/leak-static-speculation"]}], "prerender": [{"urls": ["leak-static-prerender"]}]}</script>
<script type=importmap>{"imports": {"x": "SITE/leak-mapped.js"}}</script><script type=module>import "x"</script>
<a id=a href="#here" ping="SITE/leak-ping">x</a><form id=f action="SITE/leak-form" method=post target=t></form><iframe name=t></iframe>
<svg><image href="SITE/leak-svg"/></svg><iframe srcdoc="&lt;img src='SITE/leak-srcdoc'&gt;&lt;meta http-equiv=refresh content='0;url=SITE/leak-srcdoc-refresh'&gt;"></iframe>
<script>a.click(); f.submit(); setTimeout(() => { document.title = "tried" }, 1500)</script>""".replace('SITE', site),
         'Link: <%s/leak-link>; rel=preload; as=image, <%s>; rel=preconnect' % (site, site), 'Refresh: 1; url=%s/leak-refresh-header' % site,
         'Reporting-Endpoints: default="%s/leak-report"' % site, 'NEL: {"report_to": "default", "max_age": 100, "success_fraction": 1}',
         'Report-To: {"group": "default", "max_age": 100, "endpoints": [{"url": "%s/leak-report-to"}]}' % site,
         'Content-Security-Policy-Report-Only: default-src \'none\'; report-uri %s/leak-csp' % site,
         'Speculation-Rules: "%s/leak-rules.json"' % site, 'SourceMap: %s/leak.map' % site)
for name, go in (('location', 'location.href = "%s/leak-location"' % site), ('refresh', 'document.head.insertAdjacentHTML("beforeend", `<meta http-equiv=refresh content="0;url=%s/leak-made-refresh">`)' % site),
                 ('rtc', 'const f = document.createElement("iframe"); document.body.append(f); const p = new f.contentWindow.RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:%d"}]}); '
                         'p.createDataChannel("x"); p.createOffer().then((o) => p.setLocalDescription(o))' % port)):
    response('/leaks-%s.html' % name, 'text/html', '<!doctype html><title>Leaks</title><p>x<script>setTimeout(() => { %s }, 300)</script>' % go)
response('/window.html', 'text/html', '<!doctype html><title>Window</title><body style="background: rgb(18, 171, 52)">')
