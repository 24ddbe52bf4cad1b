#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make-archive.py DIR FILES PAGES: WARC files of one run with two captures of a
made-up site, for tests of imports: repeated downloads, links, revisits."""
import gzip
import hashlib
import random
import sys

directory, files, pages = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(5)
urls = files * pages // 3
first = {}


def record(kind, url, when, block, extra=''):
    head = 'WARC/1.0\r\nWARC-Type: %s\r\n' % kind
    if url:
        head += 'WARC-Target-URI: %s\r\n' % url
    head += ('WARC-Date: %s\r\nWARC-Record-ID: <urn:uuid:%08x-0000-4000-8000-%012x>\r\n%sContent-Length: %d\r\n\r\n'
             % (when, random.getrandbits(32), random.getrandbits(48), extra, len(block)))
    return gzip.compress(head.encode() + block + b'\r\n\r\n', 1)


for f in range(files):
    half = 2 * f // files
    with open('%s/%02d.warc.gz' % (directory, f), 'wb') as out:
        day, hour = '2026-11-0%d' % (half + 1), 10 + f % 5
        out.write(record('warcinfo', '', '%sT%02d:00:00Z' % (day, hour), b'isPartOf: test\r\n',
                         'Content-Type: application/warc-fields\r\n'))
        for i in range(pages):
            page = random.randrange(urls)
            url = 'http://site.example/%d' % page
            when = '%sT%02d:%02d:%02dZ' % (day, hour, i // 60 % 60, i % 60)
            if half and page in first and random.random() < 0.3:
                digest, date = first[page]
                out.write(record('revisit', url, when, b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n',
                                 'Content-Type: application/http;msgtype=response\r\nWARC-Payload-Digest: %s\r\n'
                                 'WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n'
                                 'WARC-Refers-To-Target-URI: %s\r\nWARC-Refers-To-Date: %s\r\n' % (digest, url, date)))
                continue
            links = ''.join('<a href="/%d">x</a>' % random.randrange(urls) for _ in range(10))
            body = ('<title>%d</title>%s text of page %d version %d' % (page, links, page, f)).encode()
            digest = 'sha256:' + hashlib.sha256(body).hexdigest()
            first.setdefault(page, (digest, when))
            out.write(record('response', url, when,
                             b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n' + body,
                             'Content-Type: application/http;msgtype=response\r\nWARC-Payload-Digest: %s\r\n' % digest))
