# SPDX-License-Identifier: Apache-2.0
"""serve-site.py PORT: a WARC on standard output of a site at http://127.0.0.1:PORT/ whose pages have
all that makes replay hard, and try in every way to reach that address again. Two versions of
its first page, ten days apart, and revisits."""
import gzip
import hashlib
import json
import struct
import sys
import zlib

port = int(sys.argv[1])
site = 'http://127.0.0.1:%d' % port
other = 'http://localhost:%d' % port
count = 0


def record(kind, url, day, block, content_type, *fields):
    global count
    count += 1
    name = '<urn:x:%d>' % count
    head = ['WARC/1.1', 'WARC-Type: ' + kind, 'WARC-Record-ID: ' + name, 'WARC-Date: 2026-11-%02dT12:00:00Z' % day,
            'WARC-Target-URI: ' + url, 'Content-Type: ' + content_type, 'Content-Length: %d' % len(block), *fields]
    sys.stdout.buffer.write(gzip.compress('\r\n'.join(head).encode() + b'\r\n\r\n' + block + b'\r\n\r\n', mtime=0))
    return name


def response(path, kind, body, *fields, status='200 OK', day=1, site=site):
    body = body if isinstance(body, bytes) else body.encode()
    head = '\r\n'.join(['HTTP/1.1 ' + status, 'Content-Type: ' + kind, *fields])
    return record('response', site + path, day, head.encode() + b'\r\n\r\n' + body, 'application/http; msgtype=response',
                  'WARC-Payload-Digest: sha256:' + hashlib.sha256(body).hexdigest())


def png(red, green, blue):
    def chunk(name, data):
        return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
    rows = (b'\0' + bytes((red, green, blue)) * 8) * 8
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 8, 8, 8, 2, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def wav(seconds):
    data = bytes(128 + (i * 7 % 20) for i in range(8000 * seconds))
    return (b'RIFF' + struct.pack('<I', 36 + len(data)) + b'WAVEfmt ' + struct.pack('<IHHIIHH', 16, 1, 1, 8000, 8000, 1, 8) +
            b'data' + struct.pack('<I', len(data)) + data)


def page(version):
    return '''<!doctype html><html><head><title>Version %s</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<meta name=referrer content=no-referrer>
<link rel=preconnect href="SITE"><link rel=dns-prefetch href="SITE"><link rel=prefetch href="SITE/leak-prefetch">
<link rel=stylesheet href="/style.css" integrity="sha256-AAAA">
<script type=importmap>{"imports": {"tool": "/js/tool.js"}}</script>
</head><body><h1>Version %s</h1>
<img id=img src="SITE/red.png"><img id=set srcset="/green.png 1x, /big.png 2x"><img id=lost src="SITE/leak-image.png">
<iframe id=frame src="/frame.html"></iframe><iframe id=doc srcdoc="&lt;img src='SITE/red.png'&gt;"></iframe>
<audio id=audio src="/sound.wav" preload=auto></audio>
<a id=next href="next.html?a=1&amp;b=2">next</a> <a id=far href="OTHER/far.html">far</a> <a id=moved href="/moved">moved</a>
<a id=gone href="/gone.html">gone</a> <a id=here href="#out">here</a> <a id=self target=_self href="next.html?a=1&amp;b=2">self</a>
<div id=out></div>
<script>window.inline = 'ran'</script><script src="js/app.js"></script><script type=module src="/js/module.js"></script>
</body></html>'''.replace('SITE', site).replace('OTHER', other) % (version, version)


# Each of these would be seen by whoever listens at the original address.
leaks = '''
const site = "%s";
const tries = [
  () => { new Image().src = site + "/leak-script-image"; },
  () => fetch(site + "/leak-fetch", {mode: "no-cors"}),
  () => { const x = new XMLHttpRequest(); x.open("GET", site + "/leak-xhr"); x.send(); },
  () => navigator.sendBeacon(site + "/leak-beacon", "x"),
  () => { new WebSocket(site.replace("http", "ws") + "/leak-socket"); },
  () => { new EventSource(site + "/leak-events"); },
  () => { new Worker(site + "/leak-worker"); },
  () => import(site + "/leak-import.js"),
  () => { const s = document.createElement("script"); s.src = site + "/leak-script.js"; document.head.append(s); },
  () => { const l = document.createElement("link"); l.rel = "stylesheet"; l.href = site + "/leak.css"; document.head.append(l); },
  () => { const f = document.createElement("iframe"); f.src = site + "/leak-frame"; document.body.append(f); },
  () => { const f = document.createElement("form"); f.action = site + "/leak-form"; f.method = "post"; f.target = "frame2"; const i = document.createElement("iframe"); i.name = "frame2"; document.body.append(i, f); f.submit(); },
  () => { const v = document.createElement("video"); v.src = site + "/leak-video"; document.body.append(v); },
  () => { const o = document.createElement("object"); o.data = site + "/leak-object"; document.body.append(o); },
  () => { const f = new FontFace("leak", "url(" + site + "/leak-font)"); f.load().catch(() => {}); },
  () => { document.body.style.background = "url(" + site + "/leak-style-image)"; },
  () => { const a = document.createElement("a"); a.href = "#x"; a.ping = site + "/leak-ping"; document.body.append(a); a.click(); },
  () => { document.body.insertAdjacentHTML("beforeend", "<img src='" + site + "/leak-html'>"); },
];
''' % site

