# SPDX-License-Identifier: Apache-2.0
"""Pages of tests/e2e/evidence-parts.sh, for site-server.

No page /w/NAME changes. Each embeds something that does, in one of the ways there are (FORMS, CHAINS): it changes with every request,
leads elsewhere, is not there, or was never allowed. The start page embeds an image at the first request and another one,
which robots.txt shuts out, from then on. /alias says that it is /alias-of; an address of which nobody knows is answered with 200 and one
and the same sentence."""
import threading

lock, asked = threading.Lock(), {}
PNG, CSS, JS, HTML, SVG = "png", "css", "js", "html", "svg"


def P(name, ext): return "/part/%s.%s" % (name, ext)


# How a page embeds it, what it is.
FORMS = {
 "img": ('<img src="{}">', PNG), "srcset": ('<img src="/still.png" srcset="/still.png 1x, {} 2x">', PNG),
 "sizes": ('<img sizes="50vw" srcset="{} 300w">', PNG), "picture": ('<picture><source srcset="{}" type="image/webp"><img src="/still.png"></picture>', PNG),
 "linked": ('<a href="{}"><img src="{}"></a>', PNG), "input": ('<input type="image" src="{}">', PNG), "poster": ('<video poster="{}"></video>', PNG),
 "source": ('<video><source src="{}"></video>', PNG), "track": ('<video><track src="{}"></video>', "vtt"), "audio": ('<audio src="{}"></audio>', PNG),
 "object": ('<object data="{}"></object>', SVG), "embed": ('<embed src="{}">', SVG), "iframe": ('<iframe src="{}"></iframe>', HTML),
 "srcdoc": ('<iframe srcdoc="&lt;img src={}&gt;"></iframe>', PNG), "frameset": ('<noframes></noframes><frameset><frame src="{}"></frameset>', HTML),
 "style": ('<link rel="stylesheet" href="{}">', CSS), "style-alternate": ('<link rel="alternate stylesheet" href="{}">', CSS),
 "icon": ('<link rel="shortcut icon" href="{}">', PNG), "touch": ('<link rel="apple-touch-icon" href="{}">', PNG), "mask-icon": ('<link rel="mask-icon" href="{}">', SVG),
 "import": ('<style>@import "{}";</style>', CSS), "import-url": ('<style>@import url({}) screen;</style>', CSS), "import-layer": ('<style>@import url("{}") layer(a) supports(display:grid);</style>', CSS),
 "background": ('<div style="background:url({})"></div>', PNG), "background-old": ('<table background="{}"></table>', PNG), "body": ('<body background="{}">', PNG),
 "style-url": ('<style>p{{background-image:url("{}")}}</style>', PNG), "image-set": ('<style>p{{background-image:image-set("{}" 1x)}}</style>', PNG), "webkit-image-set": ('<style>p{{background-image:-webkit-image-set(url({}) 1x)}}</style>', PNG),
 "font": ('<style>@font-face{{font-family:x;src:url({}) format("woff")}}</style>', "woff"), "cursor": ('<style>p{{cursor:url({}),auto}}</style>', PNG),
 "escaped": ('<style>p{{background:u\\72l({})}}</style>', PNG), "variable": ('<style>p{{--x:url({});background:var(--x)}}</style>', PNG), "src-function": ('<style>p{{background:src("{}")}}</style>', PNG),
 "namespace": ('<style>p{{content:url({})}}</style>', PNG), "attr-style": ('<p style="list-style-image:url(\'{}\')">', PNG), "style-entity": ('<p style="background:url(&quot;{}&quot;)">', PNG),
 "script": ('<script src="{}"></script>', JS), "module": ('<script type="module" src="{}"></script>', JS), "modulepreload": ('<link rel="modulepreload" href="{}">', JS),
 "module-import": ('<script type="module">import x from "{}"; x()</script>', JS), "importmap": ('<script type="importmap">{{"imports":{{"x":"{}"}}}}</script>', JS),
 "preload": ('<link rel="preload" as="image" href="{}">', PNG), "imagesrcset": ('<link rel="preload" as="image" imagesrcset="{} 1x">', PNG), "manifest": ('<link rel="manifest" href="{}">', "webmanifest"),
 "svg-image": ('<svg><image href="{}"/></svg>', PNG), "svg-xlink": ('<svg><image xlink:href="{}"/></svg>', PNG), "svg-use": ('<svg><use href="{}#a"/></svg>', SVG), "svg-feimage": ('<svg><filter><feImage href="{}"/></filter></svg>', PNG),
 "svg-fill": ('<svg><rect fill="url({}#a)"/></svg>', SVG), "svg-mask": ('<svg><rect mask="url({}#a)"/></svg>', SVG), "svg-filter": ('<svg><rect filter="url({}#a)"/></svg>', SVG), "svg-style": ('<svg><style>@import "{}";</style></svg>', CSS), "svg-script": ('<svg><script href="{}"/></svg>', JS),
 "svg-cursor": ('<svg><rect clip-path="url(&quot;{}#a&quot;)"/></svg>', SVG),
 "noscript": ('<noscript><img src="{}"></noscript>', PNG), "template": ('<div><template shadowrootmode="open"><img src="{}"></template></div>', PNG), "template-style": ('<div><template shadowrootmode="open"><style>@import "{}"</style></template></div>', CSS),
 "lazy": ('<img loading="lazy" data-src="{}">', PNG), "applet": ('<applet code="{}"></applet>', "class"), "param": ('<object><param name="movie" value="{}"></object>', "swf"),
 "fragment": ('<img src="{}#top">', PNG), "query": ('<img src="{}?a=1&amp;b=2">', PNG), "dots": ('<img src="/x/..{}">', PNG), "upper": ('<IMG SRC={}>', PNG), "spaces": ('<img src=" {} ">', PNG), "tab": ('<img src="/pa\trt{}">', None),
 "bgsound": ('<bgsound src="{}">', "wav"), "longdesc": ('<img src="/still.png" lowsrc="{}">', PNG), "base": ('<base href="/part/"><img src="{name}.png">', PNG), 
 "table-td": ('<table><td background="{}"></table>', PNG), "meta-refresh-part": ('<meta http-equiv="Content-Style-Type" content="text/css"><link rel=stylesheet href={}>', CSS),
 "image-tag": ('<image src="{}">', PNG), "xml-style": (None, CSS), "svg-xml-style": (None, CSS), "attributionsrc": ('<img src="/still.png" style=\'background:url("{}")\'>', PNG),
 "amp-img": ('<amp-img src="{}" layout="fill"></amp-img>', PNG), "amp-srcset": ('<amp-img src="/still.png" srcset="{} 2x"></amp-img>', PNG), "amp-poster": ('<amp-video src="/still.png" poster="{}"></amp-video>', PNG), "amp-iframe": ('<amp-iframe src="{}"></amp-iframe>', HTML),
 # Beyond what is read of a page: longer than a URL may be, behind the last link, behind the last attribute.
 "long": ('<img src="{}?' + "x" * 9000 + '">', PNG), "many": ('<a href="/q/"></a>' * 100001 + '<img src="{}">', PNG),
 "attributes": ("<img " + " ".join("a%d" % i for i in range(3000)) + ' src="{}">', PNG),
 "font-src": ('<link rel="preload" as="font" href="{}">', "woff"), "code-base": ('<object codebase="/part/" data="{name}.svg"></object>', SVG),
}
# Longer ways: a page, then what lies between.
CHAINS = {
 "redirected": ('<img src="/r/redirected">', "a redirect leads elsewhere later"), "redirected-part": ('<img src="/r/redirected-part">', "its target changes"),
 "redirected-twice": ('<img src="/r/redirected-twice">', "the second of two redirects leads elsewhere"), "style-style": ('<link rel=stylesheet href="/c/style-style.css">', "an import of an import"),
 "style-image": ('<link rel=stylesheet href="/c/style-image.css">', "an image of a style"), "frame-frame": ('<iframe src="/f/frame-frame"></iframe>', "frame in frame"),
 "frame-image": ('<iframe src="/f/frame-image"></iframe>', "image of a frame"), "svg-inside": ('<img src="/s/svg-inside.svg">', "image in an svg"), "svg-object": ('<object data="/s/svg-object.svg"></object>', "image in an svg"),
 "shut": ('<img src="/shut/x.png">', "robots"), "gone": ('<img src="/gone.png">', "404"), "fails": ('<img src="/fails.png">', "500"),
 "soft-frame": ('<iframe src="/no-such-frame"></iframe>', "what the site shows for what is not there"), "to-soft": ('<img src="/r/to-soft">', "redirect to what is not there"), "soft-image": ('<img src="/no-such-image">', "an image that is not there, with 200"),
 "alias-frame": ('<iframe src="/alias"></iframe>', "a frame that says that it is another page; nothing changes"),
 "type-joined": ('<iframe src="/f/type-joined"></iframe>', "image of a frame whose types are two, joined by a comma"), "type-star": ('<iframe src="/f/type-star"></iframe>', "image of a frame whose type says nothing"), "type-none": ('<iframe src="/f/type-none"></iframe>', "image of a frame whose type is none"),
 "type-xsl": ('<iframe src="/f/type-xsl"></iframe>', "image of XHTML that says it is a style sheet of XML"),
 "style-as-text": ('<link rel=stylesheet href="/c/style-as-text.css">', "image of a style sent as text, as pages without a doctype accept it"), "style-as-html": ('<link rel=stylesheet href="/c/style-as-html">', "the same as HTML"),
 "style-as-bytes": ('<link rel=stylesheet href="/c/style-as-bytes">', "the same as bytes"), "style-nul": ('<link rel=stylesheet href="/c/style-nul">', "the same as text with a NUL"), "style-as-script": ('<link rel=stylesheet href="/c/style-as-script.css">', "the same as a script"),
 "port": ('<img src="http://127.0.0.1:9/x.png">', "nobody answers"),  "moved-301-304": ('<img src="/r/moved">', "redirect with a body"), "vary": ('<img src="/vary.png">', "answers by turns"),
}
# Nothing changes in what these embed; and what only a script fetches is not known, which docs/evidence.md says.
HARMLESS = {"moved-301-304"}
SCRIPTS = {"module-import", "importmap"}
NAMES = list(FORMS) + list(CHAINS)
TYPES = {PNG: "image/png", CSS: "text/css", JS: "text/javascript", HTML: "text/html", SVG: "image/svg+xml", "vtt": "text/vtt", "woff": "font/woff", "webmanifest": "application/manifest+json", "class": "application/java-vm", "swf": "application/x-shockwave-flash", "wav": "audio/wav", "avi": "video/avi"}

