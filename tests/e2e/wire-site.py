# SPDX-License-Identifier: Apache-2.0
"""wire-site.py READY: answers byte by byte, as no well-behaved server sends them. Each page of ANSWERS is asked for twice,
by a visit and a revisit; what it sends depends on which of them it is.

    edited  another body, or a head that counts: not proved
    broken  not received, or not decoded, to its end; or bytes that belong to nothing: not proved, whatever came
    same    the same content in another form: identical
"""
import gzip, socket, sys, threading, zlib

TEXT = b"<!doctype html><title>A price</title><p>The price is 1,200 euro, and stays so for all of the year to come.</p>"
OTHER = TEXT.replace(b"1,200", b"9,900")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
EDITED, BROKEN, SAME = "edited", "broken", "same"

def gz(*bodies, name=b""):
    members = [gzip.compress(b, mtime=0) for b in bodies]
    if name: members[0] = members[0][:3] + b"\x08" + members[0][4:10] + name + b"\0" + members[0][10:]
    return b"".join(members)
def deflate(body): return zlib.compress(body)
def bare(body): return deflate(body)[2:-4]
def br(body): # one block that is not compressed, and an empty last one
    return ((len(body) - 1) << 4 | 1 << 20).to_bytes(3, "little") + body + b"\x03"
def zstd(body): # one raw block
    return b"\x28\xb5\x2f\xfd\x20" + bytes([len(body)]) + (1 | len(body) << 3).to_bytes(3, "little") + body
def skippable(data): return b"\x50\x2a\x4d\x18" + len(data).to_bytes(4, "little") + data

def head(*fields, status=b"200 OK", type=b"text/html; charset=utf-8", version=b"HTTP/1.1"):
    return b"\r\n".join([version + b" " + status] + ([b"Content-Type: " + type] if type else []) + [*fields, b"Connection: close", b"", b""])
def sized(body, *fields, **more): return head(b"Content-Length: %d" % len(body), *fields, **more) + body
def coded(coding, body, *fields): return sized(body, b"Content-Encoding: " + coding, *fields)
def chunks(*pieces, end=b"0\r\n\r\n"): return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + end
def chunked(*pieces, fields=(), **more): return head(b"Transfer-Encoding: chunked", *fields) + chunks(*pieces, **more)
def moved(to, status=b"302 Found", body=b"moved"): return sized(body, b"Location: " + to, status=status)
def early(fields=b""): return b"HTTP/1.1 103 Early Hints\r\nLink: </s.css>; rel=preload\r\n" + fields + b"\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

