#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two captures of an invented newspaper, a week apart: make_gazette.py BEFORE.warc AFTER.warc

What is easily told wrongly: a correction made to two articles and their print copies, two
addresses that differ by case, pages that were missing already, pages that moved, a new
headline beside a new style sheet, an image, the same page packed anew, 304 answers and
bodies that were cut.
"""
import base64
import gzip
import hashlib
import sys

SITE = 'http://gazette.example'
HTML = {'Content-Type': 'text/html; charset=utf-8'}
WORDS = ('The council met on Tuesday and heard what the engineers had to say about the bridge over the river, its '
         'piers and the cost of keeping it open through another winter. ').split()


def story(seed):
    """A text of its own for every article."""
    return ' '.join(WORDS[(i * (seed + 3) + seed) % len(WORDS)] + ('.' if i % 12 == 11 else '') for i in range(150))


def page(title, body, nav=''):
    return ('<!doctype html><html lang=en><head><title>%s</title></head><body>\n'
            '<nav><a href="/">Front page</a> <a href="/town/">Town</a>%s</nav>\n<main><h1>%s</h1>\n%s\n</main>\n'
            '<footer><p>Printed in the old mill</p></footer></body></html>\n' % (title, nav, title, body)).encode()


def front(late):
    news = ['Bridge to close in March', 'Market moves to the square', 'Choir seeks tenors', 'Frost until Friday',
            'Library opens on Sundays', 'School fair on Saturday', 'Two lanes for Mill Street', 'Bees on the town hall']
    if late:
        news[0] = 'Mayor resigns over bridge contract'
    return page('The Gazette', '<ul>%s</ul>' % ''.join('<li><a href="/n%d.html">%s</a>' % (i, t)
                                                        for i, t in enumerate(news)))


def article(n, price, print_copy=False):
    body = '<p>%s</p><p>The ticket costs %s crowns.</p>' % (story(n), price)
    if print_copy:
        return ('<html><head><title>Article %d</title></head><body><h1>Article %d</h1>%s</body></html>' % (n, n, body)).encode()
    return page('Article %d' % n, body)


def packed(body, mtime):
    return gzip.compress(body, mtime=mtime)


def pages(late):
    """path -> (status, headers, body[, WARC fields]) or ('304', body of the original)"""
    price = '14' if late else '12'
    nav = ' <a href="/letters/">Letters</a>' if late else ''
    zipped = dict(HTML, **{'Content-Encoding': 'gzip'})
    site = {
        '/': (200, HTML, front(late)),
        '/a1.html': (200, HTML, article(1, price)), '/print/a1.html': (200, HTML, article(1, price, True)),
        '/a2.html': (200, HTML, article(2, price)), '/print/a2.html': (200, HTML, article(2, price, True)),
        '/Case.html': (200, HTML, page('Case in point', '<p>The trial of the case begins. %s</p>' % story(5))),
        '/case.html': (200, HTML, page('A case of wine', '<p>Wine by the case. %s</p>' % story(6 if late else 7))),
        '/logo.png': (200, {'Content-Type': 'image/png'}, b'\x89PNG\r\n\x1a\n' + (b'new' if late else b'old')),
        '/packed.html': (200, zipped, packed(page('Packed', '<p>%s</p>' % story(8)), 2 if late else 1)),
        '/same.html': (200, HTML, page('Same', '<p>%s</p>' % story(9))),
        '/told.html': (200, HTML, page('Told', '<p>%s</p>' % story(10))),
        '/cut.html': (200, HTML, page('Cut', '<p>%s' % story(11)), 'WARC-Truncated: length\r\n'),
        '/short.html': (200, dict(HTML, **{'Content-Length': '90000'}), page('Short', '<p>%s' % story(12))),
        '/retyped.txt': (200, {'Content-Type': 'text/html' if late else 'text/plain'}, b'1 < 2 is true, says the text.'),
        '/gone.html': (404, HTML, b'<p>Not here, asked at %s.</p>' % (b'noon' if late else b'one')),
    }
    for n in (20, 21, 22):
        site['/town/%d.html' % n] = (200, HTML, page('Town %d' % n, '<p>%s</p>' % story(n), nav))
    moved = page('Anniversary', '<p>%s</p>' % story(30))
    led = page('Weather', '<p>%s</p>' % story(31))
    edited = '<p>%s</p>' % story(32)
    if late:
        site['/told.html'] = ('304', site['/told.html'][2])
        site['/archive/anniversary.html'] = (200, HTML, moved)
        site['/weather.html'] = (301, {'Location': '/weather/'}, b'')
        site['/weather/'] = (200, HTML, led)
        site['/people/'] = (200, HTML, page('People', edited).replace(b'<html', b'<html data-release=2'))
        site['/new.css'] = (200, {'Content-Type': 'text/css'}, b'h1 { color: red }\n')
        site['/never.html'] = (404, HTML, b'<p>Not here.</p>')
    else:
        site['/anniversary.html'] = (200, HTML, moved)
        site['/weather.html'] = (200, HTML, led)
        site['/people.html'] = (200, HTML, page('People', edited))
        site['/once.html'] = (404, HTML, b'<p>Not here.</p>')
        site['/sold.html'] = (200, HTML, page('Sold', '<p>%s</p>' % story(33)))
    return site


def record(kind, url, when, payload, block, extra=''):
    digest = 'sha1:' + base64.b32encode(hashlib.sha1(payload).digest()).decode()
    name = hashlib.sha1((kind + url + when).encode()).hexdigest()
    head = ('WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:%s-%s-%s-%s-%s>\r\nWARC-Date: %s\r\n'
            'WARC-Target-URI: %s\r\nWARC-Payload-Digest: %s\r\n%sContent-Type: application/http;msgtype=response\r\n'
            'Content-Length: %d\r\n\r\n' % (kind, name[:8], name[8:12], name[12:16], name[16:20], name[20:32], when, url,
                                            digest, extra, len(block)))
    return head.encode() + block + b'\r\n\r\n'


def http(status, headers, body):
    headers = dict({'Content-Length': str(len(body))}, **headers)
    lines = ''.join('%s: %s\r\n' % h for h in headers.items())
    return ('HTTP/1.1 %d X\r\n%s\r\n' % (status, lines)).encode() + body


def write(path, late):
    day = '2025-06-%02d' % (8 if late else 1)
    with open(path, 'wb') as out:
        for n, (name, what) in enumerate(sorted(pages(late).items())):
            when = '%sT10:00:%02dZ' % (day, n)
            if what[0] == '304':
                extra = ('WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n'
                         'WARC-Refers-To-Target-URI: %s%s\r\nWARC-Refers-To-Date: 2025-06-01T10:00:00Z\r\n' % (SITE, name))
                out.write(record('revisit', SITE + name, when, what[1], b'HTTP/1.1 304 Not Modified\r\n\r\n', extra))
            else:
                extra = what[3] if len(what) > 3 else ''
                out.write(record('response', SITE + name, when, what[2], http(*what[:3]), extra))


write(sys.argv[1], False)
write(sys.argv[2], True)