app = leaks + '''
(async () => {
  const out = {};
  out.relative = (await (await fetch("data.json")).json()).say;
  out.rooted = (await (await fetch("/api/data.json?x=1")).json()).say;
  out.posted = await (await fetch("/api/form", {method: "POST", body: new URLSearchParams({q: "roses"})})).text();
  out.other = (await fetch("/api/form", {method: "POST", body: new URLSearchParams({q: "thorns"})})).status;
  out.xhr = await new Promise((r) => { const x = new XMLHttpRequest(); x.open("GET", "/api/data.json?x=1"); x.onload = () => r(JSON.parse(x.responseText).say); x.onerror = () => r("error"); x.send(); });
  out.image = await new Promise((r) => { const i = new Image(); i.onload = () => r(i.naturalWidth); i.onerror = () => r(-1); i.src = "/green.png"; });
  out.imported = (await import("/js/near.js")).near;
  out.thread = await new Promise((r) => { const w = new Worker("/js/thread.js"); w.onmessage = (e) => r(e.data); w.onerror = () => r("error"); });
  out.range = await (await fetch("/sound.wav", {headers: {Range: "bytes=0-3"}})).text();
  for (const t of tries) { try { await Promise.race([t(), new Promise((r) => setTimeout(r, 300))]); } catch (e) {} }
  try { await navigator.serviceWorker.register("/sw.js"); out.worker = "registered"; } catch (e) { out.worker = "refused"; }
  await new Promise((r) => setTimeout(r, 500));
  document.getElementById("out").textContent = JSON.stringify(out);
})();
'''

response('/', 'text/html', page('one'), 'Set-Cookie: tracked=1', "Content-Security-Policy: default-src 'none'", day=1)
response('/', 'text/html', page('two'), day=11)
response('/style.css', 'text/css', '@import "more.css"; body { background-image: url(/green.png) } h1 { color: rgb(0, 102, 51) }'
         ' #lost { background: url(%s/leak-style) }' % site)
response('/more.css', 'text/css', 'h1 { font-style: italic }')
response('/red.png', 'image/png', png(200, 0, 0))
green = response('/green.png', 'image/png', png(0, 200, 0))
response('/big.png', 'image/png', png(0, 200, 0))
response('/sound.wav', 'audio/wav', wav(60))
response('/frame.html', 'text/html', '<p id=inner>inside</p><a href=next.html id=inner-link>next</a><script>document.title = top === self ? "top" : "framed"</script>')
response('/js/app.js', 'text/javascript', app)
response('/js/module.js', 'text/javascript', 'import {tool} from "tool"; import {near} from "./near.js"; window.modules = tool + near;')
response('/js/tool.js', 'text/javascript', 'export const tool = "tool ";')
response('/js/near.js', 'text/javascript', 'export const near = "near";')
response('/js/thread.js', 'text/javascript', 'fetch("/api/data.json?x=1").then((r) => r.json()).then((j) => postMessage(j.say), (e) => postMessage(String(e)));')
response('/strays.html', 'text/html', """<title>Strays</title><div id=out></div><script>(async () => {
  const out = {};
  out.quiet = (await fetch("/api/data.json?x=1", {referrerPolicy: "no-referrer"})).status;
  out.posted = await (await fetch("/api/form", {method: "POST", referrerPolicy: "no-referrer", body: new URLSearchParams({q: "roses"})})).text();
  out.image = await new Promise((r) => { const i = new Image(); i.referrerPolicy = "no-referrer"; i.onload = () => r(i.naturalWidth); i.onerror = () => r(-1); i.src = "/green.png"; });
  out.away = await fetch("%s/leak-stray").then((r) => r.status, () => "refused");
  out.controlled = !!navigator.serviceWorker.controller;
  document.getElementById("out").textContent = JSON.stringify(out);
})()</script>""" % site)
response('/refresh.html', 'text/html', '<title>Refresh</title><meta http-equiv=refresh content="0; url=%s/next.html?a=1&amp;b=2">' % site)
response('/form.html', 'text/html', '<title>Form</title><form method=post action="%s/api/form"><input name=q value=roses><button id=send>Send</button></form>' % site)
response('/js/data.json', 'application/json', json.dumps({'say': 'nobody asks for this'}))
response('/data.json', 'application/json', json.dumps({'say': 'near by'}))
response('/api/data.json?x=1', 'application/json', json.dumps({'say': 'from the root'}))
response('/sw.js', 'text/javascript', 'self.addEventListener("fetch", () => {})')
response('/next.html?a=1&b=2', 'text/html; charset=windows-1252', b'<!doctype html><title>Next</title><h1>N\xe4chste</h1><a id=home href="/">home</a>')
response('/next.html', 'text/html', '<title>plain next</title>')
response('/far.html', 'text/html', '<title>Far</title><h1>Far away</h1>', site=other)
response('/moved', 'text/html', '', 'Location: /next.html?a=1&b=2', status='302 Found')
response('/gone.html', 'text/html', '<title>Gone</title><h1>This page was gone</h1>', status='410 Gone')
response('/escape.html', 'text/html', '<title>Escape</title><p>going</p><script>try { top.location = "%s/leak-top" } catch (e) {} '
         'setTimeout(() => { location = "%s/leak-location" }, 300)</script>' % (site, site))
form = response('/api/form', 'text/plain', 'red roses')
record('request', site + '/api/form', 1, b'POST /api/form HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nq=roses',
       'application/http; msgtype=request', 'WARC-Concurrent-To: ' + form)
record('revisit', site + '/green.png', 11, b'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n', 'application/http; msgtype=response',
       'WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest', 'WARC-Refers-To: ' + green,
       'WARC-Refers-To-Target-URI: ' + site + '/green.png', 'WARC-Refers-To-Date: 2026-11-01T12:00:00Z',
       'WARC-Payload-Digest: sha256:' + hashlib.sha256(png(0, 200, 0)).hexdigest())
