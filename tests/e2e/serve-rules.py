# SPDX-License-Identifier: Apache-2.0
"""serve-rules.py write FILE | ask PAGES REPLAY: WARC records that replay tools have stumbled over, made by hand, and the
questions that show whether sharc serve does; each by the rule that it belongs to. TAP."""
import gzip
import hashlib
import http.client
import re
import sys
import urllib.parse

HTML = 'text/html; charset=utf-8'
A = 'http://a.example'
count = 0
out = None


def record(kind, url, date, block, *fields):
    global count
    count += 1
    head = ['WARC/1.1', 'WARC-Type: ' + kind, 'WARC-Record-ID: <urn:x:%d>' % count, 'WARC-Date: ' + date,
            'WARC-Target-URI: ' + url, 'Content-Length: %d' % len(block), *fields]
    if not any(f.startswith('Content-Type') for f in fields):
        head.append('Content-Type: application/http; msgtype=' + ('request' if kind == 'request' else 'response'))
    out.write(gzip.compress('\r\n'.join(head).encode() + b'\r\n\r\n' + block + b'\r\n\r\n', mtime=0))
    return '<urn:x:%d>' % count


def digest(body):
    return 'sha256:' + hashlib.sha256(body).hexdigest()


def response(url, date, kind, body, *fields, status='200 OK', more=()):
    body = body if isinstance(body, bytes) else body.encode()
    head = '\r\n'.join(['HTTP/1.1 ' + status, *(['Content-Type: ' + kind] if kind else []), *fields])
    return record('response', url, date, head.encode() + b'\r\n\r\n' + body, 'WARC-Payload-Digest: ' + digest(body), *more)


def day(n):
    return '2026-11-%02dT12:00:00Z' % n


CHARSETS = [  # name, where it is said: HTTP, meta, nowhere
    ('shift_jis', 'http', 'こんにちは'), ('windows-1251', 'meta', 'Привет'), ('gb18030', 'meta', '你好'), ('euc-kr', 'http', '안녕'),
    ('iso-8859-15', 'none', 'Grüße €'), ('utf-8', 'none', 'Grüße'), ('iso-2022-jp', 'http', 'こんにちは')]


def page_in(name, where, text):
    meta = '<meta charset="%s">' % name if where == 'meta' else ''
    return ('<html><head>%s<title>%s</title></head><body><p>%s</p><a href="/next/%s">%s</a> 1 < 2 & <!-- %s --></body></html>' %
            (meta, text, text, text if where != 'none' else 'x', text, text)).encode(name)


