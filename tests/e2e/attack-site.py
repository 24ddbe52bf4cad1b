# SPDX-License-Identifier: Apache-2.0
"""Pages of tests/e2e/evidence-attacks.sh, for site-server.

Every page has the same template. On /a/NAME one thing is edited between visit and revisit (EDITS: what is replaced,
by what; or a function of the answer); a few are never whole. /p/N are pages that nobody edits. With NOISE each page carries what real pages
carry: a token, a nonce, a counter, a teaser, a shuffled list, a time to the second in the sentence of the price."""
import gzip, os, random, secrets, threading, zlib

NOISE = os.environ.get("NOISE") == "1"
PLAIN = 140
TEASERS = ["Our new catalogue is out", "Visit us at the fair in Leipzig", "Free delivery for all", "Gift cards at the desk",
           "Read what others say about us"]
LISTED = ["oak", "elm", "pine", "ash", "yew", "fir", "larch", "beech"]
lock, asked, clock = threading.Lock(), {}, [0]

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Table {n} &amp; chairs</title>
<meta name="description" content="A table of oak, number {n}">
<meta http-equiv="Content-Security-Policy" content="script-src 'self'{nonce}">
<script type="application/ld+json">{{"@type":"Product","sku":"T{n}","offers":{{"price":"12.00","url":"/p/{n}"}}}}</script>
<style>.sold {{ display: none }} .price {{ color: black }}</style>
<script{nonceattr}>var rate = 1.19; var page = {{"id": {n}, "open": true{state}}};</script>
<!--[if IE]><p>Old price 99 euro</p><![endif]-->
</head><body class="item">
<h1>Table number {n}</h1>
<p class="price">The price is {price} euro{stamp}. The offer is binding.</p>
<p class="sold">This table is sold.</p>
<p class="pay">Pay to DE02120300000000202051, account of Anna Pape. Call -5 or +49 30 1234.</p>
<p class="hours">Open from 09:05 to 12:50 on 2026-03-01.</p>
<p class="size">Weight 1.200 kg, width 80 cm.</p>
<p class="valid">It is <b>not</b> valid abroad.</p>
<p class="lean">As long as stocks last.</p>
<!-- <p>Withdrawn</p> -->
<template><p>Shown never</p></template>
<pre>
  a  b
  c  d