# Name: what it is, at the visit, at the revisit; None: the same once more.
ANSWERS = {
    "plain": (SAME, sized(TEXT), None),
    "price": (EDITED, sized(TEXT), sized(OTHER)),
    # heads before the head, behind the body
    "early-same": (SAME, early() + sized(TEXT), sized(TEXT)),
    "early-edited": (EDITED, early() + sized(TEXT), early() + sized(OTHER)),
    "continue-same": (SAME, sized(TEXT), CONTINUE + CONTINUE + sized(TEXT)),
    "continue-edited": (EDITED, CONTINUE + sized(TEXT), CONTINUE + sized(OTHER)),
    "trailers-same": (SAME, chunked(TEXT, end=b"0\r\nX-A: 1\r\n\r\n"), chunked(TEXT, end=b"0\r\nX-A: 2\r\n\r\n")),
    "trailers-edited": (EDITED, chunked(TEXT, end=b"0\r\nX-A: 1\r\n\r\n"), chunked(OTHER, end=b"0\r\nX-A: 1\r\n\r\n")),
    # chunks
    "chunks-same": (SAME, chunked(TEXT[:9], TEXT[9:]), chunked(*[TEXT[i:i + 7] for i in range(0, len(TEXT), 7)])),
    "chunks-or-length": (SAME, chunked(TEXT), sized(TEXT)),
    "chunks-edited": (EDITED, chunked(TEXT[:60], TEXT[60:]), chunked(OTHER[:60], OTHER[60:])),
    "chunks-cut": (BROKEN, chunked(TEXT), chunked(TEXT, end=b"")),
    "chunks-cut-first": (BROKEN, chunked(TEXT, end=b""), chunked(TEXT)),
    "chunks-cut-always": (BROKEN, chunked(TEXT, end=b"20\r\nhalf"), None),
    "chunks-bad-size": (BROKEN, chunked(TEXT, end=b"zz\r\n\r\n"), None),
    # lengths
    "length-more": (BROKEN, sized(TEXT), head(b"Content-Length: %d" % (len(TEXT) + 50)) + TEXT),
    "length-more-always": (BROKEN, head(b"Content-Length: %d" % (len(TEXT) + 50)) + TEXT, None),
    "length-two": (EDITED, sized(TEXT), head(b"Content-Length: %d" % len(TEXT), b"Content-Length: 5") + OTHER),
    "length-and-chunks": (EDITED, chunked(TEXT, fields=[b"Content-Length: 5"]), chunked(OTHER, fields=[b"Content-Length: 5"])),
    "length-none": (EDITED, head() + TEXT, head() + OTHER),
    "length-none-shorter": (EDITED, head() + TEXT, head() + TEXT[:-5]),
    "length-within": (EDITED, head(b"Content-Length: 70") + TEXT, head(b"Content-Length: 70") + OTHER),
    "empty": (EDITED, sized(TEXT), sized(b"")),
    "old-version": (EDITED, head(version=b"HTTP/1.0") + TEXT, head(version=b"HTTP/1.0") + OTHER),
    # codings
    "gzip-header": (SAME, coded(b"gzip", gz(TEXT)), coded(b"gzip", gz(TEXT, name=b"page.html"))),
    "gzip-members": (SAME, coded(b"gzip", gz(TEXT)), coded(b"gzip", gz(TEXT[:30], b"", TEXT[30:]))),
    "gzip-second-member": (EDITED, coded(b"gzip", gz(TEXT)), coded(b"gzip", gz(TEXT, b"<p>And a fee of 300 euro.</p>"))),
    "gzip-edited": (EDITED, coded(b"gzip", gz(TEXT)), coded(b"gzip", gz(OTHER))),
    "gzip-cut": (BROKEN, coded(b"gzip", gz(TEXT)), coded(b"gzip", gz(TEXT)[:-8])),
    "gzip-cut-always": (BROKEN, coded(b"gzip", gz(TEXT)[:-3]), None),
    "gzip-checksum": (BROKEN, coded(b"gzip", gz(TEXT)[:-8] + b"\0" * 8), None),
    "gzip-none": (SAME, coded(b"gzip", gz(TEXT)), sized(TEXT)),
    "gzip-claimed": (EDITED, coded(b"gzip", TEXT), coded(b"gzip", OTHER)),
    "gzip-twice": (EDITED, coded(b"gzip, gzip", gz(gz(TEXT))), coded(b"gzip, gzip", gz(gz(OTHER)))),
    "deflate-bare": (SAME, coded(b"deflate", deflate(TEXT)), coded(b"deflate", bare(TEXT))),
    "deflate-edited": (EDITED, coded(b"deflate", deflate(TEXT)), coded(b"deflate", deflate(OTHER))),
    "br-or-gzip": (SAME, coded(b"br", br(TEXT)), coded(b"gzip", gz(TEXT))),
    "br-edited": (EDITED, coded(b"br", br(TEXT)), coded(b"br", br(OTHER))),
    "br-cut": (BROKEN, coded(b"br", br(TEXT)), coded(b"br", br(TEXT)[:-1])),
    "zstd-skippable": (SAME, coded(b"zstd", zstd(TEXT)), coded(b"zstd", skippable(b"nobody sees this") + zstd(TEXT))),
    "zstd-edited": (EDITED, coded(b"zstd", zstd(TEXT)), coded(b"zstd", zstd(OTHER))),
    "zstd-cut": (BROKEN, coded(b"zstd", zstd(TEXT)), coded(b"zstd", zstd(TEXT)[:-4])),
    "identity": (SAME, coded(b"identity", TEXT), sized(TEXT)),
    "identity-then": (SAME, sized(TEXT), coded(b"identity", TEXT)),
    "coding-case": (SAME, coded(b"GZip", gz(TEXT)), coded(b"gzip", gz(TEXT))),
    "coding-alias": (SAME, coded(b"x-gzip", gz(TEXT)), coded(b"gzip", gz(TEXT))),
    "coding-lies-then": (EDITED, coded(b"gzip", gz(TEXT)), sized(gz(TEXT))),
    "coding-lies": (EDITED, sized(gz(TEXT)), coded(b"gzip", gz(TEXT))),
    "coding-two-fields": (SAME, coded(b"br", gz(br(TEXT)), b"Content-Encoding: gzip"), coded(b"br, gzip", gz(br(TEXT)))),
    "claim-then-none": (SAME, coded(b"gzip", TEXT), sized(TEXT)),
    "none-then-claim": (SAME, sized(TEXT), coded(b"gzip", TEXT)),
    "identity-hides": (BROKEN, sized(gz(TEXT)[:-8], b"Content-Encoding: identity", b"Content-Encoding: gzip"), None),
    "unknown-coding": (BROKEN, coded(b"x-own", TEXT), None),
    # bytes behind the end of a coding
    "gzip-zeros": (SAME, coded(b"gzip", gz(TEXT)), coded(b"gzip", gz(TEXT) + b"\0" * 9)),
    "gzip-tail": (BROKEN, coded(b"gzip", gz(TEXT)), coded(b"gzip", gz(TEXT) + b"the price is 9,900 euro")),
    "gzip-tail-first": (BROKEN, coded(b"gzip", gz(TEXT) + b"tail"), coded(b"gzip", gz(TEXT))),
    "gzip-tail-other": (BROKEN, coded(b"gzip", gz(TEXT) + b"one tail"), coded(b"gzip", gz(TEXT) + b"another tail")),
    "gzip-tail-short": (BROKEN, coded(b"gzip", gz(TEXT)), coded(b"gzip", gz(TEXT) + b"\n")),
    "gzip-tail-behind-zeros": (BROKEN, coded(b"gzip", gz(TEXT)), coded(b"gzip", gz(TEXT) + b"\0\0\0\0tail")),
    "gzip-tail-behind-nothing": (BROKEN, coded(b"gzip", gz(b"") + b"one tail"), coded(b"gzip", gz(b"") + b"another")),
    "gzip-tail-chunked": (BROKEN, chunked(gz(TEXT), fields=[b"Content-Encoding: gzip"]), chunked(gz(TEXT), b"tail", fields=[b"Content-Encoding: gzip"])),
    "gzip-twice-tail": (BROKEN, coded(b"gzip, gzip", gz(gz(TEXT))), coded(b"gzip, gzip", gz(gz(TEXT) + b"tail"))),
    "deflate-tail": (BROKEN, coded(b"deflate", deflate(TEXT)), coded(b"deflate", deflate(TEXT) + b"tail")),
    "br-tail": (BROKEN, coded(b"br", br(TEXT)), coded(b"br", br(TEXT) + b"tail")),
    "zstd-tail": (BROKEN, coded(b"zstd", zstd(TEXT)), coded(b"zstd", zstd(TEXT) + b"tail")),
    # validators that lie, and a word that nobody asked for
    "etag-lies": (EDITED, sized(TEXT, b'ETag: "1"'), sized(OTHER, b'ETag: "1"')),
    "date-lies": (EDITED, sized(TEXT, b"Last-Modified: Mon, 06 Jan 2020 08:00:00 GMT"), sized(OTHER, b"Last-Modified: Mon, 06 Jan 2020 08:00:00 GMT")),
    "unasked-304": (EDITED, sized(TEXT, b'ETag: "1"'), head(b'ETag: "1"', status=b"304 Not Modified")),
    "age": (BROKEN, sized(TEXT), sized(TEXT, b"Age: 600")),
    # heads that count
    "status": (EDITED, sized(TEXT), sized(TEXT, status=b"203 Non-Authoritative Information")),
    "part": (BROKEN, sized(TEXT, b"Content-Range: bytes 0-99/1000", status=b"206 Partial Content"), None),
    "type": (EDITED, sized(TEXT), sized(TEXT, type=b"text/plain; charset=utf-8")),
    "type-twice": (EDITED, sized(TEXT), sized(TEXT, b"Content-Type: text/plain")),
    "charset": (EDITED, sized(TEXT), sized(TEXT, type=b"text/html; charset=utf-16")),
    "mark": (EDITED, sized(TEXT), sized(b"\xef\xbb\xbf" + TEXT)),
    "refresh": (EDITED, sized(TEXT), sized(TEXT, b"Refresh: 0; url=/elsewhere")),
    "other-fields": (SAME, sized(TEXT, b"Server: a", b"Vary: *", b"Set-Cookie: a=1"), sized(TEXT, b"Server: b", b"Set-Cookie: a=2")),
    # bodies
    "base": (EDITED, sized(b'<base href="/one/">' + TEXT), sized(b'<base href="/two/">' + TEXT)),
    "image-edited": (EDITED, sized(PNG, type=b"image/png"), sized(PNG[:-1] + b"!", type=b"image/png")),
    "image-cut": (BROKEN, sized(PNG, type=b"image/png"), head(b"Content-Length: %d" % len(PNG), type=b"image/png") + PNG[:-100]),
    "image-cut-shorter": (EDITED, sized(PNG, type=b"image/png"), sized(PNG[:-100], type=b"image/png")),
    "zero-byte": (EDITED, sized(TEXT), sized(TEXT.replace(b"1,200", b"1,\x00200"))),
    # redirects
    "moved-same": (SAME, moved(b"/a/plain"), moved(b"plain")),
    "moved": (EDITED, moved(b"/a/plain"), moved(b"/a/price")),
    "moved-fragment": (EDITED, moved(b"/a/plain#one"), moved(b"/a/plain#two")),
    "moved-for-good": (EDITED, moved(b"/a/plain"), moved(b"/a/plain", status=b"301 Moved Permanently")),
    "moved-no-more": (EDITED, moved(b"/a/plain"), sized(TEXT)),
    "moved-then": (EDITED, sized(TEXT), moved(b"/a/plain")),
    "chain": (SAME, moved(b"/a/chain-middle"), None),
    "chain-middle": (EDITED, moved(b"/a/plain"), moved(b"/a/price")),
    "loop": (SAME, moved(b"/a/loop-back"), None),
    "loop-back": (SAME, moved(b"/a/loop"), None),
    "not-found": (EDITED, sized(TEXT), sized(TEXT, status=b"404 Not Found")),
    "refused": (EDITED, sized(TEXT), sized(TEXT, status=b"403 Forbidden")),
}
START = sized(("<!doctype html><title>Start</title>" + "".join('<a href="/a/%s">%s</a> ' % (n, n) for n in ANSWERS)).encode())

asked, lock = {}, threading.Lock()
def answer(path):
    if path == "/": return START
    what = ANSWERS.get(path[3:]) if path.startswith("/a/") else None
    if not what: return sized(b"nothing here", status=b"404 Not Found")
    with lock:
        asked[path] = asked.get(path, 0) + 1
        return what[1] if asked[path] == 1 or what[2] is None else what[2]

def serve(c):
    request = b""
    while b"\r\n\r\n" not in request:
        piece = c.recv(65536)
        if not piece: return
        request += piece
    c.sendall(answer(request.split(b" ")[1].decode()))
    c.shutdown(socket.SHUT_WR)
    while c.recv(65536): pass

def one(c):
    try: serve(c)
    except OSError: pass
    c.close()

def main():
    s = socket.create_server(("127.0.0.1", 0), backlog=64)
    with open(sys.argv[1], "w") as f: f.write("%d\n" % s.getsockname()[1])
    while True: threading.Thread(target=one, args=(s.accept()[0],), daemon=True).start()

if __name__ == "__main__": main()