def write(path):
    global out
    out = open(path, 'wb')
    film = bytes(i * 7 % 251 for i in range(100000))
    # 1: films, and what was stored as pieces
    response(A + '/film.mp4', day(1), 'video/mp4', film)
    for i in range(0, 100000, 10000):
        last = min(i + 9999, 99999)
        response(A + '/pieces.pdf', '2026-11-01T12:00:%02dZ' % (i // 10000), 'application/pdf', film[i:last + 1],
                 'Content-Range: bytes %d-%d/100000' % (i, last), 'ETag: "one"', status='206 Partial Content')
    for i in (0, 50000):
        response(A + '/gap.pdf', '2026-11-01T12:00:%02dZ' % (i // 10000), 'application/pdf', film[i:i + 10000],
                 'Content-Range: bytes %d-%d/100000' % (i, i + 9999), 'ETag: "one"', status='206 Partial Content')
    response(A + '/page.html', day(1), HTML, '<a href="/x">x</a>' * 50)
    # 4: a chain of revisits, each of which names the one before it; one by digest alone; one whose original is nowhere
    body = b'<h1>the original</h1>'
    response(A + '/chain', '2026-10-01T00:00:00Z', HTML, body)
    for i in range(1, 301):
        record('revisit', A + '/chain', '2026-10-01T%02d:%02d:00Z' % (i // 60, i % 60), b'HTTP/1.1 200 OK\r\nContent-Type: ' + HTML.encode() + b'\r\n\r\n',
               'WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest', 'WARC-Payload-Digest: ' + digest(body),
               'WARC-Refers-To-Target-URI: ' + A + '/chain', 'WARC-Refers-To-Date: 2026-10-01T%02d:%02d:00Z' % ((i - 1) // 60, (i - 1) % 60))
    response(A + '/digest', day(1), HTML, body)
    record('revisit', A + '/digest', day(2), b'', 'WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
           'WARC-Payload-Digest: ' + digest(body))
    record('revisit', A + '/orphan', day(2), b'', 'WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
           'WARC-Payload-Digest: ' + digest(b'nowhere'))
    # 5: redirects that lead to themselves by scheme, www, slash; and a real circle
    for i, (url, to) in enumerate([('http://b.example/p', 'https://b.example/p'), ('https://b.example/p', 'https://www.b.example/p'),
                                   ('https://www.b.example/p', 'https://www.b.example/p/')]):
        response(url, '2026-11-01T12:00:%02dZ' % i, None, '', 'Location: ' + to, status='301 Moved')
    response('https://www.b.example/p/', '2026-11-01T12:00:09Z', HTML, '<h1>arrived</h1>')
    response(A + '/left', day(1), None, '', 'Location: /right', status='302 Found')
    response(A + '/right', day(1), None, '', 'Location: /left', status='302 Found')
    # 6
    for name, where, text in CHARSETS:
        response(A + '/charset/' + name, day(1), 'text/html' + ('; charset=' + name if where == 'http' else ''), page_in(name, where, text))
    # 7
    response(A + '/api.json?_=1234567890123&q=1', day(1), 'application/json', '{"fuzzy": 1}')
    response(A + '/pic.png?v=1', day(1), 'image/png', 'one')
    response(A + '/article.php?id=1', day(1), HTML, 'article one')
    for n, sent in enumerate([b'q=red', b'q=blue']):
        name = response(A + '/search', day(1), 'text/plain', sent + b' found')
        record('request', A + '/search', day(1), b'POST /search HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/x-www-form-urlencoded\r\n'
               b'Content-Length: %d\r\n\r\n' % len(sent) + sent, 'WARC-Concurrent-To: ' + name)
    # 8
    for status in ('403 Forbidden', '404 Not Found', '410 Gone', '451 Unavailable', '500 Oops', '503 Busy'):
        response(A + '/status/' + status[:3], day(1), HTML, '<p>as it was: ' + status, 'Retry-After: 9', status=status)
    # 2 and security
    response(A + '/hostile', day(1), HTML, '<p>x', 'Set-Cookie: a=b; Path=/', 'Content-Security-Policy: sandbox', 'X-Frame-Options: DENY',
             'Referrer-Policy: unsafe-url', 'Link: <http://live.example/>; rel=preload', 'Refresh: 0; url=http://live.example/',
             'Service-Worker-Allowed: /', 'Access-Control-Allow-Origin: *')
    # 9: several captures
    for n in (1, 5, 9):
        response(A + '/', day(n), HTML, '<title>%d</title><link rel=stylesheet href=/s.css><img src=/i.png width=400 height=300>' % n)
    response(A + '/s.css', day(1), 'text/css', 'body{}' * 500)
    response(A + '/s.css', day(9), 'text/css', 'body{}' * 500)
    response(A + '/i.png', day(1), 'image/png', 'one')
    response(A + '/i.png', day(9), 'image/png', 'two')
    out.close()


number = bad = 0


def point(holds, what, why=''):
    global number, bad
    number += 1
    bad |= not holds
    print('%s %d - %s' % ('ok' if holds else 'not ok', number, what))
    if not holds:
        print('# ' + str(why)[:900].replace('\n', '\n# '))


class Answer:
    def __init__(self, origin, path, method='GET', body=None, **headers):
        u = urllib.parse.urlsplit(origin)
        c = http.client.HTTPConnection(u.hostname, u.port)
        c.request(method, path, body, {k.replace('_', '-'): v for k, v in headers.items()})
        r = c.getresponse()
        self.status, self.headers, self.body = r.status, r.headers, r.read()
        c.close()

    def __getitem__(self, name):
        return self.headers.get(name)

    def __repr__(self):
        return '%d %s\n%s' % (self.status, dict(self.headers), self.body[:300])


def ask(pages, replay):
    def get(path, **headers):
        return Answer(replay, path, **headers)
    web = '/web/20261101120000'
    film = bytes(i * 7 % 251 for i in range(100000))
    every = []  # answers of the replay port, for their policy

    # --- 1
    a = get(web + 'oe_/' + A + '/film.mp4', Range='bytes=500-699')
    point(a.status == 206 and a['Content-Range'] == 'bytes 500-699/100000' and a.body == film[500:700], '1: a range of a whole film is a 206 of ours', a)
    b = get(web + 'oe_/' + A + '/film.mp4', Range='bytes=100000-')
    point(b.status == 416 and b['Content-Range'] == 'bytes */100000', '1: outside of it 416', b)
    c = get(web + '/' + A + '/pieces.pdf')
    point(c.status == 200 and c.body == film and c['Sharc-Joined'], '1: pieces are joined', c)
    d = get(web + '/' + A + '/pieces.pdf', Range='bytes=9990-10009')
    point(d.status == 206 and d.body == film[9990:10010], '1: a range over two pieces', d)
    e = get(web + '/' + A + '/gap.pdf')
    point(e.status == 206 and e.body == film[:10000] and e['Sharc-Partial'], '1: what is partial is marked', e)
    f = get(web + '/' + A + '/gap.pdf', Range='bytes=20000-20009')
    point(f.status == 404, '1: a range in a gap', f)
    g = get(web + '/' + A + '/page.html', Range='bytes=3-9')
    whole = get(web + '/' + A + '/page.html')
    point(g.status == 200 and g.body == whole.body or g.status == 206 and g.body == whole.body[3:10], '1: no range is cut out of a page before it is rewritten', g)
    h = get(web + 'id_/' + A + '/page.html', Range='bytes=3-9')
    point(h.status == 206 and h.body == (b'<a href="/x">x</a>' * 50)[3:10], '1: of the raw page it is', h)
    every += [a, b, c, d, e, f, g, h]

    # --- 4
    for n, (path, want) in enumerate([('/chain', 200), ('/digest', 200)]):
        a = get('/web/20261102120000/' + A + path)
        a = get(a['Location']) if a.status == 302 else a
        point(a.status == want and b'the original' in a.body, '4: a revisit %s' % ('at the end of a chain of 300' if n == 0 else 'by its digest alone'), a)
    a = get('/web/20261102120000/' + A + '/orphan')
    point(a.status == 503 and not a['Memento-Datetime'], '4: a revisit whose original is nowhere is said to be one', a)
    every.append(a)

    # --- 5
    for start in ('http://b.example/p', 'https://b.example/p', 'https://www.b.example/p', 'http://www.b.example/p/'):
        path, hops = '/web/20261101120000/' + start, 0
        a = get(path)
        while a.status in (301, 302, 307) and hops < 9:
            a, hops = get(a['Location']), hops + 1
        point(a.status == 200 and b'arrived' in a.body, '5: %s does not lead in a circle' % start, a)
    a = get(web + '/' + A + '/left')
    point(a.status == 302 and a['Location'].endswith('/right'), '5: a circle that was archived is one', a)
    v = Answer(pages, '/view/web/20261101120000/' + A + '/left')
    point(v.status == 302 and v['Location'].endswith('/right'), '5: under the bar, too; browsers end it', v)

    # --- 6
    for name, where, text in CHARSETS:
        raw = page_in(name, where, text)
        a = get(web + 'if_/' + A + '/charset/' + name, Sec_Fetch_Dest='empty')
        undone = re.sub(rb'/web/20261101120000(if_)?/http://a\.example/', b'/', a.body)
        want = raw
        if where != 'none':  # the address itself is escaped as a browser would ask for it
            undone, want = re.sub(rb'href="[^"]*"', b'', undone), re.sub(rb'href="[^"]*"', b'', want)
        point(undone == want and a['Content-Type'] == 'text/html' + ('; charset=' + name if where == 'http' else ''),
              '6: a page in %s (%s) stays byte for byte but for its links' % (name, where), (a, undone, want))

    # --- 7
    a = get(web + '/' + A + '/api.json?_=9999999999999&q=1')
    b = Answer(pages, '/view/web/20261101120000/' + A + '/api.json?_=9999999999999&q=1')
    point(a['Sharc-Match'] == 'approximate' and not a['Memento-Datetime'], '7: a similar URL is the last resort, is said to be similar, and is no memento', a)
    point(b'Approximate match' in b.body, '7: the bar says so', b)
    a = get(web + '/' + A + '/api.json?_=9999999999999&q=2')
    point(a['Sharc-Match'] == 'approximate', '7: the answer to another question is not taken for this one', a)
    point(get(web + '/' + A + '/article.php?id=2').status == 404, '7: a program is not asked for another page')
    point(get(web + 'im_/' + A + '/pic.png?v=2')['Sharc-Match'] == 'approximate', '7: a file with another query')
    point(get(web + 'im_/' + A + '/pic.png?v=1')['Sharc-Match'] is None, '7: what is there is no similar one')
    form = 'application/x-www-form-urlencoded'
    for sent in ('red', 'blue'):
        a = get(web + 'oe_/' + A + '/search', method='POST', body='q=' + sent, Content_Type=form)
        point(a.status == 200 and a.body == b'q=%s found' % sent.encode(), '7: the body of a POST is part of the key (%s)' % sent, a)
    a = get(web + 'oe_/' + A + '/search', method='POST', body='q=green', Content_Type=form)
    point(a.status == 404, '7: one that was not sent then', a)
    every.append(a)

    # --- 8
    for status in (403, 404, 410, 451, 500, 503):
        a = get(web + '/' + A + '/status/%d' % status)
        point(a.status == status and b'as it was' in a.body and a['Memento-Datetime'] and not a['Retry-After'], '8: an archived %d is one, and a memento' % status, a)
        every.append(a)
    for path, want in [(web + '/' + A + '/absent', 404), ('/web/20269999/' + A + '/', 400), ('/nowhere', 404), ('/asof/2020/' + A + '/', 404), ('/web/', 404)]:
        a = get(path)
        point(a.status == want and not a['Memento-Datetime'], '8: %s is %d of ours, and no memento' % (path, want), a)
        every.append(a)

    # --- 9
    for when in (None, 'Thu, 05 Nov 2026 11:00:00 GMT', 'Thu, 05 Nov 2020 11:00:00 GMT'):
        for port in (pages, replay):
            a = Answer(port, '/timegate/' + A + '/', **({'Accept_Datetime': when} if when else {}))
            day_ = {None: 9, 'Thu, 05 Nov 2026 11:00:00 GMT': 5}.get(when, 1)
            point(a.status == 302 and 'accept-datetime' in a['Vary'].lower() and not a['Memento-Datetime'] and
                  a['Location'] == '%sweb/202611%02d120000/%s/' % (replay, day_, A) and 'rel="original"' in a['Link'], '9: TimeGate for %s' % when, a)
    a = get('/timegate/' + A + '/', Accept_Datetime='yesterday')
    point(a.status == 400 and 'accept-datetime' in a['Vary'].lower(), '9: a TimeGate is not asked for nonsense', a)
    every.append(a)
    a = get('/timegate/' + A + '/', method='HEAD')
    point(a.status == 302 and not a.body, '9: HEAD of a TimeGate', a)
    m = get('/web/20261105120000/' + A + '/')
    rel = dict((r, u) for u, r in re.findall(r'<([^>]*)>; rel="([^"]*)"', m['Link']))
    point(m['Memento-Datetime'] == 'Thu, 05 Nov 2026 12:00:00 GMT' and {'original', 'timegate', 'timemap', 'first prev memento', 'memento', 'next last memento', 'describedby'} <= set(rel),
          '9: a memento and its links', m)
    near = get('/web/20261105110000/' + A + '/')
    point(near.status == 302 and not near['Memento-Datetime'], '9: another time is redirected, and no memento', near)
    for path in ('/near/20261105110000/' + A + '/', '/web/20261105110000im_/' + A + '/i.png', '/near/20261105110000if_/' + A + '/'):
        a = get(path)
        point(a.status == 200 and not a['Memento-Datetime'] and 'memento"' in a['Link'],
              '9: %s is shown under another time, and names its memento' % path, a)
    for form, kind in [('link', 'application/link-format'), ('json', 'application/json'), ('cdxj', 'application/cdxj+ors')]:
        a = get('/timemap/%s/%s/' % (form, A))
        point(a.status == 200 and a['Content-Type'].startswith(kind) and a.body.count(b'20261105120000') >= 1, '9: TimeMap as ' + form, a)
        every.append(a)
    a = get('/timemap/link/http://absent.example/')
    point(a.status == 404, '9: a TimeMap of nothing', a)
    every.append(a)

    # --- 2 and security
    a = get(web + '/' + A + '/hostile')
    every.append(a)
    names = [n for n in a.headers.keys() if not n.lower().startswith('x-archive-orig-')]
    steering = {'set-cookie', 'x-frame-options', 'refresh', 'service-worker-allowed', 'access-control-allow-origin', 'referrer-policy'}
    ours = {n.lower() for n in names} & steering
    point(not ours - {'referrer-policy'} and a['Referrer-Policy'] != 'unsafe-url' and 'live.example' not in a['Link'] and
          a['X-Archive-Orig-Set-Cookie'] == 'a=b; Path=/' and a['X-Archive-Orig-Content-Security-Policy'] == 'sandbox', 'what steers a browser is renamed', a)
    w = get(web + 'js_/' + A + '/hostile', Service_Worker='script')
    point(w.status == 403 and not w['Service-Worker-Allowed'], 'an archived service worker is refused', w)
    every.append(w)
    own = get('/sharc-worker.js', Service_Worker='script')
    point(own.status == 200 and own['Service-Worker-Allowed'] in (None, '/'), 'our own is not', own)
    every += [get('/sharc-page.js'), get('/'), get('/robots.txt'), get('/web/x/y'), get('/favicon.ico'), get(web + '/' + A + '/hostile', method='DELETE'),
              get(web + '/' + A + '/hostile', method='OPTIONS')]
    bad_policy = [e for e in every if not (e['Content-Security-Policy'] or '').startswith('default-src') or e['Set-Cookie']]
    point(not bad_policy, '2: every answer of the replay port, errors too, has the policy, and none a cookie', bad_policy[:1])
    policy = get('/')['Content-Security-Policy']
    point('http' not in policy.replace(pages.rstrip('/'), '').replace(replay.rstrip('/'), '') and '*' not in policy, '2: and it allows nobody else', policy)
    stripped = [Answer(pages, p)['Content-Security-Policy'] for p in ('/', '/nothing', '/web/*/' + A + '/', '/view/web/20261101120000/' + A + '/', '/cdx?url=x', '/api/none')]
    point(all(s and 'unsafe-eval' not in s for s in stripped), '2: our own pages have a stricter one', stripped)

    # --- the bar
    for word in ('id_', 'if_'):
        a = get('/web/20261101120000%s/%s/' % (word, A))
        point(a.status == 200 and b'class="bar' not in a.body and b'/view/' not in a.body, 'bar: none in ' + word, a)
    v = Answer(pages, '/view/web/20261105120000/' + A + '/')
    text = v.body.decode()
    point(re.search(r'class="bar v-(proven|probably|unknown|mixed|contradicted)"', text) and 'earlier' in text and 'later' in text and 'by weight' in text,
          'bar: one of five words, neighbours and weights', text[:900])
    a = Answer(pages, '/view/web/20261105120000/' + A + '/?within=-1d..%2B1d')
    a = Answer(pages, a['Location']) if a.status == 302 else a
    point(a.status == 200 and b'refused' in a.body and b'~-1d..+1d~' in a.body.replace(b'%2B', b'+'), 'bar: limits are carried on, and what they refuse is told', a)
    a = get('/web/20261105120000~-1d..+1d~im_/' + A + '/i.png')
    point(a.status == 404 and b'limits' in a.body.lower(), 'limits: 404 with the reason', a)
    print('1..%d' % number)
    return 1 if bad else 0


if sys.argv[1] == 'write':
    write(sys.argv[2])
else:
    sys.exit(ask(sys.argv[2], sys.argv[3]))
