#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""diff_captures.py SET.warc.gz PAGES BEFORE.warc.gz AFTER.warc.gz

Two captures of the HTML pages of a WARC file, the second a month later: of every
twenty pages eight stay, three lose and gain a paragraph, two get another link, four
share an edit of the footer, one changes in its markup only, one is gone, one is new.
"""
import base64
import gzip
import hashlib
import re
import sys
import zlib

source, pages, before, after = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]


def responses():
    """(URL, HTTP head, body) of HTML pages answered with 200."""
    with gzip.open(source) as f:
        while True:
            line = f.readline()
            if not line:
                return
            if not line.startswith(b'WARC/'):
                continue
            fields = {}
            while (line := f.readline().strip()):
                name, _, value = line.partition(b':')
                fields[name.lower()] = value.strip()
            block = f.read(int(fields[b'content-length']))
            head, _, body = block.partition(b'\r\n\r\n')
            chunked = b'chunked' in head.lower() or b'content-encoding' in head.lower()
            if fields[b'warc-type'] == b'response' and b' 200 ' in head[:20] and b'text/html' in head.lower() and not chunked:
                yield fields[b'warc-target-uri'].strip(b'<>'), head, body


def record(out, url, when, head, body):
    digest = base64.b32encode(hashlib.sha1(body).digest())
    head = re.sub(rb'(?i)content-length:[^\r\n]*', b'Content-Length: %d' % len(body), head)
    block = head + b'\r\n\r\n' + body
    name = hashlib.md5(url + when).hexdigest()
    data = (b'WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%s-%s-%s-%s-%s>\r\nWARC-Date: %s\r\n'
            b'WARC-Target-URI: %s\r\nWARC-Payload-Digest: sha1:%s\r\nContent-Type: application/http;msgtype=response\r\n'
            b'Content-Length: %d\r\n\r\n' % (name[:8].encode(), name[8:12].encode(), name[12:16].encode(),
                                             name[16:20].encode(), name[20:].encode(), when, url, digest, len(block)))
    pack = zlib.compressobj(1, zlib.DEFLATED, 31)
    out.write(pack.compress(data + block + b'\r\n\r\n') + pack.flush())


def edit(n, body):
    if n < 8:
        return body
    if n < 11:
        paragraphs = [m.span() for m in re.finditer(rb'(?is)<p[ >].{20,2000}?</p>', body)]
        if paragraphs:
            at, end = paragraphs[len(paragraphs) // 2]
            return body[:at] + b'<p>This paragraph was written anew, with other words than before.</p>' * 3 + body[end:]
        return body.replace(b'</body>', b'<p>Added.</p></body>')
    if n < 13:
        return body.replace(b'href="', b'href="/moved/', 1)
    if n < 17:
        return re.sub(rb'(?i)</body>', b'<footer><p>Now also in print.</p></footer></body>', body, count=1)
    return body.replace(b'<p', b'<p data-build="2"', 1)


with open(before, 'wb') as old, open(after, 'wb') as new:
    for i, (url, head, body) in enumerate(responses()):
        if i == pages:
            break
        n = i % 20
        if n != 19:
            record(old, url, b'2026-10-01T10:00:00Z', head, body)
        if n != 18:
            record(new, url, b'2026-11-01T10:00:00Z', head, edit(n, body))
