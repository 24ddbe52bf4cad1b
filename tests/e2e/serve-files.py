# SPDX-License-Identifier: Apache-2.0
"""serve-files.py write DIR | ask PAGES REPLAY DIR: archive files of every kind and age, and whether sharc serve answers each line of its index
with the status and the bytes that are at the place the line names. They are read here by other code: Python's own gzip and a few lines.
`write` makes files that sharc did not write, by hand."""
import gzip
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
import zlib


# --- own vectors --------------------------------------------------------------------------------

def warc(kind, url, second, block, *fields, version='WARC/1.0', http='response'):
    head = [version, 'WARC-Type: ' + kind, 'WARC-Record-ID: <urn:x:%s:%d>' % (kind, second), 'WARC-Date: 2019-03-04T05:06:%02dZ' % second,
            'WARC-Target-URI: ' + url, 'Content-Length: %d' % len(block), *fields]
    if http and not any(f.startswith('Content-Type') for f in fields):
        head.append('Content-Type: application/http; msgtype=' + http)
    return '\r\n'.join(head).encode() + b'\r\n\r\n' + block + b'\r\n\r\n'


def vectors():
    site = 'http://odd.example'
    text = b'<p>gr\xfc\xdfe</p>' * 20
    packed = gzip.compress(text, mtime=0)
    bodies = [
        ('/plain', b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n' + text),
        ('/chunked', b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: 1\r\n\r\n'),
        ('/not-chunked', b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nthis was unpacked by the crawler'),
        ('/gzip', b'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n' + packed),
        ('/chunked-gzip', b'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n' % (len(packed), packed)),
        ('/not-gzip', b'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nunpacked already'),
        ('/too-short', b'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nlonger than three'),
        ('/too-long', b'HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\nshorter'),
        ('/bare-lf', b'HTTP/1.0 200 OK\nContent-Type: text/plain\n\nlines end with LF'),
        ('/no-reason', b'HTTP/1.1 200\r\nContent-Type: text/plain\r\n\r\nno reason'),
        ('/empty', b'HTTP/1.1 200 OK\r\n\r\n'),
        ('/404', b'HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\nno such page'),
        ('/500', b'HTTP/1.1 500 Oops\r\n\r\noops'),
        ('/503', b'HTTP/1.1 503 Busy\r\nRetry-After: 9\r\n\r\nbusy'),
        ('/moved', b'HTTP/1.1 301 Moved\r\nLocation: /plain\r\n\r\n'),
        ('/binary', b'HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n' + bytes(range(256)) * 5),
        ('/folded', b'HTTP/1.1 200 OK\r\nX-Long: a\r\n b\r\nContent-Type: text/plain\r\n\r\nfolded header'),
        ('/query?a=b&c=%20d#x', b'HTTP/1.1 200 OK\r\n\r\nquery'),
        ('/space in it', b'HTTP/1.1 200 OK\r\n\r\nspace'),
        ('/\u00fcmlaut', b'HTTP/1.1 200 OK\r\n\r\numlaut'),
        ('/%FF%00', b'HTTP/1.1 200 OK\r\n\r\nescapes'),
    ]
    records = [warc('response', site + path, i, block) for i, (path, block) in enumerate(bodies)]
    records.append(warc('resource', site + '/picture', 40, b'\x89PNG...', 'Content-Type: image/png'))
    records.append(warc('resource', 'http://odd.example:80/port', 41, b'port', 'Content-Type: text/plain', version='WARC/1.1'))
    records.append(warc('response', '<http://odd.example/brackets>', 42, b'HTTP/1.1 200 OK\r\n\r\nbrackets'))
    records.append(warc('conversion', site + '/converted', 43, b'converted', 'Content-Type: text/plain'))
    records.append(warc('metadata', site + '/meta', 44, b'a: b\r\n', 'Content-Type: application/warc-fields'))
    arc = b'filedesc://odd.arc 0.0.0.0 20190304050600 text/plain 76\n1 0 Somebody\nURL IP-address Archive-date Content-type Archive-length\n\n'
    for i, body in enumerate([b'HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>arc</p>', b'HTTP/1.0 404 Gone\n\nlost', b'HTTP/1.1 200 OK\r\n\r\n' + bytes(256)]):
        arc += b'http://arc.example/%d 127.0.0.1 201903040506%02d text/html %d\n%b\n' % (i, i, len(body), body)
    return records, arc


def write(to):
    records, arc = vectors()
    for name, data in [('plain.warc', b''.join(records)), ('members.warc.gz', b''.join(gzip.compress(r, mtime=0) for r in records)), ('odd.arc', arc),
                       ('cut.warc.gz', b''.join(gzip.compress(r, mtime=0) for r in records)[:-40]), ('empty.warc.gz', b''), ('noise.warc.gz', bytes(range(256)) * 9)]:
        with open(os.path.join(to, name), 'wb') as f:
            f.write(data)


# --- what is at the place --------------------------------------------------------------------------

def record_at(path, offset):
    with open(path, 'rb') as f:
        f.seek(offset)
        data = f.read()
    out = b''
    while data[:2] == b'\x1f\x8b' and len(out) < 1 << 20:  # records may go on in the next member
        member = zlib.decompressobj(31)
        out, data = out + member.decompress(data), member.unused_data
    return out or data


def head_end(data):
    ends = [(data.find(e), len(e)) for e in (b'\r\n\r\n', b'\n\n') if data.find(e) >= 0]
    return min(ends) if ends else (len(data), 0)


def fields(head):
    lines = re.sub(rb'\r?\n[ \t]+', b' ', head).replace(b'\r\n', b'\n').split(b'\n')
    return {k.strip().lower(): v.strip() for k, _, v in (line.partition(b':') for line in lines[1:])}


def unchunked(body):
    """None: these are no chunks, or something follows the last one."""
    out, at = b'', 0
    while True:
        line = re.match(rb'([0-9a-fA-F]+)[^\r\n]*\r?\n', body[at:at + 200])
        if not line:
            return None
        size, at = int(line.group(1), 16), at + line.end()
        if size == 0:
            return out if len(body) - at < 100 else None
        out, at = out + body[at:at + size], at + size
        if body[at:at + 2] == b'\r\n':
            at += 2


def expected(path, offset):
    """Of the record there: kind, status, every body that may be shown for it, headers."""
    data = record_at(path, offset)
    if data.startswith(b'WARC/'):
        at, skip = head_end(data)
        warc = fields(data[:at])
        block = data[at + skip:at + skip + int(warc[b'content-length'])]
        kind = warc[b'warc-type'].decode()
        if not warc.get(b'content-type', b'').startswith(b'application/http'):
            return kind, 200, [block], {}
    else:
        line, _, rest = data.partition(b'\n')
        length = line.split()[-1]
        block, kind = rest[:int(length) if length.isdigit() else 0], 'response'
        if not block.startswith(b'HTTP/'):
            return 'no answer', 0, [], {}
    at, skip = head_end(block)
    http, body = fields(block[:at]), block[at + skip:]
    status = re.match(rb'HTTP/\S+\s+(\d+)', block)
    bodies = [body]
    if b'chunked' in http.get(b'transfer-encoding', b''):
        whole = unchunked(body)
        bodies = [body if whole is None else whole]
    return kind, int(status.group(1)) if status else 200, bodies, http


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(Stay)


def get(url, method='GET', body=None):
    request = urllib.request.Request(urllib.parse.quote(url, safe="%/:=&?~#+!$,;'@()*[]|^`{}\"<>\\ ", encoding='utf-8').replace(' ', '%20'), data=body, method=method)
    try:
        with opener.open(request) as a:
            return a.status, a.read()
    except urllib.error.HTTPError as e:
        return e.code, e.read()


def posted(replay, url, choices):
    """What was sent finds the answer to it, something else does not."""
    kind, status, bodies, http, line = choices[0]
    sent = line['requestBody'].encode()
    target = '%sweb/%sid_/%s' % (replay, line['timestamp'], url)
    found, none = get(target, line['method'], sent), get(target, line['method'], sent + b'x')
    if found[0] == status and found[1] in bodies and none[0] == 404:
        return True
    print('%s %s: %d, %d bytes, and %d for another body' % (line['method'], url, found[0], len(found[1]), none[0]))
    return False


def ask(pages, replay, files):
    status, lines = get(pages + 'cdx?url=*&output=json')
    if status != 200:
        sys.exit('the index is answered with %d' % status)
    lines = [json.loads(line) for line in lines.decode('utf-8', 'surrogateescape').splitlines()]
    wanted = {}
    for line in lines:
        path = os.path.join(files, os.path.basename(line['filename']))
        kind, status, bodies, http = expected(path, int(line['offset']))
        wanted.setdefault((line['url'].split('#')[0], line['timestamp']), []).append((kind, status, bodies, http, line))
    shown, wrong = 0, 0
    for (url, stamp), choices in wanted.items():
        if choices[0][4].get('method', 'GET') != 'GET':
            good = posted(replay, url, choices)
            shown, wrong = shown + good, wrong + (not good)
            continue
        status, body = get('%sweb/%sid_/%s' % (replay, stamp, url))
        if all(c[0] == 'no answer' for c in choices):
            good = status == 503 and b'holds no HTTP answer' in body
            shown, wrong = shown + good, wrong + (not good)
            continue
        if any(c[0] == 'revisit' for c in choices):
            good = status < 500
        else:
            good = any(status == c[1] and body in c[2] for c in choices)
        page, _ = get('%sweb/%s/%s' % (replay, stamp, url))
        view, _ = get('%sview/web/%s/%s' % (pages, stamp, url))
        # Archived errors are shown with their status, below a bar of ours with 200; nothing else may fail.
        good = good and (page < 500 or page == choices[0][1]) and view < 400
        shown += good
        if not good:
            wrong += 1
            c = choices[0]
            print('%s %s in %s at %s: %d, %d bytes (as a page %d, below the bar %d); wanted %d, %s bytes' % (
                stamp, url, c[4]['filename'], c[4]['offset'], status, len(body), page, view, c[1], [len(b) for b in c[2]]))
    print('%d lines, %d addresses shown' % (len(lines), shown))
    return 1 if wrong else 0


if sys.argv[1] == 'write':
    write(sys.argv[2])
else:
    sys.exit(ask(*sys.argv[2:5]))
