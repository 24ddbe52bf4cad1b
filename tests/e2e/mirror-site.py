# SPDX-License-Identifier: Apache-2.0
"""A WARC of a small site that makes a mirror's life hard, on standard output:
codings, a charset that only the HTTP head names, a base element, guards against
changed resources, redirects, revisits, names that cannot be file names."""
import gzip
import hashlib
import struct
import sys
import zlib

count = 0


def record(kind, url, day, block, *fields):
    global count
    count += 1
    head = ['WARC/1.1', 'WARC-Type: ' + kind, 'WARC-Record-ID: <urn:x:%d>' % count,
            'WARC-Date: 2026-11-%02dT12:00:00Z' % day, 'WARC-Target-URI: ' + url,
            'Content-Type: application/http; msgtype=response', 'Content-Length: %d' % len(block), *fields]
    sys.stdout.buffer.write(gzip.compress('\r\n'.join(head).encode() + b'\r\n\r\n' + block + b'\r\n\r\n', mtime=0))
    return '<urn:x:%d>' % count


def response(url, kind, body, *fields, status='200 OK', day=1):
    head = '\r\n'.join(['HTTP/1.1 ' + status, 'Content-Type: ' + kind, *fields])
    return record('response', url, day, head.encode() + b'\r\n\r\n' + body)


def png(red, green, blue):
    def chunk(name, data):
        return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
    rows = (b'\0' + bytes((red, green, blue)) * 8) * 8
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 8, 8, 8, 2, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def chunked(body):
    half = len(body) // 2
    return b''.join(b'%x\r\n%s\r\n' % (len(p), p) for p in (body[:half], body[half:])) + b'0\r\n\r\n'


site = 'https://hard.example'
page = '''<!doctype html><html><head><title>\u0421\u0430\u0434</title>
<meta http-equiv="Content-Security-Policy" content="default-src https:">
<base href="/deep/dir/" target="_self">
<link rel=stylesheet href="../style.css?v=1&amp;w=2" integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC" crossorigin=anonymous>
<style>#inline { background-image: url("../con.png") }</style>
</head><body><h1>\u0421\u0430\u0434</h1>
<img id=plain src=../img/one%20two.png crossorigin>
<img id=set srcset="../img/one%20two.png 1x, ../img?id=3 2x">
<img id=again src=/img/again>
<picture><source srcset="/img/ONE.png"><img id=picture src=/nowhere.png></picture>
<div id=inline style="width:8px;height:8px"></div>
<div id=attribute style="background:url(&quot;/img?id=3&quot;)"></div>
<svg width=8 height=8><image id=svg href="/drawing.svg" width=8 height=8 /></svg>
<object id=object data="/drawing.svg" type="image/svg+xml"></object>
<iframe id=frame srcdoc="&lt;img src='/img?id=3'>"></iframe>
<script src="/app" integrity="sha256-AAAA" crossorigin></script>
<p><a id=moved href="/moved">moved</a> <a id=other href="http://www.hard.example/other?q=\u0434#part">other</a>
<a id=outside href="/not/captured">outside</a></p></body></html>'''.encode('koi8-r')
response('http://hard.example/', 'text/html', b'', 'Location: ' + site + '/home', status='301 Moved Permanently')
response(site + '/home', 'text/html; charset=koi8-r', chunked(gzip.compress(page, mtime=0)),
         'Content-Encoding: gzip', 'Transfer-Encoding: chunked')
response(site + '/deep/style.css?v=1&w=2', 'text/css',
         b'@import "more.css"; h1 { color: rgb(1, 2, 3) } body { background: url(\'../img/one two.png\') }')
response(site + '/deep/more.css', 'text/css', b'p { color: rgb(4, 5, 6) }')
response(site + '/deep/con.png', 'image/png', png(9, 9, 9))
original = response(site + '/img/one%20two.png', 'image/png', png(255, 0, 0))
response(site + '/deep/img/one%20two.png', 'image/png', png(255, 0, 0))
response(site + '/img?id=3', 'image/png', png(0, 255, 0))
response(site + '/deep/img?id=3', 'image/png', png(0, 255, 0))
response(site + '/img/one.png', 'image/png', png(1, 1, 1))
response(site + '/img/ONE.png', 'image/png', png(2, 2, 2))
record('revisit', site + '/img/again', 2, b'', 'WARC-Refers-To: ' + original,
       'WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
       'WARC-Payload-Digest: sha1:' + hashlib.sha1(png(255, 0, 0)).hexdigest())
response(site + '/drawing.svg', 'image/svg+xml',
         b'<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><style>rect{fill:lime}</style>'
         b'<rect width="8" height="8"/></svg>')
response(site + '/app', 'text/javascript', b'document.body.dataset.ran = "yes"')
response(site + '/moved', 'text/html', b'', 'Location: /landing', status='302 Found')
response(site + '/landing', 'text/html', b'<title>landing</title>Landed.')
response('https://www.hard.example/other?q=%C4', 'text/html', b'<title>other</title><p id=part>The other page.')