def part(kind, k):
    if kind == CSS: return "p { color: #%06x }" % k
    if kind == JS: return "export default function () { return %d }" % k
    if kind == HTML: return "<!doctype html><title>A frame</title><p>Price %d euro for you and all." % (1000 + k)
    if kind == SVG: return '<svg xmlns="http://www.w3.org/2000/svg"><text id="a">%d</text></svg>' % k
    return "bytes %d" % k

SOFT = "<!doctype html><title>Oh</title><p>This shop has no such page, we are sorry to say."
def answer(host, target, headers):
    with lock:
        asked[target] = k = asked.get(target, 0) + 1
    path = target.split("?")[0]
    if path == "/robots.txt": return 200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /shut/\n"
    if path == "/": return 200, {}, "<!doctype html><title>Start</title>" + ('<img src="/still.png">' if k == 1 else '<img src="/shut/late.png">') + "".join('<a href="/w/%s">%s</a> ' % (x, x) for x in NAMES) + '<a href="/whole">whole</a> <a href="/alias-of">x</a>' + "".join('<a href="/q/%d">%d</a> ' % (i, i) for i in range(30))
    if path == "/still.png": return 200, {"Content-Type": "image/png"}, "still"
    if path.startswith("/q/"): return 200, {}, "<!doctype html><title>%s</title><p>Words of %s" % (path, path)
    if path == "/whole": return 200, {}, '<!doctype html><title>Whole</title><p>All of it<img src="/still.png">'
    if path == "/fails.png": return 500, {}, "no"
    if path == "/gone.png": return 404, {}, "gone"
    if path in ("/alias", "/alias-of"): return 200, {}, '<!doctype html><title>One</title><link rel=canonical href="/alias-of"><p>The very same page'
    if path == "/vary.png": return 200, {"Content-Type": "image/png"}, "turn %d" % (k % 2)
    if path.startswith("/part/"):
        kind = path.rsplit(".", 1)[1]
        return 200, {"Content-Type": TYPES[kind]}, part(kind, k)
    if path.startswith("/r/"):
        n = path[3:]
        if n == "redirected": return 302, {"Location": "/part/ra.png" if k == 1 else "/part/rb.png"}, ""
        if n == "redirected-part": return 302, {"Location": "/part/rc.png"}, ""
        if n == "redirected-twice": return 302, {"Location": "/r/second"}, ""
        if n == "second": return 302, {"Location": "/still.png" if k == 1 else "/still.png?2"}, ""
        if n == "to-soft": return 302, {"Location": "/no-such-target"}, ""
        if n == "moved": return 301, {"Location": "/still.png", "Content-Type": "text/plain"}, "Moved"
    if path.startswith("/c/"):
        n = path[3:]
        if n == "style-style.css": return 200, {"Content-Type": "text/css"}, '@import "/c/middle.css";'
        if n == "middle.css": return 200, {"Content-Type": "text/css"}, '@import "/part/deep.css";'
        if n == "style-nul": return 200, {"Content-Type": "text/plain"}, '/*\0*/ p { background: url(/part/style-nul.png) }'
        if n.startswith("style-as-"): return 200, {"Content-Type": {"text": "text/plain", "html": "text/html", "byte": "application/octet-stream", "scri": "text/javascript"}[n[9:13]]}, 'p { background: url(/part/%s.png) }' % n.split(".")[0]
        if n == "style-image.css": return 200, {"Content-Type": "text/css"}, 'p { background: url(/part/deep.png) }'
    if path.startswith("/f/"):
        n = path[3:]
        if n == "frame-frame": return 200, {}, '<!doctype html><title>f</title><iframe src="/f/inner"></iframe>'
        if n == "inner": return 200, {}, '<!doctype html><title>i</title><iframe src="/part/inner.html"></iframe>'
        if n == "type-joined": return 200, {"Content-Type": "text/plain, text/html"}, '<!doctype html><title>t</title><img src="/part/joined.png">'
        if n in ("type-star", "type-none"): return 200, {"Content-Type": "*/*" if n == "type-star" else "text"}, '<!doctype html><title>t</title><img src="/part/%s.png">' % n
        if n == "type-xsl": return 200, {"Content-Type": "text/xsl"}, '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><img src="/part/xsl.png"/></body></html>'
        if n == "frame-image": return 200, {}, '<!doctype html><title>fi</title><img src="/part/inner.png">'
    if path.startswith("/s/"): return 200, {"Content-Type": "image/svg+xml"}, '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="/part/in%s.png"/></svg>' % path[3:-4]
    if path.startswith("/w/"):
        n = path[3:]
        head = "<!doctype html><html><head><title>Page %s</title></head><body><p>Words of %s." % (n, n)
        if n in CHAINS: return 200, {}, head + CHAINS[n][0]
        if n == "xml-style": return 200, {"Content-Type": "application/xhtml+xml"}, '<?xml version="1.0"?><?xml-stylesheet href="/part/xml-style.css" type="text/css"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><p>Words</p></body></html>'
        if n == "svg-xml-style": return 200, {"Content-Type": "image/svg+xml"}, '<?xml version="1.0"?><?xml-stylesheet href="/part/svg-xml-style.css" type="text/css"?><svg xmlns="http://www.w3.org/2000/svg"><text>w</text></svg>'
        if n == "tab": return 200, {}, head + '<img src="/pa\trt/tab.png">'
        if n in FORMS:
            f, kind = FORMS[n]
            return 200, {}, head + f.format(*[P(n, kind)] * 3, name=n)
    return 200, {}, SOFT