</pre>
<xmp>x &lt; y</xmp><textarea>first &amp; second</textarea>
<ul class="links"><li><a href="/terms/a">Terms</a></li><li><a href="/terms/b">Privacy</a></li></ul>
<select name="wood"><option>oak</option><option>elm</option><option selected>ash</option></select>
<img src="/i/{n}.png" srcset="/i/a.png 1x, /i/b.png 2x" alt="A table" data-key="7f3a9c21d04e" onclick="buy({n})">
<a href="/buy?item={n}&amp;copy=1" rel="nofollow">Buy</a>
<svg viewBox="0 0 10 10"><g transform="scale(2)"><text x="1">12 euro</text></g><path d="M1 2L3 4"/></svg>
<form action="/buy" method="post"><input name="amount" value="1"><input type="hidden" name="csrf" value="{token}"></form>
{noise}<p class="words">{words}</p>
{links}</body></html>
"""

# What is edited: text, and what takes its place, once.
EDITS = {
    "srcset": ("/i/b.png 2x", "/i/c.png 2x"), "data": ("7f3a9c21d04e", "7f3a9c21d04f"), "json-ld": ('"12.00"', '"21.00"'),
    "svg-text": ("12 euro</text>", "21 euro</text>"), "svg-path": ("M1 2L3 4", "M1 2L4 3"),
    "svg-nesting": ('"scale(2)"><text x="1">12 euro</text></g>', '"scale(2)"/><text x="1">12 euro</text>'),
    "condition": ("Old price 99", "Old price 98"), "links-swapped": None, "look-alike": ("Anna Pape", "Ann\u0430 Pape"),
    "zero-width": ("binding", "bin\u200bding"), "bidi": ("1234", "\u202e1234"), "no-break": ("As long", "As\u00a0long"),
    "soft-hyphen": ("stocks", "sto\u00adcks"), "pre": ("  a  b", "  a   b"), "raw-text": ("x &lt; y", "x < y"),
    "textarea": ("first &amp; second", "first &amp;amp; second"), "reference": ("&amp;copy=1", "\u00a9=1"),
    "meta-charset": ('charset="utf-8"', 'charset="windows-1252"'), "price": ("The price is {price}", None),
    "sign": ("Call -5", "Call 5"), "dots": ("1.200 kg", "1,200 kg"), "hours": ("12:50", "12:05"), "date": ("2026-03-01", "2026-01-03"),
    "iban": ("202051", "202015"), "bold": ("<b>not</b> valid", "not <b>valid</b>"), "paragraph-out": ('<p class="lean">As long as stocks last.</p>\n', ""),
    "paragraph-twice": ('<p class="lean">As long as stocks last.</p>\n', '<p class="lean">As long as stocks last.</p>\n' * 2),
    "out-of-comment": ("<!-- <p>Withdrawn</p> -->", "<p>Withdrawn</p>"), "out-of-template": ("<template><p>Shown never</p></template>", "<div><p>Shown never</p></div>"),
    "style": ("display: none", "display: block"), "class": ('class="sold"', 'class="Sold"'), "hidden": ('<p class="pay">', '<p class="pay" hidden>'),
    "attribute-name": ('href="/terms/a"', 'data-href="/terms/a"'), "handler": ("onclick=\"buy(", "onclick=\"bid("),
    "selected": ("<option>oak</option><option>elm</option><option selected>ash", "<option selected>oak</option><option>elm</option><option>ash"),
    "option-moved": ("<option>oak</option><option>elm</option>", "<option>elm</option><option>oak</option>"),
    "rel": ('rel="nofollow"', 'rel="me"'), "csp": ("script-src 'self'", "script-src 'none'"), "rate": ("1.19", "1.09"),
    "title": ("&amp; chairs", "&amp; chair"), "title-tag": ("&amp; chairs", "&lt;b> chairs"), "refresh": ('<meta name="description"', '<meta http-equiv="refresh" content="9;url=/x"><meta name="description"'),
    "base": ("<title>", '<base href="http://other.example/"><title>'), "doctype": ("<!doctype html>\n", ""), "lang": ('lang="en"', 'lang="de"'),
    "token-name": ('name="csrf"', 'name="csrg"'), "amount": ('value="1"', 'value="10"'), "duplicate": ('href="/terms/b"', 'href="/evil" href="/terms/b"'),
    "teaser-edited": None, "list-entry": None, "token-beside": None, "bom": None,
    "status": None, "type": None, "charset": None, "redirect": None, "fragment": None, "type-joined": None,
    "refresh-field": None, "type-twice": None, "not-modified": None, "list-mark": None, "stamp-word": None, "stamp-number": None,
    "noscript-order": None, "svg-order": None, "select-title": None, "after-end": None, "nul": ("binding", "bind\0ing"),
    "attribute-moved": ('<li><a href="/terms/a">Terms</a></li><li><a href="/terms/b">', '<li><a href="/terms/a">Terms</a></li><li><a hreF="/terms/b" hidden>'),
    "entity": ("&amp;copy=1", "&copy=1"), "upper": ("/terms/a", "/Terms/a"), "xhtml-order": None, "json": None, "svg-file": None, "pdf": None,
    "zlib": None, "zlib-edited": None, "twice-packed": None,
    "cut": None, "part": None, "part-200": None, "coding": None, "gone-and-back": None,
    # Nothing that a reader could see, or nothing that the grade speaks of: docs/evidence.md says which fields count, and
    # that what is glued to noise is noise (stamp-number).
    "language-field": None, "link-field": None, "gzip": None, "gzip-head": None, "gzip-tail": None, "quotes": ('class="words"', "class='words'"),
    "written": ("&amp; chairs", "&#38; chairs"), "gzip-members": None,
}
# Not harmless, and not found: an edit inside a word that differs on every request (docs/evidence.md). It may hide there only, as grade 2.
HIDDEN = {"stamp-number"}
HARMLESS = {"entity", "zlib", "twice-packed", "language-field", "link-field", "gzip", "gzip-head", "gzip-tail", "quotes", "written"}
NAMES = list(EDITS)


def noise(name, edited, key):
    r = random.Random("%s %d" % (key, asked[key]))  # what a request draws is the same in every run
    listed = LISTED[:]
    if NOISE: r.shuffle(listed)
    if name == "list-entry" and edited: listed[listed.index("pine")] = "palm"
    teaser = r.choice(TEASERS) if NOISE else TEASERS[0]
    if name == "teaser-edited" and NOISE: teaser = TEASERS[1]
    if name == "teaser-edited" and edited: teaser = "Closed for ever"
    mark = "" if name != "list-mark" else "yew" if edited else "ash"
    return ('<aside class="teaser">%s</aside>\n<ul class="list">%s</ul>\n<p class="read">Read %d times</p>\n' %
            (teaser, "".join("<li%s>%s</li>" % (" hidden" if x == mark else "", x) for x in listed), 1000 + 7 * len(key) + (asked[key] if NOISE else 0)))


def page(name, number, edited, key):
    r = random.Random(key)
    words = " ".join(r.choice(["table", "wood", "old", "room", "light", "made", "house", "with", "and"]) for _ in range(150))
    token = secrets.token_hex(16) if NOISE else "fixed"
    nonce = secrets.token_hex(12) if NOISE else ""
    price = 1000 + sum(key.encode()) * 7 % 8000
    if name == "price" and edited: price += 700
    if name == "token-beside": token += ",%d" % (2 if edited else 1)
    clock[0] += 1
    stamp = " at %02d:%02d:%02d" % (clock[0] // 3600 % 24, clock[0] // 60 % 60, clock[0] % 60) if NOISE else ""
    links = "" if key != "/" else "".join('<a href="/a/%s">%s</a>\n' % (x, x) for x in NAMES) + "".join('<a href="/p/%d">%d</a>\n' % (i, i) for i in range(PLAIN))
    if name == "stamp-word": stamp += " is today" if edited else " was then"
    if name == "stamp-number": stamp += "-%d" % (9900 if edited else 1200)
    body = PAGE.format(n=number, nonce=" 'nonce-%s'" % nonce if NOISE else "", nonceattr=' nonce="%s"' % nonce if NOISE else "",
                       state=', "id": "%s"' % secrets.token_hex(8) if NOISE else "", price=price, stamp=stamp, token=token,
                       noise=noise(name, edited, key), words=words, links=links)
    if edited and EDITS.get(name) and name != "price":
        old, new = EDITS[name]
        assert old in body, name
        body = body.replace(old, new, 1)
    if edited and name == "links-swapped":
        body = body.replace("/terms/a", "\0").replace("/terms/b", "/terms/a").replace("\0", "/terms/b")
    # What is a tag for one reader and text for another: attributes that change places in it.
    pair = ' b="2" a="1"' if edited else ' a="1" b="2"'
    if name == "noscript-order": body = body.replace("<template>", '<noscript><p title="</noscript><xmp>"></noscript><i%s></xmp><template>' % pair)
    if name == "svg-order": body = body.replace("<template>", "<div><svg></div><xmp><i%s></xmp><template>" % pair)
    if name == "select-title": body = body.replace("<option selected>", "<option><title>%sb>5</title><option selected>" % ("<" if edited else "&lt;"))
    if name == "after-end" and edited: body += "<p>And that is not all.</p>"
    return body


# Answers that are no page: what they hold, what it becomes.
FILES = {
    "xhtml-order": ("application/xhtml+xml", '<p xmlns="http://www.w3.org/1999/xhtml" a="1" b="2">x</p>', '<p xmlns="http://www.w3.org/1999/xhtml" b="2" a="1">x</p>'),
    "json": ("application/json", '{"a": 1, "a": 2}', '{"a": 2, "a": 1}'),
    "svg-file": ("image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"><text> 12</text></svg>', '<svg xmlns="http://www.w3.org/2000/svg"><text>12 </text></svg>'),
    "pdf": ("application/pdf", "%PDF-1.4 (12 euro)", "%PDF-1.4 (21 euro)"),
}


def answer(host, target, headers):
    if target == "/robots.txt": return 200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /i/\nDisallow: /terms\nDisallow: /buy\nDisallow: /x\n"
    with lock:
        name = target[3:] if target.startswith("/a/") else ""
        if target != "/" and name not in EDITS and not (target.startswith("/p/") and target[3:].isdigit()): return None
        asked[target] = asked.get(target, 0) + 1
        k = asked[target]
        edited = k > 1
        number = NAMES.index(name) + 500 if name else int(target[3:] or 0) if target != "/" else 999
        body = page(name, number, edited, target)
    fields = {"Content-Type": "text/html; charset=utf-8"}
    if name == "language-field": fields["Content-Language"] = "de" if edited else "en"
    if name == "link-field": fields["Link"] = "</%d.css>; rel=preload" % edited
    if name == "refresh-field" and edited: fields["Refresh"] = "0;url=/p/1"
    if name == "type-twice": fields["X-Several"] = "1\r\nContent-Type: %s" % ("text/plain" if edited else "text/html")
    if name == "not-modified" and edited: return 304, fields, ""
    if name in FILES: return 200, {"Content-Type": FILES[name][0]}, FILES[name][1 + edited]
    if name == "status" and edited: return 203, fields, body
    if name == "type" and edited: fields["Content-Type"] = "application/xhtml+xml; charset=utf-8"
    if name == "charset" and edited: fields["Content-Type"] = "text/html; charset=windows-1252"
    if name == "bom" and edited: body = "\ufeff" + body
    if name == "redirect" and edited: return 302, {"Location": "/p/1"}, ""
    if name == "fragment": return 302, {"Location": "/p/1#%s" % ("b" if edited else "a")}, ""
    if name == "type-joined" and edited: fields["Content-Type"] = "text/html,text/plain; charset=utf-8"
    if name.startswith("part"):  # nobody knows what the rest says
        fields["Content-Range"] = "bytes 0-999/%d" % len(body)
        return 206 if name == "part" else 200, fields, body[:1000]
    if name == "coding": fields["Content-Encoding"] = "unheard-of"
    if name == "gone-and-back" and k == 2: return 404, fields, "gone"
    if name == "cut":  # no length is told: the end of the connection is the end of the body
        fields["Connection"] = "close"
        return 200, fields, body[:len(body) // 2] if edited else body
    data = body.encode()
    if name.startswith("zlib"):  # with its head and without
        fields["Content-Encoding"] = "deflate"
        if name == "zlib-edited" and edited: data = data.replace(b"As long", b"As wide")
        return 200, fields, zlib.compress(data)[2:-4] if edited else zlib.compress(data)
    if name == "twice-packed":
        fields["Content-Encoding"] = "gzip, gzip" if edited else "gzip"
        return 200, fields, gzip.compress(gzip.compress(data)) if edited else gzip.compress(data)
    if name.startswith("gzip") and (edited or name != "gzip"):
        fields["Content-Encoding"] = "gzip"
        packed = gzip.compress(data, mtime=k)
        if name == "gzip-tail" and edited: packed += b"\0" * 32
        if name == "gzip-members" and edited: packed += gzip.compress(b"<p>And one sentence more.</p>\n")
        data = packed
    return 200, fields, data
