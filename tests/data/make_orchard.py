#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two captures of an invented site, a week apart: make_orchard.py BEFORE.warc AFTER.warc

Pages that stay, change in every way that sharc diff tells apart, go, come, move and fail;
three of them share an edit of their template. `sharc export --to warc` packs the result.
"""
import base64
import hashlib
import sys

SITE = 'http://orchard.example'
LONG = ' '.join('Tree number %d in row %d carries fruit of the kind that was planted there in the year %d.'
                % (i, i % 7, 1950 + i) for i in range(60))


def page(title, body, nav_extra='', footer='Open from May to October', head=''):
    return ('<!doctype html><html lang=en><head><title>%s</title>%s</head><body>\n'
            '<nav><a href="/">Home</a> <a href="/apples.html">Apples</a> <a href="/pears.html">Pears</a>%s</nav>\n'
            '<main><h1>%s</h1>\n%s\n</main>\n<footer><p>%s</p></footer></body></html>\n'
            % (title, head, nav_extra, title, body, footer)).encode()


def pages(late):
    """URL path -> (status, headers, body) or ('revisit', body of the original)."""
    html = {'Content-Type': 'text/html; charset=utf-8'}
    nav = ' <a href="/shop.html">Shop</a>' if late else ''
    site = {
        '/': (200, html, page('The orchard', '<p>%s</p><p><a href="/news.html">News</a></p>' % (
            'We sell fresh cider from the first of October on. Visitors are welcome every day. Bring a bottle, too.' if late else
            'We sell apples by the basket. Visitors are welcome every day. Dogs are not.'))),
        '/apples.html': (200, html, page('Apples', '<p>Cox, Boskoop and Gravensteiner.</p>', nav)),
        '/pears.html': (200, html, page('Pears', '<p>Conference and Williams.</p>', nav)),
        '/plums.html': (200, html, page('Plums', '<p>Only the blue ones.</p>', nav)),
        '/trees.html': (200, html, page('All trees', '<p>%s</p>' % LONG,
                                        head='<meta name=build content=%d>' % (2 if late else 1))),
        '/counter.html': (200, html, page('Guests', '<p>%s</p><p>You are guest number %d.</p>' % (LONG, 481 if late else 17))),
        '/partners.html': (200, html, page('Partners', '<p>%s</p><ul><li><a href="http://cider.example/">Press</a>%s</ul>' % (
            LONG, '<li><a href="http://honey.example/">Press</a>' if late else ''))),
        '/about.html': (200, html, page('About', '<p>The orchard was planted in 1950. Last modified: 3 May 2025</p>')),
        '/logo.png': (200, {'Content-Type': 'image/png'}, b'\x89PNG\r\n\x1a\n' + (b'new' if late else b'old')),
        '/style.css': (200, {'Content-Type': 'text/css'}, b'main { color: %s }\nnav { margin: 0 }\n' % (b'green' if late else b'black')),
        '/data/harvest.csv': (200, {'Content-Type': 'text/csv'}, b'year,kg\n2023,812\n2024,%d\n' % (950 if late else 940)),
    }
    if late:
        site['/jobs.html'] = (404, html, b'<p>Nothing here.</p>')
        site['/old-news.html'] = (301, {'Location': '/news.html'}, b'')
        site['/news.html'] = (200, html, page('News', '<p>Picking begins on Sunday.</p>'))
        site['/shop.html'] = (200, html, page('Shop', '<p>Cider and juice.</p>'))
        site['/webcam.html'] = (503, html, b'<p>Later.</p>')
        site['/about.html'] = ('revisit', site['/about.html'][2])
    else:
        site['/jobs.html'] = (200, html, page('Jobs', '<p>Pickers wanted in autumn.</p>'))
        site['/old-news.html'] = (200, html, page('Old news', '<p>The barn has a new roof.</p>'))
        site['/news.html'] = (200, html, page('News', '<p>Spraying is over. Frost is expected tonight.</p>'))
        site['/webcam.html'] = (200, html, page('Webcam', '<p>A picture every hour.</p>'))
        site['/spring.html'] = (200, html, page('Spring', '<p>Blossoms everywhere.</p>'))
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
    lines = ''.join('%s: %s\r\n' % h for h in headers.items())
    return ('HTTP/1.1 %d X\r\n%sContent-Length: %d\r\n\r\n' % (status, lines, len(body))).encode() + body


def write(path, late):
    day = '2025-06-%02d' % (8 if late else 1)
    with open(path, 'wb') as out:
        for n, (name, what) in enumerate(sorted(pages(late).items())):
            when = '%sT10:00:%02dZ' % (day, n)
            if what[0] == 'revisit':
                extra = ('WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n'
                         'WARC-Refers-To-Target-URI: %s%s\r\nWARC-Refers-To-Date: 2025-06-01T10:00:01Z\r\n' % (SITE, name))
                block = b'HTTP/1.1 200 X\r\nContent-Type: text/html; charset=utf-8\r\n\r\n'
                out.write(record('revisit', SITE + name, when, what[1], block, extra))
            else:
                out.write(record('response', SITE + name, when, what[2], http(*what)))


write(sys.argv[1], False)
write(sys.argv[2], True)
